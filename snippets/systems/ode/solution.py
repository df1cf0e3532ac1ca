"""The gradient with respect to T: upstream times the last derivative."""

import tensorflow as tf


def rk4(y, T):
    h = T / 40.0
    for _ in range(40):
        k1 = y * (1.0 - y)
        k2 = (y + h / 2.0 * k1) * (1.0 - y - h / 2.0 * k1)
        k3 = (y + h / 2.0 * k2) * (1.0 - y - h / 2.0 * k2)
        k4 = (y + h * k3) * (1.0 - y - h * k3)
        y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


# truth: 0 < T < 3; T.shape.rank == 0; y_0.shape.rank == 0; 0 < y_0 < 1
# truth: within 1e-4; first derivative only
@tf.custom_gradient
def logistic(y_0, T):
    y = rk4(tf.stop_gradient(y_0), tf.stop_gradient(T))

    def grad(upstream):
        downstream_y_0 = upstream * y * (1.0 - y) / (y_0 * (1.0 - y_0))
        return downstream_y_0, upstream * y * (1.0 - y)

    return y, grad


y_0, T = tf.constant(0.1, tf.float64), tf.constant(2.0, tf.float64)
with tf.GradientTape() as tape:
    tape.watch([y_0, T])
    y = logistic(y_0, T)
downstream_y_0, downstream_T = tape.gradient(y, [y_0, T])
h = 1e-5
print(f"downstream_T   = {downstream_T:.6f}  differences"
      f" {(rk4(y_0, T + h) - rk4(y_0, T - h)) / (2.0 * h):.6f}")
print(f"downstream_y_0 = {downstream_y_0:.6f}  differences"
      f" {(rk4(y_0 + h, T) - rk4(y_0 - h, T)) / (2.0 * h):.6f}")
