"""Metric: a value whose text is its name on the command line, in JSON and in signatures."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeGuard,
    TypeVar,
    dataclass_transform,
    runtime_checkable,
)

from tertium.core.errors import OptionError
from tertium.core.header import Header
from tertium.core.lines import Lines
from tertium.core.numbers import Sums
from tertium.core.run import Model, Run
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.evaluation import Evaluation
    from tertium.core.given import GivenRows


class Shared(Protocol):
    """Knowledge of the whole test set that a metric needs before it can count a row; merges over shards.

    It may have `whole`: how rows depend on the whole test set, in words, or None where nothing but time does. Without
    it rows are taken to depend on it, and the metric is not counted where no test set is ever whole (engines.stream);
    unless the metric `gathers`: then it has `gathered(known)`, the knowledge of earlier parts and of this one without
    their texts, and the corpus is read twice.
    """

    def merge(self, other: Self) -> Self:
        """The knowledge of both parts together."""
        ...


REFERENCES = frozenset({"references"})
NO_MODELS: Mapping[str, Model] = {}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Prepared:
    """A test set as a metric reads it: texts prepared once for all systems, and corpus-wide knowledge.

    A metric fills in what it has changed or made; `engines.door`, which calls the metric, adds the rest (sources,
    documents, what the metric needs).
    """

    references: References
    sources: Lines | None = None
    documents: tuple[str, ...] | None = None
    made: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # Lines or arrays of its own, a row a segment
    needs: frozenset[str] = REFERENCES
    tokenizer: str = "none"  # what is left to do to the references
    shared: Any = None  # a Shared where the metric has one
    models: Mapping[str, Model] = dataclasses.field(default_factory=dict)  # the metric's models, by what it calls them
    header: Header | None = None  # of the rows that will be counted

    @property
    def streams(self) -> tuple[Lines, ...]:
        """First references, second references, ...: at least one stream, of missing lines if there is no reference."""
        return self.references.streams or (Lines.of([None] * len(self.references)),)

    def scorable(self, outputs: Lines) -> NDArray[np.bool_] | None:
        """Segments with an output and all that the metric needs; None if all are such segments. # (n,)"""
        present = [] if outputs.complete else [outputs.present]
        if "references" in self.needs and self.references.fewest_and_most[0] == 0:
            present.append(self.references.counts > 0)
        if "source" in self.needs and self.sources is not None and not self.sources.complete:
            present.append(self.sources.present)
        if not present:
            return None
        import numpy as np

        return np.logical_and.reduce(present)  # type: ignore[no-any-return]

    def chosen(self, best: NDArray[np.int64] | None) -> tuple[Lines, list[int]]:
        """Of every segment the reference in its stream of number `best`, and its number among the segment's own; the
        first ones without a choice."""
        streams, chosen, numbers = self.streams, [], []
        if best is None:
            return streams[0], [0] * len(streams[0])
        for segment, stream in enumerate(best.tolist()):
            chosen.append(streams[stream][segment])
            numbers.append(sum(earlier[segment] is not None for earlier in streams[:stream]))
        return Lines.of(chosen), numbers

    def complete(
        self,
        testset: TestSet,
        needs: frozenset[str],
        models: Mapping[str, Model] = NO_MODELS,
        header: Header | None = None,
    ) -> Self:
        """With those parts of the test set that the metric left as they are, what it needs of them, where its models
        lie, and what rows that are counted with it are of."""
        return dataclasses.replace(
            self,
            sources=testset.sources if self.sources is None else self.sources,
            documents=testset.documents,
            needs=needs,
            models=dict(models),
            header=header,
        )

    def take(self, numbers: NDArray[np.int64]) -> Self:
        """The segments of these numbers, in this order, with the same knowledge of the whole test set."""
        return dataclasses.replace(
            self,
            references=self.references.take(numbers),
            sources=None if self.sources is None else self.sources.take(numbers),
            documents=None if self.documents is None else tuple(self.documents[k] for k in numbers),
            made={name: _taken(part, numbers) for name, part in self.made.items()},
            header=None if self.header is None else self.header.selection(),
        )


def _taken(part: Any, numbers: NDArray[np.int64]) -> Any:
    return part.take(numbers) if isinstance(part, Lines) else part[numbers]


class Exemption(NamedTuple):
    """Why a metric breaks a law by nature (`tertium.testing`), and of which sums the law holds all the same."""

    reason: str
    holds: Callable[[Any, Sequence[float]], bool] | None = None  # of the metric and sums; None: of none


def find_exemption(metric: Any, law: str) -> Exemption | None:
    """What a metric declares about a law; a mere reason exempts it from the whole law."""
    found = getattr(metric, "exempt", {}).get(law)
    return Exemption(found) if isinstance(found, str) else found


@runtime_checkable
class Metric(Protocol):
    """A pure, vectorised formula over sums of rows. The rows are counted from texts (`Counted`) or given (`Given`).

    A metric may have these as well; whoever needs one asks whether it is there:

        aliases: other names of the metric
        given(evaluation, run): its rows, where they are given and not counted; such a metric has no prepare and stats
        parts(sums): named parts of the score, as a dict of numbers or lists of numbers: (..., k) -> (...) each
        segment_score(sums): the formula for single segments, where the field has another one for them; documents,
            buckets, resamples and leave-one-out always use score
        stats_key(several): a text; metrics of equal keys share their rows, so all that helps to make rows has to be in
            it; `several` says whether any segment has several references
        versions(): a dict of outside tools and files, by name and version, that the signature must name
        model_facts(run): a dict of what its models are (kind, encoder, ...), for the signature, once they are at hand
        local: names of options that name files or code of this computer, which strangers may not choose
        models: names of options that name a model, by path, by name or as NAME@sha8; its path is run.model(text)
        find_model(text, folders): the Model that such an option means, where it is no file or folder but a language
            model; its `path` is then the text that opens it
        aligned: what its errors are an alignment of, `word` or `character`; its marks then link what stands for what
        unscored: why a segment may have no score although nothing of it is missing; told with such segments' numbers
        vacuous: what a score means of rows that are all zero; told where those of all systems are
        learned: whether its scores come from a model that gives a number to any text, so that guards stand beside them;
            without it, where the metric needs a model
        heading: what tables call it, where its text would say less
        referenceless: the option by which it does without references
        gathers: whether what it shares is gathered from a corpus that is never in memory, before any row is counted
        concurrent: False where threads may not share the metric, which is then called in one; run.threads are how many
            it may have of its own
        marks(outputs, prepared, run): one Marks (core.marks) for each segment, the evidence that pages draw: error
            spans and alignments, with the reference that the row is of. Places are characters of the outputs, and of
            the sources and references as they are prepared; where the metric reads a text otherwise, it gives that
            text as well
        steps(outputs, prepared, run): how the score of the one segment comes about, a list of Step (core.steps): what
            `tertium explain` shows
        has_marks(run): False where the model that it names has no marks to give
        pairwise(outputs, prepared): rows of every output against every one of the prepared references (n, m, k), zero
            where either is missing; where that is faster than pair by pair
        of_mean(outputs, prepared, weights): rows of every output against the weighted mean of the prepared references
            (n, k): where a metric counts what can be averaged
        type_weights(sums): (..., types), where rows are of types and the score is the mean, under these weights, of
            what each type scores alone
        interval_note: a sentence that is told wherever an interval is shown
        notes(testset): what to be careful about on this test set, a sentence each, told as the input's own suspicions
        exempt: the laws (tertium.testing) that it breaks by nature: a dict from the law to the reason, or to an
            Exemption where the law holds in part
        tokenize, lowercase, unicode, normalise: options by which n-grams are shown as the metric reads texts
        scale: the scale of a metric of judgements
    """

    name: ClassVar[str]
    title: ClassVar[str]  # as people write it: BLEU, chrF
    better: ClassVar[Literal["higher", "lower"]]
    range: ClassVar[tuple[float, float]]
    needs: ClassVar[frozenset[str]]
    resampling: ClassVar[Literal["percentile", "paired only"]]
    decimals: ClassVar[int]  # in text tables, as the field rounds

    def score(self, sums: Sums) -> Any:
        """The formula: (..., k) -> (...), of an array. Those of this package are of k plain numbers as well."""
        ...


@runtime_checkable
class Counted(Metric, Protocol):
    """A metric that reads texts."""

    def prepare(self, testset: TestSet, run: Run) -> Prepared:
        """What can be done once for all systems: references tokenised, sources encoded."""
        ...

    def stats(self, outputs: Lines, prepared: Prepared, run: Run) -> Stats:
        """One row per segment."""
        ...


@runtime_checkable
class Given(Metric, Protocol):
    """A metric whose rows come from elsewhere: from people, from a file, from queries."""

    def given(self, evaluation: Evaluation, run: Run) -> GivenRows:
        """The rows of every system of an evaluation, in which the counted metrics are in place."""
        ...


def is_counted(metric: Metric) -> TypeGuard[Counted]:
    """Whether the rows of a metric are counted from texts."""
    return not hasattr(metric, "given")


def is_given(metric: Metric) -> TypeGuard[Given]:
    """Whether the rows of a metric are given."""
    return hasattr(metric, "given")


def is_learned(metric: Metric) -> bool:
    """Whether scores come from a model, which gives a number to any text: guards stand beside them."""
    return bool(getattr(metric, "learned", "model" in metric.needs))


def is_human(metric: Metric) -> bool:
    """Whether a metric says what people think."""
    return "judgements" in metric.needs


REGISTRY: dict[str, type[Any]] = {}
ALIASES: dict[str, str] = {}

M = TypeVar("M", bound=type[Any])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def metric(cls: M) -> M:
    """Make a class a metric: a frozen value with keyword-only options and canonical text, known by its name."""
    made: Any = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    made.__str__ = metric_text
    for name in (made.name, *getattr(made, "aliases", ())):
        _refuse_taken(name, made, REGISTRY.get(ALIASES.get(name, name)))
    REGISTRY[made.name] = made
    for alias in getattr(made, "aliases", ()):
        ALIASES[alias] = made.name
    return cls


def _refuse_taken(name: str, made: type[Any], other: type[Any] | None) -> None:
    """Refuse the name of one of our metrics for another one, in any order of loading: a text has one meaning."""
    modules = [kind.__module__ for kind in (made, other) if kind is not None]
    outside = [module for module in modules if not module.startswith("tertium.")]
    if len(modules) == 2 and len(outside) == 1:
        raise OptionError(f"{outside[0]}: the name {name!r} is taken by a metric of tertium; choose another")


def option_text(value: object) -> str:
    """An option's value as it is written in a metric's text."""
    if isinstance(value, str):
        import json  # no plain score needs it

        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def metric_text(value: Any) -> str:
    """The canonical text: the name, and the options that are not at their defaults."""
    options = [
        f"{field.name}={option_text(getattr(value, field.name))}"
        for field in dataclasses.fields(value)
        if getattr(value, field.name) != field.default
    ]
    return f"{value.name}({', '.join(options)})" if options else str(value.name)


def read_text(text: str, kind: str = "metric", example: str = 'bleu(tokenize="zh")') -> tuple[str, dict[str, object]]:
    """`chrf(words=2)` -> ("chrf", {"words": 2}); only names and literals, nothing is executed."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: thousands of brackets
        tree = None
    if isinstance(tree, ast.Name):
        return tree.id, {}
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args:
        options: dict[str, object] = {}
        for keyword in tree.keywords:
            if keyword.arg in options:
                raise OptionError(f"{text}: option {keyword.arg!r} is given twice")
            try:
                options[str(keyword.arg)] = ast.literal_eval(keyword.value)
            except (ValueError, TypeError, RecursionError, MemoryError):
                raise OptionError(
                    f"{text}: option {keyword.arg!r} must be a plain value: a quoted string, a number, True or False"
                ) from None
        return tree.func.id, options
    raise OptionError(f"{text!r} is not a {kind}; write a name, or name(option=value, ...), such as {example}")


def describe_options(cls: type[Any]) -> str:
    """`order=4, tokenize="13a"`: the options of a metric with their defaults."""
    return ", ".join(f"{field.name}={option_text(field.default)}" for field in dataclasses.fields(cls))


def make_metric(cls: type[Any], options: dict[str, object]) -> Any:
    """A metric with these options, or an error that names the ones it has."""
    known = {field.name: field for field in dataclasses.fields(cls)}
    for name, value in options.items():
        if name not in known:
            raise OptionError(f"{cls.name} has no option {name!r}; options: {describe_options(cls)}")
        kind = _kind(known[name].type)
        if not _fits(value, kind):
            default = option_text(known[name].default)
            raise OptionError(f"{cls.name}: {name}={option_text(value)} must be {kind}; the default is {default}")
    return cls(**options)


def _kind(annotation: Any) -> str:
    """An annotation as text, whether or not its file postpones them."""
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if type(annotation) is type else str(annotation)


def _fits(value: object, kind: str) -> bool:
    """Whether a value is of an option's kind, which is its annotation: `int`, `float | None`, `tuple[float, ...]`."""
    if isinstance(value, tuple | list):
        return "tuple" in kind and all(_fits(item, "str" if "tuple[str" in kind else "float") for item in value)
    if isinstance(value, bool):
        return "bool" in kind
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return any(
        word.strip() == type(value).__name__ or (word.strip(), type(value)) in (("float", int), ("None", type(None)))
        for word in kind.split("|")
    )


def choose(owner: str, option: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not among an option's choices."""
    if value not in choices:
        raise OptionError(f"{owner}: {option}={option_text(value)} is unknown; choose from {', '.join(choices)}")
