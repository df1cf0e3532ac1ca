"""What the page on choosing a way says in words."""

import contextlib
import functools
import gc
import re
import threading
import weakref
from pathlib import Path
from unittest import mock

from tensorflow import keras
from tensorflow.python.framework import ops

from truth.statements.tries import *

SEEING = [EAGER, PERSISTENT, INSIDE, XLA]
"""Modes in which the tape sees each operation itself."""
FEW = [EAGER, AROUND, XLA]
AT_A_GRAPH = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]
SURROGATES = {
    "tanh": tf.tanh,
    "sin": tf.sin,
    "cube": lambda x: x * x * x,
    "product": lambda x: x * tf.sigmoid(x),
}
POINTS = [-4.0, -1.0, -0.5, -1e-3, -1e-30, -0.0, 0.0, 1e-30, 0.3, 0.5, 1.0, 2.5]
SLOPE, CURVATURE = 1 - np.tanh(0.5) ** 2, -2 * np.tanh(0.5) * (1 - np.tanh(0.5) ** 2)


def borrowed(value, s):
    return lambda x: tf.stop_gradient(value(x)) + (s(x) - tf.stop_gradient(s(x)))


def short(value, s):
    return lambda x: s(x) + tf.stop_gradient(value(x) - s(x))


@tf.custom_gradient
def slope_of_tanh(x):
    return tf.sign(x), lambda upstream: upstream * (1.0 - tf.tanh(x) ** 2)


def keeps(function, x=0.5):
    """Whether an eager tape keeps what goes into a function, and what comes out."""
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        given = x * 1.0
        result = function(given)
        alive = weakref.ref(given), weakref.ref(result)
        end = tf.identity(result)
        del given, result
    assert tape is not None and end is not None
    return [each() is not None for each in alive]


def iterates_kept(way):
    """How many iterates of Newton's method a tape keeps eagerly."""
    memory = program("memory.py")
    memory.newton.__globals__.update(iterates=[], alive=[])
    recorded = memory.record(way(memory.newton))
    iterates = memory.newton.__globals__["iterates"]
    return recorded and sum(each() is not None for each in iterates)


def ruled(function, like=lambda f: f):
    """A function with the right rule of the cube root."""

    @tf.custom_gradient
    def cube_root(a):
        y = like(function)(a)
        return y, lambda upstream: upstream / (3.0 * y**2)

    return cube_root


@contextlib.contextmanager
def registered(kind, rule):
    tf.RegisterGradient(kind)(rule)
    try:
        yield
    finally:
        ops.gradient_registry._registry.pop(kind)


def rows(name, width=14):
    return {
        line.text[:width].strip(): line.text[width:].split() for line in trace(name)
    }


# What each choice gives.


@says(
    "For example, suppose you …",
    "`tf.grad_pass_through` gives 1.",
    "A custom gradient gives …",
)
@over(mode=MODES)
def test_the_ways_to_a_slope(mode):
    assert round(SLOPE, 4) == 0.7864
    assert same(mode.gradient(slope_of_tanh, 0.5), SLOPE, 1e-6)
    assert same(mode.gradient(short(tf.sign, tf.tanh), 0.5), SLOPE, 1e-6)
    assert same(mode.gradient(tf.grad_pass_through(tf.sign), 0.5), 1.0)


def overridden(x):
    graph = tf.compat.v1.get_default_graph()
    with graph.gradient_override_map({"Sign": "SlopeOfTanh"}):
        return tf.sign(x)


def of_tanh(op, upstream):
    return upstream * (1.0 - tf.tanh(op.inputs[0]) ** 2)


@says(
    "This happens in …",
    "`gradient_override_map` is a …",
    "If the tape records …",
    was="'changes nothing under a tape', 'not even inside tf.function': obeyed where the tape is around the function, or the function nested",
)
@over(mode=MODES, x=numbers(-5, 5))
def test_the_override_is_ignored_where_the_tape_sees_the_operation(mode, x):
    with registered("SlopeOfTanh", of_tanh):
        expected = 0.0 if mode in SEEING else 1 - np.tanh(x) ** 2
        assert np.isclose(mode.gradient(overridden, x), expected, 1e-4, 1e-6)


@says(
    "A tape outside …",
    "The fix is the stop-gradient …",
)
def test_a_graph_is_one_operation_to_the_tape_around_it():
    inner = tf.function(lambda x: overridden(x), autograph=False)
    seen = tf.function(lambda x: inner(x), autograph=False)
    seen, inner = (
        f.get_concrete_function(tf.constant(0.5)).graph for f in (seen, inner)
    )
    called = [each.type for each in seen.get_operations()]
    assert "Sign" not in called and any("Call" in each for each in called)
    (sign,) = (each for each in inner.get_operations() if each.type == "Sign")
    assert sign.get_attr("_gradient_op_type") == b"SlopeOfTanh"
    with registered("SlopeOfTanh", of_tanh):
        for mode in AT_A_GRAPH:
            assert same(mode.gradient(overridden, 0.5), SLOPE, 1e-6)
    for mode in MODES:
        for cure in (slope_of_tanh, short(tf.sign, tf.tanh)):
            assert same(mode.gradient(cure, 0.5), SLOPE, 1e-6)


@says(
    "TensorFlow doesn't check …",
)
@over(mode=FEW, factor=numbers(-1e3, 1e3))
def test_nobody_checks_a_rule(mode, factor):
    wrong = tf.custom_gradient(
        lambda x: (tf.tanh(x), lambda upstream: factor * upstream)
    )
    assert same(mode.gradient(wrong, 0.5), factor)


SMOOTH = {
    "sin": tf.sin,
    "exp": tf.exp,
    "tanh": tf.tanh,
    "softplus": tf.nn.softplus,
    "quotient": lambda x: x / (1.0 + x * x),
    "product": lambda x: tf.linalg.matvec(
        [[1.0, 2.0], [3.0, 4.0]], tf.stack([x, x * x])
    )[1],
}


def differences(function, x, h=1e-2):
    return (function(x + h) - function(x - h)) / (2 * h)


@says(
    "no custom gradient — …",
    was="'right', 'right': LookupError for softsign, None for image.resize",
)
@over(f=SMOOTH, x=numbers(-2, 2), cases=24)
def test_no_rule(f, x):
    x = tf.constant(x)
    assert np.isclose(EAGER.gradient(f, x), differences(f, x), 1e-2, 1e-2)
    assert np.isclose(
        EAGER.gradient(derivative(f), x), differences(derivative(f), x), 1e-2, 1e-2
    )
    assert np.isclose(FORWARDS[0].jvp(f, x), EAGER.gradient(f, x), 1e-4, 1e-5)
    assert keeps(tf.sin)[0] and not keeps(tf.tanh)[0] and keeps(tf.tanh)[1]
    assert keeps(tf.stop_gradient) == [False, False]


def contrast(x):
    return tf.raw_ops.AdjustContrastv2(images=x, contrast_factor=0.5)


IMAGE = tf.reshape(tf.range(1.0, 5.0), (1, 2, 2, 1))


def resized(x):
    return tf.image.resize(x, (3, 3))


@says(
    "Some operations of …",
    "For `tf.nn.softsign`, second …",
    "For `tf.image.resize` with …",
    was="'no rule: right, right'",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC])
def test_rules_without_rules(mode):
    assert mode.gradient(resized, IMAGE) is not None
    assert mode.gradient(derivative(resized, lambda y: y * y), IMAGE) is None
    nearest = derivative(lambda x: tf.image.resize(x, (3, 3), "nearest") ** 2)
    assert "ResizeNearestNeighborGrad" in message(mode.gradient, nearest, IMAGE)
    assert mode.gradient(tf.nn.softsign, 0.5) is not None
    assert "SoftsignGrad" in message(mode.gradient, derivative(tf.nn.softsign), 0.5)


@says("no custom gradient — …")
@over(forward=FORWARDS)
def test_rules_without_rules_forward(forward):
    assert forward.jvp(resized, IMAGE) is None
    assert "SoftsignGrad" in message(forward.jvp, tf.nn.softsign, 0.5)
    assert same(forward.jvp(tf.tanh, 0.5), SLOPE, 1e-6)


def stopped_sine(x):
    return tf.sin(tf.stop_gradient(x))


@says("`tf.stop_gradient` — `None` …", "`tf.stop_gradient` makes a …")
@over(mode=MODES, x=numbers(), cases=2)
def test_stopped(mode, x):
    assert mode.gradient(stopped_sine, x) is None
    assert mode.gradient(derivative(lambda x: x * stopped_sine(x)), x) is None
    assert iterates_kept(lambda newton: lambda a: newton(tf.stop_gradient(a))) == 1


@says("`tf.stop_gradient` — `None` …")
@over(forward=FORWARDS)
def test_stopped_forward(forward):
    assert forward.jvp(stopped_sine, 0.5) is None
    assert same(forward.jvp(lambda x: x + stopped_sine(x), 0.5), 1.0)


@says(
    "`tf.recompute_grad` — the …",
    "With a `tf.function`, …",
    "In eager mode, a second …",
    "The second derivative of $y$ alone …",
    "Forward mode through …",
    was=(
        "'differentiating its gradient function always raises': eagerly not, if upstream"
        " is constant",
        "'in a graph always': a linear block has no second derivative that could raise",
    ),
)
@over(f=[tf.sin, lambda x: x * x * x], mode=MODES)
def test_recomputed(f, mode):
    ran = []

    def counted(x):
        ran.append(x)
        return f(x)

    again = tf.recompute_grad(counted)
    assert (
        same(mode.gradient(again, 0.5), EAGER.gradient(f, 0.5), 1e-6) and len(ran) == 2
    )
    alone = raised(mode.gradient, derivative(again), 0.5)
    if mode in GRAPHS:
        assert isinstance(alone, NotImplementedError) and "tried to transpose" in str(
            alone
        )
    else:
        assert same(
            mode.gradient(derivative(again), 0.5), EAGER.gradient(derivative(f), 0.5)
        )

    def of_upstream(upstream):
        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = again(x)
        return tape.gradient(y, x, upstream)

    assert isinstance(raised(mode.gradient, of_upstream, 1.0), NotImplementedError)
    with_loss = raised(mode.gradient, derivative(again, lambda y: y * y), 0.5)
    assert isinstance(with_loss, NotImplementedError)
    outside = raised(mode.derivative, lambda x: again(x), [0.5], 2)
    assert isinstance(outside, NotImplementedError) == (mode in GRAPHS)
    linear = tf.recompute_grad(lambda x: 2.0 * x)
    assert raised(mode.gradient, derivative(linear), 0.5) is None


@says("`tf.recompute_grad` needs no …", "Forward mode through …")
@over(forward=FORWARDS)
def test_recomputed_when_it_is_asked_for(forward):
    ran, again = [], tf.recompute_grad(lambda x: ran.append(x) or tf.sin(x))
    x = tf.constant(0.5)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = again(x)
    for runs in (1, 2, 3):
        assert len(ran) == runs and same(tape.gradient(y, x), np.cos(0.5), 1e-6)
    error = raised(forward.jvp, again, x)
    assert isinstance(error, NotImplementedError)
    assert len(keeps(again)) == 2 and keeps(again)[0]
    assert iterates_kept(tf.recompute_grad) == 1


@says("`tf.grad_pass_through` — the …")
@over(mode=MODES, loss=LOSSES)
def test_passed_through(mode, loss):
    x, passed = tf.constant([0.5, -2.0, 3.0]), tf.grad_pass_through(tf.exp)
    assert same(mode.gradient(passed, x, loss), EAGER.gradient(loss, tf.exp(x)), 1e-5)


@says("`tf.grad_pass_through` — the …")
@over(mode=FEW, f=[tf.sign, tf.exp])
def test_passed_through_twice(mode, f):
    passed = tf.grad_pass_through(f)
    assert same(
        mode.gradient(derivative(passed, lambda y: y * y), 0.5), 2.0
    )  # of x * x
    assert mode.gradient(derivative(passed), 0.5) is None
    assert iterates_kept(tf.grad_pass_through) == 20 == iterates_kept(lambda f: f)


@says(
    "Often you don't …",
    "The trick adds …",
    "If you can write down the function …",
    "stop-gradient trick — …",
)
@over(mode=MODES)
def test_the_identity(mode):
    x, surrogates = tf.constant(POINTS), [*SURROGATES.values()]
    values = tf.sign, lambda x: 7.0 * tf.ones_like(x)
    forms = [borrowed(value, s) for value in values for s in surrogates]
    found = mode.gradients(lambda *xs: [f(x) for f, x in zip(forms, xs)], *[x] * 8)
    for one, expected in zip(found, [EAGER.gradient(s, x) for s in surrogates] * 2):
        assert np.allclose(one, expected, 1e-4, 1e-6)
    assert all(same(form(x), tf.sign(x)) for form in forms[:4])


@says(
    "If you can write down the function …",
    "Second derivatives and …",
)
@over(mode=FEW)
def test_the_identity_twice(mode):
    seconds = [derivative(short(tf.sign, s)) for s in SURROGATES.values()]
    found = mode.gradients(lambda *xs: [f(x) for f, x in zip(seconds, xs)], *[0.5] * 4)
    expected = [EAGER.gradient(derivative(s), 0.5) for s in SURROGATES.values()]
    assert same(found, expected, 1e-5)
    for s in SURROGATES.values():
        twice = mode.derivative(short(tf.sign, s), [0.5], 2)
        assert same(twice, [EAGER.gradient(derivative(s), 0.5)], 1e-5)


@says(
    "If you can write down the function …",
    "Second derivatives and …",
)
@over(forward=FORWARDS)
def test_the_identity_forward(forward):
    for s in SURROGATES.values():
        form = short(tf.sign, s)
        assert same(forward.jvp(form, 0.5), EAGER.gradient(s, 0.5), 1e-5)
    assert iterates_kept(lambda newton: short(newton, tf.sin)) >= 19


@says("`tf.RegisterGradient` — your …")
@over(mode=FEW)
def test_a_registered_rule(mode):
    with registered("AdjustContrastv2", lambda op, u: (u * op.inputs[0], None)):
        assert same(mode.gradient(contrast, IMAGE), IMAGE)
        assert same(mode.gradient(derivative(contrast), IMAGE), tf.ones_like(IMAGE))
    stopped = lambda op, u: (u * tf.stop_gradient(op.inputs[0]), None)  # noqa: E731
    with registered("AdjustContrastv2", stopped):
        assert mode.gradient(derivative(contrast), IMAGE) is None
        assert keeps(contrast, IMAGE) == [True, True]


@says("`tf.RegisterGradient` — your …")
@over(forward=FORWARDS)
def test_a_registered_rule_forward(forward):
    def summed(op, upstream):
        return tf.cumsum(upstream, 1), None

    dx = tf.reshape([1.0, 10.0, 100.0, 1000.0], IMAGE.shape)
    with registered("AdjustContrastv2", summed):
        assert same(forward.jvp(contrast, IMAGE, dx), tf.cumsum(dx, 1, reverse=True))


@says("`tf.custom_gradient`, `keras.ops.custom_gradient` — …")
@over(mode=FEW, decorate=[tf.custom_gradient, keras.ops.custom_gradient])
def test_a_rule(mode, decorate):
    of_x = decorate(lambda x: (tf.sign(x), lambda upstream: upstream * x * x))
    assert same(mode.gradient(of_x, 3.0), 9.0)
    assert same(mode.gradient(derivative(of_x), 3.0), 6.0)

    @decorate
    def stopped(x):
        local = tf.stop_gradient(x * x)
        return tf.sign(x), lambda upstream: upstream * local

    assert same(mode.gradient(stopped, 3.0), 9.0)
    assert mode.gradient(derivative(stopped), 3.0) is None
    assert iterates_kept(lambda newton: ruled(newton)) == 20
    assert keeps(tf.tanh) == [False, True]  # of which a rule may keep the input, too
    assert keeps(decorate(lambda x: (tf.tanh(x), lambda u: u * x)))[0]


ALIKE = {
    "no rule": lambda x: tf.nn.softplus(x) * x,
    "stopped": lambda x: x * tf.stop_gradient(x),
    "recomputed": tf.recompute_grad(lambda x: x * tf.tanh(x)),
    "passed": tf.grad_pass_through(tf.sign),
    "identity": short(tf.sign, tf.tanh),
    "rule": slope_of_tanh,
    "of keras": keras.ops.custom_gradient(lambda x: (tf.sign(x), lambda u: u * x)),
}


@says(
    "The value and the first …",
    "This holds if …",
    was=(
        "'the same': a rule over a closed-over tensor gives 6 eagerly and None in a graph",
        "without the shape: grad_pass_through of a sum raises around a tf.function alone",
    ),
)
@over(way=ALIKE, mode=MODES, x=[[[-9.0, -1.0, -1e-30], [0.0, 1e-3, 8.0]]])
def test_values_and_gradients_in_all_modes(way, mode, x):
    x = tf.constant(x)
    assert np.allclose(tf.function(lambda x: way(x))(x), way(x), 1e-5, 1e-6)
    of_a_sum = tf.grad_pass_through(tf.reduce_sum)
    if mode in (EAGER, AROUND):  # a gradient in the shape of the output
        assert (raised(mode.gradient, of_a_sum, x) is None) == (mode is EAGER)
    found, eager = mode.gradient(way, x), EAGER.gradient(way, x)
    assert np.allclose(found, eager, 1e-5, 1e-6)


@says("So pass everything …", "If a decorated …")
@over(
    mode=MODES,
    decorate={
        "rule": lambda f: tf.custom_gradient(lambda y: (f(y), lambda u: u * f(1.0))),
        "recomputed": tf.recompute_grad,
    },
)
def test_closing_over(mode, decorate):
    def closes(x, of=None):
        k = 2.0 * x
        return decorate(lambda y: k * y)(x if of is None else of)

    assert same(mode.gradient(closes, 2.0), 4.0)  # of 2 x * x it is 8
    alone = mode.gradient(lambda x: closes(x, tf.constant(3.0)), 2.0)
    rule = mode in (EAGER, PERSISTENT) and decorate is not tf.recompute_grad
    assert same(alone, 6.0 if rule else None)


@says(
    "The derivative that forward …",
    "eager — their …",
    "inside the `tf.function` — their …",
    "outside the `tf.function` — your …",
    "Accumulator — Operations …",
    "In a graph, forward …",
    "`tf.sign` has no derivative …",
    was="'finds a derivative of 0 in tf.sign': it finds none. 'never asks the rule': it is called in each mode, and used around a graph",
)
@over(forward=FORWARDS, factor=numbers(-1e3, 1e3))
def test_what_forward_mode_asks(forward, factor):
    found = [
        forward.jvp(tf.custom_gradient(lambda x: (f(x), lambda u: factor * u)), 0.5)
        for f in (tf.tanh, tf.sign)
    ]
    around = "around" in forward.name
    by_none = factor if around or "eager" in forward.name else 0.0
    assert same(found, [factor if around else SLOPE, by_none], 1e-6)
    assert forward.jvp(tf.sign, 0.5) is None


@says("A graph keeps …")
@over(f={"tanh": tf.tanh, "sin": tf.sin, "ruled": slope_of_tanh})
def test_a_graph_keeps_what_is_read(f):
    with tf.Graph().as_default():
        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            given = x + 1.0
            y = f(given)
        before = {each.name for each in tape._tape and given.graph.get_operations()}
        tape.gradient(y, x)
        after = [op for op in given.graph.get_operations() if op.name not in before]
        read = {each.name for op in after for each in op.inputs}
    assert (given.name in read) == (f is not tf.tanh)


@says("And a custom gradient …")
@over(mode=MODES)
def test_in_a_branch(mode):
    def in_a_branch(f):
        return lambda x: tf.cond(x > 0.0, lambda: f(x), lambda: -x)

    error = raised(mode.gradient, in_a_branch(slope_of_tanh), 0.5)
    assert isinstance(error, AssertionError) == (mode in (AROUND, AROUND_XLA, NESTED))
    copied = tf.custom_gradient(lambda x: slope_and_copy(tf.identity(x)))
    assert same(mode.gradient(in_a_branch(copied), 0.5), SLOPE, 1e-5)


def slope_and_copy(x):
    return tf.sign(x), lambda upstream: upstream * (1.0 - tf.tanh(x) ** 2)


# Derivation.


# Floating point.


# The table of all ways.


@says(
    "All rows have …",
    "`tf.sign` has a …",
    "Zero and `None` …",
    "`pass through` has …",
    "The last two rows …",
    "They differ only …",
    "Each row of …",
    "`tf.stop_gradient` cuts the …",
    "The value of …",
)
def test_the_table_of_ways():
    table = rows("choosing.py")
    heading = table.pop("")
    x = float(source("choosing.py").partition("x, row = tf.constant(")[2][:3])
    assert len(table) == 5 and x == 0.5
    assert heading == ["y", "first,", "graph", "second,", "graph", "forward,", "graph"]
    assert all(row[0] == "1" and len(row) == 7 for row in table.values())
    assert table["tf.sign"][1:3] == ["0.0000"] * 2
    assert table["stop_gradient"][1:] == ["None"] * 6
    assert table["pass through"][1:5] == ["1.0000"] * 2 + ["None"] * 2
    pairs = [*zip(table["trick"], table["custom"])]
    assert [a == b for a, b in pairs] == [True] * 6 + [False]
    assert pairs[1][0] == f"{SLOPE:.4f}" and pairs[3][0] == f"{CURVATURE:.4f}"


@says("No path leads …")
@over(mode=FEW, slope=numbers())
def test_a_constant_slope(mode, slope):
    constant = tf.custom_gradient(
        lambda x: (tf.sign(x), lambda upstream: slope * upstream)
    )
    for way in (constant, tf.grad_pass_through(tf.sign), lambda x: slope * x):
        assert mode.gradient(derivative(way), 0.5) is None


@says("The trick has …")
@over(mode=FEW)
def test_the_identity_has_no_rule(mode):
    with mock.patch.object(tf, "custom_gradient", side_effect=AssertionError):
        assert same(mode.gradient(short(tf.sign, tf.tanh), 0.5), SLOPE, 1e-6)


# No rule.


@says("The last two functions …", "`tf.abs` uses 0, …")
@over(mode=FEW, dtype=[tf.bfloat16, tf.float64])
def test_conventions_at_zero(mode, dtype):
    def twice(x, otherwise):
        safe = tf.where(x > 0, x, tf.ones_like(x))
        return tf.where(x > 0, x * tf.math.log(safe), otherwise(x))

    slopes = mode.gradients(
        lambda x, y, z: tf.abs(x) + twice(y, tf.zeros_like) + twice(z, lambda z: 7 * z),
        *tf.zeros([3], dtype),
    )
    assert same(slopes, [0.0, 0.0, 7.0])
    assert same(tf.abs([-1e-3, 1e-3]) / [-1e-3, 1e-3], [-1.0, 1.0])
    assert np.log(1e-30) < -60  # the quotient x log(x) / x


@says("Six formulas with …", "The second line of each …")
def test_before_a_rule():
    lines = trace("none.py")[1:]
    assert len(lines[::2]) == len(program("none.py").pairs) == 6
    for formula, function in zip(lines[::2], lines[1::2], strict=True):
        assert np.isnan(formula.numbers[-1]) and np.isfinite(function.numbers[-1])


# tf.stop_gradient.


# Memory.


@says(
    "For example, Newton's …",
    "For an $a$ …",
    was="'finds the cube root in 20 steps': for a = 1e6 it is 60 % off",
)
@over(dtype=[tf.float32, tf.float64])
def test_newton_from_one(dtype):
    def steps(a):
        a, y = tf.cast(a, dtype), tf.ones([], dtype)
        for _ in range(20):
            y = (2.0 * y + a / y**2) / 3.0
        return float(y)

    assert np.isclose(steps(8.0), 2.0, 1e-6)
    for far in (1e6, 1e9, 1e-12):
        assert not np.isclose(steps(far), far ** (1 / 3), 1e-2)


@says("The derivative needs …")
@over(mode=FEW, a=numbers(0.125, 64))
def test_the_rule_needs_the_root_alone(mode, a):
    @tf.custom_gradient
    def root(a):
        y = tf.pow(a, 1 / 3)
        return y, lambda upstream: upstream / (3.0 * y**2)

    assert same(mode.gradient(root, a), mode.gradient(lambda a: a ** (1 / 3), a), 1e-4)


def memory_lines():
    return {each.text[:16].strip(): each for each in trace("memory.py")}


@says(
    "In eager mode, a custom …",
    "It keeps every …",
    "The tape also …",
    "What each choice …",
)
@over(steps=[1, 5, 30], step=[tf.sin, tf.exp, tf.tanh, lambda x: x * x])
def test_a_rule_saves_no_memory_eagerly(steps, step):
    def kept(decorate):
        made = []

        def chain(x):
            for _ in range(steps):
                x = step(x)
                made.append(weakref.ref(x))
            return x

        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = decorate(chain)(x)
        return y is tape or sum(each() is not None for each in made)

    called = []

    @tf.custom_gradient
    def inner(x):
        return tf.sin(x), lambda upstream: called.append(upstream) or upstream

    outer = tf.custom_gradient(lambda x: (inner(x), lambda upstream: 7.0 * upstream))
    assert same(EAGER.gradient(outer, 0.5), 7.0) and not called
    walks = []
    with_rule = lambda f: tf.custom_gradient(lambda x: (f(x), walks.append))  # noqa: E731
    assert kept(with_rule) == kept(lambda f: f) == steps and not walks
    assert "kept 20" in memory_lines()["no custom grad"].text
    assert "kept 20" in memory_lines()["custom gradient"].text


@says(
    "With `tf.stop_gradient` around …",
    "One iterate remains …",
    "You must stop …",
    "For example, if …",
)
def test_every_use_must_be_stopped():
    def stopped(newton):
        return lambda a: newton(tf.stop_gradient(a))

    def half(newton):
        return lambda a: newton(tf.stop_gradient(a), a)

    assert iterates_kept(lambda newton: ruled(newton, stopped)) == 1
    assert iterates_kept(lambda newton: ruled(newton, half)) == 20
    assert same(EAGER.gradient(tf.ones_like, 8.0), None)
    lines = memory_lines()
    for name, kept in (("input stopped", " 1"), ("ones_like(a)", "20")):
        assert f"kept {kept}" in lines[name].text


@says(
    "In eager mode, a custom …",
    "In a graph, it …",
    "In a graph, a …",
    "With the custom gradient, …",
    "Without the custom gradient, …",
    "Stopping the input …",
    "During this second …",
    "The program counts …",
    "For a graph, …",
)
def test_what_a_graph_reads():
    lines = memory_lines()
    read = {name: line.numbers[-1] for name, line in lines.items()}
    assert read == {
        "no custom grad": 19,
        "custom gradient": 1,
        "input stopped": 1,
        "ones_like(a)": 1,
        "recompute_grad": 0,
    }
    at_once = {name: line.numbers[-2] for name, line in lines.items()}
    assert at_once["recompute_grad"] >= 20 == at_once["no custom grad"]
    assert at_once["input stopped"] == 1


@says(
    "Each tracing of …",
    was="'in a graph it does save memory': of one graph",
)
@over(sizes=[2])
def test_a_trace_leaves_an_entry(sizes):
    def entries():
        names = ops.gradient_registry.list()
        return sum(each.startswith("CustomGradient-") for each in names)

    before = entries()
    graph = tf.function(lambda x: slope_of_tanh(x))
    for size in range(sizes):
        graph(tf.ones(size + 1))
        graph(tf.ones(size + 1))
    assert entries() == before + sizes
    del graph
    gc.collect()
    assert entries() == before + sizes


@says(
    "The second run …",
    "`tf.nn.dropout` draws a …",
)
@over(mode=FEW)
def test_dropout_is_drawn_anew(mode):
    def as_it_was_used(dropout):
        def loss(x, seen):
            y = tf.recompute_grad(dropout)(x)
            return tf.reduce_sum(y) + tf.reduce_sum(seen * tf.stop_gradient(y))

        slope, value = mode.gradients(loss, tf.ones(64), tf.ones(64))
        assert 8 < np.count_nonzero(value) < 56
        return same(slope, value)  # of each input 1, kept or dropped

    tf.random.set_seed(None)  # with one, two graphs can draw the same
    assert not as_it_was_used(lambda x: tf.nn.dropout(x, 0.5))
    stateless = tf.nn.experimental.stateless_dropout
    assert as_it_was_used(lambda x: stateless(x, 0.5, seed=[1, 2]))


@says(
    "Batch normalization usually …",
    was="without the second sentence: once, with the tape around a tf.function",
)
@over(mode=[*MODES, *(each for each in BLOCKS if "tf.function" in each.name)])
def test_batch_normalization_updates_twice(mode):
    def average(wrap):
        layer = keras.layers.BatchNormalization(momentum=0.5)
        layer.build((None, 1))

        def loss(x):
            return wrap(lambda x: layer(x, training=True))(x)

        mode.gradient(loss, [[1.0], [3.0]])
        return float(layer.moving_mean[0])

    updates = {1.0: 1, 1.5: 2}  # the mean is 2, and half of the way is gone each time
    assert updates[average(lambda f: f)] == 1
    times = updates[average(tf.recompute_grad)]
    if mode is AROUND:
        assert times == 1, "once"
    else:
        assert times == 2, "twice"


@says(
    "In eager mode, stopping …",
    "The gradient function above …",
    "If you need …",
    "For example, call …",
)
@over(mode=[EAGER, PERSISTENT])
def test_stopped_inputs_have_a_price(mode):
    ran = []

    def newton(a):
        ran.append(a)
        y = tf.ones_like(a)
        for _ in range(20):
            y = (2.0 * y + a / y**2) / 3.0
        return y

    stopped = ruled(newton, lambda f: lambda a: f(tf.stop_gradient(a)))
    assert same(mode.gradient(stopped, 8.0), 1 / 12, 1e-5)
    assert mode.gradient(derivative(stopped), 8.0) is None

    @tf.custom_gradient
    def calls_itself(a):
        a = tf.identity(a)
        y = newton(tf.stop_gradient(a))
        return y, lambda upstream: upstream / (3.0 * calls_itself(a) ** 2)

    ran.clear()
    assert same(mode.gradient(calls_itself, 8.0), 1 / 12, 1e-5) and len(ran) == 2
    second = -2 / 9 * 8 ** (-5 / 3)
    assert same(mode.gradient(derivative(calls_itself), 8.0), second, 1e-4)


# tf.grad_pass_through.


@says(
    "This tool needs …",
    "It passes the …",
    "If you wrap …",
    was="'has the wrong shape': with the tape around a graph, and with tf.gradients, a ValueError",
)
@over(mode=MODES, f=[tf.reduce_sum, tf.reduce_max])
def test_another_shape(mode, f):
    x = tf.ones([4])
    silent = raised(mode.gradient, tf.grad_pass_through(f), x) is None
    assert silent == (mode in SEEING)
    if silent:
        assert mode.gradient(tf.grad_pass_through(f), x).shape == []
    assert mode.gradient(tf.grad_pass_through(tf.sign), x).shape == [4]


# tf.RegisterGradient.


@says(
    "`tf.custom_gradient` gives one …",
    "`tf.RegisterGradient` gives a …",
    "The gradient function receives …",
    "The inputs of …",
    "tf.RegisterGradient: a gradient …",
    "But some of …",
)
@over(
    mode=FEW,
    wrap={
        "called": lambda f: f,
        "in a layer": lambda f: keras.layers.Lambda(f),
        "in a rule's function": tf.recompute_grad,
    },
)
def test_by_name_wherever_it_is_called(mode, wrap):
    image = tf.reshape(tf.range(1.0, 5.0), (2, 2, 1))
    seen = []

    def rule(op, upstream):
        seen.append((op.type, [tuple(each.shape) for each in op.inputs]))
        return 10.0 * upstream, None

    contrast = wrap(lambda x: tf.image.adjust_contrast(x, 0.5))
    assert "AdjustContrastv2" in message(mode.gradient, contrast, image)
    with registered("AdjustContrastv2", rule):
        assert same(mode.gradient(contrast, image), tf.fill(image.shape, 10.0))
    assert {each for each, _ in seen} == {"AdjustContrastv2"}
    assert all(shapes[-2:] == [(2, 2, 1), ()] for _, shapes in seen)


@says(
    "`tf.image.adjust_contrast` subtracts the …",
    "With four pixels:",
    "`formula` has the …",
)
@over(shape=[(2, 2, 1), (3, 4, 2), (2, 3, 2, 3)], a=numbers(-3, 3), data=st.data())
def test_contrast(shape, a, data):
    x = data.draw(arrays(shape, numbers(-9, 9)))
    formula = program("register.py").formula
    found = tf.image.adjust_contrast(x, a)
    assert np.allclose(found, formula(x, np.float32(a)), 1e-4, 1e-4)
    m = x.mean((-3, -2), keepdims=True)
    assert np.allclose(found, m + np.float32(a) * (x - m), 1e-4, 1e-4)


@says(
    "Here $m = 3$, …",
    "With $a = 0.5$, …",
    "The gradient for the factor …",
)
def test_the_numbers_of_contrast():
    lines = trace("register.py")
    upstream = lines[1]["upstream"]
    pixels, a = np.array([1, 2, 3, 6]), 0.5
    assert pixels.mean() == 3 and np.mean(upstream) == 1
    for each in lines.starting("adjust_contrast", "formula"):
        assert each["x"] == [a * u + (1 - a) * np.mean(upstream) for u in upstream]
        assert each["x"][0] == 1 and each["x"][-1] == 2
        assert each["a"] == np.dot(upstream, pixels - 3) == 1 * (1 - 3) + 3 * (6 - 3)


@says("The registration holds …")
def test_a_registration():
    found = []

    def elsewhere():
        image = tf.ones((1, 1, 1))
        contrast = lambda x: tf.image.adjust_contrast(x, 0.5)  # noqa: E731
        found.extend(float(mode.gradient(contrast, image)[0, 0, 0]) for mode in MODES)

    with registered("AdjustContrastv2", lambda op, u: (7.0 * u, None)):
        assert isinstance(
            raised(tf.RegisterGradient("AdjustContrastv2"), len), KeyError
        )
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == [7.0] * len(MODES)
    assert trace("register.py")[-1].text.startswith("KeyError")


# keras.ops.custom_gradient.


@says("On the TensorFlow …")
def test_keras_asks_tensorflow():
    with mock.patch.object(
        tf, "custom_gradient", return_value="of TensorFlow"
    ) as asked:
        assert keras.ops.custom_gradient(len) == "of TensorFlow"
    asked.assert_called_once_with(f=len)
    assert keras.backend.backend() == "tensorflow"


@says(
    "The step of …",
    "keras.ops.custom_gradient: one gradient …",
    "This program ran …",
)
def test_the_step_in_keras():
    backend, without, with_it = trace("in_keras.py")
    assert backend["backend"] == "tensorflow"
    steps = 1 - without.numbers[-1], 1 - with_it.numbers[-1]
    assert np.allclose(steps, (0.2, 0.02)) and np.isclose(steps[1], 0.1 * steps[0])


@says("The program calls …", "You can't call …")
def test_a_symbolic_tensor_is_none():
    tenth = program("in_keras.py").tenth_of_gradient
    symbolic = keras.Input([1])
    assert not tf.is_tensor(symbolic) and raised(tenth, symbolic) is not None
    layer = program("in_keras.py").TenthOfGradient()
    assert raised(layer, symbolic) is None


# Check.


# Where it breaks.


@says(
    r"$x \, \sigma(x)$ …",
    "Deliberately wrong: a custom …",
)
@over(mode=FEW, x=numbers(-80, 80))
def test_nothing_to_mend(mode, x):
    def silu(x):
        return x * tf.sigmoid(x)

    s = 1 / (1 + np.exp(-float(x)))
    assert np.isclose(mode.gradient(silu, x), s * (1 + x * (1 - s)), 1e-4, 1e-6)
    curvature = s * (1 - s) * (2 + x * (1 - 2 * s))
    assert np.isclose(mode.gradient(derivative(silu), x), curvature, 1e-3, 1e-5)


@says(
    "To save memory, …",
    "The first derivative agrees …",
    "The second derivative of $y$ is …",
    "The second derivative of $y^2$ …",
    "`tf.nn.silu` is right …",
    "so that the tape keeps nothing",
    "The right value …",
    "The first term …",
)
def test_a_rule_nobody_needs():
    plain, silu, rule = (each.text[16:] for each in trace("wrong/second.py"))
    assert plain == silu and "None" in rule and "None" not in silu
    (y1, y2), (_, right) = (
        [float(n) for n in part.split("'")[1::2]] for part in plain.split("**")
    )
    assert f"'{y1:.4f}', None" in rule and "'1.7211'" in rule and right == 2.1632
    y = 1 / (1 + np.exp(-1.0))
    assert np.isclose(2 * y1**2, 1.7211, 1e-4)
    assert np.isclose(2 * y1**2 + 2 * y * y2, right, 1e-4)
    custom_silu = program("wrong/second.py").custom_silu
    assert keeps(custom_silu) == [False, False]


class Holder:
    def __init__(self, f):
        self.f = f


@says(
    "If you pass …",
    "It removes decorator …",
    "`tf.grad_pass_through(tf.round)` silently arrives …",
    "A function that `tf.recompute_grad` …",
    "A function decorated with …",
    "It returns a …",
    "The fix is to …",
    was="'functions that it is given': not as an attribute of an object",
)
@over(
    put={
        "alone": lambda f: f,
        "list": lambda f: [f],
        "dictionary": lambda f: {0: f},
        "attribute": Holder,
    },
    compiled=[None, True],
)
def test_a_function_as_an_argument(put, compiled):
    def slope(put, x):
        f = getattr(put, "f", put)
        return derivative(f if callable(f) else f[0])(x)

    def outer(f):
        @functools.wraps(f)
        def ten_times(x):
            return 10.0 * f(x)

        return ten_times

    graph = tf.function(slope, jit_compile=compiled)
    x, passed, ran = tf.constant(1.3), tf.grad_pass_through(tf.round), []
    again = tf.recompute_grad(lambda x: ran.append(x) or tf.sin(x))
    arrives = put is not Holder
    assert same(graph(put(passed), x), None if arrives else 1.0)
    assert same(graph(put(outer(passed)), x), None if arrives else 10.0)
    assert same(graph(put(lambda x: passed(x)), x), 1.0)
    assert isinstance(raised(graph, put(slope_of_tanh), x), TypeError) == arrives
    graph(put(again), x)
    assert len(ran) == (1 if arrives else 2)


@says("`tf.function(tf.grad_pass_through(tf.round))` also fails …")
@over(f=[tf.round, tf.sign, tf.sin], decorate=[tf.grad_pass_through, tf.recompute_grad])
def test_a_default_is_taken_for_an_input(f, decorate):
    x = tf.constant(1.3)
    assert "None values not supported" in message(tf.function(decorate(f)), x)
    assert same(tf.function(decorate(lambda x: f(x)))(x), f(x))
    given = tf.function(decorate(lambda x, least=2.0: f(x) * least))
    assert same(given(x), 2.0 * f(x))
    assert decorate(f)(x) is not None


# The exercise.


@says(
    "`by_trick` is the …",
    "The values are …",
    "Within the limits …",
    "The gradient is that …",
    "The answer to …",
    "At the limits …",
    "`tf.clip_by_value` passes the …",
    "Quantized in steps …",
    "You want to quantize …",
    "Outside them it …",
)
@over(mode=MODES, dtype=[tf.bfloat16, tf.float32])
def test_the_quantizer(mode, dtype):
    solution = program("solution.py")
    asked = tf.constant([-2.0, -1.0, 0.3, 1.0, 2.0], dtype)
    assert same(solution.quantize(asked), [-1, -1, 0.25, 1, 1])
    assert same(solution.by_trick(asked), solution.quantize(asked))
    edges = [near(x, steps) for x in (-1, 1) for steps in (-1, 0, 1)]
    x = tf.cast([-1e30, -2.0, *edges, -0.5, 0.0, 1e-30, 0.3, 1e30, np.inf], dtype)
    passes = np.abs(np.asarray(x, np.float32)) <= 1
    by_clipping, by_identity = mode.gradients(
        lambda x, z: tf.clip_by_value(x, -1.0, 1.0) + solution.by_trick(z), x, x
    )
    assert same(by_clipping, passes) and same(by_identity, passes)
    y = 4 * np.asarray(solution.quantize(x), np.float32)
    assert same(y, np.round(y)) and abs(y).max() <= 4
    edge = [float(tf.clip_by_value(1 + h, -1.0, 1.0)) - 1 for h in (-0.5, 0.5)]
    assert edge == [-0.5, 0.0]


@says(
    "The upstream gradient is …",
    "`pass through` is …",
    "Write the function, …",
)
def test_the_exercise():
    lines = trace("solution.py")
    assert lines[1]["upstream"] == [2 * y for y in lines[0]["y"]]
    gradients = {each.text[:13].strip(): each.numbers[-5:] for each in lines}
    assert gradients["trick"] == gradients["custom"] == [0, -2, 0.5, 2, 0]
    assert gradients["pass through"] == [-2, -2, 0.5, 2, 2]


@says("Two cells say …")
def test_two_words():
    page = Path(__file__).parents[3] / "docs/guide/choosing.md"
    assert page.read_text("utf-8").count(" depends |") == 2


@says("If all eight …")
def test_the_questions():
    page = Path(__file__).parents[3] / "docs/guide/choosing.md"
    text = page.read_text("utf-8")
    section = text.partition("{ #eight-questions }")[2].partition("\n## ")[0]
    asked = re.findall(r"^(\d)\. \*\*.+?\?\*\*", section, re.MULTILINE | re.DOTALL)
    assert [*map(int, asked)] == [*range(1, 9)] and len(asked) == 8
    decorated = tf.custom_gradient(lambda x: (x, lambda upstream: upstream))
    assert same(EAGER.gradient(decorated, 2.0), 1.0)


definition(
    "Choice — Gradient …",
)
advice(
    "If autodiff is right …",
    "If autodiff returns …",
    "Use `tf.custom_gradient` if …",
    "For example, gradient …",
    "Ask these questions …",
    "Write no custom gradient.",
    "Use that formula, …",
    "Use `tf.stop_gradient`.",
    "Use `tf.recompute_grad`.",
    "Use `tf.grad_pass_through`.",
    "Use the stop-gradient …",
    "Use `tf.RegisterGradient`.",
    "Use `keras.ops.custom_gradient`.",
    "Avoid tracing such …",
    "Compare it with finite differences of the …",
    "Compare a surrogate …",
    "A NaN in …",
    "First check whether …",
    "Then check whether …",
    "So wrap the …",
    "In a library, …",
    "If you can write such …",
    "In your gradient …",
    "Also test the …",
)
history(
    "It is made …",
    "On the PyTorch …",
    "With the JAX …",
)
pointer(
    "If a formula has …",
    "The catalogue of …",
    "The catalogue shows the mistake and the fix …",
    "The catalogue shows the mistake in …",
    "You need the …",
    "The documentation describes …",
    "See forward mode …",
    "The tape explains …",
    "Numerical stability derives …",
    "The stop-gradient trick also …",
    "Choose a tool …",
    "It also treats …",
    "The guide compares …",
    "Checking a custom …",
)
pointer(
    "Compare what each …",
    "Compare the first …",
    "In each pair …",
    "The iterates are …",
    "Does a custom …",
    "Suppose you compute …",
    "Compare the gradients of the …",
    "Compare the kernel …",
    "Compare the second …",
    "Derive: a weight …",
)
advice(
    "Should no gradient …",
    "Is autodiff right, but …",
    "Is autodiff right and …",
    "Does a different formula …",
    "Should the upstream gradient …",
    "Should the gradient be that of a …",
    "Is your function …",
    "Must your code …",
)
pointer("When this site …", "Two things do …", "For exceptions, see …")
advice(
    "After this page …",
    "It remains the …",
    "a formula whose …",
    "a long computation …",
    "a computation outside …",
    "a gradient that …",
)
pointer("Forward mode.", "Second order.")
