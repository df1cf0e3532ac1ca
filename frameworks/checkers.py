"""Measure which mistakes the checkers of a framework find, and compare them with those
in ``checkers.json``.

``PYTHONPATH=src frameworks/.venv/bin/python frameworks/checkers.py jax`` exits with 1
if a cell of this framework differs; with the word ``update``, it rewrites its cells.

A cell is "found" if the checker rejects the mistake, and "missed" if it accepts it. It
is "raises" if the framework itself refuses the gradient, "right" if the mistake has no
consequence there, and "rejects all" if the checker also rejects the right gradient.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

RECORD = Path(__file__).with_suffix(".json")
X = np.array([0.7, 1.3, 2.1])
ROWS = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.4]])
SQUARE = np.array([[0.5, -1.0], [2.0, 1.5]])
COMPLEX = np.array([1 + 2j, 0.3 - 1j])
STATE: dict[str, Any] = {}


def of_jax() -> SimpleNamespace:
    """Return JAX's functions, derivatives and checkers."""
    import jax
    import jax.numpy as jnp
    from jax.test_util import check_grads

    import vjpcheck.jax

    jax.config.update("jax_enable_x64", True)

    def custom(function, gradient, saved):
        result = jax.custom_vjp(function)
        result.defvjp(
            lambda *inputs: (result(*inputs), saved(*inputs)),
            lambda residuals, upstream: gradient(
                *(upstream if isinstance(upstream, tuple) else (upstream,)), *residuals
            ),
        )
        return result

    def gradients(loss, inputs):
        return jax.grad(loss, tuple(range(len(inputs))))(*inputs)

    return SimpleNamespace(
        np=jnp,
        T=jnp.transpose,
        softmax=lambda x: jax.nn.softmax(x, -1),
        cast=lambda x, like: x.astype(getattr(like, "dtype", like)),
        stop=jax.lax.stop_gradient,
        tensor=jnp.asarray,
        custom=custom,
        gradients=gradients,
        slope=lambda f: jax.grad(lambda x: jnp.sum(f(x))),
        conjugates=True,
        checkers={
            "check_grads": lambda f, args: check_grads(f, args, 2, ["rev"]),
            "vjpcheck.jax.check_grads": partial(reverse, vjpcheck.jax),
        },
    )


def of_torch() -> SimpleNamespace:
    """Return PyTorch's functions, derivatives and checkers."""
    import torch

    import vjpcheck.torch

    def custom(function, gradient, saved):
        class Custom(torch.autograd.Function):
            @staticmethod
            def forward(*inputs):
                return function(*inputs)

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*saved(*inputs))

            @staticmethod
            def backward(ctx, *upstream):
                return gradient(*upstream, *ctx.saved_tensors)

        return Custom.apply

    def gradients(loss, inputs):
        leaves = [each.detach().clone().requires_grad_() for each in inputs]
        found = torch.autograd.grad(
            loss(*leaves), leaves, create_graph=True, allow_unused=True
        )
        return [
            None if each is None else each.detach().resolve_conj() for each in found
        ]

    def slope(function):
        def first(x):
            y = torch.sum(function(x))
            return torch.autograd.grad(y, x, create_graph=True)[0]

        return first

    torch.manual_seed(0)  # gradgradcheck draws upstream gradients

    def tensor(array):
        return torch.tensor(array, requires_grad=True)

    return SimpleNamespace(
        np=torch,
        T=torch.t,
        softmax=lambda x: torch.softmax(x, -1),
        cast=lambda x, like: x.to(
            getattr(torch, like) if isinstance(like, str) else like.dtype
        ),
        stop=torch.Tensor.detach,
        tensor=tensor,
        custom=custom,
        gradients=gradients,
        slope=slope,
        conjugates=False,
        checkers={
            "gradcheck": torch.autograd.gradcheck,
            "gradcheck, gradgradcheck": lambda f, args: (
                torch.autograd.gradcheck(f, args),
                torch.autograd.gradgradcheck(f, args),
            ),
            "vjpcheck.torch.check_grads": partial(reverse, vjpcheck.torch),
        },
    )


def of_tensorflow() -> SimpleNamespace:
    """Return TensorFlow's functions, derivatives and checkers."""
    import tensorflow as tf
    import tensorflow.experimental.numpy as tnp

    import vjpcheck

    def custom(function, gradient, saved):
        @tf.custom_gradient
        def decorated(*inputs):
            values = saved(*inputs)
            return function(*inputs), lambda *upstream: gradient(*upstream, *values)

        return decorated

    def gradients(loss, inputs):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            value = loss(*inputs)
        return tape.gradient(value, inputs)

    def slope(function):
        def first(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = tf.reduce_sum(function(x))
            return tape.gradient(value, x)

        return first

    def compute_gradient(f, args):
        # The tolerances of PyTorch's gradcheck.
        for theory, numeric in zip(*tf.test.compute_gradient(f, args)):
            assert np.allclose(theory, numeric, rtol=1e-3, atol=1e-5)

    return SimpleNamespace(
        np=tnp,
        T=tf.transpose,
        softmax=tf.nn.softmax,
        cast=lambda x, like: tf.cast(x, getattr(like, "dtype", like)),
        stop=tf.stop_gradient,
        tensor=tf.constant,
        custom=custom,
        gradients=gradients,
        slope=slope,
        conjugates=False,
        checkers={
            "compute_gradient": compute_gradient,
            "vjpcheck.check_grads": partial(reverse, vjpcheck),
            "vjpcheck.check_custom_gradient": vjpcheck.check_custom_gradient,
        },
    )


def reverse(module: Any, f: Callable, args: tuple) -> None:
    """Check reverse mode to the second order."""
    module.check_grads(f, args, 2, ("rev",))


@dataclass(frozen=True)
class Mistake:
    """A function, the same with a wrong gradient, and a loss that shows the mistake."""

    name: str
    plain: Callable
    wrong: Callable
    inputs: tuple[np.ndarray, ...]
    """The arguments of the checkers."""
    loss: Callable[[Callable], Callable]
    """Takes one of the functions, and returns a function of ``shown_at``."""
    shown_at: tuple[np.ndarray, ...]


def mistakes(of: SimpleNamespace) -> list[Mistake]:
    """Return the mistakes in one framework."""
    xp, listed = of.np, []

    def weighted(function):
        return lambda *inputs: xp.sum(-3.3 * function(*inputs))

    def mistake(
        name,
        plain,
        gradient,
        *inputs,
        saved=lambda *inputs: inputs,
        loss=weighted,
        shown_at=None,
        wrong=None,
    ):
        wrong = wrong or of.custom(plain, gradient, saved)
        listed.append(Mistake(name, plain, wrong, inputs, loss, shown_at or inputs))

    square, cube = (lambda x: x * x), (lambda x: x * x * x)
    upstream(of, mistake, square)
    shapes(of, mistake)

    mistake(
        "right only for positive inputs",
        lambda x: x * xp.abs(x),
        lambda u, x: (u * 2.0 * x,),
        X,
        shown_at=(-X,),
    )
    mistake(
        "NaN at 0",
        square,
        lambda u, x: (u * 2.0 * square(x) / x,),
        X,
        shown_at=(0 * X,),
    )
    mistake(
        "float64 for a float32 input",
        square,
        lambda u, x: (of.cast(u * 2.0 * x, "float64"),),
        X.astype(np.float32),
    )

    def captured(x, w):
        f = of.custom(lambda x: w * x * x, lambda u, x: (u * 2.0 * w * x,), one)
        return f(x)

    def one(x):
        return (x,)

    mistake(
        "a captured tensor",
        lambda x, w: w * x * x,
        None,
        X,
        np.array(2.0),
        wrong=captured,
    )

    def remember(x):
        STATE["x"] = x
        return ()

    mistake(
        "state shared by calls",
        square,
        lambda u: (u * 2.0 * STATE["x"],),
        X,
        saved=remember,
        loss=lambda f: weighted(lambda x: f(x) + f(2.0 * x)),
    )
    mistake("0.05 % too large", square, lambda u, x: (u * 2.001 * x,), X)
    for name, saved in (
        ("stopped", lambda x: (of.stop(3.0 * x * x),)),
        ("from the forward pass", lambda x: (3.0 * x * x,)),
    ):
        mistake(
            f"second order: local derivative {name}",
            cube,
            lambda u, local: (u * local,),
            X,
            saved=saved,
            loss=lambda f: weighted(of.slope(lambda x: x * f(x))),
        )
    mistake(
        "complex: conjugated for another framework",
        square,
        lambda u, z: (u * 2.0 * (xp.conj(z) if of.conjugates else z),),
        COMPLEX,
        loss=lambda f: weighted(lambda z: xp.real(f(z))),
    )
    return listed


def upstream(of: SimpleNamespace, mistake: Callable, square: Callable) -> None:
    """Register mistakes with the upstream gradient."""
    xp = of.np

    def in_place(u, x):
        u *= 2.0 * x
        return (u,)

    mistake("no upstream", square, lambda u, x: (2.0 * x,), X)
    mistake(
        "absolute value of upstream", square, lambda u, x: (xp.abs(u) * 2.0 * x,), X
    )
    mistake(
        "upstream clipped to ±1",
        square,
        lambda u, x: (xp.clip(u, -1.0, 1.0) * 2.0 * x,),
        X,
    )
    mistake(
        "upstream cast to float16",
        square,
        lambda u, x: (of.cast(of.cast(u, "float16"), x) * 2.0 * x,),
        X,
    )
    mistake(
        "NaN where upstream is 0",
        square,
        lambda u, x: (u * u / u * 2.0 * x,),
        X,
        loss=lambda f: lambda x: xp.sum(f(x)[:1]),
    )
    mistake(
        "upstream changed in place",
        square,
        in_place,
        X,
        loss=lambda f: lambda x: xp.sum(-3.3 * (2.0 * x + f(x))),
    )


def shapes(of: SimpleNamespace, mistake: Callable) -> None:
    """Register mistakes with axes, and a missing gradient."""
    xp = of.np

    def product(x, y):
        return x * y

    def sum_over_all(u, x):
        y = of.softmax(x)
        return (y * (u - xp.sum(u * y)),)

    mistake(
        "no sum over a broadcast axis", product, lambda u, x, y: (u * y, u * x), X, ROWS
    )
    mistake(
        "no transpose, square matrix",
        lambda x, w: x @ w,
        lambda u, x, w: (u @ w, of.T(x) @ u),
        SQUARE,
        SQUARE + 1.0,
    )
    mistake(
        "sum over all axes",
        of.softmax,
        sum_over_all,
        ROWS,
        loss=lambda f: lambda x: xp.sum(f(x) * f(x)),
    )
    mistake(
        "right only for a batch of two",
        lambda x: xp.sum(x * x, 0) / x.shape[0],
        lambda u, x: (u * x,),
        ROWS,
        shown_at=(np.concatenate([ROWS, ROWS[:1]]),),
    )
    mistake("None for an input", product, lambda u, x, y: (None, u * x), X, X + 1.0)


def consequence(of: SimpleNamespace, case: Mistake) -> str:
    """Return what the framework makes of a mistake, without a checker: "raises",
    "right", or "silent"."""
    results = []
    for function in (case.plain, case.wrong):
        inputs = [of.tensor(array) for array in case.shown_at]
        try:
            gradients = of.gradients(case.loss(function), inputs)
        except Exception:
            return "raises"
        results.append(
            [None if each is None else np.asarray(each) for each in gradients]
        )
    is_right = all(
        wrong is not None
        and (wrong.shape, wrong.dtype) == (right.shape, right.dtype)
        and np.allclose(wrong, right, rtol=1e-5, atol=0.0)
        for right, wrong in zip(*results)
    )
    return "right" if is_right else "silent"


def cell(of: SimpleNamespace, case: Mistake, checker: Callable) -> str:
    """Return the cell of a checker for a mistake that raises no error by itself."""

    def accepts(function: Callable) -> bool:
        try:
            checker(function, tuple(of.tensor(array) for array in case.inputs))
        except Exception:
            return False
        return True

    if accepts(case.wrong):
        return "missed"
    return "found" if accepts(case.plain) else "rejects all"


def main(framework: str, *words: str) -> int:
    """Fill the cells of a framework, and compare them with the record or rewrite it."""
    of = {"tensorflow": of_tensorflow, "jax": of_jax, "torch": of_torch}[framework]()
    cells: dict[str, dict[str, str]] = {name: {} for name in of.checkers}
    for case in mistakes(of):
        outcome = consequence(of, case)
        for name, checker in of.checkers.items():
            silent = outcome == "silent"
            cells[name][case.name] = cell(of, case, checker) if silent else outcome
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    if "update" in words:
        versions = record.get("versions", {}) | {framework: metadata.version(framework)}
        record |= {framework: cells, "versions": versions}
        text = json.dumps(record, indent=1, ensure_ascii=False)
        RECORD.write_text(f"{text}\n", "utf-8")
        return 0
    known = record.get(framework, {})
    differing = [
        f"{framework}: {checker}: {name}: {outcome}"
        for checker, column in cells.items()
        for name, outcome in column.items()
        if known.get(checker, {}).get(name) != outcome
    ]
    print(*differing, sep="\n", end="\n" * bool(differing))
    print(f"Checkers of {framework}: {len(known)} columns compared")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
