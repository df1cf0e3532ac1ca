"""Wrong on purpose: a variable of TensorFlow 1.x that is no resource."""
# tracebook: raises TypeError

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def product(x):
    w = tf.compat.v1.get_variable("w", initializer=2.0, use_resource=False)

    def grad(upstream, variables=None):
        return upstream * w, [upstream * x]

    return w * x, grad


with tf.Graph().as_default():
    product(tf.constant(3.0))
