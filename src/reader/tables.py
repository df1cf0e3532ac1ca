"""Python-Markdown extension that lets a wide table scroll by itself.

It puts each table into the two boxes for which the theme has styles. The theme's own
script would add these boxes only after the page is loaded.
"""

from markdown.postprocessors import Postprocessor

from .extension import maker

_AFTER_RAW_HTML = 19


class _ScrollBoxes(Postprocessor):
    def run(self, text: str) -> str:
        boxes = '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
        return text.replace("<table>", f"{boxes}<table>").replace(
            "</table>", "</table></div></div>"
        )


makeExtension = maker("tables", _ScrollBoxes, _AFTER_RAW_HTML)
