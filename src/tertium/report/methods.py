"""How the numbers of a report came about: every option, seed and formula with its paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tertium.analysis.contrast import ALL, INVENTED
from tertium.analysis.explanation import explain
from tertium.core.metric import Metric, option_text
from tertium.core.table import Table
from tertium.core.version import VERSION
from tertium.core.wording import describe, visible
from tertium.inference.seeds import ALPHA, CONFIDENCE
from tertium.inference.units import in_documents
from tertium.io.papers import bibtex
from tertium.meta.meaning import FITTED, KOCMI
from tertium.report.figures import parts as figures_parts
from tertium.report.page import Section
from tertium.report.results import Results
from tertium.report.sections import meaning_sentences
from tertium.report.words import listed

EFRON = 'Efron and Tibshirani (1993), "An introduction to the bootstrap"'
KOEHN = 'Koehn (2004), "Statistical significance tests for machine translation evaluation"'
NOREEN = 'Noreen (1989), "Computer-intensive methods for testing hypotheses: an introduction"'
RIEZLER = 'Riezler and Maxwell (2005), "On some pitfalls in automatic evaluation and significance testing for MT"'
WESTFALL = 'Westfall and Young (1993), "Resampling-based multiple testing"'
HOLM = 'Holm (1979), "A simple sequentially rejective multiple test procedure"'
COHEN = 'Cohen (1988), "Statistical power analysis for the behavioral sciences"'
GOWDA = 'Gowda, You, Lignos and May (2021), "Macro-average: rare types are important too"'
MCNEMAR = 'McNemar (1947), "Note on the sampling error of the difference between correlated proportions or percentages"'
NEUBIG = (
    "Neubig, Dou, Hu, Michel, Pruthi and Wang (2019), "
    '"compare-mt: a tool for holistic comparison of language generation systems"'
)
LIU = (
    "Liu, Yuan, Fu, Jiang, Hayashi and Neubig (2023), "
    '"Pre-train, prompt, and predict: a systematic survey of prompting methods in natural language processing"'
)
LEVENSHTEIN = 'Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals"'

INTERVALS = """Segments are drawn again with replacement, {drawn}; an interval is the middle {share:.0f} % of the
scores of such test sets (percentile bootstrap)."""
COMPARISONS = {
    "permutation": """Paired permutation, or approximate randomisation: the outputs of two systems are swapped
segment by segment at random, {drawn}. p is the share of swaps that differ at least as much as the systems do, the
systems themselves counted as one.""",
    "bootstrap": """Paired bootstrap: segments, and the runs of systems that have several, are drawn again with
replacement, {drawn}. p is the share of differences that, moved to 0, are at least as large as the one found.""",
}
CORRECTION = {
    "max-t": """p-values are corrected over all pairs, metric by metric (step-down max-T): a difference counts where it
is larger, in units of its spread, than the largest that most trials show in any pair. The chance of even one false
alarm stays below {alpha:g} for each metric apart, not for all metrics together.""",
    "holm": """p-values are corrected over all pairs, metric by metric (Holm), because trials are not shared by all of
them. The chance of even one false alarm stays below {alpha:g} for each metric apart, not for all metrics together.""",
}
CLUSTERS = """A cluster ends where every system in it is significantly better than every system below it. Within a
cluster some systems may be significantly worse than others."""
VERDICT = """A system leads by a metric if it is the best or not significantly worse than the best, and is behind if
it is significantly worse. The verdict is drawn from these tests, not from clusters, metric by metric; nothing is
corrected over metrics. Intervals in the first chart are simultaneous over all pairs of a metric: {confidence:.0f} %
of test sets have all true differences in them (max-T over the resamples of the paired differences, or Bonferroni
where pairs do not share their segments). People's scores are tested as metrics are, on the segments that people
judged for both systems."""
UNITS = """Tests swap or draw segments, as is usual, and are made again by whole documents, because segments of one
document are not independent of each other; pairs whose verdict changes are named."""
POWER = """Effect is the mean of the segments' differences in units of their standard deviation. A detectable
difference is one that the test, corrected as above, finds at level {alpha:g} with probability 0.8 if no other pair
differs, and test sets vary as resamples of this one do."""
MEANING = """What a difference means: accuracy = a / (1 + exp(-b difference)), the share of system pairs with such a
difference on which people agreed with the metric, as published for one setting of each metric, fitted to {fitted}.
It is said of significant differences, where metric, options and number of references are those of the curve. Whether a
difference is luck, and whether people would agree with one of its size, are two questions."""
FAVOURITISM = """The benefit of a segment is what a corpus score loses without it; favouritism is the benefit to one
system less the benefit to another, positive for the first. Disagreement is where two metrics favour different
systems, by the smaller of the two favouritisms in standard deviations."""
DETECTION = """Rates are shares of the segments that a detector could judge. The reference is judged as if it were a
system, without itself: what is found there shows what the detector dislikes in good text, and bounds its false alarms
in systems neither from above nor from below. Rates of two systems, or of a system and the reference, are compared by
the exact test on segments found in one only, corrected (Holm)."""
LENGTHS = """Segments are put together by the words of their {side}, as 13a cuts them. The score of a bucket is the
corpus score of its segments. Averages over types are left out: those of different texts cannot be compared."""
FREQUENCIES = """Types are put together by how often the references have them: {buckets} times. F of a bucket is the
score of its types alone. The curve is the mean F of the types down to a rank of frequency."""
TYPE_TEST = """Paired permutation: the outputs of {first} and {second} are swapped segment by segment at random,
{drawn}, and F of every bucket is counted again; of types that no reference has, their number. p is the share of swaps
that differ at least as much as the systems do, corrected over the buckets (Holm)."""
PROMPTED = """Every combination of template, language, blank, demonstrations, model and decoding is a system, and all
are scored together. Few-shot curves are means over seeds of drawn demonstrations; their bands are bootstrap intervals
over segments, for these seeds. The best systems are compared by paired tests on the segments on which they were
chosen, so the best looks better than it is."""
ALIGNMENT = """Outputs are aligned with the reference that needs the fewest edits of words: words kept, substituted,
missing and too many."""


class Method(NamedTuple):
    """A procedure in words, and where it comes from."""

    name: str
    text: str
    paper: str


def methods(results: Results, more: Iterable[Method] = ()) -> Section:
    """The section; `more` are procedures of other parts of the report."""
    return methods_of(
        [*_procedures(results), *more],
        {results.titles[str(metric)]: metric for metric in results.metrics},
        describe(results.evaluation.testset) + ".",
        systems=[(system.name, system.origin) for system in results.evaluation.systems],
        digest=results.evaluation.testset.digest,
    )


def methods_of(
    procedures: Iterable[Method],
    metrics: Mapping[str, Metric],
    about: str,
    *,
    tables: Sequence[Table] = (),
    systems: Sequence[tuple[str, str | None]] = (),
    digest: str = "",
) -> Section:
    """The section of any page: procedures, metrics by their titles, what they were applied to."""
    done = list(procedures)
    explained = [_metric(title, metric) for title, metric in metrics.items()]
    papers = [item.paper for item in done] + [item["paper"] for item in explained]
    what = "Every procedure, option, seed and formula" if metrics else "Every procedure and seed"
    return Section(
        id="methods",
        title="Methods",
        finding=f"{what} with its paper; BibTeX.",
        folded=True,
        text=[about],
        tables=tables,
        template="methods.html",
        data={
            "metrics": explained,
            "procedures": done,
            "systems": systems,
            "digest": digest,
            "bibtex": bibtex(papers),
            "version": VERSION,
        },
    )


def _metric(title: str, metric: Any) -> dict[str, Any]:
    known = explain(type(metric))
    options = [
        (
            option.name,
            option_text(getattr(metric, option.name)),
            option.meaning,
            getattr(metric, option.name) != option.default,
        )
        for option in known.options
    ]
    return {
        "title": title,
        "text": str(metric),
        "summary": known.summary,
        "formula": "\n".join(known.formula),
        "options": options,
        "blind_to": known.blind_to,
        "paper": known.paper,
    }


def _procedures(results: Results) -> Iterator[Method]:
    """What was done, with the numbers with which it was done."""
    drawn = f"{results.resamples} times, seed {results.seed}"
    if any(score.interval for score in results.scores.values()):
        yield Method("Intervals", INTERVALS.format(drawn=drawn, share=100 * CONFIDENCE), f"{EFRON}; {KOEHN}")
    if results.comparisons:
        paper = KOEHN if results.test == "bootstrap" else f"{NOREEN}; {RIEZLER}"
        counts = sorted({items[0].trials for items in results.comparisons.values()})
        times = f"{' or '.join(map(str, counts))} times, seed {results.seed}"
        yield Method("Comparisons", COMPARISONS[results.test].format(drawn=times), paper)
        kinds = {text: items[0].correction for text, items in results.comparisons.items()}
        for kind in sorted(set(kinds.values())):
            text = f"{CORRECTION[kind].format(alpha=ALPHA)} {CLUSTERS}"
            own = listed([results.titles[text].removesuffix(" ↓") for text, other in kinds.items() if other == kind])
            of = f": {own}" if len(set(kinds.values())) > 1 else ""
            yield Method(f"Many comparisons{of}", text, WESTFALL if kind == "max-t" else HOLM)
        yield Method("Verdict", VERDICT.format(confidence=100 * CONFIDENCE), WESTFALL)
        if in_documents(results.evaluation.testset):
            yield Method("Documents", UNITS, RIEZLER)
        yield Method("Effect and power", POWER.format(alpha=ALPHA), COHEN)
        if meaning_sentences(results):
            yield Method("Meaning of differences", MEANING.format(fitted=FITTED), KOCMI)
        yield Method("Favouritism", FAVOURITISM, GOWDA)
    if results.experiment is not None:
        yield Method("Prompts", PROMPTED, LIU)
    yield from _buckets(results)
    if results.diagnosis is not None:
        yield Method("Detectors", DETECTION, MCNEMAR)
    if results.evaluation.has_texts:
        yield Method("Alignment", ALIGNMENT, LEVENSHTEIN)


def _buckets(results: Results) -> Iterator[Method]:
    """Parts of the test set and of its words, where the page shows them."""
    if figures_parts.length_names(results):
        side = (
            "references, the mean where there are several"
            if results.evaluation.testset.references.streams
            else "source"
        )
        yield Method("Lengths", LENGTHS.format(side=side), NEUBIG)
    contrast = figures_parts.contrast_of_best(results)
    if contrast is None:
        return
    names = [bucket.name for bucket in contrast.buckets if bucket.name not in (INVENTED, ALL)]
    yield Method("Frequencies of words", FREQUENCIES.format(buckets=", ".join(names)), f"{GOWDA}; {NEUBIG}")
    if contrast.trials:
        first, second = (visible(name) for name in contrast.systems)
        drawn = f"{contrast.trials} times, seed {contrast.seed}"
        yield Method("Test of words", TYPE_TEST.format(first=first, second=second, drawn=drawn), f"{NOREEN}; {HOLM}")
