"""The variable is a resource."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def product(x):
    w = tf.compat.v1.get_variable("w", initializer=2.0, use_resource=True)
    made.append(w)

    def grad(upstream, variables):
        assert len(variables) == 1 and variables[0] is w
        return upstream * w, [upstream * x]

    return w * x, grad


made = []
with tf.Graph().as_default():
    x = tf.constant(3.0)
    y = product(x)
    rule = tf.gradients(y, [x, *made])
    autodiff = tf.gradients(made[0] * x, [x, *made])
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        print("rule    ", *session.run(rule))
        print("autodiff", *session.run(autodiff))
