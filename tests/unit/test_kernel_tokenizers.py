"""The kernel's tokenizers against the naive ones, on text that meets their rules."""

import itertools
import random
import unicodedata
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import MESSES, PIECES, random_text
from reference import tokenizers as naive

from tertium import _kernel
from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.lines import Lines
from tertium.text import tokenizers
from tertium.text.normalise import normalise
from tertium.text.words import Reading, align, tokenize

Naive = Callable[[str], list[str]]

# Marks between digits, at the edges and in runs decide; few characters, so that all neighbours occur.
ALPHABETS = [
    "0a.,- ",
    "1.,",
    "a'.s ,\n",
    '&<>;ampltgquo" ',
    "5-a \u00a0.",
    "中1.あ，a ",
    "\u03a3\u03c3Aa'\u0301. \u1fbc",
    " \t\u00a0\u2009\u3000\x1c\x85a",
    "-\n <skiped>&;",
]
TEXTS = MESSES | st.text(max_size=20) | st.one_of([st.text(letters, max_size=16) for letters in ALPHABETS])
BLEU = ["13a", "13a-scalar", "intl", "zh", "char", "none"]


def naive_bleu(name: str, lower: bool) -> Naive:
    return lambda text: naive.tokenize(text, name.removesuffix("-scalar"), lower)


def naive_tercom(flags: Sequence[str], lower: bool) -> Naive:
    options = {flag: flag in flags for flag in ("normalized", "no_punct", "asian")}
    return lambda text: naive.tercom(text, **options, case_sensitive=not lower)


def every_scheme() -> dict[str, Naive]:
    """Every name of the kernel's, flags included, and its judge."""
    judges: dict[str, Naive] = {}
    for lower in (False, True):
        suffix = "+lower" if lower else ""
        for name in BLEU:
            judges[f"{name}{suffix}"] = naive_bleu(name, lower)
        judges[f"spaces{suffix}"] = lambda text, lower=lower: naive.spaces(text, lower)
        judges[f"codepoints{suffix}"] = lambda text, lower=lower: naive.characters(text, lower)
        judges[f"chrf-words{suffix}"] = lambda text, lower=lower: naive.chrf_words(text.lower() if lower else text)
        for size in range(4):
            for flags in itertools.combinations(("normalized", "no_punct", "asian"), size):
                judges["+".join(["tercom", *flags]) + suffix] = naive_tercom(flags, lower)
    return judges


JUDGES = every_scheme()
every_tokenizer = pytest.mark.parametrize("name", JUDGES)


def kernel(texts: Sequence[str], name: str) -> list[str]:
    """Tokens with one space between them, line by line."""
    lines = tokenizers.kernel_tokenize(Lines.of(texts), name)
    return [str(line) for line in lines]


def judged(texts: Iterable[str], name: str) -> list[str]:
    return [" ".join(JUDGES[name](text)) for text in texts]


def compare(texts: Sequence[str], name: str) -> None:
    """Tokens hold no U+0020 (or are single characters), so equal lines are equal tokens."""
    for text, ours, theirs in zip(texts, kernel(texts, name), judged(texts, name), strict=True):
        assert ours == theirs, (name, text)


def random_texts(seed: str, size: int) -> list[str]:
    """Half of pieces, half of a small alphabet."""
    rng = random.Random(seed)
    texts = [random_text(rng) for _ in range(size // 2)]
    for _ in range(size - size // 2):
        letters = rng.choice(ALPHABETS)
        texts.append("".join(rng.choices(letters, k=rng.randint(0, rng.choice([6, 20, 50])))))
    return texts


@every_tokenizer
@settings(max_examples=40)
@given(text=TEXTS)
def test_equals_naive(name: str, text: str) -> None:
    compare([text], name)


@every_tokenizer
def test_equals_naive_on_random_text(name: str) -> None:
    compare(random_texts(name, 1000), name)


@pytest.mark.slow
@every_tokenizer
def test_equals_naive_on_much_random_text(name: str) -> None:
    for part in range(10 if name == "13a" else 1):
        compare(random_texts(f"{name} {part}", 30_000), name)


@pytest.mark.parametrize("length", range(8))
def test_every_short_line_of_marks_and_digits(length: int) -> None:
    """All lines of these characters up to this length: nothing about neighbours is left out."""
    letters = {7: "0.a", 6: "0.a-", 5: "0.a- "}.get(length, "0.a- ,$")
    texts = ["".join(chosen) for chosen in itertools.product(letters, repeat=length)]
    for name in ("13a", "13a-scalar", "zh", "intl", "tercom+normalized"):
        compare(texts, name)


@pytest.mark.parametrize("lower", ["", "+lower"])
def test_vector_13a_equals_its_scalar_twin(lower: str) -> None:
    """Sixteen bytes at a time or one: marks at every offset of a block, and across its border."""
    texts = random_texts(f"twins{lower}", 20_000)
    marks = [".", ",", "-", "..", ".,", "5.", ".5", "5-", "\u00a0", "\u2009", "\u3000", "é", "中", "&", "&lt;", "\n"]
    letters = ["a", "7", "é"]
    texts += [
        letter * offset + mark + other * tail
        for letter in letters
        for other in letters
        for offset in range(35)
        for tail in (0, 1, 16)
        for mark in marks
    ]
    assert kernel(texts, f"13a{lower}") == kernel(texts, f"13a-scalar{lower}")
    compare(texts[20_000:], f"13a{lower}")


@pytest.mark.slow
@pytest.mark.parametrize("lower", ["", "+lower"])
def test_vector_13a_equals_its_scalar_twin_on_much_text(lower: str) -> None:
    for part in range(5):
        texts = random_texts(f"twins {part} {lower}", 60_000)
        assert kernel(texts, f"13a{lower}") == kernel(texts, f"13a-scalar{lower}")


def test_lines_do_not_leak_into_each_other() -> None:
    """Neighbours in the buffer are no neighbours of a line's first and last character."""
    texts = ["5", ".5", "-", "5-", "5", "'s", ""] * 3
    for name in JUDGES:
        compare(texts, name)


# Characters


def code_points() -> list[str]:
    return [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]


# Long runs of characters that are all alike: ideographs, Hangul, private use, the higher planes.
ALIKE = [(0x3500, 0x4D00), (0x4F00, 0x9F00), (0xAC00, 0xD700), (0xE000, 0xF8F0), (0x13000, 0x16800),
         (0x17000, 0x18D00), (0x1B000, 0x1BC00), (0x20000, 0xE0000), (0xE0200, 0x110000)]  # fmt: skip


def likely_points() -> list[str]:
    """Every character, but of the long runs every 97th."""
    alike = {code for first, last in ALIKE for code in range(first, last) if code % 97}
    return [char for char in code_points() if ord(char) not in alike]


def by_character(texts: Sequence[str], name: str) -> list[str]:
    """The kernel's characters, joined again: what lower-casing alone does."""
    return [line[::2] for line in kernel(texts, name)]


def stable(chars: Iterable[str]) -> list[str]:
    """Characters that this interpreter and the kernel's tables (Unicode 14) can know alike."""
    same = unicodedata.unidata_version == "14.0.0"
    old = unicodedata.ucd_3_2_0
    return [char for char in chars if same or old.category(char) != "Cn"]


def test_lower_case_of_every_character_is_python_s() -> None:
    texts = [f"x{char}y" for char in stable(code_points())]
    assert by_character(texts, "codepoints+lower") == [text.lower() for text in texts]


def test_white_space_is_python_s() -> None:
    """A token of its own, or nothing at all."""
    chars = stable(likely_points())
    lines = kernel([f"a{char}b" for char in chars], "none")
    assert [char for char, line in zip(chars, lines, strict=True) if line == "a b"] == [
        char for char in chars if char.isspace()
    ]


GREEK = "ΑΣσςΒάΩ'.:\u00ad\u0301\u0345ʰ·\u1fbc\u200d aA1-\u10d0\u1c90\u01c5\U0001d400\u02b0\u24b6"


@settings(max_examples=300)
@given(st.text(GREEK, max_size=12) | st.text(GREEK + "Σ" * 20, max_size=12))
def test_final_sigma_is_python_s(text: str) -> None:
    assert by_character([f"|{text}|"], "codepoints+lower") == [f"|{text}|".lower()]
    assert kernel([text], "none+lower") == [" ".join(text.lower().split())]


def test_final_sigma_of_random_greek() -> None:
    rng = random.Random("greek")
    texts = ["|" + "".join(rng.choices(GREEK, k=rng.randint(1, 14))) for _ in range(50_000)]
    texts = [text.rstrip() + "Σ" * (k % 2) for k, text in enumerate(texts)]
    assert by_character(texts, "codepoints+lower") == [text.lower() for text in texts]


AROUND = list(itertools.product(["", "A", "1", "A'"], ["", "A", "1", "'A"]))


def compare_sigmas(chars: Iterable[str], before: str, behind: str) -> None:
    texts = [f"|{before}{char}Σ{char}{behind}|" for char in stable(chars)]
    assert by_character(texts, "codepoints+lower") == [text.lower() for text in texts]


@pytest.mark.parametrize(("before", "behind"), AROUND)
def test_final_sigma_beside_every_letter(before: str, behind: str) -> None:
    """Which characters are cased, and which a sigma looks through."""
    compare_sigmas(likely_points()[:: 1 if before + behind in ("", "A") else 9], before, behind)


@pytest.mark.slow
@pytest.mark.parametrize(("before", "behind"), AROUND)
def test_final_sigma_beside_every_character(before: str, behind: str) -> None:
    compare_sigmas(code_points()[::3], before, behind)


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "tercom+normalized+asian"])
def test_every_character_between_letters_and_digits(name: str) -> None:
    chars = stable(likely_points()[::2])
    if unicodedata.unidata_version != "14.0.0" or name == "intl":
        unknown = regex.compile(r"\p{Cn}")
        chars = [char for char in chars if not unknown.match(char) and unicodedata.category(char) != "Cn"]
    compare([f"a{char}1{char}" for char in chars[::3]], name)
    compare([f"{char}1{char}{char}." for char in chars[1::3]], name)
    compare([f"1{char}1 {char}a" for char in chars[2::3]], name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["intl", "zh", "tercom+normalized+no_punct+asian"])
def test_every_character_there_is(name: str) -> None:
    unknown = regex.compile(r"\p{Cn}")
    points = stable(code_points()[:: 1 if name == "intl" else 4])
    chars = [char for char in points if name != "intl" or not unknown.match(char)]
    for pattern in ("a{0}1{0}.", "{0}{0}1{0}a"):
        compare([pattern.format(char) for char in chars], name)


# Words that may hold white space, seen through the alignment


@settings(max_examples=200)
@given(a=TEXTS, b=TEXTS, name=st.sampled_from(["spaces", "codepoints", "spaces+lower", "codepoints+lower"]))
def test_words_with_white_space_are_kept_whole(a: str, b: str, name: str) -> None:
    """Equal words align, and both sides have as many as the naive tokenizer finds."""
    operations = _kernel.edit_operations(Lines.of([a]).buffer, Lines.of([b]).buffer, name)
    ours, theirs = JUDGES[name](a), JUDGES[name](b)
    assert sum(step != "D" for step in operations) == len(ours)
    assert sum(step != "I" for step in operations) == len(theirs)
    i = j = 0
    for step in operations:
        if step in "=S":
            assert (ours[i] == theirs[j]) == (step == "=")
        i += step != "D"
        j += step != "I"


# What Python does with them


def test_missing_lines_stay_missing() -> None:
    lines = tokenizers.kernel_tokenize(Lines.of(["a.", None, ""]), "13a")
    assert list(lines) == ["a .", None, ""]


@pytest.mark.parametrize(
    "name", ["", "13b", "13a+", "13a+upper", "+lower", "13a lower", "13a+lower+", "tercom+asia", "NONE", "13a\x00"]
)
def test_unknown_tokenizers_are_refused(name: str) -> None:
    lines = Lines.of(["a"])
    said = f"the kernel has no tokenizer '{name}'".split("\x00")[0]
    with pytest.raises(ValueError, match=said.replace("+", r"\+")):
        _kernel.tokenize(lines.view, name)
    for count in (_kernel.count_edits, _kernel.count_translation_edits):
        for pair in ((name, "none"), ("none", name)):
            with pytest.raises(ValueError, match="the kernel has no tokenizer"):
                count(lines.view, lines.view, *pair, np.zeros((1, 4)))
    for pair in ((name, "none"), ("none", name)):
        with pytest.raises(ValueError, match="the kernel has no tokenizer"):
            _kernel.count_ngrams(lines.view, [lines.view], *pair, 1, np.zeros((1, 4)))
    with pytest.raises(ValueError, match="the kernel has no tokenizer"):
        _kernel.edit_operations(lines.buffer, lines.buffer, name)


def test_tokenize_one_text() -> None:
    assert tokenize("It's 5.5, isn't it?") == ["It's", "5.5", ",", "isn't", "it", "?"]
    assert tokenize("A.", lowercase=True) == ["a", "."]
    assert tokenize("", "char") == []
    assert tokenize("中文a", "zh") == ["中", "文", "a"]
    with pytest.raises(OptionError, match='tokenize="spaces" is unknown; choose from none, 13a'):
        tokenize("a", "spaces")


@settings(max_examples=100)
@given(text=TEXTS, name=st.sampled_from(tokenizers.KERNEL), lowercase=st.booleans())
def test_tokenize_equals_naive(text: str, name: str, lowercase: bool) -> None:
    assert tokenize(text, name, lowercase=lowercase) == naive.tokenize(text, name, lowercase)


def test_align_shows_where_words_stand() -> None:
    assert align("the cat sat", "the dog sat down") == "=S=D"
    assert align("A b", "a b", lowercase=True) == "=="
    assert align("a.", "a .", "13a") == "=="
    assert align("a\tb", "a b") == "SD"  # one tab is part of a word
    assert align("", "") == ""


def test_morphological_analysers_equal_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    texts = {
        "ja-mecab": ["これは猫です。", " 東京ABCへ行く ", "", "100円"],
        "ko-mecab": ["이것은 고양이입니다.", "서울 ABC", ""],
    }
    for name, lines in texts.items():
        pytest.importorskip(tokenizers.MECAB[name][0])
        for lowercase in (False, True):
            peer = sacrebleu.BLEU(tokenize=name, lowercase=lowercase)
            peer.corpus_score(lines, [lines])
            ours = tokenizers.analyse(Lines.of([*lines, None]), name, lowercase)
            assert list(ours) == [*(peer._preprocess_segment(line) for line in lines), None]
            assert [tokenize(line, name, lowercase=lowercase) for line in lines] == [
                peer._preprocess_segment(line).split() for line in lines
            ]
        [(tool, version)] = Reading(name).versions().items()
        assert tool == name
        assert version in peer.get_signature().info["tok"]
    assert Reading("13a").versions() == {}
    assert tokenizers.tokenizer_version("13a") == {}


def test_a_missing_analyser_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tokenizers.MECAB, "ja-mecab", ("no_such_module", "no_such_dictionary", "ja"))
    tokenizers._mecab.cache_clear()
    with pytest.raises(MissingPackageError, match=r'pip install "tertium\[ja\]"'):
        tokenizers.analyse(Lines.of(["a"]), "ja-mecab", False)
    tokenizers._mecab.cache_clear()


@settings(max_examples=60)
@given(st.lists(st.none() | TEXTS, max_size=3))
def test_unicode_forms(texts: list[str | None]) -> None:
    lines = Lines.of(texts)
    assert normalise(lines, "none") is lines
    for form in ("nfc", "nfkc"):
        assert list(normalise(lines, form)) == [
            None if text is None else unicodedata.normalize(form.upper(), text) for text in texts
        ]


def test_quotes_become_ascii() -> None:
    assert list(normalise(Lines.of(["“a” ‘b’ «c» `d´ 5′ 6″ -"]), "quotes")) == ["\"a\" 'b' \"c\" 'd' 5' 6\" -"]


def test_pieces_cover_what_they_should() -> None:
    """The fuzz is worth what its alphabet is: white space, marks, scripts, entities."""
    chars = set("".join(PIECES))
    assert set("0129.,-'&<>;\n\t\x00\x1c\x85\u00a0\u2009\u2028\u3000\u0130\u03a3") <= chars
    assert {unicodedata.category(char)[0] for char in chars} == set("CLMNPSZ")
