"""What the page on models that exist says in words."""

import functools
import itertools
import logging
import tempfile
import warnings

import keras

from truth.statements import tries
from truth.statements.tries import *

X = [[3.0, 4.0]]
SIGNS = [[1.0, -1.0]]
GUIDED = [[1.0, 0.0]]
INNER = (EAGER, PERSISTENT, INSIDE, XLA)
"""Where the tape sees the ReLU itself."""

_number = itertools.count()


def registered():
    """The name of a guided rule, a new one each time."""
    name = f"Guided {next(_number)}"
    tf.RegisterGradient(name)(
        lambda op, upstream: (
            tf.nn.relu(upstream) * tf.cast(op.outputs[0] > 0, upstream.dtype)
        )
    )
    return name


def mapped(function, name, key="Relu"):
    def run(x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({key: name}):
            return function(x)

    return run


def signed(function):
    return lambda x: function(x) * SIGNS


def small(form=None):
    """A functional model of one ReLU of the given form."""
    inputs = keras.Input([2])
    return keras.Model(inputs, (form or keras.layers.Activation("relu"))(inputs))


def copied(model, function, **options):
    copy = keras.models.clone_model(model, clone_function=function, **options)
    copy.set_weights(model.get_weights())
    return copy


# The rule.


@says(
    "A guided ReLU …",
    "The value of the model …",
    "The local derivative is …",
    "Here guided backpropagation …",
    "It drops negative …",
    "A gradient function that …",
    "Guided ReLU in …",
)
@over(mode=MODES, x=arrays(3, numbers(-9, 9)), upstream=arrays(3, numbers(-9, 9)))
def test_the_rule(mode, x, upstream):
    # TensorFlow takes subnormal numbers for 0.
    x, upstream = (np.where(abs(a) < 1e-37, np.float32(0), a) for a in (x, upstream))
    rule = program("guided.py").guided_relu
    # XLA computes no print in a rule.
    rule = rule if mode not in (XLA, AROUND_XLA) else program("swap.py").guided_relu
    assert same(rule(tf.constant(x)), tf.nn.relu(x))

    def sent(u):
        return mode.gradient(rule, x, lambda y: tf.reduce_sum(y * u))

    plain = mode.gradient(tf.nn.relu, x)
    assert same(plain, np.where(x > 0, 1.0, 0.0))
    found = sent(upstream)
    assert same(found, np.maximum(upstream, 0) * plain) and np.min(found) >= 0
    # Linear would be: the one is minus the other.
    if np.any((upstream != 0) & (x > 0)):
        assert not same(sent(-upstream), -np.asarray(found))


@says(
    "`clone_model` calls your …",
    "The copy has …",
    "A copy without …",
    "A copy needs …",
)
def test_clone():
    model = keras.Sequential([keras.Input([2]), keras.layers.Dense(2, "relu")])
    seen = []

    def clone(layer):
        seen.append(layer)
        return layer.__class__.from_config(layer.get_config())

    copy = keras.models.clone_model(model, clone_function=clone)
    assert seen == model.layers and copy.layers[0] is not model.layers[0]
    assert not same(copy.layers[0].kernel, model.layers[0].kernel)
    copy.set_weights(model.get_weights())
    assert same(copy(tf.constant(X)), model(tf.constant(X)))
    copy.layers[0].bias.assign([5.0, 5.0])
    assert same(model.layers[0].bias, [0.0, 0.0])

    class Own(keras.Model):
        def call(self, x):
            return x

    said = message(lambda: keras.models.clone_model(Own(), clone_function=clone))
    assert "only supported for Sequential models or Functional models" in said


@says(
    "The backward pass …",
    "So the first …",
    "In the second ReLU, …",
    "The guided ReLU …",
    "The upstream gradients are …",
    "In the first ReLU, …",
    "The copy returns …",
    "The gradient of the …",
    "The second ReLU drops …",
    "The first ReLU drops …",
    "The program prints this …",
    "The third unit …",
    "The weights of …",
    "Three gradients of …",
)
def test_the_trace():
    whole, second, first, copy = [
        each for each in trace("guided.py") if len(each.text) > 5
    ]
    assert whole.numbers == [-8, 4, -6] and copy.numbers == [-8, 1, 1]
    assert second.numbers == [2, 5, 1, -2, 1, 1, 1, 0]
    assert first.numbers == [3, 1, -1, 1, -1, 1, 1, 1, 0, 1, 0, 0]
    V, _, W, _, u, _ = map(np.array, program("guided.py").weights)
    hidden = np.array([1, 2]) @ V + [0, 0, -1]
    assert [*hidden] == [3, 1, -1] and [*(np.maximum(hidden, 0) @ W)] == [2, 5]
    upstream = np.maximum(u[:, 0], 0) @ W.T
    assert [*upstream] == [1, -1, 1]
    deconvolved = np.maximum(upstream, 0) @ V.T
    assert trace("solution.py").line("deconvolved").numbers[-2:] == [3, 0]
    solved = [each.numbers[-2:] for each in trace("solution.py")]
    assert solved == [[4, -6], [*deconvolved], [1, 1]] and [*deconvolved] == [3, 0]


@says(
    "Test with an upstream gradient that …",
    "Then a copy …",
    "To notice this, …",
    "If the upstream …",
)
@over(mode=TAPES, signs=[[1.0, 1.0], [1.0, -1.0]])
def test_both_signs(mode, signs):
    slopes = [
        mode.gradient(lambda x, f=f: f(x) * signs, X)
        for f in (tf.nn.relu, program("swap.py").guided_relu)
    ]
    assert same(*slopes) == (min(signs) > 0)


# The secant.


@says(
    "The activation of …",
    "So the program …",
    "If $x_i$ and …",
    "Instead of the derivative, …",
    "The value stays …",
    "In the gradient, …",
    "The batch contains …",
)
@over(mode=MODES, x=numbers(-9, 9), a=numbers(-9, 9))
def test_secant(mode, x, a):
    rescaled = program("rescale.py").rescaled_relu
    x, a = np.float32(x), np.float32(a)
    both = np.array([[x], [a]])
    assert same(rescaled(tf.constant(both)), np.maximum(both, 0))
    slopes = np.asarray(mode.gradient(rescaled, both))[:, 0]
    if abs(x - a) < 1e-6:
        assert same(slopes[0], float(x > 0))
    else:
        line = (max(x, 0) - max(a, 0)) / (x - a)
        assert np.allclose(slopes, line, 1e-4)


@says(
    "The share of …",
    "With the copy, …",
    "With the gradient …",
)
@over(seed=st.integers(0, 99))
def test_shares(seed):
    defined = program("rescale.py")
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [keras.Input([4])]
        + [keras.layers.Dense(8, "relu") for _ in range(3)]
        + [keras.layers.Dense(1)]
    )
    copy = copied(model, defined.rescaled)
    x, a = tf.constant(np.random.normal(size=[2, 3, 4]), tf.float32)
    difference = (model(x) - model(a)).numpy()[:, 0]
    added = [
        tf.reduce_sum(defined.contributions(each, x, a), axis=1).numpy()
        for each in (copy, model)
    ]
    assert np.allclose(added[0], difference, atol=1e-4)
    assert not np.allclose(added[1], difference, atol=1e-3)


# What is found.


@says(
    "A clone function can silently …",
    "If a clone function …",
    "The program tries …",
    "The clone function `guided` …",
    "The last column …",
    "In each row …",
    "`keras.layers.ReLU` has no …",
    "`clone_model` treats a …",
    "With `recursive=True`, `clone_model` …",
    "`keras.ops.relu` in a …",
    "The clone function still …",
    "A clone function can't …",
    "Replace the ReLU in …",
    "The layer keras.layers.ReLU, …",
    "Which forms of …",
)
@over(
    form={
        "activation": lambda: keras.layers.Activation("relu"),
        "layer": keras.layers.ReLU,
        "model": small,
        "operation": lambda: keras.ops.relu,
        "somebody else's": lambda: program("reach.py").Own(),
    },
    recursive=[False, True],
)
def test_reach(form, recursive):
    form = form()
    defined, model, seen = program("reach.py"), small(form), []

    def clone(layer):
        seen.append(layer)
        return defined.guided(layer)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy = copied(model, clone, recursive=recursive)
    found = same(EAGER.gradient(signed(copy), X), GUIDED)
    is_model = isinstance(form, keras.Model)
    assert found == (recursive if is_model else hasattr(form, "activation"))
    assert found or same(EAGER.gradient(signed(copy), X), SIGNS)
    if form is keras.ops.relu:
        [operation] = seen
        assert type(operation).__name__ == "Relu" and operation not in model.layers
        assert not isinstance(operation, keras.layers.Layer)
    if isinstance(form, keras.layers.ReLU) or form is keras.ops.relu:
        assert not hasattr(form, "activation")
        copy = copied(model, defined.guided_too)
        assert same(EAGER.gradient(signed(copy), X), GUIDED)
    rows = [each.text.count("[1. 0.]") for each in trace("reach.py")[1:]]
    assert rows == [3, 3, 2, 1, 0, 0, 2, 0]


@says(
    "`TimeDistributed` and `Bidirectional` …",
    "The copy silently …",
    "For a recurrent …",
)
@over(kind=["TimeDistributed", "Bidirectional"], recursive=[False, True])
def test_wrappers(kind, recursive):
    defined, inputs = program("reach.py"), keras.Input([1, 2])
    if kind == "TimeDistributed":
        wrapper = keras.layers.TimeDistributed(
            keras.layers.Dense(2, "relu", kernel_initializer="identity")
        )
    else:
        cell = keras.layers.SimpleRNN(2, "relu", kernel_initializer="identity")
        wrapper = keras.layers.Bidirectional(cell, merge_mode="ave")
    model = keras.Model(inputs, wrapper(inputs))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy = copied(model, defined.guided_too, recursive=recursive)
    x = tf.reshape(tf.constant([3.0, 4.0]), [1, 1, 2])

    def slope():
        loss = lambda y: tf.reduce_sum(tf.reshape(y, [-1]) * [1.0, -1.0])  # noqa: E731
        return tf.reshape(EAGER.gradient(lambda x: copy(x), x, loss), [-1])

    assert same(slope(), [1, -1])
    found = copy.layers[-1]
    if kind == "TimeDistributed":
        assert found.layer.activation is keras.activations.relu
        found.layer.activation = defined.guided_relu
    else:
        for each in found.forward_layer, found.backward_layer:
            assert each.cell.activation is keras.activations.relu
            each.cell.activation = defined.guided_relu
    assert same(slope(), [1, 0])


@says(
    "To change the …",
    "A graph that was …",
    "You can change …",
    "Assign a new …",
    "A graph keeps …",
    "This holds in …",
    "The two attempts …",
    "Compare their lines …",
    "Activations replaced in …",
    "Deliberately wrong: an …",
)
@over(graph=[False, True])
def test_swap(graph):
    # One model in another: the exchange goes inside.
    model = small(small())
    defined = program("swap.py")

    def gradient():
        return (tf.function if graph else lambda f: f)(
            lambda x: EAGER.gradient(signed(model), x)
        )

    x, relu = tf.constant(X), keras.activations.relu
    before, inside = gradient(), gradient()
    assert same(before(x), SIGNS)
    with defined.swapped(model, relu, defined.guided_relu):
        assert same(before(x), SIGNS if graph else GUIDED)
        assert same(inside(x), GUIDED)
    assert same(inside(x), GUIDED if graph else SIGNS) and same(before(x), SIGNS)
    lines = [each.numbers for each in trace("swap.py")]
    assert lines == [[1, -1], [1, 0], [1, -1], [1, 0], [1, -1], [1, 0]]
    wrong = [each.numbers[-2:] for each in trace("wrong/silent.py")]
    assert len(wrong[1:-1]) == 2 and wrong[0] == wrong[1] == [1, -1]
    assert wrong[2] != wrong[3] == [1, 0]
    outputs = [each.numbers[0] for each in trace("wrong/silent.py")]
    assert outputs[0] == outputs[1] == outputs[3] != outputs[2]


@says(
    "A layer stores …",
    "So if you …",
    "Layers that you …",
    'The name `"relu"` …',
    was="'affects only layers that you create later': not Dense(2, 'relu'), for the name is looked up elsewhere",
)
@over(mode=MODES)
def test_another_name(mode):
    relu, guided = keras.activations.relu, program("swap.py").guided_relu
    model = small(keras.layers.Activation(keras.activations.relu))
    try:
        keras.activations.relu = guided
        later = small(keras.layers.Activation(keras.activations.relu))
        assert same(mode.gradient(signed(model), X), SIGNS)
        assert same(mode.gradient(signed(later), X), GUIDED)
        by_name = small(keras.layers.Activation("relu"))
        dense = keras.layers.Dense(2, "relu", kernel_initializer="identity")
        assert dense.activation is relu
        assert same(mode.gradient(signed(by_name), X), SIGNS)
        assert same(mode.gradient(signed(small(dense)), X), SIGNS)
    finally:
        keras.activations.relu = relu
    assert model.layers[1].activation is relu


# The map.


@says(
    "`gradient_override_map` works if …",
    "A tape in …",
    "The mechanism comes …",
    "Each operation of …",
    "The next program computes …",
    "The map works for …",
    "It also works if …",
    "If a tape …",
    "If you move …",
    "With `tf.gradients`, the …",
    "gradient_override_map on a …",
    was="'the gradient of the unchanged model': tf.gradients in a tf.function returns the guided one",
)
@over(mode=MODES, form={"keras": lambda: small(), "tf": lambda: tf.nn.relu})
def test_the_map(mode, form):
    name = registered()
    run = mapped(form(), name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mode.gradient(signed(run), X)
    assert same(found, SIGNS if mode in INNER else GUIDED)
    made = tf.function(run).get_concrete_function(tf.constant(X)).graph
    [relu] = [each for each in made.get_operations() if each.type == "Relu"]
    assert relu.get_attr("_gradient_op_type").decode() == name
    moved = tf.function(lambda x: tf.gradients(signed(run)(x), x)[0])
    assert same(moved(tf.constant(X)), GUIDED)
    with_tape = tf.function(lambda x: EAGER.gradient(signed(run), x))
    assert same(with_tape(tf.constant(X)), SIGNS)


@says(
    "The key of …",
    "In all rows …",
    "The gradient is 10 …",
    "`tf.maximum`, `Relu6` and …",
    "A `tf.function` that …",
    "A custom gradient around …",
    "Which operations the …",
)
@over(
    form={
        "Relu": tf.nn.relu,
        "Maximum": lambda x: tf.maximum(x, 0.0),
        "Relu6": tf.nn.relu6,
        "LeakyRelu": tf.nn.leaky_relu,
        "PartitionedCall": tf.function(tf.nn.relu),
        "IdentityN": tf.custom_gradient(lambda x: (tf.nn.relu(x), lambda u: u)),
    },
    own=[False, True],
)
def test_operations(form, own):
    def types(x):
        made = tf.function(form).get_concrete_function(x).graph.get_operations()
        return [each.type for each in made]

    x, name = tf.constant(X), f"Ten {next(_number)}"
    tf.RegisterGradient(name)(
        lambda op, upstream: [10.0 * upstream] + [None] * (len(op.inputs) - 1)
    )
    [key] = {*types(x)} & {"Maximum", "Relu6", "LeakyRelu", "IdentityN"} or {"Relu"}
    key = key if own else "Relu"
    if key == "IdentityN":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = AROUND.gradient(mapped(form, name, key), X)
    obeyed = key in types(x) and "IdentityN" not in types(x)
    assert same(found, [[10.0, 10.0]] if obeyed else [[1.0, 1.0]]), types(x)
    ten = ["gradient 10.0" in each.text for each in trace("operations.py")]
    assert ten == [True, True, False, False, False, False, False]


@functools.cache
def loaded():
    """The program registers a name, which can be done once."""
    return program("loaded.py")


@says(
    "The graphs of …",
    "If you call …",
    "In the line `loaded`, …",
    "The program wraps …",
    "Look at the line …",
    "So you can …",
    "The fix is to …",
    "The next program replaces …",
    "The imported graph …",
    "The function that …",
    "For a loaded …",
    "For this, use …",
    "Deliberately wrong: the map …",
    "A loaded model: …",
    "The same operations, …",
)
@over(mode=MODES)
def test_loaded(mode):
    defined, name = loaded(), registered()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(defined.Model(), folder)
        model = tf.saved_model.load(folder)
    around = mapped(model.score, name)
    assert same(mode.gradient(around, X), SIGNS)
    made = tf.function(around).get_concrete_function(tf.constant(X)).graph
    types = [each.type for each in made.get_operations()]
    assert "Relu" not in types and any("Call" in each for each in types)
    anew = defined.anew(model.score, {"Relu": name})
    assert same(mode.gradient(anew, X), GUIDED)
    x = tf.constant(X)
    assert same(anew(x), model.score(x))
    graph = anew.get_concrete_function(x).graph
    assert "Relu" in [each.type for each in graph.get_operations()]
    assert not graph.variables
    assert not hasattr(tf.graph_util, "convert_variables_to_constants_v2")


@says(
    "When you save …",
    "It treats the registered …",
    "So saving raises …",
    "With `experimental_custom_gradients=False` you …",
    "In a process …",
    "In any other …",
    "If you use …",
    "Deliberately wrong: a model …",
    was="'the gradient function isn't saved': one that doesn't read the operation is",
)
@over(mode=MODES)
def test_saved(mode):
    said, unread, *folders = saved_models()
    by_unread, without, with_rule = (
        tf.saved_model.load(each.name).run for each in folders
    )
    assert "Error when tracing gradients for SavedModel" in said
    assert same(mode.gradient(signed(by_unread), X), [[5.0, -5.0]])
    if mode is EAGER:
        elsewhere = tries.loaded(mapped(tf.nn.relu, unread), [3.0, 4.0])
        assert same(elsewhere, [[5.0, 5.0]])
    assert same(mode.gradient(signed(without), X), GUIDED)
    assert "op.outputs" in source("wrong/saved.py")
    assert same(mode.gradient(signed(with_rule), X), GUIDED)
    assert "LookupError" in trace("wrong/saved.py")[-1].text


@functools.cache
def saved_models():
    """The error of saving a model whose registered function reads the operation; the
    name of a function that reads none; and the folders of three models: with this
    function, with the first but without custom gradients, and with a decorated one."""
    seen, name = [], f"Guided {next(_number)}"

    @tf.RegisterGradient(name)
    def guided(op, *upstream):
        seen.append(op)
        return tf.nn.relu(upstream[0]) * tf.cast(op.outputs[0] > 0, tf.float32)

    def module(function):
        made = tf.Module()
        made.run = tf.function(function, [tf.TensorSpec([1, 2])])
        return made

    def saved(function, **options):
        options = tf.saved_model.SaveOptions(**options)
        folder = tempfile.TemporaryDirectory()
        tf.saved_model.save(module(function), folder.name, options=options)
        return folder

    logging.disable(logging.ERROR)
    try:
        said = message(saved, mapped(tf.nn.relu, name))
        assert seen == [None]
        unread = f"Fivefold {next(_number)}"
        tf.RegisterGradient(unread)(lambda op, upstream: 5.0 * upstream)
        by_unread = saved(mapped(tf.nn.relu, unread))
        relu = mapped(tf.nn.relu, name)
        without = saved(relu, experimental_custom_gradients=False)
        with_rule = saved(program("swap.py").guided_relu)
        return said, unread, by_unread, without, with_rule
    finally:
        logging.disable(logging.NOTSET)


# TensorFlow 1.


@says(
    "In TensorFlow 1, …",
    "This program has …",
    "TensorFlow 1 — …",
    "`@tf.RegisterGradient(name)`, a function …",
    "`op.inputs[0]`, `op.outputs[0]` — …",
    "a map around …",
    "`tf.gradients` and a …",
    "Guided backpropagation as …",
)
def test_tensorflow_1():
    old, new = [each.numbers[-2:] for each in trace("tf1.py")]
    shown = [
        each.numbers[-2:] for each in trace("guided.py") if "gradient" in each.text
    ]
    assert shown == [old, new] == [[4, -6], [1, 1]]
    # The same numbers, in the same lines.
    start, end = "weights = ", "[[1], [-2]], [0]]"
    one, other = (
        source(each).partition(start)[2].partition(end)[0]
        for each in ("tf1.py", "guided.py")
    )
    assert one == other != ""


# The check.


@says(
    "The program compares the copy's …",
    "In the first model, …",
    "In the second model, …",
    "NumPy agrees with …",
    "The finite differences agree …",
    "The copy's gradient, …",
    "Forward, and back …",
)
def test_the_check():
    held = [each.text.endswith("True") for each in trace("check.py")]
    assert held == [True, False, True, True]


@functools.cache
def weighted(rule):
    return lambda x, upstream: tf.reduce_sum(rule(x) * upstream)


@says(
    "A deconvolution network …",
)
@over(mode=MODES, x=arrays(3, numbers(-9, 9)), upstream=arrays(3, numbers(-9, 9)))
def test_deconvolved(mode, x, upstream):
    rule = program("solution.py").deconvolved
    found, _ = mode.gradients(weighted(rule), x, upstream)
    assert same(found, np.maximum(upstream, 0)) and same(rule(x), np.maximum(x, 0))


definition(
    "Guided backpropagation shows …",
    "It changes only …",
    "Let a ReLU …",
)
advice(
    "There are three …",
    "To leave the …",
    "You need to …",
    "Compare the outputs …",
    "Write this gradient …",
)
history(
    "DeepLIFT and SHAP's …",
    "They compare the …",
    "The gradient of SHAP's …",
)
pointer(
    "`keras.Model.fit` keeps such …",
    "After this page …",
    "The catalogue of …",
    "the guided ReLU …",
    "the map is …",
    "`fit` keeps the …",
    "a saved graph …",
    "Compare a graph …",
    "The program prints one …",
    "Compare the sums …",
    "Compare the three gradients:",
    "When to write a …",
)
