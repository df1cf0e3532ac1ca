"""What the page on Keras says in words."""

import types
import warnings
from unittest import mock

import keras

from truth.statements.tries import *

POLICIES = ["float32", "mixed_float16"]
EAGERLY = [False, True]
CONSTANT = keras.initializers.Constant
X = np.array([[1.0]], "float32")


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


# The units.


@says(
    "`tf.sign` has gradient …",
    "To train them, …",
    "The task is …",
    "The network has …",
    "It is trained …",
    "Hidden units of …",
    "With `tf.sign` alone, the …",
    "With the custom gradient, the …",
    "The loss over …",
    "With tf.sign alone, it …",
)
def test_training():
    names = {}
    exec(source("training.py").split("curves = {}")[0], names)
    trained = types.SimpleNamespace(**names)
    started = []
    with mock.patch.object(
        keras.Sequential,
        "fit",
        lambda model, *_, **__: (
            started.append(model.get_weights()) or mock.Mock(history={"loss": []})
        ),
    ):
        for function in (tf.sign, trained.sign, tf.tanh):
            trained.train(function)
    assert same(started[0], started[1]) and same(started[0], started[2])
    assert started[0][0].shape == (2, 16) and trained.x.shape == (512, 2)
    assert abs(trained.x).max() <= 1 and 0.2 < trained.inside.mean() < 0.8
    assert same(trained.inside[:, 0], np.hypot(*trained.x.T) ** 2 < 0.6)
    plain, rule, smooth = trace("training.py")
    assert plain.numbers[-1] == 0 < min(rule.numbers[-1], smooth.numbers[-1])
    first, last = plain.numbers[:2]
    assert same(first, 0.75, 1e-2) and same(last, 0.68, 1e-2)
    assert 0.67 < last < 0.7 and first - last > 0.05, "it falls, and doesn't stay"
    assert (
        abs(rule.numbers[1] - 0.31) < 0.01 and rule.numbers[1] / rule.numbers[0] < 0.5
    )
    assert smooth.numbers[1] < rule.numbers[1]
    # The program asserts the rest of what is said of its figure.
    assert "epochs=40" in source("training.py")


@says(
    "`sign` is a …",
    "In the program below, …",
    "The layer itself …",
    "A layer of signs …",
    "A layer of binary …",
    "So its gradient …",
    "You decorate a …",
    "Decorate a function …",
)
@over(mode=MODES, x=arrays(3, numbers(-9, 9)))
def test_the_layer(mode, x):
    x = np.where(abs(x) < 1e-37, np.float32(0), x)  # TensorFlow takes these for 0
    defined = program("layer.py")
    plain = defined.sign
    layer = defined.Sign()
    right = 1.0 - np.tanh(x) ** 2
    for each in (plain, layer):
        assert same(mode.gradient(each, x), mode.gradient(plain, x))
        assert np.allclose(mode.gradient(each, x), right, rtol=1e-3, atol=1e-6)
    assert same(layer(x), np.sign(x)) and set(np.sign(x)) <= {-1, 0, 1}
    assert "keras" not in plain.__wrapped__.__code__.co_names
    assert "grad" not in layer.call.__func__.__code__.co_names


@says(
    "The hidden layer …",
    "The target is …",
    "Both output weights …",
    "The local derivatives …",
    "`fit` calls the …",
    "The two lines …",
    "Compare those under …",
    "With the learning rate …",
)
def test_the_trace():
    lines = trace("layer.py")
    eager, fit = lines[1:3], lines[-3:-1]
    assert [each.text for each in eager] == [each.text for each in fit]
    eager = {**eager[0], **eager[1]}
    assert eager["x"] == [0.5, -1] and eager["upstream"] == [-2, -2]
    assert same(eager["local"], [0.7864, 0.42], 1e-3)
    assert lines.line("gradient of the kernel").numbers[0] == 0
    assert np.sign(eager["x"]).sum() == 0
    names: dict = {}
    exec(source("layer.py").split('print("eager")')[0], names)
    output, t = names["model"].get_weights()[1], names["t"]
    assert same(output, [[1.0], [1.0]]) and t == 1
    by_output = 2.0 * (names["Sign"]()(tf.constant([[0.5, -1.0]])) @ output - t)
    assert same(by_output, [[-2.0]]) and same(by_output * output.T, [[-2.0, -2.0]])
    after = lines.line("after").numbers
    assert same(after[1], 0.6573, 1e-4) and after[0] == 0.1
    assert same(eager["downstream"][0], -1.5729, 1e-4)


@says(
    "This failure is …",
    "The output layer …",
    "Keras has two …",
    "But a gradient of …",
    "If all gradients …",
    "If some are …",
    "The layers after …",
    "If they are 0, …",
    "Deliberately wrong: three …",
)
@over(jump={"sign": tf.sign, "round": tf.round}, behind=[False, True], eagerly=EAGERLY)
def test_what_fit_says(jump, behind, eagerly):
    first, second = dense(0.75), dense(0.75)
    layers = [first, second, Around(jump)] if behind else [first, Around(jump), second]
    _, said, caught = fitted(*layers, t=3 * X, run_eagerly=eagerly)
    warned = [str(each.message) for each in caught]
    moved = [each.kernel.numpy() != 0.75 for each in (first, second)]
    if jump is tf.sign:
        assert said == "" and not warned and moved == [False, not behind]
        assert same(EAGER.gradient(tf.sign, 0.5), 0.0)
    elif behind:
        assert "No gradients provided for any variable" in said and not any(moved)
    else:
        assert said == "" and moved == [False, True]
        assert any("Gradients do not exist for variables" in each for each in warned)


# Weights.


@says(
    "Pass a weight …",
    "If the decorated …",
    "The easiest way …",
    "If you can't …",
    "TensorFlow then passes …",
    "These are `tf.Variable` …",
    "A Keras weight …",
    "Convert the weights …",
    "Inside `call`, Keras …",
    "But `grad` runs …",
    "Cast the gradient …",
    "With the dtype …",
    "A dense layer whose …",
)
@over(name=POLICIES, eagerly=EAGERLY)
def test_weights(name, eagerly):
    seen = {}

    class Layer(keras.layers.Layer):
        def build(self, shape):
            self.W = self.add_weight(shape=(1, 1), initializer="ones")
            self.unread = self.add_weight(shape=(1, 1), initializer="ones")

        def call(self, x):
            @tf.custom_gradient
            def product(x):
                W = tf.convert_to_tensor(self.W)

                def grad(upstream, variables):
                    later = tf.convert_to_tensor(self.W)
                    seen.update(
                        upstream=upstream.dtype, x=x.dtype, W=W.dtype, later=later.dtype
                    )
                    seen["variables"] = [*variables]
                    to_W = tf.matmul(x, upstream, transpose_a=True)
                    return upstream @ tf.transpose(W), [tf.cast(to_W, tf.float32)]

                return x @ W, grad

            return product(x)

    layer = Layer(dtype=name)
    _, said, _ = fitted(layer, run_eagerly=eagerly)
    assert said == "" and same(layer.W, [[0.75]])
    computes = tf.float32 if name == "float32" else tf.float16
    assert {seen[each] for each in ("upstream", "x", "W")} == {computes}
    assert seen["later"] == tf.float32
    [variable] = seen["variables"]
    assert variable is layer.W.value and isinstance(variable, tf.Variable)
    assert variable.dtype == tf.float32

    class Forgets(Layer):
        def call(self, x):
            @tf.custom_gradient
            def product(x):
                return x @ self.W, lambda upstream: upstream

            return product(x)

    said = message(lambda: fitted(Forgets(dtype=name), run_eagerly=eagerly))
    assert "must accept keyword argument 'variables'" in said


@says("With both policies, the …")
def test_the_same_step():
    after = trace("weights.py").starting("  after")
    assert len(after) == 2 and all(each.text.endswith("True") for each in after)


# Steps in one execution.


@says(
    "With `steps_per_execution`, `fit` …",
    "Callbacks run only …",
    "In this program a …",
    "With 4 steps …",
    "If a factor must …",
    "The gradient function itself …",
    "A callback and …",
)
@over(steps=[1, 2, 4], by_counter=[False, True])
def test_steps_per_execution(steps, by_counter):
    defined = program("steps.py")

    class Counts(defined.Scale):
        def build(self, shape):
            super().build(shape)
            self.factor.assign(-1.0)

        def call(self, x):
            self.factor.assign_add(1.0)
            return super().call(x)

    layer = Counts() if by_counter else defined.Scale()
    schedule, kernel = defined.Schedule(layer), dense(1.0)
    options = {"batch_size": 1, "verbose": 0}
    if not by_counter:
        options["callbacks"] = [schedule]
    model = keras.Sequential([keras.Input([1]), kernel, layer])
    if by_counter:
        layer.factor.assign(-1.0)
    model.compile(keras.optimizers.SGD(0.125), "mse", steps_per_execution=steps)
    model.fit(np.ones([4, 1]), np.zeros([4, 1]), **options)
    right = 0.75 * 0.5 * 0.25
    moved = {1: right, 2: 0.25, 4: 1.0}[1 if by_counter else steps]
    assert same(kernel.kernel, [[moved]], 1e-6)
    if not by_counter:
        assert schedule.batches == [*range(0, 4, steps)]


# Reversal.


@says(
    "In the forward pass, the …",
    "So the layer in …",
    r"The factor $-\lambda$ …",
    "Gradient reversal in …",
    "The layer passes …",
    "Gradient reversal learns …",
    "The label head …",
    "The model never …",
    r"If $\lambda$ stays …",
    r"If $\lambda$ grows …",
    "The second column …",
    "This column also …",
    "The last line …",
    "Column 0 predicts …",
)
@over(mode=MODES, factor=[-1.0, 0.0, 0.5, 3.0])
def test_reverse(mode, factor):
    rule = program("reversal.py").reverse
    assert same(mode.gradients(rule, [1.0, 2.0], factor), [[-factor] * 2, None])
    assert same(rule(tf.constant([1.0, 2.0]), factor), [1.0, 2.0])
    if mode is not EAGER or factor != -1:
        return
    defined = program("reversal.py")
    assert same(defined.counts["label"], np.repeat([1.0, 0.0], 200))
    helped, both, once = trace("reversal.py")
    started = []
    assert once.numbers == [0.5, 1, 10, -0.5, -5]
    assert (helped.numbers[-1], both.numbers[-1]) == (132, 164)
    assert (helped.numbers[2], both.numbers[2]) == (1.41, 0.44)
    for each in helped, both:
        assert "in the target" in each.text and not each.text.endswith("target")
    # Two runs from the same weight: it doesn't fall from one number to the other.
    with mock.patch.object(
        keras.Model,
        "fit",
        lambda model, *_, **__: started.append(model.get_weights()[0].ravel()),
    ):
        names: dict = {}
        exec(source("reversal.py"), names)
    assert same(started, [[1.0, 1.0], [1.0, 1.0]])
    means = [
        [defined.x[rows][defined.label[rows, 0] == sign].mean(0) for sign in (1, -1)]
        for rows in (slice(200), slice(200, 400))
    ]
    apart = np.abs([up - down for up, down in means])
    assert apart[0, 1] > 3 and apart[1, 1] < 0.5 and all(apart[:, 0] > 1.5)
    between = abs(defined.x[:200].mean(0) - defined.x[200:].mean(0))
    assert between[1] > 1.5 and between[0] < 0.3
    # The domain head is behind the layer, the label head isn't.
    model, layer = names["model"], names["layer"]
    assert model.get_layer("domain").input is layer.output
    assert model.get_layer("label").input is layer.input
    assert defined.counts["domain"].min() == 1 and {*defined.domain.ravel()} == {0, 1}


@says(
    "In a functional model the …",
    "In a functional model, call …",
    "Everything that this …",
    "A keyword argument …",
    "On the TensorFlow …",
    "The name `keras.ops.custom_gradient` …",
    "The function isn't …",
    "In a functional model, you …",
    "keras.ops.custom_gradient: a layer, …",
)
@over(decorate=[tf.custom_gradient, keras.ops.custom_gradient])
def test_ops(decorate):
    rule = decorate(lambda x: (1.0 * x, lambda upstream: -upstream))
    assert "A KerasTensor cannot be used" in message(rule, keras.Input([2]))
    inputs = keras.Input([1])
    model = keras.Model(inputs, Around(rule)(inputs))
    assert same(EAGER.gradient(model, X), -X)
    assert same(EAGER.gradient(lambda x: rule(x=x), 3.0), 1.0)
    w = keras.Variable(2.0)
    reads = decorate(lambda x: (w * x, lambda upstream: upstream))
    assert "must accept keyword argument 'variables'" in message(reads, 3.0)
    with mock.patch.object(tf, "custom_gradient", return_value="returned") as given:
        assert keras.ops.custom_gradient(rule) == "returned"
    [call] = given.call_args_list
    assert (
        rule in (*call.args, *call.kwargs.values()) and len(call[0]) + len(call[1]) == 1
    )


@says(
    "This program uses `keras.ops` …",
    "It gives a …",
    "The custom gradient halves …",
    "So if the …",
    "A captured weight works …",
    "Otherwise TensorFlow raises …",
    "The documentation of `keras.ops.custom_gradient` …",
    "With `run_eagerly=True`, TensorFlow …",
    "So pass `keras.ops.copy(w)`.",
    "If you need only …",
    "Ways to give …",
)
@over(eagerly=EAGERLY)
def test_weights_on_backends(eagerly):
    defined = program("backends.py")
    ways = ("as_copy", "as_variable", "captured")
    assert len(ways) == 3 and "import tensorflow" not in source("backends.py")

    def converted(x, w):
        return defined.scaled(x, keras.ops.convert_to_tensor(w))

    def by_tensorflow(x, w):
        return defined.scaled(x, tf.convert_to_tensor(w))

    def run(way, **given):
        layer = defined.Scale(way, **given)
        with mock.patch.object(layer, "compute_output_shape", lambda shape: shape):
            before = dense(1.0)
            _, said, _ = fitted(before, layer, run_eagerly=eagerly)
        return said, before.kernel.numpy().item(), layer.w.numpy().item()

    for way in defined.as_copy, by_tensorflow:
        assert run(way) == ("", 0.875, 0.875)
    true = fitted(dense(1.0), defined.Scale(lambda x, w: x * w))[0].get_weights()
    assert same(true[0], [[0.75]]) and same(true[1], 0.75)
    assert (1 - 0.875) / (1 - true[1].item()) == 0.5
    demanded = "must accept keyword argument 'variables'"
    for way in defined.as_variable, converted:
        found = run(way)
        assert demanded in found[0] if eagerly else found == ("", 0.875, 0.875)
    assert run(defined.captured, trainable=False) == ("", 0.875, 1.0)
    try:
        said = run(defined.captured)[0]
    except TypeError as error:
        said = str(error)
    assert demanded in said
    assert "variables" not in keras.ops.custom_gradient.__doc__
    assert trace("backends.py")[-1].text.endswith("TypeError")


@says(
    r"$\lambda$ should grow …",
    "`fit` reads Python …",
    "If a factor in …",
    "`fit` reads a …",
    "TensorFlow does that …",
    "If you assign …",
    "This program assigns …",
    "In all three …",
    "Deliberately wrong: the …",
)
@over(way=["attribute", "compiled again", "weight"], eagerly=EAGERLY)
def test_schedule(way, eagerly):
    if way == "weight":
        between = program("reversal.py").Reverse()
        start = -1.0
    else:
        between, start = program("wrong/schedule.py").Scale(), 1.0
    layer, optimizer = dense(1.0), keras.optimizers.SGD(0.125)
    model = keras.Sequential([keras.Input([1]), layer, between])
    model.compile(optimizer, "mse", run_eagerly=eagerly)
    moved = []
    for factor in (start, 0.0):
        if way == "weight":
            between.lambda_.assign(factor)
        else:
            between.factor = factor
        if way == "compiled again":
            model.compile(optimizer, "mse", run_eagerly=eagerly)
        layer.kernel.assign([[1.0]])
        model.fit(X, 0 * X, verbose=0)
        moved.append(layer.kernel.numpy().item() - 1.0)
    stuck = way == "attribute" and not eagerly
    kernels = [
        each.numbers[1] for each in trace("wrong/schedule.py").starting("factor")
    ]
    assert len(kernels) == 3 and set(kernels) == {0.75}
    assert moved == [-0.25, -0.25 if stuck else 0.0]
    if way == "weight":
        assert not between.trainable_variables and len(between.weights) == 1


@says(
    "`fit` traces again …",
    "It doesn't trace …",
    was="'or for another shape': another number of rows traces nothing anew",
)
def test_traced_anew():
    traced = []
    model, _, _ = fitted(dense(), Around(lambda x: traced.append(x.dtype) or 1.0 * x))

    def anew(x, compiles=False):
        before = len(traced)
        if compiles:
            model.compile(keras.optimizers.SGD(0.125), "mse")
        model.fit(x, np.zeros([len(x), 1], "float32"), verbose=0)
        return len(traced) > before

    x = np.ones([4, 1], "float32")
    anew(x)
    assert not anew(x) and not anew(x[:3]) and not anew(x.astype("float64"))
    assert anew(x.astype("int32")) and anew(x, compiles=True)
    assert {each.name for each in traced} == {"float32"}


# The check.


@says(
    "Central differences of …",
    "The gradient function should …",
    "So the program …",
    "The upstream gradient belongs …",
    "The layer's gradient …",
    "The two gradients …",
)
@over(x=numbers(-3, 3), w=numbers(0.1, 3))
def test_the_check(x, w):
    x = 0.0 if abs(x) < 1e-37 else x  # TensorFlow takes these for 0
    *two, last = trace("check.py")
    assert len(two) == 2 and last.text.endswith("True")
    if abs(x) > 1e-3:
        steps = [np.sign(x * (w + step)) for step in (1e-6, -1e-6)]
        assert steps[0] - steps[1] == 0
    rule = program("check.py").sign
    # The loss y ** 2 sends twice the sign, not twice the tanh.
    slope = EAGER.gradient(rule, x, tf.square)
    x = np.float32(x)
    assert np.allclose(slope, 2 * np.sign(x) * (1 - np.tanh(x) ** 2), 1e-4, 1e-6)


# The exercise.


@says(
    "The surrogate is the identity, …",
    "`tf.convert_to_tensor` first converts …",
    "In the backward pass, TensorFlow …",
    "The custom gradient is applied …",
    "A dense layer with …",
    "With both policies, all …",
)
@over(name=POLICIES, start=[-2.0, -0.5, 0.0, 0.5, 2.0])
def test_binary(name, start):
    layer = program("solution.py").BinaryDense(dtype=name)
    layer.build([None, 1])
    layer.w.assign([[start]])
    with tf.GradientTape() as tape:
        y = layer(tf.constant([[1.0]]))
    slope = tape.gradient(y, layer.w)
    assert y.numpy() == (1.0 if start >= 0 else -1.0)
    assert y.dtype == (tf.float32 if name == "float32" else tf.float16)
    assert slope.numpy() == (abs(start) <= 1) and slope.dtype == tf.float32
    for each in trace("solution.py"):
        assert "float32" in each.text.rpartition("are")[2]
        assert "then 8" in each.text


definition(
    "Here, the units …",
    "The symbol $:=$ …",
)
advice(
    "You need to …",
    "To notice this, …",
    "To make it …",
    "Write `BinaryDense`, a …",
    "`fit` should train …",
    "The layer should …",
    "The feature should …",
)
pointer(
    "Quantized weights derives …",
    "After this page …",
    "For `mixed_float16`, read …",
    "It covers the …",
    "The catalogue of mistakes explains …",
    "This program uses `variables` …",
    "The catalogue of mistakes lists …",
    "The guide derives …",
    "The lesson on …",
)
history(
    "The build of …",
    "In November 2026 …",
    "The copy, the variable …",
    "On JAX, `variables=None` …",
    "We tried nothing …",
)
