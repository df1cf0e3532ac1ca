"""Promise: the composition matrix shows what each rule gives in each place."""

import re

import pytest

pytestmark = pytest.mark.composition


def _alike(text: str) -> str:
    """Digits may be others on another processor."""
    return re.sub(r"\d+", "0", text)


def test_the_matrix_is_what_a_run_shows():
    from .composition import measure, page  # TensorFlow takes seconds to import

    found = page.measured()
    assert _alike(page.PAGE.read_text("utf-8")) == _alike(page.text(found))
    for kind, cells in found.items():
        for place, said in cells.items():
            is_right = said == measure.RIGHT
            assert is_right or page.why(kind, place, said), f"{kind}, {place}: {said}"
    errors = [
        place
        for cells in found.values()
        for place, said in cells.items()
        if said != measure.RIGHT and not said.startswith("wrong")
    ]
    named = ("`tf.cond`", "a `KerasTensor`", "SavedModel without custom gradients")
    assert 2 * sum(place.startswith(named) for place in errors) > len(errors)


@pytest.mark.sample
def test_the_picture_and_the_tables_show_the_same():
    from .composition import page

    text = page.PAGE.read_text("utf-8")
    assert page.picture(shown(text)) in text
    cells = [word for places in shown(text).values() for word in places.values()]
    for word, counted in (
        ("right", "cells are right"),
        ("wrong", "are silently wrong"),
    ):
        assert f"{cells.count(word)} {counted}" in text
    assert f"{cells.count('error')} end in an error" in text


def shown(text: str) -> dict[str, dict[str, str]]:
    """The word of each cell of the tables, by kind and place."""
    from .composition import measure

    tables = text.partition("{ #all }")[2]
    rows: dict[str, list[str]] = {}
    for line in re.findall(r"^\| (?!---|Place|Where)(.*) \|$", tables, re.MULTILINE):
        place, *cells = line.split(" | ")
        words = [re.sub(r"\[\*\*(\w+)\*\*\].*", r"\1", cell) for cell in cells]
        if {*words} <= {"right", "wrong", "error"}:
            rows.setdefault(place, []).extend(words)
    return {
        kind: {place: words[n] for place, words in rows.items()}
        for n, kind in enumerate(measure.KINDS)
    }


@pytest.mark.sample
def test_a_gradient_is_right_to_its_last_number():
    from .composition import measure

    right = [measure.np.array([1.0, 2.0])]
    assert measure.judged(right, right, 1e-5) == measure.RIGHT
    for wrong in ([None], [right[0] * 1.001], [right[0][:1]], right * 2):
        assert measure.judged(wrong, right, 1e-5).startswith("wrong: ")
