"""Record the sentences of a page that were reviewed with their tests.

It runs the tests of the sentences that changed, shows what each sentence was and what
it is, mends the first words by which tests name sentences, and writes the lock. It
refuses what ``review`` finds; ``--reviewed`` accepts what is only doubtful, because a
person has looked at each.
"""

import sys

from ..page import Page
from ..results import write
from . import lock
from .check import Before, Check
from .review import Review, relinked


def accept(page: Page, *, reviewed: bool = False) -> int:
    """Record the sentences of a page; how many were refused."""
    check = Check(page)
    before = Before(check)
    if source := relinked(check, before):
        write(check.tests.path, source)
        check = Check(page)
        before = Before(check)
    if check.problems:
        for problem in check.problems:
            print(problem, file=sys.stderr)
        return len(check.problems)
    review = Review(check, before)
    check.run(check.tried)
    review.add_unsaid()
    refused: set[int] = set()
    for at, names in review.changed.items():
        why = review.failures(at) + ([] if reviewed else review.doubts(at))
        _show(check, at, before.of(at), names, why)
        refused |= {at} if why else set()
    shown = {name for names in review.changed.values() for name in names}
    others = [each for each in check.tried if each.failure]
    others = [each for each in others if each.test.name not in shown]
    for each in others:
        print(f"{check.tests.shown}:{each.test.line}: {each.failure}")
    _record(check, review.missing, refused)
    if review.changed or others:
        print(
            f"{page.shown}: {len(review.changed) - len(refused)} accepted,"
            f" {len(refused)} refused"
        )
    if refused:
        print(
            "  Correct these sentences, or have their tests assert what they say; where"
            " you have looked and they are right: --reviewed",
            file=sys.stderr,
        )
    return len(refused) + len(others)


def _show(check: Check, at: int, old: str, names: list[str], why: list[str]) -> None:
    sentence = check.sentences[at]
    print(f"{sentence.where}: {'refused' if why else 'accepted'}")
    if old:
        print(f"  - {old}")
    print(f"  + {sentence.text}")
    for name in names:
        print(f"  test: {check.place_of(name)}")
    for each in why:
        print(f"  why: {each}")


def _record(check: Check, missing: dict[int, list], refused: set[int]) -> None:
    """Write the lock; what was refused stays out of it, and so fails."""
    said: dict[str, list[str]] = {}
    for name, its in check.groups.items():
        accepted = [at for at in its if at not in refused]
        if all(at in missing for at in accepted):
            said[name] = [str(token) for at in accepted for token in missing[at]]
        else:  # of tests that didn't run here, all stays as it was
            said[name] = check.lock.get(name, lock.Entry()).reviewed
    entries = check.entries(said)
    for at in refused:
        digest = lock.digest(check.sentences[at].text)
        for name, entry in entries.items():
            if digest in entry.sentences:
                entry.sentences.remove(digest)
                # What it was stays, so that the next review knows of it.
                old = check.lock.get(name, lock.Entry()).sentences
                entry.sentences += [
                    d for d in old if d not in (digest, *entry.sentences)
                ]
    lock.save(lock.path_of(check.page), entries)
