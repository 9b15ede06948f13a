"""Files that commands write: where they cannot be, it is said before anything is worked out; nothing that is read is
lost."""

from __future__ import annotations

from typing import Any

import click


class WrittenFile(click.ParamType):  # type: ignore[type-arg]
    """The name of a file that a command writes, whole or not at all, when all is done."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """The name as it is. As long as the command runs, no file of that name is read."""
        if value in ("", "-") or ctx is None or ctx.resilient_parsing:
            return value
        from tertium.io.files import check_folder, kept_for_results

        check_folder(value)
        ctx.with_resource(kept_for_results(value))
        return value


RESULT = WrittenFile()
