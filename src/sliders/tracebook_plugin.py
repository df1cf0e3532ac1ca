"""Sliders in a check of a project: compare what is recorded, and draw the figures.

What is recorded is compared with the program and its output without a run. A program
that draws runs at all combinations for its figures, but not under an observer, which
looks at the program as it is.
"""

import re
from contextlib import suppress
from textwrap import indent

from tracebook import compare
from tracebook.checker import PluginContext
from tracebook.runner import Run
from tracebook.settings import SettingsError, any_of, table
from tracebook.snippet import Snippet

from . import recording
from .recording import SUFFIX, RecordingError, Sliders

__all__ = ["SUFFIX", "check"]


def check(context: PluginContext) -> dict[Snippet, dict[str, bytes]]:
    """Check the sliders of the programs, and return the figures of their positions."""
    return _Check(context).check()


class _Check:
    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._noise = _noise(context)
        # A recording of a program that fails needn't be reported, too.
        self._failed = {problem.name for problem in context.report.problems}
        self._recordings: dict[Snippet, Sliders] = {}
        """By the programs that run at all combinations."""
        self._figures: dict[Snippet, dict[str, bytes]] = {}

    def check(self) -> dict[Snippet, dict[str, bytes]]:
        for program in self._context.programs:
            with suppress(RecordingError, OSError):  # reported at the end
                record = recording.load(program)
                if record and program.name not in self._failed:
                    self._recordings[record.variants] = record
        is_asked = self._context.variants or self._context.checker.settings.observer
        remembered = {
            variants: self._context.checker.memory.recall(variants)
            for variants, record in self._recordings.items()
            if record.draws and not is_asked  # it runs for its figures
        }
        for variants, run in remembered.items():
            if run:
                self._compare(variants, run)
        to_run = [
            variants
            for variants, record in self._recordings.items()
            if self._context.variants
            or (variants in remembered and not remembered[variants])
            or (self._context.update and record.problem())
        ]
        self._context.checker.runner.run(to_run, self._compare)
        self._context.report.variants += sum(len(v.variants) - 1 for v in to_run)
        for program in self._context.programs:
            if program.name not in self._failed:
                for location, message in recording.problems(program):
                    self._context.report.problem(location, message, program.name)
        return self._figures

    def _compare(self, variants: Snippet, run: Run) -> None:
        """Compare a run of all combinations with what is recorded, or record it."""
        record = self._recordings[variants]
        if run.problem or (run.figures and not record.draws):
            message = run.problem or "draws a figure that its text doesn't name"
            self._problem(record, message)
            return
        lines = run.output.splitlines(keepends=True)
        output = "".join(line for line in lines if not self._noise.match(line))
        current = record.with_output(output)
        if record.draws and not self._keep_figures(current, variants, run):
            return
        difference = compare.difference(record.stream(), current.stream(), variants.rel)
        if self._context.update and (difference or record.problem()):
            current.write()
            self._recordings[variants] = current
            label = self._context.checker.settings.label(record.path)
            message = f"recorded {len(variants.variants) - 1} combinations"
            self._context.report.note(label, message, variants.name)
        elif difference:
            diff = indent(difference[1], "    ")
            self._problem(record, f"its program prints something else\n{diff}")

    def _keep_figures(self, current: Sliders, variants: Snippet, run: Run) -> bool:
        """Keep the figures of a run, if all are there."""
        program = current.snippet
        originals = self._context.runs[program].figures
        try:
            self._figures[program] = current.figures(run.figures, originals)
        except ValueError as error:
            self._problem(current, str(error))
            self._failed.add(program.name)
            return False
        self._context.checker.memory.keep(variants, run)
        return True

    def _problem(self, record: Sliders, message: str) -> None:
        location = f"{self._context.checker.settings.label(record.path)}:1"
        self._context.report.problem(location, message, record.snippet.name)


def _noise(context: PluginContext) -> re.Pattern:
    """Return what libraries print because a program runs many times in one process."""
    options = table(context.checker.settings.root, "sliders")
    try:
        return any_of(options.get("noise", ()))
    except re.error as error:
        raise SettingsError(f"[tool.sliders] noise: {error}") from error
