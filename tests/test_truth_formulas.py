"""A displayed formula follows or is marked, and an inline one does not contradict it."""

import numpy as np
import pytest

from algebra.errors import EvaluationError
from truth.finding import Finding
from truth.formulas.check import check_page
from truth.formulas.equations import Equation, equations
from truth.page import Page

pytestmark = pytest.mark.tools

INVERSE = r"""
$$
Y = X^{-1}, \qquad X, Y \in \R^{m \times m}
$$

$$
\d Y = -\local{X^{-1}} \, \d X \, \local{X^{-1}}
$$

$$
\begin{aligned}
\d L &= \langle \upstream{\bar Y}, \d Y \rangle \\
     &= \operatorname{tr}(\upstream{\bar Y}^{\T} \, \d Y)
\end{aligned}
$$

$$
\downstream{\bar X} = -\local{X^{-\T}} \, \upstream{\bar Y} \, \local{X^{-\T}}
$$
"""
MATMUL = r"""
$$
C = A B, \qquad A \in \R^{m \times n}, \qquad B \in \R^{n \times k}, \qquad
C \in \R^{m \times k}
$$

$$
\d C = \d A \, \local{B} + \local{A} \, \d B
$$

$$
\downstream{\bar A} = \upstream{\bar C} \, \local{B^{\T}}, \qquad
\downstream{\bar B} = \local{A^{\T}} \, \upstream{\bar C}
$$
"""
SOFTMAX = r"""
$$
s_i = \frac{e^{x_i}}{\sum_j e^{x_j}}, \qquad s, x \in \R^n
$$

$$
\d s_i = \local{s_i} \Bigl( \d x_i - \sum_j \local{s_j} \, \d x_j \Bigr)
$$

$$
\downstream{\bar x_i} = \local{s_i} \Bigl( \upstream{\bar s_i}
- \sum_j \upstream{\bar s_j} \cdot \local{s_j} \Bigr)
$$
"""
LOGDET = r"""
$$
y = \log \det X, \qquad X \in \R^{m \times m}, \qquad y \in \R
$$

$$
\downstream{\bar X} = \upstream{\bar y} \cdot \local{X^{-\T}}
$$
"""
NORM = r"""
$$
y = \|x\|, \qquad x \in \R^n, \qquad y \in \R
$$

$$
\downstream{\bar x} = \upstream{\bar y} \cdot \local{\frac{x}{y}}
$$
"""
POSITIVE = r"""
$$
y = \sqrt{x^2}, \qquad x > 0
$$

$$
\frac{\d y}{\d x} = 1
$$
"""
BROADCAST = r"""
$$
y_{ij} = x_{ij} + b_j, \qquad x, y \in \R^{m \times n}, \qquad b \in \R^n
$$

$$
\downstream{\bar x_{ij}} = \upstream{\bar y_{ij}}, \qquad
\downstream{\bar b_j} = \sum_i \upstream{\bar y_{ij}}
$$
"""
SECOND = r"""
$$
y = \sin x, \qquad x, y \in \R
$$

$$
\frac{\d^2 y}{\d x^2} = -\sin x
$$
"""
COMPLEX = r"""
$$
y = z^2 w^*, \qquad y, z, w \in \C
$$

$$
\d L = \operatorname{Re}\left( \upstream{\bar y^*} \, \d y \right)
$$

$$
\downstream{\bar z} = \upstream{\bar y} \cdot \local{(2 z w^*)^*}, \qquad
\downstream{\bar w} = \upstream{\bar y^*} \cdot \local{z^2}
$$

$$
\bar z = 2 \frac{\partial L}{\partial z^*}
$$
"""
FOURIER = r"""
$$
Y = F z, \qquad F_{jk} = e^{-2 \pi \mathrm{i} (j - 1) (k - 1) / n},
\qquad F \in \C^{n \times n}, \qquad z, Y \in \C^n
$$

$$
\downstream{\bar z} = \local{F^{\mathrm{H}}} \, \upstream{\bar Y}, \qquad
F^{\mathrm{H}} F z = n z
$$
"""
POLAR = r"""
$$
\phi = \arg z, \qquad z \in \C
$$

$$
\d \phi = \operatorname{Im}\left(\local{\frac{z^*}{|z|^2}} \, \d z\right),
\qquad
\downstream{\bar z} = \upstream{\bar \phi} \cdot \local{\frac{\mathrm{i}}{z^*}}
$$
"""
COLUMN = r"""
$$
y = \begin{pmatrix} a b \\ a + b \end{pmatrix}, \qquad a, b \in \R
$$

$$
\downstream{\bar a} = \upstream{\bar y_1} \cdot \local{b} + \upstream{\bar y_2}
$$
"""
RIGHT = {
    "inverse": INVERSE,
    "matmul": MATMUL,
    "softmax": SOFTMAX,
    "log-det": LOGDET,
    "norm": NORM,
    "positive": POSITIVE,
    "broadcast": BROADCAST,
    "second": SECOND,
    "complex": COMPLEX,
    "Fourier": FOURIER,
    "polar": POLAR,
    "column": COLUMN,
}
WRONG = [
    (INVERSE, r"-\local{X^{-\T}} \, \upstream", r"\local{X^{-\T}} \, \upstream", 19),
    (INVERSE, r"-\local{X^{-\T}} \, \upstream", r"-\local{X^{-1}} \, \upstream", 19),
    (INVERSE, r"\d Y = -\local{X^{-1}}", r"\d Y = -\local{X}", 7),
    (INVERSE, r"\bar Y}^{\T}", r"\bar Y}", 14),
    (MATMUL, r"\local{B^{\T}}", r"\local{B}", 12),
    (
        MATMUL,
        r"\local{A^{\T}} \, \upstream{\bar C}",
        r"\upstream{\bar C} \, \local{A^{\T}}",
        13,
    ),
    (SOFTMAX, r"\d x_i - \sum", r"\d x_i + \sum", 7),
    (SOFTMAX, r"\upstream{\bar s_j} \cdot", r"\upstream{\bar s_i} \cdot", 11),
    (LOGDET, r"X^{-\T}}", r"X^{-1}}", 7),
    (NORM, r"\frac{x}{y}", r"\frac{y}{x}", 7),
    (POSITIVE, "x > 0", "x < 0", 7),
    (BROADCAST, r"\sum_i \upstream", r"\upstream", 8),
    (BROADCAST, r"\sum_i \upstream{\bar y_{ij}}", r"\sum_j \upstream{\bar y_{ij}}", 8),
    (SECOND, r"-\sin x", r"\sin x", 7),
    (COMPLEX, r"\local{(2 z w^*)^*}", r"\local{(2 z w^*)}", 11),
    (COMPLEX, r"\upstream{\bar y^*} \cdot", r"\upstream{\bar y} \cdot", 11),
    (COMPLEX, r"{\bar y^*} \, \d y", r"{\bar y} \, \d y", 7),
    (COMPLEX, r"{\partial z^*}", r"{\partial z}", 16),
    (COMPLEX, r"y, z, w \in \C", r"y, z, w \in \R", 15),
    (COMPLEX, r"y, z, w \in \C", r"z, w \in \C", 7),
    (FOURIER, r"\local{F^{\mathrm{H}}}", r"\local{F^{\T}}", 8),
    (FOURIER, r"(k - 1) / n", r"(k - 1) / 2", 8),
    (COLUMN, r"+ \upstream", r"- \upstream", 7),
    (POLAR, r"\operatorname{Im}", r"\operatorname{Re}", 7),
    (POLAR, r"\mathrm{i}}{z^*}", r"1}{z^*}", 8),
    (SECOND, r"y = \sin x", r"y = \sin 2 x", 7),
]
REFUSED = {
    r"y = \foo{x}": r"not in the grammar: \foo",
    r"y = x \int z": "expected",
    r"\text{a picture}": "not in the grammar",
    r"x + 1": "states nothing",
    r"y = a / b c": "not clear",
    r"y = x^2": "nothing follows",
    r"q = q": "both sides are the same",
    r"q = q + q": "unknown symbol",
    r"y := x^2": "decides",
    r"\downstream{\bar q} = 1": "unknown symbol",
    "% wish\ny = x": "unknown mark",
    r"\R^{2 \times 3} = x": "not in the grammar",
}


def page(tmp_path, text: str) -> Page:
    path = tmp_path / "docs/page.md"
    path.parent.mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").touch()
    return Page(path, tmp_path, text)


def findings(tmp_path, text: str) -> list[Finding]:
    return check_page(page(tmp_path, text))


@pytest.mark.parametrize("name", RIGHT)
def test_true_formulas_follow(tmp_path, name):
    results = findings(tmp_path, RIGHT[name])
    assert [str(each) for each in results if each.state == "failed"] == []
    assert sum(each.state == "compared" for each in results) >= 1
    assert len(results) == RIGHT[name].count("\n$$\n") // 2


@pytest.mark.parametrize("text,old,new,line", WRONG)
def test_a_false_formula_fails_with_its_line(tmp_path, text, old, new, line):
    assert old in text
    failed = [
        each
        for each in findings(tmp_path, text.replace(old, new, 1))
        if each.state == "failed"
    ]
    assert failed and any(
        abs(int(each.location.rpartition(":")[2]) - line) <= 1 for each in failed
    ), failed


@pytest.mark.parametrize("tex", REFUSED)
def test_latex_outside_of_the_grammar_is_refused(tmp_path, tex):
    results = findings(tmp_path, f"$$\n{tex}\n$$\n")
    assert [each.state for each in results] == ["failed"]
    assert REFUSED[tex] in results[0].detail


def test_a_definition_is_counted_and_not_read(tmp_path):
    results = findings(tmp_path, "$$\n% definition: a picture\ny = \\foo\n$$\n")
    assert [each.state for each in results] == ["definition"]


@pytest.mark.parametrize("around", ["<!-- {} -->", "<!--\n{}-->", "```text\n{}```"])
def test_formulas_in_comments_and_code_are_not_read(tmp_path, around):
    """They prove nothing that is displayed, either."""
    assert findings(tmp_path, around.format(SECOND)) == []
    premise, claim = SECOND.strip().split("\n\n")
    assert [each.state for each in findings(tmp_path, SECOND)] == ["given", "compared"]
    hidden = f"{around.format(premise + chr(10))}\n\n{claim}\n"
    assert [each.state for each in findings(tmp_path, hidden)] == ["failed"]


def test_an_unpaired_mark_hides_no_formula(tmp_path):
    for lone in ("`", "``", "$"):
        text = f"A {lone} alone.\n{SECOND}\nAnother {lone} alone.\n"
        assert [f.state for f in findings(tmp_path, text)] == ["given", "compared"]


FALSE = {
    r"[x^5 + 3] = 1, \qquad x \in \R": "does not hold",
    r"s = \sum_i x_i, \qquad s = \sum_{i=1}^{n-1} x_i, \qquad x \in \R^n": "not hold",
    r"s = \sum_i x_i, \qquad s = \sum_{i=1}^{n+1} x_i, \qquad x \in \R^n": "no element",
    # Roles.
    r"y = w x, \qquad \d y = \upstream{w} \, \d x + x \, \d w": "no gradient",
    r"y = w x, \qquad \downstream{\bar x} = \upstream{\bar y \cdot w}": "no gradient",
    r"y = w x, \qquad \downstream{\bar x} = \upstream{\bar y} \upstream{w}": "two",
    r"y = 3 x, \qquad \downstream{\bar x} = \upstream{\bar y} \cdot \upstream{3}": "num",
    r"y = w x, \qquad \local{\bar x} = \upstream{\bar y} w": "a gradient marked",
    r"y = w x, \qquad \downstream{\bar x} = \downstream{\bar y} w": "is an output",
    r"y = w x, \qquad \upstream{\bar x} = \upstream{\bar y} w": "is no output",
    r"y = w x, \qquad \local{\d y} = w \, \d x + x \, \d w": "a differential marked",
    # Points.
    r"y = \min(x, 4), \qquad \frac{\d y}{\d x} = 1": "does not hold",
    r"y = \min \bigl( \max(x - \tfrac{11}{2}, 1), 2 \bigr), \quad \frac{\d y}{\d x} = 0": (
        "does not hold"
    ),
    r"x + [x = 0.1] = x, \qquad x \in \R": "does not hold",
    r"x + [x \ne \pi] = x + 1, \qquad x \in \R": "does not hold",
    r"x + [x = y] = x, \qquad x, y \in \R": "does not hold",
    r"e^x < 23, \qquad x \in \R": "does not hold",
    r"y = x^2, \qquad y \ne 2 x^2 - x, \qquad x \in \R": "is not shown",
    r"0.5 \cdot 4^2 = 8.5": "does not hold",
    r"u^2 < 10, \qquad u \in \R": "does not hold",
    r"x^3 > -10^6, \qquad x \in \R": "does not hold",
    r"x^2 > x, \qquad x \in \R": "does not hold",
    r"\sqrt{(x - 3)^2} = x - 3, \qquad x \ge 2.9": "does not hold",
    r"\sqrt{x^2} = x, \qquad 1 \le x \le 1": "fewer than 3 points",
    r"y = e^x, \qquad y < 0, \qquad \frac{\d y}{\d x} = y": "fewer than 3 points",
    # Sizes.
    r"\det(-U) = \det U, \qquad U \in \R^{m \times m}": "does not hold",
    r"y = A x, \qquad \d y = A \, \d x + \d A \, x, \qquad A \in \R^{q \times n},"
    r" \qquad x \in \R^q": "do not multiply",
    r"x = x, \qquad x \in \R": "both sides are the same",
}
CRASHED = {
    r"x_{i+j} = x_{i+j}": "an index is",
    r"\d^n x = 1": "the order of a derivative",
    r"1/0 = 1/0 + 1": "division by 0",
    r"\log 0 = \log 0 + 1": "not defined",
    r"\end{aligned} x = 1": "did not begin",
    r"\begin{aligned} x = 1": "does not end",
    r"10^{10^{10}} = 10^{10^{10}} + 1": "too large an exponent",
    r"e^{e^{e^{100}}} = 1": "too large an exponent",
    r"y = x^{x^{x^{x^x}}}, \qquad \frac{\d y}{\d x} = 1": "too large an exponent",
    r"\sum_{i=1}^{10^9} i = 1": "limits",
    r"X^{-1} = X, \qquad X \in \R^{40 \times 40}": "too many elements",
    r"X^{50} = X, \qquad X \in \R^{m \times m}": "too long",
    r"\frac{\d^2 y}{\d x} = 1": "two orders",
    "(" * 3000 + "x": "nested too deep",
}
INSTEAD = {
    r"x \in \{0, 1\}": "inequalities",
    r"\sin^{-1} x = 1": r"\arcsin",
    r"(x > 0) = 1": "[ ]",
    r"y = \sum_{i=1} x_i": "where does it end",
    r"\sqrt{x} = x^0.5": "states nothing",
    r"y = \begin{cases} 0 & \text{otherwise} \\ x & x > 0 \end{cases}": "stands last",
}
TRUE = r"""
y = \Bigl[ x + 1 \Bigr]^2, \qquad \frac{\d y}{\d x} = 2 \bigl[ x + 1 \bigr]
y = \bigl\{ x + 1 \bigr\}^2, \qquad \frac{\d y}{\d x} = 2 \left\{ x + 1 \right\}
y = \sin x, \qquad \frac{\mathrm{d} y}{\mathrm{d} x} = \cos x
f(x) = x^3, \qquad f'(x) = 3 x^2, \qquad f''(x) = 6 x
y = \|x\|, \qquad \frac{\partial y}{\partial x_i} = \frac{x_i}{\|x\|}, \quad x \in \R^n
y = \|x\|^2, \qquad \d y = 2 x^{\mathsf{T}} \, \d x, \qquad x \in \R^n
\sqrt{x^2} = x, \qquad x > 0
s_i = \sum_{j=1}^{i} x_j, \qquad s_i = \sum_j [j \le i] x_j, \qquad x, s \in \R^n
y = x^\top A x, \qquad \frac{\partial y}{\partial x} = x^\top (A + A^T), \quad x \in \R^n, \quad A \in \R^{n \times n}
y = \operatorname{sech} x, \qquad \frac{\d y}{\d x} = -\operatorname{sech} x \tanh x
y = \mathrm{softplus}(x), \qquad \frac{\d y}{\d x} = \sigma(x), \qquad x \in \R
y = \sum_{i=1}^{n} x_i^2, \qquad \frac{\partial y}{\partial x_j} = 2 x_j, \qquad x \in \R^n
y = \int_0^x e^{-t^2} \d t, \qquad \frac{\d y}{\d x} = e^{-x^2}
e^x > 0, \qquad x \in \R
""".strip().split("\n")


@pytest.mark.parametrize("tex", [*FALSE, *CRASHED, *INSTEAD])
def test_a_failure_says_why_and_where(tmp_path, tex):
    [finding] = findings(tmp_path, f"A line.\n\n$$\n{tex}\n$$\n")
    assert finding.state == "failed" and finding.location == "docs/page.md:4"
    assert {**FALSE, **CRASHED, **INSTEAD}[tex] in finding.detail


@pytest.mark.parametrize("tex", TRUE)
def test_formulas_as_in_the_literature_follow(tmp_path, tex):
    [finding] = findings(tmp_path, f"$$\n{tex}\n$$\n")
    assert finding.state in ("compared", "tried"), finding


def test_an_inequality_is_tried(tmp_path):
    [tried] = findings(tmp_path, "$$\ne^x \\ge 1 + x, \\qquad x \\in \\R\n$$\n")
    assert tried.state == "tried" and tried.cases >= 20


def test_an_error_in_the_checker_fails_the_formula_with_its_line(tmp_path, monkeypatch):
    def fault(*_):
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("algebra.points.verify", fault)
    results = findings(tmp_path, POSITIVE)
    assert [f.location for f in results if "ZeroDivisionError" in f.detail] == [
        "docs/page.md:7"
    ]


def test_a_scalar_does_not_keep_the_space_of_an_earlier_section(tmp_path):
    section = "# Two\n\n$$\ny = 3 z, \\qquad \\frac{\\d y}{\\d z} = 3\n$$\n"
    results = findings(tmp_path, BROADCAST + section)
    assert [f.state for f in results if f.state == "failed"] == []


def test_an_array_that_is_written_out_decides_its_size(tmp_path):
    """The size must be one of those that are tried."""
    text = r"J = \frac{\partial y}{\partial x}, \quad y_i = x_i^2, \quad x, y \in \R^n"
    for size, state in ((3, "compared"), (5, "failed")):
        ones = " & ".join("0" * size)
        zeros = rf"0 J = \begin{{pmatrix}} {(ones + ' ' + chr(92) * 2) * size} \end{{pmatrix}}"
        [finding] = findings(tmp_path, f"$$\n{text}, \\quad {zeros}\n$$\n")
        assert finding.state == state


RUNNING = r"""
$$
y_i = x_i^2, \qquad x, y \in \R^n
$$

$$
\downstream{\bar x_i} = \upstream{\bar y_i} \cdot \local{2 x_i}
$$
"""
INLINE = {
    r"\d y_i = 2 x_i \, \d x_i": "compared",
    r"(a + b)^2 = a^2 + 2 a b + b^2": "compared",
    r"x + 2": None,
    r"\upstream{\bar y} = 7": "tied",
    r"y_i \ne x_i + 1": "failed",
    r"\d y_i = 3 x_i \, \d x_i": "failed",
    r"3 x_i": None,
    r"\sum_i x_i = x_1 + x_2": "failed",
    r"y_i = \upstream{2 x_i}": "failed",
    r"x^{+\T}": "failed",
    r"\odot": None,
    r"x_i": None,
    r"\bar x": None,
    r"3": None,
    r"x = x": "unchecked",
    r"\upstream{\bar y} = 8": "failed",
    r"2 \cdot 3 = 7": "failed",
}


@pytest.mark.parametrize("tex", INLINE)
def test_the_state_of_an_inline_formula(tmp_path, tex):
    text = f"{RUNNING}\n```python\nz = x + 2\nprint(7.0)\n```\n\nHere ${tex}$ is.\n"
    results = [f for f in findings(tmp_path, text) if f.kind == "inline formula"]
    expected = INLINE[tex]
    if expected == "tied":  # by a program that is embedded
        (tmp_path / "snippets").mkdir(exist_ok=True)
        (tmp_path / "snippets/seven.py").write_text("print(7.0)\n")
        text += '\n```python\n--8<-- "seven.py"\n```\n'
        results = [f for f in findings(tmp_path, text) if f.kind == "inline formula"]
    assert [f.state for f in results] == ([expected] if expected else [])


@pytest.mark.parametrize(
    "tex, state",
    [("x + 2", None), ("r = x + 2", "unchecked"), ("x + 2 = 3 x", "failed")],
)
def test_an_expression_alone_claims_nothing(tmp_path, tex, state):
    text = f"{RUNNING}\nHere ${tex}$ is. There is $y_i$.\n"
    inline = [f for f in findings(tmp_path, text) if f.kind == "inline formula"]
    assert [finding.state for finding in inline] == ([state] if state else [])


@pytest.mark.parametrize(
    "sentence,states",
    [
        ("At $x = 3$ it is $y = 9$; at $x = 2$, $y = 4$.", {"given", "compared"}),
        ("At $x = 3$ it is $y = 6$.", {"failed"}),
    ],
)
def test_a_value_that_the_section_contradicts_is_not_tied(tmp_path, sentence, states):
    text = f"$$\ny = x^2, \\qquad \\frac{{\\d y}}{{\\d x}} = 2 x\n$$\n\n{sentence}\n"
    code = "\n```python\nprint(9, 6, 4)\n```\n"
    results = findings(tmp_path, text + code)
    assert {f.state for f in results if f.kind == "inline formula"} == states


def test_a_case_proves_nothing_above_it(tmp_path):
    claim = r"$\min(a, b) + \min(a, b) = a + b$"
    for sentence, state in (
        (f"{claim}; where $a = b$.", "failed"),
        (f"For $a = b$, {claim}.", "compared"),
    ):
        results = findings(tmp_path, f"{RUNNING}\n{sentence}\n")
        assert [f.state for f in results if "min" in f.text] == [state]


def test_a_comment_exempts_one_formula(tmp_path):
    text = f"{RUNNING}\nIt is $2 x_i = 5 y_i$ in all.\n<!-- unchecked: MARKED -->\n"
    for marked, state in (("2 x_i = 5 y_i", "unchecked"), ("2 x_i = 5", "failed")):
        *_, finding = findings(tmp_path, text.replace("MARKED", marked))
        assert finding.state == state


def stated(tmp_path, text: str, name: str) -> Equation:
    [equation] = [each for each in equations(page(tmp_path, text)) if each.name == name]
    return equation


@pytest.mark.parametrize(
    "text,inputs,output",
    [
        (MATMUL, {"A": (4, 2), "B": (2, 5)}, "C"),
        (INVERSE, {"X": (3, 3)}, "Y"),
        (SOFTMAX, {"x": (5,)}, "s"),
        (LOGDET, {"X": (4, 4)}, "y"),
        (BROADCAST, {"x": (2, 4), "b": (4,)}, "y"),
    ],
)
def test_a_gradient_evaluates_to_the_slope_of_its_map(tmp_path, text, inputs, output):
    """The arrays have other sizes than in the check; slopes are finite differences."""
    random = np.random.default_rng(1)
    values = {
        n: random.uniform(0.5, 1, s) + np.eye(*s) * (s[-1] == s[0])
        if len(s) > 1
        else random.uniform(0.5, 1, s)
        for n, s in inputs.items()
    }
    forward = stated(tmp_path, text, output)
    assert not forward.is_gradient and forward.symbols == set(inputs)
    upstream = random.uniform(-1, 1, forward.evaluate(values).shape)
    for name, value in values.items():
        equation = stated(tmp_path, text, f"bar {name}")
        gradient = equation.evaluate({**values, f"bar {output}": upstream})
        change = random.uniform(-1, 1, value.shape)
        ends = [
            np.sum(upstream * forward.evaluate({**values, name: value + h * change}))
            for h in (1e-5, -1e-5)
        ]
        assert np.sum(gradient * change) == pytest.approx(
            (ends[0] - ends[1]) / 2e-5, rel=1e-6
        )


def test_an_equation_for_one_number_evaluates_for_each_of_an_array(tmp_path):
    forward = stated(tmp_path, SECOND, "y")
    x = np.linspace(-1, 1, 6).reshape(2, 3)
    assert np.allclose(forward.evaluate({"x": x}), np.sin(x), 1e-12)


def test_an_equation_for_one_element_has_its_index(tmp_path):
    text = BROADCAST.replace(r"\bar b_j}", r"\bar b_1}").replace("{ij}}\n", "{i1}}\n")
    equation = stated(tmp_path, text, "bar b")
    upstream = np.arange(6.0).reshape(2, 3)
    assert equation.evaluate({"bar y": upstream}) == upstream.sum(0)[equation.element]


@pytest.mark.parametrize(
    "values,reason",
    [
        ({"A": np.ones((2, 3))}, "no value of bar C"),
        ({"B": np.ones((2, 3)), "bar C": np.ones((2, 2))}, "k is 3 and 2"),
        ({"B": np.ones(3), "bar C": np.ones((2, 2))}, "shape"),
    ],
)
def test_an_equation_without_a_value_says_why(tmp_path, values, reason):
    with pytest.raises(EvaluationError, match=reason):
        stated(tmp_path, MATMUL, "bar A").evaluate(values)
