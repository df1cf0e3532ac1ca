"""What the page on two applications says in words."""

from truth.statements.tries import *


def step(v):
    return np.float64(v > 0)


def slope(v):
    return 1 / (1 + 4 * v * v)


def plain(v):
    return tf.nn.relu(tf.sign(v))


def differences(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


# Spikes.


@says(
    "A spiking network — …",
    "The derivative of a step …",
    "Let $v_i$ be …",
    "The derivative of a spike …",
    "The surrogate is a curve …",
    "Use the differential of the surrogate.",
    "This differential also …",
    "The upstream gradient is computed at the spikes …",
    "The program computes five …",
    "`local` agrees with …",
    "`downstream` is `upstream` …",
    "Compare it with …",
    "TensorFlow's gradient of …",
    "A spike is $s_i …",
    "A spike is a step …",
)
@over(mode=[EAGER, INSIDE, AROUND], v=[[-2.0, -0.5, 0.0, 1e-9, 2.0]])
def test_a_spike(mode, v):
    spike, v = program("spike.py").spike, np.array(v)
    assert same(spike(v), step(v)) and same(spike(v)[2], 0.0)
    away = v[np.abs(v) > 1e-3]
    assert same(differences(step, away), np.zeros_like(away))
    assert step(1e-9) - step(-1e-9) == 1
    disk = np.array([0.1, 0.2])
    assert not np.any(differences(lambda r: np.float64(disk < r), 0.15))
    surrogate = differences(lambda v: np.arctan(2 * v) / 2, v)
    assert np.allclose(surrogate, slope(v), 1e-6)
    assert np.all(slope(v) > 0) and slope(0.0) == 1
    weights = np.arange(1.0, 6)
    found = mode.gradient(lambda v: tf.reduce_sum(weights * spike(v) ** 2), v)
    assert same(found, 2 * weights * step(v) * slope(v), 1e-12)
    assert same(mode.gradient(plain, v), np.zeros_like(v))
    lines = trace("spike.py")
    local, surrogate = lines.line("local").numbers, lines.line("surrogate").numbers
    assert np.allclose(local, surrogate, 1e-5)
    up, down = lines.line("upstream").numbers, lines.line("downstream").numbers
    assert np.allclose(np.multiply(up, local), down) and not np.allclose(up, down)
    assert not any(lines.line("tf.sign").numbers)
    assert len(lines.line("v ").numbers) == len(lines.line("tf.sign").numbers) == 5


@says(
    "A leaky integrate-and-fire …",
    "If the potential …",
    "The spike then …",
    "Leaky integrate-and-fire: a …",
    "A hidden spike …",
    "An output spike …",
    "Each spike also …",
)
@over(times=[2, 5])
def test_a_neuron(times):
    currents = np.random.default_rng(times).uniform(0.2, 1.5, times)
    spike, v, s, before = program("spike.py").spike, 0.0, 0.0, []

    def count(currents):
        v = s = tf.zeros([], tf.float64)
        total = 0.0
        for current in tf.unstack(currents):
            v = 0.9 * v + current - s
            s = spike(v - 1.0)
            total += s
        return total

    for current in currents:
        v = 0.9 * v + current - s
        s = step(v - 1)
        before.append(v)
    by_v, later = [], 0.0
    for v in reversed(before):
        by_s = 1.0 - later
        later = 0.9 * later + by_s * slope(v - 1)
        by_v.append(later)
    assert same(EAGER.gradient(count, currents), by_v[::-1], 1e-9)
    text = source("spiking.py")
    assert "v = 0.9 * v + current - s" in text and "step(v - 1.0)" in text


@says(
    "Without a custom …",
    "With the custom gradient, 188 …",
    "Without the custom gradient, each …",
    "A spiking network learns …",
    "The network sees …",
    "A layer of …",
    "The gradient of …",
    "The output neuron …",
    "Potentials of the …",
    "Where the pulse …",
    "Where it moves …",
    "The weights; loss …",
)
@over(mode=[EAGER, INSIDE], layers=[1, 2])
def test_the_spiking_network(mode, layers):
    def counts(x, *weights):
        for w in weights:
            x = plain(x @ w - 1.0)
        return tf.reduce_sum(x * x)

    rng = np.random.default_rng(0)
    given = [rng.standard_normal([3, 3]) for _ in range(layers + 1)]
    for found in mode.gradients(counts, *given):
        assert found is not None and not np.any(found)  # not None, so it is silent
    text = source("spiking.py")
    assert "INPUTS, HIDDEN, TIMES, TEST = 12, 32, 24, 200" in text
    assert "rounds=120" in text and "[HIDDEN, 2]" in text
    without, with_rule = trace("spiking.py").starting("  loss")
    assert without.numbers == [1.42, 1.42, 0.0]
    assert with_rule.numbers[:2] == [1.42, 0.01] and with_rule.numbers[2] > 1
    right = [line.numbers[0] for line in trace("spiking.py") if "pulses" in line.text]
    assert right == [91, 188]


# The disk.


def moved(p, i, h):
    p = np.array(p)
    p[i] += h
    return [tf.constant(each) for each in p]


@says(
    "A disk in …",
    "The value of a pixel is the …",
    "A renderer estimates …",
    "A point is …",
    "But the derivative …",
    "The inputs are …",
    "A small change …",
    "At the angle …",
    "So the value …",
    "The product of …",
    "The lines between …",
    "Arc $j$ goes …",
    "The local factors …",
    "The integrals over …",
    "You define this …",
    "But unlike the …",
    "A short arc …",
    "The program compares the gradient with central …",
    "A disk with …",
    "The share of …",
    "The exact area …",
    "All three gradients …",
    "The value of a pixel is an …",
    "The integrand is …",
    "The output is …",
)
@over(p=[[3.6, 4.2, 2.7], [4.3, 3.7, 1.45]])
def test_the_disk(p):
    defined = program("disk.py")
    N, given = defined.N, [tf.constant(each, tf.float64) for each in p]
    hard, exact = defined.hard(*given), defined.areas(*given)
    assert hard.shape == exact.shape == [N, N] and len(given) == 3
    assert np.abs(hard - exact).max() < 0.05 and set(np.ravel(hard)) > {0.0, 1.0}
    assert np.isclose(np.sum(exact), np.pi * p[2] ** 2)
    upstream = np.random.default_rng(1).standard_normal([N, N])
    found = EAGER.gradients(
        lambda *p: tf.reduce_sum(upstream * defined.disk(*p)), *given
    )
    phi = (np.arange(200000) + 0.5) / 200000 * 2 * np.pi
    at = np.floor([p[0] + p[2] * np.cos(phi), p[1] + p[2] * np.sin(phi)]).astype(int)
    edge = upstream[tuple(at)] * p[2] * 2 * np.pi / len(phi)
    ways = [edge @ np.cos(phi), edge @ np.sin(phi), np.sum(edge)]
    for i in range(3):
        up, down = (defined.areas(*moved(p, i, h)) for h in (1e-5, -1e-5))
        right = np.sum(upstream * (up - down)) / 2e-5
        assert np.isclose(found[i], right, 1e-5, 1e-6)
        assert np.isclose(ways[i], right, 1e-2, 1e-3)
        same_points = [defined.hard(*moved(p, i, h)) for h in (1e-9, -1e-9)]
        assert same(*same_points)
    inside = np.abs(np.ravel(exact) - 1) < 1e-12
    change = np.ravel(defined.areas(*moved(p, 2, 1e-5)) - exact)
    assert np.all(np.abs(change[inside]) < 1e-12) and np.any(inside)
    assert np.any(change > 1e-7)


@says(
    "Fit a disk …",
    "With the custom gradient, the …",
    "Without the custom gradient, `tape.gradient` …",
    "A noisy image …",
    "A dotted circle, …",
    "A solid circle, …",
    "The program passes …",
    "Without a custom …",
    was="'the disk silently doesn't learn': its gradients are None",
)
@over(mode=[EAGER, INSIDE])
def test_the_fit(mode):
    hard = program("disk.py").hard
    p = [tf.constant(each, tf.float64) for each in (3.6, 4.2, 2.7)]
    assert mode.gradients(hard, *p) == [None] * 3
    taken = zip(mode.gradients(hard, *p), map(tf.Variable, p))
    said = message(tf.keras.optimizers.SGD(0.1).apply_gradients, taken)
    assert "No gradients provided for any variable" in said  # not silent
    wanted, without, with_rule = trace("fit.py")
    assert same(without.numbers[:3], wanted.numbers[3:])
    assert np.allclose(with_rule.numbers[:3], wanted.numbers[:3], atol=0.11)
    assert without.numbers[3:] == [24.4, 24.4]
    assert with_rule.numbers[3:] == [24.4, 0.3]
    noise = np.random.default_rng(0).normal(0.0, 0.05, [12, 12])
    assert abs(np.sum(noise**2) - 0.3) < 0.1
    text = source("fit.py")
    assert "N, SUB = 12, 16" in text and 'unconnected_gradients="zero"' in text


# Where it breaks.


@says(
    "Finite differences of counted points are wrong.",
    "A renderer computes …",
    "Finite differences of such …",
    "The right derivative …",
    "None of the …",
    "The forward pass counts points, …",
    "If you change …",
    "With a larger …",
    "So a check …",
    "Deliberately wrong: …",
)
def test_differences_of_points():
    defined = program("disk.py")
    p = [3.6, 4.2, 2.7]
    given = [tf.constant(each, tf.float64) for each in p]
    right = 2 * np.pi * 2.7
    rule = EAGER.gradients(lambda *p: tf.reduce_sum(defined.disk(*p)), *given)[2]
    assert np.isclose(rule, right)
    found = []
    for h in (1e-6, 1e-3, 2e-3, 4e-3):
        up, down = (defined.hard(*moved(p, 2, s)) for s in (h, -h))
        found.append(np.sum(up - down) / (2 * h))
    assert found[0] == 0 and np.std(found[1:]) > 0.1
    assert not np.any(np.isclose(found, right, 1e-3))
    slopes = [line.numbers[-1] for line in trace("wrong/differences.py")[1:]]
    assert slopes[0] == 0 and len(set(slopes)) == 4
    assert round(right, 2) == trace("wrong/differences.py")[0].numbers[-1] == 16.96
    assert all(abs(each - 16.96) > 0.1 for each in slopes) and len(slopes) == 4


@says(
    "The circle touches …",
    "For such a …",
)
@over(h=[1e-3, 1e-5])
def test_an_edge_on_a_line(h):
    defined = program("disk.py")
    upstream = np.random.default_rng(0).standard_normal([8, 8])

    def off(p):
        given = [tf.constant(each, tf.float64) for each in p]
        rule = EAGER.gradients(
            lambda *p: tf.reduce_sum(upstream * defined.disk(*p)), *given
        )[2]
        up, down = (defined.areas(*moved(p, 2, s)) for s in (h, -h))
        return abs(rule - np.sum(upstream * (up - down)) / (2 * h))

    assert off([3.6, 4.3, 2.7]) > 100 * off([3.6, 4.2, 2.7])


@says(
    "The disk leaves …",
    "An arc outside …",
    "On a CPU …",
    "Under XLA, the …",
)
@over(a=[1.0, 4.0, 7.0])
def test_a_disk_that_leaves(a):
    disk = program("disk.py").disk
    p = [tf.constant(each, tf.float64) for each in (a, 4.1, 2.3)]

    def gradients():
        with tf.device("CPU"):
            return EAGER.gradients(lambda *p: tf.reduce_sum(disk(*p)), *p)

    leaves = a - 2.3 < 0 or a + 2.3 > 8
    found = raised(gradients)
    assert isinstance(found, tf.errors.InvalidArgumentError) if leaves else not found
    compiled = XLA.gradients(lambda *p: tf.reduce_sum(disk(*p)), *p)
    areas = program("disk.py").areas
    right = EAGER.gradients(lambda *p: tf.reduce_sum(areas(*p)), *p)
    assert np.allclose(compiled, right, 1e-6, 1e-6) == (not leaves)


@says(
    "The spike is …",
    "If a step …",
)
@over(mode=[EAGER, INSIDE], rule=[True, False])
def test_integers(mode, rule):
    def whole(v):
        return tf.cast(v > 0, tf.int32)

    if rule:
        whole = tf.custom_gradient(lambda v: (tf.cast(v > 0, tf.int32), lambda up: up))
    assert mode.gradient(lambda v: tf.cast(whole(v), v.dtype), 2.0) is None


@says(
    "A bar in one dimension covers …",
    "The boundary consists …",
    "If the left …",
    "Both gradients agree with finite differences of …",
    "A bar in one dimension: …",
    "The exact length …",
)
@over(mode=[EAGER], a=[0.5, 2.2], b=[3.7, 7.1])
def test_the_bar(mode, a, b):
    defined = program("solution.py")
    a, b = np.float64(a), np.float64(b)
    upstream = np.arange(1.0, 9)
    found = mode.gradients(
        lambda a, b: tf.reduce_sum(upstream * defined.bar(a, b)), a, b
    )
    assert same(found[0], -upstream[int(a)]) and same(found[1], upstream[int(b)])
    assert np.isclose(np.sum(defined.shares(a, b)), b - a)
    by_a = differences(lambda a: np.sum(upstream * defined.shares(a, b)), a)
    by_b = differences(lambda b: np.sum(upstream * defined.shares(a, b)), b)
    assert np.allclose(found, [by_a, by_b], 1e-6)


pointer(
    "After this page …",
    "The neuron uses …",
    "Rounding is also …",
    "The page Train …",
    "In contrast, the gradient …",
    "The figure shows the output …",
    "Application — The …",
    "The program that …",
    "The type is `grad :: upstream(s: [n]) → downstream(v: [n])`.",
    "The type is `grad :: upstream(image: [N, N]) → (downstream(a), downstream(b), downstream(r))`.",
)
definition("In the table, …", "The symbol $:=$ …")
advice(
    "You need the …",
    r"The gradient is the factor in front of $\d v_i$:",
    "The gradients are …",
    "Keep the disk …",
    "Derive the gradients …",
)
