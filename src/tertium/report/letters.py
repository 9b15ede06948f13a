"""How many letters segments take on a page, known before they are made: so a file stays below a size.

Numbers, texts and marks are packed: what a segment takes is worked out from a few that are made, by the bytes of the
texts and the number of scores that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tertium.core.evaluation import Evaluation
    from tertium.core.stats import Array
    from tertium.report.results import Results

LETTERS = 3_400_000  # for the segments of a page, at most
PAGE = 4_850_000  # of a page with all that is in it, and
BARE = 700_000  # of what is on every page: scripts, styles, the first screen
LEAST = 500_000  # that are there for segments whatever else there is
PAIR = 170  # letters of a pair of systems under a metric in the table of all comparisons, whose rows are packed, and
LISTED = 1_000  # documents of a table and a map, at most; of each of them
DOCUMENT = 30  # letters of its line, and
CELL = 20  # of each of its scores there, and
SQUARE = 25  # in the map
RATER = 250  # letters of a rater's lines, of each scale, and
PEOPLE = 60_000  # of all else that people's judgements bring
CHARTS = 200_000  # of all else that a test set has
SCORE = 8  # letters that a score and its favouritism take, at most
MARKED = 0.5  # letters for a byte of text by what one metric marks in it, at most; the text itself takes as many
PROBED = 100  # segments that are made to see what they take


def bytes_of_segments(evaluation: Evaluation) -> Array:
    """Of all texts of a segment, and what stands for its scores. # (n,)"""
    import numpy as np

    testset = evaluation.testset
    streams = [*testset.references.streams, *(system.outputs for system in evaluation.systems)]
    streams += [] if testset.sources is None else [testset.sources]
    scores = SCORE * len(evaluation.systems) * len(evaluation.metrics)
    return np.sum([lines.ends - lines.starts for lines in streams], axis=0) + float(scores)  # type: ignore[no-any-return]


def letters_at_most(evaluation: Evaluation) -> float:
    """What all segments of an evaluation take: a bound that needs none of them made."""
    if not evaluation.has_texts:
        return 0.0
    return float(bytes_of_segments(evaluation).sum()) * (1 + MARKED * len(evaluation.metrics))


def surely_fit(results: Results) -> bool:
    """Whether all segments fit, without making any."""
    return letters_at_most(results.evaluation) <= results.letters


def letters_of_segments(results: Results) -> Array:
    """What every segment takes, about. # (n,)"""
    import numpy as np

    from tertium.report.page import pack
    from tertium.report.segments import columns, texts

    if not results.evaluation.has_texts:
        return np.zeros(len(results.evaluation.testset))
    sizes = bytes_of_segments(results.evaluation)
    probed = np.unique(np.linspace(0, len(sizes) - 1, PROBED).astype(np.int64))
    made = len(pack(columns(results, probed))) + len(pack(texts(results, probed)))
    return sizes * (made / max(1.0, float(sizes[probed].sum())))


def letters_beside(evaluation: Evaluation) -> int:
    """What tables and charts of a test set take, about: pairs of systems and documents have lines of their own."""
    systems, metrics = len(evaluation.systems), len(evaluation.metrics)
    documents = min(LISTED, len(set(evaluation.testset.documents or ())))
    pairs = systems * (systems - 1) // 2
    raters = len({(judgement.scale, judgement.rater) for judgement in evaluation.judgements})
    return (
        pairs * metrics * PAIR
        + documents * (DOCUMENT + systems * CELL)
        + documents * systems * metrics * SQUARE
        + raters * RATER
        + (PEOPLE if raters else 0)
        + CHARTS
    )


def shared_letters(evaluations: Sequence[Evaluation]) -> list[int]:
    """What the segments of each test set have on one page: as much as they need, or an equal share of what those that
    need less leave."""
    left = max(LEAST, min(LETTERS, PAGE - BARE - sum(map(letters_beside, evaluations))))
    needed = [letters_at_most(evaluation) for evaluation in evaluations]
    given = [0] * len(needed)
    for done, k in enumerate(sorted(range(len(needed)), key=needed.__getitem__)):
        given[k] = int(min(needed[k] + 1, left / (len(needed) - done)))
        left -= given[k]
    return given
