"""Metrics that ask language models: nothing is asked twice, nothing is guessed, no key is anywhere."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.fault_server import HANG, ODD, RESET, SHORT, TRUNCATED, WRONG, Fault, FaultServer, prompt_of, status
from tests.models.judges import FakeJudge

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import Span
from tertium.core.testset import References
from tertium.engines import door
from tertium.metrics._judging import QUESTIONS
from tertium.metrics.llm_judge import LlmJudge
from tertium.models import at_hand
from tertium.models.cache import AnswerCache
from tertium.models.language_model import Abilities
from tertium.models.open import is_language_model
from tertium.models.server import ServerModel

SECRET = "sk-very-secret-0123456789"
SOURCES, REFERENCES = (
    ["Der Hund schläft.", "Guten Tag.", "Ich habe Hunger."],
    ["The dog sleeps.", "Hello.", "I am hungry."],
)
OUTPUTS = ["The dog is asleep.", "Good day.", "I am angry."]
ANSWERS = {OUTPUTS[0]: "95", OUTPUTS[1]: "I cannot say.", OUTPUTS[2]: "Score: 35/100"}


def small_testset(n: int = 3) -> tt.TestSet:
    references = References((tt.Lines.of(REFERENCES[:n]),), n)
    lines = tt.Lines.of(SOURCES[:n])
    return tt.TestSet(
        name="t", segments=n, sources=lines, references=references, source_language="de", target_language="en"
    )


def system(*outputs: str | None) -> tt.System:
    return tt.System(name="s", outputs=tt.Lines.of(outputs or OUTPUTS))


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No model is open before a test, nor behind it."""
    at_hand.opened.cache_clear()
    yield
    at_hand.opened.cache_clear()


@pytest.fixture
def judge(server: FaultServer, ask: Callable[..., ServerModel], monkeypatch: pytest.MonkeyPatch) -> FaultServer:
    """The server as a judge that answers messages, and never lets anybody wait."""

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        said = re.findall(r'Translation: "(.*)"', prompt_of(body))
        text = ANSWERS[said[0]] if said else "yes"
        chosen = {"message": {"role": "assistant", "content": text}} if "chat" in path else {"text": text}
        return {"choices": [{"index": 0, "finish_reason": "stop", **chosen}]}

    server.reply = reply
    monkeypatch.setattr(at_hand, "open_model", lambda *_, key=None, **__: ask(key=key, attempts=3))
    return server


def prompts(server: FaultServer) -> list[str]:
    """What was asked about translations; a server is also asked what it can do."""
    return [text for text in server.asked() if "Translation:" in text]


def evaluate(metric: str, cache: Path | None = None, outputs: tuple[str | None, ...] = ()) -> tt.Evaluation:
    return tt.evaluate(small_testset(), [system(*outputs)], [metric], run=tt.Run(cache=cache and str(cache)))


NAMED = 'llm_judge(model="https://judge.example/v1#small")'


def test_answers_are_scores_and_what_cannot_be_read_is_not_scored(judge: FaultServer, tmp_path: Path) -> None:
    evaluation = evaluate(NAMED, tmp_path)
    [stats], [score] = evaluation.table.values(), evaluation.scores()
    assert stats.scored.tolist() == [True, False, True]
    assert np.asarray(stats.rows).tolist() == [[95, 1], [0, 0], [35, 1]]
    assert (score.value, score.n) == (65, 2)
    assert (
        f"s: 1 of 3 segments is not scored by {score.metric}, the judge's answer could not be read: 2"
        in evaluation.warnings
    )
    bodies = [body for path, body, _ in judge.requests if "completions" in path]
    assert {body["temperature"] for body in bodies} == {0}
    assert len(prompts(judge)) == 3  # what cannot be read is not asked once more
    assert all(" from German into English" in text for text in prompts(judge))


def test_the_second_run_asks_nothing(judge: FaultServer, tmp_path: Path) -> None:
    first = evaluate(NAMED, tmp_path).scores()
    asked = len(judge.requests)
    at_hand.opened.cache_clear()
    assert evaluate(NAMED, tmp_path).scores() == first
    assert len(judge.requests) == asked
    evaluate(NAMED.replace(")", ', prompt="sqm")'), tmp_path)
    assert len(judge.requests) == asked + 3  # another question; what it can do is known


def test_texts_and_signatures_say_what_was_asked_of_whom(judge: FaultServer, tmp_path: Path) -> None:  # noqa: ARG001
    [score] = evaluate(NAMED, tmp_path).scores()
    assert re.fullmatch(r'llm_judge\(model="small@[0-9a-f]{8}"\)', score.metric)
    assert str(tt.parse(score.metric)) == score.metric
    parts = dict(part.partition(":")[::2] for part in score.signature.split("|")[1:])
    assert parts["prompt"] == f"da@{QUESTIONS['da'].digest}"
    assert (parts["ask"], parts["decoding"]) == ("chat", "greedy/256")
    assert len(parts["identity"]) == 12
    assert "127.0.0.1" not in score.signature


@pytest.mark.parametrize("fault", [status(429, Retry_After="7"), status(500), RESET], ids=["429", "500", "reset"])
def test_what_fails_for_the_moment_is_asked_again(
    fault: Fault, judge: FaultServer, pauses: list[float], tmp_path: Path
) -> None:
    expected = evaluate(NAMED).scores()[0].value
    judge.plan(prompts(judge)[0], fault)
    at_hand.opened.cache_clear()
    assert evaluate(NAMED, tmp_path).scores()[0].value == expected
    if fault.how.get("code") == 429:
        assert pauses == [7]


@pytest.mark.parametrize(
    "fault",
    [TRUNCATED, SHORT, WRONG, ODD, status(401), status(400)],
    ids=["truncated", "short", "wrong", "odd", "401", "400"],
)
def test_what_fails_for_good_is_one_sentence_and_what_came_is_kept(
    fault: Fault, judge: FaultServer, tmp_path: Path
) -> None:
    evaluate(NAMED, None)
    third = next(text for text in prompts(judge) if "angry" in text)
    judge.plan(third, fault)
    at_hand.opened.cache_clear()
    with pytest.raises(InputError) as refused:
        evaluate(NAMED, tmp_path)
    assert "\n" not in str(refused.value)
    [file] = tmp_path.glob("*.sqlite3")
    with AnswerCache(file) as kept:
        had = len(kept)
    before = len(prompts(judge))
    evaluate(NAMED, tmp_path)
    assert len(prompts(judge)) - before == 3 - had  # those that came are not paid for again
    assert judge.charged[third] <= 3


def test_a_judge_that_hangs_can_be_cancelled(judge: FaultServer) -> None:
    evaluate(NAMED)
    judge.plan(prompts(judge)[0], HANG)
    before = len(judge.requests)

    def cancelled() -> bool:
        return len(judge.requests) > before

    with pytest.raises(tt.TertiumError, match="cancelled"):
        tt.evaluate(small_testset(), [system()], [NAMED], run=tt.Run(cancelled=cancelled))


def test_a_key_is_nowhere(judge: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", SECRET)
    named = 'llm_judge(model="https://judge.example/v1#small key=JUDGE_KEY", prompt="da")'
    evaluation = evaluate(named, tmp_path / "cache")
    assert judge.requests[-1][2]["Authorization"] == f"Bearer {SECRET}"
    tt.save(evaluation, tmp_path / "e.zip")
    tt.make_report(evaluation).save(tmp_path / "r.html")
    told = [str(evaluation.scores()), repr(evaluation.metrics), str(evaluation.signatures), str(evaluation.warnings)]
    judge.plan(prompts(judge)[0], status(401, f"no such key: {SECRET}"))
    at_hand.opened.cache_clear()
    with pytest.raises(InputError) as refused:
        evaluate(named)
    told += [str(refused.value), repr(refused.value)]
    assert not [text for text in told if SECRET in text]
    import zipfile

    with zipfile.ZipFile(tmp_path / "e.zip") as archive:
        assert not [name for name in archive.namelist() if SECRET.encode() in archive.read(name)]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not [path.name for path in files if SECRET.encode() in path.read_bytes()]


def test_a_key_is_a_variable_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    with pytest.raises(OptionError, match="the environment has no variable JUDGE_KEY"):
        evaluate('llm_judge(model="https://judge.example/v1#small key=JUDGE_KEY")')
    with pytest.raises(OptionError) as refused:
        evaluate(f'llm_judge(model="https://judge.example/v1#small key={SECRET}")')
    assert SECRET not in str(refused.value)


# With judges in this process


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeJudge]:
    monkeypatch.setattr(at_hand, "open_model", lambda *_, **__: FakeJudge())
    return FakeJudge


@pytest.mark.parametrize(
    ("prompt", "best", "better", "limits"),
    [
        ("da", 100, "higher", (0, 100)), ("sqm", 100, "higher", (0, 100)), ("stars", 5, "higher", (1, 5)),
        ("classes", 4, "higher", (0, 4)), ("mqm", 0, "lower", (0, 25)),
    ],
)  # fmt: skip
def test_every_prompt_has_a_range_and_a_best(
    prompt: str,
    best: float,
    better: str,
    limits: tuple[float, float],
    fake: type[FakeJudge],  # noqa: ARG001
) -> None:
    metric = tt.parse(f'llm_judge(model="gemma", prompt="{prompt}")')
    assert (metric.better, metric.range) == (better, limits)
    perfect = tt.evaluate(small_testset(), [system(*REFERENCES)], [metric]).scores()[0].value
    assert perfect == best
    other = evaluate(str(metric)).scores()[0].value
    assert limits[0] <= other <= limits[1]
    assert other > best if better == "lower" else other < best


@pytest.mark.parametrize("metric", ['llm_judge(model="gemma")', 'lm_likelihood(model="gemma")'])
def test_shards_order_and_missing_texts(metric: str, fake: type[FakeJudge]) -> None:  # noqa: ARG001
    """Laws of all metrics: parts merge, order is nothing, an empty output is scored and a missing one is not."""
    chosen, outputs = tt.parse(metric), tt.Lines.of(["", None, "x"])
    prepared = door.prepare(chosen, small_testset())
    rows = door.count(chosen, outputs, prepared)
    assert rows.scored.tolist() == [True, False, True]
    assert np.asarray(rows.rows)[1].tolist() == [0, 0]
    for numbers in ([2, 0, 1], [0], [1], [2, 2]):
        taken = door.count(chosen, outputs.take(np.array(numbers)), prepared.take(np.array(numbers)))
        assert np.array_equal(np.asarray(taken.rows), np.asarray(rows.rows)[numbers])
    total = np.asarray(rows.rows).sum(axis=0)
    assert float(chosen.score(total)) == pytest.approx(total[0] / total[1], abs=1e-12)


def test_without_references_none_is_shown(fake: type[FakeJudge], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    say = fake.say
    monkeypatch.setattr(fake, "say", lambda self, prompt: seen.append(prompt) or say(self, prompt))
    evaluate('llm_judge(model="gemma", references=False)')
    assert len(seen) == 3
    assert not any("Reference" in prompt for prompt in seen)
    bare = tt.TestSet(name="t", segments=1, sources=tt.Lines.of(["a"]))
    with pytest.raises(InputError, match=r"or references=False, if the model can do without"):
        tt.evaluate(bare, [system("b")], ['llm_judge(model="gemma")'])
    several = References((tt.Lines.of(["one"]), tt.Lines.of(["two"])), 1)
    two = tt.TestSet(name="t", segments=1, sources=tt.Lines.of(["a"]), references=several)
    tt.evaluate(two, [system("b")], ['llm_judge(model="gemma")'])
    assert 'Reference 1: "one"\nReference 2: "two"' in seen[-1]


def test_errors_are_marks(fake: type[FakeJudge], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = 'major; accuracy/mistranslation; "angry"\nminor; accuracy/omission; "habe"\nminor; other; "nowhere"'
    monkeypatch.setattr(fake, "say", lambda _, prompt: said if "angry" in prompt else "no errors")
    metric, run = tt.parse('llm_judge(model="gemma", prompt="mqm")'), tt.Run(cache=str(tmp_path))
    prepared = door.prepare(metric, small_testset(), run)
    first, _, third = door.marks(metric, tt.Lines.of(OUTPUTS), prepared, run)
    assert first.spans == ()
    assert third.spans == (
        Span(start=5, end=10, severity="major", category="accuracy/mistranslation"),
        Span(start=4, end=8, severity="minor", category="accuracy/omission", side="source"),
        Span(start=0, end=0, severity="minor", category="other", side="none"),
    )
    assert door.gives_marks(metric, run)
    assert not door.gives_marks(metric, tt.Run())  # where answers are not kept, a picture would be paid for
    assert not door.gives_marks(tt.parse('llm_judge(model="gemma")'), run)
    [score] = tt.evaluate(small_testset(), [system()], [metric], run=run).scores()
    assert score.value == pytest.approx(7 / 3, abs=1e-12)


def test_a_list_that_was_cut_off_is_not_scored(fake: type[FakeJudge], monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.models.language_model import Answer

    monkeypatch.setattr(
        fake, "complete", lambda _, requests, *__: (Answer(text="no errors", finish="length") for _ in requests)
    )
    evaluation = evaluate('llm_judge(model="gemma", prompt="mqm")')
    assert np.isnan(evaluation.scores()[0].value)
    assert any(text.endswith("the judge's answer could not be read: 1, 2, 3") for text in evaluation.warnings)


def test_thoughts_are_no_answer(fake: type[FakeJudge], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake, "say", lambda *_: "<think>Is it 20 or 30?</think>\n80")
    assert evaluate('llm_judge(model="gemma")').scores()[0].value == 80


def test_a_replayed_judge_is_the_same_metric(
    fake: type[FakeJudge],  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = evaluate('llm_judge(model="gemma")', tmp_path).scores()
    [file] = tmp_path.glob("*.sqlite3")
    with AnswerCache(file) as answers:
        answers.export(tmp_path / "said.jsonl")
    monkeypatch.undo()
    at_hand.opened.cache_clear()
    assert evaluate(f'llm_judge(model="replay:{tmp_path}/said.jsonl")').scores() == first


def test_a_program_is_asked_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "judge.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    print(90 if line.startswith('How good') else 'no')\n")
    import sys

    [score] = evaluate(f'llm_judge(model="command:{sys.executable} {program}")').scores()
    assert (score.value, score.n) == (90, 3)
    assert str(tmp_path) not in score.signature
    assert "|ask:text|decoding:greedy/32|" in score.signature


# Likelihood


def test_likelihood_is_per_token_and_the_best_of_references(fake: type[FakeJudge]) -> None:
    """By hand: after a longer text the fake finds each of the tokens likelier: -1/(3 + length + place)."""
    several = References((tt.Lines.of(["a"]), tt.Lines.of(["aaaa"])), 1)
    both = tt.TestSet(name="t", segments=1, sources=tt.Lines.of(["s"]), references=several)
    [stats] = tt.evaluate(both, [system("b")], ['lm_likelihood(model="gemma")']).table.values()
    length = len("aaaa\nIn other words:")
    expected = sum(-1 / (3 + length + place) for place in range(3))  # a blank, b, the end of the line
    assert np.asarray(stats.rows).tolist() == [[pytest.approx(expected, abs=1e-15), 3]]
    metric = tt.parse('lm_likelihood(model="gemma")')
    assert float(metric.score(np.array([-6.0, 3.0]))) == -2
    assert fake.identity == "fake 1"


def test_likelihood_says_what_it_is(fake: type[FakeJudge], monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluate('lm_likelihood(model="gemma", after="source")')
    assert any("lm_likelihood is an experiment" in text for text in evaluation.warnings)
    assert "experimental" in tt.parse("lm_likelihood").title
    from tertium.models.language_model import Abilities

    monkeypatch.setattr(fake, "abilities", Abilities(chats=True))
    at_hand.opened.cache_clear()
    with pytest.raises(OptionError, match="fake gives no log-probabilities of a given text"):
        evaluate('lm_likelihood(model="gemma")')


# What is refused


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [
        ("llm_judge", "llm_judge needs a language model: "),
        ("lm_likelihood", "lm_likelihood needs a language model: "),
        ('llm_judge(model="small.gguf")', "unknown language model 'small.gguf'; known: gguf:PATH"),
        (
            'llm_judge(model="small@01234567")',
            "language model small@01234567 is not at hand; say what it is (gguf:PATH",
        ),
        ('llm_judge(model="gguf:/nowhere.gguf")', "model '/nowhere.gguf': no such file or folder"),
    ],
)
def test_models_that_are_none(metric: str, sentence: str) -> None:
    with pytest.raises(tt.TertiumError) as refused:
        evaluate(metric)
    assert str(refused.value).startswith(sentence)


def test_options_that_are_none() -> None:
    with pytest.raises(OptionError, match="choose from da, sqm, stars, classes, mqm"):
        tt.parse('llm_judge(prompt="gemba")')
    with pytest.raises(OptionError, match="an answer has at least 1"):
        tt.parse("llm_judge(tokens=-1)")
    with pytest.raises(OptionError, match="fills gaps and does not write texts; take another one"):
        LlmJudge()._way(Abilities(completes=False, fills=True))
    with pytest.raises(OptionError, match='cannot be asked by ask="chat"; leave it out, or write "text"'):
        evaluate('llm_judge(model="command:cat", ask="chat")')


@pytest.mark.parametrize("model", ["gemma", "command:cat", "https://judge.example/v1#m", "gguf:x", "small@01234567"])
@pytest.mark.parametrize("name", ["llm_judge", "lm_likelihood"])
def test_strangers_name_no_model(name: str, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_: Any, **__: Any) -> None:
        raise AssertionError("a stranger's model was opened")

    monkeypatch.setattr(at_hand, "open_model", opened)
    with pytest.raises(OptionError, match="names a file or a function of this computer"):
        tt.evaluate(small_testset(), [system()], [f'{name}(model="{model}")'], trusted=False)


def test_what_language_models_are_called() -> None:
    assert all(map(is_language_model, ["gemma", "gguf:a.gguf", "http://h/v1#m", "https://h#m", "command:cat x"]))
    assert not any(map(is_language_model, ["models/comet", "C:/x", "a.gguf", "", "gguf/x", "gemma/x"]))
    assert at_hand._name_of("command:/usr/bin/cat -u") == "cat"
    assert at_hand._name_of("org/model@7") == "model-7"
