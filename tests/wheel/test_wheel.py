"""What people install: the files of `make dist`, what is in them, and what they do where there is no compiler."""

import base64
import email
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tertium.core.version import VERSION

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[2]
DOWNLOAD = 90_000_000  # bytes of all wheels that the base install brings
LICENCES = {"LICENSE", "src/tertium/text/data/wordnet/LICENSE", "tools/vega/LICENSES"}
GENERATED = {"__pycache__"}


def one(pattern: str) -> Path:
    found = list((ROOT / "dist").glob(pattern))
    assert len(found) == 1, f"dist/{pattern}: {len(found)} files; make dist makes one"
    return found[0]


@pytest.fixture(scope="module")
def wheel() -> Path:
    return one("tertium-*.whl")


@pytest.fixture(scope="module")
def sdist() -> Path:
    return one("tertium-*.tar.gz")


def files(folder: str, suffixes: str = "*") -> set[str]:
    """Files of the repository by their paths in it."""
    there = (path for path in (ROOT / folder).rglob(suffixes) if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in there if not GENERATED & set(path.parts)}


# What is in them


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return set(packed.namelist())


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    examples = {name for name in files("examples") if not re.search(r"campaign\.sqlite", name)}
    expected = {name.removeprefix("src/") for name in files("src/tertium")}
    expected |= {f"tertium/{name}" for name in examples} | {"tertium/charts/vega.js"}
    found = names(wheel)
    compiled = {name for name in found if re.fullmatch(r"tertium/_kernel\.[\w.-]+", name)} - {"tertium/_kernel.pyi"}
    about = {name for name in found if name.startswith(f"tertium-{VERSION}.dist-info/")}
    assert found - about - compiled == expected
    assert len(compiled) == 1
    facts = {name.partition("/")[2] for name in about}
    assert facts == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", *(f"licenses/{name}" for name in LICENCES)}


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        about = email.message_from_bytes(packed.read(f"tertium-{VERSION}.dist-info/METADATA"))
        tags = email.message_from_bytes(packed.read(f"tertium-{VERSION}.dist-info/WHEEL")).get_all("Tag")
    assert (about["Name"], about["Version"], about["License-Expression"]) == ("tertium", VERSION, "Apache-2.0")
    assert set(about.get_all("License-File") or ()) == LICENCES
    assert wheel.name.startswith(f"tertium-{VERSION}-")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    abi = "cp312-abi3" if sys.version_info >= (3, 12) else f"{python}-{python}"
    assert tags is not None
    assert all(tag.startswith(abi) for tag in tags), tags


def test_the_sdist_has_what_a_build_needs_and_nothing_else(sdist: Path) -> None:
    with tarfile.open(sdist) as packed:
        found = {member.name.partition("/")[2] for member in packed.getmembers() if member.isfile()}
        roots = {member.name.partition("/")[0] for member in packed.getmembers()}
    assert roots == {f"tertium-{VERSION}"}
    expected = files("src/tertium") | files("kernel") | files("examples") | files("tools/vega")
    expected -= {"kernel/generate_unicode.py"} | {name for name in expected if "campaign.sqlite" in name}
    pages = {"CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO"}
    assert found == expected | pages


# What they do


def environment(home: Path, *folders: Path) -> dict[str, str]:
    """Nothing on the path but these folders; of the rest, what pip has to know about its index."""
    keep = {key: value for key, value in os.environ.items() if key.startswith("PIP_") or key.endswith("_proxy")}
    return {**keep, "PATH": os.pathsep.join(map(str, folders)), "HOME": str(home), "LC_ALL": "C.UTF-8"}


def run(folder: Path, surroundings: Mapping[str, str], *command: str) -> str:
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode()


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> tuple[Path, dict[str, str]]:
    """An environment that has the wheel and what it depends on, all from wheels; no compiler is in sight."""
    home = tmp_path_factory.mktemp("home")
    venv.create(home / "venv", with_pip=True)
    bin_ = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
    around = environment(home, bin_)
    for compiler in ("c++", "g++", "clang++", "cc", "gcc", "clang", "cmake", "ninja", "make"):
        assert shutil.which(compiler, path=around["PATH"]) is None
    python = str(bin_ / "python")
    run(home, around, python, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d", "wheels", str(wheel))
    run(home, around, python, "-m", "pip", "install", "-q", "--no-index", "--find-links", "wheels", "tertium")
    return home, around


def test_the_base_install_is_small(clean: tuple[Path, dict[str, str]]) -> None:
    sizes = {path.name: path.stat().st_size for path in (clean[0] / "wheels").iterdir()}
    assert sum(sizes.values()) < DOWNLOAD, sizes


def test_the_demo_writes_its_report(clean: tuple[Path, dict[str, str]]) -> None:
    home, around = clean
    printed = run(home, around, "tertium", "demo")
    assert "town-notes (de-en): 96 segments" in printed
    page = (home / "demo-report.html").read_text(encoding="utf-8")
    [library] = re.findall(r'<script type="application/octet-stream" id="library">([^<]+)</script>', page)
    assert "vegaEmbed" in json.loads(gzip.decompress(base64.b64decode(library)))


def test_scores_are_those_of_this_repository(clean: tuple[Path, dict[str, str]]) -> None:
    home, around = clean
    files = [
        "--ref",
        str(ROOT / "examples" / "reference.a.en"),
        "--hyp",
        str(ROOT / "examples" / "systems" / "atlas.en"),
    ]
    asked = ["-m", "tertium", "score", *files, "-m", "bleu,chrf,ter", "--confidence", "-f", "json"]
    there = run(home, around, "python", *asked)
    here = run(ROOT, {**os.environ}, sys.executable, *asked)
    assert there == here
    assert '"bleu"' in there


def test_the_kernel_is_the_wheels(clean: tuple[Path, dict[str, str]]) -> None:
    home, around = clean
    code = "import tertium._kernel as k, tertium; print(k.__file__, k.simd()[0], tertium.__version__)"
    place, twin, version = run(home, around, "python", "-c", code).split()
    assert Path(place).is_relative_to(home)
    assert (twin, version) == ("scalar", VERSION)
