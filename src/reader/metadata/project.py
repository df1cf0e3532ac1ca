"""Facts about a project that its pages don't have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Project:
    """A project whose site is published."""

    root: Path
    """Folder of the project."""
    docs: str
    """Name of the folder of pages in it."""
    name: str
    description: str = ""
    address: str = ""
    """Address of the site with a slash at its end; empty if unknown."""
    repository: str = ""
    """Address of the published sources; empty if unknown."""
    branch: str = "main"
    moved: Mapping[str, str] = field(default_factory=dict)
    """New addresses of moved pages, by their old addresses below the site's."""
