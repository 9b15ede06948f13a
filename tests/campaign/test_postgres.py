"""A store in PostgreSQL: what only it can do, and all that can be wrong with a server."""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.asked import enter, opened, put
from tests.campaign.cluster import Cluster
from tests.campaign.served import PATIENCE
from tests.campaign.test_store import save
from tests.campaign.written import written

from tertium.core.errors import InputError
from tertium.human.campaign import store as campaign_store
from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.store import MIGRATIONS, CampaignStore
from tertium.io import postgres
from tertium.io.postgres import UNREACHABLE, Address, PostgresStore, read_address
from tertium.io.store import StoreError

pytestmark = pytest.mark.services


@pytest.fixture
def address(cluster: Cluster) -> Address:
    return read_address(cluster.schema(), schema="unused")


def test_what_is_acknowledged_waits_for_the_disk_whatever_the_server_does_else(cluster: Cluster) -> None:
    database = cluster.database()
    name = database.partition("?")[0].rpartition("/")[2]
    cluster.query(f"ALTER DATABASE {name} SET synchronous_commit = off")
    cluster.query(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    with CampaignStore(read_address(database, "c"), plan="p") as store:
        assert store.database.rows("SHOW synchronous_commit") == [{"synchronous_commit": "on"}]
        assert store.database.rows("SHOW transaction_isolation") == [{"transaction_isolation": "read committed"}]
    cluster.query(f"ALTER DATABASE {name} SET synchronous_commit = remote_apply")
    with CampaignStore(read_address(database, "c"), plan="p") as store:
        assert store.database.rows("SHOW synchronous_commit") == [{"synchronous_commit": "remote_apply"}]


def test_campaigns_of_one_database_do_not_mix(cluster: Cluster, tmp_path: Path) -> None:
    database, found = cluster.database(), []
    for name in ("first", "second"):
        path = written(tmp_path / name)
        path.write_text(f'name = "{name}"\nstore = "{database}"\n{path.read_text()}')
        with open_collection(path) as collection:
            collection.submit("eva", 1, 0, f"{name}-eva", 1, {"values": {"da100": len(found)}}).result()
            found.append([kept.body["values"]["da100"] for kept in collection.standing()])
    assert found == [[0], [1]]
    schemas = cluster.query(
        "SELECT schemaname FROM pg_tables WHERE tablename = 'responses' ORDER BY 1",
        database=database.split("/")[3].split("?")[0],
    )
    assert schemas == [("tertium_first",), ("tertium_second",)]


def test_two_servers_and_the_same_response(address: Address) -> None:
    """Sent to both at once, by a page that got no answer from the first: new once."""
    new: list[bool] = []
    with CampaignStore(address, plan="p") as one, CampaignStore(address, plan="p") as two:
        together = threading.Barrier(2, timeout=PATIENCE)

        def send(store: CampaignStore) -> None:
            for item in range(30):
                together.wait()
                new.append(store.save(save(item, item=item, uuid=f"u{item}")))

        threads = [threading.Thread(target=send, args=(store,)) for store in (one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one.responses() == two.responses() == two.replayed()
    assert (new.count(True), new.count(False)) == (30, 30)


def test_two_servers_begin_at_once(address: Address) -> None:
    stores: list[CampaignStore] = []
    together = threading.Barrier(4, timeout=PATIENCE)

    def begin() -> None:
        together.wait()
        store = CampaignStore(address, plan="p")
        store.remembered("codes", secrets.token_hex(4))
        stores.append(store)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({store.remembered("codes", "") for store in stores}) == 1
    assert len(stores) == 4
    for store in stores:
        store.close()


@contextmanager
def newer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A tertium with one migration more."""
    with monkeypatch.context() as context:
        context.setattr(campaign_store, "MIGRATIONS", [*MIGRATIONS, "ALTER TABLE leases ADD COLUMN why TEXT"])
        yield


def test_other_versions_are_refused_also_while_they_run(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    with CampaignStore(address, plan="p") as old:
        old.save(save())
        with (
            newer(monkeypatch),
            pytest.raises(StoreError, match=r"is of an older tertium \(version 2 of the tables; this"),
        ):
            CampaignStore(address, plan="p", read_only=True)
        with newer(monkeypatch), CampaignStore(address, plan="p") as new:
            assert new.database.rows("SELECT why FROM leases") == []
            assert new.save(save(item=1, uuid="v")) is True
        said = f"{address.shown} is of a newer tertium (version 3 of the tables; this one knows 2); update this one"
        with pytest.raises(StoreError) as told:
            old.save(save(item=2, uuid="w"))
        assert str(told.value) == said
    for read_only in (False, True):
        with pytest.raises(StoreError) as told:
            CampaignStore(address, plan="p", read_only=read_only)
        assert str(told.value) == said


def delete_all(store: CampaignStore, meanwhile: Callable[[], Any], at_last: Callable[[], Any] = int) -> None:
    """A transaction, and what happens in the middle of it and before its commit."""
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM responses")
        meanwhile()
        connection.execute("DELETE FROM events")
        at_last()


def test_a_connection_that_is_lost_in_the_middle(cluster: Cluster, address: Address) -> None:
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tertium'"
    with CampaignStore(address, plan="p") as store:
        store.save(save())
        cluster.query(end)
        assert store.save(save(item=1, uuid="v")) is True  # lost before it was asked: asked again
        cluster.query(end)
        assert len(store.responses()) == 2
        with pytest.raises(StoreError, match=UNREACHABLE):
            delete_all(store, lambda: cluster.query(end))
        with pytest.raises(StoreError, match=UNREACHABLE):
            delete_all(store, int, lambda: cluster.query(end))  # the commit finds nobody
        assert store.responses() == store.replayed()
        assert len(store.responses()) == 2
        with pytest.raises(ZeroDivisionError):
            delete_all(store, lambda: 1 // 0)
        assert len(store.responses()) == 2


def test_a_server_that_is_away_is_told_to_raters_and_found_again(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "c")
    path.write_text(f'store = "{cluster.schema()}"\n{path.read_text()}')
    body = {"values": {"da100": 1}}
    with opened(path) as (client, collection):
        enter(client, collection, "eva")
        assert put(client, collection, "eva", 1, 0, body).status_code == 200
        cluster.stop()
        try:
            for _ in range(2):  # the second one is not even tried
                answer = put(client, collection, "eva", 1, 1, body)
                assert (answer.status_code, answer.json()) == (503, {"error": UNREACHABLE})
                assert answer.headers["retry-after"] == "5"
            page = client.get("/")
            assert page.status_code == 503
            assert UNREACHABLE in page.text
            with pytest.raises(
                StoreError, match=r"cannot be reached \(.*\); check the address in store, and that PGPASSW"
            ):
                open_collection(path)
        finally:
            cluster.start()
        monkeypatch.setattr(collection.store.database, "_again", 0.0)  # the pause is over
        answers = [put(client, collection, "eva", 1, item, body).json() for item in (1, 0)]
        assert [(answer["saved"], answer["new"]) for answer in answers] == [(True, True), (True, False)]


def refuse(cluster: Cluster, address: Address, kind: str, code: str) -> None:
    """A server that answers so, when a response is to be written."""
    cluster.query(f"CREATE FUNCTION {address.schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS "
                  f"'BEGIN RAISE EXCEPTION ''{kind}'' USING ERRCODE = ''{code}''; END'")  # fmt: skip
    cluster.query(f"CREATE TRIGGER refuse BEFORE INSERT ON {address.schema}.events EXECUTE FUNCTION "
                  f"{address.schema}.refuse()")  # fmt: skip


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("53100", "there is no room for it on the server's disk; nothing of what was being written is kept: make room"),
        ("25006", "can only be read (a standby?); name the primary server in store"),
        ("40P01", "so it is; try again"),
        ("XX001", "is damaged (so it is); restore a backup of it"),
    ],
)
def test_what_a_server_complains_of_is_a_sentence_and_passes(
    cluster: Cluster, address: Address, code: str, said: str
) -> None:
    with CampaignStore(address, plan="p") as store:
        store.save(save())
        refuse(cluster, address, "so it is", code)
        waiting = [store.submit(save(item=k, uuid=f"u{k}")) for k in range(1, 9)]
        for done in waiting:
            error = done.exception()
            assert isinstance(error, StoreError)
            assert said in str(error)
        assert len(store.responses()) == 1
        cluster.query(f"DROP TRIGGER refuse ON {address.schema}.events")
        assert all(store.save(save(item=k, uuid=f"u{k}")) for k in range(1, 9))
        assert store.responses() == store.replayed()


def test_somebody_else_who_does_not_let_go(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "BUSY", 0.1)
    with CampaignStore(address, plan="p") as one, CampaignStore(address, plan="p") as two:
        with (
            one.database.transaction(),
            pytest.raises(StoreError, match=r"others have been writing for 0\.1 seconds; try"),
        ):
            two.save(save())
        assert two.responses() == []  # who reads never waits
        assert two.save(save()) is True


def test_who_lies_still_in_the_middle_loses_it(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is stopped, or whose cable is cut, does not keep the others from writing for ever."""
    monkeypatch.setattr(postgres, "BUSY", PATIENCE)
    setting = "idle_in_transaction_session_timeout"
    with CampaignStore(address, plan="p") as still, CampaignStore(address, plan="p") as other:
        assert still.database.rows(f"SHOW {setting}") == [{setting: "1min"}]
        still.database.rows("SELECT set_config(?, '100', false)", setting)
        with pytest.raises(StoreError, match=UNREACHABLE):  # while the other waits, the server ends this transaction
            delete_all(still, lambda: other.save(save()))
        assert len(still.responses()) == 1


def test_who_may_not(cluster: Cluster, tmp_path: Path) -> None:
    database = cluster.database()
    name, password = database.split("/")[3].split("?")[0], secrets.token_hex(8)
    role = f"r{secrets.token_hex(4)}"
    cluster.query(f"CREATE ROLE {role} LOGIN PASSWORD '{password}'")
    theirs = read_address(cluster.address(name, role), "c")
    with pytest.raises(StoreError, match=r"cannot be reached \(.*password authentication failed for user") as told:
        CampaignStore(theirs, plan="p")
    assert cluster.password not in str(told.value)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("PGPASSWORD", password)
        with pytest.raises(
            StoreError, match=rf"the role may not do this \(permission denied for database {name}\); its own"
        ):
            CampaignStore(theirs, plan="p")
        cluster.query(f"CREATE SCHEMA c AUTHORIZATION {role}", database=name)
        with CampaignStore(theirs, plan="p") as store:  # a schema that was made for it is enough
            assert store.save(save()) is True
        monkeypatch.delenv("PGPASSWORD")
        keys = tmp_path / "passwords"
        keys.write_text(f"*:*:*:{role}:{password}\n")
        keys.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(keys))
        with CampaignStore(theirs, plan="p", read_only=True) as store:
            assert len(store.responses()) == 1


def test_what_is_there_already(cluster: Cluster) -> None:
    database = cluster.database()
    name = database.split("/")[3].split("?")[0]
    cluster.query("CREATE SCHEMA c; CREATE TABLE c.events (x INTEGER)", database=name)
    with pytest.raises(StoreError, match=r"has tables of another program; name another schema in store: \?schema=NAME"):
        CampaignStore(read_address(database, "c"), plan="p")
    for schema in ("c", "nowhere"):
        with pytest.raises(StoreError, match="nothing of tertium's is in it"):
            CampaignStore(read_address(database, schema), plan="p", read_only=True)
    assert cluster.query("SELECT nspname FROM pg_namespace WHERE nspname = 'nowhere'", database=name) == []


def test_a_database_that_is_not_in_utf8(cluster: Cluster) -> None:
    latin = cluster.database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="the database is not in UTF-8; make one with: createdb --encoding=UTF8"):
        CampaignStore(read_address(latin, "c"), plan="p")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgresql://rate@/nowhere?host={folder}", r'cannot be reached \(.*database "nowhere" does not exist'),
        ("postgresql://rate@/postgres?host=/nowhere", r"cannot be reached \(.*/nowhere/\.s\.PGSQL"),
        ("postgresql://rate@/postgres?hots=x", "PostgreSQL's library knows no 'hots'"),
        ("postgresql://rate@[/postgres", "PostgreSQL's library cannot read this address; expected postgresql://USER@"),
    ],
)
def test_addresses_that_lead_nowhere(cluster: Cluster, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        CampaignStore(read_address(text.format(folder=cluster.folder), "c"), plan="p")


def test_text_that_postgres_cannot_keep(address: Address) -> None:
    with CampaignStore(address, plan="p") as store:
        with pytest.raises(InputError, match=r"PostgreSQL cannot keep this text \(.*NUL.*\); change it"):
            store.save(save(rater="e\0va"))
        assert store.save(save()) is True


def test_a_schema_that_somebody_has_deleted(cluster: Cluster, address: Address) -> None:
    with CampaignStore(address, plan="p") as store:
        cluster.query(f"DROP SCHEMA {address.schema} CASCADE")
        with pytest.raises(StoreError, match=r"is damaged \(.*\); restore a backup of it"):
            store.save(save())


def test_closed_is_closed(address: Address) -> None:
    store = PostgresStore(address, MIGRATIONS, remedy="")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.rows("SELECT 1")


def test_what_was_erased_is_not_in_the_tables_any_more(cluster: Cluster, address: Address) -> None:
    name = f"Eva-{secrets.token_hex(8)}"
    with CampaignStore(address, plan="p") as store:
        store.save(save(rater=name))
        store.save(save(rater="ben", uuid="v"))
        assert store.erase(name) == 1
    cluster.query("CHECKPOINT")
    files = [path for path in (cluster.folder / "data" / "base").rglob("*") if path.is_file()]
    assert files
    assert not any(name.encode() in path.read_bytes() for path in files)
