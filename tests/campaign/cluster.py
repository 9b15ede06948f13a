"""PostgreSQL for tests: a cluster of our own in a temporary folder, behind a socket that nobody else can open."""

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

USER = "nobody"  # whose the server is where we are root, as whom it refuses to run
PROGRAMS = "/usr/lib/postgresql"
ABSENT = "no PostgreSQL server here: make test-services installs it, and tertium[postgres]"


def program(name: str) -> str:
    """Where a program of the server is: on the path, or where Debian hides it."""
    hidden = sorted(Path(PROGRAMS).glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    found = shutil.which(name) or (str(hidden[-1]) if hidden else None)
    if found is None:
        pytest.skip(ABSENT)
    return found


class Cluster:
    """A server, its databases, and ways to end it."""

    def __init__(self) -> None:
        pytest.importorskip("psycopg")
        self._pg_ctl, initdb = program("pg_ctl"), program("initdb")
        self.folder = Path(tempfile.mkdtemp(prefix="tertium-", dir="/tmp"))  # a path of a socket must be short
        self.password = secrets.token_hex(8)
        secret = self.folder / "password"
        secret.write_text(self.password)
        if os.geteuid() == 0:
            owner = pwd.getpwnam(USER)
            for path in (self.folder, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        self._run(initdb, "--pgdata", str(self.folder / "data"), "--username", "rate", "--pwfile", str(secret),
                  "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8")  # fmt: skip
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nmax_connections = 30\n")
        self.start()

    def start(self) -> None:
        self._run(self._pg_ctl, "start", "--wait", "--pgdata", str(self.folder / "data"), "--log",
                  str(self.folder / "log"))  # fmt: skip

    def stop(self, mode: str = "immediate") -> None:
        """`immediate` ends all at once, as a power cut would; the log of writes is read again at the start."""
        self._run(self._pg_ctl, "stop", "--wait", "--mode", mode, "--pgdata", str(self.folder / "data"))

    def delete(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def address(self, database: str = "postgres", user: str = "rate") -> str:
        """What stands in a campaign.toml."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def query(self, text: str, *values: Any, database: str = "postgres") -> list[Any]:
        """What its owner sees."""
        import psycopg

        with psycopg.connect(self.address(database), password=self.password, autocommit=True) as connection:
            found = connection.execute(text, values)
            return found.fetchall() if found.description else []

    def database(self, more: str = "") -> str:
        """The address of a new, empty database."""
        name = f"d{secrets.token_hex(6)}"
        self.query(f"CREATE DATABASE {name} {more}")
        return self.address(name)

    def schema(self) -> str:
        """The address of a schema that nobody has made yet, in the database that is always there."""
        return f"{self.address()}&schema=s{secrets.token_hex(6)}"

    def _run(self, *command: str) -> None:
        """As somebody who is not root; the server that it leaves behind keeps none of our pipes."""
        become: dict[str, Any] = {"user": USER, "group": pwd.getpwnam(USER).pw_gid, "extra_groups": []}
        with (self.folder / "said").open("w+") as said:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd="/",
                                  check=False, **(become if os.geteuid() == 0 else {}))  # fmt: skip
            said.seek(0)
            assert done.returncode == 0, said.read()
