"""`tertium verify`: does a published score hold?"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from tertium.analysis.verify import ClaimCheck, verify
from tertium.cli.inputs import Inputs, counting_options
from tertium.cli.options import threads_option
from tertium.cli.output import FAILED, write
from tertium.cli.progress import working
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.wording import counted, visible
from tertium.io.claims import Claim, read_claims, read_signature
from tertium.report.json_values import verdicts_object

SHOWN = 20  # scores that do not hold, as text


@click.command("verify")
@click.argument("claim", metavar="SIGNATURE|JSON")
@counting_options
@click.option("--score", "published", metavar="VALUE", help="With a signature: the published score, with its decimals.")
@click.option("--system", metavar="NAME", help="Whose score it is, where there are several systems.")
@click.option("-m", "--metric", metavar="METRIC", help="Compute this instead, and say how it differs.")
@click.option("--trust", is_flag=True, help="Let the signature name files and functions of this computer.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How verdicts are printed.")  # fmt: skip
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the verdicts to a file instead of the screen.")
def verify_command(
    claim: str,
    inputs: Inputs,
    published: str | None,
    system: str | None,
    metric: str | None,
    trust: bool,
    form: str,
    threads: int | None,
    output: str | None,
) -> None:
    """Compute a published score again and say whether it holds.

    SIGNATURE is one of tertium's or sacreBLEU's, with --score; JSON is a file of tertium score --format json. The exit
    status is 0 if all scores hold, 1 if one does not. tertium verify 'bleu|refs:1|n:1997' --score 27.3 -r ref -t mt
    """
    claims = read_claim(claim, published)
    given = inputs.read()
    with working(threads, size=0, cache=inputs.cache) as run:
        verdicts = verify(claims, given, metric=metric, system=system, trusted=trust, run=run)
    as_json = form == "json"
    text = json.dumps(verdicts_object(verdicts), ensure_ascii=False, indent=1) if as_json else text_list(verdicts)
    write(text, output)
    if not all(verdict.holds for verdict in verdicts):
        sys.exit(FAILED)


def read_claim(claim: str, published: str | None) -> list[Claim]:
    """A file, or else a signature."""
    if is_file(claim) or claim.endswith(".json"):
        if published is not None:
            raise OptionError(f"{claim}: a file names its scores itself; --score goes with a signature")
        return read_claims(claim)
    return [read_signature(claim, published)]


def is_file(name: str) -> bool:
    """Whether a file has this name; signatures may be longer than any name."""
    try:
        return Path(name).is_file()
    except OSError:
        return False


def text_list(verdicts: Sequence[ClaimCheck]) -> str:
    """One score in full; of many, those that do not hold."""
    if len(verdicts) == 1:
        return paragraph(verdicts[0])
    wrong = [verdict for verdict in verdicts if not verdict.holds]
    remarks = dict.fromkeys(f"note: {remark}" for verdict in verdicts for remark in verdict.remarks)
    more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
    total = f"{len(verdicts) - len(wrong)} of {counted(len(verdicts), 'score')} hold"
    parts = [*(paragraph(verdict, notes=False) for verdict in wrong[:SHOWN]), *more, "\n".join([total, *remarks])]
    return "\n\n".join(parts)


def paragraph(verdict: ClaimCheck, *, notes: bool = True) -> str:
    """Whether it holds, what differs, what was not checked."""
    claim = verdict.claim
    place = "" if claim.level == "corpus" else f", {claim.level} {claim.segment or claim.document}"
    here = "not scored" if math.isnan(verdict.value) else f"{verdict.value:.10g}"
    heads = f"{'holds' if verdict.holds else 'does not hold'}: {verdict.system}{place}, {claim.metric}: {claim.shown}"
    lines = [f"{heads} published, {here} here"]
    lines += [f"  {difference}" for difference in verdict.differences if not difference.startswith("score: ")]
    lines += [f"  note: {remark}" for remark in verdict.remarks] if notes else []
    return "\n".join(visible(line) for line in lines)
