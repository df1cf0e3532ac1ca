"""Deliberately wrong: mistakes in custom gradients, in TensorFlow."""

import re

import numpy as np
import tensorflow as tf

# Each mistake is traced once, and TensorFlow would warn of retracing.
tf.get_logger().setLevel("ERROR")
np.set_printoptions(formatter={"all": "{:.4g}".format})

MODES = {"eager": lambda function: function, "graph": tf.function}
X = np.array([1, 2, 3], np.float32)
MATRIX = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
COMPLEX = np.array([1 + 2j, 3j], np.complex64)
STATE = {}


def outcome(gradient, right):
    """Compare the tensors that `gradient` returns with the right arrays."""
    try:
        tensors = gradient()
    except Exception as error:
        kind = type(error).__name__
        # AutoGraph puts a traceback before the message.
        line = str(error).split(f"    {kind}: ")[-1].splitlines()[0]
        line = re.sub(r" at (0x|/)\S+", "", line)
        return f"raises {kind}: {line[:90].strip()}"
    for tensor, expected in zip(tensors, right, strict=True):
        if tensor is None:
            return f"silent: None, not {expected}"
        array = tensor.numpy()
        if array.shape != expected.shape:
            return f"silent: shape {array.shape}, not {expected.shape}"
        if array.dtype != expected.dtype:
            return f"silent: {array.dtype}, not {expected.dtype}"
        if not np.allclose(array, expected):
            return " ".join(f"silent: {array}, not {expected}".split())
    return "right"


def custom(function, gradient, saved=lambda *inputs: inputs):
    """Return `function` with a gradient of upstream and what is saved."""
    @tf.custom_gradient
    def decorated(*inputs):
        def grad(*upstream):
            return gradient(*upstream, *values)

        values = saved(*inputs)
        return function(*inputs), grad

    return decorated


def first_order(function, *inputs):
    floats = [each for each in inputs if not each.dtype.is_integer]
    with tf.GradientTape() as tape:
        tape.watch(floats)
        loss = tf.reduce_sum(3.0 * function(*inputs))
    return tape.gradient(loss, floats)


def second_order(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x * function(x))
        slope = tape.gradient(loss, x)
    return [outer.gradient(slope, x)]


def forward_mode(function, x):
    tangent = tf.fill(x.shape, 3.0)
    with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
        y = function(x)
    return [accumulator.jvp(y)]


def map_of_gradients(function, x):
    return tf.vectorized_map(lambda row: first_order(function, row), x)


def changed_between(function, variable):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(3.0 * function(variable))
    variable.assign_add([1.0, 1.0, 1.0])
    return [tape.gradient(loss, variable)]


def new(value):
    kind = tf.Variable if isinstance(value, tf.Variable) else tf.constant
    return kind(value)


def compare(name, plain, wrong, *inputs, way=first_order):
    """Print what each mode makes of a mistake."""
    right_way = first_order if way is changed_between else way
    right = [each.numpy() for each in right_way(plain, *map(new, inputs))]
    for mode, wrap in MODES.items():
        gradient = wrap(lambda *inputs: way(wrong, *inputs))
        result = outcome(lambda: gradient(*map(new, inputs)), right)
        print(name, "|", mode, "|", result)


def cube(x):
    return x**3


good_square = custom(tf.square, lambda u, x: u * 2.0 * x)
good_product = custom(tf.multiply, lambda u, x, y: (u * y, u * x))

compare("no upstream", tf.square, custom(tf.square, lambda u, x: 2.0 * x), X)
compare("no sum over a broadcast axis", tf.multiply, good_product, X, MATRIX)
compare("transposed gradient", tf.matmul,
        custom(tf.matmul, lambda u, x, w: (
            w @ tf.transpose(u), tf.transpose(x) @ u)), MATRIX, MATRIX.T)
compare("float64 for a float32 input", tf.square,
        custom(tf.square, lambda u, x: tf.cast(u * 2.0 * x, tf.float64)), X)
compare("one gradient too few", tf.multiply,
        custom(tf.multiply, lambda u, x, y: u * y), X, X)
compare("one gradient too many", tf.square,
        custom(tf.square, lambda u, x: (u * 2.0 * x, u)), X)
compare("None for an input", tf.multiply,
        custom(tf.multiply, lambda u, x, y: (None, u * x)), X, X)


def captured(x, w):
    return custom(lambda x: w * x * x, lambda u, x: u * 2.0 * w * x)(x)


compare("captured tensor", lambda x, w: w * x * x, captured,
        X, np.float32(2))
compare("captured variable", lambda x, w: w * x * x, captured,
        X, tf.Variable(2.0))


def changed_inside(variable):
    y = good_square(variable)
    variable.assign_add([1.0, 1.0, 1.0])
    return y


compare("input changes after the call", tf.square, good_square,
        tf.Variable(X), way=changed_between)
compare("input changes in the same function", tf.square, changed_inside,
        tf.Variable(X))


def remember(x):
    STATE["x"] = x
    return ()


remembered = custom(tf.square, lambda u: u * 2.0 * STATE["x"], remember)
compare("state in a global dict", lambda x, y: x * x + y * y,
        lambda x, y: remembered(x) + remembered(y), X, X + 1)
compare("second order, NumPy in grad", cube, custom(
    cube, lambda u, x: u * 3.0 * x.numpy() ** 2), X, way=second_order)
compare("second order, stopped local derivative", cube,
        custom(cube, lambda u, local: u * local,
               lambda x: (tf.stop_gradient(3.0 * x * x),)),
        X, way=second_order)
compare("second order, local derivative from forward", cube,
        custom(cube, lambda u, local: u * local,
               lambda x: (3.0 * x * x,)), X, way=second_order)


def sum_over_all(upstream, x):
    y = tf.nn.softmax(x)
    return y * (upstream - tf.reduce_sum(upstream * y))


softmax = custom(tf.nn.softmax, sum_over_all)
compare("sum over all axes", lambda x: tf.nn.softmax(x) ** 2,
        lambda x: softmax(x) ** 2, MATRIX[:, :2])
compare("sum over all axes, mapped", lambda x: tf.nn.softmax(x) ** 2,
        lambda x: softmax(x) ** 2, MATRIX[:, :2], way=map_of_gradients)
reverse = custom(lambda x: 1.0 * x, lambda u, x: -u)
compare("map of gradients", lambda x: -x, reverse, MATRIX,
        way=map_of_gradients)
compare("gradient of a map", lambda x: -x,
        lambda x: tf.vectorized_map(reverse, x), MATRIX)
compare("forward mode", lambda x: -x, reverse, X, way=forward_mode)
branch = custom(tf.square, lambda u, x: (
    u * (2.0 if tf.reduce_sum(x) > 0.0 else -2.0) * x))
compare("Python if in grad", tf.square, branch, X)
narrow = custom(lambda x: 1e-4 * tf.cast(x, tf.float32),
                lambda u, x: tf.cast(u, tf.float16) * 1e-4)
compare("upstream cast to float16", lambda x: 10.0 * tf.cast(x, tf.float32),
        lambda x: 1e5 * narrow(x), X.astype(np.float16))
compare("one input twice", tf.square, lambda x: good_product(x, x), X)
pair = custom(lambda x: (x * x, tf.sqrt(x)),
              lambda u, v, x: u * 2.0 * x + v * 0.5 / tf.sqrt(x))
compare("unused output", tf.square, lambda x: pair(x)[0], X - 1)


def in_place(upstream, x):
    upstream *= 2.0 * x
    return upstream


overwrite = custom(tf.square, in_place)
compare("upstream in place", lambda x, b: 2.0 * b + x * x,
        lambda x, b: 2.0 * b + overwrite(x), X, X)
scale = custom(lambda x, n: x * tf.cast(n, x.dtype),
               lambda u, x, n: (u * tf.cast(n, x.dtype), u * x))
compare("float gradient of an integer", lambda x, n: 3.0 * x, scale,
        X, np.int32(3))
no_conjugate = custom(tf.square, lambda u, z: u * 2.0 * z)
compare("complex, no conjugate", lambda z: tf.math.real(z * z),
        lambda z: tf.math.real(no_conjugate(z)), COMPLEX)
conjugate = custom(tf.square, lambda u, z: u * 2.0 * tf.math.conj(z))
compare("complex, conjugate", lambda z: tf.math.real(z * z),
        lambda z: tf.math.real(conjugate(z)), COMPLEX)
sharpen = custom(lambda x, n: x**n if n > 1.0 else x,
                 lambda u, x, n: (u * n * x ** (n - 1.0), None))
compare("setting in a Python if", cube, lambda x: sharpen(x, 3.0), X)
one_of_two = custom(tf.pow, lambda u, x, n: u * n * x ** (n - 1.0))
compare("setting without a gradient", cube, lambda x: one_of_two(x, 3.0), X)
