"""The composition matrix: kinds of custom gradients by places, each cell as a sign.

It is computed from snippets/systems/composition.
"""

from collections import Counter

from ._composition import KINDS, SIGNS, TITLES, WITHOUT, measured, word


def table() -> str:
    """Return the matrix, and a sentence that counts its cells."""
    found = measured()
    # The columns are narrower than a finger, so their headings are no links.
    heads = [f"<span>{TITLES[kind][0]}</span>" for kind in KINDS]
    lines = [["Place", *heads], ["---", *[":---:"] * len(KINDS)]]
    for place in found[KINDS[0]]:
        lines.append([place, *(_sign(word(found[kind][place])) for kind in KINDS)])
    matrix = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{matrix}\n\n{_counts(found)}"


def _sign(result: str) -> str:
    sign = SIGNS[result]
    return sign if result == "right" else f"**{sign}**{{ .is-{result} }}"


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
