"""Check a project: run its programs, and compare their outputs, figures and pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from textwrap import indent
from typing import Any

from . import compare, files, includes, pages, snippet
from .figures import Figures
from .memory import Memory
from .output import MISREAD, unshowable
from .report import CheckReport
from .runner import Run, Runner
from .settings import Settings, SettingsError
from .snippet import Snippet

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PluginContext:
    """A check whose programs ran, for plugins.

    The setting ``plugins`` names modules, which may have

    - ``check(context)``: adds to the report, and returns figures to be published, for
      each program by their paths below its folder;
    - ``SUFFIX``: of its own files beside programs;
    - ``includes(settings)``: returns other files that pages must include, by name.
    """

    checker: "Checker"
    programs: Sequence[Snippet]
    runs: Mapping[Snippet, Run]
    report: CheckReport
    update: bool
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
        plain = replace(settings, observer="")
        memory = resolve_name(settings.memory) if settings.memory else Memory
        self.memory: Memory = memory(plain, remember and not settings.observer)
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
    ) -> CheckReport:
        """Run programs and compare their outputs.

        Args:
            paths: programs or folders, if not the whole project with its pages.
            update: rewrite outputs that differ, except those of programs that failed.
            sweep: remove figures that no program draws any longer.
            progress: called often, with the numbers of ended programs and of all.
            variants: have plugins run the variants of all programs.

        Raises:
            SettingsError: a folder is missing, or a setting isn't understood.
        """
        for folder in (self.settings.snippets_dir, self.settings.docs_dir):
            if not folder.is_dir():
                raise SettingsError(f"{folder}: no such folder")
        report = CheckReport()
        programs = snippet.find(self.settings, paths)
        runs = self._run(programs, progress, report)
        programs = [self._compare(p, runs[p], update, report) for p in programs]
        report.digests = {program.name: program.digests for program in programs}
        figures = {p: {**run.figures} for p, run in runs.items() if not run.problem}
        compared = len(report.problems)
        context = PluginContext(self, programs, runs, report, update, variants)
        for check in self._hooks("check"):
            for program, drawings in check(context).items():
                figures[program] |= drawings
        is_complete = len(figures) == len(runs) and len(report.problems) == compared
        published = self._publish(figures, report)
        if not paths and not self.settings.twins:
            programs += snippet.find(replace(self.settings, twins=True))
            # A program that failed keeps the figures of its last successful run.
            stale = self._figures.stale(published) if is_complete else set()
            records: dict[str, Path] = {}
            for find in self._hooks("includes"):
                records |= find(self.settings)
            self._find_orphans(programs, {*records.values()}, report)
            report.problems += pages.problems(self.settings, programs, stale, records)
            for name in stale if sweep else ():
                (self.settings.figures_dir / name).unlink()
        return report

    def _hooks(self, name: str) -> list[Any]:
        return [getattr(p, name) for p in self._plugins if hasattr(p, name)]

    def _run(
        self, programs: list[Snippet], progress: Progress, report: CheckReport
    ) -> dict[Snippet, Run]:
        runs = {p: run for p in programs if (run := self.memory.recall(p))}
        to_run = [program for program in programs if program not in runs]
        report.remembered, report.ran = len(runs), len(to_run)

        def keep(program: Snippet, run: Run) -> None:
            runs[program] = run
            # What a program printed otherwise under an observer isn't kept.
            recorded = program.output if self.settings.observer else run.output
            is_right = not compare.difference(recorded or "", run.output, program.rel)
            if is_right and not (run.problem or unshowable(run.output)):
                self.memory.keep(program, run)

        self.runner.run(to_run, keep, progress)
        return runs

    def _compare(
        self, program: Snippet, run: Run, update: bool, report: CheckReport
    ) -> Snippet:
        """Compare a run with the recorded output, or rewrite that, and return the
        program with the output that is recorded then."""
        name, recorded = program.name, program.output or ""
        report.outputs[name] = run.output
        report.observed[name] = run.observed
        if line := includes.misread(program.source):
            report.problem(f"{program.label}:{line}", MISREAD, name)
        if problem := run.problem or unshowable(run.output):
            printed = indent(run.output or "nothing", "    ").rstrip()
            message = f"{problem}\n  printed so far:\n{printed}"
            report.problem(f"{program.label}:{run.line}", message, name)
            return program
        difference = compare.difference(recorded, run.output, program.rel)
        if not difference:
            if line := includes.misread(recorded):
                report.problem(f"{program.output_label}:{line}", MISREAD, name)
            return program
        line, diff = difference
        if "\r\n" in recorded:
            diff = "its lines end in CR LF, and those of an output in LF"
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
        self, figures: dict[Snippet, dict[str, bytes]], report: CheckReport
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

    def _find_orphans(
        self, programs: list[Snippet], records: set[Path], report: CheckReport
    ) -> None:
        paths = {program.path for program in programs}
        suffixes = {".py", ".out", *self._hooks("SUFFIX")}
        for path in files.below(self.settings.snippets_dir):
            label, program = self.settings.label(path), path.with_suffix(".py")
            if path.suffix in suffixes and program not in paths:
                report.problem(label, f"belongs to {program.name}, which is missing")
            elif path.suffix not in suffixes and path not in records:
                report.problem(label, "neither a snippet nor an output")
