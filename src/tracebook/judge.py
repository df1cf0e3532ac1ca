"""Judge a book: its traces, its pages, its figures. Check and update are one."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent

from . import compare, pages, snippet
from .pages import Problem
from .runner import Run, Runner
from .settings import Settings
from .snippet import Snippet
from .trace import unshowable


@dataclass
class Report:
    """What was judged and what does not hold."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    """Traces that ``update`` rewrote, with their diffs."""
    traces: dict[str, str] = field(default_factory=dict)
    """What each snippet printed, by its name below the snippets folder."""
    ran: int = 0


class Judge:
    """Judges a book again and again; a snippet that held runs once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._runner = Runner(settings)
        self._held: dict[Snippet, Run] = {}

    def close(self) -> None:
        self._runner.close()

    def judge(
        self,
        paths: Sequence[Path] = (),
        update: bool = False,
        progress: Callable[[int, int], None] = lambda ended, total: None,
    ) -> Report:
        """Run and compare the snippets under ``paths``, or the whole book.

        With ``update`` a trace that does not hold is rewritten, unless its
        program failed. Pages and orphans are judged with the whole book only.
        """
        snippets = snippet.find(self.settings, paths)
        runs = {s: self._held[s] for s in snippets if s in self._held}
        to_run = [s for s in snippets if s not in runs]
        self._runner.run(to_run, runs.__setitem__, progress)
        self._held = {s: run for s, run in runs.items() if not run.problem}
        report = Report(ran=len(to_run))
        for each in snippets:
            self._judge_trace(each, runs[each], update, report)
        self._publish_figures(runs, not paths)
        if not paths:
            report.problems += self._strays(snippets)
            report.problems += pages.problems(self.settings, snippets)
        return report

    def _judge_trace(
        self, each: Snippet, run: Run, update: bool, report: Report
    ) -> None:
        report.traces[each.name] = run.trace
        if problem := run.problem or unshowable(run.trace):
            printed = indent(run.trace or "nothing", "    ").rstrip()
            report.problems.append(
                Problem(
                    f"{each.shown}:{run.line}",
                    f"{problem}\n  printed so far:\n{printed}",
                )
            )
            return
        path = each.trace_path
        is_new = not path.exists()
        shown = "" if is_new else path.read_bytes().decode("utf-8", "replace")
        found = compare.difference(shown, run.trace, each.rel)
        if not found:
            return
        line, diff = found[0], indent(found[1], "    ")
        if update:
            _write(path, run.trace.encode())
            report.notes.append(
                Problem(
                    each.trace_shown, f"{'created' if is_new else 'updated'}\n{diff}"
                )
            )
        elif is_new:
            report.problems.append(
                Problem(
                    f"{each.shown}:1",
                    "has no trace beside it; 'python -m tracebook update' writes it",
                )
            )
        else:
            report.problems.append(
                Problem(
                    f"{each.trace_shown}:{line}",
                    f"{each.shown} prints something else\n{diff}",
                )
            )

    def _publish_figures(self, runs: dict[Snippet, Run], whole: bool) -> None:
        """What failed drew nothing, and keeps what it drew when it held."""
        folder = self.settings.figures_dir
        drawn = {
            folder / Path(each.name).parent / name: content
            for each, run in runs.items()
            if not run.problem
            for name, content in run.figures.items()
        }
        for path, content in drawn.items():
            if not path.exists() or path.read_bytes() != content:
                _write(path, content)
        if whole and not any(run.problem for run in runs.values()):
            for stale in set(folder.rglob("*.svg")) - set(drawn):
                stale.unlink()

    def _strays(self, snippets: list[Snippet]) -> Iterator[Problem]:
        known = {path for s in snippets for path in (s.path, s.trace_path)}
        for path in sorted(set(self.settings.snippets_dir.rglob("*")) - known):
            if path.is_file():
                yield Problem(
                    self.settings.shown(path),
                    (
                        "a trace without its program"
                        if path.suffix == ".out"
                        else "neither a snippet nor a trace"
                    ),
                )


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        beside.unlink(missing_ok=True)
