"""Language models over the web: those that the operator named at start, tried on a page and asked as judges."""

from __future__ import annotations

import io
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.models.fault_server import FaultServer, status
from tests.web.conftest import EXAMPLES, ended, example, opened
from tests.web.gate import PATIENCE, Gate

import tertium as tt
from tertium.web import work
from tertium.web.intake import Limits
from tertium.web.models import read_models, without_places

PROGRAM = """
import sys
for line in sys.stdin:
    open({log!r}, "a").write("x")
    if "BREAK" in line:
        sys.exit("broken")
    print("85" if line.startswith("How good") else 'Here is the translation: "' + line.strip().upper() + '"')
"""
KEY = "sk-very-secret-0123456789"
os.environ["TRIAL_KEY"] = KEY  # here, because processes of the server have the environment of the first test's
STRANGE = [
    "command:cat", "gguf:/etc/passwd", "https://evil.example/v1#m", "http://127.0.0.1:1/v1#m", "replay:/x.jsonl",
    "gemma", "/etc/passwd", "../judge", "other", "judge@00000000", "",
]  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A letter for each line that the program was asked."""
    (tmp_path / "secret").mkdir()
    return tmp_path / "secret" / "log"


@pytest.fixture
def client(tmp_path: Path, log: Path) -> Iterator[TestClient]:
    program = tmp_path / "secret" / "program.py"
    program.write_text(PROGRAM.format(log=str(log)))
    named = [f"judge=command:{sys.executable} {program}", f"file={program}"]
    with opened(tmp_path / "workspace", limits=Limits(models=read_models(named))) as client:
        yield client


def ask(client: TestClient, **question: Any) -> Any:
    return client.post("/api/tries", json={"model": "judge", "template": "[X] -> [Z]", "inputs": ["hello"], **question})


def over(client: TestClient, name: str) -> dict[str, Any]:
    """A trial when it has come to its end."""
    trials = client.app.state.workbench.trials  # type: ignore[attr-defined]
    with trials.changed:
        assert trials.changed.wait_for(lambda: not trials._kept[name].is_open, timeout=PATIENCE)
    found: dict[str, Any] = client.get(f"/api/tries/{name}").json()
    return found


def upload(client: TestClient, metrics: str, **fields: Any) -> Any:
    return client.post("/api/evaluations", files=example("atlas"), data={"metrics": metrics, **fields})


# Trying


def test_a_template_is_tried(client: TestClient) -> None:
    begun = ask(client, shots=[{"inputs": ["a"], "answer": "b"}], template="[X] => [Z]", answers={"x": "y"})
    assert begun.status_code == 202, begun.text
    found = over(client, begun.json()["id"])
    assert (found["state"], found["reason"]) == (
        "failed",
        "judge: a prompt has a line break, and a program answers each line; use a template of one line",
    )
    found = over(client, ask(client, answers={"x": "y"}).json()["id"])
    assert found["state"] == "done"
    assert found["progress"] == {"stage": "asking judge", "done": 1, "total": 1}
    assert found["result"] == {
        "kind": "prefix", "prompt": "hello ->", "blank": " ", "after": "", "answers": [], "labels": {},
        "note": "judge gives no log-probabilities of a given text, so that it cannot choose among answers",
        "written": {
            "answer": 'Here is the translation: "HELLO ->"', "finish": "stop", "tokens": None,
            "seconds": found["result"]["written"]["seconds"], "output": "HELLO ->",
            "steps": [{"step": "lead_in", "text": '"HELLO ->"'}, {"step": "quotes", "text": "HELLO ->"}],
        },
    }  # fmt: skip


def test_the_page_asks_and_shows(client: TestClient, tmp_path: Path) -> None:
    page = client.get("/try").text
    assert "<option>judge</option>" in page
    assert "<option>file</option>" not in page  # no language model
    sent = {"model": "judge", "own": "[X] in [tgt]: [Z]", "first": "<script>1</script>", "target_language": "en"}
    begun = client.post("/try", data=sent)
    assert begun.status_code == 303
    name = begun.headers["location"].rpartition("/")[2]
    over(client, name)
    shown = client.get(begun.headers["location"]).text
    assert "<script>1" not in shown
    assert "&lt;script&gt;1&lt;/script&gt; in English:" in shown
    assert '<th scope="row">lead_in</th>' in shown
    assert str(tmp_path) not in shown
    wrong = client.post("/try", data={**sent, "own": "no slot", "template": "no such"})
    assert wrong.status_code == 422
    assert "unknown template" in wrong.text
    assert "&lt;script&gt;1" in wrong.text  # what was typed is still there
    assert 'href="/try"' in client.get("/").text


def test_a_workbench_without_language_models_says_how_to_have_one(tmp_path: Path) -> None:
    with opened(tmp_path / "plain") as client:
        assert "tertium serve --model small=gguf:small.gguf" in client.get("/try").text
        refused = ask(client)
        assert (refused.status_code, refused.json()["error"]) == (
            422,
            "'judge' is no language model that the workbench was started with (it has none); whoever starts it names "
            "them: tertium serve --model NAME=MODEL",
        )
        assert client.get("/api/models").json() == {"models": [], "language_models": []}


def test_answers_are_kept(client: TestClient, log: Path) -> None:
    for _ in range(2):
        assert over(client, ask(client).json()["id"])["state"] == "done"
    assert log.read_text() == "x"


@pytest.mark.parametrize("model", [*STRANGE, "file"])
def test_models_that_nobody_named_are_refused(model: str, client: TestClient, log: Path) -> None:
    refused = ask(client, model=model)
    assert refused.status_code == 422
    assert refused.json()["error"].startswith(f"{model!r} is no language model that the workbench was started with")
    assert "(it has judge)" in refused.json()["error"]
    assert client.post("/try", data={"model": model, "template": "A", "first": "x"}).status_code == 422
    assert client.get("/api/tries").json() == []
    assert not log.exists()


@pytest.mark.parametrize("field", ["command", "path", "address", "key", "url", "cache", "templates", "examples"])
def test_a_question_names_nothing_else(field: str, client: TestClient) -> None:
    refused = ask(client, **{field: "x"})
    assert refused.status_code == 422
    assert refused.json()["error"] == f"{field}: Extra inputs are not permitted"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"template": "templates.toml"}, "unknown template 'templates.toml'"),
        ({"template": "[Z]"}, "no input slot"),
        ({"template": "[X] [Z] is it"}, "is a cloze: words follow [Z], so say which answers are permissible"),
        ({"template": "A"}, "the slot [src] needs the source language"),
        ({"inputs": []}, "inputs: List should have at least 1 item"),
        ({"inputs": ["x" * 10_001]}, "a text has 10001 characters; 10000 are allowed here"),
        ({"steps": "rm"}, "unknown step 'rm'"),
        ({"tokens": 100_000}, "tokens: Input should be less than or equal to 1024"),
        ({"shots": [{"inputs": ["a"], "answer": "b"}] * 21}, "shots: List should have at most 20 items"),
    ],
)
def test_questions_that_cannot_be(question: dict[str, Any], sentence: str, client: TestClient) -> None:
    refused = ask(client, **question)
    assert refused.status_code == 422
    assert sentence in refused.json()["error"]


def test_half_a_character_is_no_text(client: TestClient) -> None:
    body = b'{"model": "judge", "template": "[X] [Z]", "inputs": ["\\ud800"]}'
    refused = client.post("/api/tries", content=body, headers={"content-type": "application/json"})
    assert refused.status_code == 422


def test_other_sites_try_nothing(client: TestClient) -> None:
    for address in ("/try", "/api/tries"):
        assert client.post(address, headers={"origin": "https://evil.example"}).status_code == 403
        assert client.post(address, headers={"sec-fetch-site": "cross-site"}).status_code == 403
        assert client.post(address, headers={"host": "evil.example"}).status_code == 421
    assert client.get("/api/tries").json() == []


def test_what_fails_does_not_say_where_a_model_lies(client: TestClient, tmp_path: Path) -> None:
    found = over(client, ask(client, inputs=["BREAK"]).json()["id"])
    assert found["state"] == "failed"
    assert found["reason"] == "judge: the program ended with status 1; it said: broken"
    made = upload(client, 'llm_judge(model="judge", ask="chat")').json()
    job = ended(client, made["job"])
    assert job["state"] == "failed"
    assert str(tmp_path) not in str(job)


def test_a_key_is_nowhere(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    with FaultServer() as server:
        server.plan("bad ->", status(401, f"no such key: {KEY}"))
        limits = Limits(models=read_models([f"big={server.address}#small key=TRIAL_KEY"]))
        with opened(tmp_path / "workspace", limits=limits) as client:
            ends = [over(client, ask(client, model="big", inputs=[text]).json()["id"]) for text in ("bad", "good")]
            pages = [client.get(f"/try/{one['id']}").text for one in ends]
            told = [str(ends), *pages, client.get("/api/models").text, client.get("/api/tries").text]
        refused = "big: not allowed (status 401): no such key: (key); the key comes from the variable TRIAL_KEY"
        assert [(one["state"], one["reason"]) for one in ends] == [("failed", refused), ("done", "")]
        assert all(headers["Authorization"] == f"Bearer {KEY}" for _, _, headers in server.requests)
    assert not [text for text in told if KEY in text or server.address in text]
    kept = [path for path in (tmp_path / "workspace").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]


def test_places_are_names() -> None:
    from tertium.core.run import Model

    models = {"big": Model("big", "https://h.example/v1#m key=K", "0" * 64)}
    assert without_places("https://h.example/v1: no", models) == "big: no"
    assert without_places("https://h.example/v1#m key=K", models) == "big"


# One at a time, and none without end


def test_a_model_is_asked_by_one_at_a_time_and_who_waits_can_be_cancelled(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(tmp_path / "gate", "opening the model")
    monkeypatch.setattr(work, "run", gate.run)
    first, second = (ask(client, inputs=[text]).json()["id"] for text in ("a", "b"))
    gate.reached()
    states = {client.get(f"/api/tries/{name}").json()["state"] for name in (first, second)}
    assert states == {"running", "queued"}
    waiting = next(n for n in (first, second) if client.get(f"/api/tries/{n}").json()["state"] == "queued")
    running = first if waiting == second else second
    assert client.post(f"/api/tries/{waiting}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/try/{running}/cancel").status_code == 303
    assert over(client, running)["state"] == "cancelled"
    assert "This was cancelled" in client.get(f"/try/{running}").text
    gate.open()
    assert over(client, ask(client).json()["id"])["state"] == "done"
    gate.remove()


def test_a_page_waits_and_too_many_are_refused(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(tmp_path / "gate", "opening the model")
    monkeypatch.setattr(work, "run", gate.run)
    names = [ask(client, inputs=[str(k)]).json()["id"] for k in range(8)]
    gate.reached()
    refused = ask(client)
    assert (refused.status_code, refused.json()["error"]) == (
        422, "8 templates are being tried; wait for one of them, or cancel one"
    )  # fmt: skip
    assert f'data-address="/api/tries/{names[0]}"' in client.get(f"/try/{names[0]}").text
    gate.open()
    assert {over(client, name)["state"] for name in names} == {"done"}
    gate.remove()
    assert client.get("/api/tries/none").status_code == 404


# As a judge


def test_a_named_model_judges_and_is_asked_once(client: TestClient, log: Path, tmp_path: Path) -> None:
    made = upload(client, 'llm_judge(model="judge")')
    assert made.status_code == 201, made.text
    assert ended(client, made.json()["job"])["state"] == "done"
    told = client.get(f"/api/evaluations/{made.json()['id']}/score").json()
    assert [score["value"] for score in told["scores"]] == [85]
    assert told["scores"][0]["metric"].startswith('llm_judge(model="judge@')
    assert str(tmp_path) not in str(told)
    asked = len(log.read_text())
    assert asked == 96
    again = upload(client, 'llm_judge(model="judge")').json()
    assert ended(client, again["job"])["state"] == "done"
    assert len(log.read_text()) == asked


@pytest.mark.parametrize("name", ["llm_judge", "lm_likelihood"])
@pytest.mark.parametrize("model", STRANGE[:-1])
def test_no_other_model_judges(name: str, model: str, client: TestClient, log: Path) -> None:
    refused = upload(client, f'{name}(model="{model}")')
    assert refused.status_code == 422
    assert "is no model that the workbench was started with (it has judge, file)" in refused.json()["error"]
    form = client.post("/evaluations", files=example("atlas"), data={"metric": name, f"{name}.model": model})
    assert form.status_code == 422
    assert client.get("/api/evaluations").json() == []
    assert not log.exists()


def test_more_metrics_name_no_other_model(client: TestClient) -> None:
    made = upload(client, "bleu").json()
    ended(client, made["job"])
    for text in ('llm_judge(model="command:cat")', "llm_judge", 'llm_judge(model="file")', 'comet(model="judge")'):
        refused = client.post(f"/api/evaluations/{made['id']}/metrics", json={"metrics": text})
        assert refused.status_code == 422, text
    assert refused.json()["error"] == "comet: judge is a language model; this workbench has file"


def test_files_that_are_uploaded_name_no_model(client: TestClient, log: Path, tmp_path: Path) -> None:
    base = 'source = "source.de"\nreferences = ["reference.a.en"]\nsystems = ["atlas.en"]\n'
    texts = {"source.de": EXAMPLES / "source.de", "reference.a.en": EXAMPLES / "reference.a.en",
             "atlas.en": EXAMPLES / "systems/atlas.en"}  # fmt: skip
    others = [("file", (name, path.read_bytes())) for name, path in texts.items()]
    for line in ('models = "models"\n', 'model = "command:cat"\n', '[models]\njudge = "command:cat"\n'):
        files = [("file", ("testset.toml", (base + line).encode())), *others]
        refused = client.post("/api/evaluations", files=files, data={"metrics": "bleu"})
        assert refused.status_code == 422, line
    grid = b'model = ["command:cat"]\ntemplates = ["A"]\n'
    assert client.post("/api/evaluations", files=[("file", ("grid.toml", grid))]).status_code == 422
    program = tmp_path / "theirs.py"
    program.write_text("import sys\nfor line in sys.stdin: print(50)\n")
    given = tt.read_testset(EXAMPLES / "testset.toml")
    tt.save(tt.add_metrics(given, f'llm_judge(model="command:{sys.executable} {program}")'), tmp_path / "saved.zip")
    refused = client.post("/api/evaluations", files=[("file", ("saved.zip", (tmp_path / "saved.zip").read_bytes()))])
    assert refused.status_code == 422
    assert "is no model that the workbench was started with" in refused.json()["error"]
    forged = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "saved.zip") as old, zipfile.ZipFile(forged, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"python", b"command:python"))
    assert client.post("/api/evaluations", files=[("file", ("f.zip", forged.getvalue()))]).status_code == 422
    assert client.get("/api/evaluations").json() == []
    assert not log.exists()
