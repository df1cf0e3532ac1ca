"""Deliberately wrong: NumPy in a model for LiteRT, once TFLite."""

import os

import numpy as np
import tensorflow as tf


# truth: the rule is right; within 1e-3
@tf.custom_gradient
def sine(x):
    y = tf.numpy_function(np.sin, [x], tf.float32)
    y.set_shape(x.shape)
    return y, lambda upstream: upstream * tf.cos(x)


traced = tf.function(sine).get_concrete_function(tf.TensorSpec([2]))
lite = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module())
screen = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Paths of this machine.
# tracebook: raises ConverterError
try:
    lite.convert()
except Exception as error:
    said = str(error).partition("error: ")[2].splitlines()[0]
    raise type(error)(said) from None
finally:
    os.dup2(screen, 2)
