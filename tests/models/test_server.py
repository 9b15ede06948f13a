"""A server that answers: what it is asked, what is made of its answers, and how many at a time."""

import json
from typing import Any

import httpx
import pytest
from tests.models.conftest import Ask
from tests.models.fault_server import HELD, FaultServer

from tertium.core.errors import CancelledError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.models import connection
from tertium.models.connection import ServerError
from tertium.models.language_model import Abilities, Answer, Decoding, LanguageModel, Request
from tertium.models.server import ServerModel


def prompts(*texts: str) -> list[Request]:
    return [Request(prompt=text) for text in texts]


def texts(answers: Any) -> list[str]:
    return [answer.text for answer in answers]


def test_a_text_is_continued(server: FaultServer, ask: Ask) -> None:
    model: LanguageModel = ask()
    [answer] = model.complete([Request(prompt="one", decoding=Decoding(tokens=9, stop=("\n",)))], PLAIN)
    assert answer == Answer(text="ONE", prompt_tokens=3, answer_tokens=2, seconds=answer.seconds)
    [(path, body, _)] = server.requests
    assert path == "/v1/completions"
    assert body == {"model": "small", "prompt": "one", "max_tokens": 9, "temperature": 0.0, "stop": ["\n"]}


def test_a_chat_is_answered(server: FaultServer, ask: Ask) -> None:
    chat = (("system", "Translate."), ("user", "zwei"))
    [answer] = ask().complete([Request(prompt=chat)], PLAIN)
    assert answer.text == "ZWEI"
    [(path, body, _)] = server.requests
    assert path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "system", "content": "Translate."}, {"role": "user", "content": "zwei"}]


def test_samples_have_seeds_of_their_own(server: FaultServer, ask: Ask) -> None:
    sampling = Decoding(temperature=0.7, top_p=0.9, seed=5)
    list(ask().complete([Request(prompt="x", decoding=sampling, sample=k) for k in (0, 1, 0)], PLAIN))
    bodies = [body for _, body, _ in server.requests]
    assert {(body["temperature"], body["top_p"]) for body in bodies} == {(0.7, 0.9)}
    assert len({body["seed"] for body in bodies}) == 2
    assert all(0 <= body["seed"] < 1 << 31 for body in bodies)


def test_answers_come_in_order_and_not_too_many_are_asked_for_at_a_time(server: FaultServer, ask: Ask) -> None:
    wanted = [f"p{k}" for k in range(7)]
    for prompt in wanted[:3]:
        server.plan(prompt, HELD)
    seen: list[int] = []

    def open_when_three_have_come() -> bool:
        server.wait_for(3)  # all three wait at the gate, so no fourth one may come
        seen.append(len(server.requests))
        server.gate.set()
        return False

    assert texts(ask(concurrency=3).complete(prompts(*wanted), Run(cancelled=open_when_three_have_come))) == [
        text.upper() for text in wanted
    ]
    assert seen[0] == 3
    assert server.most == 3
    assert sorted(server.asked()) == wanted


def test_an_early_answer_is_handed_over_at_once(server: FaultServer, ask: Ask) -> None:
    server.plan("late", HELD)
    found = ask().complete_unordered(prompts("late", "early"), PLAIN)
    assert next(found)[0] == 1
    server.gate.set()
    assert [number for number, _ in found] == [0]


def test_work_that_is_cancelled_ends_at_once(server: FaultServer, ask: Ask) -> None:
    server.plan("held", HELD)

    def cancelled() -> bool:
        server.wait_for(1)
        return True

    with pytest.raises(CancelledError, match=r"^cancelled while asking small \(0 of 1\)$"):
        list(ask().complete(prompts("held"), Run(cancelled=cancelled)))


def test_progress_is_told(ask: Ask) -> None:
    told: list[tuple[str, int, int]] = []
    list(ask().complete(prompts("a", "b"), Run(progress=lambda *words: told.append(words))))
    assert told == [("asking small", 1, 2), ("asking small", 2, 2)]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"text": "x", "finish_reason": "length"}, Answer(text="x", finish="length")),
        ({"text": "x", "finish_reason": "content_filter"}, Answer(text="x", finish="other")),
        ({"text": "\ud800x", "finish_reason": "stop"}, Answer(text="?x")),
        (
            {"text": "x", "finish_reason": "stop", "logprobs": {"token_logprobs": [-0.5, -0.25]}},
            Answer(text="x", log_probability=-0.75),
        ),
        (
            {"text": "x", "finish_reason": "stop", "logprobs": {"content": [{"logprob": -2}, {"logprob": -1}]}},
            Answer(text="x", log_probability=-3.0),
        ),
        ({"text": "x", "finish_reason": "stop", "logprobs": None}, Answer(text="x")),
    ],
)
def test_what_servers_say_and_leave_out(ask: Ask, choice: dict[str, Any], expected: Answer) -> None:
    """What is not said is None, and never 0."""
    body = json.dumps({"choices": [choice]})
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    [answer] = ask(transport=transport).complete(prompts("x"), PLAIN)
    assert answer == Answer(**{**vars(expected), "seconds": answer.seconds})


@pytest.mark.parametrize("value", [None, "0", True, 0.5, float("nan")])
def test_a_log_probability_that_is_none_is_no_zero(ask: Ask, value: Any) -> None:
    body = {"choices": [{"text": "x", "logprobs": {"token_logprobs": [-1.0, value]}}]}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=json.dumps(body)))
    with pytest.raises(ServerError, match="is not as OpenAI's interface has it"):
        list(ask(transport=transport).complete(prompts("x"), PLAIN))


def test_a_key_goes_over_no_open_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    with pytest.raises(OptionError) as caught:
        ServerModel("http://models.example.org/v1", "m", key="SOME_KEY")
    assert str(caught.value) == (
        "http://models.example.org/v1: a key would be sent where anybody on the way can read it; use https://"
    )
    for address in ("https://models.example.org/v1", "http://localhost:80/v1", "http://[::1]:80/v1"):
        ServerModel(address, "m", key="SOME_KEY").close()


# Forced continuations


def echo(tokens: list[tuple[str, float | None]], text: str | None = None) -> httpx.MockTransport:
    """A server that repeats the prompt's tokens, with a token of its own behind them."""

    def reply(request: httpx.Request) -> httpx.Response:
        if "chat" in request.url.path or not request.url.path.endswith("/completions"):
            return httpx.Response(404, json={})
        if not json.loads(request.content).get("echo"):
            logprobs: dict[str, Any] = {"tokens": ["!"], "token_logprobs": [-0.1]}
        else:
            pieces = [*tokens, (" more", -9.0)]
            logprobs = {"tokens": [t for t, _ in pieces], "token_logprobs": [value for _, value in pieces]}
        return httpx.Response(200, json={"choices": [{"text": text or "x", "logprobs": logprobs}]})

    return httpx.MockTransport(reply)


def test_a_server_that_echoes_scores_a_continuation(ask: Ask) -> None:
    model = ask(transport=echo([("One", None), (" two", -1.0), (" thr", -2.0), ("ee", -0.5)]))
    assert model.abilities.forcing == "echo"
    assert (model.abilities.completes, model.abilities.chats) == (True, False)
    [score] = model.force([("One two", " three")], PLAIN)
    assert score.tokens == (" thr", "ee")
    assert score.total == -2.5


def test_a_token_across_the_border_belongs_to_the_continuation(ask: Ask) -> None:
    model = ask(transport=echo([("One", None), (" tw", -1.0), ("o th", -2.0), ("ree", -0.5)]))
    [score] = model.force([("One two", " three")], PLAIN)
    assert score.tokens == ("o th", "ree")


@pytest.mark.parametrize(
    "tokens",
    [
        [("One", None), (" two", -1.0)],  # only the prompt
        [("One", None), (" two", -1.0), (" four!", -1.0)],  # another text
        [("One two three", None)],  # no probability of the first token
        [("One", None), (" two", -1.0), (" three", 0.5)],  # no log-probability
    ],
)
def test_an_echo_that_is_none_is_no_score(ask: Ask, tokens: list[tuple[str, float | None]]) -> None:
    model = ask(transport=echo(tokens))
    assert model.abilities.forcing == "top"  # of its own tokens it gives some
    with pytest.raises(OptionError) as caught:
        list(model.force([("One two", " three")], PLAIN))
    assert str(caught.value) == (
        "small: the server gives no log-probabilities of a given text (only those of the likeliest tokens); take a "
        "GGUF file (gguf:PATH), a Hugging Face folder (hf:PATH), or a server of llama.cpp or vLLM"
    )


def test_a_server_that_ignores_echo_has_no_scores(server: FaultServer, ask: Ask) -> None:
    model = ask()
    assert (model.abilities.completes, model.abilities.chats, model.abilities.forcing) == (True, True, "none")
    asked = len(server.requests)
    assert model.abilities.chats
    assert len(server.requests) == asked  # it is asked once what it can do


def test_an_empty_continuation_is_no_certainty(ask: Ask) -> None:
    with pytest.raises(OptionError, match=r"^small: an empty continuation has no log-probability; give it some text$"):
        list(ask().force([("One", "")], PLAIN))


def test_half_a_character_is_refused() -> None:
    with pytest.raises(OptionError, match=r"^a prompt has the lone surrogate U\+D800, which is not text"):
        Request(prompt="a\ud800")


# What a server shows of itself


def test_a_server_that_only_chats(ask: Ask) -> None:
    def reply(request: httpx.Request) -> httpx.Response:
        if "chat" not in request.url.path:
            return httpx.Response(404, json={"error": "no such thing"})
        return httpx.Response(200, json={"choices": [{"message": {"content": None}, "finish_reason": "stop"}]})

    model = ask(transport=httpx.MockTransport(reply))
    assert model.abilities == Abilities(completes=False, chats=True, samples=True, forcing="none")
    [answer] = model.complete([Request(prompt=(("user", "x"),))], PLAIN)
    assert answer.text == ""


def test_a_server_without_such_a_model(server: FaultServer, ask: Ask) -> None:
    model = ask(transport=httpx.MockTransport(lambda _: httpx.Response(404, json={})))
    with pytest.raises(ServerError) as caught:
        _ = model.abilities
    assert str(caught.value) == f"{server.address}: refuses both texts and chats of model 'small'; is that its name?"


@pytest.mark.parametrize("code", [401, 429])
def test_a_server_that_lets_nobody_in_is_not_one_that_cannot(ask: Ask, code: int) -> None:
    model = ask(transport=httpx.MockTransport(lambda _: httpx.Response(code)))
    with pytest.raises(ServerError, match=f"status {code}"):
        _ = model.abilities
    with pytest.raises(ServerError, match=f"status {code}"):
        list(model.force([("a", "b")], PLAIN))


def test_an_answer_that_is_a_list(ask: Ask) -> None:
    model = ask(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=[])))
    with pytest.raises(
        ServerError, match="the answer is a JSON list, not an object; it is not asked for a second time"
    ):
        list(model.complete(prompts("x"), PLAIN))


def test_an_answer_without_end(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LARGEST", 1 << 20)
    model = ask(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=b" " * ((1 << 20) + 1))))
    with pytest.raises(ServerError, match="the answer has more than 1 MB, which no answer has"):
        list(model.complete(prompts("x"), PLAIN))


@pytest.mark.parametrize("address", ["http://[::1/v1", "http://h:port/v1", "nowhere"])
def test_what_is_no_address(address: str) -> None:
    model = ServerModel(address, "m")
    with pytest.raises(ServerError, match="no address of a server"):
        list(model.complete(prompts("x"), PLAIN))
    model.close()
