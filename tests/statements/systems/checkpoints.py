"""What the page on the number of checkpoints in systems says in words."""

import collections
import functools
import math
import weakref

from truth.statements.tries import *


class Steps:
    """Steps of a chain, and how many of their results are alive."""

    def __init__(self, step=tf.sin):
        self.step, self.run, self.alive, self.most = step, 0, 0, 0

    def __call__(self, x, count=1):
        for _ in range(count):
            x = self.step(x)
            self.run += 1
            self.alive += 1
            self.most = max(self.most, self.alive)
            weakref.finalize(x, self.gone)
        return x

    def gone(self):
        self.alive -= 1


def taped(function, x=1.0):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape, y, x


def near_all(one, other):
    return all(np.allclose(a, b, 1e-3, 1e-3) for a, b in zip(one, other, strict=True))


# Blocks, levels and Revolve.


def in_blocks(steps, n, k):
    def run(x):
        for _ in range(n // k):
            x = tf.recompute_grad(lambda x: steps(x, k))(x)
        return x

    return run


def counted(way, steps):
    """What is alive at once, and the gradient."""
    tape, y, x = taped(way)
    return tape.gradient(y, x), steps.most


@says(
    "So it counts …",
    "For example, the tape keeps …",
    "If you put …",
    "Equal blocks: for a chain …",
    "The table compares …",
    "For a chain of 64 …",
    "Divide a chain …",
    "During the backward …",
    "Their total number …",
    "Blocks of 8 …",
    "One block around the whole chain …",
    "The backward pass then holds …",
    "A chain of 64 steps, …",
    "The *checkpoints* are …",
)
@over(size=[(64, 8), (64, 64), (64, 1), (60, 5), (36, 6)])
def test_blocks(size):
    n, k = size
    plain, blocked = Steps(), Steps()
    slope, most = counted(lambda x: plain(x, n), plain)
    again, at_once = counted(in_blocks(blocked, n, k), blocked)
    assert most == plain.run == n and same(slope, again, 1e-6)
    assert at_once == n // k + k and blocked.run == 2 * n
    assert program("blocks.py").most(n, k) == at_once
    assert (at_once > most) == (k in (1, n))
    assert most != 64 or program("blocks.py").most(64, 8) == 16


@says(
    "64 — no blocks …",
    "64 — 8 blocks …",
    "64 — 3 levels …",
    "64 — 6 levels …",
    "1024 — no blocks …",
    "1024 — 32 blocks …",
    "1024 — 10 levels …",
)
@over(
    row=[
        (64, [8, 8], 16, 1),
        (64, [4, 4, 4], 10, 2.25),
        (64, [2] * 6, 7, 3),
        (1024, [32, 32], 64, 1),
        (1024, [2] * 10, 11, 5),
    ]
)
def test_the_table(row):
    n, parts, at_once, extra = row
    assert math.prod(parts) == n
    steps = Steps()
    if len(parts) == 2:
        blocks, k = parts
        _, most = counted(in_blocks(steps, n, k), steps)
        run = steps.run
        assert blocks == n // k and (k == 32 or blocks == 8)
    else:
        _, most, run = levels(parts)
        assert (len(parts), parts[0]) in ((3, 4), (6, 2), (10, 2))
    assert (most, (run - n) / n) == (at_once, extra)
    plain = Steps()
    _, most = counted(lambda x: plain(x, n), plain)
    assert most == plain.run == n and (plain.run - n) / n == 0


@says(
    "Unequal blocks do …",
    "Few checkpoints are …",
    "For example, with …",
)
def test_unequal_blocks():
    def way(x, steps):
        for size in sizes:
            x = tf.recompute_grad(lambda x, k=size: steps(x, k))(x)
        return x

    found = {}
    for sizes in ([10, 10, 9, 8, 7, 6, 5, 4, 3, 2], [8] * 8):
        steps = Steps()
        counted(lambda x, steps=steps: way(x, steps), steps)
        assert sum(sizes) == 64 and steps.run == 128
        found[sizes[0]] = steps.most
    assert found == {10: 12, 8: 16}


@says(
    "The fraction is …",
    "To find the …",
    "So the best equal …",
    r"At most $2 \sqrt{n}$ tensors are then alive at once, at …",
    r"At most $2 \sqrt{n}$ tensors are then alive at once, and …",
    r"Use $\sqrt{n}$ blocks …",
    r"The peak is smallest …",
)
@over(n=st.integers(1, 40).map(lambda root: root**2), k=st.integers(1, 1600))
def test_best_blocks(n, k):
    most = program("blocks.py").most
    root = math.isqrt(n)
    assert most(n, root) == 2 * root
    assert (most(n, k) > 2 * root) == (k != root)


def levels(parts):
    """What a chain that is cut so keeps beside its output, and how often it steps."""
    defined = program("levels.py")
    defined.count.update(run=0, alive=0, most=0)
    tape, y, x = taped(defined.chain(parts))
    slope = tape.gradient(y, x)
    return slope, defined.count["most"], defined.count["run"]


@says(
    "With `[8, 8]`, 176 …",
    "This custom gradient …",
    "You can divide …",
    "The program below …",
    "The gradient function …",
    "With $p$ levels of $q$ blocks each …",
    "With $p$ levels of $q$ blocks, …",
    "Levels: if the peak …",
    "The table also counts …",
    "On each level, …",
    "In total, at …",
    "The program compares four …",
    "Look at the tensors …",
    "*Halves* are levels …",
    "In its argument …",
    "`at once` is …",
    "With halves, the …",
    "The number of runs …",
    "A chain divided …",
)
@over(q=[2, 3, 5], k=[1, 2, 3])
def test_levels(q, k):
    n = q**k
    assert len(trace("levels.py")) == 4 and "at once" in trace("levels.py")[0].text
    slope, most, run = levels([q] * k)
    assert most == k * (q - 1) + 1 and run == n + k * (n - n // q)
    steps = Steps()
    assert same(slope, counted(lambda x: steps(x, n), steps)[0], 1e-5)
    if q == 2:
        assert most - 1 == math.log2(n)


@says(
    "Two plots over …",
    "Left, tensors alive …",
    "Right, steps run: …",
    "Tensors alive at once and …",
    "The program that counts …",
    "The figure doesn't count …",
    "At a depth …",
    "But halves run …",
)
def test_the_figure():
    left, right = drawn("figure.py")[0].axes
    for plot in (left, right):
        assert plot.get_xscale() == plot.get_yscale() == "log"
        for line, marks in zip(plot.lines[::2], plot.lines[1::2]):
            assert np.allclose(line.get_ydata(), marks.get_ydata())
            assert [*marks.get_xdata()] == [4, 16, 64, 256, 1024]
    assert [each.get_ydata()[-1] for each in left.lines[1::2]] == [1023, 62, 10]
    ends = [each.get_ydata()[-1] / 1024 for each in right.lines[1::2]]
    assert np.allclose(ends, [2.0, 2.9, 6.0], atol=0.05)
    one, _, halves = (each.numbers for each in trace("figure.py"))
    assert (one[4], halves[4]) == (1023, 10) and round(halves[9] / one[9]) == 3
    assert [line.get_xdata()[-1] for line in right.lines] == [1024] * len(right.lines)


@functools.cache
def fewest(n, s):
    """Griewank's recursion, of costs alone."""
    if n == 1 or s == 0:
        return 0 if n == 1 else math.inf
    return min(j + fewest(n - j, s - 1) + fewest(j, s) for j in range(1, n))


@says(
    "The first formula …",
    "The second formula …",
    "In the program, …",
    "The counted steps …",
    "Choose the smallest …",
    "A fixed number of checkpoints: …",
    "`formula` is $t$, …",
    "Backpropagation with s …",
    "The fewest steps …",
)
@over(s=[1, 2, 3, 5], n=[2, 7, 20, 35])
def test_revolve(s, n):
    defined = program("revolve.py")
    r = next(r for r in range(n) if math.comb(s + r, s) >= n)
    assert defined.plan(n, s)[0] == fewest(n, s) == r * n - math.comb(s + r, s + 1)
    defined.reverse.__globals__["again"] = again = collections.Counter()
    found = defined.reverse(tf.constant(1.0), 0, n, s, tf.constant(1.0))
    steps = Steps()
    assert same(found, counted(lambda x: steps(x, n), steps)[0], 1e-5)
    assert sum(again.values()) == fewest(n, s)
    assert math.comb(s + max(again.values()), s) >= n
    for row in trace("revolve.py"):
        assert row["run again"] == row["formula"]


@says(
    "For $s = 1$, …",
    "With three checkpoints, …",
)
def test_rows_of_revolve():
    rows = {row["s"]: row for row in trace("revolve.py")}
    assert program("revolve.py").n == 56
    assert math.comb(8, 3) == math.comb(8, 5) == 56
    assert rows[3]["reach"] == rows[5]["reach"] == 56
    assert 3 * 56 < rows[3]["run again"] < 4 * 56


# The check.


@says(
    "The steps of …",
    "The default argument …",
    "Without it, each block …",
    "All three inner …",
    "The program takes the …",
    "Compare blocks and …",
)
def test_the_check():
    defined = program("check.py")
    x, upstream = tf.ones([5], tf.float64), tf.range(5, dtype=tf.float64)
    plain = defined.gradient(lambda x: defined.steps(x, 0, 16), x, upstream)
    for function in (defined.blocks, defined.halves):
        assert same(defined.gradient(function, x, upstream), plain, 1e-9)
    assert not near_all([defined.step(x, 0)], [defined.step(x, 1)])

    def unbound(x):
        for at in range(0, 16, 4):
            x = tf.recompute_grad(lambda x: defined.steps(x, at, 4))(x)
        return x

    assert not same(defined.gradient(unbound, x, upstream), plain, 1e-3)
    assert all("True" in line.text for line in trace("check.py"))


# The exercise.


@says(
    "You have room …",
    "A level of …",
    "Two levels need …",
    "The program tries …",
    "The cheapest ones …",
    "Ways to divide …",
)
def test_exercise():
    defined = program("solution.py")
    pairs = [[q, 1000 // q] for q in range(1, 1001) if 1000 % q == 0]
    assert min(map(defined.most, pairs)) == defined.most([25, 40]) == 63 > 40
    found = [*defined.cuts(1000)]
    assert all(math.prod(parts) == 1000 for parts in found)
    fitting = [parts for parts in found if defined.most(parts) <= 40]
    best = min(fitting, key=defined.runs)
    assert best == [4, 10, 25] and len(best) == 3
    for parts in ([8], [2, 4], [2, 2, 2], [3, 5]):
        _, most, run = levels(parts)
        assert (most - 1, run) == (defined.most(parts), defined.runs(parts))


@says(
    "The upper panel of …",
    "After the forward …",
    "Each tooth of the …",
    "The tensors of …",
    "With few blocks, the …",
    "But with many …",
    "So the best number …",
    "For example, four …",
    "Two panels show how …",
    "Above, over the steps …",
    "With tf.recompute_grad in …",
    "Then each block that …",
    "Below, the peak over …",
    "A ring marks 8 …",
    "Tensors alive at once in …",
)
def test_the_peaks():
    above, below = drawn("peak.py")[0].axes
    assert len([above, below]) == 2
    without, recomputed, ring = (list(line.get_ydata()) for line in below.lines)
    number = [int(each.get_text()) for each in below.get_xticklabels()]
    assert number == [1, 2, 4, 8, 16, 32, 64] and len(below.lines) == 3
    lines = trace("blocks.py")
    plain = next(line for line in lines if "no blocks" in line.text)
    assert without == [plain.numbers[3]] * 7 and without[0] == 64
    at = {64 // line["k"]: line.numbers[3] for line in lines if line["k"]}
    assert recomputed == [at[each] for each in number]
    assert recomputed[0] == recomputed[-1] == 65 and len(lines[1:]) == 7
    assert min(recomputed) == 16 == recomputed[number.index(8)]
    for blocks, most in zip(number, recomputed):  # ends, and steps of one block
        assert most == blocks + 64 // blocks
    assert 64 // number[0] == 64 > 1 and 64 // number[-1] == 1
    [marked] = ring
    assert marked == 16 and above.get_title() == "one run in 8 blocks"
    plain, with_ = (line.get_xydata() for line in above.lines)
    assert plain[:, 1].max() == 64 and plain[-1].tolist() == [64, 0]
    ends, tops = {}, {}
    for blocks in 8, 4:
        length = 64 // blocks
        again, alive, tops[blocks] = one_run(blocks)
        parts = [[*range(at, at + length)] for at in range(0, 64, length)]
        assert again == np.ravel(parts[::-1]).tolist()  # the last one first
        ends[blocks] = [part[-1] for part in parts]
        for n, each in enumerate(alive):  # nothing of the block before
            assert each == ends[blocks][: blocks - n]
    assert with_[with_[:, 0] == 64][-1, 1] == len(ends[8]) == 8
    assert tops[8] == [*range(16, 8, -1)] and tops[8][0] == max(with_[:, 1])
    falls = with_[1:][np.diff(with_[:, 1]) < 0]
    teeth = [int(at) for at in falls[:, 0] if at > 64]
    assert sorted({*teeth}) == [*range(72, 129, 8)] and len({*teeth}) == len(tops[8])
    assert len(ends[4]) == 4 < len(ends[8]) and min(tops[4]) > max(tops[8])


def one_run(blocks):
    """The steps that run again, in order; before each block does, whose results are
    alive; and after it, how many."""
    length, alive, order, before, after = 64 // blocks, [], [], [], []

    def steps(x, block):
        before.append(sorted(alive))
        for at in range(block * length, (block + 1) * length):
            x = tf.sin(x)
            order.append(at)
            alive.append(at)
            weakref.finalize(x, alive.remove, at)
        after.append(len(alive))
        return x

    def chain(x):
        for block in range(blocks):
            x = tf.recompute_grad(lambda x, block=block: steps(x, block))(x)
        return x

    tape, y, x = taped(chain)
    assert tape.gradient(y, x) is not None
    return order[64:], before[blocks:], after[blocks:]


pointer(
    "After this page …",
    "After this page …",
    "depth $n$ — blocks …",
    "Compare `at once` …",
    "Compare `run again` …",
    "That page also …",
)
advice(
    "Use *Change the picture* …",
    "You need `tf.recompute_grad` …",
    "If the results of the …",
)
definition(
    "An extra forward …",
    "The numbers are tensors, …",
)
