"""Globs: the files that Python's own glob finds, in a bounded number of steps."""

import os
from glob import glob
from itertools import product
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.globs import Globs
from tertium.io.testset import read_testset


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.en", "b.en", "a.de", ".hidden.en", "x/a.en", "x/y/b.en", "x/y/z/c.en", ".git/a.en", "w/[a].en",
                 "x/.h/a.en", "w/v/a.de"):  # fmt: skip
        path = tmp_path / "inner" / "tree" / name  # deep enough for a pattern that climbs
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one\n")
    return tmp_path / "inner" / "tree"


STEPS = ["*", "**", "*.en", "?", "x", ".*", "[ax]*", "[[]a].en", "..", ".", "a.en", "**.en", "none"]


def test_globs_find_what_python_finds(tree: Path) -> None:
    patterns = ["/".join(steps) for size in (1, 2, 3) for steps in product(STEPS, repeat=size)]
    found = 0
    for pattern in [*patterns, f"{tree}/**/*.en", f"{tree}/x/*"]:
        if pattern.split("/").count("**") > 1 or pattern.startswith("../../.."):
            continue
        names = glob(pattern, root_dir=tree, recursive=True)  # noqa: PTH207
        paths = [os.path.join(tree, name) for name in names]  # noqa: PTH118 (`a.en/` is no file)
        expected = {os.path.normpath(path) for path in paths if os.path.isfile(path)}  # noqa: PTH113
        assert {os.path.normpath(name) for name in Globs(tree).find(pattern)} == expected, pattern
        found += len(expected)
    assert found > 500


def test_each_file_is_found_once(tree: Path) -> None:
    names = ("a.en", "b.en", "w/[a].en", "x/a.en", "x/y/b.en", "x/y/z/c.en")
    assert Globs(tree).find("**/*.en") == sorted(str(tree / name) for name in names)


def test_links_do_not_lead_in_circles(tree: Path) -> None:
    (tree / "x" / "up").symlink_to(tree)
    assert len(Globs(tree).find("**/*.en")) == 6
    assert Globs(tree).find("x/up/b.en") == [str(tree / "x/up/b.en")]


def test_one_depth_is_enough(tree: Path) -> None:
    for pattern, many in (("**/" * 60 + "*.en", 60), ("**/x/**", 2)):
        with pytest.raises(InputError) as caught:
            Globs(tree).find(pattern)
        assert str(caught.value) == (
            f"{pattern} has ** {many} times; one ** already stands for folders at any depth, so write it once"
        )


def test_no_more_names_are_looked_at_than_is_said(tree: Path) -> None:
    assert len(Globs(tree, names=32).find("**/*.en")) == 6  # 16 names in six folders, once for ** and once for *
    with pytest.raises(InputError) as caught:
        Globs(tree, names=31).find("**/*.en")
    assert str(caught.value) == "the patterns look at more than 31 names; name folders nearer to the files"


@pytest.mark.parametrize(("pattern", "sentence"), [
    ("*/" * 2000 + "*.en", "*/*/"), ("x*/" + "y/" * 5000, "x*/y/"), ("*" + "z" * 5000, "*zz"), ("*\0", "*\0"),
])  # fmt: skip
def test_long_patterns_end_in_a_sentence(tree: Path, pattern: str, sentence: str) -> None:
    escaped = pattern.replace("\0", "\\u0000")
    (tree / "testset.toml").write_text(f'references = "a.en"\nsystems = "{escaped}"\n')
    with pytest.raises(InputError) as caught:
        read_testset(tree / "testset.toml")
    said = str(caught.value)
    assert said.startswith(f"{tree}/testset.toml: systems: {tree}/{sentence}")
    assert said.endswith(f" matches no file; relative paths count from {tree}")
    assert len(said) - 3 * len(str(tree)) < 200


def test_deep_globs_of_a_test_set_end_in_a_sentence(tree: Path) -> None:
    (tree / "testset.toml").write_text(f'references = "a.en"\nsystems = "{"**/" * 60}*.en"\n')
    with pytest.raises(
        InputError, match=r"testset.toml: systems: (\*\*/){60}\*.en has \*\* 60 times; one \*\* already"
    ):
        read_testset(tree / "testset.toml")
