"""Grids: what a TOML file means, names that stay, and errors that name the key."""

from pathlib import Path

import pytest

from tertium.core.errors import InputError, OptionError
from tertium.models.language_model import Decoding
from tertium.prompt.grid import label_of, read_grid
from tertium.prompt.setting import Price

TEST = """
source_language = "de"
target_language = "en"
source = "f.de"
references = ["f.en"]
"""
HEAD = 'testset = "testset.toml"\nexamples = "pool.tsv"\n'
MODEL = '[models.m]\nmodel = "command:cat"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "testset.toml").write_text(TEST)
    (tmp_path / "f.de").write_text("Guten Morgen.\nDer Hund bellt laut im Garten.\n")
    (tmp_path / "f.en").write_text("Good morning.\nThe dog barks loudly in the garden.\n")
    (tmp_path / "pool.tsv").write_text("source\treference\nEins\tOne\nZwei\tTwo\nGuten Morgen!\tGood morning\n")
    return tmp_path


def grid_of(folder: Path, text: str, head: str = HEAD, model: str = MODEL) -> Path:
    (folder / "grid.toml").write_text(f"{head}{model}{text}")
    return folder / "grid.toml"


def names(folder: Path, text: str, **changes: str) -> list[str]:
    return [setting.name for setting in read_grid(grid_of(folder, text, **changes)).settings]


def test_every_combination_is_a_setting_with_a_name(folder: Path) -> None:
    text = '[[grid]]\ntemplate = ["A", "D"]\nline_break = [true, false]\ntemplate_language = ["en", "zh"]\n'
    assert names(folder, text) == [
        "A/en/break", "D/en/break", "A/en/space", "D/en/space", "A/zh/break", "D/zh/break", "A/zh/space", "D/zh/space",
    ]  # fmt: skip


def test_seeds_are_runs_of_what_is_drawn_and_of_nothing_else(folder: Path) -> None:
    text = '[[grid]]\ntemplate = "A"\nshots = [0, 1, 2]\nselector = ["first", "random"]\nseed = [1, 2]\n'
    assert names(folder, text) == [
        "A/en/break", "A/en/break/1-first", "A/en/break/1-random@1", "A/en/break/1-random@2", "A/en/break/2-first",
        "A/en/break/2-random@1", "A/en/break/2-random@2",
    ]  # fmt: skip
    grid = read_grid(folder / "grid.toml")
    assert {setting.name: (setting.system, setting.run) for setting in grid.settings}["A/en/break/2-random@2"] == (
        "A/en/break/2-random", "2")  # fmt: skip
    assert [str(grid.plan(setting).selector) for setting in grid.settings[-2:]] == ["random(seed=1)", "random(seed=2)"]
    sampled = '[decoding.drawn]\ntemperature = 0.7\n[[grid]]\ntemplate = "A"\nseed = [5, 6]\n'
    assert names(folder, sampled) == ["A/en/break@5", "A/en/break@6"]
    grid = read_grid(folder / "grid.toml")
    assert [grid.plan(setting).decoding.seed for setting in grid.settings] == [5, 6]


def test_names_stay_when_the_experiment_grows(folder: Path) -> None:
    more = '[models.other]\nmodel = "command:cat -u"\n[decoding.greedy]\ntokens = 9\n[decoding.long]\ntokens = 99\n'
    text = f'{more}[[grid]]\ntemplate = "A"\ndecoding = ["greedy", "long"]\n'
    assert names(folder, text) == ["A/en/break", "A/en/break/long", "A/en/break/other", "A/en/break/other/long"]
    only = f'{more}[[grid]]\ntemplate = "A"\nmodel = "other"\n'
    assert names(folder, only) == ["A/en/break/other"]


def test_what_changes_nothing_is_no_setting_of_its_own(folder: Path) -> None:
    (folder / "mine.toml").write_text('[polite]\ntext = "[X] Please: [Z]"\n')
    text = '[[grid]]\ntemplate = "polite"\nline_break = [true, false]\ntemplate_language = ["en", "de"]\n'
    assert names(folder, text, head=f'{HEAD}templates = "mine.toml"\n') == ["polite/en"]
    twice = '[[grid]]\ntemplate = "A"\n[[grid]]\ntemplate = ["A", "B"]\nseed = [1, 2]\n'
    assert names(folder, twice) == ["A/en/break", "B/en/break"]


def test_all_values_arrive(folder: Path) -> None:
    head = (
        f'{HEAD}title = "T"\nmetrics = ["chrf", "bleu"]\nsteps = "first_line"\nbudget = 500\nbudget_unit = "tokens"\n'
    )
    model = '[models.m]\nmodel = "http://127.0.0.1:9/v1#x"\nkey = "K"\nprice = { input = 1, output = 2.5 }\n'
    text = ('[decoding.d]\ntokens = 7\nstop = ["x"]\ntemperature = 1\ntop_p = 0.5\nsamples = 3\nchoose = "mbr:chrf"\n'
            '[[grid]]\ntemplate = "B"\n')  # fmt: skip
    grid = read_grid(grid_of(folder, text, head, model))
    assert (grid.title, [str(m) for m in grid.metrics], str(grid.steps), grid.budget) == (
        "T", ["chrf", "bleu"], "first_line", 500)  # fmt: skip
    assert grid.budget_unit == "tokens"
    assert (grid.models["m"].key, grid.models["m"].price) == ("K", Price(input=1, output=2.5))
    plan = grid.plan(grid.settings[0])
    assert plan.decoding == Decoding(tokens=7, stop=("x",), temperature=1, top_p=0.5)
    assert (plan.samples, str(plan.rule), plan.source_language, plan.budget) == (3, "mbr:chrf", "de", 500)
    assert [shown.answer for shown in grid.pool.demonstrations] == ["One", "Two"]
    assert grid.pool.leaked == 1
    again = read_grid(folder / "grid.toml", metrics=["ter"], steps="none", model="m=replay:a.jsonl")
    assert ([str(m) for m in again.metrics], str(again.steps)) == (["ter"], "none")
    assert (again.models["m"].text, again.models["m"].price) == ("replay:a.jsonl", Price(input=1, output=2.5))
    other = read_grid(folder / "grid.toml", model="https://h/v1?#y", key="V")
    assert {name: (one.text, one.key, one.price) for name, one in other.models.items()} == {
        "y": ("https://h/v1?#y", "V", None)}  # fmt: skip


def test_a_beam_is_a_way_of_decoding(folder: Path) -> None:
    text = '[decoding.greedy]\ntokens = 7\n[decoding.wide]\nbeam = 4\n[[grid]]\ntemplate = "B"\ndecoding = "wide"\n'
    grid = read_grid(grid_of(folder, text))
    assert [setting.name for setting in grid.settings] == ["B/en/break/wide"]
    assert grid.plan(grid.settings[0]).decoding == Decoding(beam=4)


def test_short_names_of_models() -> None:
    texts = ("gemma", "gguf:/a/b.q4.gguf", "http://h/v1#qwen", "command:/usr/bin/apertium -u x", "replay:a/b.jsonl.gz")
    assert [label_of(text) for text in texts] == ["gemma", "b", "qwen", "apertium", "b"]


WRONG = {
    'metrics = "chrf"\n[[grid]]\ntemplat = "A"':
        "[[grid]] 1: unknown key 'templat'; did you mean 'template'? keys: template",
    '[[grid]]\nshots = 1': '[[grid]] 1: no template; write template = "A"',
    '[[grid]]\ntemplate = "Q"': "[[grid]] 1: template: unknown template 'Q'",
    '[[grid]]\ntemplate = "wmt23"\ntemplate_language = "de"':
        "[[grid]] 1: template: template wmt23 has no wording in 'de'",
    '[[grid]]\ntemplate = 3': "[[grid]] 1: template must be a text, or a list of them, got 3",
    '[[grid]]\ntemplate = []': "[[grid]] 1: template: an empty list; leave the key out, or name a text",
    '[[grid]]\ntemplate = "A"\nshots = true': "[[grid]] 1: shots must be a whole number, or a list of them, got True",
    '[[grid]]\ntemplate = "A"\nshots = -1': "[[grid]] 1: shots -1; must be 0 or more",
    '[[grid]]\ntemplate = "A"\nline_break = "yes"':
        "[[grid]] 1: line_break must be true or false, or a list of them, got 'yes'",
    '[[grid]]\ntemplate = "A"\nselector = "nearest"': "[[grid]] 1: selector: unknown selector 'nearest'",
    '[[grid]]\ntemplate = "A"\nselector = "random(seed=3)"':
        "[[grid]] 1: selector: random(seed=3): seeds are an axis of their own; write seed = [3]",
    '[[grid]]\ntemplate = "A"\nmodel = "mm"':
        "[[grid]] 1: model 'mm' is not in the file; did you mean 'm'? there is: m; write a table [models.mm]",
    '[[grid]]\ntemplate = "A"\nshots = 9':
        "the setting A/en/break/9-first: 9 demonstrations wanted, but there are only 2",
    '[models.x]\nkey = "K"\n[[grid]]\ntemplate = "A"': "[models.x]: no model; write model =",
    '[models.x]\nmodel = "gemma"\nprice = 3\n[[grid]]\ntemplate = "A"': "[models.x]: price must be a table, got 3",
    '[models.x]\nmodel = "gemma"\nprice = {input = 3}\n[[grid]]\ntemplate = "A"':
        "[models.x] price: write { input = 0.15, output = 0.60 }: both",
    '[models.x]\nmodel = "gemma"\nprice = {input = 3, output = -1}\n[[grid]]\ntemplate = "A"':
        "[models.x] price: -1; must be 0 or more",
    '[decoding.d]\ntokens = 0\n[[grid]]\ntemplate = "A"': "[decoding.d]: tokens: 0; an answer has at least 1",
    '[decoding.d]\nsamples = 2\n[[grid]]\ntemplate = "A"':
        "[decoding.d]: 2 samples at temperature 0 are all the same",
    '[decoding.d]\nbeam = 0\n[[grid]]\ntemplate = "A"': "[decoding.d]: beam: 0; a beam is at least 1 wide",
    '[decoding.d]\nbeam = 2\ntemperature = 1\n[[grid]]\ntemplate = "A"':
        "[decoding.d]: beam: 2 with temperature 1; a beam draws nothing",
    '[decoding]\nd = 1\n[[grid]]\ntemplate = "A"': "[decoding.d]: must be a table, got 1",
    '[[grid]]\ntemplate = "[X1] [X2] [Z]"': "the setting [X1] [X2] [Z]/en: template [X1] [X2] [Z] takes 2 inputs",
    '': "no grid; write: [[grid]]",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_errors_name_the_key(folder: Path, text: str) -> None:
    path = grid_of(folder, text, model="" if text.startswith("metrics") else MODEL)
    with pytest.raises(InputError) as caught:
        read_grid(path) if "templat =" not in text else read_grid(path, model="gemma")
    assert str(caught.value).startswith(f"{path}: {WRONG[text]}")


def test_errors_of_the_file_and_of_options(folder: Path) -> None:
    for text, said in (
        ("a = [", "not a valid TOML file"),
        ('[[grid]]\ntemplate = "A"', "no testset; write: testset ="),
        (f'{HEAD}steps = "wash"\n{MODEL}[[grid]]\ntemplate = "A"', "steps: unknown step 'wash'"),
        (f'{HEAD}metrics = "blue"\n{MODEL}[[grid]]\ntemplate = "A"', "metrics: unknown metric 'blue'"),
        (f'{HEAD}[[grid]]\ntemplate = "A"', "no model; write: [models.gemma]"),
        (f'{HEAD}test = 1', "unknown key 'test'; did you mean 'testset'?"),
    ):  # fmt: skip
        path = grid_of(folder, text, head="", model="")
        with pytest.raises(InputError) as caught:
            read_grid(path)
        assert str(caught.value).startswith(f"{path}: {said}")
    path = grid_of(folder, '[[grid]]\ntemplate = "A"')
    with pytest.raises(OptionError, match=r"^--model m=: no model behind =; write NAME=MODEL$"):
        read_grid(path, model="m=")
    with pytest.raises(OptionError, match=r"^key: goes with a model"):
        read_grid(path, key="K")
    (folder / "testset.toml").write_text('references = ["f.en"]\n')
    with pytest.raises(InputError, match=r"testset testset\.toml has no source; there is nothing to translate$"):
        read_grid(path)
    with pytest.raises(InputError, match="no such file"):
        read_grid(folder / "nowhere.toml")
