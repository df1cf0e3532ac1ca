"""Traces and figures whose program has a ``.live`` file say where a page finds its
inputs.

A Python-Markdown extension, after ``reader.versions``: the script ``trace.js`` offers
the inputs where a trace or an image has the attribute ``data-live``.
"""

import re
from pathlib import Path

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

from . import place

FOLDER = "snippets"
"""Beside the folder of pages, and below the site."""
_AFTER_VERSIONS = 18
_TRACE = re.compile(r'(?<=<details class="holds" )data-program="(?P<stem>[^"]*)\.py"')
_FIGURE = re.compile(
    r'(?<=<img )(?=[^>]*\ssrc="[^"]*\bfigures/(?P<stem>[\w/-]+?)\.svg#only-light")'
)
_NAMED = re.compile(r'(?:8<-+ "|\bfigures/)(?P<stem>[\w/-]+?)\.(?:out|svg)\b')


class _Live(Postprocessor):
    def run(self, text: str) -> str:
        folder = place.docs(self.md).parent / FOLDER

        figures = {figure["stem"] for figure in _FIGURE.finditer(text)}

        def with_inputs(trace: re.Match[str]) -> str:
            name = f"{trace['stem']}.live"
            if trace["stem"] in figures or not (folder / name).is_file():
                return trace[0]
            # Read by a script in assets/.
            return f'{trace[0]} data-live="../{FOLDER}/{name}.js"'

        def moving(figure: re.Match[str]) -> str:
            if not (folder / f"{figure['stem']}.live").is_file():
                return ""
            live = f"../{FOLDER}/{figure['stem']}.live.js"
            return f'data-program="{figure["stem"]}.py" data-live="{live}" '

        return _FIGURE.sub(moving, _TRACE.sub(with_inputs, text))


class LiveExtension(Extension):
    """Registers what marks the traces."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(_Live(md), "live", _AFTER_VERSIONS)


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Which of the page's traces and figures have inputs."""
    folder = docs.parent / FOLDER
    stems = _NAMED.findall(text)
    return [stem for stem in stems if (folder / f"{stem}.live").is_file()]


def makeExtension(**options: object) -> LiveExtension:
    return LiveExtension(**options)
