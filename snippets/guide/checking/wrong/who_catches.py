"""Deliberately wrong: three checks of eight gradient functions of the cube."""

import numpy as np
import tensorflow as tf

FAULTS = {
    "forgets upstream": lambda u, x: 3.0 * x * x,
    "abs of upstream": lambda u, x: abs(u) * 3.0 * x * x,
    "upstream squared": lambda u, x: u * u * 3.0 * x * x,
    "factor 2": lambda u, x: u * 2.0 * x * x,
    "x > 0 only": lambda u, x: u * 3.0 * x * abs(x),
    "one axis more": lambda u, x: (u * 3.0 * x * x)[tf.newaxis],
    "returns None": lambda u, x: None,
    "NumPy in grad": lambda u, x: u * 3.0 * tf.constant(x.numpy() ** 2)}


def cube(spoil):
    @tf.custom_gradient
    def function(x):
        return x * x * x, lambda upstream: spoil(upstream, x)

    return function


def jacobian(function, x):
    custom, numeric = tf.test.compute_gradient(function, [x])
    return np.allclose(custom[0], numeric[0], rtol=0, atol=1e-4)


def random_upstream(function, x, seed=0, h=1e-5):
    u, v = np.random.default_rng(seed).standard_normal([2, *x.shape])

    def gradient():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x, output_gradients=tf.constant(u))

    difference = tf.reduce_sum(u * (function(x + h * v) - function(x - h * v)))
    in_graph = tf.function(gradient).get_concrete_function()
    return all(g is not None and g.shape == x.shape and
               abs(tf.reduce_sum(g * v) - difference / (2 * h)) < 1e-6
               for g in (gradient(), in_graph()))


def verdict(check, *arguments):
    try:
        return "passes" if check(*arguments) else "caught"
    except (AttributeError, ValueError):
        return "raises"


one = tf.constant(1.3, tf.float64)
three = tf.constant([1.3, -0.7, 1.0], tf.float64)
print(f"{'compute_gradient of':18}    1    3   random upstream")
for name, spoil in FAULTS.items():
    print(f"{name:18}", *(f"{each:>7}" for each in (
        verdict(jacobian, cube(spoil), one),
        verdict(jacobian, cube(spoil), three),
        verdict(random_upstream, cube(spoil), three))))

lucky = sum(random_upstream(cube(FAULTS["abs of upstream"]), three, seed)
            for seed in range(40))
print("abs of upstream passes with", lucky, "of 40 seeds")
