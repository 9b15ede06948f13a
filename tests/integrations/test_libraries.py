"""The adapters beside torchmetrics, in several processes, and in the place of modules of evaluate."""

import inspect
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from tests.integrations.texts import FIRST, OUTPUTS, PAIRS, SECOND, value
from tests.neural.tiny import OUTPUTS as SAID
from tests.neural.tiny import REFERENCES, SOURCES, write_comet

import tertium as tt
from tertium.integrations.torchmetrics import RunningScore

pytestmark = [
    pytest.mark.neural,
    pytest.mark.filterwarnings("ignore"),  # the libraries', of each other; ours is that the test sets are small
]


# torchmetrics, and several processes


def test_the_interface_of_torchmetrics() -> None:
    """What a loop calls of a torchmetrics.Metric is there, and may be called with the same names."""
    torchmetrics = pytest.importorskip("torchmetrics")
    theirs, ours = torchmetrics.text.SacreBLEUScore(), RunningScore("bleu")
    for name in ("is_differentiable", "higher_is_better"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert type(ours.full_state_update) is type(theirs.full_state_update) is bool
    for name in ("compute", "reset", "merge_state", "clone"):
        wanted = list(inspect.signature(getattr(torchmetrics.Metric, name)).parameters)
        assert list(inspect.signature(getattr(type(ours), name)).parameters) == wanted
    assert list(inspect.signature(theirs.update).parameters) == ["preds", "target"]
    assert list(inspect.signature(ours.update).parameters)[:2] == ["preds", "target"]
    assert callable(ours)
    assert callable(ours.forward)


def test_the_numbers_of_torchmetrics() -> None:
    """Theirs are in single precision, and shares where ours are percent. Of two references equally close in length
    theirs is the first, so the shorter one stands first here."""
    torchmetrics = pytest.importorskip("torchmetrics")
    tokenized = sacrebleu.BLEU()._preprocess_segment
    shortest_first = [sorted(pair, key=lambda text: len(tokenized(text).split())) for pair in PAIRS]
    asked = [
        ("bleu", torchmetrics.text.SacreBLEUScore(), [[text] for text in FIRST]),
        ("bleu", torchmetrics.text.SacreBLEUScore(), shortest_first),
        ("wer", torchmetrics.text.WordErrorRate(), FIRST),
    ]
    for metric, theirs, references in asked:
        ours = RunningScore(metric)
        for k in range(0, len(OUTPUTS), 32):
            for each in (ours, theirs):
                each.update(OUTPUTS[k : k + 32], references[k : k + 32])
        assert ours.compute() / 100 == pytest.approx(theirs.compute().item(), rel=1e-6)


def count_half(rank: int, folder: str) -> None:
    """What one of two processes does."""
    from torch import distributed

    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    found = {}
    for metric in ("bleu", "meteor", "macrof"):
        running = RunningScore(metric)
        half = range(48 * rank, 48 * rank + 48)
        for first in half[::16]:
            running.update(OUTPUTS[first : first + 16], FIRST[first : first + 16])
        found[metric] = running.gather().compute()
        assert len(running.rows) == 48  # its own state is as it was
    Path(folder, f"found{rank}").write_bytes(pickle.dumps(found))
    distributed.destroy_process_group()


def test_two_processes_gather_their_states(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.multiprocessing.spawn(count_half, (str(tmp_path),), nprocs=2)
    found = [pickle.loads((tmp_path / f"found{rank}").read_bytes()) for rank in (0, 1)]
    assert found == [{metric: value(metric) for metric in ("bleu", "meteor", "macrof")}] * 2


def test_models_of_metrics_are_found(tmp_path: Path) -> None:
    """A learned metric is known by its model's name and content, in every state."""
    pytest.importorskip("torch")
    from tertium.integrations.evaluate import load

    metric = f'comet(model="{write_comet(tmp_path / "m")}")'
    [score] = tt.score(SAID, references=REFERENCES, sources=SOURCES, metrics=metric)
    module = load(metric).compute(predictions=SAID, references=REFERENCES, sources=SOURCES)
    assert module["score"] == score.value
    whole, first, second = RunningScore(metric), RunningScore(metric), RunningScore(metric)
    whole.update(SAID, REFERENCES, SOURCES)
    assert whole.compute() == score.value
    first.update(SAID[:4], REFERENCES[:4], SOURCES[:4])
    second.update(SAID[4:], REFERENCES[4:], SOURCES[4:])
    first.merge_state(pickle.loads(pickle.dumps(second)))
    assert str(first.metric) == score.metric
    assert first.compute() == pytest.approx(score.value, abs=1e-6)  # other batches, in single precision


def test_alone_there_is_nothing_to_gather() -> None:
    pytest.importorskip("torch")
    running = RunningScore("bleu")
    running.update(OUTPUTS, FIRST)
    assert running.gather().compute() == value("bleu")


# evaluate


def test_modules_of_evaluate_and_ours_are_called_alike() -> None:
    evaluate = pytest.importorskip("evaluate")
    import datasets

    from tertium.integrations.evaluate import load

    class Judge(evaluate.Metric):  # type: ignore[misc, name-defined]
        def _info(self) -> Any:
            features = {
                "predictions": datasets.Value("string"),
                "references": datasets.Sequence(datasets.Value("string")),
            }
            return evaluate.MetricInfo(
                description="", citation="", inputs_description="", features=datasets.Features(features)
            )

        def _compute(self, predictions: Any, references: Any, lowercase: bool = False) -> Any:
            streams = list(zip(*references, strict=True))
            return {"score": sacrebleu.BLEU(lowercase=lowercase).corpus_score(predictions, streams).score}

    found = []
    for metric in (Judge(), load("bleu")):
        metric.add(prediction=OUTPUTS[0], reference=PAIRS[0])
        metric.add_batch(predictions=OUTPUTS[1:50], references=PAIRS[1:50])
        first = metric.compute(predictions=OUTPUTS[50:], references=PAIRS[50:], lowercase=True)
        found.append([first["score"], metric.compute(predictions=OUTPUTS, references=PAIRS)["score"]])
    assert found[1] == [value("bleu(lowercase=True)", PAIRS), value("bleu", PAIRS)]
    assert found[1] == pytest.approx(found[0], abs=1e-9)


def test_evaluate_combines_ours() -> None:
    evaluate = pytest.importorskip("evaluate")
    from tertium.integrations.evaluate import load

    both = evaluate.combine([load("bleu"), load("chrf")])
    found = both.compute(predictions=OUTPUTS, references=SECOND)
    assert {name: found[f"{name}_score"] for name in ("bleu", "chrf")} == {
        name: value(name, SECOND) for name in ("bleu", "chrf")
    }
