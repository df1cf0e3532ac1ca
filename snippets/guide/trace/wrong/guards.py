"""Deliberately wrong: guards, some of them silent in some modes."""

import tensorflow as tf
from tensorflow import debugging


def in_grad(check, returned):
    # truth: the rule is right
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            checked = check(upstream, "h")
            return checked if returned else upstream

        return tf.identity(x), grad

    return identity


numerics, finite = debugging.check_numerics, debugging.assert_all_finite
GUARDS = {
    "check_numerics, dropped": in_grad(numerics, returned=False),
    "assert_all_finite, dropped": in_grad(finite, returned=False),
    "check_numerics, returned": in_grad(numerics, returned=True),
    "assert_all_finite, forward": lambda x: finite(x, "h"),
    "check_numerics, forward": lambda x: numerics(x, "h")}


def slope(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


tf.get_logger().setLevel("ERROR")  # no warning on retracing
x = tf.constant([0.0, 4.0])
for name, guard in GUARDS.items():
    root = lambda x: tf.sqrt(guard(x))
    print(name)
    for mode, run in (
            ("eager", lambda: slope(root)),
            ("tape inside a graph", tf.function(lambda: slope(root))),
            ("tape outside a graph", lambda: slope(tf.function(root))),
            ("XLA", tf.function(lambda: slope(root), jit_compile=True))):
        try:
            said = f"SILENT {run().numpy()}"
        except tf.errors.InvalidArgumentError as error:
            line, = (line for line in error.message.splitlines()
                     if "Tensor had" in line)
            said = line.rpartition("}} ")[2].partition(" [Op")[0]
        print(f"  {mode:20}  {said}")
