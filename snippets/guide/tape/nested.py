"""A tape inside a tape: second derivatives, and which tape records what."""

import tensorflow as tf


@tf.custom_gradient
def square(a):
    def grad(upstream):
        tf.print("  grad  upstream =", upstream)
        return upstream * 2.0 * a

    return a * a, grad


def f(x):
    u = square(x)
    return 3.0 * u * u * u


x = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = f(x)
    print("inner backward pass, recorded by the outer tape")
    first = inner.gradient(y, x)
print("outer backward pass")
second = outer.gradient(first, x)
print("first ", first.numpy(), " 18 x^5 =", 18.0 * 2.0**5)
print("second", second.numpy(), " 90 x^4 =", 90.0 * 2.0**4)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = f(x)
    with outer.stop_recording():
        print("inner backward pass, not recorded")
        first = inner.gradient(y, x)
    penalized = y + first * x
print("outer backward pass")
total = outer.gradient(penalized, x)
print("total ", total.numpy(), " 18 x^5 + first =", first.numpy() * 2.0)
