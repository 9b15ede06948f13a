"""Experiments: systems of a grid, evaluated together; limits, steps done again, curves, a process that is killed."""

import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.prompt.models import SayingModel, TableModel

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.run import PLAIN, Run
from tertium.models.cache import AnswerCache
from tertium.models.language_model import Abilities, Answer, Decoding, Request
from tertium.prompt.curves import best_systems, few_shot_curves
from tertium.prompt.experiment import Experiment, foretell, how_to_go_on, run_grid
from tertium.prompt.grid import Grid, read_grid
from tertium.prompt.limits import CallLimits, LimitedModel, LimitReachedError, most
from tertium.prompt.setting import Price
from tertium.report.report import make_report
from tertium.report.tables.experiment import experiment_sentences, setting_rows, setting_table, template_tables

ROOT = Path(__file__).parents[2]
SOURCES = ["Der Hund bellt laut im Garten.", "Wir gehen jetzt nach Hause.", "Es regnet heute sehr stark hier.",
           "Die Sonne scheint wieder hell."]  # fmt: skip
REFERENCES = ["The dog barks loudly in the garden.", "We are going home now.", "It is raining very hard here today.",
              "The sun is shining brightly again."]  # fmt: skip
TRANSLATED = dict(zip(SOURCES, REFERENCES, strict=True))
GRID = """
title = "Little"
testset = "testset.toml"
examples = "pool.tsv"
metrics = ["chrf", "bleu"]
{more}
[models.m]
model = "gemma"
price = {{ input = 1000000, output = 2000000 }}
[decoding.greedy]
tokens = 10
[[grid]]
template = ["A", "D"]
line_break = [true, false]
[[grid]]
template = "A"
shots = [1, 2]
selector = "random"
seed = [1, 2]
"""
SETTINGS = ["A/en/break", "D/en/break", "A/en/space", "D/en/space", "A/en/break/1-random@1", "A/en/break/1-random@2",
         "A/en/break/2-random@1", "A/en/break/2-random@2"]  # fmt: skip


def make_folder(folder: Path, more: str = "") -> Path:
    (folder / "testset.toml").write_text(
        'source_language = "de"\ntarget_language = "en"\nsource = "f.de"\nreferences = "f.en"\n'
    )
    (folder / "f.de").write_text("".join(f"{text}\n" for text in SOURCES))
    (folder / "f.en").write_text("".join(f"{text}\n" for text in REFERENCES))
    (folder / "pool.tsv").write_text("source\treference\nEins\tOne\nZwei\tTwo\nDrei\tThree\nVier\tFour\nSechs\tSix\n")
    (folder / "grid.toml").write_text(GRID.format(more=more))
    return folder / "grid.toml"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


def say(prompt: str) -> str:
    """A is answered, the better the more is shown; D with a line break is answered by an empty line first."""
    source = next(text for text in SOURCES if text in prompt.rpartition("\n\n")[2])
    said = TRANSLATED[source]
    if "Translate from German" in prompt:
        return f"\n\n{said}" if "\nTranslate" in prompt else f" {source}"
    return f" {said}" if "\n\n" in prompt else f" {said[:12]}"


class Telling(SayingModel):
    """Counts tokens as words, and takes as many seconds as the prompt has lines."""

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        for request, answer in zip(requests, super().complete(requests, run), strict=True):
            prompt = str(request.prompt)
            yield Answer(
                text=answer.text,
                prompt_tokens=len(prompt.split()),
                answer_tokens=len(answer.text.split()),
                seconds=float(prompt.count("\n")),
            )


def ran(path: Path | Grid, **options: Any) -> tuple[Experiment, SayingModel]:
    model = Telling(say)
    return run_grid(path, open_with=lambda _: model, **options), model


def test_every_cell_is_a_system_of_one_evaluation(path: Path) -> None:
    done, model = ran(path)
    assert [system.name for system in done.scored.systems] == SETTINGS
    assert [system.run for system in done.scored.systems] == [None] * 4 + ["1", "2"] * 2
    assert (done.calls, len(model.requests), model.closed, done.stopped) == (32, 32, True, None)
    scores = {(score.system, score.metric): score.value for score in done.scored.scores()}
    assert scores["A/en/break/1-random@1", "chrf"] == 100.0
    assert scores["D/en/break", "chrf"] == 100.0  # the usual steps drop blank lines
    assert scores["A/en/break", "bleu"] < 100
    # The ordinary tests hold for it, runs and all.
    found = tt.compare(done.scored, "chrf", test="bootstrap")
    assert {item.system for item in found} | {item.baseline for item in found} == {
        name.partition("@")[0] for name in SETTINGS}  # fmt: skip
    assert done.identities == {"m": "saying"}
    assert done.scored.systems[4].origin is not None
    assert "random(seed=1)" in done.scored.systems[4].origin


def test_other_steps_need_no_calls(path: Path, tmp_path: Path) -> None:
    with AnswerCache(tmp_path / "a.sqlite") as cache:
        done, _ = ran(path, cache=cache)
        again, model = ran(read_grid(path, steps="first_line"), cache=cache)
    assert (done.calls, again.calls, model.requests) == (32, 0, [])
    assert list(done.scored.systems[1].outputs) == REFERENCES
    assert list(again.scored.systems[1].outputs) == [""] * 4
    in_memory = done.again("first_line")
    assert [list(one.outputs) for one in in_memory.scored.systems] == [
        list(one.outputs) for one in again.scored.systems]  # fmt: skip
    assert (str(again.grid.steps), str(in_memory.grid.steps)) == ("first_line", "first_line")


def test_facts_of_cells(path: Path) -> None:
    done, _ = ran(read_grid(path, steps="first_line,one_line"))
    facts = {one.setting.name: one.facts for one in done.results}
    assert (facts["D/en/break"].empty, facts["D/en/break"].asked) == (4, 4)
    assert facts["D/en/space"].copied == 4
    assert facts["A/en/break"].empty == 0
    words = [len(f"German: {source}\nEnglish:".split()) for source in SOURCES]
    said = [len(text[:12].split()) for text in REFERENCES]
    assert facts["A/en/break"].prompt_tokens == sum(words)
    assert facts["A/en/break"].answer_tokens == sum(said)
    assert facts["A/en/break"].cost == pytest.approx(sum(words) + 2 * sum(said))
    assert (facts["A/en/break"].median, facts["A/en/break/2-random@1"].slow) == (1.0, 7.0)
    assert facts["D/en/break"].rate("empty") == 100
    silent = run_grid(path, open_with=lambda _: SayingModel(say))
    unknown = silent.results[0].facts
    assert (unknown.prompt_tokens, unknown.answer_tokens, unknown.median, unknown.slow) == (None, None, None, None)
    assert math.isnan(unknown._replace(off_target=None).rate("off_target"))


def test_off_target_needs_a_package(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("py3langid")
    german = "Der Hund bellt laut im Garten, und wir gehen jetzt alle zusammen nach Hause, weil es heute regnet."
    done = run_grid(path, open_with=lambda _: SayingModel(lambda _: german))
    assert done.results[0].facts.off_target == 4
    assert ran(path)[0].results[0].facts.off_target == 0
    monkeypatch.setattr("tertium.text.language.find_spec", lambda _: None)
    without, _ = ran(path)
    assert without.results[0].facts.off_target is None
    assert without.notes[0] == (
        'off-target outputs are not counted: language identification needs py3langid: pip install "tertium[langid]"'
    )
    test = path.parent / "testset.toml"
    test.write_text(test.read_text().replace('"en"', '"English"'))
    assert ran(path)[0].notes[0].startswith("off-target outputs are not counted: the test set names no target_language")


def test_a_limit_of_calls_stops_and_the_next_run_goes_on(path: Path, tmp_path: Path) -> None:
    with AnswerCache(tmp_path / "a.sqlite") as cache:
        done, model = ran(path, cache=cache, max_calls=10)
        assert (len(model.requests), done.calls, len(cache)) == (10, 10, 10)
        assert [one.setting.name for one in done.results] == SETTINGS[:2]
        assert done.stopped == "the limit of 10 calls is reached (--max-calls)"
        assert how_to_go_on(done).startswith(f"{done.stopped}: 2 of 8 settings complete after 10 calls of this run; ")
        more, model = ran(path, cache=cache, max_calls=22)
        assert (more.stopped, len(model.requests), len(more.results)) == (None, 22, 8)
        none, model = ran(path, cache=cache, max_calls=0)
        assert (none.stopped, model.requests, len(none.results)) == (None, [], 8)
    nothing, _ = ran(path, max_calls=0)
    assert (nothing.results, nothing.evaluation) == ((), None)
    with pytest.raises(OptionError, match=r"^no setting is complete: the limit of 0 calls is reached"):
        _ = nothing.scored


def test_a_limit_of_cost_is_never_gone_over(path: Path, tmp_path: Path) -> None:
    """A prompt of b bytes has at most b tokens, and some around it; what was really used decides how much is left."""
    price = Price(input=1_000_000, output=2_000_000)
    first = Request(prompt=f"German: {SOURCES[0]}\nEnglish:", decoding=Decoding(tokens=10, stop=("\nGerman:",)))
    assert most(first, price) == len(str(first.prompt).encode()) + 8 + 2 * 10
    with AnswerCache(tmp_path / "a.sqlite") as cache:
        done, model = ran(path, cache=cache, max_cost=most(first, price) - 1)
        assert (done.calls, model.requests) == (0, [])
        done, model = ran(path, cache=cache, max_cost=300)
        spent = sum(len(str(request.prompt).split()) + 2 * len(say(str(request.prompt)).split())
                    for request in model.requests)  # fmt: skip
        assert 0 < spent <= 300
        assert done.stopped == f"{spent} of 300 is spent, and the next call might go over (--max-cost)"
        asked = len(model.requests)
        rest, model = ran(path, cache=cache, max_cost=1e9)
        assert (rest.stopped, len(model.requests)) == (None, 32 - asked)
    free = make_folder(tmp_path)
    free.write_text(free.read_text().replace("price = { input = 1000000, output = 2000000 }\n", ""))
    with pytest.raises(OptionError, match=r"^max-cost: the price of saying is not known; write under its \[models\."):
        ran(free, max_cost=1)
    with pytest.raises(OptionError, match=r"^max-calls: -1; must be 0 or more$"):
        ran(path, max_calls=-1)


def test_a_limit_holds_for_models_that_answer_in_any_order() -> None:
    class Backwards(SayingModel):
        def complete_unordered(self, requests: Sequence[Request], run: Run) -> Iterator[tuple[int, Answer]]:
            yield from reversed(list(enumerate(self.complete(requests, run))))

        def force_unordered(self, pairs: Any, run: Run) -> Any:
            raise NotImplementedError

    inner = Backwards(lambda prompt: prompt.upper())
    model = LimitedModel(inner, CallLimits(calls=3), None)
    requests = [Request(prompt=text) for text in "abcde"]
    found = []
    with pytest.raises(LimitReachedError):
        found.extend(model.complete_unordered(requests, Run()))
    assert {number: answer.text for number, answer in found} == {0: "A", 1: "B", 2: "C"}
    assert len(inner.requests) == 3


BEAM = """
[models.m]
model = "gemma"
[decoding.wide]
tokens = 3
beam = 2
[[grid]]
template = "[X] = [Z]"
"""
# Greedily b and then c or d (.6 * .4); e and the end are likelier (.4 * .9).
WORDS = {"^": {"b": 0.6, "e": 0.4}, "b": {"c": 0.4, "d": 0.35, "": 0.25}, "e": {"": 0.9, "b": 0.1},
         "c": {"": 1.0}, "d": {"": 1.0}}  # fmt: skip


def test_a_beam_goes_through_cache_and_limits(path: Path, tmp_path: Path) -> None:
    path.write_text(f'testset = "testset.toml"\n{BEAM}')

    def run(**options: Any) -> Experiment:
        model = TableModel(WORDS)
        model.abilities = Abilities(beam="steps")
        return run_grid(path, open_with=lambda _: model, **options)

    with AnswerCache(tmp_path / "a.sqlite") as cache:
        stopped = run(cache=cache, max_calls=5)
        assert (stopped.calls, stopped.stopped) == (5, "the limit of 5 calls is reached (--max-calls)")
        done = run(cache=cache)
        again = run(cache=cache)
    alone = run()
    assert [list(one.scored.systems[0].outputs) for one in (done, again, alone)] == [["e"] * 4] * 3
    assert (stopped.calls + done.calls, again.calls) == (alone.calls, 0)
    assert done.scored.systems[0].origin is not None
    assert "beam of 2" in done.scored.systems[0].origin
    unlike = SayingModel(say)
    with pytest.raises(OptionError, match=r"^saying does not say how likely next tokens are"):
        run_grid(path, open_with=lambda _: unlike)
    with pytest.raises(OptionError, match=r"^saying does not say how likely next tokens are"):
        next(LimitedModel(unlike, CallLimits(), None).next_tokens(["x"], 2, PLAIN))


def test_a_budget_in_tokens_is_counted_by_the_model(path: Path) -> None:
    class Counting(Telling):
        def count_tokens(self, text: str) -> int:
            return len(text.split())

    text = path.read_text().replace("[models.m]", 'budget = 12\nbudget_unit = "tokens"\n[models.m]')
    path.write_text(text)
    done = run_grid(path, open_with=lambda _: Counting(say))
    lengths = {len(prompt.split()) for rows in done.prompts.values() for prompt, _ in filter(None, rows)}
    assert max(lengths) <= 12 < max(len(prompt) for rows in done.prompts.values() for prompt, _ in filter(None, rows))
    assert sum(one.dropped for result in done.results for one in result.translation.segments) > 0
    with pytest.raises(OptionError, match=r"^saying does not count tokens; let the budget count characters$"):
        ran(path)


def test_a_forecast_opens_nothing(path: Path) -> None:
    [ahead] = foretell(read_grid(path))
    assert (ahead.model, ahead.settings, ahead.calls, ahead.tokens) == ("m", 8, 32, 320)
    done, model = ran(path)
    prompts = [str(request.prompt) for request in model.requests]
    assert ahead.characters == sum(map(len, prompts))
    assert ahead.cost == pytest.approx(math.ceil(ahead.characters / 4) + 2 * 320)
    assert done.calls == ahead.calls


def test_demonstrations_grow_and_never_leak(path: Path) -> None:
    done, _ = ran(path)
    chrf = done.scored.metric("chrf")
    [curve] = few_shot_curves(done, chrf)
    assert curve.name == "A/en/break/random"
    assert [(point.shots, point.seeds, point.system) for point in curve.points] == [
        (0, 1, "A/en/break"), (1, 2, "A/en/break/1-random"), (2, 2, "A/en/break/2-random")]  # fmt: skip
    lengths = [point.prompt for point in curve.points]
    assert lengths == sorted(set(lengths))
    shown = [asked[0].rpartition("\n\n")[0] for rows in done.prompts.values() for asked in rows if asked]
    assert not any(text in "\n".join(shown) for text in (*SOURCES, *REFERENCES))


def test_intervals_of_a_curve_are_of_the_mean_over_seeds(path: Path) -> None:
    """Two runs, of which one is always right: the mean of scores in the same resamples, by hand."""
    from tertium.inference.bootstrap import bootstrap, interval_of
    from tertium.inference.seeds import CONFIDENCE

    grid = read_grid(path)
    model = Telling(lambda prompt: say(prompt) if "Eins" in prompt else " The dog barks.")
    done = run_grid(grid, open_with=lambda _: model)
    chrf = done.scored.metric("chrf")
    [curve] = few_shot_curves(done, chrf)
    point = curve.points[1]
    names = ["A/en/break/1-random@1", "A/en/break/1-random@2"]
    scored = {score.system: score.value for score in done.scored.scores() if score.metric == "chrf"}
    values = [scored[name] for name in names]
    assert (point.mean, point.lowest, point.highest) == (sum(values) / 2, min(values), max(values))
    drawn = [bootstrap(done.scored.stats(name, "chrf"), chrf) for name in names]
    assert point.interval == interval_of((drawn[0] + drawn[1]) / 2, CONFIDENCE)


def test_tables_and_words(path: Path) -> None:
    done, _ = ran(read_grid(path, steps="first_line,one_line"))
    chrf = done.scored.metric("chrf")
    [table] = list(template_tables(done, chrf))
    assert table.heads == ["template", "en space", "en break"]
    assert [row[0] for row in table.values()] == ["A", "D"]
    values = {score.system: score.value for score in done.scored.scores() if score.metric == "chrf"}
    assert table.values()[1][1:] == [values["D/en/space"], values["D/en/break"]]
    assert setting_table(done).values()[0][0] in ("A/en/break/1-random", "A/en/break/2-random")
    rows = [dict(zip(setting_rows(done).heads, row, strict=True)) for row in setting_rows(done).values()]
    assert [row["system"] for row in rows] == SETTINGS
    assert (rows[4]["run"], rows[4]["shots"], rows[4]["selector"], rows[1]["empty"]) == ("1", 1, "random", 4)
    best = best_systems(done, chrf)
    assert (len(best.systems), best.of, len(best.comparisons)) == (5, 6, 10)
    assert {item.test for item in best.comparisons} == {"bootstrap"}
    said = experiment_sentences(done)
    assert said[0].startswith(
        "By chrF, A/en/break/1-random and A/en/break/2-random share the best score of 6 settings (100.0); the worst, "
        "D/en/break, has 0.0."
    )
    assert said[1].startswith("A line break in place of a space moves chrF by up to ")


def test_the_report_shows_prompts_and_raw_answers(path: Path) -> None:
    done, _ = ran(path)
    made = make_report(done.scored, experiment=done, trials=50)
    assert "experiment" in [section.id for section in made.page.sections]
    texts = made.page.data["texts"]["segments"]
    systems = made.page.data["numbers"]["systems"]
    place = systems.index("D/en/break")
    assert texts[0]["p"][place] == (f"{SOURCES[0]}\nTranslate from German to English:", f"\n\n{REFERENCES[0]}")
    assert "Prompts" in made.html()
    for section in made.page.sections:
        if section.id in ("scores", "experiment"):  # however many settings there are, the best ones are seen first
            parts = [part for part in section.data["parts"] if not part.folded]
            assert all(table.shown for part in parts for table in part.tables)
    plain = make_report(done.scored, trials=50)
    assert "p" not in plain.page.data["texts"]["segments"][0]


def test_systems_of_the_test_set_are_scored_along(path: Path) -> None:
    (path.parent / "nmt.en").write_text("".join(f"{text}\n" for text in REFERENCES))
    test = path.parent / "testset.toml"
    test.write_text(f'{test.read_text()}systems = "nmt.en"\n')
    done, _ = ran(path)
    assert [system.name for system in done.scored.systems] == [*SETTINGS, "nmt"]
    assert len(done.results) == 8


KILLED = """
import os, signal, sys
from tests.prompt.test_experiment import Telling, say
from tertium.prompt.experiment import run_grid

class Deadly(Telling):
    def complete(self, requests, run):
        for request, answer in zip(requests, super().complete(requests, run)):
            with open(sys.argv[3], "a") as asked:
                asked.write(repr(request.prompt) + "\\n")
            if len(open(sys.argv[3]).readlines()) == int(sys.argv[4]):
                os.kill(os.getpid(), signal.SIGKILL)
            yield answer

done = run_grid(sys.argv[1], cache=sys.argv[2], open_with=lambda _: Deadly(say))
print(done.calls, len(done.results))
"""


@pytest.mark.skipif(not hasattr(os, "kill") or os.name == "nt", reason="kill -9 is of POSIX")
def test_a_killed_experiment_goes_on_where_it_was(path: Path, tmp_path: Path) -> None:
    """The process kills itself while the answer of a call is under way, so nothing here waits for a clock."""
    asked = tmp_path / "asked"

    def run(deadly: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "a.sqlite"), str(asked), str(deadly)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert run(14).returncode == -signal.SIGKILL
    done = run(0)
    assert (done.returncode, done.stdout) == (0, "19 8\n"), done.stderr
    lines = asked.read_text().splitlines()
    assert len(lines) == 33  # the one that was under way is the only one asked twice
    assert [line for k, line in enumerate(lines) if line in lines[:k]] == [lines[13]]
