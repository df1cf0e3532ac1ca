"""A custom gradient for x alone; a tape computes the variables' gradients."""

import tensorflow as tf

layers = [[tf.Variable(value, dtype=tf.float64) for value in layer]
          for layer in (([[0.5, -1.0, 0.0], [1.0, 0.5, 2.0]], [0.1, 0.2, 0.3]),
                        ([[1.0], [2.0], [-1.0]], [0.0]))]


def limited_for(x, gradient):
    """Limits a gradient if it has the shape of x, which no variable has."""
    if gradient.shape != x.shape:
        return gradient
    return tf.clip_by_norm(gradient, 0.1)


def model(x):
    for W, b in layers:
        x = tf.nn.softplus(tf.matmul(x, W) + b)
    return x


# truth: downstream becomes limited_for(x, downstream)
@tf.custom_gradient
def limited(x):
    def grad(upstream, variables):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = model(x)
        downstream_x, downstream = tape.gradient(
            y, [x, variables], output_gradients=upstream)
        tf.print("backward upstream =", upstream,
                 " variables:", len(variables))
        return limited_for(x, downstream_x), downstream

    return model(x), grad


x = tf.constant([[1.0, -1.0]], tf.float64)
sources = [x, *[each for layer in layers for each in layer]]
results = []
for function in (model, limited):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = 3.0 * tf.reduce_sum(function(x))
    results.append(tape.gradient(loss, sources))
for name, one, two in zip(("x", "W1", "b1", "W2", "b2"), *results):
    print(f"{name:2}  norm plain {tf.norm(one):.6f}"
          f"  limited {tf.norm(two):.6f}")
