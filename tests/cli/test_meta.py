"""`tertium meta`: what it prints in every format, and what it refuses."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import tertium as tt
from tertium.engines.evaluate import add_metrics

from . import running

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET = str(EXAMPLES / "testset.toml")


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    assert running.run("meta", *arguments) == status
    return capsys.readouterr()


def expected(gold: str = "human") -> tt.Evaluation:
    given = tt.read_testset(TESTSET)
    return add_metrics(
        tt.evaluate(given.testset, given.systems, ["bleu", "chrf", "ter"], judgements=given.judgements), gold
    )


def test_text_names_every_statistic_and_fits_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    raw = ("--gold", 'human(standardise="none")')
    out, err = run(capsys, TESTSET, "--pairs", *raw)
    for words in ("Pearson", "Spearman", "tau-b", "tau-c", "pairwise accuracy", "SPA", "acc_eq", "tau_eq", "PDP",
                  "Kendall-like", "Williams' test, two-sided",
                  "permutation test by segments, two-sided, 1000 trials, seed 4",
                  "p after Holm", "p (Holm)", "p after step-down max-T", "p (max-T)",
                  "1000 sign flips", "seed 4"):  # fmt: skip
        assert words in " ".join(out.split()), words  # lines end where the screen does
    assert [line for line in out.splitlines() if len(line) > 80] == []
    assert "384 of 384 outputs of 4 systems judged" in out
    assert "only 96 segments" in err
    assert out == run(capsys, "evaluate", TESTSET, "--pairs", *raw)[0]  # the default command


def test_numbers_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, TESTSET, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    found = tt.meta_evaluate(expected(), "human")
    assert len(rows) == len(found.scores)
    for row, score in zip(rows, found.scores, strict=True):
        assert (row["metric"], row["level"], row["average"], int(row["n"])) == (
            score.metric, score.level, score.average, score.n,
        )  # fmt: skip
        assert float(row["value"]) == score.value
    assert {row["statistic"] for row in rows} >= {"Kendall tau-b", "soft pairwise accuracy"}
    assert {(row["gold"], row["scores"]) for row in rows} == {("human", "z")}


def test_json_holds_everything(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, TESTSET, "--gold", 'human(scale="adequacy")', "-m", "bleu,chrf", "-f", "json")
    assert err == ""
    [result] = json.loads(out)["testsets"]
    assert result["gold"] == 'human(scale="adequacy")'
    assert result["systems"] == ["atlas", "brook", "cinder", "delta"]
    assert result["tests"]["segment"]["statistic"] == "acc_eq"
    assert len(result["tests"]["system"]["pairs"]) == 1
    assert len(result["between"]["segment"]) == 2
    assert {score["title"] for score in result["scores"]} >= {"Pearson r", "pairwise difference Pearson"}
    assert json.loads(out)["pooled"] == []


def test_levels_tests_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(
        capsys, TESTSET, "--level", "system", "--system-by", "tau_b:systems", "--trials", "20", "-f", "markdown"
    )
    assert "| metric | Pearson r | p, pearson |" in out
    assert "**Which metrics are closer to people: system level, by Kendall tau-b**" in out
    assert "permutation test by systems, two-sided, 20 trials, seed 4" in out
    assert "Who is closer is not resolvable: 4 systems can be swapped in 16 ways, so no p is below 0.12" in out
    assert "segment level" not in out


def test_one_metric_is_compared_with_no_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, err = run(capsys, TESTSET, "-m", "chrf", "--trials", "50", "--pairs", "--page", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    for said in ("Which metrics are closer", "Pairs of metrics", "between metrics", "permutation test"):
        assert said not in out, said
    assert "Which metrics are closer" not in page
    assert "Metrics are compared with each other" not in page
    assert "Correlations with people" in out
    assert "Correlations with people" in page
    assert "without it, Pearson r by systems goes from 0.825 to 0.783 for chrf" in err


def test_one_side_is_asked_for_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    two, one = (json.loads(run(capsys, TESTSET, "-f", "json", "--sides", sides)[0])["testsets"][0]["tests"]
                for sides in ("two", "one"))  # fmt: skip
    assert (two["system"]["sides"], one["system"]["sides"]) == ("two", "one")
    for pairs in zip(two["system"]["pairs"], one["system"]["pairs"], strict=True):
        assert pairs[0]["p"] == pytest.approx(2 * pairs[1]["p"])
    assert "permutation test by segments, one-sided" in run(capsys, TESTSET, "--sides", "one")[0]


def test_too_few_trials_are_said_instead_of_one_cluster(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "meta.html"
    raw = ("--gold", 'human(standardise="none")')
    out, err = run(capsys, TESTSET, "--trials", "15", "--page", str(page), *raw)
    said = "not resolvable with 15 trials; needs 199"
    assert f"Who is closer is {said}." in out.replace("\n", " ")
    assert "chrF    –                  –" in out
    assert f"Who is closer is {said}." in page.read_text()
    assert "town-notes: which pairs of systems people tell apart is not resolvable with 15 trials; needs 399" in err
    [result] = json.loads(run(capsys, TESTSET, "--trials", "15", "-f", "json")[0])["testsets"]
    assert (result["tests"]["segment"]["unresolvable"], result["tests"]["segment"]["clusters"]) == (said, [])
    assert result["tests"]["system"]["unresolvable"] is None  # Williams' test makes no trials
    many, _ = run(capsys, TESTSET, "--correction", "holm")
    assert "permutation test by segments, two-sided, 1000 trials, seed 4; p after Holm" in many  # 3 pairs need 599
    assert "resolvable" not in many


def test_what_drawing_leaves_uncertain_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    [result] = json.loads(run(capsys, TESTSET, "-f", "json")[0])["testsets"]
    assert (result["trials"], result["seed"]) == (1000, 4)
    soft = [score for score in result["scores"] if score["statistic"] == "spa"]
    assert all(0 < score["error"] < 0.02 for score in soft)
    rest = [score for score in result["scores"] if score["statistic"] != "spa"]
    assert {score["error"] for score in rest} == {None}


def test_no_p_is_nought(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, TESTSET)
    assert "<.0001" in out
    assert "0.0000" not in out


def test_outputs_together_have_no_p(capsys: pytest.CaptureFixture[str]) -> None:
    [result] = json.loads(run(capsys, TESTSET, "-f", "json")[0])["testsets"]
    segments = [score for score in result["scores"] if score["level"] == "segment"]
    assert all(score["p"] is None for score in segments if score["average"] in ("none", "system"))
    assert any(score["p"] is not None for score in segments if score["average"] == "item")
    out, _ = run(capsys, TESTSET, "--level", "segment")
    assert re.search(r"^BLEU +none +0\.363 +– +0\.408 +–", out, re.MULTILINE)


def test_several_test_sets_are_pooled(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, TESTSET, TESTSET, "-m", "bleu,chrf", "--trials", "50")
    assert "Over 2 test sets: accuracies of all pairs, means of the rest" in out
    single, _ = run(capsys, TESTSET, "-m", "bleu,chrf", "--trials", "50", "-f", "csv")
    double, _ = run(capsys, TESTSET, TESTSET, "-m", "bleu,chrf", "--trials", "50", "-f", "csv")
    one, two = (list(csv.DictReader(io.StringIO(text))) for text in (single, double))
    pooled = [row for row in two if row["testset"] == "all"]
    assert len(pooled) == len(one)
    for row, whole in zip(one, pooled, strict=True):
        assert float(row["value"]) == pytest.approx(float(whole["value"]))
        assert int(whole["n"]) == 2 * int(row["n"])


def test_published_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = tt.read_testset(TESTSET)
    lines = ["SYS SID RAW.SCR Z.SCR N"]
    lines += [f"{name}.{k} {sid} 50 {(sid * 7 + k) % 5} 1" for k, name in enumerate(("atlas", "brook", "delta"))
              for sid in range(1, len(given.testset) + 1)]  # fmt: skip
    scores = tmp_path / "scores.csv"
    scores.write_text("\n".join(lines))
    out, err = run(capsys, TESTSET, "--gold-scores", str(scores), "-m", "chrf")
    assert "1 metric against people, standard scores (z):\n288 of 288 outputs of 3 systems judged" in out
    assert "nobody judged cinder; left out" in err
    assert "DARR" not in out
    _, err = run(capsys, TESTSET, "--gold-scores", str(scores), "--gold", "human", status=2)
    assert "give one of them" in err
    _, err = run(capsys, TESTSET, "--gold-scores", str(scores), "--gold-scores", str(scores), status=2)
    assert "2 files of --gold-scores for 1 test set; give one for each" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([TESTSET, "-m", "human"], "no metric to compare with human; name some (-m bleu,chrf)"),
        ([TESTSET, "--gold", "humn"], "unknown metric 'humn'; did you mean 'human'?"),
        ([TESTSET, "--segment-by", "acc"], 'segment statistic="acc" is unknown; choose from acc_eq, tau_b, pearson'),
        ([TESTSET, "--segment-by", "tau_b:williams"], "not compared by test 'williams'; choose from inputs, both"),
        ([TESTSET, TESTSET, "--hyp", "x"], "--hyp goes with one test set"),
        ([TESTSET, "-m", "chrf", "--eps", "bleu=1"], "--eps of bleu, but the metrics are chrf"),
        ([TESTSET, "--level", "system", "--eps", "chrf=1"], "--eps: thresholds for ties are of segments; leave it out"),
        (["nothing.toml"], "nothing.toml: no such file"),
        (["-m", "bleu"], "nothing to compare with: pass a testset.toml"),
        (["--ref", str(EXAMPLES / "reference.a.en"), "--hyp", str(EXAMPLES / "systems/atlas.en")],
         "human needs judgements, and test set reference.a.en has none"),
    ],
)  # fmt: skip
def test_mistakes_are_sentences(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = run(capsys, *arguments, status=2)
    assert err.startswith("tertium: ")
    assert sentence in err
    assert "Traceback" not in err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "--help")
    assert "evaluate" in out
