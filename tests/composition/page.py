"""The page of the composition matrix."""

import json
import re
import subprocess
import sys

from ..project import ROOT
from ..tables.cells import in_table
from .measure import KINDS, RIGHT, WITHOUT

PAGE = ROOT / "docs/systems/composition.md"
COLUMNS = 5
"""Kinds in one table."""
_LONGEST = 140
"""Letters of a message."""

_HEAD = """\
---
description: >-
  Where does a custom gradient work in TensorFlow? {custom} kinds of custom gradient, and
  tf.stop_gradient, in {places} places: right, silently wrong, or an error.
---

# The composition matrix

On this page you can look up whether your kind of custom gradient works in the part of
TensorFlow where you use it. The page shows {custom} kinds of custom gradient, and for
comparison `tf.stop_gradient`, in {places} places, such as a `tf.function`, a loop or a saved
model. Each of the {cells} combinations is a *cell*.

## In short {{ #in-short }}

- {right} cells are right, {wrong} are silently wrong, and {errors} end in an error.
- {closure} of the silently wrong cells have one cause: the gradient function captures a
  tensor, so the tensor gets no gradient. This happens even in eager mode. The fix is to
  [pass the tensor as an argument](../mistakes/silent.md#closed-over).
- Most of the errors come from a branch, a `KerasTensor`, or a SavedModel that was
  saved without custom gradients.
- {without} of the cells that aren't right also fail if you compute the same function without a
  custom gradient. So the custom gradient isn't the cause of these failures.

The command `python -m tests.composition` runs all combinations and writes this page from the
results. A test repeats the run and compares the results with this page.

"""
_PICTURE = """\
## At a glance { #at-a-glance }

A dot means right, ≠ means silently wrong, and ✕ means an error. *Tape around* means that
the tape is outside the `tf.function`. In the rows for forward mode, *around* means that the
accumulator is outside. In the rows for the second order, *around* means that both tapes are
outside. The [sections on each kind](#plain) follow in the order of the columns.

<div class="matrix" markdown>

"""
_SIGNS = {"right": "·", "wrong": "≠", "error": "✕"}
_NOT_RIGHT = """\
## Cells that aren't right, and why { #not-right }

Each row of this table has one cause. The last column explains the cause, or links to an
explanation and a fix.

"""
_ALL = """\
## All cells { #all }

A cell is **right** if each gradient agrees with a reference. In each program below, `rule` is
the function that is tested, and `meant` is the intended function without a custom gradient.
The reference is the gradient of `meant`, computed by an eager tape. For forward mode and the
second order, the reference comes from central differences instead.

- The test of a cell compares the gradients with respect to inputs and variables. For
  Jacobians, forward mode, the second order, Keras and files, it compares only the gradients
  with respect to the inputs.
- *Second order* means the second derivative of the squared output.
- `tf.map_fn` and `tf.vectorized_map` run over two rows of inputs, and the gradients of both
  rows must be right. A strategy runs on two replicas, and the gradients of both replicas
  must be right.
- If the tape is outside `tf.vectorized_map`, TensorFlow
  [drops the custom gradient](../mistakes/silent_systems.md#vectorized-map). A cell in that row
  is still right if automatic differentiation returns the same gradient as the gradient
  function.
- *Mixed precision* means a layer with the policy `mixed_float16`, without a loss scale.

A cell that isn't right links to the section of its column. Each section shows the program for
one kind of custom gradient, and lists the places where the gradient isn't right. In all other
places, the gradient is right.

"""
_TITLES = {
    "plain": ("Plain", "A plain custom gradient"),
    "variable": ("Variable", "A gradient function that reads a variable"),
    "wrong/closed_over": (
        "Captured tensor",
        "A gradient function that captures a tensor",
    ),
    "structure": ("Dictionary", "A custom gradient of a dictionary"),
    "stop": ("Stop-gradient", "Straight-through estimator with `tf.stop_gradient`"),
    "straight": (
        "Straight-through",
        "Straight-through estimator with a custom gradient",
    ),
    "outside": ("NumPy", "A custom gradient around `tf.numpy_function`"),
    "recompute": ("Recompute", "`tf.recompute_grad`"),
    "nested": ("Nested", "A gradient function that calls a decorated function"),
    "arctan": (
        "Nested, input captured",
        "Nested custom gradients that capture their input",
    ),
    "slices": ("Slices", "A gradient function that returns `IndexedSlices`"),
    "complex_square": ("Complex", "A custom gradient for complex numbers"),
    "mask": ("Random", "A custom gradient that draws a mask"),
}
# Before the program of a kind: what to look at.
_LOOK = {
    "plain": "Look at what `grad` captures: only the input `x`.",
    "variable": "The function reads the variable `w`. Look at the parameter `variables` of "
    "`grad`,\nand at the list that `grad` returns:",
    "wrong/closed_over": "This program is deliberately wrong: `grad` captures `s`, which isn't "
    "an argument of\n`scaled`. Look at `downstream s`:",
    "structure": "The function takes a dictionary and returns a dictionary. Look at the "
    "arguments of\n`grad`, and at the dictionary that `grad` returns:",
    "stop": "This function has no custom gradient. Look at the gradient through "
    "`tf.stop_gradient`,\nand compare it with the next section:",
    "straight": "The forward pass rounds. Look at the gradient function, which returns the "
    "upstream\ngradient:",
    "outside": "NumPy computes the value. Look at what `grad` captures: the result `y` of "
    "NumPy.",
    "recompute": "Look at `rule`: `tf.recompute_grad` creates the custom gradient, and computes "
    "`meant`\nagain in the backward pass.",
    "nested": "The gradient function of `rule` calls `slope`, which also has a custom gradient. "
    "Look at\nwhat the gradient function of `slope` captures: only its output `s`.",
    "arctan": "As in `nested.py`, the gradient function of `rule` calls `slope`. Look at what "
    "the\ngradient function of `slope` captures: its output `s`, and also its input `x`.",
    "slices": "Look at what `grad` returns: a `tf.IndexedSlices` with the upstream gradient, "
    "and with\nthe indices of the two elements of `x` that the function reads.",
    "complex_square": "Look at the conjugate: `grad` returns the upstream gradient times the "
    "conjugate of\nthe local derivative.",
    "mask": "The forward pass draws a random mask. Look at `mask`, which `grad` uses again:",
}
# For "kind; place; what was seen": where it is explained.
_EXPLAINED = {
    r"closed_over; .*wrong": "[a captured tensor](../mistakes/silent.md#closed-over)",
    r"KerasTensor": "[a KerasTensor](../mistakes/keras.md#keras-tensor)",
    r"vectorized_map`, tape around; wrong": "[the custom gradient is dropped]"
    "(../mistakes/silent_systems.md#vectorized-map)",
    r"; forward mode .*wrong": "[forward mode](../mistakes/orders.md"
    "#forward-disagrees)",
    r"outside; (second order|.*, second order.*wrong)": "[the second derivative](outside.md#the-second-derivative)",
    r"'IdentityN' \(": "[IdentityN](../mistakes/saving.md#identityn)",
    r"internal_captures|\(resource|resource:": "[in a loop]"
    "(../mistakes/variables.md#in-a-loop)",
    r"Tensor.graph is undefined": "[in a branch](../mistakes/variables.md#in-a-branch)",
    r"mask; unknown batch": "`x.shape` has `None` for the batch dimension, so use `tf.shape(x)`",
    r"tf.cond`, tape around; |tf.cond` in ": "[branches and loops](graphs.md#branches-and-loops)",
    r"half tensor": "[a float32 number in float16](../mistakes/types.md#half-against-float)",
    r"PyFunc \(No registered": "[XLA](../mistakes/graphs.md#xla-pyfunc)",
    r"find callback": "[the function is not saved](../mistakes/saving.md#pyfunc)",
    r"tried to transpose": "[recomputation](../mistakes/memory.md#transpose)",
    r"mask; XLA": "[XLA draws different numbers from the seed](random.md#snippet-and-trace),"
    ' unless you pass `alg="philox"`',
    r"arctan; (second order|forward mode)": "[a custom gradient inside a custom gradient]"
    "(../mistakes/orders.md#nested-out-of-scope)",
    r"'_id'": "[forward mode](../mistakes/sparse.md#no-id)",
}
_NEXT = "Next: [find your mistake](../mistakes/index.md).\n"


def measured() -> dict[str, dict[str, str]]:
    """Of all kinds."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.composition.measure"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def text(found: dict[str, dict[str, str]]) -> str:
    cells = [said for kind in found.values() for said in kind.values()]
    right, wrong = cells.count(RIGHT), sum(each.startswith("wrong") for each in cells)
    head = _HEAD.format(
        custom=len(found) - 1,  # without tf.stop_gradient
        places=len(next(iter(found.values()))),
        cells=len(cells),
        right=right,
        wrong=wrong,
        closure=sum(
            each.startswith("wrong") for each in found["wrong/closed_over"].values()
        ),
        errors=len(cells) - right - wrong,
        without=sum(each.endswith(WITHOUT) for each in cells),
    )
    tables = [
        _table(found, KINDS[at : at + COLUMNS]) for at in range(0, len(KINDS), COLUMNS)
    ]
    words = {
        kind: {place: word(said) for place, said in places.items()}
        for kind, places in found.items()
    }
    causes = [_NOT_RIGHT + _causes(found), _ALL.rstrip("\n") + "\n"]
    parts = [section(kind, found[kind]) for kind in KINDS]
    return head + "\n".join([picture(words), *causes, *tables, *parts, _NEXT])


def word(said: str) -> str:
    """What a cell is: right, wrong or an error."""
    if said == RIGHT:
        return RIGHT
    return "wrong" if said.startswith("wrong") else "error"


def picture(words: dict[str, dict[str, str]]) -> str:
    """All cells by kind and place, each as one sign. The columns are narrower than a
    finger, so their headings are no links."""
    heads = [f"<span>{_TITLES[kind][0]}</span>" for kind in KINDS]
    lines = [["Place", *heads], ["---", *[":---:"] * len(KINDS)]]
    for place in words[KINDS[0]]:
        lines.append([place, *(_sign(kind, words[kind][place]) for kind in KINDS)])
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{_PICTURE}{table}\n</div>\n"


def _sign(kind: str, word: str) -> str:
    sign = _SIGNS[word]
    return sign if word == RIGHT else f"**{sign}**{{ .is-{word} }}"


def _causes(found: dict[str, dict[str, str]]) -> str:
    """A line for each explanation: where, of which kinds, and what is seen."""
    seen: dict[str, str] = {}
    cells: dict[str, dict[str, list[str]]] = {}
    for kind, places in found.items():
        for place, said in places.items():
            if said != RIGHT:
                cause = why(kind, place, said)
                seen.setdefault(cause, _shown(said.removesuffix(WITHOUT)))
                cells.setdefault(cause, {}).setdefault(place, []).append(kind)
    lines = ["| Where | Kinds | What you see, for example | Why |\n"]
    lines.append("| --- | --- | --- | --- |\n")
    for cause, by_place in cells.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for place, kinds in by_place.items():
            alike.setdefault(tuple(kinds), []).append(place)
        every = next(iter(found.values()))
        where = "<br>".join(_where(each, [*every]) for each in alike.values())
        which = "<br>".join(
            ", ".join(f"[{_TITLES[kind][0]}](#{_anchor(kind)})" for kind in kinds)
            if len(kinds) < len(found)
            else "all"
            for kinds in alike
        )
        lines.append(f"| {where} | {which} | {seen[cause]} | {cause} |\n")
    return "".join(lines)


def _where(places: list[str], every: list[str]) -> str:
    """The places, or those that are left, if these are fewer."""
    left = [each for each in every if each not in places]
    if len(left) < len(places):
        return f"all places except {'; '.join(left)}"
    return "; ".join(places)


def _table(found: dict[str, dict[str, str]], kinds: tuple[str, ...]) -> str:
    heads = [f"[{_TITLES[kind][0]}](#{_anchor(kind)})" for kind in kinds]
    lines = [["Place", *heads], ["---"] * (len(kinds) + 1)]
    for place in found[kinds[0]]:
        lines.append([place, *(_mark(kind, found[kind][place]) for kind in kinds)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _mark(kind: str, said: str) -> str:
    its = word(said)
    return its if its == RIGHT else f"[**{its}**](#{_anchor(kind)})"


def _anchor(kind: str) -> str:
    return kind.rpartition("/")[2].replace("_", "-")


def section(kind: str, found: dict[str, str]) -> str:
    """A kind, and all its places where it is not right."""
    title = _TITLES[kind][1]
    stem = f"systems/composition/{kind}"
    fence = "{.python .wrong " if "/" in kind else "python "
    end = "}" if "/" in kind else ""
    said: dict[str, list[str]] = {}
    for place, each in found.items():
        if each != RIGHT:
            said.setdefault(each, []).append(place)
    lines = "".join(
        f"| {'; '.join(places)} | {_shown(each)} | {why(kind, places[0], each)} |\n"
        for each, places in said.items()
    )
    table = (
        "The gradient isn't right in these places:\n\n"
        f"| Where | What you see | Why |\n| --- | --- | --- |\n{lines}"
    )
    return f"""\
## {title} {{ #{_anchor(kind)} }}

{_LOOK[kind]}

```{fence}title="{kind}.py"{end}
--8<-- "{stem}.py"
```

```text title="prints"
--8<-- "{stem}.out"
```

{table if lines else "The gradient is right in all places."}
"""


def why(kind: str, place: str, said: str) -> str:
    cell = f"{kind}; {place}; {said}"
    links = [link for part, link in _EXPLAINED.items() if re.search(part, cell)]
    return links[0] if links else ""


def _shown(said: str) -> str:
    text = said.removesuffix(WITHOUT)
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rpartition(" ")[0] + " …"
    return in_table(text) + (WITHOUT if said.endswith(WITHOUT) else "")
