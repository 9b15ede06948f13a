"""A folder as `save_pretrained` writes it: kind, network and tokenizer. Nothing is fetched, and no code in it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from tertium.core.errors import InputError, MissingPackageError
from tertium.core.run import Model
from tertium.io.models import find_model
from tertium.models.hf.soft import SoftPrompt, read_soft_prompt

Kind = Literal["left-to-right", "masked", "encoder-decoder"]
CLASSES: dict[Kind, str] = {
    "encoder-decoder": "AutoModelForSeq2SeqLM",
    "masked": "AutoModelForMaskedLM",
    "left-to-right": "AutoModelForCausalLM",
}
# Heads by kind, as transformers lists them. BART is in two lists; the first that has it counts.
HEADS: dict[Kind, str] = {
    "encoder-decoder": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "masked": "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "left-to-right": "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
}
SAFE = ("model.safetensors", "model.safetensors.index.json")
WEIGHTS = (*SAFE, "pytorch_model.bin", "pytorch_model.bin.index.json")
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "source.spm",
              "vocab.json", "vocab.txt")  # fmt: skip
LIMITLESS = 1 << 30  # a tokenizer that knows no limit has a number with thirty digits
SHOWN = 200  # characters of an error of transformers
SOFT = "#soft="


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A network and its tokenizer, ready to be asked."""

    model: Model
    kind: Kind
    network: Any
    tokenizer: Any
    context: int | None  # tokens that it reads, where there is a limit that it tells
    version: str  # of transformers and torch
    soft: SoftPrompt | None = None

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.model.name if self.soft is None else f"{self.model.name}{SOFT}{self.soft.name}"

    @property
    def identity(self) -> str:
        """The content of the folder, of the soft prompt, and what runs them."""
        soft = "" if self.soft is None else f", soft prompt {self.soft.digest}"
        return f"hf:{self.model.name}@{self.model.digest} {self.version}{soft}"


def read_folder(text: str, folders: Sequence[str] = ()) -> Folder:
    """The folder that `PATH` or `PATH#soft=FILE` names, loaded in single precision."""
    path, _, file = text.partition(SOFT)
    transformers = _transformers(path)
    found = find_model(path, folders)
    where = Path(found.path)
    if not where.is_dir():
        raise InputError(f"hf:{path}: a file; name the folder with its config.json, weights and tokenizer")
    kind = kind_of(_config(where), where)
    _check_files(where)
    with _quietly(transformers):
        tokenizer = _tokenizer(transformers, where, kind)
        network = _network(transformers, where, kind)
    import torch

    return Folder(
        model=found,
        kind=kind,
        network=network,
        tokenizer=tokenizer,
        context=_context(network, tokenizer),
        version=f"transformers {transformers.__version__}, torch {torch.__version__}",
        soft=read_soft_prompt(file, found, network.get_input_embeddings().weight.shape[1]) if file else None,
    )


def kind_of(config: dict[str, Any], where: Path) -> Kind:
    """What a config says that its network is."""
    from transformers.models.auto import modeling_auto

    named = config.get("architectures")
    if not isinstance(named, list) or not named or not isinstance(named[0], str):
        raise InputError(
            f"{where / 'config.json'}: does not say which network it is of ('architectures'); "
            f"save the model with its head (save_pretrained)"
        )
    for kind in get_args(Kind)[::-1]:
        if named[0] in getattr(modeling_auto, HEADS[kind]).values():
            return kind  # type: ignore[no-any-return]
    raise InputError(
        f"{where}: {named[0]} is no language model that transformers knows; expected one that is left-to-right "
        f"(...ForCausalLM), masked (...ForMaskedLM) or encoder-decoder (...ForConditionalGeneration)"
    )


def _config(where: Path) -> dict[str, Any]:
    path = where / "config.json"
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{where}: no config.json; a Hugging Face folder has one, with weights and tokenizer"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not JSON; is the download complete?") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: not an object of settings; is it the model's own config.json?")
    return found


def _check_files(where: Path) -> None:
    if not any((where / name).is_file() for name in WEIGHTS):
        raise InputError(f"{where}: no weights; expected model.safetensors or pytorch_model.bin")
    if not any((where / name).is_file() for name in TOKENIZERS):
        raise InputError(f"{where}: no tokenizer; expected tokenizer.json, which save_pretrained of a tokenizer writes")


def _tokenizer(transformers: Any, where: Path, kind: Kind) -> Any:
    try:
        found = transformers.AutoTokenizer.from_pretrained(str(where), local_files_only=True, trust_remote_code=False)
        found("a")
    except Exception as error:  # whatever a damaged file makes a library raise
        raise InputError(f"{where}: its tokenizer cannot be read ({_said(error)}); is the download complete?") from None
    if not found.is_fast:
        raise InputError(f"{where}: its tokenizer does not say where tokens stand; expected a tokenizer.json")
    if kind == "masked" and found.mask_token_id is None:
        raise InputError(f"{where}: a masked model whose tokenizer has no mask token; is it the model's own?")
    return found


def _network(transformers: Any, where: Path, kind: Kind) -> Any:
    import torch

    safe = any((where / name).is_file() for name in SAFE)
    try:
        network, told = getattr(transformers, CLASSES[kind]).from_pretrained(
            str(where),
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=safe,
            weights_only=True,
            dtype=torch.float32,
            ignore_mismatched_sizes=True,  # told below, with a name
            output_loading_info=True,
        )
    except Exception as error:  # whatever a damaged file makes a library raise
        raise InputError(f"{where}: its weights cannot be read ({_said(error)}); is the download complete?") from None
    lacking = sorted(map(str, told["missing_keys"]))
    other = sorted(str(key[0]) for key in told["mismatched_keys"])
    if lacking or other:
        what = "lack" if lacking else "have another shape for"
        count = len(lacking or other)
        more = f" and {count - 1} more" if count > 1 else ""
        raise InputError(
            f"{where}: the weights {what} {(lacking or other)[0]}{more}, which would be filled with random numbers; "
            f"is it the whole model, with its head?"
        )
    network.eval()
    network.requires_grad_(False)
    old = getattr(network, "generation_config", None)
    # Only what a request says is to count: no penalties, beams or temperatures that the folder may set.
    fields = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id",
              "bad_words_ids")  # fmt: skip
    if old is not None:
        network.generation_config = transformers.GenerationConfig(**{name: getattr(old, name, None) for name in fields})
    return network


def _context(network: Any, tokenizer: Any) -> int | None:
    """How many tokens fit, as far as config, table of positions and tokenizer tell."""
    limits = [tokenizer.model_max_length, getattr(network.config, "max_position_embeddings", None)]
    for name, module in network.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            limits.append(module.num_embeddings - module.padding_idx - 1)  # RoBERTa counts from behind the padding
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < LIMITLESS]
    return min(known, default=None)


def _transformers(path: str) -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError:
        raise MissingPackageError(f'hf:{path}: needs transformers and torch: pip install "tertium[hf]"') from None
    return transformers


@contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    """Without bars and warnings of transformers: what matters of them is checked here, and said."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _said(error: Exception) -> str:
    """The first line of what a library says, without the path that stands before it here."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return first if len(first) <= SHOWN else f"{first[:SHOWN]}..."
