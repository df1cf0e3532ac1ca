"""What the page on TensorFlow's documentation says in words."""

import doctest
import functools
import inspect
import re
import tempfile
from pathlib import Path

import keras
from tensorflow.python.framework import ops

from truth.statements.tries import *

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "guide/documentation.md").read_text("utf-8")
TEXT = inspect.cleandoc(tf.custom_gradient.__doc__)
QUOTED = re.findall(
    r"((?:^> ?.*\n)+)\n<!-- docstring: ([\w.]+) -->", PAGE, re.MULTILINE
)


def documented(text, having):
    """What the first piece of code in a docstring that has these words defines."""
    found = re.findall(r"```python\n(.*?)```", inspect.cleandoc(text), re.DOTALL)
    found += [each.source for each in examples(text)]
    names = {"tf": tf, "ops": keras.ops}
    exec(inspect.cleandoc(next(each for each in found if having in each)), names)
    return names


def examples(text):
    return doctest.DocTestParser().get_examples(text)


def docstring(name):
    return eval(name, {"tf": tf}).__doc__


def squeezed(text):
    return " ".join(text.replace("`", "").split())


# The page.


@says(
    "This site's tests …",
    "For each quotation, …",
    was="'each answer is a run': the page that was linked for grad_pass_through ran none of its three",
)
def test_each_quote():
    assert len(QUOTED) == PAGE.count("\n\n> ") == 9
    for quote, name in QUOTED:
        said = squeezed(re.sub("^> ?", "", quote, flags=re.MULTILINE))
        text = squeezed(docstring(name))
        assert all(part.strip() in text for part in said.split("…")), said
    for part in PAGE[: PAGE.index("## Check")].split("\n### ")[1:]:
        own = '--8<-- "guide/documentation/' in part
        linked = re.search(r"\((\w+\.md)#where-it-breaks\) runs both", part)
        assert own or linked, part[:40]
    assert "stability/wrong/official.py" in (DOCS / "guide/stability.md").read_text()


@says(
    "The examples of …",
    "This example passes …",
    "The next program runs …",
    "Run the documented …",
)
def test_the_examples_pass():
    counts = [each for each in trace("docstring.py") if "examples" in each.text]
    assert [each.numbers[1] for each in counts] == [0] * 4 and len(counts) == 4
    assert "numpy=array([6., 3.]" in examples(TEXT)[-1].want


@says(
    "Also, doctest runs …",
    "The last four …",
    "Only the first …",
)
@over(
    prompt=["", ">>> ", "> ", "    "],
    fence=["", "```python\n"],
    source=st.sampled_from(["f(1)", "x = [1, 2]"]),
)
def test_the_prompt(prompt, fence, source):
    seen = examples(f"A text.\n\n{fence}{prompt}{source}\n")
    assert [each.source.strip() for each in seen] == [source] * (prompt == ">>> ")
    said = [each.text.endswith("True") for each in trace("docstring.py")[-4:]]
    assert said == [True, False, False, False]


@says("A test that …")
@over(was=st.integers(-9, 9), now=st.integers(-9, 9))
def test_its_own_output(was, now):
    test = doctest.DocTestParser().get_doctest(
        f">>> f()\n{was}", {"f": lambda: now}, "f", None, 0
    )
    failed, _ = doctest.DocTestRunner().run(test, out=lambda text: None)
    assert failed == (was != now)


# The swapped weights.


def taught(x, weights):
    """The rule as the docstring has it."""
    names = documented(tf.custom_gradient.__doc__, "linear_poly")
    names["weights"] = weights
    return names["linear_poly"](x)


@says(
    "The documented example computes …",
    "Its gradient function …",
    "The polynomial of …",
    "But the stack …",
    "For example, the documented …",
    "`tf.custom_gradient`: the example …",
    "The docstring shows …",
    "The documented gradient …",
)
@over(
    mode=[EAGER, INSIDE, XLA],
    x=arrays((3,), numbers(-9, 9)),
    examples=({"x": np.float32([1, 2, 3])},),
    cases=9,
)
def test_the_documented_rule(mode, x):
    found = {}
    for name, run in to_weights(mode).items():
        found[name], y = run(tf.constant(x))
        assert same(y, x + 1, 1e-6)
    assert same(found["rule"], found["autodiff"][::-1], 1e-4)
    assert same(found["autodiff"][0], 3.0)
    if x.tolist() == [1, 2, 3]:
        assert same(found["rule"], [6.0, 3.0])
    first, second = trace("wrong/variables.py")
    assert first.numbers[2:4] == [6, 3] and second.numbers[2:4] == [3, 6]


@functools.cache
def to_weights(mode):
    """The gradients of the weights, by the rule and without."""
    weights = tf.Variable(tf.ones([2]))

    def plain(x):
        return weights[1] * x + weights[0]

    def made(function):
        def run(x):
            with tf.GradientTape() as tape:
                y = function(x)
            return tape.gradient(y, weights), y

        return run if mode is EAGER else tf.function(run, jit_compile=mode is XLA)

    return {"rule": made(lambda x: taught(x, weights)), "autodiff": made(plain)}


@says(
    "The next program trains …",
    "With the documented …",
    "With the right …",
    "Deliberately wrong: train …",
)
def test_training_with_it():
    """Compared with a program that has the order of the docstring, in its own words."""
    weights = tf.Variable(tf.ones([2]))
    x = tf.constant([1.0, 2.0, 3.0])
    losses = []
    for _ in range(21):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((taught(x, weights) - (2 + 0.5 * x)) ** 2)
        losses.append(loss)
        weights.assign_sub(0.05 * tape.gradient(loss, weights))
    assert trace("wrong/variables.py")[0].numbers[-2:] == [0.5, 3.1494]
    assert trace("wrong/variables.py")[1].numbers[-2:] == [0.5, 0.1035]
    assert same(losses[0], 0.5) and same(losses[-1], 3.1494, 1e-4)


@says(
    "The docstring has no …",
)
def test_the_only_example():
    rules = re.findall(r"def \w+\([^)]*variables[^)]*\):", TEXT)
    assert rules == ["def grad_fn(dpoly, variables):"]


@says(
    "The four steps …",
    "The function has …",
    "Each input contributes …",
    "All points share …",
    "It returns the …",
    "So the gradient of `w` …",
    "The gradient of the first weight comes …",
)
@over(
    mode=MODES,
    x=arrays((3,), numbers(-9, 9)),
    weights=arrays((2,), numbers(-9, 9)),
    loss=[LOSSES["dense"], LOSSES["ones"]],
)
def test_the_derivation(mode, x, weights, loss):
    rule = program("documentation.py").polynomial
    upstream = EAGER.gradient(loss, x).numpy()
    to_x, to_weights = mode.gradients(rule, x, weights, loss=loss)
    assert same(to_x, upstream * weights[1], 1e-5)
    right = [np.sum(upstream), np.sum(upstream * x)]
    assert np.allclose(to_weights, right, 1e-4, 1e-3)


@says(
    "Automatic differentiation and …",
    "The gradient of w0 …",
    "The next program returns …",
    "The upstream gradient is …",
)
def test_the_trace():
    upstream, local, *ways = trace("documentation.py")
    assert upstream.numbers == [1, 1, 1] and local.numbers == [1, 1, 1, 1, 2, 3]
    assert [each.numbers for each in ways] == [[3, 6]] * 3
    assert "stack(w1, w0)" in trace("wrong/variables.py")[0].text


@says(
    "The example returns …",
    "The gradient of the first weight is …",
)
def test_the_first_prediction():
    weights, x = tf.Variable(tf.ones([2])), tf.constant([1.0, 2.0])
    found = []
    for function in (taught, lambda x, w: w[1] * x + w[0]):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(function(x, weights))
        found.append(tape.gradient(y, weights).numpy())
    assert [str(each) for each in found] == ["[3. 2.]", "[2. 3.]"]
    assert found[1].tolist() == [len(x), sum(x)]


@says(
    "The gradient is …",
    "The upstream gradient 1 …",
)
def test_the_second_prediction():
    after = program("wrong/clip.py").after
    assert same(EAGER.gradient(after, 10.0), 10.0) and 0.5 * 2 * 10 == 10
    for each in trace("wrong/clip.py")[:2]:
        _, upstream, downstream, _ = each.numbers
        assert upstream == 1 and downstream == 0.5


# log(1 + e^x), and a rule inside a rule.

official = documented(TEXT, "def grad(upstream):\n    return upstream * (1")["log1pexp"]


@says(
    "`tf.custom_gradient`: `log1pexp` at …",
    "The example is the …",
    "But in float32, …",
    was="without 'in float32': in float64 the value at 100 is 100",
)
@over(mode=MODES)
def test_at_100(mode):
    def slope(x):
        return EAGER.gradient(official, x)

    x = tf.constant(100.0)
    assert same(mode.gradient(official, x), 1.0) and np.isinf(official(x))
    assert np.isinf(tf.function(official, jit_compile=mode is XLA)(x))
    assert same(mode.gradient(slope, x), np.nan)
    assert same(official(tf.constant(100.0, tf.float64)), 100.0)
    shown = trace("../stability/wrong/official.py")[5].numbers
    assert same(shown, [100.0, np.inf, 1.0, np.nan])


@says(
    "The documentation of …",
    "Further down, the …",
    "It treats `log1pexp` …",
    "The formula for …",
    "The right side …",
)
@over(mode=MODES, x=numbers(-20, 90))
def test_input_or_output(mode, x):
    """Of log(1 + e^x), with the input x_i-1 and the output x_i."""
    said = "dx_i/dx_i-1 = (exp(x_i) / (1 + exp(x_i)))"
    assert said in TEXT and "`x_i = x_i(x_i-1)`" in TEXT
    found = mode.gradient(official, x)
    shown = documented(keras.ops.custom_gradient.__doc__, "def grad(upstream):")
    assert same(found, mode.gradient(shown["log1pexp"], x))
    assert np.isclose(found, tf.sigmoid(x), 1e-3, 1e-6)
    if x < 3:
        assert not np.isclose(found, tf.sigmoid(np.log1p(np.exp(x))), 1e-3, 1e-6)


@says(
    "But the skeleton …",
    "But the inner …",
    "The inner decorated …",
    "According to the …",
    "The fix is …",
    "`tf.custom_gradient`: the nested …",
    "This line is …",
    "Deliberately wrong: grad_of_slope …",
    "A custom gradient …",
)
@over(mode=MODES, inputs=[1, 2], returned=[1, 2, 3])
def test_one_for_each_input(mode, inputs, returned):
    rule = tf.custom_gradient(lambda *xs: (xs[0] * 1.0, lambda u: [u] * returned))
    error = raised(mode.gradients, rule, *[1.0] * inputs)
    assert (error is None) == (inputs == returned)
    skeleton = TEXT[TEXT.index("def op_with_fused_backprop") :]
    assert "def first_order_custom(unused_x):" in skeleton
    assert "Additional arguments to the inner" in skeleton
    assert "control the expected return values" in skeleton


@says(
    "The first derivative …",
    "With the tapes inside a `tf.function` …",
    "The next program completes …",
    "You can also …",
    was="'raises only when the second derivative is taken': a tape around a tf.function of the first raises",
)
@over(mode=MODES, x=numbers(-9, 9))
def test_the_skeleton(mode, x):
    slope = derivative(cube := program("wrong/nested.py").cube)
    assert same(mode.gradient(cube, x), 3 * np.float32(x) ** 2, 1e-5)
    said = message(mode.gradient, slope, x)
    assert said.startswith(("ValueError", "InternalError"))
    few = "returned too few gradients. Expected 2 but received 3" in said
    assert few == (mode in (INSIDE, XLA))

    def call(function):
        with tf.GradientTape() as tape:
            tape.watch(given := tf.constant(x))
            function(given)

    assert raised(call, slope) is None
    assert "Num gradients 3" in message(call, tf.function(slope))
    assert all("returned" in each.text for each in trace("wrong/nested.py")[1:])


def derivatives(function):
    first = derivative(function, tf.sin)
    return [first, derivative(first)]


CUBED = derivatives(program("solution.py").cube)
SLOPES = derivatives(lambda x: x**3)


@says(
    "Both decorated functions …",
    "for tapes outside a tf.function, and …",
    "Without these copies, …",
)
@over(mode=[EAGER, INSIDE, NESTED, XLA, *OUTSIDE, BLOCKS[1]])
def test_the_copies(mode):
    cube, bare = program("solution.py").cube, without_copies()
    most = 3 if mode in MODES else 2
    for order, right in ((1, 12.0), (2, 12.0), (3, 6.0))[:most]:
        assert same(mode.derivative(cube, [2.0], order), [right], 1e-5)
        if mode is EAGER:
            assert same(mode.derivative(bare, [2.0], order), [right], 1e-5)
    if mode is AROUND:
        assert "out of scope" in message(mode.derivative, bare, [2.0])
    if mode.name == "branch, tape around":
        assert "AssertionError" in message(mode.derivative, bare, [2.0], 1)


def without_copies():
    @tf.custom_gradient
    def slope(x):
        return 3.0 * x * x, lambda upstream: upstream * 6.0 * x

    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda upstream: upstream * slope(x)

    return cube


@says(
    "`grad_of_slope` returns one …",
    "The gradient with …",
    "The third derivative …",
)
@over(mode=MODES, x=numbers(-9, 9))
def test_the_solution(mode, x):
    """In a sine, so that upstream depends on x as well."""
    for rule, plain in zip(CUBED, SLOPES):
        found = mode.gradient(rule, np.float64(x)).numpy()
        right = EAGER.gradient(plain, np.float64(x)).numpy()
        assert np.isclose(found, right, 1e-4, 1e-4)
    assert all(each.numbers[-3:] == [12, 12, 6] for each in trace("solution.py"))


# The line that does not raise.


def contrast(x):
    return tf.raw_ops.AdjustContrastv2(images=x, contrast_factor=2.0)


@says(
    '`tf.custom_gradient`: "This will …',
    "The docstring says …",
    "In fact TensorFlow …",
    "So its gradient …",
    "The operation `AdjustContrastv2` …",
    "The program calls …",
)
@over(mode=MODES)
def test_registered(mode):
    image = tf.ones([1, 2, 2, 3])
    assert mode.gradient(tf.random.shuffle, image) is None
    assert "LookupError" in message(mode.gradient, contrast, image)
    entry = ops.get_gradient_function
    shuffled = tf.function(tf.random.shuffle).get_concrete_function(image).graph
    (shuffle,) = [
        each for each in shuffled.get_operations() if each.type == "RandomShuffle"
    ]
    assert entry(shuffle) is None  # an entry, which is None
    adjusted = tf.function(contrast).get_concrete_function(image).graph
    (adjust,) = [
        each for each in adjusted.get_operations() if each.type == "AdjustContrastv2"
    ]
    assert "AdjustContrastv2" in message(entry, adjust)
    calls = source("wrong/raise.py")
    assert "y = operation(x)" in calls and "(tf.random.shuffle, contrast)" in calls
    said = "tf.random.shuffle does not have a registered gradient"
    assert said in squeezed(TEXT)


@says(
    "The docstring advises …",
    "But the advice …",
    "The documented example doesn't …",
    "Without `tf.stop_gradient`, `AdjustContrastv2` …",
    "In eager mode, the first …",
    "With the tapes inside an …",
    was="'no operation needs it where the call comes from a graph': the second derivative raises",
)
@over(mode=[*OUTSIDE, EAGER, INSIDE, NESTED, XLA, BLOCKS[1], BLOCKS[3], UNKNOWN[0]])
def test_who_raises_at_which_order(mode):
    def rule_of(inner):
        @tf.custom_gradient
        def rule(x):
            x = tf.identity(x)
            return tf.function(inner)(x), lambda upstream: upstream * x

        return rule

    image, shuffle = tf.ones([1, 2, 2, 3]), tf.random.shuffle
    without_error = [
        rule_of(shuffle),
        rule_of(lambda x: tf.stop_gradient(shuffle(x))),
        rule_of(lambda x: tf.stop_gradient(contrast(x))),
    ]

    def total(x):
        return tf.add_n([rule(x) for rule in without_error])

    assert message(mode.derivative, total, image) == ""
    eager, outside = mode is EAGER, mode in (*OUTSIDE, NESTED)
    for order, name in ((1, "first"), (2, "second")):
        raises = not outside and (eager or name == "second")
        said = message(mode.derivative, rule_of(contrast), image, order)
        assert ("LookupError" in said) == raises == bool(said)


@says(
    "Deliberately wrong: which …",
)
@over(mode=MODES, operation=[tf.random.shuffle, contrast], stop=[False, True], cases=1)
def test_who_raises(mode, operation, stop):
    def inner(x):
        return tf.stop_gradient(operation(x)) if stop else operation(x)

    rule = tf.custom_gradient(lambda x: (tf.function(inner)(x), lambda u: u))
    error = raised(mode.gradient, rule, tf.ones([1, 2, 2, 3]))
    raises = operation is contrast and not stop and mode in (EAGER, PERSISTENT)
    assert isinstance(error, LookupError) if raises else error is None
    assert ["LookupError" in each.text for each in trace("wrong/raise.py")] == [
        *[False] * 5,
        True,
        False,
    ]


# The maximum in a softmax.


def softmax(x, stop=tf.identity):
    e = tf.exp(x - stop(tf.reduce_max(x)))
    return e / tf.reduce_sum(e)


def both(x, again, upstream):
    """Of the two inputs, the maximum has a gradient in the first."""
    y = softmax(x, tf.identity), softmax(again, tf.stop_gradient)
    return tf.reduce_sum(upstream * y[0]), tf.reduce_sum(upstream * y[1])


MOVED, HELD = (
    lambda x, stop=stop: tf.exp(x - stop(tf.reduce_max(x)))
    for stop in (tf.identity, tf.stop_gradient)
)


@says(
    "So the derivative …",
    "The softmax of …",
    "`tf.stop_gradient`: the maximum …",
    "If all numbers …",
    "In the next program, …",
    "The two gradients agree.",
    was="without 'if all is finite': NaN where an element is infinite",
)
@over(
    mode=MODES,
    dtype=[tf.float32, tf.float64],
    x=arrays((3,), st.sampled_from([-1e30, -3.0, 0.0, 1.0, 3.0, 1e30])),
    upstream=arrays((3,), numbers(-1e3, 1e3)),
)
def test_through_the_maximum(mode, dtype, x, upstream):
    x, each = tf.cast(x, dtype), tf.cast(upstream, dtype)
    flowing, stopped, _ = mode.gradients(both, x, x, each)
    size = 1e-6 * max(1e-30, np.abs(upstream).max())
    assert np.allclose(flowing, stopped, 0, size)
    assert trace("max.py")[3].text.endswith("True")
    shown = program("max.py").x.numpy()
    assert np.sum(shown == shown.max()) == 2


@says(
    "`tf.stop_gradient` saves work, …",
    "But the gradient …",
    "The shift doesn't …",
    "In that function, …",
)
@over(mode=MODES, x=arrays((3,), numbers(-9, 9)))
def test_alone(mode, x):
    assert abs(mode.gradient(MOVED, x).numpy().sum()) < 1e-5
    assert mode.gradient(HELD, x).numpy().sum() >= 1

    def backward(stop):
        def gradient(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = softmax(x, stop)
            return tape.gradient(y, x, output_gradients=tf.range(3.0))

        made = tf.function(gradient).get_concrete_function(tf.TensorSpec([3]))
        return len(made.graph.get_operations())

    assert backward(tf.stop_gradient) < backward(tf.identity)


# Any operation.

KEEPING = [EAGER, PERSISTENT, INSIDE, XLA]
"""Modes with nothing between a rule and its tape."""


@says(
    "Each input of …",
    "An identity has …",
    '`tf.grad_pass_through`: "any op" …',
    "If the replaced …",
    "The operations fail …",
    "changes the shape …",
    "In the program, the tape …",
    "So wrap only …",
    "Deliberately wrong: other operations …",
)
@over(mode=MODES, operation=[tf.reduce_sum, tf.reduce_max, tf.round, tf.identity])
def test_another_shape(mode, operation):
    x, passed = tf.constant([1.0, 2.0, 3.0]), tf.grad_pass_through(operation)
    if operation(x).shape == x.shape:
        assert same(mode.gradient(passed, x), tf.ones_like(x))
    elif mode in KEEPING:
        assert same(mode.gradient(passed, x), 1.0)
    else:
        assert "Incompatible shapes" in message(mode.gradient, passed, x)
    shown = trace("wrong/any_op.py")
    assert ["ValueError" in each.text for each in shown] == [
        *[False] * 3,
        True,
        False,
        True,
        *[False] * 2,
        True,
        True,
    ]


@says(
    "changes the dtype …",
    "has two inputs …",
)
@over(mode=MODES, dtype=FLOATS)
def test_another_dtype(mode, dtype):
    passed = tf.grad_pass_through(lambda x: tf.cast(x, dtype))
    assert mode.gradient(passed, [1.0, 2.0]).dtype == dtype
    multiply = tf.grad_pass_through(lambda x, y: tf.multiply(x, y))
    assert "radients" in message(mode.gradients, multiply, [1.0], [2.0])


# The tape.


@says(
    "`tf.GradientTape`: two error …",
    "A call inside …",
    "A variable as …",
    "Test documented statements …",
)
@over(
    wrap={
        "eager": lambda f: f,
        "tf.function": tf.function,
        "XLA": tf.function(jit_compile=True),
    },
    persistent=[False, True],
    x=numbers(-9, 9),
)
def test_the_tape(wrap, persistent, x):
    v, asked = asking(wrap, persistent)
    v.assign(x)
    assert same(asked(), [2 * np.float32(x), 1.0])
    assert [each.numbers for each in trace("tape.py")[:2]] == [[6], [1]]


@functools.cache
def asking(wrap, persistent):
    v = tf.Variable(0.0)

    @wrap
    def asked():
        with tf.GradientTape(persistent=persistent) as tape:
            inside = tape.gradient(v * v, v)
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(v)
        return inside, tape.gradient(v, v)

    return v, asked


@says(
    "Only an unknown …",
    was="'neither is raised': an unknown value of unconnected_gradients raises",
)
@over(mode=["eager", "tf.function"], value=["none", "zero", "nonsense"])
def test_an_unknown_value(mode, value):
    def gradient():
        with tf.GradientTape() as tape:
            tape.watch(x := tf.constant(3.0))
        return tape.gradient(x, x, unconnected_gradients=value)

    error = raised(tf.function(gradient) if mode == "tf.function" else gradient)
    assert isinstance(error, ValueError) == (value == "nonsense") == bool(error)


@says(
    "Compare the lines …",
    "There, the gradient …",
    "The documented example of …",
    "It prints `None` …",
    "In the documented …",
    "In the last two …",
)
@over(mode=["eager", "tf.function"], watch=[False, True], stop=[False, True])
def test_stop_recording(mode, watch, stop):
    example = "".join(
        each.source for each in examples(tf.GradientTape.stop_recording.__doc__)
    )
    assert "stop_recording" in example and "watch" not in example
    assert "Variable" not in example and "print(dy_dx)" in example

    def gradient():
        x = tf.constant(4.0)
        with tf.GradientTape() as tape:
            if watch:
                tape.watch(x)
            if stop:
                with tape.stop_recording():
                    y = x**2
            else:
                y = x**2
        return tape.gradient(y, x)

    found = (tf.function(gradient) if mode == "tf.function" else gradient)()
    assert (found is None) == (stop or not watch)
    shown = trace("tape.py")[2 + 2 * watch + stop].text
    assert f"watch {watch!s:5}  stop_recording {stop!s:5}" in shown
    assert ("None" in shown) == (found is None)


# The guide.


@says(
    "The gradient does …",
    "The output of `clip` …",
    "The gradient function clips …",
    "Then `v * v` …",
    "At $v = 3$ …",
    "To clip the …",
    "TensorFlow's guide: a …",
    "A gradient function …",
    "Deliberately wrong: this …",
)
@over(mode=MODES, v=numbers(0.3, 9), uses=st.integers(1, 3))
def test_the_clip(mode, v, uses):
    seen = []

    @tf.custom_gradient
    def clip(y):
        return y, lambda u: seen.append(u) or tf.clip_by_norm(u, 0.5)

    def used(v):
        return tf.add_n([v * v] * uses)

    assert same(mode.gradient(lambda v: clip(v * v), v), np.float32(v), 1e-5)
    assert len(seen) == 1 and (mode not in (EAGER, PERSISTENT) or seen[0] == 1)
    assert same(mode.gradient(lambda v: used(clip(v)), v), 0.5, 1e-5)
    late = mode.gradient(lambda v: v * v + used(clip(v)), v)
    assert same(late, 2 * np.float32(v) + 0.5, 1e-5)  # a use before it
    shown = [each.numbers for each in trace("wrong/clip.py")]
    assert shown[:2] == [[2, 1, 0.5, 2], [3, 1, 0.5, 3]]
    assert [each[-1] for each in shown[2:]] == [0.5, 0.5]


class Reversing(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def reverse(self, x):
        return tf.custom_gradient(lambda x: (x, lambda upstream: -upstream))(x)


@says(
    "The same guide …",
    "This setting is …",
)
@over(options=[{}, {"experimental_custom_gradients": True}, None])
def test_saved(options):
    assert tf.saved_model.SaveOptions().experimental_custom_gradients is True
    with tempfile.TemporaryDirectory() as folder:
        given = options and tf.saved_model.SaveOptions(**options)
        tf.saved_model.save(Reversing(), folder, options=given)
        loaded = tf.saved_model.load(folder)
        for mode in (EAGER, INSIDE):
            assert same(mode.gradient(loaded.reverse, 2.0), -1.0)


definition(
    "`w[0]` and `w[1]` …",
    "To see this, …",
)
history(
    "dy_dw = dpoly …",
    "With this definition, …",
    "dx_i/dx_i-1 = …",
    "return second_order_for_x(...), gradient_wrt_dy(...)",
    "return tf.random.shuffle(x) # …",
    "if the max …",
    "Use this function …",
    "RuntimeError: If called …",
    "ValueError: If the …",
    "TensorFlow's guide Advanced …",
    "A comment in …",
    "TensorFlow runs the …",
)
advice(
    "You need to …",
    "Predict the second …",
    "In the last three …",
    "Look at the shapes …",
    "Look at the first …",
    "To find a …",
    "Make two quick …",
    "Predict: the swapped …",
    "You copy the …",
    "Which gradient of …",
    "Predict: the guide's …",
    "As in the …",
    "What is the …",
    "Write: the third …",
    "Fix the nested …",
)
pointer(
    "The page on numerical …",
    "These are the …",
    "Some are false, …",
    "Documentation — What …",
    "The operation — Eager, …",
    "The page on variables …",
    "After this page …",
)
