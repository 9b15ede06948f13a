"""campaign.toml: what is judged, how, by whom, and in which portions.

name = "town-notes"
testset = "testset.toml"     # sources, documents, references, systems
systems = ["atlas", "brook"] # [default: all]
seed = 1
store = "postgresql://rate@db.example.org/campaigns"  # [default: a file beside the campaign.toml]

[protocol]
name = "da"                  # da, adequacy-fluency, sqm, ranking, esa, mqm, post-edit
width = 2                    # ranking: outputs side by side
categories = ["Accuracy/Omission"]  # mqm: what errors may be

[batches]
size = 100                   # items at most
redundancy = 1               # raters for each output
overlap = 0.1                # share of documents that one rater more judges, for agreement
assignment = "static"        # static: each rater has their batches; pool: whoever comes takes the next; dynamic: the
                             # next that has most of systems which cannot be told apart yet
lease = 120                  # minutes without a response after which a batch of the pool is given to somebody else

[control]                    # shares of a batch's items
degraded = 0.1
repeat = 0.05
reference = 0.05
distance = 10                # items between a control item and the item it is of, at least

[raters]
names = ["anna", "ben"]      # or count = 2
seconds = 30                 # that an item takes, for estimates
pay = 15.0                   # per hour
currency = "EUR"

[dates]                      # when responses are taken; each may be left out
begin = 2026-12-01T09:00:00+01:00
end = 2026-12-15T18:00:00+01:00

[[tutorial]]                 # shown before the first batch, as often as there are examples; kept by nobody
source = "Guten Morgen"
outputs = ["Good morning"]   # as many as stand on a screen
expected = { da100 = [80, 100] }
feedback = "Everything is there, and it reads well: a high score."
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Kind
from tertium.core.wording import counted
from tertium.human.campaign.dates import Dates, written
from tertium.human.campaign.protocol import MQM_CATEGORIES, PROTOCOLS, Protocol
from tertium.human.campaign.tutorial import Example, check_expected
from tertium.io.postgres import Address, read_address
from tertium.io.testset import read_testset
from tertium.io.texts import suggest
from tertium.io.toml import check_keys, read_toml, typed

ASSIGNMENTS = ("static", "pool", "dynamic")
CONTROLS: tuple[Kind, ...] = ("degraded", "repeat", "reference")
MOST_EXAMPLES = 100
MOST_CONTROL = 0.5  # of a batch: the rest is what the campaign is for


@dataclass(frozen=True, kw_only=True)
class Batches:
    """In which portions raters work, and how often an output is judged."""

    size: int = 100
    redundancy: int = 1
    overlap: float = 0.0
    assignment: str = "static"
    lease: float = 120.0


@dataclass(frozen=True, kw_only=True)
class Control:
    """Items by which raters are judged, as shares of a batch."""

    degraded: float = 0.0
    repeat: float = 0.0
    reference: float = 0.0
    distance: int = 10

    @property
    def share(self) -> float:
        """Of all kinds together."""
        return math.fsum(getattr(self, kind) for kind in CONTROLS)


@dataclass(frozen=True, kw_only=True)
class Raters:
    """Who judges, and what it is estimated to take and cost."""

    names: tuple[str, ...] = ()
    seconds: float = 30.0
    pay: float = 0.0
    currency: str = ""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A whole campaign.toml, checked against its test set."""

    name: str
    evaluation: Evaluation
    systems: tuple[str, ...]
    protocol: Protocol
    width: int = 1
    categories: tuple[str, ...] = ()
    seed: int = 1
    batches: Batches = field(default_factory=Batches)
    control: Control = field(default_factory=Control)
    raters: Raters = field(default_factory=Raters)
    dates: Dates = field(default_factory=Dates)
    tutorial: tuple[Example, ...] = ()
    store: Address | None = None  # a file beside the campaign.toml, where there is none

    @property
    def documents(self) -> dict[str, list[int]]:
        """Segments of each document in their order; where there are none, every segment is one."""
        testset = self.evaluation.testset
        found: dict[str, list[int]] = {}
        for segment in range(len(testset)):
            name = str(segment + 1) if testset.documents is None else testset.documents[segment]
            found.setdefault(name, []).append(segment)
        return found

    def outputs(self, system: str) -> Sequence[str | None]:
        """What a system said."""
        return next(one.outputs for one in self.evaluation.systems if one.name == system)


SECTIONS: Mapping[str, type] = {"batches": Batches, "control": Control, "raters": Raters, "dates": Dates}
TOP = ("name", "testset", "systems", "seed", "store", "protocol", *SECTIONS, "tutorial")


def is_campaign(path: str | Path) -> bool:
    """Whether a file is a campaign.toml: one that names a test set, and is none itself."""
    return str(path).endswith(".toml") and "testset" in read_toml(path)


def read_campaign(path: str | Path) -> Campaign:
    """The campaign of a file; the first thing that is wrong with it is said in a sentence."""
    values = read_toml(path)
    check_keys(values, TOP, str(path))
    if not isinstance(values.get("testset"), str):
        raise InputError(f'{path}: no test set; write testset = "testset.toml"')
    evaluation = read_testset(Path(path).parent / values["testset"])
    about = dict(values.get("protocol", {})) if isinstance(values.get("protocol", {}), dict) else {}
    check_keys(about, ("name", "width", "categories"), f"{path}: [protocol]")
    name = about.get("name", "da")
    if name not in PROTOCOLS:
        raise InputError(f"{path}: unknown protocol {name!r}{suggest(str(name), PROTOCOLS)} known: {_known()}")
    protocol = PROTOCOLS[name]
    parts = {key: _section(kind, values.get(key, {}), f"{path}: [{key}]") for key, kind in SECTIONS.items()}
    called = typed(values.get("name", evaluation.testset.name), "str", f"{path}: name")
    campaign = Campaign(
        name=called,
        evaluation=evaluation,
        systems=_systems(values.get("systems"), evaluation, path),
        protocol=protocol,
        width=typed(about.get("width", 2 if protocol.several else 1), "int", f"{path}: [protocol] width"),
        categories=_categories(about.get("categories"), protocol, f"{path}: [protocol] categories"),
        seed=typed(values.get("seed", 1), "int", f"{path}: seed"),
        tutorial=_tutorial(values.get("tutorial", []), protocol, f"{path}: [[tutorial]]"),
        store=_store(values.get("store"), called, f"{path}: store"),
        **parts,
    )
    for problem in problems(campaign):
        raise InputError(f"{path}: {problem}")
    return campaign


def problems(campaign: Campaign) -> list[str]:
    """All that keeps a campaign from being planned, each with the way out."""
    return _wrong_numbers(campaign) or [*_wrong_texts(campaign), *_wrong_shape(campaign)]


def _wrong_numbers(campaign: Campaign) -> list[str]:
    batches, control, found = campaign.batches, campaign.control, []
    for section, name, value, low, high in (
        ("batches", "size", batches.size, 1, 1000),
        ("batches", "redundancy", batches.redundancy, 1, 100),
        ("batches", "overlap", batches.overlap, 0, 1),
        ("batches", "lease", batches.lease, 1, 100_000),
        ("control", "distance", control.distance, 0, 1000),
        *(("control", kind, getattr(control, kind), 0, MOST_CONTROL) for kind in CONTROLS),
        ("raters", "seconds", campaign.raters.seconds, 0, 86400),
        ("raters", "pay", campaign.raters.pay, 0, 1e6),
    ):
        if not low <= value <= high:  # NaN is in no range
            found.append(f"[{section}] {name} = {value:g}; must lie between {low:g} and {high:g}")
    if control.share > MOST_CONTROL:
        found.append(f"[control] {control.share:.0%} of a batch would be control items; at most {MOST_CONTROL:.0%}")
    begin, end = campaign.dates.begin, campaign.dates.end
    if begin is not None and end is not None and not begin < end:
        found.append(f"[dates] end ({written(end)}) does not come after begin ({written(begin)})")
    if batches.assignment not in ASSIGNMENTS:
        found.append(f"[batches] assignment = {batches.assignment!r}; known: {', '.join(ASSIGNMENTS)}")
    return found


def _wrong_texts(campaign: Campaign) -> list[str]:
    testset, found = campaign.evaluation.testset, []
    if not len(testset):
        found.append("the test set has no segments")
    if testset.sources is None:
        found.append("the test set has no source; raters need something to compare with")
    for system in campaign.systems:
        lacks = [k + 1 for k, text in enumerate(campaign.outputs(system)) if text is None]
        if lacks:
            found.append(
                f"system {system} has no output for {counted(len(lacks), 'segment')} (the first: {lacks[0]}); "
                f"nobody can judge what is not there: leave the system out, or fill in an empty line"
            )
    if campaign.control.reference and not all(testset.references[k] for k in range(len(testset))):
        found.append("[control] reference: not every segment has a reference; set it to 0")
    unwanted = [kind for kind in CONTROLS if getattr(campaign.control, kind) and kind not in campaign.protocol.controls]
    if unwanted:
        found.append(f"[control] {unwanted[0]}: the protocol {campaign.protocol.name} has no such items; set it to 0")
    return found


def _wrong_shape(campaign: Campaign) -> list[str]:
    batches, found = campaign.batches, []
    raters, systems = len(campaign.raters.names), len(campaign.systems)
    if batches.assignment == "static" and not raters:
        found.append('[raters] nobody; write names = ["anna", "ben"] or count = 2')
    most = batches.redundancy + (1 if batches.overlap else 0)
    if batches.assignment == "static" and 0 < raters < most:
        found.append(f"{most} raters are wanted for an output, and there {'is' if raters == 1 else 'are'} {raters}")
    if campaign.protocol.several:
        if not 2 <= campaign.width <= systems:
            found.append(f"[protocol] width = {campaign.width}; with {counted(systems, 'system')} it is 2 to {systems}")
        elif any(systems * times % campaign.width for times in range(batches.redundancy, most + 1)):
            found.append(
                f"{systems} systems, each shown {batches.redundancy} to {most} times, do not fill screens of "
                f"{campaign.width}; make redundancy (and systems) such that systems x redundancy is a multiple of it"
            )
    elif campaign.width != 1:
        found.append(f"[protocol] width is for ranking; {campaign.protocol.name} shows one output at a time")
    for number, example in enumerate(campaign.tutorial, 1):
        if len(example.outputs) != campaign.width:
            found.append(
                f"[[tutorial]] example {number} has {counted(len(example.outputs), 'output')}; a screen has "
                f"{campaign.width}"
            )
    longest = max(campaign.documents.items(), key=lambda item: len(item[1]), default=("", []))
    room = genuine_room(batches.size, campaign.control)
    if len(longest[1]) > room:
        found.append(
            f"document {longest[0]} has {counted(len(longest[1]), 'segment')}, but a batch has room for {room} beside "
            f"its control items, and documents stay whole; raise [batches] size"
        )
    return found


def genuine_room(size: int, control: Control) -> int:
    """Items of a batch that are left for what the campaign is for."""
    return size - sum(control_items(size, control).values())


def control_items(size: int, control: Control) -> dict[Kind, int]:
    """How many items of each kind a batch of this size has: shares, rounded down."""
    return {kind: int(size * getattr(control, kind) + 1e-9) for kind in CONTROLS}


def _systems(wanted: Any, evaluation: Evaluation, path: str | Path) -> tuple[str, ...]:
    known = [system.name for system in evaluation.systems]
    chosen = known if wanted is None else list(typed(wanted, "tuple[str, ...]", f"{path}: systems"))
    for name in chosen:
        if name not in known:
            raise InputError(f"{path}: unknown system {name!r}{suggest(name, known)} systems: {', '.join(known)}")
    if len(set(chosen)) < len(chosen):
        raise InputError(f"{path}: systems names one twice; name each once")
    if not chosen:
        raise InputError(f"{path}: no system to judge; name them in the test set (systems = ...)")
    return tuple(chosen)


def _store(given: Any, name: str, where: str) -> Address | None:
    """A database; its schema is called after the campaign, so that several of them share it and do not mix."""
    if given is None:
        return None
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40]
    other = "" if name.isascii() else f"_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    try:
        return read_address(given if isinstance(given, str) else "", f"tertium_{plain}{other}".replace("__", "_"))
    except InputError as error:  # without what was given: it may have a password
        raise InputError(f"{where}: {error}") from None


def _categories(given: Any, protocol: Protocol, where: str) -> tuple[str, ...]:
    """What errors may be: the user's list, or that of the protocol."""
    if given is None:
        return MQM_CATEGORIES if protocol.marks == "taxonomy" else ()
    if protocol.marks != "taxonomy":
        raise InputError(f"{where} are for mqm; leave them out")
    chosen: tuple[str, ...] = typed(given, "tuple[str, ...]", where)
    if not 1 <= len(chosen) <= 200 or any(not name.strip() or len(name) > 200 for name in chosen):
        raise InputError(f"{where}: 1 to 200 names of at most 200 characters, none of them empty")
    if len(set(chosen)) < len(chosen):
        raise InputError(f"{where} names one twice; name each once")
    return chosen


def _tutorial(given: Any, protocol: Protocol, where: str) -> tuple[Example, ...]:
    """The examples that raters see first."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given) or len(given) > MOST_EXAMPLES:
        raise InputError(f"{where} must be at most {MOST_EXAMPLES} tables with source, outputs and feedback")
    examples = []
    for number, one in enumerate(given, 1):
        examples.append(_example(one, f"{where} example {number}"))
        if examples[-1].outputs:  # how many there have to be is said with the rest of the shape
            check_expected(examples[-1], protocol, f"{where} example {number}: expected")
    return tuple(examples)


def _example(given: Mapping[str, Any], where: str) -> Example:
    kinds = {one.name: str(one.type) for one in fields(Example)}
    check_keys(given, tuple(kinds), where)
    for name in kinds:
        if name not in given and name != "expected":
            raise InputError(f"{where} has no {name}; it has source, outputs and feedback")
    return Example(
        **{name: typed(given[name], kind, f"{where} {name}") for name, kind in kinds.items() if name in given}
    )


def _section(kind: type, given: Any, where: str) -> Any:
    """A table of the file as the dataclass that it is."""
    if not isinstance(given, dict):
        raise InputError(f"{where} must be a table, got {given!r}")
    values = dict(given)
    if kind is Raters and "count" in values:
        if "names" in values:
            raise InputError(f"{where}: both names and count; write one of them")
        count = typed(values.pop("count"), "int", f"{where} count")
        if not 1 <= count <= 10_000:
            raise InputError(f"{where}: count = {count}; must lie between 1 and 10000")
        values["names"] = [f"rater{k}" for k in range(1, count + 1)]
    known = {one.name: str(one.type) for one in fields(kind)}
    check_keys(values, (*known, *(["count"] if kind is Raters else [])), where)
    made = kind(**{name: typed(value, known[name], f"{where} {name}") for name, value in values.items()})
    if kind is Raters:
        twice = [name for k, name in enumerate(made.names) if name in made.names[:k] or not name.strip()]
        if twice:
            raise InputError(
                f"{where}: the name {twice[0]!r} is there twice, or empty; every rater has one of their own"
            )
    return made


def _known() -> str:
    return ", ".join(PROTOCOLS)
