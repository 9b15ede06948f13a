"""Guards of learned scores: what is no translation is said beside the score that it got, and no score is altered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.analysis import guards as module
from tertium.analysis.guards import guard_notes, guards
from tertium.cli.main import main
from tertium.core.metric import REGISTRY, Prepared, is_learned
from tertium.core.stats import Stats
from tertium.learned.coverage import KNOWN, MBERT, MT5, XLMR, Coverage

SOURCES = [
    "Der alte Fischer wartete am Hafen auf das letzte Boot.",
    "Die Bibliothek öffnet morgen erst um zehn Uhr.",
    "Nach dem Regen roch der ganze Garten nach Erde.",
    "Wir haben den Schlüssel unter der Matte gefunden.",
    "Am Abend spielte die Kapelle im kleinen Park.",
]
REFERENCES = [
    "The old fisherman waited at the harbour for the last boat.",
    "The library does not open until ten tomorrow.",
    "After the rain the whole garden smelled of soil.",
    "We found the key under the mat.",
    "In the evening the band played in the small park.",
]
GOOD = [
    "The old fisherman was waiting in the harbour for the last boat.",
    "The library opens only at ten tomorrow.",
    "After the rain, the whole garden smelled of earth.",
    "We found the key underneath the mat.",
    "In the evening the band was playing in the little park.",
]
BAD = [
    SOURCES[0],
    "",
    "After",
    f"{GOOD[3]} And then we went on to talk about the mat, the door and the key for a very long time.",
    GOOD[4],
]


@pytest.fixture(autouse=True)
def judge() -> Iterator[None]:
    """A metric whose model is a file of scores, given to segments in their order."""

    @tt.metric
    class Judge:
        """What a file says."""

        name, title, better, range = "judge", "Judge", "higher", (float("-inf"), float("inf"))
        needs, resampling, decimals = frozenset({"source", "references", "model"}), "percentile", 3
        models = ("model",)
        model: str = ""

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:
            path = Path(run.model(self.model))
            text = (path / "judge.json" if path.is_dir() else path).read_text()
            made = {"values": np.array(json.loads(text))}
            return Prepared(references=testset.references, made=made)

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:  # noqa: ARG002
            values = prepared.made["values"]
            scored = np.isfinite(values) & outputs.present
            return Stats(("value", "n"), np.stack([np.where(scored, values, 0), scored], 1).astype(float), scored)

        def score(self, sums: Any) -> Any:
            return sums[..., 0] / sums[..., 1]

    yield
    del REGISTRY["judge"]


@pytest.fixture(autouse=True)
def no_identifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Languages are identified where a test is about that: it takes a second to begin with."""
    monkeypatch.setattr(module, "find_spec", lambda _: None)


def evaluated(tmp_path: Path, values: list[float], **systems: list[str | None]) -> tt.Evaluation:
    path = tmp_path / "judge.json"
    path.write_text(json.dumps(values))
    testset = tt.TestSet(
        name="five",
        segments=5,
        sources=tt.Lines.of(SOURCES),
        references=tt.References((tt.Lines.of(REFERENCES),), 5),
    )
    outputs = [tt.System(name=name, outputs=tt.Lines.of(lines)) for name, lines in systems.items()]
    return tt.evaluate(testset, outputs, ["bleu", f'judge(model="{path}")'])


VALUES = [0.66, 0.5, 0.25, 0.75, 0.9]


def test_what_looks_like_no_translation_is_counted(tmp_path: Path) -> None:
    given = evaluated(tmp_path, VALUES, bad=BAD, good=GOOD)
    [found] = guards(given)
    assert (found.system, found.metric, found.outputs, found.suspect) == ("bad", str(given.metrics[1]), 5, 4)
    assert found.kinds == {"empty": 1, "copied": 1, "truncation": 1, "overgeneration": 1}
    assert (found.lowest, found.highest, found.others, found.cut) == (0.25, 0.75, 0.9, 0)
    assert found.mean == pytest.approx((0.66 + 0.5 + 0.25 + 0.75) / 4, abs=1e-12)
    title = f'judge(model="judge@{str(given.metrics[1]).partition("@")[2]}'
    assert guard_notes(given, [found]) == [
        "bad: 4 of 5 outputs are suspect (1 empty, 1 copied from the source, 1 less than half as long as "
        f"expected, 1 more than twice as long as expected); {title} gives them 0.250 to 0.750, 0.540 on average, and "
        "0.900 to the others: read such segments by hand"
    ]
    assert [score.value for score in given.scores() if score.metric == found.metric] == pytest.approx([0.612] * 2)


def test_where_nothing_is_suspect_nothing_is_said(tmp_path: Path) -> None:
    assert guards(evaluated(tmp_path, VALUES, good=GOOD)) == ()
    string_only = replace(evaluated(tmp_path, VALUES, bad=BAD), metrics=(tt.parse("bleu"),))
    assert guards(string_only) == ()


def test_an_output_of_several_kinds_counts_once(tmp_path: Path) -> None:
    lines = [*GOOD[:4], f"{SOURCES[4]} {SOURCES[4]} {SOURCES[4]}"]
    given = evaluated(tmp_path, VALUES, bad=lines)
    [found] = guards(given)
    assert found.kinds == {"copied": 1, "overgeneration": 1}
    assert found.suspect == 1
    assert guard_notes(given, [found])[0].endswith(
        "gives it 0.900, and 0.540 to the others: read such segments by hand"
    )


def test_a_concise_output_is_not_suspect(tmp_path: Path) -> None:
    """Diagnosis finds it shorter than source and reference let expect, but it is not half of it that is missing."""
    lines = ["The fisherman waited there for a boat.", *GOOD[1:]]
    given = evaluated(tmp_path, VALUES, short=lines)
    assert tt.diagnose(given, detectors="truncation").tallies["short", "truncation"].hits == 1
    assert guards(given) == ()


def test_what_was_not_scored_is_not_counted(tmp_path: Path) -> None:
    given = evaluated(tmp_path, [0.66, float("nan"), 0.25, 0.75, 0.9], bad=[*BAD[:2], None, *BAD[3:]])
    [found] = guards(given)
    assert (found.outputs, found.suspect) == (3, 2)
    assert found.kinds == {"copied": 1, "overgeneration": 1}


@pytest.mark.skipif(find_spec("py3langid") is None, reason='needs py3langid: pip install "tertium[langid]"')
def test_another_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    french = "Le vieux pêcheur attendait le dernier bateau dans le port tranquille de la ville."
    given = evaluated(tmp_path, VALUES, bad=[french, *GOOD[1:]])
    assert guards(given) == ()
    monkeypatch.setattr(module, "find_spec", find_spec)
    [found] = guards(given)
    assert found.kinds == {"language": 1}
    [copied] = guards(evaluated(tmp_path, VALUES, bad=[SOURCES[0], *GOOD[1:]]))
    assert copied.kinds == {"copied": 1}  # and not once more as another language


def test_without_source_or_references(tmp_path: Path) -> None:
    given = evaluated(tmp_path, VALUES, bad=BAD)
    bare = replace(given, testset=tt.TestSet(name="five", segments=5))
    [found] = guards(bare)
    assert found.kinds == {"empty": 1}


def test_texts_that_were_left_out(tmp_path: Path) -> None:
    given = evaluated(tmp_path, VALUES, bad=BAD)
    tt.save(given, tmp_path / "e.zip", texts=False)
    assert guards(tt.load(tmp_path / "e.zip")) == ()


def test_which_metrics_are_guarded() -> None:
    for text in ("comet", "bleurt", "metricx", "bertscore", "judge", 'scores(of="x", file="y")'):
        assert is_learned(tt.parse(text)), text
    for text in ("bleu", "chrf", "ter", "meteor", "human"):
        assert not is_learned(tt.parse(text)), text


def write_files(tmp_path: Path) -> list[str]:
    for name, lines in {"src": SOURCES, "ref": REFERENCES, "bad": BAD, "good": GOOD}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "scores.tsv").write_text("system\tsegment\tscore\n" + "".join(
        f"{name}\t{number}\t{value}\n" for name in ("bad", "good") for number, value in enumerate(VALUES, 1)
    ))  # fmt: skip
    return ["-s", "src", "-r", "ref", "-t", "bad", "-t", "good", "--scores", "elsewhere=scores.tsv"]


def test_commands_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Scores from elsewhere are guarded, too."""
    files = write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    sentence = (
        "bad: 4 of 5 outputs are suspect (1 empty, 1 copied from the source, 1 less than half as long as "
        "expected, 1 more than twice as long as expected); elsewhere gives them 0.2500 to 0.7500, 0.5400 on average, "
        "and 0.9000 to the others: read such segments by hand"
    )
    for command in ("score", "compare"):
        main([command, *files, "-m", "bleu"])
        assert f"tertium: note: {sentence}\n" in capsys.readouterr().err
        main([command, *files, "-m", "bleu", "-f", "json"])
        told = json.loads(capsys.readouterr().out)["guards"]
        assert told["notes"] == [sentence]
        [found] = told["by_system_and_metric"]
        assert (found["system"], found["suspect"], found["lowest"], found["others"]) == ("bad", 4, 0.25, 0.9)
        main([command, *files[:8], "-m", "bleu", "-f", "json"])
        assert "guards" not in json.loads(capsys.readouterr().out)


def test_the_report_has_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    main(["report", *files, "-m", "bleu", "-o", "r.html"])
    page = (tmp_path / "r.html").read_text()
    assert "Guards of learned scores" in page
    assert "mean of the others" in page
    assert ">unbounded<" in page
    main(["report", *files[:8], "-m", "bleu", "-o", "s.html"])
    assert "Guards of learned scores" not in (tmp_path / "s.html").read_text()


# Languages that an encoder has not seen


def test_how_many_languages_there_are() -> None:
    """XLM-R counts seven scripts of languages by themselves, multilingual BERT two of Chinese and of Norwegian."""
    assert (len(XLMR) + 7, len(MT5), len(MBERT) + 2 + 2) == (100, 101, 104)
    assert len(KNOWN["bert", 119547].codes) == 104 - 2


@pytest.mark.parametrize("language", ["de", "pt-BR", "zh_CN", "nb", "nn-NO", "fil", "iw", "DE"])
def test_codes_of_languages(language: str) -> None:
    assert Coverage("XLM-R", XLMR).has(language)
    assert not Coverage("XLM-R", XLMR).has("mi")
    assert not Coverage("English BERT", frozenset({"en"})).has(language)


def test_a_language_that_the_encoder_has_not_seen(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text(json.dumps({"model_type": "xlm-roberta", "vocab_size": 250002}))
    run = tt.Run(models=(str(tmp_path),))
    from tertium.engines.models import pin, uncovered

    def notes(metric: str, source: str | None, target: str | None) -> list[str]:
        made, located = pin(tt.parse(metric), run)
        testset = tt.TestSet(segments=1, source_language=source, target_language=target)
        return [note.partition(": ")[2] for note in uncovered(made, located, testset)]

    told = "its encoder, XLM-R, was not trained on the {} language, {}: what it says of such texts means little"
    assert notes('comet(model="m")', "de", "en") == []
    assert notes('comet(model="m")', "mi", "yo") == [told.format("source", "mi"), told.format("target", "yo")]
    assert notes('bertscore(model="m")', "mi", "en") == []  # which reads no source
    assert notes('comet(model="m")', None, None) == []
    (tmp_path / "m" / "config.json").write_text(json.dumps({"model_type": "xlm-roberta", "vocab_size": 2000}))
    assert notes('comet(model="m")', "mi", "yo") == []  # of others nothing is known


def test_an_evaluation_warns_of_it(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text(json.dumps({"model_type": "bert", "vocab_size": 30522}))
    (tmp_path / "m" / "judge.json").write_text(json.dumps(VALUES))
    testset = tt.TestSet(
        name="five",
        segments=5,
        source_language="de",
        target_language="en",
        sources=tt.Lines.of(SOURCES),
        references=tt.References((tt.Lines.of(REFERENCES),), 5),
    )
    systems = [tt.System(name="good", outputs=tt.Lines.of(GOOD))]
    found = tt.evaluate(testset, systems, f'judge(model="{tmp_path / "m"}")')
    assert found.warnings[-1] == (
        f"{found.metrics[0]}: its encoder, English BERT, was not trained on the source language, de: what it says of "
        f"such texts means little"
    )
