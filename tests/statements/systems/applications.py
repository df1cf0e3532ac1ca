"""What the page on three applications says in words."""

from truth.statements.tries import *


def step(v):
    return np.float64(v > 0)


def slope(v):
    return 1 / (1 + 4 * v * v)


def plain(v):
    return tf.nn.relu(tf.sign(v))


def clipped(w):
    return tf.clip_by_value(w, -1.0, 1.0)


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


# One bit.


@says(
    "Weights of one bit — …",
    "Use the differential of the clipped line.",
    "Let $w_i$ be …",
    "The surrogate is a clipped …",
    "At −1 and …",
    "By convention, the …",
    "The upstream gradient is computed at the weights …",
    "At −2 and …",
    "A weight of …",
    "Below −1 and …",
    "The network with float weights clips …",
)
@over(mode=[EAGER, INSIDE, AROUND], w=[[-3.0, -1.0, -0.2, 0.0, 0.7, 1.0, 1.5]])
def test_one_bit(mode, w):
    w = np.array(w)

    def bit(w):
        return np.where(w < 0, -1.0, 1.0)

    binary = program("bit.py").binary
    inside = np.float64(np.abs(w) <= 1)
    assert same(binary(w), bit(w)) and same(binary(w)[3], 1.0)
    assert not np.any(differences(bit, w[w != 0]))
    for end in (-1.0, 1.0):
        sides = [np.clip(end + h, -1, 1) - end for h in (-1e-3, 1e-3)]
        assert np.count_nonzero(np.round(sides, 9)) == 1
    assert same(mode.gradient(clipped, w), inside)
    up = np.arange(1.0, 8)
    found = mode.gradient(lambda w: tf.reduce_sum(up * binary(w) ** 2), w)
    assert same(found, 2 * up * bit(w) * inside)
    beyond = np.abs(w) > 1
    assert same((w - 0.1 * found)[beyond], w[beyond]) and np.sum(beyond) == 2
    assert np.all(np.abs(clipped(w)) <= 1)
    assert "return tf.clip_by_value(w, -1.0, 1.0)" in source("binary.py")
    lines = trace("bit.py")
    local = dict(zip(lines.line("w ").numbers, lines.line("local").numbers))
    assert [w for w in local if local[w] == 0] == [-2, 1.5]
    assert all(lines.line("upstream").numbers)
    for name in ("bit.py", "binary.py"):
        assert "q = tf.where(w < 0.0, tf.constant(-1.0, w.dtype), 1.0)" in source(name)
        assert "local = tf.cast(tf.abs(w) <= 1.0, w.dtype)" in source(name)
    disk = np.array([0.1, 0.2])
    assert not np.any(differences(lambda r: np.float64(disk < r), 0.15))


@says(
    "The network with float weights gets …",
    "After its weights …",
    "The network that …",
    "Without the custom gradient, only the biases are …",
    "The task is …",
    "Where three networks …",
    "The first and …",
    "The second shows none.",
    "Weights of one bit: …",
)
@over(mode=[EAGER, INSIDE], n=[2, 5])
def test_the_ring(mode, n):
    rng = np.random.default_rng(n)
    w, b = rng.uniform(-1, 1, [n, n]), rng.uniform(-1, 1, n)

    def layer(w, b):
        bits = tf.stop_gradient(tf.sign(w))
        return tf.reduce_sum((tf.ones([1, n], w.dtype) @ bits + b) ** 2)

    by_w, by_b = mode.gradients(layer, w, b)
    assert by_w is None and np.all(by_b != 0)
    lines = trace("binary.py")
    assert [line.numbers[0] for line in lines] == [500, 327, 413, 494]
    assert all(line.numbers[1] == 500 for line in lines)
    assert lines[1].text.startswith("floats, then one bit")
    text = source("binary.py")
    assert "share[1] < 0.75" in text and "min(share[0], share[2]) > 0.9" in text
    assert "tf.stop_gradient(binary(w))" in text


# Several bits.


def in_columns(w, q):
    step = np.max(np.abs(w), 0) / q
    return step * np.round(np.divide(w, step, out=0 * w, where=step > 0))


@says(
    "The forward pass rounds …",
    "Here each column …",
    "With 2 bits, …",
    "With 8 bits, …",
    "The gradient function returns …",
    "Here no such …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], dtype=FLOATS)
def test_a_step_for_each_column(mode, dtype):
    defined = program("several_bits.py")
    w = np.random.default_rng(3).normal(size=[5, 3]) * [1.0, 0.01, 0.0]
    w = tf.cast(w, dtype)
    q = mode.value(defined.by_column, w)
    assert q.dtype == w.dtype
    exact = in_columns(np.array(tf.cast(w, "float64")), defined.Q)
    assert np.allclose(q, exact, atol=0.02) and np.all(np.isfinite(q))
    step = np.max(np.abs(exact), 0)[:2] / defined.Q
    assert {*np.ravel(np.round(exact[:, :2] / step))} <= {-1.0, 0.0, 1.0}
    bits = 8
    assert bits == 8 and 2 ** (bits - 1) - 1 == 127
    assert defined.Q == 1 and np.all(np.abs(w) <= np.max(np.abs(w), 0))
    up = tf.reshape(tf.cast(tf.range(1, 16), dtype), [5, 3])
    found = mode.gradient(lambda w: tf.reduce_sum(up * defined.by_column(w)), w)
    assert same(found, up)


@says(
    "The program first …",
    "Compare how many …",
    "After that, …",
    "With a step for …",
    "If you round …",
    "With one step …",
    "Without the custom gradient, only the biases learn, …",
    "Weights of 2 bits …",
)
@over(size=[1e-3, 0.4])
def test_several_bits(size):
    defined = program("several_bits.py")
    w = tf.constant([[1.0, size], [-0.9, -size]])
    assert np.abs(defined.by_kernel(w)[0, 1]) == 0
    assert np.abs(defined.by_kernel(w)[1, 1]) == 0
    assert same(defined.by_column(w)[:, 1], w[:, 1], 1e-6)
    stopped = EAGER.gradient(lambda w: tf.reduce_sum(defined.without(w) ** 2), w)
    assert not np.any(stopped) and "self.bias" in source("several_bits.py")
    lines = [line.numbers[0] for line in trace("several_bits.py").starting("with a")]
    assert lines == [373, 480]
    assert trace("several_bits.py").line("trained").numbers == [486, 500]
    assert trace("several_bits.py").line("rounded").numbers == [217]
    assert trace("several_bits.py").line("without").numbers == [339]
    assert "500 points right" in trace("several_bits.py").line("trained in").text
    assert "model.fit" in source("several_bits.py")
    shown = {each.text.split(":")[0]: each.numbers for each in trace("several_bits.py")}
    assert shown["with a step for the kernel"] == [373]
    assert shown["without custom gradient"] == [339]


@says(
    "`tf.quantization.fake_quant_with_min_max_vars` rounds to …",
    "The function first …",
    "The surrogate is the clipped …",
    "Between the ends, …",
    r"Below $a$, …",
    "The upstream gradient is computed at the rounded values:",
    "Both ends can …",
    "Each element contributes …",
    "So if $x_i$ …",
    "If $x_i$ is …",
    "Compare the custom …",
    "In the first …",
    "XLA isn't a …",
    "Fake quantization to …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], seed=[0, 1])
def test_the_range(mode, seed):
    defined = program("fake_quant.py")
    x = np.random.default_rng(seed).uniform(-2, 2.5, 200).astype("float32")
    a, b = np.float32(-1.0), np.float32(1.5)
    up = np.arange(1.0, 201, dtype="float32")
    right = [up * ((a <= x) & (x <= b)), np.sum(up[x < a]), np.sum(up[x > b])]
    shares = np.stack([(a <= x) & (x <= b), x < a, x > b])
    assert (
        len(shares) == 3 and np.min(np.sum(shares, 0)) == np.max(np.sum(shares, 0)) == 1
    )
    assert np.isclose(sum(np.sum(each) for each in right), np.sum(up))
    for function in defined.fake_quantize, defined.built_in:
        y = mode.value(function, x, a, b)
        levels = np.unique(np.round((y - a) / (b - a) * 15, 3))
        assert same(levels, np.arange(16.0))
        found = mode.gradients(
            lambda *given: tf.reduce_sum(up * function(*given)), x, a, b
        )
        for one, other in zip(found, right):
            assert same(one, other, 1e-5)
    h = 1e-3
    for end, moves in ("a", (h, 0)), ("b", (0, h)):
        ups = [np.clip(x, a + s * moves[0], b + s * moves[1]) for s in (1, -1)]
        by_end = up @ (ups[0] - ups[1]) / (2 * h)
        assert np.isclose(by_end, right[1 if end == "a" else 2], 1e-2)


@says("In the second …", "That is why …", "In contrast, 1.42 …")
def test_the_shifted_range():
    defined = program("fake_quant.py")
    assert -0.96 + 6 * 0.16 < 1e-9 and np.isclose(1.4 + 1, 15 * 0.16)
    shown = trace("fake_quant.py").starting("  y")[-1].numbers
    assert (shown[0], shown[-1]) == (-0.96, 1.44)
    x = tf.constant([-0.98, 1.42, -0.95, 1.43, 1.45])
    assert -1 < -0.98 < -0.96 and 1.4 < 1.42 < 1.44
    found = EAGER.gradient(lambda x: defined.built_in(x, -1.0, 1.4), x)
    assert same(found, [0.0, 1.0, 1.0, 1.0, 0.0])
    levels = np.unique(defined.built_in(tf.linspace(-2.0, 2.0, 999), -1.0, 1.4))
    assert np.any(np.abs(levels) < 1e-6) and len(levels) == 16
    own = EAGER.gradient(lambda x: defined.fake_quantize(x, -1.0, 1.4), x)
    assert same(own, [1.0, 0.0, 1.0, 0.0, 0.0])


@says(
    "TensorFlow's function has …",
    "In eager forward …",
    "It accepts only …",
    "Its second derivative …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_what_fake_quant_lacks(mode):
    defined = program("fake_quant.py")
    differ = 0
    accepted = [
        dtype
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64)
        if not message(
            mode.value, lambda x: defined.built_in(x, -1.0, 1.5), tf.ones([2], dtype)
        )
    ]
    half = tf.constant([0.3], tf.float16)
    assert not message(
        mode.value,
        lambda x: defined.fake_quantize(
            x, tf.constant(-1.0, x.dtype), tf.constant(1.5, x.dtype)
        ),
        half,
    )
    assert accepted == [tf.float32]
    differ += 1

    def keras_cast(x):
        return tf.cast(defined.built_in(tf.cast(x, tf.float32), -1.0, 1.5), x.dtype)

    assert same(mode.gradient(keras_cast, half), [1.0])
    x = tf.constant([-2.0, 0.3])
    second = [
        mode.derivative(lambda x: tf.reduce_sum(f(x, -1.0, 1.5) ** 2), x)
        for f in (defined.built_in, defined.fake_quantize)
    ]
    assert second[0] is None and same(second[1], [0.0, 2.0])
    differ += 1
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        y = defined.built_in(x, -1.0, 1.5)
        own = defined.fake_quantize(x, tf.constant(-1.0), tf.constant(1.5))
    assert forward.jvp(y) is None and same(forward.jvp(own), [0.0, 1.0])
    differ += 1
    assert differ == 3


@says(
    "The step computed …",
    "So if the loss …",
    "Let $r_i$ be …",
    "The weight in units …",
    "The forward pass uses …",
    "So if $v_i$ …",
    "The straight-through estimator …",
    "Insert both differentials, …",
    "Inside the range, …",
    "Outside the range, …",
    "In the program, …",
    "The gradients of …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], s=[0.05, 0.3, 2.0])
def test_a_learned_step(mode, s):
    defined = program("lsq.py")
    w = np.random.default_rng(1).normal(size=50).astype("float32")
    s, up = np.float32(s), np.arange(1.0, 51, dtype="float32")
    v = w / s
    inside = np.abs(v) <= 3
    r = np.round(np.clip(v, -3, 3))
    assert np.max(np.abs((r - v)[inside]), initial=0) <= 0.5
    assert same(np.abs(r[~inside]), 3 + 0 * r[~inside])
    assert defined.Q == 3
    right = [up * inside, np.sum(up * (r - inside * v))]
    assert same(mode.value(defined.quantize, w, s), s * r, 1e-5)
    found = mode.gradients(
        lambda w, s: tf.reduce_sum(up * defined.quantize(w, s)), w, s
    )
    assert np.allclose(found[0], right[0])
    assert np.allclose(found[1], right[1], 1e-3, 1e-2)
    assert same(mode.gradient(defined.straight, v), 1 + 0 * v)
    by_v = mode.gradient(lambda v: defined.straight(tf.clip_by_value(v, -3, 3)), v)
    assert same(by_v, inside.astype("float32"))
    assert source("lsq.py").count("custom_gradient") == 1
    [step] = EAGER.gradients(
        lambda s: tf.reduce_mean((defined.quantize(tf.constant([9.0]), s) - 9.0) ** 2),
        s,
    )
    assert step < 0  # descent enlarges the step


@says(
    "Then compare the …",
    "From both initial …",
    "The error of the learned …",
    "The error of the step computed …",
    "A learned step: …",
)
def test_the_learned_steps():
    lines = trace("lsq.py")
    learned = [each.numbers for each in lines.starting("learned from")]
    assert learned == [[0.1, 0.674, 0.0493], [1.5, 0.674, 0.0493]]
    assert lines.line("step of the").numbers[-1] == 0.0819
    best = lines.line("best").numbers
    assert best == [1401, 0.654, 0.049] and abs(best[1] - 0.674) < 0.05
    assert same(lines.line("by the tape").numbers, lines.line("by the formula").numbers)
    drawn = source("lsq.py").split("stateless_normal([")[1]
    assert int(drawn.split("]")[0]) == 1000


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
    "The neuron and …",
    "In contrast, the gradient …",
    "The figure shows the output …",
    "The figure shows which …",
    "Application — The …",
    "The program that …",
    "The type is `grad :: upstream(s: [n]) → downstream(v: [n])`.",
    "The type is `grad :: upstream(q: [n]) → downstream(w: [n])`.",
    "The type is `grad :: upstream(image: [N, N]) → (downstream(a), downstream(b), downstream(r))`.",
)
definition("The symbol $:=$ …")
advice(
    "You need the …",
    r"The gradient is the factor in front of $\d v_i$:",
    r"The gradient is the factor in front of $\d w_i$:",
    "The gradients are …",
    "Keep the disk …",
    "Derive the gradients …",
)
history(
    "The authors of …",
    "Fake quantization trains …",
    "In LSQ, …",
)
