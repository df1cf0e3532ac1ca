"""Promise: a page of measurements is what its measurement wrote."""

import json
import re

import pytest

from reader import versions
from truth.modes import found, index

from .benchmarks import page
from .drills import matrix, score
from .project import ROOT


def test_where_the_traces_hold():
    """``docs/versions.md``, with what differs."""
    known = json.loads(matrix.RESULTS.read_text("utf-8"))
    results = [matrix.Result(**each) for each in known["results"]]
    shown = matrix.page(results, len(known["programs"]), known["day"])
    assert matrix.PAGE.read_text("utf-8") == shown
    assert results and known["programs"]


def test_a_trace_says_what_is_known_of_it_as_it_is():
    def ran(tensorflow: str, **problems: str) -> dict:
        its = {f"{name}.py": text for name, text in problems.items()}
        return {"tensorflow": tensorflow, "python": "3.11.7", "problems": its}

    known = {
        "programs": {"a.py": versions.digest("a", "1"), "b.py": ""},
        "results": [ran("2.21.0"), ran("2.20.0"), ran("2.19.1", a="prints else")],
    }
    now = versions.digest("a\n", "1\n")
    held, differed = "2.21.0, 2.20.0 on Python 3.11", "2.19.1 on Python 3.11"
    assert versions.tried(known, "a.py", now) == (held, differed)
    for other in (versions.digest("a", "2"), versions.digest("a, then", "1")):
        assert versions.tried(known, "a.py", other) == ("", ""), "another by now"
    assert versions.tried(known, "b.py", now) == ("", "")
    assert versions.tried(known, "c.py", now) == ("", "")


def test_how_fast_it_is():
    measured = json.loads((ROOT / "tests/benchmarks/results.json").read_text("utf-8"))
    assert (ROOT / "docs/benchmark.md").read_text("utf-8") == page.render(measured)
    assert {"own", "10", "100", "400"} <= measured["sets"].keys()


def test_what_the_drills_catch():
    kinds = score.known()
    assert score.PAGE.read_text("utf-8") == score.page(kinds)
    assert all(kind["tried"] for kind in kinds.values())


CATALOGUE = ROOT / "docs" / index.CATALOGUE


def test_the_index_of_messages():
    assert (CATALOGUE / index.INDEX).read_text("utf-8") == index.text(ROOT)


@pytest.mark.slow
def test_what_the_linter_finds():
    """Digits of a float may be others on another processor."""
    shown, now = (CATALOGUE / found.FOUND).read_text("utf-8"), found.text(ROOT)
    assert re.sub(r"\d+", "0", shown) == re.sub(r"\d+", "0", now)
