"""Refuse words that cost a reader a second look: ``vocabulary.toml`` lists them, each
with the field's word."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..finding import Finding
from ..page import Page
from .said import refused

_FILE = "src/truth/structure/vocabulary.toml"
_TARGET = re.compile(r"\]\([^()]*\)|\{[^{}\n]*\}")


def check(page: Page, root: Path) -> Iterator[Finding]:
    """Find such words in the prose and the headings of a page."""
    if page.is_generated:
        return
    # Offsets stay, and the words of a sentence stand on one line.
    prose = _TARGET.sub(lambda match: " " * len(match[0]), page.prose)
    prose = re.sub(r"(?<=\S)\n(?=[ \t]*\w)", " ", prose)
    for word, exceptions, better in _vocabulary():
        for match in word.finditer(prose):
            if match[0] not in exceptions:
                how = f"write: {better} ({_FILE})"
                yield refused(page, match.start(), match[0], how)


@cache
def _vocabulary() -> list[tuple[re.Pattern, list[str], str]]:
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return [
        (re.compile(entry["not"]), entry.get("except", []), entry["but"])
        for entry in data["word"]
    ]
