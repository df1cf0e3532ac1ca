"""The derivatives of a function, by order and mode, beside finite differences."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tensorflow as tf

from .compare import Report, shown
from .declared import Choice, chosen
from .directions import AT_MOST, Undecided, Wrong, number_of
from .function import Function, Refused, flat, leaf_of, said, unflat, wide
from .judge import runs_widely
from .points import normal
from .slopes import Slope, pair, scaled_slope

MODES = ("rev", "fwd")
RTOL = {"float32": 1e-4, "complex64": 1e-4, "float16": 0.03, "bfloat16": 0.24}
"""By the dtypes of the arguments; 1e-6 in all wider dtypes."""
NOISE = {"float16": 1e-2, "bfloat16": 8e-2, "float32": 1e-5, "complex64": 1e-5}
"""Of a value from which a finite difference is computed, relative; else 1e-9."""
BATCH = 3


@dataclass
class Result:
    """How much a check compared, and what is wrong. A result without problems is true,
    as in ``if result:``."""

    problems: list[str] = field(default_factory=list)
    """A message for each problem."""
    undecided: bool = False
    """True if one of the problems is that too little could be compared."""
    compared: int = 0
    """The number of derivatives that the check tried to compare."""
    kinks: int = 0
    """How many of these are at a kink, where the check accepts a range of values."""
    unsettled: int = 0
    """How many of these stayed undecided, because their finite differences were too
    inaccurate."""
    report: Report | None = None
    """The report of ``check_rule``, if it was called."""

    def __bool__(self) -> bool:
        return not self.problems


@dataclass(frozen=True)
class _Level:
    """The function, or one of its derivatives, as a function of a list of tensors."""

    name: str
    run: Callable[[list], list]
    names: list[str]
    values: list[np.ndarray]
    dtypes: list[tf.DType]
    """Of the arguments; ``values`` are in the widest."""


class Check:
    """One function at one point. Raises Undecided if nothing can be compared there."""

    def __init__(
        self,
        call: Function,
        result: Result,
        modes: Sequence[str],
        fast: bool,
        atol: Choice,
        rtol: Choice,
        eps: Choice,
        rng: np.random.Generator,
    ) -> None:
        self._call, self._result = call, result
        self._fast, self._rng = fast, rng
        self._atol, self._rtol, self._eps = atol, rtol, eps
        self._upstream: list[np.ndarray] | None = None
        self._tangent: list[np.ndarray] | None = None
        self._recorded: Callable[[list], np.ndarray] | None = None
        """A backward pass that can be repeated."""
        self._fixed = call.tensors(call.widened(), double=False)
        with tf.GradientTape() as tape:
            outputs = self._of_function([self._fixed[i] for i in call.moving])
        call.leaves += map(leaf_of, tape.watched_variables())
        if not call.moving:
            raise Undecided("no argument is floating or complex")
        here = call.widened()
        self._fixed = call.tensors(here, double=False)
        its = [call.leaves[i] for i in call.moving]
        is_complex = any(each.dtype.is_complex for each in its)
        self._modes = [mode for mode in modes if mode == "rev" or not is_complex]
        if modes and not self._modes:
            raise ValueError("TensorFlow's forward mode needs real arguments")
        self.first = _Level(
            "f",
            self._of_function,
            [each.name for each in its],
            [here[i] for i in call.moving],
            [each.dtype for each in its],
        )
        again = self._of_function(self._tensors(self.first, self.first.values, False))
        call.noisy = not np.array_equal(flat(again), flat(outputs), equal_nan=True)
        if not np.isfinite(flat([*self.first.values, *again])).all():
            raise Undecided(f"{self._place(self.first)}: not all values are finite")
        # A narrow variable moves by steps of its own, whatever comes out.
        self._can_widen = all(
            each.variable is None or each.dtype == wide(each.dtype) for each in its
        )

    def given(self, upstream: Any, tangent: Any) -> None:
        """Take these instead of random ones. Raises ValueError if they don't fit."""
        outputs = self._of_function(
            self._tensors(self.first, self.first.values, double=False)
        )
        inputs = len(self._call.inputs)
        likes = (
            [each.numpy() for each in outputs],
            [
                array
                for i, array in zip(self._call.moving, self.first.values)
                if i < inputs
            ],
        )
        found: list[list[np.ndarray] | None] = [None, None]
        for n, (given, like) in enumerate(zip((upstream, tangent), likes)):
            if given is None:
                continue
            parts = [np.asarray(each) for each in tf.nest.flatten(given)]
            shapes, wanted = ([each.shape for each in its] for its in (parts, like))
            if shapes != wanted:
                name = ("upstream", "tangent")[n]
                raise ValueError(f"{name} has the shapes {shapes}, not {wanted}")
            found[n] = [
                each.astype(np.result_type(each, np.float64))
                if each.dtype.kind == "c"
                else each.astype(np.complex128 if np.iscomplexobj(its) else np.float64)
                for each, its in zip(parts, like)
            ]
        self._upstream, self._tangent = found

    def level(self, level: _Level, order: int) -> None:
        """Compare the derivatives of this function in each mode, and theirs."""
        if not self._modes:
            return
        outputs = self._outputs(level)
        known = self._slopes(level, outputs)
        for mode in self._modes:
            derivative = (self._rev if mode == "rev" else self._fwd)(level, outputs)
            try:
                if mode == "rev":
                    self._compare_rev(level, derivative, known, outputs)
                else:
                    self._compare_fwd(level, derivative, known)
            except Wrong as wrong:
                self._result.problems.append(f"{derivative.name}: {wrong}")
                self._result.undecided |= isinstance(wrong, Undecided)
                continue
            if order > 1:
                self.level(derivative, order - 1)

    def others(
        self,
        tol: float | None,
        batched: bool,
        jit_compile: bool,
        strategy: tf.distribute.Strategy | None,
        between: Callable[[], object] | None,
    ) -> None:
        """What else must give the same gradients."""
        level = self.first
        outputs = self._outputs(level)
        ups = [self._random(each) for each in outputs]
        backward = self._rev(level, outputs).run
        sources = self._tensors(level, level.values, double=False)
        passes = lambda: flat(backward([*sources, *ups]))  # noqa: E731
        alone = functools.cache(passes)
        checks: list[Callable] = []
        if tol is not None:
            what = "repeated, the backward pass gives"
            checks.append(lambda: self._same(passes(), alone(), what, tol))
            checks.append(lambda: self._again(ups, tol))
        if between is not None:
            checks.append(lambda: self._between(alone, sources, ups, between))
        if len(outputs) > 1:
            checks.append(lambda: self._undefined(sources, ups))
        if "rev" in self._modes and self._upstream is None:
            checks.append(lambda: self._zero(alone, sources, ups))
        if batched:
            checks.append(lambda: self._batched(sources, ups))
        if jit_compile:
            checks.append(lambda: self._compiled(level.run, sources, "value"))
            checks.append(lambda: self._compiled(backward, [*sources, *ups], ""))
        if strategy is not None:
            checks.append(
                lambda: self._replicated(backward, [*sources, *ups], strategy)
            )
        for check in checks:
            try:
                check()
            except Wrong as wrong:
                self._result.problems.append(str(wrong))
            except Exception as error:
                self._result.problems.append(f"the backward pass raises {said(error)}")

    def _of_function(self, sources: list) -> list:
        its = list(self._fixed)
        for i, source in zip(self._call.moving, sources):
            its[i] = source
        try:
            return self._call._run(self._call.call, its)
        except Refused as error:
            raise Undecided(f"the function raises {error}") from error

    def _outputs(self, level: _Level) -> list:
        return level.run(self._tensors(level, level.values, double=False))

    def _tensors(self, level: _Level, arrays: list, double: bool) -> list:
        here = self._call.widened()
        for i, array in zip(self._call.moving, arrays):
            here[i] = array
        its = self._call.tensors(here, double)
        count = len(self._call.moving)
        return [its[i] for i in self._call.moving] + [
            tf.constant(array.astype((wide(d) if double else d).as_numpy_dtype))
            for array, d in zip(arrays[count:], level.dtypes[count:])
        ]

    def _rev(self, level: _Level, outputs: list) -> _Level:
        """Its gradients, as a function of its inputs and the upstream gradients."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, ups = sources[:count], sources[count:]
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                values = level.run(inputs)
            return _like(tape.gradient(values, inputs, ups), inputs, level.names)

        return self._derivative("rev", level, run, "upstream", outputs)

    def _fwd(self, level: _Level, _: list) -> _Level:
        """Its tangents, as a function of its inputs and their tangents."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, tangents = sources[:count], sources[count:]
            with tf.autodiff.ForwardAccumulator(inputs, tangents) as forward:
                values = level.run(inputs)
            none = tf.UnconnectedGradients.ZERO
            # The derivative of tf.gather may be tf.IndexedSlices.
            return [tf.convert_to_tensor(forward.jvp(y, none)) for y in values]

        inputs = self._tensors(level, level.values, double=False)
        return self._derivative("fwd", level, run, "tangent", inputs)

    def _derivative(
        self, mode: str, level: _Level, run: Callable, name: str, like: list
    ) -> _Level:
        more = [tf.convert_to_tensor(self._random(each)) for each in like]
        return _Level(
            mode if level is self.first else f"{mode} of {level.name}",
            run,
            level.names + [f"{name}[{n}]" for n in range(len(like))],
            level.values + [_wide(each) for each in more],
            level.dtypes + [each.dtype for each in like],
        )

    def _slopes(
        self, level: _Level, outputs: list
    ) -> list[tuple[str, np.ndarray, Slope]]:
        """Along each direction, its name and the finite differences."""
        at, total = flat(level.values), flat(level.values).size
        wide_run = lambda: level.run(self._tensors(level, level.values, True))  # noqa: E731
        double = self._can_widen and _runs(wide_run)
        if double:
            outputs = wide_run()
        center, dtypes = flat(outputs), [each.dtype for each in outputs]

        def values(row: np.ndarray) -> np.ndarray:
            try:
                moved = level.run(
                    self._tensors(level, unflat(row, level.values), double)
                )
            except Wrong:  # the domain ends here
                return np.full(1, np.nan)
            # An output of another dtype is another function.
            is_same = [each.dtype for each in moved] == dtypes
            return flat(moved) if is_same else np.full(1, np.nan)

        eps = chosen(self._eps, {(wide(d) if double else d).name for d in level.dtypes})
        found = []
        for name, row in self._directions(level, total):
            found.append(
                (name, row, scaled_slope(values, center, at, row, double, eps))
            )
        self._tensors(level, level.values, False)  # variables were moved
        self._noise = (
            1e-9 if double else max(NOISE.get(d.name, 1e-9) for d in level.dtypes)
        )
        return found

    def _directions(self, level: _Level, total: int) -> list[tuple[str, np.ndarray]]:
        if self._tangent is not None and level is self.first:
            rest = level.values[len(self._tangent) :]  # variables stay as they are
            row = flat([*self._tangent, *map(np.zeros_like, rest)])
            return [("the tangent", row)]
        if self._fast or total > AT_MOST:
            mixtures = self._rng.standard_normal((1 if self._fast else AT_MOST, total))
            return [
                ("a random combination of all inputs", row / np.sqrt(total))
                for row in mixtures
            ]
        names = [
            number_of(name, array, n)
            for name, array in zip(level.names, level.values)
            for n in range(flat([array]).size)
        ]
        return list(zip(names, np.eye(total)))

    def _compare_rev(
        self, level: _Level, derivative: _Level, known: list, outputs: list
    ) -> None:
        before = replace(self._result)
        for name, row, its in known:
            ups = [self._random(each) for each in outputs]
            tries = [ups, [-3 * each for each in ups]]  # of either sign
            if self._upstream is not None and level is self.first:
                given = zip(self._upstream, outputs)
                tries = [[tf.cast(up, each.dtype) for up, each in given]]
            for ups in tries:
                gradients = flat(self._run(derivative, level, ups))
                place = f"{self._place(level)} with upstream = {shown(ups)}"
                self._pair(
                    level,
                    name,
                    flat(ups),
                    its,
                    gradients,
                    row,
                    f"{place}: the gradient",
                )
        self._demand_enough(len(known), before)

    def _compare_fwd(self, level: _Level, derivative: _Level, known: list) -> None:
        before = replace(self._result)
        count = 0
        for name, row, its in known:
            tangents = [
                tf.cast(array, dtype)
                for array, dtype in zip(unflat(row, level.values), level.dtypes)
            ]
            moved = flat(self._run(derivative, level, tangents))
            size = its.center.size
            weights = (
                np.eye(size)
                if size <= AT_MOST
                else self._rng.standard_normal((2, size)) / np.sqrt(size)
            )
            count += len(weights)
            place = f"{self._place(level)}: the forward-mode derivative"
            for weight in weights:
                self._pair(level, name, weight, its, moved, weight, place)
        self._demand_enough(count, before)

    def _pair(
        self,
        level: _Level,
        name: str,
        by: np.ndarray,
        its: Slope,
        got: np.ndarray,
        moved: np.ndarray,
        place: str,
    ) -> None:
        dtypes = {each.name for each in level.dtypes}
        rtol = chosen(self._rtol, dtypes)
        if rtol is None:
            rtol = max(RTOL.get(each, 1e-6) for each in dtypes)
            rtol *= 1 if level is self.first else 10
        atol = chosen(self._atol, dtypes) or 0.0
        noise = self._noise / (its.size if self._noise < 1e-8 else 1)
        pairing = pair(by, its, got, moved, rtol, noise, atol)
        if pairing.verdict == "wrong":
            raise Wrong(
                f"{place} with respect to {name} is {pairing.got:.6g}, but finite"
                f" differences give {pairing.expected}"
            )
        self._result.compared += 1
        self._result.kinks += pairing.at_kink
        self._result.unsettled += pairing.verdict == "unknown"

    def _demand_enough(self, count: int, before: Result) -> None:
        """Of the derivatives of one level and mode: those since ``before``."""
        unknown = self._result.unsettled - before.unsettled
        compared = self._result.compared - before.compared
        if unknown > max(min(1, count - 1), compared / 10):
            raise Undecided(
                f"finite differences don't determine {unknown} of"
                f" {compared} derivatives: move args away from where the"
                " function isn't smooth, or choose eps"
            )

    def _run(self, derivative: _Level, level: _Level, more: list) -> list:
        try:
            return derivative.run([*self._tensors(level, level.values, False), *more])
        except Wrong:
            raise
        except Exception as error:
            raise Wrong(f"{self._place(level)}: it raises {said(error)}") from error

    def _again(self, ups: list, tol: float) -> None:
        """A second backward pass of one forward pass. Before, a call at other inputs
        fills whatever the function keeps outside."""
        others = [
            array + 0.01 * (1 + abs(array)) * normal(self._rng, array)
            for array in self.first.values
        ]
        with contextlib.suppress(Undecided):  # they may be outside of the domain
            self._of_function(self._tensors(self.first, others, False))
        sources = self._tensors(self.first, self.first.values, False)
        backward = self._taped(sources)
        once = backward(ups)
        what = "a second backward pass of the same call"
        try:
            twice = backward(ups)
        except Exception as error:
            raise Wrong(
                f"{self._place(self.first)}: {what} raises {said(error)}"
            ) from error
        if not self._call.noisy:
            self._same(twice, once, f"{what} gives", tol)
        self._recorded = backward

    def _taped(self, sources: list) -> Callable[[list], np.ndarray]:
        """Records a forward pass, and returns its backward pass."""
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = self._of_function(sources)
        return lambda ups: flat(
            _like(tape.gradient(outputs, sources, ups), sources, self.first.names)
        )

    def _between(
        self, alone: Callable, sources: list, ups: list, between: Callable
    ) -> None:
        """What is called between the two passes must not change the gradient."""
        expected = alone()
        recorded = self._taped(sources)
        between()
        try:
            got = recorded(ups)
        except Wrong:
            raise
        except Exception as error:
            raise Wrong(
                f"{self._place(self.first)}: with a call of between, the backward pass"
                f" raises {said(error)}"
            ) from error
        if not self._call.noisy:
            self._same(got, expected, "with a call of between, the gradient is")

    def _zero(self, alone: Callable, sources: list, ups: list) -> None:
        """A gradient is linear in upstream. So it is 0 for 0, whatever ``atol`` is."""
        backward = self._recorded or self._taped(sources)
        got = backward([tf.zeros_like(each) for each in ups])
        near = max(RTOL.get(each.name, 1e-6) for each in self.first.dtypes)
        size = abs(alone()).max(initial=0)
        if np.any(abs(got) > near * size):  # NaN is no number, and isn't compared
            raise Wrong(
                f"{self._place(self.first)}: with upstream = 0, the gradient is"
                f" {shown([got])}, not 0"
            )

    def _undefined(self, sources: list, ups: list) -> None:
        """With one output used, TensorFlow passes zeros for the others: the gradients
        add up to the one for all outputs."""
        names, total = self.first.names, np.zeros(flat(self.first.values).size)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = self._of_function(sources)
        for n, up in enumerate(ups):
            try:
                alone = tape.gradient(outputs[n], sources, up)
            except Exception as error:
                raise Wrong(
                    f"if only output {n} is used, it raises {said(error)}"
                ) from error
            total += flat(_like(alone, sources, names))
        self._same(
            total,
            flat(_like(tape.gradient(outputs, sources, ups), sources, names)),
            "summed over the outputs, each used alone, the gradient is",
        )

    def _batched(self, sources: list, ups: list) -> None:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = self._of_function(sources)
        rows = [[self._random(each) for each in ups] for _ in range(BATCH)]
        names = self.first.names

        def backward(some: list) -> list:
            return _like(tape.gradient(outputs, sources, some), sources, names)

        try:
            mapped = tf.vectorized_map(
                lambda some: backward(list(some)), tuple(map(tf.stack, zip(*rows)))
            )
        except Exception as error:
            raise Wrong(f"inside tf.vectorized_map it raises {said(error)}") from error
        for n, row in enumerate(rows):
            self._same(
                flat([each[n] for each in mapped]),
                flat(backward(row)),
                "inside tf.vectorized_map the gradient is",
            )

    def _compiled(self, run: Callable, given: list, what: str) -> None:
        what = what or "gradient"
        free = [i for i, each in enumerate(given) if not isinstance(each, tf.Variable)]

        @tf.function(autograph=False, jit_compile=True)
        def compiled(some: list) -> list:
            inside = list(given)
            for i, tensor in zip(free, some):
                inside[i] = tensor
            return run(inside)

        try:
            found = compiled([given[i] for i in free])
        except Exception as error:
            raise Wrong(f"compiled by XLA, {_raised(error)}") from error
        if not self._call.noisy:
            self._same(flat(found), flat(run(given)), f"compiled by XLA, the {what} is")

    def _replicated(
        self, run: Callable, given: list, strategy: tf.distribute.Strategy
    ) -> None:
        try:
            found = strategy.run(run, (given,))
        except Exception as error:
            raise Wrong(f"in a replica, {_raised(error)}") from error
        here = flat(run(given))
        for n, parts in enumerate(
            zip(*map(strategy.experimental_local_results, found))
        ):
            if not self._call.noisy:
                self._same(flat(list(parts)), here, f"in replica {n}, the gradient is")

    def _same(
        self, got: np.ndarray, other: np.ndarray, what: str, tol: float | None = None
    ) -> None:
        dtypes = {each.name for each in self.first.dtypes}
        near = max(RTOL.get(each, 1e-6) for each in dtypes) if tol is None else 0.0
        atol = near * abs(other).max(initial=0) if tol is None else tol
        if not np.allclose(got, other, near, atol, equal_nan=True):
            raise Wrong(
                f"{self._place(self.first)}: {what} {shown([got])},"
                f" not {shown([other])}"
            )

    def _random(self, like: tf.Tensor) -> tf.Tensor:
        array = np.zeros(like.shape, wide(like.dtype).as_numpy_dtype)
        return tf.cast(normal(self._rng, array), like.dtype)

    def _place(self, level: _Level) -> str:
        parts = (
            f"{name} = {shown([array])}"
            for name, array in zip(level.names, level.values)
        )
        return f"at {', '.join(parts)}"


def _raised(error: Exception) -> str:
    return str(error) if isinstance(error, Undecided) else f"it raises {said(error)}"


def _like(gradients: list, inputs: list, names: list[str]) -> list:
    """Tensors, zero for None. Raises Wrong if a shape or a dtype isn't the input's."""
    made = []
    for gradient, its, name in zip(gradients, inputs, names):
        if gradient is None:
            gradient = tf.zeros(its.shape, its.dtype)
        gradient = tf.convert_to_tensor(gradient)
        for got, needed in (
            (gradient.shape, its.shape),
            (gradient.dtype, its.dtype),
        ):
            if got != needed:
                raise Wrong(
                    f"the gradient with respect to {name} has {_plain(got)}, but {name}"
                    f" has {_plain(needed)}"
                )
        made.append(gradient)
    return made


def _plain(of: tf.TensorShape | tf.DType) -> str:
    if isinstance(of, tf.DType):
        return f"dtype {of.name}"
    return f"shape {of}"


def _wide(tensor: tf.Tensor) -> np.ndarray:
    return tensor.numpy().astype(wide(tensor.dtype).as_numpy_dtype)


def _runs(run: Callable[[], list]) -> bool:
    try:
        return runs_widely(run)
    except Wrong:
        return False
