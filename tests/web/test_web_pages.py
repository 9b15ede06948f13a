"""The workbench's pages as forms and answers; what needs a browser is tested in one."""

import html
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import EXAMPLES, ended, example, opened, scored
from tests.web.gate import PATIENCE, Gate

import tertium as tt
from tertium.core.errors import OptionError
from tertium.web import app as app_file
from tertium.web import jobs as jobs_file
from tertium.web import work
from tertium.web.forms import metric_forms, read_metrics
from tertium.web.jobs import WORKERS, Jobs, StoppedError, Worker, WorkerError
from tertium.web.pages import only
from tertium.web.workspace import Workspace


def newest(client: TestClient) -> str:
    """The id of the newest job, when it has ended."""
    name = client.get("/api/jobs").json()[0]["id"]
    return str(ended(client, name)["state"])


def test_the_start_page_has_every_metric_and_option(client: TestClient) -> None:
    page = client.get("/").text
    for form in metric_forms():
        assert f'name="metric" value="{form.name}"' in page
        for field in form.fields:
            assert f'name="{form.name}.{field.name}"' in page
    assert re.findall(r'value="(\w+)" checked', page) == ["bleu", "chrf", "ter"]
    assert "None yet." in page
    assert "meteor.paraphrases" not in page  # a file of this computer


def test_metrics_that_need_more_are_left_to_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.metrics.bleu import Bleu

    monkeypatch.setattr(Bleu, "needs", frozenset({"references", "model"}))
    assert "bleu" not in [form.name for form in metric_forms()]
    with pytest.raises(OptionError, match=r"^bleu needs model; use the command line for it$"):
        read_metrics(["bleu"], [], {})


def test_an_upload_by_the_form(client: TestClient, gate: Gate) -> None:
    wrong = client.post("/evaluations", files=example()[:1], data={"metric": "bleu"})
    assert wrong.status_code == 422
    assert "no output of a system; send at least one beside source and references" in wrong.text
    made = client.post("/evaluations", files=example("atlas", "brook"), data={"metric": "bleu", "name": "A & 'B\""})
    assert made.status_code == 303
    address = made.headers["location"]
    waiting = client.get(address).text
    assert "<h1><bdi>A &amp; &#39;B&#34;</bdi></h1>" in waiting
    gate.open()
    assert newest(client) == "done"
    assert "Making the page" in client.get(address).text
    assert newest(client) == "done"
    page = client.get(address).text
    assert html.unescape(re.findall("<title>(.*)</title>", page)[0]) == "A & 'B\""
    assert "A &amp; &#39;B&#34;: 96 segments" in page
    renamed = client.post(f"{address}/rename", data={"name": "</title><b>"})
    assert renamed.headers["location"] == address
    again = client.get(address).text
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in again
    assert "<h1><bdi>&lt;/title&gt;&lt;b&gt;</bdi></h1>" in again
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in client.get(f"{address}/report").text
    below = '<p class="subtitle"><bdi>96 segments'  # the title says the name
    assert below in again
    assert below in client.get(f"{address}/report").text
    assert client.get(f"{address}/compare", params={"first": "atlas", "second": "brook"}).status_code == 200
    assert newest(client) == "done"
    both = client.get(f"{address}/compare", params={"first": "atlas", "second": "brook"}).text
    assert "<h1><bdi>atlas and brook</bdi></h1>" in both
    assert '<p class="subtitle"><bdi>&lt;/title&gt;&lt;b&gt;: 96 segments' in both

    more = client.post(f"{address}/metrics", data={"metric": "chrf", "chrf.words": "2"})
    assert more.status_code == 303
    assert newest(client) == "done"
    assert client.get(f"/api{address}").json()["metrics"] == ["bleu", "chrf(words=2)"]
    assert client.get(f"{address}/report").status_code == 303  # to be made again, with the new metric
    assert newest(client) == "done"
    assert "chrf(words=2)" in client.get(f"{address}/report").text

    gone = client.post(f"{address}/delete")
    assert (gone.status_code, gone.headers["location"]) == (303, "/")
    assert client.get(address).status_code == 404


def test_what_failed_says_why_and_can_be_tried_again(client: TestClient, tmp_path: Path) -> None:
    name = scored(client, "atlas", "brook", metrics="bleu")
    kept = tmp_path / "workspace" / "evaluations" / name / "evaluation.zip"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-50])
    client.get(f"/evaluations/{name}")
    assert newest(client) == "failed"
    page = client.get(f"/evaluations/{name}").text
    assert "This failed" in page
    assert "not a tertium evaluation, or damaged" in page
    kept.write_bytes(whole)
    client.post(f"/evaluations/{name}/again")
    assert newest(client) == "done"
    assert "summary-title" in client.get(f"/evaluations/{name}").text


def test_cancelled_work_can_be_tried_again(client: TestClient, gate: Gate) -> None:
    made = client.post("/api/evaluations", files=example("atlas", "brook"), data={"metrics": "bleu"}).json()
    gate.reached()
    assert client.post(f"/jobs/{made['job']}/cancel").status_code == 303
    address = f"/evaluations/{made['id']}"
    assert "This was cancelled" in client.get(address).text
    gate.open()
    assert client.post(f"{address}/again").headers["location"] == address
    assert newest(client) == "done"


def test_wrong_addresses_are_pages(client: TestClient) -> None:
    name = scored(client, "atlas", "brook", metrics="bleu")
    for path, status, sentence in [
        ("/none", 404, "there is no such page"),
        ("/evaluations/none", 404, "there is no evaluation 'none' here; was it deleted?"),
        (f"/evaluations/{name}/compare", 422, "there is no system ''; systems: atlas, brook"),
        (f"/evaluations/{name}/compare?first=atlas&second=atlas", 422,
         "atlas cannot be compared with itself; choose two systems"),
        ("/jobs/none/cancel", 405, "Method Not Allowed"),
    ]:  # fmt: skip
        answer = client.get(path)
        assert answer.status_code == status
        assert answer.headers["content-type"].startswith("text/html")
        assert html.escape(sentence, quote=False).replace("'", "&#39;") in answer.text


def test_a_worker_that_dies_is_told(client: TestClient, gate: Gate) -> None:
    worker = Worker("score", {"path": "none", "metrics": []})
    gate.reached()
    worker.process.kill()
    with pytest.raises(WorkerError, match=r"^the process that did this died \(exit status -9\)"):
        worker.wait()
    slow = Worker("score", {"path": "none", "metrics": []})
    with pytest.raises(WorkerError, match="no answer after 0 seconds; ask for less"):
        slow.wait(patience=0)
    gate.open()
    strange = Worker("score", {})
    with pytest.raises(WorkerError, match=r"which is a mistake of its own \(KeyError: 'path'\)$"):
        strange.wait()
    assert client.get("/").status_code == 200


def test_a_worker_that_is_killed_while_it_scores(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9, by somebody or by a system that is out of memory: the reason is told, and it can be tried again."""
    gate = Gate(tmp_path / "counting", "counting segments")
    monkeypatch.setattr(work, "run", gate.run)
    made = client.post("/api/evaluations", files=example("atlas", "brook"), data={"metrics": "ter"}).json()
    gate.reached()
    jobs: Jobs = client.app.state.workbench.jobs  # type: ignore[attr-defined]
    jobs._running[made["job"]].process.kill()
    assert ended(client, made["job"])["reason"] == (
        "the process that did this died (exit status -9); is there too little memory?"
    )
    entry = client.get(f"/api/evaluations/{made['id']}").json()
    assert (entry["state"], entry["metrics"]) == ("failed", [])
    page = client.get(f"/evaluations/{made['id']}").text
    assert "This failed" in page
    assert "is there too little memory?" in page
    assert client.post(f"/evaluations/{made['id']}/again").status_code == 303
    newer = client.get(f"/api/evaluations/{made['id']}").json()["job"]
    assert newer != made["job"]
    gate.reached()
    gate.open()
    assert ended(client, newer)["state"] == "done"
    gate.remove()


def test_jobs_go_on_after_a_restart(tmp_path: Path, gate: Gate) -> None:
    with opened(tmp_path / "workspace") as client:
        made = [
            client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"}).json() for _ in range(4)
        ]
        for _ in range(WORKERS):  # so many are at work, and the rest waits
            gate.reached()
    gate.open()
    with opened(tmp_path / "workspace") as client:
        for entry in made:
            assert ended(client, entry["job"])["state"] == "done"
            assert (
                client.get(f"/api/jobs/{entry['job']}").json()["attempts"] == 1
            )  # stopping in good order is no attempt


def test_an_evaluation_of_some_systems() -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    evaluation = tt.evaluate(given.testset, given.systems, "bleu", judgements=given.judgements)
    two = only(evaluation, ["delta", "atlas"])
    assert [system.name for system in two.systems] == ["delta", "atlas"]
    assert set(two.table) == {("delta", "bleu"), ("atlas", "bleu")}
    assert two.judgements == evaluation.judgements  # a rater's mean and sd are of all that the rater judged
    with pytest.raises(OptionError, match="there is no system 'x'; systems: atlas, brook, cinder, delta"):
        only(evaluation, ["x"])


def test_one_job_scores_an_evaluation_at_a_time(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs, "submit", lambda _, job: job)  # so it goes on waiting
    made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu", "name": "one"}).json()
    answer = client.post(f"/api/evaluations/{made['id']}/metrics", json={"metrics": "ter"})
    assert answer.json() == {"error": "one is being scored; wait for it, or cancel it first"}
    assert len(client.get("/api/jobs").json()) == 1


def test_pages_that_take_long_say_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    name = scored(client, "atlas", "brook", metrics="bleu")
    monkeypatch.setattr(Jobs, "submit", lambda _, job: job)
    for large, told in ((2 * 96, True), (2 * 96 + 1, False)):
        monkeypatch.setattr(app_file, "LARGE", large)
        page = client.get(f"/evaluations/{name}").text
        assert "Making the page" in page
        assert ("takes many minutes" in page) == told
        assert (f'href="/api/evaluations/{name}/score"' in page) == told


def test_stopping_does_not_wait_for_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path / "workspace")
    jobs = Jobs(workspace)
    caught: list[type[Exception]] = []
    waits = threading.Event()

    class Waited(Worker):
        def wait(self, *arguments: Any, **options: Any) -> Any:
            waits.set()
            return super().wait(*arguments, **options)

    def ask() -> None:
        try:
            jobs.ask({"path": str(tmp_path / "pipe"), "question": "score", "options": {}})
        except Exception as error:
            caught.append(type(error))

    os.mkfifo(tmp_path / "pipe")  # reading it never ends
    monkeypatch.setattr(jobs_file, "Worker", Waited)
    thread = threading.Thread(target=ask)
    thread.start()
    assert waits.wait(PATIENCE)
    jobs.start()
    jobs.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert caught == [StoppedError]
    workspace.close()
