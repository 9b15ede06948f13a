"""The metrics that `tertium sacrebleu` is asked for, with values that sacreBLEU takes and our own metrics refuse."""

from __future__ import annotations

import argparse
import os
from typing import Any

from tertium.cli.sacrebleu.flags import SENTENCEPIECE, SMOOTHING, StatusError
from tertium.core.errors import OptionError
from tertium.core.metric import Metric, make_metric
from tertium.core.numbers import Number, Truth, ratio, where
from tertium.metrics._smoothing import Precisions
from tertium.metrics.bleu import Bleu, BleuCounts
from tertium.metrics.chrf import Chrf
from tertium.metrics.ter import Ter

BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # of the target, where -tok says nothing


class AnyBleu(Bleu):
    """BLEU with a floor above 1, whose scores can pass 100, or with a negative value, as sacreBLEU works it out."""

    def __post_init__(self) -> None:
        self._reading.check("bleu")

    def _smoothed(self, counts: BleuCounts) -> Precisions:
        """Nothing counts from the first order without an n-gram on; two negative counts make a positive precision."""
        pairs: list[tuple[Number, Number]] = []
        over: Truth = False
        smoothed = super()._smoothed(counts)
        for matches, totals in zip(smoothed.matches, smoothed.totals, strict=True):
            over = over | (totals == 0)
            matches = where(over, 0.0, where(over | (totals > 0), matches, -matches))
            totals = where(over, 0.0, where(totals > 0, totals, -totals))
            if any_of(counts.matched & (matches < 0)):
                raise StatusError(
                    f"-sv {self.smooth_value}: a precision would be negative, and that has no logarithm; "
                    f"choose a value that is not negative"
                )
            pairs.append((matches, totals))
        p = [ratio(matches, totals) for matches, totals in pairs]
        return Precisions([matches for matches, _ in pairs], [totals for _, totals in pairs], p)


class AnyChrf(Chrf):
    """chrF with any beta: only its square counts."""

    def __post_init__(self) -> None:
        Chrf(chars=self.chars, words=self.words)  # which orders there are is checked as ever

    def stats_key(self, several: bool) -> str:  # noqa: ARG002
        """Nothing is shared with another chrF: beta may choose among references."""
        return str(self)


def any_of(condition: Truth) -> bool:
    """Whether a condition holds anywhere: of numbers, or of arrays."""
    return condition if isinstance(condition, bool) else bool(condition.any())


def make_metrics(options: argparse.Namespace) -> list[Metric]:
    """The metrics as asked, in sacreBLEU's order."""
    if SMOOTHING[options.bleu_smooth] is None:
        options.bleu_smooth_value = None
    options.tokenizer_name = None
    if options.bleu_tokenize is None:
        _, *target = (options.langpair or "").split("-")
        options.bleu_tokenize = BY_LANGUAGE.get("".join(target[:1]), "13a")
    if options.bleu_tokenize in SENTENCEPIECE:
        options.tokenizer_name, file = SENTENCEPIECE[options.bleu_tokenize]
        options.bleu_tokenize = _model(options.bleu_tokenize, file) if "bleu" in options.metrics else "13a"
    metrics: list[Metric] = []
    for kind, odd in ((Bleu, AnyBleu), (Chrf, AnyChrf), (Ter, Ter)):
        prefix = f"{kind.name}_"
        given = {key.removeprefix(prefix): v for key, v in vars(options).items() if key.startswith(prefix)}
        if kind.name == "chrf":
            given |= _orders(**given)
        metrics += [_make(kind, odd, given)] if kind.name in options.metrics else []
    return metrics


def _make(kind: type[Any], odd: type[Any], given: dict[str, object]) -> Any:
    try:
        return make_metric(kind, given)
    except OptionError:
        return make_metric(odd, given)


def _orders(*, chars: int, words: int, beta: int, **_: object) -> dict[str, object]:
    """chrF as sacreBLEU reads numbers below 0: so many orders less of the other kind, and beta without its sign."""
    both = chars + words
    if words < 0:
        chars, words = both, 0
    elif chars < 0:
        chars, words = 0, both
    return {"chars": chars, "words": words, "beta": abs(beta)}


def _model(name: str, file: str) -> str:
    """The tokenizer of a SentencePiece model that sacreBLEU has downloaded."""
    from pathlib import Path

    path = Path(os.environ.get("SACREBLEU", "~/.sacrebleu")).expanduser() / "models" / file
    if not path.exists():
        raise StatusError(
            f"-tok {name}: no SentencePiece model at {path}, and tertium downloads nothing; let sacreBLEU put it "
            f"""there, or name your copy: tertium score -m 'bleu(tokenize="spm:PATH")'"""
        )
    return f"spm:{path}"
