"""People's scores mean one thing everywhere: standard scores where they make sense, else raw ones, and it is said."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import tertium as tt
from tertium.cli.main import cli
from tertium.core.errors import InputError
from tertium.core.judgement import Judgement, why_raw
from tertium.human.analyse import analyse
from tertium.human.at_hand import at_hand
from tertium.human.ranking import RankingMethod
from tertium.report.people import People, first_places, judgements
from tertium.report.results import Results

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "testset.toml")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    ("scale", "counts", "why"),
    [
        ("da100", [15, 15], ""),
        ("esa", [15, 400], ""),
        ("da100", [15, 14], "1 of 2 raters with fewer than 15 judgements"),
        ("da100", [400], "fewer than two raters"),
        ("da100", [], "fewer than two raters"),
        ("adequacy", [400, 400], "the scale is not one from 0 to 100"),
        ("mqm", [400, 400], "the scale is not one from 0 to 100"),
    ],
)
def test_the_rule(scale: str, counts: list[int], why: str) -> None:
    assert why_raw(scale, counts) == why


def campaign(each: int, raters: int = 2) -> tt.Evaluation:
    """Systems a and b; rater r0 is generous and judged a mostly, the others are strict."""
    lines = tt.Lines.of([f"line {k}" for k in range(each)])
    testset = tt.TestSet(name="t", segments=each, references=tt.References((lines,), each))
    said = [
        Judgement(system="ab"[(k + r) % 2], segment=k, rater=f"r{r}", scale="da100", value=50.0 + 20 * (r == 0) + k % 7)
        for r in range(raters)
        for k in range(each)
    ]
    systems = [tt.System(name=name, outputs=lines) for name in "ab"]
    return tt.evaluate(testset, systems, "chrf", judgements=said)


@pytest.mark.parametrize(("each", "raters", "z"), [(15, 2, True), (14, 2, False), (40, 1, False)])
def test_every_place_follows_it(each: int, raters: int, z: bool) -> None:
    given = campaign(each, raters)
    judged = tt.add_metrics(given, "human")
    assert f"|scores:{'z/wmt22-toen' if z else 'raw'}|" in judged.signatures["human"]
    ranking = tt.rank_systems(given.judgements)
    assert ranking.method.standardised is z
    assert bool(ranking.method.raw_because) is not z
    rows = {item.system: item.z if z else item.raw for item in ranking.systems}
    assert {score.system: score.value for score in judged.scores() if score.metric == "human"} == pytest.approx(rows)
    found = tt.meta_evaluate(judged, "human", trials=10)
    assert found.gold_scores == ("z" if z else "raw")
    assert dict(zip(found.systems, found.corpus["human"].tolist(), strict=True)) == pytest.approx(rows)
    [scale] = People(evaluation=given).analyses
    assert scale.rankings[""].method.standardised is z


def test_an_option_overrides_it() -> None:
    given = campaign(40)
    for metric, word in (('human(standardise="none")', "raw"), ('human(standardise="sd1")', "z/sd1")):
        assert f"|scores:{word}|" in tt.add_metrics(given, metric).signatures[metric]
    assert tt.rank_systems(given.judgements, standardised=False).method.standardised is False
    few = campaign(5)
    assert tt.rank_systems(few.judgements, method="wmt22-toen").method.standardised is True


def test_commands_and_pages_give_the_same_numbers(tmp_path: Path) -> None:
    scores = json.loads(run("score", EXAMPLE, "-m", "human", "-f", "json"))["scores"]
    ranked = json.loads(run("human", "analyse", EXAMPLE, "--scale", "da100", "-f", "json"))["scales"][0]["rankings"][0]
    assert ranked["method"]["standardised"] is True
    by_people = {item["system"]: item["z"] for item in ranked["systems"]}
    assert {item["system"]: item["value"] for item in scores} == pytest.approx(by_people, abs=1e-12)
    [meta] = json.loads(run("meta", EXAMPLE, "-m", "bleu", "-f", "json", "--trials", "20"))["testsets"]
    assert (meta["gold"], meta["gold_scores"]) == ("human", "z")
    assert "1 metric against human, standard scores (z):" in run("meta", EXAMPLE, "-m", "bleu", "--trials", "20")
    page = tmp_path / "r.html"
    run("report", EXAMPLE, "-m", "bleu", "--trials", "50", "-o", str(page))
    text = re.sub(r"<[^>]+>", "", page.read_text())
    assert (
        "By adequacy (1-5, raw) and people&#39;s rating (0-100, z), people put atlas first, significantly above all 3 "
        in text
    )
    assert "Systems ranked by people: people&#39;s rating (0-100), by standard scores (z)" in text
    assert "Correlations with people&#39;s rating (0-100, z): corpus scores of 4 systems" in text


# Judgements of what is not here


def some(*names: str) -> tt.Evaluation:
    given = tt.read_testset(EXAMPLE)
    systems = [system for system in given.systems if system.name in names]
    return tt.evaluate(given.testset, systems, "bleu", judgements=given.judgements)


def test_nothing_is_said_of_systems_that_are_not_here() -> None:
    given = some("brook", "cinder")
    people = People(evaluation=given)
    [text] = first_places(people, Results(evaluation=given, trials=50))
    assert "atlas" not in text
    assert "delta" not in text
    section = judgements(people)
    assert section is not None
    here = sum(item.system in ("brook", "cinder") for item in given.judgements)
    assert section.text == [
        f"{here} judgements by 4 raters on 3 scales.",
        f"People also judged delta, atlas ({len(given.judgements) - here} judgements), which are not among the systems "
        f"here; left out.",
    ]
    [_, _, da100] = people.analyses
    assert [place.system for place in da100.rankings["de-en"].systems] == ["brook", "cinder"]
    assert "People also judged" in tt.make_report(given, trials=20).html()


def test_raters_are_standardised_by_all_that_they_judged() -> None:
    """So a system has the same z however many others are shown."""
    whole, two = (
        tt.add_metrics(some("atlas", "brook", "cinder", "delta"), "human"),
        tt.add_metrics(some("brook", "delta"), "human"),
    )
    values = [{s.system: s.value for s in item.scores() if s.metric == "human"} for item in (whole, two)]
    assert values[1] == {name: values[0][name] for name in ("brook", "delta")}
    assert "|raters:4|judgements:403|" in two.signatures["human"]
    others = sum(item.system in ("atlas", "cinder") for item in two.judgements)
    assert [note for note in two.warnings if note.startswith("people also judged")] == [
        f"people also judged cinder, atlas ({others} judgements), which are not among the systems here; left out"
    ]


def test_outputs_that_are_missing_were_not_judged() -> None:
    given = campaign(40)
    lines = [None if k < 10 else f"line {k}" for k in range(40)]
    systems = (dataclasses.replace(given.systems[0], outputs=tt.Lines.of(lines)), given.systems[1])
    judged = tt.add_metrics(tt.evaluate(given.testset, systems, "chrf", judgements=given.judgements), "human")
    counts = {score.system: score.n for score in judged.scores() if score.metric == "human"}
    assert counts == {"a": 30, "b": 40}
    assert "10 judgements of outputs that are missing here; left out" in judged.warnings
    found = analyse(given.judgements, None, RankingMethod(), present=at_hand(judged))
    assert found.judgements == 70


# Names


def renamed(names: dict[str, str]) -> tt.Evaluation:
    given = tt.read_testset(EXAMPLE)
    said = [dataclasses.replace(item, system=names.get(item.system, item.system)) for item in given.judgements]
    return dataclasses.replace(given, judgements=tuple(said))


def test_names_that_no_system_has_are_an_error() -> None:
    with pytest.raises(InputError) as error:
        tt.add_metrics(renamed({"brook": "Brooks", "delta": "dlta"}), "human")
    assert str(error.value) == (
        "people judged Brooks, dlta, but no system is called so, and nobody judged brook, delta; nearest: Brooks: "
        "brook, atlas, cinder; dlta: delta, atlas, cinder. Name them alike, or say it in testset.toml: [judgements] "
        'aliases = {"Brooks" = "brook"}, or exclude = ["Brooks"]'
    )


def test_references_that_raters_saw_are_no_systems() -> None:
    judged = tt.add_metrics(renamed({"brook": "HUMAN-B"}), "human")
    assert "human: nobody judged brook" in judged.warnings
    assert any(note.startswith("people also judged HUMAN-B (") for note in judged.warnings)
