"""Published scores of segments: the order of their numbers, and what is wrong with a file."""

import gzip
import math
from pathlib import Path

import pytest

import tertium as tt
from tertium.io.ratings.segment_scores import campaign_order, read_segment_scores

# Documents as strings: "10" comes before "2".
TESTSET = tt.TestSet(name="tiny", segments=5, documents=("2", "10", "10", "2", "a"))


def write(folder: Path, text: str, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_segments_count_through_documents_sorted_as_strings() -> None:
    assert campaign_order(TESTSET) == [1, 2, 0, 3, 4]


@pytest.mark.parametrize("blank", [" ", "\t", ","])
@pytest.mark.parametrize("name", ["scores.csv", "scores.tsv.gz"])
def test_published_layout(tmp_path: Path, blank: str, name: str) -> None:
    lines = [
        "SYS SID RAW.SCR Z.SCR N",
        "mt.12 1 70 .5 2",
        "mt.12 3 40.5 -1e-1 1",
        "other.2.1 2 1 0 1",
        "HUMAN-A 2 9 9 1",
    ]
    path = write(tmp_path, "\n".join(lines).replace(" ", blank) + "\n", name)
    z, raw = (read_segment_scores(path, TESTSET, column) for column in ("z", "raw"))
    nan = math.nan
    assert {name: values.tolist() for name, values in z.items()} == {
        "mt": pytest.approx([-0.1, 0.5, nan, nan, nan], nan_ok=True),
        "other.2": pytest.approx([nan, nan, 0.0, nan, nan], nan_ok=True),
    }
    assert raw["mt"].tolist() == pytest.approx([40.5, 70, nan, nan, nan], nan_ok=True)
    by_line = read_segment_scores(path, TESTSET, order="lines")
    assert by_line["mt"].tolist() == pytest.approx([0.5, nan, -0.1, nan, nan], nan_ok=True)


def test_other_names_of_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "n\tz\tsystem\tseg\traw\n1\t.25\tmt\t5\t60\n")
    assert read_segment_scores(path, TESTSET)["mt"][4] == 0.25


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", r"scores.csv: empty file; expected a header such as SYS SID RAW.SCR Z.SCR N"),
        ("SYS SID RAW.SCR N\n", r"scores.csv:1: no column 'z'; expected a header such as SYS SID"),
        ("SYS SID Z.SCR\n", r"scores.csv: no scores of systems"),
        ("SYS SID Z.SCR\nmt 6 1\n", r"scores.csv:2: segment 6, but test set tiny has 5 segments"),
        ("SYS SID Z.SCR\nmt 0 1\n", r"scores.csv:2: segment 0, but test set tiny has 5 segments"),
        ("SYS SID Z.SCR\nmt x 1\n", r"scores.csv:2: segment 'x'; expected a number from 1"),
        ("SYS SID Z.SCR\nmt 1 NA\n", r"scores.csv:2: z 'NA' is not a number"),
        ("SYS SID Z.SCR\nmt 1 1_0\n", r"scores.csv:2: z '1_0' is not a number"),
        ("SYS SID Z.SCR\nmt 1\n", r"scores.csv:2: 2 fields, but the header has 3"),
        ("SYS SID Z.SCR\nmt.1 1 1\nmt.1 1 2\n", r"scores.csv:3: system mt already has a score for segment 1"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(tt.TertiumError, match=expected):
        read_segment_scores(write(tmp_path, text), TESTSET)


def test_what_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "SYS SID Z.SCR\nmt 1 1\n")
    with pytest.raises(tt.TertiumError, match=r"^test set bare has no documents, and WMT numbers segments by them"):
        read_segment_scores(path, tt.TestSet(name="bare", segments=2))
    with pytest.raises(tt.TertiumError, match=r"^column 'zz' is unknown"):
        read_segment_scores(path, TESTSET, "zz")
    with pytest.raises(tt.TertiumError, match=r"^order 'ids' is unknown"):
        read_segment_scores(path, TESTSET, order="ids")
    with pytest.raises(tt.TertiumError, match="no such file"):
        read_segment_scores(tmp_path / "nothing.csv", TESTSET)
