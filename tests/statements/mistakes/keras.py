"""What the page on Keras says in words."""

import warnings
from unittest import mock

import keras
from tensorflow.python.ops import custom_gradient as rules

from truth.statements.tries import *

X = np.ones([4, 1], "float32")
CONSTANT = keras.initializers.Constant


def fitted(*layers, x=X, y=X, loss="mse", epochs=1, **options):
    """What ``fit`` ends with, what it warns of, and the model."""
    model = keras.Sequential([keras.Input(x.shape[1:]), *layers])
    model.compile(keras.optimizers.SGD(0.125), loss, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = message(lambda: model.fit(x, y, epochs=epochs, verbose=0))
    return said, caught, model


def reverse(x):
    return 1.0 * x, lambda upstream: -upstream


@says(
    "`keras.Input` returns a …",
    "A KerasTensor can't …",
    "`keras.ops.custom_gradient` and `tf.recompute_grad` …",
    "Fix: call the decorated …",
    "It calls each …",
    "The program decorates one …",
    "It calls each …",
    "Both decorated functions …",
    "In the fix, a layer calls …",
    "The gradient is right.",
    "Deliberately wrong: a custom …",
    "A layer calls …",
)
@over(decorate=[tf.custom_gradient, keras.ops.custom_gradient])
def test_symbolic(decorate):
    x = keras.Input([2])
    assert isinstance(x, keras.KerasTensor) and not tf.is_tensor(x)
    assert x.shape == (None, 2) and x.dtype == "float32" and not hasattr(x, "numpy")
    assert "A KerasTensor cannot be used" in message(decorate(reverse), x)
    assert "A KerasTensor cannot be used" in message(tf.convert_to_tensor, x)
    calls = []
    with mock.patch.object(tf, "custom_gradient", side_effect=lambda f: calls.append):
        keras.ops.custom_gradient(reverse)(x)
    assert len(calls) == 1
    assert "A KerasTensor cannot be used" in message(tf.recompute_grad(tf.sin), x)
    with mock.patch.object(
        rules, "custom_gradient", side_effect=lambda f: lambda *args: calls.append(args)
    ):
        tf.recompute_grad(tf.sin)(x)
    assert len(calls) == 2

    class Layer(keras.layers.Layer):
        def call(self, x):
            seen.append(tf.is_tensor(x))
            return decorate(reverse)(x)

    seen = []
    layer = Layer()
    layer(x)
    assert same(EAGER.gradient(layer, X), -X) and all(seen)


@says(
    "The message names …",
    "This is a …",
    "The scope wraps …",
    "A model then …",
    "The model is built …",
    "In the fix, an outer …",
    "The outer layer …",
    "Only `x` is …",
    "Both kernels agree after …",
    "Without `training`, the …",
    "Even with `training`, …",
    "Fix: replace `RematScope` …",
    "Deliberately wrong: RematScope …",
    "keras.remat in a …",
    was="'the right gradient': not with batch normalization, without training",
)
@over(eagerly=[False, True])
def test_remat(eagerly):
    assert keras.__version__.startswith("3.15")
    # A layer alone gets its input by position; the model gets keywords.
    with keras.RematScope(mode="full"):
        said, _, _ = fitted(keras.layers.Dense(1, "tanh"), run_eagerly=eagerly)
    assert ("keywords arguments" in said) == (not eagerly)
    recomputed = program("remat.py").Recomputed
    weights = []
    for wrap in (recomputed, lambda layer: layer):
        layer = keras.layers.Dense(1, "tanh", kernel_initializer="ones")
        said, _, model = fitted(wrap(layer), run_eagerly=eagerly, y=0 * X)
        assert said == "" and len(model.trainable_variables) == 2
        weights.append(layer.kernel.numpy())
    assert same(*weights, within=1e-6) and weights[0] != 1

    class Forgets(recomputed):
        def call(self, x):
            return keras.remat(self.layer)(x)

    def kernel(wrap, inner):
        keras.utils.set_random_seed(0)
        dense = keras.layers.Dense(2, kernel_initializer="ones")
        layer = wrap(keras.Sequential([dense, inner()]))
        x = np.random.default_rng(0).normal(1.0, 2.0, size=(8, 2)).astype("float32")
        said, _, _ = fitted(layer, run_eagerly=eagerly, x=x, y=10.0 * x)
        assert said == ""
        return dense.kernel.numpy()

    for inner, with_it, without in (
        (keras.layers.BatchNormalization, True, False),
        (keras.layers.LayerNormalization, True, True),
        (lambda: keras.layers.Dropout(0.5, seed=1), False, False),
    ):
        if inner is keras.layers.LayerNormalization and not eagerly:
            continue  # it does the same in both
        plain = kernel(lambda layer: layer, inner)
        assert np.allclose(kernel(recomputed, inner), plain, 1e-4, 1e-5) == with_it
        assert np.allclose(kernel(Forgets, inner), plain, 1e-4, 1e-5) == without


@says(
    "On the TensorFlow …",
    "Fix: declare `grad(*args, upstream=None)`, …",
    "This `grad` has …",
    "The body of …",
    "The fix accepts …",
    "The gradient agrees …",
    "Deliberately wrong: the signature …",
    "One signature for …",
)
@over(mode=MODES)
def test_signature(mode):
    assert keras.backend.backend() == "tensorflow"
    got = []

    @keras.ops.custom_gradient
    def by_position(x):
        def grad(*args, **options):
            got.append((len(args), len(options)))
            return -args[0]

        return 1.0 * x, grad

    mode.gradient(by_position, 3.0)
    assert set(got) <= {(1, 0), (1, 1)} and got[0][0] == 1
    assert "missing 1 required keyword-only" in message(
        mode.gradient, program("wrong/signature.py").reverse, 3.0
    )
    right = program("signature.py").reverse
    assert same(mode.gradient(right, 3.0), -1.0)
    _, grad = right.__wrapped__(tf.constant(3.0))
    assert grad(tf.constant(3.0), upstream=tf.constant(2.0)) == -2


@says(
    "Run one step with `mixed_float16` in the …",
    "With the policy …",
    "The upstream gradient is …",
    "With `mixed_float16`, a …",
    "The variables that …",
    "In `call`, `tf.convert_to_tensor` …",
    "Fix: pass the weight …",
    "In the fix, the weight …",
    "With both policies, …",
    "Run one step with `mixed_float16` in the …",
    "Deliberately wrong: with …",
    "The weight goes …",
)
@over(policy=["float32", "mixed_float16"], eagerly=[False, True])
def test_half(policy, eagerly):
    wrong = program("wrong/half.py").Scale(dtype=policy)
    said, _, _ = fitted(wrong, run_eagerly=eagerly)
    said_so = ("expected to be a half" if eagerly else "float16") in said
    assert said_so == (policy != "float32")
    seen = []

    class Layer(program("half.py").Scale):
        def call(self, x):
            seen.extend([x.dtype, tf.convert_to_tensor(self.w).dtype])
            return super().call(x)

    layer = Layer(dtype=policy)
    said, _, _ = fitted(layer, y=0 * X, run_eagerly=eagerly)
    computes = tf.float32 if policy == "float32" else tf.float16
    assert said == "" and {*seen} == {computes} and layer.w.value.dtype == tf.float32
    assert layer.w.numpy() == 0.75


@says(
    "Both `y_true` and …",
    "The loss of …",
    "Both numbers in …",
    "Fix: let `grad` …",
    "The fix returns …",
    "The kernel after …",
    "Deliberately wrong: a loss …",
    "One gradient for …",
)
@over(eagerly=[False, True])
def test_as_loss(eagerly):
    def run(name):
        loss = program(name).squared
        layer = keras.layers.Dense(1, kernel_initializer="ones")
        said, _, _ = fitted(layer, y=0 * X, loss=loss, run_eagerly=eagerly)
        return said, layer.kernel.numpy().item()

    said, _ = run("wrong/as_loss.py")
    assert ("expected to return 2" if eagerly else "too few gradients") in said
    assert run("as_loss.py") == ("", 0.75)
    rule, mse = trace("as_loss.py")
    assert rule.numbers == mse.numbers


@says(
    "`apply_gradients` takes one …",
    "The program passes …",
    "Python counts `self` …",
    "Fix: call `optimizer.apply(gradients, …",
    "In the fix, `apply` …",
    "Both methods change …",
    "The program also asserts …",
    "Deliberately wrong: gradients …",
    "apply takes two …",
)
@over(optimizer=[keras.optimizers.SGD, keras.optimizers.Adam])
def test_apply(optimizer):
    w, slope = tf.Variable([1.0, 2.0]), tf.constant([0.5, 0.5])
    said = message(lambda: optimizer(0.1).apply_gradients([slope], [w]))
    assert "takes 2 positional arguments but 3 were given" in said
    optimizer(0.1).apply([slope], [w])
    one = w.numpy()
    w.assign([1.0, 2.0])
    optimizer(0.1).apply_gradients(zip([slope], [w]))
    assert same(w, one) and not same(w, [1.0, 2.0])
    said = message(lambda: optimizer(0.1).apply([tf.constant(0.5)], [w]))
    assert (said == "") == (optimizer is keras.optimizers.Adam)


@says(
    "The first call of a Keras …",
    "Later calls accept …",
    "Fix: first call …",
    "The program applies …",
    "The message shows …",
    "In the fix, the optimizer …",
    "Both weights change …",
    "Deliberately wrong: one …",
    "The optimizer is …",
)
@over(optimizer=[keras.optimizers.SGD, keras.optimizers.Adam], builds=[False, True])
def test_unknown(optimizer, builds):
    v, w, slope = tf.Variable(1.0), tf.Variable(1.0), tf.constant(0.5)
    one = optimizer(0.1)
    assert not one.built
    if builds:
        one.build([v, w])
    one.apply([slope], [v])
    assert one.built
    said = message(lambda: one.apply([slope], [w]))
    assert said == "" if builds else "Unknown variable" in said
    optimizer(0.1).apply([slope], [w])
    assert w.numpy() != 1


@says(
    "`fit` trains the …",
    "A Lambda layer doesn't …",
    "The Lambda layer of …",
    "Look at `w` after one …",
    "The kernel changes, …",
    "Fix: write a …",
    "In the fix, `w` …",
    "Now `w` changes …",
    "Write `assert len(model.trainable_variables) == 3`, …",
    "Deliberately wrong: a Lambda …",
    "A layer with …",
)
@over(eagerly=[False, True])
def test_lambda(eagerly):
    scaled, w = program("lambda_layer.py").scaled, tf.Variable(1.0)
    layer = keras.layers.Lambda(lambda x: scaled(x, tf.convert_to_tensor(w)))
    dense = keras.layers.Dense(1, kernel_initializer="ones")
    said, caught, model = fitted(dense, layer, y=0 * X, run_eagerly=eagerly)
    assert said == "" and not caught and w.numpy() == 1 != dense.kernel.numpy()
    assert len(model.trainable_variables) == 2 and not layer.weights
    layer = program("lambda_layer.py").Scale()
    said, caught, model = fitted(layer, y=0 * X, run_eagerly=eagerly)
    assert said == "" and len(model.trainable_variables) == 1 != layer.w.numpy()
    assert len(trace("lambda_layer.py").line("trainable").text.split(", ")) == 3


@says(
    "`grad` gets `tf.Variable` …",
    "A Keras weight isn't a …",
    "The fix calls `scale_loss`.",
    "`grad` looks for …",
    "The gradient of `w` …",
    "Fix: compare each …",
    "If you pass …",
    "The fix compares …",
    "The gradient is the …",
    "Let `grad` assert …",
    "Deliberately wrong: a Keras …",
    "The variable that …",
)
@over(graph=[False, True], name=["wrong/by_variable.py", "by_variable.py"])
def test_by_variable(graph, name):
    layer, x = program(name).Scale(), tf.constant([3.0, 4.0])
    layer.build([2])
    assert not isinstance(layer.w, tf.Variable)
    assert isinstance(layer.w.value, tf.Variable)

    def slope():
        with tf.GradientTape() as tape:
            y = layer(x)
        return tape.gradient(y, layer.w)

    found = (tf.function(slope) if graph else slope)()
    assert same(found, None if "wrong" in name else 7.0)
    handed = []

    @tf.custom_gradient
    def rule(x):
        def grad(upstream, variables=None):
            handed.extend(variables)
            return upstream, [None] * len(variables)

        return x * layer.w, grad

    (INSIDE if graph else EAGER).gradient(rule, x)
    assert handed and all(isinstance(each, tf.Variable) for each in handed)

    @tf.custom_gradient
    def passed(x, w):
        def grad(upstream):
            return upstream * w, tf.reduce_sum(upstream * x)

        return x * w, grad

    def of_passed():
        with tf.GradientTape() as tape:
            y = passed(x, tf.convert_to_tensor(layer.w))
        return tape.gradient(y, layer.w)

    assert same((tf.function(of_passed) if graph else of_passed)(), 7.0)


@says(
    "`fit` traces the …",
    "It reads the …",
    "Fix: call `model.compile` …",
    "The program replaces the activation of …",
    "A tape in …",
    "The fix calls `compile` …",
    "Now `fit` uses …",
    "Replace the activation …",
    "Deliberately wrong: the activation is replaced between …",
    "compile makes fit …",
)
@over(when=["before", "after", "compiled"])
def test_exchanged(when):
    rule = program("trained.py").leaky_backward
    dense = keras.layers.Dense(1, "relu", kernel_initializer=CONSTANT(-1.0))
    model = keras.Sequential([keras.Input([1]), dense])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    if when == "before":
        dense.activation = rule
    model.fit(X, X, verbose=0)
    assert (dense.kernel.numpy() == -1) == (when != "before")
    dense.activation = rule
    if when == "compiled":
        model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(X, X, verbose=0)
    assert (dense.kernel.numpy() == -1) == (when == "after")
    loss = lambda w: tf.reduce_mean((rule(tf.linalg.matmul(X, w)) - X) ** 2)  # noqa: E731
    assert same(EAGER.gradient(loss, [[-1.0]]), [[-2.0]])
    assert [line.numbers for line in trace("wrong/trained.py")] == [[-1], [-2], [-1]]
    assert [line.numbers for line in trace("trained.py")] == [[-1], [-0.8]]


@says(
    "The `tf.function` was …",
    "Fix: clone the …",
    "The program replaces the activation after …",
    "Guided ReLU is …",
    "The `tf.function` still …",
    "In eager mode, the gradient …",
    "Compare the gradient of …",
    "The fix makes …",
    "The copy has …",
    "Choose an upstream …",
    "Deliberately wrong: the activation changes …",
    "A copy of …",
)
@over(graph=[False, True], signs=[[1.0, -1.0], [1.0, 1.0]])
def test_guided(graph, signs):
    defined, x = program("override.py"), tf.constant([[3.0, 4.0]])

    def model():
        dense = keras.layers.Dense(2, "relu", kernel_initializer="identity")
        return keras.Sequential([keras.Input([2]), dense])

    used = model()

    def saliency(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(used(x) * [signs])
        return tape.gradient(y, x)

    run = tf.function(saliency) if graph else saliency
    guided = [np.maximum(signs, 0.0)]
    assert same(run(x), [signs])
    used.layers[0].activation = defined.guided_relu
    assert same(run(x), [signs] if graph else guided)
    whole = model()
    used = keras.models.clone_model(whole, clone_function=defined.guided)
    used.set_weights(whole.get_weights())
    run = tf.function(saliency) if graph else saliency
    assert same(run(x), guided) and same(used(x), whole(x))
    assert same(guided, [signs]) == (signs == [1, 1])
    used = whole
    assert same(tf.function(saliency)(x), [signs])


@says(
    "The map writes …",
    "A tape that …",
    "Fix: replace the …",
    "The registered gradient …",
    "In eager mode, TensorFlow …",
    "The program computes the gradient in …",
    "The fix uses …",
    "Both gradients are …",
    "Deliberately wrong: the override …",
    "A custom gradient around …",
)
@over(mode=MODES)
def test_mapped(mode):
    wanted, x = [0.0, 10.0], [-1.0, 2.0]
    assert same(mode.gradient(program("mapped.py").ten_times, x), wanted)

    def mapped(x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({"Relu": name}):
            y = tf.nn.relu(x)
        if not tf.executing_eagerly():
            named.append(y.op.get_attr("_gradient_op_type").decode())
        return y

    named, name = [], f"Tenfold of {mode.name}"
    tf.RegisterGradient(name)(
        lambda op, upstream: 10.0 * upstream * tf.cast(op.inputs[0] > 0, tf.float32)
    )
    direct = mode in (EAGER, PERSISTENT, INSIDE, XLA)
    assert same(mode.gradient(mapped, x), [0.0, 1.0] if direct else wanted)
    assert {*named} == ({name} if mode not in (EAGER, PERSISTENT) else set())


@says(
    "The layer stores …",
    "So each step …",
    "Fix: keep the …",
    "This layer rounds …",
    "Look at `w` after each …",
    "The weight stays …",
    "In the fix, the layer …",
    "Both the weight …",
    "Print the weight …",
    "Deliberately wrong: the layer …",
    "The rounded value …",
)
@over(name=["wrong/quantized.py", "quantized.py"], eagerly=[False, True])
def test_quantized(name, eagerly):
    layer = program(name).Quantized()
    said, _, model = fitted(layer, y=3 * X, epochs=6, run_eagerly=eagerly)
    found = layer.w.numpy()
    model.fit(X, 3 * X, verbose=0)
    stands = same(layer.w, found)
    assert stands == ("wrong" in name)
    assert said == "" and (model(X)[0, 0] == 3) == ("wrong" not in name)
    wrong = [each.numbers[0] for each in trace("wrong/quantized.py")]
    assert wrong == [1.40, 1.40, 1.40]


@says(
    "`fit` traces the …",
)
def test_the_four():
    for entry in ("wrong/symbolic.py", "wrong/by_variable.py", "wrong/remat.py"):
        assert trace(entry)
    traced = []

    class Layer(keras.layers.Layer):
        def call(self, x):
            traced.append(x)
            return x

    _, _, model = fitted(keras.layers.Dense(1), Layer())
    before = len(traced)
    model.fit(X, X, epochs=3, verbose=0)
    assert len(traced) == before


@says(
    "Fix: call `optimizer.scale_loss(loss)`, …",
    "The first call of `fit` …",
    "Every optimizer has …",
    "The `LossScaleOptimizer` divides …",
    "The program trains …",
    "Both kernels agree.",
    "Deliberately wrong: a train_step …",
    "scale_loss scales the …",
)
@over(wrap=[False, True], applied=["apply", "apply_gradients"], eagerly=[False, True])
def test_get_scaled_loss(wrap, applied, eagerly):
    def fit_of(model_type):
        layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        inputs = keras.Input([1])
        model = model_type(inputs, layer(inputs))
        optimizer = keras.optimizers.SGD(0.125)
        if wrap:
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
        model.compile(optimizer, "mse", run_eagerly=eagerly)
        said = message(lambda: model.fit(X, 0.5 * X, verbose=0))
        return said, layer.kernel.numpy().item(), optimizer

    if applied == "apply":
        wrong = program("wrong/get_scaled_loss.py").Model
        missing = "object has no attribute 'get_scaled_loss'"
        assert missing in fit_of(wrong)[0] and int(keras.version()[0]) == 3
        assert missing in trace("wrong/get_scaled_loss.py")[-1].text
        assert fit_of(program("get_scaled_loss.py").Model)[:2] == ("", 0.875)

    class Model(program("get_scaled_loss.py").Model):
        def train_step(self, data):
            x, t = data
            with tf.GradientTape() as tape:
                scaled = self.optimizer.scale_loss(
                    self.compute_loss(x=x, y=t, y_pred=self(x))
                )
            weights = self.trainable_variables
            gradients = tape.gradient(scaled, weights)
            if applied == "apply":
                self.optimizer.apply(gradients, weights)
            else:
                self.optimizer.apply_gradients(zip(gradients, weights))
            return {"loss": scaled}

    said, kernel, optimizer = fit_of(Model)
    assert said == "" and kernel == 0.875
    assert optimizer.scale_loss(1.0) == (32768 if wrap else 1)
    for each in vars(keras.optimizers).values():
        if isinstance(each, type) and issubclass(each, keras.optimizers.Optimizer):
            assert hasattr(each, "scale_loss")
    shown = [line.numbers[-1] for line in trace("get_scaled_loss.py")]
    assert shown == [0.875, 0.875]


history(
    "The keyword belongs …",
    "The `train_step` in …",
    "Keras 3 removed …",
)
pointer(
    "Message or symptom — Fix",
    "A KerasTensor cannot be used as input to a TensorFlow function — call the decorated function in the `call` method of a layer",
    "currently supports keywords arguments only when eager execution is enabled, with `RematScope` — use a layer whose `call` uses `keras.remat`",
    "grad() missing 1 required keyword-only argument: 'upstream' — declare `grad(*args, upstream=None)`",
    "Input 'y' of 'Mul' Op has type float32 that does not match type float16 — pass the weight as an argument",
    "returned too few gradients, for a custom gradient as a loss — return `None` for `y_true`",
    "apply_gradients() takes 2 positional arguments but 3 were given — call `optimizer.apply(gradients, variables)`",
    "This optimizer can only be called for the variables it was originally built with — call `optimizer.build` with all variables",
    "'LossScaleOptimizer' object has no attribute 'get_scaled_loss' — call `optimizer.scale_loss(loss)`",
    "A variable in a Lambda layer is not trained — write a layer with the weight as an attribute",
    "A Keras weight isn't found among the variables of grad — compare with `self.w.value`",
    "fit ignores a new activation of a layer — call `model.compile` again",
    "Guided ReLU has no effect in a tf.function that is already traced — replace the activations in a clone of the model",
    "gradient_override_map is ignored — use a custom gradient instead",
    "A quantized weight stops changing — keep the unrounded weight, and round in the forward pass",
    "Find the message …",
    "Entries with an …",
    "If a gradient …",
    "Notice it earlier.",
    "Asked in tensorflow#50741, …",
    "Asked in keras#21207.",
    "More: several backends.",
    "Asked in keras#18139, tf-keras#197.",
    "More: in a …",
    "More: one gradient …",
    "Asked in tensorflow#32478.",
    "Asked in keras#11430, tensorflow#49901.",
    "Asked in keras#21105.",
    "More: a list …",
    "Asked in tf-keras-vis#49, …",
    "Asked in keras#4070, larq#4.",
    "More: straight through.",
    "Asked in tensorflow#64124, …",
    "More: where to …",
    "TensorFlow 1 replaced …",
    "Asked in tensorflow#37680, …",
    "More: when TensorFlow …",
)
