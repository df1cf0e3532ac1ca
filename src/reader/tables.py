"""A wide table scrolls by itself.

A Python-Markdown extension: each table stands in the two boxes for which the theme has
styles. The theme's script would make these boxes only when the page is open.
"""

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

# After tables that were stashed as HTML are back in their places.
_LATE = 19


class _Tables(Postprocessor):
    def run(self, text: str) -> str:
        boxes = '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
        return text.replace("<table>", f"{boxes}<table>").replace(
            "</table>", "</table></div></div>"
        )


class TablesExtension(Extension):
    """Registers the step."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(_Tables(md), "tables", _LATE)


def makeExtension(**options: object) -> TablesExtension:
    return TablesExtension(**options)
