"""When Python calls grad: two steps with the tape in different places."""

import tensorflow as tf

seen = []


@tf.custom_gradient
def square(x):
    seen.append("forward")

    def grad(upstream):
        eager = tf.executing_eagerly()
        seen.append(f"grad({upstream.numpy() if eager else 'symbolic'})")
        return upstream * 2.0 * x

    return x * x, grad


def gradient(function, x, persistent=False):
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = function(x)
    seen.append("request")
    return tape.gradient(y, x)


def symbolic(x):
    y = square(x)
    seen.append("request")
    return tf.gradients(y, x)[0]


around, kept, inner = (tf.function(square) for _ in range(3))
places = {
    "eager": lambda x: gradient(square, x),
    "tape inside": tf.function(lambda x: gradient(square, x)),
    "XLA": tf.function(lambda x: gradient(square, x), jit_compile=True),
    "tape outside": lambda x: gradient(around, x),
    "persistent": lambda x: gradient(kept, x, persistent=True),
    "nested": tf.function(lambda x: gradient(inner, x)),
    "tf.gradients": tf.function(symbolic),
}
x = tf.constant(3.0)
for place, step in places.items():
    for number in 1, 2:
        seen.clear()
        downstream = step(x).numpy()
        print(f"{place:12}  step {number}  downstream {downstream}  Python:",
              *seen or ["nothing"])
