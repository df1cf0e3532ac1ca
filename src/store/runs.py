"""Runs of programs in the store, for the setting ``memory`` of tracebook."""

import contextlib
import json
from base64 import b64decode, b64encode
from dataclasses import asdict

from tracebook.memory import Memory
from tracebook.runner import Run
from tracebook.settings import Settings
from tracebook.snippet import Snippet

from . import fingerprint
from .database import Store, path_of

_KIND = "run"


class StoredRuns(Memory):
    """The passed runs of one project, from one day to another.

    Args:
        settings: of the project.
        remember: whether runs of other processes count.
    """

    def __init__(self, settings: Settings, remember: bool = True) -> None:
        super().__init__(settings, remember)
        self._store = Store(path_of(settings.root))
        self._settings = json.dumps(settings.of_a_run, sort_keys=True)
        modules = (f"{name.replace('.', '/')}.py" for name in settings.preload)
        self._code = fingerprint.code("tracebook", *modules)
        self._remember = remember
        with contextlib.suppress(OSError):
            self._store.sweep()

    def recall(self, snippet: Snippet) -> Run | None:
        """Return the run of a program with this text, or None if it isn't known."""
        run = super().recall(snippet)
        if run or not self._remember:
            return run
        record = self._store.get(_KIND, self._key(snippet))
        if record is None:
            return None
        figures = record.pop("figures").items()
        run = Run(**record, figures={name: b64decode(svg) for name, svg in figures})
        super().keep(snippet, run)
        return run

    def keep(self, snippet: Snippet, run: Run) -> None:
        """Keep a run; if the store can't be written, only in this process."""
        if super().recall(snippet) is run:  # it was kept before
            return
        super().keep(snippet, run)
        figures = {name: b64encode(svg).decode() for name, svg in run.figures.items()}
        record = asdict(run) | {"figures": figures, "observed": None}
        with contextlib.suppress(OSError):
            self._store.put(_KIND, self._key(snippet), record)

    def _key(self, snippet: Snippet) -> str:
        program = json.dumps([snippet.name, snippet.source, snippet.variants])
        return fingerprint.digest(
            fingerprint.environment(), self._code, self._settings, program
        )
