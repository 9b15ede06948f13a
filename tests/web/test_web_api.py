"""The JSON interface: what the command line prints, of evaluations that are kept."""

import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient
from tests.web.conftest import EXAMPLES, ended, example, opened, scored, sent
from tests.web.gate import Gate

import tertium as tt
from tertium.cli.main import cli


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with opened(tmp_path_factory.mktemp("workbench") / "workspace") as client:
        yield client, scored(client, "atlas", "brook", metrics="bleu,macrof")


FILES = ("-s", "source.de", "-r", "reference.a.en", "-t", "systems/atlas.en", "-t", "systems/brook.en")
SYSTEMS = ["atlas", "brook"]


def printed(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.chdir(EXAMPLES)
    done = CliRunner().invoke(cli, [*arguments, "-f", "json"], catch_exceptions=False)
    assert done.exit_code == 0
    return json.loads(done.stdout)


M = ("-m", "bleu,macrof")


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("score", ("score", *FILES, *M)),
        ("score?level=segment", ("score", *FILES, *M, "--level", "segment")),
        ("score?confidence=0.9&trials=50&seed=3",
         ("score", *FILES, *M, "--confidence-level", "0.9", "--trials", "50", "--seed", "3")),
        ("compare?trials=100&seed=5", ("compare", *FILES, *M, "--trials", "100", "--seed", "5")),
        ("compare?baseline=brook&test=sign&metrics=bleu",
         ("compare", *FILES, "-m", "bleu", "-b", "brook", "--test", "sign")),
        ("disagree?first=atlas&second=brook&top=3", ("disagree", *FILES, *M, "--top", "3", *SYSTEMS)),
        (
            "disagree?first=atlas&second=brook&top=3&diagnose=true",
            ("disagree", *FILES, *M, "--top", "3", "--diagnose", *SYSTEMS),
        ),
        ("types?top=7&sort=f&metric=macrof", ("types", *FILES, "--top", "7", "--sort", "f")),
        ("diagnose", ("diagnose", *FILES)),
        ("buckets?by=source-length", ("buckets", *FILES, *M, "--by", "source-length")),
    ],
)  # fmt: skip
def test_answers_are_those_of_the_command_line(
    workbench: tuple[TestClient, str], monkeypatch: pytest.MonkeyPatch, question: str, command: tuple[str, ...]
) -> None:
    client, name = workbench
    answer = client.get(f"/api/evaluations/{name}/{question}")
    assert answer.status_code == 200
    assert answer.json() == printed(monkeypatch, *command)


def test_metrics_are_those_of_the_command_line(
    workbench: tuple[TestClient, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = workbench
    assert client.get("/api/metrics").json() == printed(monkeypatch, "metrics")
    assert client.get("/api/metrics/chrf").json() == printed(monkeypatch, "metrics", "chrf")


def test_wrong_questions_are_answered_by_sentences(workbench: tuple[TestClient, str]) -> None:
    client, name = workbench
    wrong = {
        "score?level=word": "level: Input should be 'corpus', 'document' or 'segment'",
        "score?level=document": "test set reference.a.en has no documents; name them "
        "(documents = in testset.toml, --doc FILE)",
        "compare?metrics=ter": "the evaluation has no metric ter; there are: bleu, macrof",
        "compare?baseline=nobody": "no system is called nobody; there are: atlas, brook",
        "types?metric=bleu": "bleu counts no types; choose a metric that does, such as macrof",
        "types?pattern=(": "pattern '(' is not a regular expression: missing ), unterminated subpattern at position 0",
    }
    for question, sentence in wrong.items():
        answer = client.get(f"/api/evaluations/{name}/{question}")
        assert (answer.status_code, answer.json()) == (422, {"error": sentence})
    answer = client.get("/api/evaluations/none/score")
    assert (answer.status_code, answer.json()) == (
        404,
        {"error": "there is no evaluation 'none' here; was it deleted?"},
    )


def test_the_interface_is_described(workbench: tuple[TestClient, str]) -> None:
    client, _ = workbench
    paths = client.get("/api/openapi.json").json()["paths"]
    for word in ("score", "compare", "disagree", "types", "diagnose", "buckets", "human/analyse", "human/agreement",
                 "meta", "verify", "stress", "against"):  # fmt: skip
        assert f"/api/evaluations/{{id}}/{word}" in paths
    assert set(paths["/api/evaluations"]) == {"get", "post"}
    assert [path for path in paths if not path.startswith("/api/")] == []


def test_an_evaluation_from_upload_to_deletion(client: TestClient, tmp_path: Path) -> None:
    name = scored(client, "atlas", "brook", metrics="bleu")
    [entry] = client.get("/api/evaluations").json()
    assert (entry["name"], entry["systems"], entry["metrics"]) == ("atlas and brook", ["atlas", "brook"], ["bleu"])
    renamed = client.patch(f"/api/evaluations/{name}", json={"name": " Town  notes "})
    assert renamed.json()["name"] == "Town notes"
    more = client.post(f"/api/evaluations/{name}/metrics", json={"metrics": "chrf(words=2)"})
    assert ended(client, more.json()["id"])["state"] == "done"
    assert client.get(f"/api/evaluations/{name}").json()["metrics"] == ["bleu", "chrf(words=2)"]

    exported = client.get(f"/api/evaluations/{name}/export")
    assert exported.headers["content-disposition"] == "attachment; filename*=utf-8''Town%20notes.zip"
    (tmp_path / "e.zip").write_bytes(exported.content)
    evaluation = tt.load(tmp_path / "e.zip")
    assert [score.system for score in evaluation.scores()] == ["atlas", "atlas", "brook", "brook"]

    assert client.delete(f"/api/evaluations/{name}").status_code == 204
    assert client.get("/api/evaluations").json() == []
    assert client.get(f"/api/evaluations/{name}").status_code == 404
    again = client.post("/api/evaluations", files=[("file", ("e.zip", exported.content))])
    assert (again.json()["metrics"], again.json()["state"]) == (["bleu", "chrf(words=2)"], "done")


def test_an_evaluation_without_its_texts(client: TestClient, tmp_path: Path) -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    tt.save(tt.evaluate(given.testset, given.systems, "bleu"), tmp_path / "e.zip", texts=False)
    files = [("file", ("e.zip", (tmp_path / "e.zip").read_bytes()))]
    wrong = client.post("/api/evaluations", files=files, data={"metrics": "bleu,chrf"})
    assert wrong.json() == {
        "error": "chrf cannot be counted: the evaluation was saved without its texts; choose no metric but bleu, "
        "or send the texts"
    }
    made = client.post("/api/evaluations", files=files).json()
    assert made["state"] == "done"
    assert ended(client, client.get(f"/api/evaluations/{made['id']}/report").json()["id"])["state"] == "done"
    assert len(client.get(f"/api/evaluations/{made['id']}/score").json()["scores"]) == 4


def test_what_is_not_scored_yet_waits(client: TestClient) -> None:
    made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu", "name": "one"}).json()
    assert (made["state"], made["metrics"], made["wanted"]) == ("queued", [], ["bleu"])
    done = ended(client, made["job"])
    assert (done["state"], done["reason"], done["progress"], done["kind"]) == ("done", "", None, "score")
    assert [job["id"] for job in client.get("/api/jobs").json()] == [made["job"]]


def test_a_job_can_be_cancelled_and_tried_again(client: TestClient, gate: Gate) -> None:
    made = client.post("/api/evaluations", files=example("atlas", "brook"), data={"metrics": "bleu"}).json()
    gate.reached()
    cancelled = client.post(f"/api/jobs/{made['job']}/cancel").json()
    assert cancelled["state"] == "cancelled"
    assert client.get(f"/api/evaluations/{made['id']}").json()["state"] == "cancelled"
    assert client.get("/api/jobs").json()[0]["progress"] is None
    gate.open()
    again = client.post(f"/api/evaluations/{made['id']}/metrics", json={}).json()
    assert again["id"] != made["job"]
    assert ended(client, again["id"])["state"] == "done"
    assert client.post(f"/api/jobs/{again['id']}/cancel").json()["state"] == "done"  # too late


def test_deleting_stops_the_work(client: TestClient, gate: Gate) -> None:
    made = client.post("/api/evaluations", files=example("atlas", "brook"), data={"metrics": "bleu,ter"}).json()
    gate.reached()
    worker = client.app.state.workbench.jobs._running[made["job"]]  # type: ignore[attr-defined]
    assert client.delete(f"/api/evaluations/{made['id']}").status_code == 204
    assert client.get("/api/jobs").json() == []
    assert client.get(f"/api/jobs/{made['job']}").status_code == 404
    assert worker.process.exitcode == -signal.SIGKILL


def test_metrics_are_checked_before_anything_is_kept(client: TestClient) -> None:
    wrong = {
        "blue": "unknown metric 'blue'; did you mean 'bleu'?",
        'bleu(tokenize="py:os:getcwd")': 'bleu: tokenize="py:os:getcwd" names a file or a function of this computer',
        'bleu(tokenize="spm:/etc/passwd")': 'bleu: tokenize="spm:/etc/passwd" names a file',
        "bleu(order=0)": "bleu: order=0",
        "": "no metric is chosen; choose at least one, such as bleu",
    }
    for text, sentence in wrong.items():
        answer = client.post("/api/evaluations", files=example("atlas"), data={"metrics": text})
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(sentence)
    assert client.get("/api/evaluations").json() == []


def test_what_is_lacking_is_told_without_flags_of_the_command_line(client: TestClient) -> None:
    source, _, output = example("atlas")
    answer = client.post("/api/evaluations", files=[source, output], data={"metrics": "bleu"})
    assert (answer.status_code, answer.json()) == (
        422, {"error": "bleu needs references, and test set source.de has none"}
    )  # fmt: skip


def test_localisation_files_and_how_their_tags_are_read(client: TestClient) -> None:
    unit = (
        '<trans-unit id="1"><source>eins<x id="1"/></source><target>one<x id="1"/></target>'
        '<alt-trans origin="atlas"><target>one</target></alt-trans></trans-unit>'
    )
    job = f'<xliff version="1.2"><file original="d"><body>{unit}</body></file></xliff>'
    signatures = {}
    for tags in ("", "protect"):
        answer = client.post(
            "/api/evaluations", files=[("file", ("job.xlf", job))], data={"metrics": "chrf", "tags": tags}
        )
        assert answer.status_code == 201, answer.json()
        assert ended(client, answer.json()["job"])["state"] == "done"
        signatures[tags] = client.get(f"/api/evaluations/{answer.json()['id']}/score").json()["scores"][0]["signature"]
    assert "|tags:strip|" in signatures[""]
    assert "|tags:protect|" in signatures["protect"]
    wrong = client.post(
        "/api/evaluations", files=[("file", ("job.xlf", job))], data={"metrics": "chrf", "tags": "lose"}
    )
    assert (wrong.status_code, wrong.json()) == (
        422, {"error": "tags 'lose' is unknown; choose from strip, protect, keep"}
    )  # fmt: skip


def test_names_are_checked(client: TestClient) -> None:
    name = scored(client, "atlas", metrics="bleu")
    for text, sentence in {
        "  ": "the name is empty; write one",
        "x" * 201: "the name has 201 characters; at most 200",
        "a\x00b": "the name has characters that cannot be shown; leave them out",
    }.items():
        answer = client.patch(f"/api/evaluations/{name}", json={"name": text})
        assert (answer.status_code, answer.json()) == (422, {"error": sentence})


def test_roles_are_guessed_by_name(client: TestClient) -> None:
    names = ["src.de", "a/ref.en", "systems/x.en", "notes.txt", "docs.txt", "refusal.en"]
    assert client.post("/api/guess", json={"names": names}).json() == {
        "src.de": "source", "a/ref.en": "reference", "systems/x.en": "output", "notes.txt": None,
        "docs.txt": "documents", "refusal.en": None,
    }  # fmt: skip


def test_form_fields_become_metrics(client: TestClient) -> None:
    data = {
        "metric": ["chrf", "bleu"],
        "chrf.words": "2",
        "chrf.beta": "",
        "bleu.lowercase": "true",
        "ter.asian": "true",
    }
    made = client.post("/api/evaluations", files=example("atlas"), data=data)
    assert made.json()["wanted"] == ["chrf(words=2)", "bleu(lowercase=True)"]
    wrong = client.post("/api/evaluations", files=example("atlas"), data={"metric": "chrf", "chrf.words": "two"})
    assert wrong.json() == {"error": "chrf: words='two' must be int; the default is words=0"}


def test_the_report_is_made_when_it_is_asked_for(client: TestClient, gate: Gate) -> None:
    gate.open()
    name = scored(client, "atlas", "brook")
    gate.close()
    waiting = client.get(f"/api/evaluations/{name}/report")
    assert waiting.status_code == 202
    assert client.get(f"/api/evaluations/{name}/report").json()["id"] == waiting.json()["id"]  # not made twice
    gate.open()
    assert ended(client, waiting.json()["id"])["state"] == "done"
    found = client.get(f"/api/evaluations/{name}/report")
    assert found.status_code == 200
    assert found.headers["content-disposition"].endswith('filename="atlas and brook.html"')
    assert found.text.startswith("<!doctype html>")
    assert "Content-Security-Policy" in found.text


def test_a_report_that_cannot_be_made_says_so(client: TestClient, gate: Gate) -> None:
    files = [("reference", ("r.en", b"hello\n")), ("output", ("o.en", b"world\n"))]
    made = client.post("/api/evaluations", files=files, data={"metrics": "bleu"}).json()
    address = f"/api/evaluations/{made['id']}/report"
    waiting = client.get(address)
    assert (waiting.status_code, waiting.json()["id"]) == (202, made["job"])  # of the scores, without which is no page
    client.post(f"/api/jobs/{made['job']}/cancel")
    for _ in range(2):
        answer = client.get(address)
        assert (answer.status_code, answer.json()) == (409, {
            "error": "o is not scored (cancelled); "
            f"POST /api/evaluations/{made['id']}/metrics tries again"
        })  # fmt: skip
        assert client.get(f"/evaluations/{made['id']}/report").headers["location"] == f"/evaluations/{made['id']}"
    assert [job["kind"] for job in client.get("/api/jobs").json()] == ["score"]

    gate.open()
    name = scored(client, "atlas")
    gate.close()
    job = client.get(f"/api/evaluations/{name}/report").json()["id"]
    assert client.post(f"/api/jobs/{job}/cancel").json()["state"] == "cancelled"
    answer = client.get(f"/api/evaluations/{name}/report")
    assert (answer.status_code, answer.json()) == (409, {
        "error": f"the report could not be made (cancelled); POST /evaluations/{name}/again tries again"
    })  # fmt: skip
    assert client.post(f"/evaluations/{name}/again").status_code == 303
    again = client.get(f"/api/evaluations/{name}/report")
    assert again.status_code == 202
    gate.open()
    assert ended(client, again.json()["id"])["state"] == "done"
    assert client.get(f"/api/evaluations/{name}/report").status_code == 200


def test_testset_with_judgements_and_folders(client: TestClient) -> None:
    names = ["testset.toml", "source.de", "reference.a.en", "reference.b.en", "documents.txt", "domains.txt",
             "ratings.tsv", *(f"systems/{name}.en" for name in ("atlas", "brook", "cinder", "delta"))]  # fmt: skip
    made = client.post("/api/evaluations", files=sent(*names), data={"metrics": "bleu"})
    assert made.status_code == 201, made.text
    assert made.json()["systems"] == ["atlas", "brook", "cinder", "delta"]
    assert ended(client, made.json()["job"])["state"] == "done"
