"""Deliberately wrong: log_prob takes the inverse of a sample from a cache."""

import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors
scale = tf.Variable(2.0)
q = tfd.TransformedDistribution(
    tfd.Normal(0.0, 1.0), tfb.Chain([tfb.Exp(), tfb.Scale(scale)]))
y = q.sample(seed=[1, 2])


def show(name, y):
    with tf.GradientTape() as tape:
        tape.watch(y)
        log_p = q.log_prob(y)
    dy, dscale = ("None" if each is None else f"{each:.3f}"
                  for each in tape.gradient(log_p, [y, scale]))
    print(f"{name:11}  log_prob {log_p:.3f}"
          f"  gradients: y {dy:6}  scale {dscale}")


for value in 2.0, 3.0:
    scale.assign(value)
    print("scale =", value)
    show("y", y)
    show("identity(y)", tf.identity(y))
