"""Deliberately wrong: a custom gradient gets a symbolic Keras tensor."""

import tensorflow as tf
from tensorflow import keras


@tf.custom_gradient
def reverse(x):
    return 1.0 * x, lambda upstream: -upstream


@keras.ops.custom_gradient
def reverse_too(x):
    return 1.0 * x, lambda upstream: -upstream


for rule in reverse, reverse_too:
    print(rule.__name__, "of a tensor:", rule(tf.constant(2.0)).numpy())
    try:
        rule(keras.Input([2]))
    except ValueError as error:
        print(rule.__name__, "of a KerasTensor: ValueError")
        first = str(error).partition(". ")[0]
# tracebook: raises ValueError
raise ValueError(first)
