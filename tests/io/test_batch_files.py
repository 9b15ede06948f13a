"""Batches and manifests of Appraise. The texts are invented."""

import json
from pathlib import Path

import pytest

from tertium.io.ratings.appraise_tasks import read_batches, read_manifest, read_texts_of, write_batches, write_manifest
from tertium.io.ratings.formats import read_ratings

TASK = {"batchNo": 1, "requiredAnnotations": 1, "sourceLanguage": "ces", "targetLanguage": "eng", "randomSeed": 7}
ITEM = {
    "_block": 0,
    "itemID": 3,
    "itemType": "TGT",
    "sourceID": "x",
    "sourceText": "Ahoj",
    "targetID": "brook+delta",
    "targetText": "Hi \ud83c\udf0d".encode("utf-16", "surrogatepass").decode("utf-16"),
    "documentID": "news",
    "isCompleteDocument": False,
}
PAIR = {
    "itemID": "4",
    "itemType": "BAD",
    "segmentText": "Ne",
    "targets": [{"targetID": "brook", "targetText": "No"}, {"targetID": "delta", "targetText": "Nay"}],
}
MANIFEST = {
    "CAMPAIGN_URL": "http://127.0.0.1:8000/",
    "CAMPAIGN_NAME": "town",
    "CAMPAIGN_KEY": "t",
    "CAMPAIGN_NO": 1,
    "REDUNDANCY": 1,
    "TASKS_TO_ANNOTATORS": [["ces", "eng", "uniform", 2, 1]],
    "TASK_TYPE": "Document",
    "TASK_OPTIONS": "ESA;NewUI",
}


def batches(*items, **more):
    return json.dumps([{"task": TASK, "items": list(items), **more}])


def test_batches(write):
    path = write("a.json", batches(ITEM, PAIR, note="kept"))
    [batch] = read_batches(path)
    first, second = batch.items
    assert (batch.languages, first.id, first.kind, first.document, first.source) == (
        "ces-eng",
        "3",
        "genuine",
        "news",
        "Ahoj",
    )
    assert first.outputs == ((("brook", "delta"), ITEM["targetText"]),)
    assert (second.id, second.kind, second.document, second.source) == ("4", "degraded", "", "Ne")
    assert second.outputs == ((("brook",), "No"), (("delta",), "Nay"))
    write_batches([batch], "b.json.gz")
    assert read_batches("b.json.gz") == (batch,)
    write_batches([batch], "b.json")
    assert json.loads(Path("b.json").read_text()) == json.loads(Path("a.json").read_text())


def test_texts_join_results(write):
    given = read_texts_of(write("a.json", batches(ITEM, PAIR, {**ITEM, "itemID": 5, "targetID": "brook"})))
    assert given.testset.ids == ("news/3", "news/5", "4")
    assert list(given.testset.sources) == ["Ahoj", "Ahoj", "Ne"]
    hi = ITEM["targetText"]
    assert {system.name: list(system.outputs) for system in given.systems} == {
        "brook": [hi, hi, None],  # what is degraded is not the system's
        "delta": [hi, None, None],
    }
    results = write("a.csv", "eva,brook,5,TGT,ces,eng,70,news,False,1.0,2.0\n")
    assert read_ratings(results, None, given.testset)[1][0].segment == 1


def test_manifest(write):
    manifest = read_manifest(write("a.json", json.dumps(MANIFEST)))
    assert (manifest.name, manifest.task_type, manifest.options) == ("town", "Document", ("ESA", "NewUI"))
    write_manifest(manifest, "b.json")
    assert json.loads(Path("b.json").read_text()) == MANIFEST
    plain = {key: value for key, value in MANIFEST.items() if not key.startswith("TASK_")}
    manifest = read_manifest(write("a.json", json.dumps(plain)))
    assert (manifest.task_type, manifest.options) == ("Direct", ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{]", "a.json:1: not JSON (Expecting property name enclosed in double quotes)"),
        ("[\n1,\n]", "a.json:3: not JSON (Expecting value)"),
        ("{}", "a.json: an object; expected a list of batches"),
        ("[7]", "a.json, batch 1: a number; expected an object with task, items"),
        ('[{"items": []}]', "a.json, batch 1: no task; expected task, items"),
        ('[{"items": [], "task": {}}]', "a.json, batch 1, task: no batchNo; expected batchNo, requiredAnnotations, "
         "sourceLanguage, targetLanguage"),
        (batches(ITEM, None), "a.json, batch 1, item 2: null; expected an object with itemType"),
        (batches({**ITEM, "itemType": "XXX"}), "a.json, batch 1, item 1: unknown itemType 'XXX'; known: TGT, CHK, REF, "
         "BAD"),
        (batches({**ITEM, "itemID": None}), "a.json, batch 1, item 1: no itemID that is a number or a text"),
        (batches({**ITEM, "targetText": 1}), "a.json, batch 1, item 1: targetText is a number; expected a text"),
        (batches({**PAIR, "targets": [{"targetID": "a"}]}), "a.json, batch 1, item 1, target 1: no targetText; "
         "expected targetID, targetText"),
        (batches({"itemID": 1, "itemType": "TGT"}), "a.json, batch 1, item 1: no segmentText; expected segmentText"),
        ("[" * 100000, "a.json: not JSON (maximum recursion depth exceeded while decoding a JSON array from a unicode "
         "string)"),
    ],
)  # fmt: skip
def test_refusals_of_batches(write, refusal, text, message):
    assert refusal(read_batches, write("a.json", text)) == message


def test_refusals_of_manifests(write, refusal):
    def say(**changes):
        return refusal(read_manifest, write("a.json", json.dumps({**MANIFEST, **changes})))

    assert say(CAMPAIGN_NO=True) == "a.json: CAMPAIGN_NO is true or false; expected a number"
    assert say(TASK_OPTIONS=["ESA"]) == "a.json: TASK_OPTIONS is a list; expected a text"
    assert say(TASKS_TO_ANNOTATORS=[["ces"]]) == (
        "a.json: TASKS_TO_ANNOTATORS has ['ces']; expected lists such as "
        '["eng", "deu", "uniform", 4, 2]: languages, scheme, raters, tasks'
    )
    assert refusal(read_manifest, write("a.json", "[]")).startswith("a.json: a list; expected an object with CAMPAIGN_")
