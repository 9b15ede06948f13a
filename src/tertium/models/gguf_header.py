"""What a GGUF file says of itself, and whether it is one, and whole: llama.cpp gives one error for all that is not."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tertium.core.errors import InputError
from tertium.io.files import megabytes

MAGIC = b"GGUF"
# Formats of single values by their type in the file; 8 is a text, 9 a list.
VALUES = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TEXT, LIST = 8, 9
# Weights in a block and its bytes, by type of tensor.
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 30: (1, 2),
}  # fmt: skip
ENDS = ("eos", "eot", "eom")
MOST = 1 << 24  # entries or characters that a sound header may announce


@dataclass(frozen=True, kw_only=True)
class GgufHeader:
    """What we use of a header."""

    architecture: str
    context: int | None  # tokens that the model was trained to read
    chats: bool  # the file has a template for chats; a model without one only continues texts
    parameters: int = 0  # weights of all tensors
    layers: int | None = None
    width: int | None = None  # of its vectors
    vocabulary: int | None = None
    ends: tuple[int, ...] = ()  # ids of the tokens that end a text or a turn


def read_gguf_header(path: str | Path) -> GgufHeader:
    """Read and check a header; raise a sentence where the file is no GGUF file, or not all of it."""
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{path}: a folder; name the .gguf file in it")
    try:
        with file.open("rb") as opened:
            size = file.stat().st_size
            magic = opened.read(4)
            if magic != MAGIC:
                shown = "it is empty" if not magic else f"it begins with {magic!r}, not {MAGIC!r}"
                raise InputError(f"{path}: not a GGUF file ({shown}); llama.cpp reads models in that format only")
            values, needed, weights = _read(opened, str(path))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except EOFError:
        raise InputError(f"{path}: {megabytes(size)}, and its header breaks off; copy or download it again") from None
    except (struct.error, UnicodeDecodeError, OverflowError, KeyError) as error:
        raise InputError(f"{path}: a GGUF file with a damaged header ({error}); copy or download it again") from None
    if size < needed:
        raise InputError(
            f"{path}: {size} bytes, but its tensors need {needed}: the file was cut off; copy or download it again"
        )
    architecture = str(values.get("general.architecture", "unknown"))

    def number(name: str) -> int | None:
        value = values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return GgufHeader(
        architecture=architecture,
        context=number(f"{architecture}.context_length"),
        chats="tokenizer.chat_template" in values,
        parameters=weights,
        layers=number(f"{architecture}.block_count"),
        width=number(f"{architecture}.embedding_length"),
        vocabulary=number("tokenizer.ggml.tokens"),
        ends=tuple(end for name in ENDS if (end := number(f"tokenizer.ggml.{name}_token_id")) is not None),
    )


def _read(file: IO[bytes], name: str) -> tuple[dict[str, Any], int, int]:
    """The values of a header, how many bytes the whole file must have, and how many weights its tensors have."""
    version = _number(file, "<I")
    if version not in (2, 3):
        raise InputError(f"{name}: version {version} of the GGUF format; versions 2 and 3 are known")
    tensors, entries = _counted(file), _counted(file)
    values = {}
    for _ in range(entries):
        key = _text(file)
        values[key] = _value(file, _number(file, "<I"))
    end = total = 0
    for _ in range(tensors):
        _text(file)
        weights = math.prod(_number(file, "<Q") for _ in range(_number(file, "<I")))
        total += weights
        kind, offset = _number(file, "<I"), _number(file, "<Q")
        block, size = BLOCKS.get(kind, (1, 0))  # of a type that came later only the beginning is known
        end = max(end, offset + -(-weights // block) * size)
    alignment = values.get("general.alignment", 32)
    start = -(-file.tell() // alignment) * alignment if tensors and isinstance(alignment, int) and alignment else 0
    return values, start + end, total


def _value(file: IO[bytes], kind: int) -> Any:
    """One value; of a list only its length, because those are vocabularies."""
    if kind == TEXT:
        return _text(file)
    if kind != LIST:
        return _number(file, VALUES[kind])
    inner, count = _number(file, "<I"), _counted(file)
    if inner in VALUES:
        _bytes(file, count * struct.calcsize(VALUES[inner]))
    else:
        for _ in range(count):
            _value(file, inner)
    return count


def _number(file: IO[bytes], form: str) -> Any:
    return struct.unpack(form, _bytes(file, struct.calcsize(form)))[0]


def _counted(file: IO[bytes]) -> int:
    count: int = _number(file, "<Q")
    if count > MOST:
        raise OverflowError(f"it announces {count} entries")
    return count


def _text(file: IO[bytes]) -> str:
    return _bytes(file, _counted(file)).decode()


def _bytes(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise EOFError
    return data
