"""What the page on Jacobians and vectorizing says in words."""

from unittest import mock

from tensorflow.python.ops.parallel_for import control_flow_ops
from tensorflow.python.ops.parallel_for.pfor import _pfor_converter_registry

from truth.statements.tries import *

EITHER = {"eager": lambda f: f, "graph": tf.function}

pointer(
    "Message or symptom — Fix",
    "One gradient for the whole batch instead of one for each example — map over the examples, or call `tape.jacobian`",
    "No pfor vectorization defined — use `tf.map_fn`, or allow the fallback",
    "A gradient function that works eagerly fails in tape.jacobian — pass `experimental_use_pfor=False`",
    "Encountered an exception while vectorizing the jacobian computation — pass `experimental_use_pfor=False`",
    "GradientTape must be created with `persistent=True` to compute the jacobian — create the tape with `persistent=True`",
    "GradientTape must be created with `persistent=True` to compute the batch_jacobian — create the tape with `persistent=True`",
    "Need first dimension of target shape and source shape to match — call `tape.jacobian`",
    "Shape must have rank at least 2 — reduce with `keepdims=True`",
    "The Jacobian of a batch is nearly all zeros, or doesn't fit into memory — call `tape.batch_jacobian`",
    "Tensor's shape is not compatible with supplied shape, for an empty batch — leave pfor on",
    "'list' object has no attribute 'shape' — compute one Jacobian after the other",
    "Most errors on …",
    "If the conversion …",
    "hides the copy in the log",
    "The program has …",
    "The program maps …",
    "The program calls `tape.jacobian` without pfor:",
    "The fix turns pfor off only …",
    "The fix keeps …",
    "Asked in tensorflow#4897, tensorflow#43904.",
    "Asked in tensorflow#53726, tensorflow#43904.",
    "Asked in tensorflow#47785.",
    "Asked in tensorflow#56938.",
    "Asked in tensorflow#36227, tensorflow#34496.",
    "Asked in tensorflow#37795.",
    "Asked in tensorflow#57705.",
    "More: graphs.",
)


def squares(persistent=False):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * x
    return tape, y, x


@says(
    "This page has …",
    "The two methods …",
    "TensorFlow vectorizes these …",
)
@over(
    call={
        "jacobian": lambda: (lambda tape, y, x: tape.jacobian(y, x))(*squares()),
        "batch_jacobian": lambda: (lambda tape, y, x: tape.batch_jacobian(y, x))(
            *squares()
        ),
        "vectorized_map": lambda: tf.vectorized_map(tf.sin, tf.ones([2])),
        "for each example": lambda: tf.vectorized_map(
            lambda x: EAGER.gradient(tf.sin, x), tf.ones([2])
        ),
    }
)
def test_one_loop(call):
    with mock.patch.object(
        control_flow_ops, "_pfor_impl", wraps=control_flow_ops._pfor_impl
    ) as loop:
        call()
    assert loop.called


@says(
    "The gradient is …",
    "If the target …",
    "The fixed program …",
    "Each way uses …",
    "The results of …",
    "Deliberately wrong: tape.gradient …",
    "Fix: compute one gradient …",
    "A gradient for each example, through …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA])
def test_per_example(mode):
    defined, xs = program("per_example.py"), tf.constant([1.0, 2.0, 3.0])

    def losses(w):
        return tf.map_fn(lambda x: defined.loss(w, x), xs)

    w, each = tf.constant(1.7), [4.0, 16.0, 36.0]
    assert same(mode.gradient(losses, w), sum(each))
    assert same(mode.gradient(lambda w: tf.reduce_sum(losses(w)), w), sum(each))
    for map_ in (tf.map_fn, tf.vectorized_map):
        assert same(map_(lambda x: defined.gradient(w, x), xs), each)
    calls: list = []
    tf.map_fn(lambda x: calls.append(x) or defined.gradient(w, x), xs)
    assert len(calls) / len(xs) == 1
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = losses(w)
    assert same(tape.jacobian(y, w), each)
    assert same(EAGER.gradient(tf.round, w), None)  # so it was the rule
    assert all(line.numbers == each for line in trace("per_example.py"))


@says(
    "The map raises …",
    "`tf.vectorized_map` converts the …",
    "By default, `tf.vectorized_map` …",
    "The values are …",
    "Deliberately wrong: the mapped …",
    "tf.map_fn calls the …",
    "Fix: use `tf.map_fn`, …",
    "The fix uses `tf.map_fn`:",
)
def test_pfor():
    cube, x = program("wrong/pfor.py").cube, tf.constant([1.0, 2.0, 3.0])
    assert _pfor_converter_registry.get("PyFunc") is None
    assert _pfor_converter_registry.get("Mul") is not None
    said = message(lambda: tf.vectorized_map(cube, x, fallback_to_while_loop=False))
    assert "No pfor vectorization defined for PyFunc" in said
    assert same(tf.vectorized_map(cube, x, warn=False), x**3)
    seen = []

    def sees(x):
        seen.append(float(x))
        return cube(x)

    assert same(tf.map_fn(sees, x), x**3) and seen == [1.0, 2.0, 3.0]


@says(
    "The first gradient function …",
    "Both gradients work, …",
    "By default, `tape.jacobian` …",
    "In this graph, …",
    "The fix turns pfor off:",
    "The Jacobian is the identity matrix.",
    "Deliberately wrong: the Jacobian of a gradient …",
    "Fix: pass `experimental_use_pfor=False`, …",
    "Row by row, each …",
)
@over(method=["jacobian", "batch_jacobian"], use_pfor=[True, False])
def test_eager_rule(method, use_pfor):
    seen = []

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            seen.append((hasattr(upstream, "numpy"), hasattr(x, "numpy")))
            return upstream * 2.0 * x

        return x * x, grad

    def ask(rule):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = rule(x)
        return getattr(tape, method)(y, x, experimental_use_pfor=use_pfor)

    assert tf.executing_eagerly() and tf.reduce_sum(ask(square)) == 20.0
    assert {*seen} == {(not use_pfor, True)}
    said = message(ask, program("wrong/eager_rule.py").passed)
    assert ("'SymbolicTensor' object has no attribute 'numpy'" in said) == use_pfor


@says(
    "The program computes the Jacobian …",
    "The fix computes the Jacobian …",
    "The message suggests …",
    "`tape.jacobian` raises this …",
    "Here, `tf.image.rot90` creates …",
    "Without a `tf.function`, …",
    "Each row of …",
    "Deliberately wrong: the Jacobian of a branch …",
    "Fix: pass `experimental_use_pfor=False`.",
    "The program computes the Jacobian …",
    "Row by row, nothing …",
    was="'whatever the conversion raises': only a ValueError is wrapped",
)
@over(wrap=EITHER, use_pfor=[True, False])
def test_vectorizing(wrap, use_pfor):
    in_graph = wrap is not EITHER["eager"]

    def quarter(image):
        return tf.image.rot90(image, k=3)

    turned = wrap(quarter)

    x = tf.reshape(tf.range(4.0), [2, 2, 1, 1])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = turned(x)

    def ask():
        return tape.jacobian(y, x, experimental_use_pfor=use_pfor)

    logger = tf.get_logger()
    before, logger.disabled = logger.disabled, True
    try:
        error = raised(ask)
        assert (error is not None) == (in_graph and use_pfor)
        if error is None:
            moved = tf.reshape(ask(), (4, 4)) @ tf.reshape(x, (4, 1))
            assert same(tf.reshape(moved, y.shape), y)
        else:
            assert "while vectorizing the jacobian" in str(error)
            assert "in both shapes must be equal" in str(error.__cause__)
            graph = turned.get_concrete_function(x).graph
            assert any("If" in each.type for each in graph.get_operations())
    finally:
        logger.disabled = before
    for kind in (ValueError, TypeError, AttributeError, tf.errors.InvalidArgumentError):
        raises = kind("any") if kind.__module__ == "builtins" else kind(None, None, "")
        with mock.patch.object(control_flow_ops, "_pfor_impl", side_effect=raises):
            if use_pfor:
                said = message(ask)
                wrapped = "while vectorizing the jacobian" in said
                assert wrapped == (kind is ValueError) == said.startswith("ValueError:")


@says(
    "The message names both …",
    "Without pfor, `tape.jacobian` calls …",
    "The Jacobian is diagonal, …",
    "Deliberately wrong: a Jacobian row …",
    "A persistent tape computes a gradient for each row.",
    "Fix: create the tape with `persistent=True`.",
    "The fix uses a persistent tape:",
    "In a graph …",
)
@over(wrap=EITHER, persistent=[True, False], method=["jacobian", "batch_jacobian"])
def test_rows(wrap, persistent, method):
    asked = []

    def ask():
        tape, y, x = squares(persistent)
        of = tape.gradient
        with mock.patch.object(
            tape, "gradient", lambda *a, **k: (asked.append(a), of(*a, **k))[1]
        ):
            return getattr(tape, method)(y, x, experimental_use_pfor=False)

    is_eager = wrap is EITHER["eager"]
    said = message(wrap(ask))
    assert ("must be created with persistent=True" in said) == (
        is_eager and not persistent
    )
    rows = 6 if method == "jacobian" else 3
    assert len(asked) == (1 if not is_eager else rows if persistent else 0)


@says(
    "The program passes `parallel_iterations=2` …",
    "The message names the argument …",
    "With `parallel_iterations`, `tape.batch_jacobian` …",
    "A tape that isn't persistent …",
    "The result equals …",
    "Deliberately wrong: a Jacobian in …",
    "A persistent tape computes a gradient for each part.",
)
@over(wrap=EITHER, persistent=[True, False])
def test_parallel(wrap, persistent):
    def ask(**options):
        tape, y, x = squares(persistent)
        return tape.batch_jacobian(y, x, **options)

    said = message(wrap(lambda: ask(parallel_iterations=2)))
    assert ("with parallel_iterations" in said) == (not persistent)
    if persistent:
        assert same(ask(parallel_iterations=2), ask())


@says(
    "The program computes the `batch_jacobian` …",
    "The output and …",
    "`tape.batch_jacobian` needs a …",
    "Weights don't have …",
    "The first axis …",
    "Deliberately wrong: batch_jacobian with …",
    "Fix: call `tape.jacobian`.",
    "The fix computes the whole Jacobian:",
    "tape.jacobian returns a …",
)
@over(wrap=EITHER, rows=[2, 4])
def test_first_dimension(wrap, rows):
    def ask(method):
        x, W = tf.ones([rows, 2]), tf.ones([3, 2])
        with tf.GradientTape() as tape:
            tape.watch(W)
            y = x @ tf.transpose(W)
        return getattr(tape, method)(y, W)

    assert "Need first dimension" in message(wrap(lambda: ask("batch_jacobian")))
    assert wrap(lambda: ask("jacobian"))().shape == (rows, 3, 3, 2)


@says(
    "The target is …",
    "The message contains …",
    "The result has …",
    "Deliberately wrong: batch_jacobian of …",
    "The losses keep …",
    "Fix: reduce with …",
    "The target of `tape.batch_jacobian` …",
)
@over(wrap=EITHER, keepdims=[True, False])
def test_rank(wrap, keepdims):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def ask():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x, axis=1, keepdims=keepdims)
        return tape.batch_jacobian(y, x)

    if keepdims:
        assert same(wrap(ask)()[:, 0], 2 * x)
    else:
        assert "must have rank at least 2" in message(wrap(ask))


@says(
    "The fix calls …",
    "The target of this …",
    "`tape.jacobian` reads the …",
    "The target of `tape.jacobian` …",
    "For `tape.batch_jacobian`, the …",
    "Each output now …",
    "Deliberately wrong: the Jacobian of a list …",
    "One Jacobian for …",
)
@over(wrap=EITHER)
def test_lists(wrap):
    def ask(method, target, source):
        tape, y, x = squares(persistent=True)
        given = {"one": lambda t: t, "list": lambda t: [t]}
        return getattr(tape, method)(given[target](y), given[source](x))

    for method in ("jacobian", "batch_jacobian"):
        assert "'list' object has no attribute" in message(
            wrap(lambda m=method: ask(m, "list", "one"))
        )
        assert not message(wrap(lambda m=method: ask(m, "one", "one")))
    assert not message(wrap(lambda: ask("jacobian", "one", "list")))
    assert "'list' object" in message(
        wrap(lambda: ask("batch_jacobian", "one", "list"))
    )


@says(
    "The program computes the whole …",
    "Nearly all elements …",
    "If no example …",
    "However, if the …",
    "The fix computes only …",
    "These blocks agree …",
    "Deliberately wrong: the Jacobian of a whole …",
    "batch_jacobian computes only …",
    "Fix: call `tape.batch_jacobian`.",
    "The result of …",
)
@over(wrap=EITHER, f={"apart": tf.tanh, "together": lambda x: x * tf.reduce_sum(x)})
def test_blocks(wrap, f):
    @wrap
    def both():
        x = tf.constant([[1.0, 2.0], [3.0, 5.0], [4.0, 7.0]])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)

    whole, blocks = both()
    assert whole.shape == (3, 2, 3, 2) and blocks.shape == (3, 2, 2)
    diagonal = tf.stack([whole[i, :, i] for i in range(3)])
    apart = f is tf.tanh
    for i, j in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
        assert tf.reduce_all(whole[i, :, j] == 0) == apart
    assert same(diagonal, blocks, within=1e-6) == apart


@says(
    "With pfor, the …",
    "Without pfor, the …",
    "Without pfor, `tape.jacobian` stacks …",
    "If there are …",
    "The shape is …",
    "Deliberately wrong: no …",
    "The batch is …",
    "An empty batch …",
)
@over(rows=[0, 1, 3])
def test_empty(rows):
    x = tf.ones([rows, 3])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2
    assert tape.jacobian(y, x).shape == (rows, 3, rows, 3)
    asked = []
    with mock.patch.object(
        tape,
        "gradient",
        side_effect=lambda *a, **k: asked.append(a) or tf.zeros_like(x),
    ):
        said = message(lambda: tape.jacobian(y, x, experimental_use_pfor=False))
    assert len(asked) == 3 * rows or not rows
    assert ("not compatible with supplied shape" in said) == (rows == 0)
    found = program("empty.py").jacobian(x)
    assert found.shape == (rows, 3, rows, 3)


advice(
    "Fix: for an …",
    "Fix: compute one Jacobian …",
)
