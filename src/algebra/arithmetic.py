"""Values of expressions without derivatives.

A symbol is an input, or a premise defines it. Inputs are SymPy symbols, one for each
element of an array, and arrays have a few elements.
"""

import itertools
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import sympy

from . import functions, nodes, points, values
from .errors import EvaluationError, Refusal, Refuted
from .nodes import Node, Statement, Symbol
from .scope import MapDefinition, Scope, index_ranges, name_of, plain
from .tokens import FUNCTION_LETTERS
from .tree import is_upstream, walk
from .values import Value

_LARGEST_EXPONENT = 4096
_LARGEST_LIMIT = 100
"""The last index of a sum, at most."""
_CONSTANTS = {"e": sympy.E, "pi": sympy.pi, "i": sympy.I, "infty": sympy.oo}
_ANY_FUNCTION = {
    "f": lambda x: sympy.exp(x / 3) + sympy.sin(2 * x + 1),
    "g": lambda x: sympy.exp(-x / 5) + sympy.cos(3 * x + 2),
}
"""Examples that stand for functions of which the page states nothing."""


@dataclass(frozen=True)
class Bindings:
    """The environment in which an expression is evaluated."""

    letters: dict[str, int] = field(default_factory=dict)
    """Numbers of index letters."""
    fixed: frozenset[str] = frozenset()
    """Names that are not written in inputs, so that derivatives by them exist."""


ANYWHERE = Bindings()
FIRST = dict.fromkeys(string.ascii_lowercase, 1)
"""The index letters of a first element."""


class ArithmeticEvaluator:
    """Evaluates expressions in one scope, with a method for each class of nodes.

    Its methods raise EvaluationError for an expression without a value.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.used: set[int] = set()
        """Places of the premises that values depend on."""
        self._memo: dict[tuple, tuple[Value, set[int]]] = {}
        self._pending: set[tuple] = set()

    def input(self, name: str, prefix: str = "") -> Value:
        """Return the array of symbols for an input; ``prefix`` begins their names."""
        shape = self.scope.shapes.get(name, ())
        real = values.symbol_array(prefix + name, shape)
        if name not in self.scope.complex:
            return real
        imaginary = values.symbol_array(f"{prefix}{name} imaginary", shape)
        return real + sympy.I * imaginary

    def is_input(self, name: str) -> bool:
        """Return whether a name is an input, or is treated as one."""
        definition = self.scope.maps.get(name)
        return definition is None or any(
            isinstance(node, nodes.Call) and node.name in functions.STEPS
            for node in walk(definition.node)
        )

    def expand(self, name: str, fixed: frozenset[str] = frozenset()) -> Value:
        """Return the value of a symbol in terms of inputs and of ``fixed`` names."""
        definition = self.scope.maps.get(name)
        if definition:
            self.used.add(definition.place)
        if name in fixed or self.is_input(name):
            self.require(name)
            return self.input(name)
        return self.memoized((name, fixed), lambda: self._definition_value(name, fixed))

    def require(self, name: str) -> None:
        """Raise EvaluationError if nothing has this name."""
        if name not in self.scope.names and name not in self.scope.maps:
            instead = r"; write \d for a differential" if name == "d" else ""
            raise EvaluationError(f"unknown symbol {plain(name)}{instead}")

    def memoized(self, key: tuple, compute: Callable[[], Value]) -> Value:
        """Return a value that is computed once, and add the premises that it used.

        The first item of ``key`` is a name, for the error on a value that needs itself.
        """
        if key in self._pending:
            raise EvaluationError(f"{plain(key[0])} is defined by itself")
        if key not in self._memo:
            outer, self.used = self.used, set()
            self._pending.add(key)
            try:
                self._memo[key] = compute(), self.used
            finally:
                self._pending.remove(key)
                self.used = outer
        value, used = self._memo[key]
        self.used |= used
        return value

    def _definition_value(self, name: str, fixed: frozenset[str]) -> Value:
        definition = self.scope.maps[name]
        shape = self.scope.shapes.get(name, ())
        value = self.defined(definition, shape, fixed)
        if shape and np.shape(value) == (*shape, 1):
            value = value[..., 0]  # a vector, written as a column
        if np.shape(value) != shape:
            raise EvaluationError(
                f"{plain(name)} has shape {list(shape)}, what defines"
                f" it {list(np.shape(value))}",
                definition.node.position,
            )
        if name not in self.scope.complex:
            _require_real(name, value, definition.node.position)
        return value

    def defined(
        self,
        definition: MapDefinition,
        shape: tuple[int, ...],
        fixed: frozenset[str] = frozenset(),
    ) -> Value:
        """Return the array of a shape that a definition gives.

        An index that is a number has no axis in the result.
        """
        indices = definition.indices
        if not indices:
            return self.value(definition.node, Bindings({}, fixed))
        axes = [
            range(1 - offset, size + 1 - offset) if letter else range(1)
            for (letter, offset), size in zip(indices, shape)
        ]
        array = np.empty([len(axis) for axis in axes], dtype=object)
        for place in np.ndindex(array.shape):
            numbers = zip(indices, axes, place)
            letters = {i.letter: axis[n] for i, axis, n in numbers if i.letter}
            array[place] = self.value(definition.node, Bindings(letters, fixed))
        sizes = [size for i, size in zip(indices, array.shape) if i.letter]
        return array.reshape(sizes)[()]

    def resolve(
        self, symbol: Symbol, letters: dict[str, int]
    ) -> tuple[str, tuple[int, ...]]:
        """Return a symbol's name and the numbers of its indices."""
        name, indices = name_of(symbol, self.scope)
        numbers = []
        for letter, offset in indices:
            if letter and letter not in letters:
                raise EvaluationError(f"index {letter} is not bound", symbol.position)
            numbers.append(letters.get(letter, 0) + offset)
        if indices and not self.scope.shapes.get(name):
            return name + "_" + ",".join(map(str, numbers)), ()
        return name, tuple(numbers)

    def value(self, node: Node, env: Bindings = ANYWHERE) -> Value:
        """Return the value of an expression."""
        try:
            return getattr(self, f"of_{type(node).__name__.lower()}")(node, env)
        except Refusal as error:
            error.position = error.position or node.position
            raise
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # SymPy and NumPy raise these for expressions without a meaning.
            raise EvaluationError(f"makes no sense: {error}", node.position) from error

    def of_number(self, node: nodes.Number, env: Bindings) -> Value:
        return sympy.Rational(node.value.numerator, node.value.denominator)

    def of_constant(self, node: nodes.Constant, env: Bindings) -> Value:
        return _CONSTANTS[node.name]

    def of_symbol(self, node: Symbol, env: Bindings) -> Value:
        name, indices = self.resolve(node, env.letters)
        if name in env.letters:
            return sympy.Integer(env.letters[name])
        scope = self.scope
        if name in scope.sizes and name not in {**scope.shapes, **scope.maps}:
            return sympy.Integer(scope.sizes[name])
        array = self.expand(name, env.fixed)
        return values.element(array, indices)

    def of_group(self, node: nodes.Group, env: Bindings) -> Value:
        return self.value(node.inner, env)

    def of_sum(self, node: nodes.Sum, env: Bindings) -> Value:
        terms = [sign * self.value(term, env) for sign, term in node.terms]
        shapes: dict[tuple[int, ...], Node] = {}
        for value, (_, term) in zip(terms, node.terms):
            if not isinstance(term, nodes.Number):
                shapes.setdefault(np.shape(value), term)
        if len(shapes) > 1:
            (first, _), (second, term), *_ = shapes.items()
            reason = f"a sum of shapes {list(first)} and {list(second)}"
            raise EvaluationError(reason, term.position)
        return sum(terms)

    def of_product(self, node: nodes.Product, env: Bindings) -> Value:
        factors = node.factors
        if sum(map(is_upstream, factors)) > 1:
            raise EvaluationError("two upstream gradients in one product")
        factor_values = [self.value(factor, env) for factor in factors]
        product, is_row = factor_values[0], False
        for before, factor, value in zip(factors, factors[1:], factor_values[1:]):
            # An upstream gradient is a row; any other vector is a column.
            is_row |= is_upstream(before) or any(
                isinstance(part, nodes.Bar) for part in walk(before)
            )
            is_column = np.ndim(product) == 1 and not is_row
            if is_column and (np.ndim(value) == 1 or np.shape(value)[:-1] > (1,)):
                reason = "a column before an array: transpose it"
                raise EvaluationError(reason, factor.position)
            product = values.multiply(product, value, factor.position)
        return product

    def of_elementwise(self, node: nodes.Elementwise, env: Bindings) -> Value:
        if is_upstream(node.left) and is_upstream(node.right):
            raise EvaluationError("two upstream gradients in one product")
        left, right = self.value(node.left, env), self.value(node.right, env)
        if np.shape(left) != np.shape(right) or not np.shape(left):
            raise EvaluationError(r"\odot needs two arrays of one shape")
        return left * right

    def of_quotient(self, node: nodes.Quotient, env: Bindings) -> Value:
        above, below = self.value(node.above, env), self.value(node.below, env)
        if np.shape(below):
            raise EvaluationError("division by an array")
        if below == 0:
            raise EvaluationError("division by 0")
        return above / below

    def of_power(self, node: nodes.Power, env: Bindings) -> Value:
        base = self.value(node.base, env)
        exponent = self.value(node.exponent, env)
        if np.shape(exponent):
            raise EvaluationError("an array as an exponent")
        if shape := np.shape(base):
            if len(shape) != 2 or shape[0] != shape[1] or not exponent.is_Integer:
                raise EvaluationError("a power of an array that is no square matrix")
            return values.matrix_power(base, int(exponent))
        is_too_large = exponent.is_number and not abs(exponent) <= _LARGEST_EXPONENT
        if is_too_large or _height(exponent) > 2:
            raise EvaluationError("too large an exponent")
        if base == 0 and exponent.is_negative:
            raise EvaluationError("division by 0")
        return base**exponent

    def of_transpose(self, node: nodes.Transpose, env: Bindings) -> Value:
        value = self.value(node.inner, env)
        if np.ndim(value) == 1:
            return value.reshape(1, -1)
        return np.transpose(value) if np.shape(value) else value

    def of_abs(self, node: nodes.Abs, env: Bindings) -> Value:
        value = self.value(node.inner, env)
        if values.is_plainly_real(value):
            return sympy.Abs(value)
        return sympy.sqrt(values.squared_modulus(value))

    def of_norm(self, node: nodes.Norm, env: Bindings) -> Value:
        elements = np.ravel(self.value(node.inner, env))
        return sympy.sqrt(sum(map(values.squared_modulus, elements)))

    def of_innerproduct(self, node: nodes.InnerProduct, env: Bindings) -> Value:
        left, right = self.value(node.left, env), self.value(node.right, env)
        if np.shape(left) != np.shape(right):
            raise EvaluationError("a pairing of two shapes")
        conjugates = np.ravel(values.map_elements(sympy.conjugate, left))
        return sum(conjugates * np.ravel(right))

    def of_matrix(self, node: nodes.Matrix, env: Bindings) -> Value:
        rows = [[self.value(cell, env) for cell in row] for row in node.rows]
        if node.name == "tuple":
            return values.array_of([cell for (cell,) in rows])
        return values.array_of(rows)

    def of_cases(self, node: nodes.Cases, env: Bindings) -> Value:
        pieces = [
            (
                self.value(value, env),
                True if condition is None else self.condition(condition, env),
            )
            for value, condition in node.pieces
        ]
        conditions = [condition for _, condition in pieces if condition is not True]
        pairs = itertools.combinations(conditions, 2)
        overlap = sympy.Or(*(sympy.And(*pair) for pair in pairs))
        if pieces[-1][1] is not True:
            pieces.append((sympy.nan, True))
        return sympy.Piecewise((sympy.nan, overlap), *pieces)

    def of_bracket(self, node: nodes.Bracket, env: Bindings) -> Value:
        condition = self.condition(node.condition, env)
        return sympy.Piecewise((1, condition), (0, True))

    def condition(self, statement: Statement, env: Bindings = ANYWHERE) -> Value:
        """Return a chain of relations between numbers as one SymPy condition."""
        sides = [self.value(side, env) for side in statement.sides]
        kinds = {"=": sympy.Eq, **points.ORDERS}
        if not set(statement.relations) <= kinds.keys() or any(map(np.shape, sides)):
            raise EvaluationError("not a condition", statement.position)
        relations = zip(statement.relations, sides, sides[1:])
        return sympy.And(*(kinds[relation](a, b) for relation, a, b in relations))

    def of_indexedsum(self, node: nodes.IndexedSum, env: Bindings) -> Value:
        bodies = list(self._bodies(node, env))
        return sum(bodies, start=bodies[0] * 0) if bodies else sympy.Integer(0)

    def _bodies(self, node: nodes.IndexedSum, env: Bindings) -> Iterator[Value]:
        """Return the values of a body for all numbers of its index letters."""
        ranges = self._ranges(node, env)
        for numbers in itertools.product(*ranges):
            letters = {**env.letters, **dict(zip(node.letters, numbers))}
            yield self.value(node.body, replace(env, letters=letters))

    def _ranges(self, node: nodes.IndexedSum, env: Bindings) -> list[range]:
        if node.limits:
            low, high = (self._limit(limit, env) for limit in node.limits)
            return [range(low, high + 1)]
        sizes = index_ranges(node.body, self.scope)
        for letter in node.letters:
            if letter not in sizes:
                raise EvaluationError(
                    f"nothing that is summed has the index {letter}", node.body.position
                )
        return [range(1, sizes[letter] + 1) for letter in node.letters]

    def _limit(self, node: Node, env: Bindings) -> int:
        dimensions = {
            letter: self.scope.dimensions.get(letter, 0)
            for letters in self.scope.spaces.values()
            for letter in letters
        }
        scope = replace(self.scope, sizes={**dimensions, **self.scope.sizes})
        value = ArithmeticEvaluator(scope).value(node, env)
        if not getattr(value, "is_Integer", False) or abs(value) > _LARGEST_LIMIT:
            raise EvaluationError("a sum needs numbers or sizes as limits")
        return int(value)

    def of_integral(self, node: nodes.Integral, env: Bindings) -> Value:
        inner = self._with_parameter(node.variable.name)
        body = inner.value(node.body, env)
        self.used |= inner.used
        ends = self.value(node.low, env), self.value(node.high, env)
        return sympy.Integral(body, (inner.input(node.variable.name), *ends))

    def of_call(self, node: nodes.Call, env: Bindings) -> Value:
        return self._call(node, 0, env)

    def of_primedcall(self, node: nodes.PrimedCall, env: Bindings) -> Value:
        return self._call(node.call, node.order, env)

    def _call(self, node: nodes.Call, order: int, env: Bindings) -> Value:
        arguments = [self.value(argument, env) for argument in node.arguments]
        if node.name not in FUNCTION_LETTERS and not order:
            return functions.apply(node.name, arguments)
        if len(arguments) != 1:
            raise EvaluationError(f"{node.name} takes one number")
        parameter, body = self._function(node.name)
        slope = sympy.diff(body, parameter, order)
        return values.map_elements(lambda x: slope.subs(parameter, x), arguments[0])

    def _function(self, name: str) -> tuple[sympy.Symbol, Value]:
        """Return the parameter and the body of a function of one number."""
        free = sympy.Dummy(real=True)
        if name not in FUNCTION_LETTERS:
            return free, functions.apply(name, [free])
        if name not in self.scope.functions:
            return free, _ANY_FUNCTION[name](free)
        parameter, node, place = self.scope.functions[name]
        inner = self._with_parameter(parameter)
        body = inner.value(node)
        self.used |= {place} | inner.used
        return inner.input(parameter), body

    def _with_parameter(self, name: str) -> Self:
        """Return an evaluator in which a name is a number without a definition."""
        shapes, maps = dict(self.scope.shapes), dict(self.scope.maps)
        shapes.pop(name, None)
        maps.pop(name, None)
        names = self.scope.names | {name}
        return type(self)(replace(self.scope, names=names, shapes=shapes, maps=maps))


def _require_real(name: str, value: Value, position: int) -> None:
    """Raise EvaluationError if a value is complex."""
    for number in np.ravel(value):
        if not values.is_plainly_real(number):
            try:
                points.verify("=", ((number, sympy.conjugate(number)),))
            except Refuted:
                raise EvaluationError(
                    rf"{plain(name)} is complex, but not in \C", position
                ) from None


def _height(exponent: Value) -> int:
    """Return how many powers stand on each other above a base."""
    powers = [p for p in exponent.atoms(sympy.Pow, sympy.exp) if p.exp.free_symbols]
    return 1 + max((_height(power.exp) for power in powers), default=0)
