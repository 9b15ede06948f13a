"""From texts to the ids that a network reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tertium.core.errors import InputError
from tertium.learned.pieces import mt5_tokenizer, xlmr_tokenizer
from tertium.learned.weights import read_json

SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
FILES = ("tokenizer.json", "sentencepiece.bpe.model", "spiece.model", "vocab.txt", "spm.model")


class Tokens(NamedTuple):
    """The ids of a text, without the special ones around it, and the characters that each stands for."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class Tokenizer(Protocol):
    """How texts become ids."""

    start: list[int]  # before a text
    between: list[int]  # between two
    end: list[int]  # after the last
    padding: int | None  # the id that fills up inputs, where the file names one
    size: int  # of the vocabulary
    longest: int  # ids of an input, as the folder says
    file: str  # the name of the file that says how

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """The ids of texts, whole and with nothing around them."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special ones included."""
        ...


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a folder, or in a tokenizer.json of any name."""
    if path.is_file():
        return FastTokenizer(read_json_tokenizer(path), {}, path.name)
    name = next((name for name in FILES if (path / name).is_file()), None)
    if name is None:
        raise InputError(f"{path}: no tokenizer; expected one of {', '.join(FILES)}")
    settings = read_json(path / "tokenizer_config.json") if (path / "tokenizer_config.json").is_file() else {}
    if name == "spm.model":
        return PieceTokenizer(path / name, settings)
    made = {
        "tokenizer.json": read_json_tokenizer,
        "sentencepiece.bpe.model": xlmr_tokenizer,
        "spiece.model": mt5_tokenizer,
    }
    reader = made[name](path / name) if name in made else _wordpiece(path / name, settings)
    return FastTokenizer(reader, settings, name)


def check_special(tokenizer: Tokenizer, path: Path) -> None:
    """Refuse a file that does not say what comes before and after a text: scores would be others, without a word."""
    if not tokenizer.start or not tokenizer.end:
        raise InputError(f"{path}: its tokenizer puts nothing before or after a text; expected such as <s> and </s>")


def read_json_tokenizer(path: Path) -> Any:
    """The tokenizer that a tokenizer.json says."""
    from tokenizers import Tokenizer as Reader

    try:
        return Reader.from_file(str(path))
    except Exception:  # the package raises no other kind
        raise InputError(f"{path}: not a tokenizer.json; is the download complete?") from None


def _wordpiece(path: Path, settings: Any) -> Any:
    """BERT's own: characters made simple, split at spaces and punctuation, the longest pieces first."""
    from tokenizers import AddedToken, normalizers, pre_tokenizers
    from tokenizers import Tokenizer as Reader
    from tokenizers.models import WordPiece
    from tokenizers.processors import BertProcessing

    made = Reader(WordPiece.from_file(str(path), unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=settings.get("do_lower_case", True))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [token for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if made.token_to_id(token) is not None]
    made.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    if not {"[CLS]", "[SEP]"} <= set(special):
        raise InputError(f"{path}: has no [CLS] or no [SEP]; is it BERT's vocabulary?")
    made.post_processor = BertProcessing(("[SEP]", made.token_to_id("[SEP]")), ("[CLS]", made.token_to_id("[CLS]")))
    return made


class FastTokenizer:
    """One of the package `tokenizers`; the special ids around texts are those of its file."""

    def __init__(self, tokenizer: Any, settings: Any, file: str = "tokenizer.json") -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        pair = tokenizer.encode("", "").ids
        around = tokenizer.encode("").ids
        ends = tokenizer.num_special_tokens_to_add(is_pair=False)
        self.start: list[int] = around[:1] if ends == 2 else []
        self.end: list[int] = around[len(self.start) :]
        self.between: list[int] = pair[len(self.start) : len(pair) - len(self.end)]
        pads = (tokenizer.token_to_id(token) for token in ("<pad>", "[PAD]"))
        self.padding: int | None = next((number for number in pads if number is not None), None)
        self.size: int = tokenizer.get_vocab_size()
        self.longest, self.file = longest_of(settings), file

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """The ids of texts, whole and with nothing around them."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [Tokens(each.ids, each.offsets) for each in found]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special ones included."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))


class PieceTokenizer:
    """SentencePiece itself, whose ids are used as they are (BLEURT-20); special tokens that a text spells are such."""

    special = SPECIAL
    first: tuple[str, ...] = ("[CLS]",)
    last, pad = "[SEP]", "[PAD]"

    def __init__(self, path: Path, settings: Any) -> None:
        from sentencepiece import SentencePieceProcessor

        try:
            self._model: Any = SentencePieceProcessor(model_file=str(path))
        except (RuntimeError, OSError):
            raise InputError(f"{path}: not a SentencePiece model; is the download complete?") from None
        last = self._model.piece_to_id(self.last)
        self.start: list[int] = [self._model.piece_to_id(token) for token in self.first]
        self.between, self.end = [last], [last]
        self.padding: int | None = self._model.piece_to_id(self.pad)
        self.size: int = self._model.get_piece_size()
        self.longest, self.file = longest_of(settings), path.name

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """The ids of texts, whole and with nothing around them; the characters are not told."""
        return [Tokens(self._ids(text), []) for text in texts]

    def _ids(self, text: str) -> list[int]:
        found: list[int] = []
        for k, part in enumerate(self.special.split(text)):
            if k % 2:
                found.append(self._model.piece_to_id(part))
            elif part:
                found += self._model.encode(part)
        return found

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids."""
        return str(self._model.decode(list(ids)))


def longest_of(settings: Any) -> int:
    """How many ids an input may have; transformers writes 1e30 where it does not know."""
    return int(min(settings.get("model_max_length") or 1e30, 1 << 30))
