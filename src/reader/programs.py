"""Each program links to its file, and says how to run it with all that it prints.

A Python-Markdown extension, after ``reader.live``: the name above a program leads to
``snippets/…`` on the site, and below it stands a command, folded. ``tf.print`` writes
to stderr, so a command that keeps one stream only would lose half of a trace.
"""

import posixpath
import re
from html import escape

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

from . import place

FOLDER = "snippets"
"""Beside the folder of pages, and below the site."""
_AFTER_LIVE = 17
_PROGRAM = re.compile(
    r'(?P<open><span class="filename">)(?P<title>[^<]*\.py)</span>'
    r"(?P<code><pre\b[^>]*>.*?</pre>)",
    re.DOTALL,
)


def command(name: str) -> str:
    """What keeps both streams of a program, in their order and in any shell."""
    stem = posixpath.basename(name).removesuffix(".py")
    return f"python -u {stem}.py > {stem}.txt 2>&1"


class _Programs(Postprocessor):
    def run(self, text: str) -> str:
        page = place.page(self.md)
        if page is None:
            return text
        folder = place.docs(self.md).parent / FOLDER
        shown = set[str]()

        def with_file(program: re.Match[str]) -> str:
            title = program["title"]
            name = f"{page.removesuffix('.md')}/{title}"
            if not (folder / name).is_file():
                return program[0]
            if link := place.file(self.md, page, f"{FOLDER}/{name}"):
                title = f'<a href="{escape(link)}" download>{title}</a>'
            # A page may show a program part by part.
            run = "" if name in shown else _run(name)
            shown.add(name)
            return f"{program['open']}{title}</span>{program['code']}{run}"

        return _PROGRAM.sub(with_file, text)


def _run(name: str) -> str:
    file = escape(posixpath.basename(name))
    return (
        '<details class="run" data-search-exclude>'
        f'<summary aria-label="run it: {file}">run it</summary>'
        f"<p><code>{escape(command(name))}</code> keeps both streams:"
        " <code>tf.print</code> and TensorFlow's log go to stderr.</p></details>"
    )


class ProgramsExtension(Extension):
    """Registers what links the programs."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(_Programs(md), "programs", _AFTER_LIVE)


def makeExtension(**options: object) -> ProgramsExtension:
    return ProgramsExtension(**options)
