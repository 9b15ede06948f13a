"""What worker processes do. A worker is told a task by name, with plain values, and answers through a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.core.errors import TertiumError
from tertium.core.metric import is_counted
from tertium.core.run import Run

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Tell = Callable[[str, int, int], None]  # what is being done, how much of it, of how much
OFTEN = 0.1  # seconds between two messages about progress

DONE, FAILED, PROGRESS = "done", "failed", "progress"


def run(pipe: Connection, task: str, options: Mapping[str, Any]) -> None:
    """A worker's life: one task, one answer."""
    live_with_parent()
    last, told = 0.0, ""

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last, told
        if time.monotonic() - last >= OFTEN or done >= total or stage != told:
            last, told = time.monotonic(), stage
            pipe.send((PROGRESS, (stage, done, total)))

    try:
        answer = DONE, TASKS[task](options, tell)
    except TertiumError as error:
        answer = FAILED, str(error)
    except MemoryError:
        answer = FAILED, "too large for this computer's memory"
    except Exception as error:  # nobody is here to see a traceback
        answer = FAILED, f"tertium failed, which is a mistake of its own ({type(error).__name__}: {error})"
    pipe.send(answer)
    pipe.close()


def live_with_parent() -> None:
    """End when the server ends, even by kill -9. Signals that reach all processes are for the server, which ends its
    workers by kill: one that died before the server did would look as if its own job had killed it."""
    import multiprocessing
    import os
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    threading.Thread(target=watch, daemon=True).start()


class CountedMetrics(NamedTuple):
    """What became of a job that scores."""

    metrics: list[str]  # that the evaluation has now
    glance: dict[str, Any]  # what the list shows of it


def score(options: Mapping[str, Any], tell: Tell) -> CountedMetrics:
    """Count the metrics that an evaluation lacks; returns all that it has then, and what there is to say of them."""
    from tertium.engines.evaluate import add_metrics
    from tertium.inference.join import check_people
    from tertium.io.evaluation import save_evaluation
    from tertium.metrics import load, parse_list, refuse_local
    from tertium.web.glance import glance

    tell("reading", 0, 1)
    path, models = Path(options["path"]), options.get("models", {})
    evaluation = load(path)
    had = {str(metric) for metric in evaluation.metrics}
    lacking = [metric for metric in parse_list(options["metrics"]) if str(metric) not in had]
    for metric in lacking:
        refuse_local(metric, options.get("allowed", ()), models)
    if lacking:
        if not any(map(is_counted, lacking)):
            tell("reading judgements", 0, 1)
        evaluation = add_metrics(
            evaluation, *lacking, run=Run(progress=tell, located=models, cache=options.get("cache"))
        )
        check_people(evaluation)  # rows of texts and of people may have come one after the other
        tell("saving", 0, 1)
        save_evaluation(evaluation, path)
    tell("summing up", 0, 1)
    return CountedMetrics([str(metric) for metric in evaluation.metrics], glance(evaluation, options.get("baseline")))


def verdict(options: Mapping[str, Any], tell: Tell) -> tuple[dict[str, Any], str]:  # noqa: ARG001
    """What the list shows of an evaluation that is counted, and the digest of its test set."""
    from tertium.metrics import load
    from tertium.web.glance import glance

    evaluation = load(options["path"])
    return glance(evaluation, options.get("baseline")), evaluation.testset.digest


def page(options: Mapping[str, Any], tell: Tell) -> str:
    """Make a page of an evaluation and write it; returns where."""
    from tertium.metrics import load
    from tertium.web.pages import write_page

    tell("reading", 0, 1)
    if "other" in options:
        from tertium.report.over_time import OverTime, over_time_page

        later, earlier, names = load(options["path"]), load(options["other"]), options["page"]["names"]
        tell("comparing evaluations", 0, 1)
        over_time_page(OverTime(earlier=earlier, later=later, names=tuple(names))).save(options["target"])
        return str(options["target"])
    run = Run(progress=tell, located=options.get("models", {}), cache=options.get("cache"))
    write_page(load(options["path"]), options["page"], options["target"], run)
    return str(options["target"])


def history(options: Mapping[str, Any], tell: Tell) -> str:  # noqa: ARG001
    """The page of a test set's history, of what the index knows."""
    from tertium.report.history import Scored, history_page

    return history_page(options["testset"], [Scored(**item) for item in options["items"]]).html()


def answer(options: Mapping[str, Any], tell: Tell) -> Any:  # noqa: ARG001
    """What the JSON interface is asked about an evaluation."""
    from tertium.core.plain import plain
    from tertium.metrics import load
    from tertium.web.answers import ANSWERS

    return plain(ANSWERS[options["question"]](load(options["path"]), **options["options"]))


def read(options: Mapping[str, Any], tell: Tell) -> Any:  # noqa: ARG001
    """Make an upload into an evaluation's file; returns what became of it."""
    from tertium.web.reading import take_in

    return take_in(options)


def try_template(options: Mapping[str, Any], tell: Tell) -> Any:
    """Ask a language model that the operator named, with a template that somebody typed."""
    from tertium.core.plain import plain
    from tertium.web.trying import try_out

    tell("opening the model", 0, 1)
    run = Run(progress=tell, located=options["models"], cache=options["cache"])
    return plain(try_out(options["question"], run))


def head(options: Mapping[str, Any], tell: Tell) -> Any:  # noqa: ARG001
    """The head of an Excel file that is dropped; a stranger's, so it gets no more than an upload may take."""
    import tempfile

    from tertium.web.heads import head_of
    from tertium.web.intake import Budget, check_sheets
    from tertium.web.reading import bound

    bound(options["limits"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sheet.xlsx")
        path.write_bytes(options["data"])
        try:
            check_sheets(path, options["name"], Budget(options["limits"], sent=len(options["data"])))
            return head_of(path)
        except TertiumError as error:
            raise type(error)(str(error).replace(path.name, options["name"])) from None


TASKS: dict[str, Callable[[Mapping[str, Any], Tell], Any]] = {
    "score": score, "verdict": verdict, "page": page, "answer": answer, "read": read, "history": history, "head": head,
    "try": try_template,
}  # fmt: skip
