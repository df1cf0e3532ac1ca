"""Python-Markdown extension that gives code the colors of the formulas.

The names ``upstream``, ``local`` and ``downstream`` get the class of their name, as in
formulas. In a block, a suffix (``local_x``) and the value that a trace prints after the
name get it as well. The text doesn't change, so readers copy the program as it is.

Tokens in the color of the text (names, numbers, operators) lose their elements. These
are up to 44 % of a page, and a phone would style each.
"""

import re

from markdown.postprocessors import Postprocessor

from .extension import maker

_AFTER_RAW_HTML = 20
"""Raw HTML contains the highlighted code."""
_BLOCK = re.compile(r"(<pre\b[^>]*>)(.*?)(</pre>)", re.DOTALL)
_INLINE = re.compile(r"<code>(?=(upstream|local|downstream)</code>)")
_TAG = re.compile(r"(<[^>]*>)")
_NAME = r"(upstream|local|downstream)(?:_[a-z0-9]{1,2})?"
_IN_PROGRAM = re.compile(rf"(?<![\w.]){_NAME}(?!\w)")
_NUMBERS = r"\[[^\[\]]*\]"
_IN_TRACE = re.compile(
    rf"(?<![\w.]){_NAME}(?:(?: *= *| +)(?:{_NUMBERS}|\[(?:\s*{_NUMBERS})+\s*\]"
    r"|-?(?:\d[\w.+-]*|inf|nan)))?(?!\w)"
)
_UNCOLORED = re.compile(
    r'<span class="(?:n|nn|nb|ne|bp|kc|o|ow|w|m[bfhilo])">'
    r'((?:<span class="(?:upstream|local|downstream)">[^<]*</span>|[^<])*)</span>'
)


class _RoleColors(Postprocessor):
    def run(self, text: str) -> str:
        return _INLINE.sub(r'<code class="\1">', _BLOCK.sub(_color_block, text))


def _color_block(block: re.Match[str]) -> str:
    start, code, end = block.groups()
    # A trace has few tags, and none between a name and its value.
    pattern = _IN_PROGRAM if 'class="n"' in code else _IN_TRACE
    parts = _TAG.split(code)
    parts[::2] = [pattern.sub(r'<span class="\1">\g<0></span>', p) for p in parts[::2]]
    return start + _UNCOLORED.sub(r"\1", "".join(parts)) + end


makeExtension = maker("roles", _RoleColors, _AFTER_RAW_HTML)
