"""A sentence that is typed in, explained on the workbench."""

import json
import re

import pytest
from starlette.testclient import TestClient

from tertium.analysis.walkthrough import walk_through
from tertium.report.walkthrough import walkthrough_object
from tertium.web.explain import explainable

ASKED = {"output": "The cat the cat on the mat.", "reference": "The cat is on the mat.\r\nThere is a cat on the mat."}


def test_the_form_has_every_metric_that_can_be_explained(client: TestClient) -> None:
    assert 'href="/explain"' in client.get("/").text
    page = client.get("/explain")
    assert page.status_code == 200
    assert re.findall(r'name="metric" value="(\w+)"', page.text) == list(explainable())
    assert "The cat the cat on the mat." in page.text  # an example to begin with
    assert 'id="metric-1"' not in page.text


def test_steps_stand_below(client: TestClient) -> None:
    page = client.get("/explain", params={**ASKED, "metric": ["bleu", "meteor"], "other": "chrf(words=2)"})
    assert page.status_code == 200
    chrf = walk_through(ASKED["output"], ASKED["reference"].split("\r\n"), "chrf(words=2)")
    assert re.findall(r'<h2 id="metric-\d-title"><span class="number">\d</span> ([^<]+)</h2>', page.text) == [
        "BLEU 57.2125",
        "METEOR 45.2712",
        f"chrF {chrf.value:.4f}",
    ]
    assert "1-grams: 6/8 = 0.7500" in page.text
    [nonce] = set(re.findall(r'nonce="([^"]+)"', page.text))
    assert f"'nonce-{nonce}'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"output": "a", "reference": " "}, "bleu needs a reference, got none (--ref TEXT)"),
        ({"output": "a" * 5001, "reference": "b"}, "output: 5001 characters"),
        ({"output": "a", "reference": "b", "other": "blue"}, "unknown metric &#39;blue&#39;"),
        ({"output": "a", "reference": "b", "other": "bleu(tokenize='py:os:system')"}, "which is not allowed here"),
        ({"output": "a", "reference": "b", "other": "lexical"}, "lexical has no steps to show"),
        ({"output": "a", "reference": "b\n" * 11}, "at most 25 and 10 fit a page"),
        ({"output": "<script>alert(1)</script>", "reference": ""}, "bleu needs a reference"),
    ],
)
def test_what_is_wrong_is_said_beside_what_was_typed(client: TestClient, asked: dict[str, str], told: str) -> None:
    page = client.get("/explain", params=asked)
    assert page.status_code == 422
    assert told in page.text
    assert "<script>alert" not in page.text


def test_the_same_as_json(client: TestClient) -> None:
    question = {"output": "There is a cat on the mat", "references": ["The cat is on the mat"], "metrics": ["f1"]}
    answer = client.post("/api/explain", json=question)
    own = walkthrough_object(walk_through(question["output"], question["references"], "f1"))  # type: ignore[arg-type]
    assert answer.json() == json.loads(json.dumps([own]))
    assert answer.json()[0]["steps"][-1]["lines"][-1] == "F1 = 100 x 2 P R / (P + R) = 76.9231"
    wrong = client.post("/api/explain", json={"output": "a", "references": [], "metrics": ["bleu"]})
    assert (wrong.status_code, wrong.json()) == (422, {"error": "bleu needs a reference, got none (--ref TEXT)"})
