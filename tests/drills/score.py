"""The page that says what the drills catch, and what they miss."""

import json
from datetime import date
from textwrap import shorten

from ..project import ROOT
from .book import Tally

RESULTS = ROOT / "tests/drills/score.json"
PAGE = ROOT / "docs/drills.md"
_LONGEST = 400
"""Letters of what was missed."""


def page(kinds: dict[str, dict]) -> str:
    lines = [
        "---",
        "description: >-",
        "  How many planted mistakes do the checks of this site catch? Mistakes in programs,",
        "  formulas, sentences and figures, counted by kind.",
        "---",
        "",
        "# What the drills catch",
        "",
        "A drill plants a mistake in a copy of this site and runs the checks. This table",
        "counts what was planted and what a check caught. Mistakes at random places don't",
        "depend on what the checks read, so some are missed, and each kind has a goal. A",
        "change that leaves the text true isn't a mistake, and counts neither way.",
        "`python -m tests.drills --write` wrote this page.",
        "",
        "| What is planted | Planted | Caught | Goal | Still true | On |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    planted = {
        name: kind for name, kind in kinds.items() if not name.startswith("harmless")
    }
    for name, kind in sorted(planted.items()):
        same = kind["equal"] + len(kind["within"])
        lines.append(
            f"| {name} | {kind['tried']} | {kind['caught']} | {kind['goal']:.0%}"
            f" | {same} | {kind['day']} |"
        )
    tried, caught = (
        sum(k[key] for k in planted.values()) for key in ("tried", "caught")
    )
    lines += [f"| **in all** | **{tried}** | **{caught}** | | | |", "", "## Missed", ""]
    for name, kind in sorted(planted.items()):
        for drill in kind["missed"]:
            said = shorten(drill, _LONGEST, placeholder=" …").replace("`", "ˋ")
            lines.append(f"- {name}: ``{said}``")
    return "\n".join([*lines, ""])


def write(tally: Tally, partly: bool) -> None:
    """What was found; partly: beside what is known of other parts."""
    day = date.today().isoformat()
    kinds = known() if partly else {}
    kinds |= {name: vars(kind) | {"day": day} for name, kind in tally.kinds.items()}
    RESULTS.write_text(json.dumps(kinds, indent=1) + "\n")
    PAGE.write_text(page(kinds), "utf-8")


def known() -> dict[str, dict]:
    return json.loads(RESULTS.read_text("utf-8"))
