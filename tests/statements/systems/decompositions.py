"""What the page on decompositions says in words."""

import functools

from truth.statements.tries import *


def close(one, other, within=1e-6):
    return np.allclose(one, other, within, 1e-8)


def symmetric(seed, n):
    M = np.random.default_rng(seed).standard_normal([n, n])
    return M + M.T


def basis(seed, n):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal([n, n]))[0]


def of_eigenvalues(values, seed):
    Q = basis(seed, len(values))
    return (Q * np.array(values)) @ Q.T


def change(function, A, D, h=1e-5):
    """The slope along D, by central differences."""
    return (function(A + h * D) - function(A - h * D)) / (2 * h)


def along(function, A, D, mode=EAGER):
    return np.sum(mode.gradient(function, np.array(A)) * D)


def root_by_vectors(A):
    lambda_, V = tf.linalg.eigh(A)
    return tf.matmul(V * tf.sqrt(lambda_), V, transpose_b=True)


def reciprocals(lambda_):
    gap = lambda_[None, :] - lambda_[:, None] + np.eye(len(lambda_))
    return (1 - np.eye(len(lambda_))) / gap


# The derivation.


@says(
    "The gradient of $A$ …",
    "A symmetric $A$ …",
    "The outputs $V$ …",
    "Each of the …",
    "The columns stay …",
    r"Multiply $\d A$ by …",
    "The diagonal of …",
    "Both outputs have …",
    "The matrix $F$ multiplies …",
    r"$\d A$ is …",
    "The gradient through the eigenvalues …",
    "The gradient through the eigenvectors …",
    "Eigenvalues and eigenvectors …",
)
@over(mode=[EAGER, INSIDE], seed=[0, 1], n=[2, 4])
def test_the_derivation(mode, seed, n):
    A, D = symmetric(seed, n), symmetric(seed + 9, n)
    lambda_, V = (part.numpy() for part in tf.linalg.eigh(A))
    assert close(V.T @ V, np.eye(n)) and close((V * lambda_) @ V.T, A)
    assert (np.diff(lambda_) > 0).all()
    F, inner = reciprocals(lambda_), V.T @ D @ V
    dlambda = change(lambda A: np.linalg.eigh(A)[0], A, D)
    dV = change(lambda A: tf.linalg.eigh(A)[1].numpy(), A, D)
    assert close(dlambda, np.diag(inner), 1e-5)
    assert close(V.T @ dV, F * inner, 1e-4)
    assert close(V.T @ dV, -(V.T @ dV).T, 1e-4)
    rng = np.random.default_rng(seed)
    lambda_bar, V_bar = rng.standard_normal(n), rng.standard_normal([n, n])
    G = V @ (np.diag(lambda_bar) + F * (V.T @ V_bar)) @ V.T
    slope = np.sum(lambda_bar * dlambda) + np.sum(V_bar * dV)
    assert close(slope, np.sum(G * D), 1e-4)
    assert close(np.sum(G * D), np.sum(0.5 * (G + G.T) * D))

    def loss(A):
        values, vectors = program("decompositions.py").eigh(A)
        return tf.reduce_sum(lambda_bar * values) + tf.reduce_sum(V_bar * vectors)

    assert close(mode.gradient(loss, A), 0.5 * (G + G.T))


# Snippet and trace.


@says(
    "The program prints …",
    "Compare the last three matrices:",
    "The eigenvalues are …",
    "`local F` contains …",
    "The loss weights …",
    "So only the …",
)
def test_the_trace():
    lines = trace("decompositions.py")
    values = lines.starting("values")[0].numbers
    assert close(values, [1, 3])
    start = next(i for i, line in enumerate(lines) if "local F" in line.text)
    F = np.reshape(lines[start].numbers + lines[start + 1].numbers, [2, 2])
    assert close(F, [[0, 1 / 2], [-1 / 2, 0]])
    first, second = lines.starting("upstream")
    assert first.numbers == [1, 10]
    after = next(i for i, line in enumerate(lines) if line.text == second.text) + 1
    V_bar = np.reshape(second.numbers + lines[after].numbers, [2, 2])
    assert close(V_bar, [[100, 0], [0, 0]])


@says(
    "TensorFlow uses a …",
    "The program takes …",
    "`tf.linalg.eigh` reads only …",
    "For a symmetric …",
    "But after a …",
    "The last matrix …",
)
@over(mode=[EAGER, INSIDE], seed=[0])
def test_the_convention(mode, seed):
    A, D, w = symmetric(seed, 3), symmetric(5, 3), np.arange(1.0, 10.0).reshape(3, 3)

    def loss(function):
        def of(A):
            lambda_, V = function(A)
            return tf.reduce_sum(w * V) + tf.reduce_sum(w[0] * lambda_)

        return of

    ours = mode.gradient(loss(program("decompositions.py").eigh), A)
    own = mode.gradient(loss(tf.linalg.eigh), A)
    assert close(ours, np.transpose(ours)) and close(np.triu(own, 1), 0)
    assert close(np.sum(ours * D), np.sum(own * D))
    stepped = A - 0.1 * np.asarray(own)
    assert not close(stepped, stepped.T)
    upper = A + np.triu(np.ones([3, 3]), 1)
    assert same(tf.linalg.eigh(A)[0], tf.linalg.eigh(upper)[0])
    rows = trace("decompositions.py")
    assert close(rows.starting("downstream")[-1].numbers[1:3], [4.5, 4.5])
    assert close(rows.starting("TensorFlow")[0].numbers[1:3], [0, 9])
    assert (
        rows.starting("symmetric")[0].numbers == rows.starting("downstream")[-1].numbers
    )


# What has a gradient.


@says(
    "The negative of …",
    "If eigenvalues are equal, every …",
    "A smooth loss …",
    "A loss that …",
    "The program computes the same …",
    "The gradient of one …",
    "The gradient of a product …",
    "If eigenvalues are equal, the …",
    "TensorFlow's gradient is …",
    "In this case, TensorFlow …",
    "The terms with …",
    "Which losses of …",
    "The projector to …",
)
@over(mode=[EAGER, INSIDE], seed=[0, 1])
def test_gauge(mode, seed):
    defined = program("gauge.py")
    A = of_eigenvalues([1.0, 1.0, 3.0], seed)
    D = symmetric(seed + 7, 3)
    W = np.random.default_rng(seed).standard_normal([3, 3])
    turn = basis(seed, 2)
    ends = [
        np.linalg.eigvalsh(np.eye(2) + h * np.diag([1, -1]))[0] for h in (-0.1, 0.1)
    ]
    assert close(ends, 0.9)
    V = np.linalg.eigh(A)[1][:, :2]
    for vectors in (V, -V, V @ turn):
        assert close(A @ vectors, vectors)
        assert close(vectors @ vectors.T, V @ V.T)
    for choice in (np.eye(2), turn):

        def loss(A):
            return tf.reduce_sum(W * defined.space(A, tf.constant(choice)))

        right = change(lambda A: loss(A).numpy(), A, D)
        assert close(along(loss, A, D, mode), right, 1e-5)
    B = symmetric(seed, 3)
    for of, sign in (
        (lambda v: v[0], -1),
        (lambda v: v[0] * v[1], 1),
    ):
        plus, minus = (
            along(lambda A: of(defined.first_vector(A, choice)), B, D)
            for choice in (1.0, -1.0)
        )
        assert abs(plus) > 1e-6 and close(plus, sign * minus)


@says(
    "The matrix $F$ contains …",
    "Eigenvectors of equal eigenvalues have no gradient.",
    "If all eigenvalues …",
)
@over(mode=[EAGER, INSIDE], n=[2, 3])
def test_equal_vectors(mode, n):
    def loss(A):
        return tf.reduce_sum(tf.linalg.eigh(A)[1] ** 3)

    assert close(mode.gradient(loss, np.eye(n)), 0)
    D = np.ones([n, n])
    steps = [abs(loss(np.eye(n) + h * D) - loss(np.eye(n))) / h for h in (1e-4, 1e-6)]
    assert steps[1] > 50 * steps[0] > 0
    w = np.arange(1.0, 1 + n * n).reshape(n, n)

    def near(gap):
        def loss(A):
            return tf.reduce_sum(w * tf.linalg.eigh(A)[1])

        return np.array(mode.gradient(loss, np.diag(1 + gap * np.arange(n))))

    assert abs(near(1e-3)).max() > 1 and close(near(1e-3), 2 * near(2e-3))

    def element(A):  # of a projector: not every loss fails
        A = tf.convert_to_tensor(A)
        return program("gauge.py").space(A, tf.eye(2, dtype=A.dtype))[0, 2]

    A, D = np.diag([1.0, 1.0, 3.0]), symmetric(4, 3)
    assert np.sum(np.linalg.eigvalsh(A) == 1) == 2
    right = change(lambda A: element(A).numpy(), A, D)
    assert close(along(element, A, D, mode), right, 1e-5)


# Functions of a matrix.


@says(
    "The square root, …",
    "The result doesn't …",
    "Only difference quotients …",
    "If two eigenvalues are equal, $K$ …",
    "$E$ is linear …",
    "(f(a) - f(b)) …",
)
@over(values=[[1.0, 2.0, 4.0], [1.0, 1.0, 3.0], [2.0, 2.0, 2.0]], seed=[0])
def test_functions(values, seed):
    A, D = of_eigenvalues(values, seed), symmetric(seed, 3)
    lambda_, V = np.linalg.eigh(A)
    quotients = program("function.py").quotients
    for f, slope, own in (
        (np.sqrt, lambda x: 0.5 / np.sqrt(x), tf.linalg.sqrtm),
        (np.exp, np.exp, tf.linalg.expm),
        (np.log, lambda x: 1 / x, lambda A: tf.linalg.logm(tf.cast(A, "complex128"))),
    ):
        Y = (V * f(lambda_)) @ V.T
        assert close(Y, own(A)) and close((-V * f(lambda_)) @ -V.T, Y)
        K = quotients(f, slope, tf.constant(lambda_)).numpy()
        for i, j in np.ndindex(3, 3):
            a, b = sorted([values[i], values[j]])
            expected = slope(a) if a == b else (f(a) - f(b)) / (a - b)
            assert close(K[i, j], expected, 1e-5)
        right = change(lambda A: own(A).numpy(), A, D)
        assert close(V @ (K * (V.T @ D @ V)) @ V.T, right, 1e-5)
        Y_bar = np.arange(9.0).reshape(3, 3)
        D_bar = V @ (K * (V.T @ Y_bar @ V)) @ V.T
        assert close(np.sum(Y_bar * right), np.sum(D_bar * D), 1e-5)
        twice = change(lambda A: own(A).numpy(), A, 2 * D)
        assert close(twice, 2 * right, 1e-5)


@says(
    "The program compares this gradient of …",
    "Look at the …",
    "Instead of the …",
    "At a gap of 1e-10, …",
    "At a gap of 0, the …",
    "A function of …",
)
@over(mode=[EAGER, INSIDE], gap=[1e-2, 1e-9, 1e-10, 3e-11, 0.0])
def test_the_reciprocal(mode, gap):
    A = np.diag([1.0, 1.0 + gap])
    gap = A[1, 1] - 1

    def loss(A):
        V = tf.linalg.eigh(A)[1]
        return V[0, 1] * V[1, 1]

    found = along(loss, A, np.array([[0.0, 1.0], [1.0, 0.0]]), mode)
    safe = gap / (gap**2 + 1e-20)
    assert close(abs(found), safe)
    if gap == 0:
        assert safe == 0
    elif abs(gap / 1e-10 - 1) < 1e-3:
        assert close(safe * gap, 0.5, 1e-3)
    defined = program("function.py")
    ours = along(lambda A: tf.reduce_sum(defined.root(A)), A, 1 - np.eye(2), mode)
    assert close(ours, 2 / (1 + np.sqrt(1 + gap)))


@says(
    "Use difference quotients …",
    "The function `quotients` …",
    "If two eigenvalues agree …",
    "For the exponential, …",
)
def test_quotients():
    quotients = program("function.py").quotients
    for dtype in (np.float32, np.float64):
        end = np.finfo(dtype).eps ** (1 / 3)
        for part in (0.5, 0.1):
            x = np.array([1, 1 + part * end], dtype)
            exact = x.astype(np.longdouble)
            right = 1 / np.sum(np.sqrt(exact))
            assert x[0] != x[1]
            by_slope = quotients(tf.sqrt, lambda x: 0.5 / tf.sqrt(x), tf.constant(x))
            plain = (np.sqrt(x[0]) - np.sqrt(x[1])) / (x[0] - x[1])
            middle = dtype(0.5) / np.sqrt(dtype(0.5) * (x[0] + x[1]))
            assert close(by_slope[0, 1], middle)
            assert abs(middle - right) < abs(plain - right)
        x = tf.constant(np.array([1, 1 + 2 * end], dtype))
        assert same(quotients(tf.sqrt, lambda x: 0.0 * x, x)[0, 1] > 0, True)


@says(
    "Which decompositions have …",
    "`tf.linalg.eigh`, `tf.linalg.eigvalsh`, eigenvalues …",
    "`tf.linalg.eigh`, eigenvectors — …",
    "`tf.linalg.svd` — as …",
    "`tf.linalg.qr` — right …",
    "`tf.linalg.cholesky` — right …",
    "`tf.linalg.sqrtm`, `tf.linalg.expm` — …",
    "`tf.linalg.logm` — none …",
    "`tf.linalg.lstsq` — only …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_table(mode):
    D = symmetric(1, 3)
    apart, equal = (of_eigenvalues(each, 2) for each in ([1, 2, 4.0], [1, 1, 4.0]))
    for f, A in (
        (lambda A: tf.linalg.eigvalsh(A) ** 3, equal),
        (lambda A: tf.linalg.eigh(A)[0] ** 3, equal),
        (lambda A: tf.linalg.eigh(A)[1] ** 2 * [[1.0], [2], [5]], apart),
        (lambda A: tf.linalg.svd(A)[1] ** 2 * [[1.0], [2], [5]], apart),
        (lambda A: tf.linalg.qr(A)[1] ** 2, apart),
        (lambda A: tf.linalg.sqrtm(A) ** 2 * D, equal),
        (lambda A: tf.linalg.sqrtm(A) * D, equal),
        (lambda A: tf.linalg.expm(A) * D, equal),
    ):
        slope = change(lambda A: tf.reduce_sum(f(tf.constant(A))).numpy(), A, D)
        assert close(along(f, A, D, mode), slope, 1e-5)
    singular = np.diag([0.0, 1.0])
    bad = (
        message(mode.gradient, tf.linalg.sqrtm, singular)
        or not np.isfinite(mode.gradient(tf.linalg.sqrtm, singular)).all()
    )
    assert bad
    said = message(mode.gradient, tf.linalg.logm, apart.astype(complex))
    assert "LookupError" in said
    for fast in True, False:
        said = message(
            mode.gradient,
            lambda X: tf.linalg.lstsq(X, tf.ones([3, 1], X.dtype), fast=fast),
            apart[:, :2],
        )
        assert bool(said) != fast
    for full in True, False:
        tall = np.random.default_rng(0).standard_normal([4, 2])
        said = message(mode.gradient, lambda A: tf.linalg.qr(A, full)[1], tall)
        assert bool(said) == full
        said = message(
            mode.gradient, lambda A: tf.linalg.svd(A, full_matrices=full)[1], tall
        )
        u = message(
            mode.gradient, lambda A: tf.linalg.svd(A, full_matrices=full)[2], tall
        )
        assert bool(u) == full and not (said and not full)


def errors(function, right, values):
    """Of the gradient of a function in float32, relative to its norm, over 100 seeds."""
    found = []
    for seed in range(100):
        A = of_eigenvalues(values, seed)
        W = np.random.default_rng(seed + 1000).standard_normal([3, 3])
        W = W + W.T

        def gradient(f, dtype):
            G = EAGER.gradient(
                lambda A: tf.reduce_sum(tf.cast(W, dtype) * f(A)), A.astype(dtype)
            ).numpy()
            return (G + G.T) / 2

        exact = right(A, W) if right else gradient(tf.linalg.sqrtm, "float64")
        found.append(
            [
                np.linalg.norm(gradient(f, dtype) - exact) / np.linalg.norm(exact)
                for f, dtype in function
            ]
        )
    return np.median(found, 0), np.max(found, 0)


# The largest error of the root below was 0.44 on one processor and 0.7 on another.
history("The exact figures …")


@says(
    "In float32, rounding …",
    "Over 100 random matrices with the eigenvalues 1, 1 and …",
    "In float64, the …",
    "So compute such …",
)
def test_projector_in_float32():
    def right(A, W):
        lambda_, V = np.linalg.eigh(A)
        M = V.T @ W @ V
        K = np.zeros([3, 3])
        K[:2, 2] = K[2, :2] = 1 / (lambda_[:2] - lambda_[2])
        return V @ (K * M) @ V.T

    def space(A):
        return program("gauge.py").space(A, tf.eye(2, dtype=A.dtype))

    median, most = errors([(space, "float32"), (space, "float64")], right, [1, 1, 3])
    assert 100 * median[0] > 10 and 100 * most[0] > 100 and most[1] < 1e-8


@says(
    "In float32, a …",
    "Over 100 random matrices with the eigenvalues 1, 1 + …",
    "The error of …",
)
def test_root_in_float32():
    values = [1.0, 1 + 1e-6, 3.0]
    ours = program("function.py").root
    functions = [(root_by_vectors, "float32"), (ours, "float32")]
    median, most = errors(functions, None, values)
    assert 100 * median[0] > 2 and 100 * most[0] > 20 and most[1] < 1e-5


@says(
    "For a second …",
    "So the second …",
)
@over(values=[[1.0, 1.0], [1.0, 2.0]])
def test_second(values):
    root = program("function.py").root
    A, D = np.diag(values), np.array([[0.5, 1.0], [1.0, -0.3]])
    W = np.array([[1.0, 2.0], [4.0, 10.0]])

    def slope(A):
        with tf.GradientTape() as tape:
            tape.watch(A)
            loss = tf.reduce_sum(W * root(A))
        return tf.reduce_sum(tape.gradient(loss, A) * D)

    found = along(slope, A, D)
    right = change(lambda A: slope(tf.constant(A)).numpy(), A, D)
    assert close(found, right, 1e-4) == (values[0] != values[1])


@says(
    "`tf.linalg.sqrtm` and `tf.linalg.expm` …",
)
@over(own=[tf.linalg.sqrtm, tf.linalg.expm], values=[[1.0, 1.0], [2.0, 2.0, 3.0]])
def test_own(own, values):
    A, D = of_eigenvalues(values, 3), symmetric(1, len(values))
    W = np.arange(1.0, 1 + A.size).reshape(A.shape)

    def loss(A):
        return tf.reduce_sum(W * own(A))

    assert close(along(loss, A, D), change(lambda A: loss(A).numpy(), A, D))
    graph = tf.function(own).get_concrete_function(tf.constant(A)).graph
    assert not {each.type for each in graph.get_operations()} & {
        "SelfAdjointEigV2",
        "Eig",
        "Svd",
    }


# Singular values.


@says(
    "The singular values …",
    "The gradient through the singular values …",
    "The gradient through the singular vectors …",
    "If the matrix …",
)
@over(seed=[0, 1])
def test_singular(seed):
    rng = np.random.default_rng(seed)
    A, D = rng.standard_normal([2, 3, 3])
    s, U, V = (part.numpy() for part in tf.linalg.svd(A))
    assert close(s[::-1] ** 2, np.linalg.eigvalsh(A.T @ A))
    ds = change(lambda A: np.linalg.svd(A)[1], A, D)
    assert close(ds, np.diag(U.T @ D @ V), 1e-5)
    P = U.T @ D @ V
    gap = s[None] ** 2 - s[:, None] ** 2 + np.eye(3)
    F = (1 - np.eye(3)) / gap
    dU = change(lambda A: tf.linalg.svd(A)[1].numpy(), A, D)
    assert close(U.T @ dU, F * (P * s + s[:, None] * P.T), 1e-4)
    for small in (1e-3, 1e-5):
        tall = np.array([[2.0, 0.0], [0.0, small], [0.0, 0.0]])
        found = EAGER.gradient(lambda A: tf.linalg.svd(A)[1][2, 1], tall)
        assert close(np.abs(found).max() * small, 1, 1e-3)


@says(
    "At equal singular …",
)
@over(mode=[EAGER, INSIDE])
def test_equal_singular(mode):
    def loss(A):
        _, U, V = tf.linalg.svd(A)
        return tf.reduce_sum(U**3) + tf.reduce_sum(U @ tf.transpose(V))

    assert np.count_nonzero(mode.gradient(loss, np.eye(3))) == 0


@says(
    "An example is …",
    "This factor is …",
    "For a square matrix, …",
    "So the gradient can …",
    "The program differentiates …",
    "Compare the column `second`:",
    "The first derivative …",
    "The second derivative is wrong: …",
    "The gradient function of `nuclear` …",
    "The nuclear norm, …",
)
@over(mode=[EAGER, INSIDE], values=[[1.0, 1.0, 3.0], [1.0, 2.0, 3.0], [2.0] * 3])
def test_nuclear(mode, values):
    defined = program("polar.py")
    A = (basis(0, 3) * values) @ basis(1, 3)
    rng = np.random.default_rng(2)
    D, W = rng.standard_normal([2, 3, 3])

    def own(A):
        return tf.reduce_sum(tf.linalg.svd(A, compute_uv=False))

    U, _, Vt = np.linalg.svd(A)
    for norm in (defined.nuclear, own):
        assert close(mode.gradient(norm, A), U @ Vt)
        assert close(along(norm, A, D), change(lambda A: own(A).numpy(), A, D))

    def weighted(function):
        return lambda A: tf.reduce_sum(W * function(A))

    right = change(lambda A: weighted(defined.polar)(A).numpy(), A, D)
    assert close(along(weighted(defined.polar), A, D, mode), right, 1e-5)
    equal = len(set(values)) < 3
    assert close(along(weighted(defined.by_vectors), A, D), right, 1e-5) != equal

    def slope(norm):
        def of(A):
            with tf.GradientTape() as tape:
                tape.watch(A)
                y = norm(A)
            return tf.reduce_sum(W * tape.gradient(y, A))

        return of

    assert close(along(slope(defined.nuclear), A, D), right, 1e-5)
    assert close(along(slope(own), A, D), right, 1e-5) != equal
    rule, theirs, _, right = (line.numbers[-1] for line in trace("polar.py"))
    assert rule == right == 7 and theirs == 5


@says(
    "At a singular …",
)
def test_kink():
    D = np.array([[0.0, 0.0], [0.0, 1.0]])
    A = np.diag([1.0, 0.0])
    norm = [np.linalg.norm(A + h * D, "nuc") - 1 for h in (-1e-3, 1e-3)]
    assert close(norm, [1e-3, 1e-3])


# What is missing.


@says(
    "The program tries …",
    "Look for the errors:",
    "For tall matrices, …",
    "The extra columns …",
)
@over(shape=[(3, 2), (5, 2), (2, 3), (3, 3)], full=[True, False])
def test_qr(shape, full):
    A = np.random.default_rng(0).standard_normal(shape)

    def loss(A):
        return tf.reduce_sum(tf.linalg.qr(A, full_matrices=full)[0] ** 3)

    error = raised(EAGER.gradient, loss, A)
    tall = shape[0] > shape[1]
    assert (error is not None) == (tall and full)
    if error is None:
        D = np.cos(A)
        right = change(lambda A: loss(A).numpy(), A, D)
        assert close(along(loss, A, D), right, 1e-5)
    else:
        Q, R = np.linalg.qr(A, "complete")
        Q[:, shape[1] :] *= -1
        assert close(Q @ R, A) and close(Q.T @ Q, np.eye(shape[0]))


@says(
    "SVD with `full_matrices=True` …",
)
@over(shape=[(3, 3), (3, 2), (2, 3), (4, 2), (2, 4), (5, 2)])
def test_svd_full(shape):
    A = np.random.default_rng(0).standard_normal(shape)
    D = np.cos(A)

    def loss(A):
        _, U, V = tf.linalg.svd(A, full_matrices=True)
        return tf.reduce_sum(U[:, 0] ** 3) + tf.reduce_sum(V[:, -1] ** 3)

    error = raised(EAGER.gradient, loss, A)
    assert (error is None) == (abs(shape[0] - shape[1]) <= 1)
    if error is None:
        right = change(lambda A: loss(A).numpy(), A, D)
        assert close(along(loss, A, D), right, 1e-5)


@says(
    "If the first …",
    "The gradient of QR …",
)
@over(rows=[2, 3])
def test_dependent(rows):
    A = np.ones([rows, 2])
    assert close(tf.linalg.qr(A)[1][1, 1], 0)

    def loss(A):
        Q, R = tf.linalg.qr(A)
        return tf.reduce_sum(Q**3) + tf.reduce_sum(R**3)

    found = EAGER.gradient(loss, A)
    if np.isfinite(found).all():
        D = np.cos(np.arange(2.0 * rows)).reshape(rows, 2)
        right = change(lambda A: loss(A).numpy(), A, D)
        assert rows == 3 and not np.isclose(np.sum(found * D), right, 0.1)
    else:
        assert rows == 2 and np.isnan(found).all()


# Least squares.


@says(
    "In a graph …",
)
@over(of=[lambda A: tf.linalg.qr(A)[1], tf.linalg.svd, tf.linalg.eigh])
def test_unknown_shape(of):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
    def gradient(A):
        with tf.GradientTape() as tape:
            tape.watch(A)
            y = tf.reduce_sum(of(A)[0])
        return tape.gradient(y, A)

    error = raised(gradient, symmetric(0, 3))
    assert isinstance(error, NotImplementedError) == (of is not tf.linalg.eigh)


@says(
    "With `fast=False`, `tf.linalg.lstsq` …",
)
@over(mode=[EAGER, INSIDE], shape=[(4, 2), (2, 4)])
def test_slow(mode, shape):
    A = np.random.default_rng(0).standard_normal(shape)
    b = np.ones([shape[0], 1])
    for fast in (True, False):

        def loss(A):
            return tf.reduce_sum(tf.linalg.lstsq(A, b, fast=fast))

        error = raised(mode.gradient, loss, A)
        assert (error is None) == fast


@says(
    "With `fast=True`, `tf.linalg.lstsq` …",
    "Derive the gradient …",
    "The matrix of these …",
    "The QR decomposition …",
    "To compute $w$, …",
    "Least squares by …",
)
@over(mode=[EAGER, INSIDE], seed=[0, 1])
def test_least(mode, seed):
    rng = np.random.default_rng(seed)
    X, b, upstream = (rng.standard_normal(shape) for shape in ([5, 3], 5, 3))
    R = np.linalg.qr(X)[1]
    cond = np.linalg.cond(X)
    assert close(np.linalg.cond(X.T @ X), cond**2)
    assert close(np.linalg.cond(R), cond)
    graph = (
        tf.function(lambda X: tf.linalg.lstsq(X, b[:, None]))
        .get_concrete_function(tf.constant(X))
        .graph
    )
    assert any(
        "Cholesky" in each.type or each.type == "MatrixSolveLs"
        for each in graph.get_operations()
    )
    w = np.linalg.solve(R, np.linalg.solve(R.T, upstream))
    assert close(w, np.linalg.solve(X.T @ X, upstream))

    def loss(function):
        return lambda X, b: tf.reduce_sum(upstream * function(X, b))

    defined = program("least.py")
    ours = mode.gradients(loss(defined.least), X, b)
    own = EAGER.gradients(loss(defined.normal), X, b)
    y = np.linalg.lstsq(X, b, None)[0]
    z = X @ w
    assert close(ours[0], np.outer(b - X @ y, w) - np.outer(z, y))
    assert close(ours[1], z) and close(ours[0], own[0]) and close(ours[1], own[1])


@says(
    "The program fits …",
    "Compare the last two lines:",
    "With the years …",
    "If you subtract …",
)
@over(start=[100.0, 2000.0])
def test_years(start):
    defined = program("least.py")
    assert len(defined.years) == 12
    assert [line.text.endswith("True") for line in trace("least.py")] == 5 * [True] + [
        False
    ]
    years = start + np.arange(12.0)
    X = np.stack([np.ones(12), years - years.mean()], 1)
    b = np.sqrt(np.arange(12.0))
    right = defined.gradient(defined.least, tf.constant(X), tf.constant(b))
    for function in (defined.least, defined.normal):
        found = defined.gradient(
            function, tf.constant(X, tf.float32), tf.constant(b, tf.float32)
        )
        assert np.linalg.norm(found - right) < 1e-5 * np.linalg.norm(right)


# The matrix exponential.


@says(
    "You can compute …",
    "In the block …",
    "The upper right …",
    "First scale the …",
    "TensorFlow computes the …",
    "The gradient of expm(A), …",
)
@over(mode=[EAGER, INSIDE], seed=[0, 1], n=[1, 3])
def test_exponential(mode, seed, n):
    rng = np.random.default_rng(seed)
    A, Y_bar = rng.standard_normal([2, n, n])
    T = A.T
    block = np.block([[T, Y_bar], [np.zeros([n, n]), T]])
    E = tf.linalg.expm(block).numpy()
    assert E.shape == (2 * n, 2 * n)
    corner = E[:n, n:]
    assert close(E[:n, :n], tf.linalg.expm(T)) and close(E[n:, :n], 0)
    assert close(corner, change(lambda A: tf.linalg.expm(A).numpy(), T, Y_bar), 1e-5)
    for way, name in ((mode, "ours"), (EAGER, "TensorFlow's")):
        assert close(way.gradients(weighted_expm(name), A, Y_bar)[0], corner)
    large = np.block([[T, 1e16 * Y_bar], [np.zeros([n, n]), T]])
    assert not close(tf.linalg.expm(large).numpy()[:n, n:] / 1e16, corner, 1e-2)
    found, _ = mode.gradients(weighted_expm("ours"), A, 1e16 * Y_bar)
    assert close(np.array(found) / 1e16, corner)


@functools.cache
def weighted_expm(name):
    expm = program("exponential.py").expm if name == "ours" else tf.linalg.expm
    return lambda A, weights: tf.reduce_sum(weights * expm(A))


@says(
    "The program compares this gradient with …",
    "TensorFlow's gradient goes …",
    "The custom gradient calls …",
    "the log repeats it",
)
@over(own=[True, False])
def test_exponential_xla(own):
    expm = tf.linalg.expm if own else program("exponential.py").expm
    error = raised(XLA.gradient, lambda A: tf.reduce_sum(expm(A)), np.eye(2))
    assert ("fixed tensor list size" in str(error)) == own == (error is not None)
    graph = tf.function(tf.linalg.expm).get_concrete_function(np.eye(2)).graph
    assert any("While" in each.type for each in graph.get_operations())


# Check.


@says(
    "The matrix has …",
    "The program compares every …",
    "For the root, …",
    "In `grad`, `close` …",
    "For the root and …",
    "Functions of a …",
)
def test_check():
    values = np.linalg.eigvalsh(program("check.py").A)
    small = of_eigenvalues([0.0, 0.0, 0.0, 1e-12, 2.0], 3)
    exp = program("check.py").of_matrix(tf.exp, tf.exp, lambda a, b: 1.0)
    W = np.random.default_rng(4).standard_normal([5, 5])
    ours, own = (
        EAGER.gradient(lambda A: tf.reduce_sum(W * function(A)), small).numpy()
        for function in (exp, tf.linalg.expm)
    )
    assert close(ours, 0.5 * (own + own.T), 1e-9)
    assert close(values, [1, 1, 1, 2, 2])
    agree = [line.text for line in trace("check.py") if "agree" in line.text]
    assert len(agree) == 4 and all(line.endswith("True") for line in agree)


# Where it breaks.


@says(
    "Equal eigenvalues: for …",
    "A tape differentiates …",
    "With eigenvalues and …",
    "At a gap of 0, TensorFlow's …",
    "Eigenvectors of equal eigenvalues have no derivative, …",
    "The fix is the …",
)
@over(mode=[EAGER, XLA])
def test_the_top(mode):
    defined = program("function.py")

    def loss(A):
        return tf.reduce_sum(defined.weights * defined.by_vectors(A))

    A, D = np.eye(2), 1 - np.eye(2)
    found = mode.gradient(loss, A)
    assert np.sum(found * D) == 0 and np.isfinite(found).all()
    assert close(change(lambda A: loss(A).numpy(), A, D), 3)
    right = mode.gradient(
        lambda A: tf.reduce_sum(defined.weights * program("function.py").root(A)), A
    )
    assert close(np.sum(right * D), 3)
    theirs, ours, differences = trace("function.py")[-1].numbers[-3:]
    shown = [f"{each:.3f}" for each in (theirs, ours, differences)]
    assert shown[0] == "0.000" and shown[1] == shown[2] == "3.000"
    body = source("function.py").split("def by_vectors(A):\n")[1].split("\n\n")[0]
    assert len(body.split("\n")) == 2


# Try it.


@says(
    "`tf.linalg.logm` has no gradient.",
)
@over(mode=[EAGER, INSIDE])
def test_logm(mode):
    A = np.eye(2) + 0j
    error = raised(
        mode.gradient, lambda A: tf.math.real(tf.reduce_sum(tf.linalg.logm(A))), A
    )
    assert "no entry for: MatrixLogarithm" in str(error)


@says(
    "Write one for …",
    "The difference quotient should …",
    "Hint: the difference …",
    "If you divide …",
    "The last factor …",
    "If the eigenvalues are far …",
    "The gradient agrees …",
    "The logarithm of …",
)
@over(mode=[EAGER, XLA], gap=[1e16, 1e8, 2.0, 1e-3, 1e-6, 1e-12, 0.0])
def test_solution(mode, gap):
    a, b = 1.0, 1.0 + gap
    z = (a - b) / (a + b)
    if gap < 1e9:
        assert np.isclose(np.log(a) - np.log(b), 2 * np.arctanh(z), 1e-7, 1e-15)
    quotient = (
        np.log(b) / gap if gap > 1 else 2 / (a + b) * (np.arctanh(z) / z if z else 1)
    )
    found = mode.gradient(total_logm, np.diag([a, b]))
    assert close(found, [[1 / a, quotient], [quotient, 1 / b]], 1e-10)


def total_logm(A):
    return tf.reduce_sum(program("solution.py").logm(A))


# Hermitian, batched and semidefinite matrices.


def vectors(A):
    v = tf.linalg.eigh(A)[1][..., :1]
    return v @ tf.linalg.adjoint(v)


def left(A):
    u = tf.linalg.svd(A)[1][..., :1]
    return u @ tf.linalg.adjoint(u)


OPERATIONS = {
    "eigvalsh": tf.linalg.eigvalsh,
    "eigh": vectors,
    "singular values": lambda A: tf.linalg.svd(A, compute_uv=False),
    "svd": left,
    "qr": lambda A: tf.linalg.qr(A)[1],
    "cholesky": tf.linalg.cholesky,
    "sqrtm": tf.linalg.sqrtm,
    "expm": tf.linalg.expm,
    "lstsq": lambda A: tf.linalg.lstsq(A[..., :2], A[..., 2:] ** 2),
}


def hermitian(seed, n=3):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal([n, n]) + 1j * rng.standard_normal([n, n])
    return M @ np.conj(M.T) / n + np.eye(n)


def weighted(function):
    """A real loss, with another weight for each element of a matrix."""

    def loss(A):
        y = tf.math.real(function(A))
        w = tf.reshape(tf.range(1, 1 + tf.size(y[0])), tf.shape(y[0]))
        return tf.reduce_sum(tf.cast(w, y.dtype) * y)

    return loss


UNKNOWN_BATCH = tf.TensorSpec([None, 3, 3], tf.float64)


@says(
    "Batches: TensorFlow differentiates …",
    "The gradient of a matrix in …",
    "This holds for …",
)
@over(name=OPERATIONS)
def test_batches(name):
    A = np.stack([np.real(hermitian(seed)) for seed in (0, 1)])
    alone = [EAGER.gradient(weighted(name), each[None])[0] for each in A]
    for mode in (EAGER, AROUND):
        assert close(mode.gradient(weighted(name), A), alone)

    def gradient(A):
        with tf.GradientTape() as tape:
            tape.watch(A)
            loss = weighted(name)(A)
        return tape.gradient(loss, A)

    assert close(tf.function(gradient, input_signature=[UNKNOWN_BATCH])(A), alone)


@says(
    "The other gradients …",
    "For Hermitian matrices, …",
    "For complex matrices, …",
    "The gradient of `tf.linalg.sqrtm` …",
    "A complex eigenvector …",
    "Therefore a loss …",
    "For example, the projector …",
    "`tf.linalg.eigh` and `tf.linalg.eigvalsh` …",
    "Use `tf.math.real` to make them real.",
)
@over(mode=[EAGER, AROUND], name=OPERATIONS)
def test_hermitian(mode, name):
    A, D = hermitian(0)[None], hermitian(5)[None]
    loss = weighted(name)
    found = mode.gradient(loss, tf.constant(A)).numpy()
    right = change(lambda A: loss(tf.constant(A)).numpy(), A, D)
    fits = close(np.sum(np.real(np.conj(found) * D)), right, 1e-4)
    assert fits == (name is not OPERATIONS["sqrtm"])
    assert tf.linalg.eigvalsh(A).dtype == tf.linalg.eigh(A)[0].dtype == tf.complex128
    lambda_, V = (each.numpy() for each in tf.linalg.eigh(A[0]))
    v = V[:, :1] * np.exp(0.7j)
    assert close(A[0] @ v, lambda_[0] * v)
    assert close(v @ np.conj(v.T), vectors(tf.constant(A))[0])


@says(
    "Hermitian matrices: replace …",
    "For a Hermitian …",
    "For a batch, …",
    "The program computes the root …",
    "The difference quotient of …",
    "The second matrix …",
    "The custom gradient agrees …",
    "TensorFlow's gradient through …",
    "The root of a batch …",
    "The real inner …",
)
@over(mode=[EAGER, AROUND], seed=[0, 1], n=[2, 3])
def test_the_hermitian_root(mode, seed, n):
    defined = program("hermitian.py")
    A = np.stack([hermitian(seed, n), np.eye(n) + 0j])
    D = hermitian(seed + 5, n)
    W = np.arange(1.0, 1 + n * n).reshape(n, n) + 1j
    slopes = []
    for f in (defined.root, defined.by_vectors):
        loss = lambda A, f=f: tf.reduce_sum(defined.each(W, f(A)))  # noqa: E731
        found = mode.gradient(loss, tf.constant(A)).numpy()
        slopes.append(np.real(np.sum(np.conj(found) * D, (1, 2))))
    right = change(lambda A: defined.each(W, defined.root(A)).numpy(), A, D)
    assert close(slopes[0], right, 1e-4) and close(slopes[1][0], right[0], 1e-4)
    assert not close(slopes[1][1], right[1], 1e-2)
    s = np.sqrt([1.0, 4.0])
    assert close(1 / (s[0] + s[1]), (s[1] - s[0]) / (4.0 - 1.0))
    ours, own, differences = (line.numbers[-2:] for line in trace("hermitian.py"))
    assert ours == differences and own[0] == ours[0] and own[1] != ours[1]


@says(
    "Semidefinite matrices: a …",
    "Add a small …",
    "The covariance matrix …",
    "The derivative of …",
    "Look at which …",
    "The eigenvalues and …",
    "The other operations …",
    "Rounding adds a …",
    "The fix is to …",
    "You then get …",
    "For a root or a …",
    "The last three …",
    "For a log-determinant …",
    "A semidefinite matrix, …",
    "The largest absolute …",
)
@over(mode=[EAGER, AROUND])
def test_semidefinite(mode):
    defined = program("semidefinite.py")
    A = np.diag([0.0, 2.0])
    finite = {}
    for name, f in (
        ("eigvalsh", tf.linalg.eigvalsh),
        ("expm", tf.linalg.expm),
        ("sqrtm", tf.linalg.sqrtm),
        ("root by eigenvectors", defined.by_vectors),
        ("cholesky", tf.linalg.cholesky),
        ("log |det|", defined.log_det),
    ):
        failed = raised(mode.gradient, f, A) is not None
        finite[name] = not failed and bool(np.isfinite(mode.gradient(f, A)).all())
    assert [name for name in finite if finite[name]] == ["eigvalsh", "expm"]
    assert len(trace("semidefinite.py")) == len(finite) + 3
    assert defined.log_det(A) == -np.inf
    sizes = [
        np.max(np.abs(mode.gradient(tf.linalg.sqrtm, A + e * np.eye(2))))
        for e in (1e-2, 1e-6, 1e-10)
    ]
    assert close(sizes, 0.5 / np.sqrt([1e-2, 1e-6, 1e-10]), 1e-3)
    sizes = [
        [
            np.max(np.abs(mode.gradient(f, A + e * np.eye(2))))
            for f in (tf.linalg.cholesky, defined.log_det)
        ]
        for e in (1e-2, 1e-6, 1e-10)
    ]
    assert close(sizes, [[0.5 / e**0.5, 1 / e] for e in (1e-2, 1e-6, 1e-10)], 1e-3)
    negative = 0
    for seed in range(20):
        x = np.random.default_rng(seed).standard_normal([5, 2])
        values = np.linalg.eigvalsh(x @ x.T)
        assert np.sum(np.abs(values) < 1e-12) == 3
        negative += bool(np.isnan(defined.by_vectors(tf.constant(x @ x.T))).any())
    assert negative > 0 and np.isnan(tf.sqrt(tf.constant(-1e-16)))


definition(
    r"Here $\upstream{\bar E}$ …",
    "Operation — Gradient …",
    "This freedom is …",
)


advice(
    "Your gradient function …",
    "You need to …",
    "Choose `epsilon` as …",
    "If the loss …",
)


history(
    "This formula for …",
)


pointer(
    "Here you can …",
    "That page also …",
    "The types and …",
    "The second derivative of …",
    "The catalogue of …",
)
