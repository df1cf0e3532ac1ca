r"""The commands of the grammar, such as ``\frac``, ``\sum`` and ``\sin``.

Each function takes the parser and the position of its command, reads the arguments,
and returns a node.
"""

import re
from collections.abc import Callable
from functools import partial

from . import nodes
from .errors import LatexError
from .expressions import ExpressionParser, number
from .nodes import Node, Statement, Symbol
from .tokens import FUNCTIONS, GREEK, RELATIONS, environment

_MATRICES = ("pmatrix", "bmatrix")


def _bar(parser: ExpressionParser, position: int) -> Node:
    return nodes.Bar(position, parser.accented_symbol("bar"))


def _conj(parser: ExpressionParser, position: int) -> Node:
    if parser.ahead != "{":
        return _function("conj", parser, position)
    return nodes.Call(position, "conj", (parser.argument(),))


def _frac(parser: ExpressionParser, position: int) -> Node:
    above = _operator(parser) or parser.argument()
    below = parser.argument()
    if isinstance(above, nodes.DifferentialOperator):
        above = nodes.Differential(position, parser.factor(), above.order)
    return parser.quotient(above, below, position)


def _operator(parser: ExpressionParser) -> Node | None:
    r"""Read the ``\d`` of ``\frac{\d}{\d x} f(x)``, if it stands alone."""
    start, position = parser.index, parser.position
    if parser.accept("{") and (parser.accept(r"\d") or parser.accept(r"\partial")):
        order = _order(parser)
        if parser.accept("}"):
            return nodes.DifferentialOperator(position, order)
    parser.index = start
    return None


def _order(parser: ExpressionParser) -> int:
    """Read the order of a derivative, which is 1 if there is no exponent."""
    if not parser.accept("^"):
        return 1
    position, order = parser.position, parser.argument()
    if not isinstance(order, nodes.Number) or order.value not in (1, 2, 3, 4):
        raise LatexError("not the order of a derivative: write 2, 3 or 4", position)
    return int(order.value)


def _sqrt(parser: ExpressionParser, position: int) -> Node:
    half = nodes.Quotient(position, number("1", position), number("2", position))
    return nodes.Power(position, parser.argument(), half)


def _differential(parser: ExpressionParser, position: int) -> Node:
    order = _order(parser)
    inner = parser.base()
    if not isinstance(inner, (Symbol, nodes.Group, nodes.Call)):
        raise LatexError("a differential of what is no symbol", position)
    return nodes.Differential(position, inner, order)


def _sum(parser: ExpressionParser, position: int) -> Node:
    letters, low = _below(parser)
    limits: tuple[Node, ...] = ()
    if parser.accept("^"):
        if low is None:
            raise LatexError("where does it begin? write i=1 below", position)
        limits = (low, parser.argument())
    elif low is not None:
        raise LatexError("where does it end?", position)
    return nodes.IndexedSum(position, letters, parser.term(), limits)


def _below(parser: ExpressionParser) -> tuple[tuple[str, ...], Node | None]:
    """Read the letters below a sum, and where it begins."""
    parser.take("_")
    if not parser.accept("{"):
        return (_letter(parser),), None
    letters, low = [_letter(parser)], None
    while parser.accept(",") or re.fullmatch("[a-z]", parser.ahead):
        letters.append(_letter(parser))
    if len(letters) == 1 and parser.accept("="):
        low = parser.expression()
    parser.take("}")
    return tuple(letters), low


def _letter(parser: ExpressionParser) -> str:
    position, letter = parser.position, parser.take()
    if not re.fullmatch("[a-zA-Z]", letter):
        raise LatexError(f"not an index: {letter}", position)
    return letter


def _integral(parser: ExpressionParser, position: int) -> Node:
    parser.take("_")
    low = parser.argument()
    parser.take("^")
    high = parser.argument()
    outer, parser.in_integral = parser.in_integral, True
    body = parser.expression()
    parser.in_integral = outer
    parser.take(r"\d")
    variable = parser.base()
    if not isinstance(variable, Symbol):
        raise LatexError("an integral over what is no symbol", variable.position)
    return nodes.Integral(position, low, high, body, variable)


def _inner_product(parser: ExpressionParser, position: int) -> Node:
    left = parser.expression()
    parser.take(",")
    right = parser.expression()
    parser.take(r"\rangle")
    return nodes.InnerProduct(position, left, right)


def _cases(parser: ExpressionParser, position: int) -> Node:
    rows = _rows("cases", parser)
    if {len(row) for row in rows} != {2}:
        raise LatexError("rows of cases differ in length", position)
    if None in [condition for _, condition in rows[:-1]]:
        raise LatexError("what holds otherwise stands last", position)
    return nodes.Cases(position, rows)


def _matrix(name: str, parser: ExpressionParser, position: int) -> Node:
    rows = _rows(name, parser)
    if len({len(row) for row in rows}) > 1:
        raise LatexError(f"rows of {name} differ in length", position)
    return nodes.Matrix(position, rows, name)


def _rows(name: str, parser: ExpressionParser) -> tuple[tuple, ...]:
    """Read the cells of an environment; the second cell of a case is a condition."""
    rows: list[list] = [[]]
    end = environment("end", name)
    while not parser.accept(end):
        is_condition = name == "cases" and rows[-1]
        rows[-1].append(_condition(parser) if is_condition else parser.expression())
        parser.accept(",")
        if not parser.accept("&") and parser.accept(r"\\") and parser.ahead != end:
            rows.append([])
    return tuple(map(tuple, rows))


def _condition(parser: ExpressionParser) -> Statement | None:
    """Read the condition of a case, or ``otherwise``, for which it returns None."""
    position = parser.position
    if parser.accept(r"\text otherwise"):
        return None
    first = parser.expression()
    if parser.ahead not in RELATIONS:
        raise LatexError("not a condition", position)
    return parser.chain(first, position)


def _function(name: str, parser: ExpressionParser, position: int) -> Node:
    order = parser.primes()
    exponent = None
    if parser.accept("^"):
        start, exponent = parser.position, parser.argument()
        if isinstance(exponent, nodes.Sum):
            raise LatexError(
                rf"an inverse, or one over it? write \arc{name} or \frac", start
            )
    call = nodes.Call(position, name, _function_arguments(name, parser))
    result: Node = nodes.PrimedCall(position, call, order) if order else call
    return nodes.Power(position, result, exponent) if exponent else result


def _function_arguments(name: str, parser: ExpressionParser) -> tuple[Node, ...]:
    if parser.accept("("):
        return tuple(parser.list_until(")", parser.expression))

    def has_next() -> bool:
        text = parser.ahead
        return bool(re.fullmatch(r"[A-Za-z]|\d.*", text)) or text[1:] in GREEK

    return (parser.product_while(has_next),)


COMMANDS: dict[str, Callable[[ExpressionParser, int], Node]] = {
    **{name: partial(_function, name) for name in FUNCTIONS},
    "bar": _bar,
    environment("begin", "cases")[1:]: _cases,
    **{environment("begin", name)[1:]: partial(_matrix, name) for name in _MATRICES},
    "conj": _conj,
    "d": _differential,
    "frac": _frac,
    "int": _integral,
    "langle": _inner_product,
    "partial": _differential,
    "sqrt": _sqrt,
    "sum": _sum,
}
