"""How pytest finds and runs the inline Python fences of the pages.

The plugin pytest-markdown-docs collects and reports them; this file tells it
how the site writes fences, and gives each a process of its own.
"""

import contextlib
import faulthandler
import importlib
import linecache
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import types
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from pymdownx.snippets import SnippetPreprocessor
from pytest_markdown_docs._runners import DefaultRunner, register_runner
from pytest_markdown_docs.definitions import FenceTestDefinition
from pytest_markdown_docs.plugin import MarkdownInlinePythonItem

from tracebook import settings

ROOT = Path(__file__).resolve().parent
SETTINGS = settings.load(ROOT)

# Notebooks and snippets are programs, not modules: others run them.
collect_ignore_glob = ["docs/*.py", "snippets/*.py"]

_PYTHON = re.compile(r"[{\s.]*py(thon)?3?\b", re.IGNORECASE)
_HEADER = re.compile(
    r"""python(\s+(title|hl_lines|linenums)=(["']).*?\3)*|\{\s*\.python\b[^{}]*\}"""
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
        lines = page[token.map[0] + 1:token.map[1] - 1]
        embeds = [found["snippet"] for line in lines
                  if (found := SnippetPreprocessor.RE_ALL_SNIPPETS.match(line))
                  and not found["escape"]]
        problem = None
        if not _HEADER.fullmatch(token.info.strip()):
            problem = 'write ```python title="…" or ```{.python option}'
        elif embeds and len(embeds) < sum(map(bool, map(str.strip, lines))):
            problem = "a fence embeds a snippet or holds code, not both"
        elif not all(re.search(r"\.py[:\"']", name or "") for name in embeds):
            problem = "a Python fence embeds a program of snippets/, NAME.py"
        elif embeds:
            token.info = "{.python notest}"
        if problem:
            problems.append(f"line {token.map[0] + 1}: {problem}")
    if problems:
        raise pytest.Collector.CollectError("\n".join(problems))


def pytest_configure(config: pytest.Config) -> None:
    """Keep quiet on fork: its child runs one fence, as in tracebook."""
    config.addinivalue_line(
        "filterwarnings", "ignore:This process .* is multi-threaded")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Import what the fences import, once for all their processes."""
    # Forking after an import is unsafe on macOS.
    if sys.platform != "linux" or session.config.option.collectonly:
        return
    code = "".join(item.code for item in session.items
                   if isinstance(item, MarkdownInlinePythonItem))
    for name in SETTINGS.preload:
        if name.partition(".")[0] in code:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Pages without inline fences keep the promise, too."""
    if (session.config.option.markdowndocs
            and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.OK


class FenceFailure(Exception):
    """What the process of a fence reported."""


@register_runner(default=True)
class ProcessRunner(DefaultRunner):
    """Runs each fence as ``__main__`` of a forked process, in an empty folder.

    The plugin runs a fence twice if its runner raises TypeError; this one
    raises FenceFailure alone.
    """

    def runtest(self, test: FenceTestDefinition, args: dict, *,
                asyncio_runner=None) -> None:
        with tempfile.TemporaryDirectory(
                prefix="fence-", ignore_cleanup_errors=True) as folder:
            scratch = Path(folder)
            (scratch / "work").mkdir()
            child = multiprocessing.get_context("fork").Process(
                target=self._run, args=(test, args, scratch))
            child.start()
            try:
                child.join()
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            report = scratch / "report"
            problem = (report.read_text("utf-8") if report.exists()
                       else _how_it_died(test, child.exitcode))
            if problem:
                printed = (scratch / "output").read_text("utf-8", "replace")
                # The stack of a fence that hangs goes on with our own frames.
                printed = printed.split(f'  File "{__file__}"')[0]
                raise FenceFailure(f"{problem}\nIt printed:\n{printed}")

    def repr_failure(self, test: FenceTestDefinition,
                     excinfo: pytest.ExceptionInfo, style=None) -> str:
        if isinstance(excinfo.value, FenceFailure):
            return str(excinfo.value)
        return super().repr_failure(test, excinfo, style)

    def _run(self, test: FenceTestDefinition, args: dict,
             scratch: Path) -> None:
        """Run a fence; write ``report``, which is empty if all is well."""
        os.setsid()
        _redirect(scratch / "output")
        faulthandler.register(signal.SIGALRM, file=2, chain=True)
        signal.alarm(int(SETTINGS.time_limit))
        work = scratch / "work"
        os.chdir(work)
        sys.path[:] = [str(work)] + [
            folder for folder in sys.path if Path(folder).resolve() != ROOT]
        path = str(test.source_path)
        lines = test.source.splitlines(keepends=True)
        linecache.cache[path] = (len(test.source), None, lines, path)
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        vars(main).update(args, __name__="__main__")
        report = ""
        try:
            exec(compile(test.source, path, "exec", dont_inherit=True),
                 vars(main))
        except BaseException as error:
            report = self.repr_failure(
                test, pytest.ExceptionInfo.from_exception(error))
        (scratch / "report").write_text(report, "utf-8")


def _redirect(output: Path) -> None:
    """Send both streams of this process, Python's and C's, to one file."""
    with output.open("wb") as stream, open(os.devnull, "rb") as empty:
        os.dup2(empty.fileno(), 0)
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    for name, number in (("stdout", 1), ("stderr", 2)):
        setattr(sys, name, open(number, "w", 1, "utf-8", closefd=False))


def _how_it_died(test: FenceTestDefinition, exit_code: int) -> str:
    if exit_code == -signal.SIGALRM:
        reason = f"did not finish within {SETTINGS.time_limit:g} seconds"
    elif exit_code < 0:
        reason = f"was killed by {signal.Signals(-exit_code).name}"
    else:
        reason = f"ended before its last line, with exit code {exit_code}"
    return f"{test.source_path}:{test.start_line}: this fence {reason}"
