"""The templates of a theme, compiled once; a package's files are listed once."""

from collections.abc import Callable

from jinja2 import Environment, FileSystemLoader
from mkdocs.theme import Theme


class _Loader(FileSystemLoader):
    """Files of packages, which stay, and of the project, which are looked for again."""

    def __init__(self, folders: list[str], project: str | None) -> None:
        super().__init__(folders)
        self._project = FileSystemLoader(project or ())
        stays = [each for each in folders if each != project]
        self._stays = FileSystemLoader(stays).list_templates()

    def list_templates(self) -> list[str]:
        return sorted({*self._stays, *self._project.list_templates()})


def kept(make: Callable[[Theme], Environment]) -> Callable[[Theme], Environment]:
    """MkDocs' function that makes the templates of a theme, with a memory.

    A template that was edited is compiled again.
    """
    made: dict[tuple, Environment] = {}

    def remembering(theme: Theme) -> Environment:
        key = (*theme.dirs, str(theme.locale))
        if key not in made:
            made.clear()
            made[key] = make(theme)
            made[key].auto_reload = True
            made[key].loader = _Loader(theme.dirs, theme.custom_dir)
        return made[key]

    return remembering
