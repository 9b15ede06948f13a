"""Charts of a page: Vega-Lite specifications, with a title and words for those who cannot see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
