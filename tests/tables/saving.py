"""What of a custom gradient is left in a file that another process loads."""

import inspect
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tests.harness import elsewhere, quiet, raised

from . import cell, markdown, merged, shown

INPUT = np.array([[2, 2]], np.float32)
KINDS = {
    "first order": "tenfold",
    "second order": "cube",
    "second order, `grad` calls a custom gradient": "decorated",
    "gradient of a variable": "variable",
    "`numpy_function`": "in_numpy",
    "`gather` of the output": "gathered",
    "in a branch": "in_branch",
    "in a loop": "in_loop",
}
"""What is computed, and the function for it."""
WAYS = {
    "SavedModel": "with",
    "without custom gradients": "without",
    "`model.export`": "export",
    "`.keras` file and the class": "keras",
    "`.keras` file and a plain class": "plain",
    "checkpoint and the code": "checkpoint",
}
"""How the function is saved."""
PLACES = ("outside", "inside")


def functions(custom_gradient: Callable) -> dict[str, Callable]:
    """Define one function for each kind; each takes a tensor and a variable.

    The text of this function also runs in the process that loads the files, where the
    class of a layer and the code beside a checkpoint need it.

    Args:
        custom_gradient: the decorator, or one that drops the gradient function.
    """

    @custom_gradient
    def ten(x):
        return x**2, lambda upstream: 10 * tf.convert_to_tensor(upstream)

    @custom_gradient
    def captures(x):
        return x**2, lambda upstream: 10 * upstream * x

    @custom_gradient
    def cube(x):
        return x**3, lambda upstream: 10 * upstream * x**2

    @custom_gradient
    def decorated(x):
        return x**3, lambda upstream: upstream * ten(tf.identity(x))

    def variable(x, w):
        @custom_gradient
        def scaled(x):
            def grad(upstream, variables=None):
                return 10 * upstream, [10 * tf.reduce_sum(upstream)]

            return x * w, grad

        return scaled(x)

    @custom_gradient
    def in_numpy(x):
        y = tf.numpy_function(lambda value: value**2, [x], x.dtype)
        return tf.ensure_shape(y, x.shape), lambda upstream: 10 * upstream

    def in_loop(x, w):
        body = lambda i, y: (i + 1, captures(y))  # noqa: E731
        return tf.while_loop(lambda i, _: i < 1, body, (0, x))[1]

    return {
        "tenfold": lambda x, w: ten(x),
        "cube": lambda x, w: cube(x),
        "decorated": lambda x, w: decorated(x),
        "variable": variable,
        "in_numpy": lambda x, w: in_numpy(x),
        "gathered": lambda x, w: tf.gather(ten(x), [0]),
        "in_branch": lambda x, w: tf.cond(
            tf.size(x) > 0, lambda: captures(x), lambda: x
        ),
        "in_loop": in_loop,
    }


def plain(function: Callable) -> Callable:
    """Decorate as ``tf.custom_gradient``, but drop the gradient function."""
    return lambda *tensors: function(*tensors)[0]


def gradients(name: str, call: Callable, w: Any, x: tf.Tensor) -> Any:
    """Compute what a kind asks for: a first or second derivative, or that of ``w``."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = call(x)
        first, of_w = inner.gradient(y, [x, w])
    if name == "variable":
        return of_w
    is_second = name in ("cube", "decorated")
    return outer.gradient(first, x) if is_second else first


class Layer(keras.layers.Layer):
    """A layer that calls a function with its weight."""

    decorator: Callable = staticmethod(tf.custom_gradient)

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name=name, **options)
        self.function = functions(self.decorator)[name]

    def build(self, shape: Any) -> None:
        self.w = self.add_weight(shape=(), initializer="ones")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return self.function(x, self.w.value)

    def get_config(self) -> dict:
        """Return the settings, of which only the name isn't a default."""
        return {"name": self.name}


_LOAD = """
import json
from collections.abc import Callable
from typing import Any
import keras
import tensorflow as tf

{definitions}

folder, files = {folder!r}, {files!r}

def load(name, way):
    path = f"{{folder}}/{{name}}_{{way}}"
    if way in ("keras", "plain"):
        layer = Layer
        if way == "plain":  # Keras finds weights by the name of the class
            layer = type("Layer", (Layer,), {{"decorator": staticmethod(plain)}})
        model = keras.models.load_model(path + ".keras", custom_objects={{"Layer": layer}})
        return model, model.layers[-1].w.value
    if way == "checkpoint":
        w = tf.Variable(0.0)
        tf.train.Checkpoint(w=w).restore(path)
        function = functions(tf.custom_gradient)[name]
        return tf.function(lambda x: function(x, w)), w
    model = tf.saved_model.load(path)
    if way == "export":
        return model.serve, model.trainable_variables[0]
    return model.call, model.w

results = []
for name, way in files:
    for place in "outside", "inside":
        try:
            call, w = load(name, way)
            def run(x):
                return gradients(name, call, w, x)
            result = run if place == "outside" else tf.function(run)
            result = result(tf.constant({value!r}))
            if result is not None:
                result = tf.convert_to_tensor(result).numpy().tolist()
        except Exception as error:
            result = type(error).__name__
        results.append([name, way, place, result])
with open(folder + "/results.json", "w") as file:
    json.dump(results, file)
"""


def table() -> str:
    """Return a table with a column for each way, and a row for each kind."""
    results = _results()
    families = [
        {
            f"{kind}, {place}": [results[name, way, place] for way in WAYS.values()]
            for place in PLACES
        }
        for kind, name in KINDS.items()
    ]
    return markdown(["Derivative", *WAYS], merged(families))


def _results() -> dict[tuple[str, str, str], str]:
    """Save each function in each way, and load all files in another process."""
    cells: dict[tuple[str, str, str], str] = {}
    with tempfile.TemporaryDirectory() as folder, quiet():
        files = []
        for name in KINDS.values():
            for way in WAYS.values():
                if error := raised(_save, name, way, f"{folder}/{name}_{way}"):
                    text = f"raises {type(error).__name__} while saving"
                    cells |= {(name, way, place): text for place in PLACES}
                else:
                    files.append((name, way))
        shared: tuple = functions, plain, gradients, Layer
        sources = [inspect.getsource(definition) for definition in shared]
        program = _LOAD.format(
            definitions="\n\n".join(sources),
            folder=folder,
            files=files,
            value=INPUT.tolist(),
        )
        elsewhere(program)
        text = Path(folder, "results.json").read_text("utf-8")
    for name, way, place, result in json.loads(text):
        cells[name, way, place] = _described(name, result)
    return cells


def _save(name: str, way: str, path: str) -> None:
    function = functions(tf.custom_gradient)[name]
    if way in ("export", "keras", "plain"):
        keras.utils.clear_session(free_memory=False)
        model = keras.Sequential([keras.Input(batch_shape=INPUT.shape), Layer(name)])
        model.export(path, verbose=False) if way == "export" else model.save(
            f"{path}.keras"
        )
        return
    w = tf.Variable(1.0)
    if way == "checkpoint":
        tf.train.Checkpoint(w=w).write(path)
        return
    module = tf.Module()
    module.w = w
    module.call = tf.function(
        lambda x: function(x, w), input_signature=[tf.TensorSpec(INPUT.shape)]
    )
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=way == "with")
    tf.saved_model.save(module, path, options=options)


def _described(name: str, result: Any) -> str:
    """Tell a gradient that is kept from one of the plain function."""
    if isinstance(result, str):
        return f"raises {result}"
    text = shown(result)
    for word, decorator in (("kept", tf.custom_gradient), ("plain", plain)):
        if text == _expected(name, decorator):
            return word
    return text


def _expected(name: str, decorator: Callable) -> str:
    w, function = tf.Variable(1.0), functions(decorator)[name]
    x = tf.constant(INPUT)
    return cell(lambda: gradients(name, lambda x: function(x, w), w, x))
