"""Promise: each program prints its output, each custom gradient is right (or
deliberately wrong), and formulas, claims, numbers and messages hold.

One test for each page: ``pytest -k broadcasting`` checks that page and its programs.
What truth found before, and has not changed since, is not checked again.
"""

from pathlib import Path

import pytest
from filelock import FileLock

from gradients.definitions import find_definitions
from tracebook import settings, snippet
from truth import results
from truth.page import Page, all_pages

from .conftest import check_what_is_unverified, shared_folder
from .project import ROOT

SETTINGS = settings.load(ROOT)
PAGES = {page.label: page for page in all_pages(ROOT)}


def page_of(program: str) -> str:
    """A program is in the folder of its page."""
    folder = Path(program).parent
    folder = folder.parent if folder.name == "wrong" else folder
    return f"{SETTINGS.docs}/{folder.as_posix()}.md"


@pytest.fixture(scope="session")
def said(request, tmp_path_factory) -> str:
    """What truth printed of the pages that were chosen, where it had to run."""
    here = [item for item in request.session.items if item.path == Path(__file__)]
    pages: list[Page] = [
        PAGES[item.callspec.params["page"]]
        for item in here
        if hasattr(item, "callspec")
    ]
    with FileLock(shared_folder(tmp_path_factory) / "truth.lock"):
        return check_what_is_unverified(pages)


def faults(page: Page, known: results.Results) -> list[str]:
    """Return what isn't known to hold of a page and of the programs that it shows."""
    listed = [str(each) for each in known.all_findings(page) if each.state == "failed"]
    listed += [
        f"{check}: not checked to its end"
        for check in results.CHECKS
        if check != results.CLAIMS and known.findings(check, page) is None
    ]
    for name, program in known.programs(page).items():
        file = f"{SETTINGS.snippets}/{name}"
        if program is None or not program.ran:
            listed.append(f"{file}: run python -m tracebook check {file}")
        if program is None:
            continue
        checked = {result.line for result in program.gradients}
        listed += [
            f"{file}:{definition.line}: no result for this custom gradient"
            for definition in find_definitions(page.programs[name].source)
            if definition.line not in checked
        ]
    return listed


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_says_and_shows_holds(page, said):
    listed = faults(PAGES[page], results.Results(ROOT))
    assert not listed, "\n".join(
        [*listed, f"Run: .venv/bin/python -m truth {page}", said[-4000:]]
    )


def test_each_program_is_shown_by_its_page():
    shown = {(name, page) for page, its in PAGES.items() for name in its.included_names}
    assert [
        each.label
        for each in snippet.find(SETTINGS)
        if (each.name, page_of(each.name)) not in shown
    ] == []
