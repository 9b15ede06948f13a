"""Words and numbers made to collide: tables hash by secrets of the process, so that nobody can make up such words.

The hashes that tables had before they had secrets are turned round here: what is asked for is a value, what comes out
is a word that has it. All those words would want one slot, and finding n of them would take n (n - 1) / 2 steps.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tertium import _kernel

WORDS = 2000
BITS = 24  # of the slot: the words collide in all tables of up to 2**24 slots
ONES = 0xFFFF_FFFF_FFFF_FFFF
GOLDEN, MIX, LONG_A, LONG_B = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
MURMUR, MURMUR_SEED = 0xC6A4A7935BD1E995, 0xC70F6907  # of std::hash in libstdc++

Values = NDArray[np.uint64]


def u64(value: int) -> np.uint64:
    return np.uint64(value & ONES)


def times(values: Values, factor: int) -> Values:
    return values * u64(factor)


def over(values: Values, factor: int) -> Values:
    """The inverse of `times`, for an odd factor."""
    return values * u64(pow(factor, -1, 1 << 64))


def shifted(values: Values, bits: int = 32) -> Values:
    """`x ^ x >> bits`, which for half of all bits or more is its own inverse."""
    return values ^ (values >> u64(bits))


def mixed(values: Values) -> Values:
    return shifted(times(shifted(values), MIX))


def unmixed(values: Values) -> Values:
    return shifted(over(shifted(values), MIX))


def long_step(values: Values) -> Values:
    return shifted(times(values, LONG_A))


def unlong_step(values: Values) -> Values:
    return over(shifted(values), LONG_A)


def random_values(count: int) -> Values:
    return np.random.default_rng(1).integers(0, 1 << 64, count, dtype=np.uint64)


LENGTH = 8 << 56  # what the key of a word of eight bytes has in its second half
TURNED = LENGTH << 23 & ONES | LENGTH >> 41


def old_vocabulary(low: Values) -> Values:
    return times(low ^ u64(TURNED), GOLDEN) >> u64(64 - BITS)


def old_types(low: Values) -> Values:
    return mixed(times(low ^ u64(TURNED), GOLDEN)) & u64((1 << BITS) - 1)


def old_numbers(block: Values) -> Values:
    start = MURMUR_SEED ^ (8 * MURMUR & ONES)
    value = times(u64(start) ^ times(shifted(times(block, MURMUR), 47), MURMUR), MURMUR)
    return shifted(times(shifted(value, 47), MURMUR), 47) & u64((1 << BITS) - 1)


def make_vocabulary() -> Values:
    return over(random_values(WORDS) >> u64(BITS), GOLDEN) ^ u64(TURNED)


def make_types() -> Values:
    return over(unmixed(random_values(WORDS) << u64(BITS)), GOLDEN) ^ u64(TURNED)


def make_numbers() -> Values:
    start = MURMUR_SEED ^ (8 * MURMUR & ONES)
    value = shifted(over(shifted(random_values(WORDS) << u64(BITS), 47), MURMUR), 47)
    return over(shifted(over(over(value, MURMUR) ^ u64(start), MURMUR), 47), MURMUR)


def as_words(*blocks: Values) -> _kernel.View:
    """Words of eight bytes for each block; no table asks whether they are UTF-8."""
    letters = np.stack(blocks, axis=1)
    ends = np.arange(1, len(letters) + 1) * 8 * len(blocks)
    return _kernel.View(letters.astype("<u8").tobytes(), ends - 8 * len(blocks), ends)


def check(words: _kernel.View, table: str) -> None:
    """Few more steps than words, where collisions would make it half their square."""
    assert _kernel.count_steps(words, table) < 4 * WORDS < WORDS * (WORDS - 1) // 2


@pytest.mark.parametrize(
    ("table", "make", "old"),
    [
        ("vocabulary", make_vocabulary, old_vocabulary),
        ("types", make_types, old_types),
        ("numbers", make_numbers, old_numbers),
    ],
)
def test_short_words_that_had_one_slot(table, make, old) -> None:
    words = make()
    assert len(set(words.tolist())) == WORDS
    assert len(set(old(words).tolist())) == 1
    check(as_words(words), table)


def test_long_words_of_one_key_in_a_vocabulary() -> None:
    """Three blocks: the first is free, the others are chosen such that both hashes end as those of all others do."""
    first, start, second = random_values(WORDS), u64(24), u64(GOLDEN)
    after_one = long_step(start ^ first)
    after_two = u64(12345) - times(second + after_one, LONG_B)  # so that their sum is always the same
    blocks = first, unlong_step(after_two) ^ after_one, after_two ^ u64(67890)
    assert len(set(long_step(after_two ^ blocks[2]).tolist())) == 1
    assert len(set((times(second + after_one, LONG_B) + after_two).tolist())) == 1
    check(as_words(*blocks), "vocabulary")


def test_long_words_of_one_hash_among_types() -> None:
    first = random_values(WORDS)
    after_one = mixed(u64(16 * GOLDEN) ^ first)
    last = after_one ^ u64(67890)
    assert len(set(mixed(after_one ^ last).tolist())) == 1
    check(as_words(first, last), "types")
    check(as_words(first, last), "numbers")


def test_words_of_every_length_take_few_steps() -> None:
    texts = [b"x" * (k % 40) + str(k).encode() for k in range(WORDS)]
    ends = np.cumsum([len(text) for text in texts])
    words = _kernel.View(b"".join(texts), ends - [len(text) for text in texts], ends)
    for table in ("vocabulary", "types", "numbers"):
        check(words, table)


NUMBERS = np.arange(WORDS, dtype=np.uint64)


@pytest.mark.parametrize(
    ("keys", "ngrams"),
    [
        (over(NUMBERS, GOLDEN), True),  # n-grams: the first bits of the product were the slot
        (over(unmixed(NUMBERS << u64(BITS)), GOLDEN), False),  # pairs: its last bits, mixed
        (NUMBERS * u64(62233), False),  # maps of the standard library: the rest by a prime
    ],
)
def test_numbers_that_had_one_slot(keys: Values, ngrams: bool) -> None:
    """The bits that tables take, the first or the last, are about as different as random ones: 0.885 n in 4 n slots."""
    hashes = np.array(_kernel.hash_numbers(keys.tolist(), ngrams), dtype=np.uint64)
    part = hashes >> u64(40) if ngrams else hashes & u64((1 << BITS) - 1)
    assert len(set((part * u64(4 * WORDS) >> u64(BITS)).tolist())) > WORDS / 4


def test_every_process_has_secrets_of_its_own() -> None:
    code = "from tertium import _kernel; print(_kernel.hash_numbers([1, 2, 3]))"
    found = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(3)}
    assert len(found) == 3


COUNTED = """
import sys
import tertium as tt

given = tt.read_testset(sys.argv[1])
for metric in "bleu,chrf(words=2),ter,wer,cer,nist,macrof,meteor,hlepor,per".split(","):
    evaluation = tt.evaluate(given.testset, given.systems, metric)
    for stats in evaluation.table.values():
        rows = stats.rows
        print(stats.columns, *(repr(getattr(rows, name, rows).tobytes()) for name in ("starts", "indices", "values")))
texts = list(given.systems[0].outputs)
print(tt.pairwise(texts[:9], texts, "chrf").tobytes())
"""


def test_no_result_depends_on_the_secrets() -> None:
    testset = Path(__file__).parents[2] / "examples" / "testset.toml"
    runs = [subprocess.run([sys.executable, "-c", COUNTED, testset], capture_output=True, check=True) for _ in range(3)]
    assert len({run.stdout for run in runs}) == 1
    assert len(runs[0].stdout) > 100_000


def test_an_unknown_table() -> None:
    with pytest.raises(ValueError, match="the kernel has no table 'x'"):
        _kernel.count_steps(as_words(random_values(1)), "x")
