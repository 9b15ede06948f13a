"""Every test here runs in a folder of its own, so that messages can be compared with short file names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tertium.core.errors import TertiumError


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def write() -> Callable[[str, str | bytes], str]:
    def write_file(name: str, content: str | bytes) -> str:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return write_file


@pytest.fixture
def refusal() -> Callable[..., str]:
    """The sentence with which a call is refused."""

    def sentence(function: Callable[..., object], *args: object, **options: object) -> str:
        with pytest.raises(TertiumError) as caught:
            function(*args, **options)
        return str(caught.value)

    return sentence
