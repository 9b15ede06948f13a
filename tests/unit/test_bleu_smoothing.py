"""Chen and Cherry's smoothing methods 4 to 7 by hand, and NLTK's of all of them; the effective order of corpora."""

import math
import random
import warnings

import pytest
from laws.texts import disturb, make_testset, random_words

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.metrics import parse

# Seven words of which a b d e are right: matches 4 of 7, 2 of 6 (a b, d e), 0 of 5, 0 of 4, 0 of 3.
OUTPUT, REFERENCE = "a b x d e y z", "a b c d e f g"
LN = math.log(7)


def segment(metric: str, output: str = OUTPUT, *references: str) -> float:
    chosen = parse(metric)
    rows = chosen.stats(Lines.of([output]), chosen.prepare(make_testset([list(references or (REFERENCE,))])))
    return float(chosen.segment_score(rows.segments())[0]) / 100  # type: ignore[attr-defined]


def mean(*p: float) -> float:
    return math.exp(sum(map(math.log, p)) / len(p))


@pytest.mark.parametrize(
    ("smooth", "p"),
    [
        ("length", (4 / 7, 2 / 6, LN / 5 / 5, (LN / 5) ** 2 / 4)),
        # m0 = 5; (5 + 4 + 2)/3, (11/3 + 2 + 0)/3, (17/9 + 0 + 0)/3, (17/27)/3
        ("average", (11 / 3 / 7, 17 / 9 / 6, 17 / 27 / 5, 17 / 81 / 4)),
        # what is foretold: p2^2/p1 = 7/36; then p3^2/p2
        ("prior", (4 / 7, 2 / 6, 5 * 7 / 36 / 10, 5 * (35 / 360) ** 2 * 3 / 9)),
    ],
)
def test_methods_by_hand(smooth: str, p: tuple[float, ...]) -> None:
    assert segment(f'bleu(smooth="{smooth}", tokenize="none")') == pytest.approx(mean(*p), abs=1e-12)


def test_length_and_average_by_hand() -> None:
    """The matches of method 4, of five lengths, averaged by method 5."""
    m = [4, 2, LN / 5, (LN / 5) ** 2, (LN / 5) ** 3]
    before, p = m[0] + 1, []
    for n in range(4):
        before = (before + m[n] + m[n + 1]) / 3
        p.append(before / (7 - n))
    assert segment('bleu(smooth="length+average", tokenize="none")') == pytest.approx(mean(*p), abs=1e-12)


@pytest.mark.parametrize("smooth", ["exp", "floor", "add-k", "none", "length", "average", "prior", "length+average"])
def test_a_perfect_sentence_scores_100(smooth: str) -> None:
    for text in ("a b c d", "a b c d e f"):
        assert segment(f'bleu(smooth="{smooth}")', text, text) == pytest.approx(1, abs=1e-12)


METHODS = {
    "none": 0, "floor": 1, "add-k": 2, "exp": 3, "length": 4, "average": 5, "prior": 6, "length+average": 7,
}  # fmt: skip


@pytest.mark.parametrize("order", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("smooth", METHODS)
def test_nltk(smooth: str, order: int) -> None:
    """sentence_bleu of NLTK 3.10, which passes 1 where its averages do; there ours stays at 1. Its averages look at
    5-grams behind the longest n-gram, whichever that is."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    rng = random.Random(f"{smooth}{order}")
    method = getattr(SmoothingFunction(), f"method{METHODS[smooth]}")
    compared, above = 0, 0
    for _ in range(400 if order == 4 else 80):
        references = [random_words(rng, 14, 8, 1) for _ in range(rng.choice([1, 2]))]
        output = disturb(rng, rng.choice(references), 8) or ["a"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = float(sentence_bleu(references, output, (1 / order,) * order, smoothing_function=method))
            except (AssertionError, IndexError):  # method 6 refuses a segment without a 3-gram in common
                assert smooth == "prior"
                continue
        ours = segment(
            f'bleu(order={order}, smooth="{smooth}", tokenize="none", compat="nltk")',
            " ".join(output),
            *map(" ".join, references),
        )
        if theirs > 1:
            above += 1
            assert "average" in smooth
            continue
        compared += 1
        assert ours == pytest.approx(theirs, abs=1e-9), (output, references)
    if order == 4:
        assert compared > (50 if smooth == "prior" else 250)
        assert (above > 0) == ("average" in smooth)
    else:
        assert compared > (10 if smooth == "prior" else 40) or (smooth == "prior" and order < 3)


def test_effective_order_of_a_corpus_is_sacrebleus() -> None:
    """Corpora of outputs of one to three words: without it they score 0."""
    from sacrebleu.metrics import BLEU

    rng = random.Random(4)
    metric = parse('bleu(tokenize="none", effective_order=True)')
    plain = parse('bleu(tokenize="none")')
    shortened = 0
    for _ in range(60):
        longest = rng.choice([1, 2, 3, 3, 6])
        references = [random_words(rng, longest, 3, 1) for _ in range(4)]
        outputs = [" ".join(disturb(rng, words, 3)[:longest]) for words in references]
        texts = [[" ".join(words)] for words in references]
        total = metric.stats(Lines.of(outputs), metric.prepare(make_testset(texts))).total()  # type: ignore[attr-defined]
        judge = BLEU(tokenize="none", effective_order=True).corpus_score(outputs, [[text for [text] in texts]])
        assert float(metric.score(total)) == pytest.approx(judge.score, abs=1e-9)
        shortened += float(plain.score(total)) < judge.score
    assert shortened > 10


def test_rows_are_shared() -> None:
    """Smoothing belongs to the formula; averages need the counts of five words."""
    keys = {name: parse(f'bleu(smooth="{name}")').stats_key(False) for name in METHODS}  # type: ignore[attr-defined]
    assert {keys[name] for name in METHODS if "average" not in name} == {"bleu"}
    assert keys["average"] == keys["length+average"] == parse("bleu(order=5)").stats_key(False)  # type: ignore[attr-defined]


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OptionError) as error:
        parse('bleu(smooth="length", smooth_value=0)')
    assert str(error.value) == "bleu: smooth_value=0; for length it must be above 0 and at most 1e6"
