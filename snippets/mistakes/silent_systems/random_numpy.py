"""The rule uses the noise that the forward pass has drawn."""

import numpy as np
import tensorflow as tf

random = np.random.default_rng(0)


def draw(x):
    return random.choice([1.0, 3.0], x.shape).astype("float32")


# truth: x.shape == [8]
@tf.custom_gradient
def noisy(x):
    factor = tf.numpy_function(draw, [x], tf.float32)
    factor.set_shape(x.shape)
    return x * factor, lambda upstream: upstream * factor


x = tf.ones([8])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = noisy(x)
slope = tape.gradient(y, x)
tf.debugging.assert_equal(slope * x, y)
print("y = x *", y.numpy())
print("dy/dx =", slope.numpy())
