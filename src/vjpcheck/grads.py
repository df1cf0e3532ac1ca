"""``check_grads`` and ``check_custom_gradient``: derivatives beside finite differences.

``check_grads`` has the form of ``jax.test_util.check_grads``, and the options of
``torch.autograd.gradcheck`` that make sense in TensorFlow.
"""

import functools
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .check import check_rule, generators_kept
from .declared import Choice
from .derivatives import MODES, Check, Result
from .directions import Undecided, Wrong
from .function import called

OTHERS = {
    *("gradient_of", "upstream_becomes", "downstream_becomes", "make", "no_gradient")
}
"""Options that declare another gradient than the derivative."""
_SECONDS = 2.0
"""Between two lines of progress."""


def check_grads(
    f: Callable,
    args: Any,
    order: int = 1,
    modes: Sequence[str] = MODES,
    *,
    atol: Choice = None,
    rtol: Choice = None,
    eps: Choice = None,
    upstream: Any = None,
    tangent: Any = None,
    fast: bool = False,
    batched: bool = False,
    jit_compile: bool = False,
    strategy: tf.distribute.Strategy | None = None,
    between: Callable[[], object] | None = None,
    progress: bool = False,
    nondet_tol: float | None = 0.0,
    raise_exception: bool = True,
    seed: int = 0,
) -> Result:
    """Check the derivatives that TensorFlow computes, at ``args``.

    Reverse mode (``tf.GradientTape``) and forward mode
    (``tf.autodiff.ForwardAccumulator``) are compared with central finite differences
    that are extrapolated to step zero (C. J. F. Ridders, Advances in Engineering
    Software 4(2), 1982). The differences are taken in float64 if ``f`` accepts it, the
    derivatives in the dtypes of ``args``. Variables that ``f`` reads are checked like
    arguments. A kink accepts any value between the derivatives of its two sides.

    Args:
        f: takes ``*args``, and returns a tensor or a structure of tensors. Outputs that
            are neither floating nor complex are ignored.
        args: a tuple of tensors, arrays, floats, or structures of them, of any shapes.
            Integers, strings and None reach ``f`` as they are.
        order: derivatives up to this order are checked, in each combination of
            modes. The inputs of a second derivative include the upstream gradient or
            the tangent of the first.
        modes: ``"rev"``, ``"fwd"``, or both; with none, nothing is compared with finite
            differences. Eager forward mode differentiates the operations inside a
            custom gradient. It also calls the gradient function, but uses what that
            returns only where these operations have no derivative. If an argument is
            complex, both means ``"rev"``, because TensorFlow's forward mode needs real
            arguments. Above order 1, forward mode also raises for some functions that
            read variables, and above order 2 for some combinations of modes.
        atol: absolute tolerance of a directional derivative, 0 by default.
        rtol: relative tolerance: by default 1e-6 in float64, 1e-4 in float32, 0.03 in
            float16, 0.24 in bfloat16, and ten times as much above order 1.
        eps: the longest step. By default it scales with the inputs. Like the tolerances
            it is a number, or a mapping from dtypes to numbers. For ``eps``, the
            dtype is that of the finite differences.
        upstream: the upstream gradient at order 1, of the structure, shapes and dtypes
            of the outputs. By default a random one for each direction.
        tangent: the only direction at order 1, of the structure and shapes of ``args``.
            Leave out what has no derivative.
        fast: use one random direction, whatever the number of arguments. By default,
            up to 16 numbers move one at a time, and more move in 16 random mixtures.
        batched: compare the backward pass inside ``tf.vectorized_map``, as in
            ``tape.jacobian``, with single calls.
        jit_compile: compare both passes, compiled by XLA, with the eager ones.
        strategy: compare the gradients in each replica of this strategy with those
            outside.
        between: is called without arguments after a forward pass. The backward pass
            must return the same gradient as without it. If two functions share
            state, let it call the other one.
        progress: every two seconds, print to stderr how often ``f`` was called.
        nondet_tol: by how much the gradients may differ when both passes are repeated,
            or the backward pass alone; None to leave that out.
        raise_exception: False to get the problems in the result.
        seed: the seed of all random numbers that the check draws. The generators get
            their states back.

    Returns:
        What was compared, and the problems.

    Raises:
        AssertionError: a derivative is wrong, raises, or has the wrong shape or dtype;
            or finite differences determined too few. The message has the point.
        ValueError: an unknown mode, an order below 1, or an ``upstream`` or ``tangent``
            that doesn't fit.

    Examples:
        >>> check_grads(tf.sin, (tf.constant([1.0, 2.0]),), order=2).problems
        []
    """
    if order < 1 or not set(modes) <= set(MODES):
        raise ValueError(f"order must be at least 1, and modes among {MODES}")
    arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if progress:
        f = _counted(f)
    call, result = called(f, f, arguments, {}), Result()
    with generators_kept(call):
        try:
            check = Check(
                call, result, modes, fast, atol, rtol, eps, np.random.default_rng(seed)
            )
            try:
                check.given(upstream, tangent)
                check.level(check.first, order)
                check.others(nondet_tol, batched, jit_compile, strategy, between)
            finally:
                call.restore()
        except Wrong as wrong:
            result.problems.append(str(wrong))
            result.undecided |= isinstance(wrong, Undecided)
    return _judged(result, raise_exception)


def check_custom_gradient(
    f: Callable,
    args: Any,
    order: int = 1,
    modes: Sequence[str] = ("rev",),
    *,
    atol: Choice = None,
    rtol: Choice = None,
    eps: Choice = None,
    upstream: Any = None,
    tangent: Any = None,
    fast: bool = False,
    batched: bool = False,
    jit_compile: bool = False,
    strategy: tf.distribute.Strategy | None = None,
    between: Callable[[], object] | None = None,
    progress: bool = False,
    nondet_tol: float | None = 0.0,
    raise_exception: bool = True,
    seed: int = 0,
    **declared: Any,
) -> Result:
    """Check a custom gradient, by ``check_rule`` and then by ``check_grads``.

    ``check_rule`` also tries other points, upstream gradients of several sizes and
    kinds, a ``tf.function``, interleaved calls and, with ``shapes=True``, other shapes.

    Args:
        f: a function decorated with ``tf.custom_gradient``, or one that calls such a
            function.
        args: as in ``check_grads``. So are all options from ``order`` to ``seed``.
        fast: leave out ``check_rule``, unless it has options.
        **declared: options of ``check_rule``, such as ``gradient_of=tf.tanh`` for a
            surrogate gradient, ``no_gradient=["labels"]`` or ``where=…``. If they
            declare another gradient, or no gradient of an argument, ``check_grads`` is
            left out, but not its options ``batched``, ``between``, ``jit_compile``,
            ``strategy`` and ``nondet_tol``.
            ``within`` is also the relative tolerance of ``check_grads``.

    Returns:
        What was compared, and the problems. Its ``report`` is what ``check_rule``
        returned.

    Raises:
        AssertionError: as in ``check_grads`` and ``check_rule``.
        ValueError: as in ``check_grads`` and ``check_rule``.
    """
    arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    report, problems, undecided = None, [], False
    if progress:
        f = _counted(f)
    tolerances: dict[str, Any] = {"atol": atol, "rtol": rtol, "eps": eps, "seed": seed}
    if not fast or declared:
        try:
            report = check_rule(f, *arguments, **tolerances, **declared)
        except Wrong as wrong:
            problems, undecided = [str(wrong)], isinstance(wrong, Undecided)
    result = Result(problems, undecided, report=report)
    if rtol is None:
        tolerances["rtol"] = declared.get("within")
    if not problems:
        result = check_grads(
            f,
            arguments,
            order,
            () if OTHERS & declared.keys() else modes,
            **tolerances,
            upstream=upstream,
            tangent=tangent,
            fast=fast,
            batched=batched,
            jit_compile=jit_compile,
            strategy=strategy,
            between=between,
            nondet_tol=nondet_tol,
            raise_exception=False,
        )
        result.report = report
    return _judged(result, raise_exception)


def _counted(f: Callable) -> Callable:
    """``f``, which tells how often it was called."""
    start = told = time.monotonic()
    count = 0

    @functools.wraps(f)
    def counted(*args: Any, **keywords: Any) -> Any:
        nonlocal count, told
        count += 1
        now = time.monotonic()
        if now - told >= _SECONDS:
            told = now
            print(
                f"vjpcheck: {count} calls in {now - start:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        return f(*args, **keywords)

    return counted


def _judged(result: Result, raise_exception: bool) -> Result:
    if raise_exception and result.problems:
        kind = Undecided if result.undecided else Wrong
        raise kind("\n".join(result.problems))
    return result
