"""The gradient of tf.nn.silu with respect to beta, one for each column."""

import tensorflow as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
beta = tf.constant([1.0, 2.0])
for name, function in (
        ("tf.nn.silu", tf.nn.silu),
        ("the formula", lambda x, beta: x * tf.sigmoid(beta * x))):
    with tf.GradientTape() as tape:
        tape.watch(beta)
        y = function(x, beta)
    print(f"{name}: {tape.gradient(y, beta).numpy()}")
