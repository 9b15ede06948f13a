"""Prompts of a real language model: a budget in its own tokens, and a template that is found by search."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.gguf import GgufModel
from tertium.models.language_model import Decoding, token_counter
from tertium.prompt.demonstrations import make_pool
from tertium.prompt.plan import PromptPlan
from tertium.prompt.template import demonstrations_of
from tertium.prompt.templates import find_template
from tertium.prompt.translate import stream

pytestmark = pytest.mark.llm

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = 10  # segments


def texts(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SOURCES, REFERENCES = texts("source.de"), texts("reference.a.en")
ORDER = sorted(range(len(SOURCES)), key=lambda k: (len(SOURCES[k]), k))
TEST, POOL = ORDER[:SHORT], ORDER[SHORT:]
PAIR = {"source_language": "de", "target_language": "en"}


def test_a_budget_in_tokens_is_kept(gemma: GgufModel, tmp_path: Path) -> None:
    """Counted by the model itself, also behind a cache; what it says of the prompt afterwards is the same number."""
    with AnswerCache(tmp_path / "answers.sqlite") as answers:
        model = CachedModel(gemma, answers)
        count = token_counter(model)
        assert count is not None
        plan = PromptPlan(
            template=find_template("A"),
            **PAIR,
            pool=make_pool(demonstrations_of([(SOURCES[k], REFERENCES[k]) for k in POOL]), [SOURCES[TEST[0]]]),
            shots=4,
            budget=80,
            decoding=Decoding(tokens=4),
        )
        [segment] = stream(plan, [SOURCES[TEST[0]]], model, count=count)
    assert segment.prompt is not None
    assert segment.answers[0].prompt_tokens == count(segment.prompt.before) <= 80
    assert 1 <= segment.dropped <= 3
    one_more = plan.fill(SOURCES[TEST[0]], plan.pool.demonstrations[segment.dropped - 1 : 4])
    assert count(one_more.before) > 80


def test_a_template_is_found_by_search(gemma: GgufModel, tmp_path: Path) -> None:
    """D, which leaves nearly all empty, is the baseline; A is among the candidates, and better also on test."""
    pairs = [(SOURCES[k], REFERENCES[k]) for k in ORDER[: SHORT + 4]]
    settings = {"template": "D", "paraphrase": (), "candidates": 4, "steps": "none", **PAIR}
    decoding = Decoding(tokens=48, stop=("\n",))
    with AnswerCache(tmp_path / "answers.sqlite") as answers:
        first, second = (CachedModel(gemma, answers) for _ in range(2))
        found = tt.search_templates(first, pairs[::2], pairs[1::2], decoding=decoding, **settings)
        assert tt.search_templates(second, pairs[::2], pairs[1::2], decoding=decoding, **settings) == found
    assert [str(one.template) for one in found.candidates][:1] == ["A"]
    assert found.test.value > found.baseline_test.value
    assert (first.calls, second.calls) == (found.calls, 0)
    assert found.calls == found.forecast.calls
