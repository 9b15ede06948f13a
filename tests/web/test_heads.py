"""Tables that are dropped are known by their columns, in whatever spelling and packing their names are."""

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.test_uploads import OUTPUT, REFERENCE, SOURCE, packed, part, read

from tertium.web.heads import HEAD, Head, read_head

OWN = "system\tsegment\trater\tscale\tvalue\natlas\t1\tr\tda100\t50\n"
TURK = (
    "annotator\tassignment\thit\tdoc\tsystem\tseg\ttype\traw\thit_seconds\treconstructed\n"
    "M1\tA\t1\td\tatlas\t1\tSYSTEM\t50\t9\t0\n"
)
MQM = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\natlas\td\t1\tr\teins\tone\tNo-error\tNo-error\n"
APPRAISE = "user,atlas,1,TGT,deu,eng,50,1.0,2.0\n"
LISTS = "row\tscores\tmean\n1\t[50]\t50\n"
JSON = json.dumps({"system": "atlas", "segment": "1", "rater": "r", "scale": "da100", "value": "50"}) + "\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress
}  # fmt: skip


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize(("name", "data"), [
    ("judgments.tsv", OWN), ("judgements.tsv", OWN), ("people.tsv", OWN), ("people.csv", OWN.replace("\t", ",")),
    ("people.jsonl", JSON), ("de-en.judgments.tsv", TURK), ("people.tsv", TURK), ("people.tsv", MQM),
    ("people.csv", APPRAISE), ("people.tsv", LISTS),
])  # fmt: skip
def test_judgements_are_known_by_their_columns(tmp_path: Path, name: str, data: str, suffix: str) -> None:
    texts = {"source.de": SOURCE, "ref.en": REFERENCE, "atlas.en": OUTPUT}
    files = {**texts, name + suffix: PACKERS[suffix](data.encode())}
    dropped = [part("file", file, content) for file, content in files.items()]
    for number, parts in enumerate([dropped, [part("file", "all.zip", packed(files))]]):
        found = read(tmp_path / str(number), *parts)
        assert [system.name for system in found.systems] == ["atlas"]
        assert [(item.segment, item.value) for item in found.judgements] == [(0, 0 if data is MQM else 50)]


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize(("name", "data", "columns", "judgements"), [
    ("x.tsv", OWN, ["system", "segment", "rater", "scale", "value"], True),
    ("X.TSV", "\ufeffid\tsegment\tsource\tscores\r\n1\t2\t3\t4\r\n", ["id", "segment", "source", "scores"], True),
    ("x.tsv", "segment\tsource\tvalue\n", ["segment", "source", "value"], False),
    ("judgments.tsv", "a\tb\n", ["a", "b"], True),
    ("x.csv", 'source,"a ""b"", c"\n', ["source", 'a "b", c'], False),
    ("x.jsonl", '{"source": "a", "mt": "b"}\n', ["source", "mt"], False),
    ("x.jsonl", "[1]\n", [], False), ("x.jsonl", "[" * 50_000, [], False), ("x.csv", '"a', ["a"], False),
    ("x.tsv", "", [""], False),
])  # fmt: skip
def test_heads(client: TestClient, name: str, data: str, columns: list[str], judgements: bool, suffix: str) -> None:
    sent = PACKERS[suffix](data.encode())
    answer = client.post("/api/head", params={"name": name + suffix}, content=sent)
    assert answer.json() == {"columns": columns, "judgements": judgements}


def test_a_head_is_a_head(client: TestClient) -> None:
    """What is packed unpacks to little, and what is cut off or broken to what there is of it."""
    bomb = gzip.compress(b"a\t" * (30 << 20), compresslevel=1)
    columns = read_head("x.tsv.gz", bomb).columns
    assert len(columns) == (1 << 17) + 1
    assert set(columns[:-1]) == {"a"}
    noise = random.Random("head").randbytes(HEAD + HEAD // 4).hex("\n", 40).encode()  # half of it is left when packed
    for suffix, pack in PACKERS.items():
        data = pack(OWN.encode() + noise)
        assert len(data) > HEAD
        assert read_head(f"x.tsv{suffix}", data[:HEAD]).judged
        if suffix:
            assert read_head(f"x.tsv{suffix}", b"broken") == Head(("",), False)
    assert client.post("/api/head", params={"name": "x.tsv"}, content=bytes(1 << 21)).status_code == 413
