"""Names in backticks: of the API, of files, and of what a program calls its own.

- ``tf.…``, ``keras.…``, ``np.…``, and the methods of what is named after its
  class, ``tape.gradient``, resolve in the installed version; a call that is shown
  binds to the installed signature.
- A file name is a file of the project, and ``make`` has the target it is given.
- Anything else is code of the page: it stands in a program or a trace that the
  page embeds, as a whole, or else each of its names and numbers does. A page
  without programs speaks of all of them, and of the project's own files.

A name that the writer makes up is declared in a comment at the end of the block,
``<!-- own: upstreams -->``, and counts as a definition.

``python -m truth.prose.names`` answers questions about the installed packages, so that
the process which asks does not import them.
"""

import ast
import atexit
import builtins
import inspect
import json
import keyword
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ..finding import Finding
from ..page import Page, Piece

_ROOTS = {
    "tf": "tensorflow",
    "keras": "keras",
    "np": "numpy",
    "sys": "sys",
    "os": "os",
    "math": "math",
}
_NAMED_AFTER = {
    "tape": "tf.GradientTape",
    "accumulator": "tf.autodiff.ForwardAccumulator",
    "optimizer": "keras.optimizers.Optimizer",
    "layer": "keras.layers.Layer",
    "model": "keras.Model",
    "variable": "tf.Variable",
}
"""Objects that prose and programs name after their class."""

_API = re.compile(rf"@?(?:{'|'.join([*_ROOTS, *_NAMED_AFTER])})\.")
_DOTTED = re.compile(rf"{_API.pattern}\w+(?:\.\w+)*")
_COMMAND = re.compile(r"(?:\S*/)?(?:python3?|make|git|pip|pytest|sh|uv|py)\s")
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt)\b")
_FILE = re.compile(
    r"[\w./-]*\.(?:py|out|md|toml|txt|yml|yaml|json|css|html|cff)"
    r"|\.?\w[\w./-]*/"
)
_WORD = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e-?\d+)?|\.\d+")
_KNOWN = {
    *keyword.kwlist,
    *keyword.softkwlist,
    *dir(builtins),
    "inf",
    "nan",
    "NaN",
    "__main__",
}
_TYPES = {"grad", "upstream", "downstream"}
"""The words of every rule's type, ``grad :: upstream(y) → downstream(x)``."""
_PROJECT = (
    "*.yml",
    "*.toml",
    "*.md",
    "Makefile",
    ".gitignore",
    "requirements.txt",
    "src/tracebook/*.py",
    "tests/drills/*.py",
    "tests/benchmarks/*.py",
)


def is_code(text: str) -> bool:
    """Whether a span is Python, a type or a command, however many its words."""
    if "::" in text or _COMMAND.match(text):
        return True
    return any(
        _parses(form.format(text.strip()))
        for form in ("{}", "{}: pass", "{}\n    pass")
    )


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def is_message(text: str) -> bool:
    """Whether a span quotes a message: an exception, or four words, no code."""
    if _EXCEPTION.search(text):
        return not _API.match(text)
    return len(text.split()) >= 4 and not is_code(text)


# What is installed.


Answer = tuple[str, list[str]]


class _Installed:
    """A process that has imported the packages, and remembers its answers."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None
        self._known: dict[tuple[str, str], Answer] = {}

    def ask(self, kind: str, text: str) -> Answer:
        """Of a name or a call (``call``) the problem and the parameters; of a name
        (``doc``) the docstring, and nothing."""
        if (kind, text) not in self._known:
            imported = "tensorflow" in sys.modules  # by another check
            answer = _answer if imported else self._said
            self._known[kind, text] = answer(kind, text)
        return self._known[kind, text]

    def _said(self, kind: str, text: str) -> Answer:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "truth.prose.names"],
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=Path(__file__).parents[2],
                env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            )
            atexit.register(self.close)
        asked, answers = self._process.stdin, self._process.stdout
        assert asked and answers  # they are pipes
        print(json.dumps([kind, text]), file=asked, flush=True)
        return json.loads(answers.readline())

    def close(self) -> None:
        if self._process:
            self._process.communicate()
            self._process = None


installed = _Installed()


def _answer(kind: str, text: str) -> Answer:
    if kind == "doc":
        thing, problem = _resolved(text)
        return "" if problem else inspect.getdoc(thing) or "", []
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.Call):
        return _resolved(text)[1], []
    thing, problem = _resolved(ast.unparse(tree.func))
    if problem:
        return problem, []
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):  # written in C, without a signature
        return "", []
    if any(isinstance(a, ast.Starred) for a in tree.args) or any(
        k.arg is None for k in tree.keywords
    ):
        return "", list(signature.parameters)
    # A method is found on a class, and called on what is named after that.
    owner = ast.unparse(tree.func).rpartition(".")[0]
    bound_first = [None] * (owner in _NAMED_AFTER)
    keywords = {str(k.arg): k for k in tree.keywords}
    try:
        signature.bind(*bound_first, *tree.args, **keywords)
    except TypeError as error:
        return f"does not fit the installed signature {signature}: {error}", []
    return "", list(signature.parameters)


@cache
def _module(name: str) -> ModuleType:
    return __import__(name)


def _resolved(name: str) -> tuple[Any, str]:
    """What a dotted name is, and what is wrong with it."""
    first, *attributes = name.split(".")
    if first in _NAMED_AFTER:
        return _resolved(".".join([_NAMED_AFTER[first], *attributes]))
    thing: Any = _module(_ROOTS[first])
    for number, attribute in enumerate(attributes, 1):
        try:
            thing = getattr(thing, attribute)
        except AttributeError:
            there = ".".join([first, *attributes[:number]])
            return None, f"the installed version has no {there}"
    return thing, ""


def _serve() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        try:
            answer = _answer(*json.loads(line))
        except Exception as error:  # of whatever an attribute may do
            answer = f"{type(error).__name__}: {error}", []
        print(json.dumps(answer), file=answers, flush=True)


# The check.


class _Corpus:
    """The text in which a page's names are looked for."""

    def __init__(self, texts: list[str]) -> None:
        self._text = " ".join(" ".join(texts).split())
        self._words = set(_WORD.findall(self._text))
        self._values = {float(word) for word in self._words if word[0] in ".0123456789"}

    def has(self, span: str) -> bool:
        """Whether a span stands there as a whole, as words stand."""
        return re.search(rf"(?<!\w){re.escape(span)}(?!\w)", self._text) is not None

    def missing(self, span: str) -> list[str]:
        return [
            word
            for word in _WORD.findall(span)
            if word not in self._words
            and word not in _KNOWN
            and not self._is_number(word)
        ]

    def _is_number(self, word: str) -> bool:
        return word[0] in ".0123456789" and float(word) in self._values


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [
        finding
        for page in pages
        if not page.is_generated
        for finding in _Names(page, root).findings()
    ]


class _Names:
    """The spans of one page."""

    def __init__(self, page: Page, root: Path) -> None:
        self._page, self._root = page, root
        self._corpus = _corpus_of(page, root)

    def findings(self) -> Iterator[Finding]:
        for code in self._page.codes:
            span = " ".join(code.text.split())
            if is_message(span):
                continue
            state, how = self._judge(code, span)
            yield Finding(
                "name", state, self._page.shown, self._page.where(code.start), span, how
            )

    def _judge(self, code: Piece, span: str) -> tuple[str, str]:
        if _API.match(span):
            return self._api(span.removeprefix("@"))
        if _COMMAND.match(span):
            return self._command(span)
        if _FILE.fullmatch(span) and (problem := self._file(span)) is not None:
            return problem
        if self._corpus.has(span):
            return "compared", "stands in a program or a trace"
        missing = [
            word
            for word in self._corpus.missing(span)
            if not ("::" in span and word in _TYPES)
        ]
        own = {
            word
            for said in self._page.says("own", code.start)
            for word in _WORD.findall(said)
        }
        if missing and set(missing) <= own:
            return "definition", "a name of the writer's own"
        if missing or not _WORD.search(span):
            return "failed", (
                f"no program or trace of the page has {', '.join(missing) or span}"
            )
        return "compared", "its names stand in programs and traces"

    def _api(self, span: str) -> tuple[str, str]:
        try:
            tree = ast.parse(span, mode="eval").body
        except SyntaxError:
            return "failed", "is no expression"
        calls = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.Call) and _DOTTED.fullmatch(ast.unparse(n.func))
        ]
        called = {id(n.func) for n in calls}
        inner = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        names = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute)
            and id(n) not in called | inner
            and _DOTTED.fullmatch(ast.unparse(n))
        ]
        for part in (*calls, *names):
            problem, parameters = installed.ask("call", ast.unparse(part))
            if problem:
                return "failed", problem
            strange = [
                word
                for argument in getattr(part, "args", ())
                for word in self._corpus.missing(ast.unparse(argument))
                if word not in parameters
            ]
            if strange:
                return "failed", (
                    f"{', '.join(strange)}: neither a parameter nor in"
                    " a program of the page"
                )
        return "compared", "resolves in the installed version"

    def _file(self, span: str) -> tuple[str, str] | None:
        """None: not a name that a file could have."""
        if self._page.named(span):
            return "compared", "is a file"
        if self._corpus.has(span) or re.search(r"\b[A-Z]+\.", span):
            return None
        return "failed", "no such file"

    def _command(self, span: str) -> tuple[str, str]:
        """A target of make, or a module and words that it knows; no others are run."""
        program, *words = span.split()
        if "/" in program and not (self._root / program).exists():
            return "failed", f"there is no {program}"
        if program == "make":
            makefile = _read(self._root / "Makefile")
            for word in words:
                if not re.search(rf"^{re.escape(word)}\b.*:", makefile, re.MULTILINE):
                    return "failed", f"no such target: {word}"
            return "compared", "a target of make"
        if "-m" not in words[:-1]:
            return "unchecked", "a command that no machine has tried"
        name, *more = words[words.index("-m") + 1 :]
        module = name.replace(".", "/")
        code = [
            path
            for folder in (self._root, self._root / "src")
            for end in (".py", "/__main__.py")
            if (path := folder / f"{module}{end}").exists()
        ]
        if not code:
            return "failed", "no such module"
        known = _read(code[0])
        for word in more:
            if not (f'"{word}"' in known or (self._root / word).exists()):
                return "failed", f"{name} does not know {word}"
        return "compared", "a module, and words that it knows"


def _corpus_of(page: Page, root: Path) -> _Corpus:
    texts = [
        *(fence.text for fence in page.fences),
        *(code.text for code in page.codes if _COMMAND.match(code.text)),
    ]
    if page.path.suffix == ".py":
        texts.append(page.source)
    elif not page.embeds:
        texts += _whole(root, page.settings.snippets)
    return _Corpus([*texts, *map(_read, sorted(page.embedded()))])


@cache
def _whole(root: Path, snippets: str) -> list[str]:
    """All snippets, and what the project's own files say."""
    paths = [
        path
        for pattern in (f"{snippets}/**/*.*", *_PROJECT)
        for path in sorted(root.glob(pattern))
    ]
    return [_read(path) for path in paths if path.suffix != ".svg"]


@cache
def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


if __name__ == "__main__":
    _serve()
