"""The formulas of one section: what they state, and whether the rest follows."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import sympy

from ..page import Formula, Page
from . import literals, points
from .latex import CALLED, Node, Statement
from .meaning import (
    Definition,
    Meaning,
    Scope,
    Unclear,
    Value,
    name_of,
    parts_of,
    ranges_of,
)
from .points import Refuted
from .tree import (
    bare,
    free_indices,
    indices_of,
    is_condition,
    is_numeric,
    is_upstream,
    symbols,
    walk,
)


@dataclass
class Reading:
    """A formula, its statements, and what became of each."""

    formula: Formula
    statements: list[Statement]
    marks: list[str]
    premises: dict[int, str | None] = field(default_factory=dict)
    """Statements, by number, that are premises, and of what."""
    proven: int = 0
    given: int = 0
    failure: tuple[str, int] | None = None
    """The first reason, and its position in the formula."""

    @property
    def only_domains(self) -> bool:
        return bool(self.statements) and all(
            statement.relations == ("∈",) or is_condition(statement)
            for statement in self.statements
        )

    def fail(self, reason: str, position: int) -> None:
        self.failure = self.failure or (reason, position)


class Section:
    """Formulas that share what is stated among them."""

    def __init__(
        self, scope: Scope, reads: list[Reading], used: set[int], page: Page
    ) -> None:
        self._page = page
        self._scope = scope
        self._reads = reads
        self._used = used
        self._own: set[str] = set()
        self._domains: set[str] = set()
        self._conditions: list[Statement] = []
        self._passing: list[Statement] = []
        """Conditions in running text; they hold up to the next display."""

    @property
    def scope(self) -> Scope:
        return self._scope

    @property
    def reads(self) -> list[Reading]:
        return self._reads

    def note(self) -> None:
        """Take over what is stated: domains, maps, and what is decided."""
        for read, _, statement in self._statements():
            self._note_domain(read, statement)
        for read, number, statement in self._statements():
            self._note_premise(read, number, statement)
        self._find_outputs()
        self._infer_shapes()

    def judge(self) -> None:
        """Prove what is claimed."""
        for read in self._reads:
            for number, statement in enumerate(read.statements):
                self._judge(read, number, statement)
            if read.formula.display:
                self._passing.clear()

    def _statements(self) -> Iterator[tuple[Reading, int, Statement]]:
        for read in self._reads:
            for number, statement in enumerate(read.statements):
                yield read, number, statement

    # What is stated.

    def _note_domain(self, read: Reading, statement: Statement) -> None:
        if statement.relations == ("∈",):
            *sides, domain = statement.sides
            sizes = domain.parts[1]
            shape = tuple(
                int(size) if size.isdigit() else self._scope.letters.get(size, 3)
                for size in sizes
            )
            self._scope.sizes.update(
                (size, number)
                for size, number in zip(sizes, shape)
                if not size.isdigit()
            )
            names = {
                name_of(bare(side), Scope())[0]
                for side in sides
                if bare(side).kind == "symbol"
            }
            if len(names) < len(sides) or self._domains & names:
                read.fail("a symbol is named twice, or is none", statement.position)
            elif strangers := names - self._mentioned():
                read.fail(
                    f"no other formula of this section has {min(strangers)}",
                    statement.position,
                )
            elif (
                read.formula.display
                and all(size.isdigit() for size in sizes)
                and sizes
                and shape not in literals.shapes(self._page)
            ):
                read.fail(
                    f"no program of this page has the shape {list(shape)}",
                    domain.position,
                )
            self._domains |= names
            self._scope.shapes.update(
                (name, self._scope.given_shapes.get(name, shape)) for name in names
            )
            self._scope.domains.update(dict.fromkeys(names, sizes))
            self._scope.complex -= names
            if domain.parts[0] == r"\C":
                self._scope.complex |= names
            self._scope.known |= names
        elif is_condition(statement):
            if read.formula.display:
                self._conditions.append(statement)
            self._know(statement)

    def _mentioned(self) -> set[str]:
        found = [
            symbol
            for _, _, statement in self._statements()
            if statement.relations != ("∈",)
            for symbol in symbols(statement)
        ]
        # x_i is x with an index, or a symbol of its own.
        return {symbol.parts[0] for symbol in found} | {
            name_of(symbol, Scope())[0] for symbol in found
        }

    def _note_premise(self, read: Reading, number: int, statement: Statement) -> None:
        left, relation = statement.sides[0], statement.relations[0]
        right, stated = statement.sides[1], bare(statement.sides[0])
        where = read.formula.start + statement.position
        if relation == ":=":
            if left.kind == "d" and bare(left.parts[0]).parts[0] == "L":
                read.premises[number] = None
                self._know(right)
            else:
                read.fail(r":= decides \d L, and nothing else", statement.position)
        elif relation not in "=≈":
            return
        elif stated.kind == "call" and stated.parts[0] in CALLED:
            self._note_function(read, number, stated, right, where)
        elif stated.kind == "symbol" and not is_numeric(right):
            name, indices = name_of(stated, self._scope)
            if (
                name in self._own
                or not all(letter for letter, _ in indices)
                or any(each == stated for each in walk(right))
                or not (read.formula.display or _says_a_map(right))
            ):
                return
            self._own.add(name)
            self._scope.maps[name] = Definition(indices, right, where)
            self._scope.known.add(name)
            if indices:
                self._scope.shapes.setdefault(
                    name, self._scope.given_shapes.get(name, ())
                )
            # A local derivative is no output of the map.
            read.premises[number] = name if left.kind != "role" else f"local {name}"
            self._know(right)

    def _note_function(
        self, read: Reading, number: int, call: Node, right: Node, where: int
    ) -> None:
        name, arguments = call.parts
        if arguments[0].kind == "symbol" and name not in self._own:
            parameter, _ = name_of(arguments[0], self._scope)
            self._scope.functions[name] = parameter, right, where
            self._scope.known.add(parameter)
            self._own.add(name)
            read.premises[number] = name

    def _know(self, node: Node | Statement) -> None:
        bound = {
            letter
            for each in walk(node)
            if each.kind in ("total", "whole product")
            for letter in each.parts[0]
        }
        self._scope.known |= {
            name_of(symbol, self._scope)[0] for symbol in symbols(node)
        } - bound

    def _infer_shapes(self) -> None:
        """Arrays without a domain take the sizes of the indices they carry."""
        for last in (False, False, True):
            for _, _, statement in self._statements():
                self._infer_from_indices(statement, last)
            for name in self._own - self._scope.shapes.keys():
                if name in self._scope.maps and not self._scope.maps[name].indices:
                    self._infer_from_definition(name)

    def _infer_from_indices(self, statement: Statement, last: bool) -> None:
        shapes = self._scope.shapes
        sizes: dict[str, int] = {}
        for name, indices in map(indices_of, symbols(statement)):
            if len(shapes.get(name, ())) == len(indices):
                sizes.update(
                    (letter, size)
                    for (letter, _), size in zip(indices, shapes.get(name, ()))
                    if letter
                )
        for name, indices in map(indices_of, symbols(statement)):
            plain = indices and all(letter and not offset for letter, offset in indices)
            if not plain or shapes.get(name) or self._is_family(name):
                continue
            if last or all(letter in sizes for letter, _ in indices):
                shapes[name] = self._scope.given_shapes.get(
                    name, tuple(sizes.get(letter, 3) for letter, _ in indices)
                )
            self._scope.known.add(name)

    def _infer_from_definition(self, name: str) -> None:
        try:
            value = Meaning(self._scope).value(self._scope.maps[name].node, {})
        except Unclear:
            return
        if shape := np.shape(value):
            column = len(shape) == 2 and shape[1] == 1
            self._scope.shapes[name] = shape[:1] if column else shape

    def _is_family(self, name: str) -> bool:
        """Whether ``x_0``, ``x_1`` … are symbols of their own."""
        return any(each.startswith(name + "_") for each in self._scope.known)

    def _find_outputs(self) -> None:
        stated = {
            name
            for read in self._reads
            for name in read.premises.values()
            if name and name != "L" and name in self._scope.maps
        }
        inner = {
            name_of(symbol, self._scope)[0]
            for name in stated
            for symbol in symbols(self._scope.maps[name].node)
        }
        if outputs := sorted(stated - inner):
            # A map of its own: what was an output elsewhere may be an input here.
            self._scope.outputs = outputs
            self._scope.maps = {
                name: definition
                for name, definition in self._scope.maps.items()
                if name in self._own
            }

    # What follows.

    def _judge(self, read: Reading, number: int, statement: Statement) -> None:
        if statement.relations == ("∈",):
            return
        if is_condition(statement):
            if not read.formula.display:
                self._passing.append(statement)
            return
        sides, relations = statement.sides, statement.relations
        if relations[0] == ":=":
            if number not in read.premises:
                return
            where = read.formula.start + statement.position
            self._scope.decided = sides[1], where
        if number in read.premises:
            sides, relations = sides[1:], relations[1:]
            if not relations:
                return
        try:
            self._prove(sides, relations)
            read.proven += 1
            self._used.add(read.formula.start + statement.position)
        except (Unclear, Refuted) as error:
            if read.formula.display:
                self._display_fails(read, statement, error)
            else:
                self._inline_fails(read, statement, error)

    def _display_fails(
        self, read: Reading, statement: Statement, error: Unclear | Refuted
    ) -> None:
        symbol = bare(statement.sides[0])
        if (
            symbol.kind == "symbol"
            and all(map(is_numeric, statement.sides[1:]))
            and (name_of(symbol, self._scope)[0] not in self._scope.maps)
        ):
            self._give(read, symbol, statement)
            self._is_in_a_program(read, symbol, statement.sides[1])
        else:
            read.fail(str(error), error.position)

    def _is_in_a_program(self, read: Reading, symbol: Node, side: Node) -> None:
        value = _squeezed(np.array(Meaning(self._scope).value(side, {}), complex))
        name, _ = name_of(bare(symbol), self._scope)
        shape = self._scope.shapes.get(name, value.shape)
        if shape != value.shape:
            read.fail(
                f"shape {list(value.shape)}, where {list(shape)} is stated",
                side.position,
            )
        elif not any(
            array.shape == value.shape and np.allclose(array, value, 1e-9, 0)
            for array in literals.arrays(self._page)
        ):
            read.fail("no program of this page has this value", side.position)

    def _inline_fails(
        self, read: Reading, statement: Statement, error: Unclear | Refuted
    ) -> None:
        """In running text much is said of one case, whose numbers the traces prove;
        what is numbers alone, or of all cases, must hold."""
        first = bare(statement.sides[0])
        numeric = [is_numeric(side) for side in statement.sides]
        if first.kind == "symbol" and name_of(first, self._scope)[0] == "L":
            where = read.formula.start + statement.position
            self._scope.maps["L"] = Definition((), statement.sides[1], where)
            self._know(statement.sides[1])
            read.given += 1
        elif first.kind == "symbol" and numeric[1]:
            self._give(read, first, statement)
        elif (
            first.kind == "symbol"
            or is_upstream(statement.sides[0])
            or (numeric[-1] and not all(numeric))
        ):
            read.given += 1
        elif isinstance(error, Refuted):
            read.fail(str(error), error.position)
            return
        self._prove_numbers(read, statement)

    def _prove_numbers(self, read: Reading, statement: Statement) -> None:
        """The equalities between numbers in a chain that begins otherwise."""
        start = next(
            (at for at, side in enumerate(statement.sides) if is_numeric(side)),
            len(statement.sides),
        )
        if len(statement.sides) - start < 2:
            return
        try:
            self._prove(statement.sides[start:], statement.relations[start:])
        except (Unclear, Refuted) as error:
            read.fail(str(error), error.position)

    def _give(self, read: Reading, symbol: Node, statement: Statement) -> None:
        name, indices = name_of(symbol, self._scope)
        read.given += 1
        if not indices:
            self._scope.values[name] = statement.sides[1]
            self._scope.known.add(name)

    def _prove(self, sides: tuple, relations: tuple[str, ...]) -> None:
        """For all inputs; or, where a side is numbers, at the values given."""
        rounding = max(map(_rounding, sides))
        if all(map(is_numeric, sides)):
            return self._compare(sides, relations, rounding)
        try:
            self._compare(sides, relations)
        except (Unclear, Refuted):
            if not self._scope.values or not any(map(is_numeric, sides)):
                raise
            try:
                return self._compare(sides, relations, rounding, self._given())
            except (Unclear, Refuted):
                pass
            raise

    def _given(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The symbols of inputs, and the values that the text gave them."""
        meaning = Meaning(self._scope)
        given: dict[sympy.Symbol, sympy.Expr] = {}
        for name, node in self._scope.values.items():
            value = _squeezed(np.array(meaning.value(node, {}), dtype=object))
            inputs = meaning.base(name)
            if np.shape(inputs) == np.shape(value):
                for each, number in zip(np.ravel(inputs), np.ravel(value)):
                    parts, numbers = parts_of(each), number.as_real_imag()
                    if len(parts) == 1 and numbers[1]:
                        raise Unclear(rf"{name} is complex, but not in \C")
                    given.update(zip(parts, numbers))
        return given

    def _compare(
        self,
        sides: tuple[Node, ...],
        relations: tuple[str, ...],
        rounding: float = 0,
        given: dict[sympy.Symbol, sympy.Expr] | None = None,
    ) -> None:
        scope = self._scope
        meaning = Meaning(scope)
        ranges = ranges_of(sides, scope)
        free = [free_indices(side) for side in sides]
        letters = sorted(free[0])
        for side, names in zip(sides, free):
            if names - free[0]:
                raise Unclear(
                    f"index {min(names - free[0])} is free on one side only",
                    side.position,
                )
        families = [letter for letter in letters if letter not in ranges]
        choices = [
            range(1, ranges[letter] + 1) if letter in ranges else range(10)
            for letter in letters
        ]
        tried = 0
        for numbers in itertools.product(*choices):
            bound = dict(zip(letters, numbers))
            try:
                values = [meaning.value(side, bound) for side in sides]
            except RecursionError:
                raise Unclear("defined by itself", sides[0].position) from None
            except Unclear:
                if families:
                    continue
                raise
            tried += 1
            for relation, one, other, side in zip(
                relations, values, values[1:], sides[1:]
            ):
                self._hold(relation, one, other, side, rounding, given or {})
        if not tried:
            raise Unclear(
                "no value of its index gives known symbols", sides[0].position
            )
        self._used |= meaning.used

    def _hold(
        self,
        relation: str,
        one: Value,
        other: Value,
        side: Node,
        rounding: float,
        given: dict[sympy.Symbol, sympy.Expr],
    ) -> None:
        one, other = _squeezed(one), _squeezed(other)
        if np.shape(one) != np.shape(other):
            raise Refuted(
                f"shapes {list(np.shape(one))} and {list(np.shape(other))}",
                side.position,
            )
        pairs = [
            (sympy.sympify(a).subs(given), sympy.sympify(b).subs(given))
            for a, b in zip(np.ravel(one), np.ravel(other))
        ]
        if not all(isinstance(each, sympy.Expr) for pair in pairs for each in pair):
            raise Unclear("a part of it is no number", side.position)
        conditions = tuple(
            Meaning(self._scope).condition(each, {})
            for each in self._conditions + self._passing
            if _scalar(each, self._scope)
        )
        for a, b in pairs:
            points.hold(relation, a, b, conditions, side.position, rounding)


def _says_a_map(node: Node) -> bool:
    """An inline formula states a map only of symbols, not of gradients."""
    return all(each.kind not in ("bar", "d", "derivative") for each in walk(node))


def _scalar(statement: Statement, scope: Scope) -> bool:
    named = [name_of(symbol, scope) for symbol in symbols(statement)]
    return not any(indices or scope.shapes.get(name) for name, indices in named)


def _squeezed(value: Value) -> Value:
    return np.squeeze(value) if np.shape(value) and 1 in np.shape(value) else value


def _rounding(node: Node) -> float:
    """Half a unit in the last place of a side that is one decimal number."""
    node = bare(node)
    if node.kind == "sum" and len(node.parts) == 1:
        return _rounding(node.parts[0][1])
    if node.kind == "number":
        return 0.5 * 10.0 ** -node.parts[1] if node.parts[1] else 0.0
    if node.kind == "product" and len(node.parts) == 2:
        number, power = node.parts
        if number.kind == "number" and power.kind == "power" and is_numeric(power):
            scale = float(Meaning(Scope()).value(power, {}))
            return 0.5 * 10.0 ** -number.parts[1] * scale
    return 0.0
