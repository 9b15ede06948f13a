"""Outside tokenizers, for every metric that has them: a model's, and who may name one."""

import sys
from pathlib import Path

import pytest

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.engines.evaluate import evaluate
from tertium.metrics import parse, refuse_local
from tertium.testing.readings import as_written, rewritten
from tertium.testing.rows import count, require_same_rows
from tertium.testing.texts import LawSegment
from tertium.text.words import tokenize

from .texts import make_testset
from .variants import CLASSES, NAMES

TOKENIZED = [name for name in NAMES if "tokenize" in CLASSES[name].__dataclass_fields__]
every_metric = pytest.mark.parametrize("name", NAMES)
every_tokenized = pytest.mark.parametrize("name", TOKENIZED)


def test_there_are_metrics_with_tokenizers() -> None:
    assert {"bleu", "wer", "per"} <= set(TOKENIZED)


@every_tokenized
def test_a_model_tokenises_before_anything_is_counted(name: str, spm_model: Path) -> None:
    said = [("Der Bus fährt heute nicht.", ["Der Bus fährt nie.", None]), ("", ["x"]), (None, ["a b"])]
    corpus = [LawSegment(*pair) for pair in said]
    metric = as_written(CLASSES[name](), f"spm:{spm_model}")
    before = rewritten(corpus, lambda text: " ".join(tokenize(text, f"spm:{spm_model}")))
    require_same_rows(count(metric, corpus), count(as_written(metric, "none"), before), "of a model's tokens")
    assert list(metric.versions()) == ["spm"]  # type: ignore[attr-defined]
    assert parse(str(metric)) == metric


@every_tokenized
@pytest.mark.parametrize("tokenizer", ["py:no_such_module_anywhere:split", "spm:no/such/file"])
def test_strangers_cannot_name_files_or_code(name: str, tokenizer: str) -> None:
    """Parsing looks for nothing; a server's evaluate refuses before anything is looked for."""
    metric = parse(f"{name}(tokenize={tokenizer!r})")
    assert "no_such_module_anywhere" not in sys.modules
    told = (
        f'{name}: tokenize="{tokenizer}" names a file or a function of this computer, which is not allowed here; '
        f"score where they are, and show the result"
    )
    with pytest.raises(OptionError) as caught:
        refuse_local(metric)
    assert str(caught.value) == told
    testset, system = make_testset([["a"]]), System(name="s", outputs=Lines.of(["a"]))
    with pytest.raises(OptionError) as caught:
        evaluate(testset, [system], [metric], trusted=False)
    assert str(caught.value) == told


@every_metric
def test_strangers_may_use_everything_else(name: str) -> None:
    testset, system = make_testset([["a b"]]), System(name="s", outputs=Lines.of(["a b"]))
    assert evaluate(testset, [system], [name], trusted=False).scores()[0].n == 1
