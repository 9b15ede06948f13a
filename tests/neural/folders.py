"""Small language models in Hugging Face folders, with random weights, of each kind."""

from pathlib import Path
from typing import Any

from tests.neural.tiny import BERT, MT5, XLMR, write_tokenizer

GPT2 = ["<unk>", "<eos>"]
T5 = [*MT5, "<extra_id_0>", "<extra_id_1>"]
KINDS = ("gpt2", "bert", "roberta", "t5", "bart")
WRITERS = ("gpt2", "t5", "bart")
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}


def write_folder(folder: Path, kind: str, seed: int = 3) -> Path:
    """A model of a kind, as `save_pretrained` writes it."""
    import torch

    folder.mkdir(parents=True)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network, tokenizer = NETWORKS[kind](folder)
    with torch.no_grad():  # sharper than weights are at their beginning, so that some words are likelier than others
        network.get_input_embeddings().weight.mul_(1 if kind in ("t5", "bart") else 8)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tokenizer_of(folder: Path, special: list[str], single: str, **names: str) -> tuple[Any, int]:
    import transformers
    from tokenizers import Tokenizer, pre_tokenizers

    size = write_tokenizer(folder, special, single, f"{single} {single.replace('$A', '$B')}")
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    words, marks = pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()
    made.pre_tokenizer = pre_tokenizers.Sequence([words, marks])  # as real ones do: </s> in a text is several pieces
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names), size


def gpt2(folder: Path) -> tuple[Any, Any]:
    import transformers

    tokenizer, size = tokenizer_of(folder, GPT2, "$A", unk_token="<unk>", eos_token="<eos>")
    config = transformers.GPT2Config(
        vocab_size=size, n_positions=48, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=1
    )
    return transformers.GPT2LMHeadModel(config), tokenizer


def bert(folder: Path) -> tuple[Any, Any]:
    import transformers

    names = {"unk_token": "[UNK]", "mask_token": "[MASK]", "pad_token": "[PAD]"}
    tokenizer, size = tokenizer_of(folder, BERT, "[CLS] $A [SEP]", **names)
    config = transformers.BertConfig(vocab_size=size, max_position_embeddings=48, **SIZES)
    return transformers.BertForMaskedLM(config), tokenizer


def roberta(folder: Path) -> tuple[Any, Any]:
    import transformers

    names = {"unk_token": "<unk>", "mask_token": "<mask>", "pad_token": "<pad>"}
    tokenizer, size = tokenizer_of(folder, [*XLMR, "<mask>"], "<s> $A </s>", **names)
    config = transformers.RobertaConfig(vocab_size=size, max_position_embeddings=48, pad_token_id=1, **SIZES)
    return transformers.RobertaForMaskedLM(config), tokenizer


def t5(folder: Path) -> tuple[Any, Any]:
    import transformers

    names = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}
    tokenizer, size = tokenizer_of(folder, T5, "$A </s>", **names)
    config = transformers.T5Config(
        vocab_size=size, d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, decoder_start_token_id=0
    )
    return transformers.T5ForConditionalGeneration(config), tokenizer


def bart(folder: Path) -> tuple[Any, Any]:
    import transformers

    names = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>", "bos_token": "<s>"}
    tokenizer, size = tokenizer_of(folder, XLMR, "<s> $A </s>", **names)
    config = transformers.BartConfig(
        vocab_size=size, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24, max_position_embeddings=48,
        decoder_start_token_id=2, eos_token_id=2, bos_token_id=0, pad_token_id=1,
    )  # fmt: skip
    return transformers.BartForConditionalGeneration(config), tokenizer


NETWORKS = {"gpt2": gpt2, "bert": bert, "roberta": roberta, "t5": t5, "bart": bart}
