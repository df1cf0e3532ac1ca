"""The derivative of the first gradient, computed with four methods."""

import tensorflow as tf


def back_through(change):
    # truth: upstream becomes change(upstream)
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), lambda upstream: change(upstream)

    return identity


def reverse(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def forward(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


CHANGES = {
    "derivative": lambda upstream: upstream,
    "clip": lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0),
    "scale": lambda upstream: 0.1 * upstream,
    "reverse": lambda upstream: -upstream,
}
x, h = tf.constant(0.5, tf.float64), 1e-6
print(f"L = y^3, y = x = {x:g}   first  difference  forward  outside a graph"
      "  2nd tape")
for name, change in CHANGES.items():
    changed = back_through(change)

    def first(x):
        return reverse(lambda x: changed(x) ** 3, x)

    difference = (first(x + h) - first(x - h)) / (2.0 * h)
    graph = tf.function(first, autograph=False)
    print(f"{name:20} {first(x):7.3f}  {difference:9.3f}"
          f"  {forward(first, x):8.3f}  {forward(graph, x):15.3f}"
          f"  {reverse(first, x):8.3f}")
