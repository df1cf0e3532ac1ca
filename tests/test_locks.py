"""Promise: the committed locks are current, so a fresh clone doesn't judge every rule
and every sentence again.

A verdict also depends on the packages, on Python and on the machine. So these tests run
only where all of them are those of CI.
"""

import platform
import sys

import pytest

from tracebook import settings
from truth import sample
from truth.page import all_pages
from truth.rules import lock
from truth.rules import sites as rules
from truth.statements.check import Check
from truth.testfile import file_of

from . import held
from .project import ROOT

LOCKED = (ROOT / "requirements.txt").read_text("utf-8")
AS_LOCKED = (
    sys.version_info[:2] == (3, 11)
    and platform.machine() == "x86_64"
    and all(f"{package} \\" in LOCKED for package in sample.packages().split())
)
PAGES = [
    page for page in all_pages(ROOT) if file_of(page).exists() and not page.is_generated
]
MEND = "run: python -m truth, then: python -m truth accept"


@pytest.mark.skipif(not AS_LOCKED, reason="its locks are of other packages")
def test_the_tools_were_tested_as_they_are(pytestconfig):
    """A run with ``--held`` is the one that renews the lock."""
    is_renewed = pytestconfig.option.held
    assert is_renewed or held.is_current(), (
        "run: make test, and commit tests/tools.lock"
    )


@pytest.mark.skipif(not AS_LOCKED, reason="its locks are of other packages")
def test_no_verdict_on_a_rule_is_old():
    entries, folder = lock.load(ROOT), settings.load(ROOT).snippets_dir
    sources = {
        name: (folder / name).read_text("utf-8")
        for page in all_pages(ROOT)
        for name in page.embeds
        if name.endswith(".py")
    }
    old = [
        name
        for name, source in sorted(sources.items())
        if rules.find(source)
        if name not in entries or entries[name].key != lock.key(source)
    ]
    assert old == [], MEND


@pytest.mark.skipif(not AS_LOCKED, reason="its locks are of other packages")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.shown)
def test_no_verdict_on_a_sentence_is_old(page):
    check = Check(page)
    old = [
        test.name
        for test in check.tests
        # What looks through folders is tried each time, and the few that run the
        # project's own code after each change of that.
        if not test.is_mark and not check.tests.reads_folders(test)
        if not check.tests.packages(check.tests.code(test.name))
        if test.name not in check.lock
        or check.lock[test.name].key != check.tests.key(test)
    ]
    assert old == [], MEND
