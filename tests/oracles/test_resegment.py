"""mweralign 1.4.1 on WMT22 outputs whose line breaks were taken out: no fewer errors than ours.

    mweralign -r ref -t hyp -m none -o out     # ref: the references, hyp: all lines of a system, joined by spaces

It folds case while it cuts; `folded` is the "AS-WER" that it prints, of all segmentations the least it found. `cased`
are the errors of its segments when case counts, by Levenshtein distance. It is under the GPL and is not run here.
"""

import gzip
from typing import NamedTuple

import pytest

import tertium as tt

from .files import needs_oracles
from .wmt22 import TEXTS


class Minted(NamedTuple):
    """What mweralign found."""

    folded: float
    cased: int


MINTED = {
    ("cs-en", "ref.B", "CUNI-Transformer"): Minted(38.5275, 10722),
    ("de-en", "ref.A", "JDExploreAcademy"): Minted(53.9114, 18311),
    ("liv-en", "ref.A", "TAL-SJTU"): Minted(56.8632, 5303),
}


def lines(path: str) -> list[str]:
    return gzip.decompress((TEXTS / path).read_bytes()).decode().split("\n")[:-1]


@needs_oracles
@pytest.mark.parametrize("case", MINTED, ids="/".join)
def test_no_more_errors_than_mweralign(case: tuple[str, str, str]) -> None:
    pair, reference, system = case
    references, output = lines(f"{pair}/{reference}.gz"), " ".join(lines(f"{pair}/systems/{system}.gz"))
    folded = tt.score(
        tt.resegment(output, references, lowercase=True), references=references, metrics="wer(lowercase=True)"
    )
    assert round(folded[0].value, 4) == MINTED[case].folded
    [cased] = tt.score(tt.resegment(output, references), references=references, metrics="wer")
    assert sum(cased.parts[name] for name in ("substitutions", "deletions", "insertions")) < MINTED[case].cased
