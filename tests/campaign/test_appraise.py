"""What is planned for an Appraise server is read by the reader of Appraise's own files, with the same texts."""

from pathlib import Path

import pytest

from tertium.core.errors import OptionError
from tertium.human.campaign.appraise import appraise_files
from tertium.human.campaign.plan import plan
from tertium.human.campaign.spec import Batches, Campaign, Control
from tertium.io.ratings.appraise_tasks import read_batches, read_manifest, read_texts_of, write_batches, write_manifest

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
