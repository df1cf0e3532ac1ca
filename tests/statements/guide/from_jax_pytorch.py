"""What the page for readers of JAX and PyTorch says in words."""

import gc
import weakref

from tensorflow import keras

from truth.statements.tries import *


def ported():
    return program("custom_vjp.py")


# JAX.


@says(
    "`fwd` and `bwd` …",
    "`custom_vjp` below accepts …",
    "They also agree …",
    "A port of jax.custom_vjp: …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, *BLOCKS[1:7], BLOCKS[8]])
def test_custom_vjp(mode):
    """Without XLA, which compiles no tf.print; the blocks are branches and loops."""
    function = ported().function

    def of_x(x):
        return function(x, 3.0 * tf.ones_like(x))

    for order, right in ((1, 3 * np.cos(2)), (2, -3 * np.sin(2))):
        assert same(mode.derivative(of_x, [2.0], order), [right], 1e-5)


@says(
    "The gradients agree.",
    "`grad` is a …",
    "It captures inputs …",
    "The example in …",
)
@over(mode=[EAGER, INSIDE, AROUND], x=numbers(-3, 3), y=numbers(-3, 3))
def test_residuals(mode, x, y):
    found = mode.gradients(ported().function, x, y)
    expected = mode.gradients(lambda x, y: tf.sin(x) * y, x, y)
    assert np.allclose(found, expected, 1e-5, 1e-6)
    _, mine, autodiff = trace("custom_vjp.py")
    assert mine.numbers == autodiff.numbers


@says("`custom_vjp` copies each …")
@over(mode=[each for each in EVERYWHERE if "branch" in each.name])
def test_the_copies(mode):
    def wrapped(copy):
        @tf.custom_gradient
        def function(x):
            x = copy(x)
            return tf.sin(x), lambda upstream: upstream * tf.cos(x)

        return function

    copied = mode.derivative(wrapped(tf.identity), [2.0], 2)
    assert same(copied, [-np.sin(2)], 1e-5)
    bare = raised(mode.derivative, wrapped(lambda x: x), [2.0], 2)
    assert isinstance(bare, AssertionError)
    assert "[tf.identity(each) for each in inputs]" in source("custom_vjp.py")


@says(
    "`jax.grad` differentiates a …",
    "So the tape …",
    "`jax.vjp(f, x)` — …",
    "an argument of …",
)
@over(x=numbers(-9, 9))
def test_an_open_tape(x):
    x, variable = tf.constant(x), tf.Variable(x)
    y = x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
    assert tape.gradient(y, x) is None
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x + variable * variable
    upstream = tf.constant(3.0)
    found = tape.gradient(y, [x, variable], output_gradients=upstream)
    assert same(found, [6.0 * x, 6.0 * x], 1e-5)


@says(
    "TensorFlow has no …",
    "JAX transposes the …",
    "For example, take …",
    "Replace each tangent, …",
    "Then return one …",
    "A sum over …",
)
@over(x=arrays((3,), numbers(-3, 3)), v=arrays((3,), numbers(-3, 3)))
def test_transposed(x, v):
    assert not hasattr(tf, "custom_jvp") and not hasattr(tf.autodiff, "custom_jvp")
    y = tf.constant([2.0, -1.0, 0.5])
    x_bar, y_bar = EAGER.gradients(lambda x, y: tf.reduce_sum(tf.sin(x) * y), x, y)
    jvp = np.sum(np.cos(x) * v * y + np.sin(x) * v)
    upstream = tf.ones(3)
    assert same(x_bar, tf.cos(x) * upstream * y, 1e-6)
    assert same(y_bar, tf.sin(x) * upstream, 1e-6)
    assert np.isclose(np.sum(x_bar * v) + np.sum(y_bar * v), jvp, 1e-3, 1e-4)
    assert same(EAGER.gradient(tf.reduce_sum, x), tf.ones(3))
    broadcast = EAGER.gradient(lambda s: s * tf.constant(v), 2.0)
    assert np.isclose(broadcast, np.sum(v), 1e-4, 1e-5)


@says(
    "In forward mode, …",
    "But if the …",
    "In eager mode, forward …",
    "The stop-gradient trick …",
    was=(
        "'ignores your gradient function': forward mode around a tf.function uses it",
        "'and ignores your gradient function': with tf.round, eager mode uses it",
    ),
)
@over(forward=FORWARDS)
def test_forward_mode(forward):
    tenfold = tf.custom_gradient(
        lambda x: (tf.sin(x), lambda upstream: 10.0 * upstream)
    )
    used = 10.0 if "around" in forward.name else np.cos(0.5)
    assert same(forward.jvp(tenfold, 0.5), used, 1e-6)
    rounded = tf.custom_gradient(
        lambda x: (tf.round(x), lambda upstream: 10.0 * upstream)
    )
    used = 0.0 if "inside" in forward.name else 10.0
    assert same(forward.jvp(rounded, 0.7), used)

    def trick(x):
        return 10.0 * x + tf.stop_gradient(tf.sin(x) - 10.0 * x)

    assert same(forward.jvp(trick, 0.5), 10.0) and same(
        EAGER.gradient(trick, 0.5), 10.0
    )


@says(
    "TensorFlow treats every …",
    "So pass settings …",
    "Pass settings to …",
    "The gradient of the sum …",
    "`clip_gradient` clips the …",
    "A port of nondiff_argnums: …",
    "It returns one, …",
    "Only positional arguments …",
)
@over(mode=MODES)
def test_settings(mode):
    clip_gradient = program("settings.py").clip_gradient
    x = [1.0, 2.0, 3.0]
    found = mode.gradient(lambda x: tf.reduce_sum(clip_gradient(-0.5, 5.0)(x) ** 2), x)
    squares = mode.gradient(lambda x: tf.reduce_sum(x**2), x)
    assert same(squares, [2, 4, 6]) and same(found, [2, 4, 5])
    both = tf.custom_gradient(lambda x, k: (x * k, lambda upstream: 2.0 * upstream))
    assert raised(mode.gradient, lambda x: both(x, 2.0), 3.0) is not None
    one = tf.custom_gradient(lambda x: (x * 2.0, lambda upstream: 2.0 * upstream))
    assert mode.gradient(one, 3.0) == 2


@says("Pass tensors as …")
@over(mode=[EAGER, INSIDE, AROUND])
def test_captured(mode):
    def captures(x, k):
        return tf.custom_gradient(lambda x: (k * x, lambda upstream: upstream * k))(x)

    of_x, of_k = mode.gradients(captures, 2.0, 3.0)
    assert of_x == 3 and of_k is None


# PyTorch.


@says(
    "`forward` becomes the …",
    "Notice that `grad` …",
    "The gradients in both …",
    "A port of torch.autograd.Function: …",
)
@over(mode=MODES, x=arrays((3,), numbers(-2, 2)), k=numbers(-1, 1), cases=12)
def test_function(mode, x, k):
    scaled = program("function.py").scaled_exp
    found = mode.gradients(lambda x, k: tf.reduce_sum(scaled(x, k) ** 2), x, k)
    plain = mode.gradients(lambda x, k: tf.reduce_sum(tf.exp(k * x) ** 2), x, k)
    assert all(np.allclose(a, b, 1e-3, 1e-4) for a, b in zip(found, plain))
    mine, autodiff = trace("function.py")
    assert mine.numbers == autodiff.numbers


@says(
    "TensorFlow doesn't tell …",
    "TensorFlow doesn't tell …",
    "All gradients are …",
    "Three differences from …",
)
@over(mode=[EAGER, PERSISTENT])
def test_all_gradients(mode):
    computed = []

    @tf.custom_gradient
    def product(x, y):
        def grad(upstream):
            computed.extend(["x", "y"])
            return upstream * y, upstream * x

        return x * y, grad

    assert mode.gradient(lambda x: product(x, tf.constant(3.0)), 2.0) == 3
    assert computed == ["x", "y"]


@says(
    "The tape also …",
    "In eager mode, the tape …",
    "`tf.stop_gradient` around the …",
)
@over(stops=[False, True], persistent=[False, True])
def test_the_tape_records_inside(stops, persistent):
    inside = []

    @tf.custom_gradient
    def twice(x):
        if stops:
            x = tf.stop_gradient(x)
        middle = tf.sin(x)
        inside.append(weakref.ref(middle))
        return tf.sin(middle), lambda upstream: upstream

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = twice(x)
    assert (inside[0]() is not None) != stops
    tape.gradient(y, x)
    gc.collect()
    assert (inside[0]() is not None) == (persistent and not stops)
    del tape, y
    gc.collect()
    assert inside[0]() is None


@says("Parameters aren't inputs.", "If the function …")
@over(mode=[EAGER, INSIDE])
def test_variables(mode):
    w = tf.Variable(2.0)
    bare = tf.custom_gradient(lambda x: (w * x, lambda upstream: upstream * w))
    assert "variables" in message(mode.gradient, bare, 3.0)
    layer = keras.layers.Dense(1)
    assert layer.trainable


@says(
    "In TensorFlow, apply …",
    "TensorFlow then raises …",
    "The first derivative …",
    "A port of once_differentiable: …",
    "`once_differentiable` — `tf.raw_ops.PreventGradient` …",
)
@over(mode=MODES)
def test_once(mode):
    cube = program("once.py").cube
    assert "tf.raw_ops.PreventGradient(" in source("once.py")
    assert mode.gradient(cube, 2.0) == 12
    assert "no second derivative" in message(mode.gradient, derivative(cube), 2.0)
    first, error = trace("once.py")
    assert first.numbers[-1] == 12 and error.text.startswith("LookupError")


@says(
    "`tf.test.compute_gradient` returns two …",
    "`gradcheck` below compares …",
    "The last line …",
    "`gradcheck` finds the …",
    "A port of gradcheck: …",
)
@over(factor=[2.0, 2.9, 3.0], x=numbers(0.5, 2))
def test_gradcheck(factor, x):
    gradcheck, x = program("gradcheck.py").gradcheck, tf.constant([x], tf.float64)
    cube = tf.custom_gradient(lambda x: (x**3, lambda u: u * factor * x * x))
    assert gradcheck(cube, [x]) == (factor == 3)
    jacobians = tf.test.compute_gradient(cube, [x])
    assert len(jacobians) == 2
    [theory], [numeric] = jacobians
    assert same(theory[0], factor * x**2) and same(numeric[0], 3.0 * x**2, 1e-3)
    right, wrong, second = trace("gradcheck.py")
    found = [each.text.split()[-1] for each in (right, wrong, second)]
    assert found == ["True", "False", "True"]


@says(
    "`ctx.needs_input_grad` — no …",
    "`ctx.set_materialize_grads` — no …",
    "`None` from `bwd` …",
    "pytrees as inputs …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_none_and_zeros(mode):
    seen = []

    @tf.custom_gradient
    def two(pair, k):
        x, y = pair

        def grad(*upstream):
            seen.append(len(upstream))
            return upstream[0] + upstream[1], upstream[1], None

        return (x + y, x * k), grad

    of_x, of_y, of_k = mode.gradients(lambda x, y, k: two([x, y], k)[0], 2.0, 3.0, 4.0)
    assert of_x == 1 and of_y == 0 and of_k is None and seen == [2]


# Try it.


@says("Let the loss …", "The gradient is 3, …")
@over(mode=MODES)
def test_detached(mode):
    assert mode.gradient(lambda x: x * tf.stop_gradient(x), 3.0) == 3


def half_of_three(x):
    return program("solution.py").half(3.0 * x)


@says(
    "Write an identity …",
    "The gradient of the loss …",
    "A port of register_hook: …",
)
@over(mode=EVERYWHERE, x=[-3.0, 0.0, 2.0])
def test_half(mode, x):
    assert same(mode.gradient(half_of_three, x), 1.5)
    printed = trace("solution.py")
    assert printed[0].numbers == [9, 9 / 2]
    assert printed[-1].numbers == [4.5]


history(
    "The words and …",
    "If `backward` is …",
    "In PyTorch, `y.register_hook …",
    "You port a …",
)
definition(
    "JAX — PyTorch …",
    "JAX — TensorFlow …",
    "PyTorch — TensorFlow …",
    "A JVP rule …",
    "A gradient function is step …",
)
pointer(
    "After this page …",
    "This table lists …",
    "Find the JAX …",
    "You need to …",
    "The tape explains …",
    "Compare the last …",
    "For more on settings, …",
    "Forbid second derivatives …",
    "Checking has a …",
    "Make two quick …",
    "Predict: a missing …",
    "Predict: detach.",
    "Derive: a hook …",
    "How many gradients …",
)
advice("Use float64, as …", "In TensorFlow you …", "Write this hook …")
definition(
    "cotangent, output cotangent …",
    "VJP rule, `bwd` …",
    "residuals — saved …",
    "`jax.grad(f)(x)` — …",
    "`jax.jvp(f, (x,), (v,))` — …",
    "tracing under `jax.jit` …",
    "`jax.custom_vjp`, `defvjp(fwd, bwd)` — …",
    "`jax.custom_jvp`, `defjvp` — …",
    "`nondiff_argnums` — an …",
    "`jax.lax.stop_gradient` — `tf.stop_gradient` …",
    "`jax.checkpoint` — `tf.recompute_grad` …",
    "`jax.vmap` — `tf.vectorized_map`, …",
    "`jax.lax.custom_root` — a …",
    "`jax.test_util.check_grads` — `tf.test.compute_gradient` …",
    "`torch.autograd.Function` — `tf.custom_gradient` …",
    "`ctx.save_for_backward`, `setup_context` — …",
    "`ctx.mark_non_differentiable` — an …",
    "`tensor.detach()` — `tf.stop_gradient(tensor)` …",
    "`torch.no_grad()` — leave …",
    "`tensor.register_hook` — an …",
    "`tensor.retain_grad()` — pass …",
    "`torch.autograd.detect_anomaly` — `tf.debugging.enable_check_numerics()` …",
    "`torch.utils.checkpoint` — `tf.recompute_grad` …",
    "`torch.autograd.gradcheck` — `tf.test.compute_gradient` …",
    "`module.parameters()` in a …",
)
