"""Promise: vjpcheck passes the tests that PyTorch and JAX wrote for their checkers, as far
as TensorFlow can express them.

Each test has the name of theirs and states the same demand with a program of our own. The
revisions that were read, in November 2026:

- PyTorch 5c322af10e52e4d236104ceefd542f34e6dcf20a, ``test/test_autograd.py``: the tests
  named ``test_gradcheck_…``, without those of options that ``check_grads`` doesn't have
  (batched, repeated and masked gradients), of layouts and of MKL-DNN.
- JAX cec06d116c05f0d52adfceee3d3b730fdbcb0ce5. ``check_grads`` has no test of its own
  there, so these are tests that call it, about custom derivatives, activations, control
  flow and singular points.

Where our checker gives another answer, the name of the test ends in ``_differs``: it is
undecided where nothing is differentiable or finite, and it checks a sparse output.
"""

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import GradientError, Undecided, check_grads

pytestmark = pytest.mark.tools

T = tf.linalg.matrix_transpose
RNG = np.random.default_rng(7)
TEN, SQUARE = RNG.standard_normal(10), RNG.standard_normal([3, 3])
V, PAIR = RNG.standard_normal(3), RNG.standard_normal(2)
A, B, C, D, E = (RNG.standard_normal([2, 2]) for _ in range(5))
REV, FWD = {"order": 1, "modes": ["rev"]}, {"order": 1, "modes": ["fwd"]}
REV2, FWD2 = {"modes": ["rev"]}, {"modes": ["fwd"]}


def custom(values, gradient):
    """Return a function whose gradient depends only on the upstream gradient."""
    return tf.custom_gradient(lambda x: (values(x), gradient))


def sparse(values=(0.4, -1.2)):
    return tf.SparseTensor([[0, 1], [1, 0]], tf.constant(values, tf.float64), [2, 2])


def offset(values, gradient=lambda up: up):
    """Return a function whose gradient is 0.01 too large for any upstream gradient."""
    return custom(values, lambda up: gradient(up) + 0.01)


def passes(f, *args, **options):
    assert check_grads(f, args, **options).compared


def fails(f, *args, match=None, error=GradientError, **options):
    with pytest.raises(error, match=match):
        check_grads(f, args, **options)


# PyTorch, test/test_autograd.py.


def test_gradcheck_single_input():
    passes(lambda x: 5.0 * x, TEN)


def test_gradcheck_input():
    passes(tf.sparse.reduce_sum, sparse(), **REV)
    passes(tf.sparse.to_dense, sparse(), **REV)


def test_gradcheck_validates_inputs_differs():
    fails(tf.identity, tf.range(3), error=Undecided)
    passes(tf.identity, tf.ones([1]))


def test_gradcheck_test_outputs_differs():
    for factor, check in ((2.0, passes), (1.0, fails)):
        scaled = custom(lambda x: 2.0 * x, lambda up, factor=factor: factor * up)
        check(lambda s, f=scaled: s.with_values(f(s.values)), sparse(), **REV)


def test_gradcheck_check_no_differentiable_outputs_differs():
    fails(lambda x: tf.constant(x.numpy()), np.ones(1))
    fails(lambda x: (), np.ones(1), error=Undecided, match="no output")


def test_gradcheck_backward_mul_by_grad_output():
    fails(offset(tf.identity), np.ones(1), **REV)


def test_gradcheck_jacobian_mismatch():
    real, both = np.ones([2, 2]), np.ones([2, 2], np.complex128)
    for values, gradient, x in (
        (tf.identity, tf.identity, real),
        (tf.identity, tf.identity, both),
        (
            lambda x: tf.complex(x, x),
            lambda up: tf.math.real(up) + tf.math.imag(up),
            real,
        ),
        (tf.math.real, lambda up: tf.cast(up, tf.complex128), both),
    ):
        passes(custom(values, gradient), x, **REV)
        fails(offset(values, gradient), x, match="the gradient", **REV)


def test_gradcheck_dense_and_sparse_inputs():
    passes(lambda x, y: x * tf.sparse.to_dense(y), SQUARE[:2, :2], sparse(), **REV)


def test_gradcheck_output_shape_or_dtype_depend_on_values():
    longer = lambda x: tf.concat([x, x], 0) if np.all(x >= 1) else x  # noqa: E731
    narrower = lambda x: tf.cast(x, tf.float32) if np.all(x >= 1) else x  # noqa: E731
    for function in (longer, narrower):
        fails(function, np.ones(1), error=Undecided)


def test_gradcheck_complex_non_complex_outputs():
    ones = np.ones([2, 2])
    passes(lambda x, y: (tf.complex(x, y), x + 1.0), ones, ones, order=1)
    passes(lambda z: (z, tf.math.real(z)), ones.astype(np.complex128), order=1)


def test_gradcheck_adjusted_atol_complex_inputs():
    def inverse_length(z):
        return 1.0 / tf.sqrt(tf.reduce_sum(tf.math.real(z * tf.math.conj(z))))

    z = 0.01 * (RNG.random(2) + 1j * RNG.random(2))
    passes(inverse_length, z, atol=8.3e-6, rtol=1e-9, order=1)


def test_gradcheck_custom_error():
    def raising(x):
        raise RuntimeError("not an error of the checker")

    fails(offset(tf.identity), np.ones([2, 2]), match="the gradient")
    fails(raising, TEN, match="not an error of the checker")


def in_numpy(factor, gradient):
    """Forward mode can't look inside, and calls the gradient function."""
    function = lambda x: tf.numpy_function(lambda x: factor * x, [x], x.dtype)  # noqa: E731
    return custom(lambda x: tf.ensure_shape(function(x), x.shape), gradient)


def test_gradcheck_forward_ad():
    passes(lambda x, y: (x + y, y), PAIR, PAIR)
    passes(lambda x: tf.math.imag(1j * tf.complex(x, 0.0 * x)), PAIR)
    fails(in_numpy(1.0, lambda up: 1.1 * up), PAIR, match="fwd: ", **FWD)


@pytest.mark.parametrize("modes", [["fwd"], ["rev"], ["fwd", "rev"]])
def test_gradcheck_check_forward_or_backward_only(modes):
    right = in_numpy(2.0, lambda up: 2.0 * up)
    # Forward mode differentiates the gradient function, and finds nothing in NumPy.
    bad_forward = in_numpy(2.0, lambda up: tf.constant(2.0 * up.numpy()))
    # Forward mode takes the multiplication, and not the gradient function.
    bad_backward = custom(lambda x: 2.0 * x, lambda up: 3.0 * up)
    passes(right, PAIR, modes=modes, order=1)
    for bad, mode in ((bad_forward, "fwd"), (bad_backward, "rev")):
        (fails if mode in modes else passes)(bad, PAIR, modes=modes, order=1)


# JAX, tests/core_test.py: test_jvp and test_vjp, of the functions of test_specs.


def closure(x):
    return tf.function(lambda y, z: x * x * tf.sin(y) * z)(x, tf.cos(x)) + x


def structures(x, y):
    first, (second, third) = y
    return tf.sin(x["a"] + second), [x["b"], (first, third)]


def two_calls(x):
    return tf.function(tf.sin)(x) + tf.function(tf.cos)(x)


def test_jvp_and_vjp():
    for f in (tf.function(tf.sin), two_calls, closure, tf.function(closure)):
        passes(f, A, order=1)
    passes(structures, {"a": A, "b": B}, (C, (D, E)), order=1)


# JAX, tests/custom_linear_solve_test.py.


def solver(factorize):
    """Return a function that solves, and whose gradient function solves with it."""

    @tf.custom_gradient
    def function(a, b):
        x = tf.stop_gradient(factorize(a, b[:, None])[:, 0])

        def grad(up):
            adjoint = function(tf.linalg.adjoint(a), up)
            return -adjoint[:, None] * tf.math.conj(function(a, b)), adjoint

        return x, grad

    return function


def by_cholesky(a, b):
    return tf.linalg.cholesky_solve(tf.linalg.cholesky(a), b)


def by_lu(a, b):
    return tf.linalg.lu_solve(*tf.linalg.lu(a), b)


def positive(a):
    return a @ T(a)


solve = solver(tf.linalg.solve)


@pytest.mark.parametrize(
    "f, args, options",
    [
        (solve, (SQUARE, V), REV2),
        (solve, (SQUARE + SQUARE.T, V), REV2),
        (lambda a, b: solver(by_cholesky)(positive(a), b), (A, PAIR), REV2),
        (solve, ((A + 1j * B) / 2, (PAIR + 1j * V[:2]) / 2), REV2),
        (solver(by_lu), (SQUARE, V), REV2),
        (tf.function(solver(by_lu)), (SQUARE, V), REV),
        (tf.recompute_grad(solve), (SQUARE + SQUARE.T, V), REV),
    ],
)
def test_custom_linear_solve(f, args, options):
    """Theirs have suffixes: _cholesky, _complex, _lu, _new_remat."""
    passes(f, *args, **options)


def test_custom_linear_solve_zeros():
    passes(lambda a: solve(a, V), SQUARE, **REV2)
    passes(lambda b: solve(SQUARE, b), V, **REV2)


def test_custom_linear_solve_without_transpose_solve():
    def missing(up):
        raise TypeError("no solver for the transpose")

    forward_only = tf.custom_gradient(lambda a, b: (solve(a, b), missing))
    fails(forward_only, A, PAIR, match="no solver for the transpose", **REV)


# JAX, tests/custom_root_test.py.


def jacobian(tape, y, x):
    rows = tape.jacobian(y, x, experimental_use_pfor=False)
    return tf.reshape(rows, [tf.size(y), tf.size(x)])


def root(f, exact):
    """Return the x for which f(x, p) is zero, as a function of p."""

    @tf.custom_gradient
    def function(p):
        def grad(up):
            with tf.GradientTape(persistent=True) as tape:
                at = function(p)
                tape.watch([at, p])
                y = f(at, p)
            w = solve(T(jacobian(tape, y, at)), tf.reshape(up, [-1]))
            return -tape.gradient(y, p, tf.reshape(w, y.shape))

        return tf.stop_gradient(exact(p)), grad

    return function


def test_custom_root_scalar():
    f = root(lambda x, p: x**2 - p**3, lambda p: p**1.5)
    passes(f, np.float64(5), **REV2)


def test_custom_root_vector():
    f = lambda x, p: tf.linalg.matvec(p[:, :2], x) - p[:, 2]  # noqa: E731
    exact = lambda p: tf.linalg.solve(p[:, :2], p[:, 2:])[:, 0]  # noqa: E731
    passes(root(f, exact), np.hstack([A, PAIR[:, None]]), **REV2)


# JAX, tests/nn_test.py, lax_control_flow_test.py, lax_scipy_test.py, lax_numpy_test.py,
# linalg_test.py and api_test.py.


def squareplus(x):
    return (x + tf.sqrt(x * x + 4.0)) / 2


def sparse_plus(x):
    inside = (x + 1.0) ** 2 / 4
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x >= 1, x, inside))


def mish(x):
    return x * tf.tanh(tf.nn.softplus(x))


def log1mexp(x):
    small, one = x < np.log(2), tf.ones_like(x)
    near = tf.math.log(-tf.math.expm1(-tf.where(small, x, one)))
    return tf.where(small, near, tf.math.log1p(-tf.exp(-tf.where(small, one, x))))


def cond(x):
    return tf.cond(x < 3.0, lambda: 3.0 * x, lambda: tf.sin(x))


def switch(x):
    branches = [lambda: 3.0 * x, lambda: tf.sin(x), lambda: -x]
    return tf.switch_case(tf.cast(tf.clip_by_value(x, 0, 2), tf.int32), branches)


def scan(c, rows):
    def step(c, row):
        return 0.9 * tf.cos(0.75 * tf.reduce_sum(tf.sin(c * row)))

    return tf.scan(step, rows, initializer=c)


def loop(x):
    [y] = tf.while_loop(lambda y: y[0, 2] <= 8, lambda y: [y * y], [x])
    return y


@tf.custom_gradient
def determinant(a):
    """Return it by rows, because singular matrices have cofactors."""
    x, y, z = tf.unstack(a)
    cross = tf.linalg.cross

    def grad(up):
        return up * tf.stack([cross(y, z), cross(z, x), cross(x, y)])

    return tf.reduce_sum(x * cross(y, z)), grad


CORANK_1 = np.array([[50.0, -30, 45], [-30, 90, -81], [45, -81, 81]])
CORANK_2 = np.array([[36.0, -42, 18], [-42, 49, -21], [18, -21, 9]])
LOGITS = np.array([5.5, 1.3, -4.2, 0.9])
ORDER_4 = {"modes": ["rev"], "order": 4}
OF_TESTS: dict[str, list[tuple]] = {
    "softplus_grad": [(tf.nn.softplus, 1e-8, ORDER_4), (tf.nn.softplus, 0.0, FWD2)],
    "squareplus_grad": [(squareplus, 1e-8, ORDER_4), (squareplus, 0.0, FWD2)],
    "mish_grad": [(mish, 1e-8, ORDER_4), (mish, 0.0, FWD)],
    "sparseplus_grad": [(sparse_plus, 0.0, REV2), (sparse_plus, -2.0, FWD)],
    "relu_grad": [(tf.nn.relu, 1.0, ORDER_4), (tf.nn.relu6, -1.0, FWD2)],
    "elu_grad": [(tf.nn.elu, 1e4, ORDER_4 | {"eps": 1.0})],
    "softmax_grad": [(tf.nn.softmax, LOGITS, REV2)],
    "log1m_exp_grad": [(log1mexp, np.array([1e-2, 1e-1, 1.0, 10.0, 100.0]), REV2)],
    "cond_grad": [
        (f, x, REV2) for f in (cond, tf.function(cond)) for x in (2.72, 3.14)
    ],
    "cond_jvp": [(cond, 2.72, FWD2), (tf.function(cond), 3.14, FWD)],
    "switch_grad": [(f, 1.7, REV2) for f in (switch, tf.function(switch))],
    "scan_grad": [(lambda c: scan(c, TEN[:6].reshape(3, 2)), 1.0, REV2)],
    "while_jvp": [(loop, np.arange(9.0).reshape(3, 3), FWD)],
    "xlogx": [(lambda x: tf.math.xlogy(x, x), np.abs(SQUARE), REV2)],
    "op_grad_special_value": [
        *[(tf.asinh, x, REV2) for x in (0.0, 1000.0)],
        *[(tf.acosh, 1000.0, REV2), (tf.atanh, 0.0, REV2)],
    ],
    "det_grad_of_singular_matrix": [
        (determinant, a, REV) for a in (np.zeros([3, 3]), CORANK_1, CORANK_2)
    ],
    "det_grad": [(f, SQUARE, REV2) for f in (determinant, tf.linalg.det)],
    "remat_of_cond": [(tf.recompute_grad(cond), 3.14, REV)],
}


@pytest.mark.parametrize("name", OF_TESTS)
def test_of_jax(name):
    for f, x, options in OF_TESTS[name]:
        passes(f, np.float64(x), **options)


@pytest.mark.parametrize("x", [-np.inf, np.nan])
def test_softplus_grad_differs(x):
    """Theirs are testSoftplusGradNegInf and testSoftplusGradNan."""
    fails(tf.nn.softplus, x, error=Undecided, match="not all arguments are finite")


@pytest.mark.parametrize("f", [tf.math.xlogy, tf.math.xlog1py])
def test_grad_of_xlogy_at_zero(f):
    """TensorFlow's own gradient is 0 at x = 0, where f(1, y) is right."""

    @tf.custom_gradient
    def right(x, y):
        shift = 1.0 if f is tf.math.xlog1py else 0.0
        return f(x, y), lambda up: (up * f(tf.ones_like(x), y), up * x / (y + shift))

    passes(right, np.float64(0), np.float64(3), **REV2)
    fails(f, np.float64(0), np.float64(3), match="respect to x is 0", **REV)
