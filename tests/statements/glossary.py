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
    "On every other page the first occurrence of a term in running text leads here, and its definition shows when you point at it; words that stand on nearly every page, such as gradient, are not linked.",
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
    "Of a matrix: its complex conjugate, transposed.",
    "`adjoint=True` in `tf.linalg.solve` has the first meaning.",
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
    "Computing derivatives by applying the chain rule to the operations that a program executes.",
    "It manipulates no formula and takes no differences.",
    "Where each operation has a derivative, and a rule that returns it, the result is exact but for rounding and overflow.",
    "Where an operation has none, the result can be wrong.",
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
    "The walk from the loss back to the inputs, in which each step turns its upstream gradients into its downstream gradients.",
    "In TensorFlow `tape.gradient` runs it.",
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
    "Using one element of a smaller array at several places of a larger one, as in adding a vector to each row of a matrix.",
    "What the forward pass broadcasts, the rule sums.",
    "Summing an array over the axes along which an input was broadcast, so that the result has the shape of the input.",
    "It is the transpose of broadcasting.",
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
    "The slope of a function from its values at two points, one on each side.",
    "It needs no derivative.",
    "Where the function is smooth, the error falls with the square of the step until rounding takes over; that of a difference to one side falls with the step.",
    r"In formulas $\frac{f(x + h) - f(x - h)}{2h} = f'(x) + O(h^2)$.",
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
    "The slope of a real function from one value at a complex point: the imaginary part of the result, divided by the imaginary step.",
    "It takes no difference, so the step may be tiny; what the function itself loses on complex input is lost.",
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
    "In code `tf.custom_gradient`.",
    "A rule of your own, which TensorFlow calls on the backward pass in place of the rules of the operations inside.",
    "It need not be the derivative of the forward pass.",
    "A function whose derivative a rule returns in place of that of its forward pass.",
    "A function with a custom gradient does it, and returns its rule beside the outputs.",
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
    "Of arrays it is a linear map, from changes of the input to changes of the output; its matrix is the Jacobian.",
    "How a small change of an input moves an output, to first order.",
    "The matrix of all partial derivatives of a map, with one row for each output and one column for each input.",
    r"In formulas $\local{J}$, in code `tape.jacobian`.",
    "The convention that a Jacobian has one row for each output and one column for each input.",
    "Jacobian–vector product: the Jacobian times a column of changes of the inputs, which gives the change of the outputs.",
    "It is what forward mode computes.",
    "One run gives the derivative along one direction.",
    "Differentiation from the inputs to the outputs: each step turns a change of its inputs into the change of its outputs.",
    "A small change of a value, as forward mode carries it from step to step; it has the shape of the value.",
    "In code `tf.autodiff.ForwardAccumulator`.",
    "The part of a change of an output that is linear in the small changes of the inputs.",
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
    "Vector–Jacobian product: the upstream gradient as a row, times the Jacobian of a step, which gives the downstream gradient.",
    "It is what reverse mode computes.",
    "One run gives the gradient of one number with respect to every input.",
    "Differentiation from the loss to the inputs: each step turns its upstream gradients into downstream ones.",
    "The derivative of a single number is then a row, and it multiplies from the left.",
    "The sum of the products of the elements of two arrays of one shape.",
    "Upstream paired with the change of the output is the change of the loss, to first order.",
    r"In formulas $\langle \upstream{\bar C}, \d C \rangle$, in code `tf.reduce_sum(upstream * change)`.",
    "In code `tf.GradientTape`.",
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


@says("A rule multiplies by it and need not build it.")
@over(mode=FEW)
def test_a_jacobian_that_nobody_builds(mode):
    """It would have 10¹² elements."""
    found = mode.gradient(tf.square, tf.ones([1_000_000]))
    assert same(found, np.full(1_000_000, 2.0))


@says(
    "Of a map: each output is made from the input at the same place alone.",
    "Its Jacobian is diagonal, so its rule is a product element by element.",
    "How one step alone moves its output when its input moves, whatever comes before or after it.",
    "A rule multiplies the upstream gradient by it.",
)
@over(mode=MODES, x=arrays((3,), numbers(-9, 9)), loss=[LOSSES["dense"], tf.square])
def test_elementwise(mode, x, loss):
    upstream = EAGER.gradient(loss, tf.sin(x)).numpy()
    found = mode.gradient(tf.sin, x, loss).numpy()
    assert np.allclose(found, upstream * np.cos(x), 1e-4, 1e-5)
    assert np.allclose(built(tf.sin, x), np.diag(np.cos(x)), 1e-4, 1e-5)


@says(
    "One `tf.where` on the input and one on the result, so that the branch that is not taken gets a harmless input.",
    "With the second alone, zero is multiplied by an infinite slope, and the product can be NaN.",
    was="'is NaN': of tf.sqrt at 0 it is 0, but for XLA",
)
@over(mode=MODES, f=[tf.sqrt, tf.math.log])
def test_double_where(mode, f):
    def one(x):
        return tf.where(x > 0, f(x), 0.0)

    def two(x):
        return tf.where(x > 0, f(tf.where(x > 0, x, 1.0)), 0.0)

    assert same(mode.gradient(two, 0.0), 0.0)
    nan = f is not tf.sqrt or mode in (XLA, AROUND_XLA)
    assert same(mode.gradient(one, 0.0), np.nan if nan else 0.0)


# Words for gradients.


@says(
    "What a rule returns for an input: the gradient of the loss with respect to that input, in its shape.",
    "Added to what comes from other uses of the input, it is the upstream gradient of the step that computed it.",
    "The gradient of the loss with respect to an output of a step, as it arrives at the rule of that step.",
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
    "Behind a lookup such as `tf.gather` it arrives as `tf.IndexedSlices`, and `tf.convert_to_tensor` gives it that shape.",
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
    "The derivative of one number, the loss, laid out in the shape of the variable that it belongs to.",
    "Of an array that is no single number, TensorFlow returns the gradient of the sum of its elements.",
    r"In formulas $\bar x$, in code `tape.gradient(loss, x)`.",
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
    "The function that takes upstream gradients to downstream gradients, with the values of one forward pass in it.",
    "It is linear in upstream.",
    "The function `grad` that you return to TensorFlow stands in its place, and may be something else: one that clips is not linear.",
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
    "Tensors in tuples, lists and dicts, to any depth.",
    "A rule gets one upstream gradient for each tensor of the flattened output, and owes one downstream gradient for each tensor of the flattened inputs.",
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


@says(
    "A rule that passes upstream through a step whose own derivative is zero or missing, such as rounding, as if the step were the identity or a clipped line."
)
@over(mode=MODES, x=numbers(-9, 9), scale=numbers(-9, 9))
def test_straight_through(mode, x, scale):
    def scaled(y):
        return y * scale

    assert mode.gradient(tf.round, x) is None
    through = back_through(lambda u: u, tf.round)
    assert same(mode.gradient(through, x, scaled), scale)
    assert same(mode.gradient(tf.grad_pass_through(tf.round), x, scaled), scale)


# Words for what TensorFlow does.


@says(
    "TensorFlow's default: each operation runs as soon as Python calls it.",
    "A rule then receives values, and its prints show numbers.",
    "The operations that TensorFlow notes while it traces a Python function under `tf.function`, and runs afterward.",
    "While it is made, what they return is symbolic and has no value.",
    "The opposite of a graph.",
    "The opposite of eager mode.",
    was="'tensors are symbolic': an eager tensor from outside keeps its value",
)
@over(mode=MODES)
def test_eager_and_graph(mode):
    seen, outside = [], tf.constant(2.0)
    step = back_through(lambda u: seen.append(u * outside) or u)
    mode.gradient(step, 1.0)
    assert tf.executing_eagerly() and outside.numpy() == 2
    for each in seen:
        assert (message(lambda each=each: each.numpy()) != "") == (mode in GRAPHS)
        assert ("numpy=2.0" in repr(each)) == (mode not in GRAPHS)


@says(
    "A point at which a function is continuous and its slopes from the left and from the right differ.",
    "It has no derivative there, so a rule follows a convention.",
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
    "Of a convex function at a point: the slope of any line or plane that touches the function there and lies above it nowhere.",
    "At a kink there are many, and where the derivative exists it is the only one.",
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
    "Dropping intermediate values after the forward pass and computing them again on the way back.",
    "Done part by part, it takes more time and less memory.",
    "In code `tf.recompute_grad`.",
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
    "TensorFlow's record of the operations on watched tensors, along which the backward pass runs.",
    "It answers one question and then drops its record, unless it is persistent.",
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
    "Of a tensor: the tape records what is computed from it.",
    "Trainable variables are watched when they are read, other tensors after a call of the tape's method watch.",
    "A tape made with `watch_accessed_variables=False` watches no variable by itself.",
    "In code `tape.watch(x)`.",
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
    "Of a target and a source: no recorded path leads from one to the other.",
    "The tape answers None, which is not zero, unless it is asked for zeros.",
    "To a tape around a `tf.function` a call is one operation, through which a path leads from each input to each output; the answer can be zero there.",
    "In code `tf.UnconnectedGradients`.",
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
    to_other = mode.gradients(lambda x, y: x * x, 2.0, 3.0)[1]
    assert to_other is None


@says(
    "One of two derivatives with respect to a complex variable, by the variable and by its conjugate, each as if the other were held fixed.",
    "By TensorFlow's convention the gradient of a real number is twice the one by the conjugate.",
    r"In formulas $\bar z = 2 \frac{\partial L}{\partial z^*}$.",
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
    "The second of the four steps of every derivation writes it down.",
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
    "In formulas $\\d y$.",
    r"In formulas $\downstream{\bar x}$, in code `downstream`.",
    r"In formulas $\odot$, in code `*`.",
    "Computing the outputs from the inputs.",
    r"In formulas $\local{J} \, \d x$.",
    r"In formulas $\local{\frac{\d y}{\d x}}$, in code `local`.",
    "The number that is differentiated in the end, whatever it measures.",
    "In formulas $L$, in code `loss`.",
    "The transpose of it is the denominator layout.",
    "A value of the forward pass, as opposed to the derivative that belongs to it.",
    "In formulas $x$, $y$.",
    "In types `grad :: upstream(y) → downstream(x)`.",
    r"In formulas $\tilde y$.",
    r"In formulas $\d x$, elsewhere $\dot x$.",
    "The counterpart of a tangent.",
    "The counterpart of a cotangent.",
    "The cotangent of an output is the upstream gradient, that of an input the downstream gradient.",
    r"In formulas $\upstream{\bar y}$, in code `upstream`.",
    r"In formulas $\upstream{\bar y} \, \local{J}$.",
    "On this site: what a program prints, shown below it.",
    "The word has two more meanings: the sum of the diagonal of a matrix, and what TensorFlow does when it turns a Python function into a graph.",
)
history(
    "In texts on reverse mode the word also means the gradient of the loss with respect to an intermediate value.",
    "What JAX and ChainRules call a gradient on its way back: it turns a small change of a value into the change of the loss.",
    "Elsewhere: reverse pass, reverse sweep, backpropagation.",
    "Elsewhere: adjoint, sensitivity.",
    "Elsewhere: `custom_vjp` (JAX), `autograd.Function` (PyTorch), `rrule` (ChainRules).",
    "Elsewhere: input cotangent, `grad_input`.",
    "Elsewhere: pushforward, `frule` (ChainRules), `custom_jvp` (JAX).",
    "Elsewhere: partial, elemental derivative.",
    "Elsewhere: objective, cost, scalar output.",
    "Elsewhere: pytree (JAX).",
    "Elsewhere: VJP function, backward function.",
    "Elsewhere: Wengert list, after Wengert1964; autograd graph.",
    "Elsewhere: cotangent (JAX, ChainRules), `grad_output` (PyTorch), `dy` (TensorFlow), adjoint.",
    "Elsewhere: `requires_grad` (PyTorch).",
)
pointer(
    "The words of this site, and what other houses call the same thing.",
    "The signs are those of the lessons; questions of notation says why they were chosen.",
    "See a gradient for sign.",
    "See a kink and numerical stability.",
    "See a kink and points without a derivative.",
    "See broadcasting.",
    "See checking a rule and Squire1998.",
    "See checking a rule.",
    "See complex numbers and Kreutz-Delgado2009.",
    "See complex numbers.",
    "See identity forward, another gradient backward and Bengio2013.",
    "See inputs, outputs and structures.",
    "See matrices.",
    "See points without a derivative and Rockafellar1970.",
    "See questions of notation.",
    "See reading a trace and matrices.",
    "See reading a trace.",
    "See several variables.",
    "See the chain rule and Baydin2018.",
    "See the chain rule and Magnus2019.",
    "See the chain rule.",
    "See the lessons.",
    "See the tape.",
    "See the vector–Jacobian product.",
    "See vectors and the vector–Jacobian product.",
    "See vectors.",
    "See when to write a rule.",
)
