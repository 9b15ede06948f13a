"""`tertium meta correlate` and `tertium meta preference`: tables as text, Markdown, CSV and JSON."""

import csv
import io
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tertium.cli.meta.correlate import SHOW
from tertium.inference.corrections import holm

from .running import Command

TABLE = """\
year\tsystem\thuman\tBLEU\tTER
1\ta\t0.1\t20\t60
1\tb\t0.2\t22\t61
1\tc\t0.3\t25\t55
1\td\t0.4\t24\t50
1\te\t0.5\t30\t45
2\ta\t0.3\t31\t70
2\tb\t\t33\t71
2\tc\t0.1\t30\t80
"""


@pytest.fixture
def meta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("scores.tsv").write_text(TABLE)
    return partial(tertium, "meta")


GIVEN = ("scores.tsv", "--gold", "human", "--group", "year", "--lower", "TER")


def test_text(meta: Command) -> None:
    status, out, err = meta("correlate", *GIVEN)
    assert (status, err) == (0, "")
    assert (
        out
        == """\
8 rows (1 without human) in 2 groups by year; gold: human

Kendall tau-b with human

year  n   BLEU  TER ↓
1     5  0.800  0.800
2     2  1.000  1.000

*: significant, p < 0.05, each by itself. n: rows of the group that have both
numbers.

p of Kendall tau-b, two-sided, uncorrected

year  n    BLEU   TER ↓
1     5  0.0833  0.0833
2     2  1.0000  1.0000

Groups in which a metric has the highest Kendall tau-b

year  groups  decided  BLEU  TER ↓
all        2        0     0      0

Among correlations with p < 0.05, compared to 3 decimals; metrics that share the
highest all win.

Kendall tau-b over groups

metric  groups  significant  common  mean  median  defined  mean of defined
BLEU         2            0       0     –       –        2            0.900
TER ↓        2            0       0     –       –        2            0.900

Mean and median: over the common groups, in which every metric is significant.
Groups chosen by high values have high means; the mean of defined is over all
groups.
"""
    )


def test_csv_has_every_number_in_full(meta: Command) -> None:
    """Pearson and Spearman of the first year by hand."""
    _, out, _ = meta("correlate", *GIVEN, "-s", "pearson,spearman", "-f", "csv", "-m", "BLEU")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["year"], row["metric"], row["statistic"], row["n"]) for row in rows] == [
        ("1", "BLEU", "pearson", "5"), ("2", "BLEU", "pearson", "2"),
        ("1", "BLEU", "spearman", "5"), ("2", "BLEU", "spearman", "2"),
    ]  # fmt: skip
    # Deviations -2 -1 0 1 2 and -4.2 -2.2 0.8 -0.2 5.8: 22 / sqrt(10 x 56.8).
    assert float(rows[0]["value"]) == pytest.approx(22 / 568**0.5, abs=1e-15)
    assert float(rows[2]["value"]) == pytest.approx(0.9, abs=1e-15)  # 1 - 6 x 2 / (5 x 24)


@pytest.mark.parametrize("show", SHOW)
def test_every_table_in_every_format(meta: Command, show: str) -> None:
    for form in ("text", "csv", "markdown", "json"):
        status, out, err = meta("correlate", *GIVEN, "--show", show, "-f", form, "-s", "tau-b,pearson")
        assert (status, err) == (0, ""), (form, err)
        assert out.strip()
        if form == "text":
            assert max(map(len, out.splitlines())) <= 80
        if form == "json":
            found = json.loads(out)
            assert found["statistics"] == ["tau_b", "pearson"]
            assert isinstance(found[show], list)
            assert (found["gold"], found["lower"], found["group"], found["rows"]) == ("human", ["TER"], ["year"], 8)


def test_a_star_means_significant(meta: Command) -> None:
    """As everywhere else."""
    rows = [["h", "good", "noise"], *([str(k), str(k), str((3 * k) % 5)] for k in range(8))]
    Path("stars.tsv").write_text("\n".join("\t".join(row) for row in rows))
    _, out, _ = meta("correlate", "stars.tsv", "--gold", "h")
    assert "all    8  1.000*" in out
    assert out.count("*") == 2  # and what it means


def test_differences_are_corrected_within_each_group(meta: Command) -> None:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=(2, 12))
    heads = ["g", "h", "a", "b", "c"]
    rows = [[str(g), *map(repr, (value, value + rng.normal() / 9, value + rng.normal() / 2, value + rng.normal()))]
            for g in range(2) for value in map(float, gold[g])]  # fmt: skip
    Path("three.tsv").write_text("\n".join("\t".join(row) for row in [heads, *rows]))
    given = ("correlate", "three.tsv", "--gold", "h", "--group", "g", "--show", "differences")
    found = json.loads(meta(*given, "-f", "json").out)["differences"]
    for group in ("0", "1"):
        p = [item["p"] for item in found if item["g"] == group]
        assert [item["p (Holm)"] for item in found if item["g"] == group] == holm(p)
        assert len(p) == 3
    assert "Williams' test of Pearson r, two-sided; Holm within each group" in meta(*given).out


def test_all_tables(meta: Command) -> None:
    _, out, _ = meta("correlate", *GIVEN, "--show", "all", "-f", "json")
    assert [name for name in json.loads(out) if name in SHOW] == list(SHOW)


def test_many_metrics_fit_a_terminal(meta: Command) -> None:
    names = [f"a_metric_{k}" for k in range(12)]
    rows = [[str(k), *(str((k * j) % 7) for j in range(1, 13))] for k in range(6)]
    Path("wide.tsv").write_text("\n".join("\t".join(row) for row in [["human", *names], *rows]))
    _, out, _ = meta("correlate", "wide.tsv", "--gold", "human", "--show", "all")
    assert max(map(len, out.splitlines())) <= 80
    assert all(name in out for name in names)


def test_pairs_that_contradict(meta: Command) -> None:
    _, out, _ = meta("correlate", *GIVEN, "--show", "pairs", "--top", "1", "-w", "1")
    assert (
        out
        == """\
8 rows (1 without human) in 2 groups by year; gold: human

Pairs in which a metric contradicts people: 2 of 11

people prefer  to  year  human    BLEU  TER
d              c   1       0.1  -1.0 ◆  5.0

Differences between the two, above 0 where the system that people prefer is the
better one. ◆: the metric prefers the other.
"""
    )
    _, out, _ = meta("correlate", *GIVEN, "--show", "pairs", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 11
    wrong = [(row["preferred"], row["other"], row["contradicted by"]) for row in rows if row["contradicted by"]]
    assert wrong == [("b", "a", "TER"), ("d", "c", "BLEU")]


def test_a_long_table_from_standard_input(meta: Command) -> None:
    lines = ["system,metric,value"]
    for row in csv.DictReader(io.StringIO(TABLE), delimiter="\t"):
        if row["year"] == "1":
            lines += [f"{row['system']},{name},{row[name]}" for name in ("human", "BLEU", "TER")]
    given = ("correlate", "-", "--gold", "human", "--long", "metric,value", "--lower", "TER", "-f", "csv")
    _, out, err = meta(*given, stdin="\n".join(lines).encode())
    assert err == ""
    assert out.splitlines()[1:] == [
        "all,BLEU,tau_b,0.7999999999999999,0.08333333333333333,5",
        "all,TER,tau_b,0.7999999999999999,0.08333333333333333,5",
    ]


def test_groups_that_are_called_as_our_columns(meta: Command) -> None:
    Path("clash.csv").write_text("n,human,BLEU\nx,1,2\nx,2,3\ny,1,2\ny,3,1\n")
    _, out, _ = meta("correlate", "clash.csv", "--gold", "human", "-g", "n", "-f", "json")
    assert [(row["group n"], row["n"], row["value"]) for row in json.loads(out)["correlations"]] == [
        ("x", 2, 1), ("y", 2, -1),
    ]  # fmt: skip


def test_output_file(meta: Command) -> None:
    assert meta("correlate", *GIVEN, "-f", "csv", "-o", "out.csv")[1] == ""
    assert Path("out.csv").read_text().startswith("year,metric,statistic,value,p,n\n1,BLEU,tau_b,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["correlate", "scores.tsv", "--gold", "humn"],
         "scores.tsv:1: no column 'humn'; did you mean 'human'? columns: year, system, human, BLEU, TER"),
        (["correlate", "scores.tsv", "--gold", "human", "-m", "BLEU,chrF"],
         "scores.tsv:1: no column 'chrF'; columns: year, system, human, BLEU, TER"),
        (["correlate", "scores.tsv", "--gold", "human", "-g", "langs"],
         "scores.tsv:1: no column 'langs'; columns: year, system, human, BLEU, TER"),
        (["correlate", *GIVEN, "--show", "plot"],
         "--show plot: unknown; choose from correlations, wins, summary, outliers, differences, matrix, accuracy, "
         "pairs, all"),
        (["correlate", *GIVEN, "--show", "wins,pairs", "-f", "csv"],
         "csv holds one table; choose one of --show wins, pairs"),
        (["correlate", *GIVEN, "-s", "kendall"],
         "statistic 'kendall' is unknown; known: pearson, spearman, tau_b, tau_c"),
        (["correlate", *GIVEN, "--long", "metric"], "--long metric: write two columns, such as metric,value"),
        (["correlate", "-", "-", "--gold", "human"],
         "standard input (-) can be read only once; name files for the others"),
        (["preference", *GIVEN, "--at", "-1"], "--at -1: must be a difference above 0, such as 0.5"),
        (["preference", *GIVEN, "--at", "much"], "--at much: must be a difference above 0, such as 0.5"),
        (["preference", "nowhere.csv", "--gold", "human"], "nowhere.csv: no such file"),
    ],
)  # fmt: skip
def test_refusals(meta: Command, arguments: list[str], message: str) -> None:
    assert meta(*arguments) == (2, "", f"tertium: {message}\n")


def test_notes(meta: Command) -> None:
    _, _, err = meta("correlate", "scores.tsv", "--gold", "human")
    assert err == (
        "tertium: note: 2 rows are called a; is a column missing in the group?\n"
        "tertium: note: TER is taken as higher is better; name it under lower if it is an error rate\n"
    )
    status, out, err = meta("correlate", "scores.tsv", "--gold", "human", "-f", "json")
    assert (status, err, len(json.loads(out)["warnings"])) == (0, "", 2)


def test_one_row_and_equal_values_are_undefined(meta: Command) -> None:
    Path("one.csv").write_text("human,BLEU,chrF\n1,2,3\n")
    Path("equal.csv").write_text("human,BLEU,chrF\n1,2,3\n1,4,3\n1,3,3\n1,5,3\n")
    for name in ("one.csv", "equal.csv"):
        status, out, _ = meta("correlate", name, "--gold", "human", "--show", "all", "-f", "json")
        found = json.loads(out)
        assert status == 0
        assert [(cell["value"], cell["p"]) for cell in found["correlations"]] == [(None, None)] * 2
        assert [row["accuracy"] for row in found["accuracy"]] == [None, None]
        assert [row["p"] for row in found["differences"]] == [None]
        status, out, _ = meta("preference", name, "--gold", "human", "-f", "json", "--trials", "10")
        assert status == 0
        assert json.loads(out)["curves"][1]["slope"] is None


# What a difference is worth


def test_preference(meta: Command) -> None:
    """Of one pair the metric knows a side, of another the other side: at equal distance nobody can tell."""
    Path("even.csv").write_text("set,human,BLEU\n1,1,10\n1,2,12\n2,1,12\n2,2,10\n")
    status, out, err = meta("preference", "even.csv", "--gold", "human", "-g", "set", "--at", "1,2", "-w", "2")
    assert status == 0
    assert "BLEU             2  0.50  0.00  1.00  0.50      2" in out
    assert err == "tertium: note: only 4 systems have both scores: curves and intervals of so few are not reliable\n"


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "json"])
def test_preference_in_every_format(meta: Command, form: str) -> None:
    status, out, err = meta("preference", *GIVEN, "-f", form, "--trials", "50")
    assert status == 0
    assert ("note" in err) == (form != "json")
    if form == "text":
        assert max(map(len, out.splitlines())) <= 80
    if form == "csv":
        assert out.splitlines()[0] == "metric,difference,P,low,high,seen,pairs,confidence,trials,seed"
    if form == "json":
        found = json.loads(out)
        assert [row["metric"] for row in found["curves"]] == ["BLEU", "TER"]
        assert [row["pairs"] for row in found["curves"]] == [11, 11]
        assert {row["P"] for row in found["differences"]} == {0.75, 0.9, 0.95}
        assert (found["confidence"], found["trials"], found["seed"]) == (0.95, 50, 12345)
        assert found["warnings"] == ["only 7 systems have both scores: curves and intervals of so few are not reliable"]


def test_help_names_the_commands(meta: Command) -> None:
    status, out, _ = meta("--help")
    assert status == 0
    assert "Correlate metrics with human scores in a table." in out
    assert "Show how likely people prefer the higher score." in out
