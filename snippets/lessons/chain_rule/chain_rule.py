"""The chain rule, printed step by step: y = f(f(f(x))) with f(x) = x²."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    y = x * x
    tf.print("forward  x =", x, " y =", y)

    def grad(upstream):
        local = 2.0 * x
        downstream = upstream * local
        tf.print("backward x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(square(square(x)))

print("dy/dx =", tape.gradient(y, x).numpy())
print("8 x**7 =", (8.0 * x**7).numpy())
