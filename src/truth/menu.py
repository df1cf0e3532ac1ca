"""The menu of the site, as ``mkdocs.yml`` has it."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from tracebook import files


class _Loader(yaml.SafeLoader):
    """A loader that reads tagged values as None."""


_Loader.add_multi_constructor("!", lambda *_: None)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def menu(root: Path) -> list[str]:
    """Return the pages of the menu in order. Raises OSError if it can't be read."""
    name = "mkdocs.yml"
    try:
        config = yaml.load(files.text(root / name, name), _Loader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date
        raise OSError(f"{name}: {' '.join(str(error).split())}") from None
    return [*_pages(config.get("nav"))] if isinstance(config, dict) else []


def _pages(entry: object) -> Iterator[str]:
    """Yield the pages of a menu entry, at any depth; other strings are addresses."""
    if isinstance(entry, str) and entry.endswith((".md", ".py")):
        yield entry
    elif isinstance(entry, dict | list):
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(part)
