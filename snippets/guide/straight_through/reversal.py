"""One feature, two heads: the gradient from one of them is reversed."""

import tensorflow as tf

lambda_ = 0.5


# truth: upstream becomes -0.5 * upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -lambda_ * upstream


f, a, c = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(5.0)
with tf.GradientTape() as tape:
    q, r = a * f, c * reverse(f)
bars = q_bar, r_bar = tf.constant(1.0), tf.constant(10.0)
f_bar, a_bar, c_bar = tape.gradient([q, r], [f, a, c], output_gradients=bars)
print("f_bar", f_bar.numpy(), " a_bar", a_bar.numpy(),
      " c_bar", c_bar.numpy())
