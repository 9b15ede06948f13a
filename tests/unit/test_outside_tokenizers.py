"""Tokenizers that are not the kernel's: SentencePiece models, a user's own functions, and what can go wrong there."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import ANY, MESSES

import tertium as tt
from tertium.core.errors import InputError, MissingPackageError, OptionError, SegmentError
from tertium.core.lines import Lines
from tertium.engines.evaluate import SHARD
from tertium.metrics import refuse_local
from tertium.text import tokenizers
from tertium.text.words import Reading

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = [
    *(EXAMPLES / "systems" / "atlas.en").read_text().splitlines(),
    *(EXAMPLES / "source.de").read_text().splitlines()[:20],
    *(
        "",
        " ",
        "  a   b  ",
        "a\tb",
        "a\u00a0b",
        "a\u3000b\u2028c",
        "中文 ﬁ Å é",
        "\u2581a \u2581",
        "😀 x\x00y",
        "A" * 500,
    ),
]

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # small test sets

Module = Callable[[str], str]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Module]:
    """Write a module of the user's; the answer is its name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written: list[str] = []

    def write(code: str) -> str:
        name = f"users_words_{len(written)}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(code))
        written.append(name)
        sys.modules.pop(name, None)
        return name

    yield write
    for name in written:
        sys.modules.pop(name, None)


def told(error: type[Exception], call: Callable[[], Any]) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# SentencePiece


def test_sentencepiece_equals_sacrebleu(spm_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """sacreBLEU 2.6.0's own TokenizerSPM on the same model file: its tokens, its counts, its score."""
    sacrebleu = pytest.importorskip("sacrebleu")
    from sacrebleu.tokenizers import tokenizer_spm

    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "flores200sacrebleuspm").write_bytes(spm_model.read_bytes())
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    references = [*TEXTS[1:], TEXTS[0]]
    for lowercase in (False, True):
        peer = sacrebleu.BLEU(tokenize="flores200", lowercase=lowercase)
        expected = peer.corpus_score(TEXTS, [references])
        name = f"spm:{spm_model}"
        for text in TEXTS:
            assert tt.tokenize(text, name, lowercase=lowercase) == peer._preprocess_segment(text).split()
        metric = tt.parse(f'bleu(tokenize="{name}", lowercase={lowercase})')
        [score] = tt.score(TEXTS, references=references, metrics=metric)
        assert score.parts["matches"] == tuple(expected.counts)
        assert score.parts["totals"] == tuple(expected.totals)
        assert score.parts["output_length"] == expected.sys_len
        assert score.value == pytest.approx(expected.score, abs=1e-9)


def test_signatures_follow_the_model(spm_model: Path, tmp_path: Path) -> None:
    """The hash is that of the file's bytes; a file that has changed is read again."""
    from hashlib import sha256

    path = tmp_path / "my.model"
    path.write_bytes(spm_model.read_bytes())
    metric = f'bleu(tokenize="spm:{path}")'

    def signature() -> str:
        [score] = tt.score(TEXTS, references=TEXTS, metrics=metric)
        return score.signature

    first = signature()
    assert f"|spm:{sha256(path.read_bytes()).hexdigest()[:12]}|tertium:" in first
    assert first.startswith(f"{metric}|refs:1|")
    trainer = pytest.importorskip("sentencepiece").SentencePieceTrainer
    trainer.train(sentence_iterator=iter(TEXTS[:96]), model_prefix=str(tmp_path / "my"), vocab_size=120, minloglevel=2)
    tokens = tt.tokenize(TEXTS[0], f"spm:{path}")
    assert tokens != tt.tokenize(TEXTS[0], f"spm:{spm_model}")
    assert signature() != first


def test_sentencepiece_in_the_home_folder(spm_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a model").write_bytes(spm_model.read_bytes())
    assert tt.tokenize(TEXTS[0], "spm:~/a model") == tt.tokenize(TEXTS[0], f"spm:{spm_model}")


@pytest.mark.parametrize("content", [b"", b"not a model", bytes(100), b"cut short"])
def test_a_file_that_is_no_model(tmp_path: Path, spm_model: Path, content: bytes) -> None:
    path = tmp_path / "bad.model"
    path.write_bytes(spm_model.read_bytes()[:500] if content == b"cut short" else content)
    sentence = f'tokenize="spm:{path}": the file is not a SentencePiece model, or damaged'
    assert told(InputError, lambda: tt.tokenize("a", f"spm:{path}")) == sentence


@pytest.mark.usefixtures("spm_model")  # the package is there
def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    for name, reason in (("nowhere.model", "no such file"), (".", "not a file"), ("a\0b", "embedded null byte")):
        sentence = f'tokenize="spm:{tmp_path}/{name}": {reason}; name a SentencePiece model'
        assert told(InputError, lambda name=name: tt.tokenize("a", f"spm:{tmp_path}/{name}")) == sentence  # type: ignore[misc]


def test_a_model_that_may_not_be_read(spm_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    tokenizers._model.cache_clear()
    monkeypatch.setattr(Path, "read_bytes", refuse)
    sentence = f'tokenize="spm:{spm_model}": Permission denied; name a SentencePiece model'
    assert told(InputError, lambda: tt.tokenize("a", f"spm:{spm_model}")) == sentence


def test_sentencepiece_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers._model.cache_clear()
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    path = tmp_path / "x.model"
    path.write_bytes(b"x")
    sentence = f'tokenize="spm:{path}" needs a package that is not installed: pip install "tertium[spm]"'
    assert told(MissingPackageError, lambda: tt.tokenize("a", f"spm:{path}")) == sentence


@pytest.mark.parametrize("word", ["spm", "flores101", "flores200", "spBLEU-1K", "spm:"])
def test_words_that_sacrebleu_users_know(word: str) -> None:
    sentence = (
        f'bleu: tokenize="{word}" needs the file of a SentencePiece model, because nothing is downloaded; '
        f'name it: tokenize="spm:PATH"'
    )
    assert told(OptionError, lambda: tt.parse(f'bleu(tokenize="{word}")')) == sentence


# Functions


def test_what_a_function_may_return(module: Module) -> None:
    name = module("""
        def words(text): return text.split("-")
        def string(text): return text.replace("-", " \\t ")
        def generator(text): yield from text.split("-")
        def pair(text): return tuple(text.split("-"))
        def nothing(text): return []
        def empty(text): return ""
        class Cutter:
            def cut(self, text): return text.split("-")
            def __call__(self, text): return text.split("-")
        cutter = Cutter()
    """)
    for function in ("words", "string", "generator", "pair", "cutter.cut", "cutter"):
        assert tt.tokenize("a-bc-d", f"py:{name}:{function}") == ["a", "bc", "d"]
    assert tt.tokenize("A-B", f"py:{name}:words", lowercase=True) == ["a", "b"]
    assert tt.tokenize("a", f"py:{name}:nothing") == tt.tokenize("a", f"py:{name}:empty") == []
    [score] = tt.score("a", references="a", metrics=f'wer(tokenize="py:{name}:nothing")')
    assert (score.value, score.parts["reference_length"]) == (0, 0)
    assert tt.align("a-x", "a-b", f"py:{name}:words") == "=S"


def test_items_of_a_list_are_tokens_whatever_is_in_them(module: Module) -> None:
    """White space inside a token does not cut it, and is shown; empty tokens are none."""
    name = module("""
        def words(text): return text.split("|")
    """)
    assert tt.tokenize("New York||is\u3000big| |", f"py:{name}:words") == ["New␣York", "is␣big", "␣"]
    [score] = tt.score("New York|is big", references="New York|was big", metrics=f'wer(tokenize="py:{name}:words")')
    assert (score.value, score.parts["reference_length"]) == (50, 2)


def test_a_function_that_raises(module: Module) -> None:
    name = module("""
        def words(text):
            if "7" in text:
                raise ValueError("no sevens")
            return text.split()
        def lazy(text):
            yield "a"
            yield text[99]
        def inside(text):
            return int(text)
    """)
    call = lambda what, text: lambda: tt.tokenize(text, f"py:{name}:{what}")  # noqa: E731
    sentence = told(SegmentError, call("words", "a 7"))
    file = sys.modules[name].__file__
    assert sentence == (
        f"texts, segment 1: tokenize=\"py:{name}:words\" raised ValueError: no sevens ({file}:4), given the text 'a 7'"
    )
    assert told(SegmentError, call("lazy", "x" * 99)) == (
        f'texts, segment 1: tokenize="py:{name}:lazy" raised IndexError: string index out of range ({file}:8), '
        f"given the text '{'x' * 60}...'"
    )
    assert told(SegmentError, lambda: tt.tokenize("a", "py:builtins:int")) == (
        'texts, segment 1: tokenize="py:builtins:int" raised ValueError: '
        "invalid literal for int() with base 10: 'a', given the text 'a'"
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_errors_name_system_and_segment(module: Module, threads: int) -> None:
    """Also where a shard of many failed: the number is that of the segment in the file."""
    name = module("""
        def words(text):
            return None if text == "wrong" else text.split()
    """)
    metric = f'bleu(tokenize="py:{name}:words")'
    count, bad = 2 * SHARD + 10, 2 * SHARD + 4
    good = ["a b"] * count
    wrong = [*good[:bad], "wrong", *good[bad + 1 :]]
    returned = f'tokenize="py:{name}:words" returned NoneType; expected a list of strings, or a string'
    for outputs, references, where in ((wrong, good, "atlas"), (good, wrong, "references")):
        sentence = told(
            InputError,
            lambda o=outputs, r=references: tt.score(
                {"atlas": o}, references=r, metrics=metric, run=tt.Run(threads=threads)
            ),  # type: ignore[misc]
        )
        assert sentence == f"{where}, segment {bad + 1}: {returned}"


def test_what_a_function_may_not_return(module: Module) -> None:
    name = module("""
        def none(text): return None
        def number(text): return 5
        def data(text): return text.encode()
        def unordered(text): return set(text)
        def counted(text): return {"a": 1}
        def numbers(text): return ["a", 1]
        def surrogate(text): return ["ok", "\\ud800"]
        def missing(): return []
    """)
    for function, kind in (("none", "NoneType"), ("number", "int"), ("data", "bytes"), ("unordered", "set"),
                           ("counted", "dict")):  # fmt: skip
        sentence = f'tokenize="py:{name}:{function}" returned {kind}; expected a list of strings, or a string'
        call = lambda function=function: tt.tokenize("a", f"py:{name}:{function}")  # noqa: E731
        assert told(SegmentError, call) == f"texts, segment 1: {sentence}"
    assert told(SegmentError, lambda: tt.tokenize("a", f"py:{name}:numbers")) == (
        f'texts, segment 1: tokenize="py:{name}:numbers": token 2 is int 1; expected a string'
    )
    assert told(SegmentError, lambda: tt.tokenize("a", f"py:{name}:surrogate")) == (
        f'texts, segment 1: tokenize="py:{name}:surrogate" returned the lone surrogate U+D800, which is not text'
    )
    assert told(SegmentError, lambda: tt.tokenize("a", f"py:{name}:missing")) == (
        f'texts, segment 1: tokenize="py:{name}:missing" raised TypeError: missing() takes 0 positional arguments '
        f"but 1 was given, given the text 'a'"
    )


def test_a_function_that_cannot_be_found(module: Module) -> None:
    name = module("""
        import no_such_package_anywhere
    """)
    broken = module("""
        x = 1 / 0
    """)
    fine = module("""
        word = "x"
    """)
    call = lambda what: lambda: tt.tokenize("a", what)  # noqa: E731
    for absent, part in (
        ("no_such_words", "no_such_words"),
        (f"{fine}.inner", f"{fine}.inner"),
        ("xml.no.x", "xml.no"),
    ):
        assert told(OptionError, call(f"py:{absent}:split")) == (
            f'tokenize="py:{absent}:split": there is no module {part}; install it, or put its folder on PYTHONPATH'
        )
    sentence = told(OptionError, call(f"py:{name}:split"))
    assert sentence.startswith(
        f'tokenize="py:{name}:split": importing {name} raised ModuleNotFoundError: No module named '
        f"'no_such_package_anywhere' ("
    )
    assert sentence.endswith(f"{name}.py:2)")
    sentence = told(OptionError, call(f"py:{broken}:split"))
    assert sentence.startswith(
        f'tokenize="py:{broken}:split": importing {broken} raised ZeroDivisionError: division by zero ('
    )
    assert told(OptionError, call(f"py:{fine}:split")) == f'tokenize="py:{fine}:split": module {fine} has no split'
    assert told(OptionError, call(f"py:{fine}:word.x")) == f'tokenize="py:{fine}:word.x": module {fine} has no word.x'
    assert told(OptionError, call(f"py:{fine}:word")) == f'tokenize="py:{fine}:word": word is not a function, but str'


@pytest.mark.parametrize(
    "name", ["py:", "py:words", "py::split", "py:words:", "py:a-b:c", "py:a:b:c", "py:a/b:c", "py:a:b()"]
)
def test_names_that_are_no_function(name: str) -> None:
    assert told(OptionError, lambda: tt.parse(f'wer(tokenize="{name}")')) == (
        f'wer: tokenize="{name}" names no function; write tokenize="py:package.module:function", '
        f"a function that takes a string and returns a list of strings"
    )


def test_unknown_names_are_told_all_choices() -> None:
    assert told(OptionError, lambda: tt.parse('bleu(tokenize="13b")')) == (
        'bleu: tokenize="13b" is unknown; choose from none, 13a, intl, zh, char, tercom, ja-mecab, ko-mecab, spm:PATH, '
        "py:package.module:function"
    )


def test_signatures_follow_the_function(module: Module, tmp_path: Path) -> None:
    """The hash is that of the file in which the function is written, also where another module passes it on."""
    from hashlib import sha256

    name = module("""
        import functools
        def words(text): return text.split()
        @functools.cache
        def wrapped(text): return text.split()
        partly = functools.partial(str.split, sep="-")
    """)
    passing = module(f"""
        from {name} import words
    """)
    expected = sha256((tmp_path / f"{name}.py").read_bytes()).hexdigest()[:12]
    for function in (f"{name}:words", f"{name}:wrapped", f"{name}:partly", f"{passing}:words"):
        assert tt.parse(f'wer(tokenize="py:{function}")').versions() == {"py": expected}  # type: ignore[attr-defined]
    python = f"python-{sys.version.split()[0]}"
    assert Reading("py:builtins:str.split").versions() == {"py": python}
    [score] = tt.score(["a b"] * 100, references=["a b"] * 100, metrics=f'bleu(tokenize="py:{name}:words")')
    assert f"|py:{expected}|tertium:" in score.signature
    assert len(Reading("py:json:loads").versions()["py"]) == 12


def test_a_function_typed_at_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file: the text if there is one, else the signature says that it is unknown."""
    import __main__

    exec(compile("def typed(text): return text.split()", "<prompt>", "exec"), namespace := {"__name__": "__main__"})
    monkeypatch.setattr(__main__, "typed", namespace["typed"], raising=False)
    monkeypatch.delattr(__main__, "__file__", raising=False)
    assert tt.tokenize("a b", "py:__main__:typed") == ["a", "b"]
    assert Reading("py:__main__:typed").versions() == {"py": "unknown"}


def test_nothing_is_imported_before_scoring(module: Module, tmp_path: Path) -> None:
    """Not by parsing, nor by saving, loading and showing an evaluation; the module may be gone."""
    name = module("""
        def words(text): return text.split()
    """)
    text = f'bleu(tokenize="py:{name}:words")'
    metric = tt.parse(text)
    assert (str(metric), name in sys.modules) == (text, False)
    testset = tt.TestSet(segments=1, references=tt.References((Lines.of(["a b c d"]),), 1))
    evaluation = tt.evaluate(testset, [tt.System(name="s", outputs=Lines.of(["a b c d"]))], [text])
    tt.save(evaluation, tmp_path / "saved.tertium")
    del sys.modules[name]
    (tmp_path / f"{name}.py").unlink()
    loaded = tt.load(tmp_path / "saved.tertium")
    [score] = loaded.scores()
    assert (score.metric, score.value) == (text, 100)
    assert score.signature == evaluation.signatures[text]
    assert name not in sys.modules
    with pytest.raises(OptionError, match="there is no module"):
        tt.evaluate(loaded.testset, loaded.systems, loaded.metrics)


def test_evaluations_of_different_models_are_not_merged(module: Module, tmp_path: Path) -> None:
    name = module("""
        def words(text): return text.split()
    """)
    text = f'bleu(tokenize="py:{name}:words")'
    testset = tt.TestSet(segments=1, references=tt.References((Lines.of(["a b"]),), 1))

    def evaluate(system: str) -> tt.Evaluation:
        return tt.evaluate(testset, [tt.System(name=system, outputs=Lines.of(["a b"]))], [text])

    one, same = evaluate("one"), evaluate("two")
    assert [system.name for system in one.merge(same).systems] == ["one", "two"]
    with (tmp_path / f"{name}.py").open("a") as file:
        file.write("# changed\n")
    other = evaluate("three")
    assert told(InputError, lambda: one.merge(other)) == (
        f"both evaluations have {text}, counted differently: {one.signatures[text]} and {other.signatures[text]}"
    )


def test_a_function_is_never_called_twice_at_once(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """It need not be safe on threads; and any number of threads gives the same."""
    name = module("""
        import threading, time
        busy, clashes, threads = threading.Lock(), [], set()
        def words(text):
            threads.add(threading.get_ident())
            if not busy.acquire(blocking=False):
                clashes.append(text)
                return []
            time.sleep(0)
            busy.release()
            return text.split()
    """)
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", 200)
    outputs = [f"a{k % 7} b c{k % 3} d" for k in range(3 * 200)]
    references = [f"a{k % 5} b c{k % 3} d" for k in range(3 * 200)]
    found = {
        tt.score(outputs, references=references, metrics=f'bleu(tokenize="py:{name}:words")', run=tt.Run(threads=n))[
            0
        ].value
        for n in (1, 3)
    }
    assert len(found) == 1
    assert sys.modules[name].clashes == []
    assert len(sys.modules[name].threads) > 1


def test_the_command_line_scores_with_a_users_function(tmp_path: Path) -> None:
    (tmp_path / "mywords.py").write_text('def cut(text):\n    return text.split("-")\n')
    (tmp_path / "ref").write_text("a-b-c-d\n")
    command = [Path(sys.executable).parent / "tertium", "score", "-r", "ref", "-t", "ref", "--score-only"]
    run = lambda **environment: subprocess.run(  # noqa: E731
        [*command, "-m", 'bleu(tokenize="py:mywords:cut")'],
        cwd=tmp_path, env=environment, capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert run(PYTHONPATH=".").stdout == "100.0\n"
    alone = run()
    assert (alone.returncode, alone.stdout) == (2, "")
    assert alone.stderr == (
        'tertium: tokenize="py:mywords:cut": there is no module mywords; install it, or put its folder on PYTHONPATH\n'
    )


# MeCab


@pytest.mark.parametrize("name", ["ja-mecab", "ko-mecab"])
@settings(max_examples=200)
@given(
    text=MESSES | ANY | st.text("これは猫です東京へ行く이것은고양이입니다서울 ABCabc,.。、", max_size=30),
    lowercase=st.booleans(),
)
def test_morphological_analysers_equal_sacrebleu_on_any_text(name: str, text: str, lowercase: bool) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    pytest.importorskip(tokenizers.MECAB[name][0])
    peer = sacrebleu.BLEU(tokenize=name, lowercase=lowercase)
    assert tt.tokenize(text, name, lowercase=lowercase) == peer._preprocess_segment(text).split()


def test_text_that_mecab_cannot_read() -> None:
    """It answers nothing, which must not become the word None."""
    pytest.importorskip("MeCab")
    sentence = told(SegmentError, lambda: tt.tokenize("東" * 1_000_000, "ja-mecab"))
    assert sentence == 'texts, segment 1: tokenize="ja-mecab": MeCab cannot read this text of 1000000 characters'


def test_a_missing_analyser_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tokenizers.MECAB, "ko-mecab", ("no_such_module", "no_such_dictionary", "ko"))
    tokenizers._mecab.cache_clear()
    assert told(MissingPackageError, Reading("ko-mecab").versions) == (
        'tokenize="ko-mecab" needs a package that is not installed: pip install "tertium[ko]"'
    )
    tokenizers._mecab.cache_clear()


# What metrics name on this computer


def test_options_that_a_metric_declares_local() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Learned:
        name = "learned"
        local = frozenset({"model"})
        model: str | None = None
        words: str = "13a"

    refuse_local(Learned())  # type: ignore[arg-type]
    assert told(OptionError, lambda: refuse_local(Learned(model="/etc/passwd"))) == (  # type: ignore[arg-type]
        'learned: model="/etc/passwd" names a file or a function of this computer, which is not allowed here; '
        "score where they are, and show the result"
    )


def test_segment_errors_travel() -> None:
    """Between processes too: what they say is kept."""
    error = SegmentError(2, "bad", "atlas")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "atlas, segment 3: bad"
    assert str(again.at("brook", 10)) == "brook, segment 13: bad"
