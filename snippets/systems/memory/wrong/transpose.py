"""Deliberately wrong: forward mode through tf.recompute_grad."""
# tracebook: raises NotImplementedError

import tensorflow as tf

# truth: the rule is right
recomputed = tf.recompute_grad(tf.tanh)
x = tf.constant(0.5)
with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
    y = recomputed(x)
print(accumulator.jvp(y))
