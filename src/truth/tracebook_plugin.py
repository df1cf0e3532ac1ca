"""A plugin of tracebook: pages may include the records of tables."""

from pathlib import Path

from tracebook import files
from tracebook.settings import Settings

from .tables import RECORDS


def includes(settings: Settings) -> dict[str, Path]:
    """Return the records of a project, by the names that includes have for them."""
    folder = settings.root / RECORDS
    return {
        path.relative_to(settings.snippets_dir).as_posix(): path
        for path in (files.below(folder) if folder.is_dir() else [])
        if path.suffix == ".md"
    }
