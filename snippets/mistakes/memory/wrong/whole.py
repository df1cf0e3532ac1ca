"""Deliberately wrong: one recompute_grad around everything."""

import weakref

import tensorflow as tf


def steps(x, count=20):
    for _ in range(count):
        x = tf.sin(x)
        seen.append(weakref.ref(x))
        alive.append(sum(each() is not None for each in seen))
    return x


x = tf.constant(1.0)
# truth: the rule is right
recomputed = tf.recompute_grad(steps)
for name, function in (
        ("no recompute_grad", steps), ("one around all", recomputed)):
    seen, alive = [], []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    tape.gradient(y, x)
    print(f"{name:17}  at once {max(alive)}")
