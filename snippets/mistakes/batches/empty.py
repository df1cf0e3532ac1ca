"""An empty batch goes through pfor, and the others through the loop."""

import tensorflow as tf


def jacobian(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2
    some = y.shape[0] != 0
    return tape.jacobian(y, x, experimental_use_pfor=not some)


print("empty", jacobian(tf.zeros([0, 3])).shape)
x = tf.constant([[1.0, 2.0]])
print("others", jacobian(x).shape, jacobian(x)[0, 1, 0, 1].numpy())
