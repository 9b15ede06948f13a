"""`tertium gate`: rules that hold and rules that do not, and a repository that goes red and green."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from xml.etree import ElementTree

import pytest
import yaml
from markdown_it import MarkdownIt

import tertium as tt
from tertium.core.wording import visible
from tertium.report.gate_pages import code, prose

from .running import Command

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FEW = "trials = 300\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, to be changed."""
    return copytree(EXAMPLES, tmp_path / "evaluation")


def write(folder: Path, rules: str, top: str = 'system = "delta"\nbaseline = "brook"\n' + FEW) -> str:
    path = folder / "mine.toml"
    path.write_text(f'testset = "testset.toml"\n{top}{rules}')
    return str(path)


def checks(tertium: Command, gate: str, *more: str) -> dict[str, tuple[bool, str]]:
    run = tertium("gate", gate, "-f", "json", *more)
    found = run.json
    assert run.status == (0 if found["passed"] else 1)
    assert found["passed"] == all(check["passed"] for check in found["checks"])
    return {f"{check['what']}: {check['rule']}": (check["passed"], check["got"]) for check in found["checks"]}


# Rules


def test_limits_are_those_of_fail_under(folder: Path, tertium: Command) -> None:
    for name, limit, side in (
        ("bleu", 44.0, "least"),
        ("bleu", 46.0, "least"),
        ("ter", 42.0, "most"),
        ("ter", 41.0, "most"),
    ):
        gate = write(folder, f"[metrics.{name}]\nlimit = {limit}\n", 'system = "delta"\n')
        found = checks(tertium, gate)
        [passed] = [passed for what, (passed, _) in found.items() if f"at {side} {limit:g}" in what]
        scored = tertium("score", str(folder / "testset.toml"), "--fail-under", f"{name}={limit}", "-f", "json")
        assert passed == (f"delta: {name} is" not in scored.err)


def test_a_score_just_below_its_limit_is_not_shown_as_the_limit(folder: Path, tertium: Command) -> None:
    given = tt.read_testset(folder / "testset.toml")
    delta = [system for system in given.systems if system.name == "delta"]
    [score] = [one.value for one in tt.evaluate(given.testset, delta, ["bleu"]).scores()]
    gate = write(folder, f"[metrics.bleu]\nlimit = {score + 1e-9!r}\n", 'system = "delta"\n')
    [(passed, got)] = [item for what, item in checks(tertium, gate).items() if what.startswith("BLEU")]
    assert not passed
    assert float(got) < score + 1e-9
    exact = write(folder, f"[metrics.bleu]\nlimit = {score!r}\n", 'system = "delta"\n')
    assert all(passed for passed, _ in checks(tertium, exact).values())


def test_the_test_is_that_of_compare(folder: Path, tertium: Command) -> None:
    """brook is worse than cinder by BLEU, better by chrF."""
    gate = write(folder, "[metrics.bleu]\n[metrics.chrf]\n[metrics.ter]\n", 'system = "cinder"\nbaseline = "brook"\n')
    found = checks(tertium, gate)
    given = tt.read_testset(folder / "testset.toml")
    two = [system for system in given.systems if system.name in ("brook", "cinder")]
    evaluation = tt.evaluate(given.testset, two, ["bleu", "chrf", "ter"])
    for metric, title in (("bleu", "BLEU"), ("chrf", "chrF"), ("ter", "TER")):
        [item] = tt.compare(evaluation, metric, baseline="brook")
        passed, got = found[f"{title}: not significantly worse than brook"]
        assert passed == (item.verdict != "worse")
        words = {"worse": "significantly worse", "better": "significantly better", "undecided": "not told apart"}
        assert got.startswith(words[item.verdict])
    assert not found["chrF: not significantly worse than brook"][0]


def test_points_may_be_lost(folder: Path, tertium: Command) -> None:
    top = 'system = "brook"\nbaseline = "delta"\n' + FEW
    for loss, passes in ((18.5, False), (18.6, True)):  # 44.81 - 26.24 BLEU
        found = checks(tertium, write(folder, f"[metrics.bleu]\nloss = {loss}\nworse = false\n", top))
        assert found[f"BLEU: loses at most {loss:g} against delta"][0] is passes
    for loss, passes in ((13.4, False), (13.5, True)):  # 55.16 - 41.72 TER
        found = checks(tertium, write(folder, f"[metrics.ter]\nloss = {loss}\nworse = false\n", top))
        assert found[f"TER: loses at most {loss:g} against delta"][0] is passes
    [(passed, got)] = [
        item
        for what, item in checks(tertium, write(folder, "[metrics.ter]\nloss = 0\nworse = false\n")).items()
        if "TER" in what
    ]
    assert passed
    assert got == "gains 13.4"


def test_missing_outputs_do_not_pass(folder: Path, tertium: Command) -> None:
    lines = (folder / "systems/delta.en").read_text().splitlines()
    (folder / "systems/delta.en").write_text("\n".join(["\\N", *lines[1:]]) + "\n")
    rules, top = "[metrics.bleu]\nlimit = 1\n", 'system = "delta"\n'
    assert checks(tertium, write(folder, rules, top))["outputs: none may be missing"] == (False, "1 of 96 missing")
    assert all(passed for passed, _ in checks(tertium, write(folder, rules, top + "missing = 1\n")).values())


def test_what_cannot_be_tested_does_not_pass(folder: Path, tertium: Command) -> None:
    for name in (
        "source.de",
        "documents.txt",
        "domains.txt",
        "reference.a.en",
        "reference.b.en",
        "systems/delta.en",
        "systems/brook.en",
    ):
        path = folder / name
        path.write_text("\n".join(path.read_text().splitlines()[:3]) + "\n")
    for name in ("atlas", "cinder"):
        (folder / f"systems/{name}.en").unlink()
    toml = folder / "testset.toml"
    toml.write_text(toml.read_text().replace('judgements = "ratings.tsv"\n', ""))
    found = checks(tertium, write(folder, "[metrics.chrf]\n"))
    passed, got = found["chrF: not significantly worse than brook"]
    assert not passed
    assert got.startswith("cannot be tested: not resolvable with 3 segments")


def test_other_scores_of_the_test_set_are_no_rule(folder: Path, tertium: Command) -> None:
    run = tertium("gate", write(folder, "[metrics.bleu]\n"), "-f", "json")
    assert [row["metric"] for row in run.json["scores"]] == ["BLEU"]


@pytest.mark.parametrize(
    ("rules", "top", "said"),
    [
        ("[metrics.bleu]\n", "", 'checks nothing: write limit = NUMBER, or baseline = "NAME" above'),
        ("[metrics.bleu]\nworse = false\n", 'baseline = "brook"\n', "checks nothing: write limit or loss"),
        ("[metrics.bleu]\nloss = 1\n", "", "loss needs a system to be worse than"),
        ("[metrics.bleu]\nworse = true\nlimit = 1\n", "", "worse needs a system to be worse than"),
        ("[metrics.bleu]\nloss = -1\n", 'baseline = "brook"\n', "points that may be lost are 0 or more"),
        ("[metrics.bleu]\nlimit = nan\n", "", "expected a finite number"),
        ('[metrics.bleu]\nlimit = "30"\n', "", "limit = '30' does not fit; expected a number"),
        ("[metrics.bleu]\nlimits = 30\n", "", "unknown key 'limits'; did you mean 'limit'?"),
        ("[metrics.blue]\nlimit = 30\n", "", "unknown metric 'blue'; did you mean 'bleu'?"),
        ('[metrics.bleu]\nlimit = 3\n[metrics."bleu()"]\nlimit = 4\n', "", "name the same metric"),
        ("[metrics.bleu]\nlimit = 30\n", "", 'which system is it about? write system = "NAME"; systems: atlas'),
        ("[metrics.bleu]\n", 'baseline = "brok"\n', "unknown system 'brok'; did you mean 'brook'?"),
        ("[metrics.bleu]\n", 'baseline = "brook"\nsystem = "brook"\n', "system and baseline are both brook"),
        ("[metrics.bleu]\nlimit = 30\n", "missing = -1\n", "missing = -1; must be 0 or more"),
        ("metrics = 3\n", "", "metrics = 3 does not fit; expected a table"),
        ("", "", "no metrics; write [metrics.bleu]"),
        ("[metrics.bleu", "", "not a valid TOML file"),
    ],
)  # fmt: skip
def test_rules_that_mean_nothing_are_refused(folder: Path, tertium: Command, rules: str, top: str, said: str) -> None:
    run = tertium("gate", write(folder, rules, top))
    assert run.status == 2
    assert said in run.err
    assert not run.out


# What is left behind


HOSTILE = [
    "<script>alert(1)</script> | @octocat #12 [link](http://example.org) ![x](y.png) **bold** `tick`",
    "``` | --- | http://example.org www.example.org",
    "`", "|", r"\| \` back\slash \\", "@team please", "</details><b>out</b>", "\u202eturned\u0007", " two  spaces ",
]  # fmt: skip


def test_no_text_becomes_markup(folder: Path, tertium: Command, tmp_path: Path) -> None:
    path = folder / "systems/delta.en"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*HOSTILE, *lines[len(HOSTILE) :]]) + "\n")
    name = "delta <b> #7 [x](y) http://example.org www.example.org"
    gate = write(folder, "[metrics.bleu]\n", f'system = "{name}"\nbaseline = "brook"\n' + FEW)
    comment, junit = tmp_path / "comment.md", tmp_path / "junit.xml"
    tertium("gate", gate, "--hyp", f"{name}={path}", "--comment", str(comment), "--junit", str(junit))
    text = comment.read_text()
    parser = MarkdownIt("gfm-like", {"html": True})
    parser.linkify.set({"fuzzy_link": False})  # example.org is no link on GitHub
    assert "link_open" in {token.type for token in parser.parse("http://example.org")[1].children or []}
    tokens = [child for token in parser.parse(text) for child in [token, *(token.children or [])]]
    kinds = {token.type for token in tokens}
    assert not kinds & {"link_open", "image", "html_inline"}
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert [block.split(">")[0] for block in blocks] == ["<details", "</details"]
    assert blocks[0].count("<") == 3  # of the fold itself, and none of the name
    shown = [token.content for token in tokens if token.type == "code_inline"]
    assert HOSTILE[0] in shown
    for cell in HOSTILE:
        [row] = [
            token
            for token in parser.parse(f"| a | b |\n|---|---|\n| {code(cell)} | c |")
            if token.content.startswith("`")
        ]
        [only] = row.children or []
        assert (only.type, only.content.strip()) == ("code_inline", visible(cell).strip())
    assert "@octocat" not in "".join(token.content for token in tokens if token.type == "text")
    assert "#7" not in "".join(token.content for token in tokens if token.type in ("text", "html_block"))
    assert "@octocat" not in prose("thanks to @octocat")
    assert {len(row.split(" | ")) for row in text.splitlines() if row.startswith("| :--")} <= {4, 6, 8}
    suite = ElementTree.parse(junit).getroot()[0]
    assert suite.attrib["name"] == "town-notes"


def test_junit_counts_what_failed(folder: Path, tertium: Command, tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    gate = write(folder, "[metrics.bleu]\nlimit = 99\n[metrics.chrf]\n")
    run = tertium("gate", gate, "--junit", str(junit), "-o", str(tmp_path / "out.txt"))
    suite = ElementTree.parse(junit).getroot()[0]
    failed = [case.attrib["name"] for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed == ["BLEU: at least 99"]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("4", "1")
    assert run.status == 1
    assert "tertium: delta does not pass, 1 of 4 checks failed. BLEU: 44.8, wanted: at least 99.\n" in run.err
    assert (tmp_path / "out.txt").read_text().startswith("town-notes (de-en)")


@pytest.mark.parametrize("columns", [80, 60])
def test_a_terminal_is_enough(folder: Path, tertium: Command, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    run = tertium("gate", str(folder / "gate.toml"))
    assert run.status == 0
    assert "delta passes all 6 checks." in run.out
    assert max(map(len, run.out.splitlines())) <= columns


# A repository


def action() -> dict[str, str]:
    """The shell of the action's last step."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    return {"script": steps[-1]["run"], "env": " ".join(steps[-1]["env"])}


def test_a_repository_goes_red_and_green(folder: Path, tmp_path: Path) -> None:
    """The action's own script, with a `gh` that keeps what it is called with; a worse output, then a better one."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "gh").write_text(  # there is a comment of ours once there was one
        f'#!/bin/sh\n[ "$2" = view ] && {{ printf "%s\\n" "$@" > {tmp_path}/asked; cat {tmp_path}/urls; exit; }}\n'
        f'printf "%s\\n" "$@" > {tmp_path}/called\necho https://github.example/5#issuecomment-77 > {tmp_path}/urls\n'
    )
    (tmp_path / "urls").write_text("")
    (bin_folder / "gh").chmod(0o755)
    (folder / "ours.toml").write_text(
        'testset = "testset.toml"\nsystem = "new"\nbaseline = "delta"\ntrials = 300\n'
        "[metrics.bleu]\n[metrics.chrf]\nlimit = 60\n"
    )
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    outputs = {"worse": "brook", "better": "atlas"}
    said = {}
    for branch, source in outputs.items():
        (folder / "new.en").write_text((folder / f"systems/{source}.en").read_text())
        subprocess.run([*git, "checkout", "-q", "-B", branch], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", branch], check=True)
        clone = tmp_path / branch
        subprocess.run(["git", "clone", "-q", "--branch", branch, str(folder), str(clone)], check=True)
        summary = tmp_path / f"{branch}.summary"
        path = f"{bin_folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-e", "-c", action()["script"]], cwd=clone, capture_output=True, text=True, check=False,
            env={**os.environ, "PATH": path, "GATE": "ours.toml", "HYP": "new=new.en\n", "COMMENT": "true",
                 "PULL_REQUEST": "5", "GH_REPO": "o/r", "GITHUB_STEP_SUMMARY": str(summary)},
        )  # fmt: skip
        said[branch] = (done.returncode, summary.read_text().splitlines()[0])
        called = (tmp_path / "called").read_text().split()
        assert called == (
            ["pr", "comment", "5", "--body-file", "gate-comment-body.md"]
            if branch == "worse"
            else "api --silent --method PATCH repos/o/r/issues/comments/77 -F body=@gate-comment-body.md".split()
        )
        mark = (clone / "gate-comment-body.md").read_text().splitlines()[0]
        assert mark.startswith("<!-- tertium gate ")
        assert f'startswith("{mark}")' in (tmp_path / "asked").read_text()
        assert "viewerDidAuthor" in (tmp_path / "asked").read_text()
        lines = done.stdout.splitlines()
        stop = lines[0].removeprefix("::stop-commands::")
        assert len(stop) == 32
        assert f"::{stop}::" in lines[1:]
        assert (clone / "gate-junit.xml").exists()
        assert "The 10 worst regressions of new against delta" in summary.read_text() or branch == "better"
    assert said == {"worse": (1, r"### town\-notes: FAILED"), "better": (0, r"### town\-notes: passed")}


def test_a_broken_gate_is_no_verdict(folder: Path, tmp_path: Path) -> None:
    """Nothing to judge: the action ends with the status of a user's error, and comments on nothing."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", action()["script"]], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "GATE": "nowhere.toml", "HYP": "", "COMMENT": "true", "PULL_REQUEST": "5",
             "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")},
    )  # fmt: skip
    assert done.returncode == 2
    assert "nowhere.toml" in done.stderr
    assert not (tmp_path / "summary").exists()


def test_what_the_action_reads_is_what_it_is_given() -> None:
    env = action()["env"].split()
    for name in ("GATE", "HYP", "COMMENT", "PULL_REQUEST"):
        assert name in env
        assert f"${name}" in action()["script"]
    assert "${{" not in action()["script"]  # no input is pasted into a shell


def test_json_is_json(tertium: Command) -> None:
    found = json.loads(tertium("gate", str(EXAMPLES / "gate.toml"), "-f", "json").out)
    assert found["system"] == "delta"
    assert len(found["regressions"]) == 10
