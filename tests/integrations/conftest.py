"""No test of adapters asks a hub for anything."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    for name in ("HF_HOME", "HF_METRICS_CACHE", "HF_DATASETS_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
