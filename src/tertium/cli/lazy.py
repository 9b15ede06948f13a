"""Groups of commands: a command's module is imported when the command is used, not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

Commands = Mapping[str, tuple[str, str]]  # name: (what --help says of it, where it lives)


class LazyGroup(click.Group):
    """A group that knows its commands by name; `default` is the one meant where none is named."""

    def __init__(self, *args: Any, known: Commands, default: str | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.known, self.default = known, default

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All commands, in the order a newcomer needs them."""
        return list(self.known)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if name not in self.known:
            return None
        module, attribute = self.known[name][1].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; where the first word is not a command of the group, the default one is meant."""
        asks = args and args[0] in self.get_help_option_names(ctx)
        if self.default is not None and args and args[0] not in self.known and not asks:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does, with a suggestion for a misspelt name."""
        if args and args[0] not in self.known:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}.{hint} Commands: {', '.join(self.known)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (text, _) in self.known.items()])
