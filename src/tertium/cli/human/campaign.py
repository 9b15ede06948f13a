"""`tertium human new | check | plan`: set a campaign up, say what is wrong with it, deal the work out."""

from __future__ import annotations

from pathlib import Path

import click

from tertium.cli.output import write_notes
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import InputError, OptionError
from tertium.human.campaign.plan import CampaignPlan, write_plan
from tertium.human.campaign.plan import plan as plan_batches
from tertium.human.campaign.protocol import PROTOCOLS
from tertium.human.campaign.spec import Campaign, read_campaign
from tertium.io import tables
from tertium.io.files import write_atomically

CAMPAIGN = """\
# A campaign: what is judged, how, by whom, and in which portions. `tertium human check` says what is wrong with it.
name = {name}
testset = {testset}
# systems = [{systems}]  # those to judge; all, where this line is left out
seed = 1  # another number deals the work out otherwise

[protocol]
name = {protocol}  # {titles}

[batches]
size = 100            # items a rater does at one sitting, at most; documents stay whole
redundancy = 1        # raters for each output
overlap = 0.1         # share of documents that one rater more judges, to see how far raters agree
assignment = "static" # static: each rater has batches of their own; pool: whoever comes takes the next; dynamic: the
                      # next that has most of systems which cannot be told apart yet

[control]             # shares of a batch that are there to find careless raters
{controls}
distance = 10         # items between such an item and the one it is of, at least

[raters]
count = 4             # or names = ["anna", "ben"]
seconds = 30          # that an item takes, to estimate hours
pay = 0               # for an hour, to estimate costs
# currency = "EUR"

# [dates]             # when responses are taken; either may be left out
# begin = 2026-12-01T09:00:00+01:00
# end = 2026-12-15T18:00:00+01:00

# [[tutorial]]        # examples that raters may try first; as many as you like
# source = "Guten Morgen"
# outputs = ["Good morning"{second}]
# expected = {{ {expected} }}  # what will do; a rater is told, and why
# feedback = "Everything is there, and it reads well."
"""
EXPECTED = {  # of the example in the comment
    "da": "da100 = [80, 100]",
    "adequacy-fluency": "adequacy = 5, fluency = [4, 5]",
    "sqm": "sqm100 = [80, 100]",
    "ranking": "ranks = [1, 2]",
    "esa": "esa = [80, 100], errors = []",
    "mqm": "errors = []",
    "post-edit": 'text = ["Good morning"]',
}
SHARES = {"degraded": 0.1, "repeat": 0.05, "reference": 0.05}


@click.command()
@click.argument("testset", metavar="TESTSET")
@click.option("--protocol", type=click.Choice(list(PROTOCOLS)), default="da", show_default=True,
              help="What raters are asked.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, default="campaign.toml", show_default=True, metavar="FILE",
              help="Where to write; a file that is there stays as it is.")  # fmt: skip
def new(testset: str, protocol: str, output: str) -> None:
    """Write a campaign.toml for a test set, with comments.

    Change what you like in it, then: tertium human check campaign.toml
    """
    from tertium.io.testset import read_testset

    evaluation = read_testset(testset)
    if Path(output).exists():
        raise OptionError(f"{output} is there already; name another file (-o), or delete it first")
    chosen = PROTOCOLS[protocol]
    has_references = all(evaluation.testset.references[k] for k in range(len(evaluation.testset)))
    shares = {
        kind: share if kind in chosen.controls and (kind != "reference" or has_references) else 0
        for kind, share in SHARES.items()
    }
    target = Path(testset).resolve()
    folder = Path(output).resolve().parent
    text = CAMPAIGN.format(
        name=_quoted(evaluation.testset.name),
        testset=_quoted(str(target.relative_to(folder) if target.is_relative_to(folder) else target)),
        systems=", ".join(_quoted(system.name) for system in evaluation.systems),
        protocol=_quoted(protocol),
        titles=", ".join(PROTOCOLS),
        expected=EXPECTED[protocol],
        second=', "Good evening"' if chosen.several else "",
        controls="\n".join(f"{kind} = {share:g}" for kind, share in shares.items()),
    )
    with write_atomically(output) as file:
        file.write(text.encode())
    click.echo(f"{output}: {chosen.title}; look it through, then: tertium human check {output}")


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
def check(campaign: str) -> None:
    """Say what is wrong with a campaign, or what it will ask of whom."""
    spec = read_campaign(campaign)
    summarise(spec, plan_batches(spec))


@click.command("plan")
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the plan here, as JSON lines.")
@click.option("--appraise", metavar="DIR", help="Write batches.json and manifest.json for an Appraise server here.")
def plan(campaign: str, output: str | None, appraise: str | None) -> None:
    """Deal the work out: who judges which outputs, in which order.

    The same campaign.toml gives the same plan, byte for byte. It names the systems: raters must not see it.
    """
    if output is None and appraise is None:
        raise OptionError("nothing to write: pass -o FILE for the plan, or --appraise DIR for Appraise")
    spec = read_campaign(campaign)
    made = plan_batches(spec)
    if output is not None:
        with write_atomically(output) as file:
            file.write(write_plan(spec, made))
    if appraise is not None:
        write_appraise(spec, made, Path(appraise))
    summarise(spec, made)


def write_appraise(campaign: Campaign, made: CampaignPlan, folder: Path) -> None:
    """Batches and manifest in a folder."""
    from tertium.human.campaign.appraise import appraise_files
    from tertium.io.ratings.appraise_tasks import write_batches, write_manifest

    batches, manifest = appraise_files(campaign, made)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
    write_batches(batches, folder / "batches.json")
    write_manifest(manifest, folder / "manifest.json")


def summarise(campaign: Campaign, made: CampaignPlan) -> None:
    """Who has how much to do."""
    from tertium.report.tables.campaigns import plan_notes, plan_table

    click.echo(tables.text([plan_table(campaign, made)], room=room(None)))
    write_notes(plan_notes(campaign, made))
