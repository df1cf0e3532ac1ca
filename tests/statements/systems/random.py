"""What the page on random functions says in words."""

import functools

from truth.statements.tries import *

N = 20_000


def uniform(count=N, seed=1):
    return tf.random.stateless_uniform([count], [seed, 2], 1e-7, 1.0 - 1e-7)


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


# What tf.random has.

HAVE = {
    "mean": (lambda t: tf.random.normal([N], mean=t), 1.0),
    "stddev": (lambda t: tf.random.normal([N], stddev=t) ** 2, 4.0),
    "maxval": (lambda t: tf.random.uniform([N], maxval=t), 0.5),
    "truncated": (lambda t: tf.random.truncated_normal([N], t), 1.0),
    "alpha": (lambda t: tf.random.gamma([N], t), 1.0),
    "beta": (lambda t: tf.random.gamma([N], 1.0, t), -0.25),
}


@says(
    "For a normal, …",
    "Normal, uniform, truncated …",
    "In each row of …",
    "The program compares the …",
    "Normal, uniform and …",
    "`beta` scales a …",
    "For `alpha`, the …",
    "Compare the mean of many …",
)
@over(mode=[EAGER, INSIDE, AROUND], case=HAVE)
def test_have(mode, case):
    draw, right = case
    found = mode.gradient(lambda t: tf.reduce_mean(draw(t)), 2.0)
    assert near_(found, right, 0.15)


def bits(t):
    return tf.cast(tf.random.uniform([9]) < t / 4.0, tf.float32)


def classes(t):
    return tf.cast(tf.random.categorical(tf.stack([[0.0, t]]), 9), tf.float32)


NONE = {
    "bits": bits,
    "classes": classes,
    "binomial": lambda t: tf.random.stateless_binomial(
        [9], [1, 2], 5.0, t / 4.0, tf.float32
    ),
    "stateless_poisson": lambda t: tf.random.stateless_poisson([9], [1, 2], t),
    "shuffle": lambda t: tf.random.shuffle(t * tf.ones([9])),
}


@says(
    "For a class …",
    "For a count …",
    "Counts, classes and comparisons have no gradient, …",
    "Counts, classes and comparisons have none.",
    "`tf.random.shuffle` also has …",
)
@over(mode=[EAGER, INSIDE, AROUND], name=[*NONE])
def test_none(mode, name):
    assert same(mode.gradient(NONE[name], 2.0), None)
    drawn_ = np.array(NONE[name](tf.constant(2.0)))
    assert (drawn_ == np.round(drawn_)).all()
    if name == "shuffle":
        assert {*drawn_} == {2.0}
    said = message(mode.gradient, lambda t: tf.random.poisson([9], t), 2.0)
    assert "LookupError" in said and "RandomPoissonV2" in said


# Noise first.


@says(
    "Write the sample …",
    "The noise is then …",
    "The noise is one …",
    "If the sample is …",
    "The gradient function needs …",
    "The type is …",
    "With this loss, …",
    r"The gradient $\downstream{\bar \mu}$ …",
    "With the same …",
    "A normal sample with …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], mu=[0.0, -3.0], sigma=[0.5, 2.0])
def test_noise_first(mode, mu, sigma):
    epsilon = tf.random.stateless_normal([4], seed=[1, 2])
    sample = program("normal.py").sample
    mu, sigma = tf.fill([4], mu), tf.fill([4], sigma)

    def built_in(mu, sigma):
        return tf.random.stateless_normal([4], [1, 2], mu, sigma) ** 2

    z = sample(mu, sigma, epsilon)
    to_mu, to_sigma, to_noise = mode.gradients(
        lambda *given: sample(*given) ** 2, mu, sigma, epsilon
    )
    assert near_(to_mu, 2 * z, 1e-4) and near_(to_sigma, 2 * z * epsilon, 1e-4)
    assert near_(to_noise, 2 * z * sigma, 1e-4)
    assert near_(z**2, built_in(mu, sigma), 1e-4)
    own = mode.gradients(built_in, mu, sigma)
    assert near_([to_mu, to_sigma], own, 1e-3) == (mode is not XLA)
    lines = trace("normal.py")
    upstream = lines.line("upstream").numbers[:4]
    assert near_(upstream, 2 * np.array(lines.line("z =")["z"]), 1e-5)


# The score function.

COSTS = {"two numbers": lambda z: 0.2025 + 0.1 * z, "a kink": lambda z: abs(3 * z - 1)}


@says(
    "A bit $z$ …",
    "The cost is $f_1$ …",
    r"In these formulas, $\sigma$ …",
    r"If $\theta$ changes, …",
    "But the mean …",
    "The score-function estimator multiplies the cost …",
    "This derivative of …",
    "If the cost doesn't …",
    "The derivative of a probability …",
    "For the bit …",
    "You may subtract …",
    "The mean $s$ of …",
    "The variance $v$ of …",
    "The variance depends …",
)
@over(f=COSTS, p=[0.1, 0.5, 0.9], b=[-10.0, 0.0, 0.3])
def test_score(f, p, b):
    mean, variance, slope = exactly(f, p, lambda z: (f(z) - b) * (z - p))
    assert near_(mean, slope, 1e-12)
    other = exactly(f, p, lambda z: (f(z) - b - 1) * (z - p))[1]
    assert abs(variance - other) > 1e-3
    for z in (0.0, 1.0):
        found = EAGER.gradient(
            lambda theta, z=z: program("score.py").log_likelihood(theta, z, 1.0),
            np.float32(logit(p)),
        )
        assert near_(found, z - p, 1e-5)
    theta, step = logit(p), 1e-5

    def cost(theta):
        p = 1 / (1 + np.exp(-theta))
        return (1 - p) * f(0.0) + p * f(1.0)

    assert near_((cost(theta + step) - cost(theta - step)) / step / 2, slope, 1e-6)
    u = np.array(uniform(200))
    for step, flips in ((1e-7, False), (0.09, True)):
        moved = 1.0 * (u < p + step) - (u < p)
        assert {*moved} == ({0.0, 1.0} if flips else {0.0})


@says(
    "The gradient function never …",
    "So the cost …",
    "Without a custom …",
    "This product has …",
)
@over(mode=MODES, cost=[-7.0])
def test_scored(mode, cost):
    scored = program("score.py").scored
    theta, z = [0.5, -1.0], tf.constant([1.0, 0.0])
    given = tf.constant(np.full(2, cost, np.float32))

    def surrogate(theta):
        log_p = -tf.nn.sigmoid_cross_entropy_with_logits(z, theta)
        return tf.stop_gradient(given) * log_p

    found = mode.gradient(lambda theta: scored(theta, z, given), theta)
    assert near_(found, mode.gradient(surrogate, theta), 1e-5)
    to_cost = EAGER.gradients(lambda t, c: scored(t, z, c), theta, given)[1]
    assert to_cost is None


@says(
    "With all four …",
    "The baseline −10, in …",
    "The printed mean …",
    "The program tries four …",
    "The first is …",
    "The mean cost …",
    "For one bit, the best …",
    "The best baseline …",
    "The score-function estimator for …",
    "the costs of …",
)
def test_baselines():
    rows, defined = trace("score.py"), program("score.py")
    assert len(rows) == 4
    for row in rows:
        assert near_(row["v"], row.numbers[-2], 0.02 * row["v"] + 1e-5)
    higher, none, mean, best = (each["v"] for each in rows)
    found, exact = rows[0].numbers[-4:-2]
    assert round(found - exact, 3) == 0.003
    assert round((higher / defined.N) ** 0.5, 2) == 0.01
    assert 1950 < higher / none < 2050 and mean < none / 20 and best == 0
    for row, v in zip(rows, (higher, none, mean, best)):
        found, exact = row.numbers[-4:-2]
        assert abs(found - exact) <= 4 * (v / 200_000) ** 0.5 + 1e-5
    for p in (0.2, 0.7):
        b = (1 - p) * defined.f[1] + p * defined.f[0]
        assert near_(defined.variance(p, b), 0.0, 1e-12)


@says(
    "For a normal sample, …",
    "In this example, …",
    "The score-function estimator multiplies the whole …",
    "The variance of reparameterization …",
    "The means of …",
    "Compare the two variances …",
    "By the moments …",
    "The derivative of the mean cost of a …",
)
@over(d=[1, 2, 4, 30])
def test_both(d):
    epsilon = np.random.default_rng(0).normal(size=(200_000, d))
    z = 1 + epsilon
    score = (z**2).sum(1) * epsilon[:, 0]
    v = program("both.py").variance(d)
    assert near_([score.mean(), 2 * z[:, 0].mean()], 2, 4 * (v / 200_000) ** 0.5)
    assert near_(score.var(), v, 0.06 * v) and near_((2 * z[:, 0]).var(), 4, 0.1)
    for row in trace("both.py"):
        measured, formula = row.numbers[-2:]
        assert near_(row["reparameterization"], 2, 0.05)
        assert near_(measured, formula, 0.05 * formula)


@says(
    "Under XLA, the …",
)
@over(alg=["auto_select", "philox"])
def test_the_numbers_of_a_seed(alg):
    def draw():
        return tf.random.stateless_normal([3], [1, 2], alg=alg)

    compiled = tf.function(draw, jit_compile=True)()
    assert same(draw(), tf.function(draw)())
    assert same(draw(), compiled, 1e-5) == (alg == "philox")


# The check.


@says(
    "The program compares estimators …",
    "The score-function estimator is …",
    "The other estimators …",
    "Compare four estimators …",
)
def test_the_check():
    lines = trace("check.py")
    assert len(lines) == 8 and {line.numbers[0] for line in lines} == {1.0, -0.5}
    for line in lines:
        off = abs(line.numbers[-1])
        assert off < 4 if "score function" in line.text else off > 10


# Noise and recomputation.

generator = tf.random.Generator.from_seed(1)
NOISE = {
    "stateful": (lambda: tf.random.normal([4]), False, False),
    "seed": (lambda: tf.random.normal([4], seed=7), False, True),
    "generator": (lambda: generator.normal([4]), False, False),
    "stateless": (lambda: tf.random.stateless_normal([4], [1, 2]), True, True),
}


def again(noise):
    """Whether both runs of a recomputed block multiply by the same."""

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.recompute_grad(lambda x: x * noise())(x)
        return y, tape.gradient(y, x)

    return both


@says(
    "`tf.recompute_grad` runs a …",
    "A block that …",
    "Stateful operations and …",
    "There is one …",
    "The reason is …",
    "The numbers of …",
    "Does a recomputed …",
    "no warning on …",
)
@over(name=[*NOISE], calls=[1, 3])
def test_noise_again(name, calls):
    noise, eager, graph = NOISE[name]
    x, runs = tf.ones([4]), []
    for wrap, expected in (
        (lambda f: f, eager),
        (tf.function, graph),
        (functools.partial(tf.function, jit_compile=True), eager),
    ):
        run = wrap(again(lambda: runs.append(1) or noise()))
        for _ in range(calls):
            before = len(runs)
            y, slope = run(x)
            assert near_(y, slope, 1e-6) == expected
            if wrap is not tf.function and not runs[before:]:
                continue
            assert len(runs) - before in (0, 2)
    if name == "stateless":
        one = tf.random.stateless_normal([4], [1, 2])
        tf.random.set_seed(9)
        assert same(one, noise()) and not same(
            one, tf.random.stateless_normal([4], [1, 3])
        )


# Where it breaks.


@says(
    "The fix is `tf.stop_gradient` …",
    "Without `tf.stop_gradient`, the …",
    "In this estimator, …",
    "For a shifted …",
    "Deliberately wrong: the …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], mu=[1.0, -2.0])
def test_stopped(mode, mu):
    epsilon = tf.random.stateless_normal([N], [1, 2])

    def loss(stop):
        def mean(mu):
            z = stop(mu + epsilon)
            return tf.reduce_mean(tf.stop_gradient(z**2) * -0.5 * (z - mu) ** 2)

        return mean

    assert near_(mode.gradient(loss(tf.identity), mu), 0.0, 1e-4)
    assert near_(mode.gradient(loss(tf.stop_gradient), mu), 2 * mu, 0.3)


@says(
    "The fix is to …",
    "Use a baseline …",
    "If the baseline …",
    "Deliberately wrong: a …",
    "two samples each",
)
@over(p=[0.2, 0.5, 0.9], f=COSTS)
def test_baseline(p, f):
    both = {1.0: p, 0.0: 1 - p}

    def mean(baseline):
        return sum(
            both[z] * both[other] * (f(z) - baseline(f(z), f(other))) * (z - p)
            for z in both
            for other in both
        )

    slope = p * (1 - p) * (f(1.0) - f(0.0))
    assert near_(mean(lambda own, other: (own + other) / 2), slope / 2, 1e-12)
    assert near_(mean(lambda own, other: other), slope, 1e-12)
    assert near_(mean(lambda own, other: np.sin(other)), slope, 1e-12)


# Which estimator when.


@says(
    "a normal, uniform …",
    "one of few …",
    "a bit, class …",
    "With few outcomes, …",
    "Averaging over more …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], f=COSTS, start=[-2.0, 0.5])
def test_which_estimator(mode, f, start):
    def mean(theta):
        p = tf.sigmoid(theta)
        return (1.0 - p) * float(f(0.0)) + p * float(f(1.0))

    p = 1 / (1 + np.exp(-start))
    exact = p * (1 - p) * (f(1.0) - f(0.0))
    assert near_(mode.gradient(mean, start), exact, 1e-5 + 1e-5 * abs(exact))
    scores = np.array([f(0.0) * (0 - p), f(1.0) * (1 - p)])
    assert near_(scores @ [1 - p, p], exact, 1e-9 + 1e-9 * abs(exact))
    reparameterized, score = ([], [])
    for row in trace("both.py"):
        reparameterized.append(row.numbers[2])
        score.append(row.numbers[-2])
    assert max(reparameterized) < 5 < min(score)


# Noise.


def noisy_gradient(mode, seed, x=None):
    noisy = program("noise.py").noisy
    x = tf.ones([3]) if x is None else x
    return mode.gradients(lambda x, seed: tf.reduce_sum(noisy(x, seed) ** 2), x, seed)


@says(
    "Use an identity …",
    "`tf.random.stateless_normal` keeps …",
    "So the caller …",
    "However, XLA draws …",
    "`grad` returns `None` …",
    "Noise on the gradient: …",
    was="'in a graph as well': under XLA the numbers are others",
)
@over(mode=MODES)
def test_noise(mode):
    one, again = (noisy_gradient(mode, tf.constant([7, 0])) for _ in range(2))
    other = noisy_gradient(EAGER, tf.constant([7, 1]))
    assert same(one[0], again[0]) and not same(one[0], other[0]) and one[1] is None
    eager = noisy_gradient(EAGER, tf.constant([7, 0]))[0]
    assert same(one[0], eager, 1e-5) == (mode not in (XLA, AROUND_XLA))


@says("The forward pass returns …")
@over(mode=MODES, x=numbers())
def test_returning_the_input(mode, x):
    itself = tf.custom_gradient(lambda x: (x, lambda upstream: 5.0 * upstream))
    copied = tf.custom_gradient(
        lambda x: (tf.identity(x), lambda upstream: 5.0 * upstream)
    )
    assert mode.gradient(itself, x) == mode.gradient(copied, x) == 5
    assert same(itself(tf.constant(x)), copied(tf.constant(x)))


@says(
    "The mean over …",
    "In a single step, …",
)
def test_the_mean_of_the_noise():
    lines = trace("noise.py")
    steps = [line["dL/dx"] for line in lines[:3]]
    mean, deviation = lines[3].numbers[1:], lines[4].numbers
    assert np.allclose(mean, [2, 4, 6], atol=3 * max(deviation) / np.sqrt(2000))
    assert all(abs(a - b) > 0.01 for step in steps for a, b in zip(step, [2, 4, 6]))


# The exercise.


@says(
    "Let `z = …",
    "$z = 1$, so …",
    "The gradient with respect to `mu` …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_one_sample(mode):
    epsilon = -1.0
    gradients = mode.gradients(lambda mu, sigma: (mu + sigma * epsilon) ** 2, 3.0, 2.0)
    z = 3 + 2 * epsilon
    assert z == 1 and 2 * z == 2 and gradients == [2, 2 * -1]


@says(
    "A bit is 1 with probability 0.5, …",
    "The cost is 3 …",
    "The derivative is $0.5 …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_a_fair_coin(mode):
    def mean(theta):
        p = tf.sigmoid(theta)
        return (1.0 - p) * 1.0 + p * 3.0

    p, found = 0.5, mode.gradient(mean, 0.0)
    assert same(found, 0.5, 1e-6) and p * (1 - p) == 0.25 and 3 - 1 == 2
    assert p * p * (3 - 1) == 0.5


@says(
    "If $u$ is …",
    "A sample of …",
    "Each mean agrees …",
)
@over(rate=[0.5, 2.0])
def test_exponential(rate):
    exponential, u = program("solution.py").exponential, uniform()
    z = exponential(tf.fill([N], rate), u).numpy()
    for t in (0.1, 1.0, 3.0):
        assert near_(np.mean(z > t), np.exp(-rate * t), 0.02)
    slope = EAGER.gradient(lambda r: exponential(r, u), tf.fill([N], rate))
    assert near_(np.mean(slope), -1 / rate**2, 0.1 / rate**2)
    for line in trace("solution.py")[-2:]:
        found, exact = line.numbers[-2:]
        assert 100 * abs(found / exact - 1) <= 1


definition(
    "Each sample gives …",
    "The variance measures …",
    "You want the …",
    "The bias of …",
    "All arrays have …",
)
pointer(
    "For a bit or …",
    "On this page …",
    "The catalogue of …",
    "If the cost of a bit …",
    "The page about discrete samples compares …",
    "The page about discrete samples explains …",
)
advice(
    "You need the …",
    "So draw the …",
    "Derive the gradient …",
)
pointer(
    "Look for `None`:",
    "The program draws …",
    "In the last …",
    "Compare the variances …",
    "Look for `False`:",
    "Look at the last …",
    "The program tests …",
    "Make two quick …",
    "Predict: the gradient …",
    "Predict: a fair …",
    "Derive: an exponential …",
    "You sample — Use …",
    "With many outcomes …",
)
history("Adding noise to …")
advice("After this page …", "Otherwise, sum over …", "If there are many, …")
