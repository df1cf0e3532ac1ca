"""Wrong on purpose: tf.cond takes one decision, and x holds three."""

import re

import tensorflow as tf


def bend(x):
    return tf.cond(x > 0.0, lambda: 2.0 * x, lambda: x)


x = tf.constant([-1.0, 0.0, 1.0])
print("one number:", bend(tf.constant(1.0)).numpy())
for mode, function in (("eager", bend), ("tf.function", tf.function(bend))):
    try:
        function(x)
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(f"three numbers, {mode}: {type(error).__name__}")
        print(" ", re.search("The .*", str(error))[0])
