"""Guided backpropagation as it was written for TensorFlow 1."""

# tracebook: alone

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


# truth: upstream becomes tf.nn.relu(upstream)
@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, upstream):
    local = tf.cast(op.outputs[0] > 0.0, upstream.dtype)
    return tf.nn.relu(upstream) * local


weights = [[[1, -1, 2], [1, 1, -1]], [0, 0, -1],
           [[1, 1], [-1, 2], [1, -2]], [0, 0], [[1], [-2]], [0]]
V, p, W, q, u, r = (np.array(each, "float32") for each in weights)

for name in "Relu", "GuidedRelu":
    graph = tf.Graph()
    with graph.as_default(), graph.gradient_override_map({"Relu": name}):
        x = v1.placeholder(tf.float32, [None, 2])
        y = tf.nn.relu(x @ V + p)
        y = tf.nn.relu(y @ W + q) @ u + r
        [gradient] = tf.gradients(y, x)
    with v1.Session(graph=graph) as session:
        found = session.run(gradient, {x: [[1.0, 2.0]]})
        print(f"{name:10}  gradient", found)
