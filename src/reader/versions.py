"""Each trace says, when asked, with which versions it holds.

A Python-Markdown extension: behind a trace stands what the site is built with, and
what ``docs/versions.json`` knows of other versions, as long as program and trace are
those that ran there. ``python -m tests.drills.matrix`` writes that file.
"""

import json
import platform
import posixpath
import re
from collections import defaultdict
from hashlib import sha256
from html import escape
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

RESULTS = "versions.json"
"""Below the folder of pages, beside the page that shows it."""
PAGE = "versions"

# Before includes are obeyed, and after highlighted code is back in its place.
_BEFORE_INCLUDES, _LATE = 40, 19
_INCLUDED = re.compile(r'^[^\S\n]*--8<-- "([^":\n]+)\.out"$', re.MULTILINE)
_TRACE = re.compile(r'(<span class="filename">prints</span><pre\b.*?</pre>)', re.DOTALL)


def digest(program: Path) -> str:
    """Of a program and its trace, as they are now."""
    parts = (program.read_bytes(), program.with_suffix(".out").read_bytes())
    return sha256(b"\0".join(parts)).hexdigest()[:12]


def others(results: list[dict[str, Any]], name: str, now: str) -> tuple[str, str]:
    """With which versions a program held, and with which it did not, in words.

    Each is empty if there are none, or if the program is another ``now``.
    """
    said = []
    for held in (True, False):
        pythons = defaultdict(list)
        for each in results:
            holds = f"snippets/{name}.out" not in each["problems"]
            holds &= f"snippets/{name}.py" not in each["problems"]
            if each["snippets"].get(f"{name}.py") == now and holds == held:
                pythons[each["tensorflow"]].append(each["python"].rpartition(".")[0])
        grouped = groupby(pythons.items(), key=lambda pair: pair[1])
        parts = [(", ".join(n for n, _ in its), each) for each, its in grouped]
        said.append(
            "; ".join(f"{names} on Python {', '.join(each)}" for names, each in parts)
        )
    return said[0], said[1]


class _Included(Preprocessor):
    """Keeps the names of the traces on the page being rendered."""

    names: list[str]

    def run(self, lines: list[str]) -> list[str]:
        self.names = _INCLUDED.findall("\n".join(lines))
        return lines


class _Versions(Postprocessor):
    def __init__(self, md: Markdown, included: _Included) -> None:
        super().__init__(md)
        self._included = included

    def run(self, text: str) -> str:
        names = self._included.names
        if not names or len(_TRACE.findall(text)) != len(names):
            return text  # a page about traces shows one that is typed
        link, snippets, results = self._place()
        lines = iter(
            _line(others(results, name, digest(path)), link)
            if (path := snippets / f"{name}.py").exists()
            else ""
            for name in names
        )
        return _TRACE.sub(lambda match: match[0] + next(lines), text)

    def _place(self) -> tuple[str, Path, list[dict[str, Any]]]:
        """The address of the page of versions, the programs, and what is known."""
        docs, link = Path("docs").resolve(), ""
        if "relpath" in self.md.treeprocessors:  # MkDocs knows where it is
            relpath: Any = self.md.treeprocessors["relpath"]
            docs = Path(relpath.config.docs_dir).resolve()
            link = posixpath.relpath(PAGE, relpath.file.url or ".") + "/"
        path = docs / RESULTS
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return link, docs.parent / "snippets", known.get("results", [])


def _line(others: tuple[str, str], link: str) -> str:
    held, differs = others
    text = f"This build: {', '.join(_here())}."
    text += f" It held with TensorFlow {held}." if held else ""
    text += f" It differed with TensorFlow {differs}." if differs else ""
    text += "" if held or differs else " With others it did not run yet as it is."
    text = escape(text)
    if link:
        text += f' <a href="{link}">Where the traces hold</a>'
    return (
        '<details class="holds" data-search-exclude><summary>versions</summary>'
        f"<p>{text}</p></details>"
    )


def _here() -> list[str]:
    found = []
    for name in ("TensorFlow", "Keras", "NumPy"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return [*found, f"Python {platform.python_version()}"]


class VersionsExtension(Extension):
    """Registers what reads the includes, and what writes behind the traces."""

    def extendMarkdown(self, md: Markdown) -> None:
        included = _Included(md)
        md.preprocessors.register(included, "versions", _BEFORE_INCLUDES)
        md.postprocessors.register(_Versions(md, included), "versions", _LATE)


def makeExtension(**options: object) -> VersionsExtension:
    return VersionsExtension(**options)
