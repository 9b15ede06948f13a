"""Errors that people found in real outputs: two of the segments that Gowda et al. (2021) print as examples."""

import tertium as tt
from tertium.analysis.diagnose import Diagnosis

from .files import needs_oracles, read_lines

pytestmark = needs_oracles


def diagnosis(detectors: str) -> Diagnosis:
    source, reference = read_lines("snmt.de-en", "src"), read_lines("snmt.de-en", "ref.A")
    testset = tt.TestSet(
        segments=len(source), sources=source, references=tt.References((reference,), len(source)),
        source_language="de", target_language="en",
    )  # fmt: skip
    systems = [tt.System(name=name, outputs=read_lines("snmt.de-en", f"hyp.{name}")) for name in ("snmt", "unmt")]
    return tt.diagnose(testset, systems, detectors=detectors)


def test_segments_1180_and_579() -> None:
    found = diagnosis("untranslated,truncation")
    at = {(finding.segment, finding.system, finding.kind): finding for finding in found}
    assert "unterhalten" in at[1180, "unmt", "untranslated"].evidence
    assert at[579, "unmt", "truncation"].severity > 0.5
    assert (579, "snmt", "truncation") not in at
    assert found.among([579, 1180])["unmt"] == {"untranslated": 1, "truncation": 1}


def test_the_systems_differ_as_readers_say() -> None:
    """UNMT leaves words untranslated, SNMT loses names; the same people could not tell them apart in length."""
    found = diagnosis("untranslated,truncation,name")
    words, lengths, names = found.compare("snmt", "unmt")
    assert words.only_second > 4 * words.only_first
    assert words.p < 1e-9
    assert lengths.p > 0.05
    assert names.only_first > names.only_second
    assert names.p < 1e-9
