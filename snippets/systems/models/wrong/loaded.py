"""Deliberately wrong: the map around a model that was loaded."""

# tracebook: alone

import tempfile

import tensorflow as tf


# truth: the rule is right; upstream becomes tf.nn.relu(upstream)
@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, upstream):
    return tf.nn.relu(upstream) * tf.cast(op.outputs[0] > 0.0, upstream.dtype)


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([2])])
    def relu(self, x):
        return tf.nn.relu(x)


with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder)
    model = tf.saved_model.load(folder)


def mapped(function):
    @tf.function
    def run(x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({"Relu": "GuidedRelu"}):
            return function(x)

    return run


x = tf.constant([3.0, 4.0])
for name, function in ("tf.nn.relu", tf.nn.relu), ("loaded", model.relu):
    run = mapped(function)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x) * [1.0, -1.0]
    print(f"{name:10}  gradient {tape.gradient(y, x).numpy()}")
