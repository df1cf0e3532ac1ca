"""Check the claims of a page: run their tests, unless they ran before."""

import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from . import claims, due
from .claims import failure
from .finding import Finding
from .page import Page
from .results import Results


def check(page: Page) -> list[Finding]:
    """Return a finding for each claim of a page, or its problems if it has some."""
    return [*claims.problems(page)] or [*_findings(page)]


def is_known(page: Page) -> bool:
    """Return whether the tests of a page ran as they are, or there are none."""
    is_known = Results(page.root).claim_tests(page) is not None
    return is_known or not claims.test_path(page).exists()


def is_due(page: Page) -> bool:
    """Return whether the tests of a page are to run today."""
    paths = claims.test_path(page), page.settings.snippets_dir / page.name
    labels = [os.path.relpath(path, page.root) for path in paths]
    return due.is_due(page.root, page.label, page.label, *labels)


def _findings(page: Page) -> Iterator[Finding]:
    marked = claims.find_claims(page)
    label = claims.test_path(page).relative_to(page.root).as_posix()
    records = {record["test"]: record for record in _records(page)} if marked else {}
    tests = claims.parse_tests(page.read_text(claims.test_path(page)))
    asserted = {test.name: test.lines for test in tests}
    for claim in marked:
        location = f"{page.label}:{claim.line}"
        record = records.get(claim.test)
        failures = record["failures"] if record else ["did not run"]
        if record and (own := asserted[claim.test]) and not own & {*record["passed"]}:
            failures = failures or ["reached no assertion beside its contrast"]
        if record is None or failures or not record["tried"]["cases"]:
            reason = "; ".join(failures[:2]) or "no case ran"
            yield failure(location, claim.text, f"{label}::{claim.test}: {reason}")
        else:
            detail, cases = _summary(record["tried"]), record["tried"]["cases"]
            named = claim.id, f"{label}:{record['line']}"
            yield Finding("claim", "tried", location, claim.text, detail, cases, *named)


def _records(page: Page) -> list[dict[str, Any]]:
    """Return what the tests of a page tried, from the store or from a run."""
    results = Results(page.root)
    cached = None if due.is_everything() else results.claim_tests(page)
    if cached is not None:
        return cached
    key = results.keys.of_claim_tests(page)
    records = _run(claims.test_path(page), page.root)
    # pytest read the files again, and somebody may have edited them before that.
    is_same = results.keys.of_claim_tests(Page(page.path, page.root)) == key
    if records and is_same and not any(record["failures"] for record in records):
        results.keep_claim_tests(key, records)
    return records


def _summary(record: dict[str, Any]) -> str:
    """Return ``25 places × 4 dtypes, 96 cases; contrast: by name``."""
    kinds = [kind for kind in ("places", "dtypes", "shapes") if len(record[kind]) > 1]
    sizes = " × ".join(f"{len(record[kind])} {kind}" for kind in kinds)
    cases = f"{record['cases']} case{'s' * (record['cases'] != 1)}"
    contrasts = "; ".join(f"contrast: {words}" for words in record["contrasts"])
    return f"{', '.join(filter(None, (sizes, cases)))}; {contrasts}"


def _run(path: Path, root: Path) -> list[dict[str, Any]]:
    """Run pytest on one file in a new process, and return its records."""
    with tempfile.TemporaryDirectory() as folder:
        report, printed = Path(folder) / "records.json", Path(folder) / "printed"
        plain = "-q --no-header -p no:cacheprovider -p no:xdist -p no:markdown-docs"
        options = [*plain.split(), "-o", "enable_assertion_pass_hook=true"]
        options += ["--record", str(report), str(path)]
        options += ["--confcutdir", str(root / claims.FOLDER)]
        process = _context().Process(target=_pytest, args=(options, root, printed))
        process.start()
        process.join()
        if process.exitcode not in (0, 1) or not report.is_file():
            text = printed.read_text("utf-8", "replace") if printed.exists() else ""
            raise OSError(f"{path}: pytest ended with {process.exitcode}:\n{text}")
        return json.loads(report.read_text("utf-8"))


@cache
def _context() -> Any:
    """Return how processes start: where forks are safe, with TensorFlow imported."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["hypothesis", "pytest", "tensorflow"])
    stderr = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # TensorFlow logs its import
    forkserver.ensure_running()
    os.dup2(stderr, 2)
    return context


def _pytest(options: list[str], root: Path, printed: Path) -> None:
    """Run pytest in a child, and keep what it prints in a file."""
    import pytest

    with printed.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(root)
    sys.path.insert(0, str(root))
    sys.pycache_prefix = str(printed.parent)  # pytest would take what lacks its hook
    sys.exit(pytest.main(options))
