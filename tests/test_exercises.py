"""Promise: the formula that an exercise accepts is the derivative.

test_browser.py tests the values that the script computes in a browser.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from .exercises import ANSWERS, FORMULAS, FUNCTIONS, Answer, answers, evaluated
from .project import ROOT

BY_TENSORFLOW = {
    name: getattr(tf.math, {"max": "maximum", "min": "minimum"}.get(name, name))
    for name in FUNCTIONS
}


def derivative(answer: Answer, at: dict[str, np.ndarray]) -> np.ndarray:
    """Return TensorFlow's derivative in float64 at each point."""
    inputs = {name: tf.constant(values, tf.float64) for name, values in at.items()}
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = evaluated(answer.of, inputs, BY_TENSORFLOW)
    return tape.gradient(y, inputs[answer.by]).numpy()


def check(answer: Answer) -> None:
    """Raise AssertionError if an answer isn't the derivative."""
    expected = derivative(answer, answer.points())
    is_finite = np.isfinite(expected)
    assert is_finite.sum() >= 5, f"{answer.where}: compare it at more points"
    dtype: Any
    for dtype, rel in ((np.float64, 1e-9), (np.float32, 1e-3)):
        np.testing.assert_allclose(
            answer.values(dtype)[is_finite],
            expected[is_finite],
            rel,
            atol=np.finfo(dtype).tiny,
            err_msg=f"{answer.where}: {answer.text} isn't the derivative of {answer.of}",
        )


@pytest.mark.parametrize("answer", FORMULAS, ids=lambda each: each.where)
def test_each_formula_is_the_derivative_that_tensorflow_computes(answer):
    check(answer)


@pytest.mark.parametrize("wrong", ["-({})", "2 * ({})", "({}) + 0.001", "({}) * x"])
def test_a_wrong_formula_fails_with_its_line(wrong):
    for answer in FORMULAS:
        planted = replace(answer, text=wrong.format(answer.text))
        if {*planted.names} == {*answer.names}:
            with pytest.raises(AssertionError, match=re.escape(answer.where)):
                check(planted)


WITHOUT = {"index.md", "test_in_ci.md"}
"""Pages without exercises: the indexes, and a page whose answers would be yes and no."""


def test_lessons_and_guide_have_exercises_that_answer():
    with_answers = {each.where.partition(":")[0] for each in ANSWERS}
    pages = {
        path.relative_to(ROOT).as_posix()
        for folder in ("lessons", "guide")
        for path in (ROOT / "docs" / folder).glob("*.md")
        if path.name not in WITHOUT
    }
    assert pages == {each for each in with_answers if "/systems/" not in each}
    for page in pages:
        assert sum(each.where.startswith(page) for each in ANSWERS) >= 2, page


def test_an_unknown_mark_is_rejected_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.exercises.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text('\n`cos(x)`{.answer of="sin(x)"}\n')
    with pytest.raises(ValueError, match=r"page\.md:2"):
        list(answers(page))
    page.write_text("It is `[1, 2]`{.answer}.\n")
    with pytest.raises(ValueError, match="not checked"):
        list(answers(page))
    page.write_text('It is **$2 \\cdot 3 = 6$**{.answer data-name="a"}.\n')
    assert [(each.text, each.name) for each in answers(page)] == [("6", "a")]
