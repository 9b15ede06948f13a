"""What `lexical` counts, step by step, from texts and the weights of words."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from .tokenizers import tokenize

Words = list[str]


def clipped(output: Words, reference: Words) -> int:
    return (Counter(output) & Counter(reference)).total()


def subsequence(output: Words, reference: Words) -> int:
    """The longest common subsequence, by the table of the textbook."""
    above = [0] * (len(reference) + 1)
    for word in output:
        row = [0]
        for k, other in enumerate(reference):
            row.append(above[k] + 1 if word == other else max(above[k + 1], row[k]))
        above = row
    return above[-1]


def distance(output: Sequence[str], reference: Sequence[str]) -> int:
    """Levenshtein's, by the table of the textbook."""
    above = list(range(len(reference) + 1))
    for j, word in enumerate(output, 1):
        row = [j]
        for k, other in enumerate(reference):
            row.append(min(above[k] + (word != other), above[k + 1] + 1, row[k] + 1))
        above = row
    return above[-1]


def weight_of(words: Words, weights: Mapping[str, float]) -> float:
    return sum(weights.get(word, 1.0) for word in words)


def chosen(words: Words, kind: Callable[[str], bool]) -> Words:
    return [word for word in words if kind(word)]


def is_number(word: str) -> bool:
    return any(unicodedata.category(c).startswith("N") for c in word)


def is_mark(word: str) -> bool:
    return all(unicodedata.category(c)[0] in "PS" for c in word)


def is_capitalised(word: str) -> bool:
    return word[0].lower() != word[0]


def of_kind(output: Words, reference: Words, kind: Callable[[str], bool]) -> list[float]:
    some, others = chosen(output, kind), chosen(reference, kind)
    return [len(some), len(others), clipped(some, others)]


def counts(output: str, reference: str, weights: Mapping[str, float]) -> list[float]:
    """The columns of the kernel's rows."""
    cased, cased_reference = tokenize(output, "zh"), tokenize(reference, "zh")
    o, r = tokenize(output, "zh", lowercase=True), tokenize(reference, "zh", lowercase=True)
    both = list((Counter(o) & Counter(r)).elements())
    missing, added = list((Counter(r) - Counter(o)).elements()), list((Counter(o) - Counter(r)).elements())
    return [
        len(o),
        len(r),
        len(both),
        len(set(o)),
        len(set(r)),
        subsequence(o, r),
        weight_of(o, weights),
        weight_of(r, weights),
        weight_of(both, weights),
        max((weights.get(word, 1.0) for word in missing), default=0.0),
        max((weights.get(word, 1.0) for word in added), default=0.0),
        max(map(len, missing), default=0),
        max(map(len, added), default=0),
        *of_kind(cased, cased_reference, is_number),
        *of_kind(cased[1:], cased_reference[1:], is_capitalised),
        *of_kind(o, r, is_mark),
        clipped([word[:4] for word in o], [word[:4] for word in r]),
        clipped([word[-3:] for word in o], [word[-3:] for word in r]),
        o[:1] == r[:1],
        o[-1:] == r[-1:],
        output.rstrip()[-1:] == reference.rstrip()[-1:],
        len(output.strip()),
        len(reference.strip()),
        distance(output.strip(), reference.strip()),
        distance(output.strip().lower(), reference.strip().lower()),
        distance(cased, cased_reference),
        distance(o, r),
    ]
