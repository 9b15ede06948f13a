"""Which language a text is in, by py3langid: an optional package whose model comes with it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from tertium.core.errors import MissingPackageError

Identify = Callable[[str], tuple[str, float]]


def check_identifier() -> None:
    """Refuse, with the way out, where the package is not installed. Loads nothing."""
    if find_spec("py3langid") is None:
        raise MissingPackageError('language identification needs py3langid: pip install "tertium[langid]"')


def identifier() -> Identify:
    """A function from a text to its likeliest language (ISO 639-1) and that language's probability."""
    check_identifier()
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    known = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def identify(text: str) -> tuple[str, float]:
        language, probability = known.classify(text)
        return str(language), float(probability)

    return identify
