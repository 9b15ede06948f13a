"""METEOR 1.5's statistics, naively: its tokeniser as regular expressions, every candidate match, a beam of lists.

Written from the description (Denkowski and Lavie 2014) and from what the program is known to do: a beam of 40 over the
reference's positions, paths compared by matches, chunks and distance, non-exact single words not counted as matches by
the search, distances that are booked on the path that was extended instead of on the extension, and words that are told
apart by a hash of 32 bits only, under which "je" and "l'" are the same word.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

BEAM = 40
STAGES = ("exact", "stem", "synonym", "paraphrase")
LETTERS = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
DIGITS = "0-9"
RUN = "\udc2e"  # a period among several, in no text
SPACES = "\u0020\u00a0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
SUFFIXES = [
    *(
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    *(("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
]


# The tokeniser


def _apart(before: str, mark: str, after: str, line: str, form: str = r"\1 {} \2") -> str:
    """One pass over a line that sets a mark apart between two characters of given classes."""
    return re.sub(f"([{before}]){mark}([{after}])", form.format(mark), line)


def _apostrophes(line: str, language: str) -> str:
    other = f"^{LETTERS}"
    if language == "en":
        line = _apart(other, "'", other, line)
        line = _apart(other + DIGITS, "'", LETTERS, line)
        line = _apart(LETTERS, "'", other, line)
        line = _apart(LETTERS, "'", LETTERS, line, r"\1 {}\2")
        return _apart(DIGITS, "'", "s", line, r"\1 {}\2")
    if language == "fr":
        line = _apart(other, "'", other, line)
        line = _apart(other, "'", LETTERS, line)
        line = _apart(LETTERS, "'", other, line)
        return _apart(LETTERS, "'", LETTERS, line, r"\1{} \2")
    return line.replace("'", " ' ")


def _periods(words: list[str], prefixes: dict[str, bool]) -> list[str]:
    """Final periods cut off, unless the word is known to end in one or what follows goes on in lower case."""
    done = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        stem = word[:-1]
        if not word.endswith(".") or not stem:
            done.append(word)
        elif "." in stem and re.search(f"[{LETTERS}]", stem):
            done.append(word.replace(".", ""))
        elif (
            prefixes.get(stem) is True
            or re.match("[a-z]", following)
            or (prefixes.get(stem) is False and re.match("[0-9]", following))
        ):
            done.append(word)
        else:
            done += [stem, "."]
    return done


def normalise(line: str, language: str, prefixes: dict[str, bool], *, no_punct: bool = False) -> str:
    """The line as METEOR's -norm reads it, before lower case; prefixes: True before anything, False before numbers."""
    line = re.sub(rf"([^{LETTERS}{DIGITS} \t\n\x0b\f\r.'`,\-‘’])", r" \1 ", f" {line} ")
    line = re.sub(r"\.{2,}", lambda run: f" {RUN * len(run[0])} ", line)
    digit, other = DIGITS, f"^{DIGITS}"
    line = _apart(other, ",", other, line)
    line = _apart(digit, ",", other, line)
    line = _apart(other, ",", digit, line)
    line = re.sub("[`‘’]", "'", line)
    line = re.sub("[“”]|''", ' " ', line)
    line = line.replace("–", "-").replace("--", "-")
    line = re.sub(f"([{LETTERS}{DIGITS}.])-([{LETTERS}{DIGITS}])", r"\1 \2", line)
    line = _apostrophes(line, language)
    line = " ".join(_periods(re.findall(r"[^ \t\n\r\f]+", line), prefixes)).replace(RUN, ".")
    if no_punct:
        line = re.sub(f"[^{LETTERS}{DIGITS}]", " ", line)
    line = re.sub(f"[{SPACES}]+", " ", line)
    return line.strip("".join(map(chr, range(33))))


def split(line: str) -> list[str]:
    """The five characters that Java's tokenizer splits on."""
    return re.findall(r"[^ \t\n\r\f]+", line)


# Synonyms


def synsets(word: str, sets: dict[str, set[int]], bases: dict[str, list[str]], *, inflected: bool = True) -> set[int]:
    """The sets of a word and of its base forms: those of the exception list, else the first rule that finds one."""
    found = set(sets.get(word, ()))
    if word in bases:
        return found.union(*(sets.get(base, set()) for base in bases[word]))
    if not inflected or word.endswith("ss") or len(word) <= 2:
        return found
    for suffix, ending in SUFFIXES:
        if word.endswith(suffix) and (base := word.removesuffix(suffix) + ending) in sets:
            return found | sets[base]
    return found


# Alignment


def word_hash(word: str) -> int:
    """Java's String.hashCode."""
    units = word.encode("utf-16-le", "surrogatepass")
    value = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + low + 256 * high) % 2**32
    return value


class Match(NamedTuple):
    """Words output[start:start+length] stand for reference[at:at+width]."""

    stage: int
    start: int
    length: int
    at: int
    width: int


class Path(NamedTuple):
    """A partial alignment; `behind` is where its last match ends in the output, -1 if a gap follows it."""

    matches: tuple[Match, ...] = ()
    gain: int = 0
    chunks: int = 0
    distance: int = 0
    next: int = 0
    behind: int = -1

    def key(self) -> tuple[int, int, int]:
        return -self.gain, self.chunks, self.distance

    def take(self, match: Match) -> "Path":
        gain = 2 if match.stage == 0 else match.length // 2 + match.width // 2
        broken = self.behind not in (-1, match.start)
        return self._replace(
            matches=(*self.matches, match),
            gain=self.gain + gain,
            chunks=self.chunks + broken,
            next=match.at + match.width,
            behind=match.start + match.length,
        )

    def gap(self) -> "Path":
        return self._replace(chunks=self.chunks + (self.behind != -1), behind=-1)


def candidates(
    output: Sequence[str],
    reference: Sequence[str],
    stages: Sequence[str],
    stem: Callable[[str], str],
    meanings: Callable[[str], set[int]],
    paraphrases: Sequence[tuple[list[str], list[str]]],
) -> list[list[Match]]:
    """Every match that may start at each position of the reference, by stage and position in the output."""
    key = {word: word_hash(word) for word in (*output, *reference)}
    equal: dict[str, Callable[[str, str], bool]] = {
        "exact": lambda a, b: key[a] == key[b],
        "stem": lambda a, b: key[a] != key[b] and word_hash(stem(a)) == word_hash(stem(b)),
        "synonym": lambda a, b: key[a] != key[b] and bool(meanings(a) & meanings(b)),
    }
    used = stages[:1] if [key[word] for word in output] == [key[word] for word in reference] else stages
    found: list[list[Match]] = [[] for _ in reference]
    for name in [stage for stage in STAGES if stage in used]:
        for at, word in enumerate(reference):
            if name in equal:
                same = [i for i, other in enumerate(output) if equal[name](other, word)]
                found[at] += [Match(STAGES.index(name), i, 1, at, 1) for i in same]
                continue
            for phrase, other in sorted(paraphrases, key=lambda pair: len(pair[0])):
                if list(reference[at : at + len(phrase)]) == phrase != other:
                    places = [i for i in range(len(output)) if list(output[i : i + len(other)]) == other]
                    found[at] += [Match(3, i, len(other), at, len(phrase)) for i in places]
    return found


def _definite(found: list[list[Match]], words: int) -> dict[int, Match]:
    """Matches that compete with no other."""
    covered, covered_reference = [0] * words, [0] * len(found)
    for match in [match for matches in found for match in matches]:
        for i in range(match.start, match.start + match.length):
            covered[i] += 1
        for j in range(match.at, match.at + match.width):
            covered_reference[j] += 1
    return {
        at: only
        for at, matches in enumerate(found)
        for only in matches
        if len(matches) == 1
        and all(covered[i] == 1 for i in range(only.start, only.start + only.length))
        and all(covered_reference[j] == 1 for j in range(only.at, only.at + only.width))
    }


def align(found: list[list[Match]], words: int) -> list[Match]:
    """The alignment that METEOR's beam search finds among the candidates."""
    definite = _definite(found, words)
    taken = {i for match in definite.values() for i in range(match.start, match.start + match.length)}
    closed = {j for match in definite.values() for j in range(match.at, match.at + match.width)}
    paths = [Path()]
    for at, matches in enumerate(found):
        after: list[Path] = []
        for path in sorted(paths, key=Path.key)[:BEAM]:
            if at < path.next:
                after.append(path)
            elif at in definite:
                match = definite[at]
                after.append(path.take(match)._replace(distance=path.distance + abs(at - match.start)))
            else:
                used = taken | {i for m in path.matches for i in range(m.start, m.start + m.length)}
                for match in matches:
                    if used & set(range(match.start, match.start + match.length)):
                        continue
                    if closed & set(range(at, at + match.width)):
                        continue
                    after.append(path.take(match))
                    path = path._replace(distance=path.distance + abs(at - match.start))
                after.append(path.gap()._replace(next=at + 1))
        paths = after
    ended = [path.gap() for path in sorted(paths, key=Path.key)[:BEAM]]
    return list(min(ended, key=Path.key).matches)


def count_chunks(matches: Sequence[Match]) -> int:
    """Runs of matches that are next to each other on both sides."""
    ends = {(match.start + match.length, match.at + match.width) for match in matches}
    return sum((match.start, match.at) not in ends for match in matches)


def statistics(
    output: Sequence[str], reference: Sequence[str], matches: Sequence[Match], function: set[str]
) -> list[int]:
    """The 23 numbers; chunks are 0 where everything matches in one."""
    at_work = [[word.lower() in function for word in words] for words in (output, reference)]
    row = [len(output), len(reference), *map(sum, at_work)]
    for stage in range(len(STAGES)):
        here = [match for match in matches if match.stage == stage]
        flags = (
            [at_work[0][i] for match in here for i in range(match.start, match.start + match.length)],
            [at_work[1][j] for match in here for j in range(match.at, match.at + match.width)],
        )
        row += [flags[0].count(False), flags[1].count(False), flags[0].count(True), flags[1].count(True)]
    totals = [sum(match.length for match in matches), sum(match.width for match in matches)]
    chunks = count_chunks(matches)
    perfect = chunks == 1 and totals == [len(output), len(reference)]
    return [*row, 0 if perfect else chunks, *totals]
