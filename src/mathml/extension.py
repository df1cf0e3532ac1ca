"""The Python-Markdown extension: what arithmatex found becomes MathML.

Use it beside ``pymdownx.arithmatex`` with ``generic: true``.
"""

import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import unescape

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from .convert import FormulaError, convert_all, error_box

_UNSEEN = re.compile(
    r"(<(pre|code|script|style|svg|math)\b.*?</\2>|<[^>]*>)", re.DOTALL
)
_RAW_TEX = re.compile(r"(?:\$|\\[A-Za-z]+\{|\\[(\[]).*")


@dataclass
class Page:
    """The page being rendered, for messages; failures are collected in it."""

    shown: str
    source: str
    failures: list[str] = field(default_factory=list)

    def fail(self, error: FormulaError) -> None:
        """Note formulas that do not convert."""
        for failure in error.failures:
            # In a list a page indents each line, in a notebook it comments
            # it: the first line after a dollar is enough.
            first = re.escape(failure.tex.partition("\n")[0])
            self._note(rf"\$[\s#]*{first}", failure.line, str(failure))

    def fail_if_raw(self, html: str) -> None:
        """Note LaTeX that was not taken for a formula and stands as text."""
        for text in _UNSEEN.split(html)[::3]:
            for raw in _RAW_TEX.findall(unescape(text)):
                self._note(
                    re.escape(raw),
                    0,
                    "LaTeX outside of a formula,"
                    f" or a dollar without its partner: {raw}",
                )

    def _note(self, pattern: str, line: int, text: str) -> None:
        found = re.search(pattern, self.source)
        end = found.end() if found else 0
        line += 1 + self.source.count("\n", 0, end)
        self.failures.append(f"{self.shown}:{line}: {text}")


WORD_JOINER = "\u2060"

page: ContextVar[Page | None] = ContextVar("page", default=None)
"""Set by a site generator's adapter; without it a bad formula raises."""


def render(formulas: list[tuple[str, bool]]) -> list[str]:
    """HTML of the formulas of the page being rendered.

    On a known page a bad formula is recorded there and shows its LaTeX.
    """
    try:
        return [
            _wrapped(m, display)
            for m, (_, display) in zip(convert_all(formulas), formulas)
        ]
    except FormulaError as error:
        if page.get() is None:
            raise
        page.get().fail(error)
        return [_alone(tex, display) for tex, display in formulas]


def _alone(tex: str, display: bool) -> str:
    try:
        return _wrapped(convert_all([(tex, display)])[0], display)
    except FormulaError:
        return error_box(tex)


def _wrapped(mathml: str, display: bool) -> str:
    if not display:
        return mathml
    # Wide formulas scroll by themselves; the keyboard must reach them.
    return (
        f'<div class="formula" tabindex="0" role="group"'
        f' aria-label="formula">{mathml}</div>'
    )


class _Converter(Treeprocessor):
    def run(self, root) -> None:
        found = [e for e in root.iter() if "arithmatex" in e.get("class", "").split()]
        # Generic arithmatex: \(inline\) in a span, \[display\] in a div.
        formulas = [(e.text.strip()[2:-2].strip(), e.tag == "div") for e in found]
        for element, html in zip(found, render(formulas)):
            element.text = self.md.htmlStash.store(html)
            if (element.tail or " ")[0] in ".,;:!?)":
                # A browser may break a line after a formula, before the period.
                element.tail = WORD_JOINER + element.tail


class FormulasExtension(Extension):
    """Registers the conversion after inline patterns and before the toc."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Converter(md), "formulas", 15)


def makeExtension(**options) -> FormulasExtension:
    return FormulasExtension(**options)
