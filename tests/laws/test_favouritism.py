"""Leaving out a segment, type by type."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.inference.jackknife import leave_one_out
from tertium.testing.rows import count
from tertium.testing.texts import LawSegment

from .texts import CORPORA, Corpus
from .variants import metrics


def unnamed(stats: Stats) -> Stats:
    """The same sparse rows under names that no type has."""
    assert isinstance(stats.rows, SparseRows)
    return Stats(tuple(f"c{k}" for k in range(stats.rows.width)), stats.rows, stats.scored)


@pytest.mark.parametrize("name", ["macrof", "microf"])
@settings(max_examples=20)
@given(data=st.data(), corpus=CORPORA)
def test_types_and_columns_give_the_same(name: str, data: st.DataObject, corpus: Corpus) -> None:
    """Type by type, and block by block as any sparse statistics."""
    metric = data.draw(metrics(name))
    stats = count(metric, [LawSegment(*pair) for pair in corpus])
    by_type, by_column = leave_one_out(stats, metric), leave_one_out(unnamed(stats), metric)
    assert by_type[0] == pytest.approx(by_column[0], rel=1e-12, abs=1e-9)
    assert by_type[1] == pytest.approx(by_column[1], rel=1e-12, abs=1e-9)
