"""What the page on notation says in words."""

import ast
import functools
import re
from pathlib import Path

from truth.statements.tries import *

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT / "docs").as_posix(): path.read_text("utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.name not in ("notation.md", "ledger.md")
}
PROGRAMS = {
    path.relative_to(ROOT / "snippets").as_posix(): path.read_text("utf-8")
    for path in sorted((ROOT / "snippets").rglob("*.py"))
}
W = np.float32([[1, 2, 3], [4, 5, 6]])
V = np.float32([[1, -1], [2, 0], [0.5, 3]])
VECTORS = arrays((3,), numbers(-9, 9))
ROWS = arrays((2,), numbers(-9, 9))


def through(x, upstream):
    return tf.reduce_sum(upstream * tf.linalg.matvec(W, x))


@says(
    "In TensorFlow, a …",
    "A correct gradient …",
    "A tensor of shape …",
    "On paper, a …",
    "The Jacobian of this …",
    "To the left …",
    "A gradient is neither …",
    "To the right …",
    "Both products have …",
    "The transpose comes …",
    "The inner product of the …",
    "To read off …",
    "With $W$ fixed, …",
    "Moving a matrix …",
    "On paper, the …",
    was="'it has the shape of its variable': a wrong rule may return another, without a word",
)
@over(mode=MODES, x=VECTORS, upstream=ROWS, dx=VECTORS)
def test_row_or_column(mode, x, upstream, dx):
    found = mode.gradients(through, x, upstream)[0]
    row, column = upstream[None, :] @ W, W.T @ upstream[:, None]
    assert found.shape == x.shape and same(tf.transpose(found), found)
    assert row.shape == (1, 3) and column.shape == (3, 1)
    assert np.allclose(row[0], found, 1e-4, 1e-4)
    assert np.allclose(column[:, 0], found, 1e-4, 1e-4)
    assert np.isclose(upstream @ (W @ dx), found.numpy() @ dx, 1e-3, 1e-2)


@says(
    "The three numbers …",
    "The program computes …",
    "Compare the shapes:",
    "The gradient from …",
    "A row on …",
    "one row for …",
)
def test_the_trace_of_row():
    lines = {each.text.split()[0]: each for each in trace("row.py")}
    shapes = {name: line.text.partition("]")[0] for name, line in lines.items()}
    three = [lines[name] for name in ("row", "column", "downstream")]
    assert all(each.numbers[-3:] == [41, 52, 63] for each in three)
    assert [shapes[n].partition("[")[2] for n in ("row", "column", "x")] == [
        "1, 3",
        "3, 1",
        "3",
    ]
    assert shapes["downstream"].endswith("[3") and shapes["J"].endswith("[2, 3")


@says(
    "This program evaluates …",
    "The program prints …",
    "Formulas of this …",
)
def test_the_formulas_at_numbers():
    V, W = np.array([[1, 2, 0], [0, 1, -1]]), np.array([[1, 2], [3, 4], [5, 6]])
    x, y_bar = np.array([1, 2]), np.array([1, 10])
    u_bar = y_bar @ V
    two, matrix, elements, decided, product = trace("rules.py")
    assert two.numbers == [*u_bar, *(u_bar @ W)]
    assert matrix.numbers == [*np.outer(u_bar, x).ravel(), *(u_bar @ W)]
    assert elements.numbers == [*(y_bar * 2 * x)] and product.numbers == [2 * 3]
    assert decided.numbers == [*y_bar]


@says(
    "The upstream gradient is …",
    "The result is …",
    "The change of …",
    "So the upstream …",
    r"A change $\d x$ …",
    "The Jacobian of a …",
    "The loss comes …",
    "This derivative has …",
    "Reverse mode multiplies …",
    "The downstream gradient …",
)
@over(mode=MODES, x=VECTORS, upstream=VECTORS)
def test_from_the_left(mode, x, upstream):
    """With V and W as two steps; what the rules see is no larger than their outputs."""
    shapes = []

    def step(matrix):
        def apply(x):
            def grad(upstream):
                shapes.append(tuple(upstream.shape))
                return tf.linalg.matvec(matrix, upstream, transpose_a=True)

            return tf.linalg.matvec(matrix, x), grad

        return tf.custom_gradient(apply)

    inner, outer = step(W), step(V)

    def loss(x, upstream):
        return tf.reduce_sum(upstream * outer(inner(x)))

    found = mode.gradients(loss, x, upstream)[0]
    assert np.allclose(found, (upstream @ V) @ W, 1e-4, 1e-3)
    assert shapes[:2] == [(3,), (2,)]


@says(
    r"The symbol $\bar W$ …",
    "It denotes an …",
    r"The fraction $\frac{\partial L}{\partial W}$ …",
    "For a single …",
    r"$\bar x$ — …",
    r"$\frac{\partial z}{\partial x}$ …",
)
@over(mode=MODES, x=VECTORS, upstream=ROWS, i=[0, 1], cases=16)
def test_a_bar(mode, x, upstream, i):
    def loss(W, x, upstream):
        return tf.reduce_sum(upstream * tf.linalg.matvec(W, x))

    found = mode.gradients(loss, W, x, upstream)[0].numpy()
    assert found.shape == W.shape and np.allclose(found, np.outer(upstream, x))
    moved = W.astype(float)
    moved[i, 2] += 1
    change = upstream @ (moved @ x) - upstream @ (W.astype(float) @ x)
    assert np.isclose(change, found[i, 2], 1e-3, 1e-3)


@says(
    "In formulas with …",
    "The forward pass …",
    "Summing over the …",
    "So the gradient …",
    "For example, broadcasting …",
)
@over(mode=MODES, upstream=ROWS)
def test_a_transpose(mode, upstream):
    found = mode.gradients(through, np.float32([7, 8, 9]), upstream)[0]
    summed = [sum(upstream[i] * W[i, j] for i in range(2)) for j in range(3)]
    assert np.allclose(found, summed, 1e-4, 1e-4)

    def copied(x, upstream):
        return tf.reduce_sum(upstream * tf.broadcast_to(x, [2]))

    assert np.isclose(
        mode.gradients(copied, 3.0, upstream)[0], sum(upstream), 1e-4, 1e-3
    )


MAPS = {
    "FFT": (tf.signal.fft, np.fft.fft(np.eye(3))),
    "matrix": (
        lambda z: tf.linalg.matvec(tf.constant(W[:, :2] * (1 + 2j), z.dtype), z),
        W[:, :2] * (1 + 2j),
    ),
}


@says(
    "For a complex …",
    "A matrix that …",
    was="'the rule of a linear map is always its transpose': that of the FFT is the conjugate transpose",
)
@over(mode=MODES, linear=MAPS, real=VECTORS, imag=VECTORS)
def test_a_complex_map(mode, linear, real, imag):
    function, matrix = linear
    n = matrix.shape[1]
    upstream = (real + 1j * imag)[: matrix.shape[0]].astype(np.complex64)

    def loss(z, upstream):
        """Whose gradient by the output is upstream."""
        return tf.reduce_sum(tf.math.real(tf.math.conj(upstream) * function(z)))

    found = mode.gradients(loss, np.ones(n, np.complex64), upstream)[0]
    assert np.allclose(found, matrix.conj().T @ upstream, 1e-3, 1e-2)
    assert not np.allclose(matrix.conj(), matrix)


@says(
    "The inner product of matrices …",
    "In code it …",
    "For matrices, the …",
    "The inner product itself …",
    r"The symbol $\odot$ …",
    "A vector–Jacobian product …",
)
@over(a=arrays((2, 3), numbers(-9, 9)), b=arrays((2, 3), numbers(-9, 9)), x=VECTORS)
def test_products(a, b, x):
    paired = tf.reduce_sum(tf.constant(a) * b)
    assert np.isclose(paired, np.trace(a.T @ b), 1e-3, 1e-2) and paired.shape == ()
    assert raised(tf.matmul, a, b) is not None
    upstream = np.float32([1, -2, 3])
    found = EAGER.gradients(lambda x: tf.reduce_sum(upstream * x * x), x)[0]
    assert np.allclose(found, upstream @ np.diag(2 * x), 1e-5, 1e-5)
    assert np.allclose(found, upstream * (2 * x), 1e-5, 1e-5)


@says(
    "For example, the derivative …",
    "In contrast, $:=$ …",
    "$:=$ marks a …",
    "The result that …",
)
@over(mode=MODES, x=numbers(-9, 9), scale=numbers(0.5, 9))
def test_rounding(mode, x, scale):
    if abs(x % 1 - 0.5) > 1e-3:
        h = 1e-4
        assert np.round(x + h) - np.round(x - h) == 0
    assert mode.gradient(tf.round, x, lambda y: y * scale) is None
    chosen = tf.custom_gradient(lambda x: (tf.round(x), lambda u: u))
    assert same(mode.gradient(chosen, x, lambda y: y * scale), scale)


@says("On this site, each …", "The first such …")
@over(page=PAGES)
def test_decided(page):
    decided = [
        each.count(":=")
        for each in re.findall(r"\$\$(.*?)\$\$", page, re.DOTALL)
        if ":=" in each
    ]
    assert set(decided) <= {1}
    explained = PAGES["lessons/sign.md"]
    assert re.search(r"[Tt]he symbol\s+\$:=\$ marks this\s+choice", explained)
    lessons = [n for n, text in PAGES.items() if ":=" in text and "lessons/" in n]
    assert lessons == ["lessons/sign.md", "lessons/training.md"]


@says(
    r"$\nabla$ — the …",
    r"$\d$ is upright, …",
)
@over(page=PAGES)
def test_signs_that_are_not_used(page):
    assert r"\nabla" not in page
    assert not re.search(r"\\frac\{d\}|\\frac\{d [a-zA-Z]\}", page)


@says(
    "It is the type …",
    "So `upstream` has …",
    "If there are several outputs, …",
    "If there are several inputs, …",
)
@over(mode=MODES, dtype=[tf.float32, tf.float64], loss=[0, 1])
def test_the_type_of_a_rule(mode, dtype, loss):
    """C = A B, and the sum of A as a second output, in float32."""
    seen = []

    @tf.custom_gradient
    def product(a, b):
        def grad(*upstreams):
            seen.append([(tuple(each.shape), each.dtype) for each in upstreams])
            upstream, _ = upstreams
            return tf.matmul(upstream, b, transpose_b=True), tf.matmul(
                a, upstream, transpose_a=True
            )

        return (tf.matmul(a, b), tf.cast(tf.reduce_sum(a), tf.float32)), grad

    a, b = tf.ones([2, 3], dtype), tf.ones([3, 4], dtype) * 2
    to_a, to_b = mode.gradients(lambda a, b: tf.reduce_sum(product(a, b)[0]), a, b)
    assert (to_a.shape, to_b.shape) == (a.shape, b.shape)
    assert same(to_a, tf.fill([2, 3], 8.0)) and same(to_b, tf.fill([3, 4], 2.0))
    assert to_a.dtype == to_b.dtype == dtype
    assert seen[0] == [((2, 4), dtype), ((), tf.float32)]


@says(
    "On this site the bar …",
    "The conjugate and …",
    "The conjugate has …",
    "The bar is the gradient and …",
)
@over(mode=MODES, re=numbers(-9, 9), im=numbers(-9, 9))
def test_bar_or_star(mode, re, im):
    def loss(z):
        return tf.math.real(z * tf.math.conj(z))

    z = tf.complex(*map(np.float64, (re, im)))
    bar, star = mode.gradient(loss, z).numpy(), np.conj(z.numpy())
    assert np.isclose(bar, 2 * z) and (im == 0 or bar.imag * star.imag <= 0)
    shown = [each.text for each in trace("complex.py")]
    assert "(1-2j)" in shown[1] and "(2+4j)" in shown[3]
    complex_of = [complex(each.split()[-1]) for each in (shown[1], shown[3])]
    assert [each.imag > 0 for each in complex_of] == [False, True]


@functools.cache
def is_used(name):
    return any(re.search(rf"\b{name}\b", each) for each in PROGRAMS.values())


@says(
    r"The differential $\d W$ …",
    "On this site, the …",
    "For the same …",
    was=(
        "'in the code of this site': ten programs call a gradient dx or dW outside of the rule",
        "'its name in TensorFlow's documentation': it is called upstream, dpoly and dy there",
    ),
)
@over(program=PROGRAMS)
def test_names(program):
    try:
        tree = ast.parse(program)
    except SyntaxError:  # wrong on purpose
        return
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    for each in functions:
        arguments = {one.arg for one in each.args.args}
        names = {one.id for one in ast.walk(each) if isinstance(one, ast.Name)}
        if any(one.startswith("upstream") for one in arguments):
            assert not re.search(r"\bd[a-zA-Z]\b", " ".join(names | arguments))
        if each.name == "grad":
            assert "dy" not in arguments
    assert "def grad_fn(dy)" in tf.custom_gradient.__doc__
    for name in ("downstream_W", "direction", "dx"):
        assert is_used(name)


@says("The change and …", "If you measure …")
@over(scale=numbers(0.5, 9), dx=numbers(-9, 9))
def test_price_and_amount(scale, dx):
    """In another unit of x both change, and their product does not."""
    x = np.float64(3)
    to_x = EAGER.gradient(tf.sin, x)
    to_scaled = EAGER.gradient(lambda s: tf.sin(s / scale), x * scale)
    assert np.isclose(to_x * dx, to_scaled * (dx * scale))


@says(
    "A number as …",
    "A letter as …",
    "In code, the …",
)
@over(i=[1, 2], j=[1, 2, 3])
def test_indices(i, j):
    assert tf.constant(W)[i - 1, j - 1] == 3 * (i - 1) + j
    map_of = PAGES["lessons/chain_rule.md"]
    steps = re.search(r"y = x_0\^2.*?x_0 = x_1\^2.*?x_1 = x(_2)?\^2", map_of, re.DOTALL)
    assert steps is not None


definition(
    "For matrices, which …",
    "On this site, a bar …",
    "A bar marks …",
    "Sign — Read …",
    r"$\d z$ — …",
    r"$\frac{\d z}{\d x}$ …",
    "Between scalars, this …",
    "The symbol $:=$ …",
    "An equals sign …",
    "Where the shape …",
)
history(
    "Some examples in …",
    "The bar is the notation …",
    "`upstream` is `grad_output` …",
    "Haskell also writes …",
    "Many texts write …",
    r"upstream gradient, $\upstream{\bar y}$ …",
    r"downstream gradient, $\downstream{\bar x}$ …",
    r"change, $\d x$ …",
    "gradient function — the …",
    "what a gradient …",
    "vector–Jacobian product — …",
    "Jacobian–vector product — …",
    "no gradient for …",
    "stop — `tf.stop_gradient` …",
    "nested structure — …",
    "These are the …",
    "Note two differences …",
    "In JAX, the …",
    "A gradient function in TensorFlow, …",
)
pointer(
    "For example, take a …",
    "For a product …",
    "For example, take two …",
    r"The gradient of $L$ …",
    "The page on the lessons …",
    "This page explains …",
    "The table of …",
    "Compare the signs …",
    "The page on the vector–Jacobian …",
    "Complex numbers explains …",
    "Here — TensorFlow …",
)
