"""`tertium align`: pictures in 80 and 60 columns, confusions, JSON, CSV, a page."""

import csv
import io
from pathlib import Path

import pytest

from .running import Command

REFERENCES = "my name is Ines and I look after the boats\nin winter there are only six\nhello\n"
OUTPUTS = "my name is Enos and I look after all the boats\nin winter there are six\nhello\n"
GIVEN = ("align", "--ref", "ref.en", "--hyp", "asr.en")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.en").write_text(REFERENCES)
    Path("asr.en").write_text(OUTPUTS)


def test_pictures_and_confusions(tertium: Command) -> None:
    """By hand: one substitution and one insertion of ten words, one deletion of six."""
    found = tertium(*GIVEN)
    assert found.status == 0
    assert found.out.split("\n\n")[:3] == [
        "ref.en: 3 segments, 1 reference per segment",
        "segment 1: 2 errors (1 S, 0 D, 1 I), 9 hits\n"
        "REF: my name is Ines and I look after *** the boats\n"
        "HYP: my name is Enos and I look after all the boats\n"
        "                S                     I",
        "segment 2: 1 error (0 S, 1 D, 0 I), 5 hits\n"
        "REF: in winter there are only six\n"
        "HYP: in winter there are **** six\n"
        "                         D",
    ]
    [counts] = [line.split() for line in found.out.splitlines() if line.startswith("asr ")]
    assert counts == ["asr", "17.65", "15", "1", "1", "1", "17", "2", "3"]
    assert "Substitutions\n\nreference  output  count\nInes       Enos        1" in found.out
    assert "Deletions\n\nreference  count\nonly           1" in found.out
    assert "Insertions\n\noutput  count\nall         1" in found.out
    assert found.out.splitlines()[-1].startswith("wer|refs:1|n:3|data:")


@pytest.mark.parametrize("columns", [80, 60, 30])
def test_nothing_is_wider_than_the_terminal(tertium: Command, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = tertium(*GIVEN, "--all").out
    pictures = [line for line in text.splitlines() if line.startswith(("REF:", "HYP:", "     "))]
    assert len(pictures) >= 8
    assert max(map(len, pictures)) <= columns
    words = [word for line in pictures if line.startswith("HYP:") for word in line[5:].split() if "*" not in word]
    assert words == OUTPUTS.split()


def test_what_is_shown(tertium: Command) -> None:
    assert "segment 3" not in tertium(*GIVEN).out
    assert "segment 3: 0 errors (0 S, 0 D, 0 I), 1 hit\nREF: hello\nHYP: hello\n" in tertium(*GIVEN, "--all").out
    first = tertium(*GIVEN, "--order", "errors", "--show", "1").out
    assert ("segment 1" in first, "segment 2" in first) == (True, False)
    assert "Deletions" not in tertium(*GIVEN, "--confusions", "0").out


def test_programs_read_it(tertium: Command) -> None:
    found = tertium(*GIVEN, "-f", "json", "--confusions", "1").json
    assert found["metric"] == "wer"
    assert found["systems"]["asr"]["parts"]["substitutions"] == 1
    assert found["systems"]["asr"]["confusions"] == {
        "substitution": [{"reference": "Ines", "output": "Enos", "count": 1}],
        "deletion": [{"reference": "only", "output": "", "count": 1}],
        "insertion": [{"reference": "", "output": "all", "count": 1}],
    }
    assert [one["segment"] for one in found["alignments"]] == [1, 2]
    assert found["alignments"][1]["pairs"][4] == ["D", "only", ""]
    rows = list(csv.reader(io.StringIO(tertium(*GIVEN, "-f", "csv").out)))
    assert rows[0] == ["system", "kind", "reference", "output", "count"]
    assert ["asr", "insertion", "", "all", "1"] in rows


def test_characters_and_steps(tertium: Command) -> None:
    Path("ref.en").write_text("Good day!\n")
    Path("asr.en").write_text("good dog\n")
    found = tertium(*GIVEN, "-m", 'cer(normalise=("lower", "punct"))')
    assert "REF: good day\nHYP: good dog\n           SS" in found.out
    assert found.status == 0


def test_a_page(tertium: Command) -> None:
    found = tertium(*GIVEN, "--page", "page.html")
    html = Path("page.html").read_text()
    assert "asr: WER 17.65; 1 substitution, 1 deletion, 1 insertion; errors in 2 of 3 segments." in html
    assert '<span class="pair wrong" title="deletion"><bdi>only</bdi><bdi>∗</bdi><b>D</b></span>' in html
    assert "page.html: 0.1 MB; open it in a browser" in found.err


MORE = ("--hyp", "nearer=near.en")


def test_a_page_of_more_systems_says_whose_errors_are_fewest(tertium: Command) -> None:
    """First whose score is best and worst; what belongs to one system is a line that opens."""
    Path("near.en").write_text("my name is Ines and I look after the boats\nin winter there are six\nhello\n")
    tertium(*GIVEN, *MORE, "--page", "page.html")
    html = Path("page.html").read_text()
    assert "By WER, nearer is best (5.88), asr worst (17.65)." in html  # 1 and 3 errors in 17 words
    assert "Whether differences are more than luck is not tested here." in html
    assert html.count('<details class="part">') >= 2  # confusions
    assert html.count('<details class="whole">') == 3  # segments of each system, and methods


def test_level_systems_are_called_level(tertium: Command) -> None:
    Path("near.en").write_text(OUTPUTS)
    tertium(*GIVEN, *MORE, "--page", "page.html")
    html = Path("page.html").read_text()
    assert "By WER, all 2 systems have 17.65." in html
    assert " worst " not in html


def test_where_more_is_better_the_highest_is_best(tertium: Command) -> None:
    Path("near.en").write_text(REFERENCES)
    tertium(*GIVEN, *MORE, "-m", "wip", "--page", "page.html")
    assert "nearer is best (100.00), asr worst (" in Path("page.html").read_text()


def test_what_is_confused_most(tertium: Command) -> None:
    """What comes once is not called frequent, and one of two that come equally often not the most frequent."""
    Path("ref.en").write_text("a b\na c\nd e\n")
    Path("asr.en").write_text("x b\nx c\nd e\n")
    Path("near.en").write_text("b\nc\nd e f\n")
    Path("third.en").write_text("a b y\na c y z\nd e z\n")
    tertium(*GIVEN, *MORE, "--hyp", "third=third.en", "--hyp", "fourth=ref.en", "--page", "page.html")
    html = Path("page.html").read_text()
    assert "Most frequent: “x” for “a” (2 times)." in html
    assert "Most frequent: “a” left out (2 times)." in html
    assert "Among the most frequent: “y” put in (2 times)." in html
    assert "No confusion." in html


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-m", "bleu"), "bleu counts no errors of an alignment; choose from wer, cer, mer, wil, wip"),
        (("-m", "wer,cer"), "-m wer,cer: one metric at a time"),
        (("-f", "xlsx"), "-f xlsx writes a file; name it: -o NAME.xlsx"),
        (("--page", ""), "--page : name a file, such as page.html"),
    ],
)
def test_what_is_refused(tertium: Command, arguments: tuple[str, ...], said: str) -> None:
    found = tertium(*GIVEN, *arguments)
    assert (found.status, found.err) == (2, f"tertium: {said}\n")
