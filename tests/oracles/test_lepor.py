"""The LEPOR family on real texts: the authors' Perl programs and hlepor 0.0.4.

LEPOR_V1.0, nLEPOR-MT-evaluation and hLEPOR-MT-evaluation are the Perl programs of aaronlifenghan/aaron-project-lepor at
35bb57a, Sentence_level (hLEPOR with the weights 3:2:1 of WMT19) is poethan/LEPOR's at be3620b; only file paths were
changed. hlepor 0.0.4 is PyPI's, `hlepor_score([reference], [output], separate_punctuation=False)`. "ws" is raw text
with single spaces, "13a" are sacreBLEU's tokens. All of them lower-case. Their scale is 0 to 1.
"""

from functools import cache

import numpy as np
import pytest

from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.metrics import parse
from tertium.text.words import tokenize

from .files import (
    LARGEST,
    ORACLES,
    TOLERANCE,
    files_under,
    needs_oracles,
    only_some,
    read_lines,
    read_tsv,
)

pytestmark = needs_oracles

FILES = [
    "snmt.de-en.snmt.A.13a",
    "wmt22.de-en.LT22.A.ws",
    "snmt.de-en.snmt.A.ws",
    "snmt.de-en.unmt.A.13a",
    "snmt.de-en.unmt.A.ws",
    "snmt.en-de.unmt.A.13a",
    "snmt.en-de.unmt.A.ws",
    "wmt22.de-en.LT22.A.13a",
]
files = pytest.mark.parametrize("file", only_some(FILES, 2))
LEPOR, HLEPOR, WMT19 = "LEPOR_V1.0", "hLEPOR-MT-evaluation(7:2:1)", "poethan.Sentence_level(3:2:1)"
PROGRAM = "nLEPOR-MT-evaluation"
FACTORS = ["length_penalty", "precision", "recall", "harmonic_mean", "position_penalty"]
PERL = ["perl.LP", "perl.P", "perl.R", "perl.HPR", "perl.NPosPenal"]


@cache
def expected(file: str) -> dict[str, np.ndarray]:
    header, rows = read_tsv(f"lepor/seg.{file}.tsv.gz")
    values = np.array(rows, dtype=np.float64)
    assert values[:, 0].tolist() == list(range(len(values)))  # every segment
    return dict(zip(header[1:], values[:, 1:].T, strict=True))


def systems() -> list[dict[str, str]]:
    header, *rows = (ORACLES / "lepor" / "system.tsv").read_text().splitlines()
    return [dict(zip(header.split("\t"), row.split("\t"), strict=True)) for row in rows]


def system_score(file: str, program: str, column: str = "score") -> float:
    dataset, system, _, tokenizer = file.rsplit(".", 3)
    wanted = {"dataset": dataset, "hyp": system, "tok": tokenizer, "impl": program}
    [found] = [row for row in systems() if wanted.items() <= row.items()]
    return float(found[column])


@cache
def count(file: str, text: str) -> Stats:
    """Rows of a metric written without tokenize, which is the file's."""
    dataset, system, reference, tokenizer = file.rsplit(".", 3)
    metric = parse(with_tokenizer(text, tokenizer))
    outputs, stream = read_lines(dataset, f"hyp.{system}"), read_lines(dataset, f"ref.{reference}")
    testset = TestSet(segments=len(outputs), references=References((stream,), len(outputs)))
    return metric.stats(outputs, metric.prepare(testset))


def with_tokenizer(text: str, tokenizer: str) -> str:
    name, _, options = text.removesuffix(")").partition("(")
    return f'{name}({options + ", " if options else ""}tokenize="{"none" if tokenizer == "ws" else tokenizer}")'


def segment_scores(file: str, text: str) -> np.ndarray:
    scores: np.ndarray = parse(text).score(count(file, text).segments()) / 100
    return scores


def column(file: str, text: str, name: str) -> np.ndarray:
    stats = count(file, text)
    return stats.segments()[:, stats.columns.index(name)]


def equal(what: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """All of them, to rounding; on the programs' scale."""
    difference = float(np.abs(ours - theirs).max())
    LARGEST[what] = max(LARGEST.get(what, 0.0), difference)
    assert difference < TOLERANCE, f"{what}: {difference} at segment {np.abs(ours - theirs).argmax()}"


def test_no_file_is_left_out() -> None:
    assert files_under("lepor") == set(FILES)
    assert {f"{row['dataset']}.{row['hyp']}.A.{row['tok']}" for row in systems()} == set(FILES)


# compat="perl": equal to the last segment


@files
def test_perl_segments_and_factors(file: str) -> None:
    theirs = expected(file)
    for ours, name in zip(FACTORS, PERL, strict=True):
        equal(f"LEPOR {name}", column(file, 'lepor(compat="perl")', ours), theirs[name])
    equal("LEPOR perl", segment_scores(file, 'lepor(compat="perl")'), theirs[LEPOR])
    equal("hLEPOR perl", segment_scores(file, 'hlepor(compat="perl")'), theirs[HLEPOR])
    equal("hLEPOR perl 2:1:3", segment_scores(file, 'hlepor(weights=(2, 1, 3), compat="perl")'), theirs[WMT19])


@files
@pytest.mark.parametrize(
    ("text", "program"),
    [
        ('lepor(compat="perl")', LEPOR),
        ('hlepor(compat="perl")', HLEPOR),
        ('hlepor(compat="perl", weights=(2, 1, 3))', WMT19),
    ],
)
def test_perl_systems(file: str, text: str, program: str) -> None:
    """The mean of segment scores, and the formula on the means of the factors (LEPOR-B, hLEPOR-B)."""
    total = count(file, text).total()
    equal(f"system {text}", parse(text).score(total) / 100, np.array(system_score(file, program)))
    if program != WMT19:  # prints no other
        factors = parse(text.replace("compat", 'aggregate="factors", compat')).score(total) / 100
        equal(f"system {text} factors", factors, np.array(system_score(file, program, "score_anotherway")))


@files
def test_the_program_called_nlepor_computes_lepor(file: str) -> None:
    """So there is nothing to compare nLEPOR with."""
    assert expected(file)[PROGRAM].tolist() == expected(file)[LEPOR].tolist()
    assert system_score(file, PROGRAM) == system_score(file, LEPOR)


# The papers' definition


@files
def test_distance_to_the_perl_programs(file: str) -> None:
    """The length penalty has no defect; the others make the programs' scores a little lower."""
    equal("LEPOR LP", column(file, "lepor", "length_penalty"), expected(file)["perl.LP"])
    for text, program, most in (("lepor", LEPOR, 0.02), ("hlepor", HLEPOR, 0.005)):
        ours = float(parse(text).score(count(file, text).total())) / 100
        difference = ours - system_score(file, program)
        assert 0 <= difference <= most, f"{text} {file}: {difference}"
        LARGEST[f"system {text} above perl"] = max(LARGEST.get(f"system {text} above perl", 0.0), difference)


def without_repeated_words(file: str) -> np.ndarray:
    dataset, system, reference, tokenizer = file.rsplit(".", 3)
    name = "none" if tokenizer == "ws" else tokenizer

    def single(text: str | None) -> bool:
        words = tokenize(text or "", name, lowercase=True)
        return len(words) == len(set(words))

    sides = zip(read_lines(dataset, f"hyp.{system}"), read_lines(dataset, f"ref.{reference}"), strict=True)
    return np.array([single(output) and single(text) for output, text in sides])


@files
def test_hlepor_package(file: str) -> None:
    """hlepor 0.0.4 takes a wrong occurrence of some repeated words; without them it is equal."""
    ours, theirs = segment_scores(file, "hlepor"), expected(file)["hlepor0.0.4"]
    single = without_repeated_words(file)
    assert single.sum() > 200  # not an empty claim
    equal("hLEPOR package, no word repeated", ours[single], theirs[single])
    difference = np.abs(ours - theirs).max()
    assert difference < 0.01
    LARGEST["hLEPOR package, any segment"] = max(LARGEST.get("hLEPOR package, any segment", 0.0), float(difference))
    system = abs(ours.mean() - system_score(file, "hlepor0.0.4(9:1;2:1:7;n=2)"))
    assert system < 0.0005
    LARGEST["system hLEPOR package"] = max(LARGEST.get("system hLEPOR package", 0.0), float(system))
