"""What learned metrics share: a mean over segments, the best of several references, windows of texts that are too long,
what a signature says of them."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, option_text
from tertium.core.numbers import columns, ratio
from tertium.core.run import Run
from tertium.core.stats import Stats
from tertium.learned.encoders.bert import Bert
from tertium.learned.memory import Memo, work_out
from tertium.learned.weights import PRECISIONS
from tertium.learned.windows import Texts, TooLong, Window, whole, windows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Flags = NDArray[np.bool_] | Sequence[bool]
    Scoring = Callable[[list[int], int | None], tuple[Values, Flags]]


def check_options(metric: Any) -> None:
    """Refuse a precision that does not exist; and let tables call the metric by its model."""
    choose(metric.name, "precision", metric.precision, PRECISIONS)
    object.__setattr__(metric, "heading", heading(metric) if metric.model else "")


def heading(metric: Any) -> str:
    """`COMET wmt22-comet-da`, and options that are not at their defaults; digests and encoders are in the signature."""
    others = [
        f"{field.name}={option_text(getattr(metric, field.name))}"
        for field in dataclasses.fields(metric)
        if field.name not in metric.models and getattr(metric, field.name) != field.default
    ]
    name = PurePath(metric.model).name.partition("@")[0]
    return f"{metric.title.replace('_', ' ')} {name}" + (f" ({', '.join(others)})" if others else "")


def need_model(metric: Any) -> None:
    """Refuse to score with no model."""
    if not metric.model:
        raise OptionError(f'{metric.name} needs a model: {metric.name}(model="PATH"), the path of its folder')


def versions(precision: str, *packages: str) -> dict[str, str]:
    """What a signature says beside the model's name and content."""
    from importlib.metadata import PackageNotFoundError, version

    said = {"precision": precision}
    for package in packages:
        try:
            said[package] = version(package)
        except PackageNotFoundError:
            said[package] = "none"
    return said


def mean_score(sums: Any) -> Any:
    """The mean of the scored segments; NaN of none."""
    total, *_, count = columns(sums)
    return ratio(total, count, float("nan"))


def best_rows(outputs: Lines, prepared: Prepared, lower: bool, score: Scoring) -> tuple[Values, tuple[int, ...]]:
    """The best score of each segment over its references, NaN where it cannot be scored, and which segments were cut.

    `score` is asked for the scores of the segments of these numbers, and which of them were cut, against the references
    of one stream, which none of them lacks; against None where the metric needs none.
    """
    import numpy as np

    scorable = prepared.scorable(outputs)
    chosen = np.flatnonzero(np.ones(len(outputs), dtype=bool) if scorable is None else scorable)
    values, cut = np.full(len(outputs), np.nan), np.zeros(len(outputs), dtype=bool)
    best = np.fmin if lower else np.fmax
    for k in range(len(prepared.streams)) if "references" in prepared.needs else [None]:
        numbers = chosen if k is None else chosen[prepared.streams[k].present[chosen]]
        if len(numbers):
            found, too_long = score(numbers.tolist(), k)
            values[numbers] = best(values[numbers], found)
            cut[numbers] |= np.asarray(too_long, dtype=bool)
    return values, tuple(np.flatnonzero(cut).tolist())


def rows_of(values: Values, cut: tuple[int, ...] = ()) -> Stats:
    """Rows (value, 1), whose score is a mean; NaN is not scored. # (n,) -> (n, 2)"""
    from tertium.core.given import mean_rows

    stats = mean_rows(values)
    return Stats(stats.columns, stats.rows, stats.scored, cut=cut)


def texts_beside(outputs: Lines, prepared: Prepared, numbers: Sequence[int], stream: int | None) -> list[Texts]:
    """The texts of segments, none of which is missing: output, source and reference, as far as they are needed."""
    sides = [outputs]
    if "source" in prepared.needs and prepared.sources is not None:
        sides.append(prepared.sources)
    if stream is not None:
        sides.append(prepared.streams[stream])
    return [tuple(side[k] or "" for side in sides) for k in numbers]


def spread(texts: Sequence[Texts], windows: bool, too_long: TooLong) -> list[list[Window]]:
    """The texts of every segment, in windows where they are too long and that is wanted."""
    if not windows:
        return [[whole(each)] for each in texts]
    flags = too_long(list(texts))
    return [windows_of(each, too_long) if flag else [whole(each)] for each, flag in zip(texts, flags, strict=True)]


@dataclasses.dataclass(frozen=True)
class Reader:
    """How a metric reads texts: which are too long, the key of what is made of some, and what is made of them, some at
    a time: their numbers, and the values as bytes."""

    too_long: TooLong
    key: Callable[[Texts], bytes]
    compute: Callable[[list[Texts]], Iterator[tuple[list[int], list[bytes]]]]

    def read(
        self, texts: Sequence[Texts], windows: bool, run: Run, memo: Memo
    ) -> tuple[list[list[Window]], list[bytes]]:
        """The windows of every segment, and what is made of each, segment after segment; each text is read once."""
        parts = spread(texts, windows, self.too_long)
        flat = [window.texts for segment in parts for window in segment]

        def some(lacking: list[int]) -> Iterator[tuple[list[int], list[bytes]]]:
            for batch, values in self.compute([flat[k] for k in lacking]):
                yield [lacking[k] for k in batch], values

        return parts, work_out(run, memo, [self.key(each) for each in flat], some)

    def score(self, texts: Sequence[Texts], windows: bool, run: Run, memo: Memo) -> tuple[Any, list[bool]]:
        """Numbers of every segment, means over its windows, and whether any of these was cut. # (n,) or (n, k)"""
        parts, values = self.read(texts, windows, run, memo)
        found = [unpack(value) for value in values]
        numbers = [each[0] if len(each) == 2 else each[:-1] for each in found]
        return mean_of_windows(parts, numbers), any_of_windows(parts, [each[-1] for each in found])


def mean_of_windows(parts: Sequence[Sequence[Window]], values: Any) -> Any:
    """The mean over the windows of every segment; that of one is its value. # (m, ...) -> (n, ...)"""
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    counts = np.array([len(segment) for segment in parts])
    sums = np.add.reduceat(numbers, np.cumsum(counts) - counts, axis=0)
    return sums / counts.reshape(-1, *[1] * (numbers.ndim - 1))


def any_of_windows(parts: Sequence[Sequence[Window]], flags: Iterable[bool]) -> list[bool]:
    """Whether a flag is set in any window of a segment."""
    told = iter(flags)
    return [any(list(islice(told, len(segment)))) for segment in parts]


def pack(*values: float, cut: bool) -> bytes:
    """Numbers and whether texts were cut, as they are kept."""
    return struct.pack(f"<{len(values)}d?", *values, cut)


def unpack(data: bytes) -> tuple[Any, ...]:
    """What `pack` made bytes of."""
    return struct.unpack(f"<{len(data) // 8}d?", data)


def encoder_text(encoder: Bert) -> str:
    """What a signature calls an encoder: `roberta-24x1024` has 24 blocks, vectors of 1024 numbers."""
    return f"{type(encoder).__name__.lower()}-{encoder.blocks}x{encoder.width}"
