"""Python-Markdown extension that tells the page which programs have sliders.

If a program has a ``.live`` file, its trace and its figures get the attribute
``data-live``, which the script ``trace.js`` reads.
"""

import re
from pathlib import Path

from markdown.postprocessors import Postprocessor

from . import generator
from .extension import maker
from .programs import FOLDER

_AFTER_VERSIONS = 18
_TRACE = re.compile(r'(?<=<details class="holds" )data-program="(?P<stem>[^"]*)\.py"')
_FIGURE = re.compile(
    r'(?<=<img )(?=[^>]*\ssrc="[^"]*\bfigures/(?P<stem>[\w/-]+?)\.svg#only-light")'
)
_INCLUDED = re.compile(r'(?:8<-+ "|\bfigures/)(?P<stem>[\w/-]+?)\.(?:out|svg)\b')


class _LiveAttributes(Postprocessor):
    def run(self, text: str) -> str:
        folder = generator.docs(self.md).parent / FOLDER
        figures = {figure["stem"] for figure in _FIGURE.finditer(text)}

        def attributes(stem: str) -> str:
            # The site has a script for each file of this kind.
            live = f"../{FOLDER}/{stem}.live.js"
            return f'data-program="{stem}.py" data-live="{live}"'

        def mark_trace(trace: re.Match[str]) -> str:
            stem = trace["stem"]
            if stem in figures or not _is_live(folder, stem):
                return trace[0]
            return attributes(stem)

        def mark_figure(figure: re.Match[str]) -> str:
            stem = figure["stem"]
            return f"{attributes(stem)} " if _is_live(folder, stem) else ""

        return _FIGURE.sub(mark_figure, _TRACE.sub(mark_trace, text))


def _is_live(folder: Path, stem: str) -> bool:
    return (folder / f"{stem}.live").is_file()


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return the traces and figures of a page that have sliders."""
    stems = _INCLUDED.findall(text)
    return [stem for stem in stems if _is_live(docs.parent / FOLDER, stem)]


makeExtension = maker("live", _LiveAttributes, _AFTER_VERSIONS)
