"""Options that belong together reach a command as one value, and are declared in one place."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tertium.cli import inputs
from tertium.cli.inputs import Inputs
from tertium.cli.lazy import LazyGroup
from tertium.cli.main import cli
from tertium.cli.meta.score_table import TableInputs
from tertium.cli.options import Bootstrap
from tertium.cli.parameters import argument, option, parameters

COMMANDS = Path(inputs.__file__).parent
READERS = ["score", "compare", "types", "diagnose", "buckets", "disagree", "stress", "report", "verify", "evaluate"]


@dataclass(frozen=True, kw_only=True)
class Trip:
    place: str = argument(default="home")
    days: int = option("-d", "--days", type=int, default=1, help="How long.")
    names: tuple[str, ...] = option("--with", multiple=True, help="Who comes.")
    slow: bool = option("--slow", is_flag=True, help="By foot.")


def called(arguments: list[str], **settings: Any) -> tuple[Trip, bool]:
    """What a command with an option of its own is handed."""
    found: list[tuple[Trip, bool]] = []

    @click.command()
    @parameters(Trip, "trip", **settings)
    @click.option("--own", is_flag=True)
    def command(trip: Trip, own: bool) -> None:
        found.append((trip, own))

    CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    return found[0]


def test_one_value() -> None:
    assert called([]) == (Trip(), False)
    trip = Trip(place="Ulm", days=3, names=("A", "B"), slow=True)
    assert called(["Ulm", "-d", "3", "--with", "A", "--own", "--with", "B", "--slow"]) == (trip, True)


def test_a_command_may_go_without_a_field() -> None:
    assert called(["-d", "2"], without=["place"]) == (Trip(days=2), False)
    with pytest.raises(click.UsageError, match="unexpected extra argument"):
        called(["Ulm"], without=["place"])


def test_what_is_required_has_no_default_in_python_either() -> None:
    with pytest.raises(TypeError, match="'tables' and 'gold'"):
        TableInputs()  # type: ignore[call-arg]
    assert TableInputs(tables=("a.tsv",), gold="people").metrics == ()


def test_help_in_the_order_of_the_fields_and_in_a_commands_own_words() -> None:
    @click.command()
    @parameters(Trip, "trip", days="Nights.")
    def command(trip: Trip) -> None: ...

    shown = [item.help for item in command.params if isinstance(item, click.Option)]
    assert shown == ["Nights.", "Who comes.", "By foot."]


def every_command(group: click.Group, context: click.Context) -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}  # of two of one name, the one of the group that is listed first
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found = (every_command(command, context) if isinstance(command, LazyGroup) else {name: command}) | found
    return found


def defaults(name: str) -> dict[str, Any]:
    """What a command gets where no option says anything."""
    needed = {"verify": ["bleu"], "agreement": ["file"], "preference": ["table", "--gold", "people"]}
    parent = cli.make_context("tertium", [name], resilient_parsing=True)  # its names of --help are the commands', too
    return every_command(cli, parent)[name].make_context(name, needed.get(name, []), parent=parent).params


@pytest.mark.parametrize(
    ("name", "cls", "least"),
    [
        *((name, Inputs, {"src", "refs", "hyps", "doc", "missing", "mmap"}) for name in READERS),
        *((name, Bootstrap, {"confidence", "confidence_level", "trials", "seed"}) for name in ("buckets", "agreement")),
        ("score", Bootstrap, {field.name for field in fields(Bootstrap)}),
    ],
)
def test_python_and_the_command_line_start_from_the_same_values(name: str, cls: type[Any], least: set[str]) -> None:
    given = defaults(name)
    own = {field.name: field.default for field in fields(cls) if field.name in given}
    assert own.keys() >= least
    assert {key: given[key] for key in own} == own


def test_preference_draws_as_others_do() -> None:
    drawn = Bootstrap()
    assert {key: defaults("preference")[key] for key in ("trials", "seed")} == {
        "trials": drawn.trials,
        "seed": drawn.seed,
    }


@pytest.mark.parametrize(
    ("given", "covered"),
    [
        (Bootstrap(), None),
        (Bootstrap(confidence=True), 0.95),
        (Bootstrap(confidence_level=0.9), 0.9),
        (Bootstrap(confidence=True, confidence_level=0.5), 0.5),
    ],
)
def test_what_intervals_cover(given: Bootstrap, covered: float | None) -> None:
    assert given.covered == covered


@pytest.mark.parametrize("flag", ["--hyp", "--missing", "--mmap", "--doc"])
def test_what_is_read_is_declared_once(flag: str) -> None:
    """sacreBLEU's flags are its own."""
    files = [path for path in COMMANDS.rglob("*.py") if "sacrebleu" not in path.parts]
    assert [path.name for path in files if f'"{flag}"' in path.read_text()] == ["inputs.py"]
