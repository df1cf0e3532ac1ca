"""Publish what programs draw; touch no file that the engine did not draw."""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from . import files
from .settings import Settings


class Figures:
    """The folder of figures, and the manifest of what the engine drew there."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._manifest = settings.cache_dir / "figures.json"

    def publish(self, drawn: dict[str, bytes]) -> Iterator[str]:
        """Write what changed; yields the names at which another's file stands."""
        known = self._known()
        new = dict(known)
        try:
            for name, content in drawn.items():
                path = self._settings.figures_dir / name
                is_there = path.exists()
                if not is_there or path.read_bytes() != content:
                    if is_there and not self._is_ours(path, known):
                        yield name
                        continue
                    files.write(path, content)
                new[self._settings.label(path)] = sha256(content).hexdigest()
        finally:
            if new != known:
                files.write(self._manifest, json.dumps(new, indent=1).encode())

    def stale(self, drawn: Iterable[str]) -> set[str]:
        """What the engine drew, and no program draws any more."""
        folder, known = self._settings.figures_dir, self._known()
        there = {path.relative_to(folder).as_posix() for path in files.below(folder)}
        return {
            name for name in there - set(drawn) if self._is_ours(folder / name, known)
        }

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self._settings.figures_dir / name).unlink()

    def _known(self) -> dict[str, str]:
        """Path and hash of each file drawn; of none, if the manifest is damaged."""
        try:
            known = json.loads(self._manifest.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return known if isinstance(known, dict) else {}

    def _is_ours(self, path: Path, known: dict[str, str]) -> bool:
        made = known.get(self._settings.label(path))
        return made == sha256(path.read_bytes()).hexdigest()
