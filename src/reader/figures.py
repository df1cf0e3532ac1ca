"""Python-Markdown extension that makes images lazy.

A browser doesn't load a lazy image that isn't displayed. Each figure has two images,
one for each color scheme, and only one of them is displayed.
"""

from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from .extension import maker

_AFTER_ATTRIBUTES = 6


class _LazyImages(Treeprocessor):
    def run(self, root: Element) -> None:
        for image in root.iter("img"):
            image.set("loading", "lazy")


makeExtension = maker("figures", _LazyImages, _AFTER_ATTRIBUTES)
