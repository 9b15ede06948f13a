"""Options that belong together: declared once, as fields of a dataclass, and handed to a command as one value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import field, fields
from functools import wraps
from typing import Any

import click

Command = Callable[..., None]


def option(*flags: str, **settings: Any) -> Any:
    """A field that is an option; commands and Python know it by the field's name."""
    return _declared(click.option, flags, settings)


def argument(**settings: Any) -> Any:
    """A field that is an argument: a word without a flag."""
    return _declared(click.argument, (), settings)


def _declared(declare: Callable[..., Any], flags: tuple[str, ...], settings: dict[str, Any]) -> Any:
    about = {"declare": declare, "flags": flags, "settings": settings}
    if settings.get("required"):
        return field(metadata=about)
    several = settings.get("multiple") or settings.get("nargs") == -1
    usual = () if several else False if settings.get("is_flag") else None  # as click has it
    return field(default=settings.get("default", usual), metadata=about)


def parameters(
    cls: type[Any], name: str, *, without: Collection[str] = (), **helps: str
) -> Callable[[Command], Command]:
    """Add the fields of a class to a command, which gets them as one value called `name`.

    Fields that the command goes `without` keep their defaults; `helps` are for fields that --help words otherwise.
    """
    own = [item for item in fields(cls) if item.name not in without]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def call(**values: Any) -> None:
            given = {item.name: values.pop(item.name) for item in own}
            command(**values, **{name: cls(**given)})

        for item in reversed(own):
            settings = dict(item.metadata["settings"])
            if item.name in helps:
                settings["help"] = helps[item.name]
            item.metadata["declare"](*item.metadata["flags"], item.name, **settings)(call)
        return call

    return decorate
