"""Reference pages made from the code: its signatures, docstrings and options, as they are when the site is built."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

import click

import tertium
from tertium.cli.lazy import LazyGroup
from tertium.cli.main import COMMANDS, cli
from tertium.metrics import known

Made = dict[str, tuple[str, str]]  # a page's place: its title and its text


def prose(text: str | None) -> str:
    """A docstring as Markdown: what would be taken for markup outside code is not."""
    parts = re.split(r"(`[^`\n]+`)", inspect.cleandoc(text or ""))
    plain = (part if number % 2 else re.sub(r"([<>*_\[\]|#])", r"\\\1", part) for number, part in enumerate(parts))
    return re.sub(r"^(\s*)(\d+)\. ", r"\1\2\\. ", "".join(plain), flags=re.MULTILINE)


def cell(text: str) -> str:
    """The same in a cell of a table."""
    return " ".join(prose(text).split()).replace("`|`", "`or`")


def fenced(text: str, language: str = "python") -> str:
    """Code."""
    return f"```{language}\n{text}\n```"


class Written(str):
    """An annotation, shown as it is written: `inspect` would put it in quotes."""

    __repr__ = str.__str__


def unquoted(found: inspect.Signature, thing: Any) -> inspect.Signature:
    """The same with annotations as they are written; that a class gives None is nothing to say."""

    def plain(annotation: Any) -> Any:
        return Written(annotation) if isinstance(annotation, str) else annotation

    back = inspect.Signature.empty if inspect.isclass(thing) else plain(found.return_annotation)
    parameters = [each.replace(annotation=plain(each.annotation)) for each in found.parameters.values()]
    return found.replace(parameters=parameters, return_annotation=back)


def signature(name: str, thing: Any) -> str | None:
    """How it is called, if it can be."""
    try:
        found = unquoted(inspect.signature(thing), thing)
    except (TypeError, ValueError):
        return None
    whole = f"{name}{found}"
    if len(whole) <= 88:
        return whole
    back = (
        ""
        if found.return_annotation is inspect.Signature.empty
        else f" -> {inspect.formatannotation(found.return_annotation)}"
    )
    lines: list[str] = []
    kinds = [each.kind for each in found.parameters.values()]
    for number, each in enumerate(found.parameters.values()):
        starred = inspect.Parameter.VAR_POSITIONAL in kinds
        if each.kind is each.KEYWORD_ONLY and not starred and each.KEYWORD_ONLY not in kinds[:number]:
            lines.append("    *,")
        lines.append(f"    {each},")
        if each.kind is each.POSITIONAL_ONLY and each.POSITIONAL_ONLY not in kinds[number + 1 :]:
            lines.append("    /,")
    return "\n".join((f"{name}(", *lines, f"){back}"))


def members(cls: type[Any]) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class or its own bases define and explain."""
    for name, thing in inspect.getmembers(cls):
        inner = thing.fget if isinstance(thing, property) else thing
        ours = (getattr(inner, "__module__", "") or "").startswith("tertium")
        if not name.startswith("_") and ours and not isinstance(inner, type) and inspect.getdoc(inner):
            yield name, thing


def described(name: str, thing: Any) -> str:
    """One public name."""
    parts = [f"## {name.replace('_', chr(92) + '_')}"]
    if callable(thing) and (how := signature(name, thing)):
        parts.append(fenced(how))
    parts.append(prose(inspect.getdoc(thing)) if callable(thing) else f"`{thing!r}`")
    if inspect.isclass(thing):
        for inner, member in members(thing):
            whole = f"{name}.{inner}"
            how = whole if isinstance(member, property) else signature(whole, member) or whole
            parts += [f"### {whole.replace('_', chr(92) + '_')}", fenced(how), prose(inspect.getdoc(member))]
    return "\n\n".join(part for part in parts if part)


def python() -> str:
    """Everything in `tertium.__all__`."""
    head = "# Python, from the code\n\nEvery public name as it is defined. More is said in [Python](api.md)."
    return "\n\n".join((head, *(described(name, getattr(tertium, name)) for name in sorted(tertium.__all__)))) + "\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by the words that call it."""
    for name in sorted(COMMANDS):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield name, command
        if isinstance(command, LazyGroup):
            for inner in sorted(command.known):
                found = command.get_command(click.Context(command), inner)
                assert found is not None
                yield f"{name} {inner}", found


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Rows of its table."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            names, meaning = record
            yield f"| `{names.replace('|', chr(92) + '|')}` | {cell(meaning)} |"


def command_line() -> str:
    """Every command, its arguments and options as click knows them."""
    parts = [
        "# Command line, from the code\n\nWhat `--help` says of every command. More is said in [Command line](cli.md)."
    ]
    for name, command in commands():
        context = click.Context(command, info_name=f"tertium {name}")
        usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
        parts += [f"## tertium {name}", fenced(usage, "text"), prose((command.help or "").replace("\b\n", ""))]
        rows = list(options(command, context))
        if rows:
            parts.append("\n".join(("| option | meaning |", "|---|---|", *rows)))
    return "\n\n".join(part for part in parts if part) + "\n"


def metrics() -> str:
    """Every metric: its docstring, and its options with their defaults."""
    parts = ["# Metrics, from the code\n\nWhat `tertium metrics NAME` says. Formulas are in [Metrics](metrics.md)."]
    for name, cls in known().items():
        parts += [f"## {name.replace('_', chr(92) + '_')}", fenced(inspect.cleandoc(cls.__doc__ or ""), "text")]
        rows = [f"| `{field.name}` | `{field.default!r}` |" for field in dataclasses.fields(cls)]
        if rows:
            parts.append("\n".join(("| option | default |", "|---|---|", *rows)))
    return "\n\n".join(parts) + "\n"


def pages() -> Made:
    """All generated pages."""
    return {
        "reference/python-from-code.md": ("Python, from the code", python()),
        "reference/command-line-from-code.md": ("Command line, from the code", command_line()),
        "reference/metrics-from-code.md": ("Metrics, from the code", metrics()),
    }
