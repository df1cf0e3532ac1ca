"""No recorded path gives None; a path with derivative 0 gives 0.0."""

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
print("  dz/dy:", tape.gradient(z, y).numpy())
print("  dflat/dy:", tape.gradient(flat, y).numpy())
print("  dx/dy:", tape.gradient(x, y))
print("  dx/dy, ZERO:",
      tape.gradient(x, y, unconnected_gradients=ZERO).numpy())

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    z = product(x, y)
print("only x is watched")
print("  dz/dy:", tape.gradient(z, y))
print("  dz/dy, ZERO:",
      tape.gradient(z, y, unconnected_gradients=ZERO).numpy())

print("y is a variable, and nothing is watched by hand")
for trainable in (True, False):
    y = tf.Variable(3.0, trainable=trainable)
    with tf.GradientTape() as tape:
        z = product(x, y)
    dz_dy = tape.gradient(z, y)
    print(f"  dz/dy, trainable={trainable}:",
          None if dz_dy is None else dz_dy.numpy())
