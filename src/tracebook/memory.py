"""Passed runs, by the texts that ran: those of this process, and those that a class,
which the setting ``memory`` names, keeps longer."""

from collections.abc import Collection
from pkgutil import resolve_name
from typing import Any

from .runner import Run
from .settings import Settings
from .snippet import Snippet


class Memory:
    """The passed runs of one project; with ``remember``, those of other processes."""

    def __init__(self, settings: Settings, remember: bool) -> None:
        self._runs: dict[Snippet, Run] = {}
        keeper: Any = settings.memory and resolve_name(settings.memory)
        self._keeper = keeper and keeper(settings)
        self._remember = remember

    def recall(self, snippet: Snippet) -> Run | None:
        """Return the run of a program with this text, or None if it isn't known."""
        run = self._runs.get(snippet)
        if not run and self._keeper and self._remember:
            run = self._keeper.recall(snippet)
            self._runs |= {snippet: run} if run else {}
        return run

    def keep(self, snippet: Snippet, run: Run) -> None:
        """Keep a run, unless it was recalled."""
        if self._runs.get(snippet) is not run:
            self._runs[snippet] = run
            if self._keeper:
                self._keeper.keep(snippet, run)

    def prune(self, snippets: Collection[Snippet]) -> None:
        """Drop runs of programs that are gone or changed."""
        texts = {(snippet.name, snippet.source) for snippet in snippets}
        for snippet in [*self._runs]:
            if (snippet.name, snippet.source) not in texts:
                del self._runs[snippet]
        if self._keeper:
            self._keeper.sweep()
