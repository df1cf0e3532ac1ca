"""Which thread calls NumPy, and whether two calls overlap."""

import threading
import time

import tensorflow as tf

lock = threading.Lock()
running, counts, threads = [], [], set()


def slow(x):
    with lock:
        running.append(x)
        counts.append(len(running))
        threads.add(threading.get_ident())
    time.sleep(0.1)
    with lock:
        running.remove(x)
    return x


def four(x, stateful):
    return [tf.numpy_function(slow, [x + i], x.dtype, stateful=stateful)
            for i in range(4)]


def mapped(x, stateful):
    numbers = tf.data.Dataset.range(4).map(
        lambda i: four(x + tf.cast(i, x.dtype), stateful),
        num_parallel_calls=4)
    return list(numbers)


for name, function, stateful in (
    ("eager", four, True),
    ("graph", tf.function(four), True),
    ("graph", tf.function(four), False),
    ("Dataset.map", mapped, True),
):
    counts.clear(), threads.clear()
    function(tf.constant(1.0), stateful)
    print(f"{name:11}  stateful={stateful!s:5}  on the calling thread:",
          threads == {threading.get_ident()},
          " calls overlap:", max(counts) > 1)
