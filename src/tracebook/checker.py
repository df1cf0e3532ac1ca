"""Judge a book: its traces, its pages, its figures. Check and update are one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent
from typing import Any

from . import compare, files, includes, live, pages, snippet
from .figures import Figures
from .memory import Memory
from .output import OBEYED, excerpt, unshowable
from .pages import Problem
from .runner import Run, Runner
from .settings import Settings, SettingsError
from .snippet import Snippet


@dataclass
class Report:
    """What was judged and what does not hold."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    """Traces that ``update`` rewrote, with their diffs."""
    outputs: dict[str, str] = field(default_factory=dict)
    """What each snippet printed, by its name below the snippets folder."""
    lines: dict[str, list[int]] = field(default_factory=dict)
    """For each line of a trace the line that printed it, of the program as readers
    see it, or 0."""
    observed: dict[str, Any] = field(default_factory=dict)
    """What the observer told of each, if there is one."""
    ran: int = 0
    remembered: int = 0
    """Snippets of which an earlier run was taken, instead of another."""
    stops: int = 0
    """Combinations of inputs that were run."""


class Checker:
    """Judges a book again and again; a snippet that held runs once.

    With ``remember`` also one that held another day, if all is as it was then.
    """

    def __init__(self, settings: Settings, remember: bool = False) -> None:
        self.settings = settings
        self._remember = remember and not settings.observer
        # Who looks on changes nothing: what printed its trace then counts as run.
        self._memory = Memory(replace(settings, observer=""))
        self._figures = Figures(settings)
        self._runner = Runner(settings)
        self._held: dict[Snippet, Run] = {}
        self._drew: dict[Snippet, Run] = {}
        """Those that draw, at every stop of their inputs."""

    def close(self) -> None:
        self._runner.close()

    def check(
        self,
        paths: Sequence[Path] = (),
        update: bool = False,
        sweep: bool = False,
        progress: Callable[[int, int], None] = lambda ended, total: None,
        stops: bool = False,
    ) -> Report:
        """Run and compare the snippets under ``paths``, or the whole book.

        With ``stops`` the programs whose inputs readers may change run at every
        combination of these, and those that draw always do; else what is recorded of
        them is compared with the program and its trace, and with ``update`` they run
        where it doesn't agree.

        With ``update`` a trace that does not hold is rewritten, unless its
        program failed. Pages and orphans are judged with the whole book only;
        then ``sweep`` removes figures that the engine drew and nobody draws.
        """
        for folder in (self.settings.snippets_dir, self.settings.docs_dir):
            if not folder.is_dir():
                raise SettingsError(f"{folder}: no such folder")
        snippets = snippet.find(self.settings, paths)
        runs = {s: self._held[s] for s in snippets if s in self._held}
        report = Report()
        for each in snippets if self._remember else ():
            if each not in runs and (run := self._memory.recall(each)):
                runs[each] = run
                report.remembered += 1
        to_run = [s for s in snippets if s not in runs]
        self._runner.run(to_run, runs.__setitem__, progress)
        report.ran = len(to_run)
        held = {s: run for s, run in runs.items() if not run.problem}
        self._held = held if not paths else self._held | held
        for each in snippets:
            self._judge_trace(each, runs[each], update, report)
        differ = {problem.name for problem in report.problems}
        for each in to_run:
            if each in held and not (self.settings.observer and each.name in differ):
                self._memory.keep(each, held[each])
        before = len(report.problems)
        drawn_at_stops = self._judge_live(snippets, runs, update, stops, report)
        all_drew = held == runs and len(report.problems) == before
        drawn = self._publish(held | drawn_at_stops, report)
        if not paths:
            self._memory.sweep()
            # What failed drew nothing, and keeps what it drew when it held.
            stale = self._figures.stale(drawn) if all_drew else set()
            report.problems += self._strays(snippets)
            report.problems += pages.problems(self.settings, snippets, stale)
            if sweep:
                self._figures.remove(stale)
        return report

    def _judge_trace(
        self, each: Snippet, run: Run, update: bool, report: Report
    ) -> None:
        report.outputs[each.name] = run.output
        report.lines[each.name] = run.lines
        if self.settings.observer:
            report.observed[each.name] = run.observed

        def wrong(where: str, text: str) -> None:
            report.problems.append(Problem(where, excerpt(text), each.name))

        if line := includes.misread(each.source):
            wrong(f"{each.label}:{line}", OBEYED)
        if problem := run.problem or unshowable(run.output):
            printed = indent(run.output or "nothing", "    ").rstrip()
            wrong(
                f"{each.label}:{run.line}", f"{problem}\n  printed so far:\n{printed}"
            )
            return
        path = each.output_path
        is_new = not path.exists()
        shown = "" if is_new else path.read_bytes().decode("utf-8", "replace")
        found = compare.difference(shown, run.output, each.rel)
        if not found and (line := includes.misread(shown)):
            wrong(f"{each.output_label}:{line}", OBEYED)
        if not found:
            return
        line, diff = found
        if "\r\n" in shown:
            others = compare.difference(
                shown.replace("\r\n", "\n"), run.output, each.rel
            )
            diff = "its lines end in CR LF, and those of a trace in LF"
            diff += f"\n{others[1]}" if others else ""
        diff = indent(diff, "    ")
        if update:
            files.write(path, run.output.encode())
            done = "created" if is_new else "updated"
            text = excerpt(f"{done}\n{diff}")
            report.notes.append(Problem(each.output_label, text, each.name))
        elif is_new:
            wrong(
                f"{each.label}:1",
                "has no trace beside it; 'python -m tracebook update' writes it",
            )
        else:
            wrong(
                f"{each.output_label}:{line}",
                f"{each.label} prints something else\n{diff}",
            )

    def _judge_live(
        self,
        snippets: list[Snippet],
        runs: dict[Snippet, Run],
        update: bool,
        stops: bool,
        report: Report,
    ) -> dict[Snippet, Run]:
        """Judge what is recorded of other inputs; with ``stops`` by a run. Of a program
        that fails by itself, a record that is old says nothing new.

        Programs that draw run for their figures, which are returned; but not for an
        observer, who looks at the program as it is.
        """
        failed = {problem.name for problem in report.problems}
        recorded: dict[Snippet, live.Live] = {}
        for each in snippets:
            try:
                if its := live.load(each):
                    recorded[its.running] = its
            except (live.LiveError, OSError) as error:
                line = error.line if isinstance(error, live.LiveError) else 1
                text = error.text if isinstance(error, live.LiveError) else str(error)
                where = self.settings.label(live.path_of(each))
                report.problems.append(Problem(f"{where}:{line}", text, each.name))
        drawn: dict[Snippet, Run] = {}
        drawing = [
            each
            for each, its in recorded.items()
            if its.draws and not (stops or self.settings.observer)
            if its.snippet.name not in failed
        ]
        known = {each: self._drew[each] for each in drawing if each in self._drew}
        for each in drawing if self._remember else ():
            if each not in known and (run := self._memory.recall(each)):
                known[each] = run
        to_run = [
            each
            for each, its in recorded.items()
            if stops
            or (each in drawing and each not in known)
            or (update and its.problem())
        ]

        def ran(each: Snippet, run: Run) -> None:
            its = recorded[each]
            if run.problem or (run.figures and not its.draws):
                wrong(its, run.problem or "draws a figure that its text doesn't name")
                return
            dropped = self.settings.again_pattern
            lines = run.output.splitlines(keepends=True)
            now = its.with_printed("".join(x for x in lines if not dropped.match(x)))
            if its.draws:
                try:
                    own = runs[its.snippet].figures
                    drawn[each] = replace(run, figures=now.drawn(run.figures, own))
                except ValueError as error:
                    wrong(its, str(error))
                    failed.add(each.name)
                    return
                self._drew[each] = run
                if each in to_run:
                    self._memory.keep(each, run)
            old, new = its.stream(), now.stream()
            found = compare.difference(old, new, each.rel)
            if update and (found or its.problem()):
                now.write()
                recorded[each] = now
                text = f"recorded {len(each.variants) - 1} stops"
                report.notes.append(
                    Problem(self.settings.label(its.path), text, each.name)
                )
                return
            if found:
                wrong(
                    its,
                    f"its program prints something else\n{indent(found[1], '    ')}",
                )

        def wrong(its: live.Live, text: str) -> None:
            where = f"{self.settings.label(its.path)}:1"
            report.problems.append(Problem(where, excerpt(text), its.snippet.name))

        for each, run in known.items():
            ran(each, run)
        self._runner.run(to_run, ran)
        report.stops += sum(len(each.variants) - 1 for each in to_run)
        for its in recorded.values():
            if its.snippet.name not in failed and (problem := its.problem()):
                wrong(its, f"{problem}; 'python -m tracebook update' runs it again")
        return drawn

    def _publish(self, held: dict[Snippet, Run], report: Report) -> dict[str, bytes]:
        """Publish what programs drew: the path of each file below the figures."""
        drawn: dict[str, bytes] = {}
        by: dict[str, Snippet] = {}
        # In their order, and not as they ended, so that the same one is refused.
        for each, run in sorted(held.items(), key=lambda pair: pair[0].name):
            for name, content in run.figures.items():
                path = (Path(each.name).parent / name).as_posix()
                if other := by.get(path):
                    text = f"writes {name}, as {other.label} does"
                    report.problems.append(Problem(f"{each.label}:1", text, each.name))
                else:
                    drawn[path], by[path] = content, each
        for path in self._figures.publish(drawn):
            report.problems.append(
                Problem(
                    self.settings.label(self.settings.figures_dir / path),
                    f"is not what {by[path].label} draws, nor drawn by the engine;"
                    " it is left as it is: move it away",
                    by[path].name,
                )
            )
        return drawn

    def _strays(self, snippets: list[Snippet]) -> Iterator[Problem]:
        known = {path for s in snippets for path in s.files.values()}
        known |= {live.path_of(s) for s in snippets}
        known |= {*pages.tables(self.settings).values()}
        for path in files.below(self.settings.snippets_dir):
            if path not in known:
                yield Problem(
                    self.settings.label(path),
                    "a trace without its program"
                    if path.suffix == ".out"
                    else "inputs without their program"
                    if path.suffix == live.SUFFIX
                    else "neither a snippet nor a trace",
                )
