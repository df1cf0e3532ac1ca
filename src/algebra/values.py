"""Values of expressions: SymPy expressions, and NumPy arrays of them.

All SymPy symbols are real. A complex input is the sum of two of them, one times ``I``.
Functions raise EvaluationError for arrays that do not fit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from .errors import EvaluationError

Value = Any
"""A SymPy expression, or a NumPy array of them."""

_LARGEST_POWER = 4
"""The largest exponent of a matrix, and the most rows of one that is inverted."""


def symbol_array(name: str, shape: tuple[int, ...]) -> Value:
    """Return an array of symbols such as ``x[1,2]``; without axes, one symbol."""
    if not shape:
        return sympy.Symbol(name, real=True)
    array = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        numbers = ",".join(str(number + 1) for number in place)
        array[place] = sympy.Symbol(f"{name}[{numbers}]", real=True)
    return array


def differential_symbol(symbol: sympy.Symbol) -> sympy.Symbol:
    """Return the symbol of a small change of an input."""
    return sympy.Symbol(f"d {symbol.name}", real=True)


def input_symbols(expression: Value) -> list[sympy.Symbol]:
    """Return the symbols of an expression that are no differentials or gradients."""
    symbols = sympy.sympify(expression).free_symbols
    inputs = [s for s in symbols if not s.name.startswith(("d ", "bar "))]
    return sorted(inputs, key=lambda symbol: symbol.name)


def real_symbols(value: Value) -> tuple[Value, ...]:
    """Return the symbols of one element of an input: one, or real and imaginary."""
    return (value,) if value.is_Symbol else value.as_real_imag()


# Complex numbers.


def is_plainly_real(value: Value) -> bool:
    return not sympy.sympify(value).has(sympy.I)


def real_part(value: Value) -> Value:
    return value if is_plainly_real(value) else (value + sympy.conjugate(value)) / 2


def imaginary_part(value: Value) -> Value:
    if is_plainly_real(value):
        return sympy.Integer(0)
    return (value - sympy.conjugate(value)) / (2 * sympy.I)


def squared_modulus(value: Value) -> Value:
    if is_plainly_real(value):
        return value**2
    return sympy.expand(value * sympy.conjugate(value))


def real_inner_product(upstream: Value, change: Value) -> Value:
    """Return the change of the loss for a small change of a value.

    For complex numbers, it is the real part of conjugated gradient times change.
    """
    return real_part(sum(np.ravel(map_elements(sympy.conjugate, upstream) * change)))


# Arrays.


def map_elements(function: Callable[[Value], Value], value: Value) -> Value:
    """Return the results of a function for each element of a value, in its shape."""
    if not np.shape(value):
        return function(value)
    return np.vectorize(function, otypes=[object])(value)


def array_of(rows: Any) -> Value:
    """Return nested lists, or a SymPy matrix, as an array."""
    if isinstance(rows, sympy.MatrixBase):
        rows = rows.tolist()
    array = np.empty(_shape(rows), dtype=object)
    for place in np.ndindex(array.shape):
        item = rows
        for number in place:
            item = item[number]
        array[place] = item
    return array


def _shape(rows: Any) -> tuple[int, ...]:
    if isinstance(rows, (list, np.ndarray)):
        return (len(rows), *_shape(rows[0]))
    return ()


def element(array: Value, indices: tuple[int, ...]) -> Value:
    """Return the element of an array at indices from 1; without indices, the array."""
    if not indices:
        return array
    shape = np.shape(array)
    if len(indices) != len(shape) or any(
        not 1 <= index <= size for index, size in zip(indices, shape)
    ):
        raise EvaluationError(f"no element {indices} in shape {list(shape)}")
    return array[tuple(index - 1 for index in indices)]


def multiply(a: Value, b: Value, position: int) -> Value:
    """Return a product: numbers scale, arrays multiply as matrices do."""
    if not np.shape(a) or not np.shape(b):
        return a * b
    if a.ndim == 1 and b.ndim == 2 and b.shape[0] == 1 and a.shape[0] > 1:
        return a.reshape(-1, 1) @ b  # a column times a row
    if a.shape[-1] != b.shape[0]:
        raise EvaluationError(
            f"shapes {list(a.shape)} and {list(b.shape)} do not multiply", position
        )
    product = a @ b
    # A row times a column is a number, however the two are written.
    return product.ravel()[0] if np.shape(product) in ((1, 1), (1,)) else product


def matrix_power(array: Value, exponent: int) -> Value:
    """Return the power of a square matrix."""
    matrix = sympy.Matrix(array)
    is_symbolic_inverse = exponent < 0 and matrix.free_symbols
    if abs(exponent) > _LARGEST_POWER or (
        is_symbolic_inverse and len(array) > _LARGEST_POWER
    ):
        raise EvaluationError("a power of a matrix that takes too long")
    if is_symbolic_inverse:
        matrix, exponent = matrix.adjugate() / determinant(matrix), -exponent
    return array_of(matrix**exponent)


def determinant(matrix: sympy.Matrix) -> Value:
    """Return a determinant by Berkowitz's method.

    It does not divide; SymPy's default simplifies at each step, and is slower.
    """
    return matrix.det(method="berkowitz")


def extremum(name: str, values: list[Value]) -> Value:
    """Return the ``max`` or ``min`` of expressions as a SymPy ``Piecewise``."""
    best = values[0]
    for value in values[1:]:
        is_better = value > best if name == "max" else value < best
        best = sympy.Piecewise((value, is_better), (best, True))
    return best
