"""BERTScore (Zhang et al. 2020), equal to bert-score where that reads one pair at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, metric
from tertium.core.numbers import columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.learned.bertscore import BertscoreModel, Frequencies, KnownReferences, Pair, load_bertscore
from tertium.learned.memory import Keys, read_once
from tertium.learned.windows import Texts
from tertium.metrics._learned import (
    Reader,
    best_rows,
    check_options,
    encoder_text,
    mean_score,
    need_model,
    pack,
    texts_beside,
    versions,
)

if TYPE_CHECKING:
    from tertium.metrics._learned import Flags, Values

COLUMNS = ("f1", "precision", "recall", "scored")


@metric
class Bertscore:
    """How similar the tokens of output and reference are to an encoder, each matched with the most similar one.

    Formula:
        BERTScore = mean over segments of F1 = 2 P R / (P + R)
        P = mean over tokens of the output of the best cosine with a token
        of the reference; R = the same with the sides exchanged
        tokens are vectors: what a layer of the encoder makes of them; of
        several references the best F1, the best P and the best R

    Options:
        model: the folder of an encoder in the layout of transformers (BERT, RoBERTa, XLM-R, RemBERT), or its name in a
            folder of models
        layer: the block whose output is taken, counted from 1; 0 for the last
        idf: weigh tokens by how few references of the test set hold them
        precision: of the arithmetic: float32, or float16 and bfloat16, which are faster on some devices
        windows: score a text that is too long in windows that overlap, and take their mean; else it is cut

    Blind to:
        The source, and negation, numbers and names as far as the encoder takes them for alike. Scores are not rescaled:
        unrelated texts score high, with most encoders above 0.5. Scores of different encoders or layers cannot be
        compared.

    Paper:
        Zhang, Kishore, Wu, Weinberger and Artzi (2020), "BERTScore: Evaluating text generation with BERT".
    """

    name: ClassVar[str] = "bertscore"
    title: ClassVar[str] = "BERTScore"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4
    models: ClassVar[tuple[str, ...]] = ("model",)
    concurrent: ClassVar[bool] = False  # torch has threads of its own

    model: str = ""
    layer: int = 0
    idf: bool = False
    precision: str = "float32"
    windows: bool = False

    def __post_init__(self) -> None:
        check_options(self)
        if self.layer < 0:
            raise OptionError(f"bertscore: layer={self.layer}; layers are counted from 1, and 0 is the last")

    def versions(self) -> dict[str, str]:
        """Packages and settings that the signature must name."""
        return {"layer": str(self.layer or "last"), **versions(self.precision, "torch", "tokenizers")}

    def model_facts(self, run: Run) -> dict[str, str]:
        """What the encoder is, for the signature."""
        model = self._load(run)
        return {"encoder": encoder_text(model.encoder), "tokens": model.tokenizer.file}

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Room for the vectors of references, which are made once; with idf, in how many references each token is."""
        model = self._load(run)
        texts = [text for stream in testset.references.streams if self.idf for text in stream if text is not None]
        counts = Counter(number for row in model.read(texts)[0] for number in set(row))
        shared = KnownReferences(Frequencies(counts, len(texts)) if self.idf else None)
        return Prepared(references=testset.references, shared=shared)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """F1, precision, recall and 1 for each segment; each the best over the references."""
        import numpy as np

        reader = self._reader(run, prepared.shared)
        parts = np.full((len(outputs), 3), np.nan)

        def score(numbers: list[int], stream: int | None) -> tuple[Values, Flags]:
            texts = texts_beside(outputs, prepared, numbers, stream)
            found, cut = reader.score(texts, self.windows, run, prepared.shared.scores)
            parts[numbers] = np.fmax(parts[numbers], found)
            return found[:, 0], cut

        values, cut = best_rows(outputs, prepared, False, score)
        scored = ~np.isnan(values)
        return Stats(COLUMNS, np.column_stack([np.where(scored[:, None], parts, 0.0), scored]), scored, cut=cut)

    def _reader(self, run: Run, known: KnownReferences) -> Reader:
        model = self._load(run)
        layer = str(self.layer or model.encoder.blocks)
        keys = Keys("bertscore", run.digest(self.model), self.precision, layer, str(self.idf))

        def read(texts: Sequence[Texts]) -> tuple[list[Pair], list[bool]]:
            outputs, cut = model.read([output for output, _ in texts])
            beside = read_once(
                known.scores, [text for _, text in texts], lambda some: list(zip(*model.read(some), strict=True))
            )
            pairs = [(row, reference) for row, (reference, _) in zip(outputs, beside, strict=True)]
            return pairs, [one or other for one, (_, other) in zip(cut, beside, strict=True)]

        def key(texts: Texts) -> bytes:
            """Where ids are weighed, the weights are those of a test set."""
            rows = read([texts])[0][0] if self.idf else ()
            return keys.of(*texts, *(model.weigh(row, known.frequencies).tobytes() for row in rows))

        def compute(texts: list[Texts]) -> Iterator[tuple[list[int], list[bytes]]]:
            pairs, cut = read(texts)
            for batch, values in model.compare(pairs, self.layer, known, run):
                yield batch, [pack(*each, cut=cut[k]) for k, each in zip(batch, values, strict=True)]

        return Reader(lambda texts: read(texts)[1], key, compute)

    def score(self, sums: Any) -> Any:
        """The mean of the segments' F1."""
        return mean_score(sums)

    def parts(self, sums: Any) -> dict[str, Any]:
        """Means of the segments' precision and recall."""
        _, precision, recall, count = columns(sums)
        return {"precision": ratio(precision, count), "recall": ratio(recall, count)}

    def _load(self, run: Run) -> BertscoreModel:
        need_model(self)
        return load_bertscore(self.model, run.model(self.model), self.layer, self.precision, run.device)
