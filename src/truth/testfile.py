"""The tests of a page's sentences, as their file states them: read, never run.

A test names its sentences by their first words::

    @says("The slope of …", "Read the backward lines from …")

What a test's verdict depends on is its *key*: the code that it reaches, the programs
and files that it names, the harness, the locked packages. Neither the sentences nor
the rest of the file belong to it, so a better wording runs nothing again.
"""

import ast
import copy
import json
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from pathlib import Path

from . import sample, sentences
from .page import LEDGER, Page

FOLDER = "tests/statements"
"""Where the tests are that try the sentences of pages."""
MARKS = ("definition", "advice", "history", "pointer")
"""Groups of sentences that no test tries, by why."""
MORE = "…"
"""Ends a reference that has only the first words of its sentence."""

_SOURCE = Path(__file__).resolve().parents[1]
_HARNESS = ("tries.py", "evidence.py")
_HARNESS_NAMES = {
    *("GradientTape", "watch", "gradient", "gradients"),
    *("function", "jit_compile", "ForwardAccumulator", "jvp"),
}
"""The API by which the modes have a gradient computed."""
_PACKAGES = {each.parent.name for each in _SOURCE.glob("*/__init__.py")}
_IMPORT = re.compile(
    r"^\s*(?:from|import)\b.*|-m['\", ]+[\w.]+|import_module\(.*", re.MULTILINE
)
_FILE = re.compile(
    r"[\w./-]*\w\.(?:py|out|live|md|toml|yml|txt|json|jinja|css|js)\b|\bMakefile\b"
)
_READS_PROGRAMS = {"program", "trace", "source", "drawn", "folder"}
_READS_FOLDERS = re.compile(
    r"\b(?:i?r?glob|iterdir|(?<!ast\.)walk|listdir|scandir)\(|\bfolder\.parents?\b"
)
_OTHER_NAMES = re.compile(
    r"\bf['\"]|\b(?:program|trace|source|drawn)\((?!['\"][^'\"]*\.(?:py|out)['\"]\s*\))"
)
"""A program of the page may be named in a way that can't be read off."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_HARNESS_IMPORT = re.compile(
    r"(?m)^from truth\.statements(?:\.tries import \*| import tries)$"
)


@dataclass(frozen=True)
class Reference:
    """The first words of a sentence, or all of it, as a test quotes it."""

    text: str
    line: int
    node: ast.Constant | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Test:
    """One test with the sentences that it tries, or the sentences under one mark."""

    __test__ = False  # nothing for pytest

    name: str
    line: int
    references: tuple[Reference, ...]
    was: tuple[str, ...] = ()
    """How sentences read before a counterexample was found."""

    @property
    def is_mark(self) -> bool:
        return self.name in MARKS


def file_of(page: Page) -> Path:
    """Where the sentences of a page are tried."""
    shown = page.path.relative_to(page.settings.docs_dir).with_suffix(".py")
    return page.root / FOLDER / shown


class Tests:
    """The tests in the file of one page, or in ``source`` instead of it; raises
    SyntaxError if they can't be parsed."""

    __test__ = False  # nothing for pytest

    def __init__(self, page: Page, source: str | None = None) -> None:
        self.page = page
        self.path = file_of(page)
        self.shown = self.path.relative_to(page.root).as_posix()
        self.source = _text(self.path) if source is None else source
        self._body = ast.parse(self.source, self.shown).body
        self._codes: dict[str, str] = {}

    def __iter__(self) -> Iterator[Test]:
        return iter(self.all)

    @cached_property
    def all(self) -> list[Test]:
        found: list[Test] = []
        marked: dict[str, list[Reference]] = {}
        for node in self._body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                if any(each.name == node.name for each in found):
                    raise SyntaxError(
                        f"line {node.lineno}: another test has the name {node.name}"
                    )
                calls = [each for each in node.decorator_list if _called(each, "says")]
                found.append(
                    Test(
                        node.name,
                        node.lineno,
                        tuple(r for call in calls for r in _references(call)),
                        tuple(w for call in calls for w in _was(call)),
                    )
                )
            elif isinstance(node, ast.Expr) and _called(node.value, *MARKS):
                call = ast.unparse(node.value.func)  # type: ignore[attr-defined]
                kept = marked.setdefault(call.rpartition(".")[2], [])
                kept += _references(node.value)
        return found + [
            Test(name, its[0].line if its else 1, tuple(its))
            for name, its in marked.items()
        ]

    def assertions(self, test: Test) -> set[int]:
        """The lines of the assertions in a test's own body: AutoGraph runs those of a
        function within it from another text."""
        found: set[int] = set()
        left: list[ast.AST] = [
            each for each in self._body if getattr(each, "name", "") == test.name
        ]
        while left:
            for each in ast.iter_child_nodes(left.pop()):
                if isinstance(each, ast.Assert):
                    found.add(each.lineno)
                elif not isinstance(each, ast.FunctionDef | ast.expr):
                    left.append(each)
        return found

    # What a verdict depends on.

    def reads_folders(self, test: Test) -> bool:
        """Whether a verdict depends on all files of the project, and fits no lock."""
        return _READS_FOLDERS.search(self.code(test.name)) is not None

    def key(self, test: Test) -> str:
        """The digest of all that a test's verdict depends on."""
        code = self.code(test.name)
        return f"{_digest(code)}-{self._ground(code)}-{_around()}"

    def ground(self) -> str:
        """The digest of what all verdicts of the file depend on, beside the file."""
        return f"{self._ground(self.source)}-{_around()}"

    def _ground(self, code: str) -> str:
        """The digest of the files that some code reads, as far as it can be told."""
        files = self._files(code)
        for package in sorted(self.packages(code)):
            files += sorted((_SOURCE / package).rglob("*.py"))
        parts = [(os.path.relpath(path, self.page.root), _text(path)) for path in files]
        if _READS_FOLDERS.search(code):
            parts.append(("", _project(self.page.root)))
        return _digest(*(each for part in parts for each in part))

    def packages(self, code: str) -> set[str]:
        """The project's packages, beside the harness, that some code and its programs
        import or start, and what these import."""
        programs = [_text(p) for p in self._files(code) if p.suffix == ".py"]
        left = set().union(*map(_imports, [_HARNESS_IMPORT.sub("", code), *programs]))
        found: set[str] = set()
        while left:
            found |= left
            left = set().union(*map(_imports_of, left)) - found
        return found

    def names(self, test: Test) -> set[str]:
        """The identifiers that a test, what it calls in its file, and the programs that
        it runs mention."""
        code = self.code(test.name)
        named = [_text(each) for each in self._files(code) if each.suffix == ".py"]
        return {*_WORD.findall(" ".join([code, *named])), *_HARNESS_NAMES}

    def _files(self, code: str) -> list[Path]:
        page = self.page
        own = page.settings.snippets_dir / page.path.relative_to(
            page.settings.docs_dir
        ).with_suffix("")
        if {*_WORD.findall(code)} & _READS_PROGRAMS and _OTHER_NAMES.search(code):
            found = {p for p in own.rglob("*.*") if p.suffix in (".py", ".out")}
        else:
            found = set()
        book = page.settings
        places = (own, page.root, page.path.parent, book.docs_dir, book.snippets_dir)
        for name in _FILE.findall(code):
            for place in places:
                path = Path(os.path.normpath(place / name))
                for each in (path, path.with_suffix(".py"), path.with_suffix(".out")):
                    if each.is_file() and each.is_relative_to(page.root):
                        found.add(each)
        return sorted(found - {page.root / LEDGER})  # each run may write that anew

    def code(self, name: str) -> str:
        """The statements of the file that a function reaches, without references."""
        if name not in self._codes:
            reached = sorted(self._reached(name))
            self._codes[name] = "\n".join(self._texts[at] for at in reached)
        return self._codes[name]

    def _reached(self, name: str) -> set[int]:
        reached = {at for at, names in enumerate(self._bound) if not names}
        wanted = {name}
        for at in reached:
            wanted |= self._used[at]
        done: set[str] = set()
        while left := wanted - done:
            done |= left
            for at in {at for each in left for at in self._binds.get(each, ())}:
                if at not in reached:
                    reached.add(at)
                    wanted |= self._used[at]
        return reached

    @cached_property
    def _texts(self) -> list[str]:
        return [_unquoted(node) for node in self._body]

    @cached_property
    def _bound(self) -> list[set[str]]:
        """The names that each statement binds; none: it acts, and all depend on it."""
        return [_binds(node) for node in self._body]

    @cached_property
    def _binds(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, names in enumerate(self._bound):
            for name in names:
                found.setdefault(name, []).append(at)
        return found

    @cached_property
    def _used(self) -> list[set[str]]:
        return [{*_WORD.findall(text)} for text in self._texts]


def tested(page: Page, *marks: str) -> list[tuple[range, str]]:
    """Where the sentences of a page stand that tests try, and the code that each test
    reaches; also those under some marks."""
    if not page.path.is_relative_to(page.settings.docs_dir):
        return []
    try:
        tests = Tests(page)
    except SyntaxError:
        return []
    found = sentences.of(page)
    return [
        (found[at].span, "" if test.is_mark else tests.code(test.name))
        for test in tests
        if not test.is_mark or test.name in marks
        for reference in test.references
        for at in sentences.named(reference.text, found)
    ]


def _called(node: ast.AST, *names: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return ast.unparse(node.func).rpartition(".")[2] in names


def _references(call: ast.AST) -> list[Reference]:
    found = []
    for each in call.args if isinstance(call, ast.Call) else []:
        if not isinstance(each, ast.Constant) or not isinstance(each.value, str):
            raise SyntaxError(f"line {each.lineno}: a sentence is named by a string")
        found.append(Reference(each.value, each.lineno, each))
    return found


def _was(call: ast.AST) -> tuple[str, ...]:
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        if keyword.arg == "was":
            try:
                said = ast.literal_eval(keyword.value)
                return (said,) if isinstance(said, str) else tuple(said)
            except (TypeError, ValueError):
                raise SyntaxError(f"line {keyword.lineno}: was= is a string") from None
    return ()


def _unquoted(node: ast.stmt) -> str:
    """A statement's text without the sentences that it quotes, and without comments."""
    if isinstance(node, ast.Expr) and _called(node.value, *MARKS):
        return ""
    if isinstance(node, ast.FunctionDef):
        kept = [each for each in node.decorator_list if not _called(each, "says")]
        node = copy.copy(node)
        node.decorator_list = kept
    return ast.unparse(node)


def _binds(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {each.asname or each.name.partition(".")[0] for each in node.names}
        return set() if "*" in names else names
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        stored = [
            each
            for target in targets
            for each in ast.walk(target)
            if isinstance(getattr(each, "ctx", None), ast.Store)
        ]
        names = {each.id for each in stored if isinstance(each, ast.Name)}
        # What stores into something, or only for its effect, acts on what others use.
        acts = any(isinstance(each, ast.Subscript | ast.Attribute) for each in stored)
        return set() if acts or names == {"_"} else names
    return set()


def _imports(text: str) -> set[str]:
    """The project's packages that some code imports or starts."""
    named = " ".join(_IMPORT.findall(text))
    return {*_WORD.findall(named)} & _PACKAGES


@cache
def _imports_of(package: str) -> set[str]:
    return _imports("\n".join(map(_text, (_SOURCE / package).rglob("*.py"))))


def code_of(key: str) -> str:
    """The part of a key that is the test's own code."""
    return key.partition("-")[0]


@lru_cache(maxsize=4)
def _project(root: Path) -> str:
    """Every file that a test may find by looking through the project's folders."""
    parts = ("docs", "snippets", "tests", "src")
    files = sorted(
        path
        for part in parts
        for path in (root / part).rglob("*")
        if path.suffix in (".md", ".py", ".out", ".toml") and path.is_file()
    )
    made = root / LEDGER
    return _digest(
        *(f"{path.relative_to(root)} {_text(path)}" for path in files if path != made)
    )


@lru_cache(maxsize=1)
def _around() -> str:
    """What every verdict depends on: the harness, the packages, and the settings."""
    here = Path(__file__).parent / "statements"
    return _digest(
        *(_text(here / name) for name in _HARNESS),
        sample.packages(),
        json.dumps(sample.chosen()),
        platform.python_version_tuple()[1],
        platform.machine(),
        os.environ.get("TRUTH_TIMES", ""),
        os.environ.get("TRUTH_SEED", ""),
    )[:8]


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:12]
