"""Tasks of Appraise (Federmann 2018): the batches that raters work on and the manifest of a campaign, both JSON.

Batches are a list of {"task": {...}, "items": [...]}. An item has itemID, itemType, sourceText (segmentText in pairwise
document campaigns), and either targetID and targetText or a list of `targets` that have them; documentID,
isCompleteDocument and mqm (errors marked beforehand) where the campaign needs them. A targetID `a+b` is an output that
systems a and b share. Keys that nobody reads here, such as `_block`, are kept: what is written is the JSON value that
was read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Kind
from tertium.io.files import read_bytes
from tertium.io.ratings.appraise import KINDS
from tertium.io.ratings.rows import Rows, choose, write_text
from tertium.io.ratings.segments import Name, number_segments, output_systems

MANIFEST: dict[str, type] = {
    "CAMPAIGN_URL": str,
    "CAMPAIGN_NAME": str,
    "CAMPAIGN_KEY": str,
    "CAMPAIGN_NO": int,
    "REDUNDANCY": int,
    "TASKS_TO_ANNOTATORS": list,
}
TASK: dict[str, type] = {"batchNo": int, "requiredAnnotations": int, "sourceLanguage": str, "targetLanguage": str}


@dataclass(frozen=True)
class Item:
    """One screen of a rater: a source and one or more outputs. `fields` is the JSON object as it stands in the file."""

    fields: Mapping[str, Any]

    @property
    def id(self) -> str:
        """What results call itemId."""
        return str(self.fields["itemID"])

    @property
    def kind(self) -> Kind:
        """Whether it is a genuine output, a repeat, the reference or a degraded output."""
        return KINDS[self.fields["itemType"]]

    @property
    def document(self) -> str:
        """The document, empty where there is none."""
        return str(self.fields.get("documentID", ""))

    @property
    def source(self) -> str:
        """What the rater compares the outputs with."""
        return str(self.fields["sourceText" if "sourceText" in self.fields else "segmentText"])

    @property
    def outputs(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """Each output that is shown, with the systems that it is of."""
        shown = self.fields.get("targets", [self.fields])
        return tuple((tuple(target["targetID"].split("+")), target["targetText"]) for target in shown)


@dataclass(frozen=True)
class Batch:
    """What one rater works on at a time: facts about the task and its items."""

    task: Mapping[str, Any]
    items: tuple[Item, ...]
    other: Mapping[str, Any] = field(default_factory=dict)

    @property
    def languages(self) -> str:
        """Such as `eng-deu`."""
        return f"{self.task['sourceLanguage']}-{self.task['targetLanguage']}"


@dataclass(frozen=True)
class Manifest:
    """A campaign: its name, what kind of task it is, and how many raters do what."""

    fields: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The campaign's name."""
        return str(self.fields["CAMPAIGN_NAME"])

    @property
    def task_type(self) -> str:
        """Which interface raters see."""
        return str(self.fields.get("TASK_TYPE", "Direct"))

    @property
    def options(self) -> tuple[str, ...]:
        """Words that change the interface, such as ESA."""
        return tuple(word for word in str(self.fields.get("TASK_OPTIONS", "")).split(";") if word)


def read_batches(path: str | Path) -> tuple[Batch, ...]:
    """The batches in a file; an error names the batch and the item."""
    value = _read_json(path)
    if not isinstance(value, list):
        raise InputError(f"{path}: {_sort(value)}; expected a list of batches")
    return tuple(_batch(batch, f"{path}, batch {k}") for k, batch in enumerate(value, 1))


def write_batches(batches: Iterable[Batch], path: str | Path) -> None:
    """Write batches so that Appraise and `read_batches` read them."""
    value = [
        {"items": [dict(item.fields) for item in batch.items], "task": dict(batch.task), **batch.other}
        for batch in batches
    ]
    write_text(path, json.dumps(value, indent=2) + "\n")


def read_texts_of(path: str | Path) -> Evaluation:
    """Sources, documents and outputs of a file of batches, so that results can be read with their texts.

    Segments have the names that results give them. Outputs of degraded items are left out.
    """
    names: list[Name] = []
    sources: dict[Name, str] = {}
    outputs: dict[tuple[str, Name], str] = {}
    for batch in read_batches(path):
        for item in batch.items:
            names.append(Name(item.id, item.document, batch.languages))
            sources.setdefault(names[-1], item.source)
            for systems, text in item.outputs if item.kind != "degraded" else ():
                for system in systems:
                    outputs.setdefault((system, names[-1]), text)
    testset, numbers = number_segments(names, Rows(str(path), [], []), None, sources)
    return Evaluation(testset=testset, systems=output_systems(outputs, numbers, len(testset), str(path)))


def read_manifest(path: str | Path) -> Manifest:
    """The manifest of a campaign; it must have what Appraise asks of it."""
    value = _read_json(path)
    _check(value, MANIFEST, str(path))
    for row in value["TASKS_TO_ANNOTATORS"]:
        if not isinstance(row, list) or len(row) != 5:
            raise InputError(
                f"{path}: TASKS_TO_ANNOTATORS has {row!r}; expected lists such as "
                f'["eng", "deu", "uniform", 4, 2]: languages, scheme, raters, tasks'
            )
    for key in ("TASK_TYPE", "TASK_OPTIONS"):
        _check({key: "", **value}, {key: str}, str(path))
    return Manifest(value)


def write_manifest(manifest: Manifest, path: str | Path) -> None:
    """Write a manifest so that Appraise and `read_manifest` read it."""
    write_text(path, json.dumps(dict(manifest.fields), indent=4) + "\n")


def _read_json(path: str | Path) -> Any:
    try:
        return json.loads(bytes(read_bytes(path)).decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # not UTF-8, a number too long
        raise InputError(f"{path}: not JSON ({error})") from None


def _batch(value: Any, where: str) -> Batch:
    _check(value, {"task": dict, "items": list}, where)
    _check(value["task"], TASK, f"{where}, task")
    return Batch(
        value["task"],
        tuple(_item(item, f"{where}, item {k}") for k, item in enumerate(value["items"], 1)),
        {key: other for key, other in value.items() if key not in ("task", "items")},
    )


def _item(value: Any, where: str) -> Item:
    _check(value, {"itemType": str}, where)
    if type(value.get("itemID")) not in (int, str):
        raise InputError(f"{where}: no itemID that is a number or a text")
    choose(value["itemType"], KINDS, "itemType", where)
    _check(value, {"sourceText" if "sourceText" in value else "segmentText": str}, where)
    for k, target in enumerate(_targets(value, where), 1):
        _check(target, {"targetID": str, "targetText": str}, where if target is value else f"{where}, target {k}")
    return Item(value)


def _targets(value: Any, where: str) -> Iterator[Any]:
    if "targets" not in value:
        yield value
        return
    _check(value, {"targets": list}, where)
    yield from value["targets"]


def _check(value: Any, expected: Mapping[str, type], where: str) -> None:
    """Refuse what is no object, or lacks a key, or has another sort of value there."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: {_sort(value)}; expected an object with {', '.join(expected)}")
    for key, sort in expected.items():
        if key not in value:
            raise InputError(f"{where}: no {key}; expected {', '.join(expected)}")
        if not isinstance(value[key], sort) or isinstance(value[key], bool):
            raise InputError(f"{where}: {key} is {_sort(value[key])}; expected {SORTS[sort]}")


SORTS = {str: "a text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}


def _sort(value: Any) -> str:
    return SORTS.get(type(value), "null")
