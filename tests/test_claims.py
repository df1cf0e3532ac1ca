"""Numbers and messages in prose are tied to what proves them."""

import re
import subprocess
import sys
from pathlib import Path

import markdown
import pytest

from reader import links
from truth.page import Page, all_pages
from truth.prose import numbers, quotes

from .project import ROOT

PROGRAM = '''"""Squares, and one mistake."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


def in_graph(x):
    tf.function(square)(x)


def by_tape(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        square(x)


STEPS = [0.5, 0.25]
for step in range(100):
    by_tape(tf.constant(2.0))
'''
TRACE = """forward  x = 4  y = 16
backward x = 4  upstream = 1  local = 8  downstream = 8
backward x = 2  upstream = 8  local = 4  downstream = 32
vector   x = [1 2 3]  downstream = [2 40 600]
  x    rule  autodiff
1.5  0.9526  0.952574
2.5  0.0000  -7.5e-03
in_graph: ValueError
  Incompatible shapes between op input and calculated
  input gradient
by_tape: TypeError: grad() takes 1 positional argument but 2 were given
"""


@pytest.fixture
def page(tmp_path):
    """Makes a page of a text; it embeds the program and its trace."""
    for folder in ("docs", "snippets/wrong"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "Makefile").write_text("test: setup\nlint:\n")
    (tmp_path / "src/truth").mkdir(parents=True)
    (tmp_path / "src/truth/__main__.py").touch()
    (tmp_path / "snippets/square.py").write_text(PROGRAM)
    (tmp_path / "snippets/square.out").write_text(TRACE)
    (tmp_path / "snippets/other.out").write_text("seen elsewhere = 77.25\n")

    def make(text: str, title: str = "# A title") -> tuple[Page, Path]:
        path = tmp_path / "docs/page.md"
        path.write_text(
            f'{title}\n\n```python\n--8<-- "square.py"\n```\n\n```text\n'
            f'--8<-- "square.out"\n```\n\n{text}\n'
        )
        return Page(path, tmp_path), tmp_path

    return make


def states(check, made: tuple[Page, Path]) -> list[str]:
    made_page, root = made
    return [finding.state for finding in check([made_page], root)]


def holds(check, made: tuple[Page, Path]) -> bool:
    found = states(check, made)
    assert found, "nothing was looked at"
    return "failed" not in found


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("These are $(2, 40, 600)$.", "These are $(2, 41, 600)$."),
        ("These are 2, 40 and 600.", "These are 2, 50 and 600."),
        # Shown, within the digits that the text shows.
        ("It gives 0.95257.", "It gives 0.95256."),
        ("It gives 0.953.", "It gives 0.952."),
        ("It gives −0.0075.", "It gives −0.0076."),
        ("It gives −0.0075.", "It gives 0.0075."),
        ("It gives -7.5e-3.", "It gives -7.5e-2."),
        ("It takes 100 steps.", "It takes 200 steps."),
        ("The first is ½.", "The first is ⅓."),
        # By a comment.
        (
            "It is 77.25.\n<!-- proof: other.out -->",
            "It is 77.35.\n<!-- proof: other.out -->",
        ),
        ("$10^{-2} \\cdot 50$ at most.", "$10^{-2} \\cdot 51$ at most."),
        ("A trace of $2 \\times 100$.", "A trace of $2 \\times 101$."),
    ],
)
def test_a_number_is_tied_to_its_proof(page, right, wrong):
    assert holds(numbers.check, page(right)), "a true number fails"
    assert not holds(numbers.check, page(wrong)), "a false number holds"


@pytest.mark.parametrize(
    "text",
    [
        "With TensorFlow 2.21 and Keras 3.15, Python 3.11, 3.12 or 3.13.",
        "Read on 2026-11-20, on 5 May 2027, for ever.",
        "1. **First.** In float32, see [here](page77.md).",
        "## Step 7",
    ],
)
def test_what_states_no_result_is_told_apart(page, text):
    assert states(numbers.check, page(text)) == []


def test_a_constant_in_a_comment_proves_nothing(page):
    assert states(numbers.check, page("It was 0.98. <!-- proof: 0.98 = -->")) == [
        "definition"
    ]


@pytest.mark.parametrize(
    "text, judged",
    [
        ("It is 0.9526.", 1),
        ("It is 0.9526. <!-- It was 0.9999. -->", 1),
        ("<!-- It was 0.9999,\n\nand $x = 0.9999$. -->\n\nIt is 0.9526.", 1),
        # A comment in backticks is shown, and says nothing to the checks.
        ("It is 77.25. `<!-- proof: other.out -->`", 0),
        # Nor is shown what a comment includes.
        ('It is 77.25.\n\n<!--\n--8<-- "other.out"\n-->', 0),
        # Of a table, a comment below it speaks of all rows; above one, of none.
        ("| a |\n|---|\n| 77.25 |\n| 77.25 |\n\n<!-- proof: other.out -->", 2),
        (
            "| a |\n|---|\n| 77.25 |\n\n```text\n```\n\n"
            "| a |\n|---|\n| 0.9526 |\n\n<!-- proof: other.out -->",
            0,
        ),
    ],
)
def test_comments_are_not_shown_and_speak_of_what_they_are_below(page, text, judged):
    found = states(numbers.check, page(text))
    assert found == ["tied"] * judged if judged else "failed" in found


def test_the_last_line_of_a_page_counts_without_its_end(page):
    made, root = page("")
    last = Page(made.path, root, made.source + "It gives 0.9999.")
    assert states(numbers.check, (last, root)) == ["failed"]


@pytest.mark.parametrize(
    "text",
    [
        "From 0.7 on.",
        "By 2048 it is so.",
        "It takes 917 seconds.",
        "It is not 7.7.",
        "Left of 5 it falls.",
        "It is 917.\n<!-- proof: 917 -->",
        "For the 7th time, $7 \\times 9$.",
    ],
)
def test_what_looks_like_no_result_is_one(page, text):
    assert "failed" in states(numbers.check, page(text))


def test_a_test_vouches_for_the_numbers_of_its_sentences(page):
    """What a mark says of a sentence is no test of it."""
    made, root = page("It is 0.9999. It is 0.952574. It is 0.7777. It is 8.")
    tests = root / "tests/statements/page.py"
    tests.parent.mkdir(parents=True)
    tests.write_text(
        '@says("It is 0.9999.")\ndef test_it():\n    assert about(0.9999)\n\n\n'
        'definition("It is 0.7777.")\nadvice("It is 8.")\n'
    )
    found = numbers.check([made], root)
    assert [f.state for f in found] == ["tied", "failed", "tied"]
    assert [f.weak for f in found] == [False, False, True]


@pytest.mark.parametrize(
    "text, weak",
    [
        ("It is 0.952574.", False),
        ("It is 100.", False),
        ("It is 8.", True),
        ("At 16.", False),
        ("It is 600.", False),
    ],
)
def test_what_stands_at_several_places_is_weak(page, text, weak):
    made, root = page(text)
    assert [found.weak for found in numbers.check([made], root)] == [weak]


@pytest.mark.slow
@pytest.mark.parametrize("check", [numbers.check, quotes.check])
def test_pages_and_programs_are_where_the_settings_say(page, check):
    text = "`square.py` 0.9526 `TypeError: grad() takes 1 positional argument`"
    _, root = page(f"{text} 77.25 <!-- proof: own.out -->")
    (root / "snippets").rename(root / "programs")
    (root / "docs").rename(root / "pages")
    (root / "programs/page").mkdir()
    (root / "programs/page/own.out").write_text("77.25\n")
    (root / "pyproject.toml").write_text(
        "[tool.tracebook]\nsnippets = 'programs'\ndocs = 'pages'\n"
    )
    [moved] = all_pages(root)
    assert moved.shown == "pages/page.md"
    assert set(states(check, (moved, root))) <= {"tied", "compared"}


def test_the_nearest_section_decides(page):
    nearer = '\n## Next\n\n```text\n--8<-- "near.out"\n```\n\nHere upstream is {}.'
    made, root = page(nearer.format(5))
    (root / "snippets/near.out").write_text("upstream = 5\n")
    assert holds(numbers.check, (made, root))
    assert not holds(numbers.check, page(nearer.format(8)))


def test_a_page_made_from_data_is_left_out(page):
    """Its name decides, not what it says about itself."""
    made, root = page("It took 12.345 s. `python -m tests.drills` wrote this page.")
    assert not holds(numbers.check, (made, root))
    generated = made.path.rename(root / "docs/drills.md")
    assert states(numbers.check, (Page(generated, root), root)) == []


@pytest.mark.parametrize(
    "right, wrong",
    [
        (
            "It says `TypeError: grad() takes 1 positional argument but 2 were given`.",
            "It says `TypeError: grad() takes 1 positional argument but 3 were given`.",
        ),
        (
            "It says `Incompatible shapes between op input and\n"
            "calculated input gradient`.",
            "It says `Incompatible shapes between op input and\n"
            "calculated output gradient`.",
        ),
        (
            "| `Incompatible shapes … input gradient` |",
            "| `input gradient … Incompatible shapes` |",
        ),
        (
            "`Incompatible shapes between op` … `and calculated input gradient`",
            "`and calculated input gradient` … `Incompatible shapes between op`",
        ),
        (
            "No `tf.errors.AbortedError`, but `TypeError: grad() takes 1`.",
            "It says `tf.errors.AbortedError: grad() takes 1 positional argument`.",
        ),
        (
            "`in_graph: ValueError … between op`",
            "`in_graph: ValueError … but 2 were given`",  # of the next message
        ),
        (
            "```text\nTypeError: grad() takes 1 positional argument\n```",
            "```text\nTypeError: grad() takes 2 positional arguments\n```",
        ),
        (
            "> Decorator to define a function with a\n> custom gradient.\n\n"
            "<!-- docstring: tf.custom_gradient -->",
            "> Decorator to define a function with one\n> custom gradient.\n\n"
            "<!-- docstring: tf.custom_gradient -->",
        ),
        (
            "`function with a custom gradient` <!-- docstring: tf.custom_gradient -->",
            "`method with a custom gradient` <!-- docstring: tf.custom_gradient -->",
        ),
    ],
)
def test_a_quote_is_what_was_said(page, right, wrong):
    assert holds(quotes.check, page(right)), "a true quote fails"
    assert not holds(quotes.check, page(wrong)), "a false quote holds"


@pytest.mark.parametrize("cell", ["`a \\| b`", "a \\| b", "`|`"])
def test_a_row_may_have_an_escaped_pipe(page, cell):
    text = (
        f"| a | eager |\n|---|---|\n| {cell} | `grad() takes 1 positional argument` |"
    )
    assert states(quotes.check, page(text)) == ["compared"]


@pytest.mark.parametrize(
    "name, page_of_it",
    [
        ("tf.custom_gradient", "tf/custom_gradient"),
        ("tf.sign", "tf/math/sign"),
        ("tf.nn.sigmoid", "tf/math/sigmoid"),
        ("tf.linalg.diag", "tf/linalg/diag"),
        ("tf.keras.optimizers.SGD", "tf/keras/optimizers/SGD"),
        ("keras.ops.custom_gradient", "tf/keras/ops/custom_gradient"),
        ("tf.GradientTape.jacobian", "tf/GradientTape#jacobian"),
        ("tf.raw_ops.BroadcastGradientArgs", "tf/raw_ops/BroadcastGradientArgs"),
        ("tf.linalg", "tf/linalg"),
        ("tf.python.ops", None),
        ("tf.sing", None),
        ("tf.GradientTape.jacobien", None),
        ("tf.float32", None),
        ("keras.src.ops", None),
    ],
)
def test_the_reference_has_the_address_of_the_canonical_name(name, page_of_it):
    assert links.address(name) == (page_of_it and links.REFERENCE + page_of_it)


def test_the_addresses_are_read_once_and_mended(tmp_path):
    """Where the environment may be written, and TensorFlow is not imported here."""
    program = (
        "import sys; sys.prefix, sys.executable = sys.argv[1:]; from reader import"
        " links; print(links.address('tf.sign'), 'tensorflow' in sys.modules)"
    )
    right = f"{links.REFERENCE}tf/math/sign False\n"

    def said(prefix: Path, reader: str | Path) -> str:
        command: list[str | Path] = [sys.executable, "-c", program, prefix, reader]
        return subprocess.check_output(command, text=True)

    (packages := tmp_path / "packages").mkdir()
    assert said(packages, sys.executable) == right
    [kept] = packages.iterdir()
    assert said(packages, "nobody reads again") == right
    # Who reads again says what was said, without importing all.
    whole = tmp_path / "whole"
    whole.write_bytes(kept.read_bytes())
    (again := tmp_path / "again").write_text(f"#!/bin/sh\nexec cat '{whole}'\n")
    again.chmod(0o700)
    kept.write_text(kept.read_text()[:-9])
    assert said(packages, again) == right
    assert kept.read_bytes() == whole.read_bytes()
    (tmp_path / "none").write_text("")
    assert said(tmp_path / "none", again) == right, "where nothing can be kept"


@pytest.mark.parametrize("more", [[], ["pymdownx.inlinehilite"]])
def test_names_in_running_text_become_links(more):
    html = markdown.markdown(
        "# On `tf.sign`\n\n- `tf.sign`, [`tf.abs`](x) and `tf.nothing`, `sign`\n",
        extensions=["reader.links", *more],
    )
    [link] = re.findall(r"<a .*?</a>", html.replace('<a href="x">', "<b>"))[:1]
    assert link == (
        f'<a class="api" href="{links.REFERENCE}tf/math/sign"><code>tf.sign</code></a>'
    )
    assert html.count("<a ") == 2 and "<h1>On <code>tf.sign</code></h1>" in html


@pytest.mark.slow
@pytest.mark.parametrize("check", [numbers.check, quotes.check])
def test_what_the_pages_say_holds(check):
    found = check(all_pages(ROOT), ROOT)
    assert len(found) > 5
    assert [str(finding) for finding in found if finding.state == "failed"] == []


def test_what_states_no_result_is_told_to_the_reader():
    told = " ".join((ROOT / "docs/checked.md").read_text("utf-8").split())
    assert [name for name in numbers.TOLD_APART if name not in told] == []
