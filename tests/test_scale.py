"""Promise: a page with twice as many formulas takes about twice as long to check."""

import cProfile
import pstats
from pathlib import Path

import pytest

from truth.formulas.check import check_page
from truth.page import Page

pytestmark = pytest.mark.tools

FORMS = {
    "plain": "and $x_{%d}^2$",
    "marked": r"and $\upstream{g} x_{%d}^2$ of [a page](other.md)",
}


def _calls(root: Path, form: str, number: int) -> int:
    """How many functions are called for a paragraph of so many formulas."""
    page = root / "docs/index.md"
    page.write_text("# A page\n\n" + " ".join(form % n for n in range(number)) + "\n")
    with cProfile.Profile() as profile:
        check_page(Page(page, root))
    return vars(pstats.Stats(profile))["total_calls"]


@pytest.mark.parametrize("form", FORMS)
def test_formulas_of_one_paragraph(tmp_path, form):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/other.md").write_text("# Another\n")
    (tmp_path / "mkdocs.yml").write_text("nav: [index.md, other.md]\n")
    (tmp_path / "pyproject.toml").touch()
    _calls(tmp_path, FORMS[form], 10)  # imports
    once, twice = (_calls(tmp_path, FORMS[form], number) for number in (200, 400))
    assert twice <= 2.2 * once, f"{once:,} calls for 200, {twice:,} for 400"
