"""The value is passed, so the variable's name isn't looked up."""

import tensorflow as tf


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    def grad(upstream):
        return upstream * w, upstream * x

    return w * x, grad


with tf.Graph().as_default():
    w = tf.compat.v1.get_variable(
        "w", initializer=2.0, use_resource=True, collections=[])
    x = tf.constant(3.0)
    rule = tf.gradients(product(x, w.read_value()), [x, w])
    autodiff = tf.gradients(x * w, [x, w])
    with tf.compat.v1.Session() as session:
        session.run(w.initializer)
        print("custom  ", *session.run(rule))
        print("autodiff", *session.run(autodiff))
