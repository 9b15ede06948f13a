"""Translation edit rate (Snover et al. 2006) with tercom's limits and preferences, as in sacreBLEU 2.6.0.

TER = (block moves + Levenshtein edits) / reference words. Moves are searched greedily: as long as the best
one lowers the edit distance, it is made.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST_WORDS = 10  # in a moved block
FARTHEST = 50  # from the block's place in the output to its place in the reference
BEAM = 25  # cells on either side of the pseudo-diagonal
MOST_CANDIDATES = 1000  # moves tried per segment

# The last step into a cell of the table. At equal cost the smaller number wins.
DIAGONAL, EXTRA, MISSING = range(3)

Table = list[list[tuple[float, int]]]


class Alignment(NamedTuple):
    """Which words are wrong, and where each reference word stands in the output.

    A reference word without a partner stands at the last output word before it (-1 if there is none).
    """

    position: list[int]
    reference_wrong: list[bool]
    output_wrong: list[bool]


class Move(NamedTuple):
    """A candidate; tuples compare from left to right, and the greatest is the best."""

    gain: int
    length: int
    minus_start: int
    minus_target: int
    words: list[str]


def edits(output: list[str], reference: list[str]) -> int:
    """Block moves plus edit distance.

    When the limit of candidates is reached, the search ends and the best move of that round is not made.
    """
    if not reference:
        return len(output)
    made = moves(output, reference)
    return len(made) + distance(made[-1].words if made else output, reference)


def moves(output: list[str], reference: list[str]) -> list[Move]:
    """Those that are made, one after the other."""
    made: list[Move] = []
    tried = 0
    while True:
        best, count = best_move(output, reference, MOST_CANDIDATES - tried)
        tried += count
        if tried >= MOST_CANDIDATES or best is None or best.gain <= 0:
            return made
        made.append(best)
        output = best.words


def shifts(output: list[str], reference: list[str]) -> list[tuple[list[int], list[int]]]:
    """Move by move: the block's words, and all words after it, by their places before all moves."""
    if not reference:
        return []
    places, made = [str(k) for k in range(len(output))], []
    for move in moves(output, reference):
        block = places[-move.minus_start : -move.minus_start + move.length]
        places = shift(places, -move.minus_start, move.length, -move.minus_target)
        made.append(([int(k) for k in block], [int(k) for k in places]))
    return made


def links(output: list[str], reference: list[str]) -> list[tuple[int, int]]:
    """Which output word, by its place before all moves, stands after them against which word of the reference."""
    if not reference:
        return []
    made = shifts(output, reference)
    places = made[-1][1] if made else list(range(len(output)))
    words = [output[k] for k in places]
    found, i, j = [], 0, 0
    for step in path(table(words, reference)):
        if step == DIAGONAL:
            found.append((places[i], j))
        i += step != MISSING
        j += step != EXTRA
    return found


def segment(output: list[str], references: Sequence[list[str]]) -> tuple[int, float]:
    """Several references: the fewest edits, and the average reference length."""
    fewest = min(edits(output, reference) for reference in references)
    return fewest, sum(map(len, references)) / len(references)


def score(edits: float, length: float) -> float:
    """TER of summed segments in percent; edits against nothing but empty references count 100."""
    if length:
        return 100 * edits / length
    return 100.0 if edits else 0.0


def distance(output: list[str], reference: list[str]) -> int:
    """Levenshtein distance within the beam."""
    return int(table(output, reference)[-1][-1][0])


def table(output: list[str], reference: list[str]) -> Table:
    """Cost and last step for the first i output and j reference words; infinite outside the beam."""
    c, r = len(output), len(reference)
    rows: Table = [[(j, MISSING) for j in range(r + 1)]]
    for i in range(1, c + 1):
        above, row = rows[-1], [(math.inf, DIAGONAL)] * (r + 1)
        for j in beam(i, c, r):
            if j == 0:
                row[j] = (i, EXTRA)
                continue
            differs = output[i - 1] != reference[j - 1]
            row[j] = min(
                (above[j - 1][0] + differs, DIAGONAL),
                (above[j][0] + 1, EXTRA),
                (row[j - 1][0] + 1, MISSING),
            )
        rows.append(row)
    return rows


def beam(i: int, c: int, r: int) -> range:
    """The columns of row i, around i * r / c; wider if the reference is so long that rows would not touch.

    The right end is excluded, but for the last row, which always reaches the last column.
    """
    ratio = r / c
    width = BEAM if ratio <= 2 * BEAM else math.ceil(ratio / 2 + BEAM)
    middle = math.floor(i * ratio)
    end = r + 1 if i == c else min(r + 1, middle + width)
    return range(max(0, middle - width), end)


def align(output: list[str], reference: list[str]) -> Alignment:
    """Follow the cheapest path from the end of the table, then read it from the start."""
    result = Alignment([], [], [])
    i = j = 0
    for step in path(table(output, reference)):
        wrong = step != DIAGONAL or output[i] != reference[j]
        if step != MISSING:
            i += 1
            result.output_wrong.append(wrong)
        if step != EXTRA:
            j += 1
            result.reference_wrong.append(wrong)
            result.position.append(i - 1)
    return result


def path(rows: Table) -> list[int]:
    """The steps of the cheapest path from the first cell to the last."""
    i, j = len(rows) - 1, len(rows[0]) - 1
    steps = []
    while i or j:
        step = rows[i][j][1]
        steps.append(step)
        i -= step != MISSING
        j -= step != EXTRA
    return steps[::-1]


def best_move(output: list[str], reference: list[str], limit: int) -> tuple[Move | None, int]:
    """The best of the moves tried, and their number.

    The gain decides, then the longer block, then the earlier start, then the earlier target. The limit is
    looked at when all targets of a block were tried, so it can be passed.
    """
    before = distance(output, reference)
    alignment = align(output, reference)
    best, tried = None, 0
    for start, place, length in blocks(output, reference):
        if not sensible(alignment, start, place, length):
            continue
        for target in targets(alignment, place, length):
            words = shift(output, start, length, target)
            move = Move(before - distance(words, reference), length, -start, -target, words)
            best = move if best is None else max(best, move)
            tried += 1
        if tried >= limit:
            break
    return best, tried


def blocks(output: list[str], reference: list[str]) -> Iterator[tuple[int, int, int]]:
    """Common blocks: start in the output, start in the reference, length; shorter ones first."""
    for start in range(len(output)):
        for place in range(len(reference)):
            if abs(place - start) > FARTHEST:
                continue
            for length in range(1, MOST_WORDS + 1):
                end = start + length
                if end > len(output) or output[start:end] != reference[place : place + length]:
                    break
                yield start, place, length


def sensible(alignment: Alignment, start: int, place: int, length: int) -> bool:
    """Both ends hold an error, and the block is not already where it should go."""
    wrong = any(alignment.output_wrong[start : start + length])
    wanted = any(alignment.reference_wrong[place : place + length])
    return wrong and wanted and not start <= alignment.position[place] < start + length


def targets(alignment: Alignment, place: int, length: int) -> list[int]:
    """Where to insert: behind the partner of each reference word from `place - 1` on, each place once."""
    found: list[int] = []
    for word in range(place - 1, place + length):
        target = alignment.position[word] + 1 if word >= 0 else 0
        if not found or target != found[-1]:
            found.append(target)
    return found


def shift(words: list[str], start: int, length: int, target: int) -> list[str]:
    """Take the block out and insert it before `target`.

    The target counts words of the line before the block is taken out; but one within the block, or right
    behind it, counts words of the line without it, so the block moves right by `target - start`.
    """
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    place = target - length if target > start + length else target
    return rest[:place] + block + rest[place:]
