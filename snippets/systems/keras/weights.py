"""A dense layer whose grad gets Keras weights as variables=."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Dense(keras.layers.Layer):
    def build(self, shape):
        self.W = self.add_weight(shape=(shape[-1], 2), name="W")
        self.b = self.add_weight(shape=(2,), name="b")

    def call(self, x):
        # truth: x.shape.rank == 2
        @tf.custom_gradient
        def dense(x):
            W, b = map(tf.convert_to_tensor, (self.W, self.b))

            def grad(upstream, variables):
                W_bar = tf.matmul(x, upstream, transpose_a=True)
                b_bar = tf.reduce_sum(upstream, axis=0)
                found = {self.W.value.ref(): W_bar, self.b.value.ref(): b_bar}
                tf.print("  upstream", upstream.dtype.name, " W",
                         W.dtype.name, " variables",
                         [each.dtype.name for each in variables])
                return upstream @ tf.transpose(W), [
                    tf.cast(found[each.ref()], each.dtype)
                    for each in variables]

            return x @ W + b, grad

        return dense(x)


x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) / 8.0
for dtype in "float32", "mixed_float16":
    weights = []
    print(dtype)
    for kind in Dense, lambda dtype: keras.layers.Dense(2, dtype=dtype):
        layer = kind(dtype=dtype)
        model = keras.Sequential([keras.Input([3]), layer])
        model.set_weights([np.ones([3, 2]), np.zeros([2])])
        model.compile(keras.optimizers.SGD(0.125), "mse")
        model.fit(x, np.zeros([2, 2]), verbose=0)
        weights.append(layer.get_weights())
    W, b = weights[0]
    print("  after a step: W", W[:, 0], " b", b, " as keras.layers.Dense:",
          all(np.array_equal(*pair) for pair in zip(*weights)))
