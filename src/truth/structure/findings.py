"""Findings on the structure of a page."""

from textwrap import shorten

from ..finding import Finding
from ..page import Page


def finding(
    page: Page, offset: int, text: str, detail: str, state: str = "failed"
) -> Finding:
    """Return a finding on the text at an offset of a page."""
    line = shorten(text, 60, placeholder=" …")
    return Finding("structure", state, page.location(offset), line, detail)
