"""Types of the compiled kernel (kernel/module.cpp)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class View:
    def __init__(
        self,
        buffer: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        missing: NDArray[np.bool_] | None = None,
    ) -> None: ...

def split_lines(buffer: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def first_invalid_utf8(buffer: NDArray[np.uint8]) -> int: ...
def gather(lines: View, first: int, last: int) -> bytes: ...
def tokenize(lines: View, tokenizer: str) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]: ...
def count_ngrams(
    outputs: View,
    references: list[View],
    tokenizer: str,
    reference_tokenizer: str,
    order: int,
    rows: NDArray[np.float64],
) -> None: ...
def count_chrf(
    outputs: View,
    references: View,
    chars: int,
    words: int,
    lowercase: bool,
    whitespace: bool,
    rows: NDArray[np.float64],
) -> None: ...
def count_edits(
    outputs: View, references: View, tokenizer: str, reference_tokenizer: str, rows: NDArray[np.float64]
) -> None: ...
def count_translation_edits(
    outputs: View, references: View, tokenizer: str, reference_tokenizer: str, rows: NDArray[np.float64]
) -> None: ...
def edit_operations(output: NDArray[np.uint8], reference: NDArray[np.uint8], tokenizer: str) -> str: ...
