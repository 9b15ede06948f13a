"""Judgements meet texts: names of systems, order of segments, and the guard against wrong joins."""

import json
import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tertium as tt
from tertium.cli.main import cli
from tertium.core.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAD = "annotator\tassignment\thit\tdoc\tsystem\tseg\ttype\traw\thit_seconds"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """The example under names as WMT writes them: atlas.3 for atlas."""
    shutil.copytree(EXAMPLES, tmp_path / "town")
    return tmp_path / "town"


def describe(town: Path, judgements: str) -> str:
    text = (town / "testset.toml").read_text().replace('judgements = "ratings.tsv"\n', "")
    (town / "testset.toml").write_text(text + judgements)
    return str(town / "testset.toml")


def call(town: Path, **names: str) -> None:
    """Give systems other names in the judgements."""
    head, *lines = (town / "ratings.tsv").read_text().splitlines()
    rows = [line.split("\t", 1) for line in lines]
    (town / "ratings.tsv").write_text("\n".join([head, *(f"{names.get(a, a)}\t{rest}" for a, rest in rows)]) + "\n")


def values(*arguments: str) -> dict[str, float]:
    found = json.loads(run("score", *arguments, "-m", "human", "-f", "json").stdout)["scores"]
    return {item["system"]: item["value"] for item in found}


def test_numbers_of_submissions_are_recognised(town: Path) -> None:
    expected = values(str(town / "testset.toml"))
    call(town, atlas="atlas.3", delta="delta.12")
    assert values(str(town / "testset.toml")) == expected
    only = ("--hyp", f"atlas={town / 'systems' / 'atlas.en'}")  # a system of the command line
    (town / "few.toml").write_text('references = "reference.a.en"\njudgements = "ratings.tsv"\n')
    assert values(str(town / "few.toml"), *only) == {"atlas": expected["atlas"]}


def test_two_submissions_of_one_system_are_not_mixed(town: Path) -> None:
    call(town, atlas="atlas.3", brook="atlas.4")
    with pytest.raises(InputError, match=r"people judged both atlas\.\d and atlas\.\d, and there is one system atlas"):
        run("score", str(town / "testset.toml"), "-m", "human")


def test_aliases_and_exclusions(town: Path) -> None:
    expected = values(str(town / "testset.toml"))
    call(town, atlas="Online-A", brook="refA")
    with pytest.raises(InputError, match=r"people judged refA, Online-A, but no system .* nobody judged atlas, brook"):
        run("score", str(town / "testset.toml"), "-m", "human")
    path = describe(town, '[judgements]\nfile = "ratings.tsv"\naliases = {"Online-A" = "atlas"}\nexclude = ["refA"]\n')
    done = run("score", path, "-m", "human", "-f", "json")
    found = {item["system"]: item["value"] for item in json.loads(done.stdout)["scores"]}
    assert found.keys() == expected.keys()
    assert found["brook"] is None
    assert found["atlas"] > found["delta"] > found["cinder"]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ('aliases = {"atls" = "atlas"}', "judgements.aliases names 'atls', which nobody judged; did you mean 'atlas'?"),
        ('exclude = ["refA"]', "judgements.exclude names 'refA', which nobody judged"),
        (
            'aliases = {"atlas" = "atlsa"}',
            "judgements.aliases: 'atlas' means 'atlsa', which is no system; did you mean",
        ),
        ('order = "sid"', "does not fit; expected a file, a list of files, or a table of file, aliases"),
        ("names = 1", "does not fit; expected a file, a list of files, or a table of file, aliases"),
    ],
)
def test_mistakes_in_the_table(town: Path, lines: str, text: str) -> None:
    path = describe(town, f'[judgements]\nfile = "ratings.tsv"\n{lines}\n')
    with pytest.raises(InputError) as error:
        tt.read_testset(path)
    assert text in str(error.value)


def test_a_judged_system_without_output_is_left_out_both_ways(town: Path) -> None:
    (town / "systems" / "cinder.en").unlink()
    for options in ((), ("--gold-scores", str(published(town)))):
        done = run("meta", str(town / "testset.toml"), "-m", "bleu", "--level", "system", "--trials", "20", *options)
        assert done.exit_code == 0
        assert "people also judged cinder" in done.stderr
        assert "left out" in done.stderr
        assert "3 systems judged" in done.stdout
    done = run("human", "analyse", str(town / "testset.toml"), "--scale", "da100")
    assert "cinder" not in done.stdout
    judged = sum(line.startswith("cinder\t") for line in (town / "ratings.tsv").read_text().splitlines())
    assert (
        f"people also judged cinder ({judged} judgements), which are not among the systems here; left out"
        in done.stderr
    )


def published(town: Path) -> Path:
    lines = ["SYS SID RAW.SCR Z.SCR N"]
    for k, name in enumerate(("atlas", "brook", "cinder", "delta")):
        lines += [f"{name}.{k} {sid} 50 {(sid * 7 + k) % 5} 1" for sid in range(1, 97)]
    (town / "published.csv").write_text("\n".join(lines))
    return town / "published.csv"


# Segments


@pytest.fixture
def wmt(tmp_path: Path) -> Path:
    """400 segments in documents whose names are not in the order of the file; outputs lack words of hard segments, and
    raters see it."""
    documents = [f"doc{9 - k // 40}" for k in range(400)]
    chance = random.Random(5)
    hard = [chance.randrange(7) for _ in documents]
    lines = [f"{'good ' * 7}words of line {k} here" for k in range(400)]
    (tmp_path / "docs.txt").write_text("\n".join(documents) + "\n")
    (tmp_path / "ref.en").write_text("\n".join(lines) + "\n")
    (tmp_path / "systems").mkdir()
    rows = [HEAD]
    order = sorted(range(400), key=lambda k: documents[k])
    for name, more in (("Online-A", 0), ("Online-B", 1)):
        outputs = [line.replace("good ", "bad ", hard[k] + more) for k, line in enumerate(lines)]
        (tmp_path / "systems" / f"{name}.en").write_text("\n".join(outputs) + "\n")
        for sid, k in enumerate(order, 1):
            value = 90 - 10 * (hard[k] + more) + chance.randrange(8)
            rows.append(f"w{sid % 3}\tt{sid // 50}\t1\t1\t{name}.{more}\t{sid}\tSYSTEM\t{value}\t300")
    (tmp_path / "judged.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "testset.toml").write_text(
        'references = "ref.en"\ndocuments = "docs.txt"\nsystems = "systems/*.en"\njudgements = "judged.tsv"\n'
    )
    return tmp_path


def test_sorted_documents_are_recognised(wmt: Path) -> None:
    given = tt.read_testset(wmt / "testset.toml")
    first = given.judgements[0]  # SID 1 is the first segment of doc0, which is the last document of the file
    assert (first.system, first.segment) == ("Online-A", 360)
    tt.write_ratings(given.judgements, wmt / "again.tsv", given.testset, "mturk")
    again = tt.read_ratings(wmt / "again.tsv", testset=given.testset)[1]
    assert [(j.system, j.segment, j.value) for j in again] == [(j.system, j.segment, j.value) for j in given.judgements]


def by_line(wmt: Path) -> str:
    """The wrong join: SID taken for the number of the line."""
    text = (wmt / "testset.toml").read_text().replace('judgements = "judged.tsv"\n', "")
    (wmt / "wrong.toml").write_text(f'{text}[judgements]\nfile = "judged.tsv"\norder = "lines"\n')
    return str(wmt / "wrong.toml")


@pytest.mark.parametrize(
    "command",
    [
        ["score"],
        ["compare", "--trials", "50"],
        ["disagree"],
        ["buckets"],
        ["report", "--trials", "20", "-o", "r.html"],
        ["meta", "--trials", "20", "--gold", "human"],
    ],
    ids=lambda command: command[0],
)
def test_the_guard_stands_wherever_judgements_meet_texts(
    command: list[str], wmt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(wmt)
    name, *options = command
    metrics = ("-m", "bleu") if name == "meta" else ("-m", "bleu,human")
    assert run(name, "testset.toml", *metrics, *options).exit_code == 0
    by_line(wmt)
    with pytest.raises(InputError, match="scores by human do not seem to be about these outputs: means of 400"):
        run(name, "wrong.toml", *metrics, *options)
    assert run(name, "wrong.toml", *metrics, "--trust-join", *options).exit_code == 0


def test_a_report_does_not_use_judgements_of_other_texts(wmt: Path) -> None:
    run("report", by_line(wmt), "-m", "bleu", "--trials", "20", "-o", str(wmt / "r.html"))
    page = (wmt / "r.html").read_text()
    assert "What people said is not used here: test set" in page
    assert "people put" not in page.partition("</section>")[0]


def test_a_report_names_what_it_cannot_match(town: Path) -> None:
    call(town, atlas="Alas")
    with pytest.raises(InputError, match="people judged Alas, but no system is called so, and nobody judged atlas"):
        run("report", str(town / "testset.toml"), "-m", "bleu", "-o", str(town / "r.html"))


def test_the_workbench_refuses_judgements_of_other_texts(wmt: Path) -> None:
    """Also where texts were scored long before people."""
    from tertium.web import work

    for file, fits in (("testset.toml", True), (by_line(wmt), False)):
        path = wmt / "evaluation.zip"
        tt.save(tt.read_testset(wmt / file), path)
        assert work.score({"path": str(path), "metrics": ["chrf"]}, lambda *_: None).metrics == ["chrf"]
        if fits:
            found = work.score({"path": str(path), "metrics": ["human"]}, lambda *_: None)
            assert found.metrics == ["chrf", "human"]
            continue
        with pytest.raises(InputError, match="scores by human do not seem to be about these outputs"):
            work.score({"path": str(path), "metrics": ["human"]}, lambda *_: None)
