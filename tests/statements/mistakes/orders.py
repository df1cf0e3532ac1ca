"""What the page on second order and forward mode says in words."""

import importlib
import inspect

from tensorflow.python.framework import ops
from tensorflow.python.ops import gen_ctc_ops

from truth.statements.tries import *

TWO = [EAGER, AROUND]
UNCONNECTED = {"unconnected_gradients": tf.UnconnectedGradients.ZERO}


def square(function):
    return lambda x: function(x) ** 2


pointer(
    "Compare the results:",
    "Message or symptom — Fix",
    "The second derivative is None in a graph, or wrong, if `grad` is decorated — leave `grad` undecorated",
    "… is out of scope, in a custom gradient inside a custom gradient — begin each decorated function with `x = tf.identity(x)`",
    "The second derivative is None, or wrong, if the local derivative is a constant — compute the local derivative with a function that has a gradient",
    "The second derivative is NaN — use a second `tf.where`",
    "The second derivative is None, because the outer tape was closed — call `inner.gradient` inside the outer `with` block",
    "gradient registry has no entry for: SoftsignGrad — use operations that have second derivatives",
    "Gradient explicitly disabled — use a difference of two gradients",
    "gradient registry has no entry for: CudnnRNNBackpropV3 — pass `use_cudnn=False` to the layer",
    "'GradientTape' object has no attribute 'hessian' — call `tape.jacobian` on the gradient",
    'Attempt to convert a value (None) with an unsupported type — pass `unconnected_gradients="zero"`',
    "Forward mode and the tape disagree — use nested tapes instead of the accumulator",
    "A tape around forward mode returns None, or a wrong gradient — put the accumulator into the `tf.function`",
    "'NoneType' object has no attribute 'numpy', for `jvp` — run all steps inside the accumulator",
    "The complex step of a gradient has the wrong sign — use two tapes",
    "Forward over forward gives a different number — replace one of the two accumulators with a tape",
    "Find out why …",
    "The last entries …",
    "Usually the gradient …",
    "Notice it earlier.",
    "More: a custom gradient inside …",
    "More: a custom gradient where …",
    "More: one `tf.where` …",
    "Other operations have …",
    "Asked in tensorflow#37091.",
    "More: operations without …",
    "More: what forward …",
    "The square root …",
    "More: complex numbers.",
    "This is a …",
)
history(
    "Asked in tensorflow#34503.",
    "Asked in tensorflow#36168, pennylane#5332.",
    "Asked in tensorflow#31519, tensorflow#41510.",
    "Asked in tensorflow#33751, …",
    "Asked in tensorflow#29781, tensorflow#14641.",
    "Asked in tensorflow#60164, tensorflow#60736.",
)
advice(
    "Also test the …",
    "Fix: call `inner.gradient` …",
    "Fix: run all …",
)

# Rules of one order.


@says(
    "Here `grad` itself …",
    "Compare the second derivatives …",
    "In a graph, the second …",
    "The second derivative of the square of `cube` …",
    "In the square, `upstream` …",
    "TensorFlow then calls …",
    "The decorated `grad` …",
    "So `grad_of_grad` returns …",
    "In a graph, therefore, …",
    "Eagerly, the tape …",
    "Deliberately wrong: grad is …",
)
@over(mode=[EAGER, INSIDE, AROUND], x=[2.0])
def test_decorated(mode, x):
    defined = program("wrong/decorated.py")
    right = 6 * x if mode is EAGER else None
    assert same(mode.gradient(defined.slope_of_cube, x), right, 1e-6)
    found = mode.gradient(defined.slope_of_square, x)
    assert not same(found, 30 * x**4, 1e-3)


@says(
    "In the fix, `grad` calls a …",
    "Fix: leave `grad` …",
    "Decorate a function …",
    "The fix also …",
    "for tapes outside a tf.function",
    "for tf.cond",
    "The decorated function …",
    "Both second derivatives are right.",
    "A `tf.function` returns …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED], x=[2.0])
def test_undecorated(mode, x):
    cube = program("decorated.py").cube
    assert same(mode.gradient(derivative(cube), x), 6 * x, 1e-5)
    assert same(mode.derivative(cube, x), 6 * x, 1e-5)
    assert same(mode.derivative(square(cube), x), 30 * x**4, 1e-5)
    assert same(mode.gradient(derivative(square(cube)), x), 30 * x**4, 1e-5)


@says(
    "Fix: compute the local …",
    "For an exponential, …",
    "In these three …",
    "Each function computes …",
    "Each first derivative …",
    "For the square …",
    "The second derivative is the …",
    "After `tf.stop_gradient` or …",
    "The second derivative of the square has …",
    "One of these …",
    "Deliberately wrong: three local …",
    "so that the …",
)
@over(
    mode=TWO,
    name=["stopped", "by_numpy", "numpy_in_rule"],
    x=[0.5],
)
def test_only_a_number(mode, name, x):
    rule = getattr(program("wrong/stopped.py"), name)
    assert same(mode.gradient(rule, x), np.exp(x), 1e-6)
    assert mode.gradient(derivative(rule), x) is None
    terms = [2 * np.exp(x) * np.exp(x)] * 2  # 2 y'² and 2 y y''
    assert same(mode.gradient(derivative(square(rule)), x), terms[0], 1e-5)
    assert same(mode.gradient(derivative(square(tf.exp)), x), sum(terms), 1e-5)


@says(
    "In the fix, `grad` calls `exp` …",
    "This nesting needs …",
    "The first two …",
    "for tapes outside a tf.function, and …",
    "grad calls the …",
)
@over(mode=TWO, x=[0.5])
def test_calls_itself(mode, x):
    lines = [line.numbers for line in trace("stopped.py")]
    assert lines[:2] == lines[2:] and len(lines[:2]) == len(lines[2:]) == 2
    exp = program("stopped.py").exp
    third = derivative(derivative(exp))
    for each in (exp, derivative(exp), third):
        assert same(mode.gradient(each, x), np.exp(x), 1e-5)
    for order in (2, 3):
        assert same(mode.derivative(exp, x, order), np.exp(x), 1e-5)


# A custom gradient inside a custom gradient.


@says(
    "Fix: write `x …",
    "This nesting needs …",
    "In this program, `grad` …",
    "With both tapes …",
    "If the call is in `tf.cond` …",
    "An accumulator around …",
    "In the second graph, …",
    "The gradient function of this call …",
    "So the third …",
    "Deliberately wrong: a gradient …",
    "TensorFlow's docstring of …",
    "The program puts …",
    "The error depends …",
    "TensorFlow differentiates a …",
)
def test_out_of_scope():
    exp, x = program("wrong/nested.py").exp, [0.5]
    assert "@tf.custom_gradient" in tf.custom_gradient.__doc__
    for mode in OUTSIDE[:2]:
        said = message(mode.derivative, exp, x)
        assert said.startswith("TypeError") and "is out of scope and cannot be" in said
    assert "InaccessibleTensorError" in message(NESTED.derivative, exp, x)
    branch = next(each for each in BLOCKS if each.name == "branch, tape around")
    assert message(branch.derivative, exp, x, 1) == "AssertionError:"
    said = message(FORWARDS[2].jvp, exp, x)
    missing = "missing 2 required positional arguments"
    assert said.startswith(f"TypeError: InternalError.__init__() {missing}")
    for each in (EAGER, INSIDE):
        assert same(each.derivative(exp, x), np.exp(x), 1e-5)
    copied = program("nested.py").exp
    for each in (*OUTSIDE[:2], NESTED, branch):
        assert same(each.derivative(copied, x), np.exp(x), 1e-5)


@says(
    "With this copy, …",
    "`tf.identity` makes a …",
    "In the fix, the first …",
    "With a copy …",
)
@over(mode=EVERYWHERE)
def test_copied(mode):
    exp = program("nested.py").exp
    assert same(mode.derivative(exp, [0.5]), np.exp([0.5]), 1e-5)
    if mode in (AROUND, NESTED):
        assert same(mode.derivative(exp, [0.5], 3), np.exp([0.5]), 1e-5)
    for forward in FORWARDS if mode is EAGER else ():
        assert same(forward.jvp(exp, [0.5]), np.exp([0.5]), 1e-5)


@says(
    "In the source, …",
    "`_build_functions_for_outputs` in `eager/polymorphic_function/concrete_function.py` …",
    "In a branch, `_resolve_grad_inputs` …",
)
def test_in_the_source():
    def text(module):
        return inspect.getsource(importlib.import_module(f"tensorflow.python.{module}"))

    said = text("eager.polymorphic_function.concrete_function")
    assert (
        "c.graph is self._func_graph"
        in said.partition("def _build_functions_for_outputs")[2].partition("\n  def ")[
            0
        ]
    )
    said = text("ops.cond_v2").partition("def _resolve_grad_inputs")[2]
    assert "assert t.graph == cond_graph" in said.partition("\ndef ")[0]
    assert "def _graph_mode_decorator" in text("ops.custom_gradient")


@says(
    "You can also …",
    "Neither copy helps …",
    "If you need …",
    "For the exponential, …",
    was="'must not call a decorated function in a SavedModel': the first derivative is right",
)
def test_copied_elsewhere():
    @tf.custom_gradient
    def late(x):
        return tf.exp(x), lambda upstream: upstream * late(tf.identity(x))

    @tf.custom_gradient
    def saved(x):
        y = tf.exp(x)
        return y, lambda upstream: upstream * y

    for each in (AROUND, NESTED):
        assert same(each.derivative(late, [0.5]), np.exp([0.5]), 1e-5)
    branch = next(each for each in BLOCKS if each.name == "branch, tape around")
    assert "AssertionError" in message(branch.derivative, late, [0.5], 1)
    for each in (late, program("nested.py").exp):
        said = message(lambda: loaded(each, [0.5], order=2))
        assert "LookupError: No gradient defined for operation'IdentityN'" in said
        assert same(loaded(each, [0.5]), [np.exp([0.5])], 1e-5)
    assert same(loaded(saved, [0.5], order=2), [np.exp([0.5])], 1e-5)


@says(
    "You can report …",
    "Expected: 1.6487 in …",
    "Actual: a TypeError …",
    "Expected: 4.20 and …",
    "Actual: `None` and 1.47.",
)
def test_reports():
    eager, inside, outside, _, _, branch = trace("wrong/nested.py")
    assert eager.numbers == inside.numbers == [1.6487]
    assert "TypeError" in outside.text and "AssertionError" in branch.text
    assert all(each.numbers == [1.6487] for each in trace("nested.py"))
    first, second = trace("wrong/forward_around.py")
    assert "None" in first.text and first["right"] == 4.20
    assert second.numbers == [1.47, 4.41]
    assert tf.__version__.startswith("2.21.")


@says(
    "The formula that …",
    "Deliberately wrong: one tf.where, …",
    "Look at the second derivative at 0:",
    "At 0, the …",
    "`tf.where` chooses between …",
    "Its gradient passes …",
)
@over(mode=TWO)
def test_one_where(mode):
    defined = program("wrong/where.py")
    x = tf.constant([0.0, 4.0])
    assert same(mode.gradient(defined.root, x), [0.0, 0.25])
    found = mode.gradient(defined.slope, x).numpy()
    assert np.isnan(found[0]) and same(found[1], -1 / 32)
    assert same(mode.gradient(lambda b: tf.where(x > 0, x, b), [5.0, 6.0]), [1.0, 0.0])
    assert same(tf.where(x > 0, x, 9.0), [9.0, 4.0])


@says(
    "Fix: use a …",
    "In the fix, a …",
    "Both derivatives are finite now.",
    "With two tf.where, …",
    "Add the assertion …",
)
@over(mode=TWO)
def test_two_where(mode):
    defined = program("where.py")
    x = tf.constant([0.0, 4.0])
    assert same(mode.gradient(defined.root, x), [0.0, 0.25])
    assert same(mode.gradient(defined.slope, x), [0.0, -1 / 32])
    last = (folder() / "where.py").read_text().splitlines()[-1]
    assert last == "assert not tf.reduce_any(tf.math.is_nan(second))"


def folder():
    from truth.statements import tries

    return tries.folder


# Tapes.


@says(
    "The program computes the first …",
    "With two tapes and …",
    "The fix moves the call …",
    "The second gradient is right …",
    "A tape records …",
    "Deliberately wrong: the first gradient …",
    "inner.gradient is called …",
    "Write `assert second is not None` in a …",
)
@over(graph=[False, True], persistent=[False, True])
def test_outside(graph, persistent):
    def run(late, x):
        with tf.GradientTape(persistent=persistent) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            early = None if late else inner.gradient(y, x)
        first = inner.gradient(y, x) if late else early
        return outer.gradient(first, x)

    assert len(trace("wrong/outside.py")[:2]) == 2
    for line in trace("wrong/outside.py")[:2]:
        assert "None" in line.text and line.numbers == [12.0]
    for late in True, False:

        def each(x):
            return run(late, x)

        called = tf.function(each, autograph=False) if graph else each
        assert same(called(tf.constant(2.0)), None if late else 12.0)


@says(
    "`tf.nn.softsign` has a …",
    "The message depends on where …",
    "The fix writes …",
    "Both derivatives agree …",
    "A second operation, `SoftsignGrad`, …",
    "Deliberately wrong: a second derivative through tf.nn.softsign.",
    "Softsign from operations …",
    "Fix: write the …",
)
@over(mode=[EAGER, INSIDE, AROUND], x=[-0.5])
def test_softsign(mode, x):
    slope = program("wrong/lookup.py").slope
    said = message(mode.gradient, slope, x)
    assert "LookupError" in said and "SoftsignGrad" in said
    assert "SoftsignGrad" not in ops._gradient_registry.list()
    graph = tf.function(lambda: slope(tf.constant(x))).get_concrete_function().graph
    assert "SoftsignGrad" in {each.type for each in graph.get_operations()}
    first, hand = trace("lookup.py")
    assert first.numbers == hand.numbers
    by_hand = -2 * np.sign(x) / (1 + abs(x)) ** 3
    assert same(mode.gradient(program("lookup.py").slope, x), by_hand, 1e-5)
    assert same(tf.nn.softsign(x), x / (1.0 + tf.abs(x)), 1e-6)


@says(
    "Fix: approximate the …",
    "The program computes a …",
    "TensorFlow raises the …",
    "The fix computes two …",
    "The program tries three …",
    "With sparse labels …",
    "TensorFlow therefore adds …",
    "With dense labels …",
    "All steps give …",
    "However, a difference …",
    "Deliberately wrong: a second derivative through tf.nn.ctc_loss.",
    "A Hessian times …",
)
@over(mode=TWO)
def test_disabled(mode):
    defined = program("wrong/disabled.py")
    logits = tf.reshape(tf.range(12.0), [1, 4, 3]) / 10
    assert gen_ctc_ops._CTCLossOutput._fields == ("loss", "gradient")
    said = message(mode.gradient, defined.slope, logits)
    assert "Gradient explicitly disabled" in said

    def dense(logits):
        return tf.nn.ctc_loss(
            tf.constant([[1, 2]]),
            logits,
            tf.constant([2]),
            tf.constant([4]),
            blank_index=0,
            logits_time_major=False,
        )

    assert np.isfinite(EAGER.gradient(dense, logits)).all()
    assert np.isnan(EAGER.derivative(dense, logits)).any()

    def cubes(x):
        return 3 * x**2  # the gradient of the sum of cubes

    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, -1.0])
    product = (cubes(x + 0.01 * v) - cubes(x - 0.01 * v)) / 0.02
    assert same(product, 6 * x * v, 1e-3)
    steps = [line.numbers for line in trace("disabled.py")]
    assert len(steps) > 2 and len({(*each[1:],) for each in steps}) == 1


@says(
    "Deliberately wrong: the gradient of the gradient …",
    "Fix: to get …",
    "The program computes the gradient …",
    "The gradient of the gradient is …",
    "The fix computes the …",
    "All products agree, …",
    "`tape.gradient` adds up …",
    "The gradient of a gradient therefore …",
    "To multiply the …",
    "A Hessian, and …",
)
@over(x=[np.float32([3, 5]), np.float32([-1, 0])], v=[np.float32([2, -7])])
def test_hessian(x, v):
    defined = program("hessian.py")
    rows = np.array([[2 * x[1], 2 * x[0]], [2 * x[0], 0]])
    x, v = tf.constant(x), tf.constant(v)
    assert np.allclose(defined.hessian(x), rows, 1e-4, 1e-4)
    sums = [sum(column) for column in zip(*rows, strict=True)]
    assert np.allclose(EAGER.gradient(defined.gradient, x), sums, 1e-4, 1e-4)
    for product in defined.reverse_over_reverse, defined.forward_over_reverse:
        assert np.allclose(product(x, v), rows @ v.numpy(), 1e-3, 1e-3)
    assert not hasattr(tf.GradientTape, "hessian")


@says(
    'Fix: pass `unconnected_gradients="zero"` …',
    "The first derivative of …",
    "The tape returns `None` …",
    "The second derivative is 0 now.",
    "The fix passes `unconnected_gradients`, …",
    "If you can't change …",
    "The derivative 2 …",
    "Deliberately wrong: a second derivative of …",
    "The tape returns 0 …",
)
@over(mode=TWO, x=[3.0])
def test_zero(mode, x):
    defined = program("zero.py")
    assert same(mode.gradient(defined.double, x), 2.0)
    assert mode.gradient(defined.slope, x) is None
    assert same(mode.gradient(lambda x: defined.slope(x) + 0.0 * x, x), 0.0)
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = defined.slope(x)
    assert same(tape.gradient(first, x, **UNCONNECTED), 0.0)


advice("If a `None` …", "Write `assert second is not None` instead.")

# Forward mode.


@says(
    "Deliberately wrong: forward mode, …",
    "Here, the gradient …",
    "Compare forward mode …",
    "Eager forward mode …",
    "The fix uses …",
    "All three results …",
    "Eagerly, `tf.autodiff.ForwardAccumulator` differentiates …",
    "Fix: replace the …",
    "The inner tape …",
    "The outer tape differentiates …",
    "An accumulator inside …",
    "If the call is in a branch, …",
    "The accumulator also transposes …",
    "The derivative of the gradient …",
)
@over(forward=FORWARDS[:3], factor=[-1.0, 0.5])
def test_forward(forward, factor):
    rule = tf.custom_gradient(lambda x: (tf.identity(x), lambda u: factor * u))
    around = "around" in forward.name
    assert same(forward.jvp(rule, 3.0), factor if around else 1.0)
    branch = lambda x: tf.cond(x > 0.0, lambda: rule(x), lambda: x)  # noqa: E731
    in_graph = tf.function(lambda x: forward.jvp(branch, x))(tf.constant(3.0))
    assert same(in_graph, factor)
    by_rule, x = program("forward.py").by_rule, tf.constant(3.0)
    for each in rule, tf.function(lambda x: rule(x)):
        assert same(by_rule(each, x, tf.constant(1.0)), factor)
    inside = tf.function(lambda x: by_rule(rule, x, tf.constant(1.0)))
    assert same(inside(x), factor)
    [tape, *_], fixed = trace("wrong/forward.py"), trace("forward.py")
    assert len(fixed) == 3 and all(e.numbers == tape.numbers for e in fixed)


@says(
    "Both gradients are right.",
    "Fix: put the …",
    "In the fix, the accumulator …",
    "In this program, the accumulator …",
    "Both the accumulator …",
    "The first gradient is `None`.",
    "The second gradient lacks …",
    "No error is raised.",
    "Without the outer …",
    "In the outer …",
    "Deliberately wrong: a tape …",
    "With the accumulator …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA])
def test_forward_around(mode):
    cube = tf.function(lambda x: x * x * x)

    def around(x):
        return FORWARDS[0].jvp(cube, x)

    if mode is EAGER:
        said = message(mode.gradient, around, 0.7)
        assert "InternalError" in said and "returned too few gradients" in said
    if mode in (INSIDE, XLA):
        assert mode.gradient(around, 0.7) is None
        found = mode.gradient(lambda x: around(x) * x, 0.7)
        assert same(found, 3 * 0.7**2, 1e-5)
    inside = program("forward_around.py").jvp
    assert same(mode.gradient(inside, 0.7), 6 * 0.7, 1e-5)
    assert same(mode.gradient(lambda x: inside(x) * x, 0.7), 9 * 0.7**2, 1e-5)


@says(
    "The step from $x$ to $y$ runs …",
    "Look at both results:",
    "Both results of …",
    "The fix moves the first …",
    "The two results …",
    "Both results are numbers now.",
    "For `y * y`, …",
    "For `tf.sign`, the …",
    "If 0 is …",
    "Deliberately wrong: the first step …",
    "Each step runs …",
    was="'what has no gradient, as tf.sign': a tape says 0 for it",
)
@over(x=[0.5, -2.0])
def test_no_jvp(x):
    x = tf.constant(x)
    y = tf.exp(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        outside, inside, sign = y * y, tf.exp(x) ** 2, tf.sign(x)
    assert accumulator.jvp(outside) is None
    assert same(accumulator.jvp(inside), 2 * np.exp(2 * x), 1e-5)
    assert same(EAGER.gradient(tf.sign, x), 0.0)
    assert accumulator.jvp(sign) is None
    assert same(accumulator.jvp(sign, **UNCONNECTED), 0.0)


@says(
    "To compute a …",
    "This program applies …",
    "Look at the signs:",
    "The first result …",
    "The second result …",
    "The fixed program …",
    "Both results are right.",
    "The gradient at …",
    "In the second line, …",
    "Fix: use two tapes.",
    "If you use …",
    "Deliberately wrong: second derivatives from …",
    "Two tapes, or …",
)
@over(x=[2.0, -0.7])
def test_complex_step(x):
    defined, h = program("wrong/complex_step.py"), 1e-20
    x = tf.constant(x, tf.float64)
    z = tf.complex(x, tf.constant(h, x.dtype))
    assert same(defined.complex_step(defined.cube, x), -6 * x, 1e-9)
    assert same(defined.complex_step(defined.without_conjugate, x), 6 * x, 1e-9)
    step = tf.math.imag(defined.cube(z)) / h
    assert same(step, 3 * x**2, 1e-9)
    slope = program("complex_step.py").slope
    assert same(tf.math.imag(tf.math.conj(slope(z))) / h, 6 * x, 1e-9)
    assert same(EAGER.gradient(slope, x), 6 * x, 1e-9)
    at = tf.constant(1 + 2j, tf.complex128)
    assert same(EAGER.gradient(defined.cube, at), np.conj(3 * (1 + 2j) ** 2), 1e-9)


@says("Fix: replace one …", "In eager mode, …")
def test_accumulators():
    eager = FORWARDS[0]
    cube = lambda m: (tf.identity(m) * m) * m  # noqa: E731

    def copied(x):
        m = tf.identity(x)
        return (m * m) * m

    x = tf.constant(0.7, tf.float64)
    found = eager.jvp(lambda x: eager.jvp(copied, x), x)
    assert same(EAGER.gradient(derivative(cube), x), 4.2, 1e-9)
    assert not same(found, 4.2, 1e-3)


@says(
    "`CudnnRNNV3` has a …",
    "Without cuDNN, the …",
    "The second derivative agrees …",
    "On a GPU …",
    "A second operation, `CudnnRNNBackpropV3`, …",
    "The program needs …",
    "Fix: pass `use_cudnn=False` …",
    "Deliberately wrong: the gradient of cuDNN's …",
    "Without cuDNN, a …",
)
@over(name=["CudnnRNN", "CudnnRNNV2", "CudnnRNNV3"], layer=["LSTM", "GRU"])
def test_cudnn(name, layer):
    assert callable(ops.gradient_registry.lookup(name))
    back = name.replace("RNN", "RNNBackprop")
    assert hasattr(tf.raw_ops, name) and hasattr(tf.raw_ops, back)
    assert "registry has no entry" in message(ops.gradient_registry.lookup, back)
    assert "raw_ops.CudnnRNN" in inspect.getsource(
        importlib.import_module("keras.src.backend.tensorflow.rnn")
    )
    run = getattr(tf.keras.layers, layer)(2, use_cudnn=False)
    run.build([1, 3, 1])
    graph = tf.function(run).get_concrete_function(tf.TensorSpec([1, 3, 1])).graph
    kinds = {each.type for each in graph.get_operations()}
    assert any("While" in each for each in kinds) and "CudnnRNNV3" not in kinds
    x = tf.constant([[[1.0], [-1.0], [0.5]]])
    second = EAGER.gradient(lambda x: EAGER.gradient(run, x), x)
    assert tf.reduce_any(second != 0)
