"""Scores inside a Trainer of transformers: a function for `compute_metrics`, and a callback that translates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.inference.scores import score
from tertium.integrations.texts import read_references, read_texts
from tertium.metrics import parse_list

IGNORED = -100  # what labels are padded with, and generated ids where batches are put together
BATCH = 16  # sources that a model translates at a time

Metrics = str | Metric | Iterable[str | Metric]


def compute_metrics(
    tokenizer: Any, metrics: Metrics = "bleu", *, run: Run = PLAIN
) -> Callable[[Any], dict[str, float]]:
    """A function for `Seq2SeqTrainer(compute_metrics=...)` with `predict_with_generate=True`: labels are references.

    A metric that reads the source needs `include_for_metrics=["inputs"]`.
    """

    asked = _checked(tokenizer, metrics)

    def scored(prediction: Any) -> dict[str, float]:
        given = prediction.predictions
        outputs = _decode(tokenizer, given[0] if isinstance(given, tuple) else given, "predictions")
        references = _decode(tokenizer, prediction.label_ids, "labels")
        inputs = getattr(prediction, "inputs", None)
        lacking = [] if inputs is not None else [metric for metric in asked if "source" in metric.needs]
        if lacking:
            raise InputError(f'{lacking[0]} needs the source; pass include_for_metrics=["inputs"] to the arguments')
        sources = None if inputs is None else _decode(tokenizer, inputs, "inputs")
        return _values(outputs, references, sources, asked, run)

    return scored


def translation_callback(
    sources: Sequence[str],
    references: Any,
    tokenizer: Any,
    metrics: Metrics = "bleu",
    *,
    batch: int = BATCH,
    prefix: str = "eval_",
    run: Run = PLAIN,
    **generation: Any,
) -> Any:
    """A TrainerCallback that, whenever the Trainer evaluates, lets the model translate these sources and adds the
    scores to its metrics and history. `generation` goes to `model.generate`; the last texts are its `outputs`."""
    from transformers import TrainerCallback

    asked, read = _checked(tokenizer, metrics), list(read_texts(sources, "sources"))
    targets = read_references(references, len(read))
    if batch < 1:
        raise OptionError(f"batch: {batch}; must be at least 1")

    class TranslationCallback(TrainerCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            self.outputs: list[str] = []

        def on_evaluate(self, _args: Any, state: Any, _control: Any, **others: Any) -> None:
            """Translate, score, add."""
            self.outputs = _translate(others["model"], tokenizer, read, batch, generation)
            found = _values(self.outputs, targets, read, asked, run)
            named = {prefix + metric: value for metric, value in found.items()}
            others.get("metrics", {}).update(named)
            state.log_history.append({**named, "step": state.global_step})

    return TranslationCallback()


def _checked(tokenizer: Any, metrics: Metrics) -> tuple[Metric, ...]:
    """The metrics, known to exist before hours of training, and what decodes for them."""
    if not hasattr(tokenizer, "batch_decode"):
        raise OptionError(f"tokenizer: {type(tokenizer).__name__}; pass the model's tokenizer, which has batch_decode")
    return parse_list(metrics)


def _values(outputs: Any, references: Any, sources: Any, metrics: Metrics, run: Run) -> dict[str, float]:
    found = score(outputs, references=references, sources=sources, metrics=metrics, layout="segments", run=run)
    return {each.metric: each.value for each in found}


def _translate(model: Any, tokenizer: Any, sources: list[Any], batch: int, generation: dict[str, Any]) -> list[str]:
    import torch

    outputs: list[str] = []
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for first in range(0, len(sources), batch):
                asked = tokenizer(
                    sources[first : first + batch], return_tensors="pt", padding=True, truncation=True
                ).to(model.device)
                made = model.generate(**asked, **generation)
                outputs += tokenizer.batch_decode(made, skip_special_tokens=True)
    finally:
        model.train(training)
    return outputs


def _decode(tokenizer: Any, ids: Any, name: str) -> list[str]:
    """The texts of rows of token ids, some of which only fill up."""
    import numpy as np

    if ids is None:
        raise InputError(f"{name}: None; an evaluation set with labels is needed, and predict_with_generate=True")
    found = np.asarray(ids)
    if found.ndim != 2 or found.dtype.kind not in "iu":
        raise InputError(
            f"{name}: {found.ndim} dimensions of {found.dtype}, expected rows of token ids; "
            f"pass predict_with_generate=True to Seq2SeqTrainingArguments, so that the model generates"
        )
    texts: list[str] = tokenizer.batch_decode([row[row != IGNORED].tolist() for row in found], skip_special_tokens=True)
    return texts
