"""What a formula means: SymPy expressions, one for each element of small arrays.

A symbol is an input, or is defined by a premise; arrays have a few elements.
Differentials are symbols of their own, so that a differential is a linear form and
a gradient is read off as the coefficient of one. ``L`` is, unless the page says
otherwise, the sum of upstream times output over all outputs of the map.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from . import points
from .latex import CALLED, Refusal
from .nodes import (
    Abs,
    Bar,
    Bracket,
    Call,
    Cases,
    Constant,
    Derivative,
    Differential,
    Elementwise,
    Extreme,
    Gradient,
    Group,
    Index,
    Integral,
    Limit,
    Matrix,
    Node,
    Norm,
    Number,
    Over,
    Pairing,
    Power,
    Product,
    Quotient,
    Role,
    Slope,
    Statement,
    Sum,
    Symbol,
    Total,
    Transpose,
    WholeProduct,
)
from .tree import Tree, bare, is_upstream, walk
from .tree import symbols as symbols_of

SIZES = {"n": 3, "m": 2, "k": 4, "p": 2, "q": 3, "d": 3, "b": 2}
"""Elements along a dimension with a name; a letter that is not here has 3."""

Value = Any
"""A SymPy expression, or a NumPy array of them."""
Bound = dict[str, int]
"""Index letters, and the numbers that they stand for."""
Held = frozenset[str]
"""Names that are not written in inputs, for a derivative by them."""

_EXPONENT, _TERMS, _OPERATIONS, _INVERSE = 4096, 100, 200, 4
"""How large a thing may be: what is larger would take too long."""
_STEPS = {"sign", "round", "floor"}
"""Functions without a slope: what they define is a symbol of its own."""


_CONSTANTS = {"e": sympy.E, "pi": sympy.pi, "i": sympy.I, "infty": sympy.oo}
_ANY = {
    "f": lambda x: sympy.exp(x / 3) + sympy.sin(2 * x + 1),
    "g": lambda x: sympy.exp(-x / 5) + sympy.cos(3 * x + 2),
}
"""What stands for any function: what holds of these two holds of all."""


class Unclear(Refusal):
    """A formula in the grammar that has no meaning here."""


@dataclass(frozen=True)
class At:
    """Where an expression is evaluated."""

    bound: Bound = field(default_factory=dict)
    stop: Held = frozenset()


ANYWHERE = At()


@dataclass(frozen=True)
class Definition:
    """``name_indices = node``, as a premise states it."""

    indices: tuple[Index, ...]
    node: Node
    where: int
    """Which premise it is."""


@dataclass
class Scope:
    """What holds at one place of a page."""

    letters: dict[str, int] = field(default_factory=lambda: SIZES)
    """How many elements there are along a dimension of this name."""
    given_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Of arrays that are at hand; whatever the page says of their sizes."""
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    domains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Dimensions of arrays, as the page writes them."""
    complex: set[str] = field(default_factory=set)
    """Symbols that were said to be in ``\\C``; all others are real."""
    sizes: dict[str, int] = field(default_factory=dict)
    """How many elements there are along the dimensions of the domains."""
    maps: dict[str, Definition] = field(default_factory=dict)
    functions: dict[str, tuple[str, Node, int]] = field(default_factory=dict)
    values: dict[str, Node] = field(default_factory=dict)
    given_at: dict[str, int] = field(default_factory=dict)
    """Where the text gave these values."""
    conditions: list[tuple[int, Statement]] = field(default_factory=list)
    """What restricts the symbols, and where that is said."""
    passing: list[tuple[int, Statement]] = field(default_factory=list)
    """The same in running text; it holds up to the next display."""
    known: set[str] = field(default_factory=set)
    outputs: list[str] = field(default_factory=list)
    decided: tuple[Node, int] | None = None
    """What ``dL := `` was decided to be."""

    def within(self, keeps_values: bool) -> "Scope":
        """The scope of the next section: maps stay, conditions do not."""
        return replace(
            self,
            shapes=dict(self.shapes),
            domains=dict(self.domains),
            sizes={},
            complex=set(self.complex),
            functions=dict(self.functions),
            maps={k: v for k, v in self.maps.items() if k != "L"},
            values=dict(self.values) if keeps_values else {},
            given_at=dict(self.given_at) if keeps_values else {},
            conditions=[],
            passing=[],
            known=set(self.known),
            outputs=list(self.outputs),
            decided=None,
        )


def name_of(symbol: Symbol, scope: Scope) -> tuple[str, tuple[Index, ...]]:
    """The name of a symbol and its indices: ``x_0`` is a name of its own unless
    ``x`` is an array."""
    name, indices = symbol.name, symbol.indices
    if symbol.word:
        return f"{name}_{symbol.word}", ()
    if not indices or scope.shapes.get(name):
        return name, indices
    if all(not letter for letter, _ in indices):
        return name + "_" + ",".join(str(number) for _, number in indices), ()
    return name, indices


class Meaning:
    """Evaluates nodes in one scope: SymPy expressions, or arrays of them."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.used: set[int] = set()
        """Premises that were looked up."""
        self._memo: dict = {}

    # Symbols.

    def base(self, name: str) -> Value:
        """The array of symbols that stands for an input."""
        return self._symbols(name, name)

    def _symbols(self, name: str, shown: str) -> Value:
        shape = self.scope.shapes.get(name, ())
        real = _symbols(shown, shape)
        if name not in self.scope.complex:
            return real
        return real + sympy.I * _symbols(shown + " imaginary", shape)

    def is_base(self, name: str) -> bool:
        definition = self.scope.maps.get(name)
        return definition is None or any(
            isinstance(node, Call) and node.name in _STEPS
            for node in walk(definition.node)
        )

    def _in_its_domain(self, name: str, value: Value, node: Node) -> Value:
        """The value; refused if it is complex where its symbol is said to be real."""
        for each in () if name in self.scope.complex else np.ravel(value):
            if not _is_plainly_real(each):
                try:
                    points.hold("=", ((each, sympy.conjugate(each)),))
                except points.Refuted:
                    raise Unclear(
                        rf"{plain(name)} is complex, but not in \C", node.position
                    ) from None
        return value

    def whole(self, name: str, stop: Held = frozenset()) -> Value:
        """A symbol's value in terms of inputs and of what is in ``stop``."""
        if definition := self.scope.maps.get(name):
            self.used.add(definition.where)
        if name in stop or self.is_base(name):
            if name not in self.scope.known and name not in self.scope.maps:
                instead = r"; write \d for a differential" if name == "d" else ""
                raise Unclear(f"unknown symbol {plain(name)}{instead}")
            return self.base(name)
        return self._once(
            (name, stop),
            lambda: self._in_its_domain(
                name, self._defined(name, stop), self.scope.maps[name].node
            ),
        )

    def _once(self, key: tuple, compute: Callable) -> Value:
        """A value that is computed once, with the premises that it used."""
        if key not in self._memo:
            outer, self.used = self.used, set()
            self._memo[key] = None
            try:
                self._memo[key] = compute(), self.used
            finally:
                self.used = outer
                if self._memo[key] is None:
                    del self._memo[key]
        if self._memo[key] is None:
            raise Unclear(f"{plain(key[0])} is defined by itself")
        value, used = self._memo[key]
        self.used |= used
        return value

    def _defined(self, name: str, stop: Held) -> Value:
        definition = self.scope.maps[name]
        shape = self.scope.shapes.get(name, ())
        if not definition.indices:
            value = self.value(definition.node, At({}, stop))
            if np.shape(value) == (*shape, 1) and shape:
                value = value[..., 0]  # a vector, written as a column
            if np.shape(value) != shape:
                raise Unclear(
                    f"{plain(name)} has shape {list(shape)}, what defines"
                    f" it {list(np.shape(value))}",
                    definition.node.position,
                )
            return value
        array = np.empty(shape, dtype=object)
        for at in np.ndindex(shape):
            bound = {
                letter: number + 1 - offset
                for (letter, offset), number in zip(definition.indices, at)
            }
            array[at] = self.value(definition.node, At(bound, stop))
        return array

    def resolve(self, node: Symbol, bound: Bound) -> tuple[str, tuple[int, ...]]:
        """A symbol's name and the numbers of its element."""
        name, subscript = name_of(node, self.scope)
        numbers = []
        for letter, number in subscript:
            if letter and letter not in bound:
                raise Unclear(f"index {letter} is not bound", node.position)
            numbers.append(bound.get(letter, 0) + number)
        if subscript and not self.scope.shapes.get(name):
            return name + "_" + ",".join(map(str, numbers)), ()
        return name, tuple(numbers)

    # Expressions.

    def value(self, node: Node, at: At = ANYWHERE) -> Value:
        """A SymPy expression, or an array of them."""
        try:
            return getattr(self, f"of_{type(node).__name__.lower()}")(node, at)
        except Refusal as error:
            error.position = error.position or node.position
            raise
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # SymPy and NumPy refuse what makes no sense in ways of their own.
            raise Unclear(f"makes no sense: {error}", node.position) from error

    def of_number(self, node: Number, at: At) -> Value:
        return sympy.Rational(node.value.numerator, node.value.denominator)

    def of_constant(self, node: Constant, at: At) -> Value:
        return _CONSTANTS[node.name]

    def of_symbol(self, node: Symbol, at: At) -> Value:
        name, indices = self.resolve(node, at.bound)
        if name in at.bound:
            return sympy.Integer(at.bound[name])  # an index as a number
        if (
            name
            in self.scope.sizes.keys()
            - self.scope.shapes.keys()
            - self.scope.maps.keys()
        ):
            return sympy.Integer(self.scope.sizes[name])
        return _element(self.whole(name, at.stop), indices, node)

    def of_group(self, node: Group, at: At) -> Value:
        return self.value(node.inner, at)

    def of_sum(self, node: Sum, at: At) -> Value:
        total, is_number = None, True
        for sign, term in node.terms:
            value = sign * self.value(term, at)
            number = isinstance(term, Number)
            if (
                total is not None
                and np.shape(total) != np.shape(value)
                and not (number or is_number)
            ):
                raise Unclear(
                    f"a sum of shapes {list(np.shape(total))} and"
                    f" {list(np.shape(value))}",
                    term.position,
                )
            total = value if total is None else total + value
            is_number = is_number and number
        return total

    def of_product(self, node: Product, at: At) -> Value:
        factors = node.factors
        if sum(map(is_upstream, factors)) > 1:
            raise Unclear("two upstream gradients in one product", node.position)
        values = [self.value(factor, at) for factor in factors]
        product, is_row = values[0], False
        for before, factor, value in zip(factors, factors[1:], values[1:]):
            # An upstream gradient is a row; any other vector is a column.
            is_row = (
                is_row
                or is_upstream(before)
                or any(isinstance(each, Bar) for each in walk(before))
            )
            if (
                len(np.shape(product)) == 1
                and not is_row
                and (
                    len(np.shape(value)) == 1
                    or (len(np.shape(value)) == 2 and value.shape[0] > 1)
                )
            ):
                raise Unclear("a column before an array: transpose it", factor.position)
            product = _multiply(product, value, factor)
        return product

    def of_elementwise(self, node: Elementwise, at: At) -> Value:
        if is_upstream(node.one) and is_upstream(node.other):
            raise Unclear("two upstream gradients in one product", node.position)
        a, b = self.value(node.one, at), self.value(node.other, at)
        if np.shape(a) != np.shape(b) or not np.shape(a):
            raise Unclear(r"\odot needs two arrays of one shape", node.position)
        return a * b

    def of_quotient(self, node: Quotient, at: At) -> Value:
        above, below = self.value(node.above, at), self.value(node.below, at)
        if np.shape(below):
            raise Unclear("division by an array", node.position)
        if below == 0:
            raise Unclear("division by 0", node.position)
        return above / below

    def of_power(self, node: Power, at: At) -> Value:
        a, b = self.value(node.base, at), self.value(node.exponent, at)
        if np.shape(b):
            raise Unclear("an array as an exponent", node.position)
        if np.shape(a):
            if len(a.shape) != 2 or a.shape[0] != a.shape[1] or not b.is_Integer:
                raise Unclear(
                    "a power of an array that is no square matrix", node.position
                )
            return _matrix_power(a, int(b), node)
        if (b.is_number and not abs(b) <= _EXPONENT) or _stories(b) > 2:
            raise Unclear("too large an exponent", node.position)
        if a == 0 and b.is_negative:
            raise Unclear("division by 0", node.position)
        return a**b

    def of_transpose(self, node: Transpose, at: At) -> Value:
        value = self.value(node.inner, at)
        if len(np.shape(value)) == 1:
            return value.reshape(1, -1)
        return np.transpose(value) if np.shape(value) else value

    def of_abs(self, node: Abs, at: At) -> Value:
        value = self.value(node.inner, at)
        if sympy.sympify(value).has(sympy.I):
            return sympy.sqrt(_squared_modulus(value))
        return sympy.Abs(value)

    def of_norm(self, node: Norm, at: At) -> Value:
        kind = node.which
        value = self.value(node.inner, at)
        if len(np.shape(value)) == 2 and kind != "F" and 1 not in np.shape(value):
            raise Unclear(r"a matrix has \|X\|_F here, and no other norm")
        squares = [_squared_modulus(each) for each in np.ravel(value)]
        if kind in ("2", "F"):
            return sympy.sqrt(sum(squares))
        sizes = [sympy.sqrt(each) for each in squares]
        return sum(sizes) if kind == "1" else _extreme("max", sizes)

    def of_pairing(self, node: Pairing, at: At) -> Value:
        a, b = self.value(node.one, at), self.value(node.other, at)
        if np.shape(a) != np.shape(b):
            raise Unclear("a pairing of two shapes", node.position)
        return sum(np.ravel(each_of(sympy.conjugate, a)) * np.ravel(b))

    def of_matrix(self, node: Matrix, at: At) -> Value:
        values = [[self.value(each, at) for each in row] for row in node.rows]
        if node.name == "tuple":
            return _array([value for (value,) in values])
        return _array(values)

    def of_cases(self, node: Cases, at: At) -> Value:
        pieces = [
            (
                self.value(value, at),
                True if condition is None else self.condition(condition, at),
            )
            for value, condition in node.pieces
        ]
        stated = [condition for _, condition in pieces if condition is not True]
        overlap = sympy.Or(
            *(sympy.And(one, other) for one, other in itertools.combinations(stated, 2))
        )
        if pieces[-1][1] is not True:
            pieces.append((sympy.nan, True))
        return sympy.Piecewise((sympy.nan, overlap), *pieces)

    def of_bracket(self, node: Bracket, at: At) -> Value:
        return sympy.Piecewise((1, self.condition(node.condition, at)), (0, True))

    def condition(self, statement: Statement, at: At = ANYWHERE) -> Value:
        """A chain of relations as one SymPy condition; indices compare at once."""
        sides = [self.value(side, at) for side in statement.sides]
        kinds = {"=": sympy.Eq, **points.ORDERS}
        if not set(statement.relations) <= kinds.keys() or any(map(np.shape, sides)):
            raise Unclear("not a condition", statement.position)
        return sympy.And(
            *(
                kinds[relation](one, other)
                for relation, one, other in zip(statement.relations, sides, sides[1:])
            )
        )

    def of_total(self, node: Total, at: At) -> Value:
        terms = list(self._over(node, at))
        return sum(terms, start=terms[0] * 0) if terms else sympy.Integer(0)

    def of_wholeproduct(self, node: WholeProduct, at: At) -> Value:
        return sympy.prod(self._over(node, at))

    def of_extreme(self, node: Extreme, at: At) -> Value:
        over = Over(node.position, node.letters, node.body)
        return _extreme(node.name, list(self._over(over, at)))

    def _over(self, node: Over, at: At) -> Iterator[Value]:
        """What a sum adds: over all that its letters index, or what it says."""
        letters, body, condition = node.letters, node.body, node.condition
        if node.limits:
            low, high = (self._limit(each, at) for each in node.limits)
            ranges = {letters[0]: range(low, high + 1)}
        else:
            sizes = ranges_of((body, condition), self.scope)
            for letter in letters:
                if letter not in sizes:
                    raise Unclear(
                        f"nothing that is summed has the index {letter}", body.position
                    )
            ranges = {letter: range(1, sizes[letter] + 1) for letter in letters}
        for numbers in itertools.product(*(ranges[letter] for letter in letters)):
            inner = replace(at, bound={**at.bound, **dict(zip(letters, numbers))})
            holds = condition is None or self.condition(condition, inner)
            if holds not in (True, False):
                raise Unclear("a sum over what no index decides", body.position)
            if holds:
                yield self.value(body, inner)

    def _limit(self, node: Node, at: At) -> int:
        of_domains = {
            letter: self.scope.letters.get(letter, 0)
            for domain in self.scope.domains.values()
            for letter in domain
        }
        inner = Meaning(replace(self.scope, sizes={**of_domains, **self.scope.sizes}))
        value = inner.value(node, at)
        if not getattr(value, "is_Integer", False) or abs(value) > _TERMS:
            raise Unclear("a sum needs numbers or sizes as limits", node.position)
        return int(value)

    def of_integral(self, node: Integral, at: At) -> Value:
        name = node.by.name
        inner = self._with_free(name)
        integrand = inner.value(node.body, at)
        self.used |= inner.used
        ends = self.value(node.low, at), self.value(node.high, at)
        return sympy.Integral(integrand, (inner.base(name), *ends))

    def of_limit(self, node: Limit, at: At) -> Value:
        inner = self._with_free(node.by.name)
        value = inner.value(node.body, at)
        self.used |= inner.used
        if np.shape(value) or sympy.count_ops(value) > _OPERATIONS:
            raise Unclear("a limit of too much", node.position)
        symbol, place = inner.base(node.by.name), self.value(node.point, at)
        if place in (sympy.oo, -sympy.oo):
            found = {sympy.limit(value, symbol, place)}
        else:  # on each side a branch is decided, where SymPy would take any
            step = sympy.Dummy(positive=True)
            found = {
                sympy.limit(value.subs(symbol, place + sign * step), step, 0)
                for sign in (1, -1)
                if "+-"[sign < 0] in node.sides
            }
        limit = found.pop()
        if found or limit.has(sympy.Limit, sympy.AccumBounds, sympy.nan):
            raise Unclear("no limit is found", node.position)
        return limit

    def of_call(self, node: Call, at: At) -> Value:
        values = [self.value(each, at) for each in node.arguments]
        if node.name in CALLED:
            return self._called(node.name, values, 0, node)
        return _apply(node.name, values, node)

    def of_slope(self, node: Slope, at: At) -> Value:
        r"""``f'(x)``: the derivative of a function at a place."""
        name, order = node.call.name, node.order
        values = [self.value(each, at) for each in node.call.arguments]
        if name in CALLED:
            return self._called(name, values, order, node)
        free = sympy.Dummy(real=True)
        slope = sympy.diff(_apply(name, [free], node), free, order)
        return each_of(lambda value: slope.subs(free, value), values[0])

    def _called(self, name: str, values: list, order: int, node: Node) -> Value:
        if len(values) != 1:
            raise Unclear(f"{name} takes one number", node.position)
        if np.shape(values[0]):
            return each_of(lambda e: self._called(name, [e], order, node), values[0])
        if name not in self.scope.functions:
            free = sympy.Dummy(real=True)
            return sympy.diff(_ANY[name](free), free, order).subs(free, values[0])
        parameter, body, where = self.scope.functions[name]
        self.used.add(where)
        inner = self._with_free(parameter)
        expression = inner.value(body)
        self.used |= inner.used
        free = inner.base(parameter)
        return sympy.diff(expression, free, order).subs(free, values[0])

    def _with_free(self, name: str) -> "Meaning":
        """Where a name is a number of its own: a parameter."""
        scope = self.scope
        return Meaning(
            replace(
                scope,
                known=scope.known | {name},
                shapes={k: v for k, v in scope.shapes.items() if k != name},
                maps={k: v for k, v in scope.maps.items() if k != name},
            )
        )

    # Roles.

    def of_role(self, node: Role, at: At) -> Value:
        """Refused around what it does not fit: upstream is the gradient of an
        output, downstream that of an input, and local has no gradient in it."""
        role, inner = node.role, node.inner
        value = self.value(inner, at)
        names = {
            symbol.name
            for each in np.ravel(value)
            for symbol in getattr(each, "free_symbols", ())
        }
        upstreams = {name for name in names if name.startswith("bar ")}
        if any(name.startswith("d ") for name in names):
            raise Unclear(f"a differential marked as {role}")
        if role == "local":
            if upstreams or any(map(self._is_of_loss, walk(inner))):
                raise Unclear("a gradient marked as local")
            return value
        for bar in (each for each in walk(inner) if isinstance(each, Bar)):
            name = self.resolve(bar.symbol, _loosely(at.bound))[0]
            outputs = self.scope.outputs
            if outputs and (role == "upstream") != (name in outputs):
                kind = "an output" if role == "downstream" else "no output"
                raise Unclear(
                    f"{plain(name)} is {kind}, and its gradient is marked as {role}"
                )
        if not names or self._is_gradient(_gradient_in(inner), role):
            return value
        if role == "upstream" and not upstreams and self._may_arrive(value, names):
            return value
        raise Unclear(f"marked as {role}, and no gradient")

    def _is_of_loss(self, node: Node) -> bool:
        if isinstance(node, Bar):
            return True
        above = bare(node.above) if isinstance(node, Derivative | Gradient) else node
        return isinstance(above, Symbol) and above.name == "L"

    def _is_gradient(self, node: Node, role: str) -> bool:
        if isinstance(node, Matrix):
            return all(self._is_gradient(e, role) for row in node.rows for e in row)
        if self._is_of_loss(node):
            return True
        if not isinstance(node, Derivative):
            return False
        one, other = bare(node.above), bare(node.by)
        if not isinstance(one, Symbol) or not isinstance(other, Symbol):
            return False
        # Where the last output stands for the loss: dy/du arrives at what made u.
        above, by = (name_of(each, self.scope)[0] for each in (one, other))
        return above in self.scope.outputs and (
            role == "downstream" or f"{by}_" in self._families or by in self.scope.maps
        )

    @property
    def _families(self) -> set[str]:
        """Names of which x_0, x_1, … are computed."""
        return {name.rpartition("_")[0] + "_" for name in self.scope.maps}

    def _may_arrive(self, value: Value, names: set[str]) -> bool:
        """Whether a value is the gradient of something computed; or made of
        symbols that no map has, and so may stand for one."""
        inputs = {
            name_of(symbol, self.scope)[0]
            for definition in self.scope.maps.values()
            for symbol in symbols_of(definition.node, is_upstream)
        }
        if not {name.partition("[")[0] for name in names} & inputs:
            return True
        if "L" not in self.scope.maps:
            return False
        true = Meaning(replace(self.scope, decided=None))
        gradients = [np.ravel(true.gradient(n)) for n in self.scope.maps if n != "L"]
        return any(
            all(any(_is_same(one, g) for g in gradient) for one in np.ravel(value))
            for gradient in gradients
        )

    # Differentials and gradients.

    def of_differential(self, node: Differential, at: At) -> Value:
        if node.order != 1:
            raise Unclear("a second differential alone")
        if self._is_loss(node.of, at):
            return self.loss_differential()
        return self._differential(self.value(node.of, at))

    def _is_loss(self, node: Node, at: At) -> bool:
        return isinstance(node, Symbol) and self.resolve(node, at.bound) == ("L", ())

    def _differential(self, value: Value) -> Value:
        def one(expression: Value) -> Value:
            return sum(
                (
                    sympy.diff(expression, s) * differential(s)
                    for s in _inputs(expression)
                ),
                sympy.Integer(0),
            )

        return each_of(one, value)

    def loss_differential(self) -> Value:
        """``dL``: decided, or that of what defines ``L``, or upstream times the
        differentials of all outputs."""
        return self._once(("L", "differential"), self._loss_differential)

    def _loss_differential(self) -> Value:
        if self.scope.decided:
            node, where = self.scope.decided
            self.used.add(where)
            return self.value(node)
        if "L" in self.scope.maps:
            return self._differential(self.whole("L"))
        return sum(
            (
                _real_pairing(self.upstream(name), self._differential(self.whole(name)))
                for name in self._outputs()
            ),
            sympy.Integer(0),
        )

    def _outputs(self) -> list[str]:
        if not self.scope.outputs:
            raise Unclear("no map is stated, so L depends on nothing")
        return self.scope.outputs

    def upstream(self, name: str) -> Value:
        return self._symbols(name, "bar " + name)

    def of_bar(self, node: Bar, at: At) -> Value:
        inner = node.symbol
        name, indices = self.resolve(inner, at.bound)
        free = "L" not in self.scope.maps and name in self.scope.outputs
        return _element(
            self.upstream(name) if free else self.gradient(name), indices, inner
        )

    def gradient(self, name: str) -> Value:
        """The gradient of ``L`` with respect to a symbol, in its shape."""
        if name not in self.scope.known and name not in self.scope.maps:
            raise Unclear(f"unknown symbol {plain(name)}")
        return self._once((name, "gradient"), lambda: self._gradient(name))

    def _gradient(self, name: str) -> Value:
        symbols = self.base(name)
        explicit = "L" in self.scope.maps and name in {
            self.resolve(node, _loosely({}))[0]
            for node in symbols_of(self.scope.maps["L"].node)
        }
        if self.scope.decided and not explicit:
            form = sympy.expand(self.loss_differential())
            return each_of(
                lambda s: _combined(s, lambda part: form.coeff(differential(part))),
                symbols,
            )
        stop = frozenset({name})
        if "L" in self.scope.maps:
            loss = self.whole("L", stop)
        else:
            loss = sum(
                (
                    _real_pairing(self.upstream(each), self.whole(each, stop))
                    for each in self._outputs()
                ),
                sympy.Integer(0),
            )
        return self._expanded(
            each_of(
                lambda s: _combined(s, lambda part: sympy.diff(loss, part)), symbols
            ),
            name,
        )

    def of_gradient(self, node: Gradient, at: At) -> Value:
        r"""``\nabla_x``: in the shape of ``x``."""
        by = _symbol(node.by)
        if self._is_loss(node.above, at):
            return self.of_bar(Bar(node.position, by), at)
        value = self.value(Derivative(node.position, node.above, by, 1), at)
        if np.ndim(value) > np.ndim(self.base(self.resolve(by, at.bound)[0])):
            raise Unclear("a gradient of what is no number", node.position)
        return np.transpose(value) if np.shape(value) else value

    def of_derivative(self, node: Derivative, at: At) -> Value:
        below, order = node.by, node.order
        conjugated = isinstance(below, Call)
        below = below.arguments[0] if isinstance(below, Call) else below
        if not isinstance(below, Symbol):
            raise Unclear("a derivative by what is no symbol", node.position)
        name, indices = self.resolve(below, at.bound)
        is_complex = name in self.scope.complex
        if (conjugated and not is_complex) or (is_complex and order > 1):
            raise Unclear("a derivative that is not defined here", node.position)

        def slope(value: Value, symbol: Value) -> Value:
            if is_complex:
                return _wirtinger(value, symbol, conjugated)
            return sympy.diff(value, symbol, order)

        if self._is_loss(node.above, at):
            if order > 1:
                raise Unclear("write L in its inputs for a second derivative")
            derivative = _element(self.gradient(name), indices, below)
            if is_complex:
                derivative = derivative / 2
                if not conjugated:
                    derivative = each_of(sympy.conjugate, derivative)
            # Numerator layout: the derivative of a number is laid out transposed.
            return np.transpose(derivative) if np.shape(derivative) else derivative
        symbols = _element(self.base(name), indices, below)
        value = self.value(node.above, replace(at, stop=at.stop | {name}))
        if not np.shape(value):
            jacobian = each_of(lambda s: slope(value, s), symbols)
            jacobian = np.transpose(jacobian) if np.shape(jacobian) else jacobian
        else:
            if len(np.shape(value)) > 1 or len(np.shape(symbols)) > 1:
                raise Unclear("a derivative with more than two axes", node.position)
            jacobian = _array([each_of(partial(slope, v), symbols) for v in value])
        return self._expanded(jacobian, name)

    def _expanded(self, value: Value, name: str) -> Value:
        """With what was held for the derivative written in inputs again."""
        if self.is_base(name):
            return value
        whole = self.whole(name)
        pairs = [
            pair
            for symbol, meant in zip(np.ravel(self.base(name)), np.ravel(whole))
            for pair in zip(parts_of(symbol), (_real(meant), _imaginary(meant)))
        ]
        return each_of(lambda e: sympy.sympify(e).subs(pairs, simultaneous=True), value)


def ranges_of(node: Tree, scope: Scope) -> dict[str, int]:
    """How many values each index letter takes, told by the arrays that have it."""
    ranges: dict[str, int] = {}
    for symbol in symbols_of(node):
        name, subscript = name_of(symbol, scope)
        shape = scope.shapes.get(name)
        if not shape or not subscript:
            continue
        if len(shape) != len(subscript):
            raise Unclear(
                f"{plain(name)} has {len(shape)} axes and {len(subscript)} indices",
                symbol.position,
            )
        for (letter, _offset), size in zip(subscript, shape):
            if letter and ranges.setdefault(letter, size) != size:
                raise Unclear(
                    f"index {letter} runs to {ranges[letter]} and to {size}",
                    symbol.position,
                )
    return ranges


def differential(symbol: Value) -> Value:
    """The symbol of an input's small change."""
    return sympy.Symbol("d " + symbol.name, real=True)


def parts_of(symbol: Value) -> tuple:
    """The real symbols that an input consists of: itself, or real and imaginary."""
    if symbol.is_Symbol:
        return (symbol,)
    return symbol.as_real_imag()


def _combined(symbol: Value, of_part: Callable) -> Value:
    """A gradient of ``L``, from what belongs to the parts of an input."""
    real, *imaginary = map(of_part, parts_of(symbol))
    return real + sympy.I * imaginary[0] if imaginary else real


def _wirtinger(value: Value, symbol: Value, conjugated: bool) -> Value:
    real, imaginary = (sympy.diff(value, part) for part in parts_of(symbol))
    return (real + (sympy.I if conjugated else -sympy.I) * imaginary) / 2


def _real(value: Value) -> Value:
    return value if _is_plainly_real(value) else (value + sympy.conjugate(value)) / 2


def _imaginary(value: Value) -> Value:
    return (
        sympy.Integer(0)
        if _is_plainly_real(value)
        else (value - sympy.conjugate(value)) / (2 * sympy.I)
    )


def _is_plainly_real(value: Value) -> bool:
    # Every symbol is real, and SymPy writes what is not with its I.
    return not sympy.sympify(value).has(sympy.I)


def _squared_modulus(value: Value) -> Value:
    if _is_plainly_real(value):
        return value**2
    return sympy.expand(value * sympy.conjugate(value))


def _real_pairing(upstream: Value, value: Value) -> Value:
    """What a small change of a value does to ``L``: for complex ones, the real
    part of the conjugated upstream gradient times the change."""
    return _real(sum(np.ravel(each_of(sympy.conjugate, upstream) * value)))


def _inputs(expression: Value) -> list:
    return sorted(
        (
            s
            for s in sympy.sympify(expression).free_symbols
            if not s.name.startswith(("d ", "bar "))
        ),
        key=lambda s: s.name,
    )


def _symbols(name: str, shape: tuple[int, ...]) -> Value:
    if not shape:
        return sympy.Symbol(name, real=True)
    array = np.empty(shape, dtype=object)
    for at in np.ndindex(shape):
        array[at] = sympy.Symbol(
            name + "[" + ",".join(str(n + 1) for n in at) + "]", real=True
        )
    return array


def plain(name: str) -> str:
    return name.replace("\\", "")


def _element(array: Value, indices: tuple[int, ...], node: Node) -> Value:
    if not indices:
        return array
    if len(indices) != len(np.shape(array)) or any(
        not 1 <= number <= size for number, size in zip(indices, array.shape)
    ):
        raise Unclear(
            f"no element {indices} in shape {list(np.shape(array))}", node.position
        )
    return array[tuple(number - 1 for number in indices)]


def _loosely(bound: Bound) -> Bound:
    return {letter: bound.get(letter, 1) for letter in "abcdefghijklmnopqrstuvwxyz"}


def _array(values: list[Value]) -> Value:
    rows = values.tolist() if isinstance(values, sympy.MatrixBase) else list(values)
    array = np.empty(_shape(rows), dtype=object)
    for at in np.ndindex(array.shape):
        item = rows
        for number in at:
            item = item[number]
        array[at] = item
    return array


def _shape(rows: Any) -> tuple[int, ...]:
    if isinstance(rows, (list, np.ndarray)):
        return (len(rows), *_shape(rows[0]))
    return ()


def each_of(function: Callable, value: Value) -> Value:
    if not np.shape(value):
        return function(value)
    return np.vectorize(function, otypes=[object])(value)


def _multiply(a: Value, b: Value, node: Node) -> Value:
    """A product: scalars scale, arrays multiply as matrices do."""
    if not np.shape(a) or not np.shape(b):
        return a * b
    if len(a.shape) == 1 and len(b.shape) == 2 and b.shape[0] == 1 and a.shape[0] > 1:
        return a.reshape(-1, 1) @ b  # a column times a row
    if a.shape[-1] != b.shape[0]:
        raise Unclear(
            f"shapes {list(a.shape)} and {list(b.shape)} do not multiply", node.position
        )
    product = a @ b
    # A row times a column is a number, however the two are written.
    if np.shape(product) == (1, 1) or np.shape(product) == (1,):
        return product.ravel()[0]
    return product


def _gradient_in(node: Node) -> Node:
    """What is left without conjugates, transposes and parentheses."""
    while True:
        match node:
            case Role(_, _, inner) | Group(_, inner) | Transpose(_, inner):
                node = inner
            case Call(_, "conj", (inner, *_)):
                node = inner
            case _:
                return node


def _symbol(node: Node) -> Symbol:
    if not isinstance(node, Symbol):
        raise Unclear("a gradient by what is no symbol", node.position)
    return node


def _is_same(one: Value, other: Value) -> bool:
    try:
        points.hold("=", ((sympy.sympify(one), sympy.sympify(other)),))
    except Refusal:
        return False
    return True


def _stories(exponent: Value) -> int:
    """How many powers stand on each other above a base."""
    powers = [p for p in exponent.atoms(sympy.Pow, sympy.exp) if p.exp.free_symbols]
    return 1 + max((_stories(power.exp) for power in powers), default=0)


def _matrix_power(array: Value, exponent: int, node: Node) -> Value:
    matrix = sympy.Matrix(array)
    if abs(exponent) > _INVERSE or (
        exponent < 0 and len(array) > _INVERSE and matrix.free_symbols
    ):
        raise Unclear("a power of a matrix that takes too long", node.position)
    if exponent < 0 and matrix.free_symbols:
        matrix, exponent = matrix.adjugate() / _determinant(matrix), -exponent
    return _array(matrix**exponent)


def _determinant(matrix: sympy.Matrix) -> Value:
    """By the way that does not divide: SymPy's usual one simplifies at each step."""
    return matrix.det(method="berkowitz")


def _extreme(name: str, values: list[Value]) -> Value:
    best = values[0]
    for value in values[1:]:
        better = value > best if name == "max" else value < best
        best = sympy.Piecewise((value, better), (best, True))
    return best


SCALAR: dict[str, Callable[[Value], Value]] = {
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "cot": sympy.cot,
    "sec": lambda x: 1 / sympy.cos(x),
    "csc": lambda x: 1 / sympy.sin(x),
    "sech": lambda x: 1 / sympy.cosh(x),
    "csch": lambda x: 1 / sympy.sinh(x),
    "coth": sympy.coth,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "arctan": sympy.atan,
    "exp": sympy.exp,
    "log": sympy.log,
    "ln": sympy.log,
    "sign": sympy.sign,
    "erf": sympy.erf,
    "arcsin": sympy.asin,
    "arccos": sympy.acos,
    "artanh": sympy.atanh,
    "arsinh": sympy.asinh,
    "arcosh": sympy.acosh,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
    "conj": sympy.conjugate,
    "Re": _real,
    "Im": _imaginary,
    "arg": lambda z: sympy.atan2(_imaginary(z), _real(z)),
    "sigmoid": lambda x: 1 / (1 + sympy.exp(-x)),
    "softplus": lambda x: sympy.log(1 + sympy.exp(x)),
    "relu": lambda x: sympy.Piecewise((x, x > 0), (0, True)),
    "expm1": lambda x: sympy.exp(x) - 1,
    "log1p": lambda x: sympy.log(1 + x),
    "round": lambda x: sympy.floor(x + sympy.Rational(1, 2)),
}


def _apply(name: str, values: list, node: Node) -> Value:
    first = values[0]
    if name in SCALAR and len(values) == 1:
        return each_of(SCALAR[name], first)
    if name in ("max", "min") and len(values) == 1 and np.shape(first):
        return _extreme(name, list(np.ravel(first)))
    if name in ("max", "min") and len(values) > 1:
        # A number beside an array counts for each of its elements.
        shapes = {np.shape(value) for value in values} - {()}
        if len(shapes) == 1:
            each = np.broadcast(*values)
            return _array([_extreme(name, list(e)) for e in each]).reshape(each.shape)
        if not shapes:
            return _extreme(name, values)
    if name == "clip" and len(values) == 3:
        inner = _apply("min", [values[2], first], node)
        return _apply("max", [values[1], inner], node)
    if name == "det":
        return _determinant(sympy.Matrix(first))
    if name == "tr":
        return sum(first[i, i] for i in range(len(first)))
    if name == "diag" and len(np.shape(first)) == 1:
        return _array(sympy.diag(*first))
    if name in ("sum", "mean") and np.shape(first):
        return sum(np.ravel(first)) / (1 if name == "sum" else np.size(first))
    if name in ("softmax", "logsumexp") and len(np.shape(first)) == 1:
        total = sum(sympy.exp(each) for each in first)
        return (
            sympy.log(total)
            if name == "logsumexp"
            else each_of(lambda each: sympy.exp(each) / total, first)
        )
    raise Unclear(f"{name} of this is not defined", node.position)
