"""The cells of the composition matrix that aren't right, by their cause.

It is computed from snippets/systems/composition.
"""

from ._composition import (
    RIGHT,
    TITLES,
    WITHOUT,
    anchor,
    cause,
    cause_anchor,
    measured,
    shown,
)


def table() -> str:
    """Return a row for each cause, with its places, its kinds, and an example.

    Raises:
        ValueError: a cell has no explanation.
    """
    found = measured()
    examples: dict[str, str] = {}
    cells: dict[str, dict[str, list[str]]] = {}
    for kind, places in found.items():
        for place, cell in places.items():
            if cell == RIGHT:
                continue
            why = cause(kind, place, cell)
            if not why:
                raise ValueError(f"{kind}, {place}: explain {cell}")
            examples.setdefault(why, shown(cell.removesuffix(WITHOUT)))
            cells.setdefault(why, {}).setdefault(place, []).append(kind)
    every = [*next(iter(found.values()))]
    rows = [
        f"| {why} {{ #{cause_anchor(why)} }} | {_where(by_place, every)} |"
        f" {_kinds(by_place, len(found))} | {examples[why]} |"
        for why, by_place in cells.items()
    ]
    head = ["| Cause and fix | Where | Kinds | What you see, for example |"]
    return "\n".join([*head, "| --- | --- | --- | --- |", *rows])


def _alike(by_place: dict[str, list[str]]) -> dict[tuple[str, ...], list[str]]:
    """Return the places by their kinds."""
    places: dict[tuple[str, ...], list[str]] = {}
    for place, kinds in by_place.items():
        places.setdefault(tuple(kinds), []).append(place)
    return places


def _where(by_place: dict[str, list[str]], every: list[str]) -> str:
    """Return the places, or those that are left, if these are fewer."""
    parts = []
    for places in _alike(by_place).values():
        left = [place for place in every if place not in places]
        is_short = len(left) < len(places)
        text = f"all places except {'; '.join(left)}" if is_short else "; ".join(places)
        parts.append(text)
    return "<br>".join(parts)


def _kinds(by_place: dict[str, list[str]], number: int) -> str:
    return "<br>".join(
        ", ".join(f"[{TITLES[kind][0]}](#{anchor(kind)})" for kind in kinds)
        if len(kinds) < number
        else "all"
        for kinds in _alike(by_place)
    )
