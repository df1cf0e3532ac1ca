"""Promise: what the site cites is in one list, and what is in the list is cited or
called further reading. That citations name their sources is checked by
``truth.structure``."""

import re

from truth.page import all_pages

from .project import ROOT

DOCS = ROOT / "docs"
LIST = (DOCS / "bibliography.md").read_text("utf-8")
ENTRIES = {
    entry[1]: entry[0]
    for entry in re.finditer(
        r"^\S+ \{ #(\S+) \}\n(?:\n|[: ] .*\n)+", LIST, re.MULTILINE
    )
}


def cited() -> dict[str, str]:
    """The keys that pages link to, and a page for each."""
    return {
        key: page.label
        for page in all_pages(ROOT)
        for key in re.findall(r"\bbibliography\.md#([^)\s]*)", page.without_code)
    }


def test_every_entry_has_its_key_and_a_link():
    assert len(ENTRIES) == LIST.count("{ #") >= 15
    for key, entry in ENTRIES.items():
        assert entry.startswith(f"{key} {{ #{key} }}\n\n:   "), key
        assert "](https://" in entry, key


def test_entries_are_in_alphabetical_order():
    assert list(ENTRIES) == sorted(ENTRIES, key=str.lower)


def test_what_is_in_the_list_is_cited_or_further_reading():
    known = cited()
    assert [
        key
        for key, entry in ENTRIES.items()
        if key not in known and "Further reading." not in entry
    ] == []
