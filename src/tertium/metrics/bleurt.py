"""BLEURT (Sellam et al. 2020), equal to bleurt-pytorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.lines import Lines
from tertium.core.metric import Prepared, metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.learned.bleurt import BleurtModel, Pairs, load_bleurt
from tertium.learned.memory import Keys, Memo
from tertium.learned.windows import Texts
from tertium.metrics._learned import (
    Reader,
    best_rows,
    check_options,
    encoder_text,
    mean_score,
    need_model,
    pack,
    rows_of,
    texts_beside,
    versions,
)

if TYPE_CHECKING:
    from tertium.metrics._learned import Flags, Values


@metric
class Bleurt:
    """What a network, trained on people's judgements, says of an output beside its reference.

    Formula:
        BLEURT = mean over segments of f(reference, output)
        f: the network, which the model says; of several references the one
        that gives the best score

    Options:
        model: the folder of a checkpoint in the layout of transformers, or its name in a folder of models
        precision: of the arithmetic: float32, or float16 and bfloat16, which are faster on some devices
        windows: score a text that is too long in windows that overlap, and take their mean; else it is cut

    Blind to:
        The source: what the reference gets wrong is wrong. What its training data did not hold. Beyond 512 tokens (128
        for the first models) a pair of texts is cut off. Scores of different models cannot be compared, and they have
        no fixed bounds.

    Paper:
        Sellam, Das and Parikh (2020), "BLEURT: Learning robust metrics for text generation"; Pu et al. (2021),
        "Learning compact metrics for MT".
    """

    name: ClassVar[str] = "bleurt"
    title: ClassVar[str] = "BLEURT"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"references", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4
    models: ClassVar[tuple[str, ...]] = ("model",)
    concurrent: ClassVar[bool] = False  # torch has threads of its own

    model: str = ""
    precision: str = "float32"
    windows: bool = False

    def __post_init__(self) -> None:
        check_options(self)

    def versions(self) -> dict[str, str]:
        """Packages and settings that the signature must name."""
        return versions(self.precision, "torch", "tokenizers", "sentencepiece")

    def model_facts(self, run: Run) -> dict[str, str]:
        """What the model is, for the signature."""
        model = self._load(run)
        return {"encoder": encoder_text(model.encoder), "tokens": model.tokenizer.file}

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Pairs are read together: nothing can be done before there are outputs, but to load the model."""
        self._load(run)
        return Prepared(references=testset.references, shared=Memo())

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (score, 1)."""
        reader = self._reader(run, prepared.shared)

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            texts = texts_beside(outputs, prepared, numbers, stream)
            return reader.score(texts, self.windows, run, prepared.shared)

        return rows_of(*best_rows(outputs, prepared, False, score))

    def _reader(self, run: Run, memo: Memo) -> Reader:
        model, keys = self._load(run), Keys("bleurt", run.digest(self.model), self.precision)

        def read(texts: Sequence[Texts]) -> Pairs:
            return model.read([reference for _, reference in texts], [output for output, _ in texts], memo)

        def compute(texts: list[Texts]) -> Iterator[tuple[list[int], list[bytes]]]:
            pairs = read(texts)
            for batch, values in model.score(pairs, run):
                yield batch, [pack(value, cut=pairs.cut[k]) for k, value in zip(batch, values, strict=True)]

        return Reader(lambda texts: read(texts).cut, lambda texts: keys.of(*texts), compute)

    def score(self, sums: Any) -> Any:
        """The mean of the segments' scores."""
        return mean_score(sums)

    def _load(self, run: Run) -> BleurtModel:
        need_model(self)
        return load_bleurt(self.model, run.model(self.model), self.precision, run.device)
