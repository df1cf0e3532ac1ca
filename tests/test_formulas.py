"""Promise: LaTeX becomes MathML that a browser can draw, or an error."""

import pytest
from fontTools.ttLib import TTFont
from markdown import Markdown

from mathml import font
from mathml.convert import FormulaError, convert_all
from mathml.extension import Page, page
from reader import notebook


@pytest.fixture
def markdown():
    return Markdown(
        extensions=["pymdownx.arithmatex", "toc", "admonition", "mathml.extension"],
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
    assert "</math></span>\u2060. And" in markdown.convert("It is $x$. And $y$ too")


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
    [mathml] = convert_all([(rf"\{role}{{\bar y}} \cdot x", False)])
    assert f'class="{role}"' in mathml and "color" not in mathml


def test_equations_are_referred_to_within_a_page():
    first, second = convert_all(
        [
            (r"\begin{equation}\label{eq:a} a = b \end{equation}", True),
            (r"\eqref{eq:a}", False),
        ]
    )
    assert 'id="eq:a"' in first and 'href="#eq:a"' in second


def test_without_a_page_a_bad_formula_raises(markdown):
    with pytest.raises(FormulaError, match=r'Unknown command "\\foo" in: a \\foo'):
        markdown.convert("$a \\foo$")


def test_on_a_page_each_bad_formula_is_named_with_its_line(markdown):
    source = (
        "# T\n\nGood $x$, bad $\\foo$.\n\n1. x\n\n    $$\n    a\n    + \\bar\n    $$\n"
    )
    token = page.set(Page("docs/p.md", source))
    try:
        html = markdown.convert(source)
        failures = page.get().failures
    finally:
        page.reset(token)
    assert [each.partition(": ")[0] for each in failures] == [
        "docs/p.md:3",
        "docs/p.md:8",
    ]
    assert html.count("<math") == 1 and html.count("formula-error") == 2


@pytest.mark.parametrize(
    "raw",
    ["Open $x and no end", "Space $x $ inside", "A $$ alone", r"Bare \frac{a}{b}"],
)
def test_latex_that_stays_text_is_named_with_its_line(markdown, raw):
    source = f"# T\n\nGood $x$ and `$HOME`.\n\n{raw}\n"
    rendered = Page("docs/p.md", source)
    rendered.fail_if_raw(markdown.convert(source))
    assert rendered.failures
    assert rendered.failures[0].startswith("docs/p.md:5: LaTeX outside"), (
        rendered.failures
    )


def test_notebook_formulas():
    html = notebook.with_formulas(
        "<p>Cost $a &lt; b$ and $$\\frac{1}{2}$$</p><pre>$HOME $x$</pre>"
        '<img alt="$x$"><p>5 $ each</p>'
    )
    assert html.count("<math") == 2
    assert "<pre>$HOME $x$</pre>" in html and 'alt="$x$"' in html
    assert "5 $ each" in html


def test_the_font_holds_every_character_that_is_drawn(tmp_path):
    formulas = [
        (
            r"\sqrt{x} + \bar y \mathbb{R} \alpha \sum_i \left( \frac{a}{b}"
            r"\right) \cdots \partial h \mathsf{T} \le \text{where}",
            True,
        )
    ]
    (tmp_path / "index.html").write_text(f"<p>é</p>{convert_all(formulas)[0]}")
    font.write(tmp_path, font.characters(tmp_path))
    written = TTFont(tmp_path / font.FONT)
    glyphs = written.getBestCmap()
    # Single letters in <mi> are drawn in mathematical italics.
    for character in "√∑ℝ(⋯𝑥𝑦𝛼𝜕ℎ≤where":
        assert ord(character) in glyphs, character
    assert ord("é") not in glyphs, "only what formulas show"
    assert written["MATH"].table.MathVariants.VertGlyphCount > 10
    assert (tmp_path / font.FONT).stat().st_size < 100_000
