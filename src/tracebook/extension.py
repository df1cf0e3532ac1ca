"""The Python-Markdown extension: ``--8<-- "NAME.py"`` on a line of its own becomes what
readers see of that program, and ``--8<-- "NAME.out"`` its output.

It takes the place of ``pymdownx.snippets``, which would also show the comments that are
for tools. The option ``snippets`` is the folder of programs; without it, the settings
of the current folder name that.
"""

from pathlib import Path

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from . import includes, settings

_EARLY = 33  # before pymdownx.snippets, and before any block is read


class _Includes(Preprocessor):
    def __init__(self, md: Markdown, folder: str) -> None:
        super().__init__(md)
        self._folder = folder

    def run(self, lines: list[str]) -> list[str]:
        # From the last to the first, so that the lines above keep their numbers. An
        # include of a missing file stays; a check names page and line.
        lines = [*lines]
        for include in reversed([*includes.find("\n".join(lines))]):
            line = lines[include.line - 1]
            if included := self._read(include):
                indent = line[: len(line) - len(line.lstrip())]
                part = slice(include.line - 1, include.line)
                lines[part] = [indent + text for text in included]
        return lines

    def _read(self, include: includes.Include) -> list[str] | None:
        folder = Path(self._folder or settings.load(Path.cwd()).snippets_dir).resolve()
        path = (folder / include.name).resolve()
        if not path.is_relative_to(folder) or not path.is_file():
            return None
        return include.lines(path.read_text("utf-8", "replace"))


class IncludesExtension(Extension):
    """Registers the step that puts programs and outputs into the page."""

    def __init__(self, snippets: str = "") -> None:
        super().__init__()
        self._folder = snippets

    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.register(_Includes(md, self._folder), "includes", _EARLY)


makeExtension = IncludesExtension
"""The name by which Python-Markdown asks for it."""
