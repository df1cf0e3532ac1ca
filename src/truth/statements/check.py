"""Whether the sentences of a page withstand the tests that try them.

``tests/statements/`` has a file of tests for each page, and beside it a lock. Three
things fail: a sentence that was changed since it was reviewed with its test, a test
that refutes what it tries, and a sentence that says a number, a name or a message that
its test doesn't supply. So does a sentence that speaks of more than one run and has no
test: on the lessons, the guide, the systems, and each page with a file of tests; of all
other sentences there nine in ten have one, too.
"""

import contextlib
import gc
import importlib.util
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from .. import sample, sentences
from ..errors import BadFile
from ..finding import Finding
from ..page import Page
from ..sentences import Sentence
from ..testfile import FOLDER, Reference, Test, Tests, file_of
from . import evidence, lock, tokens
from .evidence import Evidence
from .lock import Entry, Lock
from .verdicts import Verdict, Verdicts

STRICT = ("guide/", "lessons/", "systems/")
MOST_UNCHECKED = 0.1
"""Share of a page's sentences that may be without a test."""
_KILLED = {128 + signal.SIGTERM, 128 + signal.SIGINT}
_ALIKE = 0.75
"""From this similarity on, two sentences count as one, whatever their tests."""
_SHOWN = 100
"""Letters of a sentence that are shown beside others."""


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [each for page in pages if not page.is_generated for each in Check(page)]


@dataclass
class Tried:
    """A test with its sentences, and what came of it."""

    test: Test
    sentences: list[int] = field(default_factory=list)
    key: str = ""
    verdict: Verdict | None = None
    """From a run here, now or before; None: from the lock, or it failed."""
    over: str = ""
    """In how many cases it held, and over what."""
    day: str = ""
    """When it held, where only the lock knows."""
    cases: int = 0
    failure: str = ""


class Check:
    """What is found of one page; of the tests whose name has ``only``, if given."""

    def __init__(self, page: Page, only: str = "", source: str | None = None) -> None:
        self.page, self._only = page, only
        text = sentences.of(page)
        self._in_text = len(text)
        self.sentences = [*text, *sentences.headings(page)]
        self.problems: list[Finding] = []
        try:
            self.tests = Tests(page, source)
            _ = self.tests.all
            self.lock = lock.load(lock.path_of(page))
            if self.lock and not self.tests.all:
                raise BadFile(f"{self.tests.shown} has no tests, and its lock is there")
        except (SyntaxError, OSError) as error:
            self.tests, self.lock = Tests(page, ""), {}
            self.problems.append(
                self._failed(file_of(page), 1, "cannot be read", error)
            )
        self.tried = [self._resolved(each) for each in self.tests]
        self._verdicts = Verdicts(page)

    def __iter__(self) -> Iterator[Finding]:
        if self.problems:
            yield from self.problems
            return
        if not self._only and (unreviewed := [*self.unreviewed()]):
            yield from unreviewed  # at once, without a run
            yield from self.untested()
            return
        self.run([each for each in self.tried if self._only in each.test.name])
        for each in self.tried:
            if self._only in each.test.name:
                yield from self._found(each)
        if not self._only:
            yield from self.without_support()
            yield from self.untested()

    # What is known without a run.

    def _resolved(self, test: Test) -> Tried:
        tried = Tried(test)
        for reference in test.references:
            found = sentences.named(reference.text, self.text)
            texts = {self.sentences[at].text for at in found}
            if len(texts) == 1:
                tried.sentences += found
                continue
            how = (
                f"begins {len(texts)} sentences; write more of its words"
                if texts
                else "begins no sentence of the page; name the sentence by its first"
                f" words, or run: python -m truth accept {self.page.shown}"
            )
            self.problems.append(
                self._failed(self.tests.path, reference.line, reference.text, how)
            )
        return tried

    @property
    def text(self) -> list[Sentence]:
        """The sentences that can be tested: all but headings."""
        return self.sentences[: self._in_text]

    @cached_property
    def tested(self) -> set[int]:
        return {at for each in self.tried for at in each.sentences}

    @cached_property
    def groups(self) -> dict[str, list[int]]:
        """The sentences under each name of the lock."""
        found = {each.test.name: each.sentences for each in self.tried}
        rest = [at for at in range(len(self.sentences)) if at not in self.tested]
        return found | ({lock.UNTESTED: rest} if self.tests.all else {})

    def changed(self) -> Iterator[tuple[str, int]]:
        """Each sentence that isn't as it was reviewed, by the test that tries it."""
        for name, its in self.groups.items():
            reviewed = self.lock.get(name, Entry()).sentences
            for at in dict.fromkeys(its):
                if lock.digest(self.sentences[at].text) not in reviewed:
                    yield name, at

    def place_of(self, name: str) -> str:
        """A test and where it stands; of a mark, its name."""
        for each in self.tests:
            if each.name == name:
                return f"{name} ({self.tests.shown}:{each.line})"
        return name

    def unreviewed(self) -> Iterator[Finding]:
        changed: dict[int, list[str]] = {}
        for name, at in self.changed():
            changed.setdefault(at, []).append(name)
        before = Before(self) if changed else None
        for at, names in changed.items():
            sentence = self.sentences[at]
            was = before.of(at) if before else ""
            tests = ", ".join(map(self.place_of, names))
            how = "not reviewed with its test as it is now\n"
            how += f"    was: {was}\n" if was else ""
            how += (
                f"    test: {tests}\n    run: python -m truth accept {self.page.shown}"
            )
            yield self._of_sentence("failed", sentence, how)

    # Runs.

    def run(
        self, wanted: list[Tried], *, for_evidence: bool = False, may_run: bool = True
    ) -> None:
        """Have a verdict on each test, by a run only where none is known."""
        to_run = []
        for each in wanted:
            if each.test.is_mark or each.verdict or each.failure:
                continue
            each.key = self.tests.key(each.test)
            if verdict := self._verdicts.get(each.test.name, each.key):
                self._held(each, verdict)
            elif not for_evidence and self._is_locked(each):
                entry = self.lock[each.test.name]
                each.cases, each.day = entry.cases, entry.day
            else:
                to_run.append(each)
        if to_run and may_run:
            self._run(to_run)

    def _is_locked(self, each: Tried) -> bool:
        entry = self.lock.get(each.test.name)
        return (
            entry is not None
            and entry.key == each.key
            and not sample.tries_again(self.page.shown, each.test.name)
        )

    def _held(self, each: Tried, verdict: Verdict) -> None:
        each.verdict, each.cases, each.failure = verdict, verdict.cases, ""
        each.over = f"{verdict.cases} cases: {verdict.over}"

    def _run(self, wanted: list[Tried]) -> None:
        collector = evidence.Collector()
        try:
            functions = _read(self.tests, self.page, collector)
        except Exception as error:
            for each in wanted:
                each.failure = f"its file cannot be read: {_said(error)}"
            return
        for each in wanted:
            collector.clear()
            test = functions[each.test.name]
            each.failure = _failure(test)
            if each.failure:
                continue
            tried = getattr(test, "tried", None)
            if tried and not tried.cases:
                each.failure = "tried no case: a list that it goes through is empty"
                continue
            if unreached := self.tests.assertions(each.test) - collector.reached:
                each.failure = (
                    f"the assertion in line {min(unreached)} was never reached: a loop"
                    " over nothing, or a branch that no case takes"
                )
                continue
            if not collector.reached:
                each.failure = "asserts nothing"
                continue
            verdict = Verdict(
                each.key,
                tried.cases if tried else 1,
                str(tried or "one run"),
                collector.evidence(),
            )
            self._held(each, verdict)
            self._verdicts.keep(each.test.name, verdict)

    # Findings.

    def _found(self, each: Tried) -> Iterator[Finding]:
        if each.test.is_mark:
            for at in each.sentences:
                sentence = self.sentences[at]
                yield self._of_sentence("definition", sentence, each.test.name)
            return
        if each.failure:
            says = "".join(
                f"\n    it tries: {_short(self.sentences[at].text)}"
                for at in each.sentences
            )
            yield self._failed(
                self.tests.path, each.test.line, each.test.name, each.failure + says
            )
            return
        how = each.over or f"{each.cases} cases"
        how += "".join(f"; was {was}" for was in each.test.was)
        for at in each.sentences:
            found = self._of_sentence("tried", self.sentences[at], how, each.cases)
            yield replace(found, day=each.day)

    @cached_property
    def shown(self) -> str:
        """What programs of the page print."""
        return "\n".join(
            path.read_text("utf-8", "replace") for path in self.page.embedded(".out")
        )

    def unsupported(self) -> dict[int, list[tokens.Token]]:
        """The tokens of each sentence that no test supplies, if its tests ran here."""
        by_sentence: dict[int, list[Tried]] = {}
        for each in self.tried:
            for at in each.sentences:
                by_sentence.setdefault(at, []).append(each)
        found = {}
        for at, tests in by_sentence.items():
            if any(not each.verdict and not each.test.is_mark for each in tests):
                continue
            by = [
                (each.verdict.evidence, self._names(each.test))
                for each in tests
                if each.verdict
            ]
            text = self.sentences[at].text
            found[at] = tokens.unsupplied(text, by, self.shown)
        if self.tests.all:
            for at in self.groups[lock.UNTESTED]:
                found[at] = tokens.unsupplied(
                    self.sentences[at].text, [(Evidence(), ())], self.shown
                )
        return found

    def _names(self, test: Test) -> set[str]:
        if test.name not in self._of_names:
            self._of_names[test.name] = self.tests.names(test)
        return self._of_names[test.name]

    @cached_property
    def _of_names(self) -> dict[str, set[str]]:
        return {}

    def tests_of(self, at: int) -> list[str]:
        """The names in the lock under which a sentence stands."""
        return [name for name, its in self.groups.items() if at in its]

    def unsaid(self, at: int, missing: list[tokens.Token]) -> list[str]:
        """Those of the tokens that no test supplies which weren't reviewed, either."""
        entries = [self.lock.get(name, Entry()) for name in self.tests_of(at)]
        allowed = {said for entry in entries for said in entry.reviewed}
        return [str(each) for each in missing if str(each) not in allowed]

    def without_support(self) -> Iterator[Finding]:
        for at, missing in self.unsupported().items():
            if left := self.unsaid(at, missing):
                how = (
                    f"says {', '.join(left)}, and no assertion of"
                    f" {', '.join(self.tests_of(at))} does; assert it, or correct the"
                    " sentence"
                )
                yield self._of_sentence("failed", self.sentences[at], how)

    def untested(self) -> Iterator[Finding]:
        """Sentences that need a test and have none."""
        name = file_of(self.page).relative_to(self.page.root / FOLDER).as_posix()
        shown = f"{FOLDER}/{name}"
        strict = name.startswith(STRICT) or bool(self.tests.all)
        none = (
            f"no test in {shown} names it"
            if self.tests.all
            else f"there is no {shown} to try it"
        )
        others = []
        for at, each in enumerate(self.text):
            if at in self.tested or each.asks:
                continue
            if each.is_universal:
                state = "failed" if strict else "unchecked"
                word = sentences.UNIVERSAL.search(each.text)
                how = (
                    f"needs a test, because “{word[0] if word else ''}” speaks of more"
                    f" than one run; {none}"
                )
                yield self._of_sentence(state, each, how)
            else:
                others.append(each)
        may_be = max(1, int(MOST_UNCHECKED * len(self.text)))
        many = strict and len(others) > may_be
        for each in others:
            how = none
            if many:
                how += f"; {len(others)} of {len(self.text)} are without one"
                how += f", {may_be} may be"
            yield self._of_sentence("failed" if many else "unchecked", each, how)

    def _of_sentence(
        self, state: str, sentence: Sentence, how: str, cases: int = 0
    ) -> Finding:
        return Finding(
            "statement",
            state,
            self.page.shown,
            sentence.where,
            sentence.text,
            how,
            self.tests.shown,
            cases,
        )

    def _failed(
        self, path: Path, line: int, what: str, how: str | Exception
    ) -> Finding:
        where = f"{path.relative_to(self.page.root).as_posix()}:{line}"
        how = _said(how) if isinstance(how, Exception) else how
        return Finding("statement", "failed", self.page.shown, where, what, how)

    # Locks.

    def entries(self, reviewed: dict[str, list[str]]) -> Lock:
        """The lock as it is after a review, with the tokens that were only reviewed."""
        found: Lock = {}
        for each in self.tried:
            old = self.lock.get(each.test.name, Entry())
            entry = found[each.test.name] = Entry(old.key, old.day, old.cases)
            if each.failure or (
                not each.test.is_mark and self.tests.reads_folders(each.test)
            ):
                entry.key = entry.day = ""
            elif each.verdict and each.key != old.key:
                entry.key, entry.cases = each.key, each.verdict.cases
                entry.day = date.today().isoformat()
        for name, its in self.groups.items():
            entry = found.setdefault(name, Entry())
            digests = (lock.digest(self.sentences[at].text) for at in its)
            entry.sentences = [*dict.fromkeys(digests)]
            entry.reviewed = reviewed.get(name, [])
        return {name: its for name, its in found.items() if its.sentences or its.key}


class Before:
    """The sentences of a page when its lock was last committed, as far as Git knows;
    or of other texts of it."""

    def __init__(self, check: Check, pages: list[Page] | None = None) -> None:
        self._check = check
        self.pages = _committed(check.page) if pages is None else pages
        texts = [
            each.text
            for old in self.pages
            for each in (*sentences.of(old), *sentences.headings(old))
        ]
        now = {each.text for each in check.sentences}
        self.gone = [*dict.fromkeys(each for each in texts if each not in now)]

    def of(self, at: int) -> str:
        """The earlier wording of the sentence at a place: the most similar one that its
        tests tried, or else one that is nearly the same."""
        text, entries = self._check.sentences[at].text, self._check.lock
        names = self._check.tests_of(at)
        tried = {d for name in names for d in entries.get(name, Entry()).sentences}
        own = [each for each in self.gone if lock.digest(each) in tried]
        return nearest(text, own) or nearest(text, self.gone, _ALIKE)


def nearest(text: str, others: list[str], least: float = 0.45) -> str:
    """The most similar of some texts, or none."""
    import difflib

    found = difflib.get_close_matches(text, others, 1, least)
    return found[0] if found else ""


def _committed(page: Page) -> list[Page]:
    """The page as of the commit that last wrote its lock, or as of the last one."""
    import subprocess

    def git(*words: str) -> str:
        with contextlib.suppress(OSError):
            done = subprocess.run(
                ["git", *words],
                cwd=page.root,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
            )
            return done.stdout if done.returncode == 0 else ""
        return ""

    path = lock.path_of(page).relative_to(page.root).as_posix()
    at = git("log", "-1", "--format=%H", "--", path).strip() or "HEAD"
    text = git("show", f"{at}:./{page.shown}")
    return [Page(page.path, page.root, text)] if text else []


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN].rpartition(" ")[0] + " …"


def _read(
    tests: Tests, page: Page, collector: evidence.Collector
) -> dict[str, Callable[[], None]]:
    """The functions of a file of tests; imports TensorFlow."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with silence():  # TensorFlow says of what its numbers depend
        from . import lambdas, tries

    lambdas.parse_once()
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    tries.forget()
    folder = tests.path.relative_to(page.root / FOLDER).with_suffix("")
    tries.folder = page.settings.snippets_dir / folder
    name = "statements_" + "_".join(folder.parts)
    spec = importlib.util.spec_from_file_location(name, tests.path)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    vars(module).update(evidence.names_for(collector))
    exec(evidence.compiled(tests.source, tests.path), vars(module))
    # So that a test that collects garbage doesn't go through all of TensorFlow.
    gc.collect()
    gc.freeze()
    return {
        each.name: vars(module)[each.name] for each in tests.all if not each.is_mark
    }


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


def _failure(test: Callable[[], None]) -> str:
    """Why a test failed; empty where it held."""
    try:
        with silence():
            test()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what pytest skips by, and an exit
        if isinstance(error, SystemExit) and error.code in _KILLED:
            raise
        how = "refuted" if isinstance(error, AssertionError) else "ends in an error"
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{how}: {_said(error)} at line {frame.lineno}: {frame.line}"
    return ""


def _said(error: BaseException) -> str:
    if isinstance(error, OSError):  # it names its file and line
        return str(error)
    return " ".join("".join(traceback.format_exception_only(error)).split())


__all__ = ["Before", "Check", "Reference", "Tried", "check", "nearest"]
