"""The evaluator of formulas, with the checks of their roles."""

import numpy as np

from . import nodes
from .arithmetic import FIRST, Bindings
from .derivatives import DerivativeEvaluator
from .errors import EvaluationError
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
        if not names or _is_gradient(inner):
            return value
        if role == "upstream" and not has_upstream and self._has_no_map(names):
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

    def _has_no_map(self, names: set[str]) -> bool:
        """Return whether no map but the loss has some symbols.

        An upstream gradient may be such a symbol, or an expression in them.
        """
        inputs = {
            name_of(symbol, self.scope)[0]
            for name, definition in self.scope.maps.items()
            if name != "L"
            for symbol in symbols(definition.node, is_upstream)
        }
        return not {name.partition("[")[0] for name in names} & inputs


def _is_gradient(node: Node) -> bool:
    """Return whether a node is a gradient, or an array of them."""
    if isinstance(node, nodes.Role | nodes.Group | nodes.Transpose):
        return _is_gradient(node.inner)
    if isinstance(node, nodes.Call) and node.name == "conj":
        return _is_gradient(node.arguments[0])
    if isinstance(node, nodes.Matrix):
        return all(_is_gradient(cell) for row in node.rows for cell in row)
    return isinstance(node, nodes.Derivative) or _is_of_loss(node)


def _is_of_loss(node: Node) -> bool:
    if isinstance(node, nodes.Bar):
        return True
    if isinstance(node, nodes.Derivative):
        node = bare(node.function)
    return isinstance(node, Symbol) and node.name == "L"
