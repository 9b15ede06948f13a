"""Any bytes give ratings or an error of ours, in every format; what is read can be written and read again."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_batch_files import ITEM, MANIFEST, PAIR, batches
from test_rating_files import FILES

from tertium.core.errors import TertiumError
from tertium.core.testset import TestSet
from tertium.io.ratings.appraise_tasks import read_batches, read_manifest, read_texts_of
from tertium.io.ratings.formats import FORMATS, open_ratings, write_ratings

QUIET = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
WORDS = ["", "0", "1", "-1", "1e999", "nan", "x", "<v>", "</v>", "TGT", "True", "[]", "[1, 2]", "{", '"', "\u2028", "ü",
         "\t", ",", "\n", "\r", "/", "major", "[[0,1,2,3]]", "[{'start_i': 0}]", "9" * 5000, "٣", "\x00"]  # fmt: skip


@st.composite
def damaged(draw, texts):
    """A file with a few fields replaced, doubled or cut off."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + draw(st.sampled_from(WORDS)) + text[end:]
    return text.encode("utf-8", "surrogatepass") + draw(st.binary(max_size=2))


TESTSETS = [None, TestSet(segments=4), TestSet(segments=2, ids=("news/0", "5"), documents=("news", "blog"))]


def check(path: str, form: str, testset: TestSet | None) -> None:
    try:
        found = open_ratings(path, form, testset)
    except TertiumError:
        return
    for judgement in found.judgements:
        assert 0 <= judgement.segment < len(found.testset)
    for target in FORMATS:
        try:
            write_ratings(found.judgements, "out.tsv", found.testset, target, systems=found.systems)
        except TertiumError:
            continue
        again = open_ratings("out.tsv", target, found.testset if target == "tertium" else testset)
        assert [j.value for j in again.judgements] == [j.value for j in found.judgements]


@QUIET
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
def test_damaged_files(form, data):
    texts = [text for sort, text in FILES.values() if sort == form]
    Path("a.tsv").write_bytes(data.draw(damaged(texts)))
    check("a.tsv", data.draw(st.sampled_from([form, "auto"])), data.draw(st.sampled_from(TESTSETS)))


@QUIET
@given(data=st.binary(max_size=200), form=st.sampled_from(["auto", *FORMATS]), name=st.sampled_from(["a.csv", "a.tsv"]))
def test_any_bytes(data, form, name):
    Path(name).write_bytes(data)
    check(name, form, None)


@QUIET
@given(data=damaged([batches(ITEM, PAIR), str(MANIFEST).replace("'", '"')]) | st.binary(max_size=100))
def test_damaged_batches(data):
    Path("a.json").write_bytes(data)
    for read in (read_batches, read_manifest, read_texts_of):
        with contextlib.suppress(TertiumError):
            read("a.json")
