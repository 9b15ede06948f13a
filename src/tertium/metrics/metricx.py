"""MetricX-23 and MetricX-24 (Juraska et al. 2023, 2024), equal to google-research/metricx."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.learned.memory import Keys, Memo
from tertium.learned.metricx import FORMATS, HIGH, LOW, MetricxModel, load_metricx
from tertium.learned.mt5_tokenizer import SLOW, TOKENIZATIONS
from tertium.learned.windows import Texts
from tertium.metrics._learned import (
    Reader,
    best_rows,
    check_options,
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
class Metricx:
    """How many errors a network, trained on people's judgements, expects in an output: 0 none, 25 very many.

    Formula:
        MetricX = mean over segments of f(source, output, reference)
        f: the network, which the model says, no less than 0 and no more
        than 25; of several references the one that gives the lowest

    Options:
        model: the folder of a checkpoint in the layout of transformers, or its name in a folder of models
        tokenizer: the folder with mT5's spiece.model or tokenizer.json; none if it lies in the model's own
        tokenization: which release's tokens: fast-4.30.2, that of MetricX's own program; fast-4.57.6; slow, in which
            unknown characters are bytes. A tokenizer.json is of one kind, spiece.model serves for all
        format: the model's version, and whether it is to read a reference: 24-ref, 24-qe (no reference), 23-ref (no
            source), 23-qe (no reference)
        length: tokens that are read, at most; None for 1536 (24) or 1024 (23)
        precision: of the arithmetic: float32, or bfloat16 and float16, which are faster on some devices
        windows: score a text that is too long in windows that overlap, and take their mean; else it is cut

    Blind to:
        What its training data did not hold: languages, domains, kinds of errors. A model gives scores in any format,
        and nothing in its folder says which one it was trained for.

    Paper:
        Juraska et al. (2023), "MetricX-23: The Google submission to the WMT 2023 metrics shared task"; Juraska et al.
        (2024), "MetricX-24: The Google submission to the WMT 2024 metrics shared task".
    """

    name: ClassVar[str] = "metricx"
    title: ClassVar[str] = "MetricX"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (LOW, HIGH)
    needs: ClassVar[frozenset[str]] = frozenset({"references", "source", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 3
    models: ClassVar[tuple[str, ...]] = ("model", "tokenizer")
    referenceless: ClassVar[str] = 'format="24-qe"'
    concurrent: ClassVar[bool] = False  # torch has threads of its own

    model: str = ""
    tokenizer: str = ""
    tokenization: str = TOKENIZATIONS[0]
    format: str = "24-ref"
    length: int | None = None
    precision: str = "float32"
    windows: bool = False

    def __post_init__(self) -> None:
        choose("metricx", "format", self.format, tuple(FORMATS))
        choose("metricx", "tokenization", self.tokenization, TOKENIZATIONS)
        check_options(self)
        if self.length is not None and self.length < 2:
            raise OptionError(f"metricx: length={self.length}; an input must have at least 2 tokens")
        template, _ = FORMATS[self.format]
        needs = {"model", *(("source",) if "{source}" in template else ())}
        object.__setattr__(self, "needs", frozenset(needs | ({"references"} if "{reference}" in template else set())))

    def versions(self) -> dict[str, str]:
        """Packages and settings that the signature must name."""
        return versions(self.precision, "torch", "sentencepiece" if self.tokenization == SLOW else "tokenizers")

    def model_facts(self, run: Run) -> dict[str, str]:
        """What the model is, for the signature."""
        model = self._load(run)
        network = model.network
        return {
            "encoder": f"mt5-{network.blocks}+{network.steps}",
            "tokens": f"{self.tokenization} of {model.tokenizer.file}",
        }

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """All texts are read together: nothing can be done before there are outputs, but to load the model."""
        self._load(run)
        return Prepared(references=testset.references, shared=Memo())

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (score, 1)."""
        reader = self._reader(run)

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            texts = texts_beside(outputs, prepared, numbers, stream)
            return reader.score(texts, self.windows, run, prepared.shared)

        return rows_of(*best_rows(outputs, prepared, True, score))

    def _reader(self, run: Run) -> Reader:
        model, (template, usual) = self._load(run), FORMATS[self.format]
        longest = self.length or usual
        digests = [run.digest(text) for text in (self.model, self.tokenizer)]
        keys = Keys("metricx", *digests, self.tokenization, self.precision, self.format, str(longest))
        sides = [side for side in ("output", "source", "reference") if f"{{{side}}}" in template]

        def read(texts: Sequence[Texts]) -> tuple[list[list[int]], list[bool]]:
            return model.read([template.format(**dict(zip(sides, each, strict=True))) for each in texts], longest)

        def compute(texts: list[Texts]) -> Iterator[tuple[list[int], list[bytes]]]:
            rows, cut = read(texts)
            for batch, values in model.score(rows, run):
                yield batch, [pack(value, cut=cut[k]) for k, value in zip(batch, values, strict=True)]

        return Reader(lambda texts: read(texts)[1], lambda texts: keys.of(*texts), compute)

    def score(self, sums: Any) -> Any:
        """The mean of the segments' scores."""
        return mean_score(sums)

    def _load(self, run: Run) -> MetricxModel:
        need_model(self)
        tokenizer = (self.tokenizer, run.model(self.tokenizer)) if self.tokenizer else None
        return load_metricx(self.model, run.model(self.model), tokenizer, self.tokenization, self.precision, run.device)
