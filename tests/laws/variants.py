"""Every registered metric as a subject of the laws."""

from functools import cache

from hypothesis import strategies as st

from tertium.core.metric import Metric
from tertium.metrics import known
from tertium.testing import Subject

# Rows that come from a model in a file, a user's function, people or a file are not counted from texts alone; they have
# tests of their own.
CLASSES = {name: cls for name, cls in known().items() if cls.needs <= {"references", "source"}}
NAMES = list(CLASSES)

# Words that options take, besides tokenizers and Unicode forms.
BREVITY = ("closest", "shortest", "average")
SMOOTHING = ("exp", "floor", "add-k", "length", "average", "prior", "length+average")
METEOR = ("exact", "stem", "fr", "de", "cs", "2005", "adq", "hter", "li", "universal", "lower")
ROUGE = ("2", "Lsum", "precision", "recall")
WORDS = (*SMOOTHING, *BREVITY, *METEOR, *ROUGE, "factors", "perl", "nltk", "mteval", "program", "nltk-3.9.1", "ja")


@cache
def subject(name: str) -> Subject:
    return Subject(CLASSES[name](), WORDS)


def variants(name: str) -> list[Metric]:
    """The default, then one option changed at a time."""
    return subject(name).variants


def metrics(name: str) -> st.SearchStrategy[Metric]:
    """The default in one of three, else any options together."""
    return subject(name).metrics
