"""Templates: slots, kinds, filling, those that come along, those of a file, names of languages."""

import re
from pathlib import Path

import pytest

from tertium.core.errors import InputError, OptionError
from tertium.prompt.template import Demonstration, Template
from tertium.prompt.templates import built_in, find_template, read_templates
from tertium.text.language_names import TEMPLATE_LANGUAGES, language_name, language_names

SHARED = Path(__file__).parents[3] / "shared"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[X]", "template '[X]': exactly one answer slot [Z] is needed, and there is none"),
        ("[X] [Z] [Z]", "template '[X] [Z] [Z]': exactly one answer slot [Z] is needed, and there are 2"),
        ("Say: [Z]", "template 'Say: [Z]': no input slot; write [X] where the input goes, or [X1] and [X2] for two"),
        ("[X] [X1] [Z]", "template '[X] [X1] [Z]': both [X] and [X1]; write [X] for one input, [X1] [X2] for two"),
        ("[X2] [Z]", "template '[X2] [Z]': [X2] without [X1]; write [X] for one input, [X1] [X2] for two"),
        ("[X] in [trg]: [Z]", "template '[X] in [trg]: [Z]': unknown slot [trg]; did you mean [tgt]? "
                              "slots: [X] [X1] [X2] [Z] [src] [tgt]; a bracket alone is [["),
    ],
)  # fmt: skip
def test_a_template_that_is_none_says_which_slot(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        Template(text=text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[X]: [Z]", "prefix"),
        ("[X]: [Z] ◇ ", "prefix"),
        ("[X] is [Z].", "cloze"),
        ("[Z] is [X]", "cloze"),
        ("[X] [Z] [src]", "cloze"),
        ("[[Z] [X] [Z]", "prefix"),
    ],
)
def test_kind_is_derived(text: str, kind: str) -> None:
    assert Template(text=text).kind == kind


def test_filling() -> None:
    template = find_template("A")
    prompt = template.fill("Guten Tag.", source="de", target="en")
    assert (prompt.before, prompt.blank, prompt.after) == ("German: Guten Tag.\nEnglish:", " ", "")
    assert prompt.answered("Hello.") == "German: Guten Tag.\nEnglish: Hello."
    assert template.fill("Ja", source="de", target="en", line_break=False).before == "German: Ja English:"
    german = find_template("D", "de").fill("Hi", source="en", target="de")
    assert german.before == "Hi\nÜbersetze von Englisch nach Deutsch:"
    chinese = find_template("F", "zh").fill("Hi", source="en", target="zh", line_break=False)
    assert chinese.before == "英语：Hi 从英语翻译成汉语："


def test_two_inputs() -> None:
    template = find_template("entity")
    prompt = template.fill("Mike went to Paris.", "Paris")
    assert prompt.answered("a city") == "Mike went to Paris. Paris is the name of a city."
    with pytest.raises(OptionError, match=r"^template entity: 1 input for the slots \[X1\] \[X2\]; "):
        template.fill("Mike went to Paris.")


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    hostile = "[Z] [X] [tgt] ◇ [[ {0} \\1 [src]"
    template = Template(text="[[INST] [X]◇[tgt]: [Z]")
    shown = Demonstration((hostile,), hostile)
    prompt = template.fill(hostile, source="[X]", target="[Z]", demonstrations=[shown])
    one = f"[INST] {hostile}\n[Z]:"
    assert prompt.before == f"{one} {hostile}\n\n{one}"
    assert prompt.answered("[X]") == f"{prompt.before} [X]"


def test_demonstrations_come_first_and_turns_are_kept() -> None:
    template = Template(text="[X]◇[tgt]: [Z]", joiner="\n---\n")
    shown = [Demonstration(("eins",), "one"), Demonstration(("zwei",), "two")]
    prompt = template.fill("drei", target="en", demonstrations=shown)
    assert prompt.before == "eins\nEnglish: one\n---\nzwei\nEnglish: two\n---\ndrei\nEnglish:"
    assert prompt.messages == (
        ("user", "eins\nEnglish:"),
        ("assistant", "one"),
        ("user", "zwei\nEnglish:"),
        ("assistant", "two"),
        ("user", "drei\nEnglish:"),
    )


@pytest.mark.parametrize(("slot", "word"), [("src", "source"), ("tgt", "target")])
def test_a_language_that_is_not_said(slot: str, word: str) -> None:
    message = f"the slot [{slot}] needs the {word} language; pass {word}=..., or --{word}-language"
    with pytest.raises(OptionError, match=re.escape(message)):
        Template(text=f"[X] [{slot}] [Z]").fill("a")


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("[src]: [X]◇[tgt]: [Z]", ("German:",)),
        ("[X]◇[tgt]: [Z]", ()),
        ("Say\n[X]: [Z]", ("Say",)),
        ("[Z] means [X]", ()),
    ],
)
def test_headers(text: str, headers: tuple[str, ...]) -> None:
    assert Template(text=text).headers("de", "en") == headers


# Those that come along


@pytest.mark.parametrize("name", "ABCDEF")
def test_the_six_are_there_in_three_languages(name: str) -> None:
    for language in TEMPLATE_LANGUAGES:
        template = find_template(name, language)
        assert template.kind == "prefix"
        assert ("src" in template.slots, "tgt" in template.slots) == (name in "ADEF", True)
        assert template.text.count("◇") == 1


def test_the_tasks_are_there() -> None:
    kinds = {name: find_template(name).kind for name, _ in built_in()}
    tasks = {"sentiment": "cloze", "topic": "cloze", "intention": "cloze", "entity": "cloze", "summary": "prefix",
             "translation": "prefix"}  # fmt: skip
    assert tasks.items() <= kinds.items()
    for (name, language), template in built_in().items():
        labels = {label for _, label in template.answers}
        assert labels == {label for _, label in find_template(name).answers}, (name, language)
        assert (len(labels) > 1) == (name in ("sentiment", "topic", "intention", "entity"))


def test_a_template_that_is_not_there() -> None:
    with pytest.raises(OptionError, match=r"^unknown template 'sentimant'; did you mean 'sentiment'\? known: A, B, "):
        find_template("sentimant")
    wmt23 = find_template("wmt23").fill("Ja.", target="en")  # as its file has it, with the blank before the answer
    assert wmt23.answered("Yes.") == "Translate this into 1. English:\n\nJa.\n\n1. Yes."
    with pytest.raises(OptionError, match=r"^template wmt23 has no wording in 'de'; there is: en$"):
        find_template("wmt23", "de")
    assert find_template("[X] = [Z]") == Template(text="[X] = [Z]")


def test_templates_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[A]\ntext = "[X] -> [Z]"\njoiner = "\\n"\n[mood]\ntext = "[X] [Z]!"\nanswers = {Hurra = "+"}\n'
                    'language = "de"\n')  # fmt: skip
    own = read_templates(file)
    assert find_template("A", own=own) == Template(text="[X] -> [Z]", name="A", joiner="\n")
    assert find_template("mood", own=own).answers == (("Hurra", "+"),)
    assert find_template("B", own=own) == find_template("B")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[A\n", "not a valid TOML file"),
        ('[a]\njoiner = ""\n', r"\[a\]: no text; write text = "),
        ('a = "[X] [Z]"\n', r"\[a\]: no text; write text = "),
        ('[a]\ntext = "[X] [Z]"\njoin = ""\n', r"unknown key 'join'; did you mean 'joiner'\? keys: text, "),
        ("[a]\ntext = 3\n", r"text must be a text, got 3"),
        ('[a]\ntext = "[X] [Z]"\nanswers = {a = 1}\n', r"answers: the label of 'a' must be a text, got 1"),
        ('[a]\ntext = "[X]"\n', r"\[a\]: template a: exactly one answer slot \[Z\] is needed, and there is none"),
    ],
)
def test_wrong_files_are_explained(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_templates(file)


# Languages


def test_names_of_languages() -> None:
    assert [language_name("de", within) for within in TEMPLATE_LANGUAGES] == ["German", "Deutsch", "德语"]
    assert language_name("pt-BR") == language_name("pt_br") == "Portuguese"
    assert language_name("Old Norse", "de") == "Old Norse"
    assert language_name("de", "fr") == "German"
    with pytest.raises(OptionError, match=r"^unknown language code 'qq'; write the name of the language instead"):
        language_name("qq")
    with pytest.raises(OptionError, match=r"^a language has no name"):
        language_name(" ")
    for names in language_names().values():
        assert len(names) == 3
        assert all(names.values())
    assert len(language_names()) > 60
    for within in TEMPLATE_LANGUAGES:
        assert len({names[within] for names in language_names().values()}) == len(language_names())


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not there")
def test_languages_of_the_shared_data_have_names() -> None:
    pairs = {path.name for path in (SHARED / "data" / "wmt22").iterdir() if path.is_dir()}
    pairs |= {path.name[:5] for path in (SHARED / "data" / "mlqe-pe").rglob("*.tar.gz")}
    for path in (SHARED / "data" / "macrof-paper").glob("wmt-scores-*.tsv"):
        text = path.read_text()
        pairs |= set(re.findall(r"\t([a-z]{2}-[a-z]{2})\t", text))
    assert len(pairs) > 20
    codes = {code for pair in pairs for code in pair.split("-")}
    assert codes - set(language_names()) == set()
