"""The two verbs that check: ``check_grads`` and ``check_custom_gradient``."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import as_tuple
from .core import Result, demand_numbers
from .function import Misdeclared, call_of
from .levels import MODES, STREAM
from .options import options_of
from .rule import Rule
from .situations import Situations
from .tape import TapeCheck


def check_grads(
    f: Callable,
    args: Any,
    order: int = 2,
    modes: Sequence[str] = MODES,
    *,
    atol: float = 0.0,
    rtol: float | None = None,
    eps: float | None = None,
) -> Result:
    """Check the derivatives that TensorFlow computes, at ``args``.

    The check compares reverse mode (``tf.GradientTape``) and forward mode
    (``tf.autodiff.ForwardAccumulator``) with central finite differences that are
    extrapolated to step zero (C. J. F. Ridders, Advances in Engineering Software
    4(2), 1982). It computes the differences in float64 if ``f`` accepts float64, and
    the derivatives in the dtypes of ``args``. If ``f`` reads trainable variables, the
    check treats them like arguments. At a kink, it accepts any value between the
    derivatives of the two sides. The form is that of ``jax.test_util.check_grads``.

    Args:
        f: the function. It takes ``*args``, and returns a tensor or a structure of
            tensors. The check ignores outputs that are neither floating nor complex.
        args: a tuple of tensors, arrays, floats, or structures of them, of any shapes.
            Integers, strings, bools and None reach ``f`` unchanged.
        order: the highest order of the derivatives. The check includes all lower
            orders, in each combination of modes.
        modes: ``"rev"``, ``"fwd"``, or both. TensorFlow's forward mode needs real
            arguments: if one is complex, the check skips ``"fwd"``. Of a custom
            gradient, eager forward mode differentiates the operations in the forward
            pass. Above order 2, TensorFlow raises an error for some combinations.
        atol: the absolute tolerance of a directional derivative.
        rtol: the relative tolerance. By default, it is 1e-6 in float64, 1e-4 in
            float32, 0.03 in float16 and 0.24 in bfloat16; above order 1, ten times as
            large.
        eps: the largest step of the finite differences. By default, it scales with
            ``args``.

    Returns:
        A ``Result``: how much was compared.

    Raises:
        GradientError: a derivative is wrong, raises an error, or has the wrong shape or
            dtype. It is an ``AssertionError``, and its message contains the point.
        Undecided: a ``GradientError``: finite differences determined too few
            derivatives.
        ValueError: an unknown mode, only forward mode for a complex argument, or an
            order below 1.

    Examples:
        >>> check_grads(tf.sin, (tf.constant([1.0, 2.0]),), order=2).order
        2
    """
    call = call_of(f, f, as_tuple(args), {})
    demand_numbers([leaf.value for leaf in call.leaves if leaf.moves])
    with contextlib.closing(TapeCheck(call)) as check:
        if any(dtype.startswith("complex") for dtype in check.dtypes):
            modes = [mode for mode in modes if mode == "rev"]
            if not modes:
                raise ValueError("TensorFlow's forward mode needs real arguments")
        return check.check(order, modes, atol=atol, rtol=rtol, eps=eps)


def check_custom_gradient(
    f: Callable,
    args: Any,
    *,
    like: Callable | None = None,
    vjp: Callable | None = None,
    where: Callable | None = None,
    shapes: bool | str | None = None,
    order: int = 2,
    graph: bool = True,
    xla: bool = False,
    rtol: float | None = None,
    atol: float = 0.0,
    seed: int = 0,
) -> Result:
    """Check a custom gradient against finite differences of its forward pass.

    The check draws upstream gradients of sizes from 0.1 to 1000, and some that are zero
    or mostly zero. It compares the gradient in random directions, and at ``args`` with
    respect to each element, if they have at most 16. Beside ``args`` it tries random
    points near them and elsewhere, points with large, tiny, equal and zero elements,
    and elements on both sides of each constant in the code of ``f``: in float64, if
    ``f`` accepts that, and in the dtypes of ``args``. Points at which the forward pass
    isn't finite don't count. At a kink, the check accepts any value between the
    derivatives of the two sides.

    It compares the eager gradient with the one inside ``tf.function``, also with an
    unknown batch size. It calls ``f`` between a forward and its backward pass, and
    makes a second backward pass. It passes ``tf.IndexedSlices`` as upstream gradient,
    and accepts an error there. ``f`` draws the same random numbers at each call if they
    are of the global generators of TensorFlow, NumPy and Python, or of a
    ``tf.random.Generator`` or ``np.random.Generator`` that it reaches by name.
    Trainable variables that ``f`` reads are checked like arguments. Afterwards, these
    and other variables and generators that ``f`` reaches by name have their old values.
    If ``f`` draws from TensorFlow's global generator, its sequence begins anew.

    Finite differences can't resolve values far below 1e-9. If your function returns
    such small values, multiply it by a large constant.

    Args:
        f: a function decorated with ``tf.custom_gradient``, or one that calls such a
            function. It takes ``*args``.
        args: as in ``check_grads``. A Python list is a structure, not an array.
        like: a function of the same arguments. Its gradient, by ``tf.GradientTape``, is
            the right one instead: that of the identity for a straight-through
            estimator, or of the plain formula for a faster one.
        vjp: a function that takes the upstream gradient (a list of them, if ``f`` has
            several outputs) and ``*args``, and returns the right gradient: with respect
            to each argument, or only to those that are floating or complex.
        where: a function that takes ``*args`` and returns a bool or a tensor of bools.
            The check tries only points where all are true.
        shapes: by default, the check also tries other lengths of the first axis: 1, one
            more, 0, and unknown. False tries only the shapes of ``args``. True also
            changes each other length, wherever it occurs in ``args``. ``"broadcast"``
            also changes the shape of each argument by itself, and tries an unknown
            rank. Shapes that the forward pass refuses don't count.
        order: 2 to compare the derivative of the gradient function, too, if a tape can
            compute it; 1 not to.
        graph: False for a function that can't run inside ``tf.function``.
        xla: True to try XLA, too.
        rtol: the relative tolerance, 1e-6 by default. In narrower dtypes than float64
            it is at least 1e-4, 0.03 in float16, and 0.24 in bfloat16.
        atol: the absolute tolerance of a directional derivative, or of an element that
            ``like`` or ``vjp`` tells.
        seed: the seed of all random numbers that the check draws.

    Returns:
        A ``Result``: how much was compared.

    Raises:
        GradientError: the gradient is wrong. It is an ``AssertionError``, and its
            message contains the first arguments and upstream gradient at which the
            gradient is wrong, what was returned, and what is right.
        Undecided: a ``GradientError``: too little could be compared, for example
            because no argument is floating or ``f`` raises an error.
        ValueError: an option that can't be used.

    Examples:
        >>> @tf.custom_gradient
        ... def square(x):
        ...     return x**2, lambda upstream: upstream * x  # should be 2 * x
        >>> check_custom_gradient(square, (tf.constant([1.0, 2.0]),))
        Traceback (most recent call last):
            ...
        vjpcheck.core.GradientError: at x = [1. 2.] with upstream = [-0.0181 0.3703]:
        the gradient with respect to x[0] is -0.0181123, but -0.0362245 is right
    """
    options = options_of(
        where,
        like=like,
        vjp=vjp,
        shapes=shapes,
        order=order,
        graph=graph,
        xla=xla,
        rtol=rtol,
        atol=atol,
    )
    result, rng = Result(), np.random.default_rng([STREAM, seed])
    call = call_of(f, f, as_tuple(args), {})
    demand_numbers([leaf.value for leaf in call.leaves if leaf.moves])
    try:
        rule = Rule(call, options, result, rng)
        with contextlib.closing(rule):
            rule.demand_finite()
            Situations(rule).run()
    except Misdeclared as error:
        raise ValueError(str(error)) from error
    result.order = max(result.order, 1)
    result.demand_enough()
    return result
