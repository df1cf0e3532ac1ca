"""What a page derives is what its programs did: formulas are held against the calls of
rules, and against what functions had by name."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from truth.agreement.check import check
from truth.finding import Finding
from truth.page import Page
from truth.results import Program, Results

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


def one(inputs: dict, output: object, downstream: list, upstream: object = U) -> dict:
    return call(inputs, [output], [upstream], downstream)


MULTIPLIED = one({"x": X, "y": Y}, X * Y, [U * Y, U * X])


@pytest.fixture
def found(tmp_path: Path) -> Check:
    """What is found on a page whose programs made these calls of their rules, or had
    these names, with what was returned."""

    def run(
        text: str,
        *programs: dict,
        name: str = "a",
        had: tuple[dict, ...] = (),
        beside: tuple[dict, ...] = (),
    ) -> list[Finding]:
        """Beside its rule a program may have another function."""
        for path in ("docs/page.md", "pyproject.toml", "snippets/page/x.out"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pyproject.toml").touch()
        known = Results(tmp_path)
        for n, made in enumerate(programs):
            program = f"page/{name}{n}.py"
            if f'"{program}"' not in text:
                text += f'\n```python\n--8<-- "{program}"\n```\n'
            rule = Finding(
                "rule",
                "tried",
                "",
                f"snippets/{program}:7",
                "f",
                calls=json.dumps([made]),
            )
            names = json.dumps([list(beside)])
            (tmp_path / "snippets" / program).parent.mkdir(exist_ok=True)
            (tmp_path / "snippets" / program).touch()
            known.keep_program(program, Program(None, True, (rule,), names))
        if had:
            if '"page/names.py"' not in text:
                text += '\n```python\n--8<-- "page/names.py"\n```\n'
            (tmp_path / "snippets/page/names.py").touch()
            record = Program(None, True, (), json.dumps([list(had)]))
            known.keep_program("page/names.py", record)
        return check([Page(tmp_path / "docs/page.md", tmp_path, text)], tmp_path)

    return run


def states(findings: list[Finding]) -> dict[tuple[str, str], str]:
    """By line and beginning."""
    return {(f.location.rpartition("/")[2], f.text[:12]): f.state for f in findings}


def test_formulas_agree_with_what_a_program_did(found):
    findings = found(PRODUCT, MULTIPLIED)
    assert {f.state for f in findings} == {"compared"}
    assert [f.location for f in findings] == [f"docs/page.md:{n}" for n in (7, 11, 13)]
    assert all(f.detail == "agrees with a0.py" and f.cases == 1 for f in findings)


def test_a_derivation_that_is_consistent_and_of_another_map_is_refused(found):
    other = PRODUCT.replace("z = x y", "z = 2 x y").replace(r"\local{", r"2 \local{")
    findings = found(other, MULTIPLIED)
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
def test_a_formula_that_is_not_what_the_program_did_is_refused(right, wrong, found):
    text = PRODUCT.replace(right.replace(r"\n", "\n"), wrong.replace(r"\n", "\n"))
    assert text != PRODUCT
    assert "failed" in {f.state for f in found(text, MULTIPLIED)}


def test_one_of_two_outputs_is_another(found):
    text = r"""
# Two

$$
z = x y, \qquad w = y^2, \qquad x, y, z, w \in \R
$$
"""
    made = call({"x": X, "y": Y}, [X * Y, Y * Y], [], [])
    assert {f.state for f in found(text, made)} == {"compared"}
    other = found(text.replace("y^2", "2 y"), made)
    assert sorted(f.state for f in other) == ["compared", "failed"]


def test_arrays_of_any_size_and_complex_numbers(found):
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
    made = one({"A": A, "B": B}, A @ B, [upstream @ B.conj().T, None], upstream)
    assert {f.state for f in found(text, made)} == {"compared"}
    other = text.replace(r"\mathrm{H}", r"\T")
    assert "failed" in {f.state for f in found(other, made)}


SCALED = r"""
$$
y_{ij} = x_{ij} \, s_i, \qquad x, y \in \R^{m \times n}, \qquad s \in \R^m
$$

$$
\downstream{\bar s_i} = \sum_j \upstream{\bar y_{ij}} \cdot \local{x_{ij}}
$$
"""


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_a_vector_may_be_a_column(found, factor):
    x, s = np.arange(6.0).reshape(2, 3), np.array([[2.0], [4.0]])
    made = one({"x": x, "s": s}, x * s, [x * s, factor * (x * x).sum(1, keepdims=True)])
    made["upstream"] = [x.tolist()]
    states = [each.state for each in found(SCALED, made)]
    assert states == ["compared", "compared" if factor == 1 else "failed"]


def test_a_step_of_a_program_may_have_its_input_by_another_name(found):
    text = r"""
# Steps

$$
u = x^2, \qquad v = 3 u, \qquad x, u, v \in \R
$$
"""
    square = one({"x": X}, X * X, [])
    triple = one({"x": X}, 3 * X, [])
    assert {f.state for f in found(text, square, triple)} == {"compared"}
    assert "failed" in {
        f.state for f in found(text.replace("3 u", "4 u"), square, triple)
    }


def test_where_a_formula_has_no_value_nothing_is_compared(found):
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
    made = one({"x": x}, abs(x), [np.array([-1.0, 0.0, 1.0])], np.ones(3))
    assert {f.state for f in found(text, made)} == {"compared"}


def test_a_formula_without_a_counterpart_fails_unless_it_is_marked(found):
    made = one({"a": X, "b": Y}, X + Y, [U, U])
    findings = found(PRODUCT, made)
    assert [f.state for f in findings] == ["failed"] * 3 + ["unchecked"]
    assert findings[-1].location == "snippets/page/a0.py:7"
    marked = PRODUCT.replace("$$\nz", "$$\n% unchecked: an example\nz")
    assert [f.state for f in found(marked, made)] == [
        "unchecked",
        "failed",
        "failed",
        "unchecked",
    ]
    assert "is not unchecked" in found(marked, MULTIPLIED)[0].detail
    never = found(PRODUCT, {**MULTIPLIED, "inputs": {"x": [], "y": []}})
    assert "no small call" in never[-1].detail


def test_what_running_text_says_again_agrees_as_well(found):
    text = PRODUCT + "\n## After\n\nIt was $z = x y$.\n"
    assert {f.state for f in found(text, MULTIPLIED)} == {"compared"}
    marked = text.replace("$$\nz", "$$\n% unchecked: an example\nz")
    assert [f.state for f in found(marked, one({"a": X}, X, [U]))][::3] == [
        "unchecked",
        "unchecked",
    ]


def seen(returned: object = None, **names: object) -> dict:
    """What a function had, and what it returned."""
    given = {name: np.asarray(value).tolist() for name, value in names.items()}
    back = [] if returned is None else [np.asarray(returned).tolist()]
    return {"names": given, "returned": back}


def compared(findings: list[Finding]) -> list[str]:
    return [each.state for each in findings]


def test_a_formula_agrees_with_what_a_function_had_by_name(found):
    product = seen(x=X, y=Y, z=X * Y)
    rule = seen(upstream=U, x=X, y=Y, downstream_x=U * Y, downstream_y=U * X)
    assert compared(found(PRODUCT, had=(product, rule))) == ["compared"] * 3
    wrong = seen(upstream=U, x=X, y=Y, downstream_x=U * Y, downstream_y=2 * U * X)
    findings = found(PRODUCT, had=(product, wrong))
    assert compared(findings) == ["compared", "compared", "failed"]
    assert findings[2].detail.startswith("page/names.py: ")


def test_a_gradient_may_be_written_as_a_slope(found):
    text = PRODUCT.replace(
        r"\upstream{\bar z}", r"\upstream{\frac{\partial L}{\partial z}}"
    )
    assert text != PRODUCT
    assert compared(found(text, MULTIPLIED)) == ["compared"] * 3


def test_a_gradient_may_be_called_as_it_is_written(found):
    its = seen(x=X, y=Y, z=X * Y, z_bar=U, x_bar=U * Y, y_bar=U * X)
    assert compared(found(PRODUCT, had=(its,))) == ["compared"] * 3


@pytest.mark.parametrize(
    "returned, states", [(X * Y, "compared"), (X * Y + 1, "failed"), (X, "failed")]
)
def test_a_formula_agrees_with_what_a_function_returned(returned, states, found):
    text = PRODUCT.partition("$$\n\n$$")[0] + "$$\n"
    assert compared(found(text, had=(seen(returned, x=X, y=Y),))) == [states]


def test_a_function_agrees_in_all_its_calls_or_in_none(found):
    text = PRODUCT.partition("$$\n\n$$")[0].replace("x y,", "2 x y,") + "$$\n"
    zero = seen(np.zeros(2), x=X, y=np.zeros(2))
    assert compared(found(text, had=(zero, seen(X * Y, x=X, y=Y)))) == ["failed"]


def test_ones_and_zeros_tell_nothing(found):
    its = seen(x=np.array([1.0, 0.0]), y=np.array([1.0, -1.0]), z=np.array([1.0, 0.0]))
    text = PRODUCT.partition("$$\n\n$$")[0] + "$$\n"
    assert compared(found(text, had=(its,))) == ["failed"]
    assert compared(found(text, had=(seen(x=X, y=Y, z=X * Y),))) == ["compared"]


@pytest.mark.parametrize("sign, state", [("", "compared"), ("-", "failed")])
def test_numbers_of_the_unit_circle_tell(sign, state, found):
    text = rf"""
# A transform

$$
F_{{jk}} = {sign}e^{{-2 \pi \mathrm{{i}} (j - 1) (k - 1) / 4}},
\qquad F \in \C^{{4 \times 4}}
$$
"""
    of_four = np.round(np.exp(-2j * np.pi * np.outer(range(4), range(4)) / 4), 12)
    its = {"F": {"real": of_four.real.tolist(), "imag": of_four.imag.tolist()}}
    assert compared(found(text, had=({"names": its, "returned": []},))) == [state]


@pytest.mark.parametrize("factor, state", [(1.0, "compared"), (3.0, "failed")])
def test_elements_of_a_list_have_numbers(factor, state, found):
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
    made = one({"x": X, "w": w}, 2 + X, [U, [U.sum(), factor * (U * X).sum()]])
    assert compared(found(text, made)) == [state, "compared", state]


def test_a_variable_is_an_input_by_the_name_that_the_program_has(found):
    made = one({"x": X}, X * Y, [U * Y, U * X])
    made |= {"closed": {"y": Y.tolist()}, "variables": {"Variable:0": Y.tolist()}}
    assert compared(found(PRODUCT, made)) == ["compared"] * 3
    other = PRODUCT.replace(r"\cdot \local{x}", r"\cdot 2 \local{x}")
    assert compared(found(other, made)) == ["compared", "compared", "failed"]


def test_a_setting_that_python_cannot_call_so_has_a_line_below(found):
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
    made = one({"x": X}, X, [0.25 * U])
    made["closed"] = {"lambda_": 0.25}
    assert compared(found(text, made)) == ["compared", "compared"]
    assert compared(found(text.replace(r"\lambda \,", r"\lambda^2 \,"), made)) == [
        "compared",
        "failed",
    ]


def test_all_numbers_of_an_array_may_stand_in_a_row(found):
    text = r"""
# A sum

$$
y = \sum_i x_i^2, \qquad x \in \R^n, \qquad y \in \R
$$
"""
    x = np.arange(6.0).reshape(2, 3)
    assert compared(found(text, one({"x": x}, (x * x).sum(), [], []))) == ["compared"]
    assert compared(found(text, one({"x": x}, x.sum(), [], [])))[0] == "failed"


def test_maps_between_are_compared_with_what_is_made_of_them(found):
    text = r"""
# Steps

$$
c_i = x_i - \mu, \qquad \mu = \operatorname{mean}(x), \qquad c, x \in \R^n
$$
"""
    made = one({"x": X}, X - X.mean(), [], [])
    assert compared(found(text, made)) == ["compared"] * 2
    other = text.replace("mean", "sum")
    assert compared(found(other, made))[:2] == ["failed"] * 2


def test_programs_that_are_wrong_on_purpose_prove_nothing(found):
    right = one({"x": X, "y": Y}, X * Y, [])
    assert found(PRODUCT, right, name="wrong/a") == []


THROUGH = r"""
# Through

$$
h = x^2, \qquad z = h + x, \qquad x, h, z \in \R
$$

$$
\downstream{\bar x} = \upstream{\bar z} \, (\local{2 x + 1})
$$
"""


def test_what_a_map_goes_through_is_what_the_program_has_by_that_name(found):
    made = one({"x": X}, X**2 + X, [U * (2 * X + 1)])
    beside = (seen(x=X, h=X**2),)
    assert {f.state for f in found(THROUGH, made, beside=beside)} == {"compared"}
    halved = THROUGH.replace("h = x^2", "h = 2 x^2").replace(
        "z = h", r"z = \frac{1}{2} h"
    )
    assert {f.state for f in found(halved, made)} == {"compared"}
    assert "failed" in {f.state for f in found(halved, made, beside=beside)}


def test_without_a_record_of_its_programs_a_page_fails(found, tmp_path):
    assert {f.state for f in found(PRODUCT, MULTIPLIED)} == {"compared"}
    text = PRODUCT + '\n```python\n--8<-- "page/a0.py"\n```\n'
    (tmp_path / "snippets/page/a0.py").write_text("changed = True\n")
    findings = check([Page(tmp_path / "docs/page.md", tmp_path, text)], tmp_path)
    assert [(f.state, f.text) for f in findings] == [("failed", "page/a0.py")]
    assert "not on record" in findings[0].detail


def test_a_page_without_programs_needs_no_record(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    assert check([Page(tmp_path / "docs/page.md", tmp_path, PRODUCT)], tmp_path) == []
