"""The claims of a page, and the tests that try them.

A claim is a sentence about TensorFlow's behavior that reaches beyond the runs shown. A
page marks it as emphasized text with an id, in standard Markdown::

    *A tape identifies tensors by object identity.*{#identity}

Its test is ``test_identity`` in ``tests/claims/``, in the file that has the page's
path.
Each claim has one test, each test has one claim, and each test has a contrast: a block
``with contrast("by name"):`` whose assertions fail if the neighboring sentence were
true.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mathml.source import blanked
from tracebook import files, fingerprint
from tracebook.fingerprint import digest
from tracebook.store import Store

from . import share
from .finding import Finding
from .page import Page

FOLDER = Path("tests/claims")
_CLAIM = re.compile(
    r"(?<![*\\\w])\*(?![*\s])(?P<text>(?:[^*]|\*\*(?!\*)[^*]+\*\*)+?)(?<!\s)\*"
    r"\{ ?#(?P<id>[\w-]+)[^}\n]*\}"
)
_PROGRAM = re.compile(r"[\"']([\w/-]+)\.(?:py|out)[\"']")
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True)
class Claim:
    """A claim on a page."""

    id: str
    text: str
    """Its Markdown, on one line."""
    line: int
    span: tuple[int, int]
    """Offsets into the page's text, without the marks."""

    @property
    def test(self) -> str:
        """The name of its test."""
        return f"test_{self.id.replace('-', '_')}"


@dataclass(frozen=True)
class Contrast:
    """A contrast of a test, and the number of assertions in its block."""

    words: str
    line: int
    assertions: int


@dataclass(frozen=True)
class ClaimTest:
    """A test in the file of a page."""

    name: str
    line: int
    code: str
    """The function, with its decorators."""
    contrasts: tuple[Contrast, ...]
    assertions: int
    """How many stand outside of the contrasts."""
    helpers: str = ""
    """What else of its file it uses: functions and constants."""


def claims(page: Page) -> list[Claim]:
    """Return the claims of a page, in their order."""
    masked = _masked(page)
    found = []
    for match in _CLAIM.finditer(masked):
        text = page.text[slice(*match.span("text"))]
        line = page.line(match.start())
        found.append(
            Claim(match["id"], " ".join(text.split()), line, match.span("text"))
        )
    return found


def _masked(page: Page) -> str:
    """The text with letters in place of code and formulas, which may hold stars."""
    masked = blanked(page.without_fences, page.comments)
    for piece in (*page.codes, *page.formulas):
        start, end = piece.span
        letters = re.sub(r"[^\n]", "x", masked[start:end])
        masked = masked[:start] + letters + masked[end:]
    return masked


def test_file(page: Page) -> Path:
    """Return the path of the page's test file, which may not exist."""
    below = page.path.relative_to(page.settings.docs_dir).with_suffix(".py")
    return page.root / FOLDER / below


def tests(path: Path) -> list[ClaimTest]:
    """Read the tests of a file, in their order, without running it.

    Args:
        path: a file of Python, which may not exist.

    Raises:
        SyntaxError: the file isn't Python.
    """
    source = path.read_text("utf-8") if path.is_file() else ""
    return tests_of(source, str(path))


def tests_of(source: str, name: str = "<tests>") -> list[ClaimTest]:
    """Read the tests in a text; ``name`` is for the message of a SyntaxError."""
    lines = source.splitlines()
    body = ast.parse(source, name).body
    helpers = {target: _code(node, lines) for node in body for target in _defines(node)}
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            contrasts = tuple(_contrasts(node))
            inside = sum(contrast.assertions for contrast in contrasts)
            code = _code(node, lines)
            found.append(
                ClaimTest(
                    node.name,
                    node.lineno,
                    code,
                    contrasts,
                    _assertions(node) - inside,
                    "\n\n".join(_used(code, helpers)),
                )
            )
    return found


def _code(node: ast.stmt, lines: list[str]) -> str:
    """Return the lines of a statement, with its decorators."""
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno])


def _defines(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a test file defines for its tests."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [] if node.name.startswith("test_") else [node.name]
    if isinstance(node, ast.Assign):
        stored = [part for target in node.targets for part in ast.walk(target)]
        return [part.id for part in stored if isinstance(part, ast.Name)]
    return []


def _used(code: str, helpers: dict[str, str]) -> list[str]:
    """Return the code of the helpers that some code uses, also by way of others."""
    used: dict[str, str] = {}
    waiting = [code]
    while waiting:
        names = {*re.findall(r"\w+", waiting.pop())}
        for name in sorted(names & helpers.keys() - used.keys()):
            used[name] = helpers[name]
            waiting.append(helpers[name])
    return [*dict.fromkeys(used.values())]


def _contrasts(node: ast.AST) -> Iterator[Contrast]:
    for block in ast.walk(node):
        if not isinstance(block, ast.With):
            continue
        for item in block.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "contrast":
                words = ast.literal_eval(call.args[0]) if call.args else ""
                yield Contrast(words, block.lineno, _assertions(block))


def _assertions(node: ast.AST) -> int:
    """Count assertions, and calls of pytest.raises."""
    return sum(
        isinstance(part, ast.Assert)
        or (isinstance(part, ast.Call) and ast.unparse(part.func) == "pytest.raises")
        for part in ast.walk(node)
    )


def problems(page: Page) -> Iterator[Finding]:
    """Find what is wrong with claims and tests before any test runs."""
    path = test_file(page)
    shown = path.relative_to(page.root).as_posix()
    marked = claims(page)
    try:
        written = tests(path)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        yield _failed(page, f"{shown}:{line}", shown, f"cannot be read: {error}")
        return
    by_name = {test.name: test for test in written}
    ids = Counter(claim.id for claim in marked)
    for claim in marked:
        where = f"{page.label}:{claim.line}"
        if not _ID.fullmatch(claim.id):
            how = "an id has lower-case letters, digits and hyphens: {#keeps-identity}"
            yield _failed(page, where, claim.id, how)
        elif ids[claim.id] > 1:
            yield _failed(page, where, claim.id, "two claims of the page have this id")
        elif claim.test not in by_name:
            how = f"no test; write {claim.test} in {shown}"
            yield _failed(page, where, claim.text, how)
    for test in written:
        where = f"{shown}:{test.line}"
        if test.name not in {claim.test for claim in marked}:
            id_ = test.name.removeprefix("test_").replace("_", "-")
            how = f"no claim of {page.label} has the id {id_}"
            yield _failed(page, where, test.name, how)
        if by_name[test.name] is not test:
            yield _failed(page, where, test.name, "two tests have this name")
        if not test.contrasts:
            how = 'no contrast; add: with contrast("the false neighbor"): assert …'
            yield _failed(page, where, test.name, how)
        if not test.assertions:
            yield _failed(page, where, test.name, "no assertion beside its contrast")
        for contrast in test.contrasts:
            if not contrast.words or not contrast.assertions:
                how = "a contrast has words and an assertion"
                yield _failed(page, f"{shown}:{contrast.line}", test.name, how)


def check(pages: list[Page], root: Path) -> list[Finding]:
    """Try the claims of pages, as far as that wasn't done before.

    Args:
        pages: the pages to check.
        root: the project's folder.

    Returns:
        One finding for each claim, or the problems of a page that has some.
    """
    return [finding for page in pages for finding in _check_page(page)]


def is_known(page: Page) -> bool:
    """Whether the tests of a page ran as they are now, or there are none."""
    return not test_file(page).exists() or _known(page) is not None


def is_due(page: Page) -> bool:
    """Whether the tests of a page are to run today."""
    paths = page.label, test_file(page), page.settings.snippets_dir / page.name
    below = [os.path.relpath(path, page.root) for path in paths[1:]]
    return share.is_due(page.root, page.label, page.label, *below)


def _check_page(page: Page) -> Iterator[Finding]:
    if found := [*problems(page)]:
        yield from found
        return
    marked, path = claims(page), test_file(page)
    if not marked:
        return
    by_test = {record["test"]: record for record in _records(page)}
    shown = path.relative_to(page.root).as_posix()
    for claim in marked:
        where = f"{page.label}:{claim.line}"
        record = by_test.get(claim.test)
        if record is None or record["failures"] or not record["tried"]["cases"]:
            failures = record["failures"] if record else ["did not run"]
            how = f"{shown}::{claim.test}: {'; '.join(failures[:2]) or 'no case ran'}"
            yield _failed(page, where, claim.text, how)
            continue
        yield Finding(
            "claim",
            "tried",
            page.label,
            where,
            claim.text,
            tried(record),
            f"{shown}:{record['line']}",
            record["tried"]["cases"],
            name=claim.id,
        )


def _records(page: Page) -> list[dict]:
    """Return what the tests of a page tried, from the store or from a run."""
    known = None if share.everything() else _known(page)
    if known is not None:
        return known
    records = _run(test_file(page), page.root)
    if records and not any(record["failures"] for record in records):
        _store(page).put(_KIND, key(page), records)
    return records


def _known(page: Page) -> list[dict] | None:
    return _store(page).get(_KIND, key(page))


_KIND = "claim tests"


def _store(page: Page) -> Store:
    return Store(page.settings.store_path)


def key(page: Page) -> str:
    """Return a digest of all that the tests of a page's claims depend on."""
    test = test_file(page)
    source = test.read_text("utf-8", "replace") if test.is_file() else ""
    snippets = page.settings.snippets_dir
    programs = {*files.below(snippets / page.name)}
    for name in _PROGRAM.findall(source):
        programs |= {snippets / f"{name}.py", snippets / f"{name}.out"}
    shared = sorted((page.root / "tests/harness").glob("*.py"))
    paths = [test, page.root / FOLDER / "conftest.py", *shared, *sorted(programs)]
    parts = [
        part
        for path in paths
        if path.is_file()
        for part in (path.name, path.read_bytes())
    ]
    return digest(fingerprint.environment(), fingerprint.code("vjpcheck"), *parts)


def tried(record: dict) -> str:
    """Tell what a test tried: ``25 places × 4 dtypes, 96 cases; contrast: by name``."""
    tried = record["tried"]
    sizes = " × ".join(
        f"{len(tried[kind])} {kind}"
        for kind in ("places", "dtypes", "shapes")
        if len(tried[kind]) > 1
    )
    cases = f"{tried['cases']} case{'s' * (tried['cases'] != 1)}"
    contrasts = "; ".join(f"contrast: {words}" for words in tried["contrasts"])
    return f"{', '.join(filter(None, (sizes, cases)))}; {contrasts}"


def _run(path: Path, root: Path) -> list[dict]:
    """Run pytest on one file in a new process, and return its records."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "records.json"
        command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
        command += ["-p", "no:xdist", "-p", "no:markdown-docs", "--no-header"]
        command += ["--confcutdir", str(root / FOLDER), "--record", str(report)]
        done = subprocess.run(
            [*command, str(path)],
            cwd=root,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if not report.is_file():
            raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}")
        return json.loads(report.read_text("utf-8"))


def _failed(page: Page, where: str, what: str, how: str) -> Finding:
    return Finding("claim", "failed", page.label, where, what, how)
