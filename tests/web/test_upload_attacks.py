"""Uploads by somebody who means harm: nothing outside is read, and neither time nor memory is taken for long."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.test_uploads import OUTPUT, REFERENCE, packed, part, read, refusal

from tertium.core.errors import InputError
from tertium.io.testset import read_testset
from tertium.io.texts import Spec
from tertium.web.uploads import Text, read_texts_as, safe_name

SECRET = "TOPSECRET-1\nTOPSECRET-2\n"


# Columns that are paths


@pytest.mark.parametrize("climb", range(1, 6))
def test_a_column_is_never_a_path(tmp_path: Path, climb: int) -> None:
    folder = tmp_path / "a" / "b"
    (tmp_path / "secret.txt").write_text(SECRET)
    # What a sender could have made before colons were refused: a folder that is called as the file and a colon.
    (folder / "a.txt:").mkdir(parents=True)
    (folder / "a.tsv:").mkdir()
    column = "/" + "../" * climb + "secret.txt"
    reference = part("file", "ref.en", REFERENCE)
    roles = [
        {"file": "a.txt", "role": "output", "column": column, "name": "x"},
        {"file": "ref.en", "role": "reference"},
    ]
    assert refusal(folder, part("file", "a.txt", OUTPUT), reference, roles=roles) == (
        f"a.txt:{column}: a.txt is plain text and has no columns; write a.txt"
    )
    for role in ("source", "reference", "documents"):
        named = [{**roles[0], "role": role}, {"file": "o.en", "role": "output"}]
        extra = [] if role == "reference" else [{"file": "r.en", "role": "reference"}]
        files = [part("file", name, OUTPUT) for name in ("a.txt", "o.en", "r.en")]
        again = tmp_path / role / "b"
        (again / "a.txt:").mkdir(parents=True)
        assert "a.txt is plain text and has no columns" in refusal(again, *files, roles=[*named, *extra])
    table = part("file", "a.tsv", f"reference\t{column}\none\tworld\n")
    found = read(folder, table)
    assert [(system.name, list(system.outputs)) for system in found.systems] == [(column, ["world"])]


def test_columns_of_uploads_through_the_server(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    for climb in range(1, 7):
        column = "/" + "../" * climb + "secret.txt"
        files = [("file", (name, b"hello\n")) for name in ("a.txt", "a.txt:/b", "ref.en")]
        roles = [{"file": "a.txt", "role": "output", "column": column}, {"file": "ref.en", "role": "reference"}]
        answer = client.post("/api/evaluations", files=files, data={"roles": json.dumps(roles), "metrics": "bleu"})
        assert answer.status_code == 422
        zipped = packed({"a.tsv": f"reference\t{column}\nhello\tworld\n", "a.tsv:/README": "x\n"})
        answer = client.post("/api/evaluations", files=[("file", ("x.zip", zipped))], data={"metrics": "bleu"})
        assert answer.json() == {
            "error": "'a.tsv:/README': a name with a colon may mean a column of a table; rename the file"
        }
    assert client.get("/api/evaluations").json() == []


@pytest.mark.parametrize("name", ["a:b", "a.tsv:/b", "a/b:c/d", "a::$DATA", ":"])
def test_colons_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="a name with a colon"):
        safe_name(name)


@pytest.mark.parametrize("name", [".. /a", "../ a", "a/... /b", "a/. ./b", " ", "a/ "])
def test_names_that_other_systems_shorten_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="not a name inside the upload"):
        safe_name(name)


def test_what_is_opened_lies_in_the_upload(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text(SECRET)
    (folder / "link").symlink_to(tmp_path / "secret.txt")
    (folder / "r.en").write_text(REFERENCE)
    reference = Text("reference", Spec(str(folder / "r.en")))
    for path in (tmp_path / "secret.txt", folder / "link", folder / ".." / "secret.txt", Path("/etc/passwd")):
        for role in ("output", "judgements", "source"):
            with pytest.raises(InputError, match="not a file of the upload; send it along"):
                read_texts_as([reference, Text(role, Spec(str(path)))], folder)


KEYS = ["source", "references", "systems", "documents", "ids", "judgements", "labels"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("spec", ["../secret.txt", "link", "li*", "t.tsv:/../../secret.txt", "*/../../secret.txt"])
def test_a_confined_testset_opens_nothing_outside(tmp_path: Path, key: str, spec: str) -> None:
    folder = tmp_path / "up"
    (folder / "t.tsv:").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text(SECRET)
    (folder / "link").symlink_to(tmp_path / "secret.txt")
    (folder / "r.en").write_text(REFERENCE)
    named = f'[labels]\nd = "{spec}"\n' if key == "labels" else f'{key} = "{spec}"\n'
    path = folder / "testset.toml"
    path.write_text(("" if key == "references" else 'references = "r.en"\n') + named)
    with pytest.raises(InputError, match=r"lies outside the folder; name files in it|no such file") as caught:
        read_testset(path, folder)
    if "*" not in spec or key == "systems":
        assert "lies outside the folder" in str(caught.value)


def test_judgements_are_whole_files(tmp_path: Path) -> None:
    rated = "system\tsegment\trater\tscale\tvalue\na\t1\tr\tda100\t50\n"
    files = [part("file", "a.en", OUTPUT), part("file", "r.en", REFERENCE), part("file", "j.tsv", rated)]
    roles = [{"file": "a.en", "role": "output"}, {"file": "r.en", "role": "reference"},
             {"file": "j.tsv", "role": "judgements", "column": "/../../secret.txt"}]  # fmt: skip
    assert [judgement.value for judgement in read(tmp_path, *files, roles=roles).judgements] == [50]
