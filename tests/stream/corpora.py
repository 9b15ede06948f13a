"""The same small corpus in every kind of file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

Texts = Sequence[str | None]

REFERENCES = [
    f"the {word} sat on mat {k % 7}, again and again ." for k, word in enumerate("cat dog cow hen".split() * 9)
]
OUTPUTS = [text.replace("sat", "sits") if k % 3 else text.upper() if k % 5 else "" for k, text in enumerate(REFERENCES)]
SOURCES = [f"Satz {k} von {len(REFERENCES)}" for k in range(len(REFERENCES))]
CUTS = (0, 5, 5, 17, 36)  # where shards begin and end; one is empty


def parts(texts: Texts) -> list[Texts]:
    return [texts[a:b] for a, b in pairwise(CUTS)]


def write_text(folder: Path, name: str, texts: Texts) -> str:
    for k, part in enumerate(parts(texts)):
        (folder / f"{name}-{k}.txt").write_text("".join(f"{text}\n" for text in part))
    return str(folder / f"{name}-*.txt")


def _rows(references: Texts, outputs: Texts) -> list[list[dict[str, str | None]]]:
    rows = [{"ref": r, "mt": h, "other": "x\u2028y"} for r, h in zip(references, outputs, strict=True)]
    return [rows[a:b] for a, b in pairwise(CUTS)]


def write_tsv(folder: Path, references: Texts, outputs: Texts) -> str:
    for k, rows in enumerate(_rows(references, outputs)):
        lines = ["other\tref\tmt", *(f"{row['other']}\t{row['ref']}\t{row['mt']}" for row in rows)]
        (folder / f"t-{k}.tsv").write_text("\n".join(lines) + "\n")
    return str(folder / "t-*.tsv")


def write_csv(folder: Path, references: Texts, outputs: Texts) -> str:
    for k, rows in enumerate(_rows(references, outputs)):
        lines = ["other,ref,mt", *(f'"{row["other"]}","{row["ref"]}","{row["mt"]}"' for row in rows)]
        (folder / f"c-{k}.csv").write_text("\n".join(lines) + "\n")
    return str(folder / "c-*.csv")


def write_jsonl(folder: Path, references: Texts, outputs: Texts) -> str:
    for k, rows in enumerate(_rows(references, outputs)):
        with gzip.open(folder / f"j-{k}.jsonl.gz", "wt") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows) + "\n\n")
    return str(folder / "j-*.jsonl.gz")


def write_parquet(folder: Path, references: Texts, outputs: Texts) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = pa.schema(
        [("other", pa.string()), ("ref", pa.large_string()), ("mt", pa.dictionary(pa.int32(), pa.string()))]
    )
    for k, rows in enumerate(_rows(references, outputs)):
        pq.write_table(pa.Table.from_pylist(rows, schema=kind), folder / f"p-{k}.parquet", row_group_size=4)
    return str(folder / "p-*.parquet")


def write_arrow(folder: Path, references: Texts, outputs: Texts) -> str:
    import pyarrow as pa

    for k, rows in enumerate(_rows(references, outputs)):
        table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in ("other", "ref", "mt")})
        make = pa.ipc.new_file if k % 2 else pa.ipc.new_stream
        with make(str(folder / f"a-{k}.arrow"), table.schema) as file:
            file.write_table(table, max_chunksize=5)
    return str(folder / "a-*.arrow")


TABLES: dict[str, Callable[[Path, Texts, Texts], str]] = {
    "tsv": write_tsv,
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
    "arrow": write_arrow,
}
