"""A file without gradient functions is made differentiable again."""

import pathlib
import subprocess
import sys
import tempfile

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2


# truth: the rule is right
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def square(self, x):
        return square(x)


def strip(folder):
    """Remove the names of all gradient functions from a SavedModel."""
    file = pathlib.Path(folder, "saved_model.pb")
    saved = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    for graph in [each.graph_def for each in saved.meta_graphs]:
        bodies = [function.node_def for function in graph.library.function]
        for node in [node for body in [graph.node, *bodies] for node in body]:
            node.attr.pop("_gradient_op_type", None)
    file.write_bytes(saved.SerializeToString())


LOAD = """
import tensorflow as tf
loaded, x = tf.saved_model.load(folder), tf.constant(number)
try:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.square(x)
    print("gradient", tape.gradient(y, x).numpy())
except LookupError as error:
    print("LookupError:", str(error).partition(" (")[0])
"""
number = 3.0
options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder, options=options)
    for name, change in ("as saved", lambda _: None), ("stripped", strip):
        change(folder)
        ran = subprocess.run(
            [sys.executable, "-c", f"{folder=}; {number=}\n{LOAD}"],
            capture_output=True, text=True)
        print(f"{name}:", ran.stdout.strip())
