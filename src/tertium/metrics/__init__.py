"""One metric is one file here, found by being there. Other packages use the entry-point group tertium.metrics, and so
do our own rooms above this one."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import ALIASES, REGISTRY, Metric, make_metric, option_text, read_text
from tertium.text.tokenizers import is_local

GROUP = "tertium.metrics"  # entry points of other packages, and of our own rooms above this one
T = TypeVar("T")
PLUS = re.compile(r"\s*chrf\+\+(?=\s*(?:\(|$))", re.IGNORECASE)


def parse(text: str | Metric) -> Metric:
    """The metric a text means: `bleu`, `chrf(words=2)`. parse(str(m)) == m. Names are read in any case, as titles are
    written: `BLEU`, `chrF`; `chrF++` is chrF with words."""
    if not isinstance(text, str):
        if isinstance(text, type) or not (hasattr(text, "stats") or hasattr(text, "given")):
            raise OptionError(
                f"{text!r} is not a metric; pass a text such as 'bleu', or a metric such as parse('bleu')"
            )
        return text
    plus = PLUS.match(text)
    name, options = read_text(text if plus is None else f"chrf{text[plus.end() :]}")
    if plus is not None and "words" in options:
        raise OptionError(f"{text}: chrF++ is chrf(words=2); for another number of words write chrf(words=...)")
    metric: Metric = make_metric(_find(name), options | ({} if plus is None else {"words": 2}))
    return metric


def load(path: str | Path) -> Evaluation:
    """A saved Evaluation, with the metrics its texts mean."""
    from tertium.io.evaluation import load_evaluation

    return load_evaluation(path, parse)


def refuse_local(metric: Metric, allowed: Collection[str] = (), models: Collection[str] | None = None) -> None:
    """Refuse options that name files or code of this computer: for metrics whose text comes from strangers.

    These are the tokenizers `py:` and `spm:` in any option, and the options that a metric lists in `local` or `models`.
    Metrics whose text is among the allowed ones were named by whoever this computer is theirs; so were these models, by
    which a metric that needs one may be asked for.
    """
    if str(metric) in allowed:
        return
    served = getattr(metric, "models", ()) if models is not None and "model" in metric.needs else ()
    for option in served:
        if (value := getattr(metric, option)) and value not in (models or ()):
            known = ", ".join(name for name in models or () if "@" not in name)
            raise OptionError(
                f"{metric.name}: {option}={option_text(value)} is no model that the workbench was started with "
                f"({f'it has {known}' if known else 'it has none'}); whoever starts it names them: "
                f"tertium serve --model NAME=MODEL"
            )
    declared = [name for name in (*getattr(metric, "local", ()), *getattr(metric, "models", ())) if name not in served]
    for field in dataclasses.fields(metric):  # type: ignore[arg-type]
        value = getattr(metric, field.name)
        if (isinstance(value, str) and is_local(value)) or (field.name in declared and value != field.default):
            raise OptionError(
                f"{metric.name}: {field.name}={option_text(value)} names a file or a function of this computer, "
                f"which is not allowed here; score where they are, and show the result"
            )


def parse_list(texts: str | Metric | Iterable[str | Metric]) -> tuple[Metric, ...]:
    """Metrics from one or several texts, each possibly a list with commas outside brackets; doubles are dropped."""
    return parse_each(texts, parse)


def parse_each(texts: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    """The same for anything that is known by its text."""
    given = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else texts
    items = [item for text in given for item in (split_list(text) if isinstance(text, str) else [text])]
    found = [read(item) for item in items]
    return tuple({str(item): item for item in found}.values())


def split_list(text: str) -> list[str]:
    """`bleu,chrf(words=2, beta=1)` -> ["bleu", "chrf(words=2, beta=1)"]: commas outside brackets and quotes."""
    items, depth, quote, current = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        if char == "," and depth == 0 and not quote:
            items.append(current)
            current = ""
        else:
            current += char
    return [item.strip() for item in (*items, current) if item.strip()]


def known() -> dict[str, type[Any]]:
    """Every metric there is, by name."""
    from pkgutil import iter_modules

    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    _load_points()
    return dict(sorted(REGISTRY.items()))


def _load_points(name: str | None = None) -> None:
    """Import the metrics that packages declare, ours among them."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP) if name is None else entry_points(group=GROUP, name=name):
        point.load()


def _find(name: str) -> type[Any]:
    """The class of a metric; only its own file is imported if it is one of ours."""
    for spelled in (name, name.lower()):  # outside packages may have capitals in theirs
        if spelled not in REGISTRY and not spelled.startswith("_") and find_spec(f"{__name__}.{spelled}"):
            import_module(f"{__name__}.{spelled}")
        if spelled in REGISTRY:
            return REGISTRY[spelled]
    _load_points(name.lower())
    if name.lower() in REGISTRY:
        return REGISTRY[name.lower()]
    classes = known()
    spellings = {spelled.lower(): spelled for spelled in (*classes, *ALIASES)} | {n: n for n in (*classes, *ALIASES)}
    spelled = spellings.get(name, spellings.get(name.lower(), ""))
    if spelled:
        return classes[ALIASES.get(spelled, spelled)]
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), [*classes, *ALIASES], n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ";"
    raise OptionError(f"unknown metric {name!r}{hint} known: {', '.join(classes)}")
