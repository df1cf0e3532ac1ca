"""Python-Markdown extension that makes images lazy, and fits tables to their screens.

A browser doesn't load a lazy image that isn't displayed, such as that of a figure for
the other color scheme. No table scrolls: on a phone, each row of one that is too wide
becomes a card, and a very wide one gets the room beside the text. A style can't measure
a table, so the lengths of its words decide this here.
"""

import re
from html import escape, unescape
from itertools import cycle

from markdown.postprocessors import Postprocessor

from .extension import maker

_AFTER_RAW_HTML = 19
_ROLES = {"tr": "row", "th": "columnheader", "td": "cell"}
"""A browser may forget the role of an element that a style displays as a block."""
_PHONE, _COLUMN, _PADDING = 33, 70, 2
"""Widths in characters: of a phone, of the column of the text, and of padding."""


class _Layout(Postprocessor):
    def run(self, text: str) -> str:
        text = text.replace("<img ", '<img loading="lazy" ')
        return re.sub("(?s)<table>(.*?)</table>", _table, text)


def _table(match: re.Match[str]) -> str:
    """Return a table with the attributes that its style needs."""
    inside = re.sub("(?s)(?<=<code>).*?(?=</code>)", _with_breaks, match[1])
    if 'class="is-wrong"' in inside:  # the composition matrix, whose signs always fit
        return f'<table role="table" data-signs>{_with_roles(inside, [])}</table>'
    texts = [*map(_text, re.findall(r"(?s)<t[hd]\b[^>]*>(.*?)</t[hd]>", inside))]
    count = len(re.findall(r"<th\b", inside))
    columns = [" ".join(texts[start::count]) for start in range(count)]
    words = [max(map(len, re.split(r"[ \n–—-]", column))) for column in columns]
    width = sum(words) + count * _PADDING
    if width <= _PHONE:
        return f"<table>{inside}</table>"
    attributes = 'role="table" data-cards' + " data-wide" * (width > _COLUMN)
    return f"<table {attributes}>{_with_roles(inside, texts[:count])}</table>"


def _with_breaks(code: re.Match[str]) -> str:
    """Let a browser break very long names at their joints."""
    joint = re.compile(r"(?<=[._/,(=])(?=[\w&'])")
    return re.sub(r"[^\s<>]{31,}", lambda word: joint.sub("<wbr>", word[0]), code[0])


def _text(cell: str) -> str:
    return unescape(re.sub("<[^>]*>", "", re.sub("<w?br", r" \g<0>", cell))).strip()


def _with_roles(inside: str, headings: list[str]) -> str:
    """Add the roles of the elements, and to each cell any heading of its column."""
    labels = cycle(headings)

    def element(match: re.Match[str]) -> str:
        heading = next(labels, "") if match[1] == "td" else ""
        label = f' data-label="{escape(heading)}"' if heading else ""
        return f'<{match[1]} role="{_ROLES.get(match[1], "rowgroup")}"{label}'

    return re.sub(r"<(thead|tbody|tr|th|td)\b", element, inside)


makeExtension = maker("layout", _Layout, _AFTER_RAW_HTML)
