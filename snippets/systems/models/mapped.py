"""gradient_override_map on a Keras model: for which tapes it works."""

import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes tf.nn.relu(upstream)
@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, upstream):
    return tf.nn.relu(upstream) * tf.cast(op.outputs[0] > 0.0, upstream.dtype)


model = keras.Sequential([
    keras.Input([2]), keras.layers.Dense(
        2, "relu", kernel_initializer="identity")])


def mapped(x):
    graph = tf.compat.v1.get_default_graph()
    with graph.gradient_override_map({"Relu": "GuidedRelu"}):
        return model(x) * [[1.0, -1.0]]


def gradient(x, function=mapped):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant([[3.0, 4.0]])
print("eager:           ", gradient(x).numpy())
print("inside a graph:  ", tf.function(gradient)(x).numpy())
print("outside a graph: ", gradient(x, tf.function(mapped)).numpy())
