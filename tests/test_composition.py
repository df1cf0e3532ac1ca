"""Promise: the composition matrix shows what each rule gives in each place."""

import re
from datetime import date

from .composition import measure, page
from .conftest import IN_CI


def _alike(text: str) -> str:
    """Digits may be others on another processor."""
    return re.sub(r"\d+", "0", text)


def test_the_matrix_is_what_a_run_shows():
    """All of it in continuous integration, and else one kind of rule each day."""
    of_today = measure.KINDS[date.today().toordinal() % len(measure.KINDS)]
    shown = _alike(page.PAGE.read_text("utf-8"))
    found = page.measured(*([] if IN_CI else [of_today]))
    assert not IN_CI or shown == _alike(page.text(found))
    for kind, cells in found.items():
        assert _alike(page.section(kind, cells)) in shown
        for place, said in cells.items():
            is_right = said == measure.RIGHT
            assert is_right or page.why(kind, place, said), f"{kind}, {place}: {said}"


def test_a_gradient_is_right_to_its_last_number():
    right = [measure.np.array([1.0, 2.0])]
    assert measure.judged(right, right, 1e-5) == measure.RIGHT
    for wrong in ([None], [right[0] * 1.001], [right[0][:1]], right * 2):
        assert measure.judged(wrong, right, 1e-5).startswith("wrong: ")
