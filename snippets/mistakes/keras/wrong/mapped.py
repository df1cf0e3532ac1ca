"""Deliberately wrong: the override of TensorFlow 1, and a tape."""

import tensorflow as tf


# truth: the rule is right; downstream becomes 10.0 * downstream
@tf.RegisterGradient("TenTimes")
def ten_times(op, upstream):
    return 10.0 * upstream * tf.cast(op.inputs[0] > 0.0, tf.float32)


def mapped(x):
    graph = tf.compat.v1.get_default_graph()
    with graph.gradient_override_map({"Relu": "TenTimes"}):
        return tf.nn.relu(x)


x = tf.constant([-1.0, 2.0])
for name, function in (("eager", mapped),
                       ("outside", tf.function(mapped))):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name:7} {tape.gradient(y, x).numpy()}  wanted [0. 10.]")
