"""What the page on saving and loading says in words."""

import functools
import json
import tempfile
import zipfile
from pathlib import Path

import keras
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework import ops

from truth.statements.tries import *


@tf.custom_gradient
def tenfold(x):
    """The cube, with ten times its slope."""
    return x**3, lambda upstream: 30.0 * upstream * x**2


@tf.custom_gradient
def nested(x):
    return tf.exp(x), lambda upstream: upstream * nested(tf.identity(x))


def of(function):
    model = tf.Module()
    model.f = tf.function(function, input_signature=[tf.TensorSpec([])])
    return model


CHOICES = {"default": {}, "true": {"experimental_custom_gradients": True}}
CHOICES["false"] = {"experimental_custom_gradients": False}

ELSEWHERE = """
import json
import tensorflow as tf

found = {}
for name, folder in FOLDERS.items():
    model, x = tf.saved_model.load(folder), tf.constant(3.0)
    try:
        value = model.f(x).numpy().item()
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = model.f(x)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        found[name] = [value, first.numpy().item(), second.numpy().item()]
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


@functools.cache
def in_another_process():
    """What another process finds in files, and what it warns of."""
    with tempfile.TemporaryDirectory() as folder:
        folders = {}
        for name, choice in CHOICES.items():
            folders[name] = str(Path(folder, name))
            options = tf.saved_model.SaveOptions(**choice)
            tf.saved_model.save(of(tenfold), folders[name], options=options)
        folders["numpy"] = str(Path(folder, "numpy"))
        folders["nested"] = str(Path(folder, "nested"))
        tf.saved_model.save(of(nested), folders["nested"])
        by_numpy = of(lambda x: tf.numpy_function(np.sin, [x], tf.float32))
        tf.saved_model.save(by_numpy, folders["numpy"])
        assert tf.saved_model.load(folders["numpy"]).f(3.0) == tf.sin(3.0)
        said = elsewhere(ELSEWHERE.replace("FOLDERS", repr(folders)))
    found = json.loads(said.splitlines()[-1])
    return found, said.count("unsaved custom gradients")


@says(
    "A SavedModel holds a graph …",
    "In a graph, …",
    "An attribute of …",
    "The program saves the name …",
    "The process that saved …",
    "In this process, …",
    "Otherwise, it raises …",
    "Fix: leave `experimental_custom_gradients` …",
    "The program saves a model with `experimental_custom_gradients=False`, …",
    "The gradient works …",
    "Both processes run …",
    "Compare what the …",
    "With the default, …",
    "The first and the second …",
    "The second derivative is …",
    "If the gradient …",
    "Load the model …",
    "Deliberately wrong: saved …",
    "A model is saved …",
    was=(
        "'a file holds no Python': that of a Lambda layer holds bytecode",
        "'still has it': a rule with x**2 raises there, too: x is out of scope",
    ),
)
@over(choice=CHOICES)
def test_identityn(choice):
    name = next(key for key, value in CHOICES.items() if value is choice)
    assert tf.saved_model.SaveOptions().experimental_custom_gradients
    model = of(tenfold)
    [kept] = [
        operation.get_attr("_gradient_op_type").decode()
        for operation in model.f.get_concrete_function().graph.get_operations()
        if operation.type == "IdentityN"
    ]
    assert callable(ops.gradient_registry.lookup(kept))
    with tempfile.TemporaryDirectory() as folder:
        options = tf.saved_model.SaveOptions(**choice)
        tf.saved_model.save(model, folder, options=options)
        file = Path(folder, "saved_model.pb").read_bytes()
        loaded = tf.saved_model.load(folder)
    library = SavedModel.FromString(file).meta_graphs[0].graph_def.library
    entries = {each.registered_op_type for each in library.registered_gradients}
    names = {
        node.attr["_gradient_op_type"].s.decode()
        for function in library.function
        for node in function.node_def
        if node.op == "IdentityN"
    }
    assert names and (names <= entries if name != "false" else not entries)
    if name == "false":  # The entry is that of the first trace, with its tensors.
        assert "out of scope" in message(EAGER.gradient, loaded.f, 3.0)
    else:
        assert same(EAGER.gradient(loaded.f, 3.0), 270.0)
    found, warned = in_another_process()
    if name == "false":
        assert "No gradient defined for operation'IdentityN'" in found[name]
        assert warned == 2  # nested, too
    else:
        assert found[name] == [27, 270, 180]
    assert "No gradient defined for operation'IdentityN'" in found["nested"]
    in_process = trace("wrong/unsaved.py").starting("gradient")
    assert [each.numbers for each in in_process] == [[-1]]
    wrong = trace("wrong/unsaved.py")
    assert [each.numbers for each in wrong.starting("value")] == [[3], [3]]
    assert len({*(tuple(each.numbers) for each in trace("unsaved.py"))}) == 1


@says(
    "The file holds the key …",
    "Fix: save a …",
    "If the model must …",
    "The model calls NumPy through …",
    "The loaded model works …",
    "In the other process, …",
    "Compare the two …",
    "The fix computes …",
    "In another process, …",
    "Look for `PyFunc` …",
    "Deliberately wrong: NumPy in a saved model.",
    "The saved model …",
)
@over(function=[tf.numpy_function, tf.py_function])
def test_pyfunc(function):
    model = of(lambda x: function(np.sin, [x], tf.float32))
    operations = model.f.get_concrete_function().graph.get_operations()
    [call] = [each for each in operations if each.type.endswith("PyFunc")]
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        file = Path(folder, "saved_model.pb").read_bytes()
        assert same(tf.saved_model.load(folder).f(3.0), tf.sin(3.0))
        weights = tf.train.Checkpoint(w=tf.Variable(2.0)).save(f"{folder}/w")
        w = tf.Variable(0.0)
        tf.train.Checkpoint(w=w).restore(weights)
        assert w.numpy() == 2
    assert b"pyfunc_" in file and call.get_attr("token").startswith(b"pyfunc_")
    assert "Could not find callback with key" in in_another_process()[0]["numpy"]
    one, other = trace("pyfunc.py")
    assert one.numbers == other.numbers


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Reverse(keras.layers.Layer):
    def call(self, x):
        return reverse(x)


def gradient(model):
    return EAGER.gradient(lambda x: model(x) ** 2, [[3.0]])


def named(x):
    return reverse(x)


def saved(layer, path):
    keras.Sequential([keras.Input([1]), layer]).save(path)
    return path


@says(
    "A `.keras` file holds the names, …",
    "So a process …",
    "A `.keras` file holds the name and …",
    "The file contains …",
    "Fix: decorate the class …",
    "The program saves and loads a model with a custom layer:",
    "The message names the class …",
    "In the fix, the class …",
    "Before and after …",
    "Deliberately wrong: a custom layer …",
    "A layer that …",
)
@over(way=["unknown", "custom_objects", "registered"])
def test_locate(way):
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Reverse(), f"{folder}/model.keras")
        options = {"custom_objects": {"Reverse": Reverse}} if "_" in way else {}
        if way == "registered":
            known = keras.saving.register_keras_serializable("tries")(
                type("Known", (Reverse,), {})
            )
            saved(known(), path)
        with zipfile.ZipFile(path) as file:
            config = file.read("config.json").decode()
            assert "model.weights.h5" in file.namelist()
        assert "Reverse" in config or "Known" in config
        assert '"trainable"' in config and "identity" not in config
        load = functools.partial(keras.models.load_model, path, **options)
        if way == "unknown":
            assert "Could not locate class" in message(load)
        else:
            assert same(gradient(load()), [[-6.0]])


@says(
    "The file holds the bytecode …",
    "Keras refuses to …",
    "Even then, the …",
    "The name `reverse` …",
    "Fix: use a registered …",
    "The program saves and loads a model with a Lambda layer.",
    "The lambda of …",
    "With `safe_mode=False`, loading …",
    "Loading raises an …",
    "In the fix, the Lambda …",
    "The gradient is …",
    "Deliberately wrong: a custom gradient …",
    "A Lambda layer with …",
)
def test_lambda():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.keras"
        saved(keras.layers.Lambda(lambda x: reverse(x)), path)
        with zipfile.ZipFile(path) as file:
            config = json.loads(file.read("config.json"))
        function = config["config"]["layers"][1]["config"]["function"]
        assert function["class_name"] == "__lambda__" and function["config"]["code"]
        load = functools.partial(keras.models.load_model, path)
        assert "deserialization of a `Lambda` layer" in message(load)
        loaded = load(safe_mode=False)
        assert "name 'reverse' is not defined" in message(loaded, tf.ones([1, 1]))
        saved(keras.layers.Lambda(lambda x: 2 * x), path)
        assert load(safe_mode=False)(tf.ones([1, 1])) == 2  # it calls nothing
        saved(keras.layers.Lambda(named), path)
        assert "Could not locate function" in message(load)
        assert same(gradient(load(custom_objects={"named": named})), [[-6.0]])


@says(
    "A SavedModel holds only …",
    "A plain method …",
    "A `tf.function` isn't …",
    "Fix: decorate the method …",
    "The program saves and loads a module …",
    "Neither function works …",
    "In the fix, the `tf.function` …",
    "The loaded function …",
    "Deliberately wrong: a function …",
    "With an input …",
)
@over(way=["plain", "untraced", "called", "signature"])
def test_traces(way):
    class Model(tf.Module):
        def f(self, x):
            return reverse(x)

    model, x = Model(), tf.constant(3.0)
    if way != "plain":
        signature = [tf.TensorSpec([])] if way == "signature" else None
        model.f = tf.function(reverse, input_signature=signature)
    if way == "called":
        model.f(x)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        loaded = tf.saved_model.load(folder)
    if way == "plain":
        assert not hasattr(loaded, "f")
    elif way == "untraced":
        assert "Found zero restored functions" in message(loaded.f, x)
    else:
        assert same(EAGER.gradient(lambda x: loaded.f(x) ** 2, x), -6.0)


@says(
    "`model.export` writes a …",
    "Fix: load the …",
    "The program writes …",
    "`load_model` refuses the folder.",
    "The fix reads …",
    "The loaded model has …",
    "Deliberately wrong: load_model …",
    "tf.saved_model.load restores the …",
)
def test_export():
    with tempfile.TemporaryDirectory() as folder:
        layers = [keras.Input([1]), keras.layers.Dense(1, "relu"), Reverse()]
        keras.Sequential(layers).export(folder, verbose=False)
        assert Path(folder, "saved_model.pb").exists()
        assert "File format not supported" in message(keras.models.load_model, folder)
        loaded = tf.saved_model.load(folder)
    assert len(loaded.trainable_variables) == 2
    before, after = trace("exported.py")
    assert before.numbers == after.numbers == [-1, -3]


history("In older versions …")


def converted(function):
    traced = tf.function(function).get_concrete_function(tf.TensorSpec([2]))
    lite = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module())
    kept = tf.lite.Interpreter(model_content=lite.convert())
    kept.allocate_tensors()
    kept.set_tensor(kept.get_input_details()[0]["index"], np.float32([0.5, 2.0]))
    kept.invoke()
    value = kept.get_tensor(kept.get_output_details()[0]["index"])
    return {each["op_name"] for each in kept._get_ops_details()}, value


@says(
    "The converter to …",
    "LiteRT has no …",
    "Fix: write the …",
    "The model calls NumPy, …",
    "The message names the operation.",
    "The fix converts …",
    "If you need …",
    "Both results agree …",
    "Deliberately wrong: NumPy in a model …",
    "The value converts, …",
)
@over(scale=[-1.0, 10.0])
def test_lite(scale):
    @tf.custom_gradient
    def sine(x):
        return tf.sin(x), lambda upstream: scale * upstream * tf.cos(x)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = sine(x)
        return tape.gradient(y, x)

    x = tf.constant([0.5, 2.0])
    kinds, value = converted(sine)
    assert "SIN" in kinds and not any("IDENTITY" in each.upper() for each in kinds)
    assert same(value, tf.sin(x), within=1e-6)
    _, value = converted(gradient)
    assert same(value, scale * tf.cos(x), within=1e-6)

    def by_numpy(x):
        return tf.ensure_shape(tf.numpy_function(np.sin, [x], tf.float32), [2])

    assert "tf.PyFunc" in message(converted, by_numpy)


pointer(
    "Message — Fix",
    "No gradient defined for operation 'IdentityN' (op type: IdentityN) — leave `experimental_custom_gradients` at `True`",
    "Could not find callback with key — save a model that contains only TensorFlow operations",
    "Could not locate class — register the class of the layer",
    "Requested the deserialization of a Lambda layer whose function is a Python lambda — use a registered layer",
    "'_UserObject' object has no attribute — decorate the method with `tf.function` and an `input_signature`",
    "File format not supported — load the folder with `tf.saved_model.load`",
    "'tf.PyFunc' op is neither a custom op nor a flex op — write the forward pass with TensorFlow operations",
    "Find the message …",
    "Notice it earlier.",
    "Asked in tensorflow#36978, …",
    "Asked in tensorflow#40166, …",
    "More: what the …",
    "Asked in tensorflow#51623, automl#262.",
    "More: the gradient …",
    "Asked in keras#19899, keras#21046.",
    "Asked in keras#15767.",
)

history(
    "The converters of …",
)

advice("You can also pass …", "You can also give …", "Convert an untrained …")
