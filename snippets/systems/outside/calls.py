"""How often NumPy is called, in a graph that uses one of three results."""

import numpy as np
import tensorflow as tf

calls = []


def counted(x):
    calls.append(x)
    return np.sinc(x)


def build(stateful):
    @tf.function
    def first_of_three(x):
        y = [
            tf.numpy_function(counted, [x], x.dtype, stateful=stateful)
            for _ in range(3)
        ]
        return y[0]

    return first_of_three


for stateful in True, False:
    function = build(stateful)
    for run in 1, 2:
        calls.clear()
        function(tf.constant([0.25, 0.5, 1.5]))
        times = len(calls)
        print(f"stateful={stateful}: run {run} called NumPy {times} times")
