"""Answers are kept by all that can change them, as soon as they are there, and are enough to run again without a
model."""

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.models.fakes import Backwards, Capitals

from tertium.core.errors import InputError
from tertium.core.run import PLAIN
from tertium.io.store import Store, StoreError
from tertium.models.cache import MIGRATIONS, AnswerCache, CachedModel, describe, key_of
from tertium.models.language_model import Abilities, Decoding, Request
from tertium.models.open import open_model
from tertium.models.replay import ReplayModel

ROOT = Path(__file__).parents[2]
REQUEST = Request(prompt="one", decoding=Decoding(tokens=5, stop=("\n",), temperature=0.5, top_p=0.9, seed=3))


def said(model: CachedModel | ReplayModel, *prompts: str) -> list[str]:
    return [answer.text for answer in model.complete([Request(prompt=prompt) for prompt in prompts], PLAIN)]


@pytest.mark.parametrize("kind", [Capitals, Backwards])
def test_a_model_is_asked_once(cache: AnswerCache, kind: type[Capitals]) -> None:
    model = CachedModel(kind(), cache)
    assert said(model, "a", "b", "a", "c") == ["A", "B", "A", "C"]
    assert sorted(model.model.asked) == ["a", "b", "c"]  # type: ignore[attr-defined]
    again = CachedModel(kind(), cache)
    first = list(model.complete([Request(prompt="b")], PLAIN))
    assert list(again.complete([Request(prompt="b")], PLAIN)) == first  # every field
    assert said(again, "c", "d", "a") == ["C", "D", "A"]
    assert again.model.asked == ["d"]  # type: ignore[attr-defined]
    assert (model.calls, again.calls, len(cache)) == (3, 1, 4)


@pytest.mark.parametrize("kind", [Capitals, Backwards])
def test_scores_are_kept_to_the_last_bit(cache: AnswerCache, kind: type[Capitals]) -> None:
    pairs = [("p", "abc"), ("q", "d"), ("p", "abc")]
    scores = list(CachedModel(kind(), cache).force(pairs, PLAIN))
    again = CachedModel(kind(), cache)
    assert list(again.force(pairs, PLAIN)) == scores
    assert again.model.asked == []  # type: ignore[attr-defined]
    assert scores[0].log_probabilities == (-1 / 4, -1 / 5, -1 / 6)


OTHERS = {
    "prompt": replace(REQUEST, prompt="two"),
    "chat": replace(REQUEST, prompt=(("user", "one"),)),
    "role": replace(REQUEST, prompt=(("system", "one"),)),
    "sample": replace(REQUEST, sample=1),
    **{
        name: replace(REQUEST, decoding=replace(REQUEST.decoding, **{name: value}))
        for name, value in {
            "tokens": 6, "stop": ("\n", "x"), "temperature": 0.6, "top_p": 0.8, "seed": 4, "log_probabilities": True,
        }.items()
    },
    "beam": replace(REQUEST, decoding=replace(REQUEST.decoding, temperature=0, beam=2)),
}  # fmt: skip


def test_all_that_can_change_an_answer_is_in_its_key() -> None:
    keys = {name: key_of("m", describe(request)) for name, request in OTHERS.items()}
    keys |= {"same": key_of("m", describe(REQUEST)), "model": key_of("n", describe(REQUEST))}
    keys |= {"score": key_of("m", describe(("one", ""))), "other": key_of("m", describe(("on", "e")))}
    assert len(set(keys.values())) == len(keys)
    fields = set(vars(REQUEST)) | set(vars(REQUEST.decoding))
    assert fields - {"decoding"} <= set(OTHERS)  # a new field is not forgotten
    assert key_of("m", describe(REQUEST)) == keys["same"]


def test_errors_are_not_kept(cache: AnswerCache) -> None:
    model = CachedModel(Capitals(), cache)
    with pytest.raises(RuntimeError):
        said(model, "a", "bad", "c")
    assert len(cache) == 1
    assert said(model, "a", "c") == ["A", "C"]
    assert model.model.asked == ["a", "bad", "c"]  # type: ignore[attr-defined]


KILLED = """
import os, signal, sys
from tests.models.fakes import Backwards
from tertium.core.run import PLAIN
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.language_model import Request

class Deadly(Backwards):
    def complete(self, requests, run):
        with open(sys.argv[2], "a") as asked:
            asked.write(requests[0].prompt + "\\n")
        if sys.argv[3] == requests[0].prompt:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from super().complete(requests, run)

with AnswerCache(sys.argv[1]) as cache:
    model = CachedModel(Deadly(), cache)
    answers = model.complete([Request(prompt=f"p{k}") for k in range(6)], PLAIN)
    print(*(answer.text for answer in answers))
"""


def test_a_process_that_is_killed_asks_nothing_twice(tmp_path: Path) -> None:
    """The answers come last first, so none had been handed to whoever asked; all that had come are there."""
    cache, asked = str(tmp_path / "answers.sqlite3"), tmp_path / "asked"

    def run(deadly: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", KILLED, cache, str(asked), deadly]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert run("p2").returncode == -signal.SIGKILL
    assert asked.read_text().split() == ["p5", "p4", "p3", "p2"]
    assert run("p0").returncode == -signal.SIGKILL
    done = run("nobody")
    assert (done.returncode, done.stdout) == (0, "P0 P1 P2 P3 P4 P5\n")
    # Only what was under way when the process died was asked for again.
    assert asked.read_text().split() == ["p5", "p4", "p3", "p2", "p2", "p1", "p0", "p0"]


def test_abilities_are_not_asked_for_until_somebody_looks(cache: AnswerCache) -> None:
    class Shy(Capitals):
        looked = 0

        @property
        def abilities(self) -> Abilities:  # type: ignore[override]
            Shy.looked += 1
            return Abilities(forcing="echo")

    model = CachedModel(Shy(), cache)
    said(model, "a")
    assert Shy.looked == 0
    assert {model.abilities.forcing, CachedModel(Shy(), cache).abilities.forcing} == {"echo"}
    assert Shy.looked == 1


# Replay


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "recorded.sqlite3"
    with AnswerCache(path) as cache:
        model = CachedModel(Capitals(), cache)
        said(model, "a", "b\u2028\u00e9")
        list(model.force([("p", "xy")], PLAIN))
    return path


def test_a_recording_is_replayed(recorded: Path) -> None:
    model = open_model(f"replay:{recorded}")
    assert (model.name, model.identity, model.abilities.forcing) == ("capitals", "capitals 1", "network")
    assert said(model, "b\u2028\u00e9", "a") == ["B\u2028\u00c9", "A"]  # type: ignore[arg-type]
    assert [score.tokens for score in model.force([("p", "xy")], PLAIN)] == [("x", "y")]
    with pytest.raises(InputError) as caught:
        said(model, "a", f"{'long ' * 20}")  # type: ignore[arg-type]
    assert str(caught.value) == (
        f"{recorded}: has no answer of capitals to {('long ' * 12)!r}... with these settings; ask the model itself "
        f"once, with this cache"
    ).replace("'...", "...'")
    with pytest.raises(InputError, match="has no answer of capitals to 'a' with these settings"):
        list(model.complete([Request(prompt="a", sample=1)], PLAIN))
    with pytest.raises(InputError, match="has no answer of capitals to 'p' with these settings"):
        list(model.force([("p", "z")], PLAIN))
    model.close()


def test_a_recording_is_read_beside_its_owner(recorded: Path) -> None:
    with AnswerCache(recorded) as cache:
        model = ReplayModel(recorded)
        assert said(CachedModel(Capitals(), cache), "new") == ["NEW"]
        assert said(model, "new") == ["NEW"]
        with pytest.raises(StoreError, match="is already open"):
            AnswerCache(recorded)
        model.close()


def test_a_recording_is_a_text_that_can_be_shipped(recorded: Path, tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        with AnswerCache(recorded) as cache:
            cache.export(tmp_path / name)
    text = (tmp_path / "one.jsonl").read_text()
    assert (tmp_path / "two.jsonl").read_text() == text
    assert len(text.splitlines()) >= 4
    (tmp_path / "one.jsonl").chmod(0o444)
    with_sqlite, with_text = ReplayModel(recorded), ReplayModel(tmp_path / "one.jsonl")
    requests = [Request(prompt="a"), Request(prompt="b\u2028\u00e9")]
    assert list(with_text.complete(requests, PLAIN)) == list(with_sqlite.complete(requests, PLAIN))
    assert list(with_text.force([("p", "xy")], PLAIN)) == list(with_sqlite.force([("p", "xy")], PLAIN))
    assert with_text.abilities == with_sqlite.abilities
    for model in (with_sqlite, with_text):
        model.close()


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"model": 1}', '{"model": "m", "request": {}, "answer": {"tokens": [], "log_probabilities": []}}'],
)
def test_lines_that_are_no_recording(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"model": "m", "name": "m", "abilities": null}}\n{line}\n')
    with pytest.raises(InputError, match=r"a\.jsonl:2: not a line of exported answers \(\w+: .*\); export them again$"):
        ReplayModel(path)


def test_whose_answers_a_recording_has(tmp_path: Path, recorded: Path) -> None:
    with AnswerCache(recorded) as cache:
        said(CachedModel(Capitals("capitals 2"), cache), "a")
    for text, expected in {
        f"replay:{recorded}": "has answers of 'capitals 1', 'capitals 2'; say whose: replay:",
        f"replay:{recorded}#small": "has no answers of 'small'; it has those of 'capitals 1', 'capitals 2'",
        f"replay:{tmp_path / 'no.sqlite3'}": "no.sqlite3: no such file",
        f"replay:{tmp_path / 'no.jsonl'}": "no.jsonl: no such file",
    }.items():
        with pytest.raises(InputError, match=expected):
            open_model(text)
    open_model(f"replay:{recorded}#capitals 2").close()
    AnswerCache(tmp_path / "empty.sqlite3").close()
    with pytest.raises(InputError, match=r"empty\.sqlite3: no model has answered into it yet$"):
        ReplayModel(tmp_path / "empty.sqlite3")


@pytest.mark.parametrize("answer", ['{"text": 3}', '{"words": "x"}', "[]", "x", '{"text": "x", "finish": {}, "no": 1}'])
def test_an_answer_that_makes_no_sense(recorded: Path, answer: str) -> None:
    with Store(recorded, MIGRATIONS, remedy="") as store, store.transaction() as connection:
        connection.execute("UPDATE answers SET answer = ?", (answer,))
    with AnswerCache(recorded) as cache, pytest.raises(InputError, match=r"move (it|the file) away"):
        said(CachedModel(Capitals(), cache), "a")
    model = ReplayModel(recorded)
    with pytest.raises(InputError, match=r"move (it|the file) away"):
        said(model, "a")
    model.close()


def test_a_cached_model_closes_its_model(cache: AnswerCache) -> None:
    model = Capitals()
    CachedModel(model, cache).close()
    assert model.closed


def test_what_is_kept_of_each_model(cache: AnswerCache, tmp_path: Path) -> None:
    said(CachedModel(Capitals(), cache), "a", "b")
    said(CachedModel(Capitals("other"), cache), "c")
    own, other = cache.contents()
    assert [(one.answers, one.size > 0) for one in (own, other)] == [(2, True), (1, True)]
    assert [cache.find_model(one.identity) for one in (own, other)] == ["capitals 1", "other"]
    with pytest.raises(InputError, match=r"has answers of several models called 'capitals'; name one of them: 'cap"):
        cache.find_model("capitals")
    with pytest.raises(InputError, match=r"has no answers of 'nobody'; name one of them: "):
        cache.find_model("nobody")
    cache.export(tmp_path / "one.jsonl.gz", model=other.identity, about="for people")
    replayed = ReplayModel(tmp_path / "one.jsonl.gz")
    assert replayed.identity == "other"
    assert said(replayed, "c") == ["C"]
    assert cache.clear(other.identity) == 1
    assert cache.find_model("capitals") == own.identity
    assert [one.identity for one in cache.contents()] == [own.identity]
    assert said(CachedModel(Capitals(), cache), "a", "b") == ["A", "B"]
    assert cache.clear() == 2
    assert (len(cache), cache.contents()) == (0, [])


def test_a_recording_of_an_older_version_is_still_understood(cache: AnswerCache, tmp_path: Path) -> None:
    """What could not be said of a request then had its usual value."""
    said(CachedModel(Capitals(), cache), "a")
    cache.export(tmp_path / "new.jsonl")
    text = (tmp_path / "new.jsonl").read_text(encoding="utf-8")
    assert '"top_p":1.0' in text
    (tmp_path / "old.jsonl").write_text(text.replace(',"top_p":1.0', ""), encoding="utf-8")
    assert said(ReplayModel(tmp_path / "old.jsonl"), "a") == ["A"]
