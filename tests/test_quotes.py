"""Messages and docstrings that a page quotes are compared with what they are of."""

import re
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import markdown
import pytest
import tensorflow as tf

from reader import links
from truth import quotes
from truth.page import Page, all_pages

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
    return [finding.state for finding in check(made[0])]


def holds(check, made: tuple[Page, Path]) -> bool:
    found = states(check, made)
    assert found, "nothing was looked at"
    return "failed" not in found


@pytest.mark.slow
def test_pages_and_programs_are_where_the_settings_say(page):
    text = "`square.py` `TypeError: grad() takes 1 positional argument`"
    _, root = page(
        f"{text} `OSError: none of it` <!-- proof: programs/page/own.out -->"
    )
    (root / "snippets").rename(root / "programs")
    (root / "docs").rename(root / "pages")
    (root / "programs/page").mkdir()
    (root / "programs/page/own.out").write_text("OSError: none of it\n")
    (root / "pyproject.toml").write_text(
        "[tool.tracebook]\nsnippets = 'programs'\ndocs = 'pages'\n"
    )
    [moved] = all_pages(root)
    assert moved.label == "pages/page.md"
    assert states(quotes.check, (moved, root)) == ["compared"] * 2


def test_a_page_made_from_data_is_left_out(page):
    """Its name decides, not what it says about itself."""
    text = "It said `OSError: none`. `python -m tests.drills` wrote this page."
    made, root = page(text)
    assert not holds(quotes.check, (made, root))
    generated = made.path.rename(root / "docs/public_code.md")
    assert states(quotes.check, (Page(generated, root), root)) == []


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
def test_docstrings_are_quoted_word_for_word():
    """Above each comment with the name of an API stands a quotation."""
    quotation = re.compile(r"((?:^>.*\n)+)\n<!-- docstring: (\S+) -->", re.MULTILINE)
    counts = []
    for page in all_pages(ROOT):
        quotations = quotation.findall(page.text)
        assert len(quotations) == page.text.count("<!-- docstring:"), page.label
        counts.append(len(quotations))
        for quoted, name in quotations:
            docstring = " ".join(
                attrgetter(name.removeprefix("tf."))(tf).__doc__.split()
            )
            for part in re.sub(r"^>", "", quoted, flags=re.MULTILINE).split("…"):
                assert " ".join(part.split()) in docstring, quoted
    assert sum(counts) >= 9


@pytest.mark.slow
def test_what_the_pages_say_holds():
    findings = [finding for page in all_pages(ROOT) for finding in quotes.check(page)]
    assert len(findings) > 5
    assert [str(each) for each in findings if each.state == "failed"] == []
