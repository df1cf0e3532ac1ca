"""Promise: the path of the guide takes the time that it names, and the menu follows it."""

import re

from truth.menu import menu
from truth.page import Page

from .project import ROOT

GUIDE = ROOT / "docs/guide/index.md"
WORDS_PER_MINUTE = 200
_STEP = re.compile(r"^(\d+)\. \[[^]]+\]\((\w+\.md)\), (\d+) minutes: ", re.MULTILINE)
_NOT_READ = re.compile(
    r"^```.*?^```|<!--.*?-->|\A---.*?^---$", re.DOTALL | re.MULTILINE
)


def _minutes(name: str) -> float:
    """Return the time that the prose of a page takes; programs are extra."""
    text = Page(GUIDE.with_name(name), ROOT).text
    return len(_NOT_READ.sub("", text).split()) / WORDS_PER_MINUTE


def test_each_page_takes_the_minutes_that_the_path_names():
    steps = _STEP.findall(GUIDE.read_text("utf-8"))
    assert [int(number) for number, *_ in steps] == [*range(1, 11)]
    wrong = {
        name: (int(minutes), _minutes(name))
        for _, name, minutes in steps
        if abs(int(minutes) - _minutes(name)) > 2.5
    }
    assert not wrong


def test_the_menu_has_the_path_in_its_order():
    steps = [f"guide/{name}" for _, name, _ in _STEP.findall(GUIDE.read_text("utf-8"))]
    pages = menu(ROOT)
    first = pages.index("guide/index.md") + 1
    assert pages[first : first + len(steps)] == steps
