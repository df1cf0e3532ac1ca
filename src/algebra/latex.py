r"""The parser of formulas, which refuses all LaTeX outside of its grammar.

A **formula** is a list of statements, separated by commas, ``\quad``, ``\text{…}``,
arrows, or the lines of ``aligned``. A **statement** is a chain ``a = b = c`` (also
``:=  \approx \ne < > \le \ge``), or a membership ``x, y \in \R^{n \times m}``.

    expression  [-] term {(+|-) term}
    term        product {(\cdot|\odot|/) product}
    product     factor factor …
    factor      base [^exponent]                   ^{\T} transposes, ^{-1} inverts,
                                                   ^* conjugates, ^{\mathrm{H}} both
    base        number, \mathrm{i}, symbol, ( … ), [ … ], \{ … \}, { … }, tuple,
                |…|, \|…\|, [ condition ], \frac \sqrt \int
                \sum over _i, _{i,j} or _{i=a}^{b}
                cases pmatrix bmatrix  \langle a, b \rangle
                \d symbol, \partial symbol: differentials; a \frac of them is a
                derivative; by a complex symbol or its ^*, Wirtinger's
                \upstream{…} \local{…} \downstream{…}
                functions: \sin … \operatorname{…}, \sigma(…), f(…), f'(…), e^…
    symbol      letter or Greek letter, with \bar \tilde \hat \mathbf, subscript

A function without parentheses takes the simple factors up to the next sign. After
``\sum`` comes a term.
"""

import re
from functools import cache

from .commands import COMMANDS
from .errors import LatexError
from .expressions import ExpressionParser
from .nodes import Node, Space, Statement
from .tokens import COMMENT, RELATIONS, SEPARATOR, refused

_ENDS = r", ; . \quad \qquad \Longrightarrow"
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

        def flush() -> None:
            if pending and not allow_expressions:
                raise LatexError("states nothing: no relation", pending[0].position)
            statements.extend(Statement((), (e,), e.position) for e in pending)
            pending.clear()

        while self.ahead:
            if self.ahead in _SEPARATORS:
                self.index += 1
                continue
            position = self.position
            first = self.expression()
            if self.accept(r"\in"):
                sides = (*pending, first, self._space())
                statements.append(Statement(("∈",), sides, position))
                pending.clear()
            elif self.ahead in RELATIONS:
                flush()
                statements.append(self.chain(first, position))
            elif self.ahead and self.ahead not in _SEPARATORS:
                raise refused(self.ahead, self.position)
            else:
                pending.append(first)
        flush()
        return statements

    def _space(self) -> Node:
        position, field = self.position, self.take()
        if field not in (r"\R", r"\C"):
            raise LatexError(
                rf"not a domain: {field}; write \R^n, \C^n, or inequalities", position
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
