"""The sentences of a page, and which of them state something of more than one run.

A table's row, an alternative text, an entry of the glossary and a comment of a
program that the page shows count as sentences, too.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from ..page import Block, Page

UNIVERSAL = re.compile(
    r"\b(?:always|never|ever|every|everything|everywhere|each|any|anything|anywhere"
    r"|anyone|all|no|none|nothing|nobody|nowhere|only|cannot|must|whatever|whenever"
    r"|wherever|whichever|same|equals?|both|neither|either|exact(?:ly)?|identical(?:ly)?"
    r"|alike|silent(?:ly)?|rais(?:es?|ing)|refuses?|ignores?|ignored|without|alone|once"
    r"|at (?:least|most)|not|nor|unless|until|right|wrong|just|fails?|TensorFlow"
    r"|eager(?:ly)?|graphs?|tracing|traced|XLA|compiled|jit_compile|modes?)\b"
    r"|tf\.function|n't\b|^(?:for )?an?\b|^(?:\w+ ){0,2}`(?:tf|tape|keras)\.",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of more than what one program printed, and
beginnings: with what is any one of its kind, or with a name of the API."""
_FORM = re.compile(
    r"Next: .*|Before you start|Solution|State the map and its shapes\.?"
    r"|Write the differential\.?|Pair it with the upstream gradient\.?"
    r"|Read off the rule\.?"
)
"""What every page has, and what states nothing."""
_ASKS = re.compile(r"\?[\"”)*]*$")
_END = re.compile(r"(?<=[.?!])[\"”)*_]*\s+(?=[\"“(*_]*[A-Z`$\[\d])")
_LIST = re.compile(
    r"^\s*(?:[-*+]|\d+\.|(?:[!?]{3}\+?|={3}) *[\w ]*|:(?=\s))\s*", re.MULTILINE
)
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)(?:\{[^}]*\})?")
_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\]]*\])*)\](?:\([^)]*\)|\[[^\]]*\])(?:\{[^}]*\})?"
)
_KEPT = re.compile(r"(`+[^`]*`+|\$[^$]*\$)")
_SAID_TO_CHECKS = re.compile(r"#+\s*(?:tracebook|truth|--8<--|type|noqa)\b")
_RULE = re.compile(r"[\s|:-]*")


@dataclass(frozen=True)
class Sentence:
    """A sentence as it is read, and where it stands."""

    text: str
    where: str
    block: int
    """Sentences of one block stand beside each other."""

    @property
    def is_universal(self) -> bool:
        """Whether it speaks of more than one run."""
        return UNIVERSAL.search(self.text) is not None

    @property
    def asks(self) -> bool:
        return _ASKS.search(self.text) is not None


def plain(text: str) -> str:
    """As it is read: without the marks of links and emphasis, on one line."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    parts = _KEPT.split(text)
    parts[::2] = [re.sub(r"\*+|(?<!\w)_|_(?!\w)|\\(?=\W)", "", p) for p in parts[::2]]
    return " ".join("".join(parts).split()).strip(' "“”')


def of(page: Page) -> list[Sentence]:
    """Every sentence of a page and of the comments in its programs, in order."""
    found: list[Sentence] = []
    blocks = [*_blocks(page)]
    for number, (text, where) in enumerate(blocks):
        for each in _END.split(text):
            if re.search(r"[A-Za-z]{2}.*\s.*[A-Za-z]{2}", said := plain(each)) and not (
                _FORM.fullmatch(said)
            ):
                found.append(Sentence(said, where, number))
    return found


def _blocks(page: Page) -> Iterator[tuple[str, str]]:
    for block in page.blocks:
        text = _without_comments(page, block)
        if text.lstrip().startswith("#") or _RULE.fullmatch(text):
            continue
        where = page.where(block.start)
        for image in _IMAGE.finditer(text):
            yield image[1], where
        text = _IMAGE.sub("", text)
        if block.header:
            cells = [each.strip() for each in text.strip().strip("|").split(" | ")]
            yield " — ".join(each for each in cells if each), where
        else:
            yield _LIST.sub("", re.sub(r"^\s*>", "", text, flags=re.MULTILINE)), where
    for path in page.embedded(".py"):
        name = path.relative_to(page.root).as_posix()
        program = path.read_text("utf-8")
        for line, text in sorted([*_comments(program), *_docstrings(program)]):
            yield text, f"{name}:{line}"


def _without_comments(page: Page, block: Block) -> str:
    text = page.text[block.start : block.end]
    return re.sub(r"<!--.*?(?:-->|\Z)", " ", text, flags=re.DOTALL)


def _comments(program: str) -> Iterator[tuple[int, str]]:
    """What a program says to its reader: comments, those of one place together."""
    first, last = 0, -1
    lines: list[str] = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(program).readline))
    except (tokenize.TokenError, SyntaxError):  # wrong on purpose
        return
    for token in tokens:
        if token.type != tokenize.COMMENT or _SAID_TO_CHECKS.match(token.string):
            continue
        if lines and token.start[0] == last + 1:
            lines.append(token.string.lstrip("# "))
        else:
            if lines:
                yield first, " ".join(lines)
            first, lines = token.start[0], [token.string.lstrip("# ")]
        last = token.start[0]
    if lines:
        yield first, " ".join(lines)


def _docstrings(program: str) -> Iterator[tuple[int, str]]:
    try:
        tree = ast.parse(program)
    except SyntaxError:  # wrong on purpose
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            continue
        if said := ast.get_docstring(node):
            yield node.body[0].lineno, said
