"""Promise: vjpcheck passes the tests that PyTorch and JAX wrote for their checkers, as far
as TensorFlow can express them.

Each test has the name of theirs and states the same demand with a program of our own. The
revisions that were read, in November 2026:

- PyTorch 5c322af10e52e4d236104ceefd542f34e6dcf20a, ``test/test_autograd.py``, all tests
  named ``test_gradcheck_…``. None is named ``test_gradgradcheck_…``: their second
  derivatives are parts of these tests.
- JAX cec06d116c05f0d52adfceee3d3b730fdbcb0ce5. ``check_grads`` has no test of its own
  there, so these are tests that call it. The files about custom derivatives are complete.

Where our checker gives another answer, the test asserts that answer, and its name ends in
``_differs``:

- A function without a differentiable output, and inputs that are infinite or NaN: theirs
  pass, and ours is undecided, because nothing can be compared.
- A sparse output: PyTorch refuses it, and ours checks it.
- No input that needs a gradient: PyTorch raises a ``ValueError`` in any case, and ours
  returns a problem if ``raise_exception=False``.
- Inputs in float32: PyTorch warns. Ours takes the differences in float64.

These tests can't be expressed:

======================================================= ================================
PyTorch                                                 Why
======================================================= ================================
test_gradcheck_input, other layouts than COO            TensorFlow has only COO
test_gradcheck_validates_inputs, strides of 0           tensors have no strides
test_gradcheck_validates_inputs, ``masked``             no such option
test_gradcheck_validates_input_mkldnn                   no MKL-DNN layout
test_gradcheck_multiple_mkldnn_inputs                   no MKL-DNN layout
test_gradcheck_test_outputs, MKL-DNN                    no MKL-DNN layout
test_gradcheck_backward_mul_by_grad_output, layouts     a sparse gradient becomes dense
test_gradcheck_get_numerical_jacobian                   a deprecated private function
test_gradcheck_get_analytical_jacobian                  a deprecated private function
test_gradcheck_forward_ad, a wrong tangent alone        no custom forward mode
test_gradcheck_forward_ad, complex                      forward mode is real
test_gradcheck_forward_ad_runs_with_no_requires_grad    tensors have no ``requires_grad``
test_gradcheck_forward_ad_respects_requires_grad        tensors have no ``requires_grad``
test_gradcheck_forward_ad_batched_grad, random numbers  forward mode isn't batched
======================================================= ================================

======================================================= ================================
JAX                                                     Why
======================================================= ================================
core_test: test_jvp_linearized                          no counterpart of ``linearize``
core_test: fun_with_nested_calls_2                      a forward mode inside a function
nn_test: forward mode above order 2                     takes minutes in TensorFlow
forward mode of order 2 after other functions           TensorFlow's may be wrong then, as
                                                        in test_mish_grad
nn_test: …NegInf, …Nan of squareplus and mish           as testSoftplusGradNegInf, …Nan
api_test: remat with a policy, or of order 2            ``tf.recompute_grad`` has neither
custom_linear_solve_test: lu, in forward mode           TensorFlow has no derivative
custom_linear_solve_test: lu, second order under jit    ``grad`` reads a tensor of the graph
lax_control_flow_test: forward mode of scan and of two  forward mode raises in a graph
  branches, under jit
…: without_transpose_solve, in forward mode             forward mode calls ``grad``, too
lax_numpy_test: testGradLdexp, testGradFrexp            no such functions
batching, pmap, shard_map, pjit, ragged_collective      collectives
mutable_array, memories, pallas, experimental_rnn       no such feature
ode_test, sparse_test, ann_test                         no such function in TensorFlow
the others of linalg, lax, lax_numpy, fft, lax_autodiff tests of operations, not of a
                                                        checker or a custom derivative
======================================================= ================================
"""

from functools import partial

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import check_grads

pytestmark = pytest.mark.tools

T = tf.linalg.matrix_transpose
FAST = pytest.mark.parametrize("fast", [True, False])
RNG = np.random.default_rng(7)
TEN, SQUARE = RNG.standard_normal(10), RNG.standard_normal([3, 3])
V, W, PAIR = (RNG.standard_normal(n) for n in (3, 3, 2))
SINE = tf.custom_gradient(lambda x: (tf.sin(x), lambda up: up * tf.cos(x)))


def sparse(values=(0.4, -1.2)):
    return tf.SparseTensor([[0, 1], [1, 0]], tf.constant(values, tf.float64), [2, 2])


def offset(values, gradient=lambda up: up):
    """Its gradient is 0.01 too large, whatever the upstream gradient is."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda up: gradient(up) + 0.01

    return function


def passes(f, *args, **options):
    assert check_grads(f, args, **options).compared


def fails(f, *args, undecided=False, match=None, **options):
    """With an exception, and as a result."""
    with pytest.raises(AssertionError, match=match):
        check_grads(f, args, **options)
    result = check_grads(f, args, raise_exception=False, **options)
    assert not result
    assert result.undecided == undecided


REV = {"modes": ["rev"]}
FWD = {"modes": ["fwd"]}


# --- PyTorch, test/test_autograd.py: the tests from test_gradcheck_single_input on.


@FAST
def test_gradcheck_single_input(fast):
    passes(lambda x: 5.0 * x, TEN, order=2, fast=fast)


@FAST
def test_gradcheck_input(fast):
    passes(tf.sparse.reduce_sum, sparse(), fast=fast, **REV)


@FAST
def test_gradcheck_nondeterministic(fast):
    def jittered(size):
        @tf.custom_gradient
        def function(x):
            def grad(up):
                noise = size * tf.random.uniform(up.shape, dtype=up.dtype)
                return function(up) * (1.0 + noise)

            return tf.identity(x), grad

        return function

    x = np.reshape(RNG.standard_normal(25), [5, 5])
    again = {"match": "repeated, the backward pass", "fast": fast, **REV}
    passes(jittered(0.0), x, fast=fast, **REV)
    fails(jittered(1e-6), x, **again)
    fails(jittered(1e-12), x, order=2, **again)
    for size, order in ((0.0, 1), (1e-6, 1), (1e-12, 2)):
        passes(jittered(size), x, order=order, nondet_tol=1e-5, fast=fast, **REV)


@FAST
def test_gradcheck_validates_inputs(fast):
    passes(tf.sparse.to_dense, sparse(), fast=fast, **REV)


@FAST
def test_gradcheck_validates_inputs_differs(fast):
    fails(tf.identity, tf.range(3), undecided=True, fast=fast)
    passes(tf.identity, tf.ones([1]), fast=fast)


@FAST
def test_gradcheck_test_outputs_differs(fast):
    scaled = tf.custom_gradient(lambda x: (2.0 * x, lambda up: 2.0 * up))
    wrong = tf.custom_gradient(lambda x: (2.0 * x, lambda up: up))
    for function, check in ((scaled, passes), (wrong, fails)):
        check(
            lambda s, f=function: s.with_values(f(s.values)),
            sparse(),
            fast=fast,
            **REV,
        )


@FAST
def test_gradcheck_check_no_differentiable_outputs(fast):
    fails(lambda x: tf.constant(x.numpy()), np.ones(1), fast=fast)


@FAST
def test_gradcheck_check_no_differentiable_outputs_differs(fast):
    fails(lambda x: (), np.ones(1), undecided=True, match="no output", fast=fast)


@FAST
def test_gradcheck_check_batched_grad(fast):
    eager = tf.custom_gradient(lambda x: (2.0 * x, lambda up: 2.0 * up.numpy()))
    passes(eager, TEN, fast=fast, **REV)
    fails(eager, TEN, batched=True, match="vectorized_map", fast=fast, **REV)


@FAST
def test_gradcheck_backward_mul_by_grad_output(fast):
    fails(offset(tf.identity), np.ones(1), atol=0.1, fast=fast, **REV)


@FAST
def test_gradcheck_undefined_grad(fast):
    @tf.custom_gradient
    def both(x):
        def grad(one, other):
            if not np.any(other):
                raise ValueError("the second output isn't used")
            return one + other

        return (tf.identity(x), tf.identity(x)), grad

    match = "if only output 0 is used, it raises ValueError"
    fails(both, np.ones(1), match=match, fast=fast, **REV)


@FAST
def test_gradcheck_jacobian_mismatch(fast):
    real, both = np.ones([2, 2]), np.ones([2, 2], np.complex128)
    double = lambda x: tf.complex(x, x)  # noqa: E731
    summed = lambda up: tf.math.real(up) + tf.math.imag(up)  # noqa: E731
    widened = lambda up: tf.cast(up, tf.complex128)  # noqa: E731
    for values, gradient, x in (
        (tf.identity, tf.identity, real),
        (tf.identity, tf.identity, both),
        (double, summed, real),
        (tf.math.real, widened, both),
    ):
        right = tf.custom_gradient(lambda x, v=values, g=gradient: (v(x), g))
        passes(right, x, fast=fast, **REV)
        fails(offset(values, gradient), x, match="the gradient", fast=fast, **REV)


@FAST
def test_gradcheck_dense_and_sparse_inputs(fast):
    product = lambda x, y: x * tf.sparse.to_dense(y)  # noqa: E731
    passes(product, SQUARE[:2, :2], sparse(), fast=fast, **REV)


@FAST
def test_gradcheck_output_shape_or_dtype_depend_on_values(fast):
    def longer(x):
        return tf.concat([x, x], 0) if np.all(x >= 1) else x

    def narrower(x):
        return tf.cast(x, tf.float32) if np.all(x >= 1) else x

    for function in (longer, narrower):
        fails(function, np.ones(1), undecided=True, fast=fast)


def test_gradcheck_complex_non_complex_outputs():
    ones = np.ones([2, 2])
    passes(lambda x, y: (tf.complex(x, y), x + 1.0), ones, ones)
    passes(lambda z: (z, tf.math.real(z)), ones.astype(np.complex128))


@FAST
def test_gradcheck_adjusted_atol_complex_inputs(fast):
    def inverse_length(z):
        return 1.0 / tf.sqrt(tf.reduce_sum(tf.math.real(z * tf.math.conj(z))))

    z = 0.01 * (RNG.random(2) + 1j * RNG.random(2))
    passes(inverse_length, z, atol=8.3e-6, rtol=1e-9, fast=fast)


@FAST
def test_gradcheck_custom_error(fast):
    def raising(x):
        raise RuntimeError("not an error of the checker")

    fails(offset(tf.identity), np.ones([2, 2]), match="the gradient", fast=fast)
    with pytest.raises(RuntimeError, match="not an error of the checker"):
        check_grads(raising, (TEN,), raise_exception=False, fast=fast)


def in_numpy(factor, gradient):
    """Forward mode can't look inside, and calls the gradient function."""

    @tf.custom_gradient
    def function(x):
        y = tf.numpy_function(lambda x: factor * x, [x], x.dtype)
        return tf.ensure_shape(y, x.shape), gradient

    return function


@FAST
def test_gradcheck_forward_ad(fast):
    passes(lambda x, y: (x + y, y), PAIR, PAIR, fast=fast)
    as_real = lambda x: tf.math.imag(1j * tf.complex(x, 0.0 * x))  # noqa: E731
    passes(as_real, PAIR, fast=fast)
    fails(in_numpy(1.0, lambda up: 1.1 * up), PAIR, match="fwd: ", fast=fast)


@FAST
@pytest.mark.parametrize("modes", [["fwd"], ["rev"], ["fwd", "rev"]])
def test_gradcheck_check_forward_or_backward_only(fast, modes):
    right = in_numpy(2.0, lambda up: 2.0 * up)
    # Forward mode differentiates the gradient function, and finds nothing in NumPy.
    bad_forward = in_numpy(2.0, lambda up: tf.constant(2.0 * up.numpy()))
    # Forward mode takes the multiplication, and not the gradient function.
    bad_backward = tf.custom_gradient(lambda x: (2.0 * x, lambda up: 3.0 * up))
    passes(right, PAIR, modes=modes, fast=fast)
    for bad, mode in ((bad_forward, "fwd"), (bad_backward, "rev")):
        check = fails if mode in modes else passes
        # A repeated backward pass belongs to reverse mode.
        tol = {} if "rev" in modes else {"nondet_tol": None}
        check(bad, PAIR, modes=modes, fast=fast, **tol)


def test_gradcheck_forward_ad_batched_grad():
    passes(lambda x, n: (tf.identity(x), x + n), PAIR, 1, **FWD)
    passes(lambda x, unused: tf.identity(x), PAIR, PAIR, **FWD)


# --- JAX, tests/core_test.py: test_jvp and test_vjp, of the functions of test_specs.


def closure(x):
    return tf.function(lambda y, z: x * x * tf.sin(y) * z)(x, tf.cos(x)) + x


def nested(x):
    @tf.function
    def outer(y):
        shifted = tf.sin(y) + 1.0 + 2.0 * x
        inner = tf.function(lambda z: shifted * z * x + x * y)
        return inner(y)

    return outer(x)


def structures(x, y):
    first, (second, third) = y
    return tf.sin(x["a"] + second), [x["b"], (first, third)]


A, B, C, D, E = (RNG.standard_normal([2, 2]) for _ in range(5))
SPECS = {
    "product": (lambda x, y: tf.sin(x * y), (A, B)),
    "used twice": (lambda x, y: tf.sin(x * y) * x, (A, B)),
    "structures": (structures, ({"a": A, "b": B}, (C, (D, E)))),
    "call": (tf.function(tf.sin), (A,)),
    "two calls": (lambda x: tf.function(tf.sin)(x) + tf.function(tf.cos)(x), (A,)),
    "closure": (closure, (A,)),
    "captured": (lambda x: tf.function(lambda z: x * z)(x), (V[:1],)),
    "nested, of a number": (nested, (0.4,)),
    "nested": (nested, (A,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("jit", [False, True])
def test_jvp(name, jit):
    f, args = SPECS[name]
    passes(tf.function(f) if jit else f, *args, **FWD)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("jit", [False, True])
def test_vjp(name, jit):
    f, args = SPECS[name]
    passes(tf.function(f) if jit else f, *args, **REV)


# --- JAX, tests/custom_api_test.py.


@pytest.mark.slow
def test_custom_vjp_scan_batching_edge_case():
    @tf.custom_gradient
    def times(x, factor):
        return x * factor, lambda up: (up * factor, tf.reduce_sum(up * x))

    def repeated(x, factor):
        for _ in range(3):
            x = times(x, factor)
        return x

    batched = lambda x, c: tf.vectorized_map(lambda row: repeated(row, c), x)  # noqa: E731
    passes(batched, np.reshape(TEN[:6], [3, 2]), ONE, order=2, fast=True, **REV)


def test_closure_with_vmap2():
    def summed(z):
        def one(x):
            @tf.custom_gradient
            def times(y):
                return x * y, lambda up: x * up

            return times(z)

        return tf.reduce_sum(tf.vectorized_map(one, tf.range(3.0)))

    passes(summed, np.float32(3.14), **REV)


# --- JAX, tests/custom_linear_solve_test.py.


@tf.custom_gradient
def solve(a, b):
    x = tf.linalg.solve(a, b[:, None])[:, 0]

    def grad(up):
        adjoint = solve(tf.linalg.adjoint(a), up)
        return -adjoint[:, None] * tf.math.conj(x), adjoint

    return x, grad


def positive(a):
    return a @ T(a)


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [False, True])
def test_custom_linear_solve(symmetric):
    passes(solve, SQUARE + symmetric * SQUARE.T, V, order=2)


@pytest.mark.slow
def test_custom_linear_solve_aux():
    @tf.custom_gradient
    def with_aux(a, b):
        x = solve(a, b)
        aux = {"converged": tf.ones_like(b[0]), "calls": 12345.0 * tf.ones_like(b[0])}

        def grad(up, *_):
            adjoint = solve(T(a), up)
            return -adjoint[:, None] * x, adjoint

        return (x, aux), grad

    passes(lambda a, b: with_aux(a, b), SQUARE + SQUARE.T, V, order=2)


@pytest.mark.slow
def test_custom_linear_solve_zeros():
    passes(lambda a: solve(a, V), SQUARE, order=2)
    passes(lambda b: solve(SQUARE, b), V, order=2)


@pytest.mark.slow
def test_custom_linear_solve_iterative():
    def richardson(a, b, omega=0.1, tolerance=1e-6):
        x = b
        while tf.norm(tf.linalg.matvec(a, x) - b) > tolerance:
            x += omega * (b - tf.linalg.matvec(a, x))
        return x

    @tf.custom_gradient
    def iterated(a, b):
        x = richardson(a, b)

        def grad(up):
            adjoint = iterated(T(a), up)
            return -adjoint[:, None] * x, adjoint

        return x, grad

    a = np.random.RandomState(0).randn(2, 2)
    exact = {"rtol": 2e-3, "atol": 1e-5}
    passes(lambda a, b: iterated(tf.exp(a), tf.cos(b)), a, PAIR, **exact, **REV)


@pytest.mark.slow
def test_custom_linear_solve_cholesky():
    @tf.custom_gradient
    def by_factors(a, b):
        factors = tf.linalg.cholesky(a)
        x = tf.linalg.cholesky_solve(factors, b[:, None])[:, 0]

        def grad(up):
            adjoint = by_factors(a, up)
            return -adjoint[:, None] * x, adjoint

        return x, grad

    passes(lambda a, b: by_factors(positive(a), b), A, PAIR, order=2)


def test_custom_linear_solve_complex():
    passes(solve, (A + 1j * B) / 2, (PAIR + 1j * V[:2]) / 2, order=2)


@pytest.mark.parametrize("jit", [False, True])
def test_custom_linear_solve_lu(jit):
    @tf.custom_gradient
    def by_factors(a, b):
        # TensorFlow has no derivative of the factors.
        factors = map(tf.stop_gradient, tf.linalg.lu(a))
        x = tf.stop_gradient(tf.linalg.lu_solve(*factors, b[:, None])[:, 0])

        def grad(up):
            adjoint = by_factors(T(a), up)
            return -adjoint[:, None] * by_factors(a, b), adjoint

        return x, grad

    if jit:
        passes(tf.function(by_factors), SQUARE, V, **REV)
    else:
        passes(by_factors, SQUARE, V, order=2, **REV)


def test_custom_linear_solve_without_transpose_solve():
    def missing(up):
        raise TypeError("no solver for the transpose")

    @tf.custom_gradient
    def forward_only(a, b):
        return tf.linalg.solve(a, b[:, None])[:, 0], missing

    loss = lambda a, b: tf.reduce_sum(forward_only(a, b))  # noqa: E731
    fails(loss, A, PAIR, match="no solver for the transpose", **REV)


def test_custom_linear_solve_pytree():
    """A triangular matrix as lists, with None for zero, and a vector as a list."""

    def substitute(rows, b, upper=False):
        x = [None] * len(b)
        for i in reversed(range(len(b))) if upper else range(len(b)):
            parts = [
                entry(rows, i, j, upper) * x[j]
                for j in range(len(b))
                if x[j] is not None and entry(rows, i, j, upper) is not None
            ]
            x[i] = (b[i] - tf.add_n(parts) if parts else b[i]) / rows[i][i]
        return x

    def entry(rows, i, j, upper):
        return rows[j][i] if upper else rows[i][j]

    @tf.custom_gradient
    def of_numbers(*numbers):
        rows = filled(numbers[:-4])
        x = substitute(rows, numbers[-4:])

        def grad(*ups):
            adjoint = substitute(rows, ups, upper=True)
            entries = [
                -adjoint[i] * x[j]
                for i, row in enumerate(rows)
                for j, each in enumerate(row)
                if each is not None
            ]
            return (*entries, *adjoint)

        return x, grad

    def filled(numbers):
        left = iter(numbers)
        return [[next(left) if each else None for each in row] for row in matrix]

    def lower_solve(rows, b):
        numbers = [each for row in rows for each in row if each is not None]
        return of_numbers(*numbers, *b)

    matrix = [
        [1.0, None, None, None],
        [1.0, 2.0, None, None],
        [None, 1.0, 4.0, None],
        [0.5, None, 4.0, 3.0],
    ]
    rows = [[each and np.float64(each) for each in row] for row in matrix]
    passes(lower_solve, rows, [*TEN[:4]], **REV)


def test_custom_linear_solve_new_remat():
    passes(tf.recompute_grad(solve), SQUARE + SQUARE.T, V, **REV)


# --- JAX, tests/custom_root_test.py.


def jacobian(tape, y, x):
    rows = tape.jacobian(y, x, experimental_use_pfor=False)
    return tf.reshape(rows, [tf.size(y), tf.size(x)])


def root(f, solver):
    """The x for which f(x, p) is zero, as a function of p."""

    @tf.custom_gradient
    def function(p):
        x = tf.stop_gradient(solver(lambda x: f(x, p)))

        def grad(up):
            with tf.GradientTape(persistent=True) as tape:
                at = function(p)
                tape.watch([at, p])
                y = f(at, p)
            w = solve(T(jacobian(tape, y, at)), tf.reshape(up, [-1]))
            return -tape.gradient(y, p, tf.reshape(w, y.shape))

        return x, grad

    return function


def bisection(f):
    low, high = tf.constant(0.0, tf.float64), tf.constant(100.0, tf.float64)
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    return high


def newton(f, start):
    x = start
    for _ in range(20):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
        if np.max(np.abs(y)) < 1e-15:
            break
        step = tf.linalg.solve(jacobian(tape, y, x), tf.reshape(y, [-1, 1]))
        x -= tf.reshape(step, x.shape)
    return x


ONE = tf.constant(1.0, tf.float64)


@pytest.mark.slow
@pytest.mark.parametrize("solver", [bisection, partial(newton, start=ONE)])
def test_custom_root_scalar(solver):
    passes(root(lambda x, p: x**2 - p**3, solver), 5.0 * ONE, order=2, **REV)


def test_custom_root_vector_with_solve_closure():
    def f(x, p):
        return tf.linalg.matvec(p[:, :2], x) - p[:, 2]

    def at(p):
        exact = tf.linalg.solve(p[:, :2], p[:, 2:])[:, 0]
        return root(f, lambda _: exact)(p)

    passes(at, np.hstack([A, PAIR[:, None]]), order=2, **REV)


@pytest.mark.slow
def test_custom_root_vector_nonlinear():
    def f(x, p):
        return (x - p) * (x**2 + p**2 + 1.0)

    y = V[:, None]
    passes(root(f, partial(newton, start=-tf.ones_like(y))), y, order=2, **REV)


def of_factors(p):
    """A positive definite matrix and a vector in one argument."""
    return positive(p[:, :2]), p[:, 2:]


def by_cholesky(p):
    a, b = of_factors(p)
    exact = tf.linalg.cholesky_solve(tf.linalg.cholesky(a), b)
    return root(lambda x, p: of_factors(p)[0] @ x - of_factors(p)[1], lambda _: exact)(
        p
    )


@pytest.mark.slow
def test_custom_root_with_custom_linear_solve():
    passes(by_cholesky, np.hstack([A, PAIR[:, None]]), order=2, **REV)


@pytest.mark.slow
def test_custom_root_with_aux():
    def with_aux(p):
        aux = {
            "converged": ONE,
            "calls": 12345.0 * ONE,
            "grad": ONE * [1.0, 2.0],
        }
        return by_cholesky(p), aux

    passes(with_aux, np.hstack([A, PAIR[:, None]]), order=2, **REV)


# --- JAX, tests/nn_test.py.


def squareplus(x, b=4.0):
    return (x + tf.sqrt(x * x + b)) / 2


def sparse_plus(x):
    inside = (x + 1.0) ** 2 / 4
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x >= 1, x, inside))


def mish(x):
    return x * tf.tanh(tf.nn.softplus(x))


# In TensorFlow's forward mode, the fourth derivative takes minutes.
MODES = pytest.mark.parametrize("modes, order", [(["fwd"], 2), (["rev"], 4)])
TINY = np.float64(1e-8)
ZERO = np.float64(0)


@MODES
def test_softplus_grad(modes, order):
    passes(tf.nn.softplus, TINY, order=order, fast=True, modes=modes)


@MODES
def test_squareplus_grad(modes, order):
    passes(squareplus, TINY, order=order, fast=True, modes=modes)


def test_mish_grad():
    """In forward mode of order 2, TensorFlow's result depends on what ran before: after
    softplus and squareplus it is wrong."""
    passes(mish, TINY, order=4, fast=True, **REV)
    passes(mish, TINY, **FWD)


@pytest.mark.parametrize("f", [tf.nn.softplus, squareplus, mish, sparse_plus])
def test_grad_zero(f):
    """Theirs are testSoftplusGradZero, testSquareplusGradZero, testMishGradZero and
    testSparseplusGrad."""
    passes(f, ZERO)


def test_sparseplus_grad_zero():
    passes(sparse_plus, np.float64(-2))


@pytest.mark.parametrize("x", [-np.inf, np.nan])
def test_softplus_grad_differs(x):
    """Theirs are testSoftplusGradNegInf and testSoftplusGradNan."""
    fails(tf.nn.softplus, x, undecided=True, match="not all values are finite")


@pytest.mark.parametrize("x", [1.0, -1.0])
@pytest.mark.parametrize("f", [tf.nn.relu, tf.nn.relu6])
def test_relu_grad(f, x):
    """Theirs are testReluGrad and testRelu6Grad."""
    passes(f, x, order=3, **REV)
    passes(f, x, order=2, **FWD)


@MODES
def test_elu_grad(modes, order):
    passes(tf.nn.elu, 1e4, order=order, eps=1.0, fast=True, modes=modes)


LOGITS = np.array([5.5, 1.3, -4.2, 0.9])


def test_softmax_grad():
    passes(tf.nn.softmax, LOGITS, order=2)


def test_softmax_where_mask():
    kept = [0, 2, 3]
    passes(lambda x: tf.nn.softmax(tf.gather(x, kept)), LOGITS, order=2)


def test_log1m_exp_grad():
    near = lambda x: tf.math.log(-tf.math.expm1(-x))  # noqa: E731
    far = lambda x: tf.math.log1p(-tf.exp(-x))  # noqa: E731

    def log1mexp(x):
        small = x < np.log(2)
        one = tf.ones_like(x)
        return tf.where(
            small, near(tf.where(small, x, one)), far(tf.where(small, one, x))
        )

    passes(log1mexp, np.array([1e-2, 1e-1, 1.0, 10.0, 100.0]))


# --- JAX, tests/lax_control_flow_test.py.

SIDES = pytest.mark.parametrize("x", [np.float64(3.14), np.float64(2.72)])
GRAPH = pytest.mark.parametrize("graph", [False, True])


def of_cond(values, below, above, graph, limit=3.0):
    f = lambda *args: tf.cond(  # noqa: E731
        values(*args) < limit, lambda: below(*args), lambda: above(*args)
    )
    return tf.function(f) if graph else f


@SIDES
@GRAPH
def test_cond_jvp(x, graph):
    f = of_cond(lambda x: x, lambda x: (x, x), lambda x: (2.0 * x, 4.0 * x), graph)
    passes(f, x, order=1 if graph else 2, **FWD)


@pytest.mark.slow
@SIDES
@GRAPH
def test_cond_grad(x, graph):
    """Theirs are testCondGrad, testCondGrad2 and, with a constant, testCondGrad3."""
    sine = of_cond(lambda x: x, lambda x: 3.0 * x, tf.sin, graph)
    row = tf.constant([1.0, 2.0], tf.float64)
    rows = of_cond(lambda x: x[0], lambda x: row * x, tf.sin, graph)
    constant = of_cond(
        lambda x: x, lambda x: tf.constant(2.0, x.dtype), lambda x: 2.0 * x, graph
    )
    for f, at in ((sine, x), (rows, x * np.ones(2)), (constant, x)):
        passes(f, at, order=2, **REV)
        passes(f, at, **FWD)


@SIDES
@GRAPH
def test_cond_grad4(x, graph):
    f = of_cond(
        lambda x, y: x,
        lambda x, y: 2.0 * tf.sin(y),
        lambda x, y: 2.0 * x,
        graph,
    )
    passes(f, x, np.float64(5.8), order=2, **REV)
    if not graph:
        passes(f, x, np.float64(5.8), **FWD)


@pytest.mark.parametrize("x", [-0.7, 0.7, 1.7, 2.7, 3.7])
@GRAPH
def test_switch_grad(x, graph):
    """Theirs are testSwitchGrad and testSwitchJVP."""

    def f(x):
        branches = [lambda: 3.0 * x, lambda: tf.sin(x), lambda: -x]
        return tf.switch_case(tf.cast(tf.clip_by_value(x, 0, 2), tf.int32), branches)

    f = tf.function(f) if graph else f
    passes(f, x, order=2, **REV)
    passes(f, x, **FWD)


@pytest.mark.slow
@GRAPH
def test_scan_grad(graph):
    """Theirs are testScanGrad, testScanJVP and testScanHigherOrderDifferentiation."""

    def scanned(c, rows):
        def step(state, row):
            c, _ = state
            b = tf.sin(c * tf.reduce_sum(tf.cos(0.75 * row)))
            return 0.9 * tf.cos(0.75 * tf.reduce_sum(tf.sin(c * row))), b

        return tf.scan(step, rows, initializer=(c, tf.zeros_like(c)))

    f = tf.function(scanned) if graph else scanned
    rows = np.arange(6.0).reshape(3, 2)
    passes(f, ONE, rows, order=1 if graph else 2, **REV)
    if not graph:
        passes(f, ONE, rows, **FWD)


@pytest.mark.slow
def test_scan_rnn():
    def loss(params, inputs, targets):
        hidden, out = params
        state, total = tf.zeros(2, tf.float64), tf.zeros([], tf.float64)
        for step in range(3):
            both = tf.concat([state, inputs[step]], 0)
            output = tf.tanh(tf.linalg.matvec(out, both))
            total += tf.reduce_sum((output - targets[step]) ** 2)
            state = tf.tanh(tf.linalg.matvec(hidden, both))
        return total

    shapes = [2, 6], [1, 6], [3, 4], [3, 1]
    hidden, out, inputs, targets = (RNG.standard_normal(shape) for shape in shapes)
    passes(loss, (hidden, out), inputs, targets, order=2, fast=True)


def test_while_jvp():
    """Theirs are testWhileJVP, testWhileJVPViaForiLoop and
    testWhileJVPWithGrowingNonzeroTangents."""

    def squared(x):
        [y] = tf.while_loop(lambda y: y[0, 2] <= 8, lambda y: [y * y], [x])
        return y

    def counted(x):
        i = tf.constant(0)
        done = tf.while_loop(
            lambda i, y: i < 3,
            lambda i, y: (i + 1, y * tf.cast(i + 1, y.dtype)),
            (i, x),
        )
        return done[1]

    def growing(x):
        done = tf.while_loop(
            lambda i, y, z: i < 2, lambda i, y, z: (i + 1, x * x, y * y), (0, x, x)
        )
        return done[2]

    for f, x in ((squared, np.arange(9.0).reshape(3, 3)), (counted, 2.0), (growing, V)):
        passes(f, x, order=2, fast=True, **FWD)


# --- JAX, tests/lax_scipy_test.py and tests/lax_numpy_test.py.


def test_grad_of_xlogy_at_zero():
    """TensorFlow's own gradient is 0 at x = 0, where log(y) is right."""
    right = tf.custom_gradient(
        lambda x, y: (
            tf.math.xlogy(x, y),
            lambda up: (up * tf.math.log(y), up * x / y),
        )
    )
    passes(right, 0.0, 3.0, order=2, **REV)
    fails(tf.math.xlogy, 0.0, 3.0, match="give 1.09861", upstream=1.0, **REV)


def test_grad_of_xlog1py_at_zero():
    right = tf.custom_gradient(
        lambda x, y: (
            tf.math.xlog1py(x, y),
            lambda up: (up * tf.math.log1p(y), up * x / (1.0 + y)),
        )
    )
    passes(right, 0.0, 3.0, order=2, **REV)
    fails(tf.math.xlog1py, 0.0, 3.0, match="give 1.38629", upstream=1.0, **REV)


def test_xlogx():
    passes(lambda x: tf.math.xlogy(x, x), np.abs(SQUARE))


@pytest.mark.parametrize(
    "f, x, order",
    [
        (tf.asinh, 0.0, 2),
        (tf.asinh, 1000.0, 2),
        (tf.acosh, 1000.0, 2),
        (tf.atanh, 0.0, 2),
        (lambda x: tf.where(x == 0, tf.ones_like(x), tf.sin(x) / x), 0.5, 1),
    ],
)
def test_op_grad_special_value(f, x, order):
    passes(f, x, order=order)


def test_take_along_axis_issue1521():
    rows = np.repeat(np.arange(3), 10)[:, None]
    passes(
        lambda x: tf.reduce_sum(tf.gather(x * np.arange(3.0), rows, axis=0)), np.ones(3)
    )


# --- JAX, tests/linalg_test.py: the tests of singular matrices.


@tf.custom_gradient
def determinant(a):
    """By rows: the gradient consists of cofactors, which singular matrices have."""
    x, y, z = tf.unstack(a)
    cross = tf.linalg.cross

    def grad(up):
        return up * tf.stack([cross(y, z), cross(z, x), cross(x, y)])

    return tf.reduce_sum(x * cross(y, z)), grad


SINGULAR = {
    "zero": np.zeros([3, 3]),
    "corank 1": np.array([[50.0, -30, 45], [-30, 90, -81], [45, -81, 81]]),
    "corank 2": np.array([[36.0, -42, 18], [-42, 49, -21], [18, -21, 9]]),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_det_grad_of_singular_matrix(name):
    """Theirs are testDetGrad, testDetGradOfSingularMatrixCorank1 and …Corank2."""
    passes(determinant, SINGULAR[name])


def test_det_grad():
    for f in (determinant, tf.linalg.det):
        passes(f, SQUARE, order=2, **REV)
        passes(f, SQUARE, **FWD)


# --- JAX, tests/api_test.py: remat, which is tf.recompute_grad here, without a policy.


def test_remat():
    """Theirs are test_remat_custom_policy, …checkpoint_dots and …custom_vjp_policy."""

    def dots(x):
        for _ in range(3):
            x = SINE(1e-3 * x @ x)
        return x

    for f, x in ((lambda x: SINE(SINE(x) ** 2), 3.0), (dots, np.ones([2, 2]))):
        passes(tf.recompute_grad(f), x, **REV)


def test_remat_of_scan():
    def scanned(x):
        return tf.scan(lambda c, _: tf.sin(c), tf.range(3), initializer=x)

    passes(tf.recompute_grad(scanned), 3.0, **REV)


def test_remat_of_cond():
    f = lambda x: tf.cond(x > 0, lambda: tf.sin(tf.sin(x)), lambda: x)  # noqa: E731
    passes(tf.recompute_grad(f), 3.0, **REV)


# --- JAX, tests/lax_test.py, tests/image_test.py and tests/fft_test.py.


def test_squeeze():
    squeezed = lambda x: tf.squeeze(x, [1])  # noqa: E731
    x = RNG.standard_normal([2, 1, 4])
    passes(squeezed, x, order=3, fast=True, **REV)
    passes(squeezed, x, order=2, **FWD)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3"])
def test_resize_gradients(method):
    x = RNG.standard_normal([1, 3, 2, 2]).astype(np.float32)
    passes(lambda x: tf.image.resize(x, [6, 4], method), x, eps=1.0, rtol=0.01, **REV)


def test_fftn():
    passes(lambda z: tf.signal.fft2d(z), A + 1j * B, order=2)
