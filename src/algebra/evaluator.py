"""The evaluator of formulas, with the checks of their roles."""

from dataclasses import replace

import numpy as np
import sympy

from . import nodes, points
from .arithmetic import FIRST, Bindings
from .derivatives import DerivativeEvaluator
from .errors import EvaluationError, Refusal
from .nodes import Node, Symbol
from .scope import name_of, plain
from .tree import bare, is_upstream, symbols, walk
from .values import Value


class Evaluator(DerivativeEvaluator):
    """Evaluates formulas in one scope."""

    def of_role(self, node: nodes.Role, env: Bindings) -> Value:
        """Return the value of a marked expression.

        Upstream is the gradient of an output, downstream that of an input, and a local
        factor contains no gradient.
        """
        role, inner = node.role, node.inner
        value = self.value(inner, env)
        names = {
            symbol.name
            for each in np.ravel(value)
            for symbol in getattr(each, "free_symbols", ())
        }
        has_upstream = any(name.startswith("bar ") for name in names)
        if any(name.startswith("d ") for name in names):
            raise EvaluationError(f"a differential marked as {role}")
        if role == "local":
            if has_upstream or any(map(_is_of_loss, walk(inner))):
                raise EvaluationError("a gradient marked as local")
            return value
        self._check_bars(node, env)
        if not names or self._is_gradient(_gradient_in(inner), role):
            return value
        if role == "upstream" and not has_upstream and self._may_arrive(value, names):
            return value
        raise EvaluationError(f"marked as {role}, and no gradient")

    def _check_bars(self, node: nodes.Role, env: Bindings) -> None:
        role, outputs = node.role, self.scope.outputs
        letters = {**FIRST, **env.letters}
        for bar in walk(node.inner):
            if not isinstance(bar, nodes.Bar):
                continue
            name = self.resolve(bar.symbol, letters)[0]
            if outputs and (role == "upstream") != (name in outputs):
                kind = "an output" if role == "downstream" else "no output"
                raise EvaluationError(
                    f"{plain(name)} is {kind}, and its gradient is marked as {role}"
                )

    def _is_gradient(self, node: Node, role: str) -> bool:
        if isinstance(node, nodes.Matrix):
            return all(
                self._is_gradient(cell, role) for row in node.rows for cell in row
            )
        if _is_of_loss(node):
            return True
        if not isinstance(node, nodes.Derivative):
            return False
        function, variable = bare(node.function), bare(node.variable)
        if not isinstance(function, Symbol) or not isinstance(variable, Symbol):
            return False
        # If the page has no loss, the last output stands for it: dy/du is the upstream
        # gradient of the step that computed u.
        above, below = (name_of(s, self.scope)[0] for s in (function, variable))
        maps = self.scope.maps
        families = {name.rpartition("_")[0] for name in maps}  # of x_0, x_1, …
        return above in self.scope.outputs and (
            role == "downstream" or below in families or below in maps
        )

    def _may_arrive(self, value: Value, names: set[str]) -> bool:
        """Return whether a value may be an upstream gradient.

        It may if it is the gradient of something that is computed, or if no map has its
        symbols.
        """
        maps = self.scope.maps
        inputs = {
            name_of(symbol, self.scope)[0]
            for definition in maps.values()
            for symbol in symbols(definition.node, is_upstream)
        }
        if not {name.partition("[")[0] for name in names} & inputs:
            return True
        if "L" not in maps:
            return False
        true = Evaluator(replace(self.scope, loss_differential=None))
        gradients = [np.ravel(true.gradient(name)) for name in maps if name != "L"]
        return any(
            all(any(_are_equal(each, g) for g in gradient) for each in np.ravel(value))
            for gradient in gradients
        )


def _is_of_loss(node: Node) -> bool:
    if isinstance(node, nodes.Bar):
        return True
    if isinstance(node, nodes.Derivative):
        node = bare(node.function)
    return isinstance(node, Symbol) and node.name == "L"


def _gradient_in(node: Node) -> Node:
    """Return a node without the conjugates, transposes and parentheses around it."""
    if isinstance(node, nodes.Role | nodes.Group | nodes.Transpose):
        return _gradient_in(node.inner)
    if isinstance(node, nodes.Call) and node.name == "conj":
        return _gradient_in(node.arguments[0])
    return node


def _are_equal(a: Value, b: Value) -> bool:
    try:
        points.verify("=", ((sympy.sympify(a), sympy.sympify(b)),))
    except Refusal:
        return False
    return True
