"""What the page on argmax, ranks and codebooks says in words."""

from truth.statements.tries import *

with_rule = program("soft_argmax.py").custom
plain = program("soft_argmax.py").automatic
ranked = program("soft_rank.py").custom
plain_rank = program("soft_rank.py").automatic
soft_max = program("solution.py").soft_max
straight = program("codebook.py").straight
ROWS = arrays((4,), numbers(-2, 2))
ROW = [np.array([0.3, -1.0, 2.0, 0.9], np.float32)]
"""For tests in several modes; those in eager mode search."""
SOME = [*MODES, *BLOCKS[2::3], *UNKNOWN[1::2]]
"""All modes, and some blocks and graphs without a static shape."""


def position(x, c, beta):
    p = np.exp(beta * (x - np.max(x)))
    return np.sum(c * p) / np.sum(p)


@says(
    "The chosen index …",
    "`tf.argmax` and `tf.argsort` …",
    "In contrast, `tf.sort` …",
)
@over(mode=EVERYWHERE, x=ROW)
def test_a_choice_has_no_gradient(mode, x):
    choices, elements = (tf.argmax, tf.argsort), (tf.sort, tf.reduce_max)

    def of_each(*xs):
        y = [2.0 * tf.cast(by(x), x.dtype) for by, x in zip(choices, xs)]
        return y + [by(x) for by, x in zip(elements, xs[2:])]

    found = mode.gradients(of_each, x, x, x, x)
    for by, its in zip(choices, found):
        assert by(x).dtype.is_integer and same(by(x), by(x + 1e-3))
        if "loop" in mode.name or "map_fn" in mode.name:  # see below
            assert same(its, tf.zeros_like(x)), mode.name
        else:
            assert its is None, mode.name
    for by, its in zip(elements, found[2:]):
        assert by(x).dtype == x.dtype
        assert same(tf.reduce_sum(its), tf.size(by(x)), 1e-6)


@says("If a graph …")
@over(by=[tf.argmax, tf.argsort], mode=[EAGER, INSIDE, AROUND, NESTED])
def test_a_choice_in_a_loop(by, mode):
    def choice(x):
        return tf.cast(by(x), x.dtype)

    def looped(x):
        start = choice(tf.zeros_like(x))
        return tf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, choice(x)), (0, start)
        )[1]

    def mapped(x):
        return tf.map_fn(choice, tf.stack([x, x]))

    for function in looped, mapped:
        found = mode.gradient(function, tf.constant([1.0, 3.0]))
        if mode is EAGER:
            assert found is None
        else:
            assert same(found, [0.0, 0.0])

    def uncast(x):
        mapped = tf.map_fn(by, tf.stack([x, x]), fn_output_signature=tf.int64)
        return tf.cast(mapped, x.dtype)

    if by is tf.argmax:
        assert mode.gradient(uncast, tf.constant([1.0, 3.0])) is None


@says(
    "`tf.argmax`, used as a position — …",
    "Softmax gives each …",
    "Element $i$ also …",
    "The position $y$ …",
    "Differentiate with respect …",
    "From the gradient …",
    "The upstream gradient is a …",
    "If $x_i$ grows, …",
    "So $y$ moves …",
    "A position with …",
    "An element whose coordinate is above …",
    "An element whose coordinate is below …",
    "Up to rounding, …",
)
@over(mode=SOME, x=ROW, beta=[3.0])
def test_soft_argmax(mode, x, beta):
    soft_argmax(mode, x, beta)


@says(
    "If $x_i$ grows, …",
    "An element whose coordinate is above …",
    "An element whose coordinate is below …",
)
@over(x=ROWS, beta=[1.0, 3.0])
def test_soft_argmax_of_any_row(x, beta):
    soft_argmax(EAGER, x, beta)


def soft_argmax(mode, x, beta):
    # A tensor that is made outside of a branch isn't for a rule in it.
    c = np.array([0, 1, 2, 5], np.float32)
    p = np.exp(beta * (x - np.max(x)))
    p = p / np.sum(p)
    assert p[np.argmax(x)] == np.max(p)
    y = np.sum(c * p)
    raised = beta * (x - np.max(x) + 0.01 * np.eye(4)[1])
    q = np.exp(raised) / np.sum(np.exp(raised))
    assert q[1] > p[1] and np.allclose(np.delete(q / p, 1), (q / p)[0], 1e-3)
    assert abs(np.sum(c * q) - c[1]) < abs(y - c[1]) + 1e-9
    assert same(mode.value(with_rule(c, beta), x), y, 1e-4)
    found = mode.gradient(with_rule(c, beta), x, lambda y: 3.0 * y)
    assert np.allclose(found, 3.0 * beta * p * (c - y), atol=1e-4)
    automatic = EAGER.gradient(plain(c, beta), x, lambda y: 3.0 * y)
    assert np.allclose(found, automatic, atol=1e-4)
    assert np.allclose(np.sum(found), 0, atol=1e-4)
    assert np.all(np.sign(found) * np.sign(c - y) >= 0)


@says("As the factor …")
@over(x=ROWS)
def test_a_larger_beta_is_sharper(x):
    x = np.sort(x.astype(float))
    x[-1] += 0.5  # no tie
    for beta in (100, 1000):
        assert abs(position(x, np.arange(4.0), beta) - 3) < 1e-6


@says(
    "The program computes the position …",
    "The loss is …",
    "The lines `upstream` …",
    "Compare `downstream` with TensorFlow's …",
    "Then compare the blocks …",
    r"With $\beta = 10$ …",
    "But the largest element …",
)
def test_the_peak_of_the_program():
    x = program("soft_argmax.py").x.numpy().astype(float)
    assert len(x) == 4 and np.argmax(x) == 2
    c = np.arange(4.0)
    p = np.exp(10 * (x - 2.95))
    assert (p / p.sum())[2] > 0.98
    found = {}
    for beta in 1.0, 10.0:

        def loss(y):
            return (y - 1.0) ** 2

        found[beta] = EAGER.gradient(
            with_rule(tf.constant(c), beta), tf.constant(x), loss
        )
        assert np.allclose(
            found[beta], EAGER.gradient(plain(c, beta), tf.constant(x), loss)
        )
    assert np.isclose(np.abs(found[1.0]).max(), 0.4527, atol=5e-5)
    assert np.isclose(np.abs(found[10.0]).max(), 0.2194, atol=5e-5)
    assert source("soft_argmax.py").count("L = (y - 1.0) ** 2") == 1
    two = source("soft_argmax.out").count("beta")
    assert two == source("soft_argmax.out").count("downstream") == 2


@says(r"As $\beta$ grows without bound, the gradient …", "So a soft …")
@over(x=ROWS)
def test_a_sharp_choice(x):
    def size(x, beta):
        c = tf.range(len(x), dtype=tf.float64)
        found = EAGER.gradient(with_rule(c, beta), tf.constant(x, tf.float64))
        return np.max(np.abs(found))

    alone = np.sort(x.astype(float))
    alone[-1] += 0.5
    assert size(alone, 100.0) < 1e-6 and size(alone, 1000.0) < 1e-6
    tie = np.concatenate([alone, alone[-1:]])
    assert size(tie, 100.0) > 5 * size(tie, 10.0) > 1


@says("*Straight through* means …", "For example, `z + …")
@over(mode=SOME, z=[np.array([1.5, 0.5], np.float32)])
def test_straight_through(mode, z):
    e = np.float32([1.0, 4.0])
    weights = tf.constant([3.0, -2.0])

    def stopped(z, e):
        return z + tf.stop_gradient(e - z)

    def two(z, other):
        return straight(z, e), stopped(other, e)

    def loss(both):
        return tf.reduce_sum(weights * (both[0] + both[1]))

    assert same(mode.value(two, z, z), [e, e])
    assert same(mode.gradients(two, z, z, loss=loss), [weights, weights])


@says("A soft argmax is …", "With the positions …", "If two peaks …")
def test_two_peaks():
    two, c = np.float32([3, 0, 0, 0, 3]), np.arange(5, dtype=np.float32)
    in_code = tf.reduce_sum(c * tf.nn.softmax(2.0 * two), -1)
    assert same(in_code, with_rule(c, 2.0)(two), 1e-5)
    y = with_rule(np.arange(5, dtype=np.float32), 10.0)(two)
    assert np.sum(two == 3) == 2 and same(y, 2.0, 1e-5) and two[2] == two.min()


@says("The two custom …")
def test_a_batch_is_a_row_at_a_time():
    rows = tf.constant(np.stack([ROW[0], ROW[0][::-1]]))
    c = np.arange(4, dtype=np.float32)
    two = with_rule(c, 2.0), ranked(0.5)
    assert len(two) == 2
    for function in two:
        upstream = function(rows) + 1.0
        found = EAGER.gradient(lambda x: tf.reduce_sum(upstream * function(x)), rows)
        for row, its, up in zip(rows, found, upstream):
            alone = EAGER.gradient(lambda x: tf.reduce_sum(up * function(x)), row)
            assert same(its, alone, 1e-5)


@says(
    "If no elements …",
    "To count the …",
    "A soft rank replaces …",
    "The sum includes …",
    "That comparison contributes …",
    "Each comparison of …",
    "The derivative of the sigmoid …",
    "Ranks with a …",
    "Compare the soft …",
    "Then compare `downstream` …",
    "`tf.argsort`, used …",
)
@over(mode=SOME, x=ROW, tau=[0.5])
def test_soft_rank(mode, x, tau):
    soft_rank(mode, x, tau)


@says("Each comparison of …", "A soft rank replaces …")
@over(x=ROWS, tau=[0.5, 2.0])
def test_soft_rank_of_any_row(x, tau):
    soft_rank(EAGER, x, tau)


def soft_rank(mode, x, tau):
    given = np.array([0.3, -1.0, 2.0, 0.9])
    hard = 1 + np.sum(given[:, None] > given, 1)
    assert hard.tolist() == (1 + tf.argsort(tf.argsort(given)).numpy()).tolist()
    assert np.allclose(ranked(1e-3)(tf.constant(given)), hard)
    above = (x[:, None] - x) / tau
    sigmoid = 1 / (1 + np.exp(-above))
    smallest = np.sum(given.min() > given)  # elements below the smallest
    assert hard.min() == 1 + smallest
    assert np.allclose(np.diag(sigmoid), 1 / 2)
    pair = EAGER.gradient(
        ranked(tau), tf.constant(x[:2]), lambda r: tf.tensordot(r, [1.0, 3.0], 1)
    )
    assert len(pair) == 2 and np.allclose(pair[0], -pair[1], atol=1e-5)
    r = 1 + np.sum(sigmoid, 1) - np.diag(sigmoid)
    assert same(mode.value(ranked(tau), x), r, 1e-4)
    weights = tf.constant([1.0, 2.0, -1.0, 0.5])
    pairs = sigmoid * sigmoid.T / tau
    right = np.sum(pairs * (weights[:, None] - weights), 1)

    def loss(r):
        return tf.reduce_sum(weights * r)

    assert np.allclose(mode.gradient(ranked(tau), x, loss), right, atol=1e-4)
    assert np.allclose(EAGER.gradient(plain_rank(tau), x, loss), right, atol=1e-4)
    h = 1e-4
    slope = (1 / (1 + np.exp(-above - h)) - 1 / (1 + np.exp(-above + h))) / (2 * h)
    assert np.allclose(slope, sigmoid * sigmoid.T, atol=1e-3)


@says(
    r"With $\tau = 0.1$, …",
    "Tied elements share …",
    "It is close to the mean …",
    was="'the soft rank of each is the mean': 1.62 with tau = 0.1 and a third at 0.2",
)
def test_a_tie_shares_its_ranks():
    for tau in 1e-3, 0.1, 1.0:
        tied = ranked(tau)(tf.constant([1.0, 1.0, 1.0 + 20 * tau])).numpy()
        assert np.allclose(tied, [np.mean([1, 2]), np.mean([1, 2]), 3])
    near = ranked(0.1)(tf.constant([1.0, 1.0, 1.2])).numpy()
    assert abs(near[0] - 1.62) < 1e-2
    hard, soft = (
        [float(each.strip('"[]')) for each in line.split()[1:]]
        for line in source("soft_rank.out").splitlines()[:2]
    )
    assert source("soft_rank.py").count("make(0.1)(x)") == 1
    assert same(hard, [2.0, 1.0, 4.0, 3.0]) and np.allclose(soft, hard, atol=0.01)


@says("Time and memory …", "Each element minus …")
def test_each_is_compared_with_each():
    for n in 3, 6:
        above = tf.zeros([n])[:, None] - tf.zeros([n])
        assert tf.size(above) == n**2
        assert same(program("soft_rank.py").compared(tf.zeros([n])), above)


@says(
    "Each row of a …",
    "The forward pass replaces …",
    "The input gets …",
    "The codebook gets …",
    "Instead, a loss …",
    "In this term, `tf.stop_gradient` holds the input …",
    "A second loss …",
    "In this term, `tf.stop_gradient` holds the row …",
    "The nearest vector of a codebook, …",
    "In the program, `task` …",
    "`L` is the sum …",
    "In the output, …",
    "Then compare the gradient …",
    "Only the chosen …",
    "This gradient points …",
    "Gradient descent steps …",
    "The gradient of `task` …",
    "the nearest vector of a codebook — …",
    "`tf.round` — …",
)
@over(mode=SOME, z=[np.array([1.5, 0.5], np.float32)])
def test_a_codebook(mode, z):
    E = tf.constant([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0]])
    three, one = len(E), E[0].shape.rank
    assert three == 3 and one == 1
    k = int(np.argmin(np.sum((E - z) ** 2, 1)))
    e, target = E[k], tf.constant([2.0, 2.0])
    stop = tf.stop_gradient

    def task(z):
        return tf.reduce_sum((straight(z, E[k]) - target) ** 2)

    assert same(mode.value(lambda z: straight(z, E[k]), z), e)
    of_task, through = mode.gradients(lambda z, e: (task(z), straight(e, e)), z, e)
    assert same(of_task, 2 * (e - target), 1e-5) and same(through, [1.0, 1.0])
    moved = EAGER.gradient(lambda E: tf.reduce_sum((stop(z) - E[k]) ** 2), E)
    moved = tf.convert_to_tensor(moved).numpy()
    assert np.allclose(moved[k], 2 * (e - z), atol=1e-5)
    others = [row for at, row in enumerate(moved) if at != k]
    assert not np.any(others)
    before, after = e - z, e - 0.1 * moved[k] - z
    assert np.sum(after**2) <= np.sum(before**2)
    kept = EAGER.gradient(lambda z: 0.25 * tf.reduce_sum((z - stop(E[k])) ** 2), z)
    assert same(kept, 0.5 * (z - e), 1e-5)
    for_E = EAGER.gradient(lambda E: tf.reduce_sum(straight(z, E[k])), E)
    assert for_E is None
    assert tf.round(z).dtype == z.dtype
    lines = source("codebook.out").splitlines()
    assert len(eval(lines[1].partition(" ")[2])) == three
    names = [line.partition("[")[0].strip() for line in lines]
    assert names == ["q", "E", "z", "task, z"]


@says(
    "Soft argmax and soft rank are …",
    "This program compares …",
    "Both gradient functions …",
    "A straight-through gradient …",
    "Soft argmax and soft rank, against …",
)
def test_the_check():
    both = source("check.out").splitlines()
    assert len(both) == 2 and all(each.endswith("True") for each in both)
    z = tf.constant([0.3, 0.4])
    e = tf.constant([1.0, 1.0])
    assert same(straight(z + 1e-3, e), straight(z, e))  # its derivative is 0
    assert same(EAGER.gradient(lambda z: straight(z, e), z), [1.0, 1.0])


@says(
    "Deliberately wrong: tf.gather …",
    "The program uses …",
    "The lookup `E[k]` …",
    "Look at the gradient of `z`:",
    "`E` has a …",
    "So an encoder …",
    "Deliberately wrong: tf.gather …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED])
def test_without_the_straight_path(mode):
    assert "tf.gather(E, tf.argmin" in source("wrong/gathered.py")
    E = tf.constant([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0]])
    z = tf.constant([1.5, 0.5])

    def loss(z, E):
        q = tf.gather(E, tf.argmin(tf.reduce_sum((E - z) ** 2, 1)))
        return tf.reduce_sum((q - tf.constant([2.0, 2.0])) ** 2)

    def indexed(z):
        return tf.reduce_sum(E[tf.argmin(tf.reduce_sum((E - z) ** 2, 1))])

    assert mode.gradient(indexed, z) is None
    assert mode.gradient(lambda z: loss(z, E), z) is None
    nothing = EAGER.gradient(lambda w: loss(w * z, E), tf.constant(2.0))
    assert nothing is None  # w: a weight of an encoder
    found = mode.gradient(lambda E: loss(z, E), E)
    assert same(tf.convert_to_tensor(found)[1], [-2.0, -2.0])


@says(
    "Two numbers are …",
    "Both weights are …",
    "The gradient is …",
)
def test_equal_numbers():
    tie, c = tf.constant([3.0, 3.0]), tf.constant([0.0, 1.0])
    assert tf.nn.softmax(tie).numpy().tolist() == [0.5, 0.5]
    assert c.numpy().tolist() == [0, 1] and len(tie) == 2
    assert with_rule(c, 1.0)(tie) == 0.5
    assert EAGER.gradient(with_rule(c, 1.0), tie)[1] == 0.25


@says("They sum to 6, …", "Two sigmoids of …", "Each element adds …")
@over(x=arrays((3,), numbers(-3, 3)))
def test_the_sum_of_ranks(x):
    total = float(tf.reduce_sum(ranked(0.5)(x)))
    places = sorted(1 + tf.argsort(tf.argsort(x)).numpy())
    assert places[0] == 1 and places[1] == 2 and places[2] == 3
    assert np.isclose(total, 6, atol=1e-4) and sum(places) == 6
    two = [tf.sigmoid(x), tf.sigmoid(-x)]
    assert len(two) == 2 and np.allclose(sum(two), 1, atol=1e-5)
    each = tf.sigmoid((x[:, None] - x) / 0.5).numpy()
    pairs = [each[i, j] + each[j, i] for i, j in ((0, 1), (0, 2), (1, 2))]
    assert len(pairs) == 3 and np.allclose(pairs, 1, atol=1e-5)
    one = 1 / 2 + np.diag(each)  # the constant, and each with itself
    assert np.allclose(np.diag(each), 1 / 2) and np.allclose(one, 1)
    assert np.isclose(total, sum(pairs) + sum(one), atol=1e-4)


@says("Yes: an element …", "A soft maximum: …", "A soft maximum is …", "Derive its …")
@over(mode=SOME, x=[np.array([0.5, 3.0, -2.0], np.float32)])
def test_soft_max(mode, x):
    p = tf.nn.softmax(x).numpy()
    y = np.sum(p * x)
    assert same(mode.value(soft_max, x), y, 1e-3)
    found = mode.gradient(soft_max, x)
    assert np.allclose(found, p * (1 + x - y), atol=1e-4)
    far = EAGER.gradient(soft_max, tf.constant([0.0, 3.0, 2.0]))
    assert far[0] < 0 < far[1]
    assert np.all((np.asarray(found) < 0) == (x < y - 1))  # beta is 1


advice(
    "After this page …",
    "Replace the choice …",
    "Make two quick …",
)
definition(
    "You choose the …",
    "Predict: equal numbers.",
    "What is the soft …",
    "Predict: the sum …",
    "What do the …",
    "Derive: a soft …",
    "If the upstream …",
    "In the output of …",
)
pointer(
    "You need to …",
    "`tf.argmax`, used as a one-hot …",
    "Predict: equal numbers.",
)
