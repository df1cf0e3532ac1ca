"""The page of the site that shows what a benchmark measured."""

from collections.abc import Iterable, Iterator
from statistics import median

CONTENDERS = {
    "build": "**`mkdocs build`, every program run by tracebook**",
    "check": "`tracebook check`, no site",
    "floor": "the floor: the sum of the next three",
    "import": "– start Python and import TensorFlow, once",
    "programs": "– fork for each program, one at a time on each core",
    "bare": "– `mkdocs build` of the same pages, nothing run",
    "markdown-exec": "`mkdocs build` with markdown-exec",
    "truth": "`python -m truth`, nothing known before",
    "first page": "`mkdocs serve`, to its first page",
    "interpreters": "an interpreter for each program, no site",
    "kernels": "a Jupyter kernel for each program (nbclient), no site",
    "mkdocs-jupyter": "`mkdocs build` with mkdocs-jupyter",
}

CHECKERS = {
    "fast": "`check_grads`, fast",
    "check_grads": "`check_grads`",
    "check_custom_gradient": "`check_custom_gradient`",
}
"""Of ``vjpcheck``, from the shortest check to the most thorough."""

_JAX = {
    "rev": ("JAX, reverse", "ours, fast", "ours"),
    "fwd": ("JAX, forward", "ours, fast", "ours"),
}
"""Of each mode, the heads of its columns."""


def render(results: dict) -> str:
    """The page; all of its numbers come from ``results``."""
    sets, serving = results["sets"], results["serving"]
    return _PAGE.format(
        machine=_table(("Machine", "Measured on"), results["machine"].items()),
        times=_table(
            ("Programs", *(each["title"] for each in sets.values())), _times(sets)
        ),
        goals=_table(
            ("Goal", "Measured", "Held"),
            (
                (goal, measured, "held" if held else "**missed**")
                for goal, measured, held in goals(results)
            ),
        ),
        memory=_table(
            ("Peak, MiB", *(each["title"] for each in sets.values())),
            (
                (title, *(f"{each['memory'][key]:.0f}" for each in sets.values()))
                for key, title in (
                    ("tracebook", "every program run by tracebook"),
                    ("bare", "nothing run"),
                )
            ),
        ),
        serving=_table(
            (
                "After an edit to",
                "page fresh",
                "nothing run",
                "ratio",
                "rebuild",
                "nothing run",
                "ratio",
            ),
            (
                (
                    f"a {edit}" if edit == "page" else "a program and its trace",
                    *_beside(servers, "fresh"),
                    *_beside(servers, "rebuild"),
                )
                for edit, servers in serving.items()
            ),
        ),
        edits=len(serving["page"]["bare"]),
        profile=_table(("Part of a rebuild", "Share"), _shares(results["profile"])),
        theme=_theme(results["profile"]),
        checkers=_table(
            ("Checked", "`compute_gradient`", *CHECKERS.values()),
            (
                (
                    title,
                    f"{1000 * median(seconds['compute_gradient']):.0f} ms",
                    *(
                        f"{_ratio(seconds, key, 'compute_gradient'):.2f} ×"
                        for key in CHECKERS
                    ),
                )
                for title, seconds in results["checkers"].items()
            ),
        ),
        rounds=len(next(iter(results["checkers"].values()))["check_grads"]),
        jax=results["jax"]["version"],
        beside_jax=_table(
            ("Checked", *(title for titles in _JAX.values() for title in titles)),
            (
                (title, *_in_both_modes(seconds))
                for title, seconds in results["jax"]["seconds"].items()
            ),
        ),
    )


def _in_both_modes(seconds: dict) -> Iterator[str]:
    for mode in _JAX:
        yield f"{1000 * median(seconds[f'jax {mode}']):.1f} ms"
        for key in ("fast", "check_grads"):
            yield f"{_ratio(seconds, f'{key} {mode}', f'jax {mode}'):.2f} ×"


def goals(results: dict) -> Iterator[tuple[str, str, bool]]:
    """Each goal, what was measured, and whether it was held."""
    sets = results["sets"]
    for each in sets.values():
        ratio = _ratio(each["seconds"], "build", "floor")
        yield (
            f"a cold build, {each['title']}: ≤ 1.25 × the floor",
            f"{ratio:.2f} ×",
            ratio <= 1.25,
        )
    if "truth" in (seconds := sets.get("own", {}).get("seconds", {})):
        ratio = _ratio(seconds, "truth", "check")
        yield (
            "`python -m truth`, all fresh: ≤ 2.5 × `tracebook check`",
            f"{ratio:.2f} ×",
            ratio <= 2.5,
        )
        first = median(seconds["first page"])
        yield ("`mkdocs serve` to its first page: ≤ 3 s", f"{first:.1f} s", first <= 3)
    if "100" in sets:
        few, many = (
            _ratio(sets[n]["seconds"], "kernels", "build") for n in ("10", "100")
        )
        yield (
            "a kernel for each of 100: ≥ 10 × our whole build",
            f"{many:.1f} ×",
            many >= 10,
        )
        yield (
            "and growing with the number",
            f"{few:.1f} × at 10, {many:.1f} × at 100",
            many > few,
        )
    if "400" in sets:
        ours, fork = (_added(sets, key) for key in ("check", "programs"))
        yield (
            "a program more, from 100 to 400: ≤ 1.3 × a bare fork",
            f"{ours / fork:.2f} × ({1000 * ours:.0f} and {1000 * fork:.0f} ms)",
            ours <= 1.3 * fork,
        )
    peaks = [each["memory"]["tracebook"] for each in sets.values()]
    yield (
        "memory of the whole build: ≤ 1536 MiB",
        f"{max(peaks):.0f} MiB",
        max(peaks) <= 1536,
    )
    if "400" in sets:
        few, many = (sets[n]["memory"]["tracebook"] for n in ("10", "400"))
        yield (
            "and flat: at 400 ≤ 1.1 × at 10",
            f"{many / few:.2f} ×",
            many <= 1.1 * few,
        )
    for edit, bound, key, runs in (
        ("page", 1.1, "rebuild", 0),
        ("snippet", 1.3, "fresh", 1),
    ):
        servers = results["serving"][edit]
        ran = {each["ran"] for each in servers["tracebook"]}
        shown = " or ".join(map(str, sorted(ran, key=str)))
        yield f"programs run after an edit to a {edit}: {runs}", shown, ran == {runs}
        ours, bare = (_median(servers, name, key) for name in ("tracebook", "bare"))
        yield (
            f"{key} after an edit to a {edit}: ≤ {bound} × with nothing run",
            f"{ours / bare:.2f} ×",
            ours <= bound * bare,
        )


def _times(sets: dict) -> Iterator[tuple[str, ...]]:
    for key, title in CONTENDERS.items():
        yield (title, *(_time(each["seconds"], key) for each in sets.values()))
    yield (
        "rounds, of the last three rows",
        *(
            f"{len(each['seconds']['build'])}, {len(each['seconds'].get('kernels', ()))}"
            for each in sets.values()
        ),
    )
    yield "measured on", *(each["date"] for each in sets.values())


def _time(seconds: dict, key: str) -> str:
    if key not in seconds:
        return "–"
    shown = f"{median(seconds[key]):.1f} s"
    if key in ("build", "import", "programs", "bare", "first page"):
        return shown
    return f"{shown}, {_ratio(seconds, key, 'build'):.2f} ×"


def _ratio(seconds: dict, one: str, other: str) -> float:
    """Median of the ratios within rounds."""
    return median(a / b for a, b in zip(seconds[one], seconds[other]))


def _added(sets: dict, key: str) -> float:
    few, many = (median(sets[n]["seconds"][key]) for n in ("100", "400"))
    return (many - few) / 300


def _median(servers: dict, name: str, key: str) -> float:
    return median(each[key] for each in servers[name])


def _beside(servers: dict, key: str) -> tuple[str, str, str]:
    ours, bare = (_median(servers, name, key) for name in ("tracebook", "bare"))
    return f"{ours:.2f} s", f"{bare:.2f} s", f"{ours / bare:.2f} ×"


def _shares(profile: dict[str, float]) -> Iterator[tuple[str, str]]:
    parts = dict(profile)
    whole = parts.pop("the whole")
    parts["all else"] = whole - sum(parts.values())
    for part, seconds in parts.items():
        yield part, f"{seconds / whole:.0%}"


def _theme(profile: dict[str, float]) -> str:
    share = (
        sum(
            seconds
            for part, seconds in profile.items()
            if part.startswith("the theme's")
        )
        / profile["the whole"]
    )
    part = "the larger" if share > 0.5 else "the smaller"
    return f"{share:.0%}, {part} part"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    rule = ("---", *("---:" for _ in head[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


_PAGE = """\
---
description: >-
  How long does it take to run every program of this site, each in a process of its own,
  and how fast are the alternatives?
---

# How fast it is

A build runs every program, each in a process of its own. What that takes is held
against the least that it can take, and against other ways. This page is written by
`make bench`; no number in it was typed.

{machine}

## A cold build

Medians of rounds in which all took turns; × is the time divided by that of our
whole build, in the same round. The small programs import TensorFlow and
differentiate one expression; each is on a page of its own. Labs are left out.

{times}

Programs print into nothing in the fork loop and in plain interpreters.
Interpreters and kernels run as many at a time as there are cores.
mkdocs-jupyter turns a page into one notebook, whose programs share one kernel;
markdown-exec runs all programs in the process of MkDocs. With either, a program
can see what another did, and markdown-exec does not show what `tf.print` prints.
It did not run the site's own programs: some raise on purpose, some set up devices.
What took too long for all of them was left out as well (–).

## The goals

{goals}

## Memory

All processes of one build together, each shared page counted once (PSS).

{memory}

## While serving

Medians of {edits} edits each, on the site's own pages: from the moment that a
file is saved until a client that polls `mkdocs serve` gets the new page. MkDocs
looks for changed files twice a second; that is part of the first figure, and
not of its own, the rebuild.

{serving}

Where a rebuild that runs nothing spends its time, by Python's profiler:

{profile}

So the theme is {theme} of a rebuild that runs nothing.

## The checker

`vjpcheck` beside `tf.test.compute_gradient`, on custom gradients of this site's programs,
in float64. All ran in one process, in turns. × is the time divided by that of
`compute_gradient` in the same round; the table has medians of {rounds} rounds.

{checkers}

`compute_gradient` computes every element of the Jacobian, so its time grows with the
number of inputs and outputs. It takes one step size and compares nothing by itself.
`check_grads` extrapolates each difference to step zero, and moves at most 16 mixtures of
the inputs. `check_custom_gradient` also tries other points, upstream gradients, and a
`tf.function`.

## The checker beside JAX {{ #beside-jax }}

This table compares `check_grads` of `vjpcheck` with `jax.test_util.check_grads` of JAX {jax},
on the same functions and inputs in float64, at order 1. Each has its own process, and the two
processes took turns. × is the time divided by that of JAX in the same round and mode; the
table has medians of {rounds} rounds, after a round that compiled kernels.

{beside_jax}

JAX compares one random direction, at one step size. `fast=True` also compares one
direction, but it extrapolates to step zero and repeats the backward pass. Without it,
`check_grads` moves up to 16 numbers one at a time, and more in 16 mixtures.

JAX has no forward mode for a function with `jax.custom_vjp`, so in forward mode it got the
function without its custom gradient. `tests/benchmarks/in_jax.py` has the functions in JAX.
This site doesn't install JAX, so the measurement takes a Python that has it:
`python -m tests.benchmarks --jax PYTHON`.
"""
