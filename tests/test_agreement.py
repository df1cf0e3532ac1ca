"""Formulas of a page agree with the calls of custom gradients in values programs, and with
the local values of values functions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradients.client import GradientResult
from tracebook import settings, snippet
from truth.agreement.check import check
from truth.finding import Finding
from truth.page import Page
from truth.results import ProgramResult, Results

pytestmark = pytest.mark.tools

PRODUCT = r"""
# Product

## Derivation

$$
z = x y, \qquad x, y, z \in \R
$$

$$
\downstream{\bar x} = \upstream{\bar z} \cdot \local{y},
\qquad
\downstream{\bar y} = \upstream{\bar z} \cdot \local{x}
$$

## Snippet and trace
"""
X, Y, U = np.array([2.0, -1.5]), np.array([3.0, 0.25]), np.array([1.0, 10.0])
Check = Callable[..., list[Finding]]


def call(inputs: dict, outputs: list, upstream: list, downstream: list) -> dict:
    def plain(value: object) -> object:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            return {"real": array.real.tolist(), "imag": array.imag.tolist()}
        return array.tolist()

    return {
        "inputs": {name: plain(value) for name, value in inputs.items()},
        "closed": {"n": None, "word": None},
        "outputs": list(map(plain, outputs)),
        "upstream": list(map(plain, upstream)),
        "downstream": list(map(plain, downstream)),
        "variables": {},
    }


def rule(inputs: dict, output: object, downstream: list, upstream: object = U) -> dict:
    return call(inputs, [output], [upstream], downstream)


MULTIPLIED = rule({"x": X, "y": Y}, X * Y, [U * Y, U * X])


@pytest.fixture
def check_page(tmp_path: Path) -> Check:
    """Return a function that checks a page with recorded programs."""

    def keep(name: str, result: ProgramResult) -> None:
        """Write a program, and keep its result."""
        path = tmp_path / "snippets" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        results = Results(tmp_path)
        program = snippet.load(path, settings.load(tmp_path))
        results.keep_program(results.keys.of_program(name, program.digests), result)

    def run(
        text: str,
        *programs: dict,
        name: str = "a",
        local: tuple[dict, ...] = (),
        beside: tuple[dict, ...] = (),
    ) -> list[Finding]:
        """Check a page.

        Args:
            text: Markdown; the includes of the programs are added.
            *programs: for each program, the call of its custom gradient.
            name: the beginning of their names.
            local: calls of the functions of one more program.
            beside: calls of another function in each program.
        """
        for path in ("docs/page.md", "pyproject.toml", "snippets/page/x.out"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pyproject.toml").touch()
        for n, record in enumerate(programs):
            program = f"page/{name}{n}.py"
            if f'"{program}"' not in text:
                text += f'\n```python\n--8<-- "{program}"\n```\n'
            gradient = GradientResult(7, "f", "tried", "", calls=[record])
            keep(program, ProgramResult(True, [gradient], [list(beside)]))
        if local:
            if '"page/names.py"' not in text:
                text += '\n```python\n--8<-- "page/names.py"\n```\n'
            keep("page/names.py", ProgramResult(True, [], [list(local)]))
        return check(Page(tmp_path / "docs/page.md", tmp_path, text))

    return run


def test_formulas_agree_with_a_program(check_page):
    findings = check_page(PRODUCT, MULTIPLIED)
    assert {f.state for f in findings} == {"compared"}
    assert [f.location for f in findings] == [f"docs/page.md:{n}" for n in (7, 11, 13)]
    assert all(f.detail == "agrees with a0.py" and f.cases == 1 for f in findings)


def test_a_consistent_derivation_of_another_map_fails(check_page):
    other = PRODUCT.replace("z = x y", "z = 2 x y").replace(r"\local{", r"2 \local{")
    findings = check_page(other, MULTIPLIED)
    assert {f.location: f.state for f in findings if f.state == "failed"} == {
        f"docs/page.md:{n}": "failed" for n in (7, 11, 13)
    }
    how = findings[0].detail
    assert "snippets/page/a0.py:7" in how and "12." in how and "6." in how


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("z = x y", "z = x y + 1"),
        (r"\bar z} \cdot \local{y}", r"\bar z} \cdot \local{x}"),
        (r"\cdot \local{x}", r"\cdot 2 \local{x}"),
        ("z = x y", "z = 1.0001 x y"),
    ],
)
def test_a_formula_that_differs_from_the_program_fails(right, wrong, check_page):
    text = PRODUCT.replace(right.replace(r"\n", "\n"), wrong.replace(r"\n", "\n"))
    assert text != PRODUCT
    assert "failed" in {f.state for f in check_page(text, MULTIPLIED)}


def test_one_of_two_outputs_differs(check_page):
    text = r"""
# Two

$$
z = x y, \qquad w = y^2, \qquad x, y, z, w \in \R
$$
"""
    record = call({"x": X, "y": Y}, [X * Y, Y * Y], [], [])
    assert {f.state for f in check_page(text, record)} == {"compared"}
    findings = check_page(text.replace("y^2", "2 y"), record)
    assert sorted(f.state for f in findings) == ["compared", "failed"]


def test_arrays_of_any_size_and_complex_numbers(check_page):
    text = r"""
# Matrices

$$
C = A B, \qquad A \in \C^{m \times n}, \qquad B \in \C^{n \times k}
$$

$$
\downstream{\bar A} = \upstream{\bar C} \, \local{B^{\mathrm{H}}}
$$
"""
    A, B = np.arange(6).reshape(2, 3) + 1j, np.arange(12).reshape(3, 4) - 2j
    upstream = np.arange(8).reshape(2, 4) * 1j
    record = rule({"A": A, "B": B}, A @ B, [upstream @ B.conj().T, None], upstream)
    assert {f.state for f in check_page(text, record)} == {"compared"}
    other = text.replace(r"\mathrm{H}", r"\T")
    assert "failed" in {f.state for f in check_page(other, record)}


SCALED = r"""
$$
y_{ij} = x_{ij} \, s_i, \qquad x, y \in \R^{m \times n}, \qquad s \in \R^m
$$

$$
\downstream{\bar s_i} = \sum_j \upstream{\bar y_{ij}} \cdot \local{x_{ij}}
$$
"""


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_a_vector_may_be_a_column(check_page, factor):
    x, s = np.arange(6.0).reshape(2, 3), np.array([[2.0], [4.0]])
    record = rule(
        {"x": x, "s": s}, x * s, [x * s, factor * (x * x).sum(1, keepdims=True)]
    )
    record["upstream"] = [x.tolist()]
    assert states(check_page(SCALED, record)) == [
        "compared",
        "compared" if factor == 1 else "failed",
    ]


def test_a_step_of_a_program_may_have_its_input_by_another_name(check_page):
    text = r"""
# Steps

$$
u = x^2, \qquad v = 3 u, \qquad x, u, v \in \R
$$
"""
    square = rule({"x": X}, X * X, [])
    triple = rule({"x": X}, 3 * X, [])
    assert {f.state for f in check_page(text, square, triple)} == {"compared"}
    assert "failed" in {
        f.state for f in check_page(text.replace("3 u", "4 u"), square, triple)
    }


def test_points_without_a_value_are_not_compared(check_page):
    text = r"""
# A kink

$$
y_i = |x_i|, \qquad x, y \in \R^n
$$

$$
\downstream{\bar x_i} = \upstream{\bar y_i} \cdot \local{c_i},
\qquad
\local{c_i} = \begin{cases} 1 & x_i > 0 \\ -1 & x_i < 0 \end{cases}
$$
"""
    x = np.array([-2.0, 0.0, 3.0])
    record = rule({"x": x}, abs(x), [np.array([-1.0, 0.0, 1.0])], np.ones(3))
    assert {f.state for f in check_page(text, record)} == {"compared"}


def test_a_formula_without_a_counterpart_fails_unless_it_is_marked(check_page):
    record = rule({"a": X, "b": Y}, X + Y, [U, U])
    findings = check_page(PRODUCT, record)
    assert [f.state for f in findings] == ["failed"] * 3 + ["unchecked"]
    assert findings[-1].location == "snippets/page/a0.py:7"
    marked = PRODUCT.replace("$$\nz", "$$\n% unchecked: an example\nz")
    assert [f.state for f in check_page(marked, record)] == [
        "unchecked",
        "failed",
        "failed",
        "unchecked",
    ]
    assert "is not unchecked" in check_page(marked, MULTIPLIED)[0].detail
    never = check_page(PRODUCT, {**MULTIPLIED, "inputs": {"x": [], "y": []}})
    assert "no small call" in never[-1].detail


def test_a_repetition_in_running_text_agrees_as_well(check_page):
    text = PRODUCT + "\n## After\n\nIt was $z = x y$.\n"
    assert {f.state for f in check_page(text, MULTIPLIED)} == {"compared"}
    marked = text.replace("$$\nz", "$$\n% unchecked: an example\nz")
    assert [f.state for f in check_page(marked, rule({"a": X}, X, [U]))][::3] == [
        "unchecked",
        "unchecked",
    ]


def returned_with(returned: object = None, **names: object) -> dict:
    """Return a record of a function with its local values and its result."""
    values = {name: np.asarray(value).tolist() for name, value in names.items()}
    results = [] if returned is None else [np.asarray(returned).tolist()]
    return {"names": values, "returned": results}


def states(findings: list[Finding]) -> list[str]:
    return [each.state for each in findings]


def test_a_formula_agrees_with_local_values(check_page):
    product = returned_with(x=X, y=Y, z=X * Y)
    rule = returned_with(upstream=U, x=X, y=Y, downstream_x=U * Y, downstream_y=U * X)
    assert states(check_page(PRODUCT, local=(product, rule))) == ["compared"] * 3
    wrong = returned_with(
        upstream=U, x=X, y=Y, downstream_x=U * Y, downstream_y=2 * U * X
    )
    findings = check_page(PRODUCT, local=(product, wrong))
    assert states(findings) == ["compared", "compared", "failed"]
    assert findings[2].detail.startswith("page/names.py: ")


def test_a_gradient_may_be_written_as_a_slope(check_page):
    text = PRODUCT.replace(
        r"\upstream{\bar z}", r"\upstream{\frac{\partial L}{\partial z}}"
    )
    assert text != PRODUCT
    assert states(check_page(text, MULTIPLIED)) == ["compared"] * 3


def test_a_gradient_may_be_named_as_it_is_written(check_page):
    values = returned_with(x=X, y=Y, z=X * Y, z_bar=U, x_bar=U * Y, y_bar=U * X)
    assert states(check_page(PRODUCT, local=(values,))) == ["compared"] * 3


@pytest.mark.parametrize(
    "returned, state", [(X * Y, "compared"), (X * Y + 1, "failed"), (X, "failed")]
)
def test_a_formula_agrees_with_a_returned_value(returned, state, check_page):
    text = PRODUCT.partition("$$\n\n$$")[0] + "$$\n"
    assert states(check_page(text, local=(returned_with(returned, x=X, y=Y),))) == [
        state
    ]


def test_a_function_agrees_in_all_its_calls_or_in_none(check_page):
    text = PRODUCT.partition("$$\n\n$$")[0].replace("x y,", "2 x y,") + "$$\n"
    zero = returned_with(np.zeros(2), x=X, y=np.zeros(2))
    assert states(check_page(text, local=(zero, returned_with(X * Y, x=X, y=Y)))) == [
        "failed"
    ]


def test_ones_and_zeros_prove_nothing(check_page):
    values = returned_with(
        x=np.array([1.0, 0.0]), y=np.array([1.0, -1.0]), z=np.array([1.0, 0.0])
    )
    text = PRODUCT.partition("$$\n\n$$")[0] + "$$\n"
    assert states(check_page(text, local=(values,))) == ["failed"]
    assert states(check_page(text, local=(returned_with(x=X, y=Y, z=X * Y),))) == [
        "compared"
    ]


@pytest.mark.parametrize("sign, state", [("", "compared"), ("-", "failed")])
def test_numbers_of_the_unit_circle_are_distinctive(sign, state, check_page):
    text = rf"""
# A transform

$$
F_{{jk}} = {sign}e^{{-2 \pi \mathrm{{i}} (j - 1) (k - 1) / 4}},
\qquad F \in \C^{{4 \times 4}}
$$
"""
    of_four = np.round(np.exp(-2j * np.pi * np.outer(range(4), range(4)) / 4), 12)
    values = {"F": {"real": of_four.real.tolist(), "imag": of_four.imag.tolist()}}
    assert states(check_page(text, local=({"names": values, "returned": []},))) == [
        state
    ]


@pytest.mark.parametrize("factor, state", [(1.0, "compared"), (3.0, "failed")])
def test_elements_of_a_list_have_numbers(factor, state, check_page):
    text = r"""
# A line

$$
y_i = w_0 + w_1 \, x_i, \qquad x, y \in \R^n, \qquad w_0, w_1 \in \R
$$

$$
\downstream{\bar w_0} = \sum_i \upstream{\bar y_i},
\qquad
\downstream{\bar w_1} = \sum_i \upstream{\bar y_i} \cdot \local{x_i}
$$
"""
    w = np.array([2.0, factor])
    record = rule({"x": X, "w": w}, 2 + X, [U, [U.sum(), factor * (U * X).sum()]])
    assert states(check_page(text, record)) == [state, "compared", state]


def test_a_variable_has_the_name_of_the_program(check_page):
    record = rule({"x": X}, X * Y, [U * Y, U * X])
    record |= {"closed": {"y": Y.tolist()}, "variables": {"Variable:0": Y.tolist()}}
    assert states(check_page(PRODUCT, record)) == ["compared"] * 3
    other = PRODUCT.replace(r"\cdot \local{x}", r"\cdot 2 \local{x}")
    assert states(check_page(other, record)) == ["compared", "compared", "failed"]


def test_a_keyword_of_python_has_an_underscore(check_page):
    text = r"""
# Scaled

$$
y_i = x_i, \qquad x, y \in \R^n
$$

$$
\d L := \sum_i \lambda \, \upstream{\bar y_i} \, \d x_i, \qquad \lambda \in \R
$$

$$
\downstream{\bar x_i} = \lambda \, \upstream{\bar y_i}
$$
"""
    record = rule({"x": X}, X, [0.25 * U])
    record["closed"] = {"lambda_": 0.25}
    assert states(check_page(text, record)) == ["compared", "compared"]
    assert states(check_page(text.replace(r"\lambda \,", r"\lambda^2 \,"), record)) == [
        "compared",
        "failed",
    ]


def test_an_array_may_be_flat_in_a_formula(check_page):
    text = r"""
# A sum

$$
y = \sum_i x_i^2, \qquad x \in \R^n, \qquad y \in \R
$$
"""
    x = np.arange(6.0).reshape(2, 3)
    assert states(check_page(text, rule({"x": x}, (x * x).sum(), [], []))) == [
        "compared"
    ]
    assert states(check_page(text, rule({"x": x}, x.sum(), [], [])))[0] == "failed"


def test_intermediate_maps_are_compared_by_the_results(check_page):
    text = r"""
# Steps

$$
c_i = x_i - \mu, \qquad \mu = \operatorname{mean}(x), \qquad c, x \in \R^n
$$
"""
    record = rule({"x": X}, X - X.mean(), [], [])
    assert states(check_page(text, record)) == ["compared"] * 2
    other = text.replace(r"\operatorname{mean}", r"\max")
    assert states(check_page(other, record))[:2] == ["failed"] * 2


def test_deliberately_wrong_programs_prove_nothing(check_page):
    right = rule({"x": X, "y": Y}, X * Y, [])
    assert check_page(PRODUCT, right, name="wrong/a") == []


THROUGH = r"""
# Through

$$
h = x^2, \qquad z = h + x, \qquad x, h, z \in \R
$$

$$
\downstream{\bar x} = \upstream{\bar z} \, (\local{2 x + 1})
$$
"""


def test_a_step_has_the_value_of_the_program(check_page):
    record = rule({"x": X}, X**2 + X, [U * (2 * X + 1)])
    beside = (returned_with(x=X, h=X**2),)
    assert {f.state for f in check_page(THROUGH, record, beside=beside)} == {"compared"}
    halved = THROUGH.replace("h = x^2", "h = 2 x^2").replace(
        "z = h", r"z = \frac{1}{2} h"
    )
    assert {f.state for f in check_page(halved, record)} == {"compared"}
    assert "failed" in {f.state for f in check_page(halved, record, beside=beside)}


def test_without_a_record_of_its_programs_a_page_fails(check_page, tmp_path):
    assert {f.state for f in check_page(PRODUCT, MULTIPLIED)} == {"compared"}
    text = PRODUCT + '\n```python\n--8<-- "page/a0.py"\n```\n'
    (tmp_path / "snippets/page/a0.py").write_text("changed = True\n")
    findings = check(Page(tmp_path / "docs/page.md", tmp_path, text))
    assert [(f.state, f.text) for f in findings] == [("failed", "page/a0.py")]
    assert "not on record" in findings[0].detail


def test_a_page_without_programs_needs_no_record(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    assert check(Page(tmp_path / "docs/page.md", tmp_path, PRODUCT)) == []
