"""sacreBLEU's flags of test sets: -t, --list, --echo, --download, --origlang, --subset, --detail."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tertium.cli.sacrebleu.flags import StatusError
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.testset import TestSet
from tertium.io.named.catalogue import NamedSet, catalogue, find_named
from tertium.io.named.fields import Fields
from tertium.io.named.store import UNKNOWN, fields_of, of_fields, references_in, segments_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.evaluation import Evaluation
    from tertium.core.system import System

WIDE = 30  # of names in the list


def asked(options: argparse.Namespace) -> Iterator[str]:
    """What is printed instead of scores."""
    if options.download:
        _download(options.download)
        return iter(())
    if options.list:
        return _list(options)
    if not options.langpair or not options.test_set:
        raise StatusError("--echo needs a test set (-t) and a language pair (-l)")
    return (line for entry in named(options) for line in _echo(entry, options))


def cited(options: argparse.Namespace) -> str:
    """The citations of test sets."""
    found = []
    for entry in named(options):
        if not entry.citation:
            raise StatusError(f"--citation: test set {entry.name} names nothing to cite; ask those who published it")
        found.append(entry.citation)
    return "\n".join(found)


def named(options: argparse.Namespace) -> list[NamedSet]:
    """The test sets of -t, which commas separate."""
    try:
        return [find_named(name) for name in options.test_set.split(",")]
    except InputError as error:
        raise StatusError(str(error)) from None


def _download(name: str) -> None:
    from tertium.cli.testsets.get import get_command

    get_command.main([name], standalone_mode=False)


def _list(options: argparse.Namespace) -> Iterator[str]:
    if options.test_set:
        for entry in named(options):
            for pair in [options.langpair] if options.langpair else entry.pairs:
                yield f"{pair}: {', '.join(_fields(entry, pair))}"
        return
    yield f"The available test sets{f' for {options.langpair}' if options.langpair else ''} are:"
    pair = options.langpair
    either = {pair, "-".join(reversed(pair.split("-")))} if pair else set()  # as there
    for name, entry in sorted(catalogue().items()):
        if not either or not either.isdisjoint(entry.pairs):
            yield f"{name:<{WIDE}}: {entry.title}"


def _fields(entry: NamedSet, pair: str) -> Fields:
    try:
        return fields_of(entry, pair)
    except InputError as error:
        raise StatusError(str(error)) from None


def _echo(entry: NamedSet, options: argparse.Namespace) -> Iterator[str]:
    """Fields beside each other, between tabs; `ref` is the first reference where none is called so."""
    fields, wanted = _fields(entry, options.langpair), list(options.echo)
    if "all" in wanted:
        if len(wanted) > 1:
            raise StatusError("--echo all goes without other fields")
        wanted = list(fields)
    if "ref" in wanted and "ref" not in fields:
        first = min(name for name in fields if name.startswith("ref"))
        wanted = [first if name == "ref" else name for name in wanted]
    for name in wanted:
        if name not in fields:
            raise StatusError(
                f"--echo {name}: {entry.name}, {options.langpair}, has no such field; it has: {', '.join(fields)}"
            )
    for k in _kept(entry, fields, options):
        yield "\t".join(fields[name][k].rstrip() for name in wanted)


def _kept(entry: NamedSet, fields: Fields, options: argparse.Namespace) -> Sequence[int]:
    if options.origlang is None and options.subset is None:
        return range(len(fields["src"]))
    testset, _ = of_fields(entry, options.langpair, fields)
    return segments_of(testset, options.origlang, options.subset)


# Scores


def references(options: argparse.Namespace) -> list[tuple[str, Lines]]:
    """The reference streams of the test sets, one test set after the other."""
    columns: list[list[str]] = []
    for number, entry in enumerate(named(options)):
        fields = _fields(entry, options.langpair)
        names = references_in(entry, options.langpair, fields)
        if number and len(names) != len(columns):
            raise StatusError(
                f"-t {options.test_set}: {entry.name} has {len(names)} references, the first test set {len(columns)}"
            )
        columns = columns or [[] for _ in names]
        for column, name in zip(columns, names, strict=True):
            column += (text.rstrip() for text in fields[name])
    return [(options.test_set, Lines.of(column)) for column in columns]


def labelled(options: argparse.Namespace, whole: TestSet) -> TestSet:
    """The test set with what is known of original languages and domains, where that is asked for."""
    if options.origlang is None and options.subset is None and not options.detail:
        return whole
    parts = [of_fields(entry, options.langpair, _fields(entry, options.langpair))[0] for entry in named(options)]
    known = set.intersection(*(set(part.labels) for part in parts))
    labels = {key: tuple(value for part in parts for value in part.labels[key]) for key in known}
    return replace(whole, labels=labels)


def part(
    testset: TestSet, systems: Sequence[System], origlang: str | None, subset: str | None
) -> tuple[TestSet, list[System]]:
    """Test set and outputs of the segments that are asked for."""
    if origlang is None and subset is None:
        return testset, list(systems)
    import numpy as np

    kept = np.array(segments_of(testset, origlang, subset), dtype=np.int64)
    return testset.take(kept), [replace(system, outputs=system.outputs.take(kept)) for system in systems]


def detailed(options: argparse.Namespace, evaluation: Evaluation, titles: Sequence[str]) -> Iterator[str]:
    """Scores by original language and domain, all metrics of a part below each other."""
    testset, system = evaluation.testset, evaluation.systems[0].name
    origlangs = [options.origlang] if options.origlang else sorted(set(testset.labels.get("origlang", ())))
    if not origlangs:
        yield "No subset information found. Consider using --origlang argument."
        return
    subsets = [None, *([options.subset] if options.subset else _subsets(testset.labels.get("domain", ())))]
    parts = {
        f"origlang={origlang} {_part_name(subset)}": kept
        for origlang in origlangs
        for subset in subsets
        if len(kept := _there(testset, origlang, subset))
    }
    left, wide = max(map(len, parts)) + 1, max(map(len, titles))
    for key, kept in parts.items():
        for name, metric in zip(titles, evaluation.metrics, strict=True):
            value = float(metric.score(evaluation.stats(system, metric).take(kept).total()))
            yield f"{key:<{left}}: sentences={len(kept):<6} {name:<{wide}} = {value:.{options.width}f}"


def _part_name(subset: str | None) -> str:
    if subset is None:
        return "domain=ALL"
    country = subset.removeprefix("country:")
    return f"domain={subset}" if country == subset else f"country={country}"


def _there(testset: TestSet, origlang: str, subset: str | None) -> NDArray[np.int64]:
    """The segments of a part, which may have none."""
    import numpy as np

    try:
        return np.array(segments_of(testset, origlang, subset), dtype=np.int64)
    except InputError:
        return np.array([], dtype=np.int64)


def _subsets(domains: Sequence[str]) -> list[str]:
    """Domains; of annotations (`US-crime`) countries and domains."""
    known = set(domains) - {UNKNOWN}
    if any("-" in value for value in known):
        known = {f"country:{value.split('-')[0]}" for value in known} | {value.split("-")[1] for value in known}
    return sorted(known)
