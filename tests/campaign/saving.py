"""A process that saves responses from many raters at once, and says of each when it is acknowledged; it is killed."""

import threading
from multiprocessing.connection import Connection

from tertium.human.campaign.store import CampaignStore, Save
from tertium.io.postgres import Address


def main(pipe: Connection, place: str | Address, raters: int, first: int) -> None:
    store = CampaignStore(place, plan="p")
    lock = threading.Lock()

    def rate(name: str) -> None:
        item = first
        while True:
            save = Save(
                rater=name, batch=1, item=item, uuid=f"{name}-{item}", revision=1, body={"values": {"da100": item}}
            )
            store.save(save)
            with lock:
                pipe.send((name, item))
            item += 1

    threads = [threading.Thread(target=rate, args=(f"r{k}",)) for k in range(raters)]
    for thread in threads:
        thread.start()
