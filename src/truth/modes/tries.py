"""What a test needs that tries to refute a sentence: a quotation, and what the
sentence ranges over.

A sentence that says "always" or "every" speaks of cases that no single program runs.
Its test quotes it, word for word, names the cases, and asserts what it says::

    @says("A rule of the identity returns its upstream gradient, in every mode.")
    @over(mode=MODES, dtype=FLOATS, x=arrays())
    def test_identity(mode, dtype, x):
        x = tf.cast(x, dtype)
        assert same(mode.gradient(identity, x), tf.ones_like(x))

Lists and dictionaries are tried in all combinations; a strategy of Hypothesis is
searched, from the same seed each time, and a counterexample is made small.
"""

import ast
import builtins
import contextlib
import functools
import hashlib
import io
import itertools
import linecache
import logging
import os
import re
import runpy
import tempfile
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.extra.numpy
import numpy as np
import tensorflow as tf
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

# What these three do here, no public name does.
from tensorflow.python.eager import context
from tensorflow.python.framework import random_seed
from tensorflow.python.ops import variable_scope

from tracebook import settings
from tracebook.runner import Run, Runner
from tracebook.snippet import Snippet

__all__ = [
    "AROUND",
    "AROUND_XLA",
    "BLOCKS",
    "COMMON",
    "EAGER",
    "EVERYWHERE",
    "FLOATS",
    "FORWARDS",
    "GRAPHS",
    "INSIDE",
    "LOSSES",
    "MODES",
    "NESTED",
    "OUTSIDE",
    "PERSISTENT",
    "SYMBOLIC",
    "TAPES",
    "UNKNOWN",
    "XLA",
    "Mode",
    "advice",
    "arrays",
    "definition",
    "derivative",
    "drawn",
    "elsewhere",
    "history",
    "loaded",
    "message",
    "near",
    "np",
    "numbers",
    "over",
    "pointer",
    "program",
    "raised",
    "same",
    "says",
    "source",
    "st",
    "tf",
    "trace",
]

# Sentences, and their tests.


def says(*references: str, was: str | tuple[str, ...] = ()) -> Callable:
    """The sentences that the test below tries to refute, by their first words and
    ``…``, or whole. They are read from the file, never from here.

    ``was`` keeps a counterexample that changed the sentence: ``"'always': not for
    x = 1e30"``.
    """

    def decorate(test: Callable[[], None]) -> Callable[[], None]:
        return test if hasattr(test, "tried") else over()(test)

    return decorate


def definition(*references: str) -> None:
    """Sentences that say what a word or a sign means."""


def advice(*references: str) -> None:
    """Sentences that say what to do, and state nothing."""


def history(*references: str) -> None:
    """Sentences on what was, or on what others say."""


def pointer(*references: str) -> None:
    """Sentences on what stands where on this site."""


# What is tried.


@dataclass
class Tried:
    """Over what a test ran, and in how many cases."""

    cases: int = 0
    over: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        spaces = [
            f"{name} {', '.join(values)}" if values else name
            for name, values in self.over.items()
        ]
        return "; ".join(spaces) or "one run"


CASES = 16
"""About how many cases a test with a strategy tries, unless it says."""
_TIMES = float(os.environ.get("TRUTH_TIMES", 1))
_SEED = int(os.environ.get("TRUTH_SEED", 0))


def over(*, cases: int = CASES, examples: tuple = (), **spaces: Any) -> Callable:
    """Call a test with every combination of what is listed, and with what Hypothesis
    finds for strategies.

    Args:
        cases: about how many cases in all; each combination has two at least.
        examples: dictionaries of what once failed, for the strategies; tried first.
        **spaces: for each parameter a list, a dictionary (its keys are names, its
            values are passed) or a strategy.
    """

    def decorate(test: Callable) -> Callable[[], None]:
        tried, listed, searched = Tried(), {}, {}
        for name, space in spaces.items():
            if isinstance(space, st.SearchStrategy):
                searched[name] = space
                tried.over[name] = []
            else:
                listed[name] = list(
                    space.items()
                    if isinstance(space, Mapping)
                    else ((_name(each), each) for each in space)
                )
                tried.over[name] = [each for each, _ in listed[name]]
        combinations = list(itertools.product(*listed.values()))
        each = max(2, round(cases * _TIMES / max(1, len(combinations))))

        def run() -> None:
            _built.cache_clear()
            _drawn.cache_clear()
            _defined.clear()
            for at, combination in enumerate(combinations):
                names = dict(zip(listed, combination))
                values = {name: value for name, (_, value) in names.items()}
                case = functools.partial(_case, test, tried, values)
                try:
                    _search(case, searched, each, examples, _seed(test, at))
                except Exception as error:
                    said = ", ".join(
                        f"{n} = {shown}" for n, (shown, _) in names.items()
                    )
                    if said:
                        error.add_note(f"with {said}")
                    raise

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        run.tried, run.of = tried, test  # type: ignore[attr-defined]
        return run

    return decorate


def _case(test: Callable, tried: Tried, values: dict, **found: Any) -> None:
    """Each case has the same random numbers, whatever ran before it."""
    tried.cases += 1
    # A new seed has TensorFlow make all its kernels again, so only if a case may draw.
    if _drawing or context.global_seed() != 0:
        tf.random.set_seed(0)
    np.random.seed(0)
    test(**values, **found)


_drawing = False
"""Whether a test of the page has asked TensorFlow for random numbers."""


def _noting(get_seed: Callable) -> Callable:
    def noted(seed: int | None) -> tuple:
        global _drawing
        _drawing = True
        return get_seed(seed)

    return noted


random_seed.get_seed = _noting(random_seed.get_seed)


def forget() -> None:
    """Undo what tests of another page left: a seed, and a caching device. If
    ``tf.map_fn`` or ``tf.scan`` raises in a graph, it leaves such a device behind, and
    eager mode then makes no scope."""
    global _drawing
    _drawing = False
    tf.random.set_seed(0)
    _defined.clear()
    variable_scope.get_variable_scope()._caching_device = None


def _seed(test: Callable, combination: int) -> int:
    """Each combination of a test searches other values, the same on every machine."""
    of = f"{test.__module__} {test.__qualname__} {combination} {_SEED}"
    return int.from_bytes(hashlib.sha256(of.encode()).digest()[:8])


# Hypothesis prefers the numbers that it finds in the modules of the project that are
# loaded: what is searched would depend on what ran before.
providers.is_local_module_file = functools.cache(lambda path: False)


def _search(
    case: Callable, searched: dict[str, Any], cases: int, examples: tuple, seed: int
) -> None:
    if not searched:
        case()
        return

    def searching(**found: Any) -> None:
        case(**found)

    search = hypothesis.given(**searched)(searching)
    for example in examples:
        search = hypothesis.example(**example)(search)
    search = hypothesis.seed(seed)(search)
    hypothesis.settings(
        max_examples=cases,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )(search)()


def _name(value: Any) -> str:
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    return str(name) if name else str(value)


# Modes.


@dataclass(frozen=True)
class Mode:
    """One way to have a gradient computed."""

    name: str
    _inner: Callable = lambda function: function
    """What stands around the function, within the tapes."""
    _outer: Callable = lambda gradients: gradients
    """What stands around the tapes."""
    _taped: Callable | None = None
    """What takes the gradients instead of a tape."""

    def gradients(
        self, function: Callable, *inputs: Any, loss: Callable | None = None
    ) -> list:
        """Of a function, or of a loss of its outputs, with respect to each input; None
        where there is none. A test that asks twice for a function has one graph."""
        with _quiet():
            return list(_built(self, function, loss)(*_tensors(inputs)))

    def gradient(self, function: Callable, x: Any, loss: Callable | None = None) -> Any:
        """With respect to the one input."""
        return self.gradients(function, x, loss=loss)[0]

    def value(self, function: Callable, *inputs: Any) -> Any:
        """What the call returns: no gradient is computed, but the tape records it."""

        def recorded(*given: tf.Tensor) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(given)
                return self._inner(function)(*given)

        with _quiet():
            return self._outer(recorded)(*_tensors(inputs))

    def derivative(self, function: Callable, x: Any, order: int = 2) -> Any:
        """The derivative of this order of the sum of the outputs, by as many tapes, all
        of them in the same place: around a ``tf.function``, or all within it."""
        of = self._inner(function)
        for _ in range(order):
            of = derivative(of)
        with _quiet():
            return self._outer(of)(*_tensors([x]))


def _tensors(values: Iterable) -> list:
    """Each a tensor of its own: of one that is given twice, a gradient is the sum."""
    found: list = []
    for each in values:
        tensor = each if tf.is_tensor(each) else tf.convert_to_tensor(each)
        twice = any(tensor is other for other in found)
        found.append(tf.identity(tensor) if twice else tensor)
    return found


@functools.lru_cache
def _built(mode: Mode, function: Callable, loss: Callable | None) -> Callable:
    def total(*given: tf.Tensor) -> Any:
        value = function(*given)
        return loss(value) if loss else value

    return mode._outer((mode._taped or _taped)(mode._inner(total)))


def _taped(function: Callable, persistent: bool = False) -> Callable:
    def gradients(*given: tf.Tensor) -> list:
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(given)
            value = function(*given)
        return tape.gradient(value, [*given])

    return gradients


def derivative(function: Callable, of: Callable = lambda y: y) -> Callable[[Any], Any]:
    """The function that gives the gradient of ``of(function(x))``, by a tape: to be
    differentiated once more, or forward."""

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = of(function(x))
        return tape.gradient(y, x)

    return gradient


def _symbolic(function: Callable) -> Callable:
    return lambda *given: tf.gradients(function(*given), [*given])


_XLA = functools.partial(tf.function, jit_compile=True)

EAGER = Mode("eager")
PERSISTENT = Mode("persistent tape", _taped=functools.partial(_taped, persistent=True))
INSIDE = Mode("tape inside tf.function", _outer=tf.function)
AROUND = Mode("tape around tf.function", tf.function)
NESTED = Mode("nested tf.function", tf.function, tf.function)
XLA = Mode("XLA", _outer=_XLA)
AROUND_XLA = Mode("tape around XLA", _XLA)
SYMBOLIC = Mode("tf.gradients", _outer=tf.function, _taped=_symbolic)

MODES = [EAGER, PERSISTENT, INSIDE, AROUND, NESTED, XLA, AROUND_XLA, SYMBOLIC]
"""The ways to have a reverse gradient, without what stands around the call."""
TAPES = [each for each in MODES if each is not SYMBOLIC]
GRAPHS = [INSIDE, AROUND, NESTED, XLA, AROUND_XLA, SYMBOLIC]


# What else may stand around a call within a tf.function.


def _called_inside(function: Callable) -> Callable:
    called = tf.function(function)
    return tf.function(lambda *given: called(*given))


def _branch(function: Callable) -> Callable:
    def branch(*given: tf.Tensor) -> Any:
        def call() -> Any:
            return function(*given)

        return tf.cond(tf.size(given[0]) >= 0, call, call)

    return branch


def _loop(function: Callable) -> Callable:
    def loop(*given: tf.Tensor) -> Any:
        first = tf.nest.map_structure(tf.zeros_like, function(*given))
        _, y = tf.while_loop(
            lambda i, _: i < 1, lambda i, _: (i + 1, function(*given)), (0, first)
        )
        return y

    return loop


def _map(function: Callable) -> Callable:
    def mapped(*given: tf.Tensor) -> Any:
        specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, function(*given))
        rows = [each[tf.newaxis] for each in given]
        y = tf.map_fn(lambda each: function(*each), rows, fn_output_signature=specs)
        return tf.nest.map_structure(lambda of: of[0], y)

    return mapped


def _replica(function: Callable) -> Callable:
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    return lambda *given: strategy.run(function, given)


def _unknown(rank: bool) -> Callable[[Callable], Callable]:
    """A graph that knows no batch dimension, or not even the rank."""

    def known(x: tf.Tensor) -> tf.TensorSpec:
        shape = None if rank or not x.shape.rank else [None, *x.shape[1:]]
        return tf.TensorSpec(shape, x.dtype)

    def graph(function: Callable) -> Callable:
        built: dict = {}

        def call(*given: tf.Tensor) -> Any:
            specs = tuple(map(known, given))
            if specs not in built:
                built[specs] = tf.function(function, input_signature=specs)
            return built[specs](*given)

        return call

    return graph


def _both(name: str, block: Callable) -> list[Mode]:
    """Within a tf.function: the tape inside, or around."""

    def graph(function: Callable) -> Callable:
        return tf.function(block(function))

    return [
        Mode(f"{name}, tape inside", block, tf.function),
        Mode(f"{name}, tape around", graph),
    ]


BLOCKS = [
    Mode("tape around nested tf.function", _called_inside),
    *_both("branch", _branch),
    *_both("loop", _loop),
    *_both("branch within a loop", lambda f: _loop(_branch(f))),
    *_both("map_fn", _map),
    *_both("strategy.run", _replica),
]
"""A call within something else, within a tf.function. ``loop`` and ``map_fn`` call the
function once more, for the shape of what it returns."""
UNKNOWN = [
    Mode("unknown batch, tape inside", _outer=_unknown(rank=False)),
    Mode("unknown batch, tape around", _unknown(rank=False)),
    Mode("unknown rank, tape inside", _outer=_unknown(rank=True)),
    Mode("unknown rank, tape around", _unknown(rank=True)),
]
"""Graphs that know no batch dimension, or not even the rank, of any input."""
EVERYWHERE = [*MODES, *BLOCKS, *UNKNOWN]
COMMON = [*MODES, *UNKNOWN, *BLOCKS[:5]]
"""Of the blocks a function, a branch and a loop: where a sentence names no place."""
OUTSIDE = [
    each for each in EVERYWHERE if each in (AROUND, AROUND_XLA) or "around" in each.name
]
"""The tape stands outside of the tf.function: where a training loop often has it."""


def elsewhere(code: str) -> str:
    """What a program prints in a new process, in which TensorFlow is imported and
    nothing else has run.

    Raises:
        RuntimeError: the program failed; with the error that ended it.
    """
    runs: list[Run] = []
    place = Path("elsewhere")  # no file
    program = Snippet(place, place.name, place.name, code, raises=None, rel=0.0)
    _runner().run([program], lambda _, run: runs.append(run))
    [run] = runs
    if run.problem:
        raise RuntimeError(run.problem)
    return run.trace


@functools.cache
def _runner() -> Runner:
    return Runner(settings.load(Path(__file__).resolve().parents[3]))


_LOAD = """
import numpy as np
import tensorflow as tf
folder, order = {folder!r}, {order!r}
inputs = [tf.constant(each) for each in np.load(folder + "/inputs.npz").values()]
call = tf.saved_model.load(folder + "/model").call
def of(*given):
    return call(*given)
for _ in range(order):
    def of(*given, of=of):
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = of(*given)
        return tape.gradient(y, [*given])
found = [None if x is None else tf.convert_to_tensor(x) for x in of(*inputs)]
np.savez(folder + "/found.npz", *["None" if x is None else x for x in found])
"""


def loaded(
    function: Callable, *inputs: Any, order: int = 1, custom_gradients: bool = True
) -> list:
    """The gradients of a function that was saved as a SavedModel and is loaded by
    another process, with respect to each input; of the sum of its gradients for
    ``order=2``.

    Raises:
        RuntimeError: the other process failed; with the error that ended it.
    """
    given = _tensors(inputs)
    module = tf.Module()
    specs = [tf.TensorSpec(each.shape, each.dtype) for each in given]
    module.call = tf.function(function, input_signature=specs)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=custom_gradients)
    with tempfile.TemporaryDirectory() as folder, _quiet():
        np.savez(f"{folder}/inputs.npz", *given)
        tf.saved_model.save(module, f"{folder}/model", options=options)
        elsewhere(_LOAD.format(folder=folder, order=order))
        found = np.load(f"{folder}/found.npz").values()
        return [None if each.dtype.kind == "U" else tf.constant(each) for each in found]


@dataclass(frozen=True)
class Forward:
    """One way to have a Jacobian–vector product computed."""

    name: str
    _pushing: Callable
    """Makes of a function the one that pushes a direction through it."""

    def jvp(self, function: Callable, x: Any, dx: Any = None) -> Any:
        """Of a function of one tensor, along ``dx`` or along ones; None where it
        depends on nothing."""
        [x] = _tensors([x])
        dx = tf.ones_like(x) if dx is None else tf.cast(dx, x.dtype)
        with _quiet():
            return self._pushing(lambda given: function(given))(x, dx)


def _pushed(function: Callable) -> Callable:
    def jvp(x: tf.Tensor, dx: tf.Tensor) -> Any:
        with tf.autodiff.ForwardAccumulator(x, dx) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    return jvp


def _forward(
    name: str, inner: dict | None = None, outer: dict | None = None
) -> Forward:
    """With a graph around the function, and one around the accumulator, by their
    options."""

    def pushing(function: Callable) -> Callable:
        pushed = _pushed(function if inner is None else tf.function(function, **inner))
        return pushed if outer is None else tf.function(pushed, **outer)

    return Forward(name, pushing)


FORWARDS = [
    _forward("forward eager"),
    _forward("accumulator inside tf.function", outer={}),
    _forward("accumulator around tf.function", {}),
    _forward("accumulator around nested tf.function", {}, {}),
    _forward("accumulator inside XLA", outer={"jit_compile": True}),
    _forward("accumulator around XLA", {"jit_compile": True}),
]
"""All ways to have a forward gradient."""

# Numbers.

FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]

LOSSES: dict[str, Callable] = {
    "dense": lambda y: tf.reduce_sum(
        y * tf.cast(tf.reshape(tf.range(1, tf.size(y) + 1), tf.shape(y)), y.dtype)
    ),
    "ones": tf.reduce_sum,
    "zeros": lambda y: tf.reduce_sum(y * tf.zeros_like(y)),
    "sparse": lambda y: tf.reduce_sum(tf.gather(y, [0, 0])),
    "nan": lambda y: tf.reduce_sum(y * tf.cast(np.nan, y.dtype)),
    "not constant": lambda y: tf.reduce_sum(y * y),
}
"""By the upstream gradient that a function of rank 1 or more gets from them;
``sparse`` sends IndexedSlices with one index twice."""

_SPECIAL = (0.0, 1e-40, 1e-30, 1e-3, 1.0, 1e3, 1e30)
_MOST = float(np.finfo(np.float32).max)


def numbers(
    low: float = -_MOST,
    high: float = _MOST,
    *,
    finite: bool = True,
    around: Collection[float] = (),
) -> st.SearchStrategy[float]:
    """Floats that float32 has: of every magnitude and both signs, subnormal, ordinary,
    close to what is given in ``around``, and if asked for infinities and NaN."""
    low, high = float(np.float32(low)), float(np.float32(high))
    special = [float(np.float32(s * x)) for x in _SPECIAL for s in (1, -1)]
    special += [near(x, steps) for x in around for steps in (-1, 0, 1)]
    special = [x for x in (*special, low, high) if low <= x <= high]
    special += [] if finite else [np.inf, -np.inf, np.nan]
    found = st.sampled_from(special) | _floats(low, high)
    if low < 10 and high > -10:
        found |= _floats(max(low, -10), min(high, 10))
    return found


def _floats(low: float, high: float) -> st.SearchStrategy[float]:
    # TensorFlow sets the processor to take subnormal numbers for zero.
    return st.floats(low, high, width=32, allow_subnormal=False)


def near(x: float, steps: int) -> float:
    """The float32 so many steps above a number."""
    value = np.float32(x)
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.float32(np.copysign(np.inf, steps)))
    return float(value)


def arrays(
    shape: Any = None, elements: st.SearchStrategy[float] | None = None
) -> st.SearchStrategy[np.ndarray]:
    """float32 arrays; of ranks 0 to 3, some of them empty, unless a shape is given."""
    shape = (
        hypothesis.extra.numpy.array_shapes(
            min_dims=0, max_dims=3, min_side=0, max_side=3
        )
        if shape is None
        else shape
    )
    return hypothesis.extra.numpy.arrays(
        np.float32, shape, elements=numbers(-1e3, 1e3) if elements is None else elements
    )


# What is seen.


def same(one: Any, other: Any, within: float = 0.0) -> bool:
    """Whether two results agree: exactly, NaN with NaN, and None with None; or
    relatively within a number. In float32 and below, a subnormal number agrees with 0,
    because TensorFlow sets the processor to take it for 0."""
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        pairs = zip(one, other)
        return len(one) == len(other) and all(same(a, b, within) for a, b in pairs)
    a, b = _array(one), _array(other)
    flushed = _SUBNORMAL if _is_flushed(one) or _is_flushed(other) else 0.0
    return a.shape == b.shape and np.allclose(a, b, within, flushed, equal_nan=True)


_SUBNORMAL = float(np.finfo(np.float32).tiny)


def _is_flushed(value: Any) -> bool:
    """Whether a result may have lost a subnormal number on its way."""
    name = getattr(getattr(value, "dtype", None), "name", "float64")
    return name not in ("float64", "complex128")


def _array(value: Any) -> np.ndarray:
    if isinstance(value, tf.IndexedSlices):
        value = tf.convert_to_tensor(value)
    # NumPy does not read a tensor of one bfloat16.
    array = np.asarray(value.numpy() if tf.is_tensor(value) else value)
    if array.dtype.kind not in "fciub":  # bfloat16
        array = array.astype(np.float32)
    return array.astype(complex if array.dtype.kind == "c" else float)


def raised(function: Callable, *arguments: Any) -> Exception | None:
    """What a call ends with; None where it returns."""
    try:
        with _quiet():
            function(*arguments)
    except Exception as error:
        return error
    return None


def message(function: Callable, *arguments: Any) -> str:
    """``TypeError: what it says`` of the call, on one line; "" where it returns."""
    error = raised(function, *arguments)
    return "" if error is None else " ".join(f"{type(error).__name__}: {error}".split())


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("tensorflow")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


# Traces.

_PAIR = re.compile(
    r"(?P<name>[A-Za-z_][\w./ ()*^+-]*?)\s*[=:]\s*(?P<value>\[[^=]*?\]|\([^=]*?\)|\S+)"
    r"(?!\S)(?!\s*=)"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)", re.IGNORECASE)


class Line(dict):
    """One line of a trace: what it says, by name, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        for pair in _PAIR.finditer(text):
            self[pair["name"].split("  ")[-1].strip()] = _read(pair["value"])
            # In "backward x = 4" the name is x; the words before it belong to the line.
            self.setdefault(pair["name"].split()[-1], _read(pair["value"]))

    @property
    def numbers(self) -> list[float]:
        """All of them, in order."""
        return [float(each) for each in _NUMBER.findall(self.text)]


def _read(text: str) -> Any:
    if text[0] in "[(":
        return [float(each) for each in _NUMBER.findall(text)]
    text = text.rstrip(",;")
    return float(text) if _NUMBER.fullmatch(text) else text


class Trace(list):
    """The lines of what a program prints."""

    def starting(self, *words: str) -> list[Line]:
        """The lines that begin so."""
        return [each for each in self if each.text.startswith(words)]

    def line(self, word: str) -> Line:
        """The one line that has a word."""
        [found] = [each for each in self if word in each.text]
        return found

    def all(self, name: str) -> list:
        """The values of a name, in order."""
        return [each[name] for each in self if name in each]


folder = Path()
"""Of the programs of the page whose file is being read."""


def trace(name: str) -> Trace:
    """What a program of the page prints: ``trace("tape.py")``."""
    path = (folder / name).with_suffix(".out")
    return Trace(map(Line, path.read_text("utf-8").splitlines()))


def source(name: str) -> str:
    """The text of a program of the page: ``source("tape.py")``."""
    return (folder / name).read_text("utf-8")


def program(name: str) -> Any:
    """What a program of the page defines, to be tried on other inputs:
    ``program("det.py").det``. It is run up to its first statement that is neither an
    import, a definition nor an assignment, and prints nothing."""
    path = folder / name
    text = source(name)
    names, before = _defined.get(path, ({}, None))
    if before is None or before != _state(names):
        names = {"__name__": path.stem, "__builtins__": builtins}
        exec(_compiled(path, text), names)
        drawn = "random" in text  # by the first case, and by no other
        _defined[path] = names, None if drawn else _state(names)
    return types.SimpleNamespace(**names)


_defined: dict[Path, tuple[dict, Any]] = {}
"""What the programs define that a test has run, and its state. The cases of the test
share it, unless a case changed it or that cannot be seen."""


@functools.lru_cache
def _compiled(path: Path, text: str) -> types.CodeType:
    tree = _Silent().visit(ast.parse(text))
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    defines = itertools.takewhile(lambda each: isinstance(each, kept), tree.body[1:])
    source = ast.unparse(ast.Module([*defines], []))
    file = f"<{path}>"
    # AutoGraph asks for the source.
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    return compile(source, file, "exec")


_CONSTANT = (
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type),
    *(type(None), bool, int, float, complex, str, bytes, tf.DType, tf.Tensor),
    type(tf.custom_gradient(tf.identity)),
)


def _state(value: Any) -> Any:
    """What a case can change of a value; None where that cannot be seen."""
    if isinstance(value, _CONSTANT):
        return id(value), value  # equal if it is the same object
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if type(value) is dict:
        value = [each for pair in value.items() for each in pair]
    if type(value) not in (list, tuple):
        return None
    states = [_state(each) for each in value]
    return None if None in states else states


class _Silent(ast.NodeTransformer):
    """Without prints: XLA compiles none."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        prints = {"print", "tf.print"}
        called = node.value.func if isinstance(node.value, ast.Call) else node.value
        return ast.Pass() if ast.unparse(called) in prints else node


def drawn(name: str) -> list:
    """The figures of matplotlib that a program of the page draws. It runs as a whole,
    once for all cases of a test."""
    return _drawn(folder / name)


@functools.lru_cache
def _drawn(path: Path) -> list:
    from matplotlib import pyplot

    pyplot.close("all")
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.chdir(place),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        runpy.run_path(str(path))
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    return figures
