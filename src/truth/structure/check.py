"""Check the structure of a page: what stands on it, and where.

An output follows its program, and a fence shows a file, a type or code. The next page
is the next of the menu. A citation has the names and the year of its source. A program
computes what it prints, and asserts what is said of its figure. Mathematics stands in
formulas, which are checked. Comments for the checks are understood. Sentences use the
words of the field.
"""

from ..finding import Finding
from ..page import Page
from . import citations, fences, figures, programs, vocabulary, words


def check(page: Page) -> list[Finding]:
    """Check the structure of a page."""
    parts = (fences, words, vocabulary, citations, programs, figures)
    return [finding for part in parts for finding in part.check(page)]
