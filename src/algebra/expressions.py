"""The parser of expressions: sums, products, powers, brackets and symbols."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from . import nodes
from .errors import LatexError
from .nodes import Index, Node, Number, Statement, Symbol
from .tokens import FUNCTION_LETTERS, GREEK, RELATIONS, Cursor, refused

_ROLES = {"upstream", "local", "downstream"}
_ACCENTS = {"tilde", "hat", "dot", "mathbf", "boldsymbol", "vec"}
_CONSTANTS = {"pi", "infty", "i", "e"}
_CLOSING = {"(": ")", "[": "]", r"\{": r"\}"}
_BARS = {"|", r"\|"}
_MARKS = {"T": "T", r"\T": "T", "*": "*", r"\ast": "*", "H": "H", r"\H": "H"}
"""Exponents that transpose, conjugate, or do both."""


class ExpressionParser(Cursor):
    """Reads expressions.

    Args:
        tex: LaTeX of a formula.
        commands: for the name of each command, a function that reads its arguments. It
            takes the parser and the position of the command, and returns a node.
    """

    def __init__(
        self,
        tex: str,
        commands: "Mapping[str, Callable[[ExpressionParser, int], Node]]",
    ) -> None:
        super().__init__(tex)
        self._commands = commands
        self._open_bars: list[str] = []
        self.in_integral = False
        r"""True inside an integral, where ``\d`` ends the expression."""

    def expression(self) -> Node:
        """Read terms and their signs."""
        position = self.position
        sign = -1 if self.accept("-") else 1
        self.accept("+")
        terms = [(sign, self.term())]
        while self.ahead in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            terms.append((sign, self.term()))
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return nodes.Sum(position, tuple(terms))

    def term(self) -> Node:
        r"""Read products with ``\cdot``, ``\odot`` or ``/``."""
        position = self.position
        product = self.product_while(self._begins_factor)
        while self.ahead in (r"\cdot", r"\times", r"\odot", "/"):
            operator = self.take()
            after = self.product_while(self._begins_factor)
            if operator == "/":
                if isinstance(after, nodes.Product):
                    raise LatexError(
                        r"what a / divides by is not clear: use"
                        r" \frac or parentheses",
                        after.position,
                    )
                product = self.quotient(product, after, position)
            elif operator == r"\odot":
                product = nodes.Elementwise(position, product, after)
            else:
                product = nodes.Product(position, (product, after))
        return product

    def product_while(self, has_next: Callable[[], bool]) -> Node:
        """Read a factor, and more of them as long as ``has_next`` returns True."""
        position = self.position
        factors = [self.factor()]
        while has_next():
            factors.append(self.factor())
        if len(factors) == 1:
            return factors[0]
        return nodes.Product(position, tuple(factors))

    def _begins_factor(self) -> bool:
        text = self.ahead
        if self.in_integral and text == r"\d":
            return False
        if text in _BARS:
            return text not in self._open_bars
        if re.fullmatch(r"[A-Za-z]|\d.*|[({[]", text) or text in _CLOSING:
            return True
        names = GREEK | _ROLES | _ACCENTS | _CONSTANTS
        return text[:1] == "\\" and (text[1:] in names or text[1:] in self._commands)

    def factor(self) -> Node:
        """Read a base with its exponents."""
        position = self.position
        base = self.base()
        while self.accept("^"):
            base = self._raised(base, position)
        return base

    def _raised(self, base: Node, position: int) -> Node:
        start = self.index
        is_braced = self.accept("{")
        is_inverse = self.accept("-")
        if mark := _MARKS.get(self.ahead):
            self.index += 1
            if not is_braced or self.accept("}"):
                if is_inverse:
                    base = nodes.Power(position, base, number("-1", position))
                if mark != "T":
                    base = nodes.Call(position, "conj", (base,))
                return nodes.Transpose(position, base) if mark in "TH" else base
        self.index = start
        return nodes.Power(position, base, self.argument())

    def quotient(self, above: Node, below: Node, position: int) -> Node:
        """Return a quotient, or a derivative if both parts are differentials."""
        inner = above.inner if isinstance(above, nodes.Role) else above
        variable, order = _variable(below)
        if not isinstance(inner, nodes.Differential) or variable is None:
            return nodes.Quotient(position, above, below)
        if order != inner.order:
            raise LatexError("differentials of two orders", below.position)
        return nodes.Derivative(position, inner.inner, variable, order)

    def argument(self) -> Node:
        """Read the argument of a command: a group in braces, or one token."""
        if self.accept("{"):
            return self._expression_until("}")
        if re.fullmatch(r"\d.+", self.ahead):
            self.split_number()
        return self.base()

    def base(self) -> Node:
        """Read a number, a symbol, a command, or what stands between delimiters."""
        position, text = self.position, self.take()
        if re.fullmatch(r"\d.*", text):
            return number(text, position)
        if text in _CLOSING:
            return self._enclosed(text, position)
        if text == "{":
            return self._expression_until("}")
        if text in _BARS:
            return self._between_bars(text, position)
        if text == "e":
            return nodes.Constant(position, "e")
        if re.fullmatch("[A-Za-z]", text):
            return self._symbol(text, position)
        if text[0] == "\\":
            return self._named(text[1:], position)
        raise refused(text, position)

    def _named(self, name: str, position: int) -> Node:
        if name in _ROLES:
            self.take("{")
            return nodes.Role(position, name, self._expression_until("}"))
        if name == "sigma" and self.ahead in ("(", "'"):
            name = "sigmoid"
        if command := self._commands.get(name):
            return command(self, position)
        if name in GREEK:
            return self._symbol("\\" + name, position)
        if name in _ACCENTS:
            inner = self.accented_symbol(name)
            return Symbol(position, f"{name} {inner.name}", inner.indices)
        if name in _CONSTANTS:
            return nodes.Constant(position, name)
        raise refused("\\" + name, position)

    def _expression_until(self, end: str) -> Node:
        inner = self.expression()
        self.take(end)
        return inner

    def _enclosed(self, opening: str, position: int) -> Node:
        first = self.expression()
        closing = _CLOSING[opening]
        if opening == "[" and self.ahead in RELATIONS:
            condition = self.chain(first, position)
            self.take(closing)
            return nodes.Bracket(position, condition)
        if self.ahead in RELATIONS:
            raise LatexError("a condition stands in [ ]", self.position)
        if self.ahead != ",":
            self.take(closing)
            return nodes.Group(position, first)
        if opening not in "([":
            raise LatexError("a set: name its elements in words", position)
        self.take(",")
        items = [first, *self.list_until(closing, self.expression)]
        return nodes.Matrix(position, tuple((item,) for item in items), "tuple")

    def _between_bars(self, bar: str, position: int) -> Node:
        self._open_bars.append(bar)
        inner = self.expression()
        self._open_bars.pop()
        self.take(bar)
        return (nodes.Abs if bar == "|" else nodes.Norm)(position, inner)

    def chain(self, first: Node, position: int) -> Statement:
        """Read the relations and the sides that follow a first side."""
        relations, sides = [], [first]
        while relation := RELATIONS.get(self.ahead):
            self.index += 1
            relations.append(relation)
            sides.append(self.expression())
        return Statement(tuple(relations), tuple(sides), position)

    def _symbol(self, name: str, position: int) -> Node:
        if self.ahead == "'" or (name in FUNCTION_LETTERS and self.ahead == "("):
            return self._called(name, position)
        return Symbol(position, name, self.subscript())

    def _called(self, name: str, position: int) -> Node:
        order = self.primes()
        if not self.accept("("):  # a name with primes
            return Symbol(position, name + "'" * order, self.subscript())
        arguments = self.list_until(")", self.expression)
        call = nodes.Call(position, name, tuple(arguments))
        return nodes.PrimedCall(position, call, order) if order else call

    def primes(self) -> int:
        """Read primes, and return how many there are."""
        count = 0
        while self.accept("'"):
            count += 1
        return count

    def accented_symbol(self, accent: str) -> Symbol:
        """Read the symbol below an accent, with the subscript that follows."""
        inner = self.maybe_braced(self.base)
        if not isinstance(inner, Symbol):
            raise LatexError(rf"\{accent} of what is no symbol", inner.position)
        if inner.indices:
            return inner
        return Symbol(inner.position, inner.name, self.subscript())

    def subscript(self) -> tuple[Index, ...]:
        """Read the indices of a symbol, if there are some."""
        if not self.accept("_"):
            return ()
        if not self.accept("{"):
            return (_index(self.take(), self.position),)
        indices = []
        while not self.accept("}"):
            if not self.accept(","):
                indices.append(self._index_with_offset())
        return tuple(indices)

    def _index_with_offset(self) -> Index:
        letter, offset = _index(self.take(), self.position)
        while self.ahead in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            position, text = self.position, self.take()
            if not text.isdigit():
                raise LatexError(
                    "an index is a letter, a number, or a letter and a number:"
                    r" write a matrix with [ ], such as \sum_j [i = j + k]",
                    position,
                )
            offset += sign * int(text)
        return Index(letter, offset)


def _variable(below: Node) -> tuple[Node | None, int]:
    """Return the variable and the order of a derivative, or None and 0."""
    match below:
        case nodes.Power(_, nodes.Differential(_, variable), Number(_, order)):
            return variable, int(order)
        case nodes.Call(at, "conj", (nodes.Differential(_, variable),)):
            return nodes.Call(at, "conj", (variable,)), 1
        case nodes.Differential(_, variable, 1):
            return variable, 1
    return None, 0


def number(text: str, position: int) -> Number:
    """Return the node of a number as it is written."""
    return Number(position, Fraction(text), len(text.partition(".")[2]))


def _index(text: str, position: int) -> Index:
    if text.isdigit():
        return Index("", int(text))
    if re.fullmatch("[a-z]", text):
        return Index(text, 0)
    raise LatexError(f"not an index: {text}", position)
