"""What the page on questions to a tape says in words."""

import keras

from truth.statements.tries import *

X = np.ones([4, 1], "float32")


def dense(**options):
    layer = keras.layers.Dense(1, kernel_initializer="ones", **options)
    return keras.Sequential([keras.Input([1]), layer]), layer


@says(
    "The rule is …",
    "`model.predict` returns an …",
    "What is computed …",
    "`model.predict_on_batch` and `model.evaluate` …",
    "Call the model.",
    "Wrong on purpose: the tape …",
    "Under a tape, …",
)
@over(ask=["predict", "predict_on_batch", "evaluate", "call"], persistent=[False, True])
def test_predict(ask, persistent):
    model, _ = dense()
    model.compile("sgd", "mse")
    asked = {
        "predict": lambda: model.predict(X, verbose=0),
        "predict_on_batch": lambda: model.predict_on_batch(X),
        "evaluate": lambda: model.evaluate(X, X, verbose=0),
        "call": lambda: model(X),
    }[ask]
    with tf.GradientTape(persistent=persistent) as tape:
        y = asked()
        total = tf.reduce_sum(y)
    gradients = tape.gradient(total, model.trainable_variables)
    if ask == "call":
        assert tf.is_tensor(y) and same(gradients[0], [[4.0]])
    else:
        assert gradients == [None, None] and not tf.is_tensor(y)
    assert ask == "evaluate" or isinstance(y, np.ndarray) == (ask != "call")


@says(
    "Grad-CAM and the …",
    "Two models that …",
    "One model with both …",
    "Wrong on purpose: the output …",
    "One model with two …",
)
@over(mode=["eager", "graph"])
def test_layer_output(mode):
    calls = []

    class Counted(keras.layers.Layer):
        def call(self, x):
            calls.append(x)
            return x * x

    inputs = keras.Input([1])
    hidden = Counted()(inputs)
    scores = keras.layers.Rescaling(3.0)(hidden)
    model, features = keras.Model(inputs, scores), keras.Model(inputs, hidden)
    both = keras.Model(inputs, [hidden, scores])

    def ask(compute):
        calls.clear()
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            of_layer, score = compute(x)
        gradient = tape.gradient(score, of_layer)
        return gradient, len(calls)

    wrap = tf.function if mode == "graph" else lambda f: f
    gradient, runs = wrap(lambda: ask(lambda x: (features(x), model(x))))()
    assert gradient is None and runs == 2
    gradient, runs = wrap(lambda: ask(both))()
    assert same(gradient, 3 * X) and runs == 1


@says(
    "A tape knows …",
    "An array, a …",
    "Ask for a …",
    "Wrong on purpose: a tape is asked …",
    "Ask for the …",
)
@over(mode=[EAGER, PERSISTENT])
def test_no_id(mode):
    model, layer = dense()
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(model(x))
    assert hasattr(x, "_id") and hasattr(layer.kernel.value.read_value(), "_id")
    for none in (X, X.sum(), layer, layer.output):
        assert not hasattr(none, "_id")
        assert "has no attribute '_id'" in message(tape.gradient, y, none)
    for none in (X, X.sum(), layer.output):
        assert "has no attribute '_id'" in message(tape.gradient, none, x)
    by_input, by_weight = tape.gradient(y, [x, layer.kernel])
    assert same(by_input.numpy(), X) and same(by_weight.numpy(), [[4.0]])
    assert same(mode.gradient(lambda x: tf.reduce_sum(model(x)), x), X)


@says(
    "`tape.watch` takes tensors …",
    "A symbolic tensor, …",
    "Leave the line …",
    "To watch it …",
    "For the gradient …",
    "Wrong on purpose: a tape is told …",
    "A weight of …",
)
@over(persistent=[False, True])
def test_watched(persistent):
    model, layer = dense()
    weight, x = layer.kernel, tf.constant(X)
    assert not isinstance(weight, (tf.Tensor, tf.Variable))
    assert isinstance(weight.value, tf.Variable)
    refused = "not tf.Tensor or tf.Variable or ExtensionType"
    with tf.GradientTape(persistent=persistent) as tape:
        for wrong in (weight, model.inputs[0], X):
            assert refused in message(tape.watch, wrong)
        y = tf.reduce_sum(model(x))
    assert same(tape.gradient(y, weight), [[4.0]])
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(weight.value)
        tape.watch(x)
        y = tf.reduce_sum(model(x))
    by_weight, by_bias, by_input = tape.gradient(y, [weight, layer.bias, x])
    assert same(by_weight, [[4.0]]) and by_bias is None and same(by_input, X)


@says(
    "`build` runs once, …",
    "What it computes …",
    "Compute in `call`.",
    "Wrong on purpose: build …",
    "build makes the …",
    "The loss (2s …",
)
@over(eagerly=[False, True])
def test_in_build(eagerly):
    assert same(EAGER.gradient(lambda s: (2 * s - 1) ** 2, 1.0), 4.0)
    for name in ("wrong/in_build.py", "in_build.py"):
        builds = []

        class Layer(program(name).Scaled):
            def build(self, shape):
                builds.append(shape)
                super().build(shape)

        model = keras.Sequential([keras.Input([1]), Layer()])
        model.compile("sgd", "mse", run_eagerly=eagerly)
        said = message(lambda: model.fit(X, X, epochs=2, verbose=0))
        moved = model.layers[0].scale.numpy() != 1
        assert len(builds) == 1 and moved == ("wrong" not in name)
        assert ("No gradients provided" in said) == (not moved)


@says(
    "A model hands …",
    "In a graph …",
    "A rule of …",
    "Wrong on purpose: the call …",
    "call takes the …",
)
@over(eagerly=[False, True])
def test_decorated_call(eagerly):
    got = []

    class Layer(keras.layers.Layer):
        def call(self, *args, training=None):
            got.append((len(args), training))
            return args[0]

    def fitted(layer):
        model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1), layer])
        model.compile("sgd", "mse", run_eagerly=eagerly)
        return message(lambda: model.fit(X, X, verbose=0))

    assert fitted(Layer()) == "" and got[-1] == (1, True)
    said = fitted(program("wrong/decorated_call.py").Reversed())
    assert ("keywords arguments" in said) == (not eagerly)
    assert fitted(program("decorated_call.py").Reversed()) == ""


pointer(
    "Entries on the …",
    "The messages come …",
    "Asked in tensorflow#20630, tensorflow#36596.",
    "Asked in tensorflow#59652, tensorflow#31264.",
    "Asked in keras#19874, …",
    "Asked in tensorflow#32729.",
    "More: the value …",
    "More: the source …",
    "More: rows in …",
    "More: what is watched.",
    "More: the same …",
    "More: keywords in …",
)

advice(
    "Decorate functions of …",
    "`assert tf.is_tensor(y)` before …",
    "`assert gradient is not None`, …",
)
