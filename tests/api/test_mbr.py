"""tt.mbr and tt.rerank against the double loop, and what they refuse."""

import math
import random
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from laws.texts import random_text
from reference import mbr as naive

import tertium as tt
from tertium.core.metric import ALIASES, REGISTRY, Prepared, metric

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")


def utility_of(name: str) -> Any:
    chosen = tt.parse(name)
    sign = 1 if chosen.better == "higher" else -1

    def utility(output: str, reference: str) -> float:
        [score] = tt.score([output], references=[reference], metrics=chosen, level="segment")
        return sign * score.value

    return utility


@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf(words=2)", "ter", "wer", "cer", "wip"])
def test_equals_the_double_loop(name: str) -> None:
    rng = random.Random(name)
    utility = utility_of(name)
    for round_ in range(4):
        pool = [random_text(rng, 12) for _ in range(5)]
        candidates = rng.choices(pool, k=rng.randint(1, 8))
        references = candidates if round_ % 2 else rng.choices([*pool, "else"], k=rng.randint(1, 6))
        weights = [rng.choice([0.0, 0.5, 1.0, 3.0, 1e-3]) for _ in references]
        weights[0] = 2.0
        for used in (None, weights):
            expected = naive.expected_utilities(candidates, references, used or [1.0] * len(references), utility)
            found = tt.mbr(candidates, name, weights=used, references=None if references is candidates else references)
            assert found.utilities == pytest.approx([float(value) for value in expected], rel=1e-12, abs=1e-12)
            assert found.index == naive.first_best([round(value, 9) for value in expected])
            assert found.text == candidates[found.index]


def test_duplicates_count_as_often_as_they_are_there() -> None:
    several = tt.mbr(["x x", "y y y", "y y y", "x z"], "wer")
    counted = tt.mbr(["x x", "y y y", "x z"], "wer", weights=[1, 2, 1])
    assert several.utilities == tuple(counted.utilities[k] for k in (0, 1, 1, 2))
    assert several.utilities == (-62.5, -75.0, -75.0, -62.5)  # 0 + 100 + 100 + 50 and 150 + 0 + 0 + 150, over 4


def test_ties_go_to_the_first() -> None:
    assert tt.mbr(["a", "b", "c"], "wer").index == 0
    assert tt.mbr(["a", "b", "c"], "wer").order == (0, 1, 2)
    # Under TER both cost 45/112 on paper, summed up from eighths, sevenths and ninths; in binary they differ.
    first, second = "The bakery on the corner opens again on Monday.", "The bakery at the corner reopens on Monday."
    others = ["The corner bakery opens on Monday again.", "On Tuesday the bakery at the corner closes."]
    found = tt.mbr([first, second, *others], "ter", weights=[3, 2, 2, 1])
    assert found.utilities[:2] == pytest.approx([-4500 / 112] * 2, rel=1e-12)
    assert found.index == 0
    rng = random.Random("ties")
    texts = [f"w{k} w{(k + 1) % 11}" for k in range(11)]  # a ring: every place in it is like every other
    for _ in range(20):
        rng.shuffle(texts)
        assert tt.mbr(texts, "chrf(chars=0, words=1)").order == tuple(range(11))


def test_direction() -> None:
    """By hand: TER of `the cat sat` is 150, 25 and 0 percent, that of `dogs bark` 0, 100 and 100."""
    candidates = ["dogs bark", "the cat sat down", "the cat sat"]
    assert tt.mbr(candidates, "chrf").index in (1, 2)
    found = tt.mbr(candidates, "ter")
    assert found.text == "the cat sat"
    assert found.utilities == pytest.approx([-200 / 3, -(200 + 100 / 3) / 3, -175 / 3], rel=1e-12)
    [only] = tt.mbr(["one"], "ter").utilities
    assert math.copysign(1, only) == 1


def test_references_of_their_own() -> None:
    found = tt.mbr(["a b", "c d"], "wer", references=["c d", "c x"], weights=[1, 3])
    assert found.utilities == (-100.0, -37.5)
    assert found.text == "c d"


def test_logarithms() -> None:
    candidates = ["a a", "b b", "c c"]
    plain = tt.mbr(candidates, "wer", weights=[0.2, 0.5, 0.3])
    logs = tt.mbr(candidates, "wer", weights=[math.log(x) - 900 for x in (0.2, 0.5, 0.3)], weighting="log")
    assert logs.utilities == pytest.approx(plain.utilities, rel=1e-12)
    flat = tt.mbr(candidates, "wer", weights=[-1, -2, -math.inf], weighting="log", temperature=1e9)
    assert flat.utilities == pytest.approx([-50, -50, -100], rel=1e-6)


def test_several_segments() -> None:
    candidates = [["a b", "a c", "a b"], ["x"], ["p q", "p r s", "p r"]]
    found = tt.mbr(candidates, "chrf", run=tt.Run(threads=2))
    assert found == [tt.mbr(texts, "chrf") for texts in candidates]
    weighted = tt.mbr(candidates, "wer", weights=[[0, 1, 0], [1], None], references=[["a c"] * 3, ["y"], ["p"]])
    assert [ranking.index for ranking in weighted] == [1, 0, 0]
    assert tt.mbr([], "chrf") == []


def test_many_segments_on_any_number_of_threads() -> None:
    rng = random.Random("threads")
    candidates = [[random_text(rng, 8) for _ in range(rng.randint(1, 6))] for _ in range(60)]
    assert tt.mbr(candidates, run=tt.Run(threads=1)) == tt.mbr(candidates, run=tt.Run(threads=5)) == tt.mbr(candidates)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (["a"], {}, "candidates: a single string; pass a list of strings, or a list of such lists"),
        ([["a", None]], {}, "candidates[1] is missing; leave it out, or pass an empty string"),
        ([[["a"], []]], {}, "candidates[1]: no candidate to choose by; there must be at least one"),
        ([["a", "b"]], {"references": []}, "candidates: no reference to choose by; there must be at least one"),
        ([["a", "b"]], {"weights": [1]}, "candidates: 1 weight for 2 texts; there must be one for each"),
        ([["a", "b"]], {"weights": [0, 0]}, "candidates: all weights are 0; at least one must be positive"),
        ([["a", "b"]], {"weights": [1e308, 1e308]}, "candidates: the weights add up to more than 1e+300; divide "
         "them by the largest"),
        ([["a", "b"]], {"weights": [1, math.nan]}, "candidates: the weight nan is not a finite number"),
        ([["a", "b"]], {"weights": [1, -1]}, "candidates: the weight -1.0 is negative; if they are log-probabilities, "
         'say so (--weights log, weighting="log")'),
        ([["a"]], {"weighting": "exp", "weights": [1]}, "weighting='exp' is unknown; choose \"linear\" or \"log\""),
        ([["a"]], {"temperature": 0, "weights": [1]}, "temperature=0; must be a positive number"),
        ([[["a"], ["b"]]], {"weights": [[1]]}, "weights: 1 for 2 segments; there must be one for each"),
    ],
)  # fmt: skip
def test_mistakes(arguments: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(tt.TertiumError) as error:
        tt.mbr(*arguments, **options)
    assert str(error.value) == message


# A metric without references


@pytest.fixture
def likeness() -> Iterator[None]:
    """How near an output is in length to its source, in percent, and the same as an error."""
    before = dict(REGISTRY), dict(ALIASES)

    class Length:
        title, range, decimals = "length", (0.0, 100.0), 1
        needs: ClassVar = frozenset({"source"})
        resampling = "percentile"

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
            return Prepared(references=testset.references, shared=testset.sources)

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:  # noqa: ARG002
            lengths = outputs.lengths(), prepared.shared.lengths()
            return tt.Stats(("longer", "shorter"), np.stack([np.maximum(*lengths), np.minimum(*lengths)], axis=1) * 1.0)

        def score(self, sums: Any) -> Any:
            share = 100 * sums[..., 1] / sums[..., 0]
            return share if self.better == "higher" else 100 - share

    for label, direction in (("likeness", "higher"), ("unlikeness", "lower")):
        metric(type(label.title(), (Length,), {"name": label, "better": direction}))
    yield
    for now, old in zip((REGISTRY, ALIASES), before, strict=True):
        now.clear()
        now.update(old)


@pytest.mark.usefixtures("likeness")
@pytest.mark.parametrize("name", ["likeness", "unlikeness"])
def test_rerank(name: str) -> None:
    found = tt.rerank(["a", "abcd", "abc", "xyz"], name, source="xxx")
    assert (found.index, found.text, found.order) == (2, "abc", (2, 3, 1, 0))
    assert found.utility == (100 if name == "likeness" else 0)
    both = tt.rerank([["a", "abc"], ["a", "abc"]], name, source=["y", "yyyy"])
    assert [ranking.index for ranking in both] == [0, 1]


@pytest.mark.usefixtures("likeness")
def test_rerank_refuses() -> None:
    with pytest.raises(tt.TertiumError, match=r"^chrf needs references, and reranking has none; to choose .* tt\.mbr$"):
        tt.rerank(["a"], "chrf")
    with pytest.raises(tt.TertiumError, match=r"^likeness needs the source, and there is none"):
        tt.rerank(["a"], "likeness")
    with pytest.raises(tt.TertiumError, match=r"^candidates\[1\]: no candidate to choose from"):
        tt.rerank([["a"], []], "likeness", source=["x", "y"])
    with pytest.raises(tt.TertiumError, match=r"^likeness needs no references: every output has one score"):
        tt.mbr(["a"], "likeness", source="x")
    with pytest.raises(tt.TertiumError, match=r"^likeness needs no references: every output has one score"):
        tt.pairwise(["a"], ["a"], "likeness", source="x")
