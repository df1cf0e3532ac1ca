"""Python-Markdown extension that completes the blocks of programs and their outputs.

The name above a program becomes a link to ``snippets/…`` on the site. Its output gets a
fold with the versions with which the program ran. If the program has a ``.live`` file,
the output and the figures also name the file's script, which ``trace.js`` loads. The
output of a program in a fence ``{.python .open title="…"}`` gets the place of a panel
that is always open. The fence may name what the panel draws, as
``data-plot="gradient"``.
"""

import platform
import re
from html import escape
from pathlib import Path

from markdown import Markdown
from markdown.postprocessors import Postprocessor

from . import generator, versions
from .extension import maker

FOLDER = "snippets"
"""Folder of programs, beside the folder of pages and below the site."""
TRACE = "prints"
"""Title of the output of the program above it."""
_AFTER_LAYOUT = 18
_BLOCK = re.compile(
    r'(?P<div><div class="(?P<classes>[^"]*)"(?P<plot> data-plot="[^"]*")?>)?'
    r'<span class="filename">(?P<title>[^<]*)</span>(?P<code><pre\b[^>]*>.*?</pre>)',
    re.DOTALL,
)
_FIGURE = re.compile(
    r'(?<=<img )(?=[^>]*\ssrc="[^"]*\bfigures/(?P<stem>[\w/-]+?)\.svg#only-light")'
)
_INCLUDED = re.compile(r'(?:8<-+ "|\bfigures/)(?P<stem>[\w/-]+?)\.(?:out|svg)\b')


class _ProgramBlocks(Postprocessor):
    def run(self, text: str) -> str:
        page = generator.page(self.md)
        if page is None:
            return text
        root = generator.docs(self.md).parent
        folder, runs = page.removesuffix(".md"), versions.load(root)
        figures = {figure["stem"] for figure in _FIGURE.finditer(text)}
        name, panel = "", None

        def complete(block: re.Match[str]) -> str:
            nonlocal name, panel
            if block["title"].endswith(".py"):
                name = f"{folder}/{block['title']}"
                is_open = "open" in (block["classes"] or "").split()
                panel = block["plot"] or "" if is_open else None
                return _with_link(block, self.md, root, name)
            if block["title"] != TRACE or not name:
                return block[0]
            stem = name.removesuffix(".py")
            inputs = 0 if stem in figures else _inputs(root, stem)
            live = _live(stem) if inputs else f'data-program="{escape(name)}"'
            slot = _panel(block["code"], inputs, panel) if inputs else ""
            title = f'{block["div"] or ""}<span class="filename">{TRACE}</span>'
            return f"{title}{slot}{block['code']}{_fold(name, live, runs)}"

        def mark(figure: re.Match[str]) -> str:
            stem = figure["stem"]
            return f"{_live(stem)} " if _inputs(root, stem) else ""

        return _FIGURE.sub(mark, _BLOCK.sub(complete, text))


def _with_link(block: re.Match[str], md: Markdown, root: Path, name: str) -> str:
    """Return the block of a program whose title links to its file."""
    link = generator.link_to_file(md, f"{FOLDER}/{name}")
    if not link or not (root / FOLDER / name).is_file():
        return block[0]
    title = f'<a href="{escape(link)}" download>{block["title"]}</a>'
    return f'{block["div"] or ""}<span class="filename">{title}</span>{block["code"]}'


def _inputs(root: Path, stem: str) -> int:
    """Return how many sliders a program has."""
    path = root / FOLDER / f"{stem}.live"
    text = path.read_text("utf-8") if path.is_file() else ""
    return len(text.partition("\n\n")[0].splitlines())


def _live(stem: str) -> str:
    """Return the attributes of an output or a figure that has sliders."""
    # The site has a script for each file of this kind.
    return f'data-program="{stem}.py" data-live="../{FOLDER}/{stem}.live.js"'


def _panel(code: str, inputs: int, plot: str | None) -> str:
    """Return the place of a panel that is always open, if the program has one."""
    if plot is None:
        return ""
    # The stylesheet reserves the height of such a panel.
    steps = " data-steps" if code.count("\n") > 1 else ""
    return f'<div class="live" data-inputs="{inputs}"{steps}{plot}></div>'


def _fold(name: str, attributes: str, runs: versions.RunsRecord) -> str:
    """Return the fold below an output: the versions, and how to run the program."""
    if framework := versions.kind(name):
        text = f"Ran on {runs.day} with {runs.versions.get(framework, framework)}"
    else:
        packages = versions.packages() | {"Python": platform.python_version()}
        text = f"Built with {versions.in_words(packages)}"
    command = f"<code>python {escape(name.rpartition('/')[2])}</code>"
    return (
        f'<details class="holds" {attributes} data-search-exclude>'
        f"<summary>versions</summary><p>{escape(text)}. Run it with {command}.</p>"
        "</details>"
    )


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return what a page quotes of the record of runs, and its numbers of sliders."""
    runs = versions.load(root)
    sliders = [(stem, _inputs(root, stem)) for stem in _INCLUDED.findall(text)]
    return runs.day, sorted(runs.versions.items()), sliders


makeExtension = maker("programs", _ProgramBlocks, _AFTER_LAYOUT)
