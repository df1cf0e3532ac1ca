"""What the page on saving says in words."""

import contextlib
import functools
import io
import pathlib
import re
import tempfile

import keras
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework import ops

from truth.statements.tries import *

PLACES = [EAGER, INSIDE, AROUND, NESTED, XLA, SYMBOLIC]


def module(function, spec=None, **attributes):
    found = tf.Module()
    for name, value in attributes.items():
        setattr(found, name, value)
    found.run = tf.function(function, input_signature=[spec or tf.TensorSpec([])])
    return found


def bytes_of(folder):
    return pathlib.Path(folder, "saved_model.pb").read_bytes()


def library_of(folder):
    saved = SavedModel.FromString(bytes_of(folder))
    return saved.meta_graphs[0].graph_def.library


def names_in(folder):
    return {*re.findall(rb"CustomGradient-\d+", bytes_of(folder))}


def rules():
    return {
        name
        for name in ops.gradient_registry.list()
        if name.startswith("CustomGradient-")
    }


@contextlib.contextmanager
def saved(model, **options):
    """The folder of a model, and what was loaded from it."""
    with tempfile.TemporaryDirectory() as folder:
        save(model, folder, **options)
        with contextlib.redirect_stderr(io.StringIO()):
            yield folder, tf.saved_model.load(folder)


def save(model, folder, **options):
    with contextlib.redirect_stderr(io.StringIO()):
        options = tf.saved_model.SaveOptions(**options)
        tf.saved_model.save(model, folder, options=options)


def turned(seen=None):
    """x² with the sign of its gradient turned; says what Python called."""
    seen = [] if seen is None else seen

    @tf.custom_gradient
    def square(x):
        seen.append("forward")

        def grad(upstream):
            seen.append(upstream)
            return -upstream * 2.0 * x

        return x * x, grad

    return square


# What a file holds.


@says(
    "A SavedModel holds graphs.",
    "The default is `True`.",
    "What saving does: …",
    "Leave `experimental_custom_gradients` at …",
    "`grad` is Python …",
    "While you save, …",
    "The operations that …",
    "In the graph of the forward pass, an …",
    "The file maps …",
    "The format of …",
    "With `experimental_custom_gradients=False`, TensorFlow …",
    "Then loading replaces …",
)
@over(
    options=[
        {},
        {"experimental_custom_gradients": True},
        {"experimental_custom_gradients": False},
    ]
)
def test_what_a_file_holds(options):
    seen, kept = [], options.get("experimental_custom_gradients", True)
    model = module(turned(seen))
    model.run(tf.constant(3.0))
    assert same(EAGER.gradient(model.run, 3.0), -6.0)
    seen.clear()
    with tempfile.TemporaryDirectory() as folder:
        save(model, folder, **options)
        called = [each for each in seen if tf.is_tensor(each)]
        assert len(called) == kept
        assert all(type(each).__name__ == "SymbolicTensor" for each in called)
        [name] = names_in(folder)
        registered = library_of(folder).registered_gradients
        assert [each.registered_op_type for each in registered] == (
            [name.decode()] if kept else []
        )
        functions = {each.signature.name for each in library_of(folder).function}
        assert {each.gradient_func for each in registered} <= functions
        seen.clear()
        before = rules()
        loaded = tf.saved_model.load(folder)
        assert not seen and len(rules() - before) == kept
        graph = loaded.run.concrete_functions[0].graph
        bears = {
            each.get_attr("_gradient_op_type").decode()
            for each in graph.get_operations()
            if each.type == "IdentityN"
        }
        assert len(bears) == 1 and (bears <= rules() - before) == kept


@says(
    "The next program prints …",
    "`grad`, which returns …",
    "Loading calls no …",
)
def test_inside():
    first, *lines = [each.text for each in trace("inside.py")]
    [graph] = [each for each in lines if "graph of grad" in each]
    assert graph.count("Neg") == 1 and graph.count("Mul") == 2
    assert first.startswith("gradients kept: True")
    assert any(each.startswith("gradients kept: False") for each in lines)
    assert "  loading called nothing" in lines


@says("Keras's `model.export` also …")
def test_export():
    model = keras.Sequential([keras.Input([1]), keras.layers.Lambda(turned())])
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            model.export(folder, verbose=False)
        assert len(library_of(folder).registered_gradients) >= 1
        loaded = tf.saved_model.load(folder)
        assert same(EAGER.gradient(loaded.serve, [[3.0]]), [[-6.0]])


def release(strength, name="Reverse"):
    """A library's layer whose rule has a strength."""

    @tf.custom_gradient
    def reverse(x):
        return tf.identity(x), lambda upstream: -strength * upstream

    @keras.saving.register_keras_serializable(package="tried", name=name)
    class Reverse(keras.layers.Layer):
        def call(self, x):
            return reverse(x)

    return Reverse


@says(
    "A `.keras` file holds …",
    "The exported model …",
    "The library, with …",
    "A `.keras` file keeps …",
    "Keras uses the …",
    "The gradient function is …",
    "If the code …",
    "With the `.keras` …",
    "But the gradient is …",
    "Deliberately wrong: the …",
)
@over(first=[1.0, 2.0], then=[0.1, 3.0])
def test_the_rule_of_today(first, then):
    model = keras.Sequential([keras.Input([1]), release(first)()])
    x = tf.constant([[3.0]])
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.keras"
        model.save(path)
        model.export(folder, verbose=False)
        release(then)
        loaded = keras.models.load_model(path)
        exported = tf.saved_model.load(folder)
    assert same(loaded(x), x) and same(exported.serve(x), x)
    assert same(EAGER.gradient(loaded, x), [[-then]], 1e-6)
    assert same(EAGER.gradient(exported.serve, x), [[-first]], 1e-6)
    shown = [each.numbers[-1] for each in trace("wrong/changed.py")]
    assert shown == [-1, -0.1, -1] and shown[1] == shown[0] / 10


@says(
    "If your gradient …",
)
@over(strength=[0.5, 2.0])
def test_a_setting_that_is_saved(strength):
    @keras.saving.register_keras_serializable(package="tried")
    class Setting(keras.layers.Layer):
        def __init__(self, strength=1.0, **options):
            super().__init__(**options)
            self.strength = strength

        def get_config(self):
            return {**super().get_config(), "strength": self.strength}

        def call(self, x):
            rule = tf.custom_gradient(
                lambda x: (x * 1.0, lambda up: -self.strength * up)
            )
            return rule(x)

    model = keras.Sequential([keras.Input([1]), Setting(strength)])
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        loaded = keras.models.load_model(f"{folder}/model.keras")
    assert same(EAGER.gradient(loaded, [[3.0]]), [[-strength]])


# The snippet, and the six ways.


@says(
    "A model with …",
    "The next custom …",
    "Both derivatives are …",
    "The graph of `grad` consists …",
    "At 3, the …",
    "In the lines `tape …",
    "In the lines `nested`, …",
)
@over(mode=PLACES, x=numbers(-9, 9))
def test_two_orders(mode, x):
    loaded = two_orders()
    assert same(mode.gradient(loaded.run, x), np.float32(-2.0) * np.float32(x))
    assert same(mode.gradient(derivative(loaded.run), x), -2.0)
    lines = [each.numbers for each in trace("saving.py") if each.numbers]
    assert lines == [[9, -6, -2]] * 4
    assert '("nested     ", tf.function(derivatives))' in source("saving.py")


@functools.cache
def two_orders():
    with saved(module(turned())) as (_, loaded):
        return loaded


@says(
    "The SavedModels keep …",
    "Another process loads the file, …",
    "The next program saves one layer …",
    "Each line shows …",
    "It also shows …",
    "The process that …",
    "If you save …",
    "The loaded model still …",
    "If you call it …",
    "A `.keras` file needs …",
    "If the class …",
    "Files loaded in …",
)
def test_six_ways():
    lines = [each.text for each in trace("formats.py")]
    right = [each for each in lines if each.endswith("9.0 -6.0 -2.0")]
    assert len(lines) == 7 and len(right) == 4
    unknown, known = lines.index(".keras                  TypeError"), lines[-1]
    assert lines[unknown + 1].startswith("and with the class") and known in right
    assert lines[1].endswith("LookupError, and a warning")
    assert sum("warning" in each for each in lines) == 1
    assert same(two_orders().run(3.0), 9.0)
    with saved(module(turned()), experimental_custom_gradients=False) as (_, loaded):
        assert same(loaded.run(3.0), 9.0)


@tf.custom_gradient
def exponential(x):
    """Its gradient function calls an operation."""
    return tf.exp(x), lambda upstream: upstream * tf.exp(x)


@tf.custom_gradient
def by_output(x):
    y = tf.exp(x)
    return y, lambda upstream: upstream * y


@tf.custom_gradient
def by_call(x):
    x = tf.identity(x)
    return tf.exp(x), lambda upstream: upstream * exponential(x)


@tf.custom_gradient
def by_itself(x):
    x = tf.identity(x)
    return tf.exp(x), lambda upstream: upstream * by_itself(x)


RECOMPUTED = tf.recompute_grad(lambda x: tf.exp(x))


@says(
    "In the process that builds …",
    "After loading, the second …",
    "If it calls a …",
    "`grad` calls operations …",
    "`grad` calls a …",
    "the function is …",
    "A decorated function …",
    "After loading, the copy …",
    "By default, a …",
    was="'to the second order': not if the gradient function calls a decorated function",
)
def test_orders_in_another_process():
    x = [0.5, 2.0]
    right = [np.exp(x)]
    for order in (1, 2, 3):
        assert same(loaded(exponential, x, order=order), right, 1e-5)
    assert same(loaded(by_output, x, order=3), right, 1e-5)
    assert same(loaded(lambda x: tf.exp(x), x, order=2), right, 1e-5)
    for function in (by_call, by_itself, RECOMPUTED):
        assert same(EAGER.derivative(function, x), right[0], 1e-5)
        assert same(loaded(function, x), right, 1e-5)
        said = message(lambda: loaded(function, x, order=2))
        assert "LookupError: No gradient defined for operation'IdentityN'" in said
    dropped = message(lambda: loaded(exponential, x, custom_gradients=False))
    assert "LookupError" in dropped


@tf.custom_gradient
def dense(x):
    def grad(upstream):
        return 2.0 * tf.convert_to_tensor(upstream)

    return tf.identity(x), grad


LOOKUPS = {
    "gather": lambda y: tf.reduce_sum(tf.gather(y, [0, 0, 1])),
    "embedding": lambda y: tf.reduce_sum(tf.nn.embedding_lookup(y, [0, 0, 1])),
}
BETWEEN = {
    "nothing": lambda x: dense(x),
    "copy": lambda x: tf.identity(dense(x)),
    "product": lambda x: dense(x) * 1.0,
    "tf.function": tf.function(dense),
}


@says(
    "`tf.identity` after the …",
    "If you call the decorated function in a branch or a …",
    "the output goes …",
    "`tf.gather` sends IndexedSlices …",
)
@over(lookup=LOOKUPS, between=BETWEEN)
def test_a_lookup(lookup, between):
    def run(x):
        return lookup(between(x))

    x = tf.ones([3, 2])
    right = [[4.0, 4.0], [2.0, 2.0], [0.0, 0.0]]
    for mode in (EAGER, INSIDE, AROUND):
        assert same(mode.gradient(run, x), right)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = lookup(x)
    assert isinstance(tape.gradient(y, x), tf.IndexedSlices)
    helps = between in (BETWEEN["product"], BETWEEN["tf.function"])
    with saved(module(run, tf.TensorSpec([3, 2]))) as (_, model):
        said = message(EAGER.gradient, model.run, x)
        assert said.startswith("TypeError") != helps
        if helps:
            by_one = EAGER.gradient(lambda x: model.run(x) * 1.0, x)
            assert same(by_one, right)
    if lookup is LOOKUPS["gather"] and between is not BETWEEN["copy"]:
        elsewhere = raised(lambda: loaded(run, x))
        assert (elsewhere is None) == helps


@says(
    "After this page …",
    "`tf.saved_model.save(model, folder)` keeps each …",
    "In the process that saved the model, some …",
    "Another process loads the model, …",
    "All functions compute …",
    "The three lookups …",
    "Before the model …",
    "After loading, the first …",
    "Which custom gradients …",
    "The next program saves a …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_elsewhere(mode):
    defined = program("elsewhere.py")
    assert len(defined.functions) == 10
    right, twice = round(np.exp(0.5), 4), round(2 * np.exp(0.5), 4)
    assert (right, twice) == (1.6487, 3.2974) and np.log(np.exp(0.5)) == 0.5
    for name, function in defined.functions.items():
        value = twice if "lookup" in name else right
        assert np.allclose(mode.gradient(function, [0.5]), value, 1e-4), name
    failed = {1: {}, 2: {}}
    for line in trace("elsewhere.py"):
        name, _, first, _, second = line.text.split()
        for order, said in ((1, first), (2, second)):
            if said.endswith("Error"):
                failed[order][name] = said
            else:
                assert float(said) == (twice if "lookup" in name else right)
    assert failed[1] == {
        "lookup": "TypeError",
        "branch": "AssertionError",
        "loop": "TypeError",
    }
    assert len(failed[1]) == 3 and len(failed[2]) - len(failed[1]) == 2
    more = {name: failed[2][name] for name in failed[2] if name not in failed[1]}
    assert more == {
        "decorated_function": "LookupError",
        "recompute_grad": "LookupError",
    }


def cond(f, x):
    return tf.cond(x > 0.0, lambda: f(x), lambda: x)


def while_loop(f, x):
    return tf.while_loop(
        lambda i, y: i < 2,
        lambda i, y: (i + 1, f(y)),
        (0, x),
        maximum_iterations=2,
    )[1]


def map_fn(f, x):
    return tf.reduce_sum(tf.map_fn(f, tf.stack([x, x])))


@says(
    "the call is in a branch …",
    "the call is in a loop …",
    "The gradient function in …",
)
def test_blocks_in_another_process():
    apart = tf.function(by_output)

    @tf.custom_gradient
    def copied(x):
        x = tf.identity(x)
        return tf.exp(x), lambda upstream: upstream * tf.exp(x)

    said = message(lambda: loaded(lambda x: cond(copied, x), 0.5))
    assert "AssertionError" in said
    said = message(lambda: loaded(lambda x: map_fn(copied, x), 0.5))
    assert "out of scope" in said
    for construct in (cond, while_loop):
        right = EAGER.gradient(lambda x: construct(tf.exp, x), 0.5)
        found = loaded(lambda x: construct(apart, x), 0.5)
        assert same(found, [right], 1e-5)
        bare = raised(lambda: loaded(lambda x: construct(by_output, x), 0.5))
        assert bare is not None


@says(
    "The converter drops …",
    "A TFLite file …",
    "The next program converts …",
    "But you can …",
    "The graph of this `tf.function` …",
    "Look at the results …",
    "TFLite drops a …",
)
def test_lite():
    value, gradient = trace("lite.py")
    assert value.numbers[0] == 9 and gradient.numbers[0] == -6
    assert "Identity" not in value.text + gradient.text
    assert not [each for each in dir(tf.lite.Interpreter) if "gradient" in each]
    [given] = re.findall(
        r"model, x = Model\(\), np.array\(\[(.*?)\]", source("lite.py")
    )
    assert float(given) == 3
    model = module(turned(), tf.TensorSpec([1]))
    graph = model.run.get_concrete_function()
    assert "IdentityN" in [each.type for each in graph.graph.get_operations()]
    file = tf.lite.TFLiteConverter.from_concrete_functions([graph], model).convert()
    assert b"CustomGradient" not in file


@says(
    "`SELECT_TF_OPS` allows operations …",
    "The program converts …",
    "It converts each …",
    "With TensorFlow's operations …",
    "But the file …",
    "TensorFlow's gradient of …",
    "Without `SELECT_TF_OPS`, the …",
    "A custom gradient that …",
    "In TensorFlow 2.21, the …",
    "TFLite with and …",
    was="no version: TensorFlow's guide on select operations says otherwise",
)
def test_select_ops():
    assert float(tf.__version__.rpartition(".")[0]) == 2.21
    builtins, select = tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS
    defined = program("select_ops.py")

    def converted(function, kinds):
        graph = tf.function(function).get_concrete_function(tf.TensorSpec([1]))
        lite = tf.lite.TFLiteConverter.from_concrete_functions([graph], tf.Module())
        lite.target_spec.supported_ops = kinds
        file = lite.convert()
        interpreter = tf.lite.Interpreter(model_content=file)
        return file, interpreter, [e["op_name"] for e in interpreter._get_ops_details()]

    own, theirs = map(defined.gradient_of, (defined.elu, tf.nn.elu))
    x = tf.constant([-0.5, 0.0, 2.0])
    assert same(own(x), theirs(x), 1e-6)
    file, _, names = converted(defined.elu, [select])
    assert "FlexIdentityN" in names and all(e.startswith("Flex") for e in names)
    assert b"CustomGradient" not in file and b"Minimum" not in file
    assert "FlexIdentityN" not in converted(own, [select])[2]
    for kinds in [builtins], [builtins, select]:
        for function in defined.elu, own:
            _, interpreter, names = converted(function, kinds)
            assert not any("Flex" in each or "IDENTITY" in each for each in names)
            interpreter.allocate_tensors()
    refused = message(converted, theirs, [builtins])
    assert "TF Select ops: EluGrad" in refused
    assert converted(theirs, [builtins, select])[2] == ["ELU", "FlexEluGrad"]
    for function in theirs, tf.sinh, tf.atan, tf.math.erf:
        _, interpreter, names = converted(function, [builtins, select])
        assert any(each.startswith("Flex") for each in names)
        assert "not supported by this interpreter" in message(
            interpreter.allocate_tensors
        )
    shown = trace("select_ops.py")
    kinds = r"(.*): (?:TFLITE_BUILTINS|SELECT_TF_OPS)"
    starts = [m[1] for m in (re.match(kinds, each.text) for each in shown) if m]
    assert [starts.count(each) for each in {*starts}] == [3, 3, 3]
    assert [each.text for each in shown if "TF Select ops" in each.text] == [
        "  converter: TF Select ops: EluGrad"
    ]


# A rule of another model.


@says(
    "The gradient of model `A` …",
    "In the other …",
    "Leave the option …",
    "If the file …",
    "In the process that saved the model, the …",
    "Run this check …",
    "In the process that saved the model, a gradient …",
    "Deliberately wrong: each …",
)
@over(kept=[True, False])
def test_collision(kept):
    lines = [each.numbers for each in trace("wrong/collision.py") if each.numbers]
    assert lines == [[-1], [10], [10]]
    scaled = tf.custom_gradient(lambda x: (x * 1.0, lambda up: -up))
    with saved(module(scaled), experimental_custom_gradients=kept) as (folder, loaded):
        assert same(EAGER.gradient(loaded.run, 3.0), -1.0)
        [name] = names_in(folder)
        entry = ops.gradient_registry._registry[name.decode()]
        entry["type"] = lambda op, upstream, _: (None, 10.0 * upstream)
        again = tf.saved_model.load(folder)
        assert same(EAGER.gradient(again.run, 3.0), -1.0 if kept else 10.0)


@says(
    "This name ends …",
    "The next program saves model …",
    "Then it starts …",
)
def test_numbers_are_counted():
    numbers_ = []
    for _ in range(3):
        before = rules()
        tf.function(turned())(tf.constant(3.0))
        [name] = rules() - before
        numbers_.append(int(name.partition("-")[2]))
    assert numbers_ == sorted({*numbers_})
    source = program("wrong/collision.py").train
    assert source.__code__.co_varnames[0] == "factor"


# Branches and loops.

BLOCKS_HERE = {
    "alone": lambda f, x: f(x),
    "cond": cond,
    "while_loop": while_loop,
    "map_fn": map_fn,
}
CONSTRUCTS = {
    "alone": None,
    "cond": "AssertionError",
    "while_loop": "TypeError",
    "map_fn": "TypeError",
}


@says(
    "If you call the decorated function in a branch or in …",
    "`grad` reads the …",
    "Without a `tf.function` …",
    "Without this, the …",
    "A custom gradient in a branch can …",
    was="'nothing that a rule in a loop uses': one that closes over no tensor is right",
)
@over(name=[*CONSTRUCTS], kind=["bare", "apart", "closes over nothing"])
def test_loops(name, kind):
    rule = {
        "bare": by_output,
        "apart": tf.function(by_output),
        "closes over nothing": tf.custom_gradient(
            lambda x: (2.0 * x, lambda upstream: 2.0 * upstream)
        ),
    }[kind]
    construct = BLOCKS_HERE[name]

    def run(x):
        return construct(rule, x)

    plain = (lambda x: 2.0 * x) if kind == "closes over nothing" else tf.exp
    right = EAGER.gradient(lambda x: construct(plain, x), 0.5)
    assert same(EAGER.gradient(run, 0.5), right, 1e-5)
    assert same(INSIDE.gradient(run, 0.5), right, 1e-5)
    fails = CONSTRUCTS[name] if kind == "bare" else None
    if name == "cond" and kind != "closes over nothing":
        square = tf.custom_gradient(lambda x: (x * x, lambda up: up * 2.0 * x))
        square = tf.function(square) if kind == "apart" else square
        around = message(AROUND.gradient, lambda x: construct(square, x), 0.5)
        assert around.startswith("AssertionError") == (kind == "bare")
    with saved(module(run)) as (_, loaded):
        if fails:
            assert message(EAGER.gradient, loaded.run, 0.5).startswith(fails)
        else:
            assert same(EAGER.gradient(loaded.run, 0.5), right, 1e-5)


@says(
    "`by_variable` reads a …",
    "Saving fails if …",
    "Saving fails even …",
    "`by_value` calls `.numpy()` …",
    "The forward pass …",
    "To fix the error, use …",
    "To fix the error, make …",
    "For the last …",
    "Without gradient functions, …",
    "Deliberately wrong: models …",
    was="'even if you never need a gradient': without gradient functions it saves",
)
@over(name=["by_value", "by_variable", "cured"], kept=[True, False])
def test_refused(name, kept):
    defined = program("wrong/refused.py")
    cured = tf.custom_gradient(
        lambda x: (x * 1.0, lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0))
    )
    rule = cured if name == "cured" else getattr(defined, name)
    slope = {"by_value": 1.0, "by_variable": -0.5, "cured": 1.0}[name]
    assert same(EAGER.gradient(rule, 3.0), slope)
    model = module(rule)
    assert same(model.run(tf.constant(3.0)), 3.0)
    with tempfile.TemporaryDirectory() as folder:
        options = {"experimental_custom_gradients": kept}
        error = raised(lambda: save(model, folder, **options))
        assert [each.text for each in trace("wrong/refused.py")[-2:]] == [
            "by_value value 3.0",
            "  saved",
        ]
        if not kept or name == "cured":
            assert error is None
            assert same(tf.saved_model.load(folder).run(3.0), 3.0)
        else:
            expected = {"by_value": ValueError, "by_variable": KeyError}[name]
            assert isinstance(error, expected)
    if name == "by_variable":
        owns = module(rule, strength=defined.strength)
        with saved(owns) as (_, loaded):
            assert same(EAGER.gradient(loaded.run, 3.0), -0.5)


@says(
    "TensorFlow can save a `grad` …",
)
def test_numpy():
    rule = tf.custom_gradient(
        lambda x: (x, lambda up: tf.numpy_function(np.negative, [up], tf.float32))
    )
    with saved(module(rule)) as (folder, loaded):
        assert same(EAGER.gradient(loaded.run, 3.0), -1.0)
        kept = [
            node.op for each in library_of(folder).function for node in each.node_def
        ]
    assert "PyFunc" in kept


# The check, and the exercise.


@says(
    "Loaded models against …",
    "Check a loaded …",
    "The next program checks …",
    "One of them …",
    "Both derivatives agree …",
)
def test_check():
    assert "softplus" in source("check.py") and "product" in source("check.py")
    first, by_first, second, by_second = (each.numbers for each in trace("check.py"))
    assert first == by_first and second == by_second and len(first) == 3
    model = program("check.py").Model()
    assert model.w.dtype == tf.float64 and len(model.trainable_variables) == 1


@says(
    "A gradient reversal …",
    "The strength is …",
    "A strength that …",
    "The graph of `grad` in …",
    "You can save …",
    "Each gradient is …",
    "The last number …",
)
@over(times=[1, 2, 3], strength=[0.25, -3.0])
def test_the_exercise(times, strength):
    model = program("solution.py").Model()
    for _ in range(times):
        with saved(model) as (_, loaded):
            model = loaded
    assert same(EAGER.gradient(model.reverse, 3.0), -0.5)
    model.strength.assign(strength)
    assert same(EAGER.gradient(model.reverse, 3.0), -strength)


@says("If it calls a …")
def test_silu_and_gathers():
    silu = tf.custom_gradient(lambda x: (tf.identity(x), lambda u: u * tf.nn.silu(x)))
    x = tf.ones([2, 2])
    assert loaded(silu, x)[0] is not None
    assert "LookupError" in message(lambda x: loaded(silu, x, order=2), x)
    rule = tf.custom_gradient(lambda x: (tf.identity(x), lambda u: u * x))
    columns = lambda x: tf.gather(rule(x), [0, 0], axis=1)  # noqa: E731
    rows = lambda x: tf.gather_nd(rule(x), [[0], [0]])  # noqa: E731
    assert same(loaded(columns, x)[0], [[2.0, 0.0], [2.0, 0.0]])
    assert "got IndexedSlices" in message(lambda x: loaded(rows, x), x)


pointer(
    "The catalogue has a separate …",
    "The catalogue of …",
    "In your model …",
    "The catalogue has a page …",
    "The table shows …",
)
definition("The size of …")
advice(
    "You need to …",
    "Test a gradient …",
    "Look at the graph …",
    "Compare the gradient from …",
    "Compare the gradients …",
    "Compare each derivative …",
    "Compare the lines below …",
    "Look at the two errors.",
    "Look at the `Flex` …",
    "Before each release, …",
    "Write a model …",
    "What happens to …",
    "no warnings on …",
    "on the future of the interpreter",
    "loading warns",
)
history("We didn't try …")
