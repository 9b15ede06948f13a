"""Why documents are not found: which word of the query a system left untranslated, dropped or translated otherwise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from tertium.analysis.diagnose import diagnose
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.run import PLAIN, Run
from tertium.core.system import find_system
from tertium.retrieval.collections import document_ids
from tertium.retrieval.experiment import RetrievalTest
from tertium.retrieval.rankings import Ranking
from tertium.text.terms import TermReader
from tertium.text.words import align

Reason = Literal["untranslated", "translated otherwise", "dropped", "outranked"]
REASONS: tuple[Reason, ...] = get_args(Reason)
SURE = 0.5  # of Dice's coefficient, from 0 to 1
CUTOFF = 10  # a document that is not among so many first ones is missed


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A relevant document that a system's ranking lacks among the first, and the word of the query that is to blame."""

    system: str
    topic: str
    query: str
    document: str
    rank: int | None  # where it stands; None where it was not retrieved
    reason: Reason
    word: str = ""  # the reference's word for the term that was lost
    instead: str = ""  # what the output has: the source's word, or others
    segment: int | None = None  # where, from 1


class ExplainedMisses(NamedTuple):
    """All misses of a test, and which segments diagnose has hits in."""

    misses: tuple[Miss, ...]
    found: Mapping[str, int]  # by system: relevant documents among the first
    wanted: int  # relevant documents that the reference's own words find
    cutoff: int

    def shares(self) -> dict[str, dict[Reason, int]]:
        """How many of each system's misses have each reason."""
        counts = {system: Counter(miss.reason for miss in own) for system, own in self.by_system().items()}
        return {system: {reason: counts[system][reason] for reason in REASONS} for system in self.found}

    def by_system(self) -> dict[str, list[Miss]]:
        """The misses of every system."""
        found: dict[str, list[Miss]] = {system: [] for system in self.found}
        for miss in self.misses:
            found[miss.system].append(miss)
        return found

    def lost_documents(self, system: str) -> int:
        """How many pairs of topic and document a system misses."""
        return len({(miss.topic, miss.document) for miss in self.misses if miss.system == system})


def explain_retrieval(
    test: RetrievalTest, systems: Sequence[str] | None = None, *, cutoff: int = CUTOFF, run: Run = PLAIN
) -> ExplainedMisses:
    """Every miss of every system, with its reason.

    A document is missed if it is relevant, the topics' own reference has it among its first `cutoff`, and the system
    has not. For every word of the query that the reference's document has and the system's has not, the segment is
    looked at: its word may be *untranslated* (the output has a source word that `diagnose` reports, in its place),
    *translated otherwise* (other words stand in its place) or *dropped* (nothing does). Where all words are there,
    other documents *outranked* it.
    """
    if cutoff < 1:
        raise OptionError(f"cutoff: {cutoff}; must be at least 1")
    if test.given is None or test.translated:
        raise InputError("misses are explained by the segments of translated documents, and this test has none")
    truth = test.collection("topics") or test.collection("ceiling")
    if truth is None:
        raise InputError(f"test set {test.name} has no reference, whose words are looked for in the outputs")
    if not test.rankings:
        raise OptionError("there is no ranking to explain; search first (run_retrieval, tertium retrieve run)")
    chosen = list(test.systems if systems is None else systems)
    for name in chosen:
        find_system(test.given.systems, name)
    stream = test.topic_reference if test.topic_reference is not None else 0
    reader = _Reader(test.given, stream, TermReader(test.language), chosen, run)
    firsts = _firsts(test.rankings[truth.name], cutoff)
    relevant = [
        (topic, text, [d for d, grade in test.relevance.named(k).items() if grade >= 1 and d in firsts[topic]])
        for k, (topic, text) in enumerate(_judged_topics(test))
    ]
    misses: list[Miss] = []
    found = {}
    for done, system in enumerate(chosen):
        run.tell("explaining misses", done, len(chosen))
        own = [*_misses(system, test.rankings[system], relevant, reader, cutoff)]
        misses += own
        lost = len({(miss.topic, miss.document) for miss in own})
        found[system] = sum(len(documents) for _, _, documents in relevant) - lost
    return ExplainedMisses(tuple(misses), found, sum(len(documents) for _, _, documents in relevant), cutoff)


def _judged_topics(test: RetrievalTest) -> list[tuple[str, str]]:
    texts = dict(zip(test.topics.ids, test.topics.texts, strict=True))
    return [(topic, texts[topic]) for topic in test.relevance.topics]


def _firsts(ranking: Ranking, cutoff: int) -> dict[str, set[str]]:
    return {topic: set(list(ranking.named(k))[:cutoff]) for k, topic in enumerate(ranking.topics)}


def _misses(
    system: str, ranking: Ranking, relevant: Sequence[tuple[str, str, list[str]]], reader: _Reader, cutoff: int
) -> Iterator[Miss]:
    row = {topic: k for k, topic in enumerate(ranking.topics)}
    for topic, query, documents in relevant:
        ranks = {name: rank for rank, name in enumerate(ranking.named(row[topic]), 1)} if topic in row else {}
        terms = list(dict.fromkeys(reader.read(query)))
        for document in documents:
            rank = ranks.get(document)
            if rank is not None and rank <= cutoff:
                continue
            lost = [term for term in terms if reader.lost(system, document, term)]
            for term in lost:
                place = reader.place(system, document, term)
                yield Miss(system=system, topic=topic, query=query, document=document, rank=rank, **place._asdict())
            if not lost:
                yield Miss(
                    system=system, topic=topic, query=query, document=document, rank=rank, reason="outranked"
                )  # fmt: skip


class LostWord(NamedTuple):
    """What became of a word of the reference."""

    reason: Reason
    word: str
    instead: str
    segment: int


class _Reader:
    """The words of documents and segments, each read once."""

    def __init__(self, given: Evaluation, stream: int, read: TermReader, systems: Sequence[str], run: Run) -> None:
        self.given, self.read, self.systems = given, read, systems
        self.references = given.testset.references.streams[stream]
        self.outputs: dict[str, Lines] = {name: find_system(given.systems, name).outputs for name in systems}
        ids, numbers = document_ids(given)
        self.segments: dict[str, list[int]] = {name: [] for name in ids}
        for segment, number in enumerate(numbers):
            self.segments[ids[number]].append(segment)
        self._run = run
        self._terms: dict[tuple[str, str], set[str]] = {}
        self._places: dict[tuple[str, int, str], LostWord] = {}
        self._own: dict[int, list[str]] = {}
        self._saying: dict[str, dict[str, set[int]]] = {}

    @cached_property
    def left(self) -> dict[tuple[str, int], list[str]]:
        """The source's words that `diagnose` finds in outputs, by system and segment from 0."""
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        if self.given.testset.sources is None:
            return found
        systems = [find_system(self.given.systems, name) for name in self.systems]
        for finding in diagnose(self.given.testset, systems, detectors="untranslated", run=self._run):
            if finding.output is not None:
                text = self.outputs[finding.system][finding.segment - 1] or ""
                found[finding.system, finding.segment - 1].append(text[slice(*finding.output)])
        return found

    def lost(self, system: str, document: str, term: str) -> bool:
        """Whether the reference's document has the term and the system's has not."""
        key = (system, document)
        if key not in self._terms:
            lines = (self.outputs[system][segment] for segment in self.segments[document])
            self._terms[key] = {word for line in lines if line is not None for word in self.read(line)}
        return term not in self._terms[key] and any(
            term in self.reference_terms(segment) for segment in self.segments[document]
        )

    def reference_terms(self, segment: int) -> list[str]:
        """The terms of a segment of the reference."""
        if segment not in self._own:
            self._own[segment] = self.read(self.references[segment] or "")
        return self._own[segment]

    def place(self, system: str, document: str, term: str) -> LostWord:
        """What became of the term where the reference's document says it first."""
        segment = next(s for s in self.segments[document] if term in self.reference_terms(s))
        key = (system, segment, term)
        if key not in self._places:
            self._places[key] = self._look(system, segment, term)
        return self._places[key]

    def _look(self, system: str, segment: int, term: str) -> LostWord:
        reference = self.read.words(self.references[segment] or "")
        output = self.read.words(self.outputs[system][segment] or "")
        at = next(k for k, word in enumerate(reference) if self.read.term(word) == term)
        paired, around = beside(self._forms(output), self._forms(reference), at)
        here, near = (
            {self.read.term(word) for word in reference},
            [output[k] for k in dict.fromkeys((*paired, *around))],
        )
        left = self._likeliest(term, self.left.get((system, segment), []), near, self.standing[system])
        if left:
            return LostWord("untranslated", reference[at], left, segment + 1)
        others = [word for word in output if (own := self.read.term(word)) is not None and own not in here]
        instead = self._likeliest(term, others, near, self.outputs_saying(system))
        if instead:
            return LostWord("translated otherwise", reference[at], instead, segment + 1)
        return LostWord("dropped", reference[at], "", segment + 1)

    def _likeliest(self, term: str, words: Sequence[str], near: Sequence[str], places: Mapping[str, set[int]]) -> str:
        """Of these words of an output the one that stands for a term of the reference: that which goes with it in most
        other segments, too, else the first in its place; none where neither speaks for one."""
        best = max(words, key=lambda word: self._dice(term, self._form(word), places), default="")
        if best and self._dice(term, self._form(best), places) > 0:
            return best
        return next((word for word in near if word in words), "")

    def _dice(self, term: str, form: str, places: Mapping[str, set[int]]) -> float:
        """How far a term of the reference and a word of outputs are in the same segments; 0 where they share only one,
        which may be chance, and where they are as often apart as together."""
        mine, theirs = self.saying[term], places.get(form, set())
        both = len(mine & theirs)
        dice = 2 * both / max(1, len(mine) + len(theirs))
        return dice if both > 1 and dice >= SURE else 0.0

    def outputs_saying(self, system: str) -> dict[str, set[int]]:
        """The segments in which a system's outputs have each term."""
        if system not in self._saying:
            found: dict[str, set[int]] = defaultdict(set)
            for segment, line in enumerate(self.outputs[system]):
                for term in self.read(line or ""):
                    found[term].add(segment)
            self._saying[system] = found
        return self._saying[system]

    @cached_property
    def saying(self) -> dict[str, set[int]]:
        """The segments of the reference that have each term."""
        found: dict[str, set[int]] = defaultdict(set)
        for segment in range(len(self.references)):
            for term in self.reference_terms(segment):
                found[term].add(segment)
        return found

    @cached_property
    def standing(self) -> dict[str, dict[str, set[int]]]:
        """The segments in which each system leaves each word untranslated."""
        found: dict[str, dict[str, set[int]]] = {system: defaultdict(set) for system in self.systems}
        for (system, segment), words in self.left.items():
            for word in words:
                found[system][self._form(word)].add(segment)
        return found

    def _forms(self, words: Sequence[str]) -> list[str]:
        return [self._form(word) for word in words]

    def _form(self, word: str) -> str:
        """A word as it is compared: two forms of one term are the same."""
        return self.read.term(word) or word.casefold()


def beside(output: Sequence[str], reference: Sequence[str], at: int) -> tuple[list[int], list[int]]:
    """The output's word that an alignment sets against the reference's of that number, and all words that stand between
    the same two matches, by their numbers."""
    steps = align(" ".join(output), " ".join(reference))
    i = j = 0
    paired: list[int] = []
    gap: list[int] = []
    passed = False
    for step in steps:
        if step == "=":
            if passed:
                break
            gap = []
        elif step in "SI":
            gap.append(i)
        if step in "=SD" and j == at:
            passed = True
            paired = [i] if step == "S" else []
        i += step in "=SI"
        j += step in "=SD"
    return paired, gap
