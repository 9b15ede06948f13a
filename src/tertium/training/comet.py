"""Train COMET (Rei et al. 2020), with references or without, on judgements of people."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import CancelledError, InputError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.inference.correlations import pearson, tau_b
from tertium.io.examples import Examples
from tertium.learned.batches import BUDGET
from tertium.learned.weights import need_torch, read_archive
from tertium.training.curve import (
    PRETRAINING,
    START,
    TRAINING,
    Epoch,
    Training,
    best_epoch,
    is_over,
    point_object,
    read_point,
)
from tertium.training.identity import check_same, identify
from tertium.training.inputs import ReadExamples, batches_of, by_length, check_scores, read_inputs, texts_of
from tertium.training.layout import (
    STATE,
    check_folder,
    load_training,
    prepare_folder,
    save_archive,
    save_checkpoint,
    save_training,
    sweep,
)
from tertium.training.memory import in_parts
from tertium.training.network import Network, score_ids, start_network
from tertium.training.pretraining import noise_examples
from tertium.training.settings import Recipe, Settings, find_recipe

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from tertium.core.stats import Array

SAVE_EVERY = 500  # steps after which the state is written, beside the end of each epoch
LONGEST_STEP = 1.0  # gradients are shortened to this length


def train(
    recipe: str,
    data: Examples,
    valid: Examples,
    encoder: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    resume: bool = False,
    save_every: int = SAVE_EVERY,
    run: Run = PLAIN,
) -> Training:
    """Train a network and leave the best epoch's in the folder `out`, in the layout of unbabel-comet.

    The best is that with the highest Kendall tau-b on the validation data. The same examples, settings and encoder give
    the same weights, also if the training was stopped and went on (`resume`), on one computer with as many threads.
    """
    need_torch("training a network")
    settings, folder, root = settings or Settings(), Path(encoder), Path(out)
    found = find_recipe(recipe)
    for examples in (data, valid):
        texts_of(examples, found)
        check_scores(examples)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; an encoder is a folder with config.json, weights and a tokenizer")
    identity = identify(recipe, settings, data, valid, folder)
    check_folder(root, resume)
    finished = load_training(root)
    if finished is not None:
        check_same(finished.identity, identity, root)
        sweep(root)
        return finished
    trainer = make_trainer(found, settings, data, valid, start_network(found, settings, folder, run.device))
    if (root / STATE).is_file():
        trainer.load(read_archive(root / STATE), identity, root)
    prepare_folder(root, folder, trainer.network.model.settings)
    trainer.run_all(root, identity, save_every, run)
    training = trainer.result(recipe, str(root), identity)
    save_training(training)
    sweep(root)
    return training


@dataclass
class Trainer:
    """A training at some point of it."""

    network: Network
    settings: Settings
    recipe: Recipe
    stages: list[tuple[str, ReadExamples]]  # what each epoch is of
    data: ReadExamples
    valid: ReadExamples
    judged: Array  # what people said of these
    optimizer: Optimizer
    curve: list[Epoch] = field(default_factory=list)
    step: int = 0  # of the epoch that is being made
    steps: int = 0  # of all
    loss: float = 0.0  # the sum so far, in this epoch

    @property
    def epoch(self) -> int:
        """The number of the epoch that is being made; 0: nothing is known yet."""
        return len(self.curve)

    def run_all(self, out: Path, identity: dict[str, Any], save_every: int, run: Run) -> None:
        """What is left to do, up to the end."""
        try:
            if not self.curve:
                self.curve.append(self.judge(START, math.nan, run))
                self.save(out, identity)
            while not is_over(self.curve, self.settings):
                self.run_epoch(out, identity, save_every, run)
        except CancelledError:
            self.save(out, identity)
            raise

    def run_epoch(self, out: Path, identity: dict[str, Any], save_every: int, run: Run) -> None:
        """The steps of an epoch that are left, what it is worth, and the weights if it is the best so far."""
        stage, inputs = self.stages[self.epoch - 1]
        batches = batches_of(inputs, self.settings.batch, [self.settings.seed, self.epoch])
        title = f"epoch {self.epoch} of {len(self.stages)}"
        while self.step < len(batches):
            run.tell(title, self.step, len(batches))
            warm = self.epoch - 1 + self.step / len(batches) >= self.settings.frozen_epochs
            self.network.thaw(warm, not self.settings.keep_embeddings_frozen)
            self.loss += self.learn(inputs, batches[self.step])
            self.step, self.steps = self.step + 1, self.steps + 1
            if self.step % save_every == 0:
                self.save(out, identity)
        run.tell(title, self.step, len(batches))
        point = self.judge(stage, self.loss / len(inputs), run)
        if best_epoch([*self.curve, point]) == point.number:
            tensors = self.network.scaled(self.data.mean, self.data.deviation)
            save_checkpoint(out, tensors, self.network.model.settings, point.number, point.steps)
        self.curve.append(point)
        self.step, self.loss = 0, 0.0
        self.save(out, identity)

    def learn(self, inputs: ReadExamples, numbers: list[int]) -> float:
        """One step; the sum of the squared errors before it."""
        import torch

        generator = torch.Generator()
        drop = dropper(self.settings.dropout, generator)

        def start() -> None:
            self.optimizer.zero_grad(set_to_none=True)
            generator.manual_seed(draw_seed(self.settings.seed, self.steps))

        def work(part: Any) -> float:
            targets = torch.tensor(inputs.targets[part], dtype=torch.float32, device=self.network.model.device)
            loss = (self.network.forward(inputs, part, drop) - targets).square().sum()
            (loss / len(numbers)).backward()
            return float(loss.detach())

        total = in_parts(numbers, work, start)
        if not math.isfinite(total):
            raise OptionError(f"after {self.steps} steps the loss is no number any more; lower the learning rates")
        torch.nn.utils.clip_grad_norm_(list(self.network.tensors.values()), LONGEST_STEP)
        self.optimizer.step()
        return total

    def judge(self, stage: str, loss: float, run: Run) -> Epoch:
        """What the network is worth now."""
        scores = self.scores(run)
        tau, r = tau_b(scores, self.judged).value, pearson(scores, self.judged).value
        return Epoch(self.epoch, stage, self.steps, loss, tau, r)

    def scores(self, run: Run) -> Array:
        """Those of the validation data, by the model as it would be saved now."""
        import numpy as np
        import torch

        model = self.network.scoring(self.data.mean, self.data.deviation)
        values, done = np.zeros(len(self.valid)), 0

        def work(part: Any) -> float:
            with torch.inference_mode():
                values[part] = score_ids(model, self.valid, part).cpu().double().numpy()
            return 0.0

        for numbers in by_length(self.valid, run.batch or BUDGET):
            run.tell(f"validation after {self.steps} steps", done, len(self.valid))
            in_parts(numbers, work, lambda: None)
            done += len(numbers)
        return values

    def save(self, out: Path, identity: dict[str, Any]) -> None:
        """Write all that is needed to go on from here."""
        state = {
            "identity": identity,
            "curve": [point_object(point) for point in self.curve],
            "numbers": [self.step, self.steps, self.loss],
            "tensors": {name: tensor.detach() for name, tensor in self.network.tensors.items()},
            "optimizer": self.optimizer.state_dict(),
        }
        save_archive(state, out / STATE)

    def load(self, state: Any, identity: dict[str, Any], out: Path) -> None:
        """Go on from a state."""
        import torch

        if not isinstance(state, dict) or not {"identity", "curve", "numbers", "tensors", "optimizer"} <= state.keys():
            raise InputError(f"{out / STATE}: is not the state of a training; delete the folder and begin anew")
        check_same(state["identity"], identity, out)
        try:
            self.curve = [read_point(point) for point in state["curve"]]
            self.step, self.steps, self.loss = state["numbers"]
            with torch.no_grad():
                for name, tensor in self.network.tensors.items():
                    tensor.copy_(state["tensors"][name])
            self.optimizer.load_state_dict(state["optimizer"])
        except (KeyError, TypeError, ValueError, RuntimeError):
            raise InputError(f"{out / STATE}: is damaged; delete the folder and begin anew") from None

    def result(self, recipe: str, out: str, identity: dict[str, Any]) -> Training:
        """What came of it."""
        best, stages = best_epoch(self.curve), dict(self.stages)
        return Training(
            recipe=recipe,
            settings=self.settings,
            out=out,
            curve=tuple(self.curve),
            best=0 if best is None else best,
            examples=len(self.data),
            validation=len(self.valid),
            pairs=len(stages[PRETRAINING]) if PRETRAINING in stages else 0,
            cut=self.data.cut,
            identity=identity,
        )


def make_trainer(recipe: Recipe, settings: Settings, data: Examples, valid: Examples, network: Network) -> Trainer:
    """A training before its first step."""
    import torch

    inputs = read_inputs(data, recipe, network.model)
    stages = [(TRAINING, inputs)] * settings.epochs
    if settings.pretrain:
        made = noise_examples(data, settings.pretrain, settings.seed)
        check_scores(made)
        stages.insert(0, (PRETRAINING, read_inputs(made, recipe, network.model)))
    optimizer = torch.optim.AdamW(network.groups(settings))
    judged = read_inputs(valid, recipe, network.model)
    return Trainer(network, settings, recipe, stages, inputs, judged, valid.scores, optimizer)


def dropper(share: float, generator: Any) -> Callable[[Tensor], Tensor] | None:
    """Sets so many of the numbers to 0 and enlarges the others; None where none are dropped."""
    import torch

    def drop(x: Tensor) -> Tensor:
        kept = torch.rand(x.shape, generator=generator) >= share
        return x * kept.to(x.device) / (1 - share)

    return drop if share else None


def draw_seed(seed: int, step: int) -> int:
    """The seed of a step: what is drawn there does not depend on where a training was stopped."""
    import numpy as np

    return int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
