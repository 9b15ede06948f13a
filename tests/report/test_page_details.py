"""Details of pages that are easily lost: words of figures, places of links, what is copied and saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Read = Callable[..., Any]


# Figures in words


@pytest.mark.slow
def test_drawn_figures_keep_their_words(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    plots = "[...document.querySelectorAll('.plot')].map((plot) => [plot.getAttribute('role'), plot.ariaLabel])"
    before = reader.page.evaluate(plots)
    reader.drawn()
    assert reader.page.evaluate(plots) == before
    assert all(role == "img" and len(words) > 3 for role, words in before)
    assert reader.page.locator(".plot[aria-roledescription]").count() == 0
    assert "BLEU of 4 systems, from best to worst: atlas is best." in before[0][1]
