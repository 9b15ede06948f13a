"""`tertium mbr` and `tertium rerank`: candidates in, the chosen ones out, segment by segment."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import click

from tertium.cli.output import write_notes
from tertium.cli.parameters import argument, option, parameters
from tertium.cli.results import RESULT
from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.core.wording import counted
from tertium.io.columns import extension
from tertium.io.nbest import EXTENSIONS, FORMS, NBest, read_nbest
from tertium.metrics import parse

if TYPE_CHECKING:
    from tertium.analysis.mbr import CandidateRanking
    from tertium.core.metric import Metric

PATIENCE = 2.0  # seconds of work before a progress bar is worth its while
BATCH = 1024  # candidates that a metric gets at a time when it scores them alone
TAB = "\t"
BREAK = re.compile(r"[\r\n]+")

Chosen = tuple[str, "CandidateRanking"]  # a segment's id and what came of its candidates


class CandidateSegment(NamedTuple):
    """A segment to decide on."""

    id: str
    candidates: NBest
    references: NBest | None
    source: str | None


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """What both commands read and write."""

    candidates: str = argument(default="-")
    per_segment: int | None = option("-n", "--per-segment", type=click.IntRange(1), metavar="N",
                                     help="Plain text: so many lines, one candidate each, belong to every segment.",
                                     )  # fmt: skip
    form: str | None = option("--input-format", type=click.Choice(FORMS),
                              help="How candidates are listed. [default: told by the file's name or first line]",
                              )  # fmt: skip
    src: str | None = option("-s", "--src", metavar="FILE",
                             help="Source, one line per segment, for metrics that read it.")  # fmt: skip
    shown: str = option("-f", "--format", type=click.Choice(["text", "tsv", "json"]), default="text",
                        show_default=True, help="How choices are printed; json is one object per line.")  # fmt: skip
    everything: bool = option("--all", is_flag=True, help="All candidates, best first, not only the best.")
    threads: int | None = option("--threads", type=click.IntRange(1),
                                 help="Threads; the result is the same for any number. [default: all]")  # fmt: skip
    output: str | None = option(
        "-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen."
    )

    def read(self) -> Iterator[NBest]:
        """The lists of a file, or of standard input if something is piped into it."""
        if self.candidates == "-" and sys.stdin is not None and sys.stdin.isatty():
            raise OptionError("no candidates: name a file, or pipe them into standard input")
        return read_nbest(self.candidates, self.form, self.per_segment)

    def write(self, choices: Iterator[Chosen]) -> None:
        """As they come, to the screen; or whole or not at all to a file."""
        on_screen = self.output is None or self.output == "-"
        if sys.stderr.isatty() and not (on_screen and sys.stdout.isatty()):  # lines on the screen are progress enough
            choices = watch(choices)
        head = ["segment\trank\tindex\tutility\tcandidate"] if self.shown == "tsv" else []
        lines = chain(head, (line for choice in choices for line in render(*choice, self.shown, self.everything)))
        if self.output is None or on_screen:
            for line in lines:
                click.echo(line)
            return
        from tertium.io.files import write_atomically

        with write_atomically(self.output) as file:
            for line in lines:
                file.write(line.encode() + b"\n")


choosing_options = parameters(Choosing, "given")


@click.command()
@choosing_options
@click.option("-m", "--metric", default="chrf", show_default=True, metavar="METRIC", help="The utility: any metric.")
@click.option("-r", "--ref", metavar="FILE", help="Compare with these lists instead of the candidates themselves.")
@click.option("--ref-per-segment", type=click.IntRange(1), metavar="N", help="As -n, of --ref. [default: as -n]")
@click.option("--weights", type=click.Choice(["linear", "log", "none"]),
              help="What the weights in the lists are: weights or counts, log-probabilities, or not to be used. "
              "[default: linear; none for Moses lists]")  # fmt: skip
@click.option("--temperature", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True,
              help="With --weights log: what log-probabilities are divided by.")  # fmt: skip
@click.option("--aggregate", is_flag=True, help="Compare once, with the mean of all: linear time, chrF only.")
def mbr(
    given: Choosing,
    metric: str,
    ref: str | None,
    ref_per_segment: int | None,
    weights: str | None,
    temperature: float,
    aggregate: bool,
) -> None:
    """Choose by minimum Bayes risk.

    For each segment, the candidate that scores best on average against all candidates of the segment (or those of
    --ref) under a metric: tertium mbr -m chrf samples.jsonl
    """
    from tertium.analysis.mbr import expected_utilities, weights_of
    from tertium.analysis.pairwise import check_averages, check_metric
    from tertium.engines.threads import in_order

    utility = parse(metric)
    if "references" not in utility.needs:
        raise OptionError(
            f"{utility.name} needs no references, so nothing is compared; use: tertium rerank -m {metric}"
        )
    if aggregate:
        check_averages(utility)
    if given.candidates == ref == "-":
        raise OptionError("standard input (-) can be read only once; name a file for --ref")
    lists, others = given.read(), None
    if ref is not None:
        others = read_nbest(ref, given.form, ref_per_segment or (None if has_form(ref) else given.per_segment))

    def decide(segment: CandidateSegment) -> Chosen:
        check_metric(utility, segment.source is not None)
        heard = segment.references or segment.candidates
        how = weights or ("none" if heard.model_scores else "linear")
        mass = None
        if heard.weights is not None and how != "none":
            mass = weights_of(heard.weights, how, temperature, heard.where)  # type: ignore[arg-type]
        own, texts = segment.candidates, None if segment.references is None else segment.references.texts
        return segment.id, expected_utilities(own.texts, utility, mass, texts, segment.source, own.where, aggregate)

    given.write(in_order(decide, read_segments(lists, others, given.src), Run(threads=given.threads)))


@click.command()
@choosing_options
@click.option("-m", "--metric", metavar="METRIC",
              help="One that needs no references, such as comet(model=\"PATH\", inputs=\"source\"). "
              "[default: cosine, if the extra encoder is installed]")  # fmt: skip
@click.option(
    "--models", multiple=True, metavar="DIR", help="A folder in which metrics' models are looked for by name."
)
def rerank(given: Choosing, metric: str | None, models: tuple[str, ...]) -> None:
    """Choose by a metric that needs no references.

    For each segment, the candidate that the metric likes best: tertium rerank -m METRIC --src source.de samples.jsonl
    """
    from tertium.analysis.mbr import check_reference_free, scores_alone
    from tertium.core.testset import TestSet
    from tertium.engines import door
    from tertium.engines.models import pin
    from tertium.engines.threads import in_order

    judge = reference_free(metric)
    check_reference_free(judge, has_source=True)  # whether there is one is known when a segment has been read
    judge, run = pin(judge, Run(threads=given.threads, models=models))
    copies = 0

    def decide(batch: list[CandidateSegment]) -> list[tuple[str, CandidateRanking, bool]]:
        for segment in batch:
            check_reference_free(judge, segment.source is not None)
        found = scores_alone([(segment.candidates.texts, segment.source) for segment in batch], judge, run)
        return [
            (segment.id, ranking, ranking.text.strip() == (segment.source or "").strip() != "")
            for segment, ranking in zip(batch, found, strict=True)
        ]

    def choices() -> Iterator[Chosen]:
        nonlocal copies
        threads = run if getattr(judge, "concurrent", True) else replace(run, threads=1)
        for batch in in_order(decide, batches(read_segments(given.read(), None, given.src)), threads):
            for segment, ranking, copied in batch:
                copies += copied
                yield segment, ranking

    given.write(choices())
    notes = door.notes(judge, TestSet(segments=0))
    if copies:
        notes.append(
            f"{counted(copies, 'chosen candidate')} {'is a copy' if copies == 1 else 'are copies'} of the source"
        )
    write_notes(notes)


def reference_free(metric: str | None) -> Metric:
    """The metric that is asked for, or the one that is installed; else what to install."""
    from tertium.text.encoder import INSTALL, has_encoder

    if metric is not None:
        return parse(metric)
    if not has_encoder():
        raise OptionError(
            f"no metric that needs no references is installed: {INSTALL} brings cosine (a guard, not a measure of "
            'quality); pip install "tertium[neural]" reads models of quality estimation: '
            '-m \'comet(model="PATH", inputs="source")\''
        )
    return parse("cosine")


def has_form(path: str) -> bool:
    """Whether a file's name tells how its candidates are listed."""
    return extension(path) in EXTENSIONS


def read_segments(
    lists: Iterator[NBest], others: Iterator[NBest] | None, src: str | None
) -> Iterator[CandidateSegment]:
    """Candidates, what they are compared with and the source, segment by segment; none may be left over."""
    from tertium.io.texts import read_stream

    sources = None if src is None else read_stream(src)
    count = 0
    for one, other in zip_longest(lists, others or ()):
        if one is None:
            raise InputError(f"{other.where}: --ref has more segments than the {count} that have candidates")
        count += 1
        if others is not None and other is None:
            raise InputError(
                f"{one.where}: no references for segment {count}; --ref has {counted(count - 1, 'segment')}"
            )
        if other is not None and None not in (one.id, other.id) and one.id != other.id:
            raise InputError(
                f"{one.where}: segment {one.id}, but {other.where} has segment {other.id}; "
                f"both must list the same segments in the same order"
            )
        if sources is not None and count > len(sources):
            raise InputError(f"{one.where}: no source for segment {count}; {src} has {counted(len(sources), 'line')}")
        source = one.source if sources is None else sources[count - 1]
        yield CandidateSegment(str(count) if one.id is None else one.id, one, other, source)
    if sources is not None and count != len(sources):
        raise InputError(
            f"{src}: {counted(len(sources), 'line')}, but there are candidates for {counted(count, 'segment')}"
        )


def batches(segments: Iterable[CandidateSegment]) -> Iterator[list[CandidateSegment]]:
    """Segments together, until they have BATCH candidates."""
    batch: list[CandidateSegment] = []
    for segment in segments:
        batch.append(segment)
        if sum(len(one.candidates.texts) for one in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def render(segment: str, ranking: CandidateRanking, shown: str, everything: bool) -> Iterator[str]:
    """The lines that say what was chosen for a segment."""
    places = ranking.order if everything else ranking.order[:1]
    texts, utilities = ranking.candidates, ranking.utilities
    if shown == "json":
        items = [{"index": k, "utility": utilities[k], "text": texts[k]} for k in places]
        row = {"segment": segment, **items[0], **({"ranking": items} if everything else {})}
        yield json.dumps(row, ensure_ascii=False)
        return
    for rank, k in enumerate(places, 1):
        text = BREAK.sub(" ", texts[k])  # a candidate is one line
        yield text if shown == "text" else f"{segment}\t{rank}\t{k}\t{utilities[k]!r}\t{text.replace(TAB, ' ')}"


def watch(choices: Iterator[Chosen]) -> Iterator[Chosen]:
    """The same, with a count of the segments done, shown once the work turns out to be long."""
    begun, count = time.monotonic(), 0
    for choice in choices:
        yield choice
        count += 1
        if time.monotonic() - begun > PATIENCE:
            break
    else:
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("segments"), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("segments", total=None, completed=count)
        for choice in choices:
            yield choice
            bar.advance(task)
