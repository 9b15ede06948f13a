"""What language models there are, what one is, and where it stands, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from tertium.core.table import Rows, Table, texts
from tertium.models.about import About, Backend, abilities_said
from tertium.models.language_model import Abilities
from tertium.models.taxonomy import ModelKind

UNKNOWN = "unknown"
SOURCE = "after Liu et al. (2023), Pre-train, Prompt, and Predict, section 3"
PROBED = "servers are asked for it; of files and folders their kind and tokenizer decide"
SIZES = ("parameters", "layers", "width", "vocabulary", "context")


def backend_table(backends: Sequence[Backend]) -> Table:
    """What kinds there are, and what is installed."""
    rows: Rows = [
        [one.text, one.what, "yes" if one.installed else f'no: pip install "{one.brings}"'] for one in backends
    ]
    return Table(columns=texts("model", "what it is", "installed"), rows=rows, title="What a model can be")


def taxonomy_tables(known: Sequence[ModelKind]) -> list[Table]:
    """How language models differ, a table for each kind: there is much to say in few columns."""
    tables = [standing_table(one, f"How {one.architecture} models stand") for one in known]
    return [*(replace(table, note="") for table in tables[:-1]), tables[-1]]


def standing_table(one: ModelKind, title: str) -> Table:
    """Where one stands."""
    rows: Rows = [[what, said] for what, said in _standing(one).items()]
    return Table(columns=texts("question", "answer"), rows=rows, title=title, note=SOURCE)


def model_tables(name: str, identity: str, found: About, abilities: Abilities | None) -> list[Table]:
    """What one model is, what it can do, where it stands; what is not known is said to be so."""
    sizes: Rows = [[size, f"{value:,}" if (value := getattr(found, size)) is not None else UNKNOWN] for size in SIZES]
    if found.soft is not None:
        sizes.append(["virtual tokens", str(found.soft)])
    is_it: Rows = [
        ["name", name],
        ["identity", identity],
        ["backend", found.backend],
        ["family", found.family or UNKNOWN],
    ]
    can: Rows = [[what, said] for what, said in (abilities_said(abilities).items() if abilities else ())]
    tables = [
        Table(columns=texts("model", ""), rows=[*is_it, *sizes], title="What it is"),
        Table(columns=texts("it can", ""), rows=can or [["everything", UNKNOWN]], title="What it can do", note=PROBED),
    ]
    if found.stands is not None:
        return [*tables, standing_table(found.stands, "Where it stands")]
    rows: Rows = [["trained to say", f"{UNKNOWN}: nobody tells how it was trained"]]
    return [*tables, Table(columns=texts("question", "answer"), rows=rows, title="Where it stands")]


def model_data(name: str, identity: str, found: About, abilities: Abilities | None) -> dict[str, Any]:
    """The same for programs; what is not known is null."""
    stands = None if found.stands is None else _standing(found.stands)
    told = {key: value for key, value in asdict(found).items() if key != "stands"}
    return {"name": name, "identity": identity, **told, "abilities": abilities and asdict(abilities), "stands": stands}


def _standing(one: ModelKind) -> dict[str, str]:
    return {"architecture": one.architecture, "trained to say": one.objective, "noising": one.noising,
            "attention mask": one.mask, "prompts": one.prompts, "such as": one.examples}  # fmt: skip
