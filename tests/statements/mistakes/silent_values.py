"""What the page on what a rule returns says in words."""

from truth.modes.seen import seen
from truth.statements import tries
from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
COMPARED = "Incompatible shapes between op input and calculated input gradient"
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@says(
    "In each entry …",
)
def test_the_entries():
    for path in sorted(tries.folder.glob("wrong/*.py")):
        assert "tracebook: raises" not in path.read_text("utf-8")
        assert all("Error" not in each.text for each in trace(f"wrong/{path.name}"))


@says(
    "The same happens …",
)
@over(
    wrap={"eager": lambda f: f, "graph": tf.function},
    draw={
        "numpy": lambda x: tf.numpy_function(
            lambda x: np.random.rand(*x.shape).astype(x.dtype), [x], x.dtype
        ),
        "normal": lambda x: tf.random.normal(tf.shape(x)),
    },
)
def test_noise(wrap, draw):
    @tf.custom_gradient
    def again(x):
        return x * draw(x), lambda upstream: upstream * draw(x)

    @tf.custom_gradient
    def kept(x):
        noise = draw(x)
        return x * noise, lambda upstream: upstream * noise

    def both(function):
        def both(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return y, tape.gradient(y, x)

        return wrap(both)(tf.ones([5]))

    assert same(*both(kept)) and not same(*both(again))


@says(
    "By the chain …",
    "This gradient function …",
    "If the function …",
    "The gradient is 6 …",
    "Each element is …",
    "Fix: return the product …",
    "upstream times local, …",
    "Deliberately wrong: the gradient function …",
)
@over(mode=[EAGER, AROUND, XLA, SYMBOLIC], factor=[1.0, -10.0], x=[3.0, 0.5])
def test_no_upstream(mode, factor, x):
    square = program("wrong/no_upstream.py").square
    found = mode.gradient(lambda x: factor * square(x), x)
    assert same(found, 2.0 * x)
    fixed = program("no_upstream.py").square
    assert same(mode.gradient(lambda x: factor * fixed(x), x), factor * 2.0 * x)


@says(
    "A Python function …",
    "For one input, …",
    "For two inputs, …",
    "The gradient is `None`, …",
    "With the `return`, …",
    "Fix: end `grad` …",
    "Deliberately wrong: grad computes …",
    "grad returns what …",
)
@over(mode=MODES, inputs=[1, 2])
def test_no_return(mode, inputs):
    def grad(upstream):
        upstream * 2.0

    assert grad(1.0) is None and tf.nest.flatten(None) == [None]
    rule = tf.custom_gradient(lambda *given: (tf.add_n(given), grad))
    given = [1.0, 2.0][:inputs]
    if inputs == 1:
        assert mode.gradients(lambda *given: rule(*given), *given) == [None]
    else:
        assert raised(mode.gradients, lambda *given: rule(*given), *given)
    fixed = program("no_return.py").square
    assert same(mode.gradient(lambda x: fixed(x), 3.0), 6.0)


@says(
    "TensorFlow compares the …",
    "If both shapes …",
    was="'with the tape inside it compares no shapes': in a branch or a loop it does",
)
@over(mode=[AROUND, *(m for m in BLOCKS if m.name.startswith(("branch", "loop")))])
def test_who_compares_shapes(mode):
    scaled = tf.custom_gradient(lambda x, f: (x * f, lambda u: (u * f, u * x)))
    said = message(mode.gradients, lambda x, f: scaled(x, f), X, 2.0)
    assert COMPARED in said


@says(
    "Broadcasting copies `factor` …",
    "TensorFlow compares the …",
    "If both shapes …",
    "In contrast, TensorFlow …",
    "If the shapes …",
    "The gradient of the scalar is a …",
    "The right gradient …",
    "Now the gradient …",
    "Fix: sum the …",
    "For a scalar, …",
    "The gradient of the scalar is the …",
    "Deliberately wrong: the gradient of …",
)
@over(mode=MODES)
def test_broadcast(mode):
    scaled = program("wrong/broadcast.py").scaled
    if mode in BESIDE:
        found = mode.gradients(lambda x, f: scaled(x, f), X, 2.0)[1]
        assert same(found, X)
        said = message(tf.Variable(2.0).assign_sub, found)
        assert "Cannot update variable" in said
    else:
        said = message(mode.gradients, lambda x, f: scaled(x, f), X, 2.0)
        assert COMPARED in said
    unknown = tf.function(
        lambda x, f: scaled(x, f), input_signature=[tf.TensorSpec(None)] * 2
    )
    assert same(EAGER.gradients(lambda x, f: unknown(x, f), X, 2.0)[1], X)
    fixed = program("broadcast.py").scaled
    assert same(mode.gradients(lambda x, f: fixed(x, f), X, 2.0)[1], np.sum(X))


@says(
    "For such a …",
    "The upstream gradient has …",
    "Broadcasting aligns these …",
    "A square matrix …",
    "Test with a …",
    "The factor 10 …",
    "In the table, the …",
    "For both shapes, …",
    "Fix: give `upstream` …",
    "Deliberately wrong: upstream …",
    "upstream gets its …",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], rows=[2, 3], columns=[2, 3])
def test_lost_axis(mode, rows, columns):
    defined, fixed = program("wrong/lost_axis.py"), program("lost_axis.py")
    upstream = tf.range(1.0, rows + 1)
    x = tf.ones([rows, columns])

    def loss(function):
        return lambda x: tf.reduce_sum(function(x) * upstream)

    error = raised(mode.gradient, loss(defined.energies), x)
    assert (error is None) == (rows == columns)
    right = mode.gradient(loss(defined.plain), x)
    assert same(mode.gradient(loss(fixed.energies), x), right)
    if error is None:
        found = mode.gradient(loss(defined.energies), x)
        assert same(found, np.transpose(right)) and not same(found, right)
        ones = [
            mode.gradient(lambda x: tf.reduce_sum(f(x)), x)
            for f in (defined.energies, defined.plain)
        ]
        assert same(*ones) and same(ones[0], 2.0 * x)


@says("In the table, the …")
def test_the_table_of_the_lost_axis():
    shown = seen(tries.folder / "wrong/lost_axis.py", "energies(x)")["eager"]
    assert same(eval(shown), 2.0 * tf.ones([2, 2]))


@says(
    "The fix names both …",
    "TensorFlow assigns the …",
    "Both gradients are …",
    "The two gradients …",
    "Fix: return the gradients …",
    "Give each a …",
    "Deliberately wrong: the gradients …",
    "The gradients have …",
)
@over(mode=MODES)
def test_two_inputs(mode):
    ratio, fixed = program("wrong/two_inputs.py").ratio, program("two_inputs.py").ratio
    right = mode.gradients(lambda x, y: fixed(x, y), 6.0, 2.0)
    assert same(right, [0.5, -1.5]) and all(each.shape == [] for each in right)
    assert same(mode.gradients(lambda x, y: ratio(x, y), 6.0, 2.0), right[::-1])


@says(
    "TensorFlow flattens a …",
    "But `grad` returns …",
    "Write `assert downstream.keys() == model.keys()`, …",
    "`w` and `b` …",
    "Now that `grad` …",
    "Fix: let `grad` …",
    "Deliberately wrong: gradients in the order in which keys …",
    "A dictionary goes …",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], keys=["wb", "bw", "qp"])
def test_dictionary(mode, keys):
    assert tf.nest.flatten({"w": 1, "b": 2}) == [2, 1]
    ruled = program("wrong/dictionary.py").ruled
    assert same(mode.gradients(lambda w, b: ruled(w, b), 2.0, 1.0), [1.0, 5.0])
    rule = tf.custom_gradient(
        lambda model: (
            5.0 * model["w"] + model["b"],
            lambda upstream: {keys[0]: 5.0 * upstream, keys[1]: upstream},
        )
    )
    found = mode.gradients(lambda w, b: rule({"w": w, "b": b}), 2.0, 1.0)
    assert same(found, [5.0, 1.0] if keys != "bw" else [1.0, 5.0])


@says(
    "The order of …",
    "In a graph, …",
    "In eager mode, the …",
    "Fix: put the …",
    "In the graph, …",
    "Each variable gets …",
    "Deliberately wrong: gradients in the order in which variables …",
    "Each gradient is …",
)
@over(graph=[False, True])
def test_variables(graph):
    variables = [tf.Variable(1.0, name=f"w{n}") for n in range(40)]
    orders = []

    @tf.custom_gradient
    def rule(x):
        def grad(upstream, variables):
            orders.append([each.name for each in variables])
            return upstream, [upstream] * len(variables)

        return x * tf.add_n([each.read_value() for each in variables]), grad

    def run(x):
        with tf.GradientTape() as tape:
            y = rule(x)
        return tape.gradient(y, variables)

    (tf.function(run) if graph else run)(tf.constant(3.0))
    if not graph:  # The same code, with new variables of the same names.
        variables = [tf.Variable(1.0, name=f"w{n}") for n in range(40)]
        run(tf.constant(3.0))
        assert orders[0] != orders[1]
    names = [each.name for each in variables]
    assert (orders[-1] == sorted(names)) == graph and orders[-1] != names
    assert sorted(["slope", "offset"]) == ["offset", "slope"]
    defined = program("variables.py")

    def fixed(x):
        with tf.GradientTape() as tape:
            y = defined.line(x)
        return tape.gradient(y, [defined.slope, defined.offset])

    found = (tf.function(fixed) if graph else fixed)(tf.constant(5.0))
    assert same(list(found), [5.0, 1.0])


@says(
    "`grad` draws random …",
    "The new mask …",
    "The gradient is 1 …",
    "Output and gradient …",
    "Fix: draw the …",
    "Assert that the gradient has …",
    "Deliberately wrong: grad draws …",
    "The mask is …",
)
@over(graph=[False, True], name=["wrong/drawn_anew.py", "drawn_anew.py"])
def test_drawn_anew(graph, name):
    dropped = program(name).dropped

    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = dropped(x)
        return y, tape.gradient(y, x)

    y, gradient = (tf.function(run) if graph else run)(tf.ones([64]))
    assert set(gradient.numpy()) == {0.0, 1.0}
    assert same(y, gradient) == (name == "drawn_anew.py")


@says(
    "The gradient function of `tf.grad_pass_through` …",
    "The gradient is a …",
    "Automatic differentiation of …",
    "Fix: use `tf.grad_pass_through` …",
    "grad_pass_through around a function …",
    "Deliberately wrong: grad_pass_through …",
)
@over(mode=MODES)
def test_pass_through(mode):
    total, fixed = (
        program("wrong/pass_through.py").total,
        program("pass_through.py").total,
    )
    if mode in BESIDE:
        assert same(mode.gradient(lambda x: 5.0 * total(x), [1.0, 2.0]), 5.0)
    else:
        assert COMPARED in message(mode.gradient, lambda x: total(x), [1.0, 2.0])
    assert same(mode.gradient(lambda x: 5.0 * fixed(x), [1.2, 2.7]), [5.0, 5.0])


@says(
    "TensorFlow passes the …",
    "A real gradient …",
    "The gradient with respect to `y` …",
    "The gradient with respect to `x` …",
    "The complex gradient …",
    "Fix: cast `upstream` …",
    "Deliberately wrong: a …",
    "The gradient of a complex …",
)
@over(mode=MODES)
def test_real(mode):
    rule = tf.custom_gradient(
        lambda z: (tf.math.real(z), lambda u: tf.cast(u, z.dtype) * (2.0 + 3.0j))
    )
    found = mode.gradients(lambda x, y: rule(tf.complex(x, y)), 3.0, 4.0)
    assert same(found, [2.0, 3.0])
    of_parts = program("wrong/real.py").of_parts
    found = mode.gradients(lambda x, y: of_parts(x, y), 3.0, 4.0)
    assert same(found, [10.0, 0.0])
    energy = program("real.py").energy
    found = mode.gradients(lambda x, y: energy(tf.complex(x, y)), 3.0, 4.0)
    assert same(found, [6.0, 8.0], 1e-6)


advice(
    "Compare each custom …",
    "Use a different …",
    "Check `tape.gradient(y, x, upstream)` …",
    "Write `assert tape.gradient(y, x) is not None` …",
    "Write `assert gradient.shape == factor.shape`.",
    "Compare with automatic …",
    "Call the decorated …",
    "Write `assert gradient.shape == x.shape` …",
    "Write `assert downstream.dtype == z.dtype` …",
)
pointer(
    "The fix multiplies by …",
    "The fix returns the …",
    "The fix sums the …",
    "The fix gives `upstream` …",
    "The fix returns a …",
    "The fix finds each …",
    "In the fix, `grad` …",
    "In the fix, the sum …",
    "The fix casts `upstream` …",
    "If a second …",
    "The index by …",
    "`square` returns a …",
    "Compare the gradients …",
    "This `grad` computes …",
    "`scaled` multiplies a …",
    "Look at the …",
    "`energies` sums the …",
    "`ratio` divides `x` …",
    "Compare the two …",
    "Each input has …",
    "The argument of …",
    "`grad` returns two …",
    "`grad` returns the …",
    "The program calls …",
    "The entry on …",
    "This dropout draws …",
    "`total` sums a …",
    "The program builds …",
    "Notice it earlier.",
    "More: the chain rule.",
    "Asked in tensorflow#127690.",
    "More: which axes …",
    "More: the sum …",
    "More: several variables.",
    "More: the order …",
    "Asked in tensorflow#43535.",
    "More: common failures with variables.",
    "More: recompute_grad.",
    "More: common failures with straight-through gradients.",
    "More: complex numbers.",
)
