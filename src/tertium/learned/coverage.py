"""Which languages an encoder was trained on, as those who made it say; known by its kind and its vocabulary's size.

XLM-R (Conneau et al. 2020), XLM-R XL (Goyal et al. 2021): 100, seven of them other scripts of languages that are there.
mT5 (Xue et al. 2021): 101. Multilingual BERT (Devlin et al. 2019): 104 with its capitals, without Thai and Mongolian
without them. Of encoders that are none of these nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tertium.learned.recognition import read_object

XLMR = frozenset(
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it "
    "ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq "
    "sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh".split()
)
MT5 = frozenset(
    "af am ar az be bg bn ca ceb co cs cy da de el en eo es et eu fa fi tl fr fy ga gd gl gu ha haw he hi hmn ht hu hy "
    "id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt ro ru sd "
    "si sk sl sm sn so sq sr st su sv sw ta te tg th tr uk ur uz vi xh yi yo zh zu".split()
)
MBERT = frozenset(
    "af an ar ast az azb ba bar be bg bn bpy br bs ca ce ceb cs cv cy da de el en es et eu fa fi fr fy ga gl gu he hi "
    "hr ht hu hy id io is it ja jv ka kk kn ko ky la lb lmo lt lv mg min mk ml mr ms my nds ne new nl no oc pa pl pms "
    "pnb pt ro ru scn sco sh sk sl sq sr su sv sw ta te tg tl tr tt uk ur uz vi vo war yo zh".split()
)
ENGLISH = frozenset({"en"})

SAME = {"nb": "no", "nn": "no", "iw": "he", "fil": "tl", "jw": "jv", "in": "id", "cmn": "zh", "yue": "zh"}


class Coverage(NamedTuple):
    """The languages that an encoder has seen, by ISO 639-1 codes, 639-3 where there are none."""

    encoder: str
    codes: frozenset[str]

    def has(self, language: str) -> bool:
        """Whether a language, such as `de`, `pt-BR` or `zh_CN`, is among them."""
        code = language.replace("_", "-").partition("-")[0].lower()
        return SAME.get(code, code) in self.codes


# By kind and rows of the vocabulary, which no other encoder of that kind is known to have.
KNOWN: Mapping[tuple[str, int], Coverage] = {
    ("xlm-roberta", 250002): Coverage("XLM-R", XLMR),
    ("xlm-roberta-xl", 250880): Coverage("XLM-R XL", XLMR),
    ("mt5", 250112): Coverage("mT5", MT5),
    ("bert", 119547): Coverage("multilingual BERT", MBERT | {"th", "mn"}),
    ("bert", 105879): Coverage("multilingual BERT (uncased)", MBERT),
    ("bert", 30522): Coverage("English BERT", ENGLISH),
    ("bert", 28996): Coverage("English BERT", ENGLISH),
    ("bleurt", 30522): Coverage("English BERT", ENGLISH),
}


def coverage(config: Mapping[str, Any]) -> Coverage | None:
    """What the encoder of a config.json has seen; None where that is not known."""
    size = config.get("vocab_size")
    return KNOWN.get((str(config.get("model_type")), size)) if isinstance(size, int) else None


def coverage_of(paths: Iterable[str]) -> Coverage | None:
    """The same of the folders of a metric's models."""
    for path in paths:
        for folder in (Path(path), Path(path) / "encoder"):
            found = coverage(read_object(folder / "config.json"))
            if found is not None:
                return found
    return None
