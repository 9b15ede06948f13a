# ruff: noqa: ARG005 (each kind of damage touches the table or what is said of it)
"""The law of statistics files: what is counted in several places and merged is what is counted in one."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError, TertiumError
from tertium.engines import evaluate as engine
from tertium.engines.parts import count_part, merge_parts
from tertium.io.given_scores import scores_text
from tertium.io.parts import EvaluationPart, load_part, save_part

from .variants import NAMES, variants

RNG = random.Random(11)
WORDS = "the a cat dog sat on mat , . in Paris again 7 häuser".split()
N = 41
CUTS = [(0, 3), (3, 20), (20, 41)]


def texts(share: float, missing: bool = False) -> list[str | None]:
    made: list[str | None] = [" ".join(RNG.choices(WORDS, k=RNG.randint(0, 9))) for _ in range(N)]
    return [None if missing and RNG.random() < share else text for text in made]


REFERENCES = [texts(0.1, missing=True), texts(0.6, missing=True)]
OUTPUTS = {name: [a if RNG.random() < 0.5 else b for a, b in zip(REFERENCES[0], texts(0.1, True), strict=True)]
           for name in ("one", "two", "three")}  # fmt: skip


def given(**changes: Any) -> tt.Evaluation:
    testset = tt.TestSet(
        name="small",
        segments=N,
        sources=tt.Lines.of([f"Satz {k}" for k in range(N)]),
        references=tt.References(tuple(map(tt.Lines.of, REFERENCES)), N),
        documents=tuple(f"document {k // 5}" for k in range(N)),
        ids=tuple(f"s{k}" for k in range(N)),
        labels={"domain": tuple("news" if k % 2 else "chat" for k in range(N))},
    )
    systems = tuple(tt.System(name=name, outputs=tt.Lines.of(lines)) for name, lines in OUTPUTS.items())
    return tt.Evaluation(testset=replace(testset, **changes), systems=systems)


def saved(
    folder: Path, metrics: Any, evaluation: tt.Evaluation | None = None, cuts: Any = CUTS
) -> list[EvaluationPart]:
    parts = []
    for k, rows in enumerate(cuts):
        path = folder / f"{k}.parquet"
        save_part(count_part(evaluation or given(), metrics, rows), path)
        parts.append(load_part(path))
    return parts


@pytest.mark.parametrize("name", NAMES)
def test_merged_statistics_are_those_of_one_place(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, scores, intervals and p-values, with the same seed, of every metric; also where shards are small, and files
    come in another order."""
    monkeypatch.setattr(engine, "SHARD", 8)
    check_law(variants(name)[0], given(), tmp_path)


def check_law(metric: Any, evaluation: tt.Evaluation, folder: Path) -> None:
    whole = tt.add_metrics(evaluation, metric)
    merged = merge_parts(saved(folder, [metric], evaluation)[::-1])
    [metric] = whole.metrics
    assert merged.metrics == whole.metrics
    assert merged.testset.digest == whole.testset.digest
    assert merged.signatures == whole.signatures
    for system in OUTPUTS:
        one, other = merged.stats(system, metric), whole.stats(system, metric)
        assert one.header == other.header
        assert one.scored.tolist() == other.scored.tolist()
        assert one.columns == other.columns
        assert one.segments().tobytes() == other.segments().tobytes()
    assert merged.scores() == whole.scores()
    for level in ("document", "segment"):  # NaN is not equal to itself
        assert repr(merged.scores(level)) == repr(whole.scores(level))  # type: ignore[arg-type]
    if metric.resampling == "percentile":
        for method, unit in (("percentile", "segment"), ("bca", "segment"), ("percentile", "document")):
            drawn: Any = {"confidence": 0.9, "trials": 60, "seed": 3, "method": method, "unit": unit}
            assert tt.scores(merged, **drawn) == tt.scores(whole, **drawn)
    for test in ("permutation", "bootstrap", "sign"):
        asked: Any = {"test": test, "trials": 99, "seed": 5}
        assert repr(tt.compare(merged, metric, **asked)) == repr(tt.compare(whole, metric, **asked))


JUDGED = [
    tt.Judgement(system=system, segment=k, rater=rater, scale=scale, value=RNG.randint(0, most))
    for system in OUTPUTS
    for k in range(0, N - 2)  # the last segments are not judged
    for rater, scale, most in (("ann", "da100", 100), ("bob", "da100", 100), ("bob", "fluency", 5))
    if RNG.random() < 0.8
]


@pytest.mark.parametrize("metric", ["human", 'human(standardise="none")', 'human(scale="fluency")'])
def test_what_people_said_is_merged(metric: str, tmp_path: Path) -> None:
    check_law(metric, replace(given(), judgements=tuple(JUDGED)), tmp_path)


@pytest.mark.parametrize("lower", [False, True])
def test_scores_from_elsewhere_are_merged(lower: bool, tmp_path: Path) -> None:
    """Of systems that have any; also where the test set brings them along."""
    lines = [f"{name}\t{RNG.choice(['None', RNG.random()])}\n" for name in OUTPUTS for _ in range(N)]
    (tmp_path / "x.seg.score").write_text("".join(lines))
    text = scores_text("x", str(tmp_path / "x.seg.score"), lower)
    check_law(text, given(), tmp_path)
    (tmp_path / "x.seg.score").write_text("".join(lines[:N]))
    brought = saved(tmp_path, "bleu", replace(given(), brings=(text,)))
    assert [metric.name for metric in merge_parts(brought).metrics] == ["bleu", "scores"]
    assert repr(merge_parts(brought).scores()) == repr(tt.add_metrics(given(), "bleu", text).scores())


def test_counted_and_given_rows_keep_their_order(tmp_path: Path) -> None:
    evaluation, metrics = replace(given(), judgements=tuple(JUDGED)), ["chrf", "human", "ter"]
    merged = merge_parts(saved(tmp_path, metrics, evaluation))
    assert [str(metric) for metric in merged.metrics] == metrics
    assert merged.scores() == tt.add_metrics(evaluation, *metrics).scores()


def test_options_that_change_rows(tmp_path: Path) -> None:
    """Several metrics in one file, some of which share rows, some of which know the whole test set."""
    metrics = ["bleu", 'bleu(smooth="floor")', "nist", "macrof", "microf", "ter"]
    whole = tt.add_metrics(given(), *metrics)
    merged = merge_parts(saved(tmp_path, metrics))
    assert merged.scores() == whole.scores()
    names = pq.read_schema(tmp_path / "0.parquet").names
    assert names[:3] == ["document", "id", "label:domain"]
    assert [name for name in names if name.startswith("one")] == [
        "one | bleu",
        "one | nist",
        "one | macrof",
        "one | ter",
    ]


def test_systems_may_be_counted_in_different_places(tmp_path: Path) -> None:
    evaluation = given()
    parts: list[EvaluationPart] = []
    for k, system in enumerate(evaluation.systems):
        parts += saved(tmp_path, "bleu", replace(evaluation, systems=(system,)), [(0, 9 + k), (9 + k, N)])
    assert merge_parts(parts).scores() == tt.add_metrics(evaluation, "bleu").scores()


def refused(parts: list[EvaluationPart]) -> str:
    with pytest.raises(TertiumError) as caught:
        merge_parts(parts)
    return str(caught.value)


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    first, second, third = saved(tmp_path, "bleu,macrof")
    assert refused([]) == "nothing to merge; name files of statistics"
    assert refused([first, third]).startswith("one under bleu: rows 4 to 20 of the test set are missing; add the file")
    assert refused([first, second]).startswith("one under bleu: rows 21 to 41 of the test set are missing")
    assert refused([second, third]).startswith("one under bleu: rows 1 to 3 of the test set are missing")
    assert refused([first, second, second, third]) == (
        f"{second.path} and {second.path}: one under bleu: rows 4 to 20 of the test set would count twice; "
        "leave one out"
    )
    [overlapping] = saved(tmp_path / "..", "bleu,macrof", cuts=[(18, 41)])
    assert refused([overlapping, first, second]) == (
        f"{second.path} and {overlapping.path}: one under bleu: rows 19 to 20 of the test set would count twice; "
        "leave one out"
    )
    [other] = saved(tmp_path / "..", "bleu,macrof", given(documents=None), [(20, 41)])
    assert "are of different test sets: small (" in refused([first, second, other])
    [cased] = saved(tmp_path / "..", "bleu(lowercase=True),macrof", cuts=[(20, 41)])
    assert refused([first, second, cased]) == (
        f"one under bleu: rows 21 to 41 of the test set are missing ({cased.path} has such rows, but not of this); "
        "add the file that has them"
    )
    assert "is of tertium 0.0.9" in refused([replace(first, tertium="0.0.9"), second, third])
    evaluation = given()
    changed = tt.System(name="one", outputs=tt.Lines.of(["x"] * N))
    [mixed] = saved(
        tmp_path / "..", "bleu,macrof", replace(evaluation, systems=(changed, *evaluation.systems[1:])), [(20, 41)]
    )
    assert "both have a system one, with different outputs; rename one" in refused([first, second, mixed])
    renamed = replace(second, names={**second.names, "ids": ("x",) * 17})
    assert (
        refused([first, renamed, third]) == "the parts do not make the test set that they name; one of them was changed"
    )


def test_signatures_must_be_the_same(tmp_path: Path) -> None:
    parts = saved(tmp_path, "bleu")
    data = pq.read_table(tmp_path / "1.parquet")
    facts = json.loads(data.schema.metadata[b"tertium"])
    for entry in facts["table"]:
        entry["signature"] = entry["signature"].replace("|tertium", "|mecab:2|tertium")
    pq.write_table(data.replace_schema_metadata({"tertium": json.dumps(facts)}), tmp_path / "1.parquet")
    assert "bleu was counted differently (bleu|" in refused([parts[0], load_part(tmp_path / "1.parquet"), parts[2]])


def test_rows_that_are_not_there() -> None:
    for rows in ((0, N + 1), (5, 5), (-1, 3), (9, 4)):
        with pytest.raises(OptionError, match="the test set has rows 1 to 41"):
            count_part(given(), "bleu", rows)
    with pytest.raises(InputError, match="human needs judgements, and test set small has none"):
        count_part(given(), "human", (0, N))


def damaged(path: Path, change: Any) -> None:
    table = pq.read_table(path)
    facts = json.loads(table.schema.metadata[b"tertium"])
    table = change(table, facts) or table
    pq.write_table(table.replace_schema_metadata({"tertium": json.dumps(facts)}), path)


@pytest.mark.parametrize(
    "change",
    [
        lambda table, facts: table.slice(1),
        lambda table, facts: facts.update(rows=[0, "x"]),
        lambda table, facts: facts.update(rows=[50, 53]),
        lambda table, facts: facts.update(table=[{}]),
        lambda table, facts: facts.update(format="other"),
        lambda table, facts: facts["table"][0].update(statistics=["a", "a"]),
        lambda table, facts: facts["table"][0].update(column="none"),
        lambda table, facts: facts["table"][0].update(cut=[7]),
        lambda table, facts: table.set_column(0, "document", pa.array([None, "a", "b"])),
        lambda table, facts: facts["table"][-1].update(statistics=facts["table"][-1]["statistics"][:2]),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: Any) -> None:
    saved(tmp_path, "bleu,macrof", cuts=[(0, 3)])
    path = tmp_path / "0.parquet"
    damaged(path, change)
    with pytest.raises(InputError, match=r"0\.parquet: not a file of statistics of systems, or damaged"):
        load_part(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "y.parquet")
    for name in ("x.parquet", "y.parquet"):
        with pytest.raises(InputError, match="not a file of statistics of systems, or damaged"):
            load_part(tmp_path / name)
    with pytest.raises(InputError, match=r"name one that ends in \.parquet"):
        save_part(count_part(given(), "bleu", (0, 3)), tmp_path / "x.npz")
    saved(tmp_path, "bleu", cuts=[(0, 3)])
    damaged(tmp_path / "0.parquet", lambda _, facts: facts.update(version=2))
    with pytest.raises(InputError, match="version 2 of the format, but this tertium reads version 1"):
        load_part(tmp_path / "0.parquet")
