"""Gradients of an ODE's solution: start, parameter and times."""

import tensorflow as tf
import tensorflow_probability as tfp

tf.get_logger().setLevel("ERROR")  # the solver uses a deprecated option
solver = tfp.math.ode.DormandPrince(rtol=1e-6, atol=1e-8)


def f(t, y, k):
    return -k * y**2


def captured(y0, k, times):
    return solver.solve(lambda t, y: f(t, y, k), 0.0, y0, times).states


def solve(y0, k, times):
    states = solver.solve(f, 0.0, y0, times, constants={"k": k}).states
    rate = tf.stop_gradient(f(times, states, k))  # dy / dt
    return states + rate * (times - tf.stop_gradient(times))


def formula(y0, k, times):
    return y0 / (1.0 + k * y0 * times)


y0, k = tf.constant(2.0, tf.float64), tf.constant(0.7, tf.float64)
times = tf.constant([0.5, 2.0], tf.float64)
for function in captured, solve, formula:
    with tf.GradientTape() as tape:
        tape.watch([y0, k, times])
        loss = tf.reduce_sum(function(y0, k, times)**2)
    gradients = tape.gradient(loss, [y0, k, times])
    print(f"{function.__name__:9}", *(
        f" {name} {None if each is None else each.numpy().round(3)}"
        for name, each in zip(["y0", "k", "times"], gradients)))
