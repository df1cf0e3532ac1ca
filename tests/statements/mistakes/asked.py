"""What the page on questions to a tape says in words."""

import keras

from truth.statements.tries import *

X = np.ones([4, 1], "float32")


def dense(**options):
    layer = keras.layers.Dense(1, kernel_initializer="ones", **options)
    return keras.Sequential([keras.Input([1]), layer]), layer


@says(
    "The rule is right, or there is none, and the question is wrong: the tape is told to watch what it cannot watch, or asked for what it has not seen.",
    "`model.predict` returns an array of NumPy.",
    "What is computed from it starts a new path, which leads to no weight.",
    "`model.predict_on_batch` and `model.evaluate` do the same.",
    "Call the model.",
    "Wrong on purpose: the tape watches predict.",
    "Under a tape, call the model.",
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
    "Grad-CAM and the like want the slope of a score by what a layer in the middle returns.",
    "Two models that share layers compute it twice, and the score depends on the other copy.",
    "One model with both outputs, called once.",
    "Wrong on purpose: the output of a layer is computed beside the model.",
    "One model with two outputs: the score comes from the output of the layer.",
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
    "A tape knows a tensor by its `_id`.",
    "An array, a number of NumPy, a layer and the symbolic `layer.output` have none.",
    "Ask for a tensor, by tensors or variables, and call `numpy` on what comes out.",
    "Wrong on purpose: a tape is asked for what is no tensor.",
    "Ask for the tensors themselves.",
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
    "`tape.watch` takes tensors and `tf.Variable`, and a weight of Keras is neither; it holds a variable as `value`.",
    "A symbolic tensor, as the input of a model, and an array of NumPy are refused in the same words.",
    "Leave the line out: a trainable weight is watched when it is read.",
    "To watch it alone, watch its `value`.",
    "For the gradient by an input, watch the tensor that the model is called with.",
    "Wrong on purpose: a tape is told to watch a weight of Keras.",
    "A weight of Keras is watched by itself, and is a source as it is.",
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
    "`build` runs once, and no tape of a training step sees it.",
    "What it computes from a weight is a constant to `call`.",
    "Compute in `call`.",
    "Wrong on purpose: build computes with the weight.",
    "build makes the weight, call computes with it.",
    "The loss (2s - 1)**2 has the slope 4(2s - 1), which is 4 at s = 1.",
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
    "A model hands `training` to a `call` that has such a parameter, by keyword.",
    "In a graph a rule takes none.",
    "A rule of tensors alone, called in `call`.",
    "Wrong on purpose: the call of a layer is decorated, with an option.",
    "call takes the options, and calls a rule of one tensor.",
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
    "Entries on the gradient of one value begin the page; layers that lose a weight or a rule end it.",
    "The messages come from the tape, from Keras, or later, from the `None`.",
    "Asked in tensorflow#20630, tensorflow#36596.",
    "Asked in tensorflow#59652, tensorflow#31264.",
    "Asked in keras#19874, tensorflow#104521, tensorflow#31264.",
    "Asked in tensorflow#32729.",
    "More: the value left the tape.",
    "More: the source is another tensor.",
    "More: rows in the place of a tensor.",
    "More: what is watched.",
    "More: the same with a sparse weight.",
    "More: keywords in a graph.",
)

advice(
    "Decorate functions of tensors, and no methods of Keras.",
    "`assert tf.is_tensor(y)` before the loss is computed.",
    "`assert gradient is not None`, before its mean is taken.",
)
