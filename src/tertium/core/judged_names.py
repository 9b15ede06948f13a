"""Match the names of systems in human judgements with the names of the systems here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tertium.core.errors import InputError

REFERENCE = "HUMAN"  # WMT's raters saw references as if they were systems, under names that begin so
NEAREST = 3  # names that an error suggests


def system_names(judged: Iterable[str], systems: Sequence[str]) -> dict[str, str]:
    """Names in the judgements and the names of the same systems here, where the two differ: WMT appends the number of
    the submission to a name, `Online-Y.3`."""
    known, names = set(systems), list(dict.fromkeys(judged))
    found: dict[str, str] = {}
    for name in names:
        short = re.sub(r"\.\d+$", "", name)
        if name not in known and short in known:
            others = [other for other, system in found.items() if system == short] + [short] * (short in names)
            if others:
                raise InputError(
                    f"people judged both {others[0]} and {name}, and there is one system {short}; say which of them it "
                    f'is (testset.toml: [judgements] aliases = {{"{name}" = "{short}"}}, exclude = ["{others[0]}"])'
                )
            found[name] = short
    return found


def left_out(judged: Iterable[str], systems: Sequence[str]) -> list[str]:
    """Names that were judged and that no system here has.

    If every system was judged, they are systems whose outputs are not here. If one was not, it may go by another name
    in the judgements, which would then be lost silently: that is an error. References that WMT's raters saw as outputs
    are not systems.
    """
    names = list(dict.fromkeys(judged))
    unknown = [name for name in names if name not in systems]
    lost = [name for name in unknown if not name.upper().startswith(REFERENCE)]
    unjudged = [name for name in systems if name not in names]
    if not lost or not unjudged:
        return unknown
    near = "; ".join(f"{name}: {', '.join(nearest(name, systems))}" for name in lost)
    raise InputError(
        f"people judged {', '.join(lost)}, but no system is called so, and nobody judged {', '.join(unjudged)}; "
        f"nearest: {near}. Name them alike, or say it in "
        f'testset.toml: [judgements] aliases = {{"{lost[0]}" = "{nearest(lost[0], unjudged)[0]}"}}, or '
        f'exclude = ["{lost[0]}"]'
    )


def nearest(name: str, systems: Sequence[str]) -> list[str]:
    """The systems with the most similar names."""
    from difflib import SequenceMatcher

    def likeness(other: str) -> float:
        return -SequenceMatcher(None, name.casefold(), other.casefold()).ratio()

    return sorted(systems, key=likeness)[:NEAREST]
