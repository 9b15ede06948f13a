"""The recipes on real judgements: MLQE-PE English-German (Fomicheva et al. 2022), the post-edit as the reference."""

import csv
import io
import shutil
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles.files import ORACLES

from tertium.core.lines import Lines
from tertium.io.examples import Examples
from tertium.training.comet import train
from tertium.training.settings import Settings

from .examples import one_thread

MLQE = ORACLES.parent / "data" / "mlqe-pe"
ENCODER = ORACLES / "comet" / "encoder"  # a tokenizer of 2000 pieces, and what its small encoder is like

pytestmark = [
    pytest.mark.neural,
    pytest.mark.skipif(
        not (MLQE.is_dir() and ENCODER.is_dir()),
        reason=f"no MLQE-PE: third-party texts are not part of this repository ({MLQE})",
    ),
]
alone = pytest.fixture(autouse=True, scope="module")(one_thread)


def member(kind: str, split: str, name: str) -> str:
    with tarfile.open(MLQE / kind / split / f"en-de-{split}.tar.gz") as archive:
        file = archive.extractfile(f"en-de-{split}/{name}")
        assert file is not None
        return file.read().decode()


def read(split: str) -> Examples:
    table = member("direct-assessments", split, f"{split}.ende.df.short.tsv")
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
    edits = member("post-editing", split, f"{split}.pe").split("\n")[: len(rows)]
    return Examples(
        outputs=Lines.of([row["translation"] for row in rows]),
        scores=np.array([float(row["z_mean"]) for row in rows]),
        sources=Lines.of([row["original"] for row in rows]),
        references=Lines.of(edits),
        where=f"MLQE-PE en-de {split}",
    )


def write_random_encoder(folder: Path) -> Path:
    """The encoder that its config.json says, with weights that know nothing."""
    import json

    import torch
    from safetensors.torch import save_file

    shutil.copytree(ENCODER, folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    told = json.loads((folder / "config.json").read_text())
    width, inner = told["hidden_size"], told["intermediate_size"]
    draw, made = torch.Generator().manual_seed(1), {}

    def add(name: str, *shape: int, scale: float = 0.1) -> None:
        made[f"{name}.weight"] = scale * torch.randn(shape, generator=draw)
        if "_embeddings" not in name:
            made[f"{name}.bias"] = torch.zeros(shape[0])

    def add_norm(name: str) -> None:
        made[f"{name}.weight"], made[f"{name}.bias"] = torch.ones(width), torch.zeros(width)

    sizes = {"word": "vocab_size", "position": "max_position_embeddings", "token_type": "type_vocab_size"}
    for table, size in sizes.items():
        add(f"embeddings.{table}_embeddings", told[size], width, scale=0.3)
    add_norm("embeddings.LayerNorm")
    for k in range(told["num_hidden_layers"]):
        block = f"encoder.layer.{k}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            add(f"{block}.{part}", width, width)
        add(f"{block}.intermediate.dense", inner, width)
        add(f"{block}.output.dense", width, inner)
        add_norm(f"{block}.attention.output.LayerNorm")
        add_norm(f"{block}.output.LayerNorm")
    save_file(made, folder / "model.safetensors")
    return folder


def smaller(examples: Examples, count: int) -> Examples:
    def first(lines: Lines | None) -> Lines:
        assert lines is not None
        return Lines.of(list(lines)[:count])

    sides: dict[str, Any] = {name: first(getattr(examples, name)) for name in ("outputs", "sources", "references")}
    return Examples(scores=examples.scores[:count], where=examples.where, **sides)


def test_a_comet_of_an_encoder_that_knows_nothing(tmp_path: Path) -> None:
    """One epoch over 4000 examples, of 7000."""
    data, valid = smaller(read("train"), 4000), read("dev")
    assert len(valid) == 1000
    encoder = write_random_encoder(tmp_path / "encoder")
    settings = Settings(
        epochs=1,
        batch=4096,
        encoder_learning_rate=1e-3,
        learning_rate=1e-3,
        hidden_sizes=(64, 32),
        keep_embeddings_frozen=False,
    )
    found = train("comet", data, valid, encoder, tmp_path / "model", settings=settings)
    start, end = found.curve
    assert abs(start.kendall) < 0.1
    assert end.kendall > start.kendall + 0.1
