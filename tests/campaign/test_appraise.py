"""What is planned for an Appraise server is read by the reader of Appraise's own files, with the same texts."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.written import written as on_disk

from tertium.core.errors import OptionError
from tertium.core.judgement import Judgement
from tertium.human.campaign.appraise import appraise_files
from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.intake import take_in
from tertium.human.campaign.plan import plan
from tertium.human.campaign.spec import Batches, Campaign, Control
from tertium.io.ratings.appraise_tasks import (
    Batch,
    read_batches,
    read_manifest,
    read_texts_of,
    write_batches,
    write_manifest,
)
from tertium.io.ratings.formats import read_ratings

from .made import campaign

CONTROLS = Control(degraded=0.1, repeat=0.1, reference=0.1, distance=5)


def written(spec: Campaign, folder: Path) -> None:
    batches, manifest = appraise_files(spec, plan(spec))
    write_batches(batches, folder / "batches.json")
    write_manifest(manifest, folder / "manifest.json")


@pytest.mark.parametrize("protocol", ["da", "esa", "mqm"])
def test_every_output_is_there(protocol: str, tmp_path: Path) -> None:
    spec = campaign([4, 5, 6], protocol=protocol, control=CONTROLS)
    written(spec, tmp_path)
    batches, manifest = read_batches(tmp_path / "batches.json"), read_manifest(tmp_path / "manifest.json")
    assert manifest.task_type == "Document"
    assert manifest.options == {"da": (), "esa": ("ESA",), "mqm": ("MQM",)}[protocol]
    single = [item for batch in batches for item in batch.items if not item.fields["isCompleteDocument"]]
    assert [item.kind for item in single] == [item.kind for batch in plan(spec).batches for item in batch.items]
    whole = [item for batch in batches for item in batch.items if item.fields["isCompleteDocument"]]
    assert bool(whole) == (protocol == "da")
    assert {batch.languages for batch in batches} == {"deu-eng"}
    texts = {(item.document, item.id, item.outputs[0]) for item in single if item.kind == "genuine"}
    expected = {
        (document, str(place), ((system,), spec.outputs(system)[k]))
        for document, segments in spec.documents.items()
        for place, k in enumerate(segments)
        for system in spec.systems
    }
    assert texts == expected


def test_results_find_their_texts(tmp_path: Path) -> None:
    spec = campaign([4, 5, 6], protocol="esa", control=CONTROLS)
    written(spec, tmp_path)
    found = read_texts_of(tmp_path / "batches.json")
    sources = [text for text in found.testset.sources or () if text]
    assert sorted(sources) == sorted(text for text in spec.evaluation.testset.sources or () if text)


def test_two_side_by_side(tmp_path: Path) -> None:
    spec = campaign([3, 4], systems=4, protocol="ranking", width=2, batches=Batches(size=20))
    written(spec, tmp_path)
    assert read_manifest(tmp_path / "manifest.json").task_type == "Pairwise"
    assert {len(item.outputs) for batch in read_batches(tmp_path / "batches.json") for item in batch.items} == {2}


def test_what_appraise_has_not() -> None:
    for protocol, said in (("sqm", "Appraise has no protocol sqm; it has da, esa, mqm, ranking"),):
        spec = campaign([3], protocol=protocol)
        with pytest.raises(OptionError, match=said):
            appraise_files(spec, plan(spec))
    spec = campaign([3], systems=3, protocol="ranking", width=3)
    with pytest.raises(OptionError, match="Appraise compares two outputs, not 3"):
        appraise_files(spec, plan(spec))


def results(batches: list[Batch], users: dict[int, str]) -> str:
    """What Appraise's `ExportSystemScoresToCSV` says of batches that users have done; a score of the item's own."""
    lines = []
    for number, batch in enumerate(batches, 1):
        for place, item in enumerate(batch.items):
            of, score = item.fields, (7 * number + 3 * place) % 101
            errors = ["[]"] if "mqm" in of else []
            row = [
                users[number], of["targetID"], of["itemID"], of["itemType"], "deu", "eng", score,
                of["documentID"], of["isCompleteDocument"], *errors, 1600000000 + place, 1600000020.5 + place,
            ]  # fmt: skip
            lines.append(",".join(map(str, row)))
    return "".join(f"{line}\r\n" for line in lines)


def counted(said: Iterable[Judgement]) -> Counter[tuple[Any, ...]]:
    """Whose of what; references are filed under the output that they stand against."""
    return Counter(
        (one.rater, "" if one.kind == "reference" else one.system, one.segment, one.kind, one.scale, one.value)
        for one in said
        if one.scale != "document100"
    )


@pytest.mark.parametrize(("protocol", "assignment"), [("da", "static"), ("esa", "static"), ("da", "pool")])
def test_results_of_users_of_appraise_go_into_the_campaign(tmp_path: Path, protocol: str, assignment: str) -> None:
    """Appraise gives batches to users of its own, one of them two: what they said is theirs, and in the right place."""
    control = "degraded = 0.1\nrepeat = 0.1\nreference = 0.1\ndistance = 1"
    names = 'names = ["ada", "ben"]' if assignment == "static" else ""
    batches = f'size = 12\nredundancy = {2 if assignment == "static" else 1}\nassignment = "{assignment}"'
    path = on_disk(tmp_path, protocol, raters=names, control=control, batches=batches)
    with open_collection(path) as collection:
        planned, _ = appraise_files(collection.campaign, collection.plan)
        assert len(planned) >= 2
        users = {k: f"deueng0{k // 2}" for k in range(1, len(planned) + 1)}
        (tmp_path / "results.csv").write_text(results(planned, users))
        testset = collection.campaign.evaluation.testset
        _, said = read_ratings(tmp_path / "results.csv", testset=testset)
        found = take_in(collection, said)
        items = sum(len(batch.items) for batch in collection.plan.batches)
        documents = sum(one.scale == "document100" for one in said)
        assert (found.taken, found.known, found.strange, found.unasked) == (items, 0, 0, documents)
        assert bool(documents) == (protocol == "da")
        assert counted(collection.judgements()) == counted(said)
        assert take_in(collection, said).known == items  # the same file again changes nothing
        done = Counter(users[batch.number] for batch in collection.plan.batches for _ in batch.items)
        progress = {one.rater: (one.done, one.items) for one in collection.progress()}
        assert {name: progress[name] for name in done} == {name: (count, count) for name, count in done.items()}


def test_nobody_is_left_out_because_another_user_said_everything_twice(tmp_path: Path) -> None:
    """As in results of Appraise's calibration, where users judged a document a second time and it is no repeat."""
    texts = {"zephyrine": [f"output {k} of some words" for k in range(5)]}
    path = on_disk(tmp_path, batches='size = 3\nredundancy = 2\nassignment = "pool"', raters="", outputs=texts)
    with open_collection(path) as collection:
        assert len(collection.plan.batches) == 4  # each document for two

        def said(rater: str, value: float) -> list[Judgement]:
            about = {"system": "zephyrine", "rater": rater, "scale": "da100", "value": value}
            return [Judgement(segment=segment, **about) for segment in range(5)]

        found = take_in(collection, [*said("first", 10), *said("first", 20), *said("second", 30)])
        assert (found.taken, found.strange) == (10, 5)
        found = take_in(collection, [*said("first", 10), *said("first", 20), *said("second", 30)])
        assert (found.taken, found.known, found.strange) == (0, 10, 5)  # the same file again changes nothing
        kept = sorted((one.rater, one.segment, one.value) for one in collection.judgements())
        assert kept == [(rater, k, value) for rater, value in (("first", 10), ("second", 30)) for k in range(5)]
        found = take_in(collection, said("third", 40))  # there is no batch left for a third one
        assert (found.taken, found.strange) == (0, 5)


def test_what_was_said_twice_comes_in_where_there_is_room(tmp_path: Path) -> None:
    texts = {"zephyrine": [f"output {k} of some words" for k in range(5)]}
    path = on_disk(tmp_path, batches='size = 3\nredundancy = 2\nassignment = "pool"', raters="", outputs=texts)
    with open_collection(path) as collection:
        about = {"system": "zephyrine", "rater": "one", "scale": "da100"}
        found = take_in(collection, [Judgement(segment=0, value=value, **about) for value in (10.0, 20.0, 30.0)])
        assert (found.taken, found.strange) == (2, 1)
        assert sorted(one.value for one in collection.judgements()) == [10, 20]
