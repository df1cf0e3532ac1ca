"""What the page on the outside world says."""

import inspect
import math
import tempfile
import threading
import time

from truth.statements.tries import *

SINC = [tf.constant([0.25, 0.5, 1.5]), tf.constant([[0.3], [-2.5]]), tf.constant(0.75)]


def slope(x):
    return (tf.cos(np.pi * x) - np.sinc(x)) / x


@says(
    "Without a custom …",
    "the gradient is `None` …",
    "In the next program, `tf.numpy_function` …",
    "Deliberately wrong: the tape …",
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
    "XLA has no …",
    "So if you …",
    "The tape records …",
    "The gradient is `None`. …",
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
    "After this page …",
    "Wrap the function …",
    "For example, a …",
    "The gradient of `sinc` …",
)
@over(mode=TAPES, x=SINC)
def test_with_a_rule(mode, x):
    f, loss = program("sinc.py").sinc, LOSSES["not constant"]
    if mode in (XLA, AROUND_XLA):
        assert "unsupported operations" in message(mode.gradient, f, x)
    else:
        expected = EAGER.gradient(lambda x: tf.sin(np.pi * x) / (np.pi * x), x, loss)
        assert same(mode.gradient(f, x, loss), expected, 1e-4)


@says(
    "XLA can't compile …",
)
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
        said = message(elsewhere, load)
    assert "Could not find callback" in said


@says(
    "`np.sinc` works on …",
    "Use the quotient …",
    "Then replace the …",
)
@over(x=arrays(elements=numbers(0.125, 9)))
def test_each_element(x):
    f = program("sinc.py").sinc
    assert same(f(x), np.sinc(x), 1e-5)
    assert np.allclose(EAGER.gradient(f, x), slope(x), 1e-3, 1e-5)


@says(
    "NumPy has `np.sinc`, …",
    "In this example, NumPy …",
    was="'the values must come from NumPy': two operations of TensorFlow compute them",
)
def test_no_sinc():
    assert not any(hasattr(place, "sinc") for place in (tf, tf.math, tf.signal))
    assert "tf.numpy_function(np.sinc, [x], x.dtype)" in source("sinc.py")


@says(
    "Write the gradient …",
    "In the next program, NumPy …",
)
def test_whose_operations():
    graph = (
        tf.function(lambda x: EAGER.gradients(program("sinc.py").sinc, x))
        .get_concrete_function(SINC[0])
        .graph
    )
    text = str(graph.as_graph_def())
    assert text.count('op: "PyFunc"') == 1 and text.count('op: "Cos"') == 1


@says("The loss is …", "For the first …")
def test_twice_y():
    upstream = trace("sinc.py").line("grad")["upstream"]
    y = trace("sinc.py").line("y")["y"]
    assert same(upstream, 2 * np.array(y), 1e-6) and round(upstream[0], 5) == 1.80063


@says(
    "At $x = 0$ …",
    "The right gradient …",
    "Near 0, the …",
    "Replace the quotient …",
    "The program uses …",
    "In float32, the …",
    "The series is right …",
    "The gradient of sinc …",
    was="no sentence: the gradient at 0 was silently NaN",
)
@over(
    mode=[EAGER, INSIDE, AROUND, NESTED], sign=[1, -1], dtype=[tf.float32, tf.float64]
)
def test_near_zero(mode, sign, dtype):
    x = tf.constant([0.0, 1e-4, 1e-3, 0.0999, 0.1001, 0.5], dtype) * sign
    found = mode.gradient(program("zero.py").sinc, x).numpy()
    z = np.pi * np.float64(x.numpy())
    terms = [
        (-1) ** n * 2 * n * z ** (2 * n - 1) / math.factorial(2 * n + 1)
        for n in range(1, 12)
    ]
    right = np.pi * sum(terms)
    assert found[0] == 0 == right[0] and np.allclose(found, right, 1e-5, 0)
    quotient = mode.gradient(program("sinc.py").sinc, x).numpy()
    assert np.isnan(quotient[0]) and np.isfinite(quotient[1:]).all()
    if dtype == tf.float32:
        assert not np.allclose(quotient[1], right[1], 0.5)
        factor = trace("zero.py")[1]["quotient"] / trace("zero.py")[1]["downstream"]
        assert 1.5 < factor <= 2
    assert [line["x"] for line in trace("zero.py")[:2]] == [0, 0.0001]
    assert "tf.abs(x) < 0.1" in source("zero.py")


@says(
    "Set the shape …",
    "In a graph, TensorFlow doesn't …",
    "Without `set_shape`, …",
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
    "A loop in …",
    "With such a …",
    "Here, a loop …",
    "Each $x_s$ …",
    "So the gradient of $x_s$ …",
    "The same loop …",
    "A step of …",
    "So the step …",
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
    "In the output, compare …",
    "All printed digits agree.",
)
def test_scan_agrees():
    first, second = (
        trace("recurrence.py").starting("NumPy"),
        trace("recurrence.py").starting("tf.scan"),
    )
    assert str(first).partition(":")[2] == str(second).partition(":")[2]


@says(
    "The gradient function in …",
    "A second tape treats this …",
    "So the first …",
    "The second derivatives …",
    "A second tape treats a …",
    "To get the …",
    "The fix is to let …",
    "Deliberately wrong: a …",
    "The gradient function calls …",
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


@says(
    "The decorated function …",
    "for tapes outside a tf.function",
    "Without this line, the …",
    was="the program had no tf.identity: TypeError with both tapes outside",
)
@over(mode=[*OUTSIDE[:1], NESTED, *BLOCKS[:2]])
def test_second_outside(mode):
    def plain(x):
        return tf.sin(np.pi * x) / (np.pi * x)

    x, copied = SINC[0], program("twice.py").sinc
    for order in (2, 3):
        right = EAGER.derivative(plain, x, order)
        assert np.allclose(mode.derivative(copied, x, order), right, 1e-2, 1e-3)

    @tf.custom_gradient
    def bare(x):
        y = tf.ensure_shape(tf.numpy_function(np.sinc, [x], x.dtype), x.shape)
        return y, lambda upstream: upstream * (tf.cos(np.pi * x) - bare(x)) / x

    if mode is OUTSIDE[0]:
        assert "is out of scope" in message(mode.derivative, bare, x)


@says("But each backward pass …")
def test_one_more_call():
    p, calls = program("twice.py"), []
    before, np.sinc = np.sinc, lambda x: calls.append(x) or before(x)
    try:
        EAGER.gradient(p.sinc, SINC[0])
    finally:
        np.sinc = before
    assert len(calls[1:]) == 1


@says(
    "How often NumPy …",
    "The graph in …",
    "By default, TensorFlow …",
    "`stateful=False` declares that …",
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
    "If every argument …",
    "Every run of …",
    "This is wrong …",
    "With `stateful=False`, three …",
    "Keep the default, …",
    "Deliberately wrong: stateful=False, …",
)
@over(stateful=[True, False], constant=[True, False], jit=[None, False])
def test_constant(stateful, constant, jit):
    calls, x = [], tf.constant([0.5, 1.5])

    def counted(x):
        calls.append(x)
        return np.float32(len(calls)) + x

    @tf.function(jit_compile=jit)
    def f(x):
        given = tf.constant([0.5, 1.5]) if constant else x
        return tf.numpy_function(counted, [given], tf.float32, stateful=stateful)

    found = [f(x).numpy() for _ in range(3)]
    once = constant and not stateful
    assert len(calls) == (1 if once else 3)
    assert same(found[0], found[2]) == once
    again = tf.numpy_function(counted, [x], tf.float32, stateful=stateful)
    assert again[0] == len(calls) + 0.5  # eagerly each call is one
    default = inspect.signature(tf.numpy_function).parameters["stateful"].default
    assert default is True
    lines = trace("wrong/constant.py")
    runs = [line.numbers[-2:] for line in lines.starting("stateful=False")]
    assert len(runs) == 3 and runs[0] == runs[1] == runs[2]
    assert [each.numbers[-1] for each in (lines[3], lines[7])] == [3, 1]


@says(
    "In eager mode, the function …",
    "Whether two calls …",
    "A `tf.function` runs …",
    "`Dataset.map` with `num_parallel_calls` …",
    "If your library …",
    "If the library …",
    "Which thread calls …",
    "In a graph, it …",
)
@over(stateful=[True, False], locked=[True, False])
def test_threads(stateful, locked):
    calling, lock = threading.get_ident(), threading.Lock()
    counting, running, seen, threads = threading.Lock(), [], [], set()

    def body(x):
        with counting:
            running.append(x)
            seen.append(len(running))
            threads.add(threading.get_ident())
        time.sleep(0.1)
        with counting:
            running.pop()
        return x

    def slow(x):
        if not locked:
            return body(x)
        with lock:
            return body(x)

    def three(x):
        return [
            tf.numpy_function(slow, [x + i], x.dtype, stateful=stateful)
            for i in range(3)
        ]

    def overlapping(f):
        seen.clear()
        threads.clear()
        f()
        return max(seen) > 1

    x, graph = tf.constant(1.0), tf.function(three)
    assert not overlapping(lambda: three(x)) and threads == {calling}
    assert overlapping(lambda: graph(x)) == (not stateful and not locked)
    assert calling not in threads
    data = tf.data.Dataset.range(4).map(
        lambda i: three(tf.cast(i, tf.float32)), num_parallel_calls=4
    )
    assert overlapping(lambda: list(data)) == (not locked)
    assert calling not in threads


@says(
    "NumPy computes in float64 as …",
    "In eager mode, the result …",
    "float64, as NumPy …",
    "In a graph, TensorFlow raises …",
    "Deliberately wrong: NumPy returns …",
)
@over(dtype=[tf.float16, tf.float32])
def test_float64(dtype):
    x, f = tf.constant([1.0, 2.0, 4.0], dtype), program("wrong/double.py").smooth
    assert np.array([0.5, 0.25]).dtype == np.float64
    assert f(x).dtype == tf.float64
    assert "is double, but expects" in message(tf.function(f), x)


@says(
    "NumPy computes in float64; …",
    "The fix is to cast …",
    "Do this in …",
    "Both dtypes work …",
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
    "XLA before and …",
    "Compile the parts …",
    "The gradient agrees …",
)
def test_split():
    p = program("split.py")
    assert same(p.gradient_of(p.sinc)(p.x), p.gradient_of(p.plain)(p.x), 1e-5)
    assert p.before._jit_compile and p.after._jit_compile


@says(
    "the gradient is zero …",
    "the gradient of …",
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
    "Inside the table, …",
    "Several positions may …",
    "A table looked …",
    "The derivative with …",
    "The two values …",
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
    "Outside the table, …",
    "Therefore the gradient …",
    "At the first …",
    was="outside the table the gradient was the slope of the nearest segment",
)
@over(mode=[EAGER, INSIDE, AROUND], x=[-3.0, 0.0, 4.0, 6.0])
def test_outside_the_table(mode, x):
    p = program("interp.py")
    f = tf.constant([1.0, 2.0, 4.0, 16.0])
    end = 0 if x <= 0 else 3
    assert np.interp(x, p.knots, f) == f[end]
    x_bar, f_bar = mode.gradients(p.table, tf.constant([x]), f)
    if x in (-3.0, 6.0):
        for h in (0.1, -0.1):
            assert np.interp(x + h, p.knots, f) == f[end]
        assert same(x_bar, [0.0])
    else:
        assert same(x_bar, [1.0 if x == 0 else 6.0])
    assert same(f_bar, np.eye(4, dtype=np.float32)[end])
    assert p.x[-1] == 6.0 and trace("interp.py").line("x_bar")["x_bar"][-1] == 0


@says("The value at …", "The total is …")
def test_one_and_a_quarter():
    p = program("interp.py")
    assert trace("interp.py").line("f_bar")["f_bar"][1] == 0.5 + 0.75
    assert p.knots[1] == 1


@says(
    "`np.interp` interpolates between …",
)
def test_table():
    assert np.interp(1.5, [1.0, 2.0], [10.0, 20.0]) == 15.0


@says("a loaded model …")
def test_no_python():
    test_neither_xla_nor_a_file()


@says(
    "`grad` uses different …",
)
def test_draws_again():
    drawn_ = [
        tf.numpy_function(lambda: np.float32(np.random.rand()), [], tf.float32).numpy()
        for _ in range(2)
    ]
    assert drawn_[0] != drawn_[1]


history(
    "Some libraries compute …",
)
advice(
    "Compare `quotient` with …",
    "Look at `downstream`:",
    "For one element, …",
    "The gradient is the factor …",
    "If you don't …",
    "Compare `second` in …",
    "Compare `second` again:",
    "Compare the runs …",
    "Look at `calls …",
    "Compare the two …",
    "For an explanation …",
    "Compare `stateful=True`, which …",
    "Write a gradient …",
    "What is the …",
    "How is the …",
    "What does `np.interp` …",
)
pointer(
    "For the section …",
    "What you see …",
    "A function of …",
    "The guide describes …",
    "The composition matrix …",
)
