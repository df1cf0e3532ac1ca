"""Whether the formulas of a page hold: each is a premise, is proven, or fails.

A section's first ``symbol = …`` is a **premise**; later sections know it until they
state another. Every other relation is a **claim**: its sides are written in the
inputs, differentiated by SymPy, and compared to 30 digits at random points that
fulfill the conditions stated on the page. A premise from which nothing follows is
refused, so that a change of it breaks something.

A comment in a displayed formula declares what cannot be seen:
``% premise`` its symbols are stated anew from here on;
``% definition`` it says what something is called, and is not checked.
"""

import itertools
import random
from dataclasses import dataclass, field
from pathlib import Path

import mpmath
import numpy as np
import sympy

from . import literals
from .finding import Finding
from .latex import LatexError, Node, Statement, marks, parse
from .meaning import Definition, Meaning, Scope, Unclear, name_of, ranges_of, walk
from .meaning import SIZES
from .page import Formula, Page

_POINTS = 6
_DIGITS = 30
_ATTEMPTS = 400
"""Points that are looked at to find some that fulfill the conditions."""
_FLOAT32_DIGITS, _FLOAT32 = 9, 2.0 ** -23
"""A number with so many digits is float32's, and may be off by its rounding."""
_MARKS = {"premise", "definition"}


class False_(Exception):
    """A claim that does not hold."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


@dataclass
class _Read:
    """A formula, its statements, and what became of each."""

    formula: Formula
    statements: list[Statement]
    marks: list[str]
    premises: dict[int, str] = field(default_factory=dict)
    """Statements, by number, that are premises, and of what."""
    proven: int = 0
    given: int = 0
    failure: tuple[str, int] | None = None


def check(pages: list[Page], root: Path) -> list[Finding]:
    """What holds of every formula; displayed ones that are not read fail."""
    return [finding for page in pages for finding in check_page(page)]


def check_page(page: Page) -> list[Finding]:
    return _Checker(page).findings()


class _Checker:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._used: set[int] = set()
        self._reads: list[_Read] = []

    def findings(self) -> list[Finding]:
        scope = Scope()
        for new_section, part in self._parts():
            given = {} if new_section else scope.values
            scope = scope.within()
            scope.values.update(given)
            _Section(scope, part, self._used, self._page).judge()
        return [finding for read in self._reads if (finding := self._finding(read))]

    def _parts(self):
        """The formulas from one heading, or one ``% premise``, to the next."""
        starts = [start for start, _, _ in self._page.headings]
        parts = [(True, [])]
        for formula in self._page.formulas:
            if starts and starts[0] < formula.start:
                starts = [start for start in starts if start > formula.start]
                parts.append((True, []))
            read = self._read(formula)
            if "premise" in read.marks:
                parts.append((False, []))
            parts[-1][1].append(read)
        return parts

    def _read(self, formula: Formula) -> _Read:
        read = _Read(formula, [], marks(formula.text))
        self._reads.append(read)
        words = [mark.partition(":")[0].strip() for mark in read.marks]
        if unknown := set(words) - _MARKS:
            read.failure = f"unknown mark: {', '.join(sorted(unknown))}", 0
        if "definition" in words or read.failure:
            read.marks = words
            return read
        read.marks = words
        try:
            read.statements = parse(formula.text)
        except LatexError as error:
            if formula.display:
                read.failure = str(error), error.position
        return read

    def _finding(self, read: _Read) -> Finding | None:
        formula = read.formula
        kind = "formula" if formula.display else "inline formula"
        state, how = "checked", "SymPy, at random points"
        position = 0
        unused = [statement.position for number, statement
                  in enumerate(read.statements) if number in read.premises
                  and read.premises[number] is not None
                  and formula.start + statement.position not in self._used]
        if read.failure:
            state, (how, position) = "failed", read.failure
        elif "definition" in read.marks:
            state, how = "definition", "marked by its writer"
        elif formula.display and unused and not read.given:
            state, position = "failed", unused[0]
            how = "a premise from which nothing follows that is checked"
        elif not read.proven:
            if not read.premises and not read.given:
                return None
            state, how = "premise", "what is checked follows from it"
        line = self._page.line(formula.start + position)
        return Finding(kind, state, self._page.shown,
                       f"{self._page.shown}:{line}", formula.shown, how)


class _Section:
    """Formulas that share what is stated among them."""

    def __init__(self, scope: Scope, reads: list[_Read], used: set[int],
                 page: Page) -> None:
        self._page = page
        self._scope = scope
        self._reads = reads
        self._used = used
        self._own: set[str] = set()
        self._domains: set[str] = set()
        self._conditions: list[Statement] = []
        self._passing: list[Statement] = []
        """Conditions in running text; they hold up to the next display."""

    def judge(self) -> None:
        for read, number, statement in self._statements():
            self._note_domain(read, statement)
        for read, number, statement in self._statements():
            self._note_premise(read, number, statement)
        self._find_outputs()
        self._infer_shapes()
        for read in self._reads:
            for number, statement in enumerate(read.statements):
                self._judge(read, number, statement)
            if read.formula.display:
                self._passing.clear()

    def _statements(self):
        for read in self._reads:
            for number, statement in enumerate(read.statements):
                yield read, number, statement

    # What is stated.

    def _note_domain(self, read: _Read, statement: Statement) -> None:
        if statement.relations == ("∈",):
            *symbols, domain = statement.sides
            shape = tuple(int(size) if size.isdigit() else SIZES.get(size, 3)
                          for size in domain.parts[1])
            sizes = domain.parts[1]
            if (read.formula.display and sizes and all(s.isdigit() for s in sizes)
                    and shape not in literals.shapes(self._page)):
                read.failure = (f"no program of this page has the shape"
                                f" {list(shape)}", domain.position)
            named = [name_of(_bare(symbol), Scope())[0] for symbol in symbols
                     if _bare(symbol).kind == "symbol"]
            if len(set(named)) < len(named) or self._domains & set(named):
                read.failure = "names a symbol twice", statement.position
            self._domains |= set(named)
            if strangers := set(named) - self._mentioned():
                read.failure = (f"no other formula of this section has"
                                f" {min(strangers)}", statement.position)
            for symbol in map(_bare, symbols):
                if symbol.kind == "symbol":
                    name, _ = name_of(symbol, Scope())
                    self._scope.shapes[name] = shape
                    self._scope.known.add(name)
        elif _is_condition(statement):
            if read.formula.display:
                self._conditions.append(statement)
            for symbol in walk(statement.sides):
                if symbol.kind == "symbol":
                    self._scope.known.add(name_of(symbol, self._scope)[0])

    def _note_premise(self, read: _Read, number: int, statement: Statement) -> None:
        left, relation = statement.sides[0], statement.relations[0]
        where = read.formula.start + statement.position
        if relation == ":=":
            if left.kind == "d" and _bare(left.parts[0]).parts[0] == "L":
                read.premises[number] = None
                self._know(statement.sides[1])
            return
        if relation not in "=≈":
            return
        symbol = _bare(left)
        right = statement.sides[1]
        if symbol.kind == "call" and symbol.parts[0] in ("f", "g"):
            name, (argument,) = symbol.parts
            if argument.kind == "symbol" and name not in self._own:
                parameter, _ = name_of(argument, self._scope)
                self._scope.functions[name] = parameter, right, where
                self._scope.known.add(parameter)
                self._own.add(name)
                read.premises[number] = name
            return
        if symbol.kind != "symbol" or _is_numeric(right):
            return
        name, indices = name_of(symbol, self._scope)
        letters = tuple(index for index in indices if index[0])
        if name in self._own or len(letters) != len(indices):
            return
        if any(each == symbol for each in walk(right)):
            return
        if not read.formula.display and not self._may_state(name, right):
            return
        self._own.add(name)
        self._scope.maps[name] = Definition(indices, right, where)
        self._scope.known.add(name)
        if indices and name not in self._scope.shapes:
            self._scope.shapes[name] = ()
        read.premises[number] = name if left.kind != "role" else f"local {name}"
        self._know(right)

    def _may_state(self, name: str, right: Node) -> bool:
        """An inline formula states a map only of symbols, not of gradients."""
        return all(node.kind not in ("bar", "d", "derivative") for node in walk(right))

    def _know(self, node: Node) -> None:
        bound = {letter for each in walk(node) if each.kind in ("total", "whole product")
                 for letter in each.parts[0]}
        for each in walk(node):
            if each.kind == "symbol":
                name, _ = name_of(each, self._scope)
                if name not in bound:
                    self._scope.known.add(name)

    def _mentioned(self) -> set[str]:
        return {name_of(node, Scope())[0] if not node.parts[1] else node.parts[0]
                for _, _, statement in self._statements()
                if statement.relations != ("∈",)
                for node in walk(statement.sides) if node.kind == "symbol"}

    def _infer_shapes(self) -> None:
        """Arrays without a domain take the sizes of the indices they carry."""
        for _ in range(3):
            for _, _, statement in self._statements():
                sizes: dict[str, int] = {}
                for symbol in walk(statement.sides):
                    if symbol.kind == "symbol":
                        name, indices = _indexed(symbol)
                        shape = self._scope.shapes.get(name, ())
                        if len(shape) == len(indices):
                            sizes.update((letter, size) for (letter, offset), size
                                         in zip(indices, shape) if letter)
                for symbol in walk(statement.sides):
                    if symbol.kind != "symbol":
                        continue
                    name, indices = _indexed(symbol)
                    if (not indices or self._scope.shapes.get(name)
                            or not all(letter and not offset
                                       for letter, offset in indices)
                            or self._is_family(name)):
                        continue
                    if all(letter in sizes for letter, _ in indices):
                        self._scope.shapes[name] = tuple(
                            sizes[letter] for letter, _ in indices)
                    elif _ == 2:
                        self._scope.shapes[name] = tuple(
                            sizes.get(letter, 3) for letter, _ in indices)
                    self._scope.known.add(name)
            for name, definition in self._scope.maps.items():
                if name in self._own and name not in self._scope.shapes and (
                        not definition.indices):
                    self._infer_from(name, definition)

    def _infer_from(self, name: str, definition: Definition) -> None:
        try:
            value = Meaning(self._scope).value(definition.node, {})
        except (Unclear, ValueError):
            return
        shape = np.shape(value)
        if shape:
            self._scope.shapes[name] = (
                shape[:1] if len(shape) == 2 and shape[1] == 1 else shape)

    def _is_family(self, name: str) -> bool:
        return any(each.startswith(name + "_") for each in self._scope.known)

    def _find_outputs(self) -> None:
        stated = {name for read in self._reads for name in read.premises.values()
                  if name and name != "L" and name in self._scope.maps}
        inner = {name_of(node, self._scope)[0] for name in stated
                 for node in walk(self._scope.maps[name].node)
                 if node.kind == "symbol"}
        if outputs := sorted(stated - inner):
            # A map of its own: what was an output elsewhere may be an input here.
            self._scope.outputs = outputs
            self._scope.maps = {name: definition for name, definition
                                in self._scope.maps.items() if name in self._own}

    # What follows.

    def _judge(self, read: _Read, number: int, statement: Statement) -> None:
        if statement.relations == ("∈",):
            return
        if _is_condition(statement):
            if not read.formula.display:
                self._passing.append(statement)
            return
        sides, relations = statement.sides, statement.relations
        if relations[0] == ":=":
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
        except (Unclear, False_) as error:
            if read.formula.display:
                self._display_fails(read, statement, error)
            else:
                self._inline_fails(read, statement, error)

    def _display_fails(self, read, statement, error) -> None:
        symbol = _bare(statement.sides[0])
        if symbol.kind == "symbol" and all(map(_is_numeric, statement.sides[1:])) and (
                name_of(symbol, self._scope)[0] not in self._scope.maps):
            self._give(read, symbol, statement)
            self._is_in_a_program(read, symbol, statement.sides[1])
        else:
            read.failure = read.failure or (str(error), error.position)

    def _is_in_a_program(self, read: _Read, symbol: Node, side: Node) -> None:
        value = _squeezed(np.array(Meaning(self._scope).value(side, {}), float))
        name, _ = name_of(_bare(symbol), self._scope)
        shape = self._scope.shapes.get(name, value.shape)
        if shape != value.shape:
            read.failure = (f"shape {list(value.shape)}, where {list(shape)} is"
                            " stated", side.position)
        elif not any(array.shape == value.shape and np.allclose(array, value, 1e-9, 0)
                   for array in literals.arrays(self._page)):
            read.failure = "no program of this page has this value", side.position

    def _inline_fails(self, read, statement, error) -> None:
        """In running text much is said of one case, whose numbers the traces prove;
        what is numbers alone, or of all cases, must hold."""
        first = _bare(statement.sides[0])
        numeric = [_is_numeric(side) for side in statement.sides]
        if first.kind == "symbol" and name_of(first, self._scope)[0] == "L":
            where = read.formula.start + statement.position
            self._scope.maps["L"] = Definition((), statement.sides[1], where)
            self._know(statement.sides[1])
            read.given += 1
        elif first.kind == "symbol" and numeric[1]:
            self._give(read, first, statement)
        elif first.kind == "symbol" or _is_free_upstream(statement.sides[0]):
            read.given += 1
        elif numeric[-1] and not all(numeric):
            read.given += 1
        elif isinstance(error, False_):
            read.failure = read.failure or (str(error), error.position)
            return
        self._prove_numbers(read, statement)

    def _prove_numbers(self, read, statement) -> None:
        """The equalities between numbers in a chain that begins otherwise."""
        start = next((at for at, side in enumerate(statement.sides)
                      if _is_numeric(side)), len(statement.sides))
        if len(statement.sides) - start < 2:
            return
        try:
            self._prove(statement.sides[start:], statement.relations[start:])
        except (Unclear, False_) as error:
            read.failure = read.failure or (str(error), error.position)

    def _give(self, read, symbol, statement) -> None:
        name, indices = name_of(symbol, self._scope)
        read.given += 1
        if not indices:
            self._scope.values[name] = statement.sides[1]
            self._scope.known.add(name)

    def _prove(self, sides: tuple, relations: tuple[str, ...]) -> None:
        """For all inputs; or, where a side is numbers, at the values given."""
        rounding = max(map(_rounding, sides))
        if all(map(_is_numeric, sides)):
            return self._compare(sides, relations, rounding)
        try:
            self._compare(sides, relations)
        except (Unclear, False_):
            if not self._scope.values or not any(map(_is_numeric, sides)):
                raise
            try:
                return self._compare(sides, relations, rounding, self._given())
            except (Unclear, False_):
                pass
            raise

    def _given(self) -> dict:
        """The symbols of inputs, and the values that the text gave them."""
        meaning = Meaning(self._scope)
        given = {}
        for name, node in self._scope.values.items():
            value = _squeezed(np.array(meaning.value(node, {}), dtype=object))
            symbols = meaning.base(name)
            if np.shape(symbols) == np.shape(value):
                given.update(zip(np.ravel(symbols), np.ravel(value)))
        return given

    def _compare(self, sides, relations, rounding: float = 0,
                 given: dict | None = None) -> None:
        scope = self._scope
        meaning = Meaning(scope)
        ranges = ranges_of(sides, scope)
        free = [_free(side) for side in sides]
        letters = sorted(free[0])
        for side, names in zip(sides, free):
            if names - free[0]:
                raise Unclear(f"index {min(names - free[0])} is free on one side only",
                              side.position)
        families = [letter for letter in letters if letter not in ranges]
        choices = [range(1, ranges[letter] + 1) if letter in ranges else range(10)
                   for letter in letters]
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
                    relations, values, values[1:], sides[1:]):
                self._hold(relation, one, other, side, rounding, given or {})
        if not tried:
            raise Unclear("no value of its index gives known symbols",
                          sides[0].position)
        self._used |= meaning.used

    def _hold(self, relation, one, other, side, rounding, given) -> None:
        one, other = _squeezed(one), _squeezed(other)
        if np.shape(one) != np.shape(other):
            raise False_(f"shapes {list(np.shape(one))} and {list(np.shape(other))}",
                         side.position)
        pairs = [(sympy.sympify(a).subs(given), sympy.sympify(b).subs(given))
                 for a, b in zip(np.ravel(one), np.ravel(other))]
        if not all(isinstance(each, sympy.Expr) for pair in pairs for each in pair):
            raise Unclear("a part of it is no number", side.position)
        conditions = [Meaning(self._scope).condition(each, {})
                      for each in self._conditions + self._passing
                      if _scalar(each, self._scope)]
        for a, b in pairs:
            _hold_at_points(relation, a, b, conditions, side.position, rounding)


def _hold_at_points(relation, a, b, conditions, position, rounding) -> None:
    if relation == "=" and a == b:
        return
    symbols = sorted(a.free_symbols | b.free_symbols, key=lambda s: s.name)
    conditions = [c for c in conditions if c.free_symbols
                  and c.free_symbols <= set(symbols)]
    evaluate = sympy.lambdify(symbols, [a, b], "mpmath")
    fulfilled = [sympy.lambdify(symbols, c, "mpmath") for c in conditions]
    generator = random.Random(1)
    compared = 0
    special = [(eq.lhs, eq.rhs) for eq in (a.atoms(sympy.Eq) | b.atoms(sympy.Eq))
               if eq.lhs in symbols and eq.rhs.is_number]
    with mpmath.workdps(_DIGITS + 20):
        for attempt in range(_ATTEMPTS):
            point = [_coordinate(generator) for _ in symbols]
            if attempt < len(special):
                symbol, value = special[attempt]
                point[symbols.index(symbol)] = mpmath.mpf(str(value))
            if not all(c(*point) for c in fulfilled):
                continue
            try:
                left, right = evaluate(*point)
            except (ZeroDivisionError, ValueError):
                continue
            defined = [mpmath.isfinite(side) for side in (left, right)]
            if any(defined) != all(defined):
                raise False_("only one of the sides is defined everywhere", position)
            if not all(defined):
                continue
            compared += 1
            if not _related(relation, left, right, rounding):
                at = ", ".join(f"{_readable(s)} = {mpmath.nstr(p, 3)}"
                               for s, p in zip(symbols, point))
                raise False_(
                    f"does not hold: {mpmath.nstr(left, 9)} and"
                    f" {mpmath.nstr(right, 9)}" + (f" at {at}" if at else ""), position)
            # An inequality may fail in a corner: all points are looked at.
            if not symbols or (relation not in "<>≤≥" and
                               compared == _POINTS * (1 + len(symbols))):
                return
    if not compared:
        raise False_("no point at which both sides are defined", position)


def _coordinate(generator: random.Random):
    return mpmath.mpf(generator.choice([-1, 1]) * generator.randint(20, 300)) / 97


def _related(relation: str, left, right, rounding: float) -> bool:
    size = max(abs(left), abs(right), mpmath.mpf(1) / 10**6)
    if relation == "≠":
        return left != right
    if relation in "<>≤≥":
        return {"<": left < right, ">": left > right,
                "≤": left <= right, "≥": left >= right}[relation]
    if relation == "≈":
        return abs(left - right) <= max(rounding, 0.05 * size)
    if rounding:
        if rounding < size * mpmath.mpf(10) ** -(_FLOAT32_DIGITS - 1):
            rounding = max(rounding, _FLOAT32 * size)
        return abs(left - right) <= rounding
    return abs(left - right) <= size * mpmath.mpf(10) ** -_DIGITS


def _readable(symbol) -> str:
    return symbol.name.replace("\\", "")


def _bare(node: Node) -> Node:
    """Without the marks of roles and parentheses."""
    while node.kind in ("role", "group"):
        node = node.parts[-1]
    return node


def _is_free_upstream(node: Node) -> bool:
    return node.kind == "role" and node.parts[0] == "upstream"


def _indexed(symbol: Node) -> tuple[str, tuple]:
    name, subscript = symbol.parts
    if any(isinstance(index, str) for index in subscript):
        return name, ()
    return name, subscript


def _is_numeric(node: Node) -> bool:
    return all(each.kind in ("number", "sum", "product", "quotient", "power", "matrix",
                             "role", "group", "e", "pi") for each in walk(node))


def _is_condition(statement: Statement) -> bool:
    """Symbols between numbers, such as ``x > 0`` or ``1 \\le s \\le 2``."""
    if not set(statement.relations) <= set("<>≤≥≠"):
        return False
    bare = [_bare(side) for side in statement.sides]
    symbols = [side for side in bare if side.kind == "symbol"]
    return bool(symbols) and all(
        side.kind == "symbol" or _is_numeric(side) for side in bare)


def _scalar(statement: Statement, scope: Scope) -> bool:
    return all(name_of(node, scope)[1] == () and not scope.shapes.get(
        name_of(node, scope)[0]) for node in walk(statement.sides) if node.kind == "symbol")


def _free(node: Node) -> set[str]:
    """The index letters that no sum binds."""
    if not isinstance(node, Node):
        parts = node if isinstance(node, tuple) else getattr(node, "sides", ())
        return set().union(*map(_free, parts)) if parts else set()
    if node.kind == "symbol":
        return {index[0] for index in node.parts[1]
                if not isinstance(index, str) and index[0]}
    inner = set().union(*map(_free, node.parts)) if node.parts else set()
    if node.kind in ("total", "whole product"):
        return inner - set(node.parts[0])
    return inner


def _squeezed(value):
    return np.squeeze(value) if np.shape(value) and 1 in np.shape(value) else value


def _rounding(node: Node) -> float:
    """Half a unit in the last place of a side that is one decimal number."""
    node = _bare(node)
    if node.kind == "sum" and len(node.parts) == 1:
        return _rounding(node.parts[0][1])
    if node.kind == "number":
        return 0.5 * 10.0 ** -node.parts[1] if node.parts[1] else 0.0
    if node.kind == "product" and len(node.parts) == 2 and all(map(_is_numeric, node.parts)):
        number, power = node.parts
        if number.kind == "number" and power.kind == "power":
            scale = float(Meaning(Scope()).value(power, {}))
            return 0.5 * 10.0 ** -number.parts[1] * scale
    return 0.0
