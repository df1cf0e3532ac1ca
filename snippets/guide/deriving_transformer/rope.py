"""Rotary position embedding: the backward pass rotates back."""

import gc

import numpy as np
import tensorflow as tf


def rotate(x, direction):
    """Rotate pair k at position t by the angle t / 100^(2k / d)."""
    length, d = x.shape[-2:]
    position = tf.range(length, dtype=x.dtype)[:, None]
    pair = tf.range(d // 2, dtype=x.dtype)
    angle = direction * position / 100.0 ** (2.0 * pair / d)
    first, second = tf.split(x, 2, axis=-1)
    sin, cos = tf.sin(angle), tf.cos(angle)
    return tf.concat([first * cos - second * sin,
                      first * sin + second * cos], -1)


def plain(x):
    return rotate(x, 1.0)


# truth: x.shape.rank > 1; x.shape[-1] % 2 == 0; tf.size(x) > 0
@tf.custom_gradient
def rope(x):
    return rotate(tf.stop_gradient(x), 1.0), lambda upstream: rotate(
        upstream, -1.0)


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


x = tf.random.stateless_normal([2, 128, 64], [1, 2], dtype=tf.float64)
inputs = [x]
gradients = []
for function in plain, rope:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = tf.reduce_sum(tf.sin(function(*inputs)))
    gradients.append(tape.gradient(loss, inputs))
error = max(np.max(np.abs(a - b)) for a, b in zip(*gradients))
print(f"agrees within 1e-12: {error < 1e-12}")
inputs = [tf.cast(x, tf.float32) for x in inputs]
for function in plain, rope:
    size = kept(function, *inputs) / inputs[0].numpy().nbytes
    print(f"{function.__name__:5} keeps {size:.2f} times x")
