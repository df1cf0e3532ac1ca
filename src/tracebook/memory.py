"""Passed runs of programs, kept in this process and in the store."""

import contextlib
import json
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import asdict

from . import fingerprint
from .runner import Run
from .settings import Settings
from .snippet import Snippet
from .store import Store

_KIND = "run"


class Memory:
    """The passed runs of one project.

    Args:
        settings: of the project.
        recalls_stored: whether runs of other processes count.
    """

    def __init__(self, settings: Settings, recalls_stored: bool = True) -> None:
        self._store = Store(settings.store_path)
        self._settings = json.dumps(settings.of_a_run, sort_keys=True)
        self._recalls_stored = recalls_stored
        self._runs: dict[Snippet, Run] = {}

    def recall(self, snippet: Snippet) -> Run | None:
        """Return the run of a program with this text, or None if it isn't known."""
        if snippet in self._runs or not self._recalls_stored:
            return self._runs.get(snippet)
        record = self._store.get(_KIND, self._key(snippet))
        if record is None:
            return None
        figures = record.pop("figures").items()
        run = Run(**record, figures={name: b64decode(svg) for name, svg in figures})
        self._runs[snippet] = run
        return run

    def keep(self, snippet: Snippet, run: Run) -> None:
        """Keep a run; if the store can't be written, only in this process."""
        if self._runs.get(snippet) is run:  # recalled from the store
            return
        self._runs[snippet] = run
        figures = {name: b64encode(svg).decode() for name, svg in run.figures.items()}
        record = asdict(run) | {"figures": figures, "observed": None}
        with contextlib.suppress(OSError):
            self._store.put(_KIND, self._key(snippet), record)

    def prune(self, snippets: Collection[Snippet]) -> None:
        """Drop runs of other programs, and what nobody has used for a month."""
        current = {(snippet.name, snippet.source) for snippet in snippets}
        for snippet in [*self._runs]:
            if (snippet.name, snippet.source) not in current:
                del self._runs[snippet]
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
