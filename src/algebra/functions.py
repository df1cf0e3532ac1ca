"""The functions of the grammar, such as ``\\sin`` and ``\\operatorname{softmax}``."""

from collections.abc import Callable

import numpy as np
import sympy

from . import values
from .errors import EvaluationError
from .values import Value, array_of, extremum, map_elements

STEPS = {"sign", "round"}
"""Functions whose slope is 0: a value that they define is treated as an input."""
_SAME_NAME = "sin cos tan sinh cosh tanh sech exp log sign"
_SCALAR: dict[str, Callable[[Value], Value]] = {
    **{name: getattr(sympy, name) for name in _SAME_NAME.split()},
    "ln": sympy.log,
    "arcsin": sympy.asin,
    "arccos": sympy.acos,
    "arctan": sympy.atan,
    "artanh": sympy.atanh,
    "conj": sympy.conjugate,
    "Re": values.real_part,
    "Im": values.imaginary_part,
    "arg": lambda z: sympy.atan2(values.imaginary_part(z), values.real_part(z)),
    "sigmoid": lambda x: 1 / (1 + sympy.exp(-x)),
    "softplus": lambda x: sympy.log(1 + sympy.exp(x)),
    "relu": lambda x: sympy.Piecewise((x, x > 0), (0, True)),
    "expm1": lambda x: sympy.exp(x) - 1,
    "log1p": lambda x: sympy.log(1 + x),
    "round": lambda x: sympy.floor(x + sympy.Rational(1, 2)),
}
"""Functions of one number; of an array, they are applied to each element."""


def apply(name: str, arguments: list[Value]) -> Value:
    """Return the value of a function."""
    first, count = arguments[0], len(arguments)
    rank = len(np.shape(first))
    match name:
        case _ if name in _SCALAR and count == 1:
            return map_elements(_SCALAR[name], first)
        case "max" | "min" if count == 1 and rank:
            return extremum(name, list(np.ravel(first)))
        case "max" | "min" if count > 1:
            return _elementwise_extremum(name, arguments)
        case "det":
            return values.determinant(sympy.Matrix(first))
        case "tr":
            return sum(first[i, i] for i in range(len(first)))
        case "diag" if rank == 1:
            return array_of(sympy.diag(*first))
        case "mean" if rank:
            return sum(np.ravel(first)) / np.size(first)
        case "logsumexp" if rank == 1:
            return sympy.log(sum(map(sympy.exp, first)))
        case "softmax" if rank == 1:
            total = sum(map(sympy.exp, first))
            return map_elements(lambda x: sympy.exp(x) / total, first)
    raise EvaluationError(f"{name} of this is not defined")


def _elementwise_extremum(name: str, arguments: list[Value]) -> Value:
    """Compare arrays element by element; a number beside them, with each element."""
    shapes = {np.shape(argument) for argument in arguments} - {()}
    if not shapes:
        return extremum(name, arguments)
    if len(shapes) > 1:
        raise EvaluationError(f"{name} of this is not defined")
    elements = np.broadcast(*arguments)
    return array_of([extremum(name, [*e]) for e in elements]).reshape(elements.shape)
