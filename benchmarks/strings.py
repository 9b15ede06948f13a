"""GLEU, RIBES, ROUGE and EED beside their peers; `run.py` times them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Task = Callable[[], Any]
EED = "EED, cold (torchmetrics)"


def string_metrics(ours: Callable[[str, bool], Task], outputs: list[str], references: list[str]) -> dict[str, Any]:
    """GLEU, RIBES, ROUGE, and EED where torchmetrics is installed; NLTK gets words, not texts. CharacTER's program is
    under the GPL and is not imported."""
    from nltk.translate.gleu_score import corpus_gleu
    from nltk.translate.ribes_score import corpus_ribes
    from rouge_score.rouge_scorer import RougeScorer

    words, others = [text.split() for text in outputs], [[text.split()] for text in references]

    def rouge(variant: str, stem: bool = False) -> Task:
        scorer, name = RougeScorer([f"rouge{variant}"], use_stemmer=stem), f"rouge{variant}"

        def run() -> float:
            pairs = zip(references, outputs, strict=True)
            return 100 * sum(float(scorer.score(*pair)[name].fmeasure) for pair in pairs) / len(outputs)

        return run

    return {
        "GLEU, cold (NLTK)": (ours('gleu(tokenize="none")', False), lambda: 100 * corpus_gleu(others, words)),
        "RIBES, cold (NLTK)": (ours('ribes(tokenize="none")', False), lambda: 100 * corpus_ribes(others, words)),
        "ROUGE-1, cold (rouge-score)": (ours('rouge(variant="1")', False), rouge("1")),
        "ROUGE-2, cold (rouge-score)": (ours('rouge(variant="2")', False), rouge("2")),
        "ROUGE-L, cold (rouge-score)": (ours("rouge", False), rouge("L")),
        "ROUGE-L of stems, cold (rouge-score)": (ours("rouge(stem=True)", False), rouge("L", stem=True)),
        **extended_edit_distance(ours, outputs, references),
    }


def extended_edit_distance(
    ours: Callable[[str, bool], Task], outputs: list[str], references: list[str]
) -> dict[str, tuple[Task, Task]]:
    """EED beside torchmetrics, whose scores are in single precision."""
    try:
        import torch
        from torchmetrics.functional.text import extended_edit_distance as peer
    except ImportError:
        print("EED is left out: its peer, torchmetrics, is not installed\n")
        return {}
    torch.set_num_threads(1)
    others = [[text] for text in references]
    return {EED: (ours('eed(compat="program")', False), lambda: 100 * float(peer(outputs, others)))}
