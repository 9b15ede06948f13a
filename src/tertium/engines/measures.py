"""What a condition may name besides metrics: how long texts are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.io.shards import ShardBlock

if TYPE_CHECKING:
    from tertium.core.stats import Array

# name: what it is
MEASURES = {
    "source_words": "words of the source, which white space separates",
    "output_words": "words of the output",
    "reference_words": "words of the first reference that there is",
    "source_characters": "characters of the source, white space among them",
    "output_characters": "characters of the output",
    "reference_characters": "characters of the first reference that there is",
    "length_ratio": "output_characters / reference_characters; where no reference is named, / source_characters",
}
OF_OUTPUT = ("output_words", "output_characters", "length_ratio")


def measure(name: str, block: ShardBlock, system: int) -> Array:
    """What a measure is in every row; NaN where the text is missing, or an empty one would divide. # (n,)"""
    import numpy as np

    if name == "length_ratio":
        side = "reference" if block.references else "source"
        below = measure(f"{side}_characters", block, system)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(below > 0, measure("output_characters", block, system) / below, np.nan)
    side, _, what = name.partition("_")
    count: Callable[[Lines], Array] = words if what == "words" else characters
    if side == "output":
        return count(block.outputs[system])
    if side == "source":
        if block.sources is None:
            raise OptionError(f"{name}: no source is named (--source-column NAME)")
        return count(block.sources)
    if not block.references:
        raise OptionError(f"{name}: no reference is named (--ref-column NAME)")
    found = count(block.references[0])
    for stream in block.references[1:]:
        found = np.where(np.isnan(found), count(stream), found)
    return found


def words(lines: Lines) -> Array:
    """How many words each line has; NaN where it is missing. # (n,)"""
    import numpy as np

    return np.array([np.nan if line is None else len(line.split()) for line in lines], dtype=np.float64)


def characters(lines: Lines) -> Array:
    """How many characters each line has; NaN where it is missing. # (n,)"""
    import numpy as np

    data = np.frombuffer(lines.text(), dtype=np.uint8)
    sizes = lines.lengths()  # bytes, of which those that begin a character count
    begins = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
    ends = np.cumsum(np.maximum(sizes, 0))
    counts = begins[ends] - begins[ends - np.maximum(sizes, 0)]
    return np.where(sizes < 0, np.nan, counts)
