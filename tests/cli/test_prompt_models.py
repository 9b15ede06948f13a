"""`tertium prompt models`: what there is, what one is, and what nobody knows."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tertium.core.run import PLAIN
from tertium.models.about import BACKENDS, About, about
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.language_model import Request
from tertium.models.open import KINDS, open_model
from tertium.models.taxonomy import FAMILIES, TAXONOMY, standing

from .running import Command


def test_kinds_and_what_is_installed(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    absent = {"transformers"}
    monkeypatch.setattr("tertium.models.about.find_spec", lambda name: None if name in absent else find(name))
    done = tertium("prompt", "models")
    assert done.status == 0
    rows = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    assert rows["hf:FOLDER"].endswith('no: pip install "tertium[hf]"')
    assert rows["command:PROGRAM"].endswith("yes")
    titles = re.findall(r"^How (\S+) models stand$", done.out, re.MULTILINE)
    masks = re.findall(r"^attention mask +(\w+):", done.out, re.MULTILINE)
    assert dict(zip(titles, masks, strict=True)) == {
        "left-to-right": "diagonal", "masked": "full", "prefix": "mixture", "encoder-decoder": "mixture",
    }  # fmt: skip
    told = tertium("prompt", "models", "-f", "json").json
    assert {one["text"]: one["installed"] for one in told["backends"]}["hf:FOLDER"] is False
    assert [one["architecture"] for one in told["taxonomy"]] == list(TAXONOMY)
    assert tertium("prompt", "models", "-f", "markdown").out.startswith("**What a model can be**")


def test_every_kind_that_can_be_written_is_listed() -> None:
    schemes = {text.strip().partition(":")[0].replace("https", "http") for text in KINDS.split(",")}
    assert {one.text.partition(":")[0].replace("https", "http") for one in BACKENDS} == schemes


def test_of_a_program_nothing_is_known(tertium: Command) -> None:
    told = tertium("prompt", "models", "command:tr a-z A-Z", "-f", "json").json
    assert [told[name] for name in ("family", "parameters", "layers", "context", "stands")] == [None] * 5
    assert told["abilities"]["forcing"] == "none"
    shown = tertium("prompt", "models", "command:tr a-z A-Z").out
    assert [line.split() for line in shown.splitlines() if line.startswith("context")] == [["context", "unknown"]]
    assert "nobody tells how it was trained" in shown


def test_of_kept_answers_what_was_found_out_is_known(tertium: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with AnswerCache(path) as cache:
        model = CachedModel(open_model("command:cat"), cache)
        list(model.complete([Request(prompt="x")], PLAIN))
    assert tertium("prompt", "models", f"replay:{path}", "-f", "json").json["abilities"] is None  # nobody asked
    assert "unknown" in tertium("prompt", "models", f"replay:{path}").out
    with AnswerCache(path) as cache:
        _ = CachedModel(open_model("command:cat"), cache).abilities
    assert tertium("prompt", "models", f"replay:{path}", "-f", "json").json["abilities"]["forcing"] == "none"


def test_wrong_models_are_told(tertium: Command) -> None:
    done = tertium("prompt", "models", "gpt")
    assert done.status == 2
    assert done.err == f"tertium: unknown language model 'gpt'; known: {KINDS}\n"


def test_families_say_more_than_their_architecture() -> None:
    assert standing("left-to-right", "nobody") == TAXONOMY["left-to-right"]
    for family, told in FAMILIES.items():
        found = standing("encoder-decoder", family)
        assert all(getattr(found, name) == value for name, value in told.items())


def test_a_model_of_somebody_else() -> None:
    class Own:
        about: Any = About(backend="own", parameters=3)

    assert about(Own()).parameters == 3  # type: ignore[arg-type]
    assert about(object()) == About(backend="unknown")  # type: ignore[arg-type]
