"""Check that citations name the first author and the year of their sources.

The key of an entry of the bibliography, such as ``Giles2008``, has both; the key of a
source without authors, such as ``JAX``, has no year, and any words may cite it. MkDocs
refuses a key that the bibliography lacks.
"""

import re
from collections.abc import Iterator

from ..finding import Finding
from ..page import BIBLIOGRAPHY, Page
from .findings import finding

_CITATION = re.compile(
    rf"\[(?P<words>[^\[\]]*)\]\([^)\s]{{,500}}{re.escape(BIBLIOGRAPHY)}#(?P<key>[^)\s]*)\)"
)


def check(page: Page) -> Iterator[Finding]:
    """Compare the citations of a page with the bibliography."""
    for match in _CITATION.finditer(page.without_code):
        key, words = match["key"], " ".join(match["words"].split())
        name = key.rstrip("0123456789")
        year = key.removeprefix(name)
        if year and not (name in words and year in words):
            detail = f"the bibliography has another source under {key}"
            yield finding(page, match.start(), words, detail)
        else:
            yield finding(page, match.start(), words, "the bibliography", "compared")
