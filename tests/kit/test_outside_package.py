"""A package outside the repository brings two metrics, and they work everywhere with no other edit.

The package is that of docs/howto/own-metric.md: a metric of sources, with a model in a file, and one whose rows are
given, not counted.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.gate import PATIENCE
from tests.web.served import Served

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SOURCE, SYSTEMS = EXAMPLES / "source.de", [EXAMPLES / "systems" / f"{name}.en" for name in ("atlas", "brook")]
RATE = 0.9
FILES = ["-s", str(SOURCE), "-t", str(SYSTEMS[0])]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of an installed package, known to every process that is started meanwhile."""
    folder = tmp_path_factory.mktemp("site")
    page = (ROOT / "docs" / "howto" / "own-metric.md").read_text()
    counted, given = re.findall(r"^```python\n(.*?)^Path\(", page, re.MULTILINE | re.DOTALL)
    [(group, points)] = re.findall(
        r"^```toml\n\[project\.entry-points\.\"(.*)\"\]\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL
    )
    (folder / "my_metrics.py").write_text(counted)
    (folder / "my_scores.py").write_text(given)
    info = folder / "my_metrics-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-metrics\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{points.replace(chr(34), '')}\n")
    (folder / "rate.txt").write_text(f"{RATE}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
        yield folder


@pytest.fixture
def metric(package: Path) -> str:
    return f'expected_length(model="{package}/rate.txt")'


def tertium(*arguments: str, code: int = 0) -> str:
    """What a command prints, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "tertium", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def lengths(path: Path) -> list[int]:
    return [len(line) for line in path.read_bytes().split(b"\n")[:-1]]


def expected(outputs: list[int]) -> float:
    """The formula by hand."""
    pairs = [(c, RATE * s) for c, s in zip(outputs, lengths(SOURCE), strict=True)]
    return 100 * sum(min(pair) / max(*pair, 1) for pair in pairs) / len(pairs)


def test_it_is_listed_and_explained(package: Path) -> None:  # noqa: ARG001
    assert "expected_length" in tertium("metrics")
    assert "How near outputs are to the length that a model expects." in tertium("metrics", "expected_length")


def test_score(metric: str) -> None:
    [found] = json.loads(tertium("score", *FILES, "-m", metric, "-f", "json"))["scores"]
    assert found["value"] == pytest.approx(expected(lengths(SYSTEMS[0])), rel=1e-12)
    assert (found["metric"], found["n"]) == (metric, 96)
    assert re.search(r"\|src:[0-9a-f]{12}\|model:[0-9a-f]{12}\|tertium:", found["signature"])
    assert tertium("score", *FILES, "-m", "expected_length", code=2) == (
        "tertium: expected_length needs a model; name its file: expected_length(model='FILE')\n"
    )


def test_compare(metric: str) -> None:
    found = json.loads(tertium("compare", *FILES, "-t", str(SYSTEMS[1]), "-m", metric, "-f", "json", "--trials", "50"))
    assert found["standings"][metric]["scores"] == pytest.approx(
        {path.stem: expected(lengths(path)) for path in SYSTEMS}, rel=1e-12
    )


def test_report(metric: str, tmp_path: Path) -> None:
    tertium("report", *FILES, "-t", str(SYSTEMS[1]), "-m", metric, "-o", str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text()
    assert "expected length" in page
    assert f"{expected(lengths(SYSTEMS[0])):.1f}" in page


def test_stress(metric: str) -> None:
    options = ["--noise", "delete", "--rates", "0.5", "--seeds", "1", "-f", "json"]
    found = json.loads(tertium("stress", *FILES, "-m", metric, *options))
    [curve] = found["curves"]
    assert found["scores"] == {metric: pytest.approx(expected(lengths(SYSTEMS[0])), rel=1e-12)}
    assert 0 < curve["values"][0][0] < found["scores"][metric]


def test_the_laws(metric: str, package: Path) -> None:
    """In the package's own tests, on parallel workers; and its example of a test file does what it says."""
    (package / "test_my_metrics.py").write_text(
        f"from tertium.testing import laws_of\n\ntest_laws = laws_of({metric!r})\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-n", "2", "-p", "no:cacheprovider", "test_my_metrics.py"]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^18 passed, 6 skipped in ", done.stdout, re.MULTILINE), done.stdout
    assert "it reads no reference" in done.stdout


def ended(client: Any, job: str) -> dict[str, Any]:
    """A job when it has come to its end: of another process one can only ask."""
    end = time.monotonic() + PATIENCE
    while (found := client.get(f"/api/jobs/{job}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < end, f"job {job} did not end: {found}"
    return dict(found)


def sent() -> list[tuple[str, tuple[str, bytes]]]:
    return [("source", (SOURCE.name, SOURCE.read_bytes())), ("output", (SYSTEMS[0].name, SYSTEMS[0].read_bytes()))]


def test_serve(metric: str, tmp_path: Path) -> None:
    """A job of the workbench, where whoever started it named the model; with another model it is refused."""
    server = Served(tmp_path / "workspace", "--allow", metric)
    other = metric.replace("rate.txt", "other.txt")
    with server.client() as client:
        assert "expected_length" in [item["name"] for item in client.get("/api/metrics").json()]
        made = client.post("/api/evaluations", files=sent(), data={"metrics": metric})
        assert made.status_code == 201, made.text
        assert ended(client, made.json()["job"])["state"] == "done"
        name = made.json()["id"]
        [score] = client.get(f"/api/evaluations/{name}/score").json()["scores"]
        assert score["value"] == pytest.approx(expected(lengths(SYSTEMS[0])), rel=1e-12)
        damaged = client.get(f"/api/evaluations/{name}/stress?noises=delete&rates=0.5&seeds=1")
        assert damaged.status_code == 200, damaged.text
        exported = client.get(f"/api/evaluations/{name}/export").content
        again = client.post("/api/evaluations", files=[("file", ("e.zip", exported))])
        assert again.status_code == 201, again.text
        told = {"error": refusal(other)}
        refused = client.post("/api/evaluations", files=sent(), data={"metrics": other})
        assert (refused.status_code, refused.json()) == (422, told)
        refused = client.post(f"/api/evaluations/{name}/metrics", json={"metrics": other})
        assert (refused.status_code, refused.json()) == (422, told)
    server.stop()


def test_serve_refuses_a_model_that_nobody_named(metric: str, tmp_path: Path) -> None:
    """Also one that was allowed when the evaluation was made."""
    server = Served(tmp_path / "workspace", "--allow", metric)
    with server.client() as client:
        made = client.post("/api/evaluations", files=sent(), data={"metrics": metric}).json()
        assert ended(client, made["job"])["state"] == "done"
        exported = client.get(f"/api/evaluations/{made['id']}/export").content
    server.stop()
    server = Served(tmp_path / "workspace")
    with server.client() as client:
        for files, data in ((sent(), {"metrics": metric}), ([("file", ("e.zip", exported))], {})):
            refused = client.post("/api/evaluations", files=files, data=data)
            assert (refused.status_code, refused.json()) == (422, {"error": refusal(metric)})
        refused = client.get(f"/api/evaluations/{made['id']}/stress?noises=delete&rates=0.5&seeds=1")
        assert (refused.status_code, refused.json()) == (422, {"error": refusal(metric)})
    server.stop()


def refusal(metric: str) -> str:
    path = metric.partition('"')[2].rpartition('"')[0]
    return (
        f'expected_length: model="{path}" names a file or a function of this computer, which is not allowed here; '
        f"score where they are, and show the result"
    )


def test_what_is_allowed_has_to_be_a_metric(tmp_path: Path) -> None:
    said = tertium("serve", "--no-open", "--workspace", str(tmp_path / "w"), "--allow", "expected_lenth", code=2)
    assert said.startswith("tertium: unknown metric 'expected_lenth'; ")
    assert not (tmp_path / "w").exists()


# Rows that are given


@pytest.fixture
def given(package: Path, tmp_path: Path) -> str:  # noqa: ARG001
    """A metric that reads the shares of letters that are vowels, of every third segment of one system none."""
    for path in SYSTEMS:
        values = [f"{share:.3f}" if path != SYSTEMS[0] or k % 3 else "" for k, share in enumerate(shares(path))]
        (tmp_path / f"{path.stem}.txt").write_text("\n".join(values) + "\n")
    return f'elsewhere(folder="{tmp_path}")'


def shares(path: Path) -> list[float]:
    lines = path.read_text().split("\n")[:-1]
    return [sum(letter in "aeiou" for letter in line) / max(1, len(line)) for line in lines]


def mean(path: Path) -> float:
    values = [round(share, 3) for k, share in enumerate(shares(path)) if path != SYSTEMS[0] or k % 3]
    return sum(values) / len(values)


def test_given_rows_are_scored_compared_and_reported(given: str, tmp_path: Path) -> None:
    both = [*FILES, "-t", str(SYSTEMS[1])]
    found = json.loads(tertium("score", *both, "-m", given, "-f", "json"))["scores"]
    assert [item["value"] for item in found] == pytest.approx([mean(path) for path in SYSTEMS], rel=1e-12)
    assert [item["n"] for item in found] == [64, 96]
    assert "|from:another program|tertium:" in found[0]["signature"]
    compared = json.loads(tertium("compare", *both, "-m", given, "-f", "json", "--trials", "50"))
    assert compared["standings"][given]["n"] == 64
    tertium("report", *both, "-m", given, "-o", str(tmp_path / "r.html"))
    assert f"{mean(SYSTEMS[1]):.3f}" in (tmp_path / "r.html").read_text()


def test_given_rows_cannot_be_counted_again(given: str) -> None:
    said = tertium("stress", *FILES, "-m", given, "--noise", "delete", "--rates", "0.5", "--seeds", "1", code=2)
    assert said == f"tertium: {given}: its rows are given, not counted; it cannot score texts that are new\n"


def test_a_system_without_given_rows_is_told(given: str) -> None:
    found = json.loads(tertium("score", *FILES, "-t", f"new={SYSTEMS[1]}", "-m", given, "-f", "json"))
    assert "elsewhere: no scores of new" in found["warnings"]
    assert [item["value"] for item in found["scores"]] == [pytest.approx(mean(SYSTEMS[0]), rel=1e-12), None]


def test_given_rows_in_the_workbench(given: str, tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace", "--allow", given)
    with server.client() as client:
        made = client.post("/api/evaluations", files=sent(), data={"metrics": given})
        assert made.status_code == 201, made.text
        assert ended(client, made.json()["job"])["state"] == "done"
        [score] = client.get(f"/api/evaluations/{made.json()['id']}/score").json()["scores"]
        assert score["value"] == pytest.approx(mean(SYSTEMS[0]), rel=1e-12)
        refused = client.post("/api/evaluations", files=sent(), data={"metrics": 'elsewhere(folder="/")'})
        assert refused.status_code == 422
    server.stop()


def test_the_laws_of_given_rows(given: str, package: Path) -> None:
    (package / "test_my_scores.py").write_text(
        f"from tertium.testing import laws_of\n\ntest_laws = laws_of({given!r})\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_my_scores.py"]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^3 passed, 21 skipped in ", done.stdout, re.MULTILINE), done.stdout
    assert "its rows are given, not counted from texts" in done.stdout
