"""The Python-Markdown extension that replaces arithmatex's formulas by MathML.

Use it beside ``pymdownx.arithmatex`` with ``generic: true``.
"""

import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import escape, unescape
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from .convert import FormulaError, convert

_HIDDEN = re.compile(
    r"(<(pre|code|script|style|svg|math)\b.*?</\2>|<[^>]*>)", re.DOTALL
)
_RAW_TEX = re.compile(r"(?:\$|\\[A-Za-z]+\{|\\[(\[]).*")
_PUNCTUATION = re.compile(r"[.,;:!?)]+")
"""Characters that stay on the line of the formula before them."""


@dataclass
class RenderedPage:
    """The page that is being rendered.

    Args:
        label: of the page in messages.
        source: its Markdown.
    """

    label: str
    source: str
    errors: list[FormulaError] = field(default_factory=list)

    def problems(self, html: str) -> Iterator[str]:
        """Return a message for each formula of the rendered page that does not convert,
        and for LaTeX outside of a formula."""
        for error in self.errors:
            yield f"{self._location(error.line)}: {error}"
        for raw in _RAW_TEX.findall(unescape(_HIDDEN.sub("\n", html))):
            yield (
                f"{self._location(raw)}: LaTeX outside of a formula, or a dollar"
                f" without its partner: {raw}"
            )

    def _location(self, text: str) -> str:
        """Return the file, with the line in which a text stands first."""
        before, text, _ = self.source.partition(text)
        return f"{self.label}:{before.count(chr(10)) + 1}" if text else self.label


current_page: ContextVar[RenderedPage | None] = ContextVar("page", default=None)
"""The page that a site generator renders; without one, a bad formula raises."""


def render(tex: str, display: bool) -> str:
    """Return the HTML of a formula.

    Args:
        tex: LaTeX without its dollars.
        display: whether it is displayed.

    Raises:
        FormulaError: the formula does not convert, and there is no current page. If
            there is one, it gets the error, and the LaTeX is shown.
    """
    try:
        html = convert(tex, display)
    except FormulaError as error:
        if not (page := current_page.get()):
            raise
        page.errors.append(error)
        return f'<code class="formula-error">{escape(tex)}</code>'
    if not display:
        return html
    # A wide formula scrolls by itself, so the keyboard must reach it. A script makes
    # the other formulas unreachable again.
    return (
        '<div class="formula" tabindex="0" role="group"'
        f' aria-label="formula">{html}</div>'
    )


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
