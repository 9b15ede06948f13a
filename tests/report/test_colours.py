"""Colours of systems are told apart by a rule: by all eyes, on both pages; from the ninth on shapes differ, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tertium.report.links import COLOURS, SHAPES, colours, shapes

Read = Callable[..., Any]
APART, CONTRAST = 15.0, 3.0  # CIEDE2000 of any two; WCAG 2.2, 1.4.11
# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency",
# IEEE TVCG 15(6): the matrices for linear RGB at full severity.
SEEN = {
    "all cones": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def variable(name: str, scheme: str) -> np.ndarray[Any, Any]:
    """A colour of the page's style as linear RGB."""
    style = (files("tertium.report") / "assets" / "page.css").read_text()
    [pair] = re.findall(rf"--{name}: light-dark\(#([0-9a-f]{{6}}), #([0-9a-f]{{6}})\);", style)
    text = pair[scheme == "dark"]
    part = np.array([int(text[k : k + 2], 16) for k in (0, 2, 4)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(linear: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    ratio = XYZ @ linear / XYZ.sum(axis=1)
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """Sharma, Wu and Dalal (2005), "The CIEDE2000 color-difference formula", equations 2 to 22."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7))) / 2
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turn = 0.0 if grey else (h2 - h1 + 180) % 360 - 180
    hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    both = h1 + h2
    middle = both if grey else both / 2 if abs(h1 - h2) <= 180 else (both + 360 if both < 360 else both - 360) / 2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    wave = [(-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63)]
    t = 1 + sum(size * np.cos(np.radians(times * middle + by)) for size, times, by in wave)
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    swing = 30 * np.exp(-(((middle - 275) / 25) ** 2))
    r = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(np.radians(2 * swing))
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / s_c, hue / s_h
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + r * dc * dh))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (50.0, 3.2592, 0.3350), 1.0000),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_differences_are_the_published_ones(
    one: tuple[float, float, float], other: tuple[float, float, float], expected: float
) -> None:
    """Table 1 of Sharma, Wu and Dalal (2005)."""
    assert ciede2000(one, other) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("eyes", SEEN)
def test_any_two_systems_are_told_apart(scheme: str, eyes: str) -> None:
    found = {f"s{k}": lab(np.clip(SEEN[eyes] @ variable(f"s{k}", scheme), 0, 1)) for k in range(1, COLOURS + 1)}
    near = {f"{a} {b}": ciede2000(found[a], found[b]) for a, b in combinations(found, 2)}
    assert {pair: round(value, 1) for pair, value in near.items() if value < APART} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_system_is_seen_on_its_page(scheme: str) -> None:
    def luminance(name: str) -> float:
        return float(variable(name, scheme) @ [0.2126, 0.7152, 0.0722])

    paper = luminance("paper")
    for k in range(1, COLOURS + 1):
        low, high = sorted([paper, luminance(f"s{k}")])
        assert (high + 0.05) / (low + 0.05) >= CONTRAST


def test_forty_systems_differ_in_colour_or_shape() -> None:
    names = [f"s{k}" for k in range(40)]
    looks = list(zip(colours(names), shapes(names), strict=True))
    assert len(set(looks)) == 40
    assert len({colour for colour, _ in looks[:COLOURS]}) == COLOURS
    assert {shape for _, shape in looks[:COLOURS]} == {"circle"}


@pytest.mark.slow
def test_the_page_paints_them_as_its_charts_do(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    names = [f"s{k}" for k in range(40)]
    seen = reader.page.evaluate(
        "(many) => [...Array(many).keys()].map((k) => [tertium.choice.colour(k), tertium.choice.shape(k)])", len(names)
    )
    words = {drawn: word for word, drawn in SHAPES.items()}
    assert [tuple(each) for each in seen] == [
        (colour, words[shape]) for colour, shape in zip(colours(names), shapes(names), strict=True)
    ]
