"""Which lines lie below the graph everywhere: the definition, on a grid."""

import tensorflow as tf

FUNCTIONS = {
    "relu(x)": tf.nn.relu,
    "abs(x)": tf.abs,
    "maximum(x, -x)": lambda x: tf.maximum(x, -x),
    "reduce_max([x, 0])": lambda x: tf.reduce_max(
        tf.stack([x, tf.zeros_like(x)]), axis=0),
    "relu(x) - relu(-x)": lambda x: tf.nn.relu(x) - tf.nn.relu(-x),
    "max(x, 0) + min(x, 0)": lambda x: (
        tf.maximum(x, 0.0) + tf.minimum(x, 0.0)),
    "minimum(x, 0)": lambda x: tf.minimum(x, 0.0),
    "sqrt(x**2)": lambda x: tf.sqrt(x**2),
}
grid = tf.linspace(-3.0, 3.0, 601)
zero = tf.constant(0.0)


def is_subgradient(f, g):
    """f(y) >= f(0) + g (y - 0) for every y of the grid"""
    return bool(tf.reduce_all(f(grid) >= f(zero) + g * grid - 1e-6))


print("                       subgradients at 0 in steps of 1/4   TensorFlow")
for name, f in FUNCTIONS.items():
    with tf.GradientTape() as tape:
        tape.watch(zero)
        y = f(zero)
    found = tape.gradient(y, zero).numpy()
    allowed = [k / 4 for k in range(-12, 13) if is_subgradient(f, k / 4)]
    shown = f"{allowed[0]:5.2f} to {allowed[-1]:5.2f}" if allowed else "none"
    print(f"{name:21}  {shown:14} {found:18.1f}  is one:",
          is_subgradient(f, found))
