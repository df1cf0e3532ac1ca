"""Check that citations name the first author and the year of their sources.

The key of an entry of the bibliography, such as ``Giles2008``, has both; the key of a
source without authors, such as ``JAX``, has no year, and any words may cite it.
"""

import re
from collections.abc import Iterator

from ..finding import Finding
from ..page import BIBLIOGRAPHY, Page
from .findings import finding

_ENTRY = re.compile(r"^\S+ \{ #(?P<key>\S+) \}$", re.MULTILINE)
_CITATION = re.compile(
    rf"\[(?P<words>[^\[\]]*)\]\([^)\s]*{re.escape(BIBLIOGRAPHY)}#(?P<key>[^)\s]*)\)"
)


def check(page: Page) -> Iterator[Finding]:
    """Compare the citations of a page with the bibliography."""
    bibliography = page.read_text(page.settings.docs_dir / BIBLIOGRAPHY)
    keys = {*_ENTRY.findall(bibliography)}
    for match in _CITATION.finditer(page.without_code):
        key, words = match["key"], " ".join(match["words"].split())
        name = key.rstrip("0123456789")
        year = key.removeprefix(name)
        if key not in keys:
            yield finding(page, match.start(), words, f"the bibliography has no {key}")
        elif year and not (name in words and year in words):
            detail = f"the bibliography has another source under {key}"
            yield finding(page, match.start(), words, detail)
        else:
            yield finding(page, match.start(), words, "the bibliography", "compared")
