"""The menu of the site, as mkdocs.yml has it."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from tracebook import files

from .errors import BadFile


class _Settings(yaml.SafeLoader):
    """Reads mkdocs.yml without what its tags stand for."""


_Settings.add_multi_constructor("!", lambda *_: None)
_Settings.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def menu(root: Path) -> list[str]:
    """The pages of the menu in their order, below the folder of the pages; raises
    BadFile where mkdocs.yml can't be read."""
    name = "mkdocs.yml"
    try:
        said = yaml.load(files.text(root / name, name), _Settings)
    except (yaml.YAMLError, ValueError) as error:  # of a date that is none
        raise BadFile(f"{name}: {' '.join(str(error).split())}") from None
    return [*_names(said.get("nav"))] if isinstance(said, dict) else []


def _names(entry: object) -> Iterator[str]:
    """Of pages, at any depth; what has another ending is an address."""
    if isinstance(entry, str) and entry.endswith((".md", ".py")):
        yield entry
    elif isinstance(entry, dict | list):
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _names(each)
