"""What a page derives is what its programs did: formulas are held against the calls of
rules."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from truth import results
from truth.finding import Finding
from truth.page import Page
from truth.results import Program, Results
from truth.structure.agreement import check

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
    """What is found on a page whose programs made these calls of their rules."""

    def run(text: str, *programs: dict, name: str = "a") -> list[Finding]:
        known = Results()
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
            known.programs[program] = Program("", None, True, (rule,))
        for path in ("docs/page.md", "pyproject.toml", results.FILE):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pyproject.toml").touch()
        results.save(known, tmp_path)
        return check([Page(tmp_path / "docs/page.md", tmp_path, text)], tmp_path)

    return run


def states(findings: list[Finding]) -> dict[tuple[str, str], str]:
    """By line and beginning."""
    return {(f.where.rpartition("/")[2], f.what[:12]): f.state for f in findings}


def test_formulas_agree_with_what_a_program_did(found):
    findings = found(PRODUCT, MULTIPLIED)
    assert {f.state for f in findings} == {"compared"}
    assert [f.where for f in findings] == [f"docs/page.md:{n}" for n in (7, 11, 13)]
    assert all(f.how == "agrees with a0.py" and f.cases == 1 for f in findings)


def test_a_derivation_that_is_consistent_and_of_another_map_is_refused(found):
    other = PRODUCT.replace("z = x y", "z = 2 x y").replace(r"\local{", r"2 \local{")
    findings = found(other, MULTIPLIED)
    assert {f.where: f.state for f in findings if f.state == "failed"} == {
        f"docs/page.md:{n}": "failed" for n in (7, 11, 13)
    }
    how = findings[0].how
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


def test_what_has_no_counterpart_is_listed(found):
    made = one({"a": X, "b": Y}, X + Y, [U, U])
    findings = found(PRODUCT, made)
    assert {f.state for f in findings} == {"unchecked"}
    assert [f.where for f in findings if "a0.py" in f.what] == ["snippets/page/a0.py:7"]
    never = found(PRODUCT, {**MULTIPLIED, "inputs": {"x": [], "y": []}})
    assert "no small call" in never[-1].how


def test_a_formula_belongs_to_the_rules_of_its_section(found):
    text = (
        PRODUCT
        + '\n```python\n--8<-- "page/a0.py"\n```\n'
        + r"""
## Another

$$
% premise
z = x - y, \qquad x, y, z \in \R
$$
"""
    )
    findings = found(text, MULTIPLIED)
    assert [f.state for f in findings] == ["compared"] * 3
    inside = text + '\n```python\n--8<-- "page/a1.py"\n```\n'
    added = one({"x": X, "y": Y}, X + Y, [])
    assert sum(f.state == "failed" for f in found(inside, MULTIPLIED, added)) == 1


def test_programs_that_are_wrong_on_purpose_prove_nothing(found):
    wrong = one({"x": X, "y": Y}, X + Y, [])
    assert found(PRODUCT, wrong, name="wrong/a") == []
