"""How answers are found: greedy, drawn, or by a beam, all by transformers' own `generate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tertium.models.hf.folder import Folder
from tertium.models.language_model import Decoding, Finish

Tell = Callable[[Sequence[int]], str]  # the text of new ids
Score = Callable[[Sequence[int]], float]  # their log-probability


class Written(NamedTuple):
    """An answer, how it ended, how many tokens it and its prompt have, and log P(answer and its end | prompt)."""

    text: str
    finish: Finish
    prompt_tokens: int
    tokens: int
    log_probability: float


def generate(
    folder: Folder,
    given: dict[str, Any],
    skipped: int,
    decoding: Decoding,
    room: int,
    seed: int,
    tell: Tell,
    score: Score,
    size: int,
) -> Written:
    """The answer to `given`, of at most `room` tokens; `skipped` ids of what comes back are no part of it.

    A beam compares log-probabilities, without a bonus for length. It can lose the greedy text on its way, so that is
    searched for as well, and the better of both is taken.
    """
    found = [_search(folder, given, skipped, decoding, room, seed, tell, decoding.beam)]
    if decoding.beam > 1:
        found.append(_search(folder, given, skipped, decoding, room, seed, tell, 1))
    scores = [score(ids) for ids in found]
    best = max(range(len(found)), key=lambda place: scores[place])
    ids = found[best]
    text = tell(ids)
    cuts = [place for mark in decoding.stop if (place := text.find(mark)) >= 0]
    finish: Finish = "stop" if cuts or ids[-1] in _ends(folder) else "length"
    return Written(text[: min(cuts)] if cuts else text, finish, size, len(ids), scores[best])


def _search(
    folder: Folder,
    given: dict[str, Any],
    skipped: int,
    decoding: Decoding,
    room: int,
    seed: int,
    tell: Tell,
    width: int,
) -> list[int]:
    """The ids of an answer, with the token that ends it."""
    import torch
    import transformers

    ends = sorted(_ends(folder))
    padding = folder.network.generation_config.pad_token_id
    drawn = {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": 0} if decoding.temperature else {}
    search = {"num_beams": width, "length_penalty": 0.0} if width > 1 else drawn
    settings = transformers.GenerationConfig(
        max_new_tokens=room,
        do_sample=bool(drawn),
        eos_token_id=ends or None,
        pad_token_id=padding if padding is not None else (ends[0] if ends else 0),
        **search,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        whole = folder.network.generate(
            **given, generation_config=settings, stopping_criteria=_criteria(decoding.stop, skipped, tell)
        )
    ids: list[int] = whole[0, skipped:].tolist()
    for place, number in enumerate(ids):
        if number in ends:
            return ids[: place + 1]
    return ids


def _criteria(stop: Sequence[str], skipped: int, tell: Tell) -> Any:
    """End an answer, or a hypothesis of a beam, as soon as it holds one of these texts."""
    import torch
    import transformers

    class AtTexts(transformers.StoppingCriteria):  # type: ignore[misc]
        """Looks at all new tokens: where a text begins is known to nobody."""

        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:  # noqa: ARG002
            texts = [tell(row) for row in input_ids[:, skipped:].tolist()]
            return torch.tensor([any(mark in text for mark in stop) for text in texts])

    return transformers.StoppingCriteriaList([AtTexts()] if stop else [])


def _ends(folder: Folder) -> set[int]:
    """The tokens that end an answer."""
    ends = folder.network.generation_config.eos_token_id
    return set() if ends is None else set(ends) if isinstance(ends, list) else {ends}
