"""Refuse words that cost a reader a second look.

``vocabulary.toml`` lists them, each with the word of the field.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..finding import Finding
from ..page import Page
from .findings import failure

_FILE = "src/truth/structure/vocabulary.toml"
_TARGET = re.compile(r"\]\([^()]*\)|\{[^{}\n]*\}")


def check(page: Page) -> Iterator[Finding]:
    """Find such words in the prose and the headings of a page."""
    if page.is_generated:
        return
    # Offsets stay, and the words of a sentence stand on one line.
    prose = _TARGET.sub(lambda match: " " * len(match[0]), page.prose)
    prose = re.sub(r"(?<=\S)\n(?=[ \t]*\w)", " ", prose)
    for word, exceptions, better in _vocabulary():
        for match in word.finditer(prose):
            if match[0] not in exceptions:
                advice = f"write: {better} ({_FILE})"
                yield failure(page, match.start(), match[0], advice)


@cache
def _vocabulary() -> list[tuple[re.Pattern[str], list[str], str]]:
    """Return pattern, exceptions and better word of each entry."""
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return [
        (re.compile(entry["not"]), entry.get("except", []), entry["but"])
        for entry in data["word"]
    ]
