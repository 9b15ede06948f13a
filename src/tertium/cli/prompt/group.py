"""`tertium prompt`: language models that answer and translate."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium prompt --help` says, where it lives)
PROMPT = {
    "translate": ("Translate a file with a language model.", "tertium.cli.prompt.translate:translate_command"),
    "run": ("Run an experiment: templates, demonstrations, models.", "tertium.cli.prompt.run:run_command"),
    "demo": ("Replay a recorded experiment, without model or network.", "tertium.cli.prompt.demo:demo_command"),
    "cache": ("Show, export or clear what models have answered.", "tertium.cli.prompt.cache:cache_command"),
    "answer": ("Choose among permissible answers, or write one.", "tertium.cli.prompt.answer:answer_command"),
    "search": ("Find a template by trying many on a few segments each.", "tertium.cli.prompt.search:search_command"),
    "models": ("List the kinds of language models, or say what one is.", "tertium.cli.prompt.models:models_command"),
    "train": ("Train a soft prompt for a Hugging Face folder.", "tertium.cli.prompt.train:train_command"),
}


@click.group(cls=LazyGroup, known=PROMPT)
def prompt() -> None:
    """Ask language models: translate, answer, compare.

    Translations that come out are scored like those of any other system.
    """
