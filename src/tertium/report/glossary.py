"""Words of statistics and of the field that a page explains where they stand: pointed at, tabbed to or touched."""

from __future__ import annotations

import re
from html import escape

TERMS = {
    "approximate randomization": (
        "A test: the outputs of two systems are swapped at random, segment by segment, many times. p is the share of "
        "swaps that differ at least as much as the systems do. Also called paired permutation test."
    ),
    "simultaneous 95 % intervals": (
        "All intervals of a metric together hold the true differences in about 95 of 100 test sets, whichever one you"
        " look at. They are wider than intervals of a single difference."
    ),
    "bootstrap intervals": (
        "Segments are drawn again with replacement, many times; the interval holds the middle 95 % of the scores. Of "
        "about 95 in 100 test sets it holds the true score."
    ),
    "corrected over all pairs": (
        "With twenty comparisons of equal systems, one looks real on average. The correction keeps the chance of even"
        " one false alarm among all pairs of a metric below 5 %."
    ),
    "Significant": (
        "The test finds p ≤ 0.05 after the correction. A difference that is not significant may still be real."
    ),
    "step-down max-T": (
        "A correction for many comparisons: a difference counts if it is larger than what chance shows in any pair "
        "(Westfall and Young 1993)."
    ),
    "Holm": (
        "A correction for many comparisons: the smallest p counts as often as there are comparisons, the next once "
        "less, and so on (Holm 1979)."
    ),
    "cluster": (
        "Systems from best to worst are cut where everyone above is significantly better than everyone below. Two "
        "systems of one cluster may still differ significantly."
    ),
    "Cohen's d": (
        "The mean difference of segments in units of how much the differences vary. 0.2 is called small, 0.5 medium, "
        "0.8 large."
    ),
    "McNemar": ("A test of two systems by the segments on which only one of them has an error."),
    "Wilcoxon rank-sum test": (
        "A test of whether the ratings of one system tend to be higher than those of another, by their ranks."
    ),
    "Krippendorff's alpha": (
        "How far raters agree beyond chance: 1 is perfect, 0 is chance. Below 0.667 it supports only tentative "
        "conclusions."
    ),
    "Kendall": (
        "A correlation by pairs: how many pairs two rankings put in the same order, less those in opposite order."
    ),
    "Soft pairwise accuracy": (
        "How close the p-values of a metric are to those of people, over all pairs of systems; 1 is best."
    ),
    "acc_eq*": (
        "The share of pairs of outputs that a metric orders as people do, ties counted, at the threshold for ties "
        "that suits the metric best (Deutsch et al. 2023)."
    ),
    "permutation test by segments": (
        "A test of two metrics: their scores of whole segments are swapped at random. PERM-INPUTS in the literature "
        "(Deutsch et al. 2021)."
    ),
    "permutation test by segments and systems": (
        "A test of two metrics: their scores of single outputs are swapped at random. PERM-BOTH in the literature "
        "(Deutsch et al. 2021)."
    ),
    "permutation test by systems": (
        "A test of two metrics: their scores of whole systems are swapped at random. PERM-SYSTEMS in the literature "
        "(Deutsch et al. 2021)."
    ),
    "permutation test by pairs of outputs": (
        "A test of two metrics: what they say of pairs of outputs is swapped at random. PERM-PAIRS, of WMT from 2023 "
        "on; it finds differences between equal metrics too often."
    ),
    "sentinel": (
        "A score that sees too little to judge a translation: only the length of the output, the source or the "
        "reference. A metric should be closer to people (Perrella et al. 2024)."
    ),
    "standard scores": (
        "Each rating less the mean of its rater, in units of how much that rater's ratings vary: strict and mild "
        "raters become comparable. Also called z."
    ),
}
HEADS = {
    "effect": "Cohen's d: the mean difference of segments in units of how much the differences vary.",
    "detects": "The smallest difference that this test, corrected, would find four times out of five.",
    "p": "How often chance alone gives a difference at least as large, after the correction for many comparisons.",
    "cluster": TERMS["cluster"],
    "change": "The system's score less the baseline's.",
    "low": "The lower end of the 95 % interval.",
    "high": "The upper end of the 95 % interval.",
    "won": "Segments on which the system is better.",
    "lost": "Segments on which the system is worse.",
    "acc_eq*": TERMS["acc_eq*"],
    "pairwise accuracy with ties (acc_eq*)": TERMS["acc_eq*"],
    "acc_eq (given)": (
        "The share of pairs of outputs that a metric orders as people do, ties counted, at a threshold for ties that "
        "was chosen elsewhere."
    ),
    "sentinel's": "What the sentinel reaches by the same statistic.",
    "filter precision": "The share of good outputs among those that a metric keeps.",
    "filter recall": "The share of the good outputs that a metric keeps.",
    "filter F": "The harmonic mean of precision and recall of what a metric keeps.",
    "best taken": "How often what a metric scores highest is what people score highest: its precision as a re-ranker.",
    "given eps": "The largest difference that counts as a tie, chosen elsewhere.",
    "acc_eq": "The share of pairs of outputs that a metric orders as people do, ties counted.",
    "tau_eq": "Kendall's tau in which ties of people and metric count where both have them.",
    "eps": "The largest difference that counts as a tie.",
    "tied": "The share of pairs that are ties at that threshold.",
    "DARR": "A statistic like Kendall's of the pairs that people set far enough apart.",
    "PDP": "Pairwise difference Pearson: whether differences of a metric go with differences of people.",
    "soft accuracy": TERMS["Soft pairwise accuracy"],
    "pairwise accuracy": "The share of pairs of systems that a metric puts in people's order.",
    "z": TERMS["standard scores"],
    "rank": "The ranks that wins and losses leave open.",
    "refs": "How often the references have a word.",
    "preds": "How often the outputs have a word.",
    "match": "How often both have it, segment by segment.",
}


WRITTEN = {
    escape(term, quote=False).replace("'", "&#39;"): meaning for term, meaning in TERMS.items()
}  # as Jinja2 does
FOUND = re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(term) for term in sorted(WRITTEN, key=len, reverse=True))})")


def explained(text: str) -> str:
    """A text that is escaped already, with the first of each of its terms explained."""
    seen: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        term = found[0]
        if term in seen:
            return term
        seen.add(term)
        meaning = escape(WRITTEN[term])
        return f'<dfn class="term" tabindex="0" data-more="{meaning}" aria-description="{meaning}">{term}</dfn>'

    return FOUND.sub(mark, text)
