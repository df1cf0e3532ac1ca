"""Promise: a page with twice as many formulas takes about twice as long to check."""

import time
from pathlib import Path

import pytest

from truth.formulas import check
from truth.page import Page

FORMS = {
    "plain": "and $x_{%d}^2$",
    "marked": r"and $\upstream{g} x_{%d}^2$ of [a page](other.md)",
}


def _seconds(root: Path, form: str, number: int) -> float:
    page = root / "docs/index.md"
    page.write_text("# A page\n\n" + " ".join(form % n for n in range(number)) + "\n")
    began = time.process_time()
    check.check([Page(page, root)], root)
    return time.process_time() - began


@pytest.mark.parametrize("form", FORMS)
def test_formulas_of_one_paragraph(tmp_path, form):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/other.md").write_text("# Another\n")
    (tmp_path / "mkdocs.yml").write_text("nav: [index.md, other.md]\n")
    (tmp_path / "pyproject.toml").touch()
    _seconds(tmp_path, FORMS[form], 10)  # imports
    once, twice = (
        min(_seconds(tmp_path, FORMS[form], number) for _ in range(2))
        for number in (800, 1600)
    )
    assert twice <= 2.6 * once, f"{once:.2f} s for 800, {twice:.2f} s for 1,600"
