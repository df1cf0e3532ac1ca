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
    "With `tf.sign` itself, …",
    "The gradient of `tf.sign` …",
    "The variable stays …",
    "The fix is the …",
    "Deliberately wrong: through …",
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
    "With the surrogate …",
    "After the variable …",
    "In step 0 …",
    "The check explains …",
    "The program prints …",
    "Adam's step leads …",
    "From step 10 …",
    r"So $\upstream{\bar y} = 0$, …",
    "It is a …",
    "The loss is 0 …",
    "For example, in …",
    "A variable trains …",
    "`tape.gradient` calls the …",
    "You use `tf.custom_gradient` …",
)
def test_the_trace():
    first, *rest = trace("training.py")
    assert (first["loss"], first["gradient"], first["then x"]) == (
        2,
        -0.393223882,
        -0.900001466,
    )
    assert all(line["loss"] == line["gradient"] == 0 for line in rest)
    assert trace("adam.py")[0].numbers[-1] == -0.9000008
    path = crossing(tf.keras.optimizers.Adam(0.1), -1.0, 100)
    assert round(path[90], 2) == 0.99 and sum(x <= 0 for x in path) + 1 == 10
    assert abs(path[90] - 0.990093) < 1e-4
    start, *_, end = trace("solution.py")[3].numbers
    assert start == -3 and round(end, 1) == 1.3


@says("The average of …", "The variable still …", "This average $m$ …")
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
    "There are three …",
    "$x < 0$ …",
    "$x = 0$ …",
    "$x > 0$ …",
    "The gradient function receives …",
    "Its type is …",
    "The factor in front of $\\d y$ …",
    "The loss is computed …",
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


@says("The program below …", "So in the …")
def test_the_start():
    s = tf.sigmoid(-1.0)
    assert abs(float(s * (1 - s)) - 0.196611941) < 1e-8
    assert (
        trace("training.py")[0]["gradient"] == -0.393223882
        and 0.393223882 == 2 * 0.196611941
    )


@says("Write $g$ for …", r"Let $\eta = 0.1$ …")
def test_the_defaults():
    adam = tf.keras.optimizers.Adam(0.1)
    assert (adam.beta_1, adam.beta_2, adam.epsilon) == (0.9, 0.999, 1e-7)
    assert adam.get_config()["learning_rate"] == tf.constant(0.1).numpy()


@says(
    r"Without $\varepsilon$, Adam …",
    "So Adam's first …",
    "Adam's first step has …",
    r"Keras adds $\varepsilon$ …",
    "So the first …",
)
@over(size=[1e-3, 0.4, 1e6, 1e15], sign=[1, -1])
def test_the_first_step(size, sign):
    step, delta = -sign * first_step(sign * size), 1e-7 / np.sqrt(1 - 0.999) / size
    assert np.isclose(step, 0.1 / (1 + delta), 1e-5) and np.isclose(step, 0.1, 5e-3)
    assert abs(first_step(1e-8)) < 0.001  # far below the bound it is not


@says(
    "Adam keeps two …",
    "Here $g$ is …",
    "Both averages start …",
    "After one step …",
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
    "In float64, NumPy …",
    "But Keras computes …",
    "With the nearest …",
    "The bias correction …",
    "The second program …",
    "The program computes …",
    "Neither number is …",
    "After the first …",
    "Adam's steps by …",
)
def test_two_precisions():
    keras, single, double = (
        trace("adam.py")[0].numbers[1:2],
        *[trace("adam.py")[0].numbers] * 2,
    )
    step, keras, _, single, _, double = trace("adam.py")[0].numbers
    assert (step, keras, single, double) == (0, -0.90000147, -0.90000147, -0.9000008)
    rounded = 1 - float(np.float32(0.999))
    assert f"{rounded:.8g}" == "0.00099998713" and round(rounded, 3) == 0.001
    shorter = 0.1 * (1 - np.sqrt(rounded / 0.001))
    assert round(shorter * 1e7) == 6 and np.isclose(double - keras, shorter, 0.1)
    assert tf.keras.optimizers.Adam(0.1).learning_rate.dtype == "float32"


@says(
    "TensorFlow 2.21 with …",
)
def test_the_old_run():
    assert trace("adam.py")[-1].numbers[0] == 90
    last = trace("adam.py")[-1].numbers[1:][::2]
    off = [
        abs(0.990113616 / each - 1)
        for each in trace("adam.py")[-1].numbers
        if 0 < each < 1
    ]
    assert (
        last and min(off) > 5e-6 and 1e-5 < off[0] < 1e-4 and round(off[0] * 1e5) == 2
    )
    assert min(abs(-0.89999783 - x) for x in trace("adam.py")[0].numbers) > 1e-6
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
    "The next decorated …",
    "This variable needs …",
    "TensorFlow raises the …",
    "If the function …",
    "Otherwise TensorFlow raises …",
    "Deliberately wrong: the …",
    was="'captures': if only grad reads the variable, no error",
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
    accepts = tf.custom_gradient(
        lambda x: (weight * x, lambda u, variables=None: (u, [u] * len(variables)))
    )
    assert raised(accepts, tf.constant(3.0)) is None
    only_grad = tf.custom_gradient(lambda x: (2.0 * x, lambda u: weight * u))
    assert raised(only_grad, tf.constant(3.0)) is None


@says(
    "There are two …",
    "Decorate a function …",
    "In `training.py`, the …",
    "Write a `grad` …",
    "Such a `grad` …",
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
    sign = program("training.py").sign
    with tf.GradientTape() as tape:
        y = (tf.function(sign) if mode is AROUND else sign)(a * 0.5)
    assert same(tape.gradient(y, a), 0.5 * slope(first / 2), 1e-5)
    assert "x = tf.Variable(-1.0)" in source("training.py")
    assert "y = sign(x)" in source("training.py")


@says(
    "A step of …",
    "From −1, the …",
    "From −3, it …",
    "Adam's first step is …",
    "Gradient descent has …",
    "No step is …",
    "With Adam, $x$ …",
    "With the start …",
    "Each run ends …",
    "Solution: gradient descent …",
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
    assert adam_3.numbers[0] == -3 and adam_3.numbers[-1] > 1


@says(
    "The next program …",
    "The column `autodiff` …",
    "This function returns …",
    "The column `differences` …",
    "All three gradients …",
    "The gradient of the loss against …",
    "The value of …",
    "The differential of the …",
    "The differential of sign …",
)
def test_the_check():
    for x, loss, rule, *others in (line.numbers for line in trace("check.py")[1:]):
        assert (
            others == [rule, rule]
            and len([rule, *others]) == 3
            and loss == 0.5 * (np.sign(x) - 1) ** 2
        )
    assert same(EAGER.gradient(tf.sign, -1.0), 0.0)
    assert same(EAGER.gradient(program("check.py").shifted, -1.0), slope(1), 1e-5)
    assert same(program("check.py").shifted(tf.constant(-1.0)), -1.0)


@says(
    "For the squared …",
    "For sign, we …",
    "So the result …",
)
@over(x=numbers(-9, -1e-3))
def test_the_gradient_that_training_follows(x):
    loss = lambda t: 0.5 * (np.sign(t) - 1) ** 2  # noqa: E731
    assert loss(x + 1e-4) - loss(x - 1e-4) == 0 != -2 * slope(x)
    assert same(
        EAGER.gradient(lambda y: 0.5 * (y - 1) ** 2, x), np.float32(x) - 1, 1e-6
    )


@says("The variable is …", "At $x = 2$ the …", "Predict: a start …")
def test_a_start_on_the_right_side():
    assert crossing(tf.keras.optimizers.Adam(0.1), 2.0, 100) == [2] * 100


@says(
    "Adam's first step stays …", "The first step of gradient …", "Predict: a larger …"
)
def test_a_larger_loss():
    gradient = tf.constant(-0.393223882 * 100)
    adam, sgd = tf.Variable(-1.0), tf.Variable(-1.0)
    tf.keras.optimizers.Adam(0.1).apply([gradient], [adam])
    tf.keras.optimizers.SGD(0.1).apply([gradient], [sgd])
    assert round(float(adam.numpy()) + 1, 4) == 0.1
    assert round(float(sgd.numpy()) + 1, 2) == 3.93
    assert round(float(sgd.numpy()), 2) == 2.93
    assert np.isclose(float(sgd.numpy()) + 1, 100 * 0.0393223882)


@says(
    "The picture shows the …",
    "In the shaded part, …",
    "Adam crosses 0 from …",
    "From −6, gradient descent …",
    "The wider the …",
    "x over 100 steps, …",
    "Adam: from −1 and …",
    "Gradient descent: from −1, …",
    "Adam and gradient descent …",
)
def test_the_figure():
    panels = drawn("figure.py")[0].axes
    assert len(panels) == 2
    paths = {
        plot.get_title(): {
            line.get_ydata()[0]: line.get_ydata() for line in plot.lines[1:]
        }
        for plot in panels
    }
    sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    for start, path in paths["gradient descent"].items():
        x = start
        for after in path:
            assert np.isclose(x, after, 1e-4, 1e-4)
            x -= 0.1 * (np.sign(x) - 1) * sigmoid(x) * (1 - sigmoid(x))
    adam = paths["Adam"]
    assert set(adam) == {-1, -6} == set(paths["gradient descent"])
    assert all(path[0] < 0 < 0.9 < path[-1] for path in adam.values())
    assert all(abs(path[-1] - path[-5]) < 0.01 for path in adam.values())
    near, far = (paths["gradient descent"][start] for start in (-1.0, -6.0))
    assert 0 < near[-1] < 0.01 and near[-1] == near[-50]
    assert len(far) - 1 == 100 and round(far[100] - far[0], 2) == 0.05
    assert round(sigmoid(-6.0) * (1 - sigmoid(-6.0)), 4) == 0.0025
    x = tf.constant([0.5, 2.0])
    loss = 0.5 * (tf.sign(x) - 1.0) ** 2
    assert all(tf.sign(x) == 1) and all(each == 0 for each in loss)
    moved, taken = [], range(100)
    recorded = source("figure.live").split("=== width = ")[1:]
    for text in recorded:
        width, x = float(text.split("\n")[0]), -6.0
        for _ in taken:
            s = sigmoid(x / width)
            x -= 0.1 * (np.sign(x) - 1) * s * (1 - s) / width
        end = text.split(f"SGD  from -6.0: after {len(taken)} steps ")[1].split()[0]
        assert np.isclose(float(end), x, 1e-4)
        moved.append(x + 6)
    assert len(taken) == 100 and moved == sorted(moved) and moved[0] > 0


history(
    "An older published …",
    "The mathematics is …",
)
definition(
    r"Then replace $\d y$ …",
    "The symbol $:=$ …",
    "A scalar goes …",
    "case — output …",
    "The factor in front of $\\d x$ …",
    "Let $x_1$ be …",
    r"For $y = \operatorname{sign}(x)$ …",
)
advice(
    "Use the button …",
    "You need to …",
    "Compare the three …",
    "Use gradient descent, …",
    "Predict the first …",
    "Then start both …",
    "Pass a trainable …",
    "Look at when …",
    "In the output, …",
    "Make two quick …",
    "Multiply the loss …",
    "Let `x` start …",
)
pointer(
    "After this lesson …",
    "This lesson is …",
    "Derive: gradient descent.",
    "The gradient of the loss through …",
)
