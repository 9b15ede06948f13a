"""`tertium meta judge`: metrics beside people, system by system and segment by segment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tertium.cli.listings import Listing, Value, csv_listing, markdown_listings, text_listings
from tertium.cli.pages import page_option, write_page
from tertium.cli.score import read_input, system_options, trust_option, write, write_notes
from tertium.cli.working import size_of, working
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.shown import counted, describe, headings
from tertium.human.evaluate import evaluate_all
from tertium.human.scores import usual_gold
from tertium.inference.corrections import CORRECTED
from tertium.inference.rivals import SIDES, Sides
from tertium.inference.seeds import WMT_SEED, WMT_TRIALS
from tertium.meta.judge import LEVELS, SCORES, TITLES, Level, MetaEvaluation, MetaScore, meta_evaluate, pool
from tertium.meta.objects import meta_object
from tertium.meta.rivalry import SEGMENT_TESTS, SYSTEM_TESTS, TEST_TITLES, Rivalry, read_rules
from tertium.metrics import parse, parse_list

if TYPE_CHECKING:
    from tertium.io.segment_scores import Column
    from tertium.report.page import Page

SHORT = {"max-t": "max-T", "holm": "Holm", "bh": "BH", "none": "uncorrected"}
NAMED = ("pearson", "spearman", "tau_b")
WIDTH = 3


@click.command()
@click.argument("testsets", nargs=-1, metavar="[TESTSET]...")
@system_options
@click.option("-m", "--metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option(
    "--gold", metavar="METRIC", help="What people said, such as 'human(scale=\"adequacy\")'. [default: human]"
)
@click.option("--gold-scores", multiple=True, metavar="FILE",
              help="Or published scores of segments (SYS SID RAW.SCR Z.SCR N), one file for each TESTSET.")  # fmt: skip
@click.option("--gold-column", type=click.Choice(["z", "raw"]),
              help="Which of the published scores. [default: z where the file has them]")  # fmt: skip
@click.option("--gold-order", type=click.Choice(["documents", "lines"]), default="documents", show_default=True,
              help="What SID counts: segments of documents sorted by name, as WMT does, or lines.")  # fmt: skip
@trust_option
@click.option("--level", "levels", type=click.Choice(LEVELS), multiple=True, help="[default: both]")
@click.option("--micro", is_flag=True, help="Weigh segments and systems by how many scores they have.")
@click.option("--threshold", type=click.FloatRange(0, min_open=True), metavar="POINTS",
              help="How far apart judgements must be for Kendall-like. [default: 25 on 0-100]")  # fmt: skip
@click.option("--system-by", default="pearson", show_default=True, metavar="STATISTIC[:TEST]",
              help=f"How metrics are compared by systems: {', '.join(SYSTEM_TESTS)}.")  # fmt: skip
@click.option("--segment-by", default="acc_eq", show_default=True, metavar="STATISTIC[:TEST]",
              help=f"And by segments: {', '.join(SEGMENT_TESTS)}. Tests: williams, both, inputs, systems.")  # fmt: skip
@click.option("--correction", type=click.Choice(list(CORRECTED)), default="max-t", show_default=True,
              help="For many pairs of metrics at once; for Williams' test, which makes no trials, max-t is holm.",
)  # fmt: skip
@click.option("--sides", type=click.Choice(SIDES), default=SIDES[0], show_default=True,
              help="Is one of two metrics closer (two), or the one that is ahead, as WMT asks (one)?")  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="How often a difference may be found where there is none.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1),
              help=f"Random swaps. [default: {WMT_TRIALS}, more where holm, bh or a small alpha takes more]",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=WMT_SEED, show_default=True, help="Seed of what is drawn.")
@click.option("--pairs", is_flag=True, help="Show every pair of metrics.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How results are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=WIDTH, show_default=True, help="Decimals as text.")
@click.option("--threads", type=click.IntRange(1), help="Threads; the result is the same for any number.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of the screen.")
@page_option
def judge(
    testsets: tuple[str, ...],
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
    metrics: tuple[str, ...],
    gold: str | None,
    gold_scores: tuple[str, ...],
    gold_column: Column | None,
    gold_order: str,
    trust_join: bool,
    levels: tuple[Level, ...],
    micro: bool,
    threshold: float | None,
    system_by: str,
    segment_by: str,
    correction: str,
    sides: Sides,
    alpha: float,
    trials: int | None,
    seed: int,
    pairs: bool,
    form: str,
    width: int,
    threads: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Judge metrics by what people said of the systems.

    tertium meta testset.toml -m bleu,chrf,ter --gold 'human(scale="adequacy")'. With several test sets, pairs of
    systems are pooled and other statistics averaged over them.
    """
    rules = read_rules(system_by, segment_by, correction, sides)
    chosen = parse_list(metrics or ("bleu,chrf,ter",))
    if gold_scores and len(gold_scores) != max(1, len(testsets)):
        raise OptionError(f"{len(gold_scores)} files of --gold-scores for {counted(len(testsets), 'test set')}; "
                          f"give one for each")  # fmt: skip
    if len(testsets) > 1 and hyps:
        raise OptionError("--hyp goes with one test set; several name their systems themselves")
    evaluations, found = [], []
    for k, testset in enumerate(testsets or (None,)):
        given = read_input(testset, src, refs, hyps, doc, missing)
        file = gold_scores[k] if gold_scores else None
        evaluation, people, column = judged(given, chosen, gold, (file, gold_column, gold_order), threads,
                                            trust_join)  # fmt: skip
        evaluations.append(evaluation)
        result = meta_evaluate(evaluation, people, levels=levels or LEVELS, micro=micro, threshold=threshold,
                               rules=rules, trials=trials, seed=seed, alpha=alpha, trust_join=trust_join,
                               gold_scores=column)  # fmt: skip
        found.append(result)
    if form == "json":
        text = json.dumps(meta_object(evaluations, found), ensure_ascii=False, indent=1)
    elif form == "csv":
        text = csv_listing(full_listing(found).with_columns(trials=found[0].trials, seed=found[0].seed))
    else:
        text = render(evaluations, found, form, width, pairs=pairs)
    write(text, output)
    write_page(page, lambda: whole_page(evaluations, found))
    if form != "json":
        warnings = [*(item.warnings for item in evaluations), *(item.warnings for item in found)]
        write_notes(dict.fromkeys(warning for item in warnings for warning in item))


def judged(
    given: Evaluation,
    metrics: Sequence[Metric],
    gold: str | None,
    published: tuple[str | None, Column | None, str],
    threads: int | None,
    trust_join: bool,
) -> tuple[Evaluation, Any, str]:
    """The evaluation, what in it, or beside it, people said, and which of the published scores that is."""
    file, column, order = published
    if file is not None and gold is not None:
        raise OptionError("--gold names judgements of the test set, --gold-scores a file; give one of them")
    people = None if file is not None else usual_gold(given.judgements) if gold is None else parse(gold)
    asked = [metric for metric in metrics if metric != people]
    with working(threads, size=size_of(given, len(asked))) as run:
        evaluation = evaluate_all(given, asked if people is None else [*asked, people], run=run, trust_join=trust_join)
    if file is None:
        return evaluation, people, ""
    from tertium.io.segment_scores import read_segment_scores, usual_column

    chosen = column or usual_column(file)
    return evaluation, read_segment_scores(file, given.testset, chosen, order=order), chosen


def whole_page(evaluations: Sequence[Evaluation], found: Sequence[MetaEvaluation]) -> Page:
    """Everything, with charts."""
    from tertium.report.against import meta_page

    about = [describe(evaluation.testset) for evaluation in evaluations]
    return meta_page(found, headings(evaluations[0].metrics), about)


def render(
    evaluations: Sequence[Evaluation], found: Sequence[MetaEvaluation], form: str, width: int, *, pairs: bool
) -> str:
    """A part for each test set, and one over all."""
    names = headings(evaluations[0].metrics)
    markdown = form == "markdown"
    parts = []
    for evaluation, result in zip(evaluations, found, strict=True):
        shown = listings(result, names, pairs=pairs)
        parts += [about(evaluation, result), (markdown_listings if markdown else text_listings)(shown, width)]
    if len(found) > 1:
        over = [pooled_listing(found, names)]
        parts.append((markdown_listings if markdown else text_listings)(over, width))
    if not markdown:
        parts.append("\n".join(dict.fromkeys(text for item in evaluations for text in item.signatures.values())))
    return "\n\n".join(parts)


def about(evaluation: Evaluation, result: MetaEvaluation) -> str:
    """What is compared with what."""
    cells = len(result.systems) * len(evaluation.testset)
    return (f"{describe(evaluation.testset)}\n{counted(len(result.metrics), 'metric')} against {result.gold}, "
            f"{SCORES[result.gold_scores]}:\n{result.judged} of {cells} outputs of "
            f"{counted(len(result.systems), 'system')} judged")  # fmt: skip


def listings(result: MetaEvaluation, names: Mapping[str, str], *, pairs: bool) -> list[Listing]:
    """Tables of one test set."""
    tables: list[Listing] = []
    for level in result.rivalries:
        tables += (system_listings if level == "system" else segment_listings)(result, names)
        tables += rivalry_listings(result.rivalries[level], names, pairs=pairs)
        tables.append(matrix(result, level, names))
    return tables


def correlation_listing(
    title: str, result: MetaEvaluation, names: Mapping[str, str], level: Level, average: str
) -> Listing:
    """Pearson, Spearman and tau-b with their p-values where points are independent; tau-c and n."""
    tested = level == "system" or average == "item"
    rows: list[list[Value]] = []
    for metric in result.metrics:
        items = [result.find(metric, statistic, level, average) for statistic in (*NAMED, "tau_c")]
        shown: list[Value] = [
            cell for item in items[:-1] for cell in ((item.value, item.p) if tested else (item.value,))
        ]
        rows.append([names[metric], *shown, items[-1].value, items[0].n])
    heads = [head for name in ("Pearson", "Spearman", "tau-b") for head in ((name, "p") if tested else (name,))]
    return Listing(title, ["metric", *heads, "tau-c", "n"], rows)


def system_listings(result: MetaEvaluation, names: Mapping[str, str]) -> list[Listing]:
    """Do metrics rank systems as people do?"""
    title = f"System level: {counted(len(result.systems), 'system')}, corpus scores"
    first = correlation_listing(title, result, names, "system", "none")
    rows: list[list[Value]] = []
    for metric in result.metrics:
        whole, apart, soft = (result.find(metric, name) for name in ("accuracy", "accuracy_separated", "spa"))
        rows.append([names[metric], whole.value, f"{whole.agree}/{whole.n}", apart.value, f"{apart.agree}/{apart.n}",
                     soft.value, soft.error, soft.n])  # fmt: skip
    alpha = result.rivalries["system"].alpha
    title = f"System level: pairwise accuracy, of all pairs and of those people separate\n(p <= {alpha:g}); " \
            f"soft pairwise accuracy (SPA) on n segments judged for all"  # fmt: skip
    note = f"error: what {result.trials} sign flips, seed {result.seed}, leave uncertain in SPA (standard error)"
    heads = ["metric", "accuracy", "pairs", "separated", "pairs", "SPA", "error", "n"]
    return [first, Listing(title, heads, rows, note=note)]


def segment_listings(result: MetaEvaluation, names: Mapping[str, str]) -> list[Listing]:
    """Do metrics judge single outputs as people do?"""
    tables = [
        correlation_listing(title, result, names, "segment", by)
        for by, title in (
            ("none", "Segment level: all scores together (none)"),
            ("item", "Segment level: mean over segments (item)"),
            ("system", "Segment level: mean over systems (system)"),
        )
    ]
    rows: list[list[Value]] = []
    threshold = None
    for metric in result.metrics:
        found = {score.statistic: score for score in result.scores
                 if (score.metric, score.level, score.average) == (metric, "segment", "item")}  # fmt: skip
        best = found["acc_eq_calibrated"]
        rows.append([names[metric], *(found[name].value for name in ("tau_eq", "acc_eq")), best.value, best.eps,
                     best.tied, found["difference_pearson"].value, best.n])  # fmt: skip
        if "kendall_like" in found:
            threshold = found["kendall_like"].eps
            rows[-1] += [found["kendall_like"].value, found["kendall_like"].n]
    heads = ["metric", "tau_eq", "acc_eq", "acc_eq*", "eps", "tied", "PDP", "pairs"]
    note = "acc_eq*: at the best eps; tied: share of pairs tied there;\nPDP: pairwise difference Pearson"
    if threshold is not None:
        heads += ["DARR", "pairs"]
        note += f"; DARR: Kendall-like, of pairs set {threshold:g} apart"
    return [*tables, Listing("Segment level: pairs of systems on one segment (item)", heads, rows, note=note)]


def rivalry_listings(rivalry: Rivalry, names: Mapping[str, str], *, pairs: bool) -> list[Listing]:
    """Metrics from closest to people to farthest, in clusters, and every pair where that is asked."""
    beaten = {name: [names[duel.worse] for duel in rivalry.duels if duel.better == name and duel.significant]
              for name in rivalry.values}  # fmt: skip
    place = {name: str(k) for k, cluster in enumerate(rivalry.clusters, 1) for name in cluster}
    rows: list[list[Value]] = [
        [place.get(name), names[name], ", ".join(beaten[name]), rivalry.values[name]] for name in rivalry.ranked
    ]
    drawn = "" if rivalry.test == "williams" else f", {counted(rivalry.trials, 'trial')}, seed {rivalry.seed}"
    title = statistic_title(rivalry)
    head = (f"{rivalry.level.capitalize()} level: which metrics are closer to people, by {title}\n"
            f"{TEST_TITLES[rivalry.test]}, {rivalry.sides}-sided{drawn}; {CORRECTED[rivalry.correction]}, "
            f"alpha {rivalry.alpha:g}")  # fmt: skip
    note = "" if rivalry.unresolvable is None else f"who is closer is {rivalry.unresolvable}"
    found = [Listing(head, ["cluster", "metric", "better than", "value"], rows, left=3, note=note)]
    if pairs:
        duels: list[list[Value]] = [
            [names[duel.better], names[duel.worse], duel.difference, duel.p, duel.adjusted] for duel in rivalry.duels
        ]
        found.append(Listing(f"{rivalry.level.capitalize()} level: pairs of metrics",
                             ["better", "worse", "difference", "p", f"p ({SHORT[rivalry.correction]})"], duels,
                             left=2))  # fmt: skip
    return found


def statistic_title(rivalry: Rivalry) -> str:
    """The exact name of what metrics are compared by."""
    if rivalry.level == "system":
        return TITLES[rivalry.statistic]
    return {"acc_eq": "acc_eq* (item)", "tau_b": "Kendall tau-b (item)",
            "pearson": "Pearson r (none)"}[rivalry.statistic]  # fmt: skip


def matrix(result: MetaEvaluation, level: Level, names: Mapping[str, str]) -> Listing:
    """How metrics go together; columns are numbered to stay narrow."""
    numbers = [str(k + 1) for k in range(len(result.metrics))]
    rows: list[list[Value]] = [
        [number, names[metric], *(float(value) for value in row)]
        for number, metric, row in zip(numbers, result.metrics, result.between[level], strict=True)
    ]
    title = f"{level.capitalize()} level: Pearson r between metrics"
    return Listing(title, ["", "metric", *numbers], rows, left=2)


def pooled_listing(found: Sequence[MetaEvaluation], names: Mapping[str, str]) -> Listing:
    """Accuracies of all pairs of systems; plain means of the rest."""
    wanted: tuple[tuple[Level, str, str, str], ...] = (
        ("system", "accuracy", "none", "accuracy"),
        ("system", "accuracy_separated", "none", "separated"),
        ("system", "spa", "none", "SPA"),
        ("system", "pearson", "none", "r"),
        ("segment", "tau_b", "item", "tau-b"),
        ("segment", "acc_eq_calibrated", "item", "acc_eq*"),
    )
    by = {(score.metric, score.level, score.statistic, score.average): score for score in pool(found)}
    kept = [key for key in wanted if any((metric, *key[:3]) in by for metric in found[0].metrics)]
    rows: list[list[Value]] = []
    for metric in found[0].metrics:
        row: list[Value] = [names[metric]]
        for level, statistic, average, _ in kept:
            score = by[metric, level, statistic, average]
            row += [score.value] if score.agree is None else [score.value, f"{score.agree}/{score.n}"]
        rows.append(row)
    heads = ["metric"]
    for _, statistic, _, head in kept:
        heads += [head, "pairs"] if statistic.startswith("accuracy") else [head]
    return Listing(f"Over {len(found)} test sets: accuracies of all pairs, means of the rest\n"
                   f"(SPA and Pearson r of systems; tau-b and acc_eq* by item)", heads, rows)  # fmt: skip


def full_listing(found: Sequence[MetaEvaluation]) -> Listing:
    """Every statistic on a line of its own."""
    heads = ["testset", "gold", "scores", "metric", "level", "statistic", "average", "value", "p", "n", "unit",
             "groups", "eps", "tied", "error"]  # fmt: skip
    groups: list[tuple[str, Sequence[MetaScore]]] = [(result.testset, result.scores) for result in found]
    if len(found) > 1:
        groups.append(("all", pool(found)))
    rows: list[list[Value]] = [
        [testset, found[0].gold, found[0].gold_scores, s.metric, s.level, TITLES[s.statistic], s.average, s.value, s.p,
         s.n, s.unit, s.groups, s.eps, s.tied, s.error]
        for testset, scores in groups
        for s in scores
    ]  # fmt: skip
    return Listing("", heads, rows)
