"""A loaded model: its operations are created again, inside the map."""

# tracebook: alone

import tempfile

import tensorflow as tf
from tensorflow.python.framework import convert_to_constants


# truth: upstream becomes tf.nn.relu(upstream)
@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, upstream):
    return tf.nn.relu(upstream) * tf.cast(op.outputs[0] > 0.0, upstream.dtype)


class Model(tf.Module):
    def __init__(self):
        self.W = tf.Variable([[1.0, 0.0], [0.0, 1.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def score(self, x):
        return tf.nn.relu(x @ self.W) @ [[1.0], [-1.0]]


def anew(function, names):
    """The same operations, with the name of a different gradient function."""
    frozen = convert_to_constants.convert_variables_to_constants_v2(
        function.get_concrete_function())
    given, wanted = frozen.inputs[0], frozen.outputs[0]

    def imported(x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map(names):
            [y] = tf.graph_util.import_graph_def(
                frozen.graph.as_graph_def(), {given.name: x}, [wanted.name])
        return y

    return tf.function(imported)


with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder)
    model = tf.saved_model.load(folder)
x = tf.constant([[3.0, 4.0]])
for name, score in (("loaded", model.score),
                    ("anew", anew(model.score, {"Relu": "GuidedRelu"}))):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = score(x)
    print(f"{name:6}  y {y.numpy()}  gradient {tape.gradient(y, x).numpy()}")
