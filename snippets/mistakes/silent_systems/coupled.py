"""tape.jacobian also has the derivatives between different examples."""

import tensorflow as tf


def centered(x):
    return x - tf.reduce_mean(x, axis=0)


x = tf.constant([[1.0], [2.0], [6.0]])
for function in tf.sin, centered:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    full = tape.jacobian(y, x)[:, 0, :, 0]
    own = tf.linalg.diag_part(full)
    mixes = tf.reduce_any(full != tf.linalg.diag(own))
    print(f"{function.__name__:9} own derivatives {own.numpy().round(4)}",
          " depends on other examples" if mixes else " batch_jacobian agrees")
