"""Judge a book: its traces, its pages, its figures. Check and update are one."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

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
        self._runner: Runner | None = None
        self._held: dict[Snippet, Run] = {}

    def close(self) -> None:
        if self._runner:
            self._runner.close()

    def judge(self, paths: list[Path] = (), update: bool = False,
              progress: Callable[[int, int], None] = lambda done, total: None,
              ) -> Report:
        """Run and compare the snippets under ``paths``, or the whole book.

        With ``update`` a trace that does not hold is rewritten, unless its
        program failed. Pages and orphans are judged with the whole book only.
        """
        snippets = snippet.find(self.settings, paths)
        runs = {s: self._held[s] for s in snippets if s in self._held}
        to_run = [s for s in snippets if s not in runs]
        progress(0, len(to_run))

        def done(ended: Snippet, run: Run) -> None:
            runs[ended] = run
            progress(len(runs) - len(snippets) + len(to_run), len(to_run))

        if to_run:
            self._runner = self._runner or Runner(self.settings)
            self._runner.run(to_run, done)
        self._held.update((s, r) for s, r in runs.items() if not r.problem)
        report = Report(ran=len(to_run))
        for each in snippets:
            self._judge_trace(each, runs[each], update, report)
        self._publish_figures({s: runs[s] for s in snippets}, not paths)
        if not paths:
            self._held = {s: r for s, r in self._held.items() if s in runs}
            report.problems += self._judge_book(snippets)
        return report

    def _judge_trace(self, each: Snippet, run: Run, update: bool,
                     report: Report) -> None:
        report.traces[each.name] = run.trace
        if problem := run.problem or unshowable(run.trace):
            printed = _indented(run.trace) or "    nothing"
            report.problems.append(Problem(
                f"{each.shown}:{run.line}",
                f"{problem}\n  printed so far:\n{printed}"))
            return
        path = each.trace_path
        is_new = not path.exists()
        shown = "" if is_new else path.read_bytes().decode("utf-8", "replace")
        found = compare.difference(shown, run.trace, each.rel)
        if not found:
            return
        line, diff = found
        if update:
            _write(path, run.trace.encode())
            report.notes.append(Problem(
                each.trace_shown, ("created" if is_new else "updated")
                + "\n" + _indented(diff)))
        elif is_new:
            report.problems.append(Problem(
                f"{each.shown}:1", "has no trace beside it;"
                " 'python -m tracebook update' writes it"))
        else:
            report.problems.append(Problem(
                f"{each.trace_shown}:{line}",
                f"{each.shown} prints something else\n{_indented(diff)}"))

    def _publish_figures(self, runs: dict[Snippet, Run], whole: bool) -> None:
        folder, published = self.settings.figures_dir, set()
        for each, run in runs.items():
            for name, content in run.figures.items():
                path = folder / Path(each.name).parent / name
                published.add(path)
                if not path.exists() or path.read_bytes() != content:
                    _write(path, content)
        if whole and folder.exists():
            for stale in set(folder.rglob("*.svg")) - published:
                stale.unlink()

    def _judge_book(self, snippets: list[Snippet]) -> Iterator[Problem]:
        traces = {s.trace_path for s in snippets}
        for path in sorted(self.settings.snippets_dir.rglob("*")):
            shown = path.relative_to(self.settings.root).as_posix()
            if path.suffix == ".out" and path not in traces:
                yield Problem(shown, "a trace without its program")
            elif path.is_file() and path.suffix not in (".py", ".out"):
                yield Problem(shown, "neither a snippet nor a trace")
        yield from pages.problems(self.settings, snippets)
        for name, where in pages.figures(self.settings).items():
            if not (self.settings.figures_dir / name).exists():
                yield Problem(where, f"shows the figure {name},"
                              " which no snippet drew")


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines()).rstrip("\n")
