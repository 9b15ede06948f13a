"""Tables are written again with the scores that the same segments have in memory, and nothing else of them changes."""

from __future__ import annotations

import gzip
import json
import math
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.laws.variants import NAMES, variants

import tertium as tt
from tertium.core.errors import CancelledError, InputError, OptionError
from tertium.engines.annotate import annotate
from tertium.io import blocks

from .test_checkpoint import KILLED

WORDS = "the cat sat on a mat while dogs ran over green hills , and old men told tales .".split()
N = 60


def made_rows(seed: int = 3, count: int = N) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for k in range(count):
        words = rng.choices(WORDS, k=rng.randint(1, 14))
        changed = [rng.choice(WORDS) if rng.random() < 0.3 else word for word in words]
        rows.append(
            {
                "id": k,
                "src": " ".join(reversed(words)),
                "ref": None if k % 11 == 5 else " ".join(words),
                "other": None if k % 3 else " ".join(words[::2]),
                "mt": None if k % 7 == 3 else "" if k % 13 == 6 else " ".join(changed[: rng.randint(1, 14)]),
                "weight": None if k % 9 == 2 else rng.random(),
                "lang": rng.choice(["de", "fr", "zü"]),
            }
        )
    return rows


ROWS = made_rows()
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int16(), nullable=False, metadata={"of": "a field"}),
        ("src", pa.large_string()),
        ("ref", pa.string()),
        ("other", pa.string()),
        ("mt", pa.string()),
        ("weight", pa.float32()),
        ("lang", pa.dictionary(pa.int8(), pa.string())),
        ("tags", pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))),
        ("when", pa.timestamp("ms", tz="UTC")),
    ],
    metadata={"who": "somebody"},
)


def write_parquet(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    more = [row | {"tags": [{"a": k, "b": None}] * (k % 3) or None, "when": k * 1000} for k, row in enumerate(rows)]
    pq.write_table(pa.Table.from_pylist(more, SCHEMA), path, row_group_size=16, compression="zstd")
    return path


def write_jsonl(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    lines = [
        json.dumps({key: value for key, value in row.items() if value is not None or key != "other"}) for row in rows
    ]
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_tsv(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    lines = ["\t".join(ROWS[0]), *("\t".join("" if v is None else str(v) for v in row.values()) for row in rows)]
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = data.decode().replace("\r", "").removesuffix("\n").split("\n")
    if ".json" in path.name:
        return [json.loads(line) for line in lines]
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]


WRITE: dict[str, Callable[[Path], Path]] = {".parquet": write_parquet, ".jsonl": write_jsonl, ".jsonl.gz": write_jsonl,
                                            ".tsv": write_tsv}  # fmt: skip


def in_memory(metrics: Any, rows: list[dict[str, Any]] = ROWS, references: tuple[str, ...] = ("ref",)) -> tt.Evaluation:
    streams = tuple(tt.Lines.of([row[name] for row in rows]) for name in references)
    testset = tt.TestSet(segments=len(rows), references=tt.References(streams, len(rows)),
                         sources=tt.Lines.of([row["src"] for row in rows]))  # fmt: skip
    return tt.evaluate(testset, [tt.System(name="mt", outputs=tt.Lines.of([row["mt"] for row in rows]))], metrics)


def segment_values(evaluation: tt.Evaluation) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for score in evaluation.scores("segment"):
        found.setdefault(score.metric, []).append(None if math.isnan(score.value) else score.value)
    return found


@pytest.fixture(params=[(1 << 21, 1 << 14), (70, 3)], ids=["wide", "narrow"])
def block_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    size, rows = request.param
    monkeypatch.setattr(blocks, "SIP", size)
    monkeypatch.setattr(blocks, "ROWS", rows)


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_memory(name: str, tmp_path: Path) -> None:
    """A law: of every metric, every segment, the same number; and the same of the corpus."""
    file = write_parquet(tmp_path / "in.parquet")
    for metric in variants(name):
        out = tmp_path / "out.parquet"
        found = annotate(file, out, metric, outputs={"mt": "mt"}, references="ref", source="src", run=tt.Run(threads=2))
        whole = in_memory([metric])
        values, written = segment_values(whole)[str(metric)], pq.read_table(out).column(str(metric)).to_pylist()
        if whole.stats("mt", metric).types is not None:  # a mean over types, which come in another order
            assert [value is None for value in written] == [value is None for value in values]
            assert [value or 0 for value in written] == pytest.approx([value or 0 for value in values], rel=1e-14)
        else:
            assert written == values
        expected = [score.value for score in whole.scores()]
        assert [score.value for score in found.scores()] == pytest.approx(expected, rel=1e-13, nan_ok=True)


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", WRITE)
def test_what_was_there_stays(kind: str, tmp_path: Path) -> None:
    file, out = WRITE[kind](tmp_path / f"in{kind}"), tmp_path / f"out{kind}"
    # A missing text of TSV is an empty one, unless it is said to be missing.
    missing = "" if kind == ".tsv" else None
    found = annotate(file, out, "chrf,wer", outputs="mt", references=["ref", "other"], missing=missing)
    rows = [row | {"mt": row["mt"] or None} for row in ROWS] if kind == ".tsv" else ROWS
    values = segment_values(in_memory("chrf,wer", rows, ("ref", "other")))
    before, after = read(file), read(out)
    assert [list(row)[-2:] for row in after] == [["chrf", "wer"]] * N
    for k, (old, new) in enumerate(zip(before, after, strict=True)):
        scores = [new.pop(name) for name in ("chrf", "wer")]
        assert new == old
        assert list(new) == list(old)
        if kind == ".tsv":
            scores = [float(text) if text else None for text in scores]
        assert scores == [values[name][k] for name in ("chrf", "wer")]
    assert found.kept == N
    assert len(list(tmp_path.iterdir())) == 2


def test_types_and_metadata_of_parquet_stay(tmp_path: Path) -> None:
    file, out = write_parquet(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    annotate(file, out, "chrf", outputs="mt", references="ref")
    before, after = pq.ParquetFile(file), pq.ParquetFile(out)
    assert [after.schema_arrow.field(name) for name in SCHEMA.names] == list(before.schema_arrow)
    assert all(after.schema_arrow.field(n).metadata == before.schema_arrow.field(n).metadata for n in SCHEMA.names)
    assert after.schema_arrow.metadata == before.schema_arrow.metadata
    assert after.schema_arrow.field("chrf").type == pa.float64()
    assert after.schema_arrow.field("chrf").metadata[b"tertium"].startswith(b"chrf|tertium:")
    assert after.metadata.row_group(0).column(0).compression == "ZSTD"
    assert pq.read_table(out).select(SCHEMA.names).equals(pq.read_table(file))


@pytest.mark.usefixtures("block_size")
def test_the_spelling_of_json_stays(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"mt": "a b", "ref": "a b", "x": 1.10, "y": [1e5, {"z": null}]}\n  {"ref":"a","mt":"\\u00e4"}  \n'
                    '{ }\n\n')  # fmt: skip
    annotate(file, tmp_path / "out.jsonl", "wer", outputs="mt", references="ref")
    assert (tmp_path / "out.jsonl").read_text().split("\n") == [
        '{"mt": "a b", "ref": "a b", "x": 1.10, "y": [1e5, {"z": null}], "wer": 0.0}',
        '{"ref":"a","mt":"\\u00e4", "wer": 100.0}',
        '{"wer": null}',
        "",
    ]


def test_several_systems(tmp_path: Path) -> None:
    file, out = write_parquet(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    found = annotate(file, out, "chrf", outputs={"one": "mt", "two": "src"}, references="ref",
                     keep="chrf[one] > chrf[two]")  # fmt: skip
    rows = read(out)
    assert list(rows[0])[-2:] == ["one | chrf", "two | chrf"]
    assert all(row["one | chrf"] > row["two | chrf"] for row in rows)
    assert 0 < found.kept == len(rows) < N


CONDITIONS: dict[str, Callable[[dict[str, Any], dict[str, Any]], bool | None]] = {
    "chrf > 40": lambda _, of: None if of["chrf"] is None else of["chrf"] > 40,
    "chrf(words=2) >= chrf": lambda _, of: None if of["chrf"] is None else of["chrf(words=2)"] >= of["chrf"],
    "length_ratio < 1": lambda row, _: (
        None if row["mt"] is None or not row["ref"] else len(row["mt"]) / len(row["ref"]) < 1
    ),
    "output_words <= reference_words": lambda row, _: (
        None if None in (row["mt"], row["ref"]) else len(row["mt"].split()) <= len(row["ref"].split())
    ),
    "source_characters / source_words > 4": lambda row, _: len(row["src"]) / len(row["src"].split()) > 4,
    "lang == 'zü'": lambda row, _: row["lang"] == "zü",
    "weight < .5": lambda row, _: None if row["weight"] is None else row["weight"] < 0.5,
    'column("id") != 7': lambda row, _: row["id"] != 7,
}


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", [".parquet", ".jsonl"])
@pytest.mark.parametrize("text", [*CONDITIONS, " and ".join(CONDITIONS)])
def test_rows_are_kept_for_which_all_is_true(text: str, kind: str, tmp_path: Path) -> None:
    file, out = WRITE[kind](tmp_path / f"in{kind}"), tmp_path / f"out{kind}"
    found = annotate(file, out, "bleu", outputs="mt", references="ref", source="src", keep=text)
    values = segment_values(in_memory("chrf,chrf(words=2)"))
    scores = [{name: of[k] for name, of in values.items()} for k in range(N)]
    asked = CONDITIONS if " and " in text else {text: CONDITIONS[text]}
    table = {name: [ask(row, of) for row, of in zip(ROWS, scores, strict=True)] for name, ask in asked.items()}
    together = [False if False in row else None if None in row else True for row in zip(*table.values(), strict=True)]
    counts = {item.condition: (item.kept, item.dropped, item.unknown) for item in found.conditions[:-1]}
    assert counts == {name: (of.count(True), of.count(False), of.count(None)) for name, of in table.items()}
    last = found.conditions[-1]
    assert (last.kept, last.dropped, last.unknown) == tuple(map(together.count, (True, False, None)))
    kept = [row["id"] for row, true in zip(ROWS, together, strict=True) if true]
    assert [row["id"] for row in read(out)] == kept
    assert kept
    assert set(read(out)[0]) >= {"bleu"}
    assert "chrf" not in read(out)[0]  # which was asked for and is not written
    assert found.kept_evaluation is not None
    rest = in_memory("bleu", [ROWS[k] for k in kept])
    one, other = found.kept_evaluation.scores()[0], rest.scores()[0]
    assert (one.value, one.n) == (other.value, other.n)
    assert one.signature.endswith(f"|keep:{text}")


@pytest.mark.parametrize("limit", [5, 1_000_000])
def test_type_averages_of_kept_rows(limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types may lie in memory or in files."""
    monkeypatch.setattr("tertium.engines.totals.IN_MEMORY", limit)
    found = annotate(write_parquet(tmp_path / "in.parquet"), tmp_path / "o.parquet", "macrof,microf", outputs="mt",
                     references="ref", keep=["id < 31", "id > 2"])  # fmt: skip
    assert found.kept_evaluation is not None
    rest = in_memory("macrof,microf", ROWS[3:31]).scores()
    assert [score.value for score in found.kept_evaluation.scores()] == pytest.approx([score.value for score in rest])
    assert found.conditions[-1].condition == "(id < 31) and (id > 2)"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"outputs": "mtt"}, "has no column 'mtt'; did you mean 'mt'?"),
        ({"references": "reff"}, "has no column 'reff'; did you mean 'ref'?"),
        ({"prefix": "", "metrics": "ter"}, "has a column 'ter' already; give the new ones other names (--prefix TEXT)"),
        ({"references": ()}, "chrf needs references, and no column of them is named (--ref-column NAME)"),
        ({"metrics": ()}, "nothing to do: name a metric, such as chrf (-m chrf), or a condition (--keep)"),
        ({"keep": "chrff > 3"}, "'chrff' is no metric, no column, and none of source_words"),
        ({"keep": "chrff > 3"}, "output_characters, reference_characters, length_ratio; did you mean 'chrf'?"),
        ({"keep": "lenght_ratio < 2"}, "; did you mean 'length_ratio'?"),
        ({"keep": "chrf > 1e400"}, "1e400 is larger than any number that can be counted with"),
        ({"keep": "column('nn') > 3"}, "there is no column 'nn'; columns: id, src"),
        ({"keep": "source_words > 3"}, "source_words: no source is named (--source-column NAME)"),
        ({"keep": "chrf[x] > 3"}, "no system 'x'; there are mt"),
        ({"keep": "id[mt] > 3"}, "id is the same for all systems; leave [mt] out"),
        ({"keep": "chrf == 'x'"}, "chrf == 'x': chrf is a number and is never equal to a text"),
        ({"keep": "chrf(beta='x') > 3"}, "chrf: beta="),
        ({"outputs": {}}, "no column of outputs; name at least one (--hyp-column NAME)"),
    ],
)
@pytest.mark.parametrize("kind", [".parquet", ".tsv"])
def test_refusals(options: dict[str, Any], reason: str, kind: str, tmp_path: Path) -> None:
    rows = [row | {"ter": 1} for row in ROWS]
    if kind == ".tsv":
        lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
        (tmp_path / "in.tsv").write_text("".join(f"{line}\n" for line in lines))
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in.parquet")
    asked = {"metrics": "chrf", "outputs": "mt", "references": "ref", **options}
    with pytest.raises((InputError, OptionError)) as caught:
        annotate(tmp_path / f"in{kind}", tmp_path / f"out{kind}", **asked)
    assert reason in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [f"in{kind}"]


def test_a_text_where_numbers_are_asked_for_is_named(tmp_path: Path) -> None:
    said = {".parquet": "column 'lang' holds string", ".jsonl": "in.jsonl:1: 'lang' is no ", ".tsv": "in.tsv:2: 'lang'"}
    for kind, where in said.items():
        file = WRITE[kind](tmp_path / f"in{kind}")
        with pytest.raises(InputError, match=where):
            annotate(file, tmp_path / f"out{kind}", outputs="mt", references="ref", keep="lang > 3")
        assert not (tmp_path / f"out{kind}").exists()


def test_a_file_is_not_written_over_what_is_read(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "in.parquet")
    link = tmp_path / "link.parquet"
    link.symlink_to(file)
    for out, reason in (
        ("in.parquet", "is the file that is read"),
        ("link.parquet", "is the file that is read"),
        ("o.jsonl", "are written as they were read, as .parquet"),
        ("o.csv", "rows are written again as Parquet, JSON lines or TSV"),
        ("", "is a folder; name a file, such as "),
        ("none/o.parquet", "cannot be written"),
    ):
        with pytest.raises(InputError, match=reason):
            annotate(file, tmp_path / out, "chrf", outputs="mt", references="ref")
    link.unlink()
    with pytest.raises(InputError, match="tables that are read lie in it"):
        annotate([tmp_path], tmp_path, "chrf", outputs="mt", references="ref")
    with pytest.raises(InputError, match="is named twice"):
        annotate([file, file], tmp_path / "new", "chrf", outputs="mt", references="ref")


def test_what_was_begun_is_not_left_behind(tmp_path: Path) -> None:
    data = write_parquet(tmp_path / "in.parquet", made_rows(count=3000)).read_bytes()
    file = tmp_path / "bad.parquet"
    file.write_bytes(data[: len(data) // 2] + bytes(500) + data[len(data) // 2 + 500 :])
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="not a whole Parquet file"):
        annotate(file, tmp_path / "out.parquet", "chrf", outputs="mt", references="ref")
    assert sorted(tmp_path.iterdir()) == before

    def stop() -> bool:
        return len(list(tmp_path.glob(".out*"))) > 0

    for kind in WRITE:
        out = tmp_path / f"out{kind}"
        with pytest.raises(CancelledError):
            annotate(WRITE[kind](tmp_path / f"in{kind}"), out, "chrf", outputs="mt", references="ref",
                     run=tt.Run(cancelled=stop))  # fmt: skip
        assert list(tmp_path.glob("*out*")) == []


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    """Files of this process may have no more than so many bytes."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "from tertium.cli.main import main; main()"
    )
    for kind in WRITE:
        file = WRITE[kind](tmp_path / f"in{kind}")
        command = ["annotate", str(file), "-o", str(tmp_path / f"out{kind}"), "-m", "bleu,chrf", "--hyp-column", "mt",
                   "--ref-column", "ref"]  # fmt: skip
        done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"tertium: {tmp_path / f'out{kind}'}: cannot be written (File too large)\n"
    assert list(tmp_path.glob("*out*")) == []


def write_shards(folder: Path, count: int = 6) -> None:
    for k in range(count):
        (folder / "in" / f"part{k // 3}").mkdir(parents=True, exist_ok=True)
        write_jsonl(folder / "in" / f"part{k // 3}" / f"s{k}.jsonl", made_rows(k, 20) if k != 4 else [])


def test_a_folder_becomes_a_folder(tmp_path: Path) -> None:
    write_shards(tmp_path)
    found = annotate(tmp_path / "in", tmp_path / "out", "chrf", outputs="mt", references="ref", keep="chrf > 20")
    names = [f"part{k // 3}/s{k}.jsonl" for k in range(6)]
    assert [str(Path(path).relative_to(tmp_path / "out")) for path in found.written] == names
    kept = 0
    for k, name in enumerate(names):
        rows = [] if k == 4 else read(tmp_path / "out" / name)
        kept += len(rows)
        values = [] if k == 4 else segment_values(in_memory("chrf", made_rows(k, 20)))["chrf"]
        assert [row["chrf"] for row in rows] == [value for value in values if value is not None and value > 20]
    assert found.kept == kept
    assert len(found.evaluation.testset) == 100


def test_a_bad_shard_is_left_out(tmp_path: Path) -> None:
    write_shards(tmp_path)
    (tmp_path / "in/part0/s1.jsonl").write_text('{"mt": "a", "ref": "b"}\n{"mt\n')
    asked: dict[str, Any] = {"outputs": "mt", "references": "ref", "keep": "wer < 90"}
    with pytest.raises(InputError, match=r"s1\.jsonl:2: not JSON"):
        annotate(tmp_path / "in", tmp_path / "out", "chrf", **asked)
    found = annotate(tmp_path / "in", tmp_path / "new", "chrf", bad_shards="skip", **asked)
    assert len(found.written) == 5
    assert sorted(path.name for path in (tmp_path / "new").rglob("*.jsonl")) == [f"s{k}.jsonl" for k in (0, 2, 3, 4, 5)]
    assert found.evaluation.warnings[0] == "1 shard left out:"
    assert len(found.evaluation.testset) == 80


def test_killed_twenty_times(tmp_path: Path) -> None:
    """The run goes on from the shards that it had written: the files, scores and counts are an undisturbed one's."""
    write_shards(tmp_path, 9)
    rng, log, kept = random.Random(7), tmp_path / "log", tmp_path / "kept"
    command = [sys.executable, "-c", KILLED, "STEPS", str(log), "annotate", str(tmp_path / "in"), "--threads", "1",
               "--hyp-column", "mt", "--ref-column", "ref", "-m", "bleu,macrof,nist", "--keep", "chrf > 20",
               "-f", "json", "--checkpoint", str(kept), "-o"]  # fmt: skip
    kills = 0
    while True:
        log.write_text("")
        command[3] = str(rng.randint(1, 12) if kills < 20 else 0)
        done = subprocess.run([*command, str(tmp_path / "out")], capture_output=True, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        kills += 1
    assert kills == 20
    plain = [part for part in command[5:-1] if part not in ("--checkpoint", str(kept))]
    code = "from tertium.cli.main import main; main()"
    undisturbed = subprocess.run([sys.executable, "-c", code, *plain, "-o", str(tmp_path / "new")], capture_output=True,
                                 check=True)  # fmt: skip
    one, other = json.loads(done.stdout), json.loads(undisturbed.stdout)
    assert one.pop("written") == [path.replace("/new/", "/out/") for path in other.pop("written")]
    assert one == other
    for path in (tmp_path / "new").rglob("*.jsonl"):
        assert (tmp_path / "out" / path.relative_to(tmp_path / "new")).read_bytes() == path.read_bytes()
    assert [path for path in (tmp_path / "out").rglob(".*") if path.is_file()] == []  # what was begun is tidied up


def test_what_was_written_and_is_gone_is_written_again(tmp_path: Path) -> None:
    write_shards(tmp_path)
    asked: dict[str, Any] = {"outputs": "mt", "references": "ref", "checkpoint": tmp_path / "kept"}
    first = annotate(tmp_path / "in", tmp_path / "out", "chrf", **asked)
    gone, changed = (tmp_path / f"out/part0/s{k}.jsonl" for k in (1, 2))
    data = gone.read_bytes(), changed.read_bytes()
    gone.unlink()
    changed.write_text("{}\n")
    second = annotate(tmp_path / "in", tmp_path / "out", "chrf", **asked)
    assert (gone.read_bytes(), changed.read_bytes()) == data
    assert second.scores() == first.scores()
    with pytest.raises(InputError, match="is the checkpoint of another run, with other use"):
        annotate(tmp_path / "in", tmp_path / "out", "chrf", keep="chrf > 3", **asked)


def test_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text("")
    write_tsv(tmp_path / "e.tsv", [])
    pq.write_table(pa.Table.from_pylist([], SCHEMA), tmp_path / "e.parquet")
    for kind in ("jsonl", "tsv", "parquet"):
        found = annotate(tmp_path / f"e.{kind}", tmp_path / f"o.{kind}", "chrf", outputs="mt", references="ref",
                         keep="chrf > 3")  # fmt: skip
        assert (found.kept, found.scores(), found.conditions) == (0, [], [])
    assert (tmp_path / "o.jsonl").read_text() == ""
    assert (tmp_path / "o.tsv").read_text() == "\t".join([*ROWS[0], "chrf"]) + "\n"
    assert pq.read_table(tmp_path / "o.parquet").schema.names == [*SCHEMA.names, "chrf"]
