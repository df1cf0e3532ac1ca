"""How the slope at 0 affects gradient descent that reaches or starts at 0."""

import tensorflow as tf


def bend(left, right, at_zero):
    @tf.custom_gradient
    def function(x):
        local = tf.where(x > 0.0, right, tf.where(x < 0.0, left, at_zero))

        def grad(upstream):
            return upstream * local

        return x * local, grad

    return function


def descend(f, x, step, count):
    x, path = tf.Variable(x), []
    for k in range(count):
        with tf.GradientTape() as tape:
            y = f(x)
        x.assign_sub(step(k) * tape.gradient(y, x))
        path.append(x.numpy().round(3) + 0.0)
    return path


def show(name, path):
    print(f"{name:25}", *[f"{float(each):6.3f}" for each in path[-6:]])


fixed, shrinking = (lambda k: 0.25), (lambda k: 0.25 / (k + 1))
print("|x| from 0.5")
for slope in (0.0, 0.5, 1.0):
    f = bend(-1.0, 1.0, slope)
    show(f"  slope {slope} at 0", descend(f, 0.5, fixed, 10))
show("  from 0.6", descend(tf.abs, 0.6, fixed, 100))
show("  from 0.6, shrinking", descend(tf.abs, 0.6, shrinking, 100))
print("|x| + (x - 0.3)**2 / 2 from its minimum, 0")
for slope in (0.0, 0.3):
    f = bend(-1.0, 1.0, slope)
    show(f"  slope {slope} at 0",
         descend(lambda x: f(x) + 0.5 * (x - 0.3) ** 2, 0.0, fixed, 10))
print("(relu(w) - 1)**2 / 2 from w at 0")
for slope in (0.0, 0.5, 1.0):
    f = bend(0.0, 1.0, slope)
    show(f"  slope {slope} at 0",
         descend(lambda w: 0.5 * (f(w) - 1.0) ** 2, 0.0, fixed, 10))
