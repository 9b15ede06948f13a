"""A server that fails: each fault ends in an answer or in one clear sentence, nothing is charged twice, the cache is
intact, and the key is nowhere."""

import json
import logging
import pickle
import socket
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.models.conftest import Ask
from tests.models.fault_server import (
    HANG,
    HELD,
    ODD,
    RESET,
    SHORT,
    SLOW,
    TRUNCATED,
    WRONG,
    Fault,
    FaultServer,
    answer,
    status,
)

from tertium.core.errors import OptionError
from tertium.core.run import PLAIN, Run
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.connection import Connection, Patience, ServerError
from tertium.models.key import Key
from tertium.models.language_model import Request
from tertium.models.server import ServerModel

ONCE = "; it is not asked for a second time, because it may have been charged: start again to ask for it (answers in "
ONCE += "the cache are kept)"
NO_KEY = "no key was sent; name the variable of the environment that has it (key=)"
GOOD = json.dumps(answer("/v1/completions", {"prompt": "b"}))


def ask_three(model: Any) -> list[str]:
    return [answer.text for answer in model.complete([Request(prompt=text) for text in ("a", "b", "c")], PLAIN)]


# What passes


@pytest.mark.parametrize(
    ("faults", "waited"),
    [
        ([status(429, Retry_After="7")], [7.0]),
        ([status(429, Retry_After="0"), status(429, Retry_After="2.5")], [0.0, 2.5]),
        ([status(429)], [0.5]),
        ([status(408), status(409), status(500)], [0.5, 1.0, 2.0]),
        ([status(503), status(502), status(504), status(500), status(529)], [0.5, 1.0, 2.0, 4.0, 8.0]),
        ([RESET], [0.5]),
        ([RESET, RESET, status(500, Retry_After="soon")], [0.5, 1.0, 2.0]),
    ],
)
def test_what_passes_is_asked_again(
    server: FaultServer, ask: Ask, cache: AnswerCache, pauses: list[float], faults: list[Fault], waited: list[float]
) -> None:
    server.plan("b", *faults)
    model = CachedModel(ask(), cache)
    assert ask_three(model) == ["A", "B", "C"]
    assert pauses == waited
    assert server.charged == {"a": 1, "b": 1, "c": 1}
    assert len(server.requests) == 3 + len(faults)
    assert (model.calls, len(cache)) == (3, 3)
    assert ask_three(model) == ["A", "B", "C"]
    assert len(server.requests) == 3 + len(faults)


def test_pauses_grow_to_a_limit_and_differ(server: FaultServer, ask: Ask, pauses: list[float]) -> None:
    server.plan("a", *[status(500)] * 9)
    model = ask(attempts=10, pause=1.0, longest=5.0)
    model.connection._jitter = iter([0.0, 1.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).__next__
    assert ask_three(model) == ["A", "B", "C"]
    assert pauses == [0.5, 2.0, 3.0, 2.5, 5.0, 2.5, 2.5, 2.5, 2.5]


@pytest.mark.parametrize(
    ("date", "after", "waited"),
    [
        ("Wed, 18 Nov 2026 10:00:00 GMT", "Wed, 18 Nov 2026 10:00:30 GMT", 30.0),
        ("Wed, 18 Nov 2026 10:00:00 GMT", "Wed, 18 Nov 2026 09:00:00 GMT", 0.0),
        (None, "Wed, 18 Nov 2026 10:00:30 GMT", 0.5),
        ("Wed, 18 Nov 2026 10:00:00 GMT", "-3", 0.0),
        ("Wed, 18 Nov 2026 10:00:00 GMT", "nan", 0.5),
        ("Wed, 18 Nov 2026 10:00:00 GMT", "inf", 0.5),
    ],
)
def test_a_server_may_name_a_time(ask: Ask, pauses: list[float], date: str | None, after: str, waited: float) -> None:
    """Against its own clock: ours may go otherwise."""
    headers = {"Retry-After": after} | ({"Date": date} if date else {})
    answers = iter([httpx.Response(503, headers=headers), httpx.Response(200, json={"choices": [{"text": "x"}]})])
    model = ask(transport=httpx.MockTransport(lambda _: next(answers)))
    assert [answer.text for answer in model.complete([Request(prompt="x")], PLAIN)] == ["x"]
    assert pauses == [waited]


def test_an_attempt_that_ran_out_of_time_is_made_again(ask: Ask, pauses: list[float]) -> None:
    numbers = count()

    def reply(request: httpx.Request) -> httpx.Response:
        if next(numbers) == 0:
            raise httpx.ReadTimeout("", request=request)
        return httpx.Response(200, json={"choices": [{"text": "x"}]})

    [answer] = ask(transport=httpx.MockTransport(reply)).complete([Request(prompt="x")], PLAIN)
    assert answer.text == "x"
    assert pauses == [0.5]


# What does not pass


def refusal(model: Any) -> str:
    with pytest.raises(ServerError) as caught:
        ask_three(model)
    assert caught.value.__suppress_context__ or caught.value.__cause__ is None
    return str(caught.value)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (400, "the request was refused (status 400): bad stop"),
        (401, f"not allowed (status 401): bad stop; {NO_KEY}"),
        (403, f"not allowed (status 403): bad stop; {NO_KEY}"),
        (404, "there is no /completions, or no such model (status 404): bad stop; an address often ends in /v1, and "
              "the model comes behind #"),
        (301, "the request was refused (status 301): bad stop"),
    ],
)  # fmt: skip
def test_what_is_refused_for_good_is_not_asked_again(
    server: FaultServer, ask: Ask, cache: AnswerCache, pauses: list[float], code: int, expected: str
) -> None:
    server.plan("b", status(code, "bad\n  stop"))
    assert refusal(CachedModel(ask(), cache)) == f"{server.address}: {expected}"
    assert server.asked().count("b") == 1
    assert pauses == []


def test_patience_ends(server: FaultServer, ask: Ask, cache: AnswerCache, pauses: list[float]) -> None:
    server.plan("b", *[status(503, "busy")] * 9)
    model = CachedModel(ask(attempts=3), cache)
    assert refusal(model) == f"{server.address}: status 503: busy after 3 attempts"
    assert len(pauses) == 2
    server.plan("b")
    assert ask_three(model) == ["A", "B", "C"]  # what had come was kept
    assert server.charged == {"a": 1, "b": 1, "c": 1}


def test_nobody_waits_longer_than_was_said(server: FaultServer, ask: Ask, pauses: list[float]) -> None:
    server.plan("a", status(429, "slow down", Retry_After="3600"))
    assert refusal(ask(concurrency=1)) == (
        f"{server.address}: status 429: slow down after 1 attempt; the next would come 3600 seconds later, beyond the "
        f"600 seconds for one call (whole=)"
    )
    assert pauses == []


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (TRUNCATED, f"the answer is JSON that breaks off: {GOOD[:len(GOOD) // 2]!r}{ONCE}"),
        (WRONG, "the answer is text/html, not JSON: '<html>Welcome</html>'; is this the address of an API (it often "
                "ends in /v1)?" + ONCE),
        (SHORT, "the answer broke off (peer closed connection without sending complete message body (received 10 "
                f"bytes, expected {len(GOOD)})){ONCE}"),
        (ODD, "the answer to /completions is not as OpenAI's interface has it (it holds: data, object); it is not "
              "asked for again"),
    ],
    ids=["truncated", "wrong", "short", "odd"],
)  # fmt: skip
def test_what_may_have_been_charged_is_not_asked_again(
    server: FaultServer, ask: Ask, cache: AnswerCache, pauses: list[float], fault: Fault, expected: str
) -> None:
    server.plan("b", fault)
    model = CachedModel(ask(), cache)
    assert refusal(model) == f"{server.address}: {expected}"
    assert (pauses, server.asked().count("b")) == ([], 1)
    assert max(server.charged.values()) == 1
    assert len(cache) == 2  # a and c had been begun: they were finished and kept
    assert ask_three(model) == ["A", "B", "C"]
    assert server.charged == {"a": 1, "b": 2, "c": 1}  # the second time because somebody asked


def test_a_body_that_dribbles_ends_with_the_time_for_a_call(server: FaultServer, ask: Ask, pauses: list[float]) -> None:
    server.plan("a", SLOW)
    ticks = count()  # a second goes by whenever somebody looks at the clock
    model = ask(clock=lambda: float(next(ticks)), whole=0.5, concurrency=1)
    assert refusal(model) == f"{server.address}: the answer was not whole after 0.5 seconds (whole=){ONCE}"
    assert (server.asked(), pauses) == (["a"], [])


class Stops(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"choices'
        raise httpx.ReadTimeout("")


def test_a_body_that_stops_ends_with_the_time_for_a_byte(server: FaultServer, ask: Ask, pauses: list[float]) -> None:
    model = ask(transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Stops())), concurrency=1)
    assert refusal(model) == (f"{server.address}: the answer broke off: nothing came for 180 seconds (read=){ONCE}")
    assert (model.connection.calls, pauses) == (1, [])


def test_a_server_that_hangs(server: FaultServer, ask: Ask, pauses: list[float]) -> None:
    server.plan("a", HANG, HANG)
    said = refusal(ask(read=0.05, attempts=2, concurrency=1))
    assert said == f"{server.address}: no answer for 0.05 seconds (read=) after 2 attempts"
    assert pauses == [0.5]
    assert server.charged == {}


def test_a_connection_that_is_reset_again_and_again(server: FaultServer, ask: Ask) -> None:
    server.plan("a", RESET, RESET)
    said = refusal(ask(attempts=2, concurrency=1))
    assert said.startswith(f"{server.address}: the connection broke off (")
    assert said.endswith(") after 2 attempts")


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = ServerModel(address, "m")
        said = refusal(model)
        assert model.connection.calls == 3  # one attempt for each prompt
        with pytest.raises(ServerError, match="no connection"):
            _ = model.abilities
        model.close()
    assert said == (
        f"{address}: no connection (All connection attempts failed); is the server running, is the address right?"
    )


def test_what_was_begun_is_finished_and_kept(server: FaultServer, ask: Ask, cache: AnswerCache) -> None:
    """One call fails while another is under way, which will be charged."""
    server.plan("a", HELD)
    server.plan("b", status(400, "no"))
    model = CachedModel(ask(), cache)

    def open_the_gate() -> bool:
        server.wait_for(2)
        server.gate.set()
        return False

    with pytest.raises(ServerError, match="status 400"):
        list(model.complete([Request(prompt="a"), Request(prompt="b")], Run(cancelled=open_the_gate)))
    assert (len(cache), model.calls) == (1, 1)
    assert [answer.text for answer in model.complete([Request(prompt="a")], PLAIN)] == ["A"]
    assert server.charged == {"a": 1}


# The key

SECRET = "sk-Zq81-very-secret"


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TEST_KEY", SECRET)
    return "TEST_KEY"


def test_a_key_is_sent_and_appears_nowhere(
    server: FaultServer, ask: Ask, tmp_path: Path, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    server.plan("a", status(500, f"key {SECRET} is tired"))
    with AnswerCache(tmp_path / "answers.sqlite3") as cache:
        model = CachedModel(ask(key=secret), cache)
        assert ask_three(model) == ["A", "B", "C"]
        assert {headers["Authorization"] for _, _, headers in server.requests} == {f"Bearer {SECRET}"}
        for fault in (status(401, f"wrong key {SECRET}"), status(400, SECRET), *[status(503, "x" * 295 + SECRET)] * 6):
            server.plan("d", *[fault] * 6)
            with pytest.raises(ServerError) as caught:
                list(model.complete([Request(prompt="d")], PLAIN))
            said.append(f"{caught.value!r}{caught.value}{caught.getrepr(showlocals=False)}")
        said += [repr(model.identity), repr(vars(model)), repr(vars(model.model)), cache_text(cache, tmp_path)]
    said += [path.read_bytes().decode("latin-1") for path in tmp_path.iterdir()]
    assert len(list(tmp_path.iterdir())) >= 2
    assert "(key)" in said[0]
    for text in [*said, caplog.text]:
        assert SECRET not in text
        assert SECRET[:12] not in text
    assert "the key comes from the variable TEST_KEY" in said[0]


def cache_text(cache: AnswerCache, folder: Path) -> str:
    cache.export(folder / "copy.jsonl")
    return (folder / "copy.jsonl").read_text()


def test_a_key_is_pickled_by_name(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(Key(secret))
    assert SECRET.encode() not in data
    assert pickle.loads(data).headers() == {"Authorization": f"Bearer {SECRET}"}
    monkeypatch.delenv("TEST_KEY")
    with pytest.raises(OptionError, match=r"^key: the environment has no variable TEST_KEY, or it is empty; set it"):
        pickle.loads(data)


def test_a_key_in_place_of_its_name_is_not_repeated() -> None:
    with pytest.raises(OptionError) as caught:
        Key(SECRET)
    assert str(caught.value) == (
        "key: takes the name of a variable of the environment (letters A-Z, digits, _), not a key itself"
    )


@pytest.mark.parametrize("value", ["two\nlines", "schl\u00fcssel", "\x00"])
def test_a_key_that_no_header_can_have(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr("os.environ", {"TEST_KEY": value})
    with pytest.raises(OptionError, match=r"^key: the variable TEST_KEY has characters that no key has"):
        Key("TEST_KEY")


@pytest.mark.parametrize("options", [{"attempts": 0}, {"concurrency": 0}, {"read": 0.0}, {"whole": float("inf")}])
def test_patience_is_checked(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        Patience(**options)


def test_a_connection_that_was_never_used_closes() -> None:
    Connection("http://127.0.0.1:1/v1").close()
