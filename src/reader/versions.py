"""Python-Markdown extension that lists the versions with which each trace was compared.

A fold below a trace has the versions of this build, and the versions in
``docs/versions.json`` if program and trace are unchanged since they ran there.
``python -m tests.drills.matrix`` writes that file.
"""

import json
import platform
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from html import escape, unescape
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from markdown.postprocessors import Postprocessor

from . import generator
from .extension import maker

RESULTS = "versions.json"
"""File of results below the folder of pages."""
TRACE = "prints"
"""Title of the output of the program above it."""
_AFTER_RAW_HTML = 19
_BLOCK = re.compile(
    r'<span class="filename">(?P<title>[^<]*)</span>'
    r"<pre\b[^>]*>(?P<code>.*?)</pre>",
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")


class ResultsError(Exception):
    """The file of results is damaged. The message has its name."""


@dataclass(frozen=True)
class VersionMatrix:
    """Results of the programs with several versions of Python and TensorFlow."""

    programs: dict[str, str]
    """Digests of the programs and traces that ran, by name."""
    results: Sequence[dict[str, Any]]
    """Results of each environment, with both settings of oneDNN in a row."""
    digest: str = ""

    def outcomes(self, name: str, current: str) -> tuple[str, str]:
        """Describe the versions with which a program passed, and with which it failed.

        Both are empty if ``current``, the digest of the program and its trace on the
        page, isn't the one that ran. A setting of oneDNN is named if it matters.
        """
        if self.programs.get(name) != current:
            return "", ""
        results = [each for each in self.results if name not in each["untried"]]
        return _describe(results, name, True), _describe(results, name, False)


def _describe(results: list[dict[str, Any]], name: str, passed: bool) -> str:
    pythons = defaultdict(list)
    environment = itemgetter("tensorflow", "python")
    for (tensorflow, python), group in groupby(results, environment):
        runs = [*group]
        matching = [run for run in runs if (name not in run["problems"]) == passed]
        if matching:
            all_match = matching == runs
            suffix = "" if all_match else f" with oneDNN {matching[0]['one_dnn']}"
            pythons[tensorflow].append(python.rpartition(".")[0] + suffix)
    return "; ".join(
        f"{', '.join(tensorflows)} on Python {', '.join(versions)}"
        for versions, tensorflows in groupby(pythons, pythons.__getitem__)
    )


def digest(program: str, trace: str) -> str:
    """Return a digest of a program and its trace."""
    return sha256(f"{program.strip()}\0{trace.strip()}".encode()).hexdigest()[:12]


@cache
def packages() -> dict[str, str]:
    """Return the versions of the packages that programs of the site use, by name."""
    versions = {}
    for name in ("TensorFlow", "Keras", "NumPy"):
        with suppress(PackageNotFoundError):
            versions[name] = version(name.lower())
    return versions


def in_words(versions: Mapping[str, str]) -> str:
    """Return versions by name as text: ``TensorFlow 2.21.0, Keras 3.15.0``."""
    return ", ".join(f"{name} {number}" for name, number in versions.items())


class _VersionFolds(Postprocessor):
    def run(self, text: str) -> str:
        page = generator.page(self.md)
        matrix = load(generator.docs(self.md))
        if page is None or matrix is None:
            return text
        folder = page.removesuffix(".md")
        name = program = ""

        def add_fold(block: re.Match[str]) -> str:
            nonlocal name, program
            code = unescape(_TAG.sub("", block["code"]))
            if block["title"].endswith(".py"):
                name, program = f"{folder}/{block['title']}", code
            if block["title"] != TRACE or not name:
                return block[0]
            passed, failed = matrix.outcomes(name, digest(program, code))
            return block[0] + _fold(name, passed, failed)

        return _BLOCK.sub(add_fold, text)


def _fold(name: str, passed: str, failed: str) -> str:
    versions = packages() | {"Python": platform.python_version()}
    text = f"Built with {in_words(versions)}."
    text += f" Same output with TensorFlow {passed}." if passed else ""
    text += f" Different output with TensorFlow {failed}." if failed else ""
    return (
        f'<details class="holds" data-program="{escape(name)}" data-search-exclude>'
        f"<summary>versions</summary><p>{escape(text)}</p></details>"
    )


def load(docs: Path) -> VersionMatrix | None:
    """Return the results in the folder of pages, or None without a file of results.

    Raises:
        ResultsError: The file is damaged.
    """
    path = docs / RESULTS
    return _read(path, path.stat().st_mtime_ns) if path.exists() else None


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> VersionMatrix:
    try:
        content = path.read_bytes()
        data = json.loads(content.decode("utf-8"))
        digest = sha256(content).hexdigest()
        return VersionMatrix(data["programs"], data["results"], digest)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ResultsError(
            f"{path}: {error!r}; 'python -m tests.drills.matrix' writes it"
        ) from error


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return a digest of all results."""
    matrix = load(docs)
    return matrix.digest if matrix else ""


makeExtension = maker("versions", _VersionFolds, _AFTER_RAW_HTML)
