"""Deliberately wrong: one tf.where around a branch that is not taken."""

import tensorflow as tf


def slopes(branch, safe, jit):
    """First and second derivative at 0, where the branch is not taken."""
    def once(x):
        inside = tf.where(x > 0.0, x, 1.0) if safe else x
        return tf.where(x > 0.0, branch(inside), 0.0)

    def both(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = once(x)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    zero = tf.constant(0.0)
    graph = tf.function(both, jit_compile=True, autograph=False)
    numbers = graph.get_concrete_function(zero)(zero) if jit else both(zero)
    return [f"{number:5.0f}" for number in numbers]


print("                  eager           XLA")
print("                  first second    first second")
for safe in (False, True):
    for name, branch in (("sqrt(x)", tf.sqrt), ("log(x)", tf.math.log),
                         ("1 / x", lambda x: 1.0 / x),
                         ("x log(x)", lambda x: x * tf.math.log(x))):
        label = f"{name:8} {'double' if safe else 'single'}"
        print(f"{label:16}", *slopes(branch, safe, False), "   ",
              *slopes(branch, safe, True))
