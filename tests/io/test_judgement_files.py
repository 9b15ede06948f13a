"""Judgements in our own TSV format."""

from pathlib import Path

import pytest

from tertium.core.judgement import Judgement, Span
from tertium.core.testset import TestSet
from tertium.io.ratings.judgements import read_judgements, write_judgements

PLAIN = TestSet(name="town", segments=3)
NAMED = TestSet(name="town", segments=3, ids=("d:1", "d:2", "1"))
HEAD = "system\tsegment\trater\tscale\tvalue\tkind\ttask\tduration\tspans\n"


def judgement(**changes):
    return Judgement(**({"system": "a", "segment": 0, "rater": "r", "scale": "da100", "value": 50.0} | changes))


def test_only_five_columns_are_obligatory(write):
    path = write("a.tsv", "\ufeffvalue\tsystem\tsegment\trater\tscale\r\n4.5\ta\t3\tr\tfluency\r\n")
    assert read_judgements(path, PLAIN) == (judgement(segment=2, scale="fluency", value=4.5),)


def test_all_columns(write):
    path = write(
        "a.tsv",
        HEAD + 'a\t1\tr\tda100\t0\trepeat\tt1\t2.5\t[[0, 4, "major", ""]]\na\t2\tr\tda100\t1\t\t\t\t\n',
    )
    assert read_judgements(path, PLAIN) == (
        judgement(value=0.0, kind="repeat", task="t1", duration=2.5, spans=(Span(start=0, end=4, severity="major"),)),
        judgement(segment=1, value=1.0),
    )


def test_an_id_comes_before_a_number(write):
    path = write("a.tsv", HEAD[:32] + "\n" + "".join(f"a\t{name}\tr\tda100\t1\n" for name in ("d:2", "1", "2")))
    assert [found.segment for found in read_judgements(path, NAMED)] == [1, 2, 1]


@pytest.mark.parametrize("testset", [PLAIN, NAMED])
def test_what_is_written_is_read(testset):
    span = Span(start=1, end=3, severity="minor", category="a\tb\u2028\n")
    said = (
        judgement(value=1 / 3, duration=1e-7),
        judgement(segment=2, kind="degraded", task="t", rater="\u2028 ü"),
        judgement(segment=1, duration=2.0, spans=(span, span)),
    )
    write_judgements(said, "a.tsv", testset)
    assert read_judgements("a.tsv", testset) == said
    source = Span(start=0, end=2, severity="major", side="source")
    timed = (
        *said,
        judgement(start=1665744151.351, spans=(source, Span(start=0, end=0, severity="minor", side="none"))),
    )
    write_judgements(timed, "b.tsv", testset)
    assert read_judgements("b.tsv", testset) == timed
    write_judgements(said[:2], "a.tsv", testset)
    assert read_judgements("a.tsv", testset) == said[:2]
    assert Path("a.tsv").read_text(encoding="utf-8").startswith(HEAD.replace("\tspans", ""))


def test_writing_refuses_what_tsv_cannot_hold(refusal):
    assert refusal(write_judgements, [judgement(rater="a\tb")], "a.tsv", PLAIN) == (
        "a.tsv: the rater 'a\\tb' has a tab or line break in it, which TSV cannot hold"
    )
    assert not Path("a.tsv").exists()


SPANS = 'expected JSON such as [[0, 4, "major", "accuracy"]], each end after its start'


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("\t1\tr\tda100\t1\t\t\t\t", "a.tsv:3: no system; write its name in the column 'system'"),
        ("a\t1\t\tda100\t1\t\t\t\t", "a.tsv:3: no rater; write its name in the column 'rater'"),
        (
            "a\t4\tr\tda100\t1\t\t\t\t",
            "a.tsv:3: unknown segment '4'; expected a number from 1 to 3 (test set town)",
        ),
        (
            "a\t0\tr\tda100\t1\t\t\t\t",
            "a.tsv:3: unknown segment '0'; expected a number from 1 to 3 (test set town)",
        ),
        (
            "a\t²\tr\tda100\t1\t\t\t\t",
            "a.tsv:3: unknown segment '²'; expected a number from 1 to 3 (test set town)",
        ),
        (
            "a\t1\tr\tda10\t1\t\t\t\t",
            "a.tsv:3: unknown scale 'da10'; did you mean 'da100'? "
            "known: adequacy, fluency, da100, sqm, sqm100, rank, esa, mqm, hter, document100, catastrophic",
        ),
        (
            "a\t1\tr\tfluency\t6\t\t\t\t",
            "a.tsv:3: value '6' is not on the scale fluency; expected a number from 1 to 5",
        ),
        (
            "a\t1\tr\tda100\t\t\t\t\t",
            "a.tsv:3: value '' is not on the scale da100; expected a number from 0 to 100",
        ),
        (
            "a\t1\tr\tda100\tnan\t\t\t\t",
            "a.tsv:3: value 'nan' is not on the scale da100; expected a number from 0 to 100",
        ),
        (
            "a\t1\tr\tda100\t1_0\t\t\t\t",
            "a.tsv:3: value '1_0' is not on the scale da100; expected a number from 0 to 100",
        ),
        (
            "a\t1\tr\tda100\t1\tgenuin\t\t\t",
            "a.tsv:3: unknown kind 'genuin'; did you mean 'genuine'? known: genuine, repeat, reference, degraded",
        ),
        (
            "a\t1\tr\tda100\t1\t\t\t-1\t",
            "a.tsv:3: duration '-1' is not a time; expected seconds, such as 12.5, or nothing",
        ),
        (
            'a\t1\tr\tda100\t1\t\t\t\t[[0, 4, "x", "y", "left"]]',
            f'a.tsv:3: the spans \'[[0, 4, "x", "y", "left"]]\' cannot be read; {SPANS}',
        ),
        ("a\t1\tr\tda100\t1\t\t\t\t[", f"a.tsv:3: the spans '[' cannot be read; {SPANS}"),
        ("a\t1\tr\tda100\t1\t\t\t\t7", f"a.tsv:3: the spans '7' cannot be read; {SPANS}"),
        (
            'a\t1\tr\tda100\t1\t\t\t\t[[4, 0, "x", "y"]]',
            f'a.tsv:3: the spans \'[[4, 0, "x", "y"]]\' cannot be read; {SPANS}',
        ),
        ("a\t1", "a.tsv:3: 2 fields, but the header has 9 fields; is there a separator too many or too few?"),
    ],
)
def test_refusals(write, refusal, row, message):
    path = write("a.tsv", HEAD + "a\t1\tr\tda100\t1\t\t\t\t\n" + row + "\n")
    assert refusal(read_judgements, path, PLAIN) == message


def test_refusal_of_a_start(write, refusal):
    path = write("a.tsv", HEAD[:32] + "\tstart\na\t1\tr\tda100\t1\tnoon\n")
    assert refusal(read_judgements, path, PLAIN) == (
        "a.tsv:2: start 'noon' is not a time; expected seconds, such as 12.5, or nothing"
    )


def test_refusals_of_columns_and_ids(write, refusal):
    assert refusal(read_judgements, write("a.tsv", "system\tsegment\trater\tscale\n"), PLAIN) == (
        "a.tsv:1: no column 'value'; the columns system, segment, rater, scale, value are obligatory"
    )
    assert refusal(read_judgements, write("a.tsv", HEAD.replace("kind", "knd")), PLAIN) == (
        "a.tsv:1: unknown column 'knd'; did you mean 'kind'? "
        "known: system, segment, rater, scale, value, kind, task, duration, spans, start, note"
    )
    path = write("a.tsv", HEAD + "a\td:9\tr\tda100\t1\t\t\t\t\n")
    assert refusal(read_judgements, path, NAMED) == (
        "a.tsv:2: unknown segment 'd:9'; expected a number from 1 to 3 or an id of the test set (test set town)"
    )
