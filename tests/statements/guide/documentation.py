"""What the page on TensorFlow's documentation says in words."""

import doctest
import inspect
import re
import tempfile
from pathlib import Path

import keras

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
    "Each quote is compared with the installed docstring, and each answer is a run, here or on the page that is linked.",
    was="'each answer is a run': the page that was linked for grad_pass_through ran none of its three",
)
def test_each_quote():
    assert len(QUOTED) == PAGE.count("\n\n> ") == 8
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
    "What is here are exceptions: the check at the end runs the examples of four docstrings, and none prints anything but what its text says.",
    "Here they are once more:",
    "The examples of `tf.custom_gradient` pass, the swapped gradient among them: its text says `[6., 3.]`, and `[6., 3.]` is printed.",
)
def test_the_examples_pass():
    counts = [each for each in trace("docstring.py") if "examples" in each.text]
    assert [each.numbers[1] for each in counts] == [0] * 4 and len(counts) == 4
    assert "numpy=array([6., 3.]" in examples(TEXT)[-1].want


@says(
    "And doctest runs only what begins with the prompt of Python: the last lines show which of the examples above it never saw."
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


@says(
    "A test that compares a program with its own output finds what has changed, never what was wrong from the start."
)
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
    "The example for variables in the documentation of `tf.custom_gradient` prints `[6., 3.]` for a gradient that is `[3., 6.]`.",
    "The polynomial of the example is `weights[1] * x + weights[0]`.",
    "The stack begins with the local derivative of `weights[1]`; the output that the text shows, `[6., 3.]`, is what this rule prints, and not the gradient.",
    "With the stack turned round, all is right:",
)
@over(
    mode=[EAGER, INSIDE, XLA],
    x=arrays((3,), numbers(-9, 9)),
    examples=({"x": np.float32([1, 2, 3])},),
    cases=9,
)
def test_the_documented_rule(mode, x):
    def plain(x):
        return weights[1] * x + weights[0]

    weights = tf.Variable(tf.ones([2]))
    asked = {"rule": lambda x: taught(x, weights), "autodiff": plain}
    found = {}
    for name, function in asked.items():

        def to_weights(x, function=function):
            with tf.GradientTape() as tape:
                y = function(x)
            return tape.gradient(y, weights), y

        compiled = tf.function(to_weights, jit_compile=mode is XLA)
        run = to_weights if mode is EAGER else compiled
        found[name], y = run(tf.constant(x))
        assert same(y, x + 1, 1e-6)
    assert same(found["rule"], found["autodiff"][::-1], 1e-4)
    assert same(found["autodiff"][0], 3.0)
    if x.tolist() == [1, 2, 3]:
        assert same(found["rule"], [6.0, 3.0])
    first, second = trace("wrong/variables.py")
    assert first.numbers[2:4] == [6, 3] and second.numbers[2:4] == [3, 6]


@says(
    "Whoever copies its rule and trains gets no message: a loss that starts at 0.5000 is at 3.1494 after 20 steps."
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
    assert same(losses[0], 0.5) and same(losses[-1], 3.1494, 1e-4)


@says("It is the text's only example of a rule that reads variables.")
def test_the_only_example():
    rules = re.findall(r"def \w+\([^)]*variables[^)]*\):", TEXT)
    assert rules == ["def grad_fn(dpoly, variables):"]


@says(
    "The four steps show which gradient belongs to which weight.",
    "Both weights are shared by all points, so their terms are summed:",
    "The gradient of the first weight stands first, and in it no $x$ occurs.",
    "Two weights, one number for each of $n$ points.",
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
    r"With upstream 1 everywhere, $\downstream{\bar w_0} = 1 + 1 + 1 = 3$ and $\downstream{\bar w_1} = 1 + 2 + 3 = 6$.",
    "The tape and the differences, which do not know the derivation, agree.",
    "The gradient of w0 + w1 x for the vector w: three ways, one order.",
    "Wrong on purpose: the documented order, and the steps that trust it.",
)
def test_the_trace():
    upstream, local, *ways = trace("documentation.py")
    assert upstream.numbers == [1, 1, 1] and local.numbers == [1, 1, 1, 1, 2, 3]
    assert [each.numbers for each in ways] == [[3, 6]] * 3
    assert "stack(w1, w0)" in trace("wrong/variables.py")[0].text


# log(1 + e^x), and a rule inside a rule.

official = documented(TEXT, "def grad(upstream):\n    return upstream * (1")["log1pexp"]


@says(
    "So it is.",
    "What the text leaves out: in float32 the value beside it is infinite, and the second derivative NaN.",
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
    "The paragraph after it writes the local derivative of this step with the output in it, where the input has to be.",
    "`keras.ops.custom_gradient` shows the same rule.",
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
    if x < 5:
        assert not np.isclose(found, tf.sigmoid(np.log1p(np.exp(x))), 1e-3, 1e-6)


@says(
    "The function around it has one input, `unused_x`, and TensorFlow wants one gradient for each input.",
    "The skeleton has none.",
    'The next sentence hints at it: additional arguments "control the expected return values".',
    "Return one gradient, or give the inner function a second input; the exercise does the first.",
    "Wrong on purpose: two gradients returned for the one input of a rule.",
    "A rule inside a rule: as many gradients as the inner function has inputs.",
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
    "The first derivative is right; what differentiates it raises.",
    'With the tapes inside a `tf.function` the message says "too few" where there is one too many.',
    "A tape around a `tf.function` that takes the first derivative raises at the call, though nobody has asked for the second.",
    "Filled in for $x^3$ as it stands:",
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
    "`grad_of_slope` returns one gradient.",
    "The other one, with respect to `upstream`, needs no code: `upstream * slope(x)` is a product of TensorFlow, and its rule supplies it.",
    "The third derivative is right as well, since `6.0 * x` is made of operations that the tape records.",
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
    "The reason given is that `tf.random.shuffle` has no registered gradient.",
    "It is registered, as an operation that has none, which makes its gradient `None` and raises nothing.",
    "`AdjustContrastv2` is not registered, and shows what the text means:",
)
@over(mode=MODES)
def test_registered(mode):
    image = tf.ones([1, 2, 2, 3])
    assert mode.gradient(tf.random.shuffle, image) is None
    assert "LookupError" in message(mode.gradient, contrast, image)
    said = "tf.random.shuffle does not have a registered gradient"
    assert said in squeezed(TEXT)


@says(
    "The advice stands: if your rule calls a `tf.function`, stop the gradient of what the rule replaces.",
    "The example does not need it, and no operation does where the call comes from a graph.",
    "Wrong on purpose: who raises, and who is only said to.",
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


FLOWING, STOPPED = (
    lambda x, upstream, stop=stop: tf.reduce_sum(upstream * softmax(x, stop))
    for stop in (tf.identity, tf.stop_gradient)
)
MOVED, HELD = (
    lambda x, stop=stop: tf.exp(x - stop(tf.reduce_max(x)))
    for stop in (tf.identity, tf.stop_gradient)
)


@says(
    "If all is finite, nothing but rounding flows through the maximum, ties or not.",
    "Whatever $m$ depends on, the chain rule multiplies it by zero.",
    "Here with two equal maxima:",
    "Softmax minus its maximum: the gradient with and without stop_gradient.",
    was="without 'if all is finite': NaN where an element is infinite",
)
@over(
    mode=MODES,
    dtype=[tf.float32, tf.float64],
    x=arrays((3,), st.sampled_from([-1e30, -3.0, 0.0, 1.0, 3.0, 1e30])),
    upstream=arrays((3,), numbers(-1e3, 1e3)),
)
def test_through_the_maximum(mode, dtype, x, upstream):
    given = tf.cast(x, dtype), tf.cast(upstream, dtype)
    flowing, stopped = (mode.gradients(loss, *given)[0] for loss in (FLOWING, STOPPED))
    size = 1e-6 * max(1e-30, np.abs(upstream).max())
    assert np.allclose(flowing, stopped, 0, size)
    assert trace("max.py")[3].text.endswith("True")


@says(
    "`tf.stop_gradient` saves work, and is worth having for that.",
    "What makes it right is that the shift cancels: in $e^{x_i - m}$ alone it does not, and a stopped maximum makes that gradient wrong.",
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
    "An identity has one input, and an output of its shape and dtype.",
    "Put in place of another operation, it hands back what does not fit:",
    "Eagerly the gradient of a vector is a number, and nothing is said; with the tape around a `tf.function` there is an error.",
    "Wrap only what has one input and keeps its shape and dtype.",
    "Wrong on purpose: an identity in place of what keeps no shape or dtype.",
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
    "A gradient in another dtype is silent in both.",
    "With two inputs both raise.",
)
@over(mode=MODES, dtype=FLOATS)
def test_another_dtype(mode, dtype):
    passed = tf.grad_pass_through(lambda x: tf.cast(x, dtype))
    assert mode.gradient(passed, [1.0, 2.0]).dtype == dtype
    multiply = tf.grad_pass_through(lambda x, y: tf.multiply(x, y))
    assert "radients" in message(mode.gradients, multiply, [1.0], [2.0])


# The tape.


@says(
    "Neither the context nor a variable raises.",
    "Three statements about tf.GradientTape, put to the test.",
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
    v = tf.Variable(x)

    @wrap
    def asked():
        with tf.GradientTape(persistent=persistent) as tape:
            inside = tape.gradient(v * v, v)
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(v)
        return inside, tape.gradient(v, v)

    assert same(asked(), [2 * np.float32(x), 1.0])
    assert [each.numbers for each in trace("tape.py")[:2]] == [[6], [1]]


@says(
    "The lines with `watch` are about the example of `tape.stop_recording`, which shows that a gradient is `None`:",
    "In that example nothing watches `x`, so the gradient is `None` with `stop_recording` and without; the last two lines are what it should show.",
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
    "The gradient does become 2 where it was 4, but the rule never sees a 4:",
    r"After `v * v` the upstream is 1, and the rule makes it 0.5, so that $0.5 \cdot 4 = 2$.",
    "At $v = 3$ the gradient is 3: nothing was limited to 2.",
    "A rule clips what flows through its place.",
    "To clip the gradient of $v$, place it before everything that uses $v$.",
    "Wrong on purpose: a clip that is said to see 4, and never does.",
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


@says(
    "The same guide saves a model with `experimental_custom_gradients=True`, so that it keeps its rules.",
    "That is right, and no longer needed, since it is the default:",
    "A saved model keeps its rules by default: the rules that are in the file.",
)
@over(options=[{}, {"experimental_custom_gradients": True}, None])
def test_saved(options):
    model = program("saved.py").Model()
    with tempfile.TemporaryDirectory() as folder:
        given = options and tf.saved_model.SaveOptions(**options)
        tf.saved_model.save(model, folder, options=given)
        loaded = tf.saved_model.load(folder)
        for mode in (EAGER, INSIDE):
            assert same(mode.gradient(loaded.reverse, 2.0), -1.0)
    assert [each.numbers[-1] for each in trace("saved.py")] == [1, 1, 0]


definition(
    "`w[0]` and `w[1]` are $w_0$ and $w_1$:",
    "Let $m$ be an input of its own:",
    "In types: `grad :: upstream(y: [n]) → (downstream(x: [n]), downstream(w: [2]))`.",
)
history(
    "dy_dw = dpoly tf.stack([x 1, x 0])",
    "With this definition, the gradient … will be correctly evaluated as 1.0.",
    "return second_order_for_x(...), gradient_wrt_dy(...)",
    "return tf.random.shuffle(x) # This will raise",
    "if the max values are not unique then the gradient could flow to the wrong input",
    "Use this function to wrap any op, maintaining its behavior in the forward pass, but replacing the original op in the backward graph with an identity.",
    "RuntimeError: If called inside the context of the tape.",
    "ValueError: If the target is a variable or if unconnected gradients is called with an unknown value.",
    "A comment says that it clips 4 to 2.",
    "Advanced automatic differentiation puts a rule that clips to the norm 0.5 behind `v * v` with $v = 2$.",
    "TensorFlow has the examples in its docstrings run by doctest, which compares what they print with what the text says that they print.",
)
advice(
    "You need the four steps from the chain rule.",
    "For documentation that you write yourself, see checking a rule.",
    "Mend the rule inside a rule so that it gives the second derivative of $x^3$, eagerly and in a `tf.function`.",
    "Predict it, and the third, at $x = 2$.",
    "That takes a second source: the tape, or differences of the forward pass, as in checking a rule.",
)
pointer(
    "This page has what we found in TensorFlow 2.21, in the texts on custom gradients and on the tape, that can lead the writer of a rule astray: sentences that are false, and some that are true and leave out what matters.",
    "Variables has the right order for any number of them.",
    "Numerical stability runs both, and derives a rule that is right in both passes.",
    "This is the skeleton offered for second derivatives.",
)
