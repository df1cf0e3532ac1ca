"""What the page on discrete samples says in words."""

from truth.statements.tries import *

N = 20_000


def near_(one, other, within):
    return np.allclose(one, other, rtol=0, atol=within)


def exactly(f, p, estimate):
    """The mean of an estimate over both bits, its variance, and the exact slope."""
    one, zero = estimate(1.0), estimate(0.0)
    mean = p * one + (1 - p) * zero
    variance = p * one**2 + (1 - p) * zero**2 - mean**2
    return mean, variance, p * (1 - p) * (f(1.0) - f(0.0))


def logit(p):
    return np.log(p / (1 - p))


# Straight through.


@says(
    "The exact derivative …",
    "A bit is 1 with probability $p$, …",
    "The forward pass samples …",
    "The backward pass treats …",
    "With the cost …",
    r"The error $\delta$ …",
    "For a cost of …",
    "The column `two lines` …",
    "For a cost that …",
    "The straight-through estimator for …",
)
@over(mode=[EAGER, INSIDE, AROUND], p=[0.1, 0.5, 0.8], c=[0.45, -2.0])
def test_through(mode, p, c):
    defined = program("through.py")
    theta = np.full(2, logit(p), np.float32)
    for estimator in (defined.bit, defined.two_lines):
        z = estimator(tf.constant(theta), tf.constant([0.0, 1.0]))
        assert near_(z, [1.0, 0.0], 1e-6)
        found = mode.gradient(
            lambda theta, e=estimator: (e(theta, tf.constant([0.0, 1.0])) - c) ** 2,
            theta,
        )
        assert near_(found, p * (1 - p) * 2 * (np.array([1.0, 0.0]) - c), 1e-4)
    mean, _, exact = exactly(
        lambda z: (z - c) ** 2, p, lambda z: p * (1 - p) * 2 * (z - c)
    )
    assert near_(mean - exact, defined.bias(p), 1e-12)
    assert (abs(mean - exact) < 1e-9) == (p == 0.5)
    mean, _, exact = exactly(lambda z: c * z + 1, p, lambda z: p * (1 - p) * c)
    assert near_(mean, exact, 1e-12)


# Gumbel.


def gumbel(count):
    u = tf.random.stateless_uniform([count, 3], [5, 6], 1e-7, 1.0 - 1e-7)
    return -tf.math.log(-tf.math.log(u))


@says("The index of …", "The program confirms this by counting.")
@over(theta=[[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [-1.0, 3.0, 0.5]])
def test_gumbel_max(theta):
    theta = tf.constant(theta)
    found = np.bincount(tf.argmax(theta + gumbel(50_000), -1), minlength=3) / 50_000
    assert near_(found, tf.nn.softmax(theta), 0.01)


@says(
    "If you replace …",
    "Gumbel-softmax: a relaxed …",
)
@over(mode=[EAGER, INSIDE, XLA], tau=[0.1, 5.0])
def test_gumbel_rule(mode, tau):
    theta, g = tf.random.stateless_normal([4, 3], [1, 2]), gumbel(4)
    weights = tf.range(12.0)

    def loss(sample):
        return lambda theta: tf.reduce_sum(
            tf.reshape(sample(theta, g), [-1]) ** 2 * weights
        )

    rule = mode.gradient(loss(program("gumbel.py").relaxed(tau)), theta)
    own = mode.gradient(loss(lambda t, g: tf.nn.softmax((t + g) / tau)), theta)
    hard = mode.gradient(
        lambda t: tf.one_hot(tf.argmax(t + g, -1), 3), theta, tf.reduce_sum
    )
    assert np.allclose(rule, own, 1e-3, 1e-4) and hard is None


@says(
    "The cost is …",
    "For a true class, …",
    "Here, a lower …",
)
@over(theta=[[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]])
def test_temperature(theta):
    p, found = tf.nn.softmax(theta).numpy(), []
    exact = p * (np.array([0.0, 0.0, 1.0]) - p[2])
    x = tf.constant(theta) + tf.zeros([N, 3])
    for tau in (0.1, 1.0, 5.0):
        sample = program("gumbel.py").relaxed(tau)
        each = EAGER.gradient(lambda x, s=sample: s(x, gumbel(N))[:, 2], x)
        mean, deviation = np.mean(each, 0), np.std(each[:, 2])
        found.append((np.abs(mean - exact).max(), deviation))
    lines = [each for each in trace("gumbel.py") if each.text.startswith("tau")]
    printed = [each.numbers[-4:] for each in lines]
    right = trace("gumbel.py")[-1].numbers
    biases = [np.abs(np.subtract(each[:3], right)).max() for each in printed]
    assert biases == sorted(biases, reverse=True) and len(biases) == 3
    deviations = [each[3] for each in printed]
    assert deviations == sorted(deviations)
    (small, high), (middle, _), (large, low) = found
    assert small < middle < large and high > found[1][1] > low


# The figure.


@says(
    "The figure compares …",
    "With other costs, …",
    "No estimator is …",
    "The *relaxed bit* is …",
    "For this bit, …",
    "Two plots over …",
    "Left, the bias: …",
    "Right, the standard …",
    "Bias and deviation …",
    "The program that …",
    "difference of two Gumbels",
)
def test_the_figure():
    axes = drawn("figure.py")[0].axes
    left, right = (
        {line.get_label(): np.array(line.get_ydata()) for line in plot.lines}
        for plot in axes
    )
    taus = [*axes[0].lines[0].get_xdata()]
    assert taus == [2.0**i for i in range(-5, 4)] and len(left) == len(right) == 3
    through, score = left["straight through"], left["score function"]
    assert near_(through, 0.09, 0.005) and near_(score, 0.0, 0.001)
    assert (through > left["relaxed"]).all() and (through > score).all()
    top = left["relaxed"].argmax()
    assert taus[top] == 0.5 and near_(left["relaxed"][top], 0.03, 0.005)
    assert left["relaxed"][0] < 0.01 > left["relaxed"][taus.index(2.0)]
    steps = np.diff(left["relaxed"])
    assert steps.min() < 0 < steps.max()  # the bias rises, and it falls
    soft = right["relaxed"]
    for one, zero in ((0.3, -1.2), (-2.0, 0.7)):  # two Gumbels
        two = tf.nn.softmax(np.array([1.0 + one, zero]) / 0.5)
        bit = tf.sigmoid((1.0 + one - zero) / 0.5)
        assert near_(two[0], bit, 1e-6) and 0 < bit < 1
    assert (np.diff(soft) < 0).all() and near_(soft[[0, -1]], [0.47, 0.0], 0.005)
    assert [*(soft < right["score function"])] == [tau >= 1 for tau in taus]


# Which estimator when.


def straight(p, c):
    """The straight-through estimate for the cost (z - c)^2, by the bit."""
    return lambda z: p * (1 - p) * 2 * (z - c)


@says(
    "a bit, and …",
    "a class, and …",
    "The straight-through estimator can …",
    "A run below …",
    "Averaging over more …",
    "The straight-through estimator uses …",
    "Both can have …",
)
@over(theta=[-2.0, 1.0, 2.0])
def test_which_estimator(theta):
    p, c = 1 / (1 + np.exp(-theta)), 0.45
    mean, variance, exact = exactly(lambda z: (z - c) ** 2, p, straight(p, c))
    line = trace("through.py").line(f"theta {theta:4.1f}").numbers
    assert near_([mean, exact], [line[1], line[3]], 2e-4)
    assert abs(mean - exact) > 0.05 and variance > 0
    # averaged over pairs of samples: half the variance, the same bias
    pairs = [
        (p if one else 1 - p) * (p if two else 1 - p)
        for one in (0, 1)
        for two in (0, 1)
    ]
    each = [
        (straight(p, c)(one) + straight(p, c)(two)) / 2
        for one in (0, 1)
        for two in (0, 1)
    ]
    averaged = np.dot(pairs, each)
    assert near_(averaged, mean, 1e-12)
    assert near_(np.dot(pairs, np.square(each)) - averaged**2, variance / 2, 1e-12)
    first = trace("through.py")[0].numbers
    assert first[1] == first[2] == -0.0696 and first[3] == 0.0105
    small, large = trace("gumbel.py")[-2], trace("gumbel.py")[-4]
    assert small.numbers[-1] > 100 * large.numbers[-1]
    *_, scored, through = (row.numbers[-1] for row in trace("figure.py"))
    assert through == 0.175 > scored == 0.102


@says("TensorFlow's own gradient …", "After this page …")
@over(mode=[EAGER, INSIDE, AROUND])
def test_no_gradient(mode):
    def bits(t):
        return tf.cast(tf.random.uniform([9]) < tf.sigmoid(t), tf.float32)

    def classes(t):
        logits = tf.stack([[0.0, t]])
        return tf.cast(tf.random.categorical(logits, 9), tf.float32)

    assert mode.gradient(bits, 0.5) is None and mode.gradient(classes, 0.5) is None


@says(
    "In the program, `stop(hard) …",
    "Its forward pass …",
    "Without noise, you …",
    "The elements of …",
    "So the estimates …",
    "A one-hot sample …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], theta=[[0.0, 1.0, 2.0], [3.0, -1.0, 0.5]])
def test_one_hot(mode, theta):
    one_hot, cost = program("one_hot.py").one_hot, tf.constant([1.0, 2.0, 4.0])
    g = tf.constant([0.3, 1.9, -0.2])
    for noise in (g, tf.zeros([3])):
        z = one_hot(tf.constant(theta), noise)
        assert same(z, tf.one_hot(tf.argmax(theta + noise), 3))
        assert set(z.numpy()) == {0, 1}
        found = mode.gradient(
            lambda t, e=noise: tf.reduce_sum(cost * one_hot(t, e)), theta
        )
        soft = mode.gradient(
            lambda t, e=noise: tf.reduce_sum(cost * tf.nn.softmax(t + e)), theta
        )
        assert np.allclose(found, soft, 1e-5, 1e-6)
    u = np.random.default_rng(0).uniform(1e-12, 1, [20_000, 3]).astype(np.float32)
    many = tf.constant(-np.log(-np.log(u)))
    each = EAGER.gradient(
        lambda t: tf.reduce_sum(cost * one_hot(t + tf.zeros_like(many), many)), theta
    )
    exact = EAGER.gradient(lambda t: tf.reduce_sum(cost * tf.nn.softmax(t)), theta)
    assert np.max(abs(each / 20_000 - exact)) > 0.02
    for line in trace("one_hot.py"):
        assert line.text.endswith("True")


# The exercises.


@says(
    "A bit is 1 with probability 0.5, …",
    "The sample is …",
    "What is the …",
    "The upstream gradient is …",
    "So the estimate is 0.375.",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_one_estimate(mode):
    bit, p, c = program("through.py").bit, 0.5, 0.25
    u = tf.constant([0.1])
    assert same(bit(tf.zeros([1]), u), [1.0]) and same(tf.sigmoid(0.0), 0.5)
    found = mode.gradient(lambda theta: (bit(theta, u) - c) ** 2, [0.0])
    assert found == 0.375 and 2 * (1 - c) == 1.5 and p * (1 - p) == 0.25
    assert 1.5 * 0.25 == 0.375


@says(
    "The bit is now …",
    "By how much …",
    "The error is …",
    "It doesn't depend …",
)
@over(c=[0.25, 0.0, -2.0, 3.0])
def test_the_error(c):
    p = 0.8
    for at in (0.25, c):
        mean, _, exact = exactly(lambda z, at=at: (z - at) ** 2, p, straight(p, at))
        assert same(mean - exact, 0.096, 1e-9)
    assert same(0.8 * (1 - 0.8) * (2 * 0.8 - 1), 0.096, 1e-9)
    assert same(program("through.py").bias(p), 0.096, 1e-9)


definition(
    "The score-function estimator has …",
    "The bias of …",
    "You want the …",
    "The bias of …",
)
pointer(
    "On this page …",
    "For rounding instead …",
    "The catalogue of …",
    "Let $g$ be …",
    "Another program compares …",
    "The score-function estimator is one …",
)
advice(
    "You need the …",
    "If there are few …",
    "If your model …",
    "Some models need …",
)
pointer(
    "Compare `mean` with `exact`, …",
    "Compare `mean` with it:",
    "Look at `z` …",
    "Make two quick …",
    "Predict: one estimate.",
    "Predict: the error …",
    "You sample — Use …",
)
