"""The books that are measured, each in a folder of its own.

Labs are left out. Beside ``docs`` each has the same pages as markdown-exec and
as mkdocs-jupyter want them, and a configuration for each.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat

from ..project import ROOT, copy

_PROGRAM = """\
\"\"\"Small program {n}.\"\"\"

import tensorflow as tf

x = tf.constant({n}.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x + tf.sin(x)
print("y =", y.numpy())
print("dy/dx =", tape.gradient(y, x).numpy())
"""
_PAGE = """\
# Program {n}

It computes $y = x^2 + \\sin x$ and its derivative at {n}.

```python title="small_{n}.py"
--8<-- "small_{n}.py"
```

```text title="prints"
--8<-- "small_{n}.out"
```
"""
_PROGRAM_FENCE = re.compile(
    r'^( *)```[^\n]*python[^\n]*\n *--8<-- "([\w/]+\.py)"\n *```\n', re.MULTILINE
)
_TRACE_FENCE = re.compile(
    r'^ *```[^\n]*text[^\n]*\n *--8<-- "[\w/]+\.out"\n *```\n', re.MULTILINE
)
_STRICT = r"^strict: true\n"  # links to labs lead nowhere
_JUPYTER = """\
  - mkdocs-jupyter:
      {include: ["*.ipynb"], execute: true, allow_errors: true, cache: false}
"""


@dataclass(frozen=True)
class Book:
    """A copy of the project with pages and programs to measure."""

    root: Path

    @property
    def programs(self) -> list[Path]:
        return sorted(self.root.glob("snippets/**/*.py"))

    @property
    def pages(self) -> list[Path]:
        return sorted(self.root.glob("docs/**/*.md"))


def own(root: Path) -> Book:
    """The project's own pages and programs."""
    copy(root)
    _configure(root, nav="")
    shutil.rmtree(root / "docs/labs")
    _write_equivalents(Book(root))
    return Book(root)


def synthetic(root: Path, size: int) -> Book:
    """``size`` small programs, a page for each, and a menu of one entry.

    A menu of all pages would make each page cost more, and hide the engine.
    """
    own(root)
    for folder in ("snippets", "exec", "jupyter"):
        shutil.rmtree(root / folder)
    for page in root.glob("docs/**/*.md"):
        page.unlink()
    (root / "snippets").mkdir()
    (root / "docs/index.md").write_text("# Small programs\n")
    for n in range(1, size + 1):
        (root / f"snippets/small_{n}.py").write_text(_PROGRAM.format(n=n))
        (root / f"docs/page_{n}.md").write_text(_PAGE.format(n=n))
    _configure(root, nav="nav: [index.md]\n")
    _write_equivalents(Book(root))
    subprocess.run(
        [sys.executable, "-m", "tracebook", "update"],
        cwd=root,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return Book(root)


def _configure(root: Path, nav: str) -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    text = _replaced(text, r"^nav:\n(?: .*\n)*", nav)
    text = _replaced(text, _STRICT, "")
    text = _replaced(text, r"^  - mkdocs-jupyter:\n(?: {6}.*\n)*", "")
    text = _replaced(text, r"^  - truth$", "  - truth: {demand: false}")
    (root / "mkdocs.yml").write_text(text)
    (root / "bare.yml").write_text(_replaced(text, r"^  - tracebook\n", ""))
    (root / "exec.yml").write_text(
        "docs_dir: exec\n" + _replaced(text, r"^  - tracebook\n", "  - markdown-exec\n")
    )
    text = _replaced(text, r"^  - tracebook\n", _JUPYTER)
    text = _replaced(text, r"^  - mathml(\.extension)?\n", "")
    (root / "jupyter.yml").write_text("docs_dir: jupyter\n" + text)


def _replaced(text: str, pattern: str, new: str) -> str:
    text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
    if not count:
        raise ValueError(f"mkdocs.yml has no {pattern!r}")
    return text


def _write_equivalents(book: Book) -> None:
    """Each program once, on the first page that shows it; its trace nowhere.

    A page becomes one notebook, and so shares one kernel.
    """
    shutil.copytree(book.root / "docs", book.root / "exec")
    shutil.copytree(book.root / "docs", book.root / "jupyter")
    waiting = {
        path.relative_to(book.root / "snippets").as_posix(): path
        for path in book.programs
    }
    for page in book.pages:
        name = page.relative_to(book.root / "docs")
        text = _TRACE_FENCE.sub("", page.read_text("utf-8"))
        fresh, cells, at = "", [], 0
        for fence in _PROGRAM_FENCE.finditer(text):
            if fence[2] not in waiting:
                continue
            prose = text[at : fence.start()]
            at = fence.end()
            source = waiting.pop(fence[2]).read_text("utf-8")
            fresh += prose + _replaced(
                fence[0],
                "```.*python.*",
                '```python exec="on" source="above" result="text"',
            )
            cells += [
                nbformat.v4.new_markdown_cell(prose),
                nbformat.v4.new_code_cell(source),
            ]
        if not cells:
            continue
        (book.root / "exec" / name).write_text(fresh + text[at:])
        cells.append(nbformat.v4.new_markdown_cell(text[at:]))
        notebook = book.root / "jupyter" / name
        notebook.unlink()
        nbformat.write(
            nbformat.v4.new_notebook(cells=cells), notebook.with_suffix(".ipynb")
        )
    if waiting:
        raise ValueError(f"no page shows the whole of {', '.join(waiting)}")
