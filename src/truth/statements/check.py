"""Whether the sentences of a page withstand the tests that quote them.

``tests/statements/`` has a file for each page. A sentence that its page no longer
has fails there, and so does one that speaks of more than one run and that no test
quotes: on the lessons, the guide and each page with a file, where of all others nine
in ten are quoted, too.
"""

import contextlib
import difflib
import importlib.util
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import sentences
from ..finding import Finding
from ..page import Page
from ..results import STATEMENTS
from ..sentences import plain

STRICT = ("guide/", "lessons/", "systems/")
MOST_UNCHECKED = 0.1
"""Share of a page's sentences that may be unchecked."""


def file_of(page: Page) -> Path:
    """Where the statements of a page are tried."""
    shown = page.path.relative_to(page.settings.docs_dir).with_suffix(".py")
    return page.root / STATEMENTS / shown


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [each for page in pages if not page.is_generated for each in Check(page)]


class Check:
    """What is found of one page; of the tests whose name has ``only``, if given."""

    def __init__(self, page: Page, only: str = "") -> None:
        self._page, self._only = page, only
        self._sentences = sentences.of(page)
        self._path = file_of(page)
        self._shown = self._path.relative_to(page.root).as_posix()

    def __iter__(self) -> Iterator[Finding]:
        quoted: set[int] = set()
        try:
            stated = _read(self._path, self._page) if self._path.exists() else []
        except Exception as error:
            how = " ".join("".join(traceback.format_exception_only(error)).split())
            yield self._finding("failed", f"{self._shown}:1", "cannot be read", how)
            return
        for each in stated:
            if self._only and self._only not in getattr(each.test, "__name__", ""):
                continue
            where = f"{self._shown}:{each.line}"
            state, how, cases = _tried(each)
            for quote in each.quotes:
                found = sentences.having(plain(quote), self._sentences)
                quoted |= {*found}
                if not found:
                    yield self._finding(
                        "failed", where, quote, f"not on the page; {self._alike(quote)}"
                    )
                for at in found:
                    sentence = self._sentences[at]
                    place = where if state == "failed" else sentence.where
                    yield self._finding(state, place, sentence.text, how, cases)
        yield from () if self._only else self.unquoted(quoted)

    def unquoted(self, quoted: set[int]) -> Iterator[Finding]:
        name = self._path.relative_to(self._page.root / STATEMENTS).as_posix()
        strict = name.startswith(STRICT) or self._path.exists()
        quotes_it = (
            f"no test in {self._shown} quotes it"
            if self._path.exists()
            else f"there is no {self._shown} to quote it"
        )
        others = []
        for at, each in enumerate(self._sentences):
            if at in quoted or each.asks:
                continue
            if each.is_universal:
                state = "failed" if strict else "unchecked"
                how = f"speaks of more than one run; {quotes_it}"
                yield self._finding(state, each.where, each.text, how)
            else:
                others.append(each)
        may_be = max(1, int(MOST_UNCHECKED * len(self._sentences)))
        many = strict and len(others) > may_be
        for each in others:
            how = quotes_it
            if many:
                how += f"; {len(others)} of {len(self._sentences)} are without one"
                how += f", {may_be} may be"
            state = "failed" if many else "unchecked"
            yield self._finding(state, each.where, each.text, how)

    def _alike(self, quote: str) -> str:
        texts = [each.text for each in self._sentences]
        found = difflib.get_close_matches(plain(quote), texts, 1, 0.5)
        return f"it has: {found[0]}" if found else "nothing is like it"

    def _finding(
        self, state: str, where: str, what: str, how: str, cases: int = 0
    ) -> Finding:
        return Finding(
            "statement", state, self._page.shown, where, what, how, self._shown, cases
        )


def _read(path: Path, page: Page) -> list:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from . import tries  # imports TensorFlow

    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    tries.stated.clear()
    tries.forget()
    folder = path.relative_to(page.root / STATEMENTS).with_suffix("")
    tries.folder = page.settings.snippets_dir / folder
    name = "statements_" + "_".join(folder.parts)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return [*tries.stated]


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """What programs print while they are tried is not shown, not from C++ either."""
    kept = [os.dup(each) for each in (1, 2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        for each in (1, 2):
            os.dup2(nothing, each)
        yield
    finally:
        sys.stdout.flush()
        for each, was in zip((1, 2), kept):
            os.dup2(was, each)
            os.close(was)
        os.close(nothing)


def _tried(statement: Any) -> tuple[str, str, int]:
    """The state, how it was reached, and in how many cases."""
    if statement.mark:
        return "definition", statement.mark, 0
    try:
        with silence():
            statement.test()
    except Exception as error:
        said = [*traceback.format_exception_only(error)]
        frame = traceback.extract_tb(error.__traceback__)[-1]
        said.append(f"at line {frame.lineno}: {frame.line}")
        how = "refuted" if isinstance(error, AssertionError) else "its test ends in"
        return "failed", f"{how}: {' '.join(' '.join(said).split())}", 0
    was = "".join(f"; was {each}" for each in statement.was)
    cases = statement.tried.cases
    if not cases:
        return "failed", f"its test ran no case of {statement.tried}", 0
    return "tried", f"{cases} cases: {statement.tried}{was}", cases
