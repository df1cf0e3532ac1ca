"""Refuse words that cost a reader a second look.

``vocabulary.toml`` lists them, each with the word of the field.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from ..finding import Finding
from ..page import Page
from .findings import finding

_FILE = "src/truth/structure/vocabulary.toml"
_VOCABULARY = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_TARGET = re.compile(r"\]\([^()]*\)|\{[^{}\n]*\}")


def check(page: Page) -> Iterator[Finding]:
    """Find such words in the prose and the headings of a page."""
    if page.is_generated:
        return
    # Offsets stay, and the words of a sentence stand on one line.
    prose = _TARGET.sub(lambda match: " " * len(match[0]), page.prose)
    prose = re.sub(r"(?<=\S)\n(?=[ \t]*\w)", " ", prose)
    for entry in _VOCABULARY["word"]:
        for match in re.finditer(entry["not"], prose):
            if match[0] not in entry.get("except", []):
                advice = f"write: {entry['but']} ({_FILE})"
                yield finding(page, match.start(), match[0], advice)
