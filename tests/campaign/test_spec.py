"""campaign.toml: what is refused, and in which words."""

from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.human.campaign.spec import read_campaign

RATERS = "[raters]\ncount = 2\n"
A = 'testset = "testset.toml"\nsystems = ["a"]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.de").write_text("eins\nzwei\ndrei\n")
    Path("r.en").write_text("one\ntwo\nthree\n")
    Path("a.en").write_text("a one\na two\na three\n")
    Path("b.en").write_text("b one\nb two\n\\N\n")
    Path("testset.toml").write_text(
        "name = 'small'\nsource = 's.de'\nreferences = 'r.en'\nsystems = '[ab].en'\nmissing = '\\N'\n"
    )
    return tmp_path


def refused(text: str) -> str:
    Path("campaign.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_campaign("campaign.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", 'campaign.toml: no test set; write testset = "testset.toml"'),
        ("testset = ", "campaign.toml: not a valid TOML file (Invalid value (at end of document))"),
        (
            'testset = "testset.toml"\nsystem = ["a"]',
            "campaign.toml: unknown key 'system'; did you mean 'systems'? known: name, testset, systems, seed, "
            "store, protocol, batches, control, raters, tutorial",
        ),
        (
            'testset = "testset.toml"\nsystems = ["c"]',
            "campaign.toml: unknown system 'c'; systems: a, b",
        ),
        (
            'testset = "testset.toml"\nsystems = ["a"]\n[protocol]\nname = "sqn"',
            "campaign.toml: unknown protocol 'sqn'; did you mean 'sqm'? known: da, adequacy-fluency, sqm, ranking, "
            "esa, mqm, post-edit",
        ),
        (
            f'testset = "testset.toml"\n{RATERS}',
            "campaign.toml: system b has no output for 1 segment (the first: 3); nobody can judge what is not there: "
            "leave the system out, or fill in an empty line",
        ),
        (
            'testset = "testset.toml"\nsystems = ["a"]',
            'campaign.toml: [raters] nobody; write names = ["anna", "ben"] or count = 2',
        ),
        (
            f"{A}{RATERS}[batches]\nsize = 0.5",
            "campaign.toml: [batches] size = 0.5 does not fit; expected a whole number",
        ),
        (
            f"{A}{RATERS}[batches]\nredundancy = 3",
            "campaign.toml: 3 raters are wanted for an output, and there are 2",
        ),
        (
            f"{A}{RATERS}[control]\ndegraded = 0.4\nrepeat = 0.3",
            "campaign.toml: [control] 70% of a batch would be control items; at most 50%",
        ),
        (
            f"{A}{RATERS}[control]\ndegraded = nan",
            "campaign.toml: [control] degraded = nan; must lie between 0 and 0.5",
        ),
        (
            f'{A}{RATERS}[protocol]\nname = "ranking"',
            "campaign.toml: [protocol] width = 2; with 1 system it is 2 to 1",
        ),
        (
            f'{A}{RATERS}[protocol]\nname = "post-edit"\n[control]\nrepeat = 0.1',
            "campaign.toml: [control] repeat: the protocol post-edit has no such items; set it to 0",
        ),
        (
            'testset = "testset.toml"\nsystems = ["a"]\n[raters]\nnames = ["eva", "eva"]',
            "campaign.toml: [raters]: the name 'eva' is there twice, or empty; every rater has one of their own",
        ),
        (
            f'{A}{RATERS}[[tutorial]]\nsource = "x"\noutputs = ["y"]',
            "campaign.toml: [[tutorial]] example 1 has no feedback; it has source, outputs and feedback",
        ),
        (
            f'{A}{RATERS}[[tutorial]]\nsource = "x"\noutputs = ["y", "z"]\nfeedback = "f"',
            "campaign.toml: [[tutorial]] example 1 has 2 outputs; a screen has 1",
        ),
        (
            f"{A}tutorial = 3\n{RATERS}",
            "campaign.toml: [[tutorial]] must be at most 100 tables with source, outputs and feedback",
        ),
        (
            'testset = "testset.toml"\nsystems = ["a"]\nraters = 3',
            "campaign.toml: [raters] must be a table, got 3",
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_refused(text: str, said: str) -> None:
    assert refused(text) == said


def test_documents_longer_than_a_batch(folder: Path) -> None:
    (folder / "d.txt").write_text("x\nx\nx\n")
    with Path("testset.toml").open("a") as file:
        file.write("documents = 'd.txt'\n")
    assert refused(f"{A}{RATERS}[batches]\nsize = 2") == (
        "campaign.toml: document x has 3 segments, but a batch has room for 2 beside its control items, and documents "
        "stay whole; raise [batches] size"
    )
