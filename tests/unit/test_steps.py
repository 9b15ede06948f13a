"""Steps of normalisation: jiwer's do the same, ours by hand, and metrics take them in order."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.text.steps import STEPS, take_steps

ALPHABET = "abnrdstlvem wonICAN'’t.,;!?-—<>[]()…«»¿ 1$+é\u0301ßİ\t"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=40)


def taken(text: str, *steps: str) -> str | None:
    return take_steps(Lines.of([text]), steps)[0]


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_jiwers_steps_do_the_same(text: str) -> None:
    jiwer = pytest.importorskip("jiwer")
    pairs = {
        "lower": jiwer.ToLowerCase(),
        "upper": jiwer.ToUpperCase(),
        "punct": jiwer.RemovePunctuation(),
        "contractions": jiwer.ExpandCommonEnglishContractions(),
        "kaldi": jiwer.RemoveKaldiNonWords(),
        "whitespace": jiwer.RemoveWhiteSpace(replace_by_space=True),
        "spaces": jiwer.RemoveMultipleSpaces(),
        "nospace": jiwer.RemoveWhiteSpace(),
        "strip": jiwer.Strip(),
        "remove:won": jiwer.RemoveSpecificWords(["won"]),
        "replace:can=may": jiwer.SubstituteWords({"can": "may"}),
    }
    for step, transform in pairs.items():
        assert taken(text, step) == transform(text), step


WORDS = st.lists(st.sampled_from(["He", "he", "won't", "can't", "[laugh]", "<unk>", "stop.", "stop", "uh,", "it's"]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(WORDS.map(" ".join), WORDS.map(" ".join)), min_size=1, max_size=4))
def test_word_error_rates_after_steps_equal_jiwers(pairs: list[tuple[str, str]]) -> None:
    """Its own recipe `wer_standardize`, and one with punctuation; all pairs whose reference has words, as it asks."""
    jiwer = pytest.importorskip("jiwer")
    words = [jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()]
    low = jiwer.ToLowerCase()
    spaced = jiwer.RemoveWhiteSpace(replace_by_space=True)
    standard = [low, jiwer.ExpandCommonEnglishContractions(), jiwer.RemoveKaldiNonWords(), spaced]
    recipes = {
        ("lower", "contractions", "kaldi", "whitespace", "spaces", "strip"): standard,
        ("lower", "punct"): [low, jiwer.RemovePunctuation()],
        ("punct", "kaldi"): [jiwer.RemovePunctuation(), jiwer.RemoveKaldiNonWords()],
    }
    for steps, transforms in recipes.items():
        compose = jiwer.Compose([*transforms, *words])
        kept = [(output, reference) for output, reference in pairs if compose([reference])[0]]
        if not kept:
            continue
        outputs, references = [output for output, _ in kept], [reference for _, reference in kept]
        peer = jiwer.process_words(references, outputs, compose, compose)
        for name in ("wer", "mer", "wil", "wip"):
            metric = tt.parse(f"{name}(normalise={steps!r})")
            [found] = tt.evaluate(_testset(references), [_system(outputs)], [metric]).scores()
            assert found.value / 100 == pytest.approx(getattr(peer, name), abs=1e-9)
            assert found.parts["hits"] == peer.hits
            assert found.parts["substitutions"] == peer.substitutions


def test_character_error_rate_after_steps_equals_jiwers() -> None:
    jiwer = pytest.importorskip("jiwer")
    references, outputs = ["Don't stop — now!", "It's [noise] late."], ["do not stop now", "its late ..."]
    chars = jiwer.Compose(
        [
            *(jiwer.ToLowerCase(), jiwer.ExpandCommonEnglishContractions(), jiwer.RemovePunctuation()),
            *(jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfChars()),
        ]
    )
    metric = "cer(normalise=('lower', 'contractions', 'punct', 'spaces', 'strip'))"
    [found] = tt.evaluate(_testset(references), [_system(outputs)], metric).scores()
    assert found.value / 100 == pytest.approx(jiwer.cer(references, outputs, chars, chars), abs=1e-12)


def _testset(references: list[str]) -> tt.TestSet:
    return tt.TestSet(segments=len(references), references=tt.References((Lines.of(references),), len(references)))


def _system(outputs: list[str]) -> tt.System:
    return tt.System(name="output", outputs=Lines.of(outputs))


def test_their_order_counts() -> None:
    """By hand: the apostrophe has to be there for a contraction; a full stop inside brackets ends no bracket."""
    assert taken("He WON'T", "lower", "contractions", "punct") == "he will not"
    assert taken("He WON'T", "punct", "lower", "contractions") == "he wont"
    assert taken("a [noise] b", "kaldi", "spaces") == "a b"
    assert taken("a [noise] b", "punct", "kaldi") == "a noise b"


def test_steps_of_our_own() -> None:
    assert taken("Ça, où ? Ångström", "accents") == "Ca, ou ? Angstrom"
    assert taken("“so”\u00a0it", "quotes", "whitespace") == '"so" it'
    assert taken("ﬁne e\u0301", "nfkc") == "fine é"
    assert taken("uh I uhm uh-huh", "replace:uh=", "spaces", "strip") == "I uhm -huh"


def test_all_of_punctuation_and_nothing_else() -> None:
    """jiwer's definition: what Unicode's category begins with P; symbols such as $ and + stay."""
    assert taken("a.,;:!?'\"-–—…«»¿¡、。「」_#%&*@/\\()[]{}b$+<=>^`|~€", "punct") == "ab$+<=>^`|~€"


def test_metrics_carry_them() -> None:
    metric = tt.parse('wer(normalise=["lower", "punct"])')
    assert str(metric) == "wer(normalise=('lower', 'punct'))"
    assert tt.parse(str(metric)) == metric
    evaluation = tt.evaluate(_testset(["Yes, sir"]), [_system(["yes sir"])], [metric, "wer"])
    assert [score.value for score in evaluation.scores()] == [0, 50]
    assert evaluation.signatures[str(metric)].startswith("wer(normalise=('lower', 'punct'))|refs:1|")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('wer(normalise=("lowr",))', 'wer: normalise has a step "lowr", which is unknown; choose from lower, upper'),
        ('per(normalise=("remove:",))', 'a step "remove:", which is unknown; write "remove:WORD"; choose from'),
        ('cer(normalise=("replace:a",))', 'cer: .* "replace:a", which is unknown; write "replace:WORD=OTHER"'),
        ('mer(normalise=("none",))', 'mer: normalise has a step "none"'),
        ('wer(normalise="lower")', "must be tuple"),
    ],
)
def test_what_is_no_step(text: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        tt.parse(text)


@pytest.mark.slow
@pytest.mark.parametrize("step", [*STEPS, "remove:a", "replace:a=b"])
@pytest.mark.parametrize("text", ["[", "<[", "[]", "a ", " ", "'", "n't", ".", "é\u0301", "\u0301"])
def test_time_grows_with_the_text_and_not_with_its_square(step: str, text: str) -> None:
    def seconds(length: int) -> float:
        lines = Lines.of([text * (length // len(text))])
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            take_steps(lines, [step])
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(320_000) < 64 * (seconds(20_000) + 1e-3)


def test_tercoms_tokenizer() -> None:
    """tercom 0.8.0's normalisation, by its rules: punctuation set apart, the possessive a word; flags are its own."""
    assert tt.tokenize("Hello, World! It's 3.5%", "tercom") == ["Hello,", "World!", "It's", "3.5%"]
    apart = ["Hello", ",", "World", "!", "It", "'s", "3.5", "%"]
    assert tt.tokenize("Hello, World! It's 3.5%", "tercom+normalized") == apart
    assert tt.tokenize("A, b! 日本", "tercom+normalized+no_punct+asian", lowercase=True) == ["a", "b", "日", "本"]
    with pytest.raises(OptionError, match=r'tokenize="tercom\+x" is unknown; behind tercom may stand \+normalized'):
        tt.tokenize("a", "tercom+x")


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(["normalized", "no_punct", "asian"]), unique=True))
def test_tercoms_tokenizer_equals_sacrebleus(text: str, flags: list[str]) -> None:
    tokenizer_ter = pytest.importorskip("sacrebleu.tokenizers.tokenizer_ter")
    said = {"asian": "asian_support"}
    peer = tokenizer_ter.TercomTokenizer(**{said.get(flag, flag): True for flag in flags}, case_sensitive=True)
    assert tt.tokenize(text, "+".join(["tercom", *flags])) == peer(text.rstrip()).split()
