"""Systems as judgements call them, beside systems as they are called here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tertium.core.errors import InputError

REFERENCE = "HUMAN"  # WMT's raters saw references as if they were systems, under names that begin so
NEAREST = 3  # names that an error suggests


def system_names(judged: Iterable[str], systems: Sequence[str]) -> dict[str, str]:
    """What systems are called here that judgements call otherwise: WMT puts the number of the submission behind a name,
    `Online-Y.3`."""
    known, said = set(systems), list(dict.fromkeys(judged))
    found: dict[str, str] = {}
    for name in said:
        short = re.sub(r"\.\d+$", "", name)
        if name not in known and short in known:
            others = [other for other, meant in found.items() if meant == short] + [short] * (short in said)
            if others:
                raise InputError(
                    f"people judged both {others[0]} and {name}, and there is one system {short}; say which of them it "
                    f'is (testset.toml: [judgements] aliases = {{"{name}" = "{short}"}}, exclude = ["{others[0]}"])'
                )
            found[name] = short
    return found


def left_out(judged: Iterable[str], systems: Sequence[str]) -> list[str]:
    """Names that people judged and no system here has.

    Where every system was judged they are systems whose output is not here. Where one was not, it may be called
    otherwise in the judgements, which would be lost without a word: that is an error. References that WMT's raters saw
    as outputs are no systems.
    """
    said = list(dict.fromkeys(judged))
    strange = [name for name in said if name not in systems]
    lost = [name for name in strange if not name.upper().startswith(REFERENCE)]
    unjudged = [name for name in systems if name not in said]
    if not lost or not unjudged:
        return strange
    near = "; ".join(f"{name}: {', '.join(nearest(name, systems))}" for name in lost)
    raise InputError(
        f"people judged {', '.join(lost)}, but no system is called so, and nobody judged {', '.join(unjudged)}; "
        f"nearest: {near}. Name them alike, or say it in "
        f'testset.toml: [judgements] aliases = {{"{lost[0]}" = "{nearest(lost[0], unjudged)[0]}"}}, or '
        f'exclude = ["{lost[0]}"]'
    )


def nearest(name: str, systems: Sequence[str]) -> list[str]:
    """The systems whose names are most like it."""
    from difflib import SequenceMatcher

    def likeness(other: str) -> float:
        return -SequenceMatcher(None, name.casefold(), other.casefold()).ratio()

    return sorted(systems, key=likeness)[:NEAREST]
