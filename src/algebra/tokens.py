r"""Tokens of LaTeX, and a cursor that reads them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from .errors import LatexError

_T = TypeVar("_T")

_LETTERS = """alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu
nu xi rho sigma tau phi varphi chi psi omega ell Gamma Delta Theta Lambda Sigma Phi Psi
Omega"""
GREEK = set(_LETTERS.split())
_NAMES = """sin cos tan sech sinh cosh tanh arcsin arccos arctan artanh exp log ln max
min det arg sign diag tr softplus sigmoid softmax relu expm1 log1p round logsumexp conj
Re Im mean"""
FUNCTIONS = set(_NAMES.split())
FUNCTION_LETTERS = {"f", "g"}
"""Letters that are functions if parentheses follow."""


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2]))


RELATIONS = _pairs(
    r"""= =  \equiv =  := :=  \coloneqq :=  \approx ≈  \ne ≠  \neq ≠  < <  \lt <  > >
    \gt >  \le ≤  \leq ≤  \leqslant ≤  \ge ≥  \geq ≥  \geqslant ≥"""
)
"""Relations as LaTeX writes them, and as statements have them."""
_SYNONYMS = _pairs(
    r"""\tfrac \frac  \dfrac \frac  \lvert |  \rvert |  \lVert \|  \rVert \|
    \top \T  \dagger \H  \overline \conj"""
)
_SPACES = {r"\,", r"\;", r"\:", r"\!", r"\ ", "~", " "}
_SIZES = re.compile(r"\\(left|right|[bB]igg?[lrm]?)(?![A-Za-z])\.?")
_LINE_ENVIRONMENTS = {"aligned", "align*"}
SEPARATOR = "SEPARATOR"
"""The token between two lines of an environment that are two statements."""
_WORD = (
    r"\\(?P<font>text|mathrm|mathsf|mathtt|mathbb|operatorname\*?)"
    r"\s*(?:\{(?P<words>[^{}]*)\}|(?P<letter>[A-Za-z\d]))"
)
_EDGE = r"\\(?P<edge>begin|end)\s*\{(?P<environment>[^{}]*)\}"
_TOKEN = re.compile(
    rf":=|{_WORD}|{_EDGE}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\s+|.", re.DOTALL
)
COMMENT = re.compile(r"(?<!\\)%(?P<text>[^\n]*)")


@dataclass(frozen=True)
class Token:
    text: str
    position: int


def tokenize(tex: str) -> list[Token]:
    """Return the tokens of a formula, and an empty one at the end.

    Comments, spaces and sizes of delimiters are dropped, synonyms become one command,
    and ``SEPARATOR`` stands between the lines of ``aligned`` that are statements.

    Raises:
        LatexError: an environment is not closed, or was not opened.
    """

    def spaces(match: re.Match) -> str:
        return " " * len(match[0])

    blanked = _SIZES.sub(spaces, COMMENT.sub(spaces, tex))
    tokens = []
    for match in _TOKEN.finditer(blanked):
        text = match[0]
        if match["font"]:
            text = _command(match["font"], match["words"] or match["letter"] or "")
        elif match["edge"]:
            text = environment(match["edge"], match["environment"])
        text = _SYNONYMS.get(text, text)
        if not text.isspace() and text not in _SPACES:
            tokens.append(Token(text, match.start()))
    return _with_separators([*tokens, Token("", len(tex.rstrip()))])


def _command(font: str, words: str) -> str:
    """Return a word in upright letters as the command that it stands for."""
    word = words.strip()
    return rf"\text {word}" if font == "text" and word not in FUNCTIONS else rf"\{word}"


def environment(edge: str, name: str) -> str:
    """Return the token of the ``begin`` or ``end`` of an environment."""
    return rf"\{edge}{{{name}}}"


def _with_separators(tokens: list[Token]) -> list[Token]:
    """Replace the environments of lines by separators between statements."""
    result: list[Token] = []
    names: list[str] = []
    line_break: Token | None = None
    for token in tokens:
        match = re.fullmatch(_EDGE, token.text)
        name = match["environment"] if match else ""
        if match and match["edge"] == "begin":
            names.append(name)
        elif match and (not names or names.pop() != name):
            raise LatexError(f"{name} ends, and did not begin", token.position)
        in_lines = names and names[-1] in _LINE_ENVIRONMENTS
        if in_lines and token.text == r"\\":
            line_break = token
        elif name not in _LINE_ENVIRONMENTS and not (in_lines and token.text == "&"):
            # A line that begins with a relation or a sign continues its statement.
            if line_break and token.text not in {*RELATIONS, "+", "-", ""}:
                result.append(Token(SEPARATOR, line_break.position))
            line_break = None
            result.append(token)
    if names:
        raise LatexError(f"{names[-1]} does not end", tokens[-1].position)
    return result


def refused(text: str, position: int) -> LatexError:
    """Return the error for a token outside of the grammar."""
    return LatexError(f"not in the grammar: {text}", position)


class Cursor:
    """Reads the tokens of a formula one after another."""

    def __init__(self, tex: str) -> None:
        self._tokens = tokenize(tex)
        self.index = 0

    @property
    def ahead(self) -> str:
        """The text of the next token; empty at the end."""
        return self._tokens[self.index].text

    @property
    def position(self) -> int:
        """The offset of the next token in the LaTeX."""
        return self._tokens[self.index].position

    def take(self, expected: str | None = None) -> str:
        """Read the next token, which must be the ``expected`` one, if there is one."""
        text = self.ahead
        if not text or expected not in (None, text):
            raise LatexError(
                f"expected {expected or 'more'!r}, found {text or 'the end'!r}",
                self.position,
            )
        self.index += 1
        return text

    def accept(self, *texts: str) -> bool:
        """Read the next tokens if they have these texts, and return whether they do."""
        tokens = self._tokens[self.index : self.index + len(texts)]
        if tuple(token.text for token in tokens) != texts:
            return False
        self.index += len(texts)
        return True

    def split_number(self) -> None:
        r"""Split the number ahead into digits: ``\frac12`` takes two arguments."""
        token = self._tokens[self.index]
        digits = [Token(digit, token.position) for digit in token.text]
        self._tokens[self.index : self.index + 1] = digits

    def list_until(self, end: str, read: Callable[[], _T]) -> list[_T]:
        """Read items that are separated by commas, and what ends them."""
        items = [read()]
        while self.accept(","):
            items.append(read())
        self.take(end)
        return items

    def maybe_braced(self, read: Callable[[], _T]) -> _T:
        """Read something that may stand in braces."""
        is_braced = self.accept("{")
        result = read()
        if is_braced:
            self.take("}")
        return result
