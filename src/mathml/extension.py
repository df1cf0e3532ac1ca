"""The Python-Markdown extension: what arithmatex found becomes MathML.

Use it beside ``pymdownx.arithmatex`` with ``generic: true``.
"""

import re
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import unescape
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from .convert import ERROR_BOX, Failure, FormulaError, convert_all, error_box
from .source import Source

_UNSEEN = re.compile(
    r"(<(pre|code|script|style|svg|math)\b.*?</\2>|<[^>]*>)", re.DOTALL
)
_RAW_TEX = re.compile(r"(?:\$|\\[A-Za-z]+\{|\\[(\[]).*")
_LEADING = " \t\n>"
"""What may stand before a line of a formula; in a quote there is more."""


@dataclass
class Page:
    """The page being rendered: what stands in it, and what became of that."""

    shown: str
    source: str
    rendered: list[tuple[str, Failure | None]] = field(default_factory=list)
    """LaTeX of each formula, and why it does not convert, in the page's order."""

    def problems(self, html: str) -> Iterator[str]:
        """Formulas that do not convert, and LaTeX that was not taken for one and
        stands as text, in the order of the page."""
        place = _Place(Source(self.source))
        rendered = iter(self.rendered)
        for n, part in enumerate(_UNSEEN.split(html)):
            if n % 3 == 0:
                for raw in _RAW_TEX.findall(unescape(part)):
                    yield (
                        f"{self.shown}:{place.of_text(raw)}: LaTeX outside of a"
                        f" formula, or a dollar without its partner: {raw}"
                    )
            elif n % 3 == 1 and part.startswith(("<math", ERROR_BOX)):
                tex, failure = next(rendered, ("", None))
                line = place.of_formula(tex)
                if failure:
                    yield f"{self.shown}:{line + failure.line}: {failure}"


class _Place:
    """Where a page's source has what is met in its HTML, from top to bottom."""

    def __init__(self, source: Source) -> None:
        self._source, self._at = source, 0
        self._formulas: dict[str, list[tuple[int, int]]] = {}
        for each in source.formulas:
            start = each.start + len(each.text) - len(each.text.lstrip(_LEADING))
            spans = self._formulas.setdefault(_plain(each.text), [])
            spans.append((start, each.span[1]))

    def of_formula(self, tex: str) -> int:
        """The line, from 1, on which the next formula with this LaTeX begins."""
        return self._next(self._formulas.get(_plain(tex), ()))

    def of_text(self, raw: str) -> int:
        """The line of the next place where this stands, and not as code."""
        return self._next(
            m.span() for m in re.finditer(re.escape(raw), self._source.without_code)
        )

    def _next(self, spans: Iterable[tuple[int, int]]) -> int:
        there = list(spans)
        for start, end in there:
            if start >= self._at:
                self._at = end
                return self._source.line(start)
        # A footnote stands above the place at which it is shown.
        return self._source.line(there[0][0]) if there else 1


def _plain(tex: str) -> str:
    """LaTeX without what tells its lines apart, in a quote as well."""
    return re.sub(rf"[{_LEADING}]", "", tex)


_MARKS = re.compile(r"[.,;:!?)]+")
"""What stays on the line of a formula that it follows."""

page: ContextVar[Page | None] = ContextVar("page", default=None)
"""Set by a site generator's adapter; without it a bad formula raises."""


def render(formulas: list[tuple[str, bool]]) -> list[str]:
    """HTML of the formulas of the page being rendered.

    On a known page a bad formula is recorded there and shows its LaTeX.
    """
    known = page.get()
    try:
        shown = [
            _wrapped(m, display)
            for m, (_, display) in zip(convert_all(formulas), formulas)
        ]
        failures: dict[int, Failure] = {}
    except FormulaError as error:
        if known is None:
            raise
        failures = error.failures
        shown = [_alone(tex, display) for tex, display in formulas]
    if known:
        known.rendered += [
            (tex, failures.get(n)) for n, (tex, _) in enumerate(formulas)
        ]
    return shown


def _alone(tex: str, display: bool) -> str:
    try:
        return _wrapped(convert_all([(tex, display)])[0], display)
    except FormulaError:
        return error_box(tex)


def _wrapped(mathml: str, display: bool) -> str:
    if not display:
        return mathml
    # Wide formulas scroll by themselves; the keyboard must reach them. A script takes
    # the others out of its way.
    return (
        f'<div class="formula" tabindex="0" role="group"'
        f' aria-label="formula">{mathml}</div>'
    )


class _Converter(Treeprocessor):
    def run(self, root: Element) -> None:
        found = [e for e in root.iter() if "arithmatex" in e.get("class", "").split()]
        parents = {child: parent for parent in root.iter() for child in parent}
        # Generic arithmatex: \(inline\) in a span, \[display\] in a div.
        formulas = [
            ((e.text or "").strip()[2:-2].strip(), e.tag == "div") for e in found
        ]
        for element, html in zip(found, render(formulas)):
            element.text = self.md.htmlStash.store(html)
            if marks := _MARKS.match(element.tail or ""):
                _join(parents[element], element, marks.end())


def _join(parent: Element, formula: Element, marks: int) -> None:
    """Keep a browser from breaking the line between a formula and the period.

    Chromium breaks it in spite of a word joiner.
    """
    tail = formula.tail or ""
    both = Element("span", {"class": "joined"})
    both.tail, formula.tail = tail[marks:], tail[:marks]
    parent[[*parent].index(formula)] = both
    both.append(formula)


class FormulasExtension(Extension):
    """Registers the conversion after inline patterns and before the toc."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Converter(md), "formulas", 15)


def makeExtension(**options: object) -> FormulasExtension:
    return FormulasExtension(**options)
