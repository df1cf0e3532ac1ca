"""The second derivative of (m * m) * m at 0.7, where m is a copy of x."""

import tensorflow as tf


def cube(x):
    m = tf.identity(x)
    return (m * m) * m


def forward(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def reverse(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


modes = {"forward": forward, "reverse": reverse}
x = tf.constant(0.7, tf.float64)
for outer in modes:
    for inner in modes:
        def second(x):
            return modes[outer](lambda x: modes[inner](cube, x), x)

        print(f"{outer} over {inner}: eager {second(x):.1f}"
              f"  tf.function {tf.function(second)(x):.1f}")
print(f"right: {6.0 * x:.1f}")
