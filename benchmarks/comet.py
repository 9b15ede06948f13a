"""COMET beside unbabel-comet: one checkpoint, one machine, in turns, two threads each, medians. `make bench-comet`

    python benchmarks/comet.py --peer PYTHON

PYTHON is the interpreter of an environment of its own, because unbabel-comet needs old versions of what tertium uses:
pip install torch, then pip install unbabel-comet "setuptools<81". Without it only tertium is measured.

The checkpoint is made here: an encoder of XLM-R base's shape (12 blocks, 768 wide, 12 heads) with random weights and a
vocabulary of some thousand pieces learnt from the texts. The scores mean nothing, and have to be equal; a larger
vocabulary would cost memory and no time. unbabel-comet is measured as its command `comet-score` goes about it, but in
single precision: system by system, with a cache of embeddings that is meant to find sources and references of earlier
systems again. How often it does is printed, and what one system alone takes, where there is nothing to share.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data" / "wmt22" / "de-en"
THREADS = 2
WIDTH, INNER, BLOCKS, HEADS, POSITIONS = 768, 3072, 12, 12, 514
HIDDEN = (3072, 1024)
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
ANSWER = "answer: "  # before what a worker says; all else on its standard output is other people's
SINGLE = "one system"
CLOSE = 1e-5  # how far scores may be apart

Texts = dict[str, list[str]]  # src, ref, and the outputs of systems by name


def load(segments: int) -> tuple[Texts, str]:
    """Sources, references and the outputs of nine systems, and what they are."""
    if SHARED.exists():
        files = {"src": SHARED / "src.gz", "ref": SHARED / "ref.A.gz"}
        files |= {path.stem: path for path in sorted((SHARED / "systems").glob("*.gz"))[:9]}
        texts = {name: gzip.decompress(path.read_bytes()).decode().split("\n") for name, path in files.items()}
        return {name: lines[:segments] for name, lines in texts.items()}, "WMT22 de-en"
    example = ROOT / "examples"
    read = {"src": example / "source.de", "ref": example / "reference.a.en"}
    read |= {path.stem: path for path in sorted((example / "systems").glob("*.en"))}
    texts = {name: path.read_text(encoding="utf-8").splitlines()[:segments] for name, path in read.items()}
    known = [name for name in texts if name not in ("src", "ref")]
    for k in range(len(known), 9):  # systems that drop every so-manieth word
        lines = [line.split() for line in texts[known[k % len(known)]]]
        texts[f"system{k}"] = [" ".join(word for j, word in enumerate(line, 1) if j % (k + 2)) for line in lines]
    return texts, "the example, its systems varied to nine"


# The checkpoint


def write_tokenizer(folder: Path, texts: Texts) -> int:
    """Pieces learnt from the texts, in the layout of XLM-R; how many."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=8000, special_tokens=[*SPECIAL, "<mask>"], show_progress=False)
    made.train_from_iterator((line for lines in texts.values() for line in lines), trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    made.save(str(folder / "tokenizer.json"))
    names = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>", "mask": "<mask>"}
    special = {f"{name}_token": token for name, token in names.items()}
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    settings = {"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": POSITIONS - 2}
    (folder / "tokenizer_config.json").write_text(json.dumps(special | settings))
    return int(made.get_vocab_size())


def make_weights(size: int) -> dict[str, Any]:
    """Random ones, always the same."""
    import torch

    source, made = torch.Generator().manual_seed(14), dict[str, Any]()

    def add(name: str, *shape: int, bias: bool = True) -> None:
        made[f"{name}.weight"] = torch.randn(shape, generator=source) / shape[-1] ** 0.5
        if bias:
            made[f"{name}.bias"] = torch.randn(shape[0], generator=source) / 10

    def add_norm(name: str) -> None:
        made[f"{name}.weight"] = 1 + torch.randn(WIDTH, generator=source) / 10
        made[f"{name}.bias"] = torch.randn(WIDTH, generator=source) / 10

    encoder = "encoder.model"
    for table, rows in (("word", size), ("position", POSITIONS), ("token_type", 1)):
        add(f"{encoder}.embeddings.{table}_embeddings", rows, WIDTH, bias=False)
    add_norm(f"{encoder}.embeddings.LayerNorm")
    for block in (f"{encoder}.encoder.layer.{k}" for k in range(BLOCKS)):
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            add(f"{block}.{part}", WIDTH, WIDTH)
        add(f"{block}.intermediate.dense", INNER, WIDTH)
        add(f"{block}.output.dense", WIDTH, INNER)
        for part in ("attention.output", "output"):
            add_norm(f"{block}.{part}.LayerNorm")
    for k in range(BLOCKS + 1):
        made[f"layerwise_attention.scalar_parameters.{k}"] = torch.randn(1, generator=source) / 10
    made["layerwise_attention.gamma"] = torch.ones(1)
    for number, shape in zip((0, 3, 6), ((HIDDEN[0], 6 * WIDTH), (HIDDEN[1], HIDDEN[0]), (1, HIDDEN[1])), strict=True):
        add(f"estimator.ff.{number}", *shape)
    return made


def write_checkpoint(folder: Path, texts: Texts) -> None:
    """A model of the COMET-22 type in `model/`, and its encoder's files in `encoder/`."""
    import torch

    (folder / "model" / "checkpoints").mkdir(parents=True)
    (folder / "encoder").mkdir()
    size = write_tokenizer(folder / "encoder", texts)
    config = {
        "model_type": "xlm-roberta", "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": BLOCKS,
        "num_attention_heads": HEADS, "max_position_embeddings": POSITIONS, "vocab_size": size, "type_vocab_size": 1,
        "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "layer_norm_eps": 1e-5, "hidden_act": "gelu",
    }  # fmt: skip
    (folder / "encoder" / "config.json").write_text(json.dumps(config))
    settings = {
        "class_identifier": "regression_metric", "encoder_model": "XLM-RoBERTa", "pretrained_model": "encoder",
        "hidden_sizes": list(HIDDEN), "activations": "Tanh", "final_activation": None, "pool": "avg", "layer": "mix",
        "layer_transformation": "sparsemax", "layer_norm": False, "load_pretrained_weights": False,
        "local_files_only": True, "train_data": [], "validation_data": [], "dropout": 0.1, "batch_size": 4,
    }  # fmt: skip
    (folder / "model" / "hparams.yaml").write_text(json.dumps(settings))  # JSON is YAML
    about: dict[str, Any] = {"epoch": 0, "global_step": 0, "pytorch-lightning_version": "2.6.6", "loops": {}}
    about |= {"hyper_parameters": settings, "hparams_name": "kwargs", "state_dict": make_weights(size)}
    torch.save(about, folder / "model" / "checkpoints" / "model.ckpt")


# The two workers: they load once, and then score whenever they are told to


class Ours:
    """tertium: all systems in one evaluation."""

    def __init__(self, folder: Path, texts: Texts) -> None:
        self.texts, self.folder = texts, folder
        self.names = [name for name in texts if name not in ("src", "ref")]
        self.score("float32", count=1)

    def score(self, way: str, count: int | None = None, order: int = 1, **how: Any) -> list[float]:
        """Segment by segment, system by system; `way` is the precision, or that one system is enough."""
        import tertium as tt

        chosen = {name: tt.Lines.of(lines[:count][::order]) for name, lines in self.texts.items()}
        testset = tt.TestSet(
            segments=len(chosen["src"]),
            sources=chosen["src"],
            references=tt.References((chosen["ref"],), len(chosen["src"])),
        )
        paths = f'model="{self.folder / "model"}", encoder="{self.folder / "encoder"}"'
        metric = f'comet({paths}, precision="{"float32" if way == SINGLE else way}")'
        names = self.names[:1] if way == SINGLE else self.names
        systems = [tt.System(name=name, outputs=chosen[name]) for name in names]
        evaluation = tt.evaluate(testset, systems, metric, run=tt.Run(**{"threads": THREADS, **how}))
        found = (evaluation.table[name, str(evaluation.metrics[0])].segments()[::order, 0] for name in names)
        return [float(value) for values in found for value in values]

    def vary(self) -> dict[str, float]:
        """The largest absolute difference that what must not matter makes, and that half precision makes."""
        import torch

        usual, found = self.score("float32"), {}
        torch.set_num_threads(1)
        found["one thread"] = self.score("float32", threads=1)
        torch.set_num_threads(THREADS)
        found["one text at a time"] = self.score("float32", batch=1)
        found["all texts at a time"] = self.score("float32", batch=10**6)
        found["segments in reverse order"] = self.score("float32", order=-1)
        with tempfile.TemporaryDirectory() as cache:
            found["a cache, being filled"] = self.score("float32", cache=cache)
            found["a cache, filled"] = self.score("float32", cache=cache)
        found["bfloat16"] = self.score("bfloat16")
        found["float16"] = self.score("float16")
        return {name: largest(usual, scores) for name, scores in found.items()}


class Peer:
    """unbabel-comet: system by system, as its command has it."""

    def __init__(self, folder: Path, texts: Texts) -> None:
        import logging
        import warnings

        warnings.simplefilter("ignore")
        logging.disable()
        sys.path.remove(str(Path(__file__).parent))  # a script's folder comes first, and this script has the same name
        os.chdir(folder)  # where the checkpoint's name of its encoder leads to the folder
        from comet import load_from_checkpoint  # type: ignore[attr-defined]  # of the other environment

        self.texts = texts
        self.model: Any = load_from_checkpoint("model/checkpoints/model.ckpt", local_files_only=True)
        self.model.set_embedding_cache()
        self.score("float32", count=1)

    def score(self, way: str, count: int | None = None) -> list[float]:
        """Segment by segment, system by system; `way` may be that one system is enough."""
        self.model.retrieve_sentence_embedding.cache_clear()
        found: list[float] = []
        names = [name for name in self.texts if name not in ("src", "ref")]
        for name in names[:1] if way == SINGLE else names:
            sides = {"src": self.texts["src"], "mt": self.texts[name], "ref": self.texts["ref"]}
            rows = [dict(zip(sides, row, strict=True)) for row in zip(*sides.values(), strict=True)][:count]
            found += self.model.predict(rows, batch_size=16, gpus=0, progress_bar=False).scores
        return found


def work(kind: str, folder: Path) -> None:
    """Score whenever a line on standard input says how."""
    import torch

    torch.set_num_threads(THREADS)
    texts = json.loads((folder / "texts.json").read_text())
    worker = Ours(folder, texts) if kind == "ours" else Peer(folder, texts)
    print(f"{ANSWER}{json.dumps({'torch': torch.__version__})}", flush=True)
    for line in sys.stdin:
        way = line.strip()
        start, used = time.perf_counter(), time.process_time()
        found: Any = worker.vary() if way == "vary" and isinstance(worker, Ours) else worker.score(way)
        hits = worker.model.retrieve_sentence_embedding.cache_info().hits if isinstance(worker, Peer) else None
        spent = {"hits": hits, "wall": time.perf_counter() - start, "cpu": time.process_time() - used}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{ANSWER}{json.dumps({'found': found, 'peak_mb': peak, **spent})}", flush=True)


# The race


class Worker:
    """A process that loads once and scores when it is told to."""

    def __init__(self, process: subprocess.Popen[str], kind: str) -> None:
        self.process, self.kind = process, kind

    def answer(self) -> Any:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(ANSWER):
                return json.loads(line.removeprefix(ANSWER))
        sys.exit(f"{self.kind}: the process has ended; what it said is above")

    def ask(self, way: str) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{way}\n")
        self.process.stdin.flush()
        return self.answer()


@contextmanager
def start(python: str, kind: str, folder: Path) -> Iterator[Worker]:
    """A worker that has loaded the model; its threads sleep while the other one works."""
    calm = {"OMP_NUM_THREADS": str(THREADS), "OMP_WAIT_POLICY": "PASSIVE", "HF_HUB_OFFLINE": "1"}
    command = [python, "-W", "ignore", __file__, "--worker", kind, "--folder", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **calm}) as process:
        worker = Worker(process, kind)
        worker.answer()
        try:
            yield worker
        finally:
            assert process.stdin is not None
            process.stdin.close()


def largest(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest absolute difference."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def race(workers: dict[str, Worker], repeats: int) -> list[dict[str, Any]]:
    """Every way of every worker in turns: medians, and how far scores are from ours."""
    kinds = [("ours", "float32"), ("peer", "float32"), ("ours", SINGLE), ("peer", SINGLE)]
    ways = [way for way in (*kinds, ("ours", "bfloat16"), ("ours", "float16")) if way[0] in workers]
    runs: dict[tuple[str, str], list[Any]] = {way: [] for way in ways}
    for _ in range(repeats):
        for kind, way in ways:
            runs[kind, way].append(workers[kind].ask(way))
    exact = runs["ours", "float32"][0]["found"]
    return [
        {
            "task": f"{'tertium' if kind == 'ours' else 'unbabel-comet'}, {way}",
            "wall_seconds": median(run["wall"] for run in found),
            "cpu_seconds": median(run["cpu"] for run in found),
            "peak_mb": found[0]["peak_mb"],  # before other precisions were loaded beside it
            "largest_difference": max(largest(exact[: len(run["found"])], run["found"]) for run in found),
            "cache_hits": found[0]["hits"],
        }
        for (kind, way), found in runs.items()
    ]


def show(rows: list[dict[str, Any]], varied: dict[str, float]) -> None:
    """The table, and what does not matter."""
    first = {SINGLE in row["task"]: row for row in reversed(rows)}  # ours, of nine systems and of one
    print(f"{'':<28} {'wall s':>8} {'CPU s':>8} {'wall':>6} {'CPU':>6} {'peak MB':>8} {'difference':>11}")
    for row in rows:
        ours = first[SINGLE in row["task"]]
        times = [row[f"{kind}_seconds"] / ours[f"{kind}_seconds"] for kind in ("wall", "cpu")]
        print(
            f"{row['task']:<28} {row['wall_seconds']:8.1f} {row['cpu_seconds']:8.1f} {times[0]:5.2f}x {times[1]:5.2f}x "
            f"{row['peak_mb']:8.0f} {row['largest_difference']:11.1e}"
            + ("" if row["cache_hits"] is None else f"   {row['cache_hits']} hits in its cache")
        )
    print("\nlargest difference to the first row's scores:")
    for name, value in varied.items():
        print(f"  {name:<28} {value:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", default=os.environ.get("COMET_PEER"), help="Python with unbabel-comet [COMET_PEER]")
    parser.add_argument("--segments", type=int, default=100, help="segments of each of nine systems")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "comet.json")
    parser.add_argument("--worker", choices=("ours", "peer"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments.worker, arguments.folder)
    texts, what = load(arguments.segments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_checkpoint(folder, texts)
        (folder / "texts.json").write_text(json.dumps(texts))
        with start(sys.executable, "ours", folder) as ours:
            if arguments.peer:
                with start(arguments.peer, "peer", folder) as peer:
                    rows = race({"ours": ours, "peer": peer}, arguments.repeats)
            else:
                print("no --peer: unbabel-comet is not measured\n")
                rows = race({"ours": ours}, arguments.repeats)
            varied = ours.ask("vary")["found"]
    segments, systems = len(texts["src"]), len(texts) - 2
    print(f"{what}: {segments} segments, {systems} systems, {THREADS} threads, median of {arguments.repeats}\n")
    show(rows, varied)
    facts = {"data": what, "segments": segments, "systems": systems, "repeats": arguments.repeats, "threads": THREADS}
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps({**facts, "results": rows, "differences": varied}, indent=1))
    print(f"\nwritten to {os.path.relpath(arguments.output)}")
    far = [row["task"] for row in rows if "unbabel" in row["task"] and row["largest_difference"] > CLOSE]
    if far:
        sys.exit(f"{', '.join(far)}: scores differ by more than {CLOSE:g}; the times mean nothing")
    return None


if __name__ == "__main__":
    main()
