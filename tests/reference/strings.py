"""RIBES, CharacTER, EED and ROUGE as their definitions read: no index, no bit vectors, everything tried."""

from itertools import combinations, pairwise

Words = list[str]


# RIBES


def occurrences(phrase: Words, text: Words) -> list[int]:
    return [k for k in range(len(text) - len(phrase) + 1) if text[k : k + len(phrase)] == phrase]


def ranks(output: Words, reference: Words) -> list[tuple[int, int]]:
    """Places of the output's words and where the reference has them."""
    found = []
    n = len(output)
    for i, word in enumerate(output):
        if word not in reference:
            continue
        if output.count(word) == reference.count(word) == 1:
            found.append((i, reference.index(word)))
            continue
        place = by_context(output, reference, i, min(max(i, n - i + 1), len(reference)))
        if place is not None:
            found.append((i, place))
    return found


def by_context(output: Words, reference: Words, i: int, widest: int) -> int | None:
    for w in range(1, widest):
        for first, last in ((i, i + w), (i - w, i)):  # the right context, then the left
            if first < 0 or last >= len(output):
                continue
            phrase = output[first : last + 1]
            places = occurrences(phrase, reference)
            if len(places) == 1 and len(occurrences(phrase, output)) == 1:
                return places[0] + i - first
    return None


def rank_counts(output: Words, reference: Words) -> list[int]:
    """Ranked words, pairs in order, pairs within runs, lengths."""
    order = [place for _, place in ranks(output, reference)]
    increasing = sum(a < b for a, b in combinations(order, 2))
    starts = [0, *(k + 1 for k, (a, b) in enumerate(pairwise(order)) if b != a + 1), len(order)]
    in_runs = sum((b - a) * (b - a - 1) // 2 for a, b in pairwise(starts))
    return [len(order), increasing, in_runs, len(output), len(reference)]


# CharacTER


def edit_distance(one: list[str] | str, other: list[str] | str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        corner, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (a != b))
    return row[-1]


def shifted(output: Words, reference: Words, drifting: bool = False) -> Words:
    """After all shifts that save edits, the best of each round. What is left may drift by the rounding of shares."""
    words = output
    left = edit_distance(words, reference) / max(1, len(reference))
    if left == 0:
        return words
    while True:
        now = left if drifting else edit_distance(words, reference)
        trials = []
        for i, word in enumerate(words):
            for j, other in enumerate(reference):
                if i == j or word != other:
                    continue
                length = 1
                while (
                    i + length < len(words)
                    and j + length < len(reference)
                    and words[i + length] == reference[j + length]
                ):
                    length += 1
                rest = words[:i] + words[i + length :]
                moved = rest[:j] + words[i : i + length] + rest[j:]
                distance = edit_distance(moved, reference)
                trials.append((now - (distance / len(reference) if drifting else distance), moved))
        if not trials or max(trials)[0] <= 0:
            return words
        gain, words = max(trials)
        left -= gain


def shift_cost(before: Words, after: Words) -> float:
    cost, i = 0.0, 0
    while i < len(before):
        places = [k for k in range(i + 1, len(after)) if after[k] == before[i]]
        if before[i] == after[i] or not places:
            i += 1
            continue
        k, length = places[0], 0
        while i + length < len(before) and k + length < len(after) and before[i + length] == after[k + length]:
            length += 1
        cost += sum(map(len, before[i : i + length])) / length
        i += length
    return cost


def character_counts(output: Words, reference: Words, drifting: bool = False) -> list[float]:
    """Edits of characters after the shifts, cost of the shifts, characters of the output."""
    after = shifted(output, reference, drifting)
    return [edit_distance(" ".join(after), " ".join(reference)), shift_cost(output, after), len(" ".join(output))]


# EED


def extended_edits(
    output: str, reference: str, jump: float = 2.0, deletion: float = 0.2, insertion: float = 1.0
) -> list[float]:
    """Distance, visits too many or too few, length of the reference."""
    visits = [-1] * (len(output) + 1)
    row = [0.0] + [1.0] * len(output)
    for wanted in reference:
        below = [row[0] + 1.0]
        for i, said in enumerate(output, 1):
            below.append(min(below[i - 1] + deletion, row[i - 1] + (said != wanted), row[i] + insertion))
        least = below.index(min(below))
        visits[least] += 1
        row = [min(cell, below[least] + jump) for cell in below] if wanted == " " else below
    return [row[-1], sum(count if count >= 0 else 1 for count in visits), len(reference)]


# ROUGE


def common_table(reference: Words, output: Words) -> list[list[int]]:
    table = [[0] * (len(output) + 1) for _ in range(len(reference) + 1)]
    for i, wanted in enumerate(reference, 1):
        for j, said in enumerate(output, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if wanted == said else max(table[i - 1][j], table[i][j - 1])
    return table


def common_places(reference: Words, output: Words) -> list[tuple[int, int]]:
    """Places of one longest common subsequence in the reference and in the output, from the end."""
    table, i, j, found = common_table(reference, output), len(reference), len(output), []
    while i and j:
        if reference[i - 1] == output[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return found


def union_matches(references: list[Words], outputs: list[Words]) -> int:
    """Words that the lines of the reference have in common with any line of the output."""
    left = [word for line in outputs for word in line]
    matches = 0
    for line in references:
        for i in sorted({i for other in outputs for i, _ in common_places(line, other)}):
            if line[i] in left:  # the reference cannot run out of its own words
                left.remove(line[i])
                matches += 1
    return matches
