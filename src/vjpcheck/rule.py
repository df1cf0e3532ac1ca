"""Whether a custom gradient is right: which points, shapes and modes it is put to."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np
import tensorflow as tf

from . import points
from .arrays import as_text, element, flat, normal
from .core import (
    AT_MOST,
    Arrays,
    Comparison,
    Differentiable,
    GradientError,
    Result,
    Undecided,
)
from .function import (
    Function,
    Misdeclared,
    Refused,
    added_up,
    as_arrays,
    demanded,
    describe,
    leaf_of,
    moved_to,
    runs_widely,
    wide,
    widened,
)
from .options import Options, Told
from .state import State

SIZES = (1.0, 10.0, 0.1, 1e3)
"""Of upstream."""
ROUNDING = {tf.float16: 1e-3, tf.bfloat16: 8e-3}
"""Of a number, relative; 1e-7 in all wider dtypes."""
REPEATED = 6
"""Calls of a forward pass that give the same only if it draws nothing."""


class Rule:
    """One call of a custom gradient, to be repeated elsewhere.

    Raises GradientError, in whichever method, when the gradient is wrong.
    """

    def __init__(
        self,
        function: Function,
        options: Options,
        result: Result,
        rng: np.random.Generator,
        first: bool = True,
        far: bool = True,
    ) -> None:
        self.function, self.options, self.result = function, options, result
        self.rng, self.is_first, self.is_far = rng, first, far
        self.state = State(function.call)
        function.reset = self.state.again
        self.domain = points.Domain(function, options.where, rng)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        """Find out what the function reads, and in which dtypes it computes."""
        self.here = self._start()
        self._find_variables()
        function = self.function
        if not function.moving:
            raise Undecided("no argument can have a gradient")
        self.names = [function.leaves[i].name for i in function.moving]
        self._find_precisions()
        self.told = Told(function, self.options, self.double)
        self.sides = points.sides(function, self.rng)
        self.next_side = cycle(self.sides or [1.0])

    def _start(self) -> Arrays:
        """Return the point of the program's call, or a random one for a graph."""
        if self.domain.fill():
            start = self.function.start()
            return self.domain.draw(points.FAR, start, double=False) or start
        start = [
            np.where(np.isfinite(array), array, normal(self.rng, array))
            if each.moves
            else array
            for each, array in zip(self.function.leaves, self.function.start())
        ]
        if not self.domain.promised(start, strict=True):
            raise Misdeclared("the arguments themselves don't meet the conditions")
        return start

    def _find_variables(self) -> None:
        """Move what the function reads beside its inputs, too; find out whether it
        draws random numbers."""
        function, fixed = self.function, self.function.tensors(self.here, False)
        try:
            with tf.GradientTape() as tape:
                tape.watch([fixed[i] for i in function.moving])
                function.run(function.call, fixed)
        except Refused as error:
            if "grad_fn" in str(error):  # TensorFlow blames the gradient function
                raise GradientError(str(error)) from error
            raise Undecided(f"the forward pass: {error}") from error
        repeated = []
        for _ in range(REPEATED):
            with demanded():
                repeated.append(flat(function.outputs(fixed)))
        self.state.restore()
        function.noisy = not all(
            np.array_equal(each, repeated[0], equal_nan=True) for each in repeated
        )
        for variable in tape.watched_variables():
            self.state.add(variable, is_moved=True)
            added, names = leaf_of(variable), [each.name for each in function.leaves]
            if added.name in names:
                added.name = f"{added.name} (number {len(names)})"
            function.leaves.append(added)
        self.here = [*self.here, *function.start()[len(self.here) :]]

    def _find_precisions(self) -> None:
        """Find out what can be computed in float64."""
        function = self.function
        tensors = function.tensors(self.here, double=True)
        # A narrow variable moves by steps of its own, whatever comes out.
        is_wide = all(
            function.leaves[i].variable is None
            or function.leaves[i].dtype == wide(function.leaves[i].dtype)
            for i in function.moving
        )
        self.double = is_wide and runs_widely(lambda: self._both_passes(tensors))
        function.in_double = is_wide and runs_widely(partial(function.outputs, tensors))
        # Close to 1, even wide numbers are coarse: so it is tried elsewhere, too.
        other = self.domain.draw(points.FAR, self.here, True) or self.here
        roundings = map(self.domain.rounding, (self.here, other))
        self._inner = min(roundings) if function.in_double else 0.0
        if self._inner:
            self.double = function.in_double = False

    def _both_passes(self, tensors: list) -> list:
        outputs, pullback = self.function.recorded(tensors)
        return outputs + pullback([tf.ones_like(each) for each in outputs])

    def demand_finite(self) -> None:
        """Raise Undecided if the function isn't finite at the arguments."""
        if not self.domain.holds(self.here, self.double):
            raise Undecided("at the arguments, the function isn't finite")

    def close(self) -> None:
        """Put back what the calls changed."""
        self.state.restore_all(has_drawn=self.function.noisy)

    def demand(
        self,
        start: Arrays,
        double: bool,
        thorough: bool = False,
        counts: bool = True,
        slack: float = 0.0,
    ) -> None:
        """Demand that the gradient is right at a point, for several upstreams. Of one
        that ``counts``, it is told how many derivatives differences determine. At a
        kink, ``slack`` of the difference of both sides is allowed outside of them."""
        result = self.result
        at = _At(self, start if double else self.rounded(start), double)
        like = at.like
        if not self.told:
            at.find_slopes(AT_MOST if thorough else 0, slack)
        before = result.unsettled
        for n, upstream in enumerate(self._upstreams(like, thorough)):
            known = result.unsettled
            at.demand(upstream)
            if n:  # a slope that is not told is so for all
                result.unsettled = known
        if at.comparison and counts and not thorough:
            outside = at.comparison.outside
            result._elsewhere[0] += len(at.comparison.along) - outside
            result._elsewhere[1] += result.unsettled - before - outside
        if thorough and self.options.slices:
            self._check_slices(at)
        self._note_dtypes(double)

    def _note_dtypes(self, double: bool) -> None:
        names = {each.name for each in self.function.dtypes(double)}
        self.result.dtypes.add("/".join(sorted(names)))

    def _upstreams(self, like: list, thorough: bool) -> Iterator[list[tf.Tensor]]:
        """Yield upstream gradients: of several sizes, zero, mostly zero, and beside the
        program's numbers."""
        for size in SIZES if thorough else (1.0, self.rng.choice(SIZES[1:])):
            yield [self.random(each, size) for each in like]
        if not thorough:
            return
        yield [tf.zeros_like(each) for each in like]
        yield [
            tf.where(
                self.rng.random(each.shape) < 2 / (2 + np.prod(each.shape)),
                self.random(each),
                tf.zeros_like(each),
            )
            for each in like
        ]
        numbers = sum(flat([each]).size for each in like)
        way = points.beside(self.next_side)
        for _ in range(0, len(self.sides), max(numbers, 4)):
            yield [tf.cast(way(self.rng, each.numpy()), each.dtype) for each in like]

    def random(self, like: tf.Tensor, size: float = 1.0) -> tf.Tensor:
        numbers = size * normal(self.rng, like.numpy())
        return tf.constant(numbers.astype(like.dtype.as_numpy_dtype))

    def _check_slices(self, at: "_At") -> None:
        """Upstream as what ``tf.gather`` passes on, some rows twice: of more rows than
        there are, and of as many, which a factor for each row fits by chance. A
        gradient function may raise at it, but not take it for other numbers."""
        lengths = {each.shape[0] if each.shape.rank else 0 for each in at.like}
        if len(lengths) > 1 or not (length := lengths.pop()):
            return
        taken = True
        for size, count in zip(SIZES, (length + 1, length)):
            rows = self.rng.integers(length, size=count)
            rows[-1] = rows[0]
            if self.options.vjp:  # maybe not linear, so that each row must come once
                rows = self.rng.permutation(length)
            tensors = self.function.tensors(at.place, at.double)
            outputs, pullback = self.function.recorded(tensors, rows)
            parts = [self.random(each, size) for each in outputs]
            try:
                gradients = pullback(parts)
            except Exception:
                taken = False
                continue
            try:
                sums = [added_up(each, rows, length) for each in parts]
                at.demand(sums, self.as_arrays(gradients, tensors))
            except GradientError as wrong:
                raise GradientError(
                    f"{wrong}; upstream was tf.IndexedSlices, as behind tf.gather:"
                    " convert it with tf.convert_to_tensor(upstream)"
                ) from wrong
        self.result.slices = taken

    def narrow(self, start: Arrays, counts: bool, slack: float) -> None:
        """Demand that the gradient in the dtypes of the program is that in float64, but
        for rounding."""
        start, function = self.rounded(start), self.function
        if not self.domain.holds(start, double=False):
            return
        narrow = function.tensors(start, False)
        upstream = self.random_upstream(start, False)
        actual = flat(self.gradients(narrow, upstream))
        wider = [tf.cast(each, wide(each.dtype)) for each in upstream]
        right = flat(self.gradients(function.tensors(start, True), wider))
        near = 100 * self._rounding * abs(right).max(initial=0)
        if not counts:  # far away, rounding may change all digits
            if (lost := np.isfinite(right) & ~np.isfinite(actual)).any():
                raise GradientError(
                    f"{self.at(narrow)} with upstream = {as_text(upstream)}: an element"
                    f" of the gradient is {actual[lost][0]:.6g}, but"
                    f" {right[lost][0]:.6g} in float64"
                )
        elif not np.allclose(actual, right, 0, near):
            # Maybe rounding itself, or the kink of one of them.
            self.demand(start, double=False, counts=counts, slack=slack)
        self._note_dtypes(double=False)

    @property
    def _rounding(self) -> float:
        dtypes = self.function.dtypes(double=False)
        return max(self._inner, *(ROUNDING.get(each, 1e-7) for each in dtypes))

    def tolerance(self, double: bool) -> tuple[float, float]:
        """Return the relative tolerances of the gradient, and of the values that are
        differentiated; in float64, or in the dtypes of the program."""
        rounding, rtol = self._rounding, self.options.rtol
        rel = 1e-6 if rtol is None else rtol
        noise = 1e-9 if double and self.function.in_double else max(1e-5, 10 * rounding)
        return rel if double else max(rtol or 1e-4, 30 * rounding), noise

    def rounded(self, start: Arrays) -> Arrays:
        """Return the point in the dtypes of the program."""
        rounded = list(start)
        for i in self.function.moving:
            dtype = self.function.leaves[i].dtype.as_numpy_dtype
            rounded[i] = start[i].astype(dtype).astype(start[i].dtype)
        return rounded

    def random_upstream(self, place: Arrays, double: bool) -> list[tf.Tensor]:
        with demanded():
            return [
                self.random(each) for each in self.function.outputs_at(place, double)
            ]

    def gradients(self, tensors: list, upstream: list, eagerly: bool = False) -> Arrays:
        """Return the gradients. Raises GradientError for a wrong form."""
        function = self.function
        run = function.both_passes if eagerly else function.gradients
        try:
            gradients = run(tensors, upstream)
        except Refused as error:
            raise Undecided(f"the forward pass: {error}") from error
        except Exception as error:
            raise GradientError(
                f"{self.at(tensors)}: the gradient function raises {describe(error)}"
            ) from error
        return self.as_arrays(gradients, tensors)

    def as_arrays(self, gradients: list, tensors: list) -> Arrays:
        function = self.function
        likes = [tensors[i] for i in function.moving]
        try:
            return as_arrays(gradients, likes, self.names)
        except GradientError as error:
            raise GradientError(f"{self.at(tensors)}: {error}") from error

    def at(self, tensors: list) -> str:
        """Return a point as text."""
        return "at " + ", ".join(
            f"{leaf.name} = {as_text([tensor])}"
            for leaf, tensor in zip(self.function.leaves, tensors)
            if leaf.dtype is not None
        )

    def problem_here(self) -> str:
        """Return what is wrong at the arguments with simple upstream gradients."""
        at = self._at_here()
        for size in (1, 2):
            try:
                at.demand([tf.fill(e.shape, tf.cast(size, e.dtype)) for e in at.like])
            except Undecided:
                return ""
            except GradientError as error:
                return str(error)
        return ""

    def compared_here(self, most: int) -> tuple[Arrays, Arrays, Arrays, Arrays]:
        """Return the gradient at the arguments, the right one, and those for three
        times the upstream gradient and for none. Raises Undecided for more numbers than
        ``most`` or at a kink."""
        at = self._at_here(most)
        upstream = [self.random(each) for each in at.like]
        right = at.right(upstream)
        return (
            at.gradients(upstream),
            right,
            at.gradients([3 * each for each in upstream]),
            at.gradients([0 * each for each in upstream]),
        )

    def _at_here(self, most: int = AT_MOST) -> "_At":
        double = self.double
        at = _At(self, self.here if double else self.rounded(self.here), double)
        if not self.told:
            at.find_slopes(most)
        return at


class _At:
    """One point, in one precision: slopes, and upstream gradients put to them."""

    def __init__(self, rule: Rule, place: Arrays, double: bool) -> None:
        self._rule, self.place, self.double = rule, place, double
        self.function = rule.function
        with demanded():
            self.like = self.function.outputs_at(place, double)
        self.comparison: Comparison | None = None

    def find_slopes(self, each_number: int, slack: float = 0.0) -> None:
        """Differentiate the values: by each number if there are at most so many."""
        rule, function = self._rule, self.function
        rtol, noise = rule.tolerance(self.double)

        def values(arrays: Arrays) -> Arrays | None:
            place = moved_to(self.place, function.moving, arrays)
            return rule.domain.values(place, function.in_double)

        def pullback(arrays: Arrays, upstream: Arrays) -> Arrays:
            place = moved_to(self.place, function.moving, arrays)
            ups = [tf.cast(up, each.dtype) for up, each in zip(upstream, self.like)]
            return rule.gradients(function.tensors(place, self.double), ups)

        problem = Differentiable(
            rule.names,
            values,
            pullback,
            rtol,
            noise,
            function.in_double,
            rule.options.atol,
            slack=slack,
        )
        arrays = [self.place[i] for i in function.moving]
        center = rule.domain.values(self.place, function.in_double)
        self.comparison = Comparison(problem, arrays, center, rule.result, rule.rng)
        self.comparison.add_all(each_number)

    def gradients(self, upstream: list) -> Arrays:
        """Return the gradients of the function."""
        tensors = self.function.tensors(self.place, self.double)
        return self._rule.gradients(tensors, upstream)

    def right(self, upstream: list) -> Arrays:
        """Return the right gradients. Raises Undecided if they aren't known."""
        if not self.comparison:
            return self._rule.told.right(self.place, upstream, self.double)
        return self.comparison.right(
            widened(self._rule.told.means(upstream, self.place, self.double))
        )

    def demand(self, upstream: list, gradients: Arrays | None = None) -> None:
        """Demand that the gradients are right: those of the function, or these."""
        rule = self._rule
        tensors = self.function.tensors(self.place, self.double)
        at = partial(rule.at, tensors)
        if gradients is None:
            gradients = rule.gradients(tensors, upstream)
        if self.comparison:
            means = widened(rule.told.means(upstream, self.place, self.double))
            self.comparison.demand(widened(upstream), at, gradients, means)
            return
        told = (self.place, upstream, self.double)
        right = rule.told.right(*told)
        rel = rule.tolerance(self.double)[0]
        rule.result.compared += 1
        for k, (actual, expected) in enumerate(zip(gradients, right)):
            row, wanted = flat([actual]), flat([expected])
            finite = wanted[np.isfinite(wanted)]
            size = np.sqrt(np.mean(finite**2)) if finite.size else 0.0
            near = rel * (abs(wanted) + size) + rule.options.atol
            # Where it tells no number, nothing is asked.
            wrong = ~((abs(row - wanted) <= near) | (row == wanted) | np.isnan(wanted))
            if wrong.any():
                low, high = rule.told.around(*told, rule.rng)[k]
                near = near + rel * np.maximum(abs(low), abs(high))
                inside = (low - near <= row) & (row <= high + near) & (low < high)
                rule.result.kinks += int((wrong & inside).any())
                wrong &= ~inside
            if wrong.any():
                n = int(np.argmax(wrong))
                name = element(rule.names[k], actual, n)
                raise GradientError(
                    f"{at()} with upstream = {as_text(upstream)}: the gradient with"
                    f" respect to {name} is {row[n]:.6g}, but {wanted[n]:.6g} is right"
                )
