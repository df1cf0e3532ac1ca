"""Findings on the structure of a page."""

from ..finding import Finding
from ..page import Page

_LONGEST = 60
"""Letters of a text in a message."""


def finding(
    page: Page, offset: int, text: str, detail: str, state: str = "failed"
) -> Finding:
    """Return a finding on the text at an offset of a page."""
    line = " ".join(text.split())
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rpartition(" ")[0] + " …"
    return Finding("structure", state, page.location(offset), line, detail)
