"""What the page on what is broken in TensorFlow says in words."""

import inspect
import re

import keras
from tensorflow.python.framework import ops
from tensorflow.python.ops import linalg_grad, math_grad, sparse_grad
from tensorflow.python.ops.linalg import linalg_impl

from truth.statements.tries import *

math, linalg = tf.math, tf.linalg
Z = tf.constant(1 + 2j, tf.complex128)
XLA_ = {"jit_compile": True, "autograph": False}

pointer(
    "XLA isn't part …",
    "The operations that XLA …",
    "The page on sparse …",
    "The page on silent …",
    "The page on graphs …",
    "The bugs of …",
    "Errors in TensorFlow's …",
    "Gradient functions that …",
    "Entries in the …",
    "A recomputed function …",
    "A variable in …",
    "The page also …",
    "The complex guide …",
    "Fix: use two …",
    "Fix: write a custom gradient, or …",
    "This program looks …",
    "An upgrade that …",
    "The words that …",
    "1 / y is …",
)
history(
    "None found.",
    "Not found.",
    "For the others, …",
    "keras#19992 is about …",
    "tensorflow#49946 is about …",
    "tensorflow#119476; fixed in …",
    "tensorflow#61117, tensorflow#127240.",
    "tensorflow#38643, closed as stale.",
    "tensorflow#43648, open; tensorflow#60059.",
    "In the report below, …",
    "tensorflow#127753, open.",
    "tensorflow#127690, open.",
    "tensorflow#127234; fixed in …",
    "Pull 127475, which …",
    "The pull request …",
    "According to its …",
    "tensorflow#127224; fixed in …",
    "tensorflow#118077 for the …",
    "tensorflow#118075, open.",
    "tensorflow#12071; changed in …",
    "In 2.22.0rc0, the …",
    "The release candidate 2.22.0rc0 …",
    "For the last column, …",
    "For each bug …",
    "Adam with repeated rows — …",
    "Optimizers with complex variables — …",
    "`tf.linalg.eigh_tridiagonal` — …",
    "`tf.nn.silu` with an array `beta` — …",
    "Arguments of `zeta` and `betainc` — …",
    "Isotonic regression of a vector — …",
    "Complex functions — …",
    "Complex roots and reciprocals under XLA — …",
    "A factor that is 0 — …",
    "Second derivatives of a product — …",
    "Second derivatives of a resize — …",
    "Nested `tf.autodiff.ForwardAccumulator` — …",
    "Nested `tf.autodiff.ForwardAccumulator` of a matrix exponential — …",
    "Singular determinants — …",
    "A maximum under XLA — …",
    "`check_numerics` under XLA — …",
    "A gradient that is a tensor of the forward graph — …",
    "No second derivative — …",
    "No first derivative — …",
    "Sparse operations — …",
)
definition(
    "An error in …",
    "The same gradient in …",
    "The upstream gradient times …",
    "This page lists gradients …",
    "The entries of this section …",
    "These results depend …",
    "Bug — What …",
    "The program",
)
advice(
    "Fix: make the …",
    "Fix: differentiate a …",
    "Fix: check the …",
    "Fix: write a custom gradient, if …",
    "Fix: replace `multiply_no_nan`, …",
    "For the other functions, write …",
    "Fix: write the formula with `*`, `/` …",
    "Fix: write the resize …",
    "Fix: use other …",
    "Fix: use a different …",
    "Fix: train two …",
    "Fix: build the …",
    "Fix: use tapes …",
)


def conj_of(function, z):
    """The gradient that the convention asks for of a holomorphic function."""
    h = 1e-6
    return np.conj((function(z + h) - function(z - h)).numpy() / (2 * h))


# Keras.


@says(
    "A step with …",
    "They train two …",
    "With the dense tensor, …",
    "However, Adam needs …",
    "The embedding whose …",
    "SGD doesn't have …",
    "`keras.src.optimizers.adam.Adam.update_step` squares the gradient.",
    "For `tf.IndexedSlices`, `keras.src.backend.tensorflow.sparse.elementwise_unary` …",
)
def test_adam():
    folder_of_sparse = folder().parent / "sparse"
    plain, dense, matmul = (
        (folder_of_sparse / "optimizers.out").read_text().split("\n")[:3]
    )
    assert "[0.5796 0.7016]" in plain
    assert "[0.7016 0.7016]" in dense and "[0.7016 0.7016]" in matmul
    source = (folder_of_sparse / "optimizers.py").read_text()
    for words in "Adam(0.1)", '"embeddings_initializer": "ones"':
        assert words in source
    assert re.findall(r"epochs=(\d)", source) == ["3"]
    assert re.findall(r"train\(plain\((\d), 1", source) == ["2"]
    once, twice = tf.constant([0, 1]), tf.constant([0, 0])
    for optimizer, differs in (
        (keras.optimizers.Adam, True),
        (keras.optimizers.SGD, False),
    ):
        for indices in once, twice:
            rows = tf.IndexedSlices(tf.constant([1.0, 2.0]), indices, tf.constant([2]))
            after = []
            for gradient in rows, tf.convert_to_tensor(rows):
                table, each = keras.Variable([1.0, 1.0]), optimizer(0.1)
                for _ in range(3):
                    each.apply([gradient], [table])
                after.append(table.numpy())
            assert np.allclose(*after, 1e-4) != (differs and indices is twice)
    squared = keras.ops.square(tf.IndexedSlices(tf.constant([1.0, 2.0]), twice))
    assert same(squared.values, [1.0, 4.0])
    assert "ops.square(gradient)" in inspect.getsource(
        keras.optimizers.Adam.update_step
    )


def folder():
    from truth.statements import tries

    return tries.folder


# A rule in a graph.


@says(
    "The same gradient as …",
    "If the tape is …",
    "`_TapeGradientFunctions._build_functions_for_outputs` of `tensorflow.python.eager.polymorphic_function.concrete_function` …",
    "A tensor of the forward graph enters …",
    "Fix: call `tf.identity` on …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_forward_tensor(mode):
    def signed(copy):
        @tf.custom_gradient
        def signed(x, scale):
            nothing = tf.zeros_like(scale)

            def grad(upstream):
                return upstream * tf.sign(scale), copy(nothing)

            return x * tf.sign(scale), grad

        return signed

    wrong, right = signed(lambda nothing: nothing), signed(tf.identity)
    said = message(mode.gradients, wrong, 2.0, 3.0)
    words = "Does it belong to a different graph?"
    assert (
        (words in said) == said.startswith("InvalidArgumentError") == (mode is AROUND)
    )
    assert same(mode.gradients(right, 2.0, -3.0), [-1.0, 0.0])

    @tf.custom_gradient
    def made_there(x, scale):
        def grad(upstream):
            return upstream * scale, tf.zeros_like(scale)

        return x * scale, grad

    assert same(mode.gradients(made_there, 2.0, 3.0), [3.0, 0.0])
    lines = [each.text for each in trace("causes.py")]
    name = "_build_functions_for_outputs"
    assert f"{name}: backwards_graph.outputs.extend found" in lines
    assert f"{name}: backwards_graph.capture( missing" in lines


@says(
    "A gradient in the shape …",
    "Look at the two gradients …",
    "The gradient of `tf.nn.silu`, …",
    "The gradient function in …",
    "So the gradient loses …",
    "Fix: write `x * …",
    "The gradient of tf.nn.silu …",
)
@over(shape=[(3,), (1, 3)])
def test_silu(shape):
    assert tf.nn.silu is tf.nn.swish
    x, beta = np.float32([[0.5, -1.0, 2.0]]).reshape(shape), np.ones(shape, np.float32)
    right = EAGER.gradient(lambda beta: x * tf.sigmoid(beta * x), beta)
    found = EAGER.gradient(lambda beta: tf.nn.silu(x, beta), beta)
    assert right.shape == shape and found.shape == ()
    assert same(found, tf.reduce_sum(right), 1e-5)
    lines = [each.text for each in trace("causes.py")]
    assert "swish: beta_grad = math_ops.reduce_sum( found" in lines


@says(
    "The next program …",
    "It calls each …",
    "Four functions have …",
    "Most of the others …",
    "The last four …",
    "The audit lists …",
    "For counts with …",
    "No gradient function is registered for `DenseBincount`, …",
    "Every function of four …",
    "A verdict for …",
    "Numbers of which …",
    "Vectors whose sign …",
    "A sum in …",
    "For the other functions, their …",
    "else wrong arguments, or …",
    was="'each function' was 135 of 298; zeta and betainc left out",
)
def test_audit():
    first, *lines = (each.text for each in trace("real_rules.py"))
    found = {each.split(":")[0]: each.split()[-1:] for each in lines}
    names = {each.split(":")[0]: each.partition(": ")[2].split() for each in lines}
    assert first == "functions: 298"
    modules = math, linalg, tf.nn, tf.signal
    everything = [
        (module, name)
        for module in modules
        for name, f in vars(module).items()
        if callable(f) and not isinstance(f, type) and name[0] != "_"
    ]
    assert len(everything) == 298
    assert sum(int(each[0]) for each in names.values()) == 298
    assert set(found) == {
        *("wrong", "left out", "raises", "right", "constant", "none", "not called")
    }
    wrong = names["wrong"][1:]
    assert set(wrong) == {"eigh_tridiagonal", "isotonic_regression", "silu", "swish"}
    assert len(wrong) == 4
    left = names["left out"][1:]
    assert set(left) == {"betainc", "zeta"} and len(left) == 2
    missing = names["raises"][1:]
    assert set(missing) == {"bincount", "logm", "lu", "rfft3d", "irfft3d"}
    assert len(missing) == 5
    assert int(names["right"][0]) > 200 and int(names["constant"][0]) < 10
    absent = names["not called"][1:]
    assert set(absent) == {"fftnd", "ifftnd", "rfftnd", "irfftnd"}
    assert len(absent) == 4
    z = tf.ones([2, 2], tf.complex64)
    for name in absent:
        given = tf.ones([2, 2]) if name == "rfftnd" else z
        assert "Could not find device" in message(
            getattr(tf.signal, name), given, [2, 2], [0, 1]
        )
    registered = {*ops._gradient_registry.list()}
    lost = "DenseBincount", "MatrixLogarithm", "Lu", "RFFT3D", "IRFFT3D"
    assert not {*lost} & registered

    def counted(w):
        return math.bincount(tf.constant([0, 0, 1]), weights=w)

    w = tf.constant([1.0, 2.0, 4.0])
    assert "LookupError" in message(EAGER.gradient, counted, w) or isinstance(
        raised(EAGER.gradient, counted, w), LookupError
    )

    def summed(w):
        return math.unsorted_segment_sum(w, tf.constant([0, 0, 1]), 2)

    assert same(counted(w), summed(w))
    assert same(EAGER.gradient(summed, w), [1.0, 1.0, 1.0])


def first_of_diagonals(alpha, beta):
    return linalg.eigh_tridiagonal(alpha, beta)[0]


def of_matrix(alpha, beta):
    sides = linalg.diag(beta, k=1) + linalg.diag(beta, k=-1)
    return linalg.eigvalsh(linalg.diag(alpha) + sides)


@says(
    "The function finds …",
    "The tape records …",
    "However, the comparisons …",
    "For a tridiagonal …",
    "Compare their gradients …",
    "The gradient of `tf.linalg.eigh_tridiagonal` is …",
    "The program shows only …",
    "The gradient of the eigenvalues …",
)
@over(mode=[EAGER, INSIDE, AROUND], seed=[1, 2])
def test_tridiagonal(mode, seed):
    rng = np.random.default_rng(seed)
    alpha, beta = (tf.constant(rng.uniform(0.2, 1.0, size)) for size in (4, 3))

    if mode is EAGER:
        values = linalg.eigh_tridiagonal(alpha, beta)
        assert same(values, of_matrix(alpha, beta), 1e-9)
    found = mode.gradients(first_of_diagonals, alpha, beta)
    right = EAGER.gradients(lambda *given: of_matrix(*given)[0], alpha, beta)
    for i, (one, other) in enumerate(zip(found, right)):
        assert not same(one, other, 1e-2)
        step = 1e-6 * np.eye(len(other))[0]
        at = [alpha, beta]
        up, down = ([*at[:i], at[i] + h, *at[i + 1 :]] for h in (step, -step))
        change = (of_matrix(*up)[0] - of_matrix(*down)[0]) / 2e-6
        assert same(other[0], change, 1e-4)
    shown = (folder() / "tridiagonal.py").read_text()
    assert re.findall(r"watch\((\w+)\)", shown) == ["alpha"]
    source = inspect.getsource(linalg_impl.eigh_tridiagonal)
    for words in "binary_search_step", "return midpoint(lower, upper)":
        assert words in source
    # the midpoint of the bounds has this gradient, and bisection keeps it
    row = tf.math.abs(beta)
    radii = tf.concat([row[:1], row[:-1] + row[1:], row[-1:]], 0)

    def smallest(a):
        return tf.reduce_min(a - radii)

    def largest(a):
        return tf.reduce_max(a + radii)

    bounds = [EAGER.gradient(each, alpha).numpy() for each in (smallest, largest)]
    weights = found[0].numpy() @ np.linalg.pinv(np.stack(bounds))
    assert np.allclose(weights @ np.stack(bounds), found[0], atol=1e-6)


@says(
    "The loss falls …",
    "SGD and Lion …",
    "Eight optimizers move …",
    "Adadelta's first step …",
    "Adafactor, Adamax, Ftrl …",
    "`Adam.update_step` divides by …",
    "For a complex gradient, …",
    "The other seven …",
    "The four that raise …",
    "The loss is …",
    "For each Keras …",
    "The number after …",
    "Every optimizer of …",
)
def test_complex_optimizers():
    lines = [each.text for each in trace("complex_optimizers.py")]
    shown = dict(zip(lines[::3], zip(lines[1::3], lines[2::3])))
    right = {"SGD", "Lion"}
    stuck = {
        *("Adadelta", "Adagrad", "Adam", "AdamW", "Muon", "Nadam", "RMSprop"),
        "ScheduleFreeAdamW",
    }
    refused = {"Adafactor", "Adamax", "Ftrl", "Lamb"}
    assert set(shown) == right | stuck | refused
    assert len(stuck) == 8 and len(stuck) - 1 == 7 and len(refused) == 4
    for name, (one, two) in shown.items():
        kind = getattr(keras.optimizers, name)
        z = tf.Variable(0j, dtype=tf.complex64)
        step = message(kind(0.1).apply_gradients, [(tf.constant(-6 - 8j, z.dtype), z)])
        assert ("InvalidArgumentError" in one) == (name in refused)
        assert bool(step) == (name in refused)
        if name == "Adadelta":
            assert 0 < abs(z.numpy()) < 0.005
            two_decimals = re.search(r"first 0\.(\d+)\+0\.(\d+)j", one).groups()
            assert two_decimals == ("00", "00") and len(two_decimals[0]) == 2
        if name in stuck:
            assert z.numpy().real > 0 and abs(z.numpy().imag) < 0.01 * z.numpy().real
            assert "ops.square(" in "".join(
                inspect.getsource(each)
                for each in kind.__mro__
                if each.__module__.startswith("keras.src.optimizers")
            )
        if name in right:
            assert same(z.numpy() / abs(z.numpy()), 0.6 + 0.8j, 1e-5)
            assert float(one.split()[-1]) < 0.1
        if name not in refused:
            losses = [float(each.split()[-1]) for each in (one, two)]
            assert (losses[0] > losses[1] + 0.2) == (name in stuck)
    assert "Value for attr 'T' of complex64" in message(
        tf.maximum, tf.constant(1j, tf.complex64), tf.constant(1j, tf.complex64)
    )


LEFT_OUT = {
    "zeta": (math.zeta, (2.5, 1.5), (0,), math_grad._ZetaGrad),
    "betainc": (math.betainc, (0.7, 0.8, 0.4), (0, 1), math_grad._BetaincGrad),
}


@says(
    "`tf.math.zeta` depends on …",
    "Look at the column …",
    "The gradient agrees …",
    "The gradient of the function …",
    "In the sum …",
    "In `math_grad`, `_ZetaGrad` …",
    "`_BetaincGrad` returns `None` …",
    "`_PolygammaGrad` also returns …",
    "Fix: write a custom gradient that …",
    "Functions without a …",
    was="'two wrong': zeta by x and betainc by a and b have no gradient",
)
@over(mode=[EAGER, INSIDE, AROUND], name=LEFT_OUT.keys())
def test_left_out(mode, name):
    function, at, missing, rule = LEFT_OUT[name]
    at = [tf.constant(each, tf.float64) for each in at]
    assert "None" in inspect.getsource(rule)
    assert len(LEFT_OUT["zeta"][2]) == 1 and len(LEFT_OUT["betainc"][2]) == 2
    for i, each in enumerate(at):

        def only(z, i=i):
            return function(*at[:i], z, *at[i + 1 :])

        change = (only(each + 1e-6) - only(each - 1e-6)) / 2e-6
        assert abs(change) > 0.1  # it depends on each of two, or three
        found = mode.gradient(only, each)
        summed = mode.gradient(lambda z: z + only(z), each)
        if i in missing:
            assert found is None and same(summed, 1.0)

            @tf.custom_gradient
            def whole(z, only=only):
                slope = (only(z + 1e-6) - only(z - 1e-6)) / 2e-6
                return only(z), lambda upstream: upstream * slope

            summed = mode.gradient(lambda z: z + whole(z), each)
            assert same(summed, 1.0 + change, 1e-6)
        else:
            assert same(found, change, 1e-6) and same(summed, 1.0 + change, 1e-6)
    for line in trace("left_out.py"):
        assert ("None" if "alone" in line.text else "tape 1.0000") in line.text
    order = tf.constant(1.0, tf.float64)
    assert mode.gradient(lambda n: math.polygamma(n, at[1]), order) is None
    assert np.isnan(math.polygamma(order + 0.5, at[1]))  # an integer order


@says(
    "Isotonic regression replaces …",
    "Therefore, the gradient …",
    "The three inputs …",
    "Compare the gradient with …",
    "For a vector, …",
    "For an input with three …",
    "For a batch …",
    "`_MeanAggregator` splits its …",
    "This function is written …",
    "Fix: add an …",
    "The gradient of tf.nn.isotonic_regression, …",
)
@over(upstream=[np.float32([1, 10, 100]), np.float32([2, -4, 5])])
def test_isotonic(upstream):
    x = np.float32([0.3, 0.7, 0.4])  # of which the first two are pooled
    assert same(tf.nn.isotonic_regression(x[None])[0], [[0.5, 0.5, 0.4]], 1e-6)

    def gradient(shape):
        def loss(x):
            return tf.reduce_sum(
                tf.nn.isotonic_regression(x)[0] * tf.reshape(upstream, shape)
            )

        return EAGER.gradient(loss, x.reshape(shape))

    mean = upstream[:2].mean()
    right = np.float32([mean, mean, upstream[2]])
    assert same(gradient((3,)), upstream[:, None])
    assert same(gradient((1, 3)), right[None], 1e-6)
    assert gradient((1, 1, 3)).shape == (1, 3)

    def around(x):
        return tf.reduce_sum(tf.nn.isotonic_regression(x[tf.newaxis])[0] * upstream)

    assert same(EAGER.gradient(around, x), right, 1e-6)
    lines = [each.text for each in trace("causes.py")]
    assert "_MeanAggregator: array_ops.split(inputs, inputs.shape found" in lines
    starts = [each.text.partition(": tape")[0] for each in trace("isotonic.py")]
    assert starts == ["(3,)", "(1, 3)", "(1, 1, 3)"] and len(starts) == 3


# Complex.


@says(
    "The program calls each …",
    "If the function accepts …",
    "If the results differ, …",
    "The sign that …",
    "The gradients of most …",
    "The value of `squared_difference`, …",
    "However, their gradients …",
    "Each function of …",
    "These read one triangle, or …",
    "A real loss, …",
    "other arguments, no …",
)
def test_complex():
    source = (folder() / "complex_rules.py").read_text()
    [skipped] = re.findall(r"NO_DERIVATIVE = (.*)", source)
    skipped = [each.strip('"') for each in skipped.split(", ")]
    assert len(skipped) == 5 and all(hasattr(linalg, each) for each in skipped)
    shown = {each.text.split("(")[0] for each in trace("complex_rules.py")[1:]}
    two = tf.constant([1 + 2j, 0.5 - 0.3j], tf.complex128)

    def diagonal(z):
        return tf.linalg.diag(tf.stack([z, 2 * z]))

    forgetful = {
        "cumprod": lambda z: math.cumprod(tf.stack([z, z]))[1],
        "multiply_no_nan": lambda z: math.multiply_no_nan(z, two[1]),
        "segment_prod": lambda z: math.segment_prod(tf.stack([z, z]), [0, 0])[0],
        "unsorted_segment_prod": lambda z: math.unsorted_segment_prod(
            tf.stack([z, z]), [0, 0], 1
        )[0],
        "xdivy": lambda z: math.xdivy(z, two[1]),
        "xlog1py": lambda z: math.xlog1py(z, two[1]),
        "xlogy": lambda z: math.xlogy(z, two[1]),
        "det": lambda z: linalg.det(diagonal(z)),
        "sqrtm": lambda z: linalg.sqrtm(diagonal(z))[0, 0],
    }
    for name, function in forgetful.items():
        assert not same(EAGER.gradient(function, Z), conj_of(function, Z), 1e-3), name
    real = {
        "squared_difference": lambda z: math.squared_difference(z, two[1]),
        "reduce_euclidean_norm": lambda z: math.reduce_euclidean_norm(tf.stack([z, z])),
        "slogdet": lambda z: linalg.slogdet(diagonal(z))[1],
    }
    for function in real.values():
        assert np.imag(function(Z).numpy()) == 0
        found = EAGER.gradient(lambda z, f=function: math.real(f(z) * -1j), Z)
        assert abs(found.numpy()) > 0.1
    sign = EAGER.gradient(lambda z: math.real(linalg.slogdet(diagonal(z))[0]), Z)
    assert sign is None or same(sign, 0.0)
    assert not same(*(linalg.slogdet(diagonal(z))[0] for z in (Z, Z * 1j)), 0.1)
    assert shown == {*forgetful, *real} and len(forgetful) > len(real)
    for name in "multiply", "sin", "reduce_prod":
        assert name not in shown and hasattr(math, name)


@says(
    "In `tensorflow.python.ops.math_grad`, `_XLogyGrad`, …",
    "In `linalg_grad`, `_MatrixSquareRootGrad` …",
    "`_LogMatrixDeterminantGrad` ignores the …",
)
def test_causes():
    lines = [each.text for each in trace("causes.py")]
    for name in (
        *("_XLogyGrad", "_XLog1pyGrad", "_XDivyGrad", "_MulNoNanGrad", "_CumprodGrad"),
        *("_SegmentProdGrad", "_UnsortedSegmentProdGrad", "_MatrixSquareRootGrad"),
    ):
        assert f"{name}: conj missing" in lines
    assert "_DivNoNanGrad: conj found" in lines
    source = inspect.getsource(linalg_grad._MatrixDeterminantGrad)
    assert "grad * c" in source and "conj" not in source
    parameters = inspect.signature(linalg_grad._LogMatrixDeterminantGrad).parameters
    assert [*parameters] == ["op", "_", "grad_b"]


@says(
    "Under XLA, three …",
    "For each complex …",
    "It prints the three …",
    "The gradient functions `_SqrtGrad`, …",
    "XLA compiles the operation …",
    "Fix: write `z ** 0.5` …",
    "XLA logs what …",
    "Gradients of complex …",
)
@over(name=["sqrt", "rsqrt", "reciprocal"])
def test_complex_xla(name):
    lines = [each.text.split()[0] for each in trace("complex_xla.py")[1:]]
    assert sorted(lines) == ["reciprocal", "rsqrt", "sqrt"] and len(lines) == 3
    function = getattr(math, name)
    right = conj_of(function, Z)
    assert same(EAGER.gradient(function, Z), right, 1e-5)
    assert same(XLA.gradient(function, Z), np.conj(right), 1e-5)
    plain = {"sqrt": lambda z: z**0.5, "reciprocal": lambda z: 1 / z}
    if name in plain:
        for mode in EAGER, AROUND, XLA:
            assert same(mode.gradient(plain[name], Z), right, 1e-5)
    rule = {"sqrt": "_SqrtGrad", "rsqrt": "_RsqrtGrad", "reciprocal": "_ReciprocalGrad"}
    source = inspect.getsource(getattr(math_grad, rule[name]))
    assert f"gen_math_ops.{name}_grad" in source
    assert lowered("gradient of sqrt") == ["divide, multiply, sqrt"]


def lowered(of):
    """What XLA makes of it, and by what it compares."""
    lines = [each.text for each in trace("xla_causes.py")]
    [at] = [i for i, line in enumerate(lines) if line.startswith(of + ": ")]
    more = [line.strip() for line in lines[at + 1 : at + 2] if line[0] == " "]
    return [lines[at].partition(": ")[2], *more]


@says(
    "The imaginary part …",
    "The program divides …",
    "So it should …",
    "Fix: write `z * z`.",
    "This error breaks …",
    "`z ** 2` is right …",
    "Next to the axis …",
    "TensorFlow computes the …",
    "Next to the negative …",
    "Rounding the angle …",
    "Squares of complex …",
    was="'off for a negative real part': right to 15 digits at -3 + 0.5i",
)
@over(x=[-0.4, -3.0, -1.0, 3.0], h=[0.5, 1e-6, 1e-10, 1e-20])
def test_power(x, h):
    z = tf.complex(tf.constant(x, tf.float64), tf.constant(h, tf.float64))
    product, power = (math.imag(each).numpy() / h for each in (z * z, z**2))
    assert same(product, 2 * x, 1e-9)
    off = abs(power / product - 1)
    if x > 0 or h == 0.5:
        assert off < 1e-14
    elif h == 1e-20:
        assert off > 4000
    else:
        assert 1e-12 < off < 1e-4
    by_logarithm = np.exp(2 * np.log(z.numpy())).imag / h
    assert same(power, by_logarithm, 1e-2)
    error = abs(power - product) * h
    assert error < 2 * x * x * 10**-15


# At zero.

AT_ZERO = {
    "xlogy": lambda x: math.xlogy(x, np.float32(2)),
    "xlog1py": lambda x: math.xlog1py(x, np.float32(2)),
    "xdivy": lambda x: math.xdivy(x, np.float32(2)),
    "cumprod": lambda x: math.cumprod(tf.stack([2.0, x]))[1],
}


@says(
    "The gradient is silently 0 …",
    "All functions in …",
    "Compare the columns …",
    "`_XLogyGrad`, `_XLog1pyGrad` and …",
    "`_CumprodGrad` divides by …",
    "For `cumprod`, use …",
    "First derivatives of …",
)
@over(function=AT_ZERO)
def test_at_zero(function):
    slope = function(1.0) - function(0.0)
    assert abs(slope) > 0.1
    assert same(EAGER.gradient(function, 0.0), 0.0)
    assert same(EAGER.gradient(function, 0.5), slope, 1e-5)

    def scanned(x):
        return tf.scan(tf.multiply, tf.stack([2.0, x]))[1]

    assert same(EAGER.gradient(scanned, 0.0), 2.0)
    lines = [each.text for each in trace("causes.py")]
    for name in "_XLogyGrad", "_XLog1pyGrad", "_XDivyGrad":
        assert f"{name}: not_zero_x found" in lines
    assert "_CumprodGrad: div_no_nan found" in lines


PRODUCTS = {
    "*": lambda v: v[0] * v[1],
    "multiply_no_nan": lambda v: math.multiply_no_nan(v[0], v[1]),
    "reduce_prod": math.reduce_prod,
    "segment_prod": lambda v: math.segment_prod(v, [0, 0])[0],
    "unsorted_segment_prod": lambda v: math.unsorted_segment_prod(v, [0, 0], 1)[0],
}


@says(
    "Both mixed derivatives …",
    "Each function computes …",
    "Look at the two mixed …",
    "If one factor …",
    "If both factors …",
    "If any factor …",
    "`_ProdGrad` calls `cumprod`, …",
    "For a segment with …",
    "`_UnsortedSegmentProdGrad` divides by …",
    "`cumprod`, `xlogy` and …",
    "Discarding the quotient …",
    "Fix: multiply with `*` …",
    "Mixed second derivatives …",
    was="'segment_prod is right': 0 at (0, 0)",
)
@over(name=PRODUCTS.keys(), point=[(0.0, 2.0), (3.0, 0.0), (0.0, 0.0), (3.0, 2.0)])
def test_products(name, point):
    xy = tf.constant(point, tf.float64)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xy)
        with tf.GradientTape() as inner:
            inner.watch(xy)
            z = PRODUCTS[name](xy)
        first = inner.gradient(z, xy)
        by_each = tf.unstack(first)
    second = np.array(
        [outer.gradient(d, xy, unconnected_gradients="zero") for d in by_each]
    )
    assert same(first, point[::-1])
    mixed, zeros = [second[0, 1], second[1, 0]], point.count(0.0)
    if name == "unsorted_segment_prod" and zeros:
        assert np.isnan(mixed).all()
    elif name == "reduce_prod" and zeros == 1:
        assert sorted(mixed) == [0, 1]
    elif name in ("reduce_prod", "segment_prod") and zeros == 2:
        assert mixed == [0, 0]
    else:
        assert same(mixed, [1.0, 1.0])
    for rule, by in (
        (math_grad._SegmentProdGrad, "/ non_zero_data"),
        (math_grad._UnsortedSegmentProdGrad, "/ op.inputs[0]"),
    ):
        source = inspect.getsource(rule)
        assert "where_v2(is_zero, gathered_non_zero_prod" in source and by in source
    source = " ".join(inspect.getsource(math_grad._SegmentProdGrad).split())
    chosen = "greater(num_zeros, 1), array_ops.zeros_like(grad), grad)"
    assert chosen in source
    assert "_ProdGrad: cumprod found" in [each.text for each in trace("causes.py")]
    for name in "cumprod", "xlogy", "xdivy":
        [line] = [
            each.text
            for each in trace("prod_twice.py").starting(name)
            if "at [0.0, 2.0]" in each.text
        ]
        assert hasattr(math, name) and "gradient [0. 0.]" in line  # not [2, 0]


# Second order.


@says(
    "Both functions return …",
    "The program uses the functions …",
    "Compare the two Hessians …",
    "The Hessian with …",
    "`ResizeBilinearGrad` is registered …",
    "So the gradient of …",
    "A loss with …",
)
def test_resize():
    defined, x = program("resize_second.py"), tf.constant([1.0, 2.0])
    values = tf.reshape(defined.by_resize(x), [-1])
    assert same(values, defined.by_matmul(x), 1e-6)
    cubes = np.diag([6.0, 12.0])
    assert same(defined.hessian(defined.by_resize, x), cubes, 1e-5)
    weights = np.array([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]])
    right = 2 * weights.T @ weights + cubes
    assert same(defined.hessian(defined.by_matmul, x), right, 1e-5)
    assert ops._gradient_registry.lookup("ResizeBilinearGrad") is None
    assert EAGER.gradient(derivative(square_of(defined.by_resize)), x) is None


def square_of(function):
    return lambda x: tf.reduce_sum(function(x) ** 2)


@says(
    "For each of 39 …",
    "It prints the functions …",
    "A number for …",
    "For example, a …",
    "Therefore, the sum …",
    "An error, or `None`.",
    "If the program prints …",
    "If it prints …",
    "The `TypeError` comes …",
    "Second derivatives of built-ins: …",
)
def test_no_second():
    lines = [each.text.strip() for each in trace("no_second.py")]
    names, shown = lines[:-1:2], lines[1:-1:2]
    assert all(each.startswith(("None", "LookupError", "TypeError")) for each in shown)
    missing = [each.split()[-1] for each in shown if each.startswith("LookupError")]
    assert not {*missing} & {*ops._gradient_registry.list()} and len(missing) > 9
    none = [name for name, each in zip(names, shown) if each == "None"]
    assert none == ["image.resize, bilinear", "quantization.fake_quant"]
    for name in "ResizeBilinearGrad", "FakeQuantWithMinMaxArgsGradient":
        assert ops._gradient_registry.lookup(name) is None
    assert lines[-1] == f"numbers: {39 - len(names)} of 39"
    assert int(lines[-1].split()[-1]) == 39
    [quantized] = [each for each in shown if each.startswith("TypeError")]
    assert "takes 2 positional arguments but 4 were given" in quantized  # and the op
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    for linear in (
        lambda x: tf.image.resize(x, [6, 6], "bicubic"),
        lambda x: tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [3, 3]),
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0],
    ):
        middle = (linear(image) + linear(image * 3)) / 2
        assert np.allclose(linear(image * 2), middle, 1e-4)


@says(
    "4.2, the second …",
    "Eagerly, the result …",
    "In the programs …",
    "Fix: replace the inner …",
)
def test_accumulators():
    silent = folder().parent / "silent_systems"
    wrong, _ = (silent / "wrong" / "nested_forward.out").read_text().splitlines()
    assert wrong == "cube wrong 2.4000 right 4.2000"
    assert [float(each) for each in wrong.split()[2::2]] == [2.4, 4.2]
    source = (silent / "wrong" / "nested_forward.py").read_text()
    assert "(m * m) * m" in source and "tf.constant(0.7)" in source
    x = tf.constant(0.7)

    def cube(x):
        m = tf.identity(x)
        return (m * m) * m

    def forward(function, x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    slope = derivative(cube)
    assert same(forward(slope, x), 4.2, 1e-5)  # a tape inside, eagerly
    both = tf.function(lambda x: forward(lambda x: forward(cube, x), x))
    assert same(both(x), 4.2, 1e-5) and same(x, 0.7, 1e-6)


@says(
    "2.176, as with tapes.",
    "The program computes a second …",
    "More than a …",
    "`_matrix_exp_pade13` of `tensorflow.python.ops.linalg.linalg_impl` …",
    "The second derivative of expm, …",
)
def test_expm():
    forward, reverse, right = (each.numbers[0] for each in trace("expm.py"))
    assert forward > 1e8 and reverse == right == 2.176
    source = inspect.getsource(linalg_impl._matrix_exp_pade13)
    numbers = [float(each) for each in re.findall(r"\d+\.\d", source)]
    assert max(numbers) == 64764752532480000


# Matrices and norms.


@says(
    "As the eigenvalues …",
    "The gap between …",
    "Look at the last …",
    "For equal eigenvalues …",
    "`_SelfAdjointEigV2Grad` and `_SvdGrad` …",
    "The derivative of …",
)
@over(gap=[1.0, 0.1, 0.01])
def test_equal_values(gap):
    defined = program("equal_values.py")
    for function in defined.projection, defined.by_svd:
        found = EAGER.gradient(function, tf.linalg.diag([1.0, 1.0 + gap]))
        assert same(abs(tf.reduce_sum(found * defined.towards)), 1 / gap, 1e-3)
        at_zero = EAGER.gradient(function, tf.eye(2))
        assert same(at_zero, np.zeros((2, 2)))
    assert same(linalg_grad._SafeReciprocal(tf.constant(0.0)), 0.0)


@says(
    "The gradient is the …",
    "The program prints the first …",
    "Compare each line …",
    "The gradient is 0 or …",
    "Which of these …",
    "`_MatrixDeterminantGrad` multiplies the …",
    "The gradient of a determinant …",
)
def test_determinant():
    det = [each.text.split("det")[1] for each in trace("determinant.py")[::2]]
    assert det[0].split() == ["0", "0", "0"]
    assert "InvalidArgumentError" in det[2] and "Error" not in det[1]
    by_products = program("determinant.py").by_products
    for rows in ([[1, 1, -3], [-1, 0, 2], [2, -3, -1]], np.eye(3), np.ones((3, 3))):
        a = np.float32(rows)
        cofactors = [
            [
                (-1) ** (i + j)
                * np.linalg.det(np.delete(np.delete(a.astype(float), i, 0), j, 1))
                for j in range(3)
            ]
            for i in range(3)
        ]
        assert np.allclose(EAGER.gradient(by_products, a), cofactors, 1e-4, 1e-4)
    assert "not invertible" in message(linalg.inv, tf.ones([3, 3]))
    source = inspect.getsource(linalg_grad._MatrixDeterminantGrad)
    assert "matrix_inverse" in source and "op.outputs[0]" in source


@says(
    "`tf.norm` is the …",
    "Compare the gradients of the …",
    "TensorFlow 2.21 returns …",
    "`_EuclideanNormGrad` divides 0 …",
    "Norms at zero.",
)
def test_norm():
    zeros = tf.zeros([2])
    assert tf.__version__.startswith("2.21.")
    for norm in tf.norm, math.reduce_euclidean_norm:
        assert np.isnan(EAGER.gradient(norm, zeros)).all()
    graph = tf.function(tf.norm).get_concrete_function(zeros).graph
    types = [each.type for each in graph.get_operations()]
    assert "Sum" in types and "Sqrt" in types
    assert same(EAGER.gradient(tf.sqrt, 0.0), np.inf)
    assert "op.inputs[0], output / grad" in inspect.getsource(
        math_grad._EuclideanNormGrad
    )
    defined = program("norm.py")
    assert same(EAGER.gradient(defined.two_where, zeros), [0.0, 0.0])


# XLA and graphs.


@says(
    "`tf.reduce_max` and `tf.reduce_min` return …",
    "The inputs contain …",
    "Compare the eager …",
    "Under XLA on …",
    "If there are several …",
    "In contrast, `tf.maximum` …",
    "The maximum that …",
    "The gradient goes …",
    "NaN is equal …",
    "Fix: test the …",
    "NaN in the …",
    was="'both are finite': -inf for a row of NaN; 'tf.sort(x)[-1]': no NaN",
)
@over(places=[(0,), (2,), (0, 1), (0, 1, 2)])
def test_xla_max(places):
    x = np.float32([1, 2, 3])
    x[[*places]] = np.nan
    every = len(places) == 3
    for function, most in (tf.reduce_max, -np.inf), (tf.reduce_min, np.inf):
        compiled = tf.function(function, **XLA_)
        assert np.isnan(function(x)) and np.isnan(EAGER.gradient(function, x)).all()
        gradient = XLA.gradient(function, x)
        if every:
            assert same(compiled(x), most) and same(gradient, np.zeros(3))
        else:
            assert np.isfinite(compiled(x))
            assert same(gradient, np.equal(x, compiled(x)).astype(float))
        pair = np.float32([np.nan] * 2)
        assert same(compiled(pair), most) and np.isnan(compiled(pair[:1]))
    assert any("y = -inf  [0. 0.]" in each.text for each in trace("xla_max.py"))
    for function in (lambda x: tf.maximum(x, 1.5)), tf.nn.relu:
        for run in function, tf.function(function, **XLA_):
            assert np.isnan(run(x)[places[0]])
    assert "compares by EQ" in lowered("gradient of reduce_max")
    assert np.float32(np.nan) != np.float32(np.nan)

    def asked(x):
        return tf.reduce_any(math.is_nan(x))

    assert asked(x) and tf.function(asked, **XLA_)(x)


@says(
    "Under XLA, the …",
    "They compute the …",
    "XLA compiles the logarithm …",
)
def test_numerics():
    x = tf.constant([-1.0, 1.0])

    def guarded(x):
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    for run in guarded, tf.function(guarded):
        assert "InvalidArgumentError" in message(run, x)
    assert same(tf.function(guarded, **XLA_)(x), [np.nan, 0.0])
    assert lowered("check_numerics of log") == ["log"]


@says(
    "Only `tf.nn.selu` at …",
    "XLA tests whether …",
    "Each line shows the derivative …",
    "Derivatives at a …",
)
def test_kinks():
    differ = [each.text for each in trace("xla_kinks.py") if "differ" in each.text]
    assert len(differ) == 1 and differ[0].startswith("selu ")
    left, right = (EAGER.gradient(tf.nn.selu, x).numpy() for x in (-1e-4, 1e-4))
    for mode, slope in (EAGER, right), (AROUND, right), (XLA, left):
        assert same(mode.gradient(tf.nn.selu, 0.0), slope, 1e-3)
    assert abs(left - right) > 0.5
    assert "compares by GT" in lowered("gradient of selu") and not 0 > 0


@says(
    "In float32, $1 + 10^{-9}$ …",
    "The three formulas …",
    "In a `tf.function`, the …",
    "Under XLA, one …",
    "So an eager …",
    "Fix: use `tf.math.expm1` …",
    "Three formulas at …",
)
def test_rewritten():
    x = tf.constant(1e-9)
    assert np.float32(1) + np.float32(1e-9) == 1
    for formula in program("rewritten.py").formulas.values():
        assert same(formula(x), 0.0)
        assert same(tf.function(formula, autograph=False)(x), 1e-9, 1e-3)
    formulas = program("rewritten.py").formulas.values()
    compiled = [tf.function(each, **XLA_)(x).numpy() for each in formulas]
    right = [same(each, 1e-9, 1e-3) for each in compiled]
    assert len(right) == 3 and right.count(True) == 1
    for function in math.expm1, math.log1p:
        for run in (
            function,
            tf.function(function, autograph=False),
            tf.function(function, **XLA_),
        ):
            assert same(run(x), 1e-9, 1e-3)


# Sparse.


@says(
    "The gradient of a concatenation …",
    "Most sparse operations …",
    "Look for `None` …",
    "The gradient of `tf.sparse.concat` …",
    "The gradients of four …",
    "`SparseConcat` is registered …",
    "`_SparseSparseMaximumGrad` is meant …",
    "However, it accepts …",
    "Fix: compute with …",
    "Gradients of sparse operations: …",
)
def test_sparse():
    shown = {each.text.split()[0]: each.text for each in trace("sparse.py")}
    assert "None" in shown["concat"] and "[1. 1.]" in shown["to_dense"]
    errors = {name for name, text in shown.items() if "Error: " in text}
    assert errors == {"maximum", "minimum", "split", "reduce_max"} and len(errors) == 4
    assert [name for name, text in shown.items() if "None" in text] == ["concat"]
    assert ops._gradient_registry.lookup("SparseConcat") is None
    rule = sparse_grad._SparseSparseMaximumGrad
    assert len(inspect.signature(rule).parameters) == 2  # the operation, and one
    assert "takes 2 positional arguments but 3 were given" in shown["maximum"]
    assert "NotImplementedError" in message(rule, None, None)
    assert "not implemented" in message(rule, None, None)
    assert "TypeError" in message(rule, None, None, None)
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0])
    weights = tf.constant([5.0, 6.0, 7.0])
    found = EAGER.gradients(
        lambda x, y: tf.reduce_sum(tf.concat([x, y], 0) * weights), x, y
    )
    assert same(found, tf.split(weights, [2, 1]))
    larger = EAGER.gradients(tf.maximum, tf.constant(1.0), tf.constant(2.0))
    assert same(larger, [0.0, 1.0])
