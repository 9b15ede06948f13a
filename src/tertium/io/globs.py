# ruff: noqa: PTH112, PTH113, PTH114, PTH118 (paths are texts here: pathlib drops dots and fails at long names)
"""The files that patterns such as `systems/*.en` name: without recursion, and no further than a bound.

*  ?  [abc]    in a name, which they do not begin where it begins with a dot
**             folders at any depth, links among them not followed; once in a pattern
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from os.path import isdir, isfile, islink, join, splitdrive

from tertium.core.errors import InputError

MARKS = "*?["
ANY_DEPTH = "**"
LOOKED_AT = 200_000  # names that the patterns of one test set may look at


class Globs:
    """Finds files below a folder; all patterns together look at so many names."""

    def __init__(self, folder: str | os.PathLike[str], names: int = LOOKED_AT) -> None:
        self.folder, self.names, self.left = os.fspath(folder), names, names

    def find(self, pattern: str, *, broken: bool = False) -> list[str]:
        """The files that a pattern names, sorted. A pattern that is absolute leads away from the folder. With `broken`,
        links that lead nowhere are named too."""
        drive, steps = splitdrive(pattern)[0], splitdrive(pattern)[1].split("/")
        if (many := steps.count(ANY_DEPTH)) > 1:
            raise InputError(
                f"{shown(pattern)} has ** {many} times; one ** already stands for folders at any depth, "
                f"so write it once"
            )
        places = [self.folder if steps[0] else f"{drive}/"]
        for k, step in enumerate(steps, 1):
            places = list(dict.fromkeys(self.step(places, step, k == len(steps))))
        return sorted(place for place in places if isfile(place) or (broken and islink(place) and not isdir(place)))

    def step(self, places: list[str], step: str, last: bool) -> Iterator[str]:
        """Where one part of a pattern leads."""
        for place in places:
            if step == ANY_DEPTH:
                yield from self.below(place, last)
            elif any(mark in step for mark in MARKS):
                names = [entry.name for entry in self.entries(place)]
                fitting = fnmatch.filter(names, step)
                yield from (join(place, name) for name in fitting if step[0] == "." or name[0] != ".")
            else:
                self.count(1)
                yield join(place, step)

    def below(self, top: str, files: bool) -> Iterator[str]:
        """A folder and all folders in it, and their files if those are wanted."""
        waiting = [top] if isdir(top) else []
        while waiting:
            place = waiting.pop()
            yield place
            for entry in self.entries(place):
                if entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name[0] != "." and files:
                    yield entry.path

    def entries(self, place: str) -> list[os.DirEntry[str]]:
        """What is in a folder; nothing where it is no folder, or may not be read."""
        found = []
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    self.count(1)
                    found.append(entry)
        except (OSError, ValueError):  # no folder; a NUL in its name
            self.count(1)
        return found

    def count(self, names: int) -> None:
        """Count so many more names, and refuse patterns that look at too many."""
        self.left -= names
        if self.left < 0:
            raise InputError(f"the patterns look at more than {self.names} names; name folders nearer to the files")


def shown(pattern: str) -> str:
    """A pattern as an error names it."""
    return pattern if len(pattern) <= 200 else f"{pattern[:60]}..."
