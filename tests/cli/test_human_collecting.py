"""`tertium human links | serve | status | export | import | backup`: what is printed, and what is refused."""

import csv
import sqlite3
from pathlib import Path

import pytest
from tests.campaign.written import SYSTEMS, written

import tertium as tt
from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.links import completion_code
from tertium.io.ratings.formats import read_ratings

from .running import Command


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, raters='names = ["=eva", "ben"]\npay = 36\ncurrency = "EUR"')
    monkeypatch.chdir(tmp_path)


def answer(path: str = "campaign.toml") -> None:
    with open_collection(path) as collection:
        for rater in ("=eva", "ben"):
            for batch in collection.batches_of(rater):
                for place in range(len(batch.items)):
                    body = {"values": {"da100": 10 * place}, "seconds": 10}
                    collection.submit(
                        rater, batch.number, place, f"{rater}-------{batch.number}-{place}", 1, body
                    ).result()


def test_links_are_shown_once_and_can_be_revoked(tertium: Command) -> None:
    code, out, err = tertium("human", "links", "campaign.toml", "--address", "https://rate.example.org/")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["rater", "=eva", "ben"]
    assert all(" https://rate.example.org/r/" in line for line in out.splitlines()[1:])
    assert "links are shown once" in err
    assert tertium("human", "links", "campaign.toml")[1] == (
        "no new links: 2 raters have links; --new RATER makes another for one of them\n"
    )
    with open_collection("campaign.toml") as collection:
        token = out.splitlines()[2].rpartition("/")[2].strip()
        assert collection.links.rater_of_link(token) == "ben"
    assert tertium("human", "links", "campaign.toml", "--revoke", "ben")[1] == "ben: link revoked\n"
    with open_collection("campaign.toml") as collection:
        assert collection.links.rater_of_link(token) is None
    assert tertium("human", "links", "campaign.toml", "--revoke", "ben")[2] == (
        "tertium: ben has no link that lets them in\n"
    )
    assert tertium("human", "links", "campaign.toml", "--new", "zoe")[2] == (
        "tertium: unknown rater 'zoe'; the campaign has =eva, ben\n"
    )
    assert len(tertium("human", "links", "campaign.toml", "--new", "ben")[1].splitlines()) == 2


def test_before_anybody_began(tertium: Command) -> None:
    for command in (
        ["status", "campaign.toml"],
        ["export", "campaign.toml", "x.tsv"],
        ["backup", "campaign.toml", "x"],
    ):
        code, _, err = tertium("human", *command)
        assert (code, err) == (
            2,
            "tertium: campaign.sqlite: nobody has begun yet; make links first: tertium human links campaign.toml\n",
        )
    tertium("human", "links", "campaign.toml")
    assert tertium("human", "export", "campaign.toml", "x.tsv")[2] == (
        "tertium: campaign.toml: nobody has said anything yet\n"
    )


def test_status(tertium: Command) -> None:
    answer()
    code, out, err = tertium("human", "status", "campaign.toml", "--codes")
    assert code == 0
    assert [line.split()[:4] for line in out.splitlines()[3:5]] == [["=eva", "1", "5", "5"], ["ben", "1", "5", "5"]]
    assert "10 of 10 items answered (100%)" in err
    assert "1.00 EUR so far, at 36 an hour on the screen" in err  # 10 items of 10 seconds
    with open_collection("campaign.toml") as collection:  # the codes that raters were shown
        codes = [
            completion_code(collection.store, batch.rater or "", batch.number) for batch in collection.plan.batches
        ]
    assert [line.split()[-1] for line in out.splitlines()[-2:]] == codes


def test_export_beside_a_server(tertium: Command) -> None:
    answer()
    with open_collection("campaign.toml"):  # as a server has it
        assert tertium("human", "export", "campaign.toml", "x.tsv")[1] == "x.tsv: 10 judgements, 2 raters (tertium)\n"
        assert tertium("human", "backup", "campaign.toml", "copy.sqlite")[1] == "copy.sqlite: 10 responses\n"
        code, _, err = tertium("human", "links", "campaign.toml")
        assert code == 2
        assert "campaign.sqlite is already open, in process" in err
    with sqlite3.connect("copy.sqlite") as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("SELECT count(*) FROM responses").fetchall() == [(10,)]
    copy.close()
    with open_collection("campaign.toml") as collection:
        said = collection.judgements()
        testset = collection.campaign.evaluation.testset
    found = read_ratings("x.tsv", testset=testset)[1]
    key = str
    assert sorted(map(key, found)) == sorted(map(key, said))


@pytest.mark.parametrize("form", ["appraise", "mturk", "evaluation", "spreadsheet"])
def test_other_formats(tertium: Command, form: str) -> None:
    answer()
    code, out, _ = tertium("human", "export", "campaign.toml", "out.x", "--to", form)
    assert (code, out) == (0, f"out.x: 10 judgements, 2 raters ({form})\n")
    if form == "evaluation":
        loaded = tt.load("out.x")
        assert {system.name for system in loaded.systems} == set(SYSTEMS)
        assert len(loaded.judgements) == 10
    elif form == "spreadsheet":
        with Path("out.x").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["rater"] for row in rows} == {"'=eva", "ben"}
        assert sorted(float(row["value"]) for row in rows) == sorted([0, 10, 20, 30, 40] * 2)
    else:
        values = sorted(one.value for one in read_ratings("out.x", form)[1])
        assert values == sorted([0, 10, 20, 30, 40] * 2)


def test_marked_errors_are_exported_with_their_texts(tertium: Command, tmp_path: Path) -> None:
    path = str(written(tmp_path / "mqm", "mqm"))
    spans = [[0, 6, "major", "Accuracy/Omission", "output"]]
    with open_collection(path) as collection:
        collection.submit("eva", 1, 0, "12345678", 1, {"spans": spans}).result()
        collection.submit("eva", 1, 1, "12345679", 1, {"spans": []}).result()
    assert tertium("human", "export", path, "out.tsv", "--to", "mqm")[1] == "out.tsv: 2 judgements, 1 rater (mqm)\n"
    assert sorted(one.value for one in read_ratings("out.tsv", "mqm")[1]) == [0, 5]


def test_what_cannot_be_written(tertium: Command) -> None:
    answer()
    assert (
        "lists of scores hold one system on one scale"
        in (tertium("human", "export", "campaign.toml", "out.tsv", "--to", "mlqe")[2])
    )
    assert "add --to" in tertium("human", "export", "campaign.toml", "out.x")[2]
    assert (
        "--to edits is for post-edit; the protocol here is da"
        in (tertium("human", "export", "campaign.toml", "out.csv", "--to", "edits")[2])
    )
    Path("there").write_text("mine")
    assert "there is there already" in tertium("human", "backup", "campaign.toml", "there")[2]
    assert Path("there").read_text() == "mine"


def test_an_export_comes_back_in(tertium: Command) -> None:
    answer()
    tertium("human", "export", "campaign.toml", "x.tsv")
    with open_collection("campaign.toml") as collection:
        before = {(kept.rater, kept.batch, kept.item): kept.body for kept in collection.standing()}
    for file in Path().glob("campaign.sqlite*"):
        file.unlink()
    assert tertium("human", "import", "campaign.toml", "x.tsv")[1] == "x.tsv: 10 responses taken in, 0 there already\n"
    assert tertium("human", "import", "campaign.toml", "x.tsv")[1] == "x.tsv: 0 responses taken in, 10 there already\n"
    with open_collection("campaign.toml") as collection:
        assert {(kept.rater, kept.batch, kept.item): kept.body for kept in collection.standing()} == before
    Path("y.tsv").write_text(f"system\tsegment\trater\tscale\tvalue\n{SYSTEMS[0]}\t1\tstranger\tda100\t5\n")
    code, out, err = tertium("human", "import", "campaign.toml", "y.tsv")
    assert (code, out) == (0, "y.tsv: 0 responses taken in, 0 there already\n")
    assert "1 judgement fit no item of the plan" in err


def test_a_campaign_that_has_changed_is_refused(tertium: Command) -> None:
    answer()
    with Path("campaign.toml").open("r+") as file:
        text = file.read()
        file.seek(0)
        file.write(text.replace("testset = ", "seed = 7\ntestset = ", 1))
    code, _, err = tertium("human", "status", "campaign.toml")
    assert code == 2
    assert "campaign.sqlite holds responses to another plan" in err
