"""Networks need torch; these tests are run by `make test-neural`."""

import pytest


@pytest.fixture(autouse=True)
def torch() -> object:
    return pytest.importorskip("torch")
