"""METEOR: what Python adds to the kernel's rows: parameters, tables, several references, options, errors."""

import gzip
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from laws.texts import make_testset
from reference import meteor as naive

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.lines import Lines
from tertium.metrics import parse
from tertium.metrics.meteor import COLUMNS, Match, Meteor
from tertium.text import synonyms as tables
from tertium.text.meteor import function_words, stem_words


def rows_of(metric: Meteor, outputs: list[str | None], references: list[list[str | None]]) -> np.ndarray:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


def score_of(metric: Meteor, output: str, reference: str) -> float:
    return float(metric.score(rows_of(metric, [output], [[reference]])[0]))


# The formula, by hand (docs/explanation/meteor.md)

OUTPUT = "the small boy walked to his house"
REFERENCE = "the little boys walked to the house"


def test_worked_example() -> None:
    """Six of seven words in two chunks: the small boy walked to | house."""
    found = Meteor().align(OUTPUT, REFERENCE)
    assert found.output == OUTPUT.split()
    assert found.reference == REFERENCE.split()
    stages = ["exact", "synonym", "stem", "exact", "exact", "exact"]
    places = [0, 1, 2, 3, 4, 6]
    assert found.matches == [Match(stage, (k, k + 1), (k, k + 1)) for stage, k in zip(stages, places, strict=True)]
    named = dict(zip(COLUMNS, rows_of(Meteor(), [OUTPUT], [[REFERENCE]])[0].tolist(), strict=True))
    assert named["output_length"] == named["reference_length"] == 7
    assert named["output_function"] == named["reference_function"] == 3  # the to his, the to the
    assert named["chunks"] == 2
    # 1.5: L = .75 x 4 + .25 x 3 = 3.75; matches .75 (2 + .6 + .8) + .25 x 2 = 3.05
    mean, frag = 3.05 / 3.75, 2 / 6
    score = score_of(Meteor(), OUTPUT, REFERENCE)
    assert score == pytest.approx(100 * mean * (1 - 0.6 * frag**0.2), rel=1e-12)
    assert round(score, 1) == 42.2
    # 2005: six of seven words, penalty .5 (2/6)^3; without the cube it would be another metric
    first = score_of(Meteor(variant="2005"), OUTPUT, REFERENCE)
    assert first == pytest.approx(100 * 6 / 7 * (1 - 0.5 * frag**3), rel=1e-12)
    assert round(first, 1) == 84.1
    assert round(100 * 6 / 7 * (1 - 0.5 * frag), 1) == 71.4


def test_the_search_gives_up_words_that_are_not_the_same_for_order() -> None:
    """A match that is not exact counts nothing in the search, and a chunk costs."""
    found = Meteor().align("the boy quickly walked to the house", "the boy walks fast to his home")
    assert [match.stage for match in found.matches] == ["exact", "exact", "exact", "synonym"]


def test_first_form_is_that_of_the_paper() -> None:
    """Fmean = 10 P R / (R + 9 P): four of five output words, four of eight reference words, two chunks."""
    metric = Meteor(variant="2005", stages=("exact",))
    p, r = 4 / 5, 4 / 8
    expected = 10 * p * r / (r + 9 * p) * (1 - 0.5 * (2 / 4) ** 3)
    assert score_of(metric, "aa bb xx cc dd", "aa bb yy zz cc dd uu vv") == pytest.approx(100 * expected, rel=1e-12)


def test_nothing_matched_is_nothing() -> None:
    for output, reference in [("xx yy", "zz"), ("", "zz"), ("xx", ""), ("", "")]:
        assert score_of(Meteor(), output, reference) == 0.0


PARAMETERS = {
    "meteor": (0.85, 0.20, 0.60, 0.75, 0.6, 0.8, 0.6),
    'meteor(language="cz")': (0.95, 0.20, 0.60, 0.80, 0.5, 0.5, 0.4),
    'meteor(language="cs")': (0.95, 0.20, 0.60, 0.80, 0.5, 0.5, 0.4),
    'meteor(language="fr")': (0.90, 1.40, 0.60, 0.65, 0.2, 0.5, 0.4),
    'meteor(language="es")': (0.65, 1.30, 0.50, 0.80, 0.8, 0.5, 0.6),
    'meteor(language="de")': (0.95, 1.00, 0.55, 0.55, 0.8, 0.5, 0.2),
    'meteor(language="ru")': (0.75, 1.40, 0.70, 0.50, 0.5, 0.5, 0.5),
    'meteor(language="ja", text="lower")': (0.75, 1.40, 0.70, 0.50, 0.5, 0.5, 0.5),
    'meteor(task="li")': (0.75, 1.40, 0.70, 0.50, 0.5, 0.5, 0.5),
    'meteor(task="adq")': (0.75, 1.40, 0.45, 0.70, 1.0, 0.6, 0.8),
    'meteor(task="hter")': (0.40, 1.50, 0.35, 0.55, 0.2, 0.6, 0.8),
    'meteor(task="universal")': (0.70, 1.40, 0.30, 0.70, 0.5, 0.5, 0.6),
    'meteor(variant="2005")': (0.9, 3.0, 0.5, 0.5, 1.0, 1.0, 1.0),
}


@pytest.mark.parametrize("text", PARAMETERS)
def test_parameters(text: str) -> None:
    """METRICS.md's table, which is the program's."""
    metric: Any = parse(text)
    assert tuple(metric.parameters) == PARAMETERS[text]


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("meteor", ["exact", "stem", "synonym"]),
        ('meteor(language="de")', ["exact", "stem"]),
        ('meteor(language="cz")', ["exact"]),
        ('meteor(task="universal")', ["exact"]),
        ('meteor(language="sv", text="none")', ["exact", "stem"]),
        ('meteor(language="ja", text="none")', ["exact"]),
        ('meteor(stages=("exact", "synonym", "stem"))', ["exact", "stem", "synonym"]),
    ],
)
def test_stages_of_a_language(text: str, stages: list[str]) -> None:
    metric: Any = parse(text)
    assert list(metric._stages) == stages


# Texts


def test_text_is_read_as_asked() -> None:
    found = {text: Meteor(text=text).align("The U.S. man's", "a b").output for text in ("norm", "lower", "none")}
    assert found == {
        "norm": ["the", "us", "man", "'s"],
        "lower": ["the", "u.s.", "man's"],
        "none": ["The", "U.S.", "man's"],
    }
    assert Meteor(no_punct=True).align("The U.S. man's, so.", "a b").output == ["the", "us", "man", "s", "so"]
    assert Meteor(language="fr").align("L'homme", "a").output == ["l'", "homme"]
    assert Meteor(unicode="nfkc").align("ﬁne", "a").output == ["fine"]
    assert Meteor(text="none", stages=("exact",)).align("Cat", "cat").matches == []


def test_function_words_are_english_and_in_any_case() -> None:
    assert len(function_words()) == 93
    [row] = rows_of(Meteor(text="none", language="de"), ["The der"], [["the die"]])
    assert row[2:4].tolist() == [1, 1]


# Several references


def test_best_reference_counts_and_the_first_of_equals() -> None:
    metric = Meteor()
    outputs: list[str | None] = ["the cat sat", "a dog", None, "x"]
    references: list[list[str | None]] = [
        ["the dog sat", "the cat sat"],
        ["dog ran", "ran dog"],
        ["a", "b"],
        [None, "x"],
    ]
    rows = rows_of(metric, outputs, references)
    assert rows[0].tolist() == rows_of(metric, ["the cat sat"], [["the cat sat"]])[0].tolist()
    assert rows[1].tolist() == rows_of(metric, ["a dog"], [["dog ran"]])[0].tolist()
    assert not rows[2].any()
    assert rows[3].tolist() == rows_of(metric, ["x"], [["x"]])[0].tolist()
    found = list(metric.marks(Lines.of(outputs), metric.prepare(make_testset(references))))
    assert [marks.read.get("reference") for marks in found] == ["the cat sat", "dog ran", None, "x"]
    for marks, segment in zip(found, references, strict=True):  # numbers are among those that there are
        own = [text for text in segment if text is not None]
        assert marks.read.get("reference") == (None if marks.reference is None else own[marks.reference])


def test_parameters_choose_among_references() -> None:
    """So they are part of the key where there are several."""
    rank, adq = Meteor(), Meteor(task="adq")
    assert rank.stats_key(False) == adq.stats_key(False) == Meteor(stages=("exact", "stem", "synonym")).stats_key(False)
    assert rank.stats_key(True) != adq.stats_key(True)
    assert rank.stats_key(False) != Meteor(stages=("exact", "stem")).stats_key(False)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs: list[str | None] = [f"the w{k % 7} car went {k % 3}" for k in range(50)]
    references: list[list[str | None]] = [[f"a w{k % 5} automobile goes {k % 3}", "the car"] for k in range(50)]
    whole = rows_of(Meteor(), outputs, references)
    monkeypatch.setattr("tertium.metrics.meteor.BLOCK", 7)
    assert rows_of(Meteor(), outputs, references).tolist() == whole.tolist()
    prepared = Meteor().prepare(make_testset(references))
    for marks, row in zip(Meteor().marks(Lines.of(outputs), prepared), whole.tolist(), strict=True):
        linked = [marks.read["output"][start:end].split() for _, (start, end), _ in marks.links]
        assert sum(map(len, linked)) == row[COLUMNS.index("output_matches")]


# Tables


def test_wordnet_is_read_as_the_naive_version_reads_it() -> None:
    text = gzip.decompress(tables.WORDNET.read_bytes()).decode()
    sets_text, forms_text = text.split("\n\n")
    sets: dict[str, set[int]] = {}
    for k, line in enumerate(sets_text.split("\n")):
        for word in line.split():
            sets.setdefault(word, set()).add(k)
    bases = {form: words for form, *words in (line.split() for line in forms_text.splitlines())}
    table = tables.read_synonyms("")
    assert (table.words, table.sets) == (len(sets), len(sets_text.split("\n")))
    words = (
        "car automobiles went go geese goose bigger large boxes box studies analyses be was ss ass men women".split()
    )
    metric = Meteor(stages=("exact", "synonym"), text="none")
    for word in words:
        for other in words:
            same = bool(naive.synsets(word, sets, bases) & naive.synsets(other, sets, bases))
            assert bool(metric.align(word, other).matches) == (same or word == other), (word, other)


def test_wordnet_comes_with_its_licence() -> None:
    text = (tables.WORDNET.parent / "LICENSE").read_text()
    assert "WordNet 3.0 Copyright 2006 by Princeton University." in text


def test_own_synonyms(tmp_path: Path) -> None:
    (tmp_path / "sv.txt").write_text("bil automobil\nflicka tjej\n\ntjejen tjej\n", encoding="utf-8")
    metric = Meteor(language="sv", text="lower", stages=("exact", f"synonym:{tmp_path / 'sv.txt'}"))
    assert [match.stage for match in metric.align("en BIL tjejen", "en automobil flicka").matches] == [
        "exact",
        "synonym",
        "synonym",
    ]
    assert parse(str(metric)) == metric
    version = metric.versions()["synonym"]
    assert len(version) == 12
    (tmp_path / "sv.txt").write_text("bil\n", encoding="utf-8")
    assert metric.versions()["synonym"] != version


def test_own_paraphrases(tmp_path: Path) -> None:
    path = tmp_path / "en.gz"
    path.write_bytes(gzip.compress(b"0.4\nin spite of\ndespite\n0.1\ndespite\nin spite of\n"))
    metric = Meteor(stages=("exact", f"paraphrase:{path}"))
    found = metric.align("he ran in spite of it", "he ran despite it")
    assert found.matches[2] == Match("paraphrase", (2, 5), (2, 3))
    row = rows_of(metric, ["he ran in spite of it"], [["he ran despite it"]])[0]
    assert row[-3:].tolist() == [0, 6, 4]  # all of both sides in one chunk
    assert row[16:20].tolist() == [1, 1, 2, 0]  # spite, despite; in, of


def test_lexicons_of_wn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wn package, as far as it is used."""

    class MissingError(Exception):
        pass

    def wordnet(name: str) -> Any:
        if name != "odenet":
            raise MissingError("no lexicon found")
        lemmas = [["Auto", "Wagen"], ["zu Hause"], ["Haus"]]
        return SimpleNamespace(synsets=lambda: [SimpleNamespace(lemmas=lambda words=words: words) for words in lemmas])

    monkeypatch.setitem(sys.modules, "wn", SimpleNamespace(Wordnet=wordnet, Error=MissingError))
    tables.read_synonyms.cache_clear()
    metric = Meteor(language="de", stages=("exact", "synonym:wn:odenet"))
    assert [match.stage for match in metric.align("das Auto", "das Wagen").matches] == ["exact", "synonym"]
    assert metric.versions() == {"synonym": "odenet"}
    with pytest.raises(InputError, match=r"^meteor: wn has no lexicon 'x' \(no lexicon found\); add it with: "):
        Meteor(stages=("exact", "synonym:wn:x")).align("a", "b")
    tables.read_synonyms.cache_clear()


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "english"}, 'meteor: language="english" must be a code of two or three letters, such as "en"'),
        ({"variant": "1.4"}, 'meteor: variant="1.4" is unknown; choose from 1.5, 2005'),
        ({"task": "tune"}, 'meteor: task="tune" is unknown; choose from rank, adq, hter, li, universal'),
        ({"variant": "2005", "task": "adq"}, 'meteor: task="adq" has no meaning with variant="2005"; leave one'),
        ({"task": "adq", "language": "de"}, 'meteor: task="adq" was tuned for English only, not for "de"'),
        ({"language": "pt"}, 'meteor: METEOR has no tokeniser for language="pt", only for en, fr, cz, es, de, ru;'),
        ({"text": "lower", "no_punct": True}, 'meteor: no_punct=True needs text="norm", not text="lower"'),
        ({"stages": ("stem",)}, "meteor: stages=('stem',) must be some of ('exact', 'stem', 'synonym', 'paraphrase')"),
        ({"stages": ("exact", "fuzzy")}, "meteor: stages=('exact', 'fuzzy') must be some of"),
        ({"stages": (1,)}, "meteor: stages=(1,) must be some of"),
        ({"stages": ()}, "meteor: stages=() must be some of"),
        ({"stages": ("exact", "stem", "stem")}, "meteor: stages=('exact', 'stem', 'stem') names a stage twice"),
        ({"stages": ("exact", "stem:x")}, "meteor: stage 'stem' has no table, but stages="),
        ({"stages": ("exact", "paraphrase")}, "meteor: stage 'paraphrase' needs a table: 'paraphrase:PATH'"),
        ({"language": "cz", "stages": ("exact", "stem")}, 'meteor: there is no stemmer for language="cz", only for en'),
        (
            {"language": "de", "stages": ("exact", "synonym")},
            "meteor: stage 'synonym' needs a table for language=\"de\"",
        ),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Meteor(**options)
    assert str(caught.value).startswith(message)


def test_kinds_of_options() -> None:
    assert parse('meteor(stages=["exact", "stem"])') == Meteor(stages=("exact", "stem"))
    with pytest.raises(
        OptionError, match=r"^meteor: stages=\(1, 2\) must be tuple\[str, \.\.\.\] \| None; the default"
    ):
        parse("meteor(stages=(1, 2))")


@pytest.mark.parametrize(
    ("content", "stage", "message"),
    [
        (None, "synonym", "the table cannot be read: No such file or directory"),
        (b"\n", "synonym", "no synonyms; write one set of words a line, separated by spaces"),
        (b"a\n\xff\n", "synonym", "byte 0xff is not UTF-8"),
        (b"\x1f\x8bnonsense", "paraphrase", "the table cannot be read: "),
        (b"0.1\na\n", "paraphrase", "2 lines; a paraphrase table has three for every entry: a probability, a phrase"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, content: bytes | None, stage: str, message: str) -> None:
    path = tmp_path / "table"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Meteor(stages=("exact", f"{stage}:{path}")).align("a", "b")
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("missing", "options", "message"),
    [
        (
            "Stemmer",
            {},
            'meteor: stage "stem" needs a package that is not installed: pip install "tertium[meteor]"; '
            'or leave the stage out: meteor(stages=("exact",))',
        ),
        (
            "wn",
            {"stages": ("exact", "synonym:wn:oewn")},
            'meteor: "synonym:wn:oewn" needs a package that is not installed: pip install wn',
        ),
    ],
)
def test_missing_packages(missing: str, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingPackageError) as caught:
        Meteor(**options).align("cars", "car")
    assert str(caught.value) == message


def test_signature_names_what_is_outside() -> None:
    found = Meteor().versions()
    assert found["WordNet"] == "3.0"
    assert found["PyStemmer"].startswith("2.")
    assert Meteor(stages=("exact",)).versions() == {}


def test_stems() -> None:
    assert stem_words(["running", "cars", "", "Häuser"], "en")[:3] == ["run", "car", ""]
    assert stem_words(["häuser"], "de") == ["haus"]
