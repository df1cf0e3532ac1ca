"""One gradient function for any structure of inputs."""

import collections

import tensorflow as tf

Layer = collections.namedtuple("Layer", ["W", "b"])


@tf.custom_gradient
def energy(*trees):
    y = tf.add_n([tf.reduce_sum(leaf * leaf)
                  for leaf in tf.nest.flatten(trees)]) / 2.0

    def grad(upstream):
        downstream = tf.nest.map_structure(lambda leaf: upstream * leaf, trees)
        print("  arguments:", len(trees), " gradients to return:",
              len(tf.nest.flatten(downstream)))
        return downstream

    return y, grad


one = tf.constant(1.0)
model = [Layer(W=tf.constant([[2.0, 0.0], [0.0, 3.0]]), b=one * 4.0),
         {"scale": one * 5.0, "offset": one * 6.0}]
for name, trees in [("a tensor", (one,)),
                    ("two tensors", (one, one * 2.0)),
                    ("a list of two", ([one, one * 2.0],)),
                    ("a model and a tensor", (model, one * 7.0))]:
    print(name)
    with tf.GradientTape() as tape:
        tape.watch(trees)
        loss = 10.0 * energy(*trees)
    gradients = tape.gradient(loss, trees)
    print("  gradients:", tf.nest.map_structure(
        lambda gradient: gradient.numpy().tolist(), gradients))
