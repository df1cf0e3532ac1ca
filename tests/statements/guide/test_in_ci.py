"""What the page on tests in a CI says in words."""

import inspect
import random
import re
import tomllib
import types
from functools import partial
from pathlib import Path
from unittest import mock

import vjpcheck
from truth.statements.tries import *
from vjpcheck import check_custom_gradient, check_grads, derivatives, pytest_plugin

ROOT = Path(vjpcheck.__file__).parents[2]
PAGE = (ROOT / "docs/guide/test_in_ci.md").read_text("utf-8")
[FENCE] = re.findall(r"```\{\.python notest.*?\}\n(.*?)```", PAGE, re.DOTALL)
TESTS = "test_unit", "test_unit_in_float32", "test_rounded"
PROJECT = tomllib.loads((ROOT / "src/vjpcheck/pyproject.toml").read_text("utf-8"))


def fence(changed=("", "")):
    names: dict = {}
    exec(FENCE.replace(*changed) if changed[0] else FENCE, names)
    return names


def gradcheck(seed=0):
    return partial(pytest_plugin.check, seed)


BROKEN = "(upstream - y * along) / length", "upstream / length"


def scaled(factor):
    @tf.custom_gradient
    def sine(x):
        return tf.sin(x), lambda upstream: upstream * factor * tf.cos(x)

    return sine


@says(
    "After this page, …",
    "You need one file …",
    "It tests two functions.",
    "All three tests pass.",
    "Write `def test_f(gradcheck):` …",
)
@over(seed=[0, 1, 2], name=TESTS)
def test_the_file(seed, name):
    assert BROKEN[0] in FENCE
    functions = re.findall(r"@tf.custom_gradient\ndef (\w+)", FENCE)
    assert PAGE.count("```{.python notest}") == 1
    assert functions == ["unit", "rounded"] and len(TESTS) == 3
    assert re.findall(r"def (test_\w+)\(gradcheck\)", FENCE) == [*TESTS]
    fence()[name](gradcheck(seed))
    if seed != 0:
        return
    wrong = fence(BROKEN)[name]
    if name != "test_rounded":
        assert isinstance(raised(wrong, gradcheck(seed)), AssertionError)
    two = gradcheck()(tf.multiply, (tf.constant(2.0, tf.float64), np.array(3.0)))
    assert two.compared == 4


@says(
    "Its fixture `gradcheck` …",
    "Install `vjpcheck` beside …",
    "It builds a …",
    "The wheel requires only …",
    "Copy the folder …",
)
def test_the_wheel():
    project = PROJECT["project"]
    assert project["entry-points"]["pytest11"] == {"vjpcheck": "vjpcheck.pytest_plugin"}
    assert [re.match(r"\w+", each)[0] for each in project["dependencies"]] == ["numpy"]
    assert PROJECT["tool"]["setuptools"]["packages"] == ["vjpcheck"]
    assert f"wheels/vjpcheck-{vjpcheck.__version__}-py3-none-any.whl" in PAGE
    install = "pip install tensorflow pytest wheels/"
    assert PAGE.count(install) == 2


@says(
    "`unit` divides each …",
    "`rounded` deliberately has …",
    "`gradient_of=g` — no …",
)
@over(x=[np.eye(3)[:2] - 0.3, np.array([[5.0, 1e-2, -40.0], [0.1, 0.2, 0.3]])])
def test_the_functions(x):
    unit, rounded = fence()["unit"], fence()["rounded"]
    x = tf.constant(x)
    assert np.allclose(np.linalg.norm(unit(x), axis=-1), 1)
    assert np.allclose(unit(x) * np.linalg.norm(x, axis=-1, keepdims=True), x)
    check_custom_gradient(unit, (x,))
    assert isinstance(raised(check_custom_gradient, rounded, (x,)), AssertionError)
    check_custom_gradient(rounded, (x,), gradient_of=tf.identity)
    refused = raised(partial(check_custom_gradient, gradient_of=tf.sin), rounded, (x,))
    assert isinstance(refused, AssertionError)


@says(
    "Each test also …",
    "`shapes=True` — points …",
    "`order=2` — the …",
    "Add `shapes=True`, so …",
    "The options add …",
)
def test_the_options():
    seen, ups = [], []

    @tf.custom_gradient
    def watched(x):
        seen.append(x)

        def grad(upstream):
            ups.append(upstream)
            return 2.0 * x * upstream

        return x * x, grad

    x = tf.constant([1.3, -0.7], tf.float64)
    report = check_custom_gradient(watched, (x,)).report
    assert report.points == 5 and report.graph and report.shapes == 0
    assert {tuple(each.shape) for each in seen} == {(2,)}
    near = max(np.max(abs(each)) for each in seen if hasattr(each, "numpy"))
    sizes = [float(abs(u).numpy().max()) for u in ups if hasattr(u, "numpy")]
    assert max(sizes) > 100 and min(each for each in sizes if each) < 0.5
    assert check_custom_gradient(watched, (x,), shapes=True).report.shapes > 0
    far = max(np.max(abs(each), initial=0) for each in seen if hasattr(each, "numpy"))
    assert far > 3 * near and len({tuple(each.shape) for each in seen}) > 1

    @tf.custom_gradient
    def add(x, y):
        return x + y, lambda upstream: (upstream, upstream)

    check_custom_gradient(add, (x, x))
    found = raised(partial(check_custom_gradient, shapes=True), add, (x, x))
    assert "shape" in str(found)
    once = tf.custom_gradient(
        lambda x: (tf.sin(x), lambda up: up * tf.stop_gradient(tf.cos(x)))
    )
    check_grads(once, (x,), modes=["rev"])
    assert "rev of rev" in str(raised(partial(check_grads, order=2), once, (x,)))


@says("If the forward pass accepts …", "In this case, …")
def test_shapes_that_are_meant():
    function = tf.custom_gradient(
        lambda x: (tf.linalg.matrix_transpose(x), lambda up: tf.transpose(up))
    )
    x = (tf.constant([[1.3, -0.7, 0.2]], tf.float64),)
    check_custom_gradient(function, x)
    refused = raised(partial(check_custom_gradient, shapes=True), function, x)
    assert "the forward pass accepts this" in str(refused)
    report = check_custom_gradient(
        function, x, shapes=True, where=lambda x: x.shape.rank == 2
    ).report
    assert report.shapes > 0


@says(
    "`jit_compile=True` — both …",
    "`batched=True` — the …",
)
def test_compiled_and_batched():
    x = tf.constant([1.3, -0.7], tf.float64)
    numpy = tf.custom_gradient(
        lambda x: (tf.sin(x), lambda up: tf.constant(up.numpy() * np.cos(x)))
    )
    check_grads(numpy, (x,), modes=["rev"])
    for option, words in (
        ("jit_compile", "compiled by XLA"),
        ("batched", "inside tf.vectorized_map"),
    ):
        check_grads(tf.sin, (x,), **{option: True})
        found = raised(
            partial(check_grads, modes=["rev"], **{option: True}), numpy, (x,)
        )
        assert words in str(found)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = numpy(x)
    assert raised(tape.jacobian, y, x) is not None
    assert "pfor" in inspect.getsource(tf.GradientTape.jacobian)
    assert "pfor" in inspect.getsource(tf.vectorized_map)


@says("The reference of the …")
def test_reference():
    both = check_custom_gradient.__doc__ + check_grads.__doc__
    declared = vjpcheck.check_rule.__doc__
    its = [*inspect.signature(check_custom_gradient).parameters][:-1]
    assert all(f"{name}: " in both for name in its)
    assert "check_rule" in check_custom_gradient.__doc__
    options = [*inspect.signature(vjpcheck.check_rule).parameters][2:]
    assert all(f"{name}: " in declared for name in options)
    shown = (ROOT / "docs/vjpcheck.md").read_text("utf-8")
    names = {*inspect.signature(check_custom_gradient).parameters, *options}
    assert all(re.search(rf"^- `[*]*{name}`: ", shown, re.M) for name in names)


@says(
    "Suppose that someone …",
    "The first lines …",
    "The last lines …",
    "A failed test …",
    "A single number divided …",
    "The wrong gradient function …",
    "The message of …",
)
@over(seed=[0, 3])
def test_a_failure(seed):
    said = str(raised(fence(BROKEN)["test_unit"], gradcheck(seed)))
    shown = re.search(r"```text\n(Smallest.*?)```", PAGE, re.DOTALL)[1]
    assert shown in said
    assert said.index("[ 0.3 -1.2 2. ]") < said.index("Smallest counterexample:")
    assert f"The seed was {seed}." in said
    broken = fence(BROKEN)["unit"]
    for x in (-3.0, 1.0, 0.5):
        tensor = tf.constant([[x]], tf.float64)
        assert broken(tensor).numpy() == np.sign(x)
        assert derivative(fence()["unit"])(tensor).numpy() == 0
    assert derivative(broken)(tf.constant([[1.0]], tf.float64)).numpy() == 1


@says(
    "The checker draws …",
    "Afterwards it restores …",
    "The seed of …",
    "To try other …",
    "If the function …",
)
def test_seeds():
    x = tf.constant([1.3, -0.7], tf.float64)
    points: list = []

    def seed_all():
        tf.random.set_seed(5)
        np.random.seed(5)
        random.seed(5)

    def next_draws():
        return np.random.random(), random.random(), float(tf.random.normal([]))

    def watched(x):
        if hasattr(x, "numpy"):
            points.append(x.numpy())
        return tf.sin(x)

    runs = []
    for options in ({}, {"seed": 0}, {"seed": 7}):
        points.clear()
        seed_all()
        check_custom_gradient(watched, (x,), **options)
        runs.append(np.concatenate(points).tolist())
        drawn = next_draws()
        seed_all()
        assert drawn == next_draws()
    assert inspect.signature(check_grads).parameters["seed"].default == 0
    assert runs[0] == runs[1] != runs[2]
    assert "--gradcheck-seed" in inspect.getsource(pytest_plugin)
    check_custom_gradient(lambda x: x * tf.random.normal([2], dtype=x.dtype), (x,))


@says(
    "The relative tolerance …",
    "For example, a float32 …",
    "float64 — 0.000001",
    "float32 — 0.0001",
    "float16 — 0.03",
    "bfloat16 — 0.24",
    "To change a …",
    "A single number applies …",
    "Two more options …",
)
def test_tolerances():
    table = {"float64": 0.000001, "float32": 0.0001, "float16": 0.03, "bfloat16": 0.24}
    x = np.array([1.3, -0.7])
    for name, rtol in table.items():
        assert derivatives.RTOL.get(name, 1e-6) == rtol
        at = (tf.cast(x, name),)
        wrong = partial(check_grads, scaled(1 + 4 * rtol + 0.02 * (rtol > 0.01)), at)
        assert raised(partial(wrong, modes=["rev"])) is not None
        for given in (0.9, {name: 0.9}):
            wrong(modes=["rev"], rtol=given)
        assert raised(partial(wrong, modes=["rev"], rtol={"complex64": 0.9}))
        for given in (100.0, {name: 100.0}):
            wrong(modes=["rev"], atol=given)
    near, factor = scaled(1.00005), derivative(scaled(1.00005))(tf.constant(0.0))
    assert factor.numpy() == np.float32(1.00005)
    check_grads(near, (tf.cast(x, tf.float32),), modes=["rev"])
    assert raised(partial(check_grads, modes=["rev"]), near, (x,)) is not None

    def rough(x):
        return x + 1e-6 * tf.sin(1e5 * x)

    for eps in (1e-7, {"float64": 1e-7}):
        check_grads(rough, (x,), modes=["rev"], eps=eps)
    check_grads(
        scaled(1.0005), (tf.cast(x, "float32"),), modes=["rev"], rtol={"float32": 1e-3}
    )


@says("Even for a …")
def test_differences_in_float64():
    seen = set()

    def watched(x):
        seen.add(x.dtype.name)
        return tf.sin(x)

    check_grads(watched, (tf.constant([1.3]),))
    assert seen == {"float32", "float64"}

    def fixed(x):
        return tf.sin(tf.constant(2.0, tf.float32) * x)

    check_grads(fixed, (tf.constant([1.3]),))


@says(
    "A check calls …",
    "For an input …",
    "With `fast=True`, `gradcheck` …",
    "For a large …",
    "Such a check …",
)
def test_time():
    unit, calls = fence()["unit"], []

    def counted(x):
        calls.append(0)
        return unit(x)

    def count(shape, **options):
        calls.clear()
        x = tf.random.stateless_normal(shape, [1, 2], dtype=tf.float64)
        # A slow function is called by a graph, which counts nothing here.
        with mock.patch("time.process_time", lambda: 0.0):
            gradcheck()(counted, (x,), **options)
        return len(calls)

    assert 300 * 100 == 30_000
    assert 200 < count([300, 100]) < 300 and 200 < count([30, 10]) < 300
    assert count([300, 100], fast=True) < 20
    few = np.zeros(30_000)
    few[0] = 1e-7
    x = np.ones(30_000)
    off = tf.custom_gradient(lambda x: (tf.sin(x), lambda up: up * (tf.cos(x) + few)))
    check_grads(off, (x,), fast=True)
    few = few[:2]
    assert isinstance(few, np.ndarray)
    few[0] = 1e-5
    assert raised(partial(check_grads, modes=["rev"]), off, (x[:2],)) is not None


@says("Save this workflow …", "It runs the …")
def test_the_workflow():
    [text] = re.findall(r"```yaml.*?\n(.*?)```", PAGE, re.DOTALL)
    assert "on: [push, pull_request]" in text
    assert "python -m pytest test_gradients.py" in text
    assert "as `test_gradients.py`" in PAGE


@says(
    "A gradient function of `tf.sin` …",
    "The upstream gradient …",
    "Without the argument …",
)
@over(seed=[0, 1, 2, 3])
def test_a_lucky_upstream(seed):
    f = tf.custom_gradient(lambda x: (tf.sin(x), lambda upstream: tf.cos(x)))
    x = tf.constant([1.3, -0.7])
    assert (tf.ones_like(x).numpy() == 1).all()
    check_grads(f, (x,), modes=["rev"], upstream=tf.ones_like(x), seed=seed)
    refused = raised(partial(check_grads, modes=["rev"], seed=seed), f, (x,))
    assert isinstance(refused, AssertionError)


@says("At zero, `unit` …", "The message contains …")
def test_zeros():
    unit, zeros = fence()["unit"], tf.zeros([1, 2])
    assert np.isnan(unit(zeros)).all()
    said = str(raised(gradcheck(), unit, (zeros,)))
    assert "not all values are finite" in said


@says(
    "A test of …",
    "Suppose that your …",
    "Multiply the output …",
    "The weights are …",
    "In the program, …",
    "The largest difference …",
    "But this test …",
)
def test_the_solution():
    text = source("solution.py")
    assert re.findall(r"^import (\w+)", text, re.MULTILINE) == ["tensorflow"]
    solution = program("solution.py")
    assert trace("solution.py")[-1].text == "error below 1e-4: True"
    assert source("solution.py").count("assert error < 1e-4") == 1 and 1e-4 == 0.0001
    assert solution.test_unit() is None  # pytest warns of a test that returns
    ups: list = []
    original = solution.unit

    @tf.custom_gradient
    def watched(x):
        y = original(x)
        return y, lambda upstream: (ups.append(upstream.numpy()), 9.0 * upstream)[1]

    names = {**solution.test_unit.__globals__, "unit": watched}
    again = types.FunctionType(solution.test_unit.__code__, names)
    assert raised(again) is not None and ups
    weights = [[0.7, -1.1, 0.4], [2.0, 0.3, -0.6]]
    assert len({each.tobytes() for each in ups}) == 1
    assert np.allclose(ups[0], weights)


definition("`rev` stands for …", "Option — What …", "dtype — relative …")
advice(
    "You need a function …",
    "Run this command …",
    "Save the program …",
    "Test in float64 …",
    "Predict: a lucky …",
    "Predict: an input …",
    "Write: a test …",
    "Write a test …",
)
pointer("Checking a gradient …")
