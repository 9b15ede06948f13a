"""The data of the segment browser: texts as words, how they align, numbers to sort by, places that look wrong.

Texts are cut into words by putting U+001F before every word but the first; what stands between two words stays with
the second. So the page's script shows each text as it is, and knows its words without having a tokenizer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tertium.core.judgement import Judgement
from tertium.core.lines import Lines
from tertium.core.wording import visible
from tertium.inference.compare import Comparison
from tertium.report.evidence import BETWEEN, LONG, evidence
from tertium.report.links import linked_segments
from tertium.report.results import Results
from tertium.report.whole import counted_wholly
from tertium.report.words import scale_title
from tertium.text.words import align, tokenize_lines

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.report.held import Numbers

LARGE = 100_000  # characters from which on a text is shown without its words
UNSPACED = {
    "zh": "zh",
    "ja": "char",
    "th": "char",
    "lo": "char",
    "km": "char",
    "my": "char",
}  # languages without spaces


def browser(results: Results, words: Sequence[str] = ()) -> tuple[dict[str, Any], dict[str, Any]]:
    """Numbers of the segments that the page holds, and their texts: apart, because the first are needed at once.
    `words` are those that lead to segments."""
    return numbers(results, words), texts(results, results.held.numbers)


def numbers(results: Results, words: Sequence[str] = ()) -> dict[str, Any]:
    """What segments are sorted and filtered by; `words` are those that lead to segments."""
    testset, diagnosis, held = results.evaluation.testset, results.diagnosis, results.held
    return {
        "systems": [visible(name) for name in results.systems],
        **({"looks": {visible(name): look for name, look in results.looks.items()}} if results.looks else {}),
        "groups": _groups(results),
        "metrics": [
            {"name": results.titles[str(m)], "decimals": m.decimals, "better": m.better} for m in results.metrics
        ],
        "count": len(held),
        **columns(results, held.numbers),
        "scales": [results.numbers.scales[str(metric)] for metric in results.metrics],
        "spreads": [
            [[results.numbers.spread(metric, a, b) for b in results.systems] for a in results.systems]
            for metric in results.metrics
        ],
        "detectors": list(diagnosis.detectors) if diagnosis else [],
        "pairs": [_pair(k, item) for k, metric in enumerate(results.metrics) for item in results.pairs(metric)],
        **linked_segments(results, words, held.numbers),
        "language": {"source": testset.source_language, "target": testset.target_language},
        "judged": list(results.behind.people),
        **({} if held.whole else {"held": held.numbers.tolist(), "whole": counted_wholly(results)}),
    }


def columns(results: Results, here: Numbers) -> dict[str, Any]:
    """Numbers and names of these segments, a list for each kind of them."""
    testset, places = results.evaluation.testset, here.tolist()
    names = [(name, str(metric)) for metric in results.metrics for name in results.systems]
    parts = {
        "scores": [_known(results.numbers.scores[each][here]) for each in names],
        "benefits": [_known(results.numbers.steps[each][here], int) for each in names],
    }
    size, lengths = len(results.systems), results.length_groups
    people = [
        [_judged(scores.get(name), here) for name in results.systems] for scores in results.behind.people.values()
    ]
    times = results.behind.frequencies if results.linked else {}
    return {
        "ids": None if testset.ids is None else [testset.ids[k] for k in places],
        "documents": None if testset.documents is None else [testset.documents[k] for k in places],
        "labels": {name: [values[k] for k in places] for name, values in testset.labels.items()},
        **({} if lengths is None else {"lengths": lengths.numbers[here].tolist()}),
        **({"people": people} if people else {}),
        **(
            {"times": [[times[name][here].tolist() if name in times else [] for name in results.systems]]}
            if times
            else {}
        ),
        **{kind: [row[k : k + size] for k in range(0, len(row), size)] for kind, row in parts.items()},
    }


def _judged(values: Array | None, here: Numbers) -> list[Any]:
    return [None] * len(here) if values is None else _known(values[here])


def _known(values: Array, kind: type = float) -> list[Any]:
    return [None if math.isnan(value) else kind(value) for value in values.tolist()]


def _groups(results: Results) -> list[list[Any]]:
    """What is compared: systems, each with the places of its runs."""
    place = {name: k for k, name in enumerate(results.systems)}
    return [[visible(name), [place[run] for run in runs]] for name, runs in results.groups.items()]


def _pair(metric: int, item: Comparison) -> dict[str, Any]:
    """A comparison in plain values for the head-to-head view: the first system less the second."""
    interval = None if item.interval is None else [item.interval.low, item.interval.high]
    facts = {
        "metric": metric,
        "first": visible(item.system),
        "second": visible(item.baseline),
        "n": item.n,
        "scores": [item.system_score, item.baseline_score],
        "difference": item.difference,
        "interval": interval,
        "p": item.adjusted,
        "effect": item.effect,
        "won": item.wins,
        "lost": item.losses,
        "tied": item.ties,
        "detectable": item.detectable,
        "decided": item.verdict != "undecided",
    }
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in facts.items()
    }


# Texts


def texts(results: Results, here: Numbers) -> dict[str, Any]:
    """What was said in these segments, how it aligns with the closest reference, what looks wrong in it; what metrics
    mark in it, and the legends of these marks."""
    testset = results.evaluation.testset
    references = testset.references.take(here)
    systems = {system.name: system.outputs.take(here) for system in results.evaluation.systems}
    tokenizer = tokenizer_of(results)
    cut = cut_words([*references.streams, *systems.values()], tokenizer)
    marked = evidence(results, here, cut)
    about = besides(results, here)
    segments = []
    for place, number in enumerate(here.tolist()):
        wanted = [str(text) for text in references[place]]
        outputs = [systems[name][place] for name in results.systems]
        said = {text: _closest(text, wanted, cut, tokenizer) for text in dict.fromkeys(outputs) if text is not None}
        segment = {
            "s": None if testset.sources is None else testset.sources[number],
            "r": [cut[text] for text in wanted],
            "o": [None if text is None else cut[text] for text in outputs],
            "a": [None if text is None else said[text] for text in outputs],
            **({"m": [each.segments[place] for each in marked]} if marked else {}),
            **about(number),
        }
        segments.append(segment)
    return {"segments": segments, "marks": [each.legend for each in marked]}


def tokenizer_of(results: Results) -> str:
    """By which texts are cut into words."""
    return UNSPACED.get((results.evaluation.testset.target_language or "").partition("-")[0].lower(), "13a")


def besides(results: Results, here: Numbers) -> Callable[[int], dict[str, Any]]:
    """What there is to some of these segments, by number: findings of detectors, judgements, prompts."""
    chosen = set(here.tolist())
    findings, judged = _findings(results, chosen), _judgements(results, chosen)
    asked = {} if results.experiment is None else results.experiment.prompts

    def about(number: int) -> dict[str, Any]:
        return {
            **({"f": findings[number]} if number in findings else {}),
            **({"j": judged[number]} if number in judged else {}),
            **({"p": [asked[name][number] if name in asked else None for name in results.systems]} if asked else {}),
        }

    return about


def cut_words(streams: Iterable[Lines], tokenizer: str) -> dict[str, str]:
    """Every text with its words marked."""
    return {
        text: words(text, str(tokens).split(" ") if tokens else [])
        for lines in streams
        for text, tokens in zip(lines, tokenize_lines(lines, tokenizer), strict=True)
        if text is not None
    }


def words(text: str, tokens: Iterable[str]) -> str:
    """The text with a mark before every word but the first; without marks where the tokenizer changes what it says."""
    plain = text.replace(BETWEEN, "␟")
    if len(text) > LARGE:
        return plain
    parts, place = [], 0
    for token in tokens:
        start = plain.find(token, place)
        if start < 0 or (start > place and not plain[place:start].isspace()):
            return plain
        parts.append(plain[place : start + len(token)])
        place = start + len(token)
    return BETWEEN.join(parts) + plain[place:] if parts else plain


def _closest(output: str, references: Sequence[str], cut: Mapping[str, str], tokenizer: str) -> list[Any] | None:
    """The number of the reference with the fewest edits, and the edits: `12=S2=D` for runs of `=`, `S`, `D`, `I`."""
    best: tuple[int, int, str] | None = None
    for k, reference in enumerate(references):
        marked = [cut[text].count(BETWEEN) + 1 for text in (output, reference)]
        if max(marked) > LONG or max(len(output), len(reference)) > LARGE:
            continue
        operations = align(output, reference, tokenizer)
        if not _fits(operations, marked):
            continue
        edits = len(operations) - operations.count("=")
        if best is None or edits < best[0]:
            best = edits, k, operations
    return None if best is None else [best[1], runs(best[2])]


def _fits(operations: str, marked: Sequence[int]) -> bool:
    """Whether alignment and marks are of the same words; they are not where a tokenizer changes what a text says."""
    said, wanted = (len(operations) - operations.count(kind) for kind in "DI")
    return [max(1, said), max(1, wanted)] == list(marked)


def runs(operations: str) -> str:
    """Equal letters as their number and the letter."""
    parts = ((len(list(same)), letter) for letter, same in groupby(operations))
    return "".join(f"{length if length > 1 else ''}{letter}" for length, letter in parts)


def _findings(results: Results, chosen: Container[int]) -> dict[int, list[list[Any]]]:
    """By segment: system, detector, evidence, and the spans in output and source as JavaScript counts characters."""
    diagnosis = results.diagnosis
    if diagnosis is None:
        return {}
    systems = {system.name: system.outputs for system in results.evaluation.systems}
    place = {name: k for k, name in enumerate(results.systems)}
    kind = {name: k for k, name in enumerate(diagnosis.detectors)}
    sources = results.evaluation.testset.sources
    found: dict[int, list[list[Any]]] = {}
    for item in diagnosis:
        number = item.segment - 1
        if number not in chosen:
            continue
        spans = [
            units(systems[item.system][number], item.output),
            units(sources[number] if sources else None, item.source),
        ]
        found.setdefault(number, []).append([place[item.system], kind[item.kind], visible(item.evidence), *spans])
    return found


def units(text: str | None, span: tuple[int, int] | None) -> list[int] | None:
    """A span of characters as UTF-16 counts them: those beyond U+FFFF are two."""
    if text is None or span is None:
        return None
    if text.isascii():
        return list(span)
    return [len(text[:place].encode("utf-16-le", "replace")) // 2 for place in span]


def _judgements(results: Results, chosen: Container[int]) -> dict[int, list[list[Any]]]:
    """By segment: system, scale, rater, value, marked errors; whether it is the answer to a repeat."""
    place = {name: k for k, name in enumerate(results.systems)}
    systems = {system.name: system.outputs for system in results.evaluation.systems}
    found: dict[int, list[list[Any]]] = {}
    for item in results.evaluation.judgements:
        if item.system in place and item.kind in ("genuine", "repeat") and item.segment in chosen:
            said = systems[item.system][item.segment] if item.segment < len(systems[item.system]) else None
            found.setdefault(item.segment, []).append(
                [
                    place[item.system],
                    visible(scale_title(item.scale)),
                    visible(item.rater),
                    item.value,
                    *([_marked(item, said)] if item.kind == "genuine" else [[], 1]),
                ]
            )
    return found


def _marked(item: Judgement, text: str | None) -> list[list[Any]]:
    return [
        [*places, visible(f"{span.severity} {span.category}".strip())]
        for span in item.spans
        if (places := units(text, (span.start, span.end))) is not None
    ]
