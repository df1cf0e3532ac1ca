"""One direction checks 90,000 elements: which errors does it find?"""

import numpy as np
import tensorflow as tf


# truth: x.shape.rank == W.shape.rank == 2
@tf.custom_gradient
def layer(x, W):
    y = tf.tanh(x @ W)

    def grad(upstream):
        local = upstream * (1.0 - y * y)
        return local @ tf.transpose(W), tf.transpose(x) @ local

    return y, grad


rng = np.random.default_rng(0)
x = tf.constant(rng.standard_normal([8, 300]))
W = tf.constant(rng.standard_normal([300, 300]) / 30)
upstream = tf.constant(rng.standard_normal([8, 300]))
with tf.GradientTape() as tape:
    tape.watch(W)
    y = layer(x, W)
downstream = tape.gradient(y, W, output_gradients=upstream).numpy()

v = rng.standard_normal(W.shape)
length, norm = np.linalg.norm(v), np.linalg.norm(downstream)


def difference(h):
    return tf.reduce_sum(upstream * (
        layer(x, W + h * v) - layer(x, W - h * v))) / (2 * h)


print(f"elements of W: {downstream.size}, length of v: {length:.1f}")
print(f"custom gradient                      {np.sum(downstream * v):.6f}")
print(f"finite differences, step 1e-5        {difference(1e-5):.6f}")
print(f"finite differences, step 1e-5/length {difference(1e-5 / length):.6f}")

print("effect of a 1 % error, relative to the norm of the gradient, in")
for name, where in (("all", np.s_[:, :]), ("one row", np.s_[7]),
                    ("one element", np.s_[7, 7])):
    spoiled = downstream.copy()
    spoiled[where] *= 1.01
    error = abs(np.sum((spoiled - downstream) * v)) / norm
    print(f"  {name:12} {error:.1e}")
error = abs(np.sum(downstream * v) - difference(1e-5 / length)) / norm
print("difference without an error below 1e-8:", bool(error < 1e-8))
