"""Wrong on purpose: a rule that reads a variable, in a branch of tf.cond."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


# truth: the rule is right; x.shape == w.shape
@tf.custom_gradient
def product_of(x, w):
    return w * x, lambda upstream: (upstream * w, upstream * x)


def reads(x):
    return tf.cond(x > 0.0, lambda: product(x), lambda: x)


def passes(x):
    return tf.cond(x > 0.0, lambda: product_of(x, w), lambda: x)


def gradients(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, w])


for function in (reads, passes):
    def eager(x):
        return gradients(function, x)

    for name, mode in (("eager", eager), ("tf.function", tf.function(eager))):
        try:
            found = mode(tf.constant(3.0))
            print(f"{function.__name__}, {name}:",
                  [g.numpy().item() for g in found])
        except AttributeError as error:
            message = str(error).strip().splitlines()[-1].strip()
            print(f"{function.__name__}, {name}: {message}")
