"""Passed runs, by the texts that ran."""

from collections.abc import Collection

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

    def prune(self, snippets: Collection[Snippet]) -> None:
        """Drop runs of programs that are gone or changed."""
        texts = {(snippet.name, snippet.source) for snippet in snippets}
        for snippet in [*self._runs]:
            if (snippet.name, snippet.source) not in texts:
                del self._runs[snippet]
