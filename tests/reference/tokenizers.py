"""Tokenizers as ordered rewriting rules; each ends with `str.split()`.

The replacement rules consume what they match: of two marks side by side the second has no left neighbour any
more. That is how the Perl originals behave, so the rules below are substitutions, not look-arounds.
"""

import re
import string
from collections.abc import Callable

import regex

# mteval-v13a sets apart every ASCII mark but the apostrophe, comma, dash and full stop.
_MARKS = re.escape("".join(mark for mark in string.punctuation if mark not in "',-."))

# Code points that `zh` sets apart. The first range was meant to be CJK Extension B (U+20000..U+2A6D6), but
# sacreBLEU writes it with four-digit escapes: compared are the strings "\u2000" + "0" and "\u2a6d" + "6".
_CHINESE = (
    (0x2001, 0x2A6D),
    (0x2E80, 0x2EFF),  # radicals
    (0x2F00, 0x2FDF),  # Kangxi radicals
    (0x2FF0, 0x303F),  # description characters, CJK punctuation
    (0x3100, 0x312F),  # Bopomofo
    (0x31A0, 0x31BF),  # Bopomofo extended
    (0x31C0, 0x31EF),  # strokes
    (0x3200, 0x4DB5),  # enclosed and compatibility forms, Extension A of Unicode 3.0
    (0x4E00, 0x9FBB),  # unified ideographs of Unicode 4.1
    (0xF900, 0xFA2D),  # compatibility ideographs
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),  # vertical forms
    (0xFE30, 0xFE4F),  # compatibility forms
    (0xFF00, 0xFFEF),  # half and full width forms
)

# tercom's Asian text: ideographs and the like, each a word of its own.
_IDEOGRAPHS = "\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
_ASIAN_MARKS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff61-\uff65"  # CJK punctuation, middle dot, half width
    "\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"  # full width ! " ( ) , . : ; ?
)


def tokenize(text: str, name: str, lowercase: bool = False) -> list[str]:
    """BLEU's tokens: lower-case if asked, cut white space at the end, apply the rules, split."""
    text = text.lower() if lowercase else text
    return _RULES[name](text.rstrip()).split()


def _entities(text: str) -> str:
    """Four XML entities, one after the other: `&amp;lt;` becomes `<`, but `&amp;quot;` becomes `&quot;`."""
    for entity, mark in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, mark)
    return text


def _numbers(text: str) -> str:
    """Full stops and commas stay with a digit on both sides; a dash is cut off from the digit before it."""
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])-", r"\1 - ", text)


def _western(text: str) -> str:
    """The language-dependent half of mteval-v13a."""
    return _numbers(re.sub(f"([{_MARKS}])", r" \1 ", text))


def _13a(text: str) -> str:
    """mteval-v13a (NIST): join the lines, resolve the entities, then the Western rules on a padded line."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return _western(f" {_entities(text)} ")


def _intl(text: str) -> str:
    """mteval-v14 `--international-tokenization`: set apart punctuation and symbols.

    Punctuation with a number before and behind it stays; so does a last mark that follows a number.
    """
    text = regex.sub(r"(\P{N})(\p{P})", r"\1 \2 ", text)
    text = regex.sub(r"(\p{P})(\P{N})", r" \1 \2", text)
    return str(regex.sub(r"\p{S}", r" \g<0> ", text))


def _zh(text: str) -> str:
    """Chinese characters one by one, then the Western rules; not padded, so a final `5.` stays a token."""
    return _western("".join(f" {char} " if _chinese(char) else char for char in text.strip()))


def _chinese(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _CHINESE)


_RULES: dict[str, Callable[[str], str]] = {
    "13a": _13a,
    "intl": _intl,
    "zh": _zh,
    "char": " ".join,
    "none": str,
}


def tercom(
    text: str,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian: bool = False,
    case_sensitive: bool = False,
) -> list[str]:
    """The words of TER (Snover et al. 2006; tercom's Normalizer as sacreBLEU has it)."""
    text = text.rstrip()
    text = text if case_sensitive else text.lower()
    if normalized:
        text = _normalize(text)
        text = re.sub(f"[{_IDEOGRAPHS}{_ASIAN_MARKS}]", r" \g<0> ", text) if asian else text
    if no_punct:
        text = re.sub(r'[.,?:;!"()]', "", text)
        text = re.sub(f"[{_ASIAN_MARKS}]", "", text) if asian else text
    return text.split()


def _normalize(text: str) -> str:
    """tercom's Western normalisation: 13a with a possessive rule, and `\\n-` as the hyphen at a line's end.

    The rules that should set kana apart ask for it at the start of the line, where the padding is: they never
    apply, and there are none here.
    """
    text = _entities(text.replace("\n-", "").replace("\n", " "))
    text = re.sub(f"([{_MARKS}])", r" \1 ", f" {text} ")
    return _numbers(text.replace("'s ", " 's "))


def spaces(text: str, lowercase: bool = False) -> list[str]:
    """jiwer's words: white space in runs of two or more becomes a space, strip, divide at spaces.

    One tab or no-break space between letters is neither collapsed nor a divider: it stays inside the word.
    """
    text = text.lower() if lowercase else text
    return [word for word in re.sub(r"\s{2,}", " ", text).strip().split(" ") if word]


def characters(text: str, lowercase: bool = False) -> list[str]:
    """jiwer's characters: the ends are stripped; all white space inside counts, runs are not collapsed."""
    return list((text.lower() if lowercase else text).strip())


def chrf_words(text: str) -> list[str]:
    """chrF++ (Popovic 2017): a longer word gives up one final ASCII mark, or else one initial mark."""
    return [part for word in text.split() for part in _part(word)]


def _part(word: str) -> list[str]:
    if len(word) > 1 and word[-1] in string.punctuation:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in string.punctuation:
        return [word[0], word[1:]]
    return [word]
