"""Check the same gradient in TensorFlow, JAX and PyTorch with vjpcheck.

``PYTHONPATH=src frameworks/.venv/bin/python frameworks/twins.py jax`` takes functions
from programs of the site, and exits with 1 if a gradient is wrong. The programs of
TensorFlow run in the site's own environment, with ``tensorflow``.
"""

import contextlib
import importlib
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from vjpcheck import GradientError

PROGRAMS = Path(__file__).resolve().parents[1] / "snippets"
RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(2, 3))
TWINS: dict[str, tuple[str, list]] = {
    "guide/deriving/rms_norm": ("rms_norm", [ROWS, RNG.normal(size=3)]),
    "lessons/chain_rule/chain_rule": ("square", [1.3]),
    "lessons/several_outputs/several_outputs": ("both", [1.3, -0.7]),
    "guide/stability/stability": ("softplus", [0.4]),
    "guide/broadcasting/broadcasting": ("product", [ROWS, RNG.normal(size=3)]),
    "guide/matrices/matrices": ("product", [ROWS, RNG.normal(size=(3, 4))]),
    "guide/layers/layer_norm": ("layer_norm", [ROWS, RNG.normal(size=3), [0.1] * 3]),
    "guide/vjp/forward": ("pair", [RNG.normal(size=3)]),
    "guide/complex/modulus": ("modulus", [np.array([1 + 2j, 0.3 - 1j])]),
    "systems/higher/second": ("cube", [1.3]),
    "systems/implicit/root": ("kepler", [1.3, 0.4]),
    "systems/outside/sinc": ("sinc", [RNG.normal(size=3)]),
}
"""A function of each program, and its arguments."""
ONCE = ("systems/outside/sinc",)
"""Programs whose custom gradient has no second derivative."""


def main(framework: str) -> int:
    """Check the twins of one framework, and return the number of wrong gradients."""
    check = importlib.import_module(
        {"tensorflow": "vjpcheck"}.get(framework, f"vjpcheck.{framework}")
    ).check_grads
    problems = []
    for program, (name, arguments) in TWINS.items():
        try:
            with silence():
                args = [converted(framework, np.array(each)) for each in arguments]
                function = loaded(framework, program, name)
                order = 1 if program in ONCE else 2
                result = check(function, args, order, modes=("rev",))
                assert result.order == order
        except GradientError as error:
            problems.append(f"{program}: {name}: {error}")
    print(*problems, sep="\n", end="\n" * bool(problems))
    print(f"vjpcheck on {framework}: {len(TWINS) - len(problems)} gradients are right")
    return len(problems)


def loaded(framework: str, program: str, name: str) -> Callable:
    """Run a program, and return one of its functions. In PyTorch, ``layer_norm`` may
    be the class ``LayerNorm``."""
    kind = "" if framework == "tensorflow" else f".{framework}"
    names = runpy.run_path(str(PROGRAMS / f"{program}{kind}.py"))
    if name in names:
        return names[name]
    [function] = [
        value
        for key, value in names.items()
        if key.lower() == name.replace("_", "") and hasattr(value, "apply")
    ]
    return function.apply


def converted(framework: str, array: np.ndarray) -> object:
    """Return an array as a tensor, in float64 or complex128."""
    if framework == "tensorflow":
        import tensorflow as tf

        return tf.constant(array)
    if framework == "torch":
        import torch

        return torch.tensor(array, requires_grad=True)
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(array)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Discard what programs print, also from C++ and in backward passes."""
    saved = [os.dup(number) for number in (1, 2)]
    sys.stdout.flush()
    with open(os.devnull, "w") as nothing:
        for number in (1, 2):
            os.dup2(nothing.fileno(), number)
        try:
            with contextlib.redirect_stdout(nothing):
                yield
        finally:
            for number, copy in zip((1, 2), saved):
                os.dup2(copy, number)
                os.close(copy)


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1])))
