"""Whether what stands on a page stands where it belongs.

A program is followed by its own trace, and a fence shows a file, a type or code. The
page that is said to be next is the next of the menu. A citation has the names and
the year of its source. What a program prints is computed, and what is said of a figure
is asserted where it is drawn. Mathematics is in formulas, where it is checked. No
comment was meant for the checks, and mistyped. Sentences use the field's words.
"""

from pathlib import Path

from ..finding import Finding
from ..page import Page
from . import citations, fences, figures, programs, vocabulary, words


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [
        finding
        for page in pages
        for part in (fences, words, vocabulary, citations, programs, figures)
        for finding in part.check(page, root)
    ]
