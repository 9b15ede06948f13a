"""The English synonym table from a WordNet 3.0 `dict` folder.

    python tools/build_synonyms.py DICT src/tertium/text/data/wordnet

Writes synonyms.txt.gz and LICENSE. The table is text: one set of synonyms a line, single words in lower case; behind
an empty line the exceptions of morphology, an inflected form and its base forms. What cannot make a difference is left
out: words with spaces, sets that say the same as another, and sets of one word for a word that has others.
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand


def read_sets(folder: Path) -> list[tuple[str, ...]]:
    """Every synset's single words; wndb(5WN): offset, file, type, hexadecimal count, then word and number in turn."""
    sets: dict[tuple[str, ...], None] = {}
    for part in PARTS:
        for line in (folder / f"data.{part}").read_text(encoding="ascii").splitlines():
            if line.startswith(" "):  # the licence
                continue
            fields = line.split()
            words = {MARKER.sub("", word).lower() for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]}
            if single := tuple(sorted(word for word in words if "_" not in word)):
                sets[single] = None
    shared = {word for words in sets if len(words) > 1 for word in words}
    return sorted(words for words in sets if len(words) > 1 or words[0] not in shared)


def read_exceptions(folder: Path) -> list[tuple[str, ...]]:
    """Inflected forms and their base forms, over all parts of speech."""
    bases: dict[str, list[str]] = {}
    for part in PARTS:
        for line in (folder / f"{part}.exc").read_text(encoding="ascii").splitlines():
            form, *words = line.split()
            if "_" not in form:
                bases.setdefault(form, []).extend(words)
    return sorted((form, *dict.fromkeys(words)) for form, words in bases.items())


def read_licence(folder: Path) -> str:
    """The licence at the beginning of every data file, without its line numbers."""
    lines = (folder / "data.noun").read_text(encoding="ascii").splitlines()
    return "".join(re.sub(r"^ *\d+ ?", "", line).rstrip() + "\n" for line in lines if line.startswith("  "))


def main(dictionary: str, target: str) -> None:
    """Read the folder, write the table and the licence."""
    folder, home = Path(dictionary), Path(target)
    home.mkdir(parents=True, exist_ok=True)
    lines = [*map(" ".join, read_sets(folder)), "", *map(" ".join, read_exceptions(folder))]
    table = gzip.compress(("\n".join(lines) + "\n").encode("ascii"), compresslevel=9, mtime=0)
    (home / "synonyms.txt.gz").write_bytes(table)
    (home / "LICENSE").write_text(read_licence(folder), encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
