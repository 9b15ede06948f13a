"""Step-down max-T by its definition: for every test, the largest statistic of those that are no more striking."""

from __future__ import annotations


def step_down(observed: list[float], trials: list[list[float]]) -> list[float]:
    ranked = sorted(range(len(observed)), key=lambda k: -observed[k])
    p = [0.0] * len(observed)
    worst = 0.0
    for place, k in enumerate(ranked):
        rest = ranked[place:]
        reached = sum(max(trials[j][t] for j in rest) >= observed[k] for t in range(len(trials[0])))
        worst = max(worst, (reached + 1) / (len(trials[0]) + 1))
        p[k] = worst
    return p
