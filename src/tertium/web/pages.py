"""The report as a page of the workbench: the very file that can be downloaded, with a bar above it."""

from __future__ import annotations

import dataclasses
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.evaluation import Evaluation
from tertium.core.run import PLAIN, Run
from tertium.core.system import find_system
from tertium.core.version import VERSION
from tertium.core.wording import visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from tertium.report.page import Page

META = re.compile(
    r'<meta http-equiv="Content-Security-Policy" content="(?>[^"]*?(?:&#39;|\')nonce-([0-9a-f]++))[^"]*+">'
)
REFERRER = '<meta name="referrer" content="no-referrer">'  # under which a browser does not say where a form comes from
BODY = '<a class="skip" href="#content">Skip to the content</a>'  # which stays the first that a keyboard reaches
SUBTITLE = '<p class="subtitle"><bdi>'
ICON = '<link rel="icon" href="data:,">'  # none; without a word about it browsers ask for one


def page_key(metrics: Sequence[str], systems: Sequence[str], baseline: str | None = None) -> str:
    """The name of the file of a page: of all systems, or of two beside each other."""
    return file_key("compare" if systems else "report", [list(metrics), list(systems), baseline])


def file_key(kind: str, facts: Sequence[Any]) -> str:
    """The name of a file that is made of these facts, by this version."""
    return f"{kind}-{hashlib.sha256(json.dumps([VERSION, *facts]).encode()).hexdigest()[:16]}"


def write_page(evaluation: Evaluation, page: Mapping[str, Any], target: str, run: Run = PLAIN) -> None:
    """Write the report of an evaluation, or of some of its systems; that of all with its tables beside it."""
    from tertium.report.report import make_report

    systems, title, baseline = page["systems"], evaluation.testset.name, page.get("baseline")
    if systems:
        evaluation, title = only(evaluation, systems), " and ".join(systems)
        baseline = baseline if baseline in systems else None
    report = make_report(evaluation, title=title, run=run, baseline=baseline)
    if not systems and find_spec("openpyxl") is not None:
        write_tables(report.page, Path(target).with_suffix(".xlsx"))
    report.save(target)


def write_tables(page: Page, path: Path) -> None:
    """Every table of a report as a sheet of an Excel file, behind the verdict."""
    from tertium.io.excel import write_excel

    said = [section.data["verdict"] for section in page.sections if "verdict" in section.data]
    about = [page.title, page.subtitle, *(text for item in said for text in (item.sentence, item.more) if text)]
    tables = [table for section in page.sections for table in section.tables]
    write_excel(tables, path, [*about, f"tertium {VERSION}"])


def only(evaluation: Evaluation, systems: Sequence[str]) -> Evaluation:
    """The evaluation of some of its systems."""
    return dataclasses.replace(
        evaluation,
        systems=tuple(find_system(evaluation.systems, name) for name in dict.fromkeys(systems)),
        table={key: stats for key, stats in evaluation.table.items() if key[0] in systems},
    )


def resubtitled(text: str, testset: str, name: str) -> str:
    """A report's file whose line below the title, which begins with the test set's name, says the evaluation's."""
    written = environment().filters["sentence"]  # as the page was written
    return text.replace(f"{SUBTITLE}{written(testset)}", f"{SUBTITLE}{written(name)}", 1)


def retitled(text: str, name: str) -> str:
    """A report's file under another name: evaluations are renamed more quickly than pages are made."""
    for before, after in (("<title>", "</title>"), ("<h1><bdi>", "</bdi></h1>")):
        first = text.index(before) + len(before)
        text = text[:first] + html.escape(visible(name)) + text[text.index(after, first) :]
    return text


def served(text: str, nonce: str, bar: str) -> str:
    """A report's file as an answer: under the answer's own policy and nonce, with the workbench's bar."""
    meta = META.search(text, 0, 4000)
    body = text.find(BODY, meta.end() if meta else 0)
    if meta is None or body < 0:
        raise ValueError("the page is not one of the report's")
    body += len(BODY)
    text = text[: meta.start()] + ICON + text[meta.end() : body].replace(REFERRER, "") + bar + text[body:]
    return text.replace(meta[1], nonce)


@cache
def environment() -> Environment:
    """The workbench's templates, beside those of the report and with the same rules."""
    from jinja2 import ChoiceLoader, PackageLoader

    from tertium.report.page import environment as of_report

    return of_report().overlay(loader=ChoiceLoader([PackageLoader("tertium.web"), PackageLoader("tertium.report")]))


def asset(name: str) -> str:
    """One of the workbench's own scripts or styles."""
    return (files("tertium.web") / "assets" / name).read_text(encoding="utf-8")


def render(template: str, nonce: str, *, more: Sequence[str] = (), **values: Any) -> str:
    """A page of the workbench, with more scripts of ours if it needs them."""
    from tertium.report.page import asset as of_report

    return (
        environment()
        .get_template(template)
        .render(
            nonce=nonce,
            style=of_report("page.css") + asset("web.css"),
            scripts=[of_report("page.js"), asset("web.js"), *more],
            version=VERSION,
            **values,
        )
    )


def render_bar(nonce: str, controls: str = "controls.html", **values: Any) -> str:
    """What stands above a report."""
    return (
        environment()
        .get_template("bar.html")
        .render(nonce=nonce, style=asset("web.css"), scripts=[asset("web.js")], controls=controls, **values)
    )
