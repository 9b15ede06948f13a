"""A process that saves responses from many raters at once, and says of each when it is acknowledged; it is killed."""

import sys
import threading

from tertium.human.campaign.store import CampaignStore, Save


def main(path: str, raters: int, first: int) -> None:
    store = CampaignStore(path, plan="p")
    lock = threading.Lock()

    def rate(name: str) -> None:
        item = first
        while True:
            save = Save(
                rater=name, batch=1, item=item, uuid=f"{name}-{item}", revision=1, body={"values": {"da100": item}}
            )
            new = store.save(save)
            with lock:
                print(name, item, int(new), flush=True)
            item += 1

    threads = [threading.Thread(target=rate, args=(f"r{k}",)) for k in range(raters)]
    for thread in threads:
        thread.start()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
