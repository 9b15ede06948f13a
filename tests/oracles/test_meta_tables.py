"""Tables of scores by metrics and people: published correlations and wins.

Gowda, You, Lignos and May (2021), "Macro-average: rare types are important too" (arXiv 2104.05700): the scores of WMT
2017-2019 and of two retrieval experiments are in the authors' repository. `paper-wmt17-19-correlations.tsv` was
computed from them by scipy 1.17.1 (kendalltau, pearsonr, spearmanr), the other tables are as printed. WebNLG 2017:
human averages by its organisers; scores and correlations by sacreBLEU 2.6.0, pandas 3.1.1 and scipy 1.17.1.
"""

import csv
import gzip
import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import tertium as tt
from tertium.cli.main import main
from tertium.meta.correlate import correlate
from tertium.meta.table import score_table
from tertium.report.figures.bars import correlation_rows, win_rows
from tertium.report.tables.correlations import Correlations

from .files import LARGEST, ORACLES, needs_oracles

pytestmark = needs_oracles

DATA = ORACLES.parent / "data"
PAPER = DATA / "macrof-paper"
YEARS = [str(PAPER / f"wmt-scores-{year}.tsv") for year in (2017, 2018, 2019)]
METRICS = ["BLEU_m", "BLEU", "MacroF1", "MicroF1", "CHRF1"]
STATISTICS = {"tau_b": "", "pearson": "_r", "spearman": "_s"}  # how the table calls their columns: BLEU, BLEU_r, BLEU_s
ROUNDED = 5.0000001e-7  # six decimals

Rows = list[dict[str, str]]
Command = Callable[..., Rows]


def read_table(name: str) -> Rows:
    """A table of the oracles, without its comments."""
    lines = [line for line in (ORACLES / "meta" / name).read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


@pytest.fixture
def meta_correlate(capsys: pytest.CaptureFixture[str]) -> Command:
    """`tertium meta correlate` as a table of its CSV."""

    def run(*arguments: str) -> Rows:
        main(["meta", "correlate", *arguments, "--format", "csv"])
        return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))

    return run


def check(name: str, ours: float, theirs: float, tolerance: float, where: object) -> None:
    LARGEST[name] = max(LARGEST.get(name, 0.0), abs(ours - theirs))
    assert abs(ours - theirs) <= tolerance, (where, ours, theirs)


def test_every_cell_of_wmt_2017_to_2019(meta_correlate: Command) -> None:
    rows = meta_correlate(*YEARS, "--gold", "Human", "--group", "year,langs", "--metrics", ",".join(METRICS),
                          "--statistic", ",".join(STATISTICS))  # fmt: skip
    ours = {(row["Year"], row["Langs"], row["metric"], row["statistic"]): row for row in rows}
    expected = read_table("paper-wmt17-19-correlations.tsv")
    assert len(expected) == 45
    assert len(ours) == 46 * len(METRICS) * len(STATISTICS)  # nobody was asked about en-lv in 2017
    for line in expected:
        for metric in METRICS:
            for statistic, column in STATISTICS.items():
                where = line["year"], line["lp"], metric, statistic
                assert ours[where]["n"] == line["n"]
                check(f"meta {statistic}", float(ours[where]["value"]), float(line[metric + column]), 1e-12, where)
            where = line["year"], line["lp"], metric, "tau_b"
            check("meta p of tau_b", float(ours[where]["p"]), float(line[f"{metric}_p"]), 1e-12, where)
    assert ours["2017", "en-lv", "BLEU", "tau_b"]["n"] == "0"
    assert ours["2017", "en-lv", "BLEU", "tau_b"]["value"] == ""


def test_wins(meta_correlate: Command) -> None:
    """As recomputed; the paper misprints 2017."""
    expected = json.loads((ORACLES / "meta" / "paper-wins.json").read_text())
    assert expected["metric_order"] == METRICS
    rows = meta_correlate(*YEARS, "--gold", "Human", "--group", "year,langs", "--metrics", ",".join(METRICS),
                          "--show", "wins")  # fmt: skip
    ours = {year: [int(row["wins"]) for row in rows if row["Year"] == year] for year in ("2017", "2018", "2019")}
    assert ours == expected["wins_recomputed"]
    assert ours["2017"] == [5, 3, 2, 3, 6]
    assert {year: wins for year, wins in ours.items() if wins != expected["wins_published"][year]}.keys() == {"2017"}


def test_bars_of_wmt_are_the_tables() -> None:
    """The figure of wins has the paper's numbers, but for its misprint of 2017; that of correlations every cell."""
    table = score_table(YEARS, gold="Human", group=["year", "langs"], metrics=METRICS)
    given = Correlations(table=table, statistics=("tau_b",), alpha=0.05, limit=2.5)
    expected = json.loads((ORACLES / "meta" / "paper-wins.json").read_text())
    wins = {name: [row["wins"] for row in rows] for name, rows in win_rows(given, "tau_b").items()}
    assert {year: wins[year] for year in ("2017", "2018", "2019")} == expected["wins_recomputed"]
    assert [wins[year] for year in ("2018", "2019")] == [expected["wins_published"][y] for y in ("2018", "2019")]
    drawn = correlation_rows(given, "tau_b")
    for line in read_table("paper-wmt17-19-correlations.tsv"):
        for row, metric in zip(drawn[f"{line['year']} {line['lp']}"], METRICS, strict=True):
            assert row["metric"] == metric
            check("bars of wmt", row["value"], float(line[metric]), 1e-12, (line["year"], line["lp"], metric))
            assert (row["of"] == "significant") == (float(line[f"{metric}_p"]) < 0.05)


@pytest.mark.parametrize("question", ["fluency", "grammar", "semantics"])
def test_bars_of_webnlg_are_the_table(question: str) -> None:
    path = ORACLES / "meta" / "webnlg2017-sys-scores.tsv"
    expected = {line["metric"]: line for line in read_table("webnlg2017-correlations.tsv")}
    table = score_table(path, gold=question, metrics=list(WEBNLG))
    [rows] = correlation_rows(Correlations(table=table, statistics=("tau_b",), alpha=0.05, limit=2.5), "tau_b").values()
    for row in rows:
        line = expected[row["metric"]]
        check("bars of webnlg", row["value"], float(line[f"tau_{question}"]), ROUNDED, row["metric"])
        assert (row["of"] == "significant") == (float(line[f"p_{question}"]) < 0.05)


def printed(row: dict[str, str]) -> str:
    """A correlation as the paper prints it: three decimals, a star where it is not significant."""
    return f"{float(row['value']):.3f}".removeprefix("0") + ("" if float(row["p"]) < 0.05 else "*")


def test_material(meta_correlate: Command) -> None:
    """Metrics against two measures of retrieval: 72 cells."""
    languages = {"LT-EN": "2B", "PS-EN": "2C", "BG-EN": "2S"}
    domains = {"In": "ANALYSIS", "In+Ext": "DEVANALYSIS"}
    names = {"CHRF1": "ChrF1", "BLEURTmean": "BLEURTMean", "BLEURTmedian": "BLEURTMedian"}
    ours = {}
    for gold in ("mAQWV", "MAP"):
        rows = meta_correlate(str(PAPER / "Material-Joel-AQWV-MAP-2B2C2S.tsv"), "--gold", gold, "--group", "expt",
                              "--system", "Translation", "--metrics",
                              "BLEU,MacroF1,MicroF1,ChrF1,BLEURTMean,BLEURTMedian")  # fmt: skip
        ours |= {(row["expt"], gold.removeprefix("m"), row["metric"]): row for row in rows}
    count = 0
    for line in read_table("paper-material.tsv"):
        expt = f"{languages[line['langs']]}-{domains[line['domain']]}-QUERY1"
        for metric in list(line)[3:]:
            assert printed(ours[expt, line["ir"], names.get(metric, metric)]) == line[metric], (line, metric)
            count += 1
    assert count == 72


def test_europarl(meta_correlate: Command) -> None:
    """Metrics against rank-biased overlap of what is retrieved with translated and with original documents."""
    rows = meta_correlate(str(PAPER / "MTIR-scores-all-corrected.txt"), "--gold", "RBO", "--group",
                          "Lang,Dataset,Model", "--metrics",
                          "BLEU,MacroF1,MicroF1,CHRF1,BLEURTMean,BLEURTMedian")  # fmt: skip
    ours = {(row["Lang"], row["metric"].lower()): row for row in rows if row["Dataset"] == "europarl"}
    expected = read_table("paper-europarl-rbo.tsv")
    assert len(ours) == 12 == sum(len(line) - 1 for line in expected)
    for line in expected:
        for metric in list(line)[1:]:
            assert printed(ours[line["langs"][:2].lower(), metric.lower()]) == line[metric]


# WebNLG 2017

WEBNLG = {"BLEU": "bleu", "chrF1": "chrf(beta=1)", "chrF2": "chrf", "chrF3": "chrf(beta=3)",
          "MacroF1": "macrof", "MicroF1": "microf"}  # fmt: skip
QUESTIONS = ("fluency", "grammar", "semantics")


def webnlg() -> dict[str, Rows]:
    """The outputs and their human scores, by system; `webnlg` is the reference."""
    path = Path(DATA / "webnlg2017" / "all_data_final_averaged.csv.gz")
    teams: dict[str, Rows] = {}
    for row in csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode(), newline="")):
        teams.setdefault(row["team"], []).append(row)
    return teams


def as_the_table_read_them(text: str) -> str:
    """pandas 3.1.1, by which the expected table was made, reads empty cells and `null` as the number `nan`."""
    return "nan" if text in ("", "null") else text


@pytest.mark.parametrize("read", [as_the_table_read_them, str])
def test_webnlg_through_our_own_metrics(read: Callable[[str], str]) -> None:
    """Nine systems, one reference: texts to scores to correlations. Read as they are, empty outputs and `null` change
    scores of two systems by up to 0.2 and Pearson's r, but no rank."""
    exact = read is not str
    teams = webnlg()
    reference = [row["text"] for row in teams.pop("webnlg")]
    columns: dict[str, list[float | str]] = {name: [] for name in ("system", *QUESTIONS, *WEBNLG)}
    for line in read_table("webnlg2017-sys-scores.tsv"):
        rows = teams.pop(line["system"])
        assert len(rows) == len(reference) == 223
        columns["system"].append(line["system"])
        for question in QUESTIONS:
            columns[question].append(math.fsum(float(row[question]) for row in rows) / len(rows))
        outputs = [read(row["text"]) for row in rows]
        scores = tt.score(outputs, references=reference, metrics=list(WEBNLG.values()))
        for name, score in zip(WEBNLG, scores, strict=True):
            columns[name].append(score.value)
        for name in (*QUESTIONS, *WEBNLG) if exact else ():
            check("webnlg scores", float(columns[name][-1]), float(line[name]), ROUNDED, (line["system"], name))
    assert not teams
    for question in QUESTIONS:
        table = score_table(columns, gold=question, metrics=list(WEBNLG))
        found = {
            (cell.metric, cell.statistic): cell for name in ("tau_b", "pearson") for cell in correlate(table, name)
        }
        for line in read_table("webnlg2017-correlations.tsv"):
            tau, r = found[line["metric"], "tau_b"], found[line["metric"], "pearson"]
            assert tau.n == r.n == 9
            check("webnlg tau_b", tau.value, float(line[f"tau_{question}"]), ROUNDED, line["metric"])
            check("webnlg p", tau.p, float(line[f"p_{question}"]), ROUNDED, line["metric"])
            if exact:
                check("webnlg r", r.value, float(line[f"r_{question}"]), ROUNDED, line["metric"])
