"""What `lexical` knows of an output and a reference: numbers from -1 to 1.5 that do not depend on other segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.lexical import LexicalWeights

if TYPE_CHECKING:
    from tertium.core.stats import Array

CHARS, WORDS = 6, 2  # longest n-grams, as in chrF++
TOKENIZER = "zh"  # 13a, and every Chinese character a word
LONGEST = 15  # characters from which on a word is merely long
WORST = 1.5  # error rates are cut off here: beyond it an output is not worse but longer


class Counts(NamedTuple):
    """The columns of the kernel's rows (kernel/lexical.h), of all segments. # (n,) each"""

    output_words: Array
    reference_words: Array
    matches: Array
    output_types: Array
    reference_types: Array
    subsequence: Array
    output_weight: Array
    reference_weight: Array
    matched_weight: Array
    heaviest_missing: Array
    heaviest_added: Array
    longest_missing: Array
    longest_added: Array
    output_numbers: Array
    reference_numbers: Array
    matched_numbers: Array
    output_capitals: Array
    reference_capitals: Array
    matched_capitals: Array
    output_marks: Array
    reference_marks: Array
    matched_marks: Array
    matched_stems: Array
    matched_endings: Array
    same_first: Array
    same_last: Array
    same_end: Array
    output_chars: Array
    reference_chars: Array
    char_edits: Array
    lower_char_edits: Array
    word_edits: Array
    lower_word_edits: Array


def word_table(words: Mapping[str, float]) -> _kernel.WordWeights:
    """How much words count, as the kernel looks it up."""
    import numpy as np

    return _kernel.WordWeights(Lines.of(list(words)).view, np.array(list(words.values()), dtype=np.float64))


def count_features(outputs: Lines, references: Lines, words: _kernel.WordWeights) -> dict[str, Array]:
    """Every feature of every segment; of segments that lack a side they mean nothing. # (n,) each"""
    import numpy as np

    rows = np.zeros((len(outputs), len(Counts._fields)))
    _kernel.count_lexical(outputs.view, references.view, words, rows)
    n = Counts(*np.ascontiguousarray(rows.T))
    return {
        **_ngrams(outputs, references),
        **_edits(n),
        **_lengths("chars", n.output_chars, n.reference_chars),
        **_lengths("words", n.output_words, n.reference_words),
        **_words(n),
    }


def predict(features: Mapping[str, Array], weights: LexicalWeights, where: str) -> Array:
    """bias + sum of weight (value - mean) / deviation, added up in one order, for any number of segments. # (n,)"""
    import numpy as np

    unknown = [name for name in weights.features if name not in features]
    if unknown:
        raise InputError(
            f"{where}: unknown feature {unknown[0]!r}; this version of tertium counts {', '.join(features)}"
        )
    values: Array = np.full(len(next(iter(features.values()))), weights.bias)
    for name, (mean, deviation, weight) in weights.features.items():
        values = values + weight * ((features[name] - mean) / deviation)
    return values


def _f(part: Array, one: Array, other: Array) -> Array:
    """F1 of what both sides have: 2 part / (one + other); 1 where neither has any."""
    import numpy as np

    both = one + other
    return np.where(both > 0, 2 * part / np.where(both > 0, both, 1.0), 1.0)


def _ngrams(outputs: Lines, references: Lines) -> dict[str, Array]:
    """chrF, and F1 of the word n-grams of chrF++: of mean precision and recall over the orders that both sides have."""
    import numpy as np

    rows = np.zeros((len(outputs), 3 * (CHARS + WORDS)))
    _kernel.count_chrf(outputs.view, references.view, CHARS, WORDS, False, False, rows)
    orders = rows.reshape(-1, CHARS + WORDS, 3)
    found: dict[str, Array] = {}
    for name, chosen, beta in (("char_ngrams", range(CHARS), 2), ("word_ngrams", range(CHARS, CHARS + WORDS), 1)):
        P, R, n = np.zeros(len(outputs)), np.zeros(len(outputs)), np.zeros(len(outputs))
        for k in chosen:
            output, reference, matches = orders[:, k].T
            defined = (output > 0) & (reference > 0)
            P = P + np.where(defined, matches / np.maximum(output, 1), 0.0)
            R = R + np.where(defined, matches / np.maximum(reference, 1), 0.0)
            n = n + defined
        P, R = P / np.maximum(n, 1), R / np.maximum(n, 1)
        below = beta**2 * P + R
        found[name] = np.where(below > 0, (1 + beta**2) * P * R / np.where(below > 0, below, 1.0), 0.0)
    return found


def _edits(n: Counts) -> dict[str, Array]:
    """Edits by the longer side, and the square root of it, which tells good outputs apart; of characters also by
    reference length."""
    import numpy as np

    c, r = n.output_words, n.reference_words
    levels = (
        ("char", n.char_edits, np.maximum(n.output_chars, n.reference_chars)),
        ("lower_char", n.lower_char_edits, np.maximum(n.output_chars, n.reference_chars)),
        ("word", n.word_edits, np.maximum(c, r)),
        ("lower_word", n.lower_word_edits, np.maximum(c, r)),
    )
    found = {"char_error_rate": np.minimum(n.char_edits / np.maximum(n.reference_chars, 1), WORST)}
    for name, edits, longer in levels:
        found[f"{name}_errors"] = np.minimum(edits / np.maximum(longer, 1), 1)
        found[f"{name}_errors_root"] = np.sqrt(found[f"{name}_errors"])
    return found


def _lengths(name: str, output: Array, reference: Array) -> dict[str, Array]:
    """By how much an output is shorter or longer, as shares of the longer side."""
    import numpy as np

    output, reference = output + 1, reference + 1
    longer = np.maximum(output, reference)
    return {f"{name}_short": (longer - output) / longer, f"{name}_long": (longer - reference) / longer}


def _words(n: Counts) -> dict[str, Array]:
    """Words in common, and what is missing or too many."""
    import numpy as np

    c, r = n.output_words, n.reference_words
    missing, added = r - n.matches, c - n.matches
    return {
        "subsequence": _f(n.subsequence, c, r),
        "order": np.where(n.matches > 0, n.subsequence / np.maximum(n.matches, 1), 0.0),
        "weighted_words": _f(n.matched_weight, n.output_weight, n.reference_weight),
        "heaviest_missing": n.heaviest_missing,
        "heaviest_added": n.heaviest_added,
        "mean_missing": (n.reference_weight - n.matched_weight) / np.maximum(missing, 1),
        "mean_added": (n.output_weight - n.matched_weight) / np.maximum(added, 1),
        "longest_missing": np.minimum(n.longest_missing, LONGEST) / LONGEST,
        "longest_added": np.minimum(n.longest_added, LONGEST) / LONGEST,
        "numbers": _f(n.matched_numbers, n.output_numbers, n.reference_numbers),
        "capitals": _f(n.matched_capitals, n.output_capitals, n.reference_capitals),
        "marks": _f(n.matched_marks, n.output_marks, n.reference_marks),
        "stems": _f(n.matched_stems, c, r),
        "endings": _f(n.matched_endings, c, r),
        "repetition": n.output_types / np.maximum(c, 1) - n.reference_types / np.maximum(r, 1),
        "same_first": n.same_first,
        "same_last": n.same_last,
        "same_end": n.same_end,
    }
