"""The Python-Markdown extension: ``--8<-- "NAME.py"`` on a line of its own becomes what
readers see of that program, or the trace beside it.

It works in every generator that renders pages by Python-Markdown, and takes the place
of ``pymdownx.snippets``, which would also show the comments that are for tools. The
MkDocs plugin adds it by itself. The option ``snippets`` is the folder of the programs;
without it, the settings of the current folder name that.
"""

from pathlib import Path

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from . import includes, settings

# Before pymdownx.snippets, for which nothing is left, and before any block is read.
_EARLY = 33


class _Includes(Preprocessor):
    def __init__(self, md: Markdown, folder: str) -> None:
        super().__init__(md)
        self._folder = folder

    def run(self, lines: list[str]) -> list[str]:
        found = {each.line: each for each in includes.find("\n".join(lines))}
        if not found:
            return lines
        folder = Path(self._folder or settings.load(Path.cwd()).snippets_dir).resolve()
        shown: list[str] = []
        for number, line in enumerate(lines, 1):
            its = number in found and _lines(found[number], folder)
            indent = line[: len(line) - len(line.lstrip())]
            # What is not there stays as it is; the engine names page and line.
            shown += [indent + each for each in its] if its else [line]
        return shown


def _lines(include: includes.Include, folder: Path) -> list[str] | None:
    path = (folder / include.name).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        return None
    return include.lines(path.read_text("utf-8", "replace"))


class IncludesExtension(Extension):
    """Registers the step that puts programs and traces into the page."""

    def __init__(self, **options: object) -> None:
        self.config = {"snippets": ["", "The folder of the programs"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        step = _Includes(md, self.getConfig("snippets"))
        md.preprocessors.register(step, "includes", _EARLY)


def makeExtension(**options: object) -> IncludesExtension:
    return IncludesExtension(**options)
