"""Six gradient functions: is each linear, and is it a derivative?"""

import tensorflow as tf


def back_through(change):
    # truth: upstream becomes change(upstream)
    # truth: dense upstream
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), lambda upstream: change(upstream)

    return identity


def run(function, upstream):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return y, tape.gradient(y, x, output_gradients=upstream)


def differences(function, upstream, h=1e-6):
    """The element i is upstream . (f(x + h e_i) - f(x - h e_i)) / 2h."""
    return tf.stack([tf.reduce_sum(upstream * (
        function(x + h * e) - function(x - h * e))) / (2.0 * h)
        for e in tf.eye(3, dtype=tf.float64)])


def near(a, b):
    return bool(tf.reduce_all(tf.abs(a - b) < 1e-6))


x, u, v = (tf.constant(each, tf.float64) for each in (
    [1.0, -2.0, 0.5], [3.0, 0.4, -5.0], [0.2, 7.0, -0.3]))
FUNCTIONS = {"x": lambda x: x, "-x": lambda x: -x, "0.1 x": lambda x: 0.1 * x}
for name, change in {
        "derivative": lambda u: u, "scale": lambda u: 0.1 * u,
        "reverse": lambda u: -u, "noise": lambda u: u + 0.01,
        "clip values": lambda u: tf.clip_by_value(u, -1.0, 1.0),
        "clip norm": lambda u: tf.clip_by_norm(u, 1.0)}.items():
    changed = back_through(change)
    (y, gu), (_, gv), (_, both) = (run(changed, w) for w in (u, v, u + v))
    of = [f for f in FUNCTIONS if near(gu, differences(FUNCTIONS[f], u))]
    (found,), (expected,) = tf.test.compute_gradient(changed, [x])
    print(f"{name:11}  y = x: {near(y, x)}  linear: {near(gu + gv, both)!s:5}"
          f"  derivative of: {of!s:9}"
          f"  compute_gradient agrees: {near(found, expected)}")
