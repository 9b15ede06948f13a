"""Who may ask, what is let in, and what answers say about themselves."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ended, example, opened

from tertium.web.app import create_app
from tertium.web.pages import served
from tertium.web.security import HEADERS, Door, host_name, open_door, read_origin
from tertium.web.uploads import Limits
from tertium.web.workspace import Workspace

# Hosts


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST", "127.0.0.1:80", "[::1]", "127.8.8.8", "127.0.0.1:9000"]
)
def test_our_own_names_are_known(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


FOREIGN = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "", "[::1",
           "127.0.0.1:80:80", "localhost:x", "0.0.0.0", "user@127.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/api/evaluations", "/api/openapi.json", "/none"])
def test_other_names_are_refused(client: TestClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert answer.json() == {
        "error": "this server is not the one of that name; open the address that it printed, or where a proxy stands "
        "before it, start it with --address"
    }


def test_hosts_are_read_as_they_are_written() -> None:
    assert host_name("Localhost:81") == "localhost"
    assert host_name("[::1]:81") == host_name("[::1]") == "::1"
    for wrong in ("::1", "a:b", "[::1", "a:b:80", "a:-1", "a:１"):
        assert host_name(wrong) == ""


# Origins


@pytest.mark.parametrize("headers", [
    {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:8080"},
    {"origin": "http://127.0.0.1.evil.example"}, {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"}, {"origin": "http://localhost"}, {"origin": "https://127.0.0.1"},
    {"origin": "x://127.0.0.1"}, {"origin": "127.0.0.1"}, {"origin": "http://127.0.0.1/"}, {"origin": ""},
])  # fmt: skip
def test_other_sites_change_nothing(client: TestClient, headers: dict[str, str]) -> None:
    for path in ("/api/evaluations", "/evaluations"):
        answer = client.post(path, files=example("atlas"), data={"metrics": "bleu"}, headers=headers)
        assert answer.status_code == 403
        assert answer.json() == {"error": "a page of another site may not ask this server anything"}
    assert client.delete("/api/evaluations/x", headers=headers).status_code == 403
    for path in ("/api/evaluations", "/evaluations/x/compare?first=a&second=b"):
        assert client.get(path, headers=headers).status_code == 403
    assert client.get("/evaluations/x/compare").status_code == 404
    assert client.get("/api/evaluations").json() == []


def test_our_own_pages_and_programs_may(client: TestClient) -> None:
    for headers in ({"origin": "http://127.0.0.1", "sec-fetch-site": "same-origin"}, {}):
        answer = client.post("/api/guess", json={"names": ["ref"]}, headers=headers)
        assert answer.json() == {"ref": "reference"}
    followed = client.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
    assert followed.status_code == 200  # a link from elsewhere changes nothing
    assert "access-control-allow-origin" not in followed.headers


# Tokens


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[TestClient, str]]:
    door = open_door("0.0.0.0")
    assert door.token is not None
    with opened(tmp_path / "workspace", door) as client:
        yield client, door.token


def test_only_this_computer_needs_no_token() -> None:
    for host in ("127.0.0.1", "localhost", "::1"):
        assert open_door(host).token is None
    for host in ("0.0.0.0", "::", "192.0.2.1", "workbench.example"):
        token = open_door(host).token
        assert token is not None
        assert len(token) >= 43  # 256 bits
        assert token != open_door(host).token


def test_without_the_token_nothing_is_told(guarded: tuple[TestClient, str]) -> None:
    client, token = guarded
    for path in ("/", "/api/evaluations", "/api/openapi.json", "/?token=wrong", "/?token=", f"/?token={token}x"):
        assert client.get(path).status_code == 401
    for headers in ({"authorization": "Bearer x"}, {"cookie": "tertium-token=x"}, {"authorization": token[:-1]},
                    {"authorization": token}, {"authorization": f"Basic {token}"}, {"authorization": f"Bearer{token}"},
                    {"authorization": "Bearer"}):  # fmt: skip
        refused = client.get("/", headers=headers)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert client.post(f"/api/guess?token={token}", json={"names": []}).status_code == 401


def test_the_first_visit_leaves_a_cookie(guarded: tuple[TestClient, str]) -> None:
    client, token = guarded
    first = client.get(f"/?token={token}")
    assert first.status_code == 200
    assert '<meta http-equiv="refresh" content="0;url=/">' in first.text
    assert token not in first.text
    assert "default-src 'none'" in first.headers["content-security-policy"]
    assert first.headers["set-cookie"] == f"tertium-token={token}; HttpOnly; Path=/; SameSite=strict"
    assert client.get("/").status_code == 200
    client.cookies.clear()
    assert client.get("/").status_code == 401
    for scheme in ("Bearer", "bearer", "BEARER", "Bearer "):
        assert client.get("/", headers={"authorization": f"{scheme} {token}"}).status_code == 200


def test_elsewhere_addresses_and_the_given_name_are_known() -> None:
    door = Door(host="workbench.example", token="t")
    assert door.knows("workbench.example")
    assert door.knows("192.0.2.7")
    assert not door.knows("evil.example")


# Behind a proxy

PROXY = "https://mt.example.org"


@pytest.fixture
def fronted(tmp_path: Path) -> Iterator[TestClient]:
    """Asked as a proxy asks that passes the name on and speaks plain HTTP; the token is known already."""
    door = open_door("127.0.0.1", PROXY)
    with opened(tmp_path / "workspace", door) as client:
        client.headers.update({"host": "mt.example.org", "authorization": f"Bearer {door.token}"})
        yield client


def test_behind_a_proxy_there_is_always_a_token(tmp_path: Path) -> None:
    for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0"):
        token = open_door(host, PROXY).token
        assert token is not None
        assert len(token) >= 43
    with opened(tmp_path / "workspace", open_door("127.0.0.1", PROXY)) as client:
        for host in ("mt.example.org", "127.0.0.1", "localhost:8000"):  # proxies pass the name on, or they do not
            for path in ("/", "/api/evaluations", "/?token=wrong"):
                assert client.get(path, headers={"host": host}).status_code == 401


@pytest.mark.parametrize(("address", "attribute"), [(PROXY, "; Secure"), ("http://mt.example.org", "")])
def test_cookies_of_https_are_secure(tmp_path: Path, address: str, attribute: str) -> None:
    door = open_door("127.0.0.1", address)
    with opened(tmp_path / "workspace", door) as client:
        for host in ("mt.example.org", "127.0.0.1:8000"):
            client.cookies.clear()
            first = client.get(f"/?token={door.token}", headers={"host": host})
            assert first.status_code == 200
            assert first.headers["set-cookie"] == (
                f"tertium-token={door.token}; HttpOnly; Path=/; SameSite=strict{attribute}"
            )


@pytest.mark.parametrize("host", ["mt.example.org", "MT.example.org:443", "127.0.0.1:8000", "localhost"])
def test_pages_behind_the_proxy_may_ask(fronted: TestClient, host: str) -> None:
    for headers in ({"origin": PROXY, "sec-fetch-site": "same-origin"}, {}):
        answer = fronted.post("/api/guess", json={"names": ["ref"]}, headers={"host": host, **headers})
        assert answer.json() == {"ref": "reference"}


@pytest.mark.parametrize("host", [*FOREIGN, "example.org", "a.mt.example.org", "mt.example.org.evil.example",
                                  "mt.example.org:x", "mt.example.org.", "xmt.example.org"])  # fmt: skip
def test_behind_a_proxy_other_names_are_refused(fronted: TestClient, host: str) -> None:
    for method in ("GET", "POST"):
        assert fronted.request(method, "/api/guess", headers={"host": host, "origin": PROXY}).status_code == 421


@pytest.mark.parametrize("origin", [
    "http://mt.example.org", "https://mt.example.org:8443", "https://mt.example.org/", "https://evil.example",
    "https://a.mt.example.org", "https://example.org", "null", "", "mt.example.org", "https://MT.example.org",
    "https://mt.example.org.evil.example", "http://127.0.0.1",
])  # fmt: skip
@pytest.mark.parametrize("host", ["mt.example.org", "127.0.0.1:8000"])
def test_behind_a_proxy_other_origins_are_refused(fronted: TestClient, host: str, origin: str) -> None:
    headers = {"host": host, "origin": origin}
    for answer in (fronted.post("/api/guess", json={"names": []}, headers=headers),
                   fronted.post("/evaluations", files=example("atlas"), headers=headers),
                   fronted.delete("/api/evaluations/x", headers=headers),
                   fronted.get("/evaluations/x/compare", headers=headers)):  # fmt: skip
        assert answer.status_code == 403
        assert answer.json() == {"error": "a page of another site may not ask this server anything"}
    for site in ("cross-site", "same-site"):
        headers = {"host": host, "origin": PROXY, "sec-fetch-site": site}
        assert fronted.post("/api/guess", json={"names": []}, headers=headers).status_code == 403


def test_its_own_address_still_holds(fronted: TestClient) -> None:
    """Without the proxy, from this computer: as if there were none, but with the token."""
    headers = {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000"}
    assert fronted.post("/api/guess", json={"names": ["ref"]}, headers=headers).json() == {"ref": "reference"}


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://mt.example.org/", PROXY), ("HTTPS://MT.Example.org:443", PROXY), (f"{PROXY}:00443", PROXY),
        ("http://workbench:8000/", "http://workbench:8000"), ("http://workbench:80", "http://workbench"),
        ("http://workbench:443", "http://workbench:443"),
        ("https://[2001:DB8:0::1]:8443", "https://[2001:db8::1]:8443"), ("http://192.0.2.7", "http://192.0.2.7"),
        ("https://xn--bersetzung-8db.example", "https://xn--bersetzung-8db.example"),
    ],
)  # fmt: skip
def test_addresses_are_written_as_browsers_do(text: str, origin: str) -> None:
    assert read_origin(text) == origin


# Limits


def test_large_requests_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "workspace", limits=Limits(upload=2 << 20)) as client:
        large = [("output", ("a.en", b"x" * (3 << 20)))]
        answer = client.post("/api/evaluations", files=large)
        assert (answer.status_code, answer.json()) == (
            413,
            {"error": "more than 2 MB in one upload; send less at a time"},
        )

        def unknown_length() -> Iterator[bytes]:
            yield b'--x\r\ncontent-disposition: form-data; name="output"; filename="a"\r\n\r\n'
            yield from [b"x" * (1 << 20)] * 3

        head = {"content-type": "multipart/form-data; boundary=x"}
        answer = client.post("/api/evaluations", content=unknown_length(), headers=head)
        assert (answer.status_code, answer.json()) == (
            413,
            {"error": "more than 2 MB in one upload; send less at a time"},
        )
        assert list((tmp_path / "workspace" / "incoming").iterdir()) == []


@pytest.mark.parametrize(("path", "kind"), [
    ("/api/guess", "application/json"), ("/api/evaluations", "application/json"), ("/none", "text/plain"),
    ("/api/evaluations", "application/x-www-form-urlencoded"), ("/evaluations", "application/x-www-form-urlencoded"),
    ("/evaluations/x/rename", "multipart/form-data; boundary=x"), ("/evaluations/x/metrics", "multipart/form-data"),
])  # fmt: skip
def test_only_uploads_of_files_are_large(client: TestClient, path: str, kind: str) -> None:
    expected = (413, {"error": "more than 1 MB in one request; only an upload of files may have more"})
    head = {"content-type": kind}
    answer = client.post(path, content=b"x" * ((1 << 20) + 1), headers=head)
    assert (answer.status_code, answer.json()) == expected
    if path == "/api/guess" or "urlencoded" in kind:  # a length that is not said; what is not read is not counted
        answer = client.post(path, content=iter([b"x" * (1 << 19)] * 3), headers=head)
        assert answer.status_code == 413
        assert expected[1]["error"] in answer.text
    for wrong in (b"-1", b"1" * 30, b"\xb2", b"x"):
        assert (
            client.post(path, content=b"", headers=[("content-type", kind), ("content-length", wrong)]).status_code
            == 413
        )


def test_too_many_files_and_broken_forms(tmp_path: Path) -> None:
    with opened(tmp_path / "workspace", limits=Limits(files=3)) as client:
        four = [("output", (f"{k}.en", b"x")) for k in range(4)]
        answer = client.post("/api/evaluations", files=four)
        assert (answer.status_code, answer.json()) == (400, {"error": "Too many files. Maximum number of files is 3."})
        head = {"content-type": "multipart/form-data; boundary=x"}
        assert client.post("/api/evaluations", content=b"--y", headers=head).status_code in (400, 422)
        assert client.post("/api/evaluations", content=b"{}").status_code == 422


# What answers say


def test_every_answer_has_the_headers(client: TestClient) -> None:
    nonces = set()
    for path in (
        "/",
        "/none",
        "/api/evaluations",
        "/api/none",
        "/evaluations/none",
        "/evaluations/",
        "/api/openapi.json",
    ):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        policy = answer.headers["content-security-policy"]
        found = re.fullmatch(
            r"default-src 'none'; script-src 'nonce-(\S+)'; style-src 'nonce-(\S+)'; img-src 'self' data: blob:; "
            r"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", policy,
        )  # fmt: skip
        assert found is not None
        assert found[1] == found[2]
        nonces.add(found[1])
        assert "unsafe" not in policy
    assert len(nonces) == 7


def test_every_script_and_style_has_the_nonce(client: TestClient) -> None:
    answer = client.get("/")
    [nonce] = set(re.findall(r"nonce-([\w-]+)", answer.headers["content-security-policy"]))
    tags = re.findall(r"<(?:script|style)\b[^>]*>", answer.text)
    assert len(tags) == 3
    assert all(f'nonce="{nonce}"' in tag for tag in tags)
    assert not re.search(
        r"\son\w+\s*=|javascript:|<(?:script|link|img|iframe)[^>]*\s(?:src|href)=\"(?:http|//)", answer.text
    )


@pytest.mark.parametrize("path", [
    "/evaluations", "/evaluations/", "/assets", "/static/", "/templates/start.html", "/index.sqlite3", "/docs",
    "/redoc",
    "/%2e%2e/%2e%2e/etc/passwd", "/evaluations/%2e%2e/export", "/evaluations/..%2f..%2findex.sqlite3/export",
    "/api/evaluations/..%2f..%2f/export",
])  # fmt: skip
def test_nothing_is_listed_and_no_file_is_reached(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in (404, 405)


# Hostile names and texts

HOSTILE = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)", "{{ 7 * 7 }}", "\u202egnp.exe", "<!--", "'\"&",
]  # fmt: skip


def test_hostile_texts_are_only_texts(client: TestClient) -> None:
    lines = "".join(f"{text}\n" for text in [*HOSTILE, "x" * 20_000, "nul \x00 nul"]).encode()
    files = [("reference", ("<b>ref.en", lines)), ("output", ("<script>alert(1)<&'.en", lines)),
             ("output", ("onload=.en", lines))]  # fmt: skip
    made = client.post("/api/evaluations", files=files, data={"metrics": "bleu", "name": "<script>alert(1)</script>"})
    assert made.status_code == 201, made.text
    assert ended(client, made.json()["job"])["state"] == "done"
    address = f"/evaluations/{made.json()['id']}"
    waiting = client.get(address).text
    assert ended(client, client.get("/api/jobs").json()[0]["id"])["state"] == "done"
    answer = client.get(address)
    assert "summary-title" in answer.text
    for text in (client.get("/").text, waiting, answer.text):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert "<script>alert(1)" not in text
        assert "<b>ref" not in text
        assert "49" not in re.findall(r"<title>.*</title>", text)[0]
    [nonce] = set(re.findall(r"nonce-([\w-]+)", answer.headers["content-security-policy"]))
    running = [tag for tag in re.findall(r"<(?:script|style)\b[^>]*>", answer.text) if 'type="application/' not in tag]
    assert all(f'nonce="{nonce}"' in tag for tag in running)
    assert "Content-Security-Policy" not in answer.text  # the header's is the one that holds
    assert "no-referrer" not in answer.text  # forms of the page say where they come from


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_escaped(client: TestClient, name: str) -> None:
    made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu", "name": name})
    if name.startswith("\u202e"):
        assert made.json() == {"error": "the name has characters that cannot be shown; leave them out"}
        return
    assert made.json()["name"] == name
    page = client.get("/").text
    if "<" in name:
        assert name not in page
    exported = client.get(f"/evaluations/{made.json()['id']}/export").headers["content-disposition"]
    assert not set("<>/\\\r\n") & set(exported)


def test_our_own_mistakes_have_the_headers_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Workspace) -> None:
        raise OSError("<b>disk")

    with opened(tmp_path / "workspace") as client:
        monkeypatch.setattr(Workspace, "entries", fail)
        quiet = TestClient(client.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
        page, answer = quiet.get("/"), quiet.get("/api/evaluations")
    assert answer.json() == {"error": "tertium failed, which is a mistake of its own (OSError: <b>disk)"}
    assert "OSError: &lt;b&gt;disk" in page.text
    for found in (page, answer):
        assert found.status_code == 500
        assert "script-src 'nonce-" in found.headers["content-security-policy"]
        assert all(found.headers[name] == value for name, value in HEADERS.items())


def test_an_index_that_cannot_be_written_is_not_the_fault_of_who_asked(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with TestClient(create_app(workspace), base_url="http://127.0.0.1") as client:
        made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"}).json()
        ended(client, made["job"])
        workspace._index.rows("PRAGMA query_only = ON")
        answer = client.patch(f"/api/evaluations/{made['id']}", json={"name": "other"})
        workspace._index.rows("PRAGMA query_only = OFF")
    assert answer.status_code == 500
    assert answer.json() == {
        "error": f"{tmp_path}/index.sqlite3: cannot be used (attempt to write a readonly database); choose another "
        f"folder (--workspace DIR)"
    }


def test_only_pages_of_the_report_are_served() -> None:
    with pytest.raises(ValueError, match="not one of the report's"):
        served("<html><body>", "n", "")


def test_templates_trust_nothing_but_our_own_files() -> None:
    templates = Path(served.__code__.co_filename).parent / "templates"
    text = "".join(path.read_text() for path in templates.glob("*.html"))
    assert set(re.findall(r"\{\{ (\S+)\|safe", text)) == {"style", "script"}
    assert text.count("safe") == 4
    assert "autoescape" not in text
