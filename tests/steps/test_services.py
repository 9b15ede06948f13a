"""The step that brings PostgreSQL and Ray has what it promises."""

import importlib.util

import pytest

pytestmark = pytest.mark.services


def test_psycopg_has_its_library() -> None:
    psycopg = pytest.importorskip("psycopg")
    assert psycopg.pq.version() >= 120_000
    assert psycopg.conninfo.make_conninfo(dbname="t", host="h") == "dbname=t host=h"


def test_ray_is_there() -> None:
    """In a process of its own: how Ray listens is settled when it is imported."""
    import subprocess
    import sys

    if importlib.util.find_spec("ray") is None:
        pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-c", "import ray; print(ray.__version__, ray.is_initialized())"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    version, started = done.stdout.split()
    assert version
    assert started == "False"  # only what asks for it starts it
