"""What the page on quantized weights says in words."""

from truth.statements.tries import *


def clipped(w):
    return tf.clip_by_value(w, -1.0, 1.0)


def differences(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


# One bit.


@says(
    "With the stored …",
    "One bit — …",
    "The derivative of rounding …",
    "For one bit, this …",
    "For one bit, the …",
    "The weight in use …",
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
    halves = np.array([-1.5, -0.5, 0.5, 1.5])
    assert not np.any(differences(np.round, halves + 0.2))
    assert same(np.round(halves + 1e-9) - np.round(halves - 1e-9), np.ones(4))
    assert bit(0.0) - bit(-1e-9) == 2
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
    "Round during the …",
    "Without a custom …",
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
    "More bits — …",
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
    "If the columns …",
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
    "`fake_quant_with_min_max_vars` — …",
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
        assert len(found[1:]) == 2 and all(by_end != 0 for by_end in found[1:])
    h = 1e-3
    for end, moves in ("a", (h, 0)), ("b", (0, h)):
        ups = [np.clip(x, a + s * moves[0], b + s * moves[1]) for s in (1, -1)]
        by_end = up @ (ups[0] - ups[1]) / (2 * h)
        assert np.isclose(by_end, right[1 if end == "a" else 2], 1e-2)


@says(
    "In the second …",
    "That is why …",
    "In contrast, 1.42 …",
    "TensorFlow's `fake_quant_with_min_max_vars` shifts …",
    "So it may …",
)
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
    "A learned step — …",
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


# Common failures.


@says(
    "The layer stores …",
    "The next rounding …",
)
@over(size=[0.01, 0.1, 0.4])
def test_a_stored_rounded_weight(size):
    rounded = stored = np.float64(1.0)
    for _ in range(100):
        rounded = np.round(rounded - size)
        stored = stored - size
    assert rounded == 1 and np.round(stored) != 1


# Try it.


@says(
    "A weight is 2, …",
    "So train $t$ …",
    "The gradient is 9.",
    "In units of …",
    "The upstream gradient is twice …",
    "The gradient agrees …",
    "The program compares …",
    "The logarithm of …",
    "The differential of the step …",
    "Gradient descent can …",
    "In the previous …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_a_step_and_its_logarithm(mode):
    quantize = program("lsq.py").quantize
    w, s = tf.constant(2.0), tf.constant(0.5)
    assert w == 2 and program("lsq.py").Q == 3
    assert w / s == 4 and tf.round(tf.clip_by_value(w / s, -3.0, 3.0)) == 3
    q = quantize(w, s)
    twice = 2.0
    assert q == 1.5 and twice * q == 3 and s == 0.5
    assert mode.gradient(lambda q: q**2, q) == twice * q
    by_s = mode.gradient(lambda s: quantize(w, s) ** 2, s)
    assert by_s == 9
    by_t = mode.gradient(lambda t: quantize(w, tf.exp(t)) ** 2, tf.math.log(s))
    assert same(by_t, 4.5, 1e-6)
    lines = trace("solution.py")
    assert lines.line("downstream_t").numbers == [4.5, 4.5]
    assert 2 / 0.5 > 3 and source("solution.py").count("w = tf.constant(2.0") == 1
    t = np.log(0.5)
    assert np.isclose(differences(np.exp, t), 0.5) and np.exp(t - 99) > 0
    assert s - 0.1 * by_s < 0


pointer(
    "After this page …",
    "The figure shows which …",
    "The program that …",
    "The type is `grad :: upstream(q: [n]) → downstream(w: [n])`.",
    "Weights — The …",
    "The step is learned.",
)
advice(
    "You need the …",
    r"The gradient is the factor in front of $\d w_i$:",
    "So you use …",
    "Look at `local` …",
    "Store the float …",
    "Predict the gradient …",
    "Derive the gradient …",
)
history(
    "The authors of …",
    "Fake quantization trains …",
    "In LSQ, …",
)
definition(
    "The symbol $:=$ …",
)
