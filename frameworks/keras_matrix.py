"""Measure keras.ops.custom_gradient on one backend, and compare with keras_matrix.json.

``KERAS_BACKEND=jax python frameworks/keras_matrix.py`` exits with 1 if a cell of this
backend differs; with the word ``update``, it rewrites the backend's cells.

A case returns gradients. Its cell is "right", "raises ERROR: MESSAGE", or the wrong
gradients after "silent: ", or after "warns: " if Keras warned. A case that expects an
error is "right, raises ERROR: MESSAGE" if there is one.
"""

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import ops

BACKEND = keras.backend.backend()
RECORD = Path(__file__).with_suffix(".json")
LENGTH = 120
"""Letters of a cell, at most."""
CASES: dict[str, tuple[list | None, Callable[[], Any]]] = {}
"""The expected gradients, or None for an error, and the function of each case."""
PAIR, VECTOR = [1.0, 2.0], [1.0, 2.0, 3.0]


def case(name: str, expected: list | None, function: Callable, *arguments: Any) -> None:
    """Register a case, which calls a function."""
    CASES[name] = expected, partial(function, *arguments)


def gradients(function: Callable, *values: Any) -> Sequence:
    """Return the gradient of the sum of a function with respect to each value."""

    def total(*inputs):
        return ops.sum(function(*inputs))

    if BACKEND == "jax":
        import jax

        inputs = [ops.convert_to_tensor(value) for value in values]
        return jax.grad(total, tuple(range(len(values))))(*inputs)
    if BACKEND == "torch":
        import torch

        inputs = [torch.tensor(value, requires_grad=True) for value in values]
        return torch.autograd.grad(total(*inputs), inputs, allow_unused=True)
    import tensorflow as tf

    inputs = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = total(*inputs)
    return tape.gradient(y, inputs)


def second_derivative(function: Callable, value: float) -> Sequence:
    """Return the second derivative of a scalar function as a list."""
    if BACKEND == "jax":
        import jax

        return [jax.grad(jax.grad(function))(value)]
    if BACKEND == "torch":
        import torch

        x = torch.tensor(value, requires_grad=True)
        (first,) = torch.autograd.grad(function(x), x, create_graph=True)
        return torch.autograd.grad(first, x)
    import tensorflow as tf

    x = tf.Variable(value)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = function(x)
        first = tape.gradient(y, x)
    return [outer.gradient(first, x)]


def upstream_of(args: Sequence, upstream: Any) -> Any:
    """Return the upstream gradient, which PyTorch gets by keyword."""
    return args[0] if upstream is None else upstream


def rule(forward: Callable, gradient: Callable) -> Callable:
    """Return a custom gradient.

    Args:
        forward: returns the output for the inputs.
        gradient: returns the gradients for the upstream gradient and the inputs.
    """

    @ops.custom_gradient
    def function(*inputs, **named):
        inputs += tuple(named.values())

        def grad(*args, upstream=None):
            return gradient(upstream_of(args, upstream), *inputs)

        return forward(*inputs), grad

    return function


def double(x):
    return 2.0 * x


def times(x, y):
    return x * y


square = rule(lambda x: x * x, lambda u, x: 20.0 * u * x)
product = rule(times, lambda u, x, y: (10.0 * u * y, 10.0 * u * x))
quarter = rule(times, lambda u, x, w: (0.25 * u * w, ops.sum(0.25 * u * x)))
third = rule(lambda w: 1.0 * w, lambda u, w: u / 3.0)
ignore = rule(lambda x, setting: 2.0 * x, lambda u, x, setting: (20.0 * u, None))


def calls() -> None:
    """Register signatures of the gradient function, and ways to pass inputs."""

    def by_keyword(x):
        def grad(*args, upstream):
            return upstream * 20.0 * x

        return x * x, grad

    def positional(x):
        return x * x, lambda upstream: upstream * 20.0 * x

    case("`grad(*args, upstream=None)`", [60], gradients, square, 3.0)
    for text, function in (("upstream", positional), ("*args, upstream", by_keyword)):
        custom = ops.custom_gradient(function)
        case(f"`grad({text})`", [60], gradients, custom, 3.0)

    def capture(x, y):
        return rule(lambda x: x * y, lambda u, x: u * 10.0 * y)(x)

    def with_second(function, convert):
        return gradients(lambda x: function(x, convert()), 3.0)

    def listed(container, x, y):
        custom = rule(
            lambda pair: pair[0] * pair[1],
            lambda u, pair: container([u * 10.0 * pair[1], u * 10.0 * pair[0]]),
        )
        return custom([x, y]) + x

    for name, function in (
        ("two inputs", product),
        ("one input by keyword", lambda x, y: product(x, y=y)),
        ("all inputs by keyword", lambda x, y: product(x=x, y=y)),
        ("a captured tensor", capture),
    ):
        case(name, [50, 30], gradients, function, 3.0, 5.0)
    case("one input twice", [60], gradients, lambda x: product(x, x), 3.0)
    for name, container in (("tuple", tuple), ("list", lambda pair: (pair,))):
        name = f"a list of two inputs, gradients in a {name}"
        case(name, [51, 30], gradients, partial(listed, container), 3.0, 5.0)
    variable = keras.Variable(5.0)
    for name, convert in (
        ("a Python float", lambda: 5.0),
        ("a NumPy array", lambda: np.array(5.0, "float32")),
        ("a `keras.Variable`", lambda: variable),
        ("`ops.convert_to_tensor(variable)`", lambda: ops.convert_to_tensor(variable)),
        ("`ops.copy(variable)`", lambda: ops.copy(variable)),
    ):
        case(f"second input: {name}", [50], with_second, product, convert)
    name = "second input, with gradient `None`: "
    for kind, setting in (("`None`", None), ("a string", "mode"), ("a bool", True)):
        case(name + kind, [20], with_second, ignore, lambda value=setting: value)
    case(f"{name}a tensor", [20, None], gradients, ignore, 3.0, 5.0)


def returned_values() -> None:
    """Register outputs, and gradients of a wrong kind, number or shape."""

    def outputs(container):
        @ops.custom_gradient
        def function(x):
            def grad(*args, upstream=None):
                # TensorFlow passes one upstream gradient for each output.
                several = upstream_of(args, upstream) if len(args) == 1 else args
                return 10.0 * sum(several)

            return container([2.0 * x, 3.0 * x]), grad

        return lambda x: sum(function(x)) + x

    for name, container in (("tuple", tuple), ("list", list), ("stack", ops.stack)):
        case(f"a {name} of two outputs", [21], gradients, outputs(container), 3.0)
    identity = rule(lambda x: x, lambda u, x: 20.0 * u)
    case("the input itself as output", [20], gradients, identity, 3.0)
    for name, expected, gradient in (
        ("too few gradients", None, lambda u, x, y: u),
        ("too many gradients", None, lambda u, x, y: (u, u, u)),
        ("a list of gradients", [50, 30], lambda u, x, y: [u * 10.0 * y, u * 10.0 * x]),
        ("Python floats as gradients", [50, 30], lambda u, x, y: (50.0, 30.0)),
    ):
        case(name, expected, gradients, rule(times, gradient), 3.0, 5.0)
    for shape, gradient in (
        ("()", lambda u, x: ops.sum(u)),
        ("(2,)", lambda u, x: u[:2]),
        ("(2, 3)", lambda u, x: ops.stack([u, u])),
    ):
        name = f"a gradient of shape {shape} for (3,)"
        case(name, None, gradients, rule(double, gradient), VECTOR)


def errors() -> None:
    """Register exceptions, and functions that don't return a pair."""

    def fail(*args):
        raise ArithmeticError("failed")

    def failing_once(error):
        runs = []

        def forward(x):
            runs.append(x)
            if len(runs) == 1:
                raise error("first call")
            return 2.0 * x

        return rule(forward, lambda u, x: u), runs

    def kinds(error):
        y = failing_once(error)[0](ops.convert_to_tensor(3.0))
        return f"a {type(y).__name__} with a {type(y[1]).__name__}"

    def forward_passes():
        function, runs = failing_once(ArithmeticError)
        with suppress(ArithmeticError):
            function(ops.convert_to_tensor(3.0))
        return [len(runs)]

    def output():
        return [ops.custom_gradient(double)(ops.convert_to_tensor(PAIR))]

    case("an error in `grad`", None, gradients, rule(double, fail), 3.0)
    case("an error in the forward pass", None, gradients, rule(fail, fail), 3.0)
    case("an error in the forward pass: how often it runs", [1], forward_passes)
    for error in (ArithmeticError, KeyboardInterrupt):
        name = f"`{error.__name__}` in the first forward pass only"
        case(name, None, kinds, error)
    for shape, value in (("()", 3.0), ("(3,)", VECTOR)):
        name = f"no gradient function, input of shape {shape}"
        case(name, None, gradients, ops.custom_gradient(double), value)
    case("no gradient function, output for `[1.0, 2.0]`", None, output)
    pair = ops.custom_gradient(lambda x: (2.0 * x, None))
    case("`None` as gradient function", None, gradients, pair, 3.0)


def transformations() -> None:
    """Register second derivatives, loops and maps."""

    def softplus(is_recomputed):
        @ops.custom_gradient
        def function(x):
            e = ops.exp(x)

            def grad(*args, upstream=None):
                power = ops.exp(x) if is_recomputed else e
                return upstream_of(args, upstream) * (1.0 - 1.0 / (1.0 + power))

            return ops.log(1.0 + e), grad

        return lambda x: function(x) + x**2

    def scan(xs):
        start = ops.convert_to_tensor(0.0)
        return ops.scan(lambda carry, x: (carry, square(x)), start, xs)[1]

    def loop(x):
        return ops.fori_loop(0, 2, lambda _, y: square(y), x)

    second = "second derivative, captured"
    case(f"{second} input", [20], second_derivative, square, 3.0)
    for name, is_recomputed in (("", False), (", recomputed", True)):
        function = softplus(is_recomputed)
        name = f"{second} intermediate value{name}"
        case(name, [2.1966119], second_derivative, function, 1.0)
    for name, function in (
        ("vectorized_map", partial(ops.vectorized_map, square)),
        ("map", partial(ops.map, square)),
        ("scan", scan),
    ):
        case(f"in `ops.{name}`", [20, 40], gradients, function, PAIR)
    case("in `ops.fori_loop`", [10800], gradients, loop, 3.0)
    case("in `keras.remat`", [60], gradients, keras.remat(square), 3.0)


def captured(x: Any, w: Any) -> Any:
    return rule(lambda x: x * w, lambda u, x: 0.25 * u * w)(x)


def captured_variables(x: Any, w: Any) -> Any:
    @ops.custom_gradient
    def function(x):
        def grad(*args, upstream=None, variables=None):
            upstream = upstream_of(args, upstream)
            downstream = 0.25 * upstream * w
            if variables:
                return downstream, [ops.sum(0.25 * upstream * x)]
            return downstream

        return x * w, grad

    return function(x)


USES = {
    "`ops.copy(w)`": lambda x, w: quarter(x, ops.copy(w)),
    "`ops.convert_to_tensor(w)`": lambda x, w: quarter(x, ops.convert_to_tensor(w)),
    "`w`": quarter,
    "`w` as the only input": lambda x, w: 0.25 * x + 0.75 * third(w),
    "`w` captured": captured,
    "`w` captured, `variables=None`": captured_variables,
    "`w` by keyword": lambda x, w: quarter(x, w=ops.copy(w)),
    "in `keras.remat`": lambda x, w: keras.remat(quarter)(x, ops.copy(w)),
    "in `keras.remat`, `w` captured": lambda x, w: keras.remat(
        lambda x: quarter(x, ops.copy(w))
    )(x),
}
"""How the call of a layer passes its weight to a custom gradient."""


class Scale(keras.layers.Layer):
    """A layer whose output is the input times a weight."""

    def __init__(self, use: Callable) -> None:
        super().__init__()
        self.use = use

    def build(self, shape: Any) -> None:
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x: Any) -> Any:
        return self.use(x, self.w)


def steps(make: Callable, is_eager: bool, policy: str, scope: str | None) -> list:
    """Return by how much one step of SGD at rate 1 decreases each weight."""
    keras.config.set_dtype_policy(policy)
    with keras.RematScope(mode=scope):
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        inputs = keras.Input([1])
        model = keras.Model(inputs, make()(dense(inputs)))
    model.compile(keras.optimizers.SGD(1.0), "mse", run_eagerly=is_eager)
    model.fit(np.ones([1, 1]), np.full([1, 1], 0.5), verbose=0)
    return [1.0 - ops.convert_to_numpy(weight) for weight in model.weights]


def training() -> None:
    """Register custom gradients that ``fit`` trains."""
    bfloat16, (*_, remat, inside) = "mixed_bfloat16", USES
    settings = [(use, "float32", None) for use in USES]
    settings += [(remat, bfloat16, None), (inside, bfloat16, None)]
    settings += [("`ops.copy(w)`", policy, "full") for policy in ("float32", bfloat16)]
    for use, policy, scope in settings:
        name = f"{use}, `{policy}`" if policy == bfloat16 else use
        name += f", `RematScope('{scope}')`" if scope else ""
        make = partial(Scale, USES[use])
        for mode in ("eagerly", "compiled"):
            is_eager = mode == "eagerly"
            title = f"`fit` {mode}: {name}"
            case(title, [0.25, 0.25], steps, make, is_eager, policy, scope)
    half = rule(lambda x: 1.0 * x, lambda u, x: 0.5 * u)
    name = "`fit` compiled: called on a KerasTensor"
    case(name, [0.5], steps, lambda: half, False, "float32", None)


def numbers(results: Iterable) -> list[float | None]:
    """Return the numbers of gradients, with None for a missing gradient."""
    flat: list[float | None] = []
    for gradient in results:
        array = gradient.detach() if hasattr(gradient, "detach") else gradient
        flat += [None] if array is None else np.asarray(array, float).ravel().tolist()
    return flat


def message(error: BaseException) -> str:
    """Return the type of an error and its first informative line."""
    text = re.sub(r"\x1b\[\d+m| at 0x[0-9a-f]+|(?<!\w)/\S+/", "", str(error))
    lines = [
        line
        for line in text.splitlines()
        if line.strip() and not line.startswith(("Exception enc", "Could not autom"))
    ]
    return f"raises {type(error).__name__}: {''.join(lines[:1])}".rstrip(": ")


def cell(expected: list | None, function: Callable[[], Any]) -> str:
    """Run a case, and describe its result."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", "Gradients do not exist")
        try:
            result = function()
        except (Exception, KeyboardInterrupt) as error:
            return "right, " * (expected is None) + message(error)
    kind = "warns" if record else "silent"
    if isinstance(result, str):
        return f"{kind}: {result}"
    values = numbers(result)
    if expected is not None and len(values) == len(expected):
        pairs = [[value or 0.0 for value in side] for side in (values, expected)]
        if np.allclose(*pairs, rtol=1e-5):
            return "right"
    instead = f" instead of {shown(expected)}" if expected else ""
    return f"{kind}: {shown(values)}{instead}"


def shown(values: Iterable[float | None]) -> str:
    """Return numbers as text."""
    return ", ".join("none" if value is None else f"{value:.5g}" for value in values)


def main() -> int:
    """Compare or rewrite the cells of this backend, and return the exit code."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
    for register in (calls, returned_values, errors, transformations, training):
        register()
    cells = {name: cell(*CASES[name])[:LENGTH].rstrip() for name in CASES}
    matrix = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    previous = matrix.get(BACKEND, {})
    print(f"keras.ops.custom_gradient on {BACKEND}: {len(cells)} cases")
    if sys.argv[1:] == ["update"]:
        text = json.dumps(matrix | {BACKEND: cells}, indent=1, ensure_ascii=False)
        RECORD.write_text(f"{text}\n", "utf-8")
        return 0
    names = [n for n in {**previous, **cells} if previous.get(n) != cells.get(n)]
    for name in names:
        print(f"{name}\n- {previous.get(name)}\n+ {cells.get(name)}")
    return bool(names)


if __name__ == "__main__":
    sys.exit(main())
