"""What the page on graphs, XLA and control flow says in words."""

import functools
import os
import pathlib
import re
import tempfile

from truth.statements.tries import *

IN_GRAPHS = [INSIDE, AROUND, XLA]

definition("In the tables …", "Tape around, or …")


@says("A tensor that is created …")
def test_blocks():
    graphs = []

    def noted(x):
        graphs.append((2.0 * x).graph)
        return x

    @tf.function
    def run(x):
        noted(x)
        tf.cond(x > 0.0, lambda: noted(x), lambda: x)
        return tf.while_loop(lambda x: x < 1.0, lambda x: [noted(x)], [x])

    run(tf.constant(2.0))
    assert len(graphs) == len({*map(id, graphs)}) == 3


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


@says(
    "If the call is …",
    "Otherwise, in a …",
)
@over(mode=[INSIDE, AROUND, SYMBOLIC])
def test_a_branch_in_a_loop(mode):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda u: u * 2.0 * x

    def in_a_loop(f):
        branch = lambda x: tf.cond(x > 0.0, lambda: f(x), lambda: x)  # noqa: E731
        return lambda x: tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, branch(x)), (0, x)
        )[1]

    assert "AssertionError" in message(mode.gradient, in_a_loop(square), 2.0)

    @tf.custom_gradient
    def copied(x):
        x = tf.identity(x)
        return x * x, lambda u: u * 2.0 * x

    assert same(mode.gradient(in_a_loop(copied), 2.0), 32.0)


pointer(
    "Find out why …",
    "Many of these …",
    "For a variable …",
    "For a Python …",
    "Asked in tensorflow#50170.",
    "Asked in tensorflow#51493.",
    "Asked in tensorflow#57756.",
    "Asked in tensorflow#47139, tensorflow#37512.",
    "Asked in tensorflow#14101, …",
    "Asked in tensorflow#62145, keras-cv#259.",
    "Asked in tensorflow#108080.",
    "More: variables in …",
    "More: a gradient …",
    "More: the line …",
    "More: the probe …",
    "More: the cause …",
    "Notice it earlier.",
    "More: branches and …",
    "the log repeats the message",
)


# What is traced.


@says(
    "Deliberately wrong: grad has …",
    "`grad` contains an …",
    "The `if` raises …",
    "But it converts …",
    "The fix uses `tf.where` …",
    "The gradient is the same eagerly …",
    "In a graph, a tensor …",
    "In plain Python …",
    "Fix: use `tf.where`, …",
    "In a test, …",
    "A gradient function with …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], x=[2.0, [2.0, -3.0]])
def test_python_if(mode, x):
    def loss(function):
        return lambda x: tf.reduce_sum(3.0 * function(x))

    def by(clip):
        rule = tf.custom_gradient(lambda x: (tf.identity(x), clip))
        return loss(rule)

    def branch(u):
        u = tf.convert_to_tensor(u)
        return tf.cond(tf.reduce_all(u > 1.0), lambda: tf.ones_like(u), lambda: u)

    asks = loss(program("wrong/python_if.py").limited)
    if mode is not EAGER:
        assert "symbolic `tf.Tensor` as a Python `bool`" in message(
            mode.gradient, asks, x
        )
    elif np.ndim(x) == 0:
        assert same(mode.gradient(asks, x), 1.0)
    ones = np.ones_like(x)
    for right in (
        loss(program("python_if.py").limited),
        by(branch),
        by(lambda u: tf.clip_by_value(u, -1.0, 1.0)),
    ):
        assert same(mode.gradient(right, x), ones)

    def plain(x):
        if tf.reduce_sum(x) > 1.0:
            return 2.0 * x
        return x

    assert same(tf.function(plain)(tf.constant(2.0)), 4.0)
    decorated = tf.custom_gradient(lambda x: (plain(x), lambda upstream: upstream))

    @tf.custom_gradient
    def asks_forward(x):
        if tf.reduce_sum(x) > 1.0:
            return 2.0 * x, lambda upstream: 2.0 * upstream
        return x, lambda upstream: upstream

    for each in (decorated, asks_forward):
        called = message(tf.function(lambda x: each(x)), tf.constant(2.0))
        assert "symbolic `tf.Tensor` as a Python `bool`" in called


@says(
    "Fix: put `tf.function` …",
    "The two decorators …",
    "The call raises the error.",
    "Besides a value, …",
    "The fix swaps …",
    "`tf.function` traces the …",
    "The custom gradient …",
    "The gradient is right.",
    "Deliberately wrong: tf.custom_gradient is …",
    "tf.function is above …",
)
@over(mode=[EAGER, *IN_GRAPHS])
def test_order(mode):
    def square(x):
        return x * x, lambda upstream: upstream * 2.0 * x

    wrong = tf.custom_gradient(tf.function(square))
    right = tf.function(tf.custom_gradient(square))
    said = message(mode.gradient, wrong, 3.0)
    assert "must return zero or more Tensors" in said and "of type function" in said
    assert same(mode.gradient(right, 3.0), 6.0)


# Branches and loops.

w = tf.Variable(2.0)


@says(
    "Deliberately wrong: in a branch, grad …",
    "`grad` runs in …",
    "The gradient of the …",
    "The fix makes …",
    "The gradient is right, even with …",
    "If the tensor …",
    "In a graph, TensorFlow builds the gradient …",
    "If `grad` reads …",
    "There is no such …",
    "If only the …",
    "Fix: copy the tensor with `tf.identity` in the decorated function, and let `grad` capture the …",
    "A Python number or a NumPy array needs …",
    "In the branch, …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED])
def test_branch(mode):
    graphs = []

    def branch(rule):
        return lambda x: tf.cond(x > 0.0, lambda: rule(x), lambda: x)

    def reads(forward, backward):
        return tf.custom_gradient(
            lambda x: (
                (forward * x, lambda u, variables=None: (u * backward, [None]))
                if forward is w
                else (forward * x, lambda u: u * backward)
            )
        )

    @tf.custom_gradient
    def looks(x):
        def grad(upstream):
            graphs.append(tf.compat.v1.get_default_graph())
            return 2.0 * upstream

        graphs.append(tf.compat.v1.get_default_graph())
        return 2.0 * x, grad

    lines = [(each.text.split("  ")[0], each.numbers) for each in trace("cond.py")]
    assert [numbers for _, numbers in lines] == [[2.0]] * 3
    for value in (w, tf.constant(2.0)):
        said = message(mode.gradient, branch(reads(2.0, value)), 3.0)
        assert ("Tensor.graph is undefined" in said) == (mode is not EAGER)
        assert same(mode.gradient(branch(reads(value, 2.0)), 3.0), 2.0)
    for value in (2.0, np.float32(2.0), np.full((), 2.0, np.float32)):
        assert same(mode.gradient(branch(reads(value, value)), 3.0), 2.0)
    assert same(mode.gradient(branch(looks), 3.0), 2.0)
    assert (graphs[0] is graphs[-1]) == (mode is EAGER)
    assert same(mode.gradient(program("cond.py").branch, 3.0), 2.0)
    passed = tf.custom_gradient(lambda x, s: (s * x, lambda u: (u * s, u * x)))
    for rule, right in (tf.function(passed), True), (passed, mode in (EAGER, INSIDE)):
        said = message(
            mode.gradients,
            lambda x, s: tf.cond(x > 0.0, lambda: rule(x, s), lambda: x),
            3.0,
            2.0,
        )
        assert (said == "") == right


@says(
    "A custom gradient works …",
    "This holds eagerly …",
    "It also holds …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_loops(mode):
    for loop, right in (
        (repeated(lambda y: 2.0 * reverse(y)), [-8.0, -8.0, -8.0]),
        (lambda x: tf.map_fn(lambda y: 2.0 * reverse(y), x), [-2.0, -2.0, -2.0]),
        (lambda x: tf.scan(lambda y, z: y + reverse(z), x)[-1], [1.0, -1.0, -1.0]),
    ):
        assert not message(mode.gradient, loop, [1.0, 2.0, 3.0])
        assert same(mode.gradient(loop, [1.0, 2.0, 3.0]), right)


def repeated(f):
    return lambda x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, f(y)), (0, x), maximum_iterations=3
    )[1]


@says(
    "The gradient is right in …",
    "Fix: copy the tensor with `tf.identity` in the decorated function, and let `grad` capture that …",
    "In a loop, this …",
    "The loop works …",
    "In a graph, TensorFlow builds the backward …",
    "TensorFlow expects every …",
    "`tf.map_fn` and `tf.scan` …",
    "If only the …",
    "In the fix, `grad` …",
    "A copy that …",
    "A Python number or a NumPy array needs …",
    "Deliberately wrong: in a loop, grad captures …",
    "The decorated function copies …",
    was="'a rule that reads no variable is right in a loop': not if it reads an eager tensor",
)
@over(mode=[EAGER, *GRAPHS, *BLOCKS])
def test_captured_in_a_loop(mode):
    """What is captured is a scalar in a graph, and a vector elsewhere."""
    eager = 2.0 if mode in GRAPHS else [2.0, 3.0, 4.0]
    tensor = tf.constant(eager)

    @tf.custom_gradient
    def forward_alone(x):
        return tf.reduce_max(tensor) * x, lambda up: up * np.max(eager)

    @tf.custom_gradient
    def captures(x):
        return 2.0 * x, lambda up: up * tf.reduce_max(tensor)

    @tf.custom_gradient
    def late(x):
        return 2.0 * x, lambda up: up * tf.reduce_max(tf.identity(tensor))

    @tf.custom_gradient
    def copied(x):
        copy = tf.identity(tensor)
        return 2.0 * x, lambda up: up * tf.reduce_max(copy)

    @tf.custom_gradient
    def array(x):
        return 2.0 * x, lambda up: up * np.max(np.float32(eager))

    x, most = [1.0, 2.0, 3.0], np.max(eager)
    for loop, factor in (
        (repeated, most**3),
        (lambda f: lambda x: tf.map_fn(f, x), most),
        (lambda f: lambda x: tf.scan(lambda _, each: f(each), x, 0.0), most),
    ):
        # XLA can't hand a TensorList to the tape outside; in a block, one loop is enough.
        if loop is not repeated and (mode is AROUND_XLA or mode in BLOCKS):
            continue
        right, loops = np.full(3, factor), [*map(loop, (forward_alone, copied, array))]
        found = mode.gradients(lambda *at: [f(x) for f, x in zip(loops, at)], x, x, x)
        assert same(found, [right] * 3, 1e-6)
        for f in (captures, late) if loop is repeated else (captures,):
            said = message(mode.gradient, loop(f), x)
            found = "is in list of internal_captures but not in" in said
            assert found == ("ValueError" in said) == (mode is not EAGER)
    assert same(mode.gradient(program("in_a_loop.py").loop, 3.0), 8.0)


@says(
    "Deliberately wrong: a gradient with …",
    "The body of …",
    "Only a loop …",
    "The program turns …",
    "The fix differentiates …",
    "Up to rounding, the loop …",
    "In a loop of TensorFlow 1, …",
    "In a loop of TensorFlow 2 …",
    "Fix: differentiate with …",
    "Each iteration differentiates …",
)
def test_inside_while():
    found = []

    def steps(x, by):
        def body(i, y):
            z = y * y * 3.0
            found.append(tf.gradients(z, y if by == "own" else x)[0])
            return i + 1, z

        return tf.while_loop(lambda i, y: i < 2, body, (0, x))[1]

    tf.function(lambda x: steps(x, "start"))(tf.constant(2.0))
    tf.function(lambda x: steps(x, "own"))(tf.constant(2.0))
    assert found[0] is None and found[1] is not None
    assert "with respect to op 'start'" in trace("wrong/inside_while.py")[0].text
    assert same(program("inside_while.py").steps(tf.constant(2.0)), 2 * 0.8**3, 1e-6)
    loop, formula = trace("inside_while.py")[0].numbers
    assert same(loop, formula, 1e-6) and same(formula, 2 * 0.8**3, 1e-6)
    tf.compat.v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default():
            scale, x = tf.constant(3.0), tf.constant(2.0, name="start")

            def by(*names):
                def body(i, y):
                    z, sources = y * scale, {"y": y, "scale": scale, "x": x}
                    slopes = tf.gradients(z, [sources[name] for name in names])
                    return i + 1, z + 0.0 * tf.add_n(slopes)

                return tf.while_loop(lambda i, y: i < 2, body, (0, x))[1]

            with tf.compat.v1.Session() as session:
                assert session.run(by("y", "scale")) == 18.0
            assert "inside while loop" in message(by, "x")
    finally:
        tf.compat.v1.enable_control_flow_v2()


# XLA.


@says(
    "`grad` calls `tf.numpy_function`, …",
    "XLA can't compile `PyFunc`.",
    "The fix uses TensorFlow's operations:",
    "The gradient is right, even under XLA.",
    "XLA has no …",
    "Fix: write the …",
    "Deliberately wrong: XLA compiles a gradient …",
    "XLA compiles a gradient function that uses …",
)
@over(
    call={
        "numpy_function": lambda x: tf.numpy_function(np.sin, [x], x.dtype),
        "py_function": lambda x: tf.py_function(tf.sin, [x], x.dtype),
        "print": lambda x: (tf.print(x, output_stream="file:///dev/null"), x)[1],
        "operation": tf.sin,
    }
)
def test_kernels(call):
    x = tf.constant(2.0)
    assert not message(tf.function(call), x)
    with open(os.devnull, "w") as nowhere:
        before = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            said = message(tf.function(call, jit_compile=True), x)
        finally:
            os.dup2(before, 2)
    assert ("Detected unsupported operations" in said) == (call is not tf.sin)


@says(
    "XLA compiles the …",
    "The loop has no …",
    "The fix passes a limit:",
    "The gradient is right under XLA.",
    "For the gradient, a loop …",
    "Fix: pass `maximum_iterations`, …",
    "Deliberately wrong: XLA compiles a loop …",
    "The loop has a …",
)
def test_xla_loop():
    def by_range(x):
        for _ in range(3):
            x = x * x
        return x

    bounded, open_ = program("xla_loop.py").power, program("wrong/xla_loop.py").power
    assert same(XLA.gradient(bounded, 2.0), 1024.0)
    assert same(XLA.gradient(by_range, 2.0), 1024.0)
    assert same(INSIDE.gradient(open_, 2.0), 1024.0)
    graph = tf.function(lambda x: EAGER.gradient(open_, x)).get_concrete_function(
        tf.constant(2.0)
    )
    kinds = {op.type for op in graph.graph.get_operations()}
    assert any("TensorList" in kind for kind in kinds)
    assert "fixed tensor list size" in trace("wrong/xla_loop.py")[1].text


@says(
    "Fix: put the …",
    "The tape is outside the compiled …",
    "If a tape watches …",
    "A loop keeps …",
    "With the tape outside, this …",
    "In the fixed program …",
    "Deliberately wrong: the tape …",
)
@over(watches=[True, False])
def test_xla_boundary(watches):
    defined, x = program("wrong/xla_boundary.py"), tf.constant(2.0)
    graph = tf.function(defined.power).get_concrete_function(x)
    kinds = {op.type for op in graph.graph.get_operations()}
    assert kinds & {"While", "StatelessWhile"}
    with tf.GradientTape() as tape:
        if watches:
            tape.watch(x)
        said = message(defined.compiled, x)
    assert ("TensorList crossing" in said) == watches
    assert same(program("xla_loop.py").gradient(x), 1024.0)
    assert same(defined.power(x), program("xla_loop.py").power(x))


# What leaves the graph, and what is asked twice.


@says(
    "The fix assigns …",
    "`grad` appends a …",
    "The tensor belongs to the graph of the `tf.function`, …",
    "The fix captures …",
    "The program can now print the norm.",
    "In a graph, `grad` …",
    "The list outlives …",
    "Fix: return the …",
    "Deliberately wrong: grad keeps …",
    "A variable carries …",
)
@over(mode=IN_GRAPHS)
def test_out_of_scope(mode):
    seen = []

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            seen.append(upstream)
            return upstream

        return tf.identity(x), grad

    mode.gradient(lambda x: 3.0 * probe(x), 2.0)
    assert not hasattr(seen[0], "numpy") and hasattr(seen[0], "graph")
    assert "out of scope" in message(tf.reduce_sum, seen[0])
    defined = program("out_of_scope.py")
    assert same(mode.gradient(lambda x: 3.0 * defined.probe(x), 2.0), 3.0)
    assert same(defined.seen, 3.0)


@says(
    "Fix: replace the …",
    "Here `grad` runs …",
    "The tensor belongs to the graph of the loop, …",
    "TensorFlow builds the gradient …",
    "The outer graph …",
    "The program can now print both …",
    "So this fix …",
    "In a TensorFlow …",
    "Deliberately wrong: in a loop, grad stores …",
    "A Python loop …",
)
@over(rounds=[1, 2])
def test_inaccessible(rounds):
    def gradient(probe, add):
        def asked(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.while_loop(
                    lambda i, y: i < rounds,
                    lambda i, y: (i + 1, 3.0 * probe(y)),
                    (0, x),
                )[1]
            return tape.gradient(y, x) + add()

        return tf.function(asked)

    wrong, right = program("wrong/inaccessible.py"), program("inaccessible.py")
    x = tf.constant(2.0)
    said = message(gradient(wrong.probe, lambda: wrong.seen[-1]), x)
    assert "InaccessibleTensorError" in said and "cannot be accessed from" in said
    assert "body" in wrong.seen[0].graph.name
    found, seen = right.gradient(x)
    assert same(found, 9.0) and same(seen, [3.0, 9.0])
    total = tf.Variable(0.0)

    def acts(act):
        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                with tf.control_dependencies([act(upstream)]):
                    return tf.identity(upstream)

            return tf.identity(x), grad

        return lambda: gradient(probe, lambda: 0.0)(x)

    prints = acts(lambda u: tf.print(u, output_stream="file:///dev/null"))
    assert same(prints(), 3.0**rounds)
    assert "internal_captures" in message(acts(total.assign_add))


def returning(what):
    """``x * x``, with a gradient function that returns a tensor unchanged or not."""

    @tf.custom_gradient
    def f(x):
        x = tf.identity(x) if what == "first line" else x
        y, g = x * x, 2.0 * x
        return y, lambda upstream: {
            "input": lambda: x,
            "first line": lambda: x,
            "converted": lambda: tf.convert_to_tensor(x),
            "output": lambda: y,
            "intermediate": lambda: g,
            "copy": lambda: tf.identity(x),
            "product": lambda: upstream * x,
        }[what]()

    return f


@says(
    "The gradient is the same in …",
    "Fix: return `upstream …",
    "This gradient function …",
    "The program fails …",
    "The same error …",
    "With the tape outside, the error …",
    "The call `half_square(3.0 * x)` …",
    "With the tape outside, the gradients …",
    "An operation in …",
    "It doesn't help …",
    "Returning `tf.convert_to_tensor(x)` …",
    "A product with …",
    "A gradient function that returns …",
    "Deliberately wrong: grad returns …",
    "The gradient function multiplies …",
)
@over(
    mode=[
        *MODES,
        *UNKNOWN,
        *(e for e in BLOCKS if e.name.startswith(("strategy", "tape around nested"))),
    ],
    what=["input", "first line", "converted", "output", "intermediate"],
)
def test_returned_capture(mode, what):
    x, names = [3.0, 5.0], ("tape around tf.function", "tape around XLA")
    direct = mode.name in names or "tape around" in mode.name.partition(", ")[2]
    said = message(mode.gradient, returning(what), x)
    found = re.match(r"InvalidArgumentError: Node with id \d is different", said)
    assert bool(found) == bool(said) == direct
    assert not message(mode.gradient, lambda x: returning(what)(3.0 * x), x)
    if what != "input":
        return
    eager = tf.constant(x)
    assert tf.convert_to_tensor(eager) is eager
    wrong, right = program("wrong/returned_capture.py"), program("returned_capture.py")
    copy, product, of_right = mode.gradients(
        lambda x, y, z: [
            returning("copy")(x),
            returning("product")(y),
            5.0 * right.half_square(z),
        ],
        x,
        x,
        3.0,
    )
    assert same(copy, x) and same(product, x) and same(of_right, 15.0)
    if not direct:
        assert same(mode.gradient(lambda x: 5.0 * wrong.half_square(x), 3.0), 3.0)


@says(
    "The program computes the …",
    "The forward pass …",
    "The first gradient …",
    "The fix captures …",
    "Both gradients are right.",
    "`grad` runs once …",
    "The program calls `tape.gradient` …",
    "If you compute …",
    "Fix: keep what …",
    "Deliberately wrong: the forward pass saves …",
    "grad captures a local …",
)
@over(wrap={"eager": lambda f: f, "graph": tf.function}, times=[0, 1, 2])
def test_pop(wrap, times):
    ran = []

    @tf.custom_gradient
    def exponential(x):
        y = tf.exp(x)

        def grad(upstream):
            ran.append(y)
            return upstream * y

        return y, grad

    def asked(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, z = exponential(x), exponential(2.0 * x)
        return [tape.gradient([y, z], x) for _ in range(times)]

    found = wrap(asked)(tf.constant(0.0))
    assert same(found, [3.0] * times) and len(ran) == 2 * times
    assert len({id(each) for each in ran}) == min(times, 1) * 2
    rule = program("wrong/pop.py").exponential
    with tf.GradientTape(persistent=True) as tape:
        x = tf.constant(0.0)
        tape.watch(x)
        y = rule(x)
    tape.gradient(y, x)
    assert "pop from empty list" in message(tape.gradient, y, x)


@says(
    "The error is …",
    "The fix stops …",
    "The gradient is the one …",
    "The tape also …",
    "Eagerly, a call …",
    "In a graph, a loop …",
    "However, no error …",
    "Fix: pass `tf.stop_gradient(x)` …",
    "Deliberately wrong: the forward pass calls …",
    "tf.stop_gradient keeps the …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_no_gradient(mode):
    wrong, right = program("wrong/lookup.py"), program("lookup.py")
    x = tf.ones([2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert "No gradient defined" in message(wrong.through, x)
        y = tf.identity(x)
    assert tape.gradient(y, x) is not None
    said = message(mode.gradient, wrong.through, x)
    assert ("No gradient defined" in said) == (mode is EAGER)
    assert same(mode.gradient(right.through, x), tf.ones_like(x))
    if mode is EAGER:
        return
    darker = functools.partial(tf.image.adjust_contrast, contrast_factor=0.5)
    for inner in (
        lambda x: tf.cond(x[0, 0, 0] > 0.0, lambda: darker(x), lambda: x),
        lambda x: tf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, darker(y)), (0, x)
        )[1],
    ):
        assert "No gradient defined" in message(mode.gradient, inner, x)
        held = tf.custom_gradient(lambda x, inner=inner: (inner(x), lambda up: up))
        assert same(mode.gradient(lambda x, held=held: held(x), x), tf.ones_like(x))


# Traces.


@says(
    "The program counts …",
    "Each new Python …",
    "In the fix, the `tf.function` …",
    "The program passes …",
    "Now the function …",
    "`tf.function` makes a …",
    "Fix: pass tensors, …",
    "Leave varying dimensions …",
    "Deliberately wrong: each Python …",
    "The signature converts …",
)
@over(numbers=[(1.0, 2.0, 3.0), (1, 2, 1)])
def test_retracing(numbers):
    ran = []

    @tf.custom_gradient
    def scaled(x, factor):
        ran.append(factor)
        return factor * x, lambda upstream: (upstream * factor, None)

    graph = tf.function(lambda x, factor: scaled(x, factor))
    x = tf.constant(1.0)
    for number in numbers:
        graph(x, float(number))
    assert len(ran) == graph.experimental_get_tracing_count() == len({*numbers})
    ran.clear()
    for number in numbers:
        graph(x, tf.constant(float(number)))
    assert len(ran) == 1
    ran.clear()
    run = tf.function(
        lambda x, factor: scaled(x, factor),
        input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([])],
    )
    for number in numbers:
        run(tf.ones([int(number)]), float(number))
    assert run.experimental_get_tracing_count() == len(ran) == 1
    assert isinstance(ran[0], tf.Tensor)
    fixed, [line] = program("retrace.py").run, trace("retrace.py")
    shapes = {tuple(fixed(tf.ones([n]), float(n)).shape) for n in range(1, 6)}
    assert len(shapes) == 5 and line.text.startswith("traces: 1 ")


@says(
    "Where it prints anyway.",
    "Now the value …",
    "With this fix, …",
    "Fix: return `tf.identity(upstream)` …",
    "In the first two …",
    "Look at which …",
    "The first part …",
    "With the tape outside, the backward …",
    "It runs only …",
    "The print runs …",
    "It also runs …",
    "Each of these …",
    "In the fix, `tf.control_dependencies` …",
    "Deliberately wrong: nothing …",
    "With a control …",
    was="'with an eager tape around the function nothing prints': in a branch it does",
)
@over(mode=[each for each in EVERYWHERE if "XLA" not in each.name], waits=[False, True])
def test_print(mode, waits):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "printed"

        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                line = tf.print("upstream", output_stream=f"file://{file}")
                with tf.control_dependencies([line] if waits else []):
                    return tf.identity(upstream)

            return tf.identity(x), grad

        assert same(mode.gradient(lambda x: 3.0 * probe(x), 2.0), 3.0)
        printed = file.exists()
    direct = mode is AROUND or mode in UNKNOWN or "strategy" in mode.name
    assert printed == (waits or not (direct and mode in OUTSIDE))
    texts = [line.text for line in trace("wrong/print_around.py")]
    assert len([text for text in texts if text.startswith("tape around")]) == 2
    assert texts == [
        "tape around the function",
        "  gradient = 1.0",
        "tape around the function, call in a branch",
        "  upstream = 1",
        "  gradient = 1.0",
        "tape inside",
        "  upstream = 1",
        "  gradient = 1.0",
    ]


pointer(
    "Message or symptom — Fix",
    "Using a symbolic tf.Tensor as a Python bool is not allowed — replace the `if` by `tf.where`",
    "To be compatible with tf.function, Python functions must return zero or more Tensors — put `tf.function` above `tf.custom_gradient`",
    "Tensor.graph is undefined, in a branch — copy the tensor with `tf.identity`, and capture the copy",
    "Detected unsupported operations: PyFunc — use TensorFlow's operations in `grad`",
    "is out of scope and cannot be used here — return, print or assign the tensor instead of storing it",
    "cannot be accessed from FuncGraph, because it was defined in FuncGraph — replace the TensorFlow loop by a Python loop",
    "Node with id … is different from the passed in node — return `upstream * x` instead of `x`",
    "pop from empty list — use a local variable instead of a list",
    "Cannot compute gradient inside while loop with respect to op — differentiate with respect to the loop variable",
    "No gradient defined for operation, although there is a custom gradient — pass `tf.stop_gradient(x)` to the inner `tf.function`",
    "XLA compilation requires a fixed tensor list size — pass `maximum_iterations`",
    "Support for TensorList crossing the XLA/TF boundary is not implemented — put the tape inside the compiled function",
    "is in list of internal_captures but not in internal_capture_to_output, in a loop — copy the tensor with `tf.identity`, and capture the copy",
    "Each Python number causes a new trace — pass tensors instead of Python numbers",
    "tf.print in a gradient function prints nothing — make the gradient depend on the print",
    "Each entry starts …",
)


advice(
    "Test the gradient of `5.0 …",
)
