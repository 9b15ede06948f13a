"""The JSON interface: what the command line does, on evaluations that the workspace keeps."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from tertium.analysis.explanation import explain
from tertium.core.errors import OptionError
from tertium.core.version import VERSION
from tertium.io.columns import extension
from tertium.io.roles import guess_role, recognise
from tertium.metrics import known, parse
from tertium.report.json_values import metric_object
from tertium.report.walkthrough import walkthrough_object
from tertium.web.entries import Entry, Job, check_baseline
from tertium.web.explain import explained
from tertium.web.forms import read_metrics
from tertium.web.heads import Head, read_head
from tertium.web.jobs import Jobs
from tertium.web.multipart import open_form
from tertium.web.pages import page_key, resubtitled, retitled
from tertium.web.reading import check_countable
from tertium.web.trials import Trials
from tertium.web.uploads import FormPart, Limits, store_parts
from tertium.web.workspace import FILE, Workspace

TALKS = 2  # questions that are answered at a time
EXAMPLE, EXAMPLE_METRICS = "Example: town notes", ("bleu", "chrf", "ter", "macrof1")
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BESIDE = "segments.gz"  # the ending of the file beside a page of very many segments
UPLOADS = 2  # that are read at a time; each may take half of the memory


class Workbench:
    """What requests work with."""

    def __init__(self, workspace: Workspace, limits: Limits) -> None:
        self.workspace, self.limits, self.jobs = workspace, limits, Jobs(workspace, limits=limits)
        self._talks, self._uploads = ThreadPoolExecutor(TALKS), ThreadPoolExecutor(UPLOADS)
        self.trials = Trials(self.jobs)
        self._wanting = threading.Lock()

    def stop(self) -> None:
        """End workers and close the workspace."""
        self.trials.stop()
        self.jobs.stop()
        self._talks.shutdown(cancel_futures=True)
        self._uploads.shutdown(cancel_futures=True)
        self.workspace.close()

    async def ask(self, evaluation: str, question: str, **options: Any) -> Any:
        """An answer from a worker; pages are served meanwhile."""
        path = await run_in_threadpool(self.workspace.path, evaluation)
        wanted = {"path": str(path), "question": question, "options": options}
        return await asyncio.get_running_loop().run_in_executor(self._talks, self.jobs.ask, wanted)

    async def draw(self, task: str, options: dict[str, Any]) -> str:
        """A page that a worker draws at once."""
        made: str = await asyncio.get_running_loop().run_in_executor(self._talks, self.jobs.ask, options, task)
        return made

    async def receive(self, request: Request) -> Entry:
        """Keep the evaluation that a form with files makes, and begin to score it."""
        async with open_form(request, self.limits.files) as form:
            return await asyncio.get_running_loop().run_in_executor(self._uploads, self.accept, form)

    def accept(self, form: FormData) -> Entry:
        """Store, have it read and checked by a worker, keep; only then is it acknowledged."""
        values = {key: value for key, value in form.multi_items() if isinstance(value, str)}
        texts = [text for text in form.getlist("metrics") if isinstance(text, str)]
        ticked = [text for text in form.getlist("metric") if isinstance(text, str)]
        parts = [
            FormPart(key, value.filename or "", value.file)
            for key, value in form.multi_items()
            if isinstance(value, UploadFile)
        ]
        with self.workspace.receive() as folder, self.workspace.receive() as made:
            paths = [(role, str(path)) for role, path in store_parts(parts, folder, self.limits)]
            taken = self.jobs.read({
                "folder": str(folder), "paths": paths, "roles": values.get("roles"),
                "tags": values.get("tags", ""), "target": str(made / FILE),
                "name": values.get("name", ""), "baseline": values.get("baseline", ""), "metrics": texts,
                "ticked": ticked, "values": values, "limits": self.limits, "sent": [part.name for part in parts],
            })  # fmt: skip
            entry = self.workspace.keep(made / FILE, taken.summary, taken.name, taken.wanted, taken.baseline)
        self.jobs.begin(entry.id)
        return entry

    def add_example(self) -> Entry:
        """Keep the example that ships with tertium, and begin to score it."""
        from importlib.resources import as_file, files

        from tertium.io.testset import read_testset

        with as_file(files("tertium") / "examples" / "testset.toml") as path:
            given = read_testset(path)
        systems = tuple(dataclasses.replace(system, origin=None) for system in given.systems)
        given = dataclasses.replace(given, systems=systems)
        entry = self.workspace.add(given, EXAMPLE, [*EXAMPLE_METRICS])
        self.jobs.begin(entry.id)
        return entry

    def make_page(self, entry: Entry, systems: Sequence[str]) -> Job:
        """Have the report of all systems, or of two, made."""
        page = {"systems": list(systems), "baseline": entry.baseline}
        return self.jobs.page(entry.id, page, report_key(entry, systems))

    def measure_from(self, evaluation: str, baseline: str) -> Entry:
        """Set or remove the baseline of an evaluation."""
        chosen = check_baseline(self.workspace.load(evaluation), baseline.strip())
        if chosen != self.workspace.entry(evaluation).baseline:
            self.jobs.submit(self.workspace.set_baseline(evaluation, chosen))
        return self.workspace.entry(evaluation)

    def score_more(self, evaluation: str, metrics: Sequence[str]) -> Job:
        """Count more metrics, or again those that could not be counted."""
        with self._wanting:  # two jobs would overwrite each other's file
            entry = self.workspace.entry(evaluation)
            if entry.state in ("queued", "running") and entry.job is not None:
                raise OptionError(f"{entry.name} is being scored; wait for it, or cancel it first")
            check_countable(self.workspace.load(evaluation), [*entry.wanted, *metrics])
            return self.jobs.submit(self.workspace.want(evaluation, metrics))


def workbench(request: Request) -> Workbench:
    """The workbench of the application."""
    found: Workbench = request.app.state.workbench
    return found


Given = Annotated[Workbench, Depends(workbench)]

router = APIRouter(prefix="/api")


def entry_object(entry: Entry) -> dict[str, Any]:
    """An evaluation as plain JSON values."""
    return dataclasses.asdict(entry)


def job_object(workbench: Workbench, job: Job) -> dict[str, Any]:
    """A job as plain JSON values, with how far it is."""
    progress = workbench.jobs.progress(job.id)
    facts = {key: value for key, value in dataclasses.asdict(job).items() if key != "options"}
    return {**facts, "progress": None if progress is None else progress._asdict()}


@router.get("/metrics", tags=["metrics"])
def list_metrics() -> list[dict[str, Any]]:
    """All metrics with their options, as `tertium metrics -f json`."""
    return [metric_object(explain(cls)) for cls in known().values()]


@router.get("/metrics/{name}", tags=["metrics"])
def one_metric(name: str) -> dict[str, Any]:
    """One metric, as `tertium metrics NAME -f json`."""
    return metric_object(explain(type(parse(name))))


@router.post("/explain", tags=["metrics"])
def explain_score(
    workbench: Given,
    output: Annotated[str, Body()],
    references: Annotated[list[str], Body()],
    metrics: Annotated[list[str], Body()] = ["bleu"],  # noqa: B006
) -> list[dict[str, Any]]:
    """How metrics come to their scores of a sentence, as `tertium explain -f json`."""
    return [walkthrough_object(each) for each in explained(output, references, metrics, workbench.limits.allowed)]


@router.get("/version", tags=["metrics"])
def version() -> dict[str, str]:
    """Which tertium this is."""
    return {"tertium": VERSION}


@router.post("/guess", tags=["evaluations"])
def guess(names: Annotated[list[str], Body(embed=True, max_length=2000)]) -> dict[str, str | None]:
    """What files or columns are, by their names: source, reference, output, documents; null where they do not say."""
    return {name: guess_role(name) for name in names}


@router.post("/head", tags=["evaluations"], openapi_extra={
    "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
})  # fmt: skip
async def head(request: Request, name: str) -> dict[str, Any]:
    """The columns of a table (.tsv, .csv, .jsonl, packed or not) of which the first bytes are sent, 512 KB at most, or
    of a whole .xlsx of at most 1 MB; what each is taken for, with its first text; and whether it is a table of
    judgements: by its columns, else by its name."""
    body = await request.body()
    if extension(name) == ".xlsx":
        found = await sheet_head(request.app.state.workbench, name, body)
    else:
        found = await run_in_threadpool(read_head, name, body)
    texts = found.sample or ("",) * len(found.columns)
    recognised = [
        {"column": item.column, "role": item.role, "name": item.name, "text": text}
        for item, text in zip(recognise(found.columns), texts, strict=False)
    ]
    judged = found.judged or guess_role(name) == "judgements"
    return {"columns": found.columns, "judgements": judged, "recognised": recognised}


async def sheet_head(workbench: Workbench, name: str, data: bytes) -> Head:
    """The head of an Excel file, by a worker: it has to be unpacked and parsed."""
    options = {"name": name, "data": data, "limits": workbench.limits}
    made: Head = await asyncio.get_running_loop().run_in_executor(workbench._talks, workbench.jobs.ask, options, "head")
    return made


UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        **{
                            field: {"type": "array", "items": {"type": "string", "format": "binary"}}
                            for field in ("source", "reference", "output", "documents", "judgements", "file")
                        },
                        "roles": {"type": "string", "description": "JSON: what each `file` or column of it is"},
                        "tags": {
                            "type": "string",
                            "description": "inline tags of XLIFF and TMX: strip, protect or keep",
                        },
                        "metrics": {"type": "string", "description": "such as bleu,chrf(words=2)"},
                        "name": {"type": "string"},
                        "baseline": {"type": "string", "description": "the system that others would replace"},
                    },
                }
            }
        },
    }
}


@router.post("/evaluations", status_code=201, tags=["evaluations"], openapi_extra=UPLOAD)
async def create(request: Request, workbench: Given) -> dict[str, Any]:
    """Upload files and have them scored. What is answered is on the disk."""
    return entry_object(await workbench.receive(request))


@router.get("/evaluations", tags=["evaluations"])
def list_evaluations(workbench: Given) -> list[dict[str, Any]]:
    """All evaluations, the newest first."""
    return [entry_object(entry) for entry in workbench.workspace.entries()]


@router.get("/evaluations/{id}", tags=["evaluations"])
def one_evaluation(id: str, workbench: Given) -> dict[str, Any]:
    """One evaluation."""
    return entry_object(workbench.workspace.entry(id))


@router.post("/example", status_code=201, tags=["evaluations"])
def example(workbench: Given) -> dict[str, Any]:
    """Keep the example that ships with tertium, and have it scored."""
    return entry_object(workbench.add_example())


@router.patch("/evaluations/{id}", tags=["evaluations"])
def change(
    id: str,
    workbench: Given,
    name: Annotated[str | None, Body()] = None,
    baseline: Annotated[str | None, Body()] = None,
) -> dict[str, Any]:
    """Call an evaluation otherwise, or measure its systems from another one (an empty baseline: from the best)."""
    if name is None and baseline is None:
        raise OptionError('nothing to change; send {"name": "..."}, {"baseline": "..."}, or both')
    if name is not None:
        workbench.workspace.rename(id, name)
    if baseline is not None:
        workbench.measure_from(id, baseline)
    return entry_object(workbench.workspace.entry(id))


@router.delete("/evaluations/{id}", status_code=204, tags=["evaluations"])
def delete(id: str, workbench: Given) -> Response:
    """Remove an evaluation, and stop what is done with it."""
    workbench.workspace.entry(id)
    workbench.jobs.delete(id)
    return Response(status_code=204)


@router.post("/evaluations/{id}/metrics", status_code=202, tags=["evaluations"])
def add_metrics(id: str, workbench: Given, metrics: Annotated[str, Body(embed=True)] = "") -> dict[str, Any]:
    """Count more metrics, such as `bleu,chrf(words=2)`; without any, try again what could not be counted."""
    limits = workbench.limits
    wanted = read_metrics([metrics], [], {}, limits.allowed, limits.models) if metrics.strip() else []
    return job_object(workbench, workbench.score_more(id, wanted))


@router.get("/evaluations/{id}/export", tags=["evaluations"])
def export(id: str, workbench: Given) -> FileResponse:
    """The evaluation as one file, which tt.load and an upload read."""
    name = workbench.workspace.entry(id).name
    return FileResponse(workbench.workspace.path(id), media_type="application/zip", filename=f"{file_name(name)}.zip")


@router.get("/evaluations/{id}/report", tags=["evaluations"])
def report(id: str, workbench: Given) -> Response:
    """The report as one html file; 202 and the job to wait for where it is not made yet; 409 where it cannot be."""
    entry = workbench.workspace.entry(id)
    path = made(workbench, entry, "html")
    if not isinstance(path, Path):
        return path
    head = {"Content-Disposition": f'attachment; filename="{file_name(entry.name)}.html"'}
    text = resubtitled(path.read_text(encoding="utf-8"), entry.testset, entry.name)
    return HTMLResponse(retitled(text, entry.name), headers=head)


@router.get("/evaluations/{id}/tables", tags=["evaluations"])
def tables(id: str, workbench: Given) -> Response:
    """Every table of the report as a sheet of one Excel file; 202 and 409 as for the report."""
    from tertium.io.excel import check_excel

    check_excel("tables")
    entry = workbench.workspace.entry(id)
    path = made(workbench, entry, "xlsx")
    if not isinstance(path, Path):
        return path
    return FileResponse(path, media_type=EXCEL, filename=f"{file_name(entry.name)}.xlsx")


@router.get("/evaluations/{id}/segments", tags=["evaluations"])
def segments(
    id: str, workbench: Given, first: Annotated[str, Query()] = "", second: Annotated[str, Query()] = ""
) -> Response:
    """The file beside a report of very many segments, which its page opens; with first and second, that of two systems.
    404 where the page holds all segments, or is not made."""
    entry = workbench.workspace.entry(id)
    path = workbench.workspace.page(id, report_key(entry, [first, second] if first and second else []), BESIDE)
    if entry.state != "done" or not path.is_file():
        sentence = f"{entry.name} has no file of segments: its page holds all of them, or is not made yet"
        return JSONResponse({"error": sentence}, 404)
    return FileResponse(path, media_type="application/gzip", filename=path.name)


def made(workbench: Workbench, entry: Entry, kind: str) -> Path | Response:
    """The file of the report, or of its tables, where it is made; else why it is not, or the job that makes it."""
    id, key = entry.id, report_key(entry)
    path = workbench.workspace.page(id, key, kind)
    if entry.state in ("queued", "running") and entry.job is not None:
        return JSONResponse(job_object(workbench, workbench.workspace.job(entry.job)), 202)
    if entry.state != "done":
        sentence = f"{entry.name} is not scored ({entry.reason}); POST /api/evaluations/{id}/metrics tries again"
        return JSONResponse({"error": sentence}, 409)
    if not path.is_file() and (failed := failed_page(workbench, entry, key)) is not None:
        sentence = f"the report could not be made ({failed.reason}); POST /evaluations/{id}/again tries again"
        return JSONResponse({"error": sentence}, 409)
    if not path.is_file():
        return JSONResponse(job_object(workbench, workbench.make_page(entry, [])), 202)
    return path


def report_key(entry: Entry, systems: Sequence[str] = ()) -> str:
    """The name of the file of an evaluation's page."""
    return page_key(entry.metrics, systems, entry.baseline)


def failed_page(workbench: Workbench, entry: Entry, key: str) -> Job | None:
    """The last try to make a page, if it came to nothing: it is not tried again unless somebody asks."""
    tries = [job for job in workbench.workspace.jobs(entry.id) if job.kind == "page" and job.options["key"] == key]
    return tries[0] if tries and tries[0].state in ("failed", "cancelled") else None


def file_name(name: str) -> str:
    """A name for a file to download."""
    kept = "".join(char if (char.isascii() and char.isalnum()) or char in " ._-" else "_" for char in name)
    return kept.strip(" .")[:80] or "evaluation"


# Jobs


@router.get("/jobs", tags=["jobs"])
def list_jobs(workbench: Given) -> list[dict[str, Any]]:
    """All jobs, the newest first."""
    return [job_object(workbench, job) for job in workbench.workspace.jobs()]


@router.get("/jobs/{id}", tags=["jobs"])
def one_job(id: str, workbench: Given) -> dict[str, Any]:
    """One job, and how far it is."""
    return job_object(workbench, workbench.workspace.job(id))


@router.post("/jobs/{id}/cancel", tags=["jobs"])
def cancel(id: str, workbench: Given) -> dict[str, Any]:
    """Stop a job that waits or runs; one that has ended stays as it is."""
    return job_object(workbench, workbench.jobs.cancel(id))
