"""Build the documentation site: `python tools/site/build.py [FOLDER]`, site/ if none is named."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path, PurePosixPath

from sphinx.cmd.build import build_main

sys.path.insert(0, str(Path(__file__).parent))

import generate
import links
import notebooks
import stage


def prepare(staging: Path) -> None:
    """All sources of the site, those made from the code and by running notebooks among them."""
    made = generate.pages()
    for place, (_, text) in made.items():
        stage.write(staging, PurePosixPath(place), text)
    stage.stage(staging, {place: title for place, (title, _) in made.items()})
    for path in sorted((stage.DOCS / "notebooks").glob("*.ipynb")):
        (staging / "notebooks").mkdir(exist_ok=True)
        text = notebooks.as_markdown(notebooks.run(path), path.stem, staging)
        stage.write(staging, stage.place_of(path), stage.relinked(text, path, staging))


def build(site: Path) -> int:
    """The site, made anew; 1 if Sphinx warns of anything or a link leads nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        staging, made = Path(folder, "sources"), Path(folder, "site")
        staging.mkdir()
        prepare(staging)
        settings = str(Path(__file__).parent)
        strict = ["-q", "-W", "--keep-going", "-b", "html", "-c", settings, "-d", str(Path(folder, "trees"))]
        if status := build_main([*strict, str(staging), str(made)]):
            return status
        (made / ".buildinfo").unlink(missing_ok=True)
        if wrong := links.wrong_links(made):
            print("\n".join(wrong), file=sys.stderr)
            return 1
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(made, site)
    print(f"{site}/index.html: {len(list(site.rglob('*.html')))} pages, every link leads somewhere")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(build(Path(*sys.argv[1:2]) if sys.argv[1:] else stage.ROOT / "site"))
    except stage.LinkError as wrong:
        sys.exit(str(wrong))
