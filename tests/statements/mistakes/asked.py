"""What the page on questions to a tape says in words."""

import keras

from truth.statements.tries import *

X = np.ones([4, 1], "float32")


def dense(**options):
    layer = keras.layers.Dense(1, kernel_initializer="ones", **options)
    return keras.Sequential([keras.Input([1]), layer]), layer


@says(
    "`model.predict` returns a …",
    "`model.predict_on_batch` and `model.evaluate` …",
    "With `model.predict`, the …",
    "The fixed program calls …",
    "Both gradients are …",
    "Fix: call the model with …",
    "Deliberately wrong: the loss …",
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
    x = program("predict.py").x
    assert trace("wrong/predict.py").line("wrong").text.endswith("None None")
    by_weight, by_bias = trace("predict.py")
    assert by_weight.numbers == [x.numpy().sum()] == [5.0]
    assert by_bias.numbers == [len(x)] == [2.0]
    assert ask == "evaluate" or isinstance(y, np.ndarray) == (ask != "call")


def sequential():
    square, last = Counted(), keras.layers.Rescaling(3.0)
    return keras.Sequential([keras.Input([1]), square, last]), square


def functional():
    inputs, square = keras.Input([1]), Counted()
    return keras.Model(inputs, keras.layers.Rescaling(3.0)(square(inputs))), square


def nested():
    inner, square = sequential()
    return keras.Sequential([keras.Input([1]), inner]), square


def nested_functional():
    inner, square = functional()
    inputs = keras.Input([1])
    return keras.Model(inputs, inner(inputs)), square


def subclassed():
    square = Counted()

    class Model(keras.Model):
        def call(self, x):
            return 3.0 * square(x)

    return Model(), square


class Counted(keras.layers.Layer):
    """A square, with a weight that doesn't change it."""

    def build(self, shape):
        self.one = self.add_weight(shape=(), initializer="ones")
        self.calls = []

    def call(self, x):
        self.calls.append(x)
        return x * x * self.one


KINDS = [sequential, functional, nested, nested_functional, subclassed]


@says(
    "Fix: call the model once, …",
    "The fixed program replaces …",
    "The new `call` …",
    "The gradient equals …",
    "Because the function …",
    "While the model …",
)
@over(kind=KINDS, graph=[False, True], frozen=[False, True])
def test_layer_output(kind, graph, frozen):
    ask = program("layer_output.py").output_and_gradient
    model, square = kind()
    x = tf.constant([[2.0], [3.0]])
    model(x)
    model.trainable = not frozen
    square.calls.clear()
    run = lambda x: ask(model, square, x)  # noqa: E731
    output, slope = (tf.function(run, autograph=False) if graph else run)(x)
    assert same(output, x * x) and same(slope, [[3.0], [3.0]])
    assert len(square.calls) == 1 and "call" not in vars(square)
    assert same(model(x), 3.0 * x * x)
    lines = trace("layer_output.py")
    assert len(lines) == 3
    for line in lines:
        of_output, of_gradient = line.numbers[:2], line.numbers[2:4]
        assert of_output == [3, 3] and of_gradient == [1, 1] == [line.numbers[-1]] * 2


@says(
    "Grad-CAM shows which …",
    "It needs the …",
    "This program tries …",
    "With two models, …",
    "The other two …",
    "Each of the three …",
    "Two models: `features` …",
    "The score depends …",
    "Sequential: a Sequential …",
    "Use `model.layers[-1].output` …",
    "Nested: the `output` …",
    "No path connects …",
    "Deliberately wrong: the model …",
)
@over(kind=[sequential, functional, nested, nested_functional])
def test_outputs(kind):
    model, square = kind()
    features = message(lambda: keras.Model(model.inputs, [square.output]))
    assert ("Output with path `0` is not connected" in features) == (
        kind in (nested, nested_functional)
    )
    said = message(lambda: model.output)
    assert ("has never been called" in said) == isinstance(model, keras.Sequential)
    if kind in (sequential, functional):
        square.calls.clear()
        outputs = [square.output, model.layers[-1].output]
        both = keras.Model(model.inputs, outputs)
        beside = keras.Model(model.inputs, square.output)
        x = tf.constant([[2.0]])
        square.calls.clear()
        with tf.GradientTape(persistent=True) as tape:
            of_layer, score = both(x)
            apart, other = beside(x), model(x)
        assert same(tape.gradient(score, of_layer), [[3.0]])
        assert tape.gradient(other, apart) is None and len(square.calls) == 3
    none, *others = (each.text for each in trace("wrong/layer_output.py"))
    assert none.endswith("None") and len(others) == 2
    assert "The layer sequential has never been called" in others[0]
    assert "Error: Output with path `0` is not connected to `inputs`" in others[1]


@says(
    "Fix: pass `weight.value`, …",
    "This program differentiates …",
    "The accumulator rejects …",
    "The primals of …",
    "The `dtype` of …",
    "The fixed program passes the …",
    "Both derivatives agree …",
    "Deliberately wrong: a Keras weight is the …",
    "The primal is …",
)
@over(graph=[False, True], w=[0.5, 3.0])
def test_primal(graph, w):
    weight, variable, tensor = keras.Variable(w), tf.Variable(w), tf.constant(w)
    assert weight.dtype == "float32" and isinstance(weight.value, tf.Variable)
    assert not hasattr(weight.dtype, "is_floating")
    assert variable.dtype.is_floating and tensor.dtype.is_floating

    def slope(primal, of):
        def run():
            with tf.autodiff.ForwardAccumulator(primal, tf.ones([])) as accumulator:
                y = of * of
            return accumulator.jvp(y)

        return tf.function(run, autograph=False)() if graph else run()

    said = message(lambda: slope(weight, weight))
    assert "AttributeError" in said
    assert "'str' object has no attribute 'is_floating'" in said
    for primal, of in [(weight.value, weight), (variable,) * 2, (tensor,) * 2]:
        assert same(slope(primal, of), 2 * w)
    assert [each.numbers for each in trace("primal.py")] == [[6.0]] * 3


@says(
    "A tape identifies …",
    "An array, a …",
    "The fixed program passes only …",
    "Each gradient is …",
    "Each of the four …",
    "Fix: pass tensors …",
    "Deliberately wrong: the source …",
    "The sources are …",
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
    "`tape.watch` accepts tensors …",
    "TensorFlow rejects the weight.",
    "A Keras weight …",
    "If you pass a NumPy …",
    "The fixed program has …",
    "The first tape …",
    "The second tape …",
    "Fix: don't pass …",
    "To watch only …",
    "For the gradient …",
    "Deliberately wrong: a Keras weight is passed …",
    "The tape watches a …",
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
    "`build` runs only …",
    "So the product …",
    "After one step …",
    "In the fixed …",
    "`fit` finds no …",
    "Fix: create the …",
    "Deliberately wrong: build …",
    "build creates the …",
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
        [line] = trace("in_build.py")
        assert line.numbers[0] == line.numbers[1]
        assert len(builds) == 1 and moved == ("wrong" not in name)
        assert ("No gradients provided" in said) == (not moved)


@says(
    "If `call` has …",
    "In a graph, …",
    "`fit` runs `call` …",
    "The fixed program decorates …",
    "The step with …",
    "Decorate a function …",
    "Fix: don't decorate `call`.",
    "Deliberately wrong: call …",
    "call isn't decorated, …",
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
    identity, reversed_ = trace("decorated_call.py")
    assert identity.numbers[0] == -reversed_.numbers[0] != 0


pointer(
    "Usually, you passed …",
    "Such an object …",
    "On this page …",
    "My gradient is …",
    "You see — Fix",
    "`None` after `model.predict` …",
    "`None`, or an …",
    "`no attribute '_id'` …",
    "`Passed in object … of type 'Variable'` …",
    "`'str' object has no attribute 'is_floating'` …",
    "`No gradients provided`, …",
    "an error about …",
    "This program computes …",
    "The program passes an …",
    "The program passes the …",
    "This `build` multiplies …",
    "In this layer, …",
    "Asked in tensorflow#20630, tensorflow#36596.",
    "Asked in tensorflow#59652, tensorflow#31264.",
    "Asked in keras#19874, …",
    "Asked in tensorflow#32729.",
    "More: you converted …",
    "More: the source …",
    "More: IndexedSlices instead …",
    "More: the tape …",
    "More: the same …",
    "More: keywords in …",
    "More: forward mode.",
)

advice(
    "Write `assert tf.is_tensor(y)` …",
    "Write `assert gradient is not None` …",
)
