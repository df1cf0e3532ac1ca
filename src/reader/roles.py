"""The colors of the formulas in programs and traces.

A Python-Markdown extension: in code the names ``upstream``,
``local`` and ``downstream`` stand in the class of their name, as they do in the
formulas; in a block with what they are of (``local_x``), and with the value that a
trace prints behind them. No letter changes, so what is copied is the program.

Tokens in the color of the text (names, numbers, operators) lose their elements: up to
44 % of a page, each of which a phone would style.
"""

import re

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

# After raw HTML, and so the highlighted code, is back in its place.
_LATE = 20

_BLOCK = re.compile(r"(<pre\b[^>]*>)(.*?)(</pre>)", re.DOTALL)
_INLINE = re.compile(r"<code>(?=(upstream|local|downstream)</code>)")
_TAG = re.compile(r"(<[^>]*>)")
_NAME = r"(upstream|local|downstream)(?:_[a-z0-9]{1,2})?"
_SHOWN = re.compile(rf"(?<![\w.]){_NAME}(?!\w)")
_NUMBERS = r"\[[^\[\]]*\]"
_PRINTED = re.compile(
    rf"(?<![\w.]){_NAME}(?:(?: *= *| +)(?:{_NUMBERS}|\[(?:\s*{_NUMBERS})+\s*\]"
    r"|-?(?:\d[\w.+-]*|inf|nan)))?(?!\w)"
)
_PLAIN = re.compile(
    r'<span class="(?:n|nn|nb|ne|bp|kc|o|ow|w|m[bfhilo])">'
    r'((?:<span class="(?:upstream|local|downstream)">[^<]*</span>|[^<])*)</span>'
)


class _Roles(Postprocessor):
    def run(self, text: str) -> str:
        return _INLINE.sub(r'<code class="\1">', _BLOCK.sub(_in_block, text))


def _in_block(block: re.Match[str]) -> str:
    start, code, end = block.groups()
    # A trace has few tags, and none between a name and its value.
    pattern = _SHOWN if 'class="n"' in code else _PRINTED
    parts = _TAG.split(code)
    parts[::2] = [pattern.sub(r'<span class="\1">\g<0></span>', p) for p in parts[::2]]
    return start + _PLAIN.sub(r"\1", "".join(parts)) + end


class RolesExtension(Extension):
    """Registers the last step but those that look at the whole page."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(_Roles(md), "roles", _LATE)


def makeExtension(**options: object) -> RolesExtension:
    return RolesExtension(**options)
