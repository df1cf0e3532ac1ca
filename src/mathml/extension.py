"""The Python-Markdown extension that replaces arithmatex's formulas by MathML.

Use it beside ``pymdownx.arithmatex`` with ``generic: true``.
"""

import re
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import escape, unescape
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from .convert import FormulaError, convert
from .source import Source

_HIDDEN = re.compile(
    r"(<(pre|code|script|style|svg|math)\b.*?</\2>|<[^>]*>)", re.DOTALL
)
_RAW_TEX = re.compile(r"(?:\$|\\[A-Za-z]+\{|\\[(\[]).*")
_LEADING = " \t\n>"
"""Characters before a line of a formula, also in a quote."""
_PUNCTUATION = re.compile(r"[.,;:!?)]+")
"""Characters that stay on the line of the formula before them."""
_ERROR_BOX = '<code class="formula-error">'
"""The element in place of a formula that does not convert, while serving."""


@dataclass
class RenderedPage:
    """The page that is being rendered.

    Args:
        label: of the page in messages.
        source: its Markdown.
    """

    label: str
    source: str
    formulas: list[tuple[str, FormulaError | None]] = field(default_factory=list)
    """The LaTeX of each rendered formula, and why it does not convert."""

    def problems(self, html: str) -> Iterator[str]:
        """Return a message for each mistake in the rendered page, from top to bottom.

        A mistake is a formula that does not convert, or LaTeX outside of a formula.
        """
        locator = _Locator(Source(self.source))
        formulas = iter(self.formulas)
        for number, part in enumerate(_HIDDEN.split(html)):
            if number % 3 == 0:
                for raw in _RAW_TEX.findall(unescape(part)):
                    yield (
                        f"{self.label}:{locator.line_of_text(raw)}: LaTeX outside of a"
                        f" formula, or a dollar without its partner: {raw}"
                    )
            elif number % 3 == 1 and part.startswith(("<math", _ERROR_BOX)):
                tex, failure = next(formulas, ("", None))
                line = locator.line_of_formula(tex)
                if failure:
                    yield f"{self.label}:{line + failure.line}: {failure}"


class _Locator:
    """Finds parts of the HTML of a page in its source, from top to bottom."""

    def __init__(self, source: Source) -> None:
        self._source, self._end = source, 0
        self._formulas: dict[str, list[tuple[int, int]]] = {}
        for formula in source.formulas:
            text = formula.text
            start = formula.start + len(text) - len(text.lstrip(_LEADING))
            spans = self._formulas.setdefault(_without_spaces(text), [])
            spans.append((start, formula.span[1]))

    def line_of_formula(self, tex: str) -> int:
        """Return the line, from 1, on which the next formula with this LaTeX begins."""
        return self._next_line(self._formulas.get(_without_spaces(tex), ()))

    def line_of_text(self, raw: str) -> int:
        """Return the line on which a text next stands outside of code."""
        text = self._source.without_code
        return self._next_line(m.span() for m in re.finditer(re.escape(raw), text))

    def _next_line(self, spans: Iterable[tuple[int, int]]) -> int:
        spans = list(spans)
        for start, end in spans:
            if start >= self._end:
                self._end = end
                return self._source.line(start)
        # A footnote may stand in the source above the place at which it is rendered.
        return self._source.line(spans[0][0]) if spans else 1


def _without_spaces(tex: str) -> str:
    """Return LaTeX without differences in indentation and quoting."""
    return re.sub(rf"[{_LEADING}]", "", tex)


current_page: ContextVar[RenderedPage | None] = ContextVar("page", default=None)
"""The page that a site generator renders; without one, a bad formula raises."""


def render(tex: str, display: bool) -> str:
    """Return the HTML of a formula, and add it to the current page.

    Args:
        tex: LaTeX without its dollars.
        display: whether it is displayed.

    Raises:
        FormulaError: the formula does not convert, and there is no current page. If
            there is one, the LaTeX is shown.
    """
    page, failure = current_page.get(), None
    try:
        html = convert(tex, display)
        if display:
            # A wide formula scrolls by itself, so the keyboard must reach it. A script
            # makes the other formulas unreachable again.
            html = (
                '<div class="formula" tabindex="0" role="group"'
                f' aria-label="formula">{html}</div>'
            )
    except FormulaError as error:
        if page is None:
            raise
        failure, html = error, f"{_ERROR_BOX}{escape(tex)}</code>"
    if page:
        page.formulas.append((tex, failure))
    return html


class _Converter(Treeprocessor):
    def run(self, root: Element) -> None:
        elements = [
            e for e in root.iter() if "arithmatex" in e.get("class", "").split()
        ]
        parents = {child: parent for parent in root.iter() for child in parent}
        for element in elements:
            # Generic arithmatex writes \(inline\) in a span, and \[display\] in a div.
            tex = (element.text or "").strip()[2:-2].strip()
            element.text = self.md.htmlStash.store(render(tex, element.tag == "div"))
            if match := _PUNCTUATION.match(element.tail or ""):
                _join(parents[element], element, match.end())


def _join(parent: Element, formula: Element, length: int) -> None:
    """Keep a browser from breaking the line between a formula and its punctuation.

    Chromium breaks it in spite of a word joiner.
    """
    tail = formula.tail or ""
    group = Element("span", {"class": "joined"})
    group.tail, formula.tail = tail[length:], tail[:length]
    parent[[*parent].index(formula)] = group
    group.append(formula)


class FormulasExtension(Extension):
    """Registers the conversion after inline patterns and before the toc."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Converter(md), "formulas", 15)


def makeExtension(**options: object) -> FormulasExtension:
    return FormulasExtension(**options)
