"""A plugin of tracebook: which line of a program printed which line of its output, for
readers who point at one of them."""

import ast
import re
from typing import Any


def check(context: Any) -> dict:
    """Add the lines of all programs to the report.

    Args:
        context: the check, as ``tracebook.checker.PluginContext`` has it.

    Returns:
        No figures.
    """
    context.report.plugins["lines"] = {
        program.name: lines_of(run.output, run.printed, program.text)
        for program, run in context.runs.items()
    }
    return {}


def lines_of(output: str, printed: list[tuple[str, int]], source: str) -> list[int]:
    """Return for each line of an output the line of the program that printed it.

    A line that didn't come through Python's streams, as from ``tf.print``, belongs to
    the only call of a function with this name that has its words. If it begins with a
    bracket, as a matrix's next row, it belongs to the same call as the line before.

    Args:
        output: what the program printed.
        printed: what came through Python's streams, in order.
        source: the program.

    Returns:
        Lines of the program; 0 where it isn't known.
    """
    parts: list[tuple[str, int]] = []
    for text, line in printed:
        for part in text.splitlines(keepends=True):
            open_line = parts and not parts[-1][0].endswith("\n")
            parts.append((parts.pop()[0] + part if open_line else part, line))
    parts.reverse()
    calls = _print_calls(source)
    lines: list[int] = []
    for text in output.splitlines():
        if parts and parts[-1][0].rstrip("\n") == text:
            lines.append(parts.pop()[1])
            continue
        candidates = {line for line, words in calls if words.search(text)}
        if len(candidates) == 1:
            lines.append(candidates.pop())
        else:
            lines.append(lines[-1] if lines and text.lstrip().startswith("[") else 0)
    return lines


def _print_calls(source: str) -> list[tuple[int, re.Pattern[str]]]:
    """Return the lines of calls of methods ``print``, and patterns of their words."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # it ended the program
        return []
    calls = []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".print"):
            words = [
                part.value.strip()
                for argument in call.args
                for part in ast.walk(argument)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            if any(words):
                pattern = re.compile(".*".join(map(re.escape, words)))
                calls.append((call.lineno, pattern))
    return calls
