"""The claims of docs/systems/saving.md."""

import contextlib
import re
import tempfile
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import ops

from tests.harness import (
    EAGER,
    INSIDE,
    OUTSIDE,
    contrast,
    elsewhere,
    loaded,
    message,
    program,
    quiet,
    raised,
    same,
)

X = [0.5, 2.0]


def module(function, spec=None, **attributes):
    """Return a module whose ``run`` is the function in a ``tf.function``."""
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    module.run = tf.function(function, [spec or tf.TensorSpec([2])])
    return module


def save(model, folder, keeps=True):
    """Save a model, with or without its gradient functions."""
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=keeps)
    with quiet():
        tf.saved_model.save(model, folder, options=options)


@contextlib.contextmanager
def reloaded(model, keeps=True):
    """Save a model, and load it in this process."""
    with tempfile.TemporaryDirectory() as folder, quiet():
        save(model, folder, keeps)
        yield tf.saved_model.load(folder)


@tf.custom_gradient
def turned(x):
    """Return x², with the sign of its gradient turned."""
    return x * x, lambda upstream: upstream * -2 * x


@tf.custom_gradient
def two_inputs(x, k):
    """Return x k and x, with ten times the gradient for x and none for k."""
    return (x * k, tf.identity(x)), lambda u, v: (10 * u + 7 * v, None)


def all_kept(x):
    """Call several custom gradients in four dtypes."""
    product, _ = two_inputs(x, tf.constant([3.0, 4.0]))
    whole = turned(x) + product
    for dtype in (tf.float16, tf.float64, tf.complex64):
        whole += tf.cast(tf.math.real(turned(tf.cast(x, dtype))), tf.float32)
    return whole


def test_kept_by_default():
    right = -4 * 2 * np.float32(X) + 10
    assert same(EAGER.gradient(all_kept, X), right)
    assert same(loaded(all_kept, X), [right])
    with tempfile.TemporaryDirectory() as folder, quiet():
        tf.saved_model.save(module(turned), folder)  # without options
        code = "import tensorflow as tf\n"
        code += f"run, x = tf.saved_model.load({folder!r}).run, tf.constant({X})\n"
        code += "with tf.GradientTape() as tape:\n    tape.watch(x)\n    y = run(x)\n"
        assert elsewhere(code + "print(tape.gradient(y, x).numpy())") == "[-1. -4.]\n"
    with contrast("also with experimental_custom_gradients=False"):
        error = message(lambda: loaded(turned, X, custom_gradients=False))
        assert "LookupError: No gradient defined" in error


@tf.custom_gradient
def exponential(x):
    """Call only operations in ``grad``."""
    return tf.exp(x), lambda upstream: upstream * tf.exp(x)


@tf.custom_gradient
def by_output(x):
    """Capture the output."""
    y = tf.exp(x)
    return y, lambda upstream: upstream * y


@tf.custom_gradient
def decorated_inside(x):
    """Call a decorated function in the forward pass only."""
    return exponential(x) * 1.0, lambda upstream: upstream * tf.exp(x)


@tf.custom_gradient
def by_call(x):
    """Call a decorated function in ``grad``."""
    x = tf.identity(x)
    return tf.exp(x), lambda upstream: upstream * exponential(x)


@tf.custom_gradient
def by_silu(x):
    """Call a decorated function of TensorFlow in ``grad``."""
    return tf.exp(x), lambda upstream: upstream * (tf.exp(x) + 0 * tf.nn.silu(x))


@tf.custom_gradient
def by_stopped_call(x):
    """Call a decorated function in ``grad``, without need of its gradient."""
    factor = tf.exp(x)
    return factor, lambda upstream: upstream * factor * exponential(tf.zeros([2]))


OPERATIONS = (exponential, by_output, decorated_inside)
DECORATED = (by_call, by_silu)


_SECOND = """
import tensorflow as tf
run, x = tf.saved_model.load({folder!r}).run, tf.constant({x})

def derivative(function):
    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)
    return of

first, second = derivative(run), derivative(derivative(run))
for function in (first, tf.function(first), second, tf.function(second)):
    try:
        print("right", *function(x).numpy())
    except Exception as error:
        print("raised", type(error).__name__)
"""


@pytest.mark.parametrize("function", [*OPERATIONS, *DECORATED, by_stopped_call])
def test_second_derivative(function):
    right = np.exp(np.float32(X))
    assert same(EAGER.derivative(function, X), right, 1e-5)
    with tempfile.TemporaryDirectory() as folder:
        save(module(function), folder)
        printed = elsewhere(_SECOND.format(folder=folder, x=X)).splitlines()[-4:]
    first, second = printed[:2], printed[2:]
    if function in DECORATED:
        assert all(line.startswith("raised") for line in second)
    else:
        with contrast("if `grad` calls any decorated function"):
            for line in second:
                assert line.startswith("right")
                assert same([float(word) for word in line.split()[1:]], right, 1e-5)
    with contrast("the first derivative, too"):
        assert all(line.startswith("right") for line in first)


@tf.custom_gradient
def doubled(x):
    """Return x, with twice its gradient."""
    return tf.identity(x), lambda upstream: 2.0 * tf.convert_to_tensor(upstream)


LOOKUPS = {
    "tf.gather": lambda y: tf.gather(y, [0, 0, 1]),
    "embedding_lookup": lambda y: tf.nn.embedding_lookup(y, [0, 0, 1]),
}
BETWEEN = {
    "nothing": (doubled, True),
    "tf.identity": (lambda x: tf.identity(doubled(x)), True),
    "a product with 1.0": (lambda x: doubled(x) * 1.0, False),
    "a tf.function around it": (tf.function(doubled), False),
}


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("lookup", LOOKUPS)
def test_loaded_lookup(lookup, between):
    function, fails = BETWEEN[between]
    right = [[4.0, 4.0], [2.0, 2.0], [0.0, 0.0]]
    x = tf.ones([3, 2])

    def run(x):
        return LOOKUPS[lookup](function(x))

    with contrast("before it is saved, too"):
        assert same(OUTSIDE.gradient(run, x), right)
    with reloaded(module(run, tf.TensorSpec([3, 2]))) as model:
        for place in (EAGER, INSIDE):
            error = message(place.gradient, model.run, x)
            assert ("IndexedSlices" in error) == fails == bool(error)
        assert fails or same(EAGER.gradient(model.run, x), right)
    if lookup == "tf.gather" and between == "nothing":
        assert "got IndexedSlices" in message(lambda: loaded(run, x))
        with contrast("along any axis"):
            columns = lambda x: tf.gather(doubled(x), [0, 0], axis=1)
            assert same(loaded(columns, x), [[[4.0, 0.0]] * 3])


def branch(function, x):
    """Call the function in a branch."""
    return tf.cond(tf.size(x) > 0, lambda: function(x), lambda: x)


def loop(function, x):
    """Call the function once in a loop."""
    return tf.while_loop(lambda i, _: i < 1, lambda i, y: (i + 1, function(y)), (0, x))[
        1
    ]


def scan(function, x):
    """Call the function in ``tf.scan``."""
    return tf.scan(lambda y, _: function(y), tf.range(1), x)[-1]


def map_fn(function, x):
    """Call the function in ``tf.map_fn``."""
    return tf.map_fn(function, x[tf.newaxis])[0]


@tf.custom_gradient
def by_input(x):
    """Copy the input, and capture the copy."""
    x = tf.identity(x)
    return tf.exp(x), lambda upstream: upstream * tf.exp(x)


@tf.custom_gradient
def captures_nothing(x):
    """Return x, with twice its gradient, for any upstream gradient."""
    return tf.identity(x), lambda upstream: 2.0 * upstream


def scaled_by(k):
    """Return an identity whose ``grad`` multiplies by a captured tensor."""
    return tf.custom_gradient(lambda x: (tf.identity(x), lambda upstream: upstream * k))


@pytest.mark.parametrize("block", [branch, loop, scan, map_fn])
def test_branch_or_loop(block):
    right = np.exp(np.float32(X))
    apart = tf.function(by_input)
    expected = "AssertionError" if block is branch else "TypeError"
    told = "cannot be accessed from here"

    def calling(function):
        """Call the function in the block."""
        return lambda x: block(function, x)

    with contrast("before it is saved, too"):
        assert same(EAGER.gradient(tf.function(calling(by_input)), X), right, 1e-5)
    for function in (by_output, by_input):
        with reloaded(module(calling(function))) as model:
            error = message(EAGER.gradient, model.run, X)
            assert error.startswith(expected) and (block is branch or told in error)
    with (
        reloaded(module(calling(captures_nothing))) as model,
        contrast("also if grad captures no tensor"),
    ):
        assert same(EAGER.gradient(model.run, X), [2.0, 2.0])
    if block is not branch:
        outer = lambda x: calling(scaled_by(x + 1.0))(x)
        with (
            reloaded(module(outer)) as model,
            contrast("also if grad captures a tensor from outside of a loop"),
        ):
            assert same(EAGER.gradient(model.run, X), np.float32(X) + 1.0)
    with reloaded(module(calling(apart))) as model:
        assert same(EAGER.gradient(model.run, X), right, 1e-5)
    if block in (branch, loop):
        assert same(loaded(calling(apart), X), [right], 1e-5)
        assert (expected if block is branch else told) in message(
            lambda: loaded(calling(by_input), X)
        )


def test_keras_file():
    def release(factor):
        """Define and register the layer of a release."""

        @tf.custom_gradient
        def reverse(x):
            return tf.identity(x), lambda upstream: -factor * upstream

        @keras.saving.register_keras_serializable("claims", "Reverse")
        class Reverse(keras.layers.Layer):
            def call(self, x):
                return reverse(x)

        return Reverse

    x = tf.constant([[3.0]])
    for first, second in ((1.0, 0.5), (2.0, 3.0)):
        model = keras.Sequential([keras.Input([1]), release(first)()])
        with tempfile.TemporaryDirectory() as folder, quiet():
            model.save(f"{folder}/model.keras")
            model.export(folder, verbose=False)
            release(second)
            model = keras.models.load_model(f"{folder}/model.keras")
            exported = tf.saved_model.load(folder)
        assert same(model(x), x) and same(EAGER.gradient(model, x), [[-second]])
        with contrast("the code of the process that saved it, as model.export does"):
            assert same(EAGER.gradient(exported.serve, x), [[-first]])


def converted(function, kinds):
    """Convert a function to TFLite, and return the file and its operations."""
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([1]))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([graph], tf.Module())
    converter.target_spec.supported_ops = kinds
    file = converter.convert()
    interpreter = tf.lite.Interpreter(model_content=file)
    names = [detail["op_name"] for detail in interpreter._get_ops_details()]
    return file, names, interpreter


@pytest.mark.parametrize("kinds", [["TFLITE_BUILTINS"], ["SELECT_TF_OPS"]], ids=str)
@pytest.mark.parametrize("function", [turned, doubled])
def test_tflite_drops(function, kinds):
    kinds = [tf.lite.OpsSet[kind] for kind in kinds]
    file, names, _ = converted(function, kinds)
    assert b"CustomGradient" not in file
    is_select = kinds == [tf.lite.OpsSet.SELECT_TF_OPS]
    assert ("FlexIdentityN" in names) == is_select and "IDENTITY_N" not in names
    with contrast("of TensorFlow: the graph that is converted has the name"):
        graph = tf.function(function).get_concrete_function(tf.TensorSpec([1])).graph
        assert "CustomGradient" in str(graph.as_graph_def())
    if not is_select:
        with contrast("nor can it hold the operations of grad"):
            gradient = lambda x: EAGER.gradient(function, x)
            _, _, interpreter = converted(gradient, kinds)
            interpreter.allocate_tensors()
            interpreter.set_tensor(
                interpreter.get_input_details()[0]["index"], np.float32([3.0])
            )
            interpreter.invoke()
            result = interpreter.get_output_details()[0]["index"]
            right = EAGER.gradient(function, [3.0])
            assert same(interpreter.get_tensor(result), right)


_OTHER_MODEL = """
import tensorflow as tf
from tensorflow.python.ops import custom_gradient
generate_name = custom_gradient.generate_name
names = iter([{name!r}])  # as if the counter were there
custom_gradient.generate_name = lambda: next(names, None) or generate_name()
tripled = tf.custom_gradient(lambda x: (tf.identity(x), lambda upstream: 3 * upstream))
tf.function(tripled)(tf.ones([2]))
run, x = tf.saved_model.load({folder!r}).run, tf.constant([0.5, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = run(x)
print(tape.gradient(y, x).numpy())
"""


def test_registered_name():
    model = module(captures_nothing)
    with tempfile.TemporaryDirectory() as folder:
        save(model, folder, keeps=False)
        saved = Path(folder, "saved_model.pb").read_bytes()
        [name] = {match.decode() for match in re.findall(rb"CustomGradient-\d+", saved)}
        code = _OTHER_MODEL.format(name=name, folder=folder)
        assert elsewhere(code).endswith("[3. 3.]\n")
        with contrast("that the model was saved with: it returns 2"), quiet():
            run = tf.saved_model.load(folder).run
            assert same(EAGER.gradient(run, X), [2.0, 2.0])  # registered here
            entry = ops.gradient_registry._registry[name]
            kept = entry["type"]
            entry["type"] = lambda op, upstream, _: (None, 5 * upstream)
            run = tf.saved_model.load(folder).run
            assert same(EAGER.gradient(run, X), [5.0, 5.0])
            entry["type"] = kept
        save(model, folder)
        with contrast("with the default option, too"):
            assert elsewhere(code).endswith("[2. 2.]\n")


def test_saving_traces_grad():
    defined = program("systems/saving/wrong/refused.py")
    scalar = tf.TensorSpec([])

    def by_capture(value):
        """Return an identity whose ``grad`` multiplies by a captured value."""
        return tf.custom_gradient(lambda x: (tf.identity(x), lambda up: up * value))

    def product(value):
        """Return a product that captures the value in the forward pass, too."""
        return tf.custom_gradient(lambda x: (x * value, lambda up: up * value))

    for function, error in (
        (defined.by_value, ValueError),
        (defined.by_variable, KeyError),
        (by_capture(tf.constant(2.0)), ValueError),
    ):
        model = module(function, scalar)
        with tempfile.TemporaryDirectory() as folder:
            assert isinstance(raised(tf.saved_model.save, model, folder), error)
            with contrast("also with experimental_custom_gradients=False"):
                assert raised(save, model, folder, False) is None
                assert tf.saved_model.load(folder).run(3.0) == 3
        with contrast("any call of the model"):
            assert model.run(tf.constant(3.0)) == 3
            assert EAGER.gradient(function, 3.0) is not None
    with contrast("each variable, also one that is an attribute of the model"):
        owner = module(defined.by_variable, scalar, strength=defined.strength)
        with reloaded(owner) as model:
            assert same(EAGER.gradient(model.run, 3.0), -defined.strength.numpy())
    with (
        reloaded(module(product(tf.constant(2.0)), scalar)) as model,
        contrast("an eager tensor that the forward pass captures, too"),
    ):
        assert same(EAGER.gradient(model.run, 3.0), 2.0)
    with contrast("a NumPy array, too"):
        array = np.float32(2.0)
        with reloaded(module(by_capture(array), scalar)) as model:
            assert same(EAGER.gradient(model.run, 3.0), 2.0)
