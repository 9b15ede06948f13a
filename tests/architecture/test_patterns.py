"""No regular expression takes a time that grows with the square of the text, whatever the text."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture import patterns

ROOT = Path(__file__).parents[2]
GIVEN = [  # the user's own, or a word of theirs without a repetition (steps.py)
    "tertium/analysis/types.py: re.compile(pattern or '')",
    "tertium/io/named/store.py: re.search(asked.removeprefix('country:'), value)",
    "tertium/text/steps.py: re.compile(f'\\\\b{re.escape(word)}\\\\b')",
]


def test_every_pattern_is_known() -> None:
    """One that is made while the program runs would not be tried."""
    found, unknown = patterns.collect()
    assert unknown == GIVEN
    names = {item.where.rpartition(":")[0] for item in found}
    assert {
        "tertium/io/sgm.py",
        "tertium/io/wmt_documents.py",
        "tertium/text/letters.py",
        "tertium/web/intake.py",
    } <= names


@pytest.mark.slow
def test_patterns_take_a_time_that_grows_with_the_text() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.architecture.patterns"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["slow"] == []


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"([\w-]+)\s*=", r"[ \t]*[\r\n]+", r"(\w+)+!", r"<a [^>]*b[^>]*>"])
def test_what_is_slow_is_found(pattern: str) -> None:
    """The search for such patterns finds those that it was made for."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (8, 8))\n"  # one of them never comes to its end
        "from tests.architecture.patterns import *\n"
        f"print(list(slow(Found('', {pattern!r}, 0, frozenset(['findall'])))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode < 0 or "ratio" in done.stdout, done.stdout + done.stderr
