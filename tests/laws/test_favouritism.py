"""The law of leaving out: the corpus without a segment scores what that corpus scores when it is counted alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertium.analysis.favouritism import leave_one_out, segment_benefits
from tertium.core.lines import Lines
from tertium.core.stats import SparseRows, Stats

from .texts import CORPORA, make_testset
from .variants import NAMES, metrics

Corpus = list[tuple[str | None, list[str | None]]]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(data=st.data(), corpus=CORPORA)
def test_leaving_out_is_scoring_the_rest(name: str, data: st.DataObject, corpus: Corpus) -> None:
    metric = data.draw(metrics(name))
    testset = make_testset([references for _, references in corpus])
    stats = metric.stats(Lines.of([output for output, _ in corpus]), metric.prepare(testset))
    whole, without = leave_one_out(stats, metric)
    rows = stats.segments()
    assert whole == pytest.approx(float(metric.score(stats.total())), rel=1e-12, abs=1e-9)
    rest = [float(metric.score(np.delete(rows, k, axis=0).sum(axis=0))) for k in range(len(rows))]
    assert without == pytest.approx(rest, rel=1e-12, abs=1e-9)
    found = segment_benefits(stats, metric)
    known = stats.scored if stats.n > 1 else np.zeros(len(stats), dtype=bool)
    assert (np.isnan(found) == ~known).all()
    sign = 1 if metric.better == "higher" else -1
    assert found[known] == pytest.approx(sign * (whole - np.array(rest))[known], rel=1e-9, abs=1e-9)


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
    testset = make_testset([references for _, references in corpus])
    stats = metric.stats(Lines.of([output for output, _ in corpus]), metric.prepare(testset))
    by_type, by_column = leave_one_out(stats, metric), leave_one_out(unnamed(stats), metric)
    assert by_type[0] == pytest.approx(by_column[0], rel=1e-12, abs=1e-9)
    assert by_type[1] == pytest.approx(by_column[1], rel=1e-12, abs=1e-9)
