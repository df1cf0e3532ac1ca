"""A dense layer that reads two variables and returns their gradients."""

import tensorflow as tf

W = tf.Variable([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]], name="W")
b = tf.Variable([10.0, 20.0], name="b")


# truth: x.shape.rank == 2
@tf.custom_gradient
def dense(x):
    y = tf.matmul(x, W) + b
    tf.print("forward  x", tf.shape(x), " y =", y)

    def grad(upstream, variables):
        downstream = {W.ref(): tf.matmul(x, upstream, transpose_a=True),
                      b.ref(): tf.reduce_sum(upstream, axis=0)}
        downstream_x = tf.matmul(upstream, W, transpose_b=True)
        tf.print("backward upstream =", upstream,
                 " variables:", len(variables))
        return downstream_x, [downstream[v.ref()] for v in variables]

    return y, grad


def plain(x):
    return tf.matmul(x, W) + b


def gradients(layer, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(weights * layer(x))
    return tape.gradient(loss, [x, W, b])


x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = tf.constant([[1.0, 0.0], [0.0, 10.0]])
by_autodiff = gradients(plain, x)
in_graph = tf.function(lambda x: gradients(dense, x))
for name, found in (("eager", gradients(dense, x)),
                    ("tf.function", in_graph(x))):
    print(name)
    for symbol, g, auto in zip("xWb", found, by_autodiff):
        equal = "equal" if (g.numpy() == auto.numpy()).all() else "DIFFERENT"
        print(f"  downstream {symbol} = {g.numpy().tolist()}  {equal}")
