"""`-T NAME`, `tertium testsets`, `tertium sacrebleu -t NAME`: beside sacreBLEU itself, on files put into its folder."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from sacrebleu.dataset import DATASETS

from .real_sacrebleu import Real
from .running import Command

ROOT = Path(__file__).parents[2]

SOURCES = ["Der Zug hält.", "Die  Tür &amp; das Fenster klemmen.", "", "  Wo ist \u00a0Anna? ", "Zwei Äpfel", "Ende."]
REFS = [
    "The train stops.",
    "The door &amp; the window\tare stuck.",
    "Nothing.",
    "Where is Anna?",
    "Two apples",
    "End. ",
]
OTHERS = ["The train halts.", "Door and window stick.", "Nil.", "Where's Anna?", "Two apples, then", "The end."]
OUTPUTS = ["The train stops .", "The door and the window are stuck.", "None.", "Where Anna is?", "Two apples", "End."]
DOCS = [("bbc.381790", "en"), ("rt.com.91337", "de"), ("home", "en")]  # two of them are annotated in wmt19


def sgml(tag: str, lines: list[str]) -> str:
    parts = [f'<{tag} setid="t" srclang="any">\n']
    for number, (name, origin) in enumerate(DOCS):
        parts.append(f'<doc sysid="x" docid="{name}" genre="news" origlang="{origin}">\n<p>\n')
        own = lines[2 * number : 2 * number + 2]
        parts += [f'<seg id="{k}">{text}</seg>\n' for k, text in enumerate(own, 1)]
        parts.append("</p>\n</doc>\n")
    return "".join([*parts, f"</{tag}>\n"])


def xml(translators: dict[str, list[str]], system: str = "SYS") -> str:
    def side(tag: str, about: str, lines: list[str]) -> str:
        escaped = [line.replace("&amp;", "and") or "Nichts." for line in lines]  # sacreBLEU fails at an empty source
        return (
            f"<{tag} {about}><p>"
            + "".join(f'<seg id="{k}">{t}</seg>' for k, t in enumerate(escaped, 1))
            + f"</p></{tag}>\n"
        )

    parts = ['<?xml version="1.0" encoding="utf-8"?>\n<dataset id="t">\n']
    for number, (name, origin) in enumerate(DOCS):
        own = slice(2 * number, 2 * number + 2)
        parts.append(f'<doc id="{name}" origlang="{origin}" domain="{"social" if number else "news"}">\n')
        parts.append(side("src", 'lang="de"', SOURCES[own]))
        parts += [side("ref", f'lang="en" translator="{who}"', lines[own]) for who, lines in translators.items()]
        parts.append(side("hyp", f'lang="en" system="{system}"', OUTPUTS[own]) + "</doc>\n")
    suite = side("src", 'lang="de"', SOURCES[:1])
    parts.append(f'<doc id="suite" origlang="de" testsuite="x">{suite}</doc>')
    return "".join([*parts, "</dataset>\n"])


def put(folder: Path, name: str, pair: str, *texts: str) -> None:
    """Unpacked files of a test set where sacreBLEU has them, beside downloads that it does not open again."""
    known = DATASETS[name]
    raw = folder / name / "raw"
    for address in known.data:
        (raw / known._get_tarball_filename(address)).parent.mkdir(parents=True, exist_ok=True)
        (raw / known._get_tarball_filename(address)).write_text("x")
    about = known.langpairs[pair]
    paths = [about["path"]] if isinstance(about, dict) else list(about)
    for path, text in zip([p.rpartition(":")[2] for p in paths], texts, strict=True):
        (raw / path).parent.mkdir(parents=True, exist_ok=True)
        (raw / path).write_text(text)


def plain(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    folder = tmp_path_factory.mktemp("named")
    put(folder, "wmt19", "de-en", sgml("srcset", SOURCES), sgml("refset", REFS))
    put(folder, "wmt20/tworefs", "de-en", sgml("srcset", SOURCES), sgml("refset", REFS), sgml("refset", OTHERS))
    put(folder, "wmt08", "de-en", sgml("srcset", SOURCES), sgml("refset", REFS))
    put(folder, "wmt19/google/ar", "en-de", sgml("srcset", SOURCES), plain(REFS))
    put(folder, "wmt21", "de-en", xml({"A": REFS, "B": OTHERS}))
    put(folder, "wmt23", "de-en", xml({"refA": REFS}))
    put(folder, "wmt22", "de-en", xml({"A": REFS, "B": OTHERS}))
    put(folder, "iwslt17", "de-en", sgml("srcset", SOURCES), sgml("refset", REFS))
    put(folder, "mtedx/test", "es-en", plain(SOURCES), plain(REFS))
    rows = plain(
        [f"{k}\tx\t{s.strip()}\t{r.split(chr(9))[0]}" for k, (s, r) in enumerate(zip(SOURCES, REFS, strict=True))]
    )
    put(folder, "mtnt2019", "fr-en", rows, rows)
    (folder / "mt.en").write_text(plain(OUTPUTS))
    (folder / "twice.en").write_text(plain(OUTPUTS * 2))
    program = Real(folder, {"SACREBLEU": str(folder)})
    yield program
    program.close()


@pytest.fixture(autouse=True)
def folders(real: Real, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(real.folder))
    monkeypatch.setenv("TERTIUM_TESTSETS", str(tmp_path / "sets"))
    monkeypatch.chdir(real.folder)


ECHOES = [
    ("wmt19", "de-en", "src"), ("wmt19", "de-en", "ref"), ("wmt19", "de-en", "docid origlang genre src"),
    ("wmt19", "de-en", "all"), ("wmt20/tworefs", "de-en", "ref:0 ref:1"), ("wmt20/tworefs", "de-en", "ref"),
    ("wmt08", "de-en", "all"), ("wmt19/google/ar", "en-de", "src ref"), ("wmt21", "de-en", "src ref:A ref:B docid"),
    ("wmt21", "de-en", "ref"), ("wmt23", "de-en", "all"), ("wmt22", "de-en", "SYS origlang domain"),
    ("iwslt17", "de-en", "src ref"), ("mtedx/test", "es-en", "all"), ("mtnt2019", "fr-en", "src ref"),
    ("wmt19,wmt21", "de-en", "ref"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pair", "fields"), ECHOES)
def test_echo_prints_what_sacrebleu_prints(real: Real, tertium: Command, name: str, pair: str, fields: str) -> None:
    flags = f"-t {name} -l {pair} --echo {fields}"
    assert (0, tertium("sacrebleu", *flags.split()).out) == real(flags)


PARTS = [
    "--origlang en",
    "--origlang non-en",
    "--subset politics",
    "--origlang en --subset country:GB",
    "--subset nothing",
]


@pytest.mark.parametrize("flags", PARTS)
def test_parts_are_sacrebleus(real: Real, tertium: Command, flags: str) -> None:
    echo = f"-t wmt19 -l de-en {flags} --echo src docid"
    status, printed = real(echo)
    ours = tertium("sacrebleu", *shlex.split(echo))
    if printed:
        assert (ours.status, ours.out) == (status, printed)
    else:  # where nothing is left, that is an error here
        assert (ours.status, ours.out) == (1, "")
        assert "no such segment in wmt19" in ours.err


@pytest.mark.parametrize(
    "flags",
    [
        "-t wmt19 -l de-en -i mt.en", "-t wmt19 -l de-en -i mt.en -m bleu chrf ter -f text",
        "-t wmt20/tworefs -l de-en -i mt.en -b -w 4", "-t wmt21 -l de-en -i mt.en -m chrf",
        "-t wmt19,wmt21 -l de-en -i twice.en",
        "-t wmt19 -l de-en -i mt.en --origlang en", "-t wmt19 -l de-en -i mt.en --origlang non-en -f text",
        "-t wmt23 -l de-en -i mt.en --subset social", "-t wmt19 -l de-en -i mt.en --detail -m bleu chrf",
        "-t wmt23 -l de-en -i mt.en --detail -f text",
        "-t mtedx/test -l es-en -i mt.en --detail", "-t wmt22 -l de-en -i mt.en -sl -b",
    ],
)  # fmt: skip
def test_scores_are_sacrebleus(real: Real, tertium: Command, flags: str) -> None:
    status, printed = real(flags + " -nc")
    ours = tertium("sacrebleu", *shlex.split(flags))
    assert (ours.status, ours.out) == (status, printed)


def test_fields_and_pairs_are_listed(real: Real, tertium: Command) -> None:
    for flags in ("--list -t wmt19 -l de-en", "--list -t mtnt2019 -l fr-en", "--list -t wmt23 -l de-en"):
        assert tertium("sacrebleu", *flags.split()).out == real(flags)[1]
    names = [line.split(":")[0].rstrip() for line in tertium("sacrebleu", "--list", "-l", "de-en").out.splitlines()[1:]]
    assert names == [line.split(":")[0].rstrip() for line in real("--list -l de-en")[1].splitlines()[1:]]


def test_citations_are_those_of_the_table(tertium: Command) -> None:
    assert tertium("sacrebleu", "--citation", "-t", "wmt19").out == f"{DATASETS['wmt19'].citation}\n"
    run = tertium("sacrebleu", "--citation", "-t", "wmt23")
    assert (run.status, "names nothing to cite" in run.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ("sacrebleu -t wmt99 -l de-en --echo src", 1, "no test set is called 'wmt99'"),
        ("sacrebleu -t wmt19 -l de-fr --echo src", 1, "de-fr, is not on this computer; fetch it: tertium"),
        ("sacrebleu -t wmt19 -l xx-yy --echo src", 1, "no language pair 'xx-yy'; there are: cs-de, de-cs"),
        ("sacrebleu -t wmt19 -l de-en --echo nil", 1, "has no such field; it has: src, ref, docid, genre, origlang"),
        ("sacrebleu -t wmt19 --echo src", 1, "--echo needs a test set (-t) and a language pair (-l)"),
        ("sacrebleu -t wmt19 -i mt.en", 1, "-t wmt19 needs a language pair"),
        ("sacrebleu mt.en -t wmt19 -l de-en -i mt.en", 1, "-t wmt19 has references; leave out mt.en"),
        ("sacrebleu mt.en -i mt.en --origlang de", 1, "--origlang is for test sets with a name"),
        ("sacrebleu -t wmt19,wmt20/tworefs -l de-en -i twice.en", 1, "wmt20/tworefs has 2 references, the first"),
        ("score -T wmt19 -l de-en -r mt.en -t mt.en", 2, "-T wmt19 has its own source, references and doc"),
        ("score -r mt.en -t mt.en --origlang de", 2, "--origlang is for test sets with a name; add -T NAME"),
        ("score -T wmt19 -t mt.en", 2, "test set wmt19: name a language pair (-l); there are: cs-de"),
        ("score -T wmt20/dev -l de-en -t mt.en", 2, "test set wmt20/dev: no language pair 'de-en'"),
        ("score -T wmt18 -l de-en -t mt.en", 2, "fetch it: tertium testsets get wmt18 -l de-en"),
        ("score -T wmt19 -l de-en --subset ( -t mt.en", 2, "not a regular expression"),
        ("score -T wmt19 -l de-en -t twice.en", 2, "12 lines, but test set wmt19 has 6 segments"),
        ("testsets show wmtt19", 2, "no test set is called 'wmtt19'; did you mean 'wmt19'?"),
        ("testsets get wmt19 -l de-xx", 2, "no language pair 'de-xx'"),
    ],
)  # fmt: skip
def test_mistakes_are_sentences(tertium: Command, arguments: str, status: int, said: str) -> None:
    run = tertium(*arguments.split())
    assert run.status == status
    assert said in run.err
    assert len(run.err.strip().splitlines()) <= 2


def test_scores_of_a_named_set(real: Real, tertium: Command) -> None:
    found = tertium("score", "-T", "wmt19", "-l", "de-en", "-t", "mt.en", "-m", "bleu", "-f", "json").json
    [score] = found["scores"]
    assert f"{score['value']:.4f}" == real("-t wmt19 -l de-en -i mt.en -b -w 4")[1].strip()
    part = tertium(
        "score", "-T", "wmt19", "-l", "de-en", "--origlang", "en", "-t", "mt.en", "-m", "bleu", "-f", "json"
    ).json
    assert f"{part['scores'][0]['value']:.4f}" == real("-t wmt19 -l de-en -i mt.en -b -w 4 --origlang en")[1].strip()
    assert part["scores"][0]["n"] == 4
    theirs = tertium("score", "-T", "wmt22", "-l", "de-en", "--set-systems", "-m", "bleu", "-f", "json").json
    assert [item["system"] for item in theirs["scores"]] == ["SYS"]
    by_origin = tertium(
        "buckets", "-T", "wmt19", "-l", "de-en", "-t", "mt.en", "-m", "bleu", "--by", "origlang", "-f", "csv"
    )
    rows = [line.split(",") for line in by_origin.out.splitlines()[1:]]
    assert {(row[1], row[2]) for row in rows} == {("all", "6"), ("en", "4"), ("de", "2")}


def test_what_there_is_is_shown(tertium: Command) -> None:
    listed = tertium("testsets", "list", "-f", "csv").out.splitlines()
    assert len(listed) == len(DATASETS) + 1
    here = tertium("testsets", "list", "--here", "-f", "csv").out.splitlines()
    assert {line.split(",")[0] for line in here[1:]} >= {"wmt19", "wmt21", "mtedx/test"}
    shown = tertium("testsets", "show", "wmt19", "-l", "de-en").out
    assert "md5" in shown
    assert "(sacreBLEU 2.6.0)" in shown
    assert "6 segments, fields src, ref, docid, genre, origlang; references: ref" in shown
    assert tertium("testsets", "show", "wmt19", "--citation").out.startswith("@proceedings{ws-2019-machine")


def test_own_sets_are_added_fetched_and_scored(tertium: Command, tmp_path: Path) -> None:
    (tmp_path / "src.de").write_text(plain(SOURCES))
    (tmp_path / "ref.en").write_text(plain(REFS))
    own = tmp_path / "own.toml"
    own.write_text(
        '[town]\ntitle = "Our town"\nlayout = "plain"\nlicence = "ours"\n[[town.files]]\naddress = "src.de"\n'
        '[[town.files]]\naddress = "ref.en"\n[town.pairs]\nde-en = ["town.src.de", "town.ref.en"]\n'
    )
    assert tertium("testsets", "add", str(own)).status == 0
    again = tertium("testsets", "add", str(own))
    assert (again.status, "--replace takes its place" in again.err) == (2, True)
    assert tertium("testsets", "add", str(own), "--replace").status == 0
    assert tertium("testsets", "get", "town").status == 0
    assert tertium("testsets", "verify").out == "town: as it was fetched\n"
    assert tertium("score", "-T", "town", "-t", "mt.en", "-m", "bleu").status == 0
    (tmp_path / "sets/town/raw/town.src.de").write_text("other\n")
    run = tertium("testsets", "verify", "town")
    assert (run.status, "changed since it was fetched" in run.out) == (1, True)
    own.write_text(own.read_text().replace("[town", "[wmt19"))
    assert "is the name of a test set that ships" in tertium("testsets", "add", str(own)).err


def test_names_that_look_alike_are_two_sets(tertium: Command, tmp_path: Path) -> None:
    (tmp_path / "src.de").write_text(plain(SOURCES))
    (tmp_path / "ref.en").write_text(plain(REFS))
    names = ["town/a", "town_a", "town_-a", "Stadt/ä"]
    for name in names:
        (tmp_path / "own.toml").write_text(
            f'["{name}"]\nlayout = "plain"\nfiles = [{{ address = "src.de" }}, {{ address = "ref.en" }}]\n'
            f'["{name}".pairs]\nde-en = ["{name.replace("/", "_")}.src.de", "{name.replace("/", "_")}.ref.en"]\n'
        )
        assert tertium("testsets", "add", str(tmp_path / "own.toml")).status == 0
        assert tertium("testsets", "get", name).status == 0
    listed = tertium("testsets", "list", "--here", "-f", "csv").out
    assert {line.split(",")[0] for line in listed.splitlines()} >= set(names)
    assert tertium("testsets", "verify").out == "".join(f"{name}: as it was fetched\n" for name in sorted(names))


def test_files_are_checked_before_a_commit(tertium: Command, tmp_path: Path) -> None:
    (tmp_path / "testset.toml").write_text('references = "ref.en"\nsystems = "mt.en"\n')
    (tmp_path / "ref.en").write_text(plain(REFS))
    (tmp_path / "mt.en").write_text(plain(OUTPUTS))
    good = tertium("testsets", "check", str(tmp_path / "testset.toml"))
    assert (good.status, good.out.endswith("6 segments, 1 reference per segment; 1 system\n")) == (0, True)
    (tmp_path / "mt.en").write_text(plain(OUTPUTS[:5]))
    bad = tertium("testsets", "check", str(tmp_path / "testset.toml"))
    assert (bad.status, "5 lines, but test set" in bad.err) == (1, True)


def test_every_test_set_of_a_repository_is_checked(
    tertium: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the hook calls: a line that is lost from a reference changes no testset.toml."""
    monkeypatch.chdir(tmp_path)
    assert tertium("testsets", "check").out == "no testset.toml in this folder, and none below it\n"
    for name in ("a", "b/c", ".cache/d"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "testset.toml").write_text('references = "ref.en"\nsystems = "mt.en"\n')
        (tmp_path / name / "ref.en").write_text(plain(REFS[: 1 if name.startswith(".") else None]))
        (tmp_path / name / "mt.en").write_text(plain(OUTPUTS))
    good = tertium("testsets", "check")
    assert (good.status, [line.split(":")[0] for line in good.out.splitlines()]) == (
        0,
        ["a/testset.toml", "b/c/testset.toml"],
    )
    (tmp_path / "b/c/ref.en").write_text(plain(REFS[:5]))
    bad = tertium("testsets", "check")
    assert (bad.status, len(bad.out.splitlines()), "b/c/mt.en: 6 lines" in bad.err) == (1, 1, True)
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert (hook["entry"], hook["always_run"], hook["pass_filenames"]) == ("tertium testsets check", True, False)
