r"""LaTeX that states something, read into a tree; what is not listed is refused.

The grammar, in words. A **formula** is a list of statements, separated by
commas, ``\quad``, ``\text{…}``, arrows, or the lines of ``aligned``. A
**statement** is a chain ``a = b = c`` (also ``:=  \approx \ne < > \le \ge``), a
membership ``x, y \in \R^{n \times m}`` or ``x \in [0, 1)``, or a range of an index
``i = 1, \dots, n``.

    expression  [-] term {(+|-) term}
    term        run {(\cdot|\odot|/) run}
    run         factor factor …                    a product
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
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from .nodes import (
    Abs,
    Bar,
    Bracket,
    Call,
    Cases,
    Constant,
    Derivative,
    Differential,
    Domain,
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
    Operator,
    Order,
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

_GREEK = """alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu
nu xi rho sigma tau phi varphi chi psi omega ell Gamma Delta Theta Lambda Sigma Phi Psi
Omega"""
GREEK = set(_GREEK.split())
_FUNCTIONS = """sin cos tan cot sec csc sech csch coth sinh cosh tanh arcsin arccos
arctan artanh arsinh arcosh exp log ln max min det arg sign diag tr softplus sigmoid
softmax relu expm1 log1p erf round floor ceil logsumexp conj Re Im sum mean clip"""
FUNCTIONS = set(_FUNCTIONS.split())
CALLED = {"f", "g"}
ROLES = {"upstream", "local", "downstream"}
ACCENTS = {"tilde", "hat", "dot", "mathbf", "boldsymbol", "vec"}
_RELATIONS = r"""= =  \equiv =  := :=  \coloneqq :=  \approx ≈  \ne ≠  \neq ≠  < <
\lt <  > >  \gt >  \le ≤  \leq ≤  \leqslant ≤  \ge ≥  \geq ≥  \geqslant ≥"""
RELATIONS = dict(zip(_RELATIONS.split()[::2], _RELATIONS.split()[1::2]))
_INSTEAD = {
    r"\circ": r"f(g(x)) for a composition, \odot for elements",
    r"\dots": r"the sum with \sum, the vector by its elements",
    r"\pm": "two formulas, one with each sign",
    r"\propto": "the factor",
    r"\sim": r"\approx, or say it in words",
    r"\otimes": "it with indices",
    r"\ast": r"a convolution as \sum, a product with \cdot",
    r"\mapsto": "y = …, the map with a name",
    r"\mathcal": "L for the loss",
    r"\binom": "it with numbers",
    r"\to": r"it under \lim",
    r"\cup": "conditions, such as x > 0",
    r"\setminus": r"conditions, such as x \ne 0",
    r"\N": r"\R, and say in words that it is whole",
    r"\Z": r"\R, and say in words that it is whole",
    "!": "the product",
}
"""What to write in place of what is not read."""
_INSTEAD["*"] = _INSTEAD[r"\ast"]
_ALIKE = r"""\ldots \dots  \cdots \dots  \vdots \dots  \mp \pm  \star \ast
\sgn \sign  \tfrac \frac  \dfrac \frac  \lvert |  \rvert |  \vert |  \mid |  \lVert \|
\rVert \|  \Vert \|  \lbrace \{  \rbrace \}  \lbrack [  \rbrack ]  \top \T  \intercal \T
\dagger \H  \overline \conj  \nolimits ~  \limits ~  \displaystyle ~  \middle ~
\mathop ~"""
_SAME = dict(zip(_ALIKE.split()[::2], _ALIKE.split()[1::2]))
_SPACES = {r"\,", r"\;", r"\:", r"\!", r"\ ", "~", " "}
_SIZES = re.compile(r"\\(left|right|[bB]igg?[lrm]?)(?![A-Za-z])\.?")
_ENDS = (
    r", ; . \quad \qquad \Longrightarrow \implies \Rightarrow \iff \forall SEPARATOR"
)
_SEPARATORS = set(_ENDS.split())
_CLOSING = {
    "(": ")",
    "[": "]",
    r"\{": r"\}",
    r"\lfloor": r"\rfloor",
    r"\lceil": r"\rceil",
}
_LINED = {"aligned", "gathered", "split", "align", "align*"}
_TABLES = {"cases", "pmatrix", "bmatrix", "matrix"}
_WORD = re.compile(
    r"\\(?P<font>text|mathrm|mathsf|mathtt|mathbb|operatorname\*?)"
    r"\s*(?:\{(?P<words>[^{}]*)\}|(?P<letter>[A-Za-z\d]))"
)
_TOKEN = re.compile(
    rf":=|{_WORD.pattern}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\s+|.", re.DOTALL
)
_RUNS = re.compile(r"\((?P<runs>\s*[a-z]\s*=[^()]*\\[lc]?dots[^()]*)\)")
"""``(i = 1, \\dots, n)``, after what it is said of."""
_MARK = re.compile(r"(?<!\\)%(?P<text>[^\n]*)")


class Refusal(Exception):
    """Why a formula is not read, or does not hold."""

    def __init__(self, reason: str, position: int = 0) -> None:
        super().__init__(reason)
        self.position = position


class LatexError(Refusal):
    """LaTeX outside of the grammar."""


@dataclass(frozen=True)
class _Token:
    text: str
    position: int


def marks(tex: str) -> list[str]:
    """The comments of a formula: what its writer declares."""
    return [m["text"].strip() for m in _MARK.finditer(tex)]


def parse(tex: str, alone: bool = False) -> list[Statement]:
    """The statements of a formula, and, if these may stand ``alone``, its
    expressions; raises LatexError."""
    return list(_parsed(tex, alone))


@cache
def _parsed(tex: str, alone: bool) -> tuple[Statement, ...]:
    """A page is read again for arrays of other sizes."""
    try:
        return tuple(_Parser(tex).formula(alone))
    except RecursionError:
        start = len(tex) - len(tex.lstrip())
        raise LatexError("nested too deep", start) from None


def _tokens(tex: str) -> list[_Token]:
    def spaces(match: re.Match) -> str:
        return " " * len(match[0])

    tex = _SIZES.sub(spaces, _MARK.sub(spaces, tex))
    tex = _RUNS.sub(r",\g<runs> ", tex)
    tokens = []
    for match in _TOKEN.finditer(tex):
        text = match[0]
        if match["font"]:
            text = _worded(match["font"], match["words"] or match["letter"] or "")
        text = _SAME.get(text, text)
        if not text.isspace() and text not in _SPACES:
            tokens.append(_Token(text, match.start()))
    return tokens


def _worded(font: str, words: str) -> str:
    """A word in upright letters, as the command that it stands for."""
    word = words.strip()
    if font == "text" and word not in FUNCTIONS:
        return r"\text " + word
    return "\\" + word


class _Parser:
    def __init__(self, tex: str) -> None:
        self._end = len(tex.rstrip())
        self._tokens = self._unlined(_tokens(tex))
        self._at = 0
        self._in_integral = False
        self._open: list[str] = []
        """Bars that are still to be closed."""

    def _unlined(self, tokens: list[_Token]) -> list[_Token]:
        """Lines of ``aligned`` become statements, unless they go on with one."""
        shown: list[_Token] = []
        open_: list[str] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.text in (r"\begin", r"\end"):
                end = next(
                    (n for n in range(at, len(tokens)) if tokens[n].text == "}"), at
                )
                name = "".join(each.text for each in tokens[at + 2 : end])
                if token.text == r"\begin":
                    open_.append(name)
                elif not open_ or open_.pop() != name:
                    raise LatexError(f"{name} ends, and did not begin", token.position)
                if name in _LINED:
                    at = end + 1
                    continue
            lined = open_ and open_[-1] in _LINED
            if lined and token.text == r"\\":
                after = next((t.text for t in tokens[at + 1 :] if t.text != "&"), "")
                if after not in RELATIONS and after not in "+-":
                    shown.append(_Token("SEPARATOR", token.position))
            elif not (lined and token.text == "&"):
                shown.append(token)
            at += 1
        if open_:
            raise LatexError(f"{open_[-1]} does not end", self._end)
        return shown

    # Tokens.

    @property
    def _next(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    @property
    def _position(self) -> int:
        if self._at < len(self._tokens):
            return self._tokens[self._at].position
        return self._end

    def _refused(self, text: str, position: int) -> LatexError:
        shown = text.removeprefix("\\") if text.startswith(r"\text ") else text
        instead = _INSTEAD.get(text)
        return LatexError(
            f"not in the grammar: {shown}" + (f"; write {instead}" if instead else ""),
            position,
        )

    def _take(self, expected: str | None = None) -> str:
        text = self._next
        if text and text != expected and text in _INSTEAD:
            raise self._refused(text, self._position)
        if not text or expected not in (None, text):
            raise LatexError(
                f"expected {expected or 'more'!r}, found {text or 'the end'!r}",
                self._position,
            )
        self._at += 1
        return text

    def _took(self, *words: str) -> bool:
        """Whether these come next; then they are taken."""
        ahead = self._tokens[self._at : self._at + len(words)]
        if tuple(each.text for each in ahead) != words:
            return False
        self._at += len(words)
        return True

    def _until(self, end: str, read: Callable[[], Node]) -> list[Node]:
        """What is separated by commas, up to an end that is taken."""
        found = [read()]
        while self._took(","):
            found.append(read())
        self._take(end)
        return found

    # Statements.

    def formula(self, alone: bool) -> list[Statement]:
        statements: list[Statement] = []
        pending: list[Node] = []
        quantified = False
        while self._next:
            text = self._next
            if text in _SEPARATORS or text.startswith(r"\text "):
                self._at += 1
                if text[1:5] in ("text", "fora"):
                    quantified = True  # "for all x" states nothing
                    self._flush(pending, statements, alone)
                continue
            if text == r"\dots":
                self._range(statements)
                continue
            position = self._position
            first = self.expression()
            if self._took(r"\in"):
                statements += self._membership([*pending, first], position)
                pending.clear()
            elif self._next in RELATIONS:
                self._flush(pending, statements, alone)
                statements.append(self._chain(first, position))
            elif (
                self._next
                and self._next not in _SEPARATORS
                and not self._next.startswith(r"\text ")
            ):
                raise self._refused(self._next, self._position)
            elif not (quantified and isinstance(first, Symbol)):
                pending.append(first)
        self._flush(pending, statements, alone)
        return statements

    def _flush(
        self, pending: list[Node], statements: list[Statement], alone: bool
    ) -> None:
        if pending and not alone:
            raise LatexError("states nothing: no relation", pending[0].position)
        statements += [Statement((), (each,), each.position) for each in pending]
        pending.clear()

    def _chain(self, first: Node, position: int) -> Statement:
        relations, sides = [], [first]
        while relation := RELATIONS.get(self._next):
            self._at += 1
            relations.append(relation)
            sides.append(self.expression())
        return Statement(tuple(relations), tuple(sides), position)

    def _range(self, statements: list[Statement]) -> None:
        """``i = 1, \\dots, n``: where an index runs."""
        position = self._position
        last = statements[-1] if statements else None
        if last is None or last.relations != ("=",):
            raise self._refused(r"\dots", position)
        if not isinstance(last.sides[0], Symbol):
            raise self._refused(r"\dots", position)
        self._at += 1
        self._take(",")
        sides = (*last.sides, self.expression())
        statements[-1] = Statement(("…",), sides, last.position)

    def _membership(self, members: list[Node], position: int) -> list[Statement]:
        if self._next not in ("[", "("):
            return [Statement(("∈",), (*members, self._domain()), position)]
        opening, low = self._take(), self.expression()
        self._take(",")
        high, closing = self.expression(), self._next
        if not self._took(")"):
            self._take("]")
        relations = "<≤"[opening == "["] + "<≤"[closing == "]"]
        start = int(isinstance(low, Sum) and _is_infinite(low.terms[0][1]))
        end = 2 - _is_infinite(high)
        return [
            Statement(
                tuple(relations[start:end]),
                (low, each, high)[start : end + 1],
                position,
            )
            for each in members
        ]

    def _domain(self) -> Node:
        position = self._position
        field_ = self._take()
        if field_ not in (r"\R", r"\C"):
            raise LatexError(
                rf"not a domain: {field_}; write \R^n, \C^n, or an interval", position
            )
        sizes = []
        if self._took("^"):
            braced = self._took("{")
            while True:
                sizes.append(self._take())
                if not braced or not self._took(r"\times"):
                    break
            if braced:
                self._take("}")
        if bad := [s for s in sizes if not re.fullmatch(r"[A-Za-z]|[1-9]\d*", s)]:
            raise LatexError(f"not a size: {bad[0]}", position)
        return Domain(position, field_, tuple(sizes))

    # Expressions.

    def expression(self) -> Node:
        position = self._position
        terms = []
        sign = -1 if self._took("-") else 1
        self._took("+")
        terms.append((sign, self._term()))
        while self._next in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            terms.append((sign, self._term()))
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return Sum(position, tuple(terms))

    def _term(self) -> Node:
        position = self._position
        product = self._run()
        while self._next in (r"\cdot", r"\times", r"\odot", "/"):
            operator = self._take()
            after = self._run()
            if operator == "/":
                if isinstance(after, Product):
                    raise LatexError(
                        r"what a / divides by is not clear: use"
                        r" \frac or parentheses",
                        after.position,
                    )
                product = self._quotient(product, after, position)
            elif operator == r"\odot":
                product = Elementwise(position, product, after)
            else:
                product = Product(position, (product, after))
        return product

    def _run(self) -> Node:
        return self._product_while(self._begins_factor)

    def _product_while(self, more: Callable[[], bool]) -> Node:
        position = self._position
        factors = [self._factor()]
        while more():
            factors.append(self._factor())
        if len(factors) == 1:
            return factors[0]
        return Product(position, tuple(factors))

    def _begins_factor(self) -> bool:
        text = self._next
        if self._in_integral and text == r"\d":
            return False
        if text in ("|", r"\|"):
            return text not in self._open
        if re.fullmatch(r"[A-Za-z]|\d.*|[({[]", text) or text in _CLOSING:
            return True
        name = text[1:] if text.startswith("\\") else " "
        return name in GREEK | FUNCTIONS | ROLES | ACCENTS | {
            "pi",
            "infty",
            "i",
            "e",
            "1",
        } or hasattr(self, f"_read_{name}")

    def _factor(self) -> Node:
        position = self._position
        base = self._base()
        while self._took("^"):
            base = self._raised(base, position)
        return base

    def _raised(self, base: Node, position: int) -> Node:
        braced = self._took("{")
        start = self._at
        inverted = self._took("-")
        mark = self._next
        if mark in ("T", r"\T", "*", r"\ast", r"\H", "H"):
            self._at += 1
            if not braced or self._took("}"):
                if inverted:
                    base = Power(position, base, _number("-1", position))
                if mark in ("*", r"\ast", "H", r"\H"):
                    base = Call(position, "conj", (base,))
                if mark not in ("*", r"\ast"):
                    base = Transpose(position, base)
                return base
        self._at = start
        if braced:
            exponent = self.expression()
            self._take("}")
        else:
            exponent = self._argument()
        return Power(position, base, exponent)

    def _argument(self) -> Node:
        """What a command takes: a group in braces, or one token."""
        if self._took("{"):
            inner = self.expression()
            self._take("}")
            return inner
        if re.fullmatch(r"\d.+", self._next):  # \frac12 takes one digit each
            token = self._tokens[self._at]
            self._tokens[self._at : self._at + 1] = [
                _Token(digit, token.position) for digit in token.text
            ]
        return self._base()

    def _base(self) -> Node:
        position, text = self._position, self._take()
        if re.fullmatch(r"\d.*", text):
            return _number(text, position)
        if text in _CLOSING:
            return self._enclosed(text, position)
        if text == "{":
            inner = self.expression()
            self._take("}")
            return inner
        if text in ("|", r"\|"):
            return self._between_bars(text, position)
        if text == "e":
            return Constant(position, "e")
        if text == "O" and self._next == "(":
            self._take("(")
            inner = self.expression()
            if self._next == ",":
                raise LatexError("O of one thing: write O(h^2)", self._position)
            self._take(")")
            return Order(position, inner)
        if re.fullmatch("[A-Za-z]", text):
            return self._symbol(text, position)
        name = text[1:] if text[0] == "\\" else " "
        if name in ROLES:
            return Role(position, name, self._braced())
        if method := getattr(self, f"_read_{name}", None):
            return method(position)
        if name in FUNCTIONS or (name == "sigma" and self._next in ("(", "'")):
            return self._function("sigmoid" if name == "sigma" else name, position)
        if name in GREEK:
            return self._symbol(text, position)
        if name in ACCENTS:
            return self._accented(name, position)
        if name in ("pi", "infty", "i", "e"):
            return Constant(position, name)
        if name == "1" and self._next in _CLOSING:  # an indicator, written with its 1
            return self._enclosed(self._take(), position, "[")
        raise self._refused(text, position)

    def _braced(self) -> Node:
        self._take("{")
        inner = self.expression()
        self._take("}")
        return inner

    def _enclosed(self, opening: str, position: int, kind: str = "") -> Node:
        first = self.expression()
        if (kind or opening) == "[" and self._next in RELATIONS:
            condition = self._chain(first, position)
            self._take(_CLOSING[opening])
            return Bracket(position, condition)
        if self._next in RELATIONS:
            raise LatexError("a condition stands in [ ]", self._position)
        if self._next != ",":
            self._take(_CLOSING[opening])
            if opening in (r"\lfloor", r"\lceil"):
                name = "floor" if opening == r"\lfloor" else "ceil"
                return Call(position, name, (first,))
            return Group(position, first)
        if opening not in "([":
            raise LatexError("a set: name what it holds in words", position)
        self._take(",")
        items = [first, *self._until(_CLOSING[opening], self.expression)]
        return Matrix(position, tuple((item,) for item in items), "tuple")

    def _between_bars(self, bar: str, position: int) -> Node:
        self._open.append(bar)
        inner = self.expression()
        self._open.pop()
        self._take(bar)
        if bar == "|":
            return Abs(position, inner)
        kind = "F"
        if self._took("_"):
            braced = self._took("{")
            kind = self._take().removeprefix("\\")
            if braced:
                self._take("}")
            if kind not in ("1", "2", "infty", "F"):
                raise LatexError(f"not a norm: {kind}", position)
        return Norm(position, inner, kind)

    def _symbol(self, name: str, position: int) -> Node:
        if self._next == "'" or (name in CALLED and self._next == "("):
            return self._called(name, position)
        indices, word = self._subscript()
        if name == r"\delta" and len(indices) == 2:
            one, other = (_indexed(each, position) for each in indices)
            return Bracket(position, Statement(("=",), (one, other), position))
        return Symbol(position, name, indices, word)

    def _called(self, name: str, position: int) -> Node:
        order = 0
        while self._took("'"):
            order += 1
        if self._next != "(":  # no function, but a name
            return Symbol(position, name + "'" * order, *self._subscript())
        self._take("(")
        call = Call(position, name, tuple(self._until(")", self.expression)))
        return Slope(position, call, order) if order else call

    def _accented(self, accent: str, position: int) -> Node:
        inner = self._of_symbol(accent)
        return Symbol(position, f"{accent} {inner.name}", inner.indices, inner.word)

    def _of_symbol(self, accent: str) -> Symbol:
        """The symbol below an accent, with the subscript that follows."""
        braced = self._took("{")
        inner = self._base()
        if not isinstance(inner, Symbol):
            raise LatexError(rf"\{accent} of what is no symbol", inner.position)
        if braced:
            self._take("}")
        if inner.indices or inner.word:
            return inner
        return Symbol(inner.position, inner.name, *self._subscript())

    def _read_bar(self, position: int) -> Node:
        return Bar(position, self._of_symbol("bar"))

    def _read_conj(self, position: int) -> Node:
        if self._next != "{":
            return self._function("conj", position)
        return Call(position, "conj", (self._argument(),))

    def _subscript(self) -> tuple[tuple[Index, ...], str]:
        """Indices, or a word, which is a part of the name."""
        if not self._took("_"):
            return (), ""
        if not self._took("{"):
            return (_index(self._take(), self._position),), ""
        if re.fullmatch(r"\\(text )?[A-Za-z]{2,}", self._next):
            word = self._take().removeprefix("\\").removeprefix("text ")
            self._take("}")
            return (), word
        indices = []
        while not self._took("}"):
            if self._took(","):
                continue
            letter, offset = _index(self._take(), self._position)
            while self._next in ("+", "-"):
                sign = 1 if self._take() == "+" else -1
                position, number = self._position, self._take()
                if not number.isdigit():
                    raise LatexError(
                        "an index is a letter, a number, or a letter and a number:"
                        r" write a matrix with [ ], such as \sum_j [i = j + k]",
                        position,
                    )
                offset += sign * int(number)
            indices.append(Index(letter, offset))
        return tuple(indices), ""

    def _read_frac(self, position: int) -> Node:
        above = self._argument_or_operator()
        below = self._argument()
        if isinstance(above, Operator):
            above = Differential(position, self._factor(), above.order)
        return self._quotient(above, below, position)

    def _argument_or_operator(self) -> Node:
        r"""What stands above a line; in ``\frac{\d}{\d x} f(x)``, d alone."""
        start, position = self._at, self._position
        if self._took("{") and (self._took(r"\d") or self._took(r"\partial")):
            order = self._order()
            if self._took("}"):
                return Operator(position, order)
        self._at = start
        return self._argument()

    def _order(self) -> int:
        if not self._took("^"):
            return 1
        position, order = self._position, self._argument()
        if not isinstance(order, Number) or order.value not in (1, 2, 3, 4):
            raise LatexError("not the order of a derivative: write 2, 3 or 4", position)
        return int(order.value)

    def _quotient(self, above: Node, below: Node, position: int) -> Node:
        inner = above.inner if isinstance(above, Role) else above
        if isinstance(inner, Differential) and (by := _variables(below)):
            if len(by) != inner.order:
                raise LatexError("differentials of two orders", below.position)
            slope = inner.of
            if len(set(by)) == 1:
                return Derivative(position, slope, by[0], len(by))
            for variable in reversed(by):
                slope = Derivative(position, slope, variable, 1)
            return slope
        return Quotient(position, above, below)

    def _read_sqrt(self, position: int) -> Node:
        degree: Node = _number("2", position)
        if self._took("["):
            degree = self.expression()
            self._take("]")
        root = Quotient(position, _number("1", position), degree)
        return Power(position, self._argument(), root)

    def _read_d(self, position: int) -> Node:
        order = self._order()
        inner = self._base()
        if not isinstance(inner, Symbol | Group | Role | Bar | Call | Norm | Abs):
            raise LatexError("a differential of what is no symbol", position)
        return Differential(position, inner, order)

    def _read_partial(self, position: int) -> Node:
        if not self._took("_"):
            return self._read_d(position)
        by = self._argument()
        return Derivative(position, self._factor(), by, 1)

    def _read_nabla(self, position: int) -> Node:
        if not self._took("_"):
            raise LatexError(r"gradient by what? write \nabla_x L", position)
        by = self._argument()
        return Gradient(position, self._factor(), by)

    def _read_lim(self, position: int) -> Node:
        self._take("_")
        self._take("{")
        symbol = self._base()
        self._take(r"\to")
        point, side = self._factor_without_power(), "+-"
        if self._took("^"):
            braced = self._took("{")
            side = self._take()
            if braced:
                self._take("}")
        self._take("}")
        if not isinstance(symbol, Symbol) or side not in ("+", "-", "+-"):
            raise LatexError(r"not a limit: write \lim_{h \to 0}", position)
        return Limit(position, symbol, point, side, self._term())

    def _factor_without_power(self) -> Node:
        position = self._position
        if self._took("-"):
            return Sum(position, ((-1, self._base()),))
        return self._base()

    def _read_sum(self, position: int, kind: type[Over] = Total) -> Node:
        if kind is Total and self._next == "(":
            return self._function("sum", position)
        letters, low, condition = self._below(position)
        if self._took("^"):
            if low is None:
                raise LatexError("where does it begin? write i=1 below", position)
            limits: tuple[Node, ...] = (low, self._argument())
        elif low is not None:
            raise LatexError("where does it end?", position)
        else:
            limits = ()
        return kind(position, letters, self._term(), limits, condition)

    def _below(
        self, position: int
    ) -> tuple[tuple[str, ...], Node | None, Statement | None]:
        """The letters under a sum, where it begins, and a condition on them."""
        self._take("_")
        if not self._took("{"):
            return (self._letter(),), None, None
        start = self._at
        letters = [self._letter()]
        while self._took(",") or re.fullmatch("[a-z]", self._next):
            letters.append(self._letter())
        if self._took("}"):
            return tuple(letters), None, None
        if len(letters) == 1 and self._took("="):
            low = self.expression()
            self._take("}")
            return tuple(letters), low, None
        self._at = start
        condition = self._chain(self.expression(), position)
        self._take("}")
        if not condition.relations:
            raise LatexError("not what a sum runs over", position)
        return tuple(letters[:1]), None, condition

    def _letter(self) -> str:
        position, letter = self._position, self._take()
        if not re.fullmatch("[a-zA-Z]", letter):
            raise LatexError(f"not an index: {letter}", position)
        return letter

    def _read_prod(self, position: int) -> Node:
        return self._read_sum(position, WholeProduct)

    def _read_int(self, position: int) -> Node:
        self._take("_")
        low = self._argument()
        self._take("^")
        high = self._argument()
        outer, self._in_integral = self._in_integral, True
        body = self.expression()
        self._in_integral = outer
        self._take(r"\d")
        by = self._base()
        if not isinstance(by, Symbol):
            raise LatexError("an integral over what is no symbol", by.position)
        return Integral(position, low, high, body, by)

    def _read_langle(self, position: int) -> Node:
        one = self.expression()
        self._take(",")
        other = self.expression()
        self._take(r"\rangle")
        return Pairing(position, one, other)

    def _read_begin(self, position: int) -> Node:
        self._take("{")
        name = ""
        while not self._took("}"):
            name += self._take()
        if name not in _TABLES:
            raise LatexError(f"unknown environment: {name}", position)
        rows: list[list] = [[]]
        while True:
            rows[-1].append(
                self._otherwise() if name == "cases" and rows[-1] else self.expression()
            )
            self._took(",")
            if self._took("&"):
                continue
            if self._took(r"\\") and self._next != r"\end":
                rows.append([])
            elif self._next == r"\end":
                break
        if not self._took(r"\end", "{", *name, "}"):
            raise LatexError(f"{name} does not end", position)
        widths = {len(row) for row in rows}
        if len(widths) > 1 or (name == "cases" and widths != {2}):
            raise LatexError(f"rows of {name} differ in length", position)
        if name == "cases" and None in [condition for _, condition in rows[:-1]]:
            raise LatexError("what holds otherwise stands last", position)
        read = tuple(map(tuple, rows))
        return (
            Cases(position, read) if name == "cases" else Matrix(position, read, name)
        )

    def _otherwise(self) -> Statement | None:
        """A condition: statements that hold together, or None for all else."""
        position = self._position
        if self._next.startswith(r"\text "):
            word = self._take().removeprefix(r"\text ")
            if word.startswith(("otherwise", "else")):
                return None
            if word not in ("if", "for", "when"):
                raise LatexError(f"not a condition: {word}", position)
        first = self.expression()
        if self._next not in RELATIONS:
            raise LatexError("not a condition", position)
        return self._chain(first, position)

    def _function(self, name: str, position: int) -> Node:
        if name in ("max", "min") and self._next == "_":
            letters, low, condition = self._below(position)
            if low or condition:
                raise LatexError(f"write \\{name}_i", position)
            return Extreme(position, letters, self._term(), name)
        base, exponent, order = None, None, 0
        if name == "log" and self._took("_"):
            base = self._argument()
        while self._took("'"):
            order += 1
        if self._took("^"):
            position_of_exponent, exponent = self._position, self._argument()
            if isinstance(exponent, Sum):
                raise LatexError(
                    rf"an inverse, or one over it? write \arc{name} or \frac",
                    position_of_exponent,
                )
        if self._took("("):
            arguments = tuple(self._until(")", self.expression))
        elif name in ("max", "min") and self._took(r"\{"):
            arguments = tuple(self._until(r"\}", self.expression))
        else:
            arguments = (self._product_while(self._is_simple),)
        call = Call(position, name, arguments)
        found: Node = Slope(position, call, order) if order else call
        if base:
            found = Quotient(position, found, Call(position, name, (base,)))
        return Power(position, found, exponent) if exponent else found

    def _is_simple(self) -> bool:
        name = self._next[1:] if self._next.startswith("\\") else ""
        return bool(re.fullmatch(r"[A-Za-z]|\d.*", self._next)) or name in GREEK


def _variables(below: Node) -> list[Node]:
    """What a derivative is by, once for each order; none if it is none."""
    if isinstance(below, Product):
        found = [_variables(each) for each in below.factors]
        return [each for some in found for each in some] if all(found) else []
    match below:
        case Power(_, Differential(_, by), Number(_, order)) if order in (2, 3, 4):
            return [by] * int(order)
        case Call(at, "conj", (Differential(_, by),)):
            return [Call(at, "conj", (by,))]
        case Differential(_, by, 1):
            return [by]
    return []


def _is_infinite(node: Node) -> bool:
    return isinstance(node, Constant) and node.name == "infty"


def _number(text: str, position: int) -> Number:
    decimals = len(text.partition(".")[2])
    return Number(position, Fraction(text), decimals)


def _index(text: str, position: int) -> Index:
    if text.isdigit():
        return Index("", int(text))
    if re.fullmatch("[a-z]", text):
        return Index(text, 0)
    raise LatexError(f"not an index: {text}", position)


def _indexed(index: Index, position: int) -> Node:
    """An index as an expression."""
    letter, offset = index
    number = _number(str(offset), position)
    if not letter:
        return number
    symbol = Symbol(position, letter)
    return Sum(position, ((1, symbol), (1, number))) if offset else symbol
