"""Softmax cross entropy with label smoothing, one loss for each row."""

import gc

import numpy as np
import tensorflow as tf

SMOOTHING = 0.1


def targets(z, labels):
    classes = z.shape[-1]
    hot = tf.one_hot(labels, classes, dtype=z.dtype)
    return (1.0 - SMOOTHING) * hot + SMOOTHING / classes


def plain(z):
    q = targets(z, labels)
    return -tf.reduce_sum(q * tf.nn.log_softmax(z), -1)


# truth: z.shape == [32, 1000]
@tf.custom_gradient
def cross_entropy(z):
    def grad(upstream):
        p = tf.nn.softmax(z)
        return upstream[:, None] * (p - targets(z, labels))

    return plain(tf.stop_gradient(z)), grad


def kept(function, *inputs):
    """The bytes that wait for the backward pass, beside inputs and output."""
    def buffers():
        arrays = [np.asarray(memoryview(t)) for t in gc.get_objects()
                  if isinstance(t, tf.Tensor) and t.dtype == tf.float32]
        return {array.ctypes.data: array.nbytes for array in arrays}

    before = buffers()
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    return sum(size for address, size in buffers().items()
               if address not in before) - y.numpy().nbytes


labels = tf.range(32)
z = 3.0 * tf.random.stateless_normal([32, 1000], [1, 2], dtype=tf.float64)
inputs = [z]
gradients = []
for function in plain, cross_entropy:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = tf.reduce_sum(tf.sin(function(*inputs)))
    gradients.append(tape.gradient(loss, inputs))
error = max(np.max(np.abs(a - b)) for a, b in zip(*gradients))
print(f"agrees within 1e-12: {error < 1e-12}")
inputs = [tf.cast(x, tf.float32) for x in inputs]
for function in plain, cross_entropy:
    size = kept(function, *inputs) / inputs[0].numpy().nbytes
    print(f"{function.__name__:13} keeps {size:.2f} times z")
