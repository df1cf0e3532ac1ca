"""The strength is a variable, which the graph reads when it runs."""

# tracebook: alone

import tensorflow as tf

strength = tf.Variable(0.0, trainable=False)


# truth: upstream becomes -strength * upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -strength * upstream


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x, graph = tf.constant(3.0), tf.function(reverse)
inside = tf.function(lambda x: gradient(reverse, x))
xla = tf.function(lambda x: gradient(reverse, x), jit_compile=True)
for value in 0.0, 0.5, 1.0:
    strength.assign(value)
    print(f"strength {value}  eager {gradient(reverse, x):4}"
          f"  tape inside {inside(x):4}  tape outside {gradient(graph, x):4}"
          f"  XLA {xla(x):4}")
