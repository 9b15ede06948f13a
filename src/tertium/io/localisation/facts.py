"""What files say about a segment beside its texts: who, when, how long, from which match. One name for each fact.

state       the file's own word for how far the translation is
translator  who changed it last, or made it
created, changed    times, as 2026-11-18T09:30:00Z where they can be read
seconds     how long somebody worked on it
origin, engine, match   where the translation came from: its kind, the engine or memory, the per cent of the match
notes       what people wrote beside it
meta:NAME   anything else that a file gives a name to
"""

from __future__ import annotations

import re

MOST_FACTS = 64  # names of facts that are kept; a file could have a new one in each of its segments
LONGEST_NOTES = 10_000  # characters of all notes of a unit; there could be as many as the file has room for
TMX_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")
AMERICAN = re.compile(r"(\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d)")
# Names under which tools keep how long somebody worked on a segment; letters only, in lower case.
SECONDS = ("seconds", "edittime", "editingtime", "timetoedit", "posteditingtime", "timespent", "xedittime")
# What SDLXLIFF, memoQ and Phrase call facts, in elements and attributes.
TOOLS = {
    "created_by": "creator", "last_modified_by": "translator", "created_on": "created", "modified_on": "changed",
    "mq:lastchanginguser": "translator", "mq:lastchangedtimestamp": "changed", "mq:status": "state",
    "mq:percent": "match", "m:created-by": "creator", "m:modified-by": "translator", "m:created-at": "created",
    "m:modified-at": "changed", "m:score": "score", "m:trans-origin": "origin", "m:confirmed": "state",
    "its:person": "translator", "its:revPerson": "reviser", "its:tool": "engine",
    "creationid": "creator", "creationdate": "created", "changeid": "translator", "changedate": "changed",
}  # fmt: skip


def moment(text: str) -> str:
    """A time as ISO 8601 has it, where it is one that tools write; else as it is."""
    text = text.strip()
    if (found := TMX_TIME.fullmatch(text)) is not None:
        return "{}-{}-{}T{}:{}:{}Z".format(*found.groups())
    if (found := AMERICAN.fullmatch(text)) is not None:  # SDLXLIFF
        month, day, year, *clock = found.groups()
        return f"{year}-{month}-{day}T{':'.join(clock)}"
    if text.isascii() and text.isdigit() and len(text) == 13:  # milliseconds since 1970, as Phrase has them
        from datetime import UTC, datetime

        return datetime.fromtimestamp(int(text) // 1000, UTC).isoformat().replace("+00:00", "Z")
    return text


def is_seconds(name: str) -> bool:
    """Whether a name says how long somebody worked, in seconds or (...ms) in thousandths."""
    return _letters(name).removesuffix("ms") in SECONDS


def _letters(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalpha())


def put(facts: dict[str, str], name: str, value: str) -> None:
    """Keep a fact under the name that tools' words have in common."""
    value = " ".join(value.split())
    if not value:
        return
    if is_seconds(name):
        seconds = duration(value, _letters(name).endswith("ms"))
        if seconds:
            facts["seconds"] = seconds
        return
    known = TOOLS.get(name, name)
    facts[known] = moment(value) if known in ("created", "changed") else value


def put_all(facts: dict[str, str], attributes: dict[str, str]) -> None:
    """Those of an element's attributes that a tool is known to write."""
    for name, value in attributes.items():
        if name in TOOLS:
            put(facts, name, value)


def about(facts: dict[str, str], name: str, text: str) -> None:
    """A property or meta to which the file gives a name of its own."""
    known = name if is_seconds(name) else f"meta:{name}"
    if len(facts) < MOST_FACTS or known in facts or known == name:
        put(facts, known, text)


def duration(value: str, thousandths: bool = False) -> str:
    """Seconds, of a number; empty where it is none."""
    if not value.isascii() or not value.replace(".", "", 1).isdigit() or len(value) > 15:
        return ""
    return f"{float(value) / (1000 if thousandths else 1):g}" if thousandths else value


def note(facts: dict[str, str], text: str) -> None:
    """One more note of people, as long as there is room."""
    text, known = " ".join(text.split()), facts.get("notes", "")
    if text and len(known) < LONGEST_NOTES:
        whole = f"{known} | {text}" if known else text
        facts["notes"] = whole if len(whole) <= LONGEST_NOTES else f"{whole[: LONGEST_NOTES - 1]}…"


def percent(text: str) -> float:
    """How good a match says that it is: `80`, `80%`, `79.5`; 0 where it does not say."""
    text = text.strip().removesuffix("%")
    return float(text) if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) < 10 else 0.0
