"""Promise: a displayed formula is proven, or marked, or the tests fail."""

import numpy as np
import pytest

from truth.formulas.check import check_page
from truth.formulas.evaluate import rules
from truth.formulas.meaning import Unclear
from truth.page import Page

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
    r"\text{a picture}": None,
    r"x + 1": "states nothing",
    r"y = a / b c": "not clear",
    r"y = x^2": "nothing follows",
    r"q = q": "both sides are the same",
    r"y := x^2": "decides",
    r"\downstream{\bar q} = 1": "unknown symbol",
    "% wish\ny = x": "unknown mark",
    r"\R^{2 \times 3} = x": "not in the grammar",
}


def findings(tmp_path, text: str):
    path = tmp_path / "docs/page.md"
    path.parent.mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").touch()
    return check_page(Page(path, tmp_path, text))


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_true_is_proven(tmp_path, name):
    found = findings(tmp_path, RIGHT[name])
    assert [str(each) for each in found if each.state == "failed"] == []
    assert sum(each.state == "proven" for each in found) >= 1
    assert len(found) == RIGHT[name].count("\n$$\n") // 2


@pytest.mark.parametrize("text,old,new,line", WRONG)
def test_what_is_false_fails_with_its_line(tmp_path, text, old, new, line):
    assert old in text
    failed = [
        each
        for each in findings(tmp_path, text.replace(old, new, 1))
        if each.state == "failed"
    ]
    assert failed and any(
        abs(int(each.where.rpartition(":")[2]) - line) <= 1 for each in failed
    ), failed


@pytest.mark.parametrize("tex", REFUSED)
def test_what_is_not_read_is_refused(tmp_path, tex):
    found = findings(tmp_path, f"$$\n{tex}\n$$\n")
    if REFUSED[tex] is None:
        assert found == []
        return
    assert [each.state for each in found] == ["failed"]
    assert REFUSED[tex] in found[0].how


def test_a_definition_is_counted_and_not_read(tmp_path):
    found = findings(tmp_path, "$$\n% definition: a picture\ny = \\foo\n$$\n")
    assert [each.state for each in found] == ["definition"]


@pytest.mark.parametrize("around", ["<!-- {} -->", "<!--\n{}-->", "```text\n{}```"])
def test_what_no_reader_sees_counts_for_nothing(tmp_path, around):
    """Nor does it prove what is shown."""
    assert findings(tmp_path, around.format(SECOND)) == []
    premise, claim = SECOND.strip().split("\n\n")
    assert [each.state for each in findings(tmp_path, SECOND)] == ["given", "proven"]
    hidden = f"{around.format(premise + chr(10))}\n\n{claim}\n"
    assert [each.state for each in findings(tmp_path, hidden)] == ["failed"]


def test_a_mark_without_its_partner_hides_nothing(tmp_path):
    for lone in ("`", "``", "$"):
        text = f"A {lone} alone.\n{SECOND}\nAnother {lone} alone.\n"
        assert [f.state for f in findings(tmp_path, text)] == ["given", "proven"]


def _rule(tmp_path, text: str, name: str):
    path = tmp_path / "docs/page.md"
    path.parent.mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").touch()
    [rule] = [
        each
        for each in rules(Page(path, tmp_path, text), 0, len(text))
        if each.name == name
    ]
    return rule


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
def test_a_rule_evaluates_to_the_slope_of_its_map(tmp_path, text, inputs, output):
    """At arrays of other sizes than the checker's own, by differences."""
    random = np.random.default_rng(1)
    values = {
        n: random.uniform(0.5, 1, s) + np.eye(*s) * (s[-1] == s[0])
        if len(s) > 1
        else random.uniform(0.5, 1, s)
        for n, s in inputs.items()
    }
    forward = _rule(tmp_path, text, output)
    assert not forward.is_gradient and forward.symbols == set(inputs)
    upstream = random.uniform(-1, 1, forward.at(values).shape)
    for name, value in values.items():
        rule = _rule(tmp_path, text, f"bar {name}")
        gradient = rule.at({**values, f"bar {output}": upstream})
        change = random.uniform(-1, 1, value.shape)
        ends = [
            np.sum(upstream * forward.at({**values, name: value + h * change}))
            for h in (1e-5, -1e-5)
        ]
        assert np.sum(gradient * change) == pytest.approx(
            (ends[0] - ends[1]) / 2e-5, rel=1e-6
        )


def test_a_rule_for_one_number_evaluates_for_each_of_an_array(tmp_path):
    forward = _rule(tmp_path, SECOND, "y")
    x = np.linspace(-1, 1, 6).reshape(2, 3)
    assert np.allclose(forward.at({"x": x}), np.sin(x), 1e-12)


def test_a_rule_for_one_element_says_which(tmp_path):
    text = BROADCAST.replace(r"\bar b_j}", r"\bar b_1}").replace("{ij}}\n", "{i1}}\n")
    rule = _rule(tmp_path, text, "bar b")
    upstream = np.arange(6.0).reshape(2, 3)
    assert rule.at({"bar y": upstream}) == upstream.sum(0)[rule.element]


@pytest.mark.parametrize(
    "values,reason",
    [
        ({"A": np.ones((2, 3))}, "no value of bar C"),
        ({"B": np.ones((2, 3)), "bar C": np.ones((2, 2))}, "k is 3 and 2"),
        ({"B": np.ones(3), "bar C": np.ones((2, 2))}, "shape"),
    ],
)
def test_what_cannot_be_evaluated_says_why(tmp_path, values, reason):
    with pytest.raises(Unclear, match=reason):
        _rule(tmp_path, MATMUL, "bar A").at(values)
