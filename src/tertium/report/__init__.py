"""Pages of an evaluation: tables, charts and words as one file.

The room can be called: `tertium.report(evaluation)` is what people write, and once any module of it is imported, Python
binds `tertium.report` to the room and not to the function in it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tertium.core.evaluation import Evaluation
    from tertium.report.report import Report


class _Room(ModuleType):
    def __call__(self, evaluation: Evaluation, **options: Any) -> Report:
        from tertium.report.report import report

        return report(evaluation, **options)


sys.modules[__name__].__class__ = _Room
