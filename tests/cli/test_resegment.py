"""`tertium resegment`, and `--resegment` of the commands that read outputs."""

from pathlib import Path

import pytest

from .running import Command

REFERENCES = "the cat sat on the mat .\nit rained all night .\nnobody came .\n"
SAID = "a cat sat on the mat . it rain\nthe whole night . came nobody .\n"
CUT = "a cat sat on the mat .\nit rain the whole night .\ncame nobody .\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("ref.en", REFERENCES), ("talk.en", SAID), ("cut.en", CUT), ("doc.txt", "one\none\ntwo\n")):
        Path(name).write_text(text)
    Path("testset.toml").write_text('references = "ref.en"\nsystems = ["talk.en", "cut.en"]\ndocuments = "doc.txt"\n')


def test_the_file_is_written(tertium: Command) -> None:
    found = tertium("resegment", "--ref", "ref.en", "--hyp", "talk.en", "-o", "out.en")
    assert found.status == 0
    assert Path("out.en").read_text() == CUT
    assert "talk: 2 lines cut into 3 segments by the fewest edits: its segments are not its own" in found.err
    assert tertium("resegment", "--ref", "ref.en", "--hyp", "talk.en").out == CUT


def test_scores_are_those_of_the_file(tertium: Command) -> None:
    asked = "--ref", "ref.en", "-m", "wer,bleu,chrf", "-f", "json"
    cut = tertium("score", *asked, "--hyp", "system=cut.en").json
    found = tertium("score", *asked, "--hyp", "system=talk.en", "--resegment").json
    assert [item["value"] for item in found["scores"]] == [item["value"] for item in cut["scores"]]
    signatures = [item["signature"] for item in found["scores"]]
    assert all("|resegmented:none|" in text for text in signatures)


def test_a_testset_names_such_systems(tertium: Command) -> None:
    """Two lines for two documents: what stands in a line stays in its document."""
    found = tertium("score", "testset.toml", "--resegment", "--resegment-by", "none+lower", "-m", "wer", "-f", "json")
    notes = found.json["warnings"]
    cut, own = "cut into 3 segments by the fewest edits", "its segments are not its own"
    assert f"talk: 2 lines {cut}, each of 2 documents by itself: {own}" in notes
    assert f"cut: 3 lines {cut}: {own}" in notes


def test_documents_of_the_lines(tertium: Command) -> None:
    Path("hyp.doc").write_text("one\ntwo\n")
    found = tertium("resegment", "--ref", "ref.en", "--doc", "doc.txt", "--hyp", "talk.en", "--hyp-doc", "hyp.doc")
    assert found.out.splitlines()[2] == "the whole night . came nobody ."


@pytest.mark.parametrize(
    "command", [("compare",), ("report", "-o", "page.html"), ("buckets", "--by", "reference-length")]
)
def test_other_commands_cut_as_well(tertium: Command, command: tuple[str, ...]) -> None:
    name, *more = command
    found = tertium(name, "--ref", "ref.en", "--hyp", "talk.en", "--hyp", "cut.en", "--resegment", "-m", "wer", *more)
    assert (found.status, "Traceback" in found.err) == (0, False), found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resegment-by", "char"), "--resegment-by is for outputs that are cut into segments; add --resegment"),
        (("--hyp-doc", "doc.txt"), "--hyp-doc is for outputs that are cut into segments; add --resegment"),
        (("--resegment", "--stream"), "--resegment reads a whole output at once, and shards are read in blocks"),
        (("--resegment", "--hyp-doc", "doc.txt"), "those of test set ref.en have none; name them"),
    ],
)
def test_what_does_not_go_together(tertium: Command, arguments: tuple[str, ...], said: str) -> None:
    found = tertium("score", "--ref", "ref.en", "--hyp", "talk.en", *arguments)
    assert found.status == 2
    assert said in found.err


def test_one_file_at_a_time(tertium: Command) -> None:
    found = tertium("resegment", "--ref", "ref.en", "--hyp", "talk.en", "--hyp", "cut.en")
    assert (found.status, found.err) == (
        2,
        "tertium: 2 outputs at once; cut them one by one, each into a file of its own\n",
    )
