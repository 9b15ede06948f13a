"""`tertium sacrebleu`: sacreBLEU's flags and output, counted by tertium, so that scripts keep working."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError, TertiumError
from tertium.core.version import VERSION as OURS

if TYPE_CHECKING:
    from tertium.core.evaluation import Evaluation
    from tertium.core.lines import Lines
    from tertium.core.metric import Metric
    from tertium.core.system import System

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
BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # of the target, where -tok says nothing
DICTIONARY = {"ja-mecab": "IPA", "ko-mecab": "KO"}  # behind the analyser's version in signatures
SHORT = {"bleu": {"eff": "e", "smooth": "s"}, "chrf": {"eff": "e", "space": "s"}}  # keys in short signatures
SHORT["ter"] = {"tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}
WHITE_END = re.compile(  # starts with a literal, so that only the ends of lines are looked at
    rb"\n(?:(?<=[\t\x0b\x0c\r\x1c-\x1f ]\n)|(?<=\xc2[\x85\xa0]\n)|"
    rb"(?<=\xe1\x9a\x80\n|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]\n|\xe2\x81\x9f\n|\xe3\x80\x80\n))"
)
LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"^": r"\^{}", "~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}
    | {c: rf"\ensuremath{{{c}}}" for c in "<>"}
)
CITATION = """\
@software{tertium, title = {tertium: measuring machine translation}}
@inproceedings{papineni-etal-2002-bleu,
  title = {{B}leu: a Method for Automatic Evaluation of Machine Translation},
  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},
  booktitle = {Proceedings of ACL}, year = {2002}, pages = {311--318}, doi = {10.3115/1073083.1073135}
}"""
NO_TEST_SETS = "named test sets do not come with tertium yet; pass files: tertium sacrebleu REF -i OUTPUT"
# Names, what argparse is told, help. What is stored as bleu_*, chrf_* and ter_* are options of our metrics.
SWITCH = {"action": "store_true"}
FLAGS: list[tuple[str, dict[str, Any], str]] = [
    ("refs", {"nargs": "*"}, "reference files; write them before -i"),
    ("--input -i", {"nargs": "*"}, "output files, one for each system; without it, standard input is read"),
    ("--num-refs -nr", {"type": int, "default": 1}, "references in a line of the file, between tabs (1)"),
    ("--encoding -e", {"default": "utf-8"}, "encoding of all files (%(default)s)"),
    ("--language-pair -l", {"dest": "langpair"}, "such as en-ja; its target chooses the tokenizer"),
    ("--metrics -m", {"nargs": "+", "choices": list(SHORT), "default": ["bleu"]}, "which metrics (bleu)"),
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
    ("--version -V", SWITCH, "print the version that is reproduced, and ours"),
    ("--citation --cite", SWITCH, "print what to cite, as BibTeX"),
    ("--paired-ar-n -parn", {"type": int, "default": 10000}, "trials of --paired-ar"),
    ("--paired-bs-n -pbsn", {"type": int, "default": 1000}, "resamples of --paired-bs"),
    ("--paired-jobs -j", {"type": int, "default": 1}, "accepted, not needed"),
    ("--paired-ar -par", SWITCH, "test systems against the first by approximate randomization"),
    ("--paired-bs -pbs", SWITCH, "test systems against the first by bootstrap resampling"),
    ("--test-set -t", {}, NO_TEST_SETS),
    ("--list", SWITCH, NO_TEST_SETS),
    ("--download", {}, NO_TEST_SETS),
    ("--echo", {"nargs": "+"}, NO_TEST_SETS),
    ("--origlang -ol", {}, NO_TEST_SETS),
    ("--subset", {}, NO_TEST_SETS),
    ("--detail -d", SWITCH, NO_TEST_SETS),
]


class StatusError(TertiumError):
    """An error for which sacreBLEU has an exit status that scripts may look at."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


def main(arguments: list[str]) -> int:
    """Run the command: its exit status. Errors for which sacreBLEU has none rise as TertiumError."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has printed its help or its complaint
        return int(stop.code or 0)
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    options.format = wanted if wanted in FORMATS else options.format
    try:
        _run(options)
    except StatusError as error:
        print(f"tertium: {error}", file=sys.stderr)
        return error.status
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tertium sacrebleu",
        description=f"Takes the flags of sacreBLEU {VERSION} and prints what it prints; tertium computes it.",
        epilog=f"Signatures say version:{VERSION} because the numbers are those of that version.",
    )
    for names, told, text in FLAGS:
        parser.add_argument(*names.split(), help=text, **told)
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.version or options.citation:
        print(f"sacrebleu {VERSION} (by tertium {OURS})" if options.version else CITATION)
        return
    options.drawn = _drawn(options)
    _check(options)
    evaluation = _evaluate(options, _metrics(options))
    if not options.quiet:
        said = f"computed by tertium {OURS}; the numbers are those of sacreBLEU {VERSION} (-q hides this)"
        for sentence in (said, *(() if options.force else evaluation.warnings)):
            print(f"tertium: {sentence}", file=sys.stderr)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")  # as sacreBLEU does
    layout = _segments if options.sentence_level else _one if len(evaluation.systems) == 1 else _several
    if options.paired_ar or options.paired_bs:
        from tertium.cli.sacrebleu_paired import paired as layout
    for line in layout(options, evaluation):
        print(line)


def _check(options: argparse.Namespace) -> None:
    """Refuse flags that are not available and flags that contradict each other."""
    for names, _, reason in FLAGS:
        flag = names.split()[0]
        if reason == NO_TEST_SETS and getattr(options, flag.strip("-").replace("-", "_")):
            raise StatusError(f"{flag}: {reason}")
    if options.width < 0:
        raise OptionError(f"-w {options.width}: the number of decimals cannot be negative")
    if not options.refs:
        raise StatusError("no reference; name its file before -i: tertium sacrebleu REFERENCE... -i OUTPUT")
    if options.num_refs < 1 or options.num_refs > 1 < len(options.refs):
        raise StatusError(f"-nr {options.num_refs} must be positive, and needs one reference file to split")
    if options.paired_ar and options.paired_bs:
        raise StatusError("--paired-ar and --paired-bs are two ways to ask the same question; choose one")
    if options.sentence_level and (len(options.metrics) > 1 or options.confidence or options.drawn):
        raise StatusError("-sl prints the scores of one metric, without an interval (-ci); name one after -m")


def _drawn(options: argparse.Namespace) -> tuple[str, int] | None:
    """What is drawn at random, and how often: resamples (bs) or permutations (ar). 0 means the default, as there."""
    if options.paired_ar:
        return "ar", options.paired_ar_n if options.paired_ar_n > 0 else 10000
    if options.paired_bs:
        return "bs", options.paired_bs_n if options.paired_bs_n > 0 else 1000
    return ("bs", options.confidence_n) if options.confidence and options.confidence_n > 1 else None


def seed() -> int:
    """SACREBLEU_SEED; a new one every time where it says none."""
    from tertium.inference.bootstrap import SEED

    text = os.environ.get("SACREBLEU_SEED", str(SEED)).lower()
    if text != "none" and not text.isdecimal():
        raise OptionError(f"SACREBLEU_SEED={text}: must be a whole number or none")
    return int.from_bytes(os.urandom(4)) if text == "none" else int(text)


def _metrics(options: argparse.Namespace) -> list[Metric]:
    """The metrics as asked, in sacreBLEU's order."""
    from tertium.core.metric import make_metric
    from tertium.metrics.bleu import Bleu
    from tertium.metrics.chrf import Chrf
    from tertium.metrics.ter import Ter

    if SMOOTHING[options.bleu_smooth] is None:
        options.bleu_smooth_value = None
    options.tokenizer_name = None
    if options.bleu_tokenize is None:
        _, *target = (options.langpair or "").split("-")
        options.bleu_tokenize = BY_LANGUAGE.get("".join(target[:1]), "13a")
    if options.bleu_tokenize in SENTENCEPIECE:
        options.tokenizer_name, file = SENTENCEPIECE[options.bleu_tokenize]
        options.bleu_tokenize = _model(options.bleu_tokenize, file) if "bleu" in options.metrics else "13a"
    metrics: list[Metric] = []
    for kind in (Bleu, Chrf, Ter):
        prefix = f"{kind.name}_"
        given = {key.removeprefix(prefix): v for key, v in vars(options).items() if key.startswith(prefix)}
        metrics += [make_metric(kind, given)] if kind.name in options.metrics else []
    return metrics


def _model(name: str, file: str) -> str:
    """The tokenizer of a SentencePiece model that sacreBLEU has downloaded."""
    from pathlib import Path

    path = Path(os.environ.get("SACREBLEU", "~/.sacrebleu")).expanduser() / "models" / file
    if not path.exists():
        raise OptionError(
            f"-tok {name}: no SentencePiece model at {path}, and tertium downloads nothing; let sacreBLEU put it "
            f"""there, or name your copy: tertium score -m 'bleu(tokenize="spm:PATH")'"""
        )
    return f"spm:{path}"


def _evaluate(options: argparse.Namespace, metrics: Sequence[Metric]) -> Evaluation:
    from tertium.core.testset import References, TestSet
    from tertium.engines.evaluate import evaluate

    references, systems = _read_references(options), _read_systems(options)
    if len(systems) > 1 and (options.sentence_level or options.confidence):
        raise StatusError(f"-sl and -ci are for one system, not for {len(systems)}; score them one by one")
    if len(systems) == 1 and (options.paired_ar or options.paired_bs):
        raise StatusError("paired tests need two systems or more; name their files after -i, the baseline first")
    for system in systems:
        n = len(system.outputs)
        for name, stream in references:
            if len(stream) != n:
                raise StatusError(
                    f"outputs and references differ in length: {system.origin} has {n} lines, {name} has "
                    f"{len(stream)}. Did the decoder drop empty lines, or a line break split a segment?"
                )
    streams = References(tuple(stream for _, stream in references), n)
    return evaluate(TestSet(name=references[0][0], segments=n, references=streams), systems, metrics)


def _read_references(options: argparse.Namespace) -> list[tuple[str, Lines]]:
    """The streams of references, each with its file."""
    streams, n = [(name, _read(name, options.encoding)) for name in options.refs], options.num_refs
    if n == 1:
        return streams
    name, lines = streams[0]
    rows = [(text or "").split("\t", n - 1) for text in lines]
    return [(name, column) for column in _columns(rows, n, name)]


def _read_systems(options: argparse.Namespace) -> list[System]:
    from tertium.core.system import System

    names = options.input
    if names is not None:
        if not names or len(set(names)) < len(names):
            raise StatusError(f"-i {' '.join(names)}: name at least one file, and none of them twice")
        return [System(name=name, outputs=_read(name, options.encoding), origin=name) for name in names]
    where = "standard input"  # one system or, between tabs, several; here a lone \r ends a line too
    text = _decode(sys.stdin.buffer.read(), where, options.encoding).replace("\r\n", "\n").replace("\r", "\n")
    rows = [line.rstrip().split("\t") for line in text.removesuffix("\n").split("\n")]
    columns = _columns([[field.rstrip() for field in row] for row in rows], len(rows[0]), where)
    return [System(name=f"System {k}", outputs=lines, origin=where) for k, lines in enumerate(columns, 1)]


def _columns(rows: list[list[str]], n: int, where: str) -> list[Lines]:
    from tertium.core.lines import Lines

    for number, fields in enumerate(rows, 1):
        if len(fields) != n:
            raise StatusError(f"{where}:{number}: {len(fields)} texts between tabs, but expected {n}", 17)
    return [Lines.of([fields[k] for fields in rows]) for k in range(n)]


def _decode(data: Any, name: str, encoding: str) -> str:
    try:
        return bytes(data).decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: not readable ({error}); name its encoding, such as -e latin-1") from None


def _read(name: str, encoding: str) -> Lines:
    r"""As in sacreBLEU: lines end at \n alone and lose white space at their right; a BOM is text."""
    from tertium.core.lines import Lines
    from tertium.io.files import read_bytes

    data = read_bytes(name)
    plain = encoding.lower() in ("utf-8", "utf8") and data[:3] != b"\xef\xbb\xbf" and data[-1:] == b"\n"
    if plain and not WHITE_END.search(data):
        return Lines.from_bytes(data, name)
    text = _decode(data, name, encoding)
    return Lines.of([line.rstrip() for line in text.removesuffix("\n").split("\n")] if text else [])


def title(metric: Any) -> str:
    """A metric as sacreBLEU calls it."""
    return f"chrF{metric.beta}{'+' * metric.words}" if metric.name == "chrf" else str(metric.title)


def _signature(options: argparse.Namespace, metric: Any, evaluation: Evaluation) -> dict[str, str]:
    """sacreBLEU's, with its keys in its order."""
    said: dict[str, Any] = {"nrefs": len(evaluation.testset.references.streams)}
    if options.drawn:
        kind, trials = options.drawn
        said |= {kind: trials, "seed": os.environ.get("SACREBLEU_SEED", "12345").lower()}
    cased = metric.case_sensitive if metric.name == "ter" else not metric.lowercase
    said["case"] = "mixed" if cased else "lc"
    if metric.name == "bleu":
        outside = [f"-{metric.versions()[name]}-{DICTIONARY[name]}" for name in DICTIONARY if name == metric.tokenize]
        said |= {"eff": options.sentence_level, "tok": "".join([options.tokenizer_name or metric.tokenize, *outside])}
        value = SMOOTHING[metric.smooth] if metric.smooth_value is None else metric.smooth_value
        said["smooth"] = metric.smooth if value is None else f"{metric.smooth}[{value:.2f}]"
    elif metric.name == "chrf":
        said |= {"eff": not metric.eps, "nc": metric.chars, "nw": metric.words, "space": metric.whitespace}
    else:
        said |= {"tok": "tercom", "norm": metric.normalized}
        said |= {"punct": not metric.no_punct, "asian": metric.asian}
    said["version"] = VERSION
    return {key: ("no", "yes")[v] if isinstance(v, bool) else str(v) for key, v in said.items()}


def _join(signature: Mapping[str, str], metric: Metric, short: bool) -> str:
    keys = {"nrefs": "#", "seed": "rs", "version": "v", "case": "c"} | SHORT[metric.name] if short else {}
    return "|".join(f"{keys.get(key, key)}:{value}" for key, value in signature.items())


def _detail(parts: Mapping[str, Any]) -> str:
    """What follows a BLEU score."""
    if "brevity_penalty" not in parts:
        return ""
    precisions = "/".join(f"{precision:.1f}" for precision in parts["precisions"])
    output, reference = parts["output_length"], parts["reference_length"]
    lengths = f"hyp_len = {output:.0f} ref_len = {reference:.0f}"
    ratio = output / reference if reference else 0.0
    return f"{precisions} (BP = {parts['brevity_penalty']:.3f} ratio = {ratio:.3f} {lengths})"


def _spread(options: argparse.Namespace, metric: Metric, evaluation: Evaluation) -> tuple[str, str] | None:
    """-ci: mean and half the interval of sacreBLEU's resamples; none where the mean is 0, as there."""
    from tertium.inference.bootstrap import bootstrap, interval_of

    if not options.drawn:
        return None
    stats = evaluation.stats(evaluation.systems[0].name, metric)
    scores = bootstrap(stats, metric, trials=options.confidence_n, seed=seed())
    interval, mean = interval_of(scores, 0.95), float(scores.mean())
    half = (interval.high - interval.low) / 2
    return (f"{mean:.{options.width}f}", f"{half:.{options.width}f}") if mean > 0 else None


def _segments(options: argparse.Namespace, evaluation: Evaluation) -> Iterator[str]:
    """-sl: a line for every segment, whatever the format."""
    metric = evaluation.metrics[0]
    head = f"{title(metric)}|{_join(_signature(options, metric, evaluation), metric, options.short)} = "
    for score in evaluation.scores("segment"):
        number = f"{score.value:.{options.width}f}"
        yield number if options.score_only else f"{head}{number} {_detail(score.parts)}".rstrip()


def _one(options: argparse.Namespace, evaluation: Evaluation) -> Iterator[str]:
    """One system: for every metric an object, or a line; lines are aligned at their first `=`."""
    found = []
    for metric, score in zip(evaluation.metrics, evaluation.scores(), strict=True):
        name, signature = title(metric), _signature(options, metric, evaluation)
        number, detail = f"{score.value:.{options.width}f}", _detail(score.parts)
        spread = _spread(options, metric, evaluation)
        confidence = "μ = {} ± {}".format(*spread) if spread else ""
        scored = f"{number} ({confidence})" if spread else number
        line = f"{name}|{_join(signature, metric, options.short)} = {scored} {detail}".rstrip()
        shown = {"name": name, "score": float(number), "signature": _join(signature, metric, short=False)}
        if spread:
            mean, half = map(float, spread)
            shown |= {"confidence_mean": mean, "confidence_var": half, "confidence": confidence}
        shown |= {"verbose_score": detail} if detail else {}
        if options.format == "json":
            line = json.dumps(shown | signature, indent=1, ensure_ascii=False)
        found.append(scored if options.score_only else line)
    if options.format == "json":
        yield found[0] if len(found) == 1 else "[\n" + ",\n".join(found) + "\n]"
        return
    stops = [line.find(" =") for line in found]
    for stop, line in zip(stops, found, strict=True):
        yield line[:stop].rjust(max(stops)) + line[stop:] if stop > 0 else line


def _several(options: argparse.Namespace, evaluation: Evaluation) -> Iterator[str]:
    """Several systems: a list of objects, or a table and the signatures under it."""
    cells = {system.name: [system.name] for system in evaluation.systems}
    for score in evaluation.scores():
        cells[score.system].append(f"{score.value:.{options.width}f}")
    titles, rows = [title(metric) for metric in evaluation.metrics], list(cells.values())
    if options.format == "json":
        yield json.dumps([dict(zip(["system", *titles], row, strict=True)) for row in rows], indent=4)
        return
    yield from table(["System", *titles], rows, options.format == "latex")
    yield ""
    yield from signatures(options, evaluation)


def signatures(options: argparse.Namespace, evaluation: Evaluation) -> Iterator[str]:
    """What stands under a table."""
    yield "-----------------\nMetric signatures\n-----------------"
    for metric in evaluation.metrics:
        signature = _signature(options, metric, evaluation)
        yield f" - {title(metric):<10} {_join(signature, metric, options.short)}"


def table(header: list[str], rows: list[list[str]], latex: bool) -> Iterator[str]:
    """A grid, or LaTeX with booktabs: the first column to the right, the others in the middle."""
    lines: list[list[Sequence[str]]] = [
        list(zip_longest(*(cell.split("\n") for cell in row), fillvalue="")) for row in (header, *rows)
    ]
    flat = [line for row in lines[1:] for line in row]
    widths = [max(len(head) + 2, *map(len, column)) for head, *column in zip(header, *flat, strict=True)]
    aligned = [f"{'^' if k else '>'}{width}" for k, width in enumerate(widths)]
    shown = [[[f" {cell:{how}} " for cell, how in zip(line, aligned, strict=True)] for line in row] for row in lines]
    if latex:
        head, *body = ["&".join(cell.translate(LATEX) for cell in row[0]) + r"\\" for row in shown]
        yield rf"\begin{{tabular}}{{r{'c' * (len(header) - 1)}}}"
        yield from (r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}")
        return
    for k, row in enumerate(shown):
        left, dash, cross, right = "╒═╤╕" if k == 0 else "╞═╪╡" if k == 1 else "├─┼┤"
        yield left + cross.join(dash * (width + 2) for width in widths) + right
        yield from ("│" + "│".join(line) + "│" for line in row)
    yield "╘" + "╧".join("═" * (width + 2) for width in widths) + "╛"
