"""Whether a custom gradient is right: which points, shapes and modes it is put to."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice

import numpy as np
import tensorflow as tf

from . import points
from .arrays import as_text, element, flat, normal
from .core import (
    AT_MOST,
    Arrays,
    Comparison,
    GradientError,
    Problem,
    Result,
    Undecided,
)
from .function import (
    REFUSALS,
    Function,
    Misdeclared,
    Refused,
    describe,
    leaf_of,
    wide,
    widened,
)
from .state import State

SIZES = (1.0, 10.0, 0.1, 1e3)
"""Of upstream."""
ROUNDING = {tf.float16: 1e-3, tf.bfloat16: 8e-3}
"""Of a number, relative; 1e-7 in all wider dtypes."""
FEWEST = 5
"""Points that ``where`` must leave, of those that are drawn."""
REPEATED = 6
"""Calls of a forward pass that give the same only if it draws nothing."""
TURNS = (((0, 1), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 0)))
"""Orders of two forward and two backward passes."""


@dataclass
class Options:
    """What is asked of a custom gradient: see ``check_custom_gradient``."""

    like: Callable | None = None
    vjp: Callable | None = None
    where: list[Callable] = field(default_factory=list)
    means: Callable | None = None
    """Takes an upstream gradient and all inputs, and returns what is used instead."""
    shapes: bool | str | None = None
    order: int = 2
    needs_second: bool = False
    """True if the second derivative must exist."""
    graph: bool = True
    unknown: bool = True
    """False to try no unknown batch size and rank."""
    xla: bool = False
    slices: bool = True
    """False for a gradient function that shall not be given ``tf.IndexedSlices``."""
    rtol: float | None = None
    atol: float = 0.0


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
        self._function, self._options, self._result = function, options, result
        self._rng, self._first, self._far = rng, first, far
        self._state = State(function.call)
        function.reset = self._state.again
        self._domain = points.Domain(function, options.where, rng)
        self._here = self._start()
        self._find_variables()
        if not function.moving:
            raise Undecided("no argument can have a gradient")
        self._find_precisions()
        self._sides = points.sides(function, rng)
        self._next_side = cycle(self._sides or [1.0])

    def _start(self) -> Arrays:
        """Return the point of the program's call, or a random one for a graph."""
        if self._domain.fill():
            start = self._function.start()
            return self._domain.draw(points.FAR, start, double=False) or start
        start = [
            np.where(np.isfinite(array), array, normal(self._rng, array))
            if each.moves
            else array
            for each, array in zip(self._function.leaves, self._function.start())
        ]
        if not self._domain.promised(start, strict=True):
            raise Misdeclared("the arguments themselves aren't where the check may be")
        return start

    def _find_variables(self) -> None:
        """Move what the function reads beside its inputs, too; find out whether it
        draws random numbers."""
        function, fixed = self._function, self._function.tensors(self._here, False)
        with tf.GradientTape() as tape, demanded():
            tape.watch([fixed[i] for i in function.moving])
            function.run(function.call, fixed)
        repeated = []
        for _ in range(REPEATED):
            with demanded():
                repeated.append(flat(function.outputs(fixed)))
        self._state.restore()
        function.noisy = not all(
            np.array_equal(each, repeated[0], equal_nan=True) for each in repeated
        )
        for variable in tape.watched_variables():
            self._state.add(variable, is_moved=True)
            function.leaves.append(leaf_of(variable))
        self._here = [*self._here, *function.start()[len(self._here) :]]

    def _find_precisions(self) -> None:
        """Find out what can be computed in float64."""
        function = self._function
        tensors = function.tensors(self._here, double=True)
        # A narrow variable moves by steps of its own, whatever comes out.
        is_wide = all(
            function.leaves[i].variable is None
            or function.leaves[i].dtype == wide(function.leaves[i].dtype)
            for i in function.moving
        )
        self._double = is_wide and runs_widely(lambda: self._both_passes(tensors))
        function.in_double = is_wide and runs_widely(partial(function.outputs, tensors))

    def _both_passes(self, tensors: list) -> list:
        outputs, pullback = self._function.recorded(tensors)
        return outputs + pullback([tf.ones_like(each) for each in outputs])

    def close(self) -> None:
        """Put back what the calls changed."""
        self._state.restore_all(has_drawn=self._function.noisy)

    def run(self) -> None:
        """Check all that is asked."""
        options = self._options
        self._check_points()
        if self._first and options.graph and not self._function.keywords:
            self._check_graph()
        if options.order > 1:
            self._check_second()
        if options.shapes is not False and not self._function.has_composites:
            self._check_shapes()
        if self._first:
            self._check_fixed()
            if not self._function.noisy:
                self._check_turns()
                self._check_outputs()

    # The gradient at one point.

    def _demand(
        self, start: Arrays, double: bool, thorough: bool = False, counts: bool = True
    ) -> None:
        """Demand that the gradient is right at a point, for several upstreams. Of one
        that ``counts``, it is told how many derivatives differences determine."""
        function, result = self._function, self._result
        place = start if double else self._rounded(start)
        with demanded():
            like = function.outputs(function.tensors(place, double))
        at = _At(self, place, double, like)
        if not self._is_told:
            at.find_slopes(AT_MOST if thorough else 0)
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
        if thorough and self._options.slices:
            self._check_slices(at)
        self._note_dtypes(double)

    @property
    def _is_told(self) -> bool:
        """Return whether another function tells the right gradient."""
        return bool(self._options.like or self._options.vjp)

    def _note_dtypes(self, double: bool) -> None:
        names = {each.name for each in self._function.dtypes(double)}
        self._result.dtypes.add("/".join(sorted(names)))

    def _upstreams(self, like: list, thorough: bool) -> Iterator[list[tf.Tensor]]:
        """Yield upstream gradients: of several sizes, zero, mostly zero, and beside the
        program's numbers."""
        for size in SIZES if thorough else (1.0, self._rng.choice(SIZES[1:])):
            yield [self._random(each, size) for each in like]
        if not thorough:
            return
        yield [tf.zeros_like(each) for each in like]
        yield [
            tf.where(
                self._rng.random(each.shape) < 2 / (2 + np.prod(each.shape)),
                self._random(each),
                tf.zeros_like(each),
            )
            for each in like
        ]
        numbers = sum(flat([each]).size for each in like)
        way = points.beside(self._next_side)
        for _ in range(0, len(self._sides), max(numbers, 4)):
            yield [tf.cast(way(self._rng, each.numpy()), each.dtype) for each in like]

    def _random(self, like: tf.Tensor, size: float = 1.0) -> tf.Tensor:
        return tf.cast(size * normal(self._rng, widened([like])[0]), like.dtype)

    def _check_slices(self, at: "_At") -> None:
        """Upstream as what ``tf.gather`` passes on, some rows twice: of more rows than
        there are, and of as many, which a factor for each row fits by chance. A
        gradient function may raise at it, but not take it for other numbers."""
        lengths = {each.shape[0] if each.shape.rank else 0 for each in at.like}
        if len(lengths) > 1 or not (length := lengths.pop()):
            return
        taken = True
        for size, count in zip(SIZES, (length + 1, length)):
            rows = self._rng.integers(length, size=count)
            tensors = self._function.tensors(at.place, at.double)
            outputs, pullback = self._function.recorded(tensors, rows)
            parts = [self._random(each, size) for each in outputs]
            try:
                gradients = pullback(parts)
            except Exception:
                taken = False
                continue
            try:
                sums = [_added_up(each, rows, length) for each in parts]
                at.demand(sums, self._as_arrays(gradients, tensors))
            except GradientError as wrong:
                raise GradientError(
                    f"{wrong}; upstream was tf.IndexedSlices, as behind tf.gather:"
                    " convert it with tf.convert_to_tensor(upstream)"
                ) from wrong
        self._result.slices = taken

    def narrow(self, start: Arrays, counts: bool) -> None:
        """Demand that the gradient in the dtypes of the program is that in float64, but
        for rounding."""
        start, function = self._rounded(start), self._function
        if not self._domain.holds(start, double=False):
            return
        narrow = function.tensors(start, False)
        upstream = self._random_upstream(narrow)
        actual = flat(self._gradients(narrow, upstream))
        wider = [tf.cast(each, wide(each.dtype)) for each in upstream]
        right = flat(self._gradients(function.tensors(start, True), wider))
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
            self._demand(start, double=False, counts=counts)
        self._note_dtypes(double=False)

    @property
    def _rounding(self) -> float:
        dtypes = self._function.dtypes(double=False)
        return max(ROUNDING.get(each, 1e-7) for each in dtypes)

    def tolerance(self, double: bool) -> tuple[float, float]:
        """Return the relative tolerances of the gradient, and of the values that are
        differentiated; in float64, or in the dtypes of the program."""
        rounding, rtol = self._rounding, self._options.rtol
        rel = 1e-6 if rtol is None else rtol
        noise = (
            1e-9 if double and self._function.in_double else max(1e-5, 10 * rounding)
        )
        return rel if double else max(rtol or 1e-4, 30 * rounding), noise

    def _rounded(self, start: Arrays) -> Arrays:
        """Return the point in the dtypes of the program."""
        rounded = list(start)
        for i in self._function.moving:
            dtype = self._function.leaves[i].dtype.as_numpy_dtype
            rounded[i] = start[i].astype(dtype).astype(start[i].dtype)
        return rounded

    def _random_upstream(self, tensors: list) -> list[tf.Tensor]:
        with demanded():
            return [self._random(each) for each in self._function.outputs(tensors)]

    def _gradients(self, tensors: list, upstream: list) -> Arrays:
        """Return the gradients. Raises GradientError for a wrong form."""
        try:
            gradients = self._function.gradients(tensors, upstream)
        except Refused as error:
            raise Undecided(f"the forward pass: {error}") from error
        except Exception as error:
            raise GradientError(
                f"{self.at(tensors)}: the gradient function raises {describe(error)}"
            ) from error
        return self._as_arrays(gradients, tensors)

    def _as_arrays(self, gradients: list, tensors: list) -> Arrays:
        function = self._function
        likes = [tensors[i] for i in function.moving]
        names = [function.leaves[i].name for i in function.moving]
        try:
            return as_arrays(gradients, likes, names)
        except GradientError as error:
            raise GradientError(f"{self.at(tensors)}: {error}") from error

    def right(self, place: Arrays, upstream: list, double: bool) -> Arrays | None:
        """Return the right gradients as another function tells them, in float64 if it
        can; None where nothing is told."""
        function, options = self._function, self._options
        double = double or self._double
        tensors = function.tensors(place, double)
        if double:
            upstream = [tf.cast(each, wide(each.dtype)) for each in upstream]
        sources = [tensors[i] for i in function.moving]
        if options.like:
            with tf.GradientTape() as tape, demanded("like"):
                tape.watch(sources)
                outputs = function.run(options.like, tensors)
            gradients = tape.gradient(outputs, sources, upstream)
        else:
            inputs = function.packed(tensors)
            told = options.vjp(upstream[0] if len(upstream) == 1 else upstream, *inputs)
            gradients = tf.nest.flatten(told)
            if len(gradients) == len(function.inputs):
                moving = [i for i in function.moving if i < len(gradients)]
                gradients = [gradients[i] for i in moving]
            sources = sources[: len(gradients)]
        names = [
            f"{function.leaves[i].name}, as like or vjp returns it,"
            for i in function.moving
        ]
        return as_arrays(gradients, sources, names)

    def means(self, upstream: list, place: Arrays, double: bool) -> list:
        """Return what is used instead of the upstream gradients."""
        if not self._options.means:
            return upstream
        inputs = self._function.packed(self._function.tensors(place, double))
        return [tf.convert_to_tensor(self._options.means(u, *inputs)) for u in upstream]

    def at(self, tensors: list) -> str:
        """Return a point as text."""
        return "at " + ", ".join(
            f"{leaf.name} = {as_text([tensor])}"
            for leaf, tensor in zip(self._function.leaves, tensors)
            if leaf.dtype is not None
        )

    def problem_here(self) -> str:
        """Return what is wrong at the arguments with simple upstream gradients, or
        nothing."""
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
        upstream = [self._random(each) for each in at.like]
        right = at.right(upstream)
        return (
            at.gradients(upstream),
            right,
            at.gradients([3 * each for each in upstream]),
            at.gradients([0 * each for each in upstream]),
        )

    def arrays_here(self) -> Arrays:
        """Return the arguments that have a gradient."""
        return [self._here[i] for i in self._function.moving]

    def _at_here(self, most: int = AT_MOST) -> "_At":
        double = self._double
        place = self._here if double else self._rounded(self._here)
        with demanded():
            like = self._function.outputs(self._function.tensors(place, double))
        at = _At(self, place, double, like)
        if not self._is_told:
            at.find_slopes(most)
        return at

    # Where it is tried.

    def _ways(self) -> Iterator[tuple[tuple, bool]]:
        """Yield ways to draw inputs, and whether differences should settle there: near
        the call, elsewhere, and where gradient functions break."""
        near = [(way,) for way in points.NEAR] * (2 if self._first else 1)
        yield from ((ways, True) for ways in near)
        if self._first and self._far:
            numbers = sum(np.size(self._here[i]) for i in self._function.moving)
            yield from (((way, *points.FAR), True) for way in points.FAR)
            yield from ((ways, False) for ways in self._extreme())
            beside = (points.beside(self._next_side),)
            turns = -(-len(self._sides) // max(numbers, 2))
            yield from [(beside, False)] * turns

    def _extreme(self) -> tuple:
        """Return ways to draw where gradient functions break. Of an argument that may
        not be negative, zero is the end of the domain."""
        for i in self._function.moving:
            mirrored = list(self._here)
            mirrored[i] = -self._here[i]
            is_positive = bool((flat([self._here[i]]) > 0).all())
            if is_positive and not self._domain.holds(mirrored, self._double):
                return points.EXTREME
        return points.EXTREME + points.ZEROS

    def _check_points(self) -> None:
        """Check the point of the program's call, points near it, and elsewhere."""
        ways = [*self._ways()]
        drawn = [
            (self._domain.draw(each, self._here, self._double), counts)
            for each, counts in ways
        ]
        places = [(each, counts) for each, counts in drawn if each]
        near = [counts for _, counts in places if counts]
        if len(near) < min(FEWEST, sum(counts for _, counts in ways) // 2):
            raise Undecided(
                "at too few points, the forward pass is finite and where=… is true: pass"
                " a function that makes valid arguments out of any"
            )
        if self._domain.holds(self._here, self._double):
            places.insert(0, (self._here, True))
        for n, (place, counts) in enumerate(places):
            self._demand(place, self._double, self._first and not n, counts)
            self._result.points += 1
        if self._double and self._function.dtypes(True) != self._function.dtypes(False):
            for place, counts in places:
                self.narrow(place, counts)

    def _check_shapes(self) -> None:
        """Other shapes, if the forward pass accepts them."""
        for point in self._other_shapes():
            try:
                self._demand(point, self._double)
            except GradientError as wrong:
                raise type(wrong)(
                    f"{wrong}; the forward pass accepts this shape: mend the gradient"
                    " function, or exclude the shape with where=… or shapes=False"
                ) from wrong
            self._result.shapes += 1

    def _other_shapes(self) -> Iterator[Arrays]:
        function, shapes = self._function, self._options.shapes
        moving = function.moving
        others = [points.batches(function, self._here)]
        if shapes:
            others.append(points.other_sizes(function, self._here))
        if shapes == "broadcast":
            others.append(points.broadcast(function, self._here))
        ways = points.ways_elsewhere(self._sides)
        for like in (each for part in others for each in part):
            if point := self._domain.draw(next(ways), like, self._double):
                values = flat(self._domain.values(point, self._double) or [])
                # Of one number, no difference of neighbors is left, say.
                if values.size or not flat([point[i] for i in moving]).size:
                    yield point

    def _check_graph(self) -> None:
        """The same numbers inside ``tf.function``: also with an unknown length of the
        batch, with an unknown rank, and compiled by XLA."""
        function, options = self._function, self._options
        tensors = function.tensors(self._here, double=False)
        upstream = self._random_upstream(tensors)
        eager = self._gradients(tensors, upstream)
        modes = [("inside tf.function", "", False)]
        is_unknown = options.unknown and not function.has_composites
        if is_unknown and options.shapes is not False and function.batch is not None:
            modes.append(
                ("inside tf.function, with an unknown batch size,", "batch", False)
            )
        if is_unknown and options.shapes:
            modes.append(("inside tf.function, with an unknown rank,", "rank", False))
        if options.xla:
            modes.append(("compiled by XLA,", "", True))
        for text, unknown, jit_compile in modes:
            more = {"unknown": unknown, "jit_compile": jit_compile}
            try:
                if unknown:  # which the forward pass may refuse
                    forward = partial(function.run, function.call)
                    function.compiled(forward, tensors, **more)(tensors)
            except Exception:
                continue
            try:
                both = function.compiled(function.both_passes, tensors, **more)
                gradients = both(tensors, upstream)
            except Exception as error:
                raise GradientError(f"{text} it raises {describe(error)}") from error
            if not function.noisy:
                self._demand_equal(
                    self._as_arrays(gradients, tensors), eager, tensors, text, "eagerly"
                )
        self._result.graph = True

    def _check_turns(self) -> None:
        """The same numbers where another call lies between the two passes of one: a
        gradient function that keeps something outside takes it for its own."""
        function, text = self._function, "with another call between its passes"
        neighbors = [self._domain.draw(points.NEAR, self._here, self._double)]
        if self._options.shapes is not False and not function.has_composites:
            neighbors += islice(self._other_shapes(), 1)
        fixed = len(function.inputs)  # variables have one value for both
        for neighbor in filter(None, neighbors):
            calls = []
            for its in (self._here, neighbor):
                place = [*its[:fixed], *self._here[fixed:]]
                tensors = function.tensors(place, self._double)
                calls.append((tensors, self._random_upstream(tensors)))
            alone = [self._gradients(*call) for call in calls]
            for forward, back in TURNS:
                backward = {i: function.recorded(calls[i][0])[1] for i in forward}
                for i in back:
                    tensors, upstream = calls[i]
                    try:
                        gradients = backward[i](upstream)
                    except Exception as error:
                        raise GradientError(
                            f"{text} it raises {describe(error)}"
                        ) from error
                    self._demand_equal(
                        self._as_arrays(gradients, tensors),
                        alone[i],
                        tensors,
                        text,
                        "alone (it depends on the order of calls)",
                    )

    def _check_outputs(self) -> None:
        """The gradients of the outputs, each used alone, add up to the one for all, and
        a second backward pass of the same call gives the same."""
        tensors = self._function.tensors(self._here, double=False)
        outputs, pullback = self._function.recorded(tensors, persistent=True)
        upstream = [self._random(each) for each in outputs]
        try:
            all_ = self._as_arrays(pullback(upstream), tensors)
            what = "a second backward pass of the same call"
            again = self._as_arrays(pullback(upstream), tensors)
            self._demand_equal(again, all_, tensors, f"in {what}", "in the first")
            what = "a backward pass of one of the outputs"
            alone = [
                self._as_arrays(pullback(up, of=each), tensors)
                for each, up in zip(outputs, upstream)
            ]
        except GradientError:
            raise
        except Exception as error:
            raise GradientError(f"{what} raises {describe(error)}") from error
        total = [np.sum(parts, axis=0) for parts in zip(*alone)]
        text = "summed over the outputs, each used alone,"
        self._demand_equal(total, all_, tensors, text, "for all at once")

    def _check_fixed(self) -> None:
        """No gradient for what shall have none."""
        function = self._function
        fixed = [i for i, each in enumerate(function.leaves) if each.is_fixed]
        if not fixed:
            return
        tensors = function.tensors(self._here, double=False)
        sources = [tensors[i] for i in fixed]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = function.run(function.call, tensors)
        for i, gradient in zip(fixed, tape.gradient(outputs, sources)):
            if gradient is not None and np.any(tf.convert_to_tensor(gradient)):
                raise GradientError(
                    f"{function.leaves[i].name} needs no gradient, but has one"
                )

    def _demand_equal(
        self, actual: Arrays, expected: Arrays, tensors: list, text: str, beside: str
    ) -> None:
        near = self.tolerance(double=False)
        row, right = flat(actual), flat(expected)
        if not np.allclose(row, right, *near, equal_nan=True):
            raise GradientError(
                f"{self.at(tensors)}: {text} the gradient is {as_text([row])}, but"
                f" {beside} {as_text([right])}"
            )

    # The derivative of the gradient function.

    def _check_second(self) -> None:
        """Compare the gradient of the gradient function, by the inputs and by upstream:
        demanded if the program takes it, else right where there is one."""
        needed = self._options.needs_second
        places: list[Arrays | None] = [self._here]
        if needed or self._first:
            places.append(self._domain.draw(points.NEAR, self._here, self._double))
        for place in filter(None, places):
            if self._domain.holds(place, self._double) and self._has_second(place):
                self._result.order = 2

    def _has_second(self, place: Arrays) -> bool:
        """Compare the second gradient at a point, and return whether there is one."""
        function, double = self._function, self._double
        tensors = function.tensors(place, double)
        upstream = self._random_upstream(tensors)
        sources = [tensors[i] for i in function.moving]
        weights = [self._random(tf.convert_to_tensor(each)) for each in sources]
        needed = self._options.needs_second
        try:
            gradients = function.second(tensors, upstream, weights)
        except Exception as error:
            if not needed:
                return False
            raise GradientError(
                f"the second derivative raises {describe(error)}"
            ) from error
        if not needed and all(each is None for each in gradients):
            return False
        # None beside a number is taken for zero, where gradients are composed.
        likes = [*sources, *upstream]
        names = [f"input {n}" for n in range(len(likes))]
        arrays = widened(likes)

        def first(moved: Arrays) -> Arrays:
            at = _moved(place, function.moving, moved)
            tensors = function.tensors(at, double)
            ups = [
                tf.cast(array, each.dtype)
                for array, each in zip(moved[len(sources) :], upstream)
            ]
            return self._gradients(tensors, ups)

        rel, noise = self.tolerance(double)
        problem = Problem(names, first, lambda *_: [], 10 * rel, noise, double)
        comparison = Comparison(problem, arrays, self._result, self._rng)
        sizes, count = [flat([each]).size for each in arrays], len(sources)
        edge, total = sum(sizes[:count]), sum(sizes)
        mixture = self._rng.standard_normal(total)
        is_input = np.arange(total) < edge
        comparison.add(
            [
                ("some direction of the arguments", "", mixture * is_input),
                ("some direction of upstream", "", mixture * ~is_input),
            ]
        )
        place_text = f"the second derivative {self.at(tensors)}"
        comparison.demand(
            widened(weights), place_text, as_arrays(gradients, likes, names)
        )
        return True


class _At:
    """One point, in one precision: slopes, and upstream gradients put to them."""

    def __init__(self, rule: Rule, place: Arrays, double: bool, like: list) -> None:
        self._rule, self.place, self.double, self.like = rule, place, double, like
        self._function = rule._function
        self.comparison: Comparison | None = None

    def find_slopes(self, each_number: int) -> None:
        """Differentiate the values: by each number if there are at most so many."""
        rule, function = self._rule, self._function
        rtol, noise = rule.tolerance(self.double)

        def values(arrays: Arrays) -> Arrays | None:
            place = _moved(self.place, function.moving, arrays)
            return rule._domain.values(place, function.in_double)

        def pullback(arrays: Arrays, upstream: Arrays) -> Arrays:
            place = _moved(self.place, function.moving, arrays)
            ups = [tf.cast(up, each.dtype) for up, each in zip(upstream, self.like)]
            return rule._gradients(function.tensors(place, self.double), ups)

        problem = Problem(
            [function.leaves[i].name for i in function.moving],
            values,
            pullback,
            rtol,
            noise,
            function.in_double,
            rule._options.atol,
        )
        arrays = [self.place[i] for i in function.moving]
        self.comparison = Comparison(problem, arrays, rule._result, rule._rng)
        self.comparison.add_all(each_number)

    def gradients(self, upstream: list) -> Arrays:
        """Return the gradients of the function."""
        tensors = self._function.tensors(self.place, self.double)
        return self._rule._gradients(tensors, upstream)

    def right(self, upstream: list) -> Arrays:
        """Return the right gradients. Raises Undecided if they aren't known."""
        if not self.comparison:
            return self._rule.right(self.place, upstream, self.double)
        return self.comparison.right(
            widened(self._rule.means(upstream, self.place, self.double))
        )

    def demand(self, upstream: list, gradients: Arrays | None = None) -> None:
        """Demand that the gradients are right: those of the function, or these."""
        rule = self._rule
        tensors = self._function.tensors(self.place, self.double)
        at = rule.at(tensors)
        if gradients is None:
            gradients = rule._gradients(tensors, upstream)
        if self.comparison:
            means = widened(rule.means(upstream, self.place, self.double))
            self.comparison.demand(widened(upstream), at, gradients, means)
            return
        right = rule.right(self.place, upstream, self.double)
        rel = rule.tolerance(self.double)[0]
        rule._result.compared += 1
        for i, actual, expected in zip(self._function.moving, gradients, right):
            row, told = flat([actual]), flat([expected])
            size = np.sqrt(np.mean(told[np.isfinite(told)] ** 2)) if told.size else 0
            near = rel * (abs(told) + size) + rule._options.atol
            # Where it tells no number, nothing is asked.
            wrong = ~((abs(row - told) <= near) | (row == told) | np.isnan(told))
            if wrong.any():
                n = int(np.argmax(wrong))
                name = element(self._function.leaves[i].name, actual, n)
                raise GradientError(
                    f"{at} with upstream = {as_text(upstream)}: the gradient with"
                    f" respect to {name} is {row[n]:.6g}, but {told[n]:.6g} is right"
                )


def _moved(place: Arrays, moving: list[int], arrays: Arrays) -> Arrays:
    """Return a point with other numbers."""
    point = list(place)
    for i, array in zip(moving, arrays):
        point[i] = array
    return point


def as_arrays(gradients: list, likes: list, names: list[str]) -> Arrays:
    """Return gradients as arrays in the widest dtypes: see ``as_tensors``."""
    return widened(as_tensors(gradients, likes, names))


def as_tensors(gradients: list, likes: list, names: list[str]) -> list:
    """Return gradients as tensors, zero for None. Raises GradientError if a shape or a
    dtype isn't that of its argument."""
    tensors = []
    for gradient, like, name in zip(gradients, likes, names):
        if gradient is None:
            gradient = tf.zeros(like.shape, like.dtype)
        try:
            gradient = tf.convert_to_tensor(gradient)
        except (ValueError, tf.errors.OpError) as error:  # of tf.IndexedSlices
            raise GradientError(
                f"the gradient with respect to {name} isn't a tensor: {describe(error)}"
            ) from error
        for kind, actual, needed in (
            ("shape", gradient.shape, like.shape),
            ("dtype", gradient.dtype.name, like.dtype.name),
        ):
            if actual != needed:
                raise GradientError(
                    f"the gradient with respect to {name} has {kind} {actual}, but"
                    f" {name} has {kind} {needed}"
                )
        tensors.append(gradient)
    return tensors


def runs_widely(run: Callable[[], list]) -> bool:
    """Return whether float64 goes in and comes out."""
    try:
        dtypes = [tf.as_dtype(each.dtype) for each in run() if each is not None]
        return all(each == wide(each) for each in dtypes)
    except (Refused, Misdeclared, RuntimeError, *REFUSALS):
        return False


@contextlib.contextmanager
def demanded(name: str = "the forward pass") -> Iterator[None]:
    """Raise Undecided where the inputs are refused."""
    try:
        yield
    except Refused as error:
        raise Undecided(f"{name}: {error}") from error


def _added_up(parts: tf.Tensor, rows: np.ndarray, length: int) -> tf.Tensor:
    sums = np.zeros((length, *parts.shape[1:]), parts.dtype.as_numpy_dtype)
    np.add.at(sums, rows, parts.numpy())
    return tf.constant(sums)
