"""How the checks of localisation teams take to good text: references of WMT22, each judged with its source alone."""

import gzip
from pathlib import Path

import pytest

import tertium as tt

WMT22 = Path(__file__).parents[2].parent / "shared" / "data" / "wmt22"
FILES = sorted(path.relative_to(WMT22).as_posix() for path in WMT22.glob("*/ref.*.gz"))
MOST = {"placeholder": 0.005, "punctuation": 0.02, "locale": 0.01}  # docs/explanation/diagnose.md has the figures

pytestmark = [
    pytest.mark.skipif(not FILES, reason=f"no WMT22: third-party texts are not part of this repository ({WMT22})"),
    pytest.mark.slow,
]


def read(name: str) -> tt.Lines:
    return tt.Lines.from_bytes(gzip.decompress((WMT22 / name).read_bytes()), name)


@pytest.mark.parametrize("name", FILES)
def test_good_text_is_seldom_hit(name: str) -> None:
    pair, _, _ = name.partition("/")
    sources, references = read(f"{pair}/src.gz"), read(name)
    source, _, target = pair.partition("-")
    testset = tt.TestSet(
        segments=len(sources), sources=sources, references=tt.References((references,), len(sources)),
        source_language=source, target_language=target,
    )  # fmt: skip
    floor = tt.diagnose(testset, [], detectors=list(MOST)).floor
    assert {kind: tally.judged for kind, tally in floor.items()} == dict.fromkeys(MOST, len(sources))
    assert [kind for kind, tally in floor.items() if tally.rate > MOST[kind]] == []
