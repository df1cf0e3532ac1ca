"""What a review of changed sentences refuses, and how tests go on naming them.

A sentence fails that its test refutes. Doubtful is one that says a number, a name or a
message that no assertion of its test supplies; and one that was turned round, or says
another number, name, message or formula, while its test stayed as it was: a test can't
hold for both.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from .. import sentences
from ..sentences import MORE, Sentence
from ..testfile import Reference, code_of
from . import lock, tokens
from .check import Before, Check, Tried, nearest
from .turned import turned

_FEWEST = 3
"""Words of a reference, at least."""


class Review:
    """The sentences of a page that aren't as they were reviewed."""

    def __init__(self, check: Check, before: Before, *, may_run: bool = True) -> None:
        self._check, self._before = check, before
        self._tried = {each.test.name: each for each in check.tried}
        self.changed: dict[int, list[str]] = {}
        """The tests, or marks, of each."""
        for name, at in check.changed():
            self.changed.setdefault(at, []).append(name)
        names = {name for names in self.changed.values() for name in names}
        tests = [each for each in check.tried if each.test.name in names]
        check.run(tests, for_evidence=True, may_run=may_run)

    def add_unsaid(self) -> None:
        """A sentence that stayed as it was, while its test no longer says what it does,
        is reviewed, too."""
        for at, missing in self.missing.items():
            if self._check.unsaid(at, missing):
                self.changed.setdefault(at, self._check.tests_of(at))

    @cached_property
    def missing(self) -> dict[int, list[tokens.Token]]:
        """The tokens of sentences that no test supplies."""
        return self._check.unsupported()

    def failures(self, at: int) -> list[str]:
        return [each.failure for each in self._tests(at) if each.failure]

    def doubts(self, at: int) -> list[str]:
        """Why a changed sentence asks for another test, or for a reviewer."""
        new, old = self._check.sentences[at].text, self._before.of(at)
        doubts = []
        if unsaid := self._unsaid(at, old):
            doubts.append(f"no assertion of its test says {', '.join(unsaid)}")
        if not old and self._has_lost(at):
            doubts.append("what it was isn't known: Git has no text of it")
        if old and all(map(self._is_as_it_was, self._tests(at))):
            for how in (turned(old, new), _exchanged(old, new)):
                doubts += [f"{how}, and its test is as it was"] if how else []
        return doubts

    def _tests(self, at: int) -> list[Tried]:
        tried = [self._tried.get(name) for name in self.changed[at]]
        return [each for each in tried if each and not each.test.is_mark]

    def _unsaid(self, at: int, old: str) -> list[str]:
        found = self._check.unsaid(at, self.missing.get(at, []))
        if self._tests(at):
            return found
        # Nothing tries it: it may say what it likes once, but not another number.
        said = {str(token) for token in tokens.tokens(old)}
        return [each for each in found if old and each not in said]

    def _has_lost(self, at: int) -> bool:
        """Whether a sentence of its tests is gone of which no text is known."""
        entries = [self._check.lock.get(n, lock.Entry()) for n in self.changed[at]]
        lost = {digest for entry in entries for digest in entry.sentences}
        lost -= {lock.digest(each.text) for each in self._check.sentences}
        return bool(lost - {lock.digest(text) for text in self._before.gone})

    def _is_as_it_was(self, each: Tried) -> bool:
        entry = self._check.lock.get(each.test.name, lock.Entry())
        return not entry.key or code_of(entry.key) == code_of(each.key)


def _exchanged(old: str, new: str) -> str:
    """The number, name, message or formula that another one took the place of."""
    before, after = (
        Counter((each.kind, str(each)) for each in tokens.tokens(text))
        + Counter(("formula", each) for each in tokens.formulas(text))
        for text in (old, new)
    )
    gone, come = before - after, after - before
    for kind in sorted({kind for kind, _ in gone} & {kind for kind, _ in come}):
        one, other = (min(each for k, each in its if k == kind) for its in (gone, come))
        return f"{one} became {other}"
    return ""


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


def relinked(check: Check, before: Before) -> str:
    """The file of tests, naming the sentences of the page as they begin now; empty
    where nothing is to be changed, or nothing is known of what was named."""
    old = [each for page in before.pages for each in sentences.of(page)]
    reviewed = {d for its in check.lock.values() for d in its.sentences}
    new = [each for each in check.text if lock.digest(each.text) not in reviewed]
    edits = []
    for reference in _dangling(check):
        was = {old[at].text for at in sentences.named(reference.text, old)}
        text = was.pop() if len(was) == 1 else reference.text.removesuffix(MORE)
        if same := [each for each in check.text if each.text == text]:
            edits.append((reference, shortest(same[0], check.text)))
        elif found := nearest(text, [each.text for each in new]):
            target = next(each for each in new if each.text == found)
            edits.append((reference, shortest(target, check.text)))
    return replaced(check.tests.source, edits) if edits else ""


def _dangling(check: Check) -> Iterator[Reference]:
    for test in check.tests:
        for reference in test.references:
            found = sentences.named(reference.text, check.text)
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
