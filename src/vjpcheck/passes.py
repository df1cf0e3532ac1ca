"""Backward passes that must give the same gradient: repeated, compiled, batched …"""

import contextlib
import functools
from collections.abc import Callable, Iterator

import numpy as np
import tensorflow as tf

from .compare import as_text
from .directions import Undecided, Wrong
from .function import describe, flat
from .levels import RTOL, Levels, as_tensors, raised
from .points import normal

BATCH = 3


class Passes:
    """The backward passes of a function at one point, in other ways than one alone."""

    def __init__(self, levels: Levels) -> None:
        self._levels, self._first = levels, levels.first
        self._is_noisy = levels.call.noisy
        self._recorded: Callable[[list], np.ndarray] | None = None
        """A backward pass that can be repeated."""
        outputs = levels.outputs(self._first)
        self._ups = [levels.random(each) for each in outputs]
        self._backward = levels.rev(self._first, outputs).run
        self._sources = levels.sources(self._first)

    def problems(
        self, tol: float | None, batched: bool, jit_compile: bool, zero: bool
    ) -> Iterator[str]:
        """Yield a message for each way that gives another gradient."""
        checks: list[Callable] = []
        if tol is not None:
            checks += [lambda: self._repeated(tol), lambda: self._second_pass(tol)]
        if len(self._ups) > 1:
            checks.append(self._each_output)
        if zero:
            checks.append(self._zero)
        if batched:
            checks.append(self._batched)
        if jit_compile:
            inputs, all_ = self._sources, [*self._sources, *self._ups]
            checks.append(lambda: self._compiled(self._first.run, inputs, "value"))
            checks.append(lambda: self._compiled(self._backward, all_, "gradient"))
        for check in checks:
            try:
                check()
            except Wrong as wrong:
                yield str(wrong)
            except Exception as error:
                yield f"the backward pass raises {describe(error)}"

    def _pass(self) -> np.ndarray:
        return flat(self._backward([*self._sources, *self._ups]))

    @functools.cached_property
    def _alone(self) -> np.ndarray:
        return self._pass()

    def _repeated(self, tol: float) -> None:
        text = "repeated, the backward pass gives"
        self._demand_equal(self._pass(), self._alone, text, tol)

    def _second_pass(self, tol: float) -> None:
        """A second backward pass of one forward pass. Before, a call at other inputs
        fills whatever the function keeps outside."""
        levels = self._levels
        elsewhere = [
            array + 0.01 * (1 + abs(array)) * normal(levels.rng, array)
            for array in self._first.values
        ]
        with contextlib.suppress(Undecided):  # they may be outside of the domain
            levels.of_function(levels.tensors(self._first, elsewhere, False))
        backward = self._taped(levels.sources(self._first))
        once = backward(self._ups)
        text = "a second backward pass of the same call"
        try:
            twice = backward(self._ups)
        except Exception as error:
            raise Wrong(f"{self._place}: {text} raises {describe(error)}") from error
        if not self._is_noisy:
            self._demand_equal(twice, once, f"{text} gives", tol)
        self._recorded = backward

    def _taped(self, sources: list) -> Callable[[list], np.ndarray]:
        """Records a forward pass, and returns its backward pass."""
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = self._levels.of_function(sources)
        names = self._first.names
        return lambda ups: flat(
            as_tensors(tape.gradient(outputs, sources, ups), sources, names)
        )

    def _zero(self) -> None:
        """A gradient is linear in upstream. So it is 0 for 0, whatever ``atol`` is."""
        backward = self._recorded or self._taped(self._sources)
        actual = backward([tf.zeros_like(each) for each in self._ups])
        near = max(RTOL.get(each.name, 1e-6) for each in self._first.dtypes)
        size = abs(self._alone).max(initial=0)
        if np.any(abs(actual) > near * size):  # NaN is no number, and isn't compared
            raise Wrong(
                f"{self._place}: with upstream = 0, the gradient is"
                f" {as_text([actual])}, not 0"
            )

    def _each_output(self) -> None:
        """The gradients of the outputs, each used alone, add up to the one for all.
        TensorFlow passes zeros for an output that isn't used."""
        names, sources = self._first.names, self._sources
        total = np.zeros(flat(self._first.values).size)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = self._levels.of_function(sources)
        for n, up in enumerate(self._ups):
            try:
                alone = tape.gradient(outputs[n], sources, up)
            except Exception as error:
                raise Wrong(
                    f"if only output {n} is used, it raises {describe(error)}"
                ) from error
            total += flat(as_tensors(alone, sources, names))
        gradients = tape.gradient(outputs, sources, self._ups)
        self._demand_equal(
            total,
            flat(as_tensors(gradients, sources, names)),
            "summed over the outputs, each used alone, the gradient is",
        )

    def _batched(self) -> None:
        sources, names = self._sources, self._first.names
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = self._levels.of_function(sources)
        rows = [[self._levels.random(up) for up in self._ups] for _ in range(BATCH)]

        def backward(ups: list) -> list:
            return as_tensors(tape.gradient(outputs, sources, ups), sources, names)

        try:
            mapped = tf.vectorized_map(
                lambda ups: backward(list(ups)), tuple(map(tf.stack, zip(*rows)))
            )
        except Exception as error:
            raise Wrong(
                f"inside tf.vectorized_map it raises {describe(error)}"
            ) from error
        for n, row in enumerate(rows):
            self._demand_equal(
                flat([each[n] for each in mapped]),
                flat(backward(row)),
                "inside tf.vectorized_map the gradient is",
            )

    def _compiled(self, run: Callable, arguments: list, name: str) -> None:
        free = [
            i for i, each in enumerate(arguments) if not isinstance(each, tf.Variable)
        ]

        @tf.function(autograph=False, jit_compile=True)
        def compiled(values: list) -> list:
            inside = list(arguments)
            for i, tensor in zip(free, values):
                inside[i] = tensor
            return run(inside)

        try:
            actual = compiled([arguments[i] for i in free])
        except Exception as error:
            raise Wrong(f"compiled by XLA, {raised(error)}") from error
        if not self._is_noisy:
            text = f"compiled by XLA, the {name} is"
            self._demand_equal(flat(actual), flat(run(arguments)), text)

    def _demand_equal(
        self,
        actual: np.ndarray,
        expected: np.ndarray,
        text: str,
        tol: float | None = None,
    ) -> None:
        dtypes = {each.name for each in self._first.dtypes}
        near = max(RTOL.get(each, 1e-6) for each in dtypes) if tol is None else 0.0
        atol = near * abs(expected).max(initial=0) if tol is None else tol
        if not np.allclose(actual, expected, near, atol, equal_nan=True):
            raise Wrong(
                f"{self._place}: {text} {as_text([actual])}, not {as_text([expected])}"
            )

    @property
    def _place(self) -> str:
        return self._levels.place(self._first)
