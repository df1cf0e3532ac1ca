"""Promise: a page of measurements is what its measurement wrote."""

import json

from drills import matrix


def test_where_the_traces_hold():
    measured = json.loads(matrix.RESULTS.read_text("utf-8"))
    results = [matrix.Result(**each) for each in measured["results"]]
    assert matrix.PAGE.read_text("utf-8") == matrix.page(results, measured["day"])
    assert results and all(result.snippets for result in results)
