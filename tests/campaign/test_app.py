"""The annotation app: who gets in, what is kept, and what raters cannot know."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.asked import enter, enter_admin, opened, put
from tests.campaign.written import SYSTEMS, written

from tertium.core.judgement import SCALES
from tertium.human.campaign.collection import CampaignCollection, open_collection
from tertium.human.campaign.plan import REFERENCE, Shown
from tertium.io.store import StoreError
from tertium.web.campaign.access import GUESSES
from tertium.web.campaign.screens import rater_key, written_in
from tertium.web.campaign.words import ENGLISH, GERMAN, LABELS, WORDS, choose_language
from tertium.web.security import Door

pytestmark = pytest.mark.usefixtures("on_both_stores")
JSON = {"content-type": "application/json"}
CONTROL = "degraded = 0.2\nrepeat = 0.2\nreference = 0.1\ndistance = 2"
ANSWERS: dict[str, Any] = {
    "da": {"values": {"da100": 70}},
    "sqm": {"values": {"sqm100": 33}},
    "adequacy-fluency": {"values": {"adequacy": 4, "fluency": 2}},
    "ranking": {"ranks": [2, 1]},
    "esa": {"values": {"esa": 55}, "spans": [[0, 3, "minor", "", "output"]]},
    "mqm": {"spans": [[0, 3, "major", "Accuracy/Omission", "source"]]},
    "post-edit": {"text": "mended"},
}


def bare(text: str) -> str:
    """A page without its styles, which have words of their own, and without what differs at each answer."""
    return re.sub(r'(nonce|data-made)="[^"]*"', "", re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL))


@pytest.mark.parametrize("protocol", ANSWERS)
def test_no_answer_names_a_system_or_a_control_item(tmp_path: Path, protocol: str) -> None:
    control = {"ranking": "repeat = 0.2\ndistance = 2", "post-edit": ""}.get(protocol, CONTROL)
    with opened(written(tmp_path / "c", protocol, control=control)) as (client, collection):
        enter(client, collection, "eva")
        addresses = ("/", "/nowhere", "/api/openapi.json", "/batch/999", "/tutorial", "/worker.js", "/?nothing=1")
        answers = [client.get(address) for address in addresses]
        kinds = {item.kind for batch in collection.plan.batches for item in batch.items}
        assert (kinds == {"genuine"}) == (not control)
        for batch in collection.plan.batches:
            answers.append(client.get(f"/batch/{batch.number}"))
            for item in range(len(batch.items)):
                answers.append(put(client, collection, "eva", batch.number, item, ANSWERS[protocol]))
                assert answers[-1].status_code == 200, answers[-1].text
            answers += [client.get(f"/batch/{batch.number}"), client.get(f"/done/{batch.number}")]
            answers.append(put(client, collection, "eva", batch.number, 0, {"wrong": 1}, revision=2))
        for answer in answers:
            said = bare(answer.text) + repr(answer.headers)
            for word in (*SYSTEMS, "degraded", "repeat", "reference", "genuine"):
                assert word not in said.lower(), (word, answer.url)


def test_pages_do_not_depend_on_systems_and_kinds(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c", control=CONTROL)) as (client, collection):
        enter(client, collection, "eva")
        numbers = [batch.number for batch in collection.plan.batches]
        before = [bare(client.get(f"/batch/{number}").text) for number in numbers]
        hide(collection)
        assert [bare(client.get(f"/batch/{number}").text) for number in numbers] == before


def hide(collection: CampaignCollection) -> None:
    """Every item as if it were genuine, of one system, with the text that it has."""
    for number, batch in collection._batches.items():
        items = tuple(
            replace(
                item, kind="genuine", shown=tuple(Shown(system=REFERENCE, text=text) for text in collection.texts(item))
            )
            for item in batch.items
        )
        collection._batches[number] = replace(batch, items=items)
    collection.plan = replace(collection.plan, batches=tuple(collection._batches.values()))


def test_a_link_becomes_a_strict_cookie_and_only_hashes_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    with opened(path) as (client, collection):
        token = collection.links.make("eva")
        answer = client.get(f"/r/{token}")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert token not in cookie
        assert client.get("/").status_code == 200
        session = client.cookies["tertium-rater"]
    for file in path.parent.iterdir():
        assert token.encode() not in file.read_bytes()
        assert session.encode() not in file.read_bytes()
    with opened(path) as (client, _):  # the server was started again
        client.cookies.set("tertium-rater", session)
        assert client.get("/").status_code == 200


def test_without_a_link_nothing(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        for address in ("/", "/batch/1", "/done/1", "/admin", "/r/wrong", "/admin/wrong"):
            assert client.get(address).status_code == 401, address
        assert put(client, collection, "eva", 1, 0, ANSWERS["da"]).status_code == 401
        assert client.post("/take").status_code == 401
        assert client.post("/admin/erase", data={"rater": "eva"}).status_code == 401
        assert collection.standing() == []


@pytest.mark.parametrize(("language", "link", "session", "item"), [
    ("en", "This link is not valid, or not any more.", "Open the link that was sent to you.", "There is no such part"),
    ("de", "Dieser Link gilt nicht, oder nicht mehr.", "Bitte den Link öffnen, der geschickt", "Diesen Teil gibt es"),
])  # fmt: skip
def test_refusals_are_in_the_raters_language(tmp_path: Path, language: str, link: str, session: str, item: str) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        client.headers["accept-language"] = language
        assert link in client.get("/r/wrong").text
        assert session in client.get("/").text
        assert client.put("/api/responses/1/0", json={}).json()["error"].startswith(session)
        enter(client, collection, "eva")
        for address in ("/batch/99", "/done/99", "/tutorial"):
            assert item in client.get(address).text


def test_a_revoked_link_is_refused(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        token = collection.links.make("eva")
        client.get(f"/r/{token}")
        assert client.get("/").status_code == 200
        collection.links.revoke("eva")
        assert client.get("/").status_code == 401
        assert put(client, collection, "eva", 1, 0, ANSWERS["da"]).status_code == 401
        assert client.get(f"/r/{token}").status_code == 401
        again = collection.links.make("eva")
        assert client.get(f"/r/{again}").status_code == 200
        assert client.get("/").status_code == 200
        assert [kind for _, kind, _, _ in collection.store.trail()] == ["link made", "link revoked", "link made"]


def test_whoever_tries_links_is_slowed_down(tmp_path: Path) -> None:
    now = 0.0
    with opened(written(tmp_path / "c"), Door(origin="https://mt.example.org")) as (client, collection):
        access = client.app.state.access  # type: ignore[attr-defined]
        access._clock = lambda: now
        token = collection.links.make("eva")
        guesser = {"x-forwarded-for": "6.6.6.6, 203.0.113.7"}
        for _ in range(GUESSES):
            assert client.get("/r/guess", headers=guesser).status_code == 401
        assert client.get(f"/r/{token}", headers=guesser).status_code == 429
        assert client.get("/admin/guess", headers=guesser).status_code == 429
        assert client.get(f"/r/{token}", headers={"x-forwarded-for": "203.0.113.8"}).status_code == 200
        now = 61.0
        assert client.get(f"/r/{token}", headers=guesser).status_code == 200


def test_nobody_answers_for_somebody_else(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c", raters='names = ["eva", "ben"]')) as (client, collection):
        enter(client, collection, "eva")
        [own, *_] = collection.batches_of("eva")
        [other, *_] = collection.batches_of("ben")
        assert put(client, collection, "eva", other.number, 0, ANSWERS["da"]).status_code == 404
        assert client.get(f"/batch/{other.number}").status_code == 404
        refused = put(client, collection, "ben", own.number, 0, ANSWERS["da"])  # a page that was left open by ben
        assert (refused.status_code, refused.json()) == (
            401, {"error": "This page is another rater's. Open your own link again."}
        )  # fmt: skip
        assert collection.standing() == []


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"revision": 0}, 422, "revision must be a whole number"),
        ({"revision": True}, 422, "revision must be a whole number"),
        ({"uuid": "x"}, 422, "uuid must be a text of 8 to 64"),
        ({"uuid": ["x"]}, 422, "uuid must be a text of 8 to 64"),
        ({"body": [1]}, 422, "body must be an object"),
        ({"body": {"values": {"da100": 101}}}, 422, "must lie between 0 and 100"),
        ({"body": {"values": {"da100": 1e400}}}, 422, "must lie between 0 and 100"),
        ({"more": 1}, 422, "unknown key 'more'"),
    ],
)
def test_refused_responses(tmp_path: Path, change: dict[str, Any], status: int, said: str) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        enter(client, collection, "eva")
        body = {"body": ANSWERS["da"]} | change
        given = {"who": rater_key(collection, "eva"), "uuid": "12345678", "revision": 1, **body}
        answer = client.put("/api/responses/1/0", content=json.dumps(given), headers=JSON)
        assert answer.status_code == status
        assert said in answer.json()["error"]
        assert answer.json()["final"] is True  # the page is not to send it again
        assert collection.standing() == []


def test_sent_twice_kept_once_and_taken_back(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        enter(client, collection, "eva")
        before = collection.store.clock()
        first, again = (put(client, collection, "eva", 1, 0, ANSWERS["da"]).json() for _ in range(2))
        assert before <= first.pop("at") <= again.pop("at") <= collection.store.clock()
        assert (first, again) == ({"saved": True, "new": True}, {"saved": True, "new": False})
        other = {"values": {"da100": 1}}
        assert put(client, collection, "eva", 1, 0, other).status_code == 409
        assert [one.value for one in collection.judgements()] == [70]
        assert put(client, collection, "eva", 1, 0, {}, revision=2).status_code == 200
        assert collection.judgements() == []
        assert collection.store.responses() == collection.store.replayed()


def test_hostile_addresses_and_pages_of_other_sites(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        enter(client, collection, "eva")
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        wrong = client.put(
            "/api/responses/1/0", headers={"host": "evil.example"}
        )  # a server that was started otherwise
        assert (wrong.status_code, set(wrong.json())) == (421, {"error"})  # is not the page's fault
        assert client.post("/take", headers={"origin": "http://evil.example"}).status_code == 403
        answer = client.get("/")
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        for address in ("/batch/0", "/batch/-1", "/batch/99999999999999999999", "/batch/x", "/r/%00", "/r/%ff"):
            assert client.get(address).status_code in (401, 404, 422), address


def test_hostile_text_is_text(tmp_path: Path) -> None:
    hostile = "</p><script>alert(1)</script>'\"&{{7*7}}"
    outputs = {name: [hostile] * 5 for name in SYSTEMS}
    for protocol in ("da", "esa", "post-edit"):
        with opened(written(tmp_path / protocol, protocol, outputs=outputs)) as (client, collection):
            enter(client, collection, "eva")
            said = client.get("/batch/1").text
            assert "<script>alert" not in said
            assert "{{7*7}}" in said


def test_a_second_server_on_the_same_file_is_refused_and_shares_a_database(tmp_path: Path, on_both_stores: str) -> None:
    path = written(tmp_path / "c")
    if on_both_stores == "postgres":
        with opened(path), open_collection(path) as collection:
            assert collection.standing() == []
        return
    with opened(path), pytest.raises(StoreError, match=r"campaign\.sqlite is already open, in process"):
        open_collection(path)


def test_the_dashboard(tmp_path: Path) -> None:
    path = written(tmp_path / "c", raters='names = ["eva", "ben"]\npay = 36\ncurrency = "EUR"', control=CONTROL)
    with opened(path) as (client, collection):
        enter_admin(client)
        assert "Nobody has said anything yet." in client.get("/admin").text
        for rater in ("eva", "ben"):
            enter(client, collection, rater)
            for batch in collection.batches_of(rater):
                for item in range(len(batch.items)):
                    put(
                        client,
                        collection,
                        rater,
                        batch.number,
                        item,
                        {"values": {"da100": 7 * item % 100}, "seconds": 10},
                    )
        enter_admin(client)
        page = client.get("/admin").text
        whole = collection.plan.kinds.total()
        assert f"<b>{whole} of {whole}</b>" in page
        assert f"<b>{whole * 10 / 3600 * 36:.2f} EUR</b>" in page
        assert not any(name in page for name in SYSTEMS)  # the ranking is hidden until it is asked for
        assert all(name in client.get("/admin?ranking=1").text for name in SYSTEMS)
        made = client.post("/admin/link", data={"rater": "eva"})
        [token] = re.findall(r"http://127\.0\.0\.1/r/([\w-]+)", made.text)
        assert collection.links.rater_of_link(token) == "eva"
        assert token not in client.get("/admin").text
        assert client.post("/admin/link", data={"rater": "nobody"}).status_code == 422
        assert client.post("/admin/revoke", data={"rater": "eva"}).status_code == 303
        assert collection.links.rater_of_link(token) is None
        backup = client.post("/admin/backup")
        (tmp_path / "c" / "copy.sqlite").write_bytes(backup.content)
        assert backup.content.startswith(b"SQLite format 3\0")
        assert client.post("/admin/erase", data={"rater": "eva"}).status_code == 303
        assert {kept.rater for kept in collection.standing()} == {"ben"}
        assert "the data of 1 rater were erased on request" in client.get("/admin").text


def test_the_dashboard_says_that_nothing_was_judged_twice_and_shows_no_number_for_it(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c", raters='names = ["eva", "ben"]')) as (client, collection):
        for rater in ("eva", "ben"):
            enter(client, collection, rater)
            [batch] = collection.batches_of(rater)
            for item, value in enumerate((80, 60, 70)):
                put(client, collection, rater, batch.number, item, {"values": {"da100": value}, "seconds": 10})
        enter_admin(client)
        page = client.get("/admin").text
        assert "<li>da100, between raters: nothing was judged twice yet</li>" in page
        assert "alpha" not in re.sub("<style.*?</style>", "", page, flags=re.DOTALL)


def test_every_language_says_everything() -> None:
    assert set(ENGLISH) == set(GERMAN)
    for key, text in ENGLISH.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", GERMAN[key])), key
    for table in LABELS.values():
        for scale, names in table.items():
            assert list(names) == list(SCALES[scale].labels)


@pytest.mark.parametrize(
    ("asked", "accepted", "chosen"),
    [
        ("", "", "en"), ("de", "en", "de"), ("xx", "de-AT,en;q=0.8", "de"), ("", "en;q=0.1, de;q=0.2", "de"),
        ("", "fr, de;q=0, en;q=0.1", "en"), ("", "de;q=x", "en"), ("", ",;,=;q", "en"),
    ],
)  # fmt: skip
def test_languages(asked: str, accepted: str, chosen: str) -> None:
    assert choose_language(asked, accepted) == chosen
    assert chosen in WORDS


def test_in_german(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c", "adequacy-fluency")) as (client, collection):
        enter(client, collection, "eva")
        page = client.get("/batch/1", headers={"accept-language": "de"}).text
        assert '<html lang="de">' in page
        assert "der ganze Sinn" in page
        for label in ("all of the meaning", "most", "much", "little", "none of the meaning", "flawless", "good",
                      "non-native", "disfluent", "incomprehensible"):  # fmt: skip
            assert f"</b> {label}</label>" in client.get("/batch/1").text


def full(*_: Any) -> None:
    raise StoreError("there is no room for it on the disk")


def test_a_link_that_cannot_be_noted_is_not_made_and_the_old_one_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full between the two: an administrator who was told that nothing is kept revoked nobody."""
    with opened(written(tmp_path / "c")) as (client, collection):
        enter(client, collection, "eva")
        monkeypatch.setattr(collection.store, "note_in", full)
        with pytest.raises(StoreError, match="no room"):
            collection.links.make("eva")
        with pytest.raises(StoreError, match="no room"):
            collection.links.revoke("eva")
        assert client.get("/").status_code == 200
        assert collection.links.known()["eva"].revoked is None


def test_a_backup_is_handed_out_though_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        enter_admin(client)
        monkeypatch.setattr(collection.store, "note", full)
        answer = client.post("/admin/backup")
        assert (answer.status_code, answer.content[:15]) == (200, b"SQLite format 3")


@pytest.mark.parametrize(
    ("language", "part", "page"),
    [("en", "There is no such part of your work.", "There is no such page."),
     ("de", "Diesen Teil gibt es nicht, oder er ist nicht Ihrer.", "Diese Seite gibt es nicht.")],
)  # fmt: skip
def test_an_address_that_leads_nowhere_says_so_in_the_words_of_raters(
    tmp_path: Path, language: str, part: str, page: str
) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        enter(client, collection, "eva")
        for address, sentence in (("/batch/0", part), ("/batch/x", part), ("/done/99999999999", part), ("/x", page)):
            answer = client.get(address, headers={"accept-language": language})
            assert (answer.status_code, sentence in answer.text) == (404, True), address
            assert '<a href="/">' in answer.text, "a way back"
        client.cookies.clear()
        assert '<a href="/">' not in client.get("/x").text, "where there is nothing to go back to"


@pytest.mark.parametrize(("protocol", "asked"), [("esa", True), ("mqm", True), ("da", False)])
def test_raters_are_told_to_mark_every_error_where_they_mark_any(tmp_path: Path, protocol: str, asked: bool) -> None:
    with opened(written(tmp_path / "c", protocol)) as (client, collection):
        enter(client, collection, "eva")
        shown = re.sub("<script.*?</script>|data-words='[^']*'", "", client.get("/batch/1").text, flags=re.DOTALL)
        assert ("Mark every error, in the translation" in shown) == asked


def test_a_tutorial_is_shown_and_kept_by_nobody(tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    with opened(path) as (client, collection):
        enter(client, collection, "eva")
        assert client.get("/tutorial").status_code == 404
        assert "/tutorial" not in client.get("/").text
    with path.open("a") as file:
        file.write('[[tutorial]]\nsource = "Ja"\noutputs = ["<b>No"]\nfeedback = "The opposite: low."\n')
    with opened(path) as (client, collection):  # the plan is the same, so the store is
        enter(client, collection, "eva")
        assert "/tutorial" in client.get("/").text
        page = client.get("/tutorial").text
        assert "The opposite: low." in page
        assert "&lt;b&gt;No" in page
        assert put(client, collection, "eva", 0, 0, ANSWERS["da"]).status_code == 404
        assert collection.standing() == []


@pytest.mark.parametrize(
    ("language", "way"),
    [("he", "rtl"), ("ar_EG", "rtl"), ("uz-Arab", "rtl"), ("ur-Latn", "auto"), ("en", "auto"), (None, "auto")],
)
def test_which_way_a_language_runs(language: str | None, way: str) -> None:
    assert written_in(language).dir == way
