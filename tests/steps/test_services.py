"""The step that brings PostgreSQL and Ray has what it promises."""

import pytest

pytestmark = pytest.mark.services


def test_psycopg_has_its_library() -> None:
    psycopg = pytest.importorskip("psycopg")
    assert psycopg.pq.version() >= 120_000
    assert psycopg.conninfo.make_conninfo(dbname="t", host="h") == "dbname=t host=h"


def test_ray_is_there() -> None:
    ray = pytest.importorskip("ray")
    assert ray.__version__
    assert not ray.is_initialized()  # only what asks for it starts it
