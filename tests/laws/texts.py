"""Text for tests: words that meet often, and characters that meet the rules of tokenizers."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet

# Few words, so that outputs and references share them; some are changed by tokenizers and by lower-casing.
VOCABULARY = "the The cat cat. sat, on a mat 1,000 5-6 don't it's (x) ΟΔΟΣ ὈΔΥΣΣΕΎΣ 中文 “so”".split()

# Pieces around which the tokenizers' rules turn.
PIECES = [
    *"aZé\u00df\u0130\u0131\u03a3\u03c3\u03c2\u0391\u1fbc\u01c5s0129.,.,--''\"!?:;()[]{}<>&/\\@#$%^*_+=|`~",
    *("'s", "'s ", "'s.", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp;amp;quot;", "<skipped>", "&"),
    *("-\n", "\n-", "\n", "\r", " ", "  ", " ", " ", " the ", " Cat", "1,000.50", "5-6", "..", ",,,", "a.b", "9."),
    *"\u201c\u2019\u2014\u2026\u20ac\u00a3\u00ab\u2212\u2190\u00b0\u00bd\u00b2\u0e3f\u2460\u2167\u00b7\u00ad",
    *"\u4e2d\u6587\u3400\u4db5\u4db6\u4dbf\u9fbb\u9fbc\u9fff\U00020000\uf900\ufa2e\u2e80\u31c0\u3220\u3f22\ufe30",
    *"\u3042\u30a2\u30fb\u30fc\uff71\uff61\uff0e\uff0c\uff11\uff08\u3001\u3002\u300c\u3010\u3105\u2001\u2a6d\u2a6e",
    *"\u0639\u060c\u061f\u0663\u0301\u0307\u0308\u0345\u0966\u0964\U0001f600\U0001f3fd\u200d\ufe0f\u0378\U000e0fff",
    *"\t\x00\x0b\x0c\x1c\x1f\x7f\x85\u00a0\u1680\u2009\u2028\u2029\u202f\u205f\u3000\u200b\ufeff\u180e",
]

SENTENCES = st.lists(st.sampled_from(VOCABULARY), max_size=9).map(" ".join)
MESSES = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
ANY = st.text(max_size=20)  # every code point but surrogates, also the unassigned
TEXTS = SENTENCES | SENTENCES | MESSES | ANY


def random_text(rng: random.Random, pieces: int = 30) -> str:
    """Pieces side by side."""
    return "".join(rng.choices(PIECES, k=rng.randint(0, pieces)))


def random_words(rng: random.Random, longest: int, types: int, shortest: int = 0) -> list[str]:
    """Words of so many types."""
    return [f"w{rng.randrange(types)}" for _ in range(rng.randint(shortest, longest))]


def disturb(rng: random.Random, words: Sequence[str], types: int) -> list[str]:
    """Move blocks, then drop and change words: what a translation does to a reference."""
    words = list(words)
    for _ in range(rng.randint(0, 4)):
        start, length = rng.randrange(len(words) + 1), rng.randint(1, 12)
        block, words = words[start : start + length], words[:start] + words[start + length :]
        target = rng.randrange(len(words) + 1)
        words[target:target] = block
    kept = [word for word in words if rng.random() > 0.1]
    return [f"w{rng.randrange(types)}" if rng.random() < 0.1 else word for word in kept]


@st.composite
def outputs_of(draw: st.DrawFn, references: Sequence[str | None]) -> str:
    """An output: anything, or one of the references, whole or with a part of it lost."""
    known = [reference for reference in references if reference is not None]
    if not known or draw(st.booleans()):
        return draw(TEXTS)
    text = draw(st.sampled_from(known))
    words = text.split(" ")
    lost = draw(st.integers(0, len(words)))
    return " ".join(words[:lost] + words[lost + 1 :])


@st.composite
def segments(draw: st.DrawFn) -> tuple[str | None, list[str | None]]:
    """An output, possibly missing, and up to three references, possibly with gaps."""
    references = draw(st.lists(st.none() | TEXTS | TEXTS | TEXTS, max_size=3))
    output = None if draw(st.integers(0, 9)) == 0 else draw(outputs_of(references))
    return output, references


CORPORA = st.lists(segments(), min_size=1, max_size=6)


def make_testset(references: Sequence[Sequence[str | None]]) -> TestSet:
    """References by segment, padded to streams; the sources are there for metrics that need them."""
    n = len(references)
    width = max(map(len, references), default=0)
    padded = [[*segment, *[None] * (width - len(segment))] for segment in references]
    streams = tuple(Lines.of([segment[k] for segment in padded]) for k in range(width))
    sources = Lines.of([f"source {i}" for i in range(n)])
    return TestSet(segments=n, sources=sources, references=References(streams, n))
