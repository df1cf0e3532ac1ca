"""A custom gradient that takes a dictionary and returns one."""

import tensorflow as tf


# truth: pair["x"].shape == pair["y"].shape
@tf.custom_gradient
def sum_and_product(pair):
    x, y = pair["x"], pair["y"]

    def grad(upstream_product, upstream_sum):  # in the order of the keys
        downstream_x = upstream_product * y + upstream_sum
        downstream_y = upstream_product * x + upstream_sum
        return {"x": downstream_x, "y": downstream_y}

    return {"product": x * y, "sum": x + y}, grad


def rule(x, y):
    both = sum_and_product({"x": x, "y": y})
    return both["product"] - 2 * both["sum"]


def meant(x, y):
    return x * y - 2 * (x + y)


inputs = [tf.constant([0.5, -1.0, 2.0]), tf.constant([1.5, -0.5, 3.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    z = rule(*inputs)
downstream_x, downstream_y = tape.gradient(z, inputs)
print("downstream x =", downstream_x.numpy())
print("downstream y =", downstream_y.numpy())
