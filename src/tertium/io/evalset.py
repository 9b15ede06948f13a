"""Folders of mt-metrics-eval: the texts, people's scores and metrics' scores of a language pair (there: an EvalSet).

    FOLDER/sources/en-de.txt                        a segment on each line
    FOLDER/documents/en-de.docs                     DOMAIN DOCUMENT
    FOLDER/references/en-de.refA.txt
    FOLDER/system-outputs/en-de/NAME.txt
    FOLDER/human-scores/en-de.mqm.seg.score         SYSTEM SCORE, the segments of each system in order; None: not judged
    FOLDER/metric-scores/en-de/BLEU-refA.seg.score

One is named FOLDER/en-de, or FOLDER alone where it has one pair; FOLDER/en-de:refA takes one reference (refA.refB two).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.core.wording import counted
from tertium.io.columns import read_number
from tertium.io.files import read_lines
from tertium.io.given_scores import ALONE, read_given_scores, scores_text
from tertium.io.texts import suggest

if TYPE_CHECKING:
    from tertium.core.stats import Array

RESERVED = ("all", "src")  # what a metric's file says of its references where it names none
LEVELS = ("seg", "sys", "domain")


@dataclass(frozen=True)
class EvalSet:
    """A language pair of a folder; `references` are those that are asked for, none if all are."""

    root: Path
    pair: str
    references: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"{self.root}/{self.pair}"

    @cached_property
    def known_references(self) -> dict[str, Path]:
        """The files of all references, by name."""
        found = _named(self.root / "references", f"{self.pair}.", ".txt")
        for name, path in found.items():
            if name in RESERVED or not name or set(name) & set(".-"):
                raise InputError(f"{path}: a reference cannot be called {name!r}; {', '.join(RESERVED)}, dots and "
                                 f"dashes say other things in the names of metrics' files")  # fmt: skip
        return found

    @cached_property
    def people(self) -> dict[str, Path]:
        """The files of people's scores of segments, by what they are called."""
        return _named(self.root / "human-scores", f"{self.pair}.", ".seg.score")

    @cached_property
    def metrics(self) -> dict[str, Path]:
        """The files of metrics' scores of segments, `NAME-REF`, of metrics that looked at no other references than
        those that are asked for."""
        found = _named(self.root / "metric-scores" / self.pair, "", ".seg.score")
        chosen = {}
        for name, path in found.items():
            base, dash, used = name.rpartition("-")
            if not (base and dash and used):
                raise InputError(f"{path}: expected a name such as BLEU-refA.seg.score, the references after a dash")
            if not self.references or used in RESERVED or set(used.split(".")) <= set(self.references):
                chosen[name] = path
        return chosen

    @cached_property
    def systems(self) -> dict[str, Path]:
        """The files of all outputs, by name; references may be among them."""
        folder = self.root / "system-outputs" / self.pair
        found = _named(folder, "", ".txt")
        if not found:
            raise InputError(f"{folder}: no outputs; expected a file NAME.txt for each system")
        return found

    def evaluation(self) -> Evaluation:
        """The texts. What people wrote, and stands among the outputs as a reference does, is no system."""
        source = self.root / "sources" / f"{self.pair}.txt"
        sources = read_lines(source)
        segments = len(sources)
        documents = self._documents(segments, source)
        names = self.references or tuple(self.known_references)
        streams = tuple(self._lines(self.known_references[name], segments, source) for name in names)
        testset = TestSet(
            name=f"{self.root.resolve().name}-{self.pair}",
            source_language=self.pair.partition("-")[0],
            target_language=self.pair.partition("-")[2],
            segments=segments,
            sources=sources,
            references=References(streams, segments),
            documents=None if documents is None else tuple(name for _, name in documents),
            labels={} if documents is None else {"domain": tuple(domain for domain, _ in documents)},
        )
        systems = [System(name=name, outputs=self._lines(path, segments, source), origin=str(path))
                   for name, path in self.systems.items() if name not in self.known_references]  # fmt: skip
        if not systems:
            raise InputError(f"{self.where}: all outputs are references; there is no system to be scored")
        return Evaluation(testset=testset, systems=tuple(systems))

    def _lines(self, path: Path, segments: int, source: Path) -> Lines:
        lines = read_lines(path)
        if len(lines) != segments:
            raise InputError(f"{path}: {counted(len(lines), 'line')}, but {source} has {segments}; they must go line "
                             f"by line")  # fmt: skip
        return lines

    def _documents(self, segments: int, source: Path) -> list[tuple[str, str]] | None:
        """The domain and document of each segment, where there is a file of them."""
        path = self.root / "documents" / f"{self.pair}.docs"
        if not path.exists():
            return None
        rows = [(line or "").split() for line in self._lines(path, segments, source)]
        for number, row in enumerate(rows, 1):
            if len(row) != 2:
                raise InputError(f"{path}:{number}: {counted(len(row), 'field')}; expected DOMAIN and DOCUMENT")
        return [(domain, name) for domain, name in rows]

    def people_scores(self, name: str, segments: int) -> dict[str, Array]:
        """What people said of each system's segments, NaN where nobody judged; references are left out. # each (n,)"""
        import numpy as np

        path = self._of_people(name, "seg")
        found = read_given_scores(path, name).systems
        if ALONE in found:
            raise InputError(f"{path}: no names of systems; expected SYSTEM and SCORE on each line")
        self._check_systems(path, found)
        for system, scores in found.items():
            if len(scores.values) != segments:
                raise InputError(f"{path}: {counted(len(scores.values), 'score')} of system {system}, but {self.where} "
                                 f"has {counted(segments, 'segment')}")  # fmt: skip
        kept = {system: np.array(scores.values) for system, scores in found.items()
                if system not in self.known_references}  # fmt: skip
        return {system: values for system, values in kept.items() if not np.isnan(values).all()}

    def system_scores(self, name: str) -> dict[str, float]:
        """People's scores of systems, where they are published; None of them for a system that nobody judged."""
        path = self.root / "human-scores" / f"{self.pair}.{name}.sys.score"
        return self._of_systems(path) if path.exists() else {}

    def metric_system_scores(self, name: str) -> dict[str, float]:
        """The published scores of systems by a metric, such as a corpus BLEU; empty where there are none."""
        path = self.root / "metric-scores" / self.pair / f"{name}.sys.score"
        return self._of_systems(path) if path.exists() else {}

    def domain_scores(self, name: str) -> dict[tuple[str, str], float]:
        """People's scores by domain and system. # NaN where there is none"""
        path = self._of_people(name, "domain")
        found: dict[tuple[str, str], float] = {}
        lines = read_lines(path)
        for number in range(len(lines)):
            fields, where = (lines[number] or "").split(), f"{path}:{number + 1}"
            if len(fields) != 3:
                raise InputError(f"{where}: {counted(len(fields), 'field')}; expected DOMAIN, SYSTEM and SCORE")
            if (fields[0], fields[1]) in found:
                raise InputError(f"{where}: a second score of {fields[1]} in domain {fields[0]}; keep one of them")
            found[fields[0], fields[1]] = _score(fields[2], where)
        self._check_systems(path, dict.fromkeys(system for _, system in found))
        return found

    def _of_people(self, name: str, level: str) -> Path:
        path = self.root / "human-scores" / f"{self.pair}.{name}.{level}.score"
        if name not in self.people or not path.exists():
            known = ", ".join(self.people) or "none"
            raise InputError(f"{self.where}: no {level} scores by people called {name!r}"
                             f"{suggest(name, self.people)} there are: {known}")  # fmt: skip
        return path

    def _of_systems(self, path: Path) -> dict[str, float]:
        found = read_given_scores(path, path.name).systems
        self._check_systems(path, found)
        for system, scores in found.items():
            if len(scores.values) != 1:
                raise InputError(f"{path}: {counted(len(scores.values), 'score')} of system {system}; expected one")
        return {system: scores.values[0] for system, scores in found.items()
                if not math.isnan(scores.values[0])}  # fmt: skip

    def _check_systems(self, path: Path, found: object) -> None:
        unknown = [name for name in found if name not in self.systems]  # type: ignore[attr-defined]
        if unknown:
            raise InputError(f"{path}: scores of {', '.join(unknown[:5])}, but system-outputs/{self.pair} has no such "
                             f"file; there are: {', '.join(self.systems)}")  # fmt: skip

    def system_columns(self, gold: str) -> dict[str, list[str]]:
        """People's scores of that name and metrics', a row for each system: published ones, else means of segments."""
        people = self.system_scores(gold) or self._means(self._of_people(gold, "seg"))
        found = {gold: people} | {
            name: self.metric_system_scores(name) or self._means(path) for name, path in self.metrics.items()
        }
        names = [name for name in self.systems if name not in self.known_references]
        columns = {"testset": [self.pair] * len(names), "system": names}
        return columns | {key: [repr(values[name]) if name in values else "" for name in names]
                          for key, values in found.items()}  # fmt: skip

    def _means(self, path: Path) -> dict[str, float]:
        found = read_given_scores(path, path.name).systems
        self._check_systems(path, found)
        known = {system: [value for value in scores.values if not math.isnan(value)]
                 for system, scores in found.items()}  # fmt: skip
        return {system: math.fsum(values) / len(values) for system, values in known.items() if values}

    def brings(self, names: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """The metrics whose scores are in the folder, all or those of these names, as texts."""
        return tuple(scores_text(name, str(self.metrics[name]), lower=False) for name in names or self.metrics)


def _score(text: str, where: str) -> float:
    if text == "None":
        return math.nan
    value = read_number(text)
    if not math.isfinite(value):
        raise InputError(f"{where}: {text!r} is not a number; None says that there is none")
    return value


def _named(folder: Path, before: str, after: str) -> dict[str, Path]:
    """The files of a folder by what stands in their names between these, sorted."""
    if not folder.is_dir():
        return {}
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    return {name[len(before) : -len(after)]: folder / name
            for name in names if name.startswith(before) and name.endswith(after)
            and len(name) > len(before) + len(after)}  # fmt: skip


def is_root(folder: Path) -> bool:
    """Whether a folder is laid out as mt-metrics-eval's are."""
    return (folder / "sources").is_dir() and (folder / "system-outputs").is_dir()


def find_evalset(path: str | Path) -> EvalSet | None:
    """The language pair of such a folder that is named; None where the path names something else."""
    text = str(path)
    whole = Path(text)
    try:
        if whole.is_file():
            return None
        if is_root(whole):
            pairs = list(_named(whole / "sources", "", ".txt"))
            if len(pairs) != 1:
                raise InputError(
                    f"{text}: {counted(len(pairs), 'language pair')}; name one"
                    + (f", such as {text.rstrip('/')}/{pairs[0]}: {', '.join(pairs)}" if pairs else "")
                )
            return EvalSet(whole, pairs[0])
        if not is_root(whole.parent):
            return None
    except (OSError, ValueError):  # a name that no file can have
        return None
    pair, colon, chosen = whole.name.partition(":")
    pairs = list(_named(whole.parent / "sources", "", ".txt"))
    if pair not in pairs:
        raise InputError(f"{text}: no language pair {pair!r} in {whole.parent}{suggest(pair, pairs)} there are: "
                         f"{', '.join(pairs) or 'none'}")  # fmt: skip
    found = EvalSet(whole.parent, pair, tuple(chosen.split(".")) if colon else ())
    unknown = [name for name in found.references if name not in found.known_references]
    if unknown:
        raise InputError(f"{text}: no reference {', '.join(unknown)}; there are: "
                         f"{', '.join(found.known_references) or 'none'}")  # fmt: skip
    return found
