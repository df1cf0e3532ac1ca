"""Promise: a page of measurements is what its measurement wrote."""

import json
import re

from reader import versions
from truth.modes import found, index

from .benchmarks import page
from .drills import matrix, score
from .project import ROOT


def test_where_the_traces_hold():
    """``docs/versions.md``, with what differs."""
    measured = json.loads(matrix.RESULTS.read_text("utf-8"))
    results = [matrix.Result(**each) for each in measured["results"]]
    assert matrix.PAGE.read_text("utf-8") == matrix.page(results, measured["day"])
    assert results and all(result.snippets for result in results)


def test_a_trace_says_what_is_known_of_it_as_it_is():
    def ran(tensorflow: str, **problems: str) -> dict:
        its = {"a.py": "now", "b.py": "then"}
        return {
            "tensorflow": tensorflow,
            "python": "3.11.7",
            "snippets": its,
            "problems": {
                f"snippets/{name}.out": text for name, text in problems.items()
            },
        }

    results = [ran("2.21.0"), ran("2.20.0"), ran("2.19.1", a="prints else")]
    held, differs = "2.21.0, 2.20.0 on Python 3.11", "2.19.1 on Python 3.11"
    assert versions.others(results, "a", "now") == (held, differs)
    assert versions.others(results, "b", "now") == ("", ""), "it is another by now"


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


def test_what_the_linter_finds():
    """Digits of a float may be others on another processor."""
    shown, now = (CATALOGUE / found.FOUND).read_text("utf-8"), found.text(ROOT)
    assert re.sub(r"\d+", "0", shown) == re.sub(r"\d+", "0", now)
