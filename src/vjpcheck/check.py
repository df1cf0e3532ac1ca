"""``check_rule`` compares a gradient with finite differences in many ways."""

import contextlib
import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from tensorflow.python.eager import context  # no public name gives a seed back

from .compare import Report
from .declared import WIDEST, Choice, Declared
from .function import Function, Misdeclared, call_of
from .rule_check import RuleCheck


def check_rule(
    function: Callable,
    *inputs: object,
    gradient_of: Callable | None = None,
    upstream_becomes: Callable | None = None,
    downstream_becomes: Callable | None = None,
    where: Callable | None = None,
    make: Mapping[str, Callable] | None = None,
    no_gradient: Sequence[str] = (),
    within: float | None = None,
    eager_only: bool = False,
    dense_upstream: bool = False,
    shapes: bool = False,
    second_order: bool | None = None,
    seed: int = 0,
    atol: Choice = None,
    rtol: Choice = None,
    eps: Choice = None,
) -> Report:
    """Check the gradient of a function against finite differences of its values.

    The check draws a random upstream gradient, and computes the inner product of the
    gradient with directions in which the inputs change. At your inputs, if they have at
    most 16 elements, each direction changes one element. At all other points, and for
    larger inputs, each direction changes all elements of one input by random amounts.
    The check compares each inner product with the derivative of the values in that
    direction. That derivative comes from central differences that are extrapolated to
    step zero, with an estimate of the error (C. J. F. Ridders, Advances in Engineering
    Software 4(2), 1982). At a kink, the check accepts any value between the derivatives
    of the two sides.

    Finite differences can't resolve values far below 1e-9, because rounding may lose
    them. If your function returns such small values, multiply it by a large constant.

    The check tries your inputs and four random points near them, both in float64 (if
    possible) and in the dtypes of the inputs. It tries upstream gradients with sizes of
    about 1, 10, 0.1 and 1000, and some that are zero or mostly zero. Others are
    slightly below or above a constant that appears in the function's code. The check
    also calls the gradient function with ``tf.IndexedSlices``, and accepts an error
    there.

    The check tries the function eagerly and inside ``tf.function``. It also calls the
    function with other inputs between the forward and the backward pass. If a tape can
    compute the gradient of the gradient function, the check also compares this second
    gradient. A function that draws random numbers draws the same ones at each call.
    Afterwards, the check restores the states of all generators.

    Args:
        function: the function, usually decorated with ``tf.custom_gradient``. Its
            outputs may be a structure.
        *inputs: tensors, arrays, floats, and structures of them. A Python list is a
            structure, not an array. Integers, strings and None stay as they are. If an
            input is a variable, the check passes its value as a tensor. The check also
            finds each variable that the function reads, checks it like an input, and
            restores its value.
        gradient_of: a function of the same inputs. The check takes the gradient of this
            function as the right one, as for a straight-through estimator. At one or
            more of the points that the check tries, this gradient must differ from the
            derivative of the forward pass of ``function``.
        upstream_becomes: a function that takes the upstream gradient and all inputs,
            and returns what the gradient function uses instead of the upstream
            gradient, such as ``lambda upstream, *inputs: -upstream``.
        downstream_becomes: a function that takes the downstream gradient and all
            inputs, and returns what the gradient function returns instead.
        where: a function that takes the inputs, in their dtypes, and returns a bool or
            a tensor of bools. The check tries only points where all bools are true.
        make: maps the name of an input to a function of all inputs that returns a valid
            value for it, such as ``{"A": lambda A: A @ tf.transpose(A)}``.
        no_gradient: names of inputs whose gradient must be None or zero. The check
            doesn't change their values.
        within: the relative tolerance, at most 0.01, for a function that can't be
            computed more accurately. By default, the tolerance is 1e-6 in float64, 1e-4
            in float32, 0.03 in float16 and 0.24 in bfloat16.
        eager_only: True if the gradient function can't run inside ``tf.function``.
        dense_upstream: True if the check shouldn't pass ``tf.IndexedSlices`` as
            upstream gradient.
        shapes: True to check points far from the inputs, and other shapes. The points
            are positive, large, tiny or zero, have equal elements, or are close to a
            constant in the code of the function. The check tries those shapes that the
            forward pass accepts: axes of length 1, longer axes, one more axis, an empty
            batch, and arrays in place of scalars.
        second_order: the second gradient is the gradient of the gradient function, with
            respect to the inputs and the upstream gradient. Pass True if the second
            gradient must exist, and False if it may be wrong. By default, it may be
            None with respect to the inputs and the upstream gradient. If it is None
            with respect to only some of them, zero must be the right value there.
        seed: the seed of all random numbers that the check draws.
        atol: the absolute tolerance, as in ``check_grads``.
        rtol: the relative tolerance, instead of the default tolerances that are listed
            at ``within``.
        eps: the largest step, as in ``check_grads``.

    Returns:
        A ``Report`` of how much was compared: points, shapes, dtypes, directional
        derivatives, kinks, and derivatives that finite differences didn't determine.

    Raises:
        AssertionError: the gradient is wrong. The message contains the first input,
            point and upstream gradient at which the gradient is wrong, what was
            returned, and what is right. The check also raises this error if finite
            differences determined too few directional derivatives: fewer than nine of
            ten at the random points, or none with respect to some input.
        ValueError: an option can't be evaluated, or contains a name that no input has.

    Examples:
        >>> @tf.custom_gradient
        ... def cube(x):
        ...     return x**3, lambda upstream: upstream * 3.0 * x**2
        >>> report = check_rule(cube, tf.constant([1.3, -0.7]), shapes=True)
        >>> report.points  # at which the gradient was compared
        14
    """
    call = call_of(function, function, inputs, {})
    declared = Declared(
        within=within,
        eager_only=eager_only,
        dense=dense_upstream,
        once=second_order is False,
        fixed=_leaves(call, no_gradient),
        atol=atol,
        rtol=rtol,
        eps=eps,
    )
    if within is not None and not 0 < within <= WIDEST:
        raise ValueError(f"within={within} is too wide to prove anything")
    changes = {"upstream": upstream_becomes, "downstream": downstream_becomes}
    _declare(call, declared, gradient_of, changes, where, make or {})
    report = Report()
    rng = np.random.default_rng(seed)
    _run(call, declared, report, rng, nested=bool(second_order), far=shapes)
    report.demand_enough(declared)
    return report


def _declare(
    call: Function,
    declared: Declared,
    gradient_of: Callable | None,
    changes: Mapping[str, Callable | None],
    where: Callable | None,
    make: Mapping[str, Callable],
) -> None:
    """Add the options that are functions to a declaration, by names in the call."""
    if gradient_of:
        call.names["_gradient_of"] = gradient_of
        declared.surrogate = "_gradient_of"
    for name, change in changes.items():
        if change:
            call.names[f"_{name}_becomes"] = change
            declared.becomes[name] = f"_{name}_becomes({name}, *_inputs)"
    if where:
        call.names["_where"] = where
        declared.conditions.append("_where(*_inputs)")
    for name, maker in make.items():
        call.names[f"_make_{name}"] = maker
        declared.generators[name] = f"_make_{name}(*_inputs)"


def _run(
    call: Function,
    declared: Declared,
    report: Report,
    rng: np.random.Generator,
    nested: bool,
    far: bool,
) -> None:
    """Check a call. Raises ValueError if a declaration can't be evaluated."""
    try:
        with restored_generators(call):
            check = RuleCheck(call, declared, report, rng, nested, first=True, far=far)
            with contextlib.closing(check):
                check.run()
    except Misdeclared as error:
        raise ValueError(str(error)) from error


def _leaves(call: Function, names: Sequence[str]) -> list[str]:
    """Return the names of the tensors in the inputs with these names."""
    leaves = {
        name: [
            each.name
            for each in call.inputs
            if each.name == name or each.name.startswith(f"{name}[")
        ]
        for name in names
    }
    if strangers := [name for name, its in leaves.items() if not its]:
        names_of_inputs = ", ".join(each.name for each in call.inputs)
        raise ValueError(f"no input is {strangers[0]!r}; there are: {names_of_inputs}")
    return [each for its in leaves.values() for each in its]


@contextlib.contextmanager
def restored_generators(call: Function) -> Iterator[None]:
    """Restore the states of the global generators at the end."""
    tensorflow, python, numpy = context.context(), random.getstate(), np.random
    seed, generator = tensorflow._seed, copy.copy(getattr(tensorflow, "_rng", None))
    state = numpy.get_state()
    try:
        yield
    finally:
        random.setstate(python)
        numpy.set_state(state)
        if call.noisy:
            context.set_global_seed(seed)  # forgets kernels that have drawn
            tensorflow._rng = generator
