"""The file in which answers of language models are kept, for every command that asks or looks."""

from __future__ import annotations

from tertium.core.errors import InputError


def answers_file(path: str | None) -> str:
    """The file that the user names, or the one in the user's cache folder."""
    from tertium.io.cache import cache_folder

    if path is not None:
        return path
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # no home, no room
        raise InputError(
            f"answers cannot be kept in the user's cache folder ({error}); pass --cache FILE or --no-cache"
        ) from None
    return str(folder / "answers.sqlite")
