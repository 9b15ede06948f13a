"""Prompts as pages of their own: a template that was searched for, a soft prompt that was trained."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tertium.core.wording import counted
from tertium.report.charts import Chart, Mark
from tertium.report.figures.overview import LEAD, SECOND, SOFT, drawn, named_chart, word
from tertium.report.figures.people import CIRCLE, DIAMOND
from tertium.report.methods import LIU, NOREEN, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.prompt_search import candidate_table, verdict_table
from tertium.report.trust import Trust
from tertium.report.verdicts import prompts as said
from tertium.report.words import capital

if TYPE_CHECKING:
    from tertium.prompt.search.search import PromptSearch
    from tertium.prompt.soft import SoftTraining

JIANG = 'Jiang, Xu, Araki and Neubig (2020), "How can we know what language models know?"'
JAMIESON = 'Jamieson and Talwalkar (2016), "Non-stochastic best arm identification and hyperparameter optimization"'
LESTER = 'Lester, Al-Rfou and Constant (2021), "The power of scale for parameter-efficient prompt tuning"'
HALVING = """Templates are given, mined from texts and paraphrased. All are tried on a few segments of dev, the better
half goes on to more of them, until few are left (successive halving). The best of these is the winner."""
TESTED = """Winner and baseline are asked about the segments of test, which were not looked at before, and compared by a
paired permutation test; intervals are percentile bootstrap intervals over segments. Dev less test says how much too
high the winner's score on dev is."""
SOFT_SAID = """Vectors before the prompt are trained by Adam to make the answers of the examples likelier, while the
model stays as it is. The epoch with the lowest loss on dev is kept, and training stops when none has been lower for a
while."""
HEIGHT = 230
ROW = 22  # pixels for a template


def search_page(found: PromptSearch, about: str) -> Page:
    """Whether a better template was found, what was tried, and how."""
    compared = verdict_table(found)
    compared = replace(compared, note=" ".join(f"{capital(line)}." for line in compared.note.split("\n")))
    parts = [
        SectionPart(finding=said.candidates_finding(found), charts=[candidate_chart(found)]),
        SectionPart(title="Every template", folded=True, tables=[candidate_table(found)]),
    ]
    return Page(
        title=f"Search for a template: {found.winner}",
        subtitle=about,
        sections=[
            opening(said.search_verdict(found), list(said.search_trust(found)), (), found.notes),
            composed("test", "Winner and baseline", [SectionPart(tables=[compared])]),
            composed("candidates", "Templates on dev", parts),
            methods_of(
                [
                    Method("Search", HALVING, f"{JIANG}; {JAMIESON}; {LIU}"),
                    Method("Test", TESTED, NOREEN),
                ],
                {},
                f"{about}.",
            ),
        ],
    )


def candidate_chart(found: PromptSearch) -> Chart:
    """The score of each candidate on the segments that it was asked about; only those of one round compare."""
    import altair as alt

    last = max(one.rounds for one in found.candidates)
    rows = [
        {
            "template": f"{k}. {one.template}",
            "score": one.score,
            "segments": one.n,
            "rounds": one.rounds,
            "of": "winner" if k == 1 else "last round" if one.rounds == last else "earlier",
        }
        for k, one in enumerate(found.candidates, 1)
    ]
    names = [word(str(row["template"])) for row in rows]
    kinds = ["winner", "last round", "earlier"]
    colour = alt.Color("of:N", scale=alt.Scale(domain=kinds, range=[LEAD, SECOND, SOFT]), legend=None)
    shape = alt.Shape("of:N", scale=alt.Scale(domain=kinds, range=["circle", "diamond", "circle"]), legend=None)
    tooltip = ["template:N", alt.Tooltip("score:Q", format=f".{found.decimals}f"), "segments:Q", "rounds:Q"]
    chart = (
        named_chart()
        .mark_point(filled=True, size=60, opacity=0.9)
        .encode(
            y=alt.Y("template:N", scale=alt.Scale(domain=names), title=None, axis=alt.Axis(labelLimit=240)),
            x=alt.X("score:Q", title=found.metric, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
            color=colour,
            shape=shape,
            tooltip=tooltip,
        )
    )
    return Chart(
        title=f"{found.metric} of each template on the segments of dev that it was asked about.",
        charts={"": drawn(chart.properties(height=ROW * len(rows)), rows)},
        panels=True,
        key=[Mark("winner", LEAD, CIRCLE), Mark("last round", SECOND, DIAMOND), Mark("earlier rounds", SOFT, CIRCLE)],
        text="A point for each template. The numbers are in the table.",
        note="Templates of different rounds were asked about different numbers of segments.",
    )


def soft_page(found: SoftTraining, about: str) -> Page:
    """Whether training helped, epoch by epoch."""
    from tertium.report.tables.soft import loss_table

    first, kept = found.curve[0], found.curve[found.best]
    trust = [
        Trust("", counted(len(found.curve) - 1, "epoch"), f", epoch {found.best} kept"),
        Trust("loss on the examples ", f"{first.train:.2f} to {kept.train:.2f}", " nats a token"),
    ]
    parts = [
        SectionPart(charts=[loss_chart(found)]),
        SectionPart(title="Every epoch", folded=True, tables=[loss_table(found)]),
    ]
    return Page(
        title="Training of a soft prompt",
        subtitle=about,
        sections=[
            opening(said.soft_verdict(found), trust),
            composed(
                "loss", "Loss, epoch by epoch", parts, finding=" ".join(f"{capital(note)}." for note in found.notes)
            ),
            methods_of([Method("Soft prompt", SOFT_SAID, LESTER)], {}, f"{about}."),
        ],
    )


def loss_chart(found: SoftTraining) -> Chart:
    """Losses on examples and dev; a line marks the epoch that is kept."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"epoch": epoch.epoch, "loss": getattr(epoch, part), "of": name, "kept": found.best}
        for epoch in found.curve
        for part, name in (("train", "examples"), ("dev", "dev"))
    ]
    domain = alt.Scale(domain=["dev", "examples"], range=[LEAD, SECOND])
    x = alt.X("epoch:Q", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False))
    chart = named_chart().encode(
        x=x,
        y=alt.Y("loss:Q", title="nats a token", scale=alt.Scale(zero=False)),
        color=alt.Color("of:N", scale=domain, legend=None),
        strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=["dev", "examples"], range=[[1, 0], [6, 3]]),
                                  legend=None),
    )  # fmt: skip
    rule = (
        named_chart()
        .transform_aggregate(at="max(kept)")
        .mark_rule(color=SOFT, strokeDash=[2, 3])
        .encode(x=alt.X("at:Q", title="epoch"))
    )
    touch = chart.mark_point(filled=True, size=24).encode(
        tooltip=["of:N", "epoch:Q", alt.Tooltip("loss:Q", format=".4f")]
    )
    return Chart(
        title="Loss on the examples and on dev, in nats a token; 0: before training.",
        charts={"": drawn(alt.layer(rule, chart.mark_line(strokeWidth=2), touch).properties(height=HEIGHT), rows)},
        panels=True,
        key=[Mark("dev", LEAD, CIRCLE, "1 0"), Mark("examples", SECOND, CIRCLE, "6 3")],
        note=f"The dotted line marks epoch {found.best}, which is kept.",
        text="Loss against epochs. The numbers are in the table.",
    )
