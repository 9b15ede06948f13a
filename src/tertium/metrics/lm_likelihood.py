"""How likely an output is to a language model after the reference, or after the source: an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.numbers import columns, ratio
from tertium.core.run import PLAIN, Model, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.metrics._judging import Languages, name_of
from tertium.metrics._learned import heading
from tertium.models.language_model import ForcedScore

REFERENCES, SOURCE = "references", "source"
COLUMNS = ("log_probability", "tokens")
NOTE = "lm_likelihood is an experiment: on what it was measured on, it agreed with people less than chrF did"


@metric
class LmLikelihood:
    """How likely an output is to a language model behind its reference, or behind its source. An experiment.

    Formula:
        LM likelihood = sum over segments of log P(output | text) / tokens
        text: the reference, said once more in other words; or the source,
        with the names of both languages
        log P: in nats, over the output's tokens and the end of its line;
        of several references the one that gives the most for a token

    Options:
        model: the language model, which must give log-probabilities of a given text: gguf:FILE, hf:FOLDER,
            https://HOST/v1#NAME of a server that does (with key=VARIABLE behind a space where it needs a key),
            replay:FILE or gemma
        after: what stands before the output: references or source

    Blind to:
        Whether an unlikely output is wrong: rare words, names and numbers cost much, fluent nonsense little. On 60
        outputs of WMT22 German-English, gemma's values agreed with people less than chrF's (Spearman's rho .13 against
        .35). Values of different models cannot be compared.

    Paper:
        Yuan, Neubig and Liu (2021), "BARTScore: Evaluating generated text as text generation", who do so with a model
        of their own choice; the frames here are ours.
    """

    name: ClassVar[str] = "lm_likelihood"
    title: ClassVar[str] = "LM_likelihood_experimental"
    aliases: ClassVar[tuple[str, ...]] = ("lm_likelihood_experimental",)  # a title is a name, too
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (float("-inf"), 0.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 3
    models: ClassVar[tuple[str, ...]] = ("model",)
    referenceless: ClassVar[str] = 'after="source"'
    concurrent: ClassVar[bool] = False  # a model has requests at a time of its own

    model: str = ""
    after: str = REFERENCES

    def __post_init__(self) -> None:
        choose(self.name, "after", self.after, (REFERENCES, SOURCE))
        object.__setattr__(self, "needs", frozenset({self.after, "model"}))
        object.__setattr__(self, "heading", heading(self) if self.model else "")

    def find_model(self, text: str, folders: Sequence[str]) -> Model:
        """The language model that a text means."""
        from tertium.models.at_hand import find_language_model

        return find_language_model(text, folders)

    def notes(self, testset: TestSet) -> Iterator[str]:
        """What it is not."""
        yield NOTE

    def model_facts(self, run: Run) -> dict[str, str]:
        """The model's identity, by hash, for the signature."""
        return {"identity": run.digest(self._named())[:12]}

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """The languages, whose names stand before source and output."""
        self._named()
        languages = Languages(testset.source_language, testset.target_language)
        return Prepared(references=testset.references, shared=languages)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: log P of the output, and its tokens."""
        import numpy as np

        rows, scored = np.zeros((len(outputs), 2)), np.zeros(len(outputs), dtype=bool)
        for number, forced in self._forced(outputs, prepared, run):
            total, tokens = forced.total, len(forced.tokens)
            if not scored[number] or total / tokens > rows[number, 0] / rows[number, 1]:
                rows[number] = total, tokens
            scored[number] = True
        return Stats(COLUMNS, rows, scored)

    def score(self, sums: Any) -> Any:
        """The mean over tokens; NaN of none."""
        total, tokens = columns(sums)
        return ratio(total, tokens, float("nan"))

    def _forced(self, outputs: Lines, prepared: Prepared, run: Run) -> Iterator[tuple[int, ForcedScore]]:
        """For every segment, log-probabilities after each of its texts."""
        from tertium.models.at_hand import asked

        scorable = prepared.scorable(outputs)
        numbers = [k for k in range(len(outputs)) if scorable is None or scorable[k]]
        frames = [(k, before) for k in numbers for before in self._frames(k, prepared)]
        if not frames:
            return
        # The end of the line is scored, too: without it an empty output would have no token, and an output no end.
        pairs = [(before, f" {outputs[k]}\n") for k, before in frames]
        with asked(self._named(), run) as model:
            if model.abilities.forcing in ("none", "top"):
                raise OptionError(
                    f"lm_likelihood: {model.name} gives no log-probabilities of a given text; take a GGUF file "
                    f"(gguf:PATH), a Hugging Face folder (hf:PATH), or a server of llama.cpp or vLLM"
                )
            yield from ((k, forced) for (k, _), forced in zip(frames, list(model.force(pairs, run)), strict=True))

    def _frames(self, number: int, prepared: Prepared) -> Iterator[str]:
        """What stands before the output."""
        if self.after == REFERENCES:
            yield from (f"{text}\nIn other words:" for text in prepared.references[number])
        elif prepared.sources is not None:
            languages: Languages = prepared.shared
            source, target = (
                name_of(language) if language else other
                for language, other in ((languages.source, "Source"), (languages.target, "Translation"))
            )
            yield f"{source}: {prepared.sources[number]}\n{target}:"

    def _named(self) -> str:
        if not self.model:
            raise OptionError(
                'lm_likelihood needs a language model: lm_likelihood(model="gguf:FILE"), or hf:FOLDER, '
                "https://HOST/v1#NAME, replay:FILE, gemma"
            )
        return self.model
