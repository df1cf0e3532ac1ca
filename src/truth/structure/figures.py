"""What the text in place of a figure says is asserted by the program that draws it.

Beside the code that draws, ``assert CONDITION, "words"`` tries what was drawn: the
data, labels, scales and places of the figure's own parts. The words of all its
assertions, in their order, are the text of the figure on the page. If readers can
change its inputs, the words are recorded at each stop, and may have computed numbers.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sliders import recording
from tracebook import snippet

from ..finding import Finding
from ..page import Page
from .said import refused, said

_FIGURE = re.compile(
    r"!\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\([^)\s]*\bfigures/(?P<name>[\w/-]+)\.svg\b"
)


def check(page: Page, root: Path) -> Iterator[Finding]:
    for figure in _FIGURE.finditer(page.without_code):
        name, at = figure["name"], figure.start("text")
        drawing = [
            path for path in page.included_files(".py") if _draws(path, name, page)
        ]
        if not drawing:
            yield refused(page, at, name, "the page does not show the program of it")
            continue
        asserted = _asserted(drawing[-1], page)
        text = " ".join(figure["text"].split())
        if asserted and text == " ".join(asserted):
            how = f"asserted by {drawing[-1].name} in {len(asserted)} parts"
            yield said(page, at, "compared", text, how)
        else:
            yield refused(page, at, _first(text, asserted), _how(drawing[-1], asserted))


def _draws(path: Path, name: str, page: Page) -> bool:
    stem = path.relative_to(page.settings.snippets_dir).with_suffix("").as_posix()
    return name == stem or name.startswith(f"{stem}-")


def _asserted(path: Path, page: Page) -> list[str]:
    program = snippet.load(path, page.settings)
    with suppress(recording.RecordingError):  # which the engine refuses
        if (sliders := recording.load(program)) and sliders.draws:
            return [*sliders.messages.get(sliders.default, ())]
    return assertions(program.source)


def assertions(program: str) -> list[str]:
    """The words of those that look at something, in their order."""
    asserts = [
        node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Assert)
    ]
    return [
        " ".join(node.msg.value.split())
        for node in sorted(asserts, key=lambda node: node.lineno)
        if isinstance(node.msg, ast.Constant)
        and isinstance(node.msg.value, str)
        and any(isinstance(part, ast.Name) for part in ast.walk(node.test))
    ]


def _first(text: str, asserted: list[str]) -> str:
    """Where the text begins to be another."""
    for words in asserted:
        if not text.startswith(words):
            break
        text = text.removeprefix(words).strip()
    return text


def _how(path: Path, asserted: list[str]) -> str:
    if not asserted:
        return f'nothing in {path.name} says: assert CONDITION, "words of the figure"'
    return f"{path.name} asserts, in this order: {' | '.join(asserted)}"
