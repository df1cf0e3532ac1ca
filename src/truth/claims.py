"""Read the claims of a page, and their tests.

A claim is a sentence about TensorFlow's behavior that reaches beyond the runs shown. A
page marks it as emphasized text with an id, in standard Markdown::

    *A tape identifies tensors by object identity.*{#identity}

Its one test is ``test_identity`` in ``tests/claims/``, in the file that has the page's
path. The test has a contrast: a block ``with contrast("by name"):`` whose assertions
would fail if the neighboring sentence were true.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mathml.source import blanked

from .finding import Finding
from .page import Page

FOLDER = Path("tests/claims")
_CLAIM = re.compile(
    r"(?<![*\\\w])\*(?![*\s])(?P<text>(?:[^*]|\*\*(?!\*)[^*]+\*\*)+?)(?<!\s)\*"
    r"\{ ?#(?P<id>[\w-]+)[^{}\n]*\}"
)
_LOOK_ALIKE = re.compile(r"(?m)^(?![ >]*#).*?[*_]\s*(\{[^{}\n]*#[\w-]+[^{}\n]*\})")
PROGRAM = re.compile(r"[\"']([\w/-]+)\.(?:py|out)[\"']")
"""The name of a program in a test file."""
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
    """A contrast of a test."""

    words: str
    line: int
    end: int
    assertions: int
    """The number of assertions in its block."""


@dataclass(frozen=True)
class ClaimTest:
    """A test in the file of a page."""

    name: str
    line: int
    code: str
    """The function, with its decorators."""
    contrasts: tuple[Contrast, ...]
    assertions: int
    """The number of assertions outside of the contrasts."""
    lines: set[int]
    """The lines of those that aren't calls of ``pytest.raises``."""
    helpers: str
    """The code of the functions and constants of its file that it uses."""


def find_claims(page: Page) -> list[Claim]:
    """Return the claims of a page, in order."""
    claims = []
    for match in _CLAIM.finditer(_masked(page)):
        span = match.span("text")
        text = " ".join(page.text[slice(*span)].split())
        claims.append(Claim(match["id"], text, page.line(match.start()), span))
    return claims


def _masked(page: Page) -> str:
    """Return the text with letters for code and formulas, which may have stars."""
    text = blanked(page.without_fences, page.comments)
    for start, end in [piece.span for piece in (*page.codes, *page.formulas)]:
        text = text[:start] + re.sub(r"[^\n]", "x", text[start:end]) + text[end:]
    return text


def test_path(page: Page) -> Path:
    """Return the path of the page's test file, which may not exist."""
    below = page.path.relative_to(page.settings.docs_dir).with_suffix(".py")
    return page.root / FOLDER / below


def parse_tests(source: str) -> list[ClaimTest]:
    """Parse the text of a test file.

    Raises:
        SyntaxError: the text isn't Python.
    """
    lines, body = source.splitlines(), ast.parse(source).body
    helpers = {name: _code(node, lines) for node in body for name in _names(node)}
    return [
        _test(node, _code(node, lines), helpers)
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def _test(node: ast.FunctionDef, code: str, helpers: dict[str, str]) -> ClaimTest:
    contrasts = tuple(_contrasts(node))
    outside = _count_assertions(node) - sum(c.assertions for c in contrasts)
    lines = {*_assertions(node)}.difference(*(range(c.line, c.end) for c in contrasts))
    used = "\n\n".join(_used(code, helpers))
    return ClaimTest(node.name, node.lineno, code, contrasts, outside, lines, used)


def _code(node: ast.stmt, lines: list[str]) -> str:
    """Return the lines of a statement, with its decorators."""
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno])


def _names(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a test file defines for its tests."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [] if node.name.startswith("test_") else [node.name]
    parts = [p for target in getattr(node, "targets", ()) for p in ast.walk(target)]
    return [part.id for part in parts if isinstance(part, ast.Name)]


def _used(code: str, helpers: dict[str, str]) -> list[str]:
    """Return the code of the helpers that some code uses, directly or indirectly."""
    used: dict[str, str] = {}
    waiting = [code]
    while waiting:
        words = {*re.findall(r"\w+", waiting.pop())}
        for name in sorted(words & helpers.keys() - used.keys()):
            used[name] = helpers[name]
            waiting.append(helpers[name])
    return [*dict.fromkeys(used.values())]


def _contrasts(node: ast.AST) -> Iterator[Contrast]:
    for block in [part for part in ast.walk(node) if isinstance(part, ast.With)]:
        for call in [item.context_expr for item in block.items]:
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "contrast":
                words = ast.literal_eval(call.args[0]) if call.args else ""
                end, count = (block.end_lineno or 0) + 1, _count_assertions(block)
                yield Contrast(words, call.lineno, end, count)


def _count_assertions(node: ast.AST) -> int:
    """Count the calls of ``pytest.raises``, and the assertions that can fail."""
    calls = [ast.unparse(p.func) for p in ast.walk(node) if isinstance(p, ast.Call)]
    return calls.count("pytest.raises") + len([*_assertions(node)])


def _assertions(node: ast.AST) -> Iterator[int]:
    """Yield the lines of assertions that can fail: not ``x == x``, and not ``True``."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert) and not isinstance(part.test, ast.Tuple):
            sides = re.split(" == | is ", text := ast.unparse(part.test))
            is_true = len(sides) > 1 == len({*sides}) or text.endswith(" or True")
            names = any(isinstance(name, ast.Name) for name in ast.walk(part.test))
            if names and not is_true:
                yield part.lineno


def problems(page: Page) -> Iterator[Finding]:
    """Find what is wrong with claims and tests before any test runs."""
    label = test_path(page).relative_to(page.root).as_posix()
    claims = find_claims(page)
    rest = _CLAIM.sub(lambda match: "x" * len(match[0]), _masked(page))
    for match in _LOOK_ALIKE.finditer(rest):
        location = f"{page.label}:{page.line(match.start(1))}"
        yield failure(location, match[1], "no claim; write *A sentence.*{#its-id}")
    try:
        tests = parse_tests(page.read_text(test_path(page)))
    except (SyntaxError, ValueError) as error:
        location = f"{label}:{getattr(error, 'lineno', None) or 1}"
        yield failure(location, label, f"cannot be read: {error}")
        return
    ids = Counter(claim.id for claim in claims)
    names = Counter(test.name for test in tests)
    for claim in claims:
        location = f"{page.label}:{claim.line}"
        if not _ID.fullmatch(claim.id):
            advice = "an id has lower-case letters, digits and hyphens: {#by-identity}"
            yield failure(location, claim.id, advice)
        elif ids[claim.id] > 1:
            yield failure(location, claim.id, "two claims of the page have this id")
        elif claim.test not in names:
            advice = f"no test; write {claim.test} in {label}"
            yield failure(location, claim.text, advice)
    for test in tests:
        id_ = test.name.removeprefix("test_").replace("_", "-")
        if id_ not in ids:
            detail = f"no claim of {page.label} has the id {id_}"
            yield failure(f"{label}:{test.line}", test.name, detail)
        if names[test.name] > 1:
            yield failure(f"{label}:{test.line}", test.name, "two tests have this name")
        yield from _problems_of_test(test, label)


def _problems_of_test(test: ClaimTest, label: str) -> Iterator[Finding]:
    location = f"{label}:{test.line}"
    if not test.contrasts:
        advice = 'no contrast; add: with contrast("the false neighbor"): assert …'
        yield failure(location, test.name, advice)
    if not test.assertions:
        yield failure(location, test.name, "no assertion beside its contrast")
    for contrast in test.contrasts:
        if not contrast.words or not contrast.assertions:
            advice = "a contrast has words and an assertion"
            yield failure(f"{label}:{contrast.line}", test.name, advice)


def failure(location: str, text: str, detail: str) -> Finding:
    """Return a finding on a claim or a test that failed."""
    return Finding("claim", "failed", location, text, detail)
