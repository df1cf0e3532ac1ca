"""Files loaded in another process: value, first and second derivative."""

# tracebook: alone

import inspect
import logging
import os
import subprocess
import sys
import tempfile

import keras
import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: -upstream * 2.0 * x


@keras.saving.register_keras_serializable(package="rules")
class Square(keras.layers.Layer):
    def call(self, x):
        return square(x)


def report(name, load):
    warned = []
    logging.getLogger("absl").addFilter(
        lambda each: warned.append(each) or True)
    x = tf.constant([[3.0]])
    try:
        function = load()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
            first = tape.gradient(y, x)
        second = tape.gradient(first, x)
        said = " ".join(str(each[0, 0].numpy()) for each in (y, first, second))
    except (LookupError, TypeError) as error:
        said = type(error).__name__
    print(f"{name:23} {said}{', and a warning' if warned else ''}")


def serving(folder):
    served = tf.saved_model.load(folder).signatures["serving_default"]
    return lambda x: next(iter(served(x).values()))


def files():
    report("saved_model.save", lambda: serving("saved"))
    report("without gradients", lambda: serving("without"))
    report("export", lambda: tf.saved_model.load("exported").serve)
    report("export, as TFSMLayer", lambda: keras.layers.TFSMLayer(
        "exported", call_endpoint="serve"))
    report(".keras", lambda: keras.models.load_model("model.keras"))


model = keras.Sequential([keras.Input([1]), Square()])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "")
    tf.saved_model.save(model, path + "saved")
    tf.saved_model.save(model, path + "without", options=tf.saved_model
                        .SaveOptions(experimental_custom_gradients=False))
    model.export(path + "exported", verbose=False)
    model.save(path + "model.keras")
    load = f"""
import logging, keras, tensorflow as tf
{inspect.getsource(report)}
{inspect.getsource(serving)}
{inspect.getsource(files)}
files()
print("and with the class:")
{inspect.getsource(square)}
{inspect.getsource(Square)}
report(".keras", lambda: keras.models.load_model("model.keras"))
"""
    ran = subprocess.run([sys.executable, "-c", load], cwd=folder,
                         capture_output=True, text=True)
print(ran.stdout, end="")
