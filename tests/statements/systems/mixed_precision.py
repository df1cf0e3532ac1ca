"""What the page on mixed precision says in words."""

import contextlib
import types
import warnings

import keras

from truth.statements.tries import *

POLICIES = ["float32", "mixed_float16"]
EAGERLY = [False, True]
CONSTANT = keras.initializers.Constant
X = np.array([[1.0]], "float32")


@contextlib.contextmanager
def policy(name):
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy("float32")


def dense(value=1.0):
    return keras.layers.Dense(1, use_bias=False, kernel_initializer=CONSTANT(value))


def fitted(*layers, x=X, t=0 * X, optimizer=None, **options):
    """The model after a step, what ``fit`` ends with, and its warnings."""
    model = keras.Sequential([keras.Input(x.shape[1:]), *layers])
    model.compile(optimizer or keras.optimizers.SGD(0.125), "mse", **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = message(lambda: model.fit(x, t, verbose=0))
    return model, said, caught


class Around(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return self.function(x)


# Mixed precision.


@says(
    "Under this policy …",
    "Which dtype does …",
    "Why is it …",
    "With the global policy `mixed_float16`, `compile` …",
    "This optimizer multiplies the …",
    "Then it divides …",
    "Your gradient function …",
    "With `mixed_float16`, the first …",
    "The upstream gradient in …",
)
@over(name=POLICIES, eagerly=EAGERLY)
def test_scaled(name, eagerly):
    seen = []

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            tf.py_function(lambda u: seen.append(u.numpy().item()), [upstream], [])
            seen.append(upstream.dtype)
            return upstream

        return tf.identity(x), grad

    with policy(name):
        layer = dense(0.5)
        layers = [layer, Around(probe), Around(probe)]
        model, said, _ = fitted(*layers, run_eagerly=eagerly)
    mixed = name != "float32"
    kind = keras.optimizers.LossScaleOptimizer if mixed else keras.optimizers.SGD
    assert said == "" and type(model.optimizer) is kind
    dtypes = {each for each in seen if isinstance(each, tf.DType)}
    assert dtypes == {tf.float16 if mixed else tf.float32}
    upstream = [each for each in seen if isinstance(each, float)]
    assert upstream == [32768 if mixed else 1] * 2 and layer.kernel.numpy() == 0.375
    if mixed:
        weight = keras.Variable([[0.5]])
        assert model.optimizer.scale_loss(tf.constant(1.0)) == 32768
        divides = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.125))
        divides.apply([tf.constant([[32768.0]])], [weight])
        assert same(weight, [[0.375]])

    def small(x):
        return x * 2.0**-13

    for scaled in () if eagerly else (True, False):
        with policy(name):
            layer = dense(0.0)
            fitted(layer, Around(small), t=-(2.0**-14) + 0 * X, auto_scale_loss=scaled)
        lost = mixed and not scaled
        assert same(layer.kernel, [[0.0 if lost else -(2.0**-29)]])


@says(
    "The second upstream …",
    "This optimizer multiplies the …",
    "What overflows? — …",
    was="'32768 times larger': only at first",
)
@over(name=POLICIES, target=[0.5, 0.0, -8.0])
def test_too_large(name, target):
    mixed = name != "float32"
    upstream = 2 * (1 - target)
    large = mixed and np.isinf(np.float16(upstream * 32768))
    seen = []

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            tf.py_function(lambda u: seen.append(u.numpy().item()), [upstream], [])
            return upstream

        return tf.identity(x), grad

    with policy(name):
        layer = dense(1.0)
        model, said, _ = fitted(layer, Around(probe), t=target + 0 * X)
    assert large == (mixed and target != 0.5) and said == ""
    assert upstream == {0.5: 1, 0.0: 2, -8.0: 18}[target]
    assert layer.kernel.numpy() == (1 if large else 1 - 0.125 * upstream)
    if mixed:
        assert model.optimizer.dynamic_scale.numpy() == (16384 if large else 32768)
    layer.kernel.assign([[1.0]])
    model.fit(X, 0.5 + 0 * X, verbose=0)
    first = 32768 if mixed else 1
    assert seen[0] == (np.inf if large else upstream * first)
    assert seen[1] == (first / 2 if large else first)
    scales = [each.numbers[-1] for each in trace("mixed.py").starting("target")]
    assert scales == [1, 1, 32768, 16384]


@says(
    "The scale requires …",
    "One that compares …",
    "Clipping compares the …",
    "In this program the limit …",
    "Both policies should …",
    "Both policies now give the same kernel.",
    "The fix is to scale …",
    "Deliberately wrong: a limit …",
    "The limit of …",
    "scale_loss multiplies by …",
    "With the scale …",
    "So the result …",
    "Where may you …",
)
@over(name=POLICIES, way=["linear", "clip", "scaled clip"])
def test_clips(name, way):
    mixed = name != "float32"
    with policy(name):
        optimizer = keras.optimizers.SGD(0.125)
        if mixed:
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
        between = {
            "linear": lambda: Around(
                tf.custom_gradient(lambda x: (1.0 * x, lambda u: -0.5 * u))
            ),
            "clip": program("wrong/clip.py").Clip,
            "scaled clip": lambda: program("clip.py").Clip(0.5, optimizer),
        }[way]()
        layer = dense(1.0)
        _, said, caught = fitted(layer, between, t=0.5 + 0 * X, optimizer=optimizer)
    assert said == "" and not caught
    moved = layer.kernel.numpy().item() - 1.0
    right = 0.0625 if way == "linear" else -0.0625
    assert same(moved, right / 32768 if mixed and way == "clip" else right, 1e-2)


@says(
    "This method multiplies …",
    "In an optimizer …",
    "The comparison is …",
)
def test_scale_loss():
    plain = keras.optimizers.SGD(0.1)
    wrapped = keras.optimizers.LossScaleOptimizer(plain)
    assert keras.optimizers.SGD(0.1).scale_loss(tf.constant(3.0)) == 3
    assert wrapped.scale_loss(tf.constant(3.0)) == 3 * 32768
    assert np.isinf(np.float16(3 * 32768)) and "limit.dtype" in source("clip.py")


@says(
    "In float16, a …",
    "Cast constants to …",
    "Compute a sum …",
)
@over(mode=[EAGER, INSIDE])
def test_what_to_cast(mode):
    x = tf.constant([1.0, 2.0], tf.float16)
    for factor, fails in ((tf.constant(2.0), True), (tf.constant(2.0, x.dtype), False)):
        rule = tf.custom_gradient(lambda x, f=factor: (1 * x, lambda u: u * f))
        assert (message(mode.gradient, rule, x) != "") == fails
    ones = tf.ones([70000], tf.float16)
    assert (
        np.isinf(tf.reduce_sum(ones))
        and tf.reduce_sum(tf.cast(ones, tf.float32)) == 70000
    )


@says(
    "A custom `train_step` must …",
    "The `LossScaleOptimizer` divides …",
    "So a custom …",
    "A custom train_step …",
    "Both policies take …",
    "Without `scale_loss`, the …",
)
@over(name=POLICIES, scales=[True, False])
def test_train_step(name, scales):
    text, scaling = source("train_step.py"), "self.optimizer.scale_loss(loss)"
    assert text.count(scaling) == 1
    defined = types.SimpleNamespace(keras=keras, tf=tf)
    text = text if scales else text.replace(scaling, "loss")
    exec(text.split("x, t = np.array")[0], vars(defined))
    with policy(name), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inputs, layer = keras.Input([1]), dense(1.0)
        model = defined.Model(inputs, layer(inputs))
        model.compile(keras.optimizers.SGD(0.125), "mse")
        said = message(lambda: model.fit(X, 0.5 + 0 * X, verbose=0))
    assert said == "" and not caught
    moved = layer.kernel.numpy().item() - 1.0
    small = name != "float32" and not scales
    assert same(moved, -0.125 / 32768 if small else -0.125, 1e-2)


# Clipping and overflow.


def stepped(model_type, optimizer, name="mixed_float16", target=0.5, **given):
    with policy(name):
        inputs, layer = keras.Input([1]), dense(1.0)
        model = model_type(inputs, layer(inputs))
        for key, value in given.items():
            setattr(model, key, value)
        model.compile(optimizer, "mse")
        said = message(lambda: model.fit(X, target + 0 * X, verbose=0))
    return said, layer.kernel.numpy().item() - 1.0, model.optimizer


@says(
    "In Keras 2, …",
    "In Keras 3 they …",
    "Keras 2 — Keras …",
    "`optimizer.get_scaled_loss(loss)` — …",
    "`optimizer.get_unscaled_gradients(gradients)` — …",
    "`dynamic=False`, `initial_scale=s` — …",
)
@over(scale=[2.0, 1024.0])
def test_of_keras_2(scale):
    wrapped = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.125))
    gone = ("get_scaled_loss", "get_unscaled_gradients")
    assert len([each for each in gone if not hasattr(wrapped, each)]) == 2
    assert int(keras.version().split(".")[0]) == 3
    loss, w = tf.constant(1.0), keras.Variable(1.0)
    wrapped.build([w])
    scaled = wrapped.scale_loss(loss)
    assert scaled == 32768
    wrapped.apply([scaled], [w])
    assert w.numpy() == 0.875
    refused = message(
        lambda: keras.optimizers.LossScaleOptimizer(
            keras.optimizers.SGD(), dynamic=False
        )
    )
    assert "loss_scale_factor" in refused
    fixed, w = keras.optimizers.SGD(0.125, loss_scale_factor=scale), keras.Variable(1.0)
    fixed.build([w])
    assert fixed.scale_loss(loss) == scale
    fixed.apply([fixed.scale_loss(loss)], [w])
    assert w.numpy() == 0.875
    for options, factor in (({}, 32768), ({"auto_scale_loss": False}, scale)):
        seen = []

        @tf.custom_gradient
        def seeing(x):
            return tf.identity(x), lambda upstream: seen.append(upstream) or upstream

        optimizer = keras.optimizers.SGD(0.125, loss_scale_factor=scale)
        with policy("mixed_float16"):
            layers = dense(), Around(seeing)
            fitted(*layers, optimizer=optimizer, run_eagerly=True, t=X - 0.5, **options)
        assert float(seen[0][0, 0]) == factor  # of 2 (y - t), which is 1


@says(
    "`optimizer.apply` divides by …",
    "If you clip …",
    "Where may you …",
    "Clip with the inner …",
    "This program shows …",
    "All four kernels agree.",
    "The program uses …",
    "The `LossScaleOptimizer` itself …",
    "Clip with the optimizer, …",
)
@over(name=POLICIES)
def test_where_to_clip(name):
    sgd = keras.optimizers.SGD
    right = program("where_to_clip.py").Model
    text, limit = source("where_to_clip.py"), "self.optimizer.scale_loss(tf.constant("
    assert text.count(limit) == 1 and float(text.split(limit)[1].split(")")[0]) == 0.5
    names: dict = {}
    text = text.replace(f"{limit}0.5))", "tf.constant(0.5)")
    exec(text.split("for policy in")[0], names)
    said, moved, _ = stepped(names["Model"], sgd(0.125), name, clips=True)
    assert said == ""
    assert same(moved, -0.0625 / (1 if name == "float32" else 32768), 0.2)
    limits = ("global_clipnorm", "clipnorm", "clipvalue")
    steps = [stepped(right, sgd(0.125, **{each: 0.5}), name)[1] for each in limits]
    steps.append(stepped(right, sgd(0.125), name, clips=True)[1])
    assert len(steps) == 4 and same(steps, [-0.0625] * 4)
    for each in limits:
        refused = message(
            lambda: keras.optimizers.LossScaleOptimizer(sgd(), **{each: 0.5})
        )
        assert f"does not support `{each}`" in refused
    assert len(limits) == 3


@says(
    "The largest finite …",
    "The `LossScaleOptimizer` looks …",
    "`times_8` overflows three …",
    "Each time Keras …",
    "`clip` turns infinity …",
    "Keras takes each …",
    "So your function …",
    "This program tries …",
    "`clip_finite` returns the …",
    "Then Keras lowers …",
    "What a gradient …",
)
@over(change=["times_8", "clip", "clip_finite"])
def test_overflow(change):
    assert np.finfo(np.float16).max == 65504
    fitted_with = source("overflow.py").split("mixed_float16")[1].count("fit(")
    assert fitted_with == len(("times_8", "clip", "clip_finite")) == 3
    defined = program("overflow.py")
    target = 0.5 if change == "times_8" else -8.0
    given = []

    def noted(upstream):
        given.append(getattr(defined, change)(upstream))
        return given[-1]

    with policy("mixed_float16"):
        layer = dense(1.0)
        model = keras.Sequential([keras.Input([1]), layer, defined.Change(noted)])
        model.compile(keras.optimizers.SGD(0.001), "mse", run_eagerly=True)
        scales, kernels = [32768.0], [1.0]
        for _ in range(7):
            said = message(lambda: model.fit(X, target + 0 * X, verbose=0))
            assert said == ""
            scales.append(model.optimizer.dynamic_scale.numpy().item())
            kernels.append(layer.kernel.numpy().item())
    halved = [one == other / 2 for one, other in zip(scales[1:], scales)]
    moved = [one != other for one, other in zip(kernels[1:], kernels)]
    finite = [bool(np.all(np.isfinite(each))) for each in given]
    assert all(one != other for one, other in zip(halved, moved)) or change == "clip"
    if change == "times_8":
        assert finite == moved and halved.count(True) == 3 and halved[:3] == [True] * 3
    elif change == "clip":
        assert all(moved) and all(finite) and scales[-1] == 32768
    else:
        assert np.isinf(given[0]) and halved[0] and any(moved)


@says(
    "A gradient function that returns …",
    "In this program the second …",
    "In float16, 1e-8 …",
    "So Keras skips …",
    "Use a larger …",
    "Deliberately wrong: 1e-8 …",
)
@over(name=POLICIES, eagerly=EAGERLY)
def test_epsilon(name, eagerly):
    defined = program("wrong/epsilon.py")
    epsilon = float(source("wrong/epsilon.py").split("tf.abs(x) + ")[1].split(")")[0])
    assert epsilon == 1e-8 and np.float16(epsilon) == 0 and defined.x[1] == 0
    with policy(name), np.errstate(all="ignore"):
        layer = dense(1.0)
        assert np.isnan(np.float16(0) / np.float16(0))
        model = keras.Sequential([keras.Input([1]), layer, defined.Absolute()])
        model.compile(keras.optimizers.SGD(0.125), "mse", run_eagerly=eagerly)
        scales = []
        for _ in range(4):
            assert message(lambda: model.fit(defined.x, defined.t, verbose=0)) == ""
            if name != "float32":
                scales.append(model.optimizer.dynamic_scale.numpy().item())
    assert (layer.kernel.numpy().item() == 1) == (name != "float32")
    assert scales == ([] if name == "float32" else [2.0**n for n in (14, 13, 12, 11)])
    zero = tf.constant(0.0, tf.float16)
    assert zero / (zero + 1e-3) == 0
    assert tf.cast(zero, tf.float32) / (tf.cast(zero, tf.float32) + 1e-8) == 0


# Policies of layers.


@says(
    "`compile` turns on …",
    "A policy on …",
    "A model has …",
    "Whether `compile` wraps …",
    "The argument `auto_scale_loss` …",
    "A layer with `dtype …",
    "The upstream gradients …",
    "With `auto_scale_loss=False`, the …",
    "An optimizer that …",
    "When compile wraps …",
)
@over(
    name=POLICIES, layer=[None, "mixed_float16"], scaled=[True, False], by_hand=[0, 1]
)
def test_policies(name, layer, scaled, by_hand):
    def small(x):
        return x * 2.0**-13

    optimizer = keras.optimizers.SGD(0.125)
    if by_hand:
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
    with policy(name):
        kernel = keras.layers.Dense(
            1, use_bias=False, kernel_initializer="zeros", dtype=layer
        )
        after = Around(small)
        after.dtype_policy = kernel.dtype_policy
        model, said, caught = fitted(
            kernel,
            after,
            t=-(2.0**-14) + 0 * X,
            optimizer=optimizer,
            auto_scale_loss=scaled,
            run_eagerly=layer is None,  # both ways, with half of the cases each
        )
    wraps = by_hand or (name == "mixed_float16" and scaled)
    kind = keras.optimizers.LossScaleOptimizer if wraps else keras.optimizers.SGD
    assert type(model.optimizer) is kind and said == "" and not caught
    if not scaled and not by_hand:
        assert type(model.optimizer) is keras.optimizers.SGD
    with policy(name):
        created = keras.Sequential([keras.Input([1]), dense()])
    created.compile("sgd", "mse")  # under the default policy, float32
    was_wrapped = type(created.optimizer) is keras.optimizers.LossScaleOptimizer
    assert was_wrapped == (name == "mixed_float16")
    assert created.dtype_policy.name == name
    half = kernel.compute_dtype == "float16"
    assert (kernel.kernel.numpy() == 0) == (half and not wraps)


# The exercises.


@says(
    "Without a scale, …",
    "With `mixed_float16` and …",
    "The first upstream …",
    "This is more …",
    "With half the …",
)
@over(name=POLICIES)
def test_the_second_step(name):
    seen = []

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            tf.py_function(lambda u: seen.append(u.numpy().item()), [upstream], [])
            return upstream

        return tf.identity(x), grad

    with policy(name):
        layer, optimizer = dense(1.0), keras.optimizers.SGD(0.0)
        model, said, _ = fitted(
            layer, Around(probe), t=-0.5 + 0 * X, optimizer=optimizer
        )
        model.fit(X, -0.5 + 0 * X, verbose=0)
    assert said == "" and 3 * 32768 == 98304 > 65504 and 98304 / 2 == 49152
    assert seen == ([3, 3] if name == "float32" else [np.inf, 49152])


@says(
    "Compute the quotient …",
    "Then cast it …",
    "Both policies now give the same kernels, …",
    "The quotient is …",
)
@over(eagerly=EAGERLY)
def test_the_quotient_in_float32(eagerly):
    defined = program("solution.py")
    assert "tf.abs(wide) + 1e-8" in source("solution.py") and np.float32(1e-8) != 0
    kernels = []
    for name in POLICIES:
        with policy(name):
            layer = dense(1.0)
            model = keras.Sequential([keras.Input([1]), layer, defined.Absolute()])
            model.compile(keras.optimizers.SGD(0.125), "mse", run_eagerly=eagerly)
            for _ in range(3):
                assert message(lambda: model.fit(defined.x, defined.t, verbose=0)) == ""
                kernels.append(layer.kernel.numpy().item())
    assert model.optimizer.dynamic_scale.numpy() == 32768
    assert same(kernels[:3], kernels[3:], 1e-3) and kernels[0] == 0.875
    shown = [each.numbers[0] for each in trace("solution.py").starting("  kernel")]
    assert len(shown) == 6 and shown[:3] == shown[3:]


definition(
    "The symbol $:=$ …",
)
advice(
    "Cast gradients of …",
    "You need to …",
    "Wrap the optimizer …",
    "Change `absolute` in …",
    "Keep the constant …",
)
pointer(
    "The layer `Sign` …",
    "After this page …",
    "The catalogue of mistakes explains …",
    "The catalogue of mistakes lists …",
    "Question — Answer",
)
