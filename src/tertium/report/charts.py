"""Charts of a page: Vega-Lite specifications, with a title and words for those who cannot see them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

PARTS = ("hconcat", "vconcat", "concat", "facet", "repeat")  # of a chart that keeps the widths it names


class Mark(NamedTuple):
    """What stands for what in a figure of panels, which have one key for all of them."""

    label: str
    colour: str
    shape: str  # an SVG path around 0, 0
    dash: str = ""  # of a line through it, as SVG writes it; no line where it is empty


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A figure: one chart, or several of which the reader chooses one (`choose` says by what), or several side by side
    (`panels`, with a `key`).

    A chart is an Altair chart, or a Vega-Lite specification as a mapping. Without a width of its own it is as wide as
    its place on the page. `text` says in words what is to be seen.
    """

    title: str
    chart: Any = None
    charts: Mapping[str, Any] = field(default_factory=dict)
    choose: str = ""
    panels: bool = False
    key: Sequence[Mark] = ()
    text: str = ""
    note: str = ""
    wide: bool = True  # takes the whole width; two others stand side by side
    name: str = ""  # by which the page's own scripts know it

    def specifications(self) -> dict[str, dict[str, Any]]:
        """What is drawn, by the reader's choice; under no name where there is none."""
        return {label: specification(chart) for label, chart in (self.charts or {"": self.chart}).items()}


def specification(chart: Any) -> dict[str, Any]:
    """A chart as Vega-Lite, without colours and fonts: those are the page's."""
    spec = dict(chart if isinstance(chart, Mapping) else chart.to_dict())
    spec.pop("config", None)
    spec.pop("$schema", None)
    if not any(part in spec for part in PARTS):
        spec.setdefault("width", "container")
    return spec


# Room. In pixels, as the page's script sets its charts: an axis with a title below, one with a title above, legends.

BELOW, UNTITLED, ABOVE, LEGEND, GRADIENT = 42, 24, 23, 37, 52
LETTER = 6.2  # of the labels of an axis, about
LEGENDS = ("color", "fill", "stroke", "shape", "size", "opacity")


def room(spec: Mapping[str, Any]) -> int:
    """The height of a chart with its axes and legends: so much of the page is kept free until it is drawn."""
    height = spec.get("height", 200)
    height = height if isinstance(height, int | float) else 200
    if any(part in spec for part in PARTS):
        return int(height) + BELOW
    found = list(_encodings(spec))
    across = [each["x"] for each in found if _titled(each.get("x", {}))]
    turned = next((each["x"] for each in found if (each.get("x", {}).get("axis") or {}).get("labelAngle")), None)
    legends = [
        own for each in found for name in LEGENDS if (own := each.get(name, {})).get("legend", own) and "field" in own
    ]
    top = max(
        ABOVE if any(_titled(each.get("y", {})) for each in found) else 0,
        0 if not legends else GRADIENT if legends[0].get("type") == "quantitative" else LEGEND,
    )
    letters = 0.0 if turned is None else _turned(spec, turned)
    return round(height + top + letters + (BELOW if across else UNTITLED))


def _encodings(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield spec.get("encoding", {})
    for layer in spec.get("layer", ()):
        yield from _encodings(layer)


def _titled(channel: Mapping[str, Any]) -> bool:
    return ("field" in channel or "aggregate" in channel) and channel.get("title", "") is not None


def _turned(spec: Mapping[str, Any], channel: Mapping[str, Any]) -> float:
    """What labels take that do not lie, beyond the height of a line."""
    axis = channel["axis"]
    names = {str(row.get(channel["field"], "")) for rows in spec.get("datasets", {}).values() for row in rows}
    longest = min(LETTER * max(map(len, names), default=0), axis.get("labelLimit", 170))
    return math.sin(math.radians(abs(float(axis["labelAngle"])))) * float(longest)
