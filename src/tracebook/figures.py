"""Publish what programs draw, and touch no other files."""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from . import files
from .settings import Settings


class Figures:
    """The folder of figures, and the manifest of those that programs drew."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._manifest = settings.cache_dir / "figures.json"

    def publish(self, figures: dict[str, bytes]) -> Iterator[str]:
        """Write the figures that changed, and yield the names of files that are in
        their place but weren't drawn."""
        digests = self._digests()
        updated = dict(digests)
        try:
            for name, content in figures.items():
                path = self._settings.figures_dir / name
                if not path.exists() or path.read_bytes() != content:
                    if path.exists() and not self._is_drawn(path, digests):
                        yield name
                        continue
                    files.write(path, content)
                updated[self._settings.label(path)] = sha256(content).hexdigest()
        finally:
            if updated != digests:
                files.write(self._manifest, json.dumps(updated, indent=1).encode())

    def stale(self, figures: Iterable[str]) -> set[str]:
        """Return the names of files that were drawn and aren't any longer."""
        folder, digests = self._settings.figures_dir, self._digests()
        names = {path.relative_to(folder).as_posix() for path in files.below(folder)}
        names -= {*figures}
        return {name for name in names if self._is_drawn(folder / name, digests)}

    def _digests(self) -> dict[str, str]:
        """Return the digest of each drawn file; of none if the manifest is damaged."""
        try:
            digests = json.loads(self._manifest.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return digests if isinstance(digests, dict) else {}

    def _is_drawn(self, path: Path, digests: dict[str, str]) -> bool:
        digest = digests.get(self._settings.label(path))
        return digest == sha256(path.read_bytes()).hexdigest()
