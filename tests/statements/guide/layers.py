"""What the page on the gradients of layers says in words."""

import re
import warnings
from pathlib import Path

from truth.statements.tries import *

PAGE = (Path(__file__).parents[3] / "docs/guide/layers.md").read_text("utf-8")
SEEDS = st.integers(0, 10**6)
FEW = [EAGER, AROUND, XLA]


def normal(seed, *shapes):
    draw = np.random.default_rng(seed)
    return [tf.constant(draw.standard_normal(shape)) for shape in shapes]


def pairing(F, G):
    return np.sum(np.asarray(F) * np.asarray(G))


def slope(function, x, direction, step=1e-6):
    """Of a function, along a direction, by central differences."""
    up, down = (function(x + sign * step * direction) for sign in (1, -1))
    return (up - down) / (2 * step)


def close(one, other, within=1e-6):
    return np.shape(one) == np.shape(other) and np.allclose(
        one, other, within, within, equal_nan=True
    )


# Softmax and cross-entropy.

LOGITS = arrays((4,), numbers(-30, 30))


@says(
    r"softmax, $p = \operatorname{softmax}(z)$ …",
    "Each output is …",
    "Start from the …",
    "The derivative of $\\operatorname{logsumexp}(z)$ with respect to $z_j …",
    r"So $\frac{\d p_i}{p_i} …",
    r"The derivative of $\operatorname{logsumexp}(z)$ with respect to $z_i$ …",
    "Then exchange the …",
    "It subtracts the …",
    "The Jacobian has …",
)
@over(mode=[EAGER], z=LOGITS, seed=SEEDS)
def test_softmax(mode, z, seed):
    z = tf.cast(z, tf.float64)
    U, V = normal(seed, [4], [4])
    p = tf.nn.softmax(z)
    assert close(p, np.exp(z) / np.sum(np.exp(z)))
    shared = z - np.log(p)
    assert close(shared, shared[0] * np.ones(4))
    change = slope(tf.reduce_logsumexp, z, V)
    assert close(change, np.sum(p * V)) and close(
        slope(tf.nn.softmax, z, V), p * (V - np.sum(p * V))
    )
    found = mode.gradient(lambda z: U * tf.nn.softmax(z), z)
    assert close(found, p * (U - np.sum(U * p)))
    jacobian = np.diag(p) - np.outer(p, p)
    assert jacobian.shape == (4, 4) and close(found, np.asarray(U) @ jacobian)


@says(
    "For softmax with …",
    "cross-entropy of softmax …",
    "The labels $t$ …",
    "Compute $y$ with …",
    "Only the logits …",
    "So the derivative of …",
    "The upstream gradient is a scalar:",
    "Labels that are …",
    "The gradient is then …",
    "For other labels, …",
)
@over(mode=[EAGER], z=arrays((3,), numbers(-1e30, 1e30)), seed=SEEDS)
def test_cross_entropy(mode, z, seed):
    def loss(z, t):
        return tf.reduce_sum(t) * tf.reduce_logsumexp(z) - tf.reduce_sum(t * z)

    z = tf.cast(z, tf.float64)
    t = tf.abs(normal(seed, [3])[0])
    shifted = np.exp(z - np.max(z))
    assert np.isfinite(loss(z, t)) and np.sum(shifted) >= 1  # its logarithm is taken
    small = tf.clip_by_value(z, -9.0, 9.0)
    p = tf.nn.softmax(small)
    assert close(loss(small, t), -np.sum(t * np.log(p)))
    found = mode.gradient(lambda z: 7.0 * loss(z, t), small)
    assert close(found, 7 * (p * np.sum(t) - t))
    t /= np.sum(t)
    found = mode.gradient(lambda z: 7.0 * loss(z, t), small)
    own = mode.gradient(
        lambda z: (
            7.0
            * tf.nn.softmax_cross_entropy_with_logits(
                labels=tf.stop_gradient(t), logits=z
            )
        ),
        small,
    )
    assert close(found, 7 * (p - t)) and close(own, found)


@says(
    "Use one gradient …",
    "If the logits are far …",
    "The program below …",
    "`in_a_row` uses two …",
    "`cross_entropy` has one …",
    "The labels sum to 1, so `cross_entropy` …",
    "The first logits …",
    "If the logits are 200 …",
    "The gradient of the loss …",
    "The gradient function of the softmax …",
    "Softmax and cross-entropy: …",
)
def test_two_rules_at_200():
    lines = trace("cross_entropy.py")
    assert [each.text.split(":")[0] for each in lines if each.text[0] != " "] == [
        f"{name} at [{z}, 0.0]"
        for z in ("0.0", "200.0")
        for name in ("in_a_row", "cross_entropy")
    ]
    assert lines[7].numbers == [0, -np.inf, 1, 0]  # upstream and p
    assert np.isnan(lines[8].numbers).all()
    assert lines[-1].numbers == [1, -1]
    assert tf.nn.softmax([200.0, 0.0])[1] == 0 < tf.nn.softmax([np.float64(200), 0])[1]
    assert np.isnan(0.0 * -np.inf)
    cross_entropy, t = program("cross_entropy.py").cross_entropy, [0.0, 1.0]
    assert sum(t) == 1 and same(program("cross_entropy.py").t, t)
    z, twice = tf.constant([1.0, 0.0]), tf.constant([1.0, 1.0])
    wrong = EAGER.gradient(lambda z: cross_entropy(z, twice), z)
    assert not close(wrong, 2.0 * tf.nn.softmax(z) - twice)


@says(
    "Both gradient functions …",
    "A single gradient …",
    was="'no floating-point number can hold': e^200 is a float64",
)
@over(mode=FEW, case=[(tf.float32, 200.0), (tf.float64, 800.0), (tf.float64, 200.0)])
def test_what_cannot_be_held(mode, case):
    dtype, apart = case
    z, t = tf.constant([apart, 0.0], dtype), tf.constant([0.0, 1.0], dtype)

    def in_a_row(z):
        return -tf.math.log(tf.nn.softmax(z)[1])

    def at_once(z):
        return tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)

    assert close(mode.gradient(at_once, z), [1.0, -1.0])
    held = dtype == tf.float64 and apart == 200
    assert np.isfinite(mode.gradient(in_a_row, z)).all() == held
    first, second = tf.nn.softmax(z)
    right = mode.gradient(tf.math.log, tf.constant(1e-30, dtype))  # each one alone
    assert same(right, 1e30, 1e-6) and first == 1 and (second > 0) == held
    assert np.isfinite(mode.gradient(lambda z: tf.nn.softmax(z)[1], z)).all()


@says(
    "Labels that don't …",
    "TensorFlow's cross-entropy silently …",
    "`tf.nn.softmax_cross_entropy_with_logits` accepts any …",
    "If the labels …",
)
@over(
    mode=FEW,
    t=[[0, 1, 1], [0, 0, 0], [0, 3, 0], [-1, 2, 0.5], [1e6, 0, 0], [0.2, 0.3, 0.5]],
)
def test_labels(mode, t):
    t, z = np.array(t, np.float64), np.array([1.0, 2.0, 3.0])
    p = tf.nn.softmax(z)

    def loss(z):
        return tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)

    assert close(loss(z), -np.sum(t * np.log(p)))
    assert close(mode.gradient(loss, z), p - t)
    belongs = close(p - t, p * np.sum(t) - t)
    assert belongs == (np.sum(t) == 1)


@says(
    "For example, the sum …",
    "In the second …",
    "With two labels …",
    "Gradient descent then …",
    "Deliberately wrong: TensorFlow's …",
)
def test_the_third_logit():
    lines = trace("wrong/labels.py")
    assert sum(lines[5].numbers) == 2 == lines[5].numbers.count(1)
    own, differences = lines[6].numbers[2], lines[7].numbers[2]
    assert own < 0 < differences  # a step goes against the gradient


@says(
    "TensorFlow's documentation warns …",
    "Running the code …",
)
@over(mode=[EAGER, AROUND])
def test_nothing_warns(mode):
    loss = tf.nn.softmax_cross_entropy_with_logits
    assert re.search(
        r"valid\s+probability distribution.*gradient\s+will\s+be\s+incorrect",
        loss.__doc__.replace("computation of the ", ""),
        re.DOTALL,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for labels in ([0.0, 1.0, 1.0], [0.0, -1.0, 0.0]):
            mode.gradient(lambda z: loss(labels=labels, logits=z), tf.ones([3]))


@says(
    "Scale the loss, …",
    "For several labels …",
    "Write the gradient …",
)
@over(mode=[EAGER])
def test_cures_of_the_labels(mode):
    t, z = np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])

    def several(z):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=z)

    def scaled(z):
        return 2.0 * tf.nn.softmax_cross_entropy_with_logits(labels=t / 2, logits=z)

    for loss in (several, scaled):
        for direction in np.eye(3):
            right = slope(lambda z: tf.reduce_sum(loss(z)), z, direction)
            assert close(pairing(mode.gradient(loss, z), direction), right)


# Layer normalization.


@says(
    "Mean and standard …",
    r"layer normalization, $y_{ij} = \gamma_j \, r_{ij} + \beta_j$ …",
    r"$\beta$ — $\sum_i \upstream{\bar y_{ij}}$",
    "All rows of …",
    "Use the product rule:",
    "Each deviation $c_i$ …",
    r"So $\downstream{\bar c_i}$ has …",
    "The program compares …",
    "`layer_norm` and `plain` …",
    "A gradient function …",
    "To fix it, …",
    "Layer normalization: the …",
)
@over(cases=8, mode=[EAGER, INSIDE], rows=[1, 4], seed=SEEDS)
def test_layer_norm(mode, rows, seed):
    defined = program("layer_norm.py")
    x, gamma, beta, U = normal(seed, [rows, 3], [3], [3], [rows, 3])
    found, own = (
        mode.gradients(lambda *inputs: U * function(*inputs), x, gamma, beta)
        for function in (defined.layer_norm, defined.plain)
    )
    assert all(map(close, found, own))
    c = x - np.mean(x, -1, keepdims=True)
    s = np.sqrt(np.mean(c * c, -1, keepdims=True) + defined.EPSILON)
    r = c / s
    assert close(found[1], np.sum(U * r, 0)) and close(found[2], np.sum(U, 0))
    u = U * gamma
    terms = [u, -defined.mean(u), -r * defined.mean(u * r)]
    assert len(terms) == 3 and len(terms[1:]) == 2
    assert close(found[0], sum(terms) / s) and not close(found[0], terms[0] / s)
    at_deviations = (terms[0] + terms[2]) / s
    assert close(found[0], at_deviations - defined.mean(at_deviations))


@says(
    "one normalized row, …",
    r"For $\d s$, differentiate …",
    r"If $\varepsilon$ is …",
    "Each $r_i$ depends …",
    "The forward pass subtracts …",
    "The mean of $r$ is 0, …",
    r"The mean of $\downstream{\bar c}$ is …",
    "In layer normalization, …",
)
@over(n=[2, 3, 7], seed=SEEDS)
def test_one_row(n, seed):
    x, V = normal(seed, [n], [n])
    epsilon, moved = 0.1, 0.3

    def parts(t):
        c = x + t * V - np.mean(x + t * V)
        s = np.sqrt(np.mean(c * c) + epsilon + t * moved)
        return c, s, c / s

    _, s, r = parts(0.0)
    dc, ds, dr = (np.subtract(a, b) / 2e-6 for a, b in zip(parts(1e-6), parts(-1e-6)))
    assert close(ds, np.mean(r * dc) + moved / (2 * s)) and ds != 0
    assert close(dr, (dc - r * ds) / s) and close(np.mean(r), 0.0)
    assert close(dc, V - np.mean(V)) and round(float(np.mean(r)), 9) == 0
    U = np.asarray(normal(seed + 1, [n])[0])
    second = r * np.mean(U * r)
    assert close(np.mean(second), 0.0)
    assert close(np.mean((U - second) / s), np.mean(U) / s)


@says(
    "If you add …",
    "That is why …",
    "The elements of …",
    "The sum of a normalized …",
    "Look for invariants …",
    was="'always': a constant row has a sum of NaN without ε",
)
@over(mode=[EAGER], row=arrays((2, 4), numbers(-1e3, 1e3)), added=[1.0, -300.0])
def test_invariants(mode, row, added):
    def normalize(x):
        c = x - tf.reduce_mean(x, -1, keepdims=True)
        return c / tf.sqrt(tf.reduce_mean(c * c, -1, keepdims=True) + 1e-3)

    x = tf.cast(row, tf.float64)
    assert close(normalize(x + added), normalize(x))
    found = mode.gradient(normalize, x, LOSSES["dense"])
    assert close(np.sum(found, -1), np.zeros(2), 1e-7 * (1 + np.abs(found).max()))
    assert close(np.sum(normalize(x), -1), np.zeros(2))
    assert round(float(np.sum(normalize(x))), 5) == 0
    assert close(mode.gradient(normalize, x, LOSSES["ones"]), np.zeros([2, 4]), 1e-6)


@says(
    "The second row …",
    "For the constant …",
    "Dividing by this …",
)
def test_the_constant_row():
    defined, lines = program("layer_norm.py"), trace("layer_norm.py")
    first, second = np.split(np.abs(lines[2].numbers), 2)
    assert second.min() > first.max()
    assert np.ptp(defined.x[1]) == 0 < np.ptp(defined.x[0])
    assert np.max(defined.upstream[1]) < np.max(defined.upstream[0])


@says(
    r"With $\varepsilon = 0$, …",
    "The result is …",
    was="'is NaN': seven times 0.1 in float32 give 4e8 eagerly, three times 0.1 under XLA 9e7",
)
@over(
    mode=[EAGER, INSIDE, AROUND_XLA],
    value=[-3.0, 0.0, 0.1],
    size=[3, 7],
    dtype=[tf.float32, tf.float64],
)
def test_no_spread(mode, value, size, dtype):
    x = tf.fill([1, size], tf.constant(value, dtype))
    plain = program("wrong/frozen.py").plain
    found = mode.gradient(plain, x, LOSSES["dense"])
    if value == round(value) and mode not in (XLA, AROUND_XLA):
        assert np.isnan(found).all()
    if mode is EAGER and dtype == tf.float32 and (value, size) == (0.1, 7):
        assert np.isfinite(found).all() and np.abs(found).max() > 1e8


@says(
    "Look at `normalize`:",
    "`normalize` prints 0.46291 …",
    "The program above …",
    "Deliberately wrong: a constant …",
)
def test_frozen():
    defined, lines = program("wrong/frozen.py"), trace("wrong/frozen.py")
    x = tf.constant([[1.0, 2.0, 6.0]], tf.float64)
    c = x - defined.mean(x)
    assert same(defined.normalize(x), c / tf.sqrt(defined.mean(c * c)))
    assert all(each > 0.1 for each in lines[0].numbers)
    assert lines[1].numbers == [0, 0, 0]
    assert "constant row" in lines[-1].text and np.isnan(lines[-1].numbers).all()


# Convolution.


def places(K, strides=1, padding="VALID", dilations=1, image=(3, 4)):
    """The S of a convolution: which pixel goes where."""
    height, width = K
    pixels = tf.reshape(tf.eye(image[0] * image[1], dtype=tf.float64), [-1, *image, 1])
    found = tf.image.extract_patches(
        pixels,
        [1, height, width, 1],
        [1, strides, strides, 1],
        [1, dilations, dilations, 1],
        padding,
    )
    found = tf.reshape(found, [image[0] * image[1], -1, height * width])
    return np.transpose(found, [1, 2, 0])


@says(
    "A convolution is a …",
    "A pixel may …",
    "convolution, $Y = P K$ …",
    r"pixels — $\upstream{\bar Y} \, \local{K^{\T}}$, …",
    "Each row of $P$ …",
    "$S$ is a …",
    "$S_{ijl}$ is 1 …",
    "$x$ are the …",
    "Use the product rule for matrices:",
    "A pixel gets …",
    "The last sum …",
    "`tf.nn.conv2d_transpose` computes the …",
    "The gradient agrees with the …",
    "You can also compute the first …",
    "The first pixel …",
    "At this place, …",
    "The upstream gradient of …",
    "A 2-D convolution …",
    "One row of …",
)
@over(cases=6, mode=FEW, seed=SEEDS)
def test_convolution(mode, seed):
    defined = program("conv.py")
    X, K, U = normal(seed, [1, 3, 4, 1], [2, 2, 1, 2], [1, 2, 3, 2])
    S, x = places([2, 2]), np.ravel(X)
    assert {*np.ravel(S)} == {0, 1} and np.all(np.sum(S, -1) == 1)
    P = S @ x
    columns = np.reshape(K, [4, 2])
    assert P.shape == (2 * 3, 2 * 2)
    assert close(np.reshape(defined.patches(X, 2, 2), P.shape), P)
    assert close(np.reshape(defined.conv(X, K), [6, 2]), P @ columns)
    of_X, of_K = mode.gradients(lambda X, K: U * defined.conv(X, K), X, K)
    upstream = np.reshape(U, [6, 2])
    assert close(np.reshape(of_K, [4, 2]), P.T @ upstream)
    folded = np.einsum("ijl,ij->l", S, upstream @ columns.T)
    assert close(np.ravel(of_X), folded)
    at_once = tf.nn.conv2d_transpose(U, K, X.shape, 1, "VALID")
    assert close(np.ravel(at_once), folded)
    assert np.sum(S[..., 0]) == 1 == S[0, 0, 0]
    assert [*np.ravel(defined.K)[:2]] == [*np.ravel(defined.upstream)[:2]] == [0, 1]
    assert trace("conv.py")[1].numbers[0] == 1


@says(
    "The forward pass doesn't …",
)
@over(function=[EAGER, INSIDE, XLA], seed=SEEDS)
def test_correlation(function, seed):
    X, K = normal(seed, [1, 5, 1], [3, 1, 1])
    compiled = tf.function(tf.nn.conv1d, jit_compile=function is XLA)
    conv = tf.nn.conv1d if function is EAGER else compiled
    found = np.ravel(conv(X, K, 1, "VALID"))
    assert close(found, np.correlate(np.ravel(X), np.ravel(K), "valid"))
    assert not close(found, np.convolve(np.ravel(X), np.ravel(K), "valid"))


@says(
    "In the code, `X` …",
    "The program has …",
)
@over(strides=[1, 2, 3], padding=["VALID", "SAME"], dilations=[1, 2])
def test_other_choices(strides, padding, dilations):
    defined = program("conv.py")
    height, width = defined.K.shape[:2]
    S = places([height, width])
    assert close(
        np.reshape(defined.patches(defined.X, 2, 2), [6, 4]), S @ np.ravel(defined.X)
    )
    if strides > 1 < dilations:
        return  # TensorFlow has no such convolution
    other = places([height, width], strides, padding, dilations)
    assert {*np.ravel(other)} == {0, 1}
    assert np.array_equal(S, other) == (
        (strides, padding, dilations) == (1, "VALID", 1)
    )
    Y = tf.nn.conv2d(defined.X, defined.K, strides, padding, dilations=dilations)
    assert close(
        np.ravel(Y),
        np.ravel(other @ np.ravel(defined.X) @ np.reshape(defined.K, [4, 2])),
    )


@says(
    "The gradient of the kernel …",
    "This convolution fails …",
    "You get an …",
    "The program first …",
    "The formula above …",
    "Deliberately wrong: a convolution …",
    "Exchange batch and …",
)
@over(mode=[EAGER, INSIDE, AROUND_XLA], batch=[0, 3])
def test_empty_batch(mode, batch):
    X, K = tf.random.normal([batch, 3, 4, 1]), tf.random.normal([2, 2, 1, 2])
    exchanged, patches = (program(name).conv for name in ("wrong/empty.py", "conv.py"))
    own = mode.gradients(lambda X, K: tf.nn.conv2d(X, K, 1, "VALID"), X, K)
    assert all(map(close, mode.gradients(patches, X, K), own))
    if batch:
        assert all(
            close(*pair, 1e-4) for pair in zip(mode.gradients(exchanged, X, K), own)
        )
    else:
        assert raised(mode.gradients, exchanged, X, K) is not None
        assert same(own[1], np.zeros(K.shape))
    assert same(tf.ones([4, 0]) @ tf.ones([0, 2]), np.zeros([4, 2]))


# The check, and what the reader tries.


@says(
    "This page lists …",
    "This program computes …",
    "The labels sum to 1, so the formula …",
    "To get one …",
    "The last column …",
    "The three columns …",
    "Every row of …",
    "Name, function, gradient(upstream, …",
)
@over(mode=[EAGER, INSIDE], seed=SEEDS, cases=6)
def test_each_row_has_a_run(mode, seed):
    table = PAGE.split("## In short")[1].split("!!! info")[0]
    rows = re.findall(r"^\| (\S.*?) \| ", table, re.MULTILINE)
    names = [re.match(r"\[(.*?)\]", each) for each in rows[2:]]
    names = [each[1] for each in names if each]
    lines = trace("check.py")
    shown = [re.split(r"\s{2,}|\s-", each.text)[0].strip() for each in lines[1:]]
    assert [each for each in names if each != "one normalized row"] == shown
    assert lines[0].text.split() == ["formula", "TensorFlow", "differences"]
    assert close(np.sum(program("check.py").t), 1.0)
    for line in lines[1:]:
        formula, own, differences = line.numbers[-3:]
        assert formula == own and abs(formula - differences) < 1e-4
    assert len(line.numbers) == 3
    for name, function, formula, inputs in program("check.py").rows:
        assert {each.dtype for each in (*inputs, function(*inputs))} == {tf.float64}
        inputs = normal(seed, *(each.shape for each in inputs))
        Y = function(*inputs)
        U, *V = normal(seed + 1, Y.shape, *(each.shape for each in inputs))
        found = mode.gradients(lambda *given: U * function(*given), *inputs)
        assert all(map(close, found, tf.nest.flatten(formula(U, Y, *inputs)))), name
        right = slope(
            lambda t: function(*(x + t * v for x, v in zip(inputs, V))), 0.0, 1.0
        )
        assert close(sum(map(pairing, found, V)), pairing(U, right), 1e-5), name


@says(
    "The gradient is [0.75, …",
    "The upstream gradient is $(3, 0)$, …",
    "Its elements differ …",
    "The gradient is [-1.0, …",
    "The upstream gradient is 2, …",
)
@over(mode=MODES)
def test_predictions(mode):
    z, t = tf.zeros([2]), tf.constant([1.0, 0.0])
    found = mode.gradient(lambda z: 3.0 * tf.nn.softmax(z)[0], z)
    p, upstream = tf.nn.softmax(z), np.array([3.0, 0.0])
    assert same(found, [0.75, -0.75]) and same(p, [0.5, 0.5])
    mean = np.sum(upstream * p)
    assert mean == 1.5 and same(upstream - mean, [1.5, -1.5])
    assert same(0.5 * (upstream - mean), found)

    def twice(z):
        return 2.0 * tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)

    assert same(mode.gradient(twice, z), [-1.0, 1.0]) and same(p - t, [-0.5, 0.5])


def normalized(x, y, weights):
    defined = program("solution.py")
    return weights * (defined.rms_norm(x) + defined.plain(y))


@says(
    "RMS normalization divides …",
    "The differential of $s$ …",
    "The mean of the …",
    "The gradient agrees with autodiff …",
    "RMS normalization, against …",
)
@over(mode=MODES, shape=[(3,), (2, 5)], seed=SEEDS, cases=8)
def test_rms_norm(mode, shape, seed):
    defined = program("solution.py")
    x, U, V = normal(seed, shape, shape, shape)
    found, own, _ = mode.gradients(normalized, x, x, U)
    assert close(found, own)
    assert close(pairing(found, V), pairing(U, slope(defined.plain, x, V)), 1e-5)
    s = np.sqrt(np.mean(np.square(x), -1, keepdims=True) + defined.EPSILON)
    r, mean = x / s, defined.mean
    assert close(defined.plain(x), r) and close(found, (U - r * mean(U * r)) / s)
    assert not close(found, (U - mean(U) - r * mean(U * r)) / s)
    assert len({each.text.split("[")[1] for each in trace("solution.py")}) == 1
    ds = slope(lambda x: tf.sqrt(mean(x * x) + defined.EPSILON), x, V)
    assert close(ds, mean(r * V))


definition(
    "function — input …",
    "$r$ is the …",
    r"$\mu$ is the …",
    "In the code, `r_bar` …",
    "So `r_bar` is …",
    "In the table, …",
    "A normalized row …",
    "$P$ has the …",
)


advice(
    "You need the …",
    "Compare the last line …",
    "Layer normalization first …",
    "The backward pass …",
    "The normalized row follows.",
    "Compare the last two …",
    "There are three …",
    "Make two quick …",
    "Predict: a softmax.",
    "Let `p = tf.nn.softmax([0.0, 0.0])`, …",
    "What is the gradient with …",
    "Predict: a cross-entropy.",
    "The logits are `[0.0, 0.0]`, …",
    "What is the gradient of …",
    "Derive: RMS normalization.",
    "Derive its gradient function.",
    "Which term of …",
)


pointer(
    "These numbers show …",
)
