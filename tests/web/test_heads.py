"""Tables that are dropped are known by their columns, in whatever spelling and packing their names are."""

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.test_uploads import OUTPUT, REFERENCE, SOURCE, packed, part, read

from tertium.core.errors import InputError
from tertium.io.roles import name_in, recognise
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
    found = answer.json()
    assert (found["columns"], found["judgements"]) == (columns, judgements)
    assert [item["column"] for item in found["recognised"]] == columns


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


def workbook(*rows: list[object], sheets: int = 1) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for _ in range(sheets - 1):
        book.create_sheet().append(["other"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


TABLE: list[list[object]] = [
    ["id", "Source (de)", "Reference", "MT_atlas", "brook output", "notes"],
    [1, "eins", "one", "one", "won", None],
    [2, "zwei", "two", 2, None, "x"],
]
ROLES = [
    ("id", "ignore", "id"),
    ("Source (de)", "source", "Source (de)"),
    ("Reference", "reference", "Reference"),
    ("MT_atlas", "output", "atlas"),
    ("brook output", "output", "brook"),
    ("notes", "ignore", "notes"),
]


def test_columns_are_recognised_whatever_the_kind_of_table(client: TestClient) -> None:
    heads, first, *_ = ([str(cell or "") for cell in row] for row in TABLE)
    kinds = {
        "x.tsv": "\n".join("\t".join(row) for row in (heads, first)).encode(),
        "x.csv": "\n".join(",".join(row) for row in (heads, first)).encode(),
        "x.jsonl": json.dumps(dict(zip(heads, first, strict=True))).encode(),
        "x.xlsx": workbook(*TABLE, sheets=2),
    }
    for name, data in kinds.items():
        found = client.post("/api/head", params={"name": name}, content=data).json()
        assert [(item["column"], item["role"], item["name"]) for item in found["recognised"]] == ROLES, name
        assert [item["text"] for item in found["recognised"]] == ["1", "eins", "one", "one", "won", ""], name


def test_where_nothing_says_that_it_is_an_output_the_rest_are_outputs() -> None:
    found = recognise(["source", "ref", "atlas", "brook 2", "domain"])
    assert [item.name for item in found if item.role == "output"] == ["atlas", "brook 2"]
    assert [item.name for item in recognise(["mt_a", "a_mt", "src"])] == ["mt_a", "a_mt", "src"]  # no two alike
    names = {"mt": "mt", "output": "output", "system: a b": "a b", "MT-x-mt": "x-mt", "atlas.hyp": "atlas"}
    assert {column: name_in(column) for column in names} == names


def test_an_excel_file_is_an_upload(tmp_path: Path) -> None:
    found = read(tmp_path, part("file", "Table.XLSX", workbook(*TABLE, [None] * 6, sheets=2)))
    outputs = {system.name: list(system.outputs) for system in found.systems}
    assert outputs == {"atlas": ["one", "2"], "brook": ["won", ""]}
    assert list(found.testset.sources or ()) == ["eins", "zwei"]


def repacked(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, change(old.read(member)) if member == name else old.read(member))
    return out.getvalue()


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (lambda _: b"no zip", "not a valid .xlsx file"),
        (lambda whole: whole[:-30], "not a valid .xlsx file"),
        (lambda _: packed({"a.txt": "x"}), "not an Excel file with a table on its first sheet"),
        (lambda whole: repacked(whole, SHEET, lambda text: LAUGHS + text), "not an Excel file with a table"),
        (lambda whole: repacked(whole, SHEET, lambda text: text + b" " * (40 << 20)), "unpacks to more than 200 times"),
        (lambda _: workbook(["source", "a"], ["x", "y", "z"]), "row 2 of the first sheet has more cells than"),
        (lambda _: workbook(["source", "source"], ["x", "y"]), "2 columns are called 'source'"),
        (lambda _: workbook(), "no reference and no source|not an Excel file"),
    ],
)
def test_what_is_no_table_of_excel_is_told(
    client: TestClient, tmp_path: Path, data: Callable[[bytes], bytes], sentence: str
) -> None:
    made = data(workbook(*TABLE))
    with pytest.raises(InputError, match=sentence):
        read(tmp_path, part("file", "t.xlsx", made))
    answer = client.post("/api/head", params={"name": "t.xlsx"}, content=made)
    assert answer.status_code in (200, 422)
    assert "mistake of its own" not in answer.text
