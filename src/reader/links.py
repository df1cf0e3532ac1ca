"""Links from the names of TensorFlow's API to its reference.

A Python-Markdown extension: ``tf.…`` or ``keras.…`` in backticks, where the
installed TensorFlow exports that name, becomes a link to the page of its
canonical name. Nothing is imported and nothing is asked for: the packages list
what they export in files that are read as text.
"""

import re
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

REFERENCE = "https://www.tensorflow.org/api_docs/python/"
_ROOTS = {"tf": "tensorflow", "keras": "keras"}
# What TensorFlow loads by hand, and not by an import that could be read.
_LOADED_BY_HAND = {("tensorflow", "keras"): "keras._tf_keras.keras"}
_NAME = re.compile(r"(?:tf|keras)(?:\.[A-Za-z_]\w*)+")
_IMPORT = re.compile(
    r"^from (?P<module>[\w.]+) import (?:\(\s*)?(?P<name>\w+)(?: as (?P<shown>\w+))?",
    re.MULTILINE,
)
_EXPORTED = re.compile(
    r"\b(?:tf|keras)_export\(\s*\[?\s*(?P<names>(?:[\"'][\w.]+[\"'],?\s*)+)"
)
_DEPRECATED = re.compile(r"deprecated_endpoints\(\s*(?P<names>[^)]*)\)")
_BODY = re.compile(r"(?:(?:[ \t#)].*)?\n)*")
_QUOTED = re.compile(r"[\"']([\w.]+)[\"']")
_UNLINKED = {"a", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}


@cache
def address(name: str) -> str | None:
    """The address of the reference for a dotted name; None if it has none."""
    root, _, rest = name.partition(".")
    found = _find(_ROOTS.get(root, ""), rest.split("."))
    if found is None:
        return None
    page, member = found
    page = f"tf.{page or name.removeprefix('tf.').removesuffix(f'.{member}')}"
    return REFERENCE + page.replace(".", "/") + (f"#{member}" if member else "")


def _find(module: str, attributes: list[str]) -> tuple[str, str] | None:
    """Canonical name, or "" for the one at hand, and method of what is exported."""
    first, *more = attributes
    source, name = _exports(module).get(first, ("", ""))
    inner = _LOADED_BY_HAND.get((module, first), f"{source}.{name}")
    if _path(inner):
        return _find(inner, more) if more else ("", "")
    return _definition(source, name, more)


def _definition(module: str, name: str, members: list[str]) -> tuple[str, str] | None:
    text = _text(module)
    found = re.search(rf"^(?:def|class) {name}\b", text, re.MULTILINE)
    if not found:
        source, original = _exports(module).get(name, ("", ""))
        return _definition(source, original, members) if source else None
    above = text[text.rfind("\n\n", 0, found.start()) + 1 : found.start()]
    if not members:
        return _canonical(above), ""
    body = _BODY.match(text, text.index("\n", found.end()) + 1)
    member = re.search(
        rf"^ +(?:(?P<method>def) {members[0]}\b|{members[0]}\s*=)",
        body[0],
        re.MULTILINE,
    )
    if len(members) > 1 or not member:
        return None
    return _canonical(above), members[0] if member["method"] else ""


def _canonical(decorators: str) -> str:
    """The first name that a symbol is exported under and that is not deprecated."""
    exported = _EXPORTED.search(decorators)
    if not exported:
        return ""
    names = _QUOTED.findall(exported["names"])
    deprecated = _DEPRECATED.search(decorators)
    old = set(_QUOTED.findall(deprecated["names"])) if deprecated else set()
    return next((name for name in names if name not in old), names[0])


@cache
def _exports(module: str) -> dict[str, tuple[str, str]]:
    return {
        m["shown"] or m["name"]: (m["module"], m["name"])
        for m in _IMPORT.finditer(_text(module))
    }


@cache
def _text(module: str) -> str:
    path = _path(module)
    return path.read_text("utf-8") if path else ""


@cache
def _path(module: str) -> Path | None:
    """The file of a module, found without importing what is above it."""
    root, *parts = module.split(".")
    spec = find_spec(root) if root else None
    if spec is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent.joinpath(*parts)
    return next(
        (
            path
            for path in (folder / "__init__.py", folder.with_suffix(".py"))
            if path.is_file()
        ),
        None,
    )


class _Linker(Treeprocessor):
    def run(self, root: Element) -> None:
        for child in root:
            if child.tag not in _UNLINKED:
                self.run(child)
        for at, child in enumerate(root):
            if child.tag == "code" and (link := self._link(child)) is not None:
                link.tail, child.tail = child.tail, None
                link.append(child)
                root[at] = link

    def _link(self, code: Element) -> Element | None:
        stash = self.md.htmlStash.rawHtmlBlocks
        text = HTML_PLACEHOLDER_RE.sub(lambda m: str(stash[int(m[1])]), code.text or "")
        name = unescape(text).removeprefix("@").strip()
        there = address(name) if _NAME.fullmatch(name) else None
        if there is None:
            return None
        return Element("a", {"class": "api", "href": there})


class LinksExtension(Extension):
    """Registers the links after inline patterns; headings are left alone."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Linker(md), "api_links", 14)


def makeExtension(**options) -> LinksExtension:
    return LinksExtension(**options)
