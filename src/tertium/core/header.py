"""Header: what statistics are of. A metric, its signature, a test set, and which of its rows; so that what does not
belong together is not joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tertium.core.errors import TertiumError
from tertium.core.wording import are

Rows = tuple[int, int]  # [first, last) of a test set


class Origin:
    """The metric that counted, its signature, and the digest of the test set: the same for all rows of an evaluation.

    Signature and digest may be functions, which are called when somebody asks: a large test set takes time to hash.
    """

    __slots__ = ("_signature", "_testset", "metric")

    def __init__(self, metric: str, signature: str | Callable[[], str], testset: str | Callable[[], str]) -> None:
        self.metric, self._signature, self._testset = metric, signature, testset

    @property
    def signature(self) -> str:
        """What has to be known to get the same score again."""
        if not isinstance(self._signature, str):
            self._signature = self._signature()
        return self._signature

    @property
    def testset(self) -> str:
        """The digest of the test set."""
        if not isinstance(self._testset, str):
            self._testset = self._testset()
        return self._testset

    def _facts(self) -> tuple[str, str, str]:
        return self.metric, self.signature, self.testset

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Origin) and self._facts() == other._facts())

    def __hash__(self) -> int:
        return hash(self.metric)

    def __repr__(self) -> str:
        return f"Origin{self._facts()}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, self._facts()  # not the test set, which the functions hold

    def check_alike(self, other: Origin) -> None:
        """Refuse another metric, test set or way of counting."""
        if self is other:  # as it is inside an evaluation: nothing is hashed
            return
        if self.metric != other.metric:
            raise TertiumError(
                f"statistics of {self.metric} and of {other.metric} do not belong together; join those of one metric"
            )
        if self.testset != other.testset:
            raise TertiumError(
                f"statistics of {self.metric} do not belong together: they are of different test sets "
                f"({self.testset[:12]} and {other.testset[:12]}); join those of one test set"
            )
        if without_version(self.signature) != without_version(other.signature):
            raise TertiumError(
                f"statistics of {self.metric} do not belong together: they were counted differently "
                f"({self.signature} and {other.signature}); count one of them again"
            )


class Header(NamedTuple):
    """What statistics are of, and which rows of the test set they hold."""

    origin: Origin
    rows: Rows | None = None  # None: not a run of rows, but a selection of them, or sums of groups

    @property
    def metric(self) -> str:
        """The text of the metric that counted."""
        return self.origin.metric

    @property
    def signature(self) -> str:
        """What has to be known to get the same score again."""
        return self.origin.signature

    @property
    def testset(self) -> str:
        """The digest of the test set."""
        return self.origin.testset

    def selection(self) -> Header:
        """The same, of rows that are not a run of the test set's."""
        return self if self.rows is None else self._replace(rows=None)

    def fits(self, count: int) -> bool:
        """Whether it can be the header of so many rows."""
        return self.rows is None or self.rows[1] - self.rows[0] == count

    def check_rows(self, count: int) -> None:
        """Refuse to be the header of another number of rows."""
        if not self.fits(count):
            raise TertiumError(
                f"statistics of {self.metric}: the header says {rows_text(self.rows)} of the test set, but there "
                + are(count, "row")
            )


def without_version(signature: str) -> str:
    """A signature apart from the version of tertium, which changes no statistic."""
    return signature.rsplit("|tertium:", 1)[0]


def rows_text(rows: Rows | None) -> str:
    """Rows as people count them: from 1."""
    if rows is None:
        return "a selection"
    first, last = rows
    return f"row {last}" if last - first == 1 else f"rows {first + 1} to {last}" if last > first else "no rows"


def check_alike(headers: Iterable[Header | None]) -> None:
    """Refuse what is known to be of different metrics, test sets or ways of counting."""
    origins = [header.origin for header in headers if header is not None]
    for other in origins[1:]:
        origins[0].check_alike(other)


def join_headers(headers: Sequence[Header | None], *, in_order: bool) -> Header | None:
    """The header of parts put together; None where one has none. Refuses rows that come twice, are missing between the
    parts or, `in_order`, come before those that they follow in the test set."""
    check_alike(headers)
    known = [header for header in headers if header is not None]
    if len(known) < len(headers):
        return None
    runs = [header.rows for header in known if header.rows is not None]
    if len(runs) < len(known):
        return known[0].selection()
    return Header(known[0].origin, _joined(known[0].metric, runs, in_order))


def _joined(metric: str, runs: list[Rows], in_order: bool) -> Rows:
    """The run that shorter ones make."""
    filled = [run for run in runs if run[1] > run[0]]
    if not filled:
        return runs[0]
    ordered = sorted(filled)
    for before, after in pairwise(ordered):
        if after[0] < before[1]:
            twice = rows_text((after[0], min(before[1], after[1])))
            raise TertiumError(
                f"statistics of {metric}: {twice} of the test set would count twice; join parts that do not overlap"
            )
        if after[0] > before[1]:
            raise TertiumError(
                f"statistics of {metric}: {rows_text((before[1], after[0]))} of the test set would be missing between "
                f"the parts; add the part that has them"
            )
    if in_order and ordered != filled:
        early, late = next((a, b) for a, b in pairwise(filled) if b < a)
        raise TertiumError(
            f"statistics of {metric}: {rows_text(early)} of the test set would stand before {rows_text(late)}; "
            f"join the parts in the order of the test set"
        )
    return ordered[0][0], ordered[-1][1]
