"""What the first page says of the site."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from truth.formulas.check import check_page
from truth.page import Page
from truth.statements.evidence import Collector
from truth.statements.tokens import unsupplied
from truth.statements.tries import *
from vjpcheck import check_rule

ROOT = Path(__file__).parents[2]
LESSONS = [
    path for path in sorted(ROOT.glob("docs/lessons/*.md")) if path.stem != "index"
]
BOOK = {
    "pyproject.toml": "[tool.tracebook]\npreload = []\n",
    "mkdocs.yml": "site_name: A book\nstrict: true\nplugins: [tracebook]\nmarkdown_extensions:\n"
    "  - pymdownx.snippets: {base_path: [snippets]}\n  - pymdownx.superfences\n",
    "snippets/x.py": "print('x =', 0.3)\n",
    "docs/index.md": '```\n--8<-- "x.py"\n```\n```\n--8<-- "x.out"\n```\n',
}


@says(
    "Every program runs …",
    "The build fails …",
)
@over(shown=["x = 0.3", "x = 0.3000001", "x = 0.31", "x = -0.3", "y = 0.3", ""])
def test_a_trace_that_differs(shown):
    with tempfile.TemporaryDirectory() as place:
        book = {**BOOK, "snippets/x.out": f"{shown}\n"}
        for name, text in book.items():
            path = Path(place, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        code = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--quiet"],
            cwd=place,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
            capture_output=True,
            timeout=60,
        ).returncode
    assert (code == 0) == (shown in ("x = 0.3", "x = 0.3000001"))
    # `make build` exchanges sites only if MkDocs built the new one.
    assert "$(RUN) truth.build" in (ROOT / "Makefile").read_text()
    assert "if not build(new):" in (ROOT / "src/truth/build.py").read_text()


@says(
    "Each lesson derives …",
    was="'each page': some pages of the guide derive no rule",
)
@over(path=LESSONS)
def test_each_lesson(path):
    text = path.read_text("utf-8")
    assert "## Derivation" in text and "Read off the " in text
    shown = re.findall(r'--8<-- "(lessons/[\w/]+\.(?:py|out))"', text)
    files = [(name, (ROOT / "snippets" / name).read_text("utf-8")) for name in shown]
    own = [
        (name, each)
        for name, each in files
        if "/wrong/" not in name and not name.endswith(("check.py", "solution.py"))
    ]
    assert any("@tf.custom_gradient" in each for name, each in own)
    assert any(
        re.search("upstream|gradient", each)
        for name, each in own
        if name.endswith(".out")
    )


FORMULA = (
    "# P\n\n$$\ny = x^2, \\qquad x, y \\in \\R\n$$\n\n$$\n\\d y = %s x \\, \\d x\n$$\n"
)


@says("A checker tests …", "It also compares …", "The tests of …")
@over(factor=[2, 3])
def test_what_is_checked(factor):
    """Each with one that is right, and one that is not."""
    right = factor == 2
    page = Page(ROOT / "docs/index.md", ROOT, FORMULA % factor)
    _, claim = [each.state for each in check_page(page)]
    assert claim == ("proven" if right else "failed")

    rule = tf.custom_gradient(lambda x: (x * x, lambda u: u * factor * x))
    assert (raised(check_rule, rule, tf.constant([1.5, 2.0])) is None) == right

    source = page.path.read_text("utf-8")
    said = source.replace(
        r"\downstream{\bar x} = 24", rf"\downstream{{\bar x}} = {12 * factor}"
    )
    found = check_page(Page(page.path, ROOT, said))
    failed = [each for each in found if each.state == "failed"]
    assert bool(failed) == (not right)

    collector = Collector()
    collector.seen(0, 24)
    by = [(collector.evidence(), ())]
    assert bool(unsupplied(f"It prints {12 * factor}.", by)) == (not right)
    tests = [*(ROOT / "tests/statements").rglob("*.py")]
    assert len(tests) > 20 and all("says(" in each.read_text("utf-8") for each in tests)


@says(
    "The program below …",
    "The program prints …",
    "Its function `grad` …",
    "The result is …",
    "One custom gradient …",
)
@over(mode=MODES, x=numbers(-9, 9), examples=({"x": 2.0},))
def test_the_example(mode, x):
    assert trace("index.py")[0].numbers == [6, 4, 24]
    seen = []

    @tf.custom_gradient
    def square(x):
        return x * x, lambda u: seen.append(u) or u * 2.0 * x

    found = mode.gradient(lambda x: 0.75 * square(x) ** 2, np.float64(x))
    assert np.isclose(found, 3 * x**3) and len(seen) == 1
    if mode is EAGER:
        assert np.isclose(seen[0], 1.5 * x * x)


@says(
    "Save the program …", "The program needs …", "Then change one …", "The last line …"
)
def test_the_quick_start():
    text = source("index.py")
    imported = {line for line in text.splitlines() if "import" in line}
    assert imported == {"import tensorflow as tf"}
    assert text.count("upstream * ") == 1
    last = {}
    for changed in (text, text.replace("upstream * ", "")):
        begun, printed = time.monotonic(), io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(changed, "index.py", "exec"), {})
        last[changed] = printed.getvalue().splitlines()[-1]
        assert time.monotonic() - begun < 60
    assert [*last.values()] == ["dL/dx = 24.0", "dL/dx = 4.0"]
    shown = [float(each.split(" = ")[1]) for each in last.values()]
    assert shown == [24.0, 4.0]


@says("There is no …", "If the loss …")
@over(mode=EVERYWHERE)
def test_whatever_grad_returns(mode):
    slopes = 2.0, 3.0

    def wrong(x, slope):
        of_x = tf.custom_gradient(lambda x: (x * x, lambda upstream: slope * x))
        return of_x(tf.identity(x))

    def outputs(*xs):
        alone = [wrong(x, slope) for x, slope in zip(xs, slopes)]
        within = [0.75 * wrong(x, slope) ** 2 for x, slope in zip(xs[2:], slopes)]
        return alone + within

    found = mode.gradients(outputs, *[2.0] * 4)
    for slope, alone, within in zip(slopes, found, found[2:]):
        assert same(alone, slope * 2) and same(within, slope * 2)
    right, in_loss = (
        EAGER.gradient(each, 2.0) for each in (lambda x: x * x, lambda x: 0.75 * x**4)
    )
    assert same(right, 4.0) and same(in_loss, 24.0, 1e-6)


advice("So test a …")
definition("Here $\\bar x$ and …")
pointer(
    "This site shows …",
    "The ledger lists …",
    "How this site …",
    "The chain rule …",
    "An error, or …",
    "Find your mistake",
    "My gradient is None",
    "All error messages",
    "A wrong gradient without …",
    "A function to differentiate",
    "Do I need …",
    "Cheat sheet: template …",
    "Matrices, softmax, layers",
    "Clip a gradient, …",
    "Test it",
    "Learn from the start",
    "Begin with the …",
    "All lessons",
    "The guide, subject …",
    "Glossary and notation",
    "Exact behavior, with proof",
    "What works with what",
    "Graphs and XLA",
    "Bugs in TensorFlow's …",
    "Mistakes in TensorFlow's …",
    "What `grad` receives …",
)
