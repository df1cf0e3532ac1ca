"""What the page on the outside world says."""

import subprocess
import sys
import tempfile

from truth.statements.tries import *

SINC = [tf.constant([0.25, 0.5, 1.5]), tf.constant([[0.3], [-2.5]]), tf.constant(0.75)]


def slope(x):
    return (tf.cos(np.pi * x) - np.sinc(x)) / x


@says(
    "The gradient through `tf.numpy_function` is `None`, and nothing says so.",
    "the gradient is `None` — NumPy ends the record",
    "Wrong on purpose: NumPy ends the record, and nothing says so.",
)
@over(mode=TAPES, x=SINC)
def test_none(mode, x):
    def f(x):
        return tf.numpy_function(np.sinc, [x], x.dtype)

    if mode in (XLA, AROUND_XLA):
        assert "unsupported operations" in message(mode.gradient, f, x)
    else:
        assert mode.gradient(f, x) is None


@says(
    "NumPy, SciPy, a simulator, a solver in another language: the tape records operations of TensorFlow, and the"
    " call is one operation without a gradient.",
    "XLA has no kernel for Python: Detected unsupported operations.",
)
def test_one_operation():
    def f(x):
        return tf.numpy_function(np.sinc, [x], x.dtype)

    graph = tf.function(f).get_concrete_function(SINC[0]).graph
    assert [op.type for op in graph.get_operations()].count("PyFunc") == 1
    assert "PyFunc" in message(tf.function(f, jit_compile=True), SINC[0])
    with tf.GradientTape() as tape:
        tape.watch(SINC[0])
        y = f(SINC[0])
    assert tape.gradient(y, SINC[0]) is None


@says(
    "With a rule it becomes a function like any other, as long as shapes, dtypes and the place of the call are"
    " right.",
)
@over(mode=TAPES, x=SINC, loss=LOSSES)
def test_with_a_rule(mode, x, loss):
    f = program("sinc.py").sinc
    if mode in (XLA, AROUND_XLA):
        assert "unsupported operations" in message(mode.gradient, f, x)
    elif loss != "sparse" or x.shape.rank:
        expected = EAGER.gradient(lambda x: tf.sin(np.pi * x) / (np.pi * x), x)
        assert same(mode.gradient(f, x), expected, 1e-4)


@says("XLA cannot compile it, and a file does not keep it.")
def test_neither_xla_nor_a_file():

    f = program("sinc.py").sinc
    compiled = tf.function(f, jit_compile=True)
    assert "unsupported operations" in message(compiled, SINC[0])
    with tempfile.TemporaryDirectory() as folder:
        module = tf.Module()
        module.f = tf.function(f, input_signature=[tf.TensorSpec([3])])
        tf.saved_model.save(module, folder)
        load = (
            f"import tensorflow as tf; tf.saved_model.load({folder!r}).f([1., 2., 3.])"
        )
        done = subprocess.run(
            [sys.executable, "-c", load], capture_output=True, text=True
        )
    assert "Could not find callback" in done.stderr


@says(
    "It works on each element of an array, so the formula is for one:",
    "The quotient rule, and then $y$ itself, for the rule has it already:",
)
@over(x=arrays(elements=numbers(0.125, 9)))
def test_each_element(x):
    f = program("sinc.py").sinc
    assert same(f(x), np.sinc(x), 1e-5)
    assert np.allclose(EAGER.gradient(f, x), slope(x), 1e-3, 1e-5)


@says("NumPy's `sinc` has no counterpart in TensorFlow.")
def test_no_sinc():
    assert not any(hasattr(place, "sinc") for place in (tf, tf.math, tf.signal))


@says("The forward pass is NumPy's, the rule is made of operations of TensorFlow.")
def test_whose_operations():
    graph = (
        tf.function(INSIDE._build(program("sinc.py").sinc))
        .get_concrete_function(SINC[0])
        .graph
    )
    text = str(graph.as_graph_def())
    assert text.count('op: "PyFunc"') == 1 and text.count('op: "Cos"') == 1


@says(
    "The loss is the sum of $y^2$, so the upstream gradient of the first element is twice its $y$, 1.80063."
)
def test_twice_y():
    upstream = trace("sinc.py").line("rule")["upstream"]
    y = trace("sinc.py").line("y")["y"]
    assert same(upstream, 2 * np.array(y), 1e-6) and round(upstream[0], 5) == 1.80063


@says(
    "`numpy_function` does not know its shape, and `set_shape` tells it: without, everything behind it in a graph"
    " has an unknown rank."
)
def test_unknown_rank():
    found = []

    @tf.function
    def f(x):
        y = tf.numpy_function(np.sinc, [x], x.dtype)
        found.append((y.shape.rank, tf.exp(y).shape.rank))
        y.set_shape(x.shape)
        found.append((y.shape.rank, tf.exp(y).shape.rank))

    f(SINC[0])
    assert found == [(None, None), (1, 1)]


@says(
    "Then the rule is a second call.",
    "Here it is a loop in NumPy, $y_t = a \\, y_{t-1} + x_t$, in which each $x$ goes on to all later $y$:",
    "The upstream gradients of all later outputs come back, each by its power of $a$:",
    "That is the same loop, run from the end.",
    "Each step multiplies the output before it by $a$, so the gradient for $a$ is the sum of $\\bar x_t \\,"
    " y_{t-1}$.",
    "A loop in NumPy that knows its own vector-Jacobian product.",
)
@over(x=arrays((5,), numbers(-9, 9)), y_bar=arrays((5,), numbers(-9, 9)), a=[0.5, -0.9])
def test_recurrence(x, y_bar, a):
    p = program("recurrence.py")
    a = np.float32(a)
    powers = np.array(
        [[a ** (t - s) if t >= s else 0 for s in range(5)] for t in range(5)]
    )
    y = p.run(x, a)
    assert np.allclose(y, powers @ x, 1e-4, 1e-4)
    x_bar, a_bar = p.run_back(y, a, y_bar)
    assert np.allclose(x_bar, y_bar @ powers, 1e-4, 1e-4)
    assert np.allclose(x_bar, p.run(y_bar[::-1], a)[::-1], 1e-5, 1e-5)
    assert np.allclose(a_bar, x_bar[1:] @ y[:-1], 1e-4, 1e-4)
    x_, a_ = EAGER.gradients(
        lambda x, a: p.in_tensorflow(x, a),
        x,
        a,
        loss=lambda y: tf.reduce_sum(y * y_bar),
    )
    assert np.allclose(x_bar, x_, 1e-3, 1e-3) and np.allclose(a_bar, a_, 1e-3, 1e-2)


@says(
    "`tf.scan` differentiates the same loop by itself, and agrees in the digits that are printed."
)
def test_scan_agrees():
    first, second = (
        trace("recurrence.py").starting("NumPy"),
        trace("recurrence.py").starting("tf.scan"),
    )
    assert str(first).partition(":")[2] == str(second).partition(":")[2]


@says(
    "`sinc.py` keeps $y$, a number that came from NumPy.",
    "For a second tape it is a constant: the slope is right, the second derivative is not.",
    "Wrong on purpose: a number of NumPy is constant for a second tape.",
    "Where the rule calls the decorated function instead, that call has its rule, too:",
    "The number of NumPy gets a rule of its own: right in the second order.",
)
@over(x=numbers(0.25, 3))
def test_second(x):
    wrong, right = program("wrong/second.py"), program("twice.py")

    def plain(x):
        return tf.sin(np.pi * x) / (np.pi * x)

    first = EAGER.gradient(plain, x)
    assert np.allclose(EAGER.gradient(wrong.sinc, x), first, 1e-3, 1e-4)
    second = EAGER.gradient(derivative(plain), x)
    assert np.allclose(EAGER.gradient(derivative(right.sinc), x), second, 1e-2, 1e-3)
    kept = EAGER.gradient(derivative(wrong.sinc), x)
    assert same(kept, second - (-first / x), 1e-2) or abs(first) < 0.1


@says("It costs one more call of NumPy for each backward pass.")
def test_one_more_call():
    p, calls = program("twice.py"), []
    before, np.sinc = np.sinc, lambda x: calls.append(x) or before(x)
    try:
        EAGER.gradient(p.sinc, SINC[0])
    finally:
        np.sinc = before
    assert len(calls) == 2


@says(
    "By default an outside call counts as one with side effects: a graph runs it though nobody uses the result.",
    "`stateful=False` says that it has none, and the graph drops the calls whose results are not used.",
    "How often NumPy is called, in a graph that uses one of three results.",
)
@over(stateful=[True, False])
def test_calls(stateful):
    p = program("calls.py")
    f = p.build(stateful)
    for _ in range(2):
        p.calls.clear()
        f(SINC[0])
        assert len(p.calls) == (3 if stateful else 1)


@says(
    "NumPy computes in float64 as soon as one operand is.",
    "In eager mode the result is then float64, whatever was promised; in a graph it is an error.",
    "Wrong on purpose: NumPy gives float64; a graph was promised float32.",
    "float64, as NumPy makes them",
)
@over(dtype=[tf.float16, tf.float32])
def test_float64(dtype):
    x, f = tf.constant([1.0, 2.0, 4.0], dtype), program("wrong/double.py").smooth
    assert np.array([0.5, 0.25]).dtype == np.float64
    assert f(x).dtype == tf.float64
    assert "is double, but expects" in message(tf.function(f), x)


@says(
    "Bring it back to the dtype of the input inside of the function, in both directions:",
    "What NumPy computes in float64 is brought back to the dtype of the input.",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED], dtype=[tf.float32, tf.float64])
def test_brought_back(mode, dtype):
    x = tf.constant([1.0, -2.0, 0.5, 3.0], dtype)
    gradient = mode.gradient(
        program("float64.py").smoothed, x, loss=lambda y: tf.reduce_sum(y * y)
    )
    assert gradient.dtype == dtype and np.allclose(
        gradient, [-0.375, -0.1875, 1.0, 1.5625]
    )


@says(
    "Compile what is before and after the call, and let the tape of an uncompiled function go around all three:",
    "XLA before and after the outside call, not around it.",
)
def test_split():
    p = program("split.py")
    assert same(p.gradient_of(p.sinc)(p.x), p.gradient_of(p.plain)(p.x), 1e-5)
    assert p.before._jit_compile and p.after._jit_compile


@says(
    "NumPy inside of `tf.py_function`: it is zero — the tape inside saw no operation",
    "zeros under `tf.vectorized_map` — the rule is dropped",
)
@over(x=SINC[:1])
def test_zeros(x):
    through = EAGER.gradient(
        lambda x: tf.py_function(lambda v: tf.constant(np.sinc(v)), [x], x.dtype), x
    )
    assert not np.any(through)
    mapped = EAGER.gradient(
        lambda x: tf.vectorized_map(program("sinc.py").sinc, x), tf.stack([x, x])
    )
    assert not np.any(mapped)


@says(
    "Its slope is that of the segment, and the upstream gradient goes to the values by their weights:",
    "Inside the table, between the knots $p$ and $q$ with the values $f$ and $g$, the output is a mixture of the two.",
    "Several positions may touch the same value, and their gradients add.",
    "A table looked up by np.interp: the slope of a segment, and weights.",
)
@over(x=arrays((3,), numbers(0.125, 3.875)), f=arrays((4,), numbers(-9, 9)))
def test_interp(x, f):
    p = program("interp.py")
    knots = p.knots.numpy()
    k = np.clip(np.searchsorted(knots, x) - 1, 0, 2)
    w = (x - knots[k]) / (knots[k + 1] - knots[k])
    assert np.allclose(p.table(x, f), (1 - w) * f[k] + w * f[k + 1], 1e-4, 1e-4)
    x_bar, f_bar = EAGER.gradients(p.table, x, f)
    assert np.allclose(x_bar, (f[k + 1] - f[k]) / (knots[k + 1] - knots[k]), 1e-4, 1e-4)
    added = np.zeros(4)
    np.add.at(added, k, 1 - w)
    np.add.at(added, k + 1, w)
    assert np.allclose(f_bar, added, 1e-4, 1e-5)


@says(
    "The value at the knot 1 gets half of the first position's gradient and three quarters of the second's: 1.25."
)
def test_one_and_a_quarter():
    p = program("interp.py")
    assert trace("interp.py").line("f_bar")["f_bar"][1] == 0.5 + 0.75
    assert p.knots[1] == 1


@says("`np.interp` looks values up in a table.")
def test_table():
    assert np.interp(1.5, [1.0, 2.0], [10.0, 20.0]) == 15.0


@says("a loaded model cannot find its callback — a file has no Python")
def test_no_python():
    test_neither_xla_nor_a_file()


@says("other random numbers in the rule — NumPy draws again")
def test_draws_again():
    drawn_ = [
        tf.numpy_function(lambda: np.float32(np.random.rand()), [], tf.float32).numpy()
        for _ in range(2)
    ]
    assert drawn_[0] != drawn_[1]


history(
    "Some libraries give a vector–Jacobian product of their own: an adjoint solver, a simulator with a backward"
    " pass."
)
advice(
    "Where you do not need it, refuse the second order rather than return a wrong number: second and higher order.",
    "Write its rule for the positions and for the table's values.",
)
pointer(
    "You need a rule, and for the second half several inputs.",
    "What the tape records is told in the tape.",
    "What you see — Why",
    "All places at once are in the composition matrix.",
    "A function of NumPy with a rule: the rule is TensorFlow's part.",
)
