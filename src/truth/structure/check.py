"""Check the structure of a page: fences, links, citations, programs, figures, words."""

from ..finding import Finding
from ..page import Page
from . import citations, fences, figures, programs, vocabulary, words


def check(page: Page) -> list[Finding]:
    """Check the structure of a page."""
    parts = (fences, words, vocabulary, citations, programs, figures)
    return [finding for part in parts for finding in part.check(page)]
