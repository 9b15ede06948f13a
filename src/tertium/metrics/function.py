"""A function of the user's own as a metric, for Python: `tt.metric_from(function, name=...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from tertium.core.errors import OptionError, SegmentError, TertiumError
from tertium.core.given import mean_rows
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.numbers import columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.core.wording import counted

READS = {
    "outputs": frozenset({"function"}),
    "source": frozenset({"function", "source"}),
    "references": frozenset({"function", "references"}),
    "source+references": frozenset({"function", "source", "references"}),
}


@metric
class Function:
    """What a Python function says of each output, and the mean of it.

    Formula:
        function = mean over segments of f(output, source, references)
        f: the function that was handed to metric_from

    Options:
        of: the name that was given to it; tables call it so
        reads: what the function is given beside the outputs: outputs (nothing more), source, references, or
            source+references
        lower: whether a lower score is better

    Blind to:
        What the function does: only its name is known here. Scores of two functions of the same name cannot be told
        apart, and where an evaluation was saved, the function is not saved with it.

    Paper:
        None: it is the user's own.
    """

    name: ClassVar[str] = "function"
    title: ClassVar[str] = "function"
    better: ClassVar[Literal["higher", "lower"]] = "higher"  # or as `lower` says
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))  # nobody says
    needs: ClassVar[frozenset[str]] = READS["references"]
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4
    concurrent: ClassVar[bool] = False  # nobody says whether threads may share it

    of: str = ""
    reads: str = "references"
    lower: bool = False

    def __post_init__(self) -> None:
        choose(self.name, "reads", self.reads, tuple(READS))
        object.__setattr__(self, "needs", READS[self.reads])
        object.__setattr__(self, "better", "lower" if self.lower else "higher")
        object.__setattr__(self, "heading", self.of)

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """The references as they are."""
        if not hasattr(self, "call"):
            raise OptionError(f"{self}: its function is not here; make it again: tt.metric_from(FUNCTION, name=...)")
        return Prepared(references=testset.references)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (value, 1)."""
        import numpy as np

        scorable = prepared.scorable(outputs)
        chosen = np.flatnonzero(np.ones(len(outputs), dtype=bool) if scorable is None else scorable).tolist()
        beside: dict[str, Any] = {}
        if "source" in self.needs and prepared.sources is not None:
            beside["sources"] = [prepared.sources[k] for k in chosen]
        if "references" in self.needs:
            beside["references"] = [list(map(str, prepared.references[k])) for k in chosen]
        values = np.full(len(outputs), np.nan)
        if chosen:
            values[chosen] = self._called([outputs[k] for k in chosen], chosen, beside)
        return mean_rows(values)

    def _called(self, outputs: list[str | None], numbers: list[int], beside: dict[str, Any]) -> Any:
        """What the function gives, one finite number or NaN (not scored) for each output."""
        import numpy as np

        found = np.asarray(self.call(outputs, **beside), dtype=np.float64)  # type: ignore[attr-defined]
        if found.shape != (len(outputs),):
            raise TertiumError(
                f"{self.of}: the function gave numbers of the shape {found.shape} for {counted(len(outputs), 'output')}"
                f"; there must be one for each"
            )
        infinite = np.flatnonzero(np.isinf(found))
        if len(infinite):
            raise SegmentError(numbers[infinite[0]], f"{self.of}: the function gave {found[infinite[0]]}, no number")
        return found

    def versions(self) -> dict[str, str]:
        """The function's name, which is all that can be said of it."""
        call = getattr(self, "call", None)
        said = f"{getattr(call, '__module__', '?')}.{getattr(call, '__qualname__', type(call).__name__)}"
        return {} if call is None else {"function": said}

    def score(self, sums: Any) -> Any:
        """The mean of the segments' values."""
        total, scored = columns(sums)
        return ratio(total, scored, otherwise=float("nan"))


def metric_from(
    function: Callable[..., Any],
    *,
    name: str,
    better: Literal["higher", "lower"] = "higher",
    reads: Literal["outputs", "source", "references", "source+references"] = "references",
) -> Function:
    """A metric from a function that gives one number for each output; its score is their mean.

    The function is called as `function(outputs, sources=[...], references=[[...], ...])`, with those of the two that
    it `reads`: lists of the segments that have an output and all of these, up to a few thousand at a time. NaN is not
    scored. The metric works wherever metrics do, in this process; saved evaluations load, show and compare without it.
    """
    if not callable(function):
        raise OptionError(f"{function!r} is not a function")
    if not name:
        raise OptionError("a metric needs a name: metric_from(function, name=...)")
    choose("metric_from", "better", better, ("higher", "lower"))
    made = Function(of=name, reads=reads, lower=better == "lower")
    object.__setattr__(made, "call", function)
    return made
