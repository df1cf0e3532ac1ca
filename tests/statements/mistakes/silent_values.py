"""What the page on what a rule returns says in words."""

from truth.statements import tries
from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
COMPARED = "Incompatible shapes between op input and calculated input gradient"
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@says(
    "No message, and a gradient that is wrong, or None, because of what the rule returns.",
    "Each entry shows the wrong number beside the right one.",
)
def test_the_entries():
    for path in sorted(tries.folder.glob("wrong/*.py")):
        assert "tracebook: raises" not in path.read_text("utf-8")
        assert all("Error" not in each.text for each in trace(f"wrong/{path.name}"))


@says("With NumPy in a `tf.numpy_function` it is the same.")
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
    "The rule returns the local derivative alone.",
    "While the function is the last step, upstream is one, and the number is right.",
    "Upstream times local, under another upstream than one.",
    "Wrong on purpose: the rule forgets its upstream gradient.",
)
@over(mode=[EAGER, AROUND, XLA, SYMBOLIC], factor=[1.0, -10.0], x=[3.0, 0.5])
def test_no_upstream(mode, factor, x):
    square = program("wrong/no_upstream.py").square
    found = mode.gradient(lambda x: factor * square(x), x)
    assert same(found, 2.0 * x)
    fixed = program("no_upstream.py").square
    assert same(mode.gradient(lambda x: factor * fixed(x), x), factor * 2.0 * x)


@says(
    "A Python function without `return` returns `None`, and for one input that is one gradient: none.",
    "For two inputs the count raises.",
    "Wrong on purpose: the rule computes and does not return.",
    "The rule returns what it computes.",
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
    "`factor` was copied to each element of `x`, and the rule does not add the copies up again.",
    "A tape beside the rule, eager or in the same graph, compares no shapes; one around a `tf.function` does, if it knows them, and raises.",
    "Later it may raise: Cannot update variable.",
    "What was copied forward is summed backward.",
    "Wrong on purpose: the gradient of a scalar keeps the broadcast shape.",
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
    "Upstream has one number for each row.",
    "Without the axis that was summed it lines up with the columns.",
    "In a square matrix there are as many of these, so the product is defined.",
    "Try shapes whose sides differ: then it raises.",
    "Wrong on purpose: upstream has lost its axis, and the matrix is square.",
    "Upstream gets its axis back; tried with sides of two lengths.",
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


@says(
    "Gradients are handed out in the order of the arguments.",
    "Both are scalars, so neither the count nor a shape tells.",
    "Wrong on purpose: the gradients of two inputs have changed places.",
    "The gradients stand in the order of the inputs, under their names.",
)
@over(mode=MODES)
def test_two_inputs(mode):
    ratio, fixed = program("wrong/two_inputs.py").ratio, program("two_inputs.py").ratio
    right = mode.gradients(lambda x, y: fixed(x, y), 6.0, 2.0)
    assert same(right, [0.5, -1.5]) and all(each.shape == [] for each in right)
    assert same(mode.gradients(lambda x, y: ratio(x, y), 6.0, 2.0), right[::-1])


@says(
    "A dictionary is taken apart in the order of its sorted keys, and `b` comes before `w`.",
    "The rule returns its gradients in the order in which the keys were written.",
    "`assert downstream.keys() == model.keys()`: the keys themselves are not compared.",
    "Wrong on purpose: gradients in the order in which the keys were written.",
    "A dictionary goes in, and one with its keys comes back.",
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
    "`variables` is a list in an order of its own: sorted by name in a graph, and eagerly that of a set.",
    "Here `offset` comes before `slope`.",
    "Match each variable by `ref()`.",
    "Wrong on purpose: gradients in the order in which variables are read.",
    "Each variable is asked who it is.",
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
    "The rule draws its own random numbers.",
    "Its mask is as good as any, and belongs to another output.",
    "`assert tf.reduce_all(gradient == y / x)`, or the like: what was dropped must have no gradient.",
    "Wrong on purpose: the rule draws another mask than the forward pass.",
    "The mask is drawn once, and kept.",
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
    "`tf.grad_pass_through` hands upstream on as it is.",
    "Upstream has the shape of the output.",
    "A tape beside it does not compare that with the input's; one around a `tf.function` does.",
    "grad_pass_through around what keeps the shape.",
    "Wrong on purpose: grad_pass_through around a change of shape.",
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
    "TensorFlow takes the real part of what the rule returned for `x` and the imaginary part for `y`.",
    "A real gradient has no imaginary part, and a wrong type is not refused.",
    "Wrong on purpose: a real gradient for a complex input.",
    "The gradient of a complex input is complex.",
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


pointer(
    "A second derivative that is None without a word is among those of second order."
)

advice(
    "Compare each rule with autodiff of the plain function, or with differences: with another number for each input, and under an upstream gradient that is not one."
)


advice(
    "Multiply by upstream.",
    "Check a rule with `tape.gradient(y, x, upstream)`, and another number for each element.",
    "Return it.",
    "`assert tape.gradient(y, x) is not None`.",
    "Sum over what was broadcast.",
    "`assert gradient.shape == factor.shape`.",
    "Put the axis back.",
    "Name them before you return them.",
    "Compare with autodiff at a point where the gradients differ.",
    "Return a dictionary with the same keys.",
    "With one variable, `assert variables[0] is w`.",
    "Draw once, in the forward pass, and close over the result.",
    "Use it around what keeps the shape, and let autodiff do the rest.",
    "`assert gradient.shape == x.shape`.",
    "Return a gradient of the type of the input.",
    "`assert downstream.dtype == z.dtype` in the rule.",
)

pointer(
    "The entries begin with the most frequent.",
    "Notice it earlier.",
    "More: the chain rule.",
    "Asked in tensorflow#127690.",
    "More: which axes are summed.",
    "More: the sum is the transpose of the copy.",
    "More: several variables.",
    "More: the order of the pieces, outputs in a dictionary.",
    "Asked in tensorflow#43535.",
    "More: the order of the code.",
    "More: recompute_grad.",
    "More: where the identity breaks.",
    "More: complex numbers.",
)
