"""The kernel's METEOR against the naive one: its tokeniser, its tables, its alignments."""

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import MESSES, random_text
from reference import meteor as naive

from tertium import _kernel
from tertium.core.lines import Lines

# The tokeniser

PREFIXES = {"Dr": False, "No": True, "é": False, "a.": False}  # numbers only?
SIDES = {"en": "right", "fr": "left", "de": "both"}
ALPHABETS = [
    "a'’` .",
    "a1,.",
    "a1'sA. ",
    "-–a.1 ",
    "“”''a ",
    "Dr.No1 aé",
    "\u00a0\u2003\u3000\x0b\x00a ",
    "Ж'žꙀ\u0178\u017f-a",
]
TEXTS = MESSES | st.text(max_size=20) | st.one_of([st.text(letters, max_size=16) for letters in ALPHABETS])


def tokenised(texts: Sequence[str], side: str, no_punct: bool) -> list[str]:
    lines = Lines.of(texts)
    return list(Lines(*_kernel.tokenize_meteor(lines.view, side, PREFIXES, no_punct)))


def judged(text: str, language: str, no_punct: bool) -> str:
    prefixes = {word: not numbers_only for word, numbers_only in PREFIXES.items()}
    return naive.normalise(text, language, prefixes, no_punct=no_punct).lower()


@settings(max_examples=400)
@given(text=TEXTS, language=st.sampled_from(list(SIDES)), no_punct=st.booleans())
def test_tokeniser_equals_naive(text: str, language: str, no_punct: bool) -> None:
    [ours] = tokenised([text], SIDES[language], no_punct)
    assert naive.split(ours) == naive.split(judged(text, language, no_punct))


@pytest.mark.slow
def test_tokeniser_equals_naive_at_length() -> None:
    rng = random.Random("meteor tokeniser")
    for language, no_punct in itertools.product(SIDES, (False, True)):
        texts = [random_text(rng, 60) for _ in range(3000)]
        texts += ["".join(rng.choices(rng.choice(ALPHABETS), k=rng.randint(1, 40))) for _ in range(3000)]
        for text, ours in zip(texts, tokenised(texts, SIDES[language], no_punct), strict=True):
            assert naive.split(ours) == naive.split(judged(text, language, no_punct)), text


def test_tokeniser_by_hand() -> None:
    """The rules, one at a time."""
    expected = {
        "It's the U.S.-based firm's 1990's plan.": "it 's the us based firm 's 1990 's plan .",
        "Dr. No. 5 met Mr. X. He left...": "dr. no. 5 met mr . x . he left ...",
        "1,000 cats,dogs": "1,000 cats , dogs",
        "“so” ‘’quoted'' – well--known": '" so " " quoted " - well known',
        "no… 5% €": "no … 5 % €",
    }
    lines = tokenised(list(expected), "right", False)
    assert [naive.split(line) for line in lines] == [naive.split(line) for line in expected.values()]
    assert naive.split(tokenised(["l'homme d'Ax n'est"], "left", False)[0]) == "l' homme d' ax n' est".split()
    assert naive.split(tokenised(["l'uomo (U.S.)!"], "both", True)[0]) == "l uomo us".split()


# Tables

SETS = ["big large", "large great", "car auto automobile", "go move", "goose", "man adult", "be exist", "wolf"]
FORMS = ["went go move", "geese goose", "was be", "odd nothing"]


def judge_tables() -> tuple[dict[str, set[int]], dict[str, list[str]]]:
    sets: dict[str, set[int]] = {}
    for k, line in enumerate(SETS):
        for word in line.split():
            sets.setdefault(word, set()).add(k)
    return sets, {form: bases for form, *bases in (line.split() for line in FORMS)}


def synonym_table() -> _kernel.Synonyms:
    return _kernel.Synonyms("\n".join([*SETS, "", *FORMS]).encode())


def test_tables_are_counted() -> None:
    table = synonym_table()
    assert (table.words, table.sets) == (14, 8)
    assert _kernel.Synonyms(b"").sets == 0
    assert len(_kernel.Paraphrases(b"0.5\na b\nc\n0.1\nx\nx\n0.3\n\ny\n0.5\nhalf")) == 1
    assert len(_kernel.Paraphrases(b"")) == 0


# Alignments

STEMS = {
    "cars": "car",
    "geese": "gees",
    "going": "go",
    "goes": "go",
    "walks": "walk",
    "walking": "walk",
    "larges": "larg",
}
WORDS = [
    *("a", "b", "the", ".", "walk", "walks", "walking", "big", "large", "great", "larges", "car", "cars", "automobile"),
    *("go", "going", "goes", "went", "moved", "goose", "geese", "je", "l'", "le", "n'", "ss", "men", "was", "odd"),
]
PHRASES = [
    ("a b", "walk"),
    ("the", "a big car"),
    ("big car", "large automobile"),
    ("a b", "b a"),
    ("go", "went"),
    ("b", "b"),
]
FUNCTION = ["the", ".", "a"]


def kernel_block(outputs: Sequence[str], references: Sequence[str], stages: Sequence[str]) -> _kernel.MeteorBlock:
    block = _kernel.MeteorBlock(Lines.of(outputs).view, [Lines.of(references).view], False, 0, len(outputs))
    block.set_function_words(FUNCTION)
    if "stem" in stages:
        block.set_stems([STEMS.get(word, word) for word in block.words()])
    if "synonym" in stages:
        block.set_synonyms(synonym_table(), True)
    if "paraphrase" in stages:
        block.set_paraphrases(_kernel.Paraphrases("".join(f"0.1\n{a}\n{b}\n" for a, b in PHRASES).encode()))
    return block


def judge(output: list[str], reference: list[str], stages: Sequence[str]) -> tuple[list[naive.Match], list[int]]:
    sets, bases = judge_tables()
    found = naive.candidates(
        output,
        reference,
        stages,
        lambda word: STEMS.get(word, word),
        lambda word: naive.synsets(word, sets, bases),
        [(a.split(), b.split()) for a, b in PHRASES] if "paraphrase" in stages else [],
    )
    matches = naive.align(found, len(output))
    return matches, naive.statistics(output, reference, matches, set(FUNCTION))


def crossings(links: Sequence[tuple[int, int]]) -> int:
    return sum((i < k) != (j < m) for (i, j), (k, m) in itertools.combinations(links, 2))


def rejected(output: list[str], matches: Sequence[naive.Match]) -> tuple[int, int] | None:
    """Two neighbours among the exact matches of a word that, with each other's partners, cross the fewest matches;
    but more than they do."""
    links = [(match.start, match.at) for match in matches]
    words: dict[str, list[int]] = {}
    for k, match in enumerate(matches):
        if match.stage == 0 and match.length == 1:
            words.setdefault(output[match.start], []).append(k)
    found = []
    for places in words.values():
        for a, b in itertools.pairwise(places):
            other = list(links)
            other[a], other[b] = (links[a][0], links[b][1]), (links[b][0], links[a][1])
            if (more := crossings(other) - crossings(links)) > 0:
                found.append((more, b, a))
    return min(found)[:0:-1] if found else None  # type: ignore[return-value]


def check(pairs: Sequence[tuple[list[str], list[str]]], stages: Sequence[str]) -> None:
    outputs, references = ([" ".join(side) for side in sides] for sides in zip(*pairs, strict=True))
    block = kernel_block(outputs, references, stages)
    rows = np.zeros((len(pairs), 23))
    block.count(0, rows)
    for k, ((output, reference), found) in enumerate(zip(pairs, block.matches(0), strict=True)):
        matches, row = judge(output, reference, stages)
        assert found is not None
        words, others, ours, exchanged = found
        assert (words, others) == (output, reference)
        assert exchanged == rejected(output, matches)
        assert [naive.Match(*match) for match in ours] == matches, (output, reference)
        assert rows[k].tolist() == row


STAGES = [naive.STAGES[: k + 1] for k in range(4)] + [("exact", "paraphrase"), ("exact", "synonym")]
SEGMENTS = st.lists(st.sampled_from(WORDS), max_size=14)


@settings(max_examples=300)
@given(output=SEGMENTS, reference=SEGMENTS, stages=st.sampled_from(STAGES))
def test_alignments_equal_naive(output: list[str], reference: list[str], stages: Sequence[str]) -> None:
    check([(output, reference)], stages)


def random_pairs(rng: random.Random, count: int, longest: int) -> list[tuple[list[str], list[str]]]:
    """Few types, so that the beam is full; some outputs are references in disorder."""
    pairs = []
    for _ in range(count):
        words = rng.sample(WORDS, rng.randint(1, len(WORDS)))
        reference = rng.choices(words, k=rng.randint(0, longest))
        output = rng.choices(words, k=rng.randint(0, longest))
        if rng.random() < 0.5:
            output = list(reference)
            for _ in range(rng.randint(0, 3)):
                cut = rng.randint(0, len(output))
                output = output[cut:] + output[:cut]
        pairs.append((output, reference))
    return pairs


@pytest.mark.parametrize("stages", STAGES, ids=lambda stages: "-".join(stages))
def test_many_alignments_equal_naive(stages: Sequence[str]) -> None:
    rng = random.Random(f"meteor {stages}")
    check(random_pairs(rng, 40, 25), stages)


@pytest.mark.slow
@pytest.mark.parametrize("stages", STAGES, ids=lambda stages: "-".join(stages))
def test_long_alignments_equal_naive(stages: Sequence[str]) -> None:
    rng = random.Random(f"meteor, long {stages}")
    check(random_pairs(rng, 120, 60), stages)


def test_equal_hashes_are_equal_words() -> None:
    """Java's String.hashCode of "je" and of "l'" is 3387, and METEOR compares nothing else."""
    assert naive.word_hash("je") == naive.word_hash("l'") == 3387
    assert naive.word_hash("\U0001f600") == 31 * 0xD83D + 0xDE00
    found = kernel_block(["je vois"], ["l' homme"], ("exact",)).matches(0)
    assert found == [(["je", "vois"], ["l'", "homme"], [(0, 0, 1, 0, 1)], None)]
    check([(["\U0001f600", "l'"], ["je", "\U0001f600"])], ("exact",))


def test_identical_texts_match_word_by_word() -> None:
    """The shortcut finds what the search finds, whatever repeats."""
    rng = random.Random("meteor identity")
    texts = [rng.choices("ab.", k=rng.randint(0, 30)) for _ in range(60)]
    check([(text, text) for text in texts], naive.STAGES)


# Hostile input


def test_words_may_occur_thousands_of_times() -> None:
    """Time stays in bounds where METEOR's own would not: candidates far from the position are left out."""
    texts = ["a b " * 1200, "b a " * 1200, "walk walks " * 1200, "walks walking " * 1200, "big large great " * 800]
    pairs = list(itertools.product(texts, texts))
    rows = np.zeros((len(pairs), 23))
    block = kernel_block([output for output, _ in pairs], [reference for _, reference in pairs], naive.STAGES)
    block.count(0, rows)
    assert (rows[:, :2] == 2400).all()
    by_pair = dict(zip(pairs, rows, strict=True))
    assert by_pair[texts[0], texts[0]][-3:].tolist() == [0, 2400, 2400]
    assert by_pair[texts[0], texts[1]][4:8].sum() >= 2 * 2390  # nearly all, out of order by one


def test_any_bytes() -> None:
    rng = random.Random("meteor bytes")
    bounds = np.array([0, 40, 80, 200], dtype=np.int64)
    for _ in range(50):
        buffer = np.frombuffer(rng.randbytes(200), dtype=np.uint8)
        view = _kernel.View(buffer, bounds[:-1], bounds[1:])
        _kernel.tokenize_meteor(view, "right", PREFIXES, rng.random() < 0.5)
        block = _kernel.MeteorBlock(view, [view], True, 0, 3)
        block.set_function_words(["\ufffd"])
        block.set_stems(block.words())
        block.set_synonyms(_kernel.Synonyms(buffer), True)
        block.set_paraphrases(_kernel.Paraphrases(buffer))
        rows = np.zeros((3, 23))
        block.count(0, rows)
        assert (rows[:, -2] == rows[:, 0]).all()
        assert not rows[:, -3].any()


def test_what_does_not_fit_is_refused() -> None:
    one, two = Lines.of(["a"]).view, Lines.of(["a", "b"]).view
    with pytest.raises(ValueError, match="2 references"):
        _kernel.MeteorBlock(one, [two], False, 0, 2).count(0, np.zeros((1, 23)))
    with pytest.raises(ValueError, match="lie outside"):
        _kernel.MeteorBlock(one, [one], False, 0, 2)
    block = _kernel.MeteorBlock(one, [one], False, 0, 1)
    with pytest.raises(ValueError, match="2 stems, but 1 words"):
        block.set_stems(["a", "b"])
    with pytest.raises(ValueError, match="no such stream"):
        block.count(1, np.zeros((1, 23)))
    with pytest.raises(ValueError, match="at least 23 columns"):
        block.count(0, np.zeros((1, 22)))
    with pytest.raises(ValueError, match="no such stream"):
        block.matches(1)
    with pytest.raises(ValueError, match="2 references"):
        _kernel.MeteorBlock(one, [two], False, 0, 2).matches(0)
    with pytest.raises(ValueError, match="2 rows"):
        _kernel.MeteorBlock(one, [two], False, 0, 2).count_pairs(np.zeros((1, 23)))
