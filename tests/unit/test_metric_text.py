"""A metric's text: what it means, its canonical form, lists of them, and errors that name the way out."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import pytest

from tertium.core.errors import OptionError, TertiumError
from tertium.core.metric import ALIASES, REGISTRY, describe_options, metric, option_text
from tertium.metrics import known, parse, parse_list, split_list
from tertium.metrics.bleu import Bleu
from tertium.metrics.chrf import Chrf
from tertium.metrics.ter import Ter


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("bleu", Bleu()),
        (" bleu ", Bleu()),
        ("bleu()", Bleu()),
        ('bleu(tokenize="zh")', Bleu(tokenize="zh")),
        ("bleu(tokenize='zh', order=2)", Bleu(order=2, tokenize="zh")),
        ("bleu(weights=(1, 0.5), order=2)", Bleu(order=2, weights=(1, 0.5))),
        ("bleu(weights=[1, 0.5], order=2)", Bleu(order=2, weights=(1, 0.5))),
        ('bleu(smooth="floor", smooth_value=.01)', Bleu(smooth="floor", smooth_value=0.01)),
        ("bleu(smooth_value=None)", Bleu()),
        ("chrf(words=2)", Chrf(words=2)),
        ("chrf(beta=1.5)", Chrf(beta=1.5)),
        ("chrf(beta=2.0)", Chrf()),
        ("ter(normalized=True, asian=True)", Ter(asian=True, normalized=True)),
        (Bleu(order=3), Bleu(order=3)),
        ("BLEU", Bleu()),
        ("Bleu(order=2)", Bleu(order=2)),
        ("chrF", Chrf()),
        ("chrF++", Chrf(words=2)),
        (" CHRF++ ", Chrf(words=2)),
        ("chrF++(beta=1)", Chrf(words=2, beta=1)),
        ("MacroF1", parse("macrof")),
    ],
)
def test_meaning(text: Any, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Bleu(), "bleu"),
        (Bleu(order=4, smooth="exp"), "bleu"),
        (Bleu(lowercase=True, tokenize="zh"), 'bleu(tokenize="zh", lowercase=True)'),
        (Bleu(order=2, weights=[1, 2]), "bleu(order=2, weights=(1, 2))"),  # type: ignore[arg-type]
        (Bleu(smooth="add-k", smooth_value=0.5), 'bleu(smooth="add-k", smooth_value=0.5)'),
        (Chrf(beta=3, words=2), "chrf(words=2, beta=3)"),
    ],
)
def test_canonical_form(value: Any, text: str) -> None:
    """The options that are not at their defaults, in the order of their declaration."""
    assert str(value) == text
    assert parse(text) == value


def test_every_title_is_a_name() -> None:
    """What tables are headed with can be written back."""
    for name, cls in known().items():
        assert str(parse(cls.title)) == name


def test_capitals_of_an_outside_package_are_its_own() -> None:
    before = dict(REGISTRY), dict(ALIASES)
    try:

        @metric
        class Mine(Ter):
            name: ClassVar[str] = "tER"

        assert type(parse("tER")) is Mine
        assert type(parse("ter")) is type(parse("TER")) is Ter
    finally:
        for registry, content in zip((REGISTRY, ALIASES), before, strict=True):
            registry.clear()
            registry.update(content)


def test_values_are_equal_by_their_options() -> None:
    assert Bleu(order=3) == Bleu(order=3) != Bleu()
    assert {Bleu(), Bleu(order=4), Chrf()} == {Chrf(), Bleu()}
    with pytest.raises(TypeError):
        Bleu(3)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("BLUE", "unknown metric 'BLUE'; did you mean 'bleu'? known: bertscore, bleu, bleurt, cer, character, chrf"),
        ("chrF++(words=3)", "chrF++(words=3): chrF++ is chrf(words=2); for another number of words write"),
        ("bleu++", "'bleu++' is not a metric"),
        ("chrf+", "'chrf+' is not a metric"),
        ("blue", "unknown metric 'blue'; did you mean 'bleu'? known: bertscore, bleu, bleurt, cer, character, chrf"),
        ("chr", "unknown metric 'chr'; did you mean 'chrf'?"),
        ("zzz", "unknown metric 'zzz'; known: bertscore, bleu, "),
        ("_edits", "unknown metric '_edits'"),
        (
            "bleu(ordr=4)",
            "bleu has no option 'ordr'; options: order=4, weights=None, tokenize=\"13a\", lowercase=False",
        ),
        ("bleu(order='4')", 'bleu: order="4" must be int; the default is 4'),
        ("bleu(order=True)", "bleu: order=True must be int; the default is 4"),
        ("bleu(lowercase=1)", "bleu: lowercase=1 must be bool; the default is False"),
        ("bleu(tokenize=13)", 'bleu: tokenize=13 must be str; the default is "13a"'),
        ("bleu(weights='a')", 'bleu: weights="a" must be tuple[float, ...]'),
        ("bleu(order=2.5)", "bleu: order=2.5 must be int; the default is 4"),
        ("bleu(order=4.0)", "bleu: order=4.0 must be int"),
        ("bleu(weights=4)", "bleu: weights=4 must be tuple"),
        ('bleu(weights=("a", "b", "c", "d"))', "must be tuple"),
        ('bleu(smooth="floor", smooth_value=(1, 2))', "bleu: smooth_value=(1, 2) must be float"),
        ("bleu(order=2, order=3)", "option 'order' is given twice"),
        ("chrf(beta=True)", "chrf: beta=True must be float"),
        ("bleu(order=x)", "option 'order' must be a plain value: a quoted string, a number, True or False"),
        ("bleu(order=2**3)", "option 'order' must be a plain value"),
        ("bleu(order=__import__('os').getpid())", "option 'order' must be a plain value"),
        ("bleu(order=-1)", "bleu: order=-1; the longest n-gram must have 1 to 100 words"),
        ("bleu(order=0)", "bleu: order=0; "),
        ("bleu(weights=(1, 2))", "bleu: weights=(1, 2) must be 4 weights, one for each n-gram order"),
        ("bleu(weights=(0, 0, 0, 0))", "must be 4 weights"),
        ("bleu(weights=(2, -1, 0, 0))", "must be 4 weights"),
        (
            'bleu(smooth="laplace")',
            'bleu: smooth="laplace" is unknown; '
            "choose from exp, floor, add-k, none, length, average, prior, length+average",
        ),
        ('bleu(brevity="longest")', 'bleu: brevity="longest" is unknown; choose from closest, shortest, average'),
        ('bleu(tokenize="13b")', 'bleu: tokenize="13b" is unknown; choose from none, 13a, intl, zh, char'),
        ('bleu(unicode="nfd")', 'bleu: unicode="nfd" is unknown; choose from none, nfc, nfkc, quotes'),
        ("bleu(smooth_value=0.5)", 'bleu: smooth_value=0.5 needs smooth="floor" or smooth="add-k"'),
        ('bleu(smooth="floor", smooth_value=-1)', "must not be negative"),
        ("chrf(chars=0)", "chrf: chars=0, words=0; together there must be 1 to 100 n-gram orders"),
        ("chrf(chars=-1, words=2)", "chrf: chars=-1, words=2"),
        ("chrf(beta=-1)", "chrf: beta=-1; must lie between 0 and 1000"),
        ('chrf(unicode="x")', 'chrf: unicode="x" is unknown'),
        ('ter(unicode="x")', 'ter: unicode="x" is unknown'),
        ('wer(tokenize="spaces")', 'wer: tokenize="spaces" is unknown'),
        ('cer(unicode="x")', 'cer: unicode="x" is unknown'),
        ("cer(tokenize='13a')", "cer has no option 'tokenize'; options: lowercase=False"),
        ("bleu(4)", 'is not a metric; write a name, or name(option=value, ...), such as bleu(tokenize="zh")'),
        ("bleu(", "'bleu(' is not a metric"),
        ("", "'' is not a metric"),
        ("bleu chrf", "'bleu chrf' is not a metric"),
        ("bleu.x", "is not a metric"),
        ("x.bleu()", "is not a metric"),
        ("lambda: 1", "is not a metric"),
        ("bleu\x00", "is not a metric"),
        ("bleu(**{'order': 2})", "bleu has no option 'None'"),
    ],
)
def test_errors_name_the_way_out(text: str, said: str) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        parse(text)


def test_errors_are_one_tree() -> None:
    assert issubclass(OptionError, TertiumError)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("bleu", ["bleu"]),
        ("bleu,chrf", ["bleu", "chrf"]),
        (" bleu , chrf(words=2, beta=1) ,ter", ["bleu", "chrf(words=2, beta=1)", "ter"]),
        ("bleu(weights=(1,2),order=2),ter", ["bleu(weights=(1,2),order=2)", "ter"]),
        ("bleu(weights=[1,2]),ter", ["bleu(weights=[1,2])", "ter"]),
        ("""bleu(tokenize="a,)b"),x(y='(,')""", ["""bleu(tokenize="a,)b")""", "x(y='(,')"]),
        ("", []),
        (",,bleu,", ["bleu"]),
    ],
)
def test_lists(text: str, items: list[str]) -> None:
    assert split_list(text) == items


def test_lists_of_metrics_drop_doubles_and_keep_their_order() -> None:
    found = parse_list(["chrf,bleu", Bleu(), "bleu(order=4)", "bleu(order=2)", Chrf(words=2)])
    assert [str(m) for m in found] == ["chrf", "bleu", "bleu(order=2)", "chrf(words=2)"]
    assert parse_list([]) == ()
    assert parse_list("bleu,chrf") == (Bleu(), Chrf())
    assert parse_list(Bleu()) == (Bleu(),)


def test_known_metrics_are_the_files_that_are_there() -> None:
    classes = known()
    assert list(classes) == sorted(classes)
    assert {"bleu", "cer", "chrf", "mer", "per", "ter", "wer", "wil", "wip"} <= set(classes)
    assert all(cls.name == name for name, cls in classes.items())


def test_other_names_mean_the_same() -> None:
    """A metric declared elsewhere, with another name: parse finds both, and the text is the first."""
    before = (dict(REGISTRY), dict(ALIASES))
    try:

        @metric
        class Twice:
            name: ClassVar[str] = "twice"
            aliases: ClassVar[tuple[str, ...]] = ("double",)
            pair: tuple[int, ...] = (1, 2)
            word: str = 'a "quoted" word'

        assert str(parse("double")) == "twice"
        assert parse("double(pair=[3])") == parse("twice(pair=[3])")
        odd: Any = Twice(word='é\n"\\')  # type: ignore[call-arg]
        assert parse(str(odd)) == odd
        assert describe_options(Twice) == 'pair=(1, 2), word="a \\"quoted\\" word"'
        with pytest.raises(OptionError, match="twice: pair=3 must be tuple"):
            parse("twice(pair=3)")
        with pytest.raises(OptionError, match="unknown metric 'doubel'; did you mean 'double'"):
            parse("doubel")
    finally:
        for registry, content in zip((REGISTRY, ALIASES), before, strict=True):
            registry.clear()
            registry.update(content)


def test_option_text_is_readable() -> None:
    assert [option_text(value) for value in ("ä", 1, 2.5, True, None, (1,))] == [
        '"ä"',
        "1",
        "2.5",
        "True",
        "None",
        "(1,)",
    ]
