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


class Generation(NamedTuple):
    """What an answer is searched for with."""

    folder: Folder
    given: dict[str, Any]  # what the network reads
    skipped: int  # ids of what comes back that are no part of the answer
    room: int  # tokens that an answer has at most
    decoding: Decoding
    seed: int
    tell: Tell
    score: Score


def generate(search: Generation) -> Written:
    """The answer to what the network reads.

    A beam compares log-probabilities, without a bonus for length. It can lose the greedy text on its way, so that is
    searched for as well, and the better of both is taken.
    """
    decoding = search.decoding
    found = [_ids(search, width) for width in ((decoding.beam, 1) if decoding.beam > 1 else (1,))]
    scores = [search.score(ids) for ids in found]
    best = max(range(len(found)), key=lambda place: scores[place])
    ids = found[best]
    text = search.tell(ids)
    cuts = [place for mark in decoding.stop if (place := text.find(mark)) >= 0]
    finish: Finish = "stop" if cuts or ids[-1] in ends(search.folder) else "length"
    read = search.given["attention_mask"].shape[1]
    return Written(text[: min(cuts)] if cuts else text, finish, read, len(ids), scores[best])


def _ids(search: Generation, width: int) -> list[int]:
    """The ids of an answer, with the token that ends it."""
    import torch
    import transformers

    network, decoding, ending = search.folder.network, search.decoding, sorted(ends(search.folder))
    padding = network.generation_config.pad_token_id
    drawn = {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": 0} if decoding.temperature else {}
    chosen = {"num_beams": width, "length_penalty": 0.0} if width > 1 else drawn
    settings = transformers.GenerationConfig(
        max_new_tokens=search.room,
        do_sample=bool(drawn),
        eos_token_id=ending or None,
        pad_token_id=padding if padding is not None else (ending[0] if ending else 0),
        **chosen,
    )
    criteria = _criteria(decoding.stop, search.skipped, search.tell)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(search.seed)
        whole = network.generate(**search.given, generation_config=settings, stopping_criteria=criteria)
    ids: list[int] = whole[0, search.skipped :].tolist()
    for place, number in enumerate(ids):
        if number in ending:
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


def ends(folder: Folder) -> set[int]:
    """The tokens that end an answer."""
    found = folder.network.generation_config.eos_token_id
    return set() if found is None else set(found) if isinstance(found, list) else {found}
