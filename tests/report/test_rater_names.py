"""Pages are made to be passed on: raters have numbers there, unless somebody asks for their names."""

import dataclasses
from pathlib import Path

import pytest
from click.testing import CliRunner

import tertium as tt
from tertium.cli.main import cli
from tertium.core.edited import pseudonyms

EXAMPLE = Path(__file__).parents[2] / "examples" / "testset.toml"
NAMES = {"r1": "Zora Quistgaard", "r2": "Abel Pommerenke", "r3": "Mirjam Ostrowicz", "r4": "Kaspar Lindqvist"}


@pytest.fixture(scope="module")
def judged() -> tt.Evaluation:
    given = tt.read_testset(EXAMPLE)
    said = tuple(dataclasses.replace(item, rater=NAMES[item.rater]) for item in given.judgements)
    return tt.evaluate(given.testset, given.systems, "bleu", judgements=said)


def test_a_report_has_no_names_of_raters(judged: tt.Evaluation) -> None:
    page = tt.make_report(judged, trials=20).html()
    for name in NAMES.values():
        assert name not in page
        assert name.split()[1] not in page
    assert {f"rater {k}" for k in range(1, 5)} == {f"rater {k}" for k in range(1, 9) if f"rater {k}" in page}


def test_names_are_shown_where_they_are_asked_for(judged: tt.Evaluation) -> None:
    page = tt.make_report(judged, trials=20, rater_names=True).html()
    assert all(name in page for name in NAMES.values())
    assert "rater 1" not in page


def test_the_command_asks(tmp_path: Path) -> None:
    given = tt.read_testset(EXAMPLE)
    lines = ["system\tsegment\trater\tscale\tvalue"]
    lines += [f"{j.system}\t{j.segment + 1}\t{NAMES[j.rater]}\tda100\t{j.value:g}" for j in given.judgements
              if j.scale == "da100" and j.kind == "genuine"]  # fmt: skip
    (tmp_path / "said.tsv").write_text("\n".join(lines) + "\n")
    systems = EXAMPLE.parent / "systems"
    (tmp_path / "t.toml").write_text(
        f'references = "{EXAMPLE.parent / "reference.a.en"}"\nsystems = "{systems}/*.en"\njudgements = "said.tsv"\n'
    )
    for options, shown in (((), False), (("--rater-names",), True)):
        arguments = ["report", str(tmp_path / "t.toml"), "-m", "chrf", "--trials", "20", "-o", str(tmp_path / "r.html")]
        assert CliRunner().invoke(cli, [*arguments, *options], catch_exceptions=False).exit_code == 0
        assert ("Quistgaard" in (tmp_path / "r.html").read_text()) is shown


def test_numbers_tell_nothing_about_names() -> None:
    names = [f"worker {chr(97 + k)}" for k in range(20)]
    found = pseudonyms(names, "salt")
    assert sorted(found.values(), key=lambda text: int(text.split()[1])) == [f"rater {k}" for k in range(1, 21)]
    assert found == pseudonyms(reversed(names), "salt")  # whoever comes first in the file
    assert [found[name] for name in names] != [f"rater {k}" for k in range(1, 21)]  # nor by the alphabet
    assert found != pseudonyms(names, "another test set")
