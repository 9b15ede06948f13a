"""The errors a user can meet. Each says what is wrong, where, what was got and expected, and the way out."""

from __future__ import annotations


class TertiumError(Exception):
    """Anything tertium refuses; its text is a sentence for the user."""


class InputError(TertiumError):
    """Files or texts that cannot be read, or are not what was expected."""


class SegmentError(InputError):
    """Something wrong in one segment; `at` adds where the segment comes from."""

    def __init__(self, segment: int, text: str, where: str = "texts") -> None:
        super().__init__(segment, text, where)
        self.segment, self.text, self.where = segment, text, where

    def __str__(self) -> str:
        return f"{self.where}, segment {self.segment + 1}: {self.text}"

    def at(self, where: str, first: int) -> SegmentError:
        """The same error with the name of the texts, and with segments counted from number `first`."""
        return SegmentError(first + self.segment, self.text, where)


class OptionError(TertiumError):
    """A metric, option or argument that does not exist or does not fit."""


class CancelledError(TertiumError):
    """The work was cancelled (`Run.cancelled`)."""


class MissingPackageError(TertiumError):
    """An optional package is needed and not installed; the text names the `pip install` line."""
