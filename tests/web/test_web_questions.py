"""Questions about people, about metrics beside people, about two systems' words, damage and published scores: what the
command line prints of the same files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient
from tests.web.conftest import EXAMPLES, ended, example, opened, sent
from tests.web.test_web_people import WHOLE

import tertium as tt
from tertium.cli.main import cli

Workbench = tuple[TestClient, str]
TESTSET = "testset.toml"


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with opened(tmp_path_factory.mktemp("workbench") / "workspace") as client:
        made = client.post("/api/evaluations", files=sent(*WHOLE), data={"metrics": "bleu,chrf,macrof,human"})
        assert ended(client, made.json()["job"])["state"] == "done"
        yield client, made.json()["id"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Two systems whom nobody judged, without texts."""
    folder = tmp_path_factory.mktemp("plain")
    given = tt.read_testset(EXAMPLES / TESTSET)
    tt.save(tt.evaluate(given.testset, given.systems[:2], "bleu"), folder / "e.zip", texts=False)
    with opened(folder / "workspace") as client:
        made = client.post("/api/evaluations", files=[("file", ("e.zip", (folder / "e.zip").read_bytes()))])
        yield client, made.json()["id"]


def printed(monkeypatch: pytest.MonkeyPatch, *arguments: str, status: int = 0) -> object:
    monkeypatch.chdir(EXAMPLES)
    done = CliRunner().invoke(cli, [*arguments, "-f", "json"], catch_exceptions=False)
    assert done.exit_code == status
    return json.loads(done.stdout)


ADEQUACY = 'human(scale="adequacy")'
SIGNATURE = "bleu|refs:1-2|n:96"


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("types?first=atlas&second=brook&trials=100", ("types", TESTSET, "atlas", "brook", "--trials", "100")),
        ("types?first=delta&second=brook&show=types&show=gained&show=lost&show=ngrams&sort=difference&reverse=true"
         "&top=9&max_references=5&order=2&metric=macrof",
         ("types", TESTSET, "delta", "brook", "--show", "types,gained,lost,ngrams", "--sort", "diff", "--reverse",
          "--top", "9", "--max-refs", "5", "--order", "2")),
        ("types?first=atlas&second=brook&show=buckets&bounds=1&bounds=3&trials=50&seed=7",
         ("types", TESTSET, "atlas", "brook", "--show", "buckets", "--bounds", "1,3", "--trials", "50", "--seed", "7")),
        ("human/analyse", ("human", "analyse", TESTSET)),
        ("human/analyse?scales=adequacy&preset=appraise22&standardise=drop&over=genuine&over=repeat&test=permutation"
         "&clusters=strict&alpha=0.1&trials=50&seed=3&power=atlas&power=delta",
         ("human", "analyse", TESTSET, "--scale", "adequacy", "--preset", "appraise22", "--standardise", "drop",
          "--over", "genuine,repeat", "--test", "permutation", "--clusters", "strict", "--alpha", "0.1", "--trials",
          "50", "--seed", "3", "--power", "atlas,delta")),
        (
            "human/analyse?correction=none&standardise=none",
            ("human", "analyse", TESTSET, "--correction", "none", "--standardise", "none"),
        ),
        ("human/agreement", ("human", "agreement", TESTSET)),
        ("human/agreement?scale=da100&between=raters&by=domain&statistics=cohen&bins=50&bins=80&pairs=true"
         "&confidence=0.9&trials=20&seed=5&resample=item",
         ("human", "agreement", TESTSET, "--scale", "da100", "--between", "raters", "--by", "domain", "--statistics",
          "cohen", "--bins", "50,80", "--pairs", "--confidence-level", "0.9", "--trials", "20", "--seed", "5",
          "--resample", "item")),
        ("human/agreement?bins=4&ties=1", ("human", "agreement", TESTSET, "--bins", "4", "--ties", "1")),
        ("meta?trials=50", ("meta", TESTSET, "-m", "bleu,chrf,macrof", "--trials", "50")),
        (f"meta?metrics=chrf&metrics=bleu&gold={ADEQUACY}&levels=segment&micro=true&threshold=2&segment_by=tau_b:both"
         "&correction=bh&alpha=0.1&trials=40&seed=9",
         ("meta", TESTSET, "-m", "chrf,bleu", "--gold", ADEQUACY, "--level", "segment", "--micro", "--threshold", "2",
          "--segment-by", "tau_b:both", "--correction", "bh", "--alpha", "0.1", "--trials", "40", "--seed", "9")),
        ("stress?system=atlas&metrics=bleu&metrics=macrof&noises=delete&noises=permute&aims=rarest&aims=frequent"
         "&rates=0.1&rates=0.3&seeds=2&seed=8",
         ("stress", TESTSET, "--system", "atlas", "-m", "bleu,macrof", "--noise", "delete,permute", "--aim",
          "rarest,frequent", "--rates", ".1,.3", "--seeds", "2", "--seed", "8")),
        ("stress?on=references&metrics=bleu&noises=mask&seeds=1&tokenize=13a",
         ("stress", TESTSET, "--on", "references", "-m", "bleu", "--noise", "mask", "--seeds", "1", "--tokenize",
          "13a")),
        ("stress?system=delta&metrics=bleu&damage=true&noises=delete&top=4",
         ("stress", TESTSET, "--system", "delta", "-m", "bleu", "--damage", "--noise", "delete", "--top", "4")),
    ],
)  # fmt: skip
def test_answers_are_those_of_the_command_line(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, question: str, command: tuple[str, ...]
) -> None:
    client, name = workbench
    answer = client.get(f"/api/evaluations/{name}/{question}")
    assert answer.status_code == 200, answer.text
    assert answer.json() == printed(monkeypatch, *command)


COMMANDS = ["score", "compare", "disagree", "types", "diagnose", "buckets", "human/analyse", "human/agreement", "meta",
            "stress", "verify"]  # fmt: skip
OTHERWISE = {
    ("types", "sort"),  # columns by their names in JSON
    ("types", "metric"),  # the first that is counted
    ("human/analyse", "test"),  # any text, refused by a sentence
}


def command_of(question: str) -> click.Command:
    """`meta` alone is `meta evaluate`."""
    found: click.Command = cli
    for name in {"meta": ["meta", "evaluate"]}.get(question, question.split("/")):
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None
        found = inner
    return found


def choices(schema: dict[str, Any]) -> list[str] | None:
    """What a parameter of the JSON interface can be, where that is a list of words."""
    parts = [schema, *schema.get("anyOf", ()), schema.get("items", {})]
    return next((part["enum"] for part in parts if "enum" in part), None)


@pytest.mark.parametrize("question", COMMANDS)
def test_choices_and_defaults_are_those_of_the_command_line(client: TestClient, question: str) -> None:
    """Of every parameter that has the name of an option, whether it is written in one place or in two."""
    paths = client.get("/api/openapi.json").json()["paths"]
    asked = {item["name"]: item["schema"] for item in paths[f"/api/evaluations/{{id}}/{question}"]["get"]["parameters"]}
    options = {
        name.lstrip("-").replace("-", "_"): item
        for item in command_of(question).params
        for name in (*item.opts, str(item.name))
    }
    both = {name for name in asked.keys() & options.keys() if (question, name) not in OTHERWISE}
    assert both
    for name in both:
        option, schema = options[name], asked[name]
        if isinstance(option.type, click.Choice):
            assert choices(schema) == list(option.type.choices), name
        usual = option.to_info_dict().get("default")
        if isinstance(usual, int | float | str) and not isinstance(usual, bool):
            assert schema.get("default") == usual, name


def test_published_scores_are_verified(workbench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    client, name = workbench
    address = f"/api/evaluations/{name}/verify"
    asked = {"signature": SIGNATURE, "score": "12.3", "system": "atlas"}
    expected = printed(monkeypatch, "verify", SIGNATURE, TESTSET, "--score", "12.3", "--system", "atlas", status=1)
    assert client.get(address, params=asked).json() == expected
    scores = client.get(f"/api/evaluations/{name}/score?level=document").json()
    scores["scores"] = [item for item in scores["scores"] if item["metric"] != "human"]
    scores["scores"][0]["value"] += 1
    (tmp_path / "scores.json").write_text(json.dumps(scores))
    answer = client.post(address, content=json.dumps(scores)).json()
    assert answer == printed(monkeypatch, "verify", str(tmp_path / "scores.json"), TESTSET, status=1)
    assert [verdict["holds"] for verdict in answer["verdicts"]] == [False, *[True] * (len(scores["scores"]) - 1)]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("types?first=atlas", "only one system is named; name two: first, second"),
        ("types?first=atlas&second=x", "there is no system 'x'; systems: atlas, brook, cinder, delta"),
        ("types?first=atlas&second=atlas", "atlas against itself: name two different systems"),
        ("types?first=atlas&second=brook&show=all",
         "show.0: Input should be 'buckets', 'types', 'gained', 'lost', 'curve' or 'ngrams'"),
        ("types?first=atlas&second=brook&bounds=5&bounds=2", "bounds "),
        ("compare?alpha=1e-20", "alpha: Input should be greater than or equal to 0.000000001"),
        ("types?sort=gain", "sort=gain is for two systems; name them: first, second"),
        ("types?metric=blue", "unknown metric 'blue'; did you mean 'bleu'?"),
        ("human/analyse?scales=size", "judgements: scale="),
        ("human/analyse?scales=esa", "there are no judgements on the scale esa; there are: adequacy, fluency, da100"),
        ("human/analyse?test=x", "ranking: test="),
        ("human/analyse?over=none", "over.0: Input should be 'genuine', 'repeat', 'reference' or 'degraded'"),
        ("human/analyse?drop=lazy", "raters: flag="),
        ("human/analyse?power=atlas", "power is of two systems, and 1 are named; write power=A&power=B"),
        ("human/analyse?power=atlas&power=x", "no system is called x; judged were: "),
        ("human/agreement?statistics=x", "unknown statistic 'x'"),
        ("human/agreement?bins=2.5", "bins=2.5: a number of bins is whole; repeat it to say where bins begin"),
        ("human/agreement?bins=0", "bins=0: there can be 2 to 1000"),
        ("human/agreement?by=colour",
         "by='colour': test set town-notes has no such label; choose from document, domain"),
        ("human/agreement?scale=esa", "no judgements on the scale 'esa'; there are some on adequacy, fluency, da100"),
        ("meta?gold=bleu", "gold bleu: it does not read judgements; name one that does, such as human"),
        ("meta?gold=human(scale=%22esa%22)", 'human(scale="esa"): nobody judged test set town-notes on the scale esa'),
        ("meta?metrics=human", "there is no metric besides human; score the texts by one, such as bleu"),
        ("meta?metrics=ter", "the evaluation has no metric ter; there are: bleu, chrf, macrof, human"),
        ("meta?system_by=guess", "meta: system statistic="),
        ("meta?segment_by=acc_eq:williams", "acc_eq at segment level is not compared by test 'williams'"),
        ("verify", "signature: Field required"),
        ("verify?signature=bleu", "score: Field required"),
        ("verify?signature=bleu&score=many&system=atlas",
         "--score 'many' is not a number; write it as it was published"),
        ("verify?signature=bleu&score=30.0",
         "there are 4 systems; say which one (system=NAME): atlas, brook, cinder, delta"),
        ("verify?signature=bleu&score=30.0&system=x", "there is no system 'x'; systems: atlas, brook, cinder, delta"),
        ("verify?signature=bleu&score=30.0&system=atlas&metric=bleu(tokenize=%22py:os:getcwd%22)",
         'bleu: tokenize="py:os:getcwd" names a file or a function of this computer'),
        ("verify?signature=bleu(tokenize=%22spm:/etc/passwd%22)&score=30.0&system=atlas",
         'bleu: tokenize="spm:/etc/passwd" names a file or a function of this computer'),
        ("stress", "there are 4 systems; say which one (system=NAME): atlas, brook, cinder, delta"),
        ("stress?system=x", "there is no system 'x'; systems: atlas, brook, cinder, delta"),
        ("stress?system=atlas&on=references", "on=references damages references, not system atlas"),
        ("stress?system=atlas&tokenize=py:os:getcwd", "tokenize=py:os:getcwd names a file or a function"),
        ("stress?system=atlas&tokenize=x", "stress: tokenize=\"x\" is unknown; choose from none, 13a"),
        ("stress?system=atlas&noises=shout", "unknown noise 'shout'; known: mask, replace"),
        ("stress?system=atlas&aims=high", "aim 'high' is unknown; choose from "),
        ("stress?system=atlas&rates=2", "rates 2: must rise, above 0 and up to 1"),
        ("stress?system=atlas&seeds=0", "seeds: Input should be greater than or equal to 1"),
        ("stress?system=atlas&damage=true&noises=mask&noises=delete", "damage=true takes one noise, not 2"),
        ("stress?system=atlas&metrics=human",
         "people judged the outputs as they are, not damaged ones; choose metrics of texts, such as bleu"),
    ],
)  # fmt: skip
def test_wrong_questions_are_answered_by_sentences(workbench: Workbench, question: str, sentence: str) -> None:
    client, name = workbench
    answer = client.get(f"/api/evaluations/{name}/{question}")
    error = answer.json()["error"]
    assert answer.status_code == 422
    assert error.startswith(sentence)
    assert "mistake of its own" not in error


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]", b'{"scores": [{}]}', b"[" * 100_000])
def test_wrong_files_of_scores(workbench: Workbench, content: bytes) -> None:
    client, name = workbench
    answer = client.post(f"/api/evaluations/{name}/verify", content=content)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("the scores")


@pytest.mark.parametrize("level", ["corpus", "segment"])
def test_scores_lie_where_the_command_says(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, level: str
) -> None:
    client, name = workbench
    given = tt.read_testset(EXAMPLES / TESTSET)
    tt.freeze(tt.evaluate(given.testset, given.systems[:3], "bleu"), "three").save(tmp_path / "three.json")
    address = f"/api/evaluations/{name}/against?level={level}"
    answer = client.post(address, content=(tmp_path / "three.json").read_bytes()).json()
    words = ("score", TESTSET, "-m", "bleu,chrf,macrof,human", "--level", level)
    assert answer == printed(monkeypatch, *words, "--against", str(tmp_path / "three.json"))
    assert len(answer["against"][0]["places"]) == (4 if level == "corpus" else 4 * 96)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]", b"[" * 100_000])
def test_wrong_files_of_frozen_scores(workbench: Workbench, content: bytes) -> None:
    client, name = workbench
    answer = client.post(f"/api/evaluations/{name}/against", content=content)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("the frozen scores: no frozen scores; make them with: tertium freeze ")


def test_too_many_published_scores(workbench: Workbench) -> None:
    client, name = workbench
    answer = client.post(f"/api/evaluations/{name}/verify", content=b" " * ((1 << 20) + 1))
    assert answer.status_code == 413
    assert answer.json()["error"].startswith("more than 1 MB in one request")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("human/analyse", "test set town-notes has no judgements; upload it with a file of them"),
        ("human/agreement", "test set town-notes has no judgements; upload it with a file of them"),
        ("meta", "human needs judgements, and test set town-notes has none (judgements = in testset.toml)"),
        ("verify?signature=bleu&score=30.0&system=atlas",
         "the evaluation was saved without its texts, which this has to count again; upload the texts"),
        ("stress?system=atlas",
         "the evaluation was saved without its texts, which this has to count again; upload the texts"),
        ("types?first=atlas&second=brook",
         "no metric of this evaluation counts types; add one that does, such as macrof"),
    ],
)  # fmt: skip
def test_questions_that_an_evaluation_cannot_answer(plain: Workbench, question: str, sentence: str) -> None:
    client, name = plain
    answer = client.get(f"/api/evaluations/{name}/{question}")
    assert (answer.status_code, answer.json()) == (422, {"error": sentence})


def test_one_system_need_not_be_named(client: TestClient) -> None:
    made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"}).json()
    assert ended(client, made["job"])["state"] == "done"
    answer = client.get(f"/api/evaluations/{made['id']}/stress?noises=mask&seeds=1&rates=0.5")
    assert (answer.status_code, answer.json()["system"]) == (200, "atlas")
