"""What a formula means: SymPy expressions, one for each element of small arrays.

A symbol is an input, or is defined by a premise; arrays have a few elements.
Differentials are symbols of their own, so that a differential is a linear form and
a gradient is read off as the coefficient of one. ``L`` is, unless the page says
otherwise, the sum of upstream times output over all outputs of the map.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy

from . import points
from .latex import CALLED, Node, Statement
from .tree import Tree, is_upstream, walk
from .tree import symbols as symbols_of

SIZES = {"n": 3, "m": 2, "k": 4, "p": 2, "q": 3, "d": 3, "b": 2}
"""Elements along a dimension with a name; a letter that is not here has 3."""

Value = Any
"""A SymPy expression, or a NumPy array of them."""
Bound = dict[str, int]
"""Index letters, and the numbers that they stand for."""
Held = frozenset[str]
"""Names that are not written in inputs, for a derivative by them."""

_STEPS = {"sign", "round", "floor"}
"""Functions without a slope: what they define is a symbol of its own."""


class Unclear(Exception):
    """A formula in the grammar that has no meaning here."""

    def __init__(self, reason: str, position: int = 0) -> None:
        super().__init__(reason)
        self.position = position


@dataclass(frozen=True)
class Definition:
    """``name_indices = node``, as a premise states it."""

    indices: tuple
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
    known: set[str] = field(default_factory=set)
    outputs: list[str] = field(default_factory=list)
    decided: tuple[Node, int] | None = None
    """What ``dL := `` was decided to be."""

    def within(self) -> "Scope":
        """The scope of the next section: maps stay, what was given does not."""
        return replace(
            self,
            shapes=dict(self.shapes),
            domains=dict(self.domains),
            sizes={},
            complex=set(self.complex),
            functions=dict(self.functions),
            maps={k: v for k, v in self.maps.items() if k != "L"},
            values={},
            known=set(self.known),
            outputs=list(self.outputs),
            decided=None,
        )


def name_of(symbol: Node, scope: Scope) -> tuple[str, tuple]:
    """The name of a symbol and its indices: ``x_0`` is a name of its own unless
    ``x`` is an array."""
    name, subscript = symbol.parts
    if not subscript:
        return name, ()
    if isinstance(subscript[0], str):
        return f"{name}_{subscript[0]}", ()
    if scope.shapes.get(name):
        return name, subscript
    if all(not letter for letter, _ in subscript):
        return name + "_" + ",".join(str(number) for _, number in subscript), ()
    return name, subscript


class Meaning:
    """Evaluates nodes in one scope, with indices bound."""

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
            node.kind == "call" and node.parts[0] in _STEPS
            for node in walk(definition.node)
        )

    def _in_its_domain(self, name: str, value: Value, node: Node) -> Value:
        """The value; refused if it is complex where its symbol is said to be real."""
        for each in () if name in self.scope.complex else np.ravel(value):
            if not _is_plainly_real(each):
                try:
                    points.hold("=", each, sympy.conjugate(each), (), 0, 0)
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
                raise Unclear(f"unknown symbol {plain(name)}")
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
            value = self.value(definition.node, {}, stop)
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
            array[at] = self.value(definition.node, bound, stop)
        return array

    def symbol(self, node: Node, bound: Bound, stop: Held = frozenset()) -> Value:
        name, indices = self.resolve(node, bound)
        if name in bound:
            return sympy.Integer(bound[name])  # an index as a number
        if name in self.scope.sizes and name not in self.scope.shapes:
            return sympy.Integer(self.scope.sizes[name])
        return _element(self.whole(name, stop), indices, node)

    def resolve(self, node: Node, bound: Bound) -> tuple[str, tuple[int, ...]]:
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

    def value(self, node: Node, bound: Bound, stop: Held = frozenset()) -> Value:
        """A SymPy expression, or an array of them."""
        try:
            return getattr(self, "_" + node.kind.replace(" ", "_"))(
                *node.parts, node=node, bound=bound, stop=stop
            )
        except Unclear as error:
            error.position = error.position or node.position
            raise
        except (
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
            KeyError,
            NotImplementedError,
        ) as error:
            # SymPy and NumPy refuse what makes no sense in ways of their own.
            raise Unclear(f"makes no sense: {error}", node.position) from error

    def _number(self, number: Fraction, decimals: int, **_: Any) -> Value:
        return sympy.Rational(number.numerator, number.denominator)

    def _e(self, **_: Any) -> Value:
        return sympy.E

    def _pi(self, **_: Any) -> Value:
        return sympy.pi

    def _i(self, **_: Any) -> Value:
        return sympy.I

    def _infty(self, **_: Any) -> Value:
        return sympy.oo

    def _symbol(self, *_: Any, node: Node, bound: Bound, stop: Held) -> Value:
        return self.symbol(node, bound, stop)

    def _group(self, inner: Node, *, bound: Bound, stop: Held, **_: Any) -> Value:
        return self.value(inner, bound, stop)

    def _role(
        self, role: str, inner: Node, *, bound: Bound, stop: Held, **_: Any
    ) -> Value:
        for bar in (n for n in walk(inner) if n.kind == "bar"):
            name = self.resolve(bar.parts[0], _loosely(bound))[0]
            if role == "local":
                raise Unclear(f"the gradient of {plain(name)} marked as local")
            if self.scope.outputs and (
                (role == "upstream") != (name in self.scope.outputs)
            ):
                kind = "an output" if role == "downstream" else "no output"
                raise Unclear(
                    f"{plain(name)} is {kind}, and its gradient is marked as {role}"
                )
        return self.value(inner, bound, stop)

    def _sum(
        self, *terms: tuple[int, Node], bound: Bound, stop: Held, node: Node
    ) -> Value:
        total, plain = None, True
        for sign, term in terms:
            value = sign * self.value(term, bound, stop)
            number = term.kind == "number"
            if (
                total is not None
                and np.shape(total) != np.shape(value)
                and not (number or plain)
            ):
                raise Unclear(
                    f"a sum of shapes {list(np.shape(total))} and"
                    f" {list(np.shape(value))}",
                    term.position,
                )
            total = value if total is None else total + value
            plain = plain and number
        return total

    def _product(self, *factors: Node, bound: Bound, stop: Held, **_: Any) -> Value:
        values = [self.value(factor, bound, stop) for factor in factors]
        product, is_row = values[0], False
        for before, factor, value in zip(factors, factors[1:], values[1:]):
            # An upstream gradient is a row; any other vector is a column.
            is_row = (
                is_row
                or is_upstream(before)
                or any(node.kind == "bar" for node in walk(before))
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

    def _elementwise(
        self, one: Node, other: Node, *, bound: Bound, stop: Held, node: Node
    ) -> Value:
        a, b = self.value(one, bound, stop), self.value(other, bound, stop)
        if np.shape(a) != np.shape(b) or not np.shape(a):
            raise Unclear(r"\odot needs two arrays of one shape", node.position)
        return a * b

    def _quotient(
        self, above: Node, below: Node, *, bound: Bound, stop: Held, **_: Any
    ) -> Value:
        divisor = self.value(below, bound, stop)
        if np.shape(divisor):
            raise Unclear("division by an array", below.position)
        return self.value(above, bound, stop) / divisor

    def _power(
        self, base: Node, exponent: Node, *, bound: Bound, stop: Held, node: Node
    ) -> Value:
        a, b = self.value(base, bound, stop), self.value(exponent, bound, stop)
        if not np.shape(a):
            return a**b
        if len(a.shape) == 2 and a.shape[0] == a.shape[1] and b.is_Integer:
            return _array(sympy.Matrix(a) ** b)
        raise Unclear("a power of an array that is no square matrix", node.position)

    def _transpose(self, inner: Node, *, bound: Bound, stop: Held, **_: Any) -> Value:
        value = self.value(inner, bound, stop)
        if len(np.shape(value)) == 1:
            return value.reshape(1, -1)
        return np.transpose(value) if np.shape(value) else value

    def _abs(self, inner: Node, *, bound: Bound, stop: Held, **_: Any) -> Value:
        value = self.value(inner, bound, stop)
        if sympy.sympify(value).has(sympy.I):
            return sympy.sqrt(_squared_modulus(value))
        return sympy.Abs(value)

    def _norm(self, inner: Node, *, bound: Bound, stop: Held, **_: Any) -> Value:
        value = np.ravel(self.value(inner, bound, stop))
        return sympy.sqrt(sum(map(_squared_modulus, value)))

    def _pairing(
        self, one: Node, other: Node, *, bound: Bound, stop: Held, node: Node
    ) -> Value:
        a, b = self.value(one, bound, stop), self.value(other, bound, stop)
        if np.shape(a) != np.shape(b):
            raise Unclear("a pairing of two shapes", node.position)
        return sum(np.ravel(each_of(sympy.conjugate, a)) * np.ravel(b))

    def _matrix(
        self, rows: Any, name: str, *, bound: Bound, stop: Held, **_: Any
    ) -> Value:
        values = [[self.value(each, bound, stop) for each in row] for row in rows]
        if name == "tuple":
            return _array([value for (value,) in values])
        return _array(values)

    def _cases(self, rows: Any, *, bound: Bound, stop: Held, **_: Any) -> Value:
        pieces = [
            (
                self.value(value, bound, stop),
                True if condition is None else self.condition(condition, bound, stop),
            )
            for value, condition in rows
        ]
        stated = [condition for _, condition in pieces if condition is not True]
        overlap = sympy.Or(
            *(sympy.And(one, other) for one, other in itertools.combinations(stated, 2))
        )
        if pieces[-1][1] is not True:
            pieces.append((sympy.nan, True))
        return sympy.Piecewise((sympy.nan, overlap), *pieces)

    def _bracket(
        self, condition: Statement, *, bound: Bound, stop: Held, **_: Any
    ) -> Value:
        return sympy.Piecewise((1, self.condition(condition, bound, stop)), (0, True))

    def condition(
        self, statement: Statement, bound: Bound, stop: Held = frozenset()
    ) -> Value:
        """A chain of relations as one SymPy condition; indices compare at once."""
        sides = [self._compared(side, bound, stop) for side in statement.sides]
        kinds = {
            "=": sympy.Eq,
            "≠": sympy.Ne,
            "<": sympy.Lt,
            ">": sympy.Gt,
            "≤": sympy.Le,
            "≥": sympy.Ge,
        }
        return sympy.And(
            *(
                kinds[relation](one, other)
                for relation, one, other in zip(statement.relations, sides, sides[1:])
            )
        )

    def _compared(self, side: Node, bound: Bound, stop: Held) -> Value:
        if side.kind == "symbol" and side.parts[0] in bound and not side.parts[1]:
            return sympy.Integer(bound[side.parts[0]])
        return self.value(side, bound, stop)

    def _total(
        self,
        letters: tuple[str, ...],
        body: Node,
        *,
        bound: Bound,
        stop: Held,
        node: Node,
    ) -> Value:
        return sum(self._over(letters, body, bound, stop))

    def _whole_product(
        self,
        letters: tuple[str, ...],
        body: Node,
        *,
        bound: Bound,
        stop: Held,
        node: Node,
    ) -> Value:
        return sympy.prod(self._over(letters, body, bound, stop))

    def _over(
        self, letters: tuple[str, ...], body: Node, bound: Bound, stop: Held
    ) -> Iterator[Value]:
        ranges = ranges_of(body, self.scope)
        for letter in letters:
            if letter not in ranges:
                raise Unclear(
                    f"nothing that is summed has the index {letter}", body.position
                )
        for numbers in itertools.product(
            *(range(1, ranges[letter] + 1) for letter in letters)
        ):
            yield self.value(body, {**bound, **dict(zip(letters, numbers))}, stop)

    def _integral(
        self,
        low: Node,
        high: Node,
        body: Node,
        by: Node,
        *,
        bound: Bound,
        stop: Held,
        node: Node,
    ) -> Value:
        name = by.parts[0]
        inner = self._with_free(name)
        integrand = inner.value(body, bound, stop)
        self.used |= inner.used
        return sympy.integrate(
            integrand,
            (
                inner.base(name),
                self.value(low, bound, stop),
                self.value(high, bound, stop),
            ),
        )

    def _call(
        self,
        name: str,
        arguments: tuple[Node, ...],
        *,
        bound: Bound,
        stop: Held,
        node: Node,
    ) -> Value:
        values = [self.value(each, bound, stop) for each in arguments]
        if name in CALLED:
            return self._user_function(name, values, node)
        return _apply(name, values, node)

    def _user_function(self, name: str, values: list[Value], node: Node) -> Value:
        if name not in self.scope.functions:
            raise Unclear(f"unknown function {name}", node.position)
        if len(values) != 1 or np.shape(values[0]):
            raise Unclear(f"{name} takes one number", node.position)
        parameter, body, where = self.scope.functions[name]
        self.used.add(where)
        inner = self._with_free(parameter)
        expression = inner.value(body, {})
        self.used |= inner.used
        return expression.subs(inner.base(parameter), values[0])

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

    # Differentials and gradients.

    def _d(
        self, inner: Node, order: int, *, bound: Bound, stop: Held, **_: Any
    ) -> Value:
        if order != 1:
            raise Unclear("a second differential alone")
        if inner.kind == "symbol" and self.resolve(inner, bound) == ("L", ()):
            return self.loss_differential()
        return self._differential(self.value(inner, bound, stop))

    def _differential(self, value: Value) -> Value:
        def one(expression: Value) -> Value:
            return sum(
                (
                    sympy.diff(expression, s) * differential(s)
                    for s in _inputs(expression)
                ),
                sympy.Integer(0),
            )

        return (
            np.vectorize(one, otypes=[object])(value)
            if np.shape(value)
            else (one(value))
        )

    def loss_differential(self) -> Value:
        """``dL``: decided, or that of what defines ``L``, or upstream times the
        differentials of all outputs."""
        return self._once(("L", "differential"), self._loss_differential)

    def _loss_differential(self) -> Value:
        if self.scope.decided:
            node, where = self.scope.decided
            self.used.add(where)
            return self.value(node, {})
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

    def _bar(self, inner: Node, *, bound: Bound, stop: Held, **_: Any) -> Value:
        name, indices = self.resolve(inner, bound)
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

    def _derivative(
        self,
        above: Node,
        below: Node,
        order: int,
        *,
        bound: Bound,
        node: Node,
        **_: Any,
    ) -> Value:
        conjugated = below.kind == "call"
        below = below.parts[1][0] if conjugated else below
        name, indices = self.resolve(below, bound)
        stop = frozenset({name})
        is_complex = name in self.scope.complex
        if (conjugated and not is_complex) or (is_complex and order > 1):
            raise Unclear("a derivative that is not defined here", node.position)

        def slope(value: Value, symbol: Value) -> Value:
            if is_complex:
                return _wirtinger(value, symbol, conjugated)
            return sympy.diff(value, symbol, order)

        if above.kind == "symbol" and self.resolve(above, bound) == ("L", ()):
            derivative = _element(self.gradient(name), indices, below)
            if is_complex:
                derivative = derivative / 2
                if not conjugated:
                    derivative = each_of(sympy.conjugate, derivative)
            # Numerator layout: the derivative of a number is laid out transposed.
            return np.transpose(derivative) if np.shape(derivative) else derivative
        symbols = _element(self.base(name), indices, below)
        value = self.value(above, bound, stop)
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


SCALAR: dict[str, Callable[[Value], Value]] = {
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
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
    "floor": sympy.floor,
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
    if name in ("max", "min") and len(values) > 1 and not any(map(np.shape, values)):
        best = values[0]
        for value in values[1:]:
            better = value > best if name == "max" else value < best
            best = sympy.Piecewise((value, better), (best, True))
        return best
    if name == "det":
        return sympy.Matrix(first).det()
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
