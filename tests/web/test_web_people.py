"""What people said, in the workbench: the metric `human` of uploads that bring judgements along."""

import csv
import html
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient
from tests.web.conftest import EXAMPLES, ended, example, sent

import tertium as tt
from tertium.cli.main import cli
from tertium.web import work

SYSTEMS = ("atlas", "brook", "cinder", "delta")
WHOLE = ("testset.toml", "source.de", "reference.a.en", "reference.b.en", "documents.txt", "domains.txt", "ratings.tsv",
         *(f"systems/{name}.en" for name in SYSTEMS))  # fmt: skip
ADEQUACY = 'human(scale="adequacy")'
RAW = 'human(standardise="none")'


def means(scale: str) -> dict[str, float]:
    """The mean over segments of the mean of each segment's judgements, straight from the file."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with (EXAMPLES / "ratings.tsv").open(newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["scale"] == scale and row["kind"] in ("genuine", "repeat"):
                found[row["system"]][row["segment"]].append(float(row["value"]))
    return {system: fmean(map(fmean, segments.values())) for system, segments in found.items()}


def uploaded(client: TestClient, metrics: str, files: Any = None) -> str:
    made = client.post("/api/evaluations", files=files or sent(*WHOLE), data={"metrics": metrics})
    assert made.status_code == 201, made.text
    done = ended(client, made.json()["job"])
    assert (done["state"], done["reason"]) == ("done", "")
    return str(made.json()["id"])


def values(client: TestClient, name: str, metric: str) -> dict[str, float]:
    scores = client.get(f"/api/evaluations/{name}/score").json()["scores"]
    return {item["system"]: item["value"] for item in scores if item["metric"] == metric}


def test_people_among_other_metrics(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = f"{ADEQUACY},bleu,{RAW},human"
    name = uploaded(client, metrics)
    assert client.get(f"/api/evaluations/{name}").json()["metrics"] == [ADEQUACY, "bleu", RAW, "human"]
    assert values(client, name, RAW) == pytest.approx(means("da100"))
    assert values(client, name, ADEQUACY) == pytest.approx(means("adequacy"))
    monkeypatch.chdir(EXAMPLES)
    done = CliRunner().invoke(cli, ["score", "testset.toml", "-m", metrics, "-f", "json"], catch_exceptions=False)
    assert client.get(f"/api/evaluations/{name}/score").json() == json.loads(done.stdout)


def test_people_are_added_later_and_compared(client: TestClient) -> None:
    name = uploaded(client, "bleu")
    more = client.post(f"/api/evaluations/{name}/metrics", json={"metrics": f"chrf,{ADEQUACY}"})
    assert ended(client, more.json()["id"])["state"] == "done"
    assert client.get(f"/api/evaluations/{name}").json()["metrics"] == ["bleu", "chrf", ADEQUACY]
    assert values(client, name, ADEQUACY) == pytest.approx(means("adequacy"))
    address = f"/evaluations/{name}/compare?first=delta&second=atlas"
    client.get(address)
    assert ended(client, client.get("/api/jobs").json()[0]["id"])["state"] == "done"
    page = client.get(address).text
    assert "<h1><bdi>delta and atlas</bdi></h1>" in page
    assert html.escape(ADEQUACY) in page or ADEQUACY.replace('"', "&#34;") in page


def test_a_table_of_judgements_beside_plain_files(client: TestClient) -> None:
    """By its field, by its name, by its columns, by what the sender says, and by one of its columns."""
    ratings = (EXAMPLES / "ratings.tsv").read_bytes()
    plain = example(*SYSTEMS)
    for extra in (("judgements", ("x.tsv", ratings)), ("file", ("ratings.tsv", ratings)), ("file", ("x.tsv", ratings))):
        name = uploaded(client, RAW, [*plain, extra])
        assert values(client, name, RAW) == pytest.approx(means("da100"))
    loose = [("file", (name, data)) for _, (name, data) in plain] + [("file", ("x.tsv", ratings))]
    roles = [{"file": "source.de", "role": "source"}, {"file": "reference.a.en", "role": "reference"},
             *({"file": f"{name}.en", "role": "output"} for name in SYSTEMS)]  # fmt: skip
    for said in (
        [{"file": "x.tsv", "role": "judgements"}],
        [{"file": "x.tsv", "role": "output", "column": "system"}, {"file": "x.tsv", "role": "judgements",
                                                                   "column": "value"}],
    ):  # fmt: skip
        made = client.post("/api/evaluations", files=loose,
                           data={"metrics": "human", "roles": json.dumps([*roles, *said])})  # fmt: skip
        assert (made.status_code, made.json()["systems"]) == (201, list(SYSTEMS))


def test_people_who_said_nothing_are_refused(client: TestClient) -> None:
    ratings = ("judgements", ("ratings.tsv", (EXAMPLES / "ratings.tsv").read_bytes()))
    wrong = [
        (example("atlas"), "human",
         "human needs judgements, and there are none; send a file of them along (docs/reference/judgements.md), or "
         "leave human out"),
        ([*example("atlas"), ratings], 'human(scale="esa")',
         'human(scale="esa"): nobody judged test set reference.a.en on the scale esa; there are: '
         'human(scale="adequacy"), human(scale="fluency"), human(scale="da100")'),
        ([*example("atlas")[:2], ("output", ("ours.en", example("atlas")[2][1][1])), ratings], "human",
         "human: nobody judged ours; the judgements are of atlas, brook, cinder, delta; give the systems the names "
         "that they have there"),
    ]  # fmt: skip
    for files, metrics, sentence in wrong:
        answer = client.post("/api/evaluations", files=files, data={"metrics": metrics})
        assert (answer.status_code, answer.json()) == (422, {"error": sentence})
    assert client.get("/api/evaluations").json() == []
    name = uploaded(client, "bleu", example("atlas"))
    answer = client.post(f"/api/evaluations/{name}/metrics", json={"metrics": "human"})
    assert (answer.status_code, answer.json()) == (422, {"error": wrong[0][2]})


def test_the_form_offers_people(client: TestClient) -> None:
    page = client.get("/").text
    for part in ('value="human"', 'name="human.scale"', 'name="human.standardise"', "Needs judgements."):
        assert part in page
    ratings = ("judgements", ("ratings.tsv", (EXAMPLES / "ratings.tsv").read_bytes()))
    data = {"metric": ["bleu", "human"], "human.scale": "fluency", "human.standardise": ""}
    made = client.post("/evaluations", files=[*example("atlas", "brook"), ratings], data=data)
    name = made.headers["location"].rpartition("/")[2]
    assert client.get(f"/api/evaluations/{name}").json()["wanted"] == ["bleu", 'human(scale="fluency")']
    wrong = client.post(
        "/evaluations", files=[*example("atlas"), ratings], data={"metric": "human", "human.scale": "x"}
    )
    assert wrong.status_code == 422
    assert "human: scale=" in wrong.text


def test_people_need_no_texts(tmp_path: Path, client: TestClient) -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    evaluation = tt.evaluate(given.testset, given.systems, "bleu", judgements=given.judgements)
    tt.save(evaluation, tmp_path / "e.zip", texts=False)
    name = uploaded(client, f"bleu,{RAW}", [("file", ("e.zip", (tmp_path / "e.zip").read_bytes()))])
    assert values(client, name, RAW) == pytest.approx(means("da100"))


def test_progress_counts_texts_alone(tmp_path: Path) -> None:
    tt.save(tt.read_testset(EXAMPLES / "testset.toml"), tmp_path / "e.zip")
    told: list[tuple[str, int, int]] = []
    work.score({"path": str(tmp_path / "e.zip"), "metrics": ["human", "bleu"]}, lambda *at: told.append(at))
    assert ("counting segments", 96 * 4, 96 * 4) in told
    told.clear()
    work.score({"path": str(tmp_path / "e.zip"), "metrics": [ADEQUACY]}, lambda *at: told.append(at))
    assert [stage for stage, _, _ in told] == ["reading", "reading judgements", "saving", "summing up"]


def test_comparisons_say_what_a_difference_means(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the published curve, or the reason why none holds, and by the people who judged these systems: the same
    numbers as the command's."""
    name = uploaded(client, "bleu,chrf")
    asked = "metrics=bleu&metrics=chrf&trials=300"
    told = client.get(f"/api/evaluations/{name}/compare?{asked}").json()["meaning"]
    assert told["bleu"]["curve"] is None
    assert told["bleu"]["reason"].endswith("town-notes has 1-2 references")
    [own] = told["chrf"]["own"]
    assert (own["gold"], own["curve"]["pairs"], len(own["pairs"])) == ("human", 6, 6)
    monkeypatch.chdir(EXAMPLES)
    words = ["compare", "testset.toml", "-m", "bleu,chrf", "--trials", "300", "-f", "json"]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert json.loads(done.stdout)["meaning"] == told


def test_the_published_curve_is_in_the_answer_and_on_the_page(client: TestClient, tmp_path: Path) -> None:
    reference = [f"the river rose {k} times by the old mill and {k + 1} by the new one" for k in range(40)]
    texts = {
        "ref": reference,
        "good": [line.replace("old", "older") for line in reference],
        "bad": [line.replace("river rose", "stream fell") for line in reference],
    }
    for part, lines in texts.items():
        (tmp_path / f"{part}.en").write_text("\n".join(lines) + "\n")
    files = [
        *sent("ref.en", field="reference", base=tmp_path),
        *sent("good.en", "bad.en", field="system", base=tmp_path),
    ]
    name = uploaded(client, "bleu", files)
    found = client.get(f"/api/evaluations/{name}/compare").json()["meaning"]["bleu"]
    [pair] = found["pairs"]
    assert (found["curve"]["name"], found["own"]) == ("bleu", [])
    assert pair["accuracy"] == tt.meaning("bleu", abs(pair["difference"])).accuracy
    making = client.get(f"/api/evaluations/{name}/report")
    assert ended(client, making.json()["id"])["state"] == "done"
    page = html.unescape(client.get(f"/evaluations/{name}").text)
    assert "The significant difference is " in page
    assert "(Kocmi et al. 2024)" in page
