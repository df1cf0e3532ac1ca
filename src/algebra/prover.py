"""Proofs of relations between expressions."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import sympy

from . import points
from .arithmetic import Bindings
from .errors import EvaluationError, Refusal, ShapeMismatch, WrongNumber
from .evaluator import Evaluator
from .nodes import Node, Number, Power, Product, Role, Statement, Sum, Symbol
from .scope import Scope, index_ranges, names_in
from .tree import bare, free_indices, is_numeric, walk
from .values import Value, real_symbols

_NUMBERS = range(10)
"""The numbers i for which a formula is compared if x_0, x_1, … are symbols."""
Values = dict[sympy.Symbol, sympy.Expr]


class Prover:
    """Proves relations in one scope.

    Args:
        scope: definitions, conditions and values.
        used: places of premises and conditions; proofs add those that they need.
    """

    def __init__(self, scope: Scope, used: set[int]) -> None:
        self.scope = scope
        self._used = used

    def prove(
        self, sides: tuple[Node, ...], relations: tuple[str, ...], place: int
    ) -> int:
        """Prove a chain of relations at a place of the page.

        A case such as ``x = y`` is a definition only of what stands below it.

        Returns:
            The number of points at which the chain was tried, or 0 for a proof.

        Raises:
            Refusal: the chain is false, or cannot be evaluated.
        """
        maps = {
            name: definition
            for name, definition in self.scope.maps.items()
            if not isinstance(definition.node, Symbol) or definition.place <= place
        }
        inner = Prover(replace(self.scope, maps=maps), self._used)
        return inner.prove_anywhere(sides, relations)

    def prove_anywhere(
        self, sides: tuple[Node, ...], relations: tuple[str, ...]
    ) -> int:
        """Prove a chain with all definitions; see ``prove``.

        It must hold for all inputs or, if a side consists of numbers, for the values
        that the text gave to the symbols.
        """
        rounding = max(
            _rounding(side, relation == "≈")
            for side, relation in zip(sides, (*relations[:1], *relations))
        )
        if all(map(is_numeric, sides)):
            return self._compare(sides, relations, rounding)
        try:
            return self._compare(sides, relations)
        except Refusal as error:
            if not self.scope.values or not any(map(is_numeric, sides)):
                raise
            refusal = error
        try:
            cases = self._compare(sides, relations, rounding, self.input_values())
        except WrongNumber:
            raise
        except Refusal:
            raise refusal from None
        self._use_values(sides)
        return cases

    def _use_values(self, sides: tuple[Node, ...]) -> None:
        names = names_in(sides, self.scope)
        names |= set().union(*map(self.inputs_of, names))
        self._used |= {
            place
            for name, (_, place) in self.scope.values.items()
            if name.removeprefix("bar ") in names
        }

    def inputs_of(self, name: str) -> set[str]:
        """Return all names from which maps compute a name."""
        inputs: set[str] = set()
        names = {name}
        while names:
            if definition := self.scope.maps.get(names.pop()):
                inner = names_in(definition.node, self.scope)
                names |= inner - inputs
                inputs |= inner
        return inputs

    def input_values(self) -> Values:
        """Return the values that the text gave to the symbols of inputs."""
        evaluator = Evaluator(self.scope)
        result: Values = {}
        for name, (node, _) in self.scope.values.items():
            value = squeeze(np.array(evaluator.value(node), dtype=object))
            is_gradient, base = name.startswith("bar "), name.removeprefix("bar ")
            inputs = evaluator.upstream(base) if is_gradient else evaluator.input(name)
            if np.shape(inputs) != np.shape(value):
                continue
            for element, number in zip(np.ravel(inputs), np.ravel(value)):
                symbols, parts = real_symbols(element), number.as_real_imag()
                if len(symbols) == 1 and parts[1]:
                    raise EvaluationError(rf"{name} is complex, but not in \C")
                result.update(zip(symbols, parts))
        return result

    def conditions(self, statement: Statement) -> list[sympy.Basic]:
        """Return a condition for each value of its indices, or none of an array."""
        sizes = index_ranges(statement, self.scope)
        letters = sorted(free_indices(statement))
        evaluator = Evaluator(self.scope)
        try:
            ranges = [range(1, sizes[letter] + 1) for letter in letters]
            return [
                evaluator.condition(statement, Bindings(dict(zip(letters, numbers))))
                for numbers in itertools.product(*ranges)
            ]
        except (EvaluationError, KeyError):
            return []

    def _compare(
        self,
        sides: tuple[Node, ...],
        relations: tuple[str, ...],
        rounding: float = 0,
        numbers: Values | None = None,
    ) -> int:
        """Compare the sides for all values of their indices, and return the cases."""
        for side in sides:
            _refuse_roles_of_numbers(side)
        if any(left == right for left, right in zip(sides, sides[1:])):
            raise EvaluationError("both sides are the same", sides[1].position)
        evaluator = Evaluator(self.scope)
        is_compared, cases = False, 0
        for bindings, is_optional in self._contexts(sides):
            try:
                values = [evaluator.value(side, bindings) for side in sides]
            except RecursionError:
                raise EvaluationError("defined by itself", sides[0].position) from None
            except EvaluationError:
                if is_optional:
                    continue
                raise
            is_compared = True
            for relation, left, right, side in zip(
                relations, values, values[1:], sides[1:]
            ):
                pairs = _pairs(left, right, numbers or {}, side.position)
                cases += self._verify(relation, pairs, rounding, side.position)
        if not is_compared:
            raise EvaluationError(
                "no value of its index gives known symbols", sides[0].position
            )
        self._used |= evaluator.used
        return cases

    def _contexts(self, sides: tuple[Node, ...]) -> Iterator[tuple[Bindings, bool]]:
        """Return the numbers of all free indices, and whether some symbols may lack."""
        ranges = index_ranges(sides, self.scope)
        letters = free_indices(sides[0])
        for side in sides:
            if extra := free_indices(side) - letters:
                raise EvaluationError(
                    f"index {min(extra)} is free on one side only", side.position
                )
        # A letter that no array carries numbers symbols: x_0, x_1, …
        is_optional = not letters <= ranges.keys()
        choices = [
            range(1, ranges[letter] + 1) if letter in ranges else _NUMBERS
            for letter in sorted(letters)
        ]
        for numbers in itertools.product(*choices):
            yield Bindings(dict(zip(sorted(letters), numbers))), is_optional

    def _verify(
        self, relation: str, pairs: points.Pairs, rounding: float, position: int
    ) -> int:
        conditions = self._conditions_on(pairs)
        try:
            return points.verify(relation, pairs, conditions, rounding)
        except Refusal as error:
            error.position = position
            raise

    def _conditions_on(self, pairs: points.Pairs) -> tuple[sympy.Basic, ...]:
        """Return the conditions of the section, and note those on these symbols."""
        result: list[sympy.Basic] = []
        symbols = {s for pair in pairs for side in pair for s in side.free_symbols}
        for place, statement in (*self.scope.conditions, *self.scope.inline_conditions):
            conditions = self.conditions(statement)
            if any(condition.free_symbols & symbols for condition in conditions):
                self._used.add(place)
            result += conditions
        return tuple(result)


def _pairs(left: Value, right: Value, numbers: Values, position: int) -> points.Pairs:
    """Return the elements of two sides, with numbers for some symbols."""
    left, right = squeeze(left), squeeze(right)
    if np.shape(left) != np.shape(right):
        raise ShapeMismatch(
            f"shapes {list(np.shape(left))} and {list(np.shape(right))}", position
        )
    pairs = tuple(
        (sympy.sympify(a).subs(numbers), sympy.sympify(b).subs(numbers))
        for a, b in zip(np.ravel(left), np.ravel(right))
    )
    if not all(isinstance(each, sympy.Expr) for pair in pairs for each in pair):
        raise EvaluationError("a part of it is no number", position)
    return pairs


def _refuse_roles_of_numbers(side: Node) -> None:
    """Raise EvaluationError for a gradient that is a number among symbols.

    It would be the gradient of one case only.
    """
    for node in walk(side):
        if (
            isinstance(node, Role)
            and node.role != "local"
            and is_numeric(node)
            and not is_numeric(side)
        ):
            raise EvaluationError(f"a number marked as {node.role}", node.position)


def squeeze(value: Value) -> Value:
    """Return a value without axes of length 1."""
    return np.squeeze(value) if np.shape(value) and 1 in np.shape(value) else value


def _rounding(node: Node, is_approximate: bool) -> float:
    """Return half a unit in the last decimal of a number, and 0 for anything else.

    After ≈, the last digit of an integer that is not 0 counts as its last decimal.
    """
    node = bare(node)
    match node:
        case Sum(_, ((_, term),)):
            return _rounding(term, is_approximate)
        case Number(_, value, decimals):
            if decimals:
                return 0.5 * 10.0**-decimals
            digits = str(int(value))
            zeros = len(digits) - len(digits.rstrip("0"))
            return 0.5 * 10.0**zeros if is_approximate and value else 0.0
        # 2.5 times a power of 10, but of no other number
        case Product(_, (Number() as number, Power(_, Number(_, 10)) as power)):
            if is_numeric(power):
                scale = float(Evaluator(Scope()).value(power))
                return _rounding(number, is_approximate) * scale
    return 0.0
