"""Texts to try metrics on: words that meet often, and characters that meet the rules of tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

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

HARD = [
    "",
    " ",
    "\x00",
    "a\x00b\x00 \x00",
    "\u0378\U000e0fff\U0010ffff",  # unassigned
    "\ue000\U000f0000",  # private use
    "\ufeff\u200b\u200d\u202e",
    "\u0301\u0301\u0301",  # marks on nothing
    "\r\n\u2028\u2029\x85\x0b\x0c\x1c",
    "İ ẞ ΑΣ ΑΣΑ ǅ ﬁ",
    "a" * 5000,
    "a b " * 2000,
    ". , " * 1500 + "'s 1.1 " * 300,
    "".join(chr(0x4E00 + k) for k in range(5000)),
    " ".join(f"w{k}" for k in range(3000)),
    "&amp;" * 1000 + "<skipped>" * 300,
]

SENTENCES = st.lists(st.sampled_from(VOCABULARY), max_size=9).map(" ".join)
MESSES = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
ANY = st.text(max_size=20)  # every code point but surrogates, also the unassigned
TEXTS = SENTENCES | SENTENCES | MESSES | ANY


class LawSegment(NamedTuple):
    """What a metric may read of a segment; None is missing."""

    output: str | None
    references: Sequence[str | None] = ()
    source: str | None = "Die Quelle."

    def scorable(self, needs: frozenset[str]) -> bool:
        """Whether a metric of these needs has to score it."""
        return (
            self.output is not None
            and ("references" not in needs or any(reference is not None for reference in self.references))
            and ("source" not in needs or self.source is not None)
        )


Corpus = Sequence[LawSegment]


@st.composite
def outputs_of(draw: st.DrawFn, models: Sequence[str | None]) -> str:
    """An output: anything, or one of the texts it is compared with, whole or with a part of it lost."""
    known = [text for text in models if text is not None]
    if not known or draw(st.booleans()):
        return draw(TEXTS)
    words = draw(st.sampled_from(known)).split(" ")
    lost = draw(st.integers(0, len(words)))
    return " ".join(words[:lost] + words[lost + 1 :])


@st.composite
def segments(draw: st.DrawFn, needs: frozenset[str]) -> LawSegment:
    """An output, up to three references and a source, each possibly missing; what is not needed varies little."""
    if "references" in needs:
        references = draw(st.lists(st.none() | TEXTS | TEXTS | TEXTS, max_size=3))
    else:
        references = draw(st.sampled_from([[], [None], ["the cat"]]))
    source = draw(st.none() | TEXTS | TEXTS | TEXTS) if "source" in needs else "Die Quelle."
    models = references if "references" in needs else [source]
    output = None if draw(st.integers(0, 9)) == 0 else draw(outputs_of(models))
    return LawSegment(output, references, source)


@cache
def corpora(needs: frozenset[str]) -> st.SearchStrategy[list[LawSegment]]:
    """A few segments for a metric of these needs."""
    return st.lists(segments(needs), min_size=1, max_size=6)


def make_testset(corpus: Corpus) -> TestSet:
    """The test set of segments; their references are padded to streams."""
    n = len(corpus)
    width = max((len(segment.references) for segment in corpus), default=0)
    padded = [[*segment.references, *[None] * (width - len(segment.references))] for segment in corpus]
    streams = tuple(Lines.of([references[k] for references in padded]) for k in range(width))
    sources = Lines.of([segment.source for segment in corpus])
    return TestSet(segments=n, sources=sources, references=References(streams, n))


def make_outputs(corpus: Corpus) -> Lines:
    """The outputs of segments."""
    return Lines.of([segment.output for segment in corpus])
