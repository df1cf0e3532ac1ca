"""Promise: each program prints its trace, each rule is right (or wrong on purpose),
and what each page says in formulas, numbers and messages is proven.

One item for each: ``pytest -k broadcasting`` judges that page and its programs. What
was judged before, and has not changed since, is not judged again.
"""

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from tracebook import settings, snippet
from truth import results
from truth.page import all_pages
from truth.rules import sites

from .conftest import shared_folder
from .project import ROOT

SETTINGS = settings.load(ROOT)
PROGRAMS = snippet.find(SETTINGS)
PAGES = [page.shown for page in all_pages(ROOT)]
RULES = [(each, site) for each in PROGRAMS for site in sites.find(each.source)]


@dataclass(frozen=True)
class Known:
    """The results on record, and what was said when they were found."""

    results: results.Results
    said: str

    def about(self, start: str) -> str:
        """What was said of a file, from its line on to the next file's."""
        lines, found, keeps = self.said.splitlines(), [], False
        for line in lines:
            keeps = line.startswith(start) or (keeps and line.startswith(" "))
            found += [line] * keeps
        return "\n".join(found)


@cache
def _page_of(program: str) -> str:
    """A program stands in the folder of its page."""
    folder = Path(program).parent
    folder = folder.parent if folder.name == "wrong" else folder
    return f"{SETTINGS.docs}/{folder.as_posix()}.md"


@pytest.fixture(scope="session")
def known(request, tmp_path_factory) -> Known:
    """What is known of the pages that the chosen items speak of."""
    here = [item for item in request.session.items if item.path == Path(__file__)]
    pages = {item.callspec.params["page"] for item in here}
    with FileLock(shared_folder(tmp_path_factory) / "truth.lock"):
        done = subprocess.run(
            [sys.executable, "-m", "truth", *sorted(pages)],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    assert done.returncode in (0, 1), done.stdout
    return Known(results.load(ROOT), done.stdout)


@pytest.mark.parametrize(
    "program, page",
    [pytest.param(each.name, _page_of(each.name), id=each.name) for each in PROGRAMS],
)
def test_a_program_prints_its_trace(program, page, known):
    said = known.about(f"{SETTINGS.snippets}/{program.removesuffix('.py')}.")
    assert program in known.results.pages[page].programs, f"{page} does not show it"
    assert known.results.programs[program].ran, (
        f"{said}\nRun: .venv/bin/python -m tracebook check"
        f" {SETTINGS.snippets}/{program}"
    )


@pytest.mark.parametrize(
    "program, line, page",
    [
        pytest.param(
            each.name, site.line, _page_of(each.name), id=f"{each.name}:{site.line}"
        )
        for each, site in RULES
    ],
)
def test_a_rule_is_as_it_is_said_to_be(program, line, page, known):
    run = f"Run: .venv/bin/python -m truth {page}"
    found = known.results.programs[program].rules
    assert found is not None, f"not judged to the end\n{known.said[-2000:]}\n{run}"
    where = f"{SETTINGS.snippets}/{program}:{line}"
    of_line = [each for each in found if each.where == where]
    assert of_line, f"{where}: nothing is said of this rule\n{run}"
    failed = [str(each) for each in of_line if each.state == "failed"]
    assert not failed, "\n".join([*failed, run])


@pytest.mark.parametrize("check", results.CHECKS)
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_says_is_proven(page, check, known):
    run = f"Run: .venv/bin/python -m truth {page}"
    checked = known.results.pages[page].checks.get(check)
    assert checked, f"not checked to the end\n{known.said[-2000:]}\n{run}"
    failed = [str(each) for each in checked.findings if each.state == "failed"]
    assert not failed, "\n".join([*failed, run])
