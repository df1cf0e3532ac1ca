"""The menu of the site, as ``mkdocs.yml`` has it."""

from collections.abc import Iterator
from pathlib import Path

from mkdocs.exceptions import ConfigurationError
from mkdocs.utils.yaml import yaml_load

from tracebook import files


def menu(root: Path) -> list[str]:
    """Return the pages of the menu in order. Raises OSError if it can't be read."""
    name = "mkdocs.yml"
    try:
        config = yaml_load(files.text(root / name, name))
    except (ConfigurationError, ValueError) as error:  # ValueError: an impossible date
        raise OSError(f"{name}: {' '.join(str(error).split())}") from None
    return [*_pages(config.get("nav"))]


def _pages(entry: object) -> Iterator[str]:
    """Yield the pages of a menu entry, at any depth; other strings are addresses."""
    if isinstance(entry, str) and entry.endswith((".md", ".py")):
        yield entry
    elif isinstance(entry, dict | list):
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(part)
