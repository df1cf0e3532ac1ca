r"""The parser of formulas, which refuses all LaTeX outside of its grammar.

A **formula** is a list of statements, separated by commas, ``\quad``, ``\text{…}``,
arrows, or the lines of ``aligned``. A **statement** is a chain ``a = b = c`` (also
``:=  \approx \ne < > \le \ge``), a membership ``x, y \in \R^{n \times m}`` or
``x \in [0, 1)``, or a range of an index ``i = 1, \dots, n``.

    expression  [-] term {(+|-) term}
    term        product {(\cdot|\odot|/) product}
    product     factor factor …
    factor      base [^exponent]                   ^{\T} transposes, ^{-1} inverts,
                                                   ^* conjugates, ^{\mathrm{H}} both
    base        number, \mathrm{i}, symbol, ( … ), [ … ], \{ … \}, { … }, tuple,
                |…|, \|…\|_p, \lfloor…\rfloor, [ condition ], \delta_{ij}
                \frac \sqrt[n] \int \lim_{x \to a} \max_i \min_i O( … )
                \sum and \prod over _i, _{i,j}, _{i=a}^{b} or _{j \le i}
                cases pmatrix bmatrix matrix  \langle a, b \rangle
                \d symbol, \partial symbol: differentials; a \frac of them is a
                derivative; by a complex symbol or its ^*, Wirtinger's
                \nabla_x L, \partial_x y
                \upstream{…} \local{…} \downstream{…}
                functions: \sin … \operatorname{…}, \sigma(…), f(…), f'(…), e^…
    symbol      letter or Greek letter, with \bar \tilde \hat \mathbf, subscript

A function without parentheses takes the simple factors up to the next sign. After
``\sum``, ``\prod``, ``\lim`` comes a term.
"""

import re
from functools import cache

from .commands import COMMANDS
from .errors import LatexError
from .expressions import ExpressionParser
from .nodes import Constant, Node, Space, Statement, Sum, Symbol
from .tokens import COMMENT, RELATIONS, SEPARATOR, is_text, refused

_ENDS = r", ; . \quad \qquad \Longrightarrow \implies \Rightarrow \iff \forall"
_SEPARATORS = {SEPARATOR, *_ENDS.split()}


def comments(tex: str) -> list[str]:
    """Return the comments of a formula, in which its writer declares things."""
    return [match["text"].strip() for match in COMMENT.finditer(tex)]


def parse(tex: str, allow_expressions: bool = False) -> list[Statement]:
    """Return the statements of a formula.

    Args:
        tex: LaTeX without its dollars.
        allow_expressions: whether expressions without a relation may stand in it.

    Raises:
        LatexError: the formula is outside of the grammar, or states nothing.
    """
    return list(_parse(tex, allow_expressions))


@cache  # A page is read again for arrays of other sizes.
def _parse(tex: str, allow_expressions: bool) -> tuple[Statement, ...]:
    try:
        return tuple(_FormulaParser(tex, COMMANDS).formula(allow_expressions))
    except RecursionError:
        start = len(tex) - len(tex.lstrip())
        raise LatexError("nested too deep", start) from None


class _FormulaParser(ExpressionParser):
    """Reads the statements of a formula."""

    def formula(self, allow_expressions: bool) -> list[Statement]:
        statements: list[Statement] = []
        pending: list[Node] = []
        is_quantified = False

        def flush() -> None:
            if pending and not allow_expressions:
                raise LatexError("states nothing: no relation", pending[0].position)
            statements.extend(Statement((), (e,), e.position) for e in pending)
            pending.clear()

        while text := self.ahead:
            if self._at_separator():
                self.index += 1
                if is_text(text) or text == r"\forall":
                    is_quantified = True  # "for all x" states nothing
                    flush()
                continue
            if text == r"\dots":
                self._range(statements)
                continue
            position = self.position
            first = self.expression()
            if self.accept(r"\in"):
                statements += self._membership([*pending, first], position)
                pending.clear()
            elif self.ahead in RELATIONS:
                flush()
                statements.append(self.chain(first, position))
            elif self.ahead and not self._at_separator():
                raise refused(self.ahead, self.position)
            elif not (is_quantified and isinstance(first, Symbol)):
                pending.append(first)
        flush()
        return statements

    def _at_separator(self) -> bool:
        return self.ahead in _SEPARATORS or is_text(self.ahead)

    def _range(self, statements: list[Statement]) -> None:
        r"""Read the rest of ``i = 1, \dots, n`` into the last statement."""
        last = statements[-1] if statements else None
        if (
            last is None
            or last.relations != ("=",)
            or not isinstance(last.sides[0], Symbol)
        ):
            raise refused(r"\dots", self.position)
        self.index += 1
        self.take(",")
        sides = (*last.sides, self.expression())
        statements[-1] = Statement(("…",), sides, last.position)

    def _membership(self, members: list[Node], position: int) -> list[Statement]:
        """Read the space or the interval of some members."""
        if self.ahead not in ("[", "("):
            return [Statement(("∈",), (*members, self._space()), position)]
        opening, low = self.take(), self.expression()
        self.take(",")
        high, closing = self.expression(), self.ahead
        if not self.accept(")"):
            self.take("]")
        relations = "<≤"[opening == "["], "<≤"[closing == "]"]
        start = int(isinstance(low, Sum) and _is_infinite(low.terms[0][1]))
        end = 2 - _is_infinite(high)
        return [
            Statement(
                relations[start:end], (low, member, high)[start : end + 1], position
            )
            for member in members
        ]

    def _space(self) -> Node:
        position, field = self.position, self.take()
        if field not in (r"\R", r"\C"):
            raise LatexError(
                rf"not a domain: {field}; write \R^n, \C^n, or an interval", position
            )
        sizes = self._sizes() if self.accept("^") else []
        for size in sizes:
            if not re.fullmatch(r"[A-Za-z]|[1-9]\d*", size):
                raise LatexError(f"not a size: {size}", position)
        return Space(position, field, tuple(sizes))

    def _sizes(self) -> list[str]:
        if not self.accept("{"):
            return [self.take()]
        sizes = [self.take()]
        while self.accept(r"\times"):
            sizes.append(self.take())
        self.take("}")
        return sizes


def _is_infinite(node: Node) -> bool:
    return isinstance(node, Constant) and node.name == "infty"
