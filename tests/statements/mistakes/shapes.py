"""What the page on shapes says in words."""

import os
import platform
import subprocess
import sys

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
COMPARED = "Incompatible shapes between op input and calculated input gradient"
X = tf.ones([2, 3])


def returning(gradient):
    """A product whose second gradient is given."""
    return tf.custom_gradient(
        lambda x, factor: (
            x * factor,
            lambda upstream: (upstream * factor, gradient(upstream * x)),
        )
    )


SHAPES = {
    "as the product": lambda each: each,
    "of another rank": lambda each: tf.reduce_sum(each, 0),
    "as the factor": tf.reduce_sum,
}


@says(
    "The call of the …",
    "A gradient must …",
    "If the tape …",
    "The error then …",
    "In contrast, with …",
    "The tables call …",
    "Broadcasting copies `factor` …",
    "The gradient that …",
    "The update is …",
    "With the tape around a `tf.function`, the …",
    "With the tape around a `tf.function`, and …",
    "Write `assert gradient.shape == offset.shape`, …",
    "The gradient has the shape of `offset`.",
    "The message names …",
    "The gradient of `factor` should …",
    "The table shows the …",
    "Where no error …",
    "The second gradient …",
    "Deliberately wrong: the gradient of a scalar …",
    "Deliberately wrong: the gradient of an …",
    "The gradient is …",
    "The sum is …",
    "The gradient now has the shape of the variable, …",
    "The update of …",
)
@over(mode=MODES, gradient=SHAPES)
def test_compared(mode, gradient):
    factor = tf.constant(2.0)
    rule = returning(gradient)
    said = message(mode.gradients, lambda x, factor: rule(x, factor), X, factor)
    right = gradient(X).shape == []
    assert (COMPARED in said) == (mode not in BESIDE and not right)
    if mode in BESIDE:
        found = mode.gradients(lambda x, factor: rule(x, factor), X, factor)[1]
        assert found.shape == gradient(X).shape
        w = tf.Variable(2.0)
        update = message(w.assign_sub, found)
        assert ("Cannot update variable with shape []" in update) == (not right)
        assert "rule" not in update and "factor" not in update
        found = mode.gradients(program("wrong/variable.py").scaled, X, factor)
        assert same(found, [2.0 * X, X])
        offset = tf.constant([2.0])
        found = mode.gradients(program("wrong/one_number.py").shifted, X, offset)
        assert same(found, [X, 6.0]) and len(found) == 2
        found = mode.gradients(program("one_number.py").shifted, X, offset)
        assert same(found[1], [6.0])
    if mode is EAGER:
        of_eager, of_graph = (each.text for each in trace("wrong/variable.py"))
        assert of_eager != of_graph and "Error: " in of_eager and "Error: " in of_graph
    unknown = tf.function(
        lambda x, factor: rule(x, factor),
        input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)],
    )
    found = EAGER.gradients(lambda x, factor: unknown(x, factor), X, factor)[1]
    assert found.shape == gradient(X).shape


@says(
    "A tape around …",
    "`IdentityN` is the …",
    "Its inputs are …",
    "The index counts …",
    "In this program, …",
    "The sum over …",
)
@over(outputs=[1, 2, 3])
def test_identity_n(outputs):
    @tf.custom_gradient
    def rule(x, offset):
        def grad(*upstreams):
            return upstreams[0], tf.reduce_sum(upstreams[0])

        return [x + offset] * outputs, grad

    def call(x, offset):
        with tf.GradientTape() as tape:
            tape.watch(offset)
            tf.function(lambda: rule(x, offset)[0])()

    said = message(call, X, tf.constant([2.0]))
    assert f"Forward operation: IdentityN. Input index: {outputs + 1}." in said
    graph = tf.function(lambda x, y: rule(x, y)).get_concrete_function(X, X).graph
    assert "IdentityN" in [each.type for each in graph.get_operations()]
    [op] = [op for op in graph.get_operations() if op.type == "IdentityN"]
    index = [at for at, _ in enumerate(op.inputs)]
    assert index[0] == 0 and index[-1] == outputs + 1  # as in the message
    kinds = [each.op.type for each in op.inputs]
    assert kinds[outputs:] == ["Placeholder"] * 2 and "Placeholder" not in kinds[:1]
    assert "Original input shape: (1,). Calculated input gradient shape: ()" in said


@says(
    "The gradient of the reshape …",
    "The gradient of a reshape …",
    "This reshape receives …",
    "`grad` returns a gradient of …",
    "Deliberately wrong: the gradient of a reshaped …",
)
@over(mode=BESIDE)
def test_reshape(mode):
    scaled_by = program("wrong/reshape.py").scaled_by
    said = message(mode.gradients, lambda x, factors: scaled_by(x, factors), X, [2.0])
    assert "a tensor with 6" in said and X.shape.num_elements() == 6
    scaled = program("wrong/reshape.py").scaled
    found = mode.gradients(lambda x, factor: scaled(x, factor), X, 2.0)[1]
    assert found.shape.num_elements() == 6
    with tf.GradientTape() as tape:
        old = tf.constant([2.0])
        tape.watch(old)
        new = tf.reshape(old, [])
    assert tape.gradient(new, old, tf.constant(5.0)).shape == old.shape
    assert old.shape.num_elements() == 1  # room for one
    rule = returning(lambda each: each)
    found = mode.gradients(lambda x, factor: rule(x, factor), X, [[2.0]])[1]
    assert found.shape != [1, 1]


@says(
    "Each gradient has …",
    "The gradient, summed …",
    "Fix: return each gradient in the shape of its input.",
    "The function `fitted` …",
    "The gradients have …",
)
@over(
    mode=[EAGER, AROUND],
    shape=[[], [1], [3], [1, 3], [2, 1], [2, 3], [1, 1], [4, 1, 3], [4, 2, 3]],
)
def test_fitted(mode, shape):
    scaled = program("reshape.py").scaled
    factor = tf.reshape(tf.range(1.0, 1.0 + float(np.prod(shape))), shape)
    found, own = (
        mode.gradients(lambda x, y, f=f: f(x, y) ** 2, X, factor)
        for f in (scaled, tf.multiply)
    )
    assert same(found[0], own[0], 1e-6) and same(found[1], own[1], 1e-6)


@says(
    "The messages of eager …",
    "In the backward …",
    "It multiplies a …",
    "The upstream gradient of …",
    "The gradient now has the shape of the matrix.",
    "Fix: return one …",
    "Deliberately wrong: the gradient of a matrix product …",
    "Each element of …",
)
@over(mode=MODES)
def test_not_a_matrix(mode):
    x, w = tf.ones([4, 3]), tf.ones([3, 2])
    loss = program("wrong/not_a_matrix.py").loss
    said = message(mode.gradients, lambda x, w: loss(x, w), x, w)
    if mode in (EAGER, PERSISTENT):
        assert "ndims" in said
    elif mode in BESIDE:
        assert "Shape must be rank 2 but is rank 0" in said
    else:
        assert COMPARED in said
    fixed = program("not_a_matrix.py")
    found, own = (
        mode.gradients(lambda x, w, f=f: f(x @ w), x, w)
        for f in (fixed.mean_square, fixed.plain)
    )
    assert same(found[0], own[0], 1e-6) and same(found[1], own[1], 1e-6)


@says(
    "Eagerly, the wording …",
    "The messages of both …",
)
def test_words_of_a_kernel():
    """This process has one of the two kernels, depending on the processor; another
    process is asked for the other one."""
    asked = "import tensorflow as tf; tf.matmul(tf.ones([]), tf.ones([3, 2]))"
    words = ["In[0] ndims must be >= 2", "In[0] and In[1] has different ndims"]
    here = message(tf.matmul, tf.ones([]), tf.ones([3, 2]))
    there = subprocess.run(
        [sys.executable, "-c", asked],
        env=os.environ | {"TF_ENABLE_ONEDNN_OPTS": "0" if words[0] in here else "1"},
        stderr=subprocess.PIPE,
        text=True,
    ).stderr
    found = [each for said in (here, there) for each in words if each in said]
    known = words if platform.machine() == "x86_64" else words[1:]
    assert len(found) == 2 and {*found} == {*known}


@says(
    "The error comes …",
    "The gradient of `w` …",
    "If the matrix …",
    "Fix: order the …",
    "Deliberately wrong: the gradient of a matrix is returned transposed.",
    "The gradient of a matrix …",
)
@over(mode=MODES, sides=[(3, 2), (2, 2)])
def test_transposed(mode, sides):
    defined = program("wrong/transposed.py")
    n, m = sides
    left, right = tf.ones([n, 1]), tf.reshape(tf.range(1.0, m + 1), [1, m])
    x = tf.ones([4, n])
    said = message(
        mode.gradients,
        lambda x, left, right: defined.low_rank(x, left, right),
        x,
        left,
        right,
    )
    assert (said == "") == (n == m)
    if mode is EAGER:
        assert defined.left.shape[0], defined.right.shape[1] == (3, 2)
        assert "Matrix size-incompatible" in said or n == m


@says(
    "The product of `upstream` and `x` …",
    "The upstream gradient has …",
    "So broadcasting aligns …",
    "If there are …",
    "Fix: put the …",
    "Deliberately wrong: upstream …",
    "upstream gets back …",
)
@over(mode=MODES, rows=[2, 3, 4])
def test_rows(mode, rows):
    x = tf.ones([rows, 3])
    energies = program("wrong/rows.py").energies
    said = message(mode.gradient, lambda x: energies(x), x)
    assert (said == "") == (rows == 3)
    assert rows == 3 or "ncompatible" in said or "Dimensions must be equal" in said
    fixed = program("rows.py")
    found, own = mode.gradients(
        lambda x, y: (fixed.energies(x) + fixed.plain(y)) * tf.range(1.0, rows + 1),
        x,
        x,
    )
    assert same(found, own)


@says(
    "The loss uses …",
    "Eagerly and in …",
    "The tape adds …",
    "One gradient has …",
    "This message appears …",
    "With this function, …",
    "The fix is the …",
    "Deliberately wrong: two …",
)
@over(mode=BESIDE, uses=[1, 2])
def test_added(mode, uses):
    rule = returning(lambda each: each)

    def run(x, factor):
        y = tf.reduce_sum(rule(x, factor))
        return y + factor**2 if uses == 2 else y

    said = message(mode.gradients, run, X, 2.0)
    assert (said == "") == (uses == 1)
    assert uses == 1 or "same size and shape" in said or "must be equal rank" in said
    twice = source("wrong/added.py").partition("def twice")[2].partition("\n\n")[0]
    assert twice.count("factor") == 3 and twice.count("scaled(x, factor)") == 1
    fixed = program("variable.py").scaled

    def summed(x, factor):
        return tf.reduce_sum(fixed(x, factor)) + factor**2

    assert same(mode.gradients(summed, X, 2.0)[1], 10.0)
    right = mode.gradients(lambda x, factor: tf.reduce_sum(x * factor), X, 2.0)[1]
    assert right.shape == mode.gradients(fixed, X, 2.0)[1].shape == []


@says(
    "In a graph, the shape …",
    "In a graph, TensorFlow …",
    "Eagerly, TensorFlow has …",
    "With the shape …",
    "Fix: set the …",
    "Print `y.shape` inside …",
    "Deliberately wrong: after …",
    "The shape of NumPy's …",
)
@over(graph=[False, True])
def test_unknown(graph):
    seen = []
    sine = program("wrong/unknown.py").sine

    def run(x):
        seen.append(sine(x).shape)
        return seen[-1]

    call = tf.function(lambda x: (run(x), x)[1]) if graph else run
    call(X), call(X), call(tf.ones([5]))
    if graph:
        assert len(seen) == 2 and all(each.rank is None for each in seen)
        told = program("unknown.py").sine
        tf.function(lambda x: (seen.append(told(x).shape), x)[1])(X)
        assert seen[-1] == [2, 3]
    else:
        assert seen == [[2, 3], [2, 3], [5]]


history(
    "In the thread …",
    "Instead it has …",
)


@says(
    "Return `tf.ensure_shape(gradient, x.shape)`.",
    "Eagerly, `tf.ensure_shape` checks …",
    "In a graph, it …",
    "`tf.debugging.assert_equal(tf.shape(gradient), tf.shape(x))` isn't enough, …",
    "For example, the assertion …",
)
@over(mode=COMMON, shapes=[([], [3]), ([6], []), ([3], [3, 3]), ([2, 3], [1])])
def test_assertions_on_shapes(mode, shapes):
    of_gradient, of_input = shapes

    def function(check):
        @tf.custom_gradient
        def rule(x):
            x = tf.identity(x)
            return 2.0 * x, lambda upstream: check(tf.ones(of_gradient), x)

        return rule

    def by_values(gradient, x):
        tf.debugging.assert_equal(tf.shape(gradient), tf.shape(x))
        return tf.ones_like(x)

    def by_shape(gradient, x):
        tf.ensure_shape(gradient, x.shape)
        return tf.ones_like(x)

    x = tf.ones(of_input)
    broadcasts = [3] in shapes or ([] in shapes and [6] in shapes)
    assert broadcasts == (shapes != ([2, 3], [1]))
    if mode not in UNKNOWN:
        accepted = message(mode.gradient, function(by_values), x) == ""
        assert accepted == broadcasts and len(shapes) == 2
        assert accepted or shapes != ([3], [3, 3])
        assert message(mode.gradient, function(by_shape), x) != ""
    elif of_input == [3, 3] and "batch" in mode.name:
        assert message(mode.gradient, function(by_shape), x) != ""
    if mode is INSIDE:
        unknown = tf.function(
            lambda x: by_shape(tf.ones([5, 3]), x),
            input_signature=[tf.TensorSpec([None, 3])],
        )
        assert message(unknown, tf.ones([2, 3])) == ""
        assert message(by_shape, tf.ones([5, 3]), tf.ones([2, 3])) != ""


advice(
    "Test with a matrix …",
    "Fix: sum the gradient over the axes that were broadcast.",
    "Before the update, …",
    "Here, reshape the …",
    "Test with matrices …",
    "To find the …",
    "Compare the shape of the gradient …",
    "Compare the shape of each …",
)
pointer(
    "Message — Fix",
    "`Cannot update variable with shape [] using a Tensor with shape [2,3]` — sum the gradient over the axes that were broadcast",
    "Incompatible shapes between op input and calculated input gradient — return each gradient in the shape of its input",
    "Input to reshape is a tensor with 6 values, but the requested shape has 1 — return each gradient in the shape of its input",
    "Shape must be rank 2 but is rank 0 — return one element for each element of the input",
    "Matrix size-incompatible — order the factors so that the product has the shape of the input",
    "[2,3]`](#incompatible-shapes), for a reduction — put the axis back with `upstream[:, tf.newaxis]`",
    "Inputs to operation AddN must have the same size and shape — sum the gradient over the axes that were broadcast",
    "Cannot take the length of shape with unknown rank — set the shape with `y.set_shape(x.shape)`",
    "The fix sums the gradient of `factor`:",
    "The fix reshapes the …",
    "In the fix, `fitted` …",
    "The fix returns a …",
    "The fix swaps the …",
    "The fix gives `upstream` …",
    "The fix sets the …",
    "If a wrong …",
    "`factor` is a …",
    "`offset` has the …",
    "The argument `factor` …",
    "The rest of …",
    "The input of the function …",
    "This `grad` returns …",
    "The gradient agrees with automatic differentiation.",
    "The forward pass …",
    "The program prints …",
    "Notice it earlier.",
    "Asked in tensorflow#127690, tensorflow#52535.",
    "More: which axes …",
    "Asked in keras#16251.",
    "Asked in tensorflow#44359.",
    "More: which operation …",
    "More: matrices.",
    "More: the sum …",
    "Asked in tensorflow#2706.",
    "Asked in tensorflow#43916, tensorflow#1095.",
)
