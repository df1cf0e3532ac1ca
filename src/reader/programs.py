"""Python-Markdown extension that links each program to its file.

The name above a program becomes a link to ``snippets/…`` on the site.
"""

import re
from html import escape

from markdown.postprocessors import Postprocessor

from . import generator
from .extension import maker

FOLDER = "snippets"
"""Folder of programs, beside the folder of pages and below the site."""
_AFTER_LIVE = 17
_PROGRAM = re.compile(
    r'(?P<open><span class="filename">)(?P<title>[^<]*\.py)</span>(?=<pre\b)'
)


class _ProgramLinks(Postprocessor):
    def run(self, text: str) -> str:
        page = generator.page(self.md)
        if page is None:
            return text
        folder = generator.docs(self.md).parent / FOLDER

        def add_link(program: re.Match[str]) -> str:
            title = program["title"]
            name = f"{page.removesuffix('.md')}/{title}"
            if not (folder / name).is_file():
                return program[0]
            if link := generator.link_to_file(self.md, f"{FOLDER}/{name}"):
                title = f'<a href="{escape(link)}" download>{title}</a>'
            return f"{program['open']}{title}</span>"

        return _PROGRAM.sub(add_link, text)


makeExtension = maker("programs", _ProgramLinks, _AFTER_LIVE)
