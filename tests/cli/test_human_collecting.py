"""`tertium human links | serve | status | export | import | backup`: what is printed, and what is refused."""

import csv
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaign.written import SYSTEMS, written

import tertium as tt
from tertium.core.judgement import Judgement
from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.links import completion_code
from tertium.human.campaign.protocol import PROTOCOLS
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
    assert (code, out) == (2, "")
    assert "y.tsv: none of 1 judgement fits an item of campaign.toml: its protocol, segments, systems" in err
    with Path("x.tsv").open("a") as file:
        file.write(f"{SYSTEMS[0]}\t1\tstranger\tda100\t5\t\t\t\t\n")
    code, out, err = tertium("human", "import", "campaign.toml", "x.tsv")
    assert (code, out) == (0, "x.tsv: 0 responses taken in, 10 there already\n")
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


def test_one_rater_is_erased_and_every_reader_is_told(tertium: Command) -> None:
    answer()
    assert tertium("human", "erase", "campaign.toml", "zoe", "--yes")[2] == (
        "tertium: unknown rater 'zoe'; the campaign has =eva, ben\n"
    )
    assert tertium("human", "erase", "campaign.toml", "ben")[0] != 0  # asked, and nobody says yes
    with open_collection("campaign.toml") as collection:
        assert len(collection.standing("ben")) == 5
    code, out, err = tertium("human", "erase", "campaign.toml", "ben", "--yes")
    assert (code, out) == (0, "ben: 5 responses erased\n")
    assert "backups and exports that were made before still have them" in err
    with open_collection("campaign.toml") as collection:
        assert {kept.rater for kept in collection.standing()} == {"=eva"}
        assert collection.store.replayed() == collection.store.responses()
        assert [(kind, rater, about) for _, kind, rater, about in collection.store.trail()] == [
            ("erased", "", {"responses": 5})
        ]  # when and how many, not who
    for file in Path().glob("campaign.sqlite*"):
        assert b"ben----" not in file.read_bytes()
    said = "the data of 1 rater were erased on request and are not in here (5 responses)"
    for command in (["status"], ["export", "x.tsv"], ["export", "x.evaluation"], ["analyse"]):
        assert said in tertium("human", command[0], "campaign.toml", *command[1:])[2]
    # What was exported says it again, wherever it goes.
    assert tt.load("x.evaluation").warnings == (said,)
    lines = Path("x.tsv").read_text().splitlines()
    Path("half.tsv").write_text("".join(f"{line}\n" for line in (lines[0], *lines[-2:])))
    assert tertium("human", "convert", "x.tsv", "y.tsv")[0] == 0
    for name in ("x.tsv", "half.tsv", "y.tsv"):
        assert said in tertium("human", "analyse", name)[2]
        assert json.loads(tertium("human", "analyse", name, "-f", "json")[1])["notes"] == [said]
    assert said in tertium("human", "agreement", "x.tsv", "--between", "raters")[2]
    text = Path("testset.toml").read_text()
    Path("judged.toml").write_text(f'judgements = "x.tsv"\n{text}')
    assert said in tertium("human", "analyse", "judged.toml")[2]
    for to in ("export", "convert"):  # a format that has no place for it: then it is said here
        given = "campaign.toml" if to == "export" else "x.tsv"
        err = tertium("human", to, given, "x.csv", "--to", "appraise")[2]
        assert said in err
        assert "appraise has no place for" in err
    assert json.loads(tertium("human", "analyse", "campaign.toml", "-f", "json")[1])["notes"] == [said]


def test_a_campaign_is_analysed_as_it_is(tertium: Command) -> None:
    answer()
    out = tertium("human", "analyse", "campaign.toml")[1]
    tertium("human", "export", "campaign.toml", "x.tsv")
    with open_collection("campaign.toml") as collection:
        collection.store.erase("=eva")
        collection.store.erase("ben")
    said = (2, "", "tertium: campaign.toml: nobody has said anything yet\n")
    assert tuple(tertium("human", "analyse", "campaign.toml")) == said
    ranked = tertium("human", "analyse", "x.tsv")[1]
    assert out.splitlines()[0] == "letters (de-en): 5 segments, 10 judgements by 2 raters"
    assert out.splitlines()[1:] == ranked.splitlines()[1:]


def test_links_while_it_is_served_name_the_dashboard(tertium: Command) -> None:
    with open_collection("campaign.toml") as collection:  # as a server has it, which has said where
        collection.store.note("served", "", {"address": "http://127.0.0.1:8100"})
        for command, instead in ((["links"], "make and revoke links"), (["erase", "ben", "--yes"], "erase them")):
            code, _, err = tertium("human", command[0], "campaign.toml", *command[1:])
            assert code == 2
            assert (
                f"It is served at http://127.0.0.1:8100: {instead} on its dashboard, whose address tertium human serve "
                "printed (http://127.0.0.1:8100/admin/...), or stop the server first"
            ) in err


BODIES: dict[str, dict[str, object]] = {
    "da": {"values": {"da100": 70}},
    "sqm": {"values": {"sqm100": 33}},
    "adequacy-fluency": {"values": {"adequacy": 4, "fluency": 2}},
    "ranking": {"ranks": [2, 1]},
    "esa": {"values": {"esa": 55}, "spans": [[0, 3, "minor", "", "output"], [0, 6, "major", "", "source"]]},
    "mqm": {"spans": [[0, 6, "major", "Accuracy/Omission", "source"], [0, 3, "minor", "Other", "output"]]},
    "post-edit": {"text": "output z0 of other words"},
}


@pytest.mark.parametrize("protocol", BODIES)
def test_every_protocol_goes_out_and_comes_back(tertium: Command, tmp_path: Path, protocol: str) -> None:
    """Our own table and an Evaluation hold all that was said; a table is taken in again, item by item."""
    path = str(written(tmp_path / protocol, protocol, raters='names = ["eva", "ben"]'))
    with open_collection(path) as collection:
        for rater in ("eva", "ben"):
            for batch in collection.batches_of(rater):
                for place in range(len(batch.items)):
                    body = {**BODIES[protocol], "seconds": place + 1.5}
                    collection.submit(rater, batch.number, place, f"{rater}-----{batch.number}-{place}", 1, body)
        collection.submit(rater, batch.number, place, f"{rater}-----{batch.number}-{place}", 1, body).result()
        said = collection.judgements()
        before = {(kept.rater, kept.batch, kept.item): kept.body for kept in collection.standing()}
        testset = collection.campaign.evaluation.testset
    assert {one.scale for one in said} == set(PROTOCOLS[protocol].scales)
    assert tertium("human", "export", path, "x.tsv")[0] == tertium("human", "export", path, "x.evaluation")[0] == 0
    assert sorted(map(str, read_ratings("x.tsv", testset=testset)[1])) == sorted(map(str, said))
    assert sorted(map(str, tt.load("x.evaluation").judgements)) == sorted(map(str, said))
    for file in Path(path).parent.glob("campaign.sqlite*"):
        file.unlink()
    code, out, err = tertium("human", "import", path, "x.tsv")
    if protocol == "post-edit":
        assert (code, out) == (2, "")
        assert "post-edited texts are not in files of judgements" in err
        return
    assert (code, out) == (0, f"x.tsv: {len(before)} responses taken in, 0 there already\n")
    assert tertium("human", "import", path, "x.tsv")[1] == f"x.tsv: 0 responses taken in, {len(before)} there already\n"
    with open_collection(path) as collection:
        assert {(kept.rater, kept.batch, kept.item): kept.body for kept in collection.standing()} == before


FITS = {  # which scales the formats of other tools have
    "appraise": {"da", "esa", "mqm"},
    "mturk": {"da"},
    "mqm": {"mqm"},
}


@pytest.mark.parametrize("form", FITS)
@pytest.mark.parametrize("protocol", BODIES)
def test_formats_of_other_tools(tertium: Command, tmp_path: Path, protocol: str, form: str) -> None:
    """What a format can hold comes back with its values; the rest is refused in a sentence."""
    path = str(written(tmp_path / protocol, protocol))
    with open_collection(path) as collection:
        [batch] = collection.plan.batches
        done = [
            collection.submit("eva", 1, place, f"eva-----1-{place}", 1, BODIES[protocol])
            for place in range(len(batch.items))
        ]
        assert all(future.result() for future in done)
        said, testset = collection.judgements(), collection.campaign.evaluation.testset
    code, _, err = tertium("human", "export", path, "out.x", "--to", form)
    if code:
        assert protocol not in FITS[form], err
        assert code == 2
        assert err.startswith("tertium: ")
        return
    assert protocol in FITS[form]
    found = read_ratings("out.x", form, testset)[1]
    assert sorted((one.system, one.segment, one.value) for one in found) == sorted(
        (one.system, one.segment, one.value) for one in said
    )
    for file in Path(path).parent.glob("campaign.sqlite*"):
        file.unlink()
    if form != "mturk":  # which has no kinds and tasks of ours
        assert tertium("human", "import", path, "out.x", "--from", form)[1] == (
            f"out.x: {len(batch.items)} responses taken in, 0 there already\n"
        )
        with open_collection(path) as collection:
            again = [comparable(one, form) for one in collection.judgements()]
        assert sorted(again) == sorted(comparable(one, form) for one in said)


def comparable(one: Judgement, form: str) -> str:
    """Without times; what was marked in the source is to Appraise an error that has no place in the output."""
    spans = tuple(
        replace(span, start=0, end=0, side="none") if span.side == "source" and form == "appraise" else span
        for span in one.spans
    )
    return str(replace(one, start=None, duration=None, spans=spans))
