"""What the people who judged an evaluation say of differences: the numbers of `tertium meta preference`, wherever two
scores stand beside each other."""

import html
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.inference.compare import compare
from tertium.report.own_curves import OwnCurves, own_curves, own_objects, own_sentences
from tertium.report.system_pairs import curve_says
from tertium.report.tables.meaning import comparison_sentence

from .running import Command

EXAMPLE = Path(__file__).parents[2] / "examples" / "testset.toml"
SEGMENTS, SYSTEMS = 40, 12
WORDS = "the old mill by the river turned all day while the miller slept under a tree".split()
LINES = [" ".join([*WORDS[k % 5 :], f"number {k}", *WORDS[: k % 5]]) for k in range(SEGMENTS)]


def damaged(rng: np.random.Generator, line: str, share: float) -> str:
    return " ".join("xx" if rng.random() < share else word for word in line.split())


def write(
    folder: Path, systems: int = SYSTEMS, judged: int | None = None, noise: float = 12.0, steps: int = SYSTEMS
) -> Path:
    """A test set whose systems lose more and more words, and people who see that, more or less."""
    rng = np.random.default_rng(3)
    shares = np.linspace(0.05, 0.45, steps)
    (folder / "ref.en").write_text("\n".join(LINES) + "\n")
    rows = ["system\tsegment\trater\tscale\tvalue"]
    for k in range(systems):
        outputs = [damaged(rng, line, shares[k]) for line in LINES]
        (folder / f"s{k}.en").write_text("\n".join(outputs) + "\n")
        bias = noise * rng.normal()
        for segment in range(SEGMENTS if k < (systems if judged is None else judged) else 0):
            lost = 100 * outputs[segment].split().count("xx") / len(outputs[segment].split())
            for rater in "ab":
                value = min(100, max(0, round(80 - lost + bias + 5 * rng.normal())))
                rows.append(f"s{k}\t{segment + 1}\t{rater}\tda100\t{value}")
    (folder / "ratings.tsv").write_text("\n".join(rows) + "\n")
    names = "\n".join(f's{k} = "s{k}.en"' for k in range(systems))
    toml = folder / "testset.toml"
    toml.write_text(f'name = "mills"\nreferences = ["ref.en"]\njudgements = "ratings.tsv"\n\n[systems]\n{names}\n')
    return toml


@pytest.fixture(scope="module")
def toml(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("mills")))


def evaluated(path: str, *metrics: str) -> tt.Evaluation:
    given = tt.read_testset(path)
    return tt.evaluate(given.testset, given.systems, list(metrics), judgements=given.judgements)


@pytest.mark.parametrize("metric", ["bleu", "ter"])  # higher, and lower is better
def test_numbers_are_those_of_meta_preference(tertium: Command, toml: str, tmp_path: Path, metric: str) -> None:
    run = tertium("compare", toml, "-m", metric, "--trials", "200", "--seed", "7", "-f", "json")
    [own] = run.json["meaning"][metric]["own"]
    scores = evaluated(toml, metric, "human").scores()
    rows = {score.system: {} for score in scores}
    for score in scores:
        rows[score.system][score.metric] = score.value
    table = tmp_path / "table.tsv"
    table.write_text(
        f"system\thuman\t{metric}\n"
        + "".join(f"{name}\t{row['human']!r}\t{row[metric]!r}\n" for name, row in rows.items())
    )
    sizes = [abs(pair["difference"]) for pair in own["pairs"]]
    assert len(sizes) == SYSTEMS * (SYSTEMS - 1) // 2
    lower = ["--lower", metric] if metric == "ter" else []
    asked = ["--at", ",".join(map(repr, sizes)), "--seed", "7", "-f", "json"]
    told = tertium("meta", "preference", str(table), "--gold", "human", *lower, *asked).json
    for pair, row in zip(own["pairs"], told["probabilities"], strict=True):
        assert row["difference"] == abs(pair["difference"])
        expected = [row["P"], row["low"], row["high"], row["seen"], row["pairs"]]
        found = [pair["probability"], pair["interval"]["low"], pair["interval"]["high"], pair["seen"]]
        assert [*found, pair["seen_pairs"]] == pytest.approx(expected, rel=1e-9, nan_ok=True)
    [curve] = told["curves"]
    assert own["curve"]["slope"] == pytest.approx(curve["slope"], rel=1e-9)
    assert 0.5 < own["curve"]["accuracy"] < 1  # people sometimes contradict it, or there would be no curve to speak of
    assert (own["gold"], own["curve"]["pairs"], own["curve"]["n"]) == ("human", curve["pairs"], curve["n"])


def test_text_report_and_json_say_the_same(tertium: Command, toml: str) -> None:
    evaluation = evaluated(toml, "bleu")
    items = compare(evaluation, "bleu", trials=500)
    [own] = own_curves(evaluation)
    sizes = sorted(abs(item.difference) for item in items if item.verdict != "undecided")
    [said] = own_sentences([own], items)
    expected = " and by ".join(f"{size:.4g}: {curve_says(own.curves['bleu'], size)}" for size in (sizes[0], sizes[-1]))
    assert said == (
        "By the curve fitted to the 66 pairs of the 12 systems that people judged here (people's rating 0-100), people "
        f"prefer the system that is better in BLEU with this probability where it is better by {expected}."
    )
    [told] = own_objects([own], "bleu", items)
    pair = min((pair for pair in told["pairs"] if pair["significant"]), key=lambda pair: abs(pair["difference"]))
    assert f"{sizes[0]:.4g}: {100 * pair['probability']:.0f} %" in said
    run = tertium("compare", toml, "-m", "bleu", "--trials", "500")
    assert said in " ".join(run.out.split())
    shown = html.unescape(re.sub(r"<[^>]*>", "", tt.make_report(evaluation, trials=500).html()))
    beginning = said[: said.index("%")]  # the report draws 500 resamples of everything, and so has another interval
    assert beginning in shown
    assert comparison_sentence(evaluation, items) in shown


def test_a_report_has_one_curve(toml: str) -> None:
    """Head to head says what the section about metrics and people says."""
    evaluation = evaluated(toml, "bleu")
    page = tt.make_report(evaluation, trials=300).page
    [own] = own_curves(evaluation, trials=300)
    [table] = [
        table
        for section in page.sections
        if section.id == "metrics-people"
        for part in section.data["parts"]
        for table in part.tables
        if table.title.startswith("How likely people prefer")
    ]
    for name, difference, chance, low, high, *_ in table.rows:
        expected = own.curves["bleu"].probability(difference.value)
        assert name == "BLEU"
        assert [chance, low, high] == [expected.value, expected.interval.low, expected.interval.high]


def test_beyond_the_largest_difference_nothing_supports_the_curve(tmp_path: Path) -> None:
    evaluation = evaluated(str(write(tmp_path, judged=4)), "chrf")
    items = compare(evaluation, "chrf", trials=500)
    [own] = own_curves(evaluation)
    largest = own.curves["chrf"].largest
    [said] = own_sentences([own], items)
    assert f"The largest difference among those pairs is {largest:.4g}: beyond it nothing supports the curve." in said
    assert said.endswith("Only 4 systems have both scores: curves and intervals of so few are not reliable.")
    [told] = own_objects([own], "chrf", items)
    assert {pair["beyond"] for pair in told["pairs"]} == {True, False}
    assert all(pair["beyond"] == (abs(pair["difference"]) > largest) for pair in told["pairs"])


def test_too_few_systems_are_said_to_be_too_few(tertium: Command, tmp_path: Path) -> None:
    path = str(write(tmp_path, systems=4, judged=2))
    reason = "people judged 2 systems by human, and a curve takes at least 3"
    run = tertium("compare", path, "-m", "bleu", "--trials", "200")
    assert f"note: judgements say nothing of differences here: {reason}." in " ".join(run.out.split())
    told = tertium("compare", path, "-m", "bleu", "--trials", "200", "-f", "json").json["meaning"]["bleu"]
    assert told["own"] == [{"gold": "human", "curve": None, "reason": reason, "pairs": []}]
    assert told["curve"]["name"] == "bleu"  # beside the published one


def test_what_an_interval_leaves_open_is_no_probability() -> None:
    evaluation = evaluated(str(EXAMPLE), "bleu")
    items = compare(evaluation, "bleu", trials=500)
    [own] = own_curves(evaluation)
    assert all(own.curves["bleu"].probability(abs(item.difference)).vague for item in items)
    [said] = own_sentences([own], items)
    assert said.startswith(
        "The 6 pairs of the 4 systems that people judged here (people's rating 0-100) are too few or too mixed "
        "to tell how likely people prefer the system that is better by "
    )
    assert "%" not in said


def test_people_who_never_contradict_give_no_curve(tmp_path: Path) -> None:
    evaluation = evaluated(str(write(tmp_path, systems=4, noise=0, steps=4)), "bleu")
    items = compare(evaluation, "bleu", trials=500)
    [own] = own_curves(evaluation)
    assert own.curves["bleu"].slope == math.inf
    assert own_sentences([own], items) == [
        "BLEU puts all that differ of the 6 pairs of the 4 systems that people judged here (people's rating 0-100) in "
        "the order of people: from these no curve can be told, and nothing of how much a difference is worth."
    ]
    [told] = own_objects([own], "bleu", items)
    assert told["curve"]["slope"] is None
    assert "bleu never contradicts human (6 pairs), so no curve can be fitted" in told["cautions"]


def test_judgements_that_belong_to_other_names_do_not_stop_a_comparison(tertium: Command, tmp_path: Path) -> None:
    path = write(tmp_path, systems=4)
    table = tmp_path / "ratings.tsv"
    table.write_text(table.read_text().replace("s0\t", "elsewhere\t"))
    run = tertium("compare", str(path), "-m", "bleu", "--trials", "200")
    assert run.status == 0
    assert "note: judgements say nothing of differences here: " in " ".join(run.out.split())


def test_without_judgements_there_is_nothing_to_say(tertium: Command, toml: str) -> None:
    folder = Path(toml).parent
    files = ["--ref", str(folder / "ref.en"), "--hyp", str(folder / "s0.en"), "--hyp", str(folder / "s9.en")]
    run = tertium("compare", *files, "-m", "bleu", "--trials", "200", "-f", "json")
    assert run.json["meaning"]["bleu"]["own"] == []
    assert "people judged" not in tertium("compare", *files, "-m", "bleu", "--trials", "200").out


def test_what_nobody_differs_in_says_nothing() -> None:
    assert own_sentences([OwnCurves(gold="human")], []) == []


def test_json_is_json(tertium: Command, toml: str) -> None:
    run = tertium("compare", toml, "-m", "bleu,human", "--trials", "200", "-f", "json")
    json.dumps(run.json, allow_nan=False)
    [own] = run.json["meaning"]["human"]["own"]
    assert own["reason"] == "human is what people said, or has no scores to fit a curve to"


@pytest.mark.parametrize("asked", [["bleu"], [], ["bleu", "1", "--accuracy", "0.9"]])
def test_the_command_asks_in_words_of_commands(tertium: Command, asked: list[str]) -> None:
    run = tertium("meaning", *asked)
    assert run.status == 2
    assert "name a metric and either a difference (tertium meaning bleu 1.0) or an accuracy (--accuracy 0.9)" in run.err
