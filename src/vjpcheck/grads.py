"""``check_grads`` and ``check_custom_gradient``: derivatives beside finite differences.

``check_grads`` has the form of ``jax.test_util.check_grads``, and the options of
``torch.autograd.gradcheck`` that make sense in TensorFlow.
"""

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .check import check_rule, restored_generators
from .declared import Choice
from .derivatives import MODES, Check, Result
from .directions import Undecided, Wrong
from .function import Function, call_of

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
    progress: bool = False,
    nondet_tol: float | None = 0.0,
    raise_exception: bool = True,
    seed: int = 0,
) -> Result:
    """Check the derivatives that TensorFlow computes, at ``args``.

    The check compares reverse mode (``tf.GradientTape``) and forward mode
    (``tf.autodiff.ForwardAccumulator``) with central finite differences that are
    extrapolated to step zero (C. J. F. Ridders, Advances in Engineering Software
    4(2), 1982). It computes the finite differences in float64 if ``f`` accepts float64,
    and the derivatives in the dtypes of ``args``. If ``f`` reads variables, the check
    treats them like arguments. At a kink, it accepts any value between the derivatives
    of the two sides.

    Args:
        f: the function. It takes ``*args``, and returns a tensor or a structure of
            tensors. The check ignores outputs that are neither floating nor complex.
        args: a tuple of tensors, arrays, floats, or structures of them, of any shapes.
            The check passes integers, strings and None to ``f`` unchanged.
        order: the highest order of the derivatives. The check includes all lower
            orders, in each combination of modes. Above order 1, it differentiates the
            derivative of the next lower order with respect to the arguments. It also
            differentiates that derivative with respect to its upstream gradient or, in
            forward mode, its tangent.
        modes: ``"rev"``, ``"fwd"``, or both. If ``modes`` is empty, the check compares
            nothing with finite differences. If an argument is complex, the check skips
            ``"fwd"``, because TensorFlow's forward mode needs real arguments. Eager
            forward mode differentiates the operations in the forward pass of a custom
            gradient. It also calls the gradient function, but uses the result only
            where these operations have no derivative. Above order 1, forward mode
            raises an error for some functions that read variables. Above order 2, some
            combinations of modes raise an error as well.
        atol: the absolute tolerance of a directional derivative, 0 by default.
            ``atol``, ``rtol`` and ``eps`` can each be a number, or a mapping from
            dtypes to numbers.
        rtol: the relative tolerance. By default, it is 1e-6 in float64, 1e-4 in
            float32, 0.03 in float16 and 0.24 in bfloat16. Above order 1, the default is
            ten times as large.
        eps: the largest step of the finite differences. By default, it scales with the
            inputs. In a mapping, the dtype is the one in which the check computes the
            finite differences.
        upstream: the upstream gradient at order 1, with the structure, shapes and
            dtypes of the outputs. By default, the check draws a random one for each
            direction.
        tangent: the only direction at order 1, with the structure and shapes of
            ``args``, but without those arguments that can't have a derivative, such as
            integers. By default, the check chooses the directions: see ``fast``.
        fast: True to use only one random direction. By default, the check changes the
            elements of the arguments one at a time. If there are more than 16 elements,
            it uses 16 random directions instead, each of which changes all elements.
        batched: True to compare the backward pass inside ``tf.vectorized_map`` with one
            call for each upstream gradient. ``tape.jacobian`` vectorizes the backward
            pass in the same way.
        jit_compile: True to compare the forward and the backward pass that XLA compiled
            with the eager forward and backward pass.
        progress: True to print to stderr, every two seconds, how often ``f`` was
            called.
        nondet_tol: the largest difference that is allowed between the gradients of two
            equal calls. The check repeats both passes together, and then the backward
            pass alone. None skips these repetitions.
        raise_exception: False to return the problems in the result, instead of raising
            an exception.
        seed: the seed of all random numbers that the check draws. Afterwards, the check
            restores the states of all generators.

    Returns:
        A ``Result``: how much was compared, and the problems.

    Raises:
        AssertionError: a derivative is wrong, raises an error, or has the wrong shape
            or dtype. The check also raises this error if finite differences determined
            too few derivatives. The message contains the point.
        ValueError: an unknown mode, only forward mode for a complex argument, an order
            below 1, or an ``upstream`` or ``tangent`` that doesn't fit.

    Examples:
        >>> check_grads(tf.sin, (tf.constant([1.0, 2.0]),), order=2).problems
        []
    """
    if order < 1 or not set(modes) <= set(MODES):
        raise ValueError(f"order must be at least 1, and modes among {MODES}")
    arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if progress:
        f = _counted(f)
    call, result = call_of(f, f, arguments, {}), Result()
    rng = np.random.default_rng(seed)
    with _collected(call, result):
        check = Check(call, result, modes, fast, atol, rtol, eps, rng)
        try:
            check.use(upstream, tangent)
            check.level(check.first, order)
            check.passes(nondet_tol, batched, jit_compile)
        finally:
            call.restore()
    return _raise_problems(result, raise_exception)


@contextlib.contextmanager
def _collected(call: Function, result: Result) -> Iterator[None]:
    """Add what is wrong to a result, and restore the global generators at the end."""
    with restored_generators(call):
        try:
            yield
        except Wrong as wrong:
            result.problems.append(str(wrong))
            result.undecided |= isinstance(wrong, Undecided)


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
    progress: bool = False,
    nondet_tol: float | None = 0.0,
    raise_exception: bool = True,
    seed: int = 0,
    **declared: Any,
) -> Result:
    """Check a custom gradient with ``check_rule``, and then with ``check_grads``.

    ``check_grads`` checks the derivatives at ``args``. ``check_rule`` also tries other
    points, upstream gradients of several sizes and kinds, a ``tf.function`` and, with
    ``shapes=True``, other shapes. It also calls ``f`` with other arguments between the
    forward and the backward pass, because such a call must not change the gradient.

    Args:
        f: a function decorated with ``tf.custom_gradient``, or one that calls such a
            function.
        args: the arguments of ``f``, as in ``check_grads``. Except for ``fast``, the
            options from ``order`` to ``seed`` have the same meaning as in
            ``check_grads``.
        fast: True to use only one random direction in ``check_grads``. If you pass no
            options of ``check_rule``, ``fast=True`` also skips ``check_rule``.
        **declared: options of ``check_rule``, such as ``gradient_of=tf.tanh`` for a
            surrogate gradient, or ``where=…``. If you pass ``gradient_of``,
            ``upstream_becomes``, ``downstream_becomes``, ``make`` or ``no_gradient``,
            ``check_grads`` compares nothing with finite differences. The check still
            makes the comparisons that ``batched``, ``jit_compile`` and ``nondet_tol``
            turn on. ``within`` is also the relative tolerance of ``check_grads``,
            unless you pass ``rtol``.

    Returns:
        A ``Result``: how much was compared, and the problems. Its ``report`` is the
        ``Report`` of ``check_rule``.

    Raises:
        AssertionError: for the same reasons as in ``check_grads`` and ``check_rule``.
        ValueError: for the same reasons as in ``check_grads`` and ``check_rule``.

    Examples:
        >>> @tf.custom_gradient
        ... def square(x):
        ...     return x**2, lambda upstream: upstream * x  # should be 2 * x
        >>> check_custom_gradient(square, (tf.constant([1.0, 2.0]),))
        Traceback (most recent call last):
            ...
        vjpcheck.directions.Wrong: at x = [1. 2.] with upstream = [-2.325 -0.2188]: the
        gradient with respect to x[0] is -2.32503, but -4.65006 is right
    """
    arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if progress:
        f = _counted(f)
    tolerances: dict[str, Any] = {"atol": atol, "rtol": rtol, "eps": eps, "seed": seed}
    result = Result()
    if not fast or declared:
        result = _check_rule(f, arguments, tolerances | declared)
    if not result.problems:
        if rtol is None:
            tolerances["rtol"] = declared.get("within")
        passed: dict[str, Any] = {"upstream": upstream, "tangent": tangent}
        passed |= {"fast": fast, "batched": batched, "jit_compile": jit_compile}
        passed |= {"nondet_tol": nondet_tol, "raise_exception": False}
        modes, report = () if OTHERS & declared.keys() else modes, result.report
        result = check_grads(f, arguments, order, modes, **tolerances, **passed)
        result.report = report
    return _raise_problems(result, raise_exception)


def _check_rule(f: Callable, arguments: tuple, options: dict[str, Any]) -> Result:
    """Return the report of ``check_rule``, or its problem, in a result."""
    try:
        return Result(report=check_rule(f, *arguments, **options))
    except Wrong as wrong:
        return Result([str(wrong)], isinstance(wrong, Undecided))


def _counted(f: Callable) -> Callable:
    """``f``, which tells how often it was called."""
    start = last_told = time.monotonic()
    count = 0

    @functools.wraps(f)
    def counted(*args: Any, **keywords: Any) -> Any:
        nonlocal count, last_told
        count += 1
        time_now = time.monotonic()
        if time_now - last_told >= _SECONDS:
            last_told = time_now
            print(
                f"vjpcheck: {count} calls in {time_now - start:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        return f(*args, **keywords)

    return counted


def _raise_problems(result: Result, raise_exception: bool) -> Result:
    if raise_exception and result.problems:
        kind = Undecided if result.undecided else Wrong
        raise kind("\n".join(result.problems))
    return result
