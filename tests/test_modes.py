"""Promise: what a page says that each mode shows is what a run in that mode shows."""

import re

import pytest

from truth.modes.check import check, written
from truth.page import Page

from . import messages
from .project import ROOT

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


FIX = PROGRAM.replace(
    "upstream: upstream * y", "upstream: (upstream * y, upstream * x)"
)
EAGER_ONLY = """
@tf.custom_gradient
def by_numpy(x):
    return 3.0 * x, lambda upstream: upstream * float(tf.abs(x).numpy())

"""


@pytest.mark.parametrize(
    "fix, shown, why",
    [
        ("", "", ""),
        ("; fix: product(y, x)", "", ""),
        ("; fix: tripled(x)", "", "name the call of the fix"),
        ("; fix: by_numpy(x)", "", "the fix short.py isn't one in every mode"),
        ("; fix: long.py: product(x, y)", "", "long.py is not there"),
        ("; fix: by_numpy(x)", "<!-- modes: short.py: by_numpy(x) -->\n", ""),
    ],
)
def test_a_fix_is_one_in_every_mode_or_its_modes_are_shown(page, fix, shown, why):
    made = page(f"product(x, y){fix}", below=f"\n{shown}")
    beside = made.root / "snippets/lessons/short/short.py"
    beside.write_text(FIX.replace("\nx, y =", f"{EAGER_ONLY}\nx, y ="))
    made.path.write_text(written(made))
    found = check([Page(made.path, made.root)], made.root)
    failed = [each.how for each in found if each.state in ("failed", "unchecked")]
    assert bool(why) == bool(failed) and why in "".join(failed), found


def test_a_fix_that_is_nowhere_is_no_fix(page):
    made = page("product(x, y); fix: product(y, x)")
    made.path.write_text(written(made))
    [found] = check([Page(made.path, made.root)], made.root)
    assert found.state == "failed" and "no program beside" in found.how


def test_no_other_check_reads_the_table(page):
    made = page("double(x)")
    made.path.write_text(written(made))
    assert "eager" not in Page(made.path, made.root).text


@pytest.mark.parametrize(
    "call",
    ["double(z)", "double", "triple(x)", "double(", "x", "double(tf.costant(1))"],
)
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


OUT = """gradient 3.0
(2,): TypeError: Scalar tensor has no `len()`
InvalidArgumentError
it has 4 elements
ValueError: in user code:

    ValueError: No rule for 'Mul'
a KerasTensor: ValueError
ValueError: No rule for
KeyError: …
"""


def test_the_index_has_each_message_that_a_wrong_program_prints(project):
    folder = project / "snippets/mistakes/short"
    for each in ("wrong/caught", "right"):
        program = folder / f"{each}.py"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text('"""A program."""\n')
        program.with_suffix(".out").write_text(OUT)
    page = project / "docs" / messages.CATALOGUE / "short.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(
        "# Short\n\n## First { #a }\n\n"
        '```python\n--8<-- "mistakes/short/wrong/caught.py"\n```\n\n'
        "<!-- modes: wrong/short.py: f(x) -->\n\n"
        "| Mode | What you see |\n| --- | --- |\n"
        "| `model.fit` | `OSError: Could not automatically infer the output shape / "
        "dtype … Error encountered: no file` |\n\n"
        '## Second { #b }\n\n```python\n--8<-- "mistakes/short/right.py"\n```\n'
    )
    found = messages.messages(project)
    assert {each: said for each, (said, _) in found.items()} == {
        ("TypeError", "Scalar tensor has no `len(…)`"): "Scalar tensor has no `len()`",
        ("InvalidArgumentError", "it has N elements"): "it has 4 elements",
        ("ValueError", "No rule for '…'"): "No rule for 'Mul'",
        ("OSError", "no file"): "no file",
    }
    assert {link for _, links in found.values() for link in links} == {
        "[First](short.md#a)"
    }


def test_messages_stand_under_the_kind_of_their_error():
    head, *parts = re.split(r"^## ", messages.text(ROOT), flags=re.MULTILINE)
    assert "\n- " not in head and len(parts) > 5
    for part in parts:
        title, *lines = part.strip().splitlines()
        kinds = re.findall(r"^- `+ ?(\w+): ", part, re.MULTILINE)
        assert len(kinds) == len([line for line in lines if line]) >= 3, title
        assert {*kinds} == {title} or title == "Other kinds", title
