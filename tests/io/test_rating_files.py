"""Ratings in the formats of other tools. The rows are invented."""

import dataclasses
from pathlib import Path

import pytest

from tertium.core.judgement import SCALES, Judgement, Span
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.io.ratings.formats import FORMATS, open_ratings, read_ratings, write_ratings

SEGMENT = "eva,brook,2,TGT,ces,eng,70,100.5,103.25\neva,delta,10,BAD,ces,eng,4.5,103.5,110.0\n"
DOCUMENT = (
    "eva,brook,0,TGT,ces,eng,70,news.1,False,100.5,103.25\n"
    "eva,brook,1,CHK,ces,eng,71,news.1,False,104.0,105.0\n"
    "eva,brook,7,TGT,ces,eng,64,news.1,True,106.0,109.0\n"
    "jan,brook,0,REF,ces,slk,99,blog,False,106.0,109.0\n"
)
ESA = (
    'eva,brook,0,TGT,ces,eng,70,news,False,"[{""start_i"": 0, ""end_i"": 4, ""severity"": ""major""}]",1.0,2.0\n'
    "eva,delta,0,TGT,ces,eng,88,news,False,\"{'start_i': 'missing', 'end_i': 'missing', 'severity': 'minor', "
    "'error_type': None}\",1.0,2.5\n"
    "eva,delta,1,TGT,ces,eng,100,news,False,[],0.0,3.0\n"
)
MQM_CAMPAIGN = (
    'eva,brook,0,TGT,ces,eng,0,news,False,"[{""start_i"": 0, ""end_i"": 4, ""severity"": ""minor"", '
    '""error_type"": [""Accuracy"", ""Addition""]}]",1.0,2.0\neva,brook,1,TGT,ces,eng,0,news,False,[],2.0,2.5\n'
)
MTURK = (
    "HITId\tWorkerId\tInput.src\tInput.trg\tInput.item\thit\tsys_id\trid\ttype\tsid\tscore\ttime\n"
    "h1\teva\tcs\ten\t0\t3\tbrook\t9\tSYSTEM\t5\t70\t61\nh1\teva\tcs\ten\t1\t3\tbrook\t9\tBAD_REF\t5\t4\t61\n"
    "h1\tjan\tcs\ten\t0\t3\tdelta\t9\tREPEAT\t12\t55\t\n"
)
TIDY = "annotator\tassignment\thit\tdoc\tsystem\tseg\ttype\traw\thit_seconds\neva\th1\t3\t9\tbrook\t5\tREF\t70\t61.0\n"
MQM = (
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"
    "brook\tnews\t1\t4\teva\tHallo Welt\t<v>Hi</v> world\tStyle/Register\tMinor\tinformal\n"
    "brook\tnews\t1\t4\teva\tHallo <v>Welt</v>\tHi world\tAccuracy/Omission\tMajor\t\n"
    "brook\tnews\t1\t4\tjan\tHallo Welt\tHi world\tNo-error\tNo-error\t\n"
    "delta\tnews\t1\t4\tjan\tHallo Welt\tWorld <v>!\tFluency/Punctuation\tMinor\t\n"
    "delta\tblog\t1\t5\tjan\tNein\tNo\tNon-translation!\tMajor\t\n"
    "delta\tblog\t1\t5\tjan\tNein\t<v>Perhaps</v>\tFound\tHOTW-test\t\n"
    "delta\tblog\t1\t6\tjan\tJa\t<v>Perhaps</v>\tMissed\tHOTW-test\t\n"
)
MAROT = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
    "brook\tnews\t1\t4\teva\tHallo\tHi\tno-error\tno-error\t{}\n"
)
MLQE = (
    "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores\n"
    "0\tHallo\tHi\t[91, 90.5]\t90.75\t[1.0, 1.0]\t1.0\t-0.5\n1\tNein\tNo\t[3, 0]\t1.5\t[1.0, 1.0]\t1.0\t-0.5\n"
)
RATINGS = "id\tratings\tmajority\n8\t[0, 1, 1]\tERR\n7\t[0, 0, 0]\tNOT\n"
OWN = "system\tsegment\trater\tscale\tvalue\tkind\ttask\tduration\nbrook\t10\teva\trank\t2\tgenuine\tt\t\n"
FILES = {
    "nine.csv": ("appraise", SEGMENT),
    "eleven.csv": ("appraise", DOCUMENT),
    "twelve.csv": ("appraise", ESA),
    "campaign.csv": ("appraise", MQM_CAMPAIGN),
    "mturk.tsv": ("mturk", MTURK),
    "tidy.tsv": ("mturk", TIDY),
    "mqm.tsv": ("mqm", MQM),
    "marot.tsv": ("mqm", MAROT),
    "mlqe.tsv": ("mlqe", MLQE),
    "ratings.tsv": ("mlqe", RATINGS),
    "own.tsv": ("tertium", OWN),
}


def said(**facts):
    return Judgement(**({"system": "brook", "segment": 0, "rater": "eva", "scale": "da100", "value": 70.0} | facts))


def test_appraise_with_9_columns(write):
    testset, judgements = read_ratings(write("a.csv", SEGMENT))
    assert (testset.name, testset.ids, testset.language_pair, testset.documents) == ("a", ("2", "10"), "ces-eng", None)
    assert judgements == (
        said(start=100.5, duration=2.75),
        said(system="delta", segment=1, value=4.5, kind="degraded", start=103.5, duration=6.5),
    )


def test_appraise_with_11_columns(write):
    testset, judgements = read_ratings(write("a.csv", DOCUMENT))
    assert testset.ids == ("ces-eng/news.1/0", "ces-eng/news.1/1", "ces-eng/news.1/7", "ces-slk/blog/0")
    assert testset.documents == ("news.1", "news.1", "news.1", "blog")
    assert testset.labels == {"languages": ("ces-eng", "ces-eng", "ces-eng", "ces-slk")}
    assert testset.language_pair is None
    assert [(j.segment, j.scale, j.kind) for j in judgements] == [
        (0, "da100", "genuine"),
        (1, "da100", "repeat"),
        (2, "document100", "genuine"),
        (3, "da100", "reference"),
    ]


def test_appraise_with_12_columns(write):
    testset, judgements = read_ratings(write("a.csv", ESA))
    assert testset.ids == ("news/0", "news/1")
    assert [(j.scale, j.value, j.start) for j in judgements] == [("esa", 70, 1), ("esa", 88, 1), ("esa", 100, None)]
    assert [j.spans for j in judgements] == [
        (Span(start=0, end=4, severity="major"),),
        (Span(start=0, end=0, severity="minor", side="none"),),
        (),
    ]


def test_an_mqm_campaign_of_appraise_is_scored_by_its_errors(write):
    _, judgements = read_ratings(write("a.csv", MQM_CAMPAIGN))
    assert [(j.scale, j.value) for j in judgements] == [("mqm", 1), ("mqm", 0)]
    assert judgements[0].spans[0].category == "Accuracy/Addition"


def test_a_header_is_accepted(write):
    header = "username,system,itemId,itemType,srcLang,trgLang,score,timeStart,timeEnd\n"
    assert read_ratings(write("a.csv", header + SEGMENT))[1] == read_ratings(write("b.csv", SEGMENT))[1]
    assert read_ratings(write("a.csv", header))[1] == ()


def test_mturk(write):
    testset, judgements = read_ratings(write("ad-csen-good-raw.csv", MTURK))  # WMT calls these TSV files .csv
    assert (testset.ids, testset.language_pair) == (("5", "12"), "cs-en")
    assert judgements == (
        said(task="h1/3", duration=30.5),  # the time of a task is shared out
        said(value=4.0, kind="degraded", task="h1/3", duration=30.5),
        said(system="delta", segment=1, rater="jan", value=55.0, kind="repeat", task="h1/3"),
    )
    assert read_ratings(write("a.tsv", TIDY))[1] == (said(kind="reference", task="h1/3", duration=61.0),)


def test_mqm(write):
    found = open_ratings(write("a.tsv", MQM))
    assert (found.testset.ids, found.testset.documents) == (("4", "5"), ("news", "blog"))
    assert list(found.testset.sources) == ["Hallo Welt", "Nein"]
    assert {s.name: list(s.outputs) for s in found.systems} == {"brook": ["Hi world", None], "delta": ["World !", "No"]}
    assert found.judgements == (
        said(
            scale="mqm",
            value=6.0,
            spans=(
                Span(start=0, end=2, severity="minor", category="Style/Register"),
                Span(start=6, end=10, severity="major", category="Accuracy/Omission", side="source"),
            ),
        ),
        said(scale="mqm", value=0.0, rater="jan"),
        said(
            system="delta",
            scale="mqm",
            value=0.1,
            rater="jan",
            spans=(Span(start=6, end=7, severity="minor", category="Fluency/Punctuation"),),
        ),
        said(
            system="delta",
            segment=1,
            scale="mqm",
            value=25.0,
            rater="jan",
            spans=(Span(start=0, end=0, severity="major", category="Non-translation!", side="none"),),
        ),
    )
    assert read_ratings(write("b.tsv", MAROT))[1] == (said(scale="mqm", value=0.0),)


def test_mqm_with_segments_counted_inside_documents(write):
    rows = MQM.replace("blog\t1\t5\t", "blog\t1\t4\t")
    testset, _ = read_ratings(write("a.tsv", rows))
    assert testset.ids == ("news/4", "blog/4")


def test_mlqe(write):
    found = open_ratings(write("a.tsv", MLQE))
    assert (list(found.testset.sources), list(found.systems[0].outputs)) == (["Hallo", "Nein"], ["Hi", "No"])
    assert [(j.system, j.segment, j.rater, j.scale, j.value) for j in found.judgements] == [
        ("mt", 0, "slot1", "da100", 91),
        ("mt", 0, "slot2", "da100", 90.5),
        ("mt", 1, "slot1", "da100", 3),
        ("mt", 1, "slot2", "da100", 0),
    ]
    testset, judgements = read_ratings(write("b.tsv", RATINGS))
    assert testset.ids == ("7", "8")
    assert [(j.segment, j.scale, j.value) for j in judgements][:2] == [(1, "catastrophic", 0), (1, "catastrophic", 1)]


def test_our_own_without_a_test_set(write):
    testset, judgements = read_ratings(write("a.tsv", OWN + "brook\t2\teva\trank\t1\t\tt\t\n"))
    assert testset.ids == ("2", "10")
    assert [(j.segment, j.value) for j in judgements] == [(1, 2), (0, 1)]
    write("a.jsonl", '{"system": "a", "segment": "x", "rater": "r", "scale": "sqm", "value": 6}\n')
    assert read_ratings("a.jsonl")[1] == (said(system="a", rater="r", scale="sqm", value=6.0),)


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_seen_and_written_back(write, name):
    form, text = FILES[name]
    found = open_ratings(write(name, text))
    write_ratings(found.judgements, f"again.{name}", found.testset, form, systems=found.systems)
    again = open_ratings(f"again.{name}", form)
    assert again.judgements == found.judgements
    for fact in ("ids", "documents", "labels", "language_pair", "sources"):
        assert getattr(again.testset, fact) == getattr(found.testset, fact)


@pytest.mark.parametrize("name", FILES)
def test_every_format_becomes_our_own_and_comes_back(write, name):
    found = open_ratings(write(name, FILES[name][1]))
    write_ratings(found.judgements, "own.tsv.gz", found.testset)
    testset, judgements = read_ratings("own.tsv.gz")
    assert (set(testset.ids), len(testset)) == (set(found.testset.ids), len(found.testset))
    assert judgements == tuple(
        dataclasses.replace(j, segment=testset.ids.index(found.testset.ids[j.segment])) for j in found.judgements
    )
    assert read_ratings("own.tsv.gz", None, found.testset) == (found.testset, found.judgements)


def test_appraise_is_written_byte_for_byte(write):
    for name, text in (("nine.csv", SEGMENT), ("eleven.csv", DOCUMENT)):
        found = open_ratings(write(name, text))
        write_ratings(found.judgements, "again.csv", found.testset, "appraise")
        assert Path("again.csv").read_bytes() == text.replace("\n", "\r\n").encode()


# With a test set

TOWN = TestSet(name="town", segments=4, documents=("news", "news", "blog", "blog"), ids=("n1", "n2", "b1", "b2"))
PLAIN = TestSet(name="town", segments=4, documents=TOWN.documents)


@pytest.mark.parametrize(
    ("testset", "item", "document", "segment"),
    [(TOWN, "b1", "x", 2), (PLAIN, "2", "blog", 3), (PLAIN, "2", "elsewhere", 1), (TOWN, "4", "", 3)],
)
def test_segments_are_found_in_a_test_set(write, testset, item, document, segment):
    path = write("a.csv", f"eva,brook,{item},TGT,cs,en,70,{document},False,1,2\n")
    found, [judgement] = read_ratings(path, "appraise", testset)
    assert (found, judgement.segment) == (testset, segment)


def test_numbers_count_from_0_where_a_file_does(write):
    path = write("a.tsv", "index\tscores\n0\t[1]\n3\t[2]\n")
    assert [j.segment for j in read_ratings(path, None, PLAIN)[1]] == [0, 3]


def test_the_score_of_a_document_is_that_of_its_last_segment(write):
    rows = "".join(f"eva,brook,{k},TGT,cs,en,70,blog,{whole},1,2\n" for k, whole in ((1, False), (2, False), (9, True)))
    judgements = read_ratings(write("a.csv", rows), None, PLAIN)[1]
    assert [(j.segment, j.scale) for j in judgements] == [(2, "da100"), (3, "da100"), (3, "document100")]


# Refusals


def test_unknown_formats(write, refusal):
    known = "known: tertium, appraise, mturk, mqm, mlqe"
    assert refusal(read_ratings, write("a.txt", "hello\n")) == (
        f"a.txt:1: not a known format of ratings: 1 field, the first is 'hello'; "
        f"{known} (docs/reference/judgements.md), or say which one it is"
    )
    assert refusal(read_ratings, "a.txt", "mkm") == f"unknown format 'mkm'; did you mean 'mqm'? {known}"
    assert refusal(read_ratings, write("a.csv", "")) == "a.csv: empty; expected ratings, one per line"
    assert refusal(read_ratings, "none.csv") == "none.csv: no such file"
    assert refusal(read_ratings, write("b.csv", b"a\xff\n")).startswith("b.csv:1: byte 0xff at offset 1 is not UTF-8")
    assert refusal(read_ratings, write("a.tsv", MQM), "mlqe") == (
        "a.tsv:1: no column index or row or segid or id; "
        "columns: system, doc, doc_id, seg_id, rater, source, target, category, severity, comment"
    )


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (SEGMENT, ",103.5,110.0", ",103.5", "2: 8 fields, but the first line has 9 fields; is there a separator too "
         "many or too few?"),
        (SEGMENT, "BAD", "BED", "2: unknown itemType 'BED'; known: TGT, CHK, REF, BAD"),
        (SEGMENT, "4.5", "104", "2: value '104' is not on the scale da100; expected a number from 0 to 100"),
        (SEGMENT, "103.5,110.0", "110,103.5", "2: times '110' and '103.5'; expected two Unix times, the start before "
         "the end"),
        (SEGMENT, "eva,delta", ",delta", "2: no username"),
        (SEGMENT, "eva,delta", "eva,", "2: no system"),
        (DOCUMENT, "1,True", "1,yes", "3: isDocScore is 'yes'; expected True or False"),
        (ESA, "[],0.0", "[7],0.0", "3: the errors '[7]' cannot be read; expected a list such as "
         '[{"start_i": 0, "end_i": 4, "severity": "major"}]'),
        (MQM_CAMPAIGN, "minor", "awful", "1: unknown severity 'awful'; known: non-translation, critical, major, minor, "
         "minor punctuation, neutral"),
        (MTURK, "BAD_REF", "BAD", "3: unknown type 'BAD'; known: SYSTEM, REPEAT, REF, BAD_REF"),
        (MTURK, "\t55\t", "\t-0.55\t", "4: score '-0.55' is not on the scale da100; expected a raw score from 0 to 100 "
         "(standardised scores cannot be read back)"),
        (MTURK, "\t61\n", "\tsoon\n", "2: time 'soon'; expected the seconds that the task took"),
        (MTURK, "h1\tjan", "h1\t", "4: no rater"),
        (MTURK, "\tsid\t", "\tsids\t", "1: not a known format of ratings: 12 fields, the first is 'HITId'; known: "
         "tertium, appraise, mturk, mqm, mlqe (docs/reference/judgements.md), or say which one it is"),
        (MQM, "<v>Welt</v>", "<v>We<v>lt</v>", "3: expected one <v> and one </v> behind it in 'Hallo <v>We<v>lt</v>'"),
        (MQM, "Minor\tinformal", "Awful\t", "2: unknown severity 'Awful'; known: non-translation, critical, major, "
         "minor, minor punctuation, neutral"),
        (MQM, "Hi world\tNo-error", "Hi you\tNo-error", "4: the target of brook is 'Hi you', but on a line above it "
         "was 'Hi world'; one segment has one text"),
        (MQM, "delta\tblog\t1\t5\tjan", "delta\tblog\t1\t5\t", "6: no rater"),
        (MLQE, "[3, 0]", "3", "3: the scores '3' are no list; expected one such as [91, 90, 95]"),
        (MLQE, "[3, 0]", "[3, 101]", "3: value 101 is not on the scale da100; expected a number from 0 to 100"),
        (MLQE, "\n1\t", "\n0\t", "3: the segment '0' has a line above; expected one line per segment"),
        (OWN, "\trank\t2", "\trank\tinf", "2: value 'inf' is not on the scale rank; expected a number from 1"),
    ],
)  # fmt: skip
def test_refusals(write, refusal, text, old, new, message):
    assert text.count(old) >= 1
    name = "a.tsv" if "\t" in text else "a.csv"
    assert refusal(read_ratings, write(name, text.replace(old, new, 1))) == f"{name}:{message}"


def test_an_unknown_segment(write, refusal):
    path = write("a.csv", SEGMENT)
    assert refusal(read_ratings, path, None, TOWN) == (
        "a.csv:2: unknown segment 'ces-eng/10'; expected a number from 1 to 4 or an id of the test set (test set town)"
    )


def test_two_names_for_one_id(write, refusal):
    rows = "".join(
        f"eva,brook,{item},TGT,,,70,{document},False,1,2\n" for item, document in (("b/c", "a"), ("c", "a/b"))
    )
    assert refusal(read_ratings, write("a.csv", rows)) == (
        "a.csv: two segments would be called 'a/b/c'; rename the document or the item of one"
    )


def test_what_a_format_cannot_hold_is_refused(refusal):
    one = TestSet(segments=1)
    text = TestSet(segments=1, sources=Lines.of(["Hallo"]))
    for form in FORMATS[1:]:
        assert "scale fluency" in refusal(write_ratings, [said(scale="fluency", value=1.0)], "a", one, form) or (
            form == "mlqe"
        )
    assert refusal(write_ratings, [said(scale="mqm", value=0.0)], "a", one, "mqm") == (
        "a: no source of segment 1 of system brook; this format quotes the texts, so give a test set and outputs that "
        "have them"
    )
    assert refusal(write_ratings, [said(scale="mqm", value=0.0)], "a", text, "mqm").startswith("a: no output of ")
    assert refusal(write_ratings, [said(), said(system="delta")], "a", one, "mlqe") == (
        "a: lists of scores hold one system on one scale, da100 or catastrophic, but there are: brook, delta; da100"
    )
    assert refusal(write_ratings, [said(kind="repeat")], "a", one, "mlqe") == (
        "a: lists of scores hold no repeat judgements; leave them out first"
    )
    assert refusal(write_ratings, [], "a", one, "appraise") == "a: there are no judgements to write"
    assert refusal(write_ratings, [said(rater="e\tva")], "a", one, "mturk") == (
        "a: the WorkerId 'e\\tva' has a tab or line break in it, which TSV cannot hold"
    )
    assert not Path("a").exists()


def test_texts_of_systems_and_test_sets_are_quoted():
    testset = TestSet(segments=1, sources=Lines.of(["Hallo"]))
    system = System(name="brook", outputs=Lines.of(["Hi you"]))
    span = Span(start=3, end=6, severity="major", category="Accuracy/Addition")
    write_ratings([said(scale="mqm", value=5.0, spans=(span,))], "a.tsv", testset, "mqm", systems=[system])
    assert Path("a.tsv").read_text().splitlines()[1] == (
        "brook\t\t1\t1\teva\tHallo\tHi <v>you</v>\tAccuracy/Addition\tMajor\t"
    )


def test_scales_of_the_readers_exist():
    assert {"da100", "document100", "esa", "mqm", "catastrophic"} <= set(SCALES)
