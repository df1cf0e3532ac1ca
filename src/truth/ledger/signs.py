"""The Python-Markdown extension: a sign behind each claim, and what was tried below.

A claim is emphasis with an id. Its sign is a number, a link to the list at the end of
the page, as of a footnote; docs/assets/page.js opens the entry beside the claim.
Without this extension, a page has neither, and reads the same.
"""

import posixpath
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from ..claims import claims
from ..finding import Finding
from ..page import LEDGER, Page
from ..results import CLAIMS, Results
from .page import WAITING, summary

HOME = "index.md"
# After attributes have their elements, and before MkDocs collects the anchors of a
# page.
_PRIORITY = 6


class SignsExtension(Extension):
    """Registers the signs."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Signs(md), "claim-signs", _PRIORITY)


class _Signs(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        page = _page(self.md)
        if page is None:
            return
        known = Results(page.root)
        findings = known.findings(CLAIMS, page) or ()
        tried = {finding.name: finding for finding in findings}
        ids = [claim.id for claim in claims(page)]
        marks = [em for em in root.iter("em") if em.get("id") in ids]
        for number, mark in enumerate(marks, 1):
            mark.set("class", "claim")
            mark.tail = self._raw(_sign(mark.get("id", ""), number)) + (mark.tail or "")
        if marks:
            entries = [
                (id_, tried.get(id_)) for id_ in (m.get("id", "") for m in marks)
            ]
            block = etree.SubElement(root, "p")
            block.text = self._raw(_list(entries, self.md))
        root.extend(_stamp(page, known))

    def _raw(self, element: etree.Element) -> str:
        """Return what stands for HTML whose links MkDocs doesn't look at: those to the
        tests lead out of the folder of pages."""
        return self.md.htmlStash.store(etree.tostring(element, "unicode", "html"))


def _page(md: Markdown) -> Page | None:
    """Return the page being rendered, as MkDocs or Zensical knows it."""
    if "relpath" in md.treeprocessors:
        relpath: Any = md.treeprocessors["relpath"]
        root = Path(relpath.config.config_file_path).resolve().parent
        docs = Path(relpath.config.docs_dir).resolve()
        path = Path(relpath.file.abs_src_path or "").resolve()
    elif "rendering_context" in md.preprocessors:
        context: Any = md.preprocessors["rendering_context"]
        root = Path.cwd()
        docs = root / "docs"
        path = docs / context.page.path
    else:
        return None
    is_page = path.suffix == ".md" and path.is_file() and path.is_relative_to(docs)
    return Page(path, root) if is_page else None


def _sign(id_: str, number: int) -> etree.Element:
    """Return the number behind a claim, a link to what was tried."""
    sign = etree.Element("sup", {"class": "claim-sign"})
    label = f"What was tried for claim {number}"
    link = {"href": f"#tried-{id_}", "id": f"sign-{id_}", "aria-label": label}
    etree.SubElement(sign, "a", link).text = str(number)
    return sign


def _list(entries: list[tuple[str, Finding | None]], md: Markdown) -> etree.Element:
    """Return the list of what was tried, in the order of the claims."""
    section = etree.Element(
        "section", {"class": "tried", "data-search-exclude": "", "id": "tried"}
    )
    heading = etree.SubElement(section, "h2")
    heading.text = "What was tried for each claim"
    etree.SubElement(
        section, "p"
    ).text = "Each test also refutes a nearby sentence, which stands behind “Not”."
    items = etree.SubElement(section, "ol")
    for id_, finding in entries:
        item = etree.SubElement(items, "li", {"id": f"tried-{id_}"})
        _describe(item, finding, md)
        back = {"href": f"#sign-{id_}", "class": "back", "aria-label": "Back"}
        etree.SubElement(item, "a", back).text = "↩"
    return section


def _describe(item: etree.Element, finding: Finding | None, md: Markdown) -> None:
    if finding is None or not finding.passed:
        item.text = f"{WAITING[0].upper()}{WAITING[1:]}. "
        return
    sizes, *contrasts = finding.detail.split("; contrast: ")
    version = metadata.version("tensorflow")
    item.text = f"{sizes[0].upper()}{sizes[1:]}, TensorFlow {version}. "
    if contrasts:
        item.text += f"Not: {'; '.join(contrasts)}. "
    file, _, line = finding.evidence.rpartition(":")
    if target := _test(file, line, md):
        link = etree.SubElement(item, "a", {"href": target})
        link.text, link.tail = f"The test, line {line}", ". "
    else:
        item.text += f"The test is in {file}, line {line}. "


def _test(file: str, line: str, md: Markdown) -> str | None:
    """Return the address of a test's source: in the repository, or beside the site."""
    if "relpath" not in md.treeprocessors:
        return None
    relpath: Any = md.treeprocessors["relpath"]
    if repository := str(relpath.config.repo_url or "").rstrip("/"):
        return f"{repository}/blob/HEAD/{file}#L{line}"
    return posixpath.relpath(file, posixpath.dirname(relpath.file.url) or ".")


def _stamp(page: Page, known: Results) -> Iterator[etree.Element]:
    """Return the last line of a checked page; the home page has one for all pages."""
    if not known.is_whole(page) or not (text := summary(known, page)):
        return
    name = page.path.relative_to(page.settings.docs_dir).as_posix()
    line = etree.Element("p", {"class": "stamp", "data-search-exclude": ""})
    line.text = f"Checked: {text}. "
    target = posixpath.relpath(LEDGER, posixpath.dirname(page.label))
    about = etree.SubElement(line, "a", {"href": f"{target}#pages"})
    about.text = "The ledger" if name == HOME else "What was checked"
    yield line


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return what the signs of a page depend on, for pages that are rendered once."""
    path = docs / page
    if path.suffix != ".md" or not path.is_file():
        return ()
    shown, known = Page(path, root), Results(root)
    findings = known.findings(CLAIMS, shown) or ()
    return [str(finding) for finding in findings], known.is_whole(shown)


def makeExtension(**options: object) -> SignsExtension:
    """Return the extension."""
    return SignsExtension(**options)
