"""The maps and rules that a section states, evaluated at numbers.

    for rule in rules(page):
        rule.name       # "y" of a map, "bar x" of a rule: a gradient of the loss
        rule.symbols    # names of what its formula shows: {"x", "bar y"}
        rule.at({"x": x, "bar y": upstream})[rule.element]

Names are LaTeX's without backslashes (``lambda``, ``tilde y``, ``x_0``); a gradient
has "bar " before. A letter in ``\\R^n`` takes the size of the arrays given. Where an
array has more axes than the page says, as where it derives for one number or one row,
the formula is evaluated for each entry of its leading axes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
import sympy

from algebra.flat import flat
from algebra.latex import CALLED
from algebra.meaning import (
    ANYWHERE,
    SIZES,
    At,
    Definition,
    Held,
    Meaning,
    Scope,
    Unclear,
    Value,
    each_of,
    name_of,
    parts_of,
    plain,
)
from algebra.nodes import (
    Bar,
    Call,
    Derivative,
    Differential,
    Gradient,
    Index,
    Integral,
    Limit,
    Node,
    Quotient,
    Role,
    Slope,
    Symbol,
)
from algebra.tree import bare, is_numeric, symbols, walk

from ..page import Page
from .sections import is_unchecked, sections

_DIGITS = 50
"""Formulas cancel more than programs do that were written to be stable."""
_SYMBOLIC = Differential | Derivative | Gradient | Slope | Integral | Limit
"""Kinds of nodes that need symbols: numbers have no slopes."""


@dataclass(frozen=True)
class Rule:
    """One formula that says how to compute something: a map, or a gradient."""

    name: str
    tex: str
    line: int
    section: "_Section" = field(repr=False, compare=False)
    subscript: tuple[Index, ...] = ()
    sides: tuple[Node, ...] = ()
    """What it equals; each is the same."""
    start: int = 0
    """Where on the page the whole formula begins."""
    is_unchecked: bool = field(default=False, compare=False)
    """Whether the page says that no program has it."""

    @property
    def is_gradient(self) -> bool:
        return self.name.startswith("bar ")

    @property
    def said(self) -> tuple:
        """What it says: the same elsewhere is equal."""
        return self.name, self.subscript, *map(flat, self.sides)

    @cached_property
    def alternatives(self) -> list[frozenset[str]]:
        """Names of what stands on each of its right sides; maps may define some."""
        indices = {letter for letter, _ in self.subscript}
        return [frozenset(self.section.names(side)) - indices for side in self.sides]

    @property
    def symbols(self) -> frozenset[str]:
        return self.alternatives[0]

    @property
    def element(self) -> tuple[int | slice, ...]:
        """Which part of the array that it names it is about; () if it is all."""
        if all(letter for letter, _ in self.subscript):
            return ()
        return tuple(
            slice(None) if letter else number - 1 for letter, number in self.subscript
        )

    def at(self, values: Mapping[str, Any], shape: tuple | None = None) -> np.ndarray:
        """Its value, where what it names has this shape; raises Unclear where there
        is none."""
        arrays = {name: np.asarray(value) for name, value in values.items()}
        ranks = {
            name: len(self.section.shape(name.removeprefix("bar "))) for name in arrays
        }
        leading = np.broadcast_shapes(
            *(a.shape[: max(a.ndim - ranks[name], 0)] for name, a in arrays.items())
        )
        results = []
        for place in np.ndindex(leading):
            one = {}
            for name, array in arrays.items():
                own = array.shape[max(array.ndim - ranks[name], 0) :]
                has_more = array.ndim > len(own)
                whole = (*leading, *own)
                one[name] = np.broadcast_to(array, whole)[place] if has_more else array
            results.append(self._once(one, shape))
        return np.array(results).reshape((*leading, *np.shape(results[0])))

    def _once(self, values: dict[str, np.ndarray], shape: tuple | None) -> np.ndarray:
        refused: Unclear | None = None
        for side in self.sides:
            try:
                return self.section.value(self, side, values, shape)
            except Unclear as error:
                refused = refused or error
        raise refused or Unclear(f"{self.name} has no formula")


def rules(page: Page) -> list[Rule]:
    """The maps and the gradients of inputs that a page states."""
    found = []
    for number, section in enumerate(sections(page, Scope())):
        reader = _Section(page, number, section.scope)
        sizes = {size for its in section.scope.domains.values() for size in its}
        for read in section.reads:
            for at, statement in enumerate(read.statements):
                where = read.formula.start + statement.position
                if not set(statement.relations) <= {"="}:
                    continue
                stated = read.premises.get(at) or ""
                for side in statement.sides:
                    is_map = stated in section.scope.maps and side is statement.sides[0]
                    symbol = bare(side) if is_map else _input(side)
                    if not isinstance(symbol, Symbol):
                        continue
                    name, subscript = name_of(symbol, section.scope)
                    if name in sizes:  # how many there are is no map
                        continue
                    others = tuple(each for each in statement.sides if each != side)
                    if others and not is_numeric(others[0]):
                        rule = Rule(
                            ("" if is_map else "bar ") + plain(name),
                            read.formula.shown,
                            page.line(where),
                            reader,
                            subscript,
                            others,
                            read.formula.start,
                            is_unchecked(page, read),
                        )
                        found.append(rule)
        reader.rules = [each for each in found if each.section is reader]
    return found


def _input(side: Node) -> Node | None:
    """The symbol whose gradient is marked as downstream."""
    if not isinstance(side, Role) or side.role != "downstream":
        return None
    gradient = bare(side)
    if isinstance(gradient, Bar):
        return gradient.symbol
    return gradient.by if _is_of_loss(gradient) else None


def _is_of_loss(node: Node) -> TypeGuard[Derivative]:
    return (
        isinstance(node, Derivative)
        and isinstance(node.above, Symbol)
        and node.above.name == "L"
    )


class _Section:
    """What a section states, read again for arrays of other sizes."""

    def __init__(self, page: Page, number: int, scope: Scope) -> None:
        self._page = page
        self._number = number
        self._scope = scope
        self._scopes: dict[tuple, Scope] = {}
        self.rules: list[Rule] = []

    @cached_property
    def inputs(self) -> set[str]:
        """Names of what it knows, and does not state."""
        return set(map(plain, self._scope.known - self._scope.maps.keys()))

    def names(self, node: Node) -> Iterator[str]:
        of_loss = [
            each
            for each in walk(node)
            if _is_of_loss(each) and "L" not in self._scope.maps
        ]
        bars = {id(each.symbol) for each in walk(node) if isinstance(each, Bar)}
        bars |= {id(each.by) for each in of_loss}
        losses = {id(each.above) for each in of_loss}
        letters = {letter for each in symbols(node) for letter, _ in each.indices}
        for symbol in symbols(node):
            name = plain(name_of(symbol, self._scope)[0])
            if name not in letters and id(symbol) not in losses:
                yield ("bar " if id(symbol) in bars else "") + name

    def shape(self, name: str) -> tuple[int, ...]:
        return next(
            (s for each, s in self._scope.shapes.items() if plain(each) == name), ()
        )

    def value(
        self,
        rule: Rule,
        side: Node,
        values: dict[str, np.ndarray],
        own: tuple[int, ...] | None,
    ) -> np.ndarray:
        name = rule.name.removeprefix("bar ")
        numbers = Numbers(self._fitted(values, name, own), values, self.rules)
        shape = next(
            (s for n, s in numbers.scope.shapes.items() if plain(n) == name), ()
        )
        return _floats(
            numbers.defined(name, Definition(rule.subscript, side, 0), shape)
        )

    def _fitted(
        self, values: dict[str, np.ndarray], own: str, its: tuple[int, ...] | None
    ) -> Scope:
        shapes: dict[str, tuple[int, ...]] = {} if its is None else {own: its}
        for name, array in values.items():
            base = name.removeprefix("bar ")
            if shapes.setdefault(base, array.shape) != array.shape:
                raise Unclear(f"{base} and its gradient differ in shape")
        key = tuple(sorted(shapes.items()))
        if key not in self._scopes:
            self._scopes[key] = self._read_again(shapes)
        return self._scopes[key]

    def _read_again(self, shapes: dict[str, tuple[int, ...]]) -> Scope:
        letters: dict[str, int] = {}
        given = {}
        for name, domain in self._scope.domains.items():
            for letter, size in zip(domain, shapes.get(plain(name), ())):
                if not letter.isdigit() and letters.setdefault(letter, size) != size:
                    raise Unclear(f"{letter} is {letters[letter]} and {size}")
        for name in {*self._scope.shapes, *self._scope.known}:
            if plain(name) in shapes:
                given[name] = shapes[plain(name)]
        scope = Scope(letters={**SIZES, **letters}, given_shapes=given)
        for number, section in enumerate(sections(self._page, scope)):
            if number == self._number:
                return section.scope
        raise AssertionError("the page has fewer sections than before")


class Numbers(Meaning):
    """Evaluates nodes at numbers."""

    def __init__(
        self, scope: Scope, values: Mapping[str, np.ndarray], given: list[Rule]
    ) -> None:
        super().__init__(scope)
        self._values = values
        self._rules = {each.name: each for each in given if not each.element}

    def value(self, node: Node, at: At = ANYWHERE) -> Value:
        if isinstance(node, _SYMBOLIC) or (
            isinstance(node, Call) and node.name in CALLED
        ):
            return self._substituted(Meaning(self.scope).value(node, At(at.bound)))
        return super().value(node, at)

    def of_quotient(self, node: Quotient, at: At) -> Value:
        below = self.value(node.below, at)
        if not np.shape(below) and below.is_zero:
            return sympy.nan  # at a point where it has no value
        return super().of_quotient(node, at)

    def defined(
        self, name: str, definition: Definition, shape: tuple[int, ...]
    ) -> Value:
        """What a definition gives, for each value of its indices."""
        axes = [
            range(1 - offset, size + 1 - offset) if letter else range(1)
            for (letter, offset), size in zip(definition.indices, shape)
        ]
        if not definition.indices:
            value = self.value(definition.node)
            if np.shape(value) == (*shape, 1) or np.shape(value) == (1, *shape):
                return np.reshape(value, shape)
            return value
        found = np.empty(tuple(map(len, axes)), dtype=object)
        for at in np.ndindex(found.shape):
            bound = {
                letter: axis[place]
                for (letter, _), axis, place in zip(definition.indices, axes, at)
                if letter
            }
            found[at] = self.value(definition.node, At(bound))
        letters = [bool(letter) for letter, _ in definition.indices]
        free = [n for n, is_free in zip(found.shape, letters) if is_free]
        return found.reshape(free)[()]

    def whole(self, name: str, stop: Held = frozenset()) -> Value:
        if plain(name) in self._values:
            return self._given(plain(name))
        if name not in self.scope.maps:
            raise Unclear(f"no value of {plain(name)}")
        definition = self.scope.maps[name]
        return self._once(
            (name, "number"),
            lambda: self.defined(name, definition, self.scope.shapes.get(name, ())),
        )

    def _given(self, name: str) -> Value:
        return self._once((name, "given"), lambda: _exactly(self._values[name]))

    def upstream(self, name: str) -> Value:
        return self.gradient(name)

    def gradient(self, name: str) -> Value:
        gradient = "bar " + plain(name)
        if gradient in self._values:
            return self._given(gradient)
        if name in self.scope.outputs and "L" not in self.scope.maps:
            raise Unclear(f"no value of {gradient}")
        rule = self._rules.get(gradient)
        if rule is None:
            return self._substituted(Meaning(self.scope).gradient(name))
        return self._once(
            (name, "rule"),
            lambda: self.defined(
                name,
                Definition(rule.subscript, rule.sides[0], 0),
                self.scope.shapes.get(name, ()),
            ),
        )

    def _substituted(self, value: Value) -> Value:
        """With numbers in the place of the symbols of what was given."""
        meaning = Meaning(self.scope)
        pairs: dict[Value, Value] = {}
        for name in {*self.scope.known, *self.scope.maps, *self.scope.shapes}:
            for prefix, inputs in (("", meaning.base), ("bar ", meaning.upstream)):
                if (given := prefix + plain(name)) in self._values:
                    for symbol, number in zip(
                        np.ravel(inputs(name)), np.ravel(_exactly(self._values[given]))
                    ):
                        parts = number.as_real_imag()
                        pairs.update(zip(parts_of(symbol), parts))
        return each_of(lambda each: sympy.sympify(each).subs(pairs), value)


def _exactly(array: np.ndarray) -> Value:
    def one(number: Any) -> Value:
        if np.iscomplexobj(number):
            return sympy.Float(number.real, _DIGITS) + sympy.I * sympy.Float(
                number.imag, _DIGITS
            )
        return sympy.Float(float(number), _DIGITS)

    return each_of(one, array if array.shape else array[()])


def _floats(value: Value) -> np.ndarray:
    def one(number: Any) -> complex:
        number = sympy.sympify(number)
        if free := sorted(plain(s.name) for s in number.free_symbols):
            raise Unclear(f"no value of {free[0]}")
        if not isinstance(number, sympy.Expr):
            raise Unclear("a part of it is no number")
        return complex(number) if number is not sympy.zoo else complex("nan")

    found = np.array(each_of(one, value), complex)
    return found if found.imag.any() else found.real
