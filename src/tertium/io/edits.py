"""Tables of edited segments: what an engine said and what a person made of it, one in each row.

output      what the engine said; also: mt, hyp
post_edit   what became of it; also: text (as `tertium human export --to edits` has it), target, pe, edited
engine      also: system
segment     a name by which rows of several engines are of the same segment; also: id
source      also: src
document    also: file, doc
translator  also: rater, editor
domain
seconds     how long somebody worked on it; also: time, duration
"""

from __future__ import annotations

from pathlib import Path

from tertium.core.edited import EditedSegments, Names, read_seconds
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.columns import ColumnFile, open_table

COLUMNS = {
    "output": ("output", "mt", "hyp"),
    "post_edit": ("post_edit", "text", "target", "pe", "edited"),
    "engine": ("engine", "system"),
    "segment": ("segment", "id"),
    "source": ("source", "src"),
    "document": ("document", "file", "doc"),
    "translator": ("translator", "rater", "editor"),
    "domain": ("domain",),
    "seconds": ("seconds", "time", "duration"),
}


def read_edits(path: str | Path) -> EditedSegments:
    """The rows of a table (TSV, CSV, JSONL, Excel, Parquet)."""
    table = open_table(path)
    lowered = {name.strip().lower().replace("-", "_").replace(" ", "_"): name for name in table.names}
    names = {what: next((lowered[word] for word in words if word in lowered), None) for what, words in COLUMNS.items()}
    for what in ("output", "post_edit"):
        if names[what] is None:
            raise InputError(
                f"{path}: no column {what} (or {', '.join(COLUMNS[what][1:])}); columns: {', '.join(table.names)}"
            )
    outputs, edited = _lines(table, str(names["output"])), _lines(table, str(names["post_edit"]))
    sources = None if names["source"] is None else _lines(table, names["source"])
    # an empty post-edit of what is not empty has not been made, as in localisation files
    filled = (output or source for output, source in zip(outputs, sources or outputs, strict=True))
    edited = Lines.of([text if text or not there else None for there, text in zip(filled, edited, strict=True)])
    seconds = _facts(table, names["seconds"])
    segments = _facts(table, names["segment"])
    documents = _facts(table, names["document"])
    return EditedSegments(
        name=Path(path).name,
        outputs=outputs,
        edited=edited,
        engines=tuple(name or "engine" for name in _facts(table, names["engine"]) or [""] * len(outputs)),
        segments=segments or tuple(f"row {k}" for k in range(len(outputs))),
        sources=sources,
        documents=documents,
        translators=_facts(table, names["translator"]),
        domains=_facts(table, names["domain"]),
        seconds=None if seconds is None else tuple(map(read_seconds, seconds)),
    )


def _lines(table: ColumnFile, name: str) -> Lines:
    return table.read(name)[0]


def _facts(table: ColumnFile, name: str | None) -> Names | None:
    """What a column says; nothing where it says nothing in any row."""
    if name is None:
        return None
    found = tuple((text or "").strip() for text in _lines(table, name))
    return found if any(found) else None
