"""A campaign under load: 200 raters who save once a second each. `python benchmarks/campaign.py [--store URL]`

A server is started as `tertium human serve` starts it; raters are in this process, each with a link and
connections of their own, and send their saves at fixed times, whether the one before was answered or not. Printed: from
sending to the acknowledgement, which comes when the save is on the disk. At the end everything
acknowledged is looked for in the store. A save whose connection breaks is sent again, as a browser does it: it has an
id, and is kept once. How often that happened is printed, by what broke; such a save takes as long as all its tries.
Times depend on what else the machine does (`load`); the server's processor time for a save, its start included, less.
`--store postgresql://...` keeps responses there (PGPASSWORD has the password) and leaves a schema behind,
`tertium_load` where the address names none.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tertium.human.campaign.collection import open_collection

ITEMS = 100
TRIES = 5  # of one save; a server that breaks off more often is broken


class Saved(NamedTuple):
    """A save that was acknowledged, how long it took, and what broke before."""

    uuid: str
    seconds: float
    broken: tuple[str, ...]


def write_campaign(folder: Path, raters: int, store: str | None) -> Path:
    """Two systems, documents of ten segments, a batch of 100 items for each rater."""
    segments = max(ITEMS, ITEMS * raters // 2)
    for name in ("source", "one", "two"):
        (folder / f"{name}.txt").write_text("".join(f"{name} sentence {k} of some length\n" for k in range(segments)))
    (folder / "documents.txt").write_text("".join(f"d{k // 10}\n" for k in range(segments)))
    (folder / "testset.toml").write_text(
        'name = "load"\nsource = "source.txt"\ndocuments = "documents.txt"\n'
        'systems = { one = "one.txt", two = "two.txt" }\n'
    )
    path = folder / "campaign.toml"
    where = f"store = {json.dumps(store)}\n" if store else ""
    path.write_text(f'testset = "testset.toml"\n{where}[batches]\nsize = {ITEMS}\n[raters]\ncount = {raters}\n')
    return path


async def put(client: httpx.AsyncClient, address: str, given: dict[str, Any]) -> tuple[str, ...]:
    """Send a save until it is acknowledged; what broke before. Only a connection that breaks is tried again."""
    broken: list[str] = []
    while True:
        try:
            (await client.put(address, json=given)).raise_for_status()
        except httpx.TransportError as error:
            broken.append(type(error).__name__)
            if len(broken) == TRIES:
                raise
        else:
            return tuple(broken)


async def rate(address: str, token: str, batch: int, items: int, begin: float, seconds: int) -> list[Saved]:
    """One rater: a save a second."""
    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:
        (await client.get(f"/r/{token}")).raise_for_status()
        page = (await client.get(f"/batch/{batch}")).text
        [who] = re.findall(r'data-who="(\w+)"', page)

        async def save(turn: int) -> Saved:
            uuid = f"{token[:12]}-{turn:06d}"
            await asyncio.sleep(max(0.0, begin + turn - time.monotonic()))
            start = time.monotonic()
            body = {"values": {"da100": turn % 101}, "seconds": 1.0}
            given = {"who": who, "uuid": uuid, "revision": 1, "body": body}
            broken = await put(client, f"/api/responses/{batch}/{turn % items}", given)
            return Saved(uuid, time.monotonic() - start, broken)

        return list(await asyncio.gather(*(save(turn) for turn in range(seconds))))


async def load(address: str, links: dict[str, tuple[str, int, int]], seconds: int) -> list[Saved]:
    """All raters; they begin spread over a second, when everybody has opened their page."""
    begin = time.monotonic() + 5 + len(links) / 20
    waiting = [
        rate(address, token, batch, items, begin + k / len(links), seconds)
        for k, (token, batch, items) in enumerate(links.values())
    ]
    return [one for several in await asyncio.gather(*waiting) for one in several]


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--store", metavar="URL", help="a PostgreSQL database; a file, where it is left out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = write_campaign(Path(folder), given.raters, given.store)
        with open_collection(path) as collection:
            links = {}
            for rater in collection.raters():
                first = collection.batches_of(rater)[0]
                links[rater] = (collection.links.make(rater), first.number, len(first.items))
        command = [sys.executable, "-m", "tertium", "human", "serve", str(path), "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("raters: ").partition("/r/")[0]
        before = os.getloadavg()[0]
        try:
            saved = asyncio.run(load(address, links, given.seconds))
        finally:
            server.terminate()
            server.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)  # the server is the only one
        with open_collection(path, read_only=True) as collection:
            rows = collection.store.database.rows("SELECT uuid FROM events WHERE kind = 'response'")
            kept = [row["uuid"] for row in rows]
    times = sorted(one.seconds for one in saved)
    result = {
        "raters": given.raters,
        "saves": len(times),
        "lost": len({one.uuid for one in saved} - set(kept)),
        "doubled": len(kept) - len(set(kept)),
        "store": "PostgreSQL" if given.store else "SQLite",
        "sent_again": dict(Counter(what for one in saved for what in one.broken)),
        "cpu_ms_a_save": round(1000 * (used.ru_utime + used.ru_stime) / len(times), 2),
        "load_before": round(before, 1),
        "load_after": round(os.getloadavg()[0], 1),
        **{f"p{share}_ms": round(1000 * times[share * len(times) // 100], 1) for share in (50, 95, 99)},
        "max_ms": round(1000 * times[-1], 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
