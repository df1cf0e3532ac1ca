"""What the page on training through sign says in words."""

from truth.statements.tries import *


def slope(x):
    return np.exp(-abs(x)) / (1 + np.exp(-abs(x))) ** 2


def first_step(g, dtype=np.float64):
    x = tf.Variable(-1.0, dtype=dtype)
    tf.keras.optimizers.Adam(0.1).apply([tf.constant(g, dtype)], [x])
    return x.numpy() + 1


def crossing(optimizer, start, steps=200):
    """The variable at each step, along the gradient of the page."""
    x, path = tf.Variable(start), []
    for _ in range(steps):
        optimizer.apply(
            [tf.constant((np.sign(x.numpy()) - 1) * slope(x.numpy()), tf.float32)], [x]
        )
        path.append(x.numpy())
    return path


@says(
    "A variable starts at −1, and sign of it should become 1.",
    "With `tf.sign` it is still 2 after 100 steps of Adam, and the variable is still −1.",
    "The gradient is 0, so both of Adam's averages stay 0.",
    "The variable does not move and the loss stays 2.",
    "`training.py` above does the same with the stand-in.",
    "Training with `tf.sign` itself.",
    "Wrong on purpose: training through tf.sign itself moves nothing.",
)
def test_tf_sign_moves_nothing():
    lines = trace("wrong/tf_sign.py")
    assert [(line["loss"], line["gradient"], line["then x"]) for line in lines] == [
        (2, 0, -1)
    ] * 3
    assert (
        lines[-1].text.startswith("step 99") and trace("training.py")[-1]["then x"] > 0
    )
    adam, x = tf.keras.optimizers.Adam(0.1), tf.Variable(-1.0)
    for _ in range(9):
        adam.apply([tf.constant(0.0)], [x])
    assert x.numpy() == -1
    m, v = (
        each
        for each in adam.variables
        if "momentum" in each.path or "velocity" in each.path
    )
    assert m.numpy() == v.numpy() == 0


@says(
    "The loss is 2.",
    "With a stand-in that has a slope, the variable crosses 0 in ten steps.",
    "Step 0: loss 2 and gradient −0.393223882, as derived.",
    "Adam's step leads to −0.900001466.",
    "From step 10 on, $y = 1$, so $\\upstream{\\bar y} = 0$ and the gradient is exactly 0.",
    "That this is close to 1 is chance; the loss asks for $\\operatorname{sign}(x) = 1$, not"
    " for $x = 1$.",
    "The solution below ends elsewhere.",
    "A variable learns through sign, because the stand-in has a slope.",
    "`tape.gradient` calls the rule, and the optimizer gets what it returns.",
)
def test_the_trace():
    first, *rest = trace("training.py")
    assert (first["loss"], first["gradient"], first["then x"]) == (
        2,
        -0.393223882,
        -0.900001466,
    )
    assert all(line["loss"] == line["gradient"] == 0 for line in rest)
    path = crossing(tf.keras.optimizers.Adam(0.1), -1.0, 100)
    assert sum(x <= 0 for x in path) == 9 and abs(path[90] - 0.990093) < 1e-4
    assert trace("solution.py")[3].numbers[-1] > 1.3


@says(
    "The rest of the way is momentum: Adam's average $m$ shrinks by the factor 0.9 at each"
    " step, and $x$ coasts to 0.99."
)
def test_momentum():
    adam, x = tf.keras.optimizers.Adam(0.1), tf.Variable(-1.0)
    adam.apply([tf.constant(-0.4)], [x])
    [m] = [each for each in adam.variables if "momentum" in each.path]
    for _ in range(9):
        before, at = m.numpy(), x.numpy()
        adam.apply([tf.constant(0.0)], [x])
        assert abs(m.numpy() / before - 0.9) < 1e-6 and x.numpy() > at
    assert round(trace("training.py")[-1]["then x"], 2) == 0.99


@says(
    "There are three cases, with $\\operatorname{sign}(0) = 0$:",
    "$x < 0$ — −1 — 2 — −2 — $\\upstream{-2} \\cdot \\local{\\sigma(x)(1 - \\sigma(x))}$",
    "$x = 0$ — 0 — ½ — −1 — −¼",
    "$x > 0$ — 1 — 0 — 0 — 0",
    "In types: `grad :: upstream(y) → downstream(x)`, all scalars.",
    "The factor before $\\d y$ is what arrives at sign,"
    " $\\upstream{\\bar y} = \\upstream{y - 1}$.",
    "The map has two steps, sign and a squared error toward 1.",
)
@over(x=numbers(-9, 9))
def test_three_cases(x):
    arrived = []
    sign = tf.custom_gradient(
        lambda x: (
            tf.sign(x),
            lambda u: arrived.append(u.numpy()) or u * slope(x.numpy()),
        )
    )
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sign(x)
        loss = 0.5 * (y - 1) ** 2
    found = (y.numpy(), loss.numpy(), tape.gradient(loss, x).numpy(), arrived[0])
    side = -1 if x < 0 else 1 if x > 0 else 0
    y, loss, upstream = {-1: (-1, 2, -2), 0: (0, 0.5, -1), 1: (1, 0, 0)}[side]
    assert (found[0], found[1], found[3]) == (y, loss, upstream)
    assert np.isclose(
        found[2], -0.25 if side == 0 else upstream * slope(x.numpy()), 1e-5
    )


@says(
    "At the start, $\\local{\\sigma(-1)(1 - \\sigma(-1))} = 0.196611941$ in float32, so"
    " $L = 2$ and $\\downstream{\\bar x} = -0.393223882$."
)
def test_the_start():
    s = tf.sigmoid(-1.0)
    assert abs(float(s * (1 - s)) - 0.196611941) < 1e-8
    assert (
        trace("training.py")[0]["gradient"] == -0.393223882
        and 0.393223882 == 2 * 0.196611941
    )


@says(
    "Write $g$ for $\\downstream{\\bar x}$, here $g = -0.393223882$; $\\eta = 0.1$ is the"
    " learning rate, and $\\beta_1 = 0.9$, $\\beta_2 = 0.999$, $\\varepsilon = 10^{-7}$ are"
    " the defaults."
)
def test_the_defaults():
    adam = tf.keras.optimizers.Adam(0.1)
    assert (adam.beta_1, adam.beta_2, adam.epsilon) == (0.9, 0.999, 1e-7)
    assert adam.get_config()["learning_rate"] == tf.constant(0.1).numpy()


@says(
    "and without $\\varepsilon$ the step is $\\eta \\, \\hat m / \\sqrt{\\hat v} = \\eta \\, g"
    " / |g|$: as long as $|g|$ is far above $\\varepsilon / \\sqrt{1 - \\beta_2} \\approx 3"
    " \\cdot 10^{-6}$, the first step of Adam is the learning rate, whatever the size of the"
    " gradient.",
    "Keras adds $\\varepsilon$ to $\\sqrt v$ before the bias is corrected, which makes the"
    " step a little shorter.",
)
@over(size=[1e-3, 0.4, 1e6, 1e15], sign=[1, -1])
def test_the_first_step(size, sign):
    step, delta = -sign * first_step(sign * size), 1e-7 / np.sqrt(1 - 0.999) / size
    assert np.isclose(step, 0.1 / (1 + delta), 1e-5) and np.isclose(step, 0.1, 5e-3)
    assert abs(first_step(1e-8)) < 0.001  # far below the bound it is not


@says(
    "Adam keeps two running averages, $m$ of the gradients and $v$ of their squares.",
    "Here $g$ is negative, so $x$ goes up by 0.1, from −1 to −0.9.",
    "Both start at 0, so after one step, with their bias corrected,",
)
def test_the_averages():
    adam, x = tf.keras.optimizers.Adam(0.1), tf.Variable(-1.0)
    adam.build([x])
    kept = {each.path.rpartition("_")[2]: each for each in adam.variables[2:]}
    assert {name: each.numpy() for name, each in kept.items()} == {
        "momentum": 0,
        "velocity": 0,
    }
    adam.apply([tf.constant(-0.5)], [x])
    assert np.isclose(kept["momentum"].numpy(), 0.1 * -0.5) and np.isclose(
        kept["velocity"].numpy(), 0.001 * 0.25
    )
    assert round(float(x.numpy()), 3) == -0.9


@says(
    "In float64 the steps by hand give what the derivation says.",
    r"But 0.999 is not a float32 number: its nearest neighbor is less than 1 by 0.00099998713, and the root of that in the bias correction shortens the first step by another $6 \cdot 10^{-7}$.",
    "Keras computes in float32.",
    "The derivation ended at −0.9000008 and the trace says −0.900001466: which of the two is"
    " wrong?",
    "This program takes all steps by hand, in float32 and in float64, beside Keras.",
    "Neither is.",
    "Adam's steps by hand, in two precisions, beside those of Keras.",
)
def test_two_precisions():
    keras, single, double = (
        trace("adam.py")[0].numbers[1:2],
        *[trace("adam.py")[0].numbers] * 2,
    )
    step, keras, _, single, _, double = trace("adam.py")[0].numbers
    assert (step, keras, single, double) == (0, -0.90000147, -0.90000147, -0.9000008)
    rounded = 1 - float(np.float32(0.999))
    assert f"{rounded:.8g}" == "0.00099998713"
    shorter = 0.1 * (1 - np.sqrt(rounded / 0.001))
    assert round(shorter * 1e7) == 6 and np.isclose(double - keras, shorter, 0.1)
    assert tf.keras.optimizers.Adam(0.1).learning_rate.dtype == "float32"


@says(
    "It fits none of the columns above; the first of them is that of TensorFlow 2.21 and"
    " Keras 3.15.",
    "On this page a last value of 0.990113616 in the trace of `adam.py` would stop the build,"
    " for its tolerance is $10^{-5}$ and the two differ by $2 \\cdot 10^{-5}$.",
    r"The longer trace may differ by a relative $10^{-4}$: one bit in $\beta_2$ to the power $t$, where $t$ counts the steps, which the power function of another machine may round the other way, can move its line of step 10, where $x$ is small, by more than $10^{-5}$ of its value.",
    "So that trace alone would not have caught the old value.",
)
def test_the_old_run():
    last = trace("adam.py")[-1].numbers[1:][::2]
    off = [
        abs(0.990113616 / each - 1)
        for each in trace("adam.py")[-1].numbers
        if 0 < each < 1
    ]
    assert (
        last and min(off) > 5e-6 and 1e-5 < off[0] < 1e-4 and round(off[0] * 1e5) == 2
    )
    assert tf.__version__.startswith("2.21") and tf.keras.__version__.startswith("3.15")

    def tenth(power):
        g, m, v, x = 0.0, np.float32(0), np.float32(0), np.float32(-1)
        for t in range(1, 12):
            g = np.float32((np.sign(x) - 1) * slope(x))
            m += (g - m) * np.float32(0.1)
            v += (g * g - v) * np.float32(1 - np.float32(0.999))
            root = np.sqrt(1 - power(np.float32(0.999) ** np.float32(t)))
            x -= (
                np.float32(0.1)
                * root
                / (1 - np.float32(0.9) ** np.float32(t))
                * m
                / (np.sqrt(v) + np.float32(1e-7))
            )
        return x

    assert (
        abs(tenth(lambda p: np.nextafter(p, np.float32(0))) / tenth(lambda p: p) - 1)
        > 1e-5
    )


@says(
    "The decorated function reads a trainable variable that is not an argument.",
    "Then the variable needs a gradient too, and `grad` has no way to return it.",
    "TensorFlow refuses at the forward call, before any gradient is asked for.",
    "Wrong on purpose: the decorated function reads a variable by itself.",
)
@over(mode=["eager", "graph", "XLA"], taped=[False, True], trainable=[False, True])
def test_a_variable_inside(mode, taped, trainable):
    weight = tf.Variable(2.0, trainable=trainable)
    asked = []
    product = tf.custom_gradient(lambda x: (weight * x, lambda u: asked.append(u) or u))

    def run(x):
        if not taped:
            return product(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            return product(x)

    options = {"graph": {}, "XLA": {"jit_compile": True}}
    run = run if mode == "eager" else tf.function(run, autograph=False, **options[mode])
    error = raised(run, tf.constant(3.0))
    assert isinstance(error, TypeError) == trainable and asked == []
    assert not trainable or "must accept keyword argument 'variables'" in str(error)


@says(
    "The right version decorates a function of its arguments and passes what depends on the"
    " variable, here `sign(weight * inputs)`; `training.py` passes the variable itself.",
    "The other way is a `grad` that accepts `variables`, and returns the gradients of its"
    " inputs and a list with those of the variables, in the order of `variables`:",
    "A rule that reads a variable, and returns the variable's gradient too.",
)
@over(mode=MODES[:4], first=[2.0, 3.0])
def test_two_ways_with_variables(mode, first):
    a, b = tf.Variable(first), tf.Variable(5.0)
    named = {id(a): 10.0, id(b): 20.0}

    @tf.custom_gradient
    def product(x):
        def grad(upstream, variables=None):
            order = [
                a if each is a or each.ref() == a.ref() else b for each in variables
            ]
            return upstream, [tf.constant(named[id(each)]) for each in order]

        return a * x + b, grad

    with tf.GradientTape() as tape:
        y = (tf.function(product) if mode is AROUND else product)(tf.constant(1.0))
    assert same(tape.gradient(y, [a, b]), [10.0, 20.0])
    inside, outside = trace("variables.py")
    assert inside.numbers == outside.numbers


@says(
    r"Gradient descent steps by $-\eta$ times $\downstream{\bar x}$: from −1 that is $0.1 \cdot 0.393223882 = 0.0393$, and from −3 it is $0.1 \cdot 2 \cdot 0.0451766551 = 0.0090$, since the slope of the sigmoid fades.",
    "Adam's first step is 0.1 from both.",
    "Gradient descent has no momentum: its last step is the one that crosses 0, and no step"
    " is longer than $\\eta \\cdot 2 \\cdot \\frac{1}{4} = 0.05$, so it rests below 0.05.",
    "Adam coasts on, from −3 beyond 1.",
    "Each ends with loss 0.",
    "Solution: gradient descent beside Adam, from two starting points.",
)
@over(start=[-0.01, -0.1, -0.5, -1.0, -3.0])
def test_descent_and_adam(start):
    path = crossing(tf.keras.optimizers.SGD(0.1), start)
    steps = np.diff([start, *path])
    assert max(abs(steps)) <= 0.05 + 1e-7 and 0 < path[-1] < 0.05
    assert all(step == 0 for step, at in zip(steps, [start, *path]) if at > 0)
    sgd_1, adam_1, sgd_3, adam_3 = trace("solution.py")
    assert [round(each.numbers[1], 4) for each in (sgd_1, sgd_3)] == [0.0393, 0.0090]
    assert [round(each.numbers[1], 3) for each in (adam_1, adam_3)] == [0.1, 0.1]
    assert adam_3.numbers[-1] > 1


@says(
    r"The rule first: the gradient of the loss against autodiff of the sigmoid, shifted by a constant to the value of sign, and against $\upstream{y - 1}$ times $\frac{\sigma(x + h) - \sigma(x - h)}{2h} = \sigma'(x) + O(h^2)$.",
    "The gradient of the loss against two computations without the rule.",
    "The value of sign; autodiff sees the sigmoid alone.",
    "That of the loss is exact.",
    "That of sign would be 0, so the surrogate's takes its place:",
)
def test_the_check():
    for x, loss, rule, *others in (line.numbers for line in trace("check.py")[1:]):
        assert others == [rule, rule] and loss == 0.5 * (np.sign(x) - 1) ** 2
    assert same(EAGER.gradient(tf.sign, -1.0), 0.0)
    assert same(EAGER.gradient(program("check.py").shifted, -1.0), slope(1), 1e-5)
    assert same(program("check.py").shifted(tf.constant(-1.0)), -1.0)


@says(
    "Nothing in the mathematics changed; a published number stays where it is while the"
    " software under it moves on.",
    "The second is smooth, and its derivative is true.",
    "The first goes through the surrogate $\\tilde y$, so the result is the gradient that"
    " training follows, not the derivative of the loss.",
)
@over(x=numbers(-9, -1e-3))
def test_the_gradient_that_training_follows(x):
    loss = lambda t: 0.5 * (np.sign(t) - 1) ** 2  # noqa: E731
    assert loss(x + 1e-4) - loss(x - 1e-4) == 0 != -2 * slope(x)
    assert same(
        EAGER.gradient(lambda y: 0.5 * (y - 1) ** 2, x), np.float32(x) - 1, 1e-6
    )


history(
    "A word on rot.",
    "An older published run of this experiment begins with −0.89999783 and ends, at step 90,"
    " with 0.990113616.",
)
definition(
    "With $\\d \\tilde y$ for $\\d y$ (a decision, hence $:=$):",
    "One number in, one number out:",
)
advice(
    "You need the stand-in from a gradient for sign: the value of sign forward, the slope of the"
    " sigmoid $\\sigma$ backward.",
    "Replace Adam by gradient descent, `tf.keras.optimizers.SGD`, with the same learning rate.",
    "Predict its first step from −1.",
    "Then start both at −3.",
)
pointer(
    "This page derives the gradient it follows, and the first step down to the last digit."
)
