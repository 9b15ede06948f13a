"""lexical: features by hand, weights from a file, and what is refused."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from laws.texts import make_testset

import tertium as tt
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.lexical import (
    FORMAT,
    Feature,
    LexicalWeights,
    embedded_bytes,
    embedded_digest,
    lexical_text,
    parse_lexical,
    read_lexical,
    write_lexical,
)
from tertium.metrics._lexical import count_features, predict, word_table

WEIGHTS = LexicalWeights(
    bias=1.0,
    features={"weighted_words": Feature(0.5, 0.25, 2.0), "same_end": Feature(0.0, 1.0, -1.0)},
    words={"the": 0.5},
    card={"data": "none"},
)


def score_of(output: str, references: list[str], metric: str = "lexical") -> tt.Score:
    system = tt.System(name="one", outputs=Lines.of([output]))
    (score,) = tt.evaluate(make_testset([references]), [system], [metric]).scores("corpus")
    return score


def features_of(output: str, reference: str, words: dict[str, float] | None = None) -> dict[str, float]:
    found = count_features(Lines.of([output]), Lines.of([reference]), word_table(words or {}))
    return {name: float(values[0]) for name, values in found.items()}


def test_features_by_hand() -> None:
    found = features_of("the cat sat", "the cats sat", {"the": 0.5})
    assert found["weighted_words"] == pytest.approx(2 * 1.5 / 5)  # the and sat, of 2.5 on either side
    assert found["char_errors"] == pytest.approx(1 / 12)  # one deletion, eleven hits
    assert found["char_error_rate"] == pytest.approx(1 / 12)
    assert found["chars_short"] == pytest.approx(1 / 13)  # lengths and one: 12 and 13
    assert found["chars_long"] == 0
    assert found["word_errors"] == pytest.approx(1 / 3)
    assert found["word_errors_root"] == pytest.approx(math.sqrt(1 / 3))
    assert found["subsequence"] == found["stems"] * 2 / 3 * 3 / 2 == pytest.approx(2 / 3)  # cat is not the stem cats
    assert found["endings"] == pytest.approx(2 / 3)
    assert found["order"] == 1
    assert (found["heaviest_missing"], found["mean_added"]) == (1, 1)
    assert found["longest_missing"] == pytest.approx(4 / 15)
    assert (found["numbers"], found["capitals"], found["marks"]) == (1, 1, 1)  # neither side has any
    assert (found["same_first"], found["same_last"], found["same_end"]) == (1, 1, 1)


def test_char_ngrams_are_chrf() -> None:
    chrf = score_of("the cat sat on", ["the cats sat"], "chrf").value
    assert 100 * features_of("the cat sat on", "the cats sat")["char_ngrams"] == pytest.approx(chrf, abs=1e-12)


def test_case_counts_where_it_should() -> None:
    found = features_of("WE SAW anna", "we saw Anna")
    assert found["lower_char_errors"] == found["lower_word_errors"] == 0
    assert found["word_errors"] == 1
    assert found["capitals"] == 0


def test_long_outputs_are_not_worse_than_worst() -> None:
    assert features_of("x" * 1000, "a")["char_error_rate"] == 1.5


def test_prediction_by_hand() -> None:
    features = {"weighted_words": np.array([0.5, 0.75]), "same_end": np.array([0.0, 1.0])}
    assert predict(features, WEIGHTS, "weights").tolist() == [1.0, 1.0 + 2.0 - 1.0]


def test_better_outputs_score_more() -> None:
    reference = "The minister said on Friday that 12 people had been hurt."
    outputs = [
        reference,
        "On Friday the minister said that 12 people were hurt.",
        "The minister told 21 people.",
        "Completely different words here!",
        "",
    ]
    scores = [score_of(output, [reference]).value for output in outputs]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_the_better_reference_counts() -> None:
    one, other = "A cat sat there.", "Nothing of the kind!"
    alone = score_of("A cat sat there.", [one]).value
    assert score_of("A cat sat there.", [other, one]).value == alone


def test_signature_names_the_embedded_weights() -> None:
    assert embedded_digest() in score_of("a b", ["a b"]).signature


def test_weights_survive_their_file(tmp_path: Path) -> None:
    write_lexical(WEIGHTS, tmp_path / "w.json")
    assert read_lexical(tmp_path / "w.json") == WEIGHTS


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    write_lexical(WEIGHTS, tmp_path / "mine.json")
    score = score_of("the cat", ["the cat"], f'lexical(model="{tmp_path / "mine.json"}")')
    assert score.value == 1.0 + 2.0 * (1 - 0.5) / 0.25 - 1.0
    assert score.metric.startswith('lexical(model="mine@')


def test_a_model_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    metric = f'lexical(model="{path}")'
    write_lexical(WEIGHTS, path)
    first = score_of("the cat", ["the cat"], metric).value
    write_lexical(LexicalWeights(2.0, WEIGHTS.features, WEIGHTS.words), path)
    assert score_of("the cat", ["the cat"], metric).value == first + 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "no weights of lexical; expected a JSON file of which `format` is 'tertium lexical 1'"),
        ({"features": None}, "`features` is missing or no object; was the file written whole?"),
        ({"bias": "much"}, "bias: got 'much', expected a number"),
        ({"bias": float("nan")}, "bias: got nan, expected a number"),
        ({"words": {"a": True}}, "word 'a': got True, expected a number"),
        ({"features": {"order": 3}}, "feature 'order': got 3, expected an object of mean, deviation and weight"),
        ({"features": {"order": {"mean": 0, "deviation": 0, "weight": 1}}}, "feature 'order': deviation 0; must be ab"),
        ({"features": {"order": {"mean": 0, "weight": 1}}}, "feature 'order', deviation: got None, expected a number"),
    ],
)
def test_files_that_are_refused(change: dict[str, object], message: str) -> None:
    whole = {"format": FORMAT, "card": {}, "bias": 0, "features": {}, "words": {}}
    with pytest.raises(InputError) as error:
        parse_lexical(json.dumps({**whole, **change}).encode(), "w.json")
    assert f"w.json: {message}" in str(error.value)


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"[" * 100_000, b"{}"])
def test_no_weights_at_all(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^w\.json: no weights of lexical"):
        parse_lexical(data, "w.json")


def test_a_feature_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    write_lexical(LexicalWeights(0.0, {"wit": Feature(0.0, 1.0, 1.0)}, {}), path)
    with pytest.raises(InputError, match="unknown feature 'wit'; this version of tertium counts char_ngrams, "):
        score_of("a", ["a"], f'lexical(model="{path}")')


def test_the_embedded_card_says_what_it_must() -> None:
    card = read_lexical().card
    assert {"data", "licence", "date", "recipe", "figures", "where it loses"} <= set(card)
    assert lexical_text(read_lexical()).encode() == embedded_bytes()
