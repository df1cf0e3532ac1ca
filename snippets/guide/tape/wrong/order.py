"""Wrong on purpose: a rule that counts on the order of the calls."""

import tensorflow as tf

kept = []


@tf.custom_gradient
def square(x):
    kept.append(x)
    tf.print("  forward  x =", x)

    def grad(upstream):
        last = kept.pop()
        tf.print("  backward x =", x, " popped", last)
        return upstream * 2.0 * last

    return x * x, grad


def gradient(name, function):
    print(name)
    kept.clear()
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print("  gradient", tape.gradient(y, x).numpy())


gradient("square(square(2 x)): right is 64",
         lambda x: square(square(2.0 * x)))
gradient("square(2 x) + 3 square(4 x): right is 104",
         lambda x: square(2.0 * x) + 3.0 * square(4.0 * x))
