"""What the page on several outputs says in words."""

from truth.statements.tries import *


def plain(x, y):
    return x * y + tf.sin(x), y * y


def both(seen, returned=lambda z, w: (z, w)):
    """The page's rule, which notes the upstream gradients that it gets."""

    @tf.custom_gradient
    def both(x, y):
        z, w = plain(x, y)

        def grad(*upstreams):
            seen.append(upstreams)
            first, second = upstreams
            return first * (y + tf.cos(x)), first * x + second * 2.0 * y

        return returned(z, w), grad

    return both


def gradients(mode, function, loss, x=2.0, y=3.0):
    return mode.gradients(lambda x, y: loss(*function(x, y)), x, y)


@says(
    "A function that returns two tensors, written the way it looks natural, `return z, w, grad`,"
    " stops with `ValueError: too many values to unpack (expected 2)`.",
    "TensorFlow takes the returned tuple apart into a result and a rule, and finds three items.",
    "The forward pass has run; the error comes from the call, before any gradient is asked for.",
    "The outputs and the rule are three values.",
    "Wrong on purpose: the outputs and the rule returned as three values.",
)
@over(graph=[None, {}, {"jit_compile": True}])
def test_three_values(graph):
    ran, asked = [], []

    @tf.custom_gradient
    def three(x, y):
        ran.append(x)
        return x * y, y * y, lambda *upstreams: asked.append(upstreams)

    run = three if graph is None else tf.function(three, autograph=False, **graph)
    said = message(run, tf.constant(2.0), tf.constant(3.0))
    assert (
        said.startswith("ValueError")
        and "too many values to unpack (expected 2)" in said
    )
    assert ran and not asked


@says(
    "With that mended, a second mistake stays silent: an input that reaches the loss through both"
    " outputs needs both contributions, and a rule that passes on one of them is wrong without a"
    " word.",
    "$y$ moves $L$ through $z$ and through $w$, and this rule passes on the second contribution"
    " alone.",
    r"Nothing complains, and with the loss $w$ the number is even right, for there"
    r" $\upstream{\bar z} = 0$.",
    r"The missing 4 is $\upstream{\bar z} \cdot \local{x}$, here $2 \cdot 2 = 4$.",
    "The rule forgets to sum.",
    "Wrong on purpose: y reaches the loss twice, and the rule counts once.",
)
@over(mode=MODES)
def test_no_sum(mode):
    one = tf.custom_gradient(
        lambda x, y: (plain(x, y), lambda z, w: (z * (y + tf.cos(x)), w * 2.0 * y))
    )
    (_, rule), (_, autodiff) = (
        gradients(mode, each, lambda z, w: w) for each in (one, plain)
    )
    assert same(rule, autodiff)
    weighted = lambda z, w: 2.0 * z + 5.0 * w  # noqa: E731
    (_, wrong), (_, right) = (gradients(mode, each, weighted) for each in (one, plain))
    assert same(right - wrong, 4.0)
    only_w, both_of_them = trace("wrong/no_sum.py")
    assert only_w.numbers[-1] == 6 and (
        both_of_them.text.count("30.0"),
        both_of_them.numbers[-1],
    ) == (1, 34)


@says(
    "The decorated function returns two things: its outputs as one structure, and the rule.",
    "Here that is `(z, w), grad`.",
    "The rule takes its upstream gradients in the order of the outputs.",
    "Upstream gradients arrive as separate arguments, not as a tuple.",
    "$L = 2 z + 5 w$ sends 2 and 5, the factors of the loss.",
    r"$L = z w$ sends $\upstream{\bar z} = w = 9$ and $\upstream{\bar w} = z = 6.90929747$: each"
    " output receives the value of the other.",
    r"The rule receives one upstream gradient for each output and returns one downstream gradient"
    " for each input, and each downstream gradient is a sum over the outputs.",
    "What arrives at a rule with two outputs, for five losses.",
)
@over(mode=[EAGER, PERSISTENT])
def test_the_order_of_upstreams(mode):
    seen = []
    found = gradients(mode, both(seen), lambda z, w: 2.0 * z + 5.0 * w)
    gradients(mode, both(seen), lambda z, w: z * w)
    assert same(seen, [(2.0, 5.0), (9.0, 6.90929747)], 1e-6)
    assert same(found, [2 * (3 + np.cos(2)), 2 * 2 + 5 * 6], 1e-6)


@says(
    "$L = z + w$, so $\\upstream{\\bar z} = 1$ and $\\upstream{\\bar w} = 1$.",
    "They arrive together: the rule is called once, not once for each output.",
    "With $z + w$ both upstream gradients are 1, and a rule that swaps them would pass.",
    "Other losses tell them apart, and show what an output receives that the loss does not use.",
)
@over(mode=MODES)
def test_called_once(mode):
    seen = []
    gradients(mode, both(seen), lambda z, w: z + w)
    assert len(seen) == 1 and len(seen[0]) == 2
    swapped = tf.custom_gradient(
        lambda x, y: (
            plain(x, y),
            lambda w, z: (z * (y + tf.cos(x)), z * x + w * 2.0 * y),
        )
    )
    for loss, passes in (
        (lambda z, w: z + w, True),
        (lambda z, w: 2.0 * z + 5.0 * w, False),
    ):
        assert (
            same(gradients(mode, swapped, loss), gradients(mode, plain, loss), 1e-5)
            == passes
        )


@says(
    "An unused output sends 0, never `None`.",
    "The same holds for an output behind `tf.stop_gradient`.",
    r"The rule needs no case for it: the term with that upstream vanishes by itself, as long as"
    r" its local derivative is finite ($0 \cdot \infty$ is NaN, see a kink).",
)
@over(mode=MODES, loss=[lambda z, w: z, lambda z, w: z + tf.stop_gradient(w)])
def test_an_unused_output(mode, loss):
    seen = []
    found = gradients(mode, both(seen), loss)
    [(used, unused)] = seen
    assert used is not None and unused is not None
    assert same(found, gradients(mode, plain, loss), 1e-6)
    if mode in (EAGER, PERSISTENT):
        assert same([used, unused], [1.0, 0.0])
    infinite = tf.custom_gradient(lambda x: ((x, x), lambda z, w: z + w * np.inf))
    assert np.isnan(mode.gradient(lambda x: loss(*infinite(x)), 1.0))


@says(
    "The rows of `local` belong to $z$ and $w$, its columns to $x$ and $y$.",
    r"At $(2, 3)$ they are $y + \cos x = 2.58385324$ and $x = 2$, then 0 and $2 y = 6$.",
    r"$\downstream{\bar x} = 1 \cdot 2.58385324 + 1 \cdot 0$: the first column.",
    r"$\downstream{\bar y} = 1 \cdot 2 + 1 \cdot 6 = 8$: the second column, which is $x + 2 y$.",
    "One row for each output, one column for each input.",
    "Two outputs, one rule: z = xy + sin x and w = y² at (2, 3).",
    "Two numbers in, two numbers out.",
    "Only $z$ depends on $x$; both depend on $y$:",
    r"Stacked, the local derivatives form the Jacobian $\local{J}$, in numerator layout: one row"
    " for each output, one column for each input.",
    "Each output has its own, with one term for each input.",
)
def test_the_rows_and_columns():
    with tf.GradientTape(persistent=True) as tape:
        inputs = tf.constant([2.0, 3.0])
        tape.watch(inputs)
        outputs = tf.stack(plain(*tf.unstack(inputs)))
    jacobian = tape.jacobian(outputs, inputs)
    _, upstreams, local, downstreams, *_ = trace("several_outputs.py")
    assert same(jacobian, np.reshape(local.numbers, (2, 2)), 1e-6)
    assert local.numbers == [2.58385324, 2, 0, 6] and upstreams.numbers == [1, 1]
    assert downstreams.numbers == [2.58385324, 8] and 8 == 2 + 2 * 3


@says(
    "A small change of $z$ and one of $w$ both move $L$, and to first order their effects add.",
    "So the upstream gradients form a row, which multiplies from the left:",
    r"What stands before $\d x$ goes on to $x$, what stands before $\d y$ goes on to $y$; that is"
    r" the row times each column of $\local{J}$:",
)
@over(mode=MODES, a=numbers(-9, 9), b=numbers(-9, 9))
def test_a_row_from_the_left(mode, a, b):
    jacobian = np.array([[3 + np.cos(2.0), 2], [0, 6]])
    found = gradients(mode, both([]), lambda z, w: a * z + b * w)
    assert same(found, np.array([a, b]) @ jacobian, 1e-5) or np.allclose(
        np.array(found), np.array([a, b]) @ jacobian, 1e-5, 1e-5
    )


@says(
    "Now the call succeeds, and the error waits for the backward pass.",
    "The rule takes one upstream gradient.",
    "Wrong on purpose: two outputs, and a rule that takes one upstream.",
)
@over(mode=MODES)
def test_one_upstream(mode):
    one = tf.custom_gradient(
        lambda x, y: (plain(x, y), lambda upstream: (upstream, upstream))
    )
    assert raised(one, tf.constant(2.0), tf.constant(3.0)) is None
    assert raised(tf.function(one), tf.constant(2.0), tf.constant(3.0)) is None
    assert "takes 1 positional argument but 2 were given" in message(
        gradients, mode, one, lambda z, w: z + w
    )


@says(
    "A nested structure is allowed, and the upstream gradients arrive flattened, in the order of"
    " `tf.nest.flatten`.",
    "For a dictionary that is the order of its sorted keys: `w` before `z`, however it was"
    " written.",
    "The two upstream gradients swap, silently.",
    "The outputs are a dictionary.",
    "Wrong on purpose: upstreams of a dictionary come sorted by its keys.",
)
@over(
    mode=MODES, returned=[lambda z, w: {"z": z, "w": w}, lambda z, w: {"w": w, "z": z}]
)
def test_a_dictionary(mode, returned):
    weighted = lambda out: 2.0 * out["z"] + 5.0 * out["w"]  # noqa: E731
    f = both([], returned)
    found = mode.gradients(lambda x, y: weighted(f(x, y)), 2.0, 3.0)
    swapped = gradients(mode, plain, lambda z, w: 5.0 * z + 2.0 * w)
    assert same(found, swapped, 1e-6)
    nested = both([], lambda z, w: [(z,), {"w": w}])
    loss = lambda x, y: (lambda out: 2.0 * out[0][0] + 5.0 * out[1]["w"])(nested(x, y))  # noqa: E731
    assert same(mode.gradients(loss, 2.0, 3.0), [2 * (3 + np.cos(2.0)), 34.0], 1e-6)


@says(
    "The rule against TensorFlow's gradient of the plain function and against central"
    " differences, in float64, for two losses with different upstream gradients and at two points.",
    "The rule with two outputs against autodiff and finite differences.",
)
def test_the_check():
    lines = trace("check.py")
    assert [line.text for line in lines if line.text.startswith("L")] == [
        f"L = {loss} at {at}"
        for loss in ("2z + 5w", "z w")
        for at in ("(2.0, 3.0)", "(-0.5, 1.5)")
    ]
    for at in range(0, len(lines), 4):
        rule, *others = (line.numbers for line in lines[at + 1 : at + 4])
        assert others == [rule, rule]


@says(
    r"For $L = x y$ each output receives the value of the other: $\upstream{\bar x} = y$ and"
    r" $\upstream{\bar y} = x$.",
    r"The closed form has the slopes $r \sin 2 \theta$ and $r^2 \cos 2 \theta$.",
    "The row of upstream gradients times each column:",
    "The two differentials, one row of the Jacobian each:",
    "Solution: polar to Cartesian coordinates, x = r cos θ and y = r sin θ.",
)
@over(r=numbers(0.1, 9), theta=numbers(-3, 3))
def test_the_solution(r, theta):
    found = EAGER.gradients(lambda r, t: 0.5 * r**2 * tf.sin(2 * t), r, theta)
    expected = [r * np.sin(2 * theta), r**2 * np.cos(2 * theta)]
    assert np.allclose(np.array(found), expected, 1e-4, 1e-4)
    values, upstreams = trace("solution.py")[:2]
    assert np.allclose(values.numbers[::-1], upstreams.numbers)


definition(
    r"Since $y$ is an input on this page, $\downstream{\bar y}$ is a downstream gradient.",
    "Here all are scalars.",
    "Each output brings its own.",
    r"In types: `grad :: (upstream(z), upstream(w)) → (downstream(x), downstream(y))`.",
    "Here $x$ and $y$ are the outputs.",
)
advice(
    "You need the four steps from the chain rule, a rule that returns one gradient for each input,"
    " from several variables, and the product of a row with a matrix.",
    "Write `return (z, w), grad`, as above.",
    "Write one parameter for each output, or `*upstreams`.",
    "Test with a loss in which every output counts, and each with a factor of its own.",
    "Return a tuple, or name the parameters in sorted order: `def grad(upstream_w, upstream_z)`.",
    "Derive the rule with the four steps.",
    r"Then predict the two upstream gradients for the loss $L = x y$ at $r = 2$, $\theta = 0.5$, and"
    r" check the result against $L = \frac{1}{2} r^2 \sin 2 \theta$.",
)
pointer(
    "This page shows what arrives at such a rule, what it must return, and what it gets from an"
    " output that nobody uses.",
)
