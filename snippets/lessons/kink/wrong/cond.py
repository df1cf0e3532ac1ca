"""Wrong on purpose: tf.cond takes one decision, and x holds three."""
# tracebook: raises ValueError

import tensorflow as tf


def bend(x):
    return tf.cond(x > 0.0, lambda: 2.0 * x, lambda: x)


print("one number:   ", bend(tf.constant(1.0)).numpy())
print("three numbers:", bend(tf.constant([-1.0, 0.0, 1.0])).numpy())
