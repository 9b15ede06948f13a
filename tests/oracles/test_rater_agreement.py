"""Agreement of real raters: krippendorff 0.9.0, scikit-learn 1.9.1 and statsmodels 0.15.0 (agreement-expected.json).

MLQE-PE lists six answers a segment without saying whose they are: a slot stands for a rater, so that coefficients of
two raters are checked here as arithmetic and say nothing about people. WMT22's calibration HITs are the same items for
all raters of a language pair; scores of documents are left out, and a rater's several answers to an item are averaged.
"""

import csv
import gzip
import json
from functools import cache
from typing import Any

import krippendorff
import numpy as np
import pytest

from tertium.human.agreement import agreement
from tertium.human.ratings import RaterAnswer, Ratings, answers, collect
from tertium.io.ratings.formats import open_ratings

from .files import LARGEST, ORACLES, needs_oracles

pytestmark = needs_oracles

HUMAN = ORACLES / "human"
TOLERANCE = 1e-10
FIVE = {
    "alpha_ordinal_5bins": "alpha-ordinal",
    "alpha_nominal_5bins": "alpha-nominal",
    "fleiss_5bins": "fleiss",
    "alpha_interval": "alpha-interval",
}
FIRST_TWO = {
    "cohen_slots01_5bins_unweighted": "cohen",
    "cohen_slots01_5bins_linear": "cohen-linear",
    "cohen_slots01_5bins_quadratic": "cohen-quadratic",
    "observed_agreement_slots01": "observed",
    "kappa_uniform_chance_1/5": "bennett",
}
PAIRS = ["eng-ces", "eng-deu", "eng-hrv", "eng-jpn", "eng-zho", "zho-eng"]
FILES = [f"test20.{pair}.df.short.tsv.gz" for pair in ("ende", "enzh", "eten", "neen", "roen", "ruen", "sien")]


@cache
def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HUMAN / "agreement-expected.json").read_text())
    return found


def check(name: str, ours: float, theirs: float) -> None:
    LARGEST[f"agreement, {name}"] = max(LARGEST.get(f"agreement, {name}", 0.0), abs(ours - theirs))
    assert abs(ours - theirs) <= TOLERANCE, (name, ours, theirs)


def values(matrix: Any, words: dict[str, str], scale: str | None) -> dict[str, float]:
    found = {row.word: row for row in agreement(matrix, scale, statistics=list(words.values()))}
    assert all(row.n == np.shape(matrix)[1] for row in found.values())
    return {name: found[word].value for name, word in words.items()}


def test_every_entry_is_checked() -> None:
    assert set(expected()["mlqe_pe"]) == {*FILES, "catastrophic-ende-dev.tsv"}
    assert set(expected()["wmt22_calibration"]) == set(PAIRS)
    for name in FILES:
        others = {"slots", "items", "kappa_seed_formula_chance_1/25"}
        assert set(expected()["mlqe_pe"][name]) == {*FIVE, *FIRST_TWO, *others}


@pytest.mark.parametrize("name", FILES)
def test_direct_assessment(name: str) -> None:
    lines = gzip.decompress((HUMAN / "mlqe-pe" / name).read_bytes()).decode().splitlines()
    matrix = np.array([json.loads(line.split("\t")[1]) for line in lines[1:]], dtype=float).T
    theirs = expected()["mlqe_pe"][name]
    assert matrix.shape == (theirs["slots"], theirs["items"])
    for part, words in ((matrix, FIVE), (matrix[:2], FIRST_TWO)):
        for key, value in values(part, words, "da100").items():
            check(key, value, theirs[key])


@pytest.mark.parametrize("name", FILES)
def test_the_wrong_chance_flatters(name: str) -> None:
    """With 1/25, as popular descriptions have it, agreement looks better: the number is theirs, and it is not S."""
    theirs = expected()["mlqe_pe"][name]
    observed = theirs["observed_agreement_slots01"]
    assert (observed - 1 / 25) / (1 - 1 / 25) == pytest.approx(theirs["kappa_seed_formula_chance_1/25"], abs=1e-12)
    assert theirs["kappa_seed_formula_chance_1/25"] > theirs["kappa_uniform_chance_1/5"] + 0.03


def test_critical_errors() -> None:
    rows = [line.split("\t") for line in (HUMAN / "mlqe-pe" / "catastrophic-ende-dev.tsv").read_text().splitlines()[1:]]
    matrix = np.array([json.loads(row[1]) for row in rows], dtype=float).T
    theirs = expected()["mlqe_pe"]["catastrophic-ende-dev.tsv"]
    assert matrix.shape[1] == theirs["items"]
    for key, value in values(matrix, {"fleiss": "fleiss", "alpha_nominal": "alpha-nominal"}, None).items():
        check(key, value, theirs[key])


@cache
def calibration() -> list[list[str]]:
    path = HUMAN / "wmt22-appraise" / "WMT22.Appraise.calibrationHITs.20221103.csv.gz"
    return list(csv.reader(gzip.decompress(path.read_bytes()).decode().splitlines()))


@pytest.mark.parametrize("pair", PAIRS)
def test_calibration(pair: str) -> None:
    theirs = expected()["wmt22_calibration"][pair]
    rows = [row for row in calibration() if f"{row[4]}-{row[5]}" == pair and row[8] == "False"]
    numbers: dict[tuple[str, str], int] = {}
    said = [
        RaterAnswer("", user, system, numbers.setdefault((item, doc), len(numbers)), None, float(score), ())
        for user, system, item, _, _, _, score, doc, _, _, _ in rows
    ]
    ratings: Ratings = collect(said)
    assert (len(ratings.raters), len(ratings.unit), ratings.judgements) == (
        theirs["annotators"],
        theirs["items"],
        theirs["judgments"],
    )
    raw, z = agreement(ratings, "da100", statistics="alpha-interval,alpha-z")
    check("alpha_interval_raw", raw.value, theirs["alpha_interval_raw"])
    check("alpha_interval_z", z.value, theirs["alpha_interval_z"])


def test_calibration_as_it_is_read() -> None:
    """The same numbers from the file itself: items and language pairs are found by the reader."""
    path = HUMAN / "wmt22-appraise" / "WMT22.Appraise.calibrationHITs.20221103.csv.gz"
    rows = agreement(open_ratings(path), "da100", by="languages", statistics="alpha-interval,alpha-z")
    names = {"alpha-interval": "alpha_interval_raw", "alpha-z": "alpha_interval_z"}
    assert {row.group for row in rows} == set(PAIRS)
    for row in rows:
        theirs = expected()["wmt22_calibration"][row.group]
        assert (len(row.raters), row.n, row.judgements) == (theirs["annotators"], theirs["items"], theirs["judgments"])
        check(names[row.word], row.value, theirs[names[row.word]])


@pytest.mark.parametrize("pair", ["lv-en", pytest.param("zh-en", marks=pytest.mark.slow)])
def test_the_crowd_of_wmt22(pair: str) -> None:
    """Few items that two people judged among very many that one did: krippendorff 0.9.0, run here."""
    given = open_ratings(HUMAN / "wmt22-toen" / f"{pair}.judgments.tsv.gz")
    matrix = collect(answers(given.judgements, "da100")).shared().matrix()
    words = {level: f"alpha-{level}" for level in ("interval", "ratio")}
    for row in agreement(given, "da100", between="raters", statistics=list(words.values())):
        level = row.word.removeprefix("alpha-")
        check(f"WMT22 {level}", row.value, float(krippendorff.alpha(matrix, level_of_measurement=level)))
    cut = np.where(np.isnan(matrix), np.nan, np.minimum(matrix // 20, 4))
    for row in agreement(given, "da100", between="raters", statistics="alpha-nominal,alpha-ordinal"):
        level = row.word.removeprefix("alpha-")
        check(f"WMT22 {level}, 5 bins", row.value, float(krippendorff.alpha(cut, level_of_measurement=level)))
