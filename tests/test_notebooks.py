"""Promise: a page's notebook, run from top to bottom in one kernel, prints what the
page shows."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tracebook.compare import difference
from tracebook.snippet import Snippet
from tracebook.trace import ended, without_frames, without_noise

from . import built
from .conftest import EVERY_PROGRAM

pytestmark = pytest.mark.notebooks
NOTEBOOKS = [
    path.relative_to(built.SETTINGS.docs_dir).with_suffix(".ipynb")
    for path in built.PAGES
    if built.page(path).embedded(".py")
]
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


def run(notebook: Path, folder: Path) -> list[str]:
    """What the cells of a notebook print otherwise than the page shows."""
    book = nbformat.read(notebook, as_version=4)
    stored = [_text(cell) for cell in book.cells]
    NotebookClient(
        book,
        timeout=600,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    differ = []
    for shown, cell in zip(stored, book.cells):
        if not shown:
            differ += [str(output) for output in cell.get("outputs", ())]
            continue
        program = _program(cell)
        printed = without_noise(_text(cell), built.SETTINGS.noise_pattern)
        for error in (o for o in cell.outputs if o.output_type == "error"):
            if "raises-exception" not in cell.metadata.get("tags", []):
                printed += "".join(error.traceback)
            else:
                said = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
                printed += ended(without_frames(said))
        if program.raises:
            name = program.raises.rpartition(".")[2]
            shown, printed = (_last(text, name) for text in (shown, printed))
        if found := difference(shown, _COLORS.sub("", printed), program.rel):
            differ.append(f"{program.shown}\n{found[1]}")
    return differ


def _text(cell: nbformat.NotebookNode) -> str:
    outputs = cell.get("outputs", ())
    return "".join(o.text for o in outputs if o.output_type == "stream")


def _program(cell: nbformat.NotebookNode) -> Snippet:
    source = re.sub(r"\A%%alone .*\n", "", cell.source)
    return next(
        each for each in built.SNIPPETS.values() if source == each.text.rstrip("\n")
    )


def _last(text: str, name: str) -> str:
    """A text whose last message of a type says only the name of that, as a notebook
    does; and of a traceback only this."""
    start = text.find("Traceback (most recent call last):\n")
    message = list(re.finditer(rf"^(?:\w+\.)*{name}\b", text, re.MULTILINE))
    if not message:
        return text
    before = text[: start if start >= 0 else message[-1].start()]
    return before + name + without_frames(text[message[-1].end() :])


def _chosen() -> list[Path]:
    """All in the shards of the workflow, which take a quarter of an hour; elsewhere a
    few."""
    return NOTEBOOKS if EVERY_PROGRAM else NOTEBOOKS[::16]


@pytest.mark.parametrize("notebook", _chosen(), ids=str)
def test_a_notebook_prints_what_its_page_shows(notebook, built_site, tmp_path):
    differ = run(built_site / notebook, tmp_path)
    assert not differ, "\n".join(differ)
