"""Language models in Hugging Face folders: forced scores by hand, answers, beams, and folders that are none."""

import json
import math
import re
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from tests.neural.examples import one_thread
from tests.neural.folders import KINDS, WRITERS, write_folder
from tests.neural.tiny import WORDS

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.run import PLAIN
from tertium.models.about import about
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.language_model import Abilities, Answer, Decoding, Gap, Request
from tertium.models.open import open_model
from tertium.models.replay import ReplayModel
from tertium.prompt.answers import answer
from tertium.prompt.beam import beam_search

pytestmark = pytest.mark.neural
alone = pytest.fixture(autouse=True, scope="module")(one_thread)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A folder of a kind, written once."""
    pytest.importorskip("transformers")
    root, made = tmp_path_factory.mktemp("folders"), {}

    def get(kind: str, seed: int = 3) -> Path:
        if (kind, seed) not in made:
            made[kind, seed] = write_folder(root / f"{kind}-{seed}", kind, seed)
        return made[kind, seed]

    return get


@pytest.fixture(scope="module")
def opened(folder: Callable[..., Path]) -> Callable[..., Any]:
    models: dict[tuple[str, int], Any] = {}

    def get(kind: str, seed: int = 3) -> Any:
        if (kind, seed) not in models:
            models[kind, seed] = open_model(f"hf:{folder(kind, seed)}")
        return models[kind, seed]

    return get


def ask(model: Any, prompt: str, **decoding: Any) -> Answer:
    [found] = model.complete([Request(prompt=prompt, decoding=Decoding(**decoding))], PLAIN)
    return found


def by_hand(logits: Any) -> list[float]:
    """Softmax as textbooks have it, in double precision."""
    values = [float(value) for value in logits]
    whole = math.log(math.fsum(math.exp(value) for value in values))
    return [value - whole for value in values]


def network_of(folder: Path, kind: str) -> tuple[Any, Any]:
    """The same model, loaded without us."""
    import transformers

    auto = {"gpt2": "AutoModelForCausalLM", "t5": "AutoModelForSeq2SeqLM", "bart": "AutoModelForSeq2SeqLM"}
    network = getattr(transformers, auto.get(kind, "AutoModelForMaskedLM")).from_pretrained(folder)
    return network.eval(), transformers.AutoTokenizer.from_pretrained(folder)


# Kinds and what they can do


@pytest.mark.parametrize(
    ("kind", "expected", "architecture"),
    [
        ("gpt2", Abilities(samples=True, forcing="network", beam="native"), "left-to-right"),
        ("bert", Abilities(completes=False, forcing="network", fills=True), "masked"),
        ("roberta", Abilities(completes=False, forcing="network", fills=True), "masked"),
        ("t5", Abilities(samples=True, forcing="network", fills=True, beam="native"), "encoder-decoder"),
        ("bart", Abilities(samples=True, forcing="network", beam="native"), "encoder-decoder"),
    ],
)
def test_kinds(opened: Any, folder: Any, kind: str, expected: Abilities, architecture: str) -> None:
    model = opened(kind)
    assert model.abilities == expected
    assert model.folder.kind == architecture
    told = about(model)
    assert told.stands is not None
    assert (told.stands.architecture, told.family) == (architecture, kind)
    assert told.parameters == network_of(folder(kind), kind)[0].num_parameters()
    # RoBERTa counts positions from behind its padding; T5 has no table of them.
    assert told.context == {"t5": None, "roberta": 46}.get(kind, 48)
    assert model.name == f"{kind}-3"
    assert model.identity.startswith(f"hf:{kind}-3@{model.folder.model.digest} transformers ")


def test_the_same_name_with_other_weights_is_another_model(folder: Any, tmp_path: Path) -> None:
    one, other = (shutil.copytree(folder("gpt2", seed), tmp_path / f"{seed}" / "m") for seed in (3, 4))
    identities = [open_model(f"hf:{path}").identity for path in (one, other)]
    assert identities[0] != identities[1]


@pytest.mark.parametrize("kind", KINDS)
def test_no_connection_is_opened(folder: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    model = open_model(f"hf:{folder(kind)}")
    assert len(list(model.force([("the cat", " sat")], PLAIN))) == 1


# Forced scores


def test_left_to_right_scores_are_those_of_a_softmax(opened: Any, folder: Any) -> None:
    import torch

    network, tokenizer = network_of(folder("gpt2"), "gpt2")
    ids = tokenizer("die Katze the cat sat")["input_ids"]
    with torch.no_grad():
        rows = network(torch.tensor([ids])).logits[0]
    expected = [by_hand(rows[place - 1])[ids[place]] for place in (2, 3, 4)]
    [found] = opened("gpt2").force([("die Katze", " the cat sat")], PLAIN)
    assert found.tokens == (" the", " cat", " sat")
    assert found.log_probabilities == pytest.approx(expected, abs=1e-5)
    assert math.exp(math.fsum(by_hand(rows[0]))) < 1  # not all alike
    shares = [math.exp(next(opened("gpt2").force([("die Katze", f" {word}")], PLAIN)).total) for word in WORDS]
    assert 0.5 < math.fsum(shares) < 1  # the rest has <unk> and <eos>


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_masked_scores_are_those_of_a_softmax(opened: Any, folder: Any, kind: str) -> None:
    """Two tokens: the first while the second is masked, the second while the first is there."""
    import torch

    network, tokenizer = network_of(folder(kind), kind)
    ids = tokenizer("the big cat sat on the mat")["input_ids"]
    first, second = list(ids), list(ids)
    first[2] = first[3] = second[3] = tokenizer.mask_token_id
    with torch.no_grad():
        expected = [
            by_hand(network(torch.tensor([first])).logits[0, 2])[ids[2]],
            by_hand(network(torch.tensor([second])).logits[0, 3])[ids[3]],
        ]
    model = opened(kind)
    [found] = model.force_gaps([Gap("the", " big cat", " sat on the mat")], PLAIN)
    assert found.tokens == (" big", " cat")
    assert found.log_probabilities == pytest.approx(expected, abs=1e-5)
    [other] = model.force_gaps([Gap("the", " big cat", " lay under the rug")], PLAIN)
    assert other.total != found.total  # it sees what stands behind
    [behind] = model.force([("the", " big cat")], PLAIN)
    assert behind == next(model.force_gaps([Gap("the", " big cat")], PLAIN))


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_encoder_decoder_scores_are_those_of_a_softmax(opened: Any, folder: Any, kind: str) -> None:
    import torch

    network, tokenizer = network_of(folder(kind), kind)
    begin = {"t5": [0], "bart": [2, 0]}[kind]  # BART writes <s> before its texts
    ids = tokenizer("the cat", add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        encoded = torch.tensor([tokenizer("die Katze")["input_ids"]])
        rows = network(input_ids=encoded, decoder_input_ids=torch.tensor([[*begin, *ids]])).logits[0]
    expected = [by_hand(rows[len(begin) - 1 + place])[number] for place, number in enumerate(ids)]
    [found] = opened(kind).force([("die Katze", " the cat")], PLAIN)
    assert found.tokens == ("the", " cat")
    assert found.log_probabilities == pytest.approx(expected, abs=1e-5)


def test_sentinels_fill_gaps(opened: Any, folder: Any) -> None:
    import torch

    network, tokenizer = network_of(folder("t5"), "t5")
    opening, closing = tokenizer.convert_tokens_to_ids(["<extra_id_0>", "<extra_id_1>"])
    plain = {"add_special_tokens": False}
    encoded = [*tokenizer("the", **plain)["input_ids"], opening, *tokenizer("sat")["input_ids"]]
    answer_ids = tokenizer("big cat", **plain)["input_ids"]
    with torch.no_grad():
        written = torch.tensor([[0, opening, *answer_ids, closing]])
        rows = network(input_ids=torch.tensor([encoded]), decoder_input_ids=written).logits[0]
    expected = [by_hand(rows[1 + place])[number] for place, number in enumerate([*answer_ids, closing])]
    [found] = opened("t5").force_gaps([Gap("the", " big cat", " sat")], PLAIN)
    assert found.tokens == ("big", " cat", "<extra_id_1>")
    assert found.log_probabilities == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cloze_is_answered_by_every_kind(opened: Any, kind: str) -> None:
    """Those that fill gaps score the answer alone, the others what follows as well."""
    model, template = opened(kind), "the [X] [Z] on the mat"
    [choice] = answer(["cat"], model, template, answers=["sat", "lay"])
    scored = {"bert": 1, "roberta": 1, "t5": 2}.get(kind, 4)
    assert [one.tokens for one in choice.answers] == [scored, scored]
    gaps = [Gap("the cat", f" {word}", " on the mat") for word in ("sat", "lay")]
    assert [one.log_probability for one in choice.answers] == [one.total for one in model.force_gaps(gaps, PLAIN)]


MARKS = {"gpt2": "<eos>", "bert": "[MASK]", "roberta": "<mask>", "t5": "</s>", "bart": "</s>"}


@pytest.mark.parametrize("kind", KINDS)
def test_marks_in_a_text_are_text(opened: Any, folder: Any, kind: str) -> None:
    """Whoever writes [MASK] or </s> into a prompt masks and ends nothing: it is read as other words are."""
    mark = MARKS[kind]
    _, tokenizer = network_of(folder(kind), kind)
    assert tokenizer.convert_tokens_to_ids(mark) in tokenizer(f"the {mark} cat", add_special_tokens=False)["input_ids"]
    spaced = " ".join(part for part in re.split(r"(\W)", mark) if part)
    texts = [f"the {mark} cat", f"the {spaced} cat"]
    scores = [next(opened(kind).force([(text, " sat")], PLAIN)).total for text in texts]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_no_score(opened: Any, kind: str) -> None:
    model = opened(kind)
    for pair, expected in {
        ("the cat", ""): f"{kind}-3: an empty continuation has no log-probability; give it some text",
        ("the cat", " purred"): f"{kind}-3: the tokenizer has no tokens for 'purred', so it has no log-probability; "
        "choose other words",
        ("the \ud800", " cat"): "a prompt has the lone surrogate U+D800, which is not text; mend its source",
    }.items():
        with pytest.raises(OptionError) as caught:
            list(model.force([pair], PLAIN))
        assert str(caught.value) == expected


def test_an_empty_prompt_needs_something_to_begin_with(opened: Any) -> None:
    with pytest.raises(OptionError, match=r"^an empty prompt leaves this model nothing to begin with"):
        list(opened("gpt2").force([("", "the")], PLAIN))
    with pytest.raises(OptionError, match=r"^an empty prompt leaves this model nothing to begin with"):
        ask(opened("gpt2"), "")
    with pytest.raises(OptionError, match=r"^an empty prompt leaves this model nothing to begin with"):
        list(opened("gpt2").next_tokens([""], 2, PLAIN))
    assert next(opened("t5").force([("", "the")], PLAIN)).total < 0  # its encoder reads </s>


def test_too_long(opened: Any) -> None:
    with pytest.raises(OptionError) as caught:
        list(opened("gpt2").force([("the " * 60, " cat")], PLAIN))
    assert str(caught.value) == (
        "gpt2-3: a text of 61 tokens, but the model reads at most 48; shorten it, or show fewer demonstrations"
    )
    with pytest.raises(OptionError) as caught:
        ask(opened("gpt2"), "the " * 48)
    assert str(caught.value) == (
        "gpt2-3: a prompt of 48 tokens leaves no room for an answer; the model reads at most 48"
    )
    assert ask(opened("gpt2"), "the " * 46, tokens=9).answer_tokens <= 2
    with pytest.raises(OptionError, match=r"^bart-3: a text of 62 tokens, but the model reads at most 48;"):
        list(opened("bart").force([("die Katze", " cat" * 60)], PLAIN))
    assert ask(opened("bart"), "die Katze", tokens=99).answer_tokens <= 46


# Answers


@pytest.mark.parametrize("kind", WRITERS)
def test_greedy_answers_take_the_likeliest_token(opened: Any, folder: Any, kind: str) -> None:
    import torch

    network, tokenizer = network_of(folder(kind), kind)
    written = {"gpt2": tokenizer("die Katze")["input_ids"], "t5": [0], "bart": [2, 0]}[kind]
    start, total = len(written), 0.0
    for _ in range(5):
        given = {"input_ids": torch.tensor([written])}
        if kind != "gpt2":
            encoded = torch.tensor([tokenizer("die Katze")["input_ids"]])
            given = {"input_ids": encoded, "decoder_input_ids": given["input_ids"]}
        with torch.no_grad():
            row = by_hand(network(**given).logits[0, -1])
        total += max(row)
        written.append(row.index(max(row)))
        if written[-1] == tokenizer.eos_token_id:
            break
    found = ask(opened(kind), "die Katze", tokens=5)
    assert found.text.strip() == tokenizer.decode(written[start:], skip_special_tokens=True).strip()
    assert found.log_probability == pytest.approx(total, abs=1e-4)
    assert found.answer_tokens == len(written) - start
    assert found.finish == ("stop" if written[-1] == tokenizer.eos_token_id else "length")


@pytest.mark.parametrize("kind", WRITERS)
def test_samples_are_those_of_their_seed(opened: Any, kind: str) -> None:
    import torch

    model, decoding = opened(kind), Decoding(tokens=6, temperature=1.5, seed=1)
    requests = [Request(prompt="die Katze", decoding=decoding, sample=sample) for sample in range(6)]
    torch.manual_seed(5)
    before = torch.get_rng_state()
    texts = [one.text for one in model.complete(requests, PLAIN)]
    assert torch.equal(torch.get_rng_state(), before)  # nobody else's draws depend on ours
    assert len(set(texts)) > 3
    assert [one.text for one in model.complete(requests[::-1], PLAIN)] == texts[::-1]
    other = [replace(one, decoding=replace(decoding, seed=2)) for one in requests]
    assert [one.text for one in model.complete(other, PLAIN)] != texts
    narrow = [replace(one, decoding=replace(decoding, top_p=1e-6)) for one in requests]
    assert {one.text for one in model.complete(narrow, PLAIN)} == {ask(model, "die Katze", tokens=6).text}


@pytest.mark.parametrize("kind", WRITERS)
def test_an_answer_ends_at_a_text(opened: Any, kind: str) -> None:
    whole = ask(opened(kind), "die Katze saß", tokens=8)
    word = whole.text.split()[0]
    cut = ask(opened(kind), "die Katze saß", tokens=8, stop=(word,))
    assert (cut.text.strip(), cut.finish) == ("", "stop")
    assert cut.answer_tokens is not None
    assert cut.answer_tokens <= 2 < (whole.answer_tokens or 0)


def test_penalties_of_the_folder_do_not_count(folder: Any, opened: Any, tmp_path: Path) -> None:
    copy = shutil.copytree(folder("gpt2"), tmp_path / "m")
    settings = json.loads((copy / "generation_config.json").read_text())
    settings |= {"repetition_penalty": 9.0, "no_repeat_ngram_size": 1, "do_sample": True, "temperature": 9.0}
    (copy / "generation_config.json").write_text(json.dumps(settings))
    expected = ask(opened("gpt2"), "die Katze", tokens=8).text
    assert len(set(expected.split())) < 8  # it does repeat itself
    assert ask(open_model(f"hf:{copy}"), "die Katze", tokens=8).text == expected


def test_chats_are_refused(opened: Any) -> None:
    with pytest.raises(OptionError, match=r"^gpt2-3: a folder is asked with texts, not chats; give it a text"):
        list(opened("gpt2").complete([Request(prompt=(("user", "the cat"),))], PLAIN))


def test_a_masked_model_writes_nothing(opened: Any) -> None:
    with pytest.raises(OptionError, match=r"^bert-3: a masked model fills gaps and does not continue texts; say which"):
        ask(opened("bert"), "the cat")
    with pytest.raises(OptionError, match=r"^bert-3: a masked model has no next tokens"):
        list(opened("bert").next_tokens(["the cat"], 2, PLAIN))
    with pytest.raises(OptionError, match=r"^t5-3: an encoder-decoder does not continue its prompt"):
        list(opened("t5").next_tokens(["the cat"], 2, PLAIN))


# Beams


@pytest.mark.parametrize("kind", WRITERS)
def test_a_beam_is_never_below_greedy(opened: Any, kind: str) -> None:
    better = 0
    for seed, prompt in product((3, 4, 5), ("die Katze", "der Hund lag", "the cat sat on")):
        model = opened(kind, seed)
        greedy = ask(model, prompt, tokens=6).log_probability
        for beam in (2, 4):
            found = ask(model, prompt, tokens=6, beam=beam).log_probability
            assert found >= greedy
            better += found > greedy
    assert better  # and sometimes it is above


def test_a_wide_beam_finds_the_best_of_all_texts(opened: Any, folder: Any) -> None:
    """Of all answers of two tokens, judged one by one."""
    import torch

    network, tokenizer = network_of(folder("gpt2"), "gpt2")
    size, end = network.config.vocab_size, tokenizer.eos_token_id
    ids = tokenizer("der Hund")["input_ids"]
    with torch.no_grad():
        first = by_hand(network(torch.tensor([ids])).logits[0, -1])
        best = first[end]
        for number in range(size):
            if number != end:
                row = by_hand(network(torch.tensor([[*ids, number]])).logits[0, -1])
                best = max(best, first[number] + max(row))
    assert ask(opened("gpt2"), "der Hund", tokens=2, beam=size).log_probability == pytest.approx(best, abs=1e-5)


def test_next_tokens_and_a_beam_of_our_own(opened: Any) -> None:
    model = opened("gpt2")
    [tokens] = model.next_tokens(["die Katze"], 5, PLAIN)
    assert [value for _, value in tokens] == sorted((value for _, value in tokens), reverse=True)
    for text, value in tokens:
        if text:
            assert next(model.force([("die Katze", text)], PLAIN)).total == pytest.approx(value, abs=1e-5)
    own = beam_search(model, "die Katze", Decoding(tokens=4), 3)[0]
    greedy = ask(model, "die Katze", tokens=4)
    assert own.log_probability >= greedy.log_probability - 1e-5


def test_beams_have_keys_of_their_own_and_are_replayed(opened: Any, tmp_path: Path) -> None:
    requests = [Request(prompt="die Katze", decoding=Decoding(tokens=5, beam=beam)) for beam in (1, 2, 4)]
    gaps = [Gap("the cat", " sat", " on the mat"), Gap("the cat", " sat", " under the mat")]
    with AnswerCache(tmp_path / "a.sqlite") as cache:
        model = CachedModel(opened("gpt2"), cache)
        said, scored = list(model.complete(requests, PLAIN)), list(model.force_gaps(gaps, PLAIN))
        told = list(model.next_tokens(["die Katze"], 3, PLAIN))
        assert model.calls == 6
        again = CachedModel(opened("gpt2"), cache)
        assert list(again.complete(requests, PLAIN)) == said
        assert list(again.next_tokens(["die Katze"], 3, PLAIN)) == told
        assert again.calls == 0
        cache.export(tmp_path / "a.jsonl")
    kept = ReplayModel(tmp_path / "a.jsonl")
    assert kept.abilities == opened("gpt2").abilities
    assert list(kept.complete(requests, PLAIN)) == said
    assert list(kept.force_gaps(gaps, PLAIN)) == scored
    assert list(kept.next_tokens(["die Katze"], 3, PLAIN)) == told


# Folders that are none


def damaged(folder: Path, where: Path, change: Callable[[Path], object]) -> str:
    copy = shutil.copytree(folder, where / "m")
    change(copy)
    with pytest.raises((InputError, OptionError)) as caught:
        open_model(f"hf:{copy}")
    text = str(caught.value)
    assert "\n" not in text
    return text.replace(str(copy), "M")


def edit(name: str, **values: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        found = {**json.loads((folder / name).read_text()), **values}
        (folder / name).write_text(json.dumps({key: value for key, value in found.items() if value is not None}))

    return change


def cut(name: str, size: int) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda m: (m / "config.json").unlink(),
         "M: no config.json; a Hugging Face folder has one, with weights and tokenizer"),
        (cut("config.json", 30), "M/config.json: not JSON; is the download complete?"),
        (lambda m: (m / "config.json").write_text("[1]"),
         "M/config.json: not an object of settings; is it the model's own config.json?"),
        (edit("config.json", architectures=None),
         "M/config.json: does not say which network it is of ('architectures'); save the model with its head "
         "(save_pretrained)"),
        (edit("config.json", architectures=["GPT2ForSequenceClassification"]),
         "M: GPT2ForSequenceClassification is no language model that transformers knows; expected one that is "
         "left-to-right (...ForCausalLM), masked (...ForMaskedLM) or encoder-decoder (...ForConditionalGeneration)"),
        (lambda m: (m / "model.safetensors").unlink(),
         "M: no weights; expected model.safetensors or pytorch_model.bin"),
        (lambda m: (m / "tokenizer.json").unlink(),
         "M: no tokenizer; expected tokenizer.json, which save_pretrained of a tokenizer writes"),
    ],
)  # fmt: skip
def test_folders_that_lack_something(folder: Any, tmp_path: Path, change: Any, expected: str) -> None:
    assert damaged(folder("gpt2"), tmp_path, change) == expected


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("size", [0, 5, 300, 1000])
def test_files_that_are_cut_off(folder: Any, tmp_path: Path, name: str, size: int) -> None:
    what = "weights" if name.startswith("model") else "tokenizer"
    told = damaged(folder("gpt2"), tmp_path, cut(name, size))
    assert told.startswith(f"M: its {what} cannot be read (")
    assert told.endswith("); is the download complete?")


def test_weights_that_lack_a_part_are_not_filled_with_random_numbers(folder: Any, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    def drop(where: Path) -> None:
        path = where / "model.safetensors"
        kept = {name: value for name, value in load_file(path).items() if ".h.1." not in name}
        save_file(kept, path, {"format": "pt"})

    told = damaged(folder("gpt2"), tmp_path, drop)
    assert told.startswith("M: the weights lack transformer.h.1.")
    assert told.endswith(" more, which would be filled with random numbers; is it the whole model, with its head?")


def test_weights_of_another_size(folder: Any, tmp_path: Path) -> None:
    told = damaged(folder("gpt2"), tmp_path, edit("config.json", n_positions=50))
    assert told == (
        "M: the weights have another shape for transformer.wpe.weight, which would be filled with random numbers; "
        "is it the whole model, with its head?"
    )


def test_nothing_is_unpickled(folder: Any, tmp_path: Path) -> None:
    """A pytorch_model.bin that would run something is refused before it does."""
    import torch

    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "touched",))

    def poison(where: Path) -> None:
        (where / "model.safetensors").unlink()
        torch.save({"transformer.wte.weight": Evil()}, where / "pytorch_model.bin")

    assert damaged(folder("gpt2"), tmp_path, poison).startswith("M: its weights cannot be read (")
    assert not (tmp_path / "touched").exists()


def test_weights_in_torchs_format_are_read(folder: Any, opened: Any, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    copy = shutil.copytree(folder("gpt2"), tmp_path / "m")
    torch.save(load_file(copy / "model.safetensors"), copy / "pytorch_model.bin")
    (copy / "model.safetensors").unlink()
    pair = [("die Katze", " the cat")]
    assert list(open_model(f"hf:{copy}").force(pair, PLAIN)) == list(opened("gpt2").force(pair, PLAIN))


def test_code_in_a_folder_does_not_run(folder: Any, tmp_path: Path) -> None:
    copy = shutil.copytree(folder("gpt2"), tmp_path / "m")
    (copy / "own.py").write_text(f"open({str(tmp_path / 'touched')!r}, 'w')\n")
    edit("config.json", auto_map={"AutoModelForCausalLM": "own.Model", "AutoConfig": "own.Config"})(copy)
    model = open_model(f"hf:{copy}")  # transformers' own class is taken
    assert next(model.force([("die Katze", " the")], PLAIN)).total < 0
    edit("config.json", model_type="own")(copy)
    with pytest.raises(InputError, match=r"its (tokenizer|weights) cannot be read"):
        open_model(f"hf:{copy}")
    assert not (tmp_path / "touched").exists()


def test_a_masked_model_needs_its_mask(folder: Any, tmp_path: Path) -> None:
    told = damaged(folder("bert"), tmp_path, edit("tokenizer_config.json", mask_token=None))
    assert told == "M: a masked model whose tokenizer has no mask token; is it the model's own?"


def test_a_file_is_no_folder(folder: Any) -> None:
    path = folder("gpt2") / "model.safetensors"
    with pytest.raises(InputError) as caught:
        open_model(f"hf:{path}")
    assert str(caught.value) == (f"hf:{path}: a file; name the folder with its config.json, weights and tokenizer")
    with pytest.raises(InputError, match=r"^model '/nowhere/at/all': no such file or folder"):
        open_model("hf:/nowhere/at/all")


def test_what_brings_transformers(monkeypatch: pytest.MonkeyPatch, folder: Any) -> None:
    import sys

    path = folder("gpt2")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingPackageError) as caught:
        open_model(f"hf:{path}")
    assert str(caught.value) == f'hf:{path}: needs transformers and torch: pip install "tertium[hf]"'


def test_scores_fall_where_weights_are_not_numbers(folder: Any, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(folder("gpt2"), tmp_path / "m")
    tensors = load_file(copy / "model.safetensors")
    tensors["transformer.ln_f.weight"][0] = math.nan
    save_file(tensors, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"^m: the network gives no log-probability here; are its weights sound\?$"):
        list(open_model(f"hf:{copy}").force([("die Katze", " the")], PLAIN))


def test_answers_do_not_depend_on_their_neighbours(opened: Any) -> None:
    pairs = [("die Katze", " the cat"), ("der Hund lag hier", " the dog"), ("Hund", " a")]
    together = list(opened("bert").force(pairs, PLAIN))
    assert [next(opened("bert").force([pair], PLAIN)) for pair in pairs] == together
    assert all(one != other for one, other in pairwise(together))
