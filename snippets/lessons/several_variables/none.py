"""None says that the tape knows no path; zero says that the slope is 0."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


ZERO = tf.UnconnectedGradients.ZERO
x = tf.constant(2.0)
y = tf.constant(3.0)

with tf.GradientTape(persistent=True) as tape:
    tape.watch([x, y])
    z = product(x, y)
    flat = x + product(y, 0.0)
print("both are watched")
print("  z    by y:", tape.gradient(z, y).numpy())
print("  flat by y:", tape.gradient(flat, y).numpy())
print("  x    by y:", tape.gradient(x, y))
print("  x    by y, ZERO:",
      tape.gradient(x, y, unconnected_gradients=ZERO).numpy())

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    z = product(x, y)
print("only x is watched")
print("  z    by y:", tape.gradient(z, y))
print("  z    by y, ZERO:",
      tape.gradient(z, y, unconnected_gradients=ZERO).numpy())

print("y is a variable, and nothing is watched by hand")
for trainable in (True, False):
    y = tf.Variable(3.0, trainable=trainable)
    with tf.GradientTape() as tape:
        z = product(x, y)
    dz_dy = tape.gradient(z, y)
    print(f"  z    by y, trainable={trainable}:",
          None if dz_dy is None else dz_dy.numpy())
