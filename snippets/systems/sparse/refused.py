"""What tf.custom_gradient takes, as an argument, by keyword and as output."""

import tensorflow as tf


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor


x = tf.constant([2.0])
for name, value in {
        "tf.Tensor": x,
        "tf.RaggedTensor": tf.ragged.constant([[2.0], []]),
        "tf.IndexedSlices": tf.IndexedSlices(
            x, tf.constant([0]), tf.constant([1])),
        "tf.SparseTensor": tf.sparse.SparseTensor([[0]], x, [1]),
        "ExtensionType": Line(x)}.items():
    rules = {
        "argument": lambda x: tf.custom_gradient(
            lambda x, value: (x, lambda u: (u, None)))(x, value),
        "keyword": lambda x: tf.custom_gradient(
            lambda x, value: (x, lambda u: u))(x, value=value),
        "output": lambda x: tf.custom_gradient(
            lambda x: (value, lambda u: None))(x)}
    said = []
    for place, call in rules.items():
        try:
            call(x)
            said.append(f"{place}: goes")
        except ValueError as error:
            assert "is not supported as a gradient source" in str(error)
            said.append(f"{place}: ValueError")
    print(f"{name:16} ", "  ".join(said))
