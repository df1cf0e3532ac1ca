"""How long a check takes, beside TensorFlow's own and JAX's: custom gradients of the
site's programs, checked in turns."""

import contextlib
import io
import json
import runpy
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from .books import ROOT

ROUNDS = 5
MODES = ("rev", "fwd")
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


def measure_beside_jax(python: str) -> dict:
    """Of ``check_grads`` here and in JAX, in each mode. ``python`` has JAX: its process
    waits while this one measures, and this one waits for it."""
    script = Path(__file__).with_name("in_jax.py")
    with subprocess.Popen(
        [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as jax:
        assert jax.stdin and jax.stdout
        version = jax.stdout.readline().strip()
        seconds = {
            title: _beside_jax(jax, function, inputs)
            for title, function, inputs in _functions()
        }
    return {"version": version, "seconds": seconds}


def _beside_jax(
    jax: subprocess.Popen, function: Callable, inputs: list
) -> dict[str, list[float]]:
    from vjpcheck import check_grads

    def theirs(mode: str) -> float:
        question = function.__name__, mode, [each.numpy().tolist() for each in inputs]
        print(json.dumps(question), file=jax.stdin, flush=True)
        return float(jax.stdout.readline())

    def ours(mode: str, fast: bool) -> float:
        start = time.perf_counter()
        check_grads(function, inputs, modes=[mode], fast=fast)
        return time.perf_counter() - start

    contenders: dict[str, Callable[[], float]] = {}
    for mode in MODES:
        contenders[f"jax {mode}"] = partial(theirs, mode)
        contenders[f"fast {mode}"] = partial(ours, mode, fast=True)
        contenders[f"check_grads {mode}"] = partial(ours, mode, fast=False)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(ROUNDS + 1):
        for name, contender in contenders.items():
            took = contender()
            if turn:  # the first compiles kernels, in JAX as well
                seconds[name].append(took)
    return seconds


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
