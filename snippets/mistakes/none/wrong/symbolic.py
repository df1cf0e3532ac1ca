"""Deliberately wrong: the function of TensorFlow 1, outside of a graph."""

import tensorflow as tf

x = tf.constant(3.0)
# tracebook: raises RuntimeError
print(tf.gradients(x * x, x))
