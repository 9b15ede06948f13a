"""A sound metric of another package than tertium, and one for each law that breaks it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.metric import ALIASES, REGISTRY, Prepared
from tertium.metrics import known

BROKEN: dict[str, type[Any]] = {}  # by the law


@dataclass(frozen=True, kw_only=True)
class Matches:
    """Outputs that say just what a reference says, in percent. A plain NumPy formula."""

    name: ClassVar[str] = "matches"
    title, better, range = "matches", "higher", (0.0, 100.0)
    needs, resampling, decimals = frozenset({"references"}), "percentile", 1

    folded: bool = False

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        return Prepared(references=testset.references)

    def read(self, text: str | None) -> str | None:
        return text.casefold() if self.folded and text is not None else text

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:  # noqa: ARG002
        scored = prepared.scorable(outputs)
        rows = np.ones((len(outputs), 2))
        for k, (output, references) in enumerate(zip(outputs, prepared.references, strict=True)):
            rows[k, 0] = self.read(output) in map(self.read, references)
        return tt.Stats(("matches", "segments"), rows if scored is None else rows * scored[:, None], scored)

    def score(self, sums: Any) -> Any:
        return 100 * sums[..., 0] / np.maximum(sums[..., 1], 1)


def breaks(law: str) -> Any:
    """A metric that breaks a law, known only where it is used."""

    def remember(cls: type[Any]) -> type[Any]:
        known()  # all of tertium's are loaded once, and stay
        before = dict(REGISTRY), dict(ALIASES)
        cls.name = f"breaks_{len(BROKEN)}"
        BROKEN[law] = tt.metric(cls)
        for now, old in zip((REGISTRY, ALIASES), before, strict=True):
            now.clear()
            now.update(old)
        return BROKEN[law]

    return remember


def remade(stats: tt.Stats, rows: Any = None, scored: Any = None) -> tt.Stats:
    """Statistics with other rows, or with others scored."""
    scored = stats.scored if scored is None else scored
    return tt.Stats(stats.columns, (stats.rows if rows is None else rows) * scored[:, None], scored)


@breaks("it declares what it is")
class Undeclared(Matches):
    better = "more"


@breaks("its text means the metric")
class Growing(Matches):
    level: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", self.level + 1)


@breaks("every variant has a text of its own")
class Stubborn(Matches):
    def __post_init__(self) -> None:
        if self.folded:
            raise OptionError("no")


@breaks("equal keys mean equal rows")
class Keyless(Matches):
    def stats_key(self, several: bool) -> str:  # noqa: ARG002
        return "matches"

    def stats(self, *given: Any) -> tt.Stats:
        stats = super().stats(*given)
        return remade(stats, rows=stats.rows * (2 if self.folded else 1))


@breaks("rows are finite, and zero where not scored")
class Hopeful(Matches):
    def stats(self, *given: Any) -> tt.Stats:
        return remade(super().stats(*given), scored=np.ones(len(given[0]), dtype=bool))


@breaks("the order of segments does not matter")
class Ordered(Matches):
    def stats(self, *given: Any) -> tt.Stats:
        stats = super().stats(*given)
        return remade(stats, rows=stats.rows + np.arange(len(stats))[:, None])


@breaks("a segment alone has the row it has among others")
class Sociable(Matches):
    def stats(self, *given: Any) -> tt.Stats:
        stats = super().stats(*given)
        return remade(stats, rows=stats.rows * len(stats))


class Short(Matches):
    """Scores no line of more than so many bytes."""

    most: ClassVar[int]

    def stats(self, *given: Any) -> tt.Stats:
        stats = super().stats(*given)
        return remade(stats, scored=stats.scored & (given[0].lengths() <= self.most))


@breaks("no text is too hard")
class Lazy(Short):
    most = 4000


@breaks("no line is too long")
class Lazier(Short):
    most = 500


@breaks("an empty output is scored, and a missing one is not")
class Strict(Matches):
    def stats(self, *given: Any) -> tt.Stats:
        stats = super().stats(*given)
        return remade(stats, scored=stats.scored & (given[0].lengths() > 0))


class Bytes(Matches):
    """Counts bytes of texts as they are."""

    range = (0.0, float("inf"))

    def stats(self, *given: Any) -> tt.Stats:
        stats = super().stats(*given)
        return remade(stats, rows=np.stack([given[0].lengths(), np.ones(len(stats))], axis=1))


@breaks("Unicode is normalised before anything else")
class Unread(Bytes):
    unicode: str = "none"


@breaks("a function tokenises before anything is counted")
class Whole(Bytes):
    tokenize: str = "none"

    def versions(self) -> dict[str, str]:
        return {"py": "1"} if self.tokenize.startswith("py:") else {}


@breaks("vectorised equals loop")
class Together(Matches):
    def score(self, sums: Any) -> Any:
        return 100 * sums[..., 0] / np.maximum(sums[..., 1].max(), 1) / np.size(sums)


@breaks("plain numbers equal arrays")
class Twofold(Matches):
    def score(self, sums: Any) -> Any:
        return 50.0 if isinstance(sums, list) else super().score(sums)

    score.__module__ = "tertium.metrics.twofold"


@breaks("a weight counts a row so many times")
class Flat(Matches):
    def score(self, sums: Any) -> Any:
        return super().score(np.asarray(sums).reshape(-1, 2)[0])


@breaks("scores stay in range")
class Undefined(Matches):
    def score(self, sums: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return 100 * sums[..., 0] / sums[..., 1]


@breaks("perfect output is best")
class Sparing(Matches):
    def score(self, sums: Any) -> Any:
        return super().score(sums) / 2


@breaks("an output that lacks everything is worse than a perfect one")
class Indulgent(Matches):
    def score(self, sums: Any) -> Any:
        return np.where(sums[..., 1] > 0, 100.0, 0.0)


@breaks("shards and threads equal the whole")
class Alone(Matches):
    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        return Prepared(references=testset.references, made={"size": np.full(len(testset), len(testset))})

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:
        stats = super().stats(outputs, prepared, run)
        return remade(stats, rows=stats.rows / prepared.made["size"][:, None])


@breaks("many threads equal one")
class Threaded(Matches):
    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:
        stats = super().stats(outputs, prepared, run)
        return remade(stats, rows=stats.rows * (run.threads or 1))


@breaks("its signature says what is needed to repeat the score")
class Restless(Matches):
    count = itertools.count()

    def versions(self) -> dict[str, str]:
        return {"tool": str(next(self.count))}


@breaks("processes can be sent it")
class Local(Matches):
    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        return Prepared(references=testset.references, shared=lambda: testset)


@breaks("leaving out a segment is scoring the rest")
class Crowded(Matches):
    def score(self, sums: Any) -> Any:
        return super().score(sums) / np.size(sums)


@breaks("pairs equal scores")
class Generous(Matches):
    def pairwise(self, outputs: tt.Lines, prepared: Prepared) -> Any:
        return np.ones((len(outputs), len(prepared.references), 2))
