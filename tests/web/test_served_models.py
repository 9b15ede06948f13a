"""Models over the web are those that the operator named at start, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web import letters
from tests.web.conftest import EXAMPLES, ended, example, opened, sent

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.web import work
from tertium.web.intake import Limits
from tertium.web.models import read_models

VOWELS = f"vowels@{sha256(b'aeiou').hexdigest()[:8]}"
NONE = (
    "is no model that the workbench was started with (it has vowels, more); whoever starts it names them: "
    "tertium serve --model NAME=MODEL"
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(work, "run", letters.run)
    with letters.registered():
        yield


@pytest.fixture
def models(tmp_path: Path) -> list[str]:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.txt").write_text("aeiou")
    (tmp_path / "secret" / "b.txt").write_text("y")
    return [f"vowels={tmp_path}/secret/a.txt", f"more={tmp_path}/secret/b.txt"]


@pytest.fixture
def client(tmp_path: Path, models: list[str]) -> Iterator[TestClient]:
    with opened(tmp_path / "workspace", limits=Limits(models=read_models(models))) as client:
        yield client


def upload(client: TestClient, metrics: str, *more: Any, **fields: str) -> Any:
    return client.post("/api/evaluations", files=[*example("atlas"), *more], data={"metrics": metrics, **fields})


def expected(known: str) -> float:
    text = "".join((EXAMPLES / "systems/atlas.en").read_text().split("\n"))
    return sum(c in known for c in text) / len(text)


@pytest.mark.parametrize("asked", ["vowels", VOWELS])
def test_a_model_is_asked_for_by_its_name(asked: str, client: TestClient) -> None:
    made = upload(client, f'bleu,letters(model="{asked}")')
    assert made.status_code == 201, made.text
    assert made.json()["wanted"] == ["bleu", f'letters(model="{VOWELS}")']
    assert ended(client, made.json()["job"])["state"] == "done"
    told = client.get(f"/api/evaluations/{made.json()['id']}/score").json()
    [found] = [score for score in told["scores"] if score["metric"] == f'letters(model="{VOWELS}")']
    assert found["value"] == pytest.approx(expected("aeiou"), abs=1e-12)
    assert "secret" not in json.dumps(told)  # nobody's business where it lies


def test_a_metric_of_two_models_and_one_more_later(client: TestClient) -> None:
    made = upload(client, "bleu").json()
    ended(client, made["job"])
    more = client.post(
        f"/api/evaluations/{made['id']}/metrics", json={"metrics": 'letters(model="vowels", other="more")'}
    )
    assert more.status_code == 202, more.text
    assert ended(client, more.json()["id"])["state"] == "done"
    told = client.get(f"/api/evaluations/{made['id']}/score").json()
    assert told["scores"][-1]["value"] == pytest.approx(expected("aeiouy"), abs=1e-12)


def test_the_form_has_metrics_of_models(client: TestClient, tmp_path: Path) -> None:
    assert 'name="letters.model" type="text" step="any" placeholder="vowels, more"' in client.get("/").text
    made = client.post("/evaluations", files=example("atlas"), data={"metric": "letters", "letters.model": "vowels"})
    assert made.status_code == 303
    [entry] = client.get("/api/evaluations").json()
    assert entry["wanted"] == [f'letters(model="{VOWELS}")']
    ended(client, entry["job"])
    refused = client.post(
        "/evaluations", files=example("atlas"), data={"metric": "letters", "letters.model": f"{tmp_path}/secret/a.txt"}
    )
    assert refused.status_code == 422
    assert "is no model that the workbench was started with" in refused.text
    with opened(tmp_path / "other") as plain:
        assert "letters.model" not in plain.get("/").text


@pytest.mark.parametrize("asked", ["{}/secret/a.txt", "consonants", "vowels@00000000", "../secret/a.txt", "."])
def test_other_models_are_refused(asked: str, client: TestClient, tmp_path: Path) -> None:
    asked = asked.format(tmp_path)
    texts = {"model": f'letters(model="{asked}")', "other": f'letters(model="vowels", other="{asked}")'}
    for option, text in texts.items():
        sentence = f'letters: {option}="{asked}" {NONE}'
        made = upload(client, text)
        assert (made.status_code, made.json()["error"]) == (422, sentence)
    kept = upload(client, "bleu").json()
    ended(client, kept["job"])
    more = client.post(f"/api/evaluations/{kept['id']}/metrics", json={"metrics": f'letters(model="{asked}")'})
    assert (more.status_code, more.json()["error"]) == (422, f'letters: model="{asked}" {NONE}')


def test_a_metric_of_models_without_one(client: TestClient) -> None:
    made = upload(client, "letters")
    assert (made.status_code, made.json()["error"]) == (
        422,
        'letters needs a model: letters(model="NAME"); this workbench has vowels, more',
    )


def test_a_workbench_without_models(tmp_path: Path) -> None:
    with opened(tmp_path / "plain") as client:
        made = upload(client, 'letters(model="vowels")')
    assert (made.status_code, made.json()["error"]) == (
        422,
        'letters: model="vowels" is no model that the workbench was started with (it has none); whoever starts it '
        "names them: tertium serve --model NAME=MODEL",
    )


def test_scores_of_files_are_no_models(client: TestClient) -> None:
    made = upload(client, 'scores(of="x", file="vowels")')
    assert made.status_code == 422
    assert "names a file or a function of this computer" in made.json()["error"]


def test_models_that_are_uploaded_are_refused(client: TestClient, tmp_path: Path) -> None:
    toml = b'source = "source.de"\nreferences = ["reference.a.en"]\nsystems = ["atlas.en"]\nmodels = "models"\n'
    files = [("file", ("testset.toml", toml)), *sent("source.de", "reference.a.en")]
    files += [
        ("file", ("atlas.en", (EXAMPLES / "systems/atlas.en").read_bytes())),
        ("file", ("models/m.txt", b"aeiou")),
    ]
    made = client.post("/api/evaluations", files=files, data={"metrics": 'letters(model="vowels")'})
    assert (made.status_code, made.json()["error"]) == (
        422,
        "testset.toml: names folders of models, but here models are those that the workbench was started with (tertium "
        "serve --model NAME=MODEL); leave `models` out",
    )
    given = tt.read_testset(EXAMPLES / "testset.toml")
    (tmp_path / "m.txt").write_text("aeiou")
    tt.save(tt.add_metrics(given, f'letters(model="{tmp_path}/m.txt")'), tmp_path / "saved.zip")
    saved = [("file", ("saved.zip", (tmp_path / "saved.zip").read_bytes()))]
    made = client.post("/api/evaluations", files=saved)
    assert made.status_code == 422
    assert made.json()["error"].endswith(NONE)


def test_a_worker_refuses_what_nobody_named(tmp_path: Path) -> None:
    """A job of an earlier start, whose models are not there any more."""
    tt.save(tt.read_testset(EXAMPLES / "testset.toml"), tmp_path / "e.zip")
    options = {"path": str(tmp_path / "e.zip"), "metrics": [f'letters(model="{VOWELS}")']}
    with pytest.raises(OptionError, match="is no model that the workbench was started with"):
        work.score(options, lambda *_: None)


@pytest.mark.parametrize("text", ["vowels", "=x", "vowels=", "a b=x", "a@b=x", '"=x', "../a=x", "-a=x"])
def test_names_of_models(text: str) -> None:
    with pytest.raises(OptionError) as refused:
        read_models([text])
    assert str(refused.value) == (
        f"--model {text}: expected NAME=MODEL, such as comet22=models/wmt22-comet-da or small=gguf:small.gguf; a name "
        f"has letters, digits and . _ + - in it"
    )


def test_a_name_is_given_once_and_to_what_is_there(tmp_path: Path, models: list[str]) -> None:
    with pytest.raises(OptionError, match=r"the name vowels is given twice; choose another$"):
        read_models([models[0], models[0]])
    with pytest.raises(InputError) as refused:
        read_models([f"a={tmp_path}/none"])
    assert str(refused.value) == f"--model a={tmp_path}/none: no such file or folder"
    found = read_models(models)
    assert list(found)[:2] == ["vowels", VOWELS]
    assert found["vowels"] == found[VOWELS]
