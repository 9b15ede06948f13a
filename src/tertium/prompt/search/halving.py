"""Successive halving: all candidates a little, the better half more, and so on (Jamieson and Talwalkar 2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tertium.core.errors import OptionError
from tertium.core.wording import counted


class HalvingRound(NamedTuple):
    """So many candidates are each asked about so many segments that are new to them, the same for all."""

    candidates: int
    new: int
    total: int  # segments that each has been asked about when the round is over

    @property
    def answers(self) -> int:
        """What is asked in this round."""
        return self.candidates * self.new


def rounds_of(candidates: int) -> int:
    """ceil(log2 n): how often n candidates are halved until one is left."""
    return (candidates - 1).bit_length()


def least_answers(candidates: int) -> int:
    """Answers that it takes to ask every candidate about one new segment in every round."""
    return candidates * rounds_of(candidates)


def usual_answers(candidates: int, segments: int) -> int:
    """Answers with which those of the last round have been asked about every segment: about as many in each round as
    there are segments."""
    rounds = max(1, rounds_of(candidates))
    answers = max(rounds * segments, least_answers(candidates))
    while halving_rounds(candidates, answers, segments)[-1].total < segments:
        answers += rounds  # what rounding down has cost
    return answers


def halving_rounds(candidates: int, answers: int, segments: int) -> tuple[HalvingRound, ...]:
    """What is asked in each round, at most `answers` in all.

    r_k = floor(B / (|S_k| ceil(log2 n))) new segments for each of the |S_k| candidates that are left, as long as there
    are segments. Halves are rounded up, so that there are ceil(log2 n) rounds.
    """
    if candidates < 2:
        raise OptionError(f"{counted(candidates, 'candidate')}: there is nothing to choose from; at least 2 are needed")
    if answers < least_answers(candidates):
        raise OptionError(
            f"{counted(answers, 'answer')} for {candidates} candidates in {rounds_of(candidates)} rounds: "
            f"at least {least_answers(candidates)} are needed"
        )
    found: list[HalvingRound] = []
    left, total = candidates, 0
    for _ in range(rounds_of(candidates)):
        new = min(answers // (left * rounds_of(candidates)), segments - total)
        if new == 0:  # all has been seen, so the best so far is the best
            break
        total += new
        found.append(HalvingRound(left, new, total))
        left = (left + 1) // 2
    return tuple(found)


def halve(
    candidates: int, rounds: Sequence[HalvingRound], score: Callable[[int, HalvingRound], float]
) -> tuple[int, list[int]]:
    """The winner, and in how many rounds each took part; `score` is higher for better. Of equals the first stays."""
    alive, stayed = list(range(candidates)), [0] * candidates
    for now in rounds:
        scores = {}
        for candidate in alive:
            scores[candidate] = score(candidate, now)
            stayed[candidate] += 1
        ranked = sorted(alive, key=lambda candidate: -scores[candidate])
        alive = sorted(ranked[: (len(ranked) + 1) // 2]) if now is not rounds[-1] else ranked[:1]
    return alive[0], stayed
