"""The check before a release: everything that names the version names the same one."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tertium.core.version import VERSION

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "check_release.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src" / "tertium" / "core").mkdir(parents=True)
    (tmp_path / "src" / "tertium" / "core" / "version.py").write_text('"""."""\n\nVERSION = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2030-01-31)\n\n- New.\n\n## 1.2.2 (2029-01-01)\n")
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\n")
    return tmp_path


def check(tag: str, folder: Path = ROOT) -> list[str]:
    done = subprocess.run([sys.executable, str(SCRIPT), tag, str(folder)], capture_output=True, check=False)
    assert (done.returncode == 0) == (done.stderr == b"")
    return done.stderr.decode().splitlines()


def test_everything_agrees(folder: Path) -> None:
    assert check("v1.2.3", folder) == []


@pytest.mark.parametrize("tag", ["", "1.2.3", "v1.2.4", "v1.2.3 ", "v1.2.3.0"])
def test_another_tag(tag: str, folder: Path) -> None:
    assert check(tag, folder) == [f"the tag is '{tag}', but src/tertium/core/version.py says 1.2.3: expected v1.2.3"]


@pytest.mark.parametrize("heading", ["1.2.3 (unreleased)", "1.2.3", "1.2.2 (2029-01-01)", "1x2.3 (2030-01-31)"])
def test_a_changelog_that_was_not_closed(heading: str, folder: Path) -> None:
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n")
    [said] = check("v1.2.3", folder)
    assert said == f"CHANGELOG.md: its first heading is '{heading}', expected '1.2.3 (YEAR-MONTH-DAY)'"


def test_several_at_once(folder: Path) -> None:
    (folder / "src" / "tertium" / "core" / "version.py").write_text('VERSION = "next"\n')
    said = check("v1.2.3", folder)
    assert [line.partition(":")[0] for line in said] == [
        *("src/tertium/core/version.py", "the tag is 'v1.2.3', but src/tertium/core/version.py says next"),
        *("CHANGELOG.md", "CITATION.cff"),
    ]


def test_it_reads_the_version_of_the_package() -> None:
    spec = importlib.util.spec_from_file_location("check_release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert [said for said in module.problems(f"v{VERSION}") if "the tag" in said or "CITATION" in said] == []
    assert any(f"expected v{VERSION}" in said for said in module.problems("v0"))
