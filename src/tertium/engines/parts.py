"""Rows of one evaluation, counted in several places and put together again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.header import Header, Rows, rows_text
from tertium.core.lines import Lines
from tertium.core.metric import Metric, is_counted, is_given
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.engines import door
from tertium.engines.evaluate import Counting, add_metrics, check_input
from tertium.engines.models import pin
from tertium.io.parts import EvaluationPart, Key
from tertium.metrics import parse, parse_list


def count_part(
    evaluation: Evaluation, metrics: str | Metric | Iterable[str | Metric], rows: Rows, run: Run = PLAIN
) -> EvaluationPart:
    """The rows [first, last) of every system under every metric. The whole test set is at hand: what a metric knows of
    it, and what signatures say, is as if all rows were counted here; rows that are given are read whole."""
    testset, systems = evaluation.testset, evaluation.systems
    if not 0 <= rows[0] < rows[1] <= len(testset):
        raise OptionError(f"{rows_text(rows)}: the test set has rows 1 to {len(testset)}")
    pinned: list[Metric] = []
    for metric in parse_list((*parse_list(metrics), *evaluation.brings)):
        made, run = pin(metric, run)
        pinned.append(made)
    if not pinned:
        raise InputError("no metric to count with; name at least one, such as bleu (-m bleu)")
    check_input(testset, systems, pinned)
    counted, given = [[metric for metric in pinned if kind(metric)] for kind in (is_counted, is_given)]
    work, several = Counting(testset, systems, run, len(counted), rows), testset.references.fewest_and_most[1] > 1
    shared: dict[str, list[Stats]] = {}
    table: dict[Key, Stats] = {}
    for metric in counted:
        key = metric.stats_key(several) if hasattr(metric, "stats_key") else str(metric)
        origin = door.origin_of(metric, testset, run)
        if key not in shared:
            shared[key] = list(work.count(metric, origin))
        for system, stats in zip(systems, shared[key], strict=True):
            table[system.name, str(metric)] = stats.with_header(Header(origin, rows))
    if given:
        table |= _given_rows(add_metrics(evaluation, *given, run=run), given, rows)
        table = {(system.name, str(metric)): table[system.name, str(metric)] for metric in pinned for system in systems}
    here = slice(*rows)
    named = {"documents": testset.documents, "ids": testset.ids}
    named |= {f"label:{key}": values for key, values in testset.labels.items()}
    return EvaluationPart(
        testset=_facts(testset),
        rows=rows,
        systems=tuple(
            {"name": item.name, "origin": item.origin, "run": item.run, "outputs": item.outputs.digest().hex()}
            for item in systems
        ),
        table=table,
        names={name: tuple(values[here]) for name, values in named.items() if values is not None},
    )


def _given_rows(evaluation: Evaluation, metrics: Sequence[Metric], rows: Rows) -> dict[Key, Stats]:
    """Some of the rows that were given."""
    import numpy as np

    numbers = np.arange(*rows)
    return {
        (system.name, str(metric)): stats.take(numbers).with_header(Header(stats.header.origin, rows))
        for metric in metrics
        for system in evaluation.systems
        if (stats := evaluation.stats(system.name, metric)).header is not None
    }


def _facts(testset: TestSet) -> dict[str, Any]:
    return {
        "name": testset.name,
        "source_language": testset.source_language,
        "target_language": testset.target_language,
        "segments": len(testset),
        "digest": testset.digest,
        "source": None if testset.sources is None else testset.sources.digest().hex(),
        "references": [stream.digest().hex() for stream in testset.references.streams],
        "counts": list(testset.references.fewest_and_most),
        **({} if testset.tags is None else {"tags": testset.tags}),
    }


def merge_parts(parts: Sequence[EvaluationPart]) -> Evaluation:
    """The evaluation that all parts make, without texts. Refuses what does not belong together, what would count twice
    and what is not there, and says why."""
    if not parts:
        raise InputError("nothing to merge; name files of statistics")
    first = parts[0]
    for part in parts[1:]:
        _check_alike(first, part)
    n = int(first.testset["segments"])
    systems = _systems(parts, n)
    table: dict[Key, Stats] = {}
    for key in dict.fromkeys(key for part in parts for key in part.table):
        own = sorted((part for part in parts if key in part.table), key=lambda part: part.rows)
        _check_rows(key, own, parts, n)
        table[key] = Stats.concat([part.table[key] for part in own])
    metrics = {text: parse(text) for text in dict.fromkeys(metric for _, metric in table)}
    signatures = {metric: stats.header.signature for (_, metric), stats in table.items() if stats.header is not None}
    return Evaluation(
        testset=_testset(parts, n), systems=systems, metrics=tuple(metrics.values()), table=table, signatures=signatures
    )


def _check_rows(key: Key, own: Sequence[EvaluationPart], parts: Sequence[EvaluationPart], n: int) -> None:
    """Refuse rows that two files hold, and rows that none does; files are in the order of their first rows."""
    what, done = f"{key[0]} under {key[1]}", 0
    before = own[0]
    for part in own:
        if part.rows[0] < (last := min(done, part.rows[1])):
            twice = rows_text((part.rows[0], last))
            raise InputError(
                f"{before.path} and {part.path}: {what}: {twice} of the test set would count twice; leave one out"
            )
        if part.rows[0] > done:
            break
        done, before = max(done, part.rows[1]), part
    if done == n:
        return
    lacking = (done, next((part.rows[0] for part in own if part.rows[0] > done), n))
    other = next((part for part in parts if key not in part.table and _share(part.rows, lacking)), None)
    hint = "" if other is None else f" ({other.path} has such rows, but not of this)"
    are = "is" if lacking[1] - lacking[0] == 1 else "are"
    raise InputError(f"{what}: {rows_text(lacking)} of the test set {are} missing{hint}; add the file that has them")


def _share(one: Rows, other: Rows) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def _check_alike(one: EvaluationPart, other: EvaluationPart) -> None:
    """Refuse another test set or another version."""
    if one.testset["digest"] != other.testset["digest"]:
        raise InputError(
            f"{one.path} and {other.path} are of different test sets: {one.testset['name']} "
            f"({one.testset['digest'][:12]}) and {other.testset['name']} ({other.testset['digest'][:12]})"
        )
    if one.testset != other.testset or one.names.keys() != other.names.keys():
        raise InputError(f"{one.path} and {other.path} say different things of one test set; count one of them again")
    if one.tertium != other.tertium:
        raise InputError(
            f"{one.path} is of tertium {one.tertium} and {other.path} of {other.tertium}; count one of them again"
        )
    for (_, metric), stats in one.table.items():
        for (_, its), theirs in other.table.items():
            alike = stats.header is not None and theirs.header is not None
            if metric == its and alike and stats.header.signature != theirs.header.signature:  # type: ignore[union-attr]
                raise InputError(
                    f"{one.path} and {other.path}: {metric} was counted differently "
                    f"({stats.header.signature} and {theirs.header.signature})"  # type: ignore[union-attr]
                )


def _systems(parts: Sequence[EvaluationPart], n: int) -> tuple[System, ...]:
    known: dict[str, tuple[Mapping[str, Any], str]] = {}
    for part in parts:
        for system in part.systems:
            before, path = known.setdefault(system["name"], (system, part.path))
            if before["outputs"] != system["outputs"]:
                raise InputError(
                    f"{path} and {part.path}: both have a system {system['name']}, with different outputs; rename one"
                )
    return tuple(
        System(
            name=item["name"],
            outputs=Lines.withhold(n, bytes.fromhex(item["outputs"])),
            origin=item["origin"],
            run=item["run"],
        )
        for item, _ in known.values()
    )


def _testset(parts: Sequence[EvaluationPart], n: int) -> TestSet:
    """The test set without its texts; its digest is worked out again and must be what the parts say."""
    about = parts[0].testset
    names: dict[str, list[str]] = {name: [""] * n for name in parts[0].names}
    for part in parts:
        for name, values in part.names.items():
            names[name][slice(*part.rows)] = values
    streams = tuple(Lines.withhold(n, bytes.fromhex(digest)) for digest in about["references"])
    fewest, most = about["counts"]
    references = References(streams, n, (fewest, most))
    testset = TestSet(
        name=about["name"],
        source_language=about["source_language"],
        target_language=about["target_language"],
        segments=n,
        sources=None if about["source"] is None else Lines.withhold(n, bytes.fromhex(about["source"])),
        references=references,
        documents=tuple(names["documents"]) if "documents" in names else None,
        ids=tuple(names["ids"]) if "ids" in names else None,
        labels={name.removeprefix("label:"): tuple(values) for name, values in names.items() if name[:6] == "label:"},
        tags=about.get("tags"),
    )
    if testset.digest != about["digest"]:
        raise InputError("the parts do not make the test set that they name; one of them was changed")
    return testset
