"""The kernel's instructions for many bytes at once, each set that this processor has, against their scalar twin."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import MESSES, random_text

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.text import tokenizers

SETS = _kernel.simd()
TOKENIZERS = ["13a", "none", "spaces", "intl", "tercom+normalized", "chrf-words"]
BORDERS = bytes(range(0x21)) + b"!&'-./09:<@AZ[`az{\x7f"  # and their neighbours: where a range of a kind ends
other_sets = pytest.mark.parametrize("name", SETS[1:])


@pytest.fixture(autouse=True)
def _the_best_afterwards() -> Iterator[None]:
    yield
    _kernel.use_simd(SETS[-1])


def by(name: str, work: Callable[[], Any]) -> Any:
    _kernel.use_simd(name)
    return work()


def tokens(texts: list[str]) -> list[list[str]]:
    return [[str(line) for line in tokenizers.kernel_tokenize(Lines.of(texts), name)] for name in TOKENIZERS]


def bounds(data: bytes) -> list[list[int]]:
    return [list(part) for part in _kernel.split_lines(np.frombuffer(data, dtype=np.uint8))]


def test_the_scalar_twin_is_everywhere_and_the_processor_has_more() -> None:
    assert SETS[0] == "scalar"
    assert set(SETS) <= {"scalar", "sse2", "avx2", "neon"}
    assert len(set(SETS)) == len(SETS)


def test_instructions_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"no instructions 'abacus' on this processor; it has scalar"):
        _kernel.use_simd("abacus")


@other_sets
def test_every_byte_at_every_place_of_a_block(name: str) -> None:
    """Lines around the sizes of blocks, and around the eight blocks that are scanned together."""
    around = [*range(70), *range(125, 132), *range(505, 520), *range(1020, 1030)]
    letters = [chr(byte) for byte in BORDERS] + ["é", "\u00a0", "\u2009", "\u3000", "あ", "中", "\U0001f600", "\u07ff"]
    texts = ["a" * size + letter + "7" * (size % 3) for size in around for letter in letters]
    assert by(name, lambda: tokens(texts)) == by("scalar", lambda: tokens(texts))


@other_sets
@settings(max_examples=60)
@given(text=MESSES | st.text(max_size=300))
def test_tokens_of_any_text(name: str, text: str) -> None:
    assert by(name, lambda: tokens([text])) == by("scalar", lambda: tokens([text]))


@other_sets
def test_tokens_of_random_text(name: str) -> None:
    rng = random.Random(7)
    texts = [" ".join(random_text(rng) for _ in range(rng.randint(1, 8))) for _ in range(2_000)]
    assert by(name, lambda: tokens(texts)) == by("scalar", lambda: tokens(texts))


@other_sets
def test_lines_of_random_bytes(name: str) -> None:
    """Whatever the bytes, and wherever they begin: nothing says that a buffer is aligned."""
    rng = random.Random(11)
    data = bytes(rng.choices(b"\n\r\x0bab\x8a\xff", k=5_000))
    for _ in range(300):
        start = rng.randrange(len(data))
        part = data[start : start + rng.choice([1, 63, 64, 65, 300, 600, 5_000])]
        assert by(name, lambda part=part: bounds(part)) == by("scalar", lambda part=part: bounds(part))
