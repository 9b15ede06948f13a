"""Campaigns of any size, made in memory."""

from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.human.campaign.protocol import PROTOCOLS
from tertium.human.campaign.spec import Batches, Campaign, Control, Raters


def campaign(
    lengths: list[int],
    systems: int = 3,
    raters: int = 3,
    *,
    protocol: str = "da",
    width: int = 1,
    seed: int = 1,
    batches: Batches | None = None,
    control: Control | None = None,
) -> Campaign:
    """Documents of these lengths; every word of every output occurs once."""
    segments = sum(lengths)
    documents = tuple(f"d{k}" for k, length in enumerate(lengths) for _ in range(length))
    texts = [[f"s{s}w{k}x{w}" for w in range(9)] for s in range(systems) for k in range(segments)]
    rows = [Lines.of([" ".join(words) for words in texts[s * segments : (s + 1) * segments]]) for s in range(systems)]
    testset = TestSet(
        name="made",
        source_language="de",
        target_language="en",
        segments=segments,
        sources=Lines.of([f"source {k}" for k in range(segments)]),
        references=References((Lines.of([f"reference {k}" for k in range(segments)]),), segments),
        documents=documents,
    )
    return Campaign(
        name="made",
        evaluation=Evaluation(
            testset=testset, systems=tuple(System(name=f"sys{s}", outputs=row) for s, row in enumerate(rows))
        ),
        systems=tuple(f"sys{s}" for s in range(systems)),
        protocol=PROTOCOLS[protocol],
        width=width,
        seed=seed,
        batches=batches or Batches(size=40),
        control=control or Control(),
        raters=Raters(names=tuple(f"r{k}" for k in range(raters))),
    )
