"""The composition matrix: kinds of custom gradients by places, each cell as a word.

It is computed from snippets/systems/composition.
"""

from collections import Counter

from ._composition import (
    KINDS,
    TITLES,
    WITHOUT,
    cause,
    cause_anchor,
    measured,
    word,
)


def table() -> str:
    """Return the matrix, and a sentence that counts its cells."""
    found = measured()
    # A span can be upright. The style shows a sign instead of each word.
    heads = [f"<span>{TITLES[kind][0]}</span>" for kind in KINDS]
    lines = [["Place", *heads], ["---", *[":---:"] * len(KINDS)]]
    for place in found[KINDS[0]]:
        cells = [_cell(kind, place, found[kind][place]) for kind in KINDS]
        lines.append([place, *cells])
    matrix = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{matrix}\n\n{_counts(found)}"


def _cell(kind: str, place: str, cell: str) -> str:
    """Return the word of a cell, with a link to its cause if it isn't right."""
    result = word(cell)
    if result == "right":
        return result
    anchor = cause_anchor(cause(kind, place, cell))
    return f"[{result}](#{anchor}){{ .is-{result} }}"


def _counts(found: dict[str, dict[str, str]]) -> str:
    cells = [cell for places in found.values() for cell in places.values()]
    counts = Counter(map(word, cells))
    without = sum(cell.endswith(WITHOUT) for cell in cells)
    captured = Counter(map(word, found["wrong/closed_over"].values()))["wrong"]
    return (
        f"Of {len(cells)} cells, {counts['right']} are right, {counts['wrong']} are"
        f" silently wrong and {counts['error']} end in an error. {captured} of the wrong"
        f" ones are of a captured tensor. {without} of those that aren't right fail"
        " without a custom gradient, too."
    )
