"""A command in this process: how it ended and what it said."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tertium.cli.main import main


class Run(NamedTuple):
    """How a command ended and what it said."""

    status: Any
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def values(self) -> dict[tuple[str, str], float | None]:
        """Scores by system and metric."""
        return {(item["system"], item["metric"]): item["value"] for item in self.json["scores"]}


Command = Callable[..., Run]


def run(*arguments: str) -> Any:
    """The exit status of `tertium ...`."""
    try:
        main(list(arguments))
    except SystemExit as stop:
        return stop.code
    return 0
