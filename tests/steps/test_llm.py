"""The step that brings language models has what it promises."""

import pytest

pytestmark = pytest.mark.llm


@pytest.mark.parametrize("package", ["httpx", "xllamacpp"])
def test_what_it_brings(package: str) -> None:
    assert pytest.importorskip(package).__version__


def test_the_index_finds_a_word() -> None:
    bm25s = pytest.importorskip("bm25s")
    texts = ["the cat is on the mat", "a dog barks", "rain again"]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    found, _ = index.retrieve(bm25s.tokenize(["dog"], show_progress=False), k=1, show_progress=False)
    assert found.tolist() == [[1]]
