"""Promise: a page of measurements is what its measurement wrote."""

import dataclasses
import re

from reader import versions

from . import messages
from .drills import matrix
from .project import ROOT
from .public_code import page as public_code


def test_a_run_of_one_pair_keeps_what_is_known_of_the_others():
    """A program that is new or changed is tried with the new pair only."""

    def ran(tensorflow: str, **given) -> matrix.Result:
        one = matrix.Result("3.11.7", tensorflow, "3", "2", {})
        return dataclasses.replace(one, **given)

    old = ran("2.21.0", problems={"gone.py": "", "changed.py": "", "a.py": "else"})
    known = {
        "programs": {"a.py": "1", "changed.py": "1", "gone.py": "1"},
        "results": [dataclasses.asdict(each) for each in (old, ran("2.20.0"))],
    }
    kept = [*matrix.kept(known, {"a.py": "1", "changed.py": "2", "new.py": "1"})]
    assert [each.untried for each in kept] == [["changed.py", "new.py"]] * 2
    assert kept[0].problems == {"a.py": "else"}
    new = [ran("2.22.0rc0", one_dnn=each) for each in ("off", "on")]
    again = ran("2.20.0", one_dnn="on")
    shown = [(r.tensorflow, r.one_dnn) for r in matrix.merged(kept, [*new, again])]
    newest = [("2.22.0rc0", "on"), ("2.22.0rc0", "off")]
    assert shown == [*newest, ("2.21.0", "default"), ("2.20.0", "on")]


def test_the_versions_of_a_trace_are_those_of_its_current_text():
    def result(tensorflow: str, one_dnn: str = "default", **problems: str) -> dict:
        by_program = {f"{name}.py": text for name, text in problems.items()}
        versions = {"tensorflow": tensorflow, "python": "3.11.7", "one_dnn": one_dnn}
        return versions | {"problems": by_program, "untried": ["d.py"]}

    digest = versions.digest("a", "1")
    matrix = versions.VersionMatrix(
        {"a.py": digest, "b.py": "", "d.py": digest},
        [
            result("2.22.0", "on"),
            result("2.22.0", "off", a="another digit"),
            result("2.21.0", "on"),
            result("2.21.0", "off"),
            result("2.20.0"),
            result("2.19.1", a="another output"),
        ],
    )
    current = versions.digest("a\n", "1\n")
    same = "2.22.0 on Python 3.11 with oneDNN on; 2.21.0, 2.20.0 on Python 3.11"
    different = "2.22.0 on Python 3.11 with oneDNN off; 2.19.1 on Python 3.11"
    assert matrix.outcomes("a.py", current) == (same, different)
    assert matrix.outcomes("d.py", digest) == ("", ""), "changed since it ran"
    for changed in (versions.digest("a", "2"), versions.digest("b", "1")):
        assert matrix.outcomes("a.py", changed) == ("", "")
    assert matrix.outcomes("b.py", current) == ("", "")
    assert matrix.outcomes("c.py", current) == ("", "")


def test_custom_gradients_in_public_code():
    rows = public_code.tried()
    assert public_code.PAGE.read_text("utf-8") == public_code.page(rows)
    assert len([row for row in rows if row.verdict != public_code.LEFT]) >= 60
    assert len({row.link for row in rows}) == len(rows)
    assert {"tensorflow/probability", "keras-team/keras", "tensorflow/addons"} <= {
        row.repository for row in rows
    }
    anchors = re.findall(
        r"\{ #(report-[\w-]+) \}", public_code.REPORTS.read_text("utf-8")
    )
    assert sorted({row.report for row in rows} - {""}) == sorted(anchors)
    for row in rows:
        assert row.verdict in public_code.MEANINGS, row
        assert re.fullmatch(r"[0-9a-f]{40}|v\d+\.\d+\.\d+", row.revision), row
        assert bool(row.report) == (row.verdict in public_code.FAULTS), row


def test_the_index_of_messages():
    assert messages.PAGE.read_text("utf-8") == messages.text(ROOT)
