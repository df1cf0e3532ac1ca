"""Check that the program of a figure asserts the figure's alternative text.

Beside the code that draws, ``assert CONDITION, "words"`` checks what was drawn. The
words of all assertions, in order, are the alternative text on the page. If readers can
change the inputs, the words are recorded for each input.
"""

import ast
from collections.abc import Iterator
from contextlib import suppress

from sliders import recording
from tracebook.snippet import Snippet

from ..finding import Finding
from ..page import FIGURE, Page
from .findings import finding


def check(page: Page) -> Iterator[Finding]:
    """Compare the text of each figure with the assertions of its program."""
    for figure in FIGURE.finditer(page.without_code):
        name, offset = figure["name"], figure.start("text")
        text = " ".join(figure["text"].split())
        program = _program(page, name)
        if not program:
            message = "the page does not show the program of it"
            yield finding(page, offset, name, message)
            continue
        asserted, file = _asserted(program), program.path.name
        if asserted and text == " ".join(asserted):
            detail = f"asserted by {file} in {len(asserted)} parts"
            yield finding(page, offset, text, detail, "compared")
            continue
        detail = f"{file} asserts, in this order: {' | '.join(asserted)}"
        if not asserted:
            detail = f'nothing in {file} says: assert CONDITION, "words of the figure"'
        yield finding(page, offset, text, detail)


def _program(page: Page, figure: str) -> Snippet | None:
    """Return the last program of the page that draws a figure."""
    stems = {name.removesuffix(".py"): each for name, each in page.programs.items()}
    drawing = [
        program
        for stem, program in stems.items()
        if figure == stem or figure.startswith(f"{stem}-")
    ]
    return drawing[-1] if drawing else None


def _asserted(program: Snippet) -> list[str]:
    """Return the messages of the assertions that read a variable, in order."""
    with suppress(recording.RecordingError):  # which the engine reports
        if (sliders := recording.load(program)) and sliders.draws:
            return [*sliders.messages.get(sliders.default, ())]
    messages = [
        (node.lineno, node.msg.value)
        for node in ast.walk(ast.parse(program.source))
        if isinstance(node, ast.Assert)
        and isinstance(node.msg, ast.Constant)
        and isinstance(node.msg.value, str)
        and any(isinstance(part, ast.Name) for part in ast.walk(node.test))
    ]
    return [" ".join(text.split()) for _, text in sorted(messages)]
