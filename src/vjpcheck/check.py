"""``check_rule``: this site's checker for a reader's own tests."""

import contextlib
import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from tensorflow.python.eager import context  # no public name gives a seed back

from .compare import Report
from .declared import WIDEST, Choice, Declared
from .function import Function, Misdeclared, called
from .judge import Judge


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
    """Assert that the gradient of a function fits its values.

    What the rule returns for a random upstream gradient is paired with directions
    in which the inputs move, one number at a time (of more than 16 numbers, random
    mixtures), and compared with the slope of the values along them: central
    differences, whose steps scale with the inputs and shrink, extrapolated to step
    zero with a doubt about each number (C. J. F. Ridders, *Accurate computation of
    F'(x) and F'(x) F''(x)*, Advances in Engineering Software 4(2), 1982). Where the
    slopes of the two sides stay apart, at a kink, anything between them holds.

    **Inputs.** Tensors, arrays, floats, and structures of them, as the function takes
    them. A Python list is a structure, not an array; integers, strings and None stay
    as they are. A variable among the inputs is passed as a tensor; a variable that
    the function reads is found and checked like an input, and has its value again
    in the end.

    **Points.** The inputs themselves and four random points near them; in float64
    if the function and its rule can, and in the dtypes of the inputs, where the rule
    must give the same but for rounding. With random upstreams about 1, 10, 0.1 and
    1000, zero, mostly zero, on both sides of each number that the function reads, and
    as ``tf.IndexedSlices``, at which the rule may raise. Eagerly, and at the inputs
    inside ``tf.function``, where the numbers must be the same. The gradient of the
    rule itself, where a tape over it finds one. With another call between the two
    passes, walked back before it and after it. Random numbers that the function draws
    are the same at each call; the state of all generators is given back.

    Args:
        function: decorated with ``tf.custom_gradient``, or any callable whose
            gradient is to be judged. Its outputs may be a structure, too.
        *inputs: where to judge it.
        gradient_of: the rule is meant to be the gradient of this function of the
            inputs, as straight-through rules are. It must then differ somewhere
            from that of ``function``.
        upstream_becomes: from upstream and all inputs to what the rule first makes
            of upstream, such as ``lambda upstream, *inputs: -upstream``.
        downstream_becomes: what the rule at last makes of downstream, in this form.
        where: from the inputs to a bool, or a tensor of them; only where all are
            true the rule is promised. Called with tensors in the dtypes of ``inputs``.
        make: for an input by its name, a function of all inputs that makes it
            valid, such as ``{"A": lambda A: A @ tf.transpose(A)}``.
        no_gradient: names of inputs whose gradient shall be None or zero, and which
            stay as they are.
        within: relative tolerance, at most 0.01, for functions that are computed no
            better. If not given, 1e-6 in float64, 1e-4 in float32, 0.03 in float16
            and 0.24 in bfloat16.
        eager_only: the rule cannot run inside ``tf.function``.
        dense_upstream: the rule is not promised for ``tf.IndexedSlices``.
        shapes: judge the rule also far from the inputs (positive, large, tiny, equal
            to each other, zero, on both sides of each number that the function
            reads), and in other shapes: each axis made 1 or longer, one axis more, a
            batch of zero, numbers made arrays, as far as the forward pass accepts
            them.
        second_order: whether there must be a gradient of the rule itself, by the
            inputs and by upstream; False where it may be wrong. If not given, it
            may be None by all of these, but not by some where it is not zero.
        seed: of all that is drawn here.
        atol: absolute tolerance, as in ``check_grads``.
        rtol: replaces the tolerances that are listed at ``within``.
        eps: the longest step, as in ``check_grads``.

    Returns:
        How much was compared: points, shapes, precisions, slopes, kinks, and how many
        slopes differences did not tell.

    Raises:
        AssertionError: the rule does not hold, with the first input, point and
            upstream at which that shows, what was got and what is right; or too
            little could be compared to say so: more than a tenth of the slopes at the
            points drawn here, or all by one input, were not told by differences.
        ValueError: an option that cannot be computed, or names no input.

    Values far below 1e-9 may be rounded on their way, for all that differences
    can see, and then do not tell: scale such a function up.

    Example:
        >>> @tf.custom_gradient
        ... def cube(x):
        ...     return x**3, lambda upstream: upstream * 3.0 * x**2
        >>> check_rule(cube, tf.constant([1.3, -0.7]), shapes=True).points
        8
    """
    call = called(function, function, inputs, {})
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
    if gradient_of:
        call.names["_gradient_of"] = gradient_of
        declared.surrogate = "_gradient_of"
    changes = {"upstream": upstream_becomes, "downstream": downstream_becomes}
    for name, change in changes.items():
        if change:
            call.names[f"_{name}_becomes"] = change
            declared.becomes[name] = f"_{name}_becomes({name}, *_inputs)"
    if where:
        call.names["_where"] = where
        declared.conditions.append("_where(*_inputs)")
    for name, maker in (make or {}).items():
        call.names[f"_make_{name}"] = maker
        declared.generators[name] = f"_make_{name}(*_inputs)"
    report = Report()
    try:
        with (
            generators_kept(call),
            contextlib.closing(
                Judge(
                    call,
                    declared,
                    report,
                    np.random.default_rng(seed),
                    nested=bool(second_order),
                    first=True,
                    far=shapes,
                )
            ) as judge,
        ):
            judge.all()
    except Misdeclared as error:
        raise ValueError(str(error)) from error
    report.demand_enough(declared)
    return report


def _leaves(call: Function, names: Sequence[str]) -> list[str]:
    """Of the inputs with these names."""
    found = {
        name: [
            each.name
            for each in call.inputs
            if each.name == name or each.name.startswith(f"{name}[")
        ]
        for name in names
    }
    if strangers := [name for name, its in found.items() if not its]:
        known = ", ".join(each.name for each in call.inputs)
        raise ValueError(f"no input is {strangers[0]!r}; there are: {known}")
    return [each for its in found.values() for each in its]


@contextlib.contextmanager
def generators_kept(call: Function) -> Iterator[None]:
    """The global generators are as they were before."""
    tensorflow, python, numpy = context.context(), random.getstate(), np.random
    seed, drawn = tensorflow._seed, copy.copy(getattr(tensorflow, "_rng", None))
    state = numpy.get_state()
    try:
        yield
    finally:
        random.setstate(python)
        numpy.set_state(state)
        if call.noisy:
            context.set_global_seed(seed)  # forgets kernels that have drawn
            tensorflow._rng = drawn
