"""One signature for both ways of calling."""

import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes -upstream
@keras.ops.custom_gradient
def reverse(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return -upstream

    return 1.0 * x, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = reverse(x) ** 2
print("gradient", tape.gradient(y, x).numpy(), " minus 2x", -2.0 * x.numpy())
