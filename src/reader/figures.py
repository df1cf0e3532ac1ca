"""Figures are loaded when a reader comes near, and only those of the look he has. Their
place is kept until then.

A Python-Markdown extension: a browser does not ask for a lazy image that is not
displayed, and of each figure one scheme is not.
"""

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from . import place

# After attributes in braces.
_LATE = 6
_DRAWN = re.compile(r"\bfigures/[\w/-]+\.svg")
_SIZE = re.compile(rb'<svg\b[^>]*?\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
_HEAD = 1000
_POINT = 4 / 3
"""Pixels of a style sheet."""


def _size(docs: Path, source: str) -> tuple[int, ...]:
    """Width and height in pixels of a figure that a program drew, if it is drawn."""
    path = _DRAWN.search(source)
    if not path or not (docs / path[0]).is_file():
        return ()
    with (docs / path[0]).open("rb") as file:
        found = _SIZE.search(file.read(_HEAD))
    return (
        tuple(round(_POINT * float(each)) for each in found.groups()) if found else ()
    )


class _Lazy(Treeprocessor):
    def run(self, root: Element) -> None:
        for image in root.iter("img"):
            image.set("loading", "lazy")
            size = _size(place.docs(self.md), image.get("src", ""))
            for name, pixels in zip(("width", "height"), size):
                image.set(name, str(pixels))


class FiguresExtension(Extension):
    """Registers the change of each image."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Lazy(md), "figures", _LATE)


def rests_on(page: str, text: str, docs: Path, root: Path) -> object:
    """The sizes of the page's figures."""
    return [_size(docs, each[0]) for each in _DRAWN.finditer(text)]


def makeExtension(**options: object) -> FiguresExtension:
    return FiguresExtension(**options)
