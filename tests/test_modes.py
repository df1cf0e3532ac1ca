"""Promise: what a page says that each mode shows is what a run in that mode shows."""

import pytest

from truth.modes.check import check, written
from truth.page import Page

PROGRAM = '''"""Wrong on purpose: one gradient for two inputs."""

import tensorflow as tf


@tf.custom_gradient
def product(x, y):
    return x * y, lambda upstream: upstream * y


@tf.custom_gradient
def double(x):
    return 2.0 * x, lambda upstream: upstream * 3.0


x, y = tf.constant(3.0), tf.constant(4.0)
raise SystemExit
z = 1.0
'''


@pytest.fixture
def page(project):
    path = project / "docs/lessons/short.md"
    program = project / "snippets/lessons/short/wrong/short.py"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)

    def made(call, below=""):
        said = f"# Short\n\n<!-- modes: wrong/short.py: {call} -->\n{below}\nText.\n"
        path.write_text(said)
        return Page(path, project)

    return made


def states(page):
    return [each.state for each in check([page], page.root)]


@pytest.mark.slow
def test_a_table_is_written_once_and_holds(page):
    made = page("product(x, y)")
    assert states(made) == ["failed"]
    made.path.write_text(written(made))
    made = Page(made.path, made.root)
    text = made.path.read_text()
    assert states(made) == ["compared"] and written(made) == text
    for mode in ("eager", "XLA", "model.fit", "tf.gradients"):
        assert text.count(mode) == 1
    eager = "expected to return 2 gradients, but returned 1 instead."
    inside = "returned too few gradients. Expected 3 but received 2"
    assert eager in text and inside in text and text.endswith("\n\nText.\n")


@pytest.mark.parametrize("call, shown", [("double(x)", "3."), ("double(x=x)", "2.")])
def test_gradients_are_shown(page, call, shown):
    text = written(page(call))
    assert f"| `{shown}` |" in text.splitlines()[6], text


def test_another_symptom_fails(page):
    made = page("double(x)")
    text = written(made)
    assert states(page("double(x)", "\n" + text.split("-->\n\n")[1])) == ["compared"]
    made.path.write_text(text.replace("`3.0`", "`4.0`").replace("`3.`", "`4.`"))
    assert states(Page(made.path, made.root)) == ["failed"]


def test_no_other_check_reads_the_table(page):
    made = page("double(x)")
    made.path.write_text(written(made))
    assert "eager" not in Page(made.path, made.root).text


@pytest.mark.parametrize("call", ["double(z)", "double", "triple(x)", "double(", "x"])
def test_what_cannot_be_called_is_said(page, call):
    [found] = check([page(call)], page(call).root)
    assert found.state == "failed" and call.partition("(")[0] in found.how


def test_a_program_that_is_not_there_is_said(page):
    made = page("double(x)")
    made.path.write_text(made.source.replace("wrong/short.py", "wrong/long.py"))
    [found] = check([Page(made.path, made.root)], made.root)
    assert found.state == "failed" and "wrong/long.py" in found.how


def test_a_gradient_that_another_program_registered_is_taken_back(page):
    """Whichever of the two began first: a worker tries sentences before."""
    made = page("double(x)")
    program = made.root / "snippets/lessons/short/wrong/short.py"
    registered = (
        f'\n\ntf.RegisterGradient("{made.root}")(lambda op, upstream: upstream)\n'
    )
    head, _, rest = PROGRAM.partition("\n\n\n")
    text = head + registered + rest
    exec(text.partition("x, y =")[0], {"__name__": "short"})
    program.write_text(text)
    assert "`3.`" in written(made)
