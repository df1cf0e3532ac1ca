"""What the page on identities with another gradient says in words."""

from truth.statements.tries import *

FEW = [EAGER, AROUND, XLA]
POINTS = [-9.0, -2.5, -1.0, -0.5, -1e-3, -1e-30, 0.0, 1e-30, 0.2, 0.5, 1.0, 1.5, 4.0]


def back_through(change, forward=tf.identity):
    @tf.custom_gradient
    def identity(x):
        return forward(x), lambda upstream: change(upstream)

    return identity


def by_value(upstream, limit=1.0):
    return tf.clip_by_value(upstream, -limit, limit)


def by_norm(upstream, limit=1.0, axes=None):
    return tf.clip_by_norm(upstream, limit, axes)


CHANGES = {
    "derivative": lambda u: u,
    "scale": lambda u: 0.1 * u,
    "reverse": lambda u: -u,
    "noise": lambda u: u + 0.01,
    "clip values": by_value,
    "clip norm": by_norm,
}


def pulled(change, upstream, mode=EAGER):
    """What a rule makes of an upstream gradient."""
    upstream = tf.constant(upstream)
    rule = back_through(change)
    return mode.gradient(
        lambda x: tf.reduce_sum(rule(x) * upstream), tf.ones_like(upstream)
    )


def columns(line, width):
    return [float(each) for each in line.text[width:].split()]


# The identity.


@says(
    "For example, suppose …",
    "The program trains …",
    "Without clipping, the …",
    "With the sum clipped, …",
    "Fit a line …",
)
def test_the_training():
    assert len(trace("training.py")) == 3 and "t = 2.0 * x" in source("training.py")
    first, _, last = trace("training.py")
    assert first.numbers[-1] == 8.535 and last.numbers[-1] == 2.023
    off = [abs(each.numbers[-1] - 2) > 0.1 for each in trace("training.py")]
    assert off == [True, True, False] and last.numbers[-1] > 2
    assert trace("training.py")[1].numbers[-1] == 2.571
    text = source("training.py")
    assert "[[15], [75], [135], [195]], [300.0] * 4" in text
    assert "p = on_the_way(w * x[some])" in text and "range(60)" in text


@says(
    "The function `clipped` …",
    "The values agree.",
    "With `clipped`, the …",
    "Clip the gradient of x, …",
)
@over(mode=MODES, x=arrays((2,), numbers(-1e3, 1e3)))
def test_the_shortest_program(mode, x):
    clipped = program("clip.py").clipped
    assert same(clipped(tf.constant(x)), x)
    found = mode.gradient(lambda x: tf.reduce_sum(clipped(x) ** 2), x)
    assert same(found, np.clip(2 * x, -1, 1), 1e-6)
    plain, ours = trace("clip.py")
    assert plain.numbers == [0.2, 3, 0.4, 6] and ours.numbers == [0.2, 3, 0.4, 1]


@says(
    "The pattern is …",
    "Return `tf.identity(x)` and …",
    "TensorFlow doesn't check …",
    "Here the forward …",
    "The function returns $x$ …",
    "No derivation can …",
)
@over(mode=MODES, u=numbers(-1e3, 1e3))
def test_the_rule_decides(mode, u):
    for change in (lambda u: u * u, tf.zeros_like):
        assert same(pulled(change, [u, 2.0], mode), change(tf.constant([u, 2.0])), 1e-6)
        x = tf.constant([u, 2.0])
        assert same(back_through(change)(x), x)


@says(
    "After this page …",
    "This is still …",
    "The derivative of the identity …",
    "Here the gradient …",
    "A negative factor …",
)
@over(mode=FEW, u=numbers(), factor=numbers(-9, -0.1))
def test_what_the_pattern_does(mode, u, factor):
    u = tf.constant([u, 1.0])
    assert same(pulled(tf.identity, u, mode), u)
    reverse = np.asarray(pulled(lambda u: factor * u, u, mode))
    assert same(reverse, np.float32(factor) * u, 1e-6)
    assert (np.sign(reverse) == -np.sign(u))[np.abs(u) > 1e-30].all()


@says("If the norm of the …", "The direction stays …")
@over(
    mode=FEW,
    u=arrays((2, 3), numbers(-1e6, 1e6)),
    limit=st.floats(0.125, 100, width=32),
)
def test_by_norm(mode, u, limit):
    found = np.asarray(pulled(lambda u: by_norm(u, limit), u, mode), float)
    length, before = np.linalg.norm(found), np.linalg.norm(u.astype(float))
    assert length <= limit * (1 + 1e-5)
    assert np.allclose(found * before, u * length, 1e-4, 1e-4 * before * length + 1e-30)
    assert before > limit or same(found, u, 1e-6)


@says("If the upstream gradient is zero, …", "In this case, …")
@over(mode=MODES, shape=[(), (3,), (2, 0), (2, 3)])
def test_no_norm(mode, shape):
    zeros = tf.zeros(shape)
    assert same(tf.clip_by_norm(zeros, 1.0), zeros)
    assert np.isinf(1.0 / tf.norm(zeros))  # the quotient of limit and norm
    assert same(pulled(by_norm, np.zeros(shape, np.float32), mode), np.zeros(shape))


@says(
    "All these gradient …",
    "Here `change` is …",
)
@over(change=CHANGES, u=arrays(), x=numbers(-9, 9), cases=60)
def test_any_shape(change, u, x):
    x = x * tf.ones_like(u)
    loss = lambda y: tf.reduce_sum(y * u)  # noqa: E731
    found = EAGER.gradient(back_through(change), x, loss)
    assert found.shape == u.shape and same(found, change(tf.constant(u)))


def blocks():
    """Of the trace of six rules: for each its upstream and downstream, as numbers."""
    lines = trace("identity.py")[:-3]
    found = {}
    for at in range(0, len(lines), 6):
        up = lines[at + 1].numbers + lines[at + 2].numbers
        down = lines[at + 3].numbers + lines[at + 4].numbers
        found[lines[at].text] = up, down, lines[at + 5]
    return found


@says(
    "Each time, the loss …",
    "Only `downstream` differs:",
    "The small row …",
    "The norm of the second …",
    "The program runs six …",
    "Compare their `downstream`:",
    "Clipping by value turns 3 …",
    "Clipping by norm divides …",
    "Clipping the norm …",
    "One identity, six …",
)
def test_six_ways_back():
    ways = blocks()
    assert len(ways) == 6 and {tuple(up) for up, _, _ in ways.values()} == {
        (3, 4, 0, 0.6)
    }
    assert [2 * y for y in (1.5, 2, 0, 0.3)] == [3, 4, 0, 0.6]
    assert {each["the same L"] for _, _, each in ways.values()} == {6.34}
    assert len({tuple(down) for _, down, _ in ways.values()}) == 6
    up = np.array([3, 4, 0, 0.6])
    value, norm, row = (
        ways[f"clip {name}"][1]
        for name in ("each number to 1", "the norm to 1", "the norm of each row")
    )
    assert value[:2] == [1, 1] and value[0] / value[1] != 3 / 4
    assert round(np.linalg.norm(up), 4) == 5.0359
    assert np.allclose(norm, up / np.linalg.norm(up), 1e-6) and norm[3] < 0.6
    assert np.allclose(row, [3 / 5, 4 / 5, 0, 0.6], 1e-6)
    assert np.linalg.norm(up[:2]) == 5 and np.linalg.norm(up[2:]) < 1


@says(
    "The last two lines …",
    "If the squares …",
    "If a number …",
    "Clipping by value turns an …",
)
@over(mode=FEW, large=[1e20, 3e38, np.inf], sign=[-1])
def test_large_upstream(mode, large, sign):
    u = tf.constant([sign * large, 2.0])
    assert same(pulled(by_value, u, mode), [sign, 1.0])
    norm = np.asarray(pulled(by_norm, u, mode))
    assert np.isnan(norm[0]) if large == np.inf else same(norm, [0.0, 0.0])
    assert sign in (1, -1) and same(pulled(by_value, -u, mode), [-sign, -1.0])
    lines = trace("identity.py")[-2:]
    assert len(lines) == 2 and "1e+30" in lines[0].text and "inf" in lines[1].text


# On the way, or at the end.


@says(
    "To limit the …",
    "After `tape.gradient`, clipping …",
    "For example, `return tf.clip_by_value(upstream, …",
    "You can also clip …",
    "But then you clip …",
    "A custom gradient around …",
)
@over(mode=FEW, bad=numbers(), x=st.floats(0.5, 1.5, width=32))
def test_what_one_sample_can_do(mode, bad, x):
    xs, t = tf.constant([x, 1.0, 1.25]), tf.constant([bad, 2.0, 2.5])
    assert pulled(by_value, [-5.0, 5.0], mode).numpy().tolist() == [-1, 1]
    clipped = back_through(by_value)

    def loss(on_the_way):
        return lambda w: 0.5 * tf.reduce_sum((on_the_way(w * xs) - t) ** 2)

    on_the_way = mode.gradient(loss(clipped), 2.0)
    assert same(on_the_way, x * np.clip(2.0 * x - np.float32(bad), -1, 1), 1e-5)
    at_the_end = by_value(mode.gradient(loss(tf.identity), 2.0), 20.0)
    if abs(bad) > 1e3:
        assert abs(at_the_end) == 20.0 > abs(on_the_way)


@says(
    "The figure shows the …",
    "Two panels over 60 steps.",
    "Above, the norm …",
    "Below, the slope …",
)
def test_the_figure_of_training():
    norms, path = drawn("training.py")[0].axes
    plain, at_end, on_way = (np.asarray(line.get_ydata()) for line in norms.lines)
    assert len(plain) == 60 and norms.get_yscale() == "log"
    assert plain[-10:].max() > 5 * plain[-10:].min()
    turns = np.diff(np.sign(np.diff(plain)))
    assert np.count_nonzero(turns[-20:]) > 8
    assert (
        at_end.max() == 20
        and np.count_nonzero(at_end[-30:] > 19.9) > 5
        and at_end[-30:].min() < 15
    )
    assert 0.7 < on_way[-10:].max() < 1.5 and on_way[0] > 5
    plain, at_end, on_way = (np.asarray(line.get_ydata()) for line in path.lines)
    assert plain[20:].min() > 2.5 and plain[-10:].max() > 9
    assert 2 < at_end[20:].min() < at_end[20:].max() < 4
    assert np.count_nonzero(np.diff(np.sign(np.diff(at_end[20:])))) > 6
    assert (np.diff(on_way[:10]) > 0).all() and abs(on_way[-30:] - 2).max() < 0.06


@says(
    "In this program, the …",
    "The program's own loss …",
    "The clipped residual …",
    "So the third …",
)
@over(mode=FEW)
def test_huber(mode):
    r = tf.constant(POINTS)
    huber = tf.keras.losses.Huber(1.0, reduction="sum")
    p, _ = mode.gradients(
        lambda p, t: 0.5 * tf.reduce_sum((p - t) ** 2), r + 3.0, 3.0 * tf.ones_like(r)
    )
    assert same(p, r, 1e-5) or np.allclose(p, r, 1e-5, 1e-6)
    clipped = back_through(by_value)
    trained = mode.gradient(lambda p: 0.5 * tf.reduce_sum(clipped(p) ** 2), r)
    zero = tf.zeros([1, len(r)])
    of_huber = mode.gradient(lambda p: len(r) * huber(zero, p[None, :]), r)
    assert np.allclose(trained, of_huber, 1e-5, 1e-6)
    assert same(0.5 * tf.reduce_sum(clipped(r) ** 2), 0.5 * tf.reduce_sum(r**2))


@says("A custom gradient between …")
@over(mode=FEW, steps=[2, 20])
def test_between_two_steps(mode, steps):
    def chain(between):
        def run(x):
            for _ in range(steps):
                x = between(10.0 * x)
            return x

        return run

    assert same(mode.gradient(chain(back_through(by_value)), 1.0), 10.0)
    assert same(mode.gradient(chain(tf.identity), 1.0), 10.0**steps, 1e-5)


# Check.

SMOOTH = {
    "sin": tf.sin,
    "exp": tf.exp,
    "softmax": tf.nn.softmax,
    "running sum": tf.cumsum,
    "norm": lambda x: tf.norm(x)[None],
    "sort": tf.sort,
}


@says(
    "Every derivative is …",
    "Twice the upstream …",
    "Similarly, a sum …",
)
@over(
    f=SMOOTH, u=arrays((3,), numbers(-9, 9)), v=arrays((3,), numbers(-9, 9)), cases=60
)
def test_a_derivative_is_linear(f, u, v):
    x = tf.constant([0.5, -1.0, 2.0])

    def back(u):
        return np.asarray(
            EAGER.gradient(f, x, lambda y: tf.reduce_sum(y * u[: y.shape[0]]))
        )

    size = 1e-5 * (abs(back(u)) + abs(back(v)) + 1)
    assert (abs(back(u + v) - back(u) - back(v)) <= size).all()
    assert (abs(back(2 * u) - 2 * back(u)) <= size).all()


@says(
    "If it isn't …",
    "Compare its result …",
    "So a gradient …",
    "The result isn't …",
    "Six gradient functions: …",
    "For six gradient …",
    "Scaling and reversal …",
)
@over(change=CHANGES)
def test_what_is_linear(change):
    u, v = tf.constant([3.0, 0.4, -5.0]), tf.constant([0.2, 7.0, -0.3])
    linear = np.allclose(change(u) + change(v), change(u + v), 1e-5)
    name = next(name for name, each in CHANGES.items() if each is change)
    assert linear == (name in ("derivative", "scale", "reverse"))
    line = trace("check.py").starting(name)[0]
    assert "y = x: True" in line.text and f"linear: {linear}" in line.text
    assert ("[]" in line.text) != linear
    assert len(CHANGES) == len(trace("check.py")) == 6
    for factor in [0.1, -1.0] if linear else []:
        assert same(EAGER.gradient(lambda x: factor * x, u), [factor] * 3, 1e-6)


@says(
    "A changed gradient …",
    "`tf.test.compute_gradient` sets one …",
    "A limit of 1 doesn't …",
    "That is why …",
    "For scaling, reversal …",
    was="'for the others it fails': not for the derivative",
)
@over(change=CHANGES)
def test_compute_gradient(change):
    seen = []
    rule = back_through(lambda u: seen.append(u.numpy()) or change(u))
    (found,), (expected,) = tf.test.compute_gradient(
        rule, [tf.constant([1.0, -2.0, 0.5])]
    )
    assert same(np.sort(seen), np.sort(np.eye(3)))
    name = next(name for name, each in CHANGES.items() if each is change)
    agrees = np.allclose(found, expected, atol=1e-3)
    assert agrees == (name in ("derivative", "clip values", "clip norm"))
    assert trace("check.py").starting(name)[0]["compute_gradient agrees"] == str(agrees)
    if "clip" in name:
        assert not same(change(tf.constant([3.0, 0.4, -5.0])), [3.0, 0.4, -5.0])


# Forward mode.


@says(
    "In the program, `round_through` …",
    "Forward mode may …",
    "`tf.autodiff.ForwardAccumulator` pushes a …",
    "Whether it uses …",
    "For the identity, …",
    "In eager mode, and …",
    "Forward mode calls the …",
    "Around a graph, forward mode always …",
    "So the derivative …",
    "Forward mode through …",
    was="'the rule is not asked': it is called in each mode",
)
@over(forward=FORWARDS, factor=numbers(-9, 9), x=numbers(-9, 9))
def test_whether_the_rule_is_used(forward, factor, x):
    called, around = [], "around" in forward.name
    rule = back_through(lambda u: called.append(u) or factor * u)
    assert same(forward.jvp(rule, x), factor if around else 1.0) and len(called) == 1
    sine = back_through(lambda u: factor * u, tf.sin)
    assert same(forward.jvp(sine, x), factor if around else np.cos(np.float32(x)), 1e-4)


@says(
    "TensorFlow has no …",
    "For these, forward …",
)
@over(
    forward=FORWARDS,
    f=[tf.round, tf.stop_gradient, tf.sign],
    factor=[-5.0],
)
def test_what_has_no_derivative(forward, f, factor):
    assert forward.jvp(f, 2.7) is None and EAGER.gradient(f, 2.7) in (None, 0)
    found = forward.jvp(back_through(lambda u: factor * u, f), 2.7)
    asked = "around" in forward.name or "eager" in forward.name
    assert same(found, factor if asked else 0.0, 1e-6)


@says(
    "The backward pass of the …",
    "Forward mode returns the …",
    "If the graph …",
    "For `clip` the …",
    was="'the derivative of the rule, at upstream 1': 3 * sq(x) with the rule u * u gives 18",
)
@over(forward=[each for each in FORWARDS if "around" in each.name])
def test_around_a_graph(forward):
    clip = back_through(lambda u: by_value(u, 0.5))
    squared, third = back_through(lambda u: u * u), back_through(lambda u: u / 3.0)
    graphs = [
        lambda x: 3.0 * squared(x),
        lambda x: 0.25 * clip(x),
        lambda x: tf.sin(squared(x)),
        clip,
        third,
    ]
    h = 2.0**-10
    for graph in graphs:
        back = [
            EAGER.gradient(graph, 0.7, lambda y: y * upstream)
            for upstream in (1 + h, 1 - h)
        ]
        assert np.isclose(forward.jvp(graph, 0.7), (back[0] - back[1]) / (2 * h), 1e-3)
    assert same(forward.jvp(graphs[0], 0.7), 18.0, 1e-6) and same(
        forward.jvp(clip, 0.7), 0.0
    )


@says(
    "The first gradient is $- …",
    "Its derivative is $ …",
    "But in the …",
    "In the same …",
    "The derivative of the first …",
    "Around a graph, forward mode does …",
    was="'and is wrong': not for the derivative",
)
def test_the_table_of_second_order():
    table = {line.text.split()[0]: columns(line, 20) for line in trace("second.py")[1:]}
    first, its_slope, _, _, second = table["reverse"]
    assert (first, its_slope, second) == (-3 * 0.5**2, -6 * 0.5, 3) and its_slope == -3
    assert table["scale"][4] == round(3 * 0.1**2, 3) and table["clip"][4] == 1
    assert table["clip"][1] == 3 and len(table) == 4
    wrong = [name for name, row in table.items() if row[3] != row[1]]
    assert wrong == ["clip", "scale", "reverse"] == [*table][1:]


@says(
    "Forward mode may …",
    "A second derivative …",
    "The second tape backpropagates …",
    "This includes the …",
    "The second tape then …",
    "So the tape applies …",
)
@over(mode=MODES, factor=[-1.0, 0.1], x=[0.5])
def test_the_rule_is_applied_once_more(mode, factor, x):
    rule = back_through(lambda u: factor * u)
    second = mode.gradient(derivative(rule, lambda y: y**3), x)
    assert same(second, factor**2 * 6.0 * np.float32(x), 1e-4)
    uses = []
    counted = back_through(lambda u: uses.append(u) or factor * u)
    EAGER.gradient(derivative(counted, lambda y: y**3), x)
    assert len(uses) == 2  # twice


@says(
    "In eager mode, forward …",
)
@over(forward=FORWARDS, change=[CHANGES[n] for n in ("derivative", "scale", "reverse")])
def test_forward_over_the_tape(forward, change):
    first, h = derivative(back_through(change), lambda y: y**3), 2.0**-8
    difference = (first(tf.constant(0.5 + h)) - first(tf.constant(0.5 - h))) / (2 * h)
    agrees = np.isclose(forward.jvp(first, 0.5), difference, 1e-3)
    assert agrees == ("around" not in forward.name or change is CHANGES["derivative"])


# Where it breaks.


@says("A gradient function receives …", "So it can't …")
@over(mode=MODES)
def test_its_own_upstreams(mode):
    seen = []
    rule = tf.custom_gradient(
        lambda x, y: ((x, y), lambda *us: seen.append(len(us)) or us)
    )
    mode.gradients(lambda x, y: [*rule(x, y), *rule(y, x)], 1.0, 2.0)
    assert seen == [2, 2]


@says(
    "The program below clips two …",
    "Look at the …",
    "Together, the two …",
    "To clip the …",
    "Deliberately wrong: clips …",
    "Or concatenate the …",
)
@over(mode=FEW, u=arrays((2,), numbers(2, 50)), v=arrays((2,), numbers(2, 50)))
def test_the_global_norm(mode, u, v):
    clipped = back_through(by_norm)

    def gradients(rule):
        def loss(x, y):
            p, q = rule(x, y)
            return tf.reduce_sum(p * u) + tf.reduce_sum(q * v)

        return [np.asarray(g, float) for g in mode.gradients(loss, u, v)]

    alone = gradients(lambda x, y: (clipped(x), clipped(y)))
    lengths = [np.linalg.norm(each) for each in alone]
    assert np.allclose(lengths, [1, 1]) and np.isclose(np.linalg.norm(lengths), 2**0.5)
    joined = gradients(lambda x, y: tf.split(clipped(tf.concat([x, y], 0)), 2))
    at_the_end = tf.clip_by_global_norm([tf.constant(u), tf.constant(v)], 1.0)[0]
    assert np.allclose(joined, at_the_end, 1e-5)
    turned = [line.numbers[-1] for line in trace("wrong/global_norm.py")]
    assert turned[0] == turned[2] == turned[3] == 1 > turned[1]


@says(
    "In a batch, …",
)
@over(mode=FEW, other=numbers(10, 1e3))
def test_one_norm_for_the_batch(mode, other):
    batch = [[0.6, 0.8], [other, other], [-0.8, 0.6]]
    whole = np.asarray(pulled(by_norm, batch, mode))
    for k in (0, 2):
        assert np.linalg.norm(whole[k]) < 0.1 * np.linalg.norm(batch[k])


@says(
    "If the loss is a …",
    "Divide the limit …",
)
@over(rows=[1, 2, 10, 100])
def test_a_mean_above(rows):
    x = tf.constant([[0.6, 0.8]] + [[30.0, 40.0]] * (rows - 1))

    def clipped(limit):
        return back_through(lambda u: by_norm(u, limit, axes=[1]))

    def mean(rule):
        return lambda x: tf.reduce_mean(0.5 * tf.reduce_sum(rule(x) ** 2, axis=1))

    plain, limited, divided = (
        EAGER.gradient(mean(rule), x)
        for rule in (tf.identity, clipped(1.0), clipped(1.0 / rows))
    )
    assert same(plain, x / rows, 1e-5)
    assert (rows == 100) == bool(np.allclose(plain, limited, 1e-5) and rows > 1)
    expected = by_norm(x, 1.0, axes=[1]) / rows
    assert np.allclose(divided, expected, 1e-5)


@says(
    "If the output feeds …",
    "If an index …",
    "So the limit …",
    "The fix is to clip …",
    was="'its length becomes at most τ': clip_by_norm of slices gives 1.41",
)
@over(mode=MODES)
def test_behind_a_gather(mode):
    seen, read = [], (tf.gather if mode in FEW else tf.nn.embedding_lookup)

    def loss(y):
        return tf.reduce_sum(read(y, [0, 0, 1]) * [3.0, 3.0, 0.2])

    def clipped(change):
        return back_through(lambda u: seen.append(u) or change(u))

    x, added = tf.zeros([2]), tf.convert_to_tensor
    assert same(mode.gradient(clipped(by_value), x, loss), [2.0, 0.2], 1e-6)
    assert np.linalg.norm(added(mode.gradient(clipped(by_norm), x, loss))) > 1.4
    assert same(
        mode.gradient(clipped(lambda u: by_value(added(u))), x, loss), [1.0, 0.2], 1e-6
    )
    assert (
        np.linalg.norm(mode.gradient(clipped(lambda u: by_norm(added(u))), x, loss))
        < 1.0001
    )
    assert {type(each) for each in seen} == {tf.IndexedSlices}
    assert mode is not EAGER or seen[0].indices.numpy().tolist().count(0) == 2
    assert {tuple(each.indices.shape) for each in seen} == {(3,)}


@says(
    "If the output feeds …",
    "In two cases, …",
    was="'feeds': with a second use, or in a loop of a graph, it is a tensor",
)
@over(mode=[EAGER, INSIDE, AROUND], use=["only", "another", "loop", "columns"])
def test_slices_or_a_tensor(mode, use):
    seen = []

    def read(y):
        return tf.reduce_sum(tf.gather(y, [0, 0, 1]) * [3.0, 3.0, 0.2])

    def in_a_loop(y):
        return tf.while_loop(
            lambda i, total: i < 1, lambda i, total: (i + 1, total + read(y)), [0, 0.0]
        )[1]

    uses = {
        "only": lambda y: read(y) + read(y),
        "another": lambda y: read(y) + tf.reduce_sum(y),
        "loop": in_a_loop,
        "columns": lambda y: tf.reduce_sum(tf.gather(y, [0, 0, 1], axis=1)),
    }
    x = tf.zeros([2, 2] if use == "columns" else [2])
    mode.gradient(back_through(lambda u: seen.append(u) or u), x, uses[use])
    sliced = use == "only" or (use == "loop" and mode is EAGER)
    assert [isinstance(each, tf.IndexedSlices) for each in seen] == [sliced]


@says(
    "A variable that …",
    "`once` clips the …",
    "With the upstream gradients 5, …",
    "With 5, 4 …",
    "A gradient function that isn't linear doesn't …",
    "Deliberately wrong: each …",
)
@over(mode=FEW, slopes=[[5.0, 4.0, 3.0], [5.0, 4.0, -9.0], [0.5, -0.75, 1e30]])
def test_each_use(mode, slopes):
    read = program("wrong/uses.py")

    def loss(*ws):
        uses = read.never(ws[0]), read.once(ws[1]), read.at_each_use(ws[2])
        return [tf.add_n([s * u for s, u in zip(slopes, each)]) for each in uses]

    total, each = sum(slopes), sum(np.clip(s, -1, 1) for s in slopes)
    found = mode.gradients(loss, 1.0, 1.0, 1.0)
    assert np.allclose(found, [total, np.clip(total, -1, 1), each], 1e-5)
    expected = {3.0: [12, 1, 3], -9.0: [0, 0, 1]}
    assert slopes[2] not in expected or same(found, expected[slopes[2]])


# The exercise.


@says(
    "Let `y = clipped(x)`, …",
    "The first gradient is 1: …",
    "The second gradient is 5: …",
    "Afterwards, the backward …",
)
@over(mode=MODES)
def test_clipped_twice(mode):
    clipped = back_through(by_value)
    assert mode.gradient(lambda x: 5.0 * clipped(x), 2.0) == 1
    assert mode.gradient(lambda x: clipped(5.0 * x), 2.0) == 5


@says(
    "The picture shows the …",
    "Clipping by value shrinks …",
    "If the limit …",
    "Two paths in the …",
    "By norm: a straight …",
    "By value: straight down …",
    "Two rings mark the …",
    "One upstream gradient, clipped …",
)
@over(mode=MODES, tau=[0.0, 0.5, 1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0])
def test_the_limits(mode, tau):
    [plot] = drawn("limits.py")[0].axes
    by_value, at_value, by_norm, at_norm, point = (
        line.get_xydata() for line in plot.lines
    )
    u = np.array([3.0, 4.0], np.float32)
    assert same(point, [u]) and same(u, [3, 4]) and len([by_value, by_norm]) == 2
    at = round(10 * (5 - tau))
    assert same(by_norm[0], u) and same(by_value[-1], [0, 0]) and at <= 50

    def clipped(change):
        @tf.custom_gradient
        def identity(x):
            return tf.identity(x), change

        return mode.gradient(lambda x: tf.reduce_sum(u * identity(x)), u)

    value = clipped(lambda upstream: tf.clip_by_value(upstream, -tau, tau))
    assert np.allclose(value, by_value[at], atol=1e-6)
    assert same(value, np.minimum(u, np.float32(tau)))
    assert (value[0] == value[1]) == (tau <= 3) and len(value) == 2
    if 3 <= tau < 4:
        assert value[0] == u[0] and value[1] < u[1]  # only the larger one
        assert value[0] / value[1] != u[0] / u[1]
    if tau > 0:
        norm = clipped(lambda upstream: tf.clip_by_norm(upstream, tau))
        assert np.allclose(norm, by_norm[at], atol=1e-5)
        assert np.allclose(norm / np.linalg.norm(norm), u / 5, atol=1e-6)
        assert np.isclose(np.linalg.norm(norm), min(tau, 5), 1e-6)
    distances = np.linalg.norm(at_norm, axis=1).round(5).tolist()
    assert distances == [5, 4, 3, 2, 1, 0]
    assert at_value.tolist() == [[3, 4], [3, 4], [3, 3], [2, 2], [1, 1], [0, 0]]
    by_value, by_norm = plot.collections[0].get_offsets()
    assert same(by_value, np.minimum(u, 2)) and same(by_norm, 2 * u / 5, 1e-6)
    assert len([by_value, by_norm]) == 2 and by_value.tolist() == [2, 2]
    assert by_norm.round(6).tolist() == [1.2, 1.6]
    for text in source("limits.live").split("=== limit = ")[1:]:
        limit = float(text.split("\n")[0])
        equal = f"by value at {limit:g}, {limit:g}," in text
        assert equal == (limit <= 3)


def two_means(*xs):
    """The mean over a batch, without a limit and with one."""
    rules = tf.identity, program("solution.py").clip_rows
    return [
        tf.reduce_mean(0.5 * tf.reduce_sum(rule(x) ** 2, axis=1))
        for rule, x in zip(rules, xs)
    ]


@says(
    "A loss is …",
    "Write a gradient function …",
    "It should do …",
    "A mean over …",
    "So `grad` divides …",
    "With 8 rows, …",
    "A limit of 1 wouldn't …",
    "Solution: clip each …",
)
@over(mode=FEW, rows=[1, 2, 8, 100], x=arrays((2,), numbers(-9, 9)), cases=24)
def test_a_limit_for_a_mean(mode, rows, x):
    x = tf.constant([x.tolist()] + [[0.5, 0.0]] * (rows - 1))

    plain, found = mode.gradients(two_means, x, x)
    alone = np.concatenate([by_norm(row[None], 1.0, axes=[1]) for row in x])
    assert np.allclose(plain, x / rows, 1e-5) and np.allclose(rows * found, alone, 1e-5)
    norm = np.linalg.norm(np.array([3.0, 4.0]) / 8)
    assert norm == 0.625 and norm < 1
    lines = trace("solution.py")
    assert len(lines) == 6 and "rows 8" in lines[4].text and "row 0" in lines[4].text
    assert lines[4].numbers[2:4] == [0.375, 0.5]


definition(
    "The symbol $:=$ …",
    "This choice, called …",
    "The element i …",
)
advice(
    "For a straight-through …",
    "Use *Change the picture* …",
    "Test instead that …",
    "If a custom …",
    "If you need …",
    "If you clip, …",
    "So apply the …",
    "Compare the returned …",
)
history("In recurrent networks, …", "The usual fix …")
pointer(
    "The catalogue of …",
    "You need the …",
    "If you only …",
    "You can also add noise.",
    "Compare the second …",
    "If you decide …",
)
pointer(
    "Compare the norms …",
    "Compare the first …",
    "Compare the columns …",
    "The trace of …",
    "The program that …",
    "Make a prediction, …",
    "Three failures belong …",
    "Write: a limit …",
    "To train through …",
    "To train one …",
    "Predict: a factor …",
    "Suppose that the …",
)
