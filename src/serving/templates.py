"""Compile the templates of a theme once, and list a package's files once."""

from collections.abc import Callable

from jinja2 import Environment, FileSystemLoader
from mkdocs.theme import Theme


class _TemplateLoader(FileSystemLoader):
    """Loader that lists the files of packages once, and the project's each time."""

    def __init__(self, folders: list[str], project: str | None) -> None:
        super().__init__(folders)
        self._project = FileSystemLoader(project or ())
        packages = [folder for folder in folders if folder != project]
        self._packaged = FileSystemLoader(packages).list_templates()

    def list_templates(self) -> list[str]:
        return sorted({*self._packaged, *self._project.list_templates()})


def cached(
    get_env: Callable[[Theme], Environment],
) -> Callable[[Theme], Environment]:
    """Wrap MkDocs' ``Theme.get_env`` so that it keeps its latest environment.

    An edited template is compiled again.
    """
    environments: dict[tuple, Environment] = {}

    def get_cached_env(theme: Theme) -> Environment:
        key = (*theme.dirs, str(theme.locale))
        if key not in environments:
            environments.clear()
            environments[key] = get_env(theme)
            environments[key].auto_reload = True
            environments[key].loader = _TemplateLoader(theme.dirs, theme.custom_dir)
        return environments[key]

    return get_cached_env
