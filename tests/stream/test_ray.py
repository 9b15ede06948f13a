"""Ray counts shards: nothing is lost when processes, computers or files are, and nothing stays behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.oracles.files import ORACLES, needs_oracles

import tertium as tt
from tertium.core.errors import CancelledError, InputError, OptionError, TertiumError
from tertium.engines.ray import RayEngine
from tertium.engines.stream import stream
from tertium.inference.poisson import PoissonDraws
from tertium.io.shards import find_shards

from .engines import GATE, Loaded
from .test_engine import METRICS, assert_equal

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
SHARDS, ROWS = 20, 40
TOKENS = 'bleu(tokenize="py:tests.stream.engines:split"),ter,macrof'


@pytest.fixture(autouse=True)
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a process that stops says so; Ray's processes are handed the environment."""
    folder = tmp_path / "gate"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    monkeypatch.setenv(GATE, str(folder))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{ROOT / 'tests'}")  # where these modules are found
    monkeypatch.setenv("RAY_AUTH_MODE", "token")  # for the clusters that tests start
    monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    pytest.importorskip("ray")
    monkeypatch.setattr("ray._private.ray_constants.ENABLE_RAY_CLUSTER", False)  # listen on the loopback interface
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """20 Parquet files of 40 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "corpus"
    folder.mkdir()
    for k in range(SHARDS):
        references = [f"the {k * i} birds of field {i % 7} sang again , and again ." for i in range(ROWS)]
        outputs = [text.replace("sang", "sing") if i % 3 else text.upper() for i, text in enumerate(references)]
        pq.write_table(pa.table({"ref": references, "mt": outputs}), folder / f"p-{k:02d}.parquet", row_group_size=9)
    return folder


def say(folder: Path, shard: int, text: str) -> None:
    """An output in the middle of a shard."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"p-{shard:02d}.parquet"
    rows = pq.read_table(path).to_pydict()
    rows["mt"][ROWS // 2] = text
    pq.write_table(pa.table(rows), path, row_group_size=9)


def find(folder: Path) -> Any:
    return find_shards(None, [f"{folder}/p-*.parquet:ref"], [f"{folder}/p-*.parquet:mt"])


def whole(folder: Path, metrics: Any = TOKENS, **options: Any) -> Any:
    """What this process finds, where nobody stops."""
    (gate := os.environ.pop(GATE))
    try:
        return stream(find(folder), ["mt"], metrics, **options)
    finally:
        os.environ[GATE] = gate


def stopped(gate: Path) -> tuple[int, str] | None:
    """The process at the gate, and its computer."""
    if not (gate / "stopped").exists():
        return None
    process, node = (gate / "stopped").read_text().split()
    return int(process), node


def descendants() -> set[int]:
    """All processes that come from this one."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
    found = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def listening(processes: set[int]) -> set[str]:
    """The addresses at which processes listen, as the kernel writes them."""
    sockets = set()
    for process in processes:
        for entry in Path(f"/proc/{process}/fd").glob("*"):
            try:
                sockets.add(str(entry.readlink()))
            except OSError:
                continue
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def test_a_process_that_is_killed(corpus: Path, gate: Path) -> None:
    """In the middle of a shard, of which it has counted some rows; and nobody but this computer could have seen it."""
    say(corpus, 7, "stop here")
    seen: list[set[str]] = []

    def kill() -> bool:
        if not seen and (found := stopped(gate)):
            seen.append(listening({*descendants(), os.getpid()}))
            os.kill(found[0], signal.SIGKILL)
        return False

    found = stream(find(corpus), ["mt"], TOKENS, run=tt.Run(threads=2, cancelled=kill), engine=RayEngine())
    assert len(seen) == 1
    assert seen[0]
    assert seen[0] <= LOOPBACK
    assert_equal(found, whole(corpus))
    assert len(found.evaluation.testset) == SHARDS * ROWS


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster of two computers with a core each, both of which are this one; it ends with the test."""
    from ray.cluster_utils import Cluster

    about = {"node_ip_address": "127.0.0.1", "include_dashboard": False, "object_store_memory": 100 << 20}
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **about})
    try:
        for _ in range(2):
            made.add_node(num_cpus=1, **about)
        yield made
    finally:
        made.shutdown()


def test_a_computer_that_is_lost_and_a_file_that_is_damaged(corpus: Path, gate: Path, cluster: Any) -> None:
    say(corpus, 7, "stop here")
    damaged = corpus / "p-13.parquet"
    damaged.write_bytes(damaged.read_bytes()[:200])
    lost: list[str] = []

    def pull_the_plug() -> bool:
        if not lost and (found := stopped(gate)):
            [node] = [node for node in cluster.worker_nodes if node.node_id == found[1]]
            cluster.remove_node(node, allow_graceful=False)
            lost.append(found[1])
        return False

    run, engine = tt.Run(threads=2, cancelled=pull_the_plug), RayEngine(address=cluster.address)
    found = stream(find(corpus), ["mt"], TOKENS, run=run, bad_shards="skip", engine=engine)
    assert len(lost) == 1
    assert_equal(found, whole(corpus, bad_shards="skip"))
    assert len(found.evaluation.testset) == (SHARDS - 1) * ROWS
    assert [str(damaged) in line for line in found.evaluation.warnings] == [False, True]
    with pytest.raises(InputError, match=r"p-13\.parquet: not a Parquet file"):
        stream(find(corpus), ["mt"], TOKENS, run=tt.Run(threads=1), engine=engine)


def test_a_cluster_that_is_connected_is_used_and_stays(corpus: Path, cluster: Any) -> None:
    """Draws, cancellation, refusals, and a shard that kills whoever reads it."""
    import ray

    ray.init(address=cluster.address, configure_logging=False, log_to_driver=False)
    try:
        draws = PoissonDraws(50, 3)
        found = stream(find(corpus), ["mt"], METRICS, draws=draws, engine=RayEngine())
        assert_equal(found, whole(corpus, METRICS, draws=draws))

        with pytest.raises(CancelledError, match="cancelled while a cluster was at work"):
            stream(find(corpus), ["mt"], "bleu", run=tt.Run(cancelled=lambda: True), engine=RayEngine())
        with pytest.raises(OptionError, match="Ray is connected already; leave the address out"):
            stream(find(corpus), ["mt"], "bleu", engine=RayEngine(address="127.0.0.1:1"))
        with pytest.raises(InputError, match="bleu needs references, and there are none"):
            stream(find_shards(None, [], [f"{corpus}/p-*.parquet:mt"]), ["mt"], "bleu", engine=RayEngine())

        say(corpus, 3, "die here")
        with pytest.raises(TertiumError, match=r"3 processes of the cluster died at .*p-03\.parquet: .*enough memory"):
            stream(find(corpus), ["mt"], TOKENS, engine=RayEngine())
        assert ray.is_initialized()
        assert ray.cluster_resources()["CPU"] == 2
    finally:
        ray.shutdown()


@pytest.mark.parametrize("gpus", [0, 1])
def test_a_network_is_loaded_once_in_each_process(gpus: int, corpus: Path, tmp_path: Path) -> None:
    """Not once for a shard. Where the cluster says that it has a GPU, one process has it."""
    import ray

    ray.init(address="local", num_cpus=2, num_gpus=gpus, include_dashboard=False, configure_logging=False,
             log_to_driver=False, object_store_memory=100 << 20)  # fmt: skip
    try:
        folder, notes = tmp_path / "loaded", list[str]()
        folder.mkdir()
        run = tt.Run(notes=notes.append)
        found = stream(find(corpus), ["mt"], [Loaded(folder=str(folder))], run=run, engine=RayEngine())
    finally:
        ray.shutdown()
    loads = sorted(path.name.split() for path in folder.iterdir())
    assert {device for _, device in loads} == ({"cuda"} if gpus else {"cpu"})
    assert len({process for process, _ in loads}) == len(loads) <= (1 if gpus else 2)
    assert set(notes) == {"lengths are no quality"}
    here = whole(corpus, [Loaded(folder=str(tmp_path))], run=run)
    assert found.evaluation.scores()[0].value == here.evaluation.scores()[0].value


@needs_oracles
def test_a_checkpoint_scores_as_here(corpus: Path) -> None:
    """A real, tiny network, whose files every process finds by the name that the user gave."""
    pytest.importorskip("torch")
    folder = ORACLES / "comet"
    metric = f'comet(model="{folder / "reg-cls-layer2"}", encoder="{folder / "encoder"}")'
    sides: Any = (f"{corpus}/p-0*.parquet:ref", [f"{corpus}/p-0*.parquet:ref"], [f"{corpus}/p-0*.parquet:mt"])
    here, there = (
        stream(find_shards(*sides), ["mt"], metric, engine=engine).evaluation.scores()[0]
        for engine in (None, RayEngine())
    )
    assert there.value == pytest.approx(here.value, abs=1e-6)
    assert (there.signature, there.n) == (here.signature, 10 * ROWS)


def command(*more: str) -> list[str]:
    return [sys.executable, "-m", "tertium", "score", "--ref", "p-*.parquet:ref", "--hyp", "mt=p-*.parquet:mt", *more]


def test_the_command(corpus: Path) -> None:
    (corpus / "p-13.parquet").write_bytes(b"PAR1")
    asked = command("-m", METRICS, "-f", "json", "--bad-shards", "skip", "--confidence", "--trials", "50")
    here, there = (
        subprocess.run([*asked, *more], cwd=corpus, capture_output=True, text=True, check=True)
        for more in ([], ["--engine", "ray", "--threads", "2"])
    )
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr == ""
    assert "p-13.parquet" in json.loads(here.stdout)["warnings"][1]


@pytest.mark.parametrize("whom", ["group", "command"])
def test_ctrl_c(whom: str, corpus: Path, gate: Path) -> None:
    """A terminal tells all processes; Python tells one."""
    say(corpus, 7, "stop here")
    asked = command("-m", TOKENS.partition(",")[0], "--engine", "ray", "--threads", "2")
    others = descendants()  # of other tests
    process = subprocess.Popen(asked, cwd=corpus, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        with (gate / "pipe").open("w"):  # opens when somebody stands there to read
            found = stopped(gate)
            assert found is not None
            before = descendants() - others
            assert listening(before) <= LOOPBACK  # of a command, where nobody has imported Ray before
            assert len(listening(before)) > 0
            (os.killpg if whom == "group" else os.kill)(process.pid, signal.SIGINT)
            _, said = process.communicate()
        assert process.returncode == 130
        assert said.strip() == "tertium: stopped"
        assert found[0] in before
        for each in before - {process.pid}:
            assert_ends(each)
    finally:
        process.kill()
        process.wait()


def assert_ends(process: int) -> None:
    """A process that was ended, but need not be gone yet."""
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([watched], [], [], 300)
        assert ended, Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    finally:
        os.close(watched)


def test_no_cluster_that_everybody_can_reach(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray decides when it is imported."""
    monkeypatch.setattr("ray._private.ray_constants.ENABLE_RAY_CLUSTER", True)
    monkeypatch.setattr("ray.util.get_node_ip_address", lambda: "192.0.2.7")  # not every computer has a network
    with pytest.raises(OptionError, match="a cluster would listen on every network"):
        stream(find(corpus), ["mt"], "bleu", engine=RayEngine())


def test_no_cluster_at_an_address(corpus: Path) -> None:
    with pytest.raises(InputError, match=r"no Ray cluster at 127\.0\.0\.1:1: "):
        stream(find(corpus), ["mt"], "bleu", engine=RayEngine(address="127.0.0.1:1"))
    with pytest.raises(OptionError, match="write HOST:PORT, and start the command on a node of the cluster"):
        RayEngine(address="ray://127.0.0.1:10001")
