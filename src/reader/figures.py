"""Figures are loaded when a reader comes near, and only those of the look he has.

A Python-Markdown extension: a browser does not ask for a lazy image that is not
displayed, and of each figure one scheme is not.
"""

from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

# After attributes in braces.
_LATE = 6


class _Lazy(Treeprocessor):
    def run(self, root: Element) -> None:
        for image in root.iter("img"):
            image.set("loading", "lazy")


class FiguresExtension(Extension):
    """Registers the change of each image."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Lazy(md), "figures", _LATE)


def makeExtension(**options: object) -> FiguresExtension:
    return FiguresExtension(**options)
