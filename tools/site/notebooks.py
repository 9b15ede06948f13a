"""Notebooks are kept without outputs; here they are run, and become Markdown with what they gave."""

from __future__ import annotations

import base64
import os
import re
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def run(path: Path) -> nbformat.NotebookNode:
    """The notebook with outputs, run in its folder; a cell that fails is an error.

    The kernel is spoken to through sockets in a folder of its own, and leaves nothing in the user's.
    """
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    with tempfile.TemporaryDirectory() as home:
        kernel = Config(KernelManager={"transport": "ipc", "connection_file": f"{home}/kernel.json"})
        client = NotebookClient(
            notebook,
            config=kernel,
            timeout=300,
            kernel_name="python3",
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute(env={**os.environ, "IPYTHONDIR": home, "JUPYTER_CONFIG_DIR": home})
    return notebook


def framed(text: str) -> str:
    """What a cell printed."""
    return f'<div class="notebook-output">\n\n```text\n{ANSI.sub("", text).rstrip()}\n```\n\n</div>'


def shown(output: nbformat.NotebookNode, picture: str, staging: Path) -> str:
    """One output as Markdown: a picture or HTML if it has one, else its text."""
    if output.output_type == "stream":
        return framed(output.text)
    data = output.get("data", {})
    if "image/png" in data:
        (staging / picture).write_bytes(base64.b64decode(data["image/png"]))
        return f"![what the cell draws]({Path(picture).name})"
    if "text/html" in data and "<script" not in data["text/html"]:
        html = re.sub(r"\n\s*\n", "\n", data["text/html"])
        return f'<div class="notebook-output">\n{html}\n</div>'
    return framed(data["text/plain"])


def as_markdown(notebook: nbformat.NotebookNode, name: str, staging: Path) -> str:
    """Cells and outputs as a page."""
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        pictures = (f"notebooks/{name}-{number}-{each}.png" for each in range(len(cell.outputs)))
        parts += [shown(output, picture, staging) for output, picture in zip(cell.outputs, pictures, strict=True)]
    return "\n\n".join(parts) + "\n"
