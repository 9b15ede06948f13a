"""Setting: one setting of an experiment, by a name that stays the same when the experiment grows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tertium.core.wording import visible
from tertium.models.language_model import Decoding
from tertium.prompt.choice import Rule
from tertium.prompt.demonstrations import Selector
from tertium.prompt.template import CHOICE, Template

MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a million tokens cost, in whatever money the user counts."""

    input: float
    output: float

    def of(self, prompt_tokens: int, answer_tokens: int) -> float:
        """The cost of so many tokens."""
        return (self.input * prompt_tokens + self.output * answer_tokens) / MILLION


@dataclass(frozen=True, kw_only=True)
class NamedModel:
    """A model as a grid names it: its text, the variable with its key, its price."""

    text: str
    key: str | None = None
    price: Price | None = None


@dataclass(frozen=True, kw_only=True)
class Search:
    """How answers are found, as a grid names it: decoding, and the choice among samples."""

    decoding: Decoding = field(default_factory=Decoding)
    samples: int = 1
    rule: Rule = field(default_factory=Rule)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting: everything that a grid can vary. `seed` is None where nothing is drawn."""

    template: Template
    line_break: bool = True
    shots: int = 0
    selector: Selector = field(default_factory=Selector)  # its seed is `seed`
    seed: int | None = None
    model: str = ""
    search: str = ""
    unsaid: tuple[str, ...] = ()  # model and search that names leave out: the first ones of the file

    @property
    def blank(self) -> str:
        """What ◇ stands for: `break`, `space`, or nothing where the template has none."""
        if all(slot != CHOICE for _, slot in self.template.pieces):
            return ""
        return "break" if self.line_break else "space"

    @property
    def system(self) -> str:
        """The name without the seed: `A/en/break`, `A/en/break/3-random`."""
        shown = f"{self.shots}-{self.selector_text}" if self.shots else ""
        rest = (name for name in (self.model, self.search) if name not in self.unsaid)
        parts = (visible(str(self.template)), self.template.language, self.blank, shown, *rest)
        return "/".join(part for part in parts if part)

    @property
    def selector_text(self) -> str:
        """The selector without its seed."""
        return str(Selector(name=self.selector.name, each=self.selector.each))

    @property
    def run(self) -> str | None:
        """Seeds are the runs of one system."""
        return None if self.seed is None else str(self.seed)

    @property
    def name(self) -> str:
        """The name of the System that comes out: `A/en/break/3-random@1`."""
        return self.system if self.run is None else f"{self.system}@{self.run}"


def make_setting(
    *,
    template: Template,
    line_break: bool,
    shots: int,
    selector: Selector,
    seed: int,
    model: str,
    search: str,
    searches: Mapping[str, Search],
    unsaid: tuple[str, ...],
) -> Setting:
    """The setting of these values; what cannot change its prompts or answers is left out, so that equals are equal."""
    has_choice = any(slot == CHOICE for _, slot in template.pieces)
    draws_shots = bool(shots) and selector.name == "random"
    draws_tokens = bool(searches[search].decoding.temperature)
    drawn = draws_shots or draws_tokens
    kept = Selector(name=selector.name, each=selector.each, seed=seed if draws_shots else 0) if shots else Selector()
    return Setting(
        template=template,
        line_break=line_break or not has_choice,
        shots=shots,
        selector=kept,
        seed=seed if drawn else None,
        model=model,
        search=search,
        unsaid=unsaid,
    )
