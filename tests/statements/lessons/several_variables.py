"""What the page on several variables says in words."""

from truth.statements.tries import *

X, Y = 2.0, 3.0
ONE = "expected to return 2 gradients, but returned 1 instead."


def product(rule):
    """x y; its rule is given upstream, x and y."""
    return tf.custom_gradient(
        lambda x, y: (x * y, lambda upstream: rule(upstream, x, y))
    )


RIGHT = product(lambda u, x, y: (u * y, u * x))
SWAPPED = product(lambda u, x, y: (u * x, u * y))
TOO_FEW = product(lambda u, x, y: u * y)
TOO_MANY = product(lambda u, x, y: (u * y, u * x, u))


@says(
    "A rule for two inputs returns two gradients, and their order is all that tells them apart.",
    "Swap them, and the slopes of $xy$ at $(2, 3)$ come back as 2 and 3 where 3 and 2 are right,"
    " without a word.",
    "Both are computed right, and the tape hands each to the wrong input.",
    "At $(2, 3)$ the right answer is 3 and 2.",
    "At $(3, 3)$ the two gradients are equal and nothing shows.",
    "`product(x, y)` takes `x` first, so `grad` returns `downstream_x` first.",
    "The rule returns its gradients in swapped order.",
    "Wrong on purpose: right gradients, wrong order, and no complaint.",
)
@over(mode=MODES)
def test_the_order(mode):
    assert same(mode.gradients(RIGHT, X, Y), [3.0, 2.0])
    assert same(mode.gradients(SWAPPED, X, Y), [2.0, 3.0])
    assert same(mode.gradients(SWAPPED, 3.0, 3.0), mode.gradients(RIGHT, 3.0, 3.0))


@says(
    "Return only one, and eagerly TensorFlow stops: `custom_gradient function expected to return 2"
    " gradients, but returned 1 instead.` Ask the tape for a gradient, and it may answer"
    " `None`, which is not zero.",
    "Only $x$ is watched and only its gradient is asked for, and still the rule owes one gradient for"
    " each input.",
    "Eagerly the forward pass says nothing; the error comes when the tape is asked.",
    "The rule returns too few gradients.",
    "Wrong on purpose: two inputs, and the rule returns one gradient.",
    was="no mode was named: around a tf.function the forward call raises",
)
@over(graph=[None, {}, {"jit_compile": True}])
def test_too_few(graph):
    run = TOO_FEW if graph is None else tf.function(TOO_FEW, **graph)
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch(x)
        said = message(run, x, y)
        z = TOO_FEW(x, y)
    assert bool(said) == (graph is not None)
    assert ONE in message(tape.gradient, z, x)


@says(
    "The same mistake with the tape inside `tf.function`.",
    "The message is another one, and it misleads twice.",
    "It counts the output along with the gradients: one gradient reads `Expected 3 but received 2`,"
    " and 3 stands for two inputs and one output.",
    'And it says "too few" also for three gradients, `Expected 3 but received 4`.',
    "The snippet prints the last line of each message; the lines before it name the place in your"
    " code.",
    "Wrong on purpose: one gradient too few, then one too many, in a graph.",
    "The cure is the same: one gradient for each input, here two.",
)
@over(mode=[INSIDE, XLA])
def test_the_count_inside(mode):
    few, many = (message(mode.gradients, f, X, Y) for f in (TOO_FEW, TOO_MANY))
    assert "returned too few gradients. Expected 3 but received 2" in few
    assert "returned too few gradients. Expected 3 but received 4" in many
    assert "in user code" in few and raised(mode.gradients, RIGHT, X, Y) is None


@says(
    "With the tape outside, and in `tf.gradients`, it reads `Num gradients 2 generated for op name:"
    ' "IdentityN"` … `do not match num inputs 3`, and it counts the same way.',
    "The snippet prints the first and the last line of each message.",
    "Wrong on purpose: the wrong counts again, and the graph's own message.",
)
@over(mode=[AROUND, AROUND_XLA, SYMBOLIC])
def test_the_count_outside(mode):
    for rule, count in ((TOO_FEW, 2), (TOO_MANY, 4)):
        said = message(mode.gradients, rule, X, Y)
        assert f'Num gradients {count} generated for op name: "IdentityN"' in said
        assert "do not match num inputs 3" in said


@says(
    "It has one term for each input, for both may move at once, and to first order their effects"
    " add:",
    "There is one output, so one $\\upstream{\\bar z}$ arrives.",
    "It says how a small change of $z$ moves $L$, whichever input caused it, and so it multiplies"
    " both terms:",
    "The rule takes one upstream gradient for each output and returns one downstream gradient for"
    " each input, in the order of the inputs.",
    "Each downstream gradient has the shape of its input; here all are scalars.",
    "What stands before $\\d x$ goes on to $x$; what stands before $\\d y$ goes on to $y$:",
    "In types: `grad :: upstream(z) → (downstream(x), downstream(y))`.",
    "Two numbers in, one number out:",
)
@over(mode=MODES, x=numbers(-9, 9), y=numbers(-9, 9), c=numbers(-9, 9))
def test_the_rule(mode, x, y, c):
    seen = []
    noted = product(
        lambda *each: seen.append(each) or (each[0] * each[2], each[0] * each[1])
    )
    dx, dy = mode.gradients(noted, x, y, loss=lambda z: c * z)
    assert (
        np.allclose([dx, dy], [c * y, c * x], 1e-5, 1e-30)
        and dx.shape == dy.shape == ()
    )
    assert len(seen) == 1 and len(seen[0]) == 3


@says(
    "To $x$: here $L = z$, so $\\upstream{\\bar z} = 1$; the local derivative is $\\local{y} = 3$, and"
    " $\\downstream{\\bar x} = 3$.",
    "To $y$: the same $\\upstream{\\bar z} = 1$, the local derivative $\\local{x} = 2$, and"
    " $\\downstream{\\bar y} = 2$.",
    "Forward: $z = 2 \\cdot 3 = 6$.",
    "Two inputs, one rule, two gradients: z = x y at (2, 3).",
)
def test_the_trace():
    forward, to_x, to_y, _ = trace("several_variables.py")
    assert (forward["z"], to_x["upstream"], to_x["local"], to_x["downstream"]) == (
        6,
        1,
        3,
        3,
    )
    assert (to_y["upstream"], to_y["local"], to_y["downstream"]) == (1, 2, 2)
    assert "to x" in to_x.text and "to y" in to_y.text


@says(
    "`tape.gradient(z, [x, y])` returns a list in the order of the list that it is given.",
    "That order is yours and has nothing to do with the order of the inputs.",
)
@over(order=[(0, 1), (1, 0)])
def test_the_order_of_the_question(order):
    inputs = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        z = RIGHT(*inputs)
    found = tape.gradient(z, [inputs[i] for i in order])
    assert isinstance(found, list) and same(found, [[3.0, 2.0][i] for i in order])


@says(
    "A tape that is not persistent answers once and then drops what it recorded.",
    "Ask for all gradients in one call with a list, and the rule runs once.",
    "A persistent tape keeps its record and may be asked again; then the rule runs once for each"
    " question.",
    "The tape is asked twice.",
    "This one has nothing to do with the rule; it comes from asking for one gradient at a time.",
    "Wrong on purpose: a tape that is not persistent is asked twice.",
    "A list asks once; a persistent tape may be asked again and again.",
    was="'A tape answers once': a persistent one does not",
)
@over(persistent=[False, True], rule=[True, False])
def test_asked_twice(persistent, rule):
    seen = []
    noted = (
        product(lambda u, x, y: seen.append(u) or (u * y, u * x))
        if rule
        else tf.multiply
    )
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([x, y])
        z = noted(x, y)
    assert same(tape.gradient(z, [x, y]), [3.0, 2.0]) and len(seen) == rule
    assert (raised(tape.gradient, z, y) is None) == persistent
    assert len(seen) == rule * (1 + persistent)


@says(
    "A persistent tape also holds the tensors that it needs for as long as the tape itself lives."
)
@over(persistent=[False, True])
def test_what_a_tape_holds(persistent):
    import gc
    import weakref

    x = tf.ones(1000)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        middle = tf.exp(x)
        z = tf.square(middle)
    kept = weakref.ref(middle)
    del middle
    tape.gradient(z, x)
    gc.collect()
    assert (kept() is not None) == persistent
    del tape
    gc.collect()
    assert kept() is None


@says(
    "The tape records which tensor was computed from which.",
    "`tape.gradient` walks this record back from the target.",
    "Where no path leads to the source, no number was ever computed, and the tape returns `None`.",
    "`x` was not computed from `y`: no path, so `None`.",
    "The true slope is 0 here, and `unconnected_gradients` with `tf.UnconnectedGradients.ZERO` may"
    " write it so.",
    "In `flat`, $y$ is multiplied by 0.",
    "A path leads to it, and the slope along it is the number 0.0.",
    "Return only one, and eagerly TensorFlow stops: `custom_gradient function expected to"
    " return 2 gradients, but returned 1 instead.` Ask the tape for a gradient, and it may"
    " answer `None`, which is not zero.",
    "So `None` says that the tape knows of no connection.",
    "None says that the tape knows no path; zero says that the slope is 0.",
)
@over(mode=MODES)
def test_none_and_zero(mode):
    assert mode.gradients(lambda x, y: 1.0 * x, X, Y)[1] is None
    assert same(mode.gradients(lambda x, y: x + 0.0 * y, X, Y)[1], 0.0)
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = 1.0 * x
    zero = tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert same(zero, 0.0)


@says(
    "On the second tape `y` is a constant that nobody watches.",
    "Again no path, so `None`; but $\\partial z / \\partial y$ is 2, and with `ZERO` the tape says"
    " 0.0, which is wrong.",
    "A variable is watched by itself if it is trainable, which is the default.",
    "One that is not trainable is like a constant: `None`.",
)
@over(trainable=[None, True, False])
def test_what_is_watched(trainable):
    y = tf.constant(Y) if trainable is None else tf.Variable(Y, trainable=trainable)
    assert tf.Variable(Y).trainable
    with tf.GradientTape(persistent=True) as tape:
        z = tf.constant(X) * y
    found = tape.gradient(z, y)
    assert same(found, 2.0) if trainable else found is None
    zero = tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert same(zero, 2.0 if trainable else 0.0)


@says(
    "The loss is $L = \\sin(x \\cdot (x \\cdot y)) = \\sin(x^2 y)$.",
    r"The rule runs twice, with upstream $\upstream{\cos(x^2 y)}$ in the outer call and $x$ times that in the inner one, and $x$ receives a gradient from both, which the tape adds.",
)
@over(x=numbers(0.5, 2), y=numbers(0.5, 2))
def test_the_rule_runs_twice(x, y):
    seen = []
    noted = product(lambda u, x, y: seen.append(u) or (u * y, u * x))
    dx, dy = EAGER.gradients(lambda x, y: tf.sin(noted(x, noted(x, y))), x, y)
    cosine = np.cos(x * x * y)
    assert np.allclose(seen, [cosine, x * cosine], 1e-4, 1e-5) and len(seen) == 2
    assert np.allclose([dx, dy], [2 * x * y * cosine, x * x * cosine], 1e-4, 1e-5)


@says(
    "The program compares the rule with TensorFlow's own gradient of the plain function, and with"
    " central differences of it, one variable moved at a time, in float64.",
    r"At $(2, 3)$ the formulas by hand say $12 \cos 12 = 10.126248$ and $4 \cos 12 = 3.375416$, as the first point does.",
    "The rule of z = x y against autodiff and finite differences.",
)
def test_the_check():
    lines = trace("check.py")
    for line in lines:
        assert (
            "by" not in line.text
            or line["rule"] == line["autodiff"] == line["differences"]
        )
    found = [line["rule"] for line in lines[1:3]]
    assert found == [10.126248, 3.375416] == [round(n * np.cos(12), 6) for n in (12, 4)]


@says(
    "The loss $z^2$ passes on $\\upstream{\\bar z} = 2 z = 3$, so $\\downstream{\\bar x} = 3 \\cdot 0.5"
    " = 1.5$ and $\\downstream{\\bar y} = 3 \\cdot (-0.75) = -2.25$.",
    "At $(3, 2)$ we have $z = 1.5$.",
    "The differential of the quotient has one term for each input:",
    "Solution: the rule of z = x / y inside the loss z², at (3, 2).",
)
def test_the_solution():
    forward, to_x, to_y, *_ = trace("solution.py")
    assert forward["z"] == 1.5 and to_x["upstream"] == to_y["upstream"] == 3
    assert (to_x["local"], to_x["downstream"], to_y["local"], to_y["downstream"]) == (
        0.5,
        1.5,
        -0.75,
        -2.25,
    )


definition(
    "Mind the bar over $y$: on this page $y$ is an input, so $\\downstream{\\bar y}$ is a"
    " downstream gradient."
)
advice(
    "You need the four steps and the words upstream, local and downstream from the chain rule, and"
    " partial derivatives: $\\partial z / \\partial x$ is the slope in $x$ while $y$ stays where it is.",
    "Prefer the list.",
    "Find out why before you turn it into zeros.",
    "The right version returns the pair, as in `several_variables.py` above.",
    "For an input that needs no gradient, return `None` in its place: see shapes, dtypes and None.",
    "Test where they differ, and return them in the order of the parameters: `def product(x, y)` ends"
    " in `return downstream_x, downstream_y`.",
    "Ask with a list, or make the tape persistent, as in `persistent.py` above.",
    "Write the rule for $z = x / y$, $y \\ne 0$, with the four steps.",
    "Put it into the loss $L = z^2$ at $(3, 2)$ and predict both backward lines: what is upstream, and"
    " which of the two gradients is negative?",
)
pointer(
    "Of this kind, in the catalogue: the wrong number of gradients.",
    "This page gets all three right.",
)
