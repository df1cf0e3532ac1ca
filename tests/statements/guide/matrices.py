"""What the page on matrices says in words."""

import itertools
import re
import warnings
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
    "Test with three …",
    "The rule of $C = A B$, …",
    "Square shapes will …",
    "Nothing stops a …",
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
    "In the run …",
    "The transposes are missing.",
    "Wrong on purpose: the …",
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


@says(
    "With a symmetric …",
    "Upstream is weighted …",
)
@over(mode=[EAGER, AROUND], size=[1, 3], seed=SEEDS)
def test_symmetric_passes(mode, size, seed):
    A, any_B = normal(seed, [size, size], [size, size])
    for B in (any_B + tf.transpose(any_B), tf.eye(size, dtype=A.dtype)):
        by_rule, right = (
            mode.gradients(lambda A: f(A, B) ** 2, A)[0] for f in (bare, tf.matmul)
        )
        assert close(by_rule, right)
    weights = program("wrong/transpose.py")
    any_B = tf.constant([[0.0, 1.0], [2.0, 3.0]])
    assert len({*np.ravel(any_B)}) == 4
    shown = [weights.gradient_of_A(f, weights.A, any_B) for f in (bare, tf.matmul)]
    assert [trace("wrong/transpose.py")[at].numbers for at in (1, 2)] == [
        [*np.ravel(each)] for each in shown
    ]
    assert shown[0] != shown[1]


@says(
    "One table has …",
    "This page derives …",
    "One table, and …",
    "The last two …",
    "For all others …",
    "Every rule of …",
    "layer normalization — …",
    "convolution — $x$, …",
    was="'with the same four steps': the sum over one axis, the trace and the offset have none of their own",
)
def test_each_row_has_a_run():
    steps = [
        PAGE.count(f"{number}. **{words}")
        for number, words in enumerate(
            ("State the map", "Write the differential", "Pair it", "Read off"), 1
        )
    ]
    assert len({*steps}) == 1 and steps[0] >= 12
    rows = re.findall(r"^\| (\S.*?) \| ", PAGE.split("## Check")[1], re.MULTILINE)
    rows = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", each) for each in rows[2:-2]]
    names = [re.split(r",| \$", each)[0] for each in rows if each[0] != "|"]
    names = ["solve" if each == "linear system" else each for each in names]
    lines = trace("table.py")
    assert lines[0].text.split() == ["rule", "TensorFlow", "differences"]
    shown = [re.split(r"\s{2,}|\s-", each.text)[0].strip() for each in lines[1:]]
    assert [each.replace("\\", "") for each in names] == shown
    for line in lines[1:]:
        rule, own, differences = line.numbers[-3:]
        assert rule == own and abs(rule - differences) < 1e-4
    for _, function, _, inputs in program("table.py").rows:
        assert {each.dtype for each in (*inputs, function(*inputs))} == {tf.float64}
    own = trace("layer_norm.py")
    half = len(own) // 2
    assert [each.text for each in own[1:half]] == [
        each.text for each in own[half + 1 :]
    ]
    assert sum("downstream" in each.text for each in own[:half]) == 3
    assert all(
        "float64" in (FOLDER / each).read_text()
        for each in ("layer_norm.py", "conv.py")
    )
    assert (
        trace("conv.py").line("rule").numbers
        == trace("conv.py").line("differences").numbers
    )
    assert sum("downstream" in each.text for each in trace("conv.py")) == 2


FOLDER = Path(__file__).parents[3] / "snippets/guide/matrices"


@says("Indices work, but …")
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
    "The pairing of …",
    "And a factor …",
    "Both sides of …",
    "Then move the factors:",
    "Move one factor …",
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
    "Three sizes, all …",
    "The shapes leave …",
    "Derive and test …",
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
    "The gradient of …",
    "The product rule; …",
    "What is paired …",
)
@over(mode=[EAGER], seed=SEEDS)
def test_product_rule(mode, seed):
    A, B, dA, dB, U = normal(seed, *[[3, 3]] * 5)
    right = slope(lambda t: (A + t * dA) @ (B + t * dB), 0.0, 1.0)
    assert close(right, dA @ B + A @ dB) and not close(right, B @ dA + dB @ A)
    for_A, for_B = mode.gradients(lambda A, B: U * (A @ B), A, B)
    assert close(for_A, U @ tf.transpose(B)) and close(for_B, tf.transpose(A) @ U)
    assert close(pairing(for_A, dA) + pairing(for_B, dB), pairing(U, right))


def block(lines, name):
    at = next(i for i, each in enumerate(lines) if each.text.startswith(f"{name} ["))
    rows, _ = shape = [int(each) for each in lines[at].numbers]
    found = np.array([each.numbers for each in lines[at + 1 : at + 1 + rows]])
    assert [*found.shape] == shape
    return found


@says(
    "`upstream` holds the …",
    "Here $m$ and …",
    "Row 1 of …",
    "Its second element …",
    "The first element …",
    "The rule of the matrix …",
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
    "All elements, added:",
    "The map is …",
    "Upstream, spread over …",
    r"sum, $y = \sum_{i,j} X_{ij}$ …",
)
@over(cases=6, mode=FEW, x=arrays((3, 2)), seed=SEEDS)
def test_sum(mode, x, seed):
    [V] = normal(seed, x.shape)
    assert close(slope(tf.reduce_sum, tf.cast(x, V.dtype), V, 1.0), tf.reduce_sum(V))
    assert same(mode.gradient(tf.reduce_sum, x), np.ones([3, 2]))
    assert same(mode.gradient(lambda X: 7.0 * tf.reduce_sum(X), x), 7 * np.ones([3, 2]))


@says(
    "The sum over …",
    "Each column gets …",
    r"column sums, $y_j = \sum_i X_{ij}$ …",
)
@over(mode=FEW)
def test_column_sums(mode):
    [X] = normal(0, [3, 2])
    found = mode.gradient(lambda X: tf.reduce_sum(X, 0) * [5.0, 7.0], X)
    assert same(found, [[5.0, 7.0]] * 3)


@says(
    "The trace adds …",
    "What is not …",
    r"trace, $y = \operatorname{tr} X$ …",
)
@over(mode=FEW, off=[0.0, 1e30, np.inf, np.nan])
def test_trace(mode, off):
    X = np.where(np.eye(3) == 1, 2.0, off)
    assert tf.linalg.trace(X) == 6
    assert same(mode.gradient(lambda X: 7.0 * tf.linalg.trace(X), X), 7 * np.eye(3))


@says("Linear again:", "transpose — $X$ …")
@over(cases=6, mode=FEW, seed=SEEDS)
def test_transpose(mode, seed):
    X, V, U = normal(seed, [3, 2], [3, 2], [2, 3])
    assert close(slope(tf.transpose, X, V), tf.transpose(V))
    assert same(mode.gradient(lambda X: U * tf.transpose(X), X), tf.transpose(U))


# Inverse and system.


@says(
    r"Defined where $\det X \ne 0$:",
    "$X Y$ is …",
    "Then multiply with …",
    "In a matrix …",
    "For numbers this …",
)
@over(size=[1, 2, 3], seed=SEEDS)
def test_differential_of_the_inverse(size, seed):
    X, [V] = regular(seed, size), normal(seed + 1, [size, size])
    Y, dY = tf.linalg.inv(X), slope(tf.linalg.inv, X, V)
    assert close(X @ Y, np.eye(size)) and close(X @ dY + V @ Y, np.zeros([size, size]))
    assert close(dY, -Y @ V @ Y)
    assert size > 1 or (close(dY, -(Y**2) * V) and close(Y, 1 / X))
    assert size == 1 or not close(dY, -Y @ Y @ V, 1e-9)
    assert raised(tf.linalg.inv, tf.zeros([size, size])) is not None


@says(
    "The rule needs …",
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
    r"Where $\det A \ne 0$, …",
    "It never forms …",
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
    "Its rule shall …",
    "From $A Y = B$, …",
    "The inverse moves …",
    "One more solve, …",
    "For real numbers …",
    "Both rules in code.",
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
    "The differences are …",
    "The rules of …",
    "The slope of …",
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
    "Expand along one …",
    "So the derivative …",
    "For two rows …",
    "and the right …",
    "A square matrix …",
    "Upstream is a number:",
    "det — $X$ …",
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
    "TensorFlow's own rule …",
    "Wrong on purpose: TensorFlow's own …",
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
    "The determinant is …",
    "A rule of your …",
    "No division is left.",
    "A rule of the …",
)
@over(mode=[EAGER, AROUND], size=[1, 2, 3, 4], seed=SEEDS)
def test_rule_at_singular_matrices(mode, size, seed):
    det = program("det.py").det
    X = tf.constant(singular(seed, size) if size > 1 else [[0.0]], tf.float64)
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
    "A second tape …",
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
    "Matrices of cofactors …",
)
@over(size=[2, 3], seed=SEEDS)
def test_cofactors_multiply(size, seed):
    P, Q = singular(seed, size), singular(seed + 1, size)
    [R] = normal(seed, [size, size])
    for one, other in ((P, Q), (P, R), (R, Q), (R, R + 1)):
        assert close(cofactors(one @ other), cofactors(one) @ cofactors(other))


@says("So take the …")
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
    "The determinant of …",
    r"$\d \log |u| = \d u / u$, …",
    "log |det| — …",
)
@over(mode=[EAGER, AROUND], seed=SEEDS)
def test_logarithm(mode, seed):
    def logarithm(X):
        return tf.linalg.slogdet(X)[1]

    large = 10.0 * tf.eye(200)
    assert np.isinf(tf.linalg.det(large)) and close(
        logarithm(large), np.float32(200 * np.log(10))
    )
    [X] = normal(seed, [3, 3])
    found = mode.gradient(lambda X: 7.0 * logarithm(X), X)
    assert close(found, 7 * tf.linalg.inv(tf.transpose(X)))
    assert not close(found, 7 * tf.linalg.det(X) * tf.linalg.inv(tf.transpose(X)))
    assert np.isfinite(mode.gradient(logarithm, large)).all()


@says("At a singular matrix $y$ …")
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
    "A symmetric positive …",
    "It is the …",
    "$Y$ keeps the …",
)
@over(cases=8, mode=["eager", "XLA"], size=[1, 4], seed=SEEDS)
def test_one_factor(mode, size, seed):
    Y = factor(seed, size)
    X = Y @ tf.transpose(Y)
    cholesky = tf.function(tf.linalg.cholesky, jit_compile=mode == "XLA")
    assert close(cholesky(X), Y)
    assert close(tf.linalg.band_part(Y, -1, 0), Y) and np.all(np.diag(Y) > 0)


@says(
    "Multiply it with …",
    "The sum has …",
    "A mask takes …",
    "A mask moves …",
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
    M = np.tril(np.ones([size, size])) - 0.5 * np.eye(size)
    assert close(M * sum_of_both, triangle, 1e-5)
    assert close(pairing(F, M * G), pairing(M * F, G))


@says(
    r"$\d X$ is …",
    "Here a convention …",
    "On symmetric matrices …",
    "TensorFlow, and this …",
    "Cholesky — $X$ …",
    "The rule of the Cholesky factor, …",
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
    assert not close(pairing(symmetric(N), symmetric(N)), 0.0)
    assert not close(found, H)


@says("The differences move …")
def test_both_places():
    lines = trace("cholesky.py")
    downstream = np.reshape(lines.line("downstream").numbers, [2, 2])
    assert downstream[0, 1] == downstream[1, 0] == -15.17767
    rule, differences = lines.line("X12 and X21").numbers[-2:]
    assert rule == differences and abs(rule - 2 * downstream[0, 1]) < 1e-4


@says(
    "The check leaves …",
    "The rule of the Cholesky factor seems …",
    "Their sum is …",
    "Move them together, …",
    "Wrong on purpose: a check …",
)
def test_one_half_moved():
    lines = trace("wrong/cholesky.py")
    own, differences = (lines.line(word).numbers for word in ("Tensor", "diff"))
    assert own[1:3] == [0.25, 0.25] and differences[1:3] == [0, 0.5]
    assert own != differences and sum(own) == sum(differences)
    assert own[0] == differences[0] and own[3] == differences[3]


@says(
    "`tf.linalg.cholesky` reads the …",
    "So moving $X_{1,2}$ …",
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


# Softmax and cross-entropy.

LOGITS = arrays((4,), numbers(-30, 30))


@says(
    r"Each is $p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$, …",
    "The logarithm of …",
    "Then rename the …",
    "Upstream less its …",
    "The Jacobian has …",
    "softmax — $z$ …",
)
@over(mode=[EAGER], z=LOGITS, seed=SEEDS)
def test_softmax(mode, z, seed):
    z = tf.cast(z, tf.float64)
    U, V = normal(seed, [4], [4])
    p = tf.nn.softmax(z)
    assert close(p, np.exp(z) / np.sum(np.exp(z)))
    shared = z - np.log(p)
    assert close(shared, shared[0] * np.ones(4))
    change = slope(tf.reduce_logsumexp, z, V)
    assert close(change, np.sum(p * V)) and close(
        slope(tf.nn.softmax, z, V), p * (V - np.sum(p * V))
    )
    found = mode.gradient(lambda z: U * tf.nn.softmax(z), z)
    assert close(found, p * (U - np.sum(U * p)))
    jacobian = np.diag(p) - np.outer(p, p)
    assert jacobian.shape == (4, 4) and close(found, np.asarray(U) @ jacobian)


@says(
    "The second form …",
    "Both steps at …",
    "Write the differential, …",
    "Pair it with …",
    "Labels that are …",
    "Remember the sum: …",
    "cross-entropy — $z$ …",
)
@over(mode=[EAGER], z=arrays((3,), numbers(-1e30, 1e30)), seed=SEEDS)
def test_cross_entropy(mode, z, seed):
    def loss(z, t):
        return tf.reduce_sum(t) * tf.reduce_logsumexp(z) - tf.reduce_sum(t * z)

    z = tf.cast(z, tf.float64)
    t = tf.abs(normal(seed, [3])[0])
    shifted = np.exp(z - np.max(z))
    assert np.isfinite(loss(z, t)) and np.sum(shifted) >= 1  # its logarithm is taken
    small = tf.clip_by_value(z, -9.0, 9.0)
    p = tf.nn.softmax(small)
    assert close(loss(small, t), -np.sum(t * np.log(p)))
    found = mode.gradient(lambda z: 7.0 * loss(z, t), small)
    assert close(found, 7 * (p * np.sum(t) - t))
    t /= np.sum(t)
    found = mode.gradient(lambda z: 7.0 * loss(z, t), small)
    own = mode.gradient(
        lambda z: (
            7.0
            * tf.nn.softmax_cross_entropy_with_logits(
                labels=tf.stop_gradient(t), logits=z
            )
        ),
        small,
    )
    assert close(found, 7 * (p - t)) and close(own, found)


@says(
    "One rule for …",
    "Softmax and cross-entropy: …",
    "Two rules in …",
    "At 200 the …",
    "Its logarithm sends …",
)
def test_two_rules_at_200():
    lines = trace("cross_entropy.py")
    assert [each.text.split(":")[0] for each in lines if each.text[0] != " "] == [
        f"{name} at [{z}, 0.0]"
        for z in ("0.0", "200.0")
        for name in ("in_a_row", "cross_entropy")
    ]
    assert lines[7].numbers == [0, -np.inf, 1, 0]  # upstream and p
    assert np.isnan(lines[8].numbers).all()
    assert lines[-1].numbers == [1, -1]
    assert tf.nn.softmax([200.0, 0.0])[1] == 0 < tf.nn.softmax([np.float64(200), 0])[1]
    assert np.isnan(0.0 * -np.inf)


@says(
    "One rule for …",
    "Both rules are …",
    "A rule for …",
    was="'no floating-point number can hold': e^200 is a float64",
)
@over(mode=FEW, case=[(tf.float32, 200.0), (tf.float64, 800.0), (tf.float64, 200.0)])
def test_what_cannot_be_held(mode, case):
    dtype, apart = case
    z, t = tf.constant([apart, 0.0], dtype), tf.constant([0.0, 1.0], dtype)

    def in_a_row(z):
        return -tf.math.log(tf.nn.softmax(z)[1])

    def at_once(z):
        return tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)

    assert close(mode.gradient(at_once, z), [1.0, -1.0])
    held = dtype == tf.float64 and apart == 200
    assert np.isfinite(mode.gradient(in_a_row, z)).all() == held
    first, second = tf.nn.softmax(z)
    right = mode.gradient(tf.math.log, tf.constant(1e-30, dtype))  # each one alone
    assert same(right, 1e30, 1e-6) and first == 1 and (second > 0) == held
    assert np.isfinite(mode.gradient(lambda z: tf.nn.softmax(z)[1], z)).all()


@says(
    "Labels that do …",
    "TensorFlow's `tf.nn.softmax_cross_entropy_with_logits` computes …",
    "For two labels …",
)
@over(
    mode=FEW,
    t=[[0, 1, 1], [0, 0, 0], [0, 3, 0], [-1, 2, 0.5], [1e6, 0, 0], [0.2, 0.3, 0.5]],
)
def test_labels(mode, t):
    t, z = np.array(t, np.float64), np.array([1.0, 2.0, 3.0])
    p = tf.nn.softmax(z)

    def loss(z):
        return tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)

    assert close(loss(z), -np.sum(t * np.log(p)))
    assert close(mode.gradient(loss, z), p - t)
    belongs = close(p - t, p * np.sum(t) - t)
    assert belongs == (np.sum(t) == 1)


@says(
    "The third logit …",
    "Wrong on purpose: TensorFlow's cross-entropy …",
)
def test_the_third_logit():
    lines = trace("wrong/labels.py")
    assert sum(lines[5].numbers) == 2
    own, differences = lines[6].numbers[2], lines[7].numbers[2]
    assert own < 0 < differences  # a step goes against the gradient


@says("The documentation says …")
@over(mode=[EAGER, AROUND])
def test_nothing_warns(mode):
    loss = tf.nn.softmax_cross_entropy_with_logits
    assert re.search(
        r"valid\s+probability distribution.*gradient\s+will\s+be\s+incorrect",
        loss.__doc__.replace("computation of the ", ""),
        re.DOTALL,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for labels in ([0.0, 1.0, 1.0], [0.0, -1.0, 0.0]):
            mode.gradient(lambda z: loss(labels=labels, logits=z), tf.ones([3]))


@says("Scale the loss …")
@over(mode=[EAGER])
def test_cures_of_the_labels(mode):
    t, z = np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])

    def several(z):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=z)

    def scaled(z):
        return 2.0 * tf.nn.softmax_cross_entropy_with_logits(labels=t / 2, logits=z)

    for loss in (several, scaled):
        for direction in np.eye(3):
            right = slope(lambda z: tf.reduce_sum(loss(z)), z, direction)
            assert close(pairing(mode.gradient(loss, z), direction), right)


# Layer normalization.


@says(
    "The scale and …",
    "They are the …",
    "Layer normalization: the …",
    "What arrives at …",
    "The cure is all …",
    "A rule that …",
)
@over(cases=8, mode=[EAGER, INSIDE], rows=[1, 4], seed=SEEDS)
def test_layer_norm(mode, rows, seed):
    defined = program("layer_norm.py")
    x, gamma, beta, U = normal(seed, [rows, 3], [3], [3], [rows, 3])
    found, own = (
        mode.gradients(lambda *inputs: U * function(*inputs), x, gamma, beta)
        for function in (defined.layer_norm, defined.plain)
    )
    assert all(map(close, found, own))
    c = x - np.mean(x, -1, keepdims=True)
    s = np.sqrt(np.mean(c * c, -1, keepdims=True) + defined.EPSILON)
    r = c / s
    assert close(found[1], np.sum(U * r, 0)) and close(found[2], np.sum(U, 0))
    u = U * gamma
    terms = [u, -defined.mean(u), -r * defined.mean(u * r)]
    assert close(found[0], sum(terms) / s) and not close(found[0], terms[0] / s)
    at_deviations = (terms[0] + terms[2]) / s
    assert close(found[0], at_deviations - defined.mean(at_deviations))


@says(
    "For the spread, …",
    "Each $r_i$ feels …",
    "The mean is …",
    "In layer normalization …",
    "What is computed …",
)
@over(n=[2, 3, 7], seed=SEEDS)
def test_one_row(n, seed):
    x, V = normal(seed, [n], [n])
    epsilon, moved = 0.1, 0.3

    def parts(t):
        c = x + t * V - np.mean(x + t * V)
        s = np.sqrt(np.mean(c * c) + epsilon + t * moved)
        return c, s, c / s

    _, s, r = parts(0.0)
    dc, ds, dr = (np.subtract(a, b) / 2e-6 for a, b in zip(parts(1e-6), parts(-1e-6)))
    assert close(ds, np.mean(r * dc) + moved / (2 * s)) and ds != 0
    assert close(dr, (dc - r * ds) / s) and close(np.mean(r), 0.0)
    assert close(dc, V - np.mean(V))


@says(
    "Adding one number …",
    "The sum of …",
    "Look for such …",
    was="'always': a constant row has a sum of NaN without ε",
)
@over(mode=[EAGER], row=arrays((2, 4), numbers(-1e3, 1e3)), added=[1.0, -300.0])
def test_invariants(mode, row, added):
    def normalize(x):
        c = x - tf.reduce_mean(x, -1, keepdims=True)
        return c / tf.sqrt(tf.reduce_mean(c * c, -1, keepdims=True) + 1e-3)

    x = tf.cast(row, tf.float64)
    assert close(normalize(x + added), normalize(x))
    found = mode.gradient(normalize, x, LOSSES["dense"])
    assert close(np.sum(found, -1), np.zeros(2), 1e-7 * (1 + np.abs(found).max()))
    assert close(np.sum(normalize(x), -1), np.zeros(2))
    assert close(mode.gradient(normalize, x, LOSSES["ones"]), np.zeros([2, 4]), 1e-6)


@says("The second row …")
def test_the_constant_row():
    defined, lines = program("layer_norm.py"), trace("layer_norm.py")
    first, second = np.split(np.abs(lines[2].numbers), 2)
    assert second.min() > first.max()
    assert np.ptp(defined.x[1]) == 0 < np.ptp(defined.x[0])
    assert np.max(defined.upstream[1]) < np.max(defined.upstream[0])


@says(
    r"With $\varepsilon = 0$ …",
    was="'is NaN': seven times 0.1 in float32 give 4e8 eagerly, three times 0.1 under XLA 9e7",
)
@over(
    mode=[EAGER, INSIDE, AROUND_XLA],
    value=[-3.0, 0.0, 0.1],
    size=[3, 7],
    dtype=[tf.float32, tf.float64],
)
def test_no_spread(mode, value, size, dtype):
    x = tf.fill([1, size], tf.constant(value, dtype))
    plain = program("wrong/frozen.py").plain
    found = mode.gradient(plain, x, LOSSES["dense"])
    if value == round(value) and mode not in (XLA, AROUND_XLA):
        assert np.isnan(found).all()
    if mode is EAGER and dtype == tf.float32 and (value, size) == (0.1, 7):
        assert np.isfinite(found).all() and np.abs(found).max() > 1e8


@says(
    "(This program has …",
    "Wrong on purpose: layer …",
)
def test_frozen():
    defined, lines = program("wrong/frozen.py"), trace("wrong/frozen.py")
    x = tf.constant([[1.0, 2.0, 6.0]], tf.float64)
    c = x - defined.mean(x)
    assert same(defined.normalize(x), c / tf.sqrt(defined.mean(c * c)))
    assert all(each > 0.1 for each in lines[0].numbers)
    assert lines[1].numbers == [0, 0, 0]
    assert "constant row" in lines[-1].text and np.isnan(lines[-1].numbers).all()


# Convolution.


def places(K, strides=1, padding="VALID", dilations=1, image=(3, 4)):
    """The S of a convolution: which pixel goes where."""
    height, width = K
    pixels = tf.reshape(tf.eye(image[0] * image[1], dtype=tf.float64), [-1, *image, 1])
    found = tf.image.extract_patches(
        pixels,
        [1, height, width, 1],
        [1, strides, strides, 1],
        [1, dilations, dilations, 1],
        padding,
    )
    found = tf.reshape(found, [image[0] * image[1], -1, height * width])
    return np.transpose(found, [1, 2, 0])


@says(
    "A convolution is …",
    "$P$ has one …",
    "Pixels $x$, kernel …",
    "As of any product:",
    "A pixel gets …",
    "The last sum …",
    "One row of …",
    "A 2-D convolution …",
    "The first pixel …",
)
@over(cases=6, mode=FEW, seed=SEEDS)
def test_convolution(mode, seed):
    defined = program("conv.py")
    X, K, U = normal(seed, [1, 3, 4, 1], [2, 2, 1, 2], [1, 2, 3, 2])
    S, x = places([2, 2]), np.ravel(X)
    assert {*np.ravel(S)} == {0, 1} and np.all(np.sum(S, -1) == 1)
    P = S @ x
    columns = np.reshape(K, [4, 2])
    assert P.shape == (2 * 3, 2 * 2)
    assert close(np.reshape(defined.patches(X, 2, 2), P.shape), P)
    assert close(np.reshape(defined.conv(X, K), [6, 2]), P @ columns)
    of_X, of_K = mode.gradients(lambda X, K: U * defined.conv(X, K), X, K)
    upstream = np.reshape(U, [6, 2])
    assert close(np.reshape(of_K, [4, 2]), P.T @ upstream)
    folded = np.einsum("ijl,ij->l", S, upstream @ columns.T)
    assert close(np.ravel(of_X), folded)
    at_once = tf.nn.conv2d_transpose(U, K, X.shape, 1, "VALID")
    assert close(np.ravel(at_once), folded)
    assert np.sum(S[..., 0]) == 1 == S[0, 0, 0]
    assert [*np.ravel(defined.K)[:2]] == [*np.ravel(defined.upstream)[:2]] == [0, 1]
    assert trace("conv.py")[1].numbers[0] == 1


@says("On the way …")
@over(function=[EAGER, INSIDE, XLA], seed=SEEDS)
def test_correlation(function, seed):
    X, K = normal(seed, [1, 5, 1], [3, 1, 1])
    compiled = tf.function(tf.nn.conv1d, jit_compile=function is XLA)
    conv = tf.nn.conv1d if function is EAGER else compiled
    found = np.ravel(conv(X, K, 1, "VALID"))
    assert close(found, np.correlate(np.ravel(X), np.ravel(K), "valid"))
    assert not close(found, np.convolve(np.ravel(X), np.ravel(K), "valid"))


@says(
    "In the code, `X` …",
    "The program has …",
)
@over(strides=[1, 2, 3], padding=["VALID", "SAME"], dilations=[1, 2])
def test_other_choices(strides, padding, dilations):
    defined = program("conv.py")
    height, width = defined.K.shape[:2]
    S = places([height, width])
    assert close(
        np.reshape(defined.patches(defined.X, 2, 2), [6, 4]), S @ np.ravel(defined.X)
    )
    if strides > 1 < dilations:
        return  # TensorFlow has no such convolution
    other = places([height, width], strides, padding, dilations)
    assert {*np.ravel(other)} == {0, 1}
    assert np.array_equal(S, other) == (
        (strides, padding, dilations) == (1, "VALID", 1)
    )
    Y = tf.nn.conv2d(defined.X, defined.K, strides, padding, dilations=dilations)
    assert close(
        np.ravel(Y),
        np.ravel(other @ np.ravel(defined.X) @ np.reshape(defined.K, [4, 2])),
    )


@says(
    "A data set …",
    "The rule fails …",
    "A well-known form …",
    "Batch and channels …",
    "Wrong on purpose: a rule …",
    "The product of …",
)
@over(mode=[EAGER, INSIDE, AROUND_XLA], batch=[0, 3])
def test_empty_batch(mode, batch):
    X, K = tf.random.normal([batch, 3, 4, 1]), tf.random.normal([2, 2, 1, 2])
    exchanged, patches = (program(name).conv for name in ("wrong/empty.py", "conv.py"))
    own = mode.gradients(lambda X, K: tf.nn.conv2d(X, K, 1, "VALID"), X, K)
    assert all(map(close, mode.gradients(patches, X, K), own))
    if batch:
        assert all(
            close(*pair, 1e-4) for pair in zip(mode.gradients(exchanged, X, K), own)
        )
    else:
        assert raised(mode.gradients, exchanged, X, K) is not None
        assert same(own[1], np.zeros(K.shape))
    assert same(tf.ones([4, 0]) @ tf.ones([0, 2]), np.zeros([4, 2]))


# The check, and what else breaks.


@says(
    "A direction that …",
    "Each number of …",
    "product $A B$, …",
    r"$B$ — $\local{A^{\T}} \, \upstream{\bar C}$",
    "inverse — $X$ …",
    "linear system, $A^{-1} B$ …",
    r"$A$ — $-\local{A^{-\T}} \, \upstream{\bar Y} \, \local{Y^{\T}}$",
    "Name, map, rule(upstream, …",
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


@says("The direction of …")
@over(seed=SEEDS)
def test_symmetric_direction(seed):
    name, function, rule, [X] = program("table.py").rows[9]
    U, V = normal(seed, [3, 3], [3, 3])
    H = rule(U, function(X), X)
    assert name == "Cholesky" and not close(H, tf.transpose(H))
    assert close(pairing(H, symmetric(V)), pairing(symmetric(H) / 2, symmetric(V)))
    assert not close(pairing(H, V), pairing(symmetric(H) / 2, V), 1e-9)


@says("The cure is the …")
@over(mode=FEW)
def test_three_sizes_find_it(mode):
    A, B, U = normal(0, [2, 3], [3, 4], [2, 4])
    assert raised(mode.gradients, lambda A, B: U * bare(A, B), A, B) is not None
    found = mode.gradients(lambda A, B: U * (A @ B), A, B)
    assert close(found[0], U @ tf.transpose(B)) and close(found[1], tf.transpose(A) @ U)


@says(
    "`tf.transpose` reverses all …",
    "With two matrices …",
    "A stack of matrices.",
    "For arrays of …",
    "Wrong on purpose: tf.transpose …",
)
@over(mode=FEW, batch=[2, 3])
def test_stack(mode, batch):
    stacked = program("wrong/stack.py").product
    A, B = normal(0, [batch, 2, 2], [batch, 2, 2])
    assert same(tf.transpose(A), np.transpose(A, [2, 1, 0]))
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
    "An upstream of …",
    "Where `tf.matmul` spreads …",
)
@over(mode=[EAGER, AROUND])
def test_batches(mode):
    X, A, U = normal(0, [4, 3, 3], [3, 3], [4])
    right = mode.gradient(lambda X: U * tf.linalg.det(X), X)
    scaled = np.stack([cofactors(each) for each in X])
    assert close(right, U[:, None, None] * scaled)
    assert raised(lambda: U * scaled) is not None
    spread = mode.gradient(lambda A: tf.matmul(A, X), A)
    each = tf.ones_like(X) @ tf.linalg.matrix_transpose(X)
    assert spread.shape == A.shape and close(spread, tf.reduce_sum(each, 0))


@says(
    "The vector occurs twice.",
    "A number is …",
    "Here $y = 27$, …",
    "The quadratic form: …",
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


definition(
    "Upstream times differential, …",
    r"Let $\upstream{G} \in \R^{m \times m}$ …",
    "Labels $t$ are …",
    r"Mean $\mu$, deviations …",
    "In the code, `r_bar` …",
    "A matrix here …",
)
history(
    "Two facts replace …",
    "Murray, 2016 derives …",
)
advice(
    "You need the …",
    "Derive the rule …",
    "Then predict both …",
)


pointer("Of this kind, …")
