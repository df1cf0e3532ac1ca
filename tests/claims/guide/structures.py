"""The claims of docs/guide/structures.md."""

import collections
import re

import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.harness import (
    COMMON,
    EAGER,
    EVERYWHERE,
    INSIDE,
    MODES,
    OUTSIDE,
    PERSISTENT,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    raised,
    same,
)

Point = collections.namedtuple("Point", ["y", "x"])
MISCOUNTED = "returned too few|but returned|Num gradients"


def line(returned):
    """3 w + 5 b of a dictionary, with a gradient function that returns what
    ``returned(dw, db)`` returns."""

    @tf.custom_gradient
    def of_model(model):
        model = {key: tf.identity(model[key]) for key in model}  # else, a branch raises

        def grad(upstream):
            return returned(30 * upstream, 50 * upstream)

        return 3 * model["w"] + 5 * model["b"], grad

    return lambda w, b: of_model({"w": w, "b": b})


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_not_compared(place):
    right = [
        lambda dw, db: {"w": dw, "b": db},
        lambda dw, db: {"b": db, "w": dw},
        lambda dw, db: [db, dw],
        lambda dw, db: ([[db]], {"any": dw}),
        lambda dw, db: {"y": dw, "x": [db]},
    ]
    swapped = [lambda dw, db: (dw, db), lambda dw, db: {"W": dw, "b": db}]
    swapped += [lambda dw, db: {"1": dw, "2": db}]

    def all_of(*inputs):
        functions = [line(returned) for returned in right + swapped]
        return [f(w, b) for f, w, b in zip(functions, inputs[::2], inputs[1::2])]

    inputs = [tf.constant(1.0)] * 2 * len(right + swapped)
    gradients = place.gradients(all_of, *inputs)
    assert same(gradients[: 2 * len(right)], [30.0, 50.0] * len(right))
    with contrast("but matches the keys that it finds, such as b"):
        assert same(gradients[2 * len(right) :], [50.0, 30.0] * len(swapped))
    with contrast("nor their number"):
        three = line(lambda dw, db: {"w": dw, "b": db, "c": db})
        assert re.search(MISCOUNTED, message(place.gradients, three, 1.0, 1.0))


KEYS = [["w", "b"], ["w9", "w10"], [9, 10, -1], ["b", "B", "a", "A"]]


@pytest.mark.parametrize("keys", KEYS, ids=str)
@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, XLA], ids=str)
def test_sorted_keys(place, kind, keys):
    factors = {key: float(10**number) for number, key in enumerate(keys)}
    arrived = []

    @tf.custom_gradient
    def scaled(inputs):
        def grad(*upstreams):
            arrived.append(upstreams)
            return kind((key, upstreams[sorted(keys).index(key)]) for key in keys)

        return kind((key, factors[key] * inputs[key]) for key in keys), grad

    def loss(*inputs):
        outputs = scaled(kind(zip(keys, inputs)))
        return [factors[key] * outputs[key] for key in keys]

    gradients = place.gradients(loss, *[tf.constant(1.0)] * len(keys))
    assert same(gradients, [factors[key] for key in keys])
    in_order = [factors[key] for key in sorted(keys)]
    assert tf.nest.flatten(kind(factors)) == in_order
    with contrast("in the order in which they were written"):
        assert in_order != [factors[key] for key in keys]
        if place is EAGER:
            assert same(arrived[0], in_order)
    with contrast("also a namedtuple by the names of its fields"):
        assert tf.nest.flatten(Point(y=2, x=1)) == [2, 1]


DTYPES = [tf.int32, tf.uint8, tf.int64, tf.bool]
GETS_ZEROS = ["eager", "persistent tape", "inside", "inside, XLA"]
GETS_ZEROS += ["strategy.run, inside", "unknown batch, inside", "unknown rank, inside"]


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_integer_output(place):
    arrived = []

    @tf.custom_gradient
    def five(x):
        x = tf.identity(x)  # else, a branch raises

        def grad(of_float, *of_others):
            arrived.append(of_others)
            others = [tf.cast(up, x.dtype) for up in of_others if up is not None]
            return 2 * of_float + sum(map(tf.reduce_sum, others))

        return (2 * x, *[tf.cast(tf.stack([x, x]), dtype) for dtype in DTYPES]), grad

    def used(x):
        y, *others = five(x)
        return y + sum(tf.reduce_sum(tf.cast(other, x.dtype)) for other in others)

    def both(x, z):
        return five(x)[0], used(z)

    assert same(place.gradients(both, 5.0, 7.0), [2.0, 2.0])  # nothing but zeros
    of_others = [upstream for upstreams in arrived for upstream in upstreams]
    assert len(arrived) >= 2
    if place.name in GETS_ZEROS:
        assert [upstream.dtype for upstream in of_others] == DTYPES * len(arrived)
    else:
        assert of_others == [None] * len(of_others)
    with contrast("also for a float output: it gets zeros where these get None"):
        floats = tf.custom_gradient(
            lambda x: ((tf.identity(x), x + 1), lambda up, other: up + 5 + other)
        )
        assert same(OUTSIDE.gradient(lambda x: floats(x)[0], 5.0), 6.0)


STRUCTURES = st.recursive(
    st.integers(1, 9).map(float),
    lambda part: (
        st.lists(part, max_size=3)
        | st.lists(part, max_size=3).map(tuple)
        | st.dictionaries(st.text("abw", min_size=1, max_size=2), part, max_size=3)
        | st.builds(Point, part, part)
    ),
    max_leaves=5,
)


def leaves(structure):
    """Take apart a structure, without TensorFlow."""
    if isinstance(structure, dict):
        structure = [structure[key] for key in sorted(structure)]
    if isinstance(structure, list | tuple):
        return [leaf for part in structure for leaf in leaves(part)]
    return [structure]


@settings(max_examples=2)
@example(structure=[1.0, (2.0, {"a": 3.0}), []])
@given(structure=STRUCTURES)
@pytest.mark.parametrize("place", COMMON, ids=str)
def test_one_for_each_leaf(place, structure):
    def returning(count):
        @tf.custom_gradient
        def first(x, structure):
            def grad(upstream):
                return [7 * upstream, *[None] * (count - 1)]

            return 2 * tf.identity(x), grad  # without the copy, a branch raises

        return lambda x: first(x, structure)

    count = 1 + len(leaves(structure))
    assert same(place.gradient(returning(count), 3.0), 7.0)
    for wrong in {count + 1, max(count - 1, 1)} - {count}:
        assert re.search(MISCOUNTED, message(place.gradient, returning(wrong), 3.0))
    if count != 2:
        with contrast("one for each argument, which would be two here"):
            assert re.search(MISCOUNTED, message(place.gradient, returning(2), 3.0))
    with contrast("raises an error as soon as it is called, without a derivative"):
        assert same(EAGER.value(returning(count + 1), 3.0), 6.0)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_settings(place):
    received, values = [], [True, 3, 2.5]
    values += [] if place in (XLA, XLA_OUTSIDE) else ["text"]  # XLA has no strings

    @tf.custom_gradient
    def double(x, *settings):
        received.extend(tf.nest.flatten(settings))
        nothing = tf.nest.map_structure(lambda setting: None, settings)
        return 2 * tf.identity(x), lambda upstream: (2 * upstream, *nothing)

    def call(x):
        return double(x, *values, [values[0], {"a": values[1]}])

    assert same(place.gradient(call, [3.0, 4.0]), [2.0, 2.0])
    expected = [*values, *values[:2]]
    if place in (EAGER, PERSISTENT):
        assert received == expected
        assert [type(value) for value in received] == [type(v) for v in expected]
    else:
        assert received and all(map(tf.is_tensor, received))
    with contrast("also a setting that the function captures"):
        captured = []

        def capturing(x):
            captured.append(values[0])
            return tf.identity(x), lambda upstream: upstream

        place.gradient(lambda x: tf.custom_gradient(capturing)(x), [3.0])
        assert captured[0] is True


@pytest.mark.parametrize("place", MODES, ids=str)
def test_none_or_a_function(place):
    double = tf.custom_gradient(lambda x, y: (2 * x, lambda up: (2 * up, None)))

    def with_argument(argument):
        return lambda x: double(x, argument)

    def with_output(output):
        double = tf.custom_gradient(lambda x: ((2 * x, output), lambda up, _: 2 * up))
        return lambda x: double(x)[0]

    is_eager = place in (EAGER, PERSISTENT)
    conversion = "Attempt to convert a value" if is_eager else ""
    for_function = ValueError if is_eager else TypeError
    wrong = {None: ValueError, tf.square: for_function, tf.function(abs): for_function}
    for value, kind in wrong.items():
        for nested in value, [value], {"value": value}:
            for function in with_argument(nested), with_output(nested):
                error = raised(place.value, function, 3.0)
                assert type(error) is kind and conversion in str(error)
    with contrast("also a number, for which grad returns None"):
        assert same(place.gradient(with_argument(3), 3.0), 2.0)
    if is_eager:
        with contrast("eagerly, a keyword argument, too"):
            double = tf.custom_gradient(lambda x, y=1: (2 * x, lambda up: 2 * up))
            for value in wrong:
                assert same(place.gradient(lambda x: double(x, y=value), 3.0), 2.0)
    with contrast("only in a graph"):
        assert type(raised(EAGER.value, with_argument(None), 3.0)) is ValueError


def product(x, y=5.0):
    """x y, with a gradient function that returns 10 and 20, to decorate."""
    return x * y, lambda upstream: (10 * upstream, 20 * upstream)


EAGERLY = pytest.mark.parametrize("place", [EAGER, PERSISTENT], ids=str)


@EAGERLY
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_all_by_keyword(place, shape):
    decorated = tf.custom_gradient(product)
    x, y = tf.fill(shape, 2.0), tf.fill(shape, 3.0)
    by_name = [lambda x, y: decorated(x=x, y=y), lambda x, y: decorated(y=y, x=x)]
    for call in by_name:
        assert same(place.gradients(call, x, y), [y, x])
    assert same(place.gradient(lambda x: decorated(x=x), x), 5 * tf.ones(shape))
    w = tf.Variable(4.0)

    def with_variable(of_inputs):
        @tf.custom_gradient
        def function(x):
            def grad(upstream, variables):
                return of_inputs(upstream), [70 * tf.reduce_sum(upstream)]

            return w * x, grad

        return function

    def of_w(x, of_inputs=lambda upstream: []):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = with_variable(of_inputs)(x=x)
        return tape.gradient(z, [x, w])

    assert same(of_w(x), [None, 70.0 * tf.size(x).numpy()])
    for of_inputs in (lambda upstream: upstream), (lambda upstream: [None]):
        error = message(of_w, x, of_inputs)
        assert (
            error.startswith("ValueError") and "expected to return 0 gradients" in error
        )
    with contrast("also if one input is passed by position"):
        assert same(place.gradients(decorated, x, y), [10 + 0 * x, 20 + 0 * x])
    with contrast("also if the variable isn't trainable"):
        w = tf.Variable(4.0, trainable=False)
        plain = with_variable(lambda upstream: [])
        assert same(place.gradient(lambda x: plain(x=x), x), 4 + 0 * x)


@EAGERLY
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_beside(place, shape):
    one = tf.custom_gradient(lambda x, y: (x * y, lambda upstream: 10 * upstream))
    x, y = tf.fill(shape, 2.0), tf.fill(shape, 3.0)
    gradients = place.gradients(lambda x, y: one(x, y=y), x, y)
    assert same(gradients, [10 + 0 * x, None])
    with contrast("by position: it gets what grad returns"):
        two = tf.custom_gradient(product)
        assert same(place.gradients(two, x, y), [10 + 0 * x, 20 + 0 * x])
    with contrast("if all inputs are passed by keyword, too"):
        gradients = place.gradients(lambda x, y: one(x=x, y=y), x, y)
        assert same(gradients, [y, x])
    with contrast("if the tape watches only the input that is passed by keyword, too"):
        assert same(place.gradient(lambda y: one(x, y=y), y), x)
