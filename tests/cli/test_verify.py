"""`tertium verify`: scores that hold, scores that do not, and what differs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .running import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET = str(EXAMPLES / "testset.toml")
REFERENCE, ATLAS, DELTA = (str(EXAMPLES / name) for name in ("reference.a.en", "systems/atlas.en", "systems/delta.en"))
FILES = ("-r", REFERENCE, "-t", ATLAS)
SACREBLEU = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
TEXTS = "  note: a signature of sacreBLEU does not say which segments and references were scored\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    return tertium


@pytest.fixture
def ours(run: Command) -> tuple[str, str]:
    """A signature of ours and its score at full precision."""
    _, out, _ = run("score", *FILES, "-m", "bleu", "-f", "json")
    [score] = json.loads(out)["scores"]
    return score["signature"], repr(score["value"])


def test_a_score_holds_as_far_as_it_was_printed(run: Command, ours: tuple[str, str]) -> None:
    signature, value = ours
    for decimals in range(7):
        status, out, err = run("verify", signature, *FILES, "--score", f"{float(value):.{decimals}f}")
        assert (status, err) == (0, "")
        assert out == f"holds: atlas, bleu: {float(value):.{decimals}f} published, {float(value):.10g} here\n"
    status, out, _ = run("verify", signature, *FILES, "--score", f"{float(value) + 10:.1f}")
    assert status == 1
    assert out.startswith("does not hold: atlas, bleu: ")
    assert "\n  options, references and number of segments are the same, so the outputs must be others\n" in out


def test_what_differs_is_named(run: Command, ours: tuple[str, str]) -> None:
    signature, value = ours
    data = signature.split("|data:")[1].split("|")[0]
    for old, new, sentence in (
        ("refs:1", "refs:2", "references per segment: 2 published, 1 here"),
        ("n:96", "n:97", "segments: 97 published, 96 here"),
        (f"data:{data}", "data:0123", f"hash of the references: 0123 published, {data} here"),
    ):
        status, out, _ = run("verify", signature.replace(old, new), *FILES, "--score", value)
        assert (status, out.splitlines()[1:]) == (1, [f"  {sentence}"])
    status, out, _ = run("verify", signature.replace("tertium:", "tertium:0."), *FILES, "--score", value)
    assert (status, out.splitlines()[1:]) == (0, ["  note: published with tertium 0.0.1.0, checked with 0.1.0"])


def test_forgotten_options_are_found(run: Command) -> None:
    _, out, _ = run("score", *FILES, "-m", "bleu(lowercase=True)", "--score-only")
    lowered = out.strip()
    status, out, _ = run("verify", SACREBLEU, *FILES, "--score", lowered)
    assert status == 1
    assert f"\n  {lowered} is what bleu(lowercase=True) gives\n" in out
    assert TEXTS in out
    status, out, _ = run("verify", "bleu", *FILES, "--score", lowered, "-m", "bleu(lowercase=True)")
    assert (status, out.splitlines()[1]) == (1, "  option lowercase: False published, True here")
    status, out, _ = run("verify", "bleu", *FILES, "--score", "70", "-m", "chrf")
    assert (status, out.splitlines()[-2]) == (1, "  metric: bleu published, chrf here")


def test_a_long_signature_is_not_a_file(run: Command, ours: tuple[str, str]) -> None:
    signature, value = ours
    status, out, _ = run("verify", f"{signature}|tool:{'x' * 5000}", *FILES, "--score", value)
    assert (status, out.splitlines()[1][-15:]) == (1, "xxx published, none here"[-15:])


def test_scale(run: Command) -> None:
    _, out, _ = run("verify", "bleu", *FILES, "--score", "0.518")
    assert out.splitlines()[1] == "  0.518 is this score as a share of 1; scores here are 0 to 100"


# Files


def write_scores(run: Command, *options: str) -> dict[str, object]:
    run("score", TESTSET, "-f", "json", "-o", "scores.json", *options)
    found: dict[str, object] = json.loads(Path("scores.json").read_text())
    return found


def change(found: dict[str, object], number: int, **values: object) -> None:
    found["scores"][number] |= values  # type: ignore[index]
    Path("scores.json").write_text(json.dumps(found))


@pytest.mark.parametrize("level", ["corpus", "document", "segment"])
def test_all_scores_of_a_file_hold(run: Command, level: str) -> None:
    count = len(write_scores(run, "--level", level, "-m", "bleu,macrof,ter")["scores"])  # type: ignore[arg-type]
    assert run("verify", "scores.json", TESTSET) == (0, f"{count} of {count} scores hold\n", "")


def test_a_changed_score_of_a_file_is_found(run: Command) -> None:
    found = write_scores(run, "--level", "segment", "-m", "bleu")
    change(found, 5, value=12.5, parts={"brevity_penalty": 0.5})
    status, out, _ = run("verify", "scores.json", TESTSET)
    head, total = out.split("\n\n")
    assert head.splitlines()[0].startswith("does not hold: atlas, segment 6, bleu: 12.5 published, ")
    assert head.splitlines()[1] == "  brevity_penalty: 0.5 published, 1 here"
    assert (status, total) == (1, "383 of 384 scores hold\n")
    change(found, 6, segment="999")
    _, out, _ = run("verify", "scores.json", TESTSET)
    assert "\n  segment 999 is not in these files\n" in out


def test_intervals_are_drawn_again(run: Command) -> None:
    found = write_scores(run, "-m", "bleu,macrof", "--confidence", "--trials", "50", "--seed", "7")
    assert run("verify", "scores.json", TESTSET)[:2] == (0, "8 of 8 scores hold\n")
    signature = found["scores"][0]["signature"]  # type: ignore[index]
    change(found, 0, signature=signature.replace("seed:7", "seed:8"))
    status, out, _ = run("verify", "scores.json", TESTSET)
    assert status == 1
    assert out.splitlines()[1].endswith(" here, with 50 trials, seed 8 and confidence 0.95")
    change(found, 0, signature=signature.replace("ci:0.95", "ci:0.9"))
    _, out, _ = run("verify", "scores.json", TESTSET)
    assert "  confidence: 0.95 in the interval, 0.9 in the signature\n" in out
    change(found, 0, signature=signature.partition("|bs:")[0])
    status, out, _ = run("verify", "scores.json", TESTSET)
    assert status == 0
    assert "note: the signature does not say how the interval was drawn, so it is not checked\n" in out


def test_other_outputs_and_names(run: Command) -> None:
    run("score", *FILES, "-f", "json", "-o", "one.json", "-m", "ter")
    assert run("verify", "one.json", "-r", REFERENCE, "-t", f"renamed={ATLAS}")[0] == 0
    status, out, _ = run("verify", "one.json", "-r", REFERENCE, "-t", DELTA)
    assert status == 1
    assert "\n  edits: " in out
    status, out, _ = run("verify", "one.json", "-r", REFERENCE, "-s", REFERENCE, "-t", ATLAS)
    assert status == 0
    assert "note: the references are the same, but the source, the documents, ids or labels of the test set are" in out


def test_json(run: Command) -> None:
    status, out, _ = run("verify", "bleu", *FILES, "--score", "1", "-f", "json", "-o", "verdict.json")
    assert (status, out) == (1, "")
    found = json.loads(Path("verdict.json").read_text())
    assert found["holds"] is False
    [verdict] = found["verdicts"]
    assert (verdict["system"], verdict["metric"], verdict["published"], verdict["holds"]) == ("atlas", "bleu", 1, False)
    assert verdict["differences"][0].startswith("score: 1 published, 51.7")


def test_many_that_do_not_hold_are_cut(run: Command) -> None:
    write_scores(run, "--level", "segment", "-m", "ter")
    others = [f"-t{name}={EXAMPLES}/systems/{name}.en" for name in ("brook", "cinder", "delta")]
    status, out, _ = run("verify", "scores.json", "-r", REFERENCE, "-t", f"atlas={DELTA}", *others)
    assert status == 1
    assert out.count("does not hold: ") == 20
    assert " more\n\n" in out


# Outside tokenizers


def test_strangers_name_no_code_of_this_computer(run: Command) -> None:
    signature = 'bleu(tokenize="py:builtins:str.split")|refs:1'
    status, out, err = run("verify", signature, *FILES, "--score", "50")
    assert (status, out) == (2, "")
    assert err.startswith('tertium: bleu: tokenize="py:builtins:str.split" names a file or a function of this computer')
    assert err.endswith("; if you trust the one who wrote it: --trust\n")
    assert run("verify", signature, *FILES, "--score", "50", "--trust")[0] == 1


def test_a_changed_model_is_noticed(run: Command, spm_model: Path) -> None:
    _, out, _ = run("score", *FILES, "-m", f'bleu(tokenize="spm:{spm_model}")', "-f", "json", "-o", "spm.json")
    [score] = json.loads(Path("spm.json").read_text())["scores"]
    assert run("verify", "spm.json", *FILES, "--trust")[0] == 0
    digest = score["signature"].split("|spm:")[1].split("|")[0]
    signature = score["signature"].replace(digest, "0123456789ab")
    status, out, _ = run("verify", signature, *FILES, "--trust", "--score", repr(score["value"]))
    assert (status, out.splitlines()[1]) == (1, f"  version or hash of spm: 0123456789ab published, {digest} here")
    moved = f'bleu(tokenize="spm:{spm_model}")'
    signature = score["signature"].replace(str(spm_model), "/elsewhere/m.model")
    status, out, _ = run("verify", signature, *FILES, "-m", moved, "--score", repr(score["value"]))
    assert status == 0
    assert out.splitlines()[1].endswith(", of the same hash")


# sacreBLEU itself


@pytest.mark.parametrize(
    "flags",
    [
        ["-m", "bleu", "chrf", "ter"],
        ["-m", "bleu", "chrf", "-lc", "--chrf-word-order", "2", "--chrf-lowercase", "-w", "4"],
        ["-m", "bleu", "-tok", "intl", "-s", "floor", "-sv", "0.2"],
        ["-m", "bleu", "-s", "add-k", "-tok", "char"],
        ["-m", "chrf", "--chrf-char-order", "4", "--chrf-beta", "3", "--chrf-whitespace", "--chrf-eps-smoothing"],
        ["-m", "ter", "--ter-normalized", "--ter-no-punct", "--ter-case-sensitive", "--ter-asian-support"],
    ],
)
def test_what_sacrebleu_prints_holds(run: Command, flags: list[str]) -> None:
    """sacrebleu 2.6.0, its own command: its JSON, and each line of its text, long and short."""

    def theirs(*more: str) -> str:
        command = [sys.executable, "-m", "sacrebleu", REFERENCE, "-i", ATLAS, *flags, *more]
        return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout

    Path("theirs.json").write_text(theirs())
    status, out, _ = run("verify", "theirs.json", *FILES)
    assert status == 0, out
    for layout in ([], ["-sh"]):
        lines = theirs("-f", "text", *layout).splitlines()
        assert lines
        for line in lines:
            status, out, _ = run("verify", line, *FILES)
            assert status == 0, out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bleu", *FILES], "bleu: a signature without a score; say which one was published: --score VALUE"),
        (["no.json", *FILES], "no.json: no such file"),
        (["blue", *FILES, "--score", "1"], "unknown metric 'blue'; did you mean 'bleu'?"),
        (
            ["bleu", TESTSET, "--score", "1"],
            "4 systems: whose score is it? Say --system NAME; there are: atlas, brook, ",
        ),
        (
            ["bleu", *FILES, "--score", "1", "--system", "x"],
            "there is no system x here, only atlas; name its file: --hyp ",
        ),
        (["scores.json", *FILES, "--score", "1"], "scores.json: a file names its scores itself; --score goes with a "),
        (["scores.json", *FILES], "there is no system brook here, only atlas; name its file: --hyp brook=FILE"),
    ],
)
def test_mistakes(run: Command, arguments: list[str], sentence: str) -> None:
    write_scores(run)
    status, out, err = run("verify", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"tertium: {sentence}")
