"""Which custom gradients work in the process that loads a SavedModel."""

import inspect
import subprocess
import sys
import tempfile

import tensorflow as tf


@tf.custom_gradient
def exponential(x):
    x = tf.identity(x)
    return tf.exp(x), lambda upstream: upstream * tf.exp(x)


@tf.custom_gradient
def by_call(x):
    x = tf.identity(x)
    return tf.exp(x), lambda upstream: upstream * exponential(x)


apart = tf.function(exponential)
recomputed = tf.recompute_grad(lambda x: tf.exp(x))
functions = {
    "operations": exponential,
    "decorated_function": by_call,
    "recompute_grad": lambda x: recomputed(x),
    "lookup": lambda x: tf.gather(exponential(x), [0, 0]),
    "lookup_times_one": lambda x: tf.gather(exponential(x) * 1.0, [0, 0]),
    "lookup_apart": lambda x: tf.gather(apart(x), [0, 0]),
    "branch": lambda x: tf.cond(
        x[0] > 0.0, lambda: exponential(x), lambda: x),
    "branch_apart": lambda x: tf.cond(
        x[0] > 0.0, lambda: apart(x), lambda: x),
    "loop": lambda x: tf.map_fn(exponential, x),
    "loop_apart": lambda x: tf.map_fn(apart, x),
}


def derivative(function):
    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return of


def report(model, names):
    for name in names:
        function, found = getattr(model, name), []
        for _ in range(2):
            function = derivative(function)
            try:
                found.append(f"{function(tf.constant([0.5]))[0]:.4f}")
            except (AssertionError, LookupError, TypeError) as error:
                found.append(type(error).__name__)
        print(f"{name:19} first {found[0]:14}  second {found[1]}")


tf.get_logger().setLevel("ERROR")  # no warnings on retracing
model = tf.Module()
for name, function in functions.items():
    setattr(model, name, tf.function(
        function, autograph=False,
        input_signature=[tf.TensorSpec([1])]))
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(model, folder)
    load = f"""
import tensorflow as tf
{inspect.getsource(derivative)}
{inspect.getsource(report)}
report(tf.saved_model.load({folder!r}), {[*functions]})
"""
    ran = subprocess.run(
        [sys.executable, "-c", load], capture_output=True, text=True)
print(ran.stdout, end="")
