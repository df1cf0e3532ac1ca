"""The formulas of one section: what they state, and whether the rest follows."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import sympy

from algebra import points
from algebra.latex import CALLED, Refusal
from algebra.meaning import (
    At,
    Definition,
    Meaning,
    Scope,
    Unclear,
    Value,
    name_of,
    parts_of,
    ranges_of,
)
from algebra.nodes import (
    Bar,
    Call,
    Derivative,
    Differential,
    Domain,
    Extreme,
    Matrix,
    Node,
    Number,
    Order,
    Over,
    Power,
    Product,
    Role,
    Statement,
    Sum,
    Symbol,
)
from algebra.points import Contradicted, Refuted
from algebra.tree import (
    bare,
    free_indices,
    is_condition,
    is_numeric,
    symbols,
    walk,
)

from ..page import Formula, Page
from . import literals

_ELEMENTS = 300
"""More than an array may have whose elements are written out."""


class Misfit(Refuted):
    """Arrays of shapes that cannot be equal."""


@dataclass
class Reading:
    """A formula, its statements, and what became of each."""

    formula: Formula
    statements: list[Statement]
    marks: list[str]
    premises: dict[int, str | None] = field(default_factory=dict)
    """Statements, by number, that are premises, and of what."""
    proven: set[int] = field(default_factory=set)
    tried: int = 0
    """At how many points, where that is no proof."""
    given: dict[int, Node] = field(default_factory=dict)
    """Statements that give a symbol its value, and the value."""
    doubts: dict[int, Refusal] = field(default_factory=dict)
    """Statements that do not follow, and why: in running text, and of arrays that
    are written out where those of the page have another size."""
    failure: tuple[str, int] | None = None
    """The first reason, and its position in the formula."""

    @property
    def only_domains(self) -> bool:
        return bool(self.statements) and all(
            statement.relations == ("∈",) or is_condition(statement)
            for statement in self.statements
        )

    def agree(self, other: "Reading") -> None:
        """Take over what became of it where arrays have other sizes."""
        self.failure = self.failure or other.failure
        if not self.formula.display:
            for number in self.proven & other.doubts.keys():
                doubt, sides = other.doubts[number], self.statements[number].sides
                # Numbers may be those of a case, whose arrays have one size.
                if type(doubt) is Refuted and not any(map(is_numeric, sides)):
                    self.fail(f"{doubt}, for another size", doubt.position)
            self.proven &= other.proven
            return
        self.proven |= other.proven
        for number in self.doubts.keys() & other.doubts.keys():
            doubt = self.doubts[number]
            self.fail(f"{doubt}; say which in \\R", doubt.position)

    def fail(self, reason: str, position: int) -> None:
        self.failure = self.failure or (reason, position)

    @contextmanager
    def refusing(self, statement: Statement, number: int | None = None) -> Iterator:
        """Whatever goes wrong is said of this formula; in running text a doubt."""
        try:
            yield
            return
        except Refusal as error:
            refusal = error
        except Exception as error:
            # SymPy and NumPy refuse in many ways, a fault of ours in others.
            refusal = Unclear(f"cannot be judged: {type(error).__name__}: {error}")
        refusal.position = refusal.position or statement.position
        if number is not None and (
            not self.formula.display
            or (isinstance(refusal, Misfit) and _is_written_out(statement))
        ):
            self.doubts[number] = refusal
        else:
            self.fail(str(refusal), refusal.position)


class Section:
    """Formulas that share what is stated among them."""

    def __init__(
        self,
        scope: Scope,
        reads: list[Reading],
        used: set[int],
        page: Page,
    ) -> None:
        self._page = page
        self.scope = scope
        self.reads = reads
        self._used = used
        self._own: set[str] = set()
        self._domains: set[str] = set()

    def note(self) -> None:
        """Take over what is stated: domains, and maps."""
        for read, _, statement in self._statements():
            with read.refusing(statement):
                self._note_membership(read, statement)
        for read, number, statement in self._statements():
            with read.refusing(statement):
                self._note_premise(read, number, statement)
        for read, _, statement in self._statements():
            with read.refusing(statement):
                self._note_condition(read, statement)
        self._find_outputs()
        self._infer_shapes()

    def judge(self) -> None:
        """Prove what is claimed."""
        for read in self.reads:
            for number, statement in enumerate(read.statements):
                with read.refusing(statement, number):
                    self._judge(read, number, statement)
            if read.formula.display:
                self.scope.passing.clear()

    def _statements(self) -> Iterator[tuple[Reading, int, Statement]]:
        for read in self.reads:
            for number, statement in enumerate(read.statements):
                yield read, number, statement

    # What is stated.

    def _note_condition(self, read: Reading, statement: Statement) -> None:
        if self._restricts(statement):
            if read.formula.display:
                where = read.formula.start + statement.position
                self.scope.conditions.append((where, statement))
            self._know(statement)

    def _note_membership(self, read: Reading, statement: Statement) -> None:
        if statement.relations != ("∈",):
            return
        *sides, domain = statement.sides
        assert isinstance(domain, Domain)
        sizes = domain.sizes
        shape = tuple(
            int(size) if size.isdigit() else self.scope.letters.get(size, 3)
            for size in sizes
        )
        names = {
            name_of(symbol, Scope())[0]
            for symbol in map(bare, sides)
            if isinstance(symbol, Symbol)
        }
        if len(names) < len(sides) or self._domains & names:
            raise Unclear("a symbol is named twice, or is none", statement.position)
        if strangers := names - self._mentioned():
            raise Unclear(
                f"no other formula of this section has {min(strangers)}",
                statement.position,
            )
        if np.prod(shape) > _ELEMENTS:
            raise Unclear("too many elements: use letters", domain.position)
        if (
            read.formula.display
            and all(size.isdigit() for size in sizes)
            and sizes
            and shape not in literals.shapes(self._page)
        ):
            raise Unclear(
                f"no program of this page has the shape {list(shape)}", domain.position
            )
        self.scope.sizes.update(
            (size, number) for size, number in zip(sizes, shape) if not size.isdigit()
        )
        self._domains |= names
        self.scope.shapes.update(
            (name, self.scope.given_shapes.get(name, shape)) for name in names
        )
        self.scope.domains.update(dict.fromkeys(names, sizes))
        self.scope.complex -= names
        if domain.field == r"\C":
            self.scope.complex |= names
        self.scope.known |= names

    def _mentioned(self) -> set[str]:
        found = [
            symbol
            for _, _, statement in self._statements()
            if statement.relations not in ((), ("∈",))
            for symbol in symbols(statement)
        ]
        # x_i is x with an index, or a symbol of its own.
        return {symbol.name for symbol in found} | {
            name_of(symbol, Scope())[0] for symbol in found
        }

    def _note_premise(self, read: Reading, number: int, statement: Statement) -> None:
        if not statement.relations or statement.relations[0] not in ("=", "≈", ":="):
            return
        left, right = statement.sides[:2]
        stated = bare(left)
        where = read.formula.start + statement.position
        if statement.relations[0] == ":=":
            of = bare(left.of) if isinstance(left, Differential) else left
            if not isinstance(of, Symbol) or of is left or _plainly(of) != "L":
                raise Unclear(r":= decides \d L, and nothing else", statement.position)
            read.premises[number] = None
            self._know(right)
        elif isinstance(stated, Call) and stated.name in CALLED:
            self._note_function(read, number, stated, right, where)
        elif isinstance(stated, Symbol) and not is_numeric(right):
            name, indices = name_of(stated, self.scope)
            if indices and name in self.scope.sizes:
                raise Unclear(f"{name} counts elements", stated.position)
            if (
                name in self._own
                or not all(letter for letter, _ in indices)
                or any(each == stated for each in walk(right))
                or not (read.formula.display or _says_a_map(right))
            ):
                return
            self._own.add(name)
            rank = len(self.scope.shapes.get(name, ()))
            if name not in self._domains and rank != len(indices or ()):
                # What is stated anew does not live where it did in another section.
                self.scope.shapes.pop(name, None)
                self.scope.domains.pop(name, None)
            self.scope.maps[name] = Definition(indices, right, where)
            self.scope.known.add(name)
            if indices:
                self.scope.shapes.setdefault(
                    name, self.scope.given_shapes.get(name, ())
                )
            # A local derivative is no output of the map.
            read.premises[number] = f"local {name}" if isinstance(left, Role) else name
            self._know(right)

    def _note_function(
        self, read: Reading, number: int, call: Call, right: Node, where: int
    ) -> None:
        name, argument = call.name, call.arguments[0]
        if isinstance(argument, Symbol) and name not in self._own:
            parameter, _ = name_of(argument, self.scope)
            self.scope.functions[name] = parameter, right, where
            self.scope.known.add(parameter)
            self._own.add(name)
            read.premises[number] = name

    def _know(self, node: Node | Statement) -> None:
        bound = {
            letter
            for each in walk(node)
            if isinstance(each, Over | Extreme)
            for letter in each.letters
        }
        self.scope.known |= {
            name_of(symbol, self.scope)[0] for symbol in symbols(node)
        } - bound

    def _infer_shapes(self) -> None:
        """Arrays without a domain take the sizes of the indices they carry."""
        found = [
            (read, statement, [*symbols(statement)])
            for read, _, statement in self._statements()
        ]
        for last in (False, False, True):
            for read, statement, its in found:
                with read.refusing(statement):
                    self._infer_from_indices(its, last)
            for name in self._own - self.scope.shapes.keys():
                if name in self.scope.maps and not self.scope.maps[name].indices:
                    self._infer_from_definition(name)

    def _infer_from_indices(self, found: list[Symbol], last: bool) -> None:
        shapes = self.scope.shapes
        sizes: dict[str, int] = {}
        for each in found:
            name, indices = each.name, each.indices
            if len(shapes.get(name, ())) == len(indices):
                sizes.update(
                    (letter, size)
                    for (letter, _), size in zip(indices, shapes.get(name, ()))
                    if letter
                )
        for each in found:
            name, indices = each.name, each.indices
            is_array = indices and all(
                letter and not offset for letter, offset in indices
            )
            if not is_array or shapes.get(name) or self._is_family(name):
                continue
            if last or all(letter in sizes for letter, _ in indices):
                shapes[name] = self.scope.given_shapes.get(
                    name,
                    tuple(
                        sizes.get(letter, self.scope.letters.get("_" + letter, 3))
                        for letter, _ in indices
                    ),
                )
            self.scope.known.add(name)

    def _infer_from_definition(self, name: str) -> None:
        try:
            value = Meaning(self.scope).value(self.scope.maps[name].node)
        except Unclear:
            return
        if shape := np.shape(value):
            column = len(shape) == 2 and shape[1] == 1
            self.scope.shapes[name] = shape[:1] if column else shape

    def _is_family(self, name: str) -> bool:
        """Whether ``x_0``, ``x_1`` … are symbols of their own."""
        return any(each.startswith(name + "_") for each in self.scope.known)

    def _find_outputs(self) -> None:
        stated = {
            name
            for read in self.reads
            for name in read.premises.values()
            if name and name != "L" and name in self.scope.maps
        }
        inner = {
            name_of(symbol, self.scope)[0]
            for name in stated
            for symbol in symbols(self.scope.maps[name].node)
        }
        if outputs := sorted(stated - inner):
            # A map of its own: what was an output elsewhere may be an input here.
            self.scope.outputs = outputs
            self.scope.maps = {
                name: definition
                for name, definition in self.scope.maps.items()
                if name in self._own
            }

    # What follows.

    def _judge(self, read: Reading, number: int, statement: Statement) -> None:
        sides, relations = statement.sides, statement.relations
        where = read.formula.start + statement.position
        if relations == ("∈",):
            for side in sides[:-1]:
                Meaning(self.scope).value(side)
        if relations in ((), ("∈",)):
            return None
        if relations == ("…",):
            return self._runs(read, statement)
        if self._restricts(statement):
            for said in self._said(statement):
                points.meets(said)
            if not read.formula.display:
                self.scope.passing.append((where, statement))
            return None
        if relations[0] == ":=":
            self.scope.decided = sides[1], where
        if number in read.premises:
            sides, relations = sides[1:], relations[1:]
            if not relations:
                return None
        try:
            read.tried += self.prove(sides, relations, where)
        except Refusal:
            if self._states_a_value(read, number, statement):
                return None
            if read.formula.display:
                raise
            self._prove_numbers(read, statement)
            stated = bare(sides[0])
            if isinstance(stated, Symbol) and _plainly(stated) == "L":
                # Another loss, for what is said next.
                self.scope.maps["L"] = Definition((), sides[1], where)
                self._know(sides[1])
                read.premises[number] = "L"
            raise
        read.proven.add(number)
        self._used.add(where)
        return None

    def _restricts(self, statement: Statement) -> bool:
        """Whether it is a condition; an order of what is computed is a claim."""
        return is_condition(statement) and (
            any(map(is_numeric, statement.sides))
            or not any(
                name_of(s, self.scope)[0] in self._own for s in symbols(statement)
            )
        )

    def _runs(self, read: Reading, statement: Statement) -> None:
        """``i = 1, \\dots, n``: all that the index has."""
        letter, low, high = statement.sides
        assert isinstance(letter, Symbol)
        meaning = Meaning(self.scope)
        ends = [meaning.value(each) for each in (low, high)]
        ranges = ranges_of(tuple(read.statements), self.scope)
        size = ranges.get(letter.name)
        if ends != [1, size]:
            raise Unclear(f"index {letter.name} runs from 1 to {size}")

    def _states_a_value(self, read: Reading, number: int, statement: Statement) -> bool:
        """Whether a symbol is given a value, from here on."""
        symbol, prefix = bare(statement.sides[0]), ""
        if isinstance(symbol, Bar) and not read.formula.display:
            symbol, prefix = symbol.symbol, "bar "
        if not isinstance(symbol, Symbol) or not is_numeric(statement.sides[1]):
            return False
        name, indices = name_of(symbol, self.scope)
        if self._has_a_value(name):
            return False
        name = prefix + name
        if read.formula.display:
            if name in self.scope.maps or len(statement.sides) > 2:
                return False
            self._is_in_a_program(read, symbol, statement.sides[1])
        elif len(statement.sides) > 2:
            where = read.formula.start + statement.position
            self.prove(statement.sides[1:], statement.relations[1:], where)
        value = Meaning(self.scope).value(statement.sides[1])
        if np.shape(value) and name in self.scope.sizes:
            raise Unclear(f"{name} counts elements", symbol.position)
        read.given[number] = statement.sides[1]
        if not indices:
            # What is made of it has another value now.
            for other in [*self.scope.values]:
                if name in self._made_of(other):
                    del self.scope.values[other]
            self.scope.values[name] = statement.sides[1]
            self.scope.given_at[name] = read.formula.start + statement.position
            self.scope.known.add(name)
        return True

    def _made_of(self, name: str) -> set[str]:
        """The names that maps make it of."""
        found: set[str] = set()
        names = {name}
        while names:
            definition = self.scope.maps.get(names.pop())
            if definition:
                inner = {
                    name_of(symbol, self.scope)[0]
                    for symbol in symbols(definition.node)
                }
                names |= inner - found
                found |= inner
        return found

    def _has_a_value(self, name: str) -> bool:
        """Whether the values that were given make one of what is computed."""
        if name not in self.scope.maps or not self.scope.values:
            return False
        meaning = Meaning(self.scope)
        if meaning.is_base(name):
            return False
        given = self._given()
        return not any(
            sympy.sympify(each).subs(given).free_symbols
            for each in np.ravel(meaning.whole(name))
        )

    def _is_in_a_program(self, read: Reading, symbol: Symbol, side: Node) -> None:
        value = _squeezed(np.array(Meaning(self.scope).value(side), complex))
        name, _ = name_of(symbol, self.scope)
        shape = self.scope.shapes.get(name, value.shape)
        if shape != value.shape:
            raise Unclear(
                f"shape {list(value.shape)}, where {list(shape)} is stated",
                side.position,
            )
        if not any(
            array.shape == value.shape and np.allclose(array, value, 1e-9, 0)
            for array in literals.arrays(self._page)
        ):
            raise Unclear("no program of this page has this value", side.position)

    def _prove_numbers(self, read: Reading, statement: Statement) -> None:
        """The equalities between numbers in a chain that begins otherwise; where
        they do not hold, the formula fails."""
        start = next(
            (at for at, side in enumerate(statement.sides) if is_numeric(side)),
            len(statement.sides),
        )
        if len(statement.sides) - start < 2:
            return
        try:
            self._prove(statement.sides[start:], statement.relations[start:])
        except Refusal as error:
            read.fail(str(error), error.position)

    def prove(self, sides: tuple, relations: tuple[str, ...], where: int) -> int:
        """At how many points it was tried; a case that is named, such as ``x = y``,
        is one of what stands below it."""
        scope = self.scope
        known = {
            name: definition
            for name, definition in scope.maps.items()
            if not isinstance(definition.node, Symbol) or definition.where <= where
        }
        self.scope = replace(scope, maps=known)
        try:
            return self._prove(sides, relations)
        finally:
            self.scope = scope

    def _prove(self, sides: tuple, relations: tuple[str, ...]) -> int:
        """For all inputs; or, where a side is numbers, at the values given."""
        rounding = max(
            _rounding(side, relation == "≈")
            for side, relation in zip(sides, (*relations[:1], *relations))
        )
        if all(map(is_numeric, sides)):
            return self._compare(sides, relations, rounding)
        try:
            return self._compare(sides, relations)
        except Refusal:
            if not self.scope.values or not any(map(is_numeric, sides)):
                raise
            try:
                tried = self._compare(sides, relations, rounding, self._given())
            except Contradicted:
                raise
            except Refusal:
                pass
            else:
                names = {name_of(s, self.scope)[0] for s in symbols(sides)}
                names |= set().union(*map(self._made_of, names))
                self._used |= {
                    where
                    for name, where in self.scope.given_at.items()
                    if name.removeprefix("bar ") in names
                }
                return tried
            raise

    def _given(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The symbols of inputs, and the values that the text gave them."""
        meaning = Meaning(self.scope)
        given: dict[sympy.Symbol, sympy.Expr] = {}
        for name, node in self.scope.values.items():
            value = _squeezed(np.array(meaning.value(node), dtype=object))
            is_gradient, inner = name.startswith("bar "), name.removeprefix("bar ")
            inputs = meaning.upstream(inner) if is_gradient else meaning.base(name)
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
    ) -> int:
        """At how many points it was tried; 0 if it is proven."""
        if any(isinstance(node, Order) for node in walk(sides)):
            return self._compare_orders(sides, relations)
        scope = self.scope
        meaning = Meaning(scope)
        for side in sides:
            _refuse_roles_of_numbers(side)
        if any(one == other for one, other in zip(sides, sides[1:])):
            raise Unclear("both sides are the same", sides[1].position)
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
        compared, tried = 0, 0
        for numbers in itertools.product(*choices):
            bound = dict(zip(letters, numbers))
            try:
                values = [meaning.value(side, At(bound)) for side in sides]
            except RecursionError:
                raise Unclear("defined by itself", sides[0].position) from None
            except Unclear:
                if families:
                    continue
                raise
            compared += 1
            for relation, one, other, side in zip(
                relations, values, values[1:], sides[1:]
            ):
                tried += self._hold(relation, one, other, side, rounding, given or {})
        if not compared:
            raise Unclear(
                "no value of its index gives known symbols", sides[0].position
            )
        self._used |= meaning.used
        return tried

    def _compare_orders(self, sides: tuple[Node, ...], relations: tuple) -> int:
        """``a = b + O(h^2)``: how the difference goes to 0."""
        meaning = Meaning(self.scope)
        for relation, one, other in zip(relations, sides, sides[1:]):
            (first, _), (rest, size) = _without_order(one), _without_order(other)
            if relation != "=" or first is None or size is None:
                raise Unclear("write a = b + O(h^2)", other.position)
            small = meaning.value(size)
            if len(small.free_symbols) != 1:
                raise Unclear("O of one symbol that is small", size.position)
            difference = meaning.value(first) - (meaning.value(rest) if rest else 0)
            conditions = self._restricting(((difference, small),))
            if not points.shrinks(sympy.sympify(difference), small, conditions):
                raise Refuted("does not hold: the difference is larger", other.position)
        self._used |= meaning.used
        return 2

    def _hold(
        self,
        relation: str,
        one: Value,
        other: Value,
        side: Node,
        rounding: float,
        given: dict[sympy.Symbol, sympy.Expr],
    ) -> int:
        one, other = _squeezed(one), _squeezed(other)
        if np.shape(one) != np.shape(other):
            raise Misfit(
                f"shapes {list(np.shape(one))} and {list(np.shape(other))}",
                side.position,
            )
        pairs = tuple(
            (sympy.sympify(a).subs(given), sympy.sympify(b).subs(given))
            for a, b in zip(np.ravel(one), np.ravel(other))
        )
        if not all(isinstance(each, sympy.Expr) for pair in pairs for each in pair):
            raise Unclear("a part of it is no number", side.position)
        try:
            return points.hold(relation, pairs, self._restricting(pairs), rounding)
        except Refusal as error:
            error.position = side.position
            raise

    def _restricting(self, pairs: points.Pairs) -> tuple[sympy.Basic, ...]:
        """What the section says of symbols; those that have a say are used."""
        found: list[sympy.Basic] = []
        names = {
            symbol for pair in pairs for each in pair for symbol in each.free_symbols
        }
        for where, statement in (*self.scope.conditions, *self.scope.passing):
            said = self._said(statement)
            if any(each.free_symbols & names for each in said):
                self._used.add(where)
            found += said
        return tuple(found)

    def _said(self, statement: Statement) -> list[sympy.Basic]:
        """A condition, for each value of its indices."""
        ranges = ranges_of(statement, self.scope)
        letters = sorted(free_indices(statement))
        try:
            return [
                Meaning(self.scope).condition(statement, At(dict(zip(letters, at))))
                for at in itertools.product(
                    *(range(1, ranges[letter] + 1) for letter in letters)
                )
            ]
        except (Unclear, KeyError):
            return []  # of an array as a whole


def _plainly(symbol: Symbol) -> str:
    """The name of a symbol where nothing is known of it."""
    return name_of(symbol, Scope())[0]


def _is_written_out(statement: Statement) -> bool:
    return any(isinstance(node, Matrix) for node in walk(statement))


def _says_a_map(node: Node) -> bool:
    """An inline formula states a map only of symbols, not of gradients."""
    return not any(isinstance(e, Bar | Differential | Derivative) for e in walk(node))


def _refuse_roles_of_numbers(side: Node) -> None:
    """A gradient that is a number belongs to one case, which is of numbers."""
    for node in walk(side):
        if (
            isinstance(node, Role)
            and node.role != "local"
            and is_numeric(node)
            and not is_numeric(side)
        ):
            raise Unclear(f"a number marked as {node.role}", node.position)


def _without_order(side: Node) -> tuple[Node | None, Node | None]:
    """A side without its O( ), and what that holds."""
    if isinstance(side, Order):
        return None, side.size
    if not isinstance(side, Sum):
        return side, None
    kept = tuple(part for part in side.terms if not isinstance(part[1], Order))
    orders = [term.size for _, term in side.terms if isinstance(term, Order)]
    rest = Sum(side.position, kept) if kept else None
    return rest, orders[0] if len(orders) == 1 else None


def _squeezed(value: Value) -> Value:
    return np.squeeze(value) if np.shape(value) and 1 in np.shape(value) else value


def _rounding(node: Node, approximately: bool) -> float:
    """Half a unit in the last place of a side that is one decimal number; after
    ≈ of a whole one, too, in the last place that is not 0."""
    node = bare(node)
    if isinstance(node, Sum) and len(node.terms) == 1:
        return _rounding(node.terms[0][1], approximately)
    if isinstance(node, Number):
        value, decimals = node.value, node.decimals
        if decimals or not approximately or not value:
            return 0.5 * 10.0**-decimals if decimals else 0.0
        digits = str(int(value))
        return 0.5 * 10.0 ** (len(digits) - len(digits.rstrip("0")))
    match node:  # 2.5 times a power of 10, but of no other number
        case Product(_, (Number() as number, Power(_, Number(_, 10)) as power)):
            if is_numeric(power):
                scale = float(Meaning(Scope()).value(power))
                return _rounding(number, approximately) * scale
    return 0.0
