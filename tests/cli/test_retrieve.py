"""`tertium retrieve`: build, run, score, correlate, explain, and all at once."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .running import Command

pytest.importorskip("bm25s")
ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples" / "retrieval" / "testset.toml")


@pytest.fixture
def folder(tertium: Command, tmp_path: Path) -> str:
    """The example, built and searched."""
    made = str(tmp_path / "village")
    assert tertium("retrieve", "build", EXAMPLE, "--folder", made).status == 0
    assert tertium("retrieve", "run", made).status == 0
    return made


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_step_by_step(tertium: Command, tmp_path: Path) -> None:
    folder = str(tmp_path / "village")
    built = tertium("retrieve", "build", EXAMPLE, "--folder", folder)
    lines = built.out.splitlines()
    assert lines[:2] == ["known-item: 35 topics, 35 relevant documents", "term: 28 topics, 62 relevant documents"]
    assert lines[2].startswith("pseudo: 35 topics, ")
    assert lines[3] == f"12 documents in 7 collections; next: tertium retrieve run {folder}"
    assert tertium("retrieve", "run", folder).out.endswith(f"next: tertium retrieve score {folder}\n")
    scored = rows(tertium("retrieve", "score", folder, "-f", "csv").out)
    [gaps] = [row for row in scored if (row["recipe"], row["system"], row["measure"]) == ("term", "gaps", "AP")]
    assert float(gaps["value"]) == pytest.approx(22 / 28)
    assert float(gaps["low"]) < 22 / 28 < float(gaps["high"])
    by_topic = rows(tertium("retrieve", "score", folder, "-f", "csv", "--by-topic", "--measures", "AP,nDCG@5").out)
    assert len(by_topic) == 2 * 7 * (35 + 28 + 35)
    correlated = tertium("retrieve", "correlate", folder, "-m", "bleu,ter", "-f", "json").json
    assert {cell["metric"] for cell in correlated["correlations"]} == {"BLEU", "TER"}
    assert {cell["statistic"] for cell in correlated["correlations"]} == {"tau_b", "pearson"}
    assert all(cell["n"] == 4 and 0 <= cell["p"] <= 1 for cell in correlated["correlations"])
    missed = rows(tertium("retrieve", "explain", folder, "--recipe", "term", "--system", "gaps", "-f", "csv").out)
    assert {row["reason"] for row in missed} == {"untranslated"}


def test_at_once_is_the_same_as_step_by_step(tertium: Command, folder: str, tmp_path: Path) -> None:
    page, kept = tmp_path / "page.html", tmp_path / "kept"
    done = tertium("retrieve", EXAMPLE, "-m", "bleu", "--page", str(page), "--folder", str(kept), "-f", "csv")
    assert done.status == 0
    whole = {(row["recipe"], row["system"], row["measure"]): row["value"] for row in rows(done.out)}
    steps = rows(tertium("retrieve", "score", folder, "-f", "csv").out)
    assert whole == {(row["recipe"], row["system"], row["measure"]): row["value"] for row in steps}
    mine = {path.relative_to(kept): path.read_bytes() for path in sorted(kept.rglob("*")) if path.is_file()}
    theirs = {path.relative_to(folder): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}
    assert mine.keys() == theirs.keys()
    assert {name for name in mine if mine[name] != theirs[name]} <= {Path("retrieval.json")}  # another way to the texts
    text = page.read_text()
    assert "Which metric foretells retrieval" in text
    assert "Blaskapelle" in text


def test_the_verdict_comes_first(tertium: Command) -> None:
    said = tertium("retrieve", EXAMPLE, "-m", "bleu", "--recipe", "term").out.split("\n\n")[0]
    assert " ".join(said.split()) == (
        "No metric foretells retrieval significantly here; mean Kendall tau-b over 2 correlations of measures by test "
        "sets: BLEU 0.91. mAP (term): the documents of steady are found best, 1.000 (the other reference has 0.893; "
        "the source 0.036). Not significantly worse: gaps (paired permutation test over 28 topics). term: brief misses "
        "most: 21 of 62 documents, 76 % of the words dropped. gaps leaves most untranslated: 13 words of 13 that it "
        "lost."
    )


def test_the_same_reference_is_marked(tertium: Command) -> None:
    done = tertium("retrieve", EXAMPLE, "-m", "bleu", "--topic-reference", "1", "--metric-reference", "1")
    assert "Same reference: MT metrics read the reference from which the topics come" in " ".join(done.out.split())
    assert "Same reference" not in tertium("retrieve", EXAMPLE, "-m", "bleu").out


def test_every_miss_of_a_topic(tertium: Command, folder: str) -> None:
    done = tertium("retrieve", "explain", folder, "--topic", "band", "--recipe", "term")
    assert [line.split()[:4] for line in done.out.splitlines() if line.startswith("gaps")] == [
        ["gaps", "band", "harvest-party", "untranslated"],
        ["gaps", "band", "band-wanted", "untranslated"],
    ]
    assert done.err.endswith("tertium diagnose TESTSET --among 10,13\n")


def test_a_report_has_a_section_of_it(tertium: Command, tmp_path: Path) -> None:
    for more, times in (([], 0), (["--retrieval"], 1)):
        done = tertium("report", EXAMPLE, "-m", "bleu", "-o", str(tmp_path / "report.html"), "--trials", "20", *more)
        assert done.status == 0
        assert (tmp_path / "report.html").read_text().count('id="retrieval-harbour-village"') == times


# One's own


def test_runs_from_elsewhere(tertium: Command, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2.0 x\n1 Q0 c 2 1.0 x\n")  # b is missed, c not judged, topic 2 absent
    done = tertium("retrieve", "score", "--run", str(tmp_path / "one.run"), "--run", f"two={tmp_path / 'one.run'}",
                   "--qrels", str(tmp_path / "q.txt"), "--measures", "AP,AQWV", "--documents", "10", "-f", "csv",
                   )  # fmt: skip
    values = {(row["system"], row["measure"]): float(row["value"]) for row in rows(done.out)}
    assert values["one", "AP"] == pytest.approx((0.5 + 0) / 2)
    assert values["two", "AQWV"] == pytest.approx(1 - ((0.5 + 1) / 2 + 40 * (1 / 8 + 0) / 2))


def test_own_topics_and_judgements(tertium: Command, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("l\tlighthouses\nb\tbread\nu\tnothing\n")
    (tmp_path / "q.txt").write_text("l 0 pump 1\nl 0 winter-hours 2\nb 0 miller 1\n")
    own = str(tmp_path / "own")
    built = tertium("retrieve", "build", EXAMPLE, "--folder", own, "--topics", str(tmp_path / "t.tsv"),
                    "--qrels", str(tmp_path / "q.txt"))  # fmt: skip
    assert built.out.startswith("own: 3 topics, 3 relevant documents\n")
    assert built.err == "tertium: note: nobody judged documents for 1 of 3 topics: they are not scored\n"
    assert tertium("retrieve", "run", own).status == 0
    found = rows(tertium("retrieve", "score", own, "--measures", "R@10", "-f", "csv").out)
    assert {row["system"]: float(row["value"]) for row in found if row["role"] == "system"} == {
        "brief": 1.0, "gaps": 0.5, "steady": 1.0, "synonym": 1.0,
    }  # fmt: skip
    assert "untranslated" in tertium("retrieve", "explain", own).out


def test_queries_that_are_translated(tertium: Command, tmp_path: Path) -> None:
    for name, lines in {
        "queries.de": ["1\tLeuchtturm", "2\tImkerin Honig"],
        "topics": ["1\tlighthouse", "2\tbeekeeper honey"],
        "good": ["lighthouse", "beekeeper"],
        "bad": ["Leuchtturm", "honey"],
        "qrels": ["1 0 pump 1", "1 0 winter-hours 1", "1 0 lighthouse-windows 1", "2 0 hives 1"],
    }.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    own = str(tmp_path / "own")
    arguments = ["--queries", str(tmp_path / "queries.de"), "--qrels", str(tmp_path / "qrels"),
                 "--query-hyp", f"good={tmp_path / 'good'}", "--query-hyp", f"bad={tmp_path / 'bad'}"]  # fmt: skip
    built = tertium("retrieve", "build", EXAMPLE, "--folder", own, *arguments, "--topics", str(tmp_path / "topics"))
    assert built.status == 0, built.err
    assert tertium("retrieve", "run", own).status == 0
    found = rows(tertium("retrieve", "score", own, "--measures", "R@10", "-f", "csv").out)
    assert {row["system"]: (row["role"], float(row["value"])) for row in found} == {
        "source": ("floor", 0.0), "topics": ("topics", 1.0), "good": ("system", 1.0), "bad": ("system", 0.5),
    }  # fmt: skip
    explained = tertium("retrieve", "explain", own)
    assert (explained.status, explained.err) == (
        2, "tertium: misses are explained by the segments of translated documents, and this test has none\n",
    )  # fmt: skip


# What is wrong is a sentence


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["build", EXAMPLE, "--folder", "D", "--recipe", "terms"],
            "unknown recipe 'terms'; choose from known-item, term",
        ),
        (["build", EXAMPLE, "--folder", "D", "--df", "2"], "--df 2: write two whole numbers, such as 2,10"),
        (["build", EXAMPLE, "--folder", "D", "--topics", "T"], "your own topics need --topics"),
        (["run", "D"], "D: no retrieval.json in it; first: tertium retrieve build TESTSET.toml --folder D"),
        (["score"], "name the folder of a test, or runs with --run FILE and --qrels FILE"),
        (["score", "--run", "x"], "--run needs --qrels FILE, which says what is relevant"),
        (["nothing.toml"], "nothing.toml: no such file"),
        ([EXAMPLE, "--measures", "blue"], "measure 'blue' is unknown; write one of AP, RR"),
        ([EXAMPLE, EXAMPLE], f"{EXAMPLE}: two test sets are called harbour-village; give them different names"),
    ],
)
def test_mistakes(
    tertium: Command, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = tertium("retrieve", *arguments)
    assert done.status == 2
    assert done.err.startswith(f"tertium: {said}"), done.err


def test_judgements_of_unknown_documents_and_topics(tertium: Command, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("l\tlighthouse\n")
    for line, said in (
        ("l 0 nowhere 1", "1 document that is not in the collection: nowhere; it has 12 documents, such as "),
        ("x 0 pump 1", "1 topic that is not in the collection: x; it has 1 topic, such as l"),
    ):
        (tmp_path / "q.txt").write_text(line + "\n")
        done = tertium("retrieve", "build", EXAMPLE, "--folder", str(tmp_path / "own"), "--topics",
                       str(tmp_path / "t.tsv"), "--qrels", str(tmp_path / "q.txt"))  # fmt: skip
        assert done.err.startswith(f"tertium: {tmp_path / 'q.txt'}: {said}")
        assert not (tmp_path / "own").exists()


def test_a_run_that_was_spoiled(tertium: Command, folder: str) -> None:
    path = Path(folder) / "term" / "runs" / "gaps.run"
    kept = path.read_text()
    for line, said in (
        ("bank Q0 flood 1 NaN gaps", ":1: score 'NaN' of document flood for topic bank is not a number"),
        ("bank Q0 nowhere 1 2.0 gaps", ": 1 document that is not in the collection: nowhere"),
    ):
        path.write_text(f"{line}\n{kept}" if "NaN" in line else f"{kept}{line}\n")
        done = tertium("retrieve", "score", folder)
        assert (done.status, done.err.startswith(f"tertium: {path}{said}")) == (2, True), done.err


def test_another_test_set_than_was_built(tertium: Command, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "example"
    shutil.copytree(Path(EXAMPLE).parent, copy)
    folder = str(tmp_path / "village")
    tertium("retrieve", "build", str(copy / "testset.toml"), "--folder", folder, "--recipe", "term")
    tertium("retrieve", "run", folder)
    (copy / "documents.txt").write_text("d\n" * 24)
    done = tertium("retrieve", "explain", folder)
    assert done.err == (
        f"tertium: {copy / 'testset.toml'} is not the test set of which {folder} was built; build again\n"
    )


def test_a_manifest_that_is_not_ours(tertium: Command, folder: str) -> None:
    path = Path(folder) / "retrieval.json"
    for text, said in (("{", "not JSON"), ("[]", "not as tertium"), ('{"name": 1}', "not as tertium retrieve build")):
        path.write_text(text)
        assert tertium("retrieve", "score", folder).err.startswith(f"tertium: {path}: {said}")


def test_names_that_are_no_file_names(tertium: Command, tmp_path: Path) -> None:
    toml, base = Path(EXAMPLE).read_text(), Path(EXAMPLE).parent
    for key in ("source.de", "reference.b.en", "reference.a.en", "documents.txt"):
        toml = toml.replace(f'"{key}"', json.dumps(str(base / key)))
    toml = toml.replace(
        'systems = "systems/*.en"', "[systems]\n" + f'"../é/x" = {json.dumps(str(base / "systems/gaps.en"))}'
    )
    (tmp_path / "t.toml").write_text(toml)
    folder = tmp_path / "f"
    assert tertium("retrieve", "build", str(tmp_path / "t.toml"), "--folder", str(folder)).status == 0
    assert tertium("retrieve", "run", str(folder)).status == 0
    assert (folder / "term" / "runs" / "..%2f%é%2f%x.run").is_file()
    assert "../é/x" in tertium("retrieve", "score", str(folder)).out


# Ctrl-C

PRESSED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from tertium.text import bm25
whole = bm25.Bm25Index.scores
def pressed(self, query):
    os.kill(os.getpid(), signal.SIGINT)
    return whole(self, query)
bm25.Bm25Index.scores = pressed
from tertium.cli.main import main
main(sys.argv[1:])
"""


def test_ctrl_c_while_searching_leaves_nothing_half(tertium: Command, tmp_path: Path) -> None:
    folder = str(tmp_path / "village")
    tertium("retrieve", "build", EXAMPLE, "--folder", folder, "--recipe", "term")
    before = sorted(Path(folder).rglob("*"))
    done = subprocess.run([sys.executable, "-c", PRESSED, "retrieve", "run", folder], capture_output=True, check=False,
                          env={**os.environ, "PYTHONWARNINGS": "ignore"})  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, b"", b"tertium: stopped")
    assert sorted(Path(folder).rglob("*")) == before


@pytest.mark.parametrize("columns", ["60", "80"])
def test_lines_fit_the_terminal(tertium: Command, folder: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for command in ("score", "explain", "correlate"):
        done = tertium("retrieve", command, folder)
        assert max(map(len, done.out.splitlines())) <= int(columns), command
