"""The list of evaluations, the example, baselines, tables as Excel, and evaluations of one test set over time."""

import html
import io
import json
import re
import sqlite3
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import EXAMPLES, ended, example, opened, scored

import tertium as tt
from tertium.report.page import beside
from tertium.web.glance import glance
from tertium.web.workspace import Workspace


def wait(client: TestClient, evaluation: str) -> None:
    """Until nothing is done any more with an evaluation."""
    for job in client.get("/api/jobs").json():
        if job["evaluation"] == evaluation:
            ended(client, job["id"])


def rows(client: TestClient) -> list[str]:
    """Rows of the list, as texts."""
    found = re.findall(r"<tr data-job.*?</tr>", client.get("/").text, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).split()) for row in found]


def upload(client: TestClient, name: str, brook: bytes | None = None, **data: str) -> str:
    files = [(field, (file, brook if brook and file == "brook.en" else text)) for field, (file, text) in
             example("atlas", "brook")]  # fmt: skip
    made = client.post("/api/evaluations", files=files, data={"metrics": "bleu,chrf", "name": name, **data})
    assert made.status_code == 201, made.text
    wait(client, made.json()["id"])
    return str(made.json()["id"])


def test_the_empty_page_offers_the_example(client: TestClient) -> None:
    page = client.get("/").text
    assert page.index('id="evaluations"') < page.index('id="new"')
    assert '<form action="/example" method="post"' in page
    made = client.post("/example")
    assert made.status_code == 303
    [entry] = client.get("/api/evaluations").json()
    assert made.headers["location"] == f"/evaluations/{entry['id']}"
    assert (entry["name"], entry["segments"], len(entry["systems"])) == ("Example: town notes", 96, 4)
    wait(client, entry["id"])
    kept = tt.load(client.app.state.workbench.workspace.path(entry["id"]))  # type: ignore[attr-defined]
    given = tt.read_testset(EXAMPLES / "testset.toml")
    assert kept.testset.digest == given.testset.digest
    assert kept.judgements == given.judgements
    assert [system.origin for system in kept.systems] == [None] * 4  # nothing of where it is installed
    assert '<form action="/example"' not in client.get("/").text
    [row] = rows(client)
    assert row.startswith("Example: town notes 96 segments, 4 systems ; bleu, chrf, ter, macrof")


def test_a_row_says_the_verdict_and_the_best_score(client: TestClient) -> None:
    name = upload(client, "first")
    [entry] = client.get("/api/evaluations").json()
    kept = tt.load(client.app.state.workbench.workspace.path(name))  # type: ignore[attr-defined]
    best = max((score for score in kept.scores() if score.metric == "bleu"), key=lambda score: score.value)
    assert (entry["glance"]["best"]["system"], entry["glance"]["best"]["value"]) == (best.system, best.value)
    assert entry["glance"]["scores"]["chrf"] == {s.system: s.value for s in kept.scores() if s.metric == "chrf"}
    assert entry["digest"] == kept.testset.digest
    report = client.get(f"/evaluations/{name}")
    wait(client, name)
    report = client.get(f"/evaluations/{name}")
    assert entry["glance"]["verdict"] in html.unescape(report.text)  # the very sentence of the report
    [row] = rows(client)
    assert entry["glance"]["verdict"] in row
    assert f"{best.value:.1f} BLEU {best.system} done" in row


def test_the_list_opens_no_evaluation(client: TestClient, tmp_path: Path) -> None:
    name = upload(client, "first")
    before = rows(client)
    (tmp_path / "workspace" / "evaluations" / name / "evaluation.zip").unlink()
    assert rows(client) == before


def test_a_baseline_decides_whether_to_ship(client: TestClient) -> None:
    refused = client.post("/api/evaluations", files=example("atlas", "brook"),
                          data={"metrics": "bleu", "baseline": "delta"})  # fmt: skip
    assert refused.status_code == 422
    assert refused.json()["error"] == "baseline delta: no system is called so; there are: atlas, brook"
    alone = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu", "baseline": "atlas"})
    assert alone.json()["error"] == "baseline atlas: it is the only system; a verdict needs another one"
    assert client.get("/api/evaluations").json() == []

    name = upload(client, "first", baseline="brook")
    entry = client.get(f"/api/evaluations/{name}").json()
    assert (entry["baseline"], entry["glance"]["case"]) == ("brook", "ship")
    assert entry["glance"]["verdict"].startswith("Ship atlas: ")
    assert client.get(f"/evaluations/{name}/report").status_code == 303
    wait(client, name)
    assert "Ship atlas: " in client.get(f"/evaluations/{name}/report").text

    assert client.patch(f"/api/evaluations/{name}", json={"baseline": "x"}).status_code == 422
    assert client.patch(f"/api/evaluations/{name}", json={}).status_code == 422
    changed = client.patch(f"/api/evaluations/{name}", json={"baseline": "atlas", "name": "other"}).json()
    assert (changed["baseline"], changed["name"], changed["glance"]) == ("atlas", "other", {})
    wait(client, name)
    assert client.get(f"/api/evaluations/{name}").json()["glance"]["verdict"].startswith("Do not ship brook: ")
    assert client.get(f"/evaluations/{name}/report").status_code == 303  # to be made anew
    assert client.post(f"/evaluations/{name}/baseline", data={"baseline": ""}).status_code == 303
    wait(client, name)
    assert client.get(f"/api/evaluations/{name}").json()["glance"]["case"] == "winner"


def test_a_verdict_for_another_baseline_is_not_kept(tmp_path: Path) -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    workspace = Workspace(tmp_path)
    entry = workspace.add(given, "first", ["bleu"], "atlas")
    workspace.set_baseline(entry.id, "brook")
    workspace.summed_up(entry.id, {"baseline": "atlas", "verdict": "late"})
    assert workspace.entry(entry.id).glance == {}
    workspace.close()
    (tmp_path / "index.sqlite3").unlink()
    again = Workspace(tmp_path)
    assert again.entry(entry.id).baseline == "brook"  # from the folder
    again.close()


def test_what_is_counted_already_is_summed_up_too(client: TestClient, tmp_path: Path) -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    tt.save(tt.evaluate(given.testset, given.systems, ["chrf"]), tmp_path / "saved.zip")
    made = client.post(
        "/api/evaluations", files=[("file", ("saved.zip", (tmp_path / "saved.zip").read_bytes()))]
    ).json()
    assert (made["state"], made["job"]) == ("done", None)
    wait(client, made["id"])
    assert client.get(f"/api/evaluations/{made['id']}").json()["glance"]["best"]["metric"] == "chrf"


def test_an_index_of_an_older_version_is_taken_on(tmp_path: Path) -> None:
    with opened(tmp_path / "w") as client:
        name = upload(client, "first")
        before = client.get(f"/api/evaluations/{name}").json()
    index = sqlite3.connect(tmp_path / "w" / "index.sqlite3")
    index.executescript(
        "DROP INDEX evaluations_of_testsets; ALTER TABLE evaluations DROP COLUMN digest; ALTER TABLE evaluations DROP "
        "COLUMN baseline; ALTER TABLE evaluations DROP COLUMN glance; DELETE FROM jobs WHERE kind = 'verdict'; "
        "PRAGMA user_version = 1;"
    )
    index.close()
    with opened(tmp_path / "w") as client:
        wait(client, name)
        assert client.get(f"/api/evaluations/{name}").json() == before


def test_a_verdict_that_fails_leaves_the_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    evaluation = tt.evaluate(given.testset, given.systems, ["bleu"])

    def fails(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr("tertium.web.glance.standings", fails)
    found = glance(evaluation)
    assert (found["case"], found["verdict"], found["best"]["system"]) == ("failed", "No verdict: no", "atlas")
    json.dumps(found, allow_nan=False)


def test_the_file_beside_a_page_of_very_many_segments(client: TestClient) -> None:
    name = upload(client, "town")
    workspace = client.app.state.workbench.workspace  # type: ignore[attr-defined]
    ended(client, client.get(f"/api/evaluations/{name}/tables").json()["id"])
    for address in (f"/api/evaluations/{name}/segments", f"/evaluations/{name}/segments?first=atlas&second=brook"):
        answer = client.get(address)
        assert (answer.status_code, "has no file of segments" in answer.text) == (404, True)
    assert "Download all segments" not in client.get(f"/evaluations/{name}").text
    [page] = workspace.evaluations.rglob("report-*.html")
    beside(page).write_bytes(b"all")  # as a report of many segments would
    link = re.search(r'href="([^"]*)" download>Download all segments', client.get(f"/evaluations/{name}").text)
    assert link is not None
    assert client.get(html.unescape(link[1])).content == b"all"


def test_all_tables_of_the_report_as_an_excel_file(client: TestClient) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    name = upload(client, "=2+3 <b>", baseline="brook")
    waiting = client.get(f"/api/evaluations/{name}/tables")
    assert waiting.status_code == 202
    assert client.get(f"/evaluations/{name}/tables").status_code == 303
    ended(client, waiting.json()["id"])
    found = client.get(f"/evaluations/{name}/tables")
    assert found.headers["content-type"].startswith("application/vnd.openxmlformats-officedocument.spreadsheetml")
    assert "_2_3 _b_.xlsx" in found.headers["content-disposition"].replace("%20", " ")
    book = openpyxl.load_workbook(io.BytesIO(found.content))
    page = client.get(f"/evaluations/{name}/report").text
    captions = re.findall(r"<caption[^>]*>.*?</caption>", page, re.DOTALL)
    assert len(book.sheetnames) == 1 + len(captions)
    about = [row[0].value for row in book["Contents"].iter_rows(max_row=4)]
    assert about[2] == client.get(f"/api/evaluations/{name}").json()["glance"]["verdict"]
    cells = [cell for sheet in book for row in sheet.rows for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "inlineStr", "n"}  # no formula, no error


def test_without_openpyxl_a_sentence_says_what_to_install(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    name = upload(client, "first")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    found = client.get(f"/api/evaluations/{name}/tables")
    assert found.status_code == 422
    assert found.json()["error"] == ('tables: Excel files need openpyxl; install it with: pip install "tertium[excel]"')


def test_two_evaluations_of_one_test_set(client: TestClient) -> None:
    reference = (EXAMPLES / "reference.a.en").read_bytes()
    first, second = upload(client, "monday"), upload(client, "tuesday", brook=reference)
    digest = client.get(f"/api/evaluations/{first}").json()["digest"]
    assert client.get(f"/api/evaluations/{second}").json()["digest"] == digest
    assert [row.count("History of 2") for row in rows(client)] == [1, 1]

    address = f"/testsets/{digest}/compare"
    asked = {"first": second, "second": first}  # in whichever order
    assert "Making the page" in client.get(address, params=asked).text
    wait(client, second)
    page = html.unescape(client.get(address, params=asked).text)
    assert "brook is significantly better by BLEU and chrF; atlas is the same as before, output by output." in page
    assert page.index("monday (") < page.index("tuesday (")
    assert "What changed since" in client.get(f"/evaluations/{second}").text

    history = client.get(f"/testsets/{digest}/history").text
    assert "2 evaluations of the same segments and references" in history
    assert "Scores of every evaluation" in history


def test_what_cannot_be_compared_over_time(client: TestClient) -> None:
    first = upload(client, "monday")
    digest = client.get(f"/api/evaluations/{first}").json()["digest"]
    assert "What changed since" not in client.get(f"/evaluations/{first}").text
    same = client.get(f"/testsets/{digest}/compare", params={"first": first, "second": first})
    assert (same.status_code, "choose two" in same.text) == (422, True)
    assert client.get(f"/testsets/{digest}/compare", params={"first": first, "second": "x"}).status_code == 404
    assert client.get("/testsets/0000/history").status_code == 404
    elsewhere = {"sec-fetch-site": "cross-site"}
    for path in ("compare", "history"):  # these begin work
        assert client.get(f"/testsets/{digest}/{path}", headers=elsewhere).status_code == 403


def test_a_page_over_time_that_failed_can_be_tried_again(client: TestClient, tmp_path: Path) -> None:
    first, second = upload(client, "monday"), upload(client, "tuesday")
    digest = client.get(f"/api/evaluations/{first}").json()["digest"]
    kept = tmp_path / "workspace" / "evaluations" / first / "evaluation.zip"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-50])
    asked = {"first": first, "second": second}
    client.get(f"/testsets/{digest}/compare", params=asked)
    wait(client, second)
    failed = client.get(f"/testsets/{digest}/compare", params=asked).text
    assert "This failed" in failed
    assert f'name="since" value="{first}"' in failed
    kept.write_bytes(whole)
    again = client.post(f"/evaluations/{second}/again", data={"since": first})
    wait(client, second)
    assert "the same as before" in client.get(again.headers["location"]).text


def test_names_in_the_list_are_only_texts(client: TestClient) -> None:
    name = scored(client, "atlas", "brook", metrics="bleu")
    workspace = client.app.state.workbench.workspace  # type: ignore[attr-defined]
    hostile = "<script>alert(1)</script>"
    entry = workspace.entry(name)
    said = {**entry.glance, "verdict": hostile, "best": {**entry.glance["best"], "system": hostile, "text": hostile}}
    workspace.summed_up(name, said)
    assert hostile not in client.get("/").text
    assert html.escape(hostile) in client.get("/").text
