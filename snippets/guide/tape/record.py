"""Which operations a tape recorded: those that answer on the way back."""

# tracebook: alone

import tensorflow as tf
from tensorflow.python import pywrap_tfe  # private; for looking only
from tensorflow.python.eager import backprop

rule_of_operation = backprop._gradient_function


def watched_rule(name, *arguments):
    upstream = arguments[4]
    downstream = rule_of_operation(name, *arguments)
    shown = [None if part is None else part.numpy().item()
             for part in tf.nest.flatten(downstream)]
    print(f"  {name:14} upstream {upstream[0].numpy():4}  downstream", *shown)
    return downstream


pywrap_tfe.TFE_Py_RegisterGradientFunction(watched_rule)

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

print("answers to L =", L.numpy())
print("dL/dx =", tape.gradient(L, x).numpy())
