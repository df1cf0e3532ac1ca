"""Check a project: run its programs, and compare their outputs, figures and pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Any

from . import compare, files, includes, pages, snippet
from .figures import Figures
from .memory import Memory
from .output import MISREAD, unshowable
from .report import Report
from .runner import Run, Runner
from .settings import Settings, SettingsError
from .snippet import Snippet

Progress = Callable[[int, int], None]
"""Gets the numbers of ended programs and of all."""


@dataclass(frozen=True)
class Context:
    """A check whose programs ran, for plugins.

    The setting ``plugins`` names modules. Their function ``check(context)`` adds to the
    report, and returns figures to be published: for each program by their paths below
    its folder. A module with files of its own beside programs has their ``SUFFIX``.
    """

    checker: "Checker"
    programs: Sequence[Snippet]
    runs: Mapping[Snippet, Run]
    report: Report
    update: bool
    """Whether records that differ are rewritten."""
    variants: bool
    """Whether variants run although their records agree with the program."""


class Checker:
    """Checks a project again and again. A program that passed runs once.

    Args:
        settings: of the project.
        remember: whether a passed run of an earlier day counts, if nothing that it
            depends on has changed.
    """

    def __init__(self, settings: Settings, remember: bool = False) -> None:
        self.settings = settings
        # An observer doesn't change a run, so a run under an observer counts later.
        self.memory = Memory(
            replace(settings, observer=""), remember and not settings.observer
        )
        self.runner = Runner(settings)
        self._figures = Figures(settings)
        self._plugins: list[Any] = [*map(import_module, settings.plugins)]

    def close(self) -> None:
        """Remove what the runs left."""
        self.runner.close()

    def check(
        self,
        paths: Sequence[Path] = (),
        update: bool = False,
        sweep: bool = False,
        progress: Progress = lambda ended, total: None,
        variants: bool = False,
    ) -> Report:
        """Run programs and compare their outputs.

        Args:
            paths: programs or folders of them. Pages and orphaned files are checked
                with the whole project only.
            update: rewrite outputs that differ, except those of programs that failed.
            sweep: remove figures that no program draws any longer.
            progress: called often.
            variants: have plugins run the variants of all programs.

        Raises:
            SettingsError: a folder is missing, or a setting isn't understood.
        """
        for folder in (self.settings.snippets_dir, self.settings.docs_dir):
            if not folder.is_dir():
                raise SettingsError(f"{folder}: no such folder")
        report = Report()
        programs = snippet.find(self.settings, paths)
        runs = self._run(programs, progress, report)
        programs = [self._compare(p, runs[p], update, report) for p in programs]
        report.digests = {program.name: program.digests for program in programs}
        figures = {p: {**run.figures} for p, run in runs.items() if not run.problem}
        compared = len(report.problems)
        context = Context(self, programs, runs, report, update, variants)
        for plugin in self._plugins:
            for program, drawings in plugin.check(context).items():
                figures[program] |= drawings
        is_complete = len(figures) == len(runs) and len(report.problems) == compared
        published = self._publish(figures, report)
        if not paths:
            self.memory.prune(programs)
            # A program that failed keeps the figures of its last successful run.
            stale = self._figures.stale(published) if is_complete else set()
            self._find_orphans(programs, report)
            report.problems += pages.problems(self.settings, programs, stale)
            if sweep:
                self._figures.remove(stale)
        return report

    def _run(
        self, programs: list[Snippet], progress: Progress, report: Report
    ) -> dict[Snippet, Run]:
        recalled = {program: self.memory.recall(program) for program in programs}
        runs = {program: run for program, run in recalled.items() if run}
        to_run = [program for program in programs if program not in runs]
        report.remembered, report.ran = len(runs), len(to_run)
        self.runner.run(to_run, runs.__setitem__, progress)
        return runs

    def _compare(
        self, program: Snippet, run: Run, update: bool, report: Report
    ) -> Snippet:
        """Compare a run with the recorded output, or rewrite that.

        Returns:
            The program with the output that is recorded now.
        """
        name, recorded = program.name, program.output or ""
        report.outputs[name] = run.output
        if self.settings.observer:
            report.observed[name] = run.observed
        if line := includes.misread(program.source):
            report.problem(f"{program.label}:{line}", MISREAD, name)
        if problem := run.problem or unshowable(run.output):
            printed = indent(run.output or "nothing", "    ").rstrip()
            message = f"{problem}\n  printed so far:\n{printed}"
            report.problem(f"{program.label}:{run.line}", message, name)
            return program
        difference = compare.difference(recorded, run.output, program.rel)
        if not (difference and self.settings.observer):
            self.memory.keep(program, run)
        if not difference:
            if line := includes.misread(recorded):
                report.problem(f"{program.output_label}:{line}", MISREAD, name)
            return program
        line, diff = difference
        if "\r\n" in recorded:
            diff = _line_ends(recorded, run.output, program.rel)
        diff = indent(diff, "    ")
        if update:
            files.write(program.output_path, run.output.encode())
            change = "created" if program.output is None else "updated"
            report.note(program.output_label, f"{change}\n{diff}", name)
            return replace(program, output=run.output)
        if program.output is None:
            message = "has no output beside it; 'python -m tracebook update' writes it"
            report.problem(f"{program.label}:1", message, name)
        else:
            message = f"{program.label} prints something else\n{diff}"
            report.problem(f"{program.output_label}:{line}", message, name)
        return program

    def _publish(
        self, figures: dict[Snippet, dict[str, bytes]], report: Report
    ) -> dict[str, bytes]:
        """Write figures, and return them by their paths below the published ones."""
        contents: dict[str, bytes] = {}
        owners: dict[str, Snippet] = {}
        # In the order of names, so that of two programs the same one is refused.
        for program in sorted(figures, key=lambda program: program.name):
            for name, content in figures[program].items():
                path = (Path(program.name).parent / name).as_posix()
                if owner := owners.get(path):
                    message = f"writes {name}, as {owner.label} does"
                    report.problem(f"{program.label}:1", message, program.name)
                else:
                    contents[path], owners[path] = content, program
        for path in self._figures.publish(contents):
            report.problem(
                self.settings.label(self.settings.figures_dir / path),
                f"is not what {owners[path].label} draws, nor drawn by the engine;"
                " it is left as it is: move it away",
                owners[path].name,
            )
        return contents

    def _find_orphans(self, programs: list[Snippet], report: Report) -> None:
        paths = {program.path for program in programs}
        tables = {*pages.tables(self.settings).values()}
        suffixes = {getattr(plugin, "SUFFIX", "") for plugin in self._plugins}
        suffixes |= {".py", ".out"}
        for path in files.below(self.settings.snippets_dir):
            program = path.with_suffix(".py")
            if path.suffix in suffixes and program not in paths:
                message = f"belongs to {program.name}, which is missing"
            elif path.suffix not in suffixes and path not in tables:
                message = "neither a snippet nor an output"
            else:
                continue
            report.problem(self.settings.label(path), message)


def _line_ends(recorded: str, printed: str, rel: float) -> str:
    """Describe how an output differs whose lines end in CR LF."""
    rest = compare.difference(recorded.replace("\r\n", "\n"), printed, rel)
    message = "its lines end in CR LF, and those of an output in LF"
    return f"{message}\n{rest[1]}" if rest else message
