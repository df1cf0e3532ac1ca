"""Which operations a tape recorded, seen in the backward pass."""

# tracebook: alone

import tensorflow as tf
from tensorflow.python import pywrap_tfe  # private: only for looking
from tensorflow.python.eager import backprop

original = backprop._gradient_function


def printing(name, *arguments):
    upstream = arguments[4]
    downstream = original(name, *arguments)
    shown = [None if part is None else part.numpy().item()
             for part in tf.nest.flatten(downstream)]
    print(f"  {name:14} upstream {upstream[0].numpy():4}  downstream", *shown)
    return downstream


pywrap_tfe.TFE_Py_RegisterGradientFunction(printing)

x = tf.constant(2.0)
state = tf.Variable(0.0)
early = x + 1.0
with tf.GradientTape() as tape:
    tape.watch(x)
    five = tf.constant(2.0) + 3.0
    index = tf.cast(x, tf.int32)
    whole = tf.cast(index, tf.float32)
    state.assign(x * 7.0)
    sine = tf.sin(x - 2.0)
    u = five * x
    L = early + whole + state + u - sine

print("backward pass from L =", L.numpy())
print("dL/dx =", tape.gradient(L, x).numpy())
