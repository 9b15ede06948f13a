"""Real language models: they start and stop, answer the same again, and score given texts exactly."""

import csv
from pathlib import Path

import pytest

from tertium.core.errors import InputError, OptionError
from tertium.core.run import PLAIN
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.connection import ServerError
from tertium.models.gguf import GgufModel
from tertium.models.language_model import Decoding, Request
from tertium.models.replay import ReplayModel
from tertium.models.server import ServerModel
from tertium.prompt.beam import beam_search

pytestmark = pytest.mark.llm

PROMPT, CONTINUATION = "German: Das Wetter ist heute sch\u00f6n.\nEnglish:", " The weather is nice today.\n"
SHORT = Decoding(tokens=12, stop=("\n",), log_probabilities=True)


def test_a_server_starts_and_stops_three_times(gemma_path: Path) -> None:
    answers = []
    for _ in range(3):
        model = GgufModel(str(gemma_path), context=256)
        address = model._asked.connection.address
        answers += list(model.complete([Request(prompt=PROMPT, decoding=SHORT)], PLAIN))
        model.close()
        gone = ServerModel(address, "m")
        with pytest.raises(ServerError, match="no connection"):
            list(gone.complete([Request(prompt=PROMPT)], PLAIN))
        gone.close()
    assert len({(answer.text, answer.log_probability) for answer in answers}) == 1


def test_a_model_that_was_asked_nothing_can_be_closed(gemma_path: Path) -> None:
    """Closed at once, llama.cpp's server hung in the second or third round."""
    for _ in range(4):
        model = GgufModel(str(gemma_path), context=256)
        model.close()
        model.close()  # twice is as good


def test_an_answer_is_the_same_again_whatever_was_asked_before(gemma: GgufModel) -> None:
    request = Request(prompt=PROMPT, decoding=SHORT)
    other = Request(prompt=f"{PROMPT} The sun", decoding=SHORT)
    answers = list(gemma.complete([request, other, request, request], PLAIN))
    assert answers[0].text.strip()
    assert {(answers[k].text, answers[k].log_probability) for k in (0, 2, 3)} == {
        (answers[0].text, answers[0].log_probability)
    }
    assert answers[0].finish == "stop"
    assert "\n" not in answers[0].text
    assert answers[0].prompt_tokens == 12


def test_samples_differ_and_can_be_had_again(gemma: GgufModel) -> None:
    sampling = Decoding(tokens=12, temperature=1.0, seed=1)
    requests = [Request(prompt="Once upon a time", decoding=sampling, sample=k) for k in (0, 1, 2, 0)]
    texts = [answer.text for answer in gemma.complete(requests, PLAIN)]
    assert len(set(texts[:3])) == 3
    assert texts[3] == texts[0]
    assert all(answer.finish == "length" for answer in gemma.complete(requests[:1], PLAIN))


def test_a_token_grammar_says_what_a_bias_says(gemma: GgufModel) -> None:
    """Prompts that are read whole and token by token are added up in another order, and weights have four bits."""
    [score] = gemma.force([(PROMPT, CONTINUATION)], PLAIN)
    judge = gemma._asked.connection.call(gemma.llama.by_bias(PROMPT, CONTINUATION))
    assert score.tokens == judge.tokens == (" The", " weather", " is", " nice", " today", ".", "\n")
    assert score.log_probabilities == pytest.approx(judge.log_probabilities, abs=0.2)
    assert score.log_probabilities[0] == pytest.approx(judge.log_probabilities[0], abs=1e-5)
    assert all(-10 < value < 0 for value in score.log_probabilities)


def test_forced_log_probabilities_are_those_of_the_whole_distribution(gemma: GgufModel) -> None:
    """Of three tokens, each as the first one behind its prompt, so that both read the same text in the same way."""
    call = gemma._asked.connection.call
    ids, forced = call(gemma.llama.split(PROMPT, CONTINUATION))
    for k in range(3):
        so_far = ids + forced.ids[:k]
        found = call(gemma.llama.distribution(so_far, 262144))
        assert len(found) == 262144
        before, after = "".join(forced.texts[:k]), "".join(forced.texts[k:])
        [score] = gemma.force([(PROMPT + before, after)], PLAIN)
        assert score.tokens[0] == forced.texts[k]
        assert score.log_probabilities[0] == pytest.approx(found[forced.ids[k]], abs=1e-3)


def test_an_answer_scores_as_it_was_chosen(gemma: GgufModel) -> None:
    """What greedy search says of its own answer is what forcing that answer says."""
    [answer] = gemma.complete([Request(prompt=PROMPT, decoding=Decoding(tokens=5, log_probabilities=True))], PLAIN)
    [score] = gemma.force([(PROMPT, answer.text)], PLAIN)
    assert len(score.tokens) == 5
    assert score.total == pytest.approx(answer.log_probability, abs=1e-3)


def test_what_cannot_be_scored_is_refused(gemma: GgufModel) -> None:
    with pytest.raises(OptionError, match="an empty continuation has no log-probability"):
        list(gemma.force([(PROMPT, "")], PLAIN))
    with pytest.raises(ServerError, match=r"exceeds the available context size \(1024 tokens\)"):
        list(gemma.force([("word " * 1100, "x")], PLAIN))
    with pytest.raises(OptionError, match="the file has no template for chats"):
        list(gemma.complete([Request(prompt=(("user", "Hello"),))], PLAIN))


def test_a_server_of_llama_shows_what_it_can(gemma: GgufModel) -> None:
    """It ignores `echo` in silence; the probe is not taken in."""
    connection = gemma._asked.connection
    found = ServerModel(connection.address, "any", connection=connection)
    assert found.abilities.forcing == "grammar"
    assert list(found.force([(PROMPT, CONTINUATION)], PLAIN)) == list(gemma.force([(PROMPT, CONTINUATION)], PLAIN))


def test_a_chat(smollm2: GgufModel) -> None:
    assert smollm2.abilities.chats
    chat = (("system", "You answer with one word."), ("user", "What is the capital of France?"))
    [answer] = smollm2.complete([Request(prompt=chat, decoding=Decoding(tokens=16))], PLAIN)
    assert "Paris" in answer.text
    assert (answer.prompt_tokens or 0) > 15


def test_a_spoilt_file_is_no_model(gemma_path: Path, tmp_path: Path) -> None:
    with gemma_path.open("rb") as file:
        (tmp_path / "cut.gguf").write_bytes(file.read(20_000_000))
    with pytest.raises(InputError, match=r"20000000 bytes, but its tensors need \d+: the file was cut off"):
        GgufModel(str(tmp_path / "cut.gguf"))


# Sentiment, as the lecture has it: [X] Overall, it was a [Z] movie.

LABELS = {"great": "+", "fantastic": "+", "bad": "-", "horrible": "-"}


def reviews() -> list[tuple[str, str]]:
    with (Path(__file__).parent / "reviews.tsv").open(encoding="utf-8", newline="") as file:
        return [(row["label"], row["review"]) for row in csv.DictReader(file, delimiter="\t")]


def test_reviews_are_judged_by_forced_scores(gemma: GgufModel, tmp_path: Path) -> None:
    """The likeliest answer says more of the words than of the review; against the empty input it is right."""
    given = reviews()
    assert len(given) == 8
    inputs = ["", *(text for _, text in given)]
    prompts = [f"{text} Overall, it was a".strip() for text in inputs]
    pairs = [(prompt, f" {word} movie.") for prompt in prompts for word in LABELS]
    with AnswerCache(tmp_path / "answers.sqlite3") as cache:
        model = CachedModel(gemma, cache)
        totals = [score.total for score in model.force(pairs, PLAIN)]
        assert model.calls == len(pairs)
    rows = [totals[k : k + len(LABELS)] for k in range(0, len(totals), len(LABELS))]
    empty, *scored = rows
    words = list(LABELS)
    raw = [LABELS[words[row.index(max(row))]] for row in scored]
    pmi = []
    for row in scored:
        gains = [value - before for value, before in zip(row, empty, strict=True)]
        pmi.append(LABELS[words[gains.index(max(gains))]])
    wanted = [label for label, _ in given]
    right_raw = sum(map(str.__eq__, raw, wanted))
    right_pmi = sum(map(str.__eq__, pmi, wanted))
    assert right_pmi >= 7
    assert right_raw < right_pmi
    replayed = ReplayModel(tmp_path / "answers.sqlite3")
    assert [score.total for score in replayed.force(pairs, PLAIN)] == totals
    replayed.close()


def test_a_beam_over_next_tokens_is_never_below_greedy(gemma: GgufModel) -> None:
    """The log-probability of a beam's text is that of its tokens, forced; a beam of 1 is the greedy text."""
    [tokens] = gemma.next_tokens([PROMPT], 3, PLAIN)
    forced = [score.total for score in gemma.force([(PROMPT, text) for text, _ in tokens], PLAIN)]
    assert [value for _, value in tokens] == pytest.approx(forced, abs=0.2)
    decoding = Decoding(tokens=5)
    [greedy] = beam_search(gemma, PROMPT, decoding, 1)
    assert greedy.text == next(gemma.complete([Request(prompt=PROMPT, decoding=decoding)], PLAIN)).text
    best = beam_search(gemma, PROMPT, decoding, 3)[0]
    assert best.log_probability >= greedy.log_probability
