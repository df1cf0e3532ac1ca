"""Four methods for a second derivative, and how often each calls grad."""

import tensorflow as tf

calls = []


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        calls.append(upstream)
        return upstream * 3.0 * x ** 2.0

    return x ** 3.0, grad


def loss(x):
    return 0.5 * (cube(x) - 5000.0) ** 2.0


def by_tape(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def forward(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def one_tape(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tape.gradient(loss(x), x)
    return tape.gradient(first, x)


methods = {
    "tape over tape": lambda x: by_tape(lambda x: by_tape(loss, x), x),
    "one tape, twice": one_tape,
    "forward over tape": lambda x: forward(lambda x: by_tape(loss, x), x),
    "tape over forward": lambda x: by_tape(lambda x: forward(loss, x), x),
}
x = tf.constant(10.0)
for name, method in methods.items():
    graph = tf.function(method, autograph=False)
    for mode, run in ("eager", method), ("tf.function", graph):
        calls.clear()
        print(f"{name:17}  {mode:11}  second = {run(x):.0f}"
              f"  calls = {len(calls)}")
