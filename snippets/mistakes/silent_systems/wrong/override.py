"""Wrong on purpose: gradient_override_map, with a tape."""

import tensorflow as tf


# truth: the rule is right; upstream becomes 10.0 * upstream
@tf.RegisterGradient("TenTimes")
def ten_times(op, upstream):
    return 10.0 * upstream


def overridden(x):
    graph = tf.compat.v1.get_default_graph()
    with graph.gradient_override_map({"Identity": "TenTimes"}):
        return tf.identity(x)


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = overridden(x)
print("wrong", tape.gradient(y, x).numpy())
right = tf.function(lambda x: tf.gradients(overridden(x), x)[0])
print("right", right(x).numpy())
