"""Python-Markdown extension that tells the page which programs have sliders.

If a program has a ``.live`` file, its trace and its figures get the attribute
``data-live``, which the script ``trace.js`` reads. The trace of a program in a fence
``{.python .open title="…"}`` also gets the place of a panel that is always open. The
fence may name what the panel draws, as ``data-plot="gradient"``.
"""

import re
from pathlib import Path

from markdown.postprocessors import Postprocessor

from . import generator
from .extension import maker
from .programs import FOLDER

_AFTER_VERSIONS = 18
_TRACE = re.compile(
    r'(?P<code><pre\b[^>]*>(?:(?!</?pre\b).)*</pre><details class="holds" )'
    r'data-program="(?P<stem>[^"]*)\.py"',
    re.DOTALL,
)
_OPEN = re.compile(
    r'<div class="[^"]*(?<![\w-])open(?![\w-])[^"]*"(?P<plot> data-plot="[^"]*")?>'
    r'<span class="filename">(?P<title>[^<]*)\.py</span>'
)
_FIGURE = re.compile(
    r'(?<=<img )(?=[^>]*\ssrc="[^"]*\bfigures/(?P<stem>[\w/-]+?)\.svg#only-light")'
)
_INCLUDED = re.compile(r'(?:8<-+ "|\bfigures/)(?P<stem>[\w/-]+?)\.(?:out|svg)\b')


class _LiveAttributes(Postprocessor):
    def run(self, text: str) -> str:
        folder = generator.docs(self.md).parent / FOLDER
        page = (generator.page(self.md) or "").removesuffix(".md")
        figures = {figure["stem"] for figure in _FIGURE.finditer(text)}
        plots = {
            f"{page}/{fence['title']}": fence["plot"] or ""
            for fence in _OPEN.finditer(text)
        }

        def attributes(stem: str) -> str:
            # The site has a script for each file of this kind.
            live = f"../{FOLDER}/{stem}.live.js"
            return f'data-program="{stem}.py" data-live="{live}"'

        def mark_trace(trace: re.Match[str]) -> str:
            stem = trace["stem"]
            if stem in figures or not (inputs := _inputs(folder, stem)):
                return trace[0]
            slot = ""
            if stem in plots:
                # The stylesheet reserves the height of such a panel.
                steps = " data-steps" if trace["code"].count("\n") > 1 else ""
                data = f'data-inputs="{inputs}"{steps}{plots[stem]}'
                slot = f'<div class="live" {data}></div>'
            return f"{slot}{trace['code']}{attributes(stem)}"

        def mark_figure(figure: re.Match[str]) -> str:
            stem = figure["stem"]
            return f"{attributes(stem)} " if _inputs(folder, stem) else ""

        return _FIGURE.sub(mark_figure, _TRACE.sub(mark_trace, text))


def _inputs(folder: Path, stem: str) -> int:
    """Return how many sliders a program has."""
    path = folder / f"{stem}.live"
    text = path.read_text("utf-8") if path.is_file() else ""
    return len(text.partition("\n\n")[0].splitlines())


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return the traces and figures of a page that have sliders, and how many."""
    stems = _INCLUDED.findall(text)
    return [(stem, _inputs(docs.parent / FOLDER, stem)) for stem in stems]


makeExtension = maker("live", _LiveAttributes, _AFTER_VERSIONS)
