"""Whether sentences and headings use the field's words: ``vocabulary.toml`` has those
that cost a reader a second look, and what to write instead."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .. import sentences
from ..finding import Finding
from ..page import Page

_CODE = re.compile(r"`[^`]*`|\$[^$]*\$")


def check(page: Page, root: Path) -> Iterator[Finding]:
    """Fails where a page has more of these words than ``still`` grants it: it grants
    only what stood there when the list was made, and may only fall."""
    if page.is_generated:
        return
    found = [*_found(page)]
    granted = _data().get("still", {}).get(page.shown, 0)
    state = "failed" if len(found) > granted else "unchecked"
    if len(found) < granted:
        how = f"[still] in {_FILE} grants {granted}: lower it to {len(found)}"
        yield Finding("structure", "failed", page.shown, page.where(0), "words", how)
    for where, word, better in found:
        how = f"write: {better} ({_FILE})"
        yield Finding("structure", state, page.shown, where, word, how)


_FILE = "src/truth/structure/vocabulary.toml"


def _found(page: Page) -> Iterator[tuple[str, str, str]]:
    for sentence in [*sentences.of(page), *sentences.headings(page)]:
        for word, better in _words(_CODE.sub("…", sentence.text)):
            yield sentence.where, word, better


def _words(text: str) -> Iterator[tuple[str, str]]:
    for word, meant, better in _vocabulary():
        for found in word.finditer(text):
            if found[0] not in meant:
                yield found[0], better


@cache
def _vocabulary() -> list[tuple[re.Pattern, list[str], str]]:
    words = _data()["word"]
    return [(re.compile(w["not"]), w.get("except", []), w["but"]) for w in words]


@cache
def _data() -> dict:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
