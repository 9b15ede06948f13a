"""Texts as a network reads them: ids, where each stands in the text, virtual tokens before them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.core.errors import OptionError
from tertium.models.hf.folder import Folder

if TYPE_CHECKING:
    from torch import Tensor


class ReadText(NamedTuple):
    """The tokens of a text: ids, (first, behind the last) character, whether the model put it there itself."""

    ids: list[int]
    spans: list[tuple[int, int]]
    special: list[bool]

    def text(self, place: int, whole: str) -> str:
        """A token as it stands in the text, with the blanks before it that belong to no other."""
        start = 0 if place == 0 else self.spans[place - 1][1]
        return whole[start : self.spans[place][1]]

    def first(self, count: int) -> ReadText:
        """So many of them."""
        return ReadText(self.ids[:count], self.spans[:count], self.special[:count])


class Forced(NamedTuple):
    """Tokens of an answer, and their log-probabilities; gradients flow through them where they are wanted."""

    tokens: tuple[str, ...]
    values: Tensor  # (n,)


def read(folder: Folder, text: str, *, plain: bool = False) -> ReadText:
    """A text in tokens, with what the model puts around every text, or without (`plain`)."""
    found = folder.tokenizer(
        text,
        add_special_tokens=not plain,
        split_special_tokens=True,  # a text that says </s> or [MASK] is a text
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        truncation=False,
        verbose=False,
    )
    special = [False] * len(found["input_ids"]) if plain else [bool(mark) for mark in found["special_tokens_mask"]]
    return ReadText(list(found["input_ids"]), [tuple(span) for span in found["offset_mapping"]], special)


def read_open(folder: Folder, text: str) -> ReadText:
    """A text that is to go on: without what is put behind a text."""
    pieces = read(folder, text)
    if all(pieces.special):  # nobody can tell what is put before and what behind an empty text, but for another text
        special = read(folder, "a").special
        return pieces.first(special.index(False) if False in special else 0)
    return pieces.first(len(pieces.ids) - pieces.special[::-1].index(False))


def spell(folder: Folder, ids: Sequence[int]) -> str:
    """Ids as a text, without special tokens; it can always be written as UTF-8."""
    text = folder.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return str(text).encode("utf-8", "replace").decode()


def check_length(folder: Folder, count: int) -> None:
    """Refuse what does not fit: a table of positions ends somewhere."""
    if folder.context is not None and count > folder.context:
        raise OptionError(
            f"{folder.name}: a text of {count} tokens, but the model reads at most {folder.context}; "
            f"shorten it, or show fewer demonstrations"
        )


def check_known(folder: Folder, ids: Sequence[int], answer: str) -> None:
    """Refuse an answer that the tokenizer cannot spell: the score would be that of any unknown word."""
    if folder.tokenizer.unk_token_id is not None and folder.tokenizer.unk_token_id in ids:
        raise OptionError(
            f"{folder.name}: the tokenizer has no tokens for {answer.strip()!r}, so it has no log-probability; "
            f"choose other words"
        )


def inputs(folder: Folder, ids: Sequence[int], vectors: Tensor | None) -> dict[str, Any]:
    """Ids for the network, or, with virtual tokens before them, embeddings. # (1, m + n) or (1, m + n, d)"""
    import torch

    size = len(ids) + (0 if vectors is None else len(vectors))
    check_length(folder, size)
    numbers = torch.tensor([list(ids)], dtype=torch.long)
    made = {"attention_mask": torch.ones(1, size, dtype=torch.long)}
    if vectors is None:
        return {"input_ids": numbers, **made}
    embedded = folder.network.get_input_embeddings()(numbers)
    return {"inputs_embeds": torch.cat([vectors[None], embedded], 1), **made}


def virtual(folder: Folder) -> Tensor | None:
    """The virtual tokens that the folder was opened with."""
    return None if folder.soft is None else folder.soft.vectors
