"""Signatures as published: what they mean in our words, and what of them cannot be checked."""

import math
from pathlib import Path

import pytest

from tertium.core.errors import InputError, OptionError
from tertium.io.claims import read_claims, read_signature
from tertium.metrics import parse

TEXTS = "a signature of sacreBLEU does not say which segments and references were scored"


@pytest.mark.parametrize(
    ("signature", "metric", "facts"),
    [
        ("bleu|refs:1|n:3|data:abc|tertium:0.1.0", "bleu", {"refs": "1", "n": "3", "data": "abc", "tertium": "0.1.0"}),
        ('bleu(tokenize="spm:a|b+v.1")|refs:1|spm:12', 'bleu(tokenize="spm:a|b+v.1")', {"refs": "1", "spm": "12"}),
        ("chrf(words=2)|bs:10|seed:1|ci:0.9", "chrf(words=2)", {"bs": "10", "seed": "1", "ci": "0.9"}),
        ("macrof1", "macrof1", {}),
        # sacreBLEU 2, long and short, with and without the metric's name
        ("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0", "bleu", {"refs": "1"}),
        ("nrefs:2|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0",
         'bleu(tokenize="zh", lowercase=True)', {"refs": "2"}),
        ("#:1|c:mixed|e:no|tok:intl|s:none|v:2.6.0", 'bleu(tokenize="intl", smooth="none")', {"refs": "1"}),
        (
            "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0",
            'bleu(smooth="floor", smooth_value=0.1)',
            {"refs": "1", "bs": "1000", "seed": "12345"},
        ),
        (
            "BLEU|nrefs:1|case:mixed|eff:no|tok:ja-mecab-0.996-IPA|smooth:exp|version:2.6.0",
            'bleu(tokenize="ja-mecab")',
            {"refs": "1", "ja-mecab": "0.996"},
        ),
        ("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0", "chrf(words=2)", {"refs": "1"}),
        ("chrF3|#:1|c:lc|e:no|nc:4|nw:0|s:yes|v:2.6.0",
         "chrf(chars=4, beta=3, lowercase=True, whitespace=True, eps=True)", {"refs": "1"}),
        ("TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0", "ter", {"refs": "1"}),
        ("#:1|c:mixed|t:tercom|nr:yes|pn:no|as:yes|v:2.6.0",
         "ter(normalized=True, no_punct=True, asian=True, case_sensitive=True)", {"refs": "1"}),
        # sacreBLEU 1
        ("BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.13", "bleu", {"refs": "1"}),
        ("BLEU+c.lc+#.2+s.exp+tok.intl+v.1.4.2", 'bleu(tokenize="intl", lowercase=True)', {"refs": "2"}),
        ("chrF1+numchars.6+numrefs.1+space.False+version.1.4.13", "chrf(beta=1)", {"refs": "1"}),
    ],
)  # fmt: skip
def test_what_signatures_mean(signature: str, metric: str, facts: dict[str, str]) -> None:
    claim = read_signature(signature, "27.3")
    assert parse(claim.metric) == parse(metric)
    assert claim.facts == facts


def test_what_cannot_be_checked() -> None:
    def unchecked(text: str) -> tuple[str, ...]:
        return read_signature(text, "1").unchecked

    full = "bleu|refs:1|n:3|data:abc"
    assert unchecked(full) == ()
    assert unchecked("bleu|n:3") == (
        "the signature does not say how many references there are, a hash of the references",
    )
    assert unchecked("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0") == (TEXTS,)
    assert unchecked("BLEU+case.mixed+lang.de-en+numrefs.1+smooth.exp+test.wmt17+tok.13a+version.1.4.13") == (
        TEXTS,
        "the score is of sacreBLEU 1.4.13; the numbers of tertium are those of 2.6.0",
        "lang.de-en cannot be checked",
        "test.wmt17 cannot be checked",
    )
    assert unchecked("nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0") == (
        "beta is not in the signature: taken to be 2",
        TEXTS,
    )
    assert unchecked("BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0")[0].startswith("eff:yes is for")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("27.3", 27.25, 27.35),
        ("27", 26.5, 27.5),
        ("27.30", 27.295, 27.305),
        ("-0.5", -0.55, -0.45),
        ("3e1", 29.5, 30.5),
    ],
)
def test_a_value_stands_for_all_that_round_to_it(text: str, low: float, high: float) -> None:
    claim = read_signature("bleu", text)
    assert claim.value - claim.tolerance == pytest.approx(low, abs=1e-6)
    assert claim.value + claim.tolerance == pytest.approx(high, abs=1e-6)


def test_a_line_of_sacrebleu_has_its_score() -> None:
    line = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 27.31 60.1/33.2 (BP = 1.000 ratio = 1.1)"
    assert (read_signature(line).shown, read_signature(line).metric) == ("27.31", "bleu")
    assert read_signature(line, "5").shown == "5"


@pytest.mark.parametrize(
    ("signature", "score", "sentence"),
    [
        ("bleu|refs:1", None, "bleu|refs:1: a signature without a score; say which one was published: --score VALUE"),
        ("bleu", "27,3", "--score '27,3' is not a number; write it as it was published, such as 27.3"),
        ("bleu", "nan", "--score 'nan' is not a number"),
        ("bleu", "1e999", "--score '1e999' is not a number"),
        ("bleu|what", "1", "bleu|what: 'what' is not part of a signature; write it as in bleu|refs:1|n:1997"),
        (
            "nrefs:1|version:2.6.0",
            "1",
            "nrefs:1|version:2.6.0: which metric of sacreBLEU is this? Write BLEU|, chrF2| or",
        ),
        (
            "BLEU|nrefs:1|tok:flores200|version:2.6.0",
            "1",
            "tok:flores200 is a SentencePiece model, and none comes with",
        ),
    ],
)
def test_mistakes_in_signatures(signature: str, score: str | None, sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        read_signature(signature, score)
    assert str(error.value).startswith(sentence)


SCORE = '{"system": "s", "metric": "bleu", "level": "corpus", "value": VALUE, "n": 3, "signature": "bleu|refs:1"MORE}'


def scores(value: str, more: str = "") -> str:
    """A file with one score."""
    return '{"testset": {"digest": "d"}, "scores": [' + SCORE.replace("VALUE", value).replace("MORE", more) + "]}"


def test_scores_of_a_file(tmp_path: Path) -> None:
    interval = ', "interval": {"low": 1, "high": 3.5, "confidence": 0.95}, "parts": {"x": [1, 2.5]}'
    path = tmp_path / "s.json"
    path.write_text(scores("2.5", interval))
    [one] = read_claims(str(path))
    assert (one.value, one.system, one.n, one.digest, one.facts) == (2.5, "s", 3, "d", {"refs": "1"})
    assert one.tolerance < 1e-8  # at full precision, whatever the number of digits
    assert one.interval is not None
    assert (one.interval.low, one.interval.high, one.interval.confidence) == (1, 3.5, 0.95)
    path.write_text(scores("null"))
    [one] = read_claims(str(path))
    assert math.isnan(one.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not a JSON file ("),
        ("[" * 100_000, "not a JSON file ("),
        ("[]", "no scores in it; was it written by tertium score --format json?"),
        ('{"scores": []}', "no scores in it; was it written by tertium score --format json?"),
        ('{"scores": [3]}', "scores[0] has no valid 'metric'; was it written by tertium score --format json?"),
        ('{"scores": [{"metric": true}]}', "scores[0] has no valid 'metric'; was it written"),
        (scores("NaN"), "scores[0] has no valid 'value'; was it written"),
        (scores("1e999"), "scores[0]: 1E+999 is not the value of a score"),
        (scores("1" + "0" * 400), "scores[0]: 1000000000000000000000000000000000000000 is not the value of a score"),
        (scores("1", ', "interval": {}'), "scores[0] has no valid 'interval'; it needs low, high and confidence"),
        (scores("1").replace("corpus", "word"), "scores[0]: level 'word' is unknown; it is one of corpus, document, "),
    ],
)
def test_mistakes_in_files(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_claims(str(path))
    assert str(error.value).startswith(f"{path}: {sentence}")
