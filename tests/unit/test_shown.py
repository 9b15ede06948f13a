"""p-values as people read them: none is 0."""

import math

import pytest

from tertium.core.table import Table, chances, numbers, texts
from tertium.core.wording import ABSENT, p_equals, p_text


@pytest.mark.parametrize(
    ("p", "text", "said"),
    [
        (0.0, "<.0001", "p <.0001"),
        (1e-300, "<.0001", "p <.0001"),
        (0.0000499, "<.0001", "p <.0001"),
        (0.00005, "0.0001", "p = 0.0001"),
        (0.03125, "0.0312", "p = 0.0312"),
        (1.0, "1.0000", "p = 1.0000"),
        (math.nan, ABSENT, f"p = {ABSENT}"),
    ],
)
def test_a_p_value_in_words(p: float, text: str, said: str) -> None:
    assert (p_text(p), p_equals(p)) == (text, said)


@pytest.mark.parametrize("decimals", [None, 2])
def test_columns_of_p_values(decimals: int | None) -> None:
    rows = [["a", 1e-9, 1e-9], ["b", 0.25, 0.25]]
    cells = Table(columns=[*texts("name"), *chances("p"), *numbers("value")], rows=rows).cells(decimals)
    assert [[cell.text for cell in row] for row in cells] == [["a", "<.0001", "0.00"], ["b", "0.2500", "0.25"]]
    assert cells[0][1].value == 1e-9  # what is sorted and copied
