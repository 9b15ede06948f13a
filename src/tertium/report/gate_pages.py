"""What a gate leaves behind: a comment for a pull request in Markdown, and JUnit's XML for servers that show tests."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tertium.core.table import Table
from tertium.core.version import VERSION
from tertium.core.wording import counted, describe, visible
from tertium.report.gate import GateOutcome
from tertium.report.tables.gate import check_table

MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$:-]|(?<=www)\.)")  # and what begins an address
CALLED = re.compile(r"[@#](?=\w)")  # who is called by name, or which issue
UNCALLED = "\N{WORD JOINER}"
FENCES = re.compile("`+")
MOST = 60_000  # characters of a comment: GitHub takes 65,536


def comment(judged: GateOutcome, name: str) -> str:
    """Verdict, checks, scores, and the worst regressions behind a line that opens. Texts are shown as they are: none of
    them becomes a link, a picture, markup or a call to somebody."""
    parts = [
        f"### {prose(name)}: {'passed' if judged.passed else 'FAILED'}",
        f"**{prose(judged.sentence)}** {prose(judged.more)}".rstrip(),
        _table(check_table(judged.checks)),
        _table(judged.scores),
    ]
    notes = [f"tertium {VERSION}; {describe(judged.evaluation.testset)}", *judged.evaluation.warnings]
    closing = "\n".join(f"- {prose(note)}" for note in notes)
    if (worst := judged.regressions) is not None:
        title = worst.title[:1].upper() + worst.title[1:]
        opened = f"<details><summary>{_html(title)}</summary>\n\n{_table(worst)}\n\n{prose(worst.note)}\n\n</details>"
        if len("\n\n".join([*parts, opened, closing])) <= MOST:
            parts.append(opened)
        else:
            parts.append(f"The {counted(len(worst.rows), 'segment')} that lose most do not fit into a comment.")
    return "\n\n".join([*parts, closing])


def prose(text: str) -> str:
    """A sentence of ours with names in it, for Markdown."""
    return CALLED.sub(rf"\g<0>{UNCALLED}", MARKUP.sub(r"\\\1", visible(text)))


def code(text: str) -> str:
    """Somebody's text, as it is, in a cell of a table."""
    shown = visible(text).replace("|", r"\|")
    fence = "`" * (max(map(len, FENCES.findall(shown)), default=0) + 1)
    pad = " " if not shown or shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown or ' '}{pad}{fence}"


def _table(table: Table) -> str:
    """As GitHub reads tables; outputs of systems are code."""
    quoted = [k for k, head in enumerate(table.heads) if head.endswith(": output")]
    lines = [
        [prose(head) for head in table.heads],
        ["--:" if k >= table.left else ":--" for k in range(len(table.heads))],
    ]
    lines += [
        [code(cell.text) if k in quoted else prose(cell.text) for k, cell in enumerate(row)] for row in table.cells()
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _html(text: str) -> str:
    from html import escape

    return CALLED.sub(rf"\g<0>{UNCALLED}", escape(visible(text)))


def junit(judged: GateOutcome, name: str) -> str:
    """Every check as a test."""
    suite = ElementTree.Element(
        "testsuite", name=visible(name), tests=str(len(judged.checks)), failures=str(len(judged.failed)), errors="0"
    )
    for check in judged.checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname=visible(name), name=visible(f"{check.what}: {check.rule}")
        )
        if not check.passed:
            message = visible(f"{judged.system}: {check.got}; wanted: {check.rule}")
            ElementTree.SubElement(case, "failure", message=message).text = message
    ElementTree.SubElement(suite, "system-out").text = visible(" ".join([judged.sentence, judged.more]).strip())
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)
