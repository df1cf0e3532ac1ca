"""Findings of this wing."""

from ..finding import Finding
from ..page import Page

_LONGEST = 60


def said(page: Page, at: int, state: str, what: str, how: str) -> Finding:
    line = " ".join(what.split())
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rpartition(" ")[0] + " …"
    return Finding("structure", state, page.label, page.location(at), line, how)


def refused(page: Page, at: int, what: str, how: str) -> Finding:
    return said(page, at, "failed", what, how)
