"""`tertium sacrebleu` prints, byte for byte, what sacreBLEU 2.6.0 prints."""

import gzip
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tertium.cli.sacrebleu import main
from tertium.core.errors import InputError, OptionError

EXAMPLES = Path(__file__).parents[2] / "examples"
REFERENCES, ATLAS, BROOK = "reference.a.en reference.b.en", "systems/atlas.en", "systems/brook.en"
ALL = "-m bleu chrf ter"
VARIABLES = ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR")


def judge() -> str | None:
    try:
        return version("sacrebleu")
    except PackageNotFoundError:
        return None


with_judge = pytest.mark.skipif(judge() != "2.6.0", reason=f"sacrebleu 2.6.0 is the judge; installed: {judge()}")


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
    return made


@cache
def theirs(folder: Path, flags: str, stdin: str | None, settings: tuple[tuple[str, str], ...]) -> tuple[int, str]:
    """The exit status and standard output of the real command."""
    environment = {key: value for key, value in os.environ.items() if key not in VARIABLES} | dict(settings)
    done = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *shlex.split(flags)],
        cwd=folder,
        env=environment,
        input=b"" if stdin is None else (folder / stdin).read_bytes(),
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode()


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
]


@with_judge
@pytest.mark.parametrize(("flags", "stdin", "settings"), CASES)
def test_same_as_sacrebleu(
    folder: Path,
    flags: str,
    stdin: str | None,
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = ours(folder, flags, stdin, monkeypatch, settings)
    assert (status, capsys.readouterr().out) == theirs(folder, flags, stdin, tuple(settings.items()))


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
    assert capsys.readouterr().out.startswith("sacrebleu 2.6.0 (by tertium ")
    assert main(["--citation"]) == 0
    assert "Papineni" in capsys.readouterr().out


def test_random_seed(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ours(folder, f"reference.a.en -i {ATLAS} -ci", None, monkeypatch, {"SACREBLEU_SEED": "None"}) == 0
    assert '"seed": "none"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ("-t wmt19 -l en-de -i systems/atlas.en", "--test-set: named test sets do not come with tertium yet"),
        ("--list", "pass files: tertium sacrebleu REF -i OUTPUT"),
        ("-t wmt19 -l en-de --echo src", "named test sets"),
        ("reference.a.en -i systems/atlas.en --subset news", "--subset: named test sets"),
        (f"reference.a.en -i {ATLAS} --paired-bs", "paired tests need two systems or more"),
        (f"reference.a.en -i {ATLAS} {BROOK} --paired-bs -par", "choose one"),
        (f"reference.a.en -i {ATLAS} {BROOK} -par -ci", "-ci are for one system"),
        ("reference.a.en -i short", "short has 95 lines, reference.a.en has 96"),
        ("reference.a.en -i", "name at least one file"),
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


@pytest.mark.parametrize(
    ("flags", "error", "sentence"),
    [
        (f"reference.a.en -i {ATLAS} -w -1", OptionError, "cannot be negative"),
        (f"reference.a.en -i {ATLAS} -e klingon", InputError, "klingon"),
        ("reference.a.en -i atlas.utf16", InputError, "name its encoding"),
        ("reference.a.en -i nowhere", InputError, "no such file"),
    ],
)
def test_other_errors_rise(
    folder: Path, flags: str, error: type[Exception], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(error, match=sentence):
        ours(folder, flags, None, monkeypatch)


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
    for rest in ("-f text -w 6", "-lc", "-sl -w 6"):
        flags = f"reference.a.en -i {ATLAS} -tok {tokenizer} {rest}"
        status = ours(folder, flags, None, monkeypatch, settings)
        assert (status, capsys.readouterr().out) == theirs(folder, flags, None, tuple(settings.items()))
        assert status == 0


def test_sentencepiece_models_that_are_not_there(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"SACREBLEU": str(tmp_path)}
    with pytest.raises(OptionError) as caught:
        ours(folder, f"reference.a.en -i {ATLAS} -tok flores200", None, monkeypatch, settings)
    assert str(caught.value) == (
        f"-tok flores200: no SentencePiece model at {tmp_path}/models/flores200sacrebleuspm, and tertium downloads "
        """nothing; let sacreBLEU put it there, or name your copy: tertium score -m 'bleu(tokenize="spm:PATH")'"""
    )
    assert ours(folder, f"reference.a.en -i {ATLAS} -tok flores200 -m chrf -b -q", None, monkeypatch, settings) == 0
    assert capsys.readouterr().out == "69.8\n"  # not BLEU: no model is needed


def test_wrong_seed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="SACREBLEU_SEED=soon"):
        ours(folder, f"reference.a.en -i {ATLAS} -ci", None, monkeypatch, {"SACREBLEU_SEED": "soon"})


def test_import_is_light() -> None:
    code = "import sys, tertium.cli.sacrebleu; sys.exit('numpy' in sys.modules)"
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
    ],
)
def test_paired_tests(
    folder: Path,
    flags: str,
    stdin: str | None,
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(folder / ATLAS, folder / f"{ATLAS}.same")
    status, expected = theirs(folder, flags, stdin, tuple(settings.items()))
    assert status == 0
    assert ours(folder, flags, stdin, monkeypatch, settings) == 0
    got = capsys.readouterr().out
    assert _without_note(got) == _without_note(expected)
    assert "(p = " in got


def _without_note(text: str) -> list[str]:
    """The table, the heading of the test, and the signatures."""
    lines = text.split("\n")
    rules = [k for k, line in enumerate(lines) if line and set(line) == {"-"}]
    return lines[: rules[1] + 1] + lines[rules[2] :]


@with_judge
def test_paired_tests_as_json(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the bootstrap sacreBLEU 2.6.0 cannot write JSON; of the permutations it can, and p-values are equal."""
    flags = f"reference.a.en -i {BROOK} {CINDER} -m bleu chrf ter -par -parn 1000"
    expected = json.loads(theirs(folder, flags, None, ())[1])
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
