"""Trying templates: the page and the JSON interface. Models are those that the operator named at start."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from tertium.core.errors import OptionError, TertiumError
from tertium.prompt.postprocess import STEPS
from tertium.prompt.templates import built_in
from tertium.web.api import Given, Workbench
from tertium.web.models import names
from tertium.web.pages import render
from tertium.web.trials import Trial
from tertium.web.trying import Shot, TryQuestion

router = APIRouter(prefix="/api", tags=["prompts"])
pages = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]
FIELDS = (
    "model", "template", "own", "template_language", "first", "second", "source_language", "target_language",
    "separator", "shots", "answers", "steps", "tokens",
)  # fmt: skip


def trial_object(trial: Trial) -> dict[str, Any]:
    """A trial as plain JSON values."""
    progress = None if trial.progress is None else trial.progress._asdict()
    return {
        "id": trial.id, "kind": "try", "state": trial.state, "reason": trial.reason, "progress": progress,
        "question": trial.question.model_dump(), "result": trial.result,
    }  # fmt: skip


@router.get("/models")
def list_models(workbench: Given) -> dict[str, list[str]]:
    """The models that the operator named: those of metrics, and language models."""
    models = workbench.limits.models
    return {
        "models": [name for name in names(models, speaking=False).split(", ") if name],
        "language_models": [name for name in names(models, speaking=True).split(", ") if name],
    }


@router.post("/tries", status_code=202)
def begin(question: TryQuestion, workbench: Given) -> dict[str, Any]:
    """Try a template on a sentence, by a language model that the operator named."""
    return trial_object(workbench.trials.begin(question))


@router.get("/tries")
def list_tries(workbench: Given) -> list[dict[str, Any]]:
    """The newest trials, the last first."""
    return [trial_object(trial) for trial in workbench.trials.every()]


@router.get("/tries/{id}")
def one_try(id: str, workbench: Given) -> dict[str, Any]:
    """A trial, how far it is, and what came out."""
    return trial_object(workbench.trials.find(id))


@router.post("/tries/{id}/cancel")
def cancel_try(id: str, workbench: Given) -> dict[str, Any]:
    """Stop one that waits or runs."""
    return trial_object(workbench.trials.cancel(id))


# The page


@pages.get("/try")
def try_page(request: Request, workbench: Given) -> HTMLResponse:
    """A form: model, template, languages, sentence, demonstrations."""
    return HTMLResponse(show(request, workbench, dict.fromkeys(FIELDS, "")))


@pages.get("/try/{id}")
def tried(id: str, request: Request, workbench: Given) -> HTMLResponse:
    """What came out, above the form that asked for it; or how far it is."""
    trial = workbench.trials.find(id)
    return HTMLResponse(show(request, workbench, written(trial.question), trial))


@pages.post("/try")
def begin_page(
    request: Request,
    workbench: Given,
    model: Text = "",
    template: Text = "",
    own: Text = "",
    template_language: Text = "en",
    first: Text = "",
    second: Text = "",
    source_language: Text = "",
    target_language: Text = "",
    separator: Text = "break",
    shots: Text = "",
    answers: Text = "",
    steps: Text = "usual",
    tokens: Text = "64",
) -> Response:
    """Begin what the form says; the page of it is where the browser goes."""
    filled = {
        "model": model, "template": template, "own": own, "template_language": template_language, "first": first,
        "second": second, "source_language": source_language, "target_language": target_language,
        "separator": separator, "shots": shots, "answers": answers, "steps": steps, "tokens": tokens,
    }  # fmt: skip
    try:
        trial = workbench.trials.begin(read_form(filled))
    except TertiumError as error:
        return HTMLResponse(show(request, workbench, filled, error=str(error)), 422)
    return RedirectResponse(f"/try/{trial.id}", 303)


@pages.post("/try/{id}/cancel")
def cancel_page(id: str, workbench: Given) -> Response:
    """Stop one that waits or runs."""
    workbench.trials.cancel(id)
    return RedirectResponse(f"/try/{id}", 303)


def show(
    request: Request, workbench: Workbench, filled: dict[str, str], trial: Trial | None = None, error: str = ""
) -> str:
    """The page."""
    templates = {name: one.text for (name, language), one in built_in().items() if language == "en"}
    speaking = [name for name in names(workbench.limits.models, speaking=True).split(", ") if name]
    return render(
        "try.html", request.state.nonce, title="Try a template", models=speaking, templates=templates,
        filled=filled, trial=trial, error=error, steps=", ".join(STEPS),
    )  # fmt: skip


def read_form(filled: dict[str, str]) -> TryQuestion:
    """What the form asks. Browsers write line breaks as CR LF."""
    text = {key: value.replace("\r\n", "\n") for key, value in filled.items()}
    inputs = [text["first"], *([text["second"]] if text["second"].strip() else [])]
    try:
        return TryQuestion(
            model=text["model"],
            template=text["own"] if text["own"].strip() else text["template"],
            template_language=text["template_language"],  # type: ignore[arg-type]
            inputs=inputs,
            source_language=text["source_language"].strip() or None,
            target_language=text["target_language"].strip() or None,
            line_break=text["separator"] != "space",
            shots=list(map(read_shot, filter(str.strip, text["shots"].split("\n")))),
            answers=dict(map(read_answer, filter(str.strip, text["answers"].split("\n")))),
            steps=text["steps"].strip() or "none",
            tokens=text["tokens"],  # type: ignore[arg-type]
        )
    except ValidationError as found:
        told = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found.errors()]
        raise OptionError("; ".join(told)) from None


def read_shot(line: str) -> Shot:
    """`input => answer`, or `first | second => answer`."""
    before, sign, answer = line.partition("=>")
    if not sign:
        raise OptionError(f"demonstration {line.strip()!r}: write INPUT => ANSWER, one in a line")
    return Shot(inputs=[text.strip() for text in before.split(" | ", 1)], answer=answer.strip())


def read_answer(line: str) -> tuple[str, str]:
    """`great = +`; an answer without a label is its own."""
    word, _, label = line.partition("=")
    return word.strip(), label.strip() or word.strip()


def written(question: TryQuestion) -> dict[str, str]:
    """A question as the form shows it."""
    named = question.template in {name for name, _ in built_in()}
    return {
        "model": question.model,
        "template": question.template if named else "",
        "own": "" if named else question.template,
        "template_language": question.template_language,
        "first": question.inputs[0],
        "second": question.inputs[1] if len(question.inputs) > 1 else "",
        "source_language": question.source_language or "",
        "target_language": question.target_language or "",
        "separator": "break" if question.line_break else "space",
        "shots": "\n".join(f"{' | '.join(shot.inputs)} => {shot.answer}" for shot in question.shots),
        "answers": "\n".join(f"{word} = {label}" for word, label in question.answers.items()),
        "steps": question.steps,
        "tokens": str(question.tokens),
    }
