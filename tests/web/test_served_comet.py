"""A real network behind a name, in a workbench whose workers load it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.neural.tiny import OUTPUTS, REFERENCES, SOURCES, values, write_comet
from tests.web.conftest import ended, opened

from tertium.web.intake import Limits
from tertium.web.models import read_models

pytestmark = pytest.mark.neural


def test_comet_over_the_web(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = write_comet(tmp_path / "checkpoint")
    (model / "encoder").rename(tmp_path / "small-files")
    limits = Limits(models=read_models([f"tiny={model}", f"xlmr={tmp_path / 'small-files'}"]))
    texts = {"source": SOURCES, "reference": REFERENCES, "output": OUTPUTS}
    files = [(role, (f"{role}.txt", "\n".join(lines).encode() + b"\n")) for role, lines in texts.items()]
    with opened(tmp_path / "workspace", limits=limits) as client:
        made = client.post("/api/evaluations", files=files, data={"metrics": 'comet(model="tiny", encoder="xlmr")'})
        assert made.status_code == 201, made.text
        done = ended(client, made.json()["job"])
        assert (done["state"], done["reason"]) == ("done", "")
        told = client.get(f"/api/evaluations/{made.json()['id']}/score?level=segment").json()
    found = [score["value"] for score in told["scores"]]
    assert found == pytest.approx(values(f'comet(model="{model}", encoder="{tmp_path / "small-files"}")'), abs=1e-6)
    assert str(tmp_path) not in str(told)
