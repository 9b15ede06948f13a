"""Models by their text; nothing is opened but what was named."""

import hashlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.run import PLAIN
from tertium.models import gemma
from tertium.models.language_model import Decoding, Request
from tertium.models.open import KINDS, open_model
from tertium.models.server import ServerModel


@pytest.mark.parametrize(
    ("text", "address", "name"),
    [
        ("http://127.0.0.1:8080/v1#small", "http://127.0.0.1:8080/v1", "small"),
        (
            "https://models.example.org/api/v1/#org/model-7b:free",
            "https://models.example.org/api/v1",
            "org/model-7b:free",
        ),
    ],
)
def test_servers(text: str, address: str, name: str) -> None:
    model = open_model(text)
    assert isinstance(model, ServerModel)
    assert (model.connection.address, model.name, model.identity) == (address, name, f"server:{address}#{name}")
    assert model.connection.calls == 0  # nobody was asked
    model.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpt", f"unknown language model 'gpt'; known: {KINDS}"),
        ("ftp://x/v1#m", f"unknown language model 'ftp://x/v1#m'; known: {KINDS}"),
        ("gguf:", f"'gguf:': nothing comes behind the colon; known: {KINDS}"),
        ("http://h/v1", "http://h/v1: which model of the server? write its name behind #: http://h/v1#MODEL"),
        ("http://", "an address is http://HOST/v1#MODEL or https://HOST/v1#MODEL, without spaces and without ?"),
        ("https://h/v1?key=abc#m", "an address is http://HOST/v1#MODEL or https://HOST/v1#MODEL, without spaces and "
                                   "without ?"),
        ("https://me:abc@h/v1#m", "an address has no name and password in it; name the variable that has the key "
                                  "(key=)"),
    ],
)  # fmt: skip
def test_texts_that_name_no_model(text: str, expected: str) -> None:
    with pytest.raises(OptionError) as caught:
        open_model(text)
    assert str(caught.value) == expected
    assert "abc" not in str(caught.value)


def test_only_servers_have_keys() -> None:
    with pytest.raises(OptionError, match=r"^key: 'command' is no server, and needs no key; leave it out$"):
        open_model("command:cat", key="SOME_KEY")


def test_what_brings_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    model = open_model("http://127.0.0.1:9/v1#m")
    with pytest.raises(
        MissingPackageError, match=r"^http://127.0.0.1:9/v1: needs httpx: pip install \"tertium\[llm\]\"$"
    ):
        list(model.complete([Request(prompt="x")], PLAIN))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"tokens": 0}, "tokens: 0; an answer has at least 1"),
        ({"temperature": -1}, "temperature: -1; must be 0 or more"),
        ({"top_p": 0}, "top_p: 0; must lie between 0 and 1"),
        ({"stop": ("x", "")}, "stop: an empty text, at which every answer would end before it begins"),
    ],
)
def test_decoding_is_checked(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(OptionError) as caught:
        Decoding(**options)
    assert str(caught.value) == expected


@pytest.mark.parametrize("text", ["command:cat", "http://127.0.0.1:9/v1#m"])
def test_a_beam_is_searched_or_refused(text: str) -> None:
    model = open_model(text)
    with pytest.raises(OptionError, match=r" does not search by a beam itself; leave the beam out, or use a Hugging"):
        list(model.complete([Request(prompt="x", decoding=Decoding(beam=2))], PLAIN))
    model.close()


# gemma, put together from a package of ours

CONTENT = b"GGUF of a small model"


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    def assemble(path: Path, overwrite: bool) -> None:
        assert overwrite
        made.count += 1
        path.write_bytes(made.content)

    made = SimpleNamespace(assemble=assemble, content=CONTENT, count=0)
    monkeypatch.setitem(sys.modules, gemma.PACKAGE, made)
    monkeypatch.setattr(gemma, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return made


def test_gemma_is_put_together_once_and_its_terms_are_told(package: Any) -> None:
    told: list[str] = []
    path = gemma.gemma_file(told.append)
    assert path.read_bytes() == CONTENT
    assert gemma.gemma_file(told.append) == path
    assert package.count == 1
    [terms] = told
    assert "ai.google.dev/gemma/terms" in terms
    path.write_bytes(b"spoilt")
    assert gemma.gemma_file(told.append).read_bytes() == CONTENT
    assert [file.name for file in path.parent.iterdir()] == [gemma.FILE]


def test_another_gemma_is_refused(package: Any, tmp_path: Path) -> None:
    package.content = b"something else"
    with pytest.raises(InputError, match=r"^gemma: cannot be put together \(it has another SHA-256"):
        gemma.gemma_file(lambda _: None)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_brings_gemma(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, gemma.PACKAGE, None)
    with pytest.raises(MissingPackageError, match=r"^gemma: needs its packages: pip install \"tertium\[llm,gemma\]\"$"):
        open_model("gemma")
