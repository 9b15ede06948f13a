"""COMET (Rei et al. 2020, 2022), COMETKiwi, UniTE (Wan et al. 2022) and XCOMET (Guerreiro et al. 2024), equal to
unbabel-comet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.learned.comet import BOTH, JOINT, REFERENCES, SOURCE, XCOMET, CometModel, Read, kind_of, load_comet
from tertium.learned.embedded import embed, score_vectors
from tertium.learned.joint import (
    ErrorSpan,
    JointScore,
    cut_jointly,
    read_beside,
    read_side,
    score_jointly,
    spans_of_windows,
)
from tertium.learned.memory import Keys, Memo
from tertium.learned.windows import Texts, Window
from tertium.metrics._learned import (
    Reader,
    any_of_windows,
    best_rows,
    check_options,
    encoder_text,
    mean_of_windows,
    mean_score,
    need_model,
    rows_of,
    spread,
    texts_beside,
    versions,
)

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.metrics._learned import Flags, Scoring, Values


@metric
class Comet:
    """What a network, trained on people's judgements, says of an output beside its source and its reference.

    Formula:
        COMET = mean over segments of f(output, source, reference)
        f: the network, which the model says; of several references the one
        that gives the best score

    Options:
        model: the folder of a checkpoint (hparams.yaml and checkpoints/model.ckpt), or its name in a folder of models
        encoder: the folder with config.json and tokenizer of the model's encoder; none if they lie in the model's own
        inputs: what is read beside the output: source+references, source (quality estimation: COMETKiwi and other
            referenceless models; also UniTE and XCOMET), or references (UniTE)
        precision: of the encoder's arithmetic: float32, or float16 and bfloat16, which are faster on some devices
        windows: score a text that is too long in windows that overlap, and take their mean; else it is cut

    Blind to:
        What its training data did not hold: languages, domains, kinds of errors; wrong names and numbers may cost
        little. Beyond about 500 tokens a text is cut off. Scores of different models cannot be compared, and they have
        no fixed bounds.

    Paper:
        Rei, Stewart, Farinha and Lavie (2020), "COMET: A neural framework for MT evaluation"; Rei et al. (2022),
        "CometKiwi: IST-Unbabel 2022 submission for the quality estimation shared task"; Wan et al. (2022), "UniTE:
        Unified translation evaluation"; Guerreiro et al. (2024), "xCOMET: Transparent machine translation evaluation
        through fine-grained error detection".
    """

    name: ClassVar[str] = "comet"
    title: ClassVar[str] = "COMET"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"references", "source", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4
    models: ClassVar[tuple[str, ...]] = ("model", "encoder")
    referenceless: ClassVar[str] = 'inputs="source"'
    concurrent: ClassVar[bool] = False  # torch has threads of its own

    model: str = ""
    encoder: str = ""
    inputs: str = BOTH
    precision: str = "float32"
    windows: bool = False

    def __post_init__(self) -> None:
        choose("comet", "inputs", self.inputs, (BOTH, SOURCE, REFERENCES))
        check_options(self)
        object.__setattr__(self, "needs", frozenset({*self.inputs.split("+"), "model"}))

    def versions(self) -> dict[str, str]:
        """Packages and settings that the signature must name."""
        return versions(self.precision, "torch", "tokenizers")

    def model_facts(self, run: Run) -> dict[str, str]:
        """What the model is, for the signature."""
        model = self._load(run)
        facts = {"kind": model.kind, "encoder": encoder_text(model.encoder), "layers": model.mix}
        pool = {} if model.kind in JOINT else {"pool": str(model.settings.get("pool", "avg"))}
        return {**facts, **pool, "tokens": model.tokenizer.file}

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Where texts are read alone: the vectors of sources and references."""
        model = self._load(run)
        made: dict[str, Any] = {}
        if model.kind not in JOINT:
            sides = {"source": testset.sources} if testset.sources is not None else {}
            if "references" in self.needs:
                sides |= {f"reference_{k}": stream for k, stream in enumerate(testset.references.streams)}
            keys, nowhere = self._keys(run, "vector"), Memo(0)  # they are held as they are
            for side, lines in sides.items():
                what = f"{side.partition('_')[0]}s"
                made[side], made[f"{side}_cut"] = embed(model, list(lines), run, keys, nowhere, what)
        return Prepared(references=testset.references, made=made, shared=Memo())

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (score, 1)."""
        model = self._load(run)
        score = self._jointly if model.kind in JOINT else self._alone
        return rows_of(*best_rows(outputs, prepared, False, score(model, outputs, prepared, run)))

    def _keys(self, run: Run, *ways: str) -> Keys:
        return Keys("comet", *(run.digest(text) for text in (self.model, self.encoder)), self.precision, *ways)

    def _alone(self, model: CometModel, outputs: Lines, prepared: Prepared, run: Run) -> Scoring:
        made, scorable, keys = prepared.made, prepared.scorable(outputs), self._keys(run, "vector")
        texts = [text if scorable is None or scorable[k] else None for k, text in enumerate(outputs)]
        vectors, too_long = embed(model, texts, run, keys, prepared.shared)

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            sides = ["source", *([] if stream is None else [f"reference_{stream}"])]
            cut = too_long[numbers]
            for side in sides:
                cut = cut | made[f"{side}_cut"][numbers]
            values = score_vectors(model, vectors[numbers], *(made[side][numbers] for side in sides))
            if self.windows and cut.any():
                long = [number for number, flag in zip(numbers, cut.tolist(), strict=True) if flag]
                found = texts_beside(outputs, prepared, long, stream)
                values[cut], cut[cut] = self._windows(model, found, keys, prepared.shared, run)
            return values, cut

        return score

    def _windows(
        self, model: CometModel, texts: list[Texts], keys: Keys, memo: Memo, run: Run
    ) -> tuple[Values, list[bool]]:
        """Scores of texts that are read alone and are too long, and which windows are still too long."""

        def too_long(some: list[Texts]) -> list[bool]:
            return [any(each) for each in zip(*(model.read(side).cut for side in zip(*some, strict=True)), strict=True)]

        parts = spread(texts, True, too_long)
        flat = [window.texts for segment in parts for window in segment]
        embedded = [embed(model, side, run, keys, memo, "windows") for side in zip(*flat, strict=True)]
        cut = [any(each) for each in zip(*(flags for _, flags in embedded), strict=True)]
        values = score_vectors(model, *(vectors for vectors, _ in embedded))
        return mean_of_windows(parts, values), any_of_windows(parts, cut)

    def _jointly(self, model: CometModel, outputs: Lines, prepared: Prepared, run: Run) -> Scoring:
        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            parts, found = self._read(model, texts_beside(outputs, prepared, numbers, stream), run, prepared.shared)
            values = mean_of_windows(parts, [each.value for each in found])
            return values, any_of_windows(parts, [each.cut for each in found])

        return score

    def _read(
        self, model: CometModel, texts: list[Texts], run: Run, memo: Memo
    ) -> tuple[list[list[Window]], list[JointScore]]:
        """What is said of outputs beside sources and references, window by window."""
        keys = self._keys(run, "joint", self.inputs)

        def read(some: Sequence[Texts]) -> tuple[Read, Read | None, Read | None]:
            outputs, *others = zip(*some, strict=True)
            beside = [read_beside(model, side, memo) for side in others]
            source = beside[0] if "source" in self.needs else None
            return read_side(model, outputs), source, beside[-1] if "references" in self.needs else None

        def compute(some: list[Texts]) -> Iterator[tuple[list[int], list[bytes]]]:
            for batch, found in score_jointly(model, self.inputs, *read(some), run):
                yield batch, [each.pack() for each in found]

        reader = Reader(lambda some: cut_jointly(model, self.inputs, *read(some)), lambda each: keys.of(*each), compute)
        parts, values = reader.read(texts, self.windows, run, memo)
        return parts, [JointScore.unpack(value) for value in values]

    def error_spans(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[tuple[ErrorSpan, ...]]:
        """What XCOMET takes for errors in each output; of several references, beside the one that scores best. Nothing
        is read again that was read for the rows, if it is remembered or in the cache."""
        found: list[tuple[ErrorSpan, ...]] = [()] * len(outputs)
        if not self.has_marks(run):
            return found
        model, best = self._load(run), dict[int, float]()

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            parts, scores = self._read(model, texts_beside(outputs, prepared, numbers, stream), run, prepared.shared)
            values, said = mean_of_windows(parts, [each.value for each in scores]), iter(scores)
            for k, value, windows in zip(numbers, values.tolist(), parts, strict=True):
                spans = spans_of_windows(windows, [next(said).spans for _ in windows])
                if value > best.get(k, -math.inf):
                    best[k], found[k] = value, spans
            return values, [False] * len(numbers)

        best_rows(outputs, prepared, False, score)
        return found

    def has_marks(self, run: Run) -> bool:
        """Whether the model marks errors: XCOMET alone does."""
        return bool(self.model) and kind_of(run.model(self.model)) == XCOMET

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """XCOMET's error spans."""
        from tertium.core.judgement import Span
        from tertium.core.marks import Marks

        for spans in self.error_spans(outputs, prepared, run):
            yield Marks(spans=tuple(Span(start=span.start, end=span.end, severity=span.severity) for span in spans))

    def score(self, sums: Any) -> Any:
        """The mean of the segments' scores."""
        return mean_score(sums)

    def _load(self, run: Run) -> CometModel:
        need_model(self)
        encoder = (self.encoder, run.model(self.encoder)) if self.encoder else None
        return load_comet(self.model, run.model(self.model), encoder, self.inputs, self.precision, run.device)
