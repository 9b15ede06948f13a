"""What the kernel counts, against naive counting: n-grams, chrF, edits, TER, position-independent errors."""

import itertools
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, disturb, make_testset, random_text, random_words
from rapidfuzz.distance import Levenshtein
from reference import chrf, edits, ngrams, ter, tokenizers

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.metrics import parse

Words = Sequence[str]
Pair = tuple[str, str]  # output, reference


def text_of(words: Words) -> str:
    return " ".join(words)


def ngram_rows(
    outputs: Sequence[str | None], streams: Sequence[Sequence[str | None]], order: int, tokenizer: str = "none"
) -> np.ndarray:
    rows = np.zeros((len(outputs), 2 * order + 1 + len(streams)))
    views = [Lines.of(stream).view for stream in streams]
    _kernel.count_ngrams(Lines.of(outputs).view, views, tokenizer, tokenizer, order, rows)
    return rows


def chrf_rows(pairs: Sequence[Pair], chars: int, words: int, lower: bool = False, space: bool = False) -> np.ndarray:
    rows = np.zeros((len(pairs), 3 * (chars + words)))
    outputs, references = (Lines.of(side) for side in zip(*pairs, strict=True))
    _kernel.count_chrf(outputs.view, references.view, chars, words, lower, space, rows)
    return rows


def edit_rows(pairs: Sequence[Pair], tokenizer: str = "none") -> np.ndarray:
    rows = np.zeros((len(pairs), 4))
    outputs, references = (Lines.of(side) for side in zip(*pairs, strict=True))
    _kernel.count_edits(outputs.view, references.view, tokenizer, tokenizer, rows)
    return rows


def ter_rows(pairs: Sequence[Pair], tokenizer: str = "none") -> np.ndarray:
    rows = np.zeros((len(pairs), 2))
    outputs, references = (Lines.of(side) for side in zip(*pairs, strict=True))
    _kernel.count_translation_edits(outputs.view, references.view, tokenizer, tokenizer, rows)
    return rows


def operations(output: Words, reference: Words, tokenizer: str = "none") -> str:
    buffers = (Lines.of([text_of(words)]).buffer for words in (output, reference))
    return _kernel.edit_operations(*buffers, tokenizer)


# Clipped n-grams


WORDS = st.lists(st.sampled_from("abcde"), max_size=14)


def naive_ngram_row(output: Words, references: Sequence[Words], order: int) -> list[float]:
    matches, totals = ngrams.clipped(list(output), [list(words) for words in references], order)
    return [*matches, *totals, len(output), *map(len, references)]


@settings(max_examples=200)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=5), order=st.integers(1, 8))
def test_clipped_ngrams(output: list[str], references: list[list[str]], order: int) -> None:
    [row] = ngram_rows([text_of(output)], [[text_of(words)] for words in references], order)
    assert row.tolist() == naive_ngram_row(output, references, order)


@pytest.mark.parametrize("types", [1, 2, 3, 10, 1000])
def test_clipped_ngrams_of_many_segments(types: int) -> None:
    """One call for all: what a segment leaves in the tables is not seen by the next one."""
    rng = random.Random(types)
    for order in range(1, 9):
        streams = rng.randint(1, 4)
        references = [[random_words(rng, 60, types) for _ in range(streams)] for _ in range(40)]
        outputs = [disturb(rng, rng.choice(refs), types) for refs in references]
        texts = [[text_of(refs[k]) for refs in references] for k in range(streams)]
        rows = ngram_rows([text_of(words) for words in outputs], texts, order)
        expected = [naive_ngram_row(o, refs, order) for o, refs in zip(outputs, references, strict=True)]
        assert rows.tolist() == expected


@settings(max_examples=60)
@given(
    output=st.none() | WORDS,
    references=st.lists(st.none() | WORDS, min_size=1, max_size=4),
    order=st.integers(1, 4),
)
def test_missing_texts(output: list[str] | None, references: list[list[str] | None], order: int) -> None:
    """A missing reference has length -1; without an output or any reference nothing is counted."""
    present = [words for words in references if words is not None]
    texts = [[None if words is None else text_of(words)] for words in references]
    [row] = ngram_rows([None if output is None else text_of(output)], texts, order)
    if output is None or not present:
        assert row.tolist() == [0.0] * (2 * order + 1) + [-1.0] * len(references)
        return
    expected = naive_ngram_row(output, present, order)
    lengths = [-1 if words is None else len(words) for words in references]
    assert row.tolist() == [*expected[: 2 * order + 1], *lengths]


@settings(max_examples=60)
@given(output=TEXTS, reference=TEXTS, name=st.sampled_from(["13a", "intl", "zh", "char", "none"]))
def test_clipped_ngrams_of_any_text(output: str, reference: str, name: str) -> None:
    """Words are compared as bytes: also those of more than eight, of equal ends, and with NUL inside."""
    [row] = ngram_rows([output], [[reference]], 4, name)
    sides = (tokenizers.tokenize(text, name) for text in (output, reference))
    output_words, reference_words = sides
    assert row.tolist() == naive_ngram_row(output_words, [reference_words], 4)


def test_words_that_look_alike() -> None:
    """Of all lengths around eight bytes, NUL at every place, long ones that differ in one byte."""
    rng = random.Random("alike")
    words = ["a" * n for n in range(1, 40)] + ["\x00" * n for n in range(1, 20)]
    words += ["a" * k + "\x00" + "a" * (n - k) for n in range(1, 12) for k in range(n + 1)]
    words += ["x" * k + "y" + "x" * (29 - k) for k in range(30)] + ["é" * n for n in range(1, 9)]
    assert len(set(words)) == len(words)
    for _ in range(20):
        output, reference = (rng.choices(words, k=300) for _ in range(2))
        [row] = ngram_rows([text_of(output)], [[text_of(reference)]], 2)
        assert row.tolist() == naive_ngram_row(output, [reference], 2)


@pytest.mark.parametrize("several", [False, True])
def test_more_than_65535_different_words(several: bool) -> None:
    rng = random.Random("wide")
    output = [f"w{k}" for k in range(70_000)]
    reference = output[:]
    for k in range(0, 70_000, 7):
        reference[k] = f"x{k}" if k % 2 else output[rng.randrange(70_000)]
    references = [reference, output[::-1]] if several else [reference]
    [row] = ngram_rows([text_of(output)], [[text_of(words)] for words in references], 4)
    assert row.tolist() == naive_ngram_row(output, references, 4)


def test_hundreds_of_orders_of_long_lines() -> None:
    """A shared block in a line of a million other characters: n-grams up to the block's length, clipped."""
    rng = random.Random("orders")
    block = "".join(rng.choices("xyz", k=40)) * 16  # it repeats, so n-grams are clipped, not just present
    other = block[100:] + "w" + block[:150]
    orders = 560
    pairs = [("b" * 2**20 + block, other), (block + "b" * 2**20, block), ("b" * 2**21 + other, block)]
    rows = chrf_rows(pairs, orders, 0)
    for (_, reference), inside, row in zip(pairs, (block, block, other), rows, strict=True):
        for n in [1, 2, 3, *range(20, orders, 45), *range(500, 520), orders]:
            ours, theirs = (Counter(t[i : i + n] for i in range(len(t) - n + 1)) for t in (inside, reference))
            assert row[3 * n - 1] == (ours & theirs).total(), n
            assert row[3 * n - 2] == max(0, len(reference) - n + 1)


def texts_that_share(rng: random.Random, letters: str, longest: int) -> tuple[str, str]:
    """One is made of pieces of the other: n-grams that occur once, often, and on one side only."""
    reference = "".join(rng.choices(letters, k=rng.randint(0, longest)))
    output = ""
    while len(output) < rng.randint(0, longest):
        start = rng.randint(0, len(reference))
        output += rng.choice([reference[start : start + rng.randint(1, 12)], rng.choice(letters + "#")])
    return output, reference


LETTERS_OF = ["ab", "abc", "abcdefgh", "abcdefghijklmnopqrstuvwxyz", "a"]


def compare_shared(seed: str, count: int) -> None:
    """The same texts read as words and as characters, with one and with several references."""
    rng = random.Random(seed)
    for _ in range(count):
        letters, longest, order = rng.choice(LETTERS_OF), rng.choice([6, 20, 60, 150]), rng.randint(1, 8)
        pairs = [texts_that_share(rng, letters, longest) for _ in range(5)]
        expected = [list(itertools.chain(*chrf.statistics(*pair, order, 0))) for pair in pairs]
        assert chrf_rows(pairs, order, 0).tolist() == expected
        outputs = [text_of(output) for output, _ in pairs]
        streams = [[reference for _, reference in pairs], [output[::-1] for output, _ in pairs]]
        for several in (streams[:1], streams, [*streams, streams[0][::-1]]):
            rows = ngram_rows(outputs, [[text_of(text) for text in stream] for stream in several], order)
            references = list(zip(*several, strict=True))
            assert rows.tolist() == [
                naive_ngram_row(output, refs, order) for (output, _), refs in zip(pairs, references, strict=True)
            ]


def test_ngrams_of_texts_that_share() -> None:
    compare_shared("shared", 40)


@pytest.mark.slow
def test_ngrams_of_many_texts_that_share() -> None:
    compare_shared("many shared", 3000)


# chrF


@settings(max_examples=150)
@given(
    output=TEXTS,
    reference=TEXTS,
    chars=st.integers(0, 8),
    words=st.integers(0, 3),
    lowercase=st.booleans(),
    whitespace=st.booleans(),
)
def test_chrf_statistics(
    output: str, reference: str, chars: int, words: int, lowercase: bool, whitespace: bool
) -> None:
    [row] = chrf_rows([(output, reference)], chars, words, lowercase, whitespace)
    expected = chrf.statistics(output, reference, chars, words, whitespace, lowercase)
    assert row.tolist() == list(itertools.chain(*expected))


@pytest.mark.parametrize(("lowercase", "whitespace"), list(itertools.product([False, True], repeat=2)))
def test_chrf_statistics_of_many_segments(lowercase: bool, whitespace: bool) -> None:
    rng = random.Random(f"{lowercase} {whitespace}")
    pairs = []
    for _ in range(200):
        reference = random_text(rng, 40)
        cut = rng.randint(0, len(reference))
        pairs.append((reference[:cut] + random_text(rng, 5) + reference[cut:], reference))
    for chars, words in [(6, 2), (8, 3), (1, 0), (0, 1)]:
        expected = [
            list(itertools.chain(*chrf.statistics(*pair, chars, words, whitespace, lowercase))) for pair in pairs
        ]
        assert chrf_rows(pairs, chars, words, lowercase, whitespace).tolist() == expected


def test_more_than_1023_different_characters() -> None:
    rng = random.Random("han")
    chars = [chr(code) for code in range(0x4E00, 0x9FA5)] + [chr(code) for code in range(0x20000, 0x21000)]
    for size in (1023, 1024, 1025, 5000, 20_000):
        reference = "".join(rng.sample(chars, size))
        output = "".join(char if rng.random() < 0.8 else rng.choice(chars) for char in reference)
        expected = list(itertools.chain(*chrf.statistics(output, reference, 6, 2)))
        assert chrf_rows([(output, reference)], 6, 2)[0].tolist() == expected


# Very long lines


sizes = pytest.mark.parametrize("megabytes", [1, pytest.param(10, marks=pytest.mark.slow)])


@sizes
def test_words_of_long_lines(megabytes: int) -> None:
    """Against themselves and against a short line: what must come out is known without counting twice."""
    words = [f"w{k % 1000}" for k in range(220_000 * megabytes)]
    line = text_of(words)
    assert len(line) > megabytes * 1_000_000
    short = "w1 w2 w3 nothing w0"
    rows = ngram_rows([line, line, short], [[line, short, line]], 4)
    n = len(words)
    totals = [n, n - 1, n - 2, n - 3]
    assert rows[0].tolist() == [*totals, *totals, n, n]
    assert rows[1].tolist() == [4, 2, 1, 0, *totals, n, 5]
    assert rows[2].tolist() == [4, 2, 1, 0, 5, 4, 3, 2, 5, n]
    assert edit_rows([(line, line)]).tolist() == [[n, 0, 0, 0]]
    assert edit_rows([(line, short), (short, line)]).tolist() == [[4, 1, 0, n - 5], [4, 1, n - 5, 0]]
    assert ter_rows([(line, ""), ("", line)]).tolist() == [[n, 0], [n, n]]


@sizes
def test_characters_of_long_lines(megabytes: int) -> None:
    line = "abcdefghij" * (100_000 * megabytes)
    n = len(line)
    rows = chrf_rows([(line, line), (line, "jab"), ("xabcx", line)], 6, 1)
    for k in range(6):
        assert rows[0, 3 * k : 3 * k + 3].tolist() == [n - k] * 3
        assert rows[1, 3 * k : 3 * k + 3].tolist() == ([n - k, 3 - k, 3 - k] if k < 3 else [0, 0, 0])
        assert rows[2, 3 * k : 3 * k + 3].tolist() == [max(0, 5 - k), n - k, max(0, 3 - k)]
    assert rows[:, 18:].tolist() == [[1, 1, 1], [1, 1, 0], [1, 1, 0]]


# Edits


def naive_edit_row(output: Words, reference: Words) -> list[int]:
    return list(edits.align(reference, output))


LETTERS = {"equal": "=", "substitute": "S", "delete": "D", "insert": "I"}


def naive_operations(output: Words, reference: Words) -> str:
    return "".join(LETTERS[kind] for kind, _, _ in edits.operations(reference, output))


@settings(max_examples=200)
@given(output=WORDS, reference=WORDS)
def test_edits_of_short_segments(output: list[str], reference: list[str]) -> None:
    assert edit_rows([(text_of(output), text_of(reference))]).tolist() == [naive_edit_row(output, reference)]
    assert operations(output, reference) == naive_operations(output, reference)


@pytest.mark.parametrize("types", [2, 4, 30])
@pytest.mark.parametrize("longest", [10, 63, 64, 65, 66, 130, 200])
def test_edits_around_the_block_size(types: int, longest: int) -> None:
    """Blocks hold 64 reference words; all alignments equal the naive one, step by step."""
    rng = random.Random(f"{types} {longest}")
    pairs = []
    for _ in range(8):
        reference = random_words(rng, longest, types, shortest=longest - 3)
        pairs += [(disturb(rng, reference, types), reference), (random_words(rng, longest + 40, types), reference)]
    rows = edit_rows([(text_of(output), text_of(reference)) for output, reference in pairs])
    assert rows.tolist() == [naive_edit_row(*pair) for pair in pairs]
    for pair in pairs[:6]:
        assert operations(*pair) == naive_operations(*pair)


def test_edits_of_more_than_512_words() -> None:
    rng = random.Random("long")
    for types, size in [(3, 520), (50, 700), (1000, 600)]:
        reference = random_words(rng, size, types, shortest=size)
        output = disturb(rng, reference, types)
        assert operations(output, reference) == naive_operations(output, reference)


def test_edits_equal_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    rng = random.Random("jiwer")
    pairs = []
    for _ in range(300):
        reference = random_words(rng, 59, rng.choice([2, 5, 40]), shortest=1)
        pairs.append((disturb(rng, reference, 5), reference))
    rows = edit_rows([(text_of(output), text_of(reference)) for output, reference in pairs], "spaces")
    for row, (output, reference) in zip(rows, pairs, strict=True):
        peer = jiwer.process_words(text_of(reference), text_of(output))
        assert row.tolist() == [peer.hits, peer.substitutions, peer.deletions, peer.insertions]
        chunks = (
            LETTERS[chunk.type] * max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
            for chunk in peer.alignments[0]
        )
        assert operations(output, reference, "spaces") == "".join(chunks)


@settings(max_examples=100)
@given(output=TEXTS, reference=TEXTS)
def test_character_edits_equal_naive(output: str, reference: str) -> None:
    expected = naive_edit_row(tokenizers.characters(output), tokenizers.characters(reference))
    assert edit_rows([(output, reference)], "codepoints").tolist() == [expected]


@pytest.mark.parametrize("longest", [63, 64, 65, 129, 300])
def test_character_edits_around_the_block_size(longest: int) -> None:
    rng = random.Random(longest)
    for letters in ("ab", "aàA中\U0010ffff ", "".join(map(chr, range(0x4E00, 0x5A00)))):
        reference = "x" + "".join(rng.choices(letters, k=longest)) + "x"
        output = "y" + "".join(c for c in reference if rng.random() < 0.8) + rng.choice(letters) + "y"
        for suffix in ("", "+lower"):
            sides = [tokenizers.characters(text, bool(suffix)) for text in (output, reference)]
            assert edit_rows([(output, reference)], f"codepoints{suffix}").tolist() == [naive_edit_row(*sides)]
            steps = _kernel.edit_operations(output.encode(), reference.encode(), f"codepoints{suffix}")
            assert steps == naive_operations(*sides)


def replay(steps: str, output: Words, reference: Words) -> int:
    """Follow the steps over both sides; returns the number of edits."""
    i = j = 0
    for step in steps:
        if step in "=S":
            assert (output[j] == reference[i]) == (step == "=")
        i += step != "I"
        j += step != "D"
    assert (i, j) == (len(reference), len(output))
    return sum(step != "=" for step in steps)


STRIDES = [  # reference, output, types: the saved columns are 2^22 / (reference / 64) apart
    (30_000, 30_000, 5000),
    pytest.param(26_000, 24_000, 4, marks=pytest.mark.slow),
    pytest.param(24_001, 35_000, 2, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("r", "c", "types"), STRIDES)
def test_edits_of_sequences_too_long_to_keep(r: int, c: int, types: int) -> None:
    """Columns are saved now and then and computed again on the way back: the path is whole, and shortest."""
    rng = random.Random(r)
    reference, output = random_words(rng, r, types, shortest=r), random_words(rng, c, types, shortest=c)
    assert c > 2 * (2**22 // -(-r // 64) + 1)  # three strides at least
    steps = operations(output, reference)
    assert replay(steps, output, reference) == Levenshtein.distance(reference, output)
    counts = Counter(steps)
    row = edit_rows([(text_of(output), text_of(reference))])
    assert row.tolist() == [[counts["="], counts["S"], counts["D"], counts["I"]]]


def test_edits_of_a_short_reference_and_a_very_long_output() -> None:
    """Two blocks, so that only millions of output words need several strides."""
    rng = random.Random("strides")
    reference = [f"w{k}" for k in range(70)]
    output = ["x"] * 4_500_000
    places = sorted(rng.sample(range(len(output)), 60))
    for place, word in zip(places, reference[5:65], strict=True):
        output[place] = word
    row = edit_rows([(text_of(output), text_of(reference))])
    assert row.tolist() == [[60, 10, 0, len(output) - 70]]


def table_signs(reference: np.ndarray, output: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where D(i, j) rises and falls from D(i - 1, j): bits by row i and column j, by plain dynamic programming."""
    columns = np.arange(len(output) + 1)
    above = columns.copy()
    shape = (len(reference) + 1, len(columns) // 8 + 1)
    rises, falls = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    for i, word in enumerate(reference, start=1):
        row = above + 1
        np.minimum(row[1:], above[:-1] + (output != word), out=row[1:])
        row = np.minimum.accumulate(row - columns) + columns  # insertions
        rise, fall = np.packbits(row > above), np.packbits(row < above)
        rises[i, : len(rise)], falls[i, : len(fall)] = rise, fall
        above = row
    return rises, falls


def follow(reference: np.ndarray, output: np.ndarray) -> str:
    """The rule of METRICS.md on that table."""
    start = 0
    while start < min(len(reference), len(output)) and reference[start] == output[start]:
        start += 1
    end = 0
    while end < min(len(reference), len(output)) - start and reference[-1 - end] == output[-1 - end]:
        end += 1
    inner, words = reference[start : len(reference) - end], output[start : len(output) - end]
    rises, falls = table_signs(inner, words)

    def bit(bits: np.ndarray, i: int, j: int) -> bool:
        return bool(bits[i, j // 8] >> (7 - j % 8) & 1)

    i, j, steps = len(inner), len(words), []
    while i or j:
        if i and bit(rises, i, j):
            i, step = i - 1, "D"
        elif not i or (j and bit(falls, i, j - 1)):
            j, step = j - 1, "I"
        else:
            i, j = i - 1, j - 1
            step = "=" if inner[i] == words[j] else "S"
        steps.append(step)
    return "=" * start + "".join(reversed(steps)) + "=" * end


def numbers(rng: random.Random, types: int, size: int) -> np.ndarray:
    return np.array([rng.randrange(types) for _ in range(size)])


def test_fast_judge_equals_naive() -> None:
    rng = random.Random("judge")
    for _ in range(100):
        a, b = (numbers(rng, 4, rng.randint(0, 40)) for _ in range(2))
        assert follow(a, b) == naive_operations([f"{w}" for w in b], [f"{w}" for w in a])


@pytest.mark.slow
@pytest.mark.parametrize(("r", "c", "types"), STRIDES)
def test_every_step_of_sequences_too_long_to_keep(r: int, c: int, types: int) -> None:
    rng = random.Random(c)
    reference, output = numbers(rng, types, r), numbers(rng, types, c)
    steps = operations([f"w{k}" for k in output], [f"w{k}" for k in reference])
    assert steps == follow(reference, output)


@pytest.mark.slow
def test_many_edits_equal_naive() -> None:
    rng = random.Random("many edits")
    for _ in range(6000):
        types = rng.choice([1, 2, 3, 8, 50])
        reference = random_words(rng, rng.choice([8, 30, 70, 140]), types)
        output = rng.choice([disturb(rng, reference, types), random_words(rng, 90, types)])
        assert operations(output, reference) == naive_operations(output, reference)


# Position-independent errors


@settings(max_examples=150)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
def test_position_independent_errors(output: list[str], references: list[list[str]]) -> None:
    metric = parse("per")
    testset = make_testset([[text_of(words) for words in references]])
    [row] = metric.stats(Lines.of([text_of(output)]), metric.prepare(testset)).segments()
    errors = [edits.per_edits(words, output) for words in references]
    best = references[errors.index(min(errors))]
    matches = (Counter(output) & Counter(best)).total()
    assert row.tolist() == [min(errors), matches, len(output), len(best)]


# Translation edits


def naive_ter_row(output: Words, reference: Words) -> list[float]:
    return [ter.edits(list(output), list(reference)), len(reference)]


def compare_ter(pairs: Sequence[tuple[Words, Words]]) -> None:
    rows = ter_rows([(text_of(output), text_of(reference)) for output, reference in pairs])
    for row, pair in zip(rows, pairs, strict=True):
        assert row.tolist() == naive_ter_row(*pair), pair


@settings(max_examples=200)
@given(output=WORDS, reference=WORDS)
def test_translation_edits_of_short_segments(output: list[str], reference: list[str]) -> None:
    compare_ter([(output, reference)])


def mildly_disturbed(rng: random.Random, size: int) -> tuple[Words, Words]:
    """One short block moved and a few words changed: few candidates, so that the naive search is bearable."""
    line = [f"w{k}" for k in range(size)]
    start, jump = rng.randrange(60, size - 120), rng.randint(3, 40)
    moved = line[:start] + line[start + 3 : start + 3 + jump] + line[start : start + 3] + line[start + 3 + jump :]
    for place in rng.sample(range(size), size // 20):
        moved[place] = "x"
    return moved, line


@pytest.mark.parametrize(
    "size", [190, pytest.param(513, marks=pytest.mark.slow), pytest.param(600, marks=pytest.mark.slow)]
)
def test_translation_edits_of_long_segments(size: int) -> None:
    """References of several blocks of 64 words, and of more than the filter of candidates takes."""
    rng = random.Random(size)
    compare_ter([mildly_disturbed(rng, size) for _ in range(2)])


def shuffled_pairs(rng: random.Random, longest: int, count: int) -> list[tuple[Words, Words]]:
    """Few types, so that blocks are found in many places; moved blocks, dropped and changed words."""
    pairs: list[tuple[Words, Words]] = []
    for _ in range(count):
        types = rng.choice([2, 4, longest // 2 + 1, 2 * longest])
        reference = random_words(rng, longest, types, shortest=longest // 2)
        pairs.append((disturb(rng, reference, types), reference))
    return pairs


@pytest.mark.parametrize(("longest", "count"), [(6, 150), (12, 60), (20, 20), (40, 5), (70, 2), (120, 1)])
def test_translation_edits_of_moved_blocks(longest: int, count: int) -> None:
    compare_ter(shuffled_pairs(random.Random(longest), longest, count))


@pytest.mark.slow
@pytest.mark.parametrize(("longest", "count"), [(8, 6000), (15, 1500), (30, 200), (60, 30), (120, 12)])
def test_translation_edits_of_many_moved_blocks(longest: int, count: int) -> None:
    compare_ter(shuffled_pairs(random.Random(f"many {longest}"), longest, count))


@pytest.mark.parametrize(("c", "r"), [(0, 5), (5, 0), (0, 0), (1, 60), (1, 120), (3, 170), (60, 1), (110, 30)])
def test_translation_edits_of_unequal_lengths(c: int, r: int) -> None:
    """The beam follows the pseudo-diagonal, and widens where one output word spans many reference words."""
    line = [f"w{k}" for k in range(max(c, r))]
    pairs = []
    for start in {0, 24, 25, 26, max(c, r) - min(c, r)}:
        part = line[start : start + min(c, r)]
        pairs.append((part, line[:r]) if c < r else (line[:c], part))
    compare_ter(pairs)


@pytest.mark.parametrize(("length", "jump"), [(9, 14), (10, 14), (11, 14), (2, 49), (2, 50), (2, 51), (2, 52)])
def test_translation_edits_at_the_limits_of_a_move(length: int, jump: int) -> None:
    """A block has at most 10 words and moves at most 50 places."""
    line = [f"w{k}" for k in range(length + jump + 4)]
    moved = line[:2] + line[2 + length : 2 + length + jump] + line[2 : 2 + length] + line[2 + length + jump :]
    compare_ter([(moved, line), (line, moved)])


# Lines that try 999, 1000 or more moves, in the first round or later; each letter is a word.
CLOSE_CALLS = """
    babaaaabaaaaaaaaaaabbaa bbaabbaaaaaaabaaaaaaaaa
    abaaddcaacaaabaacaaaaaaabdaaaadacb caaaaaaaaaabdaaaaaabbcdaaccbadaada
    aaaaaaaaaabaaabaabaabaaaaaaaab baaaababbaaaaaaaaaabaaaaaaaaaa
    bbababababaabaaaabaabbbaaabbbb aabbaaaaabaabbbbbbbbaabbbaaaba
    baaabaaaaaaaaabaaaaaab babaaaababaaaaaaaaaaaa
    eaec dece
    bfdhdcbg hdgbca
""".split("\n")[1:-1]


@pytest.mark.parametrize("pair", CLOSE_CALLS)
def test_translation_edits_at_the_limit_of_candidates(pair: str) -> None:
    output, reference = pair.split()
    compare_ter([(output, reference)])


def test_translation_edits_of_twenty_thousand_words() -> None:
    """Bounded work: the limits hold for lines of any length. What comes out is known by construction."""
    rng = random.Random("paragraphs")
    line = [f"w{k}" for k in range(20_000)]
    wrong = line[:]
    places = rng.sample(range(len(line)), 3000)
    for place in places:
        wrong[place] = "x"  # never in the reference, so no move helps
    one_move = line[:9000] + line[9005:9020] + line[9000:9005] + line[9020:]
    rows = ter_rows(
        [(text_of(a), text_of(b)) for a, b in [(line, line), (wrong, line), (line, wrong), (one_move, line)]]
    )
    assert rows.tolist() == [[0, 20_000], [3000, 20_000], [3000, 20_000], [1, 20_000]]


@pytest.mark.parametrize("types", [2, 50, 5000])
def test_translation_edits_of_twenty_thousand_unrelated_words(types: int) -> None:
    """Every move of ten words saves at most twenty edits, and no search does worse than no move at all."""
    rng = random.Random(types)
    a, b = (random_words(rng, 20_000, types, shortest=20_000) for _ in range(2))
    [[found, length]] = ter_rows([(text_of(a), text_of(b))])
    assert length == 20_000
    assert Levenshtein.distance(a, b) / 20 <= found <= sum(x != y for x, y in zip(a, b, strict=True))


# What is refused


def bytes_of(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), dtype=np.uint8)


@pytest.mark.parametrize(
    ("starts", "ends"),
    [([0], [4]), ([-1], [2]), ([2], [1]), ([4], [4]), ([0, 9], [1, 9]), ([2**62], [2**62]), ([0], [-(2**63)])],
)
def test_a_view_refuses_lines_outside_its_buffer(starts: list[int], ends: list[int]) -> None:
    with pytest.raises(ValueError, match="a line lies outside its buffer"):
        _kernel.View(bytes_of("abc"), np.array(starts), np.array(ends))


@pytest.mark.parametrize(
    ("starts", "ends", "missing"), [([0], [1, 2], None), ([0, 1], [1], None), ([0], [1], [True, False]), ([0], [1], [])]
)
def test_a_view_refuses_unequal_lengths(starts: list[int], ends: list[int], missing: list[bool] | None) -> None:
    mask = None if missing is None else np.array(missing, dtype=bool)
    with pytest.raises(ValueError, match="one entry per line"):
        _kernel.View(bytes_of("abc"), np.array(starts), np.array(ends), mask)


@pytest.mark.parametrize(
    ("buffer", "starts"),
    [
        (np.zeros((3, 1), dtype=np.uint8), np.array([0])),
        ("abc", np.array([0])),
        (None, None),
    ],
)
def test_a_view_refuses_other_arrays(buffer: object, starts: object) -> None:
    with pytest.raises(TypeError):
        _kernel.View(buffer, starts, starts)  # type: ignore[arg-type]


def test_lines_at_the_edges_of_a_buffer() -> None:
    view = _kernel.View(bytes_of("abc"), np.array([0, 3, 0, 1]), np.array([0, 3, 3, 2]))
    assert [_kernel.gather(view, k, k + 1) for k in range(4)] == [b"", b"", b"abc", b"b"]
    assert _kernel.gather(view, 0, 4) == b"abcb"
    assert _kernel.gather(view, 4, 4) == b""
    for first, last in [(0, 5), (3, 2), (5, 5)]:
        with pytest.raises(ValueError, match="lines to gather lie outside"):
            _kernel.gather(view, first, last)
    with pytest.raises(TypeError):
        _kernel.gather(view, -1, 2)


def test_a_view_keeps_its_arrays_alive() -> None:
    """The arrays below have no other owner."""
    views = [_kernel.View(bytes_of(f"line {k}"), np.array([0]), np.array([6])) for k in range(200)]
    assert [_kernel.gather(view, 0, 1) for view in views] == [f"line {k}".encode()[:6] for k in range(200)]


def test_rows_of_the_wrong_shape_are_refused() -> None:
    two, one = Lines.of(["a", "b"]).view, Lines.of(["a"]).view
    wrong_rows = [((1, 9), 2), ((3, 9), 2), ((2, 3), 2)]
    for shape, _ in wrong_rows:
        rows = np.zeros(shape)
        with pytest.raises(ValueError, match="rows must have 2 rows and at least"):
            _kernel.count_ngrams(two, [two], "none", "none", 2, rows)
        with pytest.raises(ValueError, match="rows must have 2 rows and at least 9 columns"):
            _kernel.count_chrf(two, two, 3, 0, False, False, rows[:, :8].copy())
        with pytest.raises(ValueError, match="rows must have 2 rows and at least 4 columns"):
            _kernel.count_edits(two, two, "none", "none", rows)
        with pytest.raises(ValueError, match="rows must have 2 rows and at least 2 columns"):
            _kernel.count_translation_edits(two, two, "none", "none", rows[:, :1].copy())
    rows = np.zeros((2, 9))
    with pytest.raises(ValueError, match="2 outputs, but 1 references"):
        _kernel.count_ngrams(two, [two, one], "none", "none", 1, rows)
    with pytest.raises(ValueError, match="2 outputs, but 1 references"):
        _kernel.count_chrf(two, one, 1, 0, False, False, rows)
    with pytest.raises(ValueError, match="2 outputs, but 1 references"):
        _kernel.count_edits(two, one, "none", "none", rows)
    with pytest.raises(ValueError, match="2 outputs, but 1 references"):
        _kernel.count_translation_edits(two, one, "none", "none", rows)
    assert not rows.any()


@pytest.mark.parametrize("rows", [np.zeros(18), np.zeros((2, 9, 1)), [[0.0] * 9] * 2, None])
def test_rows_that_cannot_be_written_to_are_refused(rows: object) -> None:
    two = Lines.of(["a", "b"]).view
    with pytest.raises(TypeError):
        _kernel.count_edits(two, two, "none", "none", rows)  # type: ignore[arg-type]


def test_columns_are_summed() -> None:
    rng = random.Random("sums")
    rows = np.array([[float(rng.randrange(1000)) for _ in range(3)] for _ in range(500)])
    assert _kernel.column_sums(rows) == [sum(column) for column in rows.T.tolist()]
    assert _kernel.column_sums(np.zeros((0, 2))) == [0, 0]
    assert _kernel.column_sums(memoryview(bytearray(48)).cast("d", shape=(3, 2))) == [0, 0]


def test_what_the_kernel_says_about_lines() -> None:
    lines = Lines.of(["a .", None, "", "b .", " .", "é"]).view
    assert list(_kernel.line_lengths(lines)) == [3, -1, 0, 3, 2, 2]
    assert _kernel.count_endings(lines, " .") == 3
    assert _kernel.count_endings(lines, "") == 5
    for texts, same in [(["a", "a"], True), (["a", "b"], False), (["a", None], False), (["", None], False), ([], True)]:
        assert _kernel.all_equal(Lines.of(texts).view) == same


def test_rows_wider_than_needed_keep_the_rest() -> None:
    rows = np.full((1, 6), 7.0)
    line = Lines.of(["a b"]).view
    _kernel.count_edits(line, line, "none", "none", rows)
    assert rows.tolist() == [[2, 0, 0, 0, 7, 7]]
