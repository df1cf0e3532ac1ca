r"""LaTeX that states something, read into a tree; what is not listed is refused.

The grammar, in words. A **formula** is a list of statements, separated by
commas, ``\quad``, ``\text{…}``, arrows, or the lines of ``aligned``. A
**statement** is a chain ``a = b = c`` (also ``:=  \approx \ne < > \le \ge``), or
a membership ``x, y \in \R^{n \times m}``.

    expression  [-] term {(+|-) term}
    term        run {(\cdot|\odot|/) run}
    run         factor factor …                    a product
    factor      base [^exponent]                   ^{\T} transposes, ^{-1} inverts,
                                                   ^* conjugates, ^{\mathrm{H}} both
    base        number, \mathrm{i}, symbol, ( … ), { … }, |…|, \|…\|, tuple,
                [ condition ]
                \frac \sqrt \sum \prod \int  cases pmatrix  \langle a, b \rangle
                \d symbol, \partial symbol: differentials; a \frac of two of them
                is a derivative; by a complex symbol or its ^*, Wirtinger's
                \upstream{…} \local{…} \downstream{…}
                functions: \sin … \operatorname{…}, \sigma(…), f(…), g(…), e^…
    symbol      letter or Greek letter, with \bar \tilde \hat \mathbf, subscript

A function without parentheses takes the simple factors up to the next sign.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction

GREEK = {
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "rho",
    "sigma",
    "tau",
    "phi",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Sigma",
    "Phi",
    "Psi",
    "Omega",
    "ell",
}
FUNCTIONS = {
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "arctan",
    "exp",
    "log",
    "ln",
    "max",
    "min",
    "det",
    "arg",
}
OPERATORS = {
    "sign",
    "diag",
    "tr",
    "softplus",
    "sigmoid",
    "softmax",
    "relu",
    "expm1",
    "log1p",
    "erf",
    "round",
    "floor",
    "logsumexp",
    "conj",
    "Re",
    "Im",
    "artanh",
    "arcsin",
    "arccos",
    "sum",
    "mean",
}
CALLED = {"f", "g"}
ROLES = {"upstream", "local", "downstream"}
ACCENTS = {"tilde", "hat", "dot", "mathbf", "boldsymbol", "vec"}
RELATIONS = {
    "=": "=",
    ":=": ":=",
    r"\approx": "≈",
    r"\ne": "≠",
    r"\neq": "≠",
    "<": "<",
    ">": ">",
    r"\le": "≤",
    r"\leq": "≤",
    r"\ge": "≥",
    r"\geq": "≥",
}
_SPACES = {r"\,", r"\;", r"\:", r"\!", r"\ ", "~", r"\displaystyle", r"\limits"}
_SIZES = re.compile(r"\\(left|right|[bB]igg?[lrm]?)(?![A-Za-z])")
_SEPARATORS = {
    ",",
    ";",
    ".",
    r"\quad",
    r"\qquad",
    r"\text",
    r"\Longrightarrow",
    r"\implies",
    r"\Rightarrow",
    "SEPARATOR",
}
_LINED = {"aligned", "gathered"}
_TOKEN = re.compile(r":=|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\s+|.", re.DOTALL)
_MARK = re.compile(r"(?<!\\)%(?P<text>[^\n]*)")


class LatexError(Exception):
    """LaTeX outside of the grammar."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


@dataclass(frozen=True)
class Node:
    """A part of a formula; ``kind`` says what the ``parts`` are."""

    kind: str
    parts: tuple
    position: int = field(compare=False)


@dataclass(frozen=True)
class Statement:
    """A chain of expressions between relations, or symbols in a domain."""

    relations: tuple[str, ...]
    sides: tuple
    position: int


@dataclass(frozen=True)
class _Token:
    text: str
    position: int


def marks(tex: str) -> list[str]:
    """The comments of a formula: what its writer declares."""
    return [m["text"].strip() for m in _MARK.finditer(tex)]


def parse(tex: str) -> list[Statement]:
    """The statements of a formula; raises LatexError."""
    return _Parser(tex).formula()


def _tokens(tex: str) -> list[_Token]:
    tex = _MARK.sub(lambda m: " " * len(m[0]), tex)
    tex = _SIZES.sub(lambda m: " " * len(m[0]), tex)
    return [
        _Token(m[0], m.start())
        for m in _TOKEN.finditer(tex)
        if not m[0].isspace() and m[0] not in _SPACES
    ]


class _Parser:
    def __init__(self, tex: str) -> None:
        self._tokens = self._unlined(_tokens(tex))
        self._at = 0
        self._end = len(tex)
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
            name = "".join(t.text for t in tokens[at + 2 : at + 10]).partition("}")[0]
            if token.text in (r"\begin", r"\end"):
                (open_.append if token.text == r"\begin" else lambda _: open_.pop())(
                    name
                )
                if name in _LINED:
                    at += 3 + len(name)
                    continue
            lined = open_ and open_[-1] in _LINED
            if lined and token.text == r"\\":
                after = next((t.text for t in tokens[at + 1 :] if t.text != "&"), "")
                if after not in RELATIONS and after not in "+-":
                    shown.append(_Token("SEPARATOR", token.position))
            elif not (lined and token.text == "&"):
                shown.append(token)
            at += 1
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

    def _take(self, expected: str | None = None) -> str:
        text = self._next
        if not text or expected not in (None, text):
            raise LatexError(
                f"expected {expected or 'more'!r}, found {text or 'the end'!r}",
                self._position,
            )
        self._at += 1
        return text

    def _took(self, text: str) -> bool:
        if self._next != text:
            return False
        self._at += 1
        return True

    def _word(self) -> str:
        """The letters in braces."""
        self._take("{")
        word = ""
        while self._next != "}":
            word += self._take()
        self._take("}")
        return word

    # Statements.

    def formula(self) -> list[Statement]:
        statements: list[Statement] = []
        alone: list[Node] = []
        while self._next:
            if self._next in _SEPARATORS:
                if self._take() == r"\text":
                    self._word()
                    alone.clear()  # "for all x" states nothing
                continue
            position = self._position
            first = self.expression()
            if self._took(r"\in"):
                statements.append(
                    Statement(("∈",), (*alone, first, self._domain()), position)
                )
                alone.clear()
            elif self._relation():
                statements.append(self._chain(first, position))
            elif self._next and self._next not in _SEPARATORS:
                raise LatexError(f"not in the grammar: {self._next}", self._position)
            else:
                alone.append(first)
        if alone:
            raise LatexError("states nothing: no relation", alone[0].position)
        return statements

    def _relation(self) -> str | None:
        return RELATIONS.get(self._next)

    def _chain(self, first: Node, position: int) -> Statement:
        relations, sides = [], [first]
        while relation := self._relation():
            self._take()
            relations.append(relation)
            sides.append(self.expression())
        return Statement(tuple(relations), tuple(sides), position)

    def _domain(self) -> Node:
        position = self._position
        field_ = self._take()
        if field_ == r"\mathbb":
            field_ = "\\" + self._word()
        if field_ not in (r"\R", r"\C"):
            raise LatexError(f"not a domain: {field_}", position)
        sizes = []
        if self._took("^"):
            braced = self._took("{")
            while True:
                sizes.append(self._take())
                if not braced or not self._took(r"\times"):
                    break
            if braced:
                self._take("}")
        return Node("domain", (field_, tuple(sizes)), position)

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
        return Node("sum", tuple(terms), position)

    def _term(self) -> Node:
        position = self._position
        product = self._run()
        while self._next in (r"\cdot", r"\times", r"\odot", "/"):
            operator = self._take()
            after = self._run()
            if operator == "/":
                if after.kind == "product":
                    raise LatexError(
                        r"what a / divides by is not clear: use"
                        r" \frac or parentheses",
                        after.position,
                    )
                product = self._quotient(product, after, position)
            elif operator == r"\odot":
                product = Node("elementwise", (product, after), position)
            else:
                product = Node("product", (product, after), position)
        return product

    def _run(self) -> Node:
        position = self._position
        factors = [self._factor()]
        while self._begins_factor():
            factors.append(self._factor())
        if len(factors) == 1:
            return factors[0]
        return Node("product", tuple(factors), position)

    def _begins_factor(self) -> bool:
        text = self._next
        if self._in_integral and text == r"\d":
            return False
        if text in ("|", r"\|"):
            return text not in self._open
        name = text[1:] if text.startswith("\\") else ""
        return bool(re.fullmatch(r"[A-Za-z]|\d.*|[({[]", text)) or name in (
            GREEK
            | FUNCTIONS
            | ROLES
            | ACCENTS
            | {
                "frac",
                "tfrac",
                "dfrac",
                "sqrt",
                "sum",
                "prod",
                "int",
                "bar",
                "overline",
                "operatorname",
                "d",
                "partial",
                "begin",
                "langle",
                "pi",
                "infty",
                "lvert",
                "lVert",
                "mathrm",
            }
        )

    def _factor(self) -> Node:
        position = self._position
        base = self._base()
        while self._took("^"):
            base = self._raised(base, position)
        return base

    def _raised(self, base: Node, position: int) -> Node:
        exponent = self._exponent()
        if exponent == "T":
            return Node("transpose", (base,), position)
        if exponent == "-T":
            inverse = Node("power", (base, _number("-1", position)), position)
            return Node("transpose", (inverse,), position)
        if exponent in ("*", "H"):
            conjugate = Node("call", ("conj", (base,)), position)
            return (
                conjugate
                if exponent == "*"
                else Node("transpose", (conjugate,), position)
            )
        return Node("power", (base, exponent), position)

    def _exponent(self) -> Node | str:
        for words, meaning in (
            ((r"\T",), "T"),
            (("{", r"\T", "}"), "T"),
            (("{", r"\top", "}"), "T"),
            ((r"\top",), "T"),
            (("{", "-", r"\T", "}"), "-T"),
            (("*",), "*"),
            (("{", "*", "}"), "*"),
            (("{", r"\mathrm", "{", "H", "}", "}"), "H"),
        ):
            ahead = [t.text for t in self._tokens[self._at : self._at + len(words)]]
            if tuple(ahead) == words:
                self._at += len(words)
                return meaning
        return self._argument()

    def _argument(self) -> Node:
        """What a command takes: a group in braces, or one token."""
        if self._took("{"):
            inner = self.expression()
            self._take("}")
            return inner
        if re.fullmatch(r"\d{2,}", self._next):  # \frac12 takes one digit each
            token = self._tokens[self._at]
            self._tokens[self._at : self._at + 1] = [
                _Token(digit, token.position) for digit in token.text
            ]
        return self._base()

    def _base(self) -> Node:
        position, text = self._position, self._take()
        if re.fullmatch(r"\d.*", text):
            return _number(text, position)
        if text == "(":
            return self._group(position)
        if text == "{":
            inner = self.expression()
            self._take("}")
            return inner
        if text == "[":
            condition = self._chain(self.expression(), position)
            self._take("]")
            return Node("bracket", (condition,), position)
        if text in ("|", r"\lvert", r"\|", r"\lVert"):
            self._open.append(text)
            inner = self.expression()
            self._open.pop()
            self._take({r"\lvert": r"\rvert", r"\lVert": r"\rVert"}.get(text, text))
            return Node(
                "abs" if text in ("|", r"\lvert") else "norm", (inner,), position
            )
        if text == "e":
            return Node("e", (), position)
        if re.fullmatch("[A-Za-z]", text):
            return self._symbol(text, position)
        method = getattr(self, f"_read_{text[1:]}", None) if text[0] == "\\" else None
        if method:
            return method(position)
        return self._command(text[1:] if text[0] == "\\" else "", text, position)

    def _command(self, name: str, text: str, position: int) -> Node:
        if name in ROLES:
            self._take("{")
            inner = self.expression()
            self._take("}")
            return Node("role", (name, inner), position)
        if name in FUNCTIONS:
            return self._function(name, position)
        if name == "sigma" and self._next == "(":
            return self._function("sigmoid", position)
        if name in GREEK:
            return self._symbol(text, position)
        if name in ACCENTS:
            return self._accented(name, position)
        if name in ("tfrac", "dfrac"):
            return self._read_frac(position)
        if name in ("pi", "infty"):
            return Node(name, (), position)
        raise LatexError(f"not in the grammar: {text}", position)

    def _group(self, position: int) -> Node:
        items = [self.expression()]
        while self._took(","):
            items.append(self.expression())
        self._take(")")
        if len(items) == 1:
            return Node("group", (items[0],), position)
        return Node("matrix", (tuple((item,) for item in items), "tuple"), position)

    def _symbol(self, name: str, position: int) -> Node:
        if name in CALLED and self._next == "(":
            return Node("call", (name, self._arguments()), position)
        return Node("symbol", (name, self._subscript()), position)

    def _accented(self, accent: str, position: int) -> Node:
        braced = self._took("{")
        inner = self._base()
        if inner.kind != "symbol":
            raise LatexError(rf"\{accent} of what is no symbol", position)
        if braced:
            self._take("}")
        name, subscript = inner.parts
        return Node(
            "symbol", (f"{accent} {name}", subscript or self._subscript()), position
        )

    def _read_bar(self, position: int) -> Node:
        braced = self._took("{")
        inner = self._base()
        if inner.kind != "symbol":
            raise LatexError(r"\bar of what is no symbol", position)
        if braced:
            self._take("}")
            name, subscript = inner.parts
            inner = Node("symbol", (name, subscript or self._subscript()), position)
        return Node("bar", (inner,), position)

    def _read_overline(self, position: int) -> Node:
        return Node("call", ("conj", (self._argument(),)), position)

    def _subscript(self) -> tuple:
        """Indices as (letter or "", offset); a word is a part of the name."""
        if not self._took("_"):
            return ()
        if not self._took("{"):
            return (_index(self._take(), self._position),)
        if self._next in (r"\text", r"\mathrm"):
            self._take()
            word = self._word()
            self._take("}")
            return (word,)
        indices = []
        while not self._took("}"):
            if self._took(","):
                continue
            index = _index(self._take(), self._position)
            if self._next in ("+", "-"):
                sign = 1 if self._take() == "+" else -1
                index = (index[0], index[1] + sign * int(self._take()))
            indices.append(index)
        return tuple(indices)

    def _read_frac(self, position: int) -> Node:
        return self._quotient(self._argument(), self._argument(), position)

    def _quotient(self, above: Node, below: Node, position: int) -> Node:
        by, order = below, 1
        if below.kind == "power" and below.parts[0].kind == "d":
            by, exponent = below.parts
            order = exponent.parts[0] if exponent.kind == "number" else 0
        conjugated = below.kind == "call" and below.parts[0] == "conj"
        if conjugated:
            (by,) = below.parts[1]
        inner = above.parts[1] if above.kind == "role" else above
        if inner.kind == "d" and by.kind == "d" and inner.parts[1] == order:
            variable = by.parts[0]
            if conjugated:
                variable = Node("call", ("conj", (variable,)), position)
            return Node("derivative", (inner.parts[0], variable, int(order)), position)
        return Node("quotient", (above, below), position)

    def _read_sqrt(self, position: int) -> Node:
        if self._next == "[":
            raise LatexError("not in the grammar: a root with an index", position)
        half = Node(
            "quotient", (_number("1", position), _number("2", position)), position
        )
        return Node("power", (self._argument(), half), position)

    def _read_d(self, position: int) -> Node:
        order = 1
        if self._took("^"):
            order = int(self._argument().parts[0])
        inner = self._base()
        if inner.kind not in ("symbol", "group", "role"):
            raise LatexError("a differential of what is no symbol", position)
        return Node("d", (inner, order), position)

    _read_partial = _read_d

    def _read_sum(self, position: int, kind: str = "total") -> Node:
        self._take("_")
        letters = []
        if self._took("{"):
            while not self._took("}"):
                if self._took(","):
                    continue
                letters.append(self._take())
                if self._took("="):
                    self._take("1")
        else:
            letters.append(self._take())
        if self._took("^"):
            self._argument()  # a sum runs over the whole index
        return Node(kind, (tuple(letters), self._term()), position)

    def _read_prod(self, position: int) -> Node:
        return self._read_sum(position, "whole product")

    def _read_int(self, position: int) -> Node:
        self._take("_")
        low = self._argument()
        self._take("^")
        high = self._argument()
        outer, self._in_integral = self._in_integral, True
        body = self.expression()
        self._in_integral = outer
        self._take(r"\d")
        return Node("integral", (low, high, body, self._base()), position)

    def _read_langle(self, position: int) -> Node:
        one = self.expression()
        self._take(",")
        other = self.expression()
        self._take(r"\rangle")
        return Node("pairing", (one, other), position)

    def _read_operatorname(self, position: int) -> Node:
        name = self._word()
        if name not in OPERATORS:
            raise LatexError(f"unknown function: {name}", position)
        return self._function(name, position)

    def _read_mathrm(self, position: int) -> Node:
        word = self._word()
        if word != "i":
            raise LatexError(rf"not in the grammar: \mathrm{{{word}}}", position)
        return Node("i", (), position)

    def _read_begin(self, position: int) -> Node:
        name = self._word()
        if name not in ("cases", "pmatrix", "bmatrix"):
            raise LatexError(f"unknown environment: {name}", position)
        rows: list[list[Node | Statement | None]] = [[]]
        while True:
            rows[-1].append(
                self._otherwise() if name == "cases" and rows[-1] else self.expression()
            )
            if self._took("&"):
                continue
            if self._took(r"\\"):
                if self._next == r"\end":
                    break
                rows.append([])
                continue
            self._took(",")
            if self._next == r"\end":
                break
        self._take(r"\end")
        if self._word() != name:
            raise LatexError(f"{name} does not end", position)
        kind = "cases" if name == "cases" else "matrix"
        widths = {len(row) for row in rows}
        if len(widths) > 1 or (kind == "cases" and widths != {2}):
            raise LatexError(f"rows of {name} differ in length", position)
        read = tuple(map(tuple, rows))
        return Node(kind, (read,) if kind == "cases" else (read, name), position)

    def _otherwise(self) -> Statement | None:
        """A condition: statements that hold together, or None for all else."""
        if self._next == r"\text":
            self._take()
            word = self._word()
            if word.startswith("otherwise"):
                return None
            if word not in ("if", "for"):
                raise LatexError(f"not a condition: {word}", self._position)
        position = self._position
        first = self.expression()
        if not self._relation():
            raise LatexError("not a condition", position)
        return self._chain(first, position)

    def _function(self, name: str, position: int) -> Node:
        exponent = None
        if self._took("^"):
            exponent = self._argument()
        if self._next == "(":
            arguments = self._arguments()
        else:
            factors = [self._factor()]
            while self._is_simple():
                factors.append(self._factor())
            arguments = (
                factors[0]
                if len(factors) == 1
                else Node("product", tuple(factors), position),
            )
        call = Node("call", (name, arguments), position)
        if exponent:
            return Node("power", (call, exponent), position)
        return call

    def _is_simple(self) -> bool:
        name = self._next[1:] if self._next.startswith("\\") else ""
        return bool(re.fullmatch(r"[A-Za-z]|\d.*", self._next)) or name in GREEK

    def _arguments(self) -> tuple[Node, ...]:
        self._take("(")
        arguments = [self.expression()]
        while self._took(","):
            arguments.append(self.expression())
        self._take(")")
        return tuple(arguments)


def _number(text: str, position: int) -> Node:
    decimals = len(text.partition(".")[2])
    return Node("number", (Fraction(text), decimals), position)


def _index(text: str, position: int) -> tuple[str, int]:
    if text.isdigit():
        return ("", int(text))
    if re.fullmatch("[a-z]", text):
        return (text, 0)
    raise LatexError(f"not an index: {text}", position)
