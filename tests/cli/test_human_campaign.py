"""`tertium human new | check | plan`: what is printed, and what is refused."""

import json
from pathlib import Path

import pytest

from .running import Command

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "testset.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_from_a_test_set_to_a_plan(tertium: Command) -> None:
    assert tertium("human", "new", EXAMPLE)[1] == (
        "campaign.toml: direct assessment, 0-100 (Graham et al. 2013); look it through, then: tertium human check "
        "campaign.toml\n"
    )
    code, out, err = tertium("human", "check", "campaign.toml")
    assert code == 0
    assert out.splitlines()[2].split() == ["rater", "batches", "items", "degraded", "repeat", "reference", "hours"]
    assert [line.split()[0] for line in out.splitlines()[3:]] == ["rater1", "rater2", "rater3", "rater4", "all"]
    assert "384 outputs (96 segments, 4 systems), each judged once, those of 1 document once more" in err
    assert tertium("human", "plan", "campaign.toml", "-o", "plan.jsonl", "--appraise", "appraise")[1] == out
    first = Path("plan.jsonl").read_bytes()
    assert json.loads(first.splitlines()[0])["campaign"] == "town-notes"
    assert json.loads(Path("appraise/manifest.json").read_text())["CAMPAIGN_NAME"] == "town-notes"
    tertium("human", "plan", "campaign.toml", "-o", "plan.jsonl")
    assert Path("plan.jsonl").read_bytes() == first


@pytest.mark.parametrize("protocol", ["da", "adequacy-fluency", "sqm", "ranking", "esa", "mqm", "post-edit"])
def test_every_protocol_makes_a_campaign_that_can_be_planned(tertium: Command, protocol: str) -> None:
    assert tertium("human", "new", EXAMPLE, "--protocol", protocol)[0] == 0
    code, out, _ = tertium("human", "check", "campaign.toml")
    assert code == 0
    assert out.splitlines()[-1].startswith("all")
    written, comments = Path("campaign.toml").read_text().split("# [dates]")  # what it suggests works, too
    Path("campaign.toml").write_text(f"{written}[dates]{comments}".replace("\n# ", "\n"))
    assert "[[tutorial]]" in Path("campaign.toml").read_text().splitlines()[-5]
    code, again, notes = tertium("human", "check", "campaign.toml")
    assert (code, again) == (0, out)
    assert "responses are taken from 2026-12-01 09:00 UTC+01:00 until 2026-12-15 18:00 UTC+01:00" in notes


def test_nothing_is_overwritten(tertium: Command) -> None:
    Path("campaign.toml").write_text("mine")
    code, _, err = tertium("human", "new", EXAMPLE)
    assert (code, err) == (
        2, "tertium: campaign.toml is there already; name another file (-o), or delete it first\n"
    )  # fmt: skip
    assert Path("campaign.toml").read_text() == "mine"


def test_nothing_to_write(tertium: Command) -> None:
    tertium("human", "new", EXAMPLE)
    assert tertium("human", "plan", "campaign.toml")[2] == (
        "tertium: nothing to write: pass -o FILE for the plan, or --appraise DIR for Appraise\n"
    )
