"""How the numbers about people and metrics came about, with the papers."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.inference.seeds import WMT_SEED, WMT_TRIALS
from tertium.report.methods import Method
from tertium.report.people import People
from tertium.report.tables.people import method_text

GRAHAM = (
    "Graham, Baldwin, Moffat and Zobel (2013), "
    '"Continuous measurement scales in human evaluation of machine translation"'
)
KOCMI_22 = 'Kocmi, Bawden, Bojar and others (2022), "Findings of the 2022 conference on machine translation"'
KRIPPENDORFF = 'Krippendorff (2004), "Content analysis: an introduction to its methodology"'
WILLIAMS = 'Williams (1959), "Regression analysis"'
GRAHAM_14 = 'Graham and Baldwin (2014), "Testing for significance of increased correlation with human judgment"'
WESTFALL = 'Westfall and Young (1993), "Resampling-based multiple testing"'
KOCMI_21 = (
    "Kocmi, Federmann, Grundkiewicz and others (2021), "
    '"To ship or not to ship: an extensive evaluation of automatic metrics for machine translation"'
)
DEUTSCH = (
    "Deutsch, Foster and Freitag (2023), "
    '"Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie calibration"'
)
THOMPSON = (
    "Thompson, Mathur, Deutsch and Khayrallah (2024), "
    '"Improving statistical significance in human evaluation of automatic metrics via soft pairwise accuracy"'
)
MATHUR = (
    "Mathur, Baldwin and Cohn (2020), "
    '"Tangled up in BLEU: reevaluating the evaluation of automatic machine translation evaluation metrics"'
)

AGREEMENT = """How much less raters differ than answers drawn from all of theirs would; 1 is perfect, 0 is chance.
Between raters: items that two or more of them judged. Between repeats: items that a rater judged again."""
AGAINST = """Correlations are of corpus scores with the means of people's judgements, and of the scores of single
outputs. Metrics are compared with each other by Williams' test at system level, corrected by Holm, and at segment level
by swapping the scores of two metrics at random, {drawn}, the same swaps in all pairs, corrected by step-down max-T;
both two-sided. acc_eq* counts pairs of systems on one segment
in which metric and people agree, ties included, at the best threshold for ties."""
PAIRS = """A metric contradicts people about a pair of systems if it puts the one higher that they put lower. Soft
pairwise accuracy compares p-values instead of orders."""
WORTH = """P(people prefer A) = 1 / (1 + exp(-b d)) is fitted by maximum likelihood to all pairs of systems that differ
by d; a pair that people do not tell apart counts as half a preference for either. Intervals draw systems again,
{drawn}."""


def procedures(people: People, trials: int, seed: int) -> Iterator[Method]:
    """What was done with judgements; nothing where there are none."""
    for item in people.analyses[:1]:  # all scales are treated alike
        for ranking in list(item.rankings.values())[:1]:
            yield Method("Rankings by people", method_text(ranking), f"{GRAHAM}; {KOCMI_22}")
        yield Method("Agreement of raters", AGREEMENT, KRIPPENDORFF)
    if people.analyses:
        drawn = f"{trials} times, seed {seed}"
        swaps = f"{WMT_TRIALS} times, seed {WMT_SEED}"
        papers = f"{WILLIAMS}; {GRAHAM_14}; {WESTFALL}; {DEUTSCH}"
        yield Method("Metrics against people", AGAINST.format(drawn=swaps), papers)
        yield Method("Pairs of systems", PAIRS, f"{KOCMI_21}; {MATHUR}; {THOMPSON}")
        yield Method("What a difference is worth", WORTH.format(drawn=drawn), KOCMI_21)
