"""What the steps of all metrics share: the row, the texts as they are read, n-grams with how often they count."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.marks import EXACT, Link, Marks
from tertium.core.metric import Prepared
from tertium.core.run import Run
from tertium.core.steps import Step
from tertium.core.table import Row, Table, numbers, texts
from tertium.core.wording import counted
from tertium.text.tokenizers import kernel_tokenize

SHOWN = 24  # rows of a page before the reader asks for all
WORD = re.compile("[^ ]+")


def row_of(metric: Any, outputs: Lines, prepared: Prepared, run: Run) -> list[float]:
    """The segment's statistics, as plain numbers."""
    row: list[float] = metric.stats(outputs, prepared, run).segments()[0].tolist()
    return row


def marks_of(metric: Any, outputs: Lines, prepared: Prepared, run: Run) -> Marks:
    """What the metric shows in the segment."""
    return next(iter(metric.marks(outputs, prepared, run)))  # type: ignore[no-any-return]


def shown(value: Any) -> str:
    """A number in a formula: whole ones as they are, others in four decimals."""
    number = float(value)
    return f"{number:.0f}" if number == round(number) and abs(number) < 1e15 else f"{number:.4f}"


def share(above: Any, below: Any, value: Any) -> str:
    """`5/7 = 0.7143`"""
    return f"{shown(above)}/{shown(below)} = {shown(value)}"


def reading_step(outputs: Lines, prepared: Prepared, tokenizer: str) -> Step:
    """The words of all texts as the metric reads them; outputs still have to be tokenised so."""
    read = [kernel_tokenize(outputs, tokenizer), *(kernel_tokenize(s, prepared.tokenizer) for s in prepared.streams)]
    return words_step([str(lines[0] or "") for lines in read])


def words_step(read: Sequence[str]) -> Step:
    """Texts whose words have spaces between them: the output, then the references."""
    names = ["output", *(f"reference {k}" if len(read) > 2 else "reference" for k in range(1, len(read)))]
    rows: list[Row] = [[name, text, len(WORD.findall(text))] for name, text in zip(names, read, strict=True)]
    table = Table(
        title="Texts as they are read", columns=[*texts("text", "as it is read"), *numbers("words")], rows=rows
    )
    return Step("Words", ("Texts are cut into words.",), (table,))


def listed_ngrams(
    outputs: Lines, streams: Sequence[Lines], names: tuple[str, str], order: int
) -> list[list[tuple[str, int, list[int]]]]:
    """By length, the different n-grams: text, how often the output has it, how often each reference."""
    return _kernel.list_ngrams(outputs.view, [stream.view for stream in streams], *names, order)[0] or [[]] * order


def ngram_table(
    ngrams: Sequence[tuple[str, int, list[int]]], title: str, *, missing: bool = False, extra: Sequence[str] = ()
) -> Table:
    """How often output and references have each n-gram, and how often it counts: at most as often as the one that
    has it most. `missing`: those that only references have, too. Values of `extra` columns are added by the caller."""
    several = len(ngrams[0][2]) > 1 if ngrams else False
    heads = ["output", *(f"reference {k + 1}" for k in range(len(ngrams[0][2]) if several else 0))]
    heads += ["most" if several else "reference", "counts"]
    rows: list[Row] = []
    for text, said, wanted in ngrams:
        if said or missing:
            rows.append([text, said, *(wanted if several else ()), max(wanted), min(said, max(wanted))])
    columns = [*texts("n-gram"), *numbers(*heads, *extra, decimals=4)]
    return Table(title=title, columns=columns, rows=rows, shown=SHOWN)


def chosen_reference(marks: Marks, prepared: Prepared) -> Lines:
    """The reference that the row is of."""
    return prepared.streams[marks.reference or 0]


def chosen_sentence(marks: Marks, prepared: Prepared, how: str) -> tuple[str, ...]:
    """Which of several references it is, and why."""
    if len(prepared.streams) < 2 or marks.reference is None:
        return ()
    return (f"Of {counted(len(prepared.streams), 'reference')}, number {marks.reference + 1} counts: {how}.",)


def word_links(marks: Marks) -> tuple[list[str], list[str], list[tuple[str, int, int]]]:
    """Words of both sides, and links between them: kind, place in the output, place in the reference, from 0."""
    said, wanted = marks.read["output"], marks.read["reference"]
    links = [pair for link in marks.links for pair in _pairs(link, said, wanted)]
    return WORD.findall(said), WORD.findall(wanted), links


def _pairs(link: Link, said: str, wanted: str) -> list[tuple[str, int, int]]:
    own, other = (
        len(WORD.findall(text[: place[0]])) for text, place in ((said, link.output), (wanted, link.reference))
    )
    length = len(WORD.findall(said[slice(*link.output)]))
    return [(link.kind, own + k, other + k) for k in range(length)]


def edit_table(
    output: Sequence[str], reference: Sequence[str], links: Sequence[tuple[str, int, int]], order: Sequence[int]
) -> Table:
    """The alignment from left to right: hits, substitutions, insertions, deletions. `order`: where the output's words
    stand, after shifts."""
    partner = {i: (kind, j) for kind, i, j in links}
    rows: list[Row] = []
    at = 0
    for i in order:
        kind, j = partner.get(i, ("", at))
        rows += [[reference[k], "", "deletion"] for k in range(at, j)]
        at = max(at, j)
        if i in partner:
            rows.append(
                [reference[j], output[i], "hit" if kind == EXACT else "hit, shifted" if kind == "shifted" else kind]
            )
            at = j + 1
        else:
            rows.append(["", output[i], "insertion"])
    rows += [[reference[k], "", "deletion"] for k in range(at, len(reference))]
    return Table(title="Alignment", columns=texts("reference", "output", "edit"), rows=rows, shown=60)
