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
    "XLA is not in the installed Python source; this is what it compiles:",
    "What XLA compiles: the operations, and how it compares.",
    "Where the rule is right, and TensorFlow or Keras is not.",
    "The silent ones come first.",
    "The runs are among the sparse mistakes.",
    "Way around.",
    "TensorFlow's own texts: where the documentation is wrong.",
    "Rules that `tf.vectorized_map` drops: Jacobians and vectorizing.",
    "Entries in the registry that are never freed: memory.",
    "A map that raises: caching devices.",
    "A variable in a branch: graphs.",
    "Other operations, as for softsign.",
    "A rule, or the products by hand.",
    "Two `tf.where`, or a rule.",
)
history(
    "Each entry was reproduced with TensorFlow 2.21 and Keras 3.15 by the program that it shows, and can be filed as it stands: what is right, what comes out, where in the source, and what to do until it is mended.",
    "None found.",
    "Not found.",
    "For the others, none found.",
    "keras#19992 is about the speed of the same lines.",
    "tensorflow#49946 for the determinant, pull 127713, open, for `xlogy`, `xlog1py`, `xdivy` and `multiply_no_nan`.",
    "tensorflow#119476; mended upstream by pull 119869 for `xlogy` and `xlog1py`, by pull 127294 for `xdivy` and by pull 120282 for `cumprod`.",
    "tensorflow#61117, tensorflow#127240.",
    "tensorflow#38643, closed as stale.",
    "tensorflow#43648, open; tensorflow#60059.",
    "The thread narrows it down to a tensor that is an operand of a product directly, and through another operation.",
    "tensorflow#127753, open.",
    "tensorflow#127690, open.",
    "tensorflow#127234; mended upstream for vectors by pull 127550, for all by pull 127475, open.",
    "Its author finds an error left, that of nested accumulators.",
    "tensorflow#127224; mended upstream by pull 127627.",
    "A change that is merged upstream, pull 112634, makes it 0; then this trace changes.",
    "tensorflow#118077 for the value, tensorflow#118673 for the gradient; both open.",
    "tensorflow#118075, open.",
    "There is no derivative; 0 is the convention of other frameworks.",
)
definition(
    "One convention.",
    "The differences.",
    "An error in each mode.",
    "The same gradient in each mode.",
    "Upstream times the conjugate of the local derivative, as derived.",
)
advice(
    "Make the gradient dense, by a rule around the table.",
    "Differentiate what does not depend on the choice of vectors: values, projections to whole eigenspaces.",
    "Return a flag and look at it outside.",
    "A rule, if the point matters.",
    "A product with `*`, a logarithm with `tf.math.log`; else a rule.",
    "The plain product.",
    "A matrix product along each axis.",
)


def conj_of(function, z):
    """The gradient that the convention asks for of a holomorphic function."""
    h = 1e-6
    return np.conj((function(z + h) - function(z - h)).numpy() / (2 * h))


# Keras.


@says(
    "A step with `tf.IndexedSlices` is the step with the tensor that they stand for: 0.7016 after three steps of `model.fit`.",
    "0.5796, where one index of the batch occurs twice.",
    "SGD is right.",
    "`keras.src.optimizers.adam.Adam.update_step` squares the gradient.",
    "For `tf.IndexedSlices`, `keras.src.backend.tensorflow.sparse.elementwise_unary` squares each value, and the squares are added; the square of the sum is meant.",
)
def test_adam():
    folder_of_sparse = folder().parent / "sparse"
    plain, dense, matmul = (
        (folder_of_sparse / "optimizers.out").read_text().split("\n")[:3]
    )
    assert "[0.5796 0.7016]" in plain
    assert "[0.7016 0.7016]" in dense and "[0.7016 0.7016]" in matmul
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
    "The gradient of eager mode.",
    "An error, where the tape runs around the `tf.function`.",
    "`_TapeGradientFunctions._build_functions_for_outputs` of `tensorflow.python.eager.polymorphic_function.concrete_function` makes what the rule returned an output of the backward graph, and does not capture it first.",
    "A tensor of the forward graph that no operation of the rule reads is not in it.",
    "`tf.identity` in the rule, or make the tensor there:",
    "Wrong on purpose: a rule hands back a tensor that its forward pass made.",
    "The tensor is made in the rule, or passes through an operation there.",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_forward_tensor(mode):
    wrong = program("wrong/forward_tensor.py").signed
    right = program("forward_tensor.py").signed
    said = message(mode.gradients, wrong, 2.0, 3.0)
    assert ("Does it belong to a different graph?" in said) == (mode is AROUND)
    assert same(mode.gradients(right, 2.0, -3.0), [-1.0, 0.0])

    @tf.custom_gradient
    def made_there(x, scale):
        def grad(upstream):
            return upstream * scale, tf.zeros_like(scale)

        return x * scale, grad

    assert same(mode.gradients(made_there, 2.0, 3.0), [3.0, 0.0])
    lines = [each.text for each in trace("causes.py")]
    name = "_build_functions_for_outputs"
    assert f"{name}: backwards_graph.outputs.extend stands there" in lines
    assert f"{name}: backwards_graph.capture( no" in lines


@says(
    "Each function of `tf.math`, `tf.linalg`, `tf.nn` and `tf.signal` is called with a vector, with two, with groups, and with matrices, in float64, and its gradient compared with differences:",
    "None is wrong.",
    "Two, of which one has two names.",
    "`tf.nn.silu` sums the gradient of its `beta` to one number, whatever the shape.",
    "The other is below.",
    "The rule in `nn_impl.swish`, a `tf.custom_gradient`, calls `reduce_sum` for `beta`, as if it were a number: a rule that forgets the shape.",
    "`x * tf.sigmoid(beta * x)`, with no rule.",
    "The gradient of tf.nn.silu by a beta for each column.",
    "Every function of four modules at ordinary points, and its gradient.",
    "They read one triangle, have vectors whose sign is free, draw, or compute in float32.",
    "With another upstream for each number.",
    "other arguments, or no gradient",
)
@over(shape=[(3,), (1, 3)])
def test_silu(shape):
    counted, *wrong = (each.text for each in trace("real_rules.py"))
    names = {each.split("(")[0] for each in wrong}
    assert names == {"isotonic_regression", "silu", "swish"}
    assert tf.nn.silu is tf.nn.swish and counted.endswith("wrong: 3")
    x, beta = np.float32([[0.5, -1.0, 2.0]]).reshape(shape), np.ones(shape, np.float32)
    right = EAGER.gradient(lambda beta: x * tf.sigmoid(beta * x), beta)
    found = EAGER.gradient(lambda beta: tf.nn.silu(x, beta), beta)
    assert right.shape == shape and found.shape == ()
    assert same(found, tf.reduce_sum(right), 1e-5)
    lines = [each.text for each in trace("causes.py")]
    assert "swish: beta_grad = math_ops.reduce_sum( stands there" in lines


@says(
    "Values that are pooled share the mean of their upstream gradients.",
    "A vector gets its upstream back, as a column.",
    "A batch is right, and with one more axis the shape is not that of the input.",
    "`_MeanAggregator` splits its input along the first axis, and takes each part for a row.",
    "It is written for two axes.",
    "One more axis in front, by `tf.expand_dims`.",
    "The gradient of tf.nn.isotonic_regression, by the rank of its input.",
)
@over(upstream=[np.float32([1, 10, 100]), np.float32([2, -4, 5])])
def test_isotonic(upstream):
    x = np.float32([0.3, 0.7, 0.4])  # of which the first two are pooled

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
    assert "_MeanAggregator: array_ops.split(inputs, inputs.shape stands there" in lines


# Complex.


@says(
    "Each function of `tf.math`, `tf.linalg` and `tf.signal` is called with complex numbers.",
    "Where it takes them, its gradient is compared with differences along 1 and $\\mathrm{i}$; shown is the entry that is furthest off:",
    "In most of them a conjugate is missing.",
    "`squared_difference` and `reduce_euclidean_norm` count the imaginary part of upstream, though their values are real; so does the logarithm of `slogdet`, and its sign has the gradient 0.",
    "Every function of three modules that takes complex numbers, and its rule.",
    "They read one triangle, or have vectors whose phase is free.",
    "Real, with another complex upstream for each output.",
    "other arguments, no complex numbers, no gradient",
)
def test_complex():
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
    assert shown == {*forgetful, *real} and len(forgetful) > len(real)
    for name in "multiply", "sin", "reduce_prod":
        assert name not in shown and hasattr(math, name)


@says(
    "In `tensorflow.python.ops.math_grad`, `_XLogyGrad`, `_XLog1pyGrad`, `_XDivyGrad`, `_MulNoNanGrad`, `_CumprodGrad`, `_SegmentProdGrad` and `_UnsortedSegmentProdGrad` have no `conj`; in `linalg_grad`, `_MatrixSquareRootGrad` has none either, `_MatrixDeterminantGrad` multiplies by the determinant, not by its conjugate, and `_LogMatrixDeterminantGrad` takes no upstream of the sign.",
    "The causes above, looked up in the installed source, so that an upgrade which mends one changes this trace:",
)
def test_causes():
    lines = [each.text for each in trace("causes.py")]
    for name in (
        *("_XLogyGrad", "_XLog1pyGrad", "_XDivyGrad", "_MulNoNanGrad", "_CumprodGrad"),
        *("_SegmentProdGrad", "_UnsortedSegmentProdGrad", "_MatrixSquareRootGrad"),
    ):
        assert f"{name}: conj no" in lines
    assert "_DivNoNanGrad: conj stands there" in lines
    source = inspect.getsource(linalg_grad._MatrixDeterminantGrad)
    assert "grad * c" in source and "conj" not in source
    parameters = inspect.signature(linalg_grad._LogMatrixDeterminantGrad).parameters
    assert [*parameters] == ["op", "_", "grad_b"]


@says(
    "Under XLA, three are made with the derivative where its conjugate belongs.",
    "The rules `_SqrtGrad`, `_RsqrtGrad` and `_ReciprocalGrad` of `math_grad` call operations made for them.",
    "What XLA compiles for the root is a division by it, without a conjugation.",
    "`z ** 0.5` and `1 / z`, which are right in all modes.",
    "XLA logs what it cannot do",
)
@over(name=["sqrt", "rsqrt", "reciprocal"])
def test_complex_xla(name):
    lines = [each.text.split()[0] for each in trace("complex_xla.py")[1:]]
    assert sorted(lines) == ["reciprocal", "rsqrt", "sqrt"]
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
    "The imaginary part of a square is twice the product of both parts.",
    "For a negative real part it is off by a factor of thousands, which breaks a complex step.",
    "The power goes by logarithm and exponential, and the angle is rounded near $\\pi$.",
    "Squares of complex numbers next to the negative real axis.",
)
@over(x=[-0.4, -3.0, 3.0])
def test_power(x):
    h = 1e-20
    z = tf.complex(tf.constant(x, tf.float64), tf.constant(h, tf.float64))
    product, power = (math.imag(each).numpy() / h for each in (z * z, z**2))
    assert same(product, 2 * x, 1e-9)
    assert (abs(power / product) > 1000) == (x < 0)
    angle = np.angle(z.numpy())
    assert x > 0 or angle == np.pi
    by_logarithm = np.exp(2 * np.log(z.numpy())).imag / h
    assert same(power, by_logarithm, 1e-2)


# At zero.

AT_ZERO = {
    "xlogy": lambda x: math.xlogy(x, np.float32(2)),
    "xlog1py": lambda x: math.xlog1py(x, np.float32(2)),
    "xdivy": lambda x: math.xdivy(x, np.float32(2)),
    "cumprod": lambda x: math.cumprod(tf.stack([2.0, x]))[1],
}


@says(
    "0, silently, for `xlogy`, `xlog1py`, `xdivy` and `cumprod`.",
    "`_XLogyGrad`, `_XLog1pyGrad` and `_XDivyGrad` multiply the derivative by $x$ with a mask that is 0 where $x$ is.",
    "`_CumprodGrad` divides by $x$ with `div_no_nan`.",
    "For `cumprod`, `tf.scan` with a product.",
    "First derivatives where one number is 0, and all is smooth.",
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
        assert f"{name}: not_zero_x stands there" in lines
    assert "_CumprodGrad: div_no_nan stands there" in lines


@says(
    "Both mixed derivatives of `x * y` are 1.",
    "`reduce_prod` says 1 and 0, so its Hessian is not symmetric.",
    "With `unsorted_segment_prod` both are NaN.",
    "`_ProdGrad` is made of `cumprod`, whose rule is the one above.",
    "`_UnsortedSegmentProdGrad` divides by an input that is 0 and lets `tf.where` throw the result away, which does not help the second order.",
    "`*`, or `tf.math.segment_prod`.",
    "The mixed second derivative of x y, by products with a zero in them.",
)
def test_products():
    mixed = {each.text.split()[0]: each.numbers[-2:] for each in trace("prod_twice.py")}
    assert mixed["x"] == mixed["segment_prod"] == [1, 1]
    assert mixed["reduce_prod"] == [1, 0]
    assert np.isnan(mixed["unsorted_segment_prod"]).all()
    assert "_ProdGrad: cumprod stands there" in [
        each.text for each in trace("causes.py")
    ]
    source = inspect.getsource(math_grad._UnsortedSegmentProdGrad)
    assert "gathered_prod / op.inputs[0]" in source and "where_v2(is_zero" in source


# Second order.


@says(
    "The same values, so the same Hessian.",
    "The part of the loss that comes through the resize is missing.",
    "`ResizeBilinearGrad` is registered as not differentiable, by `None` in place of a rule.",
    "That means `None`, and a tape that adds up paths takes `None` for nothing.",
    "A loss with a bilinear resize in it: the second derivative lacks a part.",
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
    "The second derivative of the sum of squares, for 39 functions; those that give no number are shown:",
    "A resize, a crop and a pooling are linear, or linear almost everywhere.",
    "An error, or `None`.",
    "No rule is registered for the operation that the rule of the function calls.",
    "`_QuantizeAndDequantizeV4GradGrad` takes one gradient where the operation has three outputs.",
    "Second derivatives of built-ins: a number, None, or an error.",
)
def test_no_second():
    lines = [each.text.strip() for each in trace("no_second.py")]
    names, shown = lines[:-1:2], lines[1:-1:2]
    assert all(each.startswith(("None", "LookupError", "TypeError")) for each in shown)
    missing = [each.split()[-1] for each in shown if each.startswith("LookupError")]
    assert not {*missing} & {*ops._gradient_registry.list()} and len(missing) > 9
    assert lines[-1] == f"numbers: {39 - len(names)} of 39"
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
    "4.2 in each row.",
    "2.4 where both are accumulators and nothing is a graph.",
    "Make one of the two a tape, or run all of it in a `tf.function`.",
    "The second derivative of (m m) m at 0.7, where m is a copy of x.",
)
def test_accumulators():
    forward, *others, right = trace("accumulators.py")
    assert forward.numbers == [2.4, 4.2] and right.numbers == [4.2]
    assert all(each.numbers == [4.2, 4.2] for each in others) and len(others) == 3


@says(
    "2.176, as by tapes.",
    "More than a hundred million.",
    "`_matrix_exp_pade13` of `tensorflow.python.ops.linalg.linalg_impl` has coefficients of up to 64764752532480000, which the pull scales.",
    "The second derivative of expm, forward over forward and reverse.",
)
def test_expm():
    forward, reverse, right = (each.numbers[0] for each in trace("expm.py"))
    assert forward > 1e8 and reverse == right == 2.176
    source = inspect.getsource(linalg_impl._matrix_exp_pade13)
    numbers = [float(each) for each in re.findall(r"\d+\.\d", source)]
    assert max(numbers) == 64764752532480000


# Matrices and norms.


@says(
    "As the values meet, the slope grows without bound.",
    "Where they are equal there is none, and NaN would say so.",
    "`_SelfAdjointEigV2Grad` and `_SvdGrad` in `linalg_grad` take `_SafeReciprocal` of the gap, which is 0 at 0.",
    "The slope of a projection to an eigenvector, as two eigenvalues meet.",
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
    "The cofactors, which every matrix has.",
    "0, or numbers from rounding, or an error: it depends on how the factorization rounds.",
    "`_MatrixDeterminantGrad` multiplies the determinant by the inverse.",
    "The gradient of a determinant at singular matrices.",
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
    source = inspect.getsource(linalg_grad._MatrixDeterminantGrad)
    assert "matrix_inverse" in source and "op.outputs[0]" in source


@says(
    "`tf.norm` is the root of a sum, and the rule of the root is infinite at 0.",
    "`_EuclideanNormGrad` divides 0 by 0.",
    "Norms at zero.",
)
def test_norm():
    zeros = tf.zeros([2])
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
    "NaN in value and gradient of `reduce_max` and `reduce_min`.",
    "Under XLA on a CPU both are finite.",
    "The maximum that XLA computes drops the NaN, and the gradient goes to what is equal to it.",
    "Ask the input, by `tf.math.is_nan`.",
    "A NaN in the input of a maximum, eagerly and under XLA.",
    was="'tf.sort(x)[-1]': eagerly no NaN, if the NaN comes first",
)
@over(place=[0, 2])
def test_xla_max(place):
    x = np.float32([1, 2, 3])
    x[place] = np.nan
    for function in tf.reduce_max, tf.reduce_min:
        compiled = tf.function(function, **XLA_)
        assert np.isnan(function(x)) and np.isnan(EAGER.gradient(function, x)).all()
        assert np.isfinite(compiled(x)) and np.isfinite(XLA.gradient(function, x)).all()

    assert "compares by EQ" in lowered("gradient of reduce_max")
    largest = tf.function(tf.reduce_max, **XLA_)(x)
    assert same(XLA.gradient(tf.reduce_max, x), np.equal(x, largest).astype(float))

    def asked(x):
        return tf.reduce_any(math.is_nan(x))

    assert asked(x) and tf.function(asked, **XLA_)(x)


@says(
    "NaN, and no error.",
    "What XLA compiles is the logarithm alone.",
    "A guard against NaN, eagerly, in a graph and under XLA.",
)
def test_numerics():
    guarded, x = program("xla_numerics.py").guarded, tf.constant([-1.0, 1.0])
    for run in guarded, tf.function(guarded):
        assert "InvalidArgumentError" in message(run, x)
    assert same(tf.function(guarded, **XLA_)(x), [np.nan, 0.0])
    _, finite = tf.function(program("xla_numerics.py").with_flag, **XLA_)(x)
    assert not finite
    assert lowered("check_numerics of log") == ["log"]


@says(
    "`tf.nn.selu` at 0 has the slope of the other side.",
    "XLA asks whether the value is greater than 0, and 0 is not.",
    "Slopes at a kink, eagerly, in a `tf.function` and under XLA:",
    "Slopes at a kink: eagerly, in a graph, under XLA.",
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
    "In float32 $1 + 10^{-9}$ is 1, so the formulas are 0 as written.",
    "The graph's number is nearer to the truth.",
    "The optimizer of graphs rewrites formulas.",
    "So a check that runs eagerly is of another computation.",
    "`tf.math.expm1` and `tf.math.log1p`, which are right in each mode.",
    "Three formulas at 1e-9, eagerly, in a graph and under XLA.",
)
def test_rewritten():
    x = tf.constant(1e-9)
    assert np.float32(1) + np.float32(1e-9) == 1
    for formula in program("rewritten.py").formulas.values():
        assert same(formula(x), 0.0)
        assert same(tf.function(formula, autograph=False)(x), 1e-9, 1e-3)
    for function in math.expm1, math.log1p:
        for run in (
            function,
            tf.function(function, autograph=False),
            tf.function(function, **XLA_),
        ):
            assert same(run(x), 1e-9, 1e-3)


# Sparse.


@says(
    "The gradient of a concatenation is a split, that of a maximum goes to the larger.",
    "`None` for `tf.sparse.concat`, without a word; errors for four others.",
    "`SparseConcat` is registered with `None` in place of a rule.",
    "`_SparseSparseMaximumGrad` takes one gradient, and the operation has two outputs, so that its own message is not reached.",
    "Compute with the values; `tf.sparse.to_dense` has a gradient.",
    "Sparse operations whose gradient is missing, or raises.",
)
def test_sparse():
    shown = {each.text.split()[0]: each.text for each in trace("sparse.py")}
    assert "None" in shown["concat"] and "[1. 1.]" in shown["to_dense"]
    errors = {name for name, text in shown.items() if "Error: " in text}
    assert errors == {"maximum", "minimum", "split", "reduce_max"}
    assert [name for name, text in shown.items() if "None" in text] == ["concat"]
    assert ops._gradient_registry.lookup("SparseConcat") is None
    rule = sparse_grad._SparseSparseMaximumGrad
    assert len(inspect.signature(rule).parameters) == 2  # the operation, and one
    assert "takes 2 positional arguments but 3 were given" in shown["maximum"]
    assert "NotImplementedError" in message(rule, None, None)
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0])
    weights = tf.constant([5.0, 6.0, 7.0])
    found = EAGER.gradients(
        lambda x, y: tf.reduce_sum(tf.concat([x, y], 0) * weights), x, y
    )
    assert same(found, tf.split(weights, [2, 1]))
    larger = EAGER.gradients(tf.maximum, tf.constant(1.0), tf.constant(2.0))
    assert same(larger, [0.0, 1.0])


advice("What stands in the source of the rules that this page names.")
