"""What every noise promises under every aim: exact numbers, nested words, the same bytes for the same seed."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.texts import ANY, MESSES, TEXTS

import tertium as tt
from tertium.analysis.noise.kinds import MASK, NOISES, USUAL, Material, Noise, parse_noise, parse_noises
from tertium.analysis.noise.selection import Noised, Plan, plan
from tertium.analysis.noise.words import AIMS, Words, function_types, ranks
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.text.meteor import tokenize_meteor

ALL = [str(noise) for noise in parse_noises(USUAL)] + ['case(how="upper")', 'case(how="lower")']
RATES = (0.05, 0.1, 0.3, 0.5, 0.9, 1.0)

SENTENCES = st.lists(st.sampled_from("the The cat sat is not don't 42 1,000 can Berlin".split()), max_size=12)
LINES = st.lists(st.none() | TEXTS | MESSES | ANY | SENTENCES.map(" ".join), min_size=1, max_size=6)


def words_of(text: str | None) -> list[str]:
    return [word for word in (text or "").split(" ") if word]


def material(texts: list[str | None]) -> Material:
    sources = Lines.of([f"Quelle {k} und mehr" if k % 3 else None for k in range(len(texts))])
    return Material(Words.of(Lines.of(texts)), sources, "en")


def touched_by_line(found: Plan, rate: float) -> dict[int, list[int]]:
    """Places of touched words by line."""
    places: dict[int, list[int]] = {}
    for number in found.touched(rate).tolist():
        segment = int(found.words.segment[number])
        places.setdefault(segment, []).append(int(found.words.place[number]))
    return places


@pytest.mark.parametrize("noise", ALL)
@settings(max_examples=40)
@given(texts=LINES, aim=st.sampled_from(list(AIMS)), seed=st.integers(0, 5))
def test_promises_of_every_noise(noise: str, texts: list[str | None], aim: str, seed: int) -> None:
    lines = Lines.of(texts)
    found, again = plan(noise, material(texts), aim, seed), plan(noise, material(texts), aim, seed)
    assert found.noised(0).outputs(lines).digest() == lines.digest()
    before: set[int] = set()
    for rate in RATES:
        numbers = found.touched(rate).tolist()
        wanted = int(rate * len(found.order) + 0.5)
        assert len(numbers) == len(set(numbers)) <= wanted
        assert before <= set(numbers)
        before = set(numbers)
        if noise.startswith("permute"):
            assert all(len(numbers) >= stop for stop in found.stops.tolist() if stop <= wanted)
        else:
            assert len(numbers) == wanted
        noised = found.noised(rate)
        assert noised.counts.sum() == len(numbers)
        assert noised.outputs(lines).digest() == again.noised(rate).outputs(lines).digest()
        check_lines(noise, texts, noised, touched_by_line(found, rate))


def check_lines(noise: str, texts: list[str | None], noised: Noised, places: dict[int, list[int]]) -> None:
    """Untouched lines are as they were, and in the others all words but the touched ones."""
    outputs = noised.outputs(Lines.of(texts))
    assert sorted(places) == noised.segments.tolist()
    for segment, text in enumerate(texts):
        if segment not in places:
            assert outputs[segment] == text
            continue
        old, new, touched = words_of(text), words_of(outputs[segment]), set(places[segment])
        kept = [word for k, word in enumerate(old) if k not in touched]
        rest = iter(new)
        assert all(word in rest for word in kept), (old, new, touched)  # in their order
        check_words(noise.partition("(")[0], old, new, touched)


def check_words(noise: str, old: list[str], new: list[str], touched: set[int]) -> None:
    """What the noise is called is what happened."""
    if noise in ("delete", "truncate"):
        assert new == [word for k, word in enumerate(old) if k not in touched]
    elif noise in ("insert", "repeat"):
        assert len(new) == len(old) + len(touched)
    elif noise == "permute":
        assert Counter(new) == Counter(old)
        assert len(touched) >= 2
        assert new != old
    elif noise != "negation":
        assert {k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b} == touched
    if noise == "truncate":
        assert new == old[: len(new)]
    if noise == "mask":
        assert new.count(MASK) - old.count(MASK) == len(touched)
    if noise == "untranslate":
        assert {new[k] for k in touched} <= set("Quelle und mehr 0 1 2 3 4 5 6".split())
    if noise == "number":
        assert all(len(new[k]) == len(old[k]) for k in touched)
    if noise == "case":
        assert all(new[k].casefold() == old[k].casefold() or not old[k].isascii() for k in touched)


@given(length=st.integers(2, 40), seed=st.integers(0, 20), how=st.sampled_from(["spans", "swap", "shuffle"]))
def test_permuting_is_a_derangement(length: int, seed: int, how: str) -> None:
    """Of words that are all different, none that is touched stays where it was."""
    old = [f"w{k}" for k in range(length)]
    found = plan(f'permute(how="{how}")', material([" ".join(old)]), "random", seed)
    for rate in RATES:
        touched = set(found.touched(rate).tolist())
        new = old if not touched else found.noised(rate).texts[0].split(" ")
        assert {k for k in range(length) if new[k] != old[k]} == touched
    assert len(touched) >= length - (2 if how == "swap" else 0)


def test_spans_change_places() -> None:
    """A window becomes [B A] of [A B]: two spans, each in its own order."""
    old = [f"w{k}" for k in range(6)]
    for seed in range(20):
        new = plan("permute", material([" ".join(old)]), "random", seed).noised(1).texts[0].split(" ")
        turned = [new[k:] + new[:k] for k in range(1, 6)]
        assert old in turned or (sorted(new[:4]) == old[:4] and new[4:] == ["w5", "w4"])


def test_swaps_are_of_neighbours() -> None:
    old = [f"w{k}" for k in range(9)]
    new = plan('permute(how="swap")', material([" ".join(old)]), "random", 1).noised(1).texts[0].split(" ")
    assert all(abs(new.index(word) - k) <= 1 for k, word in enumerate(old))


TEXT = ["the old cat sat on the old mat", "the dog is not in the garden", "a bird sang"]


def taken(aim: str, count: int, language: str | None = "en", seed: int = 0) -> list[str]:
    """The first words that an aim takes."""
    words = Words.of(Lines.of(TEXT))
    return [words.texts[k] for k in np.argsort(ranks(words, aim, seed, language))[:count].tolist()]


def test_aims() -> None:
    assert set(taken("frequent", 4)) == {"the"}
    assert taken("frequent", 6)[4:] == ["old", "old"]
    assert "the" not in taken("rarest", 14)
    assert "old" not in taken("rarest", 12)
    assert set(taken("function", 8)) == {"the", "on", "is", "not", "in", "a"} & set(taken("function", 8))
    assert set(taken("content", 9)) == {"old", "cat", "sat", "mat", "dog", "garden", "bird", "sang"}
    assert set(taken("begin", 2)) == {"the"}  # the longer a line, the nearer its first word is to its beginning
    assert set(taken("end", 2)) == {"mat", "garden"}
    assert taken("middle", 1)[0] in ("not", "bird")
    assert taken("random", 18) != taken("random", 18, seed=1)
    assert Counter(taken("random", 18)) == Counter(" ".join(TEXT).split())


def test_function_words_without_a_list_are_the_most_frequent() -> None:
    """18 words: four times *the* and two times *old* are 33 %, and the next type passes 40 %."""
    words = Words.of(Lines.of(TEXT))
    found = function_types(words, "xx")
    assert {"the", "old"} < found
    assert len(found) == 4
    assert function_types(Words.of(Lines.of(["“On the mat.”"])), "en_GB") == {"“On", "the"}
    assert function_types(Words.of(Lines.of(["(The cat."])), "en-GB") == {"(The"}


def test_an_aim_takes_the_same_words_for_every_noise() -> None:
    given_words = material([*TEXT])
    assert (
        plan("delete", given_words, "rarest", 3).touched(0.3).tolist()
        == plan("mask", given_words, "rarest", 3).touched(0.3).tolist()
    )


def test_frequency_matched_words() -> None:
    """Words come from the five types on either side in the order of frequency."""
    text = " ".join(f"w{k}" for k in range(30) for _ in range(100 - k))
    found = plan('replace(how="frequency")', material([text]), "random", 0)
    pairs = zip(found.words.texts, found.texts, strict=True)
    distances = {abs(int(old[1:]) - int(str(new)[1:])) for old, new in pairs}
    assert distances == {1, 2, 3, 4, 5}


def test_random_words_are_of_any_type() -> None:
    text = " ".join(f"w{k}" for k in range(10)) + " w0" * 300
    found = plan("replace", material([text]), "random", 0)
    of_w0 = Counter(new for old, new in zip(found.words.texts, found.texts, strict=True) if old == "w0")
    assert set(of_w0) == {f"w{k}" for k in range(1, 10)}
    assert max(of_w0.values()) < 3 * min(of_w0.values())


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("It is not open", "en", "It is open"),
        ("It is open", "en", "It is not open"),
        ("We can't wait and won't stay", "en", "We can wait and will stay"),
        ("Nobody came", "en", "Somebody came"),
        ("Das ist kein Hund", "de", "Das ist ein Hund"),
        ("Das war gut", "de-AT", "Das war nicht gut"),
        ("Es tarde", "es", "no Es tarde"),
        ("Il est tard", "fr", "Il est pas tard"),
    ],
)
def test_negation(text: str, language: str, expected: str) -> None:
    words = Words.of(Lines.of([text]))
    assert plan("negation", Material(words, None, language)).noised(1).texts == [expected]
    assert plan(f'negation(language="{language}")', Material(words)).noised(1).texts == [expected]


def test_untranslated_words_stand_where_the_source_has_them() -> None:
    words = Words.of(Lines.of(["the old town sleeps", "Berlin"]))
    sources = Lines.of(["die Stadt", "Berlin"])
    found = plan("untranslate", Material(words, sources))
    assert found.texts == ["die", "die", "Stadt", "Stadt", None]  # a name that is the same stays


def test_the_mask_is_one_word_to_everybody() -> None:
    text = f"The {MASK} sat."
    for name in ("none", "13a", "intl", "zh", "char"):
        assert MASK in tt.tokenize(text, name)
        assert MASK.lower() in tt.tokenize(text, name, lowercase=True)
    for no_punct in (False, True):
        assert str(tokenize_meteor(Lines.of([text]), "en", no_punct)[0]).split()[:3] == ["the", MASK, "sat"]
    testset = tt.TestSet(segments=1, references=tt.References((Lines.of(["a b c d"]),), 1))
    system = tt.System(name="masked", outputs=Lines.of([f"a {MASK} c d"]))
    for score in tt.evaluate(testset, [system], ["ter", "ter(normalized=True, asian=True)", "wer"]).scores():
        assert score.value == pytest.approx(25)


def test_names_and_options() -> None:
    for text in ALL:
        assert str(parse_noise(text)) == text
    assert parse_noise("mask") == NOISES["mask"]()
    assert [str(noise) for noise in parse_noises('delete, permute(how="swap"),delete')] == [
        "delete",
        'permute(how="swap")',
    ]
    with pytest.raises(OptionError, match=r"^unknown noise 'blur'; known: mask, replace, delete, permute, "):
        parse_noise("blur")
    with pytest.raises(OptionError, match=r"^permute has no option 'hw'; options: how=\"spans\"$"):
        parse_noise("permute(hw=1)")
    with pytest.raises(
        OptionError, match=r"^'a b' is not a noise; write a name, or name\(option=value, \.\.\.\), such"
    ):
        parse_noise("a b")
    with pytest.raises(OptionError, match=r"^mask: token='a b' must be one word$"):
        parse_noise('mask(token="a b")')
    with pytest.raises(OptionError, match=r"is not a noise; pass a text such as 'delete'$"):
        parse_noise(3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"^aim 'best' is unknown; choose from random, rarest, "):
        plan("delete", material(["a"]), "best")
    with pytest.raises(InputError, match=r"^untranslate needs the source, and the test set has none \(--src FILE\)$"):
        plan("untranslate", Material(Words.of(Lines.of(["a"]))))
    with pytest.raises(OptionError, match=r"^negation needs a table of the language, and there is none for 'xx'"):
        plan("negation", Material(Words.of(Lines.of(["a"])), None, "xx"))


def test_noises_of_ones_own() -> None:
    """Anything that rewrites words is a noise."""

    class Shout:
        name = meaning = "shout"

        def rewrite(self, given: Material, draw: np.random.Generator) -> object:  # noqa: ARG002
            from tertium.analysis.noise.kinds import Rewriting

            return Rewriting([word + "!" for word in given.words.texts])

    shout: Noise = Shout()  # type: ignore[assignment]
    assert plan(shout, material(["hear me"])).noised(1).texts == ["hear! me!"]
