"""Passed runs, by the texts that ran."""

from .runner import Run
from .settings import Settings
from .snippet import Snippet


class Memory:
    """The passed runs of this process. A subclass, the setting ``memory``, keeps them
    longer, and with ``remember`` recalls those of other processes."""

    def __init__(self, settings: Settings, remember: bool) -> None:
        self._runs: dict[Snippet, Run] = {}

    def recall(self, snippet: Snippet) -> Run | None:
        """Return the run of a program with this text, or None if it isn't known."""
        return self._runs.get(snippet)

    def keep(self, snippet: Snippet, run: Run) -> None:
        """Keep a run."""
        self._runs[snippet] = run
