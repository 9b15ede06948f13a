"""`tertium sacrebleu` prints, byte for byte, what sacreBLEU 2.6.0 prints."""

import gzip
import io
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tertium.cli.sacrebleu.command import main

from .real_sacrebleu import VARIABLES, Real

EXAMPLES = Path(__file__).parents[2] / "examples"
REFERENCES, ATLAS, BROOK = "reference.a.en reference.b.en", "systems/atlas.en", "systems/brook.en"
ALL = "-m bleu chrf ter"


def judge() -> str | None:
    try:
        return version("sacrebleu")
    except PackageNotFoundError:
        return None


with_judge = pytest.mark.skipif(
    judge() != "2.6.0",
    reason=f'sacrebleu 2.6.0 is the judge; installed: {judge()}; pip install "tertium[dev]" brings it',
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, and the same texts in other clothes."""
    made = tmp_path_factory.mktemp("sacrebleu") / "examples"
    shutil.copytree(EXAMPLES, made)
    reference, other = ((made / f"reference.{x}.en").read_text().splitlines() for x in "ab")
    atlas, brook = ((made / f"systems/{x}.en").read_text().splitlines() for x in ("atlas", "brook"))
    (made / "reference.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(reference, other, strict=True)))
    (made / "both.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(atlas, brook, strict=True)))
    (made / "crlf").write_bytes("".join(f"{line} \r\n" for line in atlas).encode())
    (made / "cr").write_bytes("".join(f"{line}\r" for line in atlas).encode())
    (made / "white").write_bytes("".join(f"{line}\u3000\x0b \u2028\n" for line in atlas).encode())
    (made / "bom").write_bytes(b"\xef\xbb\xbf" + (made / ATLAS).read_bytes())
    (made / "blank").write_text("\n\n".join(atlas[:48]) + "\n\n")
    (made / "unended").write_text("\n".join(atlas))
    (made / "atlas.gz").write_bytes(gzip.compress((made / ATLAS).read_bytes()))
    (made / "reference.utf16").write_bytes((made / "reference.a.en").read_text().encode("utf-16"))
    (made / "atlas.utf16").write_bytes((made / ATLAS).read_text().encode("utf-16"))
    (made / "a_b&{c}%.en").write_text("\n".join(brook) + "\n")
    (made / "short").write_text("\n".join(atlas[:-1]) + "\n")
    (made / "brief").write_text("".join(" ".join(line.split()[: k % 5]) + "\n" for k, line in enumerate(atlas)))
    (made / "empty").write_text("")
    (made / "one").write_text("a b c d e\n")
    (made / "latin1").write_bytes("K\u00e4se\n".encode("latin-1") * 96)
    (made / "torn.gz").write_bytes(gzip.compress((made / ATLAS).read_bytes())[:200])
    (made / "spaced.tsv").write_text("".join(f"{a} \t{b}\n" for a, b in zip(atlas, brook, strict=True)))
    return made


@pytest.fixture(scope="module")
def theirs(folder: Path) -> Iterator[Real]:
    """The real program: its exit status and standard output."""
    real = Real(folder)
    yield real
    real.close()


def ours(
    folder: Path,
    flags: str,
    stdin: str | None,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str] | None = None,
) -> int:
    monkeypatch.chdir(folder)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in (settings or {}).items():
        monkeypatch.setenv(name, value)
    data = b"" if stdin is None else (folder / stdin).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    return main(shlex.split(flags))


CASES = [
    # one system
    (f"reference.a.en -i {ATLAS}", None, {}),
    (f"reference.a.en -i {ATLAS} -f text", None, {}),
    (f"reference.a.en -i {ATLAS} {ALL}", None, {}),
    (f"reference.a.en -i {ATLAS} {ALL} -f text -w 3", None, {}),
    (f"reference.a.en -i {ATLAS} {ALL} -f text -sh", None, {}),
    (f"reference.a.en -i {ATLAS} -f latex -sh -w 0", None, {}),
    (f"reference.a.en -i {ATLAS} -b -w 4", None, {}),
    (f"reference.a.en -i {ATLAS} {ALL} -b", None, {}),
    (f"reference.a.en -i {ATLAS} {ALL} -b -f text", None, {}),
    (f"reference.a.en -i {ATLAS}", None, {"SACREBLEU_FORMAT": "Text"}),
    # options of the metrics
    (f"reference.a.en -i {BROOK} -lc -tok intl -s floor -sv 0.05 -f text", None, {}),
    (f"reference.a.en -i {BROOK} -tok char -s add-k", None, {}),
    (f"reference.a.en -i {BROOK} -tok none -s exp -sv 3 --force", None, {}),
    (f"reference.a.en -i {BROOK} -l de-zh -s none", None, {}),
    (
        f"reference.a.en -i {BROOK} -m chrf -cw 2 -cc 4 --chrf-beta 3 --chrf-whitespace --chrf-lowercase",
        None,
        {},
    ),
    (f"reference.a.en -i {BROOK} -m chrf --chrf-eps-smoothing -w 6", None, {}),
    (
        f"reference.a.en -i {BROOK} -m ter --ter-normalized --ter-no-punct --ter-asian-support -sh -f text",
        None,
        {},
    ),
    (f"reference.a.en -i {BROOK} -m ter --ter-case-sensitive", None, {}),
    # intervals
    (f"reference.a.en -i {ATLAS} {ALL} -ci", None, {}),
    (f"reference.a.en -i {ATLAS} {ALL} -ci -cin 100 -f text -w 2", None, {"SACREBLEU_SEED": "7"}),
    (f"reference.a.en -i {ATLAS} {ALL} -ci -cin 50 -b -f text", None, {"NO_COLOR": "1"}),
    (f"reference.a.en -i {ATLAS} -ci -cin 1", None, {}),
    # segments
    (f"reference.a.en -i {ATLAS} -sl", None, {}),
    (f"{REFERENCES} -i {BROOK} -sl -f text -w 3 -sh", None, {}),
    (f"{REFERENCES} -i {BROOK} -sl -m chrf -cw 2", None, {}),
    (f"{REFERENCES} -i {BROOK} -sl -m ter -b", None, {}),
    ("reference.a.en -i brief -sl -w 4", None, {}),
    ("reference.a.en -i brief -sl -s add-k", None, {}),
    ("reference.a.en -i brief -sl -s floor", None, {}),
    # several systems and references
    (f"reference.a.en -i {ATLAS} {BROOK} {ALL}", None, {}),
    (f"{REFERENCES} -i {ATLAS} {BROOK} systems/delta.en {ALL} -f text", None, {"NO_COLOR": "1"}),
    (f"reference.a.en -i {ATLAS} 'a_b&{{c}}%.en' {ALL} -cw 2 -f latex -w 2 -sh", None, {"NO_COLOR": "1"}),
    (f"{REFERENCES} -i {ATLAS} {ALL}", None, {}),
    (f"reference.tsv -nr 2 -i {ATLAS} {ALL}", None, {}),
    # files and standard input
    (f"reference.a.en -i crlf {ALL} --chrf-whitespace -w 5", None, {}),
    (f"reference.a.en -i white {ALL} --chrf-whitespace -w 5", None, {}),
    (f"reference.a.en -i bom {ALL} -w 5", None, {}),
    ("reference.a.en -i unended -f text", None, {}),
    ("blank -i blank -sl", None, {}),
    ("reference.a.en -i atlas.gz", None, {}),
    ("reference.utf16 -i atlas.utf16 -e utf-16", None, {}),
    ("reference.a.en", ATLAS, {}),
    ("reference.a.en", "cr", {}),
    (f"reference.a.en {ALL} -f text", "both.tsv", {"NO_COLOR": "1"}),
    # refusals with a status of their own
    ("reference.a.en -i short", None, {}),
    ("reference.a.en -i empty", None, {}),
    ("reference.tsv -nr 3 -i short", None, {}),
    (f"{REFERENCES} -nr 2 -i {ATLAS}", None, {}),
    (f"reference.a.en -i {ATLAS} {BROOK} -ci", None, {}),
    (f"reference.a.en -i {ATLAS} {BROOK} -sl", None, {}),
    (f"reference.a.en -i {ATLAS} -sl {ALL}", None, {}),
    (f"reference.a.en -i {ATLAS} {ATLAS}", None, {}),
    (f"-i {ATLAS}", None, {}),
    (f"reference.a.en -i {ATLAS} -m blue", None, {}),
    ("nowhere -i nowhere", None, {}),
    ("reference.a.en -i nowhere", None, {}),
    ("reference.a.en -i systems", None, {}),
    ("reference.a.en -i latin1", None, {}),
    ("reference.a.en", "latin1", {}),
    ("reference.a.en -i torn.gz", None, {}),
    (f"reference.a.en -i {ATLAS} -e klingon", None, {}),
    (f"reference.a.en -i {ATLAS} -e ascii", None, {}),
    ("empty -i empty", None, {}),
    (f"reference.a.en -i {ATLAS} -w -1", None, {}),
    (f"reference.a.en -i {ATLAS} -ci", None, {"SACREBLEU_SEED": "soon"}),
    (f"reference.a.en -i {ATLAS} -ci", None, {"SACREBLEU_SEED": "-1"}),
    (f"reference.a.en -i {ATLAS} -ci", None, {"SACREBLEU_SEED": ""}),
    (f"reference.a.en -i {ATLAS} {BROOK} -par", None, {"SACREBLEU_SEED": "soon"}),
    (f"reference.a.en -i {ATLAS} -l zh", None, {}),
    (f"reference.a.en -i {ATLAS} -l en_zh -m chrf", None, {}),
    (f"reference.a.en -i {ATLAS} -m chrf -cc 0", None, {}),
    (f"reference.a.en -i {ATLAS} -m chrf -cc -1", None, {}),
    ("reference.tsv -nr 0 -i short", None, {}),
    ("reference.tsv -nr -1 -i short", None, {}),
    (f"{REFERENCES} -nr 0 -i {ATLAS}", None, {}),
    (f"reference.a.en -i {ATLAS} {BROOK} --paired-bs --paired-ar", None, {}),
    (f"reference.a.en -i {ATLAS} {BROOK} -par -parn 9 -j -1", None, {}),
    (f"reference.a.en -i {ATLAS} {BROOK} {BROOK} -par", None, {}),
    (f"reference.a.en -i {ATLAS} {ATLAS} -par", None, {}),
    # what sacreBLEU takes and a metric of ours does not
    (f"reference.a.en -i {ATLAS} -s floor -sv 2", None, {}),
    ("reference.a.en -i brief -s floor -sv 1.5 -sl", None, {}),
    (f"reference.a.en -i {ATLAS} -s add-k -sv -5 -ci -cin 30 -f text", None, {}),
    ("one -i one -s add-k -sv -2", None, {}),
    ("one -i one -s add-k -sv -3 -sl", None, {}),
    ("one -i one -s add-k -sv -3.5", None, {}),
    (f"reference.a.en -i {ATLAS} -s floor -sv -1", None, {}),
    (f"reference.a.en -i {ATLAS} -m chrf --chrf-beta -3 -w 6", None, {}),
    (f"{REFERENCES} -i {ATLAS} {BROOK} -m chrf --chrf-beta 5000 -w 6", None, {}),
    (f"{REFERENCES} -i {ATLAS} -m chrf -cw -2 -sl", None, {}),
    (f"reference.a.en -i {ATLAS} -m chrf -cc -1 -cw 3 -f text", None, {}),
    (f"reference.a.en -i {ATLAS} -ci -cin 30", None, {"SACREBLEU_SEED": "+1_0"}),
    ("reference.a.en -m chrf --chrf-whitespace -w 6", "spaced.tsv", {}),
    ("--version", None, {}),
    ("-V --bogus", None, {}),
]


@with_judge
@pytest.mark.parametrize(("flags", "stdin", "settings"), CASES)
def test_same_as_sacrebleu(
    theirs: Real,
    folder: Path,
    flags: str,
    stdin: str | None,
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = ours(folder, flags, stdin, monkeypatch, settings)
    assert (status, capsys.readouterr().out) == theirs(flags, stdin, settings)


def test_says_who_computed_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ours(folder, f"reference.a.en -i {ATLAS}", None, monkeypatch) == 0
    assert "computed by tertium" in capsys.readouterr().err
    assert ours(folder, f"reference.a.en -i {ATLAS} -q", None, monkeypatch) == 0
    assert capsys.readouterr().err == ""
    assert main(["--help"]) == 0
    assert "tertium computes it" in " ".join(capsys.readouterr().out.split())
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "sacrebleu 2.6.0\n"
    assert main(["--citation"]) == 0
    assert "Papineni" in capsys.readouterr().out


def test_random_seed(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ours(folder, f"reference.a.en -i {ATLAS} -ci", None, monkeypatch, {"SACREBLEU_SEED": "None"}) == 0
    assert '"seed": "none"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            "-t wmt19 -l en-de -i systems/atlas.en",
            "wmt19, en-de, is not on this computer; fetch it: tertium testsets get",
        ),
        ("-t wmt19 -l en-de --echo src", "wmt19, en-de, is not on this computer"),
        ("reference.a.en -i systems/atlas.en --subset news", "--subset is for test sets with a name; add -t NAME"),
        (f"reference.a.en -i {ATLAS} --paired-bs", "paired tests need two systems or more"),
        (f"reference.a.en -i {ATLAS} {BROOK} -par -ci", "-ci are for one system"),
        ("reference.a.en -i short", "short has 95 lines, reference.a.en has 96"),
        ("reference.a.en -i", "name at least one file"),
        (f"reference.a.en -i {ATLAS} -w -1", "-w -1: the number of decimals cannot be negative"),
        (f"reference.a.en -i {ATLAS} -e klingon", "unknown encoding: klingon"),
        ("reference.a.en -i atlas.utf16", "name its encoding, such as -e latin-1"),
        (
            "reference.a.en -i latin1",
            "latin1:1: byte 0xe4 at offset 1 is not UTF-8; name its encoding, such as -e latin-1\n",
        ),
        ("reference.a.en -i nowhere", "nowhere: no such file"),
        ("reference.a.en -i systems", "systems is a folder"),
        (f"reference.a.en -i {ATLAS} -l zh", "-l zh: write source and target, such as -l en-zh\n"),
        (f"reference.a.en -i {ATLAS} -l en_zh -m chrf", "-l en_zh: write source and target, such as -l en-zh\n"),
        ("reference.a.en -i brief -sl -s floor -sv -1", "-sv -1.0: a precision would be negative"),
        (f"reference.a.en -i {ATLAS} -m chrf -cc 0", "together there must be 1 to 100 n-gram orders"),
        (f"reference.a.en -i {ATLAS} -s add-k -sv nan", "smooth_value=nan must be float"),
        (f"reference.a.en -i {ATLAS} {BROOK} -par -j -1", "-j -1: the number of workers cannot be negative"),
        (f"reference.a.en -i {ATLAS} -ci -cin 1000000000000", "1000000000000 trials: at most 10000000 are drawn"),
        (f"reference.a.en -i {ATLAS} {BROOK} -pbs -pbsn 1000000000000", "1000000000000 trials: at most"),
    ],
)
def test_refuses_with_status_1(
    folder: Path,
    flags: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ours(folder, flags, None, monkeypatch) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("tertium: ")
    assert sentence in printed.err


@with_judge
@pytest.mark.parametrize(
    ("tokenizer", "file"),
    [
        ("spm", "sacrebleu_tokenizer_spm.model"),
        ("flores101", "sacrebleu_tokenizer_spm.model"),
        ("flores200", "flores200sacrebleuspm"),
        ("spBLEU-1K", "spbleu-1k_tokenizer_spm.model"),
    ],
)
def test_sentencepiece_models_that_sacrebleu_has(
    folder: Path,
    spm_model: Path,
    tmp_path: Path,
    tokenizer: str,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With a model in sacreBLEU's folder, both read the same file and print the same."""
    (tmp_path / "models").mkdir()
    shutil.copy(spm_model, tmp_path / "models" / file)
    settings = {"SACREBLEU": str(tmp_path)}
    real = Real(folder, settings)
    for rest in ("-f text -w 6", "-lc", "-sl -w 6"):
        flags = f"reference.a.en -i {ATLAS} -tok {tokenizer} {rest}"
        status = ours(folder, flags, None, monkeypatch, settings)
        assert (status, capsys.readouterr().out) == real(flags)
        assert status == 0
    real.close()


def test_sentencepiece_models_that_are_not_there(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"SACREBLEU": str(tmp_path)}
    assert ours(folder, f"reference.a.en -i {ATLAS} -tok flores200", None, monkeypatch, settings) == 1
    assert capsys.readouterr().err == (
        f"tertium: -tok flores200: no SentencePiece model at {tmp_path}/models/flores200sacrebleuspm, and tertium "
        "downloads nothing; let sacreBLEU put it there, or name your copy: "
        """tertium score -m 'bleu(tokenize="spm:PATH")'\n"""
    )
    assert ours(folder, f"reference.a.en -i {ATLAS} -tok flores200 -m chrf -b -q", None, monkeypatch, settings) == 0
    assert capsys.readouterr().out == "69.8\n"  # not BLEU: no model is needed


def test_import_is_light() -> None:
    code = "import sys, tertium.cli.sacrebleu.command; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Paired tests. The explanation between the table and the signatures is in our own words.

CINDER = "systems/cinder.en"


@with_judge
@pytest.mark.parametrize(
    ("flags", "stdin", "settings"),
    [
        (f"{REFERENCES} -i {ATLAS} {BROOK} {CINDER} {ALL} --paired-bs -f text", None, {}),
        (f"{REFERENCES} -i {ATLAS} {BROOK} {CINDER} {ALL} --paired-ar -f text -parn 2000", None, {}),
        (f"reference.a.en -i {BROOK} {CINDER} -m bleu -pbs -pbsn 300 -f latex -w 3 -sh", None, {}),
        (f"reference.a.en -i {BROOK} {CINDER} -m chrf -par -parn 777 -f latex", None, {"SACREBLEU_SEED": "7"}),
        (f"reference.a.en -i {ATLAS} {ATLAS}.same -m bleu -par -parn 100 -f text", None, {}),  # p = 1/101
        ("reference.a.en -m bleu -pbs -pbsn 150 -f text", "both.tsv", {}),
        (f"reference.a.en -i {ATLAS} {BROOK} {ATLAS} -m bleu -par -parn 50 -f latex", None, {"SACREBLEU_SEED": "1_0"}),
    ],
)
def test_paired_tests(
    theirs: Real,
    folder: Path,
    flags: str,
    stdin: str | None,
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(folder / ATLAS, folder / f"{ATLAS}.same")
    status, expected = theirs(flags, stdin, settings)
    assert status == 0
    assert ours(folder, flags, stdin, monkeypatch, settings) == 0
    got = capsys.readouterr().out
    assert _without_note(got) == _without_note(expected)
    assert "(p = " in got
    promised = "about twice as often as p says" in got and "--paired-ar" in got
    assert promised == ("-pbs" in flags or "--paired-bs" in flags)


def _without_note(text: str) -> list[str]:
    """The table, the heading of the test, and the signatures."""
    lines = text.split("\n")
    rules = [k for k, line in enumerate(lines) if line and set(line) == {"-"}]
    return lines[: rules[1] + 1] + lines[rules[2] :]


@with_judge
def test_paired_tests_as_json(
    theirs: Real, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the bootstrap sacreBLEU 2.6.0 cannot write JSON; of the permutations it can, and p-values are equal."""
    flags = f"reference.a.en -i {BROOK} {CINDER} -m bleu chrf ter -par -parn 1000"
    expected = json.loads(theirs(flags)[1])
    assert ours(folder, flags, None, monkeypatch) == 0
    got = json.loads(capsys.readouterr().out)
    for mine, other in zip(got, expected, strict=True):
        assert mine.keys() == other.keys()
        assert mine["system"] == other["system"]
        for name in ("BLEU", "chrF2", "TER"):
            assert mine[name].pop("score") == pytest.approx(other[name].pop("score"), abs=1e-9)
            assert mine[name] == other[name]
    assert ours(folder, f"reference.a.en -i {BROOK} {CINDER} -pbs", None, monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)[1]["BLEU"].keys() == {"score", "p_value", "mean", "ci"}
