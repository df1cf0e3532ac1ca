"""Each trace says, when asked, with which versions it holds.

A Python-Markdown extension: behind a trace stands what the site is built with, and
what ``docs/versions.json`` knows of other versions, as long as program and trace are
those that ran there. ``python -m tests.drills.matrix`` writes that file.
"""

import json
import platform
import re
from collections import defaultdict
from functools import cache, lru_cache
from hashlib import sha256
from html import escape, unescape
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

from . import place

RESULTS = "versions.json"
"""Below the folder of pages, beside the page that shows it."""
_PAIR = "tensorflow", "python"
# After highlighted code is back in its place.
_LATE = 19
_BLOCK = re.compile(
    r'<span class="filename">(?P<title>[^<]*)</span>'
    r"<pre\b[^>]*>(?P<code>.*?)</pre>",
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
TRACE = "prints"
"""The title of what the program above it prints."""


def digest(program: str, trace: str) -> str:
    """Of what stands on a page."""
    shown = f"{program.strip()}\0{trace.strip()}"
    return sha256(shown.encode()).hexdigest()[:12]


def tried(known: dict[str, Any], name: str, now: str) -> tuple[str, str]:
    """With which versions a program held, and with which it did not, in words.

    Each is empty if there are none, or if what ran was another than is shown
    ``now``. A setting of oneDNN is named where it makes the difference.
    """
    said = []
    results = known["results"] if known["programs"].get(name) == now else ()
    ran = [each for each in results if name not in each["untried"]]
    for held in (True, False):
        pythons = defaultdict(list)
        for (tensorflow, python), them in groupby(ran, itemgetter(*_PAIR)):
            both = [*them]
            such = [each for each in both if (name not in each["problems"]) == held]
            if such:
                only = "" if such == both else f" with oneDNN {such[0]['one_dnn']}"
                pythons[tensorflow].append(python.rpartition(".")[0] + only)
        grouped = groupby(pythons.items(), key=lambda pair: pair[1])
        parts = [(", ".join(n for n, _ in its), each) for each, its in grouped]
        said.append(
            "; ".join(f"{names} on Python {', '.join(each)}" for names, each in parts)
        )
    return said[0], said[1]


@cache
def packages() -> dict[str, str]:
    """With what the programs of the site are run."""
    found = {}
    for name, package in (
        ("TensorFlow", "tensorflow"),
        ("Keras", "keras"),
        ("NumPy", "numpy"),
    ):
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            continue
    return found


class _Versions(Postprocessor):
    def run(self, text: str) -> str:
        page = place.page(self.md)
        known = load(place.docs(self.md))
        if page is None or known is None:
            return text
        folder = page.removesuffix(".md")
        name = program = ""

        def with_line(block: re.Match[str]) -> str:
            nonlocal name, program
            code = unescape(_TAG.sub("", block["code"]))
            if block["title"].endswith(".py"):
                name, program = f"{folder}/{block['title']}", code
            if block["title"] != TRACE or not name:
                return block[0]
            return block[0] + _line(name, tried(known, name, digest(program, code)))

        return _BLOCK.sub(with_line, text)


class ResultsError(Exception):
    """The file of results is damaged; names it."""


def load(docs: Path) -> dict[str, Any] | None:
    """What is known of other versions, or None without such a file."""
    path = docs / RESULTS
    return _read(path, path.stat().st_mtime_ns) if path.exists() else None


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> dict[str, Any]:
    try:
        known = json.loads(path.read_text("utf-8"))
        return {name: known[name] for name in ("programs", "results")}
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ResultsError(
            f"{path}: {error!r}; 'python -m tests.drills.matrix' writes it"
        ) from error


def _line(name: str, tried: tuple[str, str]) -> str:
    held, differed = tried
    here = packages() | {"Python": platform.python_version()}
    text = f"Built with {', '.join(f'{name} {at}' for name, at in here.items())}."
    text += f" Held with TensorFlow {held}." if held else ""
    text += f" Differed with TensorFlow {differed}." if differed else ""
    return (
        f'<details class="holds" data-program="{escape(name)}" data-search-exclude>'
        f"<summary>versions</summary><p>{escape(text)}</p></details>"
    )


class VersionsExtension(Extension):
    """Registers what writes behind the traces."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(_Versions(md), "versions", _LATE)


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """What is known of other versions."""
    path = docs / RESULTS
    return path.exists() and _read_digest(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read_digest(path: Path, changed: int) -> str:
    return sha256(path.read_bytes()).hexdigest()


def makeExtension(**options: object) -> VersionsExtension:
    return VersionsExtension(**options)
