"""`tertium human links | serve | status | export | import | backup`: a campaign at work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from tertium.cli.output import write_notes
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.wording import counted
from tertium.human.campaign.collection import CampaignCollection, open_collection
from tertium.human.campaign.store import is_backup
from tertium.io import tables
from tertium.io.ratings.formats import FORMATS
from tertium.io.store import InUseError

PORT = 8100
LOCAL = f"http://127.0.0.1:{PORT}"


@contextmanager
def opened(campaign: str, instead: str) -> Iterator[CampaignCollection]:
    """A campaign for a command that writes; where a server has it, what to do there instead."""
    try:
        collection = open_collection(campaign)
    except InUseError as error:
        address = _served_at(campaign)
        if address is None:
            raise
        raise InUseError(
            f"{error}. It is served at {address}: {instead} on its dashboard, whose address tertium human serve "
            f"printed ({address}/admin/...), or stop the server first"
        ) from None
    with collection:
        yield collection


def _served_at(campaign: str) -> str | None:
    """Where the campaign was served last, by its audit trail."""
    try:
        with open_collection(campaign, read_only=True) as collection:
            found = [about["address"] for _, kind, _, about in collection.store.trail() if kind == "served"]
    except InputError:
        return None
    return str(found[-1]) if found else None


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--new", "again", multiple=True, metavar="RATER",
              help="Another link for this rater, whose old one is revoked; may be repeated.")  # fmt: skip
@click.option("--revoke", "revoked", multiple=True, metavar="RATER",
              help="Let this rater in no more; may be repeated.")  # fmt: skip
@click.option("--address", default=LOCAL, show_default=True, metavar="URL", help="Where raters reach the server.")
def links(campaign: str, again: tuple[str, ...], revoked: tuple[str, ...], address: str) -> None:
    """Make a link for each rater who has none, and print it.

    A link is shown once: only its hash is kept. While the campaign is served, its dashboard does the same.
    """
    from tertium.core.table import Table, texts

    with opened(campaign, "make and revoke links") as collection:
        known = collection.links.known()
        _check_raters(collection, (*again, *revoked), revoked)
        for rater in revoked:
            if not collection.links.revoke(rater):
                raise OptionError(f"{rater} has no link that lets them in")
        wanted = again or (() if revoked else [name for name in collection.raters() if name not in known])
        made = [[rater, f"{address.rstrip('/')}/r/{collection.links.make(rater)}"] for rater in wanted]
        if made:
            click.echo(tables.text([Table(columns=[*texts("rater", "link")], rows=made)], room=None))
        elif not revoked:
            has = counted(len(known), "rater") + (" has a link" if len(known) == 1 else " have links")
            said = "name one: --new RATER" if not known else f"{has}; --new RATER makes another for one of them"
            click.echo(f"no new links: {said}")
        for rater in revoked:
            click.echo(f"{rater}: link revoked")
    if made:
        write_notes(["links are shown once; whoever has one answers as that rater"])


def _check_raters(collection: CampaignCollection, named: tuple[str, ...], revoked: tuple[str, ...]) -> None:
    known = collection.raters()
    for rater in named:
        if rater not in known and (not collection.shared or rater in revoked):
            raise OptionError(f"unknown rater {rater!r}; the campaign has {', '.join(known) or 'none'}")
        if not rater.strip() or len(rater) > 200:
            raise OptionError("a rater's name has 1 to 200 characters")


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="NAME", help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
              help="0: any port that is free.")  # fmt: skip
@click.option("--address", metavar="URL", help="Where a proxy before it is reached (https://mt.example.org).")
def serve(campaign: str, host: str, port: int, address: str | None) -> None:
    """Serve a campaign to its raters, until Ctrl-C.

    Every response is on the disk before it is acknowledged, in a file beside the campaign.toml or in PostgreSQL. Raters
    come in by their links (tertium human links), you by the address of the dashboard that is printed here.
    """
    try:
        from tertium.web.campaign.server import serve as run
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] == "tertium":
            raise
        raise MissingPackageError(
            f'tertium human serve needs the package {error.name}; install it with: pip install "tertium[web]"'
        ) from None

    def ready(base: str, token: str, store: str) -> None:
        click.echo(f"raters: {base}/r/... (tertium human links, or the dashboard)")
        click.echo(f"dashboard: {base}/admin/{token}")
        click.echo(f"responses: {store}\nCtrl-C ends it.")

    with suppress(KeyboardInterrupt):
        run(campaign, host, port, address, ready)
    click.echo("stopped")


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--codes", is_flag=True, help="Show the completion codes of batches that are done.")
def status(campaign: str, codes: bool) -> None:
    """Show how far raters are; also while the campaign is served."""
    from tertium.report.tables.campaigns import codes_table, progress_notes, progress_table

    with open_collection(campaign, read_only=True) as collection:
        listed = [progress_table(collection), *([codes_table(collection)] if codes else [])]
        click.echo(tables.text(listed, room=room(None)))
        write_notes(progress_notes(collection))


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("target", type=RESULT, metavar="OUT")
@click.option("--to", "form", type=click.Choice([*FORMATS, "evaluation", "spreadsheet", "edits"]),
              help="The format of OUT. [default: tertium for .tsv, appraise for .csv, evaluation for "
              ".evaluation]")  # fmt: skip
def export(campaign: str, target: str, form: str | None) -> None:
    """Write what raters said, as ratings or as a whole evaluation; also while the campaign is served.

    An evaluation has the texts, too, and is what tertium.load and the workbench open. `edits` is a table of
    post-edited texts.
    """
    from tertium.io.columns import extension
    from tertium.io.ratings.formats import write_ratings

    chosen = form or {".tsv": "tertium", ".csv": "appraise", ".evaluation": "evaluation"}.get(extension(target))
    if chosen is None:
        raise OptionError(f"{target}: the name does not say which format to write; add --to")
    with open_collection(campaign, read_only=True) as collection:
        evaluation = collection.evaluation()
        if not evaluation.judgements:
            raise InputError(f"{campaign}: nobody has said anything yet")
        if chosen == "evaluation":
            from tertium.io.evaluation import save_evaluation

            save_evaluation(evaluation, target)
        elif chosen in ("spreadsheet", "edits"):
            _write_sheet(collection, chosen, target)
        else:
            known, notes = evaluation.systems, evaluation.warnings
            write_ratings(evaluation.judgements, target, evaluation.testset, chosen, systems=known, notes=notes)
    raters = len({one.rater for one in evaluation.judgements})
    said = f"{counted(len(evaluation.judgements), 'judgement')}, {counted(raters, 'rater')}"
    click.echo(f"{target}: {said} ({chosen})")
    write_notes(evaluation.warnings)
    if evaluation.warnings and chosen not in ("tertium", "evaluation"):
        write_notes([f"{chosen} has no place for what was noted just now: keep it beside the file"])


def _write_sheet(collection: CampaignCollection, form: str, target: str) -> None:
    from tertium.io.files import write_atomically
    from tertium.report.tables.campaigns import edits_table, judgements_table

    if form == "edits" and not collection.campaign.protocol.edits:
        raise OptionError(f"--to edits is for post-edit; the protocol here is {collection.campaign.protocol.name}")
    table = edits_table(collection) if form == "edits" else judgements_table(collection.judgements())
    with write_atomically(target) as file:
        file.write(f"{tables.csv(table)}\n".encode())


@click.command("import")
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("ratings", metavar="RATINGS")
@click.option("--from", "form", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
              help="The format of RATINGS.")  # fmt: skip
def import_ratings(campaign: str, ratings: str, form: str) -> None:
    """Take in judgements that were made elsewhere, such as an export or results of Appraise.

    Each goes to the item of the plan that its rater was to judge; a rater whom the plan does not know, as users of an
    Appraise server are, to the batch that theirs fit. Those that fit none are counted and left out. The same file again
    changes nothing. A backup (tertium human backup) is taken over whole, links and all, where nobody
    has begun yet.
    """
    from tertium.human.campaign.intake import take_in
    from tertium.io.ratings.formats import read_ratings

    with open_collection(campaign) as collection:
        if is_backup(ratings):
            click.echo(f"{ratings}: a backup with {counted(collection.store.restore(ratings), 'response')}, taken over")
            return
        _, judgements = read_ratings(ratings, form, collection.campaign.evaluation.testset)
        found = take_in(collection, judgements)
    if judgements and not found.taken and not found.known:
        raise InputError(
            f"{ratings}: none of {counted(len(judgements), 'judgement')} fits an item of {campaign}: its protocol, "
            f"segments, systems and control items are others; results are of what this campaign planned (tertium human "
            f"plan), and tertium human analyse reads all others by themselves"
        )
    click.echo(f"{ratings}: {counted(found.taken, 'response')} taken in, {found.known} there already")
    if found.strange:
        write_notes([f"{counted(found.strange, 'judgement')} fit no item of the plan that is its rater's: left out"])
    if found.unasked:
        write_notes([f"{counted(found.unasked, 'judgement')} on scales that this protocol does not ask for: left out"])


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("target", metavar="FILE")
def backup(campaign: str, target: str) -> None:
    """Copy all responses as they are at this moment; also while the campaign is served.

    The copy is a file of SQLite, also where the store is PostgreSQL. To go back to it, import it into a new store.
    """
    if Path(target).exists():
        raise OptionError(f"{target} is there already; name another file, or delete it first")
    with open_collection(campaign, read_only=True) as collection:
        collection.store.backup(target)
        count = len(collection.standing())
    click.echo(f"{target}: {counted(count, 'response')}")


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("rater", metavar="RATER")
@click.option("--yes", is_flag=True, help="Do not ask; nothing of it comes back.")
def erase(campaign: str, rater: str, yes: bool) -> None:
    """Erase all that a rater said, with events and link, at their request.

    What stays is that somebody was erased, when, and how many responses they had; exports and the analysis say so.
    Backups and exports that were made before still have them: delete those yourself.
    """
    with opened(campaign, "erase them") as collection:
        if rater not in collection.raters():
            raise OptionError(f"unknown rater {rater!r}; the campaign has {', '.join(collection.raters()) or 'none'}")
        count = len(collection.standing(rater))
        if not yes:
            click.confirm(f"Erase {rater} with {counted(count, 'response')}? This cannot be undone.", abort=True)
        collection.store.erase(rater)
    click.echo(f"{rater}: {counted(count, 'response')} erased")
    write_notes(["backups and exports that were made before still have them, and campaign.toml may name them"])
