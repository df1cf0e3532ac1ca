"""A polynomial of any degree whose coefficients are variables."""

import tensorflow as tf

w = [tf.Variable(value, name="w") for value in (5.0, 0.0, -2.0, 1.0)]


@tf.custom_gradient
def polynomial(x):
    y = sum(w_k * x ** k for k, w_k in enumerate(w))

    def grad(upstream, variables):
        power_of = {w_k.ref(): k for k, w_k in enumerate(w)}
        local_x = sum(k * w_k * x ** (k - 1)
                      for k, w_k in enumerate(w) if k)
        return upstream * local_x, [
            tf.reduce_sum(upstream * x ** power_of[v.ref()])
            for v in variables]

    return y, grad


def gradients(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, *w])


x = tf.constant([1.0, 2.0, 3.0])
in_graph = tf.function(lambda x: gradients(polynomial, x))
for to_x, *to_w in (gradients(polynomial, x), in_graph(x)):
    print("to x =", to_x.numpy(), " to w =", [g.numpy().item() for g in to_w])
