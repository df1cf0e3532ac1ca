"""Promise: a page of measurements is what its measurement wrote."""

import re

from . import messages
from .project import ROOT
from .public_code import page as public_code


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
