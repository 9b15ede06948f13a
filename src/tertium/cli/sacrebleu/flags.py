"""The flags that `tertium sacrebleu` takes, which are sacreBLEU's."""

from __future__ import annotations

import argparse
from typing import Any

from tertium.core.errors import TertiumError

VERSION = "2.6.0"  # of sacreBLEU: whose numbers, signatures and layout these are
FORMATS = ("json", "text", "latex")
SMOOTHING = {"none": None, "floor": 0.1, "add-k": 1.0, "exp": None}  # and the value that signatures name
TOKENIZERS = ("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab")
SENTENCEPIECE = {  # the name in signatures, and the file under models/ in sacreBLEU's folder
    "spm": ("flores101", "sacrebleu_tokenizer_spm.model"),
    "flores101": ("flores101", "sacrebleu_tokenizer_spm.model"),
    "flores200": ("flores200", "flores200sacrebleuspm"),
    "spBLEU-1K": ("spBLEU-1K", "spbleu-1k_tokenizer_spm.model"),
}
METRICS = ("bleu", "chrf", "ter")
# Names, what argparse is told, help. What is stored as bleu_*, chrf_* and ter_* are options of our metrics.
SWITCH = {"action": "store_true"}
FLAGS: list[tuple[str, dict[str, Any], str]] = [
    ("refs", {"nargs": "*"}, "reference files; write them before -i"),
    ("--input -i", {"nargs": "*"}, "output files, one for each system; without it, standard input is read"),
    ("--num-refs -nr", {"type": int, "default": 1}, "references in a line of the file, between tabs (1)"),
    ("--encoding -e", {"default": "utf-8"}, "encoding of all files (%(default)s)"),
    ("--language-pair -l", {"dest": "langpair"}, "such as en-ja; its target chooses the tokenizer"),
    ("--metrics -m", {"nargs": "+", "choices": METRICS, "default": ["bleu"]}, "which metrics (bleu)"),
    ("--sentence-level -sl", SWITCH, "a score for every segment, by one metric"),
    ("--smooth-method -s", {"dest": "bleu_smooth", "choices": SMOOTHING, "default": "exp"}, "BLEU: smoothing (exp)"),
    ("--smooth-value -sv", {"dest": "bleu_smooth_value", "type": float}, "BLEU: for floor (0.1), add-k (1)"),
    ("--tokenize -tok", {"dest": "bleu_tokenize", "choices": [*TOKENIZERS, *SENTENCEPIECE]}, "BLEU: tokenizer (13a)"),
    ("--lowercase -lc", {"dest": "bleu_lowercase"} | SWITCH, "BLEU: ignore case"),
    ("--force", SWITCH, "do not warn of outputs that look tokenised"),
    ("--chrf-char-order -cc", {"dest": "chrf_chars", "type": int, "default": 6}, "chrF: longest n-gram (6)"),
    ("--chrf-word-order -cw", {"dest": "chrf_words", "type": int, "default": 0}, "chrF: of words (0); chrF++: 2"),
    ("--chrf-beta", {"type": int, "default": 2}, "chrF: how much more recall counts than precision (2)"),
    ("--chrf-whitespace", SWITCH, "chrF: count spaces as characters"),
    ("--chrf-lowercase", SWITCH, "chrF: ignore case"),
    ("--chrf-eps-smoothing", {"dest": "chrf_eps"} | SWITCH, "chrF: average over all orders, like chrF++.py"),
    ("--ter-case-sensitive", SWITCH, "TER: upper and lower case differ"),
    ("--ter-asian-support", {"dest": "ter_asian"} | SWITCH, "TER: split East Asian text into characters"),
    ("--ter-no-punct", SWITCH, "TER: leave punctuation out"),
    ("--ter-normalized", SWITCH, "TER: separate punctuation from words first"),
    ("--confidence -ci", SWITCH, "bootstrap interval of one system; SACREBLEU_SEED sets the seed"),
    ("--confidence-n -cin", {"type": int, "default": 1000}, "resamples (%(default)s)"),
    ("--quiet -q", SWITCH, "nothing but errors on standard error"),
    ("--short -sh", SWITCH, "short keys in signatures"),
    ("--score-only -b", SWITCH, "the numbers alone"),
    ("--width -w", {"type": int, "default": 1}, "decimals (%(default)s)"),
    ("--no-color -nc", SWITCH, "accepted: nothing is coloured"),
    ("--format -f", {"choices": FORMATS, "default": "json"}, "layout (json); SACREBLEU_FORMAT overrules it"),
    ("--version -V", {"action": "version", "version": f"sacrebleu {VERSION}"}, "print the version that is reproduced"),
    ("--citation --cite", SWITCH, "print what to cite, as BibTeX"),
    ("--paired-ar-n -parn", {"type": int, "default": 10000}, "trials of --paired-ar"),
    ("--paired-bs-n -pbsn", {"type": int, "default": 1000}, "resamples of --paired-bs"),
    ("--paired-jobs -j", {"type": int, "default": 1}, "accepted, not needed"),
    ("--paired-ar -par", SWITCH, "test systems against the first by approximate randomization"),
    ("--paired-bs -pbs", SWITCH, "test systems against the first by bootstrap resampling"),
    ("--test-set -t", {}, "a test set with a name, or several between commas; none is fetched by it"),
    ("--list", SWITCH, "list test sets; with -t, the fields of one"),
    ("--download", {}, "fetch a test set (tertium testsets get)"),
    ("--echo", {"nargs": "+"}, "print fields of a test set: src, ref, docid, all, ..."),
    ("--origlang -ol", {}, "only segments first written in this language; non-en: any but English"),
    ("--subset", {}, "only segments whose domain this regular expression finds"),
    ("--detail -d", SWITCH, "scores by original language and domain, too"),
]
EITHER = ("--paired-ar -par", "--paired-bs -pbs")


class StatusError(TertiumError):
    """An error for which sacreBLEU has an exit status that scripts may look at."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


def parser() -> argparse.ArgumentParser:
    """All flags, with help."""
    made = argparse.ArgumentParser(
        prog="tertium sacrebleu",
        description=f"Takes the flags of sacreBLEU {VERSION} and prints what it prints; tertium computes it.",
        epilog=f"Signatures say version:{VERSION} because the numbers are those of that version.",
    )
    either = made.add_mutually_exclusive_group()  # two ways to ask the same question
    for names, told, text in FLAGS:
        where = either if names.startswith(EITHER) else made
        where.add_argument(*names.split(), help=text, **told)
    return made
