"""`store = "postgresql://..."`: what is an address, where its schema comes from, and that it never has a password."""

import hashlib
import sys
from pathlib import Path

import pytest
from tests.campaign.written import written

from tertium.core.errors import InputError, MissingPackageError
from tertium.human.campaign.spec import read_campaign
from tertium.human.campaign.store import CampaignStore
from tertium.io.postgres import Address, read_address

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://rate@db.example.org/c", ("postgresql://rate@db.example.org/c", "own", "db.example.org/c")),
        ("postgres://db:5433/c?sslmode=require", ("postgres://db:5433/c?sslmode=require", "own", "db:5433/c")),
        ("postgresql://a@/c?host=/run&schema=x_1", ("postgresql://a@/c?host=/run", "x_1", "/c")),
        ("postgresql:///?schema=y", ("postgresql:///", "y", "/")),
        ("postgresql://a@one,two:5433/c?schema=y&connect_timeout=3",
         ("postgresql://a@one,two:5433/c?connect_timeout=3", "y", "one,two:5433/c")),
    ],
)  # fmt: skip
def test_what_an_address_says(text: str, expected: tuple[str, str, str]) -> None:
    link, schema, shown = expected
    assert read_address(text, "own") == Address(link, schema, f"postgresql://{shown} (schema {schema})")


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://rate:{SECRET}@db/c",
        f"postgres://:{SECRET}@/c",
        f"postgresql://rate:{SECRET}/@db/c",
        f"postgresql://rate:{SECRET}?@db/c",
        f"postgresql://rate@db/c?password={SECRET}",
        f"postgresql://rate@db/c?sslmode=require&sslpassword={SECRET}",
    ],
)
def test_a_password_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    path = written(tmp_path)
    path.write_text(f'store = "{text}"\n{path.read_text()}')
    with pytest.raises(InputError) as told:
        read_campaign(path)
    assert str(told.value) == (
        f"{path}: store: it has a password, which would be in files and messages; leave it out, and put it into "
        f"PGPASSWORD or ~/.pgpass, where PostgreSQL's programs look for it"
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('"mysql://db/c"', "expected postgresql://USER@HOST/DATABASE"),
        ('"other.sqlite"', "expected postgresql://USER@HOST/DATABASE"),
        ("7", "expected postgresql://USER@HOST/DATABASE"),
        (f'"postgresql://db/c?pass%77ord={SECRET}"', "what is behind the question mark is not KEY=VALUE&KEY=VALUE"),
        ('"postgresql://db/c#x"', "what is behind the question mark is not KEY=VALUE&KEY=VALUE"),
        ('"postgresql://db/c?schema=A b"', "its schema must be 1 to 63 of a-z, 0-9 and _, and not begin with a digit"),
        ('"postgresql://db/c?schema="', "its schema must be 1 to 63 of a-z, 0-9 and _, and not begin with a digit"),
    ],
)
def test_what_is_no_address(tmp_path: Path, value: str, said: str) -> None:
    path = written(tmp_path)
    path.write_text(f"store = {value}\n{path.read_text()}")
    with pytest.raises(InputError) as told:
        read_campaign(path)
    assert str(told.value).startswith(f"{path}: store: {said}")
    assert SECRET not in str(told.value)


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("Town notes, 2026!", "tertium_town_notes_2026"),
        ("x" * 300, f"tertium_{'x' * 40}"),
        ("письма", f"tertium_{hashlib.sha256('письма'.encode()).hexdigest()[:8]}"),  # alphabets that a-z does not have
        ("!!", "tertium_"),
    ],
)
def test_the_schema_is_called_after_the_campaign(tmp_path: Path, name: str, schema: str) -> None:
    path = written(tmp_path)
    path.write_text(f'name = "{name}"\nstore = "postgresql://db/c"\n{path.read_text()}')
    address = read_campaign(path).store
    assert address is not None
    assert address.schema == schema


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingPackageError, match=r"needs the package psycopg; .* pip install \"tertium\[postgres\]\""):
        CampaignStore(read_address("postgresql://db/c", "x"), plan="p")
