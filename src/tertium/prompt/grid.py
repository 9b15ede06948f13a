"""Grid: an experiment as a TOML file, read and checked before any model is opened.

    title = "Six templates"
    testset = "testset.toml"              # source, references, languages; its systems are scored along
    examples = "pool.tsv"                 # demonstrations to choose from
    metrics = ["chrf", "bleu"]
    steps = "usual"                       # what is done to answers
    templates = "mine.toml"               # templates of your own
    budget = 2000                         # a prompt is at most so long
    budget_unit = "characters"            # or tokens, of models that count them

    [models.gemma]
    model = "gemma"                       # or gguf:FILE, hf:FOLDER, https://HOST/v1#NAME, ...: as for --model
    key = "OPENAI_API_KEY"                # the variable with a server's key
    price = { input = 0.15, output = 0.60 }   # of a million tokens

    [decoding.greedy]
    tokens = 64                           # also stop, temperature, top_p, beam, samples, choose

    [[grid]]                              # every combination; several tables are several grids
    template = ["A", "B"]
    line_break = [true, false]
    template_language = ["en", "de"]
    shots = [0, 3]
    selector = "random"
    seed = [1, 2, 3]

Paths count from the folder of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tertium.core.errors import InputError, OptionError, TertiumError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.io.testset import read_testset
from tertium.io.texts import suggest
from tertium.io.toml import read_toml
from tertium.metrics import parse_list
from tertium.models.language_model import Decoding
from tertium.prompt.choice import parse_rule
from tertium.prompt.demonstrations import Pool, Selector, make_pool, parse_selector, read_demonstrations
from tertium.prompt.plan import PromptPlan, Unit, check_unit
from tertium.prompt.postprocess import USUAL, Steps, parse_steps
from tertium.prompt.setting import NamedModel, Price, Search, Setting, make_setting
from tertium.prompt.templates import find_template, read_templates

T = TypeVar("T")


class Kind(NamedTuple):
    """What a key takes."""

    type: type | tuple[type, ...]
    word: str
    several: bool = False  # one, or a list of them


TEXT, TEXTS = Kind(str, "a text"), Kind(str, "a text", several=True)
WHOLE, WHOLES = Kind(int, "a whole number"), Kind(int, "a whole number", several=True)
NUMBER, TABLE = Kind((int, float), "a number"), Kind(dict, "a table")
TOP = {"title": TEXT, "testset": TEXT, "examples": TEXT, "metrics": TEXTS, "steps": TEXT, "templates": TEXT,
       "budget": WHOLE, "budget_unit": TEXT, "models": TABLE, "decoding": TABLE,
       "grid": Kind(dict, "a table", several=True)}  # fmt: skip
MODEL = {"model": TEXT, "key": TEXT, "price": TABLE}
PRICE = {"input": NUMBER, "output": NUMBER}
DECODING = {"tokens": WHOLE, "stop": TEXTS, "temperature": NUMBER, "top_p": NUMBER, "beam": WHOLE, "samples": WHOLE,
            "choose": TEXT}  # fmt: skip
AXES = {"template": TEXTS, "line_break": Kind(bool, "true or false", several=True), "template_language": TEXTS,
        "shots": WHOLES, "selector": TEXTS, "seed": WHOLES, "model": TEXTS, "decoding": TEXTS}  # fmt: skip
METRICS = ("chrf", "bleu")
GREEDY = "greedy"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """An experiment that is ready to run: settings, and all that they have in common."""

    title: str
    given: Evaluation  # the test set, and systems that came with it
    settings: tuple[Setting, ...]
    models: Mapping[str, NamedModel]
    searches: Mapping[str, Search]
    pool: Pool
    metrics: tuple[Metric, ...]
    steps: Steps = USUAL
    budget: int | None = None
    budget_unit: Unit = "characters"

    @property
    def sources(self) -> Sequence[str | None]:
        """What is translated."""
        return self.given.testset.sources or ()

    def plan(self, setting: Setting) -> PromptPlan:
        """How the prompts of a setting are made, and outputs of its answers."""
        search = self.searches[setting.search]
        decoding = search.decoding
        if setting.seed is not None and decoding.temperature:
            decoding = replace(decoding, seed=setting.seed)
        return PromptPlan(
            template=setting.template,
            source_language=self.given.testset.source_language,
            target_language=self.given.testset.target_language,
            line_break=setting.line_break,
            pool=self.pool,
            shots=setting.shots,
            selector=setting.selector,
            budget=self.budget,
            decoding=decoding,
            steps=self.steps,
            samples=search.samples,
            rule=search.rule,
        )


def read_grid(
    path: str | Path,
    *,
    model: str | None = None,
    key: str | None = None,
    metrics: Sequence[str] = (),
    steps: str | None = None,
) -> Grid:
    """The experiment in a TOML file. `model` (MODEL or NAME=MODEL) is asked instead of the file's models, `metrics` and
    `steps` take the place of its own."""
    return _Reader(str(path), read_toml(path)).grid(model, key, metrics, steps)


class _Reader:
    """A file's values, each checked where it is read, with errors that name it."""

    def __init__(self, path: str, given: Mapping[str, Any]) -> None:
        self.path, self.folder, self.given = path, Path(path).parent, given

    def grid(self, model: str | None, key: str | None, metrics: Sequence[str], steps: str | None) -> Grid:
        self.check("", self.given, TOP)
        for needed, example in (("testset", 'testset = "testset.toml"'), ("grid", '[[grid]]\ntemplate = ["A", "B"]')):
            if needed not in self.given:
                raise InputError(f"{self.path}: no {needed}; write: {example}")
        models = self.models()
        if model is not None:
            models = replaced(models, model, key)
        elif key is not None:
            raise OptionError("key: goes with a model; write it under [models.NAME] of the grid, or name a model, too")
        if not models:
            raise InputError(f'{self.path}: no model; write: [models.gemma] and below it model = "gemma"')
        searches = self.searches()
        evaluation = self.testset()
        testset = evaluation.testset
        references = [text for stream in testset.references.streams for text in stream]
        shown = () if "examples" not in self.given else read_demonstrations(self.folder / self.given["examples"])
        made = Grid(
            title=self.given.get("title", Path(self.path).stem),
            given=evaluation,
            settings=self.settings(models, searches, only=next(iter(models)) if model is not None else None),
            models=models,
            searches=searches,
            pool=make_pool(shown, testset.sources or (), references),
            metrics=tuple(self.at("metrics", lambda: parse_list(metrics or self.given.get("metrics", METRICS)))),
            steps=self.at("steps", lambda: parse_steps(steps or self.given.get("steps", USUAL))),
            budget=self.given.get("budget"),
            budget_unit=self.at("budget_unit", lambda: check_unit(self.given.get("budget_unit", "characters"))),
        )  # fmt: skip
        for setting in made.settings:
            self.at(f"the setting {setting.name}", partial(made.plan, setting))
        return made

    def testset(self) -> Evaluation:
        found = read_testset(self.folder / self.given["testset"])
        testset = found.testset
        if testset.sources is None or not any(text and text.strip() for text in testset.sources):
            raise InputError(
                f"{self.path}: testset {self.given['testset']} has no source; there is nothing to translate"
            )
        return found

    def models(self) -> dict[str, NamedModel]:
        found = {}
        for name, about in self.given.get("models", {}).items():
            where = f"[models.{name}]"
            self.check(where, about, MODEL)
            if "model" not in about:
                raise InputError(
                    f'{self.path}: {where}: no model; write model = "gemma", or gguf:FILE, hf:FOLDER, an address'
                )
            price = None
            if "price" in about:
                self.check(f"{where} price", about["price"], PRICE)
                if set(about["price"]) != set(PRICE):
                    raise InputError(f"{self.path}: {where} price: write {{ input = 0.15, output = 0.60 }}: both, of a "
                                     f"million tokens")  # fmt: skip
                if min(about["price"].values()) < 0:
                    raise InputError(f"{self.path}: {where} price: {min(about['price'].values())}; must be 0 or more")
                price = Price(**about["price"])
            found[name] = NamedModel(text=about["model"], key=about.get("key"), price=price)
        return found

    def searches(self) -> dict[str, Search]:
        found = {}
        for name, about in self.given.get("decoding", {GREEDY: {}}).items():
            where = f"[decoding.{name}]"
            self.check(where, about, DECODING)
            told = {key: value for key, value in about.items() if key not in ("samples", "choose")}
            if "stop" in told:
                told["stop"] = tuple(several(told["stop"]))

            def make(about: Mapping[str, Any] = about, told: Mapping[str, Any] = told) -> Search:
                rule = parse_rule(about.get("choose", "probability"))
                return Search(decoding=Decoding(**told), samples=about.get("samples", 1), rule=rule)

            found[name] = self.at(where, make)
            if found[name].samples > 1 and not found[name].decoding.temperature:
                raise InputError(f"{self.path}: {where}: {found[name].samples} samples at temperature 0 are all the "
                                 f"same; set a temperature, such as 0.7")  # fmt: skip
        return found

    def settings(
        self, models: Mapping[str, NamedModel], searches: Mapping[str, Search], only: str | None
    ) -> tuple[Setting, ...]:
        own = None
        if "templates" in self.given:
            own = read_templates(self.folder / self.given["templates"])
        unsaid = (next(iter(models)), next(iter(searches)))
        found: dict[Setting, None] = {}
        for number, axes in enumerate(several(self.given["grid"]), 1):
            where = f"[[grid]] {number}"
            self.check(where, axes, AXES)
            if "template" not in axes:
                raise InputError(f'{self.path}: {where}: no template; write template = "A"')
            chosen = [only] if only else self.named(where, "model", axes, models)
            found |= dict.fromkeys(
                make_setting(
                    template=self.at(f"{where}: template", partial(find_template, t, language, own)),
                    line_break=line_break,
                    shots=shots,
                    selector=self.at(f"{where}: selector", partial(seedless_selector, s)),
                    seed=seed,
                    model=model,
                    search=search,
                    searches=searches,
                    unsaid=unsaid,
                )
                for model, search, shots, s, seed, language, line_break, t in product(
                    chosen,
                    self.named(where, "decoding", axes, searches),
                    self.counts(where, "shots", axes),
                    several(axes.get("selector", "first")),
                    self.counts(where, "seed", axes),
                    several(axes.get("template_language", "en")),
                    several(axes.get("line_break", True)),
                    several(axes["template"]),
                )
            )
        names: dict[str, Setting] = {}
        for setting in found:
            if names.setdefault(setting.name, setting) != setting:
                raise InputError(f"{self.path}: two settings are called {setting.name}; give templates, models and "
                                 f"decodings other names")  # fmt: skip
        return tuple(found)

    def counts(self, where: str, key: str, axes: Mapping[str, Any]) -> list[int]:
        values = several(axes.get(key, 0))
        if min(values) < 0:
            raise InputError(f"{self.path}: {where}: {key} {min(values)}; must be 0 or more")
        return values

    def named(self, where: str, key: str, axes: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
        names = several(axes.get(key, list(known) if key == "model" else next(iter(known))))
        table = "models" if key == "model" else key
        for name in names:
            if name not in known:
                raise InputError(f"{self.path}: {where}: {key} {name!r} is not in the file{suggest(name, known)} there "
                                 f"is: {', '.join(known)}; write a table [{table}.{name}]")  # fmt: skip
        return names

    def check(self, where: str, given: Any, kinds: Mapping[str, Kind]) -> None:
        """Refuse keys that nobody knows, and values of another kind."""
        at = f"{self.path}: {where}: " if where else f"{self.path}: "
        if not isinstance(given, dict):
            raise InputError(f"{at}must be a table, got {given!r}")
        for key, value in given.items():
            if key not in kinds:
                raise InputError(f"{at}unknown key {key!r}{suggest(key, kinds)} keys: {', '.join(kinds)}")
            kind = kinds[key]
            values = value if kind.several and isinstance(value, list) else [value]
            if not values:
                raise InputError(f"{at}{key}: an empty list; leave the key out, or name {kind.word}")
            for one in values:
                # true is a whole number to Python, and to nobody else
                if not isinstance(one, kind.type) or (isinstance(one, bool) and kind.type is not bool):
                    more = ", or a list of them" if kind.several else ""
                    raise InputError(f"{at}{key} must be {kind.word}{more}, got {one!r}")

    def at(self, where: str, make: Callable[[], T]) -> T:
        """What a function makes of a value, with the place of the value in what it refuses."""
        try:
            return make()
        except TertiumError as error:
            if str(error).startswith(self.path):
                raise
            raise InputError(f"{self.path}: {where}: {error}") from None


def seedless_selector(text: str) -> Selector:
    """A selector whose seed comes from the grid."""
    found = parse_selector(text)
    if found.seed:
        raise OptionError(f"{text}: seeds are an axis of their own; write seed = [{found.seed}]")
    return found


def several(value: Any) -> list[Any]:
    """One value as a list of it."""
    return list(value) if isinstance(value, list | tuple) else [value]


def replaced(models: Mapping[str, NamedModel], wanted: str, key: str | None) -> dict[str, NamedModel]:
    """The one model that is asked instead; under a name of the file it keeps the price."""
    name, equals, text = wanted.partition("=")
    if not equals or not name.isidentifier():  # an address may have = in it, and a path, too
        name, text = label_of(wanted), wanted
    if not text.strip():
        raise OptionError(f"--model {wanted}: no model behind =; write NAME=MODEL")
    price = models[name].price if name in models else None
    return {name: NamedModel(text=text, key=key, price=price)}


def label_of(text: str) -> str:
    """A short name for a model: that of the server's model, of the file, of the program."""
    kind, _, rest = text.partition(":")
    if kind in ("http", "https"):
        return rest.rpartition("#")[2] or text
    if kind == "command":
        return Path(rest.split()[0]).name if rest.split() else text
    return Path(rest.partition("#")[0]).name.partition(".")[0] if rest else text
