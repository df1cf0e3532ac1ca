"""Runs of programs in the store, for the setting ``memory`` of tracebook."""

import contextlib
import json
from base64 import b64decode, b64encode
from dataclasses import asdict

from tracebook.runner import Run
from tracebook.settings import Settings
from tracebook.snippet import Snippet

from . import fingerprint
from .database import Store

_KIND = "run"


class StoredRuns:
    """The passed runs of one project.

    Args:
        settings: of the project.
    """

    def __init__(self, settings: Settings) -> None:
        self._store = Store(settings.store_path)
        self._settings = json.dumps(settings.of_a_run, sort_keys=True)

    def recall(self, snippet: Snippet) -> Run | None:
        """Return the run of a program with this text, or None if it isn't known."""
        record = self._store.get(_KIND, self._key(snippet))
        if record is None:
            return None
        figures = record.pop("figures").items()
        return Run(**record, figures={name: b64decode(svg) for name, svg in figures})

    def keep(self, snippet: Snippet, run: Run) -> None:
        """Keep a run. If it can't be written, it isn't kept."""
        figures = {name: b64encode(svg).decode() for name, svg in run.figures.items()}
        record = asdict(run) | {"figures": figures, "observed": None}
        with contextlib.suppress(OSError):
            self._store.put(_KIND, self._key(snippet), record)

    def sweep(self) -> None:
        """Drop the runs that nobody has asked for in a month."""
        with contextlib.suppress(OSError):
            self._store.sweep()

    def _key(self, snippet: Snippet) -> str:
        program = json.dumps([snippet.name, snippet.source, snippet.variants])
        return fingerprint.digest(
            fingerprint.environment(),
            fingerprint.code("tracebook"),
            self._settings,
            program,
        )
