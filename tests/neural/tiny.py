"""Small networks with random weights, in the layouts in which real ones come."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tertium as tt

WORDS = "the a cat dog sat lay on under mat rug here there big small die der Katze Hund saß lag auf Matte .".split()
XLMR = ["<s>", "<pad>", "</s>", "<unk>"]
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MT5 = ["<pad>", "</s>", "<unk>"]
WIDTH, INNER, BLOCKS, HEADS, POSITIONS = 16, 24, 2, 2, 40

SOURCES = ["die Katze saß auf der Matte .", "der Hund lag hier", "Hund", "die Katze lag", "die Matte", "Hund Hund auf"]
OUTPUTS = ["the cat sat on the mat .", "a dog lay there", "dog", "a big cat lay under the rug", "mat", "the dog"]
REFERENCES = ["the cat sat on the mat .", "the dog lay here", "a dog", "the cat lay", "the big mat", "dog on dog"]
OTHERS = ["a cat sat on a rug .", None, "the dog", "the cat sat", "the rug", None]


def make_testset(*streams: list[str | None], sources: bool = True) -> tt.TestSet:
    lines = tuple(map(tt.Lines.of, streams))
    return tt.TestSet(
        name="tiny",
        segments=len(SOURCES),
        sources=tt.Lines.of(SOURCES) if sources else None,
        references=tt.References(lines, len(SOURCES)),
    )


def values(metric: str, *streams: list[str | None], outputs: Any = OUTPUTS, run: tt.Run | None = None) -> list[float]:
    """The score of every segment."""
    testset = make_testset(*(streams or (REFERENCES,)))
    systems = [tt.System(name="s", outputs=tt.Lines.of(outputs))]
    evaluation = tt.evaluate(testset, systems, metric, run=run or tt.Run())
    return [score.value for score in evaluation.scores(level="segment")]


def write_tokenizer(folder: Path, special: list[str], single: str, pair: str) -> int:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = [*special, *WORDS]
    unknown = next(token for token in special if "unk" in token.lower())
    made = Tokenizer(models.WordLevel({word: k for k, word in enumerate(vocabulary)}, unknown))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.add_special_tokens(special)
    used = [token for token in special if token in f"{single} {pair}"]
    made.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(token, vocabulary.index(token)) for token in used]
    )
    made.save(str(folder / "tokenizer.json"))
    return len(vocabulary)


def write_pieces(folder: Path) -> int:
    """Words as pieces, read as transformers 4.30.2 reads mT5's."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = [*((token, 0.0) for token in MT5), *((f"▁{word}", -1.0) for word in WORDS)]
    made = Tokenizer(models.Unigram(vocabulary, MT5.index("<unk>"), byte_fallback=False))
    made.normalizer = normalizers.Replace(Regex(" {2,}"), " ")
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.add_special_tokens(MT5)
    made.post_processor = processors.TemplateProcessing(single="$A </s>", pair=None, special_tokens=[("</s>", 1)])
    made.save(str(folder / "tokenizer.json"))
    return len(vocabulary)


def config(kind: str, size: int, **more: Any) -> dict[str, Any]:
    return {
        "model_type": kind,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": BLOCKS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        "vocab_size": size,
        "pad_token_id": 1 if "roberta" in kind else 0,
        "layer_norm_eps": 1e-5,
        "hidden_act": "gelu",
        **more,
    }


class Random:
    """Tensors by shape, the same ones from the same seed."""

    def __init__(self, seed: int) -> None:
        import torch

        self.generator, self.tensors = torch.Generator().manual_seed(seed), {}

    def add(self, name: str, *shape: int, bias: bool = True) -> None:
        import torch

        self.tensors[f"{name}.weight"] = torch.randn(shape, generator=self.generator) / shape[-1] ** 0.5
        if bias:
            self.tensors[f"{name}.bias"] = torch.randn(shape[0], generator=self.generator) / 4


def encoder_weights(size: int, seed: int = 1, prefix: str = "", narrow: int = WIDTH) -> dict[str, Any]:
    """Those of BERT and XLM-R; with another width of embeddings, of RemBERT."""
    made = Random(seed)
    for table, rows in (("word", size), ("position", POSITIONS), ("token_type", 2)):
        made.add(f"{prefix}embeddings.{table}_embeddings", rows, narrow, bias=False)
    made.add(f"{prefix}embeddings.LayerNorm", narrow)
    for k in range(BLOCKS):
        block = f"{prefix}encoder.layer.{k}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            made.add(f"{block}.{part}", WIDTH, WIDTH)
        made.add(f"{block}.attention.output.LayerNorm", WIDTH)
        made.add(f"{block}.intermediate.dense", INNER, WIDTH)
        made.add(f"{block}.output.dense", WIDTH, INNER)
        made.add(f"{block}.output.LayerNorm", WIDTH)
    return made.tensors


AROUND = {  # special tokens, and where they stand
    "XLM-RoBERTa": (XLMR, "<s> $A </s>", "<s> $A </s> </s> $B </s>"),
    "MiniLM": (XLMR, "<s> $A </s>", "<s> $A </s> </s> $B </s>"),
    "BERT": (BERT, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]"),
    "RemBERT": (BERT, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]"),
}
NETWORKS = {"XLM-RoBERTa": "xlm-roberta", "MiniLM": "bert", "BERT": "bert", "RemBERT": "rembert"}
NARROW = 12  # RemBERT's embeddings


def write_comet(
    folder: Path, kind: str = "regression_metric", seed: int = 1, encoder: str = "XLM-RoBERTa", **settings: Any
) -> Path:
    """A checkpoint with its encoder's files in `encoder/`."""
    import torch

    (folder / "checkpoints").mkdir(parents=True)
    (folder / "encoder").mkdir()
    size = write_tokenizer(folder / "encoder", *AROUND[encoder])
    narrow = NARROW if encoder == "RemBERT" else WIDTH
    more = {"input_embedding_size": NARROW, "output_embedding_size": NARROW} if encoder == "RemBERT" else {}
    (folder / "encoder" / "config.json").write_text(json.dumps(config(NETWORKS[encoder], size, **more)))
    made = Random(seed + 1)
    sides = {"regression_metric": 6, "referenceless_regression_metric": 4}.get(kind, 1)
    for number, shape in {0: (12, sides * WIDTH), 3: (8, 12), 6: (1, 8)}.items():
        made.add(f"estimator.ff.{number}", *shape)
    made.add("hidden2tag", 4, WIDTH)
    if encoder == "RemBERT":
        made.add("encoder.model.encoder.embedding_hidden_mapping_in", WIDTH, NARROW)
    tensors = made.tensors | encoder_weights(size, seed, "encoder.model.", narrow)
    tensors |= {f"layerwise_attention.scalar_parameters.{k}": torch.tensor([0.3 * k]) for k in range(BLOCKS + 1)}
    tensors["layerwise_attention.gamma"] = torch.tensor([1.1])
    segments = ["mt", "src"] if settings.pop("qe", False) else ["mt", "src", "ref"]
    told = {"layer": "mix", "sent_layer": "mix", "pool": "avg", "activations": "Tanh", "pretrained_model": "tiny-xlmr"}
    told |= {"encoder_model": encoder}
    told |= {"layer_transformation": "sparsemax", "input_segments": segments, "word_layer": 1, **settings}
    torch.save({"state_dict": tensors, "hyper_parameters": told}, folder / "checkpoints" / "model.ckpt")
    (folder / "hparams.yaml").write_text(f"class_identifier: {kind}\n")
    return folder


def write_encoder(folder: Path, kind: str = "bert", tensors: Mapping[str, Any] | None = None, **more: Any) -> Path:
    """An encoder in the layout of transformers."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    size = write_tokenizer(folder, BERT, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]")
    (folder / "config.json").write_text(json.dumps(config(kind, size, **more)))
    save_file(dict(encoder_weights(size) if tensors is None else tensors), folder / "model.safetensors")
    return folder


def vocabulary_size() -> int:
    return len(BERT) + len(WORDS)


def write_bleurt(folder: Path) -> Path:
    made = Random(5)
    made.add("bleurt.pooler.dense", WIDTH, WIDTH)
    made.add("classifier", 1, WIDTH)
    return write_encoder(folder, "bleurt", made.tensors | encoder_weights(vocabulary_size(), 3, "bleurt."))


def write_metricx(folder: Path) -> Path:
    """An mT5; the score is the logit of the eleventh token from the end."""
    import torch

    folder.mkdir(parents=True)
    size = write_pieces(folder)
    told = {"model_type": "mt5", "num_layers": BLOCKS, "num_decoder_layers": 1, "num_heads": HEADS, "d_kv": 4}
    (folder / "config.json").write_text(json.dumps(told))
    made = Random(7)
    for table in ("shared", "lm_head"):
        made.add(table, size, WIDTH, bias=False)
    made.tensors["lm_head.weight"] *= 20
    for stack, blocks, parts in (("encoder", BLOCKS, ("Self",)), ("decoder", 1, ("Self", "EncDec"))):
        for k in range(blocks):
            for number, part in enumerate(parts):
                for letter in "qkv":
                    made.add(f"{stack}.block.{k}.layer.{number}.{part}Attention.{letter}", 8, WIDTH, bias=False)
                made.add(f"{stack}.block.{k}.layer.{number}.{part}Attention.o", WIDTH, 8, bias=False)
            last = f"{stack}.block.{k}.layer.{len(parts)}.DenseReluDense"
            for gate in ("wi_0", "wi_1"):
                made.add(f"{last}.{gate}", INNER, WIDTH, bias=False)
            made.add(f"{last}.wo", WIDTH, INNER, bias=False)
            for number in range(len(parts) + 1):
                made.tensors[f"{stack}.block.{k}.layer.{number}.layer_norm.weight"] = torch.ones(WIDTH)
        made.tensors[f"{stack}.final_layer_norm.weight"] = torch.ones(WIDTH)
        made.add(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias", 32, HEADS, bias=False)
    torch.save(made.tensors, folder / "pytorch_model.bin")
    return folder
