"""chrF against the mean of all references: n-grams counted one by one, weights, what is missing or refused."""

import random
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

import tertium as tt
from tertium.cli.main import cli
from tertium.core.errors import OptionError


def ngrams(text: str, n: int) -> Counter[str]:
    letters = "".join(text.split())
    return Counter(letters[k : k + n] for k in range(len(letters) - n + 1))


def naive(output: str, references: list[str], weights: list[float]) -> float:
    """chrF of the paper on counts that are means."""
    precisions, recalls = [], []
    for n in range(1, 7):
        mean: Counter[str] = Counter()
        for text, weight in zip(references, weights, strict=True):
            for ngram, times in ngrams(text, n).items():
                mean[ngram] += times * weight / sum(weights)  # type: ignore[assignment]
        own, wanted = ngrams(output, n), sum(mean.values())
        matches = sum(min(times, mean[ngram]) for ngram, times in own.items())
        if own and wanted:
            precisions.append(matches / own.total())
            recalls.append(matches / wanted)
    p, r = (sum(each) / len(each) if each else 0.0 for each in (precisions, recalls))
    return 100 * 5 * p * r / (4 * p + r) if p + r else 0.0


def made(seed: int, texts: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices("abc ", k=rng.randint(0, 12))) for _ in range(texts)]


@pytest.mark.parametrize("seed", range(8))
def test_equals_naive_counting(seed: int) -> None:
    outputs, references = made(seed, 6), made(seed + 100, 5)
    expected = [naive(output, references, [1.0] * 5) for output in outputs]
    assert tt.pairwise(outputs, references, aggregate=True) == pytest.approx(expected, abs=1e-9)


def test_weights_and_equal_candidates() -> None:
    candidates, weights = ["ab cd", "ab ce", "ab cd", "x"], [1.0, 0.5, 2.0, 3.0]
    found = tt.mbr(candidates, weights=weights, aggregate=True)
    expected = [naive(text, candidates, weights) for text in candidates]
    assert found.utilities == pytest.approx(expected, abs=1e-9)


def test_the_order_of_the_references_says_nothing() -> None:
    rng = random.Random(2)
    outputs, references = made(1, 4), made(2, 9) * 2
    weights = [rng.random() for _ in references]
    found = set()
    for _ in range(30):
        order = rng.sample(range(len(references)), len(references))
        texts, mass = [references[k] for k in order], [weights[k] for k in order]
        found.add(tt.mbr(outputs, references=texts, weights=mass, aggregate=True).utilities)
    assert len(found) == 1


def test_one_reference_is_its_own_mean() -> None:
    """Also with words, and in lower case."""
    outputs = ["The cat sat.", "a dog", ""]
    for metric in ("chrf", "chrf(words=2, lowercase=True)", "chrf(chars=0, words=3)"):
        alone = tt.pairwise(outputs, ["the cat sat down."], metric)[:, 0]
        assert tt.pairwise(outputs, ["the cat sat down."], metric, aggregate=True).tolist() == alone.tolist()


def test_what_is_missing_is_left_out() -> None:
    found = tt.pairwise(["ab", None], ["ab", None, "ac"], aggregate=True)
    assert found[0] == tt.pairwise(["ab"], ["ab", "ac"], aggregate=True)[0]
    assert np.isnan(found[1])
    assert np.isnan(tt.pairwise(["ab"], [None], aggregate=True)).all()


def test_a_metric_without_a_mean_is_refused() -> None:
    told = "bleu has no mean of references to compare with; aggregate needs chrf"
    for call in (
        lambda: tt.pairwise(["a"], ["b"], "bleu", aggregate=True),
        lambda: tt.mbr(["a"], "bleu", aggregate=True),
    ):
        with pytest.raises(OptionError) as error:
            call()
        assert str(error.value) == told


def test_the_command() -> None:
    lines = "the cat sat on the mat\nthe cat sat on a mat\na dog sat on the mat\n"
    result = CliRunner().invoke(cli, ["mbr", "-n", "3", "--aggregate", "-f", "json"], input=lines)
    assert result.exit_code == 0, result.output
    candidates = lines.splitlines()
    best = max(naive(text, candidates, [1.0] * 3) for text in candidates)
    assert f'"utility": {best:.9f}'[:-3] in result.stdout
