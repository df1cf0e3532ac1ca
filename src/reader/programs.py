"""Python-Markdown extension that links each program to its file.

The name above a program becomes a link to ``snippets/…`` on the site. A fold below it
has a command that runs it. ``tf.print`` writes to stderr, so a command that keeps only
one stream would lose half of a trace.
"""

import posixpath
import re
from html import escape

from markdown.postprocessors import Postprocessor

from . import generator, versions
from .extension import maker

FOLDER = "snippets"
"""Folder of programs, beside the folder of pages and below the site."""
_AFTER_LIVE = 17
_PROGRAM = re.compile(
    r'(?P<open><span class="filename">)(?P<title>[^<]*\.py)</span>'
    r"(?P<code><pre\b[^>]*>.*?</pre>)",
    re.DOTALL,
)


def command(name: str) -> str:
    """Return a shell command that keeps both streams of a program in their order."""
    stem = posixpath.basename(name).removesuffix(".py")
    return f"python -u {stem}.py > {stem}.txt 2>&1"


class _ProgramLinks(Postprocessor):
    def run(self, text: str) -> str:
        page = generator.page(self.md)
        if page is None:
            return text
        folder = generator.docs(self.md).parent / FOLDER
        with_command = set[str]()

        def add_link(program: re.Match[str]) -> str:
            title = program["title"]
            name = f"{page.removesuffix('.md')}/{title}"
            if not (folder / name).is_file():
                return program[0]
            if link := generator.link_to_file(self.md, f"{FOLDER}/{name}"):
                title = f'<a href="{escape(link)}" download>{title}</a>'
            # A page may show a program part by part.
            fold = "" if name in with_command else _fold(name)
            with_command.add(name)
            return f"{program['open']}{title}</span>{program['code']}{fold}"

        return _PROGRAM.sub(add_link, text)


def _fold(name: str) -> str:
    file, package = escape(posixpath.basename(name)), versions.kind(name)
    detail = "<code>tf.print</code> and TensorFlow's log go to stderr."
    if package:
        detail = f"It needs <code>python -m pip install {package}</code>."
    return (
        '<details class="run" data-search-exclude>'
        f'<summary aria-label="run it: {file}">run it</summary>'
        f"<p><code>{escape(command(name))}</code> keeps both streams. {detail}</p>"
        "</details>"
    )


makeExtension = maker("programs", _ProgramLinks, _AFTER_LIVE)
