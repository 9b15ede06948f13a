"""The adapters inside the Trainers of transformers and Lightning, on small networks with random weights: their numbers
are tt.score's."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.texts import LENGTHS, METRICS, expected
from tests.neural.tiny import OUTPUTS as SAID
from tests.neural.tiny import REFERENCES, SOURCES, WORDS

import tertium as tt

pytestmark = [
    pytest.mark.neural,
    pytest.mark.filterwarnings("ignore"),  # the libraries', of each other; ours is that the test sets are small
]
ROOT = Path(__file__).parents[2]


# transformers


@pytest.fixture
def translator() -> tuple[Any, Any]:
    """A tokenizer of a few words, and a network that translates at random."""
    pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    vocabulary = ["<pad>", "</s>", "<unk>", *WORDS]
    made = Tokenizer(models.WordLevel({word: k for k, word in enumerate(vocabulary)}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(single="$A </s>", pair=None, special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=32,
        model_input_names=["input_ids", "attention_mask"],
    )
    torch.manual_seed(3)
    config = T5Config(
        vocab_size=len(vocabulary), d_model=16, d_kv=8, d_ff=24, num_layers=1, num_heads=2, dropout_rate=0.0,
        pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    return tokenizer, T5ForConditionalGeneration(config)


def trainer(tokenizer: Any, model: Any, folder: Path, **more: Any) -> Any:
    from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

    settings = {
        "max_steps": 2, "eval_strategy": "steps", "eval_steps": 2, "per_device_train_batch_size": 2,
        "per_device_eval_batch_size": 4, "report_to": [], "save_strategy": "no", "use_cpu": True, "seed": 1,
        "disable_tqdm": True, "predict_with_generate": True, "generation_max_length": 9, **more.pop("settings", {}),
    }  # fmt: skip
    rows = [
        {"input_ids": tokenizer(source)["input_ids"], "labels": tokenizer(reference)["input_ids"]}
        for source, reference in zip(SOURCES, REFERENCES, strict=True)
    ]
    return Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments(output_dir=str(folder), **settings),
        train_dataset=rows,
        eval_dataset=rows,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        processing_class=tokenizer,
        **more,
    )


def words(tokenizer: Any, ids: Any) -> list[str]:
    """Texts of ids, one word after the other."""
    kept = [[int(k) for k in row if k >= len(["<pad>", "</s>", "<unk>"])] for row in ids]
    return [" ".join(tokenizer.convert_ids_to_tokens(row)) for row in kept]


def test_compute_metrics_in_a_trainer(translator: tuple[Any, Any], tmp_path: Path) -> None:
    from tertium.integrations.transformers import compute_metrics

    tokenizer, model = translator
    run = trainer(tokenizer, model, tmp_path, compute_metrics=compute_metrics(tokenizer, METRICS))
    run.train()
    assert run.state.global_step == 2
    [logged] = [entry for entry in run.state.log_history if "eval_chrf" in entry]
    done = run.predict(run.eval_dataset)
    assert (done.label_ids == -100).any()  # references of different lengths are filled up
    outputs = words(tokenizer, done.predictions)
    assert len(set(outputs)) > 1  # not the same for all
    found = expected(outputs, REFERENCES)
    assert found["chrf"] > 0
    assert {metric: done.metrics[f"test_{metric}"] for metric in found} == found
    assert {metric: logged[f"eval_{metric}"] for metric in found} == found


def test_compute_metrics_reads_sources(translator: tuple[Any, Any], tmp_path: Path) -> None:
    from tertium.integrations.transformers import compute_metrics

    tokenizer, model = translator
    settings = {"include_for_metrics": ["inputs"]}
    computed = compute_metrics(tokenizer, [LENGTHS])
    without = trainer(tokenizer, model, tmp_path, compute_metrics=computed)
    with pytest.raises(tt.TertiumError, match="needs the source; pass include_for_metrics="):
        without.evaluate()
    run = trainer(tokenizer, model, tmp_path, compute_metrics=computed, settings=settings)
    done = run.predict(run.eval_dataset)
    sources = words(tokenizer, tokenizer(SOURCES)["input_ids"])
    assert sources != SOURCES  # one word is unknown to the tokenizer
    found = expected(words(tokenizer, done.predictions), REFERENCES, LENGTHS, sources=sources)
    assert {metric: done.metrics[f"test_{metric}"] for metric in found} == found


def test_compute_metrics_wants_what_was_generated(translator: tuple[Any, Any], tmp_path: Path) -> None:
    from tertium.integrations.transformers import compute_metrics

    tokenizer, model = translator
    settings = {"predict_with_generate": False}
    run = trainer(tokenizer, model, tmp_path, compute_metrics=compute_metrics(tokenizer), settings=settings)
    said = "predictions: 3 dimensions of float32, expected rows of token ids; pass predict_with_generate=True"
    with pytest.raises(tt.TertiumError, match=said):
        run.evaluate()


def test_the_callback_translates_whenever_the_trainer_evaluates(translator: tuple[Any, Any], tmp_path: Path) -> None:
    from tertium.integrations.transformers import translation_callback

    tokenizer, model = translator
    callback = translation_callback(SOURCES, REFERENCES, tokenizer, METRICS, batch=4, max_length=9)
    settings = {"predict_with_generate": False}  # any Trainer will do
    run = trainer(tokenizer, model, tmp_path, callbacks=[callback], settings=settings)
    run.train()
    found = expected(callback.outputs, REFERENCES)
    assert found["chrf"] > 0
    [logged] = [entry for entry in run.state.log_history if "eval_chrf" in entry]
    assert logged == {**{f"eval_{metric}": score for metric, score in found.items()}, "step": 2}
    returned = run.evaluate()
    assert {metric: returned[f"eval_{metric}"] for metric in found} == found
    asked = tokenizer(SOURCES[0], return_tensors="pt")
    assert words(tokenizer, model.generate(**asked, max_length=9)) == callback.outputs[:1]


def test_the_callback_checks_its_texts_at_once(translator: tuple[Any, Any]) -> None:
    from tertium.integrations.transformers import translation_callback

    with pytest.raises(tt.TertiumError, match="references: 5 lines, but 6 outputs"):
        translation_callback(SOURCES, REFERENCES[:5], translator[0])
    with pytest.raises(tt.TertiumError, match=r"sources\[1\]: None"):
        translation_callback(["a", None], ["a", "b"], translator[0])  # type: ignore[list-item]


def test_mistakes_are_found_before_training(translator: tuple[Any, Any]) -> None:
    from tertium.integrations.transformers import compute_metrics

    with pytest.raises(tt.TertiumError, match="unknown metric 'blue'; did you mean 'bleu'"):
        compute_metrics(translator[0], "blue")
    with pytest.raises(tt.TertiumError, match="tokenizer: str; pass the model's tokenizer, which has batch_decode"):
        compute_metrics("t5-small")


# Lightning


def lightning_module(wrong: Any = None) -> Any:
    """Three batches of two segments, in texts."""
    import torch
    from lightning.pytorch import LightningModule

    class Module(LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch: Any, number: int) -> Any:  # noqa: ARG002
            return self.layer(torch.ones(1, 1)).sum()

        def validation_step(self, batch: Any, number: int) -> Any:  # noqa: ARG002
            if wrong is not None:
                return wrong
            texts = {"preds": SAID, "target": REFERENCES, "sources": SOURCES}
            return {key: [column[k] for k in batch] for key, column in texts.items()}

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    return Module()


def lightning_trainer(folder: Path, *callbacks: Any, **more: Any) -> Any:
    from lightning.pytorch import Trainer

    return Trainer(
        accelerator="cpu", max_epochs=1, callbacks=list(callbacks), logger=False, default_root_dir=folder,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, **{"devices": 1, **more},
    )  # fmt: skip


def loader() -> Any:
    from torch.utils.data import DataLoader

    return DataLoader(range(len(SAID)), batch_size=2, collate_fn=list)


def test_lightning_logs_scores(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from tertium.integrations.lightning import validation_callback

    callback = validation_callback(["chrf", "wer", LENGTHS])
    run, module = lightning_trainer(tmp_path, callback), lightning_module()
    run.fit(module, loader(), loader())
    found = expected(SAID, REFERENCES, ["chrf", "wer", LENGTHS], sources=SOURCES)
    assert callback.scores == found
    assert {metric: run.callback_metrics[f"val_{metric}"].item() for metric in found} == found
    [again] = run.validate(module, loader(), verbose=False)
    assert again == {f"val_{metric}": score for metric, score in found.items()}


FORKED = """
import json, sys
from tests.integrations.test_trainers import lightning_module, lightning_trainer, loader
from tertium.integrations.lightning import validation_callback

run = lightning_trainer(sys.argv[1], validation_callback("chrf,wer"), devices=2, strategy="ddp_fork")
run.fit(lightning_module(), loader(), loader())
print("\\n" + json.dumps({name: value.item() for name, value in run.callback_metrics.items()}))
"""


def test_lightning_scores_what_all_processes_said(tmp_path: Path) -> None:
    """Two processes, which no test of this one shares."""
    pytest.importorskip("lightning")
    variables = {**os.environ, "GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, "-c", FORKED, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=True, text=True)
    found = expected(SAID, REFERENCES)
    assert json.loads(done.stdout.splitlines()[-1]) == {f"val_{metric}": score for metric, score in found.items()}


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ({"loss": 1.0}, "validation_step returned loss; the callback needs a dict with preds and target"),
        (SAID, "validation_step returned list; the callback needs"),
        ({"preds": SAID[:2], "target": SAID[:1]}, "1 line, but 2 outputs"),
    ],
)
def test_lightning_wants_texts(returned: Any, said: str, tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from tertium.integrations.lightning import validation_callback

    run = lightning_trainer(tmp_path, validation_callback())
    with pytest.raises(tt.TertiumError, match=said):
        run.validate(lightning_module(returned), loader(), verbose=False)
