"""What holds for any weights, on small random ones: batches, order, missing texts, several references, shards."""

import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.engines import door
from tertium.engines.models import pin

from .tiny import (
    OTHERS,
    OUTPUTS,
    REFERENCES,
    WIDTH,
    encoder_weights,
    make_testset,
    values,
    vocabulary_size,
    write_bleurt,
    write_comet,
    write_encoder,
    write_metricx,
)

pytestmark = pytest.mark.neural

METRICS: dict[str, Callable[[Path], str]] = {
    "regression": lambda path: f'comet(model="{write_comet(path / "m")}")',
    "ranking": lambda path: f'comet(model="{write_comet(path / "m", "ranking_metric")}")',
    "unite": lambda path: f'comet(model="{write_comet(path / "m", "unified_metric")}")',
    "xcomet": lambda path: f'comet(model="{write_comet(path / "m", "xcomet_metric")}")',
    "bleurt": lambda path: f'bleurt(model="{write_bleurt(path / "m")}")',
    "bertscore": lambda path: f'bertscore(model="{write_encoder(path / "m")}")',
    "bertscore-idf": lambda path: f'bertscore(model="{write_encoder(path / "m")}", idf=True)',
    "metricx": lambda path: f'metricx(model="{write_metricx(path / "m")}")',
}


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return METRICS[request.param](tmp_path)


def close(expected: Any) -> Any:
    """To 1e-6, or to as much of a score of MetricX, which is up to 25."""
    return pytest.approx(expected, abs=1e-6, rel=4e-6, nan_ok=True)


def test_segments_differ_and_are_finite(metric: str) -> None:
    found = values(metric)
    assert np.isfinite(found).all()
    assert len(set(found)) > 3


@pytest.mark.parametrize("batch", [1, 20, 10_000])
def test_batches_do_not_matter(metric: str, batch: int) -> None:
    assert values(metric, run=tt.Run(batch=batch)) == close(values(metric))


def test_shards_and_threads_do_not_matter(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = values(metric, REFERENCES, OTHERS)
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", 2)
    assert values(metric, REFERENCES, OTHERS, run=tt.Run(threads=3)) == close(whole)


def test_missing_texts_are_not_scored(metric: str) -> None:
    outputs, references = [*OUTPUTS], [*REFERENCES]
    outputs[1], references[4] = None, None  # type: ignore[call-overload]
    found = values(metric, references, outputs=outputs)
    assert np.isnan(found).tolist() == [False, True, False, False, True, False]
    if "idf" not in metric:  # whose weights are those of the references at hand
        assert found == close([np.nan if k in (1, 4) else value for k, value in enumerate(values(metric))])


def test_the_best_reference_counts(metric: str) -> None:
    if "idf" in metric:
        pytest.skip("weights are those of all references")
    one, other = np.array(values(metric, REFERENCES)), np.array(values(metric, OTHERS))
    best = np.fmin if metric.startswith("metricx") else np.fmax
    assert values(metric, REFERENCES, OTHERS) == close(best(one, other).tolist())
    assert not np.allclose(one, np.fmax(one, other)) or not np.allclose(one, np.fmin(one, other))


def test_empty_texts_are_scored(metric: str) -> None:
    assert np.isfinite(values(metric, outputs=["", *OUTPUTS[1:]])).all()
    assert np.isfinite(values(metric, ["", *REFERENCES[1:]])).all()


def test_what_is_prepared_pickles(metric: str) -> None:
    testset = make_testset(REFERENCES)
    evaluation = tt.evaluate(testset, [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))], metric)
    [pinned] = evaluation.metrics
    folder = metric.partition('"')[2].partition('"')[0]
    run = tt.Run(models=(str(Path(folder).parent),))
    prepared = pickle.loads(pickle.dumps(door.prepare(pinned, testset, run)))
    stats = door.count(pinned, tt.Lines.of(OUTPUTS), prepared)
    assert stats.segments().tolist() == evaluation.table["s", str(pinned)].segments().tolist()
    part = door.count(pinned, tt.Lines.of([OUTPUTS[3], OUTPUTS[0]]), prepared.take(np.array([3, 0])))
    assert part.segments().tolist() == [close(row) for row in stats.segments()[[3, 0]].tolist()]


def test_columns_are_in_the_documentation(metric: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "metrics.md").read_text()
    testset = make_testset(REFERENCES)
    [stats] = tt.evaluate(testset, [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))], metric).table.values()
    assert [column for column in stats.columns if f"`{column}`" not in page] == []


# COMET


def test_sources_and_references_are_encoded_once(tmp_path: Path) -> None:
    told = []
    systems = [tt.System(name=name, outputs=tt.Lines.of(OUTPUTS)) for name in "abc"]
    run = tt.Run(progress=lambda stage, done, total: told.append((stage, done, total)))
    tt.evaluate(make_testset(REFERENCES), systems, f'comet(model="{write_comet(tmp_path / "m")}")', run=run)
    counts = Counter(stage for stage, done, total in told if done == total)
    assert counts["encoding sources"] == counts["encoding references"] == 1
    assert counts["encoding outputs"] == 1  # which are the same


@pytest.mark.parametrize(("kind", "settings"), [("referenceless_regression_metric", {}), ("unified_metric", {"qe": 1})])
def test_quality_estimation_needs_no_reference(kind: str, settings: dict[str, Any], tmp_path: Path) -> None:
    metric = f'comet(model="{write_comet(tmp_path / "m", kind, **settings)}", inputs="source")'
    system = tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))
    [score] = tt.evaluate(make_testset(), [system], metric).scores()
    assert score.n == 6
    assert "|src:" in score.signature
    assert "|data:" not in score.signature
    assert values(metric, OTHERS) == values(metric, REFERENCES)


def test_reranking_is_by_scores_of_quality_estimation(tmp_path: Path) -> None:
    path = write_comet(tmp_path / "kiwi", "unified_metric", qe=1)
    source = "Der Zug kommt um acht Uhr an."
    testset = tt.TestSet(segments=len(OUTPUTS), sources=tt.Lines.of([source] * len(OUTPUTS)))
    metric = f'comet(model="{path}", inputs="source")'
    found = tt.evaluate(testset, [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))], metric).scores(level="segment")
    scores = [score.value for score in found]
    assert tt.rerank(OUTPUTS, metric, source=source).utilities == close(tuple(scores))
    by_name = tt.rerank([OUTPUTS], 'comet(model="kiwi", inputs="source")', source=[source],
                        run=tt.Run(models=(str(tmp_path),)))[0]  # fmt: skip
    assert by_name.text == OUTPUTS[int(np.argmax(scores))]


def test_unite_reads_what_it_is_told(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", "unified_metric")
    by = {
        inputs: np.array(values(f'comet(model="{model}", inputs="{inputs}")'))
        for inputs in ("source", "references", "source+references")
    }
    assert len({tuple(each.round(5)) for each in by.values()}) == 3
    testset = make_testset(REFERENCES, sources=False)
    evaluation = tt.evaluate(
        testset, [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))], f'comet(model="{model}", inputs="references")'
    )
    assert [score.value for score in evaluation.scores(level="segment")] == close(by["references"].tolist())


def test_what_a_signature_says(tmp_path: Path) -> None:
    system = tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))
    [score] = tt.evaluate(make_testset(REFERENCES), [system], METRICS["regression"](tmp_path)).scores()
    assert score.metric.startswith('comet(model="m@')
    facts = dict(part.split(":", 1) for part in score.signature.split("|")[1:])
    assert facts.keys() == {
        *("refs", "n", "data", "src", "precision", "torch", "tokenizers", "tertium"),
        *("kind", "encoder", "layers", "pool", "tokens"),
    }
    assert (facts["kind"], facts["encoder"], facts["tokens"]) == ("regression_metric", "roberta-2x16", "tokenizer.json")
    assert (facts["layers"], facts["pool"]) == ("sparsemax-mix-norm", "avg")  # normalised, where nothing else is said
    assert (facts["precision"], facts["torch"].partition("+")[0]) == ("float32", "2.13.0")


def test_what_is_too_long_is_cut_off_and_told(tmp_path: Path) -> None:
    metric, long = METRICS["regression"](tmp_path), "the cat " * 30
    found = values(metric, outputs=[long, *OUTPUTS[1:]])
    assert found == close(values(metric, outputs=[f"{long} dog", *OUTPUTS[1:]]))  # 36 tokens are read, two are special
    assert found != close(values(metric, outputs=[f"dog {long}", *OUTPUTS[1:]]))
    system = tt.System(name="s", outputs=tt.Lines.of([long, *OUTPUTS[1:4], long, long]))
    evaluation = tt.evaluate(make_testset(REFERENCES), [system], metric)
    text = str(evaluation.metrics[0])
    assert f"s: 3 of 6 segments are cut off, being too long for {text}: 1, 5, 6" in evaluation.warnings
    one = tt.evaluate(
        make_testset([long, *REFERENCES[1:]]), [tt.System(name="t", outputs=tt.Lines.of(OUTPUTS))], metric
    )
    assert f"t: 1 of 6 segments is cut off, being too long for {text}: 1" in one.warnings
    assert one.table["t", text].cut == (0,)


def test_spans_are_those_of_the_best_reference(tmp_path: Path) -> None:
    metric, run = pin(tt.parse(METRICS["xcomet"](tmp_path)), tt.Run())
    outputs = tt.Lines.of(OUTPUTS)
    spans, scores = [], []
    for streams in ([REFERENCES], [REFERENCES[::-1]], [REFERENCES, REFERENCES[::-1]]):
        prepared = door.prepare(metric, make_testset(*streams), run)
        spans.append(metric.error_spans(outputs, prepared, run))
        scores.append(door.count(metric, outputs, prepared, run).segments()[:, 0])
    one, other, both = spans
    chosen = (scores[1] > scores[0]).tolist()
    assert both == [two if better else first for first, two, better in zip(one, other, chosen, strict=True)]
    assert sum(map(len, both)) > 0
    for text, found in zip(OUTPUTS, both, strict=True):
        assert all(0 <= span.start <= span.end <= len(text) for span in found)


def test_unknown_hyper_parameters_are_listed(tmp_path: Path) -> None:
    from tertium.learned.comet import load_comet

    model = write_comet(tmp_path / "m", enable_context=False, colour="blue")
    assert load_comet("tiny", str(model), None, "source+references").unknown == ("colour", "enable_context")


# Encoders


def test_rembert_with_a_map_that_changes_nothing_is_bert(tmp_path: Path, torch: Any) -> None:
    tensors = encoder_weights(vocabulary_size())
    name = "encoder.embedding_hidden_mapping_in"
    mapped = {**tensors, f"{name}.weight": torch.eye(WIDTH), f"{name}.bias": torch.zeros(WIDTH)}
    bert, rembert = write_encoder(tmp_path / "b", "bert"), write_encoder(tmp_path / "r", "rembert", mapped)
    expected = values(f'bertscore(model="{bert}")')
    assert values(f'bertscore(model="{rembert}")') == close(expected)
    mapped[f"{name}.weight"] = torch.eye(WIDTH).flip(0)
    other = write_encoder(tmp_path / "o", "rembert", mapped)
    assert values(f'bertscore(model="{other}")') != close(expected)


def test_rembert_has_embeddings_of_their_own_width(tmp_path: Path, torch: Any) -> None:
    tensors = encoder_weights(vocabulary_size(), narrow=6)
    name = "encoder.embedding_hidden_mapping_in"
    tensors |= {f"{name}.weight": torch.ones(WIDTH, 6), f"{name}.bias": torch.zeros(WIDTH)}
    assert np.isfinite(values(f'bertscore(model="{write_encoder(tmp_path / "r", "rembert", tensors)}")')).all()


def test_layers_are_counted_from_one(tmp_path: Path) -> None:
    model = write_encoder(tmp_path / "m")
    first, last, default = (values(f'bertscore(model="{model}", layer={k})') for k in (1, 2, 0))
    assert first != close(last)
    assert default == last
    with pytest.raises(OptionError, match=r"^bertscore: layer=3, but m@\w{8} has 2 layers$"):
        values(f'bertscore(model="{model}", layer=3)')


def test_equal_texts_have_bertscore_one(tmp_path: Path) -> None:
    assert values(f'bertscore(model="{write_encoder(tmp_path / "m")}")', OUTPUTS) == close([1.0] * 6)


def test_idf_of_a_single_reference_scores_nothing(tmp_path: Path) -> None:
    metric = f'bertscore(model="{write_encoder(tmp_path / "m")}", idf=True)'
    assert np.isnan(values(metric, [REFERENCES[0], *[None] * 5])).all()


def test_sparsemax_by_hand(torch: Any) -> None:
    """Of (1, 0.5, -1) the threshold is (1.5 - 1) / 2; of equal values each has its share."""
    from tertium.learned.layers import sparsemax

    assert sparsemax(torch.tensor([1.0, 0.5, -1.0])).tolist() == pytest.approx([0.75, 0.25, 0.0])
    assert sparsemax(torch.tensor([3.0, 0.0])).tolist() == [1.0, 0.0]
    assert sparsemax(torch.zeros(4)).tolist() == [0.25] * 4


# Options


@pytest.mark.parametrize("name", ["comet", "bleurt", "bertscore", "metricx"])
def test_without_a_model(name: str) -> None:
    with pytest.raises(OptionError) as refused:
        values(name)
    assert str(refused.value) == f'{name} needs a model: {name}(model="PATH"), the path of its folder'


def test_needs_follow_options() -> None:
    needs = {
        'comet(inputs="source")': {"source", "model"},
        'comet(inputs="references")': {"references", "model"},
        "comet": {"references", "source", "model"},
        'metricx(format="23-ref")': {"references", "model"},
        'metricx(format="24-qe")': {"source", "model"},
    }
    assert {text: set(tt.parse(text).needs) for text in needs} == needs
    with pytest.raises(
        OptionError, match=r'^comet: inputs="x" is unknown; choose from source\+references, source, ref'
    ):
        tt.parse('comet(inputs="x")')
    with pytest.raises(
        OptionError, match=r'^bleurt: precision="half" is unknown; choose from float32, bfloat16, float16'
    ):
        tt.parse('bleurt(precision="half")')
    with pytest.raises(OptionError, match=r"^metricx: length=1; an input must have at least 2 tokens$"):
        tt.parse("metricx(length=1)")
    with pytest.raises(OptionError, match=r"^bertscore: layer=-1; layers are counted from 1, and 0 is the last$"):
        tt.parse("bertscore(layer=-1)")


def test_no_references_tells_of_models_that_need_none(tmp_path: Path) -> None:
    system = tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))
    with pytest.raises(InputError) as refused:
        tt.evaluate(make_testset(), [system], METRICS["regression"](tmp_path))
    assert str(refused.value) == (
        "comet needs references, and test set tiny has none "
        '(--ref FILE; or inputs="source", if the model can do without)'
    )


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = METRICS["regression"](tmp_path)
    monkeypatch.setattr("tertium.learned.weights.find_spec", lambda _: None)
    with pytest.raises(MissingPackageError) as refused:
        values(metric)
    assert str(refused.value) == 'comet needs torch and packages around it: pip install "tertium[neural]"'
