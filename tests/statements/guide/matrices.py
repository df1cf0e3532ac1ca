"""What the page on matrices says in words."""

import itertools
import re
from pathlib import Path

from truth.statements.tries import *

PAGE = (Path(__file__).parents[3] / "docs/guide/matrices.md").read_text("utf-8")
SEEDS = st.integers(0, 10**6)
DEFINITE = [EAGER, INSIDE, AROUND, SYMBOLIC]
"""XLA has no determinant."""
FEW = [EAGER, AROUND, XLA]


def normal(seed, *shapes):
    draw = np.random.default_rng(seed)
    return [tf.constant(draw.standard_normal(shape)) for shape in shapes]


def regular(seed, size=3):
    [X] = normal(seed, [size, size])
    return X + 3.0 * size * tf.eye(size, dtype=X.dtype)


def pairing(F, G):
    return np.sum(np.asarray(F) * np.asarray(G))


def slope(function, x, direction, step=1e-6):
    """Of a function, along a direction, by central differences."""
    up, down = (function(x + sign * step * direction) for sign in (1, -1))
    return (up - down) / (2 * step)


def close(one, other, within=1e-6):
    return np.shape(one) == np.shape(other) and np.allclose(
        one, other, within, within, equal_nan=True
    )


def cofactors(X):
    X = np.asarray(X, np.float64)
    return np.array(
        [
            [
                (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(X, i, 0), j, 1))
                for j in range(len(X))
            ]
            for i in range(len(X))
        ]
    )


def singular(seed, size=3):
    """A matrix of whole numbers whose determinant is exactly 0."""
    draw = np.random.default_rng(seed)
    X = draw.integers(-5, 6, (size, size)).astype(float)
    factors = draw.integers(-2, 3, size - 1)
    X[:, draw.integers(size)] = 0
    X[:, -1] = X[:, :-1] @ factors
    return X


def operations(function, *inputs):
    """The kinds of operation in the graph of a function."""
    graph = tf.function(function).get_concrete_function(*inputs).graph
    return [each.type for each in graph.get_operations()]


# The product.


def bare(A, B):
    """The product with the rule that lacks its transposes."""
    return program("wrong/transpose.py").product(A, B)


@says(
    "Test a product …",
    "If the matrices are square, a …",
    "If the matrices are square, no …",
    was="'no shape will tell you': other shapes raise",
)
@over(mode=MODES, size=[3])
def test_squares_fit(mode, size):
    A, B = normal(0, [size, size], [size, size])
    found = mode.gradients(bare, A, B)
    assert [each.shape for each in found] == [A.shape, B.shape]
    A, B = normal(0, [2, 3], [3, 4])
    assert raised(mode.gradients, bare, A, B) is not None


@says(
    "For the asymmetric …",
    "Deliberately wrong: the …",
    "Compare `custom` with `autodiff` …",
)
@over(mode=MODES)
def test_twenty_for_ten(mode):
    A, B = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[0.0, 1.0], [2.0, 3.0]])
    weighted = {
        f: mode.gradient(lambda A: f(A, B) * [[1.0, 10.0], [100.0, 1000.0]], A)
        for f in (bare, tf.matmul)
    }
    assert weighted[bare][0, 0] == 20 and weighted[tf.matmul][0, 0] == 10
    lines = trace("wrong/transpose.py")
    assert lines[1].numbers[0] == 20 and lines[2].numbers[0] == 10 and len(lines) == 9
    assert len([each for each in lines if each.text.endswith(" B")]) == 3


@says(
    "For a symmetric …",
)
@over(mode=[EAGER, AROUND], size=[1, 3], seed=SEEDS)
def test_symmetric_passes(mode, size, seed):
    A, any_B = normal(seed, [size, size], [size, size])
    for B in (any_B + tf.transpose(any_B), tf.eye(size, dtype=A.dtype)):
        by_rule, right = (
            mode.gradients(lambda A, B: f(A, B) ** 2, A, B) for f in (bare, tf.matmul)
        )
        assert close(by_rule[0], right[0])
        assert size == 1 or not close(by_rule[1], right[1])  # A isn't symmetric
    weights = program("wrong/transpose.py")
    any_B = tf.constant([[0.0, 1.0], [2.0, 3.0]])
    assert len({*np.ravel(any_B)}) == 4
    shown = [weights.gradient_of_A(f, weights.A, any_B) for f in (bare, tf.matmul)]
    assert [trace("wrong/transpose.py")[at].numbers for at in (1, 2)] == [
        [*np.ravel(each)] for each in shown
    ]
    assert shown[0] != shown[1]


@says(
    "Here you can …",
    "A check compares …",
    "For each row …",
    "For the last …",
    "The three columns …",
    "Each row of …",
    was="'with the same four steps': the sum over one axis, the trace and the offset have none of their own",
)
def test_each_row_has_a_run():
    steps = [
        PAGE.count(f"{number}. **{words}")
        for number, words in enumerate(
            (
                "State the function",
                "Write the differential",
                "Take the inner product with the upstream gradient",
                "Read off the gradient function",
            ),
            1,
        )
    ]
    assert {*steps} == {5}
    table = PAGE.split("## In short")[1].split("[Check](#check)")[0]
    rows = re.findall(r"^\| (\S.*?) \| ", table, re.MULTILINE)
    rows = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", each) for each in rows[2:]]
    names = [re.split(r",| \$", each)[0] for each in rows if each[0] != "|"]
    names = ["solve" if each == "linear system" else each for each in names]
    lines = trace("table.py")
    assert lines[0].text.split() == ["formula", "TensorFlow", "differences"]
    shown = [re.split(r"\s{2,}|\s-", each.text)[0].strip() for each in lines[1:]]
    assert [each.replace("\\", "") for each in names] == shown
    for line in lines[1:]:
        formula, own, differences = line.numbers[-3:]
        assert formula == own and abs(formula - differences) < 1e-4
    assert len(line.numbers) == 3
    for _, function, _, inputs in program("table.py").rows:
        assert {each.dtype for each in (*inputs, function(*inputs))} == {tf.float64}


@says(
    "You can derive …",
)
@over(factors=[2, 3, 4, 5], seed=SEEDS)
def test_indices(factors, seed):
    matrices = normal(seed, *itertools.pairwise(range(2, factors + 3)))
    letters = "abcdef"[: factors + 1]
    pairs = ["".join(each) for each in itertools.pairwise(letters)]
    ends = letters[0] + letters[-1]
    product = np.linalg.multi_dot([each.numpy() for each in matrices])
    assert close(np.einsum(f"{','.join(pairs)}->{ends}", *matrices), product)
    assert len(letters) - len(ends) == factors - 1  # the indices that are summed


@says(
    "When you move …",
    "The inner product …",
    "You can move a factor …",
    "A left factor of …",
    "Move both factors …",
    "The left factor …",
    "Then move the factors:",
    "If you transpose …",
)
@over(seed=SEEDS)
def test_pairing(seed):
    F, X, Y = (each.numpy() for each in normal(seed, [2, 4], [2, 3], [3, 4]))
    assert close(pairing(F, X @ Y), np.trace(F.T @ (X @ Y)))
    assert close(pairing(F, X @ Y), pairing(X.T @ F, Y))
    assert close(pairing(F, X @ Y), pairing(F @ Y.T, X))
    assert close(pairing(F, X @ Y), pairing(F.T, (X @ Y).T))
    U, Y, dX = (each.numpy() for each in normal(seed, *[[3, 3]] * 3))
    assert close(pairing(U, Y @ dX @ Y), pairing(Y.T @ U @ Y.T, dX))
    assert not close(pairing(U, Y @ dX @ Y), pairing(Y @ U @ Y, dX))


@says(
    "Choose three different …",
    "If the three …",
    "For example, the gradient …",
    "Its factors are …",
    "You can transpose each …",
    was="'does not multiply': an [n, k] and a transposed [m, k] do, to [n, m]",
)
@over(sizes=[*itertools.permutations([2, 3, 4]), (3, 3, 3), (2, 2, 3)])
def test_shapes_leave_no_choice(sizes):
    m, n, k = sizes
    U, B = np.ones([m, k]), np.ones([n, k])
    fits = [
        (X, Y)
        for X, Y in itertools.permutations([U, U.T, B, B.T], 2)
        if X.base is not Y and Y.base is not X and X.shape[1] == Y.shape[0]
        if (X @ Y).shape == (m, n)
    ]
    if len({*sizes}) == 3:
        assert len(fits) == 1 and fits[0][0] is U and fits[0][1].base is B
    if len({*sizes}) == 1:
        assert len(fits) == 8


@says(
    "For a product …",
    "The change $\\d L$ of …",
    "To read off …",
    "The left side is …",
    "The product rule …",
    "Matrices don't commute, …",
    "The left side of …",
)
@over(mode=[EAGER], seed=SEEDS)
def test_product_rule(mode, seed):
    A, B, dA, dB, U = normal(seed, *[[3, 3]] * 5)
    right = slope(lambda t: (A + t * dA) @ (B + t * dB), 0.0, 1.0)
    assert close(right, dA @ B + A @ dB) and not close(right, B @ dA + dB @ A)
    found = mode.gradients(lambda A, B: U * (A @ B), A, B)
    assert len(found) == 2
    for_A, for_B = found
    assert close(for_A, U @ tf.transpose(B)) and close(for_B, tf.transpose(A) @ U)
    assert close(pairing(for_A, dA) + pairing(for_B, dB), pairing(U, right))


def block(lines, name):
    at = next(i for i, each in enumerate(lines) if each.text.startswith(f"{name} ["))
    rows, _ = shape = [int(each) for each in lines[at].numbers]
    found = np.array([each.numbers for each in lines[at + 1 : at + 1 + rows]])
    assert [*found.shape] == shape
    return found


@says(
    "The program prints …",
    "Compare `downstream_A` with …",
    "The numbers follow …",
    "`upstream` contains the …",
    "In this program …",
    "The check uses …",
    "Row 1 of …",
    "Its second element …",
    "The first element …",
    "The gradient function of …",
)
def test_the_trace_of_the_product():
    lines, defined = trace("matrices.py"), program("matrices.py")
    upstream, BT = block(lines, "upstream"), block(lines, "local, B transposed")
    assert same(upstream, defined.weights) and same(BT, tf.transpose(defined.B))
    assert upstream.shape == (2, 2) == defined.product(defined.A, defined.B).shape
    of_A, of_B = block(lines, "downstream_A"), block(lines, "downstream_B")
    assert same(of_A[0], upstream[0] @ BT) and of_A[0, 1] == 12
    assert [*upstream[0]] == [1, 10] and [*BT[:, 1]] == [2, 1]
    first = np.asarray(defined.A)[:, 0]
    assert [*first] == [1, 4] and [*upstream[:, 0]] == [1, 100]
    assert of_B[0, 0] == first @ upstream[:, 0] == 401
    table = program("table.py")
    assert len({*table.W.shape, *table.B.shape}) == 3


# Linear maps.


@says(
    r"sum, $y = \sum_{i,j} X_{ij}$ …",
    "Each local derivative …",
    "The upstream gradient is a scalar:",
    "So each element of $X$ …",
    "If all elements …",
)
@over(cases=6, mode=FEW, x=arrays((3, 2)), seed=SEEDS)
def test_sum(mode, x, seed):
    [V] = normal(seed, x.shape)
    assert tf.size(tf.reduce_sum(x)) == 1
    local = EAGER.gradient(tf.linalg.trace, x), EAGER.gradient(tf.reduce_sum, x)
    assert {*np.ravel(local)} == {0, 1}
    assert close(slope(tf.reduce_sum, tf.cast(x, V.dtype), V, 1.0), tf.reduce_sum(V))
    assert same(mode.gradient(tf.reduce_sum, x), np.ones([3, 2]))
    assert same(mode.gradient(lambda X: 7.0 * tf.reduce_sum(X), x), 7 * np.ones([3, 2]))


@says(
    r"column sums, $y_j = \sum_i X_{ij}$ …",
    "A sum over the …",
    "So each element of a …",
)
@over(mode=FEW)
def test_column_sums(mode):
    [X] = normal(0, [3, 2])
    found = mode.gradient(lambda X: tf.reduce_sum(X, 0) * [5.0, 7.0], X)
    assert same(found, [[5.0, 7.0]] * 3)


@says(
    "In the table, a bracket …",
    r"trace, $y = \operatorname{tr} X$ …",
    "The trace of …",
    "The other elements …",
)
@over(mode=FEW, off=[0.0, 1e30, np.inf, np.nan])
def test_trace(mode, off):
    X = np.where(np.eye(3) == 1, 2.0, off)
    assert np.eye(3)[0, 0] == 1 and np.eye(3)[0, 1] == 0
    assert tf.linalg.trace(X) == 6
    assert same(mode.gradient(lambda X: 7.0 * tf.linalg.trace(X), X), 7 * np.eye(3))


@says(
    r"transpose, $Y = X^{\T}$ …",
    "The transpose is …",
    "So the gradient function …",
)
@over(cases=6, mode=FEW, seed=SEEDS)
def test_transpose(mode, seed):
    X, V, U = normal(seed, [3, 2], [3, 2], [2, 3])
    assert close(slope(tf.transpose, X, V), tf.transpose(V))
    assert same(mode.gradient(lambda X: U * tf.transpose(X), X), tf.transpose(U))


# Inverse and system.


@says(
    "The inverse exists …",
    "$X Y$ is …",
    r"So $X \, \d Y + \d X \, Y$ is 0.",
    r"To solve for …",
    "For scalars this …",
    "For matrices, the …",
)
@over(size=[1, 2, 3], seed=SEEDS)
def test_differential_of_the_inverse(size, seed):
    X, [V] = regular(seed, size), normal(seed + 1, [size, size])
    Y, dY = tf.linalg.inv(X), slope(tf.linalg.inv, X, V)
    assert close(X @ Y, np.eye(size))
    assert round(float(np.abs(X @ dY + V @ Y).max()), 4) == 0
    assert close(dY, -Y @ V @ Y)
    assert size > 1 or (close(dY, -(Y**2) * V) and close(Y, 1 / X))
    assert size == 1 or not close(dY, -Y @ Y @ V, 1e-9)
    assert raised(tf.linalg.inv, tf.zeros([size, size])) is not None


@says(
    "The gradient function needs the …",
    "If you keep …",
)
def test_inverted_once():
    inverse = program("inverse.py").inverse

    def gradient(X):
        return tf.gradients(inverse(X), X)

    X = regular(0)
    assert operations(gradient, X).count("MatrixInverse") == 1
    assert inverse(X).shape == X.shape
    for mode in MODES:
        Y = tf.linalg.inv(X)
        right = -tf.transpose(Y) @ tf.ones_like(Y) @ tf.transpose(Y)
        assert close(mode.gradient(inverse, X), right)


HILBERT = 1 / (np.arange(10)[:, None] + np.arange(10) + 1)


@says(
    r"If $\det A \ne 0$, …",
    "Without XLA, this …",
    was="'never forms the inverse': under XLA its residual is that of the inverse, to the bit",
)
@over(dtype=[tf.float32, tf.float64])
def test_solve_does_not_invert(dtype):
    A, B = tf.constant(HILBERT, dtype), tf.ones([10, 1], dtype)

    def residual(solve, **options):
        Y = tf.function(solve, **options)(A, B) if options else solve(A, B)
        return np.abs(A @ Y - B).max() / np.abs(Y).max()

    def inverted(A, B):
        return tf.linalg.inv(A) @ B

    least = np.finfo(dtype.as_numpy_dtype).eps
    for options in ({}, {"jit_compile": False}):
        assert residual(tf.linalg.solve, **options) < least
        assert residual(inverted, **options) > 100 * least
    compiled = [residual(f, jit_compile=True) for f in (tf.linalg.solve, inverted)]
    assert compiled[0] == compiled[1]
    assert close(tf.linalg.solve(regular(0), regular(0)), np.eye(3))


@says(
    "The gradient function doesn't …",
    "To get $Y$, …",
    "Differentiate both sides …",
    "Move the inverse …",
    "Both terms then …",
    "The gradient function needs one …",
    "The next program contains …",
    "For real numbers, …",
)
@over(cases=6, mode=[EAGER, AROUND], seed=SEEDS)
def test_solve(mode, seed):
    solve = program("inverse.py").solve
    A, [B, U, V] = regular(seed), normal(seed, [3, 2], [3, 2], [3, 3])
    of_A, of_B = mode.gradients(lambda A, B: U * solve(A, B), A, B)
    assert close(of_B, tf.linalg.inv(tf.transpose(A)) @ U)
    assert close(of_A, -of_B @ tf.transpose(solve(A, B)))
    assert close(of_B, tf.linalg.solve(A, U, adjoint=True))
    Y = tf.linalg.solve(A, B)
    dY = slope(lambda A: tf.linalg.solve(A, B), A, V)
    assert close(V @ Y + A @ dY, np.zeros([3, 2]))
    graph = operations(lambda A, B: tf.gradients(solve(A, B), [A, B]), A, B)
    assert graph.count("MatrixSolve") == 2 and graph.count("MatMul") == 1
    assert "MatrixInverse" not in graph
    turned = tf.complex(A, A)
    adjoint = tf.linalg.solve(turned, tf.complex(U, U), adjoint=True)
    assert close(tf.linalg.adjoint(turned) @ adjoint, tf.complex(U, U))


@says(
    "Compare each `difference` …",
    "Each finite difference …",
    "The result agrees …",
    "Gradients of the …",
    "The gradients agree.",
)
def test_places_of_the_differences():
    lines = trace("inverse.py")
    pairs = [
        (before.numbers, line.numbers)
        for before, line in itertools.pairwise(lines)
        if "difference" in line.text
    ]
    assert len(pairs) == 3
    assert all([downstream[1]] == difference for downstream, difference in pairs)
    assert all(len(downstream) == 4 for downstream, _ in pairs)


# Determinants.


@says(
    r"det, $y = \det X$ …",
    "A square matrix …",
    "The cofactor of …",
    "The determinant is the …",
    "A cofactor contains …",
    "For a matrix …",
    "If the inverse …",
)
@over(mode=[EAGER, AROUND], size=[1, 2, 3, 5], seed=SEEDS)
def test_cofactors(mode, size, seed):
    [X] = normal(seed, [size, size])
    y = tf.linalg.det(X)
    for row in range(size):
        assert close(np.sum(X[row] * cofactors(X)[row]), y)
        other = X.numpy()
        other[row] = 100
        assert close(cofactors(other)[row], cofactors(X)[row])
    assert close(y * tf.linalg.inv(tf.transpose(X)), cofactors(X))
    assert close(mode.gradient(tf.linalg.det, X), cofactors(X))
    assert close(mode.gradient(lambda X: 7.0 * tf.linalg.det(X), X), 7 * cofactors(X))
    if size == 2:
        (a, b), (c, d) = X.numpy()
        assert close(cofactors(X), np.array([[d, -c], [-b, a]]))
    else:
        assert y.shape == ()


def gradient_of_det(mode, X):
    """How it is, as a word."""
    try:
        found = mode.gradient(tf.linalg.det, tf.constant(X, tf.float32))
    except tf.errors.InvalidArgumentError as error:
        return "raises" if "not invertible" in str(error) else "no kernel"
    right = cofactors(X)
    return "far" if np.abs(found - right).max() > 0.01 * np.abs(right).max() else "near"


@says(
    "But TensorFlow's gradient …",
    "But TensorFlow's gradient …",
    "If rounding errors …",
    "Deliberately wrong: TensorFlow's …",
    was="'raises': of 394 singular matrices of whole numbers, 3×3 in float32, 121 got a gradient wrong by more than 1 %",
)
@over(mode=DEFINITE)
def test_singular_in_tensorflow(mode):
    assert gradient_of_det(mode, [[1.0, 2.0], [2.0, 4.0]]) == "raises"
    assert trace("wrong/det.py")[-1].text.startswith("tensorflow.python.framework")
    said = {gradient_of_det(mode, singular(seed)) for seed in range(12)}
    assert {"raises", "far"} <= said <= {"raises", "far", "near"}
    for seed in range(12):
        X = tf.constant(singular(seed), tf.float32)
        none = raised(lambda: tf.linalg.inv(X, adjoint=True)) is not None
        assert none == (gradient_of_det(mode, X) == "raises")


@says(
    "At a singular matrix the …",
    "At a singular matrix this …",
    "The determinant is a …",
    "A custom gradient …",
    "No division is …",
    "The custom gradient agrees …",
    "A gradient of …",
)
@over(mode=[EAGER, AROUND], size=[1, 2, 3, 4], seed=SEEDS)
def test_rule_at_singular_matrices(mode, size, seed):
    det = program("det.py").det
    X = tf.constant(singular(seed, size) if size > 1 else [[0.0]], tf.float64)
    assert raised(tf.linalg.inv, tf.zeros_like(X)) is not None
    for matrix in (X, tf.zeros_like(X), regular(seed, size)):
        assert close(mode.gradient(det, matrix), cofactors(matrix), 1e-5)
    by_steps = program("det.py").by_differences(X)
    assert close(by_steps, cofactors(X), 1e-3)


def curvature(det, X):
    """The gradient of a weighted gradient."""
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = det(X)
        weighted = tape.gradient(y, X) * [[1.0, 2.0], [3.0, 4.0]]
    return outer.gradient(weighted, X)


@says(
    "But don't use …",
    "If two singular …",
    was="'a rule of your own mends it': a tape over it is finite and wrong at [[0, 0], [0, 1]]",
)
@over(
    X={
        "1": [[1, 0], [0, 1]],
        "0": [[0, 0], [0, 0]],
        "rank 1": [[1, 2], [2, 4]],
        "in place": [[0, 0], [0, 1]],
        "turned": [[0, 2], [-2, 0]],
        "regular": [[1, 2], [3, 4]],
        "nearly equal": [[1, 0], [0, 1.01]],
    }
)
def test_second_derivative_of_det(X):
    X = tf.constant(X, tf.float64)
    s = np.linalg.svd(X)[1]
    found, right = curvature(program("det.py").det, X), [[4.0, -3.0], [-2.0, 1.0]]
    assert np.isfinite(found).all()
    assert close(found, right) == (s[0] != s[1] and s[1] > 1e-9)


@says(
    "The custom gradient uses …",
    "The next formula …",
    "The fact also …",
)
@over(size=[2, 3], seed=SEEDS)
def test_cofactors_multiply(size, seed):
    P, Q = singular(seed, size), singular(seed + 1, size)
    [R] = normal(seed, [size, size])
    for one, other in ((P, Q), (P, R), (R, Q), (R, R + 1)):
        assert close(cofactors(one @ other), cofactors(one) @ cofactors(other))


@says(
    "Apply this formula …",
    "For the orthogonal …",
    "For the diagonal …",
)
@over(size=[2, 3, 4], seed=SEEDS)
def test_cofactors_of_singular_values(size, seed):
    [X] = normal(seed, [size, size])
    s, U, V = tf.linalg.svd(X)
    assert close(U @ tf.linalg.diag(s) @ tf.transpose(V), X)
    for turn in (U, V):
        sign = np.linalg.det(turn)
        assert close(abs(sign), 1.0) and close(cofactors(turn), sign * turn)
    others = [np.prod(np.delete(s, i)) for i in range(size)]
    assert close(cofactors(np.diag(s)), np.diag(others))


@says(
    "log |det| — …",
    "The determinant of a large …",
    "Even then, `tf.linalg.slogdet` …",
    "The gradient of this …",
    r"Since $\d \log |u| = \d u / u$, …",
)
@over(mode=[EAGER, AROUND], seed=SEEDS)
def test_logarithm(mode, seed):
    def logarithm(X):
        return tf.linalg.slogdet(X)[1]

    large = 10.0 * tf.eye(200)
    assert np.isinf(tf.linalg.det(large)) and close(
        logarithm(large), np.float32(200 * np.log(10))
    )
    assert np.isinf(tf.math.log(tf.linalg.det(large)))
    assert close(logarithm(-regular(seed)), np.log(abs(np.linalg.det(regular(seed)))))
    [X] = normal(seed, [3, 3])
    found = mode.gradient(lambda X: 7.0 * logarithm(X), X)
    assert close(found, 7 * tf.linalg.inv(tf.transpose(X)))
    assert not close(found, 7 * tf.linalg.det(X) * tf.linalg.inv(tf.transpose(X)))
    assert np.isfinite(mode.gradient(logarithm, large)).all()


@says(
    "At a singular matrix, …",
    "No formula helps …",
)
@over(mode=DEFINITE)
def test_no_logarithm_of_zero(mode):
    def logarithm(X):
        return tf.linalg.slogdet(X)[1]

    X = tf.constant([[1.0, 2.0], [2.0, 4.0]], tf.float64)
    assert logarithm(X) == -np.inf
    assert raised(mode.gradient, logarithm, X) is not None
    sizes = [
        np.abs(mode.gradient(logarithm, X + step * tf.eye(2, dtype=X.dtype))).max()
        for step in (1e-3, 1e-6, 1e-9)
    ]
    assert sizes[0] > 100 and sizes[1] > 100 * sizes[0] and sizes[2] > 100 * sizes[1]


# Cholesky.


def factor(seed, size=3):
    """A lower triangular matrix with a positive diagonal."""
    [Z] = normal(seed, [size, size])
    return tf.linalg.set_diag(
        tf.linalg.band_part(Z, -1, 0), 0.5 + tf.abs(tf.linalg.diag_part(Z))
    )


def symmetric(V):
    return V + tf.transpose(V)


@says(
    "For each symmetric …",
    "Start from this …",
    "Then differentiate it, …",
    "$Y$ is 0 …",
    "The formula writes …",
)
@over(cases=8, mode=["eager", "XLA"], size=[1, 4], seed=SEEDS)
def test_one_factor(mode, size, seed):
    Y = factor(seed, size)
    X = Y @ tf.transpose(Y)
    cholesky = tf.function(tf.linalg.cholesky, jit_compile=mode == "XLA")
    assert close(cholesky(X), Y)
    assert close(tf.linalg.band_part(Y, -1, 0), Y) and np.all(np.diag(Y) > 0)
    [Z] = normal(seed, [size, size])
    above, below = np.triu(np.ones([size, size]), 1), np.tri(size)
    assert not np.any(Y * above) and not np.any(below * Z * above)
    dX = symmetric(Z)
    dY = slope(tf.linalg.cholesky, X, dX)
    half = dY @ tf.transpose(Y)
    assert close(half + tf.transpose(half), dX, 1e-4)


@says(
    "Use the product rule for matrices:",
    "Multiply both sides …",
    "On the right side …",
    "Below the diagonal, …",
    "The mask $M$ sets …",
    "To get $\\d Y$, …",
    "Unlike a matrix …",
)
@over(size=[2, 3], seed=SEEDS)
def test_differential_of_the_factor(size, seed):
    Y, [V, F, G] = factor(seed, size), normal(seed, *[[size, size]] * 3)
    dX = symmetric(V)
    dY = slope(tf.linalg.cholesky, Y @ tf.transpose(Y), dX)
    inverse = tf.linalg.inv(Y)
    triangle, sum_of_both = inverse @ dY, inverse @ dX @ tf.transpose(inverse)
    assert close(np.tril(triangle), triangle, 1e-5)
    assert close(sum_of_both, triangle + tf.transpose(triangle), 1e-5)
    assert close(np.diag(sum_of_both), 2 * np.diag(triangle), 1e-5)
    assert close(np.tril(sum_of_both, -1), np.tril(triangle, -1), 1e-5)
    M = np.tril(np.ones([size, size])) - 0.5 * np.eye(size)
    assert close(M * sum_of_both, triangle, 1e-5)
    assert np.max(np.triu(M, 1)) == 0
    assert close(pairing(F, M * G), pairing(M * F, G))


@says(
    r"Cholesky, $X = Y Y^{\T}$ …",
    r"$\d X$ is …",
    "The gradient function returns …",
    "The gradient at …",
    "The input changes …",
    "If the inner product …",
    "The sum describes …",
    "In `cholesky.py`, $G$ …",
    "TensorFlow and this …",
    "The gradient of the Cholesky factor, …",
)
@over(cases=6, mode=FEW, seed=SEEDS)
def test_the_symmetric_gradient(mode, seed):
    Y, [U, V, N] = factor(seed), normal(seed, *[[3, 3]] * 3)
    X = Y @ tf.transpose(Y)
    M = np.tril(np.ones([3, 3])) - 0.5 * np.eye(3)
    inverse = tf.linalg.inv(Y)
    H = tf.transpose(inverse) @ (M * (tf.transpose(Y) @ U)) @ inverse
    for cholesky in (tf.linalg.cholesky, program("cholesky.py").cholesky):
        found = mode.gradient(lambda X: U * cholesky(X), X)
        assert close(found, symmetric(H) / 2) and close(found, tf.transpose(found))
    assert close(pairing(H, symmetric(V)), pairing(found, symmetric(V)))
    silent = N - tf.transpose(N)
    assert close(pairing(silent, symmetric(V)), 0.0)
    moved = found + silent
    assert close(pairing(moved, symmetric(V)), pairing(found, symmetric(V)))
    assert "tf.transpose(Y) @ upstream" in source("cholesky.py")  # Y^T G
    assert not close(pairing(symmetric(N), symmetric(N)), 0.0)
    assert not close(found, H)


@says(
    "In the program, …",
    "The line `X12 …",
    "The gradients agree.",
)
def test_both_places():
    lines = trace("cholesky.py")
    downstream = np.reshape(lines.line("downstream").numbers, [2, 2])
    assert downstream[0, 1] == downstream[1, 0] == -15.17767
    assert np.count_nonzero(downstream == -15.17767) == 2
    rule, differences = lines.line("X12 and X21").numbers[-2:]
    assert rule == differences == -30.35534
    assert abs(rule - (downstream[0, 1] + downstream[1, 0])) < 1e-4


@says(
    "If finite differences …",
    "Look at the …",
    "Only the sums …",
    "Change both elements …",
    "Deliberately wrong: a …",
)
def test_one_half_moved():
    lines = trace("wrong/cholesky.py")
    own, differences = (lines.line(word).numbers for word in ("Tensor", "diff"))
    assert own[1:3] == [0.25, 0.25] and differences[1:3] == [0, 0.5]
    assert own != differences and sum(own) == sum(differences)
    assert own[0] == differences[0] and own[3] == differences[3]


@says(
    "`tf.linalg.cholesky` reads only …",
    "So changing $X_{1,2}$ …",
)
@over(mode=FEW, above=[100.0, np.nan])
def test_the_lower_triangle(mode, above):
    X = np.array([[4.0, 2.0], [2.0, 3.0]])
    Y, gradient = tf.linalg.cholesky(X), mode.gradient(tf.linalg.cholesky, X)
    compiled = tf.function(tf.linalg.cholesky, jit_compile=True)
    X[0, 1] = above
    assert same(tf.linalg.cholesky(X), Y, 1e-12) and same(compiled(X), Y, 1e-12)
    assert same(mode.gradient(tf.linalg.cholesky, X), gradient, 1e-12)
    below = slope(tf.linalg.cholesky, X, np.array([[0.0, 0.0], [1.0, 0.0]]))
    assert close(tf.reduce_sum(below), 2 * gradient[0, 1])


# The check, and what else breaks.


@says(
    "product, $C = A B$ …",
    r"$B$ — $\local{A^{\T}} \, \upstream{\bar C}$",
    "inverse, $Y = X^{-1}$ …",
    "linear system, $Y = A^{-1} B$ …",
    r"$A$ — $-\local{A^{-\T}} \, \upstream{\bar Y} \, \local{Y^{\T}}$",
    "To get one …",
    "If a function …",
    "Name, function, gradient(upstream, …",
)
@over(mode=[EAGER], seed=SEEDS)
def test_rows_of_the_table(mode, seed):
    rows = {each[0]: each[1:] for each in program("table.py").rows}
    for name in ("product", "inverse", "solve"):
        function, rule, inputs = rows[name]
        inputs = [each + 0.01 * normal(seed, each.shape)[0] for each in inputs]
        Y = function(*inputs)
        U, *V = normal(seed, Y.shape, *(each.shape for each in inputs))
        found = mode.gradients(lambda *given: U * function(*given), *inputs)
        assert all(map(close, found, tf.nest.flatten(rule(U, Y, *inputs))))
        right = slope(
            lambda t: function(*(x + t * v for x, v in zip(inputs, V))), 0.0, 1.0
        )
        paired = [pairing(g, v) for g, v in zip(found, V)]
        assert close(sum(paired), pairing(U, right), 1e-5)
        assert len(V) == 1 or not close(paired[0], pairing(U, right), 1e-5)
    A, B = regular(seed), normal(seed, [3, 2])[0]
    U = tf.ones([3, 2], tf.float64)
    for_A, for_B = mode.gradients(tf.linalg.solve, A, B)
    assert close(for_B, tf.linalg.inv(tf.transpose(A)) @ U)
    assert close(for_A, -for_B @ tf.transpose(tf.linalg.solve(A, B)))


@says(
    "For Cholesky, the …",
    "Only the symmetric …",
)
@over(seed=SEEDS)
def test_symmetric_direction(seed):
    name, function, rule, [X] = program("table.py").rows[9]
    U, V = normal(seed, [3, 3], [3, 3])
    H = rule(U, function(X), X)
    assert name == "Cholesky" and not close(H, tf.transpose(H))
    assert close(pairing(H, symmetric(V)), pairing(symmetric(H) / 2, symmetric(V)))
    assert not close(pairing(H, V), pairing(symmetric(H) / 2, V), 1e-9)


@says(
    "Use the formula …",
)
@over(mode=FEW)
def test_three_sizes_find_it(mode):
    A, B, U = normal(0, [2, 3], [3, 4], [2, 4])
    assert raised(mode.gradients, lambda A, B: U * bare(A, B), A, B) is not None
    found = mode.gradients(lambda A, B: U * (A @ B), A, B)
    assert close(found[0], U @ tf.transpose(B)) and close(found[1], tf.transpose(A) @ U)


@says(
    "For a stack …",
    "`tf.transpose` reverses the order of all axes, so it …",
    "`tf.transpose` reverses the order of all axes, so the …",
    "Here the stack …",
    "Compare `product` with …",
    "The gradient of `product` …",
    "The gradient of `tf.matmul` is …",
    "Write `tf.linalg.matrix_transpose` for …",
    "Deliberately wrong: tf.transpose …",
)
@over(mode=FEW, batch=[2, 3])
def test_stack(mode, batch):
    stacked = program("wrong/stack.py").product
    A, B = normal(0, [batch, 2, 2], [batch, 2, 2])
    assert same(tf.transpose(A), np.transpose(A, [2, 1, 0]))
    assert tf.transpose(tf.zeros([5, 2, 3])).shape == [3, 2, 5]  # the batch is last
    assert tf.transpose(tf.zeros([2, 3, 4, 5])).shape == [5, 4, 3, 2]
    right = mode.gradients(tf.matmul, A, B)
    if batch == 2:
        found = mode.gradients(stacked, A, B)
        assert not close(found[0], right[0]) and found[0].shape == A.shape
    else:
        assert raised(mode.gradients, stacked, A, B) is not None
    C = tf.ones_like(A)
    assert close(right[0], C @ tf.linalg.matrix_transpose(B))


@says(
    "For a determinant, …",
    "Add two axes …",
    "If `tf.matmul` broadcasts …",
)
@over(mode=[EAGER, AROUND])
def test_batches(mode):
    X, A, U = normal(0, [4, 3, 3], [3, 3], [4])
    right = mode.gradient(lambda X: U * tf.linalg.det(X), X)
    scaled = np.stack([cofactors(each) for each in X])
    assert close(right, U[:, None, None] * scaled)
    assert np.ndim(U[:, None, None]) - np.ndim(U) == 2
    assert raised(lambda: U * scaled) is not None
    spread = mode.gradient(lambda A: tf.matmul(A, X), A)
    each = tf.ones_like(X) @ tf.linalg.matrix_transpose(X)
    assert spread.shape == A.shape and close(spread, tf.reduce_sum(each, 0))


@says(
    "The vector occurs …",
    "A scalar is …",
    "One more term …",
    "Here $y = 27$, …",
    "The program compares …",
    "Both gradients agree …",
    "The quadratic form, …",
)
@over(mode=[EAGER], seed=SEEDS)
def test_quadratic_form(mode, seed):
    defined = program("solution.py")
    assert same(defined.plain(defined.x, defined.A), 27.0)
    assert trace("solution.py").all("y") == [27, 27]
    of_square = trace("solution.py")[0].numbers[-4:]
    x, y = defined.x.numpy(), 27
    assert of_square == [*np.ravel(2 * y * np.outer(x, x))] and 2 * y == 54
    x, A, V = normal(seed, [3], [3, 3], [3])
    found, own = (
        mode.gradients(lambda x, A: 7.0 * function(x, A), x, A)
        for function in (defined.quadratic, defined.plain)
    )
    assert all(map(close, found, own))
    one, other = (np.dot(a, np.dot(A, b)) for a, b in ((V, x), (x, V)))
    assert close(7 * (one + other), pairing(found[0], V))
    assert close(one, np.dot(np.dot(x, np.transpose(A)), V))
    [D] = normal(seed + 1, [3, 3])
    terms = [one, other, pairing(np.outer(x, x), D)]
    whole = slope(lambda t: defined.plain(x + t * V, A + t * D), 0.0, 1.0)
    assert close(sum(terms), whole, 1e-5) and len(terms) == 2 + 1
    assert not close(one + other, whole, 1e-9)


@says(
    "It is [[5.0, …",
    "The upstream gradient is a column …",
    "It is [[12.0, …",
    "The upstream gradient is 3, …",
)
@over(mode=MODES)
def test_predictions(mode):
    A, B = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0], [6.0]])
    found = mode.gradient(lambda A: tf.reduce_sum(A @ B), A)
    assert same(found, [[5.0, 6.0], [5.0, 6.0]])
    upstream = np.ones([2, 1])
    assert upstream.shape == (A @ B).shape and same(found, upstream @ np.transpose(B))
    if mode in (XLA, AROUND_XLA):
        return  # XLA has no determinant
    X = tf.constant([[2.0, 0.0], [0.0, 4.0]])
    found = mode.gradient(lambda X: 3.0 * tf.linalg.det(X), X)
    y, inverse = tf.linalg.det(X), tf.linalg.inv(tf.transpose(X))
    assert mode.gradient(lambda y: 3.0 * y, y) == 3
    assert same(found, [[12.0, 0.0], [0.0, 6.0]], 1e-6) and y == 8
    assert same(np.diag(inverse), [1 / 2, 1 / 4]) and close(found, 3 * y * inverse)


definition(
    "The bar marks …",
    "This gradient has …",
    "The section on the …",
    "In the last row, …",
    "Derive gradients with …",
    "function — input …",
    "On this page, …",
    "The types and …",
    r"Let $\upstream{G} \in \R^{m \times m}$ …",
)


advice(
    "To use a …",
    "You need the …",
    "Make two quick …",
    "Predict: the sum …",
    "Let `A = [[1.0, 2.0], [3.0, 4.0]]` …",
    "What is the gradient of `tf.reduce_sum(A @ B)` …",
    "Predict: a determinant.",
    "What is the gradient of `3.0 * tf.linalg.det(X)`?",
    "Derive: a quadratic form.",
    "Derive the gradient function …",
    "Don't assume that …",
    "Then predict both …",
)


history(
    "Inner products replace …",
    "Murray, 2016 derives …",
)


pointer(
    "For functions in …",
    "For eigenvectors, singular …",
    "The catalogue of …",
)
