"""A Python-Markdown extension: a sign behind each claim, and what was tried below.

The sign of a claim is a number. As for a footnote, it links to the list at the end of
the page; docs/assets/page.js opens the entry beside the claim. Without this extension,
a page has neither, and reads the same.
"""

import posixpath
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from reader import generator
from reader.extension import maker

from ..claims import find_claims
from ..finding import Finding
from ..page import LEDGER, Page
from ..results import CLAIMS, Results
from .page import WAITING, numbers

HOME = "index.md"
_KINDS = ("program", "formula", "gradient", "claim", "number")
# After attributes have their elements, and before MkDocs collects the anchors of a
# page.
_PRIORITY = 6


class _Signs(Treeprocessor):
    """Adds the signs, the list of what was tried, and the line on the checks."""

    def run(self, root: etree.Element) -> None:
        page = _page(self.md)
        if page is None:
            return
        results = Results(page.root)
        findings = {each.name: each for each in results.findings(CLAIMS, page) or ()}
        ids = {claim.id for claim in find_claims(page)}
        claims = [em for em in root.iter("em") if em.get("id") in ids]
        entries = []
        for number, claim in enumerate(claims, 1):
            id_ = claim.get("id", "")
            entries.append((id_, findings.get(id_)))
            claim.set("class", "claim")
            claim.tail = self._stash(_sign(id_, number)) + (claim.tail or "")
        if entries:
            etree.SubElement(root, "p").text = self._stash(_list(entries, self.md))
        _add_stamp(root, page, results)

    def _stash(self, element: etree.Element) -> str:
        """Return a placeholder for HTML whose links MkDocs doesn't check: those to the
        tests lead out of the folder of pages."""
        return self.md.htmlStash.store(etree.tostring(element, "unicode", "html"))


def _page(md: Markdown) -> Page | None:
    """Return the Markdown page that is being rendered, or None."""
    name, docs = generator.page(md), generator.docs(md).resolve()
    if not name or not name.endswith(".md") or not (docs / name).is_file():
        return None
    return Page(docs / name, docs.parent)


def _sign(id_: str, number: int) -> etree.Element:
    """Return the number behind a claim, a link to what was tried."""
    sign = etree.Element("sup", {"class": "claim-sign"})
    label = f"What was tried for claim {number}"
    link = {"href": f"#tried-{id_}", "id": f"sign-{id_}", "aria-label": label}
    etree.SubElement(sign, "a", link).text = str(number)
    return sign


def _list(entries: list[tuple[str, Finding | None]], md: Markdown) -> etree.Element:
    """Return the list of what was tried, in the order of the claims."""
    attributes = {"class": "tried", "data-search-exclude": "", "id": "tried"}
    section = etree.Element("section", attributes)
    etree.SubElement(section, "h2").text = "What was tried for each claim"
    note = "Each test also refutes a nearby sentence, which stands behind “Not”."
    etree.SubElement(section, "p").text = note
    items = etree.SubElement(section, "ol")
    for id_, finding in entries:
        item = etree.SubElement(items, "li", {"id": f"tried-{id_}"})
        _describe(item, finding, md)
        back = {"href": f"#sign-{id_}", "class": "back", "aria-label": "Back"}
        etree.SubElement(item, "a", back).text = "↩"
    return section


def _describe(item: etree.Element, finding: Finding | None, md: Markdown) -> None:
    """Add what was tried for a claim to its entry."""
    if finding is None or not finding.passed:
        item.text = f"{WAITING[0].upper()}{WAITING[1:]}. "
        return
    sizes, *contrasts = finding.detail.split("; contrast: ")
    version = metadata.version("tensorflow")
    item.text = f"{sizes[0].upper()}{sizes[1:]}, TensorFlow {version}. "
    if contrasts:
        item.text += f"Not: {'; '.join(contrasts)}. "
    file, _, line = finding.test.rpartition(":")
    if address := _address(file, line, md):
        link = etree.SubElement(item, "a", {"href": address})
        link.text, link.tail = f"The test, line {line}", ". "
    else:
        item.text += f"The test is in {file}, line {line}. "


def _address(file: str, line: str, md: Markdown) -> str | None:
    """Return the address of a test: in the repository, or beside the site."""
    if "relpath" in md.treeprocessors:
        relpath: Any = md.treeprocessors["relpath"]
        if repository := str(relpath.config.repo_url or "").rstrip("/"):
            return f"{repository}/blob/HEAD/{file}#L{line}"
    return generator.link_to_file(md, file)


def _add_stamp(root: etree.Element, page: Page, results: Results) -> None:
    """Add the line on the checks: below the title, on the home page at the end."""
    titles = [place for place, each in enumerate(root) if each.tag == "h1"]
    place = len(root) if _is_home(page) or not titles else titles[0] + 1
    root[place:place] = _stamp(page, results)


def _is_home(page: Page) -> bool:
    return page.path == page.settings.docs_dir / HOME


def _stamp(page: Page, results: Results) -> Iterator[etree.Element]:
    """Yield the line on the checks of a page, if it was checked."""
    counts = numbers(page, results)
    parts = [f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in _KINDS]
    parts = [part for part in parts if not part.startswith("0 ")]
    if not parts or not results.is_complete(page):
        return
    line = etree.Element("p", {"class": "stamp", "data-search-exclude": ""})
    line.text = f"Checked: {', '.join(parts)}. "
    target = posixpath.relpath(LEDGER, posixpath.dirname(page.label))
    link = etree.SubElement(line, "a", {"href": f"{target}#pages"})
    link.text = "The ledger" if _is_home(page) else "What was checked"
    yield line


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return what the signs of a page depend on, for the cache of rendered pages."""
    path = docs / page
    if path.suffix != ".md" or not path.is_file():
        return ()
    checked, results = Page(path, root), Results(root)
    findings = results.findings(CLAIMS, checked) or ()
    return [str(finding) for finding in findings], results.is_complete(checked)


makeExtension = maker("claim_signs", _Signs, _PRIORITY)
