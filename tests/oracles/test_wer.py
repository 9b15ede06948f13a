"""jiwer 4.0.0 (RapidFuzz 3.14.6), default transform: word and character errors, pooled and by segment."""

from typing import Any

import numpy as np
import pytest

from tertium.metrics import parse

from .files import (
    check_difference,
    files_under,
    needs_oracles,
    only_some,
    read_jsonl,
    read_lines,
    read_tsv,
    stats_of,
)

pytestmark = needs_oracles

PAIRS = [
    "snmt.de-en.snmt.A",
    "wmt22.en-zh.Manifold.A",
    "wmt22.en-ja.KYB.A",
    "snmt.de-en.unmt.A",
    "snmt.en-de.snmt.A",
    "snmt.en-de.unmt.A",
    "snmt.en-fr.snmt.A",
    "snmt.en-fr.unmt.A",
    "snmt.fr-en.snmt.A",
    "snmt.fr-en.unmt.A",
    "wmt22.de-en.JDExploreAcademy.A",
    "wmt22.de-en.LT22.A",
    "wmt22.de-en.Online-A.A",
    "wmt22.en-de.Online-W.A",
    "wmt22.en-de.OpenNMT.A",
    "wmt22.en-ja.NT5.A",
    "wmt22.en-zh.Online-G.A",
]
pairs = pytest.mark.parametrize("pair", only_some(PAIRS, 3))


def split(pair: str) -> tuple[str, str, str]:
    dataset, system, reference = pair.rsplit(".", 2)
    return dataset, system, reference


def record_of(pair: str) -> dict[str, Any]:
    found = [r for r in read_jsonl("wer/jiwer-corpus.jsonl") if f"{r['dataset']}.{r['hyp']}.{r['ref']}" == pair]
    assert len(found) == 1
    return found[0]


def test_no_file_is_left_out() -> None:
    assert files_under("wer") == set(PAIRS)
    assert len(read_jsonl("wer/jiwer-corpus.jsonl")) == len(PAIRS)


@pairs
def test_pooled_counts_and_rates(pair: str) -> None:
    """Empty references were dropped by the maker of the file, so they are here."""
    record = record_of(pair)
    dataset, _, reference = split(pair)
    kept = np.array([bool(text and text.strip()) for text in read_lines(dataset, f"ref.{reference}")])
    assert kept.sum() == record["n"]
    words = stats_of(parse("wer"), *split(pair)).weigh(kept)
    assert words.tolist() == [record[key] for key in ("C", "S", "D", "I")]
    chars = stats_of(parse("cer"), *split(pair)).weigh(kept)
    assert chars.tolist() == [record[key] for key in ("cC", "cS", "cD", "cI")]
    for name in ("wer", "mer", "wil", "wip"):
        check_difference(name.upper(), float(parse(name).score(words)), 100 * record[name], pair)
    check_difference("CER", float(parse("cer").score(chars)), 100 * record["cer"], pair)


@pairs
def test_segments(pair: str) -> None:
    header, rows = read_tsv(f"wer/seg.{pair}.tsv.gz")
    assert header == ["seg", "wer", "mer", "wil", "S", "D", "I", "hits", "cer"]
    places = [int(row[0]) for row in rows]
    assert len(places) == 500
    values = np.array([[float(cell) for cell in row] for row in rows])
    words = stats_of(parse("wer"), *split(pair)).segments()[places]
    assert words.tolist() == values[:, [7, 4, 5, 6]].tolist()
    chars = stats_of(parse("cer"), *split(pair)).segments()[places]
    for name, column, sums in (("wer", 1, words), ("mer", 2, words), ("wil", 3, words), ("cer", 8, chars)):
        for place, ours, theirs in zip(places, parse(name).score(sums), values[:, column], strict=True):
            check_difference(f"{name.upper()} of segments", float(ours), 100 * theirs, f"{pair} {place}")
