"""Commands of a campaign whose store is PostgreSQL, and from one kind of store to the other."""

import re
import sys
from pathlib import Path

import pytest
from tests.campaign.cluster import Cluster
from tests.campaign.served import Served
from tests.campaign.written import written

from tertium.human.campaign.collection import open_collection

from .running import Command
from .test_human_collecting import answer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, raters='names = ["=eva", "ben"]')
    monkeypatch.chdir(tmp_path)


def test_a_backup_begins_another_file(tertium: Command) -> None:
    link = tertium("human", "links", "campaign.toml").out.splitlines()[1].rpartition("/")[2].strip()
    answer()
    codes = tertium("human", "status", "campaign.toml", "--codes").out
    tertium("human", "backup", "campaign.toml", "copy.sqlite")
    assert tertium("human", "import", "campaign.toml", "copy.sqlite") == (
        2, "", "tertium: campaign.sqlite has been used; a backup is restored into a new file or schema\n"
    )  # fmt: skip
    for file in Path().glob("campaign.sqlite*"):
        file.unlink()
    code, out, _ = tertium("human", "import", "campaign.toml", "copy.sqlite")
    assert (code, out) == (0, "copy.sqlite: a backup with 10 responses, taken over\n")
    assert tertium("human", "status", "campaign.toml", "--codes").out == codes
    with open_collection("campaign.toml") as collection:
        assert collection.links.rater_of_link(link) == "=eva"


def test_a_store_without_its_package(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    path = Path("campaign.toml")
    path.write_text(f'store = "postgresql://rate@db.example.org/c"\n{path.read_text()}')
    assert tertium("human", "check", "campaign.toml").status == 0
    assert tertium("human", "links", "campaign.toml") == (
        2, "", "tertium: a store in PostgreSQL needs the package psycopg; install it with: pip install "
        '"tertium[postgres]"\n',
    )  # fmt: skip


@pytest.mark.services
def test_every_command_beside_a_server(tertium: Command, cluster: Cluster) -> None:
    answer()  # into a file, first
    tertium("human", "backup", "campaign.toml", "of-file.sqlite")
    codes = tertium("human", "status", "campaign.toml", "--codes").out
    path, database = Path("campaign.toml"), cluster.database()
    plain = path.read_text()
    path.write_text(f'store = "{database}"\n{plain}')
    name = f"postgresql:///{database.partition('?')[0].rpartition('/')[2]} (schema tertium_letters)"
    for command in (
        ["status", "campaign.toml"],
        ["export", "campaign.toml", "x.tsv"],
        ["backup", "campaign.toml", "x"],
    ):
        assert tertium("human", *command) == (
            2, "", f"tertium: {name}: nobody has begun yet; make links first: tertium human links campaign.toml\n"
        )  # fmt: skip
    assert tertium("human", "check", "campaign.toml").status == 0
    assert tertium("human", "plan", "campaign.toml", "-o", "plan.jsonl").status == 0
    moved = tertium("human", "import", "campaign.toml", "of-file.sqlite")
    assert moved == (0, "of-file.sqlite: a backup with 10 responses, taken over\n", "")
    server = Served(path.absolute())
    assert tertium("human", "status", "campaign.toml", "--codes").out == codes
    assert len(tertium("human", "links", "campaign.toml").out.splitlines()) == 3  # which a file would not allow now
    assert tertium("human", "links", "campaign.toml", "--revoke", "ben").out == "ben: link revoked\n"
    assert tertium("human", "export", "campaign.toml", "x.tsv").out == "x.tsv: 10 judgements, 2 raters (tertium)\n"
    taken = tertium("human", "import", "campaign.toml", "x.tsv").out
    assert re.fullmatch(r"x\.tsv: \d+ responses taken in, \d+ there already\n", taken)
    assert tertium("human", "backup", "campaign.toml", "copy.sqlite").out == "copy.sqlite: 10 responses\n"
    assert "responses: " + name in server.stop()
    codes = tertium("human", "status", "campaign.toml", "--codes").out
    tertium("human", "export", "campaign.toml", "z.tsv")
    path.write_text(plain)  # back to a file
    for file in Path().glob("campaign.sqlite*"):
        file.unlink()
    assert tertium("human", "import", "campaign.toml", "copy.sqlite").status == 0
    assert tertium("human", "status", "campaign.toml", "--codes").out == codes
    assert tertium("human", "export", "campaign.toml", "y.tsv").status == 0
    assert Path("y.tsv").read_bytes() == Path("z.tsv").read_bytes()


@pytest.mark.services
def test_no_password_is_told(tertium: Command, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("campaign.toml")
    path.write_text(f'store = "{cluster.address()}"\n{path.read_text()}')
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    code, out, err = tertium("human", "links", "campaign.toml")
    assert (code, out) == (2, "")
    assert "password authentication failed" in err
    assert "hunter2" not in err
