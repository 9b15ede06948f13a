"""Genuine results of Appraise (WMT22's calibration, English to Czech) go into a campaign over the same documents.

github.com/wmt-conference/wmt22-news-systems: 27 users judged the same documents of six systems, each document of one or
more of them; Online-G's showed some segments twice. Texts are not in the file; where a judgement belongs needs none.
"""

import csv
import gzip
import io
from collections import Counter, defaultdict
from pathlib import Path

from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.intake import take_in
from tertium.io.ratings.formats import read_ratings

from .files import ORACLES, needs_oracles

pytestmark = needs_oracles
RESULTS = ORACLES / "human" / "wmt22-appraise" / "WMT22.Appraise.calibrationHITs.20221103.csv.gz"


def write_campaign(folder: Path, rows: list[list[str]]) -> Path:
    """Every document that was judged, of every system; so many batches for each as there were users."""
    lengths: dict[str, int] = defaultdict(int)
    for _, _, item, _, _, _, _, document, whole, *_ in rows:
        if whole == "False":
            lengths[document] = max(lengths[document], int(item) + 1)
    systems = sorted({row[1] for row in rows})
    places = [(document, k) for document, length in lengths.items() for k in range(length)]
    (folder / "documents.txt").write_text("".join(f"{document}\n" for document, _ in places))
    for name in ("source", *systems):
        (folder / f"{name}.txt").write_text("".join(f"{name} says {k} of {document}\n" for document, k in places))
    named = ", ".join(f'"{name}" = "{name}.txt"' for name in systems)
    (folder / "testset.toml").write_text(
        f'source_language = "en"\ntarget_language = "cs"\nsource = "source.txt"\ndocuments = "documents.txt"\n'
        f"systems = {{ {named} }}\n"
    )
    users = len({row[0] for row in rows})
    (folder / "campaign.toml").write_text(
        f'testset = "testset.toml"\n[batches]\nassignment = "pool"\nsize = {max(lengths.values())}\n'
        f"redundancy = {users}\n"
    )
    return folder / "campaign.toml"


def test_every_user_has_what_they_said_once(tmp_path: Path) -> None:
    with gzip.open(RESULTS) as file:
        rows = [row for row in csv.reader(io.TextIOWrapper(file, "utf-8")) if row[4:6] == ["eng", "ces"]]
    path = write_campaign(tmp_path, rows)
    with (tmp_path / "results.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    first: dict[tuple[str, str, str, str], float] = {}
    for user, system, item, _, _, _, score, document, whole, *_ in rows:
        if whole == "False":
            first.setdefault((user, system, document, item), float(score))
    single = sum(row[8] == "False" for row in rows)
    with open_collection(path) as collection:
        testset = collection.campaign.evaluation.testset
        said = read_ratings(tmp_path / "results.csv", testset=testset)[1]
        found = take_in(collection, said)
        assert found == (len(first), 0, single - len(first), len(rows) - single)
        assert take_in(collection, said) == (0, len(first), single - len(first), len(rows) - single)
        documents = testset.documents
        assert documents is not None
        starts = {document: documents.index(document) for document in documents}
        kept = Counter(
            (
                one.rater,
                one.system,
                documents[one.segment],
                str(one.segment - starts[documents[one.segment]]),
                one.value,
            )
            for one in collection.judgements()
        )
        assert kept == Counter((*key, value) for key, value in first.items())
