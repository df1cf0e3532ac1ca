"""Every optimizer of Keras with a complex variable, and with two real ones."""

import keras
import numpy as np
import tensorflow as tf

OPTIMIZERS, target = keras.optimizers, tf.constant(3.0 + 4.0j, tf.complex64)
WRAPPERS = OPTIMIZERS.Optimizer, OPTIMIZERS.LossScaleOptimizer


def train(optimizer, variables, number):
    """The number after the first step, and the loss after 200 steps."""
    def step():
        with tf.GradientTape() as tape:
            loss = tf.abs(number() - target) ** 2.0
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        return loss

    step()
    first = number().numpy()
    fast = tf.function(step, autograph=False)
    for _ in range(199):
        loss = fast()
    return f"first {np.round(first, 2) + 0:.2f}  loss {loss:5.2f}"


for name, kind in sorted(vars(OPTIMIZERS).items()):
    if (not isinstance(kind, type) or kind in WRAPPERS
            or not issubclass(kind, OPTIMIZERS.Optimizer)
            or name == "MultiOptimizer"):
        continue
    z = tf.Variable(0.0 + 0.0j, dtype=tf.complex64)
    a, b = tf.Variable(0.0), tf.Variable(0.0)
    try:
        shown = train(kind(0.1), [z], lambda: tf.identity(z))
    except tf.errors.InvalidArgumentError as error:
        shown = type(error).__name__
    parts = train(kind(0.1), [a, b], lambda: tf.complex(a, b))
    print(f"{name}\n  one complex variable: {shown}"
          f"\n  two real variables:   {parts}")
