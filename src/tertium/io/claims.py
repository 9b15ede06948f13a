"""Published scores: signatures, ours or sacreBLEU's, and the JSON of `tertium score` and of sacreBLEU."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any, get_args

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import option_text
from tertium.core.score import Interval, Level
from tertium.io.files import read_bytes

ROUNDING = 1e-9  # what floating point may differ by on another computer, as a share of the score
SACREBLEU = "2.6.0"  # whose numbers ours are
NUMBER = r"-?\d+(?:\.\d+)?"
PRINTED = re.compile(rf"(?<!\S)\S++(?=\s++=\s++({NUMBER})\b)")  # a word, and the number that it is said to be
MARK = re.compile("[|\"']")
INSIDE = {  # what is between quotes
    '"': re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+'),
    "'": re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+"),
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A published score, and what its signature says about how it was computed."""

    metric: str  # its text
    facts: Mapping[str, str]  # by the keys of our signatures: refs, n, data, bs, seed, ci, tertium, tools with versions
    value: float = math.nan  # NaN: not scored
    shown: str = ""  # the value as it was written
    tolerance: float = 0.0
    system: str | None = None
    level: Level = "corpus"
    segment: str | None = None
    document: str | None = None
    n: int | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)
    interval: Interval | None = None
    digest: str | None = None  # of the whole test set
    unchecked: tuple[str, ...] = ()  # what is said, or left open, that nobody can look at


def read_signature(text: str, score: str | None = None) -> Claim:
    """What a signature says: ours, sacreBLEU's (any version, long or short), or a metric's text alone."""
    text = text.strip()
    printed = printed_score(text)
    if printed is not None:
        text, score = printed[0], score or printed[1]
    claim = _sacrebleu(text) or _ours(text)
    if score is None:
        raise OptionError(f"{text}: a signature without a score; say which one was published: --score VALUE")
    return replace(claim, **_rounded(score, "--score"))


def printed_score(text: str) -> tuple[str, str] | None:
    """Signature and score of a whole line of sacreBLEU's output: a word that tells the version, and then the score."""
    words = [word for word in PRINTED.finditer(text) if re.search(r"[|+]v(?:ersion)?[:.]\S", word[0])]
    return (text[: words[-1].end()], words[-1][1]) if words else None


def _rounded(text: str, where: str) -> dict[str, Any]:
    """A value that holds for everything that rounds to it."""
    try:
        value = Decimal(text)
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int) or abs(exponent) > 300 or abs(value) > 1e300:
            raise InvalidOperation
    except InvalidOperation:
        raise OptionError(f"{where} {text!r} is not a number; write it as it was published, such as 27.3") from None
    half = 0.5 * 10.0 ** min(0, exponent)
    return {"value": float(value), "shown": text, "tolerance": half + ROUNDING * max(1.0, abs(float(value)))}


def _ours(text: str) -> Claim:
    """`bleu(lowercase=True)|refs:1|n:1997|data:...|tertium:0.1.0`: bars inside quotes are part of the metric."""
    metric, *parts = split_signature(text)
    facts = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon:
            raise OptionError(f"{text}: {part!r} is not part of a signature; write it as in bleu|refs:1|n:1997")
        facts[key] = value
    names = {"refs": "how many references there are", "n": "how many segments", "data": "a hash of the references"}
    absent = [name for key, name in names.items() if key not in facts]
    open_ends = (f"the signature does not say {', '.join(absent)}",) if absent else ()
    return Claim(metric=metric, facts=facts, unchecked=open_ends)


def split_signature(text: str) -> list[str]:
    """What is between bars; those inside quotes do not count, and a quote that is never closed is a character."""
    parts, start, at = [], 0, 0
    open_until = dict.fromkeys(INSIDE, 0)  # up to where no quote is closed, so that none is looked for twice
    while mark := MARK.search(text, at):
        at = mark.end()
        if mark[0] == "|":
            parts.append(text[start : at - 1])
            start = at
        elif at > open_until[mark[0]] and (inside := INSIDE[mark[0]].match(text, at)) is not None:
            closed = text.startswith(mark[0], inside.end())
            at = inside.end() + 1 if closed else at
            open_until[mark[0]] = inside.end()
    return [part for part in (*parts, text[start:]) if part] or [""]


# sacreBLEU

SHORT = {"#": "nrefs", "numrefs": "nrefs", "c": "case", "rs": "seed", "v": "version", "e": "eff", "numchars": "nc"}
SHORT |= {"nr": "norm", "pn": "punct", "as": "asian", "l": "lang"}
ONE_LETTER = {"bleu": {"s": "smooth", "t": "test"}, "chrf": {"s": "space", "t": "test"}, "ter": {"t": "tok"}}
YES = ("yes", "true")
MODELS = ("spm", "flores101", "flores200", "spBLEU-1K")


def _sacrebleu(text: str) -> Claim | None:
    """`BLEU|nrefs:1|case:mixed|...|version:2.6.0`, its short form, or `BLEU+case.mixed+...+version.1.5.1`."""
    if re.match(r"\w+\(", text):  # one of ours with options, which may hold anything
        return None
    bar, point = ("+", ".") if re.search(r"\+v(ersion)?\.", text) else ("|", ":")
    title, *parts = text.split(bar)
    if point in title:
        title, parts = "", [title, *parts]
    found = {SHORT.get(key, key): value for key, _, value in (part.partition(point) for part in parts)}
    if "version" not in found:
        return None
    name = _metric_name(title, found, text)
    found = {ONE_LETTER[name].get(key, key): value for key, value in found.items()}
    version = found.pop("version")
    options, facts, unchecked = _OPTIONS[name](title, found)
    if (references := found.pop("nrefs", "var")) != "var":
        facts["refs"] = references
    facts |= {key: found.pop(key) for key in ("bs", "seed") if key in found}
    unchecked.append("a signature of sacreBLEU does not say which segments and references were scored")
    if version != SACREBLEU:
        unchecked.append(f"the score is of sacreBLEU {version}; the numbers of tertium are those of {SACREBLEU}")
    unchecked += [f"{key}{point}{value} cannot be checked" for key, value in found.items()]
    written = ", ".join(f"{key}={option_text(value)}" for key, value in options.items())
    return Claim(metric=f"{name}({written})" if written else name, facts=facts, unchecked=tuple(unchecked))


def _metric_name(title: str, found: Mapping[str, str], text: str) -> str:
    """By its title or, where people leave that out, by what only one metric has."""
    for name in ("bleu", "chrf", "ter"):
        if title.lower().startswith(name):
            return name
    by_key = {"smooth": "bleu", "nc": "chrf", "norm": "ter", "asian": "ter"}
    names = {name for key, name in by_key.items() if key in found}
    if not names and "s" in found and "tok" in found:
        names = {"bleu"}
    if title or len(names) != 1:
        raise OptionError(
            f"{text}: which metric of sacreBLEU is this? Write BLEU|, chrF2| or TER| before the signature"
        )
    return names.pop()


Options = tuple[dict[str, object], dict[str, str], list[str]]  # of our metric; facts; what cannot be checked


def _bleu_options(title: str, found: dict[str, str]) -> Options:  # noqa: ARG001
    options: dict[str, object] = {}
    facts: dict[str, str] = {}
    tokenizer = found.pop("tok", "13a")
    if tokenizer in MODELS:
        raise OptionError(
            f"tok:{tokenizer} is a SentencePiece model, and none comes with tertium; name your copy in a signature of "
            f"""ours, and trust it: tertium verify --trust 'bleu(tokenize="spm:PATH")|refs:1' --score VALUE"""
        )
    mecab = re.fullmatch(r"(ja-mecab|ko-mecab)-(.+)-[A-Z]+", tokenizer)
    if mecab:
        tokenizer, facts[mecab[1]] = mecab[1], mecab[2]
    smooth = re.fullmatch(rf"([a-z-]+)(?:\[({NUMBER})\])?", found.pop("smooth", "exp"))
    if tokenizer != "13a":
        options["tokenize"] = tokenizer
    if found.pop("case", "mixed") == "lc":
        options["lowercase"] = True
    if smooth and smooth[1] != "exp":
        options["smooth"] = smooth[1]
        if smooth[2] is not None:
            options["smooth_value"] = float(smooth[2])
    unchecked = []
    if found.pop("eff", "no") in YES:
        unchecked.append("eff:yes is for single segments; a corpus that has matches of every order scores the same")
    return options, facts, unchecked


def _chrf_options(title: str, found: dict[str, str]) -> Options:
    options: dict[str, object] = {}
    unchecked = []
    named = re.match(r"chrF(\d+)", title, re.IGNORECASE)
    if named is None:
        unchecked.append("beta is not in the signature: taken to be 2")
    elif named[1] != "2":
        options["beta"] = int(named[1])
    for key, option, usual in (("nc", "chars", "6"), ("nw", "words", "0")):
        if (value := found.pop(key, usual)) != usual and value.isdecimal():
            options[option] = int(value)
    if found.pop("case", "mixed") == "lc":
        options["lowercase"] = True
    if found.pop("space", "no").lower() in YES:
        options["whitespace"] = True
    if found.pop("eff", "yes") == "no":
        options["eps"] = True
    return options, {}, unchecked


def _ter_options(title: str, found: dict[str, str]) -> Options:  # noqa: ARG001
    found.pop("tok", None)
    told = {
        "normalized": found.pop("norm", "no") in YES,
        "no_punct": found.pop("punct", "yes") == "no",
        "asian": found.pop("asian", "no") in YES,
        "case_sensitive": found.pop("case", "lc") == "mixed",
    }
    return {name: True for name, said in told.items() if said}, {}, []


_OPTIONS = {"bleu": _bleu_options, "chrf": _chrf_options, "ter": _ter_options}


# JSON


def read_claims(path: str) -> list[Claim]:
    """The scores of a file that `tertium score --format json` wrote, or `sacrebleu`."""
    return claims_in(bytes(read_bytes(path)), path)


def claims_in(text: bytes, path: str) -> list[Claim]:
    """The scores in the text of such a file, which is called `path` where something is wrong with it."""
    try:
        found = json.loads(text.decode("utf-8-sig"), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a JSON file ({error})") from None
    items = found if isinstance(found, list) else [found]
    if items and all(isinstance(item, dict) and {"name", "score", "signature"} <= item.keys() for item in items):
        return [read_signature(f"{item['name']}|{item['signature']}", str(item["score"])) for item in items]
    if not isinstance(found, dict) or not isinstance(found.get("scores"), list) or not found["scores"]:
        raise InputError(f"{path}: no scores in it; was it written by tertium score --format json?")
    testset = found.get("testset")
    digest = testset.get("digest") if isinstance(testset, dict) else None
    return [_claim(item, digest, f"{path}: scores[{k}]") for k, item in enumerate(found["scores"])]


def _claim(item: Any, digest: Any, where: str) -> Claim:
    """One score; numbers are at full precision, null is not scored."""

    def get(key: str, *kinds: type) -> Any:
        value = item.get(key) if isinstance(item, dict) else None
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise InputError(f"{where} has no valid {key!r}; was it written by tertium score --format json?")
        return value

    nothing = type(None)
    metric, value, level = get("metric", str), get("value", int, Decimal, nothing), get("level", str)
    if level not in get_args(Level):
        raise InputError(f"{where}: level {level!r} is unknown; it is one of {', '.join(get_args(Level))}")
    signature = get("signature", str, nothing) or metric
    told, interval, parts = _ours(signature), get("interval", dict, nothing), get("parts", dict, nothing)
    number = math.nan if value is None else _finite(value, where)
    return Claim(
        metric=metric,
        facts=told.facts,
        value=number,
        shown="null" if value is None else str(value),
        tolerance=ROUNDING * max(1.0, abs(number)),
        system=get("system", str),
        level=level,
        segment=get("segment", str, nothing),
        document=get("document", str, nothing),
        n=get("n", int),
        parts=parts or {},
        interval=None if interval is None else _interval(interval, where),
        digest=digest if isinstance(digest, str) else None,
        unchecked=told.unchecked,
    )


def _finite(value: Any, where: str) -> float:
    """A number of a file as one that can be compared."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{where}: {str(value)[:40]} is not the value of a score")
    return number


def _interval(item: dict[str, Any], where: str) -> Interval:
    try:
        return Interval(*(_finite(item[key], where) for key in ("low", "high", "confidence")))
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{where} has no valid 'interval'; it needs low, high and confidence") from None
