"""A language model as judge, after GEMBA (Kocmi and Federmann 2023) and GEMBA-MQM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.run import PLAIN, Model, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.metrics._judging import QUESTIONS, Languages, Reading, first_line, penalty, spans_of
from tertium.metrics._learned import heading, mean_score, rows_of
from tertium.models.language_model import Abilities, Answer, Decoding, Request

if TYPE_CHECKING:
    from tertium.core.marks import Marks

AUTO, CHAT, TEXT = "auto", "chat", "text"
LINE = 32  # tokens of one line
THOUGHTS = "</think>"  # the end of what some models write before they answer


@metric
class LlmJudge:
    """What a language model says when it is asked how good a translation is.

    Formula:
        LLM judge = mean over segments of x
        x: the number in the model's answer; with prompt="mqm" the sum of
        25 for a critical, 5 for a major, 1 for a minor error, 25 at most
        an answer that cannot be read is not scored

    Options:
        model: the language model: gguf:FILE, hf:FOLDER, https://HOST/v1#NAME (with key=VARIABLE behind a space where it
            needs a key), command:PROGRAM, replay:FILE or gemma
        prompt: what is asked: da (0 to 100), sqm (0 to 100, with the meaning of some numbers), stars (1 to 5), classes
            (0 worthless to 4 flawless), mqm (a list of errors; 0 to 25, lower is better)
        references: whether the references are shown beside source and translation, all of a segment in one prompt
        ask: chat (a message), text (a text to continue), or auto: a message where the model answers messages
        tokens: of an answer, at most; 0 for 256 (32 where a text is continued), or 1024 with mqm

    Blind to:
        Whatever the model does not know, and it does not say what that is. A model may prefer its own translations, and
        an output can hold words that are meant for the judge. Small models answer the same number to anything. Scores
        of different models or prompts cannot be compared, and a server's model may change under the same name.

    Paper:
        Kocmi and Federmann (2023), "Large language models are state-of-the-art evaluators of translation quality";
        for mqm, Kocmi and Federmann (2023), "GEMBA-MQM: Detecting translation quality error spans with GPT-4".
    """

    name: ClassVar[str] = "llm_judge"
    title: ClassVar[str] = "LLM_judge"  # a title is a name, too: in any case, and without blanks
    better: ClassVar[Literal["higher", "lower"]] = "higher"  # or as the prompt says
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)  # of the prompt
    needs: ClassVar[frozenset[str]] = frozenset({"references", "source", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 2
    models: ClassVar[tuple[str, ...]] = ("model",)
    referenceless: ClassVar[str] = "references=False"
    unscored: ClassVar[str] = "the judge's answer could not be read"
    concurrent: ClassVar[bool] = False  # a model has requests at a time of its own

    model: str = ""
    prompt: str = "da"
    references: bool = True
    ask: str = AUTO
    tokens: int = 0

    def __post_init__(self) -> None:
        choose(self.name, "prompt", self.prompt, tuple(QUESTIONS))
        choose(self.name, "ask", self.ask, (AUTO, CHAT, TEXT))
        if self.tokens < 0:
            raise OptionError(f"llm_judge: tokens={self.tokens}; an answer has at least 1, and 0 is the usual number")
        question, needs = QUESTIONS[self.prompt], {"source", "model"}
        object.__setattr__(self, "better", question.better)
        object.__setattr__(self, "range", (float(question.low), float(question.high)))
        object.__setattr__(self, "needs", frozenset(needs | ({"references"} if self.references else set())))
        object.__setattr__(self, "heading", heading(self) if self.model else "")

    def decoding(self, way: str) -> Decoding:
        """How answers are searched for: the likeliest token, always. Of a text that is continued one line is read,
        which is short unless it is a list."""
        usual = QUESTIONS[self.prompt].tokens
        return Decoding(tokens=self.tokens or (min(usual, LINE) if way == TEXT and self.prompt != "mqm" else usual))

    def find_model(self, text: str, folders: Sequence[str]) -> Model:
        """The language model that a text means."""
        from tertium.models.at_hand import find_language_model

        return find_language_model(text, folders)

    def versions(self) -> dict[str, str]:
        """What is asked, by hash."""
        return {"prompt": f"{self.prompt}@{QUESTIONS[self.prompt].digest}"}

    def model_facts(self, run: Run) -> dict[str, str]:
        """The model's identity, by hash, whether it gets messages, and how its answers are searched for."""
        from tertium.models.at_hand import asked

        with asked(self._named(), run) as model:
            way = self._way(model.abilities)
        tokens = self.decoding(way).tokens
        return {"identity": run.digest(self.model)[:12], "ask": way, "decoding": f"greedy/{tokens}"}

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """The languages, which are named in the prompt."""
        self._named()
        languages = Languages(testset.source_language, testset.target_language)
        return Prepared(references=testset.references, shared=languages)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (value, 1); zeros where the answer cannot be read."""
        import numpy as np

        values = np.full(len(outputs), np.nan)
        for number, reading in self._read(outputs, prepared, run):
            if reading is not None:
                values[number] = penalty(reading) if isinstance(reading, tuple) else reading
        return rows_of(values)

    def has_marks(self, run: Run) -> bool:
        """Errors are listed with mqm alone; and a model is not asked once more to draw what it said: where answers are
        not kept, there is nothing to draw."""
        return self.prompt == "mqm" and run.cache is not None

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """The errors that the model lists, where their words are found."""
        from tertium.core.marks import Marks

        found = dict(self._read(outputs, prepared, run)) if self.prompt == "mqm" else {}
        for number, output in enumerate(outputs):
            errors = found.get(number)
            source = prepared.sources[number] if prepared.sources is not None else None
            spans = spans_of(errors, output or "", source or "") if isinstance(errors, tuple) else ()
            yield Marks(spans=spans)

    def score(self, sums: Any) -> Any:
        """The mean of the segments whose answers could be read."""
        return mean_score(sums)

    def _read(self, outputs: Lines, prepared: Prepared, run: Run) -> Iterator[tuple[int, Reading]]:
        """The number of every segment that can be asked about, and what the answer means."""
        from tertium.models.at_hand import asked

        scorable = prepared.scorable(outputs)
        numbers = [k for k in range(len(outputs)) if scorable is None or scorable[k]]
        prompts = [self._prompt(k, outputs, prepared) for k in numbers]
        if not numbers:
            return
        with asked(self._named(), run) as model:
            way = self._way(model.abilities)
            requests = [_request(text, way, model.abilities, self.decoding(way)) for text in prompts]
            answers = list(model.complete(requests, run))
            if len(answers) != len(requests):
                raise InputError(
                    f"{model.name} answered {len(answers)} of {len(requests)} requests; it must answer all"
                )
        for number, answer in zip(numbers, answers, strict=True):
            yield number, self._reading(answer, way)

    def _prompt(self, number: int, outputs: Lines, prepared: Prepared) -> str:
        sources = prepared.sources
        shown = [str(text) for text in prepared.references[number]] if self.references else []
        source = (sources[number] if sources is not None else None) or ""
        return QUESTIONS[self.prompt].ask(source, outputs[number] or "", shown, prepared.shared)

    def _reading(self, answer: Answer, way: str) -> Reading:
        """What an answer means. A list that was cut off lacks errors; behind the first line of a text that was
        continued, a model has gone on by itself."""
        text = answer.text.rpartition(THOUGHTS)[2]
        if self.prompt == "mqm":
            return None if answer.finish == "length" else QUESTIONS[self.prompt].read(text)
        return QUESTIONS[self.prompt].read(first_line(text) if way == TEXT else text)

    def _way(self, abilities: Abilities) -> str:
        if not (abilities.chats or abilities.completes):
            raise OptionError("llm_judge: the model fills gaps and does not write texts; take another one")
        way = (CHAT if abilities.chats else TEXT) if self.ask == AUTO else self.ask
        if not (abilities.chats if way == CHAT else abilities.completes):
            other = TEXT if way == CHAT else CHAT
            raise OptionError(f'llm_judge: the model cannot be asked by ask="{way}"; leave it out, or write "{other}"')
        return way

    def _named(self) -> str:
        if not self.model:
            raise OptionError(
                'llm_judge needs a language model: llm_judge(model="gguf:FILE"), or hf:FOLDER, '
                "https://HOST/v1#NAME, command:PROGRAM, replay:FILE, gemma"
            )
        return self.model


def _request(text: str, way: str, abilities: Abilities, decoding: Decoding) -> Request:
    """The prompt as a message, or as a text; in one line for programs that answer lines."""
    if way == CHAT:
        return Request(prompt=(("user", text),), decoding=decoding)
    return Request(prompt=" ".join(text.split("\n")) if abilities.lines else text, decoding=decoding)
