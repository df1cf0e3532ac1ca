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

from .page import Block, Page

UNIVERSAL = re.compile(
    r"\b(?:always|never|ever|every|everything|everywhere|each|any|anything|anywhere"
    r"|anyone|all|no|none|nothing|nobody|nowhere|only|cannot|must|whatever|whenever"
    r"|wherever|whichever|same|equals?|both|neither|either|exact(?:ly)?|identical(?:ly)?"
    r"|alike|silent(?:ly)?|rais(?:es?|ing)|refuses?|ignores?|ignored|without|alone|once"
    r"|at (?:least|most)|not|nor|unless|until|right|wrong|just|fails?|TensorFlow"
    r"|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|half|thrice"
    r"|eager(?:ly)?|graphs?|tracing|traced|XLA|compiled|jit_compile|modes?)\b"
    r"|tf\.function|n't\b|^(?:for )?an?\b|^(?:\w+ ){0,2}`(?:tf|tape|keras)\.",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of more than what one program printed, numbers in
words, and beginnings: with what is any one of its kind, or with a name of the API."""
_FORM = re.compile(
    r"Next: .*|In short|Before you start|Solution|Answer"
    r"|State the (?:function|map) and its shapes\.?|Write the differential\.?"
    r"|(?:Take the inner product|Pair it) with the upstream gradient\.?"
    r"|Read off the (?:gradient function|rule)\.?"
)
"""What every page has, and what states nothing."""
_TERM = re.compile(r"[^{}\n]+ \{ #[^{}\n]+ \}\s*\n[ \t]*:\s")
"""A term of a glossary, above what it means."""
_SAYS = re.compile(r"[A-Za-z]{2}.*\s.*[A-Za-z]{2}| — ")
"""Two words, or two cells of a table."""
_ASKS = re.compile(r"\?[\"”)*]*$")
_END = re.compile(r"(?<=[.?!])[\"”)*_]*\s+(?=[\"“(*_]*[A-Z`$\[\d])")
_LIST = re.compile(
    r"^\s*(?:[-*+](?=\s)|\d+\.(?=\s)|(?:[!?]{3}\+?|={3}) *[\w ]*|:(?=\s))\s*",
    re.MULTILINE,
)
_ANCHOR = re.compile(r'<span id="[\w-]+"></span>')
"""An address that a heading once had."""
_IMAGE = re.compile(r"!\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)(?:\{[^}]*\})?")
_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\]]*\])*)\](?:\([^)]*\)|\[[^\]]*\])(?:\{[^}]*\})?"
)
_ANSWER = re.compile(r"(?<=[*`])\{\.answer[^{}\n]*\}")
"""What marks the answer of an exercise, for docs/assets/exercise.js."""
_IN_CODE = re.compile(
    r"In code:(?:(?:\s+and)?\s+`[^`]+`\{\.answer data-of=[^{}\n]*\},?)+\.\s*"
)
"""A sentence of such answers alone: tests/test_exercises.py tries each."""
_KEPT = re.compile(r"(`+[^`]*`+|\$[^$]*\$)")
_SAID_TO_CHECKS = re.compile(r"#+\s*(?:tracebook|truth|--8<--|type|noqa)\b")
_RULE = re.compile(r"[\s|:-]*")
MORE = "…"
"""Ends a reference that has only the first words of its sentence."""


@dataclass(frozen=True)
class Sentence:
    """A sentence as it is read, and where it stands."""

    text: str
    where: str
    block: int
    """Sentences of one block stand beside each other."""
    span: range
    """Of offsets into the page; of a program's comment, none."""

    @property
    def is_universal(self) -> bool:
        """Whether it speaks of more than one run."""
        return UNIVERSAL.search(self.text) is not None

    @property
    def asks(self) -> bool:
        return _ASKS.search(self.text) is not None


def plain(text: str) -> str:
    """As it is read: without the marks of links and emphasis, on one line."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", _ANCHOR.sub("", text)))
    text = _ANSWER.sub("", text)
    parts = _KEPT.split(text)
    parts[::2] = [re.sub(r"\*+|(?<!\w)_|_(?!\w)|\\(?=\W)", "", p) for p in parts[::2]]
    return " ".join("".join(parts).split()).strip(' "“”')


def of(page: Page) -> list[Sentence]:
    """Every sentence of a page and of the comments in its programs, in order."""
    found: list[Sentence] = []
    number = 0
    for block in page.blocks:
        text = _without_comments(page, block)
        is_front_matter = not block.start and text.startswith("---")
        is_term = _TERM.match(page.text, block.start)
        if is_term or is_front_matter or text.startswith("#") or _RULE.fullmatch(text):
            continue
        for said, span in _parts(text, block):
            number += 1
            found += _split(said, span, page.where(block.start), number)
    for path in page.embedded(".py"):
        name = path.relative_to(page.root).as_posix()
        program = path.read_text("utf-8")
        for line, said in sorted([*_comments(program), *_docstrings(program)]):
            number += 1
            found += _split(said, range(0), f"{name}:{line}", number)
    return found


def headings(page: Page) -> list[Sentence]:
    """The headings of a page: no test tries them, but what they say is reviewed."""
    return [
        Sentence(text, page.where(start), -1, range(0))
        for start, _, title in page.headings
        if _SAYS.search(text := plain(re.sub(r"\s*\{[^{}]*\}\s*$", "", title)))
    ]


def named(reference: str, sentences: list[Sentence]) -> list[int]:
    """The sentences that a test names by their text, or by first words and ``…``."""
    if reference.endswith(MORE):
        words = plain(reference.removesuffix(MORE))
        return [at for at, each in enumerate(sentences) if each.text.startswith(words)]
    text = plain(reference)
    return [at for at, each in enumerate(sentences) if each.text == text]


def _split(text: str, span: range, where: str, number: int) -> Iterator[Sentence]:
    at = 0
    for gap in [*_END.finditer(text), None]:
        end, after = gap.span() if gap else (len(text), 0)
        said = plain(
            _LIST.sub("", re.sub(r"^\s*>", "", text[at:end], flags=re.MULTILINE))
        )
        inside = (
            range(span.start + at, span.start + end) if len(span) == len(text) else span
        )
        is_form = _FORM.fullmatch(said) or _IN_CODE.fullmatch(text[at:end].strip())
        if _SAYS.search(said) and not is_form:
            yield Sentence(said, where, number, inside)
        at = after


def _parts(text: str, block: Block) -> Iterator[tuple[str, range]]:
    """Alternative texts; and the rest, of a table's row cell by cell."""
    whole = range(block.start, block.end)
    for image in _IMAGE.finditer(text):
        yield image[1], range(block.start + image.start(1), block.start + image.end(1))
    text = _IMAGE.sub(lambda image: " " * len(image[0]), text)
    if block.header:
        cells = [each.strip() for each in text.strip().strip("|").split(" | ")]
        text = " — ".join(each for each in cells if each)
    yield text, whole


def _without_comments(page: Page, block: Block) -> str:
    text = page.text[block.start : block.end]
    return re.sub(
        r"<!--.*?(?:-->|\Z)", lambda m: " " * len(m[0]), text, flags=re.DOTALL
    )


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
