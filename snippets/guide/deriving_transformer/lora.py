"""LoRA: a frozen matrix, and two thin ones that learn."""

import gc

import numpy as np
import tensorflow as tf


def plain(x, A, B):
    return x @ tf.cast(W, x.dtype) + SCALE * (x @ A) @ B


def rows(x):
    """Each token of each sequence is one row."""
    return tf.reshape(x, [-1, x.shape[-1]])


# truth: x.shape == [4, 32, 256]; A.shape == [256, 4]; B.shape == [4, 512]
@tf.custom_gradient
def lora(x, A, B):
    def grad(upstream):
        thin = SCALE * tf.matmul(upstream, B, transpose_b=True)
        downstream_x = (tf.matmul(upstream, tf.cast(W, x.dtype),
                                  transpose_b=True)
                        + tf.matmul(thin, A, transpose_b=True))
        downstream_A = tf.matmul(rows(x), rows(thin), transpose_a=True)
        downstream_B = SCALE * tf.matmul(
            rows(x @ A), rows(upstream), transpose_a=True)
        return downstream_x, downstream_A, downstream_B

    return plain(*map(tf.stop_gradient, (x, A, B))), grad


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


SCALE = 0.5
W = tf.random.stateless_normal([256, 512], [5, 6]) / 16.0
x, A, B = (tf.random.stateless_normal(shape, [n, 1], dtype=tf.float64) / 16.0
           for n, shape in enumerate(([4, 32, 256], [256, 4], [4, 512])))
inputs = [x, A, B]
gradients = []
for function in plain, lora:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = tf.reduce_sum(tf.sin(function(*inputs)))
    gradients.append(tape.gradient(loss, inputs))
error = max(np.max(np.abs(a - b)) for a, b in zip(*gradients))
print(f"agrees within 1e-12: {error < 1e-12}")
inputs = [tf.cast(x, tf.float32) for x in inputs]
for function in plain, lora:
    size = kept(function, *inputs) / inputs[0].numpy().nbytes
    print(f"{function.__name__:5} keeps {size:.2f} times x")
