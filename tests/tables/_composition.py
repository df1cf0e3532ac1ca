"""The cells of the composition matrix, and how they are shown and explained."""

import functools
import json
import re
import subprocess
import sys

from ._cells import in_table
from ._measured import KINDS, RIGHT, ROOT, WITHOUT

_LONGEST = 140
"""Letters of a message."""
_NUMBER = re.compile(r"(?<=_)\d{3,}\b")
"""A number in a name that TensorFlow counts up."""
TITLES = {
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
_EXPLAINED = {
    r"closed_over; .*wrong": "[a captured tensor](../mistakes/silent.md#closed-over)",
    r"KerasTensor": "[a KerasTensor](../mistakes/keras.md#keras-tensor)",
    r"vectorized_map`, tape outside the map; wrong": "[the custom gradient is dropped]"
    "(../mistakes/silent_systems.md#vectorized-map)",
    r"; forward mode.*wrong": "[forward mode](../mistakes/orders.md#forward-disagrees)",
    r"outside; (second order|.*, second order.*wrong)": "[the second derivative](outside.md#the-second-derivative)",
    r"'IdentityN' \(": "[IdentityN](../mistakes/saving.md#identityn)",
    r"internal_captures|\(resource|resource:": "[in a loop]"
    "(../mistakes/variables.md#in-a-loop)",
    r"Tensor.graph is undefined": "[in a branch](../mistakes/variables.md#in-a-branch)",
    r"mask; unknown batch": "`x.shape` has `None` for the batch dimension, so use `tf.shape(x)`",
    r"tf.cond`, outside; |tf.cond` in ": "[branches and loops](graphs.md#branches-and-loops)",
    r"half tensor": "[a float32 number in float16](../mistakes/types.md#half-against-float)",
    r"PyFunc \(No registered": "[XLA](../mistakes/graphs.md#xla-pyfunc)",
    r"find callback": "[the function is not saved](../mistakes/saving.md#pyfunc)",
    r"tried to transpose": "[recomputation](memory.md#transpose)",
    r"mask; XLA": "[XLA draws different numbers from the seed](random.md#snippet-and-trace),"
    ' unless you pass `alg="philox"`',
    r"arctan; (second order|forward mode)": "[a custom gradient inside a custom gradient]"
    "(../mistakes/orders.md#nested-out-of-scope)",
    r"'_id'": "[forward mode](../mistakes/sparse.md#no-id)",
}


@functools.cache
def measured() -> dict[str, dict[str, str]]:
    """Return what each kind of custom gradient shows in each place.

    Raises:
        RuntimeError: the process that measures failed; the message is its error.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.tables._measured"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def word(cell: str) -> str:
    """Return ``right``, ``wrong`` or ``error`` for a cell."""
    if cell == RIGHT:
        return RIGHT
    return "wrong" if cell.startswith("wrong") else "error"


def anchor(kind: str) -> str:
    """Return the anchor of a kind's section."""
    return kind.rpartition("/")[2].replace("_", "-")


def cause(kind: str, place: str, cell: str) -> str:
    """Return why a cell isn't right, in Markdown."""
    text = f"{kind}; {place}; {cell}"
    links = [link for part, link in _EXPLAINED.items() if re.search(part, text)]
    return links[0] if links else ""


def cause_anchor(why: str) -> str:
    """Return the anchor of a cause's row.

    Args:
        why: the cause in Markdown, from ``cause``.
    """
    link = re.search(r"#([\w-]+)\)", why)
    words = re.findall(r"\w+", why.lower())
    return f"cause-{link[1] if link else '-'.join(words[:4])}"


def shown(cell: str) -> str:
    """Return the message or the numbers of a cell for a table."""
    text = _NUMBER.sub("N", cell.removesuffix(WITHOUT))
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rpartition(" ")[0] + " …"
    return in_table(text) + (WITHOUT if cell.endswith(WITHOUT) else "")


__all__ = ["KINDS", "RIGHT", "TITLES", "WITHOUT"]
__all__ += ["anchor", "cause", "cause_anchor", "measured", "shown", "word"]
