"""The largest difference per metric goes into the JUnit file (pytest --junitxml), and nowhere else."""

from collections.abc import Callable, Iterator

import pytest

from .files import LARGEST


@pytest.fixture(autouse=True, scope="session")
def largest_differences(record_testsuite_property: Callable[[str, object], None]) -> Iterator[None]:
    yield
    for metric, difference in sorted(LARGEST.items()):
        record_testsuite_property(f"largest difference {metric}", difference)
