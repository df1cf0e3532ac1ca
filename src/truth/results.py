"""The store of results, and their keys: digests of all that a result depends on."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gradients.client import GradientResult
from store import fingerprint
from store.database import Store, path_of
from store.fingerprint import digest
from tracebook import files, settings
from tracebook.snippet import Snippet

from . import claims
from .finding import Finding
from .page import BIBLIOGRAPHY, FILE_NAME, LEDGER, Page

AGREEMENT, CLAIMS, NUMBERS, STRUCTURE = "agreement", "claims", "numbers", "structure"
CHECKS = (CLAIMS, "formulas", "quotes", STRUCTURE, NUMBERS, AGREEMENT)
"""The checks of pages; the slowest first."""

_PROGRAM, _CLAIM_TESTS, _GRADIENT = "program", "claim tests", "custom gradient"
_CODE_OF_PROGRAMS = ("gradients", "sliders", "store", "tracebook", "vjpcheck")
_CODE_OF_PAGES = (*_CODE_OF_PROGRAMS, "algebra", "mathml", "truth")
_WRITTEN = (LEDGER, "site", ".venv", ".cache")
"""Folders that a check or a build writes."""
_RELATED = ((".py", ".out"), (".out", ".py"), (".py", ".live"))
"""An output belongs to its program, and the inputs of readers to both."""


@dataclass(frozen=True)
class ProgramResult:
    """The result of a program that ran."""

    ran: bool
    """True if it ran and printed its output."""
    gradients: list[GradientResult]
    """The results for its custom gradients."""
    local_values: list
    """The values of its variables, as ``Observation`` has them."""

    @property
    def passed(self) -> bool:
        """Return whether it ran, and no custom gradient failed."""
        return self.ran and all(each.state != "failed" for each in self.gradients)

    @property
    def is_checked(self) -> bool:
        """Return whether all its custom gradients were compared with differences."""
        return all(each.state != "not run" for each in self.gradients)


class Results:
    """The results of a project's pages and programs."""

    def __init__(self, root: Path) -> None:
        self._settings = settings.load(root)
        self._store = Store(path_of(self._settings.root))
        self.keys = Keys(root)

    def findings(self, check: str, page: Page) -> list[Finding] | None:
        """Return what a check found on a page, or None if it didn't run."""
        records = self._store.get(check, self.keys.of_page(check, page))
        return None if records is None else [Finding(**record) for record in records]

    def keep(self, check: str, key: str, findings: Iterable[Finding]) -> None:
        """Keep what a check found on a page, under the key of what it read."""
        self._store.put(check, key, [asdict(finding) for finding in findings])

    def program(self, program: Snippet) -> ProgramResult | None:
        """Return the result of a program, or None if it didn't run."""
        record = self._store.get(
            _PROGRAM, self.keys.of_program(program.name, program.digests)
        )
        if record is None:
            return None
        gradients = [GradientResult(**result) for result in record.pop("gradients")]
        return ProgramResult(**record, gradients=gradients)

    def keep_program(self, key: str, result: ProgramResult) -> None:
        """Keep the result of a program, under the key of what ran."""
        self._store.put(_PROGRAM, key, asdict(result))

    def claim_tests(self, page: Page) -> list[dict[str, Any]] | None:
        """Return the records of the tests of a page's claims, or None."""
        return self._store.get(_CLAIM_TESTS, self.keys.of_claim_tests(page))

    def keep_claim_tests(self, key: str, records: list[dict[str, Any]]) -> None:
        """Keep the records of the tests of a page's claims."""
        self._store.put(_CLAIM_TESTS, key, records)

    def programs(self, page: Page) -> dict[str, ProgramResult | None]:
        """Return the results of the programs that a page shows, by their names."""
        return {name: self.program(each) for name, each in page.programs.items()}

    def all_findings(self, page: Page) -> list[Finding]:
        """Return what all checks found on a page, and on its custom gradients."""
        findings = [f for check in CHECKS for f in self.findings(check, page) or ()]
        for program in page.programs.values():
            result = self.program(program)
            for gradient in result.gradients if result else ():
                location = f"{program.label}:{gradient.line}"
                state, text, detail = gradient.state, gradient.text, gradient.detail
                findings.append(Finding(_GRADIENT, state, location, text, detail))
        return findings

    def is_complete(self, page: Page) -> bool:
        """Return whether every check of a page ran; claims may wait for their day."""
        required = [check for check in CHECKS if check != CLAIMS]
        is_checked = all(self.findings(c, page) is not None for c in required)
        return is_checked and all(self.programs(page).values())

    def demand_space(self) -> None:
        """Raise OSError if results can't be kept, before there are any."""
        path = path_of(self._settings.root).with_name("space")
        files.write(path, bytes(1_000_000))
        path.unlink(missing_ok=True)
        self._store.put("space", "", 0)


class Keys:
    """The keys of a project's results."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._settings = settings.load(root)
        self._digests: dict[tuple[Page, Callable], str] = {}

    def of_page(self, check: str, page: Page) -> str:
        """Return the key of what a check finds on a page."""
        parts: list[str | bytes] = [self._world(_CODE_OF_PAGES), page.source]
        if check == STRUCTURE:  # the menu, and what the page may cite
            bibliography = page.settings.docs_dir / BIBLIOGRAPHY
            parts += [page.read(self._root / "mkdocs.yml"), page.read(bibliography)]
        if check in (CLAIMS, NUMBERS):
            parts.append(self.of_claim_tests(page))
        return digest(*parts, page.label, self._digest(page, Keys._named_files))

    def _digest(self, page: Page, parts: Callable) -> str:
        if (page, parts) not in self._digests:
            self._digests[page, parts] = digest(*parts(self, page))
        return self._digests[page, parts]

    def _named_files(self, page: Page) -> Iterator[str | bytes]:
        for path in self._paths_in(page):
            if os.path.isfile(f"{self._root}/{path}"):
                yield from (path, page.read(self._root / path))

    def of_program(self, name: str, digests: tuple[str, str]) -> str:
        """Return the key of the result of a program, from digests of the text that ran
        and of the output that it was compared with."""
        return digest(self._world(_CODE_OF_PROGRAMS), name, *digests)

    def of_claim_tests(self, page: Page) -> str:
        """Return the key of the records of the tests of a page's claims."""
        return self._digest(page, Keys._files_of_tests)

    def _files_of_tests(self, page: Page) -> Iterator[str | bytes]:
        test, folder = claims.test_path(page), self._root / claims.FOLDER
        snippets = page.settings.snippets_dir
        programs = {*files.below(snippets / page.name)}
        for name in claims.PROGRAM.findall(page.read_text(test)):
            programs |= {snippets / f"{name}.py", snippets / f"{name}.out"}
        harness = sorted((self._root / "tests/harness").glob("*.py"))
        paths = [test, folder / "conftest.py", *harness, *sorted(programs)]
        yield from (fingerprint.environment(), fingerprint.code("vjpcheck"))
        for path in paths:
            yield from (path.name, page.read(path))

    def _world(self, code: tuple[str, ...]) -> str:
        options = repr(replace(self._settings, root=Path()))
        return digest(fingerprint.environment(), fingerprint.code(*code), options)

    def _paths_in(self, page: Page) -> list[str]:
        """Return the paths at which the files that a page names could be."""
        snippets = self._settings.snippets_dir
        folders = (self._root, snippets, snippets / page.name, page.path.parent)
        paths = _paths(page.source, self._root, folders)
        figures = self._settings.label(self._settings.figures_dir)
        written = tuple(f"{folder}/" for folder in (*_WRITTEN, figures))
        return [path for path in paths if not f"{path}/".startswith(written)]


@lru_cache(maxsize=1 << 10)
def _paths(text: str, root: Path, folders: tuple[Path, ...]) -> list[str]:
    names = {*FILE_NAME.findall(text)}
    for suffix, related in _RELATED:
        names |= {n.removesuffix(suffix) + related for n in names if n.endswith(suffix)}
    # A deliberately wrong program belongs to the right one above it.
    names |= {name.replace("wrong/", "") for name in names}
    below = [os.path.relpath(folder, root) for folder in folders]
    joined = {os.path.join(folder, name) for folder in below for name in names}
    return sorted({*map(os.path.normpath, joined)})
