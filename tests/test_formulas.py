"""LaTeX becomes MathML that a browser can draw, or an error with its line."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context

import lxml.html
import pytest
from fontTools.ttLib import TTFont
from markdown import Markdown

from mathml import font
from mathml.convert import FormulaError, convert
from mathml.extension import RenderedPage, current_page
from reader import notebook

from .project import ROOT

pytestmark = pytest.mark.tools


@pytest.fixture
def markdown():
    return Markdown(
        extensions=[
            "pymdownx.arithmatex",
            "pymdownx.superfences",
            "toc",
            "admonition",
            "footnotes",
            "mathml.extension",
        ],
        extension_configs={"pymdownx.arithmatex": {"generic": True}},
    )


def test_inline_and_display(markdown):
    html = markdown.convert("A $x^2$ and\n\n$$\n\\frac{a}{b} < c\n$$\n\nend.")
    assert "<math><msup><mi>x</mi><mn>2</mn></msup></math></span> and</p>" in html
    assert html.count("<math") == 2 and html.count('<math display="block">') == 1
    assert (
        r'<annotation encoding="application/x-tex" data-search-exclude>'
        r"\frac{a}{b} &lt; c</annotation>" in html
    )
    assert "$" not in html


def test_no_line_breaks_between_a_formula_and_its_period(markdown):
    assert "</math></span>.</span> And" in markdown.convert("It is $x$. And $y$ too")


def test_code_and_money_are_no_formulas(markdown):
    html = markdown.convert("`$x$` costs 5$ or \\$6")
    assert "<math" not in html and "$x$" in html


def test_formulas_inside_lists_and_admonitions(markdown):
    html = markdown.convert(
        "1. Map:\n\n    $$\n    y = x\n    $$\n\n!!! note\n\n    $z$\n"
    )
    assert html.count("<math") == 2


def test_a_heading_keeps_a_clean_id(markdown):
    html = markdown.convert("# The rule for $x$ {: #rule }")
    assert "annotation" not in html


@pytest.mark.parametrize("role", ["upstream", "local", "downstream"])
def test_the_three_factors_are_classes_not_colors(role):
    mathml = convert(rf"\{role}{{\bar y}} \cdot x", False)
    assert f'class="{role}"' in mathml and "color" not in mathml


@pytest.mark.parametrize("display", [False, True])
def test_a_screen_reader_says_which_factor_it_reads(display):
    tex = r"\downstream{\bar x} = \upstream{\bar y} \cdot \local{\frac{1}{\upstream u}}"
    mathml = convert(tex, display)
    document = lxml.html.fragment_fromstring(mathml)
    roles = []
    for element in document.xpath("//*[@intent]"):
        role, of = re.fullmatch(
            r"(\w+):prefix\(\$(\w+)\)", element.get("intent")
        ).groups()
        [factor] = [each for each in element if each.get("arg") == of]
        assert factor.get("class") == role
        roles.append(role)
    assert roles == ["downstream", "upstream", "local", "upstream"]


def test_without_a_page_a_bad_formula_raises(markdown):
    with pytest.raises(FormulaError, match=r'Unknown command "\\foo" in: a \\foo'):
        # Another test in this process may have left its page.
        Context().run(markdown.convert, "$a \\foo$")


@contextmanager
def rendering(label: str, source: str) -> Iterator[RenderedPage]:
    page = RenderedPage(label, source)
    token = current_page.set(page)
    try:
        yield page
    finally:
        current_page.reset(token)


def problems(markdown, source: str) -> list[str]:
    """Return the line and the message of each mistake on a page."""
    with rendering("docs/p.md", source) as page:
        html = markdown.convert(source)
    return [message.removeprefix("docs/p.md:") for message in page.problems(html)]


BAD = "formula does not convert: Unknown command"
RAW = "LaTeX outside of a formula"
ALIGNED = "$$\n\\begin{aligned}\n%s &= b\n\\end{aligned}\n$$\n\n"


@pytest.mark.parametrize(
    "source, expected",
    [
        (
            "Good $x$, bad\n$\\foo$.\n\n1. x\n\n    $$\n    a\n    + \\foo\n    $$\n",
            [f"2: {BAD}", f"8: {BAD}"],
        ),
        # The same first line as that of a formula above.
        (ALIGNED % "a" + ALIGNED % "\\foo", [f"9: {BAD}"]),
        ("$x$ and\n$x + \\foo$", [f"2: {BAD}"]),
        # In quotes, in several lines.
        ("> A $a$ in\n>\n> $$\n> a\n> + \\foo\n> $$\n", [f"5: {BAD}"]),
        # The converter counts characters, and not bytes.
        ("$$\n\\text{äöü}\n\\foo\n$$", [f"3: {BAD}"]),
        ("A[^1] is\n\n[^1]: A $\\foo$.\n\nand $\\bax$ is", [f"5: {BAD}", f"3: {BAD}"]),
        ("<div>$y$</div>\n\nand $y$", [f"1: {RAW}"]),
    ],
)
def test_each_mistake_is_named_with_its_line(markdown, source, expected):
    messages = problems(markdown, source)
    assert len(messages) == len(expected), messages
    assert all(map(str.startswith, messages, expected)), messages


def test_a_bad_formula_is_shown_as_latex_while_serving(markdown):
    source = "Good $x$, bad $\\foo$ and $\\bar$"
    with rendering("docs/p.md", source):
        html = markdown.convert(source)
    assert html.count("<math") == 1 and html.count("formula-error") == 2


@pytest.mark.parametrize(
    "raw",
    ["Open $x and no end", "Space $x $ inside", "A $$ alone", r"Bare \frac{a}{b}"],
)
def test_latex_outside_of_a_formula_is_named_with_its_line(markdown, raw):
    messages = problems(markdown, f"# T\n\nGood $x$ and `$HOME`.\n\n{raw}\n")
    assert [each.partition(",")[0] for each in messages][:1] == [f"5: {RAW}"], messages


def test_a_mistake_in_a_notebook_is_named_with_its_line():
    program = (
        "# %% [markdown]\n# A $x$.\n#\n# $$\n# a\n# $$\n\n"
        "# %%\ntext = '$x$'\n\n"
        "# %% [markdown]\n# $$\n# a\n# + \\foo\n# $$\n# and $x + \\foo$\n"
    )
    with rendering("docs/p.py", program) as page:
        html = notebook.with_formulas(
            "<p>A $x$.</p>$$\na\n$$<pre>'$x + \\foo$'</pre>"
            "$$\na\n+ \\foo\n$$<p>and $x + \\foo$</p>"
        )
    assert [message.partition(": ")[0] for message in page.problems(html)] == [
        "docs/p.py:14",
        "docs/p.py:16",
    ]


CONFIG = """\
site_name: A site
docs_dir: pages
plugins:
  - mkdocs-jupyter: {include: ["*.py"]}
  - mathml
hooks: [generates.py, %s]
markdown_extensions:
  - pymdownx.arithmatex: {generic: true}
  - mathml.extension
"""
LAB = """\
# %% [markdown]
# # A lab
#
# Of
# $$
# z
# $$

# %%
text = "$z$"
"""
GENERATES = """\
from mkdocs.structure.files import File

def on_files(files, config):
    files.append(File.generated(config, "made.md", content="# Made\\n\\n$y%s$"))
    files.append(File.generated(config, "there.md", abs_src_path=%r))
"""


@pytest.mark.parametrize("mistake", ["", r"\\foo"])
def test_any_page_of_any_site_is_built_from_any_folder(tmp_path, mistake):
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "pages").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "there.md").write_text("# There\n\n$z$\n")
    (project / "pages/index.md").write_text(f"# Home\n\n$x{mistake[1:]}$\n")
    (project / "pages/lab.py").write_text(LAB.replace("z", f"z{mistake[1:]}"))
    (project / "mkdocs.yml").write_text(
        CONFIG % (ROOT / "src/adapters/reader_hooks.py")
    )
    source = str(elsewhere / "there.md")
    (project / "generates.py").write_text(GENERATES % (mistake, source))
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-f", "../project/mkdocs.yml"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"},
    )
    if mistake:
        assert build.returncode == 1
        assert re.findall(r"(\S+: formula does not)", build.stderr) == [
            "pages/index.md:3: formula does not",
            "pages/lab.py:6: formula does not",
            "made.md:3: formula does not",
        ], build.stderr
        return
    assert build.returncode == 0, build.stderr
    for name in ("", "made/", "there/", "lab/"):
        assert "<math" in (project / f"site/{name}index.html").read_text("utf-8")


def test_notebook_formulas():
    html = notebook.with_formulas(
        "<p>Cost $a &lt; b$ and $$\\frac{1}{2}$$</p><pre>$HOME $x$</pre>"
        '<img alt="$x$"><p>5 $ each</p>'
    )
    assert html.count("<math") == 2
    assert "<pre>$HOME $x$</pre>" in html and 'alt="$x$"' in html
    assert "5 $ each" in html


def test_the_font_has_every_character_of_the_formulas(tmp_path):
    tex = (
        r"\sqrt{x} + \bar y \mathbb{R} \alpha \sum_i \left( \frac{a}{\epsilon}"
        r"\right) \cdots \partial h \mathsf{T} \le \text{where}"
    )
    (tmp_path / "index.html").write_text(f"<p>é</p>{convert(tex, True)}")
    font.write(tmp_path)
    written = TTFont(tmp_path / font.FONT)
    glyphs = written.getBestCmap()
    # Single letters in <mi> are drawn in mathematical italics.
    for character in "√∑ℝ(⋯𝑥𝑦𝛼𝜖𝜕ℎ≤where":
        assert ord(character) in glyphs, character
    assert ord("é") not in glyphs, "only what formulas show"
    assert written["MATH"].table.MathVariants.VertGlyphCount > 10
    assert (tmp_path / font.FONT).stat().st_size < 100_000
