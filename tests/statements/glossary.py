"""What the glossary says of its words."""

import re
import weakref
from pathlib import Path
from types import SimpleNamespace

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from reader.terms import load
from truth.statements.tries import *

DOCS = Path(__file__).parents[2] / "docs"
GLOSSARY = load(DOCS)
TERMS = GLOSSARY.entries
WRAPS = {
    "eager": lambda f: f,
    "tf.function": tf.function,
    "XLA": tf.function(jit_compile=True),
}
FEW = [EAGER, INSIDE, AROUND, XLA]


def back_through(rule, forward=tf.identity):
    """A function of one tensor with a rule of upstream alone."""
    return tf.custom_gradient(lambda x: (forward(x), rule))


def linked(text, page):
    """A page as it is rendered where MkDocs says which one it is."""
    md = Markdown(extensions=["attr_list", "reader.terms"])
    told = Treeprocessor(md)
    told.file = SimpleNamespace(src_uri=page)
    told.config = SimpleNamespace(docs_dir=str(DOCS))
    md.treeprocessors.register(told, "relpath", 0)
    return md.convert(text)


@says(
    "On every other …",
    "Words that occur …",
    was="'the first occurrence of a term': five words are not linked",
)
@over(term=[*TERMS], page=["page.md", "guide/page.md"])
def test_links(term, page):
    address = ("../" if "/" in page else "") + f"glossary.md#{term}"
    words = TERMS[term].term
    html = linked(f"# {words}\n\n`{words}`, then {words}, then {words}.", page)
    assert html.count("<a ") == bool(TERMS[term].forms)
    assert TERMS["gradient"].forms == () and linked(words, "glossary.md").count("<") < 4
    if TERMS[term].forms:
        before, after = html.split(f'href="{address}" title="')
        assert before.endswith('</code>, then <a class="term" ')
        title = after.partition('">')[0].replace("&quot;", '"')
        assert title == TERMS[term].title


# Words for maps.


@says(
    "The adjoint of …",
    "`adjoint=True` in `tf.linalg.solve` …",
)
@over(real=arrays((2, 2), numbers(-9, 9)), imag=arrays((2, 2), numbers(-9, 9)))
def test_adjoint(real, imag):
    matrix = real + 1j * imag + 40 * np.eye(2)
    assert same(tf.linalg.adjoint(matrix), matrix.conj().T)
    b = np.array([[1.0], [2j]])
    solved = tf.linalg.solve(matrix, b, adjoint=True).numpy()
    assert np.allclose(matrix.conj().T @ solved, b)


def composed(x):
    return tf.sin(x) * tf.exp(x / 8) / (x * x + 1)


@says(
    "Computing derivatives by …",
    "It uses neither …",
    "If each operation …",
    "If an operation …",
    was="'exact but for rounding': of relu(x) - relu(-x), which is x, it is 0 at 0",
)
@over(mode=MODES, x=numbers(-9, 9))
def test_autodiff(mode, x):
    e, d = np.exp(x / 8), x * x + 1
    right = e * ((np.cos(x) + np.sin(x) / 8) / d - 2 * x * np.sin(x) / d**2)
    assert np.isclose(mode.gradient(composed, np.float64(x)), right, 1e-9, 1e-12)

    def identity(x):
        return tf.nn.relu(x) - tf.nn.relu(-x)

    assert (
        same(mode.gradient(identity, x), 0.0 if x == 0 else 1.0) or 0 < abs(x) < 1e-37
    )


@says(
    "The computation from …",
    "In TensorFlow, `tape.gradient` …",
)
@over(x=numbers(-9, 9), wrap=[lambda f: f, tf.function])
def test_backward_pass(x, wrap):
    order = []

    def step(n):
        def turned(u):
            order.append((n, u.numpy()))
            return u * n

        return back_through(
            lambda u: tf.ensure_shape(tf.py_function(turned, [u], u.dtype), []),
            lambda x: x * n,
        )

    steps = [step(2.0), step(3.0)]
    with tf.GradientTape() as tape:
        tape.watch(given := tf.constant(x))
        y = wrap(lambda x: steps[1](steps[0](x)))(given)
    assert not order
    assert same(tape.gradient(y, given), 6.0)
    assert order == [(3.0, 1.0), (2.0, 3.0)]


@says(
    "Using one element …",
    "The gradient function …",
    "Summing an array …",
    "It is the …",
)
@over(
    mode=MODES, upstream=arrays((2, 3), numbers(-9, 9)), x=arrays((3,), numbers(-9, 9))
)
def test_broadcasting(mode, upstream, x):
    found = mode.gradients(lambda x, u: tf.reduce_sum((x + 0 * u) * u), x, upstream)[0]
    assert np.allclose(found, upstream.sum(0), 1e-5, 1e-4) and found.shape == x.shape
    copied = np.broadcast_to(x, (2, 3))
    assert np.isclose(
        np.sum(upstream * copied), np.sum(upstream.sum(0) * x), 1e-3, 1e-2
    )


@says(
    "An approximation of …",
    "The error of …",
    "Where the function …",
    r"In formulas: $\frac{f(x + h) - f(x - h)}{2h} = f'(x) + O(h^2)$.",
    was="without 'where the function is smooth': of |x| at 0.001 the error is 0.9",
)
@over(x=numbers(-1, 1), f=[(np.exp, np.exp), (lambda x: x**3, lambda x: 3 * x * x)])
def test_central_difference(x, f):
    f, slope = f
    x = np.float64(x)

    def central(h):
        return abs((f(x + h) - f(x - h)) / (2 * h) - slope(x))

    def one_sided(h):
        return abs((f(x + h) - f(x)) / h - slope(x))

    assert 90 < central(1e-1) / central(1e-2) < 110
    assert central(1e-12) > central(1e-4) or f is not np.exp
    if x > 0.3:
        assert 9 < one_sided(1e-2) / one_sided(1e-3) < 11


@says(
    "A method that …",
    "The input gets …",
    "The method subtracts …",
    "The method subtracts …",
    was="'nothing nearly equal is subtracted': x ** 2 at -0.4 gives -3918.87, by TensorFlow's complex power",
)
@over(x=numbers(0.1, 9), h=numbers(1e-30, 1e-12))
def test_complex_step(x, h):
    def slope(f):
        return tf.math.imag(f(tf.complex(*np.float64([x, h])))) / np.float64(h)

    for f in (tf.sin, tf.exp, lambda z: z * z, tf.math.log):
        assert same(slope(f), EAGER.gradient(f, np.float64(x)), 1e-12)
    x = -0.4
    assert abs(slope(lambda z: z * z) + 0.8) < 1e-12
    assert abs(slope(lambda z: z**2) + 0.8) > 1e-9


@says(
    "In code: `tf.custom_gradient`.",
    "A function together …",
    "In the backward …",
    "The result is …",
    "Your gradient function …",
    "A function whose …",
    "A function with …",
)
@over(mode=MODES, x=numbers(-9, 9))
def test_custom_gradient(mode, x):
    inside = back_through(lambda u: u * np.nan, tf.exp)
    other = tf.custom_gradient(lambda x: (inside(x), lambda u: u * tf.cos(x)))
    assert np.isclose(mode.gradient(other, x), np.cos(x), 1e-4, 1e-6)
    assert same(other(tf.constant(x)), tf.exp(x))


def quadratic(x):
    """Two outputs of three inputs."""
    return tf.stack([x[0] * x[1], x[2] * x[2]])


def built(f, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x := tf.constant(x))
        y = f(x)
    return tape.jacobian(y, x, experimental_use_pfor=False)


def jacobian(x):
    return np.array([[x[1], x[0], 0], [0, 0, 2 * x[2]]])


@says(
    "For arrays, it …",
    "How a small …",
    "The matrix of …",
    r"In formulas: $\local{J}$, …",
    "The convention that …",
    "Jacobian–vector product: the …",
    "It is what forward …",
    "One run gives the derivative …",
    "Differentiation from the inputs …",
    "A small change …",
    "In code: `tf.autodiff.ForwardAccumulator`.",
    "The part of …",
)
@over(
    forward=FORWARDS,
    x=arrays((3,), numbers(-9, 9)),
    dx=arrays((3,), numbers(-9, 9)),
)
def test_forward_mode(forward, x, dx):
    tangent = forward.jvp(quadratic, x, dx)
    assert np.allclose(tangent, jacobian(x) @ dx, 1e-4, 1e-4) and tangent.shape == (2,)
    assert np.allclose(built(quadratic, x), jacobian(x), 1e-6, 1e-30)
    h = 1e-3
    moved = quadratic(x + h * dx.astype(float)) - quadratic(x.astype(float))
    assert np.allclose(moved / h, jacobian(x) @ dx, 1e-3, 0.2)


@says(
    "Vector–Jacobian product: the …",
    "It is what reverse …",
    "One run gives the gradient …",
    "Differentiation from the loss …",
    "In this layout, …",
    "The sum of the products …",
    "The inner product …",
    r"In formulas: $\langle \upstream{\bar C}, \d C \rangle$, …",
    "In code: `tf.GradientTape`.",
)
@over(
    mode=MODES,
    x=arrays((3,), numbers(-9, 9)),
    upstream=arrays((2,), numbers(-9, 9)),
    dx=arrays((3,), numbers(-9, 9)),
)
def test_reverse_mode(mode, x, upstream, dx):
    def loss(x, upstream):
        return tf.reduce_sum(upstream * quadratic(x))

    downstream = mode.gradients(loss, x, upstream)[0].numpy()
    assert np.allclose(downstream, upstream @ jacobian(x), 1e-4, 1e-4)
    pairs = np.sum(upstream * (jacobian(x) @ dx)), np.sum(downstream * dx)
    assert np.isclose(*pairs, 1e-3, 1e-1)


@says("A gradient function computes …")
@over(mode=FEW)
def test_a_jacobian_that_nobody_builds(mode):
    """It would have 10¹² elements."""
    found = mode.gradient(tf.square, tf.ones([1_000_000]))
    assert same(found, np.full(1_000_000, 2.0))


@says(
    "A function is …",
    "Its Jacobian is …",
    "The derivative of the output …",
    "A gradient function returns …",
)
@over(mode=MODES, x=arrays((3,), numbers(-9, 9)), loss=[LOSSES["dense"], tf.square])
def test_elementwise(mode, x, loss):
    upstream = EAGER.gradient(loss, tf.sin(x)).numpy()
    found = mode.gradient(tf.sin, x, loss).numpy()
    assert np.allclose(found, upstream * np.cos(x), 1e-4, 1e-5)
    assert np.allclose(built(tf.sin, x), np.diag(np.cos(x)), 1e-4, 1e-5)


@says(
    "One `tf.where` on …",
    "Without the `tf.where` …",
    was="'is NaN': of tf.sqrt at 0 it is 0, but for XLA",
)
@over(mode=MODES, f=[tf.sqrt, tf.math.log])
def test_double_where(mode, f):
    def one(x):
        return tf.where(x > 0, f(x), 0.0)

    def two(x):
        return tf.where(x > 0, f(tf.where(x > 0, x, 1.0)), 0.0)

    assert same(mode.gradient(two, 0.0), 0.0) and np.isnan(0.0 * np.inf)
    nan = f is not tf.sqrt or mode in (XLA, AROUND_XLA)
    assert same(mode.gradient(one, 0.0), np.nan if nan else 0.0)


# Words for gradients.


@says(
    "What a gradient …",
    "The sum of the downstream …",
    "The gradient of …",
)
@over(mode=[EAGER, PERSISTENT], x=arrays((2, 3), numbers(-9, 9)), loss=LOSSES)
def test_upstream_of_the_step_before(mode, x, loss):
    seen = []
    step = back_through(lambda u: seen.append(u) or u)
    used = back_through(lambda u: tf.convert_to_tensor(u) * 2.0, lambda y: 2.0 * y)

    def twice(x):
        y = step(x)
        return used(y) + y * y

    mode.gradient(twice, x, loss)
    arrived = EAGER.gradient(loss, twice(x))
    assert len(seen) == 1 and seen[0].shape == x.shape
    right = tf.convert_to_tensor(arrived) * (2.0 + 2.0 * x)
    assert same(seen[0], right, 1e-5)


@says(
    "It has the shape of the output.",
    "If a lookup …",
    was="'the shape of the output' alone: behind tf.gather the values have another",
)
@over(mode=MODES, loss=[LOSSES["dense"], LOSSES["sparse"]])
def test_the_shape_of_upstream(mode, loss, shape=(2, 3)):
    seen = []
    step = back_through(lambda u: seen.append((u, tf.convert_to_tensor(u))) or u)
    mode.gradient(step, tf.ones(shape), loss)
    [(given, dense)] = seen
    assert dense.shape == given.shape == shape
    assert isinstance(given, tf.IndexedSlices) == (loss is LOSSES["sparse"])


@says(
    "The derivative of a scalar, …",
    "If the target …",
    r"In formulas: $\bar x$, …",
)
@over(mode=MODES, x=arrays((2, 3), numbers(-9, 9)))
def test_gradient(mode, x):
    def matrix(x):
        return tf.matmul(x, tf.sin(x), transpose_b=True)

    whole, total = (mode.gradient(matrix, x, loss) for loss in (None, tf.reduce_sum))
    assert same(whole, total) and whole.shape == x.shape


clip = back_through(lambda u: tf.clip_by_value(u, -1.0, 1.0))
SINE, CLIP = lambda x, u: tf.sin(x) * u, lambda x, u: clip(x) * u


@says(
    "The function that turns …",
    "It is linear …",
    "In TensorFlow, the …",
    "Unlike a pullback, …",
    was="'the function grad that you return is one': clip_by_value is not linear",
)
@over(mode=MODES, u=numbers(1, 9), v=numbers(1, 9))
def test_pullback(mode, u, v):
    def pulled(f, upstream):
        return mode.gradients(f, 0.5, upstream)[0]

    assert same(pulled(SINE, u + v), pulled(SINE, u) + pulled(SINE, v), 1e-5)
    assert same(pulled(CLIP, u + v), 1.0) and same(
        pulled(CLIP, u) + pulled(CLIP, v), 2.0
    )


@says(
    "Tensors in tuples, …",
    "A gradient function receives …",
    "One tensor of …",
    "In code: `tf.nest`.",
)
@over(mode=FEW, depth=st.integers(0, 4), inputs=st.integers(1, 3))
def test_nested_structure(mode, depth, inputs):
    got = []

    def deep(leaves):
        for level in range(depth):
            leaves = ({"a": leaves}, [leaves], (leaves,))[level % 3]
        return leaves

    @tf.custom_gradient
    def rule(structure):
        def grad(*upstreams):
            got.append(len(upstreams))
            return [upstreams[0] * (n + 1.0) for n in range(inputs)]

        first, *_ = tf.nest.flatten(structure)
        return deep([first * 1.0, {"b": first * 2.0}]), grad

    def run(*leaves):
        return tf.add_n(tf.nest.flatten(rule(deep([*leaves]))))

    assert same(
        mode.gradients(run, *range(1, inputs + 1) * np.float32(1)),
        [*np.arange(1.0, inputs + 1)],
    )
    assert {*got} == {2}


@says("A gradient function that …", "It treats the …")
@over(mode=MODES, x=numbers(-9, 9), scale=numbers(-9, 9))
def test_straight_through(mode, x, scale):
    def scaled(y):
        return y * scale

    assert mode.gradient(tf.round, x) is None
    through = back_through(lambda u: u, tf.round)
    assert same(mode.gradient(through, x, scaled), scale)
    assert same(mode.gradient(tf.grad_pass_through(tf.round), x, scaled), scale)


@says("A way to …", "Compute the second …", "In code: `s + …")
@over(mode=MODES, x=numbers(-3, 3))
def test_the_stop_gradient_trick(mode, x):
    def f(x):
        y, s = tf.sign(x), tf.tanh(x)
        return s + tf.stop_gradient(y - s)

    found = mode.gradient(f, np.float64(x))
    assert np.isclose(found, 1 - np.tanh(x) ** 2)
    assert np.isclose(f(tf.constant(x, tf.float64)), np.sign(x))


@says("A tensor that …", "It gets no …")
@over(mode=MODES)
def test_a_captured_tensor(mode):
    def captured(x, k):
        of_x = tf.custom_gradient(lambda x: (k * x, lambda u: u * k))
        return of_x(x) + 5.0 * k

    assert same(mode.gradients(captured, 2.0, 3.0), [3.0, 5.0])


# Words for what TensorFlow does.


@says(
    "TensorFlow's default: each …",
    "A gradient function then …",
    "The operations that …",
    "During tracing, the …",
    "The opposite of a graph.",
    "The opposite of eager mode.",
    "Even in eager …",
    was="'tensors are symbolic': an eager tensor from outside keeps its value",
)
@over(mode=MODES)
def test_eager_and_graph(mode):
    seen, outside = [], tf.constant(2.0)
    step = back_through(lambda u: seen.append(u * outside) or u)
    mode.gradient(step, 1.0)
    assert tf.executing_eagerly() and outside.numpy() == 2
    symbolic: list = []
    step = back_through(lambda u: symbolic.append(u) or u)

    def alone(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = step(row)
        return tape.gradient(y, row)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x := tf.ones([2, 2]))
        y = step(x)
    for vectorized in (
        lambda: tape.jacobian(y, x),
        lambda: tape.batch_jacobian(y, x),
        lambda: tf.vectorized_map(alone, x),
    ):
        symbolic.clear()
        vectorized()
        assert symbolic and all(message(lambda u=u: u.numpy()) for u in symbolic)
    symbolic.clear()
    tape.jacobian(y, x, experimental_use_pfor=False)
    assert symbolic and not any(message(lambda u=u: u.numpy()) for u in symbolic)
    for each in seen:
        assert (message(lambda each=each: each.numpy()) != "") == (mode in GRAPHS)
        assert ("numpy=2.0" in repr(each)) == (mode not in GRAPHS)


@says(
    "A point at …",
    "The function has …",
)
@over(mode=MODES, at=numbers(-9, 9))
def test_kink(mode, at):
    """One function, written in two ways: two conventions."""

    def one(x):
        return tf.nn.relu(x - at)

    def other(x):
        return tf.maximum(x - at, 0.0)

    for f in (one, other):
        left, right = (mode.gradient(f, np.float32(at + d)) for d in (-1, 1))
        assert (left, right) == (0, 1)
    assert same(mode.gradient(one, at), 0.0)
    assert mode.gradient(other, at) > 0


@says(
    "A subgradient of …",
    "At a kink …",
    "Where the derivative …",
)
@over(slope=numbers(-3, 3), x=numbers(-9, 9))
def test_subgradient(slope, x):
    """Of |x|, with lines through a point of it."""
    points = np.concatenate([np.linspace(-20, 20, 401), [0.0]])

    def below(at, slope):
        return np.all(abs(at) + slope * (points - at) <= abs(points) + 1e-9)

    assert below(0.0, slope) == (abs(slope) <= 1)
    if abs(x) > 0.2:
        assert below(x, np.sign(x)) and not below(x, np.sign(x) * 0.9)
        assert not below(x, np.sign(x) * 1.1)


@says(
    "Dropping intermediate values …",
    "If the computation …",
    "In code: `tf.recompute_grad`.",
    was="'it takes less memory': around the whole function as many values are there at once",
)
@over(parts=[1, 4], size=[8])
def test_recomputation(parts, size):
    def used(wrap):
        alive, refs = [], []

        def part(x):
            for _ in range(size // parts):
                x = tf.sin(x)
                refs.append(weakref.ref(x))
                alive.append(sum(each() is not None for each in refs))
            return x

        part = wrap(part)
        with tf.GradientTape() as tape:
            tape.watch(x := tf.constant(0.5))
            y = x
            for _ in range(parts):
                y = part(y)
        kept = sum(each() is not None for each in refs)
        assert tape.gradient(y, x) is not None
        return len(refs), kept, max(alive)

    (ran, kept, most), (again, less, peak) = used(lambda f: f), used(tf.recompute_grad)
    assert (ran, again) == (size, 2 * size) and less == parts < kept == size
    assert (peak < most) == (parts > 1)


@says(
    "TensorFlow's record of …",
    "It can be …",
)
@over(persistent=[False, True], wrap=WRAPS, x=numbers(-9, 9))
def test_tape(persistent, wrap, x):
    @wrap
    def asked(x):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x), tape.gradient(y, x)

    said = message(asked, tf.constant(x))
    assert (said == "") == persistent
    assert persistent or "A non-persistent GradientTape" in said


@says(
    "A tensor is …",
    "Trainable variables are …",
    "Any other tensor …",
    "A tape made …",
    "In code: `tape.watch(x)`.",
    was="'are watched by themselves': not with watch_accessed_variables=False",
)
@over(wrap=WRAPS, reads=[False, True], trainable=[False, True], told=[False, True])
def test_watched(wrap, reads, trainable, told):
    v, w = tf.Variable(2.0, trainable=trainable), tf.Variable(3.0)

    @wrap
    def asked(x):
        with tf.GradientTape(watch_accessed_variables=reads) as tape:
            if told:
                tape.watch(x)
            y = v * x
        found.append([each is v for each in tape.watched_variables()])
        return tape.gradient(y, [v, x, w])

    found = []
    to_v, to_x, to_w = asked(tf.constant(1.0))
    assert same(to_v, 1.0 if reads and trainable else None) and to_w is None
    assert same(to_x, 2.0 if told else None)
    assert found == [[True] if reads and trainable else []]


@says(
    "A target and …",
    "The tape then …",
    "If you pass …",
    "A tape outside …",
    "So the gradient …",
    "In code: `tf.UnconnectedGradients`.",
)
@over(mode=TAPES, ask=["none", "zero"])
def test_unconnected(mode, ask):
    def gradient(wrap):
        with tf.GradientTape() as tape:
            tape.watch([x := tf.constant(2.0), y := tf.constant(3.0)])
            one, _ = wrap(lambda x, y: (x * x, y * y))(x, y)
        return tape.gradient(one, y, unconnected_gradients=ask)

    right = None if ask == "none" else 0.0
    assert same(gradient(lambda f: f), right)
    assert same(tf.function(gradient, jit_compile=mode is XLA)(lambda f: f), right)
    assert same(gradient(tf.function), 0.0)
    with tf.GradientTape() as tape:  # of what isn't watched, though it is used
        tape.watch(x := tf.constant(2.0))
        z = x * (y := tf.constant(3.0))
    unwatched = tape.gradient(z, [x, y], unconnected_gradients=ask)
    assert same(unwatched[0], 3.0) and same(unwatched[1], right)
    assert right != EAGER.gradient(lambda y: 2.0 * y, 3.0) == 2
    to_other = mode.gradients(lambda x, y: x * x, 2.0, 3.0)[1]
    assert to_other is None


@says(
    "One of two …",
    "By TensorFlow's convention …",
    r"In formulas: $\bar z = 2 \frac{\partial L}{\partial z^*}$.",
    was="'TensorFlow's gradient': the rules of det and a few others forget the conjugate",
)
@over(mode=MODES, re=numbers(-9, 9), im=numbers(-9, 9))
def test_wirtinger(mode, re, im):
    """L = |z|² + Re z³, by z* at fixed z: z + 3 (z*)² / 2."""

    def loss(z):
        return tf.math.real(z * tf.math.conj(z)) + tf.math.real(z * z * z)

    z = complex(re, im)
    found = mode.gradient(loss, tf.constant(z, tf.complex128)).numpy()
    by_conjugate = z + 1.5 * z.conjugate() ** 2
    assert np.isclose(found, 2 * by_conjugate)


@says(
    "The second of …",
)
@over(page=[*DOCS.glob("lessons/*.md"), *DOCS.glob("guide/*.md")])
def test_the_second_step(page):
    steps = re.findall(
        r"^(\d)\. +\*\*(.*?)\.?\*\*", page.read_text("utf-8"), re.MULTILINE
    )
    named = {words.rstrip(".:") for number, words in steps if number == "2"}
    assert "Write the differential" in named or not any(
        words.startswith("State the map") for _, words in steps
    )


definition(
    "It turns a …",
    "The Python function …",
    "It receives the …",
    "In code: `grad`.",
    "A function that captures …",
    "Where the tape …",
    "If the tape is inside, …",
    "If the tape is outside, …",
    "It has the shape of the value.",
    r"In formulas: $\d y$.",
    r"In formulas: $\downstream{\bar x}$, …",
    r"In formulas: $\odot$, …",
    "Computing the outputs …",
    r"In formulas: $\local{J} \, \d x$.",
    r"In formulas: $\local{\frac{\d y}{\d x}}$, …",
    "The scalar that …",
    "In formulas: $L$, …",
    "The denominator layout …",
    "A value of …",
    "In formulas: $x$, $y$.",
    "As a type: …",
    r"In formulas: $\tilde y$.",
    r"In formulas: $\d x$, …",
    "The counterpart of a tangent.",
    "The counterpart of a cotangent.",
    "The cotangent of …",
    r"In formulas: $\upstream{\bar y}$, …",
    r"In formulas: $\upstream{\bar y} \, \local{J}$.",
    "On this site: …",
    "The word has …",
)
history(
    "Elsewhere: adjoint, sensitivity; …",
    "Elsewhere: `jax.custom_vjp` (JAX), …",
    "Elsewhere: cotangent of …",
    "Elsewhere: `jax.jvp` (JAX), `torch.func.jvp` (PyTorch), `frule` (ChainRules).",
    "Elsewhere: `jax.grad` (JAX), …",
    "Elsewhere: `bwd` (JAX), …",
    "Elsewhere: jaxpr (JAX).",
    "Elsewhere: `jax.jacobian` (JAX), …",
    "Elsewhere: `jax.jvp` (JAX), `torch.func.jvp` (PyTorch), pushforward …",
    "In PyTorch, a …",
    "Elsewhere: leaf (JAX).",
    "Elsewhere: pytree (JAX), …",
    "Elsewhere: VJP function …",
    "Elsewhere: `jax.checkpoint` (JAX), …",
    "Elsewhere: `jax.vjp` (JAX), `torch.autograd` …",
    "Elsewhere: `jax.lax.stop_gradient` (JAX), …",
    "Elsewhere: zeros (JAX), …",
    "Elsewhere: `jax.vjp` (JAX), `torch.func.vjp` …",
    "Elsewhere: `argnums` of …",
    "In texts on reverse …",
    "What JAX and …",
    "Elsewhere: reverse pass, …",
    "Elsewhere: partial, elemental derivative.",
    "Elsewhere: objective, cost, …",
    "Elsewhere: Wengert list, …",
    "Elsewhere: cotangent (JAX, …",
)
pointer(
    "Here you can …",
    "The table of …",
    "The lessons list …",
    "See when to write a custom …",
    "See the tape and a …",
    "See the tape and graphs …",
    "See a gradient …",
    "See a kink and numerical stability.",
    "See a kink and points …",
    "See broadcasting.",
    "See step sizes and Squire1998.",
    "See checking a gradient …",
    "See complex numbers and Kreutz-Delgado2009.",
    "See complex numbers.",
    "See straight through …",
    "See several inputs, …",
    "See matrices.",
    "See points without …",
    "See questions of notation.",
    "See reading the backward pass and matrices.",
    "See reading the backward pass.",
    "See several variables.",
    "See the chain rule and Baydin2018.",
    "See the chain rule and Magnus2019.",
    "See the chain rule.",
    "See the lessons.",
    "See the tape.",
    "See the vector–Jacobian product.",
    "See vectors and …",
    "See vectors.",
)
