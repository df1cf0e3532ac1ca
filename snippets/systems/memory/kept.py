"""What does the tape keep for an operation: its input, output, or nothing?"""

import weakref

import tensorflow as tf

W = tf.ones([256, 256])
for name, operation in {
        "x + 1": lambda x: x + 1.0,
        "-x": lambda x: -x,
        "transpose": tf.transpose,
        "reduce_sum": tf.reduce_sum,
        "3 * x": lambda x: 3.0 * x,
        "x @ W": lambda x: x @ W,
        "square": tf.square,
        "sin": tf.sin,
        "exp": tf.exp,
        "tanh": tf.tanh,
        "relu": tf.nn.relu,
        "softmax": tf.nn.softmax,
        "softplus": tf.nn.softplus}.items():
    start = tf.ones([256, 256])
    with tf.GradientTape() as tape:
        tape.watch(start)
        x = -start  # the tape keeps nothing for this
        y = operation(x)
        end = -y
    size = {"input": x.numpy().nbytes, "output": y.numpy().nbytes}
    alive = {"input": weakref.ref(x), "output": weakref.ref(y)}
    del x, y
    kept = [each for each in alive if alive[each]() is not None]
    print(f"{name:10}  keeps {' '.join(kept) or 'nothing':7}"
          f"  bytes {sum(size[each] for each in kept)}")
