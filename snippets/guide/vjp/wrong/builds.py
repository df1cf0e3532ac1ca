"""Deliberately wrong: a right gradient function that builds the Jacobian."""

import tensorflow as tf

N = 100
W = tf.random.stateless_normal([N, N], seed=(0, 1)) / N


def layer(x):
    return tf.tanh(tf.linalg.matvec(W, x))


# truth: the rule is right
# truth: x.shape.rank == 1
@tf.custom_gradient
def builds(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    jacobian = tape.jacobian(y, x)
    return y, lambda upstream: tf.linalg.matvec(
        jacobian, upstream, transpose_a=True)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    y = layer(x)
    return y, lambda upstream: tf.linalg.matvec(
        W, upstream * (1.0 - y * y), transpose_a=True)


# truth: the rule is right
@tf.custom_gradient
def by_tape(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(x)
    return y, lambda upstream: tape.gradient(
        y, x, output_gradients=upstream)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.sin(f(x)))
    return tape.gradient(loss, x)


x, gradients = tf.ones([N]), []
for f in builds, product, by_tape:
    run = tf.function(gradient)
    counts = [N * op.outputs[0].shape.num_elements()
              for op in run.get_concrete_function(x).graph.get_operations()
              if op.type == "MatMul"]
    print(f"{f.__name__:8} multiplications: {sum(counts):9,}")
    gradients.append(run(x))
error = tf.reduce_max(abs(tf.stack(gradients) - gradients[1]))
print("the same gradient:", bool(error < 1e-6))
