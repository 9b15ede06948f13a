"""COMET (Rei et al. 2020, 2022), COMETKiwi, UniTE (Wan et al. 2022) and XCOMET (Guerreiro et al. 2024), equal to
unbabel-comet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.learned.comet import BOTH, JOINT, REFERENCES, SOURCE, CometModel, load_comet
from tertium.learned.embedded import embed, score_vectors
from tertium.learned.joint import ErrorSpan, JointScores, read_side, score_jointly
from tertium.metrics._learned import best_rows, check_options, mean_score, need_model, rows_of, texts_of, versions

if TYPE_CHECKING:
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

    def __post_init__(self) -> None:
        choose("comet", "inputs", self.inputs, (BOTH, SOURCE, REFERENCES))
        check_options(self)
        object.__setattr__(self, "needs", frozenset({*self.inputs.split("+"), "model"}))

    def versions(self) -> dict[str, str]:
        """Packages and settings that the signature must name."""
        return versions(self.precision, "torch", "tokenizers")

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Where texts are read alone: the vectors of sources and references."""
        model = self._load(run)
        made: dict[str, Any] = {}
        if model.kind not in JOINT:
            sides = {"source": testset.sources} if testset.sources is not None else {}
            if "references" in self.needs:
                sides |= {f"reference_{k}": stream for k, stream in enumerate(testset.references.streams)}
            for side, lines in sides.items():
                made[side], made[f"{side}_cut"] = embed(model, list(lines), run, f"{side.partition('_')[0]}s")
        return Prepared(references=testset.references, made=made)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (score, 1)."""
        model = self._load(run)
        score = self._jointly if model.kind in JOINT else self._alone
        return rows_of(*best_rows(outputs, prepared, False, score(model, outputs, prepared, run)))

    def _alone(self, model: CometModel, outputs: Lines, prepared: Prepared, run: Run) -> Scoring:
        made, scorable = prepared.made, prepared.scorable(outputs)
        texts = [text if scorable is None or scorable[k] else None for k, text in enumerate(outputs)]
        vectors, too_long = embed(model, texts, run)

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            sides = ["source", *([] if stream is None else [f"reference_{stream}"])]
            cut = too_long[numbers]
            for side in sides:
                cut = cut | made[f"{side}_cut"][numbers]
            return score_vectors(model, vectors[numbers], *(made[side][numbers] for side in sides)), cut

        return score

    def _jointly(self, model: CometModel, outputs: Lines, prepared: Prepared, run: Run) -> Scoring:
        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            found = self._read(model, outputs, prepared, run, numbers, stream)
            return found.values, found.cut

        return score

    def _read(
        self, model: CometModel, outputs: Lines, prepared: Prepared, run: Run, numbers: list[int], stream: int | None
    ) -> JointScores:
        source, reference = (
            None if lines is None else read_side(model, texts_of(lines, numbers))
            for lines in (
                prepared.sources if "source" in self.needs else None,
                None if stream is None else prepared.streams[stream],
            )
        )
        output = read_side(model, texts_of(outputs, numbers))
        return score_jointly(model, self.inputs, output, source, reference, run)

    def error_spans(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[tuple[ErrorSpan, ...]]:
        """What XCOMET takes for errors in each output; of several references, beside the one that scores best."""
        model = self._load(run)
        found: list[tuple[ErrorSpan, ...]] = [()] * len(outputs)
        best: dict[int, float] = {}

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            scores = self._read(model, outputs, prepared, run, numbers, stream)
            for k, value, spans in zip(numbers, scores.values.tolist(), scores.spans, strict=True):
                if value > best.get(k, -math.inf):
                    best[k], found[k] = value, spans
            return scores.values, scores.cut

        if model.kind == "xcomet_metric":
            best_rows(outputs, prepared, False, score)
        return found

    def score(self, sums: Any) -> Any:
        """The mean of the segments' scores."""
        return mean_score(sums)

    def _load(self, run: Run) -> CometModel:
        need_model(self)
        encoder = (self.encoder, run.model(self.encoder)) if self.encoder else None
        return load_comet(self.model, run.model(self.model), encoder, self.inputs, self.precision, run.device)
