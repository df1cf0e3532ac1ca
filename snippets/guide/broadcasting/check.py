"""unbroadcast against its definition, for ten pairs of shapes, three modes."""

import numpy as np
import tensorflow as tf


def unbroadcast(gradient, like):
    shape = tf.shape(like)
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=shape, s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), shape)


def by_definition(gradient, shape):
    """Add each number to the element whose copy is at its place."""
    elements = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    copy_of = np.broadcast_to(elements, gradient.shape)
    result = np.zeros(elements.size)
    np.add.at(result, copy_of.ravel(), gradient.ravel())
    return result.reshape(shape)


unknown = [tf.TensorSpec(None, tf.float64), tf.TensorSpec(None, tf.float64)]
xla = tf.function(unbroadcast, jit_compile=True)
# get_concrete_function traces each shape without a warning.
modes = {"eager": unbroadcast,
         "unknown shapes": tf.function(unbroadcast, input_signature=unknown),
         "XLA": lambda *args: xla.get_concrete_function(*args)(*args)}
rng = np.random.default_rng(0)
for output, shape in [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (1, 3)),
                      ((2, 3), (2, 1)), ((2, 3), ()), ((4, 2, 3), (2, 1)),
                      ((4, 2, 3), (4, 1, 3)), ((1, 3), (3,)),
                      ((0, 3), (3,)), ((0, 3), (1, 3))]:
    upstream = rng.integers(-9, 10, output).astype(float)
    b = rng.integers(-9, 10, shape).astype(float)
    expected = by_definition(upstream, shape)
    for run in modes.values():
        found = run(tf.constant(upstream), tf.constant(b)).numpy()
        assert found.shape == shape and np.array_equal(found, expected)
    copied, summed = np.sum(upstream * np.broadcast_to(b, output)), found * b
    print(f"{output!s:10} -> {shape!s:10}"
          f" <y_bar, B b> = {copied:5}  <B^T y_bar, b> = {summed.sum():5}")
print("the same in", len(modes), "modes:", ", ".join(modes))
