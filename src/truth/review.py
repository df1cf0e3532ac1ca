"""Show claims beside their tests: ``python -m truth review [BASE] [--sample N]``.

For each claim that changed since BASE, the old and the new wording, the words that
changed, the test, and its contrasts. A reviewer answers two questions: does the test
assert the sentence, and would it fail for the sentence that the contrast names? Git
holds the answer. ``--sample`` shows random claims instead. Exit codes: 0; 2 usage.
"""

import argparse
import difflib
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tracebook.settings import SettingsError

from . import claims
from .claims import Claim, ClaimTest
from .page import Page, all_pages

_WIDTH = 88


@dataclass(frozen=True)
class Pair:
    """A claim and its test, where they are there."""

    page: str
    claim: Claim | None
    test: ClaimTest | None


def main(words: list[str]) -> int:
    """Print the claims that a reviewer is to look at."""
    parser = argparse.ArgumentParser("python -m truth review", description=__doc__)
    parser.add_argument("base", nargs="?", default="HEAD", metavar="BASE")
    parser.add_argument("--sample", type=int, metavar="N", help="show N random claims")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    arguments = parser.parse_args(words)
    root = Path().resolve()
    pages = all_pages(root)
    if arguments.sample:
        pairs = [pair for page in pages for pair in _pairs(page) if pair.claim]
        chosen = random.Random(arguments.seed).sample(
            pairs, min(arguments.sample, len(pairs))
        )
        texts = [shown(None, pair) for pair in chosen]
    else:
        _demand_commit(arguments.base, root)
        texts = [*_changes(pages, arguments.base, root)]
    for text in texts:
        print(f"{'=' * _WIDTH}\n{text}")
    print(f"{len(texts)} claim{'s' * (len(texts) != 1)} to review")
    return 0


def _demand_commit(base: str, root: Path) -> None:
    if _git(root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}") is None:
        raise SettingsError(f"git knows no commit {base}")


def _changes(pages: list[Page], base: str, root: Path) -> Iterator[str]:
    """Return the claims that are new, gone, reworded, or have another test."""
    now = {page.label: page for page in pages}
    listed = _git(root, "ls-tree", "-r", "--name-only", base, "docs") or ""
    before = {name for name in listed.splitlines() if name.endswith((".md", ".py"))}
    for name in sorted(before | {*now}):
        old = _pairs_at(root / name, base, root) if name in before else []
        new = _pairs(now[name]) if name in now else []
        by_id = {pair.claim.id: pair for pair in old if pair.claim}
        for pair in new:
            previous = by_id.pop(pair.claim.id, None) if pair.claim else None
            if previous is None or _differs(previous, pair):
                yield shown(previous, pair)
        for pair in by_id.values():
            yield shown(pair, Pair(name, None, None))


def _differs(old: Pair, new: Pair) -> bool:
    texts = [pair.claim.text if pair.claim else "" for pair in (old, new)]
    codes = [
        f"{pair.test.code}{pair.test.helpers}" if pair.test else ""
        for pair in (old, new)
    ]
    return texts[0] != texts[1] or codes[0] != codes[1]


def _pairs(page: Page) -> list[Pair]:
    """Return the claims of a page as it is, each with its test."""
    path = claims.test_file(page)
    source = path.read_text("utf-8") if path.is_file() else ""
    return _paired(page, source)


def _pairs_at(path: Path, base: str, root: Path) -> list[Pair]:
    """Return the claims of a page as it was in a commit."""
    text = _git(root, "show", f"{base}:{path.relative_to(root).as_posix()}")
    page = Page(path, root, text or "")
    if not path.is_relative_to(page.settings.docs_dir):
        return []
    test = claims.test_file(page).relative_to(root).as_posix()
    return _paired(page, _git(root, "show", f"{base}:{test}") or "")


def _paired(page: Page, source: str) -> list[Pair]:
    try:
        tests = {test.name: test for test in claims.tests_of(source)}
    except SyntaxError:
        tests = {}
    return [
        Pair(page.label, claim, tests.get(claim.test)) for claim in claims.claims(page)
    ]


def _git(root: Path, *words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    return None if done.returncode else done.stdout


def shown(old: Pair | None, new: Pair) -> str:
    """Return a claim as a reviewer reads it: its wording, its contrasts, its test."""
    claim = new.claim or (old.claim if old else None)
    assert claim, "a pair without a claim is never shown"
    lines = [f"{new.page}:{claim.line}  #{claim.id}"]
    if old and old.claim and new.claim and old.claim.text != new.claim.text:
        lines += [f"  was: {old.claim.text}", f"  now: {new.claim.text}"]
        lines.append(f"  changed: {_changed_words(old.claim.text, new.claim.text)}")
    else:
        state = "removed" if not new.claim else "same wording" if old else "new"
        lines.append(f"  {state}: {claim.text}")
    if new.claim and not new.test:
        lines.append("  NO TEST")
    if new.test:
        for contrast in new.test.contrasts:
            lines.append(f"  contrast: {contrast.words}")
        is_same = old and old.test and old.test.code == new.test.code
        lines.append(f"  test ({'unchanged' if is_same else 'new or changed'}):")
        lines += [f"    {line}".rstrip() for line in new.test.code.splitlines()]
        if new.test.helpers:
            lines.append("  which uses:")
            lines += [f"    {line}".rstrip() for line in new.test.helpers.splitlines()]
    return "\n".join(lines)


def _changed_words(old: str, new: str) -> str:
    """Return ``identity → name; every → no``."""
    a, b = (re.findall(r"`[^`]*`|\$[^$]*\$|\w[\w'’-]*|\S", text) for text in (old, new))
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    parts = [
        f"{' '.join(a[i:j]) or '(nothing)'} → {' '.join(b[k:m]) or '(nothing)'}"
        for kind, i, j, k, m in blocks
        if kind != "equal"
    ]
    return "; ".join(parts)
