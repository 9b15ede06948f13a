"""tertium beside its peers: one process, one thread, CPU time, alternating, median of 7. `make bench`

Statistics are compared before anything is timed. Peers get their references cached where they can, and
sacreBLEU's tokenizer caches are emptied before every repeat, because nobody scores the same output twice.
The commands at the end run as processes of their own; theirs is the CPU time of the whole process.
"""

from __future__ import annotations

import argparse
import compileall
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from strings import EED, string_metrics

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data" / "wmt22" / "de-en"
REPEATS = 7

Task = Callable[[], Any]

# Peers that are known to be wrong in places, how far their result may be away, and why.
DISTANCE = {
    "hLEPOR (hlepor)": 0.05,  # 0.0.4 takes the wrong one of some repeated words: docs/explanation/lepor.md
    EED: 1e-3,  # torchmetrics adds up in single precision
}


def load() -> tuple[list[str], list[str], str]:
    """Outputs, references and what they are."""
    if SHARED.exists():
        texts = [gzip.decompress((SHARED / name).read_bytes()).decode() for name in ("systems/Online-A.gz", "ref.A.gz")]
        outputs, references = (text.removesuffix("\n").split("\n") for text in texts)
        return outputs, references, "WMT22 de-en, Online-A"
    example = ROOT / "examples"
    outputs, references = (
        (example / name).read_text(encoding="utf-8").removesuffix("\n").split("\n") * 20
        for name in ("systems/atlas.en", "reference.a.en")
    )
    return outputs, references, "the example, 20 times over"


def forget_tokens() -> None:
    """Empty sacreBLEU's tokenizer caches."""
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re, tokenizer_ter

    tokenizer_13a.Tokenizer13a.__call__.cache_clear()
    tokenizer_re.TokenizerRegexp.__call__.cache_clear()
    tokenizer_ter.TercomTokenizer.__call__.cache_clear()


def cpu(task: Task) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def pair(ours: Task, peer: Task) -> tuple[float, float]:
    """Median CPU seconds of both, taken in turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        forget_tokens()
        times[1].append(cpu(peer))
        times[0].append(cpu(ours))
    return median(times[0]), median(times[1])


def hlepor_score() -> Callable[..., float]:
    """hlepor 0.0.4's function, without the two packages that it imports, downloads with and does not use here."""
    from types import ModuleType
    from unittest.mock import MagicMock, patch

    stand_ins: dict[str, ModuleType] = {name: MagicMock() for name in ("nltk", "nltk.tokenize", "nptyping")}
    with patch.dict(sys.modules, stand_ins):
        from hlepor import hlepor_score as function
    found: Callable[..., float] = function
    return found


def naive_macrof(outputs: list[str], references: list[str]) -> float:
    """MacroF1 as its authors' program goes about it: sacreBLEU's tokenizer, a Counter for each segment and side."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize = Tokenizer13a()
    found, wanted, right = Counter[str](), Counter[str](), Counter[str]()
    for output, reference in zip(outputs, references, strict=True):
        mine, other = Counter(tokenize(output).split()), Counter(tokenize(reference).split())
        for word in mine.keys() | other.keys():
            found[word] += mine[word]
            wanted[word] += other[word]
            right[word] += min(mine[word], other[word])
    scores = []
    for word in found:
        precision = right[word] / found[word] if found[word] else 1.0
        recall = right[word] / wanted[word] if wanted[word] else 1.0
        scores.append(2 * precision * recall / (precision + recall) if right[word] else 0.0)
    return 100 * sum(scores) / len(scores)


def nltk_nist(outputs: list[str], references: list[str]) -> float:
    """NLTK's NIST, which wants tokens; they are sacreBLEU's."""
    from nltk.translate.nist_score import corpus_nist
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize = Tokenizer13a()
    return float(
        corpus_nist([[tokenize(text).split()] for text in references], [tokenize(text).split() for text in outputs], 5)
    )


def tasks(outputs: list[str], references: list[str]) -> dict[str, tuple[Task, Task]]:
    """What is compared: name -> (ours, peer's); both return what must be equal."""
    import fastchrf
    import jiwer
    import numpy as np
    import sacrebleu.metrics as sb
    from rapidfuzz.distance import Levenshtein

    from tertium import Lines, References, Run, TestSet, _kernel, pairwise, parse

    def ours(text: str, cached: bool) -> Task:
        metric = parse(text)
        testset = TestSet(segments=len(outputs), references=References((Lines.of(references),), len(outputs)))
        ready = metric.prepare(testset)

        def run() -> float:
            prepared = ready
            if not cached:
                streams = References((Lines.of(references),), len(outputs))
                prepared = metric.prepare(TestSet(segments=len(outputs), references=streams))
            return float(metric.score(metric.stats(Lines.of(outputs), prepared).total()))

        return run

    def sacre(cls: Any, cached: bool, **options: Any) -> Task:
        if cached:
            scorer = cls(references=[references], **options)
            return lambda: scorer.corpus_score(outputs, None).score
        return lambda: cls(**options).corpus_score(outputs, [references]).score

    def edit_distances() -> int:
        lines, others = Lines.of(outputs), Lines.of(references)
        rows = np.zeros((len(outputs), 4))
        _kernel.count_edits(lines.view, others.view, "none", "none", rows)
        return int(rows[:, 1:].sum())

    hlepor, spaced = hlepor_score(), [[" ".join(text.split()) for text in side] for side in (references, outputs)]
    return {
        "BLEU 13a, references cached": (ours("bleu", True), sacre(sb.BLEU, True)),
        "BLEU 13a, cold": (ours("bleu", False), sacre(sb.BLEU, False)),
        "chrF, references cached": (ours("chrf", True), sacre(sb.CHRF, True)),
        "chrF, cold": (ours("chrf", False), sacre(sb.CHRF, False)),
        "chrF++, references cached": (ours("chrf(words=2)", True), sacre(sb.CHRF, True, word_order=2)),
        "chrF++, cold": (ours("chrf(words=2)", False), sacre(sb.CHRF, False, word_order=2)),
        "TER, references cached": (ours("ter", True), sacre(sb.TER, True)),
        "NIST, cold (NLTK)": (ours("nist", False), lambda: nltk_nist(outputs, references)),
        "MacroF, cold (plain Python)": (ours("macrof", False), lambda: naive_macrof(outputs, references)),
        "WER (jiwer)": (ours("wer", False), lambda: 100 * jiwer.process_words(references, outputs).wer),
        "hLEPOR (hlepor)": (
            ours('hlepor(tokenize="none")', False),
            lambda: 100 * hlepor(*spaced, separate_punctuation=False),
        ),
        **string_metrics(ours, outputs, references),
        "token edit distance (rapidfuzz)": (
            edit_distances,
            lambda: sum(Levenshtein.distance(r.split(), o.split()) for r, o in zip(references, outputs, strict=True)),
        ),
        "pairwise chrF, 100 x 100 (fastchrf)": (
            lambda: pairwise(outputs[:100], references[:100], "chrf", run=Run(threads=1)),
            lambda: np.array(fastchrf.pairwise_chrf([outputs[:100]], [references[:100]])[0]),
        ),
        "aggregated chrF, 500 x 500 (fastchrf)": (
            lambda: pairwise(outputs[:500], references[:500], "chrf", aggregate=True),
            lambda: np.array(fastchrf.aggregate_chrf([outputs[:500]], [references[:500]])[0]),
        ),
    }


def nltk_wordnet() -> tuple[str, Any]:
    """NLTK's reader of WordNet where its data are at hand (NLTK_DATA); else a dictionary made of our table, which is in
    NLTK's favour."""
    from collections import defaultdict
    from types import SimpleNamespace

    from nltk.corpus import wordnet

    from tertium.text.synonyms import WORDNET

    try:
        wordnet.ensure_loaded()
        return "NLTK with WordNet", wordnet
    except LookupError:
        pass
    sets: dict[str, list[Any]] = defaultdict(list)
    for line in gzip.decompress(WORDNET.read_bytes()).decode().partition("\n\n")[0].split("\n"):
        lemmas = [SimpleNamespace(name=lambda word=word: word) for word in line.split()]
        for word in line.split():
            sets[word].append(SimpleNamespace(lemmas=lambda lemmas=lemmas: lemmas))
    return "NLTK without its WordNet", SimpleNamespace(synsets=lambda word: sets.get(word, []), _synset_offset_cache={})


def others(outputs: list[str], references: list[str]) -> dict[str, tuple[Task, Task]]:
    """Tasks in which the peer computes something else: METEOR beside NLTK's, and beside our own TER; lexical beside our
    own chrF.

    NLTK gets words, not texts. Its memory of synonym sets is emptied before every repeat, like sacreBLEU's of tokens.
    """
    from nltk.translate.meteor_score import meteor_score

    from tertium import Lines, References, TestSet, parse

    peer, wordnet = nltk_wordnet()
    pairs = [([reference.split()], output.split()) for output, reference in zip(outputs, references, strict=True)]

    def nltk_meteor() -> float:
        wordnet._synset_offset_cache.clear()
        return sum(meteor_score(words, output, wordnet=wordnet) for words, output in pairs) / len(pairs)

    def ours(text: str) -> Task:
        metric = parse(text)
        testset = TestSet(segments=len(outputs), references=References((Lines.of(references),), len(outputs)))
        ready = metric.prepare(testset)
        return lambda: metric.score(metric.stats(Lines.of(outputs), ready).total())

    return {
        f"METEOR with synonyms ({peer}; another metric)": (ours("meteor"), nltk_meteor),
        "METEOR with synonyms (our own TER)": (ours("meteor"), ours("ter")),
        "lexical (our own chrF)": (ours("lexical"), ours("chrf")),
    }


def paired(outputs: list[str], references: list[str]) -> dict[str, tuple[Task, Task]]:
    """Twelve systems against the first, by both paired tests; both return p-values. Statistics are counted before."""
    import sacrebleu.significance as judge
    from sacrebleu.metrics import BLEU

    from tertium import Lines, References, Run, System, TestSet, compare, evaluate

    systems = {f"s{k}": [" ".join(text.split()[: -k or None]) for text in outputs] for k in range(12)}
    for k, texts in enumerate(systems.values()):  # shorter by up to eleven words in every twelfth segment only
        texts[:] = [texts[i] if i % 12 == k else outputs[i] for i in range(len(outputs))]
    evaluation = evaluate(
        TestSet(segments=len(outputs), references=References((Lines.of(references),), len(outputs))),
        [System(name=name, outputs=Lines.of(texts)) for name, texts in systems.items()],
        "bleu",
    )
    metric = BLEU(references=[references])
    counted = {id(texts): metric._extract_corpus_statistics(texts, None) for texts in systems.values()}

    def ours(test: Any) -> Task:
        return lambda: [item.p for item in compare(evaluation, baseline="s0", test=test, run=Run(threads=1))]

    def theirs(kind: str) -> Task:
        def run() -> list[float]:
            metric._extract_corpus_statistics = lambda texts, _: counted[id(texts)]
            test = judge.PairedTest(list(systems.items()), {"BLEU": metric}, None, test_type=kind)
            return [found.p_value for found in test()[1]["BLEU"][1:]]

        return run

    return {
        "paired bootstrap, 1,000 resamples, 12 systems (sacreBLEU)": (ours("bootstrap"), theirs("bs")),
        "paired permutation, 10,000 trials, 12 systems (sacreBLEU)": (ours("permutation"), theirs("ar")),
    }


def command(arguments: list[str]) -> tuple[float, float]:
    """CPU seconds and peak resident MB of a process."""
    code = (
        "import os, resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    seconds, megabytes = done.stdout.split()
    return float(seconds), float(megabytes)


def commands(outputs: list[str], references: list[str], segments: int) -> list[dict[str, Any]]:
    """Whole processes: start-up on a test set, and a large file beside `wc -w`."""
    compileall.compile_dir(ROOT / "src", quiet=1)  # as pip has done for the peer
    bin_folder = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        small = [Path(folder) / name for name in ("ref", "hyp")]
        large = [Path(folder) / name for name in ("ref.large", "hyp.large")]
        for paths, count in ((small, len(outputs)), (large, segments)):
            for path, lines in zip(paths, (references, outputs), strict=True):
                times = -(-count // len(lines))
                path.write_text("\n".join((lines * times)[:count]) + "\n", encoding="utf-8")
        pairs = {
            "`tertium score -m bleu` against `sacrebleu`": (
                [str(bin_folder / "tertium"), "score", "-r", str(small[0]), "-t", str(small[1]), "-m", "bleu"],
                [str(bin_folder / "sacrebleu"), str(small[0]), "-i", str(small[1]), "-m", "bleu"],
            ),
            f"BLEU of {segments:,} segments against `wc -w`": (
                [
                    str(bin_folder / "tertium"),
                    "score",
                    "-r",
                    str(large[0]),
                    "-t",
                    str(large[1]),
                    "-m",
                    "bleu",
                    "--threads",
                    "1",
                ],
                ["wc", "-w", *map(str, large)],
            ),
        }
        results = []
        for name, (ours, peer) in pairs.items():
            rounds = [(command(peer), command(ours)) for _ in range(REPEATS)]
            size = sum(path.stat().st_size for path in (large if "wc" in name else small)) / 2**20
            results.append(
                result(name, median(r[1][0] for r in rounds), median(r[0][0] for r in rounds))
                | {"our_peak_mb": median(r[1][1] for r in rounds), "input_mb": size}
            )
    return results


def result(name: str, ours: float, peer: float) -> dict[str, Any]:
    return {"task": name, "ours_seconds": ours, "peer_seconds": peer, "times_faster": peer / ours}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=1_000_000, help="size of the large file")
    parser.add_argument("--only", default="", help="only tasks whose name holds this")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "latest.json")
    arguments = parser.parse_args()
    for library in ("RAYON", "OPENBLAS", "OMP", "MKL"):  # fastchrf's, and numpy's on both sides; read on first use
        os.environ[f"{library}_NUM_THREADS"] = "1"
    import numpy as np

    outputs, references, what = load()
    results = []
    print(f"{what}: {len(outputs)} segments; CPU seconds, one thread, median of {REPEATS}\n")
    for name, (ours, peer) in (tasks(outputs, references) | paired(outputs, references)).items():
        if arguments.only not in name:
            continue
        if np.abs(np.subtract(ours(), peer())).max() > DISTANCE.get(name, 1e-9):
            sys.exit(f"{name}: results differ, {ours()} and {peer()}; nothing is timed before they are equal")
        results.append(result(name, *pair(ours, peer)))
        show(results[-1])
    for name, (ours, peer) in others(outputs, references).items():
        if arguments.only in name:
            results.append(result(name, *pair(ours, peer)))
            show(results[-1])
    if not arguments.only or arguments.only == "command":
        for row in commands(outputs, references, arguments.segments):
            results.append(row)
            show(row)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    facts = {"data": what, "segments": len(outputs), "repeats": REPEATS, "cores": os.cpu_count(), "python": sys.version}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    arguments.output.write_text(json.dumps({**facts, "peak_mb": peak, "results": results}, indent=1))
    print(f"\nwritten to {os.path.relpath(arguments.output)}")


def show(row: dict[str, Any]) -> None:
    memory = f"  peak {row['our_peak_mb']:.0f} MB for {row['input_mb']:.0f} MB" if "our_peak_mb" in row else ""
    print(
        f"{row['task']:<46} {row['ours_seconds']:8.4f} {row['peer_seconds']:8.4f} {row['times_faster']:7.1f}x{memory}",
        flush=True,
    )


if __name__ == "__main__":
    main()
