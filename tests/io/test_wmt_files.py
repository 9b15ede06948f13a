"""WMT test sets in XML and SGM."""

import gzip

import pytest

from tertium.io.wmt import read_sgm, read_wmt, read_xml, xml_columns

XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="town.de-en">
  <collection id="general">
    <doc origlang="de" id="d1" domain="news">
      <src lang="de">
        <p>
          <seg id="1">Ja &amp; nein</seg>
          <seg id="2"> zwei
            Zeilen\u2028 </seg>
        </p>
        <p><seg id="3"></seg></p>
      </src>
      <ref lang="en" translator="A">
        <p><seg id="3">empty</seg><seg id="1">Yes &amp; no</seg></p>
      </ref>
      <hyp system="x" language="en"><p><seg id="1">Yes</seg><seg id="2">two</seg><seg id="3"/></p></hyp>
      <other><seg>not read</seg></other>
    </doc>
  </collection>
  <collection id="more">
    <doc origlang="en" id="d1">
      <src lang="de"><seg id="1">eins</seg></src>
      <ref lang="en" translator="B"><seg id="1">one</seg></ref>
      <hyp system="y" language="en"><p><seg id="1">un</seg></p></hyp>
    </doc>
  </collection>
</dataset>
"""

SGM_SOURCE = """<SRCSET setid='town' SrcLang="de" trglang=any>
<DOC genre="news" docid=d1 origlang="de">
<p>
<seg id="1"> Ja &lt;b&gt; &quot;&apos;&amp;lt; </seg>
<SEG ID=2>zwei
Zeilen</SEG>
</p>
</DOC>
<doc docid="d2"><hl><seg>Titel < Text</seg></hl><seg>drei</seg></doc>
</SRCSET>
"""
SGM_REFERENCE = """<refset setid="town" srclang="de" trglang="en">
<doc sysid="ref" docid="d1"><seg id="1">Yes</seg><seg id="2">two</seg></doc>
<doc sysid="ref" docid="d2"><seg id="1">title</seg></doc></refset>"""
SGM_SYSTEMS = """<tstset setid="town" srclang="de" trglang="en">
<doc sysid="x" docid="d1"><seg id="1">Y</seg><seg id="2"></seg></doc></tstset>
<tstset setid="town" srclang="de" trglang="en">
<doc docid="d1"><seg id="2">due</seg></doc></tstset>"""


def one(inside, attributes='id="d"'):
    return f"<dataset>\n<doc {attributes}>\n{inside}\n</doc></dataset>"


def test_xml(write):
    testset, systems = read_xml(write("a.xml", XML))
    assert testset.name == "town.de-en"
    assert testset.language_pair == "de-en"
    assert testset.documents == ("d1", "d1", "d1", "more/d1")
    assert testset.ids == ("d1:1", "d1:2", "d1:3", "more/d1:1")
    assert testset.labels == {
        "collection": ("general", "general", "general", "more"),
        "domain": ("news", "news", "news", ""),
        "origlang": ("de", "de", "de", "en"),
    }
    assert list(testset.sources) == ["Ja & nein", "zwei Zeilen\u2028", "", "eins"]
    assert list(testset.references) == [("Yes & no",), (), ("empty",), ("one",)]
    assert {system.name: list(system.outputs) for system in systems} == {
        "x": ["Yes", "two", "", None],
        "y": [None, None, None, "un"],
    }
    assert [system.origin for system in systems] == ["a.xml", "a.xml"]


def test_xml_columns(write):
    assert list(xml_columns(write("a.xml", XML))) == ["src", "ref.A", "hyp.x", "ref.B", "hyp.y"]
    path = write("b.xml", one('<ref><seg id="1">a</seg></ref><hyp><seg id="1">b</seg></hyp>'))
    assert {name: list(lines) for name, lines in xml_columns(path).items()} == {"ref": ["a"], "hyp": ["b"]}
    testset, systems = read_xml(path)
    assert (testset.name, testset.sources, testset.language_pair) == ("b", None, None)
    assert [system.name for system in systems] == ["hyp"]


def test_xml_without_a_source_has_the_order_of_the_longest_side(write):
    inside = '<ref><seg id="2">B</seg></ref><hyp><seg id="1">a</seg><seg id="2">b</seg></hyp>'
    testset, _ = read_xml(write("a.xml", one(inside)))
    assert testset.ids == ("d:1", "d:2")
    assert list(testset.references) == [(), ("B",)]


def test_xml_in_another_encoding_and_compressed(write):
    text = '<?xml version="1.0" encoding="utf-16"?>' + one('<src lang="de"><seg id="1">ä</seg></src>')
    testset, _ = read_wmt(write("a.xml.gz", gzip.compress(text.encode("utf-16"))))
    assert list(testset.sources) == ["ä"]


def test_several_target_languages_are_none(write):
    inside = '<src lang="any"><seg id="1">a</seg></src><ref lang="en"/><hyp language="fr"/>'
    testset, _ = read_xml(write("a.xml", one(inside)))
    assert (testset.source_language, testset.target_language) == (None, None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<dataset>", "a.xml:1: not well-formed XML (no element found, column 10)"),
        ("", "a.xml:1: not well-formed XML (no element found, column 1)"),
        (
            one("<src><seg id='1'>a & b</seg></src>"),
            "a.xml:3: not well-formed XML (not well-formed (invalid token), column 21)",
        ),
        (
            one("<src><seg id='1'>&auml;</seg></src>"),
            "a.xml:3: not well-formed XML (undefined entity, column 18)",
        ),
        (
            '<?xml version="1.0" encoding="udf-8"?><dataset/>',
            "a.xml:1: the XML cannot be decoded (unknown encoding: udf-8); convert the file to UTF-8",
        ),
        (
            "<html><p>x</p></html>",
            "a.xml:1: the root is <html>; expected <dataset>, the XML of a WMT test set",
        ),
        (
            "<dataset></dataset>",
            "a.xml: no <seg> in a <src>, <ref> or <hyp>; expected the XML of a WMT test set",
        ),
        (one("<src/>"), "a.xml: no <seg> in a <src>, <ref> or <hyp>; expected the XML of a WMT test set"),
        (one("<src><seg>a</seg></src>"), "a.xml:3: <seg> without an id; segments are joined by it"),
        (one("", ""), "a.xml:2: <doc> without an id; segments are joined by it"),
        (one("<src><seg id='1'>a<b/></seg></src>"), "a.xml:3: <b> inside <seg>; a segment is plain text"),
        (
            one("<src><seg id='1'>a</seg>\n<seg id='1'>b</seg></src>"),
            "a.xml:4: segment 1 of document d is in src twice (first on line 3); remove one",
        ),
        (
            one("<src><seg id='1'>a</seg></src>\n<hyp system='x'><seg id='2'>b</seg></hyp>"),
            "a.xml:4: segment 2 of document d is in hyp.x, but not in src (a.xml); do they belong together?",
        ),
        (
            "<dataset><doc id='d'/>\n<doc id='d'/></dataset>",
            "a.xml:2: a second document d; documents need ids of their own",
        ),
        (
            '<!DOCTYPE dataset [\n<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n' + one("<src><seg id='1'>&b;</seg></src>"),
            "a.xml:2: the entity 'a' of a DOCTYPE; such files are refused, write the characters themselves",
        ),
        (
            '<!DOCTYPE dataset SYSTEM "file:///etc/passwd">\n' + one("<src><seg id='1'>&b;</seg></src>"),
            "a.xml:4: the entity 'b' of a DOCTYPE; such files are refused, write the characters themselves",
        ),
    ],
)
def test_xml_refusals(write, refusal, content, message):
    assert refusal(read_xml, write("a.xml", content)) == message


def test_sgm(write):
    paths = [
        write("s.sgm", "\ufeff" + SGM_SOURCE),
        write("r.sgm", SGM_REFERENCE),
        write("nine.sgm", SGM_SYSTEMS),
    ]
    testset, systems = read_sgm(*paths)
    assert (testset.name, testset.language_pair) == ("town", "de-en")
    assert list(testset.sources) == ["Ja <b> \"'&lt;", "zwei Zeilen", "Titel < Text", "drei"]
    assert testset.documents == ("d1", "d1", "d2", "d2")
    assert testset.ids == ("d1:1", "d1:2", "d2:1", "d2:2")
    assert testset.labels == {"genre": ("news", "news", "", ""), "origlang": ("de", "de", "", "")}
    assert list(testset.references) == [("Yes",), ("two",), ("title",), ()]
    assert {system.name: list(system.outputs) for system in systems} == {
        "x": ["Y", "", None, None],
        "nine": [None, "due", None, None],
    }
    assert [system.origin for system in systems] == ["nine.sgm", "nine.sgm"]


def test_sgm_without_names(write):
    testset, _ = read_wmt(write("news.sgm.gz", gzip.compress(b"<refset><doc><seg>a</seg></doc></refset>")))
    assert (testset.name, testset.ids, list(testset.references)) == ("news", ("1:1",), [("a",)])


def test_sgm_columns(write):
    from tertium.io.sgm import sgm_columns

    assert {name: list(lines) for name, lines in sgm_columns(write("s.sgm", SGM_SOURCE.lower())).items()} == {
        "src": ["ja <b> \"'&lt;", "zwei zeilen", "titel < text", "drei"]
    }
    both = "<refset><doc sysid=x><seg>a</seg></doc></refset><tstset><doc sysid=x><seg>b</seg></doc></tstset>"
    assert list(sgm_columns(write("b.sgm", both.replace("sysid", 'docid="d" sysid')))) == ["ref.x", "hyp.x"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "hello\n",
            "a.sgm: no <seg> in a <srcset>, <refset> or <tstset>; expected an SGM file of WMT or NIST",
        ),
        ("", "a.sgm: no <seg> in a <srcset>, <refset> or <tstset>; expected an SGM file of WMT or NIST"),
        ("\n<seg id=1>a</seg>", "a.sgm:2: <seg> outside a <doc> of a <srcset>, <refset> or <tstset>"),
        ("<srcset>\n<doc docid=d>\n<seg id=1>a", "a.sgm:3: <seg> is never closed; expected </seg>"),
        (
            "<srcset><doc>\n<seg id=7>a\n<seg id=2>b</seg>",
            "a.sgm:3: <seg id=2> before the </seg> of segment 7",
        ),
        ("<srcset><doc>\n</seg>", "a.sgm:2: </seg> without a <seg>"),
        (
            "<srcset><doc docid=d>\n<seg id=1>a</seg>\n<seg id=1>b</seg>",
            "a.sgm:3: segment 1 of document d is in src twice (first on line 2); remove one",
        ),
    ],
)
def test_sgm_refusals(write, refusal, content, message):
    assert refusal(read_sgm, write("a.sgm", content)) == message


def test_sgm_files_of_different_test_sets(write, refusal):
    paths = write("s.sgm", SGM_SOURCE), write("r.sgm", SGM_REFERENCE.replace("d2", "d3"))
    assert refusal(read_sgm, *paths) == (
        "r.sgm:3: segment 1 of document d3 is in ref.ref, but not in src (s.sgm); do they belong together?"
    )
