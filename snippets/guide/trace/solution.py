"""Two probes around a step measure its gradient function."""

import tensorflow as tf


# truth: downstream becomes 2.0 * downstream
@tf.custom_gradient
def cube(x):
    def grad(upstream):
        return upstream * 6.0 * x * x  # twice the derivative

    return x * x * x, grad


def probe(x, seen):
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            seen.append(upstream)
            return upstream

        return tf.identity(x), grad

    return identity(x)


def weigh(name, step, x, h=0.125):
    seen = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = probe(step(probe(x, seen)), seen)
        loss = tf.reduce_sum(y * y)
    tape.gradient(loss, x)
    upstream, downstream = seen
    local = downstream / upstream
    differences = (step(x + h) - step(x - h)) / (2.0 * h)
    print(f"{name:7} upstream {upstream.numpy()}"
          f"  downstream {downstream.numpy()}")
    print(f"        local {local.numpy()}"
          f"  differences {differences.numpy()}")


x = tf.constant([1.0, 2.0])
weigh("square", tf.square, x)
weigh("cube", cube, x)
