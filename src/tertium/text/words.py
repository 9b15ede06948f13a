"""How texts reach the kernel: normalised, lower-cased, tokenised as a metric's options say."""

from __future__ import annotations

from typing import NamedTuple

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose
from tertium.core.testset import References, TestSet
from tertium.text.normalise import FORMS, normalise
from tertium.text.tokenizers import analyse, check_tokenizer, is_outside, kernel_tokenize, tokenizer_version


class Reading(NamedTuple):
    """What a metric's options ask to be done to a text before it is counted.

    Options:
        tokenize: how text becomes words: none (at white space), 13a, intl, zh, char, tercom, ja-mecab, ko-mecab,
            "spm:PATH" (a SentencePiece model) or "py:package.module:function" (your own)
        lowercase: lower-case everything first
        unicode: normalise before tokenising: none, nfc, nfkc, or quotes (typographic quotation marks become ASCII)
        normalise: steps before tokenising, in this order, such as ("lower", "punct"): lower, upper, punct,
            contractions, kaldi, accents, nfc, nfkc, quotes, whitespace, spaces, nospace, strip, "remove:WORD",
            "replace:WORD=OTHER"
    """

    tokenize: str  # a tokenizer's name, or a scheme of the kernel's with its flags
    lowercase: bool = False
    unicode: str = "none"
    normalise: tuple[str, ...] = ()

    def check(self, owner: str) -> None:
        """Refuse words that name no tokenizer or normalisation."""
        choose(owner, "unicode", self.unicode, tuple(FORMS))
        check_tokenizer(owner, self.tokenize)
        if self.normalise:
            from tertium.text.steps import check_steps

            check_steps(owner, self.normalise)

    @property
    def kernel_name(self) -> str:
        """The tokenizer that the kernel still has to run on a text that `outputs` returns."""
        if is_outside(self.tokenize):
            return "none"
        return f"{self.tokenize}+lower" if self.lowercase else self.tokenize

    def outputs(self, lines: Lines) -> Lines:
        """A system's outputs, ready for the kernel to tokenise by `kernel_name` while it counts."""
        lines = normalise(lines, self.unicode)
        if self.normalise:
            from tertium.text.steps import take_steps  # most metrics take none

            lines = take_steps(lines, self.normalise)
        return analyse(lines, self.tokenize, self.lowercase) if is_outside(self.tokenize) else lines

    def references(self, testset: TestSet) -> Prepared:
        """References tokenised once for all systems: tokens with single spaces between them.

        Not by 13a: the kernel is through with it before it would have found those spaces again.
        """
        if self.kernel_name in ("none", "13a"):
            return self.raw_references(testset)
        streams = (self.outputs(stream) for stream in testset.references.streams)
        tokenised = tuple(kernel_tokenize(stream, self.kernel_name) for stream in streams)
        return Prepared(references=References(tokenised, len(testset)))

    def raw_references(self, testset: TestSet) -> Prepared:
        """References left as they are, for tokenizers whose tokens may hold spaces."""
        streams = tuple(self.outputs(stream) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)), tokenizer=self.kernel_name)

    def versions(self) -> dict[str, str]:
        """Outside tools that the signature must name."""
        return tokenizer_version(self.tokenize)


def tokenize_lines(lines: Lines, name: str) -> Lines:
    """Every line's tokens, joined by single spaces."""
    reading = Reading(name)
    return kernel_tokenize(reading.outputs(lines), reading.kernel_name)


def tokenize(text: str, name: str = "13a", *, lowercase: bool = False) -> list[str]:
    """The tokens of one text, as a metric with this tokenizer sees them."""
    check_tokenizer("tokenize", name)
    reading = Reading(name, lowercase)
    lines = kernel_tokenize(reading.outputs(Lines.of([text], "text")), reading.kernel_name)
    return lines[0].split(" ") if lines[0] else []


def align(output: str, reference: str, name: str = "none", *, lowercase: bool = False) -> str:
    """How an output's words stand against a reference's: `=` hit, `S` substituted, `D` missing, `I` too many."""
    check_tokenizer("align", name)
    reading = Reading("spaces" if name == "none" else name, lowercase)
    if not is_outside(name):
        try:  # pages ask this of every output, and Lines take ten times as long to make as the kernel to align
            return _kernel.edit_operations(output.encode(), reference.encode(), reading.kernel_name)
        except (AttributeError, UnicodeEncodeError):  # no text: Lines says so
            pass
    pair = reading.outputs(Lines.of([output])), reading.outputs(Lines.of([reference]))
    return _kernel.edit_operations(pair[0].buffer, pair[1].buffer, reading.kernel_name)
