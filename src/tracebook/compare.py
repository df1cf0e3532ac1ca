"""Compare two outputs: text to the letter, numbers within a tolerance."""

import difflib
import math
import os.path
import re

# A number stands alone: the 32 of float32 and the 1 of x1 are text, and so is a
# sign. A trailing j is the imaginary unit.
_NUMBER = re.compile(
    r"(?<![\w.])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?!(?!j\b)\w|\.[0-9])"
)
_MANY = 2_000
_WHOLE = re.compile(r"[0-9]+\.?0*")


def lines_agree(recorded: str, printed: str, rel: float) -> bool:
    """Return whether two lines agree: text, signs, and the count of numbers are equal.

    Two numbers agree if they are written alike, or if their values differ, by at most
    ``rel`` of the larger one. So nothing else agrees with zero, and a change of
    notation alone (16 and 16.0) is a difference. Two whole numbers (256, 256.0) never
    agree within a tolerance. Where a number differs, the spaces after numbers do not
    count, because NumPy pads all numbers to the width of the longest.
    """
    texts, new_texts = _NUMBER.split(recorded), _NUMBER.split(printed)
    numbers, new_numbers = _NUMBER.findall(recorded), _NUMBER.findall(printed)
    if numbers != new_numbers:
        texts[1:] = [text.lstrip(" ") for text in texts[1:]]
        new_texts[1:] = [text.lstrip(" ") for text in new_texts[1:]]
    return texts == new_texts and all(
        a == b or _close(a, b, rel) for a, b in zip(numbers, new_numbers)
    )


def _close(a: str, b: str, rel: float) -> bool:
    if _WHOLE.fullmatch(a) and _WHOLE.fullmatch(b):
        return False
    x, y = float(a), float(b)
    return x != y and abs(x - y) <= rel * max(x, y) < math.inf


def difference(recorded: str, printed: str, rel: float) -> tuple[int, str] | None:
    """Compare an output with a new one, within a relative tolerance.

    Returns:
        The line number of the first difference, and a unified diff in which a line
        that agrees within the tolerance is as recorded; None if all lines agree.
    """
    old, new = recorded.split("\n"), printed.split("\n")
    if len(old) == len(new):
        new = [a if lines_agree(a, b, rel) else b for a, b in zip(old, new)]
    if old == new:
        return None
    # Of many equal lines, a search for the longest match would not end.
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(new) > _MANY)
    for tag, i, j, k, n in matcher.get_opcodes():
        for a, b in zip(range(i, j), range(k, n)):
            if tag == "replace" and lines_agree(old[a], new[b], rel):
                new[b] = old[a]
    first = len(os.path.commonprefix([old, new])) + 1
    if old[-1] == new[-1] == "":  # both end their last line
        old.pop(), new.pop()
    diff = difflib.unified_diff(
        old, new, "output on the page", "what it prints", lineterm="", n=2
    )
    return first, "\n".join(diff)
