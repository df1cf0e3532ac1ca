"""How pytest finds and runs the inline Python fences of the pages.

The plugin pytest-markdown-docs collects and reports them; this file tells it
how the site writes fences, and has the engine run them.
"""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from pytest_markdown_docs._runners import DefaultRunner, register_runner
from pytest_markdown_docs.definitions import FenceTestDefinition

from tracebook import includes, settings
from tracebook.runner import Run, Runner
from tracebook.snippet import Snippet

ROOT = Path(__file__).resolve().parent
SETTINGS = settings.load(ROOT)

# Notebooks and snippets are programs.
collect_ignore_glob = ["docs/*.py", "snippets/*.py"]

_PYTHON = re.compile(r"[{\s.]*py(thon)?3?\b", re.IGNORECASE)
_TITLE = r"""(title|hl_lines|linenums|data-plot)=("[^"]*"|'[^']*')"""
_HEADER = re.compile(
    rf"python(\s+{_TITLE})*|\{{\s*\.python(\s+(notest|continuation|\.wrong|\.open|{_TITLE}))*\s*\}}"
)


def pytest_markdown_docs_markdown_it() -> MarkdownIt:
    """A parser that sees fences, at any depth, and nothing else.

    Tabs, admonitions and list items indent their fences; CommonMark takes
    many of those for indented code or for text.
    """
    parser = MarkdownIt("zero").enable(["fence", "blockquote"])
    parser.block.ruler.at("paragraph", _skip_line)
    parser.core.ruler.after("block", "judge_fences", _judge_fences)
    return parser


def _skip_line(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    state.line = line + 1
    return True


def _judge_fences(state: StateCore) -> None:
    """Leave embedded snippets to tracebook; refuse what could hide a fence."""
    page = state.src.split("\n")
    problems = []
    for token in state.tokens:
        if token.type != "fence" or not _PYTHON.match(token.info):
            continue
        first, last = token.map or (0, 0)
        lines = [line for line in page[first + 1 : last - 1] if line.strip()]
        embeds = [each.name for each in includes.find("\n".join(lines))]
        problem = None
        if not _HEADER.fullmatch(token.info.strip()):
            problem = 'write ```python title="…" or ```{.python option}'
        elif embeds and len(embeds) < len(lines):
            problem = "a fence embeds a snippet or holds code, not both"
        elif not all(name.endswith(".py") for name in embeds):
            problem = "a Python fence embeds a program of snippets/, NAME.py"
        elif embeds:
            token.info = "{.python notest}"
        if problem:
            problems.append(f"line {first + 1}: {problem}")
    if problems:
        raise pytest.Collector.CollectError("\n".join(problems))


class FenceFailure(Exception):
    """What the engine reported of a fence."""


class _Fences:
    """One engine for all fences of a session, started when the first runs."""

    runner: Runner | None = None


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Stop the engine. Pages without inline fences keep the promise, too."""
    if _Fences.runner:
        _Fences.runner.close()
    if (
        session.config.option.markdowndocs
        and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
    ):
        session.exitstatus = pytest.ExitCode.OK


@register_runner(default=True)
class EngineRunner(DefaultRunner):
    """Runs each fence as the engine runs a snippet: alone, as ``__main__``.

    The plugin runs a fence twice if its runner raises TypeError; this one
    raises FenceFailure alone.
    """

    def runtest(
        self, test: FenceTestDefinition, args: dict, *, asyncio_runner=None
    ) -> None:
        page = Path(test.source_path)
        # The source begins with as many empty lines as the page has above it.
        fence = Snippet(
            path=page,
            name=page.name,
            label=page.relative_to(ROOT).as_posix(),
            source=test.source,
            raises=None,
            rel=SETTINGS.rel,
        )
        runs: list[Run] = []
        _Fences.runner = _Fences.runner or Runner(SETTINGS)
        _Fences.runner.run([fence], lambda _, run: runs.append(run))
        if runs[0].problem:
            [run] = runs
            line = max(run.line, test.start_line)
            raise FenceFailure(
                f"{fence.label}:{line}: {run.problem}\nIt printed:\n{run.output}"
            )

    def repr_failure(
        self, test: FenceTestDefinition, excinfo: pytest.ExceptionInfo, style=None
    ) -> str:
        if isinstance(excinfo.value, FenceFailure):
            return str(excinfo.value)
        return super().repr_failure(test, excinfo, style)
