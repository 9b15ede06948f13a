"""Public files of ratings are read, written back, and give the published averages.

WMT22 (github.com/wmt-conference/wmt22-news-systems): results of Appraise and the to-English direct assessments;
Appraise's example campaigns (github.com/AppraiseDev/Appraise); MQM of TED talks en-de with the published segment
averages (github.com/google/wmt-mqm-human-evaluation); MLQE-PE (github.com/sheffieldnlp/mlqe-pe), test20 and the
catastrophic errors of its en-de development set.
"""

import gzip
import io
import json
import math
import tarfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from tertium.core.evaluation import Evaluation
from tertium.io.ratings.appraise_tasks import read_batches, read_manifest, read_texts_of, write_batches, write_manifest
from tertium.io.ratings.formats import open_ratings, read_ratings, write_ratings
from tertium.io.ratings.rows import read_rows

from .files import LARGEST, ORACLES, needs_oracles, only_some

pytestmark = needs_oracles

HUMAN = ORACLES / "human"
MLQE = ORACLES.parent / "data" / "mlqe-pe" / "direct-assessments"
PAIRS = ("cs-en", "de-en", "ja-en", "lv-en", "ru-en", "uk-en", "zh-en")
APPRAISE = {  # file: columns, judgements
    "WMT22.Appraise.SegLvlLivRef.20221031.filtered.csv.gz": (9, 1201),
    "WMT22.Appraise.SegLvlLivSrc.20221031.filtered.csv.gz": (9, 5327),
    "WMT22.Appraise.calibrationHITs.20221103.csv.gz": (11, 10751),
}


@cache
def ratings(path: str) -> Evaluation:
    return open_ratings(HUMAN / path)


def rewrite(found: Evaluation, path: Path, form: str) -> Evaluation:
    write_ratings(found.judgements, path, found.testset, form, systems=found.systems)
    return open_ratings(path, form)


@pytest.mark.parametrize("name", APPRAISE)
def test_results_of_appraise_are_written_byte_for_byte(name: str, tmp_path: Path) -> None:
    found = ratings(f"wmt22-appraise/{name}")
    assert (len(read_rows(HUMAN / "wmt22-appraise" / name).fields[0]), len(found.judgements)) == APPRAISE[name]
    again = rewrite(found, tmp_path / "again.csv", "appraise")
    assert (tmp_path / "again.csv").read_bytes() == gzip.decompress((HUMAN / "wmt22-appraise" / name).read_bytes())
    assert again.judgements == found.judgements
    assert again.testset.ids == found.testset.ids


def test_kinds_languages_and_documents_of_appraise() -> None:
    """Counted by awk: 782 BAD in the segment-level files, 1139 document scores among the calibration HITs."""
    kinds = Counter(j.kind for name in list(APPRAISE)[:2] for j in ratings(f"wmt22-appraise/{name}").judgements)
    assert kinds["degraded"] == 782
    found = ratings(f"wmt22-appraise/{list(APPRAISE)[2]}")
    assert Counter(j.scale for j in found.judgements) == {"da100": 9612, "document100": 1139}
    assert len({j.rater for j in found.judgements}) == 99
    assert found.testset.documents is not None
    assert {"eng-ces", "zho-eng"} <= set(found.testset.labels["languages"])


def test_headers_alone_are_files_without_judgements() -> None:
    for name in ("header.SegLvl.csv", "header.DocLvl.csv"):
        assert read_ratings(HUMAN / "wmt22-appraise" / name)[1] == ()


def test_12_columns_follow_the_11(tmp_path: Path) -> None:
    """No public file with 12 columns is here: the calibration HITs with an empty `mqm` before the times have them."""
    rows = read_rows(HUMAN / "wmt22-appraise" / list(APPRAISE)[2]).fields
    text = "".join(",".join([*row[:9], "[]", *row[9:]]) + "\r\n" for row in rows)
    (tmp_path / "a.csv").write_text(text, newline="")
    found = open_ratings(tmp_path / "a.csv")
    assert {j.scale for j in found.judgements} == {"esa", "document100"}
    assert [j.value for j in found.judgements] == [float(row[6]) for row in rows]
    rewrite(found, tmp_path / "b.csv", "appraise")
    assert (tmp_path / "b.csv").read_bytes() == text.encode()


@pytest.mark.parametrize("path", sorted((HUMAN / "appraise-format").glob("*.json.gz")), ids=lambda path: path.name)
def test_tasks_of_appraise_are_written_back(path: Path, tmp_path: Path) -> None:
    if "manifest" in path.name:
        write_manifest(read_manifest(path), tmp_path / "again.json")
    else:
        write_batches(read_batches(path), tmp_path / "again.json")
        given = read_texts_of(path)
        assert given.systems
        assert all(given.testset.sources or ())
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(gzip.decompress(path.read_bytes()))


@pytest.mark.parametrize("pair", only_some(list(PAIRS), 2))
def test_direct_assessments_of_wmt22(pair: str, tmp_path: Path) -> None:
    path = f"wmt22-toen/{pair}.judgments.tsv.gz"
    found = ratings(path)
    header, *rows = read_rows(HUMAN / path).fields
    places = {"SYSTEM": "genuine", "REPEAT": "repeat", "REF": "reference", "BAD_REF": "degraded"}
    assert found.testset.ids is not None
    assert [[j.rater, j.task, j.system, found.testset.ids[j.segment], j.kind, j.value] for j in found.judgements] == [
        [row[0], f"{row[1]}/{row[2]}" if row[1] else None, row[4], row[5], places[row[6]], float(row[7])]
        for row in rows
    ]
    assert header[8] == "hit_seconds"
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, judgement in zip(rows, found.judgements, strict=True):
        assert (judgement.duration is None) == (row[8] == "")
        times[row[0], row[1]].append(judgement.duration or 0.0)
    for row in rows:
        assert not row[8] or math.isclose(math.fsum(times[row[0], row[1]]), float(row[8]), rel_tol=1e-12)
    again = rewrite(found, tmp_path / "again.tsv", "mturk")
    assert again.judgements == found.judgements
    assert again.testset.ids == found.testset.ids


def test_all_of_wmt22_is_there() -> None:
    """187,734 published and 147 reconstructed judgements."""
    assert sum(len(ratings(f"wmt22-toen/{pair}.judgments.tsv.gz").judgements) for pair in PAIRS) == 187_881


@pytest.mark.parametrize("pair", PAIRS)
def test_segment_means_of_wmt22(pair: str) -> None:
    """The organisers' raw mean of every segment and system, and how many judgements it is of."""
    found = ratings(f"wmt22-toen/{pair}.judgments.tsv.gz")
    assert found.testset.ids is not None
    values = defaultdict(list)
    for judgement in found.judgements:
        if judgement.kind in ("genuine", "repeat"):
            values[judgement.system, found.testset.ids[judgement.segment]].append(judgement.value)
    header, *rows = (
        gzip.decompress((HUMAN / "wmt22-toen" / f"{pair}.expected-seg.tsv.gz").read_bytes()).decode().split("\n")
    )
    assert header.split("\t") == ["system", "seg", "raw", "z", "n"]
    expected = [row.split("\t") for row in rows if row]
    assert {(system, segment) for system, segment, *_ in expected} == set(values)
    for system, segment, raw, _, n in expected:
        mean = math.fsum(values[system, segment]) / len(values[system, segment])
        LARGEST["human raw mean"] = max(LARGEST.get("human raw mean", 0.0), abs(mean - float(raw)))
        assert abs(mean - float(raw)) < 1e-9
        assert len(values[system, segment]) == int(n)


def test_mqm_averages_of_ted() -> None:
    """Every published segment average; the file has the sign reversed, six decimals, and calls the reference ref-A."""
    found = ratings("mqm-ted/mqm_ted_ende.tsv.gz")
    assert found.testset.ids is not None
    values = defaultdict(list)
    for judgement in found.judgements:
        system = {"ref": "ref-A"}.get(judgement.system, judgement.system)
        values[system, found.testset.ids[judgement.segment]].append(judgement.value)
    text = gzip.decompress((HUMAN / "mqm-ted" / "mqm_ted_ende.avg_seg_scores.tsv.gz").read_bytes()).decode()
    rows = [line.split() for line in text.splitlines()[1:]]
    assert len(rows) == 8484
    judged = {(system, segment) for system, score, segment in rows if score != "None"}
    assert judged == set(values)
    for system, score, segment in rows:
        if score != "None":
            penalty = math.fsum(values[system, segment]) / len(values[system, segment])
            LARGEST["mqm segment average"] = max(LARGEST.get("mqm segment average", 0.0), abs(penalty + float(score)))
            assert abs(penalty + float(score)) < 5.1e-7, (system, segment)


def test_mqm_system_table_of_ted() -> None:
    """The published means, two decimals; 1.969 is printed truncated."""
    published = {
        "ref": 0.91, "Facebook-AI": 1.06, "Online-W": 1.12, "VolcTrans-AT": 1.24, "metricsystem3": 1.44,
        "VolcTrans-GLAT": 1.49, "HuaweiTSC": 1.50, "metricsystem1": 1.63, "metricsystem2": 1.69, "metricsystem5": 1.72,
        "UEdin": 1.77, "metricsystem4": 1.78, "eTranslation": 1.96, "Nemo": 2.14,
    }  # fmt: skip
    values = defaultdict(list)
    for judgement in ratings("mqm-ted/mqm_ted_ende.tsv.gz").judgements:
        values[judgement.system].append(judgement.value)
    means = {system: math.fsum(found) / len(found) for system, found in values.items()}
    assert {system: round(mean, 2) for system, mean in means.items() if system != "eTranslation"} == {
        system: mean for system, mean in published.items() if system != "eTranslation"
    }
    assert math.floor(means["eTranslation"] * 100) / 100 == published["eTranslation"]


def test_mqm_is_written_back(tmp_path: Path) -> None:
    """All columns but the comments; one mark is not closed in the published file, and is in ours."""
    found = ratings("mqm-ted/mqm_ted_ende.tsv.gz")
    again = rewrite(found, tmp_path / "again.tsv", "mqm")
    assert again.judgements == found.judgements
    assert again.testset.digest == found.testset.digest
    theirs = [row[:9] for row in read_rows(HUMAN / "mqm-ted" / "mqm_ted_ende.tsv.gz").fields]
    ours = [row[:9] for row in read_rows(tmp_path / "again.tsv").fields]
    different = [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b]
    assert [(a[6] + "</v>", b[6]) for a, b in different] == [(different[0][1][6],) * 2]


@pytest.mark.parametrize("path", sorted((HUMAN / "mlqe-pe").glob("*.tsv*")), ids=lambda path: path.name)
def test_mlqe_lists_are_written_back(path: Path, tmp_path: Path) -> None:
    found = open_ratings(path)
    assert len(found.testset) == 1000
    assert len(found.judgements) == (3000 if "ruen" in path.name or "catastrophic" in path.name else 6000)
    assert rewrite(found, tmp_path / "again.tsv", "mlqe").judgements == found.judgements
    theirs, ours = (read_rows(name).fields[1:] for name in (path, tmp_path / "again.tsv"))
    assert [row[:2] for row in theirs] == [row[:2] for row in ours]
    if "catastrophic" in path.name:
        assert [row[2] for row in theirs] == [row[2] for row in ours]
    else:
        assert all(abs(float(a[2]) - float(b[2])) < 1e-12 for a, b in zip(theirs, ours, strict=True))


@pytest.mark.parametrize("name", sorted(path.name for path in (MLQE / "test").glob("*.tar.gz")))
def test_mlqe_with_texts(name: str, tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO((MLQE / "test" / name).read_bytes())) as archive:
        [member] = [member for member in archive.getmembers() if member.name.endswith(".df.short.tsv")]
        file = archive.extractfile(member)
        assert file is not None
        (tmp_path / "a.tsv").write_bytes(file.read())
    found = open_ratings(tmp_path / "a.tsv")
    [system] = found.systems
    assert (len(found.testset), len(system.outputs), system.outputs.complete) == (1000, 1000, True)
    again = rewrite(found, tmp_path / "again.tsv", "mlqe")
    assert (again.judgements, again.testset.digest) == (found.judgements, found.testset.digest)
    assert again.systems[0].outputs == system.outputs
