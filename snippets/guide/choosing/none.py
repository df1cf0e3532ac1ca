"""Six formulas with NaN gradients, and the same functions without NaN."""

import tensorflow as tf

pairs = [
    ("log(1 + exp(x))", lambda x: tf.math.log(1.0 + tf.exp(x)),
     "softplus", tf.nn.softplus, 100.0),
    ("log(sigmoid(x))", lambda x: tf.math.log(tf.sigmoid(x)),
     "log_sigmoid", tf.math.log_sigmoid, -200.0),
    ("log(sum(exp(x)))", lambda x: tf.math.log(tf.reduce_sum(tf.exp(x))),
     "reduce_logsumexp", tf.reduce_logsumexp, 200.0),
    ("sinh(x) / cosh(x)", lambda x: tf.sinh(x) / tf.cosh(x),
     "tanh", tf.tanh, 100.0),
    ("sqrt(x ** 2)", lambda x: tf.sqrt(x ** 2), "abs", tf.abs, 0.0),
    ("where, log(x)", lambda x: tf.where(x > 0.0, x * tf.math.log(x), 0.0),
     "where, twice", lambda x: tf.where(x > 0.0, x * tf.math.log(
         tf.where(x > 0.0, x, 1.0)), 0.0), 0.0)]


def value_and_gradient(function, at):
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return f"{y:7.4g} {tape.gradient(y, x):7.4g}"


print(f"{'':29} value   gradient")
for written, formula, name, function, at in pairs:
    print(f"{written:18} {at:6.0f} {value_and_gradient(formula, at)}")
    print(f"  {name:16} {at:6.0f} {value_and_gradient(function, at)}")
