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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tracebook.settings import SettingsError

from . import claims
from .claims import Claim, ClaimTest
from .due import git
from .page import Page, all_pages


@dataclass(frozen=True)
class Pair:
    """A claim and its test."""

    page: str
    claim: Claim
    test: ClaimTest | None

    @property
    def content(self) -> tuple[str, ...]:
        """The texts whose change is to be reviewed."""
        code = (self.test.code, self.test.helpers) if self.test else ()
        return (self.claim.text, *code)


def main(words: list[str]) -> int:
    """Print the claims that a reviewer is to look at."""
    parser = argparse.ArgumentParser("python -m truth review", description=__doc__)
    parser.add_argument("base", nargs="?", default="HEAD", metavar="BASE")
    parser.add_argument("--sample", type=int, metavar="N", help="show N random claims")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    arguments = parser.parse_args(words)
    root = Path().resolve()
    if arguments.sample:
        pairs = [p for page in all_pages(root) for p in _pairs(page).values()]
        size = min(arguments.sample, len(pairs))
        chosen = random.Random(arguments.seed).sample(pairs, size)
        texts = [shown(None, pair) for pair in chosen]
    else:
        commit = f"{arguments.base}^{{commit}}"
        if git(root, "rev-parse", "--verify", "--quiet", commit) is None:
            raise SettingsError(f"git knows no commit {arguments.base}")
        texts = [*_changes(arguments.base, root)]
    for text in texts:
        print(f"{'=' * 88}\n{text}")
    print(f"{len(texts)} claim{'s' * (len(texts) != 1)} to review")
    return 0


def _changes(base: str, root: Path) -> Iterator[str]:
    """Yield the claims that are new, removed or reworded, or have another test."""
    pages = {page.label: page for page in all_pages(root)}
    listed = git(root, "ls-tree", "-r", "--name-only", base, "docs") or ""
    before = {name for name in listed.splitlines() if name.endswith((".md", ".py"))}
    for label in sorted(before | pages.keys()):
        old = _old_pairs(root / label, base, root) if label in before else {}
        new = _pairs(pages[label]) if label in pages else {}
        for id_, pair in new.items():
            previous = old.get(id_)
            if previous is None or previous.content != pair.content:
                yield shown(previous, pair)
        for id_ in old.keys() - new.keys():
            yield shown(old[id_], None)


def _old_pairs(path: Path, base: str, root: Path) -> dict[str, Pair]:
    """Return the claims of a page as it was in a commit, each with its test."""
    text = git(root, "show", f"{base}:{path.relative_to(root).as_posix()}")
    page = Page(path, root, text or "")
    if not path.is_relative_to(page.settings.docs_dir):
        return {}
    test = claims.test_path(page).relative_to(root).as_posix()
    return _pairs(page, git(root, "show", f"{base}:{test}") or "")


def _pairs(page: Page, tests: str | None = None) -> dict[str, Pair]:
    """Return the claims of a page by their ids, with the tests in its test file or in
    another text."""
    source = page.read_text(claims.test_path(page)) if tests is None else tests
    try:
        by_name = {test.name: test for test in claims.parse_tests(source)}
    except SyntaxError:
        by_name = {}
    marked = claims.find_claims(page)
    return {c.id: Pair(page.label, c, by_name.get(c.test)) for c in marked}


def shown(old: Pair | None, new: Pair | None) -> str:
    """Return what changed of a claim: ``old`` or ``new`` is None if there is none."""
    pair = new or old
    assert pair
    claim = pair.claim
    lines = [f"{pair.page}:{claim.line}  #{claim.id}"]
    if old and new and old.claim.text != claim.text:
        lines += [f"  was: {old.claim.text}", f"  now: {claim.text}"]
        lines.append(f"  changed: {_changed_words(old.claim.text, claim.text)}")
    else:
        state = "removed" if not new else "same wording" if old else "new"
        lines.append(f"  {state}: {claim.text}")
    if not new or not new.test:
        return "\n".join([*lines, "  NO TEST"] if new else lines)
    lines += [f"  contrast: {contrast.words}" for contrast in new.test.contrasts]
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
