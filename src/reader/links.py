"""Links from the names of TensorFlow's API to its reference.

A Python-Markdown extension: ``tf.…`` or ``keras.…`` in backticks, where the
installed TensorFlow exports that name, becomes a link to the page of its
canonical name. Importing TensorFlow takes seconds, so a process of its own does
it, once for an environment: ``python -m reader.links`` writes the addresses.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from html import unescape
from importlib import import_module, metadata
from inspect import isclass, isroutine
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

REFERENCE = "https://www.tensorflow.org/api_docs/python/"
_ROOTS = {"tf": "tensorflow", "keras": "keras"}
_NAME = re.compile(r"(?:tf|keras)(?:\.[A-Za-z_]\w*)+")
_NOT_PUBLIC = {"python", "src", "unittest", "compat"}
"""Parts of the names of modules that export nothing, or all of it once more."""
_UNLINKED = {"a", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}


def address(name: str) -> str | None:
    """The address of the reference for a dotted name; None if it has none."""
    page = _pages().get(name)
    return page and REFERENCE + page


@cache
def _pages() -> dict[str, str]:
    """The page of each name that is exported."""
    made_from = [Path(__file__).read_text("utf-8")]
    made_from += [metadata.version(package) for package in _ROOTS.values()]
    key = sha256("\0".join(made_from).encode()).hexdigest()[:16]
    # Beside what is installed, for copies of the project share it.
    kept = Path(sys.prefix) / f"api-{key}.json"
    with suppress(OSError, ValueError):
        return json.loads(kept.read_text("utf-8"))
    said = subprocess.run(
        [sys.executable, "-m", __name__],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout
    with suppress(OSError):
        beside = kept.with_name(f".{kept.name}.{os.getpid()}")
        beside.write_bytes(said)
        os.replace(beside, kept)
    return json.loads(said)


def _exported(name: str, *modules: ModuleType) -> Iterator[tuple[str, str]]:
    """Names below the first of some modules, each in the next, and their pages; of
    a class, also its methods."""
    for attribute in _public(modules[0]):
        value, inner = _get(modules[0], attribute), f"{name}.{attribute}"
        if isinstance(value, ModuleType):
            if not (
                _NOT_PUBLIC & {*str(_get(value, "__name__")).split(".")}
                or value in modules
            ):
                yield inner, _page(inner)
                yield from _exported(inner, value, *modules)
        elif canonical := _canonical(value):
            yield inner, _page(canonical)
            for member in _public(value) if isclass(value) else ():
                is_method = isroutine(_get(value, member))
                end = f"#{member}" if is_method else ""
                yield f"{inner}.{member}", _page(canonical) + end


def _get(thing: object, attribute: str) -> object:
    """None for what is announced and not there."""
    try:
        return getattr(thing, attribute)
    except Exception:
        return None


def _public(thing: object) -> list[str]:
    with suppress(ModuleNotFoundError):  # a lazy module that is not there
        return [name for name in dir(thing) if not name.startswith("_")]
    return []


def _page(name: str) -> str:
    return "tf/" + name.removeprefix("tf.").replace(".", "/")


def _canonical(symbol: object) -> str | None:
    """The name under which the reference has a symbol."""
    tf_export = import_module("tensorflow.python.util.tf_export")
    name = tf_export.get_canonical_name_for_symbol(symbol, add_prefix_to_v1_names=True)
    # Keras keeps its own names, the canonical one first.
    names: Any = name or _get(symbol, "_api_export_path")
    return names[0] if isinstance(names, list) else names


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


def makeExtension(**options: object) -> LinksExtension:
    return LinksExtension(**options)


if __name__ == "__main__":
    exported = ((name, import_module(module)) for name, module in _ROOTS.items())
    print(json.dumps(dict(page for each in exported for page in _exported(*each))))
