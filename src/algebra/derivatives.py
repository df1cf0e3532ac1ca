"""Values of differentials, derivatives and gradients.

A differential is a linear form in symbols ``d x`` of its own, so that gradients can be
read off as coefficients. Unless the page states a loss, ``L`` is the sum of upstream
gradient times output over all outputs of the map.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import sympy

from . import nodes, values
from .arithmetic import FIRST, ArithmeticEvaluator, Bindings
from .errors import EvaluationError
from .nodes import Node, Symbol
from .tree import symbols
from .values import Value, map_elements, real_inner_product


class DerivativeEvaluator(ArithmeticEvaluator):
    """Evaluates expressions with derivatives in one scope."""

    def of_differential(self, node: nodes.Differential, env: Bindings) -> Value:
        if node.order != 1:
            raise EvaluationError("a second differential alone")
        if self._is_loss(node.inner, env):
            return self.loss_differential()
        return _differential(self.value(node.inner, env))

    def _is_loss(self, node: Node, env: Bindings) -> bool:
        return isinstance(node, Symbol) and (
            self.resolve(node, env.letters) == ("L", ())
        )

    def loss_differential(self) -> Value:
        """Return ``dL``, as the page defines it or as it follows from the outputs."""
        return self.memoized(("L", "differential"), self._loss_differential)

    def _loss_differential(self) -> Value:
        if self.scope.loss_differential:
            node, place = self.scope.loss_differential
            self.used.add(place)
            return self.value(node)
        if "L" in self.scope.maps:
            return _differential(self.expand("L"))
        return self._paired_outputs(lambda name: _differential(self.expand(name)))

    def _paired_outputs(self, change: Callable[[str], Value]) -> Value:
        """Return the sum of upstream gradient times change over all outputs."""
        if not self.scope.outputs:
            raise EvaluationError("no map is stated, so L depends on nothing")
        products = (
            real_inner_product(self.upstream(name), change(name))
            for name in self.scope.outputs
        )
        return sum(products, sympy.Integer(0))

    def upstream(self, name: str) -> Value:
        """Return the upstream gradient of an output, in its shape."""
        return self.input(name, "bar ")

    def of_bar(self, node: nodes.Bar, env: Bindings) -> Value:
        name, indices = self.resolve(node.symbol, env.letters)
        is_upstream = "L" not in self.scope.maps and name in self.scope.outputs
        array = self.upstream(name) if is_upstream else self.gradient(name)
        return values.element(array, indices)

    def gradient(self, name: str) -> Value:
        """Return the gradient of ``L`` with respect to a symbol, in its shape."""
        self.require(name)
        return self.memoized((name, "gradient"), lambda: self._gradient(name))

    def _gradient(self, name: str) -> Value:
        inputs = self.input(name)
        loss = self.scope.maps.get("L")
        is_in_loss = loss is not None and any(
            self.resolve(symbol, FIRST)[0] == name for symbol in symbols(loss.node)
        )
        if self.scope.loss_differential and not is_in_loss:
            form = sympy.expand(self.loss_differential())
            return _assembled(
                inputs, lambda part: form.coeff(values.differential_symbol(part))
            )
        fixed = frozenset({name})
        if loss:
            total = self.expand("L", fixed)
        else:
            total = self._paired_outputs(lambda output: self.expand(output, fixed))
        gradient = _assembled(inputs, lambda part: sympy.diff(total, part))
        return self._in_inputs(gradient, name)

    def of_derivative(self, node: nodes.Derivative, env: Bindings) -> Value:
        """Return a derivative in numerator layout: that of a number is transposed."""
        variable, order = node.variable, node.order
        is_conjugated = isinstance(variable, nodes.Call)
        variable = (
            variable.arguments[0] if isinstance(variable, nodes.Call) else variable
        )
        if not isinstance(variable, Symbol):
            raise EvaluationError("a derivative by what is no symbol")
        name, indices = self.resolve(variable, env.letters)
        is_complex = name in self.scope.complex
        if (is_conjugated and not is_complex) or (is_complex and order > 1):
            raise EvaluationError("a derivative that is not defined here")
        if self._is_loss(node.function, env):
            if order > 1:
                raise EvaluationError("write L in its inputs for a second derivative")
            gradient = values.element(self.gradient(name), indices)
            return _transposed(_of_loss(gradient, is_complex, is_conjugated))

        def slope(value: Value, symbol: Value) -> Value:
            if is_complex:
                return _wirtinger(value, symbol, is_conjugated)
            return sympy.diff(value, symbol, order)

        inputs = values.element(self.input(name), indices)
        inner = replace(env, fixed=env.fixed | {name})
        value = self.value(node.function, inner)
        if not np.shape(value):
            jacobian = _transposed(map_elements(partial(slope, value), inputs))
        elif np.ndim(value) > 1 or np.ndim(inputs) > 1:
            raise EvaluationError("a derivative with more than two axes")
        else:
            rows = [map_elements(partial(slope, each), inputs) for each in value]
            jacobian = values.array_of(rows)
        return self._in_inputs(jacobian, name)

    def _in_inputs(self, value: Value, name: str) -> Value:
        """Replace the symbols of a fixed name by its definition."""
        if self.is_input(name):
            return value
        pairs: list[tuple[Value, Value]] = []
        for symbol, inner in zip(
            np.ravel(self.input(name)), np.ravel(self.expand(name))
        ):
            parts = values.real_part(inner), values.imaginary_part(inner)
            pairs += zip(values.real_symbols(symbol), parts)
        return map_elements(
            lambda e: sympy.sympify(e).subs(pairs, simultaneous=True), value
        )


def _differential(value: Value) -> Value:
    def differential(expression: Value) -> Value:
        terms = (
            sympy.diff(expression, symbol) * values.differential_symbol(symbol)
            for symbol in values.input_symbols(expression)
        )
        return sum(terms, sympy.Integer(0))

    return map_elements(differential, value)


def _assembled(inputs: Value, of_part: Callable[[sympy.Symbol], Value]) -> Value:
    """Return a gradient from derivatives by real and imaginary parts."""

    def gradient(symbol: Value) -> Value:
        real, *imaginary = map(of_part, values.real_symbols(symbol))
        return real + sympy.I * imaginary[0] if imaginary else real

    return map_elements(gradient, inputs)


def _wirtinger(value: Value, symbol: Value, is_conjugated: bool) -> Value:
    """Return the derivative by a complex symbol, or by its conjugate."""
    real, imaginary = (sympy.diff(value, part) for part in values.real_symbols(symbol))
    return (real + (sympy.I if is_conjugated else -sympy.I) * imaginary) / 2


def _of_loss(gradient: Value, is_complex: bool, is_conjugated: bool) -> Value:
    """Return the derivative of the loss, which is real, from its gradient."""
    if not is_complex:
        return gradient
    return (
        gradient / 2 if is_conjugated else map_elements(sympy.conjugate, gradient / 2)
    )


def _transposed(value: Value) -> Value:
    return np.transpose(value) if np.shape(value) else value
