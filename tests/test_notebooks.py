"""Promise: a page's notebook, run from top to bottom in one kernel, prints what the
page shows."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tracebook.compare import difference
from tracebook.output import ended, without_frames, without_noise
from tracebook.snippet import Snippet

from . import built, exercises
from .conftest import ADDRESS, EVERY_PROGRAM

pytestmark = pytest.mark.notebooks
NOTEBOOKS = [
    path.relative_to(built.SETTINGS.docs_dir).with_suffix(".ipynb")
    for path in built.PAGES
    if built.page(path).included_files(".py")
]
_COLORS = re.compile(r"\x1b\[[0-9;]*m")
_LOG = re.compile(r"^(?:INFO|WARNING):(?:tensorflow|absl):.*\n", re.MULTILINE)
"""Lines of TensorFlow's log: a notebook has more of them, and earlier ones."""


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
    differ, source = [], ""
    for shown, cell in zip(stored, book.cells):
        if "!{sys.executable} " not in cell.source:
            source = cell.source
        if not shown:
            written = source.startswith("%%writefile ")
            outputs = [] if written else cell.get("outputs", ())
            differ += [str(output) for output in outputs]
            continue
        program = _program(source)
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
        logged = [*map(_without_numbers, _LOG.findall(printed))]
        differ += [
            f"{program.label}\nnot logged: {line}"
            for line in _LOG.findall(shown)
            if _without_numbers(line) not in logged
        ]
        shown, printed = (_LOG.sub("", text) for text in (shown, printed))
        if found := difference(shown, _COLORS.sub("", printed), program.rel):
            differ.append(f"{program.label}\n{found[1]}")
    return differ


def _text(cell: nbformat.NotebookNode) -> str:
    outputs = cell.get("outputs", ())
    text = "".join(o.text for o in outputs if o.output_type == "stream")
    return text.replace("\r\n", "\n")  # of a terminal, where a cell starts a program


def _without_numbers(line: str) -> str:
    """A process that ran other programs before numbers its functions differently."""
    return re.sub(r"\d+", "", line)


def _program(source: str) -> Snippet:
    source = re.sub(r"\A%%writefile .*\n", "", source)
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


FUNCTIONS = re.compile(rf"\b({'|'.join(exercises.FUNCTIONS)})(?=\()")
UPSTREAM = re.compile(r"\bupstream\w*|\b\w+_bar\b")
WITH_FORMULAS = list(
    dict.fromkeys(Path(each.where).stem for each in exercises.FORMULAS)
)


def _filled(template: str, right: dict[str, str]) -> Iterator[tuple[str, str]]:
    """A cell to complete: as it is, and with wrong and right answers; each with how
    the check begins to say so."""
    inputs = re.search(r"def function\((.*)\):", template)[1].split(", ")
    answers = [right[each] for each in inputs]
    forgetful = [UPSTREAM.sub("1.0", each) for each in answers]
    for says, those in (
        ("Replace None with your formula in grad", ["None"] * len(inputs)),
        ("Wrong: ", [f"2.0 * ({answers[0]})", *answers[1:]]),
        ("Wrong: ", [*answers[:-1], forgetful[-1]]),
        ("Right. ", answers),
    ):
        yield re.sub(r"(?<== )None.*(?=  #)", ", ".join(those), template), says


def _answers(name: str) -> list[dict[str, str]]:
    """In TensorFlow, those of each exercise of a page, by the name of the input."""
    found: dict[str, dict[str, str]] = {}
    for each in exercises.FORMULAS:
        if Path(each.where).stem == name:
            text = FUNCTIONS.sub(r"tf.math.\1", each.text)
            text = text if UPSTREAM.search(text) else f"upstream * ({text})"
            found.setdefault(each.of, {})[each.by] = text
    return [*found.values()]


@pytest.mark.parametrize(
    "names",
    [pytest.param(["chain_rule"], marks=pytest.mark.sample), WITH_FORMULAS],
    ids=["one", "all"],
)
def test_an_exercise_says_whether_its_formula_is_right(names, built_site, tmp_path):
    """The checker comes from the site where it isn't beside the notebook."""
    cells, expected = [], list[str]()
    for name in names:
        path = built_site / "exercises" / f"{name}.ipynb"
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        first, *code = (each.source for each in book.cells if each.cell_type == "code")
        for template, check, right in zip(
            code[::2], code[1::2], _answers(name), strict=True
        ):
            for filled, says in _filled(template, right):
                cells.append(f"{filled}\n\n\n{check}")
                expected.append(says)
    first = first.replace(ADDRESS, f"{built_site.as_uri()}/")
    book.cells = [nbformat.v4.new_code_cell(each) for each in (first, *cells)]
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(
        book, timeout=600, kernel_name="python3", resources=resources
    ).execute()
    assert (tmp_path / "vjpcheck.zip").is_file()
    printed = [
        "".join(o.text for o in each.outputs if o.get("name") == "stdout")
        for each in book.cells[1:]
    ]
    for cell, says, said in zip(cells, expected, printed, strict=True):
        assert said.startswith(says), f"{cell}\n{said}"
        assert not says.startswith("Wrong") or "is right" in said, said


def _chosen() -> list[Path]:
    """All in the shards of the workflow, which take a quarter of an hour; elsewhere a
    few."""
    return NOTEBOOKS if EVERY_PROGRAM else NOTEBOOKS[::16]


@pytest.mark.parametrize("notebook", _chosen(), ids=str)
def test_a_notebook_prints_what_its_page_shows(notebook, built_site, tmp_path):
    differ = run(built_site / notebook, tmp_path)
    assert not differ, "\n".join(differ)
