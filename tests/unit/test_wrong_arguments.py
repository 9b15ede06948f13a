"""What people pass by mistake from Python is answered in sentences, and help can be read."""

import inspect
import pydoc

import pytest

import tertium as tt

OUTPUTS = ["the cat sat", "it rained"]


@pytest.fixture
def testset() -> tt.TestSet:
    return tt.TestSet(name="t", segments=2, references=tt.References((tt.Lines.of(OUTPUTS),), 2))


def refusal(*arguments: object) -> str:
    with pytest.raises(tt.TertiumError) as caught:
        tt.evaluate(*arguments)  # type: ignore[arg-type]
    return str(caught.value)


def test_evaluate_says_what_it_was_given(testset: tt.TestSet) -> None:
    system = tt.System(name="a", outputs=tt.Lines.of(OUTPUTS))
    bare = tt.Evaluation(testset=testset, systems=(system,))
    assert refusal("testset.toml", [system], "bleu") == (
        "evaluate: testset is str; pass a TestSet, such as read_testset has it"
    )
    assert refusal(bare, "bleu", "bleu").endswith("or call add_metrics(evaluation, ...)")
    assert refusal(testset, "a", "bleu") == "evaluate: systems are str; pass a list of System"
    assert refusal(testset, system, "bleu") == "evaluate: systems are System; pass a list of System"
    assert refusal(testset, OUTPUTS, "bleu") == (
        "evaluate: one of the systems is str; expected System(name=..., outputs=...), or score texts as they are: "
        "score(outputs, references=...)"
    )


def test_an_evaluation_without_metrics_says_how_to_get_one(testset: tt.TestSet) -> None:
    systems = tuple(tt.System(name=name, outputs=tt.Lines.of(OUTPUTS)) for name in "ab")
    with pytest.raises(tt.TertiumError, match=r"^the evaluation has no metric yet; count one: add_metrics"):
        tt.compare(tt.Evaluation(testset=testset, systems=systems))


def test_a_run_shows_what_is_not_as_usual() -> None:
    assert repr(tt.Run()) == "Run()"
    assert repr(tt.Run(threads=2, device="cuda")) == "Run(threads=2, device='cuda')"


@pytest.mark.parametrize("name", ["score", "scores", "evaluate", "compare", "diagnose", "effort", "mbr"])
def test_help_shows_no_settings_that_nobody_made(name: str) -> None:
    function = getattr(tt, name)
    assert "= Run()" in str(inspect.signature(function))
    assert "located=" not in pydoc.render_doc(function)
