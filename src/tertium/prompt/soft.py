"""Soft prompts: virtual tokens before a prompt, trained while the model stays as it is (Lester et al. 2021).

    minimise over v:  -log P(z | v, fill(x)) / |z|        averaged over examples (x, z), z in tokens

v begins as the embeddings of a text, the template's own words unless another is given, so that training starts from a
discrete prompt and not from noise (as Lester et al. 2021 and Li and Liang 2021 found better).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.core.wording import counted
from tertium.learned.batches import torch_threads
from tertium.models.hf.model import HuggingFaceModel
from tertium.models.hf.reading import read
from tertium.models.hf.soft import SoftPrompt
from tertium.models.language_model import Gap, LanguageModel
from tertium.prompt.template import Demonstration, Prompt, Template

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class SoftSettings:
    """How a soft prompt is trained."""

    length: int | None = None  # virtual tokens; None: as many as the text has that they begin as
    rate: float = 0.03  # of Adam
    epochs: int = 100  # at most
    patience: int = 10  # epochs without a lower loss on dev after which training ends
    batch: int = 8  # examples to a step
    dev_share: float = 0.2  # of the examples, where there are none for dev
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("length", "epochs", "patience", "batch"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name}: {value}; must be at least 1")
        if not 0 < self.rate < math.inf:
            raise OptionError(f"rate: {self.rate}; must be more than 0")
        if not 0 < self.dev_share < 1:
            raise OptionError(f"dev_share: {self.dev_share}; must lie between 0 and 1")


class SoftEpoch(NamedTuple):
    """Losses after an epoch, in nats a token; epoch 0 is before any step."""

    epoch: int
    train: float
    dev: float


@dataclass(frozen=True, kw_only=True)
class SoftTraining:
    """A trained soft prompt, and how it came about."""

    soft: SoftPrompt
    curve: tuple[SoftEpoch, ...]
    best: int  # the epoch whose vectors are kept

    @property
    def notes(self) -> Iterator[str]:
        """What a reader of the result should know."""
        first, kept = self.curve[0], self.curve[self.best]
        if self.best == 0:
            yield "no epoch has a lower loss on dev than the text that the virtual tokens began as; that is kept"
        else:
            yield f"loss on dev {first.dev:.4f} before training, {kept.dev:.4f} after epoch {self.best}, which is kept"


def train_soft_prompt(
    model: LanguageModel,
    template: Template,
    examples: Sequence[Demonstration],
    dev: Sequence[Demonstration] = (),
    *,
    text: str | None = None,
    source: str | None = None,
    target: str | None = None,
    line_break: bool = True,
    settings: SoftSettings | None = None,
    run: Run = PLAIN,
) -> SoftTraining:
    """Train virtual tokens for a template on examples; the model's weights stay as they are.

    Without `dev`, a part of the examples is drawn for it. The virtual tokens begin as the embeddings of `text`, else of
    the template's own words. The same model, examples and seed give the same bytes.
    """
    settings = settings or SoftSettings()
    if not isinstance(model, HuggingFaceModel):
        raise OptionError(
            f"{model.name}: soft prompts are for Hugging Face folders (hf:PATH); others give no gradients"
        )
    if model.folder.soft is not None:
        raise OptionError(f"{model.name}: has a soft prompt already; name the folder alone")

    def fill(one: Demonstration) -> Prompt:
        return template.fill(*one.inputs, source=source, target=target, line_break=line_break)

    learnt, held = _parts(examples, dev, settings)
    train_gaps = [_gap(fill(one), one.answer) for one in learnt]
    dev_gaps = [_gap(fill(one), one.answer) for one in held]
    begun = text or template.fill(*[""] * len(template.inputs), source=source, target=target, line_break=line_break)
    words = begun if isinstance(begun, str) else begun.answered("")
    with torch_threads(Run(threads=1)):  # how many there are changes the order of sums, and with it the bytes
        curve, best, vectors = _Trainer(model, _begin(model, words, settings), settings).run_all(
            train_gaps, dev_gaps, run
        )
    about = {
        "model": f"{model.folder.model.name}@{model.folder.model.digest}",
        "template": template.text,
        "text": words,
        "examples": len(train_gaps),
        "dev": len(dev_gaps),
        "seed": settings.seed,
        "rate": settings.rate,
        "batch": settings.batch,
        "curve": [list(epoch) for epoch in curve],
        "best": best,
    }
    return SoftTraining(soft=SoftPrompt(vectors=vectors, about=about), curve=curve, best=best)


class _Trainer:
    """Vectors that move, and a model that does not."""

    def __init__(self, model: HuggingFaceModel, vectors: Tensor, settings: SoftSettings) -> None:
        import torch

        self.model, self.settings = model, settings
        self.vectors = vectors.clone().requires_grad_(True)
        self.optimizer = torch.optim.Adam([self.vectors], lr=settings.rate)

    def run_all(self, learnt: list[Gap], held: list[Gap], run: Run) -> tuple[tuple[SoftEpoch, ...], int, Tensor]:
        """Epochs until dev no longer gets better; the vectors of the best."""
        curve = [SoftEpoch(0, self.loss(learnt), self.loss(held))]
        best, kept = 0, self.vectors.detach().clone()
        for epoch in range(1, self.settings.epochs + 1):
            run.tell("training a soft prompt", epoch - 1, self.settings.epochs)
            order = list(range(len(learnt)))
            random.Random(f"{self.settings.seed} {epoch}").shuffle(order)
            for first in range(0, len(order), self.settings.batch):
                self.step([learnt[place] for place in order[first : first + self.settings.batch]])
            curve.append(SoftEpoch(epoch, self.loss(learnt), self.loss(held)))
            if not math.isfinite(curve[-1].train + curve[-1].dev):
                raise InputError(
                    f"the loss is no number after epoch {epoch}; train with a lower rate than {self.settings.rate:g}"
                )
            if curve[-1].dev < curve[best].dev:
                best, kept = epoch, self.vectors.detach().clone()
            elif epoch - best >= self.settings.patience:
                break
        return tuple(curve), best, kept

    def step(self, gaps: Sequence[Gap]) -> None:
        """One step of Adam on the mean loss of a batch; one example at a time, so that memory does not grow."""
        self.optimizer.zero_grad()
        for gap in gaps:
            (-self.model.log_likelihood(gap, self.vectors).mean() / len(gaps)).backward()
        self.optimizer.step()

    def loss(self, gaps: Sequence[Gap]) -> float:
        """The mean over examples of nats a token."""
        import torch

        with torch.no_grad():
            values = [-float(self.model.log_likelihood(gap, self.vectors).mean()) for gap in gaps]
        return math.fsum(values) / len(values)


def _parts(
    examples: Sequence[Demonstration], dev: Sequence[Demonstration], settings: SoftSettings
) -> tuple[list[Demonstration], list[Demonstration]]:
    """What is learnt from, and what tells when to stop."""
    for one in (*examples, *dev):
        if not one.answer.strip():
            raise InputError(f"an example has no answer: {one.inputs[0]!r}; every example needs one")
    if dev:
        if not examples:
            raise InputError("no examples to learn from")
        return list(examples), list(dev)
    if len(examples) < 2:
        raise InputError(f"{counted(len(examples), 'example')}; at least 2 are needed, one to tell when to stop")
    count = min(len(examples) - 1, max(1, round(len(examples) * settings.dev_share)))
    drawn = set(random.Random(f"{settings.seed} dev").sample(range(len(examples)), count))
    return (
        [one for place, one in enumerate(examples) if place not in drawn],
        [one for place, one in enumerate(examples) if place in drawn],
    )


def _gap(prompt: Prompt, answer: str) -> Gap:
    return Gap(prompt.before, f"{prompt.blank}{answer}", prompt.after)


def _begin(model: HuggingFaceModel, words: str, settings: SoftSettings) -> Tensor:
    """The embeddings of a text, over and over where more virtual tokens are wanted than it has. # (m, d)"""
    import torch

    ids = read(model.folder, words, plain=True).ids
    if not ids:
        raise OptionError("the template has no words of its own for virtual tokens to begin as; give a text (--begin)")
    length = settings.length or len(ids)
    numbers = torch.tensor([ids[place % len(ids)] for place in range(length)])
    with torch.no_grad():
        vectors: Tensor = model.folder.network.get_input_embeddings()(numbers).clone()
    return vectors
