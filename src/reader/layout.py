"""Python-Markdown extension that makes images lazy, and wide tables scrollable.

A browser doesn't load a lazy image that isn't displayed. Each figure has two images,
one for each color scheme, and only one of them is displayed. A table gets the two boxes
for which the theme has styles. The theme's own script would add them only after the
page is loaded.
"""

from markdown.postprocessors import Postprocessor

from .extension import maker

_AFTER_RAW_HTML = 19
_BOXES = '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'


class _Layout(Postprocessor):
    def run(self, text: str) -> str:
        text = text.replace("<img ", '<img loading="lazy" ')
        text = text.replace("<table>", f"{_BOXES}<table>")
        return text.replace("</table>", "</table></div></div>")


makeExtension = maker("layout", _Layout, _AFTER_RAW_HTML)
