"""The accessor of data frames."""

import math
import subprocess
import sys
from typing import Any

import pandas as pd
import pytest
from tests.integrations.texts import FIRST, OTHERS, OUTPUTS, PAIRS, SECOND, SOURCES, scored

import tertium as tt
import tertium.integrations.pandas

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # the examples have 96 segments


@pytest.fixture
def frame() -> Any:
    """With an index that is not 0, 1, 2."""
    columns = {"src": SOURCES, "ref": FIRST, "ref2": SECOND, "mt": OUTPUTS, "other": OTHERS}
    return pd.DataFrame(columns, index=[f"s{k}" for k in range(len(FIRST))])


def test_scores(frame: Any) -> None:
    found = frame.tertium.score(hyp="mt", ref="ref", metrics=["bleu", "chrf"])
    assert list(found.columns) == ["system", "metric", "value", "n", "signature"]
    assert found["value"].tolist() == [score.value for score in scored("bleu,chrf")]
    assert found["metric"].tolist() == ["bleu", "chrf"]
    assert set(found["system"]) == {"mt"}
    assert found["signature"].tolist() == [score.signature for score in scored("bleu,chrf")]


def test_several_systems_and_references(frame: Any) -> None:
    found = frame.tertium.score(["mt", "other"], ["ref", "ref2"], metrics="ter")
    expected = scored("ter", PAIRS, {"mt": OUTPUTS, "other": OTHERS})
    assert found["system"].tolist() == ["mt", "other"]
    assert found["value"].tolist() == [score.value for score in expected]


def test_intervals(frame: Any) -> None:
    found = frame.tertium.score(metrics="bleu", confidence=0.9)
    [score] = scored("bleu", confidence=0.9)
    assert score.interval is not None
    assert (found["low"][0], found["high"][0]) == (score.interval.low, score.interval.high)


def test_segments_are_columns_beside_their_texts(frame: Any) -> None:
    joined = frame.join(frame.tertium.segments(metrics=["bleu", "chrf"]))
    expected = [score.value for score in scored("bleu,chrf", level="segment")]
    assert [*joined["bleu"], *joined["chrf"]] == expected
    both = frame.tertium.segments(["mt", "other"], metrics="chrf")
    assert list(both.columns) == ["mt chrf", "other chrf"]
    assert both["mt chrf"].tolist() == joined["chrf"].tolist()
    assert both.index.equals(frame.index)


def test_columns_with_other_names_than_texts(frame: Any) -> None:
    """Numbers, as in a file without a head, and names on several levels."""
    [expected] = [score.value for score in scored("chrf")]
    numbered = pd.DataFrame({0: FIRST, 1: OUTPUTS})
    found = numbered.tertium.score(hyp=1, ref=0, metrics="chrf")
    assert (found["system"][0], found["value"][0]) == ("1", expected)
    assert list(numbered.tertium.segments(hyp=1, ref=0, metrics="chrf").columns) == ["chrf"]
    levels = pd.concat({"texts": frame}, axis=1)
    found = levels.tertium.score(hyp=("texts", "mt"), ref=("texts", "ref"), metrics="chrf")
    assert found["value"].tolist() == [expected]


def test_a_part_of_a_frame(frame: Any) -> None:
    long = frame[frame["ref"].str.len() > 60]
    assert 0 < len(long) < len(frame)
    found = long.tertium.score(metrics="bleu")
    assert found["value"].tolist() == [scored("bleu", long["ref"].tolist(), long["mt"].tolist())[0].value]


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA])
def test_a_missing_output_is_not_scored_and_not_empty(frame: Any, gap: Any) -> None:
    frame = frame.astype(object)
    frame.loc["s1", "mt"] = gap
    assert frame.tertium.score(metrics="bleu")["n"].tolist() == [95]
    assert math.isnan(frame.tertium.segments(metrics="bleu")["bleu"]["s1"])
    with pytest.warns(tt.TertiumWarning, match="1 of 96 outputs is missing"):
        frame.tertium.score(metrics="bleu")


def test_errors_are_sentences(frame: Any) -> None:
    accessor = frame.tertium
    with pytest.raises(tt.TertiumError, match="the frame has no column 'hyp'; it has: src, ref, ref2, mt, other"):
        accessor.score(hyp="hyp")
    with pytest.raises(tt.TertiumError, match="bleu needs references"):
        accessor.score(ref=None)
    with pytest.raises(tt.TertiumError, match="the frame has 2 columns 'mt'; rename all but one"):
        frame.rename(columns={"other": "mt"}).tertium.score()
    with pytest.raises(tt.TertiumError, match=r"mt\[0\] is int 1; expected a string"):
        frame.assign(mt=1).tertium.score()
    with pytest.raises(tt.TertiumError, match="is empty: there is no segment to score"):
        frame.iloc[:0].tertium.segments()


def test_without_pandas() -> None:
    code = "import sys; sys.modules['pandas'] = None\nimport tertium.integrations.pandas"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.stderr.splitlines()[-1].endswith("tertium.integrations.pandas is for pandas: pip install pandas")


def test_without_lightning(monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.integrations.lightning import validation_callback

    for name in ("lightning", "lightning.pytorch", "pytorch_lightning"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tt.TertiumError, match="Lightning is not installed: pip install lightning"):
        validation_callback()


@pytest.mark.parametrize("name", ["evaluate", "torchmetrics", "transformers", "lightning"])
def test_adapters_load_no_library(name: str) -> None:
    code = f"import tertium.integrations.{name}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    heavy = {"numpy", "torch", "pandas", "evaluate", "torchmetrics", "transformers", "lightning", "scipy"}
    assert set(done.stdout.split()) & heavy == set()
