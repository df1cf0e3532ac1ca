"""A port of gradcheck: compares a Jacobian with finite differences."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    return x * x * x, lambda upstream: upstream * 3.0 * x * x


# truth: the gradient of 2.0 / 3.0 * x * x * x
@tf.custom_gradient
def wrong(x):
    return x * x * x, lambda upstream: upstream * 2.0 * x * x


def gradcheck(function, inputs, atol=1e-5, rtol=1e-3):
    theory, numeric = tf.test.compute_gradient(function, inputs)
    return all(bool(abs(a - b).max() <= atol + rtol * abs(b).max())
               for a, b in zip(theory, numeric))


x = tf.constant([-1.0, 0.5, 2.0], tf.float64)
for name, function in (("cube", cube), ("wrong", wrong)):
    print(f"{name:5}  gradcheck {gradcheck(function, [x])}")


def first(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


print("gradgradcheck", gradcheck(first, [x]))
