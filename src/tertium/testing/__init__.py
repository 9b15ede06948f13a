"""The laws as a kit: any metric, of any package, is put through them with one line of a test file.

from tertium.testing import laws_of

test_laws = laws_of("my_package.my_metric:MyMetric")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.metric import Exemption, Metric, find_exemption, is_counted

try:
    import hypothesis  # noqa: F401
except ImportError:
    raise MissingPackageError(
        'tertium.testing needs the package hypothesis; install it with: pip install "tertium[testing]"'
    ) from None

from tertium.testing import analyses, evaluations, formulas, readings, rows
from tertium.testing.law import Law, LawError
from tertium.testing.subject import Subject, find_metric

__all__ = ["LAWS", "Exemption", "Law", "LawError", "Subject", "laws_of"]

LAWS: Mapping[str, Law] = {
    law.name: law for law in (*rows.LAWS, *readings.LAWS, *formulas.LAWS, *evaluations.LAWS, *analyses.LAWS)
}


# A metric is a value even if its rows are given; the other laws are about rows that are counted.
OF_VALUES = (rows.declarations, rows.text, rows.texts)
GIVEN = "its rows are given, not counted from texts"


def laws_of(*metrics: str | type[Any] | Metric, words: Sequence[str] = ()) -> Callable[..., None]:
    """A test for pytest: every law, of every one of these metrics.

    A metric is named by its text (`my_metric(model="x")`), its class or the place of that (`package.module:Class`).
    Its options are varied; `words` are further ones that options take, besides tokenizers and Unicode forms. A law that
    does not apply to a metric, or from which the metric is exempt, is skipped with the reason.
    """
    import pytest

    subjects = [Subject(find_metric(metric), words) for metric in metrics]
    cases = [case for subject in subjects for case in _cases(subject)]

    @pytest.mark.parametrize(("subject", "law"), cases)
    def test(subject: Subject, law: Law) -> None:
        law.check(subject)

    return test


def _cases(subject: Subject) -> Iterator[Any]:
    """Every law once; where a metric is exempt from a part of one, that part is a case of its own, skipped."""
    import pytest

    check_exemptions(subject.metric)
    for law in LAWS.values():
        said, exemption = f"{subject}-{law.name}", find_exemption(subject.metric, law.name)
        idle = law.applies(subject) or ("" if is_counted(subject.metric) or law in OF_VALUES else GIVEN)
        reason = idle or ("" if exemption is None else f"exempt: {exemption.reason}")
        in_part = exemption is not None and exemption.holds is not None and not idle
        if not reason or in_part:
            yield pytest.param(subject, law, id=said)
        if reason:
            skip = pytest.mark.skip(reason=reason)
            yield pytest.param(subject, law, id=f"{said}, in part" if in_part else said, marks=skip)


def check_exemptions(metric: Metric) -> None:
    """Refuse exemptions from what is no law, and from a part of a law that cannot hold in part."""
    for name, exemption in getattr(metric, "exempt", {}).items():
        if name not in LAWS:
            close = get_close_matches(name, LAWS, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ";"
            raise OptionError(f"{metric}: exempt names {name!r}, which is no law{hint} laws: {'; '.join(LAWS)}")
        if name != formulas.PERFECT and not isinstance(exemption, str) and exemption.holds is not None:
            raise OptionError(
                f"{metric}: exempt from a part of {name!r}; only {formulas.PERFECT!r} can hold in part: give the "
                f"reason alone"
            )
