"""Two fixes: return the gradient of the variable, or keep it outside."""

import tensorflow as tf

weight = tf.Variable(-1.0)


# truth: the gradient of tf.sigmoid(weight * inputs)
# truth: inputs.shape == []
@tf.custom_gradient
def sign_of_product(inputs):
    x = weight * inputs

    def grad(upstream, variables=None):
        s = tf.sigmoid(x)
        local = s * (1.0 - s)
        downstream = upstream * local
        return downstream * weight, [downstream * inputs]

    return tf.sign(x), grad


# truth: the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        s = tf.sigmoid(x)
        return upstream * s * (1.0 - s)

    return tf.sign(x), grad


inputs = tf.constant(2.0)
for name, function in (("variable inside ", sign_of_product),
                       ("variable outside", lambda i: sign(weight * i))):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(inputs)
    to_inputs, to_weight = tape.gradient(y, [inputs, weight])
    print(f"{name}  to inputs: {to_inputs:.6f}  to weight: {to_weight:.6f}")
