"""Which arguments tf.custom_gradient accepts, eagerly and in a graph."""

import tensorflow as tf


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor


def call(value):
    return tf.custom_gradient(
        lambda value: (tf.ones([1]), lambda upstream: None))(value)


x = tf.constant([2.0])
for name, value in {
        "tf.Tensor": x,
        "tf.RaggedTensor": tf.ragged.constant([[2.0], []]),
        "tf.IndexedSlices": tf.IndexedSlices(
            x, tf.constant([0]), tf.constant([1])),
        "tf.SparseTensor": tf.sparse.SparseTensor([[0]], x, [1]),
        "ExtensionType": Line(x)}.items():
    said = []
    for run in call, tf.function(call):
        try:
            run(value)
            said.append("accepted")
        except (TypeError, ValueError) as error:
            said.append(type(error).__name__)
    print(f"{name:16}  eager: {said[0]:10}  graph: {said[1]}")
