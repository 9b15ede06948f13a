"""What a language model is asked as a judge, and what its answers mean.

The questions are those of Kocmi and Federmann (2023), "Large language models are state-of-the-art evaluators of
translation quality" (GEMBA), and of Kocmi and Federmann (2023), "GEMBA-MQM", in words of our own. Reading an answer
takes a time that grows with it, and a number is taken only where there is no doubt which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.judgement import Span, mqm_penalty
from tertium.text.language_names import language_name

MOST = 20_000  # characters of an answer that are read
MARKDOWN = str.maketrans("", "", '*_#`"“”„')
SEVERITIES = ("critical", "major", "minor", "neutral")
HIGHEST = 25.0  # the penalty of a segment, as that of a text that is no translation
CLASSES = {"worthless": 0.0, "poor": 1.0, "fair": 2.0, "good": 3.0, "flawless": 4.0}
WORDS = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}

NUMBER = re.compile(r"[-−]?\d+(?:[.,]\d+)?")
SCALE = re.compile(r"\b[01]\s?(?:-|–|to)\s?(?:100|5)\b|/\s?(?:100|5)\b|\bout of (?:100|5|five)\b", re.IGNORECASE)
LABELLED = re.compile(r"\b(?:score|rating|stars?)\W{0,8}(?:is|of)?\W{0,4}(?<![-−])(\d{1,8}(?:[.,]\d{1,8})?)", re.I)
STARRED = re.compile(r"\b(one|two|three|four|five)[ -]stars?\b", re.IGNORECASE)
WORD = re.compile(r"[a-z']+")
BULLET = re.compile(r"[\s*#>•.)\d-]{1,20}")
SEVERE = re.compile(r"(critical|major|minor|neutral)\b[\W_]{0,8}", re.IGNORECASE)
CATEGORY = re.compile(r"[^\W\d_][\w/ -]{0,60}")
NO_ERROR = ("no error", "no-error", "none", "there are no errors", "no issues")
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'", "‘": "’", "`": "`", "「": "」"}


class JudgedError(NamedTuple):
    """An error that a judge names: severity, category, and the words that it quotes."""

    severity: str
    category: str
    words: str


Reading = float | tuple[JudgedError, ...] | None  # None: the answer cannot be read


class JudgeQuestion(NamedTuple):
    """A way to ask: what is asked, with what the answer begins, the range, how an answer is read."""

    text: str
    header: str
    low: float
    high: float
    better: Literal["higher", "lower"]
    tokens: int  # of an answer, at most
    read: Callable[[str], Reading]

    @property
    def digest(self) -> str:
        """Of the words that are put to the model."""
        return sha256(f"{self.text}\n{FRAME}\n{self.header}".encode()).hexdigest()[:8]

    def ask(self, source: str, output: str, references: Sequence[str], languages: Languages) -> str:
        """The prompt for one segment; a model continues it, or answers it as a message."""
        lines = [f'Source: "{source}"']
        lines += [f'{_numbered("Reference", k, references)}: "{text}"' for k, text in enumerate(references)]
        lines += [f'Translation: "{output}"']
        beside = " beside its human reference" if len(references) == 1 else " beside its human references"
        question = self.text.format(pair=languages.pair, beside=beside if references else "")
        return FRAME.format(question=question, texts="\n".join(lines), header=self.header)


FRAME = "{question}\n\n{texts}\n\n{header}"


def _numbered(word: str, place: int, texts: Sequence[str]) -> str:
    return word if len(texts) == 1 else f"{word} {place + 1}"


class Languages(NamedTuple):
    """Of a test set, as far as they are known."""

    source: str | None
    target: str | None

    @property
    def whole(self) -> None:
        """Rows depend on nothing but the languages, which every part knows."""

    def merge(self, other: Languages) -> Languages:
        """The same: parts of one test set have one pair of languages."""
        return other if self == (None, None) else self

    @property
    def pair(self) -> str:
        """` from German into English`; nothing of a language that is not known."""
        names = [(word, language) for word, language in (("from", self.source), ("into", self.target)) if language]
        return "".join(f" {word} {name_of(language)}" for word, language in names)


def name_of(language: str) -> str:
    """The name of a language; a code that nobody here knows may still mean something to the model."""
    try:
        return language_name(language)
    except OptionError:
        return language


# Answers that are numbers


def first_line(answer: str) -> str:
    """The first line that is not blank: what comes behind it a model that only continues texts has made up."""
    return next((line for line in answer[:MOST].splitlines() if line.strip()), "")


def read_number(answer: str, low: float, high: float) -> float | None:
    """The number of an answer: one that stands alone in the first line, one that is said to be the score, or the only
    one there is. None where it lies outside the scale or several could be meant."""
    text = SCALE.sub(" ", answer[:MOST].translate(MARKDOWN))
    line = first_line(text).strip(" \t.:!=")
    labelled = LABELLED.findall(text)
    if alone := NUMBER.fullmatch(line.removesuffix("%").strip()):
        found = {alone[0]}
    else:
        found = set(labelled) if labelled else set(_numbers(text))
    values = {float(number.replace(",", ".").replace("−", "-")) for number in found if len(number) <= 16}
    if len(values) != 1 or len(found) > len(values) + 2:
        return None
    [value] = values
    return value if low <= value <= high else None


def _numbers(text: str) -> Iterator[str]:
    """Numbers that are no part of a word, such as `1st` or `GPT4`."""
    for match in NUMBER.finditer(text):
        around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
        if not any(char.isalpha() for char in around):
            yield match[0]


def read_percent(answer: str) -> float | None:
    """A score from 0 to 100."""
    return read_number(answer, 0, 100)


def read_stars(answer: str) -> float | None:
    """One to five stars, as a number, a word or signs."""
    line = first_line(answer)
    signs = line.count("★") + line.count("⭐")
    if signs:
        return float(signs) if signs <= 5 else None
    number = read_number(answer, 1, 5)
    said = {WORDS[word.lower()] for word in STARRED.findall(answer[:MOST])}
    if number is None and not NUMBER.search(answer[:MOST]):
        return said.pop() if len(said) == 1 else None
    return number


def read_class(answer: str) -> float | None:
    """The one class that an answer names, unless it says that it is not that one."""
    words = WORD.findall(answer[:MOST].casefold())
    named = [(word, words[max(0, k - 1) : k]) for k, word in enumerate(words) if word in CLASSES]
    if len({word for word, _ in named}) != 1 or any(before in (["not"], ["isn't"]) for _, before in named):
        return None
    return CLASSES[named[0][0]]


# Answers that are lists of errors


def read_errors(answer: str) -> tuple[JudgedError, ...] | None:
    """The errors that an answer lists, a line each, or under headings of severities; () where it says that there are
    none; None where it says neither. What is listed twice counts once: models repeat themselves."""
    found: dict[JudgedError, None] = {}
    severity, free = "", False
    for raw in answer[:MOST].splitlines():
        line = raw.translate(str.maketrans("", "", "*_#`")).strip()
        bullet = BULLET.match(line)
        line = line[bullet.end() :] if bullet else line
        heading = SEVERE.match(line)
        if heading:
            severity, line = heading[1].lower(), line[heading.end() - _opens(heading[0]) :]
        if line.casefold().startswith(NO_ERROR):
            free = True
        elif severity and line.strip():
            error = _error(severity, line)
            if error is not None:
                found[error] = None
        if heading and line.strip():
            severity = ""  # the whole error stood behind its severity
    return tuple(found) if found or free else None


def _opens(heading: str) -> int:
    """1 where the signs behind a severity end in the quotation mark that opens the words."""
    return int(heading[-1:] in QUOTES)


def _error(severity: str, line: str) -> JudgedError | None:
    category = CATEGORY.match(line)
    words = _quoted(line[category.end() if category else 0 :])
    if category is None and not words:
        return None
    return JudgedError(severity, category[0].strip(" -").lower() if category else "", words)


def _quoted(text: str) -> str:
    """What stands between the first quotation mark and the last one that closes it."""
    start = next((k for k, char in enumerate(text) if char in QUOTES), -1)
    end = text.rfind(QUOTES[text[start]]) if start >= 0 else -1
    return text[start + 1 : end].strip() if end > start else ""


def spans_of(errors: Sequence[JudgedError], output: str, source: str) -> tuple[Span, ...]:
    """Errors where their words are found: in the output, else in the source, else nowhere in particular."""
    found: list[Span] = []
    next_place: dict[str, int] = {}  # of words that are named twice
    for error in errors:
        side: Literal["output", "source", "none"] = "none"
        start = end = 0
        for name, text in (("output", output), ("source", source)):
            place = text.find(error.words, next_place.get(f"{name} {error.words}", 0)) if error.words else -1
            if place >= 0:
                side, start, end = name, place, place + len(error.words)  # type: ignore[assignment]
                next_place[f"{name} {error.words}"] = end
                break
        found.append(Span(start=start, end=end, severity=error.severity, category=error.category, side=side))
    return tuple(found)


def penalty(errors: Sequence[JudgedError]) -> float:
    """The sum of the errors' weights, 25 at most."""
    return min(HIGHEST, mqm_penalty(spans_of(errors, "", "")))


QUESTIONS: dict[str, JudgeQuestion] = {
    "da": JudgeQuestion(
        "How good is this translation{pair}{beside}? Give it a number from 0 to 100: 0 if nothing of the meaning has "
        "come across, 100 if meaning and grammar are perfect. Answer with the number alone.",
        "Score:", 0, 100, "higher", 256, read_percent,
    ),
    "sqm": JudgeQuestion(
        "How good is this translation{pair}{beside}? Give it a number from 0 to 100. 0 means that no meaning has come "
        "across; 33 that some of it has, with important parts missing; 66 that most of it has, with few mistakes of "
        "grammar; 100 that meaning and grammar are perfect. Numbers between these are allowed. Answer with the number "
        "alone.",
        "Score:", 0, 100, "higher", 256, read_percent,
    ),
    "stars": JudgeQuestion(
        "How many stars does this translation{pair}{beside} deserve? One star: nothing of the meaning is there. Two: "
        "some is, but it cannot be understood. Three: it can be understood, but parts of the meaning are lost or wrong."
        " Four: most of the meaning is there, with small mistakes. Five: a perfect translation. Answer with the number "
        "of stars alone.",
        "Stars:", 1, 5, "higher", 256, read_stars,
    ),
    "classes": JudgeQuestion(
        "To which class does this translation{pair}{beside} belong? worthless: no meaning has come across; poor: some "
        "has, but it cannot be understood; fair: it can be understood, but parts of the meaning are lost or wrong; "
        "good: most of the meaning is there, with small mistakes; flawless: meaning and grammar are perfect. Answer "
        "with the name of the class alone.",
        "Class:", 0, 4, "higher", 256, read_class,
    ),
    "mqm": JudgeQuestion(
        "List the errors of this translation{pair}{beside}. Write a line for each: its severity, its category, and the "
        "wrong words in quotation marks, with semicolons between them, such as: major; accuracy/mistranslation; "
        '"words". Severities: critical (the text cannot be understood or misleads), major (the meaning or the reading '
        "is disturbed), minor (a small flaw). Categories: accuracy/addition, accuracy/omission, "
        "accuracy/mistranslation, accuracy/untranslated, fluency/grammar, fluency/spelling, fluency/punctuation, "
        "fluency/register, style/awkward, terminology, non-translation, other. For what is left out, quote the words "
        "of the source. If there is no error, write: no errors.",
        "Errors:", 0, HIGHEST, "lower", 1024, read_errors,
    ),
}  # fmt: skip
