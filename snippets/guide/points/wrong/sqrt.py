"""Deliberately wrong: the infinite slope of a root, times 0."""

import tensorflow as tf

WAYS = {
    "0 * x**0.5": lambda x: 0.0 * x**0.5,
    "0 * sqrt(x)": lambda x: 0.0 * tf.sqrt(x),
    "x * sqrt(x)": lambda x: x * tf.sqrt(x),
    "sqrt(x) * sqrt(x)": lambda x: tf.sqrt(x) * tf.sqrt(x),
    "sqrt(x**2)": lambda x: tf.sqrt(x**2),
    "x**1.5": lambda x: x**1.5,
}


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


zero, tiny = tf.constant(0.0), tf.constant(1e-6)
print("                    slope from 0 to 1e-6   eager    XLA")
for name, function in WAYS.items():
    slope = (function(tiny) - function(zero)) / tiny
    compiled = tf.function(lambda x: gradient(function, x), autograph=False,
                           jit_compile=True)
    both = gradient(function, zero), compiled.get_concrete_function(zero)(zero)
    print(f"{name:18}  {slope:20.3f}", *[f"{g:7.1f}" for g in both])
