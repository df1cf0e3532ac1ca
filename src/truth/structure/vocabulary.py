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
    if page.is_generated:
        return
    for sentence in [*sentences.of(page), *sentences.headings(page)]:
        for word, better in _words(_CODE.sub("…", sentence.text)):
            how = f"write: {better} ({_FILE})"
            yield Finding("structure", "failed", page.shown, sentence.where, word, how)


_FILE = "src/truth/structure/vocabulary.toml"


def _words(text: str) -> Iterator[tuple[str, str]]:
    for word, meant, better in _vocabulary():
        for found in word.finditer(text):
            if found[0] not in meant:
                yield found[0], better


@cache
def _vocabulary() -> list[tuple[re.Pattern, list[str], str]]:
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return [
        (re.compile(each["not"]), each.get("except", []), each["but"])
        for each in data["word"]
    ]
