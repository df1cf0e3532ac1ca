"""Several calls share a variable, and their gradients add up."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x > 0
@tf.custom_gradient
def power(x):
    y = x ** w

    def grad(upstream, variables):
        assert len(variables) == 1 and variables[0] is w
        local_x = w * x ** (w - 1.0)
        local_w = y * tf.math.log(x)
        downstream_w = tf.reduce_sum(upstream * local_w)
        tf.print("backward x =", x, " upstream =", upstream, " local_w =",
                 local_w, " downstream_w =", downstream_w)
        return upstream * local_x, [downstream_w]

    return y, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    loss = power(x) + 10.0 * power(power(x))
print("dL/dw =", f"{tape.gradient(loss, w):.4f}")
with tf.GradientTape() as tape:
    loss = x ** w + 10.0 * (x ** w) ** w
print("plain =", f"{tape.gradient(loss, w):.4f}")
