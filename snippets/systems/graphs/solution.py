"""Three calls under a persistent tape: registrations, and calls of grad."""

# tracebook: alone

import tensorflow as tf
from tensorflow.python.framework import ops

calls = []


@tf.custom_gradient
def square(x):
    def grad(upstream):
        calls.append(tf.executing_eagerly())
        return upstream * 2.0 * x

    return x * x, grad


def registered():
    return sum(name.startswith("CustomGradient-")
               for name in ops.gradient_registry.list())


run = tf.function(square)
for length in 2, 3, 2:
    x = tf.ones([length])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = run(x)
    before = len(calls)
    first, again = tape.gradient(y, x), tape.gradient(y, x)
    print(f"length {length}  downstream {first.numpy()}"
          f"  registered {registered()}  calls of grad {len(calls)},"
          f" by tape.gradient {len(calls) - before}")
print("called eagerly:", any(calls))
