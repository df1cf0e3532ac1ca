"""One identity, six gradients: upstream and downstream of each."""

import tensorflow as tf


def back_through(change):
    # truth: upstream becomes change(upstream); x.shape.rank == 2
    # truth: dense upstream
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            downstream = change(upstream)
            tf.print("  upstream  ", upstream)
            tf.print("  downstream", downstream)
            return downstream

        return tf.identity(x), grad

    return identity


tau, lambda_ = 1.0, 0.1
CHANGES = {
    "the derivative": lambda upstream: upstream,
    "clip each number to 1": lambda upstream:
        tf.clip_by_value(upstream, -tau, tau),
    "clip the norm to 1": lambda upstream:
        tf.clip_by_norm(upstream, tau),
    "clip the norm of each row": lambda upstream:
        tf.clip_by_norm(upstream, tau, axes=[1]),
    "scale by 0.1": lambda upstream: lambda_ * upstream,
    "reverse": lambda upstream: -upstream,
}

x = tf.constant([[1.5, 2.0], [0.0, 0.3]])
for name, change in CHANGES.items():
    print(name)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = back_through(change)(x)
        L = tf.reduce_sum(y * y)
    gradient = tape.gradient(L, x)
    print("  the same L:", L.numpy(), " norm of the gradient:",
          f"{tf.norm(gradient):.4f}")

for u in ([0.0, 0.0], [1e30, 2.0], [float("inf"), 2.0]):
    print("upstream", u, " clipped to 1 by value",
          tf.clip_by_value(u, -1.0, 1.0).numpy(),
          " by norm", tf.clip_by_norm(u, 1.0).numpy())
