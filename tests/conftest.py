"""Settings for all tests."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# `make sanitize` builds the kernel with ASan and UBSan and names it here: it takes the installed one's place.
if kernel := os.environ.get("TERTIUM_KERNEL"):
    spec = importlib.util.spec_from_file_location("tertium._kernel", kernel)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["tertium._kernel"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["tertium._kernel"])

# The same examples everywhere, and no time limit per example: machines differ.
hypothesis.settings.register_profile("tertium", deadline=None, derandomize=True)
hypothesis.settings.load_profile("tertium")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes do not name a test: packed ones hold the time, and parallel workers must all find the same names."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Coverage does not look where it would only take time: at the kernel, which is C++, and at long comparisons.

    pytest-cov's `no_cover` is made for this, but does nothing in parallel workers.
    """
    tracer = sys.gettrace()
    if item.path.parent.name in ("laws", "reference") or item.path.name.startswith("test_kernel"):
        sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)


BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither use nor fill the user's cache."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def spm_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small SentencePiece model, trained on the examples."""
    trainer = pytest.importorskip("sentencepiece").SentencePieceTrainer
    examples = Path(__file__).parents[1] / "examples"
    texts = [line for name in ("source.de", "reference.a.en") for line in (examples / name).read_text().splitlines()]
    folder = tmp_path_factory.mktemp("sentencepiece")
    trainer.train(sentence_iterator=iter(texts), model_prefix=str(folder / "tiny"), vocab_size=250, minloglevel=2)
    return folder / "tiny.model"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The one browser of a session: Playwright runs once in a process."""
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed (make browser)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
