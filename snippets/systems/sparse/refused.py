"""What tf.custom_gradient takes, as an argument and by keyword."""

import tensorflow as tf


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor


def argument(value, x):
    return tf.custom_gradient(
        lambda value: (x, lambda upstream: None))(value)


def keyword(value, x):
    return tf.custom_gradient(
        lambda x, value: (x * 2.0, lambda upstream: upstream * 2.0))(
            x, value=value)


x = tf.constant([2.0])
for name, value in {
        "tf.Tensor": x,
        "tf.RaggedTensor": tf.ragged.constant([[2.0], []]),
        "tf.IndexedSlices": tf.IndexedSlices(
            x, tf.constant([0]), tf.constant([1])),
        "tf.SparseTensor": tf.sparse.SparseTensor([[0]], x, [1]),
        "ExtensionType": Line(x)}.items():
    said = []
    for place in argument, keyword:
        try:
            place(value, x)
            said.append(f"{place.__name__}: taken")
        except ValueError as error:
            said.append(f"{place.__name__}: {type(error).__name__}")
    print(f"{name:16} ", "  ".join(said))
