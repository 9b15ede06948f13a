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

from tertium.cli.sacrebleu.flags import FORMATS, SMOOTHING, VERSION, StatusError, parser
from tertium.core.errors import InputError, TertiumError
from tertium.core.version import VERSION as OURS
from tertium.core.wording import counted

if TYPE_CHECKING:
    from tertium.core.evaluation import Evaluation
    from tertium.core.lines import Lines
    from tertium.core.metric import Metric
    from tertium.core.system import System

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


def main(arguments: list[str], *, debug: bool = False) -> int:
    """Run the command: its exit status, which is sacreBLEU's. It has 1 for all that it refuses, but for two cases."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has printed its help or its complaint
        return int(stop.code or 0)
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    options.format = wanted if wanted in FORMATS else options.format
    try:
        _run(options)
    except TertiumError as error:
        if debug:
            raise
        print(f"tertium: {error}", file=sys.stderr)
        return error.status if isinstance(error, StatusError) else 1
    return 0


def _run(options: argparse.Namespace) -> None:
    from tertium.cli.sacrebleu.metrics import make_metrics

    if options.citation and options.test_set:
        from tertium.cli.sacrebleu.testsets import cited

        print(cited(options))
        return
    if options.citation:
        from tertium.analysis.explanation import explain
        from tertium.io.papers import bibtex
        from tertium.metrics.bleu import Bleu

        print(bibtex([explain(Bleu).paper]))
        return
    if options.list or options.echo or options.download:
        from tertium.cli.sacrebleu.testsets import asked

        _speak_utf8()
        for line in asked(options):
            print(line)
        return
    options.drawn = _drawn(options)
    _check(options)
    evaluation = _evaluate(options, make_metrics(options))
    if not options.quiet:
        said = f"computed by tertium {OURS}; the numbers are those of sacreBLEU {VERSION} (-q hides this)"
        for sentence in (said, *(() if options.force else evaluation.warnings)):
            print(f"tertium: {sentence}", file=sys.stderr)
    _speak_utf8()
    if options.detail:
        options.format = "text"
    layout = _segments if options.sentence_level else _one if len(evaluation.systems) == 1 else _several
    if options.paired_ar or options.paired_bs:
        from tertium.cli.sacrebleu.paired import paired as layout
    for line in layout(options, evaluation):
        print(line)
    if options.detail and len(evaluation.systems) == 1 and not options.sentence_level:
        from tertium.cli.sacrebleu.testsets import detailed

        for line in detailed(options, evaluation, [title(options, metric) for metric in evaluation.metrics]):
            print(line)


def _speak_utf8() -> None:
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")  # as sacreBLEU does


def _check(options: argparse.Namespace) -> None:
    """Refuse flags that contradict each other."""
    if options.width < 0:
        raise StatusError(f"-w {options.width}: the number of decimals cannot be negative")
    if options.test_set is None:
        for flag, value in (
            ("--origlang", options.origlang),
            ("--subset", options.subset),
            ("--detail", options.detail),
        ):
            if value:
                raise StatusError(f"{flag} is for test sets with a name; add -t NAME -l PAIR (--list lists them)")
        if not options.refs:
            raise StatusError(
                "no reference; name its file before -i: tertium sacrebleu REFERENCE... -i OUTPUT, or -t NAME"
            )
    elif options.refs:
        raise StatusError(f"-t {options.test_set} has references; leave out {options.refs[0]}")
    elif options.langpair is None:
        raise StatusError(f"-t {options.test_set} needs a language pair: -l SOURCE-TARGET (--list -t NAME lists them)")
    if options.num_refs != 1 < len(options.refs):
        raise StatusError(f"-nr {options.num_refs} splits the lines of one reference file, not of {len(options.refs)}")
    if options.num_refs < 1:
        raise StatusError(f"-nr {options.num_refs}: a line has one reference at least", 17)
    if options.langpair and "-" not in options.langpair:
        raise StatusError(f"-l {options.langpair}: write source and target, such as -l en-{options.langpair[-2:]}")
    if options.sentence_level and (len(options.metrics) > 1 or options.confidence or options.drawn):
        raise StatusError("-sl prints the scores of one metric, without an interval (-ci); name one after -m")
    if (options.paired_ar or options.paired_bs) and options.paired_jobs < 0:
        raise StatusError(f"-j {options.paired_jobs}: the number of workers cannot be negative")
    if options.drawn:
        from tertium.inference.seeds import check_drawn

        check_drawn(options.drawn[1], seed())


def _drawn(options: argparse.Namespace) -> tuple[str, int] | None:
    """What is drawn at random, and how often: resamples (bs) or permutations (ar). 0 means the default, as there."""
    if options.paired_ar:
        return "ar", options.paired_ar_n if options.paired_ar_n > 0 else 10000
    if options.paired_bs:
        return "bs", options.paired_bs_n if options.paired_bs_n > 0 else 1000
    return ("bs", options.confidence_n) if options.confidence and options.confidence_n > 1 else None


def seed() -> int:
    """SACREBLEU_SEED; a new one every time where it says none."""
    from tertium.inference.seeds import SEED

    text = os.environ.get("SACREBLEU_SEED", str(SEED)).lower()
    if text == "none":
        return int.from_bytes(os.urandom(4))
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise StatusError(f"SACREBLEU_SEED={text}: must be a whole number, 0 or more, or none")
    return number


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
                    f"outputs and references differ in length: {system.origin} has {counted(n, 'line')}, {name} has "
                    f"{len(stream)}. Did the decoder drop empty lines, or a line break split a segment?"
                )
    streams = References(tuple(stream for _, stream in references), n)
    testset = TestSet(name=references[0][0], segments=n, references=streams)
    if options.test_set is not None:
        from tertium.cli.sacrebleu.testsets import labelled, part

        testset, systems = part(labelled(options, testset), systems, options.origlang, options.subset)
    return evaluate(testset, systems, metrics)


def _read_references(options: argparse.Namespace) -> list[tuple[str, Lines]]:
    """The streams of references, each with its file."""
    if options.test_set is not None:
        from tertium.cli.sacrebleu.testsets import references

        return references(options)
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
        if options.paired_ar or options.paired_bs:  # the baseline may be named again, as in systems/*
            names = names[:1] + [name for name in names[1:] if name != names[0]]
        if not names or len(set(names)) < len(names):
            raise StatusError(f"-i {' '.join(names)}: name at least one file, and none of them twice")
        return [System(name=name, outputs=_read(name, options.encoding), origin=name) for name in names]
    where = "standard input"  # one system or, between tabs, several; here a lone \r ends a line too
    text = _decode(sys.stdin.buffer.read(), where, options.encoding).replace("\r\n", "\n").replace("\r", "\n")
    first, *rest = [line.rstrip().split("\t") for line in text.removesuffix("\n").split("\n")]
    columns = _columns([first, *([field.rstrip() for field in row] for row in rest)], len(first), where)
    return [System(name=f"System {k}", outputs=lines, origin=where) for k, lines in enumerate(columns, 1)]


def _columns(rows: list[list[str]], n: int, where: str) -> list[Lines]:
    from tertium.core.lines import Lines

    for number, fields in enumerate(rows, 1):
        if len(fields) != n:
            raise StatusError(f"{where}:{number}: {counted(len(fields), 'text')} between tabs, but expected {n}", 17)
    return [Lines.of([fields[k] for fields in rows]) for k in range(n)]


def _decode(data: Any, name: str, encoding: str) -> str:
    try:
        return bytes(data).decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: not readable ({error}); name its encoding, such as -e latin-1") from None


def _read(name: str, encoding: str) -> Lines:
    r"""As in sacreBLEU: lines end at \n alone and lose white space at their right; a BOM is text."""
    from tertium.core.lines import Lines
    from tertium.io.files import check_nuls, read_bytes

    data, unicode = read_bytes(name), encoding.lower() in ("utf-8", "utf8")
    if unicode:
        check_nuls(data, name)
    plain = unicode and data[:3] != b"\xef\xbb\xbf" and data[-1:] == b"\n"
    if plain and not WHITE_END.search(data):
        try:
            return Lines.from_bytes(data, name)
        except InputError as error:
            raise StatusError(f"{str(error).partition(';')[0]}; name its encoding, such as -e latin-1") from None
    text = _decode(data, name, encoding)
    return Lines.of([line.rstrip() for line in text.removesuffix("\n").split("\n")] if text else [])


def title(options: argparse.Namespace, metric: Metric) -> str:
    """A metric as sacreBLEU calls it."""
    return f"chrF{options.chrf_beta}{'+' * options.chrf_words}" if metric.name == "chrf" else metric.title


def _signature(options: argparse.Namespace, metric: Any, evaluation: Evaluation) -> dict[str, str]:
    """sacreBLEU's, with its keys in its order."""
    said: dict[str, Any] = {"nrefs": len(evaluation.testset.references.streams)}
    if options.drawn:
        kind, trials = options.drawn
        said |= {kind: trials, "seed": _seed_text(options)}
    cased = metric.case_sensitive if metric.name == "ter" else not metric.lowercase
    said["case"] = "mixed" if cased else "lc"
    if metric.name == "bleu":
        outside = [f"-{metric.versions()[name]}-{DICTIONARY[name]}" for name in DICTIONARY if name == metric.tokenize]
        said |= {"eff": options.sentence_level, "tok": "".join([options.tokenizer_name or metric.tokenize, *outside])}
        value = SMOOTHING[metric.smooth] if metric.smooth_value is None else metric.smooth_value
        said["smooth"] = metric.smooth if value is None else f"{metric.smooth}[{value:.2f}]"
    elif metric.name == "chrf":
        said |= {"eff": not metric.eps, "nc": options.chrf_chars, "nw": options.chrf_words}
        said["space"] = metric.whitespace
    else:
        said |= {"tok": "tercom", "norm": metric.normalized}
        said |= {"punct": not metric.no_punct, "asian": metric.asian}
    said["version"] = VERSION
    return {key: ("no", "yes")[v] if isinstance(v, bool) else str(v) for key, v in said.items()}


def _seed_text(options: argparse.Namespace) -> str:
    """SACREBLEU_SEED as signatures have it: of an interval as it was written, of a paired test as a number."""
    text = os.environ.get("SACREBLEU_SEED", "12345").lower()
    return str(seed()) if text != "none" and (options.paired_ar or options.paired_bs) else text


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
    head = f"{title(options, metric)}|{_join(_signature(options, metric, evaluation), metric, options.short)} = "
    for score in evaluation.scores("segment"):
        number = f"{score.value:.{options.width}f}"
        yield number if options.score_only else f"{head}{number} {_detail(score.parts)}".rstrip()


def _one(options: argparse.Namespace, evaluation: Evaluation) -> Iterator[str]:
    """One system: for every metric an object, or a line; lines are aligned at their first `=`."""
    found = []
    for metric, score in zip(evaluation.metrics, evaluation.scores(), strict=True):
        name, signature = title(options, metric), _signature(options, metric, evaluation)
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
    titles, rows = [title(options, metric) for metric in evaluation.metrics], list(cells.values())
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
        yield f" - {title(options, metric):<10} {_join(signature, metric, options.short)}"


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
