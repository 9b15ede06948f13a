"""How the numbers about people and metrics came about, with the papers."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.inference.corrections import CORRECTED
from tertium.inference.seeds import WMT_SEED, WMT_TRIALS
from tertium.meta.evaluate import MetaEvaluation
from tertium.meta.metric_comparison import TEST_TITLES
from tertium.report.methods import Method
from tertium.report.people import People
from tertium.report.tables.meta import sentinel_note, statistic_title
from tertium.report.tables.people import method_text

GRAHAM = (
    "Graham, Baldwin, Moffat and Zobel (2013), "
    '"Continuous measurement scales in human evaluation of machine translation"'
)
KOCMI_22 = 'Kocmi, Bawden, Bojar and others (2022), "Findings of the 2022 conference on machine translation"'
BENNETT = 'Bennett, Alpert and Goldstein (1954), "Communications through limited-response questioning"'
SCOTT = 'Scott (1955), "Reliability of content analysis: the case of nominal scale coding"'
COHEN = 'Cohen (1960), "A coefficient of agreement for nominal scales"'
FLEISS = 'Fleiss (1971), "Measuring nominal scale agreement among many raters"'
GWET = 'Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement"'
KRIPPENDORFF = 'Krippendorff (2004), "Content analysis: an introduction to its methodology"'
WILLIAMS = 'Williams (1959), "Regression analysis"'
GRAHAM_14 = 'Graham and Baldwin (2014), "Testing for significance of increased correlation with human judgment"'
KENDALL = 'Kendall (1945), "The treatment of ties in ranking problems"'
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

PERRELLA = (
    "Perrella, Proietti, Scirè, Barba and Navigli (2024), "
    '"Guardians of the machine translation meta-evaluation: sentinel metrics fall in!"'
)

AGREEMENT = """How much less raters differ than answers drawn from all of theirs would; 1 is perfect, 0 is chance.
Between raters: items that two or more of them judged. Between repeats: items that a rater judged again."""
CORRELATED = """Correlations are of corpus scores with the means of people's judgements, and of the scores of single
outputs."""
ACCURACY = """acc_eq* counts pairs of systems on one segment in which metric and people agree, ties included, at the
best threshold for ties."""
AGAINST = f"""{CORRELATED} Metrics are compared with each other by Williams' test at system level, corrected by Holm,
and at segment level by swapping the scores of two metrics at random, {{drawn}}, the same swaps in all pairs, corrected
by step-down max-T; both two-sided. {ACCURACY}"""
SENTINELS = """The features are logarithms of the numbers of characters and words with their squares and cubes, and of
the source or reference also counts of character trigrams, hashed; the ridge is chosen on the folds that are learned
from."""
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
        swaps = f"{WMT_TRIALS} times, seed {WMT_SEED}"
        papers = f"{WILLIAMS}; {GRAHAM_14}; {WESTFALL}; {DEUTSCH}"
        yield Method("Metrics against people", AGAINST.format(drawn=swaps), papers)
        yield from of_pairs(trials, seed)


def of_pairs(trials: int, seed: int) -> Iterator[Method]:
    """What is said of pairs of systems."""
    drawn = f"{trials} times, seed {seed}"
    yield Method("Pairs of systems", PAIRS, f"{KOCMI_21}; {MATHUR}; {THOMPSON}")
    yield Method("What a difference is worth", WORTH.format(drawn=drawn), KOCMI_21)


def compared(result: MetaEvaluation, trials: int, seed: int) -> Iterator[Method]:
    """How metrics were set beside people, by the tests that were asked for."""
    several = len(result.metrics) > 1
    text = f"{CORRELATED} Metrics are compared with each other" if several else CORRELATED.removesuffix(".")
    for k, (level, item) in enumerate(result.comparisons.items() if several else ()):
        drawn = "" if item.test == "williams" else f", {item.trials} trials, seed {item.seed}"
        text += (
            f"{';' if k else ''} at {level} level by {statistic_title(item)}: {TEST_TITLES[item.test]}, "
            f"{item.sides}-sided{drawn}, {CORRECTED[item.correction]}, alpha {item.alpha:g}"
        )
    if result.eps:
        given = ", ".join(f"{value:.6g} for {name}" for name, value in result.eps.items())
        text += f". Thresholds for ties (eps) were given, not chosen on this test set: {given}"
    yield Method("Metrics against people", f"{text}. {ACCURACY}", f"{WILLIAMS}; {GRAHAM_14}; {WESTFALL}; {DEUTSCH}")
    if result.sentinels:
        yield Method("Sentinels", f"{sentinel_note(result)} {SENTINELS}", PERRELLA)
    yield from of_pairs(trials, seed)
