"""`tertium disagree`: lists as text, TSV and JSON, and how two systems are named."""

import json
from functools import partial
from pathlib import Path

import pytest

from tertium.io import files

from .running import Command

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "testset.toml")
NOTE = "tertium: note: only 3 segments: scores of so small a test set are not reliable\n"


@pytest.fixture
def disagree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("ref.en").write_text("the bridge is open\nthe bridge is closed\nno ferry\n")
    Path("plain.en").write_text("the bridge is open\nthe bridge is open\nno boat\n")
    Path("rare.en").write_text("a bridge\x1b opened\nthe bridge is closed\nno ferry\n")
    Path("src.de").write_text("eins\nzwei\ndrei\n")
    return partial(tertium, "disagree")


def test_text(disagree: Command) -> None:
    """WER of plain: 2 edits in 10 words, without the first segment 2 in 6; of rare: 4 in 10, all in the first."""
    files = ("-r", "ref.en", "-s", "src.de", "plain.en", "rare.en")
    status, out, err = disagree(*files, "-m", "wer,macrof1", "--by", "size", "--top", "1", "-w", "2")
    head, item, signatures = out.rstrip("\n").split("\n\n")
    assert head == (
        "ref.en: 3 segments, 1 reference per segment\n"
        "plain against rare: 3 segments by how much wer favours one of the systems"
    )
    lines = item.splitlines()
    assert lines[0] == "1. segment 1"
    assert lines[1].startswith("   wer        +53.33  z ")  # 100 (2/6 - 2/10) + 100 (4/10 - 0/6)
    assert lines[1].endswith("rank 1  for plain")
    assert lines[3:] == [
        "   source     eins",
        "   reference  the bridge is open",
        "   plain      the bridge is open",
        r"   rare       a bridge\x1b opened",
    ]
    assert [line.partition("|")[0] for line in signatures.splitlines()] == ["wer", "macrof"]
    assert (status, err) == (0, NOTE)


def test_tsv(disagree: Command) -> None:
    Path("ref2.en").write_text("x\ty\nb\nc\n")
    files = ("-r", "ref.en", "-r", "ref2.en", "a=plain.en", "rare.en")
    _, out, _ = disagree(*files, "-m", "wer,per", "--by", "rank", "-f", "tsv")
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == [
        "segment", "document", "size", "favouritism:wer", "z:wer", "rank:wer", "favouritism:per", "z:per", "rank:per",
        "source", "reference", "output:a", "output:rare",
    ]  # fmt: skip
    assert len(lines) == 4
    assert {line[10] for line in lines[1:]} >= {r"the bridge is open ||| x\ty"}
    assert all(len(line) == 13 for line in lines)


def test_json(disagree: Command) -> None:
    _, out, _ = disagree(EXAMPLE, "atlas", "delta", "--metrics", "bleu,macrof1", "-f", "json", "--top", "3")
    found = json.loads(out)
    assert found["systems"] == ["atlas", "delta"]
    assert (found["by"], len(found["segments"])) == ("opposite", 3)
    assert found["found"] > 3
    for item in found["segments"]:
        assert item["favouritism"]["bleu"] * item["favouritism"]["macrof"] < 0
        assert item["size"] == min(abs(value) for value in item["standardised"].values())
    sizes = [item["size"] for item in found["segments"]]
    assert sizes == sorted(sizes, reverse=True)


def test_errors_that_a_program_can_see(disagree: Command) -> None:
    arguments = (EXAMPLE, "atlas", "cinder", "--top", "3", "--diagnose")
    _, out, _ = disagree(*arguments)
    head, *items, _ = out.rstrip("\n").split("\n\n")
    seen = [item for item in items if "cinder untranslated: " in item]
    assert head.splitlines()[2] == f"{len(seen)} of 3 segments shown: untranslated (atlas 0, cinder {len(seen)})"
    found = json.loads(disagree(*arguments, "-f", "json")[1])
    shown = {item["index"] + 1 for item in found["segments"]}
    words = [finding for finding in found["findings"] if finding["kind"] == "untranslated"]
    assert len({finding["segment"] for finding in words}) == len(seen) > 0
    assert {finding["segment"] for finding in found["findings"]} <= shown
    header, *rows = [line.split("\t") for line in disagree(*arguments, "-f", "tsv")[1].splitlines()]
    assert header[-1] == "found"
    assert sum("cinder untranslated: " in row[-1] for row in rows) == len(seen)
    files = ("-r", "ref.en", "-s", "src.de", "plain.en", "plain2.en")
    Path("plain2.en").write_bytes(Path("plain.en").read_bytes())
    _, out, _ = disagree(*files, "--by", "size", "--top", "1", "--diagnose")
    assert "No detector finds an error in 1 segment shown" in out


def test_names_and_files_mix(disagree: Command) -> None:
    """Two systems of a test set, one of them and a file, or the only two."""
    folder = Path(EXAMPLE).parent
    _, named, _ = disagree(EXAMPLE, "atlas", "delta", "-f", "tsv")
    _, mixed, _ = disagree(EXAMPLE, "atlas", f"new={folder}/systems/delta.en", "-f", "tsv")
    assert mixed == named.replace("output:delta", "output:new")
    _, swapped, _ = disagree(EXAMPLE, f"new={folder}/systems/delta.en", "atlas", "-f", "tsv")
    assert swapped.splitlines()[0].endswith("output:new\toutput:atlas")
    two = disagree("-r", "ref.en", "plain.en", "rare.en", "-f", "tsv")
    assert disagree("-r", "ref.en", "-t", "plain.en", "-t", "rare.en", "-f", "tsv") == two
    status, out, _ = disagree("-r", "ref.en", "plain.en", "rare.en", "-f", "tsv", "-o", "list.tsv")
    assert (status, out, Path("list.tsv").read_text()) == (0, "", two[1])


def test_mapped_files(disagree: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is named: references, and the files of the two systems."""
    mapped = []
    true_map = files._map
    monkeypatch.setattr(files, "_map", lambda file: mapped.append(file.name) or true_map(file))
    read = disagree("-r", "ref.en", "-t", "plain.en", "plain", "rare.en")
    assert mapped == []
    assert disagree("-r", "ref.en", "-t", "plain.en", "plain", "rare.en", "--mmap") == read
    assert set(mapped) == {"ref.en", "plain.en", "rare.en"}


def test_text_is_short(disagree: Command) -> None:
    _, out, _ = disagree(EXAMPLE, "atlas", "delta", "--by", "rank")
    assert "atlas against delta: 96 segments by how far apart bleu and macrof rank them" in out
    assert sum(line[:1].isdigit() for line in out.splitlines()) == 10
    assert "10. segment" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "nothing to compare with: pass a testset.toml, or --ref FILE (see tertium disagree --help)"),
        ([EXAMPLE], "4 systems: name two of them among atlas, brook, cinder, delta, or two files with outputs"),
        ([EXAMPLE, "atlas"], "1 system: name two of them among atlas, brook, cinder, delta, or two files with outputs"),
        ([EXAMPLE, "atlas", "atlas"], "system atlas is compared with itself; name two systems"),
        ([EXAMPLE, "atlas", "nix"], "nix is neither a file nor a system; systems: atlas, brook, cinder, delta"),
        ([EXAMPLE, "atlas", "delta", "--doc", "x"], f"{EXAMPLE} already names its documents; --doc goes without it"),
        (["-r", "ref.en"], "0 systems: name two of them, or two files with outputs"),
        (["-r", "ref.en", "plain.en", "nix"], "nix: no such file"),
        (["-r", "-", "-", "plain.en"], "standard input (-) can be read only once; name files for the others"),
        (["-r", "ref.en", "-t", "a=-", "b=-"], "standard input (-) can be read only once; name files for the others"),
        ([EXAMPLE, "atlas", "delta", "-m", "bleu"], "by='opposite' compares two metrics, not 1 (bleu); "),
    ],
)
def test_mistakes(disagree: Command, arguments: list[str], sentence: str) -> None:
    status, out, err = disagree(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"tertium: {sentence}")
