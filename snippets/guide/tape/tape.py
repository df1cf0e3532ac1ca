"""A value is used twice: the step that computed it receives the sum."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    y = x * x
    tf.print("forward  square ", x, "->", y)

    def grad(upstream):
        downstream = upstream * 2.0 * x
        tf.print("backward square  x =", x, " upstream =", upstream,
                 " downstream =", downstream)
        return downstream

    return y, grad


@tf.custom_gradient
def triple(x):
    y = 3.0 * x
    tf.print("forward  triple ", x, "->", y)

    def grad(upstream):
        downstream = upstream * 3.0
        tf.print("backward triple  x =", x, " upstream =", upstream,
                 " downstream =", downstream)
        return downstream

    return y, grad


x = tf.constant(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    u = square(x)
    v = triple(u)
    w = square(u)
    L = v * w
print(f"u = {u.numpy()}  v = {v.numpy()}  w = {w.numpy()}")

x_bar = tape.gradient(L, x)
print("dL/dx =", x_bar.numpy())
u_bar, v_bar, w_bar = tape.gradient(L, [u, v, w])
print("at u", u_bar.numpy(), " at v", v_bar.numpy(), " at w", w_bar.numpy())
