"""How long a check takes, beside TensorFlow's own: custom gradients of the site's
programs, checked in one process, in turns."""

import contextlib
import io
import runpy
import time
from collections.abc import Callable, Iterator
from functools import partial

from .books import ROOT

ROUNDS = 5
LARGE = 300
"""Numbers of the large input."""
FUNCTIONS: dict[str, list[tuple[int, ...]]] = {
    "lessons/vectors/check.py: square": [(6,)],
    "lessons/vectors/broadcast.py: scale": [(), (6,)],
    "guide/stability/check.py: softplus": [(6,)],
    "guide/stability/norm.py: norm": [(6,)],
    "guide/layers/solution.py: rms_norm": [(2, 4)],
    "guide/layers/layer_norm.py: layer_norm": [(2, 4), (4,), (4,)],
    "guide/matrices/inverse.py: inverse": [(3, 3)],
    "guide/matrices/det.py: det": [(3, 3)],
}
"""Program and function, and the shapes of its inputs."""


def measure() -> dict[str, dict[str, list[float]]]:
    """Seconds of each checker, for each function."""
    return {
        title: _rounds(function, inputs) for title, function, inputs in _functions()
    }


def _functions() -> Iterator[tuple[str, Callable, list]]:
    import numpy as np
    import tensorflow as tf

    random = np.random.default_rng(0)

    def drawn(*shapes: tuple[int, ...]) -> list:
        return [tf.constant(random.normal(size=shape)) for shape in shapes]

    functions = {}
    for key, shapes in FUNCTIONS.items():
        program, name = key.split(": ")
        with contextlib.redirect_stdout(io.StringIO()):
            functions[key] = runpy.run_path(str(ROOT / "snippets" / program))[name]
        inputs = drawn(*shapes)
        numbers = sum(each.shape.num_elements() for each in inputs)
        yield f"`{name}`, {numbers} numbers", functions[key], inputs
    first = next(iter(functions))
    yield (
        f"`{first.split(': ')[1]}`, {LARGE} numbers",
        functions[first],
        drawn((LARGE,)),
    )


def _rounds(function: Callable, inputs: list) -> dict[str, list[float]]:
    import tensorflow as tf

    from vjpcheck import check_custom_gradient, check_grads

    checkers = {
        "compute_gradient": partial(tf.test.compute_gradient, function, inputs),
        "check_grads": partial(check_grads, function, inputs, modes=["rev"]),
        "fast": partial(check_grads, function, inputs, modes=["rev"], fast=True),
        "check_custom_gradient": partial(check_custom_gradient, function, inputs),
    }
    seconds: dict[str, list[float]] = {name: [] for name in checkers}
    for turn in range(ROUNDS + 1):
        for name, checker in checkers.items():
            start = time.perf_counter()
            checker()
            if turn:  # the first compiles kernels
                seconds[name].append(time.perf_counter() - start)
    return seconds
