"""Simultaneous intervals by their definition, one number at a time."""

from __future__ import annotations

from math import sqrt


def simultaneous(observed: list[float], resampled: list[list[float]], confidence: float) -> list[tuple[float, float]]:
    spreads = []
    for row in resampled:
        mean = sum(row) / len(row)
        spreads.append(sqrt(sum((value - mean) ** 2 for value in row) / len(row)))
    largest = sorted(
        max(
            (
                abs(row[t] - value) / spread
                for value, row, spread in zip(observed, resampled, spreads, strict=True)
                if spread
            ),
            default=0.0,
        )
        for t in range(len(resampled[0]))
    )
    place = confidence * (len(largest) - 1)  # between two of them in proportion
    low = int(place)
    high = min(low + 1, len(largest) - 1)
    c = largest[low] + (place - low) * (largest[high] - largest[low])
    return [(value - c * spread, value + c * spread) for value, spread in zip(observed, spreads, strict=True)]
