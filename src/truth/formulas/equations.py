"""The maps and gradients that a page states, evaluated at numbers.

    for equation in equations(page):
        equation.name       # "y" of a map, "bar x" of a gradient of the loss
        equation.symbols    # names of what its formula shows: {"x", "bar y"}
        equation.evaluate({"x": x, "bar y": upstream})[equation.element]

Names are LaTeX's without backslashes (``lambda``, ``tilde y``, ``x_0``); a gradient
has "bar " before. A letter in ``\\R^n`` takes the size of the given arrays. If an array
has more axes than the page states, because the page derives the formula for one number
or one row, the formula is evaluated for each entry of its leading axes.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
import sympy

from algebra import nodes
from algebra.arithmetic import ANYWHERE, Bindings
from algebra.errors import EvaluationError
from algebra.evaluator import Evaluator
from algebra.nodes import Index, Node, Symbol
from algebra.scope import SIZES, MapDefinition, Scope, name_of, plain
from algebra.tokens import FUNCTION_LETTERS
from algebra.tree import bare, form, is_numeric, symbols, walk
from algebra.values import Value, map_elements, real_symbols

from ..page import Page
from .checked_formula import is_unchecked
from .section import Section, sections

_DIGITS = 50
"""More than a float has, because formulas cancel more than stable programs do."""
_SYMBOLIC = nodes.Differential | nodes.Derivative | nodes.PrimedCall | nodes.Integral
"""Nodes that are evaluated in symbols before numbers replace these."""


@dataclass(frozen=True)
class Equation:
    """A formula for a map, or for the gradient of an input."""

    name: str
    tex: str
    line: int
    section: "EquationSection" = field(repr=False, compare=False)
    indices: tuple[Index, ...] = ()
    sides: tuple[Node, ...] = ()
    """Expressions for its value, which are equal."""
    start: int = 0
    """Offset of the whole formula on the page."""
    is_unchecked: bool = field(default=False, compare=False)
    """True if the page states that no program computes it."""

    @property
    def is_gradient(self) -> bool:
        return self.name.startswith("bar ")

    @property
    def content(self) -> tuple:
        """A value that is equal for two formulas that state the same."""
        return self.name, self.indices, *map(form, self.sides)

    @cached_property
    def alternatives(self) -> list[frozenset[str]]:
        """The names in each of its right sides; maps may define some of them."""
        letters = {index.letter for index in self.indices}
        return [frozenset(self.section.names(side)) - letters for side in self.sides]

    @property
    def symbols(self) -> frozenset[str]:
        """The names in its first right side."""
        return self.alternatives[0]

    @property
    def element(self) -> tuple[int | slice, ...]:
        """The indices of the part of an array that it states, or () for all of it."""
        if all(index.letter for index in self.indices):
            return ()
        return tuple(
            slice(None) if letter else number - 1 for letter, number in self.indices
        )

    def evaluate(
        self, values: Mapping[str, Any], shape: tuple[int, ...] | None = None
    ) -> np.ndarray:
        """Return the value of the formula.

        Args:
            values: numbers or arrays by their names.
            shape: of the result, if it isn't the one that the page states.

        Raises:
            EvaluationError: a value is missing, or the shapes don't fit.
        """
        arrays = {name: np.asarray(value) for name, value in values.items()}
        outer, inner = {}, {}
        for name, array in arrays.items():
            rank = len(self.section.shape(name.removeprefix("bar ")))
            start = max(array.ndim - rank, 0)
            outer[name], inner[name] = array.shape[:start], array.shape[start:]
        leading = np.broadcast_shapes(*outer.values())
        results = []
        for place in np.ndindex(leading):
            entries = {
                name: np.broadcast_to(array, (*leading, *inner[name]))[place]
                for name, array in arrays.items()
            }
            results.append(self._entry(entries, shape))
        return np.array(results).reshape((*leading, *np.shape(results[0])))

    def _entry(
        self, values: dict[str, np.ndarray], shape: tuple[int, ...] | None
    ) -> np.ndarray:
        """Return the value of the first right side that has one."""
        errors = []
        for side in self.sides:
            try:
                return self.section.evaluate(self, side, values, shape)
            except EvaluationError as error:
                errors.append(error)
        raise errors[0] if errors else EvaluationError(f"{self.name} has no formula")


def equations(page: Page) -> list[Equation]:
    """Return the maps and the gradients of inputs that a page states."""
    result: list[Equation] = []
    for number, section in enumerate(sections(page, Scope())):
        reader = EquationSection(page, number, section.scope)
        reader.equations = list(_section_equations(page, section, reader))
        result += reader.equations
    return result


def _section_equations(
    page: Page, section: Section, reader: "EquationSection"
) -> Iterator[Equation]:
    sizes = {size for space in section.scope.spaces.values() for size in space}
    for formula in section.formulas:
        for number, statement in enumerate(formula.statements):
            if not set(statement.relations) <= {"="}:
                continue
            premise = formula.premises.get(number) or ""
            for side in statement.sides:
                is_map = side is statement.sides[0] and premise in section.scope.maps
                symbol = bare(side) if is_map else _input(side)
                rest = tuple(other for other in statement.sides if other != side)
                if not isinstance(symbol, Symbol) or not rest or is_numeric(rest[0]):
                    continue
                name, indices = name_of(symbol, section.scope)
                if name not in sizes:  # a number of elements is no map
                    yield Equation(
                        ("" if is_map else "bar ") + plain(name),
                        formula.source.label,
                        page.line(formula.place(statement)),
                        reader,
                        indices,
                        rest,
                        formula.source.start,
                        is_unchecked(page, formula),
                    )


def _input(side: Node) -> Node | None:
    """Return the symbol whose gradient is marked as downstream."""
    if not isinstance(side, nodes.Role) or side.role != "downstream":
        return None
    gradient = bare(side)
    if isinstance(gradient, nodes.Bar):
        return gradient.symbol
    return gradient.variable if _is_of_loss(gradient) else None


def _is_of_loss(node: Node) -> TypeGuard[nodes.Derivative]:
    return (
        isinstance(node, nodes.Derivative)
        and isinstance(node.function, Symbol)
        and node.function.name == "L"
    )


class EquationSection:
    """The scope of the equations of one section, for arrays of any sizes.

    Args:
        page: the page.
        number: of the section on the page.
        scope: of the section, for arrays of the usual sizes.
    """

    def __init__(self, page: Page, number: int, scope: Scope) -> None:
        self._page = page
        self._number = number
        self._scope = scope
        self._scopes: dict[tuple, Scope] = {}
        self.equations: list[Equation] = []

    @cached_property
    def inputs(self) -> set[str]:
        """Names that the section uses and does not define."""
        return set(map(plain, self._scope.names - self._scope.maps.keys()))

    def names(self, node: Node) -> Iterator[str]:
        """Return the names of all symbols and gradients in an expression."""
        bars = {id(part.symbol) for part in walk(node) if isinstance(part, nodes.Bar)}
        losses = set()
        for part in walk(node):
            if _is_of_loss(part) and "L" not in self._scope.maps:
                bars.add(id(part.variable))
                losses.add(id(part.function))
        letters = {index.letter for symbol in symbols(node) for index in symbol.indices}
        for symbol in symbols(node):
            name = plain(name_of(symbol, self._scope)[0])
            if name not in letters and id(symbol) not in losses:
                yield ("bar " if id(symbol) in bars else "") + name

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape that the page states for a name, or ()."""
        return _shape(self._scope, name)

    def evaluate(
        self,
        equation: Equation,
        side: Node,
        values: dict[str, np.ndarray],
        shape: tuple[int, ...] | None,
    ) -> np.ndarray:
        """Return the value of one right side of an equation; see its ``evaluate``."""
        name = equation.name.removeprefix("bar ")
        shapes: dict[str, tuple[int, ...]] = {} if shape is None else {name: shape}
        for key, array in values.items():
            base = key.removeprefix("bar ")
            if shapes.setdefault(base, array.shape) != array.shape:
                raise EvaluationError(f"{base} and its gradient differ in shape")
        scope = self._scope_for(shapes)
        evaluator = NumericEvaluator(scope, values, self.equations)
        definition = MapDefinition(equation.indices, side, 0)
        return _floats(evaluator.defined(definition, _shape(scope, name)))

    def _scope_for(self, shapes: dict[str, tuple[int, ...]]) -> Scope:
        """Return the scope of the section if the page is read for some shapes."""
        key = tuple(sorted(shapes.items()))
        if key not in self._scopes:
            letters: dict[str, int] = {}
            for name, space in self._scope.spaces.items():
                for letter, size in zip(space, shapes.get(plain(name), ())):
                    if (
                        not letter.isdigit()
                        and letters.setdefault(letter, size) != size
                    ):
                        reason = f"{letter} is {letters[letter]} and {size}"
                        raise EvaluationError(reason)
            names = {*self._scope.shapes, *self._scope.names}
            fixed = {n: shapes[plain(n)] for n in names if plain(n) in shapes}
            scope = Scope(dimensions={**SIZES, **letters}, fixed_shapes=fixed)
            read = itertools.islice(sections(self._page, scope), self._number, None)
            self._scopes[key] = next(read).scope
        return self._scopes[key]


def _shape(scope: Scope, name: str) -> tuple[int, ...]:
    shapes = (shape for each, shape in scope.shapes.items() if plain(each) == name)
    return next(shapes, ())


class NumericEvaluator(Evaluator):
    """Evaluates formulas at numbers, which it has by the plain names of symbols.

    The equations of the section give gradients that have no number.
    """

    def __init__(
        self, scope: Scope, values: Mapping[str, np.ndarray], equations: list[Equation]
    ) -> None:
        super().__init__(scope)
        self._values = values
        self._equations = {each.name: each for each in equations if not each.element}

    def value(self, node: Node, env: Bindings = ANYWHERE) -> Value:
        if isinstance(node, _SYMBOLIC) or (
            isinstance(node, nodes.Call) and node.name in FUNCTION_LETTERS
        ):
            value = Evaluator(self.scope).value(node, Bindings(env.letters))
            return self._substituted(value)
        return super().value(node, env)

    def of_quotient(self, node: nodes.Quotient, env: Bindings) -> Value:
        below = self.value(node.below, env)
        if not np.shape(below) and below.is_zero:
            return sympy.nan  # there is no value at this point
        return super().of_quotient(node, env)

    def defined(
        self,
        definition: MapDefinition,
        shape: tuple[int, ...],
        fixed: frozenset[str] = frozenset(),
    ) -> Value:
        value = super().defined(definition, shape, fixed)
        # A program has a column or a row of the formula as a vector.
        if not definition.indices and np.shape(value) in ((*shape, 1), (1, *shape)):
            return np.reshape(value, shape)
        return value

    def expand(self, name: str, fixed: frozenset[str] = frozenset()) -> Value:
        if plain(name) in self._values:
            return self._given(plain(name))
        if name not in self.scope.maps:
            raise EvaluationError(f"no value of {plain(name)}")
        definition = self.scope.maps[name]
        shape = self.scope.shapes.get(name, ())
        return self.memoized((name, "number"), lambda: self.defined(definition, shape))

    def _given(self, name: str) -> Value:
        return self.memoized((name, "given"), lambda: _exact(self._values[name]))

    def upstream(self, name: str) -> Value:
        return self.gradient(name)

    def gradient(self, name: str) -> Value:
        gradient = f"bar {plain(name)}"
        if gradient in self._values:
            return self._given(gradient)
        if name in self.scope.outputs and "L" not in self.scope.maps:
            raise EvaluationError(f"no value of {gradient}")
        equation = self._equations.get(gradient)
        if equation is None:
            return self._substituted(Evaluator(self.scope).gradient(name))
        definition = MapDefinition(equation.indices, equation.sides[0], 0)
        shape = self.scope.shapes.get(name, ())
        return self.memoized((name, "rule"), lambda: self.defined(definition, shape))

    def _substituted(self, value: Value) -> Value:
        """Replace the symbols of inputs and upstream gradients by their numbers."""
        evaluator = Evaluator(self.scope)
        pairs: dict[Value, Value] = {}
        for name in {*self.scope.names, *self.scope.maps, *self.scope.shapes}:
            for prefix in ("", "bar "):
                if (key := prefix + plain(name)) in self._values:
                    inputs = np.ravel(evaluator.input(name, prefix))
                    for symbol, number in zip(inputs, np.ravel(self._given(key))):
                        pairs.update(zip(real_symbols(symbol), number.as_real_imag()))
        return map_elements(lambda x: sympy.sympify(x).subs(pairs), value)


def _exact(array: np.ndarray) -> Value:
    def exact(number: Any) -> Value:
        real = sympy.Float(float(number.real), _DIGITS)
        if not np.iscomplexobj(number):
            return real
        return real + sympy.I * sympy.Float(float(number.imag), _DIGITS)

    return map_elements(exact, array if array.shape else array[()])


def _floats(value: Value) -> np.ndarray:
    def number(expression: Any) -> complex:
        expression = sympy.sympify(expression)
        if names := sorted(plain(symbol.name) for symbol in expression.free_symbols):
            raise EvaluationError(f"no value of {names[0]}")
        if not isinstance(expression, sympy.Expr):
            raise EvaluationError("a part of it is no number")
        return complex("nan") if expression is sympy.zoo else complex(expression)

    array = np.array(map_elements(number, value), complex)
    return array if array.imag.any() else array.real
