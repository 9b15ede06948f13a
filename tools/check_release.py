"""Whether everything that names the version names the same one: `make release-check TAG=v1.2.3`.

python tools/check_release.py TAG [FOLDER]
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = Path("src", "tertium", "core", "version.py")


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """A sentence for each thing that is in the way of a release under this tag; none where nothing is."""

    def found(name: str | Path, pattern: str) -> str:
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        return match[1].strip() if match else ""

    version = found(VERSION, r'^VERSION = "([^"]*)"$')
    said = []
    if not re.fullmatch(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?", version):
        said.append(f"{VERSION.as_posix()}: '{version}' is no version such as 1.2.3 or 1.2.3rc1")
    if tag != f"v{version}":
        said.append(f"the tag is '{tag}', but {VERSION.as_posix()} says {version}: expected v{version}")
    heading = found("CHANGELOG.md", r"^## (.*)$")
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading):
        said.append(f"CHANGELOG.md: its first heading is '{heading}', expected '{version} (YEAR-MONTH-DAY)'")
    cited = found("CITATION.cff", r"^version: *(.*)$")
    if cited != version:
        said.append(f"CITATION.cff: version '{cited}', expected {version}")
    return said


def main(tag: str = "", folder: str = "") -> None:
    """Print what is in the way, and fail."""
    if said := problems(tag, Path(folder or ROOT)):
        sys.exit("\n".join(said))
    print(f"{tag}: version, tag, CHANGELOG.md and CITATION.cff agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
