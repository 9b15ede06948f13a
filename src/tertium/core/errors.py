"""The errors a user can meet. Each says what is wrong, where, what was got and expected, and the way out."""


class TertiumError(Exception):
    """Anything tertium refuses; its text is a sentence for the user."""


class InputError(TertiumError):
    """Files or texts that cannot be read as what they are said to be."""


class OptionError(TertiumError):
    """A metric, option or argument that does not exist or does not fit."""


class MissingPackageError(TertiumError):
    """An optional package is needed and not installed; the text names the `pip install` line."""
