"""Deliberately wrong: mistakes in custom gradients, in JAX."""

import re

import jax
import jax.numpy as jnp
import numpy as np

# Without this setting, JAX turns float64 into float32.
jax.config.update("jax_enable_x64", True)
np.set_printoptions(formatter={"all": "{:.4g}".format})

MODES = {"eager": lambda function: function, "jit": jax.jit}
X = np.array([1, 2, 3], np.float32)
MATRIX = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
FACTOR = np.float32(2)
COMPLEX = np.array([1 + 2j, 3j], np.complex64)
STATE = {}


def outcome(gradient, right):
    """Compare the arrays that `gradient` returns with the right ones."""
    try:
        arrays = [np.asarray(array) for array in gradient()]
    except Exception as error:
        line = re.sub(r" at (0x|/)\S+", "", str(error).splitlines()[0])
        return f"raises {type(error).__name__}: {line[:90].strip()}"
    for array, expected in zip(arrays, map(np.asarray, right), strict=True):
        if array.shape != expected.shape:
            return f"silent: shape {array.shape}, not {expected.shape}"
        if array.dtype != expected.dtype:
            return f"silent: {array.dtype}, not {expected.dtype}"
        if not np.allclose(array, expected):
            return " ".join(f"silent: {array}, not {expected}".split())
    return "right"


def custom(function, gradient, saved=lambda *inputs: inputs):
    """Return `function` with a gradient of upstream and what is saved."""
    result = jax.custom_vjp(function)
    result.defvjp(lambda *inputs: (result(*inputs), saved(*inputs)),
                  lambda residuals, upstream: gradient(upstream, *residuals))
    return result


def first_order(wrap, function, *inputs):
    def loss(*inputs):
        return jnp.sum(3.0 * function(*inputs))

    floats = [i for i, each in enumerate(inputs) if each.dtype.kind in "fc"]
    return wrap(jax.grad(loss, floats))(*inputs)


def second_order(wrap, function, x):
    slope = jax.grad(lambda x: jnp.sum(x * function(x)))
    return [wrap(jax.grad(lambda x: jnp.sum(slope(x))))(x)]


def forward_mode(wrap, function, x):
    tangent = np.full_like(x, 3.0)
    return [wrap(lambda x: jax.jvp(function, (x,), (tangent,))[1])(x)]


def map_of_gradients(wrap, function, x):
    gradient = jax.grad(lambda row: jnp.sum(3.0 * function(row)))
    return [wrap(jax.vmap(gradient))(x)]


def changed_between(wrap, function, x):
    x = np.array(x)
    y, pullback = wrap(lambda x: jax.vjp(function, x))(x)
    x += 1.0
    return pullback(jnp.full_like(y, 3.0))


def compare(name, plain=None, wrong=None, *inputs, way=first_order):
    """Print what each mode makes of a mistake, or a dash without one."""
    for mode, wrap in MODES.items():
        result = "–"
        if plain is not None:
            arrays = [jnp.asarray(array) for array in inputs]
            right_way = first_order if way is changed_between else way
            right = right_way(MODES["eager"], plain, *arrays)
            result = outcome(lambda: way(wrap, wrong, *arrays), right)
        print(name, "|", mode, "|", result)


def product(x, y):
    return x * y


def cube(x):
    return x**3


good_square = custom(jnp.square, lambda u, x: (u * 2.0 * x,))
good_product = custom(product, lambda u, x, y: (u * y, u * x))

compare("no upstream", jnp.square,
        custom(jnp.square, lambda u, x: (2.0 * x,)), X)
compare("no sum over a broadcast axis", product, good_product, X, MATRIX)
compare("transposed gradient", jnp.matmul,
        custom(jnp.matmul, lambda u, x, w: (w @ u.T, x.T @ u)),
        MATRIX, MATRIX.T)
compare("float64 for a float32 input", jnp.square,
        custom(jnp.square, lambda u, x: ((u * 2.0 * x).astype(float),)), X)
compare("one gradient too few", product,
        custom(product, lambda u, x, y: (u * y,)), X, X)
compare("one gradient too many", jnp.square,
        custom(jnp.square, lambda u, x: (u * 2.0 * x, u)), X)
compare("None for an input", product,
        custom(product, lambda u, x, y: (None, u * x)), X, X)
compare("captured tensor", lambda x, w: w * x * x, lambda x, w: custom(
    lambda x: w * x * x, lambda u, x: (u * 2.0 * w * x,))(x), X, FACTOR)
compare("captured variable")  # JAX has no variables.


def changed_inside(x):
    y = good_square(x)
    x += 1.0
    return y


compare("input changes after the call", jnp.square, good_square,
        X, way=changed_between)
compare("input changes in the same function", jnp.square, changed_inside, X)


def remember(x):
    STATE["x"] = x
    return ()


remembered = custom(jnp.square, lambda u: (u * 2.0 * STATE["x"],), remember)
compare("state in a global dict", lambda x, y: x * x + y * y,
        lambda x, y: remembered(x) + remembered(y), X, X + 1)
compare("second order, NumPy in grad", cube,
        custom(cube, lambda u, x: (u * 3.0 * np.asarray(x) ** 2,)),
        X, way=second_order)
compare("second order, stopped local derivative", cube,
        custom(cube, lambda u, local: (u * local,),
               lambda x: (jax.lax.stop_gradient(3.0 * x * x),)),
        X, way=second_order)
compare("second order, local derivative from forward", cube,
        custom(cube, lambda u, local: (u * local,),
               lambda x: (3.0 * x * x,)), X, way=second_order)


def sum_over_all(upstream, x):
    y = jax.nn.softmax(x)
    return (y * (upstream - jnp.sum(upstream * y)),)


softmax = custom(lambda x: jax.nn.softmax(x), sum_over_all)
compare("sum over all axes", lambda x: jax.nn.softmax(x) ** 2,
        lambda x: softmax(x) ** 2, MATRIX[:, :2])
compare("sum over all axes, mapped", lambda x: jax.nn.softmax(x) ** 2,
        lambda x: softmax(x) ** 2, MATRIX[:, :2], way=map_of_gradients)
reverse = custom(lambda x: 1.0 * x, lambda u, x: (-u,))
compare("map of gradients", lambda x: -x, reverse, MATRIX,
        way=map_of_gradients)
compare("gradient of a map", lambda x: -x, jax.vmap(reverse), MATRIX)
compare("forward mode", lambda x: -x, reverse, X, way=forward_mode)
branch = custom(jnp.square, lambda u, x: (
    u * (2.0 if jnp.sum(x) > 0.0 else -2.0) * x,))
compare("Python if in grad", jnp.square, branch, X)
narrow = custom(lambda x: 1e-4 * x.astype(jnp.float32),
                lambda u, x: (u.astype(jnp.float16) * jnp.float16(1e-4),))
compare("upstream cast to float16", lambda x: 10.0 * x.astype(jnp.float32),
        lambda x: 1e5 * narrow(x), X.astype(np.float16))
compare("one input twice", jnp.square, lambda x: good_product(x, x), X)
pair = custom(lambda x: (x * x, jnp.sqrt(x)),
              lambda u, x: (u[0] * 2.0 * x + u[1] * 0.5 / jnp.sqrt(x),))
compare("unused output", jnp.square, lambda x: pair(x)[0], X - 1)


def in_place(upstream, x):
    upstream *= 2.0 * x
    return (upstream,)


overwrite = custom(jnp.square, in_place)
compare("upstream in place", lambda x, b: 2.0 * b + x * x,
        lambda x, b: 2.0 * b + overwrite(x), X, X)
compare("float gradient of an integer", product,
        custom(product, lambda u, x, n: (u * n, u * x)), X, np.int32(3))
no_conjugate = custom(jnp.square, lambda u, z: (u * 2.0 * z,))
compare("complex, no conjugate", lambda z: jnp.real(z * z),
        lambda z: jnp.real(no_conjugate(z)), COMPLEX)
conjugate = custom(jnp.square, lambda u, z: (u * 2.0 * jnp.conj(z),))
compare("complex, conjugate", lambda z: jnp.real(z * z),
        lambda z: jnp.real(conjugate(z)), COMPLEX)
sharpen = custom(lambda x, n: x**n if n > 1.0 else x,
                 lambda u, x, n: (u * n * x ** (n - 1.0), None))
compare("setting in a Python if", cube, lambda x: sharpen(x, 3.0), X)
one_of_two = custom(lambda x, n: x**n,
                    lambda u, x, n: (u * n * x ** (n - 1.0),))
compare("setting without a gradient", cube, lambda x: one_of_two(x, 3.0), X)
