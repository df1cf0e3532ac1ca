"""Promise: the ground may move. Zensical builds the same pages, after
``python -m tracebook check``, with the same programs, traces and formulas."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from truth.ledger import page as ledger

from .project import ROOT, copy, run

pytestmark = pytest.mark.builds


def _displayed(path: Path) -> tuple[list[str], list[str]]:
    """The text of each block of code, and the markup of each formula."""
    html = BeautifulSoup(path.read_text("utf-8"), "lxml").select_one("article")
    for unseen in html.select(".highlight :is(button, nav, .holds)"):
        unseen.extract()
    for source in html.select("annotation"):
        # Zensical obeys and removes this attribute.
        source.attrs.pop("data-search-exclude", None)
    return (
        [block.get_text().strip() for block in html.select(".highlight")],
        [str(formula) for formula in html.select("math")],
    )


def test_the_same_programs_traces_formulas_and_font(built_site, tmp_path):
    # Figures are there since MkDocs built.
    left_out = {".git", ".venv", ".cache", "site"}
    parts = {path.name for path in ROOT.iterdir()} - left_out
    project = copy(tmp_path / "project", *parts, "docs/figures", ".cache/truth")
    ledger.write(project)  # as `python -m truth` does before such a build
    for command in (["zensical", "build"], ["mathml", "site"]):
        code, said = run(project, *command)
        assert code == 0, said
    pages = [path.relative_to(ROOT / "docs") for path in ROOT.glob("docs/**/*.md")]
    assert pages
    for page in pages:
        folder = page.parent if page.stem == "index" else page.with_suffix("")
        ours, theirs = (
            _displayed(site / folder / "index.html")
            for site in (built_site, project / "site")
        )
        assert ours == theirs, page
    font = project / "site/assets/fonts/stix-two-math.woff2"
    assert font.stat().st_size > 10_000
