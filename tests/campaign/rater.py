"""Somebody at a keyboard or a touch screen, before a real browser."""

from pathlib import Path
from typing import Any

from tests.campaign.served import PATIENCE

from tertium.human.campaign.collection import open_collection

AN_HOUR_AGO = """() => {
    for (const [key, text] of Object.entries(localStorage)) {
        const record = JSON.parse(text);
        localStorage.setItem(key, JSON.stringify({ ...record, at: record.at - 3_600_000 }));
    }
}"""


class Rater:
    """Somebody at a keyboard."""

    def __init__(self, context: Any, link: str, batch: int = 1) -> None:
        self.page, self.complaints = context.new_page(), list[str]()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._answer)
        self.page.goto(link)
        self.page.wait_for_url("**/")
        self.page.goto(f"{link.partition('/r/')[0]}/batch/{batch}")
        self.ready()

    def _answer(self, dialog: Any) -> None:
        """None is expected; one that is left open would stop the page, and whoever waits for it."""
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def waits_for(self, place: str, state: str = "visible") -> None:
        """Until it is there; a page that hangs says how it stands."""
        try:
            self.page.wait_for_selector(place, state=state)
        except Exception as error:
            raise AssertionError(f"no {place}: {self.standing()}") from error

    def standing(self) -> dict[str, Any]:
        """What is on the page, of which nothing is waited for long."""
        asked = {"state": "#state", "progress": "#progress", "count": "#count", "missing": ".lack:visible"}
        found: dict[str, Any] = {"address": self.page.url, "complaints": self.complaints}
        for name, place in asked.items():
            try:
                found[name] = self.page.locator(place).first.evaluate("one => one.outerHTML", timeout=5000)
            except Exception as error:
                found[name] = str(error)
        return found

    def ready(self) -> None:
        self.waits_for("html[data-ready]", state="attached")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def turn_to(self, item: int) -> None:
        """Go on to the document of an item, where the one before it is done."""
        if not self.page.locator(f"#item-{item}").is_visible():
            self.page.locator("#next").click()
            self.waits_for(f"#item-{item}")

    def saved(self) -> None:
        self.waits_for("#state[data-state=saved]")

    def answered(self, count: int) -> None:
        """Wait until so many items are; in attributes, because pages let nobody evaluate texts."""
        self.waits_for(f'#progress[value="{count}"]', state="attached")

    def kept(self) -> None:
        """Wait until this page is there for a reload while the server is away."""
        self.waits_for("html[data-kept]", state="attached")

    def finished(self) -> None:
        self.waits_for("#code")


def responses(path: Path) -> dict[int, Any]:
    """What is kept of each item, but for the time."""
    with open_collection(path, read_only=True) as collection:
        assert collection.store.responses() == collection.store.replayed()
        return {kept.item: {k: v for k, v in kept.body.items() if k != "seconds"} for kept in collection.standing()}
