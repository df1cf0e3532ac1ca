"""Python-Markdown extension that links names of TensorFlow's API to its reference.

A name ``tf.…`` or ``keras.…`` in backticks that the installed TensorFlow exports
becomes a link to the page of its canonical name. Importing TensorFlow takes seconds, so
``python -m reader.links`` does it once for an environment, and prints the pages.
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

from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

from .extension import maker

REFERENCE = "https://www.tensorflow.org/api_docs/python/"
_ROOTS = {"tf": "tensorflow", "keras": "keras"}
_NAME = re.compile(r"(?:tf|keras)(?:\.[A-Za-z_]\w*)+")
_NOT_PUBLIC = {"python", "src", "unittest", "compat"}
"""Parts of module names. These modules export nothing, or everything a second time."""
_UNLINKED = {"a", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}
_AFTER_INLINE_PATTERNS = 14


def address(name: str) -> str | None:
    """Return the address of a dotted name in the reference, or None if it has none."""
    page = _pages().get(name)
    return page and REFERENCE + page


@cache
def _pages() -> dict[str, str]:
    """Return the page of each exported name, from a cache file if possible."""
    inputs = [Path(__file__).read_text("utf-8")]
    inputs += [metadata.version(package) for package in _ROOTS.values()]
    key = sha256("\0".join(inputs).encode()).hexdigest()[:16]
    # Copies of the project share the environment, and so this file.
    path = Path(sys.prefix) / f"api-{key}.json"
    with suppress(OSError, ValueError):
        return json.loads(path.read_text("utf-8"))
    output = subprocess.run(
        [sys.executable, "-m", __name__],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout
    with suppress(OSError):
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_bytes(output)
        os.replace(temporary, path)
    return json.loads(output)


def _exported(name: str, *modules: ModuleType) -> Iterator[tuple[str, str]]:
    """Return the public names below the first module, which the next ones contain."""
    for attribute in _public(modules[0]):
        value, inner = _get(modules[0], attribute), f"{name}.{attribute}"
        if isinstance(value, ModuleType):
            parts = {*str(_get(value, "__name__")).split(".")}
            if not (_NOT_PUBLIC & parts or value in modules):
                yield inner, _page(inner)
                yield from _exported(inner, value, *modules)
        elif canonical := _canonical(value):
            yield inner, _page(canonical)
            for member in _public(value) if isclass(value) else ():
                is_method = isroutine(_get(value, member))
                anchor = f"#{member}" if is_method else ""
                yield f"{inner}.{member}", _page(canonical) + anchor


def _get(owner: object, attribute: str) -> object:
    """Return an attribute, or None if ``dir`` lists it and reading it fails."""
    try:
        return getattr(owner, attribute)
    except Exception:
        return None


def _public(owner: object) -> list[str]:
    with suppress(ModuleNotFoundError):  # a lazy module that isn't installed
        return [name for name in dir(owner) if not name.startswith("_")]
    return []


def _page(name: str) -> str:
    return "tf/" + name.removeprefix("tf.").replace(".", "/")


def _canonical(symbol: object) -> str | None:
    """Return the name under which the reference lists a symbol."""
    tf_export = import_module("tensorflow.python.util.tf_export")
    name = tf_export.get_canonical_name_for_symbol(symbol, add_prefix_to_v1_names=True)
    # Keras stores its names on the symbol, the canonical one first.
    names: Any = name or _get(symbol, "_api_export_path")
    return names[0] if isinstance(names, list) else names


class _ApiLinker(Treeprocessor):
    def run(self, root: Element) -> None:
        for child in root:
            if child.tag not in _UNLINKED:
                self.run(child)
        for index, child in enumerate(root):
            if child.tag == "code" and (link := self._link(child)) is not None:
                link.tail, child.tail = child.tail, None
                link.append(child)
                root[index] = link

    def _link(self, code: Element) -> Element | None:
        stash = self.md.htmlStash.rawHtmlBlocks
        text = HTML_PLACEHOLDER_RE.sub(lambda m: str(stash[int(m[1])]), code.text or "")
        name = unescape(text).removeprefix("@").strip()
        target = address(name) if _NAME.fullmatch(name) else None
        return Element("a", {"class": "api", "href": target}) if target else None


makeExtension = maker("api_links", _ApiLinker, _AFTER_INLINE_PATTERNS)


if __name__ == "__main__":
    roots = ((name, import_module(module)) for name, module in _ROOTS.items())
    print(json.dumps(dict(page for root in roots for page in _exported(*root))))
