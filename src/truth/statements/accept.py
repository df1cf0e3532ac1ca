"""Record the sentences of a page that were reviewed with their tests.

It runs the tests of the sentences that changed, shows what each sentence was and what
it is, mends the first words by which tests name sentences, and writes the lock. It
refuses a sentence that its test refutes, one that says a number, a name or a message
that no assertion supplies, and one that was turned round while its test stayed as it
was. ``--reviewed`` accepts the last two kinds: a person has looked at each.
"""

import ast
import sys
from collections.abc import Iterator

from .. import sentences
from ..page import Page
from ..results import write
from ..sentences import MORE, Sentence
from ..testfile import Reference
from . import evidence, lock
from .check import Before, Check, nearest
from .turned import turned

_FEWEST = 3
"""Words of a reference, at least."""


def accept(page: Page, *, reviewed: bool = False) -> int:
    """Record the sentences of a page; how many were refused."""
    check = _linked(page)
    if check.problems:
        for problem in check.problems:
            print(problem, file=sys.stderr)
        return len(check.problems)
    changed: dict[int, list[str]] = {}
    for name, at in check.changed():
        changed.setdefault(at, []).append(name)
    tested = {name for names in changed.values() for name in names}
    tests = [each for each in check.tried if each.test.name in tested]
    check.run(tests, for_evidence=True)
    check.run([each for each in check.tried if each not in tests])
    before, missing = Before(check), check.unsupported()
    tried = {each.test.name: each for each in check.tried}
    kept = {name: its.reviewed for name, its in check.lock.items()}
    refusals: set[int] = set()
    for at, names in changed.items():
        sentence, old = check.sentences[at], before.of(at)
        why = [tried[n].failure for n in names if n in tried and tried[n].failure]
        allowed = {said for name in check.tests_of(at) for said in kept.get(name, ())}
        unsaid = [str(t) for t in missing.get(at, ()) if str(t) not in allowed]
        if not any(name in tried and not tried[name].test.is_mark for name in names):
            # Nothing tries it: it may say what it likes once, but not another number.
            unsaid = [each for each in unsaid if old and each not in _said(old)]
        if unsaid and not reviewed:
            why.append(f"no assertion of its test says {', '.join(unsaid)}")
        same = all(
            name not in tried
            or tried[name].key == check.lock.get(name, lock.Entry()).key
            for name in names
        )
        if old and same and not reviewed and (how := turned(old, sentence.text)):
            why.append(f"{how}, and its test is as it was")
        _show(sentence, old, [(n, check.tests.shown, tried) for n in names], why)
        refusals |= {at} if why else set()
    for each in check.tried:
        if each.failure and each.test.name not in tested:
            print(f"{check.tests.shown}:{each.test.line}: {each.failure}")
            refusals.add(-each.test.line)
    _record(check, missing, refusals)
    done = len(changed) - sum(at >= 0 for at in refusals)
    if changed or refusals:
        print(f"{page.shown}: {done} accepted, {len(refusals)} refused")
    if refusals:
        print(
            "  Correct these sentences, or have their tests assert what they say; where"
            " you have looked and they are right: --reviewed",
            file=sys.stderr,
        )
    return len(refusals)


def _show(sentence: Sentence, old: str, tests: list, why: list[str]) -> None:
    print(f"{sentence.where}: {'refused' if why else 'accepted'}")
    if old:
        print(f"  - {old}")
    print(f"  + {sentence.text}")
    for name, file, tried in tests:
        line = tried[name].test.line if name in tried else 0
        print(f"  test: {name} ({file}:{line})" if line else f"  {name}")
    for each in why:
        print(f"  why: {each}")


def _said(sentence: str) -> set[str]:
    return {str(token) for token in evidence.tokens(sentence)}


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
        if at >= 0:
            digest = lock.digest(check.sentences[at].text)
            for entry in entries.values():
                entry.sentences = [d for d in entry.sentences if d != digest]
    lock.save(lock.path_of(check.page), entries)


# References.


def shortest(sentence: Sentence, others: list[Sentence]) -> str:
    """The first words that begin no other sentence of the page, with ``…``; of a short
    sentence, all."""
    words = sentence.text.split(" ")
    for count in range(_FEWEST, len(words) - 1):
        start = " ".join(words[:count])
        balanced = not start.count("`") % 2 and not start.count("$") % 2
        texts = {each.text for each in others if each.text.startswith(start)}
        if balanced and len(texts) == 1 and sentences.plain(start) == start:
            return f"{start} {MORE}"
    return sentence.text


def literal(text: str) -> str:
    """A string of Python, readable: raw where it has a backslash."""
    quote = "'" if '"' in text and "'" not in text else '"'
    if "\\" in text and quote not in text and not text.endswith("\\"):
        return f"r{quote}{text}{quote}"
    if quote in text or "\\" in text:
        return repr(text)
    return f"{quote}{text}{quote}"


def _linked(page: Page) -> Check:
    """The check of a page, once its tests name sentences that are there."""
    check = Check(page)
    if not check.problems or not check.tests.all:
        return check
    before = Before(check)
    old = [each for text in before.pages for each in sentences.of(text)]
    reviewed = {d for its in check.lock.values() for d in its.sentences}
    new = [each for each in check.sentences if lock.digest(each.text) not in reviewed]
    edits = []
    for reference in _dangling(check):
        was = {old[at].text for at in sentences.named(reference.text, old)}
        text = was.pop() if len(was) == 1 else reference.text.removesuffix(MORE)
        if found := nearest(text, [each.text for each in new]):
            target = next(each for each in new if each.text == found)
            edits.append((reference, shortest(target, check.sentences)))
    source = replaced(check.tests.source, edits)
    if source != check.tests.source:
        write(check.tests.path, source)
        for reference, now in edits:
            print(f"{check.tests.shown}:{reference.line}: names it {literal(now)}")
        return Check(page)
    return check


def _dangling(check: Check) -> Iterator[Reference]:
    for test in check.tests:
        for reference in test.references:
            found = sentences.named(reference.text, check.sentences)
            if len({check.sentences[at].text for at in found}) != 1:
                yield reference


def replaced(source: str, edits: list[tuple[Reference, str]]) -> str:
    """A file of tests with other references."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = source.encode()
    places = []
    for reference, now in edits:
        node = reference.node
        assert isinstance(node, ast.Constant) and node.end_lineno is not None
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + (node.end_col_offset or 0)
        places.append((begin, end, literal(now).encode()))
    for begin, end, now_bytes in sorted(places, reverse=True):
        text = text[:begin] + now_bytes + text[end:]
    return text.decode()
