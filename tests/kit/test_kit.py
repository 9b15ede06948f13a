"""The kit: each law is broken by a metric made to break it, and by no sound one; exemptions are told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import Phase, settings
from tests.kit.metrics import BROKEN, Matches

import tertium as tt
from tertium.core.metric import ALIASES, REGISTRY, Exemption, Prepared
from tertium.metrics import known
from tertium.testing import LAWS, LawError, Subject, laws_of
from tertium.testing.subject import find_metric


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Metrics of these tests are forgotten afterwards."""
    known()  # all of tertium's are loaded once, and stay
    before = dict(REGISTRY), dict(ALIASES)
    yield
    for now, old in zip((REGISTRY, ALIASES), before, strict=True):
        now.clear()
        now.update(old)


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """A law that is broken by any example need not look for the smallest."""
    settings.register_profile("unshrunk", settings.get_profile("tertium"), phases=[Phase.generate])
    settings.load_profile("unshrunk")
    yield
    settings.load_profile("tertium")


def cases(*metrics: Any, **options: Any) -> dict[str, str]:
    """The cases of a test, each with the reason for which it is skipped, or with ''."""
    [mark] = laws_of(*metrics, **options).pytestmark  # type: ignore[attr-defined]
    return {case.id: case.marks[0].kwargs["reason"] if case.marks else "" for case in mark.args[1]}


def check(metric: Any, law: str) -> None:
    subject = Subject(metric)
    if not LAWS[law].applies(subject):
        LAWS[law].check(subject)


def registered(cls: type[Any], **members: Any) -> Any:
    """A metric of this class, with other members."""
    return tt.metric(type(cls.__name__, (cls,), {"__module__": __name__, **members}))


@pytest.mark.parametrize("law", LAWS)
def test_a_sound_metric_passes(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = registered(Matches)
    monkeypatch.setitem(globals(), "Matches", cls)  # by which a pickle finds it
    check(cls(), law)


def test_every_law_is_broken_by_a_metric() -> None:
    assert list(BROKEN) == list(LAWS)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("law", LAWS)
def test_a_broken_metric_does_not(law: str) -> None:
    cls = BROKEN[law]
    REGISTRY[cls.name] = cls
    with pytest.raises(LawError):
        check(cls(), law)


def test_what_a_broken_law_says() -> None:
    for law, told in {
        "scores stay in range": r"the score of sums \[0.0, 0.0\] is nan; it must be a finite number",
        "perfect output is best": r"score of a perfect output: (np\.float64\()?50\.0\)?, expected .*100\.0.*",
        "processes can be sent it": "Prepared cannot be pickled: .*lambda.*",
        "every variant has a text of its own": "no other value was accepted for any option; name words that they "
        r"take: laws_of\(\.\.\., words=\(\.\.\.\)\)",
    }.items():
        REGISTRY[BROKEN[law].name] = BROKEN[law]
        with pytest.raises(LawError, match=rf"^{told}(\n|$)"):
            check(BROKEN[law](), law)


# Which laws apply


class Lengths:
    """Output bytes per source byte: of sources alone, without an option, without an upper end."""

    name: ClassVar[str] = "lengths"
    title, better, range = "lengths", "higher", (0.0, float("inf"))
    needs, resampling, decimals = frozenset({"source"}), "percentile", 2

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        return Prepared(references=testset.references)

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:  # noqa: ARG002
        assert prepared.sources is not None
        scored = prepared.scorable(outputs)
        rows = np.stack([outputs.lengths(), prepared.sources.lengths()], axis=1).astype(float)
        return tt.Stats(("output", "source"), rows if scored is None else rows * scored[:, None], scored)

    def score(self, sums: Any) -> Any:
        return sums[..., 0] / np.maximum(sums[..., 1], 1)


@pytest.mark.parametrize("law", LAWS)
def test_a_metric_of_sources_passes(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = registered(Lengths)
    monkeypatch.setitem(globals(), "Lengths", cls)
    check(cls(), law)


def test_laws_that_do_not_apply_are_skipped_and_say_why() -> None:
    cls = registered(Lengths)
    skipped = {name: reason for name, reason in cases(cls).items() if reason}
    assert skipped == {
        "lengths-Unicode is normalised before anything else": "it has no option 'unicode'",
        "lengths-a function tokenises before anything is counted": "it has no option 'tokenize'",
        "lengths-pairs equal scores": "it reads no reference",
        "lengths-plain numbers equal arrays": "formulas of other packages are handed arrays",
        "lengths-perfect output is best": "its range has no end, so there is no best score",
        "lengths-an output that lacks everything is worse than a perfect one":
            "it reads no reference",
    }  # fmt: skip
    assert len(cases(cls)) == len(LAWS)


def test_a_metric_is_named_in_several_ways() -> None:
    cls = registered(Matches)
    assert find_metric("matches(folded=True)") == find_metric(cls(folded=True)) == cls(folded=True)
    assert find_metric(cls) == find_metric("matches") == cls()
    assert find_metric("tertium.metrics.bleu:Bleu") == tt.parse("bleu")
    assert set(cases("bleu", "matches(folded=True)")) >= {
        "bleu-no text is too hard",
        "matches(folded=True)-no text is too hard",
    }


# Options


def test_options_are_varied_by_their_kind() -> None:
    @tt.metric
    class Many(Matches):
        name = "many"
        whole: int = 7
        share: float = 0.5
        form: str = "none"
        own: str = "mine"
        maybe: float | None = None
        label: str | None = None
        bounds: tuple[float, ...] = (1.0, 2.0)
        stages: tuple[str, ...] | None = None
        table: str = "x"
        local = ("table",)

        def __post_init__(self) -> None:
            if self.own not in ("mine", "yours"):
                raise tt.parse.__globals__["OptionError"]("many: own is mine or yours")

    subject = Subject(Many(table="here"), ("yours",))
    found: Any = subject.variants
    assert {metric.table for metric in found} == {"here"}
    assert {metric.own for metric in found} == {"mine", "yours"}
    assert {metric.whole for metric in found} == {7, 1, 2, 3, 8}
    assert {metric.share for metric in found} == {0.5, 1, 2, 3, 1.5, 1.25}
    assert {metric.maybe for metric in found} == {None, 0.5}
    assert {metric.bounds for metric in found} == {(1.0, 2.0), (2.0, 1.0)}
    assert {"nfc", "yours", None} <= {metric.label for metric in found}
    assert {None, ("yours",)} < {metric.stages for metric in found}


# Exemptions


def test_an_exempt_law_is_skipped_with_the_reason() -> None:
    reason = "a text of fewer than four words is never right"
    found = cases(registered(Matches, exempt={"perfect output is best": reason}))
    assert found["matches-perfect output is best"] == f"exempt: {reason}"
    assert len(found) == len(LAWS)


def test_a_law_holds_in_part() -> None:
    """Where an exemption says so the law is run on the rest; a metric that breaks it there is found."""
    exempt = {"perfect output is best": Exemption("one segment is too few", lambda _, sums: sums[1] > 1)}

    class Pairs(Matches):
        def score(self, sums: Any) -> Any:
            return np.where(sums[..., 1] > 1, super().score(sums), 0.0)

    found = cases(registered(Pairs, exempt=exempt))
    assert found["matches-perfect output is best"] == ""
    assert found["matches-perfect output is best, in part"] == "exempt: one segment is too few"
    check(registered(Pairs, exempt=exempt)(), "perfect output is best")
    with pytest.raises(LawError, match="score of a perfect output"):
        check(registered(Pairs)(), "perfect output is best")


def test_exemptions_name_laws() -> None:
    with pytest.raises(tt.TertiumError) as refused:
        laws_of(registered(Matches, exempt={"perfect is best": "because"}))
    assert str(refused.value) == (
        "matches: exempt names 'perfect is best', which is no law; did you mean 'perfect output is best'? laws: "
        + "; ".join(LAWS)
    )
    partly = {"no line is too long": Exemption("slow", lambda *_: True)}
    with pytest.raises(tt.TertiumError) as refused:
        laws_of(registered(Matches, exempt=partly))
    assert str(refused.value) == (
        "matches: exempt from a part of 'no line is too long'; only 'perfect output is best' can hold in part: give "
        "the reason alone"
    )


# Formulas of NumPy


@pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")
def test_a_plain_numpy_formula_is_scored_at_every_level() -> None:
    """It met plain lists, which have no columns: 'list indices must be integers or slices, not tuple'."""

    class Plain(Matches):
        def score(self, sums: Any) -> Any:
            return 100 * sums[..., 0] / sums[..., 1]

        def parts(self, sums: Any) -> dict[str, Any]:
            return {"share": sums[..., 0] / sums[..., 1], "both": [sums[..., 0], sums[..., 1]]}

    registered(Plain)
    texts = {"references": ["a", "b c", "d"], "metrics": "matches", "documents": ["x", "x", "y"]}
    [score] = tt.score(["a", "x", "d"], **texts)
    assert (score.value, score.parts) == (pytest.approx(200 / 3), {"share": pytest.approx(2 / 3), "both": (2, 3)})
    assert [item.value for item in tt.score(["a", "x", "d"], **texts, level="segment")] == [100, 0, 100]
    assert [item.value for item in tt.score(["a", "x", "d"], **texts, level="document")] == [50, 100]
    system = tt.System(name="s", outputs=tt.Lines.of(["a", "x", "d"]))
    references = tt.References((tt.Lines.of(["a", "b c", "d"]),), 3)
    evaluation = tt.evaluate(tt.TestSet(segments=3, references=references), [system], "matches")
    found = {item.bucket: item.value for item in tt.buckets(evaluation, by="reference-length")}
    assert found["all"] == pytest.approx(200 / 3)


# What the protocol says


def test_the_protocol_names_what_is_asked_for() -> None:
    """Whatever the code asks a metric for by getattr or hasattr, and nothing else."""
    import ast
    from pathlib import Path

    asked = set()
    for path in Path(tt.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
                owner, name, *_ = node.args
                whose = re.sub(r"\(.*\)$", "", ast.unparse(owner)).rpartition(".")[2]
                if whose in ("metric", "cls", "made", "candidate") and isinstance(name, ast.Constant):
                    asked.add(name.value)
    assert tt.Metric.__doc__ is not None
    listed = re.findall(r"^ {8}(\w[^:]*):", tt.Metric.__doc__, re.MULTILINE)
    named = {re.sub(r"\(.*", "", name.strip()) for line in listed for name in re.sub(r"\(.*", "", line).split(",")}
    assert named == asked


def test_the_kit_says_what_it_needs() -> None:
    import subprocess
    import sys

    code = "import sys; sys.modules['hypothesis'] = None; import tertium.testing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "tertium.core.errors.MissingPackageError: tertium.testing needs the package hypothesis; install it with: "
        'pip install "tertium[testing]"'
    )
