"""Write docs/reference/glossary.md from the words that reports explain: `python tools/site/glossary.py`."""

from pathlib import Path

from tertium.report.glossary import HEADS, TERMS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
HEAD = "# Glossary\n\nWords of statistics and of the field, as reports explain them where one points at them.\n"


def plain(text: str) -> str:
    """A text that is no markup."""
    return text.replace("*", r"\*").replace("_", r"\_")


def entries(texts: dict[str, str]) -> str:
    """A list of words."""
    return "\n".join(f"- **{plain(word)}**: {plain(texts[word])}" for word in sorted(texts, key=str.lower))


def page() -> str:
    """The whole page."""
    return f"{HEAD}\n## Words\n\n{entries(TERMS)}\n\n## Heads of columns\n\n{entries(HEADS)}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
