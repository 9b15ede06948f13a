"""GGUF files: what is none is said so before llama.cpp sees it, and what llama.cpp's server is asked."""

import json
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.models.fault_server import FaultServer

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.run import PLAIN
from tertium.models.about import about
from tertium.models.connection import ServerError
from tertium.models.gguf import GgufModel
from tertium.models.gguf_header import read_gguf_header
from tertium.models.language_model import Request
from tertium.models.open import open_model
from tertium.models.taxonomy import TAXONOMY


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def tiny_gguf(*, chat: bool = False, version: int = 3, tensors: int = 2) -> bytes:
    """A whole file of two tensors: 4 x 3 floats, and 64 weights in blocks of 32 (Q8_0: 34 bytes each)."""
    entries = [
        text("general.architecture") + struct.pack("<I", 8) + text("tiny"),
        text("tiny.context_length") + struct.pack("<II", 4, 100),
        text("tiny.block_count") + struct.pack("<II", 4, 2),
        text("tiny.embedding_length") + struct.pack("<II", 4, 8),
        text("tokenizer.ggml.eos_token_id") + struct.pack("<II", 4, 5),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
        text("tokenizer.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("\u00e9"),
        text("tokenizer.scores") + struct.pack("<IIQ", 9, 6, 2) + struct.pack("<ff", 1, 2),
    ]
    if chat:
        entries.append(text("tokenizer.chat_template") + struct.pack("<I", 8) + text("{{ messages }}"))
    infos = [
        text("w") + struct.pack("<IQQIQ", 2, 4, 3, 0, 0),
        text("v") + struct.pack("<IQIQ", 1, 64, 8, 64),
    ][:tensors]
    head = b"GGUF" + struct.pack("<IQQ", version, len(infos), len(entries)) + b"".join(entries + infos)
    padding = -len(head) % 32
    return head + bytes(padding) + bytes(64 + 68 if tensors == 2 else 48)


def test_a_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny_gguf())
    header = read_gguf_header(path)
    assert (header.architecture, header.context, header.chats) == ("tiny", 100, False)
    assert (header.parameters, header.layers, header.width) == (4 * 3 + 64, 2, 8)
    assert (header.vocabulary, header.ends) == (2, (5,))
    path.write_bytes(tiny_gguf(chat=True, version=2))
    assert read_gguf_header(path).chats


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "not a GGUF file (it is empty); llama.cpp reads models in that format only"),
        (b"PK\x03\x04garbage", r"not a GGUF file (it begins with b'PK\x03\x04', not b'GGUF'); llama.cpp reads models "
                               "in that format only"),
        (tiny_gguf(version=1), "version 1 of the GGUF format; versions 2 and 3 are known"),
        (tiny_gguf()[:-1], f"{len(tiny_gguf()) - 1} bytes, but its tensors need {len(tiny_gguf())}: the file was cut "
                           "off; copy or download it again"),
        (tiny_gguf()[:100], "0.0 MB, and its header breaks off; copy or download it again"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 1), "a GGUF file with a damaged header (it announces "
         f"{1 << 60} entries); copy or download it again"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 77), "a GGUF file with a damaged "
         "header (77); copy or download it again"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_a_sentence(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        open_model(f"gguf:{path}")
    assert str(caught.value) == f"{path}: {expected}"


def test_every_cut_is_seen(tmp_path: Path) -> None:
    path, whole = tmp_path / "tiny.gguf", tiny_gguf(chat=True)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            read_gguf_header(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file or folder, and no folder of models was given"):
        open_model(f"gguf:{tmp_path / 'no.gguf'}")
    with pytest.raises(InputError, match=r": a folder; name the \.gguf file in it$"):
        open_model(f"gguf:{tmp_path}")
    with pytest.raises(InputError, match=r": no such file$"):
        read_gguf_header(tmp_path / "no.gguf")
    (tmp_path / "tiny.gguf").write_bytes(tiny_gguf())
    with pytest.raises(InputError, match="the content is another"):
        open_model("gguf:tiny@00000000", folders=[str(tmp_path)])


# llama.cpp's server, played by ours: a token is a character, and its log-probability minus its number


class Played:
    """What xllamacpp has of what we use."""

    __version__ = "0.1"

    def __init__(self, server: FaultServer) -> None:
        self.params: Any = None
        self.address = server.address.removesuffix("/v1")
        server.reply = self.reply
        self.spoil: dict[str, Any] = {}

    def CommonParams(self) -> Any:  # noqa: N802
        return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

    def Server(self, params: Any) -> Any:  # noqa: N802
        self.params = params
        return SimpleNamespace(listening_address=self.address)

    def reply(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/tokenize":
            joined = body["content"].replace("ab", "\u00e6")  # two characters that are one token
            tokens = [{"id": 1, "piece": [195]}, *({"id": ord(mark), "piece": mark} for mark in joined)]
            return {"tokens": tokens}
        if path == "/completion" and "grammar" not in body and "logit_bias" not in body:
            told = [(7, b" go"), (8, b"\xf0"), (5, b"</s>"), (9, b"on")]  # a part of a character, an end
            tops = [{"id": number, "bytes": list(data), "logprob": -float(number)} for number, data in told]
            return {"completion_probabilities": [{"top_logprobs": tops}], **self.spoil}
        if path == "/completion":
            forced = [int(part[2:-2]) for part in body.get("grammar", "").split()[2:]]
            forced = forced or [body["logit_bias"][0][0]]
            scores = [{"id": number, "logprob": -float(number)} for number in forced]
            return {"completion_probabilities": scores, **self.spoil}
        return {"choices": [{"text": json.dumps(body, sort_keys=True)}]}


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    (tmp_path / "tiny.gguf").write_bytes(tiny_gguf())
    return str(tmp_path / "tiny.gguf")


def test_how_llama_is_started(server: FaultServer, tiny: str) -> None:
    played = Played(server)
    model = GgufModel(tiny, backend=played, context=60, slots=2)
    params = played.params
    assert (params.model.path, params.n_ctx, params.n_parallel) == (tiny, 120, 2)
    assert params.cpuparams.n_threads == params.cpuparams_batch.n_threads == 1
    assert (params.warmup, params.swa_full, params.verbosity) == (False, True, 0)
    assert (params.hostnames, params.port) == (["127.0.0.1"], 0)
    [key] = params.api_keys
    assert len(key) == 64
    assert key not in repr(vars(model))
    list(model.complete([Request(prompt="x")], PLAIN))
    assert server.requests[0][2]["Authorization"] == f"Bearer {key}"
    model.close()


def test_a_gguf_model_is_known_by_its_content(server: FaultServer, tiny: str) -> None:
    played = Played(server)
    identities = []
    for options in ({}, {"context": 50}, {"slots": 2}, {"reuse": True}):
        model = GgufModel(tiny, backend=played, **options)  # type: ignore[arg-type]
        identities.append(model.identity)
        model.close()
    assert len(set(identities)) == 4
    assert identities[0].startswith("gguf:tiny@")
    assert identities[0].endswith(" xllamacpp 0.1, context 100, slots 1, prompts read whole")
    assert str(Path(tiny).parent) not in identities[0]  # wherever it lies
    Path(tiny).write_bytes(tiny_gguf() + b"\0")
    model = GgufModel(tiny, backend=played)
    assert model.identity.partition(" ")[0] != identities[0].partition(" ")[0]
    model.close()


def test_only_what_was_asked_for_decides_an_answer(server: FaultServer, tiny: str) -> None:
    model = GgufModel(tiny, backend=Played(server))
    [answer] = model.complete([Request(prompt="x")], PLAIN)
    body = json.loads(answer.text)
    assert (body["top_k"], body["min_p"], body["repeat_penalty"], body["cache_prompt"]) == (0, 0.0, 1.0, False)
    with pytest.raises(OptionError, match=r"^tiny: the file has no template for chats; give it a text to continue$"):
        list(model.complete([Request(prompt=(("user", "x"),))], PLAIN))
    model.close()


def test_a_continuation_is_forced_by_token_ids(server: FaultServer, tiny: str) -> None:
    model = GgufModel(tiny, backend=Played(server))
    [score] = model.force([("x", "yz")], PLAIN)
    assert (score.tokens, score.log_probabilities) == (("y", "z"), (-121.0, -122.0))
    assert server.requests[-1][1]["grammar"] == "root ::= <[121]> <[122]>"
    assert server.requests[-1][1]["prompt"] == [1, 120]
    [across] = model.force([("xa", "bz")], PLAIN)  # `ab` is one token
    assert across.tokens == ("\u00e6", "z")
    judged = model._asked.connection.call(model.llama.by_bias("x", "yz"))
    assert judged == score
    model.close()


@pytest.mark.parametrize(
    "spoilt",
    [
        {"completion_probabilities": []},
        {"completion_probabilities": [{"id": 121, "logprob": -1.0}]},  # one of two
        {"completion_probabilities": [{"id": 121, "logprob": -1.0}, {"id": 9, "logprob": -1.0}]},  # another
        {"completion_probabilities": [{"id": 121, "logprob": -1.0}, {"id": 122}]},
        {"completion_probabilities": [{"id": 121, "logprob": -1.0}, {"id": 122, "logprob": None}]},
        {"completion_probabilities": [{"id": 121, "logprob": -1.0}, {"id": 122, "logprob": 1.0}]},
        {"completion_probabilities": None},
    ],
)
def test_a_score_is_exact_or_refused(server: FaultServer, tiny: str, spoilt: dict[str, Any]) -> None:
    played = Played(server)
    played.spoil = spoilt
    model = GgufModel(tiny, backend=played)
    with pytest.raises(ServerError) as caught:
        list(model.force([("x", "yz")], PLAIN))
    assert str(caught.value) == (
        "gguf:tiny: the server did not keep to the continuation, or gave no log-probabilities; this text cannot be "
        "scored"
    )
    model.close()


def test_next_tokens_are_texts(server: FaultServer, tiny: str) -> None:
    played = Played(server)
    model = GgufModel(tiny, backend=played)
    assert list(model.next_tokens(["x", "y"], 2, PLAIN)) == [[(" go", -7.0), ("", -5.0)]] * 2
    assert server.requests[-1][1]["prompt"] == [1, ord("y")]
    assert len(next(model.next_tokens(["x"], 9, PLAIN))) == 3
    assert model.abilities.beam == "steps"
    told = about(model)
    assert (told.parameters, told.context, told.family) == (76, 100, "tiny")
    assert told.stands == TAXONOMY["left-to-right"]
    played.spoil = {"completion_probabilities": [{"top_logprobs": [{"id": 7, "bytes": [65]}]}]}
    with pytest.raises(ServerError, match="this text cannot be scored"):
        list(model.next_tokens(["x"], 2, PLAIN))
    model.close()


def test_a_file_that_llama_cannot_load(tiny: str, server: FaultServer) -> None:
    class Broken(Played):
        def Server(self, params: Any) -> Any:  # noqa: ARG002, N802
            raise RuntimeError("Failed to init server")

    with pytest.raises(InputError, match=r"llama\.cpp cannot load it \(Failed to init server\); the file is whole"):
        GgufModel(tiny, backend=Broken(server))
    with pytest.raises(OptionError, match=r"^slots: 0; must be at least 1$"):
        GgufModel(tiny, slots=0)


def test_what_brings_llama(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xllamacpp", None)
    with pytest.raises(MissingPackageError, match=r"needs xllamacpp: pip install \"tertium\[llm\]\"$"):
        open_model(f"gguf:{tiny}")
